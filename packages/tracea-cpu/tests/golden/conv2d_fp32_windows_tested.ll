; tracea: conv2d fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 f1
; schedule       6ed6ab45ec7dedf3fa6d5699ad2f5d17d33bfd8dc4a3f7894838584fa4871f43
; certificate    23becc447734e6ec66b9b87de7db8639369c41b8645cfc29c18bc66645313f78:

@zeros_fp32_2048 = internal constant [2048 x float] zeroinitializer
@zeros_fp32_2048_at = internal global ptr @zeros_fp32_2048

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
declare i64 @llvm.smax.i64(i64, i64)
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
; k_c: reduction axis c; 0 to 2048
; k_r: reduction axis r; 0 to 4611686018427387904
; k_s: reduction axis s; 0 to 4611686018427387904
; w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
; x_image: x: image stride; -4611686018427387904 to 4611686018427387904
; x_row: x: row stride; -4611686018427387904 to 4611686018427387904
; x_column: x: column stride; -4611686018427387904 to 4611686018427387904
; stride_h: stride along h; -4611686018427387904 to 4611686018427387904
; stride_w: stride along w; -4611686018427387904 to 4611686018427387904
; pad_h: rows of zeros above and below; 0 to 4611686018427387904
; pad_w: columns of zeros at both sides; 0 to 4611686018427387904
; height: rows of the image; 0 to 4611686018427387904
; width: columns of the image; 0 to 4611686018427387904
; out_image: out: next image; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; out_column: out: next column; -4611686018427387904 to 4611686018427387904
; n_reciprocal: multiplies instead of dividing by n; 0 to 9223372036854775807
; out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
; row_splits: parts that the tiles of all images are cut into; 1 to 4611686018427387904
; column_splits: parts that the panels are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the tiles of a part are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((((m + 15) // 16 + column_splits - 1) // column_splits - 1) * min(row_blocks - 1, 1) + 1) * (k_r * k_s * k_c) times, kept for a tile_column, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; row_table: 2x1 of int32 in 2 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
; square: 8x8 of fp32 in 8 registers of 8 lanes
; turned: 8x8 of fp32 in 8 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %zeros_fp32 = load ptr, ptr @zeros_fp32_2048_at, align 8
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
  %x_row_word = getelementptr i64, ptr %arguments, i64 12
  %x_row = load i64, ptr %x_row_word, align 8
  %x_column_word = getelementptr i64, ptr %arguments, i64 13
  %x_column = load i64, ptr %x_column_word, align 8
  %stride_h_word = getelementptr i64, ptr %arguments, i64 14
  %stride_h = load i64, ptr %stride_h_word, align 8
  %stride_w_word = getelementptr i64, ptr %arguments, i64 15
  %stride_w = load i64, ptr %stride_w_word, align 8
  %pad_h_word = getelementptr i64, ptr %arguments, i64 16
  %pad_h = load i64, ptr %pad_h_word, align 8
  %pad_w_word = getelementptr i64, ptr %arguments, i64 17
  %pad_w = load i64, ptr %pad_w_word, align 8
  %height_word = getelementptr i64, ptr %arguments, i64 18
  %height = load i64, ptr %height_word, align 8
  %width_word = getelementptr i64, ptr %arguments, i64 19
  %width = load i64, ptr %width_word, align 8
  %out_image_word = getelementptr i64, ptr %arguments, i64 20
  %out_image = load i64, ptr %out_image_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 21
  %out_row = load i64, ptr %out_row_word, align 8
  %out_column_word = getelementptr i64, ptr %arguments, i64 22
  %out_column = load i64, ptr %out_column_word, align 8
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
  ; panels = (m + 15) // 16
  ; row_tiles = (items * n + 1) // 2
  %product.4 = mul i64 %items, %n
  %index.8 = add i64 %product.4, 1
  %row_tiles = udiv i64 %index.8, 2
  ; k_rows = k_r * k_s * k_c
  ; for unit from worker * (row_splits * column_splits) // workers to (worker + 1) * (row_splits * column_splits) // workers
  %product.5 = mul i64 %row_splits, %column_splits
  %product.6 = mul i64 %worker, %product.5
  %unit_first = udiv i64 %product.6, %workers
  %index.9 = add i64 %worker, 1
  %product.7 = mul i64 %index.9, %product.5
  %unit_stop = udiv i64 %product.7, %workers
  %index.34 = add i64 %product.4, -1
  %low = and i64 %n_reciprocal, 4294967295
  %multiplier = add i64 %low, 2147483648
  %high = lshr i64 %n_reciprocal, 32
  %shift = add i64 %high, 31
  %low.1 = and i64 %out_width_reciprocal, 4294967295
  %multiplier.1 = add i64 %low.1, 2147483648
  %high.1 = lshr i64 %out_width_reciprocal, 32
  %shift.1 = add i64 %high.1, 31
  %index.36 = mul i64 %pad_h, -1
  %index.39 = mul i64 %pad_w, -1
  %product.52 = mul i64 1, %multiplier
  %quotient.18 = lshr i64 %product.52, %shift
  %product.53 = mul i64 %quotient.18, %x_image
  %product.54 = mul i64 %quotient.18, %n
  %index.54 = mul i64 %product.54, -1
  %index.55 = add i64 %index.54, 1
  %product.55 = mul i64 %index.55, %multiplier.1
  %quotient.19 = lshr i64 %product.55, %shift.1
  %product.56 = mul i64 %quotient.19, %stride_h
  %index.56 = sub i64 %product.56, %pad_h
  %product.57 = mul i64 %index.56, %x_row
  %product.58 = mul i64 %quotient.19, %out_width
  %index.57 = sub i64 %index.54, %product.58
  %index.58 = add i64 %index.57, 1
  %product.59 = mul i64 %index.58, %stride_w
  %index.59 = sub i64 %product.59, %pad_w
  %product.60 = mul i64 %index.59, %x_column
  %product.61 = mul i64 0, %multiplier
  %quotient.20 = lshr i64 %product.61, %shift
  %product.62 = mul i64 %quotient.20, %x_image
  %product.63 = mul i64 %quotient.20, %n
  %index.60 = mul i64 %product.63, -1
  %product.64 = mul i64 %index.60, %multiplier.1
  %quotient.21 = lshr i64 %product.64, %shift.1
  %product.65 = mul i64 %quotient.21, %stride_h
  %index.61 = sub i64 %product.65, %pad_h
  %product.66 = mul i64 %index.61, %x_row
  %product.67 = mul i64 %quotient.21, %out_width
  %index.62 = sub i64 %index.60, %product.67
  %product.68 = mul i64 %index.62, %stride_w
  %index.63 = sub i64 %product.68, %pad_w
  %product.69 = mul i64 %index.63, %x_column
  %index.64 = add i64 %product.53, %product.57
  %index.65 = add i64 %index.64, %product.60
  %index.66 = sub i64 %index.65, %product.62
  %index.67 = sub i64 %index.66, %product.66
  %index.68 = sub i64 %index.67, %product.69
  %max = call i64 @llvm.smax.i64(i64 %index.68, i64 0)
  %product.70 = mul i64 %k_s, %k_c
  %max.1 = call i64 @llvm.smax.i64(i64 %product.70, i64 1)
  %index.69 = mul i64 %max, 2
  %index.70 = add i64 %index.69, %max.1
  %index.71 = add i64 %index.70, -1
  %c_limit = add i64 %k_c, -1
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %row_part_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits
    %split = udiv i64 %unit, %column_splits
    ; first_panel = part * panels // column_splits
    %product.8 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.8, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.10 = add i64 %part, 1
    %product.9 = mul i64 %index.10, %quotient
    %last_panel = udiv i64 %product.9, %column_splits
    ; first_tile = split * row_tiles // row_splits
    %product.10 = mul i64 %split, %row_tiles
    %first_tile = udiv i64 %product.10, %row_splits
    ; last_tile = (split + 1) * row_tiles // row_splits
    %index.11 = add i64 %split, 1
    %product.11 = mul i64 %index.11, %row_tiles
    %last_tile = udiv i64 %product.11, %row_splits
    ; for row_part from 0 to row_blocks
    %index.12 = sub i64 %last_tile, %first_tile
    %index.14 = mul i64 %first_panel, -1
    %row_part_any = icmp slt i64 0, %row_blocks
    br i1 %row_part_any, label %row_part_loop, label %row_part_done
    row_part_loop:
      %row_part = phi i64 [ 0, %unit_loop ], [ %row_part_next, %panel_done ]
      ; block_first = first_tile + row_part * (last_tile - first_tile) // row_blocks
      %product.12 = mul i64 %row_part, %index.12
      %rest.2 = srem i64 %product.12, %row_blocks
      %below.2 = ashr i64 %rest.2, 63
      %quotient.5 = sdiv i64 %product.12, %row_blocks
      %quotient.6 = add i64 %quotient.5, %below.2
      %block_first = add i64 %first_tile, %quotient.6
      ; block_last = first_tile + (row_part + 1) * (last_tile - first_tile) // row_blocks
      %index.13 = add i64 %row_part, 1
      %product.13 = mul i64 %index.13, %index.12
      %rest.3 = srem i64 %product.13, %row_blocks
      %below.3 = ashr i64 %rest.3, 63
      %quotient.7 = sdiv i64 %product.13, %row_blocks
      %quotient.8 = add i64 %quotient.7, %below.3
      %block_last = add i64 %first_tile, %quotient.8
      ; for panel from first_panel to last_panel
      %holds = icmp eq i64 %row_part, 0
      %panel_any = icmp slt i64 %first_panel, %last_panel
      br i1 %panel_any, label %panel_loop, label %panel_done
      panel_loop:
        %panel.1 = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %place_done ]
        ; column0 = panel * 16
        %column0 = mul i64 %panel.1, 16
        ; panel_row = (panel - first_panel) * min(row_blocks - 1, 1) * k_rows
        %index.15 = add i64 %index.14, %panel.1
        %product.14 = mul i64 %index.15, %min
        %panel_row = mul i64 %product.14, %product.2
        ; if row_part == 0
        br i1 %holds, label %then, label %joined
        then:
          ; for vector from 0 to 2
          %index.18 = add i64 %m, -1
          %index.26 = mul i64 %panel_row, 16
          %panel_at_0_0 = getelementptr float, ptr %panel, i64 %index.26
          br label %vector_loop
          vector_loop:
            %vector = phi i64 [ 0, %then ], [ %vector_next, %filter_at_done ]
            ; for filter_at from 0 to k_rows // 8 * 8 by 8
            %quotient.9 = udiv i64 %product.2, 8
            %index.16 = mul i64 %vector, 8
            %index.17 = add i64 %column0, %index.16
            %min.1 = call i64 @llvm.smin.i64(i64 %index.17, i64 %index.18)
            %product.15 = mul i64 %min.1, %w_out
            %w_at_0 = getelementptr float, ptr %w, i64 %product.15
            %index.19 = add i64 %index.17, 1
            %min.2 = call i64 @llvm.smin.i64(i64 %index.19, i64 %index.18)
            %product.16 = mul i64 %min.2, %w_out
            %w_at_1 = getelementptr float, ptr %w, i64 %product.16
            %index.20 = add i64 %index.17, 2
            %min.3 = call i64 @llvm.smin.i64(i64 %index.20, i64 %index.18)
            %product.17 = mul i64 %min.3, %w_out
            %w_at_2 = getelementptr float, ptr %w, i64 %product.17
            %index.21 = add i64 %index.17, 3
            %min.4 = call i64 @llvm.smin.i64(i64 %index.21, i64 %index.18)
            %product.18 = mul i64 %min.4, %w_out
            %w_at_3 = getelementptr float, ptr %w, i64 %product.18
            %index.22 = add i64 %index.17, 4
            %min.5 = call i64 @llvm.smin.i64(i64 %index.22, i64 %index.18)
            %product.19 = mul i64 %min.5, %w_out
            %w_at_4 = getelementptr float, ptr %w, i64 %product.19
            %index.23 = add i64 %index.17, 5
            %min.6 = call i64 @llvm.smin.i64(i64 %index.23, i64 %index.18)
            %product.20 = mul i64 %min.6, %w_out
            %w_at_5 = getelementptr float, ptr %w, i64 %product.20
            %index.24 = add i64 %index.17, 6
            %min.7 = call i64 @llvm.smin.i64(i64 %index.24, i64 %index.18)
            %product.21 = mul i64 %min.7, %w_out
            %w_at_6 = getelementptr float, ptr %w, i64 %product.21
            %index.25 = add i64 %index.17, 7
            %min.8 = call i64 @llvm.smin.i64(i64 %index.25, i64 %index.18)
            %product.22 = mul i64 %min.8, %w_out
            %w_at_7 = getelementptr float, ptr %w, i64 %product.22
            %filter_at_limit = mul i64 %quotient.9, 8
            %filter_at_any = icmp slt i64 0, %filter_at_limit
            br i1 %filter_at_any, label %filter_at_loop, label %filter_at_done
            filter_at_loop:
              %filter_at = phi i64 [ 0, %vector_loop ], [ %filter_at_next, %filter_at_loop ]
              ; turned = w[min(column0 + vector * 8 + column, m - 1) * w_out + filter_at + row], vector
              %w_at_0.1 = getelementptr float, ptr %w_at_0, i64 %filter_at
              %turned_0_lower = load <4 x float>, ptr %w_at_0.1, align 4
              %turned_0_upper_at = getelementptr <4 x float>, ptr %w_at_0.1, i64 1
              %turned_0_upper = load <4 x float>, ptr %turned_0_upper_at, align 4
              %w_at_1.1 = getelementptr float, ptr %w_at_1, i64 %filter_at
              %turned_1_lower = load <4 x float>, ptr %w_at_1.1, align 4
              %turned_1_upper_at = getelementptr <4 x float>, ptr %w_at_1.1, i64 1
              %turned_1_upper = load <4 x float>, ptr %turned_1_upper_at, align 4
              %w_at_2.1 = getelementptr float, ptr %w_at_2, i64 %filter_at
              %turned_2_lower = load <4 x float>, ptr %w_at_2.1, align 4
              %turned_2_upper_at = getelementptr <4 x float>, ptr %w_at_2.1, i64 1
              %turned_2_upper = load <4 x float>, ptr %turned_2_upper_at, align 4
              %w_at_3.1 = getelementptr float, ptr %w_at_3, i64 %filter_at
              %turned_3_lower = load <4 x float>, ptr %w_at_3.1, align 4
              %turned_3_upper_at = getelementptr <4 x float>, ptr %w_at_3.1, i64 1
              %turned_3_upper = load <4 x float>, ptr %turned_3_upper_at, align 4
              %w_at_4.1 = getelementptr float, ptr %w_at_4, i64 %filter_at
              %turned_4_lower = load <4 x float>, ptr %w_at_4.1, align 4
              %turned_4_upper_at = getelementptr <4 x float>, ptr %w_at_4.1, i64 1
              %turned_4_upper = load <4 x float>, ptr %turned_4_upper_at, align 4
              %w_at_5.1 = getelementptr float, ptr %w_at_5, i64 %filter_at
              %turned_5_lower = load <4 x float>, ptr %w_at_5.1, align 4
              %turned_5_upper_at = getelementptr <4 x float>, ptr %w_at_5.1, i64 1
              %turned_5_upper = load <4 x float>, ptr %turned_5_upper_at, align 4
              %w_at_6.1 = getelementptr float, ptr %w_at_6, i64 %filter_at
              %turned_6_lower = load <4 x float>, ptr %w_at_6.1, align 4
              %turned_6_upper_at = getelementptr <4 x float>, ptr %w_at_6.1, i64 1
              %turned_6_upper = load <4 x float>, ptr %turned_6_upper_at, align 4
              %w_at_7.1 = getelementptr float, ptr %w_at_7, i64 %filter_at
              %turned_7_lower = load <4 x float>, ptr %w_at_7.1, align 4
              %turned_7_upper_at = getelementptr <4 x float>, ptr %w_at_7.1, i64 1
              %turned_7_upper = load <4 x float>, ptr %turned_7_upper_at, align 4
              ; square = turned, lanes along the other axis
              %turned = shufflevector <4 x float> %turned_0_lower, <4 x float> %turned_4_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.1 = shufflevector <4 x float> %turned_0_upper, <4 x float> %turned_4_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.2 = shufflevector <4 x float> %turned_1_lower, <4 x float> %turned_5_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.3 = shufflevector <4 x float> %turned_1_upper, <4 x float> %turned_5_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.4 = shufflevector <4 x float> %turned_2_lower, <4 x float> %turned_6_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.5 = shufflevector <4 x float> %turned_2_upper, <4 x float> %turned_6_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.6 = shufflevector <4 x float> %turned_3_lower, <4 x float> %turned_7_lower, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
              %turned.7 = shufflevector <4 x float> %turned_3_upper, <4 x float> %turned_7_upper, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
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
              ; panel[panel_row + filter_at + row, vector * 8 + column] = square, vector
              %rest.4 = urem i64 %index.16, 8
              %quotient.10 = udiv i64 %index.16, 8
              %index.27 = mul i64 %filter_at, 16
              %index.28 = add i64 %index.27, %rest.4
              %index.29 = mul i64 %quotient.10, 8
              %index.30 = add i64 %index.28, %index.29
              %panel_at_0_0.1 = getelementptr float, ptr %panel_at_0_0, i64 %index.30
              store <8 x float> %turned.10, ptr %panel_at_0_0.1, align 4
              %panel_at_1_0 = getelementptr float, ptr %panel_at_0_0.1, i64 16
              store <8 x float> %turned.11, ptr %panel_at_1_0, align 4
              %panel_at_2_0 = getelementptr float, ptr %panel_at_0_0.1, i64 32
              store <8 x float> %turned.14, ptr %panel_at_2_0, align 4
              %panel_at_3_0 = getelementptr float, ptr %panel_at_0_0.1, i64 48
              store <8 x float> %turned.15, ptr %panel_at_3_0, align 4
              %panel_at_4_0 = getelementptr float, ptr %panel_at_0_0.1, i64 64
              store <8 x float> %turned.18, ptr %panel_at_4_0, align 4
              %panel_at_5_0 = getelementptr float, ptr %panel_at_0_0.1, i64 80
              store <8 x float> %turned.19, ptr %panel_at_5_0, align 4
              %panel_at_6_0 = getelementptr float, ptr %panel_at_0_0.1, i64 96
              store <8 x float> %turned.22, ptr %panel_at_6_0, align 4
              %panel_at_7_0 = getelementptr float, ptr %panel_at_0_0.1, i64 112
              store <8 x float> %turned.23, ptr %panel_at_7_0, align 4
              %filter_at_next = add i64 %filter_at, 8
              %filter_at_more = icmp slt i64 %filter_at_next, %filter_at_limit
              br i1 %filter_at_more, label %filter_at_loop, label %filter_at_done
            filter_at_done:
            %vector_next = add i64 %vector, 1
            %vector_more = icmp slt i64 %vector_next, 2
            br i1 %vector_more, label %vector_loop, label %vector_done
          vector_done:
          ; for filter_at from k_rows // 8 * 8 to k_rows
          %quotient.11 = udiv i64 %product.2, 8
          %filter_at_first = mul i64 %quotient.11, 8
          %lane0 = insertelement <8 x i64> poison, i64 %column0, i64 0
          %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
          %index.31 = add <8 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %lane0.1 = insertelement <8 x i64> poison, i64 %index.18, i64 0
          %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
          %min.9 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.31, <8 x i64> %all.1)
          %lane0.2 = insertelement <8 x i64> poison, i64 %w_out, i64 0
          %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
          %product.23 = mul <8 x i64> %min.9, %all.2
          %element = extractelement <8 x i64> %product.23, i64 0
          %element.1 = extractelement <8 x i64> %product.23, i64 1
          %element.2 = extractelement <8 x i64> %product.23, i64 2
          %element.3 = extractelement <8 x i64> %product.23, i64 3
          %element.4 = extractelement <8 x i64> %product.23, i64 4
          %element.5 = extractelement <8 x i64> %product.23, i64 5
          %element.6 = extractelement <8 x i64> %product.23, i64 6
          %element.7 = extractelement <8 x i64> %product.23, i64 7
          %index.32 = add <8 x i64> %all, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
          %min.10 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.32, <8 x i64> %all.1)
          %product.24 = mul <8 x i64> %min.10, %all.2
          %element.8 = extractelement <8 x i64> %product.24, i64 0
          %element.9 = extractelement <8 x i64> %product.24, i64 1
          %element.10 = extractelement <8 x i64> %product.24, i64 2
          %element.11 = extractelement <8 x i64> %product.24, i64 3
          %element.12 = extractelement <8 x i64> %product.24, i64 4
          %element.13 = extractelement <8 x i64> %product.24, i64 5
          %element.14 = extractelement <8 x i64> %product.24, i64 6
          %element.15 = extractelement <8 x i64> %product.24, i64 7
          %filter_at_any.1 = icmp slt i64 %filter_at_first, %product.2
          br i1 %filter_at_any.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_loop.1:
            %filter_at.1 = phi i64 [ %filter_at_first, %vector_done ], [ %filter_at_next.1, %filter_at_loop.1 ]
            ; packed = w[min(column0 + column, m - 1) * w_out + filter_at], gather
            %w_at_0.2 = getelementptr float, ptr %w, i64 %filter_at.1
            %lane_at = getelementptr float, ptr %w_at_0.2, i64 %element
            %lane_at.1 = getelementptr float, ptr %w_at_0.2, i64 %element.1
            %lane_at.2 = getelementptr float, ptr %w_at_0.2, i64 %element.2
            %lane_at.3 = getelementptr float, ptr %w_at_0.2, i64 %element.3
            %lane_at.4 = getelementptr float, ptr %w_at_0.2, i64 %element.4
            %lane_at.5 = getelementptr float, ptr %w_at_0.2, i64 %element.5
            %lane_at.6 = getelementptr float, ptr %w_at_0.2, i64 %element.6
            %lane_at.7 = getelementptr float, ptr %w_at_0.2, i64 %element.7
            %packed_0_one = load float, ptr %lane_at, align 4
            %packed_0 = insertelement <8 x float> poison, float %packed_0_one, i64 0
            %packed_0_one.1 = load float, ptr %lane_at.1, align 4
            %packed_0.1 = insertelement <8 x float> %packed_0, float %packed_0_one.1, i64 1
            %packed_0_one.2 = load float, ptr %lane_at.2, align 4
            %packed_0.2 = insertelement <8 x float> %packed_0.1, float %packed_0_one.2, i64 2
            %packed_0_one.3 = load float, ptr %lane_at.3, align 4
            %packed_0.3 = insertelement <8 x float> %packed_0.2, float %packed_0_one.3, i64 3
            %packed_0_one.4 = load float, ptr %lane_at.4, align 4
            %packed_0.4 = insertelement <8 x float> %packed_0.3, float %packed_0_one.4, i64 4
            %packed_0_one.5 = load float, ptr %lane_at.5, align 4
            %packed_0.5 = insertelement <8 x float> %packed_0.4, float %packed_0_one.5, i64 5
            %packed_0_one.6 = load float, ptr %lane_at.6, align 4
            %packed_0.6 = insertelement <8 x float> %packed_0.5, float %packed_0_one.6, i64 6
            %packed_0_one.7 = load float, ptr %lane_at.7, align 4
            %packed_0.7 = insertelement <8 x float> %packed_0.6, float %packed_0_one.7, i64 7
            %lane_at.8 = getelementptr float, ptr %w_at_0.2, i64 %element.8
            %lane_at.9 = getelementptr float, ptr %w_at_0.2, i64 %element.9
            %lane_at.10 = getelementptr float, ptr %w_at_0.2, i64 %element.10
            %lane_at.11 = getelementptr float, ptr %w_at_0.2, i64 %element.11
            %lane_at.12 = getelementptr float, ptr %w_at_0.2, i64 %element.12
            %lane_at.13 = getelementptr float, ptr %w_at_0.2, i64 %element.13
            %lane_at.14 = getelementptr float, ptr %w_at_0.2, i64 %element.14
            %lane_at.15 = getelementptr float, ptr %w_at_0.2, i64 %element.15
            %packed_1_one = load float, ptr %lane_at.8, align 4
            %packed_1 = insertelement <8 x float> poison, float %packed_1_one, i64 0
            %packed_1_one.1 = load float, ptr %lane_at.9, align 4
            %packed_1.1 = insertelement <8 x float> %packed_1, float %packed_1_one.1, i64 1
            %packed_1_one.2 = load float, ptr %lane_at.10, align 4
            %packed_1.2 = insertelement <8 x float> %packed_1.1, float %packed_1_one.2, i64 2
            %packed_1_one.3 = load float, ptr %lane_at.11, align 4
            %packed_1.3 = insertelement <8 x float> %packed_1.2, float %packed_1_one.3, i64 3
            %packed_1_one.4 = load float, ptr %lane_at.12, align 4
            %packed_1.4 = insertelement <8 x float> %packed_1.3, float %packed_1_one.4, i64 4
            %packed_1_one.5 = load float, ptr %lane_at.13, align 4
            %packed_1.5 = insertelement <8 x float> %packed_1.4, float %packed_1_one.5, i64 5
            %packed_1_one.6 = load float, ptr %lane_at.14, align 4
            %packed_1.6 = insertelement <8 x float> %packed_1.5, float %packed_1_one.6, i64 6
            %packed_1_one.7 = load float, ptr %lane_at.15, align 4
            %packed_1.7 = insertelement <8 x float> %packed_1.6, float %packed_1_one.7, i64 7
            ; panel[panel_row + filter_at, column] = packed, vector
            %index.33 = mul i64 %filter_at.1, 16
            %panel_at_0 = getelementptr float, ptr %panel_at_0_0, i64 %index.33
            store <8 x float> %packed_0.7, ptr %panel_at_0, align 64
            %panel_at_1 = getelementptr float, ptr %panel_at_0, i64 8
            store <8 x float> %packed_1.7, ptr %panel_at_1, align 32
            %filter_at_next.1 = add i64 %filter_at.1, 1
            %filter_at_more.1 = icmp slt i64 %filter_at_next.1, %product.2
            br i1 %filter_at_more.1, label %filter_at_loop.1, label %filter_at_done.1
          filter_at_done.1:
          br label %joined
        joined:
        ; for place from block_first to block_last
        %index.73 = mul i64 %panel_row, 16
        %panel_at_0.1 = getelementptr float, ptr %panel, i64 %index.73
        %index.85 = add i64 %column0, 15
        %holds.10 = icmp slt i64 %index.85, %m
        %place_any = icmp slt i64 %block_first, %block_last
        br i1 %place_any, label %place_loop, label %place_done
        place_loop:
          %place = phi i64 [ %block_first, %joined ], [ %place_next, %joined.1 ]
          ; row0 = place * 2
          %row0 = mul i64 %place, 2
          ; a_base = quotient(min(row0 + row, items * n - 1), n_reciprocal) * x_image + (quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * stride_h - pad_h) * x_row + ((min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n - quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * out_width) * stride_w - pad_w) * x_column for each element of a
          %min.11 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.34)
          %product.25 = mul i64 %min.11, %multiplier
          %quotient.12 = lshr i64 %product.25, %shift
          %product.26 = mul i64 %quotient.12, %x_image
          %product.27 = mul i64 %quotient.12, %n
          %index.35 = sub i64 %min.11, %product.27
          %product.28 = mul i64 %index.35, %multiplier.1
          %quotient.13 = lshr i64 %product.28, %shift.1
          %product.29 = mul i64 %quotient.13, %stride_h
          %index.37 = add i64 %index.36, %product.29
          %product.30 = mul i64 %index.37, %x_row
          %product.31 = mul i64 %quotient.13, %out_width
          %index.38 = sub i64 %index.35, %product.31
          %product.32 = mul i64 %index.38, %stride_w
          %index.40 = add i64 %index.39, %product.32
          %product.33 = mul i64 %index.40, %x_column
          %index.41 = add i64 %product.26, %product.30
          %a_base_0 = add i64 %index.41, %product.33
          %index.42 = add i64 %row0, 1
          %min.12 = call i64 @llvm.smin.i64(i64 %index.42, i64 %index.34)
          %product.34 = mul i64 %min.12, %multiplier
          %quotient.14 = lshr i64 %product.34, %shift
          %product.35 = mul i64 %quotient.14, %x_image
          %product.36 = mul i64 %quotient.14, %n
          %index.43 = sub i64 %min.12, %product.36
          %product.37 = mul i64 %index.43, %multiplier.1
          %quotient.15 = lshr i64 %product.37, %shift.1
          %product.38 = mul i64 %quotient.15, %stride_h
          %index.44 = add i64 %index.36, %product.38
          %product.39 = mul i64 %index.44, %x_row
          %product.40 = mul i64 %quotient.15, %out_width
          %index.45 = sub i64 %index.43, %product.40
          %product.41 = mul i64 %index.45, %stride_w
          %index.46 = add i64 %index.39, %product.41
          %product.42 = mul i64 %index.46, %x_column
          %index.47 = add i64 %product.35, %product.39
          %a_base_1 = add i64 %index.47, %product.42
          ; y0 = quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * stride_h - pad_h for each element of a
          ; x0 = (min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n - quotient(min(row0 + row, items * n - 1) - quotient(min(row0 + row, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * out_width) * stride_w - pad_w for each element of a
          ; next_windows = quotient(min(row0 + 2, items * n - 1), n_reciprocal) * x_image + (quotient(min(row0 + 2, items * n - 1) - quotient(min(row0 + 2, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * stride_h - pad_h) * x_row + ((min(row0 + 2, items * n - 1) - quotient(min(row0 + 2, items * n - 1), n_reciprocal) * n - quotient(min(row0 + 2, items * n - 1) - quotient(min(row0 + 2, items * n - 1), n_reciprocal) * n, out_width_reciprocal) * out_width) * stride_w - pad_w) * x_column
          %index.48 = add i64 %row0, 2
          %min.13 = call i64 @llvm.smin.i64(i64 %index.48, i64 %index.34)
          %product.43 = mul i64 %min.13, %multiplier
          %quotient.16 = lshr i64 %product.43, %shift
          %product.44 = mul i64 %quotient.16, %x_image
          %product.45 = mul i64 %quotient.16, %n
          %index.49 = sub i64 %min.13, %product.45
          %product.46 = mul i64 %index.49, %multiplier.1
          %quotient.17 = lshr i64 %product.46, %shift.1
          %product.47 = mul i64 %quotient.17, %stride_h
          %index.50 = add i64 %index.36, %product.47
          %product.48 = mul i64 %index.50, %x_row
          %product.49 = mul i64 %quotient.17, %out_width
          %index.51 = sub i64 %index.49, %product.49
          %product.50 = mul i64 %index.51, %stride_w
          %index.52 = add i64 %index.39, %product.50
          %product.51 = mul i64 %index.52, %x_column
          %index.53 = add i64 %product.44, %product.48
          %next_windows = add i64 %index.53, %product.51
          ; asked_each = (max(quotient(1, n_reciprocal) * x_image + (quotient(1 - quotient(1, n_reciprocal) * n, out_width_reciprocal) * stride_h - pad_h) * x_row + ((1 - quotient(1, n_reciprocal) * n - quotient(1 - quotient(1, n_reciprocal) * n, out_width_reciprocal) * out_width) * stride_w - pad_w) * x_column - (quotient(0, n_reciprocal) * x_image + (quotient(0 - quotient(0, n_reciprocal) * n, out_width_reciprocal) * stride_h - pad_h) * x_row + ((0 - quotient(0, n_reciprocal) * n - quotient(0 - quotient(0, n_reciprocal) * n, out_width_reciprocal) * out_width) * stride_w - pad_w) * x_column), 0) * 2 + max(k_s * k_c, 1) - 1) // max(k_s * k_c, 1)
          %rest.5 = srem i64 %index.71, %max.1
          %below.4 = ashr i64 %rest.5, 63
          %quotient.22 = sdiv i64 %index.71, %max.1
          %asked_each = add i64 %quotient.22, %below.4
          ; acc = 0
          ; for r from 0 to k_r
          %x_at = getelementptr float, ptr %x, i64 %a_base_0
          %x_at.3 = getelementptr float, ptr %x, i64 %a_base_1
          %x_soon = getelementptr float, ptr %x, i64 %next_windows
          %r_any = icmp slt i64 0, %k_r
          br i1 %r_any, label %r_loop, label %r_done
          r_loop:
            %r = phi i64 [ 0, %place_loop ], [ %r_next, %s_done ]
            %acc_0_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.9, %s_done ]
            %acc_0_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.9, %s_done ]
            %acc_1_0 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.9, %s_done ]
            %acc_1_1 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.9, %s_done ]
            ; for s from 0 to k_s
            %product.71 = mul i64 %r, %k_s
            %index.76 = add i64 %index.37, %r
            %holds.1 = icmp sle i64 0, %index.76
            %holds.2 = icmp slt i64 %index.76, %height
            %both = and i1 %holds.1, %holds.2
            %product.73 = mul i64 %r, %x_row
            %x_at.1 = getelementptr float, ptr %x_at, i64 %product.73
            %index.78 = add i64 %index.44, %r
            %holds.5 = icmp sle i64 0, %index.78
            %holds.6 = icmp slt i64 %index.78, %height
            %both.3 = and i1 %holds.5, %holds.6
            %x_at.4 = getelementptr float, ptr %x_at.3, i64 %product.73
            %x_soon.1 = getelementptr float, ptr %x_soon, i64 %product.73
            %s_any = icmp slt i64 0, %k_s
            br i1 %s_any, label %s_loop, label %s_done
            s_loop:
              %s = phi i64 [ 0, %r_loop ], [ %s_next, %c_done.1 ]
              %acc_0_0.1 = phi <8 x float> [ %acc_0_0, %r_loop ], [ %acc_0_0.8, %c_done.1 ]
              %acc_0_1.1 = phi <8 x float> [ %acc_0_1, %r_loop ], [ %acc_0_1.8, %c_done.1 ]
              %acc_1_0.1 = phi <8 x float> [ %acc_1_0, %r_loop ], [ %acc_1_0.8, %c_done.1 ]
              %acc_1_1.1 = phi <8 x float> [ %acc_1_1, %r_loop ], [ %acc_1_1.8, %c_done.1 ]
              ; for c from 0 to k_c, 2 at a time
              %index.72 = add i64 %product.71, %s
              %product.72 = mul i64 %index.72, %k_c
              %index.74 = mul i64 %product.72, 16
              %panel_at_0.2 = getelementptr float, ptr %panel_at_0.1, i64 %index.74
              %index.77 = add i64 %index.40, %s
              %holds.3 = icmp sle i64 0, %index.77
              %holds.4 = icmp slt i64 %index.77, %width
              %both.1 = and i1 %both, %holds.3
              %both.2 = and i1 %both.1, %holds.4
              %product.74 = mul i64 %s, %x_column
              %x_at.2 = getelementptr float, ptr %x_at.1, i64 %product.74
              %chosen_at = select i1 %both.2, ptr %x_at.2, ptr %zeros_fp32
              %index.79 = add i64 %index.46, %s
              %holds.7 = icmp sle i64 0, %index.79
              %holds.8 = icmp slt i64 %index.79, %width
              %both.4 = and i1 %both.3, %holds.7
              %both.5 = and i1 %both.4, %holds.8
              %x_at.5 = getelementptr float, ptr %x_at.4, i64 %product.74
              %chosen_at.1 = select i1 %both.5, ptr %x_at.5, ptr %zeros_fp32
              %product.75 = mul i64 %s, %k_c
              %c_any = icmp slt i64 0, %c_limit
              br i1 %c_any, label %c_loop, label %c_done
              c_loop:
                %c = phi i64 [ 0, %s_loop ], [ %c_next, %c_loop ]
                %acc_0_0.2 = phi <8 x float> [ %acc_0_0.1, %s_loop ], [ %acc_0_0.4, %c_loop ]
                %acc_0_1.2 = phi <8 x float> [ %acc_0_1.1, %s_loop ], [ %acc_0_1.4, %c_loop ]
                %acc_1_0.2 = phi <8 x float> [ %acc_1_0.1, %s_loop ], [ %acc_1_0.4, %c_loop ]
                %acc_1_1.2 = phi <8 x float> [ %acc_1_1.1, %s_loop ], [ %acc_1_1.4, %c_loop ]
                ; b = panel[panel_row + (r * k_s + s) * k_c + c, column], vector
                %index.75 = mul i64 %c, 16
                %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 %index.75
                %b_0 = load <8 x float>, ptr %panel_at_0.3, align 64
                %panel_at_1.1 = getelementptr float, ptr %panel_at_0.3, i64 8
                %b_1 = load <8 x float>, ptr %panel_at_1.1, align 32
                ; a = x[a_base + r * x_row + s * x_column + c], broadcast where 0 <= y0 + r and y0 + r < height and 0 <= x0 + s and x0 + s < width, else 0
                %one_at = getelementptr float, ptr %chosen_at, i64 %c
                %a_0_one = load float, ptr %one_at, align 4
                %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
                %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
                %one_at.1 = getelementptr float, ptr %chosen_at.1, i64 %c
                %a_1_one = load float, ptr %one_at.1, align 4
                %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
                %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
                ; x[next_windows + r * x_row + (s * k_c + c) * asked_each] is read soon, in cache level 2
                %index.80 = add i64 %product.75, %c
                %product.76 = mul i64 %index.80, %asked_each
                %x_soon.2 = getelementptr float, ptr %x_soon.1, i64 %product.76
                call void @llvm.prefetch.p0(ptr %x_soon.2, i32 0, i32 2, i32 1)
                ; acc += a * b, fma_outer_2x2x8_fp32
                %acc_0_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_0, <8 x float> %acc_0_0.2)
                %acc_0_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_1, <8 x float> %acc_0_1.2)
                %acc_1_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_0, <8 x float> %acc_1_0.2)
                %acc_1_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_1, <8 x float> %acc_1_1.2)
                ; no memory access moves across this point
                call void asm sideeffect "", "~{memory}"()
                ; c + 1
                %panel_at_0.4 = getelementptr float, ptr %panel_at_0.3, i64 16
                %b_0.1 = load <8 x float>, ptr %panel_at_0.4, align 64
                %panel_at_1.2 = getelementptr float, ptr %panel_at_0.3, i64 24
                %b_1.1 = load <8 x float>, ptr %panel_at_1.2, align 32
                %one_at.2 = getelementptr float, ptr %one_at, i64 1
                %a_0_one.1 = load float, ptr %one_at.2, align 4
                %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
                %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                %one_at.3 = getelementptr float, ptr %one_at.1, i64 1
                %a_1_one.1 = load float, ptr %one_at.3, align 4
                %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
                %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                %index.81 = add i64 %index.80, 1
                %product.77 = mul i64 %index.81, %asked_each
                %x_soon.3 = getelementptr float, ptr %x_soon.1, i64 %product.77
                call void @llvm.prefetch.p0(ptr %x_soon.3, i32 0, i32 2, i32 1)
                %acc_0_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.3)
                %acc_0_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.3)
                %acc_1_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.3)
                %acc_1_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.3)
                call void asm sideeffect "", "~{memory}"()
                %c_next = add i64 %c, 2
                %c_more = icmp slt i64 %c_next, %c_limit
                br i1 %c_more, label %c_loop, label %c_done
              c_done:
              %acc_0_0.5 = phi <8 x float> [ %acc_0_0.1, %s_loop ], [ %acc_0_0.4, %c_loop ]
              %acc_0_1.5 = phi <8 x float> [ %acc_0_1.1, %s_loop ], [ %acc_0_1.4, %c_loop ]
              %acc_1_0.5 = phi <8 x float> [ %acc_1_0.1, %s_loop ], [ %acc_1_0.4, %c_loop ]
              %acc_1_1.5 = phi <8 x float> [ %acc_1_1.1, %s_loop ], [ %acc_1_1.4, %c_loop ]
              %c_rest = phi i64 [ 0, %s_loop ], [ %c_next, %c_loop ]
              ; what is left of c
              %c_any.1 = icmp slt i64 %c_rest, %k_c
              br i1 %c_any.1, label %c_loop.1, label %c_done.1
              c_loop.1:
                %c.1 = phi i64 [ %c_rest, %c_done ], [ %c_next.1, %c_loop.1 ]
                %acc_0_0.6 = phi <8 x float> [ %acc_0_0.5, %c_done ], [ %acc_0_0.7, %c_loop.1 ]
                %acc_0_1.6 = phi <8 x float> [ %acc_0_1.5, %c_done ], [ %acc_0_1.7, %c_loop.1 ]
                %acc_1_0.6 = phi <8 x float> [ %acc_1_0.5, %c_done ], [ %acc_1_0.7, %c_loop.1 ]
                %acc_1_1.6 = phi <8 x float> [ %acc_1_1.5, %c_done ], [ %acc_1_1.7, %c_loop.1 ]
                ; b = panel[panel_row + (r * k_s + s) * k_c + c, column], vector
                %index.82 = mul i64 %c.1, 16
                %panel_at_0.5 = getelementptr float, ptr %panel_at_0.2, i64 %index.82
                %b_0.2 = load <8 x float>, ptr %panel_at_0.5, align 64
                %panel_at_1.3 = getelementptr float, ptr %panel_at_0.5, i64 8
                %b_1.2 = load <8 x float>, ptr %panel_at_1.3, align 32
                ; a = x[a_base + r * x_row + s * x_column + c], broadcast where 0 <= y0 + r and y0 + r < height and 0 <= x0 + s and x0 + s < width, else 0
                %one_at.4 = getelementptr float, ptr %chosen_at, i64 %c.1
                %a_0_one.2 = load float, ptr %one_at.4, align 4
                %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
                %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                %one_at.5 = getelementptr float, ptr %chosen_at.1, i64 %c.1
                %a_1_one.2 = load float, ptr %one_at.5, align 4
                %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
                %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                ; x[next_windows + r * x_row + (s * k_c + c) * asked_each] is read soon, in cache level 2
                %index.83 = add i64 %product.75, %c.1
                %product.78 = mul i64 %index.83, %asked_each
                %x_soon.4 = getelementptr float, ptr %x_soon.1, i64 %product.78
                call void @llvm.prefetch.p0(ptr %x_soon.4, i32 0, i32 2, i32 1)
                ; acc += a * b, fma_outer_2x2x8_fp32
                %acc_0_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.6)
                %acc_0_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.6)
                %acc_1_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.6)
                %acc_1_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.6)
                ; no memory access moves across this point
                call void asm sideeffect "", "~{memory}"()
                %c_next.1 = add i64 %c.1, 1
                %c_more.1 = icmp slt i64 %c_next.1, %k_c
                br i1 %c_more.1, label %c_loop.1, label %c_done.1
              c_done.1:
              %acc_0_0.8 = phi <8 x float> [ %acc_0_0.5, %c_done ], [ %acc_0_0.7, %c_loop.1 ]
              %acc_0_1.8 = phi <8 x float> [ %acc_0_1.5, %c_done ], [ %acc_0_1.7, %c_loop.1 ]
              %acc_1_0.8 = phi <8 x float> [ %acc_1_0.5, %c_done ], [ %acc_1_0.7, %c_loop.1 ]
              %acc_1_1.8 = phi <8 x float> [ %acc_1_1.5, %c_done ], [ %acc_1_1.7, %c_loop.1 ]
              %s_next = add i64 %s, 1
              %s_more = icmp slt i64 %s_next, %k_s
              br i1 %s_more, label %s_loop, label %s_done
            s_done:
            %acc_0_0.9 = phi <8 x float> [ %acc_0_0, %r_loop ], [ %acc_0_0.8, %c_done.1 ]
            %acc_0_1.9 = phi <8 x float> [ %acc_0_1, %r_loop ], [ %acc_0_1.8, %c_done.1 ]
            %acc_1_0.9 = phi <8 x float> [ %acc_1_0, %r_loop ], [ %acc_1_0.8, %c_done.1 ]
            %acc_1_1.9 = phi <8 x float> [ %acc_1_1, %r_loop ], [ %acc_1_1.8, %c_done.1 ]
            %r_next = add i64 %r, 1
            %r_more = icmp slt i64 %r_next, %k_r
            br i1 %r_more, label %r_loop, label %r_done
          r_done:
          %acc_0_0.10 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_0.9, %s_done ]
          %acc_0_1.10 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_0_1.9, %s_done ]
          %acc_1_0.10 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_0.9, %s_done ]
          %acc_1_1.10 = phi <8 x float> [ zeroinitializer, %place_loop ], [ %acc_1_1.9, %s_done ]
          ; pixel_image = quotient(row0 + row, n_reciprocal) for each element of row_table
          %product.79 = mul i64 %row0, %multiplier
          %pixel_image_0 = lshr i64 %product.79, %shift
          %product.80 = mul i64 %index.42, %multiplier
          %pixel_image_1 = lshr i64 %product.80, %shift
          ; pixel = row0 + row - quotient(row0 + row, n_reciprocal) * n for each element of row_table
          %product.81 = mul i64 %pixel_image_0, %n
          %pixel_0 = sub i64 %row0, %product.81
          %product.82 = mul i64 %pixel_image_1, %n
          %index.84 = sub i64 %row0, %product.82
          %pixel_1 = add i64 %index.84, 1
          ; if row0 + 1 < items * n and column0 + 15 < m
          %holds.9 = icmp slt i64 %index.42, %product.4
          %both.6 = and i1 %holds.9, %holds.10
          br i1 %both.6, label %then.1, label %otherwise.1
          then.1:
            ; result = acc, in fp32
            ; out[pixel_image * out_image + column0 + column + pixel * out_column] = result, vector
            %product.83 = mul i64 %pixel_image_0, %out_image
            %product.84 = mul i64 %pixel_0, %out_column
            %index.86 = add i64 %product.83, %column0
            %index.87 = add i64 %index.86, %product.84
            %out_at_0_0 = getelementptr float, ptr %out, i64 %index.87
            store <8 x float> %acc_0_0.10, ptr %out_at_0_0, align 4
            %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
            store <8 x float> %acc_0_1.10, ptr %out_at_0_1, align 4
            %product.85 = mul i64 %pixel_image_1, %out_image
            %product.86 = mul i64 %pixel_1, %out_column
            %index.88 = add i64 %product.85, %column0
            %index.89 = add i64 %index.88, %product.86
            %out_at_1_0 = getelementptr float, ptr %out, i64 %index.89
            store <8 x float> %acc_1_0.10, ptr %out_at_1_0, align 4
            %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
            store <8 x float> %acc_1_1.10, ptr %out_at_1_1, align 4
            br label %joined.1
          otherwise.1:
            ; result = acc, in fp32
            ; out[pixel_image * out_image + column0 + column + pixel * out_column] = result, vector where row0 + row < items * n and column0 + column < m
            %holds.11 = icmp slt i64 %row0, %product.4
            %limit = sub i64 %m, %column0
            %lane0.3 = insertelement <8 x i64> poison, i64 %limit, i64 0
            %all.3 = shufflevector <8 x i64> %lane0.3, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.3
            %product.87 = mul i64 %pixel_image_0, %out_image
            %product.88 = mul i64 %pixel_0, %out_column
            %index.90 = add i64 %product.87, %column0
            %index.91 = add i64 %index.90, %product.88
            %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.91
            %lane0.4 = insertelement <8 x i1> poison, i1 %holds.11, i64 0
            %all.4 = shufflevector <8 x i1> %lane0.4, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.1 = and <8 x i1> %mask, %all.4
            call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.10, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.1)
            %mask.2 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.3
            %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
            %mask.3 = and <8 x i1> %mask.2, %all.4
            call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.10, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.3)
            %product.89 = mul i64 %pixel_image_1, %out_image
            %product.90 = mul i64 %pixel_1, %out_column
            %index.92 = add i64 %product.89, %column0
            %index.93 = add i64 %index.92, %product.90
            %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.93
            %lane0.5 = insertelement <8 x i1> poison, i1 %holds.9, i64 0
            %all.5 = shufflevector <8 x i1> %lane0.5, <8 x i1> poison, <8 x i32> zeroinitializer
            %mask.4 = and <8 x i1> %mask, %all.5
            call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.10, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.4)
            %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
            %mask.5 = and <8 x i1> %mask.2, %all.5
            call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.10, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.5)
            br label %joined.1
          joined.1:
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
