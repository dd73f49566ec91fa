; tracea: conv2d fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 halo
; schedule       a9902ae7d658e34b22e647b480dfd4a31f6f27555b9223a6fb746356520f593b
; certificate    083c19dbd0f5e964778b38d0284f9f5226f88f27ecb953ed0f60a403a3ae9929:
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
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
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
; k_r_reciprocal: multiplies instead of dividing by k_r; 0 to 9223372036854775807
; k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
; n_reciprocal: multiplies instead of dividing by n; 0 to 9223372036854775807
; out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
; row_splits: parts that the tiles of all images are cut into; 1 to 4611686018427387904
; column_splits: parts that the panels are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the tiles of a part are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((((m + 15) // 16 + column_splits - 1) // column_splits - 1) * min(row_blocks - 1, 1) + 1) * (k_r * k_s * k_c) times, kept for a tile_column, aligned to 64 bytes
; images: workspace of fp32, element 1 = 1*1, items * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) times, kept for a call, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; row_table: 2x1 of int32 in 2 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
; copied: 1x8 of fp32 in 1 registers of 8 lanes
; block: 8x8 of fp32 in 8 registers of 8 lanes
; block_turned: 8x8 of fp32 in 8 registers of 8 lanes
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
  %index.205 = add i64 %product.4, -1
  %low.2 = and i64 %n_reciprocal, 4294967295
  %multiplier.2 = add i64 %low.2, 2147483648
  %high.2 = lshr i64 %n_reciprocal, 32
  %shift.2 = add i64 %high.2, 31
  %index.206 = add i64 %width, %index.11
  %product.125 = mul i64 %index.206, %k_c
  %product.126 = mul i64 %index.10, %product.125
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
      %panel_any = icmp slt i64 %first_panel, %last_panel
      br i1 %panel_any, label %panel_loop, label %panel_done
      panel_loop:
        %panel.1 = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %place_done ]
        ; column0 = panel * 16
        %column0 = mul i64 %panel.1, 16
        ; panel_row = (panel - first_panel) * min(row_blocks - 1, 1) * k_rows
        %index.106 = add i64 %index.105, %panel.1
        %product.59 = mul i64 %index.106, %min
        %panel_row = mul i64 %product.59, %product.2
        ; if row_part == 0
        br i1 %holds.6, label %then.6, label %joined.6
        then.6:
          ; for vector from 0 to 2
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
          br label %vector_loop
          vector_loop:
            %vector = phi i64 [ 0, %then.6 ], [ %vector_next, %filter_at_done ]
            ; for filter_at from 0 to k_rows // 8 * 8 by 8
            %quotient.17 = udiv i64 %product.2, 8
            %index.107 = mul i64 %vector, 8
            %index.108 = add i64 %column0, %index.107
            %min.13 = call i64 @llvm.smin.i64(i64 %index.108, i64 %index.109)
            %product.60 = mul i64 %min.13, %w_out
            %w_at_0 = getelementptr float, ptr %w, i64 %product.60
            %index.110 = add i64 %index.108, 1
            %min.14 = call i64 @llvm.smin.i64(i64 %index.110, i64 %index.109)
            %product.61 = mul i64 %min.14, %w_out
            %w_at_1 = getelementptr float, ptr %w, i64 %product.61
            %index.111 = add i64 %index.108, 2
            %min.15 = call i64 @llvm.smin.i64(i64 %index.111, i64 %index.109)
            %product.62 = mul i64 %min.15, %w_out
            %w_at_2 = getelementptr float, ptr %w, i64 %product.62
            %index.112 = add i64 %index.108, 3
            %min.16 = call i64 @llvm.smin.i64(i64 %index.112, i64 %index.109)
            %product.63 = mul i64 %min.16, %w_out
            %w_at_3 = getelementptr float, ptr %w, i64 %product.63
            %index.113 = add i64 %index.108, 4
            %min.17 = call i64 @llvm.smin.i64(i64 %index.113, i64 %index.109)
            %product.64 = mul i64 %min.17, %w_out
            %w_at_4 = getelementptr float, ptr %w, i64 %product.64
            %index.114 = add i64 %index.108, 5
            %min.18 = call i64 @llvm.smin.i64(i64 %index.114, i64 %index.109)
            %product.65 = mul i64 %min.18, %w_out
            %w_at_5 = getelementptr float, ptr %w, i64 %product.65
            %index.115 = add i64 %index.108, 6
            %min.19 = call i64 @llvm.smin.i64(i64 %index.115, i64 %index.109)
            %product.66 = mul i64 %min.19, %w_out
            %w_at_6 = getelementptr float, ptr %w, i64 %product.66
            %index.116 = add i64 %index.108, 7
            %min.20 = call i64 @llvm.smin.i64(i64 %index.116, i64 %index.109)
            %product.67 = mul i64 %min.20, %w_out
            %w_at_7 = getelementptr float, ptr %w, i64 %product.67
            %filter_at_limit = mul i64 %quotient.17, 8
            %filter_at_any = icmp slt i64 0, %filter_at_limit
            br i1 %filter_at_any, label %filter_at_loop, label %filter_at_done
            filter_at_loop:
              %filter_at = phi i64 [ 0, %vector_loop ], [ %filter_at_next, %filter_at_loop ]
              ; turned = w[min(column0 + vector * 8 + column, m - 1) * w_out + filter_at + row], vector
              %w_at_0.1 = getelementptr float, ptr %w_at_0, i64 %filter_at
              %turned_0 = load <8 x float>, ptr %w_at_0.1, align 4
              %w_at_1.1 = getelementptr float, ptr %w_at_1, i64 %filter_at
              %turned_1 = load <8 x float>, ptr %w_at_1.1, align 4
              %w_at_2.1 = getelementptr float, ptr %w_at_2, i64 %filter_at
              %turned_2 = load <8 x float>, ptr %w_at_2.1, align 4
              %w_at_3.1 = getelementptr float, ptr %w_at_3, i64 %filter_at
              %turned_3 = load <8 x float>, ptr %w_at_3.1, align 4
              %w_at_4.1 = getelementptr float, ptr %w_at_4, i64 %filter_at
              %turned_4 = load <8 x float>, ptr %w_at_4.1, align 4
              %w_at_5.1 = getelementptr float, ptr %w_at_5, i64 %filter_at
              %turned_5 = load <8 x float>, ptr %w_at_5.1, align 4
              %w_at_6.1 = getelementptr float, ptr %w_at_6, i64 %filter_at
              %turned_6 = load <8 x float>, ptr %w_at_6.1, align 4
              %w_at_7.1 = getelementptr float, ptr %w_at_7, i64 %filter_at
              %turned_7 = load <8 x float>, ptr %w_at_7.1, align 4
              ; square = turned, lanes along the other axis
              %turned.48 = shufflevector <8 x float> %turned_0, <8 x float> %turned_4, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
              %turned.49 = shufflevector <8 x float> %turned_0, <8 x float> %turned_4, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
              %turned.50 = shufflevector <8 x float> %turned_1, <8 x float> %turned_5, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
              %turned.51 = shufflevector <8 x float> %turned_1, <8 x float> %turned_5, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
              %turned.52 = shufflevector <8 x float> %turned_2, <8 x float> %turned_6, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
              %turned.53 = shufflevector <8 x float> %turned_2, <8 x float> %turned_6, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
              %turned.54 = shufflevector <8 x float> %turned_3, <8 x float> %turned_7, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
              %turned.55 = shufflevector <8 x float> %turned_3, <8 x float> %turned_7, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
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
              %rest.5 = urem i64 %index.107, 8
              %quotient.20 = udiv i64 %index.107, 8
              %index.121 = mul i64 %product.73, 16
              %index.122 = mul i64 %quotient.19, 16
              %index.123 = add i64 %index.121, %index.122
              %index.124 = add i64 %index.123, %rest.5
              %index.125 = mul i64 %quotient.20, 8
              %index.126 = add i64 %index.124, %index.125
              %panel_at_0_0.1 = getelementptr float, ptr %panel_at_0_0, i64 %index.126
              store <8 x float> %turned.58, ptr %panel_at_0_0.1, align 4
              %index.127 = add i64 %filter_at, 1
              %product.74 = mul i64 %index.127, %multiplier
              %quotient.21 = lshr i64 %product.74, %shift
              %product.75 = mul i64 %quotient.21, %multiplier.1
              %quotient.22 = lshr i64 %product.75, %shift.1
              %product.76 = mul i64 %quotient.22, %k_r
              %index.128 = sub i64 %quotient.21, %product.76
              %product.77 = mul i64 %index.128, %k_s
              %product.78 = mul i64 %quotient.21, %k_s
              %index.129 = add i64 %product.77, %filter_at
              %index.130 = sub i64 %index.129, %product.78
              %index.131 = add i64 %index.130, 1
              %product.79 = mul i64 %index.131, %k_c
              %index.132 = mul i64 %product.79, 16
              %index.133 = mul i64 %quotient.22, 16
              %index.134 = add i64 %index.132, %index.133
              %index.135 = add i64 %index.134, %rest.5
              %index.136 = add i64 %index.135, %index.125
              %panel_at_1_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.136
              store <8 x float> %turned.59, ptr %panel_at_1_0, align 4
              %index.137 = add i64 %filter_at, 2
              %product.80 = mul i64 %index.137, %multiplier
              %quotient.23 = lshr i64 %product.80, %shift
              %product.81 = mul i64 %quotient.23, %multiplier.1
              %quotient.24 = lshr i64 %product.81, %shift.1
              %product.82 = mul i64 %quotient.24, %k_r
              %index.138 = sub i64 %quotient.23, %product.82
              %product.83 = mul i64 %index.138, %k_s
              %product.84 = mul i64 %quotient.23, %k_s
              %index.139 = add i64 %product.83, %filter_at
              %index.140 = sub i64 %index.139, %product.84
              %index.141 = add i64 %index.140, 2
              %product.85 = mul i64 %index.141, %k_c
              %index.142 = mul i64 %product.85, 16
              %index.143 = mul i64 %quotient.24, 16
              %index.144 = add i64 %index.142, %index.143
              %index.145 = add i64 %index.144, %rest.5
              %index.146 = add i64 %index.145, %index.125
              %panel_at_2_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.146
              store <8 x float> %turned.62, ptr %panel_at_2_0, align 4
              %index.147 = add i64 %filter_at, 3
              %product.86 = mul i64 %index.147, %multiplier
              %quotient.25 = lshr i64 %product.86, %shift
              %product.87 = mul i64 %quotient.25, %multiplier.1
              %quotient.26 = lshr i64 %product.87, %shift.1
              %product.88 = mul i64 %quotient.26, %k_r
              %index.148 = sub i64 %quotient.25, %product.88
              %product.89 = mul i64 %index.148, %k_s
              %product.90 = mul i64 %quotient.25, %k_s
              %index.149 = add i64 %product.89, %filter_at
              %index.150 = sub i64 %index.149, %product.90
              %index.151 = add i64 %index.150, 3
              %product.91 = mul i64 %index.151, %k_c
              %index.152 = mul i64 %product.91, 16
              %index.153 = mul i64 %quotient.26, 16
              %index.154 = add i64 %index.152, %index.153
              %index.155 = add i64 %index.154, %rest.5
              %index.156 = add i64 %index.155, %index.125
              %panel_at_3_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.156
              store <8 x float> %turned.63, ptr %panel_at_3_0, align 4
              %index.157 = add i64 %filter_at, 4
              %product.92 = mul i64 %index.157, %multiplier
              %quotient.27 = lshr i64 %product.92, %shift
              %product.93 = mul i64 %quotient.27, %multiplier.1
              %quotient.28 = lshr i64 %product.93, %shift.1
              %product.94 = mul i64 %quotient.28, %k_r
              %index.158 = sub i64 %quotient.27, %product.94
              %product.95 = mul i64 %index.158, %k_s
              %product.96 = mul i64 %quotient.27, %k_s
              %index.159 = add i64 %product.95, %filter_at
              %index.160 = sub i64 %index.159, %product.96
              %index.161 = add i64 %index.160, 4
              %product.97 = mul i64 %index.161, %k_c
              %index.162 = mul i64 %product.97, 16
              %index.163 = mul i64 %quotient.28, 16
              %index.164 = add i64 %index.162, %index.163
              %index.165 = add i64 %index.164, %rest.5
              %index.166 = add i64 %index.165, %index.125
              %panel_at_4_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.166
              store <8 x float> %turned.66, ptr %panel_at_4_0, align 4
              %index.167 = add i64 %filter_at, 5
              %product.98 = mul i64 %index.167, %multiplier
              %quotient.29 = lshr i64 %product.98, %shift
              %product.99 = mul i64 %quotient.29, %multiplier.1
              %quotient.30 = lshr i64 %product.99, %shift.1
              %product.100 = mul i64 %quotient.30, %k_r
              %index.168 = sub i64 %quotient.29, %product.100
              %product.101 = mul i64 %index.168, %k_s
              %product.102 = mul i64 %quotient.29, %k_s
              %index.169 = add i64 %product.101, %filter_at
              %index.170 = sub i64 %index.169, %product.102
              %index.171 = add i64 %index.170, 5
              %product.103 = mul i64 %index.171, %k_c
              %index.172 = mul i64 %product.103, 16
              %index.173 = mul i64 %quotient.30, 16
              %index.174 = add i64 %index.172, %index.173
              %index.175 = add i64 %index.174, %rest.5
              %index.176 = add i64 %index.175, %index.125
              %panel_at_5_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.176
              store <8 x float> %turned.67, ptr %panel_at_5_0, align 4
              %index.177 = add i64 %filter_at, 6
              %product.104 = mul i64 %index.177, %multiplier
              %quotient.31 = lshr i64 %product.104, %shift
              %product.105 = mul i64 %quotient.31, %multiplier.1
              %quotient.32 = lshr i64 %product.105, %shift.1
              %product.106 = mul i64 %quotient.32, %k_r
              %index.178 = sub i64 %quotient.31, %product.106
              %product.107 = mul i64 %index.178, %k_s
              %product.108 = mul i64 %quotient.31, %k_s
              %index.179 = add i64 %product.107, %filter_at
              %index.180 = sub i64 %index.179, %product.108
              %index.181 = add i64 %index.180, 6
              %product.109 = mul i64 %index.181, %k_c
              %index.182 = mul i64 %product.109, 16
              %index.183 = mul i64 %quotient.32, 16
              %index.184 = add i64 %index.182, %index.183
              %index.185 = add i64 %index.184, %rest.5
              %index.186 = add i64 %index.185, %index.125
              %panel_at_6_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.186
              store <8 x float> %turned.70, ptr %panel_at_6_0, align 4
              %index.187 = add i64 %filter_at, 7
              %product.110 = mul i64 %index.187, %multiplier
              %quotient.33 = lshr i64 %product.110, %shift
              %product.111 = mul i64 %quotient.33, %multiplier.1
              %quotient.34 = lshr i64 %product.111, %shift.1
              %product.112 = mul i64 %quotient.34, %k_r
              %index.188 = sub i64 %quotient.33, %product.112
              %product.113 = mul i64 %index.188, %k_s
              %product.114 = mul i64 %quotient.33, %k_s
              %index.189 = add i64 %product.113, %filter_at
              %index.190 = sub i64 %index.189, %product.114
              %index.191 = add i64 %index.190, 7
              %product.115 = mul i64 %index.191, %k_c
              %index.192 = mul i64 %product.115, 16
              %index.193 = mul i64 %quotient.34, 16
              %index.194 = add i64 %index.192, %index.193
              %index.195 = add i64 %index.194, %rest.5
              %index.196 = add i64 %index.195, %index.125
              %panel_at_7_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.196
              store <8 x float> %turned.71, ptr %panel_at_7_0, align 4
              %filter_at_next = add i64 %filter_at, 8
              %filter_at_more = icmp slt i64 %filter_at_next, %filter_at_limit
              br i1 %filter_at_more, label %filter_at_loop, label %filter_at_done
            filter_at_done:
            %vector_next = add i64 %vector, 1
            %vector_more = icmp slt i64 %vector_next, 2
            br i1 %vector_more, label %vector_loop, label %vector_done
          vector_done:
          ; for filter_at from k_rows // 8 * 8 to k_rows
          %quotient.35 = udiv i64 %product.2, 8
          %filter_at_first = mul i64 %quotient.35, 8
          %lane0.8 = insertelement <8 x i64> poison, i64 %column0, i64 0
          %all.8 = shufflevector <8 x i64> %lane0.8, <8 x i64> poison, <8 x i32> zeroinitializer
          %index.197 = add <8 x i64> %all.8, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %lane0.9 = insertelement <8 x i64> poison, i64 %index.109, i64 0
          %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
          %min.21 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.197, <8 x i64> %all.9)
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
          %index.198 = add <8 x i64> %all.8, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
          %min.22 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.198, <8 x i64> %all.9)
          %product.117 = mul <8 x i64> %min.22, %all.10
          %element.8 = extractelement <8 x i64> %product.117, i64 0
          %element.9 = extractelement <8 x i64> %product.117, i64 1
          %element.10 = extractelement <8 x i64> %product.117, i64 2
          %element.11 = extractelement <8 x i64> %product.117, i64 3
          %element.12 = extractelement <8 x i64> %product.117, i64 4
          %element.13 = extractelement <8 x i64> %product.117, i64 5
          %element.14 = extractelement <8 x i64> %product.117, i64 6
          %element.15 = extractelement <8 x i64> %product.117, i64 7
          %filter_at_any.1 = icmp slt i64 %filter_at_first, %product.2
          br i1 %filter_at_any.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_loop.1:
            %filter_at.1 = phi i64 [ %filter_at_first, %vector_done ], [ %filter_at_next.1, %filter_at_loop.1 ]
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
            %quotient.36 = lshr i64 %product.118, %shift
            %product.119 = mul i64 %quotient.36, %multiplier.1
            %quotient.37 = lshr i64 %product.119, %shift.1
            %product.120 = mul i64 %quotient.37, %k_r
            %index.199 = sub i64 %quotient.36, %product.120
            %product.121 = mul i64 %index.199, %k_s
            %product.122 = mul i64 %quotient.36, %k_s
            %index.200 = add i64 %product.121, %filter_at.1
            %index.201 = sub i64 %index.200, %product.122
            %product.123 = mul i64 %index.201, %k_c
            %index.202 = mul i64 %product.123, 16
            %index.203 = mul i64 %quotient.37, 16
            %index.204 = add i64 %index.202, %index.203
            %panel_at_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.204
            store <8 x float> %packed_0.7, ptr %panel_at_0, align 64
            %panel_at_1 = getelementptr float, ptr %panel_at_0, i64 8
            store <8 x float> %packed_1.7, ptr %panel_at_1, align 32
            %filter_at_next.1 = add i64 %filter_at.1, 1
            %filter_at_more.1 = icmp slt i64 %filter_at_next.1, %product.2
            br i1 %filter_at_more.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_done.1:
          br label %joined.6
        joined.6:
        ; for place from block_first to block_last
        %index.216 = mul i64 %panel_row, 16
        %panel_at_0.1 = getelementptr float, ptr %panel, i64 %index.216
        %index.221 = add i64 %column0, 15
        %holds.8 = icmp slt i64 %index.221, %m
        %place_any = icmp slt i64 %block_first, %block_last
        br i1 %place_any, label %place_loop, label %place_done
        place_loop:
          %place = phi i64 [ %block_first, %joined.6 ], [ %place_next, %joined.7 ]
          ; row0 = place * 2
          %row0 = mul i64 %place, 2
          ; window = quotient(min(row0 + row, items * n - 1), n_reciprocal) * ((height + pad_h * 2) * ((width + pad_w * 2) * k_c)) + (quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * (width + pad_w * 2) + min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n - quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * out_width) * k_c for each element of a
          %min.23 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.205)
          %product.124 = mul i64 %min.23, %multiplier.2
          %quotient.38 = lshr i64 %product.124, %shift.2
          %product.127 = mul i64 %quotient.38, %product.126
          %product.128 = mul i64 %quotient.38, %n
          %index.207 = sub i64 %min.23, %product.128
          %product.129 = mul i64 %index.207, %multiplier.3
          %quotient.39 = lshr i64 %product.129, %shift.3
          %product.130 = mul i64 %quotient.39, %index.206
          %product.131 = mul i64 %quotient.39, %out_width
          %index.208 = add i64 %product.130, %min.23
          %index.209 = sub i64 %index.208, %product.128
          %index.210 = sub i64 %index.209, %product.131
          %product.132 = mul i64 %index.210, %k_c
          %window_0 = add i64 %product.127, %product.132
          %index.211 = add i64 %row0, 1
          %min.24 = call i64 @llvm.smin.i64(i64 %index.211, i64 %index.205)
          %product.133 = mul i64 %min.24, %multiplier.2
          %quotient.40 = lshr i64 %product.133, %shift.2
          %product.134 = mul i64 %quotient.40, %product.126
          %product.135 = mul i64 %quotient.40, %n
          %index.212 = sub i64 %min.24, %product.135
          %product.136 = mul i64 %index.212, %multiplier.3
          %quotient.41 = lshr i64 %product.136, %shift.3
          %product.137 = mul i64 %quotient.41, %index.206
          %product.138 = mul i64 %quotient.41, %out_width
          %index.213 = add i64 %product.137, %min.24
          %index.214 = sub i64 %index.213, %product.135
          %index.215 = sub i64 %index.214, %product.138
          %product.139 = mul i64 %index.215, %k_c
          %window_1 = add i64 %product.134, %product.139
          ; acc = 0
          ; for r from 0 to k_r
          %images_at_0.11 = getelementptr float, ptr %images, i64 %window_0
          %images_at_1 = getelementptr float, ptr %images, i64 %window_1
          %r_any = icmp slt i64 0, %k_r
          br i1 %r_any, label %r_loop, label %r_done
          r_loop:
            %r = phi i64 [ 0, %place_loop ], [ %r_next, %run_done.1 ]
            %acc_0_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.7, %run_done.1 ]
            %acc_0_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.7, %run_done.1 ]
            %acc_1_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.7, %run_done.1 ]
            %acc_1_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.7, %run_done.1 ]
            ; for run from 0 to k_s * k_c, 2 at a time
            %product.140 = mul i64 %r, %run_stop
            %index.217 = mul i64 %product.140, 16
            %panel_at_0.2 = getelementptr float, ptr %panel_at_0.1, i64 %index.217
            %product.141 = mul i64 %r, %product.125
            %images_at_0.12 = getelementptr float, ptr %images_at_0.11, i64 %product.141
            %images_at_1.1 = getelementptr float, ptr %images_at_1, i64 %product.141
            %run_any = icmp slt i64 0, %run_limit
            br i1 %run_any, label %run_loop, label %run_done
            run_loop:
              %run = phi i64 [ 0, %r_loop ], [ %run_next, %run_loop ]
              %acc_0_0.1 = phi <8 x float> [ %acc_0_0, %r_loop ], [ %acc_0_0.3, %run_loop ]
              %acc_0_1.1 = phi <8 x float> [ %acc_0_1, %r_loop ], [ %acc_0_1.3, %run_loop ]
              %acc_1_0.1 = phi <8 x float> [ %acc_1_0, %r_loop ], [ %acc_1_0.3, %run_loop ]
              %acc_1_1.1 = phi <8 x float> [ %acc_1_1, %r_loop ], [ %acc_1_1.3, %run_loop ]
              ; b = panel[panel_row + r * (k_s * k_c) + run, column], vector
              %index.218 = mul i64 %run, 16
              %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 %index.218
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
              %index.219 = mul i64 %run.1, 16
              %panel_at_0.5 = getelementptr float, ptr %panel_at_0.2, i64 %index.219
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
          %acc_0_0.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.7, %run_done.1 ]
          %acc_0_1.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.7, %run_done.1 ]
          %acc_1_0.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.7, %run_done.1 ]
          %acc_1_1.8 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.7, %run_done.1 ]
          ; pixel_image = quotient(row0 + row, n_reciprocal) for each element of row_table
          %product.142 = mul i64 %row0, %multiplier.2
          %pixel_image_0 = lshr i64 %product.142, %shift.2
          %product.143 = mul i64 %index.211, %multiplier.2
          %pixel_image_1 = lshr i64 %product.143, %shift.2
          ; pixel = row0 + row - quotient(row0 + row, n_reciprocal) * n for each element of row_table
          %product.144 = mul i64 %pixel_image_0, %n
          %pixel_0 = sub i64 %row0, %product.144
          %product.145 = mul i64 %pixel_image_1, %n
          %index.220 = sub i64 %row0, %product.145
          %pixel_1 = add i64 %index.220, 1
          ; if row0 + 1 < items * n and column0 + 15 < m
          %holds.7 = icmp slt i64 %index.211, %product.4
          %both.1 = and i1 %holds.7, %holds.8
          br i1 %both.1, label %then.7, label %otherwise.7
          then.7:
            ; result = acc, in fp32
            ; out[pixel_image * out_image + (column0 + column) * out_channel + pixel] = result, gather
            %product.146 = mul i64 %pixel_image_0, %out_image
            %product.147 = mul i64 %column0, %out_channel
            %index.222 = add i64 %product.146, %product.147
            %index.223 = add i64 %index.222, %pixel_0
            %out_at_0_0 = getelementptr float, ptr %out, i64 %index.223
            %lane_at.31 = getelementptr float, ptr %out_at_0_0, i64 %out_channel
            %lane_at.32 = getelementptr float, ptr %lane_at.31, i64 %out_channel
            %lane_at.33 = getelementptr float, ptr %lane_at.32, i64 %out_channel
            %lane_at.34 = getelementptr float, ptr %lane_at.33, i64 %out_channel
            %lane_at.35 = getelementptr float, ptr %lane_at.34, i64 %out_channel
            %lane_at.36 = getelementptr float, ptr %lane_at.35, i64 %out_channel
            %lane_at.37 = getelementptr float, ptr %lane_at.36, i64 %out_channel
            %one = extractelement <8 x float> %acc_0_0.8, i64 0
            store float %one, ptr %out_at_0_0, align 4
            %one.1 = extractelement <8 x float> %acc_0_0.8, i64 1
            store float %one.1, ptr %lane_at.31, align 4
            %one.2 = extractelement <8 x float> %acc_0_0.8, i64 2
            store float %one.2, ptr %lane_at.32, align 4
            %one.3 = extractelement <8 x float> %acc_0_0.8, i64 3
            store float %one.3, ptr %lane_at.33, align 4
            %one.4 = extractelement <8 x float> %acc_0_0.8, i64 4
            store float %one.4, ptr %lane_at.34, align 4
            %one.5 = extractelement <8 x float> %acc_0_0.8, i64 5
            store float %one.5, ptr %lane_at.35, align 4
            %one.6 = extractelement <8 x float> %acc_0_0.8, i64 6
            store float %one.6, ptr %lane_at.36, align 4
            %one.7 = extractelement <8 x float> %acc_0_0.8, i64 7
            store float %one.7, ptr %lane_at.37, align 4
            %index.224 = add i64 %column0, 8
            %product.148 = mul i64 %index.224, %out_channel
            %index.225 = add i64 %product.146, %product.148
            %index.226 = add i64 %index.225, %pixel_0
            %out_at_0_1 = getelementptr float, ptr %out, i64 %index.226
            %lane_at.38 = getelementptr float, ptr %out_at_0_1, i64 %out_channel
            %lane_at.39 = getelementptr float, ptr %lane_at.38, i64 %out_channel
            %lane_at.40 = getelementptr float, ptr %lane_at.39, i64 %out_channel
            %lane_at.41 = getelementptr float, ptr %lane_at.40, i64 %out_channel
            %lane_at.42 = getelementptr float, ptr %lane_at.41, i64 %out_channel
            %lane_at.43 = getelementptr float, ptr %lane_at.42, i64 %out_channel
            %lane_at.44 = getelementptr float, ptr %lane_at.43, i64 %out_channel
            %one.8 = extractelement <8 x float> %acc_0_1.8, i64 0
            store float %one.8, ptr %out_at_0_1, align 4
            %one.9 = extractelement <8 x float> %acc_0_1.8, i64 1
            store float %one.9, ptr %lane_at.38, align 4
            %one.10 = extractelement <8 x float> %acc_0_1.8, i64 2
            store float %one.10, ptr %lane_at.39, align 4
            %one.11 = extractelement <8 x float> %acc_0_1.8, i64 3
            store float %one.11, ptr %lane_at.40, align 4
            %one.12 = extractelement <8 x float> %acc_0_1.8, i64 4
            store float %one.12, ptr %lane_at.41, align 4
            %one.13 = extractelement <8 x float> %acc_0_1.8, i64 5
            store float %one.13, ptr %lane_at.42, align 4
            %one.14 = extractelement <8 x float> %acc_0_1.8, i64 6
            store float %one.14, ptr %lane_at.43, align 4
            %one.15 = extractelement <8 x float> %acc_0_1.8, i64 7
            store float %one.15, ptr %lane_at.44, align 4
            %product.149 = mul i64 %pixel_image_1, %out_image
            %index.227 = add i64 %product.149, %product.147
            %index.228 = add i64 %index.227, %pixel_1
            %out_at_1_0 = getelementptr float, ptr %out, i64 %index.228
            %lane_at.45 = getelementptr float, ptr %out_at_1_0, i64 %out_channel
            %lane_at.46 = getelementptr float, ptr %lane_at.45, i64 %out_channel
            %lane_at.47 = getelementptr float, ptr %lane_at.46, i64 %out_channel
            %lane_at.48 = getelementptr float, ptr %lane_at.47, i64 %out_channel
            %lane_at.49 = getelementptr float, ptr %lane_at.48, i64 %out_channel
            %lane_at.50 = getelementptr float, ptr %lane_at.49, i64 %out_channel
            %lane_at.51 = getelementptr float, ptr %lane_at.50, i64 %out_channel
            %one.16 = extractelement <8 x float> %acc_1_0.8, i64 0
            store float %one.16, ptr %out_at_1_0, align 4
            %one.17 = extractelement <8 x float> %acc_1_0.8, i64 1
            store float %one.17, ptr %lane_at.45, align 4
            %one.18 = extractelement <8 x float> %acc_1_0.8, i64 2
            store float %one.18, ptr %lane_at.46, align 4
            %one.19 = extractelement <8 x float> %acc_1_0.8, i64 3
            store float %one.19, ptr %lane_at.47, align 4
            %one.20 = extractelement <8 x float> %acc_1_0.8, i64 4
            store float %one.20, ptr %lane_at.48, align 4
            %one.21 = extractelement <8 x float> %acc_1_0.8, i64 5
            store float %one.21, ptr %lane_at.49, align 4
            %one.22 = extractelement <8 x float> %acc_1_0.8, i64 6
            store float %one.22, ptr %lane_at.50, align 4
            %one.23 = extractelement <8 x float> %acc_1_0.8, i64 7
            store float %one.23, ptr %lane_at.51, align 4
            %index.229 = add i64 %product.149, %product.148
            %index.230 = add i64 %index.229, %pixel_1
            %out_at_1_1 = getelementptr float, ptr %out, i64 %index.230
            %lane_at.52 = getelementptr float, ptr %out_at_1_1, i64 %out_channel
            %lane_at.53 = getelementptr float, ptr %lane_at.52, i64 %out_channel
            %lane_at.54 = getelementptr float, ptr %lane_at.53, i64 %out_channel
            %lane_at.55 = getelementptr float, ptr %lane_at.54, i64 %out_channel
            %lane_at.56 = getelementptr float, ptr %lane_at.55, i64 %out_channel
            %lane_at.57 = getelementptr float, ptr %lane_at.56, i64 %out_channel
            %lane_at.58 = getelementptr float, ptr %lane_at.57, i64 %out_channel
            %one.24 = extractelement <8 x float> %acc_1_1.8, i64 0
            store float %one.24, ptr %out_at_1_1, align 4
            %one.25 = extractelement <8 x float> %acc_1_1.8, i64 1
            store float %one.25, ptr %lane_at.52, align 4
            %one.26 = extractelement <8 x float> %acc_1_1.8, i64 2
            store float %one.26, ptr %lane_at.53, align 4
            %one.27 = extractelement <8 x float> %acc_1_1.8, i64 3
            store float %one.27, ptr %lane_at.54, align 4
            %one.28 = extractelement <8 x float> %acc_1_1.8, i64 4
            store float %one.28, ptr %lane_at.55, align 4
            %one.29 = extractelement <8 x float> %acc_1_1.8, i64 5
            store float %one.29, ptr %lane_at.56, align 4
            %one.30 = extractelement <8 x float> %acc_1_1.8, i64 6
            store float %one.30, ptr %lane_at.57, align 4
            %one.31 = extractelement <8 x float> %acc_1_1.8, i64 7
            store float %one.31, ptr %lane_at.58, align 4
            br label %joined.7
          otherwise.7:
            ; result = acc, in fp32
            ; out[pixel_image * out_image + (column0 + column) * out_channel + pixel] = result, gather where row0 + row < items * n and column0 + column < m
            %holds.9 = icmp slt i64 %row0, %product.4
            %limit.5 = sub i64 %m, %column0
            %lane0.11 = insertelement <8 x i64> poison, i64 %limit.5, i64 0
            %all.11 = shufflevector <8 x i64> %lane0.11, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.5 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.11
            %product.150 = mul i64 %pixel_image_0, %out_image
            %lane0.12 = insertelement <8 x i64> poison, i64 %column0, i64 0
            %all.12 = shufflevector <8 x i64> %lane0.12, <8 x i64> poison, <8 x i32> zeroinitializer
            %index.231 = add <8 x i64> %all.12, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
            %lane0.13 = insertelement <8 x i64> poison, i64 %out_channel, i64 0
            %all.13 = shufflevector <8 x i64> %lane0.13, <8 x i64> poison, <8 x i32> zeroinitializer
            %product.151 = mul <8 x i64> %index.231, %all.13
            %index.232 = add i64 %product.150, %pixel_0
            %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.232
            %lanes_at.1 = getelementptr float, ptr %out_at_0_0.1, <8 x i64> %product.151
            %lane0.14 = insertelement <8 x i1> poison, i1 %holds.9, i64 0
            %all.14 = shufflevector <8 x i1> %lane0.14, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.6 = and <8 x i1> %mask.5, %all.14
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_0_0.8, <8 x ptr> %lanes_at.1, i32 4, <8 x i1> %mask.6)
            %mask.7 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.11
            %index.233 = add <8 x i64> %all.12, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
            %product.152 = mul <8 x i64> %index.233, %all.13
            %lanes_at.2 = getelementptr float, ptr %out_at_0_0.1, <8 x i64> %product.152
            %mask.8 = and <8 x i1> %mask.7, %all.14
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_0_1.8, <8 x ptr> %lanes_at.2, i32 4, <8 x i1> %mask.8)
            %product.153 = mul i64 %pixel_image_1, %out_image
            %index.234 = add i64 %product.153, %pixel_1
            %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.234
            %lanes_at.3 = getelementptr float, ptr %out_at_1_0.1, <8 x i64> %product.151
            %lane0.15 = insertelement <8 x i1> poison, i1 %holds.7, i64 0
            %all.15 = shufflevector <8 x i1> %lane0.15, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.9 = and <8 x i1> %mask.5, %all.15
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_1_0.8, <8 x ptr> %lanes_at.3, i32 4, <8 x i1> %mask.9)
            %lanes_at.4 = getelementptr float, ptr %out_at_1_0.1, <8 x i64> %product.152
            %mask.10 = and <8 x i1> %mask.7, %all.15
            call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %acc_1_1.8, <8 x ptr> %lanes_at.4, i32 4, <8 x i1> %mask.10)
            br label %joined.7
          joined.7:
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
