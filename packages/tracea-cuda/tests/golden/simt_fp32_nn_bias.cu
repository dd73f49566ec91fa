// tracea: matmul fp32, epilogue bias
// variant        cuda.contraction.simt_fp32 for sm_80
// configuration  128x64x8 s2 grouped va4 vb4 vc4 u2
// schedule       210517cea7ec91775debf9fa108e5fbb35f79dc1cea64ad1a58644414121d97e
// certificate    60487484318814bac8db647933497e41180c5be1c10c680356117bc9aaf45840: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
#endif

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 4
// k: length of the reduction; 0 to 2147479552 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_tile: shared of fp32, k 8 = 8*132, outer 128 = 128*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 8 = 8*64, outer 64 = 64*1, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 12512 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) matmul_fp32_128x64x8_8ebe8b0b(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
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
  float* const b_tile = (float*)(shared + 8416);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[64];  // 32x64 fp32 of the warp
    float a0_0[8];  // 32x1 fp32 of the warp
    float a0_1[8];  // 32x1 fp32 of the warp
    float b0_0[8];  // 1x64 fp32 of the warp
    float b0_1[8];  // 1x64 fp32 of the warp
    float a_tile_fetched0[4];  // 16x8 fp32 of the warp
    float a_tile_fetched1[4];  // 16x8 fp32 of the warp
    float bias_0_held[8];  // 1x64 fp32 of the warp
    float result[64];  // 32x64 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 127) / 128;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 8);
      const int band_rows = min(tile_rows - band * 8, 8);
      const int in_band = tile - band * 8 * tile_columns;
      const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 128;
      const int column0 = floor_divide(in_band, band_rows) * 64;
      const int warp_row = row0 + warp * 32;
      const int warp_column = column0;
      #pragma unroll
      for (int r = 0; r < 64; ++r) {
        acc0_0[r] = 0.0f;
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      __syncthreads();
      {
        copy_async16(&b_tile[(warp * 2 + (lane >> 4)) * 64 + (lane & 15) * 4], &b[((i64)warp * 2 + (lane >> 4)) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4))], warp * 2 + (lane >> 4) < depth);
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 132 + warp * 16 + row] = a_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 132 + (warp + 4) * 16 + row] = a_tile_fetched1[r];
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      copy_wait<0>();
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
        { const uint4 run = *(const uint4*)&a_tile[warp * 32 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
        { const uint4 run = *(const uint4*)&b_tile[column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        {
          copy_async16(&b_tile[(k_step + 1) % 2 * 512 + (warp * 2 + (lane >> 4)) * 64 + (lane & 15) * 4], &b[((i64)(k_step + 1) * 8 + (i64)warp * 2 + (lane >> 4)) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4))], true);
        }
        copy_commit();
        #pragma unroll 3
        for (int k_inner = 0; k_inner < 6; k_inner += 2) {
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + (k_inner + 1) * 132 + warp * 32 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + (k_inner + 1) * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + (k_inner + 2) * 132 + warp * 32 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + (k_inner + 2) * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1052 + column * 132 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1052 + column * 132 + (warp + 4) * 16 + row] = a_tile_fetched1[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + 924 + warp * 32 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + 448 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
          }
        }
        copy_wait<0>();
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 1052 + warp * 32 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 512 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
          }
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        {
          copy_async16(&b_tile[(k_step + 1) % 2 * 512 + (warp * 2 + (lane >> 4)) * 64 + (lane & 15) * 4], &b[((i64)(k_step + 1) * 8 + (i64)warp * 2 + (lane >> 4)) * b_row + min(column0 + (i64)(lane & 15) * 4, (i64)(n - 4))], (k_step + 1) * 8 + warp * 2 + (lane >> 4) < depth);
        }
        copy_commit();
        #pragma unroll 3
        for (int k_inner = 0; k_inner < 6; k_inner += 2) {
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + (k_inner + 1) * 132 + warp * 32 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + (k_inner + 1) * 64 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
            }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
            { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + (k_inner + 2) * 132 + warp * 32 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
            { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + (k_inner + 2) * 64 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
          }
          #pragma unroll
          for (int i = 0; i < 8; ++i) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
              acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
            }
          }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1052 + column * 132 + warp * 16 + row] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 1052 + column * 132 + (warp + 4) * 16 + row] = a_tile_fetched1[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched0[0] = __uint_as_float(run.x); a_tile_fetched0[0 + 1] = __uint_as_float(run.y); a_tile_fetched0[0 + 2] = __uint_as_float(run.z); a_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 16 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched1[0] = __uint_as_float(run.x); a_tile_fetched1[0 + 1] = __uint_as_float(run.y); a_tile_fetched1[0 + 2] = __uint_as_float(run.z); a_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 2 * 1052 + 924 + warp * 32 + row]; a0_1[r] = __uint_as_float(run.x); a0_1[r + 1] = __uint_as_float(run.y); a0_1[r + 2] = __uint_as_float(run.z); a0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[k_step % 2 * 512 + 448 + column]; b0_1[r] = __uint_as_float(run.x); b0_1[r + 1] = __uint_as_float(run.y); b0_1[r + 2] = __uint_as_float(run.z); b0_1[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_0[i] * b0_0[j];
          }
        }
        copy_wait<0>();
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r & 3) + (r >> 2) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          { const uint4 run = *(const uint4*)&a_tile[(k_step + 1) % 2 * 1052 + warp * 32 + row]; a0_0[r] = __uint_as_float(run.x); a0_0[r + 1] = __uint_as_float(run.y); a0_0[r + 2] = __uint_as_float(run.z); a0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[(k_step + 1) % 2 * 512 + column]; b0_0[r] = __uint_as_float(run.x); b0_0[r + 1] = __uint_as_float(run.y); b0_0[r + 2] = __uint_as_float(run.z); b0_0[r + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            acc0_0[i * 8 + j] += a0_1[i] * b0_1[j];
          }
        }
      }
      copy_wait<0>();
      if (warp_row + 31 < m && warp_column + 63 < n) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          bias_0_held[r] = bias_0[warp_column + (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
          result[r] = (acc0_0[r] + bias_0_held[r & 7]);
        }
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int column = (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + (r & 3) + (r >> 2) * 32 + (lane >> 1 & 7) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
          result[r] = (acc0_0[r] + bias_0_held[r & 7]);
        }
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r >> 3 & 3) + (r >> 5) * 16 + (lane & 1) * 4 + (lane >> 4) * 8;
          const int column = (r & 3) + (r >> 2 & 1) * 32 + (lane >> 1 & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
