; tracea: layer norm bf16
; variant        cpu.rowwise.avx2_fp32 for x86-64-v3
; configuration  1x16x1 s1 w1
; schedule       daeebe77f02fbbe1c8471b72e96760298c9c027a900d5f22708e569752ab8ae9
; certificate    7c6bc6e1b5429bd2171c464ac5d13ac4b3d67fb93a955561b21d353279efe401: structure, domains, types, lanes, registers, meaning

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
declare <8 x i16> @llvm.masked.load.v8i16.p0(ptr, i32, <8 x i1>, <8 x i16>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8i16.p0(<8 x i16>, ptr, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; x: bf16, read, aligned to 2 bytes
; out: bf16, write, aligned to 2 bytes
; weight: bf16, read, aligned to 2 bytes
; bias: bf16, read, aligned to 2 bytes
; m: rows, all leading axes together; 0 to 4611686018427387904
; n: columns: the length of a row; 1 to 4611686018427387904
; x_row: x: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; elements: 1x16 of bf16 in 2 registers of 8 lanes
; term: 1x16 of fp32 in 2 registers of 8 lanes
; result: 1x16 of bf16 in 2 registers of 8 lanes
; count: 1x1 of fp32 in 1 registers of 8 lanes
; mean_part: 1x16 of fp32 in 2 registers of 8 lanes
; scale_part: 1x16 of fp32 in 2 registers of 8 lanes
; mean_total: 1x1 of fp32 in 1 registers of 8 lanes
; scale_total: 1x1 of fp32 in 1 registers of 8 lanes
; mean: 1x1 of fp32 in 1 registers of 8 lanes
; scale: 1x1 of fp32 in 1 registers of 8 lanes
; weight_values: 1x16 of bf16 in 2 registers of 8 lanes
; bias_values: 1x16 of bf16 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %x_word = getelementptr i64, ptr %arguments, i64 0
  %x = load ptr, ptr %x_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 1
  %out = load ptr, ptr %out_word, align 8
  %weight_word = getelementptr i64, ptr %arguments, i64 2
  %weight = load ptr, ptr %weight_word, align 8
  %bias_word = getelementptr i64, ptr %arguments, i64 3
  %bias = load ptr, ptr %bias_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 4
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 5
  %n = load i64, ptr %n_word, align 8
  %x_row_word = getelementptr i64, ptr %arguments, i64 6
  %x_row = load i64, ptr %x_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 7
  %out_row = load i64, ptr %out_row_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 8
  %barrier = load ptr, ptr %barrier_word, align 8
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
  %index = add i64 %worker, 1
  %product.1 = mul i64 %index, %m
  %tile_stop = udiv i64 %product.1, %workers
  %index.1 = add i64 %m, -1
  %index.4 = mul i64 %steps, 16
  %holds = icmp slt i64 %index.4, %n
  %tile_any = icmp slt i64 %tile_first, %tile_stop
  br i1 %tile_any, label %tile_loop, label %tile_done
  tile_loop:
    %tile = phi i64 [ %tile_first, %entry ], [ %tile_next, %joined.2 ]
    ; row0 = tile
    ; at_row = min(row0 + row, m - 1) for each element of count
    %at_row = call i64 @llvm.smin.i64(i64 %tile, i64 %index.1)
    ; x_base = at_row * x_row for each element of count
    %x_base = mul i64 %at_row, %x_row
    ; out_base = at_row * out_row for each element of count
    %out_base = mul i64 %at_row, %out_row
    ; ahead = min(tile + 1, m - 1) * x_row
    %index.2 = add i64 %tile, 1
    %min = call i64 @llvm.smin.i64(i64 %index.2, i64 %index.1)
    %ahead = mul i64 %min, %x_row
    ; out_ahead = tile * out_row
    %out_ahead = mul i64 %tile, %out_row
    ; mean_part = 0
    ; for step from 0 to steps
    %x_at_0 = getelementptr i16, ptr %x, i64 %x_base
    %step_any = icmp slt i64 0, %steps
    br i1 %step_any, label %step_loop, label %step_done
    step_loop:
      %step = phi i64 [ 0, %tile_loop ], [ %step_next, %step_loop ]
      %mean_part_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %mean_part_0_add, %step_loop ]
      %mean_part_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %mean_part_1_add, %step_loop ]
      ; elements = x[x_base + step * 16 + column], vector
      %index.3 = mul i64 %step, 16
      %x_at_0.1 = getelementptr i16, ptr %x_at_0, i64 %index.3
      %elements_0 = load <8 x i16>, ptr %x_at_0.1, align 2
      %x_at_1 = getelementptr i16, ptr %x_at_0.1, i64 8
      %elements_1 = load <8 x i16>, ptr %x_at_1, align 2
      ; mean_part = mean_part + elements, in fp32
      %elements_0_fp32_bits = zext <8 x i16> %elements_0 to <8 x i32>
      %elements_0_fp32_bits.1 = shl <8 x i32> %elements_0_fp32_bits, splat (i32 16)
      %elements_0_fp32 = bitcast <8 x i32> %elements_0_fp32_bits.1 to <8 x float>
      %mean_part_0_add = fadd <8 x float> %mean_part_0, %elements_0_fp32
      %elements_1_fp32_bits = zext <8 x i16> %elements_1 to <8 x i32>
      %elements_1_fp32_bits.1 = shl <8 x i32> %elements_1_fp32_bits, splat (i32 16)
      %elements_1_fp32 = bitcast <8 x i32> %elements_1_fp32_bits.1 to <8 x float>
      %mean_part_1_add = fadd <8 x float> %mean_part_1, %elements_1_fp32
      %step_next = add i64 %step, 1
      %step_more = icmp slt i64 %step_next, %steps
      br i1 %step_more, label %step_loop, label %step_done
    step_done:
    %mean_part_0.1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %mean_part_0_add, %step_loop ]
    %mean_part_1.1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %mean_part_1_add, %step_loop ]
    ; if steps * 16 < n
    br i1 %holds, label %then, label %joined
    then:
      ; elements = x[x_base + steps * 16 + column], vector where steps * 16 + column < n, else 0
      %index.5 = mul i64 %steps, -16
      %limit = add i64 %n, %index.5
      %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
      %index.6 = add i64 %x_base, %index.4
      %x_at_0.2 = getelementptr i16, ptr %x, i64 %index.6
      %elements_0.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_0.2, i32 2, <8 x i1> %mask, <8 x i16> zeroinitializer)
      %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
      %x_at_1.1 = getelementptr i16, ptr %x_at_0.2, i64 8
      %elements_1.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_1.1, i32 2, <8 x i1> %mask.1, <8 x i16> zeroinitializer)
      ; term = elements, in fp32
      %elements_0_fp32_bits.2 = zext <8 x i16> %elements_0.1 to <8 x i32>
      %elements_0_fp32_bits.3 = shl <8 x i32> %elements_0_fp32_bits.2, splat (i32 16)
      %elements_0_fp32.1 = bitcast <8 x i32> %elements_0_fp32_bits.3 to <8 x float>
      %elements_1_fp32_bits.2 = zext <8 x i16> %elements_1.1 to <8 x i32>
      %elements_1_fp32_bits.3 = shl <8 x i32> %elements_1_fp32_bits.2, splat (i32 16)
      %elements_1_fp32.1 = bitcast <8 x i32> %elements_1_fp32_bits.3 to <8 x float>
      ; term = 0 unless steps * 16 + column < n
      %term_0 = select <8 x i1> %mask, <8 x float> %elements_0_fp32.1, <8 x float> zeroinitializer
      %term_1 = select <8 x i1> %mask.1, <8 x float> %elements_1_fp32.1, <8 x float> zeroinitializer
      ; mean_part = mean_part + term, in fp32
      %mean_part_0_add.1 = fadd <8 x float> %mean_part_0.1, %term_0
      %mean_part_1_add.1 = fadd <8 x float> %mean_part_1.1, %term_1
      br label %joined
    joined:
    %mean_part_0.2 = phi <8 x float> [ %mean_part_0_add.1, %then ], [ %mean_part_0.1, %step_done ]
    %mean_part_1.2 = phi <8 x float> [ %mean_part_1_add.1, %then ], [ %mean_part_1.1, %step_done ]
    ; mean_total = add over the columns of mean_part
    %mean_total = fadd <8 x float> %mean_part_0.2, %mean_part_1.2
    %mean_part_moved = shufflevector <8 x float> %mean_total, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %mean_total.1 = fadd <8 x float> %mean_total, %mean_part_moved
    %mean_part_moved.1 = shufflevector <8 x float> %mean_total.1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %mean_total.2 = fadd <8 x float> %mean_total.1, %mean_part_moved.1
    %mean_part_moved.2 = shufflevector <8 x float> %mean_total.2, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %mean_total.3 = fadd <8 x float> %mean_total.2, %mean_part_moved.2
    ; mean = mean_total / count, in fp32
    %mean_div = fdiv <8 x float> %mean_total.3, %count
    ; scale_part = 0
    ; for step from 0 to steps
    %x_soon = getelementptr i16, ptr %x, i64 %ahead
    %out_soon = getelementptr i16, ptr %out, i64 %out_ahead
    br i1 %step_any, label %step_loop.1, label %step_done.1
    step_loop.1:
      %step.1 = phi i64 [ 0, %joined ], [ %step_next.1, %step_loop.1 ]
      %scale_part_0 = phi <8 x float> [ zeroinitializer, %joined ], [ %scale_part_0_sum, %step_loop.1 ]
      %scale_part_1 = phi <8 x float> [ zeroinitializer, %joined ], [ %scale_part_1_sum, %step_loop.1 ]
      ; x[ahead + step * 16] is read soon, in cache level 2
      %index.7 = mul i64 %step.1, 16
      %x_soon.1 = getelementptr i16, ptr %x_soon, i64 %index.7
      call void @llvm.prefetch.p0(ptr %x_soon.1, i32 0, i32 2, i32 1)
      ; out[out_ahead + step * 16] is written soon, in cache level 2
      %out_soon.1 = getelementptr i16, ptr %out_soon, i64 %index.7
      call void @llvm.prefetch.p0(ptr %out_soon.1, i32 1, i32 2, i32 1)
      ; elements = x[x_base + step * 16 + column], vector
      %x_at_0.3 = getelementptr i16, ptr %x_at_0, i64 %index.7
      %elements_0.2 = load <8 x i16>, ptr %x_at_0.3, align 2
      %x_at_1.2 = getelementptr i16, ptr %x_at_0.3, i64 8
      %elements_1.2 = load <8 x i16>, ptr %x_at_1.2, align 2
      ; scale_part = scale_part + (elements - mean) * (elements - mean), in fp32
      %elements_0_fp32_bits.4 = zext <8 x i16> %elements_0.2 to <8 x i32>
      %elements_0_fp32_bits.5 = shl <8 x i32> %elements_0_fp32_bits.4, splat (i32 16)
      %elements_0_fp32.2 = bitcast <8 x i32> %elements_0_fp32_bits.5 to <8 x float>
      %scale_part_0_sub = fsub <8 x float> %elements_0_fp32.2, %mean_div
      %scale_part_0_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %scale_part_0_sub, <8 x float> %scale_part_0_sub, <8 x float> %scale_part_0)
      %elements_1_fp32_bits.4 = zext <8 x i16> %elements_1.2 to <8 x i32>
      %elements_1_fp32_bits.5 = shl <8 x i32> %elements_1_fp32_bits.4, splat (i32 16)
      %elements_1_fp32.2 = bitcast <8 x i32> %elements_1_fp32_bits.5 to <8 x float>
      %scale_part_1_sub = fsub <8 x float> %elements_1_fp32.2, %mean_div
      %scale_part_1_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %scale_part_1_sub, <8 x float> %scale_part_1_sub, <8 x float> %scale_part_1)
      %step_next.1 = add i64 %step.1, 1
      %step_more.1 = icmp slt i64 %step_next.1, %steps
      br i1 %step_more.1, label %step_loop.1, label %step_done.1
    step_done.1:
    %scale_part_0.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %scale_part_0_sum, %step_loop.1 ]
    %scale_part_1.1 = phi <8 x float> [ zeroinitializer, %joined ], [ %scale_part_1_sum, %step_loop.1 ]
    ; if steps * 16 < n
    br i1 %holds, label %then.1, label %joined.1
    then.1:
      ; x[ahead + steps * 16] is read soon, in cache level 2
      %index.8 = add i64 %ahead, %index.4
      %x_soon.2 = getelementptr i16, ptr %x, i64 %index.8
      call void @llvm.prefetch.p0(ptr %x_soon.2, i32 0, i32 2, i32 1)
      ; out[out_ahead + steps * 16] is written soon, in cache level 2
      %index.9 = add i64 %out_ahead, %index.4
      %out_soon.2 = getelementptr i16, ptr %out, i64 %index.9
      call void @llvm.prefetch.p0(ptr %out_soon.2, i32 1, i32 2, i32 1)
      ; elements = x[x_base + steps * 16 + column], vector where steps * 16 + column < n, else 0
      %index.10 = mul i64 %steps, -16
      %limit.1 = add i64 %n, %index.10
      %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
      %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
      %index.11 = add i64 %x_base, %index.4
      %x_at_0.4 = getelementptr i16, ptr %x, i64 %index.11
      %elements_0.3 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_0.4, i32 2, <8 x i1> %mask.2, <8 x i16> zeroinitializer)
      %mask.3 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
      %x_at_1.3 = getelementptr i16, ptr %x_at_0.4, i64 8
      %elements_1.3 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_1.3, i32 2, <8 x i1> %mask.3, <8 x i16> zeroinitializer)
      ; term = (elements - mean) * (elements - mean), in fp32
      %elements_0_fp32_bits.6 = zext <8 x i16> %elements_0.3 to <8 x i32>
      %elements_0_fp32_bits.7 = shl <8 x i32> %elements_0_fp32_bits.6, splat (i32 16)
      %elements_0_fp32.3 = bitcast <8 x i32> %elements_0_fp32_bits.7 to <8 x float>
      %term_0_sub = fsub <8 x float> %elements_0_fp32.3, %mean_div
      %term_0_mul = fmul <8 x float> %term_0_sub, %term_0_sub
      %elements_1_fp32_bits.6 = zext <8 x i16> %elements_1.3 to <8 x i32>
      %elements_1_fp32_bits.7 = shl <8 x i32> %elements_1_fp32_bits.6, splat (i32 16)
      %elements_1_fp32.3 = bitcast <8 x i32> %elements_1_fp32_bits.7 to <8 x float>
      %term_1_sub = fsub <8 x float> %elements_1_fp32.3, %mean_div
      %term_1_mul = fmul <8 x float> %term_1_sub, %term_1_sub
      ; term = 0 unless steps * 16 + column < n
      %term_0.1 = select <8 x i1> %mask.2, <8 x float> %term_0_mul, <8 x float> zeroinitializer
      %term_1.1 = select <8 x i1> %mask.3, <8 x float> %term_1_mul, <8 x float> zeroinitializer
      ; scale_part = scale_part + term, in fp32
      %scale_part_0_add = fadd <8 x float> %scale_part_0.1, %term_0.1
      %scale_part_1_add = fadd <8 x float> %scale_part_1.1, %term_1.1
      br label %joined.1
    joined.1:
    %scale_part_0.2 = phi <8 x float> [ %scale_part_0_add, %then.1 ], [ %scale_part_0.1, %step_done.1 ]
    %scale_part_1.2 = phi <8 x float> [ %scale_part_1_add, %then.1 ], [ %scale_part_1.1, %step_done.1 ]
    ; scale_total = add over the columns of scale_part
    %scale_total = fadd <8 x float> %scale_part_0.2, %scale_part_1.2
    %scale_part_moved = shufflevector <8 x float> %scale_total, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
    %scale_total.1 = fadd <8 x float> %scale_total, %scale_part_moved
    %scale_part_moved.1 = shufflevector <8 x float> %scale_total.1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
    %scale_total.2 = fadd <8 x float> %scale_total.1, %scale_part_moved.1
    %scale_part_moved.2 = shufflevector <8 x float> %scale_total.2, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
    %scale_total.3 = fadd <8 x float> %scale_total.2, %scale_part_moved.2
    ; scale = rsqrt(scale_total / count + 1e-05), in fp32
    %scale_div = fdiv <8 x float> %scale_total.3, %count
    %scale_add = fadd <8 x float> %scale_div, splat (float 0x3EE4F8B580000000)
    %scale_rsqrt = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %scale_add)
    %scale_rsqrt.1 = fdiv <8 x float> splat (float 0x3FF0000000000000), %scale_rsqrt
    ; for step from 0 to steps
    %out_at_0 = getelementptr i16, ptr %out, i64 %out_base
    br i1 %step_any, label %step_loop.2, label %step_done.2
    step_loop.2:
      %step.2 = phi i64 [ 0, %joined.1 ], [ %step_next.2, %step_loop.2 ]
      ; elements = x[x_base + step * 16 + column], vector
      %index.12 = mul i64 %step.2, 16
      %x_at_0.5 = getelementptr i16, ptr %x_at_0, i64 %index.12
      %elements_0.4 = load <8 x i16>, ptr %x_at_0.5, align 2
      %x_at_1.4 = getelementptr i16, ptr %x_at_0.5, i64 8
      %elements_1.4 = load <8 x i16>, ptr %x_at_1.4, align 2
      ; weight_values = weight[step * 16 + column], vector
      %weight_at_0 = getelementptr i16, ptr %weight, i64 %index.12
      %weight_values_0 = load <8 x i16>, ptr %weight_at_0, align 2
      %weight_at_1 = getelementptr i16, ptr %weight_at_0, i64 8
      %weight_values_1 = load <8 x i16>, ptr %weight_at_1, align 2
      ; bias_values = bias[step * 16 + column], vector
      %bias_at_0 = getelementptr i16, ptr %bias, i64 %index.12
      %bias_values_0 = load <8 x i16>, ptr %bias_at_0, align 2
      %bias_at_1 = getelementptr i16, ptr %bias_at_0, i64 8
      %bias_values_1 = load <8 x i16>, ptr %bias_at_1, align 2
      ; result = (elements - mean) * scale * weight_values + bias_values, in fp32
      %elements_0_fp32_bits.8 = zext <8 x i16> %elements_0.4 to <8 x i32>
      %elements_0_fp32_bits.9 = shl <8 x i32> %elements_0_fp32_bits.8, splat (i32 16)
      %elements_0_fp32.4 = bitcast <8 x i32> %elements_0_fp32_bits.9 to <8 x float>
      %result_0_sub = fsub <8 x float> %elements_0_fp32.4, %mean_div
      %result_0_mul = fmul <8 x float> %result_0_sub, %scale_rsqrt.1
      %weight_values_0_fp32_bits = zext <8 x i16> %weight_values_0 to <8 x i32>
      %weight_values_0_fp32_bits.1 = shl <8 x i32> %weight_values_0_fp32_bits, splat (i32 16)
      %weight_values_0_fp32 = bitcast <8 x i32> %weight_values_0_fp32_bits.1 to <8 x float>
      %result_0_mul.1 = fmul <8 x float> %result_0_mul, %weight_values_0_fp32
      %bias_values_0_fp32_bits = zext <8 x i16> %bias_values_0 to <8 x i32>
      %bias_values_0_fp32_bits.1 = shl <8 x i32> %bias_values_0_fp32_bits, splat (i32 16)
      %bias_values_0_fp32 = bitcast <8 x i32> %bias_values_0_fp32_bits.1 to <8 x float>
      %result_0_add = fadd <8 x float> %result_0_mul.1, %bias_values_0_fp32
      %result_0_bits = bitcast <8 x float> %result_0_add to <8 x i32>
      %result_0_above = lshr <8 x i32> %result_0_bits, splat (i32 16)
      %result_0_odd = and <8 x i32> %result_0_above, splat (i32 1)
      %result_0_half = add <8 x i32> %result_0_odd, splat (i32 32767)
      %result_0_bits.1 = add <8 x i32> %result_0_bits, %result_0_half
      %result_0_is_nan = fcmp uno <8 x float> %result_0_add, %result_0_add
      %result_0_bits.2 = select <8 x i1> %result_0_is_nan, <8 x i32> splat (i32 2143289344), <8 x i32> %result_0_bits.1
      %result_0_bits.3 = lshr <8 x i32> %result_0_bits.2, splat (i32 16)
      %result_0 = trunc <8 x i32> %result_0_bits.3 to <8 x i16>
      %elements_1_fp32_bits.8 = zext <8 x i16> %elements_1.4 to <8 x i32>
      %elements_1_fp32_bits.9 = shl <8 x i32> %elements_1_fp32_bits.8, splat (i32 16)
      %elements_1_fp32.4 = bitcast <8 x i32> %elements_1_fp32_bits.9 to <8 x float>
      %result_1_sub = fsub <8 x float> %elements_1_fp32.4, %mean_div
      %result_1_mul = fmul <8 x float> %result_1_sub, %scale_rsqrt.1
      %weight_values_1_fp32_bits = zext <8 x i16> %weight_values_1 to <8 x i32>
      %weight_values_1_fp32_bits.1 = shl <8 x i32> %weight_values_1_fp32_bits, splat (i32 16)
      %weight_values_1_fp32 = bitcast <8 x i32> %weight_values_1_fp32_bits.1 to <8 x float>
      %result_1_mul.1 = fmul <8 x float> %result_1_mul, %weight_values_1_fp32
      %bias_values_1_fp32_bits = zext <8 x i16> %bias_values_1 to <8 x i32>
      %bias_values_1_fp32_bits.1 = shl <8 x i32> %bias_values_1_fp32_bits, splat (i32 16)
      %bias_values_1_fp32 = bitcast <8 x i32> %bias_values_1_fp32_bits.1 to <8 x float>
      %result_1_add = fadd <8 x float> %result_1_mul.1, %bias_values_1_fp32
      %result_1_bits = bitcast <8 x float> %result_1_add to <8 x i32>
      %result_1_above = lshr <8 x i32> %result_1_bits, splat (i32 16)
      %result_1_odd = and <8 x i32> %result_1_above, splat (i32 1)
      %result_1_half = add <8 x i32> %result_1_odd, splat (i32 32767)
      %result_1_bits.1 = add <8 x i32> %result_1_bits, %result_1_half
      %result_1_is_nan = fcmp uno <8 x float> %result_1_add, %result_1_add
      %result_1_bits.2 = select <8 x i1> %result_1_is_nan, <8 x i32> splat (i32 2143289344), <8 x i32> %result_1_bits.1
      %result_1_bits.3 = lshr <8 x i32> %result_1_bits.2, splat (i32 16)
      %result_1 = trunc <8 x i32> %result_1_bits.3 to <8 x i16>
      ; out[out_base + step * 16 + column] = result, vector
      %out_at_0.1 = getelementptr i16, ptr %out_at_0, i64 %index.12
      store <8 x i16> %result_0, ptr %out_at_0.1, align 2
      %out_at_1 = getelementptr i16, ptr %out_at_0.1, i64 8
      store <8 x i16> %result_1, ptr %out_at_1, align 2
      %step_next.2 = add i64 %step.2, 1
      %step_more.2 = icmp slt i64 %step_next.2, %steps
      br i1 %step_more.2, label %step_loop.2, label %step_done.2
    step_done.2:
    ; if steps * 16 < n
    br i1 %holds, label %then.2, label %joined.2
    then.2:
      ; elements = x[x_base + steps * 16 + column], vector where steps * 16 + column < n, else 0
      %index.13 = mul i64 %steps, -16
      %limit.2 = add i64 %n, %index.13
      %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
      %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.4 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
      %index.14 = add i64 %x_base, %index.4
      %x_at_0.6 = getelementptr i16, ptr %x, i64 %index.14
      %elements_0.5 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_0.6, i32 2, <8 x i1> %mask.4, <8 x i16> zeroinitializer)
      %mask.5 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.2
      %x_at_1.5 = getelementptr i16, ptr %x_at_0.6, i64 8
      %elements_1.5 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %x_at_1.5, i32 2, <8 x i1> %mask.5, <8 x i16> zeroinitializer)
      ; weight_values = weight[steps * 16 + column], vector where steps * 16 + column < n, else 0
      %weight_at_0.1 = getelementptr i16, ptr %weight, i64 %index.4
      %weight_values_0.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %weight_at_0.1, i32 2, <8 x i1> %mask.4, <8 x i16> zeroinitializer)
      %weight_at_1.1 = getelementptr i16, ptr %weight_at_0.1, i64 8
      %weight_values_1.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %weight_at_1.1, i32 2, <8 x i1> %mask.5, <8 x i16> zeroinitializer)
      ; bias_values = bias[steps * 16 + column], vector where steps * 16 + column < n, else 0
      %bias_at_0.1 = getelementptr i16, ptr %bias, i64 %index.4
      %bias_values_0.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %bias_at_0.1, i32 2, <8 x i1> %mask.4, <8 x i16> zeroinitializer)
      %bias_at_1.1 = getelementptr i16, ptr %bias_at_0.1, i64 8
      %bias_values_1.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %bias_at_1.1, i32 2, <8 x i1> %mask.5, <8 x i16> zeroinitializer)
      ; result = (elements - mean) * scale * weight_values + bias_values, in fp32
      %elements_0_fp32_bits.10 = zext <8 x i16> %elements_0.5 to <8 x i32>
      %elements_0_fp32_bits.11 = shl <8 x i32> %elements_0_fp32_bits.10, splat (i32 16)
      %elements_0_fp32.5 = bitcast <8 x i32> %elements_0_fp32_bits.11 to <8 x float>
      %result_0_sub.1 = fsub <8 x float> %elements_0_fp32.5, %mean_div
      %result_0_mul.2 = fmul <8 x float> %result_0_sub.1, %scale_rsqrt.1
      %weight_values_0_fp32_bits.2 = zext <8 x i16> %weight_values_0.1 to <8 x i32>
      %weight_values_0_fp32_bits.3 = shl <8 x i32> %weight_values_0_fp32_bits.2, splat (i32 16)
      %weight_values_0_fp32.1 = bitcast <8 x i32> %weight_values_0_fp32_bits.3 to <8 x float>
      %result_0_mul.3 = fmul <8 x float> %result_0_mul.2, %weight_values_0_fp32.1
      %bias_values_0_fp32_bits.2 = zext <8 x i16> %bias_values_0.1 to <8 x i32>
      %bias_values_0_fp32_bits.3 = shl <8 x i32> %bias_values_0_fp32_bits.2, splat (i32 16)
      %bias_values_0_fp32.1 = bitcast <8 x i32> %bias_values_0_fp32_bits.3 to <8 x float>
      %result_0_add.1 = fadd <8 x float> %result_0_mul.3, %bias_values_0_fp32.1
      %result_0_bits.4 = bitcast <8 x float> %result_0_add.1 to <8 x i32>
      %result_0_above.1 = lshr <8 x i32> %result_0_bits.4, splat (i32 16)
      %result_0_odd.1 = and <8 x i32> %result_0_above.1, splat (i32 1)
      %result_0_half.1 = add <8 x i32> %result_0_odd.1, splat (i32 32767)
      %result_0_bits.5 = add <8 x i32> %result_0_bits.4, %result_0_half.1
      %result_0_is_nan.1 = fcmp uno <8 x float> %result_0_add.1, %result_0_add.1
      %result_0_bits.6 = select <8 x i1> %result_0_is_nan.1, <8 x i32> splat (i32 2143289344), <8 x i32> %result_0_bits.5
      %result_0_bits.7 = lshr <8 x i32> %result_0_bits.6, splat (i32 16)
      %result_0.1 = trunc <8 x i32> %result_0_bits.7 to <8 x i16>
      %elements_1_fp32_bits.10 = zext <8 x i16> %elements_1.5 to <8 x i32>
      %elements_1_fp32_bits.11 = shl <8 x i32> %elements_1_fp32_bits.10, splat (i32 16)
      %elements_1_fp32.5 = bitcast <8 x i32> %elements_1_fp32_bits.11 to <8 x float>
      %result_1_sub.1 = fsub <8 x float> %elements_1_fp32.5, %mean_div
      %result_1_mul.2 = fmul <8 x float> %result_1_sub.1, %scale_rsqrt.1
      %weight_values_1_fp32_bits.2 = zext <8 x i16> %weight_values_1.1 to <8 x i32>
      %weight_values_1_fp32_bits.3 = shl <8 x i32> %weight_values_1_fp32_bits.2, splat (i32 16)
      %weight_values_1_fp32.1 = bitcast <8 x i32> %weight_values_1_fp32_bits.3 to <8 x float>
      %result_1_mul.3 = fmul <8 x float> %result_1_mul.2, %weight_values_1_fp32.1
      %bias_values_1_fp32_bits.2 = zext <8 x i16> %bias_values_1.1 to <8 x i32>
      %bias_values_1_fp32_bits.3 = shl <8 x i32> %bias_values_1_fp32_bits.2, splat (i32 16)
      %bias_values_1_fp32.1 = bitcast <8 x i32> %bias_values_1_fp32_bits.3 to <8 x float>
      %result_1_add.1 = fadd <8 x float> %result_1_mul.3, %bias_values_1_fp32.1
      %result_1_bits.4 = bitcast <8 x float> %result_1_add.1 to <8 x i32>
      %result_1_above.1 = lshr <8 x i32> %result_1_bits.4, splat (i32 16)
      %result_1_odd.1 = and <8 x i32> %result_1_above.1, splat (i32 1)
      %result_1_half.1 = add <8 x i32> %result_1_odd.1, splat (i32 32767)
      %result_1_bits.5 = add <8 x i32> %result_1_bits.4, %result_1_half.1
      %result_1_is_nan.1 = fcmp uno <8 x float> %result_1_add.1, %result_1_add.1
      %result_1_bits.6 = select <8 x i1> %result_1_is_nan.1, <8 x i32> splat (i32 2143289344), <8 x i32> %result_1_bits.5
      %result_1_bits.7 = lshr <8 x i32> %result_1_bits.6, splat (i32 16)
      %result_1.1 = trunc <8 x i32> %result_1_bits.7 to <8 x i16>
      ; out[out_base + steps * 16 + column] = result, vector where steps * 16 + column < n
      %index.15 = add i64 %out_base, %index.4
      %out_at_0.2 = getelementptr i16, ptr %out, i64 %index.15
      call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_0.1, ptr %out_at_0.2, i32 2, <8 x i1> %mask.4)
      %out_at_1.1 = getelementptr i16, ptr %out_at_0.2, i64 8
      call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_1.1, ptr %out_at_1.1, i32 2, <8 x i1> %mask.5)
      br label %joined.2
    joined.2:
    %tile_next = add i64 %tile, 1
    %tile_more = icmp slt i64 %tile_next, %tile_stop
    br i1 %tile_more, label %tile_loop, label %tile_done
  tile_done:
  ret void
}
