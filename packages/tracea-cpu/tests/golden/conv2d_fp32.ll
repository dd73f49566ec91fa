; tracea: conv2d fp32
; variant        cpu.contraction.avx2 for x86-64-v3
; configuration  2x16x2 s2
; schedule       6a667d13b8ee1e8a8f5e6182b60bfc70f61f4eab04dd8403e9bdfbc424507c8c
; certificate    3a4a1f532f41aecbb43040a5fc8c28b906b55c17faa8b35eaf16ec573f203327:

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; x: fp32, read, aligned to 4 bytes
; w: fp32, read, aligned to 4 bytes
; out: fp32, write, aligned to 4 bytes
; out_width: columns of the output image; 1 to 4611686018427387904
; m: output channels of a group; 0 to 4611686018427387904
; n: output pixels of an image; 0 to 4611686018427387904
; items: images times groups; 0 to 4611686018427387904
; k_c: reduction axis c; 0 to 4611686018427387904
; k_r: reduction axis r; 0 to 4611686018427387904
; k_s: reduction axis s; 0 to 4611686018427387904
; w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
; x_image: x: image stride; -4611686018427387904 to 4611686018427387904
; x_c: x: c stride; -4611686018427387904 to 4611686018427387904
; x_row: x: row stride; -4611686018427387904 to 4611686018427387904
; pad_h: rows of zeros above and below; 0 to 4611686018427387904
; pad_w: columns of zeros at both sides; 0 to 4611686018427387904
; height: rows of the image; 0 to 4611686018427387904
; width: columns of the image; 0 to 4611686018427387904
; out_image: out: next image; -4611686018427387904 to 4611686018427387904
; out_channel: out: next channel; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, k_c * k_r * k_s times, kept for a tile_column, aligned to 64 bytes
; acc: 2x16 of fp32 in 4 registers of 8 lanes
; b: 1x16 of fp32 in 2 registers of 8 lanes
; a: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x16 of fp32 in 4 registers of 8 lanes
; packed: 1x16 of fp32 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %fill_fp32 = alloca float
  store float 0x0000000000000000, ptr %fill_fp32
  %x_word = getelementptr i64, ptr %arguments, i64 0
  %x = load ptr, ptr %x_word, align 8
  %w_word = getelementptr i64, ptr %arguments, i64 1
  %w = load ptr, ptr %w_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 2
  %out = load ptr, ptr %out_word, align 8
  %out_width_word = getelementptr i64, ptr %arguments, i64 3
  %out_width = load i64, ptr %out_width_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 4
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 5
  %n = load i64, ptr %n_word, align 8
  %items_word = getelementptr i64, ptr %arguments, i64 6
  %items = load i64, ptr %items_word, align 8
  %k_c_word = getelementptr i64, ptr %arguments, i64 7
  %k_c = load i64, ptr %k_c_word, align 8
  %k_r_word = getelementptr i64, ptr %arguments, i64 8
  %k_r = load i64, ptr %k_r_word, align 8
  %k_s_word = getelementptr i64, ptr %arguments, i64 9
  %k_s = load i64, ptr %k_s_word, align 8
  %w_out_word = getelementptr i64, ptr %arguments, i64 10
  %w_out = load i64, ptr %w_out_word, align 8
  %x_image_word = getelementptr i64, ptr %arguments, i64 11
  %x_image = load i64, ptr %x_image_word, align 8
  %x_c_word = getelementptr i64, ptr %arguments, i64 12
  %x_c = load i64, ptr %x_c_word, align 8
  %x_row_word = getelementptr i64, ptr %arguments, i64 13
  %x_row = load i64, ptr %x_row_word, align 8
  %pad_h_word = getelementptr i64, ptr %arguments, i64 14
  %pad_h = load i64, ptr %pad_h_word, align 8
  %pad_w_word = getelementptr i64, ptr %arguments, i64 15
  %pad_w = load i64, ptr %pad_w_word, align 8
  %height_word = getelementptr i64, ptr %arguments, i64 16
  %height = load i64, ptr %height_word, align 8
  %width_word = getelementptr i64, ptr %arguments, i64 17
  %width = load i64, ptr %width_word, align 8
  %out_image_word = getelementptr i64, ptr %arguments, i64 18
  %out_image = load i64, ptr %out_image_word, align 8
  %out_channel_word = getelementptr i64, ptr %arguments, i64 19
  %out_channel = load i64, ptr %out_channel_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 20
  %out_row = load i64, ptr %out_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 21
  %row_splits = load i64, ptr %row_splits_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 22
  %barrier = load ptr, ptr %barrier_word, align 8
  %panel_of_all_word = getelementptr i64, ptr %arguments, i64 23
  %panel_of_all = load ptr, ptr %panel_of_all_word, align 8
  %product = mul i64 %k_c, %k_r
  %product.1 = mul i64 %product, %k_s
  %index = mul i64 %product.1, 64
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
  ; units = items * row_splits * panels
  %product.2 = mul i64 %items, %row_splits
  %units = mul i64 %product.2, %panels
  ; for unit from worker * units // workers to (worker + 1) * units // workers
  %product.3 = mul i64 %worker, %units
  %unit_first = udiv i64 %product.3, %workers
  %index.4 = add i64 %worker, 1
  %product.4 = mul i64 %index.4, %units
  %unit_stop = udiv i64 %product.4, %workers
  %product.5 = mul i64 %panels, %row_splits
  %index.29 = add i64 %m, -1
  %kk_limit = add i64 %product.1, -1
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
    %item = udiv i64 %unit, %product.5
    ; if column0 + 15 < n
    %index.5 = add i64 %column0, 15
    %holds = icmp slt i64 %index.5, %n
    br i1 %holds, label %then, label %otherwise
    then:
      ; y0 = (column0 + column) // out_width - pad_h for each element of packed
      %lane0 = insertelement <8 x i64> poison, i64 %column0, i64 0
      %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
      %index.6 = add <8 x i64> %all, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
      %lane0.1 = insertelement <8 x i64> poison, i64 %out_width, i64 0
      %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
      %quotient.2 = udiv <8 x i64> %index.6, %all.1
      %index.7 = mul i64 %pad_h, -1
      %lane0.2 = insertelement <8 x i64> poison, i64 %index.7, i64 0
      %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
      %y0_0 = add <8 x i64> %all.2, %quotient.2
      %index.8 = add <8 x i64> %all, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
      %quotient.3 = udiv <8 x i64> %index.8, %all.1
      %y0_1 = add <8 x i64> %all.2, %quotient.3
      ; x0 = (column0 + column) % out_width - pad_w for each element of packed
      %rest.1 = urem <8 x i64> %index.6, %all.1
      %index.9 = mul i64 %pad_w, -1
      %lane0.3 = insertelement <8 x i64> poison, i64 %index.9, i64 0
      %all.3 = shufflevector <8 x i64> %lane0.3, <8 x i64> poison, <8 x i32> zeroinitializer
      %x0_0 = add <8 x i64> %all.3, %rest.1
      %rest.2 = urem <8 x i64> %index.8, %all.1
      %x0_1 = add <8 x i64> %all.3, %rest.2
      ; x_base = item * x_image + y0 * x_row + x0 for each element of packed
      %product.6 = mul i64 %item, %x_image
      %lane0.4 = insertelement <8 x i64> poison, i64 %x_row, i64 0
      %all.4 = shufflevector <8 x i64> %lane0.4, <8 x i64> poison, <8 x i32> zeroinitializer
      %product.7 = mul <8 x i64> %y0_0, %all.4
      %lane0.5 = insertelement <8 x i64> poison, i64 %product.6, i64 0
      %all.5 = shufflevector <8 x i64> %lane0.5, <8 x i64> poison, <8 x i32> zeroinitializer
      %x_base_0 = add <8 x i64> %all.5, %product.7
      %x_base_0.1 = add <8 x i64> %x_base_0, %x0_0
      %product.8 = mul <8 x i64> %y0_1, %all.4
      %x_base_1 = add <8 x i64> %all.5, %product.8
      %x_base_1.1 = add <8 x i64> %x_base_1, %x0_1
      ; for c from 0 to k_c
      %index.10 = mul <8 x i64> %y0_0, splat (i64 -1)
      %index.11 = mul <8 x i64> %x0_0, splat (i64 -1)
      %lane0.10 = insertelement <8 x ptr> poison, ptr %fill_fp32, i64 0
      %all.10 = shufflevector <8 x ptr> %lane0.10, <8 x ptr> poison, <8 x i32> zeroinitializer
      %index.12 = mul <8 x i64> %y0_1, splat (i64 -1)
      %index.13 = mul <8 x i64> %x0_1, splat (i64 -1)
      %c_any = icmp slt i64 0, %k_c
      br i1 %c_any, label %c_loop, label %c_done
      c_loop:
        %c = phi i64 [ 0, %then ], [ %c_next, %r_done ]
        ; for r from 0 to k_r
        %product.9 = mul i64 %c, %x_c
        %x_at_0 = getelementptr float, ptr %x, i64 %product.9
        %product.11 = mul i64 %c, %k_r
        %r_any = icmp slt i64 0, %k_r
        br i1 %r_any, label %r_loop, label %r_done
        r_loop:
          %r = phi i64 [ 0, %c_loop ], [ %r_next, %s_done ]
          ; for s from 0 to k_s
          %lane0.6 = insertelement <8 x i64> poison, i64 %r, i64 0
          %all.6 = shufflevector <8 x i64> %lane0.6, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask = icmp sle <8 x i64> %index.10, %all.6
          %limit = sub i64 %height, %r
          %lane0.7 = insertelement <8 x i64> poison, i64 %limit, i64 0
          %all.7 = shufflevector <8 x i64> %lane0.7, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.1 = icmp slt <8 x i64> %y0_0, %all.7
          %mask.4 = and <8 x i1> %mask, %mask.1
          %product.10 = mul i64 %r, %x_row
          %x_at_0.1 = getelementptr float, ptr %x_at_0, i64 %product.10
          %mask.7 = icmp sle <8 x i64> %index.12, %all.6
          %mask.8 = icmp slt <8 x i64> %y0_1, %all.7
          %mask.11 = and <8 x i1> %mask.7, %mask.8
          %index.14 = add i64 %product.11, %r
          %product.12 = mul i64 %index.14, %k_s
          %index.15 = mul i64 %product.12, 16
          %panel_at_0 = getelementptr float, ptr %panel, i64 %index.15
          %s_any = icmp slt i64 0, %k_s
          br i1 %s_any, label %s_loop, label %s_done
          s_loop:
            %s = phi i64 [ 0, %r_loop ], [ %s_next, %s_loop ]
            ; packed = x[x_base + c * x_c + r * x_row + s], gather where 0 <= y0 + r and y0 + r < height and 0 <= x0 + s and x0 + s < width, else 0
            %lane0.8 = insertelement <8 x i64> poison, i64 %s, i64 0
            %all.8 = shufflevector <8 x i64> %lane0.8, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.2 = icmp sle <8 x i64> %index.11, %all.8
            %limit.1 = sub i64 %width, %s
            %lane0.9 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
            %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.3 = icmp slt <8 x i64> %x0_0, %all.9
            %mask.5 = and <8 x i1> %mask.4, %mask.2
            %mask.6 = and <8 x i1> %mask.5, %mask.3
            %x_at_0.2 = getelementptr float, ptr %x_at_0.1, i64 %s
            %lanes_at = getelementptr float, ptr %x_at_0.2, <8 x i64> %x_base_0.1
            %safe_at = select <8 x i1> %mask.6, <8 x ptr> %lanes_at, <8 x ptr> %all.10
            %lane_at = extractelement <8 x ptr> %safe_at, i64 0
            %lane_at.1 = extractelement <8 x ptr> %safe_at, i64 1
            %lane_at.2 = extractelement <8 x ptr> %safe_at, i64 2
            %lane_at.3 = extractelement <8 x ptr> %safe_at, i64 3
            %lane_at.4 = extractelement <8 x ptr> %safe_at, i64 4
            %lane_at.5 = extractelement <8 x ptr> %safe_at, i64 5
            %lane_at.6 = extractelement <8 x ptr> %safe_at, i64 6
            %lane_at.7 = extractelement <8 x ptr> %safe_at, i64 7
            %packed_0_one = load float, ptr %lane_at, align 4
            %packed_0 = insertelement <8 x float> poison, float %packed_0_one, i64 0
            %packed_0_one.1 = load float, ptr %lane_at.1, align 4
            %packed_0.1 = insertelement <8 x float> %packed_0, float %packed_0_one.1, i64 1
            %packed_0_one.2 = load float, ptr %lane_at.2, align 4
            %packed_0.2 = insertelement <8 x float> %packed_0.1, float %packed_0_one.2, i64 2
            %packed_0_one.3 = load float, ptr %lane_at.3, align 4
            %packed_0.3 = insertelement <8 x float> %packed_0.2, float %packed_0_one.3, i64 3
            %packed_0_one.4 = load float, ptr %lane_at.4, align 4
            %packed_0.4 = insertelement <8 x float> %packed_0.3, float %packed_0_one.4, i64 4
            %packed_0_one.5 = load float, ptr %lane_at.5, align 4
            %packed_0.5 = insertelement <8 x float> %packed_0.4, float %packed_0_one.5, i64 5
            %packed_0_one.6 = load float, ptr %lane_at.6, align 4
            %packed_0.6 = insertelement <8 x float> %packed_0.5, float %packed_0_one.6, i64 6
            %packed_0_one.7 = load float, ptr %lane_at.7, align 4
            %packed_0.7 = insertelement <8 x float> %packed_0.6, float %packed_0_one.7, i64 7
            %mask.9 = icmp sle <8 x i64> %index.13, %all.8
            %mask.10 = icmp slt <8 x i64> %x0_1, %all.9
            %mask.12 = and <8 x i1> %mask.11, %mask.9
            %mask.13 = and <8 x i1> %mask.12, %mask.10
            %lanes_at.1 = getelementptr float, ptr %x_at_0.2, <8 x i64> %x_base_1.1
            %safe_at.1 = select <8 x i1> %mask.13, <8 x ptr> %lanes_at.1, <8 x ptr> %all.10
            %lane_at.8 = extractelement <8 x ptr> %safe_at.1, i64 0
            %lane_at.9 = extractelement <8 x ptr> %safe_at.1, i64 1
            %lane_at.10 = extractelement <8 x ptr> %safe_at.1, i64 2
            %lane_at.11 = extractelement <8 x ptr> %safe_at.1, i64 3
            %lane_at.12 = extractelement <8 x ptr> %safe_at.1, i64 4
            %lane_at.13 = extractelement <8 x ptr> %safe_at.1, i64 5
            %lane_at.14 = extractelement <8 x ptr> %safe_at.1, i64 6
            %lane_at.15 = extractelement <8 x ptr> %safe_at.1, i64 7
            %packed_1_one = load float, ptr %lane_at.8, align 4
            %packed_1 = insertelement <8 x float> poison, float %packed_1_one, i64 0
            %packed_1_one.1 = load float, ptr %lane_at.9, align 4
            %packed_1.1 = insertelement <8 x float> %packed_1, float %packed_1_one.1, i64 1
            %packed_1_one.2 = load float, ptr %lane_at.10, align 4
            %packed_1.2 = insertelement <8 x float> %packed_1.1, float %packed_1_one.2, i64 2
            %packed_1_one.3 = load float, ptr %lane_at.11, align 4
            %packed_1.3 = insertelement <8 x float> %packed_1.2, float %packed_1_one.3, i64 3
            %packed_1_one.4 = load float, ptr %lane_at.12, align 4
            %packed_1.4 = insertelement <8 x float> %packed_1.3, float %packed_1_one.4, i64 4
            %packed_1_one.5 = load float, ptr %lane_at.13, align 4
            %packed_1.5 = insertelement <8 x float> %packed_1.4, float %packed_1_one.5, i64 5
            %packed_1_one.6 = load float, ptr %lane_at.14, align 4
            %packed_1.6 = insertelement <8 x float> %packed_1.5, float %packed_1_one.6, i64 6
            %packed_1_one.7 = load float, ptr %lane_at.15, align 4
            %packed_1.7 = insertelement <8 x float> %packed_1.6, float %packed_1_one.7, i64 7
            ; panel[(c * k_r + r) * k_s + s, column] = packed, vector
            %index.16 = mul i64 %s, 16
            %panel_at_0.1 = getelementptr float, ptr %panel_at_0, i64 %index.16
            store <8 x float> %packed_0.7, ptr %panel_at_0.1, align 64
            %panel_at_1 = getelementptr float, ptr %panel_at_0.1, i64 8
            store <8 x float> %packed_1.7, ptr %panel_at_1, align 32
            %s_next = add i64 %s, 1
            %s_more = icmp slt i64 %s_next, %k_s
            br i1 %s_more, label %s_loop, label %s_done
          s_done:
          %r_next = add i64 %r, 1
          %r_more = icmp slt i64 %r_next, %k_r
          br i1 %r_more, label %r_loop, label %r_done
        r_done:
        %c_next = add i64 %c, 1
        %c_more = icmp slt i64 %c_next, %k_c
        br i1 %c_more, label %c_loop, label %c_done
      c_done:
      br label %joined
    otherwise:
      ; y0 = (column0 + column) // out_width - pad_h for each element of packed
      %lane0.11 = insertelement <8 x i64> poison, i64 %column0, i64 0
      %all.11 = shufflevector <8 x i64> %lane0.11, <8 x i64> poison, <8 x i32> zeroinitializer
      %index.17 = add <8 x i64> %all.11, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
      %lane0.12 = insertelement <8 x i64> poison, i64 %out_width, i64 0
      %all.12 = shufflevector <8 x i64> %lane0.12, <8 x i64> poison, <8 x i32> zeroinitializer
      %quotient.4 = udiv <8 x i64> %index.17, %all.12
      %index.18 = mul i64 %pad_h, -1
      %lane0.13 = insertelement <8 x i64> poison, i64 %index.18, i64 0
      %all.13 = shufflevector <8 x i64> %lane0.13, <8 x i64> poison, <8 x i32> zeroinitializer
      %y0_0.1 = add <8 x i64> %all.13, %quotient.4
      %index.19 = add <8 x i64> %all.11, <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
      %quotient.5 = udiv <8 x i64> %index.19, %all.12
      %y0_1.1 = add <8 x i64> %all.13, %quotient.5
      ; x0 = (column0 + column) % out_width - pad_w for each element of packed
      %rest.3 = urem <8 x i64> %index.17, %all.12
      %index.20 = mul i64 %pad_w, -1
      %lane0.14 = insertelement <8 x i64> poison, i64 %index.20, i64 0
      %all.14 = shufflevector <8 x i64> %lane0.14, <8 x i64> poison, <8 x i32> zeroinitializer
      %x0_0.1 = add <8 x i64> %all.14, %rest.3
      %rest.4 = urem <8 x i64> %index.19, %all.12
      %x0_1.1 = add <8 x i64> %all.14, %rest.4
      ; x_base = item * x_image + y0 * x_row + x0 for each element of packed
      %product.13 = mul i64 %item, %x_image
      %lane0.15 = insertelement <8 x i64> poison, i64 %x_row, i64 0
      %all.15 = shufflevector <8 x i64> %lane0.15, <8 x i64> poison, <8 x i32> zeroinitializer
      %product.14 = mul <8 x i64> %y0_0.1, %all.15
      %lane0.16 = insertelement <8 x i64> poison, i64 %product.13, i64 0
      %all.16 = shufflevector <8 x i64> %lane0.16, <8 x i64> poison, <8 x i32> zeroinitializer
      %x_base_0.2 = add <8 x i64> %all.16, %product.14
      %x_base_0.3 = add <8 x i64> %x_base_0.2, %x0_0.1
      %product.15 = mul <8 x i64> %y0_1.1, %all.15
      %x_base_1.2 = add <8 x i64> %all.16, %product.15
      %x_base_1.3 = add <8 x i64> %x_base_1.2, %x0_1.1
      ; for c from 0 to k_c
      %limit.2 = sub i64 %n, %column0
      %lane0.17 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
      %all.17 = shufflevector <8 x i64> %lane0.17, <8 x i64> poison, <8 x i32> zeroinitializer
      %mask.14 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.17
      %index.21 = mul <8 x i64> %y0_0.1, splat (i64 -1)
      %index.22 = mul <8 x i64> %x0_0.1, splat (i64 -1)
      %lane0.22 = insertelement <8 x ptr> poison, ptr %fill_fp32, i64 0
      %all.22 = shufflevector <8 x ptr> %lane0.22, <8 x ptr> poison, <8 x i32> zeroinitializer
      %mask.23 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.17
      %index.23 = mul <8 x i64> %y0_1.1, splat (i64 -1)
      %index.24 = mul <8 x i64> %x0_1.1, splat (i64 -1)
      %c_any.1 = icmp slt i64 0, %k_c
      br i1 %c_any.1, label %c_loop.1, label %c_done.1
      c_loop.1:
        %c.1 = phi i64 [ 0, %otherwise ], [ %c_next.1, %r_done.1 ]
        ; for r from 0 to k_r
        %product.16 = mul i64 %c.1, %x_c
        %x_at_0.3 = getelementptr float, ptr %x, i64 %product.16
        %product.18 = mul i64 %c.1, %k_r
        %r_any.1 = icmp slt i64 0, %k_r
        br i1 %r_any.1, label %r_loop.1, label %r_done.1
        r_loop.1:
          %r.1 = phi i64 [ 0, %c_loop.1 ], [ %r_next.1, %s_done.1 ]
          ; for s from 0 to k_s
          %lane0.18 = insertelement <8 x i64> poison, i64 %r.1, i64 0
          %all.18 = shufflevector <8 x i64> %lane0.18, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.15 = icmp sle <8 x i64> %index.21, %all.18
          %limit.3 = sub i64 %height, %r.1
          %lane0.19 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
          %all.19 = shufflevector <8 x i64> %lane0.19, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.16 = icmp slt <8 x i64> %y0_0.1, %all.19
          %mask.19 = and <8 x i1> %mask.14, %mask.15
          %mask.20 = and <8 x i1> %mask.19, %mask.16
          %product.17 = mul i64 %r.1, %x_row
          %x_at_0.4 = getelementptr float, ptr %x_at_0.3, i64 %product.17
          %mask.24 = icmp sle <8 x i64> %index.23, %all.18
          %mask.25 = icmp slt <8 x i64> %y0_1.1, %all.19
          %mask.28 = and <8 x i1> %mask.23, %mask.24
          %mask.29 = and <8 x i1> %mask.28, %mask.25
          %index.25 = add i64 %product.18, %r.1
          %product.19 = mul i64 %index.25, %k_s
          %index.26 = mul i64 %product.19, 16
          %panel_at_0.2 = getelementptr float, ptr %panel, i64 %index.26
          %s_any.1 = icmp slt i64 0, %k_s
          br i1 %s_any.1, label %s_loop.1, label %s_done.1
          s_loop.1:
            %s.1 = phi i64 [ 0, %r_loop.1 ], [ %s_next.1, %s_loop.1 ]
            ; packed = x[x_base + c * x_c + r * x_row + s], gather where column0 + column < n and 0 <= y0 + r and y0 + r < height and 0 <= x0 + s and x0 + s < width, else 0
            %lane0.20 = insertelement <8 x i64> poison, i64 %s.1, i64 0
            %all.20 = shufflevector <8 x i64> %lane0.20, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.17 = icmp sle <8 x i64> %index.22, %all.20
            %limit.4 = sub i64 %width, %s.1
            %lane0.21 = insertelement <8 x i64> poison, i64 %limit.4, i64 0
            %all.21 = shufflevector <8 x i64> %lane0.21, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.18 = icmp slt <8 x i64> %x0_0.1, %all.21
            %mask.21 = and <8 x i1> %mask.20, %mask.17
            %mask.22 = and <8 x i1> %mask.21, %mask.18
            %x_at_0.5 = getelementptr float, ptr %x_at_0.4, i64 %s.1
            %lanes_at.2 = getelementptr float, ptr %x_at_0.5, <8 x i64> %x_base_0.3
            %safe_at.2 = select <8 x i1> %mask.22, <8 x ptr> %lanes_at.2, <8 x ptr> %all.22
            %lane_at.16 = extractelement <8 x ptr> %safe_at.2, i64 0
            %lane_at.17 = extractelement <8 x ptr> %safe_at.2, i64 1
            %lane_at.18 = extractelement <8 x ptr> %safe_at.2, i64 2
            %lane_at.19 = extractelement <8 x ptr> %safe_at.2, i64 3
            %lane_at.20 = extractelement <8 x ptr> %safe_at.2, i64 4
            %lane_at.21 = extractelement <8 x ptr> %safe_at.2, i64 5
            %lane_at.22 = extractelement <8 x ptr> %safe_at.2, i64 6
            %lane_at.23 = extractelement <8 x ptr> %safe_at.2, i64 7
            %packed_0_one.8 = load float, ptr %lane_at.16, align 4
            %packed_0.8 = insertelement <8 x float> poison, float %packed_0_one.8, i64 0
            %packed_0_one.9 = load float, ptr %lane_at.17, align 4
            %packed_0.9 = insertelement <8 x float> %packed_0.8, float %packed_0_one.9, i64 1
            %packed_0_one.10 = load float, ptr %lane_at.18, align 4
            %packed_0.10 = insertelement <8 x float> %packed_0.9, float %packed_0_one.10, i64 2
            %packed_0_one.11 = load float, ptr %lane_at.19, align 4
            %packed_0.11 = insertelement <8 x float> %packed_0.10, float %packed_0_one.11, i64 3
            %packed_0_one.12 = load float, ptr %lane_at.20, align 4
            %packed_0.12 = insertelement <8 x float> %packed_0.11, float %packed_0_one.12, i64 4
            %packed_0_one.13 = load float, ptr %lane_at.21, align 4
            %packed_0.13 = insertelement <8 x float> %packed_0.12, float %packed_0_one.13, i64 5
            %packed_0_one.14 = load float, ptr %lane_at.22, align 4
            %packed_0.14 = insertelement <8 x float> %packed_0.13, float %packed_0_one.14, i64 6
            %packed_0_one.15 = load float, ptr %lane_at.23, align 4
            %packed_0.15 = insertelement <8 x float> %packed_0.14, float %packed_0_one.15, i64 7
            %mask.26 = icmp sle <8 x i64> %index.24, %all.20
            %mask.27 = icmp slt <8 x i64> %x0_1.1, %all.21
            %mask.30 = and <8 x i1> %mask.29, %mask.26
            %mask.31 = and <8 x i1> %mask.30, %mask.27
            %lanes_at.3 = getelementptr float, ptr %x_at_0.5, <8 x i64> %x_base_1.3
            %safe_at.3 = select <8 x i1> %mask.31, <8 x ptr> %lanes_at.3, <8 x ptr> %all.22
            %lane_at.24 = extractelement <8 x ptr> %safe_at.3, i64 0
            %lane_at.25 = extractelement <8 x ptr> %safe_at.3, i64 1
            %lane_at.26 = extractelement <8 x ptr> %safe_at.3, i64 2
            %lane_at.27 = extractelement <8 x ptr> %safe_at.3, i64 3
            %lane_at.28 = extractelement <8 x ptr> %safe_at.3, i64 4
            %lane_at.29 = extractelement <8 x ptr> %safe_at.3, i64 5
            %lane_at.30 = extractelement <8 x ptr> %safe_at.3, i64 6
            %lane_at.31 = extractelement <8 x ptr> %safe_at.3, i64 7
            %packed_1_one.8 = load float, ptr %lane_at.24, align 4
            %packed_1.8 = insertelement <8 x float> poison, float %packed_1_one.8, i64 0
            %packed_1_one.9 = load float, ptr %lane_at.25, align 4
            %packed_1.9 = insertelement <8 x float> %packed_1.8, float %packed_1_one.9, i64 1
            %packed_1_one.10 = load float, ptr %lane_at.26, align 4
            %packed_1.10 = insertelement <8 x float> %packed_1.9, float %packed_1_one.10, i64 2
            %packed_1_one.11 = load float, ptr %lane_at.27, align 4
            %packed_1.11 = insertelement <8 x float> %packed_1.10, float %packed_1_one.11, i64 3
            %packed_1_one.12 = load float, ptr %lane_at.28, align 4
            %packed_1.12 = insertelement <8 x float> %packed_1.11, float %packed_1_one.12, i64 4
            %packed_1_one.13 = load float, ptr %lane_at.29, align 4
            %packed_1.13 = insertelement <8 x float> %packed_1.12, float %packed_1_one.13, i64 5
            %packed_1_one.14 = load float, ptr %lane_at.30, align 4
            %packed_1.14 = insertelement <8 x float> %packed_1.13, float %packed_1_one.14, i64 6
            %packed_1_one.15 = load float, ptr %lane_at.31, align 4
            %packed_1.15 = insertelement <8 x float> %packed_1.14, float %packed_1_one.15, i64 7
            ; panel[(c * k_r + r) * k_s + s, column] = packed, vector
            %index.27 = mul i64 %s.1, 16
            %panel_at_0.3 = getelementptr float, ptr %panel_at_0.2, i64 %index.27
            store <8 x float> %packed_0.15, ptr %panel_at_0.3, align 64
            %panel_at_1.1 = getelementptr float, ptr %panel_at_0.3, i64 8
            store <8 x float> %packed_1.15, ptr %panel_at_1.1, align 32
            %s_next.1 = add i64 %s.1, 1
            %s_more.1 = icmp slt i64 %s_next.1, %k_s
            br i1 %s_more.1, label %s_loop.1, label %s_done.1
          s_done.1:
          %r_next.1 = add i64 %r.1, 1
          %r_more.1 = icmp slt i64 %r_next.1, %k_r
          br i1 %r_more.1, label %r_loop.1, label %r_done.1
        r_done.1:
        %c_next.1 = add i64 %c.1, 1
        %c_more.1 = icmp slt i64 %c_next.1, %k_c
        br i1 %c_more.1, label %c_loop.1, label %c_done.1
      c_done.1:
      br label %joined
    joined:
    ; for tile from split * row_tiles // row_splits to (split + 1) * row_tiles // row_splits
    %product.20 = mul i64 %split, %row_tiles
    %tile_first = udiv i64 %product.20, %row_splits
    %index.28 = add i64 %split, 1
    %product.21 = mul i64 %index.28, %row_tiles
    %tile_stop = udiv i64 %product.21, %row_splits
    %tile_any = icmp slt i64 %tile_first, %tile_stop
    br i1 %tile_any, label %tile_loop, label %tile_done
    tile_loop:
      %tile = phi i64 [ %tile_first, %joined ], [ %tile_next, %joined.1 ]
      ; row0 = tile * 2
      %row0 = mul i64 %tile, 2
      ; a_base = min(row0 + row, m - 1) * w_out for each element of a
      %min = call i64 @llvm.smin.i64(i64 %row0, i64 %index.29)
      %a_base_0 = mul i64 %min, %w_out
      %index.30 = add i64 %row0, 1
      %min.1 = call i64 @llvm.smin.i64(i64 %index.30, i64 %index.29)
      %a_base_1 = mul i64 %min.1, %w_out
      ; acc = 0
      ; for kk from 0 to k_c * k_r * k_s, 2 at a time
      %w_at_0 = getelementptr float, ptr %w, i64 %a_base_0
      %w_at_1 = getelementptr float, ptr %w, i64 %a_base_1
      %kk_any = icmp slt i64 0, %kk_limit
      br i1 %kk_any, label %kk_loop, label %kk_done
      kk_loop:
        %kk = phi i64 [ 0, %tile_loop ], [ %kk_next, %kk_loop ]
        %acc_0_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop ]
        %acc_0_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop ]
        %acc_1_0 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop ]
        %acc_1_1 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop ]
        ; b = panel[kk, column], vector
        %index.31 = mul i64 %kk, 16
        %panel_at_0.4 = getelementptr float, ptr %panel, i64 %index.31
        %b_0 = load <8 x float>, ptr %panel_at_0.4, align 64
        %panel_at_1.2 = getelementptr float, ptr %panel_at_0.4, i64 8
        %b_1 = load <8 x float>, ptr %panel_at_1.2, align 32
        ; a = w[a_base + kk], broadcast
        %w_at_0.1 = getelementptr float, ptr %w_at_0, i64 %kk
        %a_0_one = load float, ptr %w_at_0.1, align 4
        %a_0_lane0 = insertelement <8 x float> poison, float %a_0_one, i64 0
        %a_0 = shufflevector <8 x float> %a_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
        %w_at_1.1 = getelementptr float, ptr %w_at_1, i64 %kk
        %a_1_one = load float, ptr %w_at_1.1, align 4
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
        %panel_at_0.5 = getelementptr float, ptr %panel_at_0.4, i64 16
        %b_0.1 = load <8 x float>, ptr %panel_at_0.5, align 64
        %panel_at_1.3 = getelementptr float, ptr %panel_at_0.4, i64 24
        %b_1.1 = load <8 x float>, ptr %panel_at_1.3, align 32
        %w_at_0.2 = getelementptr float, ptr %w_at_0.1, i64 1
        %a_0_one.1 = load float, ptr %w_at_0.2, align 4
        %a_0_lane0.1 = insertelement <8 x float> poison, float %a_0_one.1, i64 0
        %a_0.1 = shufflevector <8 x float> %a_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
        %w_at_1.2 = getelementptr float, ptr %w_at_1.1, i64 1
        %a_1_one.1 = load float, ptr %w_at_1.2, align 4
        %a_1_lane0.1 = insertelement <8 x float> poison, float %a_1_one.1, i64 0
        %a_1.1 = shufflevector <8 x float> %a_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
        %acc_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_0.1, <8 x float> %acc_0_0.1)
        %acc_0_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.1, <8 x float> %b_1.1, <8 x float> %acc_0_1.1)
        %acc_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_0.1, <8 x float> %acc_1_0.1)
        %acc_1_1.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.1, <8 x float> %b_1.1, <8 x float> %acc_1_1.1)
        call void asm sideeffect "", "~{memory}"()
        %kk_next = add i64 %kk, 2
        %kk_more = icmp slt i64 %kk_next, %kk_limit
        br i1 %kk_more, label %kk_loop, label %kk_done
      kk_done:
      %acc_0_0.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_0.2, %kk_loop ]
      %acc_0_1.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_0_1.2, %kk_loop ]
      %acc_1_0.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_0.2, %kk_loop ]
      %acc_1_1.3 = phi <8 x float> [ zeroinitializer, %tile_loop ], [ %acc_1_1.2, %kk_loop ]
      %kk_rest = phi i64 [ 0, %tile_loop ], [ %kk_next, %kk_loop ]
      ; what is left of kk
      %kk_any.1 = icmp slt i64 %kk_rest, %product.1
      br i1 %kk_any.1, label %kk_loop.1, label %kk_done.1
      kk_loop.1:
        %kk.1 = phi i64 [ %kk_rest, %kk_done ], [ %kk_next.1, %kk_loop.1 ]
        %acc_0_0.4 = phi <8 x float> [ %acc_0_0.3, %kk_done ], [ %acc_0_0.5, %kk_loop.1 ]
        %acc_0_1.4 = phi <8 x float> [ %acc_0_1.3, %kk_done ], [ %acc_0_1.5, %kk_loop.1 ]
        %acc_1_0.4 = phi <8 x float> [ %acc_1_0.3, %kk_done ], [ %acc_1_0.5, %kk_loop.1 ]
        %acc_1_1.4 = phi <8 x float> [ %acc_1_1.3, %kk_done ], [ %acc_1_1.5, %kk_loop.1 ]
        ; b = panel[kk, column], vector
        %index.32 = mul i64 %kk.1, 16
        %panel_at_0.6 = getelementptr float, ptr %panel, i64 %index.32
        %b_0.2 = load <8 x float>, ptr %panel_at_0.6, align 64
        %panel_at_1.4 = getelementptr float, ptr %panel_at_0.6, i64 8
        %b_1.2 = load <8 x float>, ptr %panel_at_1.4, align 32
        ; a = w[a_base + kk], broadcast
        %w_at_0.3 = getelementptr float, ptr %w_at_0, i64 %kk.1
        %a_0_one.2 = load float, ptr %w_at_0.3, align 4
        %a_0_lane0.2 = insertelement <8 x float> poison, float %a_0_one.2, i64 0
        %a_0.2 = shufflevector <8 x float> %a_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
        %w_at_1.3 = getelementptr float, ptr %w_at_1, i64 %kk.1
        %a_1_one.2 = load float, ptr %w_at_1.3, align 4
        %a_1_lane0.2 = insertelement <8 x float> poison, float %a_1_one.2, i64 0
        %a_1.2 = shufflevector <8 x float> %a_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
        ; acc += a * b, fma_outer_2x2x8_fp32
        %acc_0_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_0.2, <8 x float> %acc_0_0.4)
        %acc_0_1.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_0.2, <8 x float> %b_1.2, <8 x float> %acc_0_1.4)
        %acc_1_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_0.2, <8 x float> %acc_1_0.4)
        %acc_1_1.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %a_1.2, <8 x float> %b_1.2, <8 x float> %acc_1_1.4)
        ; no memory access moves across this point
        call void asm sideeffect "", "~{memory}"()
        %kk_next.1 = add i64 %kk.1, 1
        %kk_more.1 = icmp slt i64 %kk_next.1, %product.1
        br i1 %kk_more.1, label %kk_loop.1, label %kk_done.1
      kk_done.1:
      %acc_0_0.6 = phi <8 x float> [ %acc_0_0.3, %kk_done ], [ %acc_0_0.5, %kk_loop.1 ]
      %acc_0_1.6 = phi <8 x float> [ %acc_0_1.3, %kk_done ], [ %acc_0_1.5, %kk_loop.1 ]
      %acc_1_0.6 = phi <8 x float> [ %acc_1_0.3, %kk_done ], [ %acc_1_0.5, %kk_loop.1 ]
      %acc_1_1.6 = phi <8 x float> [ %acc_1_1.3, %kk_done ], [ %acc_1_1.5, %kk_loop.1 ]
      ; if row0 + 1 < m and column0 + 15 < n
      %holds.1 = icmp slt i64 %index.30, %m
      %both = and i1 %holds.1, %holds
      br i1 %both, label %then.1, label %otherwise.1
      then.1:
        ; result = acc, in fp32
        ; out[item * out_image + (row0 + row) * out_channel + column0 + column] = result, vector
        %product.22 = mul i64 %item, %out_image
        %product.23 = mul i64 %row0, %out_channel
        %index.33 = add i64 %product.22, %product.23
        %index.34 = add i64 %index.33, %column0
        %out_at_0_0 = getelementptr float, ptr %out, i64 %index.34
        store <8 x float> %acc_0_0.6, ptr %out_at_0_0, align 4
        %out_at_0_1 = getelementptr float, ptr %out_at_0_0, i64 8
        store <8 x float> %acc_0_1.6, ptr %out_at_0_1, align 4
        %product.24 = mul i64 %index.30, %out_channel
        %index.35 = add i64 %product.22, %product.24
        %index.36 = add i64 %index.35, %column0
        %out_at_1_0 = getelementptr float, ptr %out, i64 %index.36
        store <8 x float> %acc_1_0.6, ptr %out_at_1_0, align 4
        %out_at_1_1 = getelementptr float, ptr %out_at_1_0, i64 8
        store <8 x float> %acc_1_1.6, ptr %out_at_1_1, align 4
        br label %joined.1
      otherwise.1:
        ; result = acc, in fp32
        ; out[item * out_image + (row0 + row) * out_channel + column0 + column] = result, vector where row0 + row < m and column0 + column < n
        %holds.2 = icmp slt i64 %row0, %m
        %limit.5 = sub i64 %n, %column0
        %lane0.23 = insertelement <8 x i64> poison, i64 %limit.5, i64 0
        %all.23 = shufflevector <8 x i64> %lane0.23, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask.32 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.23
        %product.25 = mul i64 %item, %out_image
        %product.26 = mul i64 %row0, %out_channel
        %index.37 = add i64 %product.25, %product.26
        %index.38 = add i64 %index.37, %column0
        %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.38
        %lane0.24 = insertelement <8 x i1> poison, i1 %holds.2, i64 0
        %all.24 = shufflevector <8 x i1> %lane0.24, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.33 = and <8 x i1> %mask.32, %all.24
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_0.6, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.33)
        %mask.34 = icmp slt <8 x i64> <i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %all.23
        %out_at_0_1.1 = getelementptr float, ptr %out_at_0_0.1, i64 8
        %mask.35 = and <8 x i1> %mask.34, %all.24
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_0_1.6, ptr %out_at_0_1.1, i32 4, <8 x i1> %mask.35)
        %product.27 = mul i64 %index.30, %out_channel
        %index.39 = add i64 %product.25, %product.27
        %index.40 = add i64 %index.39, %column0
        %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.40
        %lane0.25 = insertelement <8 x i1> poison, i1 %holds.1, i64 0
        %all.25 = shufflevector <8 x i1> %lane0.25, <8 x i1> poison, <8 x i32> zeroinitializer
        %mask.36 = and <8 x i1> %mask.32, %all.25
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_0.6, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.36)
        %out_at_1_1.1 = getelementptr float, ptr %out_at_1_0.1, i64 8
        %mask.37 = and <8 x i1> %mask.34, %all.25
        call void @llvm.masked.store.v8f32.p0(<8 x float> %acc_1_1.6, ptr %out_at_1_1.1, i32 4, <8 x i1> %mask.37)
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
