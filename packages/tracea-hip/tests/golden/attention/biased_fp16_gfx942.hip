// tracea: attention masked by fp16 fp16
// variant        hip.chained.mfma_fp16 for gfx942
// configuration  64x64x64 s2 w2 va8 vb8 vc8
// schedule       dcd8e16e01f4f1dd5a5a68331ec9ccb0d8d754edb1a0a96e8d38e6fe5fe8bdb4
// certificate    ca82bc728bc215a4761a4bd5bc75650560dcc6de475a2999cf20cb774f65ca0f: structure, domains, types, layouts, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses; nothing of ROCm is needed to compile them.
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(threads, threads)))
#endif
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define INLINE static __device__ inline __attribute__((always_inline))

typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;
template <class T, int count> using vector = T __attribute__((ext_vector_type(count)));

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
INLINE float float_of(unsigned x) { return __builtin_bit_cast(float, x); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)__builtin_bit_cast(_Float16, x); }
INLINE fp16 to_fp16(float x) { return __builtin_bit_cast(fp16, (_Float16)x); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
INLINE int larger(int x, int y) { return x > y ? x : y; }
INLINE i64 larger(i64 x, i64 y) { return x > y ? x : y; }
INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE i64 smaller(i64 x, i64 y) { return x < y ? x : y; }
#define min smaller
#define max larger
INLINE int to_int32(float x) { return x != x ? 0 : (int)minimum(maximum(__builtin_rintf(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)smaller(larger(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)smaller(larger(to_int32(x), 0), 255); }

// Waves meet here; what they stored to shared memory before is visible after. Loads from global memory stay under way.
INLINE void block_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Functions that the compiler has no instructions for. Minimax polynomials in single precision:
// tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above; erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above.
INLINE float exp_of(float x) { return __builtin_expf(x); }
INLINE float tanh_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x);
  const float p = (((-0.006104948011f * s + 0.02100364122f) * s - 0.05385249747f) * s + 0.1333278226f) * s - 0.333333291f;
  const float far = 1.0f - 2.0f / (exp_of(2.0f * (magnitude > 9.1f ? 9.1f : magnitude)) + 1.0f);
  return x != x ? x : __builtin_copysignf(magnitude < 0.625f ? magnitude + magnitude * s * p : far, x);
}
INLINE float erf_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return x != x ? x : __builtin_copysignf(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - exp_of(l), x);
}

// What the lane numbered `lane` of this wave holds; every lane of the wave takes part.
INLINE float of_lane(float x, int lane) { return float_of((unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits_of(x))); }

// Matrix instructions: sums += a · b.
INLINE void mfma_32x32x8_fp16(vector<float, 16>& sums, const vector<unsigned, 2> a, const vector<unsigned, 2> b) {
  sums = __builtin_amdgcn_mfma_f32_32x32x8f16(__builtin_bit_cast(vector<_Float16, 4>, a), __builtin_bit_cast(vector<_Float16, 4>, b), sums, 0, 0, 0);
}

// q: fp16, read, aligned to 16 bytes
// k_matrix: fp16, read, aligned to 16 bytes
// v: fp16, read, aligned to 16 bytes
// score_bias: fp16, read, aligned to 4 bytes
// out: fp16, write, aligned to 8 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 64 by 8
// k: columns of q and k; 0 to 64 by 8
// keys: keys; 0 to 2147479552 by 2
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
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 4
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904 by 2
// q_tile: shared of fp16, outer 64 = 4*1024 + 4 bits, k 64 = 6 bits, atom 2^10 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp16, outer 64 = 4*1024 + 4 bits, k 64 = 6 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, outer 64 = 6 bits, k 64 = 6 bits, atom 2^12 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * items blocks of 128 threads, clusters of 1, 40960 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) attention_masked_by_fp16_fp1_64x64x64_71c9895e(
    const fp16* __restrict__ q,
    const fp16* __restrict__ k_matrix,
    const fp16* __restrict__ v,
    const fp16* __restrict__ score_bias,
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
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 128;
  __shared__ __attribute__((aligned(16))) unsigned char shared[40960];
  fp16* const q_tile = (fp16*)(shared + 0);
  fp16* const k_tile = (fp16*)(shared + 8192);
  fp16* const v_tile = (fp16*)(shared + 24576);
  // warp: warp x 2
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<unsigned, 4> q_tile_fetched0;  // 8x64 fp16 of the warp
    vector<unsigned, 4> k_tile_fetched0;  // 8x64 fp16 of the warp
    vector<unsigned, 4> k_tile_fetched1;  // 8x64 fp16 of the warp
    vector<unsigned, 4> k_tile_fetched2;  // 8x64 fp16 of the warp
    vector<unsigned, 4> k_tile_fetched3;  // 8x64 fp16 of the warp
    vector<unsigned, 16> v_tile_fetched;  // 64x32 fp16 of the warp
    vector<unsigned, 16> v_tile_fetched_turned;  // 64x32 fp16 of the warp
    vector<float, 16> sum0_0;  // 32x32 fp32 of the warp
    vector<float, 16> sum0_1;  // 32x32 fp32 of the warp
    vector<float, 16> score0_0;  // 32x32 fp32 of the warp
    vector<float, 16> score0_1;  // 32x32 fp32 of the warp
    vector<unsigned, 2> q0;  // 32x8 fp16 of the warp
    vector<unsigned, 2> weights0;  // 32x8 fp16 of the warp
    vector<float, 16> total0;  // 32x32 fp32 of the warp
    float top0[1];  // 32x1 fp32 of the warp
    float shift0[1];  // 32x1 fp32 of the warp
    vector<float, 16> part;  // 32x32 fp32 of the warp
    float found[1];  // 32x1 fp32 of the warp
    float correction[1];  // 32x1 fp32 of the warp
    vector<unsigned, 2> right_operand;  // 8x32 fp16 of the warp
    vector<unsigned, 8> part0;  // 32x32 fp16 of the warp
    vector<unsigned, 8> score_bias_held;  // 32x32 fp16 of the warp
    vector<unsigned, 8> result;  // 32x32 fp16 of the warp
    const int row_tiles = (m + 63) / 64;
    const int row0 = block % row_tiles * 64;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 32;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 63) / 64;
    i64 bias_at0[1];
    {
      bias_at0[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + (lane & 0x1f), m - 1) * score_bias_row;
    }
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
      sum0_1[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&q_tile[warp * 32 + row * 4 ^ warp * 512 + row * 64 ^ column] = vector<unsigned, 2>{(q_tile_fetched0[r / 2]), (q_tile_fetched0[r / 2 + 1])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 2) * 8 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&q_tile[((warp + 2) * 8 >> 4) * 1024 + (((warp + 2) * 8 & 15) * 4 + row * 4 ^ ((warp + 2) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(q_tile_fetched0[r / 2]), (q_tile_fetched0[r / 2 + 1])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&q_tile[((warp + 4) * 8 >> 4) * 1024 + (((warp + 4) * 8 & 15) * 4 + row * 4 ^ ((warp + 4) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(q_tile_fetched0[r / 2]), (q_tile_fetched0[r / 2 + 1])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 6) * 8 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&q_tile[((warp + 6) * 8 >> 4) * 1024 + (((warp + 6) * 8 & 15) * 4 + row * 4 ^ ((warp + 6) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(q_tile_fetched0[r / 2]), (q_tile_fetched0[r / 2 + 1])};
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched0 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched1 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched2 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 4) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched2[0] = 0; k_tile_fetched2[1] = 0; k_tile_fetched2[2] = 0; k_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched3 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 6) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched3[0] = 0; k_tile_fetched3[1] = 0; k_tile_fetched3[2] = 0; k_tile_fetched3[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 32; r += 8) {
        const int row = (r & 7) + (lane & 7) * 8;
        const int column = (r >> 3) + (lane >> 3) * 4;
        if (warp * 32 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 32 + column) * v_row + min((i64)(lane & 7) * 8, (i64)(n - 8)) + (r & 7)]; v_tile_fetched[r / 2] = (run[0]); v_tile_fetched[r / 2 + 1] = (run[1]); v_tile_fetched[r / 2 + 2] = (run[2]); v_tile_fetched[r / 2 + 3] = (run[3]); }
        else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; v_tile_fetched[r / 2 + 2] = 0; v_tile_fetched[r / 2 + 3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&k_tile[warp * 32 + row * 4 ^ warp * 512 + row * 64 ^ column] = vector<unsigned, 2>{(k_tile_fetched0[r / 2]), (k_tile_fetched0[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&k_tile[((warp + 2) * 8 >> 4) * 1024 + (((warp + 2) * 8 & 15) * 4 + row * 4 ^ ((warp + 2) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched1[r / 2]), (k_tile_fetched1[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&k_tile[((warp + 4) * 8 >> 4) * 1024 + (((warp + 4) * 8 & 15) * 4 + row * 4 ^ ((warp + 4) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched2[r / 2]), (k_tile_fetched2[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&k_tile[((warp + 6) * 8 >> 4) * 1024 + (((warp + 6) * 8 & 15) * 4 + row * 4 ^ ((warp + 6) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched3[r / 2]), (k_tile_fetched3[r / 2 + 1])};
      }
      v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[4], 0) << 16;
      v_tile_fetched_turned[1] = part16(v_tile_fetched[8], 0) | (unsigned)part16(v_tile_fetched[12], 0) << 16;
      v_tile_fetched_turned[2] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[4], 16) << 16;
      v_tile_fetched_turned[3] = part16(v_tile_fetched[8], 16) | (unsigned)part16(v_tile_fetched[12], 16) << 16;
      v_tile_fetched_turned[4] = part16(v_tile_fetched[1], 0) | (unsigned)part16(v_tile_fetched[5], 0) << 16;
      v_tile_fetched_turned[5] = part16(v_tile_fetched[9], 0) | (unsigned)part16(v_tile_fetched[13], 0) << 16;
      v_tile_fetched_turned[6] = part16(v_tile_fetched[1], 16) | (unsigned)part16(v_tile_fetched[5], 16) << 16;
      v_tile_fetched_turned[7] = part16(v_tile_fetched[9], 16) | (unsigned)part16(v_tile_fetched[13], 16) << 16;
      v_tile_fetched_turned[8] = part16(v_tile_fetched[2], 0) | (unsigned)part16(v_tile_fetched[6], 0) << 16;
      v_tile_fetched_turned[9] = part16(v_tile_fetched[10], 0) | (unsigned)part16(v_tile_fetched[14], 0) << 16;
      v_tile_fetched_turned[10] = part16(v_tile_fetched[2], 16) | (unsigned)part16(v_tile_fetched[6], 16) << 16;
      v_tile_fetched_turned[11] = part16(v_tile_fetched[10], 16) | (unsigned)part16(v_tile_fetched[14], 16) << 16;
      v_tile_fetched_turned[12] = part16(v_tile_fetched[3], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
      v_tile_fetched_turned[13] = part16(v_tile_fetched[11], 0) | (unsigned)part16(v_tile_fetched[15], 0) << 16;
      v_tile_fetched_turned[14] = part16(v_tile_fetched[3], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
      v_tile_fetched_turned[15] = part16(v_tile_fetched[11], 16) | (unsigned)part16(v_tile_fetched[15], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 32; r += 4) {
        const int row = (r >> 2) + (lane & 7) * 8;
        const int column = (r & 3) + (lane >> 3) * 4;
        *(vector<unsigned, 2>*)&v_tile[(row & 15) * 4 ^ row * 64 ^ (row >> 4) * 8 ^ warp * 32 + column] = vector<unsigned, 2>{(v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1])};
      }
    }
    block_barrier();  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched0 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched1 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched2 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 4) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched2[0] = 0; k_tile_fetched2[1] = 0; k_tile_fetched2[2] = 0; k_tile_fetched2[3] = 0; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched3 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 6) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched3[0] = 0; k_tile_fetched3[1] = 0; k_tile_fetched3[2] = 0; k_tile_fetched3[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r & 7) + (lane & 7) * 8;
          const int column = (r >> 3) + (lane >> 3) * 4;
          if ((key_block + 1) * 64 + warp * 32 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)warp * 32 + column) * v_row + min((i64)(lane & 7) * 8, (i64)(n - 8)) + (r & 7)]; v_tile_fetched[r / 2] = (run[0]); v_tile_fetched[r / 2 + 1] = (run[1]); v_tile_fetched[r / 2 + 2] = (run[2]); v_tile_fetched[r / 2 + 3] = (run[3]); }
          else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; v_tile_fetched[r / 2 + 2] = 0; v_tile_fetched[r / 2 + 3] = 0; }
        }
      }
      const int key0 = key_block * 64;
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = lane & 0x1f;
          const int column = (lane >> 5) * 4;
          q0 = *(const vector<unsigned, 2>*)&q_tile[(warp * 2 + (row >> 4)) * 1024 + ((row & 15) * 4 ^ (row & 15) * 64 ^ k_inner + column)];
        }
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          right_operand = *(const vector<unsigned, 2>*)&k_tile[key_block % 2 * 4096 + (column >> 4) * 1024 + ((column & 15) * 4 ^ (column & 15) * 64 ^ k_inner + row)];
        }
        mfma_32x32x8_fp16(score0_0, right_operand, q0);
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          right_operand = *(const vector<unsigned, 2>*)&k_tile[key_block % 2 * 4096 + (2 + (column >> 4)) * 1024 + ((column & 15) * 4 ^ (column & 15) * 64 ^ k_inner + row)];
        }
        mfma_32x32x8_fp16(score0_1, right_operand, q0);
      }
      if (key0 + 31 < keys) {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          score_bias_held[r / 2] = (*(const unsigned*)&(score_bias + bias_at0[0])[key0 + (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4]);
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          score_bias_held[r / 2] = (*(const unsigned*)&(score_bias + bias_at0[0])[key0 + min((i64)((r & 3) / 2 + (r >> 2) * 4 + (lane >> 5) * 2) * 2, (i64)last_run) + (r & 3) % 2]);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        score0_0[r] = ((score0_0[r] * 0.125f) + from_fp16(part16(score_bias_held[r / 2], (r & 1) * 16)));
      }
      if (key0 + 32 + 31 < keys) {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          score_bias_held[r / 2] = (*(const unsigned*)&(score_bias + bias_at0[0])[key0 + 32 + (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4]);
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 32);
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          score_bias_held[r / 2] = (*(const unsigned*)&(score_bias + bias_at0[0])[key0 + 32 + min((i64)((r & 3) / 2 + (r >> 2) * 4 + (lane >> 5) * 2) * 2, (i64)last_run) + (r & 3) % 2]);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        score0_1[r] = ((score0_1[r] * 0.125f) + from_fp16(part16(score_bias_held[r / 2], (r & 1) * 16)));
      }
      if (key0 + 63 < keys) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!((r & 3) + (r >> 2) * 8 + (lane >> 5) * 4 < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(32 + (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4 < keys_stop0[0])) score0_1[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        part[r] = maximum(score0_0[r], score0_1[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 16; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 32));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top0[0]);
      }
      {
        const float v0 = found[0];
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : v0);
      }
      {
        correction[0] = exp_of((top0[0] - shift0[0]));
      }
      top0[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        total0[r] = (total0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        part0[r / 2] = pair_fp16(exp_of((score0_0[r] - shift0[0])), exp_of((score0_0[r + 1] - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(part0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 2];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 8 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 8 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 4];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 16 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 16 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 6];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 24 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 24 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        part0[r / 2] = pair_fp16(exp_of((score0_1[r] - shift0[0])), exp_of((score0_1[r + 1] - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(part0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 32 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 32 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 2];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 40 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 40 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 4];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 48 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 48 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        weights0[r] = part0[r + 6];
      }
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 8 ^ 56 + row)];
      }
      mfma_32x32x8_fp16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 5) * 4;
        const int column = lane & 0x1f;
        right_operand = *(const vector<unsigned, 2>*)&v_tile[key_block % 2 * 4096 + ((column & 15) * 4 ^ 2048 + column * 64 ^ 16 + (column >> 4) * 8 ^ 56 + row)];
      }
      mfma_32x32x8_fp16(sum0_1, right_operand, weights0);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 8;
          *(vector<unsigned, 2>*)&k_tile[(key_block + 1) % 2 * 4096 + (warp * 32 + row * 4 ^ warp * 512 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched0[r / 2]), (k_tile_fetched0[r / 2 + 1])};
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 8;
          *(vector<unsigned, 2>*)&k_tile[(key_block + 1) % 2 * 4096 + ((warp + 2) * 8 >> 4) * 1024 + (((warp + 2) * 8 & 15) * 4 + row * 4 ^ ((warp + 2) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched1[r / 2]), (k_tile_fetched1[r / 2 + 1])};
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 8;
          *(vector<unsigned, 2>*)&k_tile[(key_block + 1) % 2 * 4096 + ((warp + 4) * 8 >> 4) * 1024 + (((warp + 4) * 8 & 15) * 4 + row * 4 ^ ((warp + 4) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched2[r / 2]), (k_tile_fetched2[r / 2 + 1])};
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 8;
          *(vector<unsigned, 2>*)&k_tile[(key_block + 1) % 2 * 4096 + ((warp + 6) * 8 >> 4) * 1024 + (((warp + 6) * 8 & 15) * 4 + row * 4 ^ ((warp + 6) * 8 & 15) * 64 + row * 64 ^ column)] = vector<unsigned, 2>{(k_tile_fetched3[r / 2]), (k_tile_fetched3[r / 2 + 1])};
        }
        v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[4], 0) << 16;
        v_tile_fetched_turned[1] = part16(v_tile_fetched[8], 0) | (unsigned)part16(v_tile_fetched[12], 0) << 16;
        v_tile_fetched_turned[2] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[4], 16) << 16;
        v_tile_fetched_turned[3] = part16(v_tile_fetched[8], 16) | (unsigned)part16(v_tile_fetched[12], 16) << 16;
        v_tile_fetched_turned[4] = part16(v_tile_fetched[1], 0) | (unsigned)part16(v_tile_fetched[5], 0) << 16;
        v_tile_fetched_turned[5] = part16(v_tile_fetched[9], 0) | (unsigned)part16(v_tile_fetched[13], 0) << 16;
        v_tile_fetched_turned[6] = part16(v_tile_fetched[1], 16) | (unsigned)part16(v_tile_fetched[5], 16) << 16;
        v_tile_fetched_turned[7] = part16(v_tile_fetched[9], 16) | (unsigned)part16(v_tile_fetched[13], 16) << 16;
        v_tile_fetched_turned[8] = part16(v_tile_fetched[2], 0) | (unsigned)part16(v_tile_fetched[6], 0) << 16;
        v_tile_fetched_turned[9] = part16(v_tile_fetched[10], 0) | (unsigned)part16(v_tile_fetched[14], 0) << 16;
        v_tile_fetched_turned[10] = part16(v_tile_fetched[2], 16) | (unsigned)part16(v_tile_fetched[6], 16) << 16;
        v_tile_fetched_turned[11] = part16(v_tile_fetched[10], 16) | (unsigned)part16(v_tile_fetched[14], 16) << 16;
        v_tile_fetched_turned[12] = part16(v_tile_fetched[3], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
        v_tile_fetched_turned[13] = part16(v_tile_fetched[11], 0) | (unsigned)part16(v_tile_fetched[15], 0) << 16;
        v_tile_fetched_turned[14] = part16(v_tile_fetched[3], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
        v_tile_fetched_turned[15] = part16(v_tile_fetched[11], 16) | (unsigned)part16(v_tile_fetched[15], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = (r >> 2) + (lane & 7) * 8;
          const int column = (r & 3) + (lane >> 3) * 4;
          *(vector<unsigned, 2>*)&v_tile[(key_block + 1) % 2 * 4096 + ((row & 15) * 4 ^ row * 64 ^ (row >> 4) * 8 ^ warp * 32 + column)] = vector<unsigned, 2>{(v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1])};
        }
      }
      block_barrier();  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 16; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + of_lane(folded, lane ^ 32);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 2) {
      result[r / 2] = pair_fp16((sum0_0[r] * correction[0]), (sum0_0[r + 1] * correction[0]));
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 4) {
      const int row = lane & 0x1f;
      const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
      if (warp_row + row < m && column < n) *(vector<unsigned, 2>*)&out[out_at + out_row * (warp_row + row) + column] = vector<unsigned, 2>{(result[r / 2]), (result[r / 2 + 1])};
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 2) {
      result[r / 2] = pair_fp16((sum0_1[r] * correction[0]), (sum0_1[r + 1] * correction[0]));
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 4) {
      const int row = lane & 0x1f;
      const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
      if (warp_row + row < m && 32 + column < n) *(vector<unsigned, 2>*)&out[out_at + out_row * (warp_row + row) + 32 + column] = vector<unsigned, 2>{(result[r / 2]), (result[r / 2 + 1])};
    }
  }
}
