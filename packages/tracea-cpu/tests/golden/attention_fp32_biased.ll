; tracea: attention masked by fp32 fp32
; variant        cpu.chained.avx2_fp32 for x86-64-v3
; configuration  2x8x1 s1 w1 kb16
; schedule       4d0784505ecd3504396f641e258bb04c788ea06c6299e5bde551f452d4c21ba0
; certificate    7913980fe896c332d47e2604bf54c5b2f21f22fc4e52b997b936c280ea0f5e00: structure, domains, types, layouts, lanes, registers, meaning

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

; q: fp32, read, aligned to 4 bytes
; k_matrix: fp32, read, aligned to 4 bytes
; v: fp32, read, aligned to 4 bytes
; score_bias: fp32, read, aligned to 8 bytes
; out: fp32, write, aligned to 4 bytes
; items: query heads of all sequences; 0 to 4611686018427387904
; m: queries; 0 to 4611686018427387904
; n: columns of v; 0 to 4611686018427387904
; k: columns of q and k; 0 to 4611686018427387904
; keys: keys; 0 to 4611686018427387904 by 2
; heads: query heads of a sequence; 1 to 4611686018427387904
; group: query heads that share keys; 1 to 4611686018427387904
; q_batch: q: next batch; -4611686018427387904 to 4611686018427387904
; q_head: q: next head; -4611686018427387904 to 4611686018427387904
; q_row: q: next row; -4611686018427387904 to 4611686018427387904
; k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904
; k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904
; k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904
; v_batch: v: next batch; -4611686018427387904 to 4611686018427387904
; v_head: v: next head; -4611686018427387904 to 4611686018427387904
; v_row: v: next row; -4611686018427387904 to 4611686018427387904
; out_batch: out: next batch; -4611686018427387904 to 4611686018427387904
; out_head: out: next head; -4611686018427387904 to 4611686018427387904
; out_row: out: next row; -4611686018427387904 to 4611686018427387904
; score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904 by 2
; score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904 by 2
; score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904 by 2
; row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
; packed: panel of fp32, column 8 = 1*8 + 3 bits, atom 2^3, (keys + 7) // 8 * k times, kept for a tile_column, aligned to 64 bytes
; scores: panel of fp32, row 2 = 2*16, column 16 = 16*1, kept for a tile, aligned to 64 bytes
; sums: panel of fp32, row 2 = 2*8, column 8 = 8*1, (n + 7) // 8 times, kept for a tile, aligned to 64 bytes
; tile: 2x8 of fp32 in 2 registers of 8 lanes
; part: 2x8 of fp32 in 2 registers of 8 lanes
; vector: 1x8 of fp32 in 1 registers of 8 lanes
; one: 2x1 of fp32 in 2 registers of 8 lanes
; top: 2x1 of fp32 in 2 registers of 8 lanes
; total: 2x1 of fp32 in 2 registers of 8 lanes
; block_top: 2x1 of fp32 in 2 registers of 8 lanes
; block_total: 2x1 of fp32 in 2 registers of 8 lanes
; correction: 2x1 of fp32 in 2 registers of 8 lanes
; shift: 2x1 of fp32 in 2 registers of 8 lanes
; result: 2x8 of fp32 in 2 registers of 8 lanes
; score_bias_values: 2x8 of fp32 in 2 registers of 8 lanes
define void @kernel(ptr %arguments, i64 %worker, i64 %workers) nounwind "tune-cpu"="haswell" {
  entry:
  %fill_fp32 = alloca float
  store float 0x0000000000000000, ptr %fill_fp32
  %q_word = getelementptr i64, ptr %arguments, i64 0
  %q = load ptr, ptr %q_word, align 8
  %k_matrix_word = getelementptr i64, ptr %arguments, i64 1
  %k_matrix = load ptr, ptr %k_matrix_word, align 8
  %v_word = getelementptr i64, ptr %arguments, i64 2
  %v = load ptr, ptr %v_word, align 8
  %score_bias_word = getelementptr i64, ptr %arguments, i64 3
  %score_bias = load ptr, ptr %score_bias_word, align 8
  %out_word = getelementptr i64, ptr %arguments, i64 4
  %out = load ptr, ptr %out_word, align 8
  %items_word = getelementptr i64, ptr %arguments, i64 5
  %items = load i64, ptr %items_word, align 8
  %m_word = getelementptr i64, ptr %arguments, i64 6
  %m = load i64, ptr %m_word, align 8
  %n_word = getelementptr i64, ptr %arguments, i64 7
  %n = load i64, ptr %n_word, align 8
  %k_word = getelementptr i64, ptr %arguments, i64 8
  %k = load i64, ptr %k_word, align 8
  %keys_word = getelementptr i64, ptr %arguments, i64 9
  %keys = load i64, ptr %keys_word, align 8
  %heads_word = getelementptr i64, ptr %arguments, i64 10
  %heads = load i64, ptr %heads_word, align 8
  %group_word = getelementptr i64, ptr %arguments, i64 11
  %group = load i64, ptr %group_word, align 8
  %q_batch_word = getelementptr i64, ptr %arguments, i64 12
  %q_batch = load i64, ptr %q_batch_word, align 8
  %q_head_word = getelementptr i64, ptr %arguments, i64 13
  %q_head = load i64, ptr %q_head_word, align 8
  %q_row_word = getelementptr i64, ptr %arguments, i64 14
  %q_row = load i64, ptr %q_row_word, align 8
  %k_matrix_batch_word = getelementptr i64, ptr %arguments, i64 15
  %k_matrix_batch = load i64, ptr %k_matrix_batch_word, align 8
  %k_matrix_head_word = getelementptr i64, ptr %arguments, i64 16
  %k_matrix_head = load i64, ptr %k_matrix_head_word, align 8
  %k_matrix_row_word = getelementptr i64, ptr %arguments, i64 17
  %k_matrix_row = load i64, ptr %k_matrix_row_word, align 8
  %v_batch_word = getelementptr i64, ptr %arguments, i64 18
  %v_batch = load i64, ptr %v_batch_word, align 8
  %v_head_word = getelementptr i64, ptr %arguments, i64 19
  %v_head = load i64, ptr %v_head_word, align 8
  %v_row_word = getelementptr i64, ptr %arguments, i64 20
  %v_row = load i64, ptr %v_row_word, align 8
  %out_batch_word = getelementptr i64, ptr %arguments, i64 21
  %out_batch = load i64, ptr %out_batch_word, align 8
  %out_head_word = getelementptr i64, ptr %arguments, i64 22
  %out_head = load i64, ptr %out_head_word, align 8
  %out_row_word = getelementptr i64, ptr %arguments, i64 23
  %out_row = load i64, ptr %out_row_word, align 8
  %score_bias_batch_word = getelementptr i64, ptr %arguments, i64 24
  %score_bias_batch = load i64, ptr %score_bias_batch_word, align 8
  %score_bias_head_word = getelementptr i64, ptr %arguments, i64 25
  %score_bias_head = load i64, ptr %score_bias_head_word, align 8
  %score_bias_row_word = getelementptr i64, ptr %arguments, i64 26
  %score_bias_row = load i64, ptr %score_bias_row_word, align 8
  %row_splits_word = getelementptr i64, ptr %arguments, i64 27
  %row_splits = load i64, ptr %row_splits_word, align 8
  %barrier_word = getelementptr i64, ptr %arguments, i64 28
  %barrier = load ptr, ptr %barrier_word, align 8
  %packed_of_all_word = getelementptr i64, ptr %arguments, i64 29
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
  %scores_of_all_word = getelementptr i64, ptr %arguments, i64 30
  %scores_of_all = load ptr, ptr %scores_of_all_word, align 8
  %scores_own = mul i64 %worker, 128
  %scores = getelementptr i8, ptr %scores_of_all, i64 %scores_own
  %sums_of_all_word = getelementptr i64, ptr %arguments, i64 31
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
  ; units = items * row_splits
  %units = mul i64 %items, %row_splits
  ; for round from 0 to (units - worker + workers - 1) // workers
  %index.8 = add i64 %units, %workers
  %index.9 = sub i64 %index.8, %worker
  %index.10 = add i64 %index.9, -1
  %rest = srem i64 %index.10, %workers
  %below = ashr i64 %rest, 63
  %quotient.4 = sdiv i64 %index.10, %workers
  %round_stop = add i64 %quotient.4, %below
  %index.12 = mul i64 %blocks_of_keys, 2
  %index.24 = add i64 %m, -1
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
    ; head = item % heads
    %head = urem i64 %item, %heads
    ; sequence = item // heads
    %sequence = udiv i64 %item, %heads
    ; kv_head = head // group
    %kv_head = udiv i64 %head, %group
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
        %product.4 = mul i64 %sequence, %k_matrix_batch
        %product.5 = mul i64 %kv_head, %k_matrix_head
        %product.6 = mul i64 %index.13, %k_matrix_row
        %index.15 = add i64 %product.4, %product.5
        %index.16 = add i64 %index.15, %product.6
        %k_matrix_at_0 = getelementptr float, ptr %k_matrix, i64 %index.16
        %product.7 = mul i64 %panel, %k
        %index.17 = mul i64 %product.7, 8
        %packed_at_0 = getelementptr float, ptr %packed, i64 %index.17
        %depth_any = icmp slt i64 0, %k
        br i1 %depth_any, label %depth_loop, label %depth_done
        depth_loop:
          %depth = phi i64 [ 0, %then ], [ %depth_next, %depth_loop ]
          ; vector = k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + (panel * 8 + column) * k_matrix_row + depth], gather
          %k_matrix_at_0.1 = getelementptr float, ptr %k_matrix_at_0, i64 %depth
          %lane_at = getelementptr float, ptr %k_matrix_at_0.1, i64 %k_matrix_row
          %lane_at.1 = getelementptr float, ptr %lane_at, i64 %k_matrix_row
          %lane_at.2 = getelementptr float, ptr %lane_at.1, i64 %k_matrix_row
          %lane_at.3 = getelementptr float, ptr %lane_at.2, i64 %k_matrix_row
          %lane_at.4 = getelementptr float, ptr %lane_at.3, i64 %k_matrix_row
          %lane_at.5 = getelementptr float, ptr %lane_at.4, i64 %k_matrix_row
          %lane_at.6 = getelementptr float, ptr %lane_at.5, i64 %k_matrix_row
          %vector_0_one = load float, ptr %k_matrix_at_0.1, align 4
          %vector_0 = insertelement <8 x float> poison, float %vector_0_one, i64 0
          %vector_0_one.1 = load float, ptr %lane_at, align 4
          %vector_0.1 = insertelement <8 x float> %vector_0, float %vector_0_one.1, i64 1
          %vector_0_one.2 = load float, ptr %lane_at.1, align 4
          %vector_0.2 = insertelement <8 x float> %vector_0.1, float %vector_0_one.2, i64 2
          %vector_0_one.3 = load float, ptr %lane_at.2, align 4
          %vector_0.3 = insertelement <8 x float> %vector_0.2, float %vector_0_one.3, i64 3
          %vector_0_one.4 = load float, ptr %lane_at.3, align 4
          %vector_0.4 = insertelement <8 x float> %vector_0.3, float %vector_0_one.4, i64 4
          %vector_0_one.5 = load float, ptr %lane_at.4, align 4
          %vector_0.5 = insertelement <8 x float> %vector_0.4, float %vector_0_one.5, i64 5
          %vector_0_one.6 = load float, ptr %lane_at.5, align 4
          %vector_0.6 = insertelement <8 x float> %vector_0.5, float %vector_0_one.6, i64 6
          %vector_0_one.7 = load float, ptr %lane_at.6, align 4
          %vector_0.7 = insertelement <8 x float> %vector_0.6, float %vector_0_one.7, i64 7
          ; packed[panel * k + depth, column] = vector, vector
          %index.18 = mul i64 %depth, 8
          %packed_at_0.1 = getelementptr float, ptr %packed_at_0, i64 %index.18
          store <8 x float> %vector_0.7, ptr %packed_at_0.1, align 32
          %depth_next = add i64 %depth, 1
          %depth_more = icmp slt i64 %depth_next, %k
          br i1 %depth_more, label %depth_loop, label %depth_done
        depth_done:
        br label %joined
      otherwise:
        ; for depth from 0 to k
        %index.19 = mul i64 %panel, -8
        %limit = add i64 %keys, %index.19
        %lane0 = insertelement <8 x i64> poison, i64 %limit, i64 0
        %all = shufflevector <8 x i64> %lane0, <8 x i64> poison, <8 x i32> zeroinitializer
        %mask = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all
        %product.8 = mul i64 %sequence, %k_matrix_batch
        %product.9 = mul i64 %kv_head, %k_matrix_head
        %lane0.1 = insertelement <8 x i64> poison, i64 %index.13, i64 0
        %all.1 = shufflevector <8 x i64> %lane0.1, <8 x i64> poison, <8 x i32> zeroinitializer
        %index.20 = add <8 x i64> %all.1, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
        %lane0.2 = insertelement <8 x i64> poison, i64 %k_matrix_row, i64 0
        %all.2 = shufflevector <8 x i64> %lane0.2, <8 x i64> poison, <8 x i32> zeroinitializer
        %product.10 = mul <8 x i64> %index.20, %all.2
        %index.21 = add i64 %product.8, %product.9
        %k_matrix_at_0.2 = getelementptr float, ptr %k_matrix, i64 %index.21
        %lane0.3 = insertelement <8 x ptr> poison, ptr %fill_fp32, i64 0
        %all.3 = shufflevector <8 x ptr> %lane0.3, <8 x ptr> poison, <8 x i32> zeroinitializer
        %product.11 = mul i64 %panel, %k
        %index.22 = mul i64 %product.11, 8
        %packed_at_0.2 = getelementptr float, ptr %packed, i64 %index.22
        %depth_any.1 = icmp slt i64 0, %k
        br i1 %depth_any.1, label %depth_loop.1, label %depth_done.1
        depth_loop.1:
          %depth.1 = phi i64 [ 0, %otherwise ], [ %depth_next.1, %depth_loop.1 ]
          ; vector = k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + (panel * 8 + column) * k_matrix_row + depth], gather where panel * 8 + column < keys, else 0
          %k_matrix_at_0.3 = getelementptr float, ptr %k_matrix_at_0.2, i64 %depth.1
          %lanes_at = getelementptr float, ptr %k_matrix_at_0.3, <8 x i64> %product.10
          %safe_at = select <8 x i1> %mask, <8 x ptr> %lanes_at, <8 x ptr> %all.3
          %lane_at.7 = extractelement <8 x ptr> %safe_at, i64 0
          %lane_at.8 = extractelement <8 x ptr> %safe_at, i64 1
          %lane_at.9 = extractelement <8 x ptr> %safe_at, i64 2
          %lane_at.10 = extractelement <8 x ptr> %safe_at, i64 3
          %lane_at.11 = extractelement <8 x ptr> %safe_at, i64 4
          %lane_at.12 = extractelement <8 x ptr> %safe_at, i64 5
          %lane_at.13 = extractelement <8 x ptr> %safe_at, i64 6
          %lane_at.14 = extractelement <8 x ptr> %safe_at, i64 7
          %vector_0_one.8 = load float, ptr %lane_at.7, align 4
          %vector_0.8 = insertelement <8 x float> poison, float %vector_0_one.8, i64 0
          %vector_0_one.9 = load float, ptr %lane_at.8, align 4
          %vector_0.9 = insertelement <8 x float> %vector_0.8, float %vector_0_one.9, i64 1
          %vector_0_one.10 = load float, ptr %lane_at.9, align 4
          %vector_0.10 = insertelement <8 x float> %vector_0.9, float %vector_0_one.10, i64 2
          %vector_0_one.11 = load float, ptr %lane_at.10, align 4
          %vector_0.11 = insertelement <8 x float> %vector_0.10, float %vector_0_one.11, i64 3
          %vector_0_one.12 = load float, ptr %lane_at.11, align 4
          %vector_0.12 = insertelement <8 x float> %vector_0.11, float %vector_0_one.12, i64 4
          %vector_0_one.13 = load float, ptr %lane_at.12, align 4
          %vector_0.13 = insertelement <8 x float> %vector_0.12, float %vector_0_one.13, i64 5
          %vector_0_one.14 = load float, ptr %lane_at.13, align 4
          %vector_0.14 = insertelement <8 x float> %vector_0.13, float %vector_0_one.14, i64 6
          %vector_0_one.15 = load float, ptr %lane_at.14, align 4
          %vector_0.15 = insertelement <8 x float> %vector_0.14, float %vector_0_one.15, i64 7
          ; packed[panel * k + depth, column] = vector, vector
          %index.23 = mul i64 %depth.1, 8
          %packed_at_0.3 = getelementptr float, ptr %packed_at_0.2, i64 %index.23
          store <8 x float> %vector_0.15, ptr %packed_at_0.3, align 32
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
    %product.12 = mul i64 %sequence, %q_batch
    %product.13 = mul i64 %head, %q_head
    %index.26 = add i64 %product.12, %product.13
    %product.16 = mul i64 %sequence, %score_bias_batch
    %product.17 = mul i64 %head, %score_bias_head
    %index.27 = add i64 %product.16, %product.17
    %tile_number_any = icmp slt i64 %first_tile, %last_tile
    br i1 %tile_number_any, label %tile_number_loop, label %tile_number_done
    tile_number_loop:
      %tile_number = phi i64 [ %first_tile, %panel_done ], [ %tile_number_next, %panel_of_sums_done.2 ]
      ; row0 = tile_number * 2
      %row0 = mul i64 %tile_number, 2
      ; at_row = min(row0 + row, m - 1) for each element of one
      %at_row_0 = call i64 @llvm.smin.i64(i64 %row0, i64 %index.24)
      %index.25 = add i64 %row0, 1
      %at_row_1 = call i64 @llvm.smin.i64(i64 %index.25, i64 %index.24)
      ; left_base = sequence * q_batch + head * q_head + at_row * q_row for each element of one
      %product.14 = mul i64 %at_row_0, %q_row
      %left_base_0 = add i64 %index.26, %product.14
      %product.15 = mul i64 %at_row_1, %q_row
      %left_base_1 = add i64 %index.26, %product.15
      ; bias_base = sequence * score_bias_batch + head * score_bias_head + at_row * score_bias_row for each element of one
      %product.18 = mul i64 %at_row_0, %score_bias_row
      %bias_base_0 = add i64 %index.27, %product.18
      %product.19 = mul i64 %at_row_1, %score_bias_row
      %bias_base_1 = add i64 %index.27, %product.19
      ; top = -3.40282e+38
      ; total = 0
      ; for panel_of_sums from 0 to (n + 7) // 8
      %panel_of_sums_any = icmp slt i64 0, %quotient.2
      br i1 %panel_of_sums_any, label %panel_of_sums_loop, label %panel_of_sums_done
      panel_of_sums_loop:
        %panel_of_sums = phi i64 [ 0, %tile_number_loop ], [ %panel_of_sums_next, %panel_of_sums_loop ]
        ; tile = 0
        ; sums[panel_of_sums, row, column] = tile, vector
        %index.28 = mul i64 %panel_of_sums, 16
        %sums_at_0_0 = getelementptr float, ptr %sums, i64 %index.28
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
      %q_at_0 = getelementptr float, ptr %q, i64 %left_base_0
      %q_at_1 = getelementptr float, ptr %q, i64 %left_base_1
      %score_bias_at_0_0 = getelementptr float, ptr %score_bias, i64 %bias_base_0
      %score_bias_at_1_0 = getelementptr float, ptr %score_bias, i64 %bias_base_1
      %block_number_any = icmp slt i64 0, %blocks_of_keys
      br i1 %block_number_any, label %block_number_loop, label %block_number_done
      block_number_loop:
        %block_number = phi i64 [ 0, %panel_of_sums_done ], [ %block_number_next, %panel_of_sums_done.1 ]
        %top_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %panel_of_sums_done ], [ %block_top_0_maximum, %panel_of_sums_done.1 ]
        %top_1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %panel_of_sums_done ], [ %block_top_1_maximum, %panel_of_sums_done.1 ]
        %total_0 = phi <8 x float> [ zeroinitializer, %panel_of_sums_done ], [ %total_0_sum, %panel_of_sums_done.1 ]
        %total_1 = phi <8 x float> [ zeroinitializer, %panel_of_sums_done ], [ %total_1_sum, %panel_of_sums_done.1 ]
        ; key0 = block_number * 16
        %key0 = mul i64 %block_number, 16
        ; key_count = min(keys - key0, 16)
        %index.29 = sub i64 %keys, %key0
        %key_count = call i64 @llvm.smin.i64(i64 %index.29, i64 16)
        ; part = -3.40282e+38
        ; for chunk from 0 to (key_count + 7) // 8
        %index.30 = add i64 %key_count, 7
        %rest.1 = srem i64 %index.30, 8
        %below.1 = ashr i64 %rest.1, 63
        %quotient.5 = sdiv i64 %index.30, 8
        %chunk_stop = add i64 %quotient.5, %below.1
        %index.31 = mul i64 %block_number, 2
        %score_bias_at_0_0.1 = getelementptr float, ptr %score_bias_at_0_0, i64 %key0
        %score_bias_at_1_0.1 = getelementptr float, ptr %score_bias_at_1_0, i64 %key0
        %index.38 = add i64 %key0, 15
        %holds.1 = icmp slt i64 %index.38, %keys
        %chunk_any = icmp slt i64 0, %chunk_stop
        br i1 %chunk_any, label %chunk_loop, label %chunk_done
        chunk_loop:
          %chunk = phi i64 [ 0, %block_number_loop ], [ %chunk_next, %joined.1 ]
          %part_0_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %block_number_loop ], [ %part_0_0_maximum, %joined.1 ]
          %part_1_0 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %block_number_loop ], [ %part_1_0_maximum, %joined.1 ]
          ; tile = 0
          ; for depth from 0 to k, 2 at a time
          %index.32 = add i64 %index.31, %chunk
          %product.20 = mul i64 %index.32, %k
          %index.33 = mul i64 %product.20, 8
          %packed_at_0.4 = getelementptr float, ptr %packed, i64 %index.33
          %depth_any.2 = icmp slt i64 0, %depth_limit
          br i1 %depth_any.2, label %depth_loop.2, label %depth_done.2
          depth_loop.2:
            %depth.2 = phi i64 [ 0, %chunk_loop ], [ %depth_next.2, %depth_loop.2 ]
            %tile_0_0 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_0_0.2, %depth_loop.2 ]
            %tile_1_0 = phi <8 x float> [ zeroinitializer, %chunk_loop ], [ %tile_1_0.2, %depth_loop.2 ]
            ; vector = packed[(block_number * 2 + chunk) * k + depth, column], vector
            %index.34 = mul i64 %depth.2, 8
            %packed_at_0.5 = getelementptr float, ptr %packed_at_0.4, i64 %index.34
            %vector_0.16 = load <8 x float>, ptr %packed_at_0.5, align 32
            ; one = q[left_base + depth], broadcast
            %q_at_0.1 = getelementptr float, ptr %q_at_0, i64 %depth.2
            %one_0_one = load float, ptr %q_at_0.1, align 4
            %one_0_lane0 = insertelement <8 x float> poison, float %one_0_one, i64 0
            %one_0 = shufflevector <8 x float> %one_0_lane0, <8 x float> poison, <8 x i32> zeroinitializer
            %q_at_1.1 = getelementptr float, ptr %q_at_1, i64 %depth.2
            %one_1_one = load float, ptr %q_at_1.1, align 4
            %one_1_lane0 = insertelement <8 x float> poison, float %one_1_one, i64 0
            %one_1 = shufflevector <8 x float> %one_1_lane0, <8 x float> poison, <8 x i32> zeroinitializer
            ; tile += one * vector, fma_outer_2x1x8_fp32
            %tile_0_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0, <8 x float> %vector_0.16, <8 x float> %tile_0_0)
            %tile_1_0.1 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1, <8 x float> %vector_0.16, <8 x float> %tile_1_0)
            ; depth + 1
            %packed_at_0.6 = getelementptr float, ptr %packed_at_0.5, i64 8
            %vector_0.17 = load <8 x float>, ptr %packed_at_0.6, align 32
            %q_at_0.2 = getelementptr float, ptr %q_at_0.1, i64 1
            %one_0_one.1 = load float, ptr %q_at_0.2, align 4
            %one_0_lane0.1 = insertelement <8 x float> poison, float %one_0_one.1, i64 0
            %one_0.1 = shufflevector <8 x float> %one_0_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
            %q_at_1.2 = getelementptr float, ptr %q_at_1.1, i64 1
            %one_1_one.1 = load float, ptr %q_at_1.2, align 4
            %one_1_lane0.1 = insertelement <8 x float> poison, float %one_1_one.1, i64 0
            %one_1.1 = shufflevector <8 x float> %one_1_lane0.1, <8 x float> poison, <8 x i32> zeroinitializer
            %tile_0_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.1, <8 x float> %vector_0.17, <8 x float> %tile_0_0.1)
            %tile_1_0.2 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.1, <8 x float> %vector_0.17, <8 x float> %tile_1_0.1)
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
            %index.35 = mul i64 %depth.3, 8
            %packed_at_0.7 = getelementptr float, ptr %packed_at_0.4, i64 %index.35
            %vector_0.18 = load <8 x float>, ptr %packed_at_0.7, align 32
            ; one = q[left_base + depth], broadcast
            %q_at_0.3 = getelementptr float, ptr %q_at_0, i64 %depth.3
            %one_0_one.2 = load float, ptr %q_at_0.3, align 4
            %one_0_lane0.2 = insertelement <8 x float> poison, float %one_0_one.2, i64 0
            %one_0.2 = shufflevector <8 x float> %one_0_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
            %q_at_1.3 = getelementptr float, ptr %q_at_1, i64 %depth.3
            %one_1_one.2 = load float, ptr %q_at_1.3, align 4
            %one_1_lane0.2 = insertelement <8 x float> poison, float %one_1_one.2, i64 0
            %one_1.2 = shufflevector <8 x float> %one_1_lane0.2, <8 x float> poison, <8 x i32> zeroinitializer
            ; tile += one * vector, fma_outer_2x1x8_fp32
            %tile_0_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.2, <8 x float> %vector_0.18, <8 x float> %tile_0_0.4)
            %tile_1_0.5 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.2, <8 x float> %vector_0.18, <8 x float> %tile_1_0.4)
            %depth_next.3 = add i64 %depth.3, 1
            %depth_more.3 = icmp slt i64 %depth_next.3, %k
            br i1 %depth_more.3, label %depth_loop.3, label %depth_done.3
          depth_done.3:
          %tile_0_0.6 = phi <8 x float> [ %tile_0_0.3, %depth_done.2 ], [ %tile_0_0.5, %depth_loop.3 ]
          %tile_1_0.6 = phi <8 x float> [ %tile_1_0.3, %depth_done.2 ], [ %tile_1_0.5, %depth_loop.3 ]
          ; score_bias_values = score_bias[bias_base + key0 + chunk * 8 + column], vector where key0 + chunk * 8 + column < keys, else 0
          %index.36 = mul i64 %chunk, -8
          %limit.1 = add i64 %index.29, %index.36
          %lane0.4 = insertelement <8 x i64> poison, i64 %limit.1, i64 0
          %all.4 = shufflevector <8 x i64> %lane0.4, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.1 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.4
          %index.37 = mul i64 %chunk, 8
          %score_bias_at_0_0.2 = getelementptr float, ptr %score_bias_at_0_0.1, i64 %index.37
          %score_bias_values_0_0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %score_bias_at_0_0.2, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
          %score_bias_at_1_0.2 = getelementptr float, ptr %score_bias_at_1_0.1, i64 %index.37
          %score_bias_values_1_0 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %score_bias_at_1_0.2, i32 4, <8 x i1> %mask.1, <8 x float> zeroinitializer)
          ; tile = tile * 0.25 + score_bias_values, in fp32
          %tile_0_0_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0.6, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %score_bias_values_0_0)
          %tile_1_0_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0.6, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %score_bias_values_1_0)
          ; if key0 + 15 < keys
          br i1 %holds.1, label %joined.1, label %otherwise.1
          otherwise.1:
            ; tile = -3.40282e+38 unless key0 + chunk * 8 + column < keys
            %tile_0_0.7 = select <8 x i1> %mask.1, <8 x float> %tile_0_0_sum, <8 x float> splat (float 0xC7EFFFFFE0000000)
            %tile_1_0.7 = select <8 x i1> %mask.1, <8 x float> %tile_1_0_sum, <8 x float> splat (float 0xC7EFFFFFE0000000)
            br label %joined.1
          joined.1:
          %tile_0_0.8 = phi <8 x float> [ %tile_0_0_sum, %depth_done.3 ], [ %tile_0_0.7, %otherwise.1 ]
          %tile_1_0.8 = phi <8 x float> [ %tile_1_0_sum, %depth_done.3 ], [ %tile_1_0.7, %otherwise.1 ]
          ; part = max(part, tile), in fp32
          %part_0_0_maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %part_0_0, <8 x float> %tile_0_0.8)
          %part_1_0_maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %part_1_0, <8 x float> %tile_1_0.8)
          ; scores[row, chunk * 8 + column] = tile, vector
          %scores_at_0_0 = getelementptr float, ptr %scores, i64 %index.37
          store <8 x float> %tile_0_0.8, ptr %scores_at_0_0, align 32
          %scores_at_1_0 = getelementptr float, ptr %scores_at_0_0, i64 16
          store <8 x float> %tile_1_0.8, ptr %scores_at_1_0, align 32
          %chunk_next = add i64 %chunk, 1
          %chunk_more = icmp slt i64 %chunk_next, %chunk_stop
          br i1 %chunk_more, label %chunk_loop, label %chunk_done
        chunk_done:
        %part_0_0.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %block_number_loop ], [ %part_0_0_maximum, %joined.1 ]
        %part_1_0.1 = phi <8 x float> [ splat (float 0xC7EFFFFFE0000000), %block_number_loop ], [ %part_1_0_maximum, %joined.1 ]
        ; block_top = maximum over the columns of part
        %part_moved = shufflevector <8 x float> %part_0_0.1, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
        %block_top_0 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %part_0_0.1, <8 x float> %part_moved)
        %part_moved.1 = shufflevector <8 x float> %block_top_0, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
        %block_top_0.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %block_top_0, <8 x float> %part_moved.1)
        %part_moved.2 = shufflevector <8 x float> %block_top_0.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
        %block_top_0.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %block_top_0.1, <8 x float> %part_moved.2)
        %part_moved.3 = shufflevector <8 x float> %part_1_0.1, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
        %block_top_1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %part_1_0.1, <8 x float> %part_moved.3)
        %part_moved.4 = shufflevector <8 x float> %block_top_1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
        %block_top_1.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %block_top_1, <8 x float> %part_moved.4)
        %part_moved.5 = shufflevector <8 x float> %block_top_1.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
        %block_top_1.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %block_top_1.1, <8 x float> %part_moved.5)
        ; block_top = max(top, block_top), in fp32
        %block_top_0_maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_0, <8 x float> %block_top_0.2)
        %block_top_1_maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %top_1, <8 x float> %block_top_1.2)
        ; shift = where(block_top == -3.4028234663852886e+38, 0, block_top), in fp32
        %shift_0_eq = fcmp oeq <8 x float> %block_top_0_maximum, splat (float 0xC7EFFFFFE0000000)
        %shift_0_chosen = select <8 x i1> %shift_0_eq, <8 x float> zeroinitializer, <8 x float> %block_top_0_maximum
        %shift_1_eq = fcmp oeq <8 x float> %block_top_1_maximum, splat (float 0xC7EFFFFFE0000000)
        %shift_1_chosen = select <8 x i1> %shift_1_eq, <8 x float> zeroinitializer, <8 x float> %block_top_1_maximum
        ; correction = exp(top - shift), in fp32
        %correction_0_sub = fsub <8 x float> %top_0, %shift_0_chosen
        %correction_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %correction_0_sub
        %correction_0_exp.1 = select <8 x i1> %correction_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %correction_0_sub
        %correction_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %correction_0_exp.1
        %correction_0_exp.3 = select <8 x i1> %correction_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %correction_0_exp.1
        %correction_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
        %correction_0_exp.5 = fsub <8 x float> %correction_0_exp.4, splat (float 0x4168000000000000)
        %correction_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %correction_0_exp.3)
        %correction_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %correction_0_exp.6)
        %correction_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %correction_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
        %correction_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.8, <8 x float> %correction_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
        %correction_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.9, <8 x float> %correction_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
        %correction_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.10, <8 x float> %correction_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
        %correction_0_exp.12 = fmul <8 x float> %correction_0_exp.7, %correction_0_exp.7
        %correction_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_0_exp.11, <8 x float> %correction_0_exp.12, <8 x float> %correction_0_exp.7)
        %correction_0_exp.14 = fadd <8 x float> %correction_0_exp.13, splat (float 0x3FF0000000000000)
        %correction_0_exp.15 = bitcast <8 x float> %correction_0_exp.4 to <8 x i32>
        %correction_0_exp.16 = lshr <8 x i32> %correction_0_exp.15, splat (i32 1)
        %correction_0_exp.17 = sub <8 x i32> %correction_0_exp.15, %correction_0_exp.16
        %correction_0_exp.18 = shl <8 x i32> %correction_0_exp.16, splat (i32 23)
        %correction_0_exp.19 = add <8 x i32> %correction_0_exp.18, splat (i32 1065353216)
        %correction_0_exp.20 = bitcast <8 x i32> %correction_0_exp.19 to <8 x float>
        %correction_0_exp.21 = fmul <8 x float> %correction_0_exp.14, %correction_0_exp.20
        %correction_0_exp.22 = shl <8 x i32> %correction_0_exp.17, splat (i32 23)
        %correction_0_exp.23 = add <8 x i32> %correction_0_exp.22, splat (i32 1065353216)
        %correction_0_exp.24 = bitcast <8 x i32> %correction_0_exp.23 to <8 x float>
        %correction_0_exp.25 = fmul <8 x float> %correction_0_exp.21, %correction_0_exp.24
        %correction_1_sub = fsub <8 x float> %top_1, %shift_1_chosen
        %correction_1_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %correction_1_sub
        %correction_1_exp.1 = select <8 x i1> %correction_1_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %correction_1_sub
        %correction_1_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %correction_1_exp.1
        %correction_1_exp.3 = select <8 x i1> %correction_1_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %correction_1_exp.1
        %correction_1_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
        %correction_1_exp.5 = fsub <8 x float> %correction_1_exp.4, splat (float 0x4168000000000000)
        %correction_1_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %correction_1_exp.3)
        %correction_1_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %correction_1_exp.6)
        %correction_1_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %correction_1_exp.7, <8 x float> splat (float 0x3F8120B660000000))
        %correction_1_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.8, <8 x float> %correction_1_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
        %correction_1_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.9, <8 x float> %correction_1_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
        %correction_1_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.10, <8 x float> %correction_1_exp.7, <8 x float> splat (float 0x3FE0000000000000))
        %correction_1_exp.12 = fmul <8 x float> %correction_1_exp.7, %correction_1_exp.7
        %correction_1_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %correction_1_exp.11, <8 x float> %correction_1_exp.12, <8 x float> %correction_1_exp.7)
        %correction_1_exp.14 = fadd <8 x float> %correction_1_exp.13, splat (float 0x3FF0000000000000)
        %correction_1_exp.15 = bitcast <8 x float> %correction_1_exp.4 to <8 x i32>
        %correction_1_exp.16 = lshr <8 x i32> %correction_1_exp.15, splat (i32 1)
        %correction_1_exp.17 = sub <8 x i32> %correction_1_exp.15, %correction_1_exp.16
        %correction_1_exp.18 = shl <8 x i32> %correction_1_exp.16, splat (i32 23)
        %correction_1_exp.19 = add <8 x i32> %correction_1_exp.18, splat (i32 1065353216)
        %correction_1_exp.20 = bitcast <8 x i32> %correction_1_exp.19 to <8 x float>
        %correction_1_exp.21 = fmul <8 x float> %correction_1_exp.14, %correction_1_exp.20
        %correction_1_exp.22 = shl <8 x i32> %correction_1_exp.17, splat (i32 23)
        %correction_1_exp.23 = add <8 x i32> %correction_1_exp.22, splat (i32 1065353216)
        %correction_1_exp.24 = bitcast <8 x i32> %correction_1_exp.23 to <8 x float>
        %correction_1_exp.25 = fmul <8 x float> %correction_1_exp.21, %correction_1_exp.24
        ; top = block_top, in fp32
        ; part = 0
        ; for chunk from 0 to (key_count + 7) // 8
        br i1 %chunk_any, label %chunk_loop.1, label %chunk_done.1
        chunk_loop.1:
          %chunk.1 = phi i64 [ 0, %chunk_done ], [ %chunk_next.1, %joined.2 ]
          %part_0_0.2 = phi <8 x float> [ zeroinitializer, %chunk_done ], [ %part_0_0_add, %joined.2 ]
          %part_1_0.2 = phi <8 x float> [ zeroinitializer, %chunk_done ], [ %part_1_0_add, %joined.2 ]
          ; tile = scores[row, chunk * 8 + column], vector
          %index.39 = mul i64 %chunk.1, 8
          %scores_at_0_0.1 = getelementptr float, ptr %scores, i64 %index.39
          %tile_0_0.9 = load <8 x float>, ptr %scores_at_0_0.1, align 32
          %scores_at_1_0.1 = getelementptr float, ptr %scores_at_0_0.1, i64 16
          %tile_1_0.9 = load <8 x float>, ptr %scores_at_1_0.1, align 32
          ; tile = exp(tile - shift), in fp32
          %tile_0_0_sub = fsub <8 x float> %tile_0_0.9, %shift_0_chosen
          %tile_0_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %tile_0_0_sub
          %tile_0_0_exp.1 = select <8 x i1> %tile_0_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %tile_0_0_sub
          %tile_0_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %tile_0_0_exp.1
          %tile_0_0_exp.3 = select <8 x i1> %tile_0_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %tile_0_0_exp.1
          %tile_0_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
          %tile_0_0_exp.5 = fsub <8 x float> %tile_0_0_exp.4, splat (float 0x4168000000000000)
          %tile_0_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %tile_0_0_exp.3)
          %tile_0_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %tile_0_0_exp.6)
          %tile_0_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %tile_0_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
          %tile_0_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.8, <8 x float> %tile_0_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
          %tile_0_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.9, <8 x float> %tile_0_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
          %tile_0_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.10, <8 x float> %tile_0_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
          %tile_0_0_exp.12 = fmul <8 x float> %tile_0_0_exp.7, %tile_0_0_exp.7
          %tile_0_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_0_0_exp.11, <8 x float> %tile_0_0_exp.12, <8 x float> %tile_0_0_exp.7)
          %tile_0_0_exp.14 = fadd <8 x float> %tile_0_0_exp.13, splat (float 0x3FF0000000000000)
          %tile_0_0_exp.15 = bitcast <8 x float> %tile_0_0_exp.4 to <8 x i32>
          %tile_0_0_exp.16 = lshr <8 x i32> %tile_0_0_exp.15, splat (i32 1)
          %tile_0_0_exp.17 = sub <8 x i32> %tile_0_0_exp.15, %tile_0_0_exp.16
          %tile_0_0_exp.18 = shl <8 x i32> %tile_0_0_exp.16, splat (i32 23)
          %tile_0_0_exp.19 = add <8 x i32> %tile_0_0_exp.18, splat (i32 1065353216)
          %tile_0_0_exp.20 = bitcast <8 x i32> %tile_0_0_exp.19 to <8 x float>
          %tile_0_0_exp.21 = fmul <8 x float> %tile_0_0_exp.14, %tile_0_0_exp.20
          %tile_0_0_exp.22 = shl <8 x i32> %tile_0_0_exp.17, splat (i32 23)
          %tile_0_0_exp.23 = add <8 x i32> %tile_0_0_exp.22, splat (i32 1065353216)
          %tile_0_0_exp.24 = bitcast <8 x i32> %tile_0_0_exp.23 to <8 x float>
          %tile_0_0_exp.25 = fmul <8 x float> %tile_0_0_exp.21, %tile_0_0_exp.24
          %tile_1_0_sub = fsub <8 x float> %tile_1_0.9, %shift_1_chosen
          %tile_1_0_exp = fcmp ogt <8 x float> splat (float 0xC05A400000000000), %tile_1_0_sub
          %tile_1_0_exp.1 = select <8 x i1> %tile_1_0_exp, <8 x float> splat (float 0xC05A400000000000), <8 x float> %tile_1_0_sub
          %tile_1_0_exp.2 = fcmp olt <8 x float> splat (float 0x4056400000000000), %tile_1_0_exp.1
          %tile_1_0_exp.3 = select <8 x i1> %tile_1_0_exp.2, <8 x float> splat (float 0x4056400000000000), <8 x float> %tile_1_0_exp.1
          %tile_1_0_exp.4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.3, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
          %tile_1_0_exp.5 = fsub <8 x float> %tile_1_0_exp.4, splat (float 0x4168000000000000)
          %tile_1_0_exp.6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.5, <8 x float> splat (float 0xBFE6300000000000), <8 x float> %tile_1_0_exp.3)
          %tile_1_0_exp.7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.5, <8 x float> splat (float 0x3F2BD01060000000), <8 x float> %tile_1_0_exp.6)
          %tile_1_0_exp.8 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F56D431A0000000), <8 x float> %tile_1_0_exp.7, <8 x float> splat (float 0x3F8120B660000000))
          %tile_1_0_exp.9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.8, <8 x float> %tile_1_0_exp.7, <8 x float> splat (float 0x3FA5554EA0000000))
          %tile_1_0_exp.10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.9, <8 x float> %tile_1_0_exp.7, <8 x float> splat (float 0x3FC5554DC0000000))
          %tile_1_0_exp.11 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.10, <8 x float> %tile_1_0_exp.7, <8 x float> splat (float 0x3FE0000000000000))
          %tile_1_0_exp.12 = fmul <8 x float> %tile_1_0_exp.7, %tile_1_0_exp.7
          %tile_1_0_exp.13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %tile_1_0_exp.11, <8 x float> %tile_1_0_exp.12, <8 x float> %tile_1_0_exp.7)
          %tile_1_0_exp.14 = fadd <8 x float> %tile_1_0_exp.13, splat (float 0x3FF0000000000000)
          %tile_1_0_exp.15 = bitcast <8 x float> %tile_1_0_exp.4 to <8 x i32>
          %tile_1_0_exp.16 = lshr <8 x i32> %tile_1_0_exp.15, splat (i32 1)
          %tile_1_0_exp.17 = sub <8 x i32> %tile_1_0_exp.15, %tile_1_0_exp.16
          %tile_1_0_exp.18 = shl <8 x i32> %tile_1_0_exp.16, splat (i32 23)
          %tile_1_0_exp.19 = add <8 x i32> %tile_1_0_exp.18, splat (i32 1065353216)
          %tile_1_0_exp.20 = bitcast <8 x i32> %tile_1_0_exp.19 to <8 x float>
          %tile_1_0_exp.21 = fmul <8 x float> %tile_1_0_exp.14, %tile_1_0_exp.20
          %tile_1_0_exp.22 = shl <8 x i32> %tile_1_0_exp.17, splat (i32 23)
          %tile_1_0_exp.23 = add <8 x i32> %tile_1_0_exp.22, splat (i32 1065353216)
          %tile_1_0_exp.24 = bitcast <8 x i32> %tile_1_0_exp.23 to <8 x float>
          %tile_1_0_exp.25 = fmul <8 x float> %tile_1_0_exp.21, %tile_1_0_exp.24
          ; if key0 + 15 < keys
          br i1 %holds.1, label %joined.2, label %otherwise.2
          otherwise.2:
            ; tile = 0 unless key0 + chunk * 8 + column < keys
            %index.40 = mul i64 %chunk.1, -8
            %limit.2 = add i64 %index.29, %index.40
            %lane0.5 = insertelement <8 x i64> poison, i64 %limit.2, i64 0
            %all.5 = shufflevector <8 x i64> %lane0.5, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.2 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.5
            %tile_0_0.10 = select <8 x i1> %mask.2, <8 x float> %tile_0_0_exp.25, <8 x float> zeroinitializer
            %tile_1_0.10 = select <8 x i1> %mask.2, <8 x float> %tile_1_0_exp.25, <8 x float> zeroinitializer
            br label %joined.2
          joined.2:
          %tile_0_0.11 = phi <8 x float> [ %tile_0_0_exp.25, %chunk_loop.1 ], [ %tile_0_0.10, %otherwise.2 ]
          %tile_1_0.11 = phi <8 x float> [ %tile_1_0_exp.25, %chunk_loop.1 ], [ %tile_1_0.10, %otherwise.2 ]
          ; part = part + tile, in fp32
          %part_0_0_add = fadd <8 x float> %part_0_0.2, %tile_0_0.11
          %part_1_0_add = fadd <8 x float> %part_1_0.2, %tile_1_0.11
          ; scores[row, chunk * 8 + column] = tile, vector
          store <8 x float> %tile_0_0.11, ptr %scores_at_0_0.1, align 32
          store <8 x float> %tile_1_0.11, ptr %scores_at_1_0.1, align 32
          %chunk_next.1 = add i64 %chunk.1, 1
          %chunk_more.1 = icmp slt i64 %chunk_next.1, %chunk_stop
          br i1 %chunk_more.1, label %chunk_loop.1, label %chunk_done.1
        chunk_done.1:
        %part_0_0.3 = phi <8 x float> [ zeroinitializer, %chunk_done ], [ %part_0_0_add, %joined.2 ]
        %part_1_0.3 = phi <8 x float> [ zeroinitializer, %chunk_done ], [ %part_1_0_add, %joined.2 ]
        ; block_total = add over the columns of part
        %part_moved.6 = shufflevector <8 x float> %part_0_0.3, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
        %block_total_0 = fadd <8 x float> %part_0_0.3, %part_moved.6
        %part_moved.7 = shufflevector <8 x float> %block_total_0, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
        %block_total_0.1 = fadd <8 x float> %block_total_0, %part_moved.7
        %part_moved.8 = shufflevector <8 x float> %block_total_0.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
        %block_total_0.2 = fadd <8 x float> %block_total_0.1, %part_moved.8
        %part_moved.9 = shufflevector <8 x float> %part_1_0.3, <8 x float> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
        %block_total_1 = fadd <8 x float> %part_1_0.3, %part_moved.9
        %part_moved.10 = shufflevector <8 x float> %block_total_1, <8 x float> poison, <8 x i32> <i32 2, i32 3, i32 0, i32 1, i32 6, i32 7, i32 4, i32 5>
        %block_total_1.1 = fadd <8 x float> %block_total_1, %part_moved.10
        %part_moved.11 = shufflevector <8 x float> %block_total_1.1, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
        %block_total_1.2 = fadd <8 x float> %block_total_1.1, %part_moved.11
        ; total = total * correction + block_total, in fp32
        %total_0_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %total_0, <8 x float> %correction_0_exp.25, <8 x float> %block_total_0.2)
        %total_1_sum = call <8 x float> @llvm.fma.v8f32(<8 x float> %total_1, <8 x float> %correction_1_exp.25, <8 x float> %block_total_1.2)
        ; for panel_of_sums from 0 to (n + 7) // 8
        br i1 %panel_of_sums_any, label %panel_of_sums_loop.1, label %panel_of_sums_done.1
        panel_of_sums_loop.1:
          %panel_of_sums.1 = phi i64 [ 0, %chunk_done.1 ], [ %panel_of_sums_next.1, %joined.3 ]
          ; if panel_of_sums * 8 + 7 < n
          %index.41 = mul i64 %panel_of_sums.1, 8
          %index.42 = add i64 %index.41, 7
          %holds.2 = icmp slt i64 %index.42, %n
          br i1 %holds.2, label %then.3, label %otherwise.3
          then.3:
            ; tile = sums[panel_of_sums, row, column], vector
            %index.43 = mul i64 %panel_of_sums.1, 16
            %sums_at_0_0.1 = getelementptr float, ptr %sums, i64 %index.43
            %tile_0_0.12 = load <8 x float>, ptr %sums_at_0_0.1, align 64
            %sums_at_1_0.1 = getelementptr float, ptr %sums_at_0_0.1, i64 8
            %tile_1_0.12 = load <8 x float>, ptr %sums_at_1_0.1, align 32
            ; tile = tile * correction, in fp32
            %tile_0_0_mul = fmul <8 x float> %tile_0_0.12, %correction_0_exp.25
            %tile_1_0_mul = fmul <8 x float> %tile_1_0.12, %correction_1_exp.25
            ; for key_in_block from 0 to key_count, 2 at a time
            %product.21 = mul i64 %sequence, %v_batch
            %product.22 = mul i64 %kv_head, %v_head
            %index.45 = add i64 %product.21, %product.22
            %index.46 = add i64 %index.45, %index.41
            %v_at_0 = getelementptr float, ptr %v, i64 %index.46
            %key_in_block_limit = add i64 %key_count, -1
            %key_in_block_any = icmp slt i64 0, %key_in_block_limit
            br i1 %key_in_block_any, label %key_in_block_loop, label %key_in_block_done
            key_in_block_loop:
              %key_in_block = phi i64 [ 0, %then.3 ], [ %key_in_block_next, %key_in_block_loop ]
              %tile_0_0.13 = phi <8 x float> [ %tile_0_0_mul, %then.3 ], [ %tile_0_0.15, %key_in_block_loop ]
              %tile_1_0.13 = phi <8 x float> [ %tile_1_0_mul, %then.3 ], [ %tile_1_0.15, %key_in_block_loop ]
              ; vector = v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 8 + column], vector
              %index.44 = add i64 %key0, %key_in_block
              %product.23 = mul i64 %index.44, %v_row
              %v_at_0.1 = getelementptr float, ptr %v_at_0, i64 %product.23
              %vector_0.19 = load <8 x float>, ptr %v_at_0.1, align 4
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0 = getelementptr float, ptr %scores, i64 %key_in_block
              %one_0_one.3 = load float, ptr %scores_at_0, align 4
              %one_0_lane0.3 = insertelement <8 x float> poison, float %one_0_one.3, i64 0
              %one_0.3 = shufflevector <8 x float> %one_0_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1 = getelementptr float, ptr %scores_at_0, i64 16
              %one_1_one.3 = load float, ptr %scores_at_1, align 4
              %one_1_lane0.3 = insertelement <8 x float> poison, float %one_1_one.3, i64 0
              %one_1.3 = shufflevector <8 x float> %one_1_lane0.3, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.3, <8 x float> %vector_0.19, <8 x float> %tile_0_0.13)
              %tile_1_0.14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.3, <8 x float> %vector_0.19, <8 x float> %tile_1_0.13)
              ; key_in_block + 1
              %index.47 = add i64 %index.44, 1
              %product.24 = mul i64 %index.47, %v_row
              %v_at_0.2 = getelementptr float, ptr %v_at_0, i64 %product.24
              %vector_0.20 = load <8 x float>, ptr %v_at_0.2, align 4
              %scores_at_0.1 = getelementptr float, ptr %scores_at_0, i64 1
              %one_0_one.4 = load float, ptr %scores_at_0.1, align 4
              %one_0_lane0.4 = insertelement <8 x float> poison, float %one_0_one.4, i64 0
              %one_0.4 = shufflevector <8 x float> %one_0_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.1 = getelementptr float, ptr %scores_at_0, i64 17
              %one_1_one.4 = load float, ptr %scores_at_1.1, align 4
              %one_1_lane0.4 = insertelement <8 x float> poison, float %one_1_one.4, i64 0
              %one_1.4 = shufflevector <8 x float> %one_1_lane0.4, <8 x float> poison, <8 x i32> zeroinitializer
              %tile_0_0.15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.4, <8 x float> %vector_0.20, <8 x float> %tile_0_0.14)
              %tile_1_0.15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.4, <8 x float> %vector_0.20, <8 x float> %tile_1_0.14)
              %key_in_block_next = add i64 %key_in_block, 2
              %key_in_block_more = icmp slt i64 %key_in_block_next, %key_in_block_limit
              br i1 %key_in_block_more, label %key_in_block_loop, label %key_in_block_done
            key_in_block_done:
            %tile_0_0.16 = phi <8 x float> [ %tile_0_0_mul, %then.3 ], [ %tile_0_0.15, %key_in_block_loop ]
            %tile_1_0.16 = phi <8 x float> [ %tile_1_0_mul, %then.3 ], [ %tile_1_0.15, %key_in_block_loop ]
            %key_in_block_rest = phi i64 [ 0, %then.3 ], [ %key_in_block_next, %key_in_block_loop ]
            ; what is left of key_in_block
            %key_in_block_any.1 = icmp slt i64 %key_in_block_rest, %key_count
            br i1 %key_in_block_any.1, label %key_in_block_loop.1, label %key_in_block_done.1
            key_in_block_loop.1:
              %key_in_block.1 = phi i64 [ %key_in_block_rest, %key_in_block_done ], [ %key_in_block_next.1, %key_in_block_loop.1 ]
              %tile_0_0.17 = phi <8 x float> [ %tile_0_0.16, %key_in_block_done ], [ %tile_0_0.18, %key_in_block_loop.1 ]
              %tile_1_0.17 = phi <8 x float> [ %tile_1_0.16, %key_in_block_done ], [ %tile_1_0.18, %key_in_block_loop.1 ]
              ; vector = v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 8 + column], vector
              %index.48 = add i64 %key0, %key_in_block.1
              %product.25 = mul i64 %index.48, %v_row
              %v_at_0.3 = getelementptr float, ptr %v_at_0, i64 %product.25
              %vector_0.21 = load <8 x float>, ptr %v_at_0.3, align 4
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.2 = getelementptr float, ptr %scores, i64 %key_in_block.1
              %one_0_one.5 = load float, ptr %scores_at_0.2, align 4
              %one_0_lane0.5 = insertelement <8 x float> poison, float %one_0_one.5, i64 0
              %one_0.5 = shufflevector <8 x float> %one_0_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.2 = getelementptr float, ptr %scores_at_0.2, i64 16
              %one_1_one.5 = load float, ptr %scores_at_1.2, align 4
              %one_1_lane0.5 = insertelement <8 x float> poison, float %one_1_one.5, i64 0
              %one_1.5 = shufflevector <8 x float> %one_1_lane0.5, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.18 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.5, <8 x float> %vector_0.21, <8 x float> %tile_0_0.17)
              %tile_1_0.18 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.5, <8 x float> %vector_0.21, <8 x float> %tile_1_0.17)
              %key_in_block_next.1 = add i64 %key_in_block.1, 1
              %key_in_block_more.1 = icmp slt i64 %key_in_block_next.1, %key_count
              br i1 %key_in_block_more.1, label %key_in_block_loop.1, label %key_in_block_done.1
            key_in_block_done.1:
            %tile_0_0.19 = phi <8 x float> [ %tile_0_0.16, %key_in_block_done ], [ %tile_0_0.18, %key_in_block_loop.1 ]
            %tile_1_0.19 = phi <8 x float> [ %tile_1_0.16, %key_in_block_done ], [ %tile_1_0.18, %key_in_block_loop.1 ]
            ; sums[panel_of_sums, row, column] = tile, vector
            store <8 x float> %tile_0_0.19, ptr %sums_at_0_0.1, align 64
            store <8 x float> %tile_1_0.19, ptr %sums_at_1_0.1, align 32
            br label %joined.3
          otherwise.3:
            ; tile = sums[panel_of_sums, row, column], vector
            %index.49 = mul i64 %panel_of_sums.1, 16
            %sums_at_0_0.2 = getelementptr float, ptr %sums, i64 %index.49
            %tile_0_0.20 = load <8 x float>, ptr %sums_at_0_0.2, align 64
            %sums_at_1_0.2 = getelementptr float, ptr %sums_at_0_0.2, i64 8
            %tile_1_0.20 = load <8 x float>, ptr %sums_at_1_0.2, align 32
            ; tile = tile * correction, in fp32
            %tile_0_0_mul.1 = fmul <8 x float> %tile_0_0.20, %correction_0_exp.25
            %tile_1_0_mul.1 = fmul <8 x float> %tile_1_0.20, %correction_1_exp.25
            ; for key_in_block from 0 to key_count, 2 at a time
            %index.50 = mul i64 %panel_of_sums.1, -8
            %limit.3 = add i64 %n, %index.50
            %lane0.6 = insertelement <8 x i64> poison, i64 %limit.3, i64 0
            %all.6 = shufflevector <8 x i64> %lane0.6, <8 x i64> poison, <8 x i32> zeroinitializer
            %mask.3 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.6
            %product.26 = mul i64 %sequence, %v_batch
            %product.27 = mul i64 %kv_head, %v_head
            %index.52 = add i64 %product.26, %product.27
            %index.53 = add i64 %index.52, %index.41
            %v_at_0.4 = getelementptr float, ptr %v, i64 %index.53
            %key_in_block_limit.1 = add i64 %key_count, -1
            %key_in_block_any.2 = icmp slt i64 0, %key_in_block_limit.1
            br i1 %key_in_block_any.2, label %key_in_block_loop.2, label %key_in_block_done.2
            key_in_block_loop.2:
              %key_in_block.2 = phi i64 [ 0, %otherwise.3 ], [ %key_in_block_next.2, %key_in_block_loop.2 ]
              %tile_0_0.21 = phi <8 x float> [ %tile_0_0_mul.1, %otherwise.3 ], [ %tile_0_0.23, %key_in_block_loop.2 ]
              %tile_1_0.21 = phi <8 x float> [ %tile_1_0_mul.1, %otherwise.3 ], [ %tile_1_0.23, %key_in_block_loop.2 ]
              ; vector = v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 8 + column], vector where panel_of_sums * 8 + column < n, else 0
              %index.51 = add i64 %key0, %key_in_block.2
              %product.28 = mul i64 %index.51, %v_row
              %v_at_0.5 = getelementptr float, ptr %v_at_0.4, i64 %product.28
              %vector_0.22 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v_at_0.5, i32 4, <8 x i1> %mask.3, <8 x float> zeroinitializer)
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.3 = getelementptr float, ptr %scores, i64 %key_in_block.2
              %one_0_one.6 = load float, ptr %scores_at_0.3, align 4
              %one_0_lane0.6 = insertelement <8 x float> poison, float %one_0_one.6, i64 0
              %one_0.6 = shufflevector <8 x float> %one_0_lane0.6, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.3 = getelementptr float, ptr %scores_at_0.3, i64 16
              %one_1_one.6 = load float, ptr %scores_at_1.3, align 4
              %one_1_lane0.6 = insertelement <8 x float> poison, float %one_1_one.6, i64 0
              %one_1.6 = shufflevector <8 x float> %one_1_lane0.6, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.22 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.6, <8 x float> %vector_0.22, <8 x float> %tile_0_0.21)
              %tile_1_0.22 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.6, <8 x float> %vector_0.22, <8 x float> %tile_1_0.21)
              ; key_in_block + 1
              %index.54 = add i64 %index.51, 1
              %product.29 = mul i64 %index.54, %v_row
              %v_at_0.6 = getelementptr float, ptr %v_at_0.4, i64 %product.29
              %vector_0.23 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v_at_0.6, i32 4, <8 x i1> %mask.3, <8 x float> zeroinitializer)
              %scores_at_0.4 = getelementptr float, ptr %scores_at_0.3, i64 1
              %one_0_one.7 = load float, ptr %scores_at_0.4, align 4
              %one_0_lane0.7 = insertelement <8 x float> poison, float %one_0_one.7, i64 0
              %one_0.7 = shufflevector <8 x float> %one_0_lane0.7, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.4 = getelementptr float, ptr %scores_at_0.3, i64 17
              %one_1_one.7 = load float, ptr %scores_at_1.4, align 4
              %one_1_lane0.7 = insertelement <8 x float> poison, float %one_1_one.7, i64 0
              %one_1.7 = shufflevector <8 x float> %one_1_lane0.7, <8 x float> poison, <8 x i32> zeroinitializer
              %tile_0_0.23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.7, <8 x float> %vector_0.23, <8 x float> %tile_0_0.22)
              %tile_1_0.23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.7, <8 x float> %vector_0.23, <8 x float> %tile_1_0.22)
              %key_in_block_next.2 = add i64 %key_in_block.2, 2
              %key_in_block_more.2 = icmp slt i64 %key_in_block_next.2, %key_in_block_limit.1
              br i1 %key_in_block_more.2, label %key_in_block_loop.2, label %key_in_block_done.2
            key_in_block_done.2:
            %tile_0_0.24 = phi <8 x float> [ %tile_0_0_mul.1, %otherwise.3 ], [ %tile_0_0.23, %key_in_block_loop.2 ]
            %tile_1_0.24 = phi <8 x float> [ %tile_1_0_mul.1, %otherwise.3 ], [ %tile_1_0.23, %key_in_block_loop.2 ]
            %key_in_block_rest.1 = phi i64 [ 0, %otherwise.3 ], [ %key_in_block_next.2, %key_in_block_loop.2 ]
            ; what is left of key_in_block
            %key_in_block_any.3 = icmp slt i64 %key_in_block_rest.1, %key_count
            br i1 %key_in_block_any.3, label %key_in_block_loop.3, label %key_in_block_done.3
            key_in_block_loop.3:
              %key_in_block.3 = phi i64 [ %key_in_block_rest.1, %key_in_block_done.2 ], [ %key_in_block_next.3, %key_in_block_loop.3 ]
              %tile_0_0.25 = phi <8 x float> [ %tile_0_0.24, %key_in_block_done.2 ], [ %tile_0_0.26, %key_in_block_loop.3 ]
              %tile_1_0.25 = phi <8 x float> [ %tile_1_0.24, %key_in_block_done.2 ], [ %tile_1_0.26, %key_in_block_loop.3 ]
              ; vector = v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 8 + column], vector where panel_of_sums * 8 + column < n, else 0
              %index.55 = add i64 %key0, %key_in_block.3
              %product.30 = mul i64 %index.55, %v_row
              %v_at_0.7 = getelementptr float, ptr %v_at_0.4, i64 %product.30
              %vector_0.24 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v_at_0.7, i32 4, <8 x i1> %mask.3, <8 x float> zeroinitializer)
              ; one = scores[row, key_in_block], broadcast
              %scores_at_0.5 = getelementptr float, ptr %scores, i64 %key_in_block.3
              %one_0_one.8 = load float, ptr %scores_at_0.5, align 4
              %one_0_lane0.8 = insertelement <8 x float> poison, float %one_0_one.8, i64 0
              %one_0.8 = shufflevector <8 x float> %one_0_lane0.8, <8 x float> poison, <8 x i32> zeroinitializer
              %scores_at_1.5 = getelementptr float, ptr %scores_at_0.5, i64 16
              %one_1_one.8 = load float, ptr %scores_at_1.5, align 4
              %one_1_lane0.8 = insertelement <8 x float> poison, float %one_1_one.8, i64 0
              %one_1.8 = shufflevector <8 x float> %one_1_lane0.8, <8 x float> poison, <8 x i32> zeroinitializer
              ; tile += one * vector, fma_outer_2x1x8_fp32
              %tile_0_0.26 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_0.8, <8 x float> %vector_0.24, <8 x float> %tile_0_0.25)
              %tile_1_0.26 = call <8 x float> @llvm.fma.v8f32(<8 x float> %one_1.8, <8 x float> %vector_0.24, <8 x float> %tile_1_0.25)
              %key_in_block_next.3 = add i64 %key_in_block.3, 1
              %key_in_block_more.3 = icmp slt i64 %key_in_block_next.3, %key_count
              br i1 %key_in_block_more.3, label %key_in_block_loop.3, label %key_in_block_done.3
            key_in_block_done.3:
            %tile_0_0.27 = phi <8 x float> [ %tile_0_0.24, %key_in_block_done.2 ], [ %tile_0_0.26, %key_in_block_loop.3 ]
            %tile_1_0.27 = phi <8 x float> [ %tile_1_0.24, %key_in_block_done.2 ], [ %tile_1_0.26, %key_in_block_loop.3 ]
            ; sums[panel_of_sums, row, column] = tile, vector
            store <8 x float> %tile_0_0.27, ptr %sums_at_0_0.2, align 64
            store <8 x float> %tile_1_0.27, ptr %sums_at_1_0.2, align 32
            br label %joined.3
          joined.3:
          %panel_of_sums_next.1 = add i64 %panel_of_sums.1, 1
          %panel_of_sums_more.1 = icmp slt i64 %panel_of_sums_next.1, %quotient.2
          br i1 %panel_of_sums_more.1, label %panel_of_sums_loop.1, label %panel_of_sums_done.1
        panel_of_sums_done.1:
        %block_number_next = add i64 %block_number, 1
        %block_number_more = icmp slt i64 %block_number_next, %blocks_of_keys
        br i1 %block_number_more, label %block_number_loop, label %block_number_done
      block_number_done:
      %total_0.1 = phi <8 x float> [ zeroinitializer, %panel_of_sums_done ], [ %total_0_sum, %panel_of_sums_done.1 ]
      %total_1.1 = phi <8 x float> [ zeroinitializer, %panel_of_sums_done ], [ %total_1_sum, %panel_of_sums_done.1 ]
      ; for panel_of_sums from 0 to (n + 7) // 8
      br i1 %panel_of_sums_any, label %panel_of_sums_loop.2, label %panel_of_sums_done.2
      panel_of_sums_loop.2:
        %panel_of_sums.2 = phi i64 [ 0, %block_number_done ], [ %panel_of_sums_next.2, %joined.4 ]
        ; if panel_of_sums * 8 + 7 < n
        %index.56 = mul i64 %panel_of_sums.2, 8
        %index.57 = add i64 %index.56, 7
        %holds.3 = icmp slt i64 %index.57, %n
        br i1 %holds.3, label %then.4, label %otherwise.4
        then.4:
          ; tile = sums[panel_of_sums, row, column], vector
          %index.58 = mul i64 %panel_of_sums.2, 16
          %sums_at_0_0.3 = getelementptr float, ptr %sums, i64 %index.58
          %tile_0_0.28 = load <8 x float>, ptr %sums_at_0_0.3, align 64
          %sums_at_1_0.3 = getelementptr float, ptr %sums_at_0_0.3, i64 8
          %tile_1_0.28 = load <8 x float>, ptr %sums_at_1_0.3, align 32
          ; result = where(total == 0, 0, tile / total), in fp32
          %result_0_0_eq = fcmp oeq <8 x float> %total_0.1, zeroinitializer
          %result_0_0_div = fdiv <8 x float> %tile_0_0.28, %total_0.1
          %result_0_0_chosen = select <8 x i1> %result_0_0_eq, <8 x float> zeroinitializer, <8 x float> %result_0_0_div
          %result_1_0_eq = fcmp oeq <8 x float> %total_1.1, zeroinitializer
          %result_1_0_div = fdiv <8 x float> %tile_1_0.28, %total_1.1
          %result_1_0_chosen = select <8 x i1> %result_1_0_eq, <8 x float> zeroinitializer, <8 x float> %result_1_0_div
          ; out[sequence * out_batch + head * out_head + at_row * out_row + panel_of_sums * 8 + column] = result, vector where row0 + row < m
          %holds.4 = icmp slt i64 %row0, %m
          %product.31 = mul i64 %sequence, %out_batch
          %product.32 = mul i64 %head, %out_head
          %product.33 = mul i64 %at_row_0, %out_row
          %index.59 = add i64 %product.31, %product.32
          %index.60 = add i64 %index.59, %product.33
          %index.61 = add i64 %index.60, %index.56
          %out_at_0_0 = getelementptr float, ptr %out, i64 %index.61
          %lane0.7 = insertelement <8 x i1> poison, i1 %holds.4, i64 0
          %all.7 = shufflevector <8 x i1> %lane0.7, <8 x i1> poison, <8 x i32> zeroinitializer
          call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_chosen, ptr %out_at_0_0, i32 4, <8 x i1> %all.7)
          %holds.5 = icmp slt i64 %index.25, %m
          %product.34 = mul i64 %at_row_1, %out_row
          %index.62 = add i64 %index.59, %product.34
          %index.63 = add i64 %index.62, %index.56
          %out_at_1_0 = getelementptr float, ptr %out, i64 %index.63
          %lane0.8 = insertelement <8 x i1> poison, i1 %holds.5, i64 0
          %all.8 = shufflevector <8 x i1> %lane0.8, <8 x i1> poison, <8 x i32> zeroinitializer
          call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_chosen, ptr %out_at_1_0, i32 4, <8 x i1> %all.8)
          br label %joined.4
        otherwise.4:
          ; tile = sums[panel_of_sums, row, column], vector
          %index.64 = mul i64 %panel_of_sums.2, 16
          %sums_at_0_0.4 = getelementptr float, ptr %sums, i64 %index.64
          %tile_0_0.29 = load <8 x float>, ptr %sums_at_0_0.4, align 64
          %sums_at_1_0.4 = getelementptr float, ptr %sums_at_0_0.4, i64 8
          %tile_1_0.29 = load <8 x float>, ptr %sums_at_1_0.4, align 32
          ; result = where(total == 0, 0, tile / total), in fp32
          %result_0_0_eq.1 = fcmp oeq <8 x float> %total_0.1, zeroinitializer
          %result_0_0_div.1 = fdiv <8 x float> %tile_0_0.29, %total_0.1
          %result_0_0_chosen.1 = select <8 x i1> %result_0_0_eq.1, <8 x float> zeroinitializer, <8 x float> %result_0_0_div.1
          %result_1_0_eq.1 = fcmp oeq <8 x float> %total_1.1, zeroinitializer
          %result_1_0_div.1 = fdiv <8 x float> %tile_1_0.29, %total_1.1
          %result_1_0_chosen.1 = select <8 x i1> %result_1_0_eq.1, <8 x float> zeroinitializer, <8 x float> %result_1_0_div.1
          ; out[sequence * out_batch + head * out_head + at_row * out_row + panel_of_sums * 8 + column] = result, vector where row0 + row < m and panel_of_sums * 8 + column < n
          %holds.6 = icmp slt i64 %row0, %m
          %index.65 = mul i64 %panel_of_sums.2, -8
          %limit.4 = add i64 %n, %index.65
          %lane0.9 = insertelement <8 x i64> poison, i64 %limit.4, i64 0
          %all.9 = shufflevector <8 x i64> %lane0.9, <8 x i64> poison, <8 x i32> zeroinitializer
          %mask.4 = icmp slt <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>, %all.9
          %product.35 = mul i64 %sequence, %out_batch
          %product.36 = mul i64 %head, %out_head
          %product.37 = mul i64 %at_row_0, %out_row
          %index.66 = add i64 %product.35, %product.36
          %index.67 = add i64 %index.66, %product.37
          %index.68 = add i64 %index.67, %index.56
          %out_at_0_0.1 = getelementptr float, ptr %out, i64 %index.68
          %lane0.10 = insertelement <8 x i1> poison, i1 %holds.6, i64 0
          %all.10 = shufflevector <8 x i1> %lane0.10, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.5 = and <8 x i1> %mask.4, %all.10
          call void @llvm.masked.store.v8f32.p0(<8 x float> %result_0_0_chosen.1, ptr %out_at_0_0.1, i32 4, <8 x i1> %mask.5)
          %holds.7 = icmp slt i64 %index.25, %m
          %product.38 = mul i64 %at_row_1, %out_row
          %index.69 = add i64 %index.66, %product.38
          %index.70 = add i64 %index.69, %index.56
          %out_at_1_0.1 = getelementptr float, ptr %out, i64 %index.70
          %lane0.11 = insertelement <8 x i1> poison, i1 %holds.7, i64 0
          %all.11 = shufflevector <8 x i1> %lane0.11, <8 x i1> poison, <8 x i32> zeroinitializer
          %mask.6 = and <8 x i1> %mask.4, %all.11
          call void @llvm.masked.store.v8f32.p0(<8 x float> %result_1_0_chosen.1, ptr %out_at_1_0.1, i32 4, <8 x i1> %mask.6)
          br label %joined.4
        joined.4:
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
