// tracea: matmul int8 -> bf16, epilogue row_scale, column_scale
// variant        cuda.contraction.mma_product_int8 for sm_80
// configuration  64x64x64 s5 xor4 va16 vb16 vc16 u2
// schedule       683cd2f71f6c3834bab62c2cff896aa707d2c917b503104ef0017648ba0203d3
// certificate    db5425081383561bb5de4ae839059ea3d9cdbab80439928a70725b0b1b7e61b8: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mma_m16n8k32_int8(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// a: int8, read, aligned to 16 bytes
// b: int8, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// scale_0: fp32, read, aligned to 4 bytes
// scale_1: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 2
// k: length of the reduction; 0 to 2147479552 by 16
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 16
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 16
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// a_tile: shared of int8, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 5 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of int8, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 5 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 40960 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) matmul_int8_bf16_64x64x64_4ed6a867(
    const int8* __restrict__ a,
    const int8* __restrict__ b,
    bf16* __restrict__ out,
    const float* __restrict__ scale_0,
    const float* __restrict__ scale_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  int8* const a_tile = (int8*)(shared + 0);
  int8* const b_tile = (int8*)(shared + 20480);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    int acc0_0[4];  // 16x8 int32 of the warp
    int acc0_1[4];  // 16x8 int32 of the warp
    int acc0_2[4];  // 16x8 int32 of the warp
    int acc0_3[4];  // 16x8 int32 of the warp
    int acc1_0[4];  // 16x8 int32 of the warp
    int acc1_1[4];  // 16x8 int32 of the warp
    int acc1_2[4];  // 16x8 int32 of the warp
    int acc1_3[4];  // 16x8 int32 of the warp
    unsigned a0[4];  // 16x32 int8 of the warp
    unsigned a1[4];  // 16x32 int8 of the warp
    unsigned b0[2];  // 32x8 int8 of the warp
    unsigned b1[2];  // 32x8 int8 of the warp
    unsigned b2[2];  // 32x8 int8 of the warp
    unsigned b3[2];  // 32x8 int8 of the warp
    float scale_0_held[2];  // 16x1 fp32 of the warp
    float scale_1_held[2];  // 1x8 fp32 of the warp
    unsigned result[2];  // 16x8 bf16 of the warp
    int sums0[8];  // 16x16 int32 of the warp
    float scale_0_held_wide[2];  // 16x1 fp32 of the warp
    float scale_1_held_wide[4];  // 1x16 fp32 of the warp
    unsigned result_wide[4];  // 16x16 bf16 of the warp
    unsigned result_run[4];  // 16x16 bf16 of the warp
    const int depth = k;
    const int k_steps = (depth + 63) / 64;
    const int whole_steps = depth / 64;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 64;
      const int column0 = tile % tile_columns * 64;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 32;
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
        acc0_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_3[r] = 0;
      }
      __syncthreads();
      {
        copy_async16(&a_tile[warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 16], (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&a_tile[(warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 16], (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[(warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (lane & 3) * 16 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 64 + (lane & 3) * 16], 64 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&a_tile[4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 64 + (lane & 3) * 16], 64 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[64 + (lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 64 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[64 + (lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 64 + (lane & 3) * 16 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[8192 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 128 + (lane & 3) * 16], 128 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&a_tile[8192 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 128 + (lane & 3) * 16], 128 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[8192 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[128 + (lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 128 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[8192 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[128 + (lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 128 + (lane & 3) * 16 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[12288 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 192 + (lane & 3) * 16], 192 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&a_tile[12288 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 192 + (lane & 3) * 16], 192 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[12288 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[192 + (lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 192 + (lane & 3) * 16 < depth);
      }
      {
        copy_async16(&b_tile[12288 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[192 + (lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 192 + (lane & 3) * 16 < depth);
      }
      copy_commit();
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 4; ++k_step) {
        copy_wait<3>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 64 + (lane & 3) * 16], true);
        }
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 64 + (lane & 3) * 16], true);
        }
        {
          copy_async16(&b_tile[(k_step + 4) % 5 * 4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(i64)(k_step + 4) * 64 + (lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], true);
        }
        {
          copy_async16(&b_tile[(k_step + 4) % 5 * 4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(i64)(k_step + 4) * 64 + (lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], true);
        }
        copy_commit();
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 64; k_inner += 32) {
          #pragma unroll
          for (int r = 0; r < 16; r += 4) {
            const int row = (r >> 2 & 1) * 8 + (lane >> 2);
            const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
            a0[r / 4] = (*(const unsigned*)&a_tile[k_step % 5 * 4096 + (warp / 2 * 4 + (row >> 3)) * 512 + ((row & 7) * 64 ^ (row >> 1 & 3) * 16 ^ k_inner + column)]);
          }
          #pragma unroll
          for (int r = 0; r < 16; r += 4) {
            const int row = (r >> 2 & 1) * 8 + (lane >> 2);
            const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
            a1[r / 4] = (*(const unsigned*)&a_tile[k_step % 5 * 4096 + (warp / 2 * 4 + 2 + (row >> 3)) * 512 + ((row & 7) * 64 ^ (row >> 1 & 3) * 16 ^ k_inner + column)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b0[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + warp % 2 * 2048 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b1[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 1) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b2[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 2) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b3[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 3) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          mma_m16n8k32_int8(acc0_0, a0, b0);
          mma_m16n8k32_int8(acc0_1, a0, b1);
          mma_m16n8k32_int8(acc0_2, a0, b2);
          mma_m16n8k32_int8(acc0_3, a0, b3);
          mma_m16n8k32_int8(acc1_0, a1, b0);
          mma_m16n8k32_int8(acc1_1, a1, b1);
          mma_m16n8k32_int8(acc1_2, a1, b2);
          mma_m16n8k32_int8(acc1_3, a1, b3);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 4, 0); k_step < k_steps; ++k_step) {
        copy_wait<3>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 64 + (lane & 3) * 16], (k_step + 4) * 64 + (lane & 3) * 16 < depth);
        }
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 64 + (lane & 3) * 16], (k_step + 4) * 64 + (lane & 3) * 16 < depth);
        }
        {
          copy_async16(&b_tile[(k_step + 4) % 5 * 4096 + warp * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(i64)(k_step + 4) * 64 + (lane & 3) * 16 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (k_step + 4) * 64 + (lane & 3) * 16 < depth);
        }
        {
          copy_async16(&b_tile[(k_step + 4) % 5 * 4096 + (warp + 4) * 512 + ((lane >> 2) * 64 ^ (lane >> 2 >> 1) * 16 ^ (lane & 3) * 16)], &b[(i64)(k_step + 4) * 64 + (lane & 3) * 16 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (k_step + 4) * 64 + (lane & 3) * 16 < depth);
        }
        copy_commit();
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 64; k_inner += 32) {
          #pragma unroll
          for (int r = 0; r < 16; r += 4) {
            const int row = (r >> 2 & 1) * 8 + (lane >> 2);
            const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
            a0[r / 4] = (*(const unsigned*)&a_tile[k_step % 5 * 4096 + (warp / 2 * 4 + (row >> 3)) * 512 + ((row & 7) * 64 ^ (row >> 1 & 3) * 16 ^ k_inner + column)]);
          }
          #pragma unroll
          for (int r = 0; r < 16; r += 4) {
            const int row = (r >> 2 & 1) * 8 + (lane >> 2);
            const int column = (r & 3) + (r >> 3) * 16 + (lane & 3) * 4;
            a1[r / 4] = (*(const unsigned*)&a_tile[k_step % 5 * 4096 + (warp / 2 * 4 + 2 + (row >> 3)) * 512 + ((row & 7) * 64 ^ (row >> 1 & 3) * 16 ^ k_inner + column)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b0[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + warp % 2 * 2048 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b1[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 1) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b2[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 2) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 3) * 4;
            const int column = lane >> 2;
            b3[r / 4] = (*(const unsigned*)&b_tile[k_step % 5 * 4096 + (warp % 2 * 4 + 3) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          mma_m16n8k32_int8(acc0_0, a0, b0);
          mma_m16n8k32_int8(acc0_1, a0, b1);
          mma_m16n8k32_int8(acc0_2, a0, b2);
          mma_m16n8k32_int8(acc0_3, a0, b3);
          mma_m16n8k32_int8(acc1_0, a1, b0);
          mma_m16n8k32_int8(acc1_1, a1, b1);
          mma_m16n8k32_int8(acc1_2, a1, b2);
          mma_m16n8k32_int8(acc1_3, a1, b3);
        }
      }
      copy_wait<0>();
      if (warp_column + 31 < n) {
        sums0[0] = acc0_0[0];
        sums0[1] = acc0_0[1];
        sums0[2] = acc0_0[2];
        sums0[3] = acc0_0[3];
        sums0[4] = acc0_1[0];
        sums0[5] = acc0_1[1];
        sums0[6] = acc0_1[2];
        sums0[7] = acc0_1[3];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held_wide[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          scale_1_held_wide[r] = scale_1[warp_column + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16((((float)sums0[r] * scale_0_held_wide[r >> 1 & 1]) * scale_1_held_wide[(r & 1) + (r >> 2) * 2]), (((float)sums0[r + 1] * scale_0_held_wide[r + 1 >> 1 & 1]) * scale_1_held_wide[(r + 1 & 1) + (r + 1 >> 2) * 2]));
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 1] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 1);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 2);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 1] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 2 ? sorted0[r ^ 2] : sorted0[r];
          }
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc0_2[0];
        sums0[1] = acc0_2[1];
        sums0[2] = acc0_2[2];
        sums0[3] = acc0_2[3];
        sums0[4] = acc0_3[0];
        sums0[5] = acc0_3[1];
        sums0[6] = acc0_3[2];
        sums0[7] = acc0_3[3];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held_wide[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          scale_1_held_wide[r] = scale_1[warp_column + 16 + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16((((float)sums0[r] * scale_0_held_wide[r >> 1 & 1]) * scale_1_held_wide[(r & 1) + (r >> 2) * 2]), (((float)sums0[r + 1] * scale_0_held_wide[r + 1 >> 1 & 1]) * scale_1_held_wide[(r + 1 & 1) + (r + 1 >> 2) * 2]));
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 1] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 1);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 2);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 1] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 2 ? sorted0[r ^ 2] : sorted0[r];
          }
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc1_0[0];
        sums0[1] = acc1_0[1];
        sums0[2] = acc1_0[2];
        sums0[3] = acc1_0[3];
        sums0[4] = acc1_1[0];
        sums0[5] = acc1_1[1];
        sums0[6] = acc1_1[2];
        sums0[7] = acc1_1[3];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held_wide[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          scale_1_held_wide[r] = scale_1[warp_column + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16((((float)sums0[r] * scale_0_held_wide[r >> 1 & 1]) * scale_1_held_wide[(r & 1) + (r >> 2) * 2]), (((float)sums0[r + 1] * scale_0_held_wide[r + 1 >> 1 & 1]) * scale_1_held_wide[(r + 1 & 1) + (r + 1 >> 2) * 2]));
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 1] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 1);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 2);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 1] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 2 ? sorted0[r ^ 2] : sorted0[r];
          }
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc1_2[0];
        sums0[1] = acc1_2[1];
        sums0[2] = acc1_2[2];
        sums0[3] = acc1_2[3];
        sums0[4] = acc1_3[0];
        sums0[5] = acc1_3[1];
        sums0[6] = acc1_3[2];
        sums0[7] = acc1_3[3];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held_wide[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          scale_1_held_wide[r] = scale_1[warp_column + 16 + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16((((float)sums0[r] * scale_0_held_wide[r >> 1 & 1]) * scale_1_held_wide[(r & 1) + (r >> 2) * 2]), (((float)sums0[r + 1] * scale_0_held_wide[r + 1 >> 1 & 1]) * scale_1_held_wide[(r + 1 & 1) + (r + 1 >> 2) * 2]));
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 1] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 1);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 2);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 1] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 2 ? sorted0[r ^ 2] : sorted0[r];
          }
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + column < n ? scale_1[warp_column + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc0_0[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc0_0[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 8 + column < n ? scale_1[warp_column + 8 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc0_1[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc0_1[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 16 + column < n ? scale_1[warp_column + 16 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc0_2[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc0_2[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + row < m ? scale_0[warp_row + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 24 + column < n ? scale_1[warp_column + 24 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc0_3[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc0_3[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + column < n ? scale_1[warp_column + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc1_0[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc1_0[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 8 + column < n ? scale_1[warp_column + 8 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc1_1[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc1_1[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 16 + column < n ? scale_1[warp_column + 16 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc1_2[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc1_2[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2);
          scale_0_held[r] = warp_row + 16 + row < m ? scale_0[warp_row + 16 + row] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          scale_1_held[r] = warp_column + 24 + column < n ? scale_1[warp_column + 24 + r + (lane & 3) * 2] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((((float)acc1_3[r] * scale_0_held[r >> 1]) * scale_1_held[r & 1]), (((float)acc1_3[r + 1] * scale_0_held[r + 1 >> 1]) * scale_1_held[r + 1 & 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
