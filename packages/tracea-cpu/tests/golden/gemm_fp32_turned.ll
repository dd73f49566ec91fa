; tracea: matmul fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x8x2 s2 in-place
; schedule       bd7a732c345741687f1e4e285b8f6c074c3aecefb9fcbdc4fd18340e67b4455c
; certificate    19f03f6e584949c6df0d4add633576306eb35639120f415ad3ff586428ce8258:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; a: fp32, read, aligned to 4 bytes
; b: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_column: b: next column; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the rows of a part are cut into; 1 to 4611686018427387904
; acc: 2x8 of fp32 in 2 registers of 8 lanes
; b: 1x8 of fp32 in 1 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x8 of fp32 in 2 registers of 8 lanes
; packed: 1x8 of fp32 in 1 registers of 8 lanes
; square: 8x8 of fp32 in 8 registers of 8 lanes
; turned: 8x8 of fp32 in 8 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %a_word = getelementptr i64, ptr %arguments, i64 0
  %a = load ptr, ptr %a_word, align 8
  %b_word = getelementptr i64, ptr %arguments, i64 1
  %b = load ptr, ptr %b_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 2
  %out = load ptr, ptr %out_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 3
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 4
  %n = load i64, ptr %n_word, align 8
  %k_word = getelementptr i64, ptr %arguments, i64 5
  %k = load i64, ptr %k_word, align 8
  %a_row_word = getelementptr i64, ptr %arguments, i64 6
  %a_row = load i64, ptr %a_row_word, align 8
  %b_column_word = getelementptr i64, ptr %arguments, i64 7
  %b_column = load i64, ptr %b_column_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 8
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 9
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 10
  %column_splits = load i64, ptr %column_splits_word, align 8
  %row_blocks_word = getelementptr i64, ptr %arguments, i64 11
  %row_blocks = load i64, ptr %row_blocks_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 12
  %barrier = load ptr, ptr %barrier_word, align 8
  ; panels = (n + 7) // 8
  %index = add i64 %n, 7
  %panels = udiv i64 %index, 8
  ; row_tiles = (m + 1) // 2
  %index.1 = add i64 %m, 1
  %row_tiles = udiv i64 %index.1, 2
  ; row_groups = (m + 1) // 2
  ; k_groups = (k + 7) // 8
  %index.2 = add i64 %k, 7
  %k_groups = udiv i64 %index.2, 8
  ; k_rows = (k + 7) // 8 * 8
  %k_rows = mul i64 %k_groups, 8
  ; units = row_splits * column_splits
  %units = mul i64 %row_splits, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product = mul i64 %worker, %units
  %unit_first = udiv i64 %product, %workers
  %index.3 = add i64 %worker, 1
  %product.1 = mul i64 %index.3, %units
  %unit_stop = udiv i64 %product.1, %workers
  %product.2 = mul i64 %column_splits, %row_splits
  %index.10 = add i64 %m, -1
  %index.12 = add i64 %n, -1
  %lane0.1 = insertelement <8 x i64> poison, i64 %index.12, i64 0
  %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
  %lane0.2 = insertelement <8 x i64> poison, i64 %b_column, i64 0
  %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %k_block_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits % row_splits
    %quotient = udiv i64 %unit, %column_splits
    %split = urem i64 %quotient, %row_splits
    ; item = unit // (column_splits * row_splits)
    %item = udiv i64 %unit, %product.2
    ; first_panel = part * panels // column_splits
    %product.3 = mul i64 %part, %panels
    %first_panel = udiv i64 %product.3, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.4 = add i64 %part, 1
    %product.4 = mul i64 %index.4, %panels
    %last_panel = udiv i64 %product.4, %column_splits
    ; first_group = split * row_groups // row_splits
    %product.5 = mul i64 %split, %row_tiles
    %first_group = udiv i64 %product.5, %row_splits
    ; last_group = (split + 1) * row_groups // row_splits
    %index.5 = add i64 %split, 1
    %product.6 = mul i64 %index.5, %row_tiles
    %last_group = udiv i64 %product.6, %row_splits
    ; for k_block from 0 to 1
    %index.8 = sub i64 %last_group, %first_group
    br label %k_block_loop
    k_block_loop:
      %k_block = phi i64 [ 0, %unit_loop ], [ %k_block_next, %row_part_done ]
      ; k0 = k_block * k_groups * 8
      %product.7 = mul i64 %k_block, %k_groups
      %k0 = mul i64 %product.7, 8
      ; k_count = min((k_block + 1) * k_groups * 8, k) - k0
      %index.6 = add i64 %k_block, 1
      %product.8 = mul i64 %index.6, %k_groups
      %index.7 = mul i64 %product.8, 8
      %min = call i64 @llvm.smin.i64(i64 %index.7, i64 %k)
      %k_count = sub i64 %min, %k0
      ; for row_part from 0 to row_blocks
      %b_soon = getelementptr float, ptr %b, i64 %k0
      %a_at_0 = getelementptr float, ptr %a, i64 %k0
      %row_part_any = icmp slt i64 0, %row_blocks
      br i1 %row_part_any, label %row_part_loop, label %row_part_done
      row_part_loop:
        %row_part = phi i64 [ 0, %k_block_loop ], [ %row_part_next, %panel_done ]
        ; block_first = first_group + row_part * (last_group - first_group) // row_blocks
        %product.9 = mul i64 %row_part, %index.8
        %rest = srem i64 %product.9, %row_blocks
        %below = ashr i64 %rest, 63
        %quotient.1 = sdiv i64 %product.9, %row_blocks
        %quotient.2 = add i64 %quotient.1, %below
        %block_first = add i64 %first_group, %quotient.2
        ; block_last = first_group + (row_part + 1) * (last_group - first_group) // row_blocks
        %index.9 = add i64 %row_part, 1
        %product.10 = mul i64 %index.9, %index.8
        %rest.1 = srem i64 %product.10, %row_blocks
        %below.1 = ashr i64 %rest.1, 63
        %quotient.3 = sdiv i64 %product.10, %row_blocks
        %quotient.4 = add i64 %quotient.3, %below.1
        %block_last = add i64 %first_group, %quotient.4
        ; for panel from first_panel to last_panel
        %tile_stop = call i64 @llvm.smin.i64(i64 %block_last, i64 %row_tiles)
        %panel_any = icmp slt i64 %first_panel, %last_panel
        br i1 %panel_any, label %panel_loop, label %panel_done
        panel_loop:
          %panel = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %tile_done ]
          ; column0 = panel * 8
          %column0 = mul i64 %panel, 8
          ; for tile from block_first to min(block_last, row_tiles)
          %min.3 = call i64 @llvm.smin.i64(i64 %column0, i64 %index.12)
          %product.11 = mul i64 %min.3, %b_column
          %b_soon.1 = getelementptr float, ptr %b_soon, i64 %product.11
          %index.13 = add i64 %column0, 1
          %min.4 = call i64 @llvm.smin.i64(i64 %index.13, i64 %index.12)
          %product.12 = mul i64 %min.4, %b_column
          %b_soon.4 = getelementptr float, ptr %b_soon, i64 %product.12
          %index.14 = add i64 %column0, 2
          %min.5 = call i64 @llvm.smin.i64(i64 %index.14, i64 %index.12)
          %product.13 = mul i64 %min.5, %b_column
          %b_soon.7 = getelementptr float, ptr %b_soon, i64 %product.13
          %index.15 = add i64 %column0, 3
          %min.6 = call i64 @llvm.smin.i64(i64 %index.15, i64 %index.12)
          %product.14 = mul i64 %min.6, %b_column
          %b_soon.10 = getelementptr float, ptr %b_soon, i64 %product.14
          %index.16 = add i64 %column0, 4
          %min.7 = call i64 @llvm.smin.i64(i64 %index.16, i64 %index.12)
          %product.15 = mul i64 %min.7, %b_column
          %b_soon.13 = getelementptr float, ptr %b_soon, i64 %product.15
          %index.17 = add i64 %column0, 5
          %min.8 = call i64 @llvm.smin.i64(i64 %index.17, i64 %index.12)
          %product.16 = mul i64 %min.8, %b_column
          %b_soon.16 = getelementptr float, ptr %b_soon, i64 %product.16
          %index.18 = add i64 %column0, 6
          %min.9 = call i64 @llvm.smin.i64(i64 %index.18, i64 %index.12)
          %product.17 = mul i64 %min.9, %b_column
          %b_soon.19 = getelementptr float, ptr %b_soon, i64 %product.17
          %index.19 = add i64 %column0, 7
          %min.10 = call i64 @llvm.smin.i64(i64 %index.19, i64 %index.12)
          %product.18 = mul i64 %min.10, %b_column
          %b_soon.22 = getelementptr float, ptr %b_soon, i64 %product.18
          %lane0 = insertelement <8 x i64> poison, i64 %column0, i64 0
          %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
          %index.20 = add <8 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
          %min.11 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %index.20, <8 x i64> %all.1)
          %product.19 = mul <8 x i64> %min.11, %all.2
          %element = extractelement <8 x i64> %product.19, i64 0
          %element.1 = extractelement <8 x i64> %product.19, i64 1
          %element.2 = extractelement <8 x i64> %product.19, i64 2
          %element.3 = extractelement <8 x i64> %product.19, i64 3
          %element.4 = extractelement <8 x i64> %product.19, i64 4
          %element.5 = extractelement <8 x i64> %product.19, i64 5
          %element.6 = extractelement <8 x i64> %product.19, i64 6
          %element.7 = extractelement <8 x i64> %product.19, i64 7
          %holds.1 = icmp slt i64 %index.19, %n
          %tile_any = icmp slt i64 %block_first, %tile_stop
          br i1 %tile_any, label %tile_loop, label %tile_done
          tile_loop:
            %tile = phi i64 [ %block_first, %panel_loop ], [ %tile_next, %joined ]
            ; row0 = tile * 2
            %row0 = mul i64 %tile, 2
            ; a_base = min(row0 + row, m - 1) * a_row for each element of a
            %min.1 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.10)
            %a_base_0 = mul i64 %min.1, %a_row
            %index.11 = add i64 %row0, 1
            %min.2 = call i64 @llvm.smin.i64(i64 %index.11, i64 %index.10)
            %a_base_1 = mul i64 %min.2, %a_row
            ; acc = 0
            ; for kk from 0 to k_count // 8 * 8 by 8
            %rest.2 = srem i64 %k_count, 8
            %below.2 = ashr i64 %rest.2, 63
            %quotient.5 = sdiv i64 %k_count, 8
            %quotient.6 = add i64 %quotient.5, %below.2
            %a_at_0.1 = getelementptr float, ptr %a_at_0, i64 %a_base_0
            %a_at_1 = getelementptr float, ptr %a_at_0, i64 %a_base_1
            %kk_limit = mul i64 %quotient.6, 8
            %kk_any = icmp slt i64 0, %kk_limit
            br i1 %kk_any, label %kk_loop, label %kk_done
            kk_loop:
              %kk = phi i64 [ 0, %tile_loop ], [ %kk_next, %kk_loop ]
              %acc_0_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.8, %kk_loop ]
              %acc_1_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.8, %kk_loop ]
              ; b[k0 + kk + 256 + min(column0, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.2 = getelementptr float, ptr %b_soon.1, i64 %kk
              %b_soon.3 = getelementptr float, ptr %b_soon.2, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.3, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 1, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.5 = getelementptr float, ptr %b_soon.4, i64 %kk
              %b_soon.6 = getelementptr float, ptr %b_soon.5, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.6, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 2, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.8 = getelementptr float, ptr %b_soon.7, i64 %kk
              %b_soon.9 = getelementptr float, ptr %b_soon.8, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.9, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 3, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.11 = getelementptr float, ptr %b_soon.10, i64 %kk
              %b_soon.12 = getelementptr float, ptr %b_soon.11, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.12, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 4, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.14 = getelementptr float, ptr %b_soon.13, i64 %kk
              %b_soon.15 = getelementptr float, ptr %b_soon.14, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.15, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 5, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.17 = getelementptr float, ptr %b_soon.16, i64 %kk
              %b_soon.18 = getelementptr float, ptr %b_soon.17, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.18, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 6, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.20 = getelementptr float, ptr %b_soon.19, i64 %kk
              %b_soon.21 = getelementptr float, ptr %b_soon.20, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.21, i32 0, i32 2, i32 1)
              ; b[k0 + kk + 256 + min(column0 + 7, n - 1) * b_column] is read soon, in cache level 2
              %b_soon.23 = getelementptr float, ptr %b_soon.22, i64 %kk
              %b_soon.24 = getelementptr float, ptr %b_soon.23, i64 256
              call void @llvm.prefetch.p0(ptr %b_soon.24, i32 0, i32 2, i32 1)
              ; turned = b[k0 + kk + row + min(column0 + column, n - 1) * b_column], vector
              %turned_0_lower = load <4 x float>, ptr %b_soon.2, align 4
              %turned_0_upper_at = getelementptr <4 x float>, ptr %b_soon.2, i64 1
              %turned_0_upper = load <4 x float>, ptr %turned_0_upper_at, align 4
              %turned_1_lower = load <4 x float>, ptr %b_soon.5, align 4
              %turned_1_upper_at = getelementptr <4 x float>, ptr %b_soon.5, i64 1
              %turned_1_upper = load <4 x float>, ptr %turned_1_upper_at, align 4
              %turned_2_lower = load <4 x float>, ptr %b_soon.8, align 4
              %turned_2_upper_at = getelementptr <4 x float>, ptr %b_soon.8, i64 1
              %turned_2_upper = load <4 x float>, ptr %turned_2_upper_at, align 4
              %turned_3_lower = load <4 x float>, ptr %b_soon.11, align 4
              %turned_3_upper_at = getelementptr <4 x float>, ptr %b_soon.11, i64 1
              %turned_3_upper = load <4 x float>, ptr %turned_3_upper_at, align 4
              %turned_4_lower = load <4 x float>, ptr %b_soon.14, align 4
              %turned_4_upper_at = getelementptr <4 x float>, ptr %b_soon.14, i64 1
              %turned_4_upper = load <4 x float>, ptr %turned_4_upper_at, align 4
              %turned_5_lower = load <4 x float>, ptr %b_soon.17, align 4
              %turned_5_upper_at = getelementptr <4 x float>, ptr %b_soon.17, i64 1
              %turned_5_upper = load <4 x float>, ptr %turned_5_upper_at, align 4
              %turned_6_lower = load <4 x float>, ptr %b_soon.20, align 4
              %turned_6_upper_at = getelementptr <4 x float>, ptr %b_soon.20, i64 1
              %turned_6_upper = load <4 x float>, ptr %turned_6_upper_at, align 4
              %turned_7_lower = load <4 x float>, ptr %b_soon.23, align 4
              %turned_7_upper_at = getelementptr <4 x float>, ptr %b_soon.23, i64 1
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
              ; b = the part of square at (0, 0)
              ; a = a[a_base + k0 + kk], broadcast
              %a_at_0.2 = getelementptr float, ptr %a_at_0.1, i64 %kk
              %a_0_one = load float, ptr %a_at_0.2, align 4
              %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
              %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.1 = getelementptr float, ptr %a_at_1, i64 %kk
              %a_1_one = load float, ptr %a_at_1.1, align 4
              %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
              %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %turned.10, <8 x float> %acc_0_0)
              %acc_1_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %turned.10, <8 x float> %acc_1_0)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (1, 0)
              ; a = a[a_base + k0 + kk + 1], broadcast
              %a_at_0.3 = getelementptr float, ptr %a_at_0.2, i64 1
              %a_0_one.1 = load float, ptr %a_at_0.3, align 4
              %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
              %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.2 = getelementptr float, ptr %a_at_1.1, i64 1
              %a_1_one.1 = load float, ptr %a_at_1.2, align 4
              %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
              %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %turned.11, <8 x float> %acc_0_0.1)
              %acc_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %turned.11, <8 x float> %acc_1_0.1)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (2, 0)
              ; a = a[a_base + k0 + kk + 2], broadcast
              %a_at_0.4 = getelementptr float, ptr %a_at_0.2, i64 2
              %a_0_one.2 = load float, ptr %a_at_0.4, align 4
              %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
              %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.3 = getelementptr float, ptr %a_at_1.1, i64 2
              %a_1_one.2 = load float, ptr %a_at_1.3, align 4
              %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
              %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %turned.14, <8 x float> %acc_0_0.2)
              %acc_1_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %turned.14, <8 x float> %acc_1_0.2)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (3, 0)
              ; a = a[a_base + k0 + kk + 3], broadcast
              %a_at_0.5 = getelementptr float, ptr %a_at_0.2, i64 3
              %a_0_one.3 = load float, ptr %a_at_0.5, align 4
              %a_0_lane0.3 = insertelement <8 x float> poison, float %a_0_one.3, i64 0
              %a_0.3 = shufflevector <8 x float> %a_0_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.4 = getelementptr float, ptr %a_at_1.1, i64 3
              %a_1_one.3 = load float, ptr %a_at_1.4, align 4
              %a_1_lane0.3 = insertelement <8 x float> poison, float %a_1_one.3, i64 0
              %a_1.3 = shufflevector <8 x float> %a_1_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.3, <8 x float> %turned.15, <8 x float> %acc_0_0.3)
              %acc_1_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.3, <8 x float> %turned.15, <8 x float> %acc_1_0.3)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (4, 0)
              ; a = a[a_base + k0 + kk + 4], broadcast
              %a_at_0.6 = getelementptr float, ptr %a_at_0.2, i64 4
              %a_0_one.4 = load float, ptr %a_at_0.6, align 4
              %a_0_lane0.4 = insertelement <8 x float> poison, float %a_0_one.4, i64 0
              %a_0.4 = shufflevector <8 x float> %a_0_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.5 = getelementptr float, ptr %a_at_1.1, i64 4
              %a_1_one.4 = load float, ptr %a_at_1.5, align 4
              %a_1_lane0.4 = insertelement <8 x float> poison, float %a_1_one.4, i64 0
              %a_1.4 = shufflevector <8 x float> %a_1_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.4, <8 x float> %turned.18, <8 x float> %acc_0_0.4)
              %acc_1_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.4, <8 x float> %turned.18, <8 x float> %acc_1_0.4)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (5, 0)
              ; a = a[a_base + k0 + kk + 5], broadcast
              %a_at_0.7 = getelementptr float, ptr %a_at_0.2, i64 5
              %a_0_one.5 = load float, ptr %a_at_0.7, align 4
              %a_0_lane0.5 = insertelement <8 x float> poison, float %a_0_one.5, i64 0
              %a_0.5 = shufflevector <8 x float> %a_0_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.6 = getelementptr float, ptr %a_at_1.1, i64 5
              %a_1_one.5 = load float, ptr %a_at_1.6, align 4
              %a_1_lane0.5 = insertelement <8 x float> poison, float %a_1_one.5, i64 0
              %a_1.5 = shufflevector <8 x float> %a_1_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.5, <8 x float> %turned.19, <8 x float> %acc_0_0.5)
              %acc_1_0.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.5, <8 x float> %turned.19, <8 x float> %acc_1_0.5)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (6, 0)
              ; a = a[a_base + k0 + kk + 6], broadcast
              %a_at_0.8 = getelementptr float, ptr %a_at_0.2, i64 6
              %a_0_one.6 = load float, ptr %a_at_0.8, align 4
              %a_0_lane0.6 = insertelement <8 x float> poison, float %a_0_one.6, i64 0
              %a_0.6 = shufflevector <8 x float> %a_0_lane0.6, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.7 = getelementptr float, ptr %a_at_1.1, i64 6
              %a_1_one.6 = load float, ptr %a_at_1.7, align 4
              %a_1_lane0.6 = insertelement <8 x float> poison, float %a_1_one.6, i64 0
              %a_1.6 = shufflevector <8 x float> %a_1_lane0.6, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.6, <8 x float> %turned.22, <8 x float> %acc_0_0.6)
              %acc_1_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.6, <8 x float> %turned.22, <8 x float> %acc_1_0.6)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; b = the part of square at (7, 0)
              ; a = a[a_base + k0 + kk + 7], broadcast
              %a_at_0.9 = getelementptr float, ptr %a_at_0.2, i64 7
              %a_0_one.7 = load float, ptr %a_at_0.9, align 4
              %a_0_lane0.7 = insertelement <8 x float> poison, float %a_0_one.7, i64 0
              %a_0.7 = shufflevector <8 x float> %a_0_lane0.7, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.8 = getelementptr float, ptr %a_at_1.1, i64 7
              %a_1_one.7 = load float, ptr %a_at_1.8, align 4
              %a_1_lane0.7 = insertelement <8 x float> poison, float %a_1_one.7, i64 0
              %a_1.7 = shufflevector <8 x float> %a_1_lane0.7, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.7, <8 x float> %turned.23, <8 x float> %acc_0_0.7)
              %acc_1_0.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.7, <8 x float> %turned.23, <8 x float> %acc_1_0.7)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              %kk_next = add i64 %kk, 8
              %kk_more = icmp slt i64 %kk_next, %kk_limit
              br i1 %kk_more, label %kk_loop, label %kk_done
            kk_done:
            %acc_0_0.9 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.8, %kk_loop ]
            %acc_1_0.9 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.8, %kk_loop ]
            ; for kk from k_count // 8 * 8 to k_count
            %kk_any.1 = icmp slt i64 %kk_limit, %k_count
            br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
            kk_loop.1:
              %kk.1 = phi i64 [ %kk_limit, %kk_done ], [ %kk_next.1, %kk_loop.1 ]
              %acc_0_0.10 = phi <8 x float> [ %acc_0_0.9, %kk_done ], [ %acc_0_0.11, %kk_loop.1 ]
              %acc_1_0.10 = phi <8 x float> [ %acc_1_0.9, %kk_done ], [ %acc_1_0.11, %kk_loop.1 ]
              ; b = b[k0 + kk + min(column0 + column, n - 1) * b_column], gather
              %b_at_0 = getelementptr float, ptr %b_soon, i64 %kk.1
              %lane_at = getelementptr float, ptr %b_at_0, i64 %element
              %lane_at.1 = getelementptr float, ptr %b_at_0, i64 %element.1
              %lane_at.2 = getelementptr float, ptr %b_at_0, i64 %element.2
              %lane_at.3 = getelementptr float, ptr %b_at_0, i64 %element.3
              %lane_at.4 = getelementptr float, ptr %b_at_0, i64 %element.4
              %lane_at.5 = getelementptr float, ptr %b_at_0, i64 %element.5
              %lane_at.6 = getelementptr float, ptr %b_at_0, i64 %element.6
              %lane_at.7 = getelementptr float, ptr %b_at_0, i64 %element.7
              %b_0_one = load float, ptr %lane_at, align 4
              %b_0 = insertelement <8 x float> poison, float %b_0_one, i64 0
              %b_0_one.1 = load float, ptr %lane_at.1, align 4
              %b_0.1 = insertelement <8 x float> %b_0, float %b_0_one.1, i64 1
              %b_0_one.2 = load float, ptr %lane_at.2, align 4
              %b_0.2 = insertelement <8 x float> %b_0.1, float %b_0_one.2, i64 2
              %b_0_one.3 = load float, ptr %lane_at.3, align 4
              %b_0.3 = insertelement <8 x float> %b_0.2, float %b_0_one.3, i64 3
              %b_0_one.4 = load float, ptr %lane_at.4, align 4
              %b_0.4 = insertelement <8 x float> %b_0.3, float %b_0_one.4, i64 4
              %b_0_one.5 = load float, ptr %lane_at.5, align 4
              %b_0.5 = insertelement <8 x float> %b_0.4, float %b_0_one.5, i64 5
              %b_0_one.6 = load float, ptr %lane_at.6, align 4
              %b_0.6 = insertelement <8 x float> %b_0.5, float %b_0_one.6, i64 6
              %b_0_one.7 = load float, ptr %lane_at.7, align 4
              %b_0.7 = insertelement <8 x float> %b_0.6, float %b_0_one.7, i64 7
              ; a = a[a_base + k0 + kk], broadcast
              %a_at_0.10 = getelementptr float, ptr %a_at_0.1, i64 %kk.1
              %a_0_one.8 = load float, ptr %a_at_0.10, align 4
              %a_0_lane0.8 = insertelement <8 x float> poison, float %a_0_one.8, i64 0
              %a_0.8 = shufflevector <8 x float> %a_0_lane0.8, <8 x float> poison, <8 x i32> zeroinitializer
              %a_at_1.9 = getelementptr float, ptr %a_at_1, i64 %kk.1
              %a_1_one.8 = load float, ptr %a_at_1.9, align 4
              %a_1_lane0.8 = insertelement <8 x float> poison, float %a_1_one.8, i64 0
              %a_1.8 = shufflevector <8 x float> %a_1_lane0.8, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x1x8_fp32
              %acc_0_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.8, <8 x float> %b_0.7, <8 x float> %acc_0_0.10)
              %acc_1_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.8, <8 x float> %b_0.7, <8 x float> %acc_1_0.10)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              %kk_next.1 = add i64 %kk.1, 1
              %kk_more.1 = icmp slt i64 %kk_next.1, %k_count
              br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
            kk_done.1:
            %acc_0_0.12 = phi <8 x float> [ %acc_0_0.9, %kk_done ], [ %acc_0_0.11, %kk_loop.1 ]
            %acc_1_0.12 = phi <8 x float> [ %acc_1_0.9, %kk_done ], [ %acc_1_0.11, %kk_loop.1 ]
            ; if row0 + 1 < m and column0 + 7 < n
            %holds = icmp slt i64 %index.11, %m
            %both = and i1 %holds, %holds.1
            br i1 %both, label %then, label %otherwise
            then:
              ; result = acc, in fp32
              ; out[(row0 + row) * out_row + column0 + column] = result, vector
              %product.20 = mul i64 %row0, %out_row
              %index.21 = add i64 %product.20, %column0
              %out_at_0_0 = getelementptr float, ptr %out, i64 %index.21
              store <8 x float> %acc_0_0.12, ptr %out_at_0_0, align 4
              %product.21 = mul i64 %index.11, %out_row
              %index.22 = add i64 %product.21, %column0
              %out_at_1_0 = getelementptr float, ptr %out, i64 %index.22
              store <8 x float> %acc_1_0.12, ptr %out_at_1_0, align 4
              br label %joined
            otherwise:
              ; result = acc, in fp32
              ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
              %holds.2 = icmp slt i64 %row0, %m
              %limit = sub i64 %n, %column0
              %lane0.3 = insertelement <8 x i64> poison, i64 %limit, i64 0
              %all.3 = shufflevector <8 x i64> %lane0.3, <8 x i64> poison, <8 x i32> zeroinitializer
              %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.3
              %product.22 = mul i64 %row0, %out_row
              %index.23 = add i64 %product.22, %column0
              %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.23
              %lane0.4 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
              %all.4 = shufflevector <8 x i1> %lane0.4, <8 x i1> poison, <8 x i32> zeroinitializer
              %mask.1 = and <8 x i1> %mask, %all.4
              call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.12, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.1)
              %product.23 = mul i64 %index.11, %out_row
              %index.24 = add i64 %product.23, %column0
              %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.24
              %lane0.5 = insertelement <8 x i1> poison, i1 %holds, i64 0
              %all.5 = shufflevector <8 x i1> %lane0.5, <8 x i1> poison, <8 x i32> zeroinitializer
              %mask.2 = and <8 x i1> %mask, %all.5
              call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.12, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.2)
              br label %joined
            joined:
            %tile_next = add i64 %tile, 1
            %tile_more = icmp slt i64 %tile_next, %tile_stop
            br i1 %tile_more, label %tile_loop, label %tile_done
          tile_done:
          %panel_next = add i64 %panel, 1
          %panel_more = icmp slt i64 %panel_next, %last_panel
          br i1 %panel_more, label %panel_loop, label %panel_done
        panel_done:
        %row_part_next = add i64 %row_part, 1
        %row_part_more = icmp slt i64 %row_part_next, %row_blocks
        br i1 %row_part_more, label %row_part_loop, label %row_part_done
      row_part_done:
      %k_block_next = add i64 %k_block, 1
      %k_block_more = icmp slt i64 %k_block_next, 1
      br i1 %k_block_more, label %k_block_loop, label %k_block_done
    k_block_done:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
