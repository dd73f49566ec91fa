; tracea: grouped_matmul fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 kb8 in-place
; schedule       6f040fca665d0bf75b80c05cc4c91cf1b0e961f766f4e60ffc2826fdb5229ef7
; certificate    00790a18f491f90a89a1a7368ec48e1e7280d1623f3613394c6e2167e966f677:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; a: fp32, read, aligned to 4 bytes
; b: fp32, read, aligned to 4 bytes
; group_ends: int32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; m: rows of all groups; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; groups: groups that rows fall into; 1 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_group: b: next group; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
; row_blocks: blocks that the rows of a part are cut into; 1 to 4611686018427387904
; k_blocks: blocks that the reduction is cut into; 1 to 4611686018427387904
; sums: panel of fp32, row 2 = 2*16, column 16 = 16*1, ((m + 1) // 2 + row_splits - 1) // row_splits * (((n + 15) // 16 + column_splits - 1) // column_splits) times, kept for a tile_column, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %a_word = getelementptr i64, ptr %arguments, i64 0
  %a = load ptr, ptr %a_word, align 8
  %b_word = getelementptr i64, ptr %arguments, i64 1
  %b = load ptr, ptr %b_word, align 8
  %group_ends_word = getelementptr i64, ptr %arguments, i64 2
  %group_ends = load ptr, ptr %group_ends_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 3
  %out = load ptr, ptr %out_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 4
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 5
  %n = load i64, ptr %n_word, align 8
  %k_word = getelementptr i64, ptr %arguments, i64 6
  %k = load i64, ptr %k_word, align 8
  %groups_word = getelementptr i64, ptr %arguments, i64 7
  %groups = load i64, ptr %groups_word, align 8
  %a_row_word = getelementptr i64, ptr %arguments, i64 8
  %a_row = load i64, ptr %a_row_word, align 8
  %b_group_word = getelementptr i64, ptr %arguments, i64 9
  %b_group = load i64, ptr %b_group_word, align 8
  %b_row_word = getelementptr i64, ptr %arguments, i64 10
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 11
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 12
  %row_splits = load i64, ptr %row_splits_word, align 8
  %column_splits_word = getelementptr i64, ptr %arguments, i64 13
  %column_splits = load i64, ptr %column_splits_word, align 8
  %row_blocks_word = getelementptr i64, ptr %arguments, i64 14
  %row_blocks = load i64, ptr %row_blocks_word, align 8
  %k_blocks_word = getelementptr i64, ptr %arguments, i64 15
  %k_blocks = load i64, ptr %k_blocks_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 16
  %barrier = load ptr, ptr %barrier_word, align 8
  %sums_of_all_word = getelementptr i64, ptr %arguments, i64 17
  %sums_of_all = load ptr, ptr %sums_of_all_word, align 8
  %index = add i64 %m, 1
  %quotient = udiv i64 %index, 2
  %index.1 = add i64 %quotient, %row_splits
  %index.2 = add i64 %index.1, -1
  %rest = srem i64 %index.2, %row_splits
  %below = ashr i64 %rest, 63
  %quotient.1 = sdiv i64 %index.2, %row_splits
  %quotient.2 = add i64 %quotient.1, %below
  %index.3 = add i64 %n, 15
  %quotient.3 = udiv i64 %index.3, 16
  %index.4 = add i64 %quotient.3, %column_splits
  %index.5 = add i64 %index.4, -1
  %rest.1 = srem i64 %index.5, %column_splits
  %below.1 = ashr i64 %rest.1, 63
  %quotient.4 = sdiv i64 %index.5, %column_splits
  %quotient.5 = add i64 %quotient.4, %below.1
  %product = mul i64 %quotient.2, %quotient.5
  %index.6 = mul i64 %product, 128
  %index.7 = add i64 %index.6, 63
  %rest.2 = srem i64 %index.7, 64
  %below.2 = ashr i64 %rest.2, 63
  %quotient.6 = sdiv i64 %index.7, 64
  %quotient.7 = add i64 %quotient.6, %below.2
  %sums_bytes = mul i64 %quotient.7, 64
  %sums_own = mul i64 %worker, %sums_bytes
  %sums = getelementptr i8, ptr %sums_of_all, i64 %sums_own
  ; panels = (n + 15) // 16
  ; k_groups = (k + 7) // 8
  %index.8 = add i64 %k, 7
  %k_groups = udiv i64 %index.8, 8
  ; k_rows = ((k + 7) // 8 + k_blocks - 1) // k_blocks * 8
  %index.9 = add i64 %k_groups, %k_blocks
  %index.10 = add i64 %index.9, -1
  %rest.3 = srem i64 %index.10, %k_blocks
  %below.3 = ashr i64 %rest.3, 63
  %quotient.8 = sdiv i64 %index.10, %k_blocks
  %quotient.9 = add i64 %quotient.8, %below.3
  %k_rows = mul i64 %quotient.9, 8
  ; units = groups * row_splits * column_splits
  %product.1 = mul i64 %groups, %row_splits
  %units = mul i64 %product.1, %column_splits
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.2 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.2, %workers
  %index.11 = add i64 %worker, 1
  %product.3 = mul i64 %index.11, %units
  %unit_stop = udiv i64 %product.3, %workers
  %product.4 = mul i64 %column_splits, %row_splits
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %joined ]
    ; part = unit % column_splits
    %part = urem i64 %unit, %column_splits
    ; split = unit // column_splits % row_splits
    %quotient.10 = udiv i64 %unit, %column_splits
    %split = urem i64 %quotient.10, %row_splits
    ; item = unit // (column_splits * row_splits)
    %item = udiv i64 %unit, %product.4
    ; group_start = end(item - 1, m)
    %index.12 = add i64 %item, -1
    %position = call i64 @llvm.smax.i64(i64 %index.12, i64 0)
    %looked_at = getelementptr i32, ptr %group_ends, i64 %position
    %looked_up = load i32, ptr %looked_at, align 4
    %wide = sext i32 %looked_up to i64
    %group_start = call i64 @llvm.smin.i64(i64 %wide, i64 %m)
    %group_start.1 = call i64 @llvm.smax.i64(i64 %group_start, i64 0)
    %before_first = icmp slt i64 %index.12, 0
    %group_start.2 = select i1 %before_first, i64 0, i64 %group_start.1
    ; group_stop = end(item, m)
    %looked_at.1 = getelementptr i32, ptr %group_ends, i64 %item
    %looked_up.1 = load i32, ptr %looked_at.1, align 4
    %wide.1 = sext i32 %looked_up.1 to i64
    %group_stop = call i64 @llvm.smin.i64(i64 %wide.1, i64 %m)
    %group_stop.1 = call i64 @llvm.smax.i64(i64 %group_stop, i64 0)
    ; row_tiles = (max(group_stop - group_start, 0) + 1) // 2
    %index.13 = sub i64 %group_stop.1, %group_start.2
    %max = call i64 @llvm.smax.i64(i64 %index.13, i64 0)
    %index.14 = add i64 %max, 1
    %row_tiles = udiv i64 %index.14, 2
    ; row_groups = row_tiles
    ; first_panel = part * panels // column_splits
    %product.5 = mul i64 %part, %quotient.3
    %first_panel = udiv i64 %product.5, %column_splits
    ; last_panel = (part + 1) * panels // column_splits
    %index.15 = add i64 %part, 1
    %product.6 = mul i64 %index.15, %quotient.3
    %last_panel = udiv i64 %product.6, %column_splits
    ; first_group = split * row_groups // row_splits
    %product.7 = mul i64 %split, %row_tiles
    %first_group = udiv i64 %product.7, %row_splits
    ; last_group = (split + 1) * row_groups // row_splits
    %index.16 = add i64 %split, 1
    %product.8 = mul i64 %index.16, %row_tiles
    %last_group = udiv i64 %product.8, %row_splits
    ; if first_group < last_group
    %holds = icmp slt i64 %first_group, %last_group
    br i1 %holds, label %then, label %joined
    then:
      ; for k_block from 0 to k_blocks
      %index.19 = sub i64 %last_group, %first_group
      %index.22 = add i64 %m, -1
      %k_block_any = icmp slt i64 0, %k_blocks
      br i1 %k_block_any, label %k_block_loop, label %k_block_done
      k_block_loop:
        %k_block = phi i64 [ 0, %then ], [ %k_block_next, %row_part_done ]
        ; k0 = k_block * k_groups // k_blocks * 8
        %product.9 = mul i64 %k_block, %k_groups
        %quotient.11 = udiv i64 %product.9, %k_blocks
        %k0 = mul i64 %quotient.11, 8
        ; k_count = min((k_block + 1) * k_groups // k_blocks * 8, k) - k0
        %index.17 = add i64 %k_block, 1
        %product.10 = mul i64 %index.17, %k_groups
        %quotient.12 = udiv i64 %product.10, %k_blocks
        %index.18 = mul i64 %quotient.12, 8
        %min = call i64 @llvm.smin.i64(i64 %index.18, i64 %k)
        %k_count = sub i64 %min, %k0
        ; for row_part from 0 to row_blocks
        %holds.1 = icmp eq i64 %k_block, 0
        %holds.3 = icmp eq i64 %index.17, %k_blocks
        %row_part_any = icmp slt i64 0, %row_blocks
        br i1 %row_part_any, label %row_part_loop, label %row_part_done
        row_part_loop:
          %row_part = phi i64 [ 0, %k_block_loop ], [ %row_part_next, %panel_done ]
          ; block_first = first_group + row_part * (last_group - first_group) // row_blocks
          %product.11 = mul i64 %row_part, %index.19
          %rest.4 = srem i64 %product.11, %row_blocks
          %below.4 = ashr i64 %rest.4, 63
          %quotient.13 = sdiv i64 %product.11, %row_blocks
          %quotient.14 = add i64 %quotient.13, %below.4
          %block_first = add i64 %first_group, %quotient.14
          ; block_last = first_group + (row_part + 1) * (last_group - first_group) // row_blocks
          %index.20 = add i64 %row_part, 1
          %product.12 = mul i64 %index.20, %index.19
          %rest.5 = srem i64 %product.12, %row_blocks
          %below.5 = ashr i64 %rest.5, 63
          %quotient.15 = sdiv i64 %product.12, %row_blocks
          %quotient.16 = add i64 %quotient.15, %below.5
          %block_last = add i64 %first_group, %quotient.16
          ; for panel from first_panel to last_panel
          %tile_stop = call i64 @llvm.smin.i64(i64 %block_last, i64 %row_tiles)
          %panel_any = icmp slt i64 %first_panel, %last_panel
          br i1 %panel_any, label %panel_loop, label %panel_done
          panel_loop:
            %panel = phi i64 [ %first_panel, %row_part_loop ], [ %panel_next, %tile_done ]
            ; column0 = panel * 16
            %column0 = mul i64 %panel, 16
            ; for tile from block_first to min(block_last, row_tiles)
            %index.30 = add i64 %column0, 15
            %holds.2 = icmp slt i64 %index.30, %n
            %tile_any = icmp slt i64 %block_first, %tile_stop
            br i1 %tile_any, label %tile_loop, label %tile_done
            tile_loop:
              %tile = phi i64 [ %block_first, %panel_loop ], [ %tile_next, %joined.3 ]
              ; row0 = group_start + tile * 2
              %index.21 = mul i64 %tile, 2
              %row0 = add i64 %group_start.2, %index.21
              ; a_base = min(row0 + row, m - 1) * a_row for each element of a
              %min.1 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.22)
              %a_base_0 = mul i64 %min.1, %a_row
              %index.23 = add i64 %row0, 1
              %min.2 = call i64 @llvm.smin.i64(i64 %index.23, i64 %index.22)
              %a_base_1 = mul i64 %min.2, %a_row
              ; if k_block == 0
              br i1 %holds.1, label %then.1, label %otherwise.1
              then.1:
                ; acc = 0
                br label %joined.1
              otherwise.1:
                ; acc = sums[(panel - first_panel) * (last_group - first_group) + tile - first_group, row, column], vector
                %index.24 = sub i64 %panel, %first_panel
                %product.13 = mul i64 %index.24, %index.19
                %index.25 = mul i64 %product.13, 32
                %index.26 = mul i64 %tile, 32
                %index.27 = add i64 %index.25, %index.26
                %index.28 = mul i64 %first_group, -32
                %index.29 = add i64 %index.27, %index.28
                %sums_at_0_0 = getelementptr float, ptr %sums, i64 %index.29
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
              ; if column0 + 15 < n
              br i1 %holds.2, label %then.2, label %otherwise.2
              then.2:
                ; for kk from 0 to k_count, 2 at a time
                %product.14 = mul i64 %item, %b_group
                %index.32 = add i64 %product.14, %column0
                %b_at_0 = getelementptr float, ptr %b, i64 %index.32
                %index.33 = add i64 %k0, %k_count
                %index.35 = add i64 %a_base_0, %k0
                %a_at_0 = getelementptr float, ptr %a, i64 %index.35
                %index.36 = add i64 %a_base_1, %k0
                %a_at_1 = getelementptr float, ptr %a, i64 %index.36
                %kk_limit = add i64 %k_count, -1
                %kk_any = icmp slt i64 0, %kk_limit
                br i1 %kk_any, label %kk_loop, label %kk_done
                kk_loop:
                  %kk = phi i64 [ 0, %then.2 ], [ %kk_next, %kk_loop ]
                  %acc_0_0.2 = phi <8 x float> [ %acc_0_0.1, %then.2 ], [ %acc_0_0.4, %kk_loop ]
                  %acc_0_1.2 = phi <8 x float> [ %acc_0_1.1, %then.2 ], [ %acc_0_1.4, %kk_loop ]
                  %acc_1_0.2 = phi <8 x float> [ %acc_1_0.1, %then.2 ], [ %acc_1_0.4, %kk_loop ]
                  %acc_1_1.2 = phi <8 x float> [ %acc_1_1.1, %then.2 ], [ %acc_1_1.4, %kk_loop ]
                  ; b = b[item * b_group + (k0 + kk) * b_row + column0 + column], vector
                  %index.31 = add i64 %k0, %kk
                  %product.15 = mul i64 %index.31, %b_row
                  %b_at_0.1 = getelementptr float, ptr %b_at_0, i64 %product.15
                  %b_0 = load <8 x float>, ptr %b_at_0.1, align 4
                  %b_at_1 = getelementptr float, ptr %b_at_0.1, i64 8
                  %b_1 = load <8 x float>, ptr %b_at_1, align 4
                  ; b[item * b_group + (k0 + k_count + kk) * b_row + column0] is read soon, in cache level 2
                  %index.34 = add i64 %index.33, %kk
                  %product.16 = mul i64 %index.34, %b_row
                  %b_soon = getelementptr float, ptr %b_at_0, i64 %product.16
                  call void @llvm.prefetch.p0(ptr %b_soon, i32 0, i32 2, i32 1)
                  ; a = a[a_base + k0 + kk], broadcast
                  %a_at_0.1 = getelementptr float, ptr %a_at_0, i64 %kk
                  %a_0_one = load float, ptr %a_at_0.1, align 4
                  %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
                  %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.1 = getelementptr float, ptr %a_at_1, i64 %kk
                  %a_1_one = load float, ptr %a_at_1.1, align 4
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
                  %index.37 = add i64 %index.31, 1
                  %product.17 = mul i64 %index.37, %b_row
                  %b_at_0.2 = getelementptr float, ptr %b_at_0, i64 %product.17
                  %b_0.1 = load <8 x float>, ptr %b_at_0.2, align 4
                  %b_at_1.1 = getelementptr float, ptr %b_at_0.2, i64 8
                  %b_1.1 = load <8 x float>, ptr %b_at_1.1, align 4
                  %index.38 = add i64 %index.34, 1
                  %product.18 = mul i64 %index.38, %b_row
                  %b_soon.1 = getelementptr float, ptr %b_at_0, i64 %product.18
                  call void @llvm.prefetch.p0(ptr %b_soon.1, i32 0, i32 2, i32 1)
                  %a_at_0.2 = getelementptr float, ptr %a_at_0.1, i64 1
                  %a_0_one.1 = load float, ptr %a_at_0.2, align 4
                  %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
                  %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.2 = getelementptr float, ptr %a_at_1.1, i64 1
                  %a_1_one.1 = load float, ptr %a_at_1.2, align 4
                  %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
                  %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
                  %acc_0_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.3)
                  %acc_0_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.3)
                  %acc_1_0.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.3)
                  %acc_1_1.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.3)
                  call void asm sideeffect "", "~{memory}"()
                  %kk_next = add i64 %kk, 2
                  %kk_more = icmp slt i64 %kk_next, %kk_limit
                  br i1 %kk_more, label %kk_loop, label %kk_done
                kk_done:
                %acc_0_0.5 = phi <8 x float> [ %acc_0_0.1, %then.2 ], [ %acc_0_0.4, %kk_loop ]
                %acc_0_1.5 = phi <8 x float> [ %acc_0_1.1, %then.2 ], [ %acc_0_1.4, %kk_loop ]
                %acc_1_0.5 = phi <8 x float> [ %acc_1_0.1, %then.2 ], [ %acc_1_0.4, %kk_loop ]
                %acc_1_1.5 = phi <8 x float> [ %acc_1_1.1, %then.2 ], [ %acc_1_1.4, %kk_loop ]
                %kk_rest = phi i64 [ 0, %then.2 ], [ %kk_next, %kk_loop ]
                ; what is left of kk
                %kk_any.1 = icmp slt i64 %kk_rest, %k_count
                br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
                kk_loop.1:
                  %kk.1 = phi i64 [ %kk_rest, %kk_done ], [ %kk_next.1, %kk_loop.1 ]
                  %acc_0_0.6 = phi <8 x float> [ %acc_0_0.5, %kk_done ], [ %acc_0_0.7, %kk_loop.1 ]
                  %acc_0_1.6 = phi <8 x float> [ %acc_0_1.5, %kk_done ], [ %acc_0_1.7, %kk_loop.1 ]
                  %acc_1_0.6 = phi <8 x float> [ %acc_1_0.5, %kk_done ], [ %acc_1_0.7, %kk_loop.1 ]
                  %acc_1_1.6 = phi <8 x float> [ %acc_1_1.5, %kk_done ], [ %acc_1_1.7, %kk_loop.1 ]
                  ; b = b[item * b_group + (k0 + kk) * b_row + column0 + column], vector
                  %index.39 = add i64 %k0, %kk.1
                  %product.19 = mul i64 %index.39, %b_row
                  %b_at_0.3 = getelementptr float, ptr %b_at_0, i64 %product.19
                  %b_0.2 = load <8 x float>, ptr %b_at_0.3, align 4
                  %b_at_1.2 = getelementptr float, ptr %b_at_0.3, i64 8
                  %b_1.2 = load <8 x float>, ptr %b_at_1.2, align 4
                  ; b[item * b_group + (k0 + k_count + kk) * b_row + column0] is read soon, in cache level 2
                  %index.40 = add i64 %index.33, %kk.1
                  %product.20 = mul i64 %index.40, %b_row
                  %b_soon.2 = getelementptr float, ptr %b_at_0, i64 %product.20
                  call void @llvm.prefetch.p0(ptr %b_soon.2, i32 0, i32 2, i32 1)
                  ; a = a[a_base + k0 + kk], broadcast
                  %a_at_0.3 = getelementptr float, ptr %a_at_0, i64 %kk.1
                  %a_0_one.2 = load float, ptr %a_at_0.3, align 4
                  %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
                  %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.3 = getelementptr float, ptr %a_at_1, i64 %kk.1
                  %a_1_one.2 = load float, ptr %a_at_1.3, align 4
                  %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
                  %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
                  ; acc += a * b, fma_outer_2x2x8_fp32
                  %acc_0_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.6)
                  %acc_0_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.6)
                  %acc_1_0.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.6)
                  %acc_1_1.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.6)
                  ; no memory access moves across this point
                  call void asm sideeffect "", "~{memory}"()
                  %kk_next.1 = add i64 %kk.1, 1
                  %kk_more.1 = icmp slt i64 %kk_next.1, %k_count
                  br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
                kk_done.1:
                %acc_0_0.8 = phi <8 x float> [ %acc_0_0.5, %kk_done ], [ %acc_0_0.7, %kk_loop.1 ]
                %acc_0_1.8 = phi <8 x float> [ %acc_0_1.5, %kk_done ], [ %acc_0_1.7, %kk_loop.1 ]
                %acc_1_0.8 = phi <8 x float> [ %acc_1_0.5, %kk_done ], [ %acc_1_0.7, %kk_loop.1 ]
                %acc_1_1.8 = phi <8 x float> [ %acc_1_1.5, %kk_done ], [ %acc_1_1.7, %kk_loop.1 ]
                br label %joined.2
              otherwise.2:
                ; for kk from 0 to k_count, 2 at a time
                %limit = sub i64 %n, %column0
                %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
                %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
                %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
                %product.21 = mul i64 %item, %b_group
                %index.42 = add i64 %product.21, %column0
                %b_at_0.4 = getelementptr float, ptr %b, i64 %index.42
                %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
                %index.43 = add i64 %k0, %k_count
                %index.45 = add i64 %a_base_0, %k0
                %a_at_0.4 = getelementptr float, ptr %a, i64 %index.45
                %index.46 = add i64 %a_base_1, %k0
                %a_at_1.4 = getelementptr float, ptr %a, i64 %index.46
                %kk_limit.1 = add i64 %k_count, -1
                %kk_any.2 = icmp slt i64 0, %kk_limit.1
                br i1 %kk_any.2, label %kk_loop.2, label %kk_done.2
                kk_loop.2:
                  %kk.2 = phi i64 [ 0, %otherwise.2 ], [ %kk_next.2, %kk_loop.2 ]
                  %acc_0_0.9 = phi <8 x float> [ %acc_0_0.1, %otherwise.2 ], [ %acc_0_0.11, %kk_loop.2 ]
                  %acc_0_1.9 = phi <8 x float> [ %acc_0_1.1, %otherwise.2 ], [ %acc_0_1.11, %kk_loop.2 ]
                  %acc_1_0.9 = phi <8 x float> [ %acc_1_0.1, %otherwise.2 ], [ %acc_1_0.11, %kk_loop.2 ]
                  %acc_1_1.9 = phi <8 x float> [ %acc_1_1.1, %otherwise.2 ], [ %acc_1_1.11, %kk_loop.2 ]
                  ; b = b[item * b_group + (k0 + kk) * b_row + column0 + column], vector where column0 + column < n, else 0
                  %index.41 = add i64 %k0, %kk.2
                  %product.22 = mul i64 %index.41, %b_row
                  %b_at_0.5 = getelementptr float, ptr %b_at_0.4, i64 %product.22
                  %b_0.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.5, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
                  %b_at_1.3 = getelementptr float, ptr %b_at_0.5, i64 8
                  %b_1.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.3, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
                  ; b[item * b_group + (k0 + k_count + kk) * b_row + column0] is read soon, in cache level 2
                  %index.44 = add i64 %index.43, %kk.2
                  %product.23 = mul i64 %index.44, %b_row
                  %b_soon.3 = getelementptr float, ptr %b_at_0.4, i64 %product.23
                  call void @llvm.prefetch.p0(ptr %b_soon.3, i32 0, i32 2, i32 1)
                  ; a = a[a_base + k0 + kk], broadcast
                  %a_at_0.5 = getelementptr float, ptr %a_at_0.4, i64 %kk.2
                  %a_0_one.3 = load float, ptr %a_at_0.5, align 4
                  %a_0_lane0.3 = insertelement <8 x float> poison, float %a_0_one.3, i64 0
                  %a_0.3 = shufflevector <8 x float> %a_0_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.5 = getelementptr float, ptr %a_at_1.4, i64 %kk.2
                  %a_1_one.3 = load float, ptr %a_at_1.5, align 4
                  %a_1_lane0.3 = insertelement <8 x float> poison, float %a_1_one.3, i64 0
                  %a_1.3 = shufflevector <8 x float> %a_1_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
                  ; acc += a * b, fma_outer_2x2x8_fp32
                  %acc_0_0.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.3, <8 x float> %b_0.3, <8 x float> %acc_0_0.9)
                  %acc_0_1.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.3, <8 x float> %b_1.3, <8 x float> %acc_0_1.9)
                  %acc_1_0.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.3, <8 x float> %b_0.3, <8 x float> %acc_1_0.9)
                  %acc_1_1.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.3, <8 x float> %b_1.3, <8 x float> %acc_1_1.9)
                  ; no memory access moves across this point
                  call void asm sideeffect "", "~{memory}"()
                  ; kk + 1
                  %index.47 = add i64 %index.41, 1
                  %product.24 = mul i64 %index.47, %b_row
                  %b_at_0.6 = getelementptr float, ptr %b_at_0.4, i64 %product.24
                  %b_0.4 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.6, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
                  %b_at_1.4 = getelementptr float, ptr %b_at_0.6, i64 8
                  %b_1.4 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.4, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
                  %index.48 = add i64 %index.44, 1
                  %product.25 = mul i64 %index.48, %b_row
                  %b_soon.4 = getelementptr float, ptr %b_at_0.4, i64 %product.25
                  call void @llvm.prefetch.p0(ptr %b_soon.4, i32 0, i32 2, i32 1)
                  %a_at_0.6 = getelementptr float, ptr %a_at_0.5, i64 1
                  %a_0_one.4 = load float, ptr %a_at_0.6, align 4
                  %a_0_lane0.4 = insertelement <8 x float> poison, float %a_0_one.4, i64 0
                  %a_0.4 = shufflevector <8 x float> %a_0_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.6 = getelementptr float, ptr %a_at_1.5, i64 1
                  %a_1_one.4 = load float, ptr %a_at_1.6, align 4
                  %a_1_lane0.4 = insertelement <8 x float> poison, float %a_1_one.4, i64 0
                  %a_1.4 = shufflevector <8 x float> %a_1_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
                  %acc_0_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.4, <8 x float> %b_0.4, <8 x float> %acc_0_0.10)
                  %acc_0_1.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.4, <8 x float> %b_1.4, <8 x float> %acc_0_1.10)
                  %acc_1_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.4, <8 x float> %b_0.4, <8 x float> %acc_1_0.10)
                  %acc_1_1.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.4, <8 x float> %b_1.4, <8 x float> %acc_1_1.10)
                  call void asm sideeffect "", "~{memory}"()
                  %kk_next.2 = add i64 %kk.2, 2
                  %kk_more.2 = icmp slt i64 %kk_next.2, %kk_limit.1
                  br i1 %kk_more.2, label %kk_loop.2, label %kk_done.2
                kk_done.2:
                %acc_0_0.12 = phi <8 x float> [ %acc_0_0.1, %otherwise.2 ], [ %acc_0_0.11, %kk_loop.2 ]
                %acc_0_1.12 = phi <8 x float> [ %acc_0_1.1, %otherwise.2 ], [ %acc_0_1.11, %kk_loop.2 ]
                %acc_1_0.12 = phi <8 x float> [ %acc_1_0.1, %otherwise.2 ], [ %acc_1_0.11, %kk_loop.2 ]
                %acc_1_1.12 = phi <8 x float> [ %acc_1_1.1, %otherwise.2 ], [ %acc_1_1.11, %kk_loop.2 ]
                %kk_rest.1 = phi i64 [ 0, %otherwise.2 ], [ %kk_next.2, %kk_loop.2 ]
                ; what is left of kk
                %kk_any.3 = icmp slt i64 %kk_rest.1, %k_count
                br i1 %kk_any.3, label %kk_loop.3, label %kk_done.3
                kk_loop.3:
                  %kk.3 = phi i64 [ %kk_rest.1, %kk_done.2 ], [ %kk_next.3, %kk_loop.3 ]
                  %acc_0_0.13 = phi <8 x float> [ %acc_0_0.12, %kk_done.2 ], [ %acc_0_0.14, %kk_loop.3 ]
                  %acc_0_1.13 = phi <8 x float> [ %acc_0_1.12, %kk_done.2 ], [ %acc_0_1.14, %kk_loop.3 ]
                  %acc_1_0.13 = phi <8 x float> [ %acc_1_0.12, %kk_done.2 ], [ %acc_1_0.14, %kk_loop.3 ]
                  %acc_1_1.13 = phi <8 x float> [ %acc_1_1.12, %kk_done.2 ], [ %acc_1_1.14, %kk_loop.3 ]
                  ; b = b[item * b_group + (k0 + kk) * b_row + column0 + column], vector where column0 + column < n, else 0
                  %index.49 = add i64 %k0, %kk.3
                  %product.26 = mul i64 %index.49, %b_row
                  %b_at_0.7 = getelementptr float, ptr %b_at_0.4, i64 %product.26
                  %b_0.5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.7, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
                  %b_at_1.5 = getelementptr float, ptr %b_at_0.7, i64 8
                  %b_1.5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.5, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
                  ; b[item * b_group + (k0 + k_count + kk) * b_row + column0] is read soon, in cache level 2
                  %index.50 = add i64 %index.43, %kk.3
                  %product.27 = mul i64 %index.50, %b_row
                  %b_soon.5 = getelementptr float, ptr %b_at_0.4, i64 %product.27
                  call void @llvm.prefetch.p0(ptr %b_soon.5, i32 0, i32 2, i32 1)
                  ; a = a[a_base + k0 + kk], broadcast
                  %a_at_0.7 = getelementptr float, ptr %a_at_0.4, i64 %kk.3
                  %a_0_one.5 = load float, ptr %a_at_0.7, align 4
                  %a_0_lane0.5 = insertelement <8 x float> poison, float %a_0_one.5, i64 0
                  %a_0.5 = shufflevector <8 x float> %a_0_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
                  %a_at_1.7 = getelementptr float, ptr %a_at_1.4, i64 %kk.3
                  %a_1_one.5 = load float, ptr %a_at_1.7, align 4
                  %a_1_lane0.5 = insertelement <8 x float> poison, float %a_1_one.5, i64 0
                  %a_1.5 = shufflevector <8 x float> %a_1_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
                  ; acc += a * b, fma_outer_2x2x8_fp32
                  %acc_0_0.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.5, <8 x float> %b_0.5, <8 x float> %acc_0_0.13)
                  %acc_0_1.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.5, <8 x float> %b_1.5, <8 x float> %acc_0_1.13)
                  %acc_1_0.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.5, <8 x float> %b_0.5, <8 x float> %acc_1_0.13)
                  %acc_1_1.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.5, <8 x float> %b_1.5, <8 x float> %acc_1_1.13)
                  ; no memory access moves across this point
                  call void asm sideeffect "", "~{memory}"()
                  %kk_next.3 = add i64 %kk.3, 1
                  %kk_more.3 = icmp slt i64 %kk_next.3, %k_count
                  br i1 %kk_more.3, label %kk_loop.3, label %kk_done.3
                kk_done.3:
                %acc_0_0.15 = phi <8 x float> [ %acc_0_0.12, %kk_done.2 ], [ %acc_0_0.14, %kk_loop.3 ]
                %acc_0_1.15 = phi <8 x float> [ %acc_0_1.12, %kk_done.2 ], [ %acc_0_1.14, %kk_loop.3 ]
                %acc_1_0.15 = phi <8 x float> [ %acc_1_0.12, %kk_done.2 ], [ %acc_1_0.14, %kk_loop.3 ]
                %acc_1_1.15 = phi <8 x float> [ %acc_1_1.12, %kk_done.2 ], [ %acc_1_1.14, %kk_loop.3 ]
                br label %joined.2
              joined.2:
              %acc_0_0.16 = phi <8 x float> [ %acc_0_0.8, %kk_done.1 ], [ %acc_0_0.15, %kk_done.3 ]
              %acc_0_1.16 = phi <8 x float> [ %acc_0_1.8, %kk_done.1 ], [ %acc_0_1.15, %kk_done.3 ]
              %acc_1_0.16 = phi <8 x float> [ %acc_1_0.8, %kk_done.1 ], [ %acc_1_0.15, %kk_done.3 ]
              %acc_1_1.16 = phi <8 x float> [ %acc_1_1.8, %kk_done.1 ], [ %acc_1_1.15, %kk_done.3 ]
              ; if k_block + 1 == k_blocks
              br i1 %holds.3, label %then.3, label %otherwise.3
              then.3:
                ; if row0 + 1 < group_stop and column0 + 15 < n
                %holds.4 = icmp slt i64 %index.23, %group_stop.1
                %both = and i1 %holds.4, %holds.2
                br i1 %both, label %then.4, label %otherwise.4
                then.4:
                  ; result = acc, in fp32
                  ; out[(row0 + row) * out_row + column0 + column] = result, vector
                  %product.28 = mul i64 %row0, %out_row
                  %index.51 = add i64 %product.28, %column0
                  %out_at_0_0 = getelementptr float, ptr %out, i64 %index.51
                  store <8 x float> %acc_0_0.16, ptr %out_at_0_0, align 4
                  %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
                  store <8 x float> %acc_0_1.16, ptr %out_at_0_1, align 4
                  %product.29 = mul i64 %index.23, %out_row
                  %index.52 = add i64 %product.29, %column0
                  %out_at_1_0 = getelementptr float, ptr %out, i64 %index.52
                  store <8 x float> %acc_1_0.16, ptr %out_at_1_0, align 4
                  %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
                  store <8 x float> %acc_1_1.16, ptr %out_at_1_1, align 4
                  br label %joined.4
                otherwise.4:
                  ; result = acc, in fp32
                  ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < group_stop and column0 + column < n
                  %holds.5 = icmp slt i64 %row0, %group_stop.1
                  %limit.1 = sub i64 %n, %column0
                  %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
                  %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
                  %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
                  %product.30 = mul i64 %row0, %out_row
                  %index.53 = add i64 %product.30, %column0
                  %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.53
                  %lane0.2 = insertelement <8 x i1> poison, i1 %holds.5, i64 0
                  %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.3 = and <8 x i1> %mask.2, %all.2
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.16, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.3)
                  %mask.4 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
                  %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
                  %mask.5 = and <8 x i1> %mask.4, %all.2
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.16, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.5)
                  %product.31 = mul i64 %index.23, %out_row
                  %index.54 = add i64 %product.31, %column0
                  %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.54
                  %lane0.3 = insertelement <8 x i1> poison, i1 %holds.4, i64 0
                  %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
                  %mask.6 = and <8 x i1> %mask.2, %all.3
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.16, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
                  %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
                  %mask.7 = and <8 x i1> %mask.4, %all.3
                  call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.16, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.7)
                  br label %joined.4
                joined.4:
                br label %joined.3
              otherwise.3:
                ; sums[(panel - first_panel) * (last_group - first_group) + tile - first_group, row, column] = acc, vector
                %index.55 = sub i64 %panel, %first_panel
                %product.32 = mul i64 %index.55, %index.19
                %index.56 = mul i64 %product.32, 32
                %index.57 = mul i64 %tile, 32
                %index.58 = add i64 %index.56, %index.57
                %index.59 = mul i64 %first_group, -32
                %index.60 = add i64 %index.58, %index.59
                %sums_at_0_0.1 = getelementptr float, ptr %sums, i64 %index.60
                store <8 x float> %acc_0_0.16, ptr %sums_at_0_0.1, align 64
                %sums_at_0_1.1 = getelementptr float, ptr %sums_at_0_0.1, i64 8
                store <8 x float> %acc_0_1.16, ptr %sums_at_0_1.1, align 32
                %sums_at_1_0.1 = getelementptr float, ptr %sums_at_0_0.1, i64 16
                store <8 x float> %acc_1_0.16, ptr %sums_at_1_0.1, align 64
                %sums_at_1_1.1 = getelementptr float, ptr %sums_at_0_0.1, i64 24
                store <8 x float> %acc_1_1.16, ptr %sums_at_1_1.1, align 32
                br label %joined.3
              joined.3:
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
        %k_block_more = icmp slt i64 %k_block_next, %k_blocks
        br i1 %k_block_more, label %k_block_loop, label %k_block_done
      k_block_done:
      br label %joined
    joined:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
