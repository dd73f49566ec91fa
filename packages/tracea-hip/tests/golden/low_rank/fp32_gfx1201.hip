// tracea: low rank product fp32
// variant        hip.chained.low_rank_simt_fp32 for gfx1201
// configuration  16x32x32 s2 w2 va4 vb4 vc8 kb32
// schedule       6485618b2a79f0f4ce9dcfd1802c8108e13596f7101ee9e0a3c482d6f321d7e1
// certificate    e26745859ee256271f54c7469ae14b42e1a31c6da407fe6a026b1b797531d4d8: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 16 bytes
// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 4
// keys: columns of a: the rank; 1 to 32 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp32, k 32 = 32*20, outer 16 = 16*1, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp32, k 32 = 32*32, outer 32 = 32*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 32 = 32*32, outer 32 = 5 bits, atom 2^5, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp32, row 16 = 16*36, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 15) // 16 * column_splits blocks of 64 threads, clusters of 1, 23760 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64) low_rank_product_fp32_16x32x32_de653f4e(
    const float* __restrict__ x,
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    int m,
    int n,
    int k,
    int keys,
    i64 x_row,
    i64 out_row,
    i64 a_row,
    i64 b_row,
    int column_splits) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 64;
  __shared__ __attribute__((aligned(16))) unsigned char shared[23760];
  float* const x_tile = (float*)(shared + 0);
  float* const a_tile = (float*)(shared + 5088);
  float* const b_tile = (float*)(shared + 13280);
  float* const middle_tile = (float*)(shared + 21472);
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 32);
    vector<float, 8> acc0_0;  // 8x32 fp32 of the warp
    vector<float, 2> a0;  // 8x1 fp32 of the warp
    vector<float, 4> b0;  // 1x32 fp32 of the warp
    vector<float, 4> x_tile_fetched0;  // 16x8 fp32 of the warp
    vector<float, 4> x_tile_fetched1;  // 16x8 fp32 of the warp
    vector<float, 4> a_tile_fetched0;  // 32x4 fp32 of the warp
    vector<float, 4> a_tile_fetched1;  // 32x4 fp32 of the warp
    vector<float, 4> a_tile_fetched2;  // 32x4 fp32 of the warp
    vector<float, 4> a_tile_fetched3;  // 32x4 fp32 of the warp
    vector<float, 4> b_tile_fetched0;  // 32x4 fp32 of the warp
    vector<float, 4> b_tile_fetched1;  // 32x4 fp32 of the warp
    vector<float, 4> b_tile_fetched2;  // 32x4 fp32 of the warp
    vector<float, 4> b_tile_fetched3;  // 32x4 fp32 of the warp
    vector<float, 8> piece;  // 8x32 fp32 of the warp
    vector<float, 8> result;  // 8x32 fp32 of the warp
    const int row_tiles = (m + 15) / 16;
    const int column_tiles = (n + 31) / 32;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 16;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0 + warp * 8;
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc0_0[r] = 0.0f;
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (warp * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)warp * 8 + column]; x_tile_fetched0[0] = float_of(run[0]); x_tile_fetched0[0 + 1] = float_of(run[1]); x_tile_fetched0[0 + 2] = float_of(run[2]); x_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if ((warp + 2) * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(warp + 2) * 8 + column]; x_tile_fetched1[0] = float_of(run[0]); x_tile_fetched1[0 + 1] = float_of(run[1]); x_tile_fetched1[0 + 2] = float_of(run[2]); x_tile_fetched1[0 + 3] = float_of(run[3]); }
      else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (warp * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched0[0] = float_of(run[0]); a_tile_fetched0[0 + 1] = float_of(run[1]); a_tile_fetched0[0 + 2] = float_of(run[2]); a_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if ((warp + 2) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(warp + 2) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched1[0] = float_of(run[0]); a_tile_fetched1[0 + 1] = float_of(run[1]); a_tile_fetched1[0 + 2] = float_of(run[2]); a_tile_fetched1[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if ((warp + 4) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched2[0] = float_of(run[0]); a_tile_fetched2[0 + 1] = float_of(run[1]); a_tile_fetched2[0 + 2] = float_of(run[2]); a_tile_fetched2[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched2[0] = 0.0f; a_tile_fetched2[1] = 0.0f; a_tile_fetched2[2] = 0.0f; a_tile_fetched2[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if ((warp + 6) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(warp + 6) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched3[0] = float_of(run[0]); a_tile_fetched3[0 + 1] = float_of(run[1]); a_tile_fetched3[0 + 2] = float_of(run[2]); a_tile_fetched3[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched3[0] = 0.0f; a_tile_fetched3[1] = 0.0f; a_tile_fetched3[2] = 0.0f; a_tile_fetched3[3] = 0.0f; }
    }
    block_barrier();  // tile_done
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 1;
      const int column = r + (lane & 1) * 4;
      x_tile[(warp * 8 + column) * 20 + row] = x_tile_fetched0[r];
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 1;
      const int column = r + (lane & 1) * 4;
      x_tile[((warp + 2) * 8 + column) * 20 + row] = x_tile_fetched1[r];
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      *(vector<unsigned, 4>*)&a_tile[(warp * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched0[0]), bits_of(a_tile_fetched0[0 + 1]), bits_of(a_tile_fetched0[0 + 2]), bits_of(a_tile_fetched0[0 + 3])};
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      *(vector<unsigned, 4>*)&a_tile[((warp + 2) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched1[0]), bits_of(a_tile_fetched1[0 + 1]), bits_of(a_tile_fetched1[0 + 2]), bits_of(a_tile_fetched1[0 + 3])};
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      *(vector<unsigned, 4>*)&a_tile[((warp + 4) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched2[0]), bits_of(a_tile_fetched2[0 + 1]), bits_of(a_tile_fetched2[0 + 2]), bits_of(a_tile_fetched2[0 + 3])};
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      *(vector<unsigned, 4>*)&a_tile[((warp + 6) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched3[0]), bits_of(a_tile_fetched3[0 + 1]), bits_of(a_tile_fetched3[0 + 2]), bits_of(a_tile_fetched3[0 + 3])};
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (32 + warp * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + 32 + (i64)warp * 8 + column]; x_tile_fetched0[0] = float_of(run[0]); x_tile_fetched0[0 + 1] = float_of(run[1]); x_tile_fetched0[0 + 2] = float_of(run[2]); x_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (32 + (warp + 2) * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + 32 + (i64)(warp + 2) * 8 + column]; x_tile_fetched1[0] = float_of(run[0]); x_tile_fetched1[0 + 1] = float_of(run[1]); x_tile_fetched1[0 + 2] = float_of(run[2]); x_tile_fetched1[0 + 3] = float_of(run[3]); }
      else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (32 + warp * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[(32 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched0[0] = float_of(run[0]); a_tile_fetched0[0 + 1] = float_of(run[1]); a_tile_fetched0[0 + 2] = float_of(run[2]); a_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (32 + (warp + 2) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[(32 + (i64)(warp + 2) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched1[0] = float_of(run[0]); a_tile_fetched1[0 + 1] = float_of(run[1]); a_tile_fetched1[0 + 2] = float_of(run[2]); a_tile_fetched1[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (32 + (warp + 4) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[(32 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched2[0] = float_of(run[0]); a_tile_fetched2[0 + 1] = float_of(run[1]); a_tile_fetched2[0 + 2] = float_of(run[2]); a_tile_fetched2[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched2[0] = 0.0f; a_tile_fetched2[1] = 0.0f; a_tile_fetched2[2] = 0.0f; a_tile_fetched2[3] = 0.0f; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (32 + (warp + 6) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[(32 + (i64)(warp + 6) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched3[0] = float_of(run[0]); a_tile_fetched3[0 + 1] = float_of(run[1]); a_tile_fetched3[0 + 2] = float_of(run[2]); a_tile_fetched3[0 + 3] = float_of(run[3]); }
      else { a_tile_fetched3[0] = 0.0f; a_tile_fetched3[1] = 0.0f; a_tile_fetched3[2] = 0.0f; a_tile_fetched3[3] = 0.0f; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      block_barrier();  // slot_written
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 636 + (warp * 8 + column) * 20 + row] = x_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 636 + ((warp + 2) * 8 + column) * 20 + row] = x_tile_fetched1[r];
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched0[0]), bits_of(a_tile_fetched0[0 + 1]), bits_of(a_tile_fetched0[0 + 2]), bits_of(a_tile_fetched0[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 2) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched1[0]), bits_of(a_tile_fetched1[0 + 1]), bits_of(a_tile_fetched1[0 + 2]), bits_of(a_tile_fetched1[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched2[0]), bits_of(a_tile_fetched2[0 + 1]), bits_of(a_tile_fetched2[0 + 2]), bits_of(a_tile_fetched2[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 6) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched3[0]), bits_of(a_tile_fetched3[0 + 1]), bits_of(a_tile_fetched3[0 + 2]), bits_of(a_tile_fetched3[0 + 3])};
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 32 + (i64)warp * 8 + column]; x_tile_fetched0[0] = float_of(run[0]); x_tile_fetched0[0 + 1] = float_of(run[1]); x_tile_fetched0[0 + 2] = float_of(run[2]); x_tile_fetched0[0 + 3] = float_of(run[3]); }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 32 + (i64)(warp + 2) * 8 + column]; x_tile_fetched1[0] = float_of(run[0]); x_tile_fetched1[0 + 1] = float_of(run[1]); x_tile_fetched1[0 + 2] = float_of(run[2]); x_tile_fetched1[0 + 3] = float_of(run[3]); }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched0[0] = float_of(run[0]); a_tile_fetched0[0 + 1] = float_of(run[1]); a_tile_fetched0[0 + 2] = float_of(run[2]); a_tile_fetched0[0 + 3] = float_of(run[3]); }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 2) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched1[0] = float_of(run[0]); a_tile_fetched1[0 + 1] = float_of(run[1]); a_tile_fetched1[0 + 2] = float_of(run[2]); a_tile_fetched1[0 + 3] = float_of(run[3]); }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched2[0] = float_of(run[0]); a_tile_fetched2[0 + 1] = float_of(run[1]); a_tile_fetched2[0 + 2] = float_of(run[2]); a_tile_fetched2[0 + 3] = float_of(run[3]); }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 6) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched3[0] = float_of(run[0]); a_tile_fetched3[0 + 1] = float_of(run[1]); a_tile_fetched3[0 + 2] = float_of(run[2]); a_tile_fetched3[0 + 3] = float_of(run[3]); }
      }
      #pragma unroll 32
      for (int k_inner = 0; k_inner < 32; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&x_tile[k_step % 2 * 636 + k_inner * 20 + warp * 8 + row]; a0[0] = float_of(run[0]); a0[0 + 1] = float_of(run[1]); }
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 1024 + k_inner * 32 + column]; b0[0] = float_of(run[0]); b0[0 + 1] = float_of(run[1]); b0[0 + 2] = float_of(run[2]); b0[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      block_barrier();  // slot_written
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 636 + (warp * 8 + column) * 20 + row] = x_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 636 + ((warp + 2) * 8 + column) * 20 + row] = x_tile_fetched1[r];
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched0[0]), bits_of(a_tile_fetched0[0 + 1]), bits_of(a_tile_fetched0[0 + 2]), bits_of(a_tile_fetched0[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 2) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched1[0]), bits_of(a_tile_fetched1[0 + 1]), bits_of(a_tile_fetched1[0 + 2]), bits_of(a_tile_fetched1[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched2[0]), bits_of(a_tile_fetched2[0 + 1]), bits_of(a_tile_fetched2[0 + 2]), bits_of(a_tile_fetched2[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 6) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(a_tile_fetched3[0]), bits_of(a_tile_fetched3[0 + 1]), bits_of(a_tile_fetched3[0 + 2]), bits_of(a_tile_fetched3[0 + 3])};
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if ((k_step + 2) * 32 + warp * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 32 + (i64)warp * 8 + column]; x_tile_fetched0[0] = float_of(run[0]); x_tile_fetched0[0 + 1] = float_of(run[1]); x_tile_fetched0[0 + 2] = float_of(run[2]); x_tile_fetched0[0 + 3] = float_of(run[3]); }
        else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if ((k_step + 2) * 32 + (warp + 2) * 8 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 32 + (i64)(warp + 2) * 8 + column]; x_tile_fetched1[0] = float_of(run[0]); x_tile_fetched1[0 + 1] = float_of(run[1]); x_tile_fetched1[0 + 2] = float_of(run[2]); x_tile_fetched1[0 + 3] = float_of(run[3]); }
        else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((k_step + 2) * 32 + warp * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched0[0] = float_of(run[0]); a_tile_fetched0[0 + 1] = float_of(run[1]); a_tile_fetched0[0 + 2] = float_of(run[2]); a_tile_fetched0[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((k_step + 2) * 32 + (warp + 2) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 2) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched1[0] = float_of(run[0]); a_tile_fetched1[0 + 1] = float_of(run[1]); a_tile_fetched1[0 + 2] = float_of(run[2]); a_tile_fetched1[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((k_step + 2) * 32 + (warp + 4) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched2[0] = float_of(run[0]); a_tile_fetched2[0 + 1] = float_of(run[1]); a_tile_fetched2[0 + 2] = float_of(run[2]); a_tile_fetched2[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched2[0] = 0.0f; a_tile_fetched2[1] = 0.0f; a_tile_fetched2[2] = 0.0f; a_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((k_step + 2) * 32 + (warp + 6) * 4 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 32 + (i64)(warp + 6) * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]; a_tile_fetched3[0] = float_of(run[0]); a_tile_fetched3[0 + 1] = float_of(run[1]); a_tile_fetched3[0 + 2] = float_of(run[2]); a_tile_fetched3[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched3[0] = 0.0f; a_tile_fetched3[1] = 0.0f; a_tile_fetched3[2] = 0.0f; a_tile_fetched3[3] = 0.0f; }
      }
      #pragma unroll 32
      for (int k_inner = 0; k_inner < 32; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&x_tile[k_step % 2 * 636 + k_inner * 20 + warp * 8 + row]; a0[0] = float_of(run[0]); a0[0 + 1] = float_of(run[1]); }
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 1024 + k_inner * 32 + column]; b0[0] = float_of(run[0]); b0[0 + 1] = float_of(run[1]); b0[0 + 2] = float_of(run[2]); b0[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + (lane & 7) * 4 < keys)) acc0_0[r] = 0.0f;
      }
    }
    piece[0] = acc0_0[0];
    piece[1] = acc0_0[1];
    piece[2] = acc0_0[2];
    piece[3] = acc0_0[3];
    piece[4] = acc0_0[4];
    piece[5] = acc0_0[5];
    piece[6] = acc0_0[6];
    piece[7] = acc0_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      *(vector<unsigned, 4>*)&middle_tile[(warp * 8 + row) * 36 + column] = vector<unsigned, 4>{bits_of(piece[r]), bits_of(piece[r + 1]), bits_of(piece[r + 2]), bits_of(piece[r + 3])};
    }
    if (first_column_tile < stop_column_tile) {
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if (warp * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)warp * 4 + column) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched0[0] = float_of(run[0]); b_tile_fetched0[0 + 1] = float_of(run[1]); b_tile_fetched0[0 + 2] = float_of(run[2]); b_tile_fetched0[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((warp + 2) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 2) * 4 + column) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched1[0] = float_of(run[0]); b_tile_fetched1[0 + 1] = float_of(run[1]); b_tile_fetched1[0 + 2] = float_of(run[2]); b_tile_fetched1[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((warp + 4) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 4) * 4 + column) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched2[0] = float_of(run[0]); b_tile_fetched2[0 + 1] = float_of(run[1]); b_tile_fetched2[0 + 2] = float_of(run[2]); b_tile_fetched2[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched2[0] = 0.0f; b_tile_fetched2[1] = 0.0f; b_tile_fetched2[2] = 0.0f; b_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((warp + 6) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 6) * 4 + column) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched3[0] = float_of(run[0]); b_tile_fetched3[0 + 1] = float_of(run[1]); b_tile_fetched3[0 + 2] = float_of(run[2]); b_tile_fetched3[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched3[0] = 0.0f; b_tile_fetched3[1] = 0.0f; b_tile_fetched3[2] = 0.0f; b_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&b_tile[first_column_tile % 2 * 1024 + (warp * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched0[0]), bits_of(b_tile_fetched0[0 + 1]), bits_of(b_tile_fetched0[0 + 2]), bits_of(b_tile_fetched0[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&b_tile[first_column_tile % 2 * 1024 + ((warp + 2) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched1[0]), bits_of(b_tile_fetched1[0 + 1]), bits_of(b_tile_fetched1[0 + 2]), bits_of(b_tile_fetched1[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&b_tile[first_column_tile % 2 * 1024 + ((warp + 4) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched2[0]), bits_of(b_tile_fetched2[0 + 1]), bits_of(b_tile_fetched2[0 + 2]), bits_of(b_tile_fetched2[0 + 3])};
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *(vector<unsigned, 4>*)&b_tile[first_column_tile % 2 * 1024 + ((warp + 6) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched3[0]), bits_of(b_tile_fetched3[0 + 1]), bits_of(b_tile_fetched3[0 + 2]), bits_of(b_tile_fetched3[0 + 3])};
      }
    }
    block_barrier();  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          if (warp * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)warp * 4 + column) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched0[0] = float_of(run[0]); b_tile_fetched0[0 + 1] = float_of(run[1]); b_tile_fetched0[0 + 2] = float_of(run[2]); b_tile_fetched0[0 + 3] = float_of(run[3]); }
          else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          if ((warp + 2) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 2) * 4 + column) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched1[0] = float_of(run[0]); b_tile_fetched1[0 + 1] = float_of(run[1]); b_tile_fetched1[0 + 2] = float_of(run[2]); b_tile_fetched1[0 + 3] = float_of(run[3]); }
          else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          if ((warp + 4) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 4) * 4 + column) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched2[0] = float_of(run[0]); b_tile_fetched2[0 + 1] = float_of(run[1]); b_tile_fetched2[0 + 2] = float_of(run[2]); b_tile_fetched2[0 + 3] = float_of(run[3]); }
          else { b_tile_fetched2[0] = 0.0f; b_tile_fetched2[1] = 0.0f; b_tile_fetched2[2] = 0.0f; b_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          if ((warp + 6) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b[((i64)(warp + 6) * 4 + column) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]; b_tile_fetched3[0] = float_of(run[0]); b_tile_fetched3[0 + 1] = float_of(run[1]); b_tile_fetched3[0 + 2] = float_of(run[2]); b_tile_fetched3[0 + 3] = float_of(run[3]); }
          else { b_tile_fetched3[0] = 0.0f; b_tile_fetched3[1] = 0.0f; b_tile_fetched3[2] = 0.0f; b_tile_fetched3[3] = 0.0f; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 32; ++k_inner) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r + (lane >> 3) * 2;
          a0[r] = middle_tile[(warp * 8 + row) * 36 + k_inner];
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b_tile[column_tile % 2 * 1024 + k_inner * 32 + column]; b0[0] = float_of(run[0]); b0[0 + 1] = float_of(run[1]); b0[0 + 2] = float_of(run[2]); b0[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
      const int warp_column = column_tile * 32;
      if (warp_row + 7 < m && warp_column + 31 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane >> 3) * 2;
          const int column = (r & 3) + (lane & 7) * 4;
          *(vector<unsigned, 4>*)&out[(warp_row + row) * out_row + warp_column + column] = vector<unsigned, 4>{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane >> 3) * 2;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) *(vector<unsigned, 4>*)&out[(warp_row + row) * out_row + warp_column + column] = vector<unsigned, 4>{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          *(vector<unsigned, 4>*)&b_tile[(column_tile + 1) % 2 * 1024 + (warp * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched0[0]), bits_of(b_tile_fetched0[0 + 1]), bits_of(b_tile_fetched0[0 + 2]), bits_of(b_tile_fetched0[0 + 3])};
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          *(vector<unsigned, 4>*)&b_tile[(column_tile + 1) % 2 * 1024 + ((warp + 2) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched1[0]), bits_of(b_tile_fetched1[0 + 1]), bits_of(b_tile_fetched1[0 + 2]), bits_of(b_tile_fetched1[0 + 3])};
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          *(vector<unsigned, 4>*)&b_tile[(column_tile + 1) % 2 * 1024 + ((warp + 4) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched2[0]), bits_of(b_tile_fetched2[0 + 1]), bits_of(b_tile_fetched2[0 + 2]), bits_of(b_tile_fetched2[0 + 3])};
        }
        {
          const int row = (lane & 7) * 4;
          const int column = lane >> 3;
          *(vector<unsigned, 4>*)&b_tile[(column_tile + 1) % 2 * 1024 + ((warp + 6) * 4 + column) * 32 + row] = vector<unsigned, 4>{bits_of(b_tile_fetched3[0]), bits_of(b_tile_fetched3[0 + 1]), bits_of(b_tile_fetched3[0 + 2]), bits_of(b_tile_fetched3[0 + 3])};
        }
      }
      block_barrier();  // slot_written
    }
  }
}
