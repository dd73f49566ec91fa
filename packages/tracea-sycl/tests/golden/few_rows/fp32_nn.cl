// tracea: matmul fp32, epilogue bias, residual, relu
// variant        sycl.contraction.few_rows_fp32 for pvc
// configuration  4x8x32 s1 w2 va4 vb4 u2
// schedule       ce1e46ac189028b2b81db4fe15dbd9bbdce841141f83fd742e1d16350413f01e
// certificate    8e32d5cc1818aa8daf6cef0c8b07e7d05bf96d944e79a02c56e40a5050d5c4c8: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

// Types, conversions and arithmetic that every kernel uses; OpenCL C 1.2 and later.
#define INLINE __attribute__((overloadable)) static inline
#ifdef cl_intel_required_subgroup_size
#define SUB_GROUPS_OF(lanes) __attribute__((intel_reqd_sub_group_size(lanes)))
#else
#define SUB_GROUPS_OF(lanes)
#endif

typedef long i64;
typedef ushort bf16;
typedef ushort fp16;

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Runs of words, from and to either memory.
INLINE ushort load_half(const __global void* p) { return *(const __global ushort*)p; }
INLINE uint load_1(const __global void* p) { return *(const __global uint*)p; }
INLINE uint2 load_2(const __global void* p) { return *(const __global uint2*)p; }
INLINE uint4 load_4(const __global void* p) { return *(const __global uint4*)p; }
INLINE uint load_1(const __local void* p) { return *(const __local uint*)p; }
INLINE uint2 load_2(const __local void* p) { return *(const __local uint2*)p; }
INLINE uint4 load_4(const __local void* p) { return *(const __local uint4*)p; }
INLINE void store_run(__global void* p, uint x) { *(__global uint*)p = x; }
INLINE void store_run(__global void* p, uint2 x) { *(__global uint2*)p = x; }
INLINE void store_run(__global void* p, uint4 x) { *(__global uint4*)p = x; }
INLINE void store_run(__local void* p, uint x) { *(__local uint*)p = x; }
INLINE void store_run(__local void* p, uint2 x) { *(__local uint2*)p = x; }
INLINE void store_run(__local void* p, uint4 x) { *(__local uint4*)p = x; }

