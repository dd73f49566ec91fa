// tracea: conv2d bf16, depthwise
// variant        cuda.contraction.depthwise for sm_90a
// configuration  5x128x1 s1 va4 vc4
// schedule       6eea3c0bc1e98cbf80441bf2346190a3f1267199278da37be7908b8c1802acd1
// certificate    58b6594eab24d2586c30caf63946d1144fcc3eac00c56e57e8fe39a05f0b6e98: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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

// x: bf16, read, aligned to 8 bytes
// w: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 8 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 36 by 4
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 4
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 4
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 16 = 16*132, channel 128 = 128*1, kept for a tile, aligned to 16 bytes
// launch: ((items * ((m + 4) // 5) + 3) // 4 + max(((items * ((m + 4) // 5) + 3) // 4 + max(528 // max((n + 127) // 128, 1), 1) - 1) // max(528 // max((n + 127) // 128, 1), 1), 1) - 1) // max(((items * ((m + 4) // 5) + 3) // 4 + max(528 // max((n + 127) // 128, 1), 1) - 1) // max(528 // max((n + 127) // 128, 1), 1), 1) * ((n + 127) // 128) blocks of 128 threads, clusters of 1, 8432 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) conv2d_bf16_5x128x1_5c15fb30(
    const bf16* __restrict__ x,
    const bf16* __restrict__ w,
    bf16* __restrict__ out,
    int m,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_row,
    int height,
    int width,
    i64 out_image,
    i64 out_line,
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const filters = (float*)(shared + 0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total[20];  // 5x128 fp32 of the warp
    float part[20];  // 5x128 fp32 of the warp
    float weight[4];  // 1x128 fp32 of the warp
    unsigned result[10];  // 5x128 bf16 of the warp
    float staged[1];  // 8x4 fp32 of the warp
    bf16 staged_raw[1];  // 8x4 bf16 of the warp
    float window0[24];  // 6x128 fp32 of the warp
    unsigned window0_raw[12];  // 6x128 bf16 of the warp
    float window1[20];  // 5x128 fp32 of the warp
    unsigned window1_raw[10];  // 5x128 bf16 of the warp
    const int strips = (m + 4) / 5;
    const int places = items * strips;
    const int tile_columns = (n + 127) / 128;
    const int blocks_each = max(blocks, 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 4;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 128;
      #pragma unroll 16
      for (int stage = 0; stage < 16; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged_raw[0] = stage / 8 * 8 + row < 9 && column0 + (stage * 4 % 32 + warp) * 4 + column < n ? w[(column0 + ((i64)stage * 4 % 32 + warp) * 4 + column) * w_out + (i64)stage / 8 * 8 + row] : 0;
        }
        {
          staged[0] = from_bf16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 8 * 8 + row) * 132 + (stage * 4 % 32 + warp) * 4 + column] = staged[0];
        }
      }
      __syncthreads();
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 4 - 1, blocks_each * 4); ++round) {
        const int place = first_place + round * (blocks_each * 4) + warp;
        const int line = place % lines;
        const int rest = place / lines;
        const int pixel0 = rest % strips * 5;
        const int image = rest / strips;
        const int first_column = pixel0 * 2 - 1;
        if (place < places) {
          {
            #pragma unroll
            for (int r = 0; r < 20; ++r) {
              total[r] = 0.0f;
            }
            #pragma unroll 1
            for (int tap_row = 0; tap_row < 3; ++tap_row) {
              if (0 <= line * 2 - 1 + tap_row && line * 2 - 1 + tap_row < height) {
                #pragma unroll
                for (int r = 0; r < 24; r += 4) {
                  const int row = r >> 2;
                  const int column = (r & 3) + lane * 4;
                  if (0 <= first_column + row * 2 && first_column + row * 2 < width && column0 + column < n) { const uint2 run = *(const uint2*)&x[image * x_image + column0 + column + ((i64)line * 2 - 1 + tap_row) * x_row + (first_column + (i64)row * 2) * 36]; window0_raw[r / 2] = (run.x); window0_raw[r / 2 + 1] = (run.y); }
                  else { window0_raw[r / 2] = 0; window0_raw[r / 2 + 1] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 20; r += 4) {
                  const int row = r >> 2;
                  const int column = (r & 3) + lane * 4;
                  if (first_column + row * 2 + 1 < width && column0 + column < n) { const uint2 run = *(const uint2*)&x[image * x_image + column0 + column + ((i64)line * 2 - 1 + tap_row) * x_row + (first_column + (i64)row * 2 + 1) * 36]; window1_raw[r / 2] = (run.x); window1_raw[r / 2 + 1] = (run.y); }
                  else { window1_raw[r / 2] = 0; window1_raw[r / 2 + 1] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 24; ++r) {
                  window0[r] = from_bf16(part16(window0_raw[r / 2], (r & 1) * 16));
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  window1[r] = from_bf16(part16(window1_raw[r / 2], (r & 1) * 16));
                }
                {
                  const int column = lane * 4;
                  { const uint4 run = *(const uint4*)&filters[tap_row * 396 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); weight[0 + 2] = __uint_as_float(run.z); weight[0 + 3] = __uint_as_float(run.w); }
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  part[r] = window0[r];
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 3]));
                }
                {
                  const int column = lane * 4;
                  { const uint4 run = *(const uint4*)&filters[(tap_row * 3 + 2) * 132 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); weight[0 + 2] = __uint_as_float(run.z); weight[0 + 3] = __uint_as_float(run.w); }
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  part[r] = window0[r + 4];
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 3]));
                }
                {
                  const int column = lane * 4;
                  { const uint4 run = *(const uint4*)&filters[(tap_row * 3 + 1) * 132 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); weight[0 + 2] = __uint_as_float(run.z); weight[0 + 3] = __uint_as_float(run.w); }
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  part[r] = window1[r];
                }
                #pragma unroll
                for (int r = 0; r < 20; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 3]));
                }
              }
            }
            #pragma unroll
            for (int r = 0; r < 20; r += 2) {
              result[r / 2] = pair_bf16(total[r], total[r + 1]);
            }
            #pragma unroll
            for (int r = 0; r < 20; r += 4) {
              const int row = r >> 2;
              const int column = (r & 3) + lane * 4;
              if (pixel0 + row < m && column0 + column < n) *(uint2*)&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column] = make_uint2((result[r / 2]), (result[r / 2 + 1]));
            }
          }
        }
      }
      __syncthreads();
    }
  }
}
