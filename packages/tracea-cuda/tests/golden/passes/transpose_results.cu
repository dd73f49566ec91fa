// tracea: transpose bf16 into aligned rows
// variant        sweep for sm_90a
// configuration  32x128x1 s1 va2 vc4
// schedule       f6cb6cc7f1161cf8cb4fdc0d48749d2df406489421d3560779216edc0f866077
// certificate    654df5240688da64ed00133c0b652e872bfff1d261ccb1f65de37b4d15364f7e: structure, domains, types, layouts, lanes, overlap, banks, budgets, cover, meaning

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

// source: bf16, read, aligned to 4 bytes
// out: bf16, write, aligned to 8 bytes
// m: rows that are copied; 0 to 2147479552 by 2
// n: columns of a row in the workspace, zeros included; 0 to 2147479552 by 4
// columns: columns of a row of the operand; 0 to 2147479552
// items: matrices in the batch; 0 to 2147479552
// source_batch: source: next matrix; -4611686018427387904 to 4611686018427387904 by 2
// out_batch: out: next matrix; -4611686018427387904 to 4611686018427387904 by 4
// source_column: source: next column; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// corner: shared of bf16, outer 32 = 5 bits, k 128 = 7 bits, atom 2^12 with XOR, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 127) // 128) * items blocks of 128 threads, clusters of 1, 8192 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) transpose_bf16_into_aligned__32x128x1_34ee89d6(
    const bf16* __restrict__ source,
    bf16* __restrict__ out,
    int m,
    int n,
    int columns,
    int items,
    i64 source_batch,
    i64 out_batch,
    i64 source_column,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  bf16* const corner = (bf16*)(shared + 0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned corner_fetched0[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched0_turned[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched1[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched1_turned[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched2[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched2_turned[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched3[4];  // 32x8 bf16 of the warp
    unsigned corner_fetched3_turned[4];  // 32x8 bf16 of the warp
    unsigned held[16];  // 8x128 bf16 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 31) / 32;
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int row0 = place / tile_columns * 32;
      const int column0 = place % tile_columns * 128;
      const int depth = min(n, columns);
      if (row0 + 31 < m && column0 + 127 < n && column0 + 127 < columns) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          corner_fetched0[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)warp * 8 + column) * source_column]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          corner_fetched1[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 4) * 8 + column) * source_column]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          corner_fetched2[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 8) * 8 + column) * source_column]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          corner_fetched3[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 12) * 8 + column) * source_column]);
        }
        corner_fetched0_turned[0] = __byte_perm(corner_fetched0[0], corner_fetched0[1], 0x5410);
        corner_fetched0_turned[1] = __byte_perm(corner_fetched0[2], corner_fetched0[3], 0x5410);
        corner_fetched0_turned[2] = __byte_perm(corner_fetched0[0], corner_fetched0[1], 0x7632);
        corner_fetched0_turned[3] = __byte_perm(corner_fetched0[2], corner_fetched0[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ warp * 8 + column] = make_uint2((corner_fetched0_turned[r / 2]), (corner_fetched0_turned[r / 2 + 1]));
        }
        corner_fetched1_turned[0] = __byte_perm(corner_fetched1[0], corner_fetched1[1], 0x5410);
        corner_fetched1_turned[1] = __byte_perm(corner_fetched1[2], corner_fetched1[3], 0x5410);
        corner_fetched1_turned[2] = __byte_perm(corner_fetched1[0], corner_fetched1[1], 0x7632);
        corner_fetched1_turned[3] = __byte_perm(corner_fetched1[2], corner_fetched1[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 4) * 8 + column] = make_uint2((corner_fetched1_turned[r / 2]), (corner_fetched1_turned[r / 2 + 1]));
        }
        corner_fetched2_turned[0] = __byte_perm(corner_fetched2[0], corner_fetched2[1], 0x5410);
        corner_fetched2_turned[1] = __byte_perm(corner_fetched2[2], corner_fetched2[3], 0x5410);
        corner_fetched2_turned[2] = __byte_perm(corner_fetched2[0], corner_fetched2[1], 0x7632);
        corner_fetched2_turned[3] = __byte_perm(corner_fetched2[2], corner_fetched2[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 8) * 8 + column] = make_uint2((corner_fetched2_turned[r / 2]), (corner_fetched2_turned[r / 2 + 1]));
        }
        corner_fetched3_turned[0] = __byte_perm(corner_fetched3[0], corner_fetched3[1], 0x5410);
        corner_fetched3_turned[1] = __byte_perm(corner_fetched3[2], corner_fetched3[3], 0x5410);
        corner_fetched3_turned[2] = __byte_perm(corner_fetched3[0], corner_fetched3[1], 0x7632);
        corner_fetched3_turned[3] = __byte_perm(corner_fetched3[2], corner_fetched3[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 12) * 8 + column] = make_uint2((corner_fetched3_turned[r / 2]), (corner_fetched3_turned[r / 2 + 1]));
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          { const uint2 run = *(const uint2*)&corner[warp * 1024 + row * 128 ^ warp * 16 + (row >> 1) * 4 ^ column]; held[r / 2] = (run.x); held[r / 2 + 1] = (run.y); }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          *(uint2*)&out[item * out_batch + (row0 + (i64)warp * 8 + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
        __syncthreads();
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          if (column0 + warp * 8 + column < depth) corner_fetched0[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)warp * 8 + column) * source_column]);
          else { corner_fetched0[r / 2] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          if (column0 + (warp + 4) * 8 + column < depth) corner_fetched1[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 4) * 8 + column) * source_column]);
          else { corner_fetched1[r / 2] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          if (column0 + (warp + 8) * 8 + column < depth) corner_fetched2[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 8) * 8 + column) * source_column]);
          else { corner_fetched2[r / 2] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + (lane & 15) * 2;
          const int column = (r >> 1) + (lane >> 4) * 4;
          if (column0 + (warp + 12) * 8 + column < depth) corner_fetched3[r / 2] = (*(const unsigned*)&source[item * source_batch + min(row0 + (i64)(lane & 15) * 2, (i64)(m - 2)) + (r & 1) + (column0 + (i64)(warp + 12) * 8 + column) * source_column]);
          else { corner_fetched3[r / 2] = 0; }
        }
        corner_fetched0_turned[0] = __byte_perm(corner_fetched0[0], corner_fetched0[1], 0x5410);
        corner_fetched0_turned[1] = __byte_perm(corner_fetched0[2], corner_fetched0[3], 0x5410);
        corner_fetched0_turned[2] = __byte_perm(corner_fetched0[0], corner_fetched0[1], 0x7632);
        corner_fetched0_turned[3] = __byte_perm(corner_fetched0[2], corner_fetched0[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ warp * 8 + column] = make_uint2((corner_fetched0_turned[r / 2]), (corner_fetched0_turned[r / 2 + 1]));
        }
        corner_fetched1_turned[0] = __byte_perm(corner_fetched1[0], corner_fetched1[1], 0x5410);
        corner_fetched1_turned[1] = __byte_perm(corner_fetched1[2], corner_fetched1[3], 0x5410);
        corner_fetched1_turned[2] = __byte_perm(corner_fetched1[0], corner_fetched1[1], 0x7632);
        corner_fetched1_turned[3] = __byte_perm(corner_fetched1[2], corner_fetched1[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 4) * 8 + column] = make_uint2((corner_fetched1_turned[r / 2]), (corner_fetched1_turned[r / 2 + 1]));
        }
        corner_fetched2_turned[0] = __byte_perm(corner_fetched2[0], corner_fetched2[1], 0x5410);
        corner_fetched2_turned[1] = __byte_perm(corner_fetched2[2], corner_fetched2[3], 0x5410);
        corner_fetched2_turned[2] = __byte_perm(corner_fetched2[0], corner_fetched2[1], 0x7632);
        corner_fetched2_turned[3] = __byte_perm(corner_fetched2[2], corner_fetched2[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 8) * 8 + column] = make_uint2((corner_fetched2_turned[r / 2]), (corner_fetched2_turned[r / 2 + 1]));
        }
        corner_fetched3_turned[0] = __byte_perm(corner_fetched3[0], corner_fetched3[1], 0x5410);
        corner_fetched3_turned[1] = __byte_perm(corner_fetched3[2], corner_fetched3[3], 0x5410);
        corner_fetched3_turned[2] = __byte_perm(corner_fetched3[0], corner_fetched3[1], 0x7632);
        corner_fetched3_turned[3] = __byte_perm(corner_fetched3[2], corner_fetched3[3], 0x7632);
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + (lane & 15) * 2;
          const int column = (r & 3) + (lane >> 4) * 4;
          *(uint2*)&corner[row * 128 ^ (row >> 1) * 4 ^ (warp + 12) * 8 + column] = make_uint2((corner_fetched3_turned[r / 2]), (corner_fetched3_turned[r / 2 + 1]));
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          { const uint2 run = *(const uint2*)&corner[warp * 1024 + row * 128 ^ warp * 16 + (row >> 1) * 4 ^ column]; held[r / 2] = (run.x); held[r / 2 + 1] = (run.y); }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (row0 + warp * 8 + row < m && column0 + column < n) *(uint2*)&out[item * out_batch + (row0 + (i64)warp * 8 + row) * out_row + column0 + column] = make_uint2((held[r / 2]), (held[r / 2 + 1]));
        }
        __syncthreads();
      }
    }
  }
}
