// tracea: matmul bf16, epilogue bias, auxiliary, gelu
// variant        hip.contraction.mfma_bf16 for gfx942
// configuration  128x128x32 s2 grouped g4 va8 vb8 vc8
// schedule       8729be3e4f6e787541ff5263d799ee04f8b8c35784c5eb2ffcb5a944a13825cb
// certificate    e8b2f084e4c5856642c140ce6da8988bbc42d2e90f8f3232f47fa9321eefe678: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// Functions that the compiler has no instructions for. Minimax polynomials in single precision:
// tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above; erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above.
INLINE float exp_of(float x) { return __builtin_expf(x); }
INLINE float tanh_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x);
  const float p = (((-0.006104948011f * s + 0.02100364122f) * s - 0.05385249747f) * s + 0.1333278226f) * s - 0.333333291f;
  const float far = 1.0f - 2.0f / (exp_of(2.0f * (magnitude > 9.1f ? 9.1f : magnitude)) + 1.0f);
  return x != x ? x : __builtin_copysignf(magnitude < 0.625f ? magnitude + magnitude * s * p : far, x);
}
INLINE float erf_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return x != x ? x : __builtin_copysignf(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - exp_of(l), x);
}

// Matrix instructions: sums += a · b.
INLINE void mfma_32x32x8_bf16_x2(vector<float, 16>& sums, const vector<unsigned, 4> a, const vector<unsigned, 4> b) {
  sums = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(__builtin_bit_cast(vector<short, 4>, vector<unsigned, 2>{a[0], a[1]}), __builtin_bit_cast(vector<short, 4>, vector<unsigned, 2>{b[0], b[1]}), sums, 0, 0, 0);
  sums = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(__builtin_bit_cast(vector<short, 4>, vector<unsigned, 2>{a[2], a[3]}), __builtin_bit_cast(vector<short, 4>, vector<unsigned, 2>{b[2], b[3]}), sums, 0, 0, 0);
}

// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 2 bytes
// bias_0: bf16, read, aligned to 2 bytes
// auxiliary_1: bf16, write, aligned to 2 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 8
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// auxiliary_1_row: auxiliary_1: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of bf16, outer 128 = 16*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, outer 128 = 16*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * ((n + 127) // 128) blocks of 256 threads, clusters of 1, 32768 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256) matmul_bf16_128x128x32_546fe9a5(
    const bf16* __restrict__ a,
    const bf16* __restrict__ b,
    bf16* __restrict__ out,
    const bf16* __restrict__ bias_0,
    bf16* __restrict__ auxiliary_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row,
    i64 auxiliary_1_row) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 256;
  __shared__ __attribute__((aligned(16))) unsigned char shared[32768];
  bf16* const a_tile = (bf16*)(shared + 0);
  bf16* const b_tile = (bf16*)(shared + 16384);
  // warp: warp x 4
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 16> acc0_0;  // 32x32 fp32 of the warp
    vector<float, 16> acc0_1;  // 32x32 fp32 of the warp
    vector<float, 16> acc1_0;  // 32x32 fp32 of the warp
    vector<float, 16> acc1_1;  // 32x32 fp32 of the warp
    vector<unsigned, 4> a0;  // 32x16 bf16 of the warp
    vector<unsigned, 4> a1;  // 32x16 bf16 of the warp
    vector<unsigned, 4> b0;  // 16x32 bf16 of the warp
    vector<unsigned, 4> b1;  // 16x32 bf16 of the warp
    vector<unsigned, 4> a_tile_fetched0;  // 16x32 bf16 of the warp
    vector<unsigned, 4> a_tile_fetched1;  // 16x32 bf16 of the warp
    vector<unsigned, 4> b_tile_fetched0;  // 16x32 bf16 of the warp
    vector<unsigned, 4> b_tile_fetched1;  // 16x32 bf16 of the warp
    bf16 bias_0_held[1];  // 1x32 bf16 of the warp
    vector<unsigned, 8> auxiliary_1_held;  // 32x32 bf16 of the warp
    vector<unsigned, 8> result;  // 32x32 bf16 of the warp
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 127) / 128;
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 4);
      const int band_rows = min(tile_rows - band * 4, 4);
      const int in_band = tile - band * 4 * tile_columns;
      const int row0 = (band * 4 + floor_modulo(in_band, band_rows)) * 128;
      const int column0 = floor_divide(in_band, band_rows) * 128;
      const int warp_row = row0 + warp / 2 * 64;
      const int warp_column = column0 + warp % 2 * 64;
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc1_1[r] = 0.0f;
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) a_tile_fetched0 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + column];
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) a_tile_fetched1 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + column];
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) b_tile_fetched0 = *(const vector<unsigned, 4>*)&b[column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column];
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) b_tile_fetched1 = *(const vector<unsigned, 4>*)&b[column + min(column0 + (i64)(warp + 4) * 16 + row, (i64)(n - 1)) * b_column];
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      block_barrier();  // tile_done
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(vector<unsigned, 4>*)&a_tile[(warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(vector<unsigned, 4>*)&a_tile[((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(vector<unsigned, 4>*)&b_tile[(warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(vector<unsigned, 4>*)&b_tile[((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) a_tile_fetched0 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + 32 + column];
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) a_tile_fetched1 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + 32 + column];
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) b_tile_fetched0 = *(const vector<unsigned, 4>*)&b[32 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column];
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) b_tile_fetched1 = *(const vector<unsigned, 4>*)&b[32 + column + min(column0 + (i64)(warp + 4) * 16 + row, (i64)(n - 1)) * b_column];
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < floor_divide(whole_steps - 2, 2) * 2; k_step += 2) {
        block_barrier();  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[4096 + (warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[4096 + ((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[4096 + (warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[4096 + ((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched0 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched1 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched0 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched1 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 4) * 16 + row, (i64)(n - 1)) * b_column];
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[(warp / 2 * 8 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a1 = *(const vector<unsigned, 4>*)&a_tile[(warp / 2 * 8 + 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[(warp % 2 * 8 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b1 = *(const vector<unsigned, 4>*)&b_tile[(warp % 2 * 8 + 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_bf16_x2(acc0_0, a0, b0);
          mfma_32x32x8_bf16_x2(acc0_1, a0, b1);
          mfma_32x32x8_bf16_x2(acc1_0, a1, b0);
          mfma_32x32x8_bf16_x2(acc1_1, a1, b1);
        }
        block_barrier();  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[(warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[(warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched0 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched1 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched0 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 1 + 2) * 32 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column];
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched1 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 1 + 2) * 32 + column + min(column0 + (i64)(warp + 4) * 16 + row, (i64)(n - 1)) * b_column];
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[4096 + (warp / 2 * 8 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a1 = *(const vector<unsigned, 4>*)&a_tile[4096 + (warp / 2 * 8 + 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[4096 + (warp % 2 * 8 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b1 = *(const vector<unsigned, 4>*)&b_tile[4096 + (warp % 2 * 8 + 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_bf16_x2(acc0_0, a0, b0);
          mfma_32x32x8_bf16_x2(acc0_1, a0, b1);
          mfma_32x32x8_bf16_x2(acc1_0, a1, b0);
          mfma_32x32x8_bf16_x2(acc1_1, a1, b1);
        }
      }
      #pragma unroll 1
      for (int k_step = max(floor_divide(whole_steps - 2, 2) * 2, 0); k_step < k_steps; ++k_step) {
        block_barrier();  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 4096 + (warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 4096 + ((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[(k_step + 1) % 2 * 4096 + (warp * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(vector<unsigned, 4>*)&b_tile[(k_step + 1) % 2 * 4096 + ((warp + 4) * 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ column)] = vector<unsigned, 4>{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) a_tile_fetched0 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column];
          else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) a_tile_fetched1 = *(const vector<unsigned, 4>*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column];
          else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) b_tile_fetched0 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column];
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) b_tile_fetched1 = *(const vector<unsigned, 4>*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 4) * 16 + row, (i64)(n - 1)) * b_column];
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 4096 + (warp / 2 * 8 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a1 = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 4096 + (warp / 2 * 8 + 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 8 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b1 = *(const vector<unsigned, 4>*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 8 + 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_bf16_x2(acc0_0, a0, b0);
          mfma_32x32x8_bf16_x2(acc0_1, a0, b1);
          mfma_32x32x8_bf16_x2(acc1_0, a1, b0);
          mfma_32x32x8_bf16_x2(acc1_1, a1, b1);
        }
      }
      if (warp_row + 63 < m && warp_column + 63 < n) {
        {
          bias_0_held[0] = bias_0[warp_column + (lane & 0x1f)];
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc0_0[r] + from_bf16(bias_0_held[0])), (acc0_0[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc0_0[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc0_0[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          out[(warp_row + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          bias_0_held[0] = bias_0[warp_column + 32 + (lane & 0x1f)];
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc0_1[r] + from_bf16(bias_0_held[0])), (acc0_1[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + 32 + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc0_1[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc0_1[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          out[(warp_row + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          bias_0_held[0] = bias_0[warp_column + (lane & 0x1f)];
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc1_0[r] + from_bf16(bias_0_held[0])), (acc1_0[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          auxiliary_1[(warp_row + 32 + row) * auxiliary_1_row + warp_column + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc1_0[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc1_0[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          out[(warp_row + 32 + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          bias_0_held[0] = bias_0[warp_column + 32 + (lane & 0x1f)];
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc1_1[r] + from_bf16(bias_0_held[0])), (acc1_1[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          auxiliary_1[(warp_row + 32 + row) * auxiliary_1_row + warp_column + 32 + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc1_1[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc1_1[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          out[(warp_row + 32 + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      else {
        {
          const int column = lane & 0x1f;
          bias_0_held[0] = warp_column + column < n ? bias_0[warp_column + (lane & 0x1f)] : 0;
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc0_0[r] + from_bf16(bias_0_held[0])), (acc0_0[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + row < m && warp_column + column < n) auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc0_0[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc0_0[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          const int column = lane & 0x1f;
          bias_0_held[0] = warp_column + 32 + column < n ? bias_0[warp_column + 32 + (lane & 0x1f)] : 0;
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc0_1[r] + from_bf16(bias_0_held[0])), (acc0_1[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + row < m && warp_column + 32 + column < n) auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + 32 + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc0_1[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc0_1[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + row < m && warp_column + 32 + column < n) out[(warp_row + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          const int column = lane & 0x1f;
          bias_0_held[0] = warp_column + column < n ? bias_0[warp_column + (lane & 0x1f)] : 0;
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc1_0[r] + from_bf16(bias_0_held[0])), (acc1_0[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + 32 + row < m && warp_column + column < n) auxiliary_1[(warp_row + 32 + row) * auxiliary_1_row + warp_column + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc1_0[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc1_0[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + 32 + row < m && warp_column + column < n) out[(warp_row + 32 + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        {
          const int column = lane & 0x1f;
          bias_0_held[0] = warp_column + 32 + column < n ? bias_0[warp_column + 32 + (lane & 0x1f)] : 0;
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          auxiliary_1_held[r / 2] = pair_bf16((acc1_1[r] + from_bf16(bias_0_held[0])), (acc1_1[r + 1] + from_bf16(bias_0_held[0])));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + 32 + row < m && warp_column + 32 + column < n) auxiliary_1[(warp_row + 32 + row) * auxiliary_1_row + warp_column + 32 + column] = part16(auxiliary_1_held[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          float low;
          {
            const float v0 = acc1_1[r] + from_bf16(bias_0_held[0]);
            low = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          float high;
          {
            const float v0 = acc1_1[r + 1] + from_bf16(bias_0_held[0]);
            high = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + 32 + row < m && warp_column + 32 + column < n) out[(warp_row + 32 + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
    }
  }
}
