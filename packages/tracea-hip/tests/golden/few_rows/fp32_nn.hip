// tracea: matmul fp32, epilogue bias, residual, relu
// variant        hip.contraction.few_rows_fp32 for gfx942
// configuration  4x8x128 s1 w2 va4 vb4 u2
// schedule       58b39964008b929c2f27e87b87434752f185b6cad239b9ae6f6baaa4b19a5b98
// certificate    733aa1ffb36139df6bd1c809a6b180ca4ccf29ae42c7e525899080b7614ef2f2: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

// Types, conversions and arithmetic that every kernel uses; nothing of ROCm is needed to compile them.
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(threads, threads)))
#endif
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define INLINE static __device__ inline __attribute__((always_inline))

typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;
template <class T, int count> using vector = T __attribute__((ext_vector_type(count)));

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
INLINE float float_of(unsigned x) { return __builtin_bit_cast(float, x); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)__builtin_bit_cast(_Float16, x); }
INLINE fp16 to_fp16(float x) { return __builtin_bit_cast(fp16, (_Float16)x); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
INLINE int larger(int x, int y) { return x > y ? x : y; }
INLINE i64 larger(i64 x, i64 y) { return x > y ? x : y; }
INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE i64 smaller(i64 x, i64 y) { return x < y ? x : y; }
#define min smaller
#define max larger
INLINE int to_int32(float x) { return x != x ? 0 : (int)minimum(maximum(__builtin_rintf(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)smaller(larger(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)smaller(larger(to_int32(x), 0), 255); }

// Waves meet here; what they stored to shared memory before is visible after. Loads from global memory stay under way.
INLINE void block_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// What the lane numbered `lane` of this wave holds; every lane of the wave takes part.
INLINE float of_lane(float x, int lane) { return float_of((unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits_of(x))); }

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
// launch: (m + 3) // 4 * ((n + 7) // 8) blocks of 128 threads, clusters of 1, 256 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) matmul_fp32_4x8x128_6a8d51e1(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
    const float* __restrict__ residual_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_row,
    i64 out_row,
    i64 residual_1_row) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 128;
  __shared__ __attribute__((aligned(16))) unsigned char shared[256];
  float* const found = (float*)(shared + 0);
  // warp: warp x 2
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 16> weights;  // 8x128 fp32 of the warp
    vector<float, 4> factors;  // 8x32 fp32 of the warp
    vector<float, 4> row;  // 1x128 fp32 of the warp
    float row0_0[1];  // 1x32 fp32 of the warp
    float row0_1[1];  // 1x32 fp32 of the warp
    float row0_2[1];  // 1x32 fp32 of the warp
    float row0_3[1];  // 1x32 fp32 of the warp
    float row1_0[1];  // 1x32 fp32 of the warp
    float row1_1[1];  // 1x32 fp32 of the warp
    float row1_2[1];  // 1x32 fp32 of the warp
    float row1_3[1];  // 1x32 fp32 of the warp
    float row2_0[1];  // 1x32 fp32 of the warp
    float row2_1[1];  // 1x32 fp32 of the warp
    float row2_2[1];  // 1x32 fp32 of the warp
    float row2_3[1];  // 1x32 fp32 of the warp
    float row3_0[1];  // 1x32 fp32 of the warp
    float row3_1[1];  // 1x32 fp32 of the warp
    float row3_2[1];  // 1x32 fp32 of the warp
    float row3_3[1];  // 1x32 fp32 of the warp
    vector<float, 4> sums0;  // 8x32 fp32 of the warp
    vector<float, 4> sums1;  // 8x32 fp32 of the warp
    vector<float, 4> sums2;  // 8x32 fp32 of the warp
    vector<float, 4> sums3;  // 8x32 fp32 of the warp
    vector<float, 4> total;  // 8x1 fp32 of the warp
    vector<float, 4> own;  // 8x32 fp32 of the warp
    float across[1];  // 8x2 fp32 of the warp
    float sum[1];  // 8x1 fp32 of the warp
    float bias_0_held[1];  // 8x8 fp32 of the warp
    float residual_1_held[1];  // 8x8 fp32 of the warp
    float result[1];  // 8x8 fp32 of the warp
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
        at_column[r] = min(column0 / 4 + (lane >> 5), n / 4 - 1) * 4 + r;
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
      const int whole_steps = k / 128;
      #pragma unroll 2
      for (int step = warp; step < whole_steps; step += 2) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) + (lane & 0x1f) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)step * 128 + column) * b_row + at_column[r & 3]]; weights[r] = float_of(run[0]); weights[r + 1] = float_of(run[1]); weights[r + 2] = float_of(run[2]); weights[r + 3] = float_of(run[3]); }
        }
        {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row0 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row1 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row2 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row3 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
      for (int step = whole_steps + (warp - whole_steps % 2 + 2) % 2; step < (k + 127) / 128; step += 2) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) + (lane & 0x1f) * 4;
          if (step * 128 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)step * 128 + column) * b_row + at_column[r & 3]]; weights[r] = float_of(run[0]); weights[r + 1] = float_of(run[1]); weights[r + 2] = float_of(run[2]); weights[r + 3] = float_of(run[3]); }
          else { weights[r] = 0.0f; weights[r + 1] = 0.0f; weights[r + 2] = 0.0f; weights[r + 3] = 0.0f; }
        }
        {
          const int column = (lane & 0x1f) * 4;
          if (step * 128 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row0 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          const int column = (lane & 0x1f) * 4;
          if (step * 128 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row1 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          const int column = (lane & 0x1f) * 4;
          if (step * 128 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row2 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
          const int column = (lane & 0x1f) * 4;
          if (step * 128 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[at_row3 * a_row + (i64)step * 128 + (lane & 0x1f) * 4]; row[0] = float_of(run[0]); row[0 + 1] = float_of(run[1]); row[0 + 2] = float_of(run[2]); row[0 + 3] = float_of(run[3]); }
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
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[0] = folded;
      }
      {
        float folded = sums0[1];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[1] = folded;
      }
      {
        float folded = sums0[2];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[2] = folded;
      }
      {
        float folded = sums0[3];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 5) * 4;
        const int column = lane & 0x1f;
        if (column < 1) found[warp * 8 + row] = own[r];
      }
      {
        float folded = sums1[0];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[0] = folded;
      }
      {
        float folded = sums1[1];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[1] = folded;
      }
      {
        float folded = sums1[2];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[2] = folded;
      }
      {
        float folded = sums1[3];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 5) * 4;
        const int column = lane & 0x1f;
        if (column < 1) found[16 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums2[0];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[0] = folded;
      }
      {
        float folded = sums2[1];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[1] = folded;
      }
      {
        float folded = sums2[2];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[2] = folded;
      }
      {
        float folded = sums2[3];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 5) * 4;
        const int column = lane & 0x1f;
        if (column < 1) found[32 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums3[0];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[0] = folded;
      }
      {
        float folded = sums3[1];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[1] = folded;
      }
      {
        float folded = sums3[2];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[2] = folded;
      }
      {
        float folded = sums3[3];
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        total[3] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = r + (lane >> 5) * 4;
        const int column = lane & 0x1f;
        if (column < 1) found[48 + warp * 8 + row] = own[r];
      }
      block_barrier();  // found
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
            folded = folded + of_lane(folded, lane ^ 8);
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
      block_barrier();  // stored
    }
  }
}
