// tracea: matmul fp32
// variant        cuda.contraction.simt_fp32 for sm_90a
// configuration  256x128x8 s2 grouped w8 va4 vb4 vc4 u2
// schedule       e1032c45d1e4b5d5e395add86ccdafbb1e0e0106fa5c588481887656fb51b0db
// certificate    b8ab09fa31f4edd7ee7eee4e68913014e9e98442981ca9d103e25ba674081ed7: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

#ifndef TRACEA_DEVICE_TWINS
// Types, conversions and arithmetic that every kernel uses.
typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;

#define INLINE __device__ __forceinline__

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// The special function unit: relative error below 2^-16 for exp of arguments that fp32 can hold, 2^-22 for the others; exponentials
// and reciprocals below 2^-126 are 0, which saves six instructions that would rescale them.
INLINE float fast_exp2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_exp(float x) { return fast_exp2(x * 1.4426950408889634f); }
INLINE float fast_reciprocal(float x) { float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_sqrt(float x) { float y; asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return __uint_as_float((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }
INLINE fp16 to_fp16(float x) { fp16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE int to_int32(float x) { int y; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(y) : "f"(x)); return y; }
INLINE int8 to_int8(float x) { const int y = to_int32(x); return (int8)(y < -128 ? -128 : y > 127 ? 127 : y); }
INLINE uint8 to_uint8(float x) { const int y = to_int32(x); return (uint8)(y < 0 ? 0 : y > 255 ? 255 : y); }

#if __CUDA_ARCH__ >= 800
INLINE bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE unsigned pair_bf16(float low, float high) { unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE unsigned pair_fp16(float low, float high) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE float maximum(float x, float y) { float z; asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
INLINE float minimum(float x, float y) { float z; asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
#else
INLINE bf16 to_bf16(float x) {
  const unsigned bits = __float_as_uint(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
#endif
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
#endif

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 4
// k: length of the reduction; 0 to 2147479552 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_tile: shared of fp32, k 8 = 8*260, outer 256 = 256*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 8 = 8*132, outer 128 = 128*1, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 255) // 256 * ((n + 127) // 128) blocks of 256 threads, clusters of 1, 25024 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) matmul_fp32_256x128x8_87b78f6b(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const a_tile = (float*)(shared + 0);
  float* const b_tile = (float*)(shared + 16608);
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[64];  // 32x64 fp32 of the warp
    float acc1_0[64];  // 32x64 fp32 of the warp
    float a0_0[8];  // 32x1 fp32 of the warp
    float a1_0[8];  // 32x1 fp32 of the warp
    float a0_1[8];  // 32x1 fp32 of the warp
    float a1_1[8];  // 32x1 fp32 of the warp
    float b0_0[8];  // 1x64 fp32 of the warp
    float b0_1[8];  // 1x64 fp32 of the warp
    float a_tile_fetched0[4];  // 16x8 fp32 of the warp
    float a_tile_fetched1[4];  // 16x8 fp32 of the warp
    float b_tile_fetched[4];  // 16x8 fp32 of the warp
    float result[64];  // 32x64 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 255) / 256;
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 8);
      const int band_rows = min(tile_rows - band * 8, 8);
      const int in_band = tile - band * 8 * tile_columns;
      const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 256;
      const int column0 = floor_divide(in_band, band_rows) * 128;
      const int warp_row = row0 + warp / 2 * 64;
      const int warp_column = column0 + warp % 2 * 64;
      #pragma unroll
      for (int r = 0; r < 64; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 64; ++r) {
        acc1_0[r] = 0.0f;
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 16 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = *(const uint4*)&b[column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 260 + warp * 16 + row] = a_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 260 + (warp + 8) * 16 + row] = a_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        b_tile[column * 132 + warp * 16 + row] = b_tile_fetched[r];
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 16 + row, (i64)(m - 1)) * a_row + 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = *(const uint4*)&b[8 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
        { const uint4 run = *(const uint4*)&a_tile[warp / 2 * 64 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
        { const uint4 run = *(const uint4*)&a_tile[warp / 2 * 64 + 32 + row]; a1_0[r] = __uint_as_float(run.x); a1_0[r + 1] = __uint_as_float(run.y); a1_0[r + 2] = __uint_as_float(run.z); a1_0[r + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
        { const uint4 run = *(const uint4*)&b_tile[warp % 2 * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        #pragma unroll 3
        for (int k_inner = 0; k_inner < 6; k_inner += 2) {
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 1) * 260 + warp / 2 * 64 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 1) * 260 + warp / 2 * 64 + 32 + row]; a1_1[r] = __uint_as_float(run.x); a1_1[r + 1] = __uint_as_float(run.y); a1_1[r + 2] = __uint_as_float(run.z); a1_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + (k_inner + 1) * 132 + warp % 2 * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc1_0[i * 8 + j] += a1_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 2) * 260 + warp / 2 * 64 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 2) * 260 + warp / 2 * 64 + 32 + row]; a1_0[r] = __uint_as_float(run.x); a1_0[r + 1] = __uint_as_float(run.y); a1_0[r + 2] = __uint_as_float(run.z); a1_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + (k_inner + 2) * 132 + warp % 2 * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc1_0[i * 8 + j] += a1_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 2076 + column * 260 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 2076 + column * 260 + (warp + 8) * 16 + row] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 1052 + column * 132 + warp * 16 + row] = b_tile_fetched[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + 1820 + warp / 2 * 64 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + 1820 + warp / 2 * 64 + 32 + row]; a1_1[r] = __uint_as_float(run.x); a1_1[r + 1] = __uint_as_float(run.y); a1_1[r + 2] = __uint_as_float(run.z); a1_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + 924 + warp % 2 * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc1_0[i * 8 + j] += a1_0[i] * b0_0[j];
          }
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 2076 + warp / 2 * 64 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 2076 + warp / 2 * 64 + 32 + row]; a1_0[r] = __uint_as_float(run.x); a1_0[r + 1] = __uint_as_float(run.y); a1_0[r + 2] = __uint_as_float(run.z); a1_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 1052 + warp % 2 * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc1_0[i * 8 + j] += a1_1[i] * b0_1[j];
          }
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        #pragma unroll 3
        for (int k_inner = 0; k_inner < 6; k_inner += 2) {
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 1) * 260 + warp / 2 * 64 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 1) * 260 + warp / 2 * 64 + 32 + row]; a1_1[r] = __uint_as_float(run.x); a1_1[r + 1] = __uint_as_float(run.y); a1_1[r + 2] = __uint_as_float(run.z); a1_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + (k_inner + 1) * 132 + warp % 2 * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc1_0[i * 8 + j] += a1_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 2) * 260 + warp / 2 * 64 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + (k_inner + 2) * 260 + warp / 2 * 64 + 32 + row]; a1_0[r] = __uint_as_float(run.x); a1_0[r + 1] = __uint_as_float(run.y); a1_0[r + 2] = __uint_as_float(run.z); a1_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + (k_inner + 2) * 132 + warp % 2 * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc1_0[i * 8 + j] += a1_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 2076 + column * 260 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 2076 + column * 260 + (warp + 8) * 16 + row] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 1052 + column * 132 + warp * 16 + row] = b_tile_fetched[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 16 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
          else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + 1820 + warp / 2 * 64 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 2076 + 1820 + warp / 2 * 64 + 32 + row]; a1_1[r] = __uint_as_float(run.x); a1_1[r + 1] = __uint_as_float(run.y); a1_1[r + 2] = __uint_as_float(run.z); a1_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 1052 + 924 + warp % 2 * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc1_0[i * 8 + j] += a1_0[i] * b0_0[j];
          }
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 2076 + warp / 2 * 64 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 2076 + warp / 2 * 64 + 32 + row]; a1_0[r] = __uint_as_float(run.x); a1_0[r + 1] = __uint_as_float(run.y); a1_0[r + 2] = __uint_as_float(run.z); a1_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 1052 + warp % 2 * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc1_0[i * 8 + j] += a1_1[i] * b0_1[j];
          }
        }
      }
      if (warp_row + 63 < m && warp_column + 63 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        result[8] = acc0_0[8];
        result[9] = acc0_0[9];
        result[10] = acc0_0[10];
        result[11] = acc0_0[11];
        result[12] = acc0_0[12];
        result[13] = acc0_0[13];
        result[14] = acc0_0[14];
        result[15] = acc0_0[15];
        result[16] = acc0_0[16];
        result[17] = acc0_0[17];
        result[18] = acc0_0[18];
        result[19] = acc0_0[19];
        result[20] = acc0_0[20];
        result[21] = acc0_0[21];
        result[22] = acc0_0[22];
        result[23] = acc0_0[23];
        result[24] = acc0_0[24];
        result[25] = acc0_0[25];
        result[26] = acc0_0[26];
        result[27] = acc0_0[27];
        result[28] = acc0_0[28];
        result[29] = acc0_0[29];
        result[30] = acc0_0[30];
        result[31] = acc0_0[31];
        result[32] = acc0_0[32];
        result[33] = acc0_0[33];
        result[34] = acc0_0[34];
        result[35] = acc0_0[35];
        result[36] = acc0_0[36];
        result[37] = acc0_0[37];
        result[38] = acc0_0[38];
        result[39] = acc0_0[39];
        result[40] = acc0_0[40];
        result[41] = acc0_0[41];
        result[42] = acc0_0[42];
        result[43] = acc0_0[43];
        result[44] = acc0_0[44];
        result[45] = acc0_0[45];
        result[46] = acc0_0[46];
        result[47] = acc0_0[47];
        result[48] = acc0_0[48];
        result[49] = acc0_0[49];
        result[50] = acc0_0[50];
        result[51] = acc0_0[51];
        result[52] = acc0_0[52];
        result[53] = acc0_0[53];
        result[54] = acc0_0[54];
        result[55] = acc0_0[55];
        result[56] = acc0_0[56];
        result[57] = acc0_0[57];
        result[58] = acc0_0[58];
        result[59] = acc0_0[59];
        result[60] = acc0_0[60];
        result[61] = acc0_0[61];
        result[62] = acc0_0[62];
        result[63] = acc0_0[63];
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        result[4] = acc1_0[4];
        result[5] = acc1_0[5];
        result[6] = acc1_0[6];
        result[7] = acc1_0[7];
        result[8] = acc1_0[8];
        result[9] = acc1_0[9];
        result[10] = acc1_0[10];
        result[11] = acc1_0[11];
        result[12] = acc1_0[12];
        result[13] = acc1_0[13];
        result[14] = acc1_0[14];
        result[15] = acc1_0[15];
        result[16] = acc1_0[16];
        result[17] = acc1_0[17];
        result[18] = acc1_0[18];
        result[19] = acc1_0[19];
        result[20] = acc1_0[20];
        result[21] = acc1_0[21];
        result[22] = acc1_0[22];
        result[23] = acc1_0[23];
        result[24] = acc1_0[24];
        result[25] = acc1_0[25];
        result[26] = acc1_0[26];
        result[27] = acc1_0[27];
        result[28] = acc1_0[28];
        result[29] = acc1_0[29];
        result[30] = acc1_0[30];
        result[31] = acc1_0[31];
        result[32] = acc1_0[32];
        result[33] = acc1_0[33];
        result[34] = acc1_0[34];
        result[35] = acc1_0[35];
        result[36] = acc1_0[36];
        result[37] = acc1_0[37];
        result[38] = acc1_0[38];
        result[39] = acc1_0[39];
        result[40] = acc1_0[40];
        result[41] = acc1_0[41];
        result[42] = acc1_0[42];
        result[43] = acc1_0[43];
        result[44] = acc1_0[44];
        result[45] = acc1_0[45];
        result[46] = acc1_0[46];
        result[47] = acc1_0[47];
        result[48] = acc1_0[48];
        result[49] = acc1_0[49];
        result[50] = acc1_0[50];
        result[51] = acc1_0[51];
        result[52] = acc1_0[52];
        result[53] = acc1_0[53];
        result[54] = acc1_0[54];
        result[55] = acc1_0[55];
        result[56] = acc1_0[56];
        result[57] = acc1_0[57];
        result[58] = acc1_0[58];
        result[59] = acc1_0[59];
        result[60] = acc1_0[60];
        result[61] = acc1_0[61];
        result[62] = acc1_0[62];
        result[63] = acc1_0[63];
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          *(uint4*)&out[(warp_row + 32 + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
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
        result[8] = acc0_0[8];
        result[9] = acc0_0[9];
        result[10] = acc0_0[10];
        result[11] = acc0_0[11];
        result[12] = acc0_0[12];
        result[13] = acc0_0[13];
        result[14] = acc0_0[14];
        result[15] = acc0_0[15];
        result[16] = acc0_0[16];
        result[17] = acc0_0[17];
        result[18] = acc0_0[18];
        result[19] = acc0_0[19];
        result[20] = acc0_0[20];
        result[21] = acc0_0[21];
        result[22] = acc0_0[22];
        result[23] = acc0_0[23];
        result[24] = acc0_0[24];
        result[25] = acc0_0[25];
        result[26] = acc0_0[26];
        result[27] = acc0_0[27];
        result[28] = acc0_0[28];
        result[29] = acc0_0[29];
        result[30] = acc0_0[30];
        result[31] = acc0_0[31];
        result[32] = acc0_0[32];
        result[33] = acc0_0[33];
        result[34] = acc0_0[34];
        result[35] = acc0_0[35];
        result[36] = acc0_0[36];
        result[37] = acc0_0[37];
        result[38] = acc0_0[38];
        result[39] = acc0_0[39];
        result[40] = acc0_0[40];
        result[41] = acc0_0[41];
        result[42] = acc0_0[42];
        result[43] = acc0_0[43];
        result[44] = acc0_0[44];
        result[45] = acc0_0[45];
        result[46] = acc0_0[46];
        result[47] = acc0_0[47];
        result[48] = acc0_0[48];
        result[49] = acc0_0[49];
        result[50] = acc0_0[50];
        result[51] = acc0_0[51];
        result[52] = acc0_0[52];
        result[53] = acc0_0[53];
        result[54] = acc0_0[54];
        result[55] = acc0_0[55];
        result[56] = acc0_0[56];
        result[57] = acc0_0[57];
        result[58] = acc0_0[58];
        result[59] = acc0_0[59];
        result[60] = acc0_0[60];
        result[61] = acc0_0[61];
        result[62] = acc0_0[62];
        result[63] = acc0_0[63];
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        result[4] = acc1_0[4];
        result[5] = acc1_0[5];
        result[6] = acc1_0[6];
        result[7] = acc1_0[7];
        result[8] = acc1_0[8];
        result[9] = acc1_0[9];
        result[10] = acc1_0[10];
        result[11] = acc1_0[11];
        result[12] = acc1_0[12];
        result[13] = acc1_0[13];
        result[14] = acc1_0[14];
        result[15] = acc1_0[15];
        result[16] = acc1_0[16];
        result[17] = acc1_0[17];
        result[18] = acc1_0[18];
        result[19] = acc1_0[19];
        result[20] = acc1_0[20];
        result[21] = acc1_0[21];
        result[22] = acc1_0[22];
        result[23] = acc1_0[23];
        result[24] = acc1_0[24];
        result[25] = acc1_0[25];
        result[26] = acc1_0[26];
        result[27] = acc1_0[27];
        result[28] = acc1_0[28];
        result[29] = acc1_0[29];
        result[30] = acc1_0[30];
        result[31] = acc1_0[31];
        result[32] = acc1_0[32];
        result[33] = acc1_0[33];
        result[34] = acc1_0[34];
        result[35] = acc1_0[35];
        result[36] = acc1_0[36];
        result[37] = acc1_0[37];
        result[38] = acc1_0[38];
        result[39] = acc1_0[39];
        result[40] = acc1_0[40];
        result[41] = acc1_0[41];
        result[42] = acc1_0[42];
        result[43] = acc1_0[43];
        result[44] = acc1_0[44];
        result[45] = acc1_0[45];
        result[46] = acc1_0[46];
        result[47] = acc1_0[47];
        result[48] = acc1_0[48];
        result[49] = acc1_0[49];
        result[50] = acc1_0[50];
        result[51] = acc1_0[51];
        result[52] = acc1_0[52];
        result[53] = acc1_0[53];
        result[54] = acc1_0[54];
        result[55] = acc1_0[55];
        result[56] = acc1_0[56];
        result[57] = acc1_0[57];
        result[58] = acc1_0[58];
        result[59] = acc1_0[59];
        result[60] = acc1_0[60];
        result[61] = acc1_0[61];
        result[62] = acc1_0[62];
        result[63] = acc1_0[63];
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          if (warp_row + 32 + row < m && warp_column + column < n) *(uint4*)&out[(warp_row + 32 + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
