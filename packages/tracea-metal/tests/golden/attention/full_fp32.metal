// tracea: attention fp32
// variant        metal.chained.simdgroup_fp32 for apple7
// configuration  32x8x64 s2 va4 vb4 vc8
// schedule       ec5ebec7530d4387303fa4b7f3bb1a849b6012dc1b0df6cd51cc7dd9712bfa25
// certificate    e17aaca6123836f86d4ab5a57f8a0a3a4c866194fa389f00dbb1f4f5f98a21a8: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
inline void simdgroup_8x8x8_fp32(thread float* sums, const thread float* a, const thread float* b) {
  simdgroup_float8x8 left, right;
  simdgroup_float8x8 total;
  const float2 a_pair = float2(a[0], a[1]);
  left.thread_elements()[0] = a_pair[0];
  left.thread_elements()[1] = a_pair[1];
  const float2 b_pair = float2(b[0], b[1]);
  right.thread_elements()[0] = b_pair[0];
  right.thread_elements()[1] = b_pair[1];
  total.thread_elements()[0] = sums[0];
  total.thread_elements()[1] = sums[1];
  simdgroup_multiply_accumulate(total, left, right, total);
  sums[0] = total.thread_elements()[0];
  sums[1] = total.thread_elements()[1];
}

// q: fp32, read, aligned to 16 bytes
// k_matrix: fp32, read, aligned to 16 bytes
// v: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 8 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 4 to 64 by 4
// k: columns of q and k; 0 to 64 by 4
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 4
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 4
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 4
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 2
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// q_tile: shared of fp32, outer 32 = 8*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp32, k 64 = 6 bits, outer 8 = 3 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp32, k 8 = 2*256 + 2 bits, outer 64 = 6 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
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
};

