// tracea: gradient of filters fp16
// variant        cuda.contraction.mma_fp16 for sm_80
// configuration  64x32x16 s3
// schedule       a55e1322a298bd13be86d5a32d728912fbb5ee343e9a6b5d8b9ba6685293c173
// certificate    67d91a42d4c83d129dc675d55464e06fa18dd0b426fd4c0fced224cc20c6dd8b: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
// Copies that pass no registers (sm_80), and 8x8 matrices that a warp moves together (sm_75).
INLINE unsigned shared_place(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

// Where `inside` fails, zeros arrive and nothing is read.
INLINE void copy_async16(void* target, const void* source, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 16 : 0) : "memory");
}
INLINE void copy_async8(void* target, const void* source, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 8 : 0) : "memory");
}
INLINE void copy_async4(void* target, const void* source, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 4 : 0) : "memory");
}
INLINE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending> INLINE void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory"); }

INLINE void matrices1(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices2(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices4(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices1_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices2_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices4_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_place(row)) : "memory");
}
INLINE void mma_m16n8k16_fp16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
INLINE int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: fp16, read, aligned to 2 bytes
// g: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 2 bytes
// filter_s_reciprocal: multiplies instead of dividing by filter_s; 0 to 9223372036854775807
// filter_c_reciprocal: multiplies instead of dividing by filter_c; 0 to 9223372036854775807
// k_p_reciprocal: multiplies instead of dividing by k_p; 0 to 9223372036854775807
// k_q_reciprocal: multiplies instead of dividing by k_q; 0 to 9223372036854775807
// k: output channels of a group; 0 to 2147479552
// elements: elements of a filter; 0 to 2147479552
// items: parts of the images times groups; 0 to 2147479552
// k_image: images of a part; 1 to 2147479552
// k_p: rows of the output image; 1 to 2147479552
// k_q: columns of the output image; 1 to 2147479552
// filter_c: extent of a filter along c; 1 to 2147479552
// filter_s: extent of a filter along s; 1 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// x_column: x: next column; -4611686018427387904 to 4611686018427387904
// stride_h: stride along h; -4611686018427387904 to 4611686018427387904
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// g_image: g: next image; -4611686018427387904 to 4611686018427387904
// g_row: g: next row; -4611686018427387904 to 4611686018427387904
// g_column: g: next column; -4611686018427387904 to 4611686018427387904
// out_channel: out: next output channel; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp16, outer 64 = 8*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// launch: (k + 63) // 64 * ((elements + 31) // 32) * items blocks of 128 threads, clusters of 1, 9216 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) gradient_of_filters_fp16_64x32x16_995d8245(
    const fp16* __restrict__ x,
    const fp16* __restrict__ g,
    fp16* __restrict__ out,
    i64 filter_s_reciprocal,
    i64 filter_c_reciprocal,
    i64 k_p_reciprocal,
    i64 k_q_reciprocal,
    int k,
    int elements,
    int items,
    int k_image,
    int k_p,
    int k_q,
    int filter_c,
    int filter_s,
    i64 x_image,
    i64 x_row,
    i64 x_column,
    i64 stride_h,
    int pad_h,
    int pad_w,
    int height,
    int width,
    i64 g_image,
    i64 g_row,
    i64 g_column,
    i64 out_channel) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  fp16* const a_tile = (fp16*)(shared + 0);
  fp16* const b_tile = (fp16*)(shared + 6144);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[4];  // 16x8 fp32 of the warp
    float acc0_1[4];  // 16x8 fp32 of the warp
    float acc1_0[4];  // 16x8 fp32 of the warp
    float acc1_1[4];  // 16x8 fp32 of the warp
    unsigned a0[4];  // 16x16 fp16 of the warp
    unsigned a1[4];  // 16x16 fp16 of the warp
    unsigned b0[2];  // 16x8 fp16 of the warp
    unsigned b1[2];  // 16x8 fp16 of the warp
    unsigned a_tile_fetched0[2];  // 8x16 fp16 of the warp
    unsigned a_tile_fetched1[2];  // 8x16 fp16 of the warp
    unsigned b_tile_fetched[2];  // 8x16 fp16 of the warp
    unsigned result[2];  // 16x8 fp16 of the warp
    const int depth = k_image * k_p * k_q;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (k + 63) / 64;
    const int tile_columns = (elements + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int row0 = place / tile_columns * 64;
      const int column0 = place % tile_columns * 32;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 16;
      int b_tile_y00[1];
      {
        b_tile_y00[0] = quotient(quotient(min(column0 + warp * 8 + (lane & 7), elements - 1), filter_c_reciprocal), filter_s_reciprocal) - pad_h;
      }
      int b_tile_x00[1];
      {
        b_tile_x00[0] = quotient(min(column0 + warp * 8 + (lane & 7), elements - 1), filter_c_reciprocal) - quotient(quotient(min(column0 + warp * 8 + (lane & 7), elements - 1), filter_c_reciprocal), filter_s_reciprocal) * filter_s - pad_w;
      }
      int b_tile_x_base0[1];
      {
        b_tile_x_base0[0] = item * k_image * x_image + min(column0 + warp * 8 + (lane & 7), elements - 1) - quotient(min(column0 + warp * 8 + (lane & 7), elements - 1), filter_c_reciprocal) * filter_c + b_tile_y00[0] * x_row + b_tile_x00[0] * x_column;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_1[r] = 0.0f;
      }
      int a_tile_beyond_q0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_q0_first[r] = quotient(r + (lane >> 3) * 4, k_q_reciprocal);
      }
      int a_tile_q0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_q0_first[r] = r + (lane >> 3) * 4 - a_tile_beyond_q0_first[r] * k_q;
      }
      int a_tile_beyond_p0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_p0_first[r] = quotient(a_tile_beyond_q0_first[r], k_p_reciprocal);
      }
      int a_tile_p0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_p0_first[r] = a_tile_beyond_q0_first[r] - a_tile_beyond_p0_first[r] * k_p;
      }
      int a_tile_image0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_image0_first[r] = a_tile_beyond_p0_first[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched0[r / 2] = with16(a_tile_fetched0[r / 2], (r & 1) * 16, column < depth ? g[((i64)item * k_image + a_tile_image0_first[r]) * g_image + min(row0 + (i64)warp * 8 + row, (i64)(k - 1)) + a_tile_p0_first[r] * g_row + a_tile_q0_first[r] * g_column] : 0);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched1[r / 2] = with16(a_tile_fetched1[r / 2], (r & 1) * 16, column < depth ? g[((i64)item * k_image + a_tile_image0_first[r]) * g_image + min(row0 + (i64)(warp + 4) * 8 + row, (i64)(k - 1)) + a_tile_p0_first[r] * g_row + a_tile_q0_first[r] * g_column] : 0);
      }
      int b_tile_beyond_q0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_beyond_q0_first[r] = quotient(r + (lane >> 3) * 4, k_q_reciprocal);
      }
      int b_tile_q0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_q0_first[r] = r + (lane >> 3) * 4 - b_tile_beyond_q0_first[r] * k_q;
      }
      int b_tile_beyond_p0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_beyond_p0_first[r] = quotient(b_tile_beyond_q0_first[r], k_p_reciprocal);
      }
      int b_tile_p0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_p0_first[r] = b_tile_beyond_q0_first[r] - b_tile_beyond_p0_first[r] * k_p;
      }
      int b_tile_image0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_image0_first[r] = b_tile_beyond_p0_first[r];
      }
      int b_tile_x_along0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_x_along0_first[r] = b_tile_image0_first[r] * x_image + b_tile_p0_first[r] * stride_h * x_row + b_tile_q0_first[r] * x_column;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int column = r + (lane >> 3) * 4;
        b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, column < depth && 0 <= b_tile_y00[0] + b_tile_p0_first[r] * stride_h && b_tile_y00[0] + b_tile_p0_first[r] * stride_h < height && 0 <= b_tile_x00[0] + b_tile_q0_first[r] && b_tile_x00[0] + b_tile_q0_first[r] < width ? x[b_tile_x_base0[0] + b_tile_x_along0_first[r]] : 0);
      }
      __syncthreads();
      {
        const int row = lane & 7;
        const int column = (lane >> 3) * 4;
        *(uint2*)&a_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]));
      }
      {
        const int row = lane & 7;
        const int column = (lane >> 3) * 4;
        *(uint2*)&a_tile[(warp + 4) * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]));
      }
      {
        const int row = lane & 7;
        const int column = (lane >> 3) * 4;
        *(uint2*)&b_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((b_tile_fetched[0]), (b_tile_fetched[0 + 1]));
      }
      int a_tile_beyond_q0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_q0_second[r] = quotient(16 + r + (lane >> 3) * 4, k_q_reciprocal);
      }
      int a_tile_q0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_q0_second[r] = 16 + r + (lane >> 3) * 4 - a_tile_beyond_q0_second[r] * k_q;
      }
      int a_tile_beyond_p0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_p0_second[r] = quotient(a_tile_beyond_q0_second[r], k_p_reciprocal);
      }
      int a_tile_p0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_p0_second[r] = a_tile_beyond_q0_second[r] - a_tile_beyond_p0_second[r] * k_p;
      }
      int a_tile_image0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_image0_second[r] = a_tile_beyond_p0_second[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched0[r / 2] = with16(a_tile_fetched0[r / 2], (r & 1) * 16, 16 + column < depth ? g[((i64)item * k_image + a_tile_image0_second[r]) * g_image + min(row0 + (i64)warp * 8 + row, (i64)(k - 1)) + a_tile_p0_second[r] * g_row + a_tile_q0_second[r] * g_column] : 0);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched1[r / 2] = with16(a_tile_fetched1[r / 2], (r & 1) * 16, 16 + column < depth ? g[((i64)item * k_image + a_tile_image0_second[r]) * g_image + min(row0 + (i64)(warp + 4) * 8 + row, (i64)(k - 1)) + a_tile_p0_second[r] * g_row + a_tile_q0_second[r] * g_column] : 0);
      }
      int b_tile_beyond_q0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_beyond_q0_second[r] = quotient(16 + r + (lane >> 3) * 4, k_q_reciprocal);
      }
      int b_tile_q0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_q0_second[r] = 16 + r + (lane >> 3) * 4 - b_tile_beyond_q0_second[r] * k_q;
      }
      int b_tile_beyond_p0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_beyond_p0_second[r] = quotient(b_tile_beyond_q0_second[r], k_p_reciprocal);
      }
      int b_tile_p0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_p0_second[r] = b_tile_beyond_q0_second[r] - b_tile_beyond_p0_second[r] * k_p;
      }
      int b_tile_image0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_image0_second[r] = b_tile_beyond_p0_second[r];
      }
      int b_tile_x_along0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        b_tile_x_along0_second[r] = b_tile_image0_second[r] * x_image + b_tile_p0_second[r] * stride_h * x_row + b_tile_q0_second[r] * x_column;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int column = r + (lane >> 3) * 4;
        b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, 16 + column < depth && 0 <= b_tile_y00[0] + b_tile_p0_second[r] * stride_h && b_tile_y00[0] + b_tile_p0_second[r] * stride_h < height && 0 <= b_tile_x00[0] + b_tile_q0_second[r] && b_tile_x00[0] + b_tile_q0_second[r] < width ? x[b_tile_x_base0[0] + b_tile_x_along0_second[r]] : 0);
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        __syncthreads();
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]));
        }
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + (warp + 4) * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]));
        }
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&b_tile[(k_step + 1) % 3 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((b_tile_fetched[0]), (b_tile_fetched[0 + 1]));
        }
        int a_tile_beyond_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_q0[r] = quotient((k_step + 2) * 16 + r + (lane >> 3) * 4, k_q_reciprocal);
        }
        int a_tile_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_q0[r] = (k_step + 2) * 16 + r + (lane >> 3) * 4 - a_tile_beyond_q0[r] * k_q;
        }
        int a_tile_beyond_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_p0[r] = quotient(a_tile_beyond_q0[r], k_p_reciprocal);
        }
        int a_tile_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_p0[r] = a_tile_beyond_q0[r] - a_tile_beyond_p0[r] * k_p;
        }
        int a_tile_image0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_image0[r] = a_tile_beyond_p0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane & 7;
          a_tile_fetched0[r / 2] = with16(a_tile_fetched0[r / 2], (r & 1) * 16, g[((i64)item * k_image + a_tile_image0[r]) * g_image + min(row0 + (i64)warp * 8 + row, (i64)(k - 1)) + a_tile_p0[r] * g_row + a_tile_q0[r] * g_column]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane & 7;
          a_tile_fetched1[r / 2] = with16(a_tile_fetched1[r / 2], (r & 1) * 16, g[((i64)item * k_image + a_tile_image0[r]) * g_image + min(row0 + (i64)(warp + 4) * 8 + row, (i64)(k - 1)) + a_tile_p0[r] * g_row + a_tile_q0[r] * g_column]);
        }
        int b_tile_beyond_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_beyond_q0[r] = quotient((k_step + 2) * 16 + r + (lane >> 3) * 4, k_q_reciprocal);
        }
        int b_tile_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_q0[r] = (k_step + 2) * 16 + r + (lane >> 3) * 4 - b_tile_beyond_q0[r] * k_q;
        }
        int b_tile_beyond_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_beyond_p0[r] = quotient(b_tile_beyond_q0[r], k_p_reciprocal);
        }
        int b_tile_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_p0[r] = b_tile_beyond_q0[r] - b_tile_beyond_p0[r] * k_p;
        }
        int b_tile_image0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_image0[r] = b_tile_beyond_p0[r];
        }
        int b_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_x_along0[r] = b_tile_image0[r] * x_image + b_tile_p0[r] * stride_h * x_row + b_tile_q0[r] * x_column;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, 0 <= b_tile_y00[0] + b_tile_p0[r] * stride_h && b_tile_y00[0] + b_tile_p0[r] * stride_h < height && 0 <= b_tile_x00[0] + b_tile_q0[r] && b_tile_x00[0] + b_tile_q0[r] < width ? x[b_tile_x_base0[0] + b_tile_x_along0[r]] : 0);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&a0[0], &a_tile[k_step % 3 * 1024 + (warp / 2 * 4 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&a1[0], &a_tile[k_step % 3 * 1024 + (warp / 2 * 4 + 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = lane & 7;
          matrices2(&b0[0], &b_tile[k_step % 3 * 512 + warp % 2 * 256 + (column * 16 ^ (column >> 2) * 8 ^ row)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = lane & 7;
          matrices2(&b1[0], &b_tile[k_step % 3 * 512 + (warp % 2 * 2 + 1) * 128 + (column * 16 ^ (column >> 2) * 8 ^ row)]);
        }
        mma_m16n8k16_fp16(acc0_0, a0, b0);
        mma_m16n8k16_fp16(acc0_1, a0, b1);
        mma_m16n8k16_fp16(acc1_0, a1, b0);
        mma_m16n8k16_fp16(acc1_1, a1, b1);
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        __syncthreads();
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]));
        }
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&a_tile[(k_step + 1) % 3 * 1024 + (warp + 4) * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]));
        }
        {
          const int row = lane & 7;
          const int column = (lane >> 3) * 4;
          *(uint2*)&b_tile[(k_step + 1) % 3 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((b_tile_fetched[0]), (b_tile_fetched[0 + 1]));
        }
        int a_tile_beyond_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_q0[r] = quotient((k_step + 2) * 16 + r + (lane >> 3) * 4, k_q_reciprocal);
        }
        int a_tile_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_q0[r] = (k_step + 2) * 16 + r + (lane >> 3) * 4 - a_tile_beyond_q0[r] * k_q;
        }
        int a_tile_beyond_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_p0[r] = quotient(a_tile_beyond_q0[r], k_p_reciprocal);
        }
        int a_tile_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_p0[r] = a_tile_beyond_q0[r] - a_tile_beyond_p0[r] * k_p;
        }
        int a_tile_image0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_image0[r] = a_tile_beyond_p0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane & 7;
          const int column = r + (lane >> 3) * 4;
          a_tile_fetched0[r / 2] = with16(a_tile_fetched0[r / 2], (r & 1) * 16, (k_step + 2) * 16 + column < depth ? g[((i64)item * k_image + a_tile_image0[r]) * g_image + min(row0 + (i64)warp * 8 + row, (i64)(k - 1)) + a_tile_p0[r] * g_row + a_tile_q0[r] * g_column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane & 7;
          const int column = r + (lane >> 3) * 4;
          a_tile_fetched1[r / 2] = with16(a_tile_fetched1[r / 2], (r & 1) * 16, (k_step + 2) * 16 + column < depth ? g[((i64)item * k_image + a_tile_image0[r]) * g_image + min(row0 + (i64)(warp + 4) * 8 + row, (i64)(k - 1)) + a_tile_p0[r] * g_row + a_tile_q0[r] * g_column] : 0);
        }
        int b_tile_beyond_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_beyond_q0[r] = quotient((k_step + 2) * 16 + r + (lane >> 3) * 4, k_q_reciprocal);
        }
        int b_tile_q0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_q0[r] = (k_step + 2) * 16 + r + (lane >> 3) * 4 - b_tile_beyond_q0[r] * k_q;
        }
        int b_tile_beyond_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_beyond_p0[r] = quotient(b_tile_beyond_q0[r], k_p_reciprocal);
        }
        int b_tile_p0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_p0[r] = b_tile_beyond_q0[r] - b_tile_beyond_p0[r] * k_p;
        }
        int b_tile_image0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_image0[r] = b_tile_beyond_p0[r];
        }
        int b_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          b_tile_x_along0[r] = b_tile_image0[r] * x_image + b_tile_p0[r] * stride_h * x_row + b_tile_q0[r] * x_column;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r + (lane >> 3) * 4;
          b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, (k_step + 2) * 16 + column < depth && 0 <= b_tile_y00[0] + b_tile_p0[r] * stride_h && b_tile_y00[0] + b_tile_p0[r] * stride_h < height && 0 <= b_tile_x00[0] + b_tile_q0[r] && b_tile_x00[0] + b_tile_q0[r] < width ? x[b_tile_x_base0[0] + b_tile_x_along0[r]] : 0);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&a0[0], &a_tile[k_step % 3 * 1024 + (warp / 2 * 4 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&a1[0], &a_tile[k_step % 3 * 1024 + (warp / 2 * 4 + 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = lane & 7;
          matrices2(&b0[0], &b_tile[k_step % 3 * 512 + warp % 2 * 256 + (column * 16 ^ (column >> 2) * 8 ^ row)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = lane & 7;
          matrices2(&b1[0], &b_tile[k_step % 3 * 512 + (warp % 2 * 2 + 1) * 128 + (column * 16 ^ (column >> 2) * 8 ^ row)]);
        }
        mma_m16n8k16_fp16(acc0_0, a0, b0);
        mma_m16n8k16_fp16(acc0_1, a0, b1);
        mma_m16n8k16_fp16(acc1_0, a1, b0);
        mma_m16n8k16_fp16(acc1_1, a1, b1);
      }
      if (warp_row + 31 < k && warp_column + 15 < elements) {
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + row) * out_channel + warp_column + 8 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + 16 + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_1[r], acc1_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          out[(warp_row + 16 + row) * out_channel + warp_column + 8 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < k && warp_column + column < elements) out[(warp_row + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < k && warp_column + 8 + column < elements) out[(warp_row + row) * out_channel + warp_column + 8 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < k && warp_column + column < elements) out[(warp_row + 16 + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_1[r], acc1_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < k && warp_column + 8 + column < elements) out[(warp_row + 16 + row) * out_channel + warp_column + 8 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
