// tracea: low rank product fp16
// variant        cuda.chained.low_rank_mma_k8_fp16 for sm_75
// configuration  32x128x16 s2 va4 vb4 vc4 kb32
// schedule       9281a69b4b0ea6dc05b70d9cfbecc1171990b5e31f1abefa417a64ba1561848a
// certificate    0d5867ab832bcd84637f8c6aa421858bbba10760996460787252c22c5d8fed8a: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
INLINE void mma_m16n8k8_fp16(float (&c)[4], const unsigned (&a)[2], const unsigned (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((b[0])));
}
#endif

// x: fp16, read, aligned to 8 bytes
// a: fp16, read, aligned to 2 bytes
// b: fp16, read, aligned to 8 bytes
// out: fp16, write, aligned to 4 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 4
// keys: columns of a: the rank; 1 to 32
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// a_row: a: next row; -4611686018427387904 to 4611686018427387904
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, outer 128 = 4*1024 + 5 bits, k 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp16, row 32 = 32*40, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * column_splits blocks of 128 threads, clusters of 1, 23024 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) low_rank_product_fp16_32x128x16_a642e9d4(
    const fp16* __restrict__ x,
    const fp16* __restrict__ a,
    const fp16* __restrict__ b,
    fp16* __restrict__ out,
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
  fp16* const x_tile = (fp16*)(shared + 0);
  fp16* const a_tile = (fp16*)(shared + 2048);
  fp16* const b_tile = (fp16*)(shared + 4096);
  fp16* const middle_tile = (fp16*)(shared + 20480);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float acc0_0[4];  // 16x8 fp32 of the warp
    float acc0_1[4];  // 16x8 fp32 of the warp
    unsigned a0[2];  // 16x8 fp16 of the warp
    unsigned b0[1];  // 8x8 fp16 of the warp
    unsigned b1[1];  // 8x8 fp16 of the warp
    unsigned x_tile_fetched[2];  // 8x16 fp16 of the warp
    unsigned a_tile_fetched[2];  // 8x16 fp16 of the warp
    unsigned a1[2];  // 16x8 fp16 of the warp
    unsigned b2[1];  // 8x8 fp16 of the warp
    unsigned b3[1];  // 8x8 fp16 of the warp
    float acc0_2[4];  // 16x8 fp32 of the warp
    float acc0_3[4];  // 16x8 fp32 of the warp
    float acc1_0[4];  // 16x8 fp32 of the warp
    float acc1_1[4];  // 16x8 fp32 of the warp
    float acc1_2[4];  // 16x8 fp32 of the warp
    float acc1_3[4];  // 16x8 fp32 of the warp
    unsigned b_tile_fetched0[8];  // 32x16 fp16 of the warp
    unsigned b_tile_fetched0_turned[8];  // 32x16 fp16 of the warp
    unsigned b_tile_fetched1[8];  // 32x16 fp16 of the warp
    unsigned b_tile_fetched1_turned[8];  // 32x16 fp16 of the warp
    unsigned piece[2];  // 16x8 fp16 of the warp
    unsigned result[2];  // 16x8 fp16 of the warp
    const int row_tiles = (m + 31) / 32;
    const int column_tiles = (n + 127) / 128;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 32;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0;
    const int depth = k;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      acc0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      acc0_1[r] = 0.0f;
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + column]; x_tile_fetched[0] = (run.x); x_tile_fetched[0 + 1] = (run.y); }
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane & 7;
      const int column = r + (lane >> 3) * 4;
      a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, column < depth ? a[column * a_row + min((i64)warp * 8 + row, (i64)(keys - 1))] : 0);
    }
    __syncthreads();
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      *(uint2*)&x_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
    }
    {
      const int row = lane & 7;
      const int column = (lane >> 3) * 4;
      *(uint2*)&a_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (16 + column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + 16 + column]; x_tile_fetched[0] = (run.x); x_tile_fetched[0 + 1] = (run.y); }
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane & 7;
      const int column = r + (lane >> 3) * 4;
      a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, 16 + column < depth ? a[(16 + column) * a_row + min((i64)warp * 8 + row, (i64)(keys - 1))] : 0);
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      __syncthreads();
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *(uint2*)&x_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
      }
      {
        const int row = lane & 7;
        const int column = (lane >> 3) * 4;
        *(uint2*)&a_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        { const uint2 run = *(const uint2*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column]; x_tile_fetched[0] = (run.x); x_tile_fetched[0 + 1] = (run.y); }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, a[((i64)(k_step + 2) * 16 + column) * a_row + min((i64)warp * 8 + row, (i64)(keys - 1))]);
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 16; k_inner += 8) {
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          matrices2(&a0[0], &x_tile[k_step % 2 * 512 + (warp / 2 * 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b0[0], &a_tile[k_step % 2 * 512 + warp % 2 * 256 + (column * 16 ^ (column >> 2) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b1[0], &a_tile[k_step % 2 * 512 + (warp % 2 * 2 + 1) * 128 + (column * 16 ^ (column >> 2) * 8 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(acc0_0, a0, b0);
        mma_m16n8k8_fp16(acc0_1, a0, b1);
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      __syncthreads();
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *(uint2*)&x_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
      }
      {
        const int row = lane & 7;
        const int column = (lane >> 3) * 4;
        *(uint2*)&a_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = make_uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if ((k_step + 2) * 16 + column < depth) { const uint2 run = *(const uint2*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column]; x_tile_fetched[0] = (run.x); x_tile_fetched[0 + 1] = (run.y); }
        else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane & 7;
        const int column = r + (lane >> 3) * 4;
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, (k_step + 2) * 16 + column < depth ? a[((i64)(k_step + 2) * 16 + column) * a_row + min((i64)warp * 8 + row, (i64)(keys - 1))] : 0);
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 16; k_inner += 8) {
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          matrices2(&a0[0], &x_tile[k_step % 2 * 512 + (warp / 2 * 2 + (row >> 3)) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b0[0], &a_tile[k_step % 2 * 512 + warp % 2 * 256 + (column * 16 ^ (column >> 2) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b1[0], &a_tile[k_step % 2 * 512 + (warp % 2 * 2 + 1) * 128 + (column * 16 ^ (column >> 2) * 8 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(acc0_0, a0, b0);
        mma_m16n8k8_fp16(acc0_1, a0, b1);
      }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const float v0 = acc0_0[r];
      acc0_0[r] = ((0.5f * v0) * (1.0f + erff((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const float v0 = acc0_1[r];
      acc0_1[r] = ((0.5f * v0) * (1.0f + erff((v0 * 0.70710677f))));
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        if (!(warp % 2 * 16 + (r & 1) + (lane & 3) * 2 < keys)) acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        if (!(warp % 2 * 16 + 8 + (r & 1) + (lane & 3) * 2 < keys)) acc0_1[r] = 0.0f;
      }
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      piece[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      *(unsigned*)&middle_tile[(warp / 2 * 16 + row) * 40 + warp % 2 * 16 + column] = (piece[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      piece[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      *(unsigned*)&middle_tile[(warp / 2 * 16 + row) * 40 + warp % 2 * 16 + 8 + column] = (piece[r / 2]);
    }
    if (first_column_tile < stop_column_tile) {
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r & 3) + (lane & 7) * 4;
        const int column = (r >> 2) + (lane >> 3) * 4;
        if (column < keys) { const uint2 run = *(const uint2*)&b[column * b_row + min((i64)first_column_tile * 128 + (i64)warp * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched0[r / 2] = (run.x); b_tile_fetched0[r / 2 + 1] = (run.y); }
        else { b_tile_fetched0[r / 2] = 0; b_tile_fetched0[r / 2 + 1] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r & 3) + (lane & 7) * 4;
        const int column = (r >> 2) + (lane >> 3) * 4;
        if (16 + column < keys) { const uint2 run = *(const uint2*)&b[(16 + column) * b_row + min((i64)first_column_tile * 128 + (i64)warp * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched1[r / 2] = (run.x); b_tile_fetched1[r / 2 + 1] = (run.y); }
        else { b_tile_fetched1[r / 2] = 0; b_tile_fetched1[r / 2 + 1] = 0; }
      }
      b_tile_fetched0_turned[0] = __byte_perm(b_tile_fetched0[0], b_tile_fetched0[2], 0x5410);
      b_tile_fetched0_turned[1] = __byte_perm(b_tile_fetched0[4], b_tile_fetched0[6], 0x5410);
      b_tile_fetched0_turned[2] = __byte_perm(b_tile_fetched0[0], b_tile_fetched0[2], 0x7632);
      b_tile_fetched0_turned[3] = __byte_perm(b_tile_fetched0[4], b_tile_fetched0[6], 0x7632);
      b_tile_fetched0_turned[4] = __byte_perm(b_tile_fetched0[1], b_tile_fetched0[3], 0x5410);
      b_tile_fetched0_turned[5] = __byte_perm(b_tile_fetched0[5], b_tile_fetched0[7], 0x5410);
      b_tile_fetched0_turned[6] = __byte_perm(b_tile_fetched0[1], b_tile_fetched0[3], 0x7632);
      b_tile_fetched0_turned[7] = __byte_perm(b_tile_fetched0[5], b_tile_fetched0[7], 0x7632);
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r >> 2) + (lane & 7) * 4;
        const int column = (r & 3) + (lane >> 3) * 4;
        *(uint2*)&b_tile[first_column_tile % 2 * 4096 + warp * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ column)] = make_uint2((b_tile_fetched0_turned[r / 2]), (b_tile_fetched0_turned[r / 2 + 1]));
      }
      b_tile_fetched1_turned[0] = __byte_perm(b_tile_fetched1[0], b_tile_fetched1[2], 0x5410);
      b_tile_fetched1_turned[1] = __byte_perm(b_tile_fetched1[4], b_tile_fetched1[6], 0x5410);
      b_tile_fetched1_turned[2] = __byte_perm(b_tile_fetched1[0], b_tile_fetched1[2], 0x7632);
      b_tile_fetched1_turned[3] = __byte_perm(b_tile_fetched1[4], b_tile_fetched1[6], 0x7632);
      b_tile_fetched1_turned[4] = __byte_perm(b_tile_fetched1[1], b_tile_fetched1[3], 0x5410);
      b_tile_fetched1_turned[5] = __byte_perm(b_tile_fetched1[5], b_tile_fetched1[7], 0x5410);
      b_tile_fetched1_turned[6] = __byte_perm(b_tile_fetched1[1], b_tile_fetched1[3], 0x7632);
      b_tile_fetched1_turned[7] = __byte_perm(b_tile_fetched1[5], b_tile_fetched1[7], 0x7632);
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r >> 2) + (lane & 7) * 4;
        const int column = (r & 3) + (lane >> 3) * 4;
        *(uint2*)&b_tile[first_column_tile % 2 * 4096 + warp * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ 16 + column)] = make_uint2((b_tile_fetched1_turned[r / 2]), (b_tile_fetched1_turned[r / 2 + 1]));
      }
    }
    __syncthreads();
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r & 3) + (lane & 7) * 4;
          const int column = (r >> 2) + (lane >> 3) * 4;
          if (column < keys) { const uint2 run = *(const uint2*)&b[column * b_row + min((i64)(column_tile + 1) * 128 + (i64)warp * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched0[r / 2] = (run.x); b_tile_fetched0[r / 2 + 1] = (run.y); }
          else { b_tile_fetched0[r / 2] = 0; b_tile_fetched0[r / 2 + 1] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r & 3) + (lane & 7) * 4;
          const int column = (r >> 2) + (lane >> 3) * 4;
          if (16 + column < keys) { const uint2 run = *(const uint2*)&b[(16 + column) * b_row + min((i64)(column_tile + 1) * 128 + (i64)warp * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched1[r / 2] = (run.x); b_tile_fetched1[r / 2 + 1] = (run.y); }
          else { b_tile_fetched1[r / 2] = 0; b_tile_fetched1[r / 2 + 1] = 0; }
        }
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
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          a0[r / 2] = (*(const unsigned*)&middle_tile[row * 40 + k_inner + column]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          a1[r / 2] = (*(const unsigned*)&middle_tile[(16 + row) * 40 + k_inner + column]);
        }
        {
          const int column = lane & 7;
          matrices1(&b0[0], &b_tile[column_tile % 2 * 4096 + warp * 1024 + (column * 32 ^ (column >> 1) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b1[0], &b_tile[column_tile % 2 * 4096 + warp * 1024 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b2[0], &b_tile[column_tile % 2 * 4096 + warp * 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&b3[0], &b_tile[column_tile % 2 * 4096 + warp * 1024 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(acc0_0, a0, b0);
        mma_m16n8k8_fp16(acc0_1, a0, b1);
        mma_m16n8k8_fp16(acc0_2, a0, b2);
        mma_m16n8k8_fp16(acc0_3, a0, b3);
        mma_m16n8k8_fp16(acc1_0, a1, b0);
        mma_m16n8k8_fp16(acc1_1, a1, b1);
        mma_m16n8k8_fp16(acc1_2, a1, b2);
        mma_m16n8k8_fp16(acc1_3, a1, b3);
      }
      const int warp_column = column_tile * 128 + warp * 32;
      if (warp_row + 31 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_2[r], acc0_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_3[r], acc0_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_1[r], acc1_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_2[r], acc1_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_3[r], acc1_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
      }
      else {
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_2[r], acc0_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc0_3[r], acc0_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_1[r], acc1_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_2[r], acc1_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_fp16(acc1_3[r], acc1_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2);
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *(unsigned*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = (result[r / 2]);
        }
        asm volatile("" ::: "memory");
      }
      if (column_tile + 1 < stop_column_tile) {
        b_tile_fetched0_turned[0] = __byte_perm(b_tile_fetched0[0], b_tile_fetched0[2], 0x5410);
        b_tile_fetched0_turned[1] = __byte_perm(b_tile_fetched0[4], b_tile_fetched0[6], 0x5410);
        b_tile_fetched0_turned[2] = __byte_perm(b_tile_fetched0[0], b_tile_fetched0[2], 0x7632);
        b_tile_fetched0_turned[3] = __byte_perm(b_tile_fetched0[4], b_tile_fetched0[6], 0x7632);
        b_tile_fetched0_turned[4] = __byte_perm(b_tile_fetched0[1], b_tile_fetched0[3], 0x5410);
        b_tile_fetched0_turned[5] = __byte_perm(b_tile_fetched0[5], b_tile_fetched0[7], 0x5410);
        b_tile_fetched0_turned[6] = __byte_perm(b_tile_fetched0[1], b_tile_fetched0[3], 0x7632);
        b_tile_fetched0_turned[7] = __byte_perm(b_tile_fetched0[5], b_tile_fetched0[7], 0x7632);
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + (lane & 7) * 4;
          const int column = (r & 3) + (lane >> 3) * 4;
          *(uint2*)&b_tile[(column_tile + 1) % 2 * 4096 + warp * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ column)] = make_uint2((b_tile_fetched0_turned[r / 2]), (b_tile_fetched0_turned[r / 2 + 1]));
        }
        b_tile_fetched1_turned[0] = __byte_perm(b_tile_fetched1[0], b_tile_fetched1[2], 0x5410);
        b_tile_fetched1_turned[1] = __byte_perm(b_tile_fetched1[4], b_tile_fetched1[6], 0x5410);
        b_tile_fetched1_turned[2] = __byte_perm(b_tile_fetched1[0], b_tile_fetched1[2], 0x7632);
        b_tile_fetched1_turned[3] = __byte_perm(b_tile_fetched1[4], b_tile_fetched1[6], 0x7632);
        b_tile_fetched1_turned[4] = __byte_perm(b_tile_fetched1[1], b_tile_fetched1[3], 0x5410);
        b_tile_fetched1_turned[5] = __byte_perm(b_tile_fetched1[5], b_tile_fetched1[7], 0x5410);
        b_tile_fetched1_turned[6] = __byte_perm(b_tile_fetched1[1], b_tile_fetched1[3], 0x7632);
        b_tile_fetched1_turned[7] = __byte_perm(b_tile_fetched1[5], b_tile_fetched1[7], 0x7632);
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + (lane & 7) * 4;
          const int column = (r & 3) + (lane >> 3) * 4;
          *(uint2*)&b_tile[(column_tile + 1) % 2 * 4096 + warp * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ 16 + column)] = make_uint2((b_tile_fetched1_turned[r / 2]), (b_tile_fetched1_turned[r / 2 + 1]));
        }
      }
      __syncthreads();
    }
  }
}
