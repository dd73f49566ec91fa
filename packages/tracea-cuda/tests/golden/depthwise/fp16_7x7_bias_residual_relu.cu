// tracea: conv2d fp16, depthwise, epilogue bias, residual, relu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  14x64x1 s1 w8 va2 vc2
// schedule       82b31463d976c14ce8e842a22f22f342aa39322809aa1c87e89436a87957397c
// certificate    bbe374ad74181f2c1ed8e62044834f36c9d76a5521c3f7c106b48bd59ef12f42: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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

// x: fp16, read, aligned to 4 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp16, read, aligned to 4 bytes
// n: output channels; 0 to 40 by 2
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 2
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 2
// height: rows of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 2
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 2
// residual_1_image: residual_1: next image; -4611686018427387904 to 4611686018427387904 by 2
// residual_1_line: residual_1: next line; -4611686018427387904 to 4611686018427387904 by 2
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 56 = 56*68, channel 64 = 64*1, kept for a tile, aligned to 16 bytes
// launch: ((items + 7) // 8 + max(((items + 7) // 8 + max(264 // max((n + 63) // 64, 1), 1) - 1) // max(264 // max((n + 63) // 64, 1), 1), 1) - 1) // max(((items + 7) // 8 + max(264 // max((n + 63) // 64, 1), 1) - 1) // max(264 // max((n + 63) // 64, 1), 1), 1) * ((n + 63) // 64) blocks of 256 threads, clusters of 1, 15216 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) conv2d_fp16_14x64x1_6a4cc446(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
    const float* __restrict__ bias_0,
    const fp16* __restrict__ residual_1,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_row,
    int height,
    i64 out_image,
    i64 out_line,
    i64 residual_1_image,
    i64 residual_1_line,
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const filters = (float*)(shared + 0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total[28];  // 14x64 fp32 of the warp
    float part[28];  // 14x64 fp32 of the warp
    float weight[2];  // 1x64 fp32 of the warp
    float bias_0_held[2];  // 1x64 fp32 of the warp
    unsigned residual_1_held[14];  // 14x64 fp16 of the warp
    unsigned result[14];  // 14x64 fp16 of the warp
    float staged[1];  // 8x4 fp32 of the warp
    fp16 staged_raw[1];  // 8x4 fp16 of the warp
    float window0[40];  // 20x64 fp32 of the warp
    unsigned window0_raw[20];  // 20x64 fp16 of the warp
    // strips = 1
    const int places = items;
    const int tile_columns = (n + 63) / 64;
    const int blocks_each = max(blocks, 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 8;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 64;
      #pragma unroll 14
      for (int stage = 0; stage < 14; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged_raw[0] = stage / 2 * 8 + row < 49 && column0 + (stage * 8 % 16 + warp) * 4 + column < n ? w[(column0 + ((i64)stage * 8 % 16 + warp) * 4 + column) * w_out + (i64)stage / 2 * 8 + row] : 0;
        }
        {
          staged[0] = from_fp16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 2 * 8 + row) * 68 + (stage * 8 % 16 + warp) * 4 + column] = staged[0];
        }
      }
      __syncthreads();
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 8 - 1, blocks_each * 8); ++round) {
        const int place = first_place + round * (blocks_each * 8) + warp;
        const int line = place % lines;
        const int rest = place / lines;
        // pixel0 = rest % strips * 14
        const int image = rest;
        // first_column = pixel0 - 3
        if (place < places) {
          {
            #pragma unroll
            for (int r = 0; r < 28; ++r) {
              total[r] = 0.0f;
            }
            #pragma unroll 1
            for (int tap_row = 0; tap_row < 7; ++tap_row) {
              if (0 <= line - 3 + tap_row && line - 3 + tap_row < height) {
                #pragma unroll
                for (int r = 0; r < 40; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (0 <= -3 + row && -3 + row < 14 && column0 + column < n) window0_raw[r / 2] = (*(const unsigned*)&x[image * x_image + column0 + column + (line - 3 + tap_row) * x_row + (i64)(-3 + row) * 40]);
                  else { window0_raw[r / 2] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 40; ++r) {
                  window0[r] = from_fp16(part16(window0_raw[r / 2], (r & 1) * 16));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[tap_row * 476 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 1) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 2];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 2) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 4];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 3) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 6];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 4) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 8];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 5) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 10];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 7 + 6) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  part[r] = window0[r + 12];
                }
                #pragma unroll
                for (int r = 0; r < 28; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
              }
            }
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
              const int column = r + lane * 2;
              bias_0_held[r] = column0 + column < n ? bias_0[column0 + r + lane * 2] : 0.0f;
            }
            #pragma unroll
            for (int r = 0; r < 28; r += 2) {
              const int row = r >> 1;
              const int column = (r & 1) + lane * 2;
              if (column0 + column < n) residual_1_held[r / 2] = (*(const unsigned*)&residual_1[image * residual_1_image + line * residual_1_line + (i64)row * 40 + column0 + column]);
              else { residual_1_held[r / 2] = 0; }
            }
            #pragma unroll
            for (int r = 0; r < 28; r += 2) {
              result[r / 2] = pair_fp16(maximum(((total[r] + bias_0_held[r & 1]) + from_fp16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((total[r + 1] + bias_0_held[r + 1 & 1]) + from_fp16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
            }
            #pragma unroll
            for (int r = 0; r < 28; r += 2) {
              const int row = r >> 1;
              const int column = (r & 1) + lane * 2;
              if (column0 + column < n) *(unsigned*)&out[image * out_image + line * out_line + (i64)row * 40 + column0 + column] = (result[r / 2]);
            }
          }
        }
      }
      __syncthreads();
    }
  }
}
