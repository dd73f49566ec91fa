// tracea: conv2d fp32, depthwise, epilogue bias, residual, relu
// variant        cuda.contraction.depthwise_planes_fp32 for sm_90a
// configuration  4x1x5 s1 w2 va4 vc4
// schedule       2bd710a31097ff25a281be70349797d18b5ff1e0f76f2c9543e0591c1ef42666
// certificate    f0a18a0982a06f99824db08405541c28dba647f9072d35ca55f9e45734bddd86: structure, domains, types, lanes, overlap, banks, budgets, meaning

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

// x: fp32, read, aligned to 16 bytes
// w: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 16 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552 by 4
// n: output channels; 0 to 2147479552
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 4
// x_channel: x: next channel; -4611686018427387904 to 4611686018427387904 by 4
// x_row: x: next row; -2147479552 to 2147479552 by 4
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552 by 4
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 4
// out_line: out: next line; -2147479552 to 2147479552 by 4
// out_channel: out: next channel; -4611686018427387904 to 4611686018427387904 by 4
// residual_1_image: residual_1: next image; -4611686018427387904 to 4611686018427387904
// residual_1_line: residual_1: next line; -2147479552 to 2147479552
// residual_1_channel: residual_1: next channel; -4611686018427387904 to 4611686018427387904
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// launch: (((items // lines * ((lines + 4) // 5) * ((m + 3) // 4) + 31) // 32 + 1) // 2 + max((((items // lines * ((lines + 4) // 5) * ((m + 3) // 4) + 31) // 32 + 1) // 2 + max(792 // max(n, 1), 1) - 1) // max(792 // max(n, 1), 1), 1) - 1) // max((((items // lines * ((lines + 4) // 5) * ((m + 3) // 4) + 31) // 32 + 1) // 2 + max(792 // max(n, 1), 1) - 1) // max(792 // max(n, 1), 1), 1) * n blocks of 64 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64, 6) conv2d_fp32_4x1x5_88b6e1ea(
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
    const float* __restrict__ residual_1,
    int m,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_channel,
    int x_row,
    int height,
    int width,
    i64 out_image,
    int out_line,
    i64 out_channel,
    i64 residual_1_image,
    int residual_1_line,
    i64 residual_1_channel,
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float seen0_0[12];  // 32x12 fp32 of the warp
    float seen1_0[12];  // 32x12 fp32 of the warp
    float seen2_0[12];  // 32x12 fp32 of the warp
    float seen3_0[12];  // 32x12 fp32 of the warp
    float seen4_0[12];  // 32x12 fp32 of the warp
    float seen5_0[12];  // 32x12 fp32 of the warp
    float seen6_0[12];  // 32x12 fp32 of the warp
    float weight0_0[1];  // 1x1 fp32 of the warp
    float weight0_1[1];  // 1x1 fp32 of the warp
    float weight0_2[1];  // 1x1 fp32 of the warp
    float weight1_0[1];  // 1x1 fp32 of the warp
    float weight1_1[1];  // 1x1 fp32 of the warp
    float weight1_2[1];  // 1x1 fp32 of the warp
    float weight2_0[1];  // 1x1 fp32 of the warp
    float weight2_1[1];  // 1x1 fp32 of the warp
    float weight2_2[1];  // 1x1 fp32 of the warp
    float part[4];  // 32x4 fp32 of the warp
    float total0[4];  // 32x4 fp32 of the warp
    float total1[4];  // 32x4 fp32 of the warp
    float total2[4];  // 32x4 fp32 of the warp
    float bias_0_held[1];  // 1x1 fp32 of the warp
    float residual_1_held[4];  // 32x4 fp32 of the warp
    float result[4];  // 32x4 fp32 of the warp
    const int strips = (m + 3) / 4;
    const int places = (items / lines * ((lines + 4) / 5) * ((m + 3) / 4) + 31) / 32;
    const int tile_columns = n;
    const int blocks_each = max(blocks / max(tile_columns, 1), 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 2;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = column + turn * columns_apart;
      {
        weight0_0[0] = w[column0 * w_out];
      }
      {
        weight0_1[0] = w[column0 * w_out + 1];
      }
      {
        weight0_2[0] = w[column0 * w_out + 2];
      }
      {
        weight1_0[0] = w[column0 * w_out + 3];
      }
      {
        weight1_1[0] = w[column0 * w_out + 4];
      }
      {
        weight1_2[0] = w[column0 * w_out + 5];
      }
      {
        weight2_0[0] = w[column0 * w_out + 6];
      }
      {
        weight2_1[0] = w[column0 * w_out + 7];
      }
      {
        weight2_2[0] = w[column0 * w_out + 8];
      }
      {
        bias_0_held[0] = bias_0[column0];
      }
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 2 - 1, blocks_each * 2); ++round) {
        const int place = first_place + round * (blocks_each * 2) + warp;
        if (place < places) {
          const int x_down1 = x_row;
          const int x_down2 = x_row * 2;
          const int x_down3 = x_row * 3;
          const int x_down4 = x_row * 4;
          const int x_down5 = x_row * 5;
          const int x_down6 = x_row * 6;
          const int out_down1 = out_line;
          const int out_down2 = out_line * 2;
          const int out_down3 = out_line * 3;
          const int out_down4 = out_line * 4;
          const int residual_1_down1 = residual_1_line;
          const int residual_1_down2 = residual_1_line * 2;
          const int residual_1_down3 = residual_1_line * 3;
          const int residual_1_down4 = residual_1_line * 4;
          int piece[1];
          {
            piece[0] = place * 32 + lane;
          }
          int pixel0[1];
          {
            pixel0[0] = floor_modulo(piece[0], strips) * 4;
          }
          int first_line[1];
          {
            first_line[0] = floor_modulo(floor_divide(piece[0], strips), (lines + 4) / 5) * 5;
          }
          int image[1];
          {
            image[0] = floor_divide(floor_divide(piece[0], strips), (lines + 4) / 5);
          }
          int first_row[1];
          {
            first_row[0] = first_line[0] - 1;
          }
          i64 x_corner[1];
          {
            x_corner[0] = image[0] * x_image + column0 * x_channel + first_row[0] * x_row + pixel0[0] - 4;
          }
          int rows0[12];
          #pragma unroll
          for (int r = 0; r < 12; ++r) {
            rows0[r] = height * (max(min(min(min(items / lines * ((lines + 4) / 5) * ((m + 3) / 4) - 1 - piece[0], pixel0[0] - 4 + r), width - (pixel0[0] - 4 + r) - 1), 0), -1) + 1) - first_row[0];
          }
          i64 out_corner[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            out_corner[r] = image[0] * out_image + column0 * out_channel + first_line[0] * out_line + pixel0[0] + r;
          }
          i64 residual_1_corner[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_corner[r] = image[0] * residual_1_image + column0 * residual_1_channel + first_line[0] * residual_1_line + pixel0[0] + r;
          }
          int lines_there[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            lines_there[r] = lines * (max(min(min(items / lines * ((lines + 4) / 5) * ((m + 3) / 4) - 1 - piece[0], m - (pixel0[0] + r) - 1), 0), -1) + 1) - first_line[0];
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (0 <= first_row[0] && 0 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[r]; seen0_0[r] = __uint_as_float(run.x); seen0_0[r + 1] = __uint_as_float(run.y); seen0_0[r + 2] = __uint_as_float(run.z); seen0_0[r + 3] = __uint_as_float(run.w); }
            else { seen0_0[r] = 0.0f; seen0_0[r + 1] = 0.0f; seen0_0[r + 2] = 0.0f; seen0_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (1 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down1 + r]; seen1_0[r] = __uint_as_float(run.x); seen1_0[r + 1] = __uint_as_float(run.y); seen1_0[r + 2] = __uint_as_float(run.z); seen1_0[r + 3] = __uint_as_float(run.w); }
            else { seen1_0[r] = 0.0f; seen1_0[r + 1] = 0.0f; seen1_0[r + 2] = 0.0f; seen1_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (2 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down2 + r]; seen2_0[r] = __uint_as_float(run.x); seen2_0[r + 1] = __uint_as_float(run.y); seen2_0[r + 2] = __uint_as_float(run.z); seen2_0[r + 3] = __uint_as_float(run.w); }
            else { seen2_0[r] = 0.0f; seen2_0[r + 1] = 0.0f; seen2_0[r + 2] = 0.0f; seen2_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (3 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down3 + r]; seen3_0[r] = __uint_as_float(run.x); seen3_0[r + 1] = __uint_as_float(run.y); seen3_0[r + 2] = __uint_as_float(run.z); seen3_0[r + 3] = __uint_as_float(run.w); }
            else { seen3_0[r] = 0.0f; seen3_0[r + 1] = 0.0f; seen3_0[r + 2] = 0.0f; seen3_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (4 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down4 + r]; seen4_0[r] = __uint_as_float(run.x); seen4_0[r + 1] = __uint_as_float(run.y); seen4_0[r + 2] = __uint_as_float(run.z); seen4_0[r + 3] = __uint_as_float(run.w); }
            else { seen4_0[r] = 0.0f; seen4_0[r + 1] = 0.0f; seen4_0[r + 2] = 0.0f; seen4_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (5 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down5 + r]; seen5_0[r] = __uint_as_float(run.x); seen5_0[r + 1] = __uint_as_float(run.y); seen5_0[r + 2] = __uint_as_float(run.z); seen5_0[r + 3] = __uint_as_float(run.w); }
            else { seen5_0[r] = 0.0f; seen5_0[r + 1] = 0.0f; seen5_0[r + 2] = 0.0f; seen5_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 12; r += 4) {
            if (6 < rows0[r]) { const uint4 run = *(const uint4*)&(x + x_corner[0])[x_down6 + r]; seen6_0[r] = __uint_as_float(run.x); seen6_0[r + 1] = __uint_as_float(run.y); seen6_0[r + 2] = __uint_as_float(run.z); seen6_0[r + 3] = __uint_as_float(run.w); }
            else { seen6_0[r] = 0.0f; seen6_0[r + 1] = 0.0f; seen6_0[r + 2] = 0.0f; seen6_0[r + 3] = 0.0f; }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen0_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen0_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen0_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen1_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held[r] = 0 < lines_there[r] ? (residual_1 + residual_1_corner[r])[0] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result[r] = maximum(((total0[r] + bias_0_held[0]) + residual_1_held[r]), 0.0f);
          }
          {
            if (0 < lines_there[0]) *(uint4*)&(out + out_corner[0])[0] = make_uint4(__float_as_uint(result[0]), __float_as_uint(result[0 + 1]), __float_as_uint(result[0 + 2]), __float_as_uint(result[0 + 3]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen2_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held[r] = 1 < lines_there[r] ? (residual_1 + residual_1_corner[r])[residual_1_down1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result[r] = maximum(((total1[r] + bias_0_held[0]) + residual_1_held[r]), 0.0f);
          }
          {
            if (1 < lines_there[0]) *(uint4*)&(out + out_corner[0])[out_down1] = make_uint4(__float_as_uint(result[0]), __float_as_uint(result[0 + 1]), __float_as_uint(result[0 + 2]), __float_as_uint(result[0 + 3]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen3_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held[r] = 2 < lines_there[r] ? (residual_1 + residual_1_corner[r])[residual_1_down2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result[r] = maximum(((total2[r] + bias_0_held[0]) + residual_1_held[r]), 0.0f);
          }
          {
            if (2 < lines_there[0]) *(uint4*)&(out + out_corner[0])[out_down2] = make_uint4(__float_as_uint(result[0]), __float_as_uint(result[0 + 1]), __float_as_uint(result[0 + 2]), __float_as_uint(result[0 + 3]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen4_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held[r] = 3 < lines_there[r] ? (residual_1 + residual_1_corner[r])[residual_1_down3] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result[r] = maximum(((total0[r] + bias_0_held[0]) + residual_1_held[r]), 0.0f);
          }
          {
            if (3 < lines_there[0]) *(uint4*)&(out + out_corner[0])[out_down3] = make_uint4(__float_as_uint(result[0]), __float_as_uint(result[0 + 1]), __float_as_uint(result[0 + 2]), __float_as_uint(result[0 + 3]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen5_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen6_0[r + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen6_0[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = seen6_0[r + 5];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held[r] = 4 < lines_there[r] ? (residual_1 + residual_1_corner[r])[residual_1_down4] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result[r] = maximum(((total1[r] + bias_0_held[0]) + residual_1_held[r]), 0.0f);
          }
          {
            if (4 < lines_there[0]) *(uint4*)&(out + out_corner[0])[out_down4] = make_uint4(__float_as_uint(result[0]), __float_as_uint(result[0 + 1]), __float_as_uint(result[0 + 2]), __float_as_uint(result[0 + 3]));
          }
        }
      }
    }
  }
}
