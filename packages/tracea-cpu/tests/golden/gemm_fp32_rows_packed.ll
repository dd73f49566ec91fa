; tracea: matmul fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 kb8 rows-packed
; schedule       b96980268d79116623590351ccf18dba3af6e609dd0050ee15973639e4057c81
; certificate    1d579ddeadee72ff511e3e0ffa374f0d0521937993580b3424c0e0edd7b9e51d:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; a: fp32, read, aligned to 4 bytes
; b: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; a_column: a: next column; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the rows of a part are cut into; 1 to 4611686018427387904
; k_blocks: blocks that the reduction is cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((n + 15) // 16 + column_splits - 1) // column_splits * (((k + 7) // 8 + k_blocks - 1) // k_blocks * 8) times, kept for a tile_column, aligned to 64 bytes
; rows: panel of fp32, column 8 = 8*1, ((((m + 1) // 2 + 3) // 4 + row_splits - 1) // row_splits + row_blocks - 1) // row_blocks * (((k + 7) // 8 + k_blocks - 1) // k_blocks * 8) times, kept for a tile, aligned to 64 bytes
; sums: panel of fp32, row 2 = 2*16, column 16 = 16*1, (((m + 1) // 2 + 3) // 4 + row_splits - 1) // row_splits * 4 * (((n + 15) // 16 + column_splits - 1) // column_splits) times, kept for a tile_column, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
; packed_rows: 1x8 of fp32 in 1 registers of 8 lanes
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
  %a_column_word = getelementptr i64, ptr %arguments, i64 6
  %a_column = load i64, ptr %a_column_word, align 8
  %b_row_word = getelementptr i64, ptr %arguments, i64 7
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 8
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 9
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 10
  %column_splits = load i64, ptr %column_splits_word, align 8
  %row_blocks_word = getelementptr i64, ptr %arguments, i64 11
  %row_blocks = load i64, ptr %row_blocks_word, align 8
  %k_blocks_word = getelementptr i64, ptr %arguments, i64 12
  %k_blocks = load i64, ptr %k_blocks_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 13
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 14
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %index = add i64 %n, 15
  %quotient = udiv i64 %index, 16
  %index.1 = add i64 %quotient, %column_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %column_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %column_splits
  %quotient.2 = add i64 %quotient.1, %below
  %index.3 = add i64 %k, 7
  %quotient.3 = udiv i64 %index.3, 8
  %index.4 = add i64 %quotient.3, %k_blocks
  %index.5 = add i64 %index.4, -1
  %rest.1 = srem i64 %index.5, %k_blocks
  %below.1 = ashr i64 %rest.1, 63
  %quotient.4 = sdiv i64 %index.5, %k_blocks
  %quotient.5 = add i64 %quotient.4, %below.1
  %index.6 = mul i64 %quotient.5, 8
  %product = mul i64 %quotient.2, %index.6
  %index.7 = mul i64 %product, 64
  %index.8 = add i64 %index.7, 63
  %rest.2 = srem i64 %index.8, 64
  %below.2 = ashr i64 %rest.2, 63
  %quotient.6 = sdiv i64 %index.8, 64
  %quotient.7 = add i64 %quotient.6, %below.2
  %panel_bytes = mul i64 %quotient.7, 64
  %panel_own = mul i64 %worker, %panel_bytes
  %panel = getelementptr i8, ptr %panel_of_all, i64 %panel_own
  %rows_of_all_word = getelementptr i64, ptr %arguments, i64 15
  %rows_of_all = load ptr, ptr %rows_of_all_word, align 8
  %index.9 = add i64 %m, 1
  %quotient.8 = udiv i64 %index.9, 2
  %index.10 = add i64 %quotient.8, 3
  %quotient.9 = udiv i64 %index.10, 4
  %index.11 = add i64 %quotient.9, %row_splits
  %index.12 = add i64 %index.11, -1
  %rest.3 = srem i64 %index.12, %row_splits
  %below.3 = ashr i64 %rest.3, 63
  %quotient.10 = sdiv i64 %index.12, %row_splits
  %quotient.11 = add i64 %quotient.10, %below.3
  %index.13 = add i64 %quotient.11, %row_blocks
  %index.14 = add i64 %index.13, -1
  %rest.4 = srem i64 %index.14, %row_blocks
  %below.4 = ashr i64 %rest.4, 63
  %quotient.12 = sdiv i64 %index.14, %row_blocks
  %quotient.13 = add i64 %quotient.12, %below.4
  %product.1 = mul i64 %quotient.13, %index.6
  %index.15 = mul i64 %product.1, 32
  %index.16 = add i64 %index.15, 63
  %rest.5 = srem i64 %index.16, 64
  %below.5 = ashr i64 %rest.5, 63
  %quotient.14 = sdiv i64 %index.16, 64
  %quotient.15 = add i64 %quotient.14, %below.5
  %rows_bytes = mul i64 %quotient.15, 64
  %rows_own = mul i64 %worker, %rows_bytes
  %rows = getelementptr i8, ptr %rows_of_all, i64 %rows_own
  %sums_of_all_word = getelementptr i64, ptr %arguments, i64 16
  %sums_of_all = load ptr, ptr %sums_of_all_word, align 8
  %index.17 = mul i64 %quotient.11, 4
  %product.2 = mul i64 %index.17, %quotient.2
  %index.18 = mul i64 %product.2, 128
  %index.19 = add i64 %index.18, 63
  %rest.6 = srem i64 %index.19, 64
  %below.6 = ashr i64 %rest.6, 63
  %quotient.16 = sdiv i64 %index.19, 64
  %quotient.17 = add i64 %quotient.16, %below.6
  %sums_bytes = mul i64 %quotient.17, 64
  %sums_own = mul i64 %worker, %sums_bytes
  %sums = getelementptr i8, ptr %sums_of_all, i64 %sums_own
  ; panels = (n + 15) // 16
  ; row_tiles = (m + 1) // 2
  ; row_groups = ((m + 1) // 2 + 3) // 4
  ; k_groups = (k + 7) // 8
  ; k_rows = ((k + 7) // 8 + k_blocks - 1) // k_blocks * 8
  ; units = row_splits * column_splits
  %units = mul i64 %row_splits, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.3 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.3, %workers
  %index.20 = add i64 %worker, 1
  %product.4 = mul i64 %index.20, %units
  %unit_stop = udiv i64 %product.4, %workers
  %product.5 = mul i64 %column_splits, %row_splits
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %k_block_done ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits % row_splits
    %quotient.18 = udiv i64 %unit, %column_splits
    %split = urem i64 %quotient.18, %row_splits
    ; item = unit // (column_splits * row_splits)
    %item = udiv i64 %unit, %product.5
    ; first_panel = part * panels // column_splits
    %product.6 = mul i64 %part, %quotient
    %first_panel = udiv i64 %product.6, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.21 = add i64 %part, 1
    %product.7 = mul i64 %index.21, %quotient
    %last_panel = udiv i64 %product.7, %column_splits
    ; first_group = split * row_groups // row_splits
    %product.8 = mul i64 %split, %quotient.9
    %first_group = udiv i64 %product.8, %row_splits
    ; last_group = (split + 1) * row_groups // row_splits
    %index.22 = add i64 %split, 1
    %product.9 = mul i64 %index.22, %quotient.9
    %last_group = udiv i64 %product.9, %row_splits
    ; for k_block from 0 to k_blocks
    %index.26 = mul i64 %first_panel, -1
    %index.34 = sub i64 %last_group, %first_group
    %k_block_any = icmp slt i64 0, %k_blocks
    br i1 %k_block_any, label %k_block_loop, label %k_block_done
    k_block_loop:
      %k_block = phi i64 [ 0, %unit_loop ], [ %k_block_next, %row_part_done ]
      ; k0 = k_block * k_groups // k_blocks * 8
      %product.10 = mul i64 %k_block, %quotient.3
      %quotient.19 = udiv i64 %product.10, %k_blocks
      %k0 = mul i64 %quotient.19, 8
      ; k_count = min((k_block + 1) * k_groups // k_blocks * 8, k) - k0
      %index.23 = add i64 %k_block, 1
      %product.11 = mul i64 %index.23, %quotient.3
      %quotient.20 = udiv i64 %product.11, %k_blocks
      %index.24 = mul i64 %quotient.20, 8
      %min = call i64 @llvm.smin.i64(i64 %index.24, i64 %k)
      %k_count = sub i64 %min, %k0
      ; last_whole = max(first_panel, min(last_panel, n // 16))
      %quotient.21 = udiv i64 %n, 16
      %min.1 = call i64 @llvm.smin.i64(i64 %last_panel, i64 %quotient.21)
      %last_whole = call i64 @llvm.smax.i64(i64 %first_panel, i64 %min.1)
      ; for kk from 0 to k_count
      %kk_any = icmp slt i64 0, %k_count
      br i1 %kk_any, label %kk_loop, label %kk_done
      kk_loop:
        %kk = phi i64 [ 0, %k_block_loop ], [ %kk_next, %panel_done ]
        ; for panel from first_panel to last_whole
        %index.25 = add i64 %k0, %kk
        %product.12 = mul i64 %index.25, %b_row
        %b_at_0 = getelementptr float, ptr %b, i64 %product.12
        %index.28 = mul i64 %kk, 16
        %panel_at_0 = getelementptr float, ptr %panel, i64 %index.28
        %panel_any = icmp slt i64 %first_panel, %last_whole
        br i1 %panel_any, label %panel_loop, label %panel_done
        panel_loop:
          %panel.1 = phi i64 [ %first_panel, %kk_loop ], [ %panel_next, %panel_loop ]
          ; column0 = panel * 16
          %column0 = mul i64 %panel.1, 16
          ; packed = b[(kk + k0) * b_row + column0 + column], vector
          %b_at_0.1 = getelementptr float, ptr %b_at_0, i64 %column0
          %packed_0 = load <8 x float>, ptr %b_at_0.1, align 4
          %b_at_1 = getelementptr float, ptr %b_at_0.1, i64 8
          %packed_1 = load <8 x float>, ptr %b_at_1, align 4
          ; panel[(panel - first_panel) * k_rows + kk, column] = packed, vector
          %index.27 = add i64 %index.26, %panel.1
          %product.13 = mul i64 %index.27, %index.6
          %index.29 = mul i64 %product.13, 16
          %panel_at_0.1 = getelementptr float, ptr %panel_at_0, i64 %index.29
          store <8 x float> %packed_0, ptr %panel_at_0.1, align 64
          %panel_at_1 = getelementptr float, ptr %panel_at_0.1, i64 8
          store <8 x float> %packed_1, ptr %panel_at_1, align 32
          %panel_next = add i64 %panel.1, 1
          %panel_more = icmp slt i64 %panel_next, %last_whole
          br i1 %panel_more, label %panel_loop, label %panel_done
        panel_done:
        %kk_next = add i64 %kk, 1
        %kk_more = icmp slt i64 %kk_next, %k_count
        br i1 %kk_more, label %kk_loop, label %kk_done
      kk_done:
      ; for panel from last_whole to last_panel
      %panel_any.1 = icmp slt i64 %last_whole, %last_panel
      br i1 %panel_any.1, label %panel_loop.1, label %panel_done.1
      panel_loop.1:
        %panel.2 = phi i64 [ %last_whole, %kk_done ], [ %panel_next.1, %kk_done.1 ]
        ; column0 = panel * 16
        %column0.1 = mul i64 %panel.2, 16
        ; for kk from 0 to k_count
        %limit = sub i64 %n, %column0.1
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %b_at_0.2 = getelementptr float, ptr %b, i64 %column0.1
        %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
        %index.31 = add i64 %index.26, %panel.2
        %product.15 = mul i64 %index.31, %index.6
        %index.32 = mul i64 %product.15, 16
        %panel_at_0.2 = getelementptr float, ptr %panel, i64 %index.32
        br i1 %kk_any, label %kk_loop.1, label %kk_done.1
        kk_loop.1:
          %kk.1 = phi i64 [ 0, %panel_loop.1 ], [ %kk_next.1, %kk_loop.1 ]
          ; packed = b[(kk + k0) * b_row + column0 + column], vector where column0 + column < n, else 0
          %index.30 = add i64 %k0, %kk.1
          %product.14 = mul i64 %index.30, %b_row
          %b_at_0.3 = getelementptr float, ptr %b_at_0.2, i64 %product.14
          %packed_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.3, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
          %b_at_1.1 = getelementptr float, ptr %b_at_0.3, i64 8
          %packed_1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.1, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
          ; panel[(panel - first_panel) * k_rows + kk, column] = packed, vector
          %index.33 = mul i64 %kk.1, 16
          %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 %index.33
          store <8 x float> %packed_0.1, ptr %panel_at_0.3, align 64
          %panel_at_1.1 = getelementptr float, ptr %panel_at_0.3, i64 8
          store <8 x float> %packed_1.1, ptr %panel_at_1.1, align 32
          %kk_next.1 = add i64 %kk.1, 1
          %kk_more.1 = icmp slt i64 %kk_next.1, %k_count
          br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
        kk_done.1:
        %panel_next.1 = add i64 %panel.2, 1
        %panel_more.1 = icmp slt i64 %panel_next.1, %last_panel
        br i1 %panel_more.1, label %panel_loop.1, label %panel_done.1
      panel_done.1:
      ; for row_part from 0 to row_blocks
      %holds.1 = icmp eq i64 %k_block, 0
      %kk_limit = add i64 %k_count, -1
      %holds.2 = icmp eq i64 %index.23, %k_blocks
      %row_part_any = icmp slt i64 0, %row_blocks
      br i1 %row_part_any, label %row_part_loop, label %row_part_done
      row_part_loop:
        %row_part = phi i64 [ 0, %panel_done.1 ], [ %row_part_next, %panel_done.2 ]
        ; block_first = first_group + row_part * (last_group - first_group) // row_blocks
        %product.16 = mul i64 %row_part, %index.34
        %rest.7 = srem i64 %product.16, %row_blocks
        %below.7 = ashr i64 %rest.7, 63
        %quotient.22 = sdiv i64 %product.16, %row_blocks
        %quotient.23 = add i64 %quotient.22, %below.7
        %block_first = add i64 %first_group, %quotient.23
        ; block_last = first_group + (row_part + 1) * (last_group - first_group) // row_blocks
        %index.35 = add i64 %row_part, 1
        %product.17 = mul i64 %index.35, %index.34
        %rest.8 = srem i64 %product.17, %row_blocks
        %below.8 = ashr i64 %rest.8, 63
        %quotient.24 = sdiv i64 %product.17, %row_blocks
        %quotient.25 = add i64 %quotient.24, %below.8
        %block_last = add i64 %first_group, %quotient.25
        ; for group from block_first to block_last
        %group_any = icmp slt i64 %block_first, %block_last
        br i1 %group_any, label %group_loop, label %group_done
        group_loop:
          %group = phi i64 [ %block_first, %row_part_loop ], [ %group_next, %joined ]
          ; if group * 8 + 7 < m
          %index.36 = mul i64 %group, 8
          %index.37 = add i64 %index.36, 7
          %holds = icmp slt i64 %index.37, %m
          br i1 %holds, label %then, label %otherwise
          then:
            ; for kk from 0 to k_count
            %a_at_0 = getelementptr float, ptr %a, i64 %index.36
            %index.39 = sub i64 %group, %block_first
            %product.19 = mul i64 %index.39, %index.6
            %index.40 = mul i64 %product.19, 8
            %rows_at_0 = getelementptr float, ptr %rows, i64 %index.40
            br i1 %kk_any, label %kk_loop.2, label %kk_done.2
            kk_loop.2:
              %kk.2 = phi i64 [ 0, %then ], [ %kk_next.2, %kk_loop.2 ]
              ; packed_rows = a[group * 8 + column + (k0 + kk) * a_column], vector
              %index.38 = add i64 %k0, %kk.2
              %product.18 = mul i64 %index.38, %a_column
              %a_at_0.1 = getelementptr float, ptr %a_at_0, i64 %product.18
              %packed_rows_0 = load <8 x float>, ptr %a_at_0.1, align 4
              ; rows[(group - block_first) * k_rows + kk, column] = packed_rows, vector
              %index.41 = mul i64 %kk.2, 8
              %rows_at_0.1 = getelementptr float, ptr %rows_at_0, i64 %index.41
              store <8 x float> %packed_rows_0, ptr %rows_at_0.1, align 32
              %kk_next.2 = add i64 %kk.2, 1
              %kk_more.2 = icmp slt i64 %kk_next.2, %k_count
              br i1 %kk_more.2, label %kk_loop.2, label %kk_done.2
            kk_done.2:
            br label %joined
          otherwise:
            ; for kk from 0 to k_count
            %index.42 = mul i64 %group, -8
            %limit.1 = add i64 %m, %index.42
            %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
            %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
            %a_at_0.2 = getelementptr float, ptr %a, i64 %index.36
            %index.44 = sub i64 %group, %block_first
            %product.21 = mul i64 %index.44, %index.6
            %index.45 = mul i64 %product.21, 8
            %rows_at_0.2 = getelementptr float, ptr %rows, i64 %index.45
            br i1 %kk_any, label %kk_loop.3, label %kk_done.3
            kk_loop.3:
              %kk.3 = phi i64 [ 0, %otherwise ], [ %kk_next.3, %kk_loop.3 ]
              ; packed_rows = a[group * 8 + column + (k0 + kk) * a_column], vector where group * 8 + column < m, else 0
              %index.43 = add i64 %k0, %kk.3
              %product.20 = mul i64 %index.43, %a_column
              %a_at_0.3 = getelementptr float, ptr %a_at_0.2, i64 %product.20
              %packed_rows_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %a_at_0.3, i32 4, <8 x i1> %mask.2, <8 x float> zeroinitializer)
              ; rows[(group - block_first) * k_rows + kk, column] = packed_rows, vector
              %index.46 = mul i64 %kk.3, 8
              %rows_at_0.3 = getelementptr float, ptr %rows_at_0.2, i64 %index.46
              store <8 x float> %packed_rows_0.1, ptr %rows_at_0.3, align 32
              %kk_next.3 = add i64 %kk.3, 1
              %kk_more.3 = icmp slt i64 %kk_next.3, %k_count
              br i1 %kk_more.3, label %kk_loop.3, label %kk_done.3
            kk_done.3:
            br label %joined
          joined:
          %group_next = add i64 %group, 1
          %group_more = icmp slt i64 %group_next, %block_last
          br i1 %group_more, label %group_loop, label %group_done
        group_done:
        ; for panel from first_panel to last_panel
        %index.47 = mul i64 %block_last, 4
        %tile_stop = call i64 @llvm.smin.i64(i64 %index.47, i64 %quotient.8)
        %index.48 = mul i64 %block_first, -1
        %panel_any.2 = icmp slt i64 %first_panel, %last_panel
        br i1 %panel_any.2, label %panel_loop.2, label %panel_done.2
        panel_loop.2:
          %panel.3 = phi i64 [ %first_panel, %group_done ], [ %panel_next.2, %tile_done ]
          ; column0 = panel * 16
          %column0.2 = mul i64 %panel.3, 16
          ; for tile from block_first * 4 to min(block_last * 4, row_tiles)
          %tile_first = mul i64 %block_first, 4
          %index.59 = add i64 %index.26, %panel.3
          %product.23 = mul i64 %index.59, %index.6
          %index.60 = mul i64 %product.23, 16
          %panel_at_0.4 = getelementptr float, ptr %panel, i64 %index.60
          %tile_any = icmp slt i64 %tile_first, %tile_stop
          br i1 %tile_any, label %tile_loop, label %tile_done
          tile_loop:
            %tile = phi i64 [ %tile_first, %panel_loop.2 ], [ %tile_next, %joined.2 ]
            ; row0 = tile * 2
            %row0 = mul i64 %tile, 2
            ; rows_first = (tile // 4 - block_first) * k_rows
            %rest.9 = srem i64 %tile, 4
            %below.9 = ashr i64 %rest.9, 63
            %quotient.26 = sdiv i64 %tile, 4
            %quotient.27 = add i64 %quotient.26, %below.9
            %index.49 = add i64 %index.48, %quotient.27
            %rows_first = mul i64 %index.49, %index.6
            ; rows_column = tile % 4 * 2
            %lift = and i64 %below.9, 4
            %rest.10 = add i64 %rest.9, %lift
            %rows_column = mul i64 %rest.10, 2
            ; if k_block == 0
            br i1 %holds.1, label %then.1, label %otherwise.1
            then.1:
              ; acc = 0
              br label %joined.1
            otherwise.1:
              ; acc = sums[(panel - first_panel) * ((last_group - first_group) * 4) + tile - first_group * 4, row, column], vector
              %index.50 = sub i64 %panel.3, %first_panel
              %index.51 = mul i64 %last_group, 4
              %index.52 = mul i64 %first_group, -4
              %index.53 = add i64 %index.51, %index.52
              %product.22 = mul i64 %index.50, %index.53
              %index.54 = mul i64 %product.22, 32
              %index.55 = mul i64 %tile, 32
              %index.56 = add i64 %index.54, %index.55
              %index.57 = mul i64 %first_group, -128
              %index.58 = add i64 %index.56, %index.57
              %sums_at_0_0 = getelementptr float, ptr %sums, i64 %index.58
              %acc_0_0 = load <8 x float>, ptr %sums_at_0_0, align 64
              %sums_at_0_1 = getelementptr float, ptr %sums_at_0_0, i64 8
              %acc_0_1 = load <8 x float>, ptr %sums_at_0_1, align 32
              %sums_at_1_0 = getelementptr float, ptr %sums_at_0_0, i64 16
              %acc_1_0 = load <8 x float>, ptr %sums_at_1_0, align 64
              %sums_at_1_1 = getelementptr float, ptr %sums_at_0_0, i64 24
              %acc_1_1 = load <8 x float>, ptr %sums_at_1_1, align 32
              br label %joined.1
            joined.1:
            %acc_0_0.1 = phi <8 x float> [ zeroinitializer, %then.1 ], [ %acc_0_0, %otherwise.1 ]
            %acc_0_1.1 = phi <8 x float> [ zeroinitializer, %then.1 ], [ %acc_0_1, %otherwise.1 ]
            %acc_1_0.1 = phi <8 x float> [ zeroinitializer, %then.1 ], [ %acc_1_0, %otherwise.1 ]
            %acc_1_1.1 = phi <8 x float> [ zeroinitializer, %then.1 ], [ %acc_1_1, %otherwise.1 ]
            ; for kk from 0 to k_count, 2 at a time
            %index.62 = mul i64 %rows_first, 8
            %index.63 = add i64 %index.62, %rows_column
            %rows_at_0.4 = getelementptr float, ptr %rows, i64 %index.63
            %kk_any.1 = icmp slt i64 0, %kk_limit
            br i1 %kk_any.1, label %kk_loop.4, label %kk_done.4
            kk_loop.4:
              %kk.4 = phi i64 [ 0, %joined.1 ], [ %kk_next.4, %kk_loop.4 ]
              %acc_0_0.2 = phi <8 x float> [ %acc_0_0.1, %joined.1 ], [ %acc_0_0.4, %kk_loop.4 ]
              %acc_0_1.2 = phi <8 x float> [ %acc_0_1.1, %joined.1 ], [ %acc_0_1.4, %kk_loop.4 ]
              %acc_1_0.2 = phi <8 x float> [ %acc_1_0.1, %joined.1 ], [ %acc_1_0.4, %kk_loop.4 ]
              %acc_1_1.2 = phi <8 x float> [ %acc_1_1.1, %joined.1 ], [ %acc_1_1.4, %kk_loop.4 ]
              ; b = panel[(panel - first_panel) * k_rows + kk, column], vector
              %index.61 = mul i64 %kk.4, 16
              %panel_at_0.5 = getelementptr float, ptr %panel_at_0.4, i64 %index.61
              %b_0 = load <8 x float>, ptr %panel_at_0.5, align 64
              %panel_at_1.2 = getelementptr float, ptr %panel_at_0.5, i64 8
              %b_1 = load <8 x float>, ptr %panel_at_1.2, align 32
              ; a = rows[rows_first + kk, rows_column + row], broadcast
              %index.64 = mul i64 %kk.4, 8
              %rows_at_0.5 = getelementptr float, ptr %rows_at_0.4, i64 %index.64
              %a_0_one = load float, ptr %rows_at_0.5, align 4
              %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
              %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              %rows_at_1 = getelementptr float, ptr %rows_at_0.5, i64 1
              %a_1_one = load float, ptr %rows_at_1, align 4
              %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
              %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x2x8_fp32
              %acc_0_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_0, <8 x float> %acc_0_0.2)
              %acc_0_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_1, <8 x float> %acc_0_1.2)
              %acc_1_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_0, <8 x float> %acc_1_0.2)
              %acc_1_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_1, <8 x float> %acc_1_1.2)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              ; kk + 1
              %panel_at_0.6 = getelementptr float, ptr %panel_at_0.5, i64 16
              %b_0.1 = load <8 x float>, ptr %panel_at_0.6, align 64
              %panel_at_1.3 = getelementptr float, ptr %panel_at_0.5, i64 24
              %b_1.1 = load <8 x float>, ptr %panel_at_1.3, align 32
              %rows_at_0.6 = getelementptr float, ptr %rows_at_0.5, i64 8
              %a_0_one.1 = load float, ptr %rows_at_0.6, align 4
              %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
              %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              %rows_at_1.1 = getelementptr float, ptr %rows_at_0.5, i64 9
              %a_1_one.1 = load float, ptr %rows_at_1.1, align 4
              %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
              %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              %acc_0_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.3)
              %acc_0_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.3)
              %acc_1_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.3)
              %acc_1_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.3)
              call void asm sideeffect "", "~{memory}"()
              %kk_next.4 = add i64 %kk.4, 2
              %kk_more.4 = icmp slt i64 %kk_next.4, %kk_limit
              br i1 %kk_more.4, label %kk_loop.4, label %kk_done.4
            kk_done.4:
            %acc_0_0.5 = phi <8 x float> [ %acc_0_0.1, %joined.1 ], [ %acc_0_0.4, %kk_loop.4 ]
            %acc_0_1.5 = phi <8 x float> [ %acc_0_1.1, %joined.1 ], [ %acc_0_1.4, %kk_loop.4 ]
            %acc_1_0.5 = phi <8 x float> [ %acc_1_0.1, %joined.1 ], [ %acc_1_0.4, %kk_loop.4 ]
            %acc_1_1.5 = phi <8 x float> [ %acc_1_1.1, %joined.1 ], [ %acc_1_1.4, %kk_loop.4 ]
            %kk_rest = phi i64 [ 0, %joined.1 ], [ %kk_next.4, %kk_loop.4 ]
            ; what is left of kk
            %kk_any.2 = icmp slt i64 %kk_rest, %k_count
            br i1 %kk_any.2, label %kk_loop.5, label %kk_done.5
            kk_loop.5:
              %kk.5 = phi i64 [ %kk_rest, %kk_done.4 ], [ %kk_next.5, %kk_loop.5 ]
              %acc_0_0.6 = phi <8 x float> [ %acc_0_0.5, %kk_done.4 ], [ %acc_0_0.7, %kk_loop.5 ]
              %acc_0_1.6 = phi <8 x float> [ %acc_0_1.5, %kk_done.4 ], [ %acc_0_1.7, %kk_loop.5 ]
              %acc_1_0.6 = phi <8 x float> [ %acc_1_0.5, %kk_done.4 ], [ %acc_1_0.7, %kk_loop.5 ]
              %acc_1_1.6 = phi <8 x float> [ %acc_1_1.5, %kk_done.4 ], [ %acc_1_1.7, %kk_loop.5 ]
              ; b = panel[(panel - first_panel) * k_rows + kk, column], vector
              %index.65 = mul i64 %kk.5, 16
              %panel_at_0.7 = getelementptr float, ptr %panel_at_0.4, i64 %index.65
              %b_0.2 = load <8 x float>, ptr %panel_at_0.7, align 64
              %panel_at_1.4 = getelementptr float, ptr %panel_at_0.7, i64 8
              %b_1.2 = load <8 x float>, ptr %panel_at_1.4, align 32
              ; a = rows[rows_first + kk, rows_column + row], broadcast
              %index.66 = mul i64 %kk.5, 8
              %rows_at_0.7 = getelementptr float, ptr %rows_at_0.4, i64 %index.66
              %a_0_one.2 = load float, ptr %rows_at_0.7, align 4
              %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
              %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              %rows_at_1.2 = getelementptr float, ptr %rows_at_0.7, i64 1
              %a_1_one.2 = load float, ptr %rows_at_1.2, align 4
              %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
              %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              ; acc += a * b, fma_outer_2x2x8_fp32
              %acc_0_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.6)
              %acc_0_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.6)
              %acc_1_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.6)
              %acc_1_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.6)
              ; no memory access moves across this point
              call void asm sideeffect "", "~{memory}"()
              %kk_next.5 = add i64 %kk.5, 1
              %kk_more.5 = icmp slt i64 %kk_next.5, %k_count
              br i1 %kk_more.5, label %kk_loop.5, label %kk_done.5
            kk_done.5:
            %acc_0_0.8 = phi <8 x float> [ %acc_0_0.5, %kk_done.4 ], [ %acc_0_0.7, %kk_loop.5 ]
            %acc_0_1.8 = phi <8 x float> [ %acc_0_1.5, %kk_done.4 ], [ %acc_0_1.7, %kk_loop.5 ]
            %acc_1_0.8 = phi <8 x float> [ %acc_1_0.5, %kk_done.4 ], [ %acc_1_0.7, %kk_loop.5 ]
            %acc_1_1.8 = phi <8 x float> [ %acc_1_1.5, %kk_done.4 ], [ %acc_1_1.7, %kk_loop.5 ]
            ; if k_block + 1 == k_blocks
            br i1 %holds.2, label %then.2, label %otherwise.2
            then.2:
              ; if row0 + 1 < m and column0 + 15 < n
              %index.67 = add i64 %row0, 1
              %holds.3 = icmp slt i64 %index.67, %m
              %index.68 = add i64 %column0.2, 15
              %holds.4 = icmp slt i64 %index.68, %n
              %both = and i1 %holds.3, %holds.4
              br i1 %both, label %then.3, label %otherwise.3
              then.3:
                ; result = acc, in fp32
                ; out[(row0 + row) * out_row + column0 + column] = result, vector
                %product.24 = mul i64 %row0, %out_row
                %index.69 = add i64 %product.24, %column0.2
                %out_at_0_0 = getelementptr float, ptr %out, i64 %index.69
                store <8 x float> %acc_0_0.8, ptr %out_at_0_0, align 4
                %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
                store <8 x float> %acc_0_1.8, ptr %out_at_0_1, align 4
                %product.25 = mul i64 %index.67, %out_row
                %index.70 = add i64 %product.25, %column0.2
                %out_at_1_0 = getelementptr float, ptr %out, i64 %index.70
                store <8 x float> %acc_1_0.8, ptr %out_at_1_0, align 4
                %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
                store <8 x float> %acc_1_1.8, ptr %out_at_1_1, align 4
                br label %joined.3
              otherwise.3:
                ; result = acc, in fp32
                ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
                %holds.5 = icmp slt i64 %row0, %m
                %limit.2 = sub i64 %n, %column0.2
                %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
                %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
                %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
                %product.26 = mul i64 %row0, %out_row
                %index.71 = add i64 %product.26, %column0.2
                %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.71
                %lane0.3 = insertelement <8 x i1> poison, i1 %holds.5, i64 0
                %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
                %mask.4 = and <8 x i1> %mask.3, %all.3
                call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.8, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.4)
                %mask.5 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.2
                %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
                %mask.6 = and <8 x i1> %mask.5, %all.3
                call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.8, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.6)
                %product.27 = mul i64 %index.67, %out_row
                %index.72 = add i64 %product.27, %column0.2
                %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.72
                %lane0.4 = insertelement <8 x i1> poison, i1 %holds.3, i64 0
                %all.4 = shufflevector <8 x i1> %lane0.4, <8 x i1> poison, <8 x i32> zeroinitializer
                %mask.7 = and <8 x i1> %mask.3, %all.4
                call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.8, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.7)
                %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
                %mask.8 = and <8 x i1> %mask.5, %all.4
                call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.8, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.8)
                br label %joined.3
              joined.3:
              br label %joined.2
            otherwise.2:
              ; sums[(panel - first_panel) * ((last_group - first_group) * 4) + tile - first_group * 4, row, column] = acc, vector
              %index.73 = sub i64 %panel.3, %first_panel
              %index.74 = mul i64 %last_group, 4
              %index.75 = mul i64 %first_group, -4
              %index.76 = add i64 %index.74, %index.75
              %product.28 = mul i64 %index.73, %index.76
              %index.77 = mul i64 %product.28, 32
              %index.78 = mul i64 %tile, 32
              %index.79 = add i64 %index.77, %index.78
              %index.80 = mul i64 %first_group, -128
              %index.81 = add i64 %index.79, %index.80
              %sums_at_0_0.1 = getelementptr float, ptr %sums, i64 %index.81
              store <8 x float> %acc_0_0.8, ptr %sums_at_0_0.1, align 64
              %sums_at_0_1.1 = getelementptr float, ptr %sums_at_0_0.1, i64 8
              store <8 x float> %acc_0_1.8, ptr %sums_at_0_1.1, align 32
              %sums_at_1_0.1 = getelementptr float, ptr %sums_at_0_0.1, i64 16
              store <8 x float> %acc_1_0.8, ptr %sums_at_1_0.1, align 64
              %sums_at_1_1.1 = getelementptr float, ptr %sums_at_0_0.1, i64 24
              store <8 x float> %acc_1_1.8, ptr %sums_at_1_1.1, align 32
              br label %joined.2
            joined.2:
            %tile_next = add i64 %tile, 1
            %tile_more = icmp slt i64 %tile_next, %tile_stop
            br i1 %tile_more, label %tile_loop, label %tile_done
          tile_done:
          %panel_next.2 = add i64 %panel.3, 1
          %panel_more.2 = icmp slt i64 %panel_next.2, %last_panel
          br i1 %panel_more.2, label %panel_loop.2, label %panel_done.2
        panel_done.2:
        %row_part_next = add i64 %row_part, 1
        %row_part_more = icmp slt i64 %row_part_next, %row_blocks
        br i1 %row_part_more, label %row_part_loop, label %row_part_done
      row_part_done:
      %k_block_next = add i64 %k_block, 1
      %k_block_more = icmp slt i64 %k_block_next, %k_blocks
      br i1 %k_block_more, label %k_block_loop, label %k_block_done
    k_block_done:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
