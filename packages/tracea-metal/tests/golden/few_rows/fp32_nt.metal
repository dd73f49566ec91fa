// tracea: matmul fp32, epilogue bias, residual, relu
// variant        metal.contraction.few_rows_fp32 for apple7
// configuration  4x8x32 s1 w2 va4 vb4 u2
// schedule       4c7797cf89ab33f91006fbf94d28354704480faf6da93a89156ec07f1227cdeb
// certificate    b635fbd517d630eda3090c20f141b0ed73b2b42b7362ab3b8dd3d153176ea88b: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147483647
// n: columns of the output; 0 to 2147483647
// k: length of the reduction; 0 to 2147483647 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904
// found: shared of fp32, row 4 = 4*16, warp 2 = 2*8, column 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: (m + 3) // 4 * ((n + 7) // 8) blocks of 64 threads, clusters of 1, 256 bytes of shared memory
struct Sizes {
  int m;
  int n;
  int k;
  i64 a_row;
  i64 b_column;
  i64 out_row;
  i64 residual_1_row;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void matmul_fp32_4x8x32_a0ff1d8c(
    device const float* a [[buffer(0)]],
    device const float* b [[buffer(1)]],
    device float* out [[buffer(2)]],
    device const float* bias_0 [[buffer(3)]],
    device const float* residual_1 [[buffer(4)]],
    constant Sizes& sizes [[buffer(5)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int m = sizes.m;
  const int n = sizes.n;
  const int k = sizes.k;
  const i64 a_row = sizes.a_row;
  const i64 b_column = sizes.b_column;
  const i64 out_row = sizes.out_row;
  const i64 residual_1_row = sizes.residual_1_row;
  threadgroup uint4 shared[16];
  threadgroup float* const found = reinterpret_cast<threadgroup float*>(shared + 0);
  // warp: warp x 2
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float weights[8];  // 8x32 fp32 of the warp
    float factors[2];  // 8x8 fp32 of the warp
    float row[4];  // 1x32 fp32 of the warp
    float row0_0[1];  // 1x8 fp32 of the warp
    float row0_1[1];  // 1x8 fp32 of the warp
    float row0_2[1];  // 1x8 fp32 of the warp
    float row0_3[1];  // 1x8 fp32 of the warp
    float row1_0[1];  // 1x8 fp32 of the warp
    float row1_1[1];  // 1x8 fp32 of the warp
    float row1_2[1];  // 1x8 fp32 of the warp
    float row1_3[1];  // 1x8 fp32 of the warp
    float row2_0[1];  // 1x8 fp32 of the warp
    float row2_1[1];  // 1x8 fp32 of the warp
    float row2_2[1];  // 1x8 fp32 of the warp
    float row2_3[1];  // 1x8 fp32 of the warp
    float row3_0[1];  // 1x8 fp32 of the warp
    float row3_1[1];  // 1x8 fp32 of the warp
    float row3_2[1];  // 1x8 fp32 of the warp
    float row3_3[1];  // 1x8 fp32 of the warp
    float sums0[2];  // 8x8 fp32 of the warp
    float sums1[2];  // 8x8 fp32 of the warp
    float sums2[2];  // 8x8 fp32 of the warp
    float sums3[2];  // 8x8 fp32 of the warp
    float total[2];  // 8x1 fp32 of the warp
    float own[2];  // 8x8 fp32 of the warp
    float across[1];  // 8x2 fp32 of the warp
    float sum[1];  // 8x1 fp32 of the warp
    float bias_0_held[1];  // 8x4 fp32 of the warp
    float residual_1_held[1];  // 8x4 fp32 of the warp
    float result[1];  // 8x4 fp32 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 3) / 4;
    const int tile_columns = (n + 7) / 8;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 4;
      const int column0 = tile % tile_columns * 8;
      int at_column[2];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        at_column[r] = min(column0 + r * 4 + (lane >> 3), n - 1);
      }
      const int at_row0 = min(row0, m - 1);
      const int at_row1 = min(row0 + 1, m - 1);
      const int at_row2 = min(row0 + 2, m - 1);
      const int at_row3 = min(row0 + 3, m - 1);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums3[r] = 0.0f;
      }
      const int whole_steps = k / 32;
      #pragma unroll 2
      for (int step = warp; step < whole_steps; step += 2) {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&b[(i64)step * 32 + (r & 3) + (lane & 7) * 4 + at_column[r >> 2] * b_column]); weights[r] = as_type<float>(run[0]); weights[r + 1] = as_type<float>(run[1]); weights[r + 2] = as_type<float>(run[2]); weights[r + 3] = as_type<float>(run[3]); }
        }
        {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
        }
        {
          row0_0[0] = row[0];
        }
        {
          row0_1[0] = row[1];
        }
        {
          row0_2[0] = row[2];
        }
        {
          row0_3[0] = row[3];
        }
        {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
        }
        {
          row1_0[0] = row[0];
        }
        {
          row1_1[0] = row[1];
        }
        {
          row1_2[0] = row[2];
        }
        {
          row1_3[0] = row[3];
        }
        {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
        }
        {
          row2_0[0] = row[0];
        }
        {
          row2_1[0] = row[1];
        }
        {
          row2_2[0] = row[2];
        }
        {
          row2_3[0] = row[3];
        }
        {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
        }
        {
          row3_0[0] = row[0];
        }
        {
          row3_1[0] = row[1];
        }
        {
          row3_2[0] = row[2];
        }
        {
          row3_3[0] = row[3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 1];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 2];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      #pragma unroll 1
      for (int step = whole_steps + (warp - whole_steps % 2 + 2) % 2; step < (k + 31) / 32; step += 2) {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[(i64)step * 32 + (r & 3) + (lane & 7) * 4 + at_column[r >> 2] * b_column]); weights[r] = as_type<float>(run[0]); weights[r + 1] = as_type<float>(run[1]); weights[r + 2] = as_type<float>(run[2]); weights[r + 3] = as_type<float>(run[3]); }
          else { weights[r] = 0.0f; weights[r + 1] = 0.0f; weights[r + 2] = 0.0f; weights[r + 3] = 0.0f; }
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row0_0[0] = row[0];
        }
        {
          row0_1[0] = row[1];
        }
        {
          row0_2[0] = row[2];
        }
        {
          row0_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row1_0[0] = row[0];
        }
        {
          row1_1[0] = row[1];
        }
        {
          row1_2[0] = row[2];
        }
        {
          row1_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row2_0[0] = row[0];
        }
        {
          row2_1[0] = row[1];
        }
        {
          row2_2[0] = row[2];
        }
        {
          row2_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_type<float>(run[0]); row[0 + 1] = as_type<float>(run[1]); row[0 + 2] = as_type<float>(run[2]); row[0 + 3] = as_type<float>(run[3]); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row3_0[0] = row[0];
        }
        {
          row3_1[0] = row[1];
        }
        {
          row3_2[0] = row[2];
        }
        {
          row3_3[0] = row[3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 1];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 2];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      {
        float folded = sums0[0];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[0] = folded;
      }
      {
        float folded = sums0[1];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[warp * 8 + row] = own[r];
      }
      {
        float folded = sums1[0];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[0] = folded;
      }
      {
        float folded = sums1[1];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[16 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums2[0];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[0] = folded;
      }
      {
        float folded = sums2[1];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[32 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums3[0];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[0] = folded;
      }
      {
        float folded = sums3[1];
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[48 + warp * 8 + row] = own[r];
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // found
      #pragma unroll 1
      for (int turn = 0; turn < 2; ++turn) {
        if (turn * 2 + warp < min(m - row0, 4)) {
          {
            const int row = lane & 7;
            const int column = lane >> 3 & 1;
            across[0] = found[(turn * 2 + warp) * 16 + column * 8 + row];
          }
          {
            float folded = across[0];
            folded = folded + simd_shuffle_xor(folded, ushort(8));
            sum[0] = folded;
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            bias_0_held[0] = turn * 2 + warp < min(m - row0, 4) && column0 + row < n && column < 1 ? bias_0[column0 + row] : 0.0f;
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            residual_1_held[0] = turn * 2 + warp < min(m - row0, 4) && column0 + row < n && column < 1 ? residual_1[(row0 + (i64)turn * 2 + warp) * residual_1_row + column0 + row] : 0.0f;
          }
          {
            result[0] = maximum(((sum[0] + bias_0_held[0]) + residual_1_held[0]), 0.0f);
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            if (column0 + row < n && column < 1) out[(row0 + (i64)turn * 2 + warp) * out_row + column0 + row] = result[0];
          }
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // stored
    }
  }
}
