// tracea: attention windowed bf16
// variant        hip.chained.wmma_bf16 for gfx1201
// configuration  64x32x64 s2 va8 vb8 vc8
// schedule       05e904cbd4cc71225f2cbf435596976077cb6037d116ed4b952c86b5776cf087
// certificate    9ecfa367e6d5aa443b4b9d8b563130eb5d0ab2c6f93d32012f1478f5d14d9778: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
INLINE void wmma_gfx12_16x16x16_bf16(vector<float, 8>& sums, const vector<unsigned, 4> a, const vector<unsigned, 4> b) {
  sums = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(__builtin_bit_cast(vector<short, 8>, a), __builtin_bit_cast(vector<short, 8>, b), sums);
}

// q: bf16, read, aligned to 16 bytes
// k_matrix: bf16, read, aligned to 16 bytes
// v: bf16, read, aligned to 4 bytes
// out: bf16, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 64 by 8
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
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 2
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 2
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 2
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 8
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// window_left: keys before the diagonal that are seen; 0 to 2147479552
// window_right: keys behind the diagonal that are seen; 0 to 2147479552
// q_tile: shared of bf16, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of bf16, outer 32 = 4*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of bf16, outer 64 = 4*512 + 4 bits, k 32 = 5 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * items blocks of 128 threads, clusters of 1, 24576 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) attention_windowed_bf16_64x32x64_74346b5a(
    const bf16* __restrict__ q,
    const bf16* __restrict__ k_matrix,
    const bf16* __restrict__ v,
    bf16* __restrict__ out,
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
    int window_left,
    int window_right) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 128;
  __shared__ __attribute__((aligned(16))) unsigned char shared[24576];
  bf16* const q_tile = (bf16*)(shared + 0);
  bf16* const k_tile = (bf16*)(shared + 8192);
  bf16* const v_tile = (bf16*)(shared + 16384);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 32);
    vector<unsigned, 4> q_tile_fetched0;  // 4x64 bf16 of the warp
    vector<unsigned, 4> k_tile_fetched0;  // 4x64 bf16 of the warp
    vector<unsigned, 4> k_tile_fetched1;  // 4x64 bf16 of the warp
    vector<unsigned, 8> v_tile_fetched;  // 64x8 bf16 of the warp
    vector<unsigned, 8> v_tile_fetched_turned;  // 64x8 bf16 of the warp
    vector<float, 8> sum0_0;  // 16x16 fp32 of the warp
    vector<float, 8> sum0_1;  // 16x16 fp32 of the warp
    vector<float, 8> sum0_2;  // 16x16 fp32 of the warp
    vector<float, 8> sum0_3;  // 16x16 fp32 of the warp
    vector<float, 8> score0_0;  // 16x16 fp32 of the warp
    vector<float, 8> score0_1;  // 16x16 fp32 of the warp
    vector<unsigned, 4> q0;  // 16x16 bf16 of the warp
    vector<unsigned, 4> weights0;  // 16x16 bf16 of the warp
    vector<float, 8> total0;  // 16x16 fp32 of the warp
    float top0[1];  // 16x1 fp32 of the warp
    float shift0[1];  // 16x1 fp32 of the warp
    vector<float, 8> part;  // 16x16 fp32 of the warp
    float found[1];  // 16x1 fp32 of the warp
    float correction[1];  // 16x1 fp32 of the warp
    vector<unsigned, 4> right_operand;  // 16x16 bf16 of the warp
    vector<unsigned, 4> piece0;  // 16x16 bf16 of the warp
    vector<unsigned, 4> result;  // 16x16 bf16 of the warp
    const int row_tiles = (m + 63) / 64;
    const int row0 = (row_tiles - 1 - block % row_tiles) * 64;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 16;
    const int diagonal = keys - m;
    const int first_block = min(max(row0 + diagonal - window_left, 0) / 32, (keys + 31) / 32);
    const int stop_block = (max(min(min(row0 + 64, m) + diagonal + window_right, keys), 0) + 31) / 32;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_3[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(vector<unsigned, 4>*)&q_tile[(warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(vector<unsigned, 4>*)&q_tile[((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(vector<unsigned, 4>*)&q_tile[((warp + 8) * 4 >> 3) * 512 + (((warp + 8) * 4 & 7) * 8 + row * 8 ^ ((warp + 8) * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = *(const vector<unsigned, 4>*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 4 + row, (i64)(m - 1)) * q_row + column];
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      *(vector<unsigned, 4>*)&q_tile[((warp + 12) * 4 >> 3) * 512 + (((warp + 12) * 4 & 7) * 8 + row * 8 ^ ((warp + 12) * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])};
    }
    if (first_block < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched0 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 32 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if (column < k) k_tile_fetched1 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 32 + (i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column];
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        if (first_block * 32 + warp * 8 + column < keys) v_tile_fetched[r / 2] = (*(const unsigned*)&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 32 + (i64)warp * 8 + column) * v_row + min((i64)lane * 2, (i64)(n - 2)) + (r & 1)]);
        else { v_tile_fetched[r / 2] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        *(vector<unsigned, 4>*)&k_tile[first_block % 2 * 2048 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3])};
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        *(vector<unsigned, 4>*)&k_tile[first_block % 2 * 2048 + ((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3])};
      }
      v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[1], 0) << 16;
      v_tile_fetched_turned[1] = part16(v_tile_fetched[2], 0) | (unsigned)part16(v_tile_fetched[3], 0) << 16;
      v_tile_fetched_turned[2] = part16(v_tile_fetched[4], 0) | (unsigned)part16(v_tile_fetched[5], 0) << 16;
      v_tile_fetched_turned[3] = part16(v_tile_fetched[6], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
      v_tile_fetched_turned[4] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[1], 16) << 16;
      v_tile_fetched_turned[5] = part16(v_tile_fetched[2], 16) | (unsigned)part16(v_tile_fetched[3], 16) << 16;
      v_tile_fetched_turned[6] = part16(v_tile_fetched[4], 16) | (unsigned)part16(v_tile_fetched[5], 16) << 16;
      v_tile_fetched_turned[7] = part16(v_tile_fetched[6], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int row = (r >> 3) + lane * 2;
        const int column = r & 7;
        *(vector<unsigned, 4>*)&v_tile[first_block % 2 * 2048 + (row >> 4) * 512 + ((row & 15) * 32 ^ (row >> 1 & 7) * 8 ^ warp * 8 + column)] = vector<unsigned, 4>{(v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1]), (v_tile_fetched_turned[r / 2 + 2]), (v_tile_fetched_turned[r / 2 + 3])};
      }
    }
    block_barrier();  // first_written
    #pragma unroll 1
    for (int key_block = first_block; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched0 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          if (column < k) k_tile_fetched1 = *(const vector<unsigned, 4>*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + (i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column];
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          if ((key_block + 1) * 32 + warp * 8 + column < keys) v_tile_fetched[r / 2] = (*(const unsigned*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)warp * 8 + column) * v_row + min((i64)lane * 2, (i64)(n - 2)) + (r & 1)]);
          else { v_tile_fetched[r / 2] = 0; }
        }
      }
      const int key0 = key_block * 32;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 16) {
        {
          const int row = lane & 15;
          const int column = (lane >> 4) * 8;
          q0 = *(const vector<unsigned, 4>*)&q_tile[(warp * 2 + (row >> 3)) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ k_inner + column)];
        }
        {
          const int row = (lane >> 4) * 8;
          const int column = lane & 15;
          right_operand = *(const vector<unsigned, 4>*)&k_tile[key_block % 2 * 2048 + (column >> 3) * 512 + ((column & 7) * 8 ^ (column & 7) * 64 ^ k_inner + row)];
        }
        wmma_gfx12_16x16x16_bf16(score0_0, right_operand, q0);
        {
          const int row = (lane >> 4) * 8;
          const int column = lane & 15;
          right_operand = *(const vector<unsigned, 4>*)&k_tile[key_block % 2 * 2048 + (2 + (column >> 3)) * 512 + ((column & 7) * 8 ^ (column & 7) * 64 ^ k_inner + row)];
        }
        wmma_gfx12_16x16x16_bf16(score0_1, right_operand, q0);
      }
      if (key0 + 31 < keys && key0 + 31 < warp_row + diagonal + window_right + 1 && warp_row + 15 + diagonal - window_left <= key0) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = min(keys, warp_row + (lane & 15) + diagonal + window_right + 1) - key0;
        }
        int keys_start0[1];
        {
          keys_start0[0] = warp_row + (lane & 15) + diagonal - window_left - key0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(r + (lane >> 4) * 8 < keys_stop0[0] && keys_start0[0] <= r + (lane >> 4) * 8)) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(16 + r + (lane >> 4) * 8 < keys_stop0[0] && keys_start0[0] <= 16 + r + (lane >> 4) * 8)) score0_1[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(score0_0[r], score0_1[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 8; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, lane ^ 16));
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top0[0]);
      }
      {
        const float v0 = found[0];
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.15811388f));
      }
      {
        correction[0] = exp_of(((top0[0] * 0.15811388f) - shift0[0]));
      }
      top0[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_2[r] = (sum0_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_3[r] = (sum0_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp_of(((score0_0[r] * 0.15811388f) - shift0[0])), exp_of(((score0_0[r + 1] * 0.15811388f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      weights0[2] = piece0[2];
      weights0[3] = piece0[3];
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8 ^ row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 512 + (column * 32 ^ (column >> 1) * 8 ^ row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_1, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8 ^ row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_2, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 1536 + (column * 32 ^ (column >> 1) * 8 ^ row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_3, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp_of(((score0_1[r] * 0.15811388f) - shift0[0])), exp_of(((score0_1[r + 1] * 0.15811388f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      weights0[2] = piece0[2];
      weights0[3] = piece0[3];
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 1) * 8 ^ 16 + row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_0, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 512 + (column * 32 ^ (column >> 1) * 8 ^ 16 + row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_1, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 1) * 8 ^ 16 + row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_2, right_operand, weights0);
      {
        const int row = (lane >> 4) * 8;
        const int column = lane & 15;
        right_operand = *(const vector<unsigned, 4>*)&v_tile[key_block % 2 * 2048 + 1536 + (column * 32 ^ (column >> 1) * 8 ^ 16 + row)];
      }
      wmma_gfx12_16x16x16_bf16(sum0_3, right_operand, weights0);
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          *(vector<unsigned, 4>*)&k_tile[(key_block + 1) % 2 * 2048 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + row * 8 ^ (warp * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 8;
          *(vector<unsigned, 4>*)&k_tile[(key_block + 1) % 2 * 2048 + ((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + row * 8 ^ ((warp + 4) * 4 & 7) * 64 + row * 64 ^ column)] = vector<unsigned, 4>{(k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3])};
        }
        v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[1], 0) << 16;
        v_tile_fetched_turned[1] = part16(v_tile_fetched[2], 0) | (unsigned)part16(v_tile_fetched[3], 0) << 16;
        v_tile_fetched_turned[2] = part16(v_tile_fetched[4], 0) | (unsigned)part16(v_tile_fetched[5], 0) << 16;
        v_tile_fetched_turned[3] = part16(v_tile_fetched[6], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
        v_tile_fetched_turned[4] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[1], 16) << 16;
        v_tile_fetched_turned[5] = part16(v_tile_fetched[2], 16) | (unsigned)part16(v_tile_fetched[3], 16) << 16;
        v_tile_fetched_turned[6] = part16(v_tile_fetched[4], 16) | (unsigned)part16(v_tile_fetched[5], 16) << 16;
        v_tile_fetched_turned[7] = part16(v_tile_fetched[6], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int row = (r >> 3) + lane * 2;
          const int column = r & 7;
          *(vector<unsigned, 4>*)&v_tile[(key_block + 1) % 2 * 2048 + (row >> 4) * 512 + ((row & 15) * 32 ^ (row >> 1 & 7) * 8 ^ warp * 8 + column)] = vector<unsigned, 4>{(v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1]), (v_tile_fetched_turned[r / 2 + 2]), (v_tile_fetched_turned[r / 2 + 3])};
        }
      }
      block_barrier();  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 8; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + of_lane(folded, lane ^ 16);
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_0[r] * correction[0]), (sum0_0[r + 1] * correction[0]));
    }
    {
      const int row = lane & 15;
      const int column = (lane >> 4) * 8;
      if (warp_row + row < m && column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + column] = vector<unsigned, 4>{(result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_1[r] * correction[0]), (sum0_1[r + 1] * correction[0]));
    }
    {
      const int row = lane & 15;
      const int column = (lane >> 4) * 8;
      if (warp_row + row < m && 16 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + 16 + column] = vector<unsigned, 4>{(result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_2[r] * correction[0]), (sum0_2[r + 1] * correction[0]));
    }
    {
      const int row = lane & 15;
      const int column = (lane >> 4) * 8;
      if (warp_row + row < m && 32 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + 32 + column] = vector<unsigned, 4>{(result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_3[r] * correction[0]), (sum0_3[r + 1] * correction[0]));
    }
    {
      const int row = lane & 15;
      const int column = (lane >> 4) * 8;
      if (warp_row + row < m && 48 + column < n) *(vector<unsigned, 4>*)&out[out_at + out_row * (warp_row + row) + 48 + column] = vector<unsigned, 4>{(result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])};
    }
  }
}
