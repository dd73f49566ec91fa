// tracea: attention causal fp16
// variant        metal.chained.simdgroup_fp16 for apple7
// configuration  32x8x128 s2 va8 vb8 vc8
// schedule       bcf8576a0e16a0965de4350650a49ca9fb8ac16a96d488765e10a9de3f737e18
// certificate    d200d5a237f920dc4048c946a8722598e58a61f454c8922deb4d3d3ede79bbcf: structure, domains, types, layouts, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses.
#include <metal_stdlib>
using namespace metal;

typedef long i64;
typedef ushort bf16;
typedef ushort fp16;
typedef char int8;
typedef uchar uint8;

inline int floor_divide(int a, int b) { return a / b - int(a % b < 0); }
inline i64 floor_divide(i64 a, i64 b) { return a / b - i64(a % b < 0); }
inline int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
inline i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
inline ushort part16(uint word, int bit) { return ushort(word >> bit); }
inline uchar part8(uint word, int bit) { return uchar(word >> bit); }
inline uint with16(uint word, int bit, ushort value) { return (word & ~(0xffffu << bit)) | (uint(value) << bit); }
inline uint with8(uint word, int bit, uchar value) { return (word & ~(0xffu << bit)) | (uint(value) << bit); }

// Conversions round to nearest even. bf16 is converted by its bits, so that it is there before Metal 3.1.
inline float from_bf16(bf16 x) { return as_type<float>(uint(x) << 16); }
inline float from_fp16(fp16 x) { return float(as_type<half>(x)); }
inline fp16 to_fp16(float x) { return as_type<ushort>(half(x)); }
inline bf16 to_bf16(float x) {
  const uint bits = as_type<uint>(x);
  return (bits & 0x7fffffffu) > 0x7f800000u ? bf16(0x7fff) : bf16((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline uint pair_fp16(float low, float high) { return uint(to_fp16(low)) | uint(to_fp16(high)) << 16; }
inline uint pair_bf16(float low, float high) { return uint(to_bf16(low)) | uint(to_bf16(high)) << 16; }
inline float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }
inline float minimum(float x, float y) { return x < y || isnan(x) ? x : y; }
inline int to_int32(float x) { return isnan(x) ? 0 : int(minimum(maximum(rint(x), -2147483648.0f), 2147483520.0f)); }
inline int8 to_int8(float x) { return int8(min(max(to_int32(x), -128), 127)); }
inline uint8 to_uint8(float x) { return uint8(min(max(to_int32(x), 0), 255)); }

// Matrix instructions of a simdgroup: sums += a · b.
inline void simdgroup_8x8x8_fp16(thread float* sums, const thread uint* a, const thread uint* b) {
  simdgroup_half8x8 left, right;
  simdgroup_float8x8 total;
  const half2 a_pair = as_type<half2>(a[0]);
  left.thread_elements()[0] = a_pair[0];
  left.thread_elements()[1] = a_pair[1];
  const half2 b_pair = as_type<half2>(b[0]);
  right.thread_elements()[0] = b_pair[0];
  right.thread_elements()[1] = b_pair[1];
  total.thread_elements()[0] = sums[0];
  total.thread_elements()[1] = sums[1];
  simdgroup_multiply_accumulate(total, left, right, total);
  sums[0] = total.thread_elements()[0];
  sums[1] = total.thread_elements()[1];
}

// q: fp16, read, aligned to 16 bytes
// k_matrix: fp16, read, aligned to 16 bytes
// v: fp16, read, aligned to 16 bytes
// out: fp16, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 128 by 8
// k: columns of q and k; 0 to 128 by 8
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 8
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 8
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 8
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 8
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 8
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 2
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// window_right: keys behind the diagonal that are seen; 0 to 2147479552
// q_tile: shared of fp16, outer 32 = 4*1024 + 3 bits, k 128 = 7 bits, atom 2^10 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp16, k 128 = 7 bits, outer 8 = 3 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, k 8 = 3 bits, outer 128 = 7 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * items blocks of 128 threads, clusters of 1, 16384 bytes of shared memory
struct Sizes {
  int items;
  int m;
  int n;
  int k;
  int keys;
  int heads;
  int group;
  i64 q_batch;
  i64 q_head;
  i64 q_row;
  i64 k_matrix_batch;
  i64 k_matrix_head;
  i64 k_matrix_row;
  i64 v_batch;
  i64 v_head;
  i64 v_row;
  i64 out_batch;
  i64 out_head;
  i64 out_row;
  int window_right;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void attention_causal_fp16_32x8x128_656e9c42(
    device const fp16* q [[buffer(0)]],
    device const fp16* k_matrix [[buffer(1)]],
    device const fp16* v [[buffer(2)]],
    device fp16* out [[buffer(3)]],
    constant Sizes& sizes [[buffer(4)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int items = sizes.items;
  const int m = sizes.m;
  const int n = sizes.n;
  const int k = sizes.k;
  const int keys = sizes.keys;
  const int heads = sizes.heads;
  const int group = sizes.group;
  const i64 q_batch = sizes.q_batch;
  const i64 q_head = sizes.q_head;
  const i64 q_row = sizes.q_row;
  const i64 k_matrix_batch = sizes.k_matrix_batch;
  const i64 k_matrix_head = sizes.k_matrix_head;
  const i64 k_matrix_row = sizes.k_matrix_row;
  const i64 v_batch = sizes.v_batch;
  const i64 v_head = sizes.v_head;
  const i64 v_row = sizes.v_row;
  const i64 out_batch = sizes.out_batch;
  const i64 out_head = sizes.out_head;
  const i64 out_row = sizes.out_row;
  const int window_right = sizes.window_right;
  threadgroup uint4 shared[1024];
  threadgroup fp16* const q_tile = reinterpret_cast<threadgroup fp16*>(shared + 0);
  threadgroup fp16* const k_tile = reinterpret_cast<threadgroup fp16*>(shared + 512);
  threadgroup fp16* const v_tile = reinterpret_cast<threadgroup fp16*>(shared + 768);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    unsigned q_tile_fetched0[4];  // 2x128 fp16 of the warp
    unsigned k_tile_fetched[4];  // 2x128 fp16 of the warp
    unsigned v_tile_fetched[4];  // 128x2 fp16 of the warp
    float sum0_0[2];  // 8x8 fp32 of the warp
    float sum0_1[2];  // 8x8 fp32 of the warp
    float sum0_2[2];  // 8x8 fp32 of the warp
    float sum0_3[2];  // 8x8 fp32 of the warp
    float sum0_4[2];  // 8x8 fp32 of the warp
    float sum0_5[2];  // 8x8 fp32 of the warp
    float sum0_6[2];  // 8x8 fp32 of the warp
    float sum0_7[2];  // 8x8 fp32 of the warp
    float sum0_8[2];  // 8x8 fp32 of the warp
    float sum0_9[2];  // 8x8 fp32 of the warp
    float sum0_10[2];  // 8x8 fp32 of the warp
    float sum0_11[2];  // 8x8 fp32 of the warp
    float sum0_12[2];  // 8x8 fp32 of the warp
    float sum0_13[2];  // 8x8 fp32 of the warp
    float sum0_14[2];  // 8x8 fp32 of the warp
    float sum0_15[2];  // 8x8 fp32 of the warp
    float score0_0[2];  // 8x8 fp32 of the warp
    unsigned q0[1];  // 8x8 fp16 of the warp
    unsigned weights0[1];  // 8x8 fp16 of the warp
    float total0[2];  // 8x8 fp32 of the warp
    float top0[1];  // 8x1 fp32 of the warp
    float shift0[1];  // 8x1 fp32 of the warp
    float part[2];  // 8x8 fp32 of the warp
    float found[1];  // 8x1 fp32 of the warp
    float correction[1];  // 8x1 fp32 of the warp
    unsigned right_operand[1];  // 8x8 fp16 of the warp
    unsigned piece0[1];  // 8x8 fp16 of the warp
    unsigned result[1];  // 8x8 fp16 of the warp
    const int row_tiles = (m + 31) / 32;
    const int row0 = (row_tiles - 1 - block % row_tiles) * 32;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 8;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (max(min(min(row0 + 32, m) + diagonal + window_right, keys), 0) + 7) / 8;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_8[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_9[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_10[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_11[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_12[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_13[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_14[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum0_15[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[warp * 16 + row * 8 ^ warp * 256 + row * 128 ^ column]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 4) * 2 >> 3) * 1024 + (((warp + 4) * 2 & 7) * 8 + row * 8 ^ ((warp + 4) * 2 & 7) * 128 + row * 128 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 8) * 2 >> 3) * 1024 + (((warp + 8) * 2 & 7) * 8 + row * 8 ^ ((warp + 8) * 2 & 7) * 128 + row * 128 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 12) * 2 >> 3) * 1024 + (((warp + 12) * 2 & 7) * 8 + row * 8 ^ ((warp + 12) * 2 & 7) * 128 + row * 128 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 4;
        const int column = (lane & 15) * 8;
        if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 2 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = (run[0]); k_tile_fetched[0 + 1] = (run[1]); k_tile_fetched[0 + 2] = (run[2]); k_tile_fetched[0 + 3] = (run[3]); }
        else { k_tile_fetched[0] = 0; k_tile_fetched[1] = 0; k_tile_fetched[2] = 0; k_tile_fetched[3] = 0; }
      }
      {
        const int row = (lane & 15) * 8;
        const int column = lane >> 4;
        if (warp * 2 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]); v_tile_fetched[0] = (run[0]); v_tile_fetched[0 + 1] = (run[1]); v_tile_fetched[0 + 2] = (run[2]); v_tile_fetched[0 + 3] = (run[3]); }
        else { v_tile_fetched[0] = 0; v_tile_fetched[1] = 0; v_tile_fetched[2] = 0; v_tile_fetched[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 4;
        const int column = r + (lane & 15) * 8;
        k_tile[column * 8 ^ (column >> 3) * 2 ^ warp * 2 + row] = part16(k_tile_fetched[r / 2], (r & 1) * 16);
      }
      {
        const int row = (lane & 15) * 8;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint4*>(&v_tile[warp * 16 + column * 8 ^ warp * 256 + column * 128 ^ row]) = uint4((v_tile_fetched[0]), (v_tile_fetched[0 + 1]), (v_tile_fetched[0 + 2]), (v_tile_fetched[0 + 3]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 4;
          const int column = (lane & 15) * 8;
          if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 8 + (i64)warp * 2 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = (run[0]); k_tile_fetched[0 + 1] = (run[1]); k_tile_fetched[0 + 2] = (run[2]); k_tile_fetched[0 + 3] = (run[3]); }
          else { k_tile_fetched[0] = 0; k_tile_fetched[1] = 0; k_tile_fetched[2] = 0; k_tile_fetched[3] = 0; }
        }
        {
          const int row = (lane & 15) * 8;
          const int column = lane >> 4;
          if ((key_block + 1) * 8 + warp * 2 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 8 + (i64)warp * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]); v_tile_fetched[0] = (run[0]); v_tile_fetched[0 + 1] = (run[1]); v_tile_fetched[0 + 2] = (run[2]); v_tile_fetched[0 + 3] = (run[3]); }
          else { v_tile_fetched[0] = 0; v_tile_fetched[1] = 0; v_tile_fetched[2] = 0; v_tile_fetched[3] = 0; }
        }
      }
      const int key0 = key_block * 8;
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 128; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          q0[0] = (*reinterpret_cast<threadgroup const uint*>(&q_tile[warp * 1024 + (row * 8 ^ row * 128 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&k_tile[key_block % 2 * 1024 + (k_inner * 8 + row * 8 ^ (k_inner >> 3) * 2 ^ column)]));
        }
        simdgroup_8x8x8_fp16(score0_0, q0, right_operand);
      }
      if (key0 + 7 < keys && key0 + 7 < warp_row + diagonal + window_right + 1) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = min(keys, warp_row + (lane >> 1 & 3) + (lane >> 4) * 4 + diagonal + window_right + 1) - key0;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          if (!(r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
      }
      part[0] = score0_0[0];
      part[1] = score0_0[1];
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 2; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(8)));
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(1)));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top0[0]);
      }
      {
        const float v0 = found[0];
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.088388346f));
      }
      {
        correction[0] = precise::exp(((top0[0] * 0.088388346f) - shift0[0]));
      }
      top0[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total0[r] = (total0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_2[r] = (sum0_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_3[r] = (sum0_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_4[r] = (sum0_4[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_5[r] = (sum0_5[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_6[r] = (sum0_6[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_7[r] = (sum0_7[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_8[r] = (sum0_8[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_9[r] = (sum0_9[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_10[r] = (sum0_10[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_11[r] = (sum0_11[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_12[r] = (sum0_12[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_13[r] = (sum0_13[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_14[r] = (sum0_14[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum0_15[r] = (sum0_15[r] * correction[0]);
      }
      {
        piece0[0] = pair_fp16(fast::exp(((score0_0[0] * 0.088388346f) - shift0[0])), fast::exp(((score0_0[1] * 0.088388346f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], r * 16)));
      }
      weights0[0] = piece0[0];
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ column)]));
      }
      simdgroup_8x8x8_fp16(sum0_0, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 8 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_1, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 16 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_2, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 24 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_3, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 32 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_4, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 40 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_5, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 48 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_6, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 56 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_7, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 64 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_8, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 72 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_9, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 80 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_10, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 88 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_11, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 96 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_12, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 104 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_13, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 112 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_14, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 1024 + (row * 8 ^ row * 128 ^ 120 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_15, weights0, right_operand);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 4;
          const int column = r + (lane & 15) * 8;
          k_tile[(key_block + 1) % 2 * 1024 + (column * 8 ^ (column >> 3) * 2 ^ warp * 2 + row)] = part16(k_tile_fetched[r / 2], (r & 1) * 16);
        }
        {
          const int row = (lane & 15) * 8;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint4*>(&v_tile[(key_block + 1) % 2 * 1024 + (warp * 16 + column * 8 ^ warp * 256 + column * 128 ^ row)]) = uint4((v_tile_fetched[0]), (v_tile_fetched[0 + 1]), (v_tile_fetched[0 + 2]), (v_tile_fetched[0 + 3]));
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + simd_shuffle_xor(folded, ushort(8));
      folded = folded + simd_shuffle_xor(folded, ushort(1));
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    {
      result[0] = pair_fp16((sum0_0[0] * correction[0]), (sum0_0[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_1[0] * correction[0]), (sum0_1[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 8 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 8 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_2[0] * correction[0]), (sum0_2[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 16 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 16 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_3[0] * correction[0]), (sum0_3[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 24 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 24 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_4[0] * correction[0]), (sum0_4[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 32 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 32 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_5[0] * correction[0]), (sum0_5[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 40 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 40 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_6[0] * correction[0]), (sum0_6[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 48 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 48 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_7[0] * correction[0]), (sum0_7[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 56 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 56 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_8[0] * correction[0]), (sum0_8[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 64 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 64 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_9[0] * correction[0]), (sum0_9[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 72 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 72 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_10[0] * correction[0]), (sum0_10[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 80 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 80 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_11[0] * correction[0]), (sum0_11[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 88 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 88 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_12[0] * correction[0]), (sum0_12[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 96 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 96 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_13[0] * correction[0]), (sum0_13[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 104 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 104 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_14[0] * correction[0]), (sum0_14[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 112 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 112 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum0_15[0] * correction[0]), (sum0_15[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 120 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + row) + 120 + column]) = (result[0]);
    }
  }
}
