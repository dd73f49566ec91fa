// tracea: copy bf16 into rows of any length
// variant        sweep for sm_90a
// configuration  64x32x1 s1 w8
// schedule       51dae20708d5c65c950086920e4d6386601ee4d92090e438085c5d11c53e061e
// certificate    6a3f9cdd3b595e2c393bde448ab3d31e2cfe91fe042cb4e8db542efcd5b84510: structure, domains, types, lanes, overlap, banks, budgets, cover, meaning

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

// source: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 2 bytes
// m: rows that are copied; 0 to 2147479552
// n: columns of a row in the workspace, zeros included; 0 to 2147479552
// columns: columns of a row of the operand; 0 to 2147479552
// source_row: source: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// launch: (m + 63) // 64 * ((n + 31) // 32) blocks of 256 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) copy_bf16_into_rows_of_any_l_64x32x1_fc205817(
    const bf16* __restrict__ source,
    bf16* __restrict__ out,
    int m,
    int n,
    int columns,
    i64 source_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned held[4];  // 8x32 bf16 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 64;
      const int column0 = tile % tile_columns * 32;
      const int warp_row = (tile_rows - 1) * 64 - row0 + warp * 8;
      if (warp_row + 7 < m && column0 + 31 < n && column0 + 31 < columns) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, source[(warp_row + r) * source_row + column0 + lane]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + r) * out_row + column0 + lane] = part16(held[r / 2], (r & 1) * 16);
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, warp_row + r < m && column0 + lane < n && column0 + lane < columns ? source[(warp_row + r) * source_row + column0 + lane] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + r < m && column0 + lane < n) out[(warp_row + r) * out_row + column0 + lane] = part16(held[r / 2], (r & 1) * 16);
        }
      }
    }
  }
}