// Elements packed in 32-bit words, lowest bits first.
INLINE ushort part16(uint word, int bit) { return (ushort)(word >> bit); }
INLINE uchar part8(uint word, int bit) { return (uchar)(word >> bit); }
INLINE uint with16(uint word, int bit, ushort value) { return (word & ~(0xffffu << bit)) | ((uint)value << bit); }
INLINE uint with8(uint word, int bit, uchar value) { return (word & ~(0xffu << bit)) | ((uint)value << bit); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return as_float((uint)x << 16); }
INLINE float from_fp16(fp16 x) { return vload_half(0, (const __private half*)&x); }
INLINE fp16 to_fp16(float x) { fp16 stored; vstore_half_rte(x, 0, (__private half*)&stored); return stored; }
INLINE bf16 to_bf16(float x) {
  const uint bits = as_uint(x);
  return isnan(x) ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE uint pair_fp16(float low, float high) { return (uint)to_fp16(low) | (uint)to_fp16(high) << 16; }
INLINE uint pair_bf16(float low, float high) { return (uint)to_bf16(low) | (uint)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }
INLINE float minimum(float x, float y) { return x < y || isnan(x) ? x : y; }
INLINE int to_int32(float x) { return isnan(x) ? 0 : convert_int_sat_rte(x); }
INLINE char to_int8(float x) { return isnan(x) ? 0 : convert_char_sat_rte(x); }
INLINE uchar to_uint8(float x) { return isnan(x) ? 0 : convert_uchar_sat_rte(x); }

// What the lane holds whose number differs in the bit `distance`; every lane of the sub-group takes part.
#if defined(cl_khr_subgroup_shuffle)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
INLINE float of_lane(float x, uint distance) { return sub_group_shuffle_xor(x, distance); }
#elif defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
INLINE float of_lane(float x, uint distance) { return intel_sub_group_shuffle_xor(x, distance); }
#else
INLINE float of_lane(float x, uint distance) {  // NVIDIA's compiler takes the instructions of its GPUs
  uint found;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(found) : "r"(as_uint(x)), "r"(distance));
  return as_float(found);
}
#endif

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147483647
// n: columns of the output; 0 to 2147483647 by 4
// k: length of the reduction; 0 to 2147483647 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904
// found: shared of fp32, row 4 = 4*16, warp 2 = 2*8, column 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: (m + 3) // 4 * ((n + 7) // 8) blocks of 32 threads, clusters of 1, 256 bytes of shared memory
__attribute__((reqd_work_group_size(32, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void matmul_fp32_4x8x32_6a8d51e1(
    __global const float* restrict a,
    __global const float* restrict b,
    __global float* restrict out,
    __global const float* restrict bias_0,
    __global const float* restrict residual_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_row,
    i64 out_row,
    i64 residual_1_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[256] __attribute__((aligned(16)));
  __local float* const found = (__local float*)(shared + 0);
  // warp: warp x 2
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float16 weights;  // 8x32 fp32 of the warp
    float4 factors;  // 8x8 fp32 of the warp
    float4 row;  // 1x32 fp32 of the warp
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
    float4 sums0;  // 8x8 fp32 of the warp
    float4 sums1;  // 8x8 fp32 of the warp
    float4 sums2;  // 8x8 fp32 of the warp
    float4 sums3;  // 8x8 fp32 of the warp
    float4 total;  // 8x1 fp32 of the warp
    float4 own;  // 8x8 fp32 of the warp
    float across[1];  // 8x2 fp32 of the warp
    float sum[1];  // 8x1 fp32 of the warp
    float bias_0_held[1];  // 8x2 fp32 of the warp
    float residual_1_held[1];  // 8x2 fp32 of the warp
    float result[1];  // 8x2 fp32 of the warp
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
      int at_column[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        at_column[r] = min(column0 / 4 + (lane >> 3), n / 4 - 1) * 4 + r;
      }
      const int at_row0 = min(row0, m - 1);
      const int at_row1 = min(row0 + 1, m - 1);
      const int at_row2 = min(row0 + 2, m - 1);
      const int at_row3 = min(row0 + 3, m - 1);
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums3[r] = 0.0f;
      }
      const int whole_steps = k / 32;
      #pragma unroll 2
      for (int step = warp; step < whole_steps; step += 2) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) + (lane & 7) * 4;
          { const uint4 run = load_4(&b[((i64)step * 32 + column) * b_row + at_column[r & 3]]); weights[r] = as_float(run.s0); weights[r + 1] = as_float(run.s1); weights[r + 2] = as_float(run.s2); weights[r + 3] = as_float(run.s3); }
        }
        {
          { const uint4 run = load_4(&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          { const uint4 run = load_4(&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          { const uint4 run = load_4(&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          { const uint4 run = load_4(&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 12];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      #pragma unroll 1
      for (int step = whole_steps + (warp - whole_steps % 2 + 2) % 2; step < (k + 31) / 32; step += 2) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) + (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = load_4(&b[((i64)step * 32 + column) * b_row + at_column[r & 3]]); weights[r] = as_float(run.s0); weights[r + 1] = as_float(run.s1); weights[r + 2] = as_float(run.s2); weights[r + 3] = as_float(run.s3); }
          else { weights[r] = 0.0f; weights[r + 1] = 0.0f; weights[r + 2] = 0.0f; weights[r + 3] = 0.0f; }
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = load_4(&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          if (step * 32 + column < k) { const uint4 run = load_4(&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          if (step * 32 + column < k) { const uint4 run = load_4(&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
          if (step * 32 + column < k) { const uint4 run = load_4(&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]); row[0] = as_float(run.s0); row[0 + 1] = as_float(run.s1); row[0 + 2] = as_float(run.s2); row[0 + 3] = as_float(run.s3); }
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
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          factors[r] = weights[r + 12];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      {
        float folded = sums0[0];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums0[1];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[1] = folded;
      }
      {
        float folded = sums0[2];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[2] = folded;
      }
      {
        float folded = sums0[3];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 3) * 4;
        const int column = lane & 7;
        if (column < 1) found[warp * 8 + row] = own[r];
      }
      {
        float folded = sums1[0];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums1[1];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[1] = folded;
      }
      {
        float folded = sums1[2];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[2] = folded;
      }
      {
        float folded = sums1[3];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 3) * 4;
        const int column = lane & 7;
        if (column < 1) found[16 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums2[0];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums2[1];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[1] = folded;
      }
      {
        float folded = sums2[2];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[2] = folded;
      }
      {
        float folded = sums2[3];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 3) * 4;
        const int column = lane & 7;
        if (column < 1) found[32 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums3[0];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums3[1];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[1] = folded;
      }
      {
        float folded = sums3[2];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[2] = folded;
      }
      {
        float folded = sums3[3];
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 3) * 4;
        const int column = lane & 7;
        if (column < 1) found[48 + warp * 8 + row] = own[r];
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // found
      #pragma unroll 1
      for (int turn = 0; turn < 2; ++turn) {
        if (turn * 2 + warp < min(m - row0, 4)) {
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            across[0] = found[(turn * 2 + warp) * 16 + column * 8 + row];
          }
          {
            float folded = across[0];
            folded = folded + of_lane(folded, 8);
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
      barrier(CLK_LOCAL_MEM_FENCE);  // stored
    }
  }
}
