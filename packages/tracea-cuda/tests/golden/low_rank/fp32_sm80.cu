// tracea: low rank product fp32
// variant        cuda.chained.low_rank_simt_fp32 for sm_80
// configuration  8x32x8 s4 w1 va4 vb4 vc8 kb32
// schedule       f758923c5adab834590562fad79c4a6712c0d9d424fc2bf4db06614e7898552b
// certificate    186a060a761796ea843662966413eeaae9583df4fa3e251068835318a2f22efa: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 8 bytes
// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 2
// keys: columns of a: the rank; 1 to 32 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp32, k 8 = 8*12, outer 8 = 8*1, 4 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp32, k 8 = 8*32, outer 32 = 32*1, 4 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 32 = 32*32, outer 32 = 5 bits, atom 2^5, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp32, row 8 = 8*36, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 7) // 8 * column_splits blocks of 32 threads, clusters of 1, 14896 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32, 1) low_rank_product_fp32_8x32x8_de653f4e(
    const float* __restrict__ x,
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    int m,
    int n,
    int k,
    int keys,
    i64 x_row,
    i64 out_row,
    i64 a_row,
    i64 b_row,
    int column_splits) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const x_tile = (float*)(shared + 0);
  float* const a_tile = (float*)(shared + 1472);
  float* const b_tile = (float*)(shared + 5568);
  float* const middle_tile = (float*)(shared + 13760);
  // warp: warp x 1
  {
    const int lane = thread;
    float acc0_0[8];  // 8x32 fp32 of the warp
    float a0[2];  // 8x1 fp32 of the warp
    float b0[4];  // 1x32 fp32 of the warp
    float x_tile_fetched[2];  // 8x8 fp32 of the warp
    float piece[8];  // 8x32 fp32 of the warp
    float result[8];  // 8x32 fp32 of the warp
    const int row_tiles = (m + 7) / 8;
    const int column_tiles = (n + 31) / 32;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 8;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0;
    if (first_column_tile < stop_column_tile) {
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (lane >> 3) * 32 + (lane & 7) * 4], &b[(lane >> 3) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(4 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 4 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (8 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(8 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 8 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (12 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(12 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 12 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (16 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(16 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 16 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (20 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(20 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 20 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (24 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(24 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 24 + (lane >> 3) < keys);
      }
      {
        copy_async16(&b_tile[first_column_tile % 2 * 1024 + (28 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(28 + (lane >> 3)) * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 28 + (lane >> 3) < keys);
      }
    }
    copy_commit();
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc0_0[r] = 0.0f;
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 2;
      if (column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + row, m - 1) * x_row + column]; x_tile_fetched[0] = __uint_as_float(run.x); x_tile_fetched[0 + 1] = __uint_as_float(run.y); }
      else { x_tile_fetched[0] = 0.0f; x_tile_fetched[1] = 0.0f; }
    }
    __syncthreads();
    {
      copy_async16(&a_tile[(lane >> 3) * 32 + (lane & 7) * 4], &a[(lane >> 3) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], (lane >> 3) < depth);
    }
    {
      copy_async16(&a_tile[(4 + (lane >> 3)) * 32 + (lane & 7) * 4], &a[(4 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], 4 + (lane >> 3) < depth);
    }
    copy_commit();
    {
      copy_async16(&a_tile[256 + (lane >> 3) * 32 + (lane & 7) * 4], &a[(8 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], 8 + (lane >> 3) < depth);
    }
    {
      copy_async16(&a_tile[256 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &a[(12 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], 12 + (lane >> 3) < depth);
    }
    copy_commit();
    {
      copy_async16(&a_tile[512 + (lane >> 3) * 32 + (lane & 7) * 4], &a[(16 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], 16 + (lane >> 3) < depth);
    }
    {
      copy_async16(&a_tile[512 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &a[(20 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], 20 + (lane >> 3) < depth);
    }
    copy_commit();
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = lane >> 2;
      const int column = r + (lane & 3) * 2;
      x_tile[column * 12 + row] = x_tile_fetched[r];
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 2;
      if (8 + column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + row, m - 1) * x_row + 8 + column]; x_tile_fetched[0] = __uint_as_float(run.x); x_tile_fetched[0 + 1] = __uint_as_float(run.y); }
      else { x_tile_fetched[0] = 0.0f; x_tile_fetched[1] = 0.0f; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 3; ++k_step) {
      copy_wait<2>();
      __syncthreads();
      {
        copy_async16(&a_tile[(k_step + 3) % 4 * 256 + (lane >> 3) * 32 + (lane & 7) * 4], &a[((i64)(k_step + 3) * 8 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], true);
      }
      {
        copy_async16(&a_tile[(k_step + 3) % 4 * 256 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &a[((i64)(k_step + 3) * 8 + 4 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], true);
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 2;
        x_tile[(k_step + 1) % 4 * 92 + column * 12 + row] = x_tile_fetched[r];
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 2;
        { const uint2 run = *(const uint2*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 8 + column]; x_tile_fetched[0] = __uint_as_float(run.x); x_tile_fetched[0 + 1] = __uint_as_float(run.y); }
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 8; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const uint2 run = *(const uint2*)&x_tile[k_step % 4 * 92 + k_inner * 12 + row]; a0[0] = __uint_as_float(run.x); a0[0 + 1] = __uint_as_float(run.y); }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 4 * 256 + k_inner * 32 + column]; b0[0] = __uint_as_float(run.x); b0[0 + 1] = __uint_as_float(run.y); b0[0 + 2] = __uint_as_float(run.z); b0[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 3, 0); k_step < k_steps; ++k_step) {
      copy_wait<2>();
      __syncthreads();
      {
        copy_async16(&a_tile[(k_step + 3) % 4 * 256 + (lane >> 3) * 32 + (lane & 7) * 4], &a[((i64)(k_step + 3) * 8 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], (k_step + 3) * 8 + (lane >> 3) < depth);
      }
      {
        copy_async16(&a_tile[(k_step + 3) % 4 * 256 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &a[((i64)(k_step + 3) * 8 + 4 + (lane >> 3)) * a_row + min((i64)(lane & 7) * 4, (i64)(keys - 4))], (k_step + 3) * 8 + 4 + (lane >> 3) < depth);
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 2;
        x_tile[(k_step + 1) % 4 * 92 + column * 12 + row] = x_tile_fetched[r];
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 2;
        if ((k_step + 2) * 8 + column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 8 + column]; x_tile_fetched[0] = __uint_as_float(run.x); x_tile_fetched[0 + 1] = __uint_as_float(run.y); }
        else { x_tile_fetched[0] = 0.0f; x_tile_fetched[1] = 0.0f; }
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 8; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const uint2 run = *(const uint2*)&x_tile[k_step % 4 * 92 + k_inner * 12 + row]; a0[0] = __uint_as_float(run.x); a0[0 + 1] = __uint_as_float(run.y); }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&a_tile[k_step % 4 * 256 + k_inner * 32 + column]; b0[0] = __uint_as_float(run.x); b0[0 + 1] = __uint_as_float(run.y); b0[0 + 2] = __uint_as_float(run.z); b0[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
    }
    copy_wait<0>();
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + (lane & 7) * 4 < keys)) acc0_0[r] = 0.0f;
      }
    }
    piece[0] = acc0_0[0];
    piece[1] = acc0_0[1];
    piece[2] = acc0_0[2];
    piece[3] = acc0_0[3];
    piece[4] = acc0_0[4];
    piece[5] = acc0_0[5];
    piece[6] = acc0_0[6];
    piece[7] = acc0_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      *(uint4*)&middle_tile[row * 36 + column] = make_uint4(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]), __float_as_uint(piece[r + 2]), __float_as_uint(piece[r + 3]));
    }
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      copy_wait<0>();
      __syncthreads();
      if (column_tile + 1 < stop_column_tile) {
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (lane >> 3) * 32 + (lane & 7) * 4], &b[(lane >> 3) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (4 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(4 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 4 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (8 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(8 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 8 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (12 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(12 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 12 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (16 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(16 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 16 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (20 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(20 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 20 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (24 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(24 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 24 + (lane >> 3) < keys);
        }
        {
          copy_async16(&b_tile[(column_tile + 1) % 2 * 1024 + (28 + (lane >> 3)) * 32 + (lane & 7) * 4], &b[(28 + (lane >> 3)) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4))], 28 + (lane >> 3) < keys);
        }
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 32; ++k_inner) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r + (lane >> 3) * 2;
          a0[r] = middle_tile[row * 36 + k_inner];
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&b_tile[column_tile % 2 * 1024 + k_inner * 32 + column]; b0[0] = __uint_as_float(run.x); b0[0 + 1] = __uint_as_float(run.y); b0[0 + 2] = __uint_as_float(run.z); b0[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
      }
      const int warp_column = column_tile * 32;
      if (warp_row + 7 < m && warp_column + 31 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane >> 3) * 2;
          const int column = (r & 3) + (lane & 7) * 4;
          *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane >> 3) * 2;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
        }
        asm volatile("" ::: "memory");
      }
    }
    copy_wait<0>();
  }
}
