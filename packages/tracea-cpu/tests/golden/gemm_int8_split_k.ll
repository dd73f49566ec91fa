; tracea: matmul int8 -> int32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2 k/2
; schedule       4f13d66c8f84177dadccd2f7d9cd33544eaf8e1226500fd73710dc50495adc13
; certificate    504d589669e43ab330fc858503325e2381c2139287392b0a183b8267e9d400be:
declare void @llvm.x86.sse2.pause()
declare i32 @sched_yield()

; Wait until all workers have arrived.
define internal void @tracea_barrier(ptr %barrier, i64 %workers) noinline nounwind {
entry:
  %generation_line = getelementptr i8, ptr %barrier, i64 64
  %generation = load atomic i64, ptr %generation_line acquire, align 8
  %arrived_before = atomicrmw add ptr %barrier, i64 1 acq_rel
  %arrived = add i64 %arrived_before, 1
  %is_last = icmp eq i64 %arrived, %workers
  br i1 %is_last, label %open, label %spin
open:
  store atomic i64 0, ptr %barrier monotonic, align 8
  %opened = atomicrmw add ptr %generation_line, i64 1 release
  ret void
spin:
  %spins = phi i64 [ 0, %entry ], [ %spins_next, %again ]
  %now = load atomic i64, ptr %generation_line acquire, align 8
  %still_closed = icmp eq i64 %now, %generation
  br i1 %still_closed, label %wait, label %done
wait:
  call void @llvm.x86.sse2.pause()
  %spins_next = add i64 %spins, 1
  %low = and i64 %spins_next, 4095
  %is_tired = icmp eq i64 %low, 0
  br i1 %is_tired, label %give_way, label %again
give_way:
  %given = call i32 @sched_yield()
  br label %again
again:
  br label %spin
done:
  ret void
}

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
; panel: panel of int32, column 16 = 2*8 + 3 bits, atom 2^3, (k + 1) // 2 times, kept for a tile_column, aligned to 64 bytes
; partials: workspace of int32, row 2 = 2*16, column 16 = 16*1, (m + 1) // 2 * ((n + 15) // 16) * 2 times, kept for a call, aligned to 64 bytes
; acc: 2x16 of int32 in 4 registers of 8 lanes
; b: 1x16 of int32 in 2 registers of 8 lanes
; a: 2x1 of int32 in 2 registers of 8 lanes
; result: 2x16 of int32 in 4 registers of 8 lanes
; packed: 1x16 of int32 in 2 registers of 8 lanes
; a_raw: 2x1 of int8 in 2 registers of 8 lanes
; raw: 1x16 of int8 in 2 registers of 8 lanes
; partial_sum: 2x16 of int32 in 4 registers of 8 lanes
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
  %b_row_word = getelementptr i64, ptr %arguments, i64 7
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 8
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 9
  %row_splits = load i64, ptr %row_splits_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 10
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 11
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %index = add i64 %k, 1
  %quotient = udiv i64 %index, 2
  %index.1 = mul i64 %quotient, 64
  %index.2 = add i64 %index.1, 63
  %quotient.1 = udiv i64 %index.2, 64
  %panel_bytes = mul i64 %quotient.1, 64
  %panel_own = mul i64 %worker, %panel_bytes
  %panel = getelementptr i8, ptr %panel_of_all, i64 %panel_own
  %partials_word = getelementptr i64, ptr %arguments, i64 12
  %partials = load ptr, ptr %partials_word, align 8
  ; panels = (n + 15) // 16
  %index.3 = add i64 %n, 15
  %panels = udiv i64 %index.3, 16
  ; row_tiles = (m + 1) // 2
  %index.4 = add i64 %m, 1
  %row_tiles = udiv i64 %index.4, 2
  ; units = 2 * panels
  %units = mul i64 %panels, 2
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product = mul i64 %worker, %units
  %unit_first = udiv i64 %product, %workers
  %index.5 = add i64 %worker, 1
  %product.1 = mul i64 %index.5, %units
  %unit_stop = udiv i64 %product.1, %workers
  %index.12 = add i64 %m, -1
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %tile_done ]
    ; column0 = unit % panels * 16
    %rest = urem i64 %unit, %panels
    %column0 = mul i64 %rest, 16
    ; part = unit // panels % 2
    %quotient.2 = udiv i64 %unit, %panels
    %part = urem i64 %quotient.2, 2
    ; item = unit // (panels * 2)
    %item = udiv i64 %unit, %units
    ; k0 = part * k // 2
    %product.2 = mul i64 %part, %k
    %k0 = udiv i64 %product.2, 2
    ; k_count = (part + 1) * k // 2 - k0
    %index.6 = add i64 %part, 1
    %product.3 = mul i64 %index.6, %k
    %quotient.3 = udiv i64 %product.3, 2
    %k_count = sub i64 %quotient.3, %k0
    ; if column0 + 15 < n
    %index.7 = add i64 %column0, 15
    %holds = icmp slt i64 %index.7, %n
    br i1 %holds, label %then, label %otherwise
    then:
      ; for kk from 0 to k_count
      %b_at_0 = getelementptr i8, ptr %b, i64 %column0
      %kk_any = icmp slt i64 0, %k_count
      br i1 %kk_any, label %kk_loop, label %kk_done
      kk_loop:
        %kk = phi i64 [ 0, %then ], [ %kk_next, %kk_loop ]
        ; raw = b[(kk + k0) * b_row + column0 + column], vector
        %index.8 = add i64 %k0, %kk
        %product.4 = mul i64 %index.8, %b_row
        %b_at_0.1 = getelementptr i8, ptr %b_at_0, i64 %product.4
        %raw_0 = load <8 x i8>, ptr %b_at_0.1, align 1
        %b_at_1 = getelementptr i8, ptr %b_at_0.1, i64 8
        %raw_1 = load <8 x i8>, ptr %b_at_1, align 1
        ; packed = raw, in int32
        %raw_0_int32 = sext <8 x i8> %raw_0 to <8 x i32>
        %raw_1_int32 = sext <8 x i8> %raw_1 to <8 x i32>
        ; panel[kk, column] = packed, vector
        %index.9 = mul i64 %kk, 16
        %panel_at_0 = getelementptr i32, ptr %panel, i64 %index.9
        store <8 x i32> %raw_0_int32, ptr %panel_at_0, align 64
        %panel_at_1 = getelementptr i32, ptr %panel_at_0, i64 8
        store <8 x i32> %raw_1_int32, ptr %panel_at_1, align 32
        %kk_next = add i64 %kk, 1
        %kk_more = icmp slt i64 %kk_next, %k_count
        br i1 %kk_more, label %kk_loop, label %kk_done
      kk_done:
      br label %joined
    otherwise:
      ; for kk from 0 to k_count
      %limit = sub i64 %n, %column0
      %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
      %b_at_0.2 = getelementptr i8, ptr %b, i64 %column0
      %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
      %kk_any.1 = icmp slt i64 0, %k_count
      br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
      kk_loop.1:
        %kk.1 = phi i64 [ 0, %otherwise ], [ %kk_next.1, %kk_loop.1 ]
        ; raw = b[(kk + k0) * b_row + column0 + column], vector where column0 + column < n, else 0
        %index.10 = add i64 %k0, %kk.1
        %product.5 = mul i64 %index.10, %b_row
        %b_at_0.3 = getelementptr i8, ptr %b_at_0.2, i64 %product.5
        %raw_0.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_0.3, i32 1, <8 x i1> %mask, <8 x i8> zeroinitializer)
        %b_at_1.1 = getelementptr i8, ptr %b_at_0.3, i64 8
        %raw_1.1 = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %b_at_1.1, i32 1, <8 x i1> %mask.1, <8 x i8> zeroinitializer)
        ; packed = raw, in int32
        %raw_0_int32.1 = sext <8 x i8> %raw_0.1 to <8 x i32>
        %raw_1_int32.1 = sext <8 x i8> %raw_1.1 to <8 x i32>
        ; panel[kk, column] = packed, vector
        %index.11 = mul i64 %kk.1, 16
        %panel_at_0.1 = getelementptr i32, ptr %panel, i64 %index.11
        store <8 x i32> %raw_0_int32.1, ptr %panel_at_0.1, align 64
        %panel_at_1.1 = getelementptr i32, ptr %panel_at_0.1, i64 8
        store <8 x i32> %raw_1_int32.1, ptr %panel_at_1.1, align 32
        %kk_next.1 = add i64 %kk.1, 1
        %kk_more.1 = icmp slt i64 %kk_next.1, %k_count
        br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
      kk_done.1:
      br label %joined
    joined:
    ; for tile from 0 to row_tiles
    %kk_limit = add i64 %k_count, -1
    %a_at_0 = getelementptr i8, ptr %a, i64 %k0
    %product.18 = mul i64 %item, %panels
    %index.17 = mul i64 %part, 32
    %partials_at_0_0 = getelementptr i32, ptr %partials, i64 %index.17
    %tile_any = icmp slt i64 0, %row_tiles
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ 0, %joined ], [ %tile_next, %kk_done.3 ]
      ; row0 = tile * 2
      %row0 = mul i64 %tile, 2
      ; a_base = min(row0 + row, m - 1) * a_row for each element of a
      %min = call i64 @llvm.smin.i64(i64 %row0, i64 %index.12)
      %a_base_0 = mul i64 %min, %a_row
      %index.13 = add i64 %row0, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.13, i64 %index.12)
      %a_base_1 = mul i64 %min.1, %a_row
      ; acc = 0
      ; for kk from 0 to k_count, 2 at a time
      %a_at_0.1 = getelementptr i8, ptr %a_at_0, i64 %a_base_0
      %a_at_1 = getelementptr i8, ptr %a_at_0, i64 %a_base_1
      %kk_any.2 = icmp slt i64 0, %kk_limit
      br i1 %kk_any.2, label %kk_loop.2, label %kk_done.2
      kk_loop.2:
        %kk.2 = phi i64 [ 0, %tile_loop ], [ %kk_next.2, %kk_loop.2 ]
        %acc_0_0 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop.2 ]
        %acc_0_1 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop.2 ]
        %acc_1_0 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop.2 ]
        %acc_1_1 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop.2 ]
        ; b = panel[kk, column], vector
        %index.14 = mul i64 %kk.2, 16
        %panel_at_0.2 = getelementptr i32, ptr %panel, i64 %index.14
        %b_0 = load <8 x i32>, ptr %panel_at_0.2, align 64
        %panel_at_1.2 = getelementptr i32, ptr %panel_at_0.2, i64 8
        %b_1 = load <8 x i32>, ptr %panel_at_1.2, align 32
        ; a_raw = a[a_base + kk + k0], broadcast
        %a_at_0.2 = getelementptr i8, ptr %a_at_0.1, i64 %kk.2
        %a_raw_0_one = load i8, ptr %a_at_0.2, align 1
        %a_raw_0_lane0 = insertelement <8 x i8> poison, i8 %a_raw_0_one, i64 0
        %a_raw_0 = shufflevector <8 x i8> %a_raw_0_lane0, <8 x i8> poison, <8 x i32> zeroinitializer
        %a_at_1.1 = getelementptr i8, ptr %a_at_1, i64 %kk.2
        %a_raw_1_one = load i8, ptr %a_at_1.1, align 1
        %a_raw_1_lane0 = insertelement <8 x i8> poison, i8 %a_raw_1_one, i64 0
        %a_raw_1 = shufflevector <8 x i8> %a_raw_1_lane0, <8 x i8> poison, <8 x i32> zeroinitializer
        ; a = a_raw, in int32
        %a_raw_0_int32 = sext <8 x i8> %a_raw_0 to <8 x i32>
        %a_raw_1_int32 = sext <8 x i8> %a_raw_1 to <8 x i32>
        ; acc += a * b, fma_outer_2x2x8_int32
        %product.6 = mul <8 x i32> %a_raw_0_int32, %b_0
        %acc_0_0.1 = add <8 x i32> %acc_0_0, %product.6
        %product.7 = mul <8 x i32> %a_raw_0_int32, %b_1
        %acc_0_1.1 = add <8 x i32> %acc_0_1, %product.7
        %product.8 = mul <8 x i32> %a_raw_1_int32, %b_0
        %acc_1_0.1 = add <8 x i32> %acc_1_0, %product.8
        %product.9 = mul <8 x i32> %a_raw_1_int32, %b_1
        %acc_1_1.1 = add <8 x i32> %acc_1_1, %product.9
        ; no memory access moves across this point
        call void asm sideeffect "", "~{memory}"()
        ; kk + 1
        %panel_at_0.3 = getelementptr i32, ptr %panel_at_0.2, i64 16
        %b_0.1 = load <8 x i32>, ptr %panel_at_0.3, align 64
        %panel_at_1.3 = getelementptr i32, ptr %panel_at_0.2, i64 24
        %b_1.1 = load <8 x i32>, ptr %panel_at_1.3, align 32
        %a_at_0.3 = getelementptr i8, ptr %a_at_0.2, i64 1
        %a_raw_0_one.1 = load i8, ptr %a_at_0.3, align 1
        %a_raw_0_lane0.1 = insertelement <8 x i8> poison, i8 %a_raw_0_one.1, i64 0
        %a_raw_0.1 = shufflevector <8 x i8> %a_raw_0_lane0.1, <8 x i8> poison, <8 x i32> zeroinitializer
        %a_at_1.2 = getelementptr i8, ptr %a_at_1.1, i64 1
        %a_raw_1_one.1 = load i8, ptr %a_at_1.2, align 1
        %a_raw_1_lane0.1 = insertelement <8 x i8> poison, i8 %a_raw_1_one.1, i64 0
        %a_raw_1.1 = shufflevector <8 x i8> %a_raw_1_lane0.1, <8 x i8> poison, <8 x i32> zeroinitializer
        %a_raw_0_int32.1 = sext <8 x i8> %a_raw_0.1 to <8 x i32>
        %a_raw_1_int32.1 = sext <8 x i8> %a_raw_1.1 to <8 x i32>
        %product.10 = mul <8 x i32> %a_raw_0_int32.1, %b_0.1
        %acc_0_0.2 = add <8 x i32> %acc_0_0.1, %product.10
        %product.11 = mul <8 x i32> %a_raw_0_int32.1, %b_1.1
        %acc_0_1.2 = add <8 x i32> %acc_0_1.1, %product.11
        %product.12 = mul <8 x i32> %a_raw_1_int32.1, %b_0.1
        %acc_1_0.2 = add <8 x i32> %acc_1_0.1, %product.12
        %product.13 = mul <8 x i32> %a_raw_1_int32.1, %b_1.1
        %acc_1_1.2 = add <8 x i32> %acc_1_1.1, %product.13
        call void asm sideeffect "", "~{memory}"()
        %kk_next.2 = add i64 %kk.2, 2
        %kk_more.2 = icmp slt i64 %kk_next.2, %kk_limit
        br i1 %kk_more.2, label %kk_loop.2, label %kk_done.2
      kk_done.2:
      %acc_0_0.3 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop.2 ]
      %acc_0_1.3 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop.2 ]
      %acc_1_0.3 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop.2 ]
      %acc_1_1.3 = phi <8 x i32> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop.2 ]
      %kk_rest = phi i64 [ 0, %tile_loop ], [ %kk_next.2, %kk_loop.2 ]
      ; what is left of kk
      %kk_any.3 = icmp slt i64 %kk_rest, %k_count
      br i1 %kk_any.3, label %kk_loop.3, label %kk_done.3
      kk_loop.3:
        %kk.3 = phi i64 [ %kk_rest, %kk_done.2 ], [ %kk_next.3, %kk_loop.3 ]
        %acc_0_0.4 = phi <8 x i32> [ %acc_0_0.3, %kk_done.2 ], [ %acc_0_0.5, %kk_loop.3 ]
        %acc_0_1.4 = phi <8 x i32> [ %acc_0_1.3, %kk_done.2 ], [ %acc_0_1.5, %kk_loop.3 ]
        %acc_1_0.4 = phi <8 x i32> [ %acc_1_0.3, %kk_done.2 ], [ %acc_1_0.5, %kk_loop.3 ]
        %acc_1_1.4 = phi <8 x i32> [ %acc_1_1.3, %kk_done.2 ], [ %acc_1_1.5, %kk_loop.3 ]
        ; b = panel[kk, column], vector
        %index.15 = mul i64 %kk.3, 16
        %panel_at_0.4 = getelementptr i32, ptr %panel, i64 %index.15
        %b_0.2 = load <8 x i32>, ptr %panel_at_0.4, align 64
        %panel_at_1.4 = getelementptr i32, ptr %panel_at_0.4, i64 8
        %b_1.2 = load <8 x i32>, ptr %panel_at_1.4, align 32
        ; a_raw = a[a_base + kk + k0], broadcast
        %a_at_0.4 = getelementptr i8, ptr %a_at_0.1, i64 %kk.3
        %a_raw_0_one.2 = load i8, ptr %a_at_0.4, align 1
        %a_raw_0_lane0.2 = insertelement <8 x i8> poison, i8 %a_raw_0_one.2, i64 0
        %a_raw_0.2 = shufflevector <8 x i8> %a_raw_0_lane0.2, <8 x i8> poison, <8 x i32> zeroinitializer
        %a_at_1.3 = getelementptr i8, ptr %a_at_1, i64 %kk.3
        %a_raw_1_one.2 = load i8, ptr %a_at_1.3, align 1
        %a_raw_1_lane0.2 = insertelement <8 x i8> poison, i8 %a_raw_1_one.2, i64 0
        %a_raw_1.2 = shufflevector <8 x i8> %a_raw_1_lane0.2, <8 x i8> poison, <8 x i32> zeroinitializer
        ; a = a_raw, in int32
        %a_raw_0_int32.2 = sext <8 x i8> %a_raw_0.2 to <8 x i32>
        %a_raw_1_int32.2 = sext <8 x i8> %a_raw_1.2 to <8 x i32>
        ; acc += a * b, fma_outer_2x2x8_int32
        %product.14 = mul <8 x i32> %a_raw_0_int32.2, %b_0.2
        %acc_0_0.5 = add <8 x i32> %acc_0_0.4, %product.14
        %product.15 = mul <8 x i32> %a_raw_0_int32.2, %b_1.2
        %acc_0_1.5 = add <8 x i32> %acc_0_1.4, %product.15
        %product.16 = mul <8 x i32> %a_raw_1_int32.2, %b_0.2
        %acc_1_0.5 = add <8 x i32> %acc_1_0.4, %product.16
        %product.17 = mul <8 x i32> %a_raw_1_int32.2, %b_1.2
        %acc_1_1.5 = add <8 x i32> %acc_1_1.4, %product.17
        ; no memory access moves across this point
        call void asm sideeffect "", "~{memory}"()
        %kk_next.3 = add i64 %kk.3, 1
        %kk_more.3 = icmp slt i64 %kk_next.3, %k_count
        br i1 %kk_more.3, label %kk_loop.3, label %kk_done.3
      kk_done.3:
      %acc_0_0.6 = phi <8 x i32> [ %acc_0_0.3, %kk_done.2 ], [ %acc_0_0.5, %kk_loop.3 ]
      %acc_0_1.6 = phi <8 x i32> [ %acc_0_1.3, %kk_done.2 ], [ %acc_0_1.5, %kk_loop.3 ]
      %acc_1_0.6 = phi <8 x i32> [ %acc_1_0.3, %kk_done.2 ], [ %acc_1_0.5, %kk_loop.3 ]
      %acc_1_1.6 = phi <8 x i32> [ %acc_1_1.3, %kk_done.2 ], [ %acc_1_1.5, %kk_loop.3 ]
      ; partials[((item * panels + column0 // 16) * row_tiles + tile) * 2 + part, row, column] = acc, vector
      %quotient.4 = udiv i64 %column0, 16
      %index.16 = add i64 %product.18, %quotient.4
      %product.19 = mul i64 %index.16, %row_tiles
      %index.18 = mul i64 %product.19, 64
      %index.19 = mul i64 %tile, 64
      %index.20 = add i64 %index.18, %index.19
      %partials_at_0_0.1 = getelementptr i32, ptr %partials_at_0_0, i64 %index.20
      store <8 x i32> %acc_0_0.6, ptr %partials_at_0_0.1, align 64
      %partials_at_0_1 = getelementptr i32, ptr %partials_at_0_0.1, i64 8
      store <8 x i32> %acc_0_1.6, ptr %partials_at_0_1, align 32
      %partials_at_1_0 = getelementptr i32, ptr %partials_at_0_0.1, i64 16
      store <8 x i32> %acc_1_0.6, ptr %partials_at_1_0, align 64
      %partials_at_1_1 = getelementptr i32, ptr %partials_at_0_0.1, i64 24
      store <8 x i32> %acc_1_1.6, ptr %partials_at_1_1, align 32
      %tile_next = add i64 %tile, 1
      %tile_more = icmp slt i64 %tile_next, %row_tiles
      br i1 %tile_more, label %tile_loop, label %tile_done
    tile_done:
    %unit_next = add i64 %unit, 1
    %unit_more = icmp slt i64 %unit_next, %unit_stop
    br i1 %unit_more, label %unit_loop, label %unit_done
  unit_done:
  ; all workers meet: partials_written
  call void @tracea_barrier(ptr %barrier, i64 %workers)
  ; for unit from worker * (panels * row_tiles) // workers to (worker + 1) * (panels * row_tiles) // workers
  %product.20 = mul i64 %panels, %row_tiles
  %product.21 = mul i64 %worker, %product.20
  %unit_first.1 = udiv i64 %product.21, %workers
  %product.22 = mul i64 %index.5, %product.20
  %unit_stop.1 = udiv i64 %product.22, %workers
  %product.23 = mul i64 %row_tiles, %panels
  %unit_any.1 = icmp slt i64 %unit_first.1, %unit_stop.1
  br i1 %unit_any.1, label %unit_loop.1, label %unit_done.1
  unit_loop.1:
    %unit.1 = phi i64 [ %unit_first.1, %unit_done ], [ %unit_next.1, %joined.1 ]
    ; tile = unit % row_tiles
    %tile.1 = urem i64 %unit.1, %row_tiles
    ; column0 = unit // row_tiles % panels * 16
    %quotient.5 = udiv i64 %unit.1, %row_tiles
    %rest.1 = urem i64 %quotient.5, %panels
    %column0.1 = mul i64 %rest.1, 16
    ; item = unit // (row_tiles * panels)
    %item.1 = udiv i64 %unit.1, %product.23
    ; row0 = tile * 2
    %row0.1 = mul i64 %tile.1, 2
    ; acc = 0
    ; for part from 0 to 2
    %product.24 = mul i64 %item.1, %panels
    %index.22 = mul i64 %tile.1, 64
    %partials_at_0_0.2 = getelementptr i32, ptr %partials, i64 %index.22
    br label %part_loop
    part_loop:
      %part.1 = phi i64 [ 0, %unit_loop.1 ], [ %part_next, %part_loop ]
      %acc_0_0.7 = phi <8 x i32> [ zeroinitializer, %unit_loop.1 ], [ %acc_0_0_add, %part_loop ]
      %acc_0_1.7 = phi <8 x i32> [ zeroinitializer, %unit_loop.1 ], [ %acc_0_1_add, %part_loop ]
      %acc_1_0.7 = phi <8 x i32> [ zeroinitializer, %unit_loop.1 ], [ %acc_1_0_add, %part_loop ]
      %acc_1_1.7 = phi <8 x i32> [ zeroinitializer, %unit_loop.1 ], [ %acc_1_1_add, %part_loop ]
      ; partial_sum = partials[((item * panels + column0 // 16) * row_tiles + tile) * 2 + part, row, column], vector
      %quotient.6 = udiv i64 %column0.1, 16
      %index.21 = add i64 %product.24, %quotient.6
      %product.25 = mul i64 %index.21, %row_tiles
      %index.23 = mul i64 %product.25, 64
      %index.24 = mul i64 %part.1, 32
      %index.25 = add i64 %index.23, %index.24
      %partials_at_0_0.3 = getelementptr i32, ptr %partials_at_0_0.2, i64 %index.25
      %partial_sum_0_0 = load <8 x i32>, ptr %partials_at_0_0.3, align 64
      %partials_at_0_1.1 = getelementptr i32, ptr %partials_at_0_0.3, i64 8
      %partial_sum_0_1 = load <8 x i32>, ptr %partials_at_0_1.1, align 32
      %partials_at_1_0.1 = getelementptr i32, ptr %partials_at_0_0.3, i64 16
      %partial_sum_1_0 = load <8 x i32>, ptr %partials_at_1_0.1, align 64
      %partials_at_1_1.1 = getelementptr i32, ptr %partials_at_0_0.3, i64 24
      %partial_sum_1_1 = load <8 x i32>, ptr %partials_at_1_1.1, align 32
      ; acc = acc + partial_sum, in int32
      %acc_0_0_add = add <8 x i32> %acc_0_0.7, %partial_sum_0_0
      %acc_0_1_add = add <8 x i32> %acc_0_1.7, %partial_sum_0_1
      %acc_1_0_add = add <8 x i32> %acc_1_0.7, %partial_sum_1_0
      %acc_1_1_add = add <8 x i32> %acc_1_1.7, %partial_sum_1_1
      %part_next = add i64 %part.1, 1
      %part_more = icmp slt i64 %part_next, 2
      br i1 %part_more, label %part_loop, label %part_done
    part_done:
    ; if row0 + 1 < m and column0 + 15 < n
    %index.26 = add i64 %row0.1, 1
    %holds.1 = icmp slt i64 %index.26, %m
    %index.27 = add i64 %column0.1, 15
    %holds.2 = icmp slt i64 %index.27, %n
    %both = and i1 %holds.1, %holds.2
    br i1 %both, label %then.1, label %otherwise.1
    then.1:
      ; result = acc, in int32
      ; out[(row0 + row) * out_row + column0 + column] = result, vector
      %product.26 = mul i64 %row0.1, %out_row
      %index.28 = add i64 %product.26, %column0.1
      %out_at_0_0 = getelementptr i32, ptr %out, i64 %index.28
      store <8 x i32> %acc_0_0_add, ptr %out_at_0_0, align 4
      %out_at_0_1 = getelementptr i32, ptr %out_at_0_0, i64 8
      store <8 x i32> %acc_0_1_add, ptr %out_at_0_1, align 4
      %product.27 = mul i64 %index.26, %out_row
      %index.29 = add i64 %product.27, %column0.1
      %out_at_1_0 = getelementptr i32, ptr %out, i64 %index.29
      store <8 x i32> %acc_1_0_add, ptr %out_at_1_0, align 4
      %out_at_1_1 = getelementptr i32, ptr %out_at_1_0, i64 8
      store <8 x i32> %acc_1_1_add, ptr %out_at_1_1, align 4
      br label %joined.1
    otherwise.1:
      ; result = acc, in int32
      ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
      %holds.3 = icmp slt i64 %row0.1, %m
      %limit.1 = sub i64 %n, %column0.1
      %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
      %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
      %product.28 = mul i64 %row0.1, %out_row
      %index.30 = add i64 %product.28, %column0.1
      %out_at_0_0.1 = getelementptr i32, ptr %out, i64 %index.30
      %lane0.2 = insertelement <8 x i1> poison, i1 %holds.3, i64 0
      %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
      %mask.3 = and <8 x i1> %mask.2, %all.2
      call void @llvm.masked.store.v8i32.p0(<8 x i32> %acc_0_0_add, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.3)
      %mask.4 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
      %out_at_0_1.1 = getelementptr i32, ptr %out_at_0_0.1, i64 8
      %mask.5 = and <8 x i1> %mask.4, %all.2
      call void @llvm.masked.store.v8i32.p0(<8 x i32> %acc_0_1_add, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.5)
      %product.29 = mul i64 %index.26, %out_row
      %index.31 = add i64 %product.29, %column0.1
      %out_at_1_0.1 = getelementptr i32, ptr %out, i64 %index.31
      %lane0.3 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
      %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
      %mask.6 = and <8 x i1> %mask.2, %all.3
      call void @llvm.masked.store.v8i32.p0(<8 x i32> %acc_1_0_add, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
      %out_at_1_1.1 = getelementptr i32, ptr %out_at_1_0.1, i64 8
      %mask.7 = and <8 x i1> %mask.4, %all.3
      call void @llvm.masked.store.v8i32.p0(<8 x i32> %acc_1_1_add, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.7)
      br label %joined.1
    joined.1:
    %unit_next.1 = add i64 %unit.1, 1
    %unit_more.1 = icmp slt i64 %unit_next.1, %unit_stop.1
    br i1 %unit_more.1, label %unit_loop.1, label %unit_done.1
  unit_done.1:
  ret void
}
