; tracea: matmul fp32, epilogue bias, auxiliary, gelu
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2
; schedule       e6ad8a2dd6cd95d30edc8b0a0e793a0ee7f8f924fe42076fed0ef9ba927ef54f
; certificate    01aea9180d1ba7d8cc4650f12a45708b71c95312f2a859f5290876a0eb993197:

declare <8 x float> @llvm.copysign.v8f32(<8 x float>, <8 x float>)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above
define internal <8 x float> @tracea_erf_v8f32(<8 x float> %x) noinline nounwind {
  %t0 = fmul <8 x float> %x, %x
  %t1 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F14A9DAC0000000), <8 x float> %t0, <8 x float> splat (float 0xBF4A46B400000000))
  %t2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t1, <8 x float> %t0, <8 x float> splat (float 0x3F75416360000000))
  %t3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t2, <8 x float> %t0, <8 x float> splat (float 0xBF9B7FB380000000))
  %t4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t3, <8 x float> %t0, <8 x float> splat (float 0x3FBCE2D180000000))
  %t5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t4, <8 x float> %t0, <8 x float> splat (float 0xBFD81273E0000000))
  %t6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t5, <8 x float> %t0, <8 x float> splat (float 0x3FC06EBA80000000))
  %t7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t6, <8 x float> %x, <8 x float> %x)
  %t8 = call <8 x float> @llvm.fabs.v8f32(<8 x float> %x)
  %t9 = fcmp olt <8 x float> splat (float 0x400F70A3E0000000), %t8
  %t10 = select <8 x i1> %t9, <8 x float> splat (float 0x400F70A3E0000000), <8 x float> %t8
  %t11 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F286EDB60000000), <8 x float> %t10, <8 x float> splat (float 0xBF68258FA0000000))
  %t12 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t11, <8 x float> %t10, <8 x float> splat (float 0x3F965C4EE0000000))
  %t13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t12, <8 x float> %t10, <8 x float> splat (float 0xBFBA64D300000000))
  %t14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t13, <8 x float> %t10, <8 x float> splat (float 0xBFE46BC240000000))
  %t15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t14, <8 x float> %t10, <8 x float> splat (float 0xBFF2088740000000))
  %t16 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t15, <8 x float> %t10, <8 x float> splat (float 0xBF36846E00000000))
  %t17 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t16, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
  %t18 = fsub <8 x float> %t17, splat (float 0x4168000000000000)
  %t19 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t18, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %t16)
  %t20 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t18, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %t19)
  %t21 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %t20, <8 x float> splat (float 0x3F8120B660000000))
  %t22 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t21, <8 x float> %t20, <8 x float> splat (float 0x3FA5554EA0000000))
  %t23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t22, <8 x float> %t20, <8 x float> splat (float 0x3FC5554DC0000000))
  %t24 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t23, <8 x float> %t20, <8 x float> splat (float 0x3FE0000000000000))
  %t25 = fmul <8 x float> %t20, %t20
  %t26 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t24, <8 x float> %t25, <8 x float> %t20)
  %t27 = fadd <8 x float> %t26, splat (float 0x3FF0000000000000)
  %t28 = bitcast <8 x float> %t17 to <8 x i32>
  %t29 = shl <8 x i32> %t28, splat (i32 23)
  %t30 = add <8 x i32> %t29, splat (i32 1065353216)
  %t31 = bitcast <8 x i32> %t30 to <8 x float>
  %t32 = fmul <8 x float> %t27, %t31
  %t33 = fsub <8 x float> splat (float 0x3FF0000000000000), %t32
  %t34 = call <8 x float> @llvm.copysign.v8f32(<8 x float> %t33, <8 x float> %x)
  %t35 = fcmp olt <8 x float> %t8, splat (float 0x3FF0000000000000)
  %t36 = select <8 x i1> %t35, <8 x float> %t7, <8 x float> %t34
  ret <8 x float> %t36
}

