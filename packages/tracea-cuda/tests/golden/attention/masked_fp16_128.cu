// tracea: attention masked by uint8 fp16
// variant        cuda.chained.mma_fp16 for sm_90a
// configuration  128x32x128 s2 va8 vb8 vc2
// schedule       41abd2a76d9289ae07b00f23fce36c4aaf0fb558f5a712fae3a68ef4e8998a89
// certificate    45574f8c58855eb8a9dd8556bd549a8b6656364d169f42ede3cab7e978d55df7: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// q: fp16, read, aligned to 16 bytes
// k_matrix: fp16, read, aligned to 16 bytes
// v: fp16, read, aligned to 16 bytes
// score_bias: uint8, read, aligned to 1 bytes
// out: fp16, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 0 to 128 by 8
// k: columns of q and k; 0 to 128 by 8
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 8
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 8
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 8
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 8
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 8
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 2
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904
// score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904
// score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904
// q_tile: shared of fp16, row 128 = 16*1024 + 3 bits, column 128 = 7 bits, atom 2^10 with XOR, kept for a tile, aligned to 16 bytes
// k_matrix_tile: shared of fp16, row 32 = 4*1024 + 3 bits, column 128 = 7 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, row 32 = 4*1024 + 3 bits, column 128 = 7 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * items blocks of 128 threads, clusters of 1, 65536 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) attention_masked_by_uint8_fp_128x32x128_4ac21b14(
    const fp16* __restrict__ q,
    const fp16* __restrict__ k_matrix,
    const fp16* __restrict__ v,
    const uint8* __restrict__ score_bias,
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
    i64 out_row,
    i64 score_bias_batch,
    i64 score_bias_head,
    i64 score_bias_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  fp16* const q_tile = (fp16*)(shared + 0);
  fp16* const k_matrix_tile = (fp16*)(shared + 32768);
  fp16* const v_tile = (fp16*)(shared + 49152);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float sum0_0[4];  // 16x8 fp32 of the warp
    float sum0_1[4];  // 16x8 fp32 of the warp
    float sum0_2[4];  // 16x8 fp32 of the warp
    float sum0_3[4];  // 16x8 fp32 of the warp
    float sum0_4[4];  // 16x8 fp32 of the warp
    float sum0_5[4];  // 16x8 fp32 of the warp
    float sum0_6[4];  // 16x8 fp32 of the warp
    float sum0_7[4];  // 16x8 fp32 of the warp
    float sum0_8[4];  // 16x8 fp32 of the warp
    float sum0_9[4];  // 16x8 fp32 of the warp
    float sum0_10[4];  // 16x8 fp32 of the warp
    float sum0_11[4];  // 16x8 fp32 of the warp
    float sum0_12[4];  // 16x8 fp32 of the warp
    float sum0_13[4];  // 16x8 fp32 of the warp
    float sum0_14[4];  // 16x8 fp32 of the warp
    float sum0_15[4];  // 16x8 fp32 of the warp
    float sum1_0[4];  // 16x8 fp32 of the warp
    float sum1_1[4];  // 16x8 fp32 of the warp
    float sum1_2[4];  // 16x8 fp32 of the warp
    float sum1_3[4];  // 16x8 fp32 of the warp
    float sum1_4[4];  // 16x8 fp32 of the warp
    float sum1_5[4];  // 16x8 fp32 of the warp
    float sum1_6[4];  // 16x8 fp32 of the warp
    float sum1_7[4];  // 16x8 fp32 of the warp
    float sum1_8[4];  // 16x8 fp32 of the warp
    float sum1_9[4];  // 16x8 fp32 of the warp
    float sum1_10[4];  // 16x8 fp32 of the warp
    float sum1_11[4];  // 16x8 fp32 of the warp
    float sum1_12[4];  // 16x8 fp32 of the warp
    float sum1_13[4];  // 16x8 fp32 of the warp
    float sum1_14[4];  // 16x8 fp32 of the warp
    float sum1_15[4];  // 16x8 fp32 of the warp
    float score0_0[4];  // 16x8 fp32 of the warp
    float score0_1[4];  // 16x8 fp32 of the warp
    float score0_2[4];  // 16x8 fp32 of the warp
    float score0_3[4];  // 16x8 fp32 of the warp
    float score1_0[4];  // 16x8 fp32 of the warp
    float score1_1[4];  // 16x8 fp32 of the warp
    float score1_2[4];  // 16x8 fp32 of the warp
    float score1_3[4];  // 16x8 fp32 of the warp
    unsigned q0[4];  // 16x16 fp16 of the warp
    unsigned weights0[4];  // 16x16 fp16 of the warp
    float total0[4];  // 16x8 fp32 of the warp
    float top0[2];  // 16x1 fp32 of the warp
    float shift0[2];  // 16x1 fp32 of the warp
    unsigned q1[4];  // 16x16 fp16 of the warp
    unsigned weights1[4];  // 16x16 fp16 of the warp
    float total1[4];  // 16x8 fp32 of the warp
    float top1[2];  // 16x1 fp32 of the warp
    float shift1[2];  // 16x1 fp32 of the warp
    float part[4];  // 16x8 fp32 of the warp
    float found[2];  // 16x1 fp32 of the warp
    float correction[2];  // 16x1 fp32 of the warp
    unsigned pair[4];  // 16x16 fp16 of the warp
    unsigned left_half[2];  // 16x8 fp16 of the warp
    unsigned right_half[2];  // 16x8 fp16 of the warp
    unsigned left_weights[2];  // 16x8 fp16 of the warp
    unsigned right_weights[2];  // 16x8 fp16 of the warp
    unsigned score_bias_held[1];  // 16x8 uint8 of the warp
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
    const i64 q_tile_at = sequence * q_batch + head * q_head;
    const i64 k_matrix_tile_at = sequence * k_matrix_batch + kv_head * k_matrix_head;
    const i64 v_tile_at = sequence * v_batch + kv_head * v_head;
    i64 bias_at0[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      bias_at0[r] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + r * 8 + (lane >> 2), m - 1) * score_bias_row;
    }
    i64 bias_at1[2];
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      bias_at1[r] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + 16 + r * 8 + (lane >> 2), m - 1) * score_bias_row;
    }
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
      sum0_8[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_9[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_10[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_11[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_12[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_13[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_14[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum0_15[r] = 0.0f;
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
    for (int r = 0; r < 4; ++r) {
      sum1_8[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_9[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_10[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_11[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_12[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_13[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_14[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_15[r] = 0.0f;
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
    #pragma unroll 2
    for (int copy = 0; copy < 16; ++copy) {
      {
        copy_async16(&q_tile[((warp + copy * 4) * 2 >> 3) * 1024 + (((warp + copy * 4) * 2 & 7) * 8 + (lane >> 4) * 8 ^ ((warp + copy * 4) * 2 & 7) * 128 + (lane >> 4) * 128 ^ (lane & 15) * 8)], &q[q_tile_at + min(row0 + (warp + (i64)copy * 4) * 2 + (lane >> 4), (i64)(m - 1)) * q_row + (lane & 15) * 8], (lane & 15) * 8 < k);
      }
    }
    if (0 < stop_block) {
      #pragma unroll 2
      for (int copy = 0; copy < 4; ++copy) {
        {
          copy_async16(&k_matrix_tile[((warp + copy * 4) * 2 >> 3) * 1024 + (((warp + copy * 4) * 2 & 7) * 8 + (lane >> 4) * 8 ^ ((warp + copy * 4) * 2 & 7) * 128 + (lane >> 4) * 128 ^ (lane & 15) * 8)], &k_matrix[k_matrix_tile_at + min((warp + (i64)copy * 4) * 2 + (lane >> 4), (i64)(keys - 1)) * k_matrix_row + (lane & 15) * 8], (lane & 15) * 8 < k);
        }
      }
      #pragma unroll 2
      for (int copy = 0; copy < 4; ++copy) {
        {
          copy_async16(&v_tile[((warp + copy * 4) * 2 >> 3) * 1024 + (((warp + copy * 4) * 2 & 7) * 8 + (lane >> 4) * 8 ^ ((warp + copy * 4) * 2 & 7) * 128 + (lane >> 4) * 128 ^ (lane & 15) * 8)], &v[v_tile_at + min((warp + (i64)copy * 4) * 2 + (lane >> 4), (i64)(keys - 1)) * v_row + (lane & 15) * 8], (lane & 15) * 8 < n);
        }
      }
    }
    copy_commit();
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      copy_wait<0>();
      __syncthreads();
      if (key_block + 1 < stop_block) {
        #pragma unroll 2
        for (int copy = 0; copy < 4; ++copy) {
          {
            copy_async16(&k_matrix_tile[(key_block + 1) % 2 * 4096 + ((warp + copy * 4) * 2 >> 3) * 1024 + (((warp + copy * 4) * 2 & 7) * 8 + (lane >> 4) * 8 ^ ((warp + copy * 4) * 2 & 7) * 128 + (lane >> 4) * 128 ^ (lane & 15) * 8)], &k_matrix[k_matrix_tile_at + min((i64)(key_block + 1) * 32 + (warp + (i64)copy * 4) * 2 + (lane >> 4), (i64)(keys - 1)) * k_matrix_row + (lane & 15) * 8], (lane & 15) * 8 < k);
          }
        }
        #pragma unroll 2
        for (int copy = 0; copy < 4; ++copy) {
          {
            copy_async16(&v_tile[(key_block + 1) % 2 * 4096 + ((warp + copy * 4) * 2 >> 3) * 1024 + (((warp + copy * 4) * 2 & 7) * 8 + (lane >> 4) * 8 ^ ((warp + copy * 4) * 2 & 7) * 128 + (lane >> 4) * 128 ^ (lane & 15) * 8)], &v[v_tile_at + min((i64)(key_block + 1) * 32 + (warp + (i64)copy * 4) * 2 + (lane >> 4), (i64)(keys - 1)) * v_row + (lane & 15) * 8], (lane & 15) * 8 < n);
          }
        }
      }
      copy_commit();
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
      for (int k_inner = 0; k_inner < 128; k_inner += 16) {
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&q0[0], &q_tile[(warp * 4 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ k_inner + column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8 + (lane & 7);
          const int column = ((lane >> 3) * 2 >> 2) * 8;
          matrices4(&q1[0], &q_tile[(warp * 4 + 2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ k_inner + column)]);
        }
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = ((lane >> 3) * 2 >> 2) * 8 + (lane & 7);
          matrices4(&pair[0], &k_matrix_tile[key_block % 2 * 4096 + (column >> 3) * 1024 + ((column & 7) * 8 ^ (column & 7) * 128 ^ k_inner + row)]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          left_half[r] = pair[r];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          right_half[r] = pair[r + 2];
        }
        mma_m16n8k16_fp16(score0_0, q0, left_half);
        mma_m16n8k16_fp16(score0_1, q0, right_half);
        mma_m16n8k16_fp16(score1_0, q1, left_half);
        mma_m16n8k16_fp16(score1_1, q1, right_half);
        {
          const int row = (lane >> 3 & 1) * 8;
          const int column = ((lane >> 3) * 2 >> 2) * 8 + (lane & 7);
          matrices4(&pair[0], &k_matrix_tile[key_block % 2 * 4096 + (2 + (column >> 3)) * 1024 + ((column & 7) * 8 ^ (column & 7) * 128 ^ k_inner + row)]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          left_half[r] = pair[r];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          right_half[r] = pair[r + 2];
        }
        mma_m16n8k16_fp16(score0_2, q0, left_half);
        mma_m16n8k16_fp16(score0_3, q0, right_half);
        mma_m16n8k16_fp16(score1_2, q1, left_half);
        mma_m16n8k16_fp16(score1_3, q1, right_half);
      }
      if (key0 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - key0;
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_0[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score0_0[r]);
      }
      if (key0 + 8 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 8 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 8);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 8 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_1[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score0_1[r]);
      }
      if (key0 + 16 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 16 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 16);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 16 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_2[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score0_2[r]);
      }
      if (key0 + 24 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 24 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 24);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at0[r >> 1])[key0 + 24 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_3[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score0_3[r]);
      }
      if (key0 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - key0;
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_0[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score1_0[r]);
      }
      if (key0 + 8 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 8 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 8);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 8 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_1[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score1_1[r]);
      }
      if (key0 + 16 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 16 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 16);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 16 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_2[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score1_2[r]);
      }
      if (key0 + 24 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 24 + (r & 1) + (lane & 3) * 2]);
        }
      }
      else {
        const int last_run = keys - 1 - (key0 + 24);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = (r & 1) + (lane & 3) * 2;
          score_bias_held[r / 4] = with8(score_bias_held[r / 4], r * 8, (score_bias + bias_at1[r >> 1])[key0 + 24 + min(column, last_run)]);
        }
        asm volatile("" ::: "memory");
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_3[r] = (((float)(uint8)part8(score_bias_held[r / 4], r * 8) == 0.0f) ? -3.4028235e+38f : score1_3[r]);
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
        shift0[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.088388346f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = expf(((top0[r] * 0.088388346f) - shift0[r]));
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
        sum0_8[r] = (sum0_8[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_9[r] = (sum0_9[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_10[r] = (sum0_10[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_11[r] = (sum0_11[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_12[r] = (sum0_12[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_13[r] = (sum0_13[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_14[r] = (sum0_14[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_15[r] = (sum0_15[r] * correction[r >> 1]);
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
        shift1[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.088388346f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = expf(((top1[r] * 0.088388346f) - shift1[r]));
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
      for (int r = 0; r < 4; ++r) {
        sum1_8[r] = (sum1_8[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_9[r] = (sum1_9[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_10[r] = (sum1_10[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_11[r] = (sum1_11[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_12[r] = (sum1_12[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_13[r] = (sum1_13[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_14[r] = (sum1_14[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_15[r] = (sum1_15[r] * correction[r >> 1]);
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        left_weights[r / 2] = pair_fp16(fast_exp(((score0_0[r] * 0.088388346f) - shift0[r >> 1])), fast_exp(((score0_0[r + 1] * 0.088388346f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        right_weights[r / 2] = pair_fp16(fast_exp(((score0_1[r] * 0.088388346f) - shift0[r >> 1])), fast_exp(((score0_1[r + 1] * 0.088388346f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + (from_fp16(part16(left_weights[r / 2], (r & 1) * 16)) + from_fp16(part16(right_weights[r / 2], (r & 1) * 16))));
      }
      weights0[0] = left_weights[0];
      weights0[1] = left_weights[1];
      weights0[2] = right_weights[0];
      weights0[3] = right_weights[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        left_weights[r / 2] = pair_fp16(fast_exp(((score1_0[r] * 0.088388346f) - shift1[r >> 1])), fast_exp(((score1_0[r + 1] * 0.088388346f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        right_weights[r / 2] = pair_fp16(fast_exp(((score1_1[r] * 0.088388346f) - shift1[r >> 1])), fast_exp(((score1_1[r + 1] * 0.088388346f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + (from_fp16(part16(left_weights[r / 2], (r & 1) * 16)) + from_fp16(part16(right_weights[r / 2], (r & 1) * 16))));
      }
      weights1[0] = left_weights[0];
      weights1[1] = left_weights[1];
      weights1[2] = right_weights[0];
      weights1[3] = right_weights[1];
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_0, weights0, left_half);
      mma_m16n8k16_fp16(sum0_1, weights0, right_half);
      mma_m16n8k16_fp16(sum1_0, weights1, left_half);
      mma_m16n8k16_fp16(sum1_1, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 16 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_2, weights0, left_half);
      mma_m16n8k16_fp16(sum0_3, weights0, right_half);
      mma_m16n8k16_fp16(sum1_2, weights1, left_half);
      mma_m16n8k16_fp16(sum1_3, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 32 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_4, weights0, left_half);
      mma_m16n8k16_fp16(sum0_5, weights0, right_half);
      mma_m16n8k16_fp16(sum1_4, weights1, left_half);
      mma_m16n8k16_fp16(sum1_5, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 48 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_6, weights0, left_half);
      mma_m16n8k16_fp16(sum0_7, weights0, right_half);
      mma_m16n8k16_fp16(sum1_6, weights1, left_half);
      mma_m16n8k16_fp16(sum1_7, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 64 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_8, weights0, left_half);
      mma_m16n8k16_fp16(sum0_9, weights0, right_half);
      mma_m16n8k16_fp16(sum1_8, weights1, left_half);
      mma_m16n8k16_fp16(sum1_9, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 80 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_10, weights0, left_half);
      mma_m16n8k16_fp16(sum0_11, weights0, right_half);
      mma_m16n8k16_fp16(sum1_10, weights1, left_half);
      mma_m16n8k16_fp16(sum1_11, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 96 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_12, weights0, left_half);
      mma_m16n8k16_fp16(sum0_13, weights0, right_half);
      mma_m16n8k16_fp16(sum1_12, weights1, left_half);
      mma_m16n8k16_fp16(sum1_13, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (row >> 3) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 112 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_14, weights0, left_half);
      mma_m16n8k16_fp16(sum0_15, weights0, right_half);
      mma_m16n8k16_fp16(sum1_14, weights1, left_half);
      mma_m16n8k16_fp16(sum1_15, weights1, right_half);
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        left_weights[r / 2] = pair_fp16(fast_exp(((score0_2[r] * 0.088388346f) - shift0[r >> 1])), fast_exp(((score0_2[r + 1] * 0.088388346f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        right_weights[r / 2] = pair_fp16(fast_exp(((score0_3[r] * 0.088388346f) - shift0[r >> 1])), fast_exp(((score0_3[r + 1] * 0.088388346f) - shift0[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + (from_fp16(part16(left_weights[r / 2], (r & 1) * 16)) + from_fp16(part16(right_weights[r / 2], (r & 1) * 16))));
      }
      weights0[0] = left_weights[0];
      weights0[1] = left_weights[1];
      weights0[2] = right_weights[0];
      weights0[3] = right_weights[1];
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        left_weights[r / 2] = pair_fp16(fast_exp(((score1_2[r] * 0.088388346f) - shift1[r >> 1])), fast_exp(((score1_2[r + 1] * 0.088388346f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; r += 2) {
        right_weights[r / 2] = pair_fp16(fast_exp(((score1_3[r] * 0.088388346f) - shift1[r >> 1])), fast_exp(((score1_3[r + 1] * 0.088388346f) - shift1[r + 1 >> 1])));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + (from_fp16(part16(left_weights[r / 2], (r & 1) * 16)) + from_fp16(part16(right_weights[r / 2], (r & 1) * 16))));
      }
      weights1[0] = left_weights[0];
      weights1[1] = left_weights[1];
      weights1[2] = right_weights[0];
      weights1[3] = right_weights[1];
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_0, weights0, left_half);
      mma_m16n8k16_fp16(sum0_1, weights0, right_half);
      mma_m16n8k16_fp16(sum1_0, weights1, left_half);
      mma_m16n8k16_fp16(sum1_1, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 16 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_2, weights0, left_half);
      mma_m16n8k16_fp16(sum0_3, weights0, right_half);
      mma_m16n8k16_fp16(sum1_2, weights1, left_half);
      mma_m16n8k16_fp16(sum1_3, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 32 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_4, weights0, left_half);
      mma_m16n8k16_fp16(sum0_5, weights0, right_half);
      mma_m16n8k16_fp16(sum1_4, weights1, left_half);
      mma_m16n8k16_fp16(sum1_5, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 48 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_6, weights0, left_half);
      mma_m16n8k16_fp16(sum0_7, weights0, right_half);
      mma_m16n8k16_fp16(sum1_6, weights1, left_half);
      mma_m16n8k16_fp16(sum1_7, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 64 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_8, weights0, left_half);
      mma_m16n8k16_fp16(sum0_9, weights0, right_half);
      mma_m16n8k16_fp16(sum1_8, weights1, left_half);
      mma_m16n8k16_fp16(sum1_9, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 80 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_10, weights0, left_half);
      mma_m16n8k16_fp16(sum0_11, weights0, right_half);
      mma_m16n8k16_fp16(sum1_10, weights1, left_half);
      mma_m16n8k16_fp16(sum1_11, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 96 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_12, weights0, left_half);
      mma_m16n8k16_fp16(sum0_13, weights0, right_half);
      mma_m16n8k16_fp16(sum1_12, weights1, left_half);
      mma_m16n8k16_fp16(sum1_13, weights1, right_half);
      {
        const int row = (lane & 1) + (lane >> 3 & 1) * 8 + (lane >> 1 & 3) * 2;
        const int column = ((lane >> 3) * 2 >> 2) * 8;
        matrices4_transposed(&pair[0], &v_tile[key_block % 2 * 4096 + (2 + (row >> 3)) * 1024 + ((row & 7) * 8 ^ (row & 7) * 128 ^ 112 + column)]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        left_half[r] = pair[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        right_half[r] = pair[r + 2];
      }
      mma_m16n8k16_fp16(sum0_14, weights0, left_half);
      mma_m16n8k16_fp16(sum0_15, weights0, right_half);
      mma_m16n8k16_fp16(sum1_14, weights1, left_half);
      mma_m16n8k16_fp16(sum1_15, weights1, right_half);
    }
    copy_wait<0>();
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
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_8[r] * correction[r >> 1]), (sum0_8[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 64 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 64 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_9[r] * correction[r >> 1]), (sum0_9[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 72 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 72 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_10[r] * correction[r >> 1]), (sum0_10[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 80 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 80 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_11[r] * correction[r >> 1]), (sum0_11[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 88 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 88 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_12[r] * correction[r >> 1]), (sum0_12[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 96 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 96 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_13[r] * correction[r >> 1]), (sum0_13[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 104 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 104 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_14[r] * correction[r >> 1]), (sum0_14[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 112 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 112 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum0_15[r] * correction[r >> 1]), (sum0_15[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + row < m && 120 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + 120 + column] = (result[r / 2]);
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
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_8[r] * correction[r >> 1]), (sum1_8[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 64 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 64 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_9[r] * correction[r >> 1]), (sum1_9[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 72 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 72 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_10[r] * correction[r >> 1]), (sum1_10[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 80 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 80 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_11[r] * correction[r >> 1]), (sum1_11[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 88 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 88 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_12[r] * correction[r >> 1]), (sum1_12[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 96 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 96 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_13[r] * correction[r >> 1]), (sum1_13[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 104 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 104 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_14[r] * correction[r >> 1]), (sum1_14[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 112 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 112 + column] = (result[r / 2]);
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      result[r / 2] = pair_fp16((sum1_15[r] * correction[r >> 1]), (sum1_15[r + 1] * correction[r + 1 >> 1]));
    }
    #pragma unroll
    for (int r = 0; r < 4; r += 2) {
      const int row = (r >> 1) * 8 + (lane >> 2);
      const int column = (r & 1) + (lane & 3) * 2;
      if (warp_row + 16 + row < m && 120 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + 16 + row) + 120 + column] = (result[r / 2]);
    }
  }
}
