// tracea: low rank product bf16
// variant        metal.chained.low_rank_simdgroup_bf16 for apple9
// configuration  32x64x16 s2 va4 vb4 vc4 kb32
// schedule       2e8d911a5e8d20c27eb7d229db3d8c63092b5564cbbc9d418720ed34da4b70eb
// certificate    d1fa407de7f37a99543445405e12cdaf10ee3c72d87271741449e1ef253e6f10: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// Metal has no erf. Minimax polynomials in single precision: erf x = x + x P(x^2) below 1, 1 - e^L(x) above.
inline float erf_of(float x) {
  const float s = x * x, magnitude = fabs(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return isnan(x) ? x : copysign(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - precise::exp(l), x);
}

// Matrix instructions of a simdgroup: sums += a · b.
inline void simdgroup_8x8x8_bf16(thread float* sums, const thread uint* a, const thread uint* b) {
  simdgroup_bfloat8x8 left, right;
  simdgroup_float8x8 total;
  const bfloat2 a_pair = as_type<bfloat2>(a[0]);
  left.thread_elements()[0] = a_pair[0];
  left.thread_elements()[1] = a_pair[1];
  const bfloat2 b_pair = as_type<bfloat2>(b[0]);
  right.thread_elements()[0] = b_pair[0];
  right.thread_elements()[1] = b_pair[1];
  total.thread_elements()[0] = sums[0];
  total.thread_elements()[1] = sums[1];
  simdgroup_multiply_accumulate(total, left, right, total);
  sums[0] = total.thread_elements()[0];
  sums[1] = total.thread_elements()[1];
}

// x: bf16, read, aligned to 8 bytes
// a: bf16, read, aligned to 8 bytes
// b: bf16, read, aligned to 8 bytes
// out: bf16, write, aligned to 4 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 4
// keys: columns of a: the rank; 1 to 32 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of bf16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of bf16, k 16 = 2*256 + 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, k 32 = 4*512 + 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of bf16, row 32 = 32*40, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * column_splits blocks of 128 threads, clusters of 1, 14832 bytes of shared memory
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
kernel void low_rank_product_bf16_32x64x16_b4d3e76f(
    device const bf16* x [[buffer(0)]],
    device const bf16* a [[buffer(1)]],
    device const bf16* b [[buffer(2)]],
    device bf16* out [[buffer(3)]],
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
  threadgroup uint4 shared[927];
  threadgroup bf16* const x_tile = reinterpret_cast<threadgroup bf16*>(shared + 0);
  threadgroup bf16* const a_tile = reinterpret_cast<threadgroup bf16*>(shared + 128);
  threadgroup bf16* const b_tile = reinterpret_cast<threadgroup bf16*>(shared + 256);
  threadgroup bf16* const middle_tile = reinterpret_cast<threadgroup bf16*>(shared + 768);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float acc0_0[2];  // 8x8 fp32 of the warp
    float acc0_1[2];  // 8x8 fp32 of the warp
    float acc1_0[2];  // 8x8 fp32 of the warp
    float acc1_1[2];  // 8x8 fp32 of the warp
    unsigned a0[1];  // 8x8 bf16 of the warp
    unsigned a1[1];  // 8x8 bf16 of the warp
    unsigned b0[1];  // 8x8 bf16 of the warp
    unsigned b1[1];  // 8x8 bf16 of the warp
    unsigned x_tile_fetched[2];  // 8x16 bf16 of the warp
    unsigned a_tile_fetched[2];  // 32x4 bf16 of the warp
    unsigned a2[1];  // 8x8 bf16 of the warp
    unsigned a3[1];  // 8x8 bf16 of the warp
    float acc2_0[2];  // 8x8 fp32 of the warp
    float acc2_1[2];  // 8x8 fp32 of the warp
    float acc3_0[2];  // 8x8 fp32 of the warp
    float acc3_1[2];  // 8x8 fp32 of the warp
    unsigned b_tile_fetched0[2];  // 64x2 bf16 of the warp
    unsigned b_tile_fetched1[2];  // 64x2 bf16 of the warp
    unsigned b_tile_fetched2[2];  // 64x2 bf16 of the warp
    unsigned b_tile_fetched3[2];  // 64x2 bf16 of the warp
    unsigned piece[1];  // 8x8 bf16 of the warp
    unsigned result[1];  // 8x8 bf16 of the warp
    const int row_tiles = (m + 31) / 32;
    const int column_tiles = (n + 63) / 64;
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
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + column]); x_tile_fetched[0] = (run[0]); x_tile_fetched[0 + 1] = (run[1]); }
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (warp * 4 + column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&a[((i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); }
      else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // tile_done
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      *reinterpret_cast<threadgroup uint2*>(&x_tile[warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)]) = uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      *reinterpret_cast<threadgroup uint2*>(&a_tile[(warp * 4 >> 3) * 256 + ((warp * 4 & 7) * 32 + column * 32 ^ (warp * 2 & 3) * 8 + (column >> 1) * 8 ^ row)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
    }
    {
      const int row = lane >> 2;
      const int column = (lane & 3) * 4;
      if (16 + column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + 16 + column]); x_tile_fetched[0] = (run[0]); x_tile_fetched[0 + 1] = (run[1]); }
      else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
    }
    {
      const int row = (lane & 7) * 4;
      const int column = lane >> 3;
      if (16 + warp * 4 + column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&a[(16 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); }
      else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *reinterpret_cast<threadgroup uint2*>(&x_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)]) = uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 512 + (warp * 4 >> 3) * 256 + ((warp * 4 & 7) * 32 + column * 32 ^ (warp * 2 & 3) * 8 + (column >> 1) * 8 ^ row)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        { const uint2 run = *reinterpret_cast<device const uint2*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column]); x_tile_fetched[0] = (run[0]); x_tile_fetched[0 + 1] = (run[1]); }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        { const uint2 run = *reinterpret_cast<device const uint2*>(&a[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); }
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 16; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 512 + warp / 2 * 256 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 512 + (warp / 2 * 2 + 1) * 128 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + 8 + column)]));
        }
        simdgroup_8x8x8_bf16(acc0_0, a0, b0);
        simdgroup_8x8x8_bf16(acc0_1, a0, b1);
        simdgroup_8x8x8_bf16(acc1_0, a1, b0);
        simdgroup_8x8x8_bf16(acc1_1, a1, b1);
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        *reinterpret_cast<threadgroup uint2*>(&x_tile[(k_step + 1) % 2 * 512 + warp * 128 + (row * 16 ^ (row >> 2) * 8 ^ column)]) = uint2((x_tile_fetched[0]), (x_tile_fetched[0 + 1]));
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 512 + (warp * 4 >> 3) * 256 + ((warp * 4 & 7) * 32 + column * 32 ^ (warp * 2 & 3) * 8 + (column >> 1) * 8 ^ row)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if ((k_step + 2) * 16 + column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&x[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 16 + column]); x_tile_fetched[0] = (run[0]); x_tile_fetched[0 + 1] = (run[1]); }
        else { x_tile_fetched[0] = 0; x_tile_fetched[1] = 0; }
      }
      {
        const int row = (lane & 7) * 4;
        const int column = lane >> 3;
        if ((k_step + 2) * 16 + warp * 4 + column < depth) { const uint2 run = *reinterpret_cast<device const uint2*>(&a[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched[0] = (run[0]); a_tile_fetched[0 + 1] = (run[1]); }
        else { a_tile_fetched[0] = 0; a_tile_fetched[1] = 0; }
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 16; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 512 + warp / 2 * 256 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&x_tile[k_step % 2 * 512 + (warp / 2 * 2 + 1) * 128 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (k_inner >> 3) * 256 + (row * 32 ^ (row >> 1) * 8 ^ warp % 2 * 16 + 8 + column)]));
        }
        simdgroup_8x8x8_bf16(acc0_0, a0, b0);
        simdgroup_8x8x8_bf16(acc0_1, a0, b1);
        simdgroup_8x8x8_bf16(acc1_0, a1, b0);
        simdgroup_8x8x8_bf16(acc1_1, a1, b1);
      }
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = acc0_0[r];
      acc0_0[r] = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = acc0_1[r];
      acc0_1[r] = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = acc1_0[r];
      acc1_0[r] = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = acc1_1[r];
      acc1_1[r] = ((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f))));
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
    }
    {
      piece[0] = pair_bf16(acc0_0[0], acc0_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 16 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_bf16(acc0_1[0], acc0_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 16 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_bf16(acc1_0[0], acc1_0[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 16 + 8 + row) * 40 + warp % 2 * 16 + column]) = (piece[0]);
    }
    {
      piece[0] = pair_bf16(acc1_1[0], acc1_1[1]);
    }
    {
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
      const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      *reinterpret_cast<threadgroup uint*>(&middle_tile[(warp / 2 * 16 + 8 + row) * 40 + warp % 2 * 16 + 8 + column]) = (piece[0]);
    }
    if (first_column_tile < stop_column_tile) {
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if (warp * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)warp * 2 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 4) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 4) * 2 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 8) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 8) * 2 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched2[0] = (run[0]); b_tile_fetched2[0 + 1] = (run[1]); }
        else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 12) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 12) * 2 + column) * b_row + min((i64)first_column_tile * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched3[0] = (run[0]); b_tile_fetched3[0 + 1] = (run[1]); }
        else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint2*>(&b_tile[first_column_tile % 2 * 2048 + (warp * 16 + column * 8 ^ warp * 128 + column * 64 ^ row)]) = uint2((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint2*>(&b_tile[first_column_tile % 2 * 2048 + ((warp + 4) * 2 >> 3) * 512 + (((warp + 4) * 2 & 7) * 8 + column * 8 ^ ((warp + 4) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint2*>(&b_tile[first_column_tile % 2 * 2048 + ((warp + 8) * 2 >> 3) * 512 + (((warp + 8) * 2 & 7) * 8 + column * 8 ^ ((warp + 8) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *reinterpret_cast<threadgroup uint2*>(&b_tile[first_column_tile % 2 * 2048 + ((warp + 12) * 2 >> 3) * 512 + (((warp + 12) * 2 & 7) * 8 + column * 8 ^ ((warp + 12) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if (warp * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)warp * 2 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); }
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((warp + 4) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 4) * 2 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); }
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((warp + 8) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 8) * 2 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched2[0] = (run[0]); b_tile_fetched2[0 + 1] = (run[1]); }
          else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((warp + 12) * 2 + column < keys) { const uint2 run = *reinterpret_cast<device const uint2*>(&b[((i64)(warp + 12) * 2 + column) * b_row + min((i64)(column_tile + 1) * 64 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched3[0] = (run[0]); b_tile_fetched3[0 + 1] = (run[1]); }
          else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; }
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
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 32; k_inner += 8) {
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a0[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[row * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a1[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(8 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a2[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(16 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          a3[0] = (*reinterpret_cast<threadgroup const uint*>(&middle_tile[(24 + row) * 40 + k_inner + column]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp * 16 + column)]));
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[column_tile % 2 * 2048 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp * 16 + 8 + column)]));
        }
        simdgroup_8x8x8_bf16(acc0_0, a0, b0);
        simdgroup_8x8x8_bf16(acc0_1, a0, b1);
        simdgroup_8x8x8_bf16(acc1_0, a1, b0);
        simdgroup_8x8x8_bf16(acc1_1, a1, b1);
        simdgroup_8x8x8_bf16(acc2_0, a2, b0);
        simdgroup_8x8x8_bf16(acc2_1, a2, b1);
        simdgroup_8x8x8_bf16(acc3_0, a3, b0);
        simdgroup_8x8x8_bf16(acc3_1, a3, b1);
      }
      const int warp_column = column_tile * 64 + warp * 16;
      if (warp_row + 31 < m && warp_column + 15 < n) {
        {
          result[0] = pair_bf16(acc0_0[0], acc0_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc0_1[0], acc0_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc1_0[0], acc1_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc1_1[0], acc1_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc2_0[0], acc2_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc2_1[0], acc2_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc3_0[0], acc3_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc3_1[0], acc3_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      else {
        {
          result[0] = pair_bf16(acc0_0[0], acc0_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc0_1[0], acc0_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc1_0[0], acc1_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc1_1[0], acc1_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc2_0[0], acc2_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc2_1[0], acc2_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc3_0[0], acc3_0[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_bf16(acc3_1[0], acc3_1[1]);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint2*>(&b_tile[(column_tile + 1) % 2 * 2048 + (warp * 16 + column * 8 ^ warp * 128 + column * 64 ^ row)]) = uint2((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint2*>(&b_tile[(column_tile + 1) % 2 * 2048 + ((warp + 4) * 2 >> 3) * 512 + (((warp + 4) * 2 & 7) * 8 + column * 8 ^ ((warp + 4) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint2*>(&b_tile[(column_tile + 1) % 2 * 2048 + ((warp + 8) * 2 >> 3) * 512 + (((warp + 8) * 2 & 7) * 8 + column * 8 ^ ((warp + 8) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *reinterpret_cast<threadgroup uint2*>(&b_tile[(column_tile + 1) % 2 * 2048 + ((warp + 12) * 2 >> 3) * 512 + (((warp + 12) * 2 & 7) * 8 + column * 8 ^ ((warp + 12) * 2 & 7) * 64 + column * 64 ^ row)]) = uint2((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]));
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
    }
  }
}
