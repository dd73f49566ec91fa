; tracea: low rank product bf16
; variant        cpu.chained.avx2_fp32 for x86-64-v3
; configuration  2x8x1 s1 w1 kb16
; schedule       e2b85c509a6dffed4ac26b7706f9666fcd39f3c39d976e3be311d62eea916f61
; certificate    3ee6c1db63d9b12b15f5ead790adfc978b18b76d260e715fbbb61163c60a6af9: structure, domains, types, layouts, lanes, registers, meaning

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x i16> @llvm.masked.load.v8i16.p0(ptr, i32, <8 x i1>, <8 x i16>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8i16.p0(<8 x i16>, ptr, i32, <8 x i1>)

; x: bf16, read, aligned to 2 bytes
; a: bf16, read, aligned to 2 bytes
; b: bf16, read, aligned to 2 bytes
; out: bf16, write, aligned to 2 bytes
; m: rows of x; 0 to 4611686018427387904
; n: columns of b; 0 to 4611686018427387904
; k: columns of x; 0 to 4611686018427387904
; keys: columns of a: the rank; 0 to 4611686018427387904
; x_row: x: next row; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; a_row: a: next row; -4611686018427387904 to 4611686018427387904
; b_row: b: next row; -4611686018427387904 to 4611686018427387904
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; packed: panel of fp32, column 8 = 1*8 + 3 bits, atom 2^3, (keys + 7) // 8 * k times, kept for a tile_column, aligned to 64 bytes
; scores: panel of fp32, row 2 = 2*16, column 16 = 16*1, kept for a tile, aligned to 64 bytes
; sums: panel of fp32, row 2 = 2*8, column 8 = 8*1, (n + 7) // 8 times, kept for a tile, aligned to 64 bytes
; tile: 2x8 of fp32 in 2 registers of 8 lanes
; part: 2x8 of fp32 in 2 registers of 8 lanes
; vector: 1x8 of fp32 in 1 registers of 8 lanes
; one: 2x1 of fp32 in 2 registers of 8 lanes
; left_raw: 2x1 of bf16 in 2 registers of 8 lanes
; middle_raw: 1x8 of bf16 in 1 registers of 8 lanes
; right_raw: 1x8 of bf16 in 1 registers of 8 lanes
; result: 2x8 of bf16 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %x_word = getelementptr i64, ptr %arguments, i64 0
  %x = load ptr, ptr %x_word, align 8
  %a_word = getelementptr i64, ptr %arguments, i64 1
  %a = load ptr, ptr %a_word, align 8
  %b_word = getelementptr i64, ptr %arguments, i64 2
  %b = load ptr, ptr %b_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 3
  %out = load ptr, ptr %out_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 4
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 5
  %n = load i64, ptr %n_word, align 8
  %k_word = getelementptr i64, ptr %arguments, i64 6
  %k = load i64, ptr %k_word, align 8
  %keys_word = getelementptr i64, ptr %arguments, i64 7
  %keys = load i64, ptr %keys_word, align 8
  %x_row_word = getelementptr i64, ptr %arguments, i64 8
  %x_row = load i64, ptr %x_row_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 9
  %out_row = load i64, ptr %out_row_word, align 8
  %a_row_word = getelementptr i64, ptr %arguments, i64 10
  %a_row = load i64, ptr %a_row_word, align 8
  %b_row_word = getelementptr i64, ptr %arguments, i64 11
  %b_row = load i64, ptr %b_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 12
  %row_splits = load i64, ptr %row_splits_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 13
  %barrier = load ptr, ptr %barrier_word, align 8
  %packed_of_all_word = getelementptr i64, ptr %arguments, i64 14
  %packed_of_all = load ptr, ptr %packed_of_all_word, align 8
  %index = add i64 %keys, 7
  %quotient = udiv i64 %index, 8
  %product = mul i64 %quotient, %k
  %index.1 = mul i64 %product, 32
  %index.2 = add i64 %index.1, 63
  %quotient.1 = udiv i64 %index.2, 64
  %packed_bytes = mul i64 %quotient.1, 64
  %packed_own = mul i64 %worker, %packed_bytes
  %packed = getelementptr i8, ptr %packed_of_all, i64 %packed_own
  %scores_of_all_word = getelementptr i64, ptr %arguments, i64 15
  %scores_of_all = load ptr, ptr %scores_of_all_word, align 8
  %scores_own = mul i64 %worker, 128
  %scores = getelementptr i8, ptr %scores_of_all, i64 %scores_own
  %sums_of_all_word = getelementptr i64, ptr %arguments, i64 16
  %sums_of_all = load ptr, ptr %sums_of_all_word, align 8
  %index.3 = add i64 %n, 7
  %quotient.2 = udiv i64 %index.3, 8
  %index.4 = mul i64 %quotient.2, 64
  %index.5 = add i64 %index.4, 63
  %quotient.3 = udiv i64 %index.5, 64
  %sums_bytes = mul i64 %quotient.3, 64
  %sums_own = mul i64 %worker, %sums_bytes
  %sums = getelementptr i8, ptr %sums_of_all, i64 %sums_own
  ; row_tiles = (m + 1) // 2
  %index.6 = add i64 %m, 1
  %row_tiles = udiv i64 %index.6, 2
  ; blocks_of_keys = (keys + 15) // 16
  %index.7 = add i64 %keys, 15
  %blocks_of_keys = udiv i64 %index.7, 16
  ; units = row_splits
  ; for round from 0 to (units - worker + workers - 1) // workers
  %index.8 = add i64 %row_splits, %workers
  %index.9 = sub i64 %index.8, %worker
  %index.10 = add i64 %index.9, -1
  %rest = srem i64 %index.10, %workers
  %below = ashr i64 %rest, 63
  %quotient.4 = sdiv i64 %index.10, %workers
  %round_stop = add i64 %quotient.4, %below
  %index.12 = mul i64 %blocks_of_keys, 2
  %index.20 = add i64 %m, -1
  %depth_limit = add i64 %k, -1
  %round_any = icmp slt i64 0, %round_stop
  br i1 %round_any, label %round_loop, label %round_done
  round_loop:
    %round = phi i64 [ 0, %entry ], [ %round_next, %tile_number_done ]
    ; unit = round * workers + worker
    %product.1 = mul i64 %round, %workers
    %unit = add i64 %worker, %product.1
    ; split = unit % row_splits
    %split = urem i64 %unit, %row_splits
    ; item = unit // row_splits
    %item = udiv i64 %unit, %row_splits
    ; first_tile = split * row_tiles // row_splits
    %product.2 = mul i64 %split, %row_tiles
    %first_tile = udiv i64 %product.2, %row_splits
    ; last_tile = (split + 1) * row_tiles // row_splits
    %index.11 = add i64 %split, 1
    %product.3 = mul i64 %index.11, %row_tiles
    %last_tile = udiv i64 %product.3, %row_splits
    ; first_packed = 0
    ; last_packed = blocks_of_keys
    ; for panel from first_packed * 2 to min(last_packed * 2, (keys + 7) // 8)
    %panel_stop = call i64 @llvm.smin.i64(i64 %index.12, i64 %quotient)
    %panel_any = icmp slt i64 0, %panel_stop
    br i1 %panel_any, label %panel_loop, label %panel_done
    panel_loop:
      %panel = phi i64 [ 0, %round_loop ], [ %panel_next, %joined ]
      ; if panel * 8 + 7 < keys
      %index.13 = mul i64 %panel, 8
      %index.14 = add i64 %index.13, 7
      %holds = icmp slt i64 %index.14, %keys
      br i1 %holds, label %then, label %otherwise
      then:
        ; for depth from 0 to k
        %a_at_0 = getelementptr i16, ptr %a, i64 %index.13
        %product.5 = mul i64 %panel, %k
        %index.15 = mul i64 %product.5, 8
        %packed_at_0 = getelementptr float, ptr %packed, i64 %index.15
        %depth_any = icmp slt i64 0, %k
        br i1 %depth_any, label %depth_loop, label %depth_done
        depth_loop:
          %depth = phi i64 [ 0, %then ], [ %depth_next, %depth_loop ]
          ; middle_raw = a[depth * a_row + panel * 8 + column], vector
          %product.4 = mul i64 %depth, %a_row
          %a_at_0.1 = getelementptr i16, ptr %a_at_0, i64 %product.4
          %middle_raw_0 = load <8 x i16>, ptr %a_at_0.1, align 2
          ; vector = middle_raw, in fp32
          %middle_raw_0_fp32_bits = zext <8 x i16> %middle_raw_0 to <8 x i32>
          %middle_raw_0_fp32_bits.1 = shl <8 x i32> %middle_raw_0_fp32_bits, splat (i32 16)
          %middle_raw_0_fp32 = bitcast <8 x i32> %middle_raw_0_fp32_bits.1 to <8 x float>
          ; packed[panel * k + depth, column] = vector, vector
          %index.16 = mul i64 %depth, 8
          %packed_at_0.1 = getelementptr float, ptr %packed_at_0, i64 %index.16
          store <8 x float> %middle_raw_0_fp32, ptr %packed_at_0.1, align 32
          %depth_next = add i64 %depth, 1
          %depth_more = icmp slt i64 %depth_next, %k
          br i1 %depth_more, label %depth_loop, label %depth_done
        depth_done:
        br label %joined
      otherwise:
        ; for depth from 0 to k
        %index.17 = mul i64 %panel, -8
        %limit = add i64 %keys, %index.17
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %a_at_0.2 = getelementptr i16, ptr %a, i64 %index.13
        %product.7 = mul i64 %panel, %k
        %index.18 = mul i64 %product.7, 8
        %packed_at_0.2 = getelementptr float, ptr %packed, i64 %index.18
        %depth_any.1 = icmp slt i64 0, %k
        br i1 %depth_any.1, label %depth_loop.1, label %depth_done.1
        depth_loop.1:
          %depth.1 = phi i64 [ 0, %otherwise ], [ %depth_next.1, %depth_loop.1 ]
          ; middle_raw = a[depth * a_row + panel * 8 + column], vector where panel * 8 + column < keys, else 0
          %product.6 = mul i64 %depth.1, %a_row
          %a_at_0.3 = getelementptr i16, ptr %a_at_0.2, i64 %product.6
          %middle_raw_0.1 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %a_at_0.3, i32 2, <8 x i1> %mask, <8 x i16> zeroinitializer)
          ; vector = middle_raw, in fp32
          %middle_raw_0_fp32_bits.2 = zext <8 x i16> %middle_raw_0.1 to <8 x i32>
          %middle_raw_0_fp32_bits.3 = shl <8 x i32> %middle_raw_0_fp32_bits.2, splat (i32 16)
          %middle_raw_0_fp32.1 = bitcast <8 x i32> %middle_raw_0_fp32_bits.3 to <8 x float>
          ; packed[panel * k + depth, column] = vector, vector
          %index.19 = mul i64 %depth.1, 8
          %packed_at_0.3 = getelementptr float, ptr %packed_at_0.2, i64 %index.19
          store <8 x float> %middle_raw_0_fp32.1, ptr %packed_at_0.3, align 32
          %depth_next.1 = add i64 %depth.1, 1
          %depth_more.1 = icmp slt i64 %depth_next.1, %k
          br i1 %depth_more.1, label %depth_loop.1, label %depth_done.1
        depth_done.1:
        br label %joined
      joined:
      %panel_next = add i64 %panel, 1
      %panel_more = icmp slt i64 %panel_next, %panel_stop
      br i1 %panel_more, label %panel_loop, label %panel_done
    panel_done:
    ; for tile_number from first_tile to last_tile
    %tile_number_any = icmp slt i64 %first_tile, %last_tile
    br i1 %tile_number_any, label %tile_number_loop, label %tile_number_done
    tile_number_loop:
      %tile_number = phi i64 [ %first_tile, %panel_done ], [ %tile_number_next, %panel_of_sums_done.2 ]
      ; row0 = tile_number * 2
      %row0 = mul i64 %tile_number, 2
      ; at_row = min(row0 + row, m - 1) for each element of one
      %at_row_0 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.20)
      %index.21 = add i64 %row0, 1
      %at_row_1 = call i64 @llvm.smin.i64(i64 %index.21, i64 %index.20)
      ; left_base = at_row * x_row for each element of one
      %left_base_0 = mul i64 %at_row_0, %x_row
      %left_base_1 = mul i64 %at_row_1, %x_row
      ; for panel_of_sums from 0 to (n + 7) // 8
      %panel_of_sums_any = icmp slt i64 0, %quotient.2
      br i1 %panel_of_sums_any, label %panel_of_sums_loop, label %panel_of_sums_done
      panel_of_sums_loop:
        %panel_of_sums = phi i64 [ 0, %tile_number_loop ], [ %panel_of_sums_next, %panel_of_sums_loop ]
        ; tile = 0
        ; sums[panel_of_sums, row, column] = tile, vector
        %index.22 = mul i64 %panel_of_sums, 16
        %sums_at_0_0 = getelementptr float, ptr %sums, i64 %index.22
        store <8 x float> zeroinitializer, ptr %sums_at_0_0, align 64
        %sums_at_1_0 = getelementptr float, ptr %sums_at_0_0, i64 8
        store <8 x float> zeroinitializer, ptr %sums_at_1_0, align 32
        %panel_of_sums_next = add i64 %panel_of_sums, 1
        %panel_of_sums_more = icmp slt i64 %panel_of_sums_next, %quotient.2
        br i1 %panel_of_sums_more, label %panel_of_sums_loop, label %panel_of_sums_done
      panel_of_sums_done:
      ; first_block = 0
      ; stop_block = blocks_of_keys
      ; for block_number from first_block to stop_block
      %x_at_0 = getelementptr i16, ptr %x, i64 %left_base_0
      %x_at_1 = getelementptr i16, ptr %x, i64 %left_base_1
      %block_number_any = icmp slt i64 0, %blocks_of_keys
      br i1 %block_number_any, label %block_number_loop, label %block_number_done
      block_number_loop:
        %block_number = phi i64 [ 0, %panel_of_sums_done ], [ %block_number_next, %panel_of_sums_done.1 ]
        ; key0 = block_number * 16
        %key0 = mul i64 %block_number, 16
        ; key_count = min(keys - key0, 16)
        %index.23 = sub i64 %keys, %key0
        %key_count = call i64 @llvm.smin.i64(i64 %index.23, i64 16)
        ; for chunk from 0 to (key_count + 7) // 8
        %index.24 = add i64 %key_count, 7
        %rest.1 = srem i64 %index.24, 8
        %below.1 = ashr i64 %rest.1, 63
        %quotient.5 = sdiv i64 %index.24, 8
        %chunk_stop = add i64 %quotient.5, %below.1
        %index.25 = mul i64 %block_number, 2
        %index.30 = add i64 %key0, 15
        %holds.1 = icmp slt i64 %index.30, %keys
        %chunk_any = icmp slt i64 0, %chunk_stop
        br i1 %chunk_any, label %chunk_loop, label %chunk_done
        chunk_loop:
          %chunk = phi i64 [ 0, %block_number_loop ], [ %chunk_next, %joined.1 ]
          ; tile = 0
          ; for depth from 0 to k, 2 at a time
          %index.26 = add i64 %index.25, %chunk
          %product.8 = mul i64 %index.26, %k
          %index.27 = mul i64 %product.8, 8
          %packed_at_0.4 = getelementptr float, ptr %packed, i64 %index.27
          %depth_any.2 = icmp slt i64 0, %depth_limit
          br i1 %depth_any.2, label %depth_loop.2, label %depth_done.2
          depth_loop.2:
            %depth.2 = phi i64 [ 0, %chunk_loop ], [ %depth_next.2, %depth_loop.2 ]
            %tile_0_0 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_0_0.2, %depth_loop.2 ]
            %tile_1_0 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_1_0.2, %depth_loop.2 ]
            ; vector = packed[(block_number * 2 + chunk) * k + depth, column], vector
            %index.28 = mul i64 %depth.2, 8
            %packed_at_0.5 = getelementptr float, ptr %packed_at_0.4, i64 %index.28
            %vector_0 = load <8 x float>, ptr %packed_at_0.5, align 32
            ; left_raw = x[left_base + depth], broadcast
            %x_at_0.1 = getelementptr i16, ptr %x_at_0, i64 %depth.2
            %left_raw_0_one = load i16, ptr %x_at_0.1, align 2
            %left_raw_0_lane0 = insertelement <8 x i16> poison, i16 %left_raw_0_one, i64 0
            %left_raw_0 = shufflevector <8 x i16> %left_raw_0_lane0, <8 x i16> poison, <8 x i32> zeroinitializer
            %x_at_1.1 = getelementptr i16, ptr %x_at_1, i64 %depth.2
            %left_raw_1_one = load i16, ptr %x_at_1.1, align 2
            %left_raw_1_lane0 = insertelement <8 x i16> poison, i16 %left_raw_1_one, i64 0
            %left_raw_1 = shufflevector <8 x i16> %left_raw_1_lane0, <8 x i16> poison, <8 x i32> zeroinitializer
            ; one = left_raw, in fp32
            %left_raw_0_fp32_bits = zext <8 x i16> %left_raw_0 to <8 x i32>
            %left_raw_0_fp32_bits.1 = shl <8 x i32> %left_raw_0_fp32_bits, splat (i32 16)
            %left_raw_0_fp32 = bitcast <8 x i32> %left_raw_0_fp32_bits.1 to <8 x float>
            %left_raw_1_fp32_bits = zext <8 x i16> %left_raw_1 to <8 x i32>
            %left_raw_1_fp32_bits.1 = shl <8 x i32> %left_raw_1_fp32_bits, splat (i32 16)
            %left_raw_1_fp32 = bitcast <8 x i32> %left_raw_1_fp32_bits.1 to <8 x float>
            ; tile += one * vector, fma_outer_2x1x8_fp32
            %tile_0_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_0_fp32, <8 x float> %vector_0, <8 x float> %tile_0_0)
            %tile_1_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_1_fp32, <8 x float> %vector_0, <8 x float> %tile_1_0)
            ; depth + 1
            %packed_at_0.6 = getelementptr float, ptr %packed_at_0.5, i64 8
            %vector_0.1 = load <8 x float>, ptr %packed_at_0.6, align 32
            %x_at_0.2 = getelementptr i16, ptr %x_at_0.1, i64 1
            %left_raw_0_one.1 = load i16, ptr %x_at_0.2, align 2
            %left_raw_0_lane0.1 = insertelement <8 x i16> poison, i16 %left_raw_0_one.1, i64 0
            %left_raw_0.1 = shufflevector <8 x i16> %left_raw_0_lane0.1, <8 x i16> poison, <8 x i32> zeroinitializer
            %x_at_1.2 = getelementptr i16, ptr %x_at_1.1, i64 1
            %left_raw_1_one.1 = load i16, ptr %x_at_1.2, align 2
            %left_raw_1_lane0.1 = insertelement <8 x i16> poison, i16 %left_raw_1_one.1, i64 0
            %left_raw_1.1 = shufflevector <8 x i16> %left_raw_1_lane0.1, <8 x i16> poison, <8 x i32> zeroinitializer
            %left_raw_0_fp32_bits.2 = zext <8 x i16> %left_raw_0.1 to <8 x i32>
            %left_raw_0_fp32_bits.3 = shl <8 x i32> %left_raw_0_fp32_bits.2, splat (i32 16)
            %left_raw_0_fp32.1 = bitcast <8 x i32> %left_raw_0_fp32_bits.3 to <8 x float>
            %left_raw_1_fp32_bits.2 = zext <8 x i16> %left_raw_1.1 to <8 x i32>
            %left_raw_1_fp32_bits.3 = shl <8 x i32> %left_raw_1_fp32_bits.2, splat (i32 16)
            %left_raw_1_fp32.1 = bitcast <8 x i32> %left_raw_1_fp32_bits.3 to <8 x float>
            %tile_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_0_fp32.1, <8 x float> %vector_0.1, <8 x float> %tile_0_0.1)
            %tile_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_1_fp32.1, <8 x float> %vector_0.1, <8 x float> %tile_1_0.1)
            %depth_next.2 = add i64 %depth.2, 2
            %depth_more.2 = icmp slt i64 %depth_next.2, %depth_limit
            br i1 %depth_more.2, label %depth_loop.2, label %depth_done.2
          depth_done.2:
          %tile_0_0.3 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_0_0.2, %depth_loop.2 ]
          %tile_1_0.3 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_1_0.2, %depth_loop.2 ]
          %depth_rest = phi i64 [ 0, %chunk_loop ], [ %depth_next.2, %depth_loop.2 ]
          ; what is left of depth
          %depth_any.3 = icmp slt i64 %depth_rest, %k
          br i1 %depth_any.3, label %depth_loop.3, label %depth_done.3
          depth_loop.3:
            %depth.3 = phi i64 [ %depth_rest, %depth_done.2 ], [ %depth_next.3, %depth_loop.3 ]
            %tile_0_0.4 = phi <8 x float> [ %tile_0_0.3, %depth_done.2 ], [ %tile_0_0.5, %depth_loop.3 ]
            %tile_1_0.4 = phi <8 x float> [ %tile_1_0.3, %depth_done.2 ], [ %tile_1_0.5, %depth_loop.3 ]
            ; vector = packed[(block_number * 2 + chunk) * k + depth, column], vector
            %index.29 = mul i64 %depth.3, 8
            %packed_at_0.7 = getelementptr float, ptr %packed_at_0.4, i64 %index.29
            %vector_0.2 = load <8 x float>, ptr %packed_at_0.7, align 32
            ; left_raw = x[left_base + depth], broadcast
            %x_at_0.3 = getelementptr i16, ptr %x_at_0, i64 %depth.3
            %left_raw_0_one.2 = load i16, ptr %x_at_0.3, align 2
            %left_raw_0_lane0.2 = insertelement <8 x i16> poison, i16 %left_raw_0_one.2, i64 0
            %left_raw_0.2 = shufflevector <8 x i16> %left_raw_0_lane0.2, <8 x i16> poison, <8 x i32> zeroinitializer
            %x_at_1.3 = getelementptr i16, ptr %x_at_1, i64 %depth.3
            %left_raw_1_one.2 = load i16, ptr %x_at_1.3, align 2
            %left_raw_1_lane0.2 = insertelement <8 x i16> poison, i16 %left_raw_1_one.2, i64 0
            %left_raw_1.2 = shufflevector <8 x i16> %left_raw_1_lane0.2, <8 x i16> poison, <8 x i32> zeroinitializer
            ; one = left_raw, in fp32
            %left_raw_0_fp32_bits.4 = zext <8 x i16> %left_raw_0.2 to <8 x i32>
            %left_raw_0_fp32_bits.5 = shl <8 x i32> %left_raw_0_fp32_bits.4, splat (i32 16)
            %left_raw_0_fp32.2 = bitcast <8 x i32> %left_raw_0_fp32_bits.5 to <8 x float>
            %left_raw_1_fp32_bits.4 = zext <8 x i16> %left_raw_1.2 to <8 x i32>
            %left_raw_1_fp32_bits.5 = shl <8 x i32> %left_raw_1_fp32_bits.4, splat (i32 16)
            %left_raw_1_fp32.2 = bitcast <8 x i32> %left_raw_1_fp32_bits.5 to <8 x float>
            ; tile += one * vector, fma_outer_2x1x8_fp32
            %tile_0_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_0_fp32.2, <8 x float> %vector_0.2, <8 x float> %tile_0_0.4)
            %tile_1_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %left_raw_1_fp32.2, <8 x float> %vector_0.2, <8 x float> %tile_1_0.4)
            %depth_next.3 = add i64 %depth.3, 1
            %depth_more.3 = icmp slt i64 %depth_next.3, %k
            br i1 %depth_more.3, label %depth_loop.3, label %depth_done.3
          depth_done.3:
          %tile_0_0.6 = phi <8 x float> [ %tile_0_0.3, %depth_done.2 ], [ %tile_0_0.5, %depth_loop.3 ]
          %tile_1_0.6 = phi <8 x float> [ %tile_1_0.3, %depth_done.2 ], [ %tile_1_0.5, %depth_loop.3 ]
          ; if key0 + 15 < keys
          br i1 %holds.1, label %joined.1, label %otherwise.1
          otherwise.1:
            ; tile = 0 unless key0 + chunk * 8 + column < keys
            %index.31 = mul i64 %chunk, -8
            %limit.1 = add i64 %index.23, %index.31
            %lane0.1 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
            %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.1 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.1
            %tile_0_0.7 = select <8 x i1> %mask.1, <8 x float> %tile_0_0.6, <8 x float> zeroinitializer
            %tile_1_0.7 = select <8 x i1> %mask.1, <8 x float> %tile_1_0.6, <8 x float> zeroinitializer
            br label %joined.1
          joined.1:
          %tile_0_0.8 = phi <8 x float> [ %tile_0_0.6, %depth_done.3 ], [ %tile_0_0.7, %otherwise.1 ]
          %tile_1_0.8 = phi <8 x float> [ %tile_1_0.6, %depth_done.3 ], [ %tile_1_0.7, %otherwise.1 ]
          ; scores[row, chunk * 8 + column] = tile, vector
          %index.32 = mul i64 %chunk, 8
          %scores_at_0_0 = getelementptr float, ptr %scores, i64 %index.32
          store <8 x float> %tile_0_0.8, ptr %scores_at_0_0, align 32
          %scores_at_1_0 = getelementptr float, ptr %scores_at_0_0, i64 16
          store <8 x float> %tile_1_0.8, ptr %scores_at_1_0, align 32
          %chunk_next = add i64 %chunk, 1
          %chunk_more = icmp slt i64 %chunk_next, %chunk_stop
          br i1 %chunk_more, label %chunk_loop, label %chunk_done
        chunk_done:
        ; for panel_of_sums from 0 to (n + 7) // 8
        br i1 %panel_of_sums_any, label %panel_of_sums_loop.1, label %panel_of_sums_done.1
        panel_of_sums_loop.1:
          %panel_of_sums.1 = phi i64 [ 0, %chunk_done ], [ %panel_of_sums_next.1, %joined.2 ]
          ; if panel_of_sums * 8 + 7 < n
          %index.33 = mul i64 %panel_of_sums.1, 8
          %index.34 = add i64 %index.33, 7
          %holds.2 = icmp slt i64 %index.34, %n
          br i1 %holds.2, label %then.2, label %otherwise.2
          then.2:
            ; tile = sums[panel_of_sums, row, column], vector
            %index.35 = mul i64 %panel_of_sums.1, 16
            %sums_at_0_0.1 = getelementptr float, ptr %sums, i64 %index.35
            %tile_0_0.9 = load <8 x float>, ptr %sums_at_0_0.1, align 64
            %sums_at_1_0.1 = getelementptr float, ptr %sums_at_0_0.1, i64 8
            %tile_1_0.9 = load <8 x float>, ptr %sums_at_1_0.1, align 32
            ; for key_in_block from 0 to key_count, 2 at a time
            %b_at_0 = getelementptr i16, ptr %b, i64 %index.33
            %key_in_block_limit = add i64 %key_count, -1
            %key_in_block_any = icmp slt i64 0, %key_in_block_limit
            br i1 %key_in_block_any, label %key_in_block_loop, label %key_in_block_done
            key_in_block_loop:
              %key_in_block = phi i64 [ 0, %then.2 ], [ %key_in_block_next, %key_in_block_loop ]
              %tile_0_0.10 = phi <8 x float> [ %tile_0_0.9, %then.2 ], [ %tile_0_0.12, %key_in_block_loop ]
              %tile_1_0.10 = phi <8 x float> [ %tile_1_0.9, %then.2 ], [ %tile_1_0.12, %key_in_block_loop ]
              ; right_raw = b[(key0 + key_in_block) * b_row + panel_of_sums * 8 + column], vector
              %index.36 = add i64 %key0, %key_in_block
              %product.9 = mul i64 %index.36, %b_row
              %b_at_0.1 = getelementptr i16, ptr %b_at_0, i64 %product.9
              %right_raw_0 = load <8 x i16>, ptr %b_at_0.1, align 2
              ; vector = right_raw, in fp32
              %right_raw_0_fp32_bits = zext <8 x i16> %right_raw_0 to <8 x i32>
              %right_raw_0_fp32_bits.1 = shl <8 x i32> %right_raw_0_fp32_bits, splat (i32 16)
              %right_raw_0_fp32 = bitcast <8 x i32> %right_raw_0_fp32_bits.1 to <8 x float>
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0 = getelementptr float, ptr %scores, i64 %key_in_block
              %one_0_one = load float, ptr %scores_at_0, align 4
              %one_0_lane0 = insertelement <8 x float> poison, float %one_0_one, i64 0
              %one_0 = shufflevector <8 x float> %one_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1 = getelementptr float, ptr %scores_at_0, i64 16
              %one_1_one = load float, ptr %scores_at_1, align 4
              %one_1_lane0 = insertelement <8 x float> poison, float %one_1_one, i64 0
              %one_1 = shufflevector <8 x float> %one_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0, <8 x float> %right_raw_0_fp32, <8 x float> %tile_0_0.10)
              %tile_1_0.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1, <8 x float> %right_raw_0_fp32, <8 x float> %tile_1_0.10)
              ; key_in_block + 1
              %index.37 = add i64 %index.36, 1
              %product.10 = mul i64 %index.37, %b_row
              %b_at_0.2 = getelementptr i16, ptr %b_at_0, i64 %product.10
              %right_raw_0.1 = load <8 x i16>, ptr %b_at_0.2, align 2
              %right_raw_0_fp32_bits.2 = zext <8 x i16> %right_raw_0.1 to <8 x i32>
              %right_raw_0_fp32_bits.3 = shl <8 x i32> %right_raw_0_fp32_bits.2, splat (i32 16)
              %right_raw_0_fp32.1 = bitcast <8 x i32> %right_raw_0_fp32_bits.3 to <8 x float>
              %scores_at_0.1 = getelementptr float, ptr %scores_at_0, i64 1
              %one_0_one.1 = load float, ptr %scores_at_0.1, align 4
              %one_0_lane0.1 = insertelement <8 x float> poison, float %one_0_one.1, i64 0
              %one_0.1 = shufflevector <8 x float> %one_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.1 = getelementptr float, ptr %scores_at_0, i64 17
              %one_1_one.1 = load float, ptr %scores_at_1.1, align 4
              %one_1_lane0.1 = insertelement <8 x float> poison, float %one_1_one.1, i64 0
              %one_1.1 = shufflevector <8 x float> %one_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
              %tile_0_0.12 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.1, <8 x float> %right_raw_0_fp32.1, <8 x float> %tile_0_0.11)
              %tile_1_0.12 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.1, <8 x float> %right_raw_0_fp32.1, <8 x float> %tile_1_0.11)
              %key_in_block_next = add i64 %key_in_block, 2
              %key_in_block_more = icmp slt i64 %key_in_block_next, %key_in_block_limit
              br i1 %key_in_block_more, label %key_in_block_loop, label %key_in_block_done
            key_in_block_done:
            %tile_0_0.13 = phi <8 x float> [ %tile_0_0.9, %then.2 ], [ %tile_0_0.12, %key_in_block_loop ]
            %tile_1_0.13 = phi <8 x float> [ %tile_1_0.9, %then.2 ], [ %tile_1_0.12, %key_in_block_loop ]
            %key_in_block_rest = phi i64 [ 0, %then.2 ], [ %key_in_block_next, %key_in_block_loop ]
            ; what is left of key_in_block
            %key_in_block_any.1 = icmp slt i64 %key_in_block_rest, %key_count
            br i1 %key_in_block_any.1, label %key_in_block_loop.1, label %key_in_block_done.1
            key_in_block_loop.1:
              %key_in_block.1 = phi i64 [ %key_in_block_rest, %key_in_block_done ], [ %key_in_block_next.1, %key_in_block_loop.1 ]
              %tile_0_0.14 = phi <8 x float> [ %tile_0_0.13, %key_in_block_done ], [ %tile_0_0.15, %key_in_block_loop.1 ]
              %tile_1_0.14 = phi <8 x float> [ %tile_1_0.13, %key_in_block_done ], [ %tile_1_0.15, %key_in_block_loop.1 ]
              ; right_raw = b[(key0 + key_in_block) * b_row + panel_of_sums * 8 + column], vector
              %index.38 = add i64 %key0, %key_in_block.1
              %product.11 = mul i64 %index.38, %b_row
              %b_at_0.3 = getelementptr i16, ptr %b_at_0, i64 %product.11
              %right_raw_0.2 = load <8 x i16>, ptr %b_at_0.3, align 2
              ; vector = right_raw, in fp32
              %right_raw_0_fp32_bits.4 = zext <8 x i16> %right_raw_0.2 to <8 x i32>
              %right_raw_0_fp32_bits.5 = shl <8 x i32> %right_raw_0_fp32_bits.4, splat (i32 16)
              %right_raw_0_fp32.2 = bitcast <8 x i32> %right_raw_0_fp32_bits.5 to <8 x float>
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.2 = getelementptr float, ptr %scores, i64 %key_in_block.1
              %one_0_one.2 = load float, ptr %scores_at_0.2, align 4
              %one_0_lane0.2 = insertelement <8 x float> poison, float %one_0_one.2, i64 0
              %one_0.2 = shufflevector <8 x float> %one_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.2 = getelementptr float, ptr %scores_at_0.2, i64 16
              %one_1_one.2 = load float, ptr %scores_at_1.2, align 4
              %one_1_lane0.2 = insertelement <8 x float> poison, float %one_1_one.2, i64 0
              %one_1.2 = shufflevector <8 x float> %one_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.2, <8 x float> %right_raw_0_fp32.2, <8 x float> %tile_0_0.14)
              %tile_1_0.15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.2, <8 x float> %right_raw_0_fp32.2, <8 x float> %tile_1_0.14)
              %key_in_block_next.1 = add i64 %key_in_block.1, 1
              %key_in_block_more.1 = icmp slt i64 %key_in_block_next.1, %key_count
              br i1 %key_in_block_more.1, label %key_in_block_loop.1, label %key_in_block_done.1
            key_in_block_done.1:
            %tile_0_0.16 = phi <8 x float> [ %tile_0_0.13, %key_in_block_done ], [ %tile_0_0.15, %key_in_block_loop.1 ]
            %tile_1_0.16 = phi <8 x float> [ %tile_1_0.13, %key_in_block_done ], [ %tile_1_0.15, %key_in_block_loop.1 ]
            ; sums[panel_of_sums, row, column] = tile, vector
            store <8 x float> %tile_0_0.16, ptr %sums_at_0_0.1, align 64
            store <8 x float> %tile_1_0.16, ptr %sums_at_1_0.1, align 32
            br label %joined.2
          otherwise.2:
            ; tile = sums[panel_of_sums, row, column], vector
            %index.39 = mul i64 %panel_of_sums.1, 16
            %sums_at_0_0.2 = getelementptr float, ptr %sums, i64 %index.39
            %tile_0_0.17 = load <8 x float>, ptr %sums_at_0_0.2, align 64
            %sums_at_1_0.2 = getelementptr float, ptr %sums_at_0_0.2, i64 8
            %tile_1_0.17 = load <8 x float>, ptr %sums_at_1_0.2, align 32
            ; for key_in_block from 0 to key_count, 2 at a time
            %index.40 = mul i64 %panel_of_sums.1, -8
            %limit.2 = add i64 %n, %index.40
            %lane0.2 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
            %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.2
            %b_at_0.4 = getelementptr i16, ptr %b, i64 %index.33
            %key_in_block_limit.1 = add i64 %key_count, -1
            %key_in_block_any.2 = icmp slt i64 0, %key_in_block_limit.1
            br i1 %key_in_block_any.2, label %key_in_block_loop.2, label %key_in_block_done.2
            key_in_block_loop.2:
              %key_in_block.2 = phi i64 [ 0, %otherwise.2 ], [ %key_in_block_next.2, %key_in_block_loop.2 ]
              %tile_0_0.18 = phi <8 x float> [ %tile_0_0.17, %otherwise.2 ], [ %tile_0_0.20, %key_in_block_loop.2 ]
              %tile_1_0.18 = phi <8 x float> [ %tile_1_0.17, %otherwise.2 ], [ %tile_1_0.20, %key_in_block_loop.2 ]
              ; right_raw = b[(key0 + key_in_block) * b_row + panel_of_sums * 8 + column], vector where panel_of_sums * 8 + column < n, else 0
              %index.41 = add i64 %key0, %key_in_block.2
              %product.12 = mul i64 %index.41, %b_row
              %b_at_0.5 = getelementptr i16, ptr %b_at_0.4, i64 %product.12
              %right_raw_0.3 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %b_at_0.5, i32 2, <8 x i1> %mask.2, <8 x i16> zeroinitializer)
              ; vector = right_raw, in fp32
              %right_raw_0_fp32_bits.6 = zext <8 x i16> %right_raw_0.3 to <8 x i32>
              %right_raw_0_fp32_bits.7 = shl <8 x i32> %right_raw_0_fp32_bits.6, splat (i32 16)
              %right_raw_0_fp32.3 = bitcast <8 x i32> %right_raw_0_fp32_bits.7 to <8 x float>
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.3 = getelementptr float, ptr %scores, i64 %key_in_block.2
              %one_0_one.3 = load float, ptr %scores_at_0.3, align 4
              %one_0_lane0.3 = insertelement <8 x float> poison, float %one_0_one.3, i64 0
              %one_0.3 = shufflevector <8 x float> %one_0_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.3 = getelementptr float, ptr %scores_at_0.3, i64 16
              %one_1_one.3 = load float, ptr %scores_at_1.3, align 4
              %one_1_lane0.3 = insertelement <8 x float> poison, float %one_1_one.3, i64 0
              %one_1.3 = shufflevector <8 x float> %one_1_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.19 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.3, <8 x float> %right_raw_0_fp32.3, <8 x float> %tile_0_0.18)
              %tile_1_0.19 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.3, <8 x float> %right_raw_0_fp32.3, <8 x float> %tile_1_0.18)
              ; key_in_block + 1
              %index.42 = add i64 %index.41, 1
              %product.13 = mul i64 %index.42, %b_row
              %b_at_0.6 = getelementptr i16, ptr %b_at_0.4, i64 %product.13
              %right_raw_0.4 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %b_at_0.6, i32 2, <8 x i1> %mask.2, <8 x i16> zeroinitializer)
              %right_raw_0_fp32_bits.8 = zext <8 x i16> %right_raw_0.4 to <8 x i32>
              %right_raw_0_fp32_bits.9 = shl <8 x i32> %right_raw_0_fp32_bits.8, splat (i32 16)
              %right_raw_0_fp32.4 = bitcast <8 x i32> %right_raw_0_fp32_bits.9 to <8 x float>
              %scores_at_0.4 = getelementptr float, ptr %scores_at_0.3, i64 1
              %one_0_one.4 = load float, ptr %scores_at_0.4, align 4
              %one_0_lane0.4 = insertelement <8 x float> poison, float %one_0_one.4, i64 0
              %one_0.4 = shufflevector <8 x float> %one_0_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.4 = getelementptr float, ptr %scores_at_0.3, i64 17
              %one_1_one.4 = load float, ptr %scores_at_1.4, align 4
              %one_1_lane0.4 = insertelement <8 x float> poison, float %one_1_one.4, i64 0
              %one_1.4 = shufflevector <8 x float> %one_1_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              %tile_0_0.20 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.4, <8 x float> %right_raw_0_fp32.4, <8 x float> %tile_0_0.19)
              %tile_1_0.20 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.4, <8 x float> %right_raw_0_fp32.4, <8 x float> %tile_1_0.19)
              %key_in_block_next.2 = add i64 %key_in_block.2, 2
              %key_in_block_more.2 = icmp slt i64 %key_in_block_next.2, %key_in_block_limit.1
              br i1 %key_in_block_more.2, label %key_in_block_loop.2, label %key_in_block_done.2
            key_in_block_done.2:
            %tile_0_0.21 = phi <8 x float> [ %tile_0_0.17, %otherwise.2 ], [ %tile_0_0.20, %key_in_block_loop.2 ]
            %tile_1_0.21 = phi <8 x float> [ %tile_1_0.17, %otherwise.2 ], [ %tile_1_0.20, %key_in_block_loop.2 ]
            %key_in_block_rest.1 = phi i64 [ 0, %otherwise.2 ], [ %key_in_block_next.2, %key_in_block_loop.2 ]
            ; what is left of key_in_block
            %key_in_block_any.3 = icmp slt i64 %key_in_block_rest.1, %key_count
            br i1 %key_in_block_any.3, label %key_in_block_loop.3, label %key_in_block_done.3
            key_in_block_loop.3:
              %key_in_block.3 = phi i64 [ %key_in_block_rest.1, %key_in_block_done.2 ], [ %key_in_block_next.3, %key_in_block_loop.3 ]
              %tile_0_0.22 = phi <8 x float> [ %tile_0_0.21, %key_in_block_done.2 ], [ %tile_0_0.23, %key_in_block_loop.3 ]
              %tile_1_0.22 = phi <8 x float> [ %tile_1_0.21, %key_in_block_done.2 ], [ %tile_1_0.23, %key_in_block_loop.3 ]
              ; right_raw = b[(key0 + key_in_block) * b_row + panel_of_sums * 8 + column], vector where panel_of_sums * 8 + column < n, else 0
              %index.43 = add i64 %key0, %key_in_block.3
              %product.14 = mul i64 %index.43, %b_row
              %b_at_0.7 = getelementptr i16, ptr %b_at_0.4, i64 %product.14
              %right_raw_0.5 = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr %b_at_0.7, i32 2, <8 x i1> %mask.2, <8 x i16> zeroinitializer)
              ; vector = right_raw, in fp32
              %right_raw_0_fp32_bits.10 = zext <8 x i16> %right_raw_0.5 to <8 x i32>
              %right_raw_0_fp32_bits.11 = shl <8 x i32> %right_raw_0_fp32_bits.10, splat (i32 16)
              %right_raw_0_fp32.5 = bitcast <8 x i32> %right_raw_0_fp32_bits.11 to <8 x float>
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.5 = getelementptr float, ptr %scores, i64 %key_in_block.3
              %one_0_one.5 = load float, ptr %scores_at_0.5, align 4
              %one_0_lane0.5 = insertelement <8 x float> poison, float %one_0_one.5, i64 0
              %one_0.5 = shufflevector <8 x float> %one_0_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.5 = getelementptr float, ptr %scores_at_0.5, i64 16
              %one_1_one.5 = load float, ptr %scores_at_1.5, align 4
              %one_1_lane0.5 = insertelement <8 x float> poison, float %one_1_one.5, i64 0
              %one_1.5 = shufflevector <8 x float> %one_1_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.5, <8 x float> %right_raw_0_fp32.5, <8 x float> %tile_0_0.22)
              %tile_1_0.23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.5, <8 x float> %right_raw_0_fp32.5, <8 x float> %tile_1_0.22)
              %key_in_block_next.3 = add i64 %key_in_block.3, 1
              %key_in_block_more.3 = icmp slt i64 %key_in_block_next.3, %key_count
              br i1 %key_in_block_more.3, label %key_in_block_loop.3, label %key_in_block_done.3
            key_in_block_done.3:
            %tile_0_0.24 = phi <8 x float> [ %tile_0_0.21, %key_in_block_done.2 ], [ %tile_0_0.23, %key_in_block_loop.3 ]
            %tile_1_0.24 = phi <8 x float> [ %tile_1_0.21, %key_in_block_done.2 ], [ %tile_1_0.23, %key_in_block_loop.3 ]
            ; sums[panel_of_sums, row, column] = tile, vector
            store <8 x float> %tile_0_0.24, ptr %sums_at_0_0.2, align 64
            store <8 x float> %tile_1_0.24, ptr %sums_at_1_0.2, align 32
            br label %joined.2
          joined.2:
          %panel_of_sums_next.1 = add i64 %panel_of_sums.1, 1
          %panel_of_sums_more.1 = icmp slt i64 %panel_of_sums_next.1, %quotient.2
          br i1 %panel_of_sums_more.1, label %panel_of_sums_loop.1, label %panel_of_sums_done.1
        panel_of_sums_done.1:
        %block_number_next = add i64 %block_number, 1
        %block_number_more = icmp slt i64 %block_number_next, %blocks_of_keys
        br i1 %block_number_more, label %block_number_loop, label %block_number_done
      block_number_done:
      ; for panel_of_sums from 0 to (n + 7) // 8
      br i1 %panel_of_sums_any, label %panel_of_sums_loop.2, label %panel_of_sums_done.2
      panel_of_sums_loop.2:
        %panel_of_sums.2 = phi i64 [ 0, %block_number_done ], [ %panel_of_sums_next.2, %joined.3 ]
        ; if panel_of_sums * 8 + 7 < n
        %index.44 = mul i64 %panel_of_sums.2, 8
        %index.45 = add i64 %index.44, 7
        %holds.3 = icmp slt i64 %index.45, %n
        br i1 %holds.3, label %then.3, label %otherwise.3
        then.3:
          ; tile = sums[panel_of_sums, row, column], vector
          %index.46 = mul i64 %panel_of_sums.2, 16
          %sums_at_0_0.3 = getelementptr float, ptr %sums, i64 %index.46
          %tile_0_0.25 = load <8 x float>, ptr %sums_at_0_0.3, align 64
          %sums_at_1_0.3 = getelementptr float, ptr %sums_at_0_0.3, i64 8
          %tile_1_0.25 = load <8 x float>, ptr %sums_at_1_0.3, align 32
          ; result = tile, in fp32
          %result_0_0_bits = bitcast <8 x float> %tile_0_0.25 to <8 x i32>
          %result_0_0_above = lshr <8 x i32> %result_0_0_bits, splat (i32 16)
          %result_0_0_odd = and <8 x i32> %result_0_0_above, splat (i32 1)
          %result_0_0_half = add <8 x i32> %result_0_0_odd, splat (i32 32767)
          %result_0_0_bits.1 = add <8 x i32> %result_0_0_bits, %result_0_0_half
          %result_0_0_is_nan = fcmp uno <8 x float> %tile_0_0.25, %tile_0_0.25
          %result_0_0_bits.2 = select <8 x i1> %result_0_0_is_nan, <8 x i32> splat (i32 2143289344), <8 x i32> %result_0_0_bits.1
          %result_0_0_bits.3 = lshr <8 x i32> %result_0_0_bits.2, splat (i32 16)
          %result_0_0 = trunc <8 x i32> %result_0_0_bits.3 to <8 x i16>
          %result_1_0_bits = bitcast <8 x float> %tile_1_0.25 to <8 x i32>
          %result_1_0_above = lshr <8 x i32> %result_1_0_bits, splat (i32 16)
          %result_1_0_odd = and <8 x i32> %result_1_0_above, splat (i32 1)
          %result_1_0_half = add <8 x i32> %result_1_0_odd, splat (i32 32767)
          %result_1_0_bits.1 = add <8 x i32> %result_1_0_bits, %result_1_0_half
          %result_1_0_is_nan = fcmp uno <8 x float> %tile_1_0.25, %tile_1_0.25
          %result_1_0_bits.2 = select <8 x i1> %result_1_0_is_nan, <8 x i32> splat (i32 2143289344), <8 x i32> %result_1_0_bits.1
          %result_1_0_bits.3 = lshr <8 x i32> %result_1_0_bits.2, splat (i32 16)
          %result_1_0 = trunc <8 x i32> %result_1_0_bits.3 to <8 x i16>
          ; out[at_row * out_row + panel_of_sums * 8 + column] = result, vector where row0 + row < m
          %holds.4 = icmp slt i64 %row0, %m
          %product.15 = mul i64 %at_row_0, %out_row
          %index.47 = add i64 %product.15, %index.44
          %out_at_0_0 = getelementptr i16, ptr %out, i64 %index.47
          %lane0.3 = insertelement <8 x i1> poison, i1 %holds.4, i64 0
          %all.3 = shufflevector <8 x i1> %lane0.3, <8 x i1> poison, <8 x i32> zeroinitializer
          call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_0_0, ptr %out_at_0_0, i32 2, <8 x i1> %all.3)
          %holds.5 = icmp slt i64 %index.21, %m
          %product.16 = mul i64 %at_row_1, %out_row
          %index.48 = add i64 %product.16, %index.44
          %out_at_1_0 = getelementptr i16, ptr %out, i64 %index.48
          %lane0.4 = insertelement <8 x i1> poison, i1 %holds.5, i64 0
          %all.4 = shufflevector <8 x i1> %lane0.4, <8 x i1> poison, <8 x i32> zeroinitializer
          call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_1_0, ptr %out_at_1_0, i32 2, <8 x i1> %all.4)
          br label %joined.3
        otherwise.3:
          ; tile = sums[panel_of_sums, row, column], vector
          %index.49 = mul i64 %panel_of_sums.2, 16
          %sums_at_0_0.4 = getelementptr float, ptr %sums, i64 %index.49
          %tile_0_0.26 = load <8 x float>, ptr %sums_at_0_0.4, align 64
          %sums_at_1_0.4 = getelementptr float, ptr %sums_at_0_0.4, i64 8
          %tile_1_0.26 = load <8 x float>, ptr %sums_at_1_0.4, align 32
          ; result = tile, in fp32
          %result_0_0_bits.4 = bitcast <8 x float> %tile_0_0.26 to <8 x i32>
          %result_0_0_above.1 = lshr <8 x i32> %result_0_0_bits.4, splat (i32 16)
          %result_0_0_odd.1 = and <8 x i32> %result_0_0_above.1, splat (i32 1)
          %result_0_0_half.1 = add <8 x i32> %result_0_0_odd.1, splat (i32 32767)
          %result_0_0_bits.5 = add <8 x i32> %result_0_0_bits.4, %result_0_0_half.1
          %result_0_0_is_nan.1 = fcmp uno <8 x float> %tile_0_0.26, %tile_0_0.26
          %result_0_0_bits.6 = select <8 x i1> %result_0_0_is_nan.1, <8 x i32> splat (i32 2143289344), <8 x i32> %result_0_0_bits.5
          %result_0_0_bits.7 = lshr <8 x i32> %result_0_0_bits.6, splat (i32 16)
          %result_0_0.1 = trunc <8 x i32> %result_0_0_bits.7 to <8 x i16>
          %result_1_0_bits.4 = bitcast <8 x float> %tile_1_0.26 to <8 x i32>
          %result_1_0_above.1 = lshr <8 x i32> %result_1_0_bits.4, splat (i32 16)
          %result_1_0_odd.1 = and <8 x i32> %result_1_0_above.1, splat (i32 1)
          %result_1_0_half.1 = add <8 x i32> %result_1_0_odd.1, splat (i32 32767)
          %result_1_0_bits.5 = add <8 x i32> %result_1_0_bits.4, %result_1_0_half.1
          %result_1_0_is_nan.1 = fcmp uno <8 x float> %tile_1_0.26, %tile_1_0.26
          %result_1_0_bits.6 = select <8 x i1> %result_1_0_is_nan.1, <8 x i32> splat (i32 2143289344), <8 x i32> %result_1_0_bits.5
          %result_1_0_bits.7 = lshr <8 x i32> %result_1_0_bits.6, splat (i32 16)
          %result_1_0.1 = trunc <8 x i32> %result_1_0_bits.7 to <8 x i16>
          ; out[at_row * out_row + panel_of_sums * 8 + column] = result, vector where row0 + row < m and panel_of_sums * 8 + column < n
          %holds.6 = icmp slt i64 %row0, %m
          %index.50 = mul i64 %panel_of_sums.2, -8
          %limit.3 = add i64 %n, %index.50
          %lane0.5 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
          %all.5 = shufflevector <8 x i64> %lane0.5, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.5
          %product.17 = mul i64 %at_row_0, %out_row
          %index.51 = add i64 %product.17, %index.44
          %out_at_0_0.1 = getelementptr i16, ptr %out, i64 %index.51
          %lane0.6 = insertelement <8 x i1> poison, i1 %holds.6, i64 0
          %all.6 = shufflevector <8 x i1> %lane0.6, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.4 = and <8 x i1> %mask.3, %all.6
          call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_0_0.1, ptr %out_at_0_0.1, i32 2, <8 x i1> %mask.4)
          %holds.7 = icmp slt i64 %index.21, %m
          %product.18 = mul i64 %at_row_1, %out_row
          %index.52 = add i64 %product.18, %index.44
          %out_at_1_0.1 = getelementptr i16, ptr %out, i64 %index.52
          %lane0.7 = insertelement <8 x i1> poison, i1 %holds.7, i64 0
          %all.7 = shufflevector <8 x i1> %lane0.7, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.5 = and <8 x i1> %mask.3, %all.7
          call void @llvm.masked.store.v8i16.p0(<8 x i16> %result_1_0.1, ptr %out_at_1_0.1, i32 2, <8 x i1> %mask.5)
          br label %joined.3
        joined.3:
        %panel_of_sums_next.2 = add i64 %panel_of_sums.2, 1
        %panel_of_sums_more.2 = icmp slt i64 %panel_of_sums_next.2, %quotient.2
        br i1 %panel_of_sums_more.2, label %panel_of_sums_loop.2, label %panel_of_sums_done.2
      panel_of_sums_done.2:
      %tile_number_next = add i64 %tile_number, 1
      %tile_number_more = icmp slt i64 %tile_number_next, %last_tile
      br i1 %tile_number_more, label %tile_number_loop, label %tile_number_done
    tile_number_done:
    %round_next = add i64 %round, 1
    %round_more = icmp slt i64 %round_next, %round_stop
    br i1 %round_more, label %round_loop, label %round_done
  round_done:
  ret void
}
