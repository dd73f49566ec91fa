// tracea: attention masked by uint8 fp16
// variant        metal.chained.simdgroup_fp16 for apple7
// configuration  64x8x64 s2 w2 va8 vb8 vc8
// schedule       12d34e81d42d06881b46a0c417d62670d5f2ec0a8afeb3d7e3d2fc4ebc7c0e57
// certificate    f864f53ace7a2e6819d63ef5217cc75367b9cac11fd6982c43a9c9186b69f709: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
// score_bias: uint8, read, aligned to 2 bytes
// out: fp16, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 64 by 8
// k: columns of q and k; 0 to 64 by 8
// keys: keys; 0 to 2147479552 by 2
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
// score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904 by 2
// q_tile: shared of fp16, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp16, k 64 = 6 bits, outer 8 = 3 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, k 8 = 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * items blocks of 64 threads, clusters of 1, 12288 bytes of shared memory
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
  i64 score_bias_batch;
  i64 score_bias_head;
  i64 score_bias_row;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void attention_masked_by_uint8_fp_64x8x64_06325eb5(
    device const fp16* q [[buffer(0)]],
    device const fp16* k_matrix [[buffer(1)]],
    device const fp16* v [[buffer(2)]],
    device const uint8* score_bias [[buffer(3)]],
    device fp16* out [[buffer(4)]],
    constant Sizes& sizes [[buffer(5)]],
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
  const i64 score_bias_batch = sizes.score_bias_batch;
  const i64 score_bias_head = sizes.score_bias_head;
  const i64 score_bias_row = sizes.score_bias_row;
  threadgroup uint4 shared[768];
  threadgroup fp16* const q_tile = reinterpret_cast<threadgroup fp16*>(shared + 0);
  threadgroup fp16* const k_tile = reinterpret_cast<threadgroup fp16*>(shared + 512);
  threadgroup fp16* const v_tile = reinterpret_cast<threadgroup fp16*>(shared + 640);
  // warp: warp x 2
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    unsigned q_tile_fetched0[4];  // 4x64 fp16 of the warp
    unsigned k_tile_fetched[4];  // 4x64 fp16 of the warp
    unsigned v_tile_fetched[4];  // 64x4 fp16 of the warp
    float sum0_0[2];  // 8x8 fp32 of the warp
    float sum0_1[2];  // 8x8 fp32 of the warp
    float sum0_2[2];  // 8x8 fp32 of the warp
    float sum0_3[2];  // 8x8 fp32 of the warp
    float sum0_4[2];  // 8x8 fp32 of the warp
    float sum0_5[2];  // 8x8 fp32 of the warp
    float sum0_6[2];  // 8x8 fp32 of the warp
    float sum0_7[2];  // 8x8 fp32 of the warp
    float sum1_0[2];  // 8x8 fp32 of the warp
    float sum1_1[2];  // 8x8 fp32 of the warp
    float sum1_2[2];  // 8x8 fp32 of the warp
    float sum1_3[2];  // 8x8 fp32 of the warp
    float sum1_4[2];  // 8x8 fp32 of the warp
    float sum1_5[2];  // 8x8 fp32 of the warp
    float sum1_6[2];  // 8x8 fp32 of the warp
    float sum1_7[2];  // 8x8 fp32 of the warp
    float sum2_0[2];  // 8x8 fp32 of the warp
    float sum2_1[2];  // 8x8 fp32 of the warp
    float sum2_2[2];  // 8x8 fp32 of the warp
    float sum2_3[2];  // 8x8 fp32 of the warp
    float sum2_4[2];  // 8x8 fp32 of the warp
    float sum2_5[2];  // 8x8 fp32 of the warp
    float sum2_6[2];  // 8x8 fp32 of the warp
    float sum2_7[2];  // 8x8 fp32 of the warp
    float sum3_0[2];  // 8x8 fp32 of the warp
    float sum3_1[2];  // 8x8 fp32 of the warp
    float sum3_2[2];  // 8x8 fp32 of the warp
    float sum3_3[2];  // 8x8 fp32 of the warp
    float sum3_4[2];  // 8x8 fp32 of the warp
    float sum3_5[2];  // 8x8 fp32 of the warp
    float sum3_6[2];  // 8x8 fp32 of the warp
    float sum3_7[2];  // 8x8 fp32 of the warp
    float score0_0[2];  // 8x8 fp32 of the warp
    float score1_0[2];  // 8x8 fp32 of the warp
    float score2_0[2];  // 8x8 fp32 of the warp
    float score3_0[2];  // 8x8 fp32 of the warp
    unsigned q0[1];  // 8x8 fp16 of the warp
    unsigned weights0[1];  // 8x8 fp16 of the warp
    float total0[2];  // 8x8 fp32 of the warp
    float top0[1];  // 8x1 fp32 of the warp
    float shift0[1];  // 8x1 fp32 of the warp
    unsigned q1[1];  // 8x8 fp16 of the warp
    unsigned weights1[1];  // 8x8 fp16 of the warp
    float total1[2];  // 8x8 fp32 of the warp
    float top1[1];  // 8x1 fp32 of the warp
    float shift1[1];  // 8x1 fp32 of the warp
    unsigned q2[1];  // 8x8 fp16 of the warp
    unsigned weights2[1];  // 8x8 fp16 of the warp
    float total2[2];  // 8x8 fp32 of the warp
    float top2[1];  // 8x1 fp32 of the warp
    float shift2[1];  // 8x1 fp32 of the warp
    unsigned q3[1];  // 8x8 fp16 of the warp
    unsigned weights3[1];  // 8x8 fp16 of the warp
    float total3[2];  // 8x8 fp32 of the warp
    float top3[1];  // 8x1 fp32 of the warp
    float shift3[1];  // 8x1 fp32 of the warp
    float part[2];  // 8x8 fp32 of the warp
    float found[1];  // 8x1 fp32 of the warp
    float correction[1];  // 8x1 fp32 of the warp
    unsigned right_operand[1];  // 8x8 fp16 of the warp
    unsigned piece0[1];  // 8x8 fp16 of the warp
    uint8 score_bias_held[2];  // 8x8 uint8 of the warp
    unsigned result[1];  // 8x8 fp16 of the warp
    const int row_tiles = (m + 63) / 64;
    const int row0 = block % row_tiles * 64;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 32;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 7) / 8;
    i64 bias_at0[1];
    {
      bias_at0[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + (lane >> 1 & 3) + (lane >> 4) * 4, m - 1) * score_bias_row;
    }
    i64 bias_at1[1];
    {
      bias_at1[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + 8 + (lane >> 1 & 3) + (lane >> 4) * 4, m - 1) * score_bias_row;
    }
    i64 bias_at2[1];
    {
      bias_at2[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + 16 + (lane >> 1 & 3) + (lane >> 4) * 4, m - 1) * score_bias_row;
    }
    i64 bias_at3[1];
    {
      bias_at3[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + 24 + (lane >> 1 & 3) + (lane >> 4) * 4, m - 1) * score_bias_row;
    }
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
      sum1_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum1_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum2_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum3_7[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total0[r] = 0.0f;
    }
    {
      top1[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total1[r] = 0.0f;
    }
    {
      top2[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total2[r] = 0.0f;
    }
    {
      top3[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total3[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[warp * 32 + row * 8 ^ warp * 256 + row * 64 ^ column]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 2) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 2) * 4 >> 3) * 512 + (((warp + 2) * 4 & 7) * 8 + row * 8 ^ ((warp + 2) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 6) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 6) * 4 >> 3) * 512 + (((warp + 6) * 4 & 7) * 8 + row * 8 ^ ((warp + 6) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 8) * 4 >> 3) * 512 + (((warp + 8) * 4 & 7) * 8 + row * 8 ^ ((warp + 8) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 10) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 10) * 4 >> 3) * 512 + (((warp + 10) * 4 & 7) * 8 + row * 8 ^ ((warp + 10) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 12) * 4 >> 3) * 512 + (((warp + 12) * 4 & 7) * 8 + row * 8 ^ ((warp + 12) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 14) * 4 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = (run[0]); q_tile_fetched0[0 + 1] = (run[1]); q_tile_fetched0[0 + 2] = (run[2]); q_tile_fetched0[0 + 3] = (run[3]); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 14) * 4 >> 3) * 512 + (((warp + 14) * 4 & 7) * 8 + row * 8 ^ ((warp + 14) * 4 & 7) * 64 + row * 64 ^ column)]) = uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = (run[0]); k_tile_fetched[0 + 1] = (run[1]); k_tile_fetched[0 + 2] = (run[2]); k_tile_fetched[0 + 3] = (run[3]); }
        else { k_tile_fetched[0] = 0; k_tile_fetched[1] = 0; k_tile_fetched[2] = 0; k_tile_fetched[3] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if (warp * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 4 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]); v_tile_fetched[0] = (run[0]); v_tile_fetched[0 + 1] = (run[1]); v_tile_fetched[0 + 2] = (run[2]); v_tile_fetched[0 + 3] = (run[3]); }
        else { v_tile_fetched[0] = 0; v_tile_fetched[1] = 0; v_tile_fetched[2] = 0; v_tile_fetched[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        k_tile[column * 8 ^ (column >> 3) * 4 ^ warp * 4 + row] = part16(k_tile_fetched[r / 2], (r & 1) * 16);
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint4*>(&v_tile[warp * 32 + column * 8 ^ warp * 256 + column * 64 ^ row]) = uint4((v_tile_fetched[0]), (v_tile_fetched[0 + 1]), (v_tile_fetched[0 + 2]), (v_tile_fetched[0 + 3]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 8 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = (run[0]); k_tile_fetched[0 + 1] = (run[1]); k_tile_fetched[0 + 2] = (run[2]); k_tile_fetched[0 + 3] = (run[3]); }
          else { k_tile_fetched[0] = 0; k_tile_fetched[1] = 0; k_tile_fetched[2] = 0; k_tile_fetched[3] = 0; }
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if ((key_block + 1) * 8 + warp * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 8 + (i64)warp * 4 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]); v_tile_fetched[0] = (run[0]); v_tile_fetched[0 + 1] = (run[1]); v_tile_fetched[0 + 2] = (run[2]); v_tile_fetched[0 + 3] = (run[3]); }
          else { v_tile_fetched[0] = 0; v_tile_fetched[1] = 0; v_tile_fetched[2] = 0; v_tile_fetched[3] = 0; }
        }
      }
      const int key0 = key_block * 8;
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score3_0[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          q0[0] = (*reinterpret_cast<threadgroup const uint*>(&q_tile[warp * 2048 + (row * 8 ^ row * 64 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          q1[0] = (*reinterpret_cast<threadgroup const uint*>(&q_tile[(warp * 4 + 1) * 512 + (row * 8 ^ row * 64 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          q2[0] = (*reinterpret_cast<threadgroup const uint*>(&q_tile[(warp * 4 + 2) * 512 + (row * 8 ^ row * 64 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          q3[0] = (*reinterpret_cast<threadgroup const uint*>(&q_tile[(warp * 4 + 3) * 512 + (row * 8 ^ row * 64 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&k_tile[key_block % 2 * 512 + (k_inner * 8 + row * 8 ^ (k_inner >> 3) * 4 ^ column)]));
        }
        simdgroup_8x8x8_fp16(score0_0, q0, right_operand);
        simdgroup_8x8x8_fp16(score1_0, q1, right_operand);
        simdgroup_8x8x8_fp16(score2_0, q2, right_operand);
        simdgroup_8x8x8_fp16(score3_0, q3, right_operand);
      }
      if (key0 + 7 < keys) {
        {
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at0[0])[key0 + (lane & 1) * 2 + (lane >> 3 & 1) * 4]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        {
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at0[0])[key0 + min((i64)((lane & 1) + (lane >> 3 & 1) * 2) * 2, (i64)last_run)]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score0_0[r] = ((float(uint8(score_bias_held[r])) == 0.0f) ? -3.4028235e+38f : score0_0[r]);
      }
      if (key0 + 7 < keys) {
        {
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at1[0])[key0 + (lane & 1) * 2 + (lane >> 3 & 1) * 4]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        {
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at1[0])[key0 + min((i64)((lane & 1) + (lane >> 3 & 1) * 2) * 2, (i64)last_run)]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score1_0[r] = ((float(uint8(score_bias_held[r])) == 0.0f) ? -3.4028235e+38f : score1_0[r]);
      }
      if (key0 + 7 < keys) {
        {
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at2[0])[key0 + (lane & 1) * 2 + (lane >> 3 & 1) * 4]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        {
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at2[0])[key0 + min((i64)((lane & 1) + (lane >> 3 & 1) * 2) * 2, (i64)last_run)]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score2_0[r] = ((float(uint8(score_bias_held[r])) == 0.0f) ? -3.4028235e+38f : score2_0[r]);
      }
      if (key0 + 7 < keys) {
        {
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at3[0])[key0 + (lane & 1) * 2 + (lane >> 3 & 1) * 4]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        {
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const int pair = *reinterpret_cast<device const ushort*>(&(score_bias + bias_at3[0])[key0 + min((i64)((lane & 1) + (lane >> 3 & 1) * 2) * 2, (i64)last_run)]); score_bias_held[0] = pair & 0xff; score_bias_held[1] = pair >> 8; }
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score3_0[r] = ((float(uint8(score_bias_held[r])) == 0.0f) ? -3.4028235e+38f : score3_0[r]);
      }
      if (key0 + 7 < keys) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          if (!(r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
        int keys_stop1[1];
        {
          keys_stop1[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          if (!(r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys_stop1[0])) score1_0[r] = -3.4028235e+38f;
        }
        int keys_stop2[1];
        {
          keys_stop2[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          if (!(r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys_stop2[0])) score2_0[r] = -3.4028235e+38f;
        }
        int keys_stop3[1];
        {
          keys_stop3[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          if (!(r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys_stop3[0])) score3_0[r] = -3.4028235e+38f;
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
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = precise::exp(((top0[0] * 0.125f) - shift0[0]));
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
      part[0] = score1_0[0];
      part[1] = score1_0[1];
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
        found[0] = maximum(found[0], top1[0]);
      }
      {
        const float v0 = found[0];
        shift1[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = precise::exp(((top1[0] * 0.125f) - shift1[0]));
      }
      top1[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total1[r] = (total1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_0[r] = (sum1_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_1[r] = (sum1_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_2[r] = (sum1_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_3[r] = (sum1_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_4[r] = (sum1_4[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_5[r] = (sum1_5[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_6[r] = (sum1_6[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum1_7[r] = (sum1_7[r] * correction[0]);
      }
      part[0] = score2_0[0];
      part[1] = score2_0[1];
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
        found[0] = maximum(found[0], top2[0]);
      }
      {
        const float v0 = found[0];
        shift2[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = precise::exp(((top2[0] * 0.125f) - shift2[0]));
      }
      top2[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total2[r] = (total2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_0[r] = (sum2_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_1[r] = (sum2_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_2[r] = (sum2_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_3[r] = (sum2_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_4[r] = (sum2_4[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_5[r] = (sum2_5[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_6[r] = (sum2_6[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum2_7[r] = (sum2_7[r] * correction[0]);
      }
      part[0] = score3_0[0];
      part[1] = score3_0[1];
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
        found[0] = maximum(found[0], top3[0]);
      }
      {
        const float v0 = found[0];
        shift3[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = precise::exp(((top3[0] * 0.125f) - shift3[0]));
      }
      top3[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total3[r] = (total3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_0[r] = (sum3_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_1[r] = (sum3_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_2[r] = (sum3_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_3[r] = (sum3_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_4[r] = (sum3_4[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_5[r] = (sum3_5[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_6[r] = (sum3_6[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum3_7[r] = (sum3_7[r] * correction[0]);
      }
      {
        piece0[0] = pair_fp16(fast::exp(((score0_0[0] * 0.125f) - shift0[0])), fast::exp(((score0_0[1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], r * 16)));
      }
      weights0[0] = piece0[0];
      {
        piece0[0] = pair_fp16(fast::exp(((score1_0[0] * 0.125f) - shift1[0])), fast::exp(((score1_0[1] * 0.125f) - shift1[0])));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total1[r] = (total1[r] + from_fp16(part16(piece0[r / 2], r * 16)));
      }
      weights1[0] = piece0[0];
      {
        piece0[0] = pair_fp16(fast::exp(((score2_0[0] * 0.125f) - shift2[0])), fast::exp(((score2_0[1] * 0.125f) - shift2[0])));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total2[r] = (total2[r] + from_fp16(part16(piece0[r / 2], r * 16)));
      }
      weights2[0] = piece0[0];
      {
        piece0[0] = pair_fp16(fast::exp(((score3_0[0] * 0.125f) - shift3[0])), fast::exp(((score3_0[1] * 0.125f) - shift3[0])));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total3[r] = (total3[r] + from_fp16(part16(piece0[r / 2], r * 16)));
      }
      weights3[0] = piece0[0];
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ column)]));
      }
      simdgroup_8x8x8_fp16(sum0_0, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_0, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_0, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_0, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 8 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_1, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_1, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_1, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_1, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 16 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_2, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_2, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_2, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_2, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 24 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_3, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_3, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_3, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_3, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 32 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_4, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_4, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_4, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_4, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 40 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_5, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_5, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_5, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_5, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 48 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_6, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_6, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_6, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_6, weights3, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        right_operand[0] = (*reinterpret_cast<threadgroup const uint*>(&v_tile[key_block % 2 * 512 + (row * 8 ^ row * 64 ^ 56 + column)]));
      }
      simdgroup_8x8x8_fp16(sum0_7, weights0, right_operand);
      simdgroup_8x8x8_fp16(sum1_7, weights1, right_operand);
      simdgroup_8x8x8_fp16(sum2_7, weights2, right_operand);
      simdgroup_8x8x8_fp16(sum3_7, weights3, right_operand);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 8;
          k_tile[(key_block + 1) % 2 * 512 + (column * 8 ^ (column >> 3) * 4 ^ warp * 4 + row)] = part16(k_tile_fetched[r / 2], (r & 1) * 16);
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          *reinterpret_cast<threadgroup uint4*>(&v_tile[(key_block + 1) % 2 * 512 + (warp * 32 + column * 8 ^ warp * 256 + column * 64 ^ row)]) = uint4((v_tile_fetched[0]), (v_tile_fetched[0 + 1]), (v_tile_fetched[0 + 2]), (v_tile_fetched[0 + 3]));
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
      float folded = total1[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total1[r];
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
      result[0] = pair_fp16((sum1_0[0] * correction[0]), (sum1_0[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_1[0] * correction[0]), (sum1_1[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 8 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 8 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_2[0] * correction[0]), (sum1_2[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 16 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 16 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_3[0] * correction[0]), (sum1_3[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 24 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 24 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_4[0] * correction[0]), (sum1_4[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 32 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 32 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_5[0] * correction[0]), (sum1_5[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 40 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 40 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_6[0] * correction[0]), (sum1_6[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 48 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 48 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum1_7[0] * correction[0]), (sum1_7[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 8 + row < m && 56 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 8 + row) + 56 + column]) = (result[0]);
    }
    {
      float folded = total2[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total2[r];
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
      result[0] = pair_fp16((sum2_0[0] * correction[0]), (sum2_0[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_1[0] * correction[0]), (sum2_1[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 8 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 8 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_2[0] * correction[0]), (sum2_2[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 16 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 16 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_3[0] * correction[0]), (sum2_3[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 24 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 24 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_4[0] * correction[0]), (sum2_4[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 32 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 32 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_5[0] * correction[0]), (sum2_5[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 40 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 40 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_6[0] * correction[0]), (sum2_6[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 48 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 48 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum2_7[0] * correction[0]), (sum2_7[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 16 + row < m && 56 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 16 + row) + 56 + column]) = (result[0]);
    }
    {
      float folded = total3[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total3[r];
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
      result[0] = pair_fp16((sum3_0[0] * correction[0]), (sum3_0[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_1[0] * correction[0]), (sum3_1[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 8 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 8 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_2[0] * correction[0]), (sum3_2[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 16 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 16 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_3[0] * correction[0]), (sum3_3[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 24 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 24 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_4[0] * correction[0]), (sum3_4[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 32 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 32 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_5[0] * correction[0]), (sum3_5[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 40 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 40 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_6[0] * correction[0]), (sum3_6[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 48 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 48 + column]) = (result[0]);
    }
    {
      result[0] = pair_fp16((sum3_7[0] * correction[0]), (sum3_7[1] * correction[0]));
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + 24 + row < m && 56 + column < n) *reinterpret_cast<device uint*>(&out[out_at + out_row * (warp_row + 24 + row) + 56 + column]) = (result[0]);
    }
  }
}
