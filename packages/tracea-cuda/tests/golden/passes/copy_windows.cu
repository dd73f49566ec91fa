// tracea: copy bf16 windows of 16x16 pixels of 3 planes
// variant        sweep for sm_90a
// configuration  16x128x1 s1 vc4
// schedule       e59ed45cc94f666ca68ffdc48b96010cfd6df0c62e51abc9f94a95f4da7606de
// certificate    79dbfde050e27c65f76845bb93cb50b5fb1f2b5c69d13ec27c680bf5fc9fa74b: structure, domains, types, lanes, overlap, banks, budgets, cover, meaning

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
// out: bf16, write, aligned to 8 bytes
// m: rows of an image in the workspace; 0 to 2147479552
// n: elements of a row in the workspace, zeros included; 0 to 2147479552 by 4
// items: images; 0 to 2147479552
// source_image: source: next image; -4611686018427387904 to 4611686018427387904
// source_plane: source: next plane; -4611686018427387904 to 4611686018427387904
// source_line: source: next line; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 4
// launch: (m + 15) // 16 * ((n + 127) // 128) * items blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) copy_bf16_windows_of_16x16_p_16x128x1_786b79a4(
    const bf16* __restrict__ source,
    bf16* __restrict__ out,
    int m,
    int n,
    int items,
    i64 source_image,
    i64 source_plane,
    i64 source_line,
    i64 out_row,
    i64 out_image) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned held[8];  // 4x128 bf16 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 15) / 16;
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int row0 = place / tile_columns * 16;
      const int column0 = place % tile_columns * 128;
      const int warp_row = (tile_rows - 1) * 16 - row0 + warp * 4;
      if (warp_row + 3 < m && column0 + 127 < n) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, source[item * source_image + column0 / 256 * source_plane + ((i64)floor_divide(warp_row + row, 14) * 16 + (column0 / 16 + lane / 4) % 16) * source_line + (i64)floor_modulo(warp_row + row, 14) * 16 + (r & 3) + lane * 4 % 16]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          *(uint2*)&out[item * out_image + (warp_row + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, warp_row + row < m && column0 + column < n ? source[item * source_image + column0 / 256 * source_plane + ((i64)floor_divide(warp_row + row, 14) * 16 + (column0 / 16 + lane / 4) % 16) * source_line + (i64)floor_modulo(warp_row + row, 14) * 16 + (r & 3) + lane * 4 % 16] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + row < m && column0 + column < n) *(uint2*)&out[item * out_image + (warp_row + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
      }
    }
  }
}