[[max_total_threads_per_threadgroup(128)]]
kernel void attention_fp32_32x8x64_10e8a48b(
    device const float* q [[buffer(0)]],
    device const float* k_matrix [[buffer(1)]],
    device const float* v [[buffer(2)]],
    device float* out [[buffer(3)]],
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
  threadgroup uint4 shared[1024];
  threadgroup float* const q_tile = reinterpret_cast<threadgroup float*>(shared + 0);
  threadgroup float* const k_tile = reinterpret_cast<threadgroup float*>(shared + 512);
  threadgroup float* const v_tile = reinterpret_cast<threadgroup float*>(shared + 768);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float q_tile_fetched0[4];  // 2x64 fp32 of the warp
    float k_tile_fetched[4];  // 2x64 fp32 of the warp
    float v_tile_fetched[4];  // 64x2 fp32 of the warp
    float sum0_0[2];  // 8x8 fp32 of the warp
    float sum0_1[2];  // 8x8 fp32 of the warp
    float sum0_2[2];  // 8x8 fp32 of the warp
    float sum0_3[2];  // 8x8 fp32 of the warp
    float sum0_4[2];  // 8x8 fp32 of the warp
    float sum0_5[2];  // 8x8 fp32 of the warp
    float sum0_6[2];  // 8x8 fp32 of the warp
    float sum0_7[2];  // 8x8 fp32 of the warp
    float score0_0[2];  // 8x8 fp32 of the warp
    float q0[2];  // 8x8 fp32 of the warp
    float weights0[2];  // 8x8 fp32 of the warp
    float total0[2];  // 8x8 fp32 of the warp
    float top0[1];  // 8x1 fp32 of the warp
    float shift0[1];  // 8x1 fp32 of the warp
    float part[2];  // 8x8 fp32 of the warp
    float found[1];  // 8x1 fp32 of the warp
    float correction[1];  // 8x1 fp32 of the warp
    float right_operand[2];  // 8x8 fp32 of the warp
    float piece0[2];  // 8x8 fp32 of the warp
    float result[2];  // 8x8 fp32 of the warp
    const int row_tiles = (m + 31) / 32;
    const int row0 = block % row_tiles * 32;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 8;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 7) / 8;
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
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_type<float>(run[0]); q_tile_fetched0[0 + 1] = as_type<float>(run[1]); q_tile_fetched0[0 + 2] = as_type<float>(run[2]); q_tile_fetched0[0 + 3] = as_type<float>(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + row * 8 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)]) = uint4(as_type<uint>(q_tile_fetched0[0]), as_type<uint>(q_tile_fetched0[0 + 1]), as_type<uint>(q_tile_fetched0[0 + 2]), as_type<uint>(q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_type<float>(run[0]); q_tile_fetched0[0 + 1] = as_type<float>(run[1]); q_tile_fetched0[0 + 2] = as_type<float>(run[2]); q_tile_fetched0[0 + 3] = as_type<float>(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 8 + row * 8 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)]) = uint4(as_type<uint>(q_tile_fetched0[0]), as_type<uint>(q_tile_fetched0[0 + 1]), as_type<uint>(q_tile_fetched0[0 + 2]), as_type<uint>(q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_type<float>(run[0]); q_tile_fetched0[0 + 1] = as_type<float>(run[1]); q_tile_fetched0[0 + 2] = as_type<float>(run[2]); q_tile_fetched0[0 + 3] = as_type<float>(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 8) * 2 >> 2) * 256 + (((warp + 8) * 2 & 3) * 8 + row * 8 ^ ((warp + 8) * 2 & 3) * 64 + row * 64 ^ column)]) = uint4(as_type<uint>(q_tile_fetched0[0]), as_type<uint>(q_tile_fetched0[0 + 1]), as_type<uint>(q_tile_fetched0[0 + 2]), as_type<uint>(q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_type<float>(run[0]); q_tile_fetched0[0 + 1] = as_type<float>(run[1]); q_tile_fetched0[0 + 2] = as_type<float>(run[2]); q_tile_fetched0[0 + 3] = as_type<float>(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *reinterpret_cast<threadgroup uint4*>(&q_tile[((warp + 12) * 2 >> 2) * 256 + (((warp + 12) * 2 & 3) * 8 + row * 8 ^ ((warp + 12) * 2 & 3) * 64 + row * 64 ^ column)]) = uint4(as_type<uint>(q_tile_fetched0[0]), as_type<uint>(q_tile_fetched0[0 + 1]), as_type<uint>(q_tile_fetched0[0 + 2]), as_type<uint>(q_tile_fetched0[0 + 3]));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 4;
        const int column = (lane & 15) * 4;
        if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 2 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = as_type<float>(run[0]); k_tile_fetched[0 + 1] = as_type<float>(run[1]); k_tile_fetched[0 + 2] = as_type<float>(run[2]); k_tile_fetched[0 + 3] = as_type<float>(run[3]); }
        else { k_tile_fetched[0] = 0.0f; k_tile_fetched[1] = 0.0f; k_tile_fetched[2] = 0.0f; k_tile_fetched[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if (warp * 2 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched[0] = as_type<float>(run[0]); v_tile_fetched[0 + 1] = as_type<float>(run[1]); v_tile_fetched[0 + 2] = as_type<float>(run[2]); v_tile_fetched[0 + 3] = as_type<float>(run[3]); }
        else { v_tile_fetched[0] = 0.0f; v_tile_fetched[1] = 0.0f; v_tile_fetched[2] = 0.0f; v_tile_fetched[3] = 0.0f; }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 4;
        const int column = r + (lane & 15) * 4;
        k_tile[column * 8 ^ (column >> 2) * 2 ^ warp * 2 + row] = k_tile_fetched[r];
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint4*>(&v_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + column * 8 ^ (warp * 2 & 3) * 64 + column * 64 ^ row)]) = uint4(as_type<uint>(v_tile_fetched[0]), as_type<uint>(v_tile_fetched[0 + 1]), as_type<uint>(v_tile_fetched[0 + 2]), as_type<uint>(v_tile_fetched[0 + 3]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 4;
          const int column = (lane & 15) * 4;
          if (column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 8 + (i64)warp * 2 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched[0] = as_type<float>(run[0]); k_tile_fetched[0 + 1] = as_type<float>(run[1]); k_tile_fetched[0 + 2] = as_type<float>(run[2]); k_tile_fetched[0 + 3] = as_type<float>(run[3]); }
          else { k_tile_fetched[0] = 0.0f; k_tile_fetched[1] = 0.0f; k_tile_fetched[2] = 0.0f; k_tile_fetched[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 8 + warp * 2 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 8 + (i64)warp * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched[0] = as_type<float>(run[0]); v_tile_fetched[0 + 1] = as_type<float>(run[1]); v_tile_fetched[0 + 2] = as_type<float>(run[2]); v_tile_fetched[0 + 3] = as_type<float>(run[3]); }
          else { v_tile_fetched[0] = 0.0f; v_tile_fetched[1] = 0.0f; v_tile_fetched[2] = 0.0f; v_tile_fetched[3] = 0.0f; }
        }
      }
      const int key0 = key_block * 8;
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&q_tile[(warp * 2 + (row >> 2)) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ k_inner + column)]); q0[0] = as_type<float>(run[0]); q0[0 + 1] = as_type<float>(run[1]); }
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&k_tile[key_block % 2 * 512 + (k_inner * 8 + row * 8 ^ (k_inner >> 2) * 2 + (row >> 2) * 2 ^ column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
        }
        simdgroup_8x8x8_fp32(score0_0, q0, right_operand);
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
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        piece0[r] = precise::exp(((score0_0[r] * 0.125f) - shift0[0]));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_0, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 8 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_1, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 16 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_2, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 24 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_3, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 32 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_4, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 40 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_5, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 48 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_6, weights0, right_operand);
      {
        const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
        const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
        { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&v_tile[key_block % 2 * 512 + (row >> 2) * 256 + ((row & 3) * 8 ^ (row & 3) * 64 ^ 56 + column)]); right_operand[0] = as_type<float>(run[0]); right_operand[0 + 1] = as_type<float>(run[1]); }
      }
      simdgroup_8x8x8_fp32(sum0_7, weights0, right_operand);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 4;
          const int column = r + (lane & 15) * 4;
          k_tile[(key_block + 1) % 2 * 512 + (column * 8 ^ (column >> 2) * 2 ^ warp * 2 + row)] = k_tile_fetched[r];
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint4*>(&v_tile[(key_block + 1) % 2 * 512 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + column * 8 ^ (warp * 2 & 3) * 64 + column * 64 ^ row)]) = uint4(as_type<uint>(v_tile_fetched[0]), as_type<uint>(v_tile_fetched[0 + 1]), as_type<uint>(v_tile_fetched[0 + 2]), as_type<uint>(v_tile_fetched[0 + 3]));
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
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_0[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_1[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 8 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 8 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_2[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 16 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 16 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_3[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 24 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 24 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_4[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 32 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 32 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_5[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 40 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 40 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_6[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 48 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 48 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      result[r] = (sum0_7[r] * correction[0]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      if (warp_row + row < m && 56 + column < n) *reinterpret_cast<device uint2*>(&out[out_at + out_row * (warp_row + row) + 56 + column]) = uint2(as_type<uint>(result[0]), as_type<uint>(result[0 + 1]));
    }
  }
}
