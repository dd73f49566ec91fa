// tracea: conv2d fp16
// variant        metal.contraction.simdgroup_fp16 for apple7
// configuration  32x32x16 s2
// schedule       fcba12343a2154b6d496132ef8843f7c0f40cba984c53852177c79691efe75f8
// certificate    78039023797ae155c2e4dbec694f0c412ef3b0b5f344a5f8983ba20c906dda0b: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// x: fp16, read, aligned to 2 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 2 bytes
// out_width: columns of the output image; 1 to 2147479552
// m: output channels of a group; 0 to 2147479552
// n: output pixels of an image; 0 to 2147479552
// items: images times groups; 0 to 2147479552
// k_c: reduction axis c; 1 to 2147479552
// k_r: reduction axis r; 0 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
// x_image: x: image stride; -4611686018427387904 to 4611686018427387904
// x_row: x: row stride; -4611686018427387904 to 4611686018427387904
// x_column: x: column stride; -4611686018427387904 to 4611686018427387904
// stride_h: stride along h; -4611686018427387904 to 4611686018427387904
// dilation_w: dilation along w; -4611686018427387904 to 4611686018427387904
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// out_column: out: next column; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp16, outer 32 = 4*128 + 3 bits, k 16 = 4 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, k 16 = 2*256 + 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 31) // 32) * items blocks of 128 threads, clusters of 1, 4096 bytes of shared memory
struct Sizes {
  int out_width;
  int m;
  int n;
  int items;
  int k_c;
  int k_r;
  int k_s;
  i64 w_out;
  i64 x_image;
  i64 x_row;
  i64 x_column;
  i64 stride_h;
  i64 dilation_w;
  int pad_h;
  int pad_w;
  int height;
  int width;
  i64 out_image;
  i64 out_row;
  i64 out_column;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void conv2d_fp16_32x32x16_782c33a5(
    device const fp16* x [[buffer(0)]],
    device const fp16* w [[buffer(1)]],
    device fp16* out [[buffer(2)]],
    constant Sizes& sizes [[buffer(3)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int out_width = sizes.out_width;
  const int m = sizes.m;
  const int n = sizes.n;
  const int items = sizes.items;
  const int k_c = sizes.k_c;
  const int k_r = sizes.k_r;
  const int k_s = sizes.k_s;
  const i64 w_out = sizes.w_out;
  const i64 x_image = sizes.x_image;
  const i64 x_row = sizes.x_row;
  const i64 x_column = sizes.x_column;
  const i64 stride_h = sizes.stride_h;
  const i64 dilation_w = sizes.dilation_w;
  const int pad_h = sizes.pad_h;
  const int pad_w = sizes.pad_w;
  const int height = sizes.height;
  const int width = sizes.width;
  const i64 out_image = sizes.out_image;
  const i64 out_row = sizes.out_row;
  const i64 out_column = sizes.out_column;
  threadgroup uint4 shared[256];
  threadgroup fp16* const a_tile = reinterpret_cast<threadgroup fp16*>(shared + 0);
  threadgroup fp16* const b_tile = reinterpret_cast<threadgroup fp16*>(shared + 128);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float acc0_0[2];  // 8x8 fp32 of the warp
    float acc0_1[2];  // 8x8 fp32 of the warp
    float acc1_0[2];  // 8x8 fp32 of the warp
    float acc1_1[2];  // 8x8 fp32 of the warp
    unsigned a0[1];  // 8x8 fp16 of the warp
    unsigned a1[1];  // 8x8 fp16 of the warp
    unsigned b0[1];  // 8x8 fp16 of the warp
    unsigned b1[1];  // 8x8 fp16 of the warp
    fp16 a_tile_fetched0[1];  // 2x16 fp16 of the warp
    fp16 a_tile_fetched1[1];  // 2x16 fp16 of the warp
    fp16 a_tile_fetched2[1];  // 2x16 fp16 of the warp
    fp16 a_tile_fetched3[1];  // 2x16 fp16 of the warp
    fp16 b_tile_fetched0[1];  // 32x1 fp16 of the warp
    fp16 b_tile_fetched1[1];  // 32x1 fp16 of the warp
    fp16 b_tile_fetched2[1];  // 32x1 fp16 of the warp
    fp16 b_tile_fetched3[1];  // 32x1 fp16 of the warp
    unsigned result[1];  // 8x8 fp16 of the warp
    const int depth = k_r * k_s * k_c;
    const int k_steps = (depth + 15) / 16;
    const int whole_steps = depth / 16;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 31) / 32;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int row0 = place / tile_columns * 32;
      const int column0 = place % tile_columns * 32;
      const int warp_row = row0 + warp / 2 * 16;
      const int warp_column = column0 + warp % 2 * 16;
      int b_tile_y00[1];
      {
        b_tile_y00[0] = floor_divide(min(column0 + lane, n - 1), out_width) * stride_h - pad_h;
      }
      int b_tile_x00[1];
      {
        b_tile_x00[0] = floor_modulo(min(column0 + lane, n - 1), out_width) - pad_w;
      }
      int b_tile_x_base0[1];
      {
        b_tile_x_base0[0] = item * x_image + b_tile_y00[0] * x_row + b_tile_x00[0] * x_column;
      }
      int b_tile_y01[1];
      {
        b_tile_y01[0] = floor_divide(min(column0 + lane, n - 1), out_width) * stride_h - pad_h;
      }
      int b_tile_x01[1];
      {
        b_tile_x01[0] = floor_modulo(min(column0 + lane, n - 1), out_width) - pad_w;
      }
      int b_tile_x_base1[1];
      {
        b_tile_x_base1[0] = item * x_image + b_tile_y01[0] * x_row + b_tile_x01[0] * x_column;
      }
      int b_tile_y02[1];
      {
        b_tile_y02[0] = floor_divide(min(column0 + lane, n - 1), out_width) * stride_h - pad_h;
      }
      int b_tile_x02[1];
      {
        b_tile_x02[0] = floor_modulo(min(column0 + lane, n - 1), out_width) - pad_w;
      }
      int b_tile_x_base2[1];
      {
        b_tile_x_base2[0] = item * x_image + b_tile_y02[0] * x_row + b_tile_x02[0] * x_column;
      }
      int b_tile_y03[1];
      {
        b_tile_y03[0] = floor_divide(min(column0 + lane, n - 1), out_width) * stride_h - pad_h;
      }
      int b_tile_x03[1];
      {
        b_tile_x03[0] = floor_modulo(min(column0 + lane, n - 1), out_width) - pad_w;
      }
      int b_tile_x_base3[1];
      {
        b_tile_x_base3[0] = item * x_image + b_tile_y03[0] * x_row + b_tile_x03[0] * x_column;
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
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched0[0] = column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched1[0] = column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched2[0] = column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched3[0] = column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      int b_tile_c0_first[1];
      {
        b_tile_c0_first[0] = warp % k_c;
      }
      int b_tile_s0_first[1];
      {
        b_tile_s0_first[0] = warp / k_c % k_s;
      }
      int b_tile_r0_first[1];
      {
        b_tile_r0_first[0] = warp / k_c / k_s;
      }
      {
        b_tile_fetched0[0] = warp < depth && 0 <= b_tile_y00[0] + b_tile_r0_first[0] && b_tile_y00[0] + b_tile_r0_first[0] < height && 0 <= b_tile_x00[0] + b_tile_s0_first[0] * dilation_w && b_tile_x00[0] + b_tile_s0_first[0] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_c0_first[0] + b_tile_r0_first[0] * x_row + b_tile_s0_first[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c1_first[1];
      {
        b_tile_c1_first[0] = (warp + 4) % k_c;
      }
      int b_tile_s1_first[1];
      {
        b_tile_s1_first[0] = (warp + 4) / k_c % k_s;
      }
      int b_tile_r1_first[1];
      {
        b_tile_r1_first[0] = (warp + 4) / k_c / k_s;
      }
      {
        b_tile_fetched1[0] = warp + 4 < depth && 0 <= b_tile_y01[0] + b_tile_r1_first[0] && b_tile_y01[0] + b_tile_r1_first[0] < height && 0 <= b_tile_x01[0] + b_tile_s1_first[0] * dilation_w && b_tile_x01[0] + b_tile_s1_first[0] * dilation_w < width ? x[b_tile_x_base1[0] + b_tile_c1_first[0] + b_tile_r1_first[0] * x_row + b_tile_s1_first[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c2_first[1];
      {
        b_tile_c2_first[0] = (warp + 8) % k_c;
      }
      int b_tile_s2_first[1];
      {
        b_tile_s2_first[0] = (warp + 8) / k_c % k_s;
      }
      int b_tile_r2_first[1];
      {
        b_tile_r2_first[0] = (warp + 8) / k_c / k_s;
      }
      {
        b_tile_fetched2[0] = warp + 8 < depth && 0 <= b_tile_y02[0] + b_tile_r2_first[0] && b_tile_y02[0] + b_tile_r2_first[0] < height && 0 <= b_tile_x02[0] + b_tile_s2_first[0] * dilation_w && b_tile_x02[0] + b_tile_s2_first[0] * dilation_w < width ? x[b_tile_x_base2[0] + b_tile_c2_first[0] + b_tile_r2_first[0] * x_row + b_tile_s2_first[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c3_first[1];
      {
        b_tile_c3_first[0] = (warp + 12) % k_c;
      }
      int b_tile_s3_first[1];
      {
        b_tile_s3_first[0] = (warp + 12) / k_c % k_s;
      }
      int b_tile_r3_first[1];
      {
        b_tile_r3_first[0] = (warp + 12) / k_c / k_s;
      }
      {
        b_tile_fetched3[0] = warp + 12 < depth && 0 <= b_tile_y03[0] + b_tile_r3_first[0] && b_tile_y03[0] + b_tile_r3_first[0] < height && 0 <= b_tile_x03[0] + b_tile_s3_first[0] * dilation_w && b_tile_x03[0] + b_tile_s3_first[0] * dilation_w < width ? x[b_tile_x_base3[0] + b_tile_c3_first[0] + b_tile_r3_first[0] * x_row + b_tile_s3_first[0] * dilation_w * x_column] : 0;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // tile_done
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile[(warp * 2 + row) * 16 ^ (warp * 2 + row >> 2) * 8 ^ column] = a_tile_fetched0[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile[((warp + 4) * 2 + row >> 3) * 128 + (((warp + 4) * 2 + row & 7) * 16 ^ ((warp + 4) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched1[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile[((warp + 8) * 2 + row >> 3) * 128 + (((warp + 8) * 2 + row & 7) * 16 ^ ((warp + 8) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched2[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile[((warp + 12) * 2 + row >> 3) * 128 + (((warp + 12) * 2 + row & 7) * 16 ^ ((warp + 12) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched3[0];
      }
      {
        b_tile[warp * 32 ^ (warp >> 1) * 8 ^ lane] = b_tile_fetched0[0];
      }
      {
        b_tile[(warp + 4) * 32 ^ (warp + 4 >> 1) * 8 ^ lane] = b_tile_fetched1[0];
      }
      {
        b_tile[(warp + 8 >> 3) * 256 + ((warp + 8 & 7) * 32 ^ (warp + 8 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched2[0];
      }
      {
        b_tile[(warp + 12 >> 3) * 256 + ((warp + 12 & 7) * 32 ^ (warp + 12 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched3[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched0[0] = 16 + column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched1[0] = 16 + column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched2[0] = 16 + column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        a_tile_fetched3[0] = 16 + column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + 16 + column] : 0;
      }
      int b_tile_c0_second[1];
      {
        b_tile_c0_second[0] = (16 + warp) % k_c;
      }
      int b_tile_s0_second[1];
      {
        b_tile_s0_second[0] = (16 + warp) / k_c % k_s;
      }
      int b_tile_r0_second[1];
      {
        b_tile_r0_second[0] = (16 + warp) / k_c / k_s;
      }
      {
        b_tile_fetched0[0] = 16 + warp < depth && 0 <= b_tile_y00[0] + b_tile_r0_second[0] && b_tile_y00[0] + b_tile_r0_second[0] < height && 0 <= b_tile_x00[0] + b_tile_s0_second[0] * dilation_w && b_tile_x00[0] + b_tile_s0_second[0] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_c0_second[0] + b_tile_r0_second[0] * x_row + b_tile_s0_second[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c1_second[1];
      {
        b_tile_c1_second[0] = (16 + warp + 4) % k_c;
      }
      int b_tile_s1_second[1];
      {
        b_tile_s1_second[0] = (16 + warp + 4) / k_c % k_s;
      }
      int b_tile_r1_second[1];
      {
        b_tile_r1_second[0] = (16 + warp + 4) / k_c / k_s;
      }
      {
        b_tile_fetched1[0] = 16 + warp + 4 < depth && 0 <= b_tile_y01[0] + b_tile_r1_second[0] && b_tile_y01[0] + b_tile_r1_second[0] < height && 0 <= b_tile_x01[0] + b_tile_s1_second[0] * dilation_w && b_tile_x01[0] + b_tile_s1_second[0] * dilation_w < width ? x[b_tile_x_base1[0] + b_tile_c1_second[0] + b_tile_r1_second[0] * x_row + b_tile_s1_second[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c2_second[1];
      {
        b_tile_c2_second[0] = (16 + warp + 8) % k_c;
      }
      int b_tile_s2_second[1];
      {
        b_tile_s2_second[0] = (16 + warp + 8) / k_c % k_s;
      }
      int b_tile_r2_second[1];
      {
        b_tile_r2_second[0] = (16 + warp + 8) / k_c / k_s;
      }
      {
        b_tile_fetched2[0] = 16 + warp + 8 < depth && 0 <= b_tile_y02[0] + b_tile_r2_second[0] && b_tile_y02[0] + b_tile_r2_second[0] < height && 0 <= b_tile_x02[0] + b_tile_s2_second[0] * dilation_w && b_tile_x02[0] + b_tile_s2_second[0] * dilation_w < width ? x[b_tile_x_base2[0] + b_tile_c2_second[0] + b_tile_r2_second[0] * x_row + b_tile_s2_second[0] * dilation_w * x_column] : 0;
      }
      int b_tile_c3_second[1];
      {
        b_tile_c3_second[0] = (16 + warp + 12) % k_c;
      }
      int b_tile_s3_second[1];
      {
        b_tile_s3_second[0] = (16 + warp + 12) / k_c % k_s;
      }
      int b_tile_r3_second[1];
      {
        b_tile_r3_second[0] = (16 + warp + 12) / k_c / k_s;
      }
      {
        b_tile_fetched3[0] = 16 + warp + 12 < depth && 0 <= b_tile_y03[0] + b_tile_r3_second[0] && b_tile_y03[0] + b_tile_r3_second[0] < height && 0 <= b_tile_x03[0] + b_tile_s3_second[0] * dilation_w && b_tile_x03[0] + b_tile_s3_second[0] * dilation_w < width ? x[b_tile_x_base3[0] + b_tile_c3_second[0] + b_tile_r3_second[0] * x_row + b_tile_s3_second[0] * dilation_w * x_column] : 0;
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp * 2 + row) * 16 ^ (warp * 2 + row >> 2) * 8 ^ column)] = a_tile_fetched0[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 4) * 2 + row >> 3) * 128 + (((warp + 4) * 2 + row & 7) * 16 ^ ((warp + 4) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched1[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 8) * 2 + row >> 3) * 128 + (((warp + 8) * 2 + row & 7) * 16 ^ ((warp + 8) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched2[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 12) * 2 + row >> 3) * 128 + (((warp + 12) * 2 + row & 7) * 16 ^ ((warp + 12) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched3[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp * 32 ^ (warp >> 1) * 8 ^ lane)] = b_tile_fetched0[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + ((warp + 4) * 32 ^ (warp + 4 >> 1) * 8 ^ lane)] = b_tile_fetched1[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp + 8 >> 3) * 256 + ((warp + 8 & 7) * 32 ^ (warp + 8 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched2[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp + 12 >> 3) * 256 + ((warp + 12 & 7) * 32 ^ (warp + 12 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched3[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched0[0] = w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched1[0] = w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched2[0] = w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched3[0] = w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        int b_tile_c0[1];
        {
          b_tile_c0[0] = ((k_step + 2) * 16 + warp) % k_c;
        }
        int b_tile_s0[1];
        {
          b_tile_s0[0] = ((k_step + 2) * 16 + warp) / k_c % k_s;
        }
        int b_tile_r0[1];
        {
          b_tile_r0[0] = ((k_step + 2) * 16 + warp) / k_c / k_s;
        }
        {
          b_tile_fetched0[0] = 0 <= b_tile_y00[0] + b_tile_r0[0] && b_tile_y00[0] + b_tile_r0[0] < height && 0 <= b_tile_x00[0] + b_tile_s0[0] * dilation_w && b_tile_x00[0] + b_tile_s0[0] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_c0[0] + b_tile_r0[0] * x_row + b_tile_s0[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c1[1];
        {
          b_tile_c1[0] = ((k_step + 2) * 16 + warp + 4) % k_c;
        }
        int b_tile_s1[1];
        {
          b_tile_s1[0] = ((k_step + 2) * 16 + warp + 4) / k_c % k_s;
        }
        int b_tile_r1[1];
        {
          b_tile_r1[0] = ((k_step + 2) * 16 + warp + 4) / k_c / k_s;
        }
        {
          b_tile_fetched1[0] = 0 <= b_tile_y01[0] + b_tile_r1[0] && b_tile_y01[0] + b_tile_r1[0] < height && 0 <= b_tile_x01[0] + b_tile_s1[0] * dilation_w && b_tile_x01[0] + b_tile_s1[0] * dilation_w < width ? x[b_tile_x_base1[0] + b_tile_c1[0] + b_tile_r1[0] * x_row + b_tile_s1[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c2[1];
        {
          b_tile_c2[0] = ((k_step + 2) * 16 + warp + 8) % k_c;
        }
        int b_tile_s2[1];
        {
          b_tile_s2[0] = ((k_step + 2) * 16 + warp + 8) / k_c % k_s;
        }
        int b_tile_r2[1];
        {
          b_tile_r2[0] = ((k_step + 2) * 16 + warp + 8) / k_c / k_s;
        }
        {
          b_tile_fetched2[0] = 0 <= b_tile_y02[0] + b_tile_r2[0] && b_tile_y02[0] + b_tile_r2[0] < height && 0 <= b_tile_x02[0] + b_tile_s2[0] * dilation_w && b_tile_x02[0] + b_tile_s2[0] * dilation_w < width ? x[b_tile_x_base2[0] + b_tile_c2[0] + b_tile_r2[0] * x_row + b_tile_s2[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c3[1];
        {
          b_tile_c3[0] = ((k_step + 2) * 16 + warp + 12) % k_c;
        }
        int b_tile_s3[1];
        {
          b_tile_s3[0] = ((k_step + 2) * 16 + warp + 12) / k_c % k_s;
        }
        int b_tile_r3[1];
        {
          b_tile_r3[0] = ((k_step + 2) * 16 + warp + 12) / k_c / k_s;
        }
        {
          b_tile_fetched3[0] = 0 <= b_tile_y03[0] + b_tile_r3[0] && b_tile_y03[0] + b_tile_r3[0] < height && 0 <= b_tile_x03[0] + b_tile_s3[0] * dilation_w && b_tile_x03[0] + b_tile_s3[0] * dilation_w < width ? x[b_tile_x_base3[0] + b_tile_c3[0] + b_tile_r3[0] * x_row + b_tile_s3[0] * dilation_w * x_column] : 0;
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (warp / 2 * 16 + row >> 3) * 128 + ((warp / 2 * 16 + row & 7) * 16 ^ (warp / 2 * 16 + row >> 2 & 1) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (warp / 2 * 16 + 8 + row >> 3) * 128 + ((warp / 2 * 16 + 8 + row & 7) * 16 ^ (warp / 2 * 16 + 8 + row >> 2 & 1) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner + row >> 3) * 256 + ((k_inner + row & 7) * 32 ^ (k_inner + row >> 1 & 3) * 8 ^ warp % 2 * 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner + row >> 3) * 256 + ((k_inner + row & 7) * 32 ^ (k_inner + row >> 1 & 3) * 8 ^ warp % 2 * 16 + 8 + column)]));
          }
          simdgroup_8x8x8_fp16(acc0_0, a0, b0);
          simdgroup_8x8x8_fp16(acc0_1, a0, b1);
          simdgroup_8x8x8_fp16(acc1_0, a1, b0);
          simdgroup_8x8x8_fp16(acc1_1, a1, b1);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp * 2 + row) * 16 ^ (warp * 2 + row >> 2) * 8 ^ column)] = a_tile_fetched0[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 4) * 2 + row >> 3) * 128 + (((warp + 4) * 2 + row & 7) * 16 ^ ((warp + 4) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched1[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 8) * 2 + row >> 3) * 128 + (((warp + 8) * 2 + row & 7) * 16 ^ ((warp + 8) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched2[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile[(k_step + 1) % 2 * 512 + ((warp + 12) * 2 + row >> 3) * 128 + (((warp + 12) * 2 + row & 7) * 16 ^ ((warp + 12) * 2 + row >> 2 & 1) * 8 ^ column)] = a_tile_fetched3[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp * 32 ^ (warp >> 1) * 8 ^ lane)] = b_tile_fetched0[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + ((warp + 4) * 32 ^ (warp + 4 >> 1) * 8 ^ lane)] = b_tile_fetched1[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp + 8 >> 3) * 256 + ((warp + 8 & 7) * 32 ^ (warp + 8 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched2[0];
        }
        {
          b_tile[(k_step + 1) % 2 * 512 + (warp + 12 >> 3) * 256 + ((warp + 12 & 7) * 32 ^ (warp + 12 >> 1 & 3) * 8 ^ lane)] = b_tile_fetched3[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched0[0] = (k_step + 2) * 16 + column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched1[0] = (k_step + 2) * 16 + column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched2[0] = (k_step + 2) * 16 + column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          a_tile_fetched3[0] = (k_step + 2) * 16 + column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        int b_tile_c0[1];
        {
          b_tile_c0[0] = ((k_step + 2) * 16 + warp) % k_c;
        }
        int b_tile_s0[1];
        {
          b_tile_s0[0] = ((k_step + 2) * 16 + warp) / k_c % k_s;
        }
        int b_tile_r0[1];
        {
          b_tile_r0[0] = ((k_step + 2) * 16 + warp) / k_c / k_s;
        }
        {
          b_tile_fetched0[0] = (k_step + 2) * 16 + warp < depth && 0 <= b_tile_y00[0] + b_tile_r0[0] && b_tile_y00[0] + b_tile_r0[0] < height && 0 <= b_tile_x00[0] + b_tile_s0[0] * dilation_w && b_tile_x00[0] + b_tile_s0[0] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_c0[0] + b_tile_r0[0] * x_row + b_tile_s0[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c1[1];
        {
          b_tile_c1[0] = ((k_step + 2) * 16 + warp + 4) % k_c;
        }
        int b_tile_s1[1];
        {
          b_tile_s1[0] = ((k_step + 2) * 16 + warp + 4) / k_c % k_s;
        }
        int b_tile_r1[1];
        {
          b_tile_r1[0] = ((k_step + 2) * 16 + warp + 4) / k_c / k_s;
        }
        {
          b_tile_fetched1[0] = (k_step + 2) * 16 + warp + 4 < depth && 0 <= b_tile_y01[0] + b_tile_r1[0] && b_tile_y01[0] + b_tile_r1[0] < height && 0 <= b_tile_x01[0] + b_tile_s1[0] * dilation_w && b_tile_x01[0] + b_tile_s1[0] * dilation_w < width ? x[b_tile_x_base1[0] + b_tile_c1[0] + b_tile_r1[0] * x_row + b_tile_s1[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c2[1];
        {
          b_tile_c2[0] = ((k_step + 2) * 16 + warp + 8) % k_c;
        }
        int b_tile_s2[1];
        {
          b_tile_s2[0] = ((k_step + 2) * 16 + warp + 8) / k_c % k_s;
        }
        int b_tile_r2[1];
        {
          b_tile_r2[0] = ((k_step + 2) * 16 + warp + 8) / k_c / k_s;
        }
        {
          b_tile_fetched2[0] = (k_step + 2) * 16 + warp + 8 < depth && 0 <= b_tile_y02[0] + b_tile_r2[0] && b_tile_y02[0] + b_tile_r2[0] < height && 0 <= b_tile_x02[0] + b_tile_s2[0] * dilation_w && b_tile_x02[0] + b_tile_s2[0] * dilation_w < width ? x[b_tile_x_base2[0] + b_tile_c2[0] + b_tile_r2[0] * x_row + b_tile_s2[0] * dilation_w * x_column] : 0;
        }
        int b_tile_c3[1];
        {
          b_tile_c3[0] = ((k_step + 2) * 16 + warp + 12) % k_c;
        }
        int b_tile_s3[1];
        {
          b_tile_s3[0] = ((k_step + 2) * 16 + warp + 12) / k_c % k_s;
        }
        int b_tile_r3[1];
        {
          b_tile_r3[0] = ((k_step + 2) * 16 + warp + 12) / k_c / k_s;
        }
        {
          b_tile_fetched3[0] = (k_step + 2) * 16 + warp + 12 < depth && 0 <= b_tile_y03[0] + b_tile_r3[0] && b_tile_y03[0] + b_tile_r3[0] < height && 0 <= b_tile_x03[0] + b_tile_s3[0] * dilation_w && b_tile_x03[0] + b_tile_s3[0] * dilation_w < width ? x[b_tile_x_base3[0] + b_tile_c3[0] + b_tile_r3[0] * x_row + b_tile_s3[0] * dilation_w * x_column] : 0;
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (warp / 2 * 16 + row >> 3) * 128 + ((warp / 2 * 16 + row & 7) * 16 ^ (warp / 2 * 16 + row >> 2 & 1) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + (warp / 2 * 16 + 8 + row >> 3) * 128 + ((warp / 2 * 16 + 8 + row & 7) * 16 ^ (warp / 2 * 16 + 8 + row >> 2 & 1) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner + row >> 3) * 256 + ((k_inner + row & 7) * 32 ^ (k_inner + row >> 1 & 3) * 8 ^ warp % 2 * 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner + row >> 3) * 256 + ((k_inner + row & 7) * 32 ^ (k_inner + row >> 1 & 3) * 8 ^ warp % 2 * 16 + 8 + column)]));
          }
          simdgroup_8x8x8_fp16(acc0_0, a0, b0);
          simdgroup_8x8x8_fp16(acc0_1, a0, b1);
          simdgroup_8x8x8_fp16(acc1_0, a1, b0);
          simdgroup_8x8x8_fp16(acc1_1, a1, b1);
        }
      }
      if (warp_row + 15 < m && warp_column + 15 < n) {
        {
          result[0] = pair_fp16(acc0_0[0], acc0_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[item * out_image + warp_row + row + (warp_column + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[item * out_image + warp_row + row + (warp_column + 8 + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[item * out_image + warp_row + 8 + row + (warp_column + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[item * out_image + warp_row + 8 + row + (warp_column + 8 + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
      else {
        {
          result[0] = pair_fp16(acc0_0[0], acc0_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + column < n) out[item * out_image + warp_row + row + (warp_column + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 8 + column < n) out[item * out_image + warp_row + row + (warp_column + 8 + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) out[item * out_image + warp_row + 8 + row + (warp_column + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) out[item * out_image + warp_row + 8 + row + (warp_column + 8 + column) * out_column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
    }
  }
}
