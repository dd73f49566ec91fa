// tracea: low rank product fp16
// variant        hip.chained.low_rank_wmma_fp16 for gfx1100
// configuration  16x128x16 s2 w2 va4 vb4 vc4 kb32
// schedule       80ae951ab58c611abac569b89bd86d937cfea53fec84fda112002aca4e4bad0f
// certificate    b51d539fa04972d026108b38fb072ff9fb78fc95d7b365b98a1a8ac4eeb23bf6: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// Matrix instructions: sums += a · b.
INLINE void wmma_gfx11_16x16x16_fp16(vector<float, 8>& sums, const vector<unsigned, 8> a, const vector<unsigned, 8> b) {
  sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(__builtin_bit_cast(vector<_Float16, 16>, a), __builtin_bit_cast(vector<_Float16, 16>, b), sums);
}

// x: fp16, read, aligned to 8 bytes
// a: fp16, read, aligned to 2 bytes
// b: fp16, read, aligned to 8 bytes
// out: fp16, write, aligned to 2 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 4
// keys: columns of a: the rank; 1 to 32
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_row: a: next row; -4611686018427387904 to 4611686018427387904
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp16, outer 16 = 2*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, outer 128 = 4*1024 + 5 bits, k 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp16, row 16 = 16*36, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 15) // 16 * column_splits blocks of 64 threads, clusters of 1, 20600 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64) low_rank_product_fp16_16x128x16_a642e9d4(
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
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 64;
  __shared__ __attribute__((aligned(16))) unsigned char shared[20600];
  fp16* const x_tile = (fp16*)(shared + 0);
  fp16* const a_tile = (fp16*)(shared + 1024);
  fp16* const b_tile = (fp16*)(shared + 3072);
  fp16* const middle_tile = (fp16*)(shared + 19456);
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 32);
    vector<float, 8> acc0_0;  // 16x16 fp32 of the warp
    vector<unsigned, 8> a0;  // 16x16 fp16 of the warp
    vector<unsigned, 8> b0;  // 16x16 fp16 of the warp
    vector<unsigned, 2> x_tile_fetched;  // 8x16 fp16 of the warp
    vector<unsigned, 4> a_tile_fetched;  // 32x8 fp16 of the warp
    vector<unsigned, 8> b1;  // 16x16 fp16 of the warp
    vector<unsigned, 8> b2;  // 16x16 fp16 of the warp
    vector<unsigned, 8> b3;  // 16x16 fp16 of the warp
    vector<float, 8> acc0_1;  // 16x16 fp32 of the warp
    vector<float, 8> acc0_2;  // 16x16 fp32 of the warp
    vector<float, 8> acc0_3;  // 16x16 fp32 of the warp
    vector<unsigned, 32> b_tile_fetched;  // 128x16 fp16 of the warp
    vector<unsigned, 32> b_tile_fetched_turned;  // 128x16 fp16 of the warp
    vector<unsigned, 4> piece;  // 16x16 fp16 of the warp
    vector<unsigned, 4> result;  // 16x16 fp16 of the warp
    const int row_tiles = (m + 15) / 16;
    const int column_tiles = (n + 127) / 128;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 16;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0;
    const int depth = k;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc0_0[r] = 0.0f;
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (column < depth) x_tile_fetched = *(const vector<unsigned, 2>*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + column];
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, warp * 8 + r < depth ? a[((i64)warp * 8 + r) * a_row + min(lane, keys - 1)] : 0);
    }
    block_barrier();  // tile_done
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      *(vector<unsigned, 2>*)&x_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = vector<unsigned, 2>{(x_tile_fetched[0]), (x_tile_fetched[0 + 1])};
    }
    {
      *(vector<unsigned, 4>*)&a_tile[(lane >> 3) * 128 + ((lane & 7) * 16 ^ (lane >> 2 & 1) * 8 ^ warp * 8)] = vector<unsigned, 4>{(a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3])};
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (16 + column < depth) x_tile_fetched = *(const vector<unsigned, 2>*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + 16 + column];
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, 16 + warp * 8 + r < depth ? a[(16 + (i64)warp * 8 + r) * a_row + min(lane, keys - 1)] : 0);
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < floor_divide(whole_steps - 2, 2) * 2; k_step += 2) {
      block_barrier();  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *(vector<unsigned, 2>*)&x_tile[256 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = vector<unsigned, 2>{(x_tile_fetched[0]), (x_tile_fetched[0 + 1])};
      }
      {
        *(vector<unsigned, 4>*)&a_tile[512 + (lane >> 3) * 128 + ((lane & 7) * 16 ^ (lane >> 2 & 1) * 8 ^ warp * 8)] = vector<unsigned, 4>{(a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        x_tile_fetched = *(const vector<unsigned, 2>*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, a[((i64)(k_step + 2) * 16 + (i64)warp * 8 + r) * a_row + min(lane, keys - 1)]);
      }
      __builtin_amdgcn_sched_barrier(0);
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int row = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x_tile[(row >> 3) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ r)]; a0[r / 2] = (run[0]); a0[r / 2 + 1] = (run[1]); a0[r / 2 + 2] = (run[2]); a0[r / 2 + 3] = (run[3]); }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int column = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a_tile[(warp * 2 + (column >> 3)) * 128 + ((column & 7) * 16 ^ (column >> 2 & 1) * 8 ^ r)]; b0[r / 2] = (run[0]); b0[r / 2 + 1] = (run[1]); b0[r / 2 + 2] = (run[2]); b0[r / 2 + 3] = (run[3]); }
      }
      wmma_gfx11_16x16x16_fp16(acc0_0, b0, a0);
      block_barrier();  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *(vector<unsigned, 2>*)&x_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = vector<unsigned, 2>{(x_tile_fetched[0]), (x_tile_fetched[0 + 1])};
      }
      {
        *(vector<unsigned, 4>*)&a_tile[(lane >> 3) * 128 + ((lane & 7) * 16 ^ (lane >> 2 & 1) * 8 ^ warp * 8)] = vector<unsigned, 4>{(a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        x_tile_fetched = *(const vector<unsigned, 2>*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 1 + 2) * 16 + column];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, a[((i64)(k_step + 1 + 2) * 16 + (i64)warp * 8 + r) * a_row + min(lane, keys - 1)]);
      }
      __builtin_amdgcn_sched_barrier(0);
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int row = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x_tile[256 + (row >> 3) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ r)]; a0[r / 2] = (run[0]); a0[r / 2 + 1] = (run[1]); a0[r / 2 + 2] = (run[2]); a0[r / 2 + 3] = (run[3]); }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int column = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a_tile[512 + (warp * 2 + (column >> 3)) * 128 + ((column & 7) * 16 ^ (column >> 2 & 1) * 8 ^ r)]; b0[r / 2] = (run[0]); b0[r / 2 + 1] = (run[1]); b0[r / 2 + 2] = (run[2]); b0[r / 2 + 3] = (run[3]); }
      }
      wmma_gfx11_16x16x16_fp16(acc0_0, b0, a0);
    }
    #pragma unroll 1
    for (int k_step = max(floor_divide(whole_steps - 2, 2) * 2, 0); k_step < k_steps; ++k_step) {
      block_barrier();  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *(vector<unsigned, 2>*)&x_tile[(k_step + 1) % 2 * 256 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)] = vector<unsigned, 2>{(x_tile_fetched[0]), (x_tile_fetched[0 + 1])};
      }
      {
        *(vector<unsigned, 4>*)&a_tile[(k_step + 1) % 2 * 512 + (lane >> 3) * 128 + ((lane & 7) * 16 ^ (lane >> 2 & 1) * 8 ^ warp * 8)] = vector<unsigned, 4>{(a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if ((k_step + 2) * 16 + column < depth) x_tile_fetched = *(const vector<unsigned, 2>*)&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column];
        else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, (k_step + 2) * 16 + warp * 8 + r < depth ? a[((i64)(k_step + 2) * 16 + (i64)warp * 8 + r) * a_row + min(lane, keys - 1)] : 0);
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int row = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x_tile[k_step % 2 * 256 + (row >> 3) * 128 + ((row & 7) * 16 ^ (row >> 2 & 1) * 8 ^ r)]; a0[r / 2] = (run[0]); a0[r / 2 + 1] = (run[1]); a0[r / 2 + 2] = (run[2]); a0[r / 2 + 3] = (run[3]); }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 8) {
        const int column = lane & 15;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 512 + (warp * 2 + (column >> 3)) * 128 + ((column & 7) * 16 ^ (column >> 2 & 1) * 8 ^ r)]; b0[r / 2] = (run[0]); b0[r / 2 + 1] = (run[1]); b0[r / 2 + 2] = (run[2]); b0[r / 2 + 3] = (run[3]); }
      }
      wmma_gfx11_16x16x16_fp16(acc0_0, b0, a0);
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const float v0 = acc0_0[r];
      acc0_0[r] = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!(warp * 16 + r * 2 + (lane >> 4) < keys)) acc0_0[r] = 0.0f;
      }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      piece[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const int row = lane & 15;
      const int column = r * 2 + (lane >> 4);
      middle_tile[row * 36 + warp * 16 + column] = part16(piece[r / 2], (r & 1) * 16);
    }
    if (first_column_tile < stop_column_tile) {
      #pragma unroll
      for (int r = 0; r < 64; r += 4) {
        const int row = (r & 3) + lane * 4;
        const int column = r >> 2;
        if (warp * 16 + column < keys) { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&b[((i64)warp * 16 + column) * b_row + min((i64)first_column_tile * 128 + (i64)lane * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r / 2] = (run[0]); b_tile_fetched[r / 2 + 1] = (run[1]); }
        else { b_tile_fetched[r / 2] = 0; b_tile_fetched[r / 2 + 1] = 0; }
      }
      b_tile_fetched_turned[0] = part16(b_tile_fetched[0], 0) | (unsigned)part16(b_tile_fetched[2], 0) << 16;
      b_tile_fetched_turned[1] = part16(b_tile_fetched[4], 0) | (unsigned)part16(b_tile_fetched[6], 0) << 16;
      b_tile_fetched_turned[2] = part16(b_tile_fetched[8], 0) | (unsigned)part16(b_tile_fetched[10], 0) << 16;
      b_tile_fetched_turned[3] = part16(b_tile_fetched[12], 0) | (unsigned)part16(b_tile_fetched[14], 0) << 16;
      b_tile_fetched_turned[4] = part16(b_tile_fetched[16], 0) | (unsigned)part16(b_tile_fetched[18], 0) << 16;
      b_tile_fetched_turned[5] = part16(b_tile_fetched[20], 0) | (unsigned)part16(b_tile_fetched[22], 0) << 16;
      b_tile_fetched_turned[6] = part16(b_tile_fetched[24], 0) | (unsigned)part16(b_tile_fetched[26], 0) << 16;
      b_tile_fetched_turned[7] = part16(b_tile_fetched[28], 0) | (unsigned)part16(b_tile_fetched[30], 0) << 16;
      b_tile_fetched_turned[8] = part16(b_tile_fetched[0], 16) | (unsigned)part16(b_tile_fetched[2], 16) << 16;
      b_tile_fetched_turned[9] = part16(b_tile_fetched[4], 16) | (unsigned)part16(b_tile_fetched[6], 16) << 16;
      b_tile_fetched_turned[10] = part16(b_tile_fetched[8], 16) | (unsigned)part16(b_tile_fetched[10], 16) << 16;
      b_tile_fetched_turned[11] = part16(b_tile_fetched[12], 16) | (unsigned)part16(b_tile_fetched[14], 16) << 16;
      b_tile_fetched_turned[12] = part16(b_tile_fetched[16], 16) | (unsigned)part16(b_tile_fetched[18], 16) << 16;
      b_tile_fetched_turned[13] = part16(b_tile_fetched[20], 16) | (unsigned)part16(b_tile_fetched[22], 16) << 16;
      b_tile_fetched_turned[14] = part16(b_tile_fetched[24], 16) | (unsigned)part16(b_tile_fetched[26], 16) << 16;
      b_tile_fetched_turned[15] = part16(b_tile_fetched[28], 16) | (unsigned)part16(b_tile_fetched[30], 16) << 16;
      b_tile_fetched_turned[16] = part16(b_tile_fetched[1], 0) | (unsigned)part16(b_tile_fetched[3], 0) << 16;
      b_tile_fetched_turned[17] = part16(b_tile_fetched[5], 0) | (unsigned)part16(b_tile_fetched[7], 0) << 16;
      b_tile_fetched_turned[18] = part16(b_tile_fetched[9], 0) | (unsigned)part16(b_tile_fetched[11], 0) << 16;
      b_tile_fetched_turned[19] = part16(b_tile_fetched[13], 0) | (unsigned)part16(b_tile_fetched[15], 0) << 16;
      b_tile_fetched_turned[20] = part16(b_tile_fetched[17], 0) | (unsigned)part16(b_tile_fetched[19], 0) << 16;
      b_tile_fetched_turned[21] = part16(b_tile_fetched[21], 0) | (unsigned)part16(b_tile_fetched[23], 0) << 16;
      b_tile_fetched_turned[22] = part16(b_tile_fetched[25], 0) | (unsigned)part16(b_tile_fetched[27], 0) << 16;
      b_tile_fetched_turned[23] = part16(b_tile_fetched[29], 0) | (unsigned)part16(b_tile_fetched[31], 0) << 16;
      b_tile_fetched_turned[24] = part16(b_tile_fetched[1], 16) | (unsigned)part16(b_tile_fetched[3], 16) << 16;
      b_tile_fetched_turned[25] = part16(b_tile_fetched[5], 16) | (unsigned)part16(b_tile_fetched[7], 16) << 16;
      b_tile_fetched_turned[26] = part16(b_tile_fetched[9], 16) | (unsigned)part16(b_tile_fetched[11], 16) << 16;
      b_tile_fetched_turned[27] = part16(b_tile_fetched[13], 16) | (unsigned)part16(b_tile_fetched[15], 16) << 16;
      b_tile_fetched_turned[28] = part16(b_tile_fetched[17], 16) | (unsigned)part16(b_tile_fetched[19], 16) << 16;
      b_tile_fetched_turned[29] = part16(b_tile_fetched[21], 16) | (unsigned)part16(b_tile_fetched[23], 16) << 16;
      b_tile_fetched_turned[30] = part16(b_tile_fetched[25], 16) | (unsigned)part16(b_tile_fetched[27], 16) << 16;
      b_tile_fetched_turned[31] = part16(b_tile_fetched[29], 16) | (unsigned)part16(b_tile_fetched[31], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 64; r += 8) {
        const int row = (r >> 4) + lane * 4;
        const int column = r & 15;
        *(vector<unsigned, 4>*)&b_tile[first_column_tile % 2 * 4096 + (row >> 5) * 1024 + ((row & 0x1f) * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4 & 1) * 8 ^ warp * 16 + column)] = vector<unsigned, 4>{(b_tile_fetched_turned[r / 2]), (b_tile_fetched_turned[r / 2 + 1]), (b_tile_fetched_turned[r / 2 + 2]), (b_tile_fetched_turned[r / 2 + 3])};
      }
    }
    block_barrier();  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        #pragma unroll
        for (int r = 0; r < 64; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          if (warp * 16 + column < keys) { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&b[((i64)warp * 16 + column) * b_row + min((i64)(column_tile + 1) * 128 + (i64)lane * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r / 2] = (run[0]); b_tile_fetched[r / 2 + 1] = (run[1]); }
          else { b_tile_fetched[r / 2] = 0; b_tile_fetched[r / 2 + 1] = 0; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_3[r] = 0.0f;
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 32; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = lane & 15;
          { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&middle_tile[row * 36 + k_inner + r]; a0[r / 2] = (run[0]); a0[r / 2 + 1] = (run[1]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = lane & 15;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b_tile[column_tile % 2 * 4096 + warp * 2048 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + r)]; b0[r / 2] = (run[0]); b0[r / 2 + 1] = (run[1]); b0[r / 2 + 2] = (run[2]); b0[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = lane & 15;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b_tile[column_tile % 2 * 4096 + warp * 2048 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ k_inner + r)]; b1[r / 2] = (run[0]); b1[r / 2 + 1] = (run[1]); b1[r / 2 + 2] = (run[2]); b1[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = lane & 15;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b_tile[column_tile % 2 * 4096 + (warp * 2 + 1) * 1024 + (column * 32 ^ (column >> 1) * 8 ^ k_inner + r)]; b2[r / 2] = (run[0]); b2[r / 2 + 1] = (run[1]); b2[r / 2 + 2] = (run[2]); b2[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = lane & 15;
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&b_tile[column_tile % 2 * 4096 + (warp * 2 + 1) * 1024 + (512 + column * 32 ^ (column >> 1) * 8 ^ 8 ^ k_inner + r)]; b3[r / 2] = (run[0]); b3[r / 2 + 1] = (run[1]); b3[r / 2 + 2] = (run[2]); b3[r / 2 + 3] = (run[3]); }
        }
        wmma_gfx11_16x16x16_fp16(acc0_0, b0, a0);
        wmma_gfx11_16x16x16_fp16(acc0_1, b1, a0);
        wmma_gfx11_16x16x16_fp16(acc0_2, b2, a0);
        wmma_gfx11_16x16x16_fp16(acc0_3, b3, a0);
      }
      const int warp_column = column_tile * 128 + warp * 64;
      if (warp_row + 15 < m && warp_column + 63 < n) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          out[(warp_row + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          out[(warp_row + row) * out_row + warp_column + 16 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_2[r], acc0_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          out[(warp_row + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_3[r], acc0_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          out[(warp_row + row) * out_row + warp_column + 48 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_row + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_1[r], acc0_1[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          if (warp_row + row < m && warp_column + 16 + column < n) out[(warp_row + row) * out_row + warp_column + 16 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_2[r], acc0_2[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          if (warp_row + row < m && warp_column + 32 + column < n) out[(warp_row + row) * out_row + warp_column + 32 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_fp16(acc0_3[r], acc0_3[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane & 15;
          const int column = r * 2 + (lane >> 4);
          if (warp_row + row < m && warp_column + 48 + column < n) out[(warp_row + row) * out_row + warp_column + 48 + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      if (column_tile + 1 < stop_column_tile) {
        b_tile_fetched_turned[0] = part16(b_tile_fetched[0], 0) | (unsigned)part16(b_tile_fetched[2], 0) << 16;
        b_tile_fetched_turned[1] = part16(b_tile_fetched[4], 0) | (unsigned)part16(b_tile_fetched[6], 0) << 16;
        b_tile_fetched_turned[2] = part16(b_tile_fetched[8], 0) | (unsigned)part16(b_tile_fetched[10], 0) << 16;
        b_tile_fetched_turned[3] = part16(b_tile_fetched[12], 0) | (unsigned)part16(b_tile_fetched[14], 0) << 16;
        b_tile_fetched_turned[4] = part16(b_tile_fetched[16], 0) | (unsigned)part16(b_tile_fetched[18], 0) << 16;
        b_tile_fetched_turned[5] = part16(b_tile_fetched[20], 0) | (unsigned)part16(b_tile_fetched[22], 0) << 16;
        b_tile_fetched_turned[6] = part16(b_tile_fetched[24], 0) | (unsigned)part16(b_tile_fetched[26], 0) << 16;
        b_tile_fetched_turned[7] = part16(b_tile_fetched[28], 0) | (unsigned)part16(b_tile_fetched[30], 0) << 16;
        b_tile_fetched_turned[8] = part16(b_tile_fetched[0], 16) | (unsigned)part16(b_tile_fetched[2], 16) << 16;
        b_tile_fetched_turned[9] = part16(b_tile_fetched[4], 16) | (unsigned)part16(b_tile_fetched[6], 16) << 16;
        b_tile_fetched_turned[10] = part16(b_tile_fetched[8], 16) | (unsigned)part16(b_tile_fetched[10], 16) << 16;
        b_tile_fetched_turned[11] = part16(b_tile_fetched[12], 16) | (unsigned)part16(b_tile_fetched[14], 16) << 16;
        b_tile_fetched_turned[12] = part16(b_tile_fetched[16], 16) | (unsigned)part16(b_tile_fetched[18], 16) << 16;
        b_tile_fetched_turned[13] = part16(b_tile_fetched[20], 16) | (unsigned)part16(b_tile_fetched[22], 16) << 16;
        b_tile_fetched_turned[14] = part16(b_tile_fetched[24], 16) | (unsigned)part16(b_tile_fetched[26], 16) << 16;
        b_tile_fetched_turned[15] = part16(b_tile_fetched[28], 16) | (unsigned)part16(b_tile_fetched[30], 16) << 16;
        b_tile_fetched_turned[16] = part16(b_tile_fetched[1], 0) | (unsigned)part16(b_tile_fetched[3], 0) << 16;
        b_tile_fetched_turned[17] = part16(b_tile_fetched[5], 0) | (unsigned)part16(b_tile_fetched[7], 0) << 16;
        b_tile_fetched_turned[18] = part16(b_tile_fetched[9], 0) | (unsigned)part16(b_tile_fetched[11], 0) << 16;
        b_tile_fetched_turned[19] = part16(b_tile_fetched[13], 0) | (unsigned)part16(b_tile_fetched[15], 0) << 16;
        b_tile_fetched_turned[20] = part16(b_tile_fetched[17], 0) | (unsigned)part16(b_tile_fetched[19], 0) << 16;
        b_tile_fetched_turned[21] = part16(b_tile_fetched[21], 0) | (unsigned)part16(b_tile_fetched[23], 0) << 16;
        b_tile_fetched_turned[22] = part16(b_tile_fetched[25], 0) | (unsigned)part16(b_tile_fetched[27], 0) << 16;
        b_tile_fetched_turned[23] = part16(b_tile_fetched[29], 0) | (unsigned)part16(b_tile_fetched[31], 0) << 16;
        b_tile_fetched_turned[24] = part16(b_tile_fetched[1], 16) | (unsigned)part16(b_tile_fetched[3], 16) << 16;
        b_tile_fetched_turned[25] = part16(b_tile_fetched[5], 16) | (unsigned)part16(b_tile_fetched[7], 16) << 16;
        b_tile_fetched_turned[26] = part16(b_tile_fetched[9], 16) | (unsigned)part16(b_tile_fetched[11], 16) << 16;
        b_tile_fetched_turned[27] = part16(b_tile_fetched[13], 16) | (unsigned)part16(b_tile_fetched[15], 16) << 16;
        b_tile_fetched_turned[28] = part16(b_tile_fetched[17], 16) | (unsigned)part16(b_tile_fetched[19], 16) << 16;
        b_tile_fetched_turned[29] = part16(b_tile_fetched[21], 16) | (unsigned)part16(b_tile_fetched[23], 16) << 16;
        b_tile_fetched_turned[30] = part16(b_tile_fetched[25], 16) | (unsigned)part16(b_tile_fetched[27], 16) << 16;
        b_tile_fetched_turned[31] = part16(b_tile_fetched[29], 16) | (unsigned)part16(b_tile_fetched[31], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 64; r += 8) {
          const int row = (r >> 4) + lane * 4;
          const int column = r & 15;
          *(vector<unsigned, 4>*)&b_tile[(column_tile + 1) % 2 * 4096 + (row >> 5) * 1024 + ((row & 0x1f) * 32 ^ (row >> 1 & 7) * 8 ^ (row >> 4 & 1) * 8 ^ warp * 16 + column)] = vector<unsigned, 4>{(b_tile_fetched_turned[r / 2]), (b_tile_fetched_turned[r / 2 + 1]), (b_tile_fetched_turned[r / 2 + 2]), (b_tile_fetched_turned[r / 2 + 3])};
        }
      }
      block_barrier();  // slot_written
    }
  }
}
