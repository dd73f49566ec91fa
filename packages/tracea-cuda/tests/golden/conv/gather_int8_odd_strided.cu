// tracea: conv2d int8, rows are pixels, grouped
// variant        cuda.contraction.mma_int8 for sm_90a
// configuration  32x64x32 s3 xor4
// schedule       1e67adaa3dde53b2b4af549ba0be032eeface119bfe51d98523a63dbc0deb746
// certificate    fbf6cacc1060dd3664f74dd13cae3df3e840def773c1c95b911e12967ad7d657: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mma_m16n8k32_int8(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
INLINE int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: int8, read, aligned to 1 bytes
// w: int8, read, aligned to 1 bytes
// out: int32, write, aligned to 4 bytes
// out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
// out_height_reciprocal: multiplies instead of dividing by out_height; 0 to 9223372036854775807
// k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
// k_c_reciprocal: multiplies instead of dividing by k_c; 0 to 9223372036854775807
// m: output pixels of all images; 0 to 2147479552
// n: output channels of a group; 0 to 2147479552
// items: groups of channels; 1 to 2147479552
// k_r: reduction axis r; 0 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// k_c: reduction axis c; 1 to 2147479552
// out_height: rows of the output image; 1 to 2147479552
// out_width: columns of the output image; 1 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// x_column: x: next column; -4611686018427387904 to 4611686018427387904
// stride_h: stride along h; 1 to 2147479552
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
// out_pixel: out: next pixel; -4611686018427387904 to 4611686018427387904
// a_tile: shared of int8, outer 32 = 2*512 + 4 bits, k 32 = 5 bits, atom 2^9 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of int8, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 63) // 64) * items blocks of 128 threads, clusters of 1, 9216 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) conv2d_int8_32x64x32_c2a6a0f8(
    const int8* __restrict__ x,
    const int8* __restrict__ w,
    int* __restrict__ out,
    i64 out_width_reciprocal,
    i64 out_height_reciprocal,
    i64 k_s_reciprocal,
    i64 k_c_reciprocal,
    int m,
    int n,
    int items,
    int k_r,
    int k_s,
    int k_c,
    int out_height,
    int out_width,
    i64 x_image,
    i64 x_row,
    i64 x_column,
    int stride_h,
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
  int8* const a_tile = (int8*)(shared + 0);
  int8* const b_tile = (int8*)(shared + 3072);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    int acc0_0[4];  // 16x8 int32 of the warp
    int acc0_1[4];  // 16x8 int32 of the warp
    int acc1_0[4];  // 16x8 int32 of the warp
    int acc1_1[4];  // 16x8 int32 of the warp
    unsigned a0[4];  // 16x32 int8 of the warp
    unsigned a1[4];  // 16x32 int8 of the warp
    unsigned b0[2];  // 32x8 int8 of the warp
    unsigned b1[2];  // 32x8 int8 of the warp
    unsigned a_tile_fetched[2];  // 32x8 int8 of the warp
    int8 b_tile_fetched0[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched1[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched2[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched3[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched4[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched5[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched6[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched7[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched8[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched9[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched10[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched11[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched12[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched13[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched14[1];  // 1x32 int8 of the warp
    int8 b_tile_fetched15[1];  // 1x32 int8 of the warp
    int result[4];  // 16x8 int32 of the warp
    const int depth = k_r * k_s * k_c;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 31) / 32;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int row0 = place / tile_columns * 32;
      const int column0 = place % tile_columns * 64;
      const int warp_row = row0;
      const int warp_column = column0 + warp * 16;
      int a_tile_line0[1];
      {
        a_tile_line0[0] = quotient(min(row0 + lane, m - 1), out_width_reciprocal);
      }
      int a_tile_image0[1];
      {
        a_tile_image0[0] = quotient(a_tile_line0[0], out_height_reciprocal);
      }
      int a_tile_y00[1];
      {
        a_tile_y00[0] = (a_tile_line0[0] - a_tile_image0[0] * out_height) * stride_h - pad_h;
      }
      int a_tile_x00[1];
      {
        a_tile_x00[0] = min(row0 + lane, m - 1) - a_tile_line0[0] * out_width - pad_w;
      }
      int a_tile_x_base0[1];
      {
        a_tile_x_base0[0] = a_tile_image0[0] * x_image + a_tile_y00[0] * x_row + a_tile_x00[0] * x_column + item * k_c;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_1[r] = 0;
      }
      int a_tile_beyond_c0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_beyond_c0_first[r] = quotient(warp * 8 + r, k_c_reciprocal);
      }
      int a_tile_c0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_c0_first[r] = warp * 8 + r - a_tile_beyond_c0_first[r] * k_c;
      }
      int a_tile_beyond_s0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_beyond_s0_first[r] = quotient(a_tile_beyond_c0_first[r], k_s_reciprocal);
      }
      int a_tile_s0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_s0_first[r] = a_tile_beyond_c0_first[r] - a_tile_beyond_s0_first[r] * k_s;
      }
      int a_tile_r0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_r0_first[r] = a_tile_beyond_s0_first[r];
      }
      int a_tile_x_along0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_x_along0_first[r] = a_tile_r0_first[r] * x_row + a_tile_s0_first[r] * x_column + a_tile_c0_first[r];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_fetched[r / 4] = with8(a_tile_fetched[r / 4], (r & 3) * 8, warp * 8 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0_first[r] && a_tile_y00[0] + a_tile_r0_first[r] < height && 0 <= a_tile_x00[0] + a_tile_s0_first[r] && a_tile_x00[0] + a_tile_s0_first[r] < width ? x[a_tile_x_base0[0] + a_tile_x_along0_first[r]] : 0);
      }
      {
        b_tile_fetched0[0] = lane < depth ? w[((i64)item * n + min(column0 + warp, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched1[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 4, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched2[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 8, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched3[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 12, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched4[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 16, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched5[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 20, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched6[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 24, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched7[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 28, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched8[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 32, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched9[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 36, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched10[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 40, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched11[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 44, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched12[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 48, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched13[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 52, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched14[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 56, n - 1)) * w_out + lane] : 0;
      }
      {
        b_tile_fetched15[0] = lane < depth ? w[((i64)item * n + min(column0 + warp + 60, n - 1)) * w_out + lane] : 0;
      }
      __syncthreads();
      {
        *(uint2*)&a_tile[(lane >> 4) * 512 + ((lane & 15) * 32 ^ (lane >> 2 & 1) * 16 ^ lane & 8 ^ warp * 8)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        b_tile[warp * 32 ^ lane] = b_tile_fetched0[0];
      }
      {
        b_tile[warp * 32 + 128 ^ 16 ^ lane] = b_tile_fetched1[0];
      }
      {
        b_tile[256 + (warp * 32 ^ lane)] = b_tile_fetched2[0];
      }
      {
        b_tile[256 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched3[0];
      }
      {
        b_tile[512 + (warp * 32 ^ lane)] = b_tile_fetched4[0];
      }
      {
        b_tile[512 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched5[0];
      }
      {
        b_tile[768 + (warp * 32 ^ lane)] = b_tile_fetched6[0];
      }
      {
        b_tile[768 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched7[0];
      }
      {
        b_tile[1024 + (warp * 32 ^ lane)] = b_tile_fetched8[0];
      }
      {
        b_tile[1024 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched9[0];
      }
      {
        b_tile[1280 + (warp * 32 ^ lane)] = b_tile_fetched10[0];
      }
      {
        b_tile[1280 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched11[0];
      }
      {
        b_tile[1536 + (warp * 32 ^ lane)] = b_tile_fetched12[0];
      }
      {
        b_tile[1536 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched13[0];
      }
      {
        b_tile[1792 + (warp * 32 ^ lane)] = b_tile_fetched14[0];
      }
      {
        b_tile[1792 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched15[0];
      }
      int a_tile_beyond_c0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_beyond_c0_second[r] = quotient(32 + warp * 8 + r, k_c_reciprocal);
      }
      int a_tile_c0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_c0_second[r] = 32 + warp * 8 + r - a_tile_beyond_c0_second[r] * k_c;
      }
      int a_tile_beyond_s0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_beyond_s0_second[r] = quotient(a_tile_beyond_c0_second[r], k_s_reciprocal);
      }
      int a_tile_s0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_s0_second[r] = a_tile_beyond_c0_second[r] - a_tile_beyond_s0_second[r] * k_s;
      }
      int a_tile_r0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_r0_second[r] = a_tile_beyond_s0_second[r];
      }
      int a_tile_x_along0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_x_along0_second[r] = a_tile_r0_second[r] * x_row + a_tile_s0_second[r] * x_column + a_tile_c0_second[r];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_fetched[r / 4] = with8(a_tile_fetched[r / 4], (r & 3) * 8, 32 + warp * 8 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0_second[r] && a_tile_y00[0] + a_tile_r0_second[r] < height && 0 <= a_tile_x00[0] + a_tile_s0_second[r] && a_tile_x00[0] + a_tile_s0_second[r] < width ? x[a_tile_x_base0[0] + a_tile_x_along0_second[r]] : 0);
      }
      {
        b_tile_fetched0[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched1[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 4, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched2[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 8, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched3[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 12, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched4[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 16, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched5[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 20, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched6[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 24, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched7[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 28, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched8[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 32, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched9[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 36, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched10[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 40, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched11[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 44, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched12[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 48, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched13[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 52, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched14[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 56, n - 1)) * w_out + 32 + lane] : 0;
      }
      {
        b_tile_fetched15[0] = 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 60, n - 1)) * w_out + 32 + lane] : 0;
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        __syncthreads();
        {
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + (lane >> 4) * 512 + ((lane & 15) * 32 ^ (lane >> 2 & 1) * 16 ^ lane & 8 ^ warp * 8)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + (warp * 32 ^ lane)] = b_tile_fetched0[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched1[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 256 + (warp * 32 ^ lane)] = b_tile_fetched2[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 256 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched3[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 512 + (warp * 32 ^ lane)] = b_tile_fetched4[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 512 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched5[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 768 + (warp * 32 ^ lane)] = b_tile_fetched6[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 768 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched7[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1024 + (warp * 32 ^ lane)] = b_tile_fetched8[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1024 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched9[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1280 + (warp * 32 ^ lane)] = b_tile_fetched10[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1280 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched11[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1536 + (warp * 32 ^ lane)] = b_tile_fetched12[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1536 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched13[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1792 + (warp * 32 ^ lane)] = b_tile_fetched14[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1792 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched15[0];
        }
        int a_tile_beyond_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 32 + warp * 8 + r, k_c_reciprocal);
        }
        int a_tile_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_c0[r] = (k_step + 2) * 32 + warp * 8 + r - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * x_column + a_tile_c0[r];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_fetched[r / 4] = with8(a_tile_fetched[r / 4], (r & 3) * 8, 0 <= a_tile_y00[0] + a_tile_r0[r] && a_tile_y00[0] + a_tile_r0[r] < height && 0 <= a_tile_x00[0] + a_tile_s0[r] && a_tile_x00[0] + a_tile_s0[r] < width ? x[a_tile_x_base0[0] + a_tile_x_along0[r]] : 0);
        }
        {
          b_tile_fetched0[0] = w[((i64)item * n + min(column0 + warp, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched1[0] = w[((i64)item * n + min(column0 + warp + 4, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched2[0] = w[((i64)item * n + min(column0 + warp + 8, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched3[0] = w[((i64)item * n + min(column0 + warp + 12, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched4[0] = w[((i64)item * n + min(column0 + warp + 16, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched5[0] = w[((i64)item * n + min(column0 + warp + 20, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched6[0] = w[((i64)item * n + min(column0 + warp + 24, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched7[0] = w[((i64)item * n + min(column0 + warp + 28, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched8[0] = w[((i64)item * n + min(column0 + warp + 32, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched9[0] = w[((i64)item * n + min(column0 + warp + 36, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched10[0] = w[((i64)item * n + min(column0 + warp + 40, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched11[0] = w[((i64)item * n + min(column0 + warp + 44, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched12[0] = w[((i64)item * n + min(column0 + warp + 48, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched13[0] = w[((i64)item * n + min(column0 + warp + 52, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched14[0] = w[((i64)item * n + min(column0 + warp + 56, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        {
          b_tile_fetched15[0] = w[((i64)item * n + min(column0 + warp + 60, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2 & 1) * 8 + (lane >> 2);
          const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
          a0[r / 4] = (*(const unsigned*)&a_tile[k_step % 3 * 1024 + (row * 32 ^ (row >> 2 & 1) * 16 ^ (row >> 3) * 8 ^ column)]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2 & 1) * 8 + (lane >> 2);
          const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
          a1[r / 4] = (*(const unsigned*)&a_tile[k_step % 3 * 1024 + 512 + (row * 32 ^ (row >> 2 & 1) * 16 ^ (row >> 3) * 8 ^ column)]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
          const int column = lane >> 2;
          b0[r / 4] = (*(const unsigned*)&b_tile[k_step % 3 * 2048 + warp * 512 + (column * 32 ^ (column >> 2) * 16 ^ row)]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
          const int column = lane >> 2;
          b1[r / 4] = (*(const unsigned*)&b_tile[k_step % 3 * 2048 + (warp * 2 + 1) * 256 + (column * 32 ^ (column >> 2) * 16 ^ row)]);
        }
        mma_m16n8k32_int8(acc0_0, a0, b0);
        mma_m16n8k32_int8(acc0_1, a0, b1);
        mma_m16n8k32_int8(acc1_0, a1, b0);
        mma_m16n8k32_int8(acc1_1, a1, b1);
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        __syncthreads();
        {
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + (lane >> 4) * 512 + ((lane & 15) * 32 ^ (lane >> 2 & 1) * 16 ^ lane & 8 ^ warp * 8)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + (warp * 32 ^ lane)] = b_tile_fetched0[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched1[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 256 + (warp * 32 ^ lane)] = b_tile_fetched2[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 256 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched3[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 512 + (warp * 32 ^ lane)] = b_tile_fetched4[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 512 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched5[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 768 + (warp * 32 ^ lane)] = b_tile_fetched6[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 768 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched7[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1024 + (warp * 32 ^ lane)] = b_tile_fetched8[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1024 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched9[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1280 + (warp * 32 ^ lane)] = b_tile_fetched10[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1280 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched11[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1536 + (warp * 32 ^ lane)] = b_tile_fetched12[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1536 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched13[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1792 + (warp * 32 ^ lane)] = b_tile_fetched14[0];
        }
        {
          b_tile[(k_step + 1) % 3 * 2048 + 1792 + (warp * 32 + 128 ^ 16 ^ lane)] = b_tile_fetched15[0];
        }
        int a_tile_beyond_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 32 + warp * 8 + r, k_c_reciprocal);
        }
        int a_tile_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_c0[r] = (k_step + 2) * 32 + warp * 8 + r - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * x_column + a_tile_c0[r];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          a_tile_fetched[r / 4] = with8(a_tile_fetched[r / 4], (r & 3) * 8, (k_step + 2) * 32 + warp * 8 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0[r] && a_tile_y00[0] + a_tile_r0[r] < height && 0 <= a_tile_x00[0] + a_tile_s0[r] && a_tile_x00[0] + a_tile_s0[r] < width ? x[a_tile_x_base0[0] + a_tile_x_along0[r]] : 0);
        }
        {
          b_tile_fetched0[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched1[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 4, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched2[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 8, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched3[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 12, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched4[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 16, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched5[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 20, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched6[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 24, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched7[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 28, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched8[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 32, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched9[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 36, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched10[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 40, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched11[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 44, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched12[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 48, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched13[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 52, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched14[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 56, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        {
          b_tile_fetched15[0] = (k_step + 2) * 32 + lane < depth ? w[((i64)item * n + min(column0 + warp + 60, n - 1)) * w_out + (i64)(k_step + 2) * 32 + lane] : 0;
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2 & 1) * 8 + (lane >> 2);
          const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
          a0[r / 4] = (*(const unsigned*)&a_tile[k_step % 3 * 1024 + (row * 32 ^ (row >> 2 & 1) * 16 ^ (row >> 3) * 8 ^ column)]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2 & 1) * 8 + (lane >> 2);
          const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
          a1[r / 4] = (*(const unsigned*)&a_tile[k_step % 3 * 1024 + 512 + (row * 32 ^ (row >> 2 & 1) * 16 ^ (row >> 3) * 8 ^ column)]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
          const int column = lane >> 2;
          b0[r / 4] = (*(const unsigned*)&b_tile[k_step % 3 * 2048 + warp * 512 + (column * 32 ^ (column >> 2) * 16 ^ row)]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
          const int column = lane >> 2;
          b1[r / 4] = (*(const unsigned*)&b_tile[k_step % 3 * 2048 + (warp * 2 + 1) * 256 + (column * 32 ^ (column >> 2) * 16 ^ row)]);
        }
        mma_m16n8k32_int8(acc0_0, a0, b0);
        mma_m16n8k32_int8(acc0_1, a0, b1);
        mma_m16n8k32_int8(acc1_0, a1, b0);
        mma_m16n8k32_int8(acc1_1, a1, b1);
      }
      if (warp_row + 31 < m && warp_column + 15 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + row) * out_pixel + (i64)item * n + warp_column + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        result[2] = acc0_1[2];
        result[3] = acc0_1[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + row) * out_pixel + (i64)item * n + warp_column + 8 + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + 16 + row) * out_pixel + (i64)item * n + warp_column + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        result[2] = acc1_1[2];
        result[3] = acc1_1[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + 16 + row) * out_pixel + (i64)item * n + warp_column + 8 + column] = result[r];
        }
        asm volatile("" ::: "memory");
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_pixel + (i64)item * n + warp_column + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        result[2] = acc0_1[2];
        result[3] = acc0_1[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 8 + column < n) out[(warp_row + row) * out_pixel + (i64)item * n + warp_column + 8 + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + column < n) out[(warp_row + 16 + row) * out_pixel + (i64)item * n + warp_column + column] = result[r];
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        result[2] = acc1_1[2];
        result[3] = acc1_1[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) out[(warp_row + 16 + row) * out_pixel + (i64)item * n + warp_column + 8 + column] = result[r];
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
