// tracea: conv2d fp32, depthwise
// variant        cuda.contraction.depthwise_planes_fp32 for sm_90a
// configuration  2x1x3 s1 w2
// schedule       2b56d4547866da33a8730fa3c070c3d27fec804bb8da3a586fd961deaae72ef9
// certificate    783aa4af85d4dcc4bc820934257ac953602e57499767738885fcac038db13254: structure, domains, types, lanes, overlap, banks, budgets, meaning

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

// x: fp32, read, aligned to 4 bytes
// w: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 2147479552
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904
// x_channel: x: next channel; -4611686018427387904 to 4611686018427387904
// x_row: x: next row; -2147479552 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904
// out_line: out: next line; -2147479552 to 2147479552
// out_channel: out: next channel; -4611686018427387904 to 4611686018427387904
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// launch: (((items // lines * ((lines + 2) // 3) * ((m + 1) // 2) + 31) // 32 + 1) // 2 + max((((items // lines * ((lines + 2) // 3) * ((m + 1) // 2) + 31) // 32 + 1) // 2 + max(1056 // max(n, 1), 1) - 1) // max(1056 // max(n, 1), 1), 1) - 1) // max((((items // lines * ((lines + 2) // 3) * ((m + 1) // 2) + 31) // 32 + 1) // 2 + max(1056 // max(n, 1), 1) - 1) // max(1056 // max(n, 1), 1), 1) * n blocks of 64 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64, 8) conv2d_fp32_2x1x3_35157c05(
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ out,
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
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float seen0_0[4];  // 32x4 fp32 of the warp
    float seen0_1[3];  // 32x3 fp32 of the warp
    float seen1_0[4];  // 32x4 fp32 of the warp
    float seen1_1[3];  // 32x3 fp32 of the warp
    float seen2_0[4];  // 32x4 fp32 of the warp
    float seen2_1[3];  // 32x3 fp32 of the warp
    float seen3_0[4];  // 32x4 fp32 of the warp
    float seen3_1[3];  // 32x3 fp32 of the warp
    float seen4_0[4];  // 32x4 fp32 of the warp
    float seen4_1[3];  // 32x3 fp32 of the warp
    float seen5_0[4];  // 32x4 fp32 of the warp
    float seen5_1[3];  // 32x3 fp32 of the warp
    float seen6_0[4];  // 32x4 fp32 of the warp
    float seen6_1[3];  // 32x3 fp32 of the warp
    float seen7_0[4];  // 32x4 fp32 of the warp
    float seen7_1[3];  // 32x3 fp32 of the warp
    float seen8_0[4];  // 32x4 fp32 of the warp
    float seen8_1[3];  // 32x3 fp32 of the warp
    float weight0_0[1];  // 1x1 fp32 of the warp
    float weight0_1[1];  // 1x1 fp32 of the warp
    float weight0_2[1];  // 1x1 fp32 of the warp
    float weight0_3[1];  // 1x1 fp32 of the warp
    float weight0_4[1];  // 1x1 fp32 of the warp
    float weight1_0[1];  // 1x1 fp32 of the warp
    float weight1_1[1];  // 1x1 fp32 of the warp
    float weight1_2[1];  // 1x1 fp32 of the warp
    float weight1_3[1];  // 1x1 fp32 of the warp
    float weight1_4[1];  // 1x1 fp32 of the warp
    float weight2_0[1];  // 1x1 fp32 of the warp
    float weight2_1[1];  // 1x1 fp32 of the warp
    float weight2_2[1];  // 1x1 fp32 of the warp
    float weight2_3[1];  // 1x1 fp32 of the warp
    float weight2_4[1];  // 1x1 fp32 of the warp
    float weight3_0[1];  // 1x1 fp32 of the warp
    float weight3_1[1];  // 1x1 fp32 of the warp
    float weight3_2[1];  // 1x1 fp32 of the warp
    float weight3_3[1];  // 1x1 fp32 of the warp
    float weight3_4[1];  // 1x1 fp32 of the warp
    float weight4_0[1];  // 1x1 fp32 of the warp
    float weight4_1[1];  // 1x1 fp32 of the warp
    float weight4_2[1];  // 1x1 fp32 of the warp
    float weight4_3[1];  // 1x1 fp32 of the warp
    float weight4_4[1];  // 1x1 fp32 of the warp
    float part[2];  // 32x2 fp32 of the warp
    float total0[2];  // 32x2 fp32 of the warp
    float total1[2];  // 32x2 fp32 of the warp
    float total2[2];  // 32x2 fp32 of the warp
    float result[2];  // 32x2 fp32 of the warp
    const int strips = (m + 1) / 2;
    const int places = (items / lines * ((lines + 2) / 3) * ((m + 1) / 2) + 31) / 32;
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
        weight0_3[0] = w[column0 * w_out + 3];
      }
      {
        weight0_4[0] = w[column0 * w_out + 4];
      }
      {
        weight1_0[0] = w[column0 * w_out + 5];
      }
      {
        weight1_1[0] = w[column0 * w_out + 6];
      }
      {
        weight1_2[0] = w[column0 * w_out + 7];
      }
      {
        weight1_3[0] = w[column0 * w_out + 8];
      }
      {
        weight1_4[0] = w[column0 * w_out + 9];
      }
      {
        weight2_0[0] = w[column0 * w_out + 10];
      }
      {
        weight2_1[0] = w[column0 * w_out + 11];
      }
      {
        weight2_2[0] = w[column0 * w_out + 12];
      }
      {
        weight2_3[0] = w[column0 * w_out + 13];
      }
      {
        weight2_4[0] = w[column0 * w_out + 14];
      }
      {
        weight3_0[0] = w[column0 * w_out + 15];
      }
      {
        weight3_1[0] = w[column0 * w_out + 16];
      }
      {
        weight3_2[0] = w[column0 * w_out + 17];
      }
      {
        weight3_3[0] = w[column0 * w_out + 18];
      }
      {
        weight3_4[0] = w[column0 * w_out + 19];
      }
      {
        weight4_0[0] = w[column0 * w_out + 20];
      }
      {
        weight4_1[0] = w[column0 * w_out + 21];
      }
      {
        weight4_2[0] = w[column0 * w_out + 22];
      }
      {
        weight4_3[0] = w[column0 * w_out + 23];
      }
      {
        weight4_4[0] = w[column0 * w_out + 24];
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
          const int x_down7 = x_row * 7;
          const int x_down8 = x_row * 8;
          const int out_down1 = out_line;
          const int out_down2 = out_line * 2;
          int piece[1];
          {
            piece[0] = place * 32 + lane;
          }
          int pixel0[1];
          {
            pixel0[0] = floor_modulo(piece[0], strips) * 2;
          }
          int first_line[1];
          {
            first_line[0] = floor_modulo(floor_divide(piece[0], strips), (lines + 2) / 3) * 3;
          }
          int image[1];
          {
            image[0] = floor_divide(floor_divide(piece[0], strips), (lines + 2) / 3);
          }
          int first_row[1];
          {
            first_row[0] = first_line[0] * 2 - 2;
          }
          i64 x_corner[1];
          {
            x_corner[0] = image[0] * x_image + column0 * x_channel + first_row[0] * x_row + pixel0[0] * 2 - 2;
          }
          int rows0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            rows0[r] = height * (max(min(min(min(items / lines * ((lines + 2) / 3) * ((m + 1) / 2) - 1 - piece[0], pixel0[0] * 2 - 2 + r * 2), width - (pixel0[0] * 2 - 2 + r * 2) - 1), 0), -1) + 1) - first_row[0];
          }
          int rows1[3];
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            rows1[r] = height * (max(min(min(min(items / lines * ((lines + 2) / 3) * ((m + 1) / 2) - 1 - piece[0], pixel0[0] * 2 - 2 + r * 2 + 1), width - (pixel0[0] * 2 - 2 + r * 2 + 1) - 1), 0), -1) + 1) - first_row[0];
          }
          i64 out_corner[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            out_corner[r] = image[0] * out_image + column0 * out_channel + first_line[0] * out_line + pixel0[0] + r;
          }
          int lines_there[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            lines_there[r] = lines * (max(min(min(items / lines * ((lines + 2) / 3) * ((m + 1) / 2) - 1 - piece[0], m - (pixel0[0] + r) - 1), 0), -1) + 1) - first_line[0];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen0_0[r] = 0 <= first_row[0] && 0 < rows0[r] ? (x + x_corner[0])[(i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen0_1[r] = 0 <= first_row[0] && 0 < rows1[r] ? (x + x_corner[0])[(i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen1_0[r] = 0 <= first_row[0] + 1 && 1 < rows0[r] ? (x + x_corner[0])[x_down1 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen1_1[r] = 0 <= first_row[0] + 1 && 1 < rows1[r] ? (x + x_corner[0])[x_down1 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen2_0[r] = 2 < rows0[r] ? (x + x_corner[0])[x_down2 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen2_1[r] = 2 < rows1[r] ? (x + x_corner[0])[x_down2 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen3_0[r] = 3 < rows0[r] ? (x + x_corner[0])[x_down3 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen3_1[r] = 3 < rows1[r] ? (x + x_corner[0])[x_down3 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen4_0[r] = 4 < rows0[r] ? (x + x_corner[0])[x_down4 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen4_1[r] = 4 < rows1[r] ? (x + x_corner[0])[x_down4 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen5_0[r] = 5 < rows0[r] ? (x + x_corner[0])[x_down5 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen5_1[r] = 5 < rows1[r] ? (x + x_corner[0])[x_down5 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen6_0[r] = 6 < rows0[r] ? (x + x_corner[0])[x_down6 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen6_1[r] = 6 < rows1[r] ? (x + x_corner[0])[x_down6 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen7_0[r] = 7 < rows0[r] ? (x + x_corner[0])[x_down7 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen7_1[r] = 7 < rows1[r] ? (x + x_corner[0])[x_down7 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            seen8_0[r] = 8 < rows0[r] ? (x + x_corner[0])[x_down8 + (i64)r * 2] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 3; ++r) {
            seen8_1[r] = 8 < rows1[r] ? (x + x_corner[0])[x_down8 + (i64)r * 2 + 1] : 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen0_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen0_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen0_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen0_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen0_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight0_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen1_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen1_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen1_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen1_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen1_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight1_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight2_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen2_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight0_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight3_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight3_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight3_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight3_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight3_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen3_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight1_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight4_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight4_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight4_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight4_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total0[r] = (total0[r] + (part[r] * weight4_4[0]));
          }
          result[0] = total0[0];
          result[1] = total0[1];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            if (0 < lines_there[r]) (out + out_corner[r])[0] = result[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight2_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = 0.0f;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen4_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight0_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight3_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight3_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight3_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight3_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight3_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen5_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight1_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight4_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight4_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight4_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight4_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total1[r] = (total1[r] + (part[r] * weight4_4[0]));
          }
          result[0] = total1[0];
          result[1] = total1[1];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            if (1 < lines_there[r]) (out + out_corner[r])[out_down1] = result[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen6_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight2_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen7_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight3_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen7_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight3_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen7_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight3_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen7_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight3_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen7_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight3_4[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen8_0[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight4_0[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen8_1[r];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight4_1[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen8_0[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight4_2[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen8_1[r + 1];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight4_3[0]));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            part[r] = seen8_0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            total2[r] = (total2[r] + (part[r] * weight4_4[0]));
          }
          result[0] = total2[0];
          result[1] = total2[1];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            if (2 < lines_there[r]) (out + out_corner[r])[out_down2] = result[r];
          }
        }
      }
    }
  }
}
