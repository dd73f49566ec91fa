// tracea: grouped_matmul bf16, epilogue bias, residual, relu
// variant        cuda.contraction.mma_bf16 for sm_90a
// configuration  64x64x32 s3 xor4 va8 vb8 vc8 u2
// schedule       bb0e8a6ace258a2ee34040c5ddfc415a3b0ae05ad38152ba711681c36cbff60e
// certificate    110c05622e0f317ef27b0d90de96dc049a25effb72e32bc6f7046f096731a0c6: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mma_m16n8k16_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// group_ends: int32, read, aligned to 4 bytes
// out: bf16, write, aligned to 16 bytes
// bias_0: bf16, read, aligned to 2 bytes
// residual_1: bf16, read, aligned to 16 bytes
// m: rows of all groups; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 2
// k: length of the reduction; 0 to 2147479552 by 8
// groups: groups that rows fall into; 1 to 2147479552
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_group: b: next group; -4611686018427387904 to 4611686018427387904 by 8
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// bias_0_group: bias_0: next group; -4611686018427387904 to 4611686018427387904
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904 by 8
// a_tile: shared of bf16, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 3 slots, kept for a tile, aligned to 16 bytes
// launch: ((m + 63) // 64 + groups) * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 24576 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) grouped_matmul_bf16_64x64x32_80a1fa6a(
    const bf16* __restrict__ a,
    const bf16* __restrict__ b,
    const int* __restrict__ group_ends,
    bf16* __restrict__ out,
    const bf16* __restrict__ bias_0,
    const bf16* __restrict__ residual_1,
    int m,
    int n,
    int k,
    int groups,
    i64 a_row,
    i64 b_group,
    i64 b_column,
    i64 out_row,
    i64 bias_0_group,
    i64 residual_1_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  bf16* const a_tile = (bf16*)(shared + 0);
  bf16* const b_tile = (bf16*)(shared + 12288);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[4];  // 16x8 fp32 of the warp
    float acc0_1[4];  // 16x8 fp32 of the warp
    float acc0_2[4];  // 16x8 fp32 of the warp
    float acc0_3[4];  // 16x8 fp32 of the warp
    float acc1_0[4];  // 16x8 fp32 of the warp
    float acc1_1[4];  // 16x8 fp32 of the warp
    float acc1_2[4];  // 16x8 fp32 of the warp
    float acc1_3[4];  // 16x8 fp32 of the warp
    unsigned a0[4];  // 16x16 bf16 of the warp
    unsigned a1[4];  // 16x16 bf16 of the warp
    unsigned b0[2];  // 16x8 bf16 of the warp
    unsigned b1[2];  // 16x8 bf16 of the warp
    unsigned b2[2];  // 16x8 bf16 of the warp
    unsigned b3[2];  // 16x8 bf16 of the warp
    unsigned bias_0_held[1];  // 1x8 bf16 of the warp
    unsigned residual_1_held[2];  // 16x8 bf16 of the warp
    unsigned result[2];  // 16x8 bf16 of the warp
    float sums0[8];  // 16x16 fp32 of the warp
    unsigned bias_0_held_wide[2];  // 1x16 bf16 of the warp
    unsigned residual_1_held_wide[4];  // 16x16 bf16 of the warp
    unsigned residual_1_held_run[4];  // 16x16 bf16 of the warp
    unsigned result_wide[4];  // 16x16 bf16 of the warp
    unsigned result_run[4];  // 16x16 bf16 of the warp
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    // row_rank = cluster_rank
    // column_rank = 0
    int tile_rows = 0;
    for (int group = 0, start = 0; group < groups; ++group) {
      const int stop = min(max(group_ends[group], 0), m);
      const int tiles = (max(stop - start, 0) + 63) / 64;
      tile_rows += tiles;
      start = stop;
    }
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    int group_place_group = 0, group_place_start = 0, group_place_first = 0;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int tile_row = tile / tile_columns;
      for (; group_place_group < groups; ++group_place_group) {
        const int stop = min(max(group_ends[group_place_group], 0), m);
        const int tiles = (max(stop - group_place_start, 0) + 63) / 64;
        if (tile_row < group_place_first + tiles) break;
        group_place_first += tiles;
        group_place_start = stop;
      }
      const i64 group_place = (i64)group_place_group << 32 | group_place_first;
      const int item = (int)(group_place >> 32);
      const int group_first = (int)group_place;
      const int group_start = item - 1 < 0 ? 0 : min(max(group_ends[item - 1], 0), m);
      const int group_stop = min(max(group_ends[item], 0), m);
      const int row0 = group_start + (tile_row - group_first) * 64;
      const int column0 = (tile - tile_row * tile_columns) * 64;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 32;
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
        acc0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc0_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        acc1_3[r] = 0.0f;
      }
      __syncthreads();
      {
        copy_async16(&a_tile[warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 8], (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&a_tile[(warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 8], (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&b_tile[warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (lane & 3) * 8 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&b_tile[(warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (lane & 3) * 8 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (lane & 3) * 8 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 32 + (lane & 3) * 8], 32 + (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&a_tile[2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 32 + (lane & 3) * 8], 32 + (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&b_tile[2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + 32 + (lane & 3) * 8 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 32 + (lane & 3) * 8 < depth);
      }
      {
        copy_async16(&b_tile[2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + 32 + (lane & 3) * 8 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], 32 + (lane & 3) * 8 < depth);
      }
      copy_commit();
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        copy_wait<1>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 2) % 3 * 2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + (lane & 3) * 8], true);
        }
        {
          copy_async16(&a_tile[(k_step + 2) % 3 * 2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + (lane & 3) * 8], true);
        }
        {
          copy_async16(&b_tile[(k_step + 2) % 3 * 2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (i64)(k_step + 2) * 32 + (lane & 3) * 8 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], true);
        }
        {
          copy_async16(&b_tile[(k_step + 2) % 3 * 2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (i64)(k_step + 2) * 32 + (lane & 3) * 8 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], true);
        }
        copy_commit();
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = (lane >> 3 & 1) * 8 + (lane & 7);
            const int column = ((lane >> 3) * 2 >> 2) * 8;
            matrices4(&a0[0], &a_tile[k_step % 3 * 2048 + (warp / 2 * 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8 + (lane & 7);
            const int column = ((lane >> 3) * 2 >> 2) * 8;
            matrices4(&a1[0], &a_tile[k_step % 3 * 2048 + (warp / 2 * 4 + 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b0[0], &b_tile[k_step % 3 * 2048 + warp % 2 * 1024 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b1[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 1) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b2[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 2) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b3[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 3) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          mma_m16n8k16_bf16(acc0_0, a0, b0);
          mma_m16n8k16_bf16(acc0_1, a0, b1);
          mma_m16n8k16_bf16(acc0_2, a0, b2);
          mma_m16n8k16_bf16(acc0_3, a0, b3);
          mma_m16n8k16_bf16(acc1_0, a1, b0);
          mma_m16n8k16_bf16(acc1_1, a1, b1);
          mma_m16n8k16_bf16(acc1_2, a1, b2);
          mma_m16n8k16_bf16(acc1_3, a1, b3);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        copy_wait<1>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 2) % 3 * 2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + (lane & 3) * 8], (k_step + 2) * 32 + (lane & 3) * 8 < depth);
        }
        {
          copy_async16(&a_tile[(k_step + 2) % 3 * 2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + (lane & 3) * 8], (k_step + 2) * 32 + (lane & 3) * 8 < depth);
        }
        {
          copy_async16(&b_tile[(k_step + 2) % 3 * 2048 + warp * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (i64)(k_step + 2) * 32 + (lane & 3) * 8 + min(column0 + (i64)warp * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (k_step + 2) * 32 + (lane & 3) * 8 < depth);
        }
        {
          copy_async16(&b_tile[(k_step + 2) % 3 * 2048 + (warp + 4) * 256 + ((lane >> 2) * 32 ^ (lane >> 2 >> 1) * 8 ^ (lane & 3) * 8)], &b[item * b_group + (i64)(k_step + 2) * 32 + (lane & 3) * 8 + min(column0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(n - 1)) * b_column], (k_step + 2) * 32 + (lane & 3) * 8 < depth);
        }
        copy_commit();
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = (lane >> 3 & 1) * 8 + (lane & 7);
            const int column = ((lane >> 3) * 2 >> 2) * 8;
            matrices4(&a0[0], &a_tile[k_step % 3 * 2048 + (warp / 2 * 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8 + (lane & 7);
            const int column = ((lane >> 3) * 2 >> 2) * 8;
            matrices4(&a1[0], &a_tile[k_step % 3 * 2048 + (warp / 2 * 4 + 2 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b0[0], &b_tile[k_step % 3 * 2048 + warp % 2 * 1024 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b1[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 1) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b2[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 2) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          {
            const int row = (lane >> 3 & 1) * 8;
            const int column = lane & 7;
            matrices2(&b3[0], &b_tile[k_step % 3 * 2048 + (warp % 2 * 4 + 3) * 256 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + row)]);
          }
          mma_m16n8k16_bf16(acc0_0, a0, b0);
          mma_m16n8k16_bf16(acc0_1, a0, b1);
          mma_m16n8k16_bf16(acc0_2, a0, b2);
          mma_m16n8k16_bf16(acc0_3, a0, b3);
          mma_m16n8k16_bf16(acc1_0, a1, b0);
          mma_m16n8k16_bf16(acc1_1, a1, b1);
          mma_m16n8k16_bf16(acc1_2, a1, b2);
          mma_m16n8k16_bf16(acc1_3, a1, b3);
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
        for (int r = 0; r < 4; ++r) {
          bias_0_held_wide[r / 2] = with16(bias_0_held_wide[r / 2], (r & 1) * 16, bias_0[item * bias_0_group + warp_column + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2]);
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + row < group_stop) { const uint4 run = *(const uint4*)&residual_1[(warp_row + row) * residual_1_row + warp_column + column]; residual_1_held_run[0] = (run.x); residual_1_held_run[0 + 1] = (run.y); residual_1_held_run[0 + 2] = (run.z); residual_1_held_run[0 + 3] = (run.w); }
          else { residual_1_held_run[0] = 0; residual_1_held_run[1] = 0; residual_1_held_run[2] = 0; residual_1_held_run[3] = 0; }
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? residual_1_held_run[r ^ 1] : residual_1_held_run[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 2] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 2);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held_wide[r] = lane & 2 ? sorted0[r ^ 1] : sorted0[r];
          }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16(maximum(((sums0[r] + from_bf16(part16(bias_0_held_wide[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held_wide[r / 2], (r & 1) * 16))), 0.0f), maximum(((sums0[r + 1] + from_bf16(part16(bias_0_held_wide[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held_wide[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
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
          if (warp_row + row < group_stop) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
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
        for (int r = 0; r < 4; ++r) {
          bias_0_held_wide[r / 2] = with16(bias_0_held_wide[r / 2], (r & 1) * 16, bias_0[item * bias_0_group + warp_column + 16 + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2]);
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + row < group_stop) { const uint4 run = *(const uint4*)&residual_1[(warp_row + row) * residual_1_row + warp_column + 16 + column]; residual_1_held_run[0] = (run.x); residual_1_held_run[0 + 1] = (run.y); residual_1_held_run[0 + 2] = (run.z); residual_1_held_run[0 + 3] = (run.w); }
          else { residual_1_held_run[0] = 0; residual_1_held_run[1] = 0; residual_1_held_run[2] = 0; residual_1_held_run[3] = 0; }
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? residual_1_held_run[r ^ 1] : residual_1_held_run[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 2] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 2);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held_wide[r] = lane & 2 ? sorted0[r ^ 1] : sorted0[r];
          }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16(maximum(((sums0[r] + from_bf16(part16(bias_0_held_wide[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held_wide[r / 2], (r & 1) * 16))), 0.0f), maximum(((sums0[r + 1] + from_bf16(part16(bias_0_held_wide[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held_wide[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
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
          if (warp_row + row < group_stop) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
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
        for (int r = 0; r < 4; ++r) {
          bias_0_held_wide[r / 2] = with16(bias_0_held_wide[r / 2], (r & 1) * 16, bias_0[item * bias_0_group + warp_column + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2]);
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + 16 + row < group_stop) { const uint4 run = *(const uint4*)&residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + column]; residual_1_held_run[0] = (run.x); residual_1_held_run[0 + 1] = (run.y); residual_1_held_run[0 + 2] = (run.z); residual_1_held_run[0 + 3] = (run.w); }
          else { residual_1_held_run[0] = 0; residual_1_held_run[1] = 0; residual_1_held_run[2] = 0; residual_1_held_run[3] = 0; }
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? residual_1_held_run[r ^ 1] : residual_1_held_run[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 2] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 2);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held_wide[r] = lane & 2 ? sorted0[r ^ 1] : sorted0[r];
          }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16(maximum(((sums0[r] + from_bf16(part16(bias_0_held_wide[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held_wide[r / 2], (r & 1) * 16))), 0.0f), maximum(((sums0[r + 1] + from_bf16(part16(bias_0_held_wide[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held_wide[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
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
          if (warp_row + 16 + row < group_stop) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
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
        for (int r = 0; r < 4; ++r) {
          bias_0_held_wide[r / 2] = with16(bias_0_held_wide[r / 2], (r & 1) * 16, bias_0[item * bias_0_group + warp_column + 16 + (r & 1) + (r >> 1) * 8 + (lane & 3) * 2]);
        }
        {
          const int row = (lane >> 1 & 1) * 8 + (lane >> 2);
          const int column = (lane & 1) * 8;
          if (warp_row + 16 + row < group_stop) { const uint4 run = *(const uint4*)&residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 16 + column]; residual_1_held_run[0] = (run.x); residual_1_held_run[0 + 1] = (run.y); residual_1_held_run[0 + 2] = (run.z); residual_1_held_run[0 + 3] = (run.w); }
          else { residual_1_held_run[0] = 0; residual_1_held_run[1] = 0; residual_1_held_run[2] = 0; residual_1_held_run[3] = 0; }
        }
        {
          unsigned sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? residual_1_held_run[r ^ 1] : residual_1_held_run[r];
          }
          unsigned sent1[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent1[r] = lane & 2 ? sent0[r ^ 2] : sent0[r];
          }
          unsigned arrived[4];
          arrived[0] = sent1[0];
          arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 2);
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
          unsigned sorted0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sorted0[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            residual_1_held_wide[r] = lane & 2 ? sorted0[r ^ 1] : sorted0[r];
          }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result_wide[r / 2] = pair_bf16(maximum(((sums0[r] + from_bf16(part16(bias_0_held_wide[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held_wide[r / 2], (r & 1) * 16))), 0.0f), maximum(((sums0[r + 1] + from_bf16(part16(bias_0_held_wide[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held_wide[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
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
          if (warp_row + 16 + row < group_stop) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + column < n ? bias_0[item * bias_0_group + warp_column + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + row < group_stop && warp_column + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc0_0[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc0_0[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < group_stop && warp_column + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 8 + column < n ? bias_0[item * bias_0_group + warp_column + 8 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + row < group_stop && warp_column + 8 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 8 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc0_1[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc0_1[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < group_stop && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 16 + column < n ? bias_0[item * bias_0_group + warp_column + 16 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + row < group_stop && warp_column + 16 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 16 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc0_2[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc0_2[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < group_stop && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 24 + column < n ? bias_0[item * bias_0_group + warp_column + 24 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + row < group_stop && warp_column + 24 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 24 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc0_3[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc0_3[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < group_stop && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + column < n ? bias_0[item * bias_0_group + warp_column + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + 16 + row < group_stop && warp_column + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc1_0[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc1_0[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < group_stop && warp_column + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 8 + column < n ? bias_0[item * bias_0_group + warp_column + 8 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + 16 + row < group_stop && warp_column + 8 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 8 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc1_1[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc1_1[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < group_stop && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 16 + column < n ? bias_0[item * bias_0_group + warp_column + 16 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + 16 + row < group_stop && warp_column + 16 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 16 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc1_2[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc1_2[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < group_stop && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 3) * 2;
          bias_0_held[r / 2] = with16(bias_0_held[r / 2], r * 16, warp_column + 24 + column < n ? bias_0[item * bias_0_group + warp_column + 24 + r + (lane & 3) * 2] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          residual_1_held[r / 2] = with16(residual_1_held[r / 2], (r & 1) * 16, warp_row + 16 + row < group_stop && warp_column + 24 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 24 + column] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16(maximum(((acc1_3[r] + from_bf16(part16(bias_0_held[(r & 1) / 2], (r & 1) * 16))) + from_bf16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((acc1_3[r + 1] + from_bf16(part16(bias_0_held[(r + 1 & 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < group_stop && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
