// tracea: low rank product fp16
// variant        metal.chained.low_rank_simdgroup_fp16 for apple7
// configuration  64x64x32 s2 va8 vb8 vc8 kb32
// schedule       b34d38ba13bb87ba48217f91c2f4dbc90edf8df179d4d167e2d1680f2fe57845
// certificate    763eff79cd6bb1d2c058b981eb29c850fa7a767a715e596d4ac0603861ac5a38: structure, domains, types, layouts, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses.
#include <metal_stdlib>
using namespace metal;

typedef long i64;
typedef ushort bf16;
typedef ushort fp16;
typedef char int8;
typedef uchar uint8;

inline int floor_divide(int a, int b) { return a / b - int(a % b < 0); }
inline i64 floor_divide(i64 a, i64 b) { return a / b - i64(a % b < 0); }
inline int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
inline i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
inline ushort part16(uint word, int bit) { return ushort(word >> bit); }
inline uchar part8(uint word, int bit) { return uchar(word >> bit); }
inline uint with16(uint word, int bit, ushort value) { return (word & ~(0xffffu << bit)) | (uint(value) << bit); }
inline uint with8(uint word, int bit, uchar value) { return (word & ~(0xffu << bit)) | (uint(value) << bit); }

// Conversions round to nearest even. bf16 is converted by its bits, so that it is there before Metal 3.1.
inline float from_bf16(bf16 x) { return as_type<float>(uint(x) << 16); }
inline float from_fp16(fp16 x) { return float(as_type<half>(x)); }
inline fp16 to_fp16(float x) { return as_type<ushort>(half(x)); }
inline bf16 to_bf16(float x) {
  const uint bits = as_type<uint>(x);
  return (bits & 0x7fffffffu) > 0x7f800000u ? bf16(0x7fff) : bf16((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline uint pair_fp16(float low, float high) { return uint(to_fp16(low)) | uint(to_fp16(high)) << 16; }
inline uint pair_bf16(float low, float high) { return uint(to_bf16(low)) | uint(to_bf16(high)) << 16; }
inline float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }
inline float minimum(float x, float y) { return x < y || isnan(x) ? x : y; }
inline int to_int32(float x) { return isnan(x) ? 0 : int(minimum(maximum(rint(x), -2147483648.0f), 2147483520.0f)); }
inline int8 to_int8(float x) { return int8(min(max(to_int32(x), -128), 127)); }
inline uint8 to_uint8(float x) { return uint8(min(max(to_int32(x), 0), 255)); }

// Matrix instructions of a simdgroup: sums += a · b.
inline void simdgroup_8x8x8_fp16(thread float* sums, const thread uint* a, const thread uint* b) {
  simdgroup_half8x8 left, right;
  simdgroup_float8x8 total;
  const half2 a_pair = as_type<half2>(a[0]);
  left.thread_elements()[0] = a_pair[0];
  left.thread_elements()[1] = a_pair[1];
  const half2 b_pair = as_type<half2>(b[0]);
  right.thread_elements()[0] = b_pair[0];
  right.thread_elements()[1] = b_pair[1];
  total.thread_elements()[0] = sums[0];
  total.thread_elements()[1] = sums[1];
  simdgroup_multiply_accumulate(total, left, right, total);
  sums[0] = total.thread_elements()[0];
  sums[1] = total.thread_elements()[1];
}

// x: fp16, read, aligned to 16 bytes
// a: fp16, read, aligned to 16 bytes
// b: fp16, read, aligned to 16 bytes
// out: fp16, write, aligned to 4 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 8
// k: columns of x; 0 to 2147479552 by 8
// keys: columns of a: the rank; 1 to 32 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 8
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp16, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp16, k 32 = 4*256 + 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, k 32 = 4*512 + 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp16, row 64 = 64*40, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * column_splits blocks of 128 threads, clusters of 1, 25584 bytes of shared memory
struct Sizes {
  int m;
  int n;
  int k;
  int keys;
  i64 x_row;
  i64 out_row;
  i64 a_row;
  i64 b_row;
  int column_splits;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void low_rank_product_fp16_64x64x32_fbbe21b0(
    device const fp16* x [[buffer(0)]],
    device const fp16* a [[buffer(1)]],
    device const fp16* b [[buffer(2)]],
    device fp16* out [[buffer(3)]],
    constant Sizes& sizes [[buffer(4)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int m = sizes.m;
  const int n = sizes.n;
  const int k = sizes.k;
  const int keys = sizes.keys;
  const i64 x_row = sizes.x_row;
  const i64 out_row = sizes.out_row;
  const i64 a_row = sizes.a_row;
  const i64 b_row = sizes.b_row;
  const int column_splits = sizes.column_splits;
  threadgroup uint4 shared[1599];
  threadgroup fp16* const x_tile = reinterpret_cast<threadgroup fp16*>(shared + 0);
  threadgroup fp16* const a_tile = reinterpret_cast<threadgroup fp16*>(shared + 512);
  threadgroup fp16* const b_tile = reinterpret_cast<threadgroup fp16*>(shared + 768);
  threadgroup fp16* const middle_tile = reinterpret_cast<threadgroup fp16*>(shared + 1280);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float acc0_0[2];  // 8x8 fp32 of the warp
    float acc0_1[2];  // 8x8 fp32 of the warp
    float acc1_0[2];  // 8x8 fp32 of the warp
    float acc1_1[2];  // 8x8 fp32 of the warp
    float acc2_0[2];  // 8x8 fp32 of the warp
    float acc2_1[2];  // 8x8 fp32 of the warp
    float acc3_0[2];  // 8x8 fp32 of the warp
    float acc3_1[2];  // 8x8 fp32 of the warp
    unsigned a0[1];  // 8x8 fp16 of the warp
    unsigned a1[1];  // 8x8 fp16 of the warp
    unsigned a2[1];  // 8x8 fp16 of the warp
    unsigned a3[1];  // 8x8 fp16 of the warp
    unsigned b0[1];  // 8x8 fp16 of the warp
    unsigned b1[1];  // 8x8 fp16 of the warp
    unsigned x_tile_fetched0[4];  // 8x32 fp16 of the warp
    unsigned x_tile_fetched1[4];  // 8x32 fp16 of the warp
    unsigned a_tile_fetched[4];  // 32x8 fp16 of the warp
    unsigned b2[1];  // 8x8 fp16 of the warp
    unsigned b3[1];  // 8x8 fp16 of the warp
    float acc0_2[2];  // 8x8 fp32 of the warp
    float acc0_3[2];  // 8x8 fp32 of the warp
    float acc1_2[2];  // 8x8 fp32 of the warp
    float acc1_3[2];  // 8x8 fp32 of the warp
    float acc2_2[2];  // 8x8 fp32 of the warp
    float acc2_3[2];  // 8x8 fp32 of the warp
    float acc3_2[2];  // 8x8 fp32 of the warp
    float acc3_3[2];  // 8x8 fp32 of the warp
    unsigned b_tile_fetched0[4];  // 64x4 fp16 of the warp
    unsigned b_tile_fetched1[4];  // 64x4 fp16 of the warp
    unsigned piece[1];  // 8x8 fp16 of the warp
    unsigned result[1];  // 8x8 fp16 of the warp
    const int row_tiles = (m + 63) / 64;
    const int column_tiles = (n + 63) / 64;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 64;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0 + warp / 2 * 32;
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc1_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc1_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc2_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc2_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc3_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      acc3_1[r] = 0.0f;
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      if (column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + column]); x_tile_fetched0[0] = (run[0]); x_tile_fetched0[0 + 1] = (run[1]); x_tile_fetched0[0 + 2] = (run[2]); x_tile_fetched0[0 + 3] = (run[3]); }
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      if (column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * x_row + column]); x_tile_fetched1[0] = (run[0]); x_tile_fetched1[0 + 1] = (run[1]); x_tile_fetched1[0 + 2] = (run[2]); x_tile_fetched1[0 + 3] = (run[3]); }
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (warp * 8 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[((i64)warp * 8 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); a_tile_fetched[0 + 2] = (run[2]); a_tile_fetched[0 + 3] = (run[3]); }
      else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; a_tile_fetched[2] = 0; a_tile_fetched[3] = 0; }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // tile_done
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      *reinterpret_cast<threadgroup uint4*>(&x_tile[warp * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3]));
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      *reinterpret_cast<threadgroup uint4*>(&x_tile[(warp + 4) * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3]));
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      *reinterpret_cast<threadgroup uint4*>(&a_tile[warp * 256 + (column * 32 ^ (column >> 1) * 8 ^ row)]) = uint4((a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3]));
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      if (32 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + 32 + column]); x_tile_fetched0[0] = (run[0]); x_tile_fetched0[0 + 1] = (run[1]); x_tile_fetched0[0 + 2] = (run[2]); x_tile_fetched0[0 + 3] = (run[3]); }
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 8;
      if (32 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * x_row + 32 + column]); x_tile_fetched1[0] = (run[0]); x_tile_fetched1[0 + 1] = (run[1]); x_tile_fetched1[0 + 2] = (run[2]); x_tile_fetched1[0 + 3] = (run[3]); }
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (32 + warp * 8 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[(32 + (i64)warp * 8 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); a_tile_fetched[0 + 2] = (run[2]); a_tile_fetched[0 + 3] = (run[3]); }
      else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; a_tile_fetched[2] = 0; a_tile_fetched[3] = 0; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *reinterpret_cast<threadgroup uint4*>(&x_tile[(k_step + 1) % 2 * 2048 + warp * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *reinterpret_cast<threadgroup uint4*>(&x_tile[(k_step + 1) % 2 * 2048 + (warp + 4) * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3]));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        *reinterpret_cast<threadgroup uint4*>(&a_tile[(k_step + 1) % 2 * 1024 + warp * 256 + (column * 32 ^ (column >> 1) * 8 ^ row)]) = uint4((a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 32 + column]); x_tile_fetched0[0] = (run[0]); x_tile_fetched0[0 + 1] = (run[1]); x_tile_fetched0[0 + 2] = (run[2]); x_tile_fetched0[0 + 3] = (run[3]); }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 32 + column]); x_tile_fetched1[0] = (run[0]); x_tile_fetched1[0 + 1] = (run[1]); x_tile_fetched1[0 + 2] = (run[2]); x_tile_fetched1[0 + 3] = (run[3]); }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        { const uint4 run = *reinterpret_cast<device const uint4*>(&a[((i64)(k_step + 2) * 32 + (i64)warp * 8 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); a_tile_fetched[0 + 2] = (run[2]); a_tile_fetched[0 + 3] = (run[3]); }
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + warp / 2 * 1024 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 1) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a2[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 2) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a3[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + 8 + column)]));
        }
        simdgroup_8x8x8_fp16(acc0_0, a0, b0);
        simdgroup_8x8x8_fp16(acc0_1, a0, b1);
        simdgroup_8x8x8_fp16(acc1_0, a1, b0);
        simdgroup_8x8x8_fp16(acc1_1, a1, b1);
        simdgroup_8x8x8_fp16(acc2_0, a2, b0);
        simdgroup_8x8x8_fp16(acc2_1, a2, b1);
        simdgroup_8x8x8_fp16(acc3_0, a3, b0);
        simdgroup_8x8x8_fp16(acc3_1, a3, b1);
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *reinterpret_cast<threadgroup uint4*>(&x_tile[(k_step + 1) % 2 * 2048 + warp * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *reinterpret_cast<threadgroup uint4*>(&x_tile[(k_step + 1) % 2 * 2048 + (warp + 4) * 256 + (row * 32 ^ (row >> 1) * 8 ^ column)]) = uint4((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3]));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        *reinterpret_cast<threadgroup uint4*>(&a_tile[(k_step + 1) % 2 * 1024 + warp * 256 + (column * 32 ^ (column >> 1) * 8 ^ row)]) = uint4((a_tile_fetched[0]), (a_tile_fetched[0 + 1]), (a_tile_fetched[0 + 2]), (a_tile_fetched[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if ((k_step + 2) * 32 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 32 + column]); x_tile_fetched0[0] = (run[0]); x_tile_fetched0[0 + 1] = (run[1]); x_tile_fetched0[0 + 2] = (run[2]); x_tile_fetched0[0 + 3] = (run[3]); }
        else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if ((k_step + 2) * 32 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 32 + column]); x_tile_fetched1[0] = (run[0]); x_tile_fetched1[0 + 1] = (run[1]); x_tile_fetched1[0 + 2] = (run[2]); x_tile_fetched1[0 + 3] = (run[3]); }
        else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        if ((k_step + 2) * 32 + warp * 8 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&a[((i64)(k_step + 2) * 32 + (i64)warp * 8 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); a_tile_fetched[0 + 2] = (run[2]); a_tile_fetched[0 + 3] = (run[3]); }
        else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; a_tile_fetched[2] = 0; a_tile_fetched[3] = 0; }
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + warp / 2 * 1024 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 1) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a2[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 2) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a3[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 2048 + (warp / 2 * 4 + 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + 8 + column)]));
        }
        simdgroup_8x8x8_fp16(acc0_0, a0, b0);
        simdgroup_8x8x8_fp16(acc0_1, a0, b1);
        simdgroup_8x8x8_fp16(acc1_0, a1, b0);
        simdgroup_8x8x8_fp16(acc1_1, a1, b1);
        simdgroup_8x8x8_fp16(acc2_0, a2, b0);
        simdgroup_8x8x8_fp16(acc2_1, a2, b1);
        simdgroup_8x8x8_fp16(acc3_0, a3, b0);
        simdgroup_8x8x8_fp16(acc3_1, a3, b1);
      }
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc1_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc2_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc3_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (!(warp % 2 * 16 + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4 < keys)) acc3_1[r] = 0.0f;
      }
    }
    {
      piece[0] = pair_fp16(acc0_0[0], acc0_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc0_1[0], acc0_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc1_0[0], acc1_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 8 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc1_1[0], acc1_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 8 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc2_0[0], acc2_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 16 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc2_1[0], acc2_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 16 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc3_0[0], acc3_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 24 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_fp16(acc3_1[0], acc3_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 32 + 24 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    if (first_column_tile < stop_column_tile) {
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if (warp * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)warp * 4 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if ((warp + 4) * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)(warp + 4) * 4 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint4*>(&b_tile[first_column_tile % 2 * 2048 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + column * 8 ^ (warp * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3]));
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint4*>(&b_tile[first_column_tile % 2 * 2048 + ((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + column * 8 ^ ((warp + 4) * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if (warp * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)warp * 4 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if ((warp + 4) * 4 + column < keys) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)(warp + 4) * 4 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_3[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(warp / 2 * 32 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(warp / 2 * 32 + 8 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a2[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(warp / 2 * 32 + 16 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a3[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(warp / 2 * 32 + 24 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 8 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b2[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b3[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 24 + column)]));
        }
        simdgroup_8x8x8_fp16(acc0_0, a0, b0);
        simdgroup_8x8x8_fp16(acc0_1, a0, b1);
        simdgroup_8x8x8_fp16(acc0_2, a0, b2);
        simdgroup_8x8x8_fp16(acc0_3, a0, b3);
        simdgroup_8x8x8_fp16(acc1_0, a1, b0);
        simdgroup_8x8x8_fp16(acc1_1, a1, b1);
        simdgroup_8x8x8_fp16(acc1_2, a1, b2);
        simdgroup_8x8x8_fp16(acc1_3, a1, b3);
        simdgroup_8x8x8_fp16(acc2_0, a2, b0);
        simdgroup_8x8x8_fp16(acc2_1, a2, b1);
        simdgroup_8x8x8_fp16(acc2_2, a2, b2);
        simdgroup_8x8x8_fp16(acc2_3, a2, b3);
        simdgroup_8x8x8_fp16(acc3_0, a3, b0);
        simdgroup_8x8x8_fp16(acc3_1, a3, b1);
        simdgroup_8x8x8_fp16(acc3_2, a3, b2);
        simdgroup_8x8x8_fp16(acc3_3, a3, b3);
      }
      const int warp_column = column_tile * 64 + warp % 2 * 32;
      if (warp_row + 31 < m && warp_column + 31 < n) {
        {
          result[0] = pair_fp16(acc0_0[0], acc0_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_2[0], acc0_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_3[0], acc0_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_2[0], acc1_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_3[0], acc1_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_0[0], acc2_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_1[0], acc2_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_2[0], acc2_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_3[0], acc2_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_0[0], acc3_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_1[0], acc3_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_2[0], acc3_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_3[0], acc3_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      else {
        {
          result[0] = pair_fp16(acc0_0[0], acc0_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_2[0], acc0_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_3[0], acc0_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_2[0], acc1_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_3[0], acc1_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_0[0], acc2_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_1[0], acc2_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_2[0], acc2_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc2_3[0], acc2_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_0[0], acc3_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_1[0], acc3_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_2[0], acc3_2[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc3_3[0], acc3_3[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          *reinterpret_cast<threadgroup uint4*>(&b_tile[(column_tile + 1) % 2 * 2048 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + column * 8 ^ (warp * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3]));
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          *reinterpret_cast<threadgroup uint4*>(&b_tile[(column_tile + 1) % 2 * 2048 + ((warp + 4) * 4 >> 3) * 512 + (((warp + 4) * 4 & 7) * 8 + column * 8 ^ ((warp + 4) * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3]));
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
    }
  }
}
