// tracea: low rank product bf16
// variant        hip.chained.low_rank_mfma_bf16 for gfx942
// configuration  32x32x64 s2 w1 va8 vb8 vc8 kb32
// schedule       7a6700dda05dbc61be67ad8e7be6d5fea7543b58be0dcb138a34b4fea2cca986
// certificate    af7fe33e6765ed61d0564a9b48996e921f3641672a849cb52f1a96b22aa57329: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// Matrix instructions: sums += a · b.
INLINE void mfma_32x32x8_bf16(vector<float, 16>& sums, const vector<unsigned, 2> a, const vector<unsigned, 2> b) {
  sums = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(__builtin_bit_cast(vector<short, 4>, a), __builtin_bit_cast(vector<short, 4>, b), sums, 0, 0, 0);
}

// x: bf16, read, aligned to 16 bytes
// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 8 bytes
// out: bf16, write, aligned to 8 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 8
// keys: columns of a: the rank; 1 to 32 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of bf16, outer 32 = 2*1024 + 4 bits, k 64 = 6 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of bf16, outer 32 = 5 bits, k 64 = 6 bits, atom 2^11 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, outer 32 = 5 bits, k 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of bf16, row 32 = 32*36, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * column_splits blocks of 64 threads, clusters of 1, 22776 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64) low_rank_product_bf16_32x32x64_228ec76a(
    const bf16* __restrict__ x,
    const bf16* __restrict__ a,
    const bf16* __restrict__ b,
    bf16* __restrict__ out,
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
  __shared__ __attribute__((aligned(16))) unsigned char shared[22776];
  bf16* const x_tile = (bf16*)(shared + 0);
  bf16* const a_tile = (bf16*)(shared + 8192);
  bf16* const b_tile = (bf16*)(shared + 16384);
  bf16* const middle_tile = (bf16*)(shared + 20480);
  // warp: warp x 1
  {
    const int lane = thread;
    vector<float, 16> acc0_0;  // 32x32 fp32 of the warp
    vector<unsigned, 2> a0;  // 32x8 bf16 of the warp
    vector<unsigned, 2> b0;  // 8x32 bf16 of the warp
    vector<unsigned, 4> x_tile_fetched0;  // 8x64 bf16 of the warp
    vector<unsigned, 4> x_tile_fetched1;  // 8x64 bf16 of the warp
    vector<unsigned, 4> x_tile_fetched2;  // 8x64 bf16 of the warp
    vector<unsigned, 4> x_tile_fetched3;  // 8x64 bf16 of the warp
    vector<unsigned, 16> a_tile_fetched;  // 32x64 bf16 of the warp
    vector<unsigned, 16> a_tile_fetched_turned;  // 32x64 bf16 of the warp
    vector<unsigned, 8> b_tile_fetched;  // 32x32 bf16 of the warp
    vector<unsigned, 8> b_tile_fetched_turned;  // 32x32 bf16 of the warp
    vector<unsigned, 8> piece;  // 32x32 bf16 of the warp
    vector<unsigned, 8> result;  // 32x32 bf16 of the warp
    const int row_tiles = (m + 31) / 32;
    const int column_tiles = (n + 31) / 32;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 32;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0;
    const int depth = k;
    const int k_steps = (depth + 63) / 64;
    const int whole_steps = depth / 64;
    #pragma unroll
    for (int r = 0; r < 16; ++r) {
      acc0_0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched0 = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + column];
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched1 = *(const vector<unsigned, 4>*)&x[min(row0 + 8 + row, m - 1) * x_row + column];
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched2 = *(const vector<unsigned, 4>*)&x[min(row0 + 16 + row, m - 1) * x_row + column];
      else { x_tile_fetched2[0] = 0; x_tile_fetched2[1] = 0; x_tile_fetched2[2] = 0; x_tile_fetched2[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched3 = *(const vector<unsigned, 4>*)&x[min(row0 + 24 + row, m - 1) * x_row + column];
      else { x_tile_fetched3[0] = 0; x_tile_fetched3[1] = 0; x_tile_fetched3[2] = 0; x_tile_fetched3[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 32; r += 8) {
      const int row = (r & 7) + (lane & 3) * 8;
      const int column = (r >> 3) + (lane >> 2) * 4;
      if (column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[column * a_row + min((i64)(lane & 3) * 8, (i64)(keys - 8)) + (r & 7)]; a_tile_fetched[r / 2] = (run[0]); a_tile_fetched[r / 2 + 1] = (run[1]); a_tile_fetched[r / 2 + 2] = (run[2]); a_tile_fetched[r / 2 + 3] = (run[3]); }
      else { a_tile_fetched[r / 2] = 0; a_tile_fetched[r / 2 + 1] = 0; a_tile_fetched[r / 2 + 2] = 0; a_tile_fetched[r / 2 + 3] = 0; }
    }
    block_barrier();  // tile_done
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&x_tile[row * 4 ^ row * 64 ^ column] = vector<unsigned, 2>{(x_tile_fetched0[r / 2]), (x_tile_fetched0[r / 2 + 1])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&x_tile[32 + row * 4 ^ 512 + row * 64 ^ column] = vector<unsigned, 2>{(x_tile_fetched1[r / 2]), (x_tile_fetched1[r / 2 + 1])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&x_tile[1024 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched2[r / 2]), (x_tile_fetched2[r / 2 + 1])};
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 8;
      *(vector<unsigned, 2>*)&x_tile[1024 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched3[r / 2]), (x_tile_fetched3[r / 2 + 1])};
    }
    a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[4], 0) << 16;
    a_tile_fetched_turned[1] = part16(a_tile_fetched[8], 0) | (unsigned)part16(a_tile_fetched[12], 0) << 16;
    a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[4], 16) << 16;
    a_tile_fetched_turned[3] = part16(a_tile_fetched[8], 16) | (unsigned)part16(a_tile_fetched[12], 16) << 16;
    a_tile_fetched_turned[4] = part16(a_tile_fetched[1], 0) | (unsigned)part16(a_tile_fetched[5], 0) << 16;
    a_tile_fetched_turned[5] = part16(a_tile_fetched[9], 0) | (unsigned)part16(a_tile_fetched[13], 0) << 16;
    a_tile_fetched_turned[6] = part16(a_tile_fetched[1], 16) | (unsigned)part16(a_tile_fetched[5], 16) << 16;
    a_tile_fetched_turned[7] = part16(a_tile_fetched[9], 16) | (unsigned)part16(a_tile_fetched[13], 16) << 16;
    a_tile_fetched_turned[8] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[6], 0) << 16;
    a_tile_fetched_turned[9] = part16(a_tile_fetched[10], 0) | (unsigned)part16(a_tile_fetched[14], 0) << 16;
    a_tile_fetched_turned[10] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[6], 16) << 16;
    a_tile_fetched_turned[11] = part16(a_tile_fetched[10], 16) | (unsigned)part16(a_tile_fetched[14], 16) << 16;
    a_tile_fetched_turned[12] = part16(a_tile_fetched[3], 0) | (unsigned)part16(a_tile_fetched[7], 0) << 16;
    a_tile_fetched_turned[13] = part16(a_tile_fetched[11], 0) | (unsigned)part16(a_tile_fetched[15], 0) << 16;
    a_tile_fetched_turned[14] = part16(a_tile_fetched[3], 16) | (unsigned)part16(a_tile_fetched[7], 16) << 16;
    a_tile_fetched_turned[15] = part16(a_tile_fetched[11], 16) | (unsigned)part16(a_tile_fetched[15], 16) << 16;
    #pragma unroll
    for (int r = 0; r < 32; r += 4) {
      const int row = (r >> 2) + (lane & 3) * 8;
      const int column = (r & 3) + (lane >> 2) * 4;
      *(vector<unsigned, 2>*)&a_tile[(row & 15) * 4 ^ row * 64 ^ (row >> 4) * 16 ^ column] = vector<unsigned, 2>{(a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1])};
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched0 = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + 64 + column];
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched1 = *(const vector<unsigned, 4>*)&x[min(row0 + 8 + row, m - 1) * x_row + 64 + column];
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched2 = *(const vector<unsigned, 4>*)&x[min(row0 + 16 + row, m - 1) * x_row + 64 + column];
      else { x_tile_fetched2[0] = 0; x_tile_fetched2[1] = 0; x_tile_fetched2[2] = 0; x_tile_fetched2[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched3 = *(const vector<unsigned, 4>*)&x[min(row0 + 24 + row, m - 1) * x_row + 64 + column];
      else { x_tile_fetched3[0] = 0; x_tile_fetched3[1] = 0; x_tile_fetched3[2] = 0; x_tile_fetched3[3] = 0; }
    }
    #pragma unroll
    for (int r = 0; r < 32; r += 8) {
      const int row = (r & 7) + (lane & 3) * 8;
      const int column = (r >> 3) + (lane >> 2) * 4;
      if (64 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[(64 + column) * a_row + min((i64)(lane & 3) * 8, (i64)(keys - 8)) + (r & 7)]; a_tile_fetched[r / 2] = (run[0]); a_tile_fetched[r / 2 + 1] = (run[1]); a_tile_fetched[r / 2 + 2] = (run[2]); a_tile_fetched[r / 2 + 3] = (run[3]); }
      else { a_tile_fetched[r / 2] = 0; a_tile_fetched[r / 2 + 1] = 0; a_tile_fetched[r / 2 + 2] = 0; a_tile_fetched[r / 2 + 3] = 0; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < floor_divide(whole_steps - 2, 2) * 2; k_step += 2) {
      block_barrier();  // slot_written
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[2048 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched0[r / 2]), (x_tile_fetched0[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[2048 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched1[r / 2]), (x_tile_fetched1[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[2048 + 1024 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched2[r / 2]), (x_tile_fetched2[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[2048 + 1024 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched3[r / 2]), (x_tile_fetched3[r / 2 + 1])};
      }
      a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[4], 0) << 16;
      a_tile_fetched_turned[1] = part16(a_tile_fetched[8], 0) | (unsigned)part16(a_tile_fetched[12], 0) << 16;
      a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[4], 16) << 16;
      a_tile_fetched_turned[3] = part16(a_tile_fetched[8], 16) | (unsigned)part16(a_tile_fetched[12], 16) << 16;
      a_tile_fetched_turned[4] = part16(a_tile_fetched[1], 0) | (unsigned)part16(a_tile_fetched[5], 0) << 16;
      a_tile_fetched_turned[5] = part16(a_tile_fetched[9], 0) | (unsigned)part16(a_tile_fetched[13], 0) << 16;
      a_tile_fetched_turned[6] = part16(a_tile_fetched[1], 16) | (unsigned)part16(a_tile_fetched[5], 16) << 16;
      a_tile_fetched_turned[7] = part16(a_tile_fetched[9], 16) | (unsigned)part16(a_tile_fetched[13], 16) << 16;
      a_tile_fetched_turned[8] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[6], 0) << 16;
      a_tile_fetched_turned[9] = part16(a_tile_fetched[10], 0) | (unsigned)part16(a_tile_fetched[14], 0) << 16;
      a_tile_fetched_turned[10] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[6], 16) << 16;
      a_tile_fetched_turned[11] = part16(a_tile_fetched[10], 16) | (unsigned)part16(a_tile_fetched[14], 16) << 16;
      a_tile_fetched_turned[12] = part16(a_tile_fetched[3], 0) | (unsigned)part16(a_tile_fetched[7], 0) << 16;
      a_tile_fetched_turned[13] = part16(a_tile_fetched[11], 0) | (unsigned)part16(a_tile_fetched[15], 0) << 16;
      a_tile_fetched_turned[14] = part16(a_tile_fetched[3], 16) | (unsigned)part16(a_tile_fetched[7], 16) << 16;
      a_tile_fetched_turned[15] = part16(a_tile_fetched[11], 16) | (unsigned)part16(a_tile_fetched[15], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 32; r += 4) {
        const int row = (r >> 2) + (lane & 3) * 8;
        const int column = (r & 3) + (lane >> 2) * 4;
        *(vector<unsigned, 2>*)&a_tile[2048 + ((row & 15) * 4 ^ row * 64 ^ (row >> 4) * 16 ^ column)] = vector<unsigned, 2>{(a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1])};
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched0 = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched1 = *(const vector<unsigned, 4>*)&x[min(row0 + 8 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched2 = *(const vector<unsigned, 4>*)&x[min(row0 + 16 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched3 = *(const vector<unsigned, 4>*)&x[min(row0 + 24 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
      }
      #pragma unroll
      for (int r = 0; r < 32; r += 8) {
        const int row = (r & 7) + (lane & 3) * 8;
        const int column = (r >> 3) + (lane >> 2) * 4;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 64 + column) * a_row + min((i64)(lane & 3) * 8, (i64)(keys - 8)) + (r & 7)]; a_tile_fetched[r / 2] = (run[0]); a_tile_fetched[r / 2 + 1] = (run[1]); a_tile_fetched[r / 2 + 2] = (run[2]); a_tile_fetched[r / 2 + 3] = (run[3]); }
      }
      __builtin_amdgcn_sched_barrier(0);
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = lane & 0x1f;
          const int column = (lane >> 5) * 4;
          a0 = *(const vector<unsigned, 2>*)&x_tile[(row >> 4) * 1024 + ((row & 15) * 4 ^ (row & 15) * 64 ^ k_inner + column)];
        }
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          b0 = *(const vector<unsigned, 2>*)&a_tile[(column & 15) * 4 ^ column * 64 ^ (column >> 4) * 16 ^ k_inner + row];
        }
        mfma_32x32x8_bf16(acc0_0, b0, a0);
      }
      block_barrier();  // slot_written
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[row * 4 ^ row * 64 ^ column] = vector<unsigned, 2>{(x_tile_fetched0[r / 2]), (x_tile_fetched0[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[32 + row * 4 ^ 512 + row * 64 ^ column] = vector<unsigned, 2>{(x_tile_fetched1[r / 2]), (x_tile_fetched1[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[1024 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched2[r / 2]), (x_tile_fetched2[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[1024 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched3[r / 2]), (x_tile_fetched3[r / 2 + 1])};
      }
      a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[4], 0) << 16;
      a_tile_fetched_turned[1] = part16(a_tile_fetched[8], 0) | (unsigned)part16(a_tile_fetched[12], 0) << 16;
      a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[4], 16) << 16;
      a_tile_fetched_turned[3] = part16(a_tile_fetched[8], 16) | (unsigned)part16(a_tile_fetched[12], 16) << 16;
      a_tile_fetched_turned[4] = part16(a_tile_fetched[1], 0) | (unsigned)part16(a_tile_fetched[5], 0) << 16;
      a_tile_fetched_turned[5] = part16(a_tile_fetched[9], 0) | (unsigned)part16(a_tile_fetched[13], 0) << 16;
      a_tile_fetched_turned[6] = part16(a_tile_fetched[1], 16) | (unsigned)part16(a_tile_fetched[5], 16) << 16;
      a_tile_fetched_turned[7] = part16(a_tile_fetched[9], 16) | (unsigned)part16(a_tile_fetched[13], 16) << 16;
      a_tile_fetched_turned[8] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[6], 0) << 16;
      a_tile_fetched_turned[9] = part16(a_tile_fetched[10], 0) | (unsigned)part16(a_tile_fetched[14], 0) << 16;
      a_tile_fetched_turned[10] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[6], 16) << 16;
      a_tile_fetched_turned[11] = part16(a_tile_fetched[10], 16) | (unsigned)part16(a_tile_fetched[14], 16) << 16;
      a_tile_fetched_turned[12] = part16(a_tile_fetched[3], 0) | (unsigned)part16(a_tile_fetched[7], 0) << 16;
      a_tile_fetched_turned[13] = part16(a_tile_fetched[11], 0) | (unsigned)part16(a_tile_fetched[15], 0) << 16;
      a_tile_fetched_turned[14] = part16(a_tile_fetched[3], 16) | (unsigned)part16(a_tile_fetched[7], 16) << 16;
      a_tile_fetched_turned[15] = part16(a_tile_fetched[11], 16) | (unsigned)part16(a_tile_fetched[15], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 32; r += 4) {
        const int row = (r >> 2) + (lane & 3) * 8;
        const int column = (r & 3) + (lane >> 2) * 4;
        *(vector<unsigned, 2>*)&a_tile[(row & 15) * 4 ^ row * 64 ^ (row >> 4) * 16 ^ column] = vector<unsigned, 2>{(a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1])};
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched0 = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 1 + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched1 = *(const vector<unsigned, 4>*)&x[min(row0 + 8 + row, m - 1) * x_row + (i64)(k_step + 1 + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched2 = *(const vector<unsigned, 4>*)&x[min(row0 + 16 + row, m - 1) * x_row + (i64)(k_step + 1 + 2) * 64 + column];
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched3 = *(const vector<unsigned, 4>*)&x[min(row0 + 24 + row, m - 1) * x_row + (i64)(k_step + 1 + 2) * 64 + column];
      }
      #pragma unroll
      for (int r = 0; r < 32; r += 8) {
        const int row = (r & 7) + (lane & 3) * 8;
        const int column = (r >> 3) + (lane >> 2) * 4;
        { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 1 + 2) * 64 + column) * a_row + min((i64)(lane & 3) * 8, (i64)(keys - 8)) + (r & 7)]; a_tile_fetched[r / 2] = (run[0]); a_tile_fetched[r / 2 + 1] = (run[1]); a_tile_fetched[r / 2 + 2] = (run[2]); a_tile_fetched[r / 2 + 3] = (run[3]); }
      }
      __builtin_amdgcn_sched_barrier(0);
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = lane & 0x1f;
          const int column = (lane >> 5) * 4;
          a0 = *(const vector<unsigned, 2>*)&x_tile[2048 + (row >> 4) * 1024 + ((row & 15) * 4 ^ (row & 15) * 64 ^ k_inner + column)];
        }
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          b0 = *(const vector<unsigned, 2>*)&a_tile[2048 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 16 ^ k_inner + row)];
        }
        mfma_32x32x8_bf16(acc0_0, b0, a0);
      }
    }
    #pragma unroll 1
    for (int k_step = max(floor_divide(whole_steps - 2, 2) * 2, 0); k_step < k_steps; ++k_step) {
      block_barrier();  // slot_written
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[(k_step + 1) % 2 * 2048 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched0[r / 2]), (x_tile_fetched0[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[(k_step + 1) % 2 * 2048 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched1[r / 2]), (x_tile_fetched1[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[(k_step + 1) % 2 * 2048 + 1024 + (row * 4 ^ row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched2[r / 2]), (x_tile_fetched2[r / 2 + 1])};
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 8;
        *(vector<unsigned, 2>*)&x_tile[(k_step + 1) % 2 * 2048 + 1024 + (32 + row * 4 ^ 512 + row * 64 ^ column)] = vector<unsigned, 2>{(x_tile_fetched3[r / 2]), (x_tile_fetched3[r / 2 + 1])};
      }
      a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[4], 0) << 16;
      a_tile_fetched_turned[1] = part16(a_tile_fetched[8], 0) | (unsigned)part16(a_tile_fetched[12], 0) << 16;
      a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[4], 16) << 16;
      a_tile_fetched_turned[3] = part16(a_tile_fetched[8], 16) | (unsigned)part16(a_tile_fetched[12], 16) << 16;
      a_tile_fetched_turned[4] = part16(a_tile_fetched[1], 0) | (unsigned)part16(a_tile_fetched[5], 0) << 16;
      a_tile_fetched_turned[5] = part16(a_tile_fetched[9], 0) | (unsigned)part16(a_tile_fetched[13], 0) << 16;
      a_tile_fetched_turned[6] = part16(a_tile_fetched[1], 16) | (unsigned)part16(a_tile_fetched[5], 16) << 16;
      a_tile_fetched_turned[7] = part16(a_tile_fetched[9], 16) | (unsigned)part16(a_tile_fetched[13], 16) << 16;
      a_tile_fetched_turned[8] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[6], 0) << 16;
      a_tile_fetched_turned[9] = part16(a_tile_fetched[10], 0) | (unsigned)part16(a_tile_fetched[14], 0) << 16;
      a_tile_fetched_turned[10] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[6], 16) << 16;
      a_tile_fetched_turned[11] = part16(a_tile_fetched[10], 16) | (unsigned)part16(a_tile_fetched[14], 16) << 16;
      a_tile_fetched_turned[12] = part16(a_tile_fetched[3], 0) | (unsigned)part16(a_tile_fetched[7], 0) << 16;
      a_tile_fetched_turned[13] = part16(a_tile_fetched[11], 0) | (unsigned)part16(a_tile_fetched[15], 0) << 16;
      a_tile_fetched_turned[14] = part16(a_tile_fetched[3], 16) | (unsigned)part16(a_tile_fetched[7], 16) << 16;
      a_tile_fetched_turned[15] = part16(a_tile_fetched[11], 16) | (unsigned)part16(a_tile_fetched[15], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 32; r += 4) {
        const int row = (r >> 2) + (lane & 3) * 8;
        const int column = (r & 3) + (lane >> 2) * 4;
        *(vector<unsigned, 2>*)&a_tile[(k_step + 1) % 2 * 2048 + ((row & 15) * 4 ^ row * 64 ^ (row >> 4) * 16 ^ column)] = vector<unsigned, 2>{(a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1])};
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched0 = *(const vector<unsigned, 4>*)&x[min(row0 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
        else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched1 = *(const vector<unsigned, 4>*)&x[min(row0 + 8 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
        else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched2 = *(const vector<unsigned, 4>*)&x[min(row0 + 16 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
        else { x_tile_fetched2[0] = 0; x_tile_fetched2[1] = 0; x_tile_fetched2[2] = 0; x_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched3 = *(const vector<unsigned, 4>*)&x[min(row0 + 24 + row, m - 1) * x_row + (i64)(k_step + 2) * 64 + column];
        else { x_tile_fetched3[0] = 0; x_tile_fetched3[1] = 0; x_tile_fetched3[2] = 0; x_tile_fetched3[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 32; r += 8) {
        const int row = (r & 7) + (lane & 3) * 8;
        const int column = (r >> 3) + (lane >> 2) * 4;
        if ((k_step + 2) * 64 + column < depth) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&a[((i64)(k_step + 2) * 64 + column) * a_row + min((i64)(lane & 3) * 8, (i64)(keys - 8)) + (r & 7)]; a_tile_fetched[r / 2] = (run[0]); a_tile_fetched[r / 2 + 1] = (run[1]); a_tile_fetched[r / 2 + 2] = (run[2]); a_tile_fetched[r / 2 + 3] = (run[3]); }
        else { a_tile_fetched[r / 2] = 0; a_tile_fetched[r / 2 + 1] = 0; a_tile_fetched[r / 2 + 2] = 0; a_tile_fetched[r / 2 + 3] = 0; }
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 64; k_inner += 8) {
        {
          const int row = lane & 0x1f;
          const int column = (lane >> 5) * 4;
          a0 = *(const vector<unsigned, 2>*)&x_tile[k_step % 2 * 2048 + (row >> 4) * 1024 + ((row & 15) * 4 ^ (row & 15) * 64 ^ k_inner + column)];
        }
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          b0 = *(const vector<unsigned, 2>*)&a_tile[k_step % 2 * 2048 + ((column & 15) * 4 ^ column * 64 ^ (column >> 4) * 16 ^ k_inner + row)];
        }
        mfma_32x32x8_bf16(acc0_0, b0, a0);
      }
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        if (!((r & 3) + (r >> 2) * 8 + (lane >> 5) * 4 < keys)) acc0_0[r] = 0.0f;
      }
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 2) {
      piece[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
    }
    #pragma unroll
    for (int r = 0; r < 16; r += 4) {
      const int row = lane & 0x1f;
      const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
      *(vector<unsigned, 2>*)&middle_tile[row * 36 + column] = vector<unsigned, 2>{(piece[r / 2]), (piece[r / 2 + 1])};
    }
    if (first_column_tile < stop_column_tile) {
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r & 3) + (lane & 7) * 4;
        const int column = (r >> 2) + (lane >> 3) * 4;
        if (column < keys) { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&b[column * b_row + min((i64)first_column_tile * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r / 2] = (run[0]); b_tile_fetched[r / 2 + 1] = (run[1]); }
        else { b_tile_fetched[r / 2] = 0; b_tile_fetched[r / 2 + 1] = 0; }
      }
      b_tile_fetched_turned[0] = part16(b_tile_fetched[0], 0) | (unsigned)part16(b_tile_fetched[2], 0) << 16;
      b_tile_fetched_turned[1] = part16(b_tile_fetched[4], 0) | (unsigned)part16(b_tile_fetched[6], 0) << 16;
      b_tile_fetched_turned[2] = part16(b_tile_fetched[0], 16) | (unsigned)part16(b_tile_fetched[2], 16) << 16;
      b_tile_fetched_turned[3] = part16(b_tile_fetched[4], 16) | (unsigned)part16(b_tile_fetched[6], 16) << 16;
      b_tile_fetched_turned[4] = part16(b_tile_fetched[1], 0) | (unsigned)part16(b_tile_fetched[3], 0) << 16;
      b_tile_fetched_turned[5] = part16(b_tile_fetched[5], 0) | (unsigned)part16(b_tile_fetched[7], 0) << 16;
      b_tile_fetched_turned[6] = part16(b_tile_fetched[1], 16) | (unsigned)part16(b_tile_fetched[3], 16) << 16;
      b_tile_fetched_turned[7] = part16(b_tile_fetched[5], 16) | (unsigned)part16(b_tile_fetched[7], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r >> 2) + (lane & 7) * 4;
        const int column = (r & 3) + (lane >> 3) * 4;
        *(vector<unsigned, 2>*)&b_tile[first_column_tile % 2 * 1024 + (row * 32 ^ (row >> 1) * 4 ^ column)] = vector<unsigned, 2>{(b_tile_fetched_turned[r / 2]), (b_tile_fetched_turned[r / 2 + 1])};
      }
    }
    block_barrier();  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r & 3) + (lane & 7) * 4;
          const int column = (r >> 2) + (lane >> 3) * 4;
          if (column < keys) { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&b[column * b_row + min((i64)(column_tile + 1) * 32 + (i64)(lane & 7) * 4, (i64)(n - 4)) + (r & 3)]; b_tile_fetched[r / 2] = (run[0]); b_tile_fetched[r / 2 + 1] = (run[1]); }
          else { b_tile_fetched[r / 2] = 0; b_tile_fetched[r / 2 + 1] = 0; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        {
          const int row = lane & 0x1f;
          const int column = (lane >> 5) * 4;
          a0 = *(const vector<unsigned, 2>*)&middle_tile[row * 36 + k_inner + column];
        }
        {
          const int row = (lane >> 5) * 4;
          const int column = lane & 0x1f;
          b0 = *(const vector<unsigned, 2>*)&b_tile[column_tile % 2 * 1024 + (column * 32 ^ (column >> 1) * 4 ^ k_inner + row)];
        }
        mfma_32x32x8_bf16(acc0_0, b0, a0);
      }
      const int warp_column = column_tile * 32;
      if (warp_row + 31 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = lane & 0x1f;
          const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          *(vector<unsigned, 2>*)&out[(warp_row + row) * out_row + warp_column + column] = vector<unsigned, 2>{(result[r / 2]), (result[r / 2 + 1])};
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = lane & 0x1f;
          const int column = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          if (warp_row + row < m && warp_column + column < n) *(vector<unsigned, 2>*)&out[(warp_row + row) * out_row + warp_column + column] = vector<unsigned, 2>{(result[r / 2]), (result[r / 2 + 1])};
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      if (column_tile + 1 < stop_column_tile) {
        b_tile_fetched_turned[0] = part16(b_tile_fetched[0], 0) | (unsigned)part16(b_tile_fetched[2], 0) << 16;
        b_tile_fetched_turned[1] = part16(b_tile_fetched[4], 0) | (unsigned)part16(b_tile_fetched[6], 0) << 16;
        b_tile_fetched_turned[2] = part16(b_tile_fetched[0], 16) | (unsigned)part16(b_tile_fetched[2], 16) << 16;
        b_tile_fetched_turned[3] = part16(b_tile_fetched[4], 16) | (unsigned)part16(b_tile_fetched[6], 16) << 16;
        b_tile_fetched_turned[4] = part16(b_tile_fetched[1], 0) | (unsigned)part16(b_tile_fetched[3], 0) << 16;
        b_tile_fetched_turned[5] = part16(b_tile_fetched[5], 0) | (unsigned)part16(b_tile_fetched[7], 0) << 16;
        b_tile_fetched_turned[6] = part16(b_tile_fetched[1], 16) | (unsigned)part16(b_tile_fetched[3], 16) << 16;
        b_tile_fetched_turned[7] = part16(b_tile_fetched[5], 16) | (unsigned)part16(b_tile_fetched[7], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + (lane & 7) * 4;
          const int column = (r & 3) + (lane >> 3) * 4;
          *(vector<unsigned, 2>*)&b_tile[(column_tile + 1) % 2 * 1024 + (row * 32 ^ (row >> 1) * 4 ^ column)] = vector<unsigned, 2>{(b_tile_fetched_turned[r / 2]), (b_tile_fetched_turned[r / 2 + 1])};
        }
      }
      block_barrier();  // slot_written
    }
  }
}
