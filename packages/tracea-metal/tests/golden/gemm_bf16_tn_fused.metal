// tracea: matmul bf16, epilogue bias, gelu, residual
// variant        metal.contraction.simdgroup_bf16 for apple9
// configuration  64x64x16 s2 grouped va8 vb8 vc8
// schedule       74512cef24b060bf15362558628590f29aa2c2572fd86be8cfb2933eedfbaa97
// certificate    45e43c70343069cd1f71a5c450b14b1ef88af86998cdfae68dba3489596fe152: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// a: bf16, read, aligned to 4 bytes
// b: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552 by 2
// n: columns of the output; 0 to 2147479552 by 8
// k: length of the reduction; 0 to 2147479552
// a_column: a: next column; -4611686018427387904 to 4611686018427387904 by 2
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of bf16, outer 64 = 2*512 + 5 bits, k 16 = 4 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, k 16 = 2*512 + 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 8192 bytes of shared memory
struct Sizes {
  int m;
  int n;
  int k;
  i64 a_column;
  i64 b_row;
  i64 out_row;
  i64 residual_1_row;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void matmul_bf16_64x64x16_fb1eca27(
    device const bf16* a [[buffer(0)]],
    device const bf16* b [[buffer(1)]],
    device bf16* out [[buffer(2)]],
    device const float* bias_0 [[buffer(3)]],
    device const float* residual_1 [[buffer(4)]],
    constant Sizes& sizes [[buffer(5)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int m = sizes.m;
  const int n = sizes.n;
  const int k = sizes.k;
  const i64 a_column = sizes.a_column;
  const i64 b_row = sizes.b_row;
  const i64 out_row = sizes.out_row;
  const i64 residual_1_row = sizes.residual_1_row;
  threadgroup uint4 shared[512];
  threadgroup bf16* const a_tile = reinterpret_cast<threadgroup bf16*>(shared + 0);
  threadgroup bf16* const b_tile = reinterpret_cast<threadgroup bf16*>(shared + 256);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float acc0_0[2];  // 8x8 fp32 of the warp
    float acc0_1[2];  // 8x8 fp32 of the warp
    float acc0_2[2];  // 8x8 fp32 of the warp
    float acc0_3[2];  // 8x8 fp32 of the warp
    float acc1_0[2];  // 8x8 fp32 of the warp
    float acc1_1[2];  // 8x8 fp32 of the warp
    float acc1_2[2];  // 8x8 fp32 of the warp
    float acc1_3[2];  // 8x8 fp32 of the warp
    float acc2_0[2];  // 8x8 fp32 of the warp
    float acc2_1[2];  // 8x8 fp32 of the warp
    float acc2_2[2];  // 8x8 fp32 of the warp
    float acc2_3[2];  // 8x8 fp32 of the warp
    float acc3_0[2];  // 8x8 fp32 of the warp
    float acc3_1[2];  // 8x8 fp32 of the warp
    float acc3_2[2];  // 8x8 fp32 of the warp
    float acc3_3[2];  // 8x8 fp32 of the warp
    unsigned a0[1];  // 8x8 bf16 of the warp
    unsigned a1[1];  // 8x8 bf16 of the warp
    unsigned a2[1];  // 8x8 bf16 of the warp
    unsigned a3[1];  // 8x8 bf16 of the warp
    unsigned b0[1];  // 8x8 bf16 of the warp
    unsigned b1[1];  // 8x8 bf16 of the warp
    unsigned b2[1];  // 8x8 bf16 of the warp
    unsigned b3[1];  // 8x8 bf16 of the warp
    unsigned a_tile_fetched[4];  // 64x4 bf16 of the warp
    unsigned a_tile_fetched_turned[4];  // 64x4 bf16 of the warp
    unsigned b_tile_fetched[4];  // 64x4 bf16 of the warp
    float bias_0_held[2];  // 1x8 fp32 of the warp
    float residual_1_held[2];  // 8x8 fp32 of the warp
    unsigned result[1];  // 8x8 bf16 of the warp
    const int depth = k;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 8);
      const int band_rows = min(tile_rows - band * 8, 8);
      const int in_band = tile - band * 8 * tile_columns;
      const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 64;
      const int column0 = floor_divide(in_band, band_rows) * 64;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 32;
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
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        if (warp * 4 + column < depth) a_tile_fetched[r / 2] = (*reinterpret_cast<device const uint*>(&a[min(row0 + (i64)lane * 2, (i64)(m - 2)) + (r & 1) + ((i64)warp * 4 + column) * a_column]));
        else { a_tile_fetched[r / 2] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if (warp * 4 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)warp * 4 + column) * b_row + min(column0 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched[0] = (run[0]); b_tile_fetched[0 + 1] = (run[1]); b_tile_fetched[0 + 2] = (run[2]); b_tile_fetched[0 + 3] = (run[3]); }
        else { b_tile_fetched[0] = 0; b_tile_fetched[1] = 0; b_tile_fetched[2] = 0; b_tile_fetched[3] = 0; }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // tile_done
      a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[1], 0) << 16;
      a_tile_fetched_turned[1] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[3], 0) << 16;
      a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[1], 16) << 16;
      a_tile_fetched_turned[3] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[3], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r >> 2) + lane * 2;
        const int column = r & 3;
        *reinterpret_cast<threadgroup uint2*>(&a_tile[(row >> 5) * 512 + ((row & 0x1f) * 16 ^ (row >> 2 & 1) * 8 ^ (row >> 3 & 1) * 4 ^ row & 0x10 ^ warp * 4 + column)]) = uint2((a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1]));
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        *reinterpret_cast<threadgroup uint4*>(&b_tile[(warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + column * 8 ^ (warp * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3]));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        if (16 + warp * 4 + column < depth) a_tile_fetched[r / 2] = (*reinterpret_cast<device const uint*>(&a[min(row0 + (i64)lane * 2, (i64)(m - 2)) + (r & 1) + (16 + (i64)warp * 4 + column) * a_column]));
        else { a_tile_fetched[r / 2] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if (16 + warp * 4 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[(16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched[0] = (run[0]); b_tile_fetched[0 + 1] = (run[1]); b_tile_fetched[0 + 2] = (run[2]); b_tile_fetched[0 + 3] = (run[3]); }
        else { b_tile_fetched[0] = 0; b_tile_fetched[1] = 0; b_tile_fetched[2] = 0; b_tile_fetched[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
        a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[1], 0) << 16;
        a_tile_fetched_turned[1] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[3], 0) << 16;
        a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[1], 16) << 16;
        a_tile_fetched_turned[3] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[3], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + lane * 2;
          const int column = r & 3;
          *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 1024 + (row >> 5) * 512 + ((row & 0x1f) * 16 ^ (row >> 2 & 1) * 8 ^ (row >> 3 & 1) * 4 ^ row & 0x10 ^ warp * 4 + column)]) = uint2((a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1]));
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          *reinterpret_cast<threadgroup uint4*>(&b_tile[(k_step + 1) % 2 * 1024 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + column * 8 ^ (warp * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          a_tile_fetched[r / 2] = (*reinterpret_cast<device const uint*>(&a[min(row0 + (i64)lane * 2, (i64)(m - 2)) + (r & 1) + ((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * a_column]));
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched[0] = (run[0]); b_tile_fetched[0 + 1] = (run[1]); b_tile_fetched[0 + 2] = (run[2]); b_tile_fetched[0 + 3] = (run[3]); }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (128 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a2[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (256 + row * 16 ^ (row >> 2) * 8 ^ 16 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a3[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (384 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ 16 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 8 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b2[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b3[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 24 + column)]));
          }
          simdgroup_8x8x8_bf16(acc0_0, a0, b0);
          simdgroup_8x8x8_bf16(acc0_1, a0, b1);
          simdgroup_8x8x8_bf16(acc0_2, a0, b2);
          simdgroup_8x8x8_bf16(acc0_3, a0, b3);
          simdgroup_8x8x8_bf16(acc1_0, a1, b0);
          simdgroup_8x8x8_bf16(acc1_1, a1, b1);
          simdgroup_8x8x8_bf16(acc1_2, a1, b2);
          simdgroup_8x8x8_bf16(acc1_3, a1, b3);
          simdgroup_8x8x8_bf16(acc2_0, a2, b0);
          simdgroup_8x8x8_bf16(acc2_1, a2, b1);
          simdgroup_8x8x8_bf16(acc2_2, a2, b2);
          simdgroup_8x8x8_bf16(acc2_3, a2, b3);
          simdgroup_8x8x8_bf16(acc3_0, a3, b0);
          simdgroup_8x8x8_bf16(acc3_1, a3, b1);
          simdgroup_8x8x8_bf16(acc3_2, a3, b2);
          simdgroup_8x8x8_bf16(acc3_3, a3, b3);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
        a_tile_fetched_turned[0] = part16(a_tile_fetched[0], 0) | (unsigned)part16(a_tile_fetched[1], 0) << 16;
        a_tile_fetched_turned[1] = part16(a_tile_fetched[2], 0) | (unsigned)part16(a_tile_fetched[3], 0) << 16;
        a_tile_fetched_turned[2] = part16(a_tile_fetched[0], 16) | (unsigned)part16(a_tile_fetched[1], 16) << 16;
        a_tile_fetched_turned[3] = part16(a_tile_fetched[2], 16) | (unsigned)part16(a_tile_fetched[3], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = (r >> 2) + lane * 2;
          const int column = r & 3;
          *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 1024 + (row >> 5) * 512 + ((row & 0x1f) * 16 ^ (row >> 2 & 1) * 8 ^ (row >> 3 & 1) * 4 ^ row & 0x10 ^ warp * 4 + column)]) = uint2((a_tile_fetched_turned[r / 2]), (a_tile_fetched_turned[r / 2 + 1]));
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          *reinterpret_cast<threadgroup uint4*>(&b_tile[(k_step + 1) % 2 * 1024 + (warp * 4 >> 3) * 512 + ((warp * 4 & 7) * 8 + column * 8 ^ (warp * 4 & 7) * 64 + column * 64 ^ row)]) = uint4((b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          if ((k_step + 2) * 16 + warp * 4 + column < depth) a_tile_fetched[r / 2] = (*reinterpret_cast<device const uint*>(&a[min(row0 + (i64)lane * 2, (i64)(m - 2)) + (r & 1) + ((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * a_column]));
          else { a_tile_fetched[r / 2] = 0; }
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if ((k_step + 2) * 16 + warp * 4 + column < depth) { const uint4 run = *reinterpret_cast<device const uint4*>(&b[((i64)(k_step + 2) * 16 + (i64)warp * 4 + column) * b_row + min(column0 + (i64)(row / 8) * 8, (i64)(n - 8))]); b_tile_fetched[0] = (run[0]); b_tile_fetched[0 + 1] = (run[1]); b_tile_fetched[0 + 2] = (run[2]); b_tile_fetched[0 + 3] = (run[3]); }
          else { b_tile_fetched[0] = 0; b_tile_fetched[1] = 0; b_tile_fetched[2] = 0; b_tile_fetched[3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (128 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a2[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (256 + row * 16 ^ (row >> 2) * 8 ^ 16 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a3[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + (384 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ 16 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 8 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b2[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b3[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 1024 + (k_inner >> 3) * 512 + (row * 8 ^ row * 64 ^ warp % 2 * 32 + 24 + column)]));
          }
          simdgroup_8x8x8_bf16(acc0_0, a0, b0);
          simdgroup_8x8x8_bf16(acc0_1, a0, b1);
          simdgroup_8x8x8_bf16(acc0_2, a0, b2);
          simdgroup_8x8x8_bf16(acc0_3, a0, b3);
          simdgroup_8x8x8_bf16(acc1_0, a1, b0);
          simdgroup_8x8x8_bf16(acc1_1, a1, b1);
          simdgroup_8x8x8_bf16(acc1_2, a1, b2);
          simdgroup_8x8x8_bf16(acc1_3, a1, b3);
          simdgroup_8x8x8_bf16(acc2_0, a2, b0);
          simdgroup_8x8x8_bf16(acc2_1, a2, b1);
          simdgroup_8x8x8_bf16(acc2_2, a2, b2);
          simdgroup_8x8x8_bf16(acc2_3, a2, b3);
          simdgroup_8x8x8_bf16(acc3_0, a3, b0);
          simdgroup_8x8x8_bf16(acc3_1, a3, b1);
          simdgroup_8x8x8_bf16(acc3_2, a3, b2);
          simdgroup_8x8x8_bf16(acc3_3, a3, b3);
        }
      }
      if (warp_row + 31 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + row) * residual_1_row + warp_column + column];
        }
        {
          float low;
          {
            const float v0 = acc0_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + row) * residual_1_row + warp_column + 8 + column];
        }
        {
          float low;
          {
            const float v0 = acc0_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + row) * residual_1_row + warp_column + 16 + column];
        }
        {
          float low;
          {
            const float v0 = acc0_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + row) * residual_1_row + warp_column + 24 + column];
        }
        {
          float low;
          {
            const float v0 = acc0_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + column];
        }
        {
          float low;
          {
            const float v0 = acc1_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 8 + column];
        }
        {
          float low;
          {
            const float v0 = acc1_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 16 + column];
        }
        {
          float low;
          {
            const float v0 = acc1_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 24 + column];
        }
        {
          float low;
          {
            const float v0 = acc1_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + column];
        }
        {
          float low;
          {
            const float v0 = acc2_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 8 + column];
        }
        {
          float low;
          {
            const float v0 = acc2_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 16 + column];
        }
        {
          float low;
          {
            const float v0 = acc2_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 24 + column];
        }
        {
          float low;
          {
            const float v0 = acc2_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + column];
        }
        {
          float low;
          {
            const float v0 = acc3_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 8 + column];
        }
        {
          float low;
          {
            const float v0 = acc3_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 16 + column];
        }
        {
          float low;
          {
            const float v0 = acc3_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_0_held[r] = bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 24 + column];
        }
        {
          float low;
          {
            const float v0 = acc3_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + row < m && warp_column + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc0_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 8 + column < n ? bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + row < m && warp_column + 8 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 8 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc0_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 16 + column < n ? bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + row < m && warp_column + 16 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 16 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc0_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 24 + column < n ? bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + row < m && warp_column + 24 + column < n ? residual_1[(warp_row + row) * residual_1_row + warp_column + 24 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc0_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc0_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 8 + row < m && warp_column + column < n ? residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc1_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 8 + column < n ? bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 8 + row < m && warp_column + 8 + column < n ? residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 8 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc1_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 16 + column < n ? bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 8 + row < m && warp_column + 16 + column < n ? residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 16 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc1_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 24 + column < n ? bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 8 + row < m && warp_column + 24 + column < n ? residual_1[(warp_row + 8 + row) * residual_1_row + warp_column + 24 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc1_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc1_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 8 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 16 + row < m && warp_column + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc2_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 8 + column < n ? bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 16 + row < m && warp_column + 8 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 8 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc2_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 16 + column < n ? bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 16 + row < m && warp_column + 16 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 16 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc2_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 24 + column < n ? bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 16 + row < m && warp_column + 24 + column < n ? residual_1[(warp_row + 16 + row) * residual_1_row + warp_column + 24 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc2_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc2_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 24 + row < m && warp_column + column < n ? residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc3_0[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_0[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 8 + column < n ? bias_0[warp_column + 8 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 24 + row < m && warp_column + 8 + column < n ? residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 8 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc3_1[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_1[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 8 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 16 + column < n ? bias_0[warp_column + 16 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 24 + row < m && warp_column + 16 + column < n ? residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 16 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc3_2[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_2[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 16 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          bias_0_held[r] = warp_column + 24 + column < n ? bias_0[warp_column + 24 + r + (lane & 1) * 2 + (lane >> 3 & 1) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          residual_1_held[r] = warp_row + 24 + row < m && warp_column + 24 + column < n ? residual_1[(warp_row + 24 + row) * residual_1_row + warp_column + 24 + column] : 0.0f;
        }
        {
          float low;
          {
            const float v0 = acc3_3[0] + bias_0_held[0];
            low = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[0]);
          }
          float high;
          {
            const float v0 = acc3_3[1] + bias_0_held[1];
            high = (((0.5f * v0) * (1.0f + erf_of((v0 * 0.70710677f)))) + residual_1_held[1]);
          }
          result[0] = pair_bf16(low, high);
        }
        {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 24 + row < m && warp_column + 24 + column < n) *reinterpret_cast<device uint*>(&out[(warp_row + 24 + row) * out_row + warp_column + 24 + column]) = (result[0]);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
    }
  }
}
