// tracea: conv2d fp32, rows are pixels, epilogue relu
// variant        cuda.contraction.simt_fp32 for sm_80
// configuration  64x32x16 s2 va4 vb4 vc8 u2
// schedule       a924bde6985645cc26a264a8ebf288ff3be03f7d7fb850f86d4aa45c35322d50
// certificate    3ba13acbd5a6822c234e4b3a0e5a864f83bfb805d54f3499773da3b79ab2de11: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
INLINE int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: fp32, read, aligned to 16 bytes
// w: fp32, read, aligned to 16 bytes
// out: fp16, write, aligned to 16 bytes
// out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
// out_height_reciprocal: multiplies instead of dividing by out_height; 0 to 9223372036854775807
// k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
// k_c_reciprocal: multiplies instead of dividing by k_c; 0 to 9223372036854775807
// m: output pixels of all images; 0 to 2147479552
// n: output channels of a group; 0 to 2147479552 by 4
// k_r: reduction axis r; 0 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// k_c: reduction axis c; 1 to 2147479552 by 4
// out_height: rows of the output image; 1 to 2147479552
// out_width: columns of the output image; 1 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// x_column: x: next column; -4611686018427387904 to 4611686018427387904 by 4
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// w_out: w: next output channel; -4611686018427387904 to 4611686018427387904 by 4
// out_pixel: out: next pixel; -4611686018427387904 to 4611686018427387904 by 8
// a_tile: shared of fp32, k 16 = 16*68, outer 64 = 64*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 16 = 16*36, outer 32 = 32*1, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 31) // 32) blocks of 128 threads, clusters of 1, 13248 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) conv2d_fp32_64x32x16_6cf5a15a(
    const float* __restrict__ x,
    const float* __restrict__ w,
    fp16* __restrict__ out,
    i64 out_width_reciprocal,
    i64 out_height_reciprocal,
    i64 k_s_reciprocal,
    i64 k_c_reciprocal,
    int m,
    int n,
    int k_r,
    int k_s,
    int k_c,
    int out_height,
    int out_width,
    i64 x_image,
    i64 x_row,
    i64 x_column,
    int pad_h,
    int pad_w,
    int height,
    int width,
    i64 w_out,
    i64 out_pixel) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const a_tile = (float*)(shared + 0);
  float* const b_tile = (float*)(shared + 8672);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[16];  // 16x32 fp32 of the warp
    float a0_0[4];  // 16x1 fp32 of the warp
    float a0_1[4];  // 16x1 fp32 of the warp
    float b0_0[4];  // 1x32 fp32 of the warp
    float b0_1[4];  // 1x32 fp32 of the warp
    float a_tile_fetched0[4];  // 16x8 fp32 of the warp
    float a_tile_fetched1[4];  // 16x8 fp32 of the warp
    float b_tile_fetched[4];  // 16x8 fp32 of the warp
    unsigned result[8];  // 16x32 fp16 of the warp
    unsigned result_wide[8];  // 16x32 fp16 of the warp
    unsigned result_run[8];  // 16x32 fp16 of the warp
    const int depth = k_r * k_s * k_c;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
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
      const int warp_row = row0 + warp * 16;
      const int warp_column = column0;
      int a_tile_line0[1];
      {
        a_tile_line0[0] = quotient(min(row0 + warp * 16 + (lane >> 1), m - 1), out_width_reciprocal);
      }
      int a_tile_image0[1];
      {
        a_tile_image0[0] = quotient(a_tile_line0[0], out_height_reciprocal);
      }
      int a_tile_y00[1];
      {
        a_tile_y00[0] = a_tile_line0[0] - a_tile_image0[0] * out_height - pad_h;
      }
      int a_tile_x00[1];
      {
        a_tile_x00[0] = min(row0 + warp * 16 + (lane >> 1), m - 1) - a_tile_line0[0] * out_width - pad_w;
      }
      int a_tile_x_base0[1];
      {
        a_tile_x_base0[0] = a_tile_image0[0] * x_image + a_tile_y00[0] * x_row + a_tile_x00[0] * x_column;
      }
      int a_tile_line1[1];
      {
        a_tile_line1[0] = quotient(min(row0 + warp * 16 + (lane >> 1), m - 1), out_width_reciprocal);
      }
      int a_tile_image1[1];
      {
        a_tile_image1[0] = quotient(a_tile_line1[0], out_height_reciprocal);
      }
      int a_tile_y01[1];
      {
        a_tile_y01[0] = a_tile_line1[0] - a_tile_image1[0] * out_height - pad_h;
      }
      int a_tile_x01[1];
      {
        a_tile_x01[0] = min(row0 + warp * 16 + (lane >> 1), m - 1) - a_tile_line1[0] * out_width - pad_w;
      }
      int a_tile_x_base1[1];
      {
        a_tile_x_base1[0] = a_tile_image1[0] * x_image + a_tile_y01[0] * x_row + a_tile_x01[0] * x_column;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      int a_tile_beyond_c0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c0_first[r] = quotient(r + (lane & 1) * 4, k_c_reciprocal);
      }
      int a_tile_c0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c0_first[r] = r + (lane & 1) * 4 - a_tile_beyond_c0_first[r] * k_c;
      }
      int a_tile_beyond_s0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s0_first[r] = quotient(a_tile_beyond_c0_first[r], k_s_reciprocal);
      }
      int a_tile_s0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s0_first[r] = a_tile_beyond_c0_first[r] - a_tile_beyond_s0_first[r] * k_s;
      }
      int a_tile_r0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r0_first[r] = a_tile_beyond_s0_first[r];
      }
      int a_tile_x_along0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along0_first[r] = a_tile_r0_first[r] * x_row + a_tile_s0_first[r] * x_column + a_tile_c0_first[r];
      }
      {
        const int column = (lane & 1) * 4;
        if (column < depth && 0 <= a_tile_y00[0] + a_tile_r0_first[0] && a_tile_y00[0] + a_tile_r0_first[0] < height && 0 <= a_tile_x00[0] + a_tile_s0_first[0] && a_tile_x00[0] + a_tile_s0_first[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base0[0] + a_tile_x_along0_first[0]]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      int a_tile_beyond_c1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c1_first[r] = quotient(8 + r + (lane & 1) * 4, k_c_reciprocal);
      }
      int a_tile_c1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c1_first[r] = 8 + r + (lane & 1) * 4 - a_tile_beyond_c1_first[r] * k_c;
      }
      int a_tile_beyond_s1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s1_first[r] = quotient(a_tile_beyond_c1_first[r], k_s_reciprocal);
      }
      int a_tile_s1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s1_first[r] = a_tile_beyond_c1_first[r] - a_tile_beyond_s1_first[r] * k_s;
      }
      int a_tile_r1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r1_first[r] = a_tile_beyond_s1_first[r];
      }
      int a_tile_x_along1_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along1_first[r] = a_tile_r1_first[r] * x_row + a_tile_s1_first[r] * x_column + a_tile_c1_first[r];
      }
      {
        const int column = (lane & 1) * 4;
        if (8 + column < depth && 0 <= a_tile_y01[0] + a_tile_r1_first[0] && a_tile_y01[0] + a_tile_r1_first[0] < height && 0 <= a_tile_x01[0] + a_tile_s1_first[0] && a_tile_x01[0] + a_tile_s1_first[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base1[0] + a_tile_x_along1_first[0]]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (warp / 2 * 8 + column < depth) { const uint4 run = *(const uint4*)&w[min(column0 + (i64)(warp % 2) * 16 + row, (i64)(n - 1)) * w_out + (i64)(warp / 2) * 8 + column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 68 + warp * 16 + row] = a_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[(8 + column) * 68 + warp * 16 + row] = a_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        b_tile[(warp / 2 * 8 + column) * 36 + warp % 2 * 16 + row] = b_tile_fetched[r];
      }
      int a_tile_beyond_c0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c0_second[r] = quotient(16 + r + (lane & 1) * 4, k_c_reciprocal);
      }
      int a_tile_c0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c0_second[r] = 16 + r + (lane & 1) * 4 - a_tile_beyond_c0_second[r] * k_c;
      }
      int a_tile_beyond_s0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s0_second[r] = quotient(a_tile_beyond_c0_second[r], k_s_reciprocal);
      }
      int a_tile_s0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s0_second[r] = a_tile_beyond_c0_second[r] - a_tile_beyond_s0_second[r] * k_s;
      }
      int a_tile_r0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r0_second[r] = a_tile_beyond_s0_second[r];
      }
      int a_tile_x_along0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along0_second[r] = a_tile_r0_second[r] * x_row + a_tile_s0_second[r] * x_column + a_tile_c0_second[r];
      }
      {
        const int column = (lane & 1) * 4;
        if (16 + column < depth && 0 <= a_tile_y00[0] + a_tile_r0_second[0] && a_tile_y00[0] + a_tile_r0_second[0] < height && 0 <= a_tile_x00[0] + a_tile_s0_second[0] && a_tile_x00[0] + a_tile_s0_second[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base0[0] + a_tile_x_along0_second[0]]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      int a_tile_beyond_c1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c1_second[r] = quotient(24 + r + (lane & 1) * 4, k_c_reciprocal);
      }
      int a_tile_c1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c1_second[r] = 24 + r + (lane & 1) * 4 - a_tile_beyond_c1_second[r] * k_c;
      }
      int a_tile_beyond_s1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s1_second[r] = quotient(a_tile_beyond_c1_second[r], k_s_reciprocal);
      }
      int a_tile_s1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s1_second[r] = a_tile_beyond_c1_second[r] - a_tile_beyond_s1_second[r] * k_s;
      }
      int a_tile_r1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r1_second[r] = a_tile_beyond_s1_second[r];
      }
      int a_tile_x_along1_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along1_second[r] = a_tile_r1_second[r] * x_row + a_tile_s1_second[r] * x_column + a_tile_c1_second[r];
      }
      {
        const int column = (lane & 1) * 4;
        if (24 + column < depth && 0 <= a_tile_y01[0] + a_tile_r1_second[0] && a_tile_y01[0] + a_tile_r1_second[0] < height && 0 <= a_tile_x01[0] + a_tile_s1_second[0] && a_tile_x01[0] + a_tile_s1_second[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base1[0] + a_tile_x_along1_second[0]]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (16 + warp / 2 * 8 + column < depth) { const uint4 run = *(const uint4*)&w[min(column0 + (i64)(warp % 2) * 16 + row, (i64)(n - 1)) * w_out + 16 + (i64)(warp / 2) * 8 + column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      __syncthreads();
      {
        const int row = (lane & 1) * 4 + (lane >> 4) * 8;
        { const uint4 run = *(const uint4*)&a_tile[warp * 16 + row]; a0_0[0] = __uint_as_float(run.x); a0_0[0 + 1] = __uint_as_float(run.y); a0_0[0 + 2] = __uint_as_float(run.z); a0_0[0 + 3] = __uint_as_float(run.w); }
      }
      {
        const int column = (lane >> 1 & 7) * 4;
        { const uint4 run = *(const uint4*)&b_tile[column]; b0_0[0] = __uint_as_float(run.x); b0_0[0 + 1] = __uint_as_float(run.y); b0_0[0 + 2] = __uint_as_float(run.z); b0_0[0 + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        #pragma unroll 7
        for (int k_inner = 0; k_inner < 14; k_inner += 2) {
          {
            const int row = (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + (k_inner + 1) * 68 + warp * 16 + row]; a0_1[0] = __uint_as_float(run.x); a0_1[0 + 1] = __uint_as_float(run.y); a0_1[0 + 2] = __uint_as_float(run.z); a0_1[0 + 3] = __uint_as_float(run.w); }
          }
          {
            const int column = (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + (k_inner + 1) * 36 + column]; b0_1[0] = __uint_as_float(run.x); b0_1[0 + 1] = __uint_as_float(run.y); b0_1[0 + 2] = __uint_as_float(run.z); b0_1[0 + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0_0[i] * b0_0[j];
            }
          }
          {
            const int row = (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + (k_inner + 2) * 68 + warp * 16 + row]; a0_0[0] = __uint_as_float(run.x); a0_0[0 + 1] = __uint_as_float(run.y); a0_0[0 + 2] = __uint_as_float(run.z); a0_0[0 + 3] = __uint_as_float(run.w); }
          }
          {
            const int column = (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + (k_inner + 2) * 36 + column]; b0_0[0] = __uint_as_float(run.x); b0_0[0 + 1] = __uint_as_float(run.y); b0_0[0 + 2] = __uint_as_float(run.z); b0_0[0 + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1084 + column * 68 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1084 + (8 + column) * 68 + warp * 16 + row] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 572 + (warp / 2 * 8 + column) * 36 + warp % 2 * 16 + row] = b_tile_fetched[r];
        }
        int a_tile_beyond_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 16 + r + (lane & 1) * 4, k_c_reciprocal);
        }
        int a_tile_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c0[r] = (k_step + 2) * 16 + r + (lane & 1) * 4 - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * x_column + a_tile_c0[r];
        }
        {
          if (0 <= a_tile_y00[0] + a_tile_r0[0] && a_tile_y00[0] + a_tile_r0[0] < height && 0 <= a_tile_x00[0] + a_tile_s0[0] && a_tile_x00[0] + a_tile_s0[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base0[0] + a_tile_x_along0[0]]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
        }
        int a_tile_beyond_c1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c1[r] = quotient((k_step + 2) * 16 + 8 + r + (lane & 1) * 4, k_c_reciprocal);
        }
        int a_tile_c1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c1[r] = (k_step + 2) * 16 + 8 + r + (lane & 1) * 4 - a_tile_beyond_c1[r] * k_c;
        }
        int a_tile_beyond_s1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s1[r] = quotient(a_tile_beyond_c1[r], k_s_reciprocal);
        }
        int a_tile_s1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s1[r] = a_tile_beyond_c1[r] - a_tile_beyond_s1[r] * k_s;
        }
        int a_tile_r1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r1[r] = a_tile_beyond_s1[r];
        }
        int a_tile_x_along1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along1[r] = a_tile_r1[r] * x_row + a_tile_s1[r] * x_column + a_tile_c1[r];
        }
        {
          if (0 <= a_tile_y01[0] + a_tile_r1[0] && a_tile_y01[0] + a_tile_r1[0] < height && 0 <= a_tile_x01[0] + a_tile_s1[0] && a_tile_x01[0] + a_tile_s1[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base1[0] + a_tile_x_along1[0]]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&w[min(column0 + (i64)(warp % 2) * 16 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + (i64)(warp / 2) * 8 + column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int row = (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + 1020 + warp * 16 + row]; a0_1[0] = __uint_as_float(run.x); a0_1[0 + 1] = __uint_as_float(run.y); a0_1[0 + 2] = __uint_as_float(run.z); a0_1[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int column = (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + 540 + column]; b0_1[0] = __uint_as_float(run.x); b0_1[0 + 1] = __uint_as_float(run.y); b0_1[0 + 2] = __uint_as_float(run.z); b0_1[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0_0[i] * b0_0[j];
          }
        }
        __syncthreads();
        {
          const int row = (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 1084 + warp * 16 + row]; a0_0[0] = __uint_as_float(run.x); a0_0[0 + 1] = __uint_as_float(run.y); a0_0[0 + 2] = __uint_as_float(run.z); a0_0[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int column = (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 572 + column]; b0_0[0] = __uint_as_float(run.x); b0_0[0 + 1] = __uint_as_float(run.y); b0_0[0 + 2] = __uint_as_float(run.z); b0_0[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0_1[i] * b0_1[j];
          }
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        #pragma unroll 7
        for (int k_inner = 0; k_inner < 14; k_inner += 2) {
          {
            const int row = (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + (k_inner + 1) * 68 + warp * 16 + row]; a0_1[0] = __uint_as_float(run.x); a0_1[0 + 1] = __uint_as_float(run.y); a0_1[0 + 2] = __uint_as_float(run.z); a0_1[0 + 3] = __uint_as_float(run.w); }
          }
          {
            const int column = (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + (k_inner + 1) * 36 + column]; b0_1[0] = __uint_as_float(run.x); b0_1[0 + 1] = __uint_as_float(run.y); b0_1[0 + 2] = __uint_as_float(run.z); b0_1[0 + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0_0[i] * b0_0[j];
            }
          }
          {
            const int row = (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + (k_inner + 2) * 68 + warp * 16 + row]; a0_0[0] = __uint_as_float(run.x); a0_0[0 + 1] = __uint_as_float(run.y); a0_0[0 + 2] = __uint_as_float(run.z); a0_0[0 + 3] = __uint_as_float(run.w); }
          }
          {
            const int column = (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + (k_inner + 2) * 36 + column]; b0_0[0] = __uint_as_float(run.x); b0_0[0 + 1] = __uint_as_float(run.y); b0_0[0 + 2] = __uint_as_float(run.z); b0_0[0 + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1084 + column * 68 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1084 + (8 + column) * 68 + warp * 16 + row] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 572 + (warp / 2 * 8 + column) * 36 + warp % 2 * 16 + row] = b_tile_fetched[r];
        }
        int a_tile_beyond_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 16 + r + (lane & 1) * 4, k_c_reciprocal);
        }
        int a_tile_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c0[r] = (k_step + 2) * 16 + r + (lane & 1) * 4 - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * x_column + a_tile_c0[r];
        }
        {
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 16 + column < depth && 0 <= a_tile_y00[0] + a_tile_r0[0] && a_tile_y00[0] + a_tile_r0[0] < height && 0 <= a_tile_x00[0] + a_tile_s0[0] && a_tile_x00[0] + a_tile_s0[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base0[0] + a_tile_x_along0[0]]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
        }
        int a_tile_beyond_c1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c1[r] = quotient((k_step + 2) * 16 + 8 + r + (lane & 1) * 4, k_c_reciprocal);
        }
        int a_tile_c1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c1[r] = (k_step + 2) * 16 + 8 + r + (lane & 1) * 4 - a_tile_beyond_c1[r] * k_c;
        }
        int a_tile_beyond_s1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s1[r] = quotient(a_tile_beyond_c1[r], k_s_reciprocal);
        }
        int a_tile_s1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s1[r] = a_tile_beyond_c1[r] - a_tile_beyond_s1[r] * k_s;
        }
        int a_tile_r1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r1[r] = a_tile_beyond_s1[r];
        }
        int a_tile_x_along1[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along1[r] = a_tile_r1[r] * x_row + a_tile_s1[r] * x_column + a_tile_c1[r];
        }
        {
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 16 + 8 + column < depth && 0 <= a_tile_y01[0] + a_tile_r1[0] && a_tile_y01[0] + a_tile_r1[0] < height && 0 <= a_tile_x01[0] + a_tile_s1[0] && a_tile_x01[0] + a_tile_s1[0] < width) { const uint4 run = *(const uint4*)&x[a_tile_x_base1[0] + a_tile_x_along1[0]]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 16 + warp / 2 * 8 + column < depth) { const uint4 run = *(const uint4*)&w[min(column0 + (i64)(warp % 2) * 16 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + (i64)(warp / 2) * 8 + column]; b_tile_fetched[0] = __uint_as_float(run.x); b_tile_fetched[0 + 1] = __uint_as_float(run.y); b_tile_fetched[0 + 2] = __uint_as_float(run.z); b_tile_fetched[0 + 3] = __uint_as_float(run.w); }
          else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
        }
        {
          const int row = (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1084 + 1020 + warp * 16 + row]; a0_1[0] = __uint_as_float(run.x); a0_1[0 + 1] = __uint_as_float(run.y); a0_1[0 + 2] = __uint_as_float(run.z); a0_1[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int column = (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 572 + 540 + column]; b0_1[0] = __uint_as_float(run.x); b0_1[0 + 1] = __uint_as_float(run.y); b0_1[0 + 2] = __uint_as_float(run.z); b0_1[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0_0[i] * b0_0[j];
          }
        }
        __syncthreads();
        {
          const int row = (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 1084 + warp * 16 + row]; a0_0[0] = __uint_as_float(run.x); a0_0[0 + 1] = __uint_as_float(run.y); a0_0[0 + 2] = __uint_as_float(run.z); a0_0[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int column = (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 572 + column]; b0_0[0] = __uint_as_float(run.x); b0_0[0 + 1] = __uint_as_float(run.y); b0_0[0 + 2] = __uint_as_float(run.z); b0_0[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0_1[i] * b0_1[j];
          }
        }
      }
      if (warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result_wide[r / 2] = pair_fp16(maximum(acc0_0[r], 0.0f), maximum(acc0_0[r + 1], 0.0f));
        }
        {
          unsigned sent0[8];
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            sent0[r] = lane & 2 ? result_wide[r ^ 4] : result_wide[r];
          }
          unsigned arrived[8];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[4], 2);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[5], 2);
          arrived[4] = sent0[2];
          arrived[5] = sent0[3];
          arrived[6] = __shfl_xor_sync(0xffffffffu, sent0[6], 2);
          arrived[7] = __shfl_xor_sync(0xffffffffu, sent0[7], 2);
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            result_run[r] = lane & 2 ? arrived[r ^ 2] : arrived[r];
          }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int row = (r >> 3) + (lane & 1) * 4 + (lane & 2) + (lane >> 4) * 8;
          const int column = (r & 7) + (lane >> 2 & 3) * 8;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_pixel + warp_column + column] = make_uint4((result_run[r / 2]), (result_run[r / 2 + 1]), (result_run[r / 2 + 2]), (result_run[r / 2 + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_fp16(maximum(acc0_0[r], 0.0f), maximum(acc0_0[r + 1], 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (lane >> 1 & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + row) * out_pixel + warp_column + column] = make_uint2((result[r / 2]), (result[r / 2 + 1]));
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
