; tracea: softmax fp32
; variant        cpu.rowwise.avx2_fp32 for x86-64-v3
; configuration  1x16x1 s1 w1 vc4
; schedule       691875468d60ec1d2d229505b5acf7996fb8acee81443a96769ed139fa1c6eb4
; certificate    abde7975e4a99e6356b1e5468bf533c8b9bd7f586f08a6341439f7f2de19d6ab: structure, domains, types, layouts, lanes, registers, meaning

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; x: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 16 bytes
; m: rows, all leading axes together; 0 to 4611686018427387904
; n: columns: the length of a row; 1 to 4611686018427387904
; x_row: x: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
; kept: panel of fp32, row 1 = 1*16, column 16 = 16*1, (n + 15) // 16 times, kept for a tile, aligned to 64 bytes
; elements: 1x16 of fp32 in 2 registers of 8 lanes
; term: 1x16 of fp32 in 2 registers of 8 lanes
; result: 1x16 of fp32 in 2 registers of 8 lanes
; count: 1x1 of fp32 in 1 registers of 8 lanes
; top_part: 1x16 of fp32 in 2 registers of 8 lanes
; share_part: 1x16 of fp32 in 2 registers of 8 lanes
; top_total: 1x1 of fp32 in 1 registers of 8 lanes
; share_total: 1x1 of fp32 in 1 registers of 8 lanes
; top: 1x1 of fp32 in 1 registers of 8 lanes
; share: 1x1 of fp32 in 1 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %x_word = getelementptr i64, ptr %arguments, i64 0
  %x = load ptr, ptr %x_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 1
  %out = load ptr, ptr %out_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 2
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 3
  %n = load i64, ptr %n_word, align 8
  %x_row_word = getelementptr i64, ptr %arguments, i64 4
  %x_row = load i64, ptr %x_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 5
  %out_row = load i64, ptr %out_row_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 6
  %barrier = load ptr, ptr %barrier_word, align 8
  %kept_of_all_word = getelementptr i64, ptr %arguments, i64 7
  %kept_of_all = load ptr, ptr %kept_of_all_word, align 8
  %index = add i64 %n, 15
  %quotient = udiv i64 %index, 16
  %index.1 = mul i64 %quotient, 64
  %index.2 = add i64 %index.1, 63
  %quotient.1 = udiv i64 %index.2, 64
  %kept_bytes = mul i64 %quotient.1, 64
  %kept_own = mul i64 %worker, %kept_bytes
  %kept = getelementptr i8, ptr %kept_of_all, i64 %kept_own
  ; row_tiles = m
  ; steps = n // 16
  %steps = udiv i64 %n, 16
  ; count = n
  %count_one = sitofp i64 %n to float
  %count_lane0 = insertelement <8 x float> poison, float %count_one, i64 0
  %count = shufflevector <8 x float> %count_lane0, <8 x float> poison, <8 x i32> zeroinitializer
  ; for tile from worker * row_tiles // workers to (worker + 1) * row_tiles // workers
  %product = mul i64 %worker, %m
  %tile_first = udiv i64 %product, %workers
  %index.3 = add i64 %worker, 1
  %product.1 = mul i64 %index.3, %m
  %tile_stop = udiv i64 %product.1, %workers
  %index.4 = add i64 %m, -1
  %index.7 = mul i64 %steps, 16
  %holds = icmp slt i64 %index.7, %n
  %tile_any = icmp slt i64 %tile_first, %tile_stop
  br i1 %tile_any, label %tile_loop, label %tile_done
  tile_loop:
    %tile = phi i64 [ %tile_first, %entry ], [ %tile_next, %joined.2 ]
    ; row0 = tile
    ; at_row = min(row0 + row, m - 1) for each element of count
    %at_row = call i64 @llvm.smin.i64(i64 %tile, i64 %index.4)
    ; x_base = at_row * x_row for each element of count
    %x_base = mul i64 %at_row, %x_row
    ; out_base = at_row * out_row for each element of count
    %out_base = mul i64 %at_row, %out_row
    ; ahead = min(tile + 1, m - 1) * x_row
    %index.5 = add i64 %tile, 1
    %min = call i64 @llvm.smin.i64(i64 %index.5, i64 %index.4)
    %ahead = mul i64 %min, %x_row
    ; top_part = -3.40282e+38
    ; for step from 0 to steps
    %x_at_0 = getelementptr float, ptr %x, i64 %x_base
    %step_any = icmp slt i64 0, %steps
    br i1 %step_any, label %step_loop, label %step_done
    step_loop:
      %step = phi i64 [ 0, %tile_loop ], [ %step_next, %step_loop ]
      %top_part_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_0_chosen, %step_loop ]
      %top_part_1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_1_chosen, %step_loop ]
      ; elements = x[x_base + step * 16 + column], vector
      %index.6 = mul i64 %step, 16
      %x_at_0.1 = getelementptr float, ptr %x_at_0, i64 %index.6
      %elements_0 = load <8 x float>, ptr %x_at_0.1, align 4
      %x_at_1 = getelementptr float, ptr %x_at_0.1, i64 8
      %elements_1 = load <8 x float>, ptr %x_at_1, align 4
      ; top_part = where(elements > top_part, elements, top_part), in fp32
      %top_part_0_gt = fcmp ogt <8 x float> %elements_0, %top_part_0
      %top_part_0_chosen = select <8 x i1> %top_part_0_gt, <8 x float> %elements_0, <8 x float> %top_part_0
      %top_part_1_gt = fcmp ogt <8 x float> %elements_1, %top_part_1
      %top_part_1_chosen = select <8 x i1> %top_part_1_gt, <8 x float> %elements_1, <8 x float> %top_part_1
      %step_next = add i64 %step, 1
      %step_more = icmp slt i64 %step_next, %steps
      br i1 %step_more, label %step_loop, label %step_done
    step_done:
    %top_part_0.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_0_chosen, %step_loop ]
    %top_part_1.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_1_chosen, %step_loop ]
    ; if steps * 16 < n
    br i1 %holds, label %then, label %joined
    then:
      ; elements = x[x_base + steps * 16 + column], vector where steps * 16 + column < n, else 0
      %index.8 = mul i64 %steps, -16
      %limit = add i64 %n, %index.8
      %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
      %index.9 = add i64 %x_base, %index.7
      %x_at_0.2 = getelementptr float, ptr %x, i64 %index.9
      %elements_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_0.2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
      %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
      %x_at_1.1 = getelementptr float, ptr %x_at_0.2, i64 8
      %elements_1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_1.1, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
      ; term = elements, in fp32
      ; term = -3.40282e+38 unless steps * 16 + column < n
      %term_0 = select <8 x i1> %mask, <8 x float> %elements_0.1, <8 x float> splat (float 0xC7EFFFFFE0000000)
      %term_1 = select <8 x i1> %mask.1, <8 x float> %elements_1.1, <8 x float> splat (float 0xC7EFFFFFE0000000)
      ; top_part = where(term > top_part, term, top_part), in fp32
      %top_part_0_gt.1 = fcmp ogt <8 x float> %term_0, %top_part_0.1
      %top_part_0_chosen.1 = select <8 x i1> %top_part_0_gt.1, <8 x float> %term_0, <8 x float> %top_part_0.1
      %top_part_1_gt.1 = fcmp ogt <8 x float> %term_1, %top_part_1.1
      %top_part_1_chosen.1 = select <8 x i1> %top_part_1_gt.1, <8 x float> %term_1, <8 x float> %top_part_1.1
      br label %joined
    joined:
    %top_part_0.2 = phi <8 x float> [ %top_part_0_chosen.1, %then ], [ %top_part_0.1, %step_done ]
    %top_part_1.2 = phi <8 x float> [ %top_part_1_chosen.1, %then ], [ %top_part_1.1, %step_done ]
    ; top_total = maximum over the columns of top_part
    %top_total = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_part_0.2, <8 x float> %top_part_1.2)
    %top_part_moved = shufflevector <8 x float> %top_total, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %top_total.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total, <8 x float> %top_part_moved)
    %top_part_moved.1 = shufflevector <8 x float> %top_total.1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %top_total.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total.1, <8 x float> %top_part_moved.1)
    %top_part_moved.2 = shufflevector <8 x float> %top_total.2, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %top_total.3 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total.2, <8 x float> %top_part_moved.2)
    ; top = top_total, in fp32
    ; share_part = 0
    ; for step from 0 to steps
    %x_soon = getelementptr float, ptr %x, i64 %ahead
    br i1 %step_any, label %step_loop.1, label %step_done.1
    step_loop.1:
      %step.1 = phi i64 [ 0, %joined ], [ %step_next.1, %step_loop.1 ]
      %share_part_0 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_0_add, %step_loop.1 ]
      %share_part_1 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_1_add, %step_loop.1 ]
      ; x[ahead + step * 16] is read soon, in cache level 2
      %index.10 = mul i64 %step.1, 16
      %x_soon.1 = getelementptr float, ptr %x_soon, i64 %index.10
      call void @llvm.prefetch.p0(ptr %x_soon.1, i32 0, i32 2, i32 1)
      ; elements = x[x_base + step * 16 + column], vector
      %x_at_0.3 = getelementptr float, ptr %x_at_0, i64 %index.10
      %elements_0.2 = load <8 x float>, ptr %x_at_0.3, align 4
      %x_at_1.2 = getelementptr float, ptr %x_at_0.3, i64 8
      %elements_1.2 = load <8 x float>, ptr %x_at_1.2, align 4
      ; term = exp(elements - top), in fp32
      %term_0_sub = fsub <8 x float> %elements_0.2, %top_total.3
      %term_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_0_sub
      %term_0_exp.1 = select <8 x i1> %term_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_0_sub
      %term_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_0_exp.1
      %term_0_exp.3 = select <8 x i1> %term_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_0_exp.1
      %term_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_0_exp.5 = fsub <8 x float> %term_0_exp.4, splat (float 0x4168000000000000)
      %term_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_0_exp.3)
      %term_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_0_exp.6)
      %term_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
      %term_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.8, <8 x float> %term_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.9, <8 x float> %term_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.10, <8 x float> %term_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
      %term_0_exp.12 = fmul <8 x float> %term_0_exp.7, %term_0_exp.7
      %term_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.11, <8 x float> %term_0_exp.12, <8 x float> %term_0_exp.7)
      %term_0_exp.14 = fadd <8 x float> %term_0_exp.13, splat (float 0x3FF0000000000000)
      %term_0_exp.15 = bitcast <8 x float> %term_0_exp.4 to <8 x i32>
      %term_0_exp.16 = lshr <8 x i32> %term_0_exp.15, splat (i32 1)
      %term_0_exp.17 = sub <8 x i32> %term_0_exp.15, %term_0_exp.16
      %term_0_exp.18 = shl <8 x i32> %term_0_exp.16, splat (i32 23)
      %term_0_exp.19 = add <8 x i32> %term_0_exp.18, splat (i32 1065353216)
      %term_0_exp.20 = bitcast <8 x i32> %term_0_exp.19 to <8 x float>
      %term_0_exp.21 = fmul <8 x float> %term_0_exp.14, %term_0_exp.20
      %term_0_exp.22 = shl <8 x i32> %term_0_exp.17, splat (i32 23)
      %term_0_exp.23 = add <8 x i32> %term_0_exp.22, splat (i32 1065353216)
      %term_0_exp.24 = bitcast <8 x i32> %term_0_exp.23 to <8 x float>
      %term_0_exp.25 = fmul <8 x float> %term_0_exp.21, %term_0_exp.24
      %term_1_sub = fsub <8 x float> %elements_1.2, %top_total.3
      %term_1_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_1_sub
      %term_1_exp.1 = select <8 x i1> %term_1_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_1_sub
      %term_1_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_1_exp.1
      %term_1_exp.3 = select <8 x i1> %term_1_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_1_exp.1
      %term_1_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_1_exp.5 = fsub <8 x float> %term_1_exp.4, splat (float 0x4168000000000000)
      %term_1_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_1_exp.3)
      %term_1_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_1_exp.6)
      %term_1_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_1_exp.7, <8 x float> splat (float 0x3F8120B660000000))
      %term_1_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.8, <8 x float> %term_1_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_1_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.9, <8 x float> %term_1_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_1_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.10, <8 x float> %term_1_exp.7, <8 x float> splat (float 0x3FE0000000000000))
      %term_1_exp.12 = fmul <8 x float> %term_1_exp.7, %term_1_exp.7
      %term_1_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.11, <8 x float> %term_1_exp.12, <8 x float> %term_1_exp.7)
      %term_1_exp.14 = fadd <8 x float> %term_1_exp.13, splat (float 0x3FF0000000000000)
      %term_1_exp.15 = bitcast <8 x float> %term_1_exp.4 to <8 x i32>
      %term_1_exp.16 = lshr <8 x i32> %term_1_exp.15, splat (i32 1)
      %term_1_exp.17 = sub <8 x i32> %term_1_exp.15, %term_1_exp.16
      %term_1_exp.18 = shl <8 x i32> %term_1_exp.16, splat (i32 23)
      %term_1_exp.19 = add <8 x i32> %term_1_exp.18, splat (i32 1065353216)
      %term_1_exp.20 = bitcast <8 x i32> %term_1_exp.19 to <8 x float>
      %term_1_exp.21 = fmul <8 x float> %term_1_exp.14, %term_1_exp.20
      %term_1_exp.22 = shl <8 x i32> %term_1_exp.17, splat (i32 23)
      %term_1_exp.23 = add <8 x i32> %term_1_exp.22, splat (i32 1065353216)
      %term_1_exp.24 = bitcast <8 x i32> %term_1_exp.23 to <8 x float>
      %term_1_exp.25 = fmul <8 x float> %term_1_exp.21, %term_1_exp.24
      ; kept[step, row, column] = term, vector
      %kept_at_0 = getelementptr float, ptr %kept, i64 %index.10
      store <8 x float> %term_0_exp.25, ptr %kept_at_0, align 64
      %kept_at_1 = getelementptr float, ptr %kept_at_0, i64 8
      store <8 x float> %term_1_exp.25, ptr %kept_at_1, align 32
      ; share_part = share_part + term, in fp32
      %share_part_0_add = fadd <8 x float> %share_part_0, %term_0_exp.25
      %share_part_1_add = fadd <8 x float> %share_part_1, %term_1_exp.25
      %step_next.1 = add i64 %step.1, 1
      %step_more.1 = icmp slt i64 %step_next.1, %steps
      br i1 %step_more.1, label %step_loop.1, label %step_done.1
    step_done.1:
    %share_part_0.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_0_add, %step_loop.1 ]
    %share_part_1.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_1_add, %step_loop.1 ]
    ; if steps * 16 < n
    br i1 %holds, label %then.1, label %joined.1
    then.1:
      ; x[ahead + steps * 16] is read soon, in cache level 2
      %index.11 = add i64 %ahead, %index.7
      %x_soon.2 = getelementptr float, ptr %x, i64 %index.11
      call void @llvm.prefetch.p0(ptr %x_soon.2, i32 0, i32 2, i32 1)
      ; elements = x[x_base + steps * 16 + column], vector where steps * 16 + column < n, else 0
      %index.12 = mul i64 %steps, -16
      %limit.1 = add i64 %n, %index.12
      %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
      %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
      %index.13 = add i64 %x_base, %index.7
      %x_at_0.4 = getelementptr float, ptr %x, i64 %index.13
      %elements_0.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_0.4, i32 4, <8 x i1> %mask.2, <8 x float> zeroinitializer)
      %mask.3 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
      %x_at_1.3 = getelementptr float, ptr %x_at_0.4, i64 8
      %elements_1.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_1.3, i32 4, <8 x i1> %mask.3, <8 x float> zeroinitializer)
      ; term = exp(elements - top), in fp32
      %term_0_sub.1 = fsub <8 x float> %elements_0.3, %top_total.3
      %term_0_exp.26 = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_0_sub.1
      %term_0_exp.27 = select <8 x i1> %term_0_exp.26, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_0_sub.1
      %term_0_exp.28 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_0_exp.27
      %term_0_exp.29 = select <8 x i1> %term_0_exp.28, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_0_exp.27
      %term_0_exp.30 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.29, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_0_exp.31 = fsub <8 x float> %term_0_exp.30, splat (float 0x4168000000000000)
      %term_0_exp.32 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.31, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_0_exp.29)
      %term_0_exp.33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.31, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_0_exp.32)
      %term_0_exp.34 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_0_exp.33, <8 x float> splat (float 0x3F8120B660000000))
      %term_0_exp.35 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.34, <8 x float> %term_0_exp.33, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_0_exp.36 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.35, <8 x float> %term_0_exp.33, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_0_exp.37 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.36, <8 x float> %term_0_exp.33, <8 x float> splat (float 0x3FE0000000000000))
      %term_0_exp.38 = fmul <8 x float> %term_0_exp.33, %term_0_exp.33
      %term_0_exp.39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_exp.37, <8 x float> %term_0_exp.38, <8 x float> %term_0_exp.33)
      %term_0_exp.40 = fadd <8 x float> %term_0_exp.39, splat (float 0x3FF0000000000000)
      %term_0_exp.41 = bitcast <8 x float> %term_0_exp.30 to <8 x i32>
      %term_0_exp.42 = lshr <8 x i32> %term_0_exp.41, splat (i32 1)
      %term_0_exp.43 = sub <8 x i32> %term_0_exp.41, %term_0_exp.42
      %term_0_exp.44 = shl <8 x i32> %term_0_exp.42, splat (i32 23)
      %term_0_exp.45 = add <8 x i32> %term_0_exp.44, splat (i32 1065353216)
      %term_0_exp.46 = bitcast <8 x i32> %term_0_exp.45 to <8 x float>
      %term_0_exp.47 = fmul <8 x float> %term_0_exp.40, %term_0_exp.46
      %term_0_exp.48 = shl <8 x i32> %term_0_exp.43, splat (i32 23)
      %term_0_exp.49 = add <8 x i32> %term_0_exp.48, splat (i32 1065353216)
      %term_0_exp.50 = bitcast <8 x i32> %term_0_exp.49 to <8 x float>
      %term_0_exp.51 = fmul <8 x float> %term_0_exp.47, %term_0_exp.50
      %term_1_sub.1 = fsub <8 x float> %elements_1.3, %top_total.3
      %term_1_exp.26 = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_1_sub.1
      %term_1_exp.27 = select <8 x i1> %term_1_exp.26, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_1_sub.1
      %term_1_exp.28 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_1_exp.27
      %term_1_exp.29 = select <8 x i1> %term_1_exp.28, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_1_exp.27
      %term_1_exp.30 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.29, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_1_exp.31 = fsub <8 x float> %term_1_exp.30, splat (float 0x4168000000000000)
      %term_1_exp.32 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.31, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_1_exp.29)
      %term_1_exp.33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.31, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_1_exp.32)
      %term_1_exp.34 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_1_exp.33, <8 x float> splat (float 0x3F8120B660000000))
      %term_1_exp.35 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.34, <8 x float> %term_1_exp.33, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_1_exp.36 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.35, <8 x float> %term_1_exp.33, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_1_exp.37 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.36, <8 x float> %term_1_exp.33, <8 x float> splat (float 0x3FE0000000000000))
      %term_1_exp.38 = fmul <8 x float> %term_1_exp.33, %term_1_exp.33
      %term_1_exp.39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_exp.37, <8 x float> %term_1_exp.38, <8 x float> %term_1_exp.33)
      %term_1_exp.40 = fadd <8 x float> %term_1_exp.39, splat (float 0x3FF0000000000000)
      %term_1_exp.41 = bitcast <8 x float> %term_1_exp.30 to <8 x i32>
      %term_1_exp.42 = lshr <8 x i32> %term_1_exp.41, splat (i32 1)
      %term_1_exp.43 = sub <8 x i32> %term_1_exp.41, %term_1_exp.42
      %term_1_exp.44 = shl <8 x i32> %term_1_exp.42, splat (i32 23)
      %term_1_exp.45 = add <8 x i32> %term_1_exp.44, splat (i32 1065353216)
      %term_1_exp.46 = bitcast <8 x i32> %term_1_exp.45 to <8 x float>
      %term_1_exp.47 = fmul <8 x float> %term_1_exp.40, %term_1_exp.46
      %term_1_exp.48 = shl <8 x i32> %term_1_exp.43, splat (i32 23)
      %term_1_exp.49 = add <8 x i32> %term_1_exp.48, splat (i32 1065353216)
      %term_1_exp.50 = bitcast <8 x i32> %term_1_exp.49 to <8 x float>
      %term_1_exp.51 = fmul <8 x float> %term_1_exp.47, %term_1_exp.50
      ; term = 0 unless steps * 16 + column < n
      %term_0.1 = select <8 x i1> %mask.2, <8 x float> %term_0_exp.51, <8 x float> zeroinitializer
      %term_1.1 = select <8 x i1> %mask.3, <8 x float> %term_1_exp.51, <8 x float> zeroinitializer
      ; kept[steps, row, column] = term, vector
      %kept_at_0.1 = getelementptr float, ptr %kept, i64 %index.7
      store <8 x float> %term_0.1, ptr %kept_at_0.1, align 64
      %kept_at_1.1 = getelementptr float, ptr %kept_at_0.1, i64 8
      store <8 x float> %term_1.1, ptr %kept_at_1.1, align 32
      ; share_part = share_part + term, in fp32
      %share_part_0_add.1 = fadd <8 x float> %share_part_0.1, %term_0.1
      %share_part_1_add.1 = fadd <8 x float> %share_part_1.1, %term_1.1
      br label %joined.1
    joined.1:
    %share_part_0.2 = phi <8 x float> [ %share_part_0_add.1, %then.1 ], [ %share_part_0.1, %step_done.1 ]
    %share_part_1.2 = phi <8 x float> [ %share_part_1_add.1, %then.1 ], [ %share_part_1.1, %step_done.1 ]
    ; share_total = add over the columns of share_part
    %share_total = fadd <8 x float> %share_part_0.2, %share_part_1.2
    %share_part_moved = shufflevector <8 x float> %share_total, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %share_total.1 = fadd <8 x float> %share_total, %share_part_moved
    %share_part_moved.1 = shufflevector <8 x float> %share_total.1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %share_total.2 = fadd <8 x float> %share_total.1, %share_part_moved.1
    %share_part_moved.2 = shufflevector <8 x float> %share_total.2, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %share_total.3 = fadd <8 x float> %share_total.2, %share_part_moved.2
    ; share = reciprocal(share_total), in fp32
    %share_reciprocal = fdiv <8 x float> splat (float 0x3FF0000000000000), %share_total.3
    ; for step from 0 to steps
    %out_at_0 = getelementptr float, ptr %out, i64 %out_base
    br i1 %step_any, label %step_loop.2, label %step_done.2
    step_loop.2:
      %step.2 = phi i64 [ 0, %joined.1 ], [ %step_next.2, %step_loop.2 ]
      ; term = kept[step, row, column], vector
      %index.14 = mul i64 %step.2, 16
      %kept_at_0.2 = getelementptr float, ptr %kept, i64 %index.14
      %term_0.2 = load <8 x float>, ptr %kept_at_0.2, align 64
      %kept_at_1.2 = getelementptr float, ptr %kept_at_0.2, i64 8
      %term_1.2 = load <8 x float>, ptr %kept_at_1.2, align 32
      ; result = term * share, in fp32
      %result_0_mul = fmul <8 x float> %term_0.2, %share_reciprocal
      %result_1_mul = fmul <8 x float> %term_1.2, %share_reciprocal
      ; out[out_base + step * 16 + column] = result, stream
      %out_at_0.1 = getelementptr float, ptr %out_at_0, i64 %index.14
      store <8 x float> %result_0_mul, ptr %out_at_0.1, align 16, !nontemporal !0
      %out_at_1 = getelementptr float, ptr %out_at_0.1, i64 8
      store <8 x float> %result_1_mul, ptr %out_at_1, align 16, !nontemporal !0
      %step_next.2 = add i64 %step.2, 1
      %step_more.2 = icmp slt i64 %step_next.2, %steps
      br i1 %step_more.2, label %step_loop.2, label %step_done.2
    step_done.2:
    ; if steps * 16 < n
    br i1 %holds, label %then.2, label %joined.2
    then.2:
      ; term = kept[steps, row, column], vector
      %kept_at_0.3 = getelementptr float, ptr %kept, i64 %index.7
      %term_0.3 = load <8 x float>, ptr %kept_at_0.3, align 64
      %kept_at_1.3 = getelementptr float, ptr %kept_at_0.3, i64 8
      %term_1.3 = load <8 x float>, ptr %kept_at_1.3, align 32
      ; result = term * share, in fp32
      %result_0_mul.1 = fmul <8 x float> %term_0.3, %share_reciprocal
      %result_1_mul.1 = fmul <8 x float> %term_1.3, %share_reciprocal
      ; out[out_base + steps * 16 + column] = result, vector where steps * 16 + column < n
      %index.15 = mul i64 %steps, -16
      %limit.2 = add i64 %n, %index.15
      %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
      %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.4 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
      %index.16 = add i64 %out_base, %index.7
      %out_at_0.2 = getelementptr float, ptr %out, i64 %index.16
      call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_mul.1, ptr %out_at_0.2, i32 4, <8 x i1> %mask.4)
      %mask.5 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.2
      %out_at_1.1 = getelementptr float, ptr %out_at_0.2, i64 8
      call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_mul.1, ptr %out_at_1.1, i32 4, <8 x i1> %mask.5)
      br label %joined.2
    joined.2:
    %tile_next = add i64 %tile, 1
    %tile_more = icmp slt i64 %tile_next, %tile_stop
    br i1 %tile_more, label %tile_loop, label %tile_done
  tile_done:
  fence seq_cst
  ret void
}

!0 = !{i32 1}