; a: fp32, read, aligned to 4 bytes
; b: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; bias_0: fp32, read, aligned to 4 bytes
; auxiliary_1: fp32, write, aligned to 4 bytes
; m: rows of the output; 0 to 4611686018427387904
; n: columns of the output; 0 to 4611686018427387904
; k: length of the reduction; 0 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; auxiliary_1_row: auxiliary_1: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, k times, kept for a tile_column, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; bias_0: 1x16 of fp32 in 2 registers of 8 lanes
; auxiliary_1: 2x16 of fp32 in 4 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %a_word = getelementptr i64, ptr %arguments, i64 0
  %a = load ptr, ptr %a_word, align 8
  %b_word = getelementptr i64, ptr %arguments, i64 1
  %b = load ptr, ptr %b_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 2
  %out = load ptr, ptr %out_word, align 8
  %bias_0_word = getelementptr i64, ptr %arguments, i64 3
  %bias_0 = load ptr, ptr %bias_0_word, align 8
  %auxiliary_1_word = getelementptr i64, ptr %arguments, i64 4
  %auxiliary_1 = load ptr, ptr %auxiliary_1_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 5
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 6
  %n = load i64, ptr %n_word, align 8
  %k_word = getelementptr i64, ptr %arguments, i64 7
  %k = load i64, ptr %k_word, align 8
  %a_row_word = getelementptr i64, ptr %arguments, i64 8
  %a_row = load i64, ptr %a_row_word, align 8
  %b_row_word = getelementptr i64, ptr %arguments, i64 9
  %b_row = load i64, ptr %b_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 10
  %out_row = load i64, ptr %out_row_word, align 8
  %auxiliary_1_row_word = getelementptr i64, ptr %arguments, i64 11
  %auxiliary_1_row = load i64, ptr %auxiliary_1_row_word, align 8
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
  ; row_tiles = (m + 1) // 2
  %index.3 = add i64 %m, 1
  %row_tiles = udiv i64 %index.3, 2
  ; units = row_splits * panels
  %units = mul i64 %row_splits, %panels
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product = mul i64 %worker, %units
  %unit_first = udiv i64 %product, %workers
  %index.4 = add i64 %worker, 1
  %product.1 = mul i64 %index.4, %units
  %unit_stop = udiv i64 %product.1, %workers
  %product.2 = mul i64 %panels, %row_splits
  %index.9 = add i64 %m, -1
  %kk_limit = add i64 %k, -1
  %unit_any = icmp slt i64 %unit_first, %unit_stop
  br i1 %unit_any, label %unit_loop, label %unit_done
  unit_loop:
    %unit = phi i64 [ %unit_first, %entry ], [ %unit_next, %tile_done ]
    ; column0 = unit % panels * 16
    %rest = urem i64 %unit, %panels
    %column0 = mul i64 %rest, 16
    ; split = unit // panels % row_splits
    %quotient.1 = udiv i64 %unit, %panels
    %split = urem i64 %quotient.1, %row_splits
    ; item = unit // (panels * row_splits)
    %item = udiv i64 %unit, %product.2
    ; if column0 + 15 < n
    %index.5 = add i64 %column0, 15
    %holds = icmp slt i64 %index.5, %n
    br i1 %holds, label %then, label %otherwise
    then:
      ; for kk from 0 to k
      %b_at_0 = getelementptr float, ptr %b, i64 %column0
      %kk_any = icmp slt i64 0, %k
      br i1 %kk_any, label %kk_loop, label %kk_done
      kk_loop:
        %kk = phi i64 [ 0, %then ], [ %kk_next, %kk_loop ]
        ; packed = b[kk * b_row + column0 + column], vector
        %product.3 = mul i64 %kk, %b_row
        %b_at_0.1 = getelementptr float, ptr %b_at_0, i64 %product.3
        %packed_0 = load <8 x float>, ptr %b_at_0.1, align 4
        %b_at_1 = getelementptr float, ptr %b_at_0.1, i64 8
        %packed_1 = load <8 x float>, ptr %b_at_1, align 4
        ; panel[kk, column] = packed, vector
        %index.6 = mul i64 %kk, 16
        %panel_at_0 = getelementptr float, ptr %panel, i64 %index.6
        store <8 x float> %packed_0, ptr %panel_at_0, align 64
        %panel_at_1 = getelementptr float, ptr %panel_at_0, i64 8
        store <8 x float> %packed_1, ptr %panel_at_1, align 32
        %kk_next = add i64 %kk, 1
        %kk_more = icmp slt i64 %kk_next, %k
        br i1 %kk_more, label %kk_loop, label %kk_done
      kk_done:
      br label %joined
    otherwise:
      ; for kk from 0 to k
      %limit = sub i64 %n, %column0
      %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
      %b_at_0.2 = getelementptr float, ptr %b, i64 %column0
      %mask.1 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all
      %kk_any.1 = icmp slt i64 0, %k
      br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
      kk_loop.1:
        %kk.1 = phi i64 [ 0, %otherwise ], [ %kk_next.1, %kk_loop.1 ]
        ; packed = b[kk * b_row + column0 + column], vector where column0 + column < n, else 0
        %product.4 = mul i64 %kk.1, %b_row
        %b_at_0.3 = getelementptr float, ptr %b_at_0.2, i64 %product.4
        %packed_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_0.3, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
        %b_at_1.1 = getelementptr float, ptr %b_at_0.3, i64 8
        %packed_1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b_at_1.1, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
        ; panel[kk, column] = packed, vector
        %index.7 = mul i64 %kk.1, 16
        %panel_at_0.1 = getelementptr float, ptr %panel, i64 %index.7
        store <8 x float> %packed_0.1, ptr %panel_at_0.1, align 64
        %panel_at_1.1 = getelementptr float, ptr %panel_at_0.1, i64 8
        store <8 x float> %packed_1.1, ptr %panel_at_1.1, align 32
        %kk_next.1 = add i64 %kk.1, 1
        %kk_more.1 = icmp slt i64 %kk_next.1, %k
        br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
      kk_done.1:
      br label %joined
    joined:
    ; for tile from split * row_tiles // row_splits to (split + 1) * row_tiles // row_splits
    %product.5 = mul i64 %split, %row_tiles
    %tile_first = udiv i64 %product.5, %row_splits
    %index.8 = add i64 %split, 1
    %product.6 = mul i64 %index.8, %row_tiles
    %tile_stop = udiv i64 %product.6, %row_splits
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %joined ], [ %tile_next, %joined.1 ]
      ; row0 = tile * 2
      %row0 = mul i64 %tile, 2
      ; a_base = min(row0 + row, m - 1) * a_row for each element of a
      %min = call i64 @llvm.smin.i64(i64 %row0, i64 %index.9)
      %a_base_0 = mul i64 %min, %a_row
      %index.10 = add i64 %row0, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.10, i64 %index.9)
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
        %index.11 = mul i64 %kk.2, 16
        %panel_at_0.2 = getelementptr float, ptr %panel, i64 %index.11
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
        %index.12 = mul i64 %kk.3, 16
        %panel_at_0.4 = getelementptr float, ptr %panel, i64 %index.12
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
      ; if row0 + 1 < m and column0 + 15 < n
      %holds.1 = icmp slt i64 %index.10, %m
      %both = and i1 %holds.1, %holds
      br i1 %both, label %then.1, label %otherwise.1
      then.1:
        ; bias_0 = bias_0[column0 + column], vector
        %bias_0_at_0 = getelementptr float, ptr %bias_0, i64 %column0
        %bias_0_0 = load <8 x float>, ptr %bias_0_at_0, align 4
        %bias_0_at_1 = getelementptr float, ptr %bias_0_at_0, i64 8
        %bias_0_1 = load <8 x float>, ptr %bias_0_at_1, align 4
        ; auxiliary_1 = acc + bias_0, in fp32
        %auxiliary_1_0_0_add = fadd <8 x float> %acc_0_0.6, %bias_0_0
        %auxiliary_1_0_1_add = fadd <8 x float> %acc_0_1.6, %bias_0_1
        %auxiliary_1_1_0_add = fadd <8 x float> %acc_1_0.6, %bias_0_0
        %auxiliary_1_1_1_add = fadd <8 x float> %acc_1_1.6, %bias_0_1
        ; auxiliary_1[(row0 + row) * auxiliary_1_row + column0 + column] = auxiliary_1, vector
        %product.7 = mul i64 %row0, %auxiliary_1_row
        %index.13 = add i64 %product.7, %column0
        %auxiliary_1_at_0_0 = getelementptr float, ptr %auxiliary_1, i64 %index.13
        store <8 x float> %auxiliary_1_0_0_add, ptr %auxiliary_1_at_0_0, align 4
        %auxiliary_1_at_0_1 = getelementptr float, ptr %auxiliary_1_at_0_0, i64 8
        store <8 x float> %auxiliary_1_0_1_add, ptr %auxiliary_1_at_0_1, align 4
        %product.8 = mul i64 %index.10, %auxiliary_1_row
        %index.14 = add i64 %product.8, %column0
        %auxiliary_1_at_1_0 = getelementptr float, ptr %auxiliary_1, i64 %index.14
        store <8 x float> %auxiliary_1_1_0_add, ptr %auxiliary_1_at_1_0, align 4
        %auxiliary_1_at_1_1 = getelementptr float, ptr %auxiliary_1_at_1_0, i64 8
        store <8 x float> %auxiliary_1_1_1_add, ptr %auxiliary_1_at_1_1, align 4
        ; result = 0.5 * (acc + bias_0) * (1 + erf((acc + bias_0) * 0.70710678118654757)), in fp32
        %result_0_0_mul = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_0_0_add
        %result_0_0_mul.1 = fmul <8 x float> %auxiliary_1_0_0_add, splat (float 0x3FE6A09E60000000)
        %result_0_0_erf = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_0_0_mul.1)
        %result_0_0_add = fadd <8 x float> splat (float 0x3FF0000000000000), %result_0_0_erf
        %result_0_0_mul.2 = fmul <8 x float> %result_0_0_mul, %result_0_0_add
        %result_0_1_mul = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_0_1_add
        %result_0_1_mul.1 = fmul <8 x float> %auxiliary_1_0_1_add, splat (float 0x3FE6A09E60000000)
        %result_0_1_erf = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_0_1_mul.1)
        %result_0_1_add = fadd <8 x float> splat (float 0x3FF0000000000000), %result_0_1_erf
        %result_0_1_mul.2 = fmul <8 x float> %result_0_1_mul, %result_0_1_add
        %result_1_0_mul = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_1_0_add
        %result_1_0_mul.1 = fmul <8 x float> %auxiliary_1_1_0_add, splat (float 0x3FE6A09E60000000)
        %result_1_0_erf = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_1_0_mul.1)
        %result_1_0_add = fadd <8 x float> splat (float 0x3FF0000000000000), %result_1_0_erf
        %result_1_0_mul.2 = fmul <8 x float> %result_1_0_mul, %result_1_0_add
        %result_1_1_mul = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_1_1_add
        %result_1_1_mul.1 = fmul <8 x float> %auxiliary_1_1_1_add, splat (float 0x3FE6A09E60000000)
        %result_1_1_erf = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_1_1_mul.1)
        %result_1_1_add = fadd <8 x float> splat (float 0x3FF0000000000000), %result_1_1_erf
        %result_1_1_mul.2 = fmul <8 x float> %result_1_1_mul, %result_1_1_add
        ; out[(row0 + row) * out_row + column0 + column] = result, vector
        %product.9 = mul i64 %row0, %out_row
        %index.15 = add i64 %product.9, %column0
        %out_at_0_0 = getelementptr float, ptr %out, i64 %index.15
        store <8 x float> %result_0_0_mul.2, ptr %out_at_0_0, align 4
        %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
        store <8 x float> %result_0_1_mul.2, ptr %out_at_0_1, align 4
        %product.10 = mul i64 %index.10, %out_row
        %index.16 = add i64 %product.10, %column0
        %out_at_1_0 = getelementptr float, ptr %out, i64 %index.16
        store <8 x float> %result_1_0_mul.2, ptr %out_at_1_0, align 4
        %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
        store <8 x float> %result_1_1_mul.2, ptr %out_at_1_1, align 4
        br label %joined.1
      otherwise.1:
        ; bias_0 = bias_0[column0 + column], vector where column0 + column < n, else 0
        %limit.1 = sub i64 %n, %column0
        %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
        %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
        %bias_0_at_0.1 = getelementptr float, ptr %bias_0, i64 %column0
        %bias_0_0.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %bias_0_at_0.1, i32 4, <8 x i1> %mask.2, <8 x float> zeroinitializer)
        %mask.3 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.1
        %bias_0_at_1.1 = getelementptr float, ptr %bias_0_at_0.1, i64 8
        %bias_0_1.1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %bias_0_at_1.1, i32 4, <8 x i1> %mask.3, <8 x float> zeroinitializer)
        ; auxiliary_1 = acc + bias_0, in fp32
        %auxiliary_1_0_0_add.1 = fadd <8 x float> %acc_0_0.6, %bias_0_0.1
        %auxiliary_1_0_1_add.1 = fadd <8 x float> %acc_0_1.6, %bias_0_1.1
        %auxiliary_1_1_0_add.1 = fadd <8 x float> %acc_1_0.6, %bias_0_0.1
        %auxiliary_1_1_1_add.1 = fadd <8 x float> %acc_1_1.6, %bias_0_1.1
        ; auxiliary_1[(row0 + row) * auxiliary_1_row + column0 + column] = auxiliary_1, vector where row0 + row < m and column0 + column < n
        %holds.2 = icmp slt i64 %row0, %m
        %product.11 = mul i64 %row0, %auxiliary_1_row
        %index.17 = add i64 %product.11, %column0
        %auxiliary_1_at_0_0.1 = getelementptr float, ptr %auxiliary_1, i64 %index.17
        %lane0.2 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
        %all.2 = shufflevector <8 x i1> %lane0.2, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.4 = and <8 x i1> %mask.2, %all.2
        call void @llvm.masked.store.v8f32.p0(<8 x float> %auxiliary_1_0_0_add.1, ptr %auxiliary_1_at_0_0.1, i32 4, <8 x i1> %mask.4)
        %auxiliary_1_at_0_1.1 = getelementptr float, ptr %auxiliary_1_at_0_0.1, i64 8
        %mask.5 = and <8 x i1> %mask.3, %all.2
        call void @llvm.masked.store.v8f32.p0(<8 x float> %auxiliary_1_0_1_add.1, ptr %auxiliary_1_at_0_1.1, i32 4, <8 x i1> %mask.5)
        %product.12 = mul i64 %index.10, %auxiliary_1_row
        %index.18 = add i64 %product.12, %column0
        %auxiliary_1_at_1_0.1 = getelementptr float, ptr %auxiliary_1, i64 %index.18
        %lane0.3 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
        %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.6 = and <8 x i1> %mask.2, %all.3
        call void @llvm.masked.store.v8f32.p0(<8 x float> %auxiliary_1_1_0_add.1, ptr %auxiliary_1_at_1_0.1, i32 4, <8 x i1> %mask.6)
        %auxiliary_1_at_1_1.1 = getelementptr float, ptr %auxiliary_1_at_1_0.1, i64 8
        %mask.7 = and <8 x i1> %mask.3, %all.3
        call void @llvm.masked.store.v8f32.p0(<8 x float> %auxiliary_1_1_1_add.1, ptr %auxiliary_1_at_1_1.1, i32 4, <8 x i1> %mask.7)
        ; result = 0.5 * (acc + bias_0) * (1 + erf((acc + bias_0) * 0.70710678118654757)), in fp32
        %result_0_0_mul.3 = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_0_0_add.1
        %result_0_0_mul.4 = fmul <8 x float> %auxiliary_1_0_0_add.1, splat (float 0x3FE6A09E60000000)
        %result_0_0_erf.1 = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_0_0_mul.4)
        %result_0_0_add.1 = fadd <8 x float> splat (float 0x3FF0000000000000), %result_0_0_erf.1
        %result_0_0_mul.5 = fmul <8 x float> %result_0_0_mul.3, %result_0_0_add.1
        %result_0_1_mul.3 = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_0_1_add.1
        %result_0_1_mul.4 = fmul <8 x float> %auxiliary_1_0_1_add.1, splat (float 0x3FE6A09E60000000)
        %result_0_1_erf.1 = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_0_1_mul.4)
        %result_0_1_add.1 = fadd <8 x float> splat (float 0x3FF0000000000000), %result_0_1_erf.1
        %result_0_1_mul.5 = fmul <8 x float> %result_0_1_mul.3, %result_0_1_add.1
        %result_1_0_mul.3 = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_1_0_add.1
        %result_1_0_mul.4 = fmul <8 x float> %auxiliary_1_1_0_add.1, splat (float 0x3FE6A09E60000000)
        %result_1_0_erf.1 = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_1_0_mul.4)
        %result_1_0_add.1 = fadd <8 x float> splat (float 0x3FF0000000000000), %result_1_0_erf.1
        %result_1_0_mul.5 = fmul <8 x float> %result_1_0_mul.3, %result_1_0_add.1
        %result_1_1_mul.3 = fmul <8 x float> splat (float 0x3FE0000000000000), %auxiliary_1_1_1_add.1
        %result_1_1_mul.4 = fmul <8 x float> %auxiliary_1_1_1_add.1, splat (float 0x3FE6A09E60000000)
        %result_1_1_erf.1 = call <8 x float> @tracea_erf_v8f32(<8 x float> %result_1_1_mul.4)
        %result_1_1_add.1 = fadd <8 x float> splat (float 0x3FF0000000000000), %result_1_1_erf.1
        %result_1_1_mul.5 = fmul <8 x float> %result_1_1_mul.3, %result_1_1_add.1
        ; out[(row0 + row) * out_row + column0 + column] = result, vector where row0 + row < m and column0 + column < n
        %product.13 = mul i64 %row0, %out_row
        %index.19 = add i64 %product.13, %column0
        %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.19
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_mul.5, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.4)
        %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_1_mul.5, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.5)
        %product.14 = mul i64 %index.10, %out_row
        %index.20 = add i64 %product.14, %column0
        %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.20
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_mul.5, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
        %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
        call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_1_mul.5, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.7)
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
