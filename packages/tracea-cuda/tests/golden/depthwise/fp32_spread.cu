// tracea: conv2d fp32, depthwise, epilogue relu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  4x64x1 s1 w8 va2 vc2
// schedule       4b1f0d6b7424aaa0777b9dba0b19d4f16981c027db47316feb676377cf15f3e0
// certificate    8845098e4f1b89d3d9b177f9e393c4dedf1a91b67ebc6f077d666e1042ad2650: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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

// x: fp32, read, aligned to 8 bytes
// w: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 8 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 36 by 2
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 2
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 2
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 2
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 2
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 16 = 16*68, channel 64 = 64*1, kept for a tile, aligned to 16 bytes
// launch: ((items * ((m + 3) // 4) + 7) // 8 + max(((items * ((m + 3) // 4) + 7) // 8 + max(528 // max((n + 63) // 64, 1), 1) - 1) // max(528 // max((n + 63) // 64, 1), 1), 1) - 1) // max(((items * ((m + 3) // 4) + 7) // 8 + max(528 // max((n + 63) // 64, 1), 1) - 1) // max(528 // max((n + 63) // 64, 1), 1), 1) * ((n + 63) // 64) blocks of 256 threads, clusters of 1, 4336 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) conv2d_fp32_4x64x1_8b239361(
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ out,
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
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total[8];  // 4x64 fp32 of the warp
    float part[8];  // 4x64 fp32 of the warp
    float weight[2];  // 1x64 fp32 of the warp
    float result[8];  // 4x64 fp32 of the warp
    float staged[1];  // 8x4 fp32 of the warp
    float window0[12];  // 6x64 fp32 of the warp
    float window1[12];  // 6x64 fp32 of the warp
    float window2[8];  // 4x64 fp32 of the warp
    const int strips = (m + 3) / 4;
    const int places = items * strips;
    const int tile_columns = (n + 63) / 64;
    const int blocks_each = max(blocks, 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 8;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 64;
      #pragma unroll 4
      for (int stage = 0; stage < 4; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged[0] = stage / 2 * 8 + row < 15 && column0 + (stage * 8 % 16 + warp) * 4 + column < n ? w[(column0 + ((i64)stage * 8 % 16 + warp) * 4 + column) * w_out + (i64)stage / 2 * 8 + row] : 0.0f;
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
        const int pixel0 = rest % strips * 4;
        const int image = rest / strips;
        const int first_column = pixel0 * 3 - 2;
        if (place < places) {
          {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
              total[r] = 0.0f;
            }
            #pragma unroll 1
            for (int tap_row = 0; tap_row < 3; ++tap_row) {
              if (line + tap_row * 2 < height) {
                #pragma unroll
                for (int r = 0; r < 12; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (0 <= first_column + row * 3 && first_column + row * 3 < width && column0 + column < n) { const uint2 run = *(const uint2*)&x[image * x_image + column0 + column + (line + (i64)tap_row * 2) * x_row + (first_column + (i64)row * 3) * 36]; window0[r] = __uint_as_float(run.x); window0[r + 1] = __uint_as_float(run.y); }
                  else { window0[r] = 0.0f; window0[r + 1] = 0.0f; }
                }
                #pragma unroll
                for (int r = 0; r < 12; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (first_column + row * 3 + 2 < width && column0 + column < n) { const uint2 run = *(const uint2*)&x[image * x_image + column0 + column + (line + (i64)tap_row * 2) * x_row + (first_column + (i64)row * 3 + 2) * 36]; window1[r] = __uint_as_float(run.x); window1[r + 1] = __uint_as_float(run.y); }
                  else { window1[r] = 0.0f; window1[r + 1] = 0.0f; }
                }
                #pragma unroll
                for (int r = 0; r < 8; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (first_column + row * 3 + 4 < width && column0 + column < n) { const uint2 run = *(const uint2*)&x[image * x_image + column0 + column + (line + (i64)tap_row * 2) * x_row + (first_column + (i64)row * 3 + 4) * 36]; window2[r] = __uint_as_float(run.x); window2[r + 1] = __uint_as_float(run.y); }
                  else { window2[r] = 0.0f; window2[r + 1] = 0.0f; }
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[tap_row * 340 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 5 + 3) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r + 4];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 5 + 1) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window1[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 5 + 4) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window1[r + 4];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = *(const uint2*)&filters[(tap_row * 5 + 2) * 68 + column]; weight[0] = __uint_as_float(run.x); weight[0 + 1] = __uint_as_float(run.y); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window2[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
              }
            }
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
              result[r] = maximum(total[r], 0.0f);
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              const int row = r >> 1;
              const int column = (r & 1) + lane * 2;
              if (pixel0 + row < m && column0 + column < n) *(uint2*)&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
            }
          }
        }
      }
      __syncthreads();
    }
  }
}
