// tracea: conv2d fp16, rows are pixels
// variant        metal.contraction.simdgroup_fp16 for apple7
// configuration  32x32x16 s2 grouped
// schedule       61f8a80ebaba05f748729b7966c295c2d784d0ad1148cf0d429fd644ec49d26e
// certificate    620dd523251afb9162c20c0ce38547f5f8c2ffeeb5cb3d7062f4f7d72704c2d9: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
inline int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: fp16, read, aligned to 2 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 2 bytes
// out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
// out_height_reciprocal: multiplies instead of dividing by out_height; 0 to 9223372036854775807
// k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
// k_c_reciprocal: multiplies instead of dividing by k_c; 0 to 9223372036854775807
// m: output pixels of all images; 0 to 2147479552
// n: output channels of a group; 0 to 2147479552
// k_r: reduction axis r; 0 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// k_c: reduction axis c; 1 to 2147479552
// out_height: rows of the output image; 1 to 2147479552
// out_width: columns of the output image; 1 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// x_column: x: next column; -4611686018427387904 to 4611686018427387904
// stride_h: stride along h; 1 to 2147479552
// dilation_w: dilation along w; 1 to 2147479552
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
// out_pixel: out: next pixel; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp16, outer 32 = 2*256 + 4 bits, k 16 = 4 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, k 16 = 4 bits, outer 32 = 5 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 31) // 32) blocks of 128 threads, clusters of 1, 4096 bytes of shared memory
struct Sizes {
  i64 out_width_reciprocal;
  i64 out_height_reciprocal;
  i64 k_s_reciprocal;
  i64 k_c_reciprocal;
  int m;
  int n;
  int k_r;
  int k_s;
  int k_c;
  int out_height;
  int out_width;
  i64 x_image;
  i64 x_row;
  i64 x_column;
  int stride_h;
  int dilation_w;
  int pad_h;
  int pad_w;
  int height;
  int width;
  i64 w_out;
  i64 out_pixel;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void conv2d_fp16_32x32x16_dfed3efb(
    device const fp16* x [[buffer(0)]],
    device const fp16* w [[buffer(1)]],
    device fp16* out [[buffer(2)]],
    constant Sizes& sizes [[buffer(3)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const i64 out_width_reciprocal = sizes.out_width_reciprocal;
  const i64 out_height_reciprocal = sizes.out_height_reciprocal;
  const i64 k_s_reciprocal = sizes.k_s_reciprocal;
  const i64 k_c_reciprocal = sizes.k_c_reciprocal;
  const int m = sizes.m;
  const int n = sizes.n;
  const int k_r = sizes.k_r;
  const int k_s = sizes.k_s;
  const int k_c = sizes.k_c;
  const int out_height = sizes.out_height;
  const int out_width = sizes.out_width;
  const i64 x_image = sizes.x_image;
  const i64 x_row = sizes.x_row;
  const i64 x_column = sizes.x_column;
  const int stride_h = sizes.stride_h;
  const int dilation_w = sizes.dilation_w;
  const int pad_h = sizes.pad_h;
  const int pad_w = sizes.pad_w;
  const int height = sizes.height;
  const int width = sizes.width;
  const i64 w_out = sizes.w_out;
  const i64 out_pixel = sizes.out_pixel;
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
    unsigned a_tile_fetched[2];  // 32x4 fp16 of the warp
    fp16 b_tile_fetched0[1];  // 2x16 fp16 of the warp
    fp16 b_tile_fetched1[1];  // 2x16 fp16 of the warp
    fp16 b_tile_fetched2[1];  // 2x16 fp16 of the warp
    fp16 b_tile_fetched3[1];  // 2x16 fp16 of the warp
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
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 8);
      const int band_rows = min(tile_rows - band * 8, 8);
      const int in_band = tile - band * 8 * tile_columns;
      const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 32;
      const int column0 = floor_divide(in_band, band_rows) * 32;
      const int warp_row = row0 + warp / 2 * 16;
      const int warp_column = column0 + warp % 2 * 16;
      int a_tile_line0[1];
      {
        a_tile_line0[0] = quotient(min(row0 + lane, m - 1), out_width_reciprocal);
      }
      int a_tile_image0[1];
      {
        a_tile_image0[0] = quotient(a_tile_line0[0], out_height_reciprocal);
      }
      int a_tile_y00[1];
      {
        a_tile_y00[0] = (a_tile_line0[0] - a_tile_image0[0] * out_height) * stride_h - pad_h;
      }
      int a_tile_x00[1];
      {
        a_tile_x00[0] = min(row0 + lane, m - 1) - a_tile_line0[0] * out_width - pad_w;
      }
      int a_tile_x_base0[1];
      {
        a_tile_x_base0[0] = a_tile_image0[0] * x_image + a_tile_y00[0] * x_row + a_tile_x00[0] * x_column;
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
      int a_tile_beyond_c0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c0_first[r] = quotient(warp * 4 + r, k_c_reciprocal);
      }
      int a_tile_c0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c0_first[r] = warp * 4 + r - a_tile_beyond_c0_first[r] * k_c;
      }
      int a_tile_beyond_s0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s0_first[r] = quotient(a_tile_beyond_c0_first[r], k_s_reciprocal);
      }
      int a_tile_s0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s0_first[r] = a_tile_beyond_c0_first[r] - a_tile_beyond_s0_first[r] * k_s;
      }
      int a_tile_r0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r0_first[r] = a_tile_beyond_s0_first[r];
      }
      int a_tile_x_along0_first[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along0_first[r] = a_tile_r0_first[r] * x_row + a_tile_s0_first[r] * dilation_w * x_column + a_tile_c0_first[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, warp * 4 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0_first[r] && a_tile_y00[0] + a_tile_r0_first[r] < height && 0 <= a_tile_x00[0] + a_tile_s0_first[r] * dilation_w && a_tile_x00[0] + a_tile_s0_first[r] * dilation_w < width ? x[a_tile_x_base0[0] + a_tile_x_along0_first[r]] : 0);
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched0[0] = column < depth ? w[min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched1[0] = column < depth ? w[min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched2[0] = column < depth ? w[min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched3[0] = column < depth ? w[min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * w_out + column] : 0;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // tile_done
      {
        *reinterpret_cast<threadgroup uint2*>(&a_tile[(lane >> 4) * 256 + ((lane & 15) * 16 ^ (lane >> 2 & 1) * 8 ^ (lane >> 3 & 1) * 4 ^ warp * 4)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile[column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ warp * 2 + row] = b_tile_fetched0[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile[column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 4) * 2 + row] = b_tile_fetched1[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile[column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 8) * 2 + row] = b_tile_fetched2[0];
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile[column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 12) * 2 + row] = b_tile_fetched3[0];
      }
      int a_tile_beyond_c0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_c0_second[r] = quotient(16 + warp * 4 + r, k_c_reciprocal);
      }
      int a_tile_c0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_c0_second[r] = 16 + warp * 4 + r - a_tile_beyond_c0_second[r] * k_c;
      }
      int a_tile_beyond_s0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_beyond_s0_second[r] = quotient(a_tile_beyond_c0_second[r], k_s_reciprocal);
      }
      int a_tile_s0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_s0_second[r] = a_tile_beyond_c0_second[r] - a_tile_beyond_s0_second[r] * k_s;
      }
      int a_tile_r0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_r0_second[r] = a_tile_beyond_s0_second[r];
      }
      int a_tile_x_along0_second[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_x_along0_second[r] = a_tile_r0_second[r] * x_row + a_tile_s0_second[r] * dilation_w * x_column + a_tile_c0_second[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, 16 + warp * 4 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0_second[r] && a_tile_y00[0] + a_tile_r0_second[r] < height && 0 <= a_tile_x00[0] + a_tile_s0_second[r] * dilation_w && a_tile_x00[0] + a_tile_s0_second[r] * dilation_w < width ? x[a_tile_x_base0[0] + a_tile_x_along0_second[r]] : 0);
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched0[0] = 16 + column < depth ? w[min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched1[0] = 16 + column < depth ? w[min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched2[0] = 16 + column < depth ? w[min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * w_out + 16 + column] : 0;
      }
      {
        const int row = lane >> 4;
        const int column = lane & 15;
        b_tile_fetched3[0] = 16 + column < depth ? w[min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * w_out + 16 + column] : 0;
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written
        {
          *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 512 + (lane >> 4) * 256 + ((lane & 15) * 16 ^ (lane >> 2 & 1) * 8 ^ (lane >> 3 & 1) * 4 ^ warp * 4)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ warp * 2 + row)] = b_tile_fetched0[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 4) * 2 + row)] = b_tile_fetched1[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 8) * 2 + row)] = b_tile_fetched2[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 12) * 2 + row)] = b_tile_fetched3[0];
        }
        int a_tile_beyond_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 16 + warp * 4 + r, k_c_reciprocal);
        }
        int a_tile_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c0[r] = (k_step + 2) * 16 + warp * 4 + r - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * dilation_w * x_column + a_tile_c0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, 0 <= a_tile_y00[0] + a_tile_r0[r] && a_tile_y00[0] + a_tile_r0[r] < height && 0 <= a_tile_x00[0] + a_tile_s0[r] * dilation_w && a_tile_x00[0] + a_tile_s0[r] * dilation_w < width ? x[a_tile_x_base0[0] + a_tile_x_along0[r]] : 0);
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched0[0] = w[min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched1[0] = w[min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched2[0] = w[min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched3[0] = w[min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column];
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + warp / 2 * 256 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + warp / 2 * 256 + (128 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner * 32 + row * 32 ^ (row >> 1) * 8 ^ (k_inner >> 3) * 2 ^ warp % 2 * 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner * 32 + row * 32 ^ (row >> 1) * 8 ^ (k_inner >> 3) * 2 ^ warp % 2 * 16 + 8 + column)]));
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
          *reinterpret_cast<threadgroup uint2*>(&a_tile[(k_step + 1) % 2 * 512 + (lane >> 4) * 256 + ((lane & 15) * 16 ^ (lane >> 2 & 1) * 8 ^ (lane >> 3 & 1) * 4 ^ warp * 4)]) = uint2((a_tile_fetched[0]), (a_tile_fetched[0 + 1]));
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ warp * 2 + row)] = b_tile_fetched0[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 4) * 2 + row)] = b_tile_fetched1[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 8) * 2 + row)] = b_tile_fetched2[0];
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile[(k_step + 1) % 2 * 512 + (column * 32 ^ (column >> 1 & 3) * 8 ^ (column >> 3) * 2 ^ (warp + 12) * 2 + row)] = b_tile_fetched3[0];
        }
        int a_tile_beyond_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_c0[r] = quotient((k_step + 2) * 16 + warp * 4 + r, k_c_reciprocal);
        }
        int a_tile_c0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_c0[r] = (k_step + 2) * 16 + warp * 4 + r - a_tile_beyond_c0[r] * k_c;
        }
        int a_tile_beyond_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_beyond_s0[r] = quotient(a_tile_beyond_c0[r], k_s_reciprocal);
        }
        int a_tile_s0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_s0[r] = a_tile_beyond_c0[r] - a_tile_beyond_s0[r] * k_s;
        }
        int a_tile_r0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_r0[r] = a_tile_beyond_s0[r];
        }
        int a_tile_x_along0[4];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_x_along0[r] = a_tile_r0[r] * x_row + a_tile_s0[r] * dilation_w * x_column + a_tile_c0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          a_tile_fetched[r / 2] = with16(a_tile_fetched[r / 2], (r & 1) * 16, (k_step + 2) * 16 + warp * 4 + r < depth && 0 <= a_tile_y00[0] + a_tile_r0[r] && a_tile_y00[0] + a_tile_r0[r] < height && 0 <= a_tile_x00[0] + a_tile_s0[r] * dilation_w && a_tile_x00[0] + a_tile_s0[r] * dilation_w < width ? x[a_tile_x_base0[0] + a_tile_x_along0[r]] : 0);
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched0[0] = (k_step + 2) * 16 + column < depth ? w[min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched1[0] = (k_step + 2) * 16 + column < depth ? w[min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched2[0] = (k_step + 2) * 16 + column < depth ? w[min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        {
          const int row = lane >> 4;
          const int column = lane & 15;
          b_tile_fetched3[0] = (k_step + 2) * 16 + column < depth ? w[min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * w_out + (i64)(k_step + 2) * 16 + column] : 0;
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 16; k_inner += 8) {
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a0[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + warp / 2 * 256 + (row * 16 ^ (row >> 2) * 8 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            a1[0] = (*reinterpret_cast<threadgroup const uint*>(&a_tile[k_step % 2 * 512 + warp / 2 * 256 + (128 + row * 16 ^ (row >> 2) * 8 ^ 4 ^ k_inner + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b0[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner * 32 + row * 32 ^ (row >> 1) * 8 ^ (k_inner >> 3) * 2 ^ warp % 2 * 16 + column)]));
          }
          {
            const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
            const int column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
            b1[0] = (*reinterpret_cast<threadgroup const uint*>(&b_tile[k_step % 2 * 512 + (k_inner * 32 + row * 32 ^ (row >> 1) * 8 ^ (k_inner >> 3) * 2 ^ warp % 2 * 16 + 8 + column)]));
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
          out[(warp_row + row) * out_pixel + warp_column + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[(warp_row + row) * out_pixel + warp_column + 8 + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[(warp_row + 8 + row) * out_pixel + warp_column + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          out[(warp_row + 8 + row) * out_pixel + warp_column + 8 + column] = part16(result[r / 2], r * 16);
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
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_pixel + warp_column + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc0_1[0], acc0_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + row < m && warp_column + 8 + column < n) out[(warp_row + row) * out_pixel + warp_column + 8 + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_0[0], acc1_0[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) out[(warp_row + 8 + row) * out_pixel + warp_column + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
        {
          result[0] = pair_fp16(acc1_1[0], acc1_1[1]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = (lane >> 1 & 3) + (lane >> 4) * 4;
          const int column = r + (lane & 1) * 2 + (lane >> 3 & 1) * 4;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) out[(warp_row + 8 + row) * out_pixel + warp_column + 8 + column] = part16(result[r / 2], r * 16);
        }
        simdgroup_barrier(mem_flags::mem_none);
      }
    }
  }
}
