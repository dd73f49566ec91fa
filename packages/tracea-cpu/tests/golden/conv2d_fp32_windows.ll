; tracea: conv2d fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 halo
; schedule       408dcc3430cbf45698233ba8b05cd8a6f2e385feae885a7e139fc11ace67020c
; certificate    c681b3fd8304f0e555530ec25e65a00b9bfe46fcf6c914ed64a6dd82e2900c19:
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
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, i32, <8 x i1>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
; out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
; row_splits: parts that the tiles of all images are cut into; 1 to 4611686018427387904
; column_splits: parts that the panels are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the tiles of a part are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((m + 15) // 16 + column_splits - 1) // column_splits * (k_r * k_s * k_c) times, kept for a tile_column, aligned to 64 bytes
; images: workspace of fp32, element 1 = 1*1, items * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) times, kept for a call, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
; copied: 1x8 of fp32 in 1 registers of 8 lanes
; block: 8x8 of fp32 in 8 registers of 8 lanes
; block_turned: 8x8 of fp32 in 8 registers of 8 lanes
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
  %out_width_reciprocal_word = getelementptr i64, ptr %arguments, i64 21
  %out_width_reciprocal = load i64, ptr %out_width_reciprocal_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 22
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 23
  %column_splits = load i64, ptr %column_splits_word, align 8
  %row_blocks_word = getelementptr i64, ptr %arguments, i64 24
  %row_blocks = load i64, ptr %row_blocks_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 25
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 26
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %index = add i64 %m, 15
  %quotient = udiv i64 %index, 16
  %index.1 = add i64 %quotient, %column_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %column_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %column_splits
  %quotient.2 = add i64 %quotient.1, %below
  %product = mul i64 %k_r, %k_s
  %product.1 = mul i64 %product, %k_c
  %product.2 = mul i64 %quotient.2, %product.1
  %index.3 = mul i64 %product.2, 64
  %index.4 = add i64 %index.3, 63
  %rest.1 = srem i64 %index.4, 64
  %below.1 = ashr i64 %rest.1, 63
  %quotient.3 = sdiv i64 %index.4, 64
  %quotient.4 = add i64 %quotient.3, %below.1
  %panel_bytes = mul i64 %quotient.4, 64
  %panel_own = mul i64 %worker, %panel_bytes
  %panel = getelementptr i8, ptr %panel_of_all, i64 %panel_own
  %images_word = getelementptr i64, ptr %arguments, i64 27
  %images = load ptr, ptr %images_word, align 8
  ; panels = (m + 15) // 16
  ; row_tiles = (n + 1) // 2
  %index.5 = add i64 %n, 1
  %row_tiles = udiv i64 %index.5, 2
  ; k_rows = k_r * k_s * k_c
  ; lines = items * (height + pad_h * 2)
  %index.6 = mul i64 %pad_h, 2
  %index.7 = add i64 %height, %index.6
  %lines = mul i64 %items, %index.7
  ; channels = k_c
  ; whole_channels = channels // 8 * 8
  %quotient.5 = udiv i64 %k_c, 8
  %whole_channels = mul i64 %quotient.5, 8
  ; columns = width
  ; pad_columns = (width + pad_w * 2 - width) // 2
  %index.8 = mul i64 %pad_w, 2
  %pad_columns = udiv i64 %index.8, 2
  ; for line from worker * lines // workers to (worker + 1) * lines // workers
  %product.3 = mul i64 %worker, %lines
  %line_first = udiv i64 %product.3, %workers
  %index.9 = add i64 %worker, 1
  %product.4 = mul i64 %index.9, %lines
  %line_stop = udiv i64 %product.4, %workers
  %index.10 = mul i64 %pad_h, -1
  %line_any = icmp slt i64 %line_first, %line_stop
  br i1 %line_any, label %line_loop, label %line_done
  line_loop:
    %line = phi i64 [ %line_first, %entry ], [ %line_next, %joined ]
    ; item = line // (height + pad_h * 2)
    %item = udiv i64 %line, %index.7
    ; halo_row = line % (height + pad_h * 2)
    %halo_row = urem i64 %line, %index.7
    ; if pad_h <= halo_row and halo_row - pad_h < height
    %holds = icmp sle i64 %pad_h, %halo_row
    %index.11 = add i64 %index.10, %halo_row
    %holds.1 = icmp slt i64 %index.11, %height
    %both = and i1 %holds, %holds.1
    br i1 %both, label %then, label %otherwise
    then:
      ; copied = 0
      ; left_at_whole = pad_columns * channels // 8 * 8
      %product.5 = mul i64 %pad_columns, %k_c
      %quotient.6 = udiv i64 %product.5, 8
      %left_at_whole = mul i64 %quotient.6, 8
      ; for left_at from 0 to left_at_whole by 8
      %index.12 = add i64 %width, %index.8
      %product.6 = mul i64 %index.12, %k_c
      %product.7 = mul i64 %line, %product.6
      %images_at_0 = getelementptr float, ptr %images, i64 %product.7
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
      %holds.2 = icmp slt i64 %left_at_whole, %product.5
      br i1 %holds.2, label %then.1, label %joined.1
      then.1:
        ; left_at = left_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(left_at + column, pad_columns * channels - 1), 0] = copied, vector where left_at + column < pad_columns * channels
        %limit = sub i64 %product.5, %left_at_whole
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %index.13 = add i64 %product.5, -1
        %min = call i64 @llvm.smin.i64(i64 %left_at_whole, i64 %index.13)
        %index.14 = add i64 %product.7, %min
        %images_at_0.2 = getelementptr float, ptr %images, i64 %index.14
        call void @llvm.masked.store.v8f32.p0(<8 x float> zeroinitializer, ptr %images_at_0.2, i32 4, <8 x i1> %mask)
        br label %joined.1
      joined.1:
      ; for chunk from 0 to whole_channels by 8
      %product.8 = mul i64 %item, %x_image
      %index.15 = sub i64 %halo_row, %pad_h
      %product.10 = mul i64 %index.15, %x_row
      %index.16 = add i64 %product.8, %product.10
      %index.17 = add i64 %index.16, %pad_columns
      %index.18 = sub i64 %index.17, %pad_w
      %x_at_0 = getelementptr float, ptr %x, i64 %index.18
      %chunk_any = icmp slt i64 0, %whole_channels
      br i1 %chunk_any, label %chunk_loop, label %chunk_done
      chunk_loop:
        %chunk = phi i64 [ 0, %joined.1 ], [ %chunk_next, %pixel_done ]
        ; for pixel from 0 to columns // 8 * 8 by 8
        %quotient.7 = udiv i64 %width, 8
        %product.9 = mul i64 %chunk, %x_c
        %x_at_0.1 = getelementptr float, ptr %x_at_0, i64 %product.9
        %index.19 = add i64 %chunk, 1
        %product.11 = mul i64 %index.19, %x_c
        %x_at_1 = getelementptr float, ptr %x_at_0, i64 %product.11
        %index.20 = add i64 %chunk, 2
        %product.12 = mul i64 %index.20, %x_c
        %x_at_2 = getelementptr float, ptr %x_at_0, i64 %product.12
        %index.21 = add i64 %chunk, 3
        %product.13 = mul i64 %index.21, %x_c
        %x_at_3 = getelementptr float, ptr %x_at_0, i64 %product.13
        %index.22 = add i64 %chunk, 4
        %product.14 = mul i64 %index.22, %x_c
        %x_at_4 = getelementptr float, ptr %x_at_0, i64 %product.14
        %index.23 = add i64 %chunk, 5
        %product.15 = mul i64 %index.23, %x_c
        %x_at_5 = getelementptr float, ptr %x_at_0, i64 %product.15
        %index.24 = add i64 %chunk, 6
        %product.16 = mul i64 %index.24, %x_c
        %x_at_6 = getelementptr float, ptr %x_at_0, i64 %product.16
        %index.25 = add i64 %chunk, 7
        %product.17 = mul i64 %index.25, %x_c
        %x_at_7 = getelementptr float, ptr %x_at_0, i64 %product.17
        %images_at_0_0 = getelementptr float, ptr %images_at_0, i64 %chunk
        %pixel_limit = mul i64 %quotient.7, 8
        %pixel_any = icmp slt i64 0, %pixel_limit
        br i1 %pixel_any, label %pixel_loop, label %pixel_done
        pixel_loop:
          %pixel = phi i64 [ 0, %chunk_loop ], [ %pixel_next, %pixel_loop ]
          ; block_turned = x[item * x_image + (chunk + column) * x_c + (halo_row - pad_h) * x_row + pad_columns + pixel + row - pad_w], vector
          %x_at_0.2 = getelementptr float, ptr %x_at_0.1, i64 %pixel
          %block_turned_0 = load <8 x float>, ptr %x_at_0.2, align 4
          %x_at_1.1 = getelementptr float, ptr %x_at_1, i64 %pixel
          %block_turned_1 = load <8 x float>, ptr %x_at_1.1, align 4
          %x_at_2.1 = getelementptr float, ptr %x_at_2, i64 %pixel
          %block_turned_2 = load <8 x float>, ptr %x_at_2.1, align 4
          %x_at_3.1 = getelementptr float, ptr %x_at_3, i64 %pixel
          %block_turned_3 = load <8 x float>, ptr %x_at_3.1, align 4
          %x_at_4.1 = getelementptr float, ptr %x_at_4, i64 %pixel
          %block_turned_4 = load <8 x float>, ptr %x_at_4.1, align 4
          %x_at_5.1 = getelementptr float, ptr %x_at_5, i64 %pixel
          %block_turned_5 = load <8 x float>, ptr %x_at_5.1, align 4
          %x_at_6.1 = getelementptr float, ptr %x_at_6, i64 %pixel
          %block_turned_6 = load <8 x float>, ptr %x_at_6.1, align 4
          %x_at_7.1 = getelementptr float, ptr %x_at_7, i64 %pixel
          %block_turned_7 = load <8 x float>, ptr %x_at_7.1, align 4
          ; block = block_turned, lanes along the other axis
          %turned = shufflevector <8 x float> %block_turned_0, <8 x float> %block_turned_4, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.1 = shufflevector <8 x float> %block_turned_0, <8 x float> %block_turned_4, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.2 = shufflevector <8 x float> %block_turned_1, <8 x float> %block_turned_5, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.3 = shufflevector <8 x float> %block_turned_1, <8 x float> %block_turned_5, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.4 = shufflevector <8 x float> %block_turned_2, <8 x float> %block_turned_6, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.5 = shufflevector <8 x float> %block_turned_2, <8 x float> %block_turned_6, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.6 = shufflevector <8 x float> %block_turned_3, <8 x float> %block_turned_7, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.7 = shufflevector <8 x float> %block_turned_3, <8 x float> %block_turned_7, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
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
          %index.26 = add i64 %pad_columns, %pixel
          %product.18 = mul i64 %index.26, %k_c
          %images_at_0_0.1 = getelementptr float, ptr %images_at_0_0, i64 %product.18
          store <8 x float> %turned.10, ptr %images_at_0_0.1, align 4
          %index.27 = add i64 %index.26, 1
          %product.19 = mul i64 %index.27, %k_c
          %images_at_1_0 = getelementptr float, ptr %images_at_0_0, i64 %product.19
          store <8 x float> %turned.11, ptr %images_at_1_0, align 4
          %index.28 = add i64 %index.26, 2
          %product.20 = mul i64 %index.28, %k_c
          %images_at_2_0 = getelementptr float, ptr %images_at_0_0, i64 %product.20
          store <8 x float> %turned.14, ptr %images_at_2_0, align 4
          %index.29 = add i64 %index.26, 3
          %product.21 = mul i64 %index.29, %k_c
          %images_at_3_0 = getelementptr float, ptr %images_at_0_0, i64 %product.21
          store <8 x float> %turned.15, ptr %images_at_3_0, align 4
          %index.30 = add i64 %index.26, 4
          %product.22 = mul i64 %index.30, %k_c
          %images_at_4_0 = getelementptr float, ptr %images_at_0_0, i64 %product.22
          store <8 x float> %turned.18, ptr %images_at_4_0, align 4
          %index.31 = add i64 %index.26, 5
          %product.23 = mul i64 %index.31, %k_c
          %images_at_5_0 = getelementptr float, ptr %images_at_0_0, i64 %product.23
          store <8 x float> %turned.19, ptr %images_at_5_0, align 4
          %index.32 = add i64 %index.26, 6
          %product.24 = mul i64 %index.32, %k_c
          %images_at_6_0 = getelementptr float, ptr %images_at_0_0, i64 %product.24
          store <8 x float> %turned.22, ptr %images_at_6_0, align 4
          %index.33 = add i64 %index.26, 7
          %product.25 = mul i64 %index.33, %k_c
          %images_at_7_0 = getelementptr float, ptr %images_at_0_0, i64 %product.25
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
        %index.34 = add i64 %k_c, -1
        %min.1 = call i64 @llvm.smin.i64(i64 %whole_channels, i64 %index.34)
        %product.26 = mul i64 %min.1, %x_c
        %index.35 = add i64 %product.8, %product.26
        %index.36 = add i64 %index.35, %product.10
        %index.37 = add i64 %index.36, %pad_columns
        %index.38 = sub i64 %index.37, %pad_w
        %x_at_0.3 = getelementptr float, ptr %x, i64 %index.38
        %index.39 = add i64 %whole_channels, 1
        %min.2 = call i64 @llvm.smin.i64(i64 %index.39, i64 %index.34)
        %product.27 = mul i64 %min.2, %x_c
        %index.40 = add i64 %product.8, %product.27
        %index.41 = add i64 %index.40, %product.10
        %index.42 = add i64 %index.41, %pad_columns
        %index.43 = sub i64 %index.42, %pad_w
        %x_at_1.2 = getelementptr float, ptr %x, i64 %index.43
        %index.44 = add i64 %whole_channels, 2
        %min.3 = call i64 @llvm.smin.i64(i64 %index.44, i64 %index.34)
        %product.28 = mul i64 %min.3, %x_c
        %index.45 = add i64 %product.8, %product.28
        %index.46 = add i64 %index.45, %product.10
        %index.47 = add i64 %index.46, %pad_columns
        %index.48 = sub i64 %index.47, %pad_w
        %x_at_2.2 = getelementptr float, ptr %x, i64 %index.48
        %index.49 = add i64 %whole_channels, 3
        %min.4 = call i64 @llvm.smin.i64(i64 %index.49, i64 %index.34)
        %product.29 = mul i64 %min.4, %x_c
        %index.50 = add i64 %product.8, %product.29
        %index.51 = add i64 %index.50, %product.10
        %index.52 = add i64 %index.51, %pad_columns
        %index.53 = sub i64 %index.52, %pad_w
        %x_at_3.2 = getelementptr float, ptr %x, i64 %index.53
        %index.54 = add i64 %whole_channels, 4
        %min.5 = call i64 @llvm.smin.i64(i64 %index.54, i64 %index.34)
        %product.30 = mul i64 %min.5, %x_c
        %index.55 = add i64 %product.8, %product.30
        %index.56 = add i64 %index.55, %product.10
        %index.57 = add i64 %index.56, %pad_columns
        %index.58 = sub i64 %index.57, %pad_w
        %x_at_4.2 = getelementptr float, ptr %x, i64 %index.58
        %index.59 = add i64 %whole_channels, 5
        %min.6 = call i64 @llvm.smin.i64(i64 %index.59, i64 %index.34)
        %product.31 = mul i64 %min.6, %x_c
        %index.60 = add i64 %product.8, %product.31
        %index.61 = add i64 %index.60, %product.10
        %index.62 = add i64 %index.61, %pad_columns
        %index.63 = sub i64 %index.62, %pad_w
        %x_at_5.2 = getelementptr float, ptr %x, i64 %index.63
        %index.64 = add i64 %whole_channels, 6
        %min.7 = call i64 @llvm.smin.i64(i64 %index.64, i64 %index.34)
        %product.32 = mul i64 %min.7, %x_c
        %index.65 = add i64 %product.8, %product.32
        %index.66 = add i64 %index.65, %product.10
        %index.67 = add i64 %index.66, %pad_columns
        %index.68 = sub i64 %index.67, %pad_w
        %x_at_6.2 = getelementptr float, ptr %x, i64 %index.68
        %index.69 = add i64 %whole_channels, 7
        %min.8 = call i64 @llvm.smin.i64(i64 %index.69, i64 %index.34)
        %product.33 = mul i64 %min.8, %x_c
        %index.70 = add i64 %product.8, %product.33
        %index.71 = add i64 %index.70, %product.10
        %index.72 = add i64 %index.71, %pad_columns
        %index.73 = sub i64 %index.72, %pad_w
        %x_at_7.2 = getelementptr float, ptr %x, i64 %index.73
        %limit.1 = sub i64 %k_c, %whole_channels
        %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
        %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.1 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
        %index.75 = add i64 %product.7, %min.1
        %images_at_0_0.2 = getelementptr float, ptr %images, i64 %index.75
        %pixel_limit.1 = mul i64 %quotient.8, 8
        %pixel_any.1 = icmp slt i64 0, %pixel_limit.1
        br i1 %pixel_any.1, label %pixel_loop.1, label %pixel_done.1
        pixel_loop.1:
          %pixel.1 = phi i64 [ 0, %then.2 ], [ %pixel_next.1, %pixel_loop.1 ]
          ; block_turned = x[item * x_image + min(chunk + column, channels - 1) * x_c + (halo_row - pad_h) * x_row + pad_columns + pixel + row - pad_w], vector
          %x_at_0.4 = getelementptr float, ptr %x_at_0.3, i64 %pixel.1
          %block_turned_0.1 = load <8 x float>, ptr %x_at_0.4, align 4
          %x_at_1.3 = getelementptr float, ptr %x_at_1.2, i64 %pixel.1
          %block_turned_1.1 = load <8 x float>, ptr %x_at_1.3, align 4
          %x_at_2.3 = getelementptr float, ptr %x_at_2.2, i64 %pixel.1
          %block_turned_2.1 = load <8 x float>, ptr %x_at_2.3, align 4
          %x_at_3.3 = getelementptr float, ptr %x_at_3.2, i64 %pixel.1
          %block_turned_3.1 = load <8 x float>, ptr %x_at_3.3, align 4
          %x_at_4.3 = getelementptr float, ptr %x_at_4.2, i64 %pixel.1
          %block_turned_4.1 = load <8 x float>, ptr %x_at_4.3, align 4
          %x_at_5.3 = getelementptr float, ptr %x_at_5.2, i64 %pixel.1
          %block_turned_5.1 = load <8 x float>, ptr %x_at_5.3, align 4
          %x_at_6.3 = getelementptr float, ptr %x_at_6.2, i64 %pixel.1
          %block_turned_6.1 = load <8 x float>, ptr %x_at_6.3, align 4
          %x_at_7.3 = getelementptr float, ptr %x_at_7.2, i64 %pixel.1
          %block_turned_7.1 = load <8 x float>, ptr %x_at_7.3, align 4
          ; block = block_turned, lanes along the other axis
          %turned.24 = shufflevector <8 x float> %block_turned_0.1, <8 x float> %block_turned_4.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.25 = shufflevector <8 x float> %block_turned_0.1, <8 x float> %block_turned_4.1, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.26 = shufflevector <8 x float> %block_turned_1.1, <8 x float> %block_turned_5.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.27 = shufflevector <8 x float> %block_turned_1.1, <8 x float> %block_turned_5.1, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.28 = shufflevector <8 x float> %block_turned_2.1, <8 x float> %block_turned_6.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.29 = shufflevector <8 x float> %block_turned_2.1, <8 x float> %block_turned_6.1, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
          %turned.30 = shufflevector <8 x float> %block_turned_3.1, <8 x float> %block_turned_7.1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
          %turned.31 = shufflevector <8 x float> %block_turned_3.1, <8 x float> %block_turned_7.1, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
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
          %index.74 = add i64 %pad_columns, %pixel.1
          %product.34 = mul i64 %index.74, %k_c
          %images_at_0_0.3 = getelementptr float, ptr %images_at_0_0.2, i64 %product.34
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.34, ptr %images_at_0_0.3, i32 4, <8 x i1> %mask.1)
          %index.76 = add i64 %index.74, 1
          %product.35 = mul i64 %index.76, %k_c
          %images_at_1_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.35
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.35, ptr %images_at_1_0.1, i32 4, <8 x i1> %mask.1)
          %index.77 = add i64 %index.74, 2
          %product.36 = mul i64 %index.77, %k_c
          %images_at_2_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.36
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.38, ptr %images_at_2_0.1, i32 4, <8 x i1> %mask.1)
          %index.78 = add i64 %index.74, 3
          %product.37 = mul i64 %index.78, %k_c
          %images_at_3_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.37
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.39, ptr %images_at_3_0.1, i32 4, <8 x i1> %mask.1)
          %index.79 = add i64 %index.74, 4
          %product.38 = mul i64 %index.79, %k_c
          %images_at_4_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.38
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.42, ptr %images_at_4_0.1, i32 4, <8 x i1> %mask.1)
          %index.80 = add i64 %index.74, 5
          %product.39 = mul i64 %index.80, %k_c
          %images_at_5_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.39
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.43, ptr %images_at_5_0.1, i32 4, <8 x i1> %mask.1)
          %index.81 = add i64 %index.74, 6
          %product.40 = mul i64 %index.81, %k_c
          %images_at_6_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.40
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.46, ptr %images_at_6_0.1, i32 4, <8 x i1> %mask.1)
          %index.82 = add i64 %index.74, 7
          %product.41 = mul i64 %index.82, %k_c
          %images_at_7_0.1 = getelementptr float, ptr %images_at_0_0.2, i64 %product.41
          call void @llvm.masked.store.v8f32.p0(<8 x float> %turned.47, ptr %images_at_7_0.1, i32 4, <8 x i1> %mask.1)
          %pixel_next.1 = add i64 %pixel.1, 8
          %pixel_more.1 = icmp slt i64 %pixel_next.1, %pixel_limit.1
          br i1 %pixel_more.1, label %pixel_loop.1, label %pixel_done.1
        pixel_done.1:
        br label %joined.2
      joined.2:
      ; for halo_column from pad_columns + columns // 8 * 8 to pad_columns + columns
      %quotient.9 = udiv i64 %width, 8
      %index.83 = mul i64 %quotient.9, 8
      %halo_column_first = add i64 %pad_columns, %index.83
      %index.84 = sub i64 %index.16, %pad_w
      %x_at_0.5 = getelementptr float, ptr %x, i64 %index.84
      %halo_column_limit = add i64 %pad_columns, %width
      %halo_column_any = icmp slt i64 %halo_column_first, %halo_column_limit
      br i1 %halo_column_any, label %halo_column_loop, label %halo_column_done
      halo_column_loop:
        %halo_column = phi i64 [ %halo_column_first, %joined.2 ], [ %halo_column_next, %joined.3 ]
        ; for chunk from 0 to whole_channels by 8
        %x_at_0.6 = getelementptr float, ptr %x_at_0.5, i64 %halo_column
        %product.43 = mul i64 %halo_column, %k_c
        %images_at_0.3 = getelementptr float, ptr %images_at_0, i64 %product.43
        br i1 %chunk_any, label %chunk_loop.1, label %chunk_done.1
        chunk_loop.1:
          %chunk.1 = phi i64 [ 0, %halo_column_loop ], [ %chunk_next.1, %chunk_loop.1 ]
          ; copied = x[item * x_image + (chunk + column) * x_c + (halo_row - pad_h) * x_row + halo_column - pad_w], gather
          %product.42 = mul i64 %chunk.1, %x_c
          %x_at_0.7 = getelementptr float, ptr %x_at_0.6, i64 %product.42
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
          %index.85 = add <8 x i64> %all.3, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %lane0.4 = insertelement <8 x i64> poison, i64 %x_c, i64 0
          %all.4 = shufflevector <8 x i64> %lane0.4, <8 x i64> poison, <8 x i32> zeroinitializer
          %product.44 = mul <8 x i64> %index.85, %all.4
          %index.86 = add i64 %index.16, %halo_column
          %index.87 = sub i64 %index.86, %pad_w
          %x_at_0.8 = getelementptr float, ptr %x, i64 %index.87
          %lanes_at = getelementptr float, ptr %x_at_0.8, <8 x i64> %product.44
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
          %index.88 = add i64 %k_c, -1
          %min.9 = call i64 @llvm.smin.i64(i64 %whole_channels, i64 %index.88)
          %index.89 = add i64 %product.7, %product.43
          %index.90 = add i64 %index.89, %min.9
          %images_at_0.5 = getelementptr float, ptr %images, i64 %index.90
          call void @llvm.masked.store.v8f32.p0(<8 x float> %copied_0.15, ptr %images_at_0.5, i32 4, <8 x i1> %mask.2)
          br label %joined.3
        joined.3:
        %halo_column_next = add i64 %halo_column, 1
        %halo_column_more = icmp slt i64 %halo_column_next, %halo_column_limit
        br i1 %halo_column_more, label %halo_column_loop, label %halo_column_done
      halo_column_done:
      ; copied = 0
      ; right_at_whole = (pad_columns + columns) * channels + ((width + pad_w * 2) * k_c - (pad_columns + columns) * channels) // 8 * 8
      %product.45 = mul i64 %halo_column_limit, %k_c
      %index.91 = sub i64 %product.6, %product.45
      %rest.2 = srem i64 %index.91, 8
      %below.2 = ashr i64 %rest.2, 63
      %quotient.10 = sdiv i64 %index.91, 8
      %quotient.11 = add i64 %quotient.10, %below.2
      %index.92 = mul i64 %quotient.11, 8
      %right_at_whole = add i64 %product.45, %index.92
      ; for right_at from (pad_columns + columns) * channels to right_at_whole by 8
      %right_at_any = icmp slt i64 %product.45, %right_at_whole
      br i1 %right_at_any, label %right_at_loop, label %right_at_done
      right_at_loop:
        %right_at = phi i64 [ %product.45, %halo_column_done ], [ %right_at_next, %right_at_loop ]
        ; images[line * ((width + pad_w * 2) * k_c) + right_at + column, 0] = copied, vector
        %images_at_0.6 = getelementptr float, ptr %images_at_0, i64 %right_at
        store <8 x float> zeroinitializer, ptr %images_at_0.6, align 4
        %right_at_next = add i64 %right_at, 8
        %right_at_more = icmp slt i64 %right_at_next, %right_at_whole
        br i1 %right_at_more, label %right_at_loop, label %right_at_done
      right_at_done:
      ; if right_at_whole < (width + pad_w * 2) * k_c
      %holds.4 = icmp slt i64 %right_at_whole, %product.6
      br i1 %holds.4, label %then.4, label %joined.4
      then.4:
        ; right_at = right_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(right_at + column, (width + pad_w * 2) * k_c - 1), 0] = copied, vector where right_at + column < (width + pad_w * 2) * k_c
        %limit.3 = sub i64 %product.6, %right_at_whole
        %lane0.6 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
        %all.6 = shufflevector <8 x i64> %lane0.6, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.6
        %index.93 = add i64 %product.6, -1
        %min.10 = call i64 @llvm.smin.i64(i64 %right_at_whole, i64 %index.93)
        %index.94 = add i64 %product.7, %min.10
        %images_at_0.7 = getelementptr float, ptr %images, i64 %index.94
        call void @llvm.masked.store.v8f32.p0(<8 x float> zeroinitializer, ptr %images_at_0.7, i32 4, <8 x i1> %mask.3)
        br label %joined.4
      joined.4:
      br label %joined
    otherwise:
      ; copied = 0
      ; empty_at_whole = (width + pad_w * 2) * k_c // 8 * 8
      %index.95 = add i64 %width, %index.8
      %product.46 = mul i64 %index.95, %k_c
      %quotient.12 = udiv i64 %product.46, 8
      %empty_at_whole = mul i64 %quotient.12, 8
      ; for empty_at from 0 to empty_at_whole by 8
      %product.47 = mul i64 %line, %product.46
      %images_at_0.8 = getelementptr float, ptr %images, i64 %product.47
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
      %holds.5 = icmp slt i64 %empty_at_whole, %product.46
      br i1 %holds.5, label %then.5, label %joined.5
      then.5:
        ; empty_at = empty_at_whole
        ; images[line * ((width + pad_w * 2) * k_c) + min(empty_at + column, (width + pad_w * 2) * k_c - 1), 0] = copied, vector where empty_at + column < (width + pad_w * 2) * k_c
        %limit.4 = sub i64 %product.46, %empty_at_whole
        %lane0.7 = insertelement <8 x i64> poison, i64 %limit.4, i64 0
        %all.7 = shufflevector <8 x i64> %lane0.7, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.4 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.7
        %index.96 = add i64 %product.46, -1
        %min.11 = call i64 @llvm.smin.i64(i64 %empty_at_whole, i64 %index.96)
        %index.97 = add i64 %product.47, %min.11
        %images_at_0.10 = getelementptr float, ptr %images, i64 %index.97
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
  %product.48 = mul i64 %row_splits, %column_splits
  %product.49 = mul i64 %worker, %product.48
  %unit_first = udiv i64 %product.49, %workers
  %product.50 = mul i64 %index.9, %product.48
  %unit_stop = udiv i64 %product.50, %workers
  %product.53 = mul i64 %items, %row_tiles
  %index.118 = add i64 %width, %index.8
  %product.70 = mul i64 %index.118, %k_c
  %product.71 = mul i64 %index.7, %product.70
  %index.119 = add i64 %n, -1
  %low = and i64 %out_width_reciprocal, 4294967295
  %multiplier = add i64 %low, 2147483648
  %high = lshr i64 %out_width_reciprocal, 32
  %shift = add i64 %high, 31
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
    %product.51 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.51, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.98 = add i64 %part, 1
    %product.52 = mul i64 %index.98, %quotient
    %last_panel = udiv i64 %product.52, %column_splits
    ; first_tile = split * (items * row_tiles) // row_splits
    %product.54 = mul i64 %split, %product.53
    %first_tile = udiv i64 %product.54, %row_splits
    ; last_tile = (split + 1) * (items * row_tiles) // row_splits
    %index.99 = add i64 %split, 1
    %product.55 = mul i64 %index.99, %product.53
    %last_tile = udiv i64 %product.55, %row_splits
    ; for row_part from 0 to row_blocks
    %index.100 = sub i64 %last_tile, %first_tile
    %index.102 = mul i64 %first_panel, -1
    %row_part_any = icmp slt i64 0, %row_blocks
    br i1 %row_part_any, label %row_part_loop, label %row_part_done
    row_part_loop:
      %row_part = phi i64 [ 0, %unit_loop ], [ %row_part_next, %panel_done ]
      ; block_first = first_tile + row_part * (last_tile - first_tile) // row_blocks
      %product.56 = mul i64 %row_part, %index.100
      %rest.3 = srem i64 %product.56, %row_blocks
      %below.3 = ashr i64 %rest.3, 63
      %quotient.13 = sdiv i64 %product.56, %row_blocks
      %quotient.14 = add i64 %quotient.13, %below.3
      %block_first = add i64 %first_tile, %quotient.14
      ; block_last = first_tile + (row_part + 1) * (last_tile - first_tile) // row_blocks
      %index.101 = add i64 %row_part, 1
      %product.57 = mul i64 %index.101, %index.100
      %rest.4 = srem i64 %product.57, %row_blocks
      %below.4 = ashr i64 %rest.4, 63
      %quotient.15 = sdiv i64 %product.57, %row_blocks
      %quotient.16 = add i64 %quotient.15, %below.4
      %block_last = add i64 %first_tile, %quotient.16
      ; for panel from first_panel to last_panel
      %holds.6 = icmp eq i64 %row_part, 0
      %panel_any = icmp slt i64 %first_panel, %last_panel
      br i1 %panel_any, label %panel_loop, label %panel_done
      panel_loop:
        %panel.1 = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %place_done ]
        ; column0 = panel * 16
        %column0 = mul i64 %panel.1, 16
        ; panel_row = (panel - first_panel) * k_rows
        %index.103 = add i64 %index.102, %panel.1
        %panel_row = mul i64 %index.103, %product.1
        ; if row_part == 0
        br i1 %holds.6, label %then.6, label %joined.6
        then.6:
          ; if column0 + 15 < m
          %index.104 = add i64 %column0, 15
          %holds.7 = icmp slt i64 %index.104, %m
          br i1 %holds.7, label %then.7, label %otherwise.7
          then.7:
            ; for r from 0 to k_r
            %product.58 = mul i64 %column0, %w_out
            %w_at_0 = getelementptr float, ptr %w, i64 %product.58
            %index.106 = add i64 %column0, 8
            %product.61 = mul i64 %index.106, %w_out
            %w_at_1 = getelementptr float, ptr %w, i64 %product.61
            %index.108 = mul i64 %panel_row, 16
            %panel_at_0 = getelementptr float, ptr %panel, i64 %index.108
            %r_any = icmp slt i64 0, %k_r
            br i1 %r_any, label %r_loop, label %r_done
            r_loop:
              %r = phi i64 [ 0, %then.7 ], [ %r_next, %s_done ]
              ; for s from 0 to k_s
              %product.62 = mul i64 %r, %k_s
              %s_any = icmp slt i64 0, %k_s
              br i1 %s_any, label %s_loop, label %s_done
              s_loop:
                %s = phi i64 [ 0, %r_loop ], [ %s_next, %c_done ]
                ; for c from 0 to k_c
                %w_at_0.1 = getelementptr float, ptr %w_at_0, i64 %s
                %w_at_1.1 = getelementptr float, ptr %w_at_1, i64 %s
                %index.107 = add i64 %product.62, %s
                %product.63 = mul i64 %index.107, %k_c
                %index.109 = mul i64 %product.63, 16
                %panel_at_0.1 = getelementptr float, ptr %panel_at_0, i64 %index.109
                %c_any = icmp slt i64 0, %k_c
                br i1 %c_any, label %c_loop, label %c_done
                c_loop:
                  %c = phi i64 [ 0, %s_loop ], [ %c_next, %c_loop ]
                  ; packed = w[(column0 + column) * w_out + (c * k_r + r) * k_s + s], gather
                  %product.59 = mul i64 %c, %k_r
                  %index.105 = add i64 %r, %product.59
                  %product.60 = mul i64 %index.105, %k_s
                  %w_at_0.2 = getelementptr float, ptr %w_at_0.1, i64 %product.60
                  %lane_at.15 = getelementptr float, ptr %w_at_0.2, i64 %w_out
                  %lane_at.16 = getelementptr float, ptr %lane_at.15, i64 %w_out
                  %lane_at.17 = getelementptr float, ptr %lane_at.16, i64 %w_out
                  %lane_at.18 = getelementptr float, ptr %lane_at.17, i64 %w_out
                  %lane_at.19 = getelementptr float, ptr %lane_at.18, i64 %w_out
                  %lane_at.20 = getelementptr float, ptr %lane_at.19, i64 %w_out
                  %lane_at.21 = getelementptr float, ptr %lane_at.20, i64 %w_out
                  %packed_0_one = load float, ptr %w_at_0.2, align 4
                  %packed_0 = insertelement <8 x float> poison, float %packed_0_one, i64 0
                  %packed_0_one.1 = load float, ptr %lane_at.15, align 4
                  %packed_0.1 = insertelement <8 x float> %packed_0, float %packed_0_one.1, i64 1
                  %packed_0_one.2 = load float, ptr %lane_at.16, align 4
                  %packed_0.2 = insertelement <8 x float> %packed_0.1, float %packed_0_one.2, i64 2
                  %packed_0_one.3 = load float, ptr %lane_at.17, align 4
                  %packed_0.3 = insertelement <8 x float> %packed_0.2, float %packed_0_one.3, i64 3
                  %packed_0_one.4 = load float, ptr %lane_at.18, align 4
                  %packed_0.4 = insertelement <8 x float> %packed_0.3, float %packed_0_one.4, i64 4
                  %packed_0_one.5 = load float, ptr %lane_at.19, align 4
                  %packed_0.5 = insertelement <8 x float> %packed_0.4, float %packed_0_one.5, i64 5
                  %packed_0_one.6 = load float, ptr %lane_at.20, align 4
                  %packed_0.6 = insertelement <8 x float> %packed_0.5, float %packed_0_one.6, i64 6
                  %packed_0_one.7 = load float, ptr %lane_at.21, align 4
                  %packed_0.7 = insertelement <8 x float> %packed_0.6, float %packed_0_one.7, i64 7
                  %w_at_1.2 = getelementptr float, ptr %w_at_1.1, i64 %product.60
                  %lane_at.22 = getelementptr float, ptr %w_at_1.2, i64 %w_out
                  %lane_at.23 = getelementptr float, ptr %lane_at.22, i64 %w_out
                  %lane_at.24 = getelementptr float, ptr %lane_at.23, i64 %w_out
                  %lane_at.25 = getelementptr float, ptr %lane_at.24, i64 %w_out
                  %lane_at.26 = getelementptr float, ptr %lane_at.25, i64 %w_out
                  %lane_at.27 = getelementptr float, ptr %lane_at.26, i64 %w_out
                  %lane_at.28 = getelementptr float, ptr %lane_at.27, i64 %w_out
                  %packed_1_one = load float, ptr %w_at_1.2, align 4
                  %packed_1 = insertelement <8 x float> poison, float %packed_1_one, i64 0
                  %packed_1_one.1 = load float, ptr %lane_at.22, align 4
                  %packed_1.1 = insertelement <8 x float> %packed_1, float %packed_1_one.1, i64 1
                  %packed_1_one.2 = load float, ptr %lane_at.23, align 4
                  %packed_1.2 = insertelement <8 x float> %packed_1.1, float %packed_1_one.2, i64 2
                  %packed_1_one.3 = load float, ptr %lane_at.24, align 4
                  %packed_1.3 = insertelement <8 x float> %packed_1.2, float %packed_1_one.3, i64 3
                  %packed_1_one.4 = load float, ptr %lane_at.25, align 4
                  %packed_1.4 = insertelement <8 x float> %packed_1.3, float %packed_1_one.4, i64 4
                  %packed_1_one.5 = load float, ptr %lane_at.26, align 4
                  %packed_1.5 = insertelement <8 x float> %packed_1.4, float %packed_1_one.5, i64 5
                  %packed_1_one.6 = load float, ptr %lane_at.27, align 4
                  %packed_1.6 = insertelement <8 x float> %packed_1.5, float %packed_1_one.6, i64 6
                  %packed_1_one.7 = load float, ptr %lane_at.28, align 4
                  %packed_1.7 = insertelement <8 x float> %packed_1.6, float %packed_1_one.7, i64 7
                  ; panel[panel_row + (r * k_s + s) * k_c + c, column] = packed, vector
                  %index.110 = mul i64 %c, 16
                  %panel_at_0.2 = getelementptr float, ptr %panel_at_0.1, i64 %index.110
                  store <8 x float> %packed_0.7, ptr %panel_at_0.2, align 64
                  %panel_at_1 = getelementptr float, ptr %panel_at_0.2, i64 8
                  store <8 x float> %packed_1.7, ptr %panel_at_1, align 32
                  %c_next = add i64 %c, 1
                  %c_more = icmp slt i64 %c_next, %k_c
                  br i1 %c_more, label %c_loop, label %c_done
                c_done:
                %s_next = add i64 %s, 1
                %s_more = icmp slt i64 %s_next, %k_s
                br i1 %s_more, label %s_loop, label %s_done
              s_done:
              %r_next = add i64 %r, 1
              %r_more = icmp slt i64 %r_next, %k_r
              br i1 %r_more, label %r_loop, label %r_done
            r_done:
            br label %joined.7
          otherwise.7:
            ; for r from 0 to k_r
            %limit.5 = sub i64 %m, %column0
            %lane0.8 = insertelement <8 x i64> poison, i64 %limit.5, i64 0
            %all.8 = shufflevector <8 x i64> %lane0.8, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.5 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.8
            %lane0.9 = insertelement <8 x i64> poison, i64 %column0, i64 0
            %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
            %index.111 = add <8 x i64> %all.9, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
            %lane0.10 = insertelement <8 x i64> poison, i64 %w_out, i64 0
            %all.10 = shufflevector <8 x i64> %lane0.10, <8 x i64> poison, <8 x i32> zeroinitializer
            %product.64 = mul <8 x i64> %index.111, %all.10
            %lane0.11 = insertelement <8 x ptr> poison, ptr %fill_fp32, i64 0
            %all.11 = shufflevector <8 x ptr> %lane0.11, <8 x ptr> poison, <8 x i32> zeroinitializer
            %mask.6 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.8
            %index.113 = add <8 x i64> %all.9, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
            %product.67 = mul <8 x i64> %index.113, %all.10
            %index.115 = mul i64 %panel_row, 16
            %panel_at_0.3 = getelementptr float, ptr %panel, i64 %index.115
            %r_any.1 = icmp slt i64 0, %k_r
            br i1 %r_any.1, label %r_loop.1, label %r_done.1
            r_loop.1:
              %r.1 = phi i64 [ 0, %otherwise.7 ], [ %r_next.1, %s_done.1 ]
              ; for s from 0 to k_s
              %product.68 = mul i64 %r.1, %k_s
              %s_any.1 = icmp slt i64 0, %k_s
              br i1 %s_any.1, label %s_loop.1, label %s_done.1
              s_loop.1:
                %s.1 = phi i64 [ 0, %r_loop.1 ], [ %s_next.1, %c_done.1 ]
                ; for c from 0 to k_c
                %w_at_0.3 = getelementptr float, ptr %w, i64 %s.1
                %index.114 = add i64 %product.68, %s.1
                %product.69 = mul i64 %index.114, %k_c
                %index.116 = mul i64 %product.69, 16
                %panel_at_0.4 = getelementptr float, ptr %panel_at_0.3, i64 %index.116
                %c_any.1 = icmp slt i64 0, %k_c
                br i1 %c_any.1, label %c_loop.1, label %c_done.1
                c_loop.1:
                  %c.1 = phi i64 [ 0, %s_loop.1 ], [ %c_next.1, %c_loop.1 ]
                  ; packed = w[(column0 + column) * w_out + (c * k_r + r) * k_s + s], gather where column0 + column < m, else 0
                  %product.65 = mul i64 %c.1, %k_r
                  %index.112 = add i64 %r.1, %product.65
                  %product.66 = mul i64 %index.112, %k_s
                  %w_at_0.4 = getelementptr float, ptr %w_at_0.3, i64 %product.66
                  %lanes_at.1 = getelementptr float, ptr %w_at_0.4, <8 x i64> %product.64
                  %safe_at.1 = select <8 x i1> %mask.5, <8 x ptr> %lanes_at.1, <8 x ptr> %all.11
                  %lane_at.29 = extractelement <8 x ptr> %safe_at.1, i64 0
                  %lane_at.30 = extractelement <8 x ptr> %safe_at.1, i64 1
                  %lane_at.31 = extractelement <8 x ptr> %safe_at.1, i64 2
                  %lane_at.32 = extractelement <8 x ptr> %safe_at.1, i64 3
                  %lane_at.33 = extractelement <8 x ptr> %safe_at.1, i64 4
                  %lane_at.34 = extractelement <8 x ptr> %safe_at.1, i64 5
                  %lane_at.35 = extractelement <8 x ptr> %safe_at.1, i64 6
                  %lane_at.36 = extractelement <8 x ptr> %safe_at.1, i64 7
                  %packed_0_one.8 = load float, ptr %lane_at.29, align 4
                  %packed_0.8 = insertelement <8 x float> poison, float %packed_0_one.8, i64 0
                  %packed_0_one.9 = load float, ptr %lane_at.30, align 4
                  %packed_0.9 = insertelement <8 x float> %packed_0.8, float %packed_0_one.9, i64 1
                  %packed_0_one.10 = load float, ptr %lane_at.31, align 4
                  %packed_0.10 = insertelement <8 x float> %packed_0.9, float %packed_0_one.10, i64 2
                  %packed_0_one.11 = load float, ptr %lane_at.32, align 4
                  %packed_0.11 = insertelement <8 x float> %packed_0.10, float %packed_0_one.11, i64 3
                  %packed_0_one.12 = load float, ptr %lane_at.33, align 4
                  %packed_0.12 = insertelement <8 x float> %packed_0.11, float %packed_0_one.12, i64 4
                  %packed_0_one.13 = load float, ptr %lane_at.34, align 4
                  %packed_0.13 = insertelement <8 x float> %packed_0.12, float %packed_0_one.13, i64 5
                  %packed_0_one.14 = load float, ptr %lane_at.35, align 4
                  %packed_0.14 = insertelement <8 x float> %packed_0.13, float %packed_0_one.14, i64 6
                  %packed_0_one.15 = load float, ptr %lane_at.36, align 4
                  %packed_0.15 = insertelement <8 x float> %packed_0.14, float %packed_0_one.15, i64 7
                  %lanes_at.2 = getelementptr float, ptr %w_at_0.4, <8 x i64> %product.67
                  %safe_at.2 = select <8 x i1> %mask.6, <8 x ptr> %lanes_at.2, <8 x ptr> %all.11
                  %lane_at.37 = extractelement <8 x ptr> %safe_at.2, i64 0
                  %lane_at.38 = extractelement <8 x ptr> %safe_at.2, i64 1
                  %lane_at.39 = extractelement <8 x ptr> %safe_at.2, i64 2
                  %lane_at.40 = extractelement <8 x ptr> %safe_at.2, i64 3
                  %lane_at.41 = extractelement <8 x ptr> %safe_at.2, i64 4
                  %lane_at.42 = extractelement <8 x ptr> %safe_at.2, i64 5
                  %lane_at.43 = extractelement <8 x ptr> %safe_at.2, i64 6
                  %lane_at.44 = extractelement <8 x ptr> %safe_at.2, i64 7
                  %packed_1_one.8 = load float, ptr %lane_at.37, align 4
                  %packed_1.8 = insertelement <8 x float> poison, float %packed_1_one.8, i64 0
                  %packed_1_one.9 = load float, ptr %lane_at.38, align 4
                  %packed_1.9 = insertelement <8 x float> %packed_1.8, float %packed_1_one.9, i64 1
                  %packed_1_one.10 = load float, ptr %lane_at.39, align 4
                  %packed_1.10 = insertelement <8 x float> %packed_1.9, float %packed_1_one.10, i64 2
                  %packed_1_one.11 = load float, ptr %lane_at.40, align 4
                  %packed_1.11 = insertelement <8 x float> %packed_1.10, float %packed_1_one.11, i64 3
                  %packed_1_one.12 = load float, ptr %lane_at.41, align 4
                  %packed_1.12 = insertelement <8 x float> %packed_1.11, float %packed_1_one.12, i64 4
                  %packed_1_one.13 = load float, ptr %lane_at.42, align 4
                  %packed_1.13 = insertelement <8 x float> %packed_1.12, float %packed_1_one.13, i64 5
                  %packed_1_one.14 = load float, ptr %lane_at.43, align 4
                  %packed_1.14 = insertelement <8 x float> %packed_1.13, float %packed_1_one.14, i64 6
                  %packed_1_one.15 = load float, ptr %lane_at.44, align 4
                  %packed_1.15 = insertelement <8 x float> %packed_1.14, float %packed_1_one.15, i64 7
                  ; panel[panel_row + (r * k_s + s) * k_c + c, column] = packed, vector
                  %index.117 = mul i64 %c.1, 16
                  %panel_at_0.5 = getelementptr float, ptr %panel_at_0.4, i64 %index.117
                  store <8 x float> %packed_0.15, ptr %panel_at_0.5, align 64
                  %panel_at_1.1 = getelementptr float, ptr %panel_at_0.5, i64 8
                  store <8 x float> %packed_1.15, ptr %panel_at_1.1, align 32
                  %c_next.1 = add i64 %c.1, 1
                  %c_more.1 = icmp slt i64 %c_next.1, %k_c
                  br i1 %c_more.1, label %c_loop.1, label %c_done.1
                c_done.1:
                %s_next.1 = add i64 %s.1, 1
                %s_more.1 = icmp slt i64 %s_next.1, %k_s
                br i1 %s_more.1, label %s_loop.1, label %s_done.1
              s_done.1:
              %r_next.1 = add i64 %r.1, 1
              %r_more.1 = icmp slt i64 %r_next.1, %k_r
              br i1 %r_more.1, label %r_loop.1, label %r_done.1
            r_done.1:
            br label %joined.7
          joined.7:
          br label %joined.6
        joined.6:
        ; for place from block_first to block_last
        %index.125 = mul i64 %panel_row, 16
        %panel_at_0.6 = getelementptr float, ptr %panel, i64 %index.125
        %index.129 = add i64 %column0, 15
        %holds.9 = icmp slt i64 %index.129, %m
        %place_any = icmp slt i64 %block_first, %block_last
        br i1 %place_any, label %place_loop, label %place_done
        place_loop:
          %place = phi i64 [ %block_first, %joined.6 ], [ %place_next, %joined.8 ]
          ; item = place // row_tiles
          %rest.5 = srem i64 %place, %row_tiles
          %below.5 = ashr i64 %rest.5, 63
          %quotient.17 = sdiv i64 %place, %row_tiles
          %item.1 = add i64 %quotient.17, %below.5
          ; row0 = place % row_tiles * 2
          %lift = and i64 %below.5, %row_tiles
          %rest.6 = add i64 %rest.5, %lift
          %row0 = mul i64 %rest.6, 2
          ; window = item * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) + (quotient(min(row0 + row, n - 1), out_width_reciprocal) * (width + pad_w * 2) + min(row0 + row, n - 1) - quotient(min(row0 + row, n - 1), out_width_reciprocal) * out_width) * k_c for each element of a
          %product.72 = mul i64 %item.1, %product.71
          %min.12 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.119)
          %product.73 = mul i64 %min.12, %multiplier
          %quotient.18 = lshr i64 %product.73, %shift
          %product.74 = mul i64 %quotient.18, %index.118
          %product.75 = mul i64 %quotient.18, %out_width
          %index.120 = add i64 %product.74, %min.12
          %index.121 = sub i64 %index.120, %product.75
          %product.76 = mul i64 %index.121, %k_c
          %window_0 = add i64 %product.72, %product.76
          %index.122 = add i64 %row0, 1
          %min.13 = call i64 @llvm.smin.i64(i64 %index.122, i64 %index.119)
          %product.77 = mul i64 %min.13, %multiplier
          %quotient.19 = lshr i64 %product.77, %shift
          %product.78 = mul i64 %quotient.19, %index.118
          %product.79 = mul i64 %quotient.19, %out_width
          %index.123 = add i64 %product.78, %min.13
          %index.124 = sub i64 %index.123, %product.79
          %product.80 = mul i64 %index.124, %k_c
          %window_1 = add i64 %product.72, %product.80
          ; acc = 0
          ; for r from 0 to k_r
          %images_at_0.11 = getelementptr float, ptr %images, i64 %window_0
          %images_at_1 = getelementptr float, ptr %images, i64 %window_1
          %r_any.2 = icmp slt i64 0, %k_r
          br i1 %r_any.2, label %r_loop.2, label %r_done.2
          r_loop.2:
            %r.2 = phi i64 [ 0, %place_loop ], [ %r_next.2, %run_done.1 ]
            %acc_0_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.7, %run_done.1 ]
            %acc_0_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.7, %run_done.1 ]
            %acc_1_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.7, %run_done.1 ]
            %acc_1_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.7, %run_done.1 ]
            ; for run from 0 to k_s * k_c, 2 at a time
            %product.81 = mul i64 %r.2, %run_stop
            %index.126 = mul i64 %product.81, 16
            %panel_at_0.7 = getelementptr float, ptr %panel_at_0.6, i64 %index.126
            %product.82 = mul i64 %r.2, %product.70
            %images_at_0.12 = getelementptr float, ptr %images_at_0.11, i64 %product.82
            %images_at_1.1 = getelementptr float, ptr %images_at_1, i64 %product.82
            %run_any = icmp slt i64 0, %run_limit
            br i1 %run_any, label %run_loop, label %run_done
            run_loop:
              %run = phi i64 [ 0, %r_loop.2 ], [ %run_next, %run_loop ]
              %acc_0_0.1 = phi <8 x float> [ %acc_0_0, %r_loop.2 ], [ %acc_0_0.3, %run_loop ]
              %acc_0_1.1 = phi <8 x float> [ %acc_0_1, %r_loop.2 ], [ %acc_0_1.3, %run_loop ]
              %acc_1_0.1 = phi <8 x float> [ %acc_1_0, %r_loop.2 ], [ %acc_1_0.3, %run_loop ]
              %acc_1_1.1 = phi <8 x float> [ %acc_1_1, %r_loop.2 ], [ %acc_1_1.3, %run_loop ]
              ; b = panel[panel_row + r * (k_s * k_c) + run, column], vector
              %index.127 = mul i64 %run, 16
              %panel_at_0.8 = getelementptr float, ptr %panel_at_0.7, i64 %index.127
              %b_0 = load <8 x float>, ptr %panel_at_0.8, align 64
              %panel_at_1.2 = getelementptr float, ptr %panel_at_0.8, i64 8
              %b_1 = load <8 x float>, ptr %panel_at_1.2, align 32
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
              %panel_at_0.9 = getelementptr float, ptr %panel_at_0.8, i64 16
              %b_0.1 = load <8 x float>, ptr %panel_at_0.9, align 64
              %panel_at_1.3 = getelementptr float, ptr %panel_at_0.8, i64 24
              %b_1.1 = load <8 x float>, ptr %panel_at_1.3, align 32
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
            %acc_0_0.4 = phi <8 x float> [ %acc_0_0, %r_loop.2 ], [ %acc_0_0.3, %run_loop ]
            %acc_0_1.4 = phi <8 x float> [ %acc_0_1, %r_loop.2 ], [ %acc_0_1.3, %run_loop ]
            %acc_1_0.4 = phi <8 x float> [ %acc_1_0, %r_loop.2 ], [ %acc_1_0.3, %run_loop ]
            %acc_1_1.4 = phi <8 x float> [ %acc_1_1, %r_loop.2 ], [ %acc_1_1.3, %run_loop ]
            %run_rest = phi i64 [ 0, %r_loop.2 ], [ %run_next, %run_loop ]
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
              %index.128 = mul i64 %run.1, 16
              %panel_at_0.10 = getelementptr float, ptr %panel_at_0.7, i64 %index.128
              %b_0.2 = load <8 x float>, ptr %panel_at_0.10, align 64
              %panel_at_1.4 = getelementptr float, ptr %panel_at_0.10, i64 8
              %b_1.2 = load <8 x float>, ptr %panel_at_1.4, align 32
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
            %r_next.2 = add i64 %r.2, 1
            %r_more.2 = icmp slt i64 %r_next.2, %k_r
            br i1 %r_more.2, label %r_loop.2, label %r_done.2
          r_done.2:
          %acc_0_0.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.7, %run_done.1 ]
          %acc_0_1.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.7, %run_done.1 ]
          %acc_1_0.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.7, %run_done.1 ]
          %acc_1_1.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.7, %run_done.1 ]
          ; if row0 + 1 < n and column0 + 15 < m
          %holds.8 = icmp slt i64 %index.122, %n
          %both.1 = and i1 %holds.8, %holds.9
          br i1 %both.1, label %then.8, label %otherwise.8
          then.8:
            ; result = acc, in fp32
            ; out[item * out_image + (column0 + column) * out_channel + row0 + row] = result, gather
            %product.83 = mul i64 %item.1, %out_image
            %product.84 = mul i64 %column0, %out_channel
            %index.130 = add i64 %product.83, %product.84
            %index.131 = add i64 %index.130, %row0
            %out_at_0_0 = getelementptr float, ptr %out, i64 %index.131
            %lane_at.45 = getelementptr float, ptr %out_at_0_0, i64 %out_channel
            %lane_at.46 = getelementptr float, ptr %lane_at.45, i64 %out_channel
            %lane_at.47 = getelementptr float, ptr %lane_at.46, i64 %out_channel
            %lane_at.48 = getelementptr float, ptr %lane_at.47, i64 %out_channel
            %lane_at.49 = getelementptr float, ptr %lane_at.48, i64 %out_channel
            %lane_at.50 = getelementptr float, ptr %lane_at.49, i64 %out_channel
            %lane_at.51 = getelementptr float, ptr %lane_at.50, i64 %out_channel
            %one = extractelement <8 x float> %acc_0_0.8, i64 0
            store float %one, ptr %out_at_0_0, align 4
            %one.1 = extractelement <8 x float> %acc_0_0.8, i64 1
            store float %one.1, ptr %lane_at.45, align 4
            %one.2 = extractelement <8 x float> %acc_0_0.8, i64 2
            store float %one.2, ptr %lane_at.46, align 4
            %one.3 = extractelement <8 x float> %acc_0_0.8, i64 3
            store float %one.3, ptr %lane_at.47, align 4
            %one.4 = extractelement <8 x float> %acc_0_0.8, i64 4
            store float %one.4, ptr %lane_at.48, align 4
            %one.5 = extractelement <8 x float> %acc_0_0.8, i64 5
            store float %one.5, ptr %lane_at.49, align 4
            %one.6 = extractelement <8 x float> %acc_0_0.8, i64 6
            store float %one.6, ptr %lane_at.50, align 4
            %one.7 = extractelement <8 x float> %acc_0_0.8, i64 7
            store float %one.7, ptr %lane_at.51, align 4
            %index.132 = add i64 %column0, 8
            %product.85 = mul i64 %index.132, %out_channel
            %index.133 = add i64 %product.83, %product.85
            %index.134 = add i64 %index.133, %row0
            %out_at_0_1 = getelementptr float, ptr %out, i64 %index.134
            %lane_at.52 = getelementptr float, ptr %out_at_0_1, i64 %out_channel
            %lane_at.53 = getelementptr float, ptr %lane_at.52, i64 %out_channel
            %lane_at.54 = getelementptr float, ptr %lane_at.53, i64 %out_channel
            %lane_at.55 = getelementptr float, ptr %lane_at.54, i64 %out_channel
            %lane_at.56 = getelementptr float, ptr %lane_at.55, i64 %out_channel
            %lane_at.57 = getelementptr float, ptr %lane_at.56, i64 %out_channel
            %lane_at.58 = getelementptr float, ptr %lane_at.57, i64 %out_channel
            %one.8 = extractelement <8 x float> %acc_0_1.8, i64 0
            store float %one.8, ptr %out_at_0_1, align 4
            %one.9 = extractelement <8 x float> %acc_0_1.8, i64 1
            store float %one.9, ptr %lane_at.52, align 4
            %one.10 = extractelement <8 x float> %acc_0_1.8, i64 2
            store float %one.10, ptr %lane_at.53, align 4
            %one.11 = extractelement <8 x float> %acc_0_1.8, i64 3
            store float %one.11, ptr %lane_at.54, align 4
            %one.12 = extractelement <8 x float> %acc_0_1.8, i64 4
            store float %one.12, ptr %lane_at.55, align 4
            %one.13 = extractelement <8 x float> %acc_0_1.8, i64 5
            store float %one.13, ptr %lane_at.56, align 4
            %one.14 = extractelement <8 x float> %acc_0_1.8, i64 6
            store float %one.14, ptr %lane_at.57, align 4
            %one.15 = extractelement <8 x float> %acc_0_1.8, i64 7
            store float %one.15, ptr %lane_at.58, align 4
            %out_at_1_0 = getelementptr float, ptr %out_at_0_0, i64 1
            %lane_at.59 = getelementptr float, ptr %out_at_1_0, i64 %out_channel
            %lane_at.60 = getelementptr float, ptr %lane_at.59, i64 %out_channel
            %lane_at.61 = getelementptr float, ptr %lane_at.60, i64 %out_channel
            %lane_at.62 = getelementptr float, ptr %lane_at.61, i64 %out_channel
            %lane_at.63 = getelementptr float, ptr %lane_at.62, i64 %out_channel
            %lane_at.64 = getelementptr float, ptr %lane_at.63, i64 %out_channel
            %lane_at.65 = getelementptr float, ptr %lane_at.64, i64 %out_channel
            %one.16 = extractelement <8 x float> %acc_1_0.8, i64 0
            store float %one.16, ptr %out_at_1_0, align 4
            %one.17 = extractelement <8 x float> %acc_1_0.8, i64 1
            store float %one.17, ptr %lane_at.59, align 4
            %one.18 = extractelement <8 x float> %acc_1_0.8, i64 2
            store float %one.18, ptr %lane_at.60, align 4
            %one.19 = extractelement <8 x float> %acc_1_0.8, i64 3
            store float %one.19, ptr %lane_at.61, align 4
            %one.20 = extractelement <8 x float> %acc_1_0.8, i64 4
            store float %one.20, ptr %lane_at.62, align 4
            %one.21 = extractelement <8 x float> %acc_1_0.8, i64 5
            store float %one.21, ptr %lane_at.63, align 4
            %one.22 = extractelement <8 x float> %acc_1_0.8, i64 6
            store float %one.22, ptr %lane_at.64, align 4
            %one.23 = extractelement <8 x float> %acc_1_0.8, i64 7
            store float %one.23, ptr %lane_at.65, align 4
            %out_at_1_1 = getelementptr float, ptr %out_at_0_1, i64 1
            %lane_at.66 = getelementptr float, ptr %out_at_1_1, i64 %out_channel
            %lane_at.67 = getelementptr float, ptr %lane_at.66, i64 %out_channel
            %lane_at.68 = getelementptr float, ptr %lane_at.67, i64 %out_channel
            %lane_at.69 = getelementptr float, ptr %lane_at.68, i64 %out_channel
            %lane_at.70 = getelementptr float, ptr %lane_at.69, i64 %out_channel
            %lane_at.71 = getelementptr float, ptr %lane_at.70, i64 %out_channel
            %lane_at.72 = getelementptr float, ptr %lane_at.71, i64 %out_channel
            %one.24 = extractelement <8 x float> %acc_1_1.8, i64 0
            store float %one.24, ptr %out_at_1_1, align 4
            %one.25 = extractelement <8 x float> %acc_1_1.8, i64 1
            store float %one.25, ptr %lane_at.66, align 4
            %one.26 = extractelement <8 x float> %acc_1_1.8, i64 2
            store float %one.26, ptr %lane_at.67, align 4
            %one.27 = extractelement <8 x float> %acc_1_1.8, i64 3
            store float %one.27, ptr %lane_at.68, align 4
            %one.28 = extractelement <8 x float> %acc_1_1.8, i64 4
            store float %one.28, ptr %lane_at.69, align 4
            %one.29 = extractelement <8 x float> %acc_1_1.8, i64 5
            store float %one.29, ptr %lane_at.70, align 4
            %one.30 = extractelement <8 x float> %acc_1_1.8, i64 6
            store float %one.30, ptr %lane_at.71, align 4
            %one.31 = extractelement <8 x float> %acc_1_1.8, i64 7
            store float %one.31, ptr %lane_at.72, align 4
            br label %joined.8
          otherwise.8:
            ; result = acc, in fp32
            ; out[item * out_image + (column0 + column) * out_channel + row0 + row] = result, gather where row0 + row < n and column0 + column < m
            %holds.10 = icmp slt i64 %row0, %n
            %limit.6 = sub i64 %m, %column0
            %lane0.12 = insertelement <8 x i64> poison, i64 %limit.6, i64 0
            %all.12 = shufflevector <8 x i64> %lane0.12, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.7 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.12
            %product.86 = mul i64 %item.1, %out_image
            %lane0.13 = insertelement <8 x i64> poison, i64 %column0, i64 0
            %all.13 = shufflevector <8 x i64> %lane0.13, <8 x i64> poison, <8 x i32> zeroinitializer
            %index.135 = add <8 x i64> %all.13, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
            %lane0.14 = insertelement <8 x i64> poison, i64 %out_channel, i64 0
            %all.14 = shufflevector <8 x i64> %lane0.14, <8 x i64> poison, <8 x i32> zeroinitializer
            %product.87 = mul <8 x i64> %index.135, %all.14
            %index.136 = add i64 %product.86, %row0
            %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.136
            %lanes_at.3 = getelementptr float, ptr %out_at_0_0.1, <8 x i64> %product.87
            %lane0.15 = insertelement <8 x i1> poison, i1 %holds.10, i64 0
            %all.15 = shufflevector <8 x i1> %lane0.15, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.8 = and <8 x i1> %mask.7, %all.15
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_0_0.8, <8 x ptr> %lanes_at.3, i32 4, <8 x i1> %mask.8)
            %mask.9 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.12
            %index.137 = add <8 x i64> %all.13, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
            %product.88 = mul <8 x i64> %index.137, %all.14
            %lanes_at.4 = getelementptr float, ptr %out_at_0_0.1, <8 x i64> %product.88
            %mask.10 = and <8 x i1> %mask.9, %all.15
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_0_1.8, <8 x ptr> %lanes_at.4, i32 4, <8 x i1> %mask.10)
            %out_at_1_0.1 = getelementptr float, ptr %out_at_0_0.1, i64 1
            %lanes_at.5 = getelementptr float, ptr %out_at_1_0.1, <8 x i64> %product.87
            %lane0.16 = insertelement <8 x i1> poison, i1 %holds.8, i64 0
            %all.16 = shufflevector <8 x i1> %lane0.16, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.11 = and <8 x i1> %mask.7, %all.16
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_1_0.8, <8 x ptr> %lanes_at.5, i32 4, <8 x i1> %mask.11)
            %lanes_at.6 = getelementptr float, ptr %out_at_1_0.1, <8 x i64> %product.88
            %mask.12 = and <8 x i1> %mask.9, %all.16
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_1_1.8, <8 x ptr> %lanes_at.6, i32 4, <8 x i1> %mask.12)
            br label %joined.8
          joined.8:
          %place_next = add i64 %place, 1
          %place_more = icmp slt i64 %place_next, %block_last
          br i1 %place_more, label %place_loop, label %place_done
        place_done:
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
