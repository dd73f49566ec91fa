; tracea: softmax fp32
; variant        cpu.rowwise.avx2_fp32 for x86-64-v3
; configuration  2x8x1 s1 w1
; schedule       fb7c5d2029885c824c1983410f38326bacd7245beff8c3aa2a68c5ad8f7d21b0
; certificate    7dc7f8b0dab4104d211a4235c34e09956f8d2facdf492bc34fd7c3099b1238d5: structure, domains, types, layouts, lanes, registers, meaning

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; x: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; m: rows, all leading axes together; 0 to 4611686018427387904
; n: columns: the length of a row; 1 to 4611686018427387904
; x_row: x: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; kept: panel of fp32, row 2 = 2*8, column 8 = 8*1, (n + 7) // 8 times, kept for a tile, aligned to 64 bytes
; elements: 2x8 of fp32 in 2 registers of 8 lanes
; term: 2x8 of fp32 in 2 registers of 8 lanes
; result: 2x8 of fp32 in 2 registers of 8 lanes
; count: 2x1 of fp32 in 2 registers of 8 lanes
; top_part: 2x8 of fp32 in 2 registers of 8 lanes
; share_part: 2x8 of fp32 in 2 registers of 8 lanes
; top_total: 2x1 of fp32 in 2 registers of 8 lanes
; share_total: 2x1 of fp32 in 2 registers of 8 lanes
; top: 2x1 of fp32 in 2 registers of 8 lanes
; share: 2x1 of fp32 in 2 registers of 8 lanes
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
  %index = add i64 %n, 7
  %quotient = udiv i64 %index, 8
  %index.1 = mul i64 %quotient, 64
  %index.2 = add i64 %index.1, 63
  %quotient.1 = udiv i64 %index.2, 64
  %kept_bytes = mul i64 %quotient.1, 64
  %kept_own = mul i64 %worker, %kept_bytes
  %kept = getelementptr i8, ptr %kept_of_all, i64 %kept_own
  ; row_tiles = (m + 1) // 2
  %index.3 = add i64 %m, 1
  %row_tiles = udiv i64 %index.3, 2
  ; steps = n // 8
  %steps = udiv i64 %n, 8
  ; count = n
  %count_one = sitofp i64 %n to float
  %count_lane0 = insertelement <8 x float> poison, float %count_one, i64 0
  %count = shufflevector <8 x float> %count_lane0, <8 x float> poison, <8 x i32> zeroinitializer
  ; for tile from worker * row_tiles // workers to (worker + 1) * row_tiles // workers
  %product = mul i64 %worker, %row_tiles
  %tile_first = udiv i64 %product, %workers
  %index.4 = add i64 %worker, 1
  %product.1 = mul i64 %index.4, %row_tiles
  %tile_stop = udiv i64 %product.1, %workers
  %index.5 = add i64 %m, -1
  %index.8 = mul i64 %steps, 8
  %holds = icmp slt i64 %index.8, %n
  %tile_any = icmp slt i64 %tile_first, %tile_stop
  br i1 %tile_any, label %tile_loop, label %tile_done
  tile_loop:
    %tile = phi i64 [ %tile_first, %entry ], [ %tile_next, %joined.2 ]
    ; row0 = tile * 2
    %row0 = mul i64 %tile, 2
    ; at_row = min(row0 + row, m - 1) for each element of count
    %at_row_0 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.5)
    %index.6 = add i64 %row0, 1
    %at_row_1 = call i64 @llvm.smin.i64(i64 %index.6, i64 %index.5)
    ; x_base = at_row * x_row for each element of count
    %x_base_0 = mul i64 %at_row_0, %x_row
    %x_base_1 = mul i64 %at_row_1, %x_row
    ; out_base = at_row * out_row for each element of count
    %out_base_0 = mul i64 %at_row_0, %out_row
    %out_base_1 = mul i64 %at_row_1, %out_row
    ; top_part = -3.40282e+38
    ; for step from 0 to steps
    %x_at_0_0 = getelementptr float, ptr %x, i64 %x_base_0
    %x_at_1_0 = getelementptr float, ptr %x, i64 %x_base_1
    %step_any = icmp slt i64 0, %steps
    br i1 %step_any, label %step_loop, label %step_done
    step_loop:
      %step = phi i64 [ 0, %tile_loop ], [ %step_next, %step_loop ]
      %top_part_0_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_0_0_chosen, %step_loop ]
      %top_part_1_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_1_0_chosen, %step_loop ]
      ; elements = x[x_base + step * 8 + column], vector
      %index.7 = mul i64 %step, 8
      %x_at_0_0.1 = getelementptr float, ptr %x_at_0_0, i64 %index.7
      %elements_0_0 = load <8 x float>, ptr %x_at_0_0.1, align 4
      %x_at_1_0.1 = getelementptr float, ptr %x_at_1_0, i64 %index.7
      %elements_1_0 = load <8 x float>, ptr %x_at_1_0.1, align 4
      ; top_part = where(elements > top_part, elements, top_part), in fp32
      %top_part_0_0_gt = fcmp ogt <8 x float> %elements_0_0, %top_part_0_0
      %top_part_0_0_chosen = select <8 x i1> %top_part_0_0_gt, <8 x float> %elements_0_0, <8 x float> %top_part_0_0
      %top_part_1_0_gt = fcmp ogt <8 x float> %elements_1_0, %top_part_1_0
      %top_part_1_0_chosen = select <8 x i1> %top_part_1_0_gt, <8 x float> %elements_1_0, <8 x float> %top_part_1_0
      %step_next = add i64 %step, 1
      %step_more = icmp slt i64 %step_next, %steps
      br i1 %step_more, label %step_loop, label %step_done
    step_done:
    %top_part_0_0.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_0_0_chosen, %step_loop ]
    %top_part_1_0.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %tile_loop ], [ %top_part_1_0_chosen, %step_loop ]
    ; if steps * 8 < n
    br i1 %holds, label %then, label %joined
    then:
      ; elements = x[x_base + steps * 8 + column], vector where steps * 8 + column < n, else 0
      %index.9 = mul i64 %steps, -8
      %limit = add i64 %n, %index.9
      %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
      %index.10 = add i64 %x_base_0, %index.8
      %x_at_0_0.2 = getelementptr float, ptr %x, i64 %index.10
      %elements_0_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_0_0.2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
      %index.11 = add i64 %x_base_1, %index.8
      %x_at_1_0.2 = getelementptr float, ptr %x, i64 %index.11
      %elements_1_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_1_0.2, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
      ; term = elements, in fp32
      ; term = -3.40282e+38 unless steps * 8 + column < n
      %term_0_0 = select <8 x i1> %mask, <8 x float> %elements_0_0.1, <8 x float> splat (float 0xC7EFFFFFE0000000)
      %term_1_0 = select <8 x i1> %mask, <8 x float> %elements_1_0.1, <8 x float> splat (float 0xC7EFFFFFE0000000)
      ; top_part = where(term > top_part, term, top_part), in fp32
      %top_part_0_0_gt.1 = fcmp ogt <8 x float> %term_0_0, %top_part_0_0.1
      %top_part_0_0_chosen.1 = select <8 x i1> %top_part_0_0_gt.1, <8 x float> %term_0_0, <8 x float> %top_part_0_0.1
      %top_part_1_0_gt.1 = fcmp ogt <8 x float> %term_1_0, %top_part_1_0.1
      %top_part_1_0_chosen.1 = select <8 x i1> %top_part_1_0_gt.1, <8 x float> %term_1_0, <8 x float> %top_part_1_0.1
      br label %joined
    joined:
    %top_part_0_0.2 = phi <8 x float> [ %top_part_0_0_chosen.1, %then ], [ %top_part_0_0.1, %step_done ]
    %top_part_1_0.2 = phi <8 x float> [ %top_part_1_0_chosen.1, %then ], [ %top_part_1_0.1, %step_done ]
    ; top_total = maximum over the columns of top_part
    %top_part_moved = shufflevector <8 x float> %top_part_0_0.2, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %top_total_0 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_part_0_0.2, <8 x float> %top_part_moved)
    %top_part_moved.1 = shufflevector <8 x float> %top_total_0, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %top_total_0.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total_0, <8 x float> %top_part_moved.1)
    %top_part_moved.2 = shufflevector <8 x float> %top_total_0.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %top_total_0.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total_0.1, <8 x float> %top_part_moved.2)
    %top_part_moved.3 = shufflevector <8 x float> %top_part_1_0.2, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %top_total_1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_part_1_0.2, <8 x float> %top_part_moved.3)
    %top_part_moved.4 = shufflevector <8 x float> %top_total_1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %top_total_1.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total_1, <8 x float> %top_part_moved.4)
    %top_part_moved.5 = shufflevector <8 x float> %top_total_1.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %top_total_1.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_total_1.1, <8 x float> %top_part_moved.5)
    ; top = top_total, in fp32
    ; share_part = 0
    ; for step from 0 to steps
    br i1 %step_any, label %step_loop.1, label %step_done.1
    step_loop.1:
      %step.1 = phi i64 [ 0, %joined ], [ %step_next.1, %step_loop.1 ]
      %share_part_0_0 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_0_0_add, %step_loop.1 ]
      %share_part_1_0 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_1_0_add, %step_loop.1 ]
      ; elements = x[x_base + step * 8 + column], vector
      %index.12 = mul i64 %step.1, 8
      %x_at_0_0.3 = getelementptr float, ptr %x_at_0_0, i64 %index.12
      %elements_0_0.2 = load <8 x float>, ptr %x_at_0_0.3, align 4
      %x_at_1_0.3 = getelementptr float, ptr %x_at_1_0, i64 %index.12
      %elements_1_0.2 = load <8 x float>, ptr %x_at_1_0.3, align 4
      ; term = exp(elements - top), in fp32
      %term_0_0_sub = fsub <8 x float> %elements_0_0.2, %top_total_0.2
      %term_0_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_0_0_sub
      %term_0_0_exp.1 = select <8 x i1> %term_0_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_0_0_sub
      %term_0_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_0_0_exp.1
      %term_0_0_exp.3 = select <8 x i1> %term_0_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_0_0_exp.1
      %term_0_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_0_0_exp.5 = fsub <8 x float> %term_0_0_exp.4, splat (float 0x4168000000000000)
      %term_0_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_0_0_exp.3)
      %term_0_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_0_0_exp.6)
      %term_0_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_0_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
      %term_0_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.8, <8 x float> %term_0_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_0_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.9, <8 x float> %term_0_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_0_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.10, <8 x float> %term_0_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
      %term_0_0_exp.12 = fmul <8 x float> %term_0_0_exp.7, %term_0_0_exp.7
      %term_0_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.11, <8 x float> %term_0_0_exp.12, <8 x float> %term_0_0_exp.7)
      %term_0_0_exp.14 = fadd <8 x float> %term_0_0_exp.13, splat (float 0x3FF0000000000000)
      %term_0_0_exp.15 = bitcast <8 x float> %term_0_0_exp.4 to <8 x i32>
      %term_0_0_exp.16 = lshr <8 x i32> %term_0_0_exp.15, splat (i32 1)
      %term_0_0_exp.17 = sub <8 x i32> %term_0_0_exp.15, %term_0_0_exp.16
      %term_0_0_exp.18 = shl <8 x i32> %term_0_0_exp.16, splat (i32 23)
      %term_0_0_exp.19 = add <8 x i32> %term_0_0_exp.18, splat (i32 1065353216)
      %term_0_0_exp.20 = bitcast <8 x i32> %term_0_0_exp.19 to <8 x float>
      %term_0_0_exp.21 = fmul <8 x float> %term_0_0_exp.14, %term_0_0_exp.20
      %term_0_0_exp.22 = shl <8 x i32> %term_0_0_exp.17, splat (i32 23)
      %term_0_0_exp.23 = add <8 x i32> %term_0_0_exp.22, splat (i32 1065353216)
      %term_0_0_exp.24 = bitcast <8 x i32> %term_0_0_exp.23 to <8 x float>
      %term_0_0_exp.25 = fmul <8 x float> %term_0_0_exp.21, %term_0_0_exp.24
      %term_1_0_sub = fsub <8 x float> %elements_1_0.2, %top_total_1.2
      %term_1_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_1_0_sub
      %term_1_0_exp.1 = select <8 x i1> %term_1_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_1_0_sub
      %term_1_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_1_0_exp.1
      %term_1_0_exp.3 = select <8 x i1> %term_1_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_1_0_exp.1
      %term_1_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_1_0_exp.5 = fsub <8 x float> %term_1_0_exp.4, splat (float 0x4168000000000000)
      %term_1_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_1_0_exp.3)
      %term_1_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_1_0_exp.6)
      %term_1_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_1_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
      %term_1_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.8, <8 x float> %term_1_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_1_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.9, <8 x float> %term_1_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_1_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.10, <8 x float> %term_1_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
      %term_1_0_exp.12 = fmul <8 x float> %term_1_0_exp.7, %term_1_0_exp.7
      %term_1_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.11, <8 x float> %term_1_0_exp.12, <8 x float> %term_1_0_exp.7)
      %term_1_0_exp.14 = fadd <8 x float> %term_1_0_exp.13, splat (float 0x3FF0000000000000)
      %term_1_0_exp.15 = bitcast <8 x float> %term_1_0_exp.4 to <8 x i32>
      %term_1_0_exp.16 = lshr <8 x i32> %term_1_0_exp.15, splat (i32 1)
      %term_1_0_exp.17 = sub <8 x i32> %term_1_0_exp.15, %term_1_0_exp.16
      %term_1_0_exp.18 = shl <8 x i32> %term_1_0_exp.16, splat (i32 23)
      %term_1_0_exp.19 = add <8 x i32> %term_1_0_exp.18, splat (i32 1065353216)
      %term_1_0_exp.20 = bitcast <8 x i32> %term_1_0_exp.19 to <8 x float>
      %term_1_0_exp.21 = fmul <8 x float> %term_1_0_exp.14, %term_1_0_exp.20
      %term_1_0_exp.22 = shl <8 x i32> %term_1_0_exp.17, splat (i32 23)
      %term_1_0_exp.23 = add <8 x i32> %term_1_0_exp.22, splat (i32 1065353216)
      %term_1_0_exp.24 = bitcast <8 x i32> %term_1_0_exp.23 to <8 x float>
      %term_1_0_exp.25 = fmul <8 x float> %term_1_0_exp.21, %term_1_0_exp.24
      ; kept[step, row, column] = term, vector
      %index.13 = mul i64 %step.1, 16
      %kept_at_0_0 = getelementptr float, ptr %kept, i64 %index.13
      store <8 x float> %term_0_0_exp.25, ptr %kept_at_0_0, align 64
      %kept_at_1_0 = getelementptr float, ptr %kept_at_0_0, i64 8
      store <8 x float> %term_1_0_exp.25, ptr %kept_at_1_0, align 32
      ; share_part = share_part + term, in fp32
      %share_part_0_0_add = fadd <8 x float> %share_part_0_0, %term_0_0_exp.25
      %share_part_1_0_add = fadd <8 x float> %share_part_1_0, %term_1_0_exp.25
      %step_next.1 = add i64 %step.1, 1
      %step_more.1 = icmp slt i64 %step_next.1, %steps
      br i1 %step_more.1, label %step_loop.1, label %step_done.1
    step_done.1:
    %share_part_0_0.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_0_0_add, %step_loop.1 ]
    %share_part_1_0.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %share_part_1_0_add, %step_loop.1 ]
    ; if steps * 8 < n
    br i1 %holds, label %then.1, label %joined.1
    then.1:
      ; elements = x[x_base + steps * 8 + column], vector where steps * 8 + column < n, else 0
      %index.14 = mul i64 %steps, -8
      %limit.1 = add i64 %n, %index.14
      %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
      %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.1 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
      %index.15 = add i64 %x_base_0, %index.8
      %x_at_0_0.4 = getelementptr float, ptr %x, i64 %index.15
      %elements_0_0.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_0_0.4, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
      %index.16 = add i64 %x_base_1, %index.8
      %x_at_1_0.4 = getelementptr float, ptr %x, i64 %index.16
      %elements_1_0.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x_at_1_0.4, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
      ; term = exp(elements - top), in fp32
      %term_0_0_sub.1 = fsub <8 x float> %elements_0_0.3, %top_total_0.2
      %term_0_0_exp.26 = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_0_0_sub.1
      %term_0_0_exp.27 = select <8 x i1> %term_0_0_exp.26, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_0_0_sub.1
      %term_0_0_exp.28 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_0_0_exp.27
      %term_0_0_exp.29 = select <8 x i1> %term_0_0_exp.28, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_0_0_exp.27
      %term_0_0_exp.30 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.29, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_0_0_exp.31 = fsub <8 x float> %term_0_0_exp.30, splat (float 0x4168000000000000)
      %term_0_0_exp.32 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.31, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_0_0_exp.29)
      %term_0_0_exp.33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.31, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_0_0_exp.32)
      %term_0_0_exp.34 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_0_0_exp.33, <8 x float> splat (float 0x3F8120B660000000))
      %term_0_0_exp.35 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.34, <8 x float> %term_0_0_exp.33, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_0_0_exp.36 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.35, <8 x float> %term_0_0_exp.33, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_0_0_exp.37 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.36, <8 x float> %term_0_0_exp.33, <8 x float> splat (float 0x3FE0000000000000))
      %term_0_0_exp.38 = fmul <8 x float> %term_0_0_exp.33, %term_0_0_exp.33
      %term_0_0_exp.39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_0_0_exp.37, <8 x float> %term_0_0_exp.38, <8 x float> %term_0_0_exp.33)
      %term_0_0_exp.40 = fadd <8 x float> %term_0_0_exp.39, splat (float 0x3FF0000000000000)
      %term_0_0_exp.41 = bitcast <8 x float> %term_0_0_exp.30 to <8 x i32>
      %term_0_0_exp.42 = lshr <8 x i32> %term_0_0_exp.41, splat (i32 1)
      %term_0_0_exp.43 = sub <8 x i32> %term_0_0_exp.41, %term_0_0_exp.42
      %term_0_0_exp.44 = shl <8 x i32> %term_0_0_exp.42, splat (i32 23)
      %term_0_0_exp.45 = add <8 x i32> %term_0_0_exp.44, splat (i32 1065353216)
      %term_0_0_exp.46 = bitcast <8 x i32> %term_0_0_exp.45 to <8 x float>
      %term_0_0_exp.47 = fmul <8 x float> %term_0_0_exp.40, %term_0_0_exp.46
      %term_0_0_exp.48 = shl <8 x i32> %term_0_0_exp.43, splat (i32 23)
      %term_0_0_exp.49 = add <8 x i32> %term_0_0_exp.48, splat (i32 1065353216)
      %term_0_0_exp.50 = bitcast <8 x i32> %term_0_0_exp.49 to <8 x float>
      %term_0_0_exp.51 = fmul <8 x float> %term_0_0_exp.47, %term_0_0_exp.50
      %term_1_0_sub.1 = fsub <8 x float> %elements_1_0.3, %top_total_1.2
      %term_1_0_exp.26 = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %term_1_0_sub.1
      %term_1_0_exp.27 = select <8 x i1> %term_1_0_exp.26, <8 x float> splat (float 0xC05A400000000000), <8 x float> %term_1_0_sub.1
      %term_1_0_exp.28 = fcmp olt <8 x float> splat (float 0x4056400000000000), %term_1_0_exp.27
      %term_1_0_exp.29 = select <8 x i1> %term_1_0_exp.28, <8 x float> splat (float 0x4056400000000000), <8 x float> %term_1_0_exp.27
      %term_1_0_exp.30 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.29, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
      %term_1_0_exp.31 = fsub <8 x float> %term_1_0_exp.30, splat (float 0x4168000000000000)
      %term_1_0_exp.32 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.31, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %term_1_0_exp.29)
      %term_1_0_exp.33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.31, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %term_1_0_exp.32)
      %term_1_0_exp.34 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %term_1_0_exp.33, <8 x float> splat (float 0x3F8120B660000000))
      %term_1_0_exp.35 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.34, <8 x float> %term_1_0_exp.33, <8 x float> splat (float 0x3FA5554EA0000000))
      %term_1_0_exp.36 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.35, <8 x float> %term_1_0_exp.33, <8 x float> splat (float 0x3FC5554DC0000000))
      %term_1_0_exp.37 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.36, <8 x float> %term_1_0_exp.33, <8 x float> splat (float 0x3FE0000000000000))
      %term_1_0_exp.38 = fmul <8 x float> %term_1_0_exp.33, %term_1_0_exp.33
      %term_1_0_exp.39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %term_1_0_exp.37, <8 x float> %term_1_0_exp.38, <8 x float> %term_1_0_exp.33)
      %term_1_0_exp.40 = fadd <8 x float> %term_1_0_exp.39, splat (float 0x3FF0000000000000)
      %term_1_0_exp.41 = bitcast <8 x float> %term_1_0_exp.30 to <8 x i32>
      %term_1_0_exp.42 = lshr <8 x i32> %term_1_0_exp.41, splat (i32 1)
      %term_1_0_exp.43 = sub <8 x i32> %term_1_0_exp.41, %term_1_0_exp.42
      %term_1_0_exp.44 = shl <8 x i32> %term_1_0_exp.42, splat (i32 23)
      %term_1_0_exp.45 = add <8 x i32> %term_1_0_exp.44, splat (i32 1065353216)
      %term_1_0_exp.46 = bitcast <8 x i32> %term_1_0_exp.45 to <8 x float>
      %term_1_0_exp.47 = fmul <8 x float> %term_1_0_exp.40, %term_1_0_exp.46
      %term_1_0_exp.48 = shl <8 x i32> %term_1_0_exp.43, splat (i32 23)
      %term_1_0_exp.49 = add <8 x i32> %term_1_0_exp.48, splat (i32 1065353216)
      %term_1_0_exp.50 = bitcast <8 x i32> %term_1_0_exp.49 to <8 x float>
      %term_1_0_exp.51 = fmul <8 x float> %term_1_0_exp.47, %term_1_0_exp.50
      ; term = 0 unless steps * 8 + column < n
      %term_0_0.1 = select <8 x i1> %mask.1, <8 x float> %term_0_0_exp.51, <8 x float> zeroinitializer
      %term_1_0.1 = select <8 x i1> %mask.1, <8 x float> %term_1_0_exp.51, <8 x float> zeroinitializer
      ; kept[steps, row, column] = term, vector
      %index.17 = mul i64 %steps, 16
      %kept_at_0_0.1 = getelementptr float, ptr %kept, i64 %index.17
      store <8 x float> %term_0_0.1, ptr %kept_at_0_0.1, align 64
      %kept_at_1_0.1 = getelementptr float, ptr %kept_at_0_0.1, i64 8
      store <8 x float> %term_1_0.1, ptr %kept_at_1_0.1, align 32
      ; share_part = share_part + term, in fp32
      %share_part_0_0_add.1 = fadd <8 x float> %share_part_0_0.1, %term_0_0.1
      %share_part_1_0_add.1 = fadd <8 x float> %share_part_1_0.1, %term_1_0.1
      br label %joined.1
    joined.1:
    %share_part_0_0.2 = phi <8 x float> [ %share_part_0_0_add.1, %then.1 ], [ %share_part_0_0.1, %step_done.1 ]
    %share_part_1_0.2 = phi <8 x float> [ %share_part_1_0_add.1, %then.1 ], [ %share_part_1_0.1, %step_done.1 ]
    ; share_total = add over the columns of share_part
    %share_part_moved = shufflevector <8 x float> %share_part_0_0.2, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %share_total_0 = fadd <8 x float> %share_part_0_0.2, %share_part_moved
    %share_part_moved.1 = shufflevector <8 x float> %share_total_0, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %share_total_0.1 = fadd <8 x float> %share_total_0, %share_part_moved.1
    %share_part_moved.2 = shufflevector <8 x float> %share_total_0.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %share_total_0.2 = fadd <8 x float> %share_total_0.1, %share_part_moved.2
    %share_part_moved.3 = shufflevector <8 x float> %share_part_1_0.2, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %share_total_1 = fadd <8 x float> %share_part_1_0.2, %share_part_moved.3
    %share_part_moved.4 = shufflevector <8 x float> %share_total_1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %share_total_1.1 = fadd <8 x float> %share_total_1, %share_part_moved.4
    %share_part_moved.5 = shufflevector <8 x float> %share_total_1.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %share_total_1.2 = fadd <8 x float> %share_total_1.1, %share_part_moved.5
    ; share = reciprocal(share_total), in fp32
    %share_0_reciprocal = fdiv <8 x float> splat (float 0x3FF0000000000000), %share_total_0.2
    %share_1_reciprocal = fdiv <8 x float> splat (float 0x3FF0000000000000), %share_total_1.2
    ; if row0 + 1 < m
    %holds.1 = icmp slt i64 %index.6, %m
    br i1 %holds.1, label %then.2, label %otherwise.2
    then.2:
      ; for step from 0 to steps
      %out_at_0_0 = getelementptr float, ptr %out, i64 %out_base_0
      %out_at_1_0 = getelementptr float, ptr %out, i64 %out_base_1
      br i1 %step_any, label %step_loop.2, label %step_done.2
      step_loop.2:
        %step.2 = phi i64 [ 0, %then.2 ], [ %step_next.2, %step_loop.2 ]
        ; term = kept[step, row, column], vector
        %index.18 = mul i64 %step.2, 16
        %kept_at_0_0.2 = getelementptr float, ptr %kept, i64 %index.18
        %term_0_0.2 = load <8 x float>, ptr %kept_at_0_0.2, align 64
        %kept_at_1_0.2 = getelementptr float, ptr %kept_at_0_0.2, i64 8
        %term_1_0.2 = load <8 x float>, ptr %kept_at_1_0.2, align 32
        ; result = term * share, in fp32
        %result_0_0_mul = fmul <8 x float> %term_0_0.2, %share_0_reciprocal
        %result_1_0_mul = fmul <8 x float> %term_1_0.2, %share_1_reciprocal
        ; out[out_base + step * 8 + column] = result, vector
        %index.19 = mul i64 %step.2, 8
        %out_at_0_0.1 = getelementptr float, ptr %out_at_0_0, i64 %index.19
        store <8 x float> %result_0_0_mul, ptr %out_at_0_0.1, align 4
        %out_at_1_0.1 = getelementptr float, ptr %out_at_1_0, i64 %index.19
        store <8 x float> %result_1_0_mul, ptr %out_at_1_0.1, align 4
        %step_next.2 = add i64 %step.2, 1
        %step_more.2 = icmp slt i64 %step_next.2, %steps
        br i1 %step_more.2, label %step_loop.2, label %step_done.2
      step_done.2:
      ; if steps * 8 < n
      br i1 %holds, label %then.3, label %joined.3
      then.3:
        ; term = kept[steps, row, column], vector
        %index.20 = mul i64 %steps, 16
        %kept_at_0_0.3 = getelementptr float, ptr %kept, i64 %index.20
        %term_0_0.3 = load <8 x float>, ptr %kept_at_0_0.3, align 64
        %kept_at_1_0.3 = getelementptr float, ptr %kept_at_0_0.3, i64 8
        %term_1_0.3 = load <8 x float>, ptr %kept_at_1_0.3, align 32
        ; result = term * share, in fp32
        %result_0_0_mul.1 = fmul <8 x float> %term_0_0.3, %share_0_reciprocal
        %result_1_0_mul.1 = fmul <8 x float> %term_1_0.3, %share_1_reciprocal
        ; out[out_base + steps * 8 + column] = result, vector where steps * 8 + column < n
        %index.21 = mul i64 %steps, -8
        %limit.2 = add i64 %n, %index.21
        %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
        %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
        %index.22 = add i64 %out_base_0, %index.8
        %out_at_0_0.2 = getelementptr float, ptr %out, i64 %index.22
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_mul.1, ptr %out_at_0_0.2, i32 4, <8 x i1> %mask.2)
        %index.23 = add i64 %out_base_1, %index.8
        %out_at_1_0.2 = getelementptr float, ptr %out, i64 %index.23
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_mul.1, ptr %out_at_1_0.2, i32 4, <8 x i1> %mask.2)
        br label %joined.3
      joined.3:
      br label %joined.2
    otherwise.2:
      ; for step from 0 to steps
      %holds.2 = icmp slt i64 %row0, %m
      %out_at_0_0.3 = getelementptr float, ptr %out, i64 %out_base_0
      %out_at_1_0.3 = getelementptr float, ptr %out, i64 %out_base_1
      br i1 %step_any, label %step_loop.3, label %step_done.3
      step_loop.3:
        %step.3 = phi i64 [ 0, %otherwise.2 ], [ %step_next.3, %step_loop.3 ]
        ; term = kept[step, row, column], vector
        %index.24 = mul i64 %step.3, 16
        %kept_at_0_0.4 = getelementptr float, ptr %kept, i64 %index.24
        %term_0_0.4 = load <8 x float>, ptr %kept_at_0_0.4, align 64
        %kept_at_1_0.4 = getelementptr float, ptr %kept_at_0_0.4, i64 8
        %term_1_0.4 = load <8 x float>, ptr %kept_at_1_0.4, align 32
        ; result = term * share, in fp32
        %result_0_0_mul.2 = fmul <8 x float> %term_0_0.4, %share_0_reciprocal
        %result_1_0_mul.2 = fmul <8 x float> %term_1_0.4, %share_1_reciprocal
        ; out[out_base + step * 8 + column] = result, vector where row0 + row < m
        %index.25 = mul i64 %step.3, 8
        %out_at_0_0.4 = getelementptr float, ptr %out_at_0_0.3, i64 %index.25
        %lane0.3 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
        %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_mul.2, ptr %out_at_0_0.4, i32 4, <8 x i1> %all.3)
        %out_at_1_0.4 = getelementptr float, ptr %out_at_1_0.3, i64 %index.25
        %lane0.4 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
        %all.4 = shufflevector <8 x i1> %lane0.4, <8 x i1> poison, <8 x i32> zeroinitializer
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_mul.2, ptr %out_at_1_0.4, i32 4, <8 x i1> %all.4)
        %step_next.3 = add i64 %step.3, 1
        %step_more.3 = icmp slt i64 %step_next.3, %steps
        br i1 %step_more.3, label %step_loop.3, label %step_done.3
      step_done.3:
      ; if steps * 8 < n
      br i1 %holds, label %then.4, label %joined.4
      then.4:
        ; term = kept[steps, row, column], vector
        %index.26 = mul i64 %steps, 16
        %kept_at_0_0.5 = getelementptr float, ptr %kept, i64 %index.26
        %term_0_0.5 = load <8 x float>, ptr %kept_at_0_0.5, align 64
        %kept_at_1_0.5 = getelementptr float, ptr %kept_at_0_0.5, i64 8
        %term_1_0.5 = load <8 x float>, ptr %kept_at_1_0.5, align 32
        ; result = term * share, in fp32
        %result_0_0_mul.3 = fmul <8 x float> %term_0_0.5, %share_0_reciprocal
        %result_1_0_mul.3 = fmul <8 x float> %term_1_0.5, %share_1_reciprocal
        ; out[out_base + steps * 8 + column] = result, vector where row0 + row < m and steps * 8 + column < n
        %index.27 = mul i64 %steps, -8
        %limit.3 = add i64 %n, %index.27
        %lane0.5 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
        %all.5 = shufflevector <8 x i64> %lane0.5, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.5
        %index.28 = add i64 %out_base_0, %index.8
        %out_at_0_0.5 = getelementptr float, ptr %out, i64 %index.28
        %lane0.6 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
        %all.6 = shufflevector <8 x i1> %lane0.6, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.4 = and <8 x i1> %mask.3, %all.6
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_mul.3, ptr %out_at_0_0.5, i32 4, <8 x i1> %mask.4)
        %index.29 = add i64 %out_base_1, %index.8
        %out_at_1_0.5 = getelementptr float, ptr %out, i64 %index.29
        %lane0.7 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
        %all.7 = shufflevector <8 x i1> %lane0.7, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.5 = and <8 x i1> %mask.3, %all.7
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_mul.3, ptr %out_at_1_0.5, i32 4, <8 x i1> %mask.5)
        br label %joined.4
      joined.4:
      br label %joined.2
    joined.2:
    %tile_next = add i64 %tile, 1
    %tile_more = icmp slt i64 %tile_next, %tile_stop
    br i1 %tile_more, label %tile_loop, label %tile_done
  tile_done:
  ret void
}
