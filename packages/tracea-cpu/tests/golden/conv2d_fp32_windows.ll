; tracea: conv2d fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 halo
; schedule       58e6f5fd4eb9dce5fb1fe1ffb3cb3c8fbc3998b73d6c6af79c97f8d1c4c57b8f
; certificate    c25aca5486a7c57f2efb2b4d615c15383c3a1bfff33554d81db780120571e308:
declare void @llvm.x86.sse2.pause()
declare i32 @sched_yield()

; Wait until all workers have arrived.
define internal void @tracea_barrier(ptr %barrier, i64 %workers) noinline nounwind {
entry:
  %generation_line = getelementptr i8, ptr %barrier, i64 64
  %generation = load atomic i64, ptr %generation_line acquire, align 8
  %arrived_before = atomicrmw add ptr %barrier, i64 1 acq_rel
  %arrived = add i64 %arrived_before, 1
  %is_last = icmp eq i64 %arrived, %workers
  br i1 %is_last, label %open, label %spin
open:
  store atomic i64 0, ptr %barrier monotonic, align 8
  %opened = atomicrmw add ptr %generation_line, i64 1 release
  ret void
spin:
  %spins = phi i64 [ 0, %entry ], [ %spins_next, %again ]
  %now = load atomic i64, ptr %generation_line acquire, align 8
  %still_closed = icmp eq i64 %now, %generation
  br i1 %still_closed, label %wait, label %done
wait:
  call void @llvm.x86.sse2.pause()
  %spins_next = add i64 %spins, 1
  %low = and i64 %spins_next, 4095
  %is_tired = icmp eq i64 %low, 0
  br i1 %is_tired, label %give_way, label %again
give_way:
  %given = call i32 @sched_yield()
  br label %again
again:
  br label %spin
done:
  ret void
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; x: fp32, read, aligned to 4 bytes
; w: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; out_width: columns of the output image; 1 to 4611686018427387904
; m: output channels of a group; 0 to 4611686018427387904
; n: output pixels of an image; 0 to 4611686018427387904
; items: images times groups; 0 to 4611686018427387904
; k_c: reduction axis c; 0 to 4611686018427387904
; k_r: reduction axis r; 0 to 4611686018427387904
; k_s: reduction axis s; 0 to 4611686018427387904
; w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
; x_image: x: image stride; -4611686018427387904 to 4611686018427387904
; x_c: x: c stride; -4611686018427387904 to 4611686018427387904
; x_row: x: row stride; -4611686018427387904 to 4611686018427387904
; pad_h: rows of zeros above and below; 0 to 4611686018427387904
; pad_w: columns of zeros at both sides; 0 to 4611686018427387904
; height: rows of the image; 0 to 4611686018427387904
; width: columns of the image; 0 to 4611686018427387904
; out_image: out: next image; -4611686018427387904 to 4611686018427387904
; out_channel: out: next channel; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; k_r_reciprocal: multiplies instead of dividing by k_r; 0 to 9223372036854775807
; k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
; n_reciprocal: multiplies instead of dividing by n; 0 to 9223372036854775807
; out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
; row_splits: parts that the tiles of all images are cut into; 1 to 4611686018427387904
; column_splits: parts that the panels are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the tiles of a part are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((((m + 15) // 16 + column_splits - 1) // column_splits - 1) * min(row_blocks - 1, 1) + 1) * (k_r * k_s * k_c) times, kept for a tile_column, aligned to 64 bytes
; images: workspace of fp32, element 1 = 1*1, items * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) times, kept for a call, aligned to 64 bytes
; finished: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, 8 times, kept for a tile, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; row_table: 2x1 of int32 in 2 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
; copied: 1x8 of fp32 in 1 registers of 8 lanes
; block: 8x8 of fp32 in 8 registers of 8 lanes
; block_turned: 8x8 of fp32 in 8 registers of 8 lanes
; channels_held: 8x8 of fp32 in 8 registers of 8 lanes
; pixels_held: 8x8 of fp32 in 8 registers of 8 lanes
; square: 8x8 of fp32 in 8 registers of 8 lanes
; turned: 8x8 of fp32 in 8 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %fill_fp32 = alloca float
  store float 0x0000000000000000, ptr %fill_fp32
  %x_word = getelementptr i64, ptr %arguments, i64 0
  %x = load ptr, ptr %x_word, align 8
  %w_word = getelementptr i64, ptr %arguments, i64 1
  %w = load ptr, ptr %w_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 2
  %out = load ptr, ptr %out_word, align 8
  %out_width_word = getelementptr i64, ptr %arguments, i64 3
  %out_width = load i64, ptr %out_width_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 4
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 5
  %n = load i64, ptr %n_word, align 8
  %items_word = getelementptr i64, ptr %arguments, i64 6
  %items = load i64, ptr %items_word, align 8
  %k_c_word = getelementptr i64, ptr %arguments, i64 7
  %k_c = load i64, ptr %k_c_word, align 8
  %k_r_word = getelementptr i64, ptr %arguments, i64 8
  %k_r = load i64, ptr %k_r_word, align 8
  %k_s_word = getelementptr i64, ptr %arguments, i64 9
  %k_s = load i64, ptr %k_s_word, align 8
  %w_out_word = getelementptr i64, ptr %arguments, i64 10
  %w_out = load i64, ptr %w_out_word, align 8
  %x_image_word = getelementptr i64, ptr %arguments, i64 11
  %x_image = load i64, ptr %x_image_word, align 8
  %x_c_word = getelementptr i64, ptr %arguments, i64 12
  %x_c = load i64, ptr %x_c_word, align 8
  %x_row_word = getelementptr i64, ptr %arguments, i64 13
  %x_row = load i64, ptr %x_row_word, align 8
  %pad_h_word = getelementptr i64, ptr %arguments, i64 14
  %pad_h = load i64, ptr %pad_h_word, align 8
  %pad_w_word = getelementptr i64, ptr %arguments, i64 15
  %pad_w = load i64, ptr %pad_w_word, align 8
  %height_word = getelementptr i64, ptr %arguments, i64 16
  %height = load i64, ptr %height_word, align 8
  %width_word = getelementptr i64, ptr %arguments, i64 17
  %width = load i64, ptr %width_word, align 8
  %out_image_word = getelementptr i64, ptr %arguments, i64 18
  %out_image = load i64, ptr %out_image_word, align 8
  %out_channel_word = getelementptr i64, ptr %arguments, i64 19
  %out_channel = load i64, ptr %out_channel_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 20
  %out_row = load i64, ptr %out_row_word, align 8
  %k_r_reciprocal_word = getelementptr i64, ptr %arguments, i64 21
  %k_r_reciprocal = load i64, ptr %k_r_reciprocal_word, align 8
  %k_s_reciprocal_word = getelementptr i64, ptr %arguments, i64 22
  %k_s_reciprocal = load i64, ptr %k_s_reciprocal_word, align 8
  %n_reciprocal_word = getelementptr i64, ptr %arguments, i64 23
  %n_reciprocal = load i64, ptr %n_reciprocal_word, align 8
  %out_width_reciprocal_word = getelementptr i64, ptr %arguments, i64 24
  %out_width_reciprocal = load i64, ptr %out_width_reciprocal_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 25
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 26
  %column_splits = load i64, ptr %column_splits_word, align 8
  %row_blocks_word = getelementptr i64, ptr %arguments, i64 27
  %row_blocks = load i64, ptr %row_blocks_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 28
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 29
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %index = add i64 %m, 15
  %quotient = udiv i64 %index, 16
  %index.1 = add i64 %quotient, %column_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %column_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %column_splits
  %quotient.2 = add i64 %quotient.1, %below
  %index.3 = add i64 %row_blocks, -1
  %min = call i64 @llvm.smin.i64(i64 %index.3, i64 1)
  %index.4 = add i64 %quotient.2, -1
  %product = mul i64 %index.4, %min
  %product.1 = mul i64 %k_r, %k_s
  %product.2 = mul i64 %product.1, %k_c
  %index.5 = add i64 %product, 1
  %product.3 = mul i64 %index.5, %product.2
  %index.6 = mul i64 %product.3, 64
  %index.7 = add i64 %index.6, 63
  %rest.1 = srem i64 %index.7, 64
  %below.1 = ashr i64 %rest.1, 63
  %quotient.3 = sdiv i64 %index.7, 64
  %quotient.4 = add i64 %quotient.3, %below.1
  %panel_bytes = mul i64 %quotient.4, 64
  %panel_own = mul i64 %worker, %panel_bytes
  %panel = getelementptr i8, ptr %panel_of_all, i64 %panel_own
  %images_word = getelementptr i64, ptr %arguments, i64 30
  %images = load ptr, ptr %images_word, align 8
  %finished_of_all_word = getelementptr i64, ptr %arguments, i64 31
  %finished_of_all = load ptr, ptr %finished_of_all_word, align 8
  %finished_own = mul i64 %worker, 512
  %finished = getelementptr i8, ptr %finished_of_all, i64 %finished_own
  ; panels = (m + 15) // 16
  ; row_tiles = (items * n + 1) // 2
  %product.4 = mul i64 %items, %n
  %index.8 = add i64 %product.4, 1
  %row_tiles = udiv i64 %index.8, 2
  ; k_rows = k_r * k_s * k_c
  ; lines = items * (height + pad_h * 2)
  %index.9 = mul i64 %pad_h, 2
  %index.10 = add i64 %height, %index.9
  %lines = mul i64 %items, %index.10
  ; channels = k_c
  ; whole_channels = channels // 8 * 8
  %quotient.5 = udiv i64 %k_c, 8
  %whole_channels = mul i64 %quotient.5, 8
  ; columns = width
  ; pad_columns = (width + pad_w * 2 - width) // 2
  %index.11 = mul i64 %pad_w, 2
  %pad_columns = udiv i64 %index.11, 2
  ; for line from worker * lines // workers to (worker + 1) * lines // workers
  %product.5 = mul i64 %worker, %lines
  %line_first = udiv i64 %product.5, %workers
  %index.12 = add i64 %worker, 1
  %product.6 = mul i64 %index.12, %lines
  %line_stop = udiv i64 %product.6, %workers
  %index.13 = mul i64 %pad_h, -1
  %line_any = icmp slt i64 %line_first, %line_stop
  br i1 %line_any, label %line_loop, label %line_done
  line_loop:
    %line = phi i64 [ %line_first, %entry ], [ %line_next, %joined ]
    ; item = line // (height + pad_h * 2)
    %item = udiv i64 %line, %index.10
    ; halo_row = line % (height + pad_h * 2)
    %halo_row = urem i64 %line, %index.10
    ; if pad_h <= halo_row and halo_row - pad_h < height
    %holds = icmp sle i64 %pad_h, %halo_row
    %index.14 = add i64 %index.13, %halo_row
    %holds.1 = icmp slt i64 %index.14, %height
    %both = and i1 %holds, %holds.1
    br i1 %both, label %then, label %otherwise
    then:
      ; copied = 0
      ; left_at_whole = pad_columns * channels // 8 * 8
      %product.7 = mul i64 %pad_columns, %k_c
      %quotient.6 = udiv i64 %product.7, 8
      %left_at_whole = mul i64 %quotient.6, 8
      ; for left_at from 0 to left_at_whole by 8
      %index.15 = add i64 %width, %index.11
      %product.8 = mul i64 %index.15, %k_c
      %product.9 = mul i64 %line, %product.8
      %images_at_0 = getelementptr float, ptr %images, i64 %product.9
      %left_at_any = icmp slt i64 0, %left_at_whole
      br i1 %left_at_any, label %left_at_loop, label %left_at_done
      left_at_loop:
        %left_at = phi i64 [ 0, %then ], [ %left_at_next, %left_at_loop ]
        ; images[line * ((width + pad_w * 2) * k_c) + left_at + column, 0] = copied, vector
        %images_at_0.1 = getelementptr float, ptr %images_at_0, i64 %left_at
        store <8 x float> zeroinitializer, ptr %images_at_0.1, align 4
        %left_at_next = add i64 %left_at, 8
        %left_at_more = icmp slt i64 %left_at_next, %left_at_whole
        br i1 %left_at_more, label %left_at_loop, label %left_at_done
      left_at_done:
      ; if left_at_whole < pad_columns * channels
      %holds.2 = icmp slt i64 %left_at_whole, %product.7
      br i1 %holds.2, label %then.1, label %joined.1
      then.1:
        ; left_at = left_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(left_at + column, pad_columns * channels - 1), 0] = copied, vector where left_at + column < pad_columns * channels
        %limit = sub i64 %product.7, %left_at_whole
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %index.16 = add i64 %product.7, -1
        %min.1 = call i64 @llvm.smin.i64(i64 %left_at_whole, i64 %index.16)
        %index.17 = add i64 %product.9, %min.1
        %images_at_0.2 = getelementptr float, ptr %images, i64 %index.17
        call void @llvm.masked.store.v8f32.p0(<8 x float> zeroinitializer, ptr %images_at_0.2, i32 4, <8 x i1> %mask)
        br label %joined.1
      joined.1:
      ; for chunk from 0 to whole_channels by 8
      %product.10 = mul i64 %item, %x_image
      %index.18 = sub i64 %halo_row, %pad_h
      %product.12 = mul i64 %index.18, %x_row
      %index.19 = add i64 %product.10, %product.12
      %index.20 = add i64 %index.19, %pad_columns
      %index.21 = sub i64 %index.20, %pad_w
      %x_at_0 = getelementptr float, ptr %x, i64 %index.21
      %chunk_any = icmp slt i64 0, %whole_channels
      br i1 %chunk_any, label %chunk_loop, label %chunk_done
      chunk_loop:
        %chunk = phi i64 [ 0, %joined.1 ], [ %chunk_next, %pixel_done ]
        ; for pixel from 0 to columns // 8 * 8 by 8
        %quotient.7 = udiv i64 %width, 8
        %product.11 = mul i64 %chunk, %x_c
        %x_at_0.1 = getelementptr float, ptr %x_at_0, i64 %product.11
        %index.22 = add i64 %chunk, 1
        %product.13 = mul i64 %index.22, %x_c
        %x_at_1 = getelementptr float, ptr %x_at_0, i64 %product.13
        %index.23 = add i64 %chunk, 2
        %product.14 = mul i64 %index.23, %x_c
        %x_at_2 = getelementptr float, ptr %x_at_0, i64 %product.14
        %index.24 = add i64 %chunk, 3
        %product.15 = mul i64 %index.24, %x_c
        %x_at_3 = getelementptr float, ptr %x_at_0, i64 %product.15
        %index.25 = add i64 %chunk, 4
        %product.16 = mul i64 %index.25, %x_c
        %x_at_4 = getelementptr float, ptr %x_at_0, i64 %product.16
        %index.26 = add i64 %chunk, 5
        %product.17 = mul i64 %index.26, %x_c
        %x_at_5 = getelementptr float, ptr %x_at_0, i64 %product.17
        %index.27 = add i64 %chunk, 6
        %product.18 = mul i64 %index.27, %x_c
        %x_at_6 = getelementptr float, ptr %x_at_0, i64 %product.18
        %index.28 = add i64 %chunk, 7
        %product.19 = mul i64 %index.28, %x_c
        %x_at_7 = getelementptr float, ptr %x_at_0, i64 %product.19
        %images_at_0_0 = getelementptr float, ptr %images_at_0, i64 %chunk
        %pixel_limit = mul i64 %quotient.7, 8
        %pixel_any = icmp slt i64 0, %pixel_limit
        br i1 %pixel_any, label %pixel_loop, label %pixel_done
        pixel_loop:
          %pixel = phi i64 [ 0, %chunk_loop ], [ %pixel_next, %pixel_loop ]
          ; block_turned = x[item * x_image + (chunk + column) * x_c + (halo_row - pad_h) * x_row + pad_columns + pixel + row - pad_w], vector
          %x_at_0.2 = getelementptr float, ptr %x_at_0.1, i64 %pixel
          %block_turned_0_lower = load <4 x float>, ptr %x_at_0.2, align 4
          %block_turned_0_upper_at = getelementptr <4 x float>, ptr %x_at_0.2, i64 1
          %block_turned_0_upper = load <4 x float>, ptr %block_turned_0_upper_at, align 4
          %x_at_1.1 = getelementptr float, ptr %x_at_1, i64 %pixel
          %block_turned_1_lower = load <4 x float>, ptr %x_at_1.1, align 4
          %block_turned_1_upper_at = getelementptr <4 x float>, ptr %x_at_1.1, i64 1
          %block_turned_1_upper = load <4 x float>, ptr %block_turned_1_upper_at, align 4
          %x_at_2.1 = getelementptr float, ptr %x_at_2, i64 %pixel
          %block_turned_2_lower = load <4 x float>, ptr %x_at_2.1, align 4
          %block_turned_2_upper_at = getelementptr <4 x float>, ptr %x_at_2.1, i64 1
          %block_turned_2_upper = load <4 x float>, ptr %block_turned_2_upper_at, align 4
          %x_at_3.1 = getelementptr float, ptr %x_at_3, i64 %pixel
          %block_turned_3_lower = load <4 x float>, ptr %x_at_3.1, align 4
          %block_turned_3_upper_at = getelementptr <4 x float>, ptr %x_at_3.1, i64 1
          %block_turned_3_upper = load <4 x float>, ptr %block_turned_3_upper_at, align 4
          %x_at_4.1 = getelementptr float, ptr %x_at_4, i64 %pixel
          %block_turned_4_lower = load <4 x float>, ptr %x_at_4.1, align 4
          %block_turned_4_upper_at = getelementptr <4 x float>, ptr %x_at_4.1, i64 1
          %block_turned_4_upper = load <4 x float>, ptr %block_turned_4_upper_at, align 4
          %x_at_5.1 = getelementptr float, ptr %x_at_5, i64 %pixel
          %block_turned_5_lower = load <4 x float>, ptr %x_at_5.1, align 4
          %block_turned_5_upper_at = getelementptr <4 x float>, ptr %x_at_5.1, i64 1
          %block_turned_5_upper = load <4 x float>, ptr %block_turned_5_upper_at, align 4
          %x_at_6.1 = getelementptr float, ptr %x_at_6, i64 %pixel
          %block_turned_6_lower = load <4 x float>, ptr %x_at_6.1, align 4
          %block_turned_6_upper_at = getelementptr <4 x float>, ptr %x_at_6.1, i64 1
          %block_turned_6_upper = load <4 x float>, ptr %block_turned_6_upper_at, align 4
          %x_at_7.1 = getelementptr float, ptr %x_at_7, i64 %pixel
          %block_turned_7_lower = load <4 x float>, ptr %x_at_7.1, align 4
          %block_turned_7_upper_at = getelementptr <4 x float>, ptr %x_at_7.1, i64 1
          %block_turned_7_upper = load <4 x float>, ptr %block_turned_7_upper_at, align 4
          ; block = block_turned, lanes along the other axis
          %turned = shufflevector <4 x float> %block_turned_0_lower, <4 x float> %block_turned_4_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.1 = shufflevector <4 x float> %block_turned_0_upper, <4 x float> %block_turned_4_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.2 = shufflevector <4 x float> %block_turned_1_lower, <4 x float> %block_turned_5_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.3 = shufflevector <4 x float> %block_turned_1_upper, <4 x float> %block_turned_5_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.4 = shufflevector <4 x float> %block_turned_2_lower, <4 x float> %block_turned_6_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.5 = shufflevector <4 x float> %block_turned_2_upper, <4 x float> %block_turned_6_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.6 = shufflevector <4 x float> %block_turned_3_lower, <4 x float> %block_turned_7_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.7 = shufflevector <4 x float> %block_turned_3_upper, <4 x float> %block_turned_7_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.8 = shufflevector <8 x float> %turned, <8 x float> %turned.2, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.9 = shufflevector <8 x float> %turned.4, <8 x float> %turned.6, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.10 = shufflevector <8 x float> %turned.8, <8 x float> %turned.9, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.11 = shufflevector <8 x float> %turned.8, <8 x float> %turned.9, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.12 = shufflevector <8 x float> %turned, <8 x float> %turned.2, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.13 = shufflevector <8 x float> %turned.4, <8 x float> %turned.6, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.14 = shufflevector <8 x float> %turned.12, <8 x float> %turned.13, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.15 = shufflevector <8 x float> %turned.12, <8 x float> %turned.13, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.16 = shufflevector <8 x float> %turned.1, <8 x float> %turned.3, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.17 = shufflevector <8 x float> %turned.5, <8 x float> %turned.7, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.18 = shufflevector <8 x float> %turned.16, <8 x float> %turned.17, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.19 = shufflevector <8 x float> %turned.16, <8 x float> %turned.17, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.20 = shufflevector <8 x float> %turned.1, <8 x float> %turned.3, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.21 = shufflevector <8 x float> %turned.5, <8 x float> %turned.7, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.22 = shufflevector <8 x float> %turned.20, <8 x float> %turned.21, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.23 = shufflevector <8 x float> %turned.20, <8 x float> %turned.21, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          ; images[line * ((width + pad_w * 2) * k_c) + (pad_columns + pixel + row) * channels + chunk + column, 0] = block, vector
          %index.29 = add i64 %pad_columns, %pixel
          %product.20 = mul i64 %index.29, %k_c
          %images_at_0_0.1 = getelementptr float, ptr %images_at_0_0, i64 %product.20
          store <8 x float> %turned.10, ptr %images_at_0_0.1, align 4
          %index.30 = add i64 %index.29, 1
          %product.21 = mul i64 %index.30, %k_c
          %images_at_1_0 = getelementptr float, ptr %images_at_0_0, i64 %product.21
          store <8 x float> %turned.11, ptr %images_at_1_0, align 4
          %index.31 = add i64 %index.29, 2
          %product.22 = mul i64 %index.31, %k_c
          %images_at_2_0 = getelementptr float, ptr %images_at_0_0, i64 %product.22
          store <8 x float> %turned.14, ptr %images_at_2_0, align 4
          %index.32 = add i64 %index.29, 3
          %product.23 = mul i64 %index.32, %k_c
          %images_at_3_0 = getelementptr float, ptr %images_at_0_0, i64 %product.23
          store <8 x float> %turned.15, ptr %images_at_3_0, align 4
          %index.33 = add i64 %index.29, 4
          %product.24 = mul i64 %index.33, %k_c
          %images_at_4_0 = getelementptr float, ptr %images_at_0_0, i64 %product.24
          store <8 x float> %turned.18, ptr %images_at_4_0, align 4
          %index.34 = add i64 %index.29, 5
          %product.25 = mul i64 %index.34, %k_c
          %images_at_5_0 = getelementptr float, ptr %images_at_0_0, i64 %product.25
          store <8 x float> %turned.19, ptr %images_at_5_0, align 4
          %index.35 = add i64 %index.29, 6
          %product.26 = mul i64 %index.35, %k_c
          %images_at_6_0 = getelementptr float, ptr %images_at_0_0, i64 %product.26
          store <8 x float> %turned.22, ptr %images_at_6_0, align 4
          %index.36 = add i64 %index.29, 7
          %product.27 = mul i64 %index.36, %k_c
          %images_at_7_0 = getelementptr float, ptr %images_at_0_0, i64 %product.27
          store <8 x float> %turned.23, ptr %images_at_7_0, align 4
          %pixel_next = add i64 %pixel, 8
          %pixel_more = icmp slt i64 %pixel_next, %pixel_limit
          br i1 %pixel_more, label %pixel_loop, label %pixel_done
        pixel_done:
        %chunk_next = add i64 %chunk, 8
        %chunk_more = icmp slt i64 %chunk_next, %whole_channels
        br i1 %chunk_more, label %chunk_loop, label %chunk_done
      chunk_done:
      ; if whole_channels < channels
      %holds.3 = icmp slt i64 %whole_channels, %k_c
      br i1 %holds.3, label %then.2, label %joined.2
      then.2:
        ; chunk = whole_channels
        ; for pixel from 0 to columns // 8 * 8 by 8
        %quotient.8 = udiv i64 %width, 8
        %index.37 = add i64 %k_c, -1
        %min.2 = call i64 @llvm.smin.i64(i64 %whole_channels, i64 %index.37)
        %product.28 = mul i64 %min.2, %x_c
        %index.38 = add i64 %product.10, %product.28
        %index.39 = add i64 %index.38, %product.12
        %index.40 = add i64 %index.39, %pad_columns
        %index.41 = sub i64 %index.40, %pad_w
        %x_at_0.3 = getelementptr float, ptr %x, i64 %index.41
        %index.42 = add i64 %whole_channels, 1
        %min.3 = call i64 @llvm.smin.i64(i64 %index.42, i64 %index.37)
        %product.29 = mul i64 %min.3, %x_c
        %index.43 = add i64 %product.10, %product.29
        %index.44 = add i64 %index.43, %product.12
        %index.45 = add i64 %index.44, %pad_columns
        %index.46 = sub i64 %index.45, %pad_w
        %x_at_1.2 = getelementptr float, ptr %x, i64 %index.46
        %index.47 = add i64 %whole_channels, 2
        %min.4 = call i64 @llvm.smin.i64(i64 %index.47, i64 %index.37)
        %product.30 = mul i64 %min.4, %x_c
        %index.48 = add i64 %product.10, %product.30
        %index.49 = add i64 %index.48, %product.12
        %index.50 = add i64 %index.49, %pad_columns
        %index.51 = sub i64 %index.50, %pad_w
        %x_at_2.2 = getelementptr float, ptr %x, i64 %index.51
        %index.52 = add i64 %whole_channels, 3
        %min.5 = call i64 @llvm.smin.i64(i64 %index.52, i64 %index.37)
        %product.31 = mul i64 %min.5, %x_c
        %index.53 = add i64 %product.10, %product.31
        %index.54 = add i64 %index.53, %product.12
        %index.55 = add i64 %index.54, %pad_columns
        %index.56 = sub i64 %index.55, %pad_w
        %x_at_3.2 = getelementptr float, ptr %x, i64 %index.56
        %index.57 = add i64 %whole_channels, 4
        %min.6 = call i64 @llvm.smin.i64(i64 %index.57, i64 %index.37)
        %product.32 = mul i64 %min.6, %x_c
        %index.58 = add i64 %product.10, %product.32
        %index.59 = add i64 %index.58, %product.12
        %index.60 = add i64 %index.59, %pad_columns
        %index.61 = sub i64 %index.60, %pad_w
        %x_at_4.2 = getelementptr float, ptr %x, i64 %index.61
        %index.62 = add i64 %whole_channels, 5
        %min.7 = call i64 @llvm.smin.i64(i64 %index.62, i64 %index.37)
        %product.33 = mul i64 %min.7, %x_c
        %index.63 = add i64 %product.10, %product.33
        %index.64 = add i64 %index.63, %product.12
        %index.65 = add i64 %index.64, %pad_columns
        %index.66 = sub i64 %index.65, %pad_w
        %x_at_5.2 = getelementptr float, ptr %x, i64 %index.66
        %index.67 = add i64 %whole_channels, 6
        %min.8 = call i64 @llvm.smin.i64(i64 %index.67, i64 %index.37)
        %product.34 = mul i64 %min.8, %x_c
        %index.68 = add i64 %product.10, %product.34
        %index.69 = add i64 %index.68, %product.12
        %index.70 = add i64 %index.69, %pad_columns
        %index.71 = sub i64 %index.70, %pad_w
        %x_at_6.2 = getelementptr float, ptr %x, i64 %index.71
        %index.72 = add i64 %whole_channels, 7
        %min.9 = call i64 @llvm.smin.i64(i64 %index.72, i64 %index.37)
        %product.35 = mul i64 %min.9, %x_c
        %index.73 = add i64 %product.10, %product.35
        %index.74 = add i64 %index.73, %product.12
        %index.75 = add i64 %index.74, %pad_columns
        %index.76 = sub i64 %index.75, %pad_w
        %x_at_7.2 = getelementptr float, ptr %x, i64 %index.76
        %limit.1 = sub i64 %k_c, %whole_channels
        %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
        %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.1 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
        %index.78 = add i64 %product.9, %min.2
        %images_at_0_0.2 = getelementptr float, ptr %images, i64 %index.78
        %pixel_limit.1 = mul i64 %quotient.8, 8
        %pixel_any.1 = icmp slt i64 0, %pixel_limit.1
        br i1 %pixel_any.1, label %pixel_loop.1, label %pixel_done.1
        pixel_loop.1:
          %pixel.1 = phi i64 [ 0, %then.2 ], [ %pixel_next.1, %pixel_loop.1 ]
          ; block_turned = x[item * x_image + min(chunk + column, channels - 1) * x_c + (halo_row - pad_h) * x_row + pad_columns + pixel + row - pad_w], vector
          %x_at_0.4 = getelementptr float, ptr %x_at_0.3, i64 %pixel.1
          %block_turned_0_lower.1 = load <4 x float>, ptr %x_at_0.4, align 4
          %block_turned_0_upper_at.1 = getelementptr <4 x float>, ptr %x_at_0.4, i64 1
          %block_turned_0_upper.1 = load <4 x float>, ptr %block_turned_0_upper_at.1, align 4
          %x_at_1.3 = getelementptr float, ptr %x_at_1.2, i64 %pixel.1
          %block_turned_1_lower.1 = load <4 x float>, ptr %x_at_1.3, align 4
          %block_turned_1_upper_at.1 = getelementptr <4 x float>, ptr %x_at_1.3, i64 1
          %block_turned_1_upper.1 = load <4 x float>, ptr %block_turned_1_upper_at.1, align 4
          %x_at_2.3 = getelementptr float, ptr %x_at_2.2, i64 %pixel.1
          %block_turned_2_lower.1 = load <4 x float>, ptr %x_at_2.3, align 4
          %block_turned_2_upper_at.1 = getelementptr <4 x float>, ptr %x_at_2.3, i64 1
          %block_turned_2_upper.1 = load <4 x float>, ptr %block_turned_2_upper_at.1, align 4
          %x_at_3.3 = getelementptr float, ptr %x_at_3.2, i64 %pixel.1
          %block_turned_3_lower.1 = load <4 x float>, ptr %x_at_3.3, align 4
          %block_turned_3_upper_at.1 = getelementptr <4 x float>, ptr %x_at_3.3, i64 1
          %block_turned_3_upper.1 = load <4 x float>, ptr %block_turned_3_upper_at.1, align 4
          %x_at_4.3 = getelementptr float, ptr %x_at_4.2, i64 %pixel.1
          %block_turned_4_lower.1 = load <4 x float>, ptr %x_at_4.3, align 4
          %block_turned_4_upper_at.1 = getelementptr <4 x float>, ptr %x_at_4.3, i64 1
          %block_turned_4_upper.1 = load <4 x float>, ptr %block_turned_4_upper_at.1, align 4
          %x_at_5.3 = getelementptr float, ptr %x_at_5.2, i64 %pixel.1
          %block_turned_5_lower.1 = load <4 x float>, ptr %x_at_5.3, align 4
          %block_turned_5_upper_at.1 = getelementptr <4 x float>, ptr %x_at_5.3, i64 1
          %block_turned_5_upper.1 = load <4 x float>, ptr %block_turned_5_upper_at.1, align 4
          %x_at_6.3 = getelementptr float, ptr %x_at_6.2, i64 %pixel.1
          %block_turned_6_lower.1 = load <4 x float>, ptr %x_at_6.3, align 4
          %block_turned_6_upper_at.1 = getelementptr <4 x float>, ptr %x_at_6.3, i64 1
          %block_turned_6_upper.1 = load <4 x float>, ptr %block_turned_6_upper_at.1, align 4
          %x_at_7.3 = getelementptr float, ptr %x_at_7.2, i64 %pixel.1
          %block_turned_7_lower.1 = load <4 x float>, ptr %x_at_7.3, align 4
          %block_turned_7_upper_at.1 = getelementptr <4 x float>, ptr %x_at_7.3, i64 1
          %block_turned_7_upper.1 = load <4 x float>, ptr %block_turned_7_upper_at.1, align 4
          ; block = block_turned, lanes along the other axis
          %turned.24 = shufflevector <4 x float> %block_turned_0_lower.1, <4 x float> %block_turned_4_lower.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.25 = shufflevector <4 x float> %block_turned_0_upper.1, <4 x float> %block_turned_4_upper.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.26 = shufflevector <4 x float> %block_turned_1_lower.1, <4 x float> %block_turned_5_lower.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.27 = shufflevector <4 x float> %block_turned_1_upper.1, <4 x float> %block_turned_5_upper.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.28 = shufflevector <4 x float> %block_turned_2_lower.1, <4 x float> %block_turned_6_lower.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.29 = shufflevector <4 x float> %block_turned_2_upper.1, <4 x float> %block_turned_6_upper.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.30 = shufflevector <4 x float> %block_turned_3_lower.1, <4 x float> %block_turned_7_lower.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.31 = shufflevector <4 x float> %block_turned_3_upper.1, <4 x float> %block_turned_7_upper.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
          %turned.32 = shufflevector <8 x float> %turned.24, <8 x float> %turned.26, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.33 = shufflevector <8 x float> %turned.28, <8 x float> %turned.30, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.34 = shufflevector <8 x float> %turned.32, <8 x float> %turned.33, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.35 = shufflevector <8 x float> %turned.32, <8 x float> %turned.33, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.36 = shufflevector <8 x float> %turned.24, <8 x float> %turned.26, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.37 = shufflevector <8 x float> %turned.28, <8 x float> %turned.30, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.38 = shufflevector <8 x float> %turned.36, <8 x float> %turned.37, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.39 = shufflevector <8 x float> %turned.36, <8 x float> %turned.37, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.40 = shufflevector <8 x float> %turned.25, <8 x float> %turned.27, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.41 = shufflevector <8 x float> %turned.29, <8 x float> %turned.31, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
          %turned.42 = shufflevector <8 x float> %turned.40, <8 x float> %turned.41, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.43 = shufflevector <8 x float> %turned.40, <8 x float> %turned.41, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          %turned.44 = shufflevector <8 x float> %turned.25, <8 x float> %turned.27, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.45 = shufflevector <8 x float> %turned.29, <8 x float> %turned.31, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
          %turned.46 = shufflevector <8 x float> %turned.44, <8 x float> %turned.45, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
          %turned.47 = shufflevector <8 x float> %turned.44, <8 x float> %turned.45, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
          ; images[line * ((width + pad_w * 2) * k_c) + (pad_columns + pixel + row) * channels + min(chunk + column, channels - 1), 0] = block, vector where chunk + column < channels
          %index.77 = add i64 %pad_columns, %pixel.1
          %product.36 = mul i64 %index.77, %k_c
          %images_at_0_0.3 = getelementptr float, ptr %images_at_0_0.2, i64 %product.36
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.34, ptr %images_at_0_0.3, i32 4, <8 x i1> %mask.1)
          %index.79 = add i64 %index.77, 1
          %product.37 = mul i64 %index.79, %k_c
          %images_at_1_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.37
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.35, ptr %images_at_1_0.1, i32 4, <8 x i1> %mask.1)
          %index.80 = add i64 %index.77, 2
          %product.38 = mul i64 %index.80, %k_c
          %images_at_2_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.38
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.38, ptr %images_at_2_0.1, i32 4, <8 x i1> %mask.1)
          %index.81 = add i64 %index.77, 3
          %product.39 = mul i64 %index.81, %k_c
          %images_at_3_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.39
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.39, ptr %images_at_3_0.1, i32 4, <8 x i1> %mask.1)
          %index.82 = add i64 %index.77, 4
          %product.40 = mul i64 %index.82, %k_c
          %images_at_4_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.40
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.42, ptr %images_at_4_0.1, i32 4, <8 x i1> %mask.1)
          %index.83 = add i64 %index.77, 5
          %product.41 = mul i64 %index.83, %k_c
          %images_at_5_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.41
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.43, ptr %images_at_5_0.1, i32 4, <8 x i1> %mask.1)
          %index.84 = add i64 %index.77, 6
          %product.42 = mul i64 %index.84, %k_c
          %images_at_6_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.42
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.46, ptr %images_at_6_0.1, i32 4, <8 x i1> %mask.1)
          %index.85 = add i64 %index.77, 7
          %product.43 = mul i64 %index.85, %k_c
          %images_at_7_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.43
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.47, ptr %images_at_7_0.1, i32 4, <8 x i1> %mask.1)
          %pixel_next.1 = add i64 %pixel.1, 8
          %pixel_more.1 = icmp slt i64 %pixel_next.1, %pixel_limit.1
          br i1 %pixel_more.1, label %pixel_loop.1, label %pixel_done.1
        pixel_done.1:
        br label %joined.2
      joined.2:
      ; for halo_column from pad_columns + columns // 8 * 8 to pad_columns + columns
      %quotient.9 = udiv i64 %width, 8
      %index.86 = mul i64 %quotient.9, 8
      %halo_column_first = add i64 %pad_columns, %index.86
      %index.87 = sub i64 %index.19, %pad_w
      %x_at_0.5 = getelementptr float, ptr %x, i64 %index.87
      %halo_column_limit = add i64 %pad_columns, %width
      %halo_column_any = icmp slt i64 %halo_column_first, %halo_column_limit
      br i1 %halo_column_any, label %halo_column_loop, label %halo_column_done
      halo_column_loop:
        %halo_column = phi i64 [ %halo_column_first, %joined.2 ], [ %halo_column_next, %joined.3 ]
        ; for chunk from 0 to whole_channels by 8
        %x_at_0.6 = getelementptr float, ptr %x_at_0.5, i64 %halo_column
        %product.45 = mul i64 %halo_column, %k_c
        %images_at_0.3 = getelementptr float, ptr %images_at_0, i64 %product.45
        br i1 %chunk_any, label %chunk_loop.1, label %chunk_done.1
        chunk_loop.1:
          %chunk.1 = phi i64 [ 0, %halo_column_loop ], [ %chunk_next.1, %chunk_loop.1 ]
          ; copied = x[item * x_image + (chunk + column) * x_c + (halo_row - pad_h) * x_row + halo_column - pad_w], gather
          %product.44 = mul i64 %chunk.1, %x_c
          %x_at_0.7 = getelementptr float, ptr %x_at_0.6, i64 %product.44
          %lane_at = getelementptr float, ptr %x_at_0.7, i64 %x_c
          %lane_at.1 = getelementptr float, ptr %lane_at, i64 %x_c
          %lane_at.2 = getelementptr float, ptr %lane_at.1, i64 %x_c
          %lane_at.3 = getelementptr float, ptr %lane_at.2, i64 %x_c
          %lane_at.4 = getelementptr float, ptr %lane_at.3, i64 %x_c
          %lane_at.5 = getelementptr float, ptr %lane_at.4, i64 %x_c
          %lane_at.6 = getelementptr float, ptr %lane_at.5, i64 %x_c
          %copied_0_one = load float, ptr %x_at_0.7, align 4
          %copied_0 = insertelement <8 x float> poison, float %copied_0_one, i64 0
          %copied_0_one.1 = load float, ptr %lane_at, align 4
          %copied_0.1 = insertelement <8 x float> %copied_0, float %copied_0_one.1, i64 1
          %copied_0_one.2 = load float, ptr %lane_at.1, align 4
          %copied_0.2 = insertelement <8 x float> %copied_0.1, float %copied_0_one.2, i64 2
          %copied_0_one.3 = load float, ptr %lane_at.2, align 4
          %copied_0.3 = insertelement <8 x float> %copied_0.2, float %copied_0_one.3, i64 3
          %copied_0_one.4 = load float, ptr %lane_at.3, align 4
          %copied_0.4 = insertelement <8 x float> %copied_0.3, float %copied_0_one.4, i64 4
          %copied_0_one.5 = load float, ptr %lane_at.4, align 4
          %copied_0.5 = insertelement <8 x float> %copied_0.4, float %copied_0_one.5, i64 5
          %copied_0_one.6 = load float, ptr %lane_at.5, align 4
          %copied_0.6 = insertelement <8 x float> %copied_0.5, float %copied_0_one.6, i64 6
          %copied_0_one.7 = load float, ptr %lane_at.6, align 4
          %copied_0.7 = insertelement <8 x float> %copied_0.6, float %copied_0_one.7, i64 7
          ; images[line * ((width + pad_w * 2) * k_c) + halo_column * channels + chunk + column, 0] = copied, vector
          %images_at_0.4 = getelementptr float, ptr %images_at_0.3, i64 %chunk.1
          store <8 x float> %copied_0.7, ptr %images_at_0.4, align 4
          %chunk_next.1 = add i64 %chunk.1, 8
          %chunk_more.1 = icmp slt i64 %chunk_next.1, %whole_channels
          br i1 %chunk_more.1, label %chunk_loop.1, label %chunk_done.1
        chunk_done.1:
        ; if whole_channels < channels
        br i1 %holds.3, label %then.3, label %joined.3
        then.3:
          ; chunk = whole_channels
          ; copied = x[item * x_image + (chunk + column) * x_c + (halo_row - pad_h) * x_row + halo_column - pad_w], gather where chunk + column < channels, else 0
          %limit.2 = sub i64 %k_c, %whole_channels
          %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
          %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
          %lane0.3 = insertelement <8 x i64> poison, i64 %whole_channels, i64 0
          %all.3 = shufflevector <8 x i64> %lane0.3, <8 x i64> poison, <8 x i32> zeroinitializer
          %index.88 = add <8 x i64> %all.3, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %lane0.4 = insertelement <8 x i64> poison, i64 %x_c, i64 0
          %all.4 = shufflevector <8 x i64> %lane0.4, <8 x i64> poison, <8 x i32> zeroinitializer
          %product.46 = mul <8 x i64> %index.88, %all.4
          %index.89 = add i64 %index.19, %halo_column
          %index.90 = sub i64 %index.89, %pad_w
          %x_at_0.8 = getelementptr float, ptr %x, i64 %index.90
          %lanes_at = getelementptr float, ptr %x_at_0.8, <8 x i64> %product.46
          %lane0.5 = insertelement <8 x ptr> poison, ptr %fill_fp32, i64 0
          %all.5 = shufflevector <8 x ptr> %lane0.5, <8 x ptr> poison, <8 x i32> zeroinitializer
          %safe_at = select <8 x i1> %mask.2, <8 x ptr> %lanes_at, <8 x ptr> %all.5
          %lane_at.7 = extractelement <8 x ptr> %safe_at, i64 0
          %lane_at.8 = extractelement <8 x ptr> %safe_at, i64 1
          %lane_at.9 = extractelement <8 x ptr> %safe_at, i64 2
          %lane_at.10 = extractelement <8 x ptr> %safe_at, i64 3
          %lane_at.11 = extractelement <8 x ptr> %safe_at, i64 4
          %lane_at.12 = extractelement <8 x ptr> %safe_at, i64 5
          %lane_at.13 = extractelement <8 x ptr> %safe_at, i64 6
          %lane_at.14 = extractelement <8 x ptr> %safe_at, i64 7
          %copied_0_one.8 = load float, ptr %lane_at.7, align 4
          %copied_0.8 = insertelement <8 x float> poison, float %copied_0_one.8, i64 0
          %copied_0_one.9 = load float, ptr %lane_at.8, align 4
          %copied_0.9 = insertelement <8 x float> %copied_0.8, float %copied_0_one.9, i64 1
          %copied_0_one.10 = load float, ptr %lane_at.9, align 4
          %copied_0.10 = insertelement <8 x float> %copied_0.9, float %copied_0_one.10, i64 2
          %copied_0_one.11 = load float, ptr %lane_at.10, align 4
          %copied_0.11 = insertelement <8 x float> %copied_0.10, float %copied_0_one.11, i64 3
          %copied_0_one.12 = load float, ptr %lane_at.11, align 4
          %copied_0.12 = insertelement <8 x float> %copied_0.11, float %copied_0_one.12, i64 4
          %copied_0_one.13 = load float, ptr %lane_at.12, align 4
          %copied_0.13 = insertelement <8 x float> %copied_0.12, float %copied_0_one.13, i64 5
          %copied_0_one.14 = load float, ptr %lane_at.13, align 4
          %copied_0.14 = insertelement <8 x float> %copied_0.13, float %copied_0_one.14, i64 6
          %copied_0_one.15 = load float, ptr %lane_at.14, align 4
          %copied_0.15 = insertelement <8 x float> %copied_0.14, float %copied_0_one.15, i64 7
          ; images[line * ((width + pad_w * 2) * k_c) + halo_column * channels + min(chunk + column, channels - 1), 0] = copied, vector where chunk + column < channels
          %index.91 = add i64 %k_c, -1
          %min.10 = call i64 @llvm.smin.i64(i64 %whole_channels, i64 %index.91)
          %index.92 = add i64 %product.9, %product.45
          %index.93 = add i64 %index.92, %min.10
          %images_at_0.5 = getelementptr float, ptr %images, i64 %index.93
          call void @llvm.masked.store.v8f32.p0(<8 x float> %copied_0.15, ptr %images_at_0.5, i32 4, <8 x i1> %mask.2)
          br label %joined.3
        joined.3:
        %halo_column_next = add i64 %halo_column, 1
        %halo_column_more = icmp slt i64 %halo_column_next, %halo_column_limit
        br i1 %halo_column_more, label %halo_column_loop, label %halo_column_done
      halo_column_done:
      ; copied = 0
      ; right_at_whole = (pad_columns + columns) * channels + ((width + pad_w * 2) * k_c - (pad_columns + columns) * channels) // 8 * 8
      %product.47 = mul i64 %halo_column_limit, %k_c
      %index.94 = sub i64 %product.8, %product.47
      %rest.2 = srem i64 %index.94, 8
      %below.2 = ashr i64 %rest.2, 63
      %quotient.10 = sdiv i64 %index.94, 8
      %quotient.11 = add i64 %quotient.10, %below.2
      %index.95 = mul i64 %quotient.11, 8
      %right_at_whole = add i64 %product.47, %index.95
      ; for right_at from (pad_columns + columns) * channels to right_at_whole by 8
      %right_at_any = icmp slt i64 %product.47, %right_at_whole
      br i1 %right_at_any, label %right_at_loop, label %right_at_done
      right_at_loop:
        %right_at = phi i64 [ %product.47, %halo_column_done ], [ %right_at_next, %right_at_loop ]
        ; images[line * ((width + pad_w * 2) * k_c) + right_at + column, 0] = copied, vector
        %images_at_0.6 = getelementptr float, ptr %images_at_0, i64 %right_at
        store <8 x float> zeroinitializer, ptr %images_at_0.6, align 4
        %right_at_next = add i64 %right_at, 8
        %right_at_more = icmp slt i64 %right_at_next, %right_at_whole
        br i1 %right_at_more, label %right_at_loop, label %right_at_done
      right_at_done:
      ; if right_at_whole < (width + pad_w * 2) * k_c
      %holds.4 = icmp slt i64 %right_at_whole, %product.8
      br i1 %holds.4, label %then.4, label %joined.4
      then.4:
        ; right_at = right_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(right_at + column, (width + pad_w * 2) * k_c - 1), 0] = copied, vector where right_at + column < (width + pad_w * 2) * k_c
        %limit.3 = sub i64 %product.8, %right_at_whole
        %lane0.6 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
        %all.6 = shufflevector <8 x i64> %lane0.6, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.6
        %index.96 = add i64 %product.8, -1
        %min.11 = call i64 @llvm.smin.i64(i64 %right_at_whole, i64 %index.96)
        %index.97 = add i64 %product.9, %min.11
        %images_at_0.7 = getelementptr float, ptr %images, i64 %index.97
        call void @llvm.masked.store.v8f32.p0(<8 x float> zeroinitializer, ptr %images_at_0.7, i32 4, <8 x i1> %mask.3)
        br label %joined.4
      joined.4:
      br label %joined
    otherwise:
      ; copied = 0
      ; empty_at_whole = (width + pad_w * 2) * k_c // 8 * 8
      %index.98 = add i64 %width, %index.11
      %product.48 = mul i64 %index.98, %k_c
      %quotient.12 = udiv i64 %product.48, 8
      %empty_at_whole = mul i64 %quotient.12, 8
      ; for empty_at from 0 to empty_at_whole by 8
      %product.49 = mul i64 %line, %product.48
      %images_at_0.8 = getelementptr float, ptr %images, i64 %product.49
      %empty_at_any = icmp slt i64 0, %empty_at_whole
      br i1 %empty_at_any, label %empty_at_loop, label %empty_at_done
      empty_at_loop:
        %empty_at = phi i64 [ 0, %otherwise ], [ %empty_at_next, %empty_at_loop ]
        ; images[line * ((width + pad_w * 2) * k_c) + empty_at + column, 0] = copied, vector
        %images_at_0.9 = getelementptr float, ptr %images_at_0.8, i64 %empty_at
        store <8 x float> zeroinitializer, ptr %images_at_0.9, align 4
        %empty_at_next = add i64 %empty_at, 8
        %empty_at_more = icmp slt i64 %empty_at_next, %empty_at_whole
        br i1 %empty_at_more, label %empty_at_loop, label %empty_at_done
      empty_at_done:
      ; if empty_at_whole < (width + pad_w * 2) * k_c
      %holds.5 = icmp slt i64 %empty_at_whole, %product.48
      br i1 %holds.5, label %then.5, label %joined.5
      then.5:
        ; empty_at = empty_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(empty_at + column, (width + pad_w * 2) * k_c - 1), 0] = copied, vector where empty_at + column < (width + pad_w * 2) * k_c
        %limit.4 = sub i64 %product.48, %empty_at_whole
        %lane0.7 = insertelement <8 x i64> poison, i64 %limit.4, i64 0
        %all.7 = shufflevector <8 x i64> %lane0.7, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.4 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.7
        %index.99 = add i64 %product.48, -1
        %min.12 = call i64 @llvm.smin.i64(i64 %empty_at_whole, i64 %index.99)
        %index.100 = add i64 %product.49, %min.12
        %images_at_0.10 = getelementptr float, ptr %images, i64 %index.100
        call void @llvm.masked.store.v8f32.p0(<8 x float> zeroinitializer, ptr %images_at_0.10, i32 4, <8 x i1> %mask.4)
        br label %joined.5
      joined.5:
      br label %joined
    joined:
    %line_next = add i64 %line, 1
    %line_more = icmp slt i64 %line_next, %line_stop
    br i1 %line_more, label %line_loop, label %line_done
  line_done:
  ; all workers meet: images_written
  call void @tracea_barrier(ptr %barrier, i64 %workers)
  ; for unit from worker * (row_splits * column_splits) // workers to (worker + 1) * (row_splits * column_splits) // workers
  %product.50 = mul i64 %row_splits, %column_splits
  %product.51 = mul i64 %worker, %product.50
  %unit_first = udiv i64 %product.51, %workers
  %product.52 = mul i64 %index.12, %product.50
  %unit_stop = udiv i64 %product.52, %workers
  %low.2 = and i64 %n_reciprocal, 4294967295
  %multiplier.2 = add i64 %low.2, 2147483648
  %high.2 = lshr i64 %n_reciprocal, 32
  %shift.2 = add i64 %high.2, 31
  %index.201 = add i64 %product.4, -1
  %index.202 = add i64 %width, %index.11
  %product.129 = mul i64 %index.202, %k_c
  %product.130 = mul i64 %index.10, %product.129
  %low.3 = and i64 %out_width_reciprocal, 4294967295
  %multiplier.3 = add i64 %low.3, 2147483648
  %high.3 = lshr i64 %out_width_reciprocal, 32
  %shift.3 = add i64 %high.3, 31
  %run_stop = mul i64 %k_s, %k_c
  %run_limit = add i64 %run_stop, -1
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %line_done ], [ %unit_next, %row_part_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits
    %split = udiv i64 %unit, %column_splits
    ; first_panel = part * panels // column_splits
    %product.53 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.53, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.101 = add i64 %part, 1
    %product.54 = mul i64 %index.101, %quotient
    %last_panel = udiv i64 %product.54, %column_splits
    ; first_tile = split * row_tiles // row_splits
    %product.55 = mul i64 %split, %row_tiles
    %first_tile = udiv i64 %product.55, %row_splits
    ; last_tile = (split + 1) * row_tiles // row_splits
    %index.102 = add i64 %split, 1
    %product.56 = mul i64 %index.102, %row_tiles
    %last_tile = udiv i64 %product.56, %row_splits
    ; for row_part from 0 to row_blocks
    %index.103 = sub i64 %last_tile, %first_tile
    %index.105 = mul i64 %first_panel, -1
    %row_part_any = icmp slt i64 0, %row_blocks
    br i1 %row_part_any, label %row_part_loop, label %row_part_done
    row_part_loop:
      %row_part = phi i64 [ 0, %unit_loop ], [ %row_part_next, %panel_done ]
      ; block_first = first_tile + row_part * (last_tile - first_tile) // row_blocks
      %product.57 = mul i64 %row_part, %index.103
      %rest.3 = srem i64 %product.57, %row_blocks
      %below.3 = ashr i64 %rest.3, 63
      %quotient.13 = sdiv i64 %product.57, %row_blocks
      %quotient.14 = add i64 %quotient.13, %below.3
      %block_first = add i64 %first_tile, %quotient.14
      ; block_last = first_tile + (row_part + 1) * (last_tile - first_tile) // row_blocks
      %index.104 = add i64 %row_part, 1
      %product.58 = mul i64 %index.104, %index.103
      %rest.4 = srem i64 %product.58, %row_blocks
      %below.4 = ashr i64 %rest.4, 63
      %quotient.15 = sdiv i64 %product.58, %row_blocks
      %quotient.16 = add i64 %quotient.15, %below.4
      %block_last = add i64 %first_tile, %quotient.16
      ; for panel from first_panel to last_panel
      %holds.6 = icmp eq i64 %row_part, 0
      %index.190 = sub i64 %block_last, %block_first
      %index.191 = add i64 %index.190, 3
      %panel_any = icmp slt i64 %first_panel, %last_panel
      br i1 %panel_any, label %panel_loop, label %panel_done
      panel_loop:
        %panel.1 = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %batch_done ]
        ; column0 = panel * 16
        %column0 = mul i64 %panel.1, 16
        ; panel_row = (panel - first_panel) * min(row_blocks - 1, 1) * k_rows
        %index.106 = add i64 %index.105, %panel.1
        %product.59 = mul i64 %index.106, %min
        %panel_row = mul i64 %product.59, %product.2
        ; if row_part == 0
        br i1 %holds.6, label %then.6, label %joined.6
        then.6:
          ; for filter_at from 0 to k_rows // 8 * 8 by 8
          %quotient.17 = udiv i64 %product.2, 8
          %index.109 = add i64 %m, -1
          %low = and i64 %k_s_reciprocal, 4294967295
          %multiplier = add i64 %low, 2147483648
          %high = lshr i64 %k_s_reciprocal, 32
          %shift = add i64 %high, 31
          %low.1 = and i64 %k_r_reciprocal, 4294967295
          %multiplier.1 = add i64 %low.1, 2147483648
          %high.1 = lshr i64 %k_r_reciprocal, 32
          %shift.1 = add i64 %high.1, 31
          %index.120 = mul i64 %panel_row, 16
          %panel_at_0_0 = getelementptr float, ptr %panel, i64 %index.120
          %filter_at_limit = mul i64 %quotient.17, 8
          %filter_at_any = icmp slt i64 0, %filter_at_limit
          br i1 %filter_at_any, label %filter_at_loop, label %filter_at_done
          filter_at_loop:
            %filter_at = phi i64 [ 0, %then.6 ], [ %filter_at_next, %vector_done ]
            ; for vector from 0 to 2
            %w_at_0 = getelementptr float, ptr %w, i64 %filter_at
            %product.68 = mul i64 %filter_at, %multiplier
            %quotient.18 = lshr i64 %product.68, %shift
            %product.69 = mul i64 %quotient.18, %multiplier.1
            %quotient.19 = lshr i64 %product.69, %shift.1
            %product.70 = mul i64 %quotient.19, %k_r
            %index.117 = sub i64 %quotient.18, %product.70
            %product.71 = mul i64 %index.117, %k_s
            %product.72 = mul i64 %quotient.18, %k_s
            %index.118 = add i64 %product.71, %filter_at
            %index.119 = sub i64 %index.118, %product.72
            %product.73 = mul i64 %index.119, %k_c
            %index.121 = mul i64 %product.73, 16
            %index.122 = mul i64 %quotient.19, 16
            %index.123 = add i64 %index.121, %index.122
            %panel_at_0_0.1 = getelementptr float, ptr %panel_at_0_0, i64 %index.123
            %index.126 = add i64 %filter_at, 1
            %product.74 = mul i64 %index.126, %multiplier
            %quotient.21 = lshr i64 %product.74, %shift
            %product.75 = mul i64 %quotient.21, %multiplier.1
            %quotient.22 = lshr i64 %product.75, %shift.1
            %product.76 = mul i64 %quotient.22, %k_r
            %index.127 = sub i64 %quotient.21, %product.76
            %product.77 = mul i64 %index.127, %k_s
            %product.78 = mul i64 %quotient.21, %k_s
            %index.128 = add i64 %product.77, %filter_at
            %index.129 = sub i64 %index.128, %product.78
            %index.130 = add i64 %index.129, 1
            %product.79 = mul i64 %index.130, %k_c
            %index.131 = mul i64 %product.79, 16
            %index.132 = mul i64 %quotient.22, 16
            %index.133 = add i64 %index.131, %index.132
            %panel_at_1_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.133
            %index.134 = add i64 %filter_at, 2
            %product.80 = mul i64 %index.134, %multiplier
            %quotient.23 = lshr i64 %product.80, %shift
            %product.81 = mul i64 %quotient.23, %multiplier.1
            %quotient.24 = lshr i64 %product.81, %shift.1
            %product.82 = mul i64 %quotient.24, %k_r
            %index.135 = sub i64 %quotient.23, %product.82
            %product.83 = mul i64 %index.135, %k_s
            %product.84 = mul i64 %quotient.23, %k_s
            %index.136 = add i64 %product.83, %filter_at
            %index.137 = sub i64 %index.136, %product.84
            %index.138 = add i64 %index.137, 2
            %product.85 = mul i64 %index.138, %k_c
            %index.139 = mul i64 %product.85, 16
            %index.140 = mul i64 %quotient.24, 16
            %index.141 = add i64 %index.139, %index.140
            %panel_at_2_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.141
            %index.142 = add i64 %filter_at, 3
            %product.86 = mul i64 %index.142, %multiplier
            %quotient.25 = lshr i64 %product.86, %shift
            %product.87 = mul i64 %quotient.25, %multiplier.1
            %quotient.26 = lshr i64 %product.87, %shift.1
            %product.88 = mul i64 %quotient.26, %k_r
            %index.143 = sub i64 %quotient.25, %product.88
            %product.89 = mul i64 %index.143, %k_s
            %product.90 = mul i64 %quotient.25, %k_s
            %index.144 = add i64 %product.89, %filter_at
            %index.145 = sub i64 %index.144, %product.90
            %index.146 = add i64 %index.145, 3
            %product.91 = mul i64 %index.146, %k_c
            %index.147 = mul i64 %product.91, 16
            %index.148 = mul i64 %quotient.26, 16
            %index.149 = add i64 %index.147, %index.148
            %panel_at_3_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.149
            %index.150 = add i64 %filter_at, 4
            %product.92 = mul i64 %index.150, %multiplier
            %quotient.27 = lshr i64 %product.92, %shift
            %product.93 = mul i64 %quotient.27, %multiplier.1
            %quotient.28 = lshr i64 %product.93, %shift.1
            %product.94 = mul i64 %quotient.28, %k_r
            %index.151 = sub i64 %quotient.27, %product.94
            %product.95 = mul i64 %index.151, %k_s
            %product.96 = mul i64 %quotient.27, %k_s
            %index.152 = add i64 %product.95, %filter_at
            %index.153 = sub i64 %index.152, %product.96
            %index.154 = add i64 %index.153, 4
            %product.97 = mul i64 %index.154, %k_c
            %index.155 = mul i64 %product.97, 16
            %index.156 = mul i64 %quotient.28, 16
            %index.157 = add i64 %index.155, %index.156
            %panel_at_4_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.157
            %index.158 = add i64 %filter_at, 5
            %product.98 = mul i64 %index.158, %multiplier
            %quotient.29 = lshr i64 %product.98, %shift
            %product.99 = mul i64 %quotient.29, %multiplier.1
            %quotient.30 = lshr i64 %product.99, %shift.1
            %product.100 = mul i64 %quotient.30, %k_r
            %index.159 = sub i64 %quotient.29, %product.100
            %product.101 = mul i64 %index.159, %k_s
            %product.102 = mul i64 %quotient.29, %k_s
            %index.160 = add i64 %product.101, %filter_at
            %index.161 = sub i64 %index.160, %product.102
            %index.162 = add i64 %index.161, 5
            %product.103 = mul i64 %index.162, %k_c
            %index.163 = mul i64 %product.103, 16
            %index.164 = mul i64 %quotient.30, 16
            %index.165 = add i64 %index.163, %index.164
            %panel_at_5_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.165
            %index.166 = add i64 %filter_at, 6
            %product.104 = mul i64 %index.166, %multiplier
            %quotient.31 = lshr i64 %product.104, %shift
            %product.105 = mul i64 %quotient.31, %multiplier.1
            %quotient.32 = lshr i64 %product.105, %shift.1
            %product.106 = mul i64 %quotient.32, %k_r
            %index.167 = sub i64 %quotient.31, %product.106
            %product.107 = mul i64 %index.167, %k_s
            %product.108 = mul i64 %quotient.31, %k_s
            %index.168 = add i64 %product.107, %filter_at
            %index.169 = sub i64 %index.168, %product.108
            %index.170 = add i64 %index.169, 6
            %product.109 = mul i64 %index.170, %k_c
            %index.171 = mul i64 %product.109, 16
            %index.172 = mul i64 %quotient.32, 16
            %index.173 = add i64 %index.171, %index.172
            %panel_at_6_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.173
            %index.174 = add i64 %filter_at, 7
            %product.110 = mul i64 %index.174, %multiplier
            %quotient.33 = lshr i64 %product.110, %shift
            %product.111 = mul i64 %quotient.33, %multiplier.1
            %quotient.34 = lshr i64 %product.111, %shift.1
            %product.112 = mul i64 %quotient.34, %k_r
            %index.175 = sub i64 %quotient.33, %product.112
            %product.113 = mul i64 %index.175, %k_s
            %product.114 = mul i64 %quotient.33, %k_s
            %index.176 = add i64 %product.113, %filter_at
            %index.177 = sub i64 %index.176, %product.114
            %index.178 = add i64 %index.177, 7
            %product.115 = mul i64 %index.178, %k_c
            %index.179 = mul i64 %product.115, 16
            %index.180 = mul i64 %quotient.34, 16
            %index.181 = add i64 %index.179, %index.180
            %panel_at_7_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.181
            br label %vector_loop
            vector_loop:
              %vector = phi i64 [ 0, %filter_at_loop ], [ %vector_next, %vector_loop ]
              ; turned = w[min(column0 + vector * 8 + column, m - 1) * w_out + filter_at + row], vector
              %index.107 = mul i64 %vector, 8
              %index.108 = add i64 %column0, %index.107
              %min.13 = call i64 @llvm.smin.i64(i64 %index.108, i64 %index.109)
              %product.60 = mul i64 %min.13, %w_out
              %w_at_0.1 = getelementptr float, ptr %w_at_0, i64 %product.60
              %turned_0_lower = load <4 x float>, ptr %w_at_0.1, align 4
              %turned_0_upper_at = getelementptr <4 x float>, ptr %w_at_0.1, i64 1
              %turned_0_upper = load <4 x float>, ptr %turned_0_upper_at, align 4
              %index.110 = add i64 %index.108, 1
              %min.14 = call i64 @llvm.smin.i64(i64 %index.110, i64 %index.109)
              %product.61 = mul i64 %min.14, %w_out
              %w_at_1 = getelementptr float, ptr %w_at_0, i64 %product.61
              %turned_1_lower = load <4 x float>, ptr %w_at_1, align 4
              %turned_1_upper_at = getelementptr <4 x float>, ptr %w_at_1, i64 1
              %turned_1_upper = load <4 x float>, ptr %turned_1_upper_at, align 4
              %index.111 = add i64 %index.108, 2
              %min.15 = call i64 @llvm.smin.i64(i64 %index.111, i64 %index.109)
              %product.62 = mul i64 %min.15, %w_out
              %w_at_2 = getelementptr float, ptr %w_at_0, i64 %product.62
              %turned_2_lower = load <4 x float>, ptr %w_at_2, align 4
              %turned_2_upper_at = getelementptr <4 x float>, ptr %w_at_2, i64 1
              %turned_2_upper = load <4 x float>, ptr %turned_2_upper_at, align 4
              %index.112 = add i64 %index.108, 3
              %min.16 = call i64 @llvm.smin.i64(i64 %index.112, i64 %index.109)
              %product.63 = mul i64 %min.16, %w_out
              %w_at_3 = getelementptr float, ptr %w_at_0, i64 %product.63
              %turned_3_lower = load <4 x float>, ptr %w_at_3, align 4
              %turned_3_upper_at = getelementptr <4 x float>, ptr %w_at_3, i64 1
              %turned_3_upper = load <4 x float>, ptr %turned_3_upper_at, align 4
              %index.113 = add i64 %index.108, 4
              %min.17 = call i64 @llvm.smin.i64(i64 %index.113, i64 %index.109)
              %product.64 = mul i64 %min.17, %w_out
              %w_at_4 = getelementptr float, ptr %w_at_0, i64 %product.64
              %turned_4_lower = load <4 x float>, ptr %w_at_4, align 4
              %turned_4_upper_at = getelementptr <4 x float>, ptr %w_at_4, i64 1
              %turned_4_upper = load <4 x float>, ptr %turned_4_upper_at, align 4
              %index.114 = add i64 %index.108, 5
              %min.18 = call i64 @llvm.smin.i64(i64 %index.114, i64 %index.109)
              %product.65 = mul i64 %min.18, %w_out
              %w_at_5 = getelementptr float, ptr %w_at_0, i64 %product.65
              %turned_5_lower = load <4 x float>, ptr %w_at_5, align 4
              %turned_5_upper_at = getelementptr <4 x float>, ptr %w_at_5, i64 1
              %turned_5_upper = load <4 x float>, ptr %turned_5_upper_at, align 4
              %index.115 = add i64 %index.108, 6
              %min.19 = call i64 @llvm.smin.i64(i64 %index.115, i64 %index.109)
              %product.66 = mul i64 %min.19, %w_out
              %w_at_6 = getelementptr float, ptr %w_at_0, i64 %product.66
              %turned_6_lower = load <4 x float>, ptr %w_at_6, align 4
              %turned_6_upper_at = getelementptr <4 x float>, ptr %w_at_6, i64 1
              %turned_6_upper = load <4 x float>, ptr %turned_6_upper_at, align 4
              %index.116 = add i64 %index.108, 7
              %min.20 = call i64 @llvm.smin.i64(i64 %index.116, i64 %index.109)
              %product.67 = mul i64 %min.20, %w_out
              %w_at_7 = getelementptr float, ptr %w_at_0, i64 %product.67
              %turned_7_lower = load <4 x float>, ptr %w_at_7, align 4
              %turned_7_upper_at = getelementptr <4 x float>, ptr %w_at_7, i64 1
              %turned_7_upper = load <4 x float>, ptr %turned_7_upper_at, align 4
              ; square = turned, lanes along the other axis
              %turned.48 = shufflevector <4 x float> %turned_0_lower, <4 x float> %turned_4_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.49 = shufflevector <4 x float> %turned_0_upper, <4 x float> %turned_4_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.50 = shufflevector <4 x float> %turned_1_lower, <4 x float> %turned_5_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.51 = shufflevector <4 x float> %turned_1_upper, <4 x float> %turned_5_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.52 = shufflevector <4 x float> %turned_2_lower, <4 x float> %turned_6_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.53 = shufflevector <4 x float> %turned_2_upper, <4 x float> %turned_6_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.54 = shufflevector <4 x float> %turned_3_lower, <4 x float> %turned_7_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.55 = shufflevector <4 x float> %turned_3_upper, <4 x float> %turned_7_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.56 = shufflevector <8 x float> %turned.48, <8 x float> %turned.50, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
              %turned.57 = shufflevector <8 x float> %turned.52, <8 x float> %turned.54, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
              %turned.58 = shufflevector <8 x float> %turned.56, <8 x float> %turned.57, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
              %turned.59 = shufflevector <8 x float> %turned.56, <8 x float> %turned.57, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
              %turned.60 = shufflevector <8 x float> %turned.48, <8 x float> %turned.50, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
              %turned.61 = shufflevector <8 x float> %turned.52, <8 x float> %turned.54, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
              %turned.62 = shufflevector <8 x float> %turned.60, <8 x float> %turned.61, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
              %turned.63 = shufflevector <8 x float> %turned.60, <8 x float> %turned.61, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
              %turned.64 = shufflevector <8 x float> %turned.49, <8 x float> %turned.51, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
              %turned.65 = shufflevector <8 x float> %turned.53, <8 x float> %turned.55, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
              %turned.66 = shufflevector <8 x float> %turned.64, <8 x float> %turned.65, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
              %turned.67 = shufflevector <8 x float> %turned.64, <8 x float> %turned.65, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
              %turned.68 = shufflevector <8 x float> %turned.49, <8 x float> %turned.51, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
              %turned.69 = shufflevector <8 x float> %turned.53, <8 x float> %turned.55, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
              %turned.70 = shufflevector <8 x float> %turned.68, <8 x float> %turned.69, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
              %turned.71 = shufflevector <8 x float> %turned.68, <8 x float> %turned.69, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
              ; panel[panel_row + ((quotient(filter_at + row, k_s_reciprocal) - quotient(quotient(filter_at + row, k_s_reciprocal), k_r_reciprocal) * k_r) * k_s + filter_at + row - quotient(filter_at + row, k_s_reciprocal) * k_s) * k_c + quotient(quotient(filter_at + row, k_s_reciprocal), k_r_reciprocal), vector * 8 + column] = square, vector
              %rest.5 = urem i64 %index.107, 8
              %quotient.20 = udiv i64 %index.107, 8
              %index.124 = mul i64 %quotient.20, 8
              %index.125 = add i64 %rest.5, %index.124
              %panel_at_0_0.2 = getelementptr float, ptr %panel_at_0_0.1, i64 %index.125
              store <8 x float> %turned.58, ptr %panel_at_0_0.2, align 4
              %panel_at_1_0.1 = getelementptr float, ptr %panel_at_1_0, i64 %index.125
              store <8 x float> %turned.59, ptr %panel_at_1_0.1, align 4
              %panel_at_2_0.1 = getelementptr float, ptr %panel_at_2_0, i64 %index.125
              store <8 x float> %turned.62, ptr %panel_at_2_0.1, align 4
              %panel_at_3_0.1 = getelementptr float, ptr %panel_at_3_0, i64 %index.125
              store <8 x float> %turned.63, ptr %panel_at_3_0.1, align 4
              %panel_at_4_0.1 = getelementptr float, ptr %panel_at_4_0, i64 %index.125
              store <8 x float> %turned.66, ptr %panel_at_4_0.1, align 4
              %panel_at_5_0.1 = getelementptr float, ptr %panel_at_5_0, i64 %index.125
              store <8 x float> %turned.67, ptr %panel_at_5_0.1, align 4
              %panel_at_6_0.1 = getelementptr float, ptr %panel_at_6_0, i64 %index.125
              store <8 x float> %turned.70, ptr %panel_at_6_0.1, align 4
              %panel_at_7_0.1 = getelementptr float, ptr %panel_at_7_0, i64 %index.125
              store <8 x float> %turned.71, ptr %panel_at_7_0.1, align 4
              %vector_next = add i64 %vector, 1
              %vector_more = icmp slt i64 %vector_next, 2
              br i1 %vector_more, label %vector_loop, label %vector_done
            vector_done:
            %filter_at_next = add i64 %filter_at, 8
            %filter_at_more = icmp slt i64 %filter_at_next, %filter_at_limit
            br i1 %filter_at_more, label %filter_at_loop, label %filter_at_done
          filter_at_done:
          ; for filter_at from k_rows // 8 * 8 to k_rows
          %lane0.8 = insertelement <8 x i64> poison, i64 %column0, i64 0
          %all.8 = shufflevector <8 x i64> %lane0.8, <8 x i64> poison, <8 x i32> zeroinitializer
          %index.182 = add <8 x i64> %all.8, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %lane0.9 = insertelement <8 x i64> poison, i64 %index.109, i64 0
          %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
          %min.21 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.182, <8 x i64> %all.9)
          %lane0.10 = insertelement <8 x i64> poison, i64 %w_out, i64 0
          %all.10 = shufflevector <8 x i64> %lane0.10, <8 x i64> poison, <8 x i32> zeroinitializer
          %product.116 = mul <8 x i64> %min.21, %all.10
          %element = extractelement <8 x i64> %product.116, i64 0
          %element.1 = extractelement <8 x i64> %product.116, i64 1
          %element.2 = extractelement <8 x i64> %product.116, i64 2
          %element.3 = extractelement <8 x i64> %product.116, i64 3
          %element.4 = extractelement <8 x i64> %product.116, i64 4
          %element.5 = extractelement <8 x i64> %product.116, i64 5
          %element.6 = extractelement <8 x i64> %product.116, i64 6
          %element.7 = extractelement <8 x i64> %product.116, i64 7
          %index.183 = add <8 x i64> %all.8, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
          %min.22 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.183, <8 x i64> %all.9)
          %product.117 = mul <8 x i64> %min.22, %all.10
          %element.8 = extractelement <8 x i64> %product.117, i64 0
          %element.9 = extractelement <8 x i64> %product.117, i64 1
          %element.10 = extractelement <8 x i64> %product.117, i64 2
          %element.11 = extractelement <8 x i64> %product.117, i64 3
          %element.12 = extractelement <8 x i64> %product.117, i64 4
          %element.13 = extractelement <8 x i64> %product.117, i64 5
          %element.14 = extractelement <8 x i64> %product.117, i64 6
          %element.15 = extractelement <8 x i64> %product.117, i64 7
          %filter_at_any.1 = icmp slt i64 %filter_at_limit, %product.2
          br i1 %filter_at_any.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_loop.1:
            %filter_at.1 = phi i64 [ %filter_at_limit, %filter_at_done ], [ %filter_at_next.1, %filter_at_loop.1 ]
            ; packed = w[min(column0 + column, m - 1) * w_out + filter_at], gather
            %w_at_0.2 = getelementptr float, ptr %w, i64 %filter_at.1
            %lane_at.15 = getelementptr float, ptr %w_at_0.2, i64 %element
            %lane_at.16 = getelementptr float, ptr %w_at_0.2, i64 %element.1
            %lane_at.17 = getelementptr float, ptr %w_at_0.2, i64 %element.2
            %lane_at.18 = getelementptr float, ptr %w_at_0.2, i64 %element.3
            %lane_at.19 = getelementptr float, ptr %w_at_0.2, i64 %element.4
            %lane_at.20 = getelementptr float, ptr %w_at_0.2, i64 %element.5
            %lane_at.21 = getelementptr float, ptr %w_at_0.2, i64 %element.6
            %lane_at.22 = getelementptr float, ptr %w_at_0.2, i64 %element.7
            %packed_0_one = load float, ptr %lane_at.15, align 4
            %packed_0 = insertelement <8 x float> poison, float %packed_0_one, i64 0
            %packed_0_one.1 = load float, ptr %lane_at.16, align 4
            %packed_0.1 = insertelement <8 x float> %packed_0, float %packed_0_one.1, i64 1
            %packed_0_one.2 = load float, ptr %lane_at.17, align 4
            %packed_0.2 = insertelement <8 x float> %packed_0.1, float %packed_0_one.2, i64 2
            %packed_0_one.3 = load float, ptr %lane_at.18, align 4
            %packed_0.3 = insertelement <8 x float> %packed_0.2, float %packed_0_one.3, i64 3
            %packed_0_one.4 = load float, ptr %lane_at.19, align 4
            %packed_0.4 = insertelement <8 x float> %packed_0.3, float %packed_0_one.4, i64 4
            %packed_0_one.5 = load float, ptr %lane_at.20, align 4
            %packed_0.5 = insertelement <8 x float> %packed_0.4, float %packed_0_one.5, i64 5
            %packed_0_one.6 = load float, ptr %lane_at.21, align 4
            %packed_0.6 = insertelement <8 x float> %packed_0.5, float %packed_0_one.6, i64 6
            %packed_0_one.7 = load float, ptr %lane_at.22, align 4
            %packed_0.7 = insertelement <8 x float> %packed_0.6, float %packed_0_one.7, i64 7
            %lane_at.23 = getelementptr float, ptr %w_at_0.2, i64 %element.8
            %lane_at.24 = getelementptr float, ptr %w_at_0.2, i64 %element.9
            %lane_at.25 = getelementptr float, ptr %w_at_0.2, i64 %element.10
            %lane_at.26 = getelementptr float, ptr %w_at_0.2, i64 %element.11
            %lane_at.27 = getelementptr float, ptr %w_at_0.2, i64 %element.12
            %lane_at.28 = getelementptr float, ptr %w_at_0.2, i64 %element.13
            %lane_at.29 = getelementptr float, ptr %w_at_0.2, i64 %element.14
            %lane_at.30 = getelementptr float, ptr %w_at_0.2, i64 %element.15
            %packed_1_one = load float, ptr %lane_at.23, align 4
            %packed_1 = insertelement <8 x float> poison, float %packed_1_one, i64 0
            %packed_1_one.1 = load float, ptr %lane_at.24, align 4
            %packed_1.1 = insertelement <8 x float> %packed_1, float %packed_1_one.1, i64 1
            %packed_1_one.2 = load float, ptr %lane_at.25, align 4
            %packed_1.2 = insertelement <8 x float> %packed_1.1, float %packed_1_one.2, i64 2
            %packed_1_one.3 = load float, ptr %lane_at.26, align 4
            %packed_1.3 = insertelement <8 x float> %packed_1.2, float %packed_1_one.3, i64 3
            %packed_1_one.4 = load float, ptr %lane_at.27, align 4
            %packed_1.4 = insertelement <8 x float> %packed_1.3, float %packed_1_one.4, i64 4
            %packed_1_one.5 = load float, ptr %lane_at.28, align 4
            %packed_1.5 = insertelement <8 x float> %packed_1.4, float %packed_1_one.5, i64 5
            %packed_1_one.6 = load float, ptr %lane_at.29, align 4
            %packed_1.6 = insertelement <8 x float> %packed_1.5, float %packed_1_one.6, i64 6
            %packed_1_one.7 = load float, ptr %lane_at.30, align 4
            %packed_1.7 = insertelement <8 x float> %packed_1.6, float %packed_1_one.7, i64 7
            ; panel[panel_row + ((quotient(filter_at, k_s_reciprocal) - quotient(quotient(filter_at, k_s_reciprocal), k_r_reciprocal) * k_r) * k_s + filter_at - quotient(filter_at, k_s_reciprocal) * k_s) * k_c + quotient(quotient(filter_at, k_s_reciprocal), k_r_reciprocal), column] = packed, vector
            %product.118 = mul i64 %filter_at.1, %multiplier
            %quotient.35 = lshr i64 %product.118, %shift
            %product.119 = mul i64 %quotient.35, %multiplier.1
            %quotient.36 = lshr i64 %product.119, %shift.1
            %product.120 = mul i64 %quotient.36, %k_r
            %index.184 = sub i64 %quotient.35, %product.120
            %product.121 = mul i64 %index.184, %k_s
            %product.122 = mul i64 %quotient.35, %k_s
            %index.185 = add i64 %product.121, %filter_at.1
            %index.186 = sub i64 %index.185, %product.122
            %product.123 = mul i64 %index.186, %k_c
            %index.187 = mul i64 %product.123, 16
            %index.188 = mul i64 %quotient.36, 16
            %index.189 = add i64 %index.187, %index.188
            %panel_at_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.189
            store <8 x float> %packed_0.7, ptr %panel_at_0, align 64
            %panel_at_1 = getelementptr float, ptr %panel_at_0, i64 8
            store <8 x float> %packed_1.7, ptr %panel_at_1, align 32
            %filter_at_next.1 = add i64 %filter_at.1, 1
            %filter_at_more.1 = icmp slt i64 %filter_at_next.1, %product.2
            br i1 %filter_at_more.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_done.1:
          br label %joined.6
        joined.6:
        ; for batch from 0 to (block_last - block_first + 3) // 4
        %rest.6 = srem i64 %index.191, 4
        %below.5 = ashr i64 %rest.6, 63
        %quotient.37 = sdiv i64 %index.191, 4
        %batch_stop = add i64 %quotient.37, %below.5
        %index.212 = mul i64 %panel_row, 16
        %panel_at_0.1 = getelementptr float, ptr %panel, i64 %index.212
        %index.216 = add i64 %column0, 15
        %holds.8 = icmp slt i64 %index.216, %m
        %batch_any = icmp slt i64 0, %batch_stop
        br i1 %batch_any, label %batch_loop, label %batch_done
        batch_loop:
          %batch = phi i64 [ 0, %joined.6 ], [ %batch_next, %finished_row_done ]
          ; finished_first = block_first + batch * 4
          %index.192 = mul i64 %batch, 4
          %finished_first = add i64 %block_first, %index.192
          ; finished_last = min(finished_first + 4, block_last)
          %index.193 = add i64 %finished_first, 4
          %finished_last = call i64 @llvm.smin.i64(i64 %index.193, i64 %block_last)
          ; soon0 = quotient(finished_first * 2, n_reciprocal) * out_image + finished_first * 2 - quotient(finished_first * 2, n_reciprocal) * n
          %index.194 = mul i64 %finished_first, 2
          %product.124 = mul i64 %index.194, %multiplier.2
          %quotient.38 = lshr i64 %product.124, %shift.2
          %product.125 = mul i64 %quotient.38, %out_image
          %product.126 = mul i64 %quotient.38, %n
          %index.195 = add i64 %product.125, %index.194
          %soon0 = sub i64 %index.195, %product.126
          ; for place from finished_first to finished_last
          %index.196 = mul i64 %finished_first, -4
          %index.197 = add i64 %column0, %index.196
          %out_soon = getelementptr float, ptr %out, i64 %soon0
          %place_any = icmp slt i64 %finished_first, %finished_last
          br i1 %place_any, label %place_loop, label %place_done
          place_loop:
            %place = phi i64 [ %finished_first, %batch_loop ], [ %place_next, %joined.7 ]
            ; for asked from 0 to 4
            %index.198 = mul i64 %place, 4
            %index.199 = add i64 %index.197, %index.198
            br label %asked_loop
            asked_loop:
              %asked = phi i64 [ 0, %place_loop ], [ %asked_next, %asked_loop ]
              ; out[soon0 + (column0 + (place - finished_first) * 4 + asked) * out_channel] is written soon, in cache level 2
              %index.200 = add i64 %index.199, %asked
              %product.127 = mul i64 %index.200, %out_channel
              %out_soon.1 = getelementptr float, ptr %out_soon, i64 %product.127
              call void @llvm.prefetch.p0(ptr %out_soon.1, i32 1, i32 2, i32 1)
              %asked_next = add i64 %asked, 1
              %asked_more = icmp slt i64 %asked_next, 4
              br i1 %asked_more, label %asked_loop, label %asked_done
            asked_done:
            ; row0 = place * 2
            %row0 = mul i64 %place, 2
            ; window = quotient(min(row0 + row, items * n - 1), n_reciprocal) * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) + (quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * (width + pad_w * 2) + min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n - quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * out_width) * k_c for each element of a
            %min.23 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.201)
            %product.128 = mul i64 %min.23, %multiplier.2
            %quotient.39 = lshr i64 %product.128, %shift.2
            %product.131 = mul i64 %quotient.39, %product.130
            %product.132 = mul i64 %quotient.39, %n
            %index.203 = sub i64 %min.23, %product.132
            %product.133 = mul i64 %index.203, %multiplier.3
            %quotient.40 = lshr i64 %product.133, %shift.3
            %product.134 = mul i64 %quotient.40, %index.202
            %product.135 = mul i64 %quotient.40, %out_width
            %index.204 = add i64 %product.134, %min.23
            %index.205 = sub i64 %index.204, %product.132
            %index.206 = sub i64 %index.205, %product.135
            %product.136 = mul i64 %index.206, %k_c
            %window_0 = add i64 %product.131, %product.136
            %index.207 = add i64 %row0, 1
            %min.24 = call i64 @llvm.smin.i64(i64 %index.207, i64 %index.201)
            %product.137 = mul i64 %min.24, %multiplier.2
            %quotient.41 = lshr i64 %product.137, %shift.2
            %product.138 = mul i64 %quotient.41, %product.130
            %product.139 = mul i64 %quotient.41, %n
            %index.208 = sub i64 %min.24, %product.139
            %product.140 = mul i64 %index.208, %multiplier.3
            %quotient.42 = lshr i64 %product.140, %shift.3
            %product.141 = mul i64 %quotient.42, %index.202
            %product.142 = mul i64 %quotient.42, %out_width
            %index.209 = add i64 %product.141, %min.24
            %index.210 = sub i64 %index.209, %product.139
            %index.211 = sub i64 %index.210, %product.142
            %product.143 = mul i64 %index.211, %k_c
            %window_1 = add i64 %product.138, %product.143
            ; acc = 0
            ; for r from 0 to k_r
            %images_at_0.11 = getelementptr float, ptr %images, i64 %window_0
            %images_at_1 = getelementptr float, ptr %images, i64 %window_1
            %r_any = icmp slt i64 0, %k_r
            br i1 %r_any, label %r_loop, label %r_done
            r_loop:
              %r = phi i64 [ 0, %asked_done ], [ %r_next, %run_done.1 ]
              %acc_0_0 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_0_0.7, %run_done.1 ]
              %acc_0_1 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_0_1.7, %run_done.1 ]
              %acc_1_0 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_1_0.7, %run_done.1 ]
              %acc_1_1 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_1_1.7, %run_done.1 ]
              ; for run from 0 to k_s * k_c, 2 at a time
              %product.144 = mul i64 %r, %run_stop
              %index.213 = mul i64 %product.144, 16
              %panel_at_0.2 = getelementptr float, ptr %panel_at_0.1, i64 %index.213
              %product.145 = mul i64 %r, %product.129
              %images_at_0.12 = getelementptr float, ptr %images_at_0.11, i64 %product.145
              %images_at_1.1 = getelementptr float, ptr %images_at_1, i64 %product.145
              %run_any = icmp slt i64 0, %run_limit
              br i1 %run_any, label %run_loop, label %run_done
              run_loop:
                %run = phi i64 [ 0, %r_loop ], [ %run_next, %run_loop ]
                %acc_0_0.1 = phi <8 x float> [ %acc_0_0, %r_loop ], [ %acc_0_0.3, %run_loop ]
                %acc_0_1.1 = phi <8 x float> [ %acc_0_1, %r_loop ], [ %acc_0_1.3, %run_loop ]
                %acc_1_0.1 = phi <8 x float> [ %acc_1_0, %r_loop ], [ %acc_1_0.3, %run_loop ]
                %acc_1_1.1 = phi <8 x float> [ %acc_1_1, %r_loop ], [ %acc_1_1.3, %run_loop ]
                ; b = panel[panel_row + r * (k_s * k_c) + run, column], vector
                %index.214 = mul i64 %run, 16
                %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 %index.214
                %b_0 = load <8 x float>, ptr %panel_at_0.3, align 64
                %panel_at_1.1 = getelementptr float, ptr %panel_at_0.3, i64 8
                %b_1 = load <8 x float>, ptr %panel_at_1.1, align 32
                ; a = images[window + r * ((width + pad_w * 2) * k_c) + run, 0], broadcast
                %images_at_0.13 = getelementptr float, ptr %images_at_0.12, i64 %run
                %a_0_one = load float, ptr %images_at_0.13, align 4
                %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
                %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
                %images_at_1.2 = getelementptr float, ptr %images_at_1.1, i64 %run
                %a_1_one = load float, ptr %images_at_1.2, align 4
                %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
                %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
                ; acc += a * b, fma_outer_2x2x8_fp32
                %acc_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_0, <8 x float> %acc_0_0.1)
                %acc_0_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_1, <8 x float> %acc_0_1.1)
                %acc_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_0, <8 x float> %acc_1_0.1)
                %acc_1_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_1, <8 x float> %acc_1_1.1)
                ; no memory access moves across this point
                call void asm sideeffect "", "~{memory}"()
                ; run + 1
                %panel_at_0.4 = getelementptr float, ptr %panel_at_0.3, i64 16
                %b_0.1 = load <8 x float>, ptr %panel_at_0.4, align 64
                %panel_at_1.2 = getelementptr float, ptr %panel_at_0.3, i64 24
                %b_1.1 = load <8 x float>, ptr %panel_at_1.2, align 32
                %images_at_0.14 = getelementptr float, ptr %images_at_0.13, i64 1
                %a_0_one.1 = load float, ptr %images_at_0.14, align 4
                %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
                %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                %images_at_1.3 = getelementptr float, ptr %images_at_1.2, i64 1
                %a_1_one.1 = load float, ptr %images_at_1.3, align 4
                %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
                %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                %acc_0_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.2)
                %acc_0_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.2)
                %acc_1_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.2)
                %acc_1_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.2)
                call void asm sideeffect "", "~{memory}"()
                %run_next = add i64 %run, 2
                %run_more = icmp slt i64 %run_next, %run_limit
                br i1 %run_more, label %run_loop, label %run_done
              run_done:
              %acc_0_0.4 = phi <8 x float> [ %acc_0_0, %r_loop ], [ %acc_0_0.3, %run_loop ]
              %acc_0_1.4 = phi <8 x float> [ %acc_0_1, %r_loop ], [ %acc_0_1.3, %run_loop ]
              %acc_1_0.4 = phi <8 x float> [ %acc_1_0, %r_loop ], [ %acc_1_0.3, %run_loop ]
              %acc_1_1.4 = phi <8 x float> [ %acc_1_1, %r_loop ], [ %acc_1_1.3, %run_loop ]
              %run_rest = phi i64 [ 0, %r_loop ], [ %run_next, %run_loop ]
              ; what is left of run
              %run_any.1 = icmp slt i64 %run_rest, %run_stop
              br i1 %run_any.1, label %run_loop.1, label %run_done.1
              run_loop.1:
                %run.1 = phi i64 [ %run_rest, %run_done ], [ %run_next.1, %run_loop.1 ]
                %acc_0_0.5 = phi <8 x float> [ %acc_0_0.4, %run_done ], [ %acc_0_0.6, %run_loop.1 ]
                %acc_0_1.5 = phi <8 x float> [ %acc_0_1.4, %run_done ], [ %acc_0_1.6, %run_loop.1 ]
                %acc_1_0.5 = phi <8 x float> [ %acc_1_0.4, %run_done ], [ %acc_1_0.6, %run_loop.1 ]
                %acc_1_1.5 = phi <8 x float> [ %acc_1_1.4, %run_done ], [ %acc_1_1.6, %run_loop.1 ]
                ; b = panel[panel_row + r * (k_s * k_c) + run, column], vector
                %index.215 = mul i64 %run.1, 16
                %panel_at_0.5 = getelementptr float, ptr %panel_at_0.2, i64 %index.215
                %b_0.2 = load <8 x float>, ptr %panel_at_0.5, align 64
                %panel_at_1.3 = getelementptr float, ptr %panel_at_0.5, i64 8
                %b_1.2 = load <8 x float>, ptr %panel_at_1.3, align 32
                ; a = images[window + r * ((width + pad_w * 2) * k_c) + run, 0], broadcast
                %images_at_0.15 = getelementptr float, ptr %images_at_0.12, i64 %run.1
                %a_0_one.2 = load float, ptr %images_at_0.15, align 4
                %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
                %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                %images_at_1.4 = getelementptr float, ptr %images_at_1.1, i64 %run.1
                %a_1_one.2 = load float, ptr %images_at_1.4, align 4
                %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
                %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                ; acc += a * b, fma_outer_2x2x8_fp32
                %acc_0_0.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.5)
                %acc_0_1.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.5)
                %acc_1_0.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.5)
                %acc_1_1.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.5)
                ; no memory access moves across this point
                call void asm sideeffect "", "~{memory}"()
                %run_next.1 = add i64 %run.1, 1
                %run_more.1 = icmp slt i64 %run_next.1, %run_stop
                br i1 %run_more.1, label %run_loop.1, label %run_done.1
              run_done.1:
              %acc_0_0.7 = phi <8 x float> [ %acc_0_0.4, %run_done ], [ %acc_0_0.6, %run_loop.1 ]
              %acc_0_1.7 = phi <8 x float> [ %acc_0_1.4, %run_done ], [ %acc_0_1.6, %run_loop.1 ]
              %acc_1_0.7 = phi <8 x float> [ %acc_1_0.4, %run_done ], [ %acc_1_0.6, %run_loop.1 ]
              %acc_1_1.7 = phi <8 x float> [ %acc_1_1.4, %run_done ], [ %acc_1_1.6, %run_loop.1 ]
              %r_next = add i64 %r, 1
              %r_more = icmp slt i64 %r_next, %k_r
              br i1 %r_more, label %r_loop, label %r_done
            r_done:
            %acc_0_0.8 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_0_0.7, %run_done.1 ]
            %acc_0_1.8 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_0_1.7, %run_done.1 ]
            %acc_1_0.8 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_1_0.7, %run_done.1 ]
            %acc_1_1.8 = phi <8 x float> [ zeroinitializer, %asked_done ], [ %acc_1_1.7, %run_done.1 ]
            ; if row0 + 1 < items * n and column0 + 15 < m
            %holds.7 = icmp slt i64 %index.207, %product.4
            %both.1 = and i1 %holds.7, %holds.8
            br i1 %both.1, label %then.7, label %otherwise.7
            then.7:
              ; result = acc, in fp32
              ; finished[(place - finished_first) * 2 + row, column] = result, vector
              %index.217 = mul i64 %place, 32
              %index.218 = mul i64 %finished_first, -32
              %index.219 = add i64 %index.217, %index.218
              %finished_at_0_0 = getelementptr float, ptr %finished, i64 %index.219
              store <8 x float> %acc_0_0.8, ptr %finished_at_0_0, align 64
              %finished_at_0_1 = getelementptr float, ptr %finished_at_0_0, i64 8
              store <8 x float> %acc_0_1.8, ptr %finished_at_0_1, align 32
              %finished_at_1_0 = getelementptr float, ptr %finished_at_0_0, i64 16
              store <8 x float> %acc_1_0.8, ptr %finished_at_1_0, align 64
              %finished_at_1_1 = getelementptr float, ptr %finished_at_0_0, i64 24
              store <8 x float> %acc_1_1.8, ptr %finished_at_1_1, align 32
              br label %joined.7
            otherwise.7:
              ; result = acc, in fp32
              ; finished[(place - finished_first) * 2 + row, column] = result, vector
              %index.220 = mul i64 %place, 32
              %index.221 = mul i64 %finished_first, -32
              %index.222 = add i64 %index.220, %index.221
              %finished_at_0_0.1 = getelementptr float, ptr %finished, i64 %index.222
              store <8 x float> %acc_0_0.8, ptr %finished_at_0_0.1, align 64
              %finished_at_0_1.1 = getelementptr float, ptr %finished_at_0_0.1, i64 8
              store <8 x float> %acc_0_1.8, ptr %finished_at_0_1.1, align 32
              %finished_at_1_0.1 = getelementptr float, ptr %finished_at_0_0.1, i64 16
              store <8 x float> %acc_1_0.8, ptr %finished_at_1_0.1, align 64
              %finished_at_1_1.1 = getelementptr float, ptr %finished_at_0_0.1, i64 24
              store <8 x float> %acc_1_1.8, ptr %finished_at_1_1.1, align 32
              br label %joined.7
            joined.7:
            %place_next = add i64 %place, 1
            %place_more = icmp slt i64 %place_next, %finished_last
            br i1 %place_more, label %place_loop, label %place_done
          place_done:
          ; finished_stop = min(finished_last * 2, items * n)
          %index.223 = mul i64 %finished_last, 2
          %finished_stop = call i64 @llvm.smin.i64(i64 %index.223, i64 %product.4)
          ; for finished_row from finished_first * 2 to finished_stop by 8
          %finished_row_any = icmp slt i64 %index.194, %finished_stop
          br i1 %finished_row_any, label %finished_row_loop, label %finished_row_done
          finished_row_loop:
            %finished_row = phi i64 [ %index.194, %place_done ], [ %finished_row_next, %joined.8 ]
            ; first_image = quotient(finished_row, n_reciprocal)
            %product.146 = mul i64 %finished_row, %multiplier.2
            %first_image = lshr i64 %product.146, %shift.2
            ; last_image = quotient(min(finished_row + 8, finished_stop) - 1, n_reciprocal)
            %index.224 = add i64 %finished_row, 8
            %min.25 = call i64 @llvm.smin.i64(i64 %index.224, i64 %finished_stop)
            %index.225 = add i64 %min.25, -1
            %product.147 = mul i64 %index.225, %multiplier.2
            %last_image = lshr i64 %product.147, %shift.2
            ; first_pixel = finished_row - first_image * n
            %product.148 = mul i64 %first_image, %n
            %first_pixel = sub i64 %finished_row, %product.148
            ; if finished_row + 7 < finished_stop and first_pixel + 7 < n and column0 + 15 < m
            %index.226 = add i64 %finished_row, 7
            %holds.9 = icmp slt i64 %index.226, %finished_stop
            %index.227 = add i64 %first_pixel, 7
            %holds.10 = icmp slt i64 %index.227, %n
            %both.2 = and i1 %holds.9, %holds.10
            %both.3 = and i1 %both.2, %holds.8
            br i1 %both.3, label %then.8, label %otherwise.8
            then.8:
              ; pixel_image = first_image
              ; run_pixel = first_pixel
              ; for side from 0 to 2
              %index.229 = mul i64 %finished_row, 16
              %index.230 = mul i64 %finished_first, -32
              %index.231 = add i64 %index.229, %index.230
              %finished_at_0 = getelementptr float, ptr %finished, i64 %index.231
              %product.149 = mul i64 %first_image, %out_image
              %index.235 = add i64 %product.149, %first_pixel
              %out_at_0_0 = getelementptr float, ptr %out, i64 %index.235
              br label %side_loop
              side_loop:
                %side = phi i64 [ 0, %then.8 ], [ %side_next, %side_loop ]
                ; channels_held = finished[finished_row - finished_first * 2 + column, side * 8 + row], vector
                %index.228 = mul i64 %side, 8
                %rest.7 = urem i64 %index.228, 8
                %quotient.43 = udiv i64 %index.228, 8
                %index.232 = mul i64 %quotient.43, 8
                %index.233 = add i64 %rest.7, %index.232
                %finished_at_0.1 = getelementptr float, ptr %finished_at_0, i64 %index.233
                %channels_held_0_lower = load <4 x float>, ptr %finished_at_0.1, align 4
                %channels_held_0_upper_at = getelementptr <4 x float>, ptr %finished_at_0.1, i64 1
                %channels_held_0_upper = load <4 x float>, ptr %channels_held_0_upper_at, align 4
                %finished_at_1 = getelementptr float, ptr %finished_at_0.1, i64 16
                %channels_held_1_lower = load <4 x float>, ptr %finished_at_1, align 4
                %channels_held_1_upper_at = getelementptr <4 x float>, ptr %finished_at_1, i64 1
                %channels_held_1_upper = load <4 x float>, ptr %channels_held_1_upper_at, align 4
                %finished_at_2 = getelementptr float, ptr %finished_at_0.1, i64 32
                %channels_held_2_lower = load <4 x float>, ptr %finished_at_2, align 4
                %channels_held_2_upper_at = getelementptr <4 x float>, ptr %finished_at_2, i64 1
                %channels_held_2_upper = load <4 x float>, ptr %channels_held_2_upper_at, align 4
                %finished_at_3 = getelementptr float, ptr %finished_at_0.1, i64 48
                %channels_held_3_lower = load <4 x float>, ptr %finished_at_3, align 4
                %channels_held_3_upper_at = getelementptr <4 x float>, ptr %finished_at_3, i64 1
                %channels_held_3_upper = load <4 x float>, ptr %channels_held_3_upper_at, align 4
                %finished_at_4 = getelementptr float, ptr %finished_at_0.1, i64 64
                %channels_held_4_lower = load <4 x float>, ptr %finished_at_4, align 4
                %channels_held_4_upper_at = getelementptr <4 x float>, ptr %finished_at_4, i64 1
                %channels_held_4_upper = load <4 x float>, ptr %channels_held_4_upper_at, align 4
                %finished_at_5 = getelementptr float, ptr %finished_at_0.1, i64 80
                %channels_held_5_lower = load <4 x float>, ptr %finished_at_5, align 4
                %channels_held_5_upper_at = getelementptr <4 x float>, ptr %finished_at_5, i64 1
                %channels_held_5_upper = load <4 x float>, ptr %channels_held_5_upper_at, align 4
                %finished_at_6 = getelementptr float, ptr %finished_at_0.1, i64 96
                %channels_held_6_lower = load <4 x float>, ptr %finished_at_6, align 4
                %channels_held_6_upper_at = getelementptr <4 x float>, ptr %finished_at_6, i64 1
                %channels_held_6_upper = load <4 x float>, ptr %channels_held_6_upper_at, align 4
                %finished_at_7 = getelementptr float, ptr %finished_at_0.1, i64 112
                %channels_held_7_lower = load <4 x float>, ptr %finished_at_7, align 4
                %channels_held_7_upper_at = getelementptr <4 x float>, ptr %finished_at_7, i64 1
                %channels_held_7_upper = load <4 x float>, ptr %channels_held_7_upper_at, align 4
                ; pixels_held = channels_held, lanes along the other axis
                %turned.72 = shufflevector <4 x float> %channels_held_0_lower, <4 x float> %channels_held_4_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.73 = shufflevector <4 x float> %channels_held_0_upper, <4 x float> %channels_held_4_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.74 = shufflevector <4 x float> %channels_held_1_lower, <4 x float> %channels_held_5_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.75 = shufflevector <4 x float> %channels_held_1_upper, <4 x float> %channels_held_5_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.76 = shufflevector <4 x float> %channels_held_2_lower, <4 x float> %channels_held_6_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.77 = shufflevector <4 x float> %channels_held_2_upper, <4 x float> %channels_held_6_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.78 = shufflevector <4 x float> %channels_held_3_lower, <4 x float> %channels_held_7_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.79 = shufflevector <4 x float> %channels_held_3_upper, <4 x float> %channels_held_7_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
                %turned.80 = shufflevector <8 x float> %turned.72, <8 x float> %turned.74, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.81 = shufflevector <8 x float> %turned.76, <8 x float> %turned.78, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.82 = shufflevector <8 x float> %turned.80, <8 x float> %turned.81, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.83 = shufflevector <8 x float> %turned.80, <8 x float> %turned.81, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.84 = shufflevector <8 x float> %turned.72, <8 x float> %turned.74, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.85 = shufflevector <8 x float> %turned.76, <8 x float> %turned.78, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.86 = shufflevector <8 x float> %turned.84, <8 x float> %turned.85, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.87 = shufflevector <8 x float> %turned.84, <8 x float> %turned.85, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.88 = shufflevector <8 x float> %turned.73, <8 x float> %turned.75, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.89 = shufflevector <8 x float> %turned.77, <8 x float> %turned.79, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.90 = shufflevector <8 x float> %turned.88, <8 x float> %turned.89, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.91 = shufflevector <8 x float> %turned.88, <8 x float> %turned.89, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.92 = shufflevector <8 x float> %turned.73, <8 x float> %turned.75, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.93 = shufflevector <8 x float> %turned.77, <8 x float> %turned.79, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.94 = shufflevector <8 x float> %turned.92, <8 x float> %turned.93, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.95 = shufflevector <8 x float> %turned.92, <8 x float> %turned.93, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                ; out[pixel_image * out_image + (column0 + side * 8 + row) * out_channel + run_pixel + column] = pixels_held, vector
                %index.234 = add i64 %column0, %index.228
                %product.150 = mul i64 %index.234, %out_channel
                %out_at_0_0.1 = getelementptr float, ptr %out_at_0_0, i64 %product.150
                store <8 x float> %turned.82, ptr %out_at_0_0.1, align 4
                %index.236 = add i64 %index.234, 1
                %product.151 = mul i64 %index.236, %out_channel
                %out_at_1_0 = getelementptr float, ptr %out_at_0_0, i64 %product.151
                store <8 x float> %turned.83, ptr %out_at_1_0, align 4
                %index.237 = add i64 %index.234, 2
                %product.152 = mul i64 %index.237, %out_channel
                %out_at_2_0 = getelementptr float, ptr %out_at_0_0, i64 %product.152
                store <8 x float> %turned.86, ptr %out_at_2_0, align 4
                %index.238 = add i64 %index.234, 3
                %product.153 = mul i64 %index.238, %out_channel
                %out_at_3_0 = getelementptr float, ptr %out_at_0_0, i64 %product.153
                store <8 x float> %turned.87, ptr %out_at_3_0, align 4
                %index.239 = add i64 %index.234, 4
                %product.154 = mul i64 %index.239, %out_channel
                %out_at_4_0 = getelementptr float, ptr %out_at_0_0, i64 %product.154
                store <8 x float> %turned.90, ptr %out_at_4_0, align 4
                %index.240 = add i64 %index.234, 5
                %product.155 = mul i64 %index.240, %out_channel
                %out_at_5_0 = getelementptr float, ptr %out_at_0_0, i64 %product.155
                store <8 x float> %turned.91, ptr %out_at_5_0, align 4
                %index.241 = add i64 %index.234, 6
                %product.156 = mul i64 %index.241, %out_channel
                %out_at_6_0 = getelementptr float, ptr %out_at_0_0, i64 %product.156
                store <8 x float> %turned.94, ptr %out_at_6_0, align 4
                %index.242 = add i64 %index.234, 7
                %product.157 = mul i64 %index.242, %out_channel
                %out_at_7_0 = getelementptr float, ptr %out_at_0_0, i64 %product.157
                store <8 x float> %turned.95, ptr %out_at_7_0, align 4
                %side_next = add i64 %side, 1
                %side_more = icmp slt i64 %side_next, 2
                br i1 %side_more, label %side_loop, label %side_done
              side_done:
              br label %joined.8
            otherwise.8:
              ; for side from 0 to 2
              %holds.11 = icmp slt i64 %finished_row, %finished_stop
              %index.244 = mul i64 %finished_row, 16
              %index.245 = mul i64 %finished_first, -32
              %index.246 = add i64 %index.244, %index.245
              %finished_at_0.2 = getelementptr float, ptr %finished, i64 %index.246
              %index.249 = add i64 %finished_row, 1
              %holds.12 = icmp slt i64 %index.249, %finished_stop
              %index.250 = add i64 %finished_row, 2
              %holds.13 = icmp slt i64 %index.250, %finished_stop
              %index.251 = add i64 %finished_row, 3
              %holds.14 = icmp slt i64 %index.251, %finished_stop
              %index.252 = add i64 %finished_row, 4
              %holds.15 = icmp slt i64 %index.252, %finished_stop
              %index.253 = add i64 %finished_row, 5
              %holds.16 = icmp slt i64 %index.253, %finished_stop
              %index.254 = add i64 %finished_row, 6
              %holds.17 = icmp slt i64 %index.254, %finished_stop
              %pixel_image_limit = add i64 %last_image, 1
              %limit.5 = sub i64 %finished_stop, %finished_row
              %lane0.19 = insertelement <8 x i64> poison, i64 %limit.5, i64 0
              %all.19 = shufflevector <8 x i64> %lane0.19, <8 x i64> poison, <8 x i32> zeroinitializer
              %mask.5 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.19
              br label %side_loop.1
              side_loop.1:
                %side.1 = phi i64 [ 0, %otherwise.8 ], [ %side_next.1, %pixel_image_done ]
                ; channels_held = finished[finished_row - finished_first * 2 + column, side * 8 + row], vector where finished_row + column < finished_stop, else 0
                %index.243 = mul i64 %side.1, 8
                %rest.8 = urem i64 %index.243, 8
                %quotient.44 = udiv i64 %index.243, 8
                %index.247 = mul i64 %quotient.44, 8
                %index.248 = add i64 %rest.8, %index.247
                %finished_at_0.3 = getelementptr float, ptr %finished_at_0.2, i64 %index.248
                %lane0.11 = insertelement <8 x i1> poison, i1 %holds.11, i64 0
                %all.11 = shufflevector <8 x i1> %lane0.11, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_0.3, i32 4, <8 x i1> %all.11, <8 x float> zeroinitializer)
                %finished_at_1.1 = getelementptr float, ptr %finished_at_0.3, i64 16
                %lane0.12 = insertelement <8 x i1> poison, i1 %holds.12, i64 0
                %all.12 = shufflevector <8 x i1> %lane0.12, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_1.1, i32 4, <8 x i1> %all.12, <8 x float> zeroinitializer)
                %finished_at_2.1 = getelementptr float, ptr %finished_at_0.3, i64 32
                %lane0.13 = insertelement <8 x i1> poison, i1 %holds.13, i64 0
                %all.13 = shufflevector <8 x i1> %lane0.13, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_2 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_2.1, i32 4, <8 x i1> %all.13, <8 x float> zeroinitializer)
                %finished_at_3.1 = getelementptr float, ptr %finished_at_0.3, i64 48
                %lane0.14 = insertelement <8 x i1> poison, i1 %holds.14, i64 0
                %all.14 = shufflevector <8 x i1> %lane0.14, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_3.1, i32 4, <8 x i1> %all.14, <8 x float> zeroinitializer)
                %finished_at_4.1 = getelementptr float, ptr %finished_at_0.3, i64 64
                %lane0.15 = insertelement <8 x i1> poison, i1 %holds.15, i64 0
                %all.15 = shufflevector <8 x i1> %lane0.15, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_4 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_4.1, i32 4, <8 x i1> %all.15, <8 x float> zeroinitializer)
                %finished_at_5.1 = getelementptr float, ptr %finished_at_0.3, i64 80
                %lane0.16 = insertelement <8 x i1> poison, i1 %holds.16, i64 0
                %all.16 = shufflevector <8 x i1> %lane0.16, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_5.1, i32 4, <8 x i1> %all.16, <8 x float> zeroinitializer)
                %finished_at_6.1 = getelementptr float, ptr %finished_at_0.3, i64 96
                %lane0.17 = insertelement <8 x i1> poison, i1 %holds.17, i64 0
                %all.17 = shufflevector <8 x i1> %lane0.17, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_6 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_6.1, i32 4, <8 x i1> %all.17, <8 x float> zeroinitializer)
                %finished_at_7.1 = getelementptr float, ptr %finished_at_0.3, i64 112
                %lane0.18 = insertelement <8 x i1> poison, i1 %holds.9, i64 0
                %all.18 = shufflevector <8 x i1> %lane0.18, <8 x i1> poison, <8 x i32> zeroinitializer
                %channels_held_7 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %finished_at_7.1, i32 4, <8 x i1> %all.18, <8 x float> zeroinitializer)
                ; pixels_held = channels_held, lanes along the other axis
                %turned.96 = shufflevector <8 x float> %channels_held_0, <8 x float> %channels_held_4, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
                %turned.97 = shufflevector <8 x float> %channels_held_0, <8 x float> %channels_held_4, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
                %turned.98 = shufflevector <8 x float> %channels_held_1, <8 x float> %channels_held_5, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
                %turned.99 = shufflevector <8 x float> %channels_held_1, <8 x float> %channels_held_5, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
                %turned.100 = shufflevector <8 x float> %channels_held_2, <8 x float> %channels_held_6, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
                %turned.101 = shufflevector <8 x float> %channels_held_2, <8 x float> %channels_held_6, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
                %turned.102 = shufflevector <8 x float> %channels_held_3, <8 x float> %channels_held_7, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
                %turned.103 = shufflevector <8 x float> %channels_held_3, <8 x float> %channels_held_7, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
                %turned.104 = shufflevector <8 x float> %turned.96, <8 x float> %turned.98, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.105 = shufflevector <8 x float> %turned.100, <8 x float> %turned.102, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.106 = shufflevector <8 x float> %turned.104, <8 x float> %turned.105, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.107 = shufflevector <8 x float> %turned.104, <8 x float> %turned.105, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.108 = shufflevector <8 x float> %turned.96, <8 x float> %turned.98, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.109 = shufflevector <8 x float> %turned.100, <8 x float> %turned.102, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.110 = shufflevector <8 x float> %turned.108, <8 x float> %turned.109, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.111 = shufflevector <8 x float> %turned.108, <8 x float> %turned.109, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.112 = shufflevector <8 x float> %turned.97, <8 x float> %turned.99, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.113 = shufflevector <8 x float> %turned.101, <8 x float> %turned.103, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
                %turned.114 = shufflevector <8 x float> %turned.112, <8 x float> %turned.113, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.115 = shufflevector <8 x float> %turned.112, <8 x float> %turned.113, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                %turned.116 = shufflevector <8 x float> %turned.97, <8 x float> %turned.99, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.117 = shufflevector <8 x float> %turned.101, <8 x float> %turned.103, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
                %turned.118 = shufflevector <8 x float> %turned.116, <8 x float> %turned.117, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
                %turned.119 = shufflevector <8 x float> %turned.116, <8 x float> %turned.117, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
                ; for pixel_image from first_image to last_image + 1
                %index.255 = add i64 %column0, %index.243
                %holds.18 = icmp slt i64 %index.255, %m
                %product.160 = mul i64 %index.255, %out_channel
                %out_at_0_0.2 = getelementptr float, ptr %out, i64 %product.160
                %index.257 = add i64 %index.255, 1
                %holds.19 = icmp slt i64 %index.257, %m
                %product.161 = mul i64 %index.257, %out_channel
                %out_at_1_0.1 = getelementptr float, ptr %out, i64 %product.161
                %index.258 = add i64 %index.255, 2
                %holds.20 = icmp slt i64 %index.258, %m
                %product.162 = mul i64 %index.258, %out_channel
                %out_at_2_0.1 = getelementptr float, ptr %out, i64 %product.162
                %index.259 = add i64 %index.255, 3
                %holds.21 = icmp slt i64 %index.259, %m
                %product.163 = mul i64 %index.259, %out_channel
                %out_at_3_0.1 = getelementptr float, ptr %out, i64 %product.163
                %index.260 = add i64 %index.255, 4
                %holds.22 = icmp slt i64 %index.260, %m
                %product.164 = mul i64 %index.260, %out_channel
                %out_at_4_0.1 = getelementptr float, ptr %out, i64 %product.164
                %index.261 = add i64 %index.255, 5
                %holds.23 = icmp slt i64 %index.261, %m
                %product.165 = mul i64 %index.261, %out_channel
                %out_at_5_0.1 = getelementptr float, ptr %out, i64 %product.165
                %index.262 = add i64 %index.255, 6
                %holds.24 = icmp slt i64 %index.262, %m
                %product.166 = mul i64 %index.262, %out_channel
                %out_at_6_0.1 = getelementptr float, ptr %out, i64 %product.166
                %index.263 = add i64 %index.255, 7
                %holds.25 = icmp slt i64 %index.263, %m
                %product.167 = mul i64 %index.263, %out_channel
                %out_at_7_0.1 = getelementptr float, ptr %out, i64 %product.167
                %pixel_image_any = icmp slt i64 %first_image, %pixel_image_limit
                br i1 %pixel_image_any, label %pixel_image_loop, label %pixel_image_done
                pixel_image_loop:
                  %pixel_image = phi i64 [ %first_image, %side_loop.1 ], [ %pixel_image_next, %pixel_image_loop ]
                  ; run_pixel = finished_row - pixel_image * n
                  %product.158 = mul i64 %pixel_image, %n
                  %run_pixel = sub i64 %finished_row, %product.158
                  ; out[pixel_image * out_image + (column0 + side * 8 + row) * out_channel + run_pixel + column] = pixels_held, vector where finished_row + column < finished_stop and -1 < run_pixel + column and run_pixel + column < n and column0 + side * 8 + row < m
                  %lane0.20 = insertelement <8 x i64> poison, i64 %run_pixel, i64 0
                  %all.20 = shufflevector <8 x i64> %lane0.20, <8 x i64> poison, <8 x i32> zeroinitializer
                  %mask.6 = icmp slt <8 x i64> <i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7, i64 -8>, %all.20
                  %limit.6 = sub i64 %n, %run_pixel
                  %lane0.21 = insertelement <8 x i64> poison, i64 %limit.6, i64 0
                  %all.21 = shufflevector <8 x i64> %lane0.21, <8 x i64> poison, <8 x i32> zeroinitializer
                  %mask.7 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.21
                  %mask.8 = and <8 x i1> %mask.5, %mask.6
                  %mask.9 = and <8 x i1> %mask.8, %mask.7
                  %product.159 = mul i64 %pixel_image, %out_image
                  %index.256 = add i64 %product.159, %run_pixel
                  %out_at_0_0.3 = getelementptr float, ptr %out_at_0_0.2, i64 %index.256
                  %lane0.22 = insertelement <8 x i1> poison, i1 %holds.18, i64 0
                  %all.22 = shufflevector <8 x i1> %lane0.22, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.10 = and <8 x i1> %mask.9, %all.22
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.106, ptr %out_at_0_0.3, i32 4, <8 x i1> %mask.10)
                  %out_at_1_0.2 = getelementptr float, ptr %out_at_1_0.1, i64 %index.256
                  %lane0.23 = insertelement <8 x i1> poison, i1 %holds.19, i64 0
                  %all.23 = shufflevector <8 x i1> %lane0.23, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.11 = and <8 x i1> %mask.9, %all.23
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.107, ptr %out_at_1_0.2, i32 4, <8 x i1> %mask.11)
                  %out_at_2_0.2 = getelementptr float, ptr %out_at_2_0.1, i64 %index.256
                  %lane0.24 = insertelement <8 x i1> poison, i1 %holds.20, i64 0
                  %all.24 = shufflevector <8 x i1> %lane0.24, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.12 = and <8 x i1> %mask.9, %all.24
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.110, ptr %out_at_2_0.2, i32 4, <8 x i1> %mask.12)
                  %out_at_3_0.2 = getelementptr float, ptr %out_at_3_0.1, i64 %index.256
                  %lane0.25 = insertelement <8 x i1> poison, i1 %holds.21, i64 0
                  %all.25 = shufflevector <8 x i1> %lane0.25, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.13 = and <8 x i1> %mask.9, %all.25
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.111, ptr %out_at_3_0.2, i32 4, <8 x i1> %mask.13)
                  %out_at_4_0.2 = getelementptr float, ptr %out_at_4_0.1, i64 %index.256
                  %lane0.26 = insertelement <8 x i1> poison, i1 %holds.22, i64 0
                  %all.26 = shufflevector <8 x i1> %lane0.26, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.14 = and <8 x i1> %mask.9, %all.26
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.114, ptr %out_at_4_0.2, i32 4, <8 x i1> %mask.14)
                  %out_at_5_0.2 = getelementptr float, ptr %out_at_5_0.1, i64 %index.256
                  %lane0.27 = insertelement <8 x i1> poison, i1 %holds.23, i64 0
                  %all.27 = shufflevector <8 x i1> %lane0.27, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.15 = and <8 x i1> %mask.9, %all.27
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.115, ptr %out_at_5_0.2, i32 4, <8 x i1> %mask.15)
                  %out_at_6_0.2 = getelementptr float, ptr %out_at_6_0.1, i64 %index.256
                  %lane0.28 = insertelement <8 x i1> poison, i1 %holds.24, i64 0
                  %all.28 = shufflevector <8 x i1> %lane0.28, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.16 = and <8 x i1> %mask.9, %all.28
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.118, ptr %out_at_6_0.2, i32 4, <8 x i1> %mask.16)
                  %out_at_7_0.2 = getelementptr float, ptr %out_at_7_0.1, i64 %index.256
                  %lane0.29 = insertelement <8 x i1> poison, i1 %holds.25, i64 0
                  %all.29 = shufflevector <8 x i1> %lane0.29, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.17 = and <8 x i1> %mask.9, %all.29
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.119, ptr %out_at_7_0.2, i32 4, <8 x i1> %mask.17)
                  %pixel_image_next = add i64 %pixel_image, 1
                  %pixel_image_more = icmp slt i64 %pixel_image_next, %pixel_image_limit
                  br i1 %pixel_image_more, label %pixel_image_loop, label %pixel_image_done
                pixel_image_done:
                %side_next.1 = add i64 %side.1, 1
                %side_more.1 = icmp slt i64 %side_next.1, 2
                br i1 %side_more.1, label %side_loop.1, label %side_done.1
              side_done.1:
              br label %joined.8
            joined.8:
            %finished_row_next = add i64 %finished_row, 8
            %finished_row_more = icmp slt i64 %finished_row_next, %finished_stop
            br i1 %finished_row_more, label %finished_row_loop, label %finished_row_done
          finished_row_done:
          %batch_next = add i64 %batch, 1
          %batch_more = icmp slt i64 %batch_next, %batch_stop
          br i1 %batch_more, label %batch_loop, label %batch_done
        batch_done:
        %panel_next = add i64 %panel.1, 1
        %panel_more = icmp slt i64 %panel_next, %last_panel
        br i1 %panel_more, label %panel_loop, label %panel_done
      panel_done:
      %row_part_next = add i64 %row_part, 1
      %row_part_more = icmp slt i64 %row_part_next, %row_blocks
      br i1 %row_part_more, label %row_part_loop, label %row_part_done
    row_part_done:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
