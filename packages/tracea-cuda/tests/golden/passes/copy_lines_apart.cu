// tracea: copy bf16 lines of pixels of 72 channels
// variant        sweep for sm_90a
// configuration  16x128x1 s1 vc4
// schedule       958202a2ae3001921c833a380d97b5cf038ed5977e455627c13e02dfc521872b
// certificate    c5613312dde77e53a4725ba9174b54c7deb0e029d89154867f5018fcedbd118b: structure, domains, types, lanes, overlap, banks, budgets, cover, meaning

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
// m: lines of all images; 0 to 2147479552
// n: elements of a row in the workspace, zeros included; 0 to 2147479552 by 4
// columns: pixels of a line; 0 to 2147479552
// channels: channels of a pixel; 0 to 2147479552
// lead: pixels of zeros before each line; 0 to 2147479552
// source_line: source: next line; -4611686018427387904 to 4611686018427387904
// source_pixel: source: next pixel; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// launch: (m + 15) // 16 * ((n + 127) // 128) blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) copy_bf16_lines_of_pixels_of_16x128x1_9e845c5a(
    const bf16* __restrict__ source,
    bf16* __restrict__ out,
    int m,
    int n,
    int columns,
    int channels,
    int lead,
    i64 source_line,
    i64 source_pixel,
    i64 out_row) {
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
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 16;
      const int column0 = tile % tile_columns * 128;
      const int warp_row = (tile_rows - 1) * 16 - row0 + warp * 4;
      if (warp_row + 3 < m && column0 + 127 < n) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, (column0 + column) / 72 - lead < columns && 0 <= (column0 + column) / 72 - lead && (column0 + column) % 72 < channels ? source[(warp_row + row) * source_line + ((column0 + column) / 72 - lead) * source_pixel + (column0 + column) % 72] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          *(uint2*)&out[(warp_row + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          held[r / 2] = with16(held[r / 2], (r & 1) * 16, warp_row + row < m && column0 + column < n && (column0 + column) / 72 - lead < columns && 0 <= (column0 + column) / 72 - lead && (column0 + column) % 72 < channels ? source[(warp_row + row) * source_line + ((column0 + column) / 72 - lead) * source_pixel + (column0 + column) % 72] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + row < m && column0 + column < n) *(uint2*)&out[(warp_row + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
      }
    }
  }
}
