; tracea: matmul bf16
; variant        cpu.contraction.dots for x86-64-v4
; configuration  32x32x2 s1 w1
; schedule       77c57f96eacfdd2d6c1a84cf31be8dd1bf2b404f57834a24f49e9e7114dcad17
; certificate    3f7c3bcca636b70dc0ca91cdb304a7715133609548609d273887a62824c1a2e1:

@tile_shapes = private unnamed_addr constant [64 x i8] [i8 1, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 64, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 16, i8 16, i8 16, i8 16, i8 16, i8 16, i8 16, i8 16, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0], align 64

declare <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float>)
declare <16 x i16> @llvm.masked.load.v16i16.p0(ptr, i32, <16 x i1>, <16 x i16>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i16.p0(<16 x i16>, ptr, i32, <16 x i1>)
declare void @llvm.x86.ldtilecfg(ptr)
declare void @llvm.x86.tdpbf16ps(i8, i8, i8)
declare void @llvm.x86.tileloadd64(i8, ptr, i64)
declare void @llvm.x86.tilerelease()
declare void @llvm.x86.tilestored64(i8, ptr, i64)
declare void @llvm.x86.tilezero(i8)

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
; rows_of_a: panel of bf16, row 32 = 32*32, part 32 = 32*1, (k + 31) // 32 times, kept for a tile, aligned to 64 bytes
; finished: panel of fp32, row 32 = 32*32, column 32 = 32*1, kept for a tile, aligned to 64 bytes
; sums: 32x32 of fp32 in 64 registers of 16 lanes
; acc: 4x32 of fp32 in 8 registers of 16 lanes
; a: 32x32 of bf16 in 64 registers of 16 lanes
; b: 32x32 of bf16 in 64 registers of 16 lanes
; packed: 2x32 of bf16 in 4 registers of 16 lanes
; row_part: 1x32 of bf16 in 2 registers of 16 lanes
; result: 4x32 of bf16 in 8 registers of 16 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="skylake-avx512" {
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
  %rows_of_a_of_all_word = getelementptr i64, ptr %arguments, i64 13
  %rows_of_a_of_all = load ptr, ptr %rows_of_a_of_all_word, align 8
  %index.6 = mul i64 %quotient.3, 2048
  %index.7 = add i64 %index.6, 63
  %quotient.6 = udiv i64 %index.7, 64
  %rows_of_a_bytes = mul i64 %quotient.6, 64
  %rows_of_a_own = mul i64 %worker, %rows_of_a_bytes
  %rows_of_a = getelementptr i8, ptr %rows_of_a_of_all, i64 %rows_of_a_own
  %finished_of_all_word = getelementptr i64, ptr %arguments, i64 14
  %finished_of_all = load ptr, ptr %finished_of_all_word, align 8
  %finished_own = mul i64 %worker, 4096
  %finished = getelementptr i8, ptr %finished_of_all, i64 %finished_own
  call void @llvm.x86.ldtilecfg(ptr @tile_shapes)
  ; panels = (n + 31) // 32
  ; row_tiles = (m + 31) // 32
  %index.8 = add i64 %m, 31
  %row_tiles = udiv i64 %index.8, 32
  ; k_steps = (k + 31) // 32
  ; units = row_splits * column_splits
  %units = mul i64 %row_splits, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.1 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.1, %workers
  %index.9 = add i64 %worker, 1
  %product.2 = mul i64 %index.9, %units
  %unit_stop = udiv i64 %product.2, %workers
  %product.3 = mul i64 %column_splits, %row_splits
  %finished_at_0_1 = getelementptr float, ptr %finished, i64 16
  %finished_at_16_0 = getelementptr float, ptr %finished, i64 512
  %finished_at_16_1 = getelementptr float, ptr %finished, i64 528
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %tile_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits % row_splits
    %quotient.7 = udiv i64 %unit, %column_splits
    %split = urem i64 %quotient.7, %row_splits
    ; item = unit // (column_splits * row_splits)
    %item = udiv i64 %unit, %product.3
    ; first_panel = part * panels // column_splits
    %product.4 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.4, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.10 = add i64 %part, 1
    %product.5 = mul i64 %index.10, %quotient
    %last_panel = udiv i64 %product.5, %column_splits
    ; for panel from first_panel to last_panel
    %panel_any = icmp slt i64 %first_panel, %last_panel
    br i1 %panel_any, label %panel_loop, label %panel_done
    panel_loop:
      %panel = phi i64 [ %first_panel, %unit_loop ], [ %panel_next, %joined ]
      ; if panel * 32 + 31 < n
      %index.11 = mul i64 %panel, 32
      %index.12 = add i64 %index.11, 31
      %holds = icmp slt i64 %index.12, %n
      br i1 %holds, label %then, label %otherwise
      then:
        ; for k_group from 0 to k // 2
        %k_group_stop = udiv i64 %k, 2
        %b_at_0_0 = getelementptr i16, ptr %b, i64 %index.11
        %index.15 = sub i64 %panel, %first_panel
        %index.16 = mul i64 %quotient.3, 16
        %product.8 = mul i64 %index.15, %index.16
        %index.17 = mul i64 %product.8, 64
        %panels_of_b_at_0_0 = getelementptr i16, ptr %panels_of_b, i64 %index.17
        %k_group_any = icmp slt i64 0, %k_group_stop
        br i1 %k_group_any, label %k_group_loop, label %k_group_done
        k_group_loop:
          %k_group = phi i64 [ 0, %then ], [ %k_group_next, %k_group_loop ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector
          %index.13 = mul i64 %k_group, 2
          %product.6 = mul i64 %index.13, %b_row
          %b_at_0_0.1 = getelementptr i16, ptr %b_at_0_0, i64 %product.6
          %packed_0_0 = load <16 x i16>, ptr %b_at_0_0.1, align 2
          %index.14 = add i64 %index.13, 1
          %product.7 = mul i64 %index.14, %b_row
          %b_at_1_0 = getelementptr i16, ptr %b_at_0_0, i64 %product.7
          %packed_1_0 = load <16 x i16>, ptr %b_at_1_0, align 2
          %b_at_0_1 = getelementptr i16, ptr %b_at_0_0.1, i64 16
          %packed_0_1 = load <16 x i16>, ptr %b_at_0_1, align 2
          %b_at_1_1 = getelementptr i16, ptr %b_at_1_0, i64 16
          %packed_1_1 = load <16 x i16>, ptr %b_at_1_1, align 2
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.18 = mul i64 %k_group, 64
          %panels_of_b_at_0_0.1 = getelementptr i16, ptr %panels_of_b_at_0_0, i64 %index.18
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
        %k_group_any.1 = icmp slt i64 %k_group_stop, %index.16
        br i1 %k_group_any.1, label %k_group_loop.1, label %k_group_done.1
        k_group_loop.1:
          %k_group.1 = phi i64 [ %k_group_stop, %k_group_done ], [ %k_group_next.1, %k_group_loop.1 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where k_group * 2 + row < k, else 0
          %index.19 = mul i64 %k_group.1, 2
          %holds.1 = icmp slt i64 %index.19, %k
          %product.9 = mul i64 %index.19, %b_row
          %b_at_0_0.2 = getelementptr i16, ptr %b_at_0_0, i64 %product.9
          %lane0 = insertelement <16 x i1> poison, i1 %holds.1, i64 0
          %all = shufflevector <16 x i1> %lane0, <16 x i1> poison, <16 x i32> zeroinitializer
          %packed_0_0.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.2, i32 2, <16 x i1> %all, <16 x i16> zeroinitializer)
          %index.20 = add i64 %index.19, 1
          %holds.2 = icmp slt i64 %index.20, %k
          %product.10 = mul i64 %index.20, %b_row
          %b_at_1_0.1 = getelementptr i16, ptr %b_at_0_0, i64 %product.10
          %lane0.1 = insertelement <16 x i1> poison, i1 %holds.2, i64 0
          %all.1 = shufflevector <16 x i1> %lane0.1, <16 x i1> poison, <16 x i32> zeroinitializer
          %packed_1_0.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_0.1, i32 2, <16 x i1> %all.1, <16 x i16> zeroinitializer)
          %b_at_0_1.1 = getelementptr i16, ptr %b_at_0_0.2, i64 16
          %packed_0_1.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_1.1, i32 2, <16 x i1> %all, <16 x i16> zeroinitializer)
          %b_at_1_1.1 = getelementptr i16, ptr %b_at_1_0.1, i64 16
          %packed_1_1.1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_1.1, i32 2, <16 x i1> %all.1, <16 x i16> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.21 = mul i64 %k_group.1, 64
          %panels_of_b_at_0_0.2 = getelementptr i16, ptr %panels_of_b_at_0_0, i64 %index.21
          %packed_pairs.2 = shufflevector <16 x i16> %packed_0_0.1, <16 x i16> %packed_1_0.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.2 = bitcast <32 x i16> %packed_pairs.2 to <16 x i32>
          store <16 x i32> %packed_words.2, ptr %panels_of_b_at_0_0.2, align 64
          %panels_of_b_at_0_1.1 = getelementptr i16, ptr %panels_of_b_at_0_0.2, i64 32
          %packed_pairs.3 = shufflevector <16 x i16> %packed_0_1.1, <16 x i16> %packed_1_1.1, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.3 = bitcast <32 x i16> %packed_pairs.3 to <16 x i32>
          store <16 x i32> %packed_words.3, ptr %panels_of_b_at_0_1.1, align 64
          %k_group_next.1 = add i64 %k_group.1, 1
          %k_group_more.1 = icmp slt i64 %k_group_next.1, %index.16
          br i1 %k_group_more.1, label %k_group_loop.1, label %k_group_done.1
        k_group_done.1:
        br label %joined
      otherwise:
        ; for k_group from 0 to k // 2
        %k_group_stop.1 = udiv i64 %k, 2
        %index.22 = mul i64 %panel, -32
        %limit = add i64 %n, %index.22
        %lane0.2 = insertelement <16 x i64> poison, i64 %limit, i64 0
        %all.2 = shufflevector <16 x i64> %lane0.2, <16 x i64> poison, <16 x i32> zeroinitializer
        %mask = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.2
        %b_at_0_0.3 = getelementptr i16, ptr %b, i64 %index.11
        %mask.1 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.2
        %index.25 = sub i64 %panel, %first_panel
        %index.26 = mul i64 %quotient.3, 16
        %product.13 = mul i64 %index.25, %index.26
        %index.27 = mul i64 %product.13, 64
        %panels_of_b_at_0_0.3 = getelementptr i16, ptr %panels_of_b, i64 %index.27
        %k_group_any.2 = icmp slt i64 0, %k_group_stop.1
        br i1 %k_group_any.2, label %k_group_loop.2, label %k_group_done.2
        k_group_loop.2:
          %k_group.2 = phi i64 [ 0, %otherwise ], [ %k_group_next.2, %k_group_loop.2 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n, else 0
          %index.23 = mul i64 %k_group.2, 2
          %product.11 = mul i64 %index.23, %b_row
          %b_at_0_0.4 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.11
          %packed_0_0.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.4, i32 2, <16 x i1> %mask, <16 x i16> zeroinitializer)
          %index.24 = add i64 %index.23, 1
          %product.12 = mul i64 %index.24, %b_row
          %b_at_1_0.2 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.12
          %packed_1_0.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_0.2, i32 2, <16 x i1> %mask, <16 x i16> zeroinitializer)
          %b_at_0_1.2 = getelementptr i16, ptr %b_at_0_0.4, i64 16
          %packed_0_1.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_1.2, i32 2, <16 x i1> %mask.1, <16 x i16> zeroinitializer)
          %b_at_1_1.2 = getelementptr i16, ptr %b_at_1_0.2, i64 16
          %packed_1_1.2 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_1_1.2, i32 2, <16 x i1> %mask.1, <16 x i16> zeroinitializer)
          ; panels_of_b[(panel - first_panel) * (k_steps * 16) + k_group, column, row] = packed, vector
          %index.28 = mul i64 %k_group.2, 64
          %panels_of_b_at_0_0.4 = getelementptr i16, ptr %panels_of_b_at_0_0.3, i64 %index.28
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
        %k_group_any.3 = icmp slt i64 %k_group_stop.1, %index.26
        br i1 %k_group_any.3, label %k_group_loop.3, label %k_group_done.3
        k_group_loop.3:
          %k_group.3 = phi i64 [ %k_group_stop.1, %k_group_done.2 ], [ %k_group_next.3, %k_group_loop.3 ]
          ; packed = b[(k_group * 2 + row) * b_row + panel * 32 + column], vector where panel * 32 + column < n and k_group * 2 + row < k, else 0
          %index.29 = mul i64 %k_group.3, 2
          %holds.3 = icmp slt i64 %index.29, %k
          %product.14 = mul i64 %index.29, %b_row
          %b_at_0_0.5 = getelementptr i16, ptr %b_at_0_0.3, i64 %product.14
          %lane0.3 = insertelement <16 x i1> poison, i1 %holds.3, i64 0
          %all.3 = shufflevector <16 x i1> %lane0.3, <16 x i1> poison, <16 x i32> zeroinitializer
          %mask.2 = and <16 x i1> %mask, %all.3
          %packed_0_0.3 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %b_at_0_0.5, i32 2, <16 x i1> %mask.2, <16 x i16> zeroinitializer)
          %index.30 = add i64 %index.29, 1
          %holds.4 = icmp slt i64 %index.30, %k
          %product.15 = mul i64 %index.30, %b_row
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
          %index.31 = mul i64 %k_group.3, 64
          %panels_of_b_at_0_0.5 = getelementptr i16, ptr %panels_of_b_at_0_0.3, i64 %index.31
          %packed_pairs.6 = shufflevector <16 x i16> %packed_0_0.3, <16 x i16> %packed_1_0.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.6 = bitcast <32 x i16> %packed_pairs.6 to <16 x i32>
          store <16 x i32> %packed_words.6, ptr %panels_of_b_at_0_0.5, align 64
          %panels_of_b_at_0_1.3 = getelementptr i16, ptr %panels_of_b_at_0_0.5, i64 32
          %packed_pairs.7 = shufflevector <16 x i16> %packed_0_1.3, <16 x i16> %packed_1_1.3, <32 x i32> <i32 0, i32 16, i32 1, i32 17, i32 2, i32 18, i32 3, i32 19, i32 4, i32 20, i32 5, i32 21, i32 6, i32 22, i32 7, i32 23, i32 8, i32 24, i32 9, i32 25, i32 10, i32 26, i32 11, i32 27, i32 12, i32 28, i32 13, i32 29, i32 14, i32 30, i32 15, i32 31>
          %packed_words.7 = bitcast <32 x i16> %packed_pairs.7 to <16 x i32>
          store <16 x i32> %packed_words.7, ptr %panels_of_b_at_0_1.3, align 64
          %k_group_next.3 = add i64 %k_group.3, 1
          %k_group_more.3 = icmp slt i64 %k_group_next.3, %index.26
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
    %index.32 = add i64 %split, 1
    %product.17 = mul i64 %index.32, %row_tiles
    %tile_stop = udiv i64 %product.17, %row_splits
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %panel_done ], [ %tile_next, %panel_done.1 ]
      ; tile_row = tile * 32
      %tile_row = mul i64 %tile, 32
      ; if tile_row + 31 < m and k % 32 == 0
      %index.33 = add i64 %tile_row, 31
      %holds.5 = icmp slt i64 %index.33, %m
      %rest.2 = urem i64 %k, 32
      %holds.6 = icmp eq i64 %rest.2, 0
      %both = and i1 %holds.5, %holds.6
      br i1 %both, label %joined.1, label %otherwise.1
      otherwise.1:
        ; for row_at from 0 to 32
        %index.36 = add i64 %m, -1
        br label %row_at_loop
        row_at_loop:
          %row_at = phi i64 [ 0, %otherwise.1 ], [ %row_at_next, %k_step_done ]
          ; for k_step from 0 to k_steps
          %index.35 = add i64 %tile_row, %row_at
          %min = call i64 @llvm.smin.i64(i64 %index.35, i64 %index.36)
          %product.18 = mul i64 %min, %a_row
          %a_at_0 = getelementptr i16, ptr %a, i64 %product.18
          %index.38 = mul i64 %row_at, 32
          %rows_of_a_at_0 = getelementptr i16, ptr %rows_of_a, i64 %index.38
          %k_step_any = icmp slt i64 0, %quotient.3
          br i1 %k_step_any, label %k_step_loop, label %k_step_done
          k_step_loop:
            %k_step = phi i64 [ 0, %row_at_loop ], [ %k_step_next, %k_step_loop ]
            ; row_part = a[min(tile_row + row_at, m - 1) * a_row + k_step * 32 + column], vector where k_step * 32 + column < k, else 0
            %index.34 = mul i64 %k_step, -32
            %limit.1 = add i64 %k, %index.34
            %lane0.5 = insertelement <16 x i64> poison, i64 %limit.1, i64 0
            %all.5 = shufflevector <16 x i64> %lane0.5, <16 x i64> poison, <16 x i32> zeroinitializer
            %mask.6 = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.5
            %index.37 = mul i64 %k_step, 32
            %a_at_0.1 = getelementptr i16, ptr %a_at_0, i64 %index.37
            %row_part_0 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %a_at_0.1, i32 2, <16 x i1> %mask.6, <16 x i16> zeroinitializer)
            %mask.7 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.5
            %a_at_1 = getelementptr i16, ptr %a_at_0.1, i64 16
            %row_part_1 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %a_at_1, i32 2, <16 x i1> %mask.7, <16 x i16> zeroinitializer)
            ; rows_of_a[k_step, row_at, column] = row_part, vector
            %index.39 = mul i64 %k_step, 1024
            %rows_of_a_at_0.1 = getelementptr i16, ptr %rows_of_a_at_0, i64 %index.39
            store <16 x i16> %row_part_0, ptr %rows_of_a_at_0.1, align 64
            %rows_of_a_at_1 = getelementptr i16, ptr %rows_of_a_at_0.1, i64 16
            store <16 x i16> %row_part_1, ptr %rows_of_a_at_1, align 32
            %k_step_next = add i64 %k_step, 1
            %k_step_more = icmp slt i64 %k_step_next, %quotient.3
            br i1 %k_step_more, label %k_step_loop, label %k_step_done
          k_step_done:
          %row_at_next = add i64 %row_at, 1
          %row_at_more = icmp slt i64 %row_at_next, 32
          br i1 %row_at_more, label %row_at_loop, label %row_at_done
        row_at_done:
        br label %joined.1
      joined.1:
      ; for panel from first_panel to last_panel
      br i1 %panel_any, label %panel_loop.1, label %panel_done.1
      panel_loop.1:
        %panel.1 = phi i64 [ %first_panel, %joined.1 ], [ %panel_next.1, %finished_row_done ]
        ; column0 = panel * 32
        %column0 = mul i64 %panel.1, 32
        ; sums = 0
        call void @llvm.x86.tilezero(i8 0)
        call void @llvm.x86.tilezero(i8 1)
        call void @llvm.x86.tilezero(i8 2)
        call void @llvm.x86.tilezero(i8 3)
        ; if tile_row + 31 < m and k % 32 == 0
        br i1 %both, label %then.2, label %otherwise.2
        then.2:
          ; a_first = tile_row * a_row
          %a_first = mul i64 %tile_row, %a_row
          ; for k_step from 0 to k_steps, 2 at a time
          %tile_row_bytes = mul i64 %a_row, 2
          %a_at_0_0 = getelementptr i16, ptr %a, i64 %a_first
          %index.41 = mul i64 %a_row, 16
          %index.42 = add i64 %a_first, %index.41
          %a_at_16_0 = getelementptr i16, ptr %a, i64 %index.42
          %index.43 = sub i64 %panel.1, %first_panel
          %index.44 = mul i64 %quotient.3, 16
          %product.19 = mul i64 %index.43, %index.44
          %index.45 = mul i64 %product.19, 64
          %panels_of_b_at_0_0.6 = getelementptr i16, ptr %panels_of_b, i64 %index.45
          %k_step_limit = add i64 %quotient.3, -1
          %k_step_any.1 = icmp slt i64 0, %k_step_limit
          br i1 %k_step_any.1, label %k_step_loop.1, label %k_step_done.1
          k_step_loop.1:
            %k_step.1 = phi i64 [ 0, %then.2 ], [ %k_step_next.1, %k_step_loop.1 ]
            ; a = a[a_first + row * a_row + k_step * 32 + column], vector
            %index.40 = mul i64 %k_step.1, 32
            %a_at_0_0.1 = getelementptr i16, ptr %a_at_0_0, i64 %index.40
            call void @llvm.x86.tileloadd64(i8 4, ptr %a_at_0_0.1, i64 %tile_row_bytes)
            %a_at_16_0.1 = getelementptr i16, ptr %a_at_16_0, i64 %index.40
            call void @llvm.x86.tileloadd64(i8 5, ptr %a_at_16_0.1, i64 %tile_row_bytes)
            ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_step * 16 + row // 2, column, row % 2], vector
            %index.46 = mul i64 %k_step.1, 1024
            %panels_of_b_at_0_0.7 = getelementptr i16, ptr %panels_of_b_at_0_0.6, i64 %index.46
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.7, i64 128)
            %panels_of_b_at_0_1.4 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 32
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.4, i64 128)
            ; sums += a * b, amx_2x2_bf16
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            ; k_step + 1
            %a_at_0_0.2 = getelementptr i16, ptr %a_at_0_0.1, i64 32
            call void @llvm.x86.tileloadd64(i8 4, ptr %a_at_0_0.2, i64 %tile_row_bytes)
            %a_at_16_0.2 = getelementptr i16, ptr %a_at_16_0.1, i64 32
            call void @llvm.x86.tileloadd64(i8 5, ptr %a_at_16_0.2, i64 %tile_row_bytes)
            %panels_of_b_at_0_0.8 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 1024
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.8, i64 128)
            %panels_of_b_at_0_1.5 = getelementptr i16, ptr %panels_of_b_at_0_0.7, i64 1056
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.5, i64 128)
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            %k_step_next.1 = add i64 %k_step.1, 2
            %k_step_more.1 = icmp slt i64 %k_step_next.1, %k_step_limit
            br i1 %k_step_more.1, label %k_step_loop.1, label %k_step_done.1
          k_step_done.1:
          %k_step_rest = phi i64 [ 0, %then.2 ], [ %k_step_next.1, %k_step_loop.1 ]
          ; what is left of k_step
          %k_step_any.2 = icmp slt i64 %k_step_rest, %quotient.3
          br i1 %k_step_any.2, label %k_step_loop.2, label %k_step_done.2
          k_step_loop.2:
            %k_step.2 = phi i64 [ %k_step_rest, %k_step_done.1 ], [ %k_step_next.2, %k_step_loop.2 ]
            ; a = a[a_first + row * a_row + k_step * 32 + column], vector
            %index.47 = mul i64 %k_step.2, 32
            %a_at_0_0.3 = getelementptr i16, ptr %a_at_0_0, i64 %index.47
            call void @llvm.x86.tileloadd64(i8 4, ptr %a_at_0_0.3, i64 %tile_row_bytes)
            %a_at_16_0.3 = getelementptr i16, ptr %a_at_16_0, i64 %index.47
            call void @llvm.x86.tileloadd64(i8 5, ptr %a_at_16_0.3, i64 %tile_row_bytes)
            ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_step * 16 + row // 2, column, row % 2], vector
            %index.48 = mul i64 %k_step.2, 1024
            %panels_of_b_at_0_0.9 = getelementptr i16, ptr %panels_of_b_at_0_0.6, i64 %index.48
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.9, i64 128)
            %panels_of_b_at_0_1.6 = getelementptr i16, ptr %panels_of_b_at_0_0.9, i64 32
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.6, i64 128)
            ; sums += a * b, amx_2x2_bf16
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            %k_step_next.2 = add i64 %k_step.2, 1
            %k_step_more.2 = icmp slt i64 %k_step_next.2, %quotient.3
            br i1 %k_step_more.2, label %k_step_loop.2, label %k_step_done.2
          k_step_done.2:
          br label %joined.2
        otherwise.2:
          ; for k_step from 0 to k_steps, 2 at a time
          %index.50 = sub i64 %panel.1, %first_panel
          %index.51 = mul i64 %quotient.3, 16
          %product.20 = mul i64 %index.50, %index.51
          %index.52 = mul i64 %product.20, 64
          %panels_of_b_at_0_0.10 = getelementptr i16, ptr %panels_of_b, i64 %index.52
          %k_step_limit.1 = add i64 %quotient.3, -1
          %k_step_any.3 = icmp slt i64 0, %k_step_limit.1
          br i1 %k_step_any.3, label %k_step_loop.3, label %k_step_done.3
          k_step_loop.3:
            %k_step.3 = phi i64 [ 0, %otherwise.2 ], [ %k_step_next.3, %k_step_loop.3 ]
            ; a = rows_of_a[k_step, row, column], vector
            %index.49 = mul i64 %k_step.3, 1024
            %rows_of_a_at_0_0 = getelementptr i16, ptr %rows_of_a, i64 %index.49
            call void @llvm.x86.tileloadd64(i8 4, ptr %rows_of_a_at_0_0, i64 64)
            %rows_of_a_at_16_0 = getelementptr i16, ptr %rows_of_a_at_0_0, i64 512
            call void @llvm.x86.tileloadd64(i8 5, ptr %rows_of_a_at_16_0, i64 64)
            ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_step * 16 + row // 2, column, row % 2], vector
            %panels_of_b_at_0_0.11 = getelementptr i16, ptr %panels_of_b_at_0_0.10, i64 %index.49
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.11, i64 128)
            %panels_of_b_at_0_1.7 = getelementptr i16, ptr %panels_of_b_at_0_0.11, i64 32
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.7, i64 128)
            ; sums += a * b, amx_2x2_bf16
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            ; k_step + 1
            %rows_of_a_at_0_0.1 = getelementptr i16, ptr %rows_of_a_at_0_0, i64 1024
            call void @llvm.x86.tileloadd64(i8 4, ptr %rows_of_a_at_0_0.1, i64 64)
            %rows_of_a_at_16_0.1 = getelementptr i16, ptr %rows_of_a_at_0_0, i64 1536
            call void @llvm.x86.tileloadd64(i8 5, ptr %rows_of_a_at_16_0.1, i64 64)
            %panels_of_b_at_0_0.12 = getelementptr i16, ptr %panels_of_b_at_0_0.11, i64 1024
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.12, i64 128)
            %panels_of_b_at_0_1.8 = getelementptr i16, ptr %panels_of_b_at_0_0.11, i64 1056
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.8, i64 128)
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            %k_step_next.3 = add i64 %k_step.3, 2
            %k_step_more.3 = icmp slt i64 %k_step_next.3, %k_step_limit.1
            br i1 %k_step_more.3, label %k_step_loop.3, label %k_step_done.3
          k_step_done.3:
          %k_step_rest.1 = phi i64 [ 0, %otherwise.2 ], [ %k_step_next.3, %k_step_loop.3 ]
          ; what is left of k_step
          %k_step_any.4 = icmp slt i64 %k_step_rest.1, %quotient.3
          br i1 %k_step_any.4, label %k_step_loop.4, label %k_step_done.4
          k_step_loop.4:
            %k_step.4 = phi i64 [ %k_step_rest.1, %k_step_done.3 ], [ %k_step_next.4, %k_step_loop.4 ]
            ; a = rows_of_a[k_step, row, column], vector
            %index.53 = mul i64 %k_step.4, 1024
            %rows_of_a_at_0_0.2 = getelementptr i16, ptr %rows_of_a, i64 %index.53
            call void @llvm.x86.tileloadd64(i8 4, ptr %rows_of_a_at_0_0.2, i64 64)
            %rows_of_a_at_16_0.2 = getelementptr i16, ptr %rows_of_a_at_0_0.2, i64 512
            call void @llvm.x86.tileloadd64(i8 5, ptr %rows_of_a_at_16_0.2, i64 64)
            ; b = panels_of_b[(panel - first_panel) * (k_steps * 16) + k_step * 16 + row // 2, column, row % 2], vector
            %panels_of_b_at_0_0.13 = getelementptr i16, ptr %panels_of_b_at_0_0.10, i64 %index.53
            call void @llvm.x86.tileloadd64(i8 6, ptr %panels_of_b_at_0_0.13, i64 128)
            %panels_of_b_at_0_1.9 = getelementptr i16, ptr %panels_of_b_at_0_0.13, i64 32
            call void @llvm.x86.tileloadd64(i8 7, ptr %panels_of_b_at_0_1.9, i64 128)
            ; sums += a * b, amx_2x2_bf16
            call void @llvm.x86.tdpbf16ps(i8 0, i8 4, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 1, i8 4, i8 7)
            call void @llvm.x86.tdpbf16ps(i8 2, i8 5, i8 6)
            call void @llvm.x86.tdpbf16ps(i8 3, i8 5, i8 7)
            %k_step_next.4 = add i64 %k_step.4, 1
            %k_step_more.4 = icmp slt i64 %k_step_next.4, %quotient.3
            br i1 %k_step_more.4, label %k_step_loop.4, label %k_step_done.4
          k_step_done.4:
          br label %joined.2
        joined.2:
        ; finished[row, column] = sums, vector
        call void @llvm.x86.tilestored64(i8 0, ptr %finished, i64 128)
        call void @llvm.x86.tilestored64(i8 1, ptr %finished_at_0_1, i64 128)
        call void @llvm.x86.tilestored64(i8 2, ptr %finished_at_16_0, i64 128)
        call void @llvm.x86.tilestored64(i8 3, ptr %finished_at_16_1, i64 128)
        ; for finished_row from 0 to 32 by 4
        %index.56 = add i64 %column0, 31
        %holds.8 = icmp slt i64 %index.56, %n
        br label %finished_row_loop
        finished_row_loop:
          %finished_row = phi i64 [ 0, %joined.2 ], [ %finished_row_next, %joined.3 ]
          ; row0 = tile_row + finished_row
          %row0 = add i64 %tile_row, %finished_row
          ; acc = finished[finished_row + row, column], vector
          %index.54 = mul i64 %finished_row, 32
          %finished_at_0_0 = getelementptr float, ptr %finished, i64 %index.54
          %acc_0_0 = load <16 x float>, ptr %finished_at_0_0, align 64
          %finished_at_0_1.1 = getelementptr float, ptr %finished_at_0_0, i64 16
          %acc_0_1 = load <16 x float>, ptr %finished_at_0_1.1, align 64
          %finished_at_1_0 = getelementptr float, ptr %finished_at_0_0, i64 32
          %acc_1_0 = load <16 x float>, ptr %finished_at_1_0, align 64
          %finished_at_1_1 = getelementptr float, ptr %finished_at_0_0, i64 48
          %acc_1_1 = load <16 x float>, ptr %finished_at_1_1, align 64
          %finished_at_2_0 = getelementptr float, ptr %finished_at_0_0, i64 64
          %acc_2_0 = load <16 x float>, ptr %finished_at_2_0, align 64
          %finished_at_2_1 = getelementptr float, ptr %finished_at_0_0, i64 80
          %acc_2_1 = load <16 x float>, ptr %finished_at_2_1, align 64
          %finished_at_3_0 = getelementptr float, ptr %finished_at_0_0, i64 96
          %acc_3_0 = load <16 x float>, ptr %finished_at_3_0, align 64
          %finished_at_3_1 = getelementptr float, ptr %finished_at_0_0, i64 112
          %acc_3_1 = load <16 x float>, ptr %finished_at_3_1, align 64
          ; if row0 + 3 < m and column0 + 31 < n
          %index.55 = add i64 %row0, 3
          %holds.7 = icmp slt i64 %index.55, %m
          %both.1 = and i1 %holds.7, %holds.8
          br i1 %both.1, label %then.3, label %otherwise.3
          then.3:
            ; result = acc, in fp32
            %result_0_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_0_0)
            %result_0_0 = bitcast <16 x bfloat> %result_0_0_short to <16 x i16>
            %result_0_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_0_1)
            %result_0_1 = bitcast <16 x bfloat> %result_0_1_short to <16 x i16>
            %result_1_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_1_0)
            %result_1_0 = bitcast <16 x bfloat> %result_1_0_short to <16 x i16>
            %result_1_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_1_1)
            %result_1_1 = bitcast <16 x bfloat> %result_1_1_short to <16 x i16>
            %result_2_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_2_0)
            %result_2_0 = bitcast <16 x bfloat> %result_2_0_short to <16 x i16>
            %result_2_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_2_1)
            %result_2_1 = bitcast <16 x bfloat> %result_2_1_short to <16 x i16>
            %result_3_0_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_3_0)
            %result_3_0 = bitcast <16 x bfloat> %result_3_0_short to <16 x i16>
            %result_3_1_short = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_3_1)
            %result_3_1 = bitcast <16 x bfloat> %result_3_1_short to <16 x i16>
            ; out[(row0 + row) * out_row + column0 + column] = result, vector
            %product.21 = mul i64 %row0, %out_row
            %index.57 = add i64 %product.21, %column0
            %out_at_0_0 = getelementptr i16, ptr %out, i64 %index.57
            store <16 x i16> %result_0_0, ptr %out_at_0_0, align 2
            %out_at_0_1 = getelementptr i16, ptr %out_at_0_0, i64 16
            store <16 x i16> %result_0_1, ptr %out_at_0_1, align 2
            %index.58 = add i64 %row0, 1
            %product.22 = mul i64 %index.58, %out_row
            %index.59 = add i64 %product.22, %column0
            %out_at_1_0 = getelementptr i16, ptr %out, i64 %index.59
            store <16 x i16> %result_1_0, ptr %out_at_1_0, align 2
            %out_at_1_1 = getelementptr i16, ptr %out_at_1_0, i64 16
            store <16 x i16> %result_1_1, ptr %out_at_1_1, align 2
            %index.60 = add i64 %row0, 2
            %product.23 = mul i64 %index.60, %out_row
            %index.61 = add i64 %product.23, %column0
            %out_at_2_0 = getelementptr i16, ptr %out, i64 %index.61
            store <16 x i16> %result_2_0, ptr %out_at_2_0, align 2
            %out_at_2_1 = getelementptr i16, ptr %out_at_2_0, i64 16
            store <16 x i16> %result_2_1, ptr %out_at_2_1, align 2
            %product.24 = mul i64 %index.55, %out_row
            %index.62 = add i64 %product.24, %column0
            %out_at_3_0 = getelementptr i16, ptr %out, i64 %index.62
            store <16 x i16> %result_3_0, ptr %out_at_3_0, align 2
            %out_at_3_1 = getelementptr i16, ptr %out_at_3_0, i64 16
            store <16 x i16> %result_3_1, ptr %out_at_3_1, align 2
            br label %joined.3
          otherwise.3:
            ; result = acc, in fp32
            %result_0_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_0_0)
            %result_0_0.1 = bitcast <16 x bfloat> %result_0_0_short.1 to <16 x i16>
            %result_0_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_0_1)
            %result_0_1.1 = bitcast <16 x bfloat> %result_0_1_short.1 to <16 x i16>
            %result_1_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_1_0)
            %result_1_0.1 = bitcast <16 x bfloat> %result_1_0_short.1 to <16 x i16>
            %result_1_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_1_1)
            %result_1_1.1 = bitcast <16 x bfloat> %result_1_1_short.1 to <16 x i16>
            %result_2_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_2_0)
            %result_2_0.1 = bitcast <16 x bfloat> %result_2_0_short.1 to <16 x i16>
            %result_2_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_2_1)
            %result_2_1.1 = bitcast <16 x bfloat> %result_2_1_short.1 to <16 x i16>
            %result_3_0_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_3_0)
            %result_3_0.1 = bitcast <16 x bfloat> %result_3_0_short.1 to <16 x i16>
            %result_3_1_short.1 = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512(<16 x float> %acc_3_1)
            %result_3_1.1 = bitcast <16 x bfloat> %result_3_1_short.1 to <16 x i16>
            ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
            %holds.9 = icmp slt i64 %row0, %m
            %limit.2 = sub i64 %n, %column0
            %lane0.6 = insertelement <16 x i64> poison, i64 %limit.2, i64 0
            %all.6 = shufflevector <16 x i64> %lane0.6, <16 x i64> poison, <16 x i32> zeroinitializer
            %mask.8 = icmp slt <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.6
            %product.25 = mul i64 %row0, %out_row
            %index.63 = add i64 %product.25, %column0
            %out_at_0_0.1 = getelementptr i16, ptr %out, i64 %index.63
            %lane0.7 = insertelement <16 x i1> poison, i1 %holds.9, i64 0
            %all.7 = shufflevector <16 x i1> %lane0.7, <16 x i1> poison, <16 x i32> zeroinitializer
            %mask.9 = and <16 x i1> %mask.8, %all.7
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_0_0.1, ptr %out_at_0_0.1, i32 2, <16 x i1> %mask.9)
            %mask.10 = icmp slt <16 x i64> <i64 16, i64 17, i64 18, i64 19, i64 20, i64 21, i64 22, i64 23, i64 24, i64 25, i64 26, i64 27, i64 28, i64 29, i64 30, i64 31>, %all.6
            %out_at_0_1.1 = getelementptr i16, ptr %out_at_0_0.1, i64 16
            %mask.11 = and <16 x i1> %mask.10, %all.7
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_0_1.1, ptr %out_at_0_1.1, i32 2, <16 x i1> %mask.11)
            %index.64 = add i64 %row0, 1
            %holds.10 = icmp slt i64 %index.64, %m
            %product.26 = mul i64 %index.64, %out_row
            %index.65 = add i64 %product.26, %column0
            %out_at_1_0.1 = getelementptr i16, ptr %out, i64 %index.65
            %lane0.8 = insertelement <16 x i1> poison, i1 %holds.10, i64 0
            %all.8 = shufflevector <16 x i1> %lane0.8, <16 x i1> poison, <16 x i32> zeroinitializer
            %mask.12 = and <16 x i1> %mask.8, %all.8
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_1_0.1, ptr %out_at_1_0.1, i32 2, <16 x i1> %mask.12)
            %out_at_1_1.1 = getelementptr i16, ptr %out_at_1_0.1, i64 16
            %mask.13 = and <16 x i1> %mask.10, %all.8
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_1_1.1, ptr %out_at_1_1.1, i32 2, <16 x i1> %mask.13)
            %index.66 = add i64 %row0, 2
            %holds.11 = icmp slt i64 %index.66, %m
            %product.27 = mul i64 %index.66, %out_row
            %index.67 = add i64 %product.27, %column0
            %out_at_2_0.1 = getelementptr i16, ptr %out, i64 %index.67
            %lane0.9 = insertelement <16 x i1> poison, i1 %holds.11, i64 0
            %all.9 = shufflevector <16 x i1> %lane0.9, <16 x i1> poison, <16 x i32> zeroinitializer
            %mask.14 = and <16 x i1> %mask.8, %all.9
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_2_0.1, ptr %out_at_2_0.1, i32 2, <16 x i1> %mask.14)
            %out_at_2_1.1 = getelementptr i16, ptr %out_at_2_0.1, i64 16
            %mask.15 = and <16 x i1> %mask.10, %all.9
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_2_1.1, ptr %out_at_2_1.1, i32 2, <16 x i1> %mask.15)
            %product.28 = mul i64 %index.55, %out_row
            %index.68 = add i64 %product.28, %column0
            %out_at_3_0.1 = getelementptr i16, ptr %out, i64 %index.68
            %lane0.10 = insertelement <16 x i1> poison, i1 %holds.7, i64 0
            %all.10 = shufflevector <16 x i1> %lane0.10, <16 x i1> poison, <16 x i32> zeroinitializer
            %mask.16 = and <16 x i1> %mask.8, %all.10
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_3_0.1, ptr %out_at_3_0.1, i32 2, <16 x i1> %mask.16)
            %out_at_3_1.1 = getelementptr i16, ptr %out_at_3_0.1, i64 16
            %mask.17 = and <16 x i1> %mask.10, %all.10
            call void @llvm.masked.store.v16i16.p0(<16 x i16> %result_3_1.1, ptr %out_at_3_1.1, i32 2, <16 x i1> %mask.17)
            br label %joined.3
          joined.3:
          %finished_row_next = add i64 %finished_row, 4
          %finished_row_more = icmp slt i64 %finished_row_next, 32
          br i1 %finished_row_more, label %finished_row_loop, label %finished_row_done
        finished_row_done:
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
  call void @llvm.x86.tilerelease()
  ret void
}
