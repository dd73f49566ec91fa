; tracea: block_sparse_matmul fp32, blocks of 16 along k
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 in-place
; schedule       ed1a3617d609e8815facab6f9469e2c5ce0b22ac521c1bef02108b79ceeb7951
; certificate    dca4a9e1a7807a61da4c991b75f97fac1333a94c5014ba53975042b499843a85:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; a: fp32, read, aligned to 4 bytes
; b: fp32, read, aligned to 4 bytes
; group_ends: int32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of a line of blocks; 0 to 4611686018427387904
; items: lines of blocks; 0 to 4611686018427387904
; stored: stored blocks; 0 to 4611686018427387904
; places: blocks along the reduction, stored or not; 1 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_block: b: next block; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
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
  %items_word = getelementptr i64, ptr %arguments, i64 6
  %items = load i64, ptr %items_word, align 8
  %stored_word = getelementptr i64, ptr %arguments, i64 7
  %stored = load i64, ptr %stored_word, align 8
  %places_word = getelementptr i64, ptr %arguments, i64 8
  %places = load i64, ptr %places_word, align 8
  %a_row_word = getelementptr i64, ptr %arguments, i64 9
  %a_row = load i64, ptr %a_row_word, align 8
  %b_block_word = getelementptr i64, ptr %arguments, i64 10
  %b_block = load i64, ptr %b_block_word, align 8
  %b_row_word = getelementptr i64, ptr %arguments, i64 11
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 12
  %out_row = load i64, ptr %out_row_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 13
  %barrier = load ptr, ptr %barrier_word, align 8
  ; panels = (n + 15) // 16
  %index = add i64 %n, 15
  %panels = udiv i64 %index, 16
  ; units = items * panels
  %units = mul i64 %items, %panels
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product = mul i64 %worker, %units
  %unit_first = udiv i64 %product, %workers
  %index.1 = add i64 %worker, 1
  %product.1 = mul i64 %index.1, %units
  %unit_stop = udiv i64 %product.1, %workers
  %index.4 = add i64 %m, 1
  %index.7 = add i64 %stored, -1
  %index.9 = add i64 %items, %stored
  %index.11 = add i64 %places, -1
  %index.12 = add i64 %m, -1
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %tile_done ]
    ; column0 = unit % panels * 16
    %rest = urem i64 %unit, %panels
    %column0 = mul i64 %rest, 16
    ; item = unit // panels
    %item = udiv i64 %unit, %panels
    ; list_first = end(item - 1, stored)
    %index.2 = add i64 %item, -1
    %position = call i64 @llvm.smax.i64(i64 %index.2, i64 0)
    %looked_at = getelementptr i32, ptr %group_ends, i64 %position
    %looked_up = load i32, ptr %looked_at, align 4
    %wide = sext i32 %looked_up to i64
    %list_first = call i64 @llvm.smin.i64(i64 %wide, i64 %stored)
    %list_first.1 = call i64 @llvm.smax.i64(i64 %list_first, i64 0)
    %before_first = icmp slt i64 %index.2, 0
    %list_first.2 = select i1 %before_first, i64 0, i64 %list_first.1
    ; list_stop = end(item, stored)
    %looked_at.1 = getelementptr i32, ptr %group_ends, i64 %item
    %looked_up.1 = load i32, ptr %looked_at.1, align 4
    %wide.1 = sext i32 %looked_up.1 to i64
    %list_stop = call i64 @llvm.smin.i64(i64 %wide.1, i64 %stored)
    %list_stop.1 = call i64 @llvm.smax.i64(i64 %list_stop, i64 0)
    ; list_depth = max(list_stop - list_first, 0) * 16
    %index.3 = sub i64 %list_stop.1, %list_first.2
    %max = call i64 @llvm.smax.i64(i64 %index.3, i64 0)
    %list_depth = mul i64 %max, 16
    ; for tile from 0 to (m + 1) // 2
    %tile_stop = udiv i64 %index.4, 2
    %index.15 = add i64 %column0, 15
    %holds = icmp slt i64 %index.15, %n
    %tile_any = icmp slt i64 0, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ 0, %unit_loop ], [ %tile_next, %joined.1 ]
      ; row0 = tile * 2
      %row0 = mul i64 %tile, 2
      ; acc = 0
      ; for list_step from 0 to list_depth // 16
      %list_step_stop = udiv i64 %list_depth, 16
      %min = call i64 @llvm.smin.i64(i64 %row0, i64 %index.12)
      %product.2 = mul i64 %min, %a_row
      %index.14 = add i64 %row0, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.14, i64 %index.12)
      %product.3 = mul i64 %min.1, %a_row
      %list_step_any = icmp slt i64 0, %list_step_stop
      br i1 %list_step_any, label %list_step_loop, label %list_step_done
      list_step_loop:
        %list_step = phi i64 [ 0, %tile_loop ], [ %list_step_next, %joined ]
        %acc_0_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.13, %joined ]
        %acc_0_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.13, %joined ]
        %acc_1_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.13, %joined ]
        %acc_1_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.13, %joined ]
        ; list_entry = min(list_first + list_step * 16 // 16, stored - 1)
        %index.5 = mul i64 %list_step, 16
        %quotient = udiv i64 %index.5, 16
        %index.6 = add i64 %list_first.2, %quotient
        %list_entry = call i64 @llvm.smin.i64(i64 %index.6, i64 %index.7)
        ; list_block = entry(items + list_entry, stored - 1)
        %index.8 = add i64 %items, %list_entry
        %looked_at.2 = getelementptr i32, ptr %group_ends, i64 %index.8
        %looked_up.2 = load i32, ptr %looked_at.2, align 4
        %wide.2 = sext i32 %looked_up.2 to i64
        %list_block = call i64 @llvm.smin.i64(i64 %wide.2, i64 %index.7)
        %list_block.1 = call i64 @llvm.smax.i64(i64 %list_block, i64 0)
        ; list_place = entry(items + stored + list_entry, places - 1)
        %index.10 = add i64 %index.9, %list_entry
        %looked_at.3 = getelementptr i32, ptr %group_ends, i64 %index.10
        %looked_up.3 = load i32, ptr %looked_at.3, align 4
        %wide.3 = sext i32 %looked_up.3 to i64
        %list_place = call i64 @llvm.smin.i64(i64 %wide.3, i64 %index.11)
        %list_place.1 = call i64 @llvm.smax.i64(i64 %list_place, i64 0)
        ; a_base = min(row0 + row, m - 1) * a_row + list_place * 16 for each element of a
        %index.13 = mul i64 %list_place.1, 16
        %a_base_0 = add i64 %product.2, %index.13
        %a_base_1 = add i64 %product.3, %index.13
        ; if column0 + 15 < n
        br i1 %holds, label %then, label %otherwise
        then:
          ; for within from 0 to 16, 2 at a time
          %product.4 = mul i64 %list_block.1, %b_block
          %index.16 = add i64 %product.4, %column0
          %b_at_0 = getelementptr float, ptr %b, i64 %index.16
          %a_at_0 = getelementptr float, ptr %a, i64 %a_base_0
          %a_at_1 = getelementptr float, ptr %a, i64 %a_base_1
          br label %within_loop
          within_loop:
            %within = phi i64 [ 0, %then ], [ %within_next, %within_loop ]
            %acc_0_0.1 = phi <8 x float> [ %acc_0_0, %then ], [ %acc_0_0.3, %within_loop ]
            %acc_0_1.1 = phi <8 x float> [ %acc_0_1, %then ], [ %acc_0_1.3, %within_loop ]
            %acc_1_0.1 = phi <8 x float> [ %acc_1_0, %then ], [ %acc_1_0.3, %within_loop ]
            %acc_1_1.1 = phi <8 x float> [ %acc_1_1, %then ], [ %acc_1_1.3, %within_loop ]
            ; b = b[list_block * b_block + within * b_row + column0 + column], vector
            %product.5 = mul i64 %within, %b_row
            %b_at_0.1 = getelementptr float, ptr %b_at_0, i64 %product.5
            %b_0 = load <8 x float>, ptr %b_at_0.1, align 4
            %b_at_1 = getelementptr float, ptr %b_at_0.1, i64 8
            %b_1 = load <8 x float>, ptr %b_at_1, align 4
            ; a = a[a_base + within], broadcast
            %a_at_0.1 = getelementptr float, ptr %a_at_0, i64 %within
            %a_0_one = load float, ptr %a_at_0.1, align 4
            %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
            %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.1 = getelementptr float, ptr %a_at_1, i64 %within
            %a_1_one = load float, ptr %a_at_1.1, align 4
            %a_1_lane0 = insertelement <8 x float> poison, float %a_1_one, i64 0
            %a_1 = shufflevector <8 x float> %a_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
            ; acc += a * b, fma_outer_2x2x8_fp32
            %acc_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_0, <8 x float> %acc_0_0.1)
            %acc_0_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0, <8 x float> %b_1, <8 x float> %acc_0_1.1)
            %acc_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_0, <8 x float> %acc_1_0.1)
            %acc_1_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1, <8 x float> %b_1, <8 x float> %acc_1_1.1)
            ; no memory access moves across this point
            call void asm sideeffect "", "~{memory}"()
            ; within + 1
            %index.17 = add i64 %within, 1
            %product.6 = mul i64 %index.17, %b_row
            %b_at_0.2 = getelementptr float, ptr %b_at_0, i64 %product.6
            %b_0.1 = load <8 x float>, ptr %b_at_0.2, align 4
            %b_at_1.1 = getelementptr float, ptr %b_at_0.2, i64 8
            %b_1.1 = load <8 x float>, ptr %b_at_1.1, align 4
            %a_at_0.2 = getelementptr float, ptr %a_at_0.1, i64 1
            %a_0_one.1 = load float, ptr %a_at_0.2, align 4
            %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
            %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.2 = getelementptr float, ptr %a_at_1.1, i64 1
            %a_1_one.1 = load float, ptr %a_at_1.2, align 4
            %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
            %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
            %acc_0_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.2)
            %acc_0_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.2)
            %acc_1_0.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.2)
            %acc_1_1.3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.2)
            call void asm sideeffect "", "~{memory}"()
            %within_next = add i64 %within, 2
            %within_more = icmp slt i64 %within_next, 15
            br i1 %within_more, label %within_loop, label %within_done
          within_done:
          ; what is left of within
          %within_any = icmp slt i64 %within_next, 16
          br i1 %within_any, label %within_loop.1, label %within_done.1
          within_loop.1:
            %within.1 = phi i64 [ %within_next, %within_done ], [ %within_next.1, %within_loop.1 ]
            %acc_0_0.4 = phi <8 x float> [ %acc_0_0.3, %within_done ], [ %acc_0_0.5, %within_loop.1 ]
            %acc_0_1.4 = phi <8 x float> [ %acc_0_1.3, %within_done ], [ %acc_0_1.5, %within_loop.1 ]
            %acc_1_0.4 = phi <8 x float> [ %acc_1_0.3, %within_done ], [ %acc_1_0.5, %within_loop.1 ]
            %acc_1_1.4 = phi <8 x float> [ %acc_1_1.3, %within_done ], [ %acc_1_1.5, %within_loop.1 ]
            ; b = b[list_block * b_block + within * b_row + column0 + column], vector
            %product.7 = mul i64 %within.1, %b_row
            %b_at_0.3 = getelementptr float, ptr %b_at_0, i64 %product.7
            %b_0.2 = load <8 x float>, ptr %b_at_0.3, align 4
            %b_at_1.2 = getelementptr float, ptr %b_at_0.3, i64 8
            %b_1.2 = load <8 x float>, ptr %b_at_1.2, align 4
            ; a = a[a_base + within], broadcast
            %a_at_0.3 = getelementptr float, ptr %a_at_0, i64 %within.1
            %a_0_one.2 = load float, ptr %a_at_0.3, align 4
            %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
            %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.3 = getelementptr float, ptr %a_at_1, i64 %within.1
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
            %within_next.1 = add i64 %within.1, 1
            %within_more.1 = icmp slt i64 %within_next.1, 16
            br i1 %within_more.1, label %within_loop.1, label %within_done.1
          within_done.1:
          %acc_0_0.6 = phi <8 x float> [ %acc_0_0.3, %within_done ], [ %acc_0_0.5, %within_loop.1 ]
          %acc_0_1.6 = phi <8 x float> [ %acc_0_1.3, %within_done ], [ %acc_0_1.5, %within_loop.1 ]
          %acc_1_0.6 = phi <8 x float> [ %acc_1_0.3, %within_done ], [ %acc_1_0.5, %within_loop.1 ]
          %acc_1_1.6 = phi <8 x float> [ %acc_1_1.3, %within_done ], [ %acc_1_1.5, %within_loop.1 ]
          br label %joined
        otherwise:
          ; for within from 0 to 16, 2 at a time
          %limit = sub i64 %n, %column0
          %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
          %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
          %product.8 = mul i64 %list_block.1, %b_block
          %index.18 = add i64 %product.8, %column0
          %b_at_0.4 = getelementptr float, ptr %b, i64 %index.18
          %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
          %a_at_0.4 = getelementptr float, ptr %a, i64 %a_base_0
          %a_at_1.4 = getelementptr float, ptr %a, i64 %a_base_1
          br label %within_loop.2
          within_loop.2:
            %within.2 = phi i64 [ 0, %otherwise ], [ %within_next.2, %within_loop.2 ]
            %acc_0_0.7 = phi <8 x float> [ %acc_0_0, %otherwise ], [ %acc_0_0.9, %within_loop.2 ]
            %acc_0_1.7 = phi <8 x float> [ %acc_0_1, %otherwise ], [ %acc_0_1.9, %within_loop.2 ]
            %acc_1_0.7 = phi <8 x float> [ %acc_1_0, %otherwise ], [ %acc_1_0.9, %within_loop.2 ]
            %acc_1_1.7 = phi <8 x float> [ %acc_1_1, %otherwise ], [ %acc_1_1.9, %within_loop.2 ]
            ; b = b[list_block * b_block + within * b_row + column0 + column], vector where column0 + column < n, else 0
            %product.9 = mul i64 %within.2, %b_row
            %b_at_0.5 = getelementptr float, ptr %b_at_0.4, i64 %product.9
            %b_0.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.5, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
            %b_at_1.3 = getelementptr float, ptr %b_at_0.5, i64 8
            %b_1.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.3, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
            ; a = a[a_base + within], broadcast
            %a_at_0.5 = getelementptr float, ptr %a_at_0.4, i64 %within.2
            %a_0_one.3 = load float, ptr %a_at_0.5, align 4
            %a_0_lane0.3 = insertelement <8 x float> poison, float %a_0_one.3, i64 0
            %a_0.3 = shufflevector <8 x float> %a_0_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.5 = getelementptr float, ptr %a_at_1.4, i64 %within.2
            %a_1_one.3 = load float, ptr %a_at_1.5, align 4
            %a_1_lane0.3 = insertelement <8 x float> poison, float %a_1_one.3, i64 0
            %a_1.3 = shufflevector <8 x float> %a_1_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
            ; acc += a * b, fma_outer_2x2x8_fp32
            %acc_0_0.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.3, <8 x float> %b_0.3, <8 x float> %acc_0_0.7)
            %acc_0_1.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.3, <8 x float> %b_1.3, <8 x float> %acc_0_1.7)
            %acc_1_0.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.3, <8 x float> %b_0.3, <8 x float> %acc_1_0.7)
            %acc_1_1.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.3, <8 x float> %b_1.3, <8 x float> %acc_1_1.7)
            ; no memory access moves across this point
            call void asm sideeffect "", "~{memory}"()
            ; within + 1
            %index.19 = add i64 %within.2, 1
            %product.10 = mul i64 %index.19, %b_row
            %b_at_0.6 = getelementptr float, ptr %b_at_0.4, i64 %product.10
            %b_0.4 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.6, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
            %b_at_1.4 = getelementptr float, ptr %b_at_0.6, i64 8
            %b_1.4 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.4, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
            %a_at_0.6 = getelementptr float, ptr %a_at_0.5, i64 1
            %a_0_one.4 = load float, ptr %a_at_0.6, align 4
            %a_0_lane0.4 = insertelement <8 x float> poison, float %a_0_one.4, i64 0
            %a_0.4 = shufflevector <8 x float> %a_0_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.6 = getelementptr float, ptr %a_at_1.5, i64 1
            %a_1_one.4 = load float, ptr %a_at_1.6, align 4
            %a_1_lane0.4 = insertelement <8 x float> poison, float %a_1_one.4, i64 0
            %a_1.4 = shufflevector <8 x float> %a_1_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
            %acc_0_0.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.4, <8 x float> %b_0.4, <8 x float> %acc_0_0.8)
            %acc_0_1.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.4, <8 x float> %b_1.4, <8 x float> %acc_0_1.8)
            %acc_1_0.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.4, <8 x float> %b_0.4, <8 x float> %acc_1_0.8)
            %acc_1_1.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.4, <8 x float> %b_1.4, <8 x float> %acc_1_1.8)
            call void asm sideeffect "", "~{memory}"()
            %within_next.2 = add i64 %within.2, 2
            %within_more.2 = icmp slt i64 %within_next.2, 15
            br i1 %within_more.2, label %within_loop.2, label %within_done.2
          within_done.2:
          ; what is left of within
          %within_any.1 = icmp slt i64 %within_next.2, 16
          br i1 %within_any.1, label %within_loop.3, label %within_done.3
          within_loop.3:
            %within.3 = phi i64 [ %within_next.2, %within_done.2 ], [ %within_next.3, %within_loop.3 ]
            %acc_0_0.10 = phi <8 x float> [ %acc_0_0.9, %within_done.2 ], [ %acc_0_0.11, %within_loop.3 ]
            %acc_0_1.10 = phi <8 x float> [ %acc_0_1.9, %within_done.2 ], [ %acc_0_1.11, %within_loop.3 ]
            %acc_1_0.10 = phi <8 x float> [ %acc_1_0.9, %within_done.2 ], [ %acc_1_0.11, %within_loop.3 ]
            %acc_1_1.10 = phi <8 x float> [ %acc_1_1.9, %within_done.2 ], [ %acc_1_1.11, %within_loop.3 ]
            ; b = b[list_block * b_block + within * b_row + column0 + column], vector where column0 + column < n, else 0
            %product.11 = mul i64 %within.3, %b_row
            %b_at_0.7 = getelementptr float, ptr %b_at_0.4, i64 %product.11
            %b_0.5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.7, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
            %b_at_1.5 = getelementptr float, ptr %b_at_0.7, i64 8
            %b_1.5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.5, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
            ; a = a[a_base + within], broadcast
            %a_at_0.7 = getelementptr float, ptr %a_at_0.4, i64 %within.3
            %a_0_one.5 = load float, ptr %a_at_0.7, align 4
            %a_0_lane0.5 = insertelement <8 x float> poison, float %a_0_one.5, i64 0
            %a_0.5 = shufflevector <8 x float> %a_0_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
            %a_at_1.7 = getelementptr float, ptr %a_at_1.4, i64 %within.3
            %a_1_one.5 = load float, ptr %a_at_1.7, align 4
            %a_1_lane0.5 = insertelement <8 x float> poison, float %a_1_one.5, i64 0
            %a_1.5 = shufflevector <8 x float> %a_1_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
            ; acc += a * b, fma_outer_2x2x8_fp32
            %acc_0_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.5, <8 x float> %b_0.5, <8 x float> %acc_0_0.10)
            %acc_0_1.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.5, <8 x float> %b_1.5, <8 x float> %acc_0_1.10)
            %acc_1_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.5, <8 x float> %b_0.5, <8 x float> %acc_1_0.10)
            %acc_1_1.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.5, <8 x float> %b_1.5, <8 x float> %acc_1_1.10)
            ; no memory access moves across this point
            call void asm sideeffect "", "~{memory}"()
            %within_next.3 = add i64 %within.3, 1
            %within_more.3 = icmp slt i64 %within_next.3, 16
            br i1 %within_more.3, label %within_loop.3, label %within_done.3
          within_done.3:
          %acc_0_0.12 = phi <8 x float> [ %acc_0_0.9, %within_done.2 ], [ %acc_0_0.11, %within_loop.3 ]
          %acc_0_1.12 = phi <8 x float> [ %acc_0_1.9, %within_done.2 ], [ %acc_0_1.11, %within_loop.3 ]
          %acc_1_0.12 = phi <8 x float> [ %acc_1_0.9, %within_done.2 ], [ %acc_1_0.11, %within_loop.3 ]
          %acc_1_1.12 = phi <8 x float> [ %acc_1_1.9, %within_done.2 ], [ %acc_1_1.11, %within_loop.3 ]
          br label %joined
        joined:
        %acc_0_0.13 = phi <8 x float> [ %acc_0_0.6, %within_done.1 ], [ %acc_0_0.12, %within_done.3 ]
        %acc_0_1.13 = phi <8 x float> [ %acc_0_1.6, %within_done.1 ], [ %acc_0_1.12, %within_done.3 ]
        %acc_1_0.13 = phi <8 x float> [ %acc_1_0.6, %within_done.1 ], [ %acc_1_0.12, %within_done.3 ]
        %acc_1_1.13 = phi <8 x float> [ %acc_1_1.6, %within_done.1 ], [ %acc_1_1.12, %within_done.3 ]
        %list_step_next = add i64 %list_step, 1
        %list_step_more = icmp slt i64 %list_step_next, %list_step_stop
        br i1 %list_step_more, label %list_step_loop, label %list_step_done
      list_step_done:
      %acc_0_0.14 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.13, %joined ]
      %acc_0_1.14 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.13, %joined ]
      %acc_1_0.14 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.13, %joined ]
      %acc_1_1.14 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.13, %joined ]
      ; if row0 + 1 < m and column0 + 15 < n
      %holds.1 = icmp slt i64 %index.14, %m
      %both = and i1 %holds.1, %holds
      br i1 %both, label %then.1, label %otherwise.1
      then.1:
        ; result = acc, in fp32
        ; out[(row0 + row) * out_row + item * n + column0 + column] = result, vector
        %product.12 = mul i64 %row0, %out_row
        %product.13 = mul i64 %item, %n
        %index.20 = add i64 %product.12, %product.13
        %index.21 = add i64 %index.20, %column0
        %out_at_0_0 = getelementptr float, ptr %out, i64 %index.21
        store <8 x float> %acc_0_0.14, ptr %out_at_0_0, align 4
        %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
        store <8 x float> %acc_0_1.14, ptr %out_at_0_1, align 4
        %product.14 = mul i64 %index.14, %out_row
        %index.22 = add i64 %product.14, %product.13
        %index.23 = add i64 %index.22, %column0
        %out_at_1_0 = getelementptr float, ptr %out, i64 %index.23
        store <8 x float> %acc_1_0.14, ptr %out_at_1_0, align 4
        %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
        store <8 x float> %acc_1_1.14, ptr %out_at_1_1, align 4
        br label %joined.1
      otherwise.1:
        ; result = acc, in fp32
        ; out[(row0 + row) * out_row + item * n + column0 + column] = result, vector where row0 + row < m and column0 + column < n
        %holds.2 = icmp slt i64 %row0, %m
        %limit.1 = sub i64 %n, %column0
        %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
        %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
        %product.15 = mul i64 %row0, %out_row
        %product.16 = mul i64 %item, %n
        %index.24 = add i64 %product.15, %product.16
        %index.25 = add i64 %index.24, %column0
        %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.25
        %lane0.2 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
        %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.3 = and <8 x i1> %mask.2, %all.2
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.14, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.3)
        %mask.4 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
        %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
        %mask.5 = and <8 x i1> %mask.4, %all.2
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.14, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.5)
        %product.17 = mul i64 %index.14, %out_row
        %index.26 = add i64 %product.17, %product.16
        %index.27 = add i64 %index.26, %column0
        %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.27
        %lane0.3 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
        %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.6 = and <8 x i1> %mask.2, %all.3
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.14, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
        %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
        %mask.7 = and <8 x i1> %mask.4, %all.3
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.14, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.7)
        br label %joined.1
      joined.1:
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
