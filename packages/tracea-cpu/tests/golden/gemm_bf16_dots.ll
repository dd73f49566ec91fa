; tracea: matmul bf16
; variant        cpu.contraction.dots for x86-64-v4
; configuration  3x32x2 s1 w1
; schedule       43331c9ecc93348121eb9c6cd470e7686ce94f8daf9b67afcad3c769d660e1be
; certificate    3d8fe714591ab3b742f5c3be8bfa4f2b18ffb78a19cbf5fc9b64e28465906cc1:

declare <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float>)
declare <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>, <32 x bfloat>, <32 x bfloat>)
declare <16 x i16> @llvm.masked.load.v16i16.p0(ptr, i32, <16 x i1>, <16 x i16>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i16.p0(<16 x i16>, ptr, i32, <16 x i1>)

; a: bf16, read, aligned to 2 bytes
; b: bf16, read, aligned to 2 bytes
; out: bf16, write, aligned to 2 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
; panels_of_b: panel of bf16, column 32 = 32*2, part 2 = 2*1, ((n + 31) // 32 + column_splits - 1) // column_splits * ((k + 31) // 32) * 16 times, kept for a tile_column, aligned to 64 bytes
; sums: 3x32 of fp32 in 6 registers of 16 lanes
; a: 3x2 of bf16 in 6 registers of 16 lanes
; b: 2x32 of bf16 in 4 registers of 16 lanes
; packed: 2x32 of bf16 in 4 registers of 16 lanes
; result: 3x32 of bf16 in 6 registers of 16 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="skylake-avx512" {
  entry:
  %fill_bf16 = alloca i16
  store i16 0, ptr %fill_bf16
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
  %index.3 = add i64 %k, 31
  %quotient.3 = udiv i64 %index.3, 32
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
  ; panels = (n + 31) // 32
  ; row_tiles = (m + 2) // 3
  %index.6 = add i64 %m, 2
  %row_tiles = udiv i64 %index.6, 3
  ; k_steps = (k + 31) // 32
  ; units = row_splits * column_splits
  %units = mul i64 %row_splits, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.1 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.1, %workers
  %index.7 = add i64 %worker, 1
  %product.2 = mul i64 %index.7, %units
  %unit_stop = udiv i64 %product.2, %workers
  %product.3 = mul i64 %column_splits, %row_splits
  %index.31 = add i64 %m, -1
  %index.36 = mul i64 %quotient.3, 16
  %index.42 = add i64 %k, 1
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
        ; for k_group from 0 to k // 2
        %k_group_stop = udiv i64 %k, 2
        %b_at_0_0 = getelementptr i16, ptr %b, i64 %index.9
        %index.13 = sub i64 %panel, %first_panel
        %index.14 = mul i64 %quotient.3, 16
        %product.8 = mul i64 %index.13, %index.14
        %index.15 = mul i64 %product.8, 64
        %panels_of_b_at_0_0 = getelementptr i16, ptr %panels_of_b, i64 %index.15
        %k_group_any = icmp slt i64 0, %k_group_stop
        br i1 %k_group_any, label %k_group_loop, label %k_group_done
        k_group_loop:
          %k_group = phi i64 [ 0, %then ], [ %k_group_next, %k_group_loop ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector
          %index.11 = mul i64 %k_group, 2
          %product.6 = mul i64 %index.11, %b_row
          %b_at_0_0.1 = getelementptr i16, ptr %b_at_0_0, i64 %product.6
          %packed_0_0 = load <16 x i16>, ptr %b_at_0_0.1, align 2
          %index.12 = add i64 %index.11, 1
          %product.7 = mul i64 %index.12, %b_row
          %b_at_1_0 = getelementptr i16, ptr %b_at_0_0, i64 %product.7
          %packed_1_0 = load <16 x i16>, ptr %b_at_1_0, align 2
          %b_at_0_1 = getelementptr i16, ptr %b_at_0_0.1, i64 16
          %packed_0_1 = load <16 x i16>, ptr %b_at_0_1, align 2
          %b_at_1_1 = getelementptr i16, ptr %b_at_1_0, i64 16
          %packed_1_1 = load <16 x i16>, ptr %b_at_1_1, align 2
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.16 = mul i64 %k_group, 64
          %panels_of_b_at_0_0.1 = getelementptr i16, ptr %panels_of_b_at_0_0, i64 %index.16
          %packed_pairs = shufflevector <16 x i16> %packed_0_0, <16 x i16> %packed_1_0, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words = bitcast <32 x i16> %packed_pairs to <16 x i32>
          store <16 x i32> %packed_words, ptr %panels_of_b_at_0_0.1, align 64
          %panels_of_b_at_0_1 = getelementptr i16, ptr %panels_of_b_at_0_0.1, i64 32
          %packed_pairs.1 = shufflevector <16 x i16> %packed_0_1, <16 x i16> %packed_1_1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.1 = bitcast <32 x i16> %packed_pairs.1 to <16 x i32>
          store <16 x i32> %packed_words.1, ptr %panels_of_b_at_0_1, align 64
          %k_group_next = add i64 %k_group, 1
          %k_group_more = icmp slt i64 %k_group_next, %k_group_stop
          br i1 %k_group_more, label %k_group_loop, label %k_group_done
        k_group_done:
        ; for k_group from k // 2 to k_steps * 16
        %k_group_any.1 = icmp slt i64 %k_group_stop, %index.14
        br i1 %k_group_any.1, label %k_group_loop.1, label %k_group_done.1
        k_group_loop.1:
          %k_group.1 = phi i64 [ %k_group_stop, %k_group_done ], [ %k_group_next.1, %k_group_loop.1 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where k_group * 2 + row < k, else 0
          %index.17 = mul i64 %k_group.1, 2
          %holds.1 = icmp slt i64 %index.17, %k
          %product.9 = mul i64 %index.17, %b_row
          %b_at_0_0.2 = getelementptr i16, ptr %b_at_0_0, i64 %product.9
          %lane0 = insertelement <16 x i1> poison, i1 %holds.1, i64 0
          %all = shufflevector <16 x i1> %lane0, <16 x i1> poison, <16 x i32> zeroinitializer
          %packed_0_0.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.2, i32 2, <16 x i1> %all, <16 x i16> zeroinitializer)
          %index.18 = add i64 %index.17, 1
          %holds.2 = icmp slt i64 %index.18, %k
          %product.10 = mul i64 %index.18, %b_row
          %b_at_1_0.1 = getelementptr i16, ptr %b_at_0_0, i64 %product.10
          %lane0.1 = insertelement <16 x i1> poison, i1 %holds.2, i64 0
          %all.1 = shufflevector <16 x i1> %lane0.1, <16 x i1> poison, <16 x i32> zeroinitializer
          %packed_1_0.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_0.1, i32 2, <16 x i1> %all.1, <16 x i16> zeroinitializer)
          %b_at_0_1.1 = getelementptr i16, ptr %b_at_0_0.2, i64 16
          %packed_0_1.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_1.1, i32 2, <16 x i1> %all, <16 x i16> zeroinitializer)
          %b_at_1_1.1 = getelementptr i16, ptr %b_at_1_0.1, i64 16
          %packed_1_1.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_1.1, i32 2, <16 x i1> %all.1, <16 x i16> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.19 = mul i64 %k_group.1, 64
          %panels_of_b_at_0_0.2 = getelementptr i16, ptr %panels_of_b_at_0_0, i64 %index.19
          %packed_pairs.2 = shufflevector <16 x i16> %packed_0_0.1, <16 x i16> %packed_1_0.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.2 = bitcast <32 x i16> %packed_pairs.2 to <16 x i32>
          store <16 x i32> %packed_words.2, ptr %panels_of_b_at_0_0.2, align 64
          %panels_of_b_at_0_1.1 = getelementptr i16, ptr %panels_of_b_at_0_0.2, i64 32
          %packed_pairs.3 = shufflevector <16 x i16> %packed_0_1.1, <16 x i16> %packed_1_1.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.3 = bitcast <32 x i16> %packed_pairs.3 to <16 x i32>
          store <16 x i32> %packed_words.3, ptr %panels_of_b_at_0_1.1, align 64
          %k_group_next.1 = add i64 %k_group.1, 1
          %k_group_more.1 = icmp slt i64 %k_group_next.1, %index.14
          br i1 %k_group_more.1, label %k_group_loop.1, label %k_group_done.1
        k_group_done.1:
        br label %joined
      otherwise:
        ; for k_group from 0 to k // 2
        %k_group_stop.1 = udiv i64 %k, 2
        %index.20 = mul i64 %panel, -32
        %limit = add i64 %n, %index.20
        %lane0.2 = insertelement <16 x i64> poison, i64 %limit, i64 0
        %all.2 = shufflevector <16 x i64> %lane0.2, <16 x i64> poison, <16 x i32> zeroinitializer
        %mask = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.2
        %b_at_0_0.3 = getelementptr i16, ptr %b, i64 %index.9
        %mask.1 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.2
        %index.23 = sub i64 %panel, %first_panel
        %index.24 = mul i64 %quotient.3, 16
        %product.13 = mul i64 %index.23, %index.24
        %index.25 = mul i64 %product.13, 64
        %panels_of_b_at_0_0.3 = getelementptr i16, ptr %panels_of_b, i64 %index.25
        %k_group_any.2 = icmp slt i64 0, %k_group_stop.1
        br i1 %k_group_any.2, label %k_group_loop.2, label %k_group_done.2
        k_group_loop.2:
          %k_group.2 = phi i64 [ 0, %otherwise ], [ %k_group_next.2, %k_group_loop.2 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n, else 0
          %index.21 = mul i64 %k_group.2, 2
          %product.11 = mul i64 %index.21, %b_row
          %b_at_0_0.4 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.11
          %packed_0_0.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.4, i32 2, <16 x i1> %mask, <16 x i16> zeroinitializer)
          %index.22 = add i64 %index.21, 1
          %product.12 = mul i64 %index.22, %b_row
          %b_at_1_0.2 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.12
          %packed_1_0.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_0.2, i32 2, <16 x i1> %mask, <16 x i16> zeroinitializer)
          %b_at_0_1.2 = getelementptr i16, ptr %b_at_0_0.4, i64 16
          %packed_0_1.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_1.2, i32 2, <16 x i1> %mask.1, <16 x i16> zeroinitializer)
          %b_at_1_1.2 = getelementptr i16, ptr %b_at_1_0.2, i64 16
          %packed_1_1.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_1.2, i32 2, <16 x i1> %mask.1, <16 x i16> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.26 = mul i64 %k_group.2, 64
          %panels_of_b_at_0_0.4 = getelementptr i16, ptr %panels_of_b_at_0_0.3, i64 %index.26
          %packed_pairs.4 = shufflevector <16 x i16> %packed_0_0.2, <16 x i16> %packed_1_0.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.4 = bitcast <32 x i16> %packed_pairs.4 to <16 x i32>
          store <16 x i32> %packed_words.4, ptr %panels_of_b_at_0_0.4, align 64
          %panels_of_b_at_0_1.2 = getelementptr i16, ptr %panels_of_b_at_0_0.4, i64 32
          %packed_pairs.5 = shufflevector <16 x i16> %packed_0_1.2, <16 x i16> %packed_1_1.2, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.5 = bitcast <32 x i16> %packed_pairs.5 to <16 x i32>
          store <16 x i32> %packed_words.5, ptr %panels_of_b_at_0_1.2, align 64
          %k_group_next.2 = add i64 %k_group.2, 1
          %k_group_more.2 = icmp slt i64 %k_group_next.2, %k_group_stop.1
          br i1 %k_group_more.2, label %k_group_loop.2, label %k_group_done.2
        k_group_done.2:
        ; for k_group from k // 2 to k_steps * 16
        %k_group_any.3 = icmp slt i64 %k_group_stop.1, %index.24
        br i1 %k_group_any.3, label %k_group_loop.3, label %k_group_done.3
        k_group_loop.3:
          %k_group.3 = phi i64 [ %k_group_stop.1, %k_group_done.2 ], [ %k_group_next.3, %k_group_loop.3 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n and k_group * 2 + row < k, else 0
          %index.27 = mul i64 %k_group.3, 2
          %holds.3 = icmp slt i64 %index.27, %k
          %product.14 = mul i64 %index.27, %b_row
          %b_at_0_0.5 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.14
          %lane0.3 = insertelement <16 x i1> poison, i1 %holds.3, i64 0
          %all.3 = shufflevector <16 x i1> %lane0.3, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.2 = and <16 x i1> %mask, %all.3
          %packed_0_0.3 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.5, i32 2, <16 x i1> %mask.2, <16 x i16> zeroinitializer)
          %index.28 = add i64 %index.27, 1
          %holds.4 = icmp slt i64 %index.28, %k
          %product.15 = mul i64 %index.28, %b_row
          %b_at_1_0.3 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.15
          %lane0.4 = insertelement <16 x i1> poison, i1 %holds.4, i64 0
          %all.4 = shufflevector <16 x i1> %lane0.4, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.3 = and <16 x i1> %mask, %all.4
          %packed_1_0.3 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_0.3, i32 2, <16 x i1> %mask.3, <16 x i16> zeroinitializer)
          %b_at_0_1.3 = getelementptr i16, ptr %b_at_0_0.5, i64 16
          %mask.4 = and <16 x i1> %mask.1, %all.3
          %packed_0_1.3 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_1.3, i32 2, <16 x i1> %mask.4, <16 x i16> zeroinitializer)
          %b_at_1_1.3 = getelementptr i16, ptr %b_at_1_0.3, i64 16
          %mask.5 = and <16 x i1> %mask.1, %all.4
          %packed_1_1.3 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_1.3, i32 2, <16 x i1> %mask.5, <16 x i16> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.29 = mul i64 %k_group.3, 64
          %panels_of_b_at_0_0.5 = getelementptr i16, ptr %panels_of_b_at_0_0.3, i64 %index.29
          %packed_pairs.6 = shufflevector <16 x i16> %packed_0_0.3, <16 x i16> %packed_1_0.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.6 = bitcast <32 x i16> %packed_pairs.6 to <16 x i32>
          store <16 x i32> %packed_words.6, ptr %panels_of_b_at_0_0.5, align 64
          %panels_of_b_at_0_1.3 = getelementptr i16, ptr %panels_of_b_at_0_0.5, i64 32
          %packed_pairs.7 = shufflevector <16 x i16> %packed_0_1.3, <16 x i16> %packed_1_1.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.7 = bitcast <32 x i16> %packed_pairs.7 to <16 x i32>
          store <16 x i32> %packed_words.7, ptr %panels_of_b_at_0_1.3, align 64
          %k_group_next.3 = add i64 %k_group.3, 1
          %k_group_more.3 = icmp slt i64 %k_group_next.3, %index.24
          br i1 %k_group_more.3, label %k_group_loop.3, label %k_group_done.3
        k_group_done.3:
        br label %joined
      joined:
      %panel_next = add i64 %panel, 1
      %panel_more = icmp slt i64 %panel_next, %last_panel
      br i1 %panel_more, label %panel_loop, label %panel_done
    panel_done:
    ; for tile from split * row_tiles // row_splits to (split + 1) * row_tiles // row_splits
    %product.16 = mul i64 %split, %row_tiles
    %tile_first = udiv i64 %product.16, %row_splits
    %index.30 = add i64 %split, 1
    %product.17 = mul i64 %index.30, %row_tiles
    %tile_stop = udiv i64 %product.17, %row_splits
    %index.34 = mul i64 %first_panel, -1
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %panel_done ], [ %tile_next, %panel_done.1 ]
      ; tile_row = tile * 3
      %tile_row = mul i64 %tile, 3
      ; for panel from first_panel to last_panel
      %min = call i64 @llvm.smin.i64(i64 %tile_row, i64 %index.31)
      %a_base_0_0 = mul i64 %min, %a_row
      %index.32 = add i64 %tile_row, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.32, i64 %index.31)
      %a_base_1_0 = mul i64 %min.1, %a_row
      %index.33 = add i64 %tile_row, 2
      %min.2 = call i64 @llvm.smin.i64(i64 %index.33, i64 %index.31)
      %a_base_2_0 = mul i64 %min.2, %a_row
      %a_at_0_0 = getelementptr i16, ptr %a, i64 %a_base_0_0
      %a_at_1_0 = getelementptr i16, ptr %a, i64 %a_base_1_0
      %a_at_2_0 = getelementptr i16, ptr %a, i64 %a_base_2_0
      %holds.7 = icmp slt i64 %index.33, %m
      br i1 %panel_any, label %panel_loop.1, label %panel_done.1
      panel_loop.1:
        %panel.1 = phi i64 [ %first_panel, %tile_loop ], [ %panel_next.1, %joined.1 ]
        ; column0 = panel * 32
        %column0 = mul i64 %panel.1, 32
        ; sums = 0
        ; a_base = min(tile_row + row, m - 1) * a_row for each element of a
        ; for k_group from 0 to k // 2, 2 at a time
        %k_group_stop.2 = udiv i64 %k, 2
        %index.35 = add i64 %index.34, %panel.1
        %product.18 = mul i64 %index.35, %index.36
        %index.37 = mul i64 %product.18, 64
        %panels_of_b_at_0_0.6 = getelementptr i16, ptr %panels_of_b, i64 %index.37
        %k_group_limit = add i64 %k_group_stop.2, -1
        %k_group_any.4 = icmp slt i64 0, %k_group_limit
        br i1 %k_group_any.4, label %k_group_loop.4, label %k_group_done.4
        k_group_loop.4:
          %k_group.4 = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.4, %k_group_loop.4 ]
          %sums_0_0 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.2, %k_group_loop.4 ]
          %sums_0_1 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.2, %k_group_loop.4 ]
          %sums_1_0 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.2, %k_group_loop.4 ]
          %sums_1_1 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.2, %k_group_loop.4 ]
          %sums_2_0 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.2, %k_group_loop.4 ]
          %sums_2_1 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.2, %k_group_loop.4 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.38 = mul i64 %k_group.4, 64
          %panels_of_b_at_0_0.7 = getelementptr i16, ptr %panels_of_b_at_0_0.6, i64 %index.38
          %b_words = load <16 x i32>, ptr %panels_of_b_at_0_0.7, align 64
          %panels_of_b_at_0_1.4 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 32
          %b_words.1 = load <16 x i32>, ptr %panels_of_b_at_0_1.4, align 64
          ; a = a[a_base + k_group * 2 + column], broadcast
          %index.39 = mul i64 %k_group.4, 2
          %a_at_0_0.1 = getelementptr i16, ptr %a_at_0_0, i64 %index.39
          %a_word.1 = load i32, ptr %a_at_0_0.1, align 2
          %a_words_lane0 = insertelement <16 x i32> poison, i32 %a_word.1, i64 0
          %a_words = shufflevector <16 x i32> %a_words_lane0, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.1 = getelementptr i16, ptr %a_at_1_0, i64 %index.39
          %a_word.2 = load i32, ptr %a_at_1_0.1, align 2
          %a_words_lane0.1 = insertelement <16 x i32> poison, i32 %a_word.2, i64 0
          %a_words.1 = shufflevector <16 x i32> %a_words_lane0.1, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.1 = getelementptr i16, ptr %a_at_2_0, i64 %index.39
          %a_word.3 = load i32, ptr %a_at_2_0.1, align 2
          %a_words_lane0.2 = insertelement <16 x i32> poison, i32 %a_word.3, i64 0
          %a_words.2 = shufflevector <16 x i32> %a_words_lane0.2, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_bf16
          %sums_0_0_pairs = bitcast <16 x i32> %b_words to <32 x bfloat>
          %sums_0_0_pairs.1 = bitcast <16 x i32> %a_words to <32 x bfloat>
          %sums_0_0.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_0, <32 x bfloat> %sums_0_0_pairs, <32 x bfloat> %sums_0_0_pairs.1)
          %sums_0_1_pairs = bitcast <16 x i32> %b_words.1 to <32 x bfloat>
          %sums_0_1.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_1, <32 x bfloat> %sums_0_1_pairs, <32 x bfloat> %sums_0_0_pairs.1)
          %sums_1_0_pairs = bitcast <16 x i32> %a_words.1 to <32 x bfloat>
          %sums_1_0.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_0, <32 x bfloat> %sums_0_0_pairs, <32 x bfloat> %sums_1_0_pairs)
          %sums_1_1.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_1, <32 x bfloat> %sums_0_1_pairs, <32 x bfloat> %sums_1_0_pairs)
          %sums_2_0_pairs = bitcast <16 x i32> %a_words.2 to <32 x bfloat>
          %sums_2_0.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_0, <32 x bfloat> %sums_0_0_pairs, <32 x bfloat> %sums_2_0_pairs)
          %sums_2_1.1 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_1, <32 x bfloat> %sums_0_1_pairs, <32 x bfloat> %sums_2_0_pairs)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          ; k_group + 1
          %panels_of_b_at_0_0.8 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 64
          %b_words.2 = load <16 x i32>, ptr %panels_of_b_at_0_0.8, align 64
          %panels_of_b_at_0_1.5 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 96
          %b_words.3 = load <16 x i32>, ptr %panels_of_b_at_0_1.5, align 64
          %a_at_0_0.2 = getelementptr i16, ptr %a_at_0_0.1, i64 2
          %a_word.4 = load i32, ptr %a_at_0_0.2, align 2
          %a_words_lane0.3 = insertelement <16 x i32> poison, i32 %a_word.4, i64 0
          %a_words.3 = shufflevector <16 x i32> %a_words_lane0.3, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.2 = getelementptr i16, ptr %a_at_1_0.1, i64 2
          %a_word.5 = load i32, ptr %a_at_1_0.2, align 2
          %a_words_lane0.4 = insertelement <16 x i32> poison, i32 %a_word.5, i64 0
          %a_words.4 = shufflevector <16 x i32> %a_words_lane0.4, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.2 = getelementptr i16, ptr %a_at_2_0.1, i64 2
          %a_word.6 = load i32, ptr %a_at_2_0.2, align 2
          %a_words_lane0.5 = insertelement <16 x i32> poison, i32 %a_word.6, i64 0
          %a_words.5 = shufflevector <16 x i32> %a_words_lane0.5, <16 x i32> poison, <16 x i32> zeroinitializer
          %sums_0_0_pairs.2 = bitcast <16 x i32> %b_words.2 to <32 x bfloat>
          %sums_0_0_pairs.3 = bitcast <16 x i32> %a_words.3 to <32 x bfloat>
          %sums_0_0.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_0.1, <32 x bfloat> %sums_0_0_pairs.2, <32 x bfloat> %sums_0_0_pairs.3)
          %sums_0_1_pairs.1 = bitcast <16 x i32> %b_words.3 to <32 x bfloat>
          %sums_0_1.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_1.1, <32 x bfloat> %sums_0_1_pairs.1, <32 x bfloat> %sums_0_0_pairs.3)
          %sums_1_0_pairs.1 = bitcast <16 x i32> %a_words.4 to <32 x bfloat>
          %sums_1_0.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_0.1, <32 x bfloat> %sums_0_0_pairs.2, <32 x bfloat> %sums_1_0_pairs.1)
          %sums_1_1.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_1.1, <32 x bfloat> %sums_0_1_pairs.1, <32 x bfloat> %sums_1_0_pairs.1)
          %sums_2_0_pairs.1 = bitcast <16 x i32> %a_words.5 to <32 x bfloat>
          %sums_2_0.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_0.1, <32 x bfloat> %sums_0_0_pairs.2, <32 x bfloat> %sums_2_0_pairs.1)
          %sums_2_1.2 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_1.1, <32 x bfloat> %sums_0_1_pairs.1, <32 x bfloat> %sums_2_0_pairs.1)
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.4 = add i64 %k_group.4, 2
          %k_group_more.4 = icmp slt i64 %k_group_next.4, %k_group_limit
          br i1 %k_group_more.4, label %k_group_loop.4, label %k_group_done.4
        k_group_done.4:
        %sums_0_0.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_0.2, %k_group_loop.4 ]
        %sums_0_1.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_0_1.2, %k_group_loop.4 ]
        %sums_1_0.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_0.2, %k_group_loop.4 ]
        %sums_1_1.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_1_1.2, %k_group_loop.4 ]
        %sums_2_0.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_0.2, %k_group_loop.4 ]
        %sums_2_1.3 = phi <16 x float> [ zeroinitializer, %panel_loop.1 ], [ %sums_2_1.2, %k_group_loop.4 ]
        %k_group_rest = phi i64 [ 0, %panel_loop.1 ], [ %k_group_next.4, %k_group_loop.4 ]
        ; what is left of k_group
        %k_group_any.5 = icmp slt i64 %k_group_rest, %k_group_stop.2
        br i1 %k_group_any.5, label %k_group_loop.5, label %k_group_done.5
        k_group_loop.5:
          %k_group.5 = phi i64 [ %k_group_rest, %k_group_done.4 ], [ %k_group_next.5, %k_group_loop.5 ]
          %sums_0_0.4 = phi <16 x float> [ %sums_0_0.3, %k_group_done.4 ], [ %sums_0_0.5, %k_group_loop.5 ]
          %sums_0_1.4 = phi <16 x float> [ %sums_0_1.3, %k_group_done.4 ], [ %sums_0_1.5, %k_group_loop.5 ]
          %sums_1_0.4 = phi <16 x float> [ %sums_1_0.3, %k_group_done.4 ], [ %sums_1_0.5, %k_group_loop.5 ]
          %sums_1_1.4 = phi <16 x float> [ %sums_1_1.3, %k_group_done.4 ], [ %sums_1_1.5, %k_group_loop.5 ]
          %sums_2_0.4 = phi <16 x float> [ %sums_2_0.3, %k_group_done.4 ], [ %sums_2_0.5, %k_group_loop.5 ]
          %sums_2_1.4 = phi <16 x float> [ %sums_2_1.3, %k_group_done.4 ], [ %sums_2_1.5, %k_group_loop.5 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.40 = mul i64 %k_group.5, 64
          %panels_of_b_at_0_0.9 = getelementptr i16, ptr %panels_of_b_at_0_0.6, i64 %index.40
          %b_words.4 = load <16 x i32>, ptr %panels_of_b_at_0_0.9, align 64
          %panels_of_b_at_0_1.6 = getelementptr i16, ptr %panels_of_b_at_0_0.9, i64 32
          %b_words.5 = load <16 x i32>, ptr %panels_of_b_at_0_1.6, align 64
          ; a = a[a_base + k_group * 2 + column], broadcast
          %index.41 = mul i64 %k_group.5, 2
          %a_at_0_0.3 = getelementptr i16, ptr %a_at_0_0, i64 %index.41
          %a_word.7 = load i32, ptr %a_at_0_0.3, align 2
          %a_words_lane0.6 = insertelement <16 x i32> poison, i32 %a_word.7, i64 0
          %a_words.6 = shufflevector <16 x i32> %a_words_lane0.6, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.3 = getelementptr i16, ptr %a_at_1_0, i64 %index.41
          %a_word.8 = load i32, ptr %a_at_1_0.3, align 2
          %a_words_lane0.7 = insertelement <16 x i32> poison, i32 %a_word.8, i64 0
          %a_words.7 = shufflevector <16 x i32> %a_words_lane0.7, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.3 = getelementptr i16, ptr %a_at_2_0, i64 %index.41
          %a_word.9 = load i32, ptr %a_at_2_0.3, align 2
          %a_words_lane0.8 = insertelement <16 x i32> poison, i32 %a_word.9, i64 0
          %a_words.8 = shufflevector <16 x i32> %a_words_lane0.8, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_bf16
          %sums_0_0_pairs.4 = bitcast <16 x i32> %b_words.4 to <32 x bfloat>
          %sums_0_0_pairs.5 = bitcast <16 x i32> %a_words.6 to <32 x bfloat>
          %sums_0_0.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_0.4, <32 x bfloat> %sums_0_0_pairs.4, <32 x bfloat> %sums_0_0_pairs.5)
          %sums_0_1_pairs.2 = bitcast <16 x i32> %b_words.5 to <32 x bfloat>
          %sums_0_1.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_1.4, <32 x bfloat> %sums_0_1_pairs.2, <32 x bfloat> %sums_0_0_pairs.5)
          %sums_1_0_pairs.2 = bitcast <16 x i32> %a_words.7 to <32 x bfloat>
          %sums_1_0.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_0.4, <32 x bfloat> %sums_0_0_pairs.4, <32 x bfloat> %sums_1_0_pairs.2)
          %sums_1_1.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_1.4, <32 x bfloat> %sums_0_1_pairs.2, <32 x bfloat> %sums_1_0_pairs.2)
          %sums_2_0_pairs.2 = bitcast <16 x i32> %a_words.8 to <32 x bfloat>
          %sums_2_0.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_0.4, <32 x bfloat> %sums_0_0_pairs.4, <32 x bfloat> %sums_2_0_pairs.2)
          %sums_2_1.5 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_1.4, <32 x bfloat> %sums_0_1_pairs.2, <32 x bfloat> %sums_2_0_pairs.2)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.5 = add i64 %k_group.5, 1
          %k_group_more.5 = icmp slt i64 %k_group_next.5, %k_group_stop.2
          br i1 %k_group_more.5, label %k_group_loop.5, label %k_group_done.5
        k_group_done.5:
        %sums_0_0.6 = phi <16 x float> [ %sums_0_0.3, %k_group_done.4 ], [ %sums_0_0.5, %k_group_loop.5 ]
        %sums_0_1.6 = phi <16 x float> [ %sums_0_1.3, %k_group_done.4 ], [ %sums_0_1.5, %k_group_loop.5 ]
        %sums_1_0.6 = phi <16 x float> [ %sums_1_0.3, %k_group_done.4 ], [ %sums_1_0.5, %k_group_loop.5 ]
        %sums_1_1.6 = phi <16 x float> [ %sums_1_1.3, %k_group_done.4 ], [ %sums_1_1.5, %k_group_loop.5 ]
        %sums_2_0.6 = phi <16 x float> [ %sums_2_0.3, %k_group_done.4 ], [ %sums_2_0.5, %k_group_loop.5 ]
        %sums_2_1.6 = phi <16 x float> [ %sums_2_1.3, %k_group_done.4 ], [ %sums_2_1.5, %k_group_loop.5 ]
        ; for k_group from k // 2 to (k + 1) // 2
        %k_group_stop.3 = udiv i64 %index.42, 2
        %k_group_any.6 = icmp slt i64 %k_group_stop.2, %k_group_stop.3
        br i1 %k_group_any.6, label %k_group_loop.6, label %k_group_done.6
        k_group_loop.6:
          %k_group.6 = phi i64 [ %k_group_stop.2, %k_group_done.5 ], [ %k_group_next.6, %k_group_loop.6 ]
          %sums_0_0.7 = phi <16 x float> [ %sums_0_0.6, %k_group_done.5 ], [ %sums_0_0.8, %k_group_loop.6 ]
          %sums_0_1.7 = phi <16 x float> [ %sums_0_1.6, %k_group_done.5 ], [ %sums_0_1.8, %k_group_loop.6 ]
          %sums_1_0.7 = phi <16 x float> [ %sums_1_0.6, %k_group_done.5 ], [ %sums_1_0.8, %k_group_loop.6 ]
          %sums_1_1.7 = phi <16 x float> [ %sums_1_1.6, %k_group_done.5 ], [ %sums_1_1.8, %k_group_loop.6 ]
          %sums_2_0.7 = phi <16 x float> [ %sums_2_0.6, %k_group_done.5 ], [ %sums_2_0.8, %k_group_loop.6 ]
          %sums_2_1.7 = phi <16 x float> [ %sums_2_1.6, %k_group_done.5 ], [ %sums_2_1.8, %k_group_loop.6 ]
          ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row], vector
          %index.43 = mul i64 %k_group.6, 64
          %panels_of_b_at_0_0.10 = getelementptr i16, ptr %panels_of_b_at_0_0.6, i64 %index.43
          %b_words.6 = load <16 x i32>, ptr %panels_of_b_at_0_0.10, align 64
          %panels_of_b_at_0_1.7 = getelementptr i16, ptr %panels_of_b_at_0_0.10, i64 32
          %b_words.7 = load <16 x i32>, ptr %panels_of_b_at_0_1.7, align 64
          ; a = a[a_base + k_group * 2 + column], broadcast where k_group * 2 + column < k, else 0
          %index.44 = mul i64 %k_group.6, 2
          %holds.5 = icmp slt i64 %index.44, %k
          %a_at_0_0.4 = getelementptr i16, ptr %a_at_0_0, i64 %index.44
          %safe_at = select i1 %holds.5, ptr %a_at_0_0.4, ptr %fill_bf16
          %a_0_0_one = load i16, ptr %safe_at, align 2
          %a_wide = zext i16 %a_0_0_one to i32
          %a_wide.1 = shl i32 %a_wide, 0
          %a_word.10 = or i32 0, %a_wide.1
          %index.45 = add i64 %index.44, 1
          %holds.6 = icmp slt i64 %index.45, %k
          %a_at_0_1 = getelementptr i16, ptr %a_at_0_0.4, i64 1
          %safe_at.1 = select i1 %holds.6, ptr %a_at_0_1, ptr %fill_bf16
          %a_0_1_one = load i16, ptr %safe_at.1, align 2
          %a_wide.2 = zext i16 %a_0_1_one to i32
          %a_wide.3 = shl i32 %a_wide.2, 16
          %a_word.11 = or i32 %a_word.10, %a_wide.3
          %a_words_lane0.9 = insertelement <16 x i32> poison, i32 %a_word.11, i64 0
          %a_words.9 = shufflevector <16 x i32> %a_words_lane0.9, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_1_0.4 = getelementptr i16, ptr %a_at_1_0, i64 %index.44
          %safe_at.2 = select i1 %holds.5, ptr %a_at_1_0.4, ptr %fill_bf16
          %a_1_0_one = load i16, ptr %safe_at.2, align 2
          %a_wide.4 = zext i16 %a_1_0_one to i32
          %a_wide.5 = shl i32 %a_wide.4, 0
          %a_word.12 = or i32 0, %a_wide.5
          %a_at_1_1 = getelementptr i16, ptr %a_at_1_0.4, i64 1
          %safe_at.3 = select i1 %holds.6, ptr %a_at_1_1, ptr %fill_bf16
          %a_1_1_one = load i16, ptr %safe_at.3, align 2
          %a_wide.6 = zext i16 %a_1_1_one to i32
          %a_wide.7 = shl i32 %a_wide.6, 16
          %a_word.13 = or i32 %a_word.12, %a_wide.7
          %a_words_lane0.10 = insertelement <16 x i32> poison, i32 %a_word.13, i64 0
          %a_words.10 = shufflevector <16 x i32> %a_words_lane0.10, <16 x i32> poison, <16 x i32> zeroinitializer
          %a_at_2_0.4 = getelementptr i16, ptr %a_at_2_0, i64 %index.44
          %safe_at.4 = select i1 %holds.5, ptr %a_at_2_0.4, ptr %fill_bf16
          %a_2_0_one = load i16, ptr %safe_at.4, align 2
          %a_wide.8 = zext i16 %a_2_0_one to i32
          %a_wide.9 = shl i32 %a_wide.8, 0
          %a_word.14 = or i32 0, %a_wide.9
          %a_at_2_1 = getelementptr i16, ptr %a_at_2_0.4, i64 1
          %safe_at.5 = select i1 %holds.6, ptr %a_at_2_1, ptr %fill_bf16
          %a_2_1_one = load i16, ptr %safe_at.5, align 2
          %a_wide.10 = zext i16 %a_2_1_one to i32
          %a_wide.11 = shl i32 %a_wide.10, 16
          %a_word.15 = or i32 %a_word.14, %a_wide.11
          %a_words_lane0.11 = insertelement <16 x i32> poison, i32 %a_word.15, i64 0
          %a_words.11 = shufflevector <16 x i32> %a_words_lane0.11, <16 x i32> poison, <16 x i32> zeroinitializer
          ; sums += a * b, fma_outer_3x2x16_bf16
          %sums_0_0_pairs.6 = bitcast <16 x i32> %b_words.6 to <32 x bfloat>
          %sums_0_0_pairs.7 = bitcast <16 x i32> %a_words.9 to <32 x bfloat>
          %sums_0_0.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_0.7, <32 x bfloat> %sums_0_0_pairs.6, <32 x bfloat> %sums_0_0_pairs.7)
          %sums_0_1_pairs.3 = bitcast <16 x i32> %b_words.7 to <32 x bfloat>
          %sums_0_1.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_0_1.7, <32 x bfloat> %sums_0_1_pairs.3, <32 x bfloat> %sums_0_0_pairs.7)
          %sums_1_0_pairs.3 = bitcast <16 x i32> %a_words.10 to <32 x bfloat>
          %sums_1_0.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_0.7, <32 x bfloat> %sums_0_0_pairs.6, <32 x bfloat> %sums_1_0_pairs.3)
          %sums_1_1.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_1_1.7, <32 x bfloat> %sums_0_1_pairs.3, <32 x bfloat> %sums_1_0_pairs.3)
          %sums_2_0_pairs.3 = bitcast <16 x i32> %a_words.11 to <32 x bfloat>
          %sums_2_0.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_0.7, <32 x bfloat> %sums_0_0_pairs.6, <32 x bfloat> %sums_2_0_pairs.3)
          %sums_2_1.8 = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %sums_2_1.7, <32 x bfloat> %sums_0_1_pairs.3, <32 x bfloat> %sums_2_0_pairs.3)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %k_group_next.6 = add i64 %k_group.6, 1
          %k_group_more.6 = icmp slt i64 %k_group_next.6, %k_group_stop.3
          br i1 %k_group_more.6, label %k_group_loop.6, label %k_group_done.6
        k_group_done.6:
        %sums_0_0.9 = phi <16 x float> [ %sums_0_0.6, %k_group_done.5 ], [ %sums_0_0.8, %k_group_loop.6 ]
        %sums_0_1.9 = phi <16 x float> [ %sums_0_1.6, %k_group_done.5 ], [ %sums_0_1.8, %k_group_loop.6 ]
        %sums_1_0.9 = phi <16 x float> [ %sums_1_0.6, %k_group_done.5 ], [ %sums_1_0.8, %k_group_loop.6 ]
        %sums_1_1.9 = phi <16 x float> [ %sums_1_1.6, %k_group_done.5 ], [ %sums_1_1.8, %k_group_loop.6 ]
        %sums_2_0.9 = phi <16 x float> [ %sums_2_0.6, %k_group_done.5 ], [ %sums_2_0.8, %k_group_loop.6 ]
        %sums_2_1.9 = phi <16 x float> [ %sums_2_1.6, %k_group_done.5 ], [ %sums_2_1.8, %k_group_loop.6 ]
        ; row0 = tile_row
        ; if row0 + 2 < m and column0 + 31 < n
        %index.46 = add i64 %column0, 31
        %holds.8 = icmp slt i64 %index.46, %n
        %both = and i1 %holds.7, %holds.8
        br i1 %both, label %then.1, label %otherwise.1
        then.1:
          ; result = sums, in fp32
          %result_0_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_0_0.9)
          %result_0_0 = bitcast <16 x bfloat> %result_0_0_short to <16 x i16>
          %result_0_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_0_1.9)
          %result_0_1 = bitcast <16 x bfloat> %result_0_1_short to <16 x i16>
          %result_1_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_1_0.9)
          %result_1_0 = bitcast <16 x bfloat> %result_1_0_short to <16 x i16>
          %result_1_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_1_1.9)
          %result_1_1 = bitcast <16 x bfloat> %result_1_1_short to <16 x i16>
          %result_2_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_2_0.9)
          %result_2_0 = bitcast <16 x bfloat> %result_2_0_short to <16 x i16>
          %result_2_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_2_1.9)
          %result_2_1 = bitcast <16 x bfloat> %result_2_1_short to <16 x i16>
          ; out[(row0 + row) * out_row + column0 + column] = result, vector
          %product.19 = mul i64 %tile_row, %out_row
          %index.47 = add i64 %product.19, %column0
          %out_at_0_0 = getelementptr i16, ptr %out, i64 %index.47
          store <16 x i16> %result_0_0, ptr %out_at_0_0, align 2
          %out_at_0_1 = getelementptr i16, ptr %out_at_0_0, i64 16
          store <16 x i16> %result_0_1, ptr %out_at_0_1, align 2
          %product.20 = mul i64 %index.32, %out_row
          %index.48 = add i64 %product.20, %column0
          %out_at_1_0 = getelementptr i16, ptr %out, i64 %index.48
          store <16 x i16> %result_1_0, ptr %out_at_1_0, align 2
          %out_at_1_1 = getelementptr i16, ptr %out_at_1_0, i64 16
          store <16 x i16> %result_1_1, ptr %out_at_1_1, align 2
          %product.21 = mul i64 %index.33, %out_row
          %index.49 = add i64 %product.21, %column0
          %out_at_2_0 = getelementptr i16, ptr %out, i64 %index.49
          store <16 x i16> %result_2_0, ptr %out_at_2_0, align 2
          %out_at_2_1 = getelementptr i16, ptr %out_at_2_0, i64 16
          store <16 x i16> %result_2_1, ptr %out_at_2_1, align 2
          br label %joined.1
        otherwise.1:
          ; result = sums, in fp32
          %result_0_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_0_0.9)
          %result_0_0.1 = bitcast <16 x bfloat> %result_0_0_short.1 to <16 x i16>
          %result_0_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_0_1.9)
          %result_0_1.1 = bitcast <16 x bfloat> %result_0_1_short.1 to <16 x i16>
          %result_1_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_1_0.9)
          %result_1_0.1 = bitcast <16 x bfloat> %result_1_0_short.1 to <16 x i16>
          %result_1_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_1_1.9)
          %result_1_1.1 = bitcast <16 x bfloat> %result_1_1_short.1 to <16 x i16>
          %result_2_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_2_0.9)
          %result_2_0.1 = bitcast <16 x bfloat> %result_2_0_short.1 to <16 x i16>
          %result_2_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %sums_2_1.9)
          %result_2_1.1 = bitcast <16 x bfloat> %result_2_1_short.1 to <16 x i16>
          ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
          %holds.9 = icmp slt i64 %tile_row, %m
          %limit.1 = sub i64 %n, %column0
          %lane0.5 = insertelement <16 x i64> poison, i64 %limit.1, i64 0
          %all.5 = shufflevector <16 x i64> %lane0.5, <16 x i64> poison, <16 x i32> zeroinitializer
          %mask.6 = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.5
          %product.22 = mul i64 %tile_row, %out_row
          %index.50 = add i64 %product.22, %column0
          %out_at_0_0.1 = getelementptr i16, ptr %out, i64 %index.50
          %lane0.6 = insertelement <16 x i1> poison, i1 %holds.9, i64 0
          %all.6 = shufflevector <16 x i1> %lane0.6, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.7 = and <16 x i1> %mask.6, %all.6
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_0_0.1, ptr %out_at_0_0.1, i32 2, <16 x i1> %mask.7)
          %mask.8 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.5
          %out_at_0_1.1 = getelementptr i16, ptr %out_at_0_0.1, i64 16
          %mask.9 = and <16 x i1> %mask.8, %all.6
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_0_1.1, ptr %out_at_0_1.1, i32 2, <16 x i1> %mask.9)
          %holds.10 = icmp slt i64 %index.32, %m
          %product.23 = mul i64 %index.32, %out_row
          %index.51 = add i64 %product.23, %column0
          %out_at_1_0.1 = getelementptr i16, ptr %out, i64 %index.51
          %lane0.7 = insertelement <16 x i1> poison, i1 %holds.10, i64 0
          %all.7 = shufflevector <16 x i1> %lane0.7, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.10 = and <16 x i1> %mask.6, %all.7
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_1_0.1, ptr %out_at_1_0.1, i32 2, <16 x i1> %mask.10)
          %out_at_1_1.1 = getelementptr i16, ptr %out_at_1_0.1, i64 16
          %mask.11 = and <16 x i1> %mask.8, %all.7
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_1_1.1, ptr %out_at_1_1.1, i32 2, <16 x i1> %mask.11)
          %product.24 = mul i64 %index.33, %out_row
          %index.52 = add i64 %product.24, %column0
          %out_at_2_0.1 = getelementptr i16, ptr %out, i64 %index.52
          %lane0.8 = insertelement <16 x i1> poison, i1 %holds.7, i64 0
          %all.8 = shufflevector <16 x i1> %lane0.8, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.12 = and <16 x i1> %mask.6, %all.8
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_2_0.1, ptr %out_at_2_0.1, i32 2, <16 x i1> %mask.12)
          %out_at_2_1.1 = getelementptr i16, ptr %out_at_2_0.1, i64 16
          %mask.13 = and <16 x i1> %mask.8, %all.8
          call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_2_1.1, ptr %out_at_2_1.1, i32 2, <16 x i1> %mask.13)
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
