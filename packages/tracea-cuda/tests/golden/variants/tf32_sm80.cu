// tracea: matmul fp32
// variant        cuda.contraction.mma_tf32 for sm_80
// configuration  64x64x16 s5 xor4 va4 vb4 vc4 u2
// schedule       b21829ac31728ae71f1559e88d4c80298d19a6cf009190b4d696a341d63e9041
// certificate    0e6e72f9cf6f4bebd9e1aabffb216fc547f6e40eae4bf316e298dc182a5e256a: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mma_m16n8k8_tf32(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
#endif

// a: tf32, read, aligned to 16 bytes
// b: tf32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 4
// k: length of the reduction; 0 to 2147479552 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_tile: shared of tf32, outer 64 = 8*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 5 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of tf32, outer 64 = 6 bits, k 16 = 4 bits, atom 2^10 with XOR, 5 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 40960 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) matmul_fp32_64x64x16_5f4bb3cd(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const a_tile = (float*)(shared + 0);
  float* const b_tile = (float*)(shared + 20480);
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
    float a0[4];  // 16x8 tf32 of the warp
    float a1[4];  // 16x8 tf32 of the warp
    float b0[2];  // 8x8 tf32 of the warp
    float b1[2];  // 8x8 tf32 of the warp
    float b2[2];  // 8x8 tf32 of the warp
    float b3[2];  // 8x8 tf32 of the warp
    float b_tile_fetched[8];  // 64x4 tf32 of the warp
    float b_tile_fetched_turned[8];  // 64x4 tf32 of the warp
    float result[4];  // 16x8 fp32 of the warp
    float result_wide[4];  // 16x8 fp32 of the warp
    float result_run[4];  // 16x8 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
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
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r & 3) + (lane & 15) * 4;
        const int column = (r >> 2) + (lane >> 4) * 2;
        if (warp * 4 + column < depth) { const uint4 run = *(const uint4*)&b[((i64)warp * 4 + column) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r] = __uint_as_float(run.x); b_tile_fetched[r + 1] = __uint_as_float(run.y); b_tile_fetched[r + 2] = __uint_as_float(run.z); b_tile_fetched[r + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[r] = 0; b_tile_fetched[r + 1] = 0; b_tile_fetched[r + 2] = 0; b_tile_fetched[r + 3] = 0; }
      }
      __syncthreads();
      {
        copy_async16(&a_tile[warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 4], (lane & 3) * 4 < depth);
      }
      {
        copy_async16(&a_tile[(warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (lane & 3) * 4], (lane & 3) * 4 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[1024 + warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 16 + (lane & 3) * 4], 16 + (lane & 3) * 4 < depth);
      }
      {
        copy_async16(&a_tile[1024 + (warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 16 + (lane & 3) * 4], 16 + (lane & 3) * 4 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[2048 + warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 32 + (lane & 3) * 4], 32 + (lane & 3) * 4 < depth);
      }
      {
        copy_async16(&a_tile[2048 + (warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 32 + (lane & 3) * 4], 32 + (lane & 3) * 4 < depth);
      }
      copy_commit();
      {
        copy_async16(&a_tile[3072 + warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 48 + (lane & 3) * 4], 48 + (lane & 3) * 4 < depth);
      }
      {
        copy_async16(&a_tile[3072 + (warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + 48 + (lane & 3) * 4], 48 + (lane & 3) * 4 < depth);
      }
      copy_commit();
      b_tile_fetched_turned[0] = b_tile_fetched[0];
      b_tile_fetched_turned[1] = b_tile_fetched[4];
      b_tile_fetched_turned[2] = b_tile_fetched[1];
      b_tile_fetched_turned[3] = b_tile_fetched[5];
      b_tile_fetched_turned[4] = b_tile_fetched[2];
      b_tile_fetched_turned[5] = b_tile_fetched[6];
      b_tile_fetched_turned[6] = b_tile_fetched[3];
      b_tile_fetched_turned[7] = b_tile_fetched[7];
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        const int row = (r >> 1) + (lane & 15) * 4;
        const int column = (r & 1) + (lane >> 4) * 2;
        *(uint2*)&b_tile[row * 16 ^ (row >> 1 & 3) * 4 ^ (row >> 3 & 1) * 2 ^ row & 0x10 ^ warp * 4 + column ^ (row >> 5) * 4] = make_uint2(__float_as_uint(b_tile_fetched_turned[r]), __float_as_uint(b_tile_fetched_turned[r + 1]));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r & 3) + (lane & 15) * 4;
        const int column = (r >> 2) + (lane >> 4) * 2;
        if (16 + warp * 4 + column < depth) { const uint4 run = *(const uint4*)&b[(16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r] = __uint_as_float(run.x); b_tile_fetched[r + 1] = __uint_as_float(run.y); b_tile_fetched[r + 2] = __uint_as_float(run.z); b_tile_fetched[r + 3] = __uint_as_float(run.w); }
        else { b_tile_fetched[r] = 0; b_tile_fetched[r + 1] = 0; b_tile_fetched[r + 2] = 0; b_tile_fetched[r + 3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 4; ++k_step) {
        copy_wait<3>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 1024 + warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 16 + (lane & 3) * 4], true);
        }
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 1024 + (warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 16 + (lane & 3) * 4], true);
        }
        copy_commit();
        b_tile_fetched_turned[0] = b_tile_fetched[0];
        b_tile_fetched_turned[1] = b_tile_fetched[4];
        b_tile_fetched_turned[2] = b_tile_fetched[1];
        b_tile_fetched_turned[3] = b_tile_fetched[5];
        b_tile_fetched_turned[4] = b_tile_fetched[2];
        b_tile_fetched_turned[5] = b_tile_fetched[6];
        b_tile_fetched_turned[6] = b_tile_fetched[3];
        b_tile_fetched_turned[7] = b_tile_fetched[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1) + (lane & 15) * 4;
          const int column = (r & 1) + (lane >> 4) * 2;
          *(uint2*)&b_tile[(k_step + 1) % 5 * 1024 + (row * 16 ^ (row >> 1 & 3) * 4 ^ (row >> 3 & 1) * 2 ^ row & 0x10 ^ warp * 4 + column ^ (row >> 5) * 4)] = make_uint2(__float_as_uint(b_tile_fetched_turned[r]), __float_as_uint(b_tile_fetched_turned[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (lane & 15) * 4;
          const int column = (r >> 2) + (lane >> 4) * 2;
          { const uint4 run = *(const uint4*)&b[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r] = __uint_as_float(run.x); b_tile_fetched[r + 1] = __uint_as_float(run.y); b_tile_fetched[r + 2] = __uint_as_float(run.z); b_tile_fetched[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int row = (r & 1) * 8 + (lane >> 2);
            const int column = (r >> 1) * 4 + (lane & 3);
            a0[r] = a_tile[k_step % 5 * 1024 + (warp / 2 * 4 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 1 & 3) * 4 ^ k_inner + column)];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int row = (r & 1) * 8 + (lane >> 2);
            const int column = (r >> 1) * 4 + (lane & 3);
            a1[r] = a_tile[k_step % 5 * 1024 + (warp / 2 * 4 + 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 1 & 3) * 4 ^ k_inner + column)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b0[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + column * 16 ^ (column >> 1) * 4 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b1[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 128 + column * 16 ^ (column >> 1) * 4 ^ 2 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b2[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 256 + column * 16 ^ (column >> 1) * 4 ^ 16 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b3[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 384 + column * 16 ^ (column >> 1) * 4 ^ 2 ^ 16 ^ k_inner + row ^ warp % 2 * 4)];
          }
          mma_m16n8k8_tf32(acc0_0, a0, b0);
          mma_m16n8k8_tf32(acc0_1, a0, b1);
          mma_m16n8k8_tf32(acc0_2, a0, b2);
          mma_m16n8k8_tf32(acc0_3, a0, b3);
          mma_m16n8k8_tf32(acc1_0, a1, b0);
          mma_m16n8k8_tf32(acc1_1, a1, b1);
          mma_m16n8k8_tf32(acc1_2, a1, b2);
          mma_m16n8k8_tf32(acc1_3, a1, b3);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 4, 0); k_step < k_steps; ++k_step) {
        copy_wait<3>();
        __syncthreads();
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 1024 + warp * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)warp * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 16 + (lane & 3) * 4], (k_step + 4) * 16 + (lane & 3) * 4 < depth);
        }
        {
          copy_async16(&a_tile[(k_step + 4) % 5 * 1024 + (warp + 4) * 128 + ((lane >> 2) * 16 ^ (lane >> 2 >> 1) * 4 ^ (lane & 3) * 4)], &a[min(row0 + (i64)(warp + 4) * 8 + (lane >> 2), (i64)(m - 1)) * a_row + (i64)(k_step + 4) * 16 + (lane & 3) * 4], (k_step + 4) * 16 + (lane & 3) * 4 < depth);
        }
        copy_commit();
        b_tile_fetched_turned[0] = b_tile_fetched[0];
        b_tile_fetched_turned[1] = b_tile_fetched[4];
        b_tile_fetched_turned[2] = b_tile_fetched[1];
        b_tile_fetched_turned[3] = b_tile_fetched[5];
        b_tile_fetched_turned[4] = b_tile_fetched[2];
        b_tile_fetched_turned[5] = b_tile_fetched[6];
        b_tile_fetched_turned[6] = b_tile_fetched[3];
        b_tile_fetched_turned[7] = b_tile_fetched[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1) + (lane & 15) * 4;
          const int column = (r & 1) + (lane >> 4) * 2;
          *(uint2*)&b_tile[(k_step + 1) % 5 * 1024 + (row * 16 ^ (row >> 1 & 3) * 4 ^ (row >> 3 & 1) * 2 ^ row & 0x10 ^ warp * 4 + column ^ (row >> 5) * 4)] = make_uint2(__float_as_uint(b_tile_fetched_turned[r]), __float_as_uint(b_tile_fetched_turned[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (lane & 15) * 4;
          const int column = (r >> 2) + (lane >> 4) * 2;
          if ((k_step + 2) * 16 + warp * 4 + column < depth) { const uint4 run = *(const uint4*)&b[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r] = __uint_as_float(run.x); b_tile_fetched[r + 1] = __uint_as_float(run.y); b_tile_fetched[r + 2] = __uint_as_float(run.z); b_tile_fetched[r + 3] = __uint_as_float(run.w); }
          else { b_tile_fetched[r] = 0; b_tile_fetched[r + 1] = 0; b_tile_fetched[r + 2] = 0; b_tile_fetched[r + 3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int row = (r & 1) * 8 + (lane >> 2);
            const int column = (r >> 1) * 4 + (lane & 3);
            a0[r] = a_tile[k_step % 5 * 1024 + (warp / 2 * 4 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 1 & 3) * 4 ^ k_inner + column)];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int row = (r & 1) * 8 + (lane >> 2);
            const int column = (r >> 1) * 4 + (lane & 3);
            a1[r] = a_tile[k_step % 5 * 1024 + (warp / 2 * 4 + 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 1 & 3) * 4 ^ k_inner + column)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b0[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + column * 16 ^ (column >> 1) * 4 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b1[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 128 + column * 16 ^ (column >> 1) * 4 ^ 2 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b2[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 256 + column * 16 ^ (column >> 1) * 4 ^ 16 ^ k_inner + row ^ warp % 2 * 4)];
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const int row = r * 4 + (lane & 3);
            const int column = lane >> 2;
            b3[r] = b_tile[k_step % 5 * 1024 + (warp % 2 * 512 + 384 + column * 16 ^ (column >> 1) * 4 ^ 2 ^ 16 ^ k_inner + row ^ warp % 2 * 4)];
          }
          mma_m16n8k8_tf32(acc0_0, a0, b0);
          mma_m16n8k8_tf32(acc0_1, a0, b1);
          mma_m16n8k8_tf32(acc0_2, a0, b2);
          mma_m16n8k8_tf32(acc0_3, a0, b3);
          mma_m16n8k8_tf32(acc1_0, a1, b0);
          mma_m16n8k8_tf32(acc1_1, a1, b1);
          mma_m16n8k8_tf32(acc1_2, a1, b2);
          mma_m16n8k8_tf32(acc1_3, a1, b3);
        }
      }
      copy_wait<0>();
      if (warp_column + 31 < n) {
        result_wide[0] = acc0_0[0];
        result_wide[1] = acc0_0[1];
        result_wide[2] = acc0_0[2];
        result_wide[3] = acc0_0[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc0_1[0];
        result_wide[1] = acc0_1[1];
        result_wide[2] = acc0_1[2];
        result_wide[3] = acc0_1[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc0_2[0];
        result_wide[1] = acc0_2[1];
        result_wide[2] = acc0_2[2];
        result_wide[3] = acc0_2[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc0_3[0];
        result_wide[1] = acc0_3[1];
        result_wide[2] = acc0_3[2];
        result_wide[3] = acc0_3[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc1_0[0];
        result_wide[1] = acc1_0[1];
        result_wide[2] = acc1_0[2];
        result_wide[3] = acc1_0[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc1_1[0];
        result_wide[1] = acc1_1[1];
        result_wide[2] = acc1_1[2];
        result_wide[3] = acc1_1[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc1_2[0];
        result_wide[1] = acc1_2[1];
        result_wide[2] = acc1_2[2];
        result_wide[3] = acc1_2[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        result_wide[0] = acc1_3[0];
        result_wide[1] = acc1_3[1];
        result_wide[2] = acc1_3[2];
        result_wide[3] = acc1_3[3];
        {
          float sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          float arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = (lane & 1) * 8 + (lane >> 2);
          const int column = (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = make_uint4(__float_as_uint(result_run[0]), __float_as_uint(result_run[0 + 1]), __float_as_uint(result_run[0 + 2]), __float_as_uint(result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        result[2] = acc0_1[2];
        result[3] = acc0_1[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_2[0];
        result[1] = acc0_2[1];
        result[2] = acc0_2[2];
        result[3] = acc0_2[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_3[0];
        result[1] = acc0_3[1];
        result[2] = acc0_3[2];
        result[3] = acc0_3[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        result[2] = acc1_1[2];
        result[3] = acc1_1[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_2[0];
        result[1] = acc1_2[1];
        result[2] = acc1_2[2];
        result[3] = acc1_2[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_3[0];
        result[1] = acc1_3[1];
        result[2] = acc1_3[2];
        result[3] = acc1_3[3];
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = make_uint2(__float_as_uint(result[r]), __float_as_uint(result[r + 1]));
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
