// tracea: transpose columns of 9 bf16 into aligned rows
// variant        sweep for sm_90a
// configuration  9x320x1 s1 w5 va8 vc2
// schedule       ae89e93bf4630cb9bf9ba0d6fa8906fb9166be6df405632ed0a35f7ecc5c570f
// certificate    4684ffd30ed82ebcf441692ff48c21ba84a1228a70234422b2253a657e96faab: structure, domains, types, layouts, lanes, overlap, banks, budgets, cover, meaning

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

// source: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 4 bytes
// n: columns of a row in the workspace, zeros included; 0 to 2147479552 by 8
// columns: columns of a row of the operand; 0 to 2147479552 by 8
// items: matrices in the batch; 0 to 2147479552
// source_batch: source: next matrix; -4611686018427387904 to 4611686018427387904 by 8
// out_batch: out: next matrix; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// kept: shared of bf16, warp 5 = 5*768, element 768 = 768*1, kept for a tile, aligned to 16 bytes
// launch: (n + 319) // 320 * items blocks of 160 threads, clusters of 1, 7680 bytes of shared memory
extern "C" __global__ void __launch_bounds__(160, 1) transpose_columns_of_9_bf16__9x320x1_d41bfd11(
    const bf16* __restrict__ source,
    bf16* __restrict__ out,
    int n,
    int columns,
    int items,
    i64 source_batch,
    i64 out_batch,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  bf16* const kept = (bf16*)(shared + 0);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  // warp: warp x 5
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned elements[12];  // 1x768 bf16 of the warp
    unsigned words[1];  // 1x64 bf16 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    // tile_rows = 1
    const int tile_columns = (n + 319) / 320;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / tile_columns;
      const int place = tile % tile_columns;
      const int row0 = place / tile_columns * 9;
      const int column0 = place % tile_columns * 320;
      const int first_column = column0 + warp * 64;
      #pragma unroll
      for (int r = 0; r < 24; r += 8) {
        const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
        if (column < 576 && first_column * 9 + column < min(n, columns) * 9) { const uint4 run = *(const uint4*)&source[item * source_batch + (i64)first_column * 9 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 24; r += 8) {
        const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
        *(uint4*)&kept[warp * 768 + column] = make_uint4((elements[r / 2]), (elements[r / 2 + 1]), (elements[r / 2 + 2]), (elements[r / 2 + 3]));
      }
      __syncthreads();
      #pragma unroll 3
      for (int row_of_matrix = 0; row_of_matrix < 9; ++row_of_matrix) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + lane * 2;
          words[r / 2] = with16(words[r / 2], r * 16, kept[warp * 768 + column * 9 + row_of_matrix]);
        }
        {
          const int column = lane * 2;
          if (first_column + column < n) *(unsigned*)&out[item * out_batch + row_of_matrix * out_row + first_column + lane * 2] = (words[0]);
        }
      }
      __syncthreads();
    }
  }
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
