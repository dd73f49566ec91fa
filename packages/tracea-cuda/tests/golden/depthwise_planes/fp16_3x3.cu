// tracea: conv2d fp16, depthwise, epilogue bias, relu
// variant        cuda.contraction.depthwise_planes_fp16 for sm_90a
// configuration  8x1x6 s1 va2 vc2
// schedule       a31c716f68a133662476eccc1e65454632c888dd28cfbc8180f915231aa7ee3f
// certificate    d362a9d6bc1af0960ac3a8e644e25fa37e5dbd73144d60e6019f8764605b72d8: structure, domains, types, lanes, overlap, banks, budgets, meaning

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
INLINE void mma_m16n8k16_fp16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// x: fp16, read, aligned to 4 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552 by 2
// n: output channels; 0 to 2147479552
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 2
// x_channel: x: next channel; -4611686018427387904 to 4611686018427387904 by 2
// x_row: x: next row; -2147479552 to 2147479552 by 2
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552 by 2
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 2
// out_line: out: next line; -2147479552 to 2147479552 by 2
// out_channel: out: next channel; -4611686018427387904 to 4611686018427387904 by 2
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// launch: (((items // lines * ((lines + 5) // 6) * ((m + 7) // 8) + 7) // 8 + 3) // 4 + max((((items // lines * ((lines + 5) // 6) * ((m + 7) // 8) + 7) // 8 + 3) // 4 + max(924 // max(n, 1), 1) - 1) // max(924 // max(n, 1), 1), 1) - 1) // max((((items // lines * ((lines + 5) // 6) * ((m + 7) // 8) + 7) // 8 + 3) // 4 + max(924 // max(n, 1), 1) - 1) // max(924 // max(n, 1), 1), 1) * n blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 7) conv2d_fp16_8x1x6_942d1649(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
    const float* __restrict__ bias_0,
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
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned seen0_0[4];  // 16x16 fp16 of the warp
    unsigned seen1_0[4];  // 16x16 fp16 of the warp
    unsigned seen2_0[4];  // 16x16 fp16 of the warp
    unsigned seen3_0[4];  // 16x16 fp16 of the warp
    unsigned seen4_0[4];  // 16x16 fp16 of the warp
    unsigned band0_0[2];  // 16x8 fp16 of the warp
    unsigned band1_0[2];  // 16x8 fp16 of the warp
    unsigned band2_0[2];  // 16x8 fp16 of the warp
    float total0[4];  // 16x8 fp32 of the warp
    float total1[4];  // 16x8 fp32 of the warp
    float total2[4];  // 16x8 fp32 of the warp
    float bias_0_held[1];  // 1x1 fp32 of the warp
    unsigned result[2];  // 16x8 fp16 of the warp
    const int strips = (m + 7) / 8;
    const int places = (items / lines * ((lines + 5) / 6) * ((m + 7) / 8) + 7) / 8;
    const int tile_columns = n;
    const int blocks_each = max(blocks / max(tile_columns, 1), 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 4;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = column + turn * columns_apart;
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = (r & 1) + (r >> 1) * 8 + (lane & 3) * 2;
        const int column = lane >> 2;
        band0_0[r / 2] = with16(band0_0[r / 2], (r & 1) * 16, 0 <= row - column - 1 && row - column - 1 < 3 ? w[column0 * w_out + row - column - 1] : 0);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = (r & 1) + (r >> 1) * 8 + (lane & 3) * 2;
        const int column = lane >> 2;
        band1_0[r / 2] = with16(band1_0[r / 2], (r & 1) * 16, 0 <= row - column - 1 && row - column - 1 < 3 ? w[column0 * w_out + 3 + row - column - 1] : 0);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = (r & 1) + (r >> 1) * 8 + (lane & 3) * 2;
        const int column = lane >> 2;
        band2_0[r / 2] = with16(band2_0[r / 2], (r & 1) * 16, 0 <= row - column - 1 && row - column - 1 < 3 ? w[column0 * w_out + 6 + row - column - 1] : 0);
      }
      {
        bias_0_held[0] = bias_0[column0];
      }
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 4 - 1, blocks_each * 4); ++round) {
        const int place = first_place + round * (blocks_each * 4) + warp;
        if (place < places) {
          const int x_down1 = x_row;
          const int x_down2 = x_row * 2;
          const int x_down3 = x_row * 3;
          const int x_down4 = x_row * 4;
          const int out_down1 = out_line;
          const int out_down2 = out_line * 2;
          int piece[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            piece[r] = place * 8 + (lane >> 2);
          }
          int pixel0[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            pixel0[r] = floor_modulo(piece[r], strips) * 8;
          }
          int first_line[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            first_line[r] = floor_modulo(floor_divide(piece[r], strips), (lines + 5) / 6) * 6 + r * 3;
          }
          int image[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            image[r] = floor_divide(floor_divide(piece[r], strips), (lines + 5) / 6);
          }
          int first_row[2];
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            first_row[r] = first_line[r] - 1;
          }
          i64 seen0_0_corner[8];
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            seen0_0_corner[r] = image[r >> 1 & 1] * x_image + column0 * x_channel + first_row[r >> 1 & 1] * x_row + pixel0[r >> 1 & 1] + (r & 1) + (r >> 2) * 8 + (lane & 3) * 2 - 2;
          }
          int rows0[8];
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            rows0[r] = height * (max(min(min(min(items / lines * ((lines + 5) / 6) * ((m + 7) / 8) - 1 - piece[r >> 1 & 1], pixel0[r >> 1 & 1] + (r & 1) + (r >> 2) * 8 + (lane & 3) * 2 - 2), width - (pixel0[r >> 1 & 1] + (r & 1) + (r >> 2) * 8 + (lane & 3) * 2 - 2) - 1), 0), -1) + 1) - first_row[r >> 1 & 1];
          }
          i64 out_corner[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            out_corner[r] = image[r >> 1] * out_image + column0 * out_channel + first_line[r >> 1] * out_line + pixel0[r >> 1] + (r & 1) + (lane & 3) * 2;
          }
          int lines_there[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            lines_there[r] = lines * (max(min(min(items / lines * ((lines + 5) / 6) * ((m + 7) / 8) - 1 - piece[r >> 1], m - (pixel0[r >> 1] + (r & 1) + (lane & 3) * 2) - 1), 0), -1) + 1) - first_line[r >> 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (0 <= first_row[r >> 1 & 1] && 0 < rows0[r]) seen0_0[r / 2] = (*(const unsigned*)&(x + seen0_0_corner[r])[0]);
            else { seen0_0[r / 2] = 0; }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (1 < rows0[r]) seen1_0[r / 2] = (*(const unsigned*)&(x + seen0_0_corner[r])[x_down1]);
            else { seen1_0[r / 2] = 0; }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (2 < rows0[r]) seen2_0[r / 2] = (*(const unsigned*)&(x + seen0_0_corner[r])[x_down2]);
            else { seen2_0[r / 2] = 0; }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (3 < rows0[r]) seen3_0[r / 2] = (*(const unsigned*)&(x + seen0_0_corner[r])[x_down3]);
            else { seen3_0[r / 2] = 0; }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (4 < rows0[r]) seen4_0[r / 2] = (*(const unsigned*)&(x + seen0_0_corner[r])[x_down4]);
            else { seen4_0[r / 2] = 0; }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = 0.0f;
          }
          mma_m16n8k16_fp16(total0, seen0_0, band0_0);
          mma_m16n8k16_fp16(total0, seen1_0, band1_0);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total1[r] = 0.0f;
          }
          mma_m16n8k16_fp16(total1, seen1_0, band0_0);
          mma_m16n8k16_fp16(total0, seen2_0, band2_0);
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            result[r / 2] = pair_fp16(maximum((total0[r] + bias_0_held[0]), 0.0f), maximum((total0[r + 1] + bias_0_held[0]), 0.0f));
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (0 < lines_there[r]) *(unsigned*)&(out + out_corner[r])[0] = (result[r / 2]);
          }
          mma_m16n8k16_fp16(total1, seen2_0, band1_0);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total2[r] = 0.0f;
          }
          mma_m16n8k16_fp16(total2, seen2_0, band0_0);
          mma_m16n8k16_fp16(total1, seen3_0, band2_0);
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            result[r / 2] = pair_fp16(maximum((total1[r] + bias_0_held[0]), 0.0f), maximum((total1[r + 1] + bias_0_held[0]), 0.0f));
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (1 < lines_there[r]) *(unsigned*)&(out + out_corner[r])[out_down1] = (result[r / 2]);
          }
          mma_m16n8k16_fp16(total2, seen3_0, band1_0);
          mma_m16n8k16_fp16(total2, seen4_0, band2_0);
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            result[r / 2] = pair_fp16(maximum((total2[r] + bias_0_held[0]), 0.0f), maximum((total2[r + 1] + bias_0_held[0]), 0.0f));
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (2 < lines_there[r]) *(unsigned*)&(out + out_corner[r])[out_down2] = (result[r / 2]);
          }
        }
      }
    }
  }
}
