; tracea: grouped_matmul fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2
; schedule       ef28f8133e988b280305d73ece4f1c92132f9acf123c1ed48499b0780cea72f0
; certificate    dc503de71a71ca22fc5b08a97d6dc517c6aa828c98574a8603e7d6d91bc7ab90:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, k times, kept for a tile_column, aligned to 64 bytes
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
  %barrier_word = getelementptr i64, ptr %arguments, i64 13
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 14
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %index = mul i64 %k, 64
  %index.1 = add i64 %index, 63
  %quotient = udiv i64 %index.1, 64
  %panel_bytes = mul i64 %quotient, 64
  %panel_own = mul i64 %worker, %panel_bytes
  %panel = getelementptr i8, ptr %panel_of_all, i64 %panel_own
  ; panels = (n + 15) // 16
  %index.2 = add i64 %n, 15
  %panels = udiv i64 %index.2, 16
  ; units = groups * row_splits * panels
  %product = mul i64 %groups, %row_splits
  %units = mul i64 %product, %panels
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.1 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.1, %workers
  %index.3 = add i64 %worker, 1
  %product.2 = mul i64 %index.3, %units
  %unit_stop = udiv i64 %product.2, %workers
  %product.3 = mul i64 %panels, %row_splits
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %joined ]
    ; column0 = unit % panels * 16
    %rest = urem i64 %unit, %panels
    %column0 = mul i64 %rest, 16
    ; split = unit // panels % row_splits
    %quotient.1 = udiv i64 %unit, %panels
    %split = urem i64 %quotient.1, %row_splits
    ; item = unit // (panels * row_splits)
    %item = udiv i64 %unit, %product.3
    ; group_start = end(item - 1, m)
    %index.4 = add i64 %item, -1
    %position = call i64 @llvm.smax.i64(i64 %index.4, i64 0)
    %looked_at = getelementptr i32, ptr %group_ends, i64 %position
    %looked_up = load i32, ptr %looked_at, align 4
    %wide = sext i32 %looked_up to i64
    %group_start = call i64 @llvm.smin.i64(i64 %wide, i64 %m)
    %group_start.1 = call i64 @llvm.smax.i64(i64 %group_start, i64 0)
    %before_first = icmp slt i64 %index.4, 0
    %group_start.2 = select i1 %before_first, i64 0, i64 %group_start.1
    ; group_stop = end(item, m)
    %looked_at.1 = getelementptr i32, ptr %group_ends, i64 %item
    %looked_up.1 = load i32, ptr %looked_at.1, align 4
    %wide.1 = sext i32 %looked_up.1 to i64
    %group_stop = call i64 @llvm.smin.i64(i64 %wide.1, i64 %m)
    %group_stop.1 = call i64 @llvm.smax.i64(i64 %group_stop, i64 0)
    ; row_tiles = (max(group_stop - group_start, 0) + 1) // 2
    %index.5 = sub i64 %group_stop.1, %group_start.2
    %max = call i64 @llvm.smax.i64(i64 %index.5, i64 0)
    %index.6 = add i64 %max, 1
    %row_tiles = udiv i64 %index.6, 2
    ; if split * row_tiles // row_splits < (split + 1) * row_tiles // row_splits
    %product.4 = mul i64 %split, %row_tiles
    %quotient.2 = udiv i64 %product.4, %row_splits
    %index.7 = add i64 %split, 1
    %product.5 = mul i64 %index.7, %row_tiles
    %quotient.3 = udiv i64 %product.5, %row_splits
    %holds = icmp slt i64 %quotient.2, %quotient.3
    br i1 %holds, label %then, label %joined
    then:
      ; if column0 + 15 < n
      %index.8 = add i64 %column0, 15
      %holds.1 = icmp slt i64 %index.8, %n
      br i1 %holds.1, label %then.1, label %otherwise.1
      then.1:
        ; for kk from 0 to k
        %product.6 = mul i64 %item, %b_group
        %index.9 = add i64 %product.6, %column0
        %b_at_0 = getelementptr float, ptr %b, i64 %index.9
        %kk_any = icmp slt i64 0, %k
        br i1 %kk_any, label %kk_loop, label %kk_done
        kk_loop:
          %kk = phi i64 [ 0, %then.1 ], [ %kk_next, %kk_loop ]
          ; packed = b[item * b_group + kk * b_row + column0 + column], vector
          %product.7 = mul i64 %kk, %b_row
          %b_at_0.1 = getelementptr float, ptr %b_at_0, i64 %product.7
          %packed_0 = load <8 x float>, ptr %b_at_0.1, align 4
          %b_at_1 = getelementptr float, ptr %b_at_0.1, i64 8
          %packed_1 = load <8 x float>, ptr %b_at_1, align 4
          ; panel[kk, column] = packed, vector
          %index.10 = mul i64 %kk, 16
          %panel_at_0 = getelementptr float, ptr %panel, i64 %index.10
          store <8 x float> %packed_0, ptr %panel_at_0, align 64
          %panel_at_1 = getelementptr float, ptr %panel_at_0, i64 8
          store <8 x float> %packed_1, ptr %panel_at_1, align 32
          %kk_next = add i64 %kk, 1
          %kk_more = icmp slt i64 %kk_next, %k
          br i1 %kk_more, label %kk_loop, label %kk_done
        kk_done:
        br label %joined.1
      otherwise.1:
        ; for kk from 0 to k
        %limit = sub i64 %n, %column0
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %product.8 = mul i64 %item, %b_group
        %index.11 = add i64 %product.8, %column0
        %b_at_0.2 = getelementptr float, ptr %b, i64 %index.11
        %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
        %kk_any.1 = icmp slt i64 0, %k
        br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
        kk_loop.1:
          %kk.1 = phi i64 [ 0, %otherwise.1 ], [ %kk_next.1, %kk_loop.1 ]
          ; packed = b[item * b_group + kk * b_row + column0 + column], vector where column0 + column < n, else 0
          %product.9 = mul i64 %kk.1, %b_row
          %b_at_0.3 = getelementptr float, ptr %b_at_0.2, i64 %product.9
          %packed_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.3, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
          %b_at_1.1 = getelementptr float, ptr %b_at_0.3, i64 8
          %packed_1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.1, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
          ; panel[kk, column] = packed, vector
          %index.12 = mul i64 %kk.1, 16
          %panel_at_0.1 = getelementptr float, ptr %panel, i64 %index.12
          store <8 x float> %packed_0.1, ptr %panel_at_0.1, align 64
          %panel_at_1.1 = getelementptr float, ptr %panel_at_0.1, i64 8
          store <8 x float> %packed_1.1, ptr %panel_at_1.1, align 32
          %kk_next.1 = add i64 %kk.1, 1
          %kk_more.1 = icmp slt i64 %kk_next.1, %k
          br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
        kk_done.1:
        br label %joined.1
      joined.1:
      ; for tile from split * row_tiles // row_splits to (split + 1) * row_tiles // row_splits
      %index.14 = add i64 %m, -1
      %kk_limit = add i64 %k, -1
      br i1 %holds, label %tile_loop, label %tile_done
      tile_loop:
        %tile = phi i64 [ %quotient.2, %joined.1 ], [ %tile_next, %joined.2 ]
        ; row0 = group_start + tile * 2
        %index.13 = mul i64 %tile, 2
        %row0 = add i64 %group_start.2, %index.13
        ; a_base = min(row0 + row, m - 1) * a_row for each element of a
        %min = call i64 @llvm.smin.i64(i64 %row0, i64 %index.14)
        %a_base_0 = mul i64 %min, %a_row
        %index.15 = add i64 %row0, 1
        %min.1 = call i64 @llvm.smin.i64(i64 %index.15, i64 %index.14)
        %a_base_1 = mul i64 %min.1, %a_row
        ; acc = 0
        ; for kk from 0 to k, 2 at a time
        %a_at_0 = getelementptr float, ptr %a, i64 %a_base_0
        %a_at_1 = getelementptr float, ptr %a, i64 %a_base_1
        %kk_any.2 = icmp slt i64 0, %kk_limit
        br i1 %kk_any.2, label %kk_loop.2, label %kk_done.2
        kk_loop.2:
          %kk.2 = phi i64 [ 0, %tile_loop ], [ %kk_next.2, %kk_loop.2 ]
          %acc_0_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop.2 ]
          %acc_0_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop.2 ]
          %acc_1_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop.2 ]
          %acc_1_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop.2 ]
          ; b = panel[kk, column], vector
          %index.16 = mul i64 %kk.2, 16
          %panel_at_0.2 = getelementptr float, ptr %panel, i64 %index.16
          %b_0 = load <8 x float>, ptr %panel_at_0.2, align 64
          %panel_at_1.2 = getelementptr float, ptr %panel_at_0.2, i64 8
          %b_1 = load <8 x float>, ptr %panel_at_1.2, align 32
          ; a = a[a_base + kk], broadcast
          %a_at_0.1 = getelementptr float, ptr %a_at_0, i64 %kk.2
          %a_0_one = load float, ptr %a_at_0.1, align 4
          %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
          %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
          %a_at_1.1 = getelementptr float, ptr %a_at_1, i64 %kk.2
          %a_1_one = load float, ptr %a_at_1.1, align 4
          %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
          %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
          ; acc += a * b, fma_outer_2x2x8_fp32
          %acc_0_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_0, <8 x float> %acc_0_0)
          %acc_0_1.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_1, <8 x float> %acc_0_1)
          %acc_1_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_0, <8 x float> %acc_1_0)
          %acc_1_1.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_1, <8 x float> %acc_1_1)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          ; kk + 1
          %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 16
          %b_0.1 = load <8 x float>, ptr %panel_at_0.3, align 64
          %panel_at_1.3 = getelementptr float, ptr %panel_at_0.2, i64 24
          %b_1.1 = load <8 x float>, ptr %panel_at_1.3, align 32
          %a_at_0.2 = getelementptr float, ptr %a_at_0.1, i64 1
          %a_0_one.1 = load float, ptr %a_at_0.2, align 4
          %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
          %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
          %a_at_1.2 = getelementptr float, ptr %a_at_1.1, i64 1
          %a_1_one.1 = load float, ptr %a_at_1.2, align 4
          %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
          %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
          %acc_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.1)
          %acc_0_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.1)
          %acc_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.1)
          %acc_1_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.1)
          call void asm sideeffect "", "~{memory}"()
          %kk_next.2 = add i64 %kk.2, 2
          %kk_more.2 = icmp slt i64 %kk_next.2, %kk_limit
          br i1 %kk_more.2, label %kk_loop.2, label %kk_done.2
        kk_done.2:
        %acc_0_0.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop.2 ]
        %acc_0_1.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop.2 ]
        %acc_1_0.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop.2 ]
        %acc_1_1.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop.2 ]
        %kk_rest = phi i64 [ 0, %tile_loop ], [ %kk_next.2, %kk_loop.2 ]
        ; what is left of kk
        %kk_any.3 = icmp slt i64 %kk_rest, %k
        br i1 %kk_any.3, label %kk_loop.3, label %kk_done.3
        kk_loop.3:
          %kk.3 = phi i64 [ %kk_rest, %kk_done.2 ], [ %kk_next.3, %kk_loop.3 ]
          %acc_0_0.4 = phi <8 x float> [ %acc_0_0.3, %kk_done.2 ], [ %acc_0_0.5, %kk_loop.3 ]
          %acc_0_1.4 = phi <8 x float> [ %acc_0_1.3, %kk_done.2 ], [ %acc_0_1.5, %kk_loop.3 ]
          %acc_1_0.4 = phi <8 x float> [ %acc_1_0.3, %kk_done.2 ], [ %acc_1_0.5, %kk_loop.3 ]
          %acc_1_1.4 = phi <8 x float> [ %acc_1_1.3, %kk_done.2 ], [ %acc_1_1.5, %kk_loop.3 ]
          ; b = panel[kk, column], vector
          %index.17 = mul i64 %kk.3, 16
          %panel_at_0.4 = getelementptr float, ptr %panel, i64 %index.17
          %b_0.2 = load <8 x float>, ptr %panel_at_0.4, align 64
          %panel_at_1.4 = getelementptr float, ptr %panel_at_0.4, i64 8
          %b_1.2 = load <8 x float>, ptr %panel_at_1.4, align 32
          ; a = a[a_base + kk], broadcast
          %a_at_0.3 = getelementptr float, ptr %a_at_0, i64 %kk.3
          %a_0_one.2 = load float, ptr %a_at_0.3, align 4
          %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
          %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
          %a_at_1.3 = getelementptr float, ptr %a_at_1, i64 %kk.3
          %a_1_one.2 = load float, ptr %a_at_1.3, align 4
          %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
          %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
          ; acc += a * b, fma_outer_2x2x8_fp32
          %acc_0_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.4)
          %acc_0_1.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.4)
          %acc_1_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.4)
          %acc_1_1.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.4)
          ; no memory access moves across this point
          call void asm sideeffect "", "~{memory}"()
          %kk_next.3 = add i64 %kk.3, 1
          %kk_more.3 = icmp slt i64 %kk_next.3, %k
          br i1 %kk_more.3, label %kk_loop.3, label %kk_done.3
        kk_done.3:
        %acc_0_0.6 = phi <8 x float> [ %acc_0_0.3, %kk_done.2 ], [ %acc_0_0.5, %kk_loop.3 ]
        %acc_0_1.6 = phi <8 x float> [ %acc_0_1.3, %kk_done.2 ], [ %acc_0_1.5, %kk_loop.3 ]
        %acc_1_0.6 = phi <8 x float> [ %acc_1_0.3, %kk_done.2 ], [ %acc_1_0.5, %kk_loop.3 ]
        %acc_1_1.6 = phi <8 x float> [ %acc_1_1.3, %kk_done.2 ], [ %acc_1_1.5, %kk_loop.3 ]
        ; if row0 + 1 < group_stop and column0 + 15 < n
        %holds.2 = icmp slt i64 %index.15, %group_stop.1
        %both = and i1 %holds.2, %holds.1
        br i1 %both, label %then.2, label %otherwise.2
        then.2:
          ; result = acc, in fp32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector
          %product.10 = mul i64 %row0, %out_row
          %index.18 = add i64 %product.10, %column0
          %out_at_0_0 = getelementptr float, ptr %out, i64 %index.18
          store <8 x float> %acc_0_0.6, ptr %out_at_0_0, align 4
          %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
          store <8 x float> %acc_0_1.6, ptr %out_at_0_1, align 4
          %product.11 = mul i64 %index.15, %out_row
          %index.19 = add i64 %product.11, %column0
          %out_at_1_0 = getelementptr float, ptr %out, i64 %index.19
          store <8 x float> %acc_1_0.6, ptr %out_at_1_0, align 4
          %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
          store <8 x float> %acc_1_1.6, ptr %out_at_1_1, align 4
          br label %joined.2
        otherwise.2:
          ; result = acc, in fp32
          ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < group_stop and column0 + column < n
          %holds.3 = icmp slt i64 %row0, %group_stop.1
          %limit.1 = sub i64 %n, %column0
          %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
          %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
          %product.12 = mul i64 %row0, %out_row
          %index.20 = add i64 %product.12, %column0
          %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.20
          %lane0.2 = insertelement <8 x i1> poison, i1 %holds.3, i64 0
          %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.3 = and <8 x i1> %mask.2, %all.2
          call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.6, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.3)
          %mask.4 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
          %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
          %mask.5 = and <8 x i1> %mask.4, %all.2
          call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.6, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.5)
          %product.13 = mul i64 %index.15, %out_row
          %index.21 = add i64 %product.13, %column0
          %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.21
          %lane0.3 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
          %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.6 = and <8 x i1> %mask.2, %all.3
          call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.6, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
          %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
          %mask.7 = and <8 x i1> %mask.4, %all.3
          call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.6, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.7)
          br label %joined.2
        joined.2:
        %tile_next = add i64 %tile, 1
        %tile_more = icmp slt i64 %tile_next, %quotient.3
        br i1 %tile_more, label %tile_loop, label %tile_done
      tile_done:
      br label %joined
    joined:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ret void
}
