// tracea: attention fp16
// variant        cuda.chained.mma_k8_fp16 for sm_75
// configuration  128x32x64 s2 va8 vb8 vc8
// schedule       f6b4dd8f1514fe7ae6b69f3cdd277eedc6ba0a72e2d3fbe0fda0e0f9289b509f
// certificate    1e19b768001dfd28ff7eee010dab721ba736efc046a5302a614ab08784e75d58: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// q: fp16, read, aligned to 16 bytes
// k_matrix: fp16, read, aligned to 16 bytes
// v: fp16, read, aligned to 8 bytes
// out: fp16, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 4 to 64 by 4
// k: columns of q and k; 0 to 64 by 8
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 8
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 8
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 8
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 2
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// q_tile: shared of fp16, outer 128 = 16*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp16, outer 32 = 4*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, outer 64 = 2*1024 + 5 bits, k 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * items blocks of 128 threads, clusters of 1, 32768 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) attention_fp16_128x32x64_87ecca14(
    const fp16* __restrict__ q,
    const fp16* __restrict__ k_matrix,
    const fp16* __restrict__ v,
    fp16* __restrict__ out,
    int items,
    int m,
    int n,
    int k,
    int keys,
    int heads,
    int group,
    i64 q_batch,
    i64 q_head,
    i64 q_row,
    i64 k_matrix_batch,
    i64 k_matrix_head,
    i64 k_matrix_row,
    i64 v_batch,
    i64 v_head,
    i64 v_row,
    i64 out_batch,
    i64 out_head,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  fp16* const q_tile = (fp16*)(shared + 0);
  fp16* const k_tile = (fp16*)(shared + 16384);
  fp16* const v_tile = (fp16*)(shared + 24576);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned q_tile_fetched0[4];  // 4x64 fp16 of the warp
    unsigned k_tile_fetched0[4];  // 4x64 fp16 of the warp
    unsigned k_tile_fetched1[4];  // 4x64 fp16 of the warp
    unsigned v_tile_fetched[8];  // 32x16 fp16 of the warp
    unsigned v_tile_fetched_turned[8];  // 32x16 fp16 of the warp
    float sum0_0[4];  // 16x8 fp32 of the warp
    float sum0_1[4];  // 16x8 fp32 of the warp
    float sum0_2[4];  // 16x8 fp32 of the warp
    float sum0_3[4];  // 16x8 fp32 of the warp
    float sum0_4[4];  // 16x8 fp32 of the warp
    float sum0_5[4];  // 16x8 fp32 of the warp
    float sum0_6[4];  // 16x8 fp32 of the warp
    float sum0_7[4];  // 16x8 fp32 of the warp
    float sum1_0[4];  // 16x8 fp32 of the warp
    float sum1_1[4];  // 16x8 fp32 of the warp
    float sum1_2[4];  // 16x8 fp32 of the warp
    float sum1_3[4];  // 16x8 fp32 of the warp
    float sum1_4[4];  // 16x8 fp32 of the warp
    float sum1_5[4];  // 16x8 fp32 of the warp
    float sum1_6[4];  // 16x8 fp32 of the warp
    float sum1_7[4];  // 16x8 fp32 of the warp
    float score0_0[4];  // 16x8 fp32 of the warp
    float score0_1[4];  // 16x8 fp32 of the warp
    float score0_2[4];  // 16x8 fp32 of the warp
    float score0_3[4];  // 16x8 fp32 of the warp
    float score1_0[4];  // 16x8 fp32 of the warp
    float score1_1[4];  // 16x8 fp32 of the warp
    float score1_2[4];  // 16x8 fp32 of the warp
    float score1_3[4];  // 16x8 fp32 of the warp
    unsigned q0[2];  // 16x8 fp16 of the warp
    unsigned weights0[2];  // 16x8 fp16 of the warp
    float total0[4];  // 16x8 fp32 of the warp
    float top0[2];  // 16x1 fp32 of the warp
    float shift0[2];  // 16x1 fp32 of the warp
    unsigned q1[2];  // 16x8 fp16 of the warp
    unsigned weights1[2];  // 16x8 fp16 of the warp
    float total1[4];  // 16x8 fp32 of the warp
    float top1[2];  // 16x1 fp32 of the warp
    float shift1[2];  // 16x1 fp32 of the warp
    float part[4];  // 16x8 fp32 of the warp
    float found[2];  // 16x1 fp32 of the warp
    float correction[2];  // 16x1 fp32 of the warp
    unsigned right_operand[1];  // 8x8 fp16 of the warp
    unsigned piece0[2];  // 16x8 fp16 of the warp
    unsigned result[2];  // 16x8 fp16 of the warp
    const int row_tiles = (m + 127) / 128;
    const int row0 = block % row_tiles * 128;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 32;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 31) / 32;
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      top0[r] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      top1[r] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total1[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[(warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 8) * 4 >> 3) * 512 + (((warp + 8) * 4 & 7) * 8 + row * 8 ^ ((warp + 8) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 12) * 4 >> 3) * 512 + (((warp + 12) * 4 & 7) * 8 + row * 8 ^ ((warp + 12) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 16) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 16) * 4 >> 3) * 512 + (((warp + 16) * 4 & 7) * 8 + row * 8 ^ ((warp + 16) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 20) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 20) * 4 >> 3) * 512 + (((warp + 20) * 4 & 7) * 8 + row * 8 ^ ((warp + 20) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 24) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 24) * 4 >> 3) * 512 + (((warp + 24) * 4 & 7) * 8 + row * 8 ^ ((warp + 24) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 28) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = (run.x); q_tile_fetched0[0 + 1] = (run.y); q_tile_fetched0[0 + 2] = (run.z); q_tile_fetched0[0 + 3] = (run.w); }
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(uint4*)&q_tile[((warp + 28) * 4 >> 3) * 512 + (((warp + 28) * 4 & 7) * 8 + row * 8 ^ ((warp + 28) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3]));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = (run.x); k_tile_fetched0[0 + 1] = (run.y); k_tile_fetched0[0 + 2] = (run.z); k_tile_fetched0[0 + 3] = (run.w); }
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = (run.x); k_tile_fetched1[0 + 1] = (run.y); k_tile_fetched1[0 + 2] = (run.z); k_tile_fetched1[0 + 3] = (run.w); }
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r & 3) + (lane & 7) * 4;
        const int column = (r >> 2) + (lane >> 3) * 4;
        if (warp / 2 * 16 + column < keys) { const uint2 run = *(const uint2*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp / 2) * 16 + column) * v_row + min((i64)(warp % 2) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; v_tile_fetched[r / 2] = (run.x); v_tile_fetched[r / 2 + 1] = (run.y); }
        else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        *(uint4*)&k_tile[(warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3]));
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        *(uint4*)&k_tile[((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3]));
      }
      v_tile_fetched_turned[0] = __byte_perm(v_tile_fetched[0], v_tile_fetched[2], 0x5410);
      v_tile_fetched_turned[1] = __byte_perm(v_tile_fetched[4], v_tile_fetched[6], 0x5410);
      v_tile_fetched_turned[2] = __byte_perm(v_tile_fetched[0], v_tile_fetched[2], 0x7632);
      v_tile_fetched_turned[3] = __byte_perm(v_tile_fetched[4], v_tile_fetched[6], 0x7632);
      v_tile_fetched_turned[4] = __byte_perm(v_tile_fetched[1], v_tile_fetched[3], 0x5410);
      v_tile_fetched_turned[5] = __byte_perm(v_tile_fetched[5], v_tile_fetched[7], 0x5410);
      v_tile_fetched_turned[6] = __byte_perm(v_tile_fetched[1], v_tile_fetched[3], 0x7632);
      v_tile_fetched_turned[7] = __byte_perm(v_tile_fetched[5], v_tile_fetched[7], 0x7632);
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r >> 2) + (lane & 7) * 4;
        const int column = (r & 3) + (lane >> 3) * 4;
        *(uint2*)&v_tile[warp % 2 * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ warp / 2 * 16 + column)] = make_uint2((v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1]));
      }
    }
    __syncthreads();
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = (run.x); k_tile_fetched0[0 + 1] = (run.y); k_tile_fetched0[0 + 2] = (run.z); k_tile_fetched0[0 + 3] = (run.w); }
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = (run.x); k_tile_fetched1[0 + 1] = (run.y); k_tile_fetched1[0 + 2] = (run.z); k_tile_fetched1[0 + 3] = (run.w); }
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r & 3) + (lane & 7) * 4;
          const int column = (r >> 2) + (lane >> 3) * 4;
          if ((key_block + 1) * 32 + warp / 2 * 16 + column < keys) { const uint2 run = *(const uint2*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)(warp / 2) * 16 + column) * v_row + min((i64)(warp % 2) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; v_tile_fetched[r / 2] = (run.x); v_tile_fetched[r / 2 + 1] = (run.y); }
          else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; }
        }
      }
      const int key0 = key_block * 32;
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_3[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          matrices2(&q0[0], &q_tile[(warp * 4 + (row >> 3)) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ k_inner)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          matrices2(&q1[0], &q_tile[(warp * 4 + 2 + (row >> 3)) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ k_inner)]);
        }
        {
          const int column = lane & 7;
          matrices1(&right_operand[0], &k_tile[key_block % 2 * 2048 + (column * 8 ^ column * 64 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(score0_0, q0, right_operand);
        mma_m16n8k8_fp16(score1_0, q1, right_operand);
        {
          const int column = lane & 7;
          matrices1(&right_operand[0], &k_tile[key_block % 2 * 2048 + 512 + (column * 8 ^ column * 64 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(score0_1, q0, right_operand);
        mma_m16n8k8_fp16(score1_1, q1, right_operand);
        {
          const int column = lane & 7;
          matrices1(&right_operand[0], &k_tile[key_block % 2 * 2048 + 1024 + (column * 8 ^ column * 64 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(score0_2, q0, right_operand);
        mma_m16n8k8_fp16(score1_2, q1, right_operand);
        {
          const int column = lane & 7;
          matrices1(&right_operand[0], &k_tile[key_block % 2 * 2048 + 1536 + (column * 8 ^ column * 64 ^ k_inner)]);
        }
        mma_m16n8k8_fp16(score0_3, q0, right_operand);
        mma_m16n8k8_fp16(score1_3, q1, right_operand);
      }
      if (key0 + 31 < keys) {
      }
      else {
        int keys_stop0[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          keys_stop0[r] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!((r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1])) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(8 + (r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1])) score0_1[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(16 + (r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1])) score0_2[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(24 + (r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1])) score0_3[r] = -3.4028235e+38f;
        }
        int keys_stop1[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          keys_stop1[r] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!((r & 1) + (lane & 3) * 2 < keys_stop1[r >> 1])) score1_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(8 + (r & 1) + (lane & 3) * 2 < keys_stop1[r >> 1])) score1_1[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(16 + (r & 1) + (lane & 3) * 2 < keys_stop1[r >> 1])) score1_2[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(24 + (r & 1) + (lane & 3) * 2 < keys_stop1[r >> 1])) score1_3[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        part[r] = maximum(maximum(maximum(score0_0[r], score0_1[r]), score0_2[r]), score0_3[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 2; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[0] = folded;
      }
      {
        float folded = part[2];
        folded = maximum(folded, part[3]);
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        found[r] = maximum(found[r], top0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float v0 = found[r];
        shift0[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = expf(((top0[r] * 0.125f) - shift0[r]));
      }
      top0[0] = found[0];
      top0[1] = found[1];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_2[r] = (sum0_2[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_3[r] = (sum0_3[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_4[r] = (sum0_4[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_5[r] = (sum0_5[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_6[r] = (sum0_6[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_7[r] = (sum0_7[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        part[r] = maximum(maximum(maximum(score1_0[r], score1_1[r]), score1_2[r]), score1_3[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 2; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[0] = folded;
      }
      {
        float folded = part[2];
        folded = maximum(folded, part[3]);
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        found[r] = maximum(found[r], top1[r]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float v0 = found[r];
        shift1[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = expf(((top1[r] * 0.125f) - shift1[r]));
      }
      top1[0] = found[0];
      top1[1] = found[1];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_0[r] = (sum1_0[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_1[r] = (sum1_1[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_2[r] = (sum1_2[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_3[r] = (sum1_3[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_4[r] = (sum1_4[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_5[r] = (sum1_5[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_6[r] = (sum1_6[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_7[r] = (sum1_7[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score0_0[r] * 0.125f) - shift0[r >> 1])), fast_exp(((score0_0[r + 1] * 0.125f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score1_0[r] * 0.125f) - shift1[r >> 1])), fast_exp(((score1_0[r + 1] * 0.125f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights1[0] = piece0[0];
      weights1[1] = piece0[1];
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8)]);
      }
      mma_m16n8k8_fp16(sum0_0, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_0, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 32 + (column >> 1) * 8)]);
      }
      mma_m16n8k8_fp16(sum0_1, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_1, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_2, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_2, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_3, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_3, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8)]);
      }
      mma_m16n8k8_fp16(sum0_4, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_4, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 32 + (column >> 1) * 8)]);
      }
      mma_m16n8k8_fp16(sum0_5, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_5, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_6, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_6, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_7, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_7, weights1, right_operand);
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score0_1[r] * 0.125f) - shift0[r >> 1])), fast_exp(((score0_1[r + 1] * 0.125f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score1_1[r] * 0.125f) - shift1[r >> 1])), fast_exp(((score1_1[r + 1] * 0.125f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights1[0] = piece0[0];
      weights1[1] = piece0[1];
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_0, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_0, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_1, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_1, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_2, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_2, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_3, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_3, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_4, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_4, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_5, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_5, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_6, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_6, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 8)]);
      }
      mma_m16n8k8_fp16(sum0_7, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_7, weights1, right_operand);
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score0_2[r] * 0.125f) - shift0[r >> 1])), fast_exp(((score0_2[r + 1] * 0.125f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score1_2[r] * 0.125f) - shift1[r >> 1])), fast_exp(((score1_2[r + 1] * 0.125f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights1[0] = piece0[0];
      weights1[1] = piece0[1];
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_0, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_0, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_1, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_1, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_2, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_2, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_3, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_3, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_4, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_4, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_5, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_5, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_6, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_6, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 16)]);
      }
      mma_m16n8k8_fp16(sum0_7, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_7, weights1, right_operand);
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score0_3[r] * 0.125f) - shift0[r >> 1])), fast_exp(((score0_3[r + 1] * 0.125f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        piece0[r / 2] = pair_fp16(fast_exp(((score1_3[r] * 0.125f) - shift1[r >> 1])), fast_exp(((score1_3[r + 1] * 0.125f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights1[0] = piece0[0];
      weights1[1] = piece0[1];
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_0, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_0, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_1, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_1, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_2, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_2, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_3, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_3, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_4, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_4, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 32 + (column >> 1) * 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_5, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_5, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_6, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_6, weights1, right_operand);
      {
        const int column = lane & 7;
        matrices1(&right_operand[0], &v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 32 + (column >> 1) * 8 ^ 8 ^ 24)]);
      }
      mma_m16n8k8_fp16(sum0_7, weights0, right_operand);
      mma_m16n8k8_fp16(sum1_7, weights1, right_operand);
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          *(uint4*)&k_tile[(key_block + 1) % 2 * 2048 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3]));
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          *(uint4*)&k_tile[(key_block + 1) % 2 * 2048 + ((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = make_uint4((k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3]));
        }
        v_tile_fetched_turned[0] = __byte_perm(v_tile_fetched[0], v_tile_fetched[2], 0x5410);
        v_tile_fetched_turned[1] = __byte_perm(v_tile_fetched[4], v_tile_fetched[6], 0x5410);
        v_tile_fetched_turned[2] = __byte_perm(v_tile_fetched[0], v_tile_fetched[2], 0x7632);
        v_tile_fetched_turned[3] = __byte_perm(v_tile_fetched[4], v_tile_fetched[6], 0x7632);
        v_tile_fetched_turned[4] = __byte_perm(v_tile_fetched[1], v_tile_fetched[3], 0x5410);
        v_tile_fetched_turned[5] = __byte_perm(v_tile_fetched[5], v_tile_fetched[7], 0x5410);
        v_tile_fetched_turned[6] = __byte_perm(v_tile_fetched[1], v_tile_fetched[3], 0x7632);
        v_tile_fetched_turned[7] = __byte_perm(v_tile_fetched[5], v_tile_fetched[7], 0x7632);
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + (lane & 7) * 4;
          const int column = (r & 3) + (lane >> 3) * 4;
          *(uint2*)&v_tile[(key_block + 1) % 2 * 2048 + warp % 2 * 1024 + (row * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4) * 8 ^ warp / 2 * 16 + column)] = make_uint2((v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1]));
        }
      }
      __syncthreads();
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[0] = folded;
    }
    {
      float folded = total0[2];
      folded = folded + total0[3];
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[1] = folded;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = found[r];
      correction[r] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_0[r] * correction[r >> 1]), (sum0_0[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_1[r] * correction[r >> 1]), (sum0_1[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 8 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 8 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_2[r] * correction[r >> 1]), (sum0_2[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 16 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 16 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_3[r] * correction[r >> 1]), (sum0_3[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 24 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 24 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_4[r] * correction[r >> 1]), (sum0_4[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 32 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 32 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_5[r] * correction[r >> 1]), (sum0_5[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 40 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 40 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_6[r] * correction[r >> 1]), (sum0_6[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 48 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 48 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_7[r] * correction[r >> 1]), (sum0_7[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 56 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 56 + column] = (result[r / 2]);
    }
    {
      float folded = total1[0];
      #pragma unroll
      for (int r = 1; r < 2; ++r) {
        folded = folded + total1[r];
      }
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[0] = folded;
    }
    {
      float folded = total1[2];
      folded = folded + total1[3];
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[1] = folded;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = found[r];
      correction[r] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_0[r] * correction[r >> 1]), (sum1_0[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_1[r] * correction[r >> 1]), (sum1_1[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 8 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 8 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_2[r] * correction[r >> 1]), (sum1_2[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 16 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 16 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_3[r] * correction[r >> 1]), (sum1_3[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 24 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 24 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_4[r] * correction[r >> 1]), (sum1_4[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 32 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 32 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_5[r] * correction[r >> 1]), (sum1_5[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 40 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 40 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_6[r] * correction[r >> 1]), (sum1_6[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 48 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 48 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_7[r] * correction[r >> 1]), (sum1_7[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 56 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 56 + column] = (result[r / 2]);
    }
  }
}
