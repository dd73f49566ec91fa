; tracea: matmul int8 -> int32
; variant        cpu.contraction.dots for x86-64-v4
; configuration  3x16x2 s1 w1
; schedule       451addf9b3791d31def3c1af30c8f03936a789465d47f41fdb19cf735481219b
; certificate    82427a4d3376f47ff7d78ab79bb2ec14b1aec440c20a232b8b696102e3eeaeb0:

declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)
declare <8 x i8> @llvm.masked.load.v8i8.p0(ptr, i32, <8 x i1>, <8 x i8>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, i32, <8 x i1>)

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
; panels_of_b: panel of int8, column 16 = 16*4, part 4 = 4*1, ((n + 15) // 16 + column_splits - 1) // column_splits * ((k + 63) // 64) * 16 times, kept for a tile_column, aligned to 64 bytes
; sums: 3x16 of int32 in 6 registers of 8 lanes
; a: 3x4 of int8 in 12 registers of 8 lanes
; b: 4x16 of int8 in 8 registers of 8 lanes
; packed: 4x16 of int8 in 8 registers of 8 lanes
; result: 3x16 of int32 in 6 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
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
  %index = add i64 %n, 15
  %quotient = udiv i64 %index, 16
  %index.1 = add i64 %quotient, %column_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %column_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %column_splits
  %quotient.2 = add i64 %quotient.1, %below
  %index.3 = add i64 %k, 63
  %quotient.3 = udiv i64 %index.3, 64
  %product = mul i64 %quotient.2, %quotient.3
  %index.4 = mul i64 %product, 1024
  %index.5 = add i64 %index.4, 63
  %rest.1 = srem i64 %index.5, 64
  %below.1 = ashr i64 %rest.1, 63
  %quotient.4 = sdiv i64 %index.5, 64
  %quotient.5 = add i64 %quotient.4, %below.1
  %panels_of_b_bytes = mul i64 %quotient.5, 64
  %panels_of_b_own = mul i64 %worker, %panels_of_b_bytes
  %panels_of_b = getelementptr i8, ptr %panels_of_b_of_all, i64 %panels_of_b_own
  ; panels = (n + 15) // 16
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
  %index.44 = mul i64 %quotient.3, 16
  %index.50 = add i64 %k, 3
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
      ; if panel * 16 + 15 < n
      %index.9 = mul i64 %panel, 16
      %index.10 = add i64 %index.9, 15
      %holds = icmp slt i64 %index.10, %n
      br i1 %holds, label %then, label %otherwise
      then:
        ; for k_group from 0 to k // 4
        %k_group_stop = udiv i64 %k, 4
        %b_at_0_0 = getelementptr i8, ptr %b, i64 %index.9
        %index.15 = sub i64 %panel, %first_panel
        %index.16 = mul i64 %quotient.3, 16
        %product.10 = mul i64 %index.15, %index.16
        %index.17 = mul i64 %product.10, 64
        %panels_of_b_at_0_0 = getelementptr i8, ptr %panels_of_b, i64 %index.17
        %k_group_any = icmp slt i64 0, %k_group_stop
        br i1 %k_group_any, label %k_group_loop, label %k_group_done
        k_group_loop:
          %k_group = phi i64 [ 0, %then ], [ %k_group_next, %k_group_loop ]
          ; packed = b[(k_group * 4 + row) * b_row + panel * 16 + column], vector
          %index.11 = mul i64 %k_group, 4
          %product.6 = mul i64 %index.11, %b_row
          %b_at_0_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.6
          %packed_0_0 = load <8 x i8>, ptr %b_at_0_0.1, align 1
          %index.12 = add i64 %index.11, 1
          %product.7 = mul i64 %index.12, %b_row
          %b_at_1_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.7
          %packed_1_0 = load <8 x i8>, ptr %b_at_1_0, align 1
          %index.13 = add i64 %index.11, 2
          %product.8 = mul i64 %index.13, %b_row
          %b_at_2_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.8
          %packed_2_0 = load <8 x i8>, ptr %b_at_2_0, align 1
          %index.14 = add i64 %index.11, 3
          %product.9 = mul i64 %index.14, %b_row
          %b_at_3_0 = getelementptr i8, ptr %b_at_0_0, i64 %product.9
          %packed_3_0 = load <8 x i8>, ptr %b_at_3_0, align 1
          %b_at_0_1 = getelementptr i8, ptr %b_at_0_0.1, i64 8
          %packed_0_1 = load <8 x i8>, ptr %b_at_0_1, align 1
          %b_at_1_1 = getelementptr i8, ptr %b_at_1_0, i64 8
          %packed_1_1 = load <8 x i8>, ptr %b_at_1_1, align 1
          %b_at_2_1 = getelementptr i8, ptr %b_at_2_0, i64 8
          %packed_2_1 = load <8 x i8>, ptr %b_at_2_1, align 1
          %b_at_3_1 = getelementptr i8, ptr %b_at_3_0, i64 8
          %packed_3_1 = load <8 x i8>, ptr %b_at_3_1, align 1
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.18 = mul i64 %k_group, 64
          %panels_of_b_at_0_0.1 = getelementptr i8, ptr %panels_of_b_at_0_0, i64 %index.18
          %packed_pairs = shufflevector <8 x i8> %packed_0_0, <8 x i8> %packed_2_0, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.1 = shufflevector <8 x i8> %packed_1_0, <8 x i8> %packed_3_0, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.2 = shufflevector <16 x i8> %packed_pairs, <16 x i8> %packed_pairs.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words = bitcast <32 x i8> %packed_pairs.2 to <8 x i32>
          store <8 x i32> %packed_words, ptr %panels_of_b_at_0_0.1, align 64
          %panels_of_b_at_0_1 = getelementptr i8, ptr %panels_of_b_at_0_0.1, i64 32
          %packed_pairs.3 = shufflevector <8 x i8> %packed_0_1, <8 x i8> %packed_2_1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.4 = shufflevector <8 x i8> %packed_1_1, <8 x i8> %packed_3_1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.5 = shufflevector <16 x i8> %packed_pairs.3, <16 x i8> %packed_pairs.4, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.1 = bitcast <32 x i8> %packed_pairs.5 to <8 x i32>
          store <8 x i32> %packed_words.1, ptr %panels_of_b_at_0_1, align 32
          %k_group_next = add i64 %k_group, 1
          %k_group_more = icmp slt i64 %k_group_next, %k_group_stop
          br i1 %k_group_more, label %k_group_loop, label %k_group_done
        k_group_done:
        ; for k_group from k // 4 to k_steps * 16
        %k_group_any.1 = icmp slt i64 %k_group_stop, %index.16
        br i1 %k_group_any.1, label %k_group_loop.1, label %k_group_done.1
        k_group_loop.1:
          %k_group.1 = phi i64 [ %k_group_stop, %k_group_done ], [ %k_group_next.1, %k_group_loop.1 ]
          ; packed = b[(k_group * 4 + row) * b_row + panel * 16 + column], vector where k_group * 4 + row < k, else 0
          %index.19 = mul i64 %k_group.1, 4
          %holds.1 = icmp slt i64 %index.19, %k
          %product.11 = mul i64 %index.19, %b_row
          %b_at_0_0.2 = getelementptr i8, ptr %b_at_0_0, i64 %product.11
          %lane0 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
          %all = shufflevector <8 x i1> %lane0, <8 x i1> poison, <8 x i32> zeroinitializer
          %packed_0_0.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_0.2, i32 1, <8 x i1> %all, <8 x i8> zeroinitializer)
          %index.20 = add i64 %index.19, 1
          %holds.2 = icmp slt i64 %index.20, %k
          %product.12 = mul i64 %index.20, %b_row
          %b_at_1_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.12
          %lane0.1 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
          %all.1 = shufflevector <8 x i1> %lane0.1, <8 x i1> poison, <8 x i32> zeroinitializer
          %packed_1_0.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_0.1, i32 1, <8 x i1> %all.1, <8 x i8> zeroinitializer)
          %index.21 = add i64 %index.19, 2
          %holds.3 = icmp slt i64 %index.21, %k
          %product.13 = mul i64 %index.21, %b_row
          %b_at_2_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.13
          %lane0.2 = insertelement <8 x i1> poison, i1 %holds.3, i64 0
          %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
          %packed_2_0.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_0.1, i32 1, <8 x i1> %all.2, <8 x i8> zeroinitializer)
          %index.22 = add i64 %index.19, 3
          %holds.4 = icmp slt i64 %index.22, %k
          %product.14 = mul i64 %index.22, %b_row
          %b_at_3_0.1 = getelementptr i8, ptr %b_at_0_0, i64 %product.14
          %lane0.3 = insertelement <8 x i1> poison, i1 %holds.4, i64 0
          %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
          %packed_3_0.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_0.1, i32 1, <8 x i1> %all.3, <8 x i8> zeroinitializer)
          %b_at_0_1.1 = getelementptr i8, ptr %b_at_0_0.2, i64 8
          %packed_0_1.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_1.1, i32 1, <8 x i1> %all, <8 x i8> zeroinitializer)
          %b_at_1_1.1 = getelementptr i8, ptr %b_at_1_0.1, i64 8
          %packed_1_1.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_1.1, i32 1, <8 x i1> %all.1, <8 x i8> zeroinitializer)
          %b_at_2_1.1 = getelementptr i8, ptr %b_at_2_0.1, i64 8
          %packed_2_1.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_1.1, i32 1, <8 x i1> %all.2, <8 x i8> zeroinitializer)
          %b_at_3_1.1 = getelementptr i8, ptr %b_at_3_0.1, i64 8
          %packed_3_1.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_1.1, i32 1, <8 x i1> %all.3, <8 x i8> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.23 = mul i64 %k_group.1, 64
          %panels_of_b_at_0_0.2 = getelementptr i8, ptr %panels_of_b_at_0_0, i64 %index.23
          %packed_pairs.6 = shufflevector <8 x i8> %packed_0_0.1, <8 x i8> %packed_2_0.1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.7 = shufflevector <8 x i8> %packed_1_0.1, <8 x i8> %packed_3_0.1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.8 = shufflevector <16 x i8> %packed_pairs.6, <16 x i8> %packed_pairs.7, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.2 = bitcast <32 x i8> %packed_pairs.8 to <8 x i32>
          store <8 x i32> %packed_words.2, ptr %panels_of_b_at_0_0.2, align 64
          %panels_of_b_at_0_1.1 = getelementptr i8, ptr %panels_of_b_at_0_0.2, i64 32
          %packed_pairs.9 = shufflevector <8 x i8> %packed_0_1.1, <8 x i8> %packed_2_1.1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.10 = shufflevector <8 x i8> %packed_1_1.1, <8 x i8> %packed_3_1.1, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.11 = shufflevector <16 x i8> %packed_pairs.9, <16 x i8> %packed_pairs.10, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.3 = bitcast <32 x i8> %packed_pairs.11 to <8 x i32>
          store <8 x i32> %packed_words.3, ptr %panels_of_b_at_0_1.1, align 32
          %k_group_next.1 = add i64 %k_group.1, 1
          %k_group_more.1 = icmp slt i64 %k_group_next.1, %index.16
          br i1 %k_group_more.1, label %k_group_loop.1, label %k_group_done.1
        k_group_done.1:
        br label %joined
      otherwise:
        ; for k_group from 0 to k // 4
        %k_group_stop.1 = udiv i64 %k, 4
        %index.24 = mul i64 %panel, -16
        %limit = add i64 %n, %index.24
        %lane0.4 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all.4 = shufflevector <8 x i64> %lane0.4, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.4
        %b_at_0_0.3 = getelementptr i8, ptr %b, i64 %index.9
        %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.4
        %index.29 = sub i64 %panel, %first_panel
        %index.30 = mul i64 %quotient.3, 16
        %product.19 = mul i64 %index.29, %index.30
        %index.31 = mul i64 %product.19, 64
        %panels_of_b_at_0_0.3 = getelementptr i8, ptr %panels_of_b, i64 %index.31
        %k_group_any.2 = icmp slt i64 0, %k_group_stop.1
        br i1 %k_group_any.2, label %k_group_loop.2, label %k_group_done.2
        k_group_loop.2:
          %k_group.2 = phi i64 [ 0, %otherwise ], [ %k_group_next.2, %k_group_loop.2 ]
          ; packed = b[(k_group * 4 + row) * b_row + panel * 16 + column], vector where panel * 16 + column < n, else 0
          %index.25 = mul i64 %k_group.2, 4
          %product.15 = mul i64 %index.25, %b_row
          %b_at_0_0.4 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.15
          %packed_0_0.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_0.4, i32 1, <8 x i1> %mask, <8 x i8> zeroinitializer)
          %index.26 = add i64 %index.25, 1
          %product.16 = mul i64 %index.26, %b_row
          %b_at_1_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.16
          %packed_1_0.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_0.2, i32 1, <8 x i1> %mask, <8 x i8> zeroinitializer)
          %index.27 = add i64 %index.25, 2
          %product.17 = mul i64 %index.27, %b_row
          %b_at_2_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.17
          %packed_2_0.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_0.2, i32 1, <8 x i1> %mask, <8 x i8> zeroinitializer)
          %index.28 = add i64 %index.25, 3
          %product.18 = mul i64 %index.28, %b_row
          %b_at_3_0.2 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.18
          %packed_3_0.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_0.2, i32 1, <8 x i1> %mask, <8 x i8> zeroinitializer)
          %b_at_0_1.2 = getelementptr i8, ptr %b_at_0_0.4, i64 8
          %packed_0_1.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_1.2, i32 1, <8 x i1> %mask.1, <8 x i8> zeroinitializer)
          %b_at_1_1.2 = getelementptr i8, ptr %b_at_1_0.2, i64 8
          %packed_1_1.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_1.2, i32 1, <8 x i1> %mask.1, <8 x i8> zeroinitializer)
          %b_at_2_1.2 = getelementptr i8, ptr %b_at_2_0.2, i64 8
          %packed_2_1.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_1.2, i32 1, <8 x i1> %mask.1, <8 x i8> zeroinitializer)
          %b_at_3_1.2 = getelementptr i8, ptr %b_at_3_0.2, i64 8
          %packed_3_1.2 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_1.2, i32 1, <8 x i1> %mask.1, <8 x i8> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.32 = mul i64 %k_group.2, 64
          %panels_of_b_at_0_0.4 = getelementptr i8, ptr %panels_of_b_at_0_0.3, i64 %index.32
          %packed_pairs.12 = shufflevector <8 x i8> %packed_0_0.2, <8 x i8> %packed_2_0.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.13 = shufflevector <8 x i8> %packed_1_0.2, <8 x i8> %packed_3_0.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.14 = shufflevector <16 x i8> %packed_pairs.12, <16 x i8> %packed_pairs.13, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.4 = bitcast <32 x i8> %packed_pairs.14 to <8 x i32>
          store <8 x i32> %packed_words.4, ptr %panels_of_b_at_0_0.4, align 64
          %panels_of_b_at_0_1.2 = getelementptr i8, ptr %panels_of_b_at_0_0.4, i64 32
          %packed_pairs.15 = shufflevector <8 x i8> %packed_0_1.2, <8 x i8> %packed_2_1.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.16 = shufflevector <8 x i8> %packed_1_1.2, <8 x i8> %packed_3_1.2, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.17 = shufflevector <16 x i8> %packed_pairs.15, <16 x i8> %packed_pairs.16, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.5 = bitcast <32 x i8> %packed_pairs.17 to <8 x i32>
          store <8 x i32> %packed_words.5, ptr %panels_of_b_at_0_1.2, align 32
          %k_group_next.2 = add i64 %k_group.2, 1
          %k_group_more.2 = icmp slt i64 %k_group_next.2, %k_group_stop.1
          br i1 %k_group_more.2, label %k_group_loop.2, label %k_group_done.2
        k_group_done.2:
        ; for k_group from k // 4 to k_steps * 16
        %k_group_any.3 = icmp slt i64 %k_group_stop.1, %index.30
        br i1 %k_group_any.3, label %k_group_loop.3, label %k_group_done.3
        k_group_loop.3:
          %k_group.3 = phi i64 [ %k_group_stop.1, %k_group_done.2 ], [ %k_group_next.3, %k_group_loop.3 ]
          ; packed = b[(k_group * 4 + row) * b_row + panel * 16 + column], vector where panel * 16 + column < n and k_group * 4 + row < k, else 0
          %index.33 = mul i64 %k_group.3, 4
          %holds.5 = icmp slt i64 %index.33, %k
          %product.20 = mul i64 %index.33, %b_row
          %b_at_0_0.5 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.20
          %lane0.5 = insertelement <8 x i1> poison, i1 %holds.5, i64 0
          %all.5 = shufflevector <8 x i1> %lane0.5, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.2 = and <8 x i1> %mask, %all.5
          %packed_0_0.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_0.5, i32 1, <8 x i1> %mask.2, <8 x i8> zeroinitializer)
          %index.34 = add i64 %index.33, 1
          %holds.6 = icmp slt i64 %index.34, %k
          %product.21 = mul i64 %index.34, %b_row
          %b_at_1_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.21
          %lane0.6 = insertelement <8 x i1> poison, i1 %holds.6, i64 0
          %all.6 = shufflevector <8 x i1> %lane0.6, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.3 = and <8 x i1> %mask, %all.6
          %packed_1_0.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_0.3, i32 1, <8 x i1> %mask.3, <8 x i8> zeroinitializer)
          %index.35 = add i64 %index.33, 2
          %holds.7 = icmp slt i64 %index.35, %k
          %product.22 = mul i64 %index.35, %b_row
          %b_at_2_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.22
          %lane0.7 = insertelement <8 x i1> poison, i1 %holds.7, i64 0
          %all.7 = shufflevector <8 x i1> %lane0.7, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.4 = and <8 x i1> %mask, %all.7
          %packed_2_0.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_0.3, i32 1, <8 x i1> %mask.4, <8 x i8> zeroinitializer)
          %index.36 = add i64 %index.33, 3
          %holds.8 = icmp slt i64 %index.36, %k
          %product.23 = mul i64 %index.36, %b_row
          %b_at_3_0.3 = getelementptr i8, ptr %b_at_0_0.3, i64 %product.23
          %lane0.8 = insertelement <8 x i1> poison, i1 %holds.8, i64 0
          %all.8 = shufflevector <8 x i1> %lane0.8, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.5 = and <8 x i1> %mask, %all.8
          %packed_3_0.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_0.3, i32 1, <8 x i1> %mask.5, <8 x i8> zeroinitializer)
          %b_at_0_1.3 = getelementptr i8, ptr %b_at_0_0.5, i64 8
          %mask.6 = and <8 x i1> %mask.1, %all.5
          %packed_0_1.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0_1.3, i32 1, <8 x i1> %mask.6, <8 x i8> zeroinitializer)
          %b_at_1_1.3 = getelementptr i8, ptr %b_at_1_0.3, i64 8
          %mask.7 = and <8 x i1> %mask.1, %all.6
          %packed_1_1.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1_1.3, i32 1, <8 x i1> %mask.7, <8 x i8> zeroinitializer)
          %b_at_2_1.3 = getelementptr i8, ptr %b_at_2_0.3, i64 8
          %mask.8 = and <8 x i1> %mask.1, %all.7
          %packed_2_1.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_2_1.3, i32 1, <8 x i1> %mask.8, <8 x i8> zeroinitializer)
          %b_at_3_1.3 = getelementptr i8, ptr %b_at_3_0.3, i64 8
          %mask.9 = and <8 x i1> %mask.1, %all.8
          %packed_3_1.3 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_3_1.3, i32 1, <8 x i1> %mask.9, <8 x i8> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.37 = mul i64 %k_group.3, 64
          %panels_of_b_at_0_0.5 = getelementptr i8, ptr %panels_of_b_at_0_0.3, i64 %index.37
          %packed_pairs.18 = shufflevector <8 x i8> %packed_0_0.3, <8 x i8> %packed_2_0.3, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.19 = shufflevector <8 x i8> %packed_1_0.3, <8 x i8> %packed_3_0.3, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.20 = shufflevector <16 x i8> %packed_pairs.18, <16 x i8> %packed_pairs.19, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.6 = bitcast <32 x i8> %packed_pairs.20 to <8 x i32>
          store <8 x i32> %packed_words.6, ptr %panels_of_b_at_0_0.5, align 64
          %panels_of_b_at_0_1.3 = getelementptr i8, ptr %panels_of_b_at_0_0.5, i64 32
          %packed_pairs.21 = shufflevector <8 x i8> %packed_0_1.3, <8 x i8> %packed_2_1.3, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.22 = shufflevector <8 x i8> %packed_1_1.3, <8 x i8> %packed_3_1.3, <16 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11, i32 4, i32 12, i32 5, i32 13, i32 6, i32 14, i32 7, i32 15>
          %packed_pairs.23 = shufflevector <16 x i8> %packed_pairs.21, <16 x i8> %packed_pairs.22, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.7 = bitcast <32 x i8> %packed_pairs.23 to <8 x i32>
          store <8 x i32> %packed_words.7, ptr %panels_of_b_at_0_1.3, align 32
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
    %index.42 = mul i64 %first_panel, -1
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %panel_done ], [ %tile_next, %panel_done.1 ]
      ; tile_row = tile * 3
      %tile_row = mul i64 %tile, 3
      ; for panel from first_panel to last_panel
      %min = call i64 @llvm.smin.i64(i64 %tile_row, i64 %index.39)
      %a_base_0_0 = mul i64 %min, %a_row
      %index.40 = add i64 %tile_row, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.40, i64 %index.39)
      %a_base_1_0 = mul i64 %min.1, %a_row
      %index.41 = add i64 %tile_row, 2
      %min.2 = call i64 @llvm.smin.i64(i64 %index.41, i64 %index.39)
      %a_base_2_0 = mul i64 %min.2, %a_row
      %a_at_0_0 = getelementptr i8, ptr %a, i64 %a_base_0_0
      %a_at_1_0 = getelementptr i8, ptr %a, i64 %a_base_1_0
      %a_at_2_0 = getelementptr i8, ptr %a, i64 %a_base_2_0
      %holds.13 = icmp slt i64 %index.41, %m
      br i1 %panel_any, label %panel_loop.1, label %panel_done.1
      panel_loop.1:
        %panel.1 = phi i64 [ %first_panel, %tile_loop ], [ %panel_next.1, %joined.1 ]
        ; column0 = panel * 16
        %column0 = mul i64 %panel.1, 16
        ; sums = 0
        ; a_base = min(tile_row + row, m - 1) * a_row for each element of a
        ; for k_group from 0 to k // 4, 2 at a time
        %k_group_stop.2 = udiv i64 %k, 4
        %index.43 = add i64 %index.42, %panel.1
        %product.26 = mul i64 %index.43, %index.44
        %index.45 = mul i64 %product.26, 64
        %panels_of_b_at_0_0.6 = getelementptr i8, ptr %panels_of_b, i64 %index.45
        %k_group_limit = add i64 %k_group_stop.2, -1
        %k_group_any.4 = icmp slt i64 0, %k_group_limit
        br i1 %k_group_any.4, label %k_group_loop.4, label %k_group_done.4
        k_group_loop.4:
          %k_group.4 = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.4, %k_group_loop.4 ]
          %sums_0_0 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.4, %k_group_loop.4 ]
          %sums_0_1 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.4, %k_group_loop.4 ]
          %sums_1_0 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.4, %k_group_loop.4 ]
          %sums_1_1 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.4, %k_group_loop.4 ]
          %sums_2_0 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.4, %k_group_loop.4 ]
          %sums_2_1 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.4, %k_group_loop.4 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.46 = mul i64 %k_group.4, 64
          %panels_of_b_at_0_0.7 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.46
          %b_words = load <8 x i32>, ptr %panels_of_b_at_0_0.7, align 64
          %panels_of_b_at_0_1.4 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 32
          %b_words.1 = load <8 x i32>, ptr %panels_of_b_at_0_1.4, align 32
          ; a = a[a_base + k_group * 4 + column], broadcast
          %index.47 = mul i64 %k_group.4, 4
          %a_at_0_0.1 = getelementptr i8, ptr %a_at_0_0, i64 %index.47
          %a_word.1 = load i32, ptr %a_at_0_0.1, align 1
          %a_words_lane0 = insertelement <8 x i32> poison, i32 %a_word.1, i64 0
          %a_words = shufflevector <8 x i32> %a_words_lane0, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_1_0.1 = getelementptr i8, ptr %a_at_1_0, i64 %index.47
          %a_word.2 = load i32, ptr %a_at_1_0.1, align 1
          %a_words_lane0.1 = insertelement <8 x i32> poison, i32 %a_word.2, i64 0
          %a_words.1 = shufflevector <8 x i32> %a_words_lane0.1, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_2_0.1 = getelementptr i8, ptr %a_at_2_0, i64 %index.47
          %a_word.3 = load i32, ptr %a_at_2_0.1, align 1
          %a_words_lane0.2 = insertelement <8 x i32> poison, i32 %a_word.3, i64 0
          %a_words.2 = shufflevector <8 x i32> %a_words_lane0.2, <8 x i32> poison, <8 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x8_int8
          %halves = bitcast <8 x i32> %a_words to <16 x i16>
          %even = shl <16 x i16> %halves, splat (i16 8)
          %even.1 = ashr <16 x i16> %even, splat (i16 8)
          %halves.1 = bitcast <8 x i32> %b_words to <16 x i16>
          %even.2 = shl <16 x i16> %halves.1, splat (i16 8)
          %even.3 = ashr <16 x i16> %even.2, splat (i16 8)
          %pairs = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.1, <16 x i16> %even.3)
          %sums_0_0.1 = add <8 x i32> %sums_0_0, %pairs
          %odd = ashr <16 x i16> %halves, splat (i16 8)
          %odd.1 = ashr <16 x i16> %halves.1, splat (i16 8)
          %pairs.1 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd, <16 x i16> %odd.1)
          %sums_0_0.2 = add <8 x i32> %sums_0_0.1, %pairs.1
          %halves.2 = bitcast <8 x i32> %b_words.1 to <16 x i16>
          %even.4 = shl <16 x i16> %halves.2, splat (i16 8)
          %even.5 = ashr <16 x i16> %even.4, splat (i16 8)
          %pairs.2 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.1, <16 x i16> %even.5)
          %sums_0_1.1 = add <8 x i32> %sums_0_1, %pairs.2
          %odd.2 = ashr <16 x i16> %halves.2, splat (i16 8)
          %pairs.3 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd, <16 x i16> %odd.2)
          %sums_0_1.2 = add <8 x i32> %sums_0_1.1, %pairs.3
          %halves.3 = bitcast <8 x i32> %a_words.1 to <16 x i16>
          %even.6 = shl <16 x i16> %halves.3, splat (i16 8)
          %even.7 = ashr <16 x i16> %even.6, splat (i16 8)
          %pairs.4 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.7, <16 x i16> %even.3)
          %sums_1_0.1 = add <8 x i32> %sums_1_0, %pairs.4
          %odd.3 = ashr <16 x i16> %halves.3, splat (i16 8)
          %pairs.5 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.3, <16 x i16> %odd.1)
          %sums_1_0.2 = add <8 x i32> %sums_1_0.1, %pairs.5
          %pairs.6 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.7, <16 x i16> %even.5)
          %sums_1_1.1 = add <8 x i32> %sums_1_1, %pairs.6
          %pairs.7 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.3, <16 x i16> %odd.2)
          %sums_1_1.2 = add <8 x i32> %sums_1_1.1, %pairs.7
          %halves.4 = bitcast <8 x i32> %a_words.2 to <16 x i16>
          %even.8 = shl <16 x i16> %halves.4, splat (i16 8)
          %even.9 = ashr <16 x i16> %even.8, splat (i16 8)
          %pairs.8 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.9, <16 x i16> %even.3)
          %sums_2_0.1 = add <8 x i32> %sums_2_0, %pairs.8
          %odd.4 = ashr <16 x i16> %halves.4, splat (i16 8)
          %pairs.9 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.4, <16 x i16> %odd.1)
          %sums_2_0.2 = add <8 x i32> %sums_2_0.1, %pairs.9
          %pairs.10 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.9, <16 x i16> %even.5)
          %sums_2_1.1 = add <8 x i32> %sums_2_1, %pairs.10
          %pairs.11 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.4, <16 x i16> %odd.2)
          %sums_2_1.2 = add <8 x i32> %sums_2_1.1, %pairs.11
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          ; k_group + 1
          %panels_of_b_at_0_0.8 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 64
          %b_words.2 = load <8 x i32>, ptr %panels_of_b_at_0_0.8, align 64
          %panels_of_b_at_0_1.5 = getelementptr i8, ptr %panels_of_b_at_0_0.7, i64 96
          %b_words.3 = load <8 x i32>, ptr %panels_of_b_at_0_1.5, align 32
          %a_at_0_0.2 = getelementptr i8, ptr %a_at_0_0.1, i64 4
          %a_word.4 = load i32, ptr %a_at_0_0.2, align 1
          %a_words_lane0.3 = insertelement <8 x i32> poison, i32 %a_word.4, i64 0
          %a_words.3 = shufflevector <8 x i32> %a_words_lane0.3, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_1_0.2 = getelementptr i8, ptr %a_at_1_0.1, i64 4
          %a_word.5 = load i32, ptr %a_at_1_0.2, align 1
          %a_words_lane0.4 = insertelement <8 x i32> poison, i32 %a_word.5, i64 0
          %a_words.4 = shufflevector <8 x i32> %a_words_lane0.4, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_2_0.2 = getelementptr i8, ptr %a_at_2_0.1, i64 4
          %a_word.6 = load i32, ptr %a_at_2_0.2, align 1
          %a_words_lane0.5 = insertelement <8 x i32> poison, i32 %a_word.6, i64 0
          %a_words.5 = shufflevector <8 x i32> %a_words_lane0.5, <8 x i32> poison, <8 x i32> zeroinitializer
          %halves.5 = bitcast <8 x i32> %a_words.3 to <16 x i16>
          %even.10 = shl <16 x i16> %halves.5, splat (i16 8)
          %even.11 = ashr <16 x i16> %even.10, splat (i16 8)
          %halves.6 = bitcast <8 x i32> %b_words.2 to <16 x i16>
          %even.12 = shl <16 x i16> %halves.6, splat (i16 8)
          %even.13 = ashr <16 x i16> %even.12, splat (i16 8)
          %pairs.12 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.11, <16 x i16> %even.13)
          %sums_0_0.3 = add <8 x i32> %sums_0_0.2, %pairs.12
          %odd.5 = ashr <16 x i16> %halves.5, splat (i16 8)
          %odd.6 = ashr <16 x i16> %halves.6, splat (i16 8)
          %pairs.13 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.5, <16 x i16> %odd.6)
          %sums_0_0.4 = add <8 x i32> %sums_0_0.3, %pairs.13
          %halves.7 = bitcast <8 x i32> %b_words.3 to <16 x i16>
          %even.14 = shl <16 x i16> %halves.7, splat (i16 8)
          %even.15 = ashr <16 x i16> %even.14, splat (i16 8)
          %pairs.14 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.11, <16 x i16> %even.15)
          %sums_0_1.3 = add <8 x i32> %sums_0_1.2, %pairs.14
          %odd.7 = ashr <16 x i16> %halves.7, splat (i16 8)
          %pairs.15 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.5, <16 x i16> %odd.7)
          %sums_0_1.4 = add <8 x i32> %sums_0_1.3, %pairs.15
          %halves.8 = bitcast <8 x i32> %a_words.4 to <16 x i16>
          %even.16 = shl <16 x i16> %halves.8, splat (i16 8)
          %even.17 = ashr <16 x i16> %even.16, splat (i16 8)
          %pairs.16 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.17, <16 x i16> %even.13)
          %sums_1_0.3 = add <8 x i32> %sums_1_0.2, %pairs.16
          %odd.8 = ashr <16 x i16> %halves.8, splat (i16 8)
          %pairs.17 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.8, <16 x i16> %odd.6)
          %sums_1_0.4 = add <8 x i32> %sums_1_0.3, %pairs.17
          %pairs.18 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.17, <16 x i16> %even.15)
          %sums_1_1.3 = add <8 x i32> %sums_1_1.2, %pairs.18
          %pairs.19 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.8, <16 x i16> %odd.7)
          %sums_1_1.4 = add <8 x i32> %sums_1_1.3, %pairs.19
          %halves.9 = bitcast <8 x i32> %a_words.5 to <16 x i16>
          %even.18 = shl <16 x i16> %halves.9, splat (i16 8)
          %even.19 = ashr <16 x i16> %even.18, splat (i16 8)
          %pairs.20 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.19, <16 x i16> %even.13)
          %sums_2_0.3 = add <8 x i32> %sums_2_0.2, %pairs.20
          %odd.9 = ashr <16 x i16> %halves.9, splat (i16 8)
          %pairs.21 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.9, <16 x i16> %odd.6)
          %sums_2_0.4 = add <8 x i32> %sums_2_0.3, %pairs.21
          %pairs.22 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.19, <16 x i16> %even.15)
          %sums_2_1.3 = add <8 x i32> %sums_2_1.2, %pairs.22
          %pairs.23 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.9, <16 x i16> %odd.7)
          %sums_2_1.4 = add <8 x i32> %sums_2_1.3, %pairs.23
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.4 = add i64 %k_group.4, 2
          %k_group_more.4 = icmp slt i64 %k_group_next.4, %k_group_limit
          br i1 %k_group_more.4, label %k_group_loop.4, label %k_group_done.4
        k_group_done.4:
        %sums_0_0.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.4, %k_group_loop.4 ]
        %sums_0_1.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.4, %k_group_loop.4 ]
        %sums_1_0.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.4, %k_group_loop.4 ]
        %sums_1_1.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.4, %k_group_loop.4 ]
        %sums_2_0.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.4, %k_group_loop.4 ]
        %sums_2_1.5 = phi <8 x i32> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.4, %k_group_loop.4 ]
        %k_group_rest = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.4, %k_group_loop.4 ]
        ; what is left of k_group
        %k_group_any.5 = icmp slt i64 %k_group_rest, %k_group_stop.2
        br i1 %k_group_any.5, label %k_group_loop.5, label %k_group_done.5
        k_group_loop.5:
          %k_group.5 = phi i64 [ %k_group_rest, %k_group_done.4 ], [ %k_group_next.5, %k_group_loop.5 ]
          %sums_0_0.6 = phi <8 x i32> [ %sums_0_0.5, %k_group_done.4 ], [ %sums_0_0.8, %k_group_loop.5 ]
          %sums_0_1.6 = phi <8 x i32> [ %sums_0_1.5, %k_group_done.4 ], [ %sums_0_1.8, %k_group_loop.5 ]
          %sums_1_0.6 = phi <8 x i32> [ %sums_1_0.5, %k_group_done.4 ], [ %sums_1_0.8, %k_group_loop.5 ]
          %sums_1_1.6 = phi <8 x i32> [ %sums_1_1.5, %k_group_done.4 ], [ %sums_1_1.8, %k_group_loop.5 ]
          %sums_2_0.6 = phi <8 x i32> [ %sums_2_0.5, %k_group_done.4 ], [ %sums_2_0.8, %k_group_loop.5 ]
          %sums_2_1.6 = phi <8 x i32> [ %sums_2_1.5, %k_group_done.4 ], [ %sums_2_1.8, %k_group_loop.5 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.48 = mul i64 %k_group.5, 64
          %panels_of_b_at_0_0.9 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.48
          %b_words.4 = load <8 x i32>, ptr %panels_of_b_at_0_0.9, align 64
          %panels_of_b_at_0_1.6 = getelementptr i8, ptr %panels_of_b_at_0_0.9, i64 32
          %b_words.5 = load <8 x i32>, ptr %panels_of_b_at_0_1.6, align 32
          ; a = a[a_base + k_group * 4 + column], broadcast
          %index.49 = mul i64 %k_group.5, 4
          %a_at_0_0.3 = getelementptr i8, ptr %a_at_0_0, i64 %index.49
          %a_word.7 = load i32, ptr %a_at_0_0.3, align 1
          %a_words_lane0.6 = insertelement <8 x i32> poison, i32 %a_word.7, i64 0
          %a_words.6 = shufflevector <8 x i32> %a_words_lane0.6, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_1_0.3 = getelementptr i8, ptr %a_at_1_0, i64 %index.49
          %a_word.8 = load i32, ptr %a_at_1_0.3, align 1
          %a_words_lane0.7 = insertelement <8 x i32> poison, i32 %a_word.8, i64 0
          %a_words.7 = shufflevector <8 x i32> %a_words_lane0.7, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_2_0.3 = getelementptr i8, ptr %a_at_2_0, i64 %index.49
          %a_word.9 = load i32, ptr %a_at_2_0.3, align 1
          %a_words_lane0.8 = insertelement <8 x i32> poison, i32 %a_word.9, i64 0
          %a_words.8 = shufflevector <8 x i32> %a_words_lane0.8, <8 x i32> poison, <8 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x8_int8
          %halves.10 = bitcast <8 x i32> %a_words.6 to <16 x i16>
          %even.20 = shl <16 x i16> %halves.10, splat (i16 8)
          %even.21 = ashr <16 x i16> %even.20, splat (i16 8)
          %halves.11 = bitcast <8 x i32> %b_words.4 to <16 x i16>
          %even.22 = shl <16 x i16> %halves.11, splat (i16 8)
          %even.23 = ashr <16 x i16> %even.22, splat (i16 8)
          %pairs.24 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.21, <16 x i16> %even.23)
          %sums_0_0.7 = add <8 x i32> %sums_0_0.6, %pairs.24
          %odd.10 = ashr <16 x i16> %halves.10, splat (i16 8)
          %odd.11 = ashr <16 x i16> %halves.11, splat (i16 8)
          %pairs.25 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.10, <16 x i16> %odd.11)
          %sums_0_0.8 = add <8 x i32> %sums_0_0.7, %pairs.25
          %halves.12 = bitcast <8 x i32> %b_words.5 to <16 x i16>
          %even.24 = shl <16 x i16> %halves.12, splat (i16 8)
          %even.25 = ashr <16 x i16> %even.24, splat (i16 8)
          %pairs.26 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.21, <16 x i16> %even.25)
          %sums_0_1.7 = add <8 x i32> %sums_0_1.6, %pairs.26
          %odd.12 = ashr <16 x i16> %halves.12, splat (i16 8)
          %pairs.27 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.10, <16 x i16> %odd.12)
          %sums_0_1.8 = add <8 x i32> %sums_0_1.7, %pairs.27
          %halves.13 = bitcast <8 x i32> %a_words.7 to <16 x i16>
          %even.26 = shl <16 x i16> %halves.13, splat (i16 8)
          %even.27 = ashr <16 x i16> %even.26, splat (i16 8)
          %pairs.28 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.27, <16 x i16> %even.23)
          %sums_1_0.7 = add <8 x i32> %sums_1_0.6, %pairs.28
          %odd.13 = ashr <16 x i16> %halves.13, splat (i16 8)
          %pairs.29 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.13, <16 x i16> %odd.11)
          %sums_1_0.8 = add <8 x i32> %sums_1_0.7, %pairs.29
          %pairs.30 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.27, <16 x i16> %even.25)
          %sums_1_1.7 = add <8 x i32> %sums_1_1.6, %pairs.30
          %pairs.31 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.13, <16 x i16> %odd.12)
          %sums_1_1.8 = add <8 x i32> %sums_1_1.7, %pairs.31
          %halves.14 = bitcast <8 x i32> %a_words.8 to <16 x i16>
          %even.28 = shl <16 x i16> %halves.14, splat (i16 8)
          %even.29 = ashr <16 x i16> %even.28, splat (i16 8)
          %pairs.32 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.29, <16 x i16> %even.23)
          %sums_2_0.7 = add <8 x i32> %sums_2_0.6, %pairs.32
          %odd.14 = ashr <16 x i16> %halves.14, splat (i16 8)
          %pairs.33 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.14, <16 x i16> %odd.11)
          %sums_2_0.8 = add <8 x i32> %sums_2_0.7, %pairs.33
          %pairs.34 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.29, <16 x i16> %even.25)
          %sums_2_1.7 = add <8 x i32> %sums_2_1.6, %pairs.34
          %pairs.35 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.14, <16 x i16> %odd.12)
          %sums_2_1.8 = add <8 x i32> %sums_2_1.7, %pairs.35
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.5 = add i64 %k_group.5, 1
          %k_group_more.5 = icmp slt i64 %k_group_next.5, %k_group_stop.2
          br i1 %k_group_more.5, label %k_group_loop.5, label %k_group_done.5
        k_group_done.5:
        %sums_0_0.9 = phi <8 x i32> [ %sums_0_0.5, %k_group_done.4 ], [ %sums_0_0.8, %k_group_loop.5 ]
        %sums_0_1.9 = phi <8 x i32> [ %sums_0_1.5, %k_group_done.4 ], [ %sums_0_1.8, %k_group_loop.5 ]
        %sums_1_0.9 = phi <8 x i32> [ %sums_1_0.5, %k_group_done.4 ], [ %sums_1_0.8, %k_group_loop.5 ]
        %sums_1_1.9 = phi <8 x i32> [ %sums_1_1.5, %k_group_done.4 ], [ %sums_1_1.8, %k_group_loop.5 ]
        %sums_2_0.9 = phi <8 x i32> [ %sums_2_0.5, %k_group_done.4 ], [ %sums_2_0.8, %k_group_loop.5 ]
        %sums_2_1.9 = phi <8 x i32> [ %sums_2_1.5, %k_group_done.4 ], [ %sums_2_1.8, %k_group_loop.5 ]
        ; for k_group from k // 4 to (k + 3) // 4
        %k_group_stop.3 = udiv i64 %index.50, 4
        %k_group_any.6 = icmp slt i64 %k_group_stop.2, %k_group_stop.3
        br i1 %k_group_any.6, label %k_group_loop.6, label %k_group_done.6
        k_group_loop.6:
          %k_group.6 = phi i64 [ %k_group_stop.2, %k_group_done.5 ], [ %k_group_next.6, %k_group_loop.6 ]
          %sums_0_0.10 = phi <8 x i32> [ %sums_0_0.9, %k_group_done.5 ], [ %sums_0_0.12, %k_group_loop.6 ]
          %sums_0_1.10 = phi <8 x i32> [ %sums_0_1.9, %k_group_done.5 ], [ %sums_0_1.12, %k_group_loop.6 ]
          %sums_1_0.10 = phi <8 x i32> [ %sums_1_0.9, %k_group_done.5 ], [ %sums_1_0.12, %k_group_loop.6 ]
          %sums_1_1.10 = phi <8 x i32> [ %sums_1_1.9, %k_group_done.5 ], [ %sums_1_1.12, %k_group_loop.6 ]
          %sums_2_0.10 = phi <8 x i32> [ %sums_2_0.9, %k_group_done.5 ], [ %sums_2_0.12, %k_group_loop.6 ]
          %sums_2_1.10 = phi <8 x i32> [ %sums_2_1.9, %k_group_done.5 ], [ %sums_2_1.12, %k_group_loop.6 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.51 = mul i64 %k_group.6, 64
          %panels_of_b_at_0_0.10 = getelementptr i8, ptr %panels_of_b_at_0_0.6, i64 %index.51
          %b_words.6 = load <8 x i32>, ptr %panels_of_b_at_0_0.10, align 64
          %panels_of_b_at_0_1.7 = getelementptr i8, ptr %panels_of_b_at_0_0.10, i64 32
          %b_words.7 = load <8 x i32>, ptr %panels_of_b_at_0_1.7, align 32
          ; a = a[a_base + k_group * 4 + column], broadcast where k_group * 4 + column < k, else 0
          %index.52 = mul i64 %k_group.6, 4
          %holds.9 = icmp slt i64 %index.52, %k
          %a_at_0_0.4 = getelementptr i8, ptr %a_at_0_0, i64 %index.52
          %safe_at = select i1 %holds.9, ptr %a_at_0_0.4, ptr %fill_int8
          %a_0_0_one = load i8, ptr %safe_at, align 1
          %a_wide = zext i8 %a_0_0_one to i32
          %a_wide.1 = shl i32 %a_wide, 0
          %a_word.10 = or i32 0, %a_wide.1
          %index.53 = add i64 %index.52, 1
          %holds.10 = icmp slt i64 %index.53, %k
          %a_at_0_1 = getelementptr i8, ptr %a_at_0_0.4, i64 1
          %safe_at.1 = select i1 %holds.10, ptr %a_at_0_1, ptr %fill_int8
          %a_0_1_one = load i8, ptr %safe_at.1, align 1
          %a_wide.2 = zext i8 %a_0_1_one to i32
          %a_wide.3 = shl i32 %a_wide.2, 8
          %a_word.11 = or i32 %a_word.10, %a_wide.3
          %index.54 = add i64 %index.52, 2
          %holds.11 = icmp slt i64 %index.54, %k
          %a_at_0_2 = getelementptr i8, ptr %a_at_0_0.4, i64 2
          %safe_at.2 = select i1 %holds.11, ptr %a_at_0_2, ptr %fill_int8
          %a_0_2_one = load i8, ptr %safe_at.2, align 1
          %a_wide.4 = zext i8 %a_0_2_one to i32
          %a_wide.5 = shl i32 %a_wide.4, 16
          %a_word.12 = or i32 %a_word.11, %a_wide.5
          %index.55 = add i64 %index.52, 3
          %holds.12 = icmp slt i64 %index.55, %k
          %a_at_0_3 = getelementptr i8, ptr %a_at_0_0.4, i64 3
          %safe_at.3 = select i1 %holds.12, ptr %a_at_0_3, ptr %fill_int8
          %a_0_3_one = load i8, ptr %safe_at.3, align 1
          %a_wide.6 = zext i8 %a_0_3_one to i32
          %a_wide.7 = shl i32 %a_wide.6, 24
          %a_word.13 = or i32 %a_word.12, %a_wide.7
          %a_words_lane0.9 = insertelement <8 x i32> poison, i32 %a_word.13, i64 0
          %a_words.9 = shufflevector <8 x i32> %a_words_lane0.9, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_1_0.4 = getelementptr i8, ptr %a_at_1_0, i64 %index.52
          %safe_at.4 = select i1 %holds.9, ptr %a_at_1_0.4, ptr %fill_int8
          %a_1_0_one = load i8, ptr %safe_at.4, align 1
          %a_wide.8 = zext i8 %a_1_0_one to i32
          %a_wide.9 = shl i32 %a_wide.8, 0
          %a_word.14 = or i32 0, %a_wide.9
          %a_at_1_1 = getelementptr i8, ptr %a_at_1_0.4, i64 1
          %safe_at.5 = select i1 %holds.10, ptr %a_at_1_1, ptr %fill_int8
          %a_1_1_one = load i8, ptr %safe_at.5, align 1
          %a_wide.10 = zext i8 %a_1_1_one to i32
          %a_wide.11 = shl i32 %a_wide.10, 8
          %a_word.15 = or i32 %a_word.14, %a_wide.11
          %a_at_1_2 = getelementptr i8, ptr %a_at_1_0.4, i64 2
          %safe_at.6 = select i1 %holds.11, ptr %a_at_1_2, ptr %fill_int8
          %a_1_2_one = load i8, ptr %safe_at.6, align 1
          %a_wide.12 = zext i8 %a_1_2_one to i32
          %a_wide.13 = shl i32 %a_wide.12, 16
          %a_word.16 = or i32 %a_word.15, %a_wide.13
          %a_at_1_3 = getelementptr i8, ptr %a_at_1_0.4, i64 3
          %safe_at.7 = select i1 %holds.12, ptr %a_at_1_3, ptr %fill_int8
          %a_1_3_one = load i8, ptr %safe_at.7, align 1
          %a_wide.14 = zext i8 %a_1_3_one to i32
          %a_wide.15 = shl i32 %a_wide.14, 24
          %a_word.17 = or i32 %a_word.16, %a_wide.15
          %a_words_lane0.10 = insertelement <8 x i32> poison, i32 %a_word.17, i64 0
          %a_words.10 = shufflevector <8 x i32> %a_words_lane0.10, <8 x i32> poison, <8 x i32> zeroinitializer
          %a_at_2_0.4 = getelementptr i8, ptr %a_at_2_0, i64 %index.52
          %safe_at.8 = select i1 %holds.9, ptr %a_at_2_0.4, ptr %fill_int8
          %a_2_0_one = load i8, ptr %safe_at.8, align 1
          %a_wide.16 = zext i8 %a_2_0_one to i32
          %a_wide.17 = shl i32 %a_wide.16, 0
          %a_word.18 = or i32 0, %a_wide.17
          %a_at_2_1 = getelementptr i8, ptr %a_at_2_0.4, i64 1
          %safe_at.9 = select i1 %holds.10, ptr %a_at_2_1, ptr %fill_int8
          %a_2_1_one = load i8, ptr %safe_at.9, align 1
          %a_wide.18 = zext i8 %a_2_1_one to i32
          %a_wide.19 = shl i32 %a_wide.18, 8
          %a_word.19 = or i32 %a_word.18, %a_wide.19
          %a_at_2_2 = getelementptr i8, ptr %a_at_2_0.4, i64 2
          %safe_at.10 = select i1 %holds.11, ptr %a_at_2_2, ptr %fill_int8
          %a_2_2_one = load i8, ptr %safe_at.10, align 1
          %a_wide.20 = zext i8 %a_2_2_one to i32
          %a_wide.21 = shl i32 %a_wide.20, 16
          %a_word.20 = or i32 %a_word.19, %a_wide.21
          %a_at_2_3 = getelementptr i8, ptr %a_at_2_0.4, i64 3
          %safe_at.11 = select i1 %holds.12, ptr %a_at_2_3, ptr %fill_int8
          %a_2_3_one = load i8, ptr %safe_at.11, align 1
          %a_wide.22 = zext i8 %a_2_3_one to i32
          %a_wide.23 = shl i32 %a_wide.22, 24
          %a_word.21 = or i32 %a_word.20, %a_wide.23
          %a_words_lane0.11 = insertelement <8 x i32> poison, i32 %a_word.21, i64 0
          %a_words.11 = shufflevector <8 x i32> %a_words_lane0.11, <8 x i32> poison, <8 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x8_int8
          %halves.15 = bitcast <8 x i32> %a_words.9 to <16 x i16>
          %even.30 = shl <16 x i16> %halves.15, splat (i16 8)
          %even.31 = ashr <16 x i16> %even.30, splat (i16 8)
          %halves.16 = bitcast <8 x i32> %b_words.6 to <16 x i16>
          %even.32 = shl <16 x i16> %halves.16, splat (i16 8)
          %even.33 = ashr <16 x i16> %even.32, splat (i16 8)
          %pairs.36 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.31, <16 x i16> %even.33)
          %sums_0_0.11 = add <8 x i32> %sums_0_0.10, %pairs.36
          %odd.15 = ashr <16 x i16> %halves.15, splat (i16 8)
          %odd.16 = ashr <16 x i16> %halves.16, splat (i16 8)
          %pairs.37 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.15, <16 x i16> %odd.16)
          %sums_0_0.12 = add <8 x i32> %sums_0_0.11, %pairs.37
          %halves.17 = bitcast <8 x i32> %b_words.7 to <16 x i16>
          %even.34 = shl <16 x i16> %halves.17, splat (i16 8)
          %even.35 = ashr <16 x i16> %even.34, splat (i16 8)
          %pairs.38 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.31, <16 x i16> %even.35)
          %sums_0_1.11 = add <8 x i32> %sums_0_1.10, %pairs.38
          %odd.17 = ashr <16 x i16> %halves.17, splat (i16 8)
          %pairs.39 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.15, <16 x i16> %odd.17)
          %sums_0_1.12 = add <8 x i32> %sums_0_1.11, %pairs.39
          %halves.18 = bitcast <8 x i32> %a_words.10 to <16 x i16>
          %even.36 = shl <16 x i16> %halves.18, splat (i16 8)
          %even.37 = ashr <16 x i16> %even.36, splat (i16 8)
          %pairs.40 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.37, <16 x i16> %even.33)
          %sums_1_0.11 = add <8 x i32> %sums_1_0.10, %pairs.40
          %odd.18 = ashr <16 x i16> %halves.18, splat (i16 8)
          %pairs.41 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.18, <16 x i16> %odd.16)
          %sums_1_0.12 = add <8 x i32> %sums_1_0.11, %pairs.41
          %pairs.42 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.37, <16 x i16> %even.35)
          %sums_1_1.11 = add <8 x i32> %sums_1_1.10, %pairs.42
          %pairs.43 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.18, <16 x i16> %odd.17)
          %sums_1_1.12 = add <8 x i32> %sums_1_1.11, %pairs.43
          %halves.19 = bitcast <8 x i32> %a_words.11 to <16 x i16>
          %even.38 = shl <16 x i16> %halves.19, splat (i16 8)
          %even.39 = ashr <16 x i16> %even.38, splat (i16 8)
          %pairs.44 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.39, <16 x i16> %even.33)
          %sums_2_0.11 = add <8 x i32> %sums_2_0.10, %pairs.44
          %odd.19 = ashr <16 x i16> %halves.19, splat (i16 8)
          %pairs.45 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.19, <16 x i16> %odd.16)
          %sums_2_0.12 = add <8 x i32> %sums_2_0.11, %pairs.45
          %pairs.46 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %even.39, <16 x i16> %even.35)
          %sums_2_1.11 = add <8 x i32> %sums_2_1.10, %pairs.46
          %pairs.47 = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %odd.19, <16 x i16> %odd.17)
          %sums_2_1.12 = add <8 x i32> %sums_2_1.11, %pairs.47
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.6 = add i64 %k_group.6, 1
          %k_group_more.6 = icmp slt i64 %k_group_next.6, %k_group_stop.3
          br i1 %k_group_more.6, label %k_group_loop.6, label %k_group_done.6
        k_group_done.6:
        %sums_0_0.13 = phi <8 x i32> [ %sums_0_0.9, %k_group_done.5 ], [ %sums_0_0.12, %k_group_loop.6 ]
        %sums_0_1.13 = phi <8 x i32> [ %sums_0_1.9, %k_group_done.5 ], [ %sums_0_1.12, %k_group_loop.6 ]
        %sums_1_0.13 = phi <8 x i32> [ %sums_1_0.9, %k_group_done.5 ], [ %sums_1_0.12, %k_group_loop.6 ]
        %sums_1_1.13 = phi <8 x i32> [ %sums_1_1.9, %k_group_done.5 ], [ %sums_1_1.12, %k_group_loop.6 ]
        %sums_2_0.13 = phi <8 x i32> [ %sums_2_0.9, %k_group_done.5 ], [ %sums_2_0.12, %k_group_loop.6 ]
        %sums_2_1.13 = phi <8 x i32> [ %sums_2_1.9, %k_group_done.5 ], [ %sums_2_1.12, %k_group_loop.6 ]
        ; row0 = tile_row
        ; if row0 + 2 < m and column0 + 15 < n
        %index.56 = add i64 %column0, 15
        %holds.14 = icmp slt i64 %index.56, %n
        %both = and i1 %holds.13, %holds.14
        br i1 %both, label %then.1, label %otherwise.1
        then.1:
          ; result = sums, in int32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector
          %product.27 = mul i64 %tile_row, %out_row
          %index.57 = add i64 %product.27, %column0
          %out_at_0_0 = getelementptr i32, ptr %out, i64 %index.57
          store <8 x i32> %sums_0_0.13, ptr %out_at_0_0, align 4
          %out_at_0_1 = getelementptr i32, ptr %out_at_0_0, i64 8
          store <8 x i32> %sums_0_1.13, ptr %out_at_0_1, align 4
          %product.28 = mul i64 %index.40, %out_row
          %index.58 = add i64 %product.28, %column0
          %out_at_1_0 = getelementptr i32, ptr %out, i64 %index.58
          store <8 x i32> %sums_1_0.13, ptr %out_at_1_0, align 4
          %out_at_1_1 = getelementptr i32, ptr %out_at_1_0, i64 8
          store <8 x i32> %sums_1_1.13, ptr %out_at_1_1, align 4
          %product.29 = mul i64 %index.41, %out_row
          %index.59 = add i64 %product.29, %column0
          %out_at_2_0 = getelementptr i32, ptr %out, i64 %index.59
          store <8 x i32> %sums_2_0.13, ptr %out_at_2_0, align 4
          %out_at_2_1 = getelementptr i32, ptr %out_at_2_0, i64 8
          store <8 x i32> %sums_2_1.13, ptr %out_at_2_1, align 4
          br label %joined.1
        otherwise.1:
          ; result = sums, in int32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
          %holds.15 = icmp slt i64 %tile_row, %m
          %limit.1 = sub i64 %n, %column0
          %lane0.9 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
          %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.10 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.9
          %product.30 = mul i64 %tile_row, %out_row
          %index.60 = add i64 %product.30, %column0
          %out_at_0_0.1 = getelementptr i32, ptr %out, i64 %index.60
          %lane0.10 = insertelement <8 x i1> poison, i1 %holds.15, i64 0
          %all.10 = shufflevector <8 x i1> %lane0.10, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.11 = and <8 x i1> %mask.10, %all.10
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_0_0.13, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.11)
          %mask.12 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.9
          %out_at_0_1.1 = getelementptr i32, ptr %out_at_0_0.1, i64 8
          %mask.13 = and <8 x i1> %mask.12, %all.10
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_0_1.13, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.13)
          %holds.16 = icmp slt i64 %index.40, %m
          %product.31 = mul i64 %index.40, %out_row
          %index.61 = add i64 %product.31, %column0
          %out_at_1_0.1 = getelementptr i32, ptr %out, i64 %index.61
          %lane0.11 = insertelement <8 x i1> poison, i1 %holds.16, i64 0
          %all.11 = shufflevector <8 x i1> %lane0.11, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.14 = and <8 x i1> %mask.10, %all.11
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_1_0.13, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.14)
          %out_at_1_1.1 = getelementptr i32, ptr %out_at_1_0.1, i64 8
          %mask.15 = and <8 x i1> %mask.12, %all.11
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_1_1.13, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.15)
          %product.32 = mul i64 %index.41, %out_row
          %index.62 = add i64 %product.32, %column0
          %out_at_2_0.1 = getelementptr i32, ptr %out, i64 %index.62
          %lane0.12 = insertelement <8 x i1> poison, i1 %holds.13, i64 0
          %all.12 = shufflevector <8 x i1> %lane0.12, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.16 = and <8 x i1> %mask.10, %all.12
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_2_0.13, ptr %out_at_2_0.1, i32 4, <8 x i1> %mask.16)
          %out_at_2_1.1 = getelementptr i32, ptr %out_at_2_0.1, i64 8
          %mask.17 = and <8 x i1> %mask.12, %all.12
          call void @llvm.masked.store.v8i32.p0(<8 x i32> %sums_2_1.13, ptr %out_at_2_1.1, i32 4, <8 x i1> %mask.17)
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
