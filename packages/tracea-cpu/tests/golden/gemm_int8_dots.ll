; tracea: matmul int8 -> int32
; variant        cpu.contraction.dots for x86-64-v4
; configuration  3x32x2 s1 w1
; schedule       ff51161d2d9e5f6f084d8b4716641bb853f2c59624e5980fe340d72ff0937a55
; certificate    ef92b334935d6967fb985888f6c619cf2ecc750a02e6a18a256a491ca0ef4d0d:

declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr, i32, <16 x i1>, <16 x i8>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, i32, <16 x i1>)

; a: int8, read, aligned to 1 bytes
; b: int8, read, aligned to 1 bytes
; out: int32, write, aligned to 4 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
; panels_of_b: panel of uint8, column 32 = 32*4, part 4 = 4*1, ((n + 31) // 32 + column_splits - 1) // column_splits * ((k + 63) // 64) * 16 times, kept for a tile_column, aligned to 64 bytes
; sums_of_rows: panel of int32, row 3 = 3*16, lane 16 = 16*1, kept for a tile, aligned to 64 bytes
; sums: 3x32 of int32 in 6 registers of 16 lanes
; a: 3x4 of int8 in 12 registers of 16 lanes
; b: 4x32 of uint8 in 8 registers of 16 lanes
; packed: 4x32 of uint8 in 8 registers of 16 lanes
; raw: 4x32 of int8 in 8 registers of 16 lanes
; row_sums: 3x16 of int32 in 3 registers of 16 lanes
; row_sum: 3x1 of int32 in 3 registers of 16 lanes
; row_ones: 1x4 of uint8 in 4 registers of 16 lanes
; row_step: 4x16 of int8 in 4 registers of 16 lanes
; row_lanes0: 1x16 of int32 in 1 registers of 16 lanes
; row_lanes1: 1x16 of int32 in 1 registers of 16 lanes
; row_lanes2: 1x16 of int32 in 1 registers of 16 lanes
; ones: 4x16 of uint8 in 4 registers of 16 lanes
; result: 3x32 of int32 in 6 registers of 16 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="skylake-avx512" {
  entry:
  %fill_int8 = alloca i8
  store i8 0, ptr %fill_int8
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
  %b_row_word = getelementptr i64, ptr %arguments, i64 7
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 8
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 9
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 10
  %column_splits = load i64, ptr %column_splits_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 11
  %barrier = load ptr, ptr %barrier_word, align 8
  %panels_of_b_of_all_word = getelementptr i64, ptr %arguments, i64 12
  %panels_of_b_of_all = load ptr, ptr %panels_of_b_of_all_word, align 8
  %index = add i64 %n, 31
  %quotient = udiv i64 %index, 32
  %index.1 = add i64 %quotient, %column_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %column_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %column_splits
  %quotient.2 = add i64 %quotient.1, %below
  %index.3 = add i64 %k, 63
  %quotient.3 = udiv i64 %index.3, 64
  %product = mul i64 %quotient.2, %quotient.3
  %index.4 = mul i64 %product, 2048
  %index.5 = add i64 %index.4, 63
  %rest.1 = srem i64 %index.5, 64
  %below.1 = ashr i64 %rest.1, 63
  %quotient.4 = sdiv i64 %index.5, 64
  %quotient.5 = add i64 %quotient.4, %below.1
  %panels_of_b_bytes = mul i64 %quotient.5, 64
  %panels_of_b_own = mul i64 %worker, %panels_of_b_bytes
  %panels_of_b = getelementptr i8, ptr %panels_of_b_of_all, i64 %panels_of_b_own
  %sums_of_rows_of_all_word = getelementptr i64, ptr %arguments, i64 13
  %sums_of_rows_of_all = load ptr, ptr %sums_of_rows_of_all_word, align 8
  %sums_of_rows_own = mul i64 %worker, 192
  %sums_of_rows = getelementptr i8, ptr %sums_of_rows_of_all, i64 %sums_of_rows_own
  ; panels = (n + 31) // 32
  ; row_tiles = (m + 2) // 3
  %index.6 = add i64 %m, 2
  %row_tiles = udiv i64 %index.6, 3
  ; k_steps = (k + 63) // 64
  ; units = row_splits * column_splits
  %units = mul i64 %row_splits, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.1 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.1, %workers
  %index.7 = add i64 %worker, 1
  %product.2 = mul i64 %index.7, %units
  %unit_stop = udiv i64 %product.2, %workers
  %product.3 = mul i64 %column_splits, %row_splits
  %index.39 = add i64 %m, -1
  %sums_of_rows_at_0 = getelementptr i32, ptr %sums_of_rows, i64 16
  %sums_of_rows_at_0.1 = getelementptr i32, ptr %sums_of_rows, i64 32
  %index.45 = add i64 %k, 3
  %index.52 = mul i64 %quotient.3, 16
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %tile_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits % row_splits
    %quotient.6 = udiv i64 %unit, %column_splits
    %split = urem i64 %quotient.6, %row_splits
    ; item = unit // (column_splits * row_splits)
    %item = udiv i64 %unit, %product.3
    ; first_panel = part * panels // column_splits
    %product.4 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.4, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.8 = add i64 %part, 1
    %product.5 = mul i64 %index.8, %quotient
    %last_panel = udiv i64 %product.5, %column_splits
    ; for panel from first_panel to last_panel
    %panel_any = icmp slt i64 %first_panel, %last_panel
    br i1 %panel_any, label %panel_loop, label %panel_done
    panel_loop:
      %panel = phi i64 [ %first_panel, %unit_loop ], [ %panel_next, %joined ]
      ; if panel * 32 + 31 < n
      %index.9 = mul i64 %panel, 32
      %index.10 = add i64 %index.9, 31
      %holds = icmp slt i64 %index.10, %n
      br i1 %holds, label %then, label %otherwise
      then:
        ; for k_group from 0 to k // 4
        %k_group_stop = udiv i64 %k, 4
        %b_at_0_0 = getelementptr i8, ptr %b, i64 %index.9
        %index.15 = sub i64 %panel, %first_panel
        %index.16 = mul i64 %quotient.3, 16
        %product.10 = mul i64 %index.15, %index.16
        %index.17 = mul i64 %product.10, 128
        %panels_of_b_at_0_0 = getelementptr i8, ptr %panels_of_b, i64 %index.17
        %k_group_any = icmp slt i64 0, %k_group_stop
        br i1 %k_group_any, label %k_group_loop, label %k_group_done
        k_group_loop:
          %k_group = phi i64 [ 0, %then ], [ %k_group_next, %k_group_loop ]
          ; raw = b[(k_group * 4 + row) * b_row + panel * 32 + column], vector
          %index.11 = mul i64 %k_group, 4
          %product.6 = mul i64 %index.11, %b_row
          %b_at_0_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.6
          %raw_0_0 = load <16 x i8>, ptr %b_at_0_0.1, align 1
          %index.12 = add i64 %index.11, 1
          %product.7 = mul i64 %index.12, %b_row
          %b_at_1_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.7
          %raw_1_0 = load <16 x i8>, ptr %b_at_1_0, align 1
          %index.13 = add i64 %index.11, 2
          %product.8 = mul i64 %index.13, %b_row
          %b_at_2_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.8
          %raw_2_0 = load <16 x i8>, ptr %b_at_2_0, align 1
          %index.14 = add i64 %index.11, 3
          %product.9 = mul i64 %index.14, %b_row
          %b_at_3_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.9
          %raw_3_0 = load <16 x i8>, ptr %b_at_3_0, align 1
          %b_at_0_1 = getelementptr i8, ptr %b_at_0_0.1, i64 16
          %raw_0_1 = load <16 x i8>, ptr %b_at_0_1, align 1
          %b_at_1_1 = getelementptr i8, ptr %b_at_1_0, i64 16
          %raw_1_1 = load <16 x i8>, ptr %b_at_1_1, align 1
          %b_at_2_1 = getelementptr i8, ptr %b_at_2_0, i64 16
          %raw_2_1 = load <16 x i8>, ptr %b_at_2_1, align 1
          %b_at_3_1 = getelementptr i8, ptr %b_at_3_0, i64 16
          %raw_3_1 = load <16 x i8>, ptr %b_at_3_1, align 1
          ; packed = raw + 128, in int32
          %packed_0_0 = xor <16 x i8> %raw_0_0, splat (i8 -128)
          %packed_1_0 = xor <16 x i8> %raw_1_0, splat (i8 -128)
          %packed_2_0 = xor <16 x i8> %raw_2_0, splat (i8 -128)
          %packed_3_0 = xor <16 x i8> %raw_3_0, splat (i8 -128)
          %packed_0_1 = xor <16 x i8> %raw_0_1, splat (i8 -128)
          %packed_1_1 = xor <16 x i8> %raw_1_1, splat (i8 -128)
          %packed_2_1 = xor <16 x i8> %raw_2_1, splat (i8 -128)
          %packed_3_1 = xor <16 x i8> %raw_3_1, splat (i8 -128)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.18 = mul i64 %k_group, 128
          %panels_of_b_at_0_0.1 = getelementptr i8, ptr %panels_of_b_at_0_0, i64 %index.18
          %packed_pairs = shufflevector <16 x i8> %packed_0_0, <16 x i8> %packed_2_0, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.1 = shufflevector <16 x i8> %packed_1_0, <16 x i8> %packed_3_0, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.2 = shufflevector <32 x i8> %packed_pairs, <32 x i8> %packed_pairs.1, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words = bitcast <64 x i8> %packed_pairs.2 to <16 x i32>
          store <16 x i32> %packed_words, ptr %panels_of_b_at_0_0.1, align 64
          %panels_of_b_at_0_1 = getelementptr i8, ptr %panels_of_b_at_0_0.1, i64 64
          %packed_pairs.3 = shufflevector <16 x i8> %packed_0_1, <16 x i8> %packed_2_1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.4 = shufflevector <16 x i8> %packed_1_1, <16 x i8> %packed_3_1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.5 = shufflevector <32 x i8> %packed_pairs.3, <32 x i8> %packed_pairs.4, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.1 = bitcast <64 x i8> %packed_pairs.5 to <16 x i32>
          store <16 x i32> %packed_words.1, ptr %panels_of_b_at_0_1, align 64
          %k_group_next = add i64 %k_group, 1
          %k_group_more = icmp slt i64 %k_group_next, %k_group_stop
          br i1 %k_group_more, label %k_group_loop, label %k_group_done
        k_group_done:
        ; for k_group from k // 4 to k_steps * 16
        %k_group_any.1 = icmp slt i64 %k_group_stop, %index.16
        br i1 %k_group_any.1, label %k_group_loop.1, label %k_group_done.1
        k_group_loop.1:
          %k_group.1 = phi i64 [ %k_group_stop, %k_group_done ], [ %k_group_next.1, %k_group_loop.1 ]
          ; raw = b[(k_group * 4 + row) * b_row + panel * 32 + column], vector where k_group * 4 + row < k, else 0
          %index.19 = mul i64 %k_group.1, 4
          %holds.1 = icmp slt i64 %index.19, %k
          %product.11 = mul i64 %index.19, %b_row
          %b_at_0_0.2 = getelementptr i8, ptr %b_at_0_0, i64 %product.11
          %lane0 = insertelement <16 x i1> poison, i1 %holds.1, i64 0
          %all = shufflevector <16 x i1> %lane0, <16 x i1> poison, <16 x i32> zeroinitializer
          %raw_0_0.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_0.2, i32 1, <16 x i1> %all, <16 x i8> zeroinitializer)
          %index.20 = add i64 %index.19, 1
          %holds.2 = icmp slt i64 %index.20, %k
          %product.12 = mul i64 %index.20, %b_row
          %b_at_1_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.12
          %lane0.1 = insertelement <16 x i1> poison, i1 %holds.2, i64 0
          %all.1 = shufflevector <16 x i1> %lane0.1, <16 x i1> poison, <16 x i32> zeroinitializer
          %raw_1_0.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_0.1, i32 1, <16 x i1> %all.1, <16 x i8> zeroinitializer)
          %index.21 = add i64 %index.19, 2
          %holds.3 = icmp slt i64 %index.21, %k
          %product.13 = mul i64 %index.21, %b_row
          %b_at_2_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.13
          %lane0.2 = insertelement <16 x i1> poison, i1 %holds.3, i64 0
          %all.2 = shufflevector <16 x i1> %lane0.2, <16 x i1> poison, <16 x i32> zeroinitializer
          %raw_2_0.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_0.1, i32 1, <16 x i1> %all.2, <16 x i8> zeroinitializer)
          %index.22 = add i64 %index.19, 3
          %holds.4 = icmp slt i64 %index.22, %k
          %product.14 = mul i64 %index.22, %b_row
          %b_at_3_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.14
          %lane0.3 = insertelement <16 x i1> poison, i1 %holds.4, i64 0
          %all.3 = shufflevector <16 x i1> %lane0.3, <16 x i1> poison, <16 x i32> zeroinitializer
          %raw_3_0.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_0.1, i32 1, <16 x i1> %all.3, <16 x i8> zeroinitializer)
          %b_at_0_1.1 = getelementptr i8, ptr %b_at_0_0.2, i64 16
          %raw_0_1.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_1.1, i32 1, <16 x i1> %all, <16 x i8> zeroinitializer)
          %b_at_1_1.1 = getelementptr i8, ptr %b_at_1_0.1, i64 16
          %raw_1_1.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_1.1, i32 1, <16 x i1> %all.1, <16 x i8> zeroinitializer)
          %b_at_2_1.1 = getelementptr i8, ptr %b_at_2_0.1, i64 16
          %raw_2_1.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_1.1, i32 1, <16 x i1> %all.2, <16 x i8> zeroinitializer)
          %b_at_3_1.1 = getelementptr i8, ptr %b_at_3_0.1, i64 16
          %raw_3_1.1 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_1.1, i32 1, <16 x i1> %all.3, <16 x i8> zeroinitializer)
          ; packed = raw + 128, in int32
          %packed_0_0.1 = xor <16 x i8> %raw_0_0.1, splat (i8 -128)
          %packed_1_0.1 = xor <16 x i8> %raw_1_0.1, splat (i8 -128)
          %packed_2_0.1 = xor <16 x i8> %raw_2_0.1, splat (i8 -128)
          %packed_3_0.1 = xor <16 x i8> %raw_3_0.1, splat (i8 -128)
          %packed_0_1.1 = xor <16 x i8> %raw_0_1.1, splat (i8 -128)
          %packed_1_1.1 = xor <16 x i8> %raw_1_1.1, splat (i8 -128)
          %packed_2_1.1 = xor <16 x i8> %raw_2_1.1, splat (i8 -128)
          %packed_3_1.1 = xor <16 x i8> %raw_3_1.1, splat (i8 -128)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.23 = mul i64 %k_group.1, 128
          %panels_of_b_at_0_0.2 = getelementptr i8, ptr %panels_of_b_at_0_0, i64 %index.23
          %packed_pairs.6 = shufflevector <16 x i8> %packed_0_0.1, <16 x i8> %packed_2_0.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.7 = shufflevector <16 x i8> %packed_1_0.1, <16 x i8> %packed_3_0.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.8 = shufflevector <32 x i8> %packed_pairs.6, <32 x i8> %packed_pairs.7, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.2 = bitcast <64 x i8> %packed_pairs.8 to <16 x i32>
          store <16 x i32> %packed_words.2, ptr %panels_of_b_at_0_0.2, align 64
          %panels_of_b_at_0_1.1 = getelementptr i8, ptr %panels_of_b_at_0_0.2, i64 64
          %packed_pairs.9 = shufflevector <16 x i8> %packed_0_1.1, <16 x i8> %packed_2_1.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.10 = shufflevector <16 x i8> %packed_1_1.1, <16 x i8> %packed_3_1.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.11 = shufflevector <32 x i8> %packed_pairs.9, <32 x i8> %packed_pairs.10, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.3 = bitcast <64 x i8> %packed_pairs.11 to <16 x i32>
          store <16 x i32> %packed_words.3, ptr %panels_of_b_at_0_1.1, align 64
          %k_group_next.1 = add i64 %k_group.1, 1
          %k_group_more.1 = icmp slt i64 %k_group_next.1, %index.16
          br i1 %k_group_more.1, label %k_group_loop.1, label %k_group_done.1
        k_group_done.1:
        br label %joined
      otherwise:
        ; for k_group from 0 to k // 4
        %k_group_stop.1 = udiv i64 %k, 4
        %index.24 = mul i64 %panel, -32
        %limit = add i64 %n, %index.24
        %lane0.4 = insertelement <16 x i64> poison, i64 %limit, i64 0
        %all.4 = shufflevector <16 x i64> %lane0.4, <16 x i64> poison, <16 x i32> zeroinitializer
        %mask = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.4
        %b_at_0_0.3 = getelementptr i8, ptr %b, i64 %index.9
        %mask.1 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.4
        %index.29 = sub i64 %panel, %first_panel
        %index.30 = mul i64 %quotient.3, 16
        %product.19 = mul i64 %index.29, %index.30
        %index.31 = mul i64 %product.19, 128
        %panels_of_b_at_0_0.3 = getelementptr i8, ptr %panels_of_b, i64 %index.31
        %k_group_any.2 = icmp slt i64 0, %k_group_stop.1
        br i1 %k_group_any.2, label %k_group_loop.2, label %k_group_done.2
        k_group_loop.2:
          %k_group.2 = phi i64 [ 0, %otherwise ], [ %k_group_next.2, %k_group_loop.2 ]
          ; raw = b[(k_group * 4 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n, else 0
          %index.25 = mul i64 %k_group.2, 4
          %product.15 = mul i64 %index.25, %b_row
          %b_at_0_0.4 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.15
          %raw_0_0.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_0.4, i32 1, <16 x i1> %mask, <16 x i8> zeroinitializer)
          %index.26 = add i64 %index.25, 1
          %product.16 = mul i64 %index.26, %b_row
          %b_at_1_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.16
          %raw_1_0.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_0.2, i32 1, <16 x i1> %mask, <16 x i8> zeroinitializer)
          %index.27 = add i64 %index.25, 2
          %product.17 = mul i64 %index.27, %b_row
          %b_at_2_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.17
          %raw_2_0.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_0.2, i32 1, <16 x i1> %mask, <16 x i8> zeroinitializer)
          %index.28 = add i64 %index.25, 3
          %product.18 = mul i64 %index.28, %b_row
          %b_at_3_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.18
          %raw_3_0.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_0.2, i32 1, <16 x i1> %mask, <16 x i8> zeroinitializer)
          %b_at_0_1.2 = getelementptr i8, ptr %b_at_0_0.4, i64 16
          %raw_0_1.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_1.2, i32 1, <16 x i1> %mask.1, <16 x i8> zeroinitializer)
          %b_at_1_1.2 = getelementptr i8, ptr %b_at_1_0.2, i64 16
          %raw_1_1.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_1.2, i32 1, <16 x i1> %mask.1, <16 x i8> zeroinitializer)
          %b_at_2_1.2 = getelementptr i8, ptr %b_at_2_0.2, i64 16
          %raw_2_1.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_1.2, i32 1, <16 x i1> %mask.1, <16 x i8> zeroinitializer)
          %b_at_3_1.2 = getelementptr i8, ptr %b_at_3_0.2, i64 16
          %raw_3_1.2 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_1.2, i32 1, <16 x i1> %mask.1, <16 x i8> zeroinitializer)
          ; packed = raw + 128, in int32
          %packed_0_0.2 = xor <16 x i8> %raw_0_0.2, splat (i8 -128)
          %packed_1_0.2 = xor <16 x i8> %raw_1_0.2, splat (i8 -128)
          %packed_2_0.2 = xor <16 x i8> %raw_2_0.2, splat (i8 -128)
          %packed_3_0.2 = xor <16 x i8> %raw_3_0.2, splat (i8 -128)
          %packed_0_1.2 = xor <16 x i8> %raw_0_1.2, splat (i8 -128)
          %packed_1_1.2 = xor <16 x i8> %raw_1_1.2, splat (i8 -128)
          %packed_2_1.2 = xor <16 x i8> %raw_2_1.2, splat (i8 -128)
          %packed_3_1.2 = xor <16 x i8> %raw_3_1.2, splat (i8 -128)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.32 = mul i64 %k_group.2, 128
          %panels_of_b_at_0_0.4 = getelementptr i8, ptr %panels_of_b_at_0_0.3, i64 %index.32
          %packed_pairs.12 = shufflevector <16 x i8> %packed_0_0.2, <16 x i8> %packed_2_0.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.13 = shufflevector <16 x i8> %packed_1_0.2, <16 x i8> %packed_3_0.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.14 = shufflevector <32 x i8> %packed_pairs.12, <32 x i8> %packed_pairs.13, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.4 = bitcast <64 x i8> %packed_pairs.14 to <16 x i32>
          store <16 x i32> %packed_words.4, ptr %panels_of_b_at_0_0.4, align 64
          %panels_of_b_at_0_1.2 = getelementptr i8, ptr %panels_of_b_at_0_0.4, i64 64
          %packed_pairs.15 = shufflevector <16 x i8> %packed_0_1.2, <16 x i8> %packed_2_1.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.16 = shufflevector <16 x i8> %packed_1_1.2, <16 x i8> %packed_3_1.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.17 = shufflevector <32 x i8> %packed_pairs.15, <32 x i8> %packed_pairs.16, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.5 = bitcast <64 x i8> %packed_pairs.17 to <16 x i32>
          store <16 x i32> %packed_words.5, ptr %panels_of_b_at_0_1.2, align 64
          %k_group_next.2 = add i64 %k_group.2, 1
          %k_group_more.2 = icmp slt i64 %k_group_next.2, %k_group_stop.1
          br i1 %k_group_more.2, label %k_group_loop.2, label %k_group_done.2
        k_group_done.2:
        ; for k_group from k // 4 to k_steps * 16
        %k_group_any.3 = icmp slt i64 %k_group_stop.1, %index.30
        br i1 %k_group_any.3, label %k_group_loop.3, label %k_group_done.3
        k_group_loop.3:
          %k_group.3 = phi i64 [ %k_group_stop.1, %k_group_done.2 ], [ %k_group_next.3, %k_group_loop.3 ]
          ; raw = b[(k_group * 4 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n and k_group * 4 + row < k, else 0
          %index.33 = mul i64 %k_group.3, 4
          %holds.5 = icmp slt i64 %index.33, %k
          %product.20 = mul i64 %index.33, %b_row
          %b_at_0_0.5 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.20
          %lane0.5 = insertelement <16 x i1> poison, i1 %holds.5, i64 0
          %all.5 = shufflevector <16 x i1> %lane0.5, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.2 = and <16 x i1> %mask, %all.5
          %raw_0_0.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_0.5, i32 1, <16 x i1> %mask.2, <16 x i8> zeroinitializer)
          %index.34 = add i64 %index.33, 1
          %holds.6 = icmp slt i64 %index.34, %k
          %product.21 = mul i64 %index.34, %b_row
          %b_at_1_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.21
          %lane0.6 = insertelement <16 x i1> poison, i1 %holds.6, i64 0
          %all.6 = shufflevector <16 x i1> %lane0.6, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.3 = and <16 x i1> %mask, %all.6
          %raw_1_0.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_0.3, i32 1, <16 x i1> %mask.3, <16 x i8> zeroinitializer)
          %index.35 = add i64 %index.33, 2
          %holds.7 = icmp slt i64 %index.35, %k
          %product.22 = mul i64 %index.35, %b_row
          %b_at_2_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.22
          %lane0.7 = insertelement <16 x i1> poison, i1 %holds.7, i64 0
          %all.7 = shufflevector <16 x i1> %lane0.7, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.4 = and <16 x i1> %mask, %all.7
          %raw_2_0.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_0.3, i32 1, <16 x i1> %mask.4, <16 x i8> zeroinitializer)
          %index.36 = add i64 %index.33, 3
          %holds.8 = icmp slt i64 %index.36, %k
          %product.23 = mul i64 %index.36, %b_row
          %b_at_3_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.23
          %lane0.8 = insertelement <16 x i1> poison, i1 %holds.8, i64 0
          %all.8 = shufflevector <16 x i1> %lane0.8, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.5 = and <16 x i1> %mask, %all.8
          %raw_3_0.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_0.3, i32 1, <16 x i1> %mask.5, <16 x i8> zeroinitializer)
          %b_at_0_1.3 = getelementptr i8, ptr %b_at_0_0.5, i64 16
          %mask.6 = and <16 x i1> %mask.1, %all.5
          %raw_0_1.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_0_1.3, i32 1, <16 x i1> %mask.6, <16 x i8> zeroinitializer)
          %b_at_1_1.3 = getelementptr i8, ptr %b_at_1_0.3, i64 16
          %mask.7 = and <16 x i1> %mask.1, %all.6
          %raw_1_1.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_1_1.3, i32 1, <16 x i1> %mask.7, <16 x i8> zeroinitializer)
          %b_at_2_1.3 = getelementptr i8, ptr %b_at_2_0.3, i64 16
          %mask.8 = and <16 x i1> %mask.1, %all.7
          %raw_2_1.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_2_1.3, i32 1, <16 x i1> %mask.8, <16 x i8> zeroinitializer)
          %b_at_3_1.3 = getelementptr i8, ptr %b_at_3_0.3, i64 16
          %mask.9 = and <16 x i1> %mask.1, %all.8
          %raw_3_1.3 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %b_at_3_1.3, i32 1, <16 x i1> %mask.9, <16 x i8> zeroinitializer)
          ; packed = raw + 128, in int32
          %packed_0_0.3 = xor <16 x i8> %raw_0_0.3, splat (i8 -128)
          %packed_1_0.3 = xor <16 x i8> %raw_1_0.3, splat (i8 -128)
          %packed_2_0.3 = xor <16 x i8> %raw_2_0.3, splat (i8 -128)
          %packed_3_0.3 = xor <16 x i8> %raw_3_0.3, splat (i8 -128)
          %packed_0_1.3 = xor <16 x i8> %raw_0_1.3, splat (i8 -128)
          %packed_1_1.3 = xor <16 x i8> %raw_1_1.3, splat (i8 -128)
          %packed_2_1.3 = xor <16 x i8> %raw_2_1.3, splat (i8 -128)
          %packed_3_1.3 = xor <16 x i8> %raw_3_1.3, splat (i8 -128)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.37 = mul i64 %k_group.3, 128
          %panels_of_b_at_0_0.5 = getelementptr i8, ptr %panels_of_b_at_0_0.3, i64 %index.37
          %packed_pairs.18 = shufflevector <16 x i8> %packed_0_0.3, <16 x i8> %packed_2_0.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.19 = shufflevector <16 x i8> %packed_1_0.3, <16 x i8> %packed_3_0.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.20 = shufflevector <32 x i8> %packed_pairs.18, <32 x i8> %packed_pairs.19, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.6 = bitcast <64 x i8> %packed_pairs.20 to <16 x i32>
          store <16 x i32> %packed_words.6, ptr %panels_of_b_at_0_0.5, align 64
          %panels_of_b_at_0_1.3 = getelementptr i8, ptr %panels_of_b_at_0_0.5, i64 64
          %packed_pairs.21 = shufflevector <16 x i8> %packed_0_1.3, <16 x i8> %packed_2_1.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.22 = shufflevector <16 x i8> %packed_1_1.3, <16 x i8> %packed_3_1.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_pairs.23 = shufflevector <32 x i8> %packed_pairs.21, <32 x i8> %packed_pairs.22, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
          %packed_words.7 = bitcast <64 x i8> %packed_pairs.23 to <16 x i32>
          store <16 x i32> %packed_words.7, ptr %panels_of_b_at_0_1.3, align 64
          %k_group_next.3 = add i64 %k_group.3, 1
          %k_group_more.3 = icmp slt i64 %k_group_next.3, %index.30
          br i1 %k_group_more.3, label %k_group_loop.3, label %k_group_done.3
        k_group_done.3:
        br label %joined
      joined:
      %panel_next = add i64 %panel, 1
      %panel_more = icmp slt i64 %panel_next, %last_panel
      br i1 %panel_more, label %panel_loop, label %panel_done
    panel_done:
    ; for tile from split * row_tiles // row_splits to (split + 1) * row_tiles // row_splits
    %product.24 = mul i64 %split, %row_tiles
    %tile_first = udiv i64 %product.24, %row_splits
    %index.38 = add i64 %split, 1
    %product.25 = mul i64 %index.38, %row_tiles
    %tile_stop = udiv i64 %product.25, %row_splits
    %index.50 = mul i64 %first_panel, -1
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %panel_done ], [ %tile_next, %panel_done.1 ]
      ; tile_row = tile * 3
      %tile_row = mul i64 %tile, 3
      ; summed_row0 = min(tile_row, m - 1) * a_row
      %min = call i64 @llvm.smin.i64(i64 %tile_row, i64 %index.39)
      %summed_row0 = mul i64 %min, %a_row
      ; summed_row1 = min(tile_row + 1, m - 1) * a_row
      %index.40 = add i64 %tile_row, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.40, i64 %index.39)
      %summed_row1 = mul i64 %min.1, %a_row
      ; summed_row2 = min(tile_row + 2, m - 1) * a_row
      %index.41 = add i64 %tile_row, 2
      %min.2 = call i64 @llvm.smin.i64(i64 %index.41, i64 %index.39)
      %summed_row2 = mul i64 %min.2, %a_row
      ; row_lanes0 = 0
      ; row_lanes1 = 0
      ; row_lanes2 = 0
      ; row_ones = 1
      ; for summed_step from 0 to k // 64
      %summed_step_stop = udiv i64 %k, 64
      %a_at_0_0 = getelementptr i8, ptr %a, i64 %summed_row0
      %a_at_0_0.2 = getelementptr i8, ptr %a, i64 %summed_row1
      %a_at_0_0.4 = getelementptr i8, ptr %a, i64 %summed_row2
      %summed_step_any = icmp slt i64 0, %summed_step_stop
      br i1 %summed_step_any, label %summed_step_loop, label %summed_step_done
      summed_step_loop:
        %summed_step = phi i64 [ 0, %tile_loop ], [ %summed_step_next, %summed_step_loop ]
        %row_lanes0_0 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes0_0.1, %summed_step_loop ]
        %row_lanes1_0 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes1_0.1, %summed_step_loop ]
        %row_lanes2_0 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes2_0.1, %summed_step_loop ]
        ; row_step = a[summed_row0 + summed_step * 64 + column * 4 + row], vector
        %index.42 = mul i64 %summed_step, 64
        %a_at_0_0.1 = getelementptr i8, ptr %a_at_0_0, i64 %index.42
        %row_step_words = load <16 x i32>, ptr %a_at_0_0.1, align 1
        ; row_lanes0 += row_ones * row_step, fma_outer_1x1x16_uint8xint8
        %row_lanes0_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_lanes0_0, <16 x i32> splat (i32 16843009), <16 x i32> %row_step_words)
        ; row_step = a[summed_row1 + summed_step * 64 + column * 4 + row], vector
        %a_at_0_0.3 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.42
        %row_step_words.1 = load <16 x i32>, ptr %a_at_0_0.3, align 1
        ; row_lanes1 += row_ones * row_step, fma_outer_1x1x16_uint8xint8
        %row_lanes1_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_lanes1_0, <16 x i32> splat (i32 16843009), <16 x i32> %row_step_words.1)
        ; row_step = a[summed_row2 + summed_step * 64 + column * 4 + row], vector
        %a_at_0_0.5 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.42
        %row_step_words.2 = load <16 x i32>, ptr %a_at_0_0.5, align 1
        ; row_lanes2 += row_ones * row_step, fma_outer_1x1x16_uint8xint8
        %row_lanes2_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_lanes2_0, <16 x i32> splat (i32 16843009), <16 x i32> %row_step_words.2)
        %summed_step_next = add i64 %summed_step, 1
        %summed_step_more = icmp slt i64 %summed_step_next, %summed_step_stop
        br i1 %summed_step_more, label %summed_step_loop, label %summed_step_done
      summed_step_done:
      %row_lanes0_0.2 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes0_0.1, %summed_step_loop ]
      %row_lanes1_0.2 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes1_0.1, %summed_step_loop ]
      %row_lanes2_0.2 = phi <16 x i32> [ zeroinitializer, %tile_loop ], [ %row_lanes2_0.1, %summed_step_loop ]
      ; sums_of_rows[row, column] = row_lanes0, vector
      store <16 x i32> %row_lanes0_0.2, ptr %sums_of_rows, align 64
      ; sums_of_rows[1 + row, column] = row_lanes1, vector
      store <16 x i32> %row_lanes1_0.2, ptr %sums_of_rows_at_0, align 64
      ; sums_of_rows[2 + row, column] = row_lanes2, vector
      store <16 x i32> %row_lanes2_0.2, ptr %sums_of_rows_at_0.1, align 64
      ; row_sums = 0
      ; ones = 1
      ; a_first = min(tile_row + row, m - 1) * a_row for each element of a
      ; for k_group from k // 64 * 16 to k // 4, 2 at a time
      %k_group_first = mul i64 %summed_step_stop, 16
      %k_group_stop.2 = udiv i64 %k, 4
      %k_group_limit = add i64 %k_group_stop.2, -1
      %k_group_any.4 = icmp slt i64 %k_group_first, %k_group_limit
      br i1 %k_group_any.4, label %k_group_loop.4, label %k_group_done.4
      k_group_loop.4:
        %k_group.4 = phi i64 [ %k_group_first, %summed_step_done ], [ %k_group_next.4, %k_group_loop.4 ]
        %row_sums_0_0 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_0_0.2, %k_group_loop.4 ]
        %row_sums_1_0 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_1_0.2, %k_group_loop.4 ]
        %row_sums_2_0 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_2_0.2, %k_group_loop.4 ]
        ; a = a[a_first + k_group * 4 + column], broadcast
        %index.43 = mul i64 %k_group.4, 4
        %a_at_0_0.6 = getelementptr i8, ptr %a_at_0_0, i64 %index.43
        %a_word.1 = load i32, ptr %a_at_0_0.6, align 1
        %a_words_lane0 = insertelement <16 x i32> poison, i32 %a_word.1, i64 0
        %a_words = shufflevector <16 x i32> %a_words_lane0, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_1_0 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.43
        %a_word.2 = load i32, ptr %a_at_1_0, align 1
        %a_words_lane0.1 = insertelement <16 x i32> poison, i32 %a_word.2, i64 0
        %a_words.1 = shufflevector <16 x i32> %a_words_lane0.1, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_2_0 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.43
        %a_word.3 = load i32, ptr %a_at_2_0, align 1
        %a_words_lane0.2 = insertelement <16 x i32> poison, i32 %a_word.3, i64 0
        %a_words.2 = shufflevector <16 x i32> %a_words_lane0.2, <16 x i32> poison, <16 x i32> zeroinitializer
        ; row_sums += a * ones, fma_outer_3x1x16_int8xuint8
        %row_sums_0_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_0_0, <16 x i32> splat (i32 16843009), <16 x i32> %a_words)
        %row_sums_1_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_1_0, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.1)
        %row_sums_2_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_2_0, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.2)
        ; k_group + 1
        %a_at_0_0.7 = getelementptr i8, ptr %a_at_0_0.6, i64 4
        %a_word.4 = load i32, ptr %a_at_0_0.7, align 1
        %a_words_lane0.3 = insertelement <16 x i32> poison, i32 %a_word.4, i64 0
        %a_words.3 = shufflevector <16 x i32> %a_words_lane0.3, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_1_0.1 = getelementptr i8, ptr %a_at_1_0, i64 4
        %a_word.5 = load i32, ptr %a_at_1_0.1, align 1
        %a_words_lane0.4 = insertelement <16 x i32> poison, i32 %a_word.5, i64 0
        %a_words.4 = shufflevector <16 x i32> %a_words_lane0.4, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_2_0.1 = getelementptr i8, ptr %a_at_2_0, i64 4
        %a_word.6 = load i32, ptr %a_at_2_0.1, align 1
        %a_words_lane0.5 = insertelement <16 x i32> poison, i32 %a_word.6, i64 0
        %a_words.5 = shufflevector <16 x i32> %a_words_lane0.5, <16 x i32> poison, <16 x i32> zeroinitializer
        %row_sums_0_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_0_0.1, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.3)
        %row_sums_1_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_1_0.1, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.4)
        %row_sums_2_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_2_0.1, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.5)
        %k_group_next.4 = add i64 %k_group.4, 2
        %k_group_more.4 = icmp slt i64 %k_group_next.4, %k_group_limit
        br i1 %k_group_more.4, label %k_group_loop.4, label %k_group_done.4
      k_group_done.4:
      %row_sums_0_0.3 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_0_0.2, %k_group_loop.4 ]
      %row_sums_1_0.3 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_1_0.2, %k_group_loop.4 ]
      %row_sums_2_0.3 = phi <16 x i32> [ zeroinitializer, %summed_step_done ], [ %row_sums_2_0.2, %k_group_loop.4 ]
      %k_group_rest = phi i64 [ %k_group_first, %summed_step_done ], [ %k_group_next.4, %k_group_loop.4 ]
      ; what is left of k_group
      %k_group_any.5 = icmp slt i64 %k_group_rest, %k_group_stop.2
      br i1 %k_group_any.5, label %k_group_loop.5, label %k_group_done.5
      k_group_loop.5:
        %k_group.5 = phi i64 [ %k_group_rest, %k_group_done.4 ], [ %k_group_next.5, %k_group_loop.5 ]
        %row_sums_0_0.4 = phi <16 x i32> [ %row_sums_0_0.3, %k_group_done.4 ], [ %row_sums_0_0.5, %k_group_loop.5 ]
        %row_sums_1_0.4 = phi <16 x i32> [ %row_sums_1_0.3, %k_group_done.4 ], [ %row_sums_1_0.5, %k_group_loop.5 ]
        %row_sums_2_0.4 = phi <16 x i32> [ %row_sums_2_0.3, %k_group_done.4 ], [ %row_sums_2_0.5, %k_group_loop.5 ]
        ; a = a[a_first + k_group * 4 + column], broadcast
        %index.44 = mul i64 %k_group.5, 4
        %a_at_0_0.8 = getelementptr i8, ptr %a_at_0_0, i64 %index.44
        %a_word.7 = load i32, ptr %a_at_0_0.8, align 1
        %a_words_lane0.6 = insertelement <16 x i32> poison, i32 %a_word.7, i64 0
        %a_words.6 = shufflevector <16 x i32> %a_words_lane0.6, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_1_0.2 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.44
        %a_word.8 = load i32, ptr %a_at_1_0.2, align 1
        %a_words_lane0.7 = insertelement <16 x i32> poison, i32 %a_word.8, i64 0
        %a_words.7 = shufflevector <16 x i32> %a_words_lane0.7, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_2_0.2 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.44
        %a_word.9 = load i32, ptr %a_at_2_0.2, align 1
        %a_words_lane0.8 = insertelement <16 x i32> poison, i32 %a_word.9, i64 0
        %a_words.8 = shufflevector <16 x i32> %a_words_lane0.8, <16 x i32> poison, <16 x i32> zeroinitializer
        ; row_sums += a * ones, fma_outer_3x1x16_int8xuint8
        %row_sums_0_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_0_0.4, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.6)
        %row_sums_1_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_1_0.4, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.7)
        %row_sums_2_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_2_0.4, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.8)
        %k_group_next.5 = add i64 %k_group.5, 1
        %k_group_more.5 = icmp slt i64 %k_group_next.5, %k_group_stop.2
        br i1 %k_group_more.5, label %k_group_loop.5, label %k_group_done.5
      k_group_done.5:
      %row_sums_0_0.6 = phi <16 x i32> [ %row_sums_0_0.3, %k_group_done.4 ], [ %row_sums_0_0.5, %k_group_loop.5 ]
      %row_sums_1_0.6 = phi <16 x i32> [ %row_sums_1_0.3, %k_group_done.4 ], [ %row_sums_1_0.5, %k_group_loop.5 ]
      %row_sums_2_0.6 = phi <16 x i32> [ %row_sums_2_0.3, %k_group_done.4 ], [ %row_sums_2_0.5, %k_group_loop.5 ]
      ; for k_group from k // 4 to (k + 3) // 4
      %k_group_stop.3 = udiv i64 %index.45, 4
      %k_group_any.6 = icmp slt i64 %k_group_stop.2, %k_group_stop.3
      br i1 %k_group_any.6, label %k_group_loop.6, label %k_group_done.6
      k_group_loop.6:
        %k_group.6 = phi i64 [ %k_group_stop.2, %k_group_done.5 ], [ %k_group_next.6, %k_group_loop.6 ]
        %row_sums_0_0.7 = phi <16 x i32> [ %row_sums_0_0.6, %k_group_done.5 ], [ %row_sums_0_0.8, %k_group_loop.6 ]
        %row_sums_1_0.7 = phi <16 x i32> [ %row_sums_1_0.6, %k_group_done.5 ], [ %row_sums_1_0.8, %k_group_loop.6 ]
        %row_sums_2_0.7 = phi <16 x i32> [ %row_sums_2_0.6, %k_group_done.5 ], [ %row_sums_2_0.8, %k_group_loop.6 ]
        ; a = a[a_first + k_group * 4 + column], broadcast where k_group * 4 + column < k, else 0
        %index.46 = mul i64 %k_group.6, 4
        %holds.9 = icmp slt i64 %index.46, %k
        %a_at_0_0.9 = getelementptr i8, ptr %a_at_0_0, i64 %index.46
        %safe_at = select i1 %holds.9, ptr %a_at_0_0.9, ptr %fill_int8
        %a_0_0_one = load i8, ptr %safe_at, align 1
        %a_wide = zext i8 %a_0_0_one to i32
        %a_wide.1 = shl i32 %a_wide, 0
        %a_word.10 = or i32 0, %a_wide.1
        %index.47 = add i64 %index.46, 1
        %holds.10 = icmp slt i64 %index.47, %k
        %a_at_0_1 = getelementptr i8, ptr %a_at_0_0.9, i64 1
        %safe_at.1 = select i1 %holds.10, ptr %a_at_0_1, ptr %fill_int8
        %a_0_1_one = load i8, ptr %safe_at.1, align 1
        %a_wide.2 = zext i8 %a_0_1_one to i32
        %a_wide.3 = shl i32 %a_wide.2, 8
        %a_word.11 = or i32 %a_word.10, %a_wide.3
        %index.48 = add i64 %index.46, 2
        %holds.11 = icmp slt i64 %index.48, %k
        %a_at_0_2 = getelementptr i8, ptr %a_at_0_0.9, i64 2
        %safe_at.2 = select i1 %holds.11, ptr %a_at_0_2, ptr %fill_int8
        %a_0_2_one = load i8, ptr %safe_at.2, align 1
        %a_wide.4 = zext i8 %a_0_2_one to i32
        %a_wide.5 = shl i32 %a_wide.4, 16
        %a_word.12 = or i32 %a_word.11, %a_wide.5
        %index.49 = add i64 %index.46, 3
        %holds.12 = icmp slt i64 %index.49, %k
        %a_at_0_3 = getelementptr i8, ptr %a_at_0_0.9, i64 3
        %safe_at.3 = select i1 %holds.12, ptr %a_at_0_3, ptr %fill_int8
        %a_0_3_one = load i8, ptr %safe_at.3, align 1
        %a_wide.6 = zext i8 %a_0_3_one to i32
        %a_wide.7 = shl i32 %a_wide.6, 24
        %a_word.13 = or i32 %a_word.12, %a_wide.7
        %a_words_lane0.9 = insertelement <16 x i32> poison, i32 %a_word.13, i64 0
        %a_words.9 = shufflevector <16 x i32> %a_words_lane0.9, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_1_0.3 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.46
        %safe_at.4 = select i1 %holds.9, ptr %a_at_1_0.3, ptr %fill_int8
        %a_1_0_one = load i8, ptr %safe_at.4, align 1
        %a_wide.8 = zext i8 %a_1_0_one to i32
        %a_wide.9 = shl i32 %a_wide.8, 0
        %a_word.14 = or i32 0, %a_wide.9
        %a_at_1_1 = getelementptr i8, ptr %a_at_1_0.3, i64 1
        %safe_at.5 = select i1 %holds.10, ptr %a_at_1_1, ptr %fill_int8
        %a_1_1_one = load i8, ptr %safe_at.5, align 1
        %a_wide.10 = zext i8 %a_1_1_one to i32
        %a_wide.11 = shl i32 %a_wide.10, 8
        %a_word.15 = or i32 %a_word.14, %a_wide.11
        %a_at_1_2 = getelementptr i8, ptr %a_at_1_0.3, i64 2
        %safe_at.6 = select i1 %holds.11, ptr %a_at_1_2, ptr %fill_int8
        %a_1_2_one = load i8, ptr %safe_at.6, align 1
        %a_wide.12 = zext i8 %a_1_2_one to i32
        %a_wide.13 = shl i32 %a_wide.12, 16
        %a_word.16 = or i32 %a_word.15, %a_wide.13
        %a_at_1_3 = getelementptr i8, ptr %a_at_1_0.3, i64 3
        %safe_at.7 = select i1 %holds.12, ptr %a_at_1_3, ptr %fill_int8
        %a_1_3_one = load i8, ptr %safe_at.7, align 1
        %a_wide.14 = zext i8 %a_1_3_one to i32
        %a_wide.15 = shl i32 %a_wide.14, 24
        %a_word.17 = or i32 %a_word.16, %a_wide.15
        %a_words_lane0.10 = insertelement <16 x i32> poison, i32 %a_word.17, i64 0
        %a_words.10 = shufflevector <16 x i32> %a_words_lane0.10, <16 x i32> poison, <16 x i32> zeroinitializer
        %a_at_2_0.3 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.46
        %safe_at.8 = select i1 %holds.9, ptr %a_at_2_0.3, ptr %fill_int8
        %a_2_0_one = load i8, ptr %safe_at.8, align 1
        %a_wide.16 = zext i8 %a_2_0_one to i32
        %a_wide.17 = shl i32 %a_wide.16, 0
        %a_word.18 = or i32 0, %a_wide.17
        %a_at_2_1 = getelementptr i8, ptr %a_at_2_0.3, i64 1
        %safe_at.9 = select i1 %holds.10, ptr %a_at_2_1, ptr %fill_int8
        %a_2_1_one = load i8, ptr %safe_at.9, align 1
        %a_wide.18 = zext i8 %a_2_1_one to i32
        %a_wide.19 = shl i32 %a_wide.18, 8
        %a_word.19 = or i32 %a_word.18, %a_wide.19
        %a_at_2_2 = getelementptr i8, ptr %a_at_2_0.3, i64 2
        %safe_at.10 = select i1 %holds.11, ptr %a_at_2_2, ptr %fill_int8
        %a_2_2_one = load i8, ptr %safe_at.10, align 1
        %a_wide.20 = zext i8 %a_2_2_one to i32
        %a_wide.21 = shl i32 %a_wide.20, 16
        %a_word.20 = or i32 %a_word.19, %a_wide.21
        %a_at_2_3 = getelementptr i8, ptr %a_at_2_0.3, i64 3
        %safe_at.11 = select i1 %holds.12, ptr %a_at_2_3, ptr %fill_int8
        %a_2_3_one = load i8, ptr %safe_at.11, align 1
        %a_wide.22 = zext i8 %a_2_3_one to i32
        %a_wide.23 = shl i32 %a_wide.22, 24
        %a_word.21 = or i32 %a_word.20, %a_wide.23
        %a_words_lane0.11 = insertelement <16 x i32> poison, i32 %a_word.21, i64 0
        %a_words.11 = shufflevector <16 x i32> %a_words_lane0.11, <16 x i32> poison, <16 x i32> zeroinitializer
        ; row_sums += a * ones, fma_outer_3x1x16_int8xuint8
        %row_sums_0_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_0_0.7, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.9)
        %row_sums_1_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_1_0.7, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.10)
        %row_sums_2_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %row_sums_2_0.7, <16 x i32> splat (i32 16843009), <16 x i32> %a_words.11)
        %k_group_next.6 = add i64 %k_group.6, 1
        %k_group_more.6 = icmp slt i64 %k_group_next.6, %k_group_stop.3
        br i1 %k_group_more.6, label %k_group_loop.6, label %k_group_done.6
      k_group_done.6:
      %row_sums_0_0.9 = phi <16 x i32> [ %row_sums_0_0.6, %k_group_done.5 ], [ %row_sums_0_0.8, %k_group_loop.6 ]
      %row_sums_1_0.9 = phi <16 x i32> [ %row_sums_1_0.6, %k_group_done.5 ], [ %row_sums_1_0.8, %k_group_loop.6 ]
      %row_sums_2_0.9 = phi <16 x i32> [ %row_sums_2_0.6, %k_group_done.5 ], [ %row_sums_2_0.8, %k_group_loop.6 ]
      ; for summed_lane from 0 to 16
      br label %summed_lane_loop
      summed_lane_loop:
        %summed_lane = phi i64 [ 0, %k_group_done.6 ], [ %summed_lane_next, %summed_lane_loop ]
        %row_sums_0_0.10 = phi <16 x i32> [ %row_sums_0_0.9, %k_group_done.6 ], [ %row_sums_0_0_add, %summed_lane_loop ]
        %row_sums_1_0.10 = phi <16 x i32> [ %row_sums_1_0.9, %k_group_done.6 ], [ %row_sums_1_0_add, %summed_lane_loop ]
        %row_sums_2_0.10 = phi <16 x i32> [ %row_sums_2_0.9, %k_group_done.6 ], [ %row_sums_2_0_add, %summed_lane_loop ]
        ; row_sum = sums_of_rows[row, summed_lane], broadcast
        %sums_of_rows_at_0.2 = getelementptr i32, ptr %sums_of_rows, i64 %summed_lane
        %row_sum_0_one = load i32, ptr %sums_of_rows_at_0.2, align 4
        %row_sum_0_lane0 = insertelement <16 x i32> poison, i32 %row_sum_0_one, i64 0
        %row_sum_0 = shufflevector <16 x i32> %row_sum_0_lane0, <16 x i32> poison, <16 x i32> zeroinitializer
        %sums_of_rows_at_1 = getelementptr i32, ptr %sums_of_rows_at_0.2, i64 16
        %row_sum_1_one = load i32, ptr %sums_of_rows_at_1, align 4
        %row_sum_1_lane0 = insertelement <16 x i32> poison, i32 %row_sum_1_one, i64 0
        %row_sum_1 = shufflevector <16 x i32> %row_sum_1_lane0, <16 x i32> poison, <16 x i32> zeroinitializer
        %sums_of_rows_at_2 = getelementptr i32, ptr %sums_of_rows_at_0.2, i64 32
        %row_sum_2_one = load i32, ptr %sums_of_rows_at_2, align 4
        %row_sum_2_lane0 = insertelement <16 x i32> poison, i32 %row_sum_2_one, i64 0
        %row_sum_2 = shufflevector <16 x i32> %row_sum_2_lane0, <16 x i32> poison, <16 x i32> zeroinitializer
        ; row_sums = row_sums + row_sum, in int32
        %row_sums_0_0_add = add <16 x i32> %row_sums_0_0.10, %row_sum_0
        %row_sums_1_0_add = add <16 x i32> %row_sums_1_0.10, %row_sum_1
        %row_sums_2_0_add = add <16 x i32> %row_sums_2_0.10, %row_sum_2
        %summed_lane_next = add i64 %summed_lane, 1
        %summed_lane_more = icmp slt i64 %summed_lane_next, 16
        br i1 %summed_lane_more, label %summed_lane_loop, label %summed_lane_done
      summed_lane_done:
      ; sums_of_rows[row, column] = row_sums, vector
      store <16 x i32> %row_sums_0_0_add, ptr %sums_of_rows, align 64
      store <16 x i32> %row_sums_1_0_add, ptr %sums_of_rows_at_0, align 64
      store <16 x i32> %row_sums_2_0_add, ptr %sums_of_rows_at_0.1, align 64
      ; for panel from first_panel to last_panel
      %holds.17 = icmp slt i64 %index.41, %m
      br i1 %panel_any, label %panel_loop.1, label %panel_done.1
      panel_loop.1:
        %panel.1 = phi i64 [ %first_panel, %summed_lane_done ], [ %panel_next.1, %joined.1 ]
        ; column0 = panel * 32
        %column0 = mul i64 %panel.1, 32
        ; sums = 0
        ; a_base = min(tile_row + row, m - 1) * a_row for each element of a
        ; for k_group from 0 to k // 4, 2 at a time
        %index.51 = add i64 %index.50, %panel.1
        %product.26 = mul i64 %index.51, %index.52
        %index.53 = mul i64 %product.26, 128
        %panels_of_b_at_0_0.6 = getelementptr i8, ptr %panels_of_b, i64 %index.53
        %k_group_any.7 = icmp slt i64 0, %k_group_limit
        br i1 %k_group_any.7, label %k_group_loop.7, label %k_group_done.7
        k_group_loop.7:
          %k_group.7 = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.7, %k_group_loop.7 ]
          %sums_0_0 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.2, %k_group_loop.7 ]
          %sums_0_1 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.2, %k_group_loop.7 ]
          %sums_1_0 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.2, %k_group_loop.7 ]
          %sums_1_1 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.2, %k_group_loop.7 ]
          %sums_2_0 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.2, %k_group_loop.7 ]
          %sums_2_1 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.2, %k_group_loop.7 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.54 = mul i64 %k_group.7, 128
          %panels_of_b_at_0_0.7 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.54
          %b_words = load <16 x i32>, ptr %panels_of_b_at_0_0.7, align 64
          %panels_of_b_at_0_1.4 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 64
          %b_words.1 = load <16 x i32>, ptr %panels_of_b_at_0_1.4, align 64
          ; a = a[a_base + k_group * 4 + column], broadcast
          %index.55 = mul i64 %k_group.7, 4
          %a_at_0_0.10 = getelementptr i8, ptr %a_at_0_0, i64 %index.55
          %a_word.22 = load i32, ptr %a_at_0_0.10, align 1
          %a_words_lane0.12 = insertelement <16 x i32> poison, i32 %a_word.22, i64 0
          %a_words.12 = shufflevector <16 x i32> %a_words_lane0.12, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.4 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.55
          %a_word.23 = load i32, ptr %a_at_1_0.4, align 1
          %a_words_lane0.13 = insertelement <16 x i32> poison, i32 %a_word.23, i64 0
          %a_words.13 = shufflevector <16 x i32> %a_words_lane0.13, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.4 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.55
          %a_word.24 = load i32, ptr %a_at_2_0.4, align 1
          %a_words_lane0.14 = insertelement <16 x i32> poison, i32 %a_word.24, i64 0
          %a_words.14 = shufflevector <16 x i32> %a_words_lane0.14, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_int8xuint8
          %sums_0_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_0, <16 x i32> %b_words, <16 x i32> %a_words.12)
          %sums_0_1.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_1, <16 x i32> %b_words.1, <16 x i32> %a_words.12)
          %sums_1_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_0, <16 x i32> %b_words, <16 x i32> %a_words.13)
          %sums_1_1.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_1, <16 x i32> %b_words.1, <16 x i32> %a_words.13)
          %sums_2_0.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_0, <16 x i32> %b_words, <16 x i32> %a_words.14)
          %sums_2_1.1 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_1, <16 x i32> %b_words.1, <16 x i32> %a_words.14)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          ; k_group + 1
          %panels_of_b_at_0_0.8 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 128
          %b_words.2 = load <16 x i32>, ptr %panels_of_b_at_0_0.8, align 64
          %panels_of_b_at_0_1.5 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 192
          %b_words.3 = load <16 x i32>, ptr %panels_of_b_at_0_1.5, align 64
          %a_at_0_0.11 = getelementptr i8, ptr %a_at_0_0.10, i64 4
          %a_word.25 = load i32, ptr %a_at_0_0.11, align 1
          %a_words_lane0.15 = insertelement <16 x i32> poison, i32 %a_word.25, i64 0
          %a_words.15 = shufflevector <16 x i32> %a_words_lane0.15, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.5 = getelementptr i8, ptr %a_at_1_0.4, i64 4
          %a_word.26 = load i32, ptr %a_at_1_0.5, align 1
          %a_words_lane0.16 = insertelement <16 x i32> poison, i32 %a_word.26, i64 0
          %a_words.16 = shufflevector <16 x i32> %a_words_lane0.16, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.5 = getelementptr i8, ptr %a_at_2_0.4, i64 4
          %a_word.27 = load i32, ptr %a_at_2_0.5, align 1
          %a_words_lane0.17 = insertelement <16 x i32> poison, i32 %a_word.27, i64 0
          %a_words.17 = shufflevector <16 x i32> %a_words_lane0.17, <16 x i32> poison, <16 x i32> zeroinitializer
          %sums_0_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_0.1, <16 x i32> %b_words.2, <16 x i32> %a_words.15)
          %sums_0_1.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_1.1, <16 x i32> %b_words.3, <16 x i32> %a_words.15)
          %sums_1_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_0.1, <16 x i32> %b_words.2, <16 x i32> %a_words.16)
          %sums_1_1.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_1.1, <16 x i32> %b_words.3, <16 x i32> %a_words.16)
          %sums_2_0.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_0.1, <16 x i32> %b_words.2, <16 x i32> %a_words.17)
          %sums_2_1.2 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_1.1, <16 x i32> %b_words.3, <16 x i32> %a_words.17)
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.7 = add i64 %k_group.7, 2
          %k_group_more.7 = icmp slt i64 %k_group_next.7, %k_group_limit
          br i1 %k_group_more.7, label %k_group_loop.7, label %k_group_done.7
        k_group_done.7:
        %sums_0_0.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.2, %k_group_loop.7 ]
        %sums_0_1.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.2, %k_group_loop.7 ]
        %sums_1_0.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.2, %k_group_loop.7 ]
        %sums_1_1.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.2, %k_group_loop.7 ]
        %sums_2_0.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.2, %k_group_loop.7 ]
        %sums_2_1.3 = phi <16 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.2, %k_group_loop.7 ]
        %k_group_rest.1 = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.7, %k_group_loop.7 ]
        ; what is left of k_group
        %k_group_any.8 = icmp slt i64 %k_group_rest.1, %k_group_stop.2
        br i1 %k_group_any.8, label %k_group_loop.8, label %k_group_done.8
        k_group_loop.8:
          %k_group.8 = phi i64 [ %k_group_rest.1, %k_group_done.7 ], [ %k_group_next.8, %k_group_loop.8 ]
          %sums_0_0.4 = phi <16 x i32> [ %sums_0_0.3, %k_group_done.7 ], [ %sums_0_0.5, %k_group_loop.8 ]
          %sums_0_1.4 = phi <16 x i32> [ %sums_0_1.3, %k_group_done.7 ], [ %sums_0_1.5, %k_group_loop.8 ]
          %sums_1_0.4 = phi <16 x i32> [ %sums_1_0.3, %k_group_done.7 ], [ %sums_1_0.5, %k_group_loop.8 ]
          %sums_1_1.4 = phi <16 x i32> [ %sums_1_1.3, %k_group_done.7 ], [ %sums_1_1.5, %k_group_loop.8 ]
          %sums_2_0.4 = phi <16 x i32> [ %sums_2_0.3, %k_group_done.7 ], [ %sums_2_0.5, %k_group_loop.8 ]
          %sums_2_1.4 = phi <16 x i32> [ %sums_2_1.3, %k_group_done.7 ], [ %sums_2_1.5, %k_group_loop.8 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.56 = mul i64 %k_group.8, 128
          %panels_of_b_at_0_0.9 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.56
          %b_words.4 = load <16 x i32>, ptr %panels_of_b_at_0_0.9, align 64
          %panels_of_b_at_0_1.6 = getelementptr i8, ptr %panels_of_b_at_0_0.9, i64 64
          %b_words.5 = load <16 x i32>, ptr %panels_of_b_at_0_1.6, align 64
          ; a = a[a_base + k_group * 4 + column], broadcast
          %index.57 = mul i64 %k_group.8, 4
          %a_at_0_0.12 = getelementptr i8, ptr %a_at_0_0, i64 %index.57
          %a_word.28 = load i32, ptr %a_at_0_0.12, align 1
          %a_words_lane0.18 = insertelement <16 x i32> poison, i32 %a_word.28, i64 0
          %a_words.18 = shufflevector <16 x i32> %a_words_lane0.18, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.6 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.57
          %a_word.29 = load i32, ptr %a_at_1_0.6, align 1
          %a_words_lane0.19 = insertelement <16 x i32> poison, i32 %a_word.29, i64 0
          %a_words.19 = shufflevector <16 x i32> %a_words_lane0.19, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.6 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.57
          %a_word.30 = load i32, ptr %a_at_2_0.6, align 1
          %a_words_lane0.20 = insertelement <16 x i32> poison, i32 %a_word.30, i64 0
          %a_words.20 = shufflevector <16 x i32> %a_words_lane0.20, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_int8xuint8
          %sums_0_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_0.4, <16 x i32> %b_words.4, <16 x i32> %a_words.18)
          %sums_0_1.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_1.4, <16 x i32> %b_words.5, <16 x i32> %a_words.18)
          %sums_1_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_0.4, <16 x i32> %b_words.4, <16 x i32> %a_words.19)
          %sums_1_1.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_1.4, <16 x i32> %b_words.5, <16 x i32> %a_words.19)
          %sums_2_0.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_0.4, <16 x i32> %b_words.4, <16 x i32> %a_words.20)
          %sums_2_1.5 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_1.4, <16 x i32> %b_words.5, <16 x i32> %a_words.20)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.8 = add i64 %k_group.8, 1
          %k_group_more.8 = icmp slt i64 %k_group_next.8, %k_group_stop.2
          br i1 %k_group_more.8, label %k_group_loop.8, label %k_group_done.8
        k_group_done.8:
        %sums_0_0.6 = phi <16 x i32> [ %sums_0_0.3, %k_group_done.7 ], [ %sums_0_0.5, %k_group_loop.8 ]
        %sums_0_1.6 = phi <16 x i32> [ %sums_0_1.3, %k_group_done.7 ], [ %sums_0_1.5, %k_group_loop.8 ]
        %sums_1_0.6 = phi <16 x i32> [ %sums_1_0.3, %k_group_done.7 ], [ %sums_1_0.5, %k_group_loop.8 ]
        %sums_1_1.6 = phi <16 x i32> [ %sums_1_1.3, %k_group_done.7 ], [ %sums_1_1.5, %k_group_loop.8 ]
        %sums_2_0.6 = phi <16 x i32> [ %sums_2_0.3, %k_group_done.7 ], [ %sums_2_0.5, %k_group_loop.8 ]
        %sums_2_1.6 = phi <16 x i32> [ %sums_2_1.3, %k_group_done.7 ], [ %sums_2_1.5, %k_group_loop.8 ]
        ; for k_group from k // 4 to (k + 3) // 4
        br i1 %k_group_any.6, label %k_group_loop.9, label %k_group_done.9
        k_group_loop.9:
          %k_group.9 = phi i64 [ %k_group_stop.2, %k_group_done.8 ], [ %k_group_next.9, %k_group_loop.9 ]
          %sums_0_0.7 = phi <16 x i32> [ %sums_0_0.6, %k_group_done.8 ], [ %sums_0_0.8, %k_group_loop.9 ]
          %sums_0_1.7 = phi <16 x i32> [ %sums_0_1.6, %k_group_done.8 ], [ %sums_0_1.8, %k_group_loop.9 ]
          %sums_1_0.7 = phi <16 x i32> [ %sums_1_0.6, %k_group_done.8 ], [ %sums_1_0.8, %k_group_loop.9 ]
          %sums_1_1.7 = phi <16 x i32> [ %sums_1_1.6, %k_group_done.8 ], [ %sums_1_1.8, %k_group_loop.9 ]
          %sums_2_0.7 = phi <16 x i32> [ %sums_2_0.6, %k_group_done.8 ], [ %sums_2_0.8, %k_group_loop.9 ]
          %sums_2_1.7 = phi <16 x i32> [ %sums_2_1.6, %k_group_done.8 ], [ %sums_2_1.8, %k_group_loop.9 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.58 = mul i64 %k_group.9, 128
          %panels_of_b_at_0_0.10 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.58
          %b_words.6 = load <16 x i32>, ptr %panels_of_b_at_0_0.10, align 64
          %panels_of_b_at_0_1.7 = getelementptr i8, ptr %panels_of_b_at_0_0.10, i64 64
          %b_words.7 = load <16 x i32>, ptr %panels_of_b_at_0_1.7, align 64
          ; a = a[a_base + k_group * 4 + column], broadcast where k_group * 4 + column < k, else 0
          %index.59 = mul i64 %k_group.9, 4
          %holds.13 = icmp slt i64 %index.59, %k
          %a_at_0_0.13 = getelementptr i8, ptr %a_at_0_0, i64 %index.59
          %safe_at.12 = select i1 %holds.13, ptr %a_at_0_0.13, ptr %fill_int8
          %a_0_0_one.1 = load i8, ptr %safe_at.12, align 1
          %a_wide.24 = zext i8 %a_0_0_one.1 to i32
          %a_wide.25 = shl i32 %a_wide.24, 0
          %a_word.31 = or i32 0, %a_wide.25
          %index.60 = add i64 %index.59, 1
          %holds.14 = icmp slt i64 %index.60, %k
          %a_at_0_1.1 = getelementptr i8, ptr %a_at_0_0.13, i64 1
          %safe_at.13 = select i1 %holds.14, ptr %a_at_0_1.1, ptr %fill_int8
          %a_0_1_one.1 = load i8, ptr %safe_at.13, align 1
          %a_wide.26 = zext i8 %a_0_1_one.1 to i32
          %a_wide.27 = shl i32 %a_wide.26, 8
          %a_word.32 = or i32 %a_word.31, %a_wide.27
          %index.61 = add i64 %index.59, 2
          %holds.15 = icmp slt i64 %index.61, %k
          %a_at_0_2.1 = getelementptr i8, ptr %a_at_0_0.13, i64 2
          %safe_at.14 = select i1 %holds.15, ptr %a_at_0_2.1, ptr %fill_int8
          %a_0_2_one.1 = load i8, ptr %safe_at.14, align 1
          %a_wide.28 = zext i8 %a_0_2_one.1 to i32
          %a_wide.29 = shl i32 %a_wide.28, 16
          %a_word.33 = or i32 %a_word.32, %a_wide.29
          %index.62 = add i64 %index.59, 3
          %holds.16 = icmp slt i64 %index.62, %k
          %a_at_0_3.1 = getelementptr i8, ptr %a_at_0_0.13, i64 3
          %safe_at.15 = select i1 %holds.16, ptr %a_at_0_3.1, ptr %fill_int8
          %a_0_3_one.1 = load i8, ptr %safe_at.15, align 1
          %a_wide.30 = zext i8 %a_0_3_one.1 to i32
          %a_wide.31 = shl i32 %a_wide.30, 24
          %a_word.34 = or i32 %a_word.33, %a_wide.31
          %a_words_lane0.21 = insertelement <16 x i32> poison, i32 %a_word.34, i64 0
          %a_words.21 = shufflevector <16 x i32> %a_words_lane0.21, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.7 = getelementptr i8, ptr %a_at_0_0.2, i64 %index.59
          %safe_at.16 = select i1 %holds.13, ptr %a_at_1_0.7, ptr %fill_int8
          %a_1_0_one.1 = load i8, ptr %safe_at.16, align 1
          %a_wide.32 = zext i8 %a_1_0_one.1 to i32
          %a_wide.33 = shl i32 %a_wide.32, 0
          %a_word.35 = or i32 0, %a_wide.33
          %a_at_1_1.1 = getelementptr i8, ptr %a_at_1_0.7, i64 1
          %safe_at.17 = select i1 %holds.14, ptr %a_at_1_1.1, ptr %fill_int8
          %a_1_1_one.1 = load i8, ptr %safe_at.17, align 1
          %a_wide.34 = zext i8 %a_1_1_one.1 to i32
          %a_wide.35 = shl i32 %a_wide.34, 8
          %a_word.36 = or i32 %a_word.35, %a_wide.35
          %a_at_1_2.1 = getelementptr i8, ptr %a_at_1_0.7, i64 2
          %safe_at.18 = select i1 %holds.15, ptr %a_at_1_2.1, ptr %fill_int8
          %a_1_2_one.1 = load i8, ptr %safe_at.18, align 1
          %a_wide.36 = zext i8 %a_1_2_one.1 to i32
          %a_wide.37 = shl i32 %a_wide.36, 16
          %a_word.37 = or i32 %a_word.36, %a_wide.37
          %a_at_1_3.1 = getelementptr i8, ptr %a_at_1_0.7, i64 3
          %safe_at.19 = select i1 %holds.16, ptr %a_at_1_3.1, ptr %fill_int8
          %a_1_3_one.1 = load i8, ptr %safe_at.19, align 1
          %a_wide.38 = zext i8 %a_1_3_one.1 to i32
          %a_wide.39 = shl i32 %a_wide.38, 24
          %a_word.38 = or i32 %a_word.37, %a_wide.39
          %a_words_lane0.22 = insertelement <16 x i32> poison, i32 %a_word.38, i64 0
          %a_words.22 = shufflevector <16 x i32> %a_words_lane0.22, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.7 = getelementptr i8, ptr %a_at_0_0.4, i64 %index.59
          %safe_at.20 = select i1 %holds.13, ptr %a_at_2_0.7, ptr %fill_int8
          %a_2_0_one.1 = load i8, ptr %safe_at.20, align 1
          %a_wide.40 = zext i8 %a_2_0_one.1 to i32
          %a_wide.41 = shl i32 %a_wide.40, 0
          %a_word.39 = or i32 0, %a_wide.41
          %a_at_2_1.1 = getelementptr i8, ptr %a_at_2_0.7, i64 1
          %safe_at.21 = select i1 %holds.14, ptr %a_at_2_1.1, ptr %fill_int8
          %a_2_1_one.1 = load i8, ptr %safe_at.21, align 1
          %a_wide.42 = zext i8 %a_2_1_one.1 to i32
          %a_wide.43 = shl i32 %a_wide.42, 8
          %a_word.40 = or i32 %a_word.39, %a_wide.43
          %a_at_2_2.1 = getelementptr i8, ptr %a_at_2_0.7, i64 2
          %safe_at.22 = select i1 %holds.15, ptr %a_at_2_2.1, ptr %fill_int8
          %a_2_2_one.1 = load i8, ptr %safe_at.22, align 1
          %a_wide.44 = zext i8 %a_2_2_one.1 to i32
          %a_wide.45 = shl i32 %a_wide.44, 16
          %a_word.41 = or i32 %a_word.40, %a_wide.45
          %a_at_2_3.1 = getelementptr i8, ptr %a_at_2_0.7, i64 3
          %safe_at.23 = select i1 %holds.16, ptr %a_at_2_3.1, ptr %fill_int8
          %a_2_3_one.1 = load i8, ptr %safe_at.23, align 1
          %a_wide.46 = zext i8 %a_2_3_one.1 to i32
          %a_wide.47 = shl i32 %a_wide.46, 24
          %a_word.42 = or i32 %a_word.41, %a_wide.47
          %a_words_lane0.23 = insertelement <16 x i32> poison, i32 %a_word.42, i64 0
          %a_words.23 = shufflevector <16 x i32> %a_words_lane0.23, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_int8xuint8
          %sums_0_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_0.7, <16 x i32> %b_words.6, <16 x i32> %a_words.21)
          %sums_0_1.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_0_1.7, <16 x i32> %b_words.7, <16 x i32> %a_words.21)
          %sums_1_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_0.7, <16 x i32> %b_words.6, <16 x i32> %a_words.22)
          %sums_1_1.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_1_1.7, <16 x i32> %b_words.7, <16 x i32> %a_words.22)
          %sums_2_0.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_0.7, <16 x i32> %b_words.6, <16 x i32> %a_words.23)
          %sums_2_1.8 = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sums_2_1.7, <16 x i32> %b_words.7, <16 x i32> %a_words.23)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.9 = add i64 %k_group.9, 1
          %k_group_more.9 = icmp slt i64 %k_group_next.9, %k_group_stop.3
          br i1 %k_group_more.9, label %k_group_loop.9, label %k_group_done.9
        k_group_done.9:
        %sums_0_0.9 = phi <16 x i32> [ %sums_0_0.6, %k_group_done.8 ], [ %sums_0_0.8, %k_group_loop.9 ]
        %sums_0_1.9 = phi <16 x i32> [ %sums_0_1.6, %k_group_done.8 ], [ %sums_0_1.8, %k_group_loop.9 ]
        %sums_1_0.9 = phi <16 x i32> [ %sums_1_0.6, %k_group_done.8 ], [ %sums_1_0.8, %k_group_loop.9 ]
        %sums_1_1.9 = phi <16 x i32> [ %sums_1_1.6, %k_group_done.8 ], [ %sums_1_1.8, %k_group_loop.9 ]
        %sums_2_0.9 = phi <16 x i32> [ %sums_2_0.6, %k_group_done.8 ], [ %sums_2_0.8, %k_group_loop.9 ]
        %sums_2_1.9 = phi <16 x i32> [ %sums_2_1.6, %k_group_done.8 ], [ %sums_2_1.8, %k_group_loop.9 ]
        ; row_sum = sums_of_rows[row, 0], broadcast
        %row_sum_0_one.1 = load i32, ptr %sums_of_rows, align 64
        %row_sum_0_lane0.1 = insertelement <16 x i32> poison, i32 %row_sum_0_one.1, i64 0
        %row_sum_0.1 = shufflevector <16 x i32> %row_sum_0_lane0.1, <16 x i32> poison, <16 x i32> zeroinitializer
        %row_sum_1_one.1 = load i32, ptr %sums_of_rows_at_0, align 64
        %row_sum_1_lane0.1 = insertelement <16 x i32> poison, i32 %row_sum_1_one.1, i64 0
        %row_sum_1.1 = shufflevector <16 x i32> %row_sum_1_lane0.1, <16 x i32> poison, <16 x i32> zeroinitializer
        %row_sum_2_one.1 = load i32, ptr %sums_of_rows_at_0.1, align 64
        %row_sum_2_lane0.1 = insertelement <16 x i32> poison, i32 %row_sum_2_one.1, i64 0
        %row_sum_2.1 = shufflevector <16 x i32> %row_sum_2_lane0.1, <16 x i32> poison, <16 x i32> zeroinitializer
        ; sums = sums + row_sum * -128, in int32
        %sums_0_0_mul = mul <16 x i32> %row_sum_0.1, splat (i32 -128)
        %sums_0_0_add = add <16 x i32> %sums_0_0.9, %sums_0_0_mul
        %sums_0_1_add = add <16 x i32> %sums_0_1.9, %sums_0_0_mul
        %sums_1_0_mul = mul <16 x i32> %row_sum_1.1, splat (i32 -128)
        %sums_1_0_add = add <16 x i32> %sums_1_0.9, %sums_1_0_mul
        %sums_1_1_add = add <16 x i32> %sums_1_1.9, %sums_1_0_mul
        %sums_2_0_mul = mul <16 x i32> %row_sum_2.1, splat (i32 -128)
        %sums_2_0_add = add <16 x i32> %sums_2_0.9, %sums_2_0_mul
        %sums_2_1_add = add <16 x i32> %sums_2_1.9, %sums_2_0_mul
        ; row0 = tile_row
        ; if row0 + 2 < m and column0 + 31 < n
        %index.63 = add i64 %column0, 31
        %holds.18 = icmp slt i64 %index.63, %n
        %both = and i1 %holds.17, %holds.18
        br i1 %both, label %then.1, label %otherwise.1
        then.1:
          ; result = sums, in int32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector
          %product.27 = mul i64 %tile_row, %out_row
          %index.64 = add i64 %product.27, %column0
          %out_at_0_0 = getelementptr i32, ptr %out, i64 %index.64
          store <16 x i32> %sums_0_0_add, ptr %out_at_0_0, align 4
          %out_at_0_1 = getelementptr i32, ptr %out_at_0_0, i64 16
          store <16 x i32> %sums_0_1_add, ptr %out_at_0_1, align 4
          %product.28 = mul i64 %index.40, %out_row
          %index.65 = add i64 %product.28, %column0
          %out_at_1_0 = getelementptr i32, ptr %out, i64 %index.65
          store <16 x i32> %sums_1_0_add, ptr %out_at_1_0, align 4
          %out_at_1_1 = getelementptr i32, ptr %out_at_1_0, i64 16
          store <16 x i32> %sums_1_1_add, ptr %out_at_1_1, align 4
          %product.29 = mul i64 %index.41, %out_row
          %index.66 = add i64 %product.29, %column0
          %out_at_2_0 = getelementptr i32, ptr %out, i64 %index.66
          store <16 x i32> %sums_2_0_add, ptr %out_at_2_0, align 4
          %out_at_2_1 = getelementptr i32, ptr %out_at_2_0, i64 16
          store <16 x i32> %sums_2_1_add, ptr %out_at_2_1, align 4
          br label %joined.1
        otherwise.1:
          ; result = sums, in int32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
          %holds.19 = icmp slt i64 %tile_row, %m
          %limit.1 = sub i64 %n, %column0
          %lane0.9 = insertelement <16 x i64> poison, i64 %limit.1, i64 0
          %all.9 = shufflevector <16 x i64> %lane0.9, <16 x i64> poison, <16 x i32> zeroinitializer
          %mask.10 = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.9
          %product.30 = mul i64 %tile_row, %out_row
          %index.67 = add i64 %product.30, %column0
          %out_at_0_0.1 = getelementptr i32, ptr %out, i64 %index.67
          %lane0.10 = insertelement <16 x i1> poison, i1 %holds.19, i64 0
          %all.10 = shufflevector <16 x i1> %lane0.10, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.11 = and <16 x i1> %mask.10, %all.10
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_0_0_add, ptr %out_at_0_0.1, i32 4, <16 x i1> %mask.11)
          %mask.12 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.9
          %out_at_0_1.1 = getelementptr i32, ptr %out_at_0_0.1, i64 16
          %mask.13 = and <16 x i1> %mask.12, %all.10
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_0_1_add, ptr %out_at_0_1.1, i32 4, <16 x i1> %mask.13)
          %holds.20 = icmp slt i64 %index.40, %m
          %product.31 = mul i64 %index.40, %out_row
          %index.68 = add i64 %product.31, %column0
          %out_at_1_0.1 = getelementptr i32, ptr %out, i64 %index.68
          %lane0.11 = insertelement <16 x i1> poison, i1 %holds.20, i64 0
          %all.11 = shufflevector <16 x i1> %lane0.11, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.14 = and <16 x i1> %mask.10, %all.11
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_1_0_add, ptr %out_at_1_0.1, i32 4, <16 x i1> %mask.14)
          %out_at_1_1.1 = getelementptr i32, ptr %out_at_1_0.1, i64 16
          %mask.15 = and <16 x i1> %mask.12, %all.11
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_1_1_add, ptr %out_at_1_1.1, i32 4, <16 x i1> %mask.15)
          %product.32 = mul i64 %index.41, %out_row
          %index.69 = add i64 %product.32, %column0
          %out_at_2_0.1 = getelementptr i32, ptr %out, i64 %index.69
          %lane0.12 = insertelement <16 x i1> poison, i1 %holds.17, i64 0
          %all.12 = shufflevector <16 x i1> %lane0.12, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.16 = and <16 x i1> %mask.10, %all.12
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_2_0_add, ptr %out_at_2_0.1, i32 4, <16 x i1> %mask.16)
          %out_at_2_1.1 = getelementptr i32, ptr %out_at_2_0.1, i64 16
          %mask.17 = and <16 x i1> %mask.12, %all.12
          call void @llvm.masked.store.v16i32.p0(<16 x i32> %sums_2_1_add, ptr %out_at_2_1.1, i32 4, <16 x i1> %mask.17)
          br label %joined.1
        joined.1:
        %panel_next.1 = add i64 %panel.1, 1
        %panel_more.1 = icmp slt i64 %panel_next.1, %last_panel
        br i1 %panel_more.1, label %panel_loop.1, label %panel_done.1
      panel_done.1:
      %tile_next = add i64 %tile, 1
      %tile_more = icmp slt i64 %tile_next, %tile_stop
      br i1 %tile_more, label %tile_loop, label %tile_done
    tile_done:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
