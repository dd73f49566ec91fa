// tracea: attention fp32
// variant        hip.chained.simt_fp32 for gfx942
// configuration  64x32x64 s2 w2 va4 vb4 vc8
// schedule       9db9464720ddbd0e9716f7a81ada40a9866b7954a0e135e217d60e639ad1faf4
// certificate    797708f0b316b03a7a43d5a5a27527331b940a955d05ce4172d73cd9f9274969: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// q: fp32, read, aligned to 16 bytes
// k_matrix: fp32, read, aligned to 16 bytes
// v: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 4 to 64 by 4
// k: columns of q and k; 0 to 64 by 4
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 4
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 4
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 4
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 4
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// q_tile: shared of fp32, outer 64 = 16*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp32, k 64 = 2*1024 + 5 bits, outer 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp32, k 32 = 32*64, outer 64 = 2*32 + 5 bits, atom 2^5, 2 slots, kept for a tile, aligned to 16 bytes
// weights_tile: shared of fp32, row 64 = 64*36, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * items blocks of 128 threads, clusters of 1, 58352 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) attention_fp32_64x32x64_10e8a48b(
    const float* __restrict__ q,
    const float* __restrict__ k_matrix,
    const float* __restrict__ v,
    float* __restrict__ out,
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
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 128;
  __shared__ __attribute__((aligned(16))) unsigned char shared[58352];
  float* const q_tile = (float*)(shared + 0);
  float* const k_tile = (float*)(shared + 16384);
  float* const v_tile = (float*)(shared + 32768);
  float* const weights_tile = (float*)(shared + 49152);
  // warp: warp x 2
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 4> q_tile_fetched0;  // 4x64 fp32 of the warp
    vector<float, 4> k_tile_fetched0;  // 8x32 fp32 of the warp
    vector<float, 4> k_tile_fetched1;  // 8x32 fp32 of the warp
    vector<float, 4> k_tile_fetched2;  // 8x32 fp32 of the warp
    vector<float, 4> k_tile_fetched3;  // 8x32 fp32 of the warp
    vector<float, 4> v_tile_fetched0;  // 64x4 fp32 of the warp
    vector<float, 4> v_tile_fetched1;  // 64x4 fp32 of the warp
    vector<float, 4> v_tile_fetched2;  // 64x4 fp32 of the warp
    vector<float, 4> v_tile_fetched3;  // 64x4 fp32 of the warp
    vector<float, 4> sum0_0;  // 8x32 fp32 of the warp
    vector<float, 4> sum0_1;  // 8x32 fp32 of the warp
    vector<float, 4> sum1_0;  // 8x32 fp32 of the warp
    vector<float, 4> sum1_1;  // 8x32 fp32 of the warp
    vector<float, 4> sum2_0;  // 8x32 fp32 of the warp
    vector<float, 4> sum2_1;  // 8x32 fp32 of the warp
    vector<float, 4> sum3_0;  // 8x32 fp32 of the warp
    vector<float, 4> sum3_1;  // 8x32 fp32 of the warp
    vector<float, 4> score0_0;  // 8x32 fp32 of the warp
    vector<float, 4> score1_0;  // 8x32 fp32 of the warp
    vector<float, 4> score2_0;  // 8x32 fp32 of the warp
    vector<float, 4> score3_0;  // 8x32 fp32 of the warp
    float q0[1];  // 8x1 fp32 of the warp
    float weights0[1];  // 8x1 fp32 of the warp
    vector<float, 4> total0;  // 8x32 fp32 of the warp
    float top0[1];  // 8x1 fp32 of the warp
    float shift0[1];  // 8x1 fp32 of the warp
    float q1[1];  // 8x1 fp32 of the warp
    float weights1[1];  // 8x1 fp32 of the warp
    vector<float, 4> total1;  // 8x32 fp32 of the warp
    float top1[1];  // 8x1 fp32 of the warp
    float shift1[1];  // 8x1 fp32 of the warp
    float q2[1];  // 8x1 fp32 of the warp
    float weights2[1];  // 8x1 fp32 of the warp
    vector<float, 4> total2;  // 8x32 fp32 of the warp
    float top2[1];  // 8x1 fp32 of the warp
    float shift2[1];  // 8x1 fp32 of the warp
    float q3[1];  // 8x1 fp32 of the warp
    float weights3[1];  // 8x1 fp32 of the warp
    vector<float, 4> total3;  // 8x32 fp32 of the warp
    float top3[1];  // 8x1 fp32 of the warp
    float shift3[1];  // 8x1 fp32 of the warp
    vector<float, 4> part;  // 8x32 fp32 of the warp
    float found[1];  // 8x1 fp32 of the warp
    float correction[1];  // 8x1 fp32 of the warp
    vector<float, 4> right_operand;  // 1x32 fp32 of the warp
    vector<float, 4> piece0;  // 8x32 fp32 of the warp
    vector<float, 4> result;  // 8x32 fp32 of the warp
    const int row_tiles = (m + 63) / 64;
    const int row0 = block % row_tiles * 64;
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
      sum1_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum1_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum2_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum2_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum3_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      sum3_1[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total0[r] = 0.0f;
    }
    {
      top1[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total1[r] = 0.0f;
    }
    {
      top2[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total2[r] = 0.0f;
    }
    {
      top3[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      total3[r] = 0.0f;
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[warp * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 2) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 2) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 4) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 6) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 6) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 8) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 10) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 10) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 12) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 14) * 4 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = float_of(run[0]); q_tile_fetched0[0 + 1] = float_of(run[1]); q_tile_fetched0[0 + 2] = float_of(run[2]); q_tile_fetched0[0 + 3] = float_of(run[3]); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      *(vector<unsigned, 4>*)&q_tile[(warp + 14) * 256 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 4>{bits_of(q_tile_fetched0[0]), bits_of(q_tile_fetched0[0 + 1]), bits_of(q_tile_fetched0[0 + 2]), bits_of(q_tile_fetched0[0 + 3])};
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = float_of(run[0]); k_tile_fetched0[0 + 1] = float_of(run[1]); k_tile_fetched0[0 + 2] = float_of(run[2]); k_tile_fetched0[0 + 3] = float_of(run[3]); }
        else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = float_of(run[0]); k_tile_fetched1[0 + 1] = float_of(run[1]); k_tile_fetched1[0 + 2] = float_of(run[2]); k_tile_fetched1[0 + 3] = float_of(run[3]); }
        else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched2[0] = float_of(run[0]); k_tile_fetched2[0 + 1] = float_of(run[1]); k_tile_fetched2[0 + 2] = float_of(run[2]); k_tile_fetched2[0 + 3] = float_of(run[3]); }
        else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched3[0] = float_of(run[0]); k_tile_fetched3[0 + 1] = float_of(run[1]); k_tile_fetched3[0 + 2] = float_of(run[2]); k_tile_fetched3[0 + 3] = float_of(run[3]); }
        else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if (warp * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched0[0] = float_of(run[0]); v_tile_fetched0[0 + 1] = float_of(run[1]); v_tile_fetched0[0 + 2] = float_of(run[2]); v_tile_fetched0[0 + 3] = float_of(run[3]); }
        else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 2) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 2) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched1[0] = float_of(run[0]); v_tile_fetched1[0 + 1] = float_of(run[1]); v_tile_fetched1[0 + 2] = float_of(run[2]); v_tile_fetched1[0 + 3] = float_of(run[3]); }
        else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 4) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 4) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched2[0] = float_of(run[0]); v_tile_fetched2[0 + 1] = float_of(run[1]); v_tile_fetched2[0 + 2] = float_of(run[2]); v_tile_fetched2[0 + 3] = float_of(run[3]); }
        else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 6) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 6) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched3[0] = float_of(run[0]); v_tile_fetched3[0 + 1] = float_of(run[1]); v_tile_fetched3[0 + 2] = float_of(run[2]); v_tile_fetched3[0 + 3] = float_of(run[3]); }
        else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 32 ^ (column >> 2) * 4 ^ warp * 8 + row] = k_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 32 ^ (column >> 2) * 4 ^ (warp + 2) * 8 + row] = k_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[1024 + (column * 32 ^ (column >> 2) * 4 ^ warp * 8 + row)] = k_tile_fetched2[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[1024 + (column * 32 ^ (column >> 2) * 4 ^ (warp + 2) * 8 + row)] = k_tile_fetched3[r];
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(vector<unsigned, 4>*)&v_tile[(warp * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched0[0]), bits_of(v_tile_fetched0[0 + 1]), bits_of(v_tile_fetched0[0 + 2]), bits_of(v_tile_fetched0[0 + 3])};
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(vector<unsigned, 4>*)&v_tile[((warp + 2) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched1[0]), bits_of(v_tile_fetched1[0 + 1]), bits_of(v_tile_fetched1[0 + 2]), bits_of(v_tile_fetched1[0 + 3])};
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(vector<unsigned, 4>*)&v_tile[((warp + 4) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched2[0]), bits_of(v_tile_fetched2[0 + 1]), bits_of(v_tile_fetched2[0 + 2]), bits_of(v_tile_fetched2[0 + 3])};
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(vector<unsigned, 4>*)&v_tile[((warp + 6) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched3[0]), bits_of(v_tile_fetched3[0 + 1]), bits_of(v_tile_fetched3[0 + 2]), bits_of(v_tile_fetched3[0 + 3])};
      }
    }
    block_barrier();  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = float_of(run[0]); k_tile_fetched0[0 + 1] = float_of(run[1]); k_tile_fetched0[0 + 2] = float_of(run[2]); k_tile_fetched0[0 + 3] = float_of(run[3]); }
          else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = float_of(run[0]); k_tile_fetched1[0 + 1] = float_of(run[1]); k_tile_fetched1[0 + 2] = float_of(run[2]); k_tile_fetched1[0 + 3] = float_of(run[3]); }
          else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)warp * 8 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched2[0] = float_of(run[0]); k_tile_fetched2[0 + 1] = float_of(run[1]); k_tile_fetched2[0 + 2] = float_of(run[2]); k_tile_fetched2[0 + 3] = float_of(run[3]); }
          else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)(warp + 2) * 8 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched3[0] = float_of(run[0]); k_tile_fetched3[0 + 1] = float_of(run[1]); k_tile_fetched3[0 + 2] = float_of(run[2]); k_tile_fetched3[0 + 3] = float_of(run[3]); }
          else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 32 + warp * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)warp * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched0[0] = float_of(run[0]); v_tile_fetched0[0 + 1] = float_of(run[1]); v_tile_fetched0[0 + 2] = float_of(run[2]); v_tile_fetched0[0 + 3] = float_of(run[3]); }
          else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 32 + (warp + 2) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)(warp + 2) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched1[0] = float_of(run[0]); v_tile_fetched1[0 + 1] = float_of(run[1]); v_tile_fetched1[0 + 2] = float_of(run[2]); v_tile_fetched1[0 + 3] = float_of(run[3]); }
          else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 32 + (warp + 4) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)(warp + 4) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched2[0] = float_of(run[0]); v_tile_fetched2[0 + 1] = float_of(run[1]); v_tile_fetched2[0 + 2] = float_of(run[2]); v_tile_fetched2[0 + 3] = float_of(run[3]); }
          else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 32 + (warp + 6) * 4 + column < keys) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)(warp + 6) * 4 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched3[0] = float_of(run[0]); v_tile_fetched3[0 + 1] = float_of(run[1]); v_tile_fetched3[0 + 2] = float_of(run[2]); v_tile_fetched3[0 + 3] = float_of(run[3]); }
          else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
        }
      }
      const int key0 = key_block * 32;
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        score3_0[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; ++k_inner) {
        {
          const int row = lane >> 3;
          q0[0] = q_tile[(warp * 8 + (row >> 2)) * 256 + ((row & 3) * 4 ^ (row & 3) * 64 ^ k_inner)];
        }
        {
          const int row = lane >> 3;
          q1[0] = q_tile[(warp * 8 + 2 + (row >> 2)) * 256 + ((row & 3) * 4 ^ (row & 3) * 64 ^ k_inner)];
        }
        {
          const int row = lane >> 3;
          q2[0] = q_tile[(warp * 8 + 4 + (row >> 2)) * 256 + ((row & 3) * 4 ^ (row & 3) * 64 ^ k_inner)];
        }
        {
          const int row = lane >> 3;
          q3[0] = q_tile[(warp * 8 + 6 + (row >> 2)) * 256 + ((row & 3) * 4 ^ (row & 3) * 64 ^ k_inner)];
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&k_tile[key_block % 2 * 2048 + (k_inner >> 5) * 1024 + ((k_inner & 0x1f) * 32 ^ k_inner & 0x1c ^ column)]; right_operand[0] = float_of(run[0]); right_operand[0 + 1] = float_of(run[1]); right_operand[0 + 2] = float_of(run[2]); right_operand[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score0_0[i * 4 + j] += q0[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score1_0[i * 4 + j] += q1[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score2_0[i * 4 + j] += q2[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score3_0[i * 4 + j] += q3[i] * right_operand[j];
          }
        }
      }
      if (key0 + 31 < keys) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(r + (lane & 7) * 4 < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
        int keys_stop1[1];
        {
          keys_stop1[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(r + (lane & 7) * 4 < keys_stop1[0])) score1_0[r] = -3.4028235e+38f;
        }
        int keys_stop2[1];
        {
          keys_stop2[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(r + (lane & 7) * 4 < keys_stop2[0])) score2_0[r] = -3.4028235e+38f;
        }
        int keys_stop3[1];
        {
          keys_stop3[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(r + (lane & 7) * 4 < keys_stop3[0])) score3_0[r] = -3.4028235e+38f;
        }
      }
      part[0] = score0_0[0];
      part[1] = score0_0[1];
      part[2] = score0_0[2];
      part[3] = score0_0[3];
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 4));
        folded = maximum(folded, of_lane(folded, lane ^ 2));
        folded = maximum(folded, of_lane(folded, lane ^ 1));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top0[0]);
      }
      {
        const float v0 = found[0];
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = exp_of(((top0[0] * 0.125f) - shift0[0]));
      }
      top0[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[0]);
      }
      part[0] = score1_0[0];
      part[1] = score1_0[1];
      part[2] = score1_0[2];
      part[3] = score1_0[3];
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 4));
        folded = maximum(folded, of_lane(folded, lane ^ 2));
        folded = maximum(folded, of_lane(folded, lane ^ 1));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top1[0]);
      }
      {
        const float v0 = found[0];
        shift1[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = exp_of(((top1[0] * 0.125f) - shift1[0]));
      }
      top1[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_0[r] = (sum1_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum1_1[r] = (sum1_1[r] * correction[0]);
      }
      part[0] = score2_0[0];
      part[1] = score2_0[1];
      part[2] = score2_0[2];
      part[3] = score2_0[3];
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 4));
        folded = maximum(folded, of_lane(folded, lane ^ 2));
        folded = maximum(folded, of_lane(folded, lane ^ 1));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top2[0]);
      }
      {
        const float v0 = found[0];
        shift2[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = exp_of(((top2[0] * 0.125f) - shift2[0]));
      }
      top2[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total2[r] = (total2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum2_0[r] = (sum2_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum2_1[r] = (sum2_1[r] * correction[0]);
      }
      part[0] = score3_0[0];
      part[1] = score3_0[1];
      part[2] = score3_0[2];
      part[3] = score3_0[3];
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 4));
        folded = maximum(folded, of_lane(folded, lane ^ 2));
        folded = maximum(folded, of_lane(folded, lane ^ 1));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top3[0]);
      }
      {
        const float v0 = found[0];
        shift3[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = exp_of(((top3[0] * 0.125f) - shift3[0]));
      }
      top3[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total3[r] = (total3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum3_0[r] = (sum3_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        sum3_1[r] = (sum3_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        piece0[r] = exp_of(((score0_0[r] * 0.125f) - shift0[0]));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        *(vector<unsigned, 4>*)&weights_tile[(warp * 32 + row) * 36 + column] = vector<unsigned, 4>{bits_of(piece0[0]), bits_of(piece0[0 + 1]), bits_of(piece0[0 + 2]), bits_of(piece0[0 + 3])};
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        piece0[r] = exp_of(((score1_0[r] * 0.125f) - shift1[0]));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total1[r] = (total1[r] + piece0[r]);
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        *(vector<unsigned, 4>*)&weights_tile[(warp * 32 + 8 + row) * 36 + column] = vector<unsigned, 4>{bits_of(piece0[0]), bits_of(piece0[0 + 1]), bits_of(piece0[0 + 2]), bits_of(piece0[0 + 3])};
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        piece0[r] = exp_of(((score2_0[r] * 0.125f) - shift2[0]));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total2[r] = (total2[r] + piece0[r]);
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        *(vector<unsigned, 4>*)&weights_tile[(warp * 32 + 16 + row) * 36 + column] = vector<unsigned, 4>{bits_of(piece0[0]), bits_of(piece0[0 + 1]), bits_of(piece0[0 + 2]), bits_of(piece0[0 + 3])};
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        piece0[r] = exp_of(((score3_0[r] * 0.125f) - shift3[0]));
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        total3[r] = (total3[r] + piece0[r]);
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        *(vector<unsigned, 4>*)&weights_tile[(warp * 32 + 24 + row) * 36 + column] = vector<unsigned, 4>{bits_of(piece0[0]), bits_of(piece0[0 + 1]), bits_of(piece0[0 + 2]), bits_of(piece0[0 + 3])};
      }
      block_barrier();  // weights_written
      #pragma unroll 4
      for (int key_inner = 0; key_inner < 32; ++key_inner) {
        {
          const int row = lane >> 3;
          weights0[0] = weights_tile[(warp * 32 + row) * 36 + key_inner];
        }
        {
          const int row = lane >> 3;
          weights1[0] = weights_tile[(warp * 32 + 8 + row) * 36 + key_inner];
        }
        {
          const int row = lane >> 3;
          weights2[0] = weights_tile[(warp * 32 + 16 + row) * 36 + key_inner];
        }
        {
          const int row = lane >> 3;
          weights3[0] = weights_tile[(warp * 32 + 24 + row) * 36 + key_inner];
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + key_inner * 64 + column]; right_operand[0] = float_of(run[0]); right_operand[0 + 1] = float_of(run[1]); right_operand[0 + 2] = float_of(run[2]); right_operand[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_0[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum1_0[i * 4 + j] += weights1[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum2_0[i * 4 + j] += weights2[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum3_0[i * 4 + j] += weights3[i] * right_operand[j];
          }
        }
        {
          const int column = (lane & 7) * 4;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + key_inner * 64 + 32 + column]; right_operand[0] = float_of(run[0]); right_operand[0 + 1] = float_of(run[1]); right_operand[0 + 2] = float_of(run[2]); right_operand[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_1[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum1_1[i * 4 + j] += weights1[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum2_1[i * 4 + j] += weights2[i] * right_operand[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum3_1[i * 4 + j] += weights3[i] * right_operand[j];
          }
        }
      }
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 2048 + (column * 32 ^ (column >> 2) * 4 ^ warp * 8 + row)] = k_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 2048 + (column * 32 ^ (column >> 2) * 4 ^ (warp + 2) * 8 + row)] = k_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 2048 + 1024 + (column * 32 ^ (column >> 2) * 4 ^ warp * 8 + row)] = k_tile_fetched2[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 2048 + 1024 + (column * 32 ^ (column >> 2) * 4 ^ (warp + 2) * 8 + row)] = k_tile_fetched3[r];
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(vector<unsigned, 4>*)&v_tile[(key_block + 1) % 2 * 2048 + (warp * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched0[0]), bits_of(v_tile_fetched0[0 + 1]), bits_of(v_tile_fetched0[0 + 2]), bits_of(v_tile_fetched0[0 + 3])};
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(vector<unsigned, 4>*)&v_tile[(key_block + 1) % 2 * 2048 + ((warp + 2) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched1[0]), bits_of(v_tile_fetched1[0 + 1]), bits_of(v_tile_fetched1[0 + 2]), bits_of(v_tile_fetched1[0 + 3])};
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(vector<unsigned, 4>*)&v_tile[(key_block + 1) % 2 * 2048 + ((warp + 4) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched2[0]), bits_of(v_tile_fetched2[0 + 1]), bits_of(v_tile_fetched2[0 + 2]), bits_of(v_tile_fetched2[0 + 3])};
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(vector<unsigned, 4>*)&v_tile[(key_block + 1) % 2 * 2048 + ((warp + 6) * 4 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = vector<unsigned, 4>{bits_of(v_tile_fetched3[0]), bits_of(v_tile_fetched3[0 + 1]), bits_of(v_tile_fetched3[0 + 2]), bits_of(v_tile_fetched3[0 + 3])};
        }
      }
      block_barrier();  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + of_lane(folded, lane ^ 4);
      folded = folded + of_lane(folded, lane ^ 2);
      folded = folded + of_lane(folded, lane ^ 1);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum0_0[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + row < m && column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum0_1[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + row < m && 32 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + 32 + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    {
      float folded = total1[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total1[r];
      }
      folded = folded + of_lane(folded, lane ^ 4);
      folded = folded + of_lane(folded, lane ^ 2);
      folded = folded + of_lane(folded, lane ^ 1);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum1_0[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 8 + row < m && column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 8 + row) + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum1_1[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 8 + row < m && 32 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 8 + row) + 32 + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    {
      float folded = total2[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total2[r];
      }
      folded = folded + of_lane(folded, lane ^ 4);
      folded = folded + of_lane(folded, lane ^ 2);
      folded = folded + of_lane(folded, lane ^ 1);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum2_0[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 16 + row < m && column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 16 + row) + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum2_1[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 16 + row < m && 32 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 16 + row) + 32 + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    {
      float folded = total3[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total3[r];
      }
      folded = folded + of_lane(folded, lane ^ 4);
      folded = folded + of_lane(folded, lane ^ 2);
      folded = folded + of_lane(folded, lane ^ 1);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum3_0[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 24 + row < m && column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 24 + row) + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      result[r] = (sum3_1[r] * correction[0]);
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (warp_row + 24 + row < m && 32 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + 24 + row) + 32 + column] = vector<unsigned, 4>{bits_of(result[0]), bits_of(result[0 + 1]), bits_of(result[0 + 2]), bits_of(result[0 + 3])};
    }
  }
}
