// tracea: conv2d fp16
// variant        hip.contraction.mfma_fp16 for gfx942
// configuration  64x64x32 s2 grouped g4
// schedule       5b415ca8890a7eb35d94a1d7944e09689015b54c9bd9b4ffcfcf1956005e641d
// certificate    f1ed8786015edd02fb9cee4f1c8b4ba0e398a7d85cf9252e3fa3bbddcefbf0e0: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mfma_32x32x8_fp16_x2(vector<float, 16>& sums, const vector<unsigned, 4> a, const vector<unsigned, 4> b) {
  sums = __builtin_amdgcn_mfma_f32_32x32x8f16(__builtin_bit_cast(vector<_Float16, 4>, vector<unsigned, 2>{a[0], a[1]}), __builtin_bit_cast(vector<_Float16, 4>, vector<unsigned, 2>{b[0], b[1]}), sums, 0, 0, 0);
  sums = __builtin_amdgcn_mfma_f32_32x32x8f16(__builtin_bit_cast(vector<_Float16, 4>, vector<unsigned, 2>{a[2], a[3]}), __builtin_bit_cast(vector<_Float16, 4>, vector<unsigned, 2>{b[2], b[3]}), sums, 0, 0, 0);
}

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
INLINE int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: fp16, read, aligned to 2 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 2 bytes
// out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
// k_r_reciprocal: multiplies instead of dividing by k_r; 0 to 9223372036854775807
// k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
// out_width: columns of the output image; 1 to 2147479552
// m: output channels of a group; 0 to 2147479552
// n: output pixels of an image; 0 to 2147479552
// items: images times groups; 0 to 2147479552
// k_c: reduction axis c; 0 to 2147479552
// k_r: reduction axis r; 1 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// w_out: w: next output channel; -4611686018427387904 to 4611686018427387904
// x_image: x: image stride; -4611686018427387904 to 4611686018427387904
// x_c: x: c stride; -4611686018427387904 to 4611686018427387904
// x_row: x: row stride; -4611686018427387904 to 4611686018427387904
// stride_h: stride along h; -4611686018427387904 to 4611686018427387904
// dilation_w: dilation along w; -4611686018427387904 to 4611686018427387904
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904
// out_channel: out: next channel; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp16, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp16, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) * items blocks of 256 threads, clusters of 1, 16384 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256) conv2d_fp16_64x64x32_4b17c244(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
    i64 out_width_reciprocal,
    i64 k_r_reciprocal,
    i64 k_s_reciprocal,
    int out_width,
    int m,
    int n,
    int items,
    int k_c,
    int k_r,
    int k_s,
    i64 w_out,
    i64 x_image,
    i64 x_c,
    i64 x_row,
    i64 stride_h,
    i64 dilation_w,
    int pad_h,
    int pad_w,
    int height,
    int width,
    i64 out_image,
    i64 out_channel,
    i64 out_row) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 256;
  __shared__ __attribute__((aligned(16))) unsigned char shared[16384];
  fp16* const a_tile = (fp16*)(shared + 0);
  fp16* const b_tile = (fp16*)(shared + 8192);
  // warp: warp x 4
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 16> acc0_0;  // 32x32 fp32 of the warp
    vector<unsigned, 4> a0;  // 32x16 fp16 of the warp
    vector<unsigned, 4> b0;  // 16x32 fp16 of the warp
    fp16 a_tile_fetched0[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched1[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched2[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched3[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched4[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched5[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched6[1];  // 2x32 fp16 of the warp
    fp16 a_tile_fetched7[1];  // 2x32 fp16 of the warp
    vector<unsigned, 4> b_tile_fetched;  // 64x8 fp16 of the warp
    vector<unsigned, 8> result;  // 32x32 fp16 of the warp
    const int depth = k_c * k_r * k_s;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns * items - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int item = tile / (tile_rows * tile_columns);
      const int place = tile % (tile_rows * tile_columns);
      const int band = place / (tile_columns * 4);
      const int band_rows = min(tile_rows - band * 4, 4);
      const int in_band = place - band * 4 * tile_columns;
      const int row0 = (band * 4 + floor_modulo(in_band, band_rows)) * 64;
      const int column0 = floor_divide(in_band, band_rows) * 64;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 32;
      int b_tile_y00[1];
      {
        b_tile_y00[0] = quotient(min(column0 + lane, n - 1), out_width_reciprocal) * stride_h - pad_h;
      }
      int b_tile_x00[1];
      {
        b_tile_x00[0] = min(column0 + lane, n - 1) - quotient(min(column0 + lane, n - 1), out_width_reciprocal) * out_width - pad_w;
      }
      int b_tile_x_base0[1];
      {
        b_tile_x_base0[0] = item * x_image + b_tile_y00[0] * x_row + b_tile_x00[0];
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched0[0] = column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched1[0] = column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched2[0] = column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched3[0] = column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched4[0] = column < depth ? w[min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched5[0] = column < depth ? w[min(row0 + (i64)(warp + 20) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched6[0] = column < depth ? w[min(row0 + (i64)(warp + 24) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched7[0] = column < depth ? w[min(row0 + (i64)(warp + 28) * 2 + row, (i64)(m - 1)) * w_out + column] : 0;
      }
      int b_tile_beyond_s0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_beyond_s0_first[r] = quotient(warp * 8 + r, k_s_reciprocal);
      }
      int b_tile_s0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_s0_first[r] = warp * 8 + r - b_tile_beyond_s0_first[r] * k_s;
      }
      int b_tile_beyond_r0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_beyond_r0_first[r] = quotient(b_tile_beyond_s0_first[r], k_r_reciprocal);
      }
      int b_tile_r0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_r0_first[r] = b_tile_beyond_s0_first[r] - b_tile_beyond_r0_first[r] * k_r;
      }
      int b_tile_c0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_c0_first[r] = b_tile_beyond_r0_first[r];
      }
      int b_tile_x_along0_first[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_x_along0_first[r] = b_tile_c0_first[r] * x_c + b_tile_r0_first[r] * x_row + b_tile_s0_first[r] * dilation_w;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, warp * 8 + r < depth && 0 <= b_tile_y00[0] + b_tile_r0_first[r] && b_tile_y00[0] + b_tile_r0_first[r] < height && 0 <= b_tile_x00[0] + b_tile_s0_first[r] * dilation_w && b_tile_x00[0] + b_tile_s0_first[r] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_x_along0_first[r]] : 0);
      }
      block_barrier();  // tile_done
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[warp * 64 + row * 32 ^ warp * 8 ^ column] = a_tile_fetched0[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 4) * 2 >> 3) * 256 + (((warp + 4) * 2 & 7) * 32 + row * 32 ^ (warp + 4 & 3) * 8 ^ column)] = a_tile_fetched1[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 8) * 2 >> 3) * 256 + (((warp + 8) * 2 & 7) * 32 + row * 32 ^ (warp + 8 & 3) * 8 ^ column)] = a_tile_fetched2[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 12) * 2 >> 3) * 256 + (((warp + 12) * 2 & 7) * 32 + row * 32 ^ (warp + 12 & 3) * 8 ^ column)] = a_tile_fetched3[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 16) * 2 >> 3) * 256 + (((warp + 16) * 2 & 7) * 32 + row * 32 ^ (warp + 16 & 3) * 8 ^ column)] = a_tile_fetched4[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 20) * 2 >> 3) * 256 + (((warp + 20) * 2 & 7) * 32 + row * 32 ^ (warp + 20 & 3) * 8 ^ column)] = a_tile_fetched5[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 24) * 2 >> 3) * 256 + (((warp + 24) * 2 & 7) * 32 + row * 32 ^ (warp + 24 & 3) * 8 ^ column)] = a_tile_fetched6[0];
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile[((warp + 28) * 2 >> 3) * 256 + (((warp + 28) * 2 & 7) * 32 + row * 32 ^ (warp + 28 & 3) * 8 ^ column)] = a_tile_fetched7[0];
      }
      {
        *(vector<unsigned, 4>*)&b_tile[(lane >> 3) * 256 + ((lane & 7) * 32 ^ (lane >> 1 & 3) * 8 ^ warp * 8)] = vector<unsigned, 4>{(b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3])};
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched0[0] = 32 + column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched1[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched2[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched3[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched4[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched5[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 20) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched6[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 24) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      {
        const int row = lane >> 5;
        const int column = lane & 0x1f;
        a_tile_fetched7[0] = 32 + column < depth ? w[min(row0 + (i64)(warp + 28) * 2 + row, (i64)(m - 1)) * w_out + 32 + column] : 0;
      }
      int b_tile_beyond_s0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_beyond_s0_second[r] = quotient(32 + warp * 8 + r, k_s_reciprocal);
      }
      int b_tile_s0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_s0_second[r] = 32 + warp * 8 + r - b_tile_beyond_s0_second[r] * k_s;
      }
      int b_tile_beyond_r0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_beyond_r0_second[r] = quotient(b_tile_beyond_s0_second[r], k_r_reciprocal);
      }
      int b_tile_r0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_r0_second[r] = b_tile_beyond_s0_second[r] - b_tile_beyond_r0_second[r] * k_r;
      }
      int b_tile_c0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_c0_second[r] = b_tile_beyond_r0_second[r];
      }
      int b_tile_x_along0_second[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_x_along0_second[r] = b_tile_c0_second[r] * x_c + b_tile_r0_second[r] * x_row + b_tile_s0_second[r] * dilation_w;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, 32 + warp * 8 + r < depth && 0 <= b_tile_y00[0] + b_tile_r0_second[r] && b_tile_y00[0] + b_tile_r0_second[r] < height && 0 <= b_tile_x00[0] + b_tile_s0_second[r] * dilation_w && b_tile_x00[0] + b_tile_s0_second[r] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_x_along0_second[r]] : 0);
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < floor_divide(whole_steps - 2, 2) * 2; k_step += 2) {
        block_barrier();  // slot_written
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + (warp * 64 + row * 32 ^ warp * 8 ^ column)] = a_tile_fetched0[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 4) * 2 >> 3) * 256 + (((warp + 4) * 2 & 7) * 32 + row * 32 ^ (warp + 4 & 3) * 8 ^ column)] = a_tile_fetched1[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 8) * 2 >> 3) * 256 + (((warp + 8) * 2 & 7) * 32 + row * 32 ^ (warp + 8 & 3) * 8 ^ column)] = a_tile_fetched2[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 12) * 2 >> 3) * 256 + (((warp + 12) * 2 & 7) * 32 + row * 32 ^ (warp + 12 & 3) * 8 ^ column)] = a_tile_fetched3[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 16) * 2 >> 3) * 256 + (((warp + 16) * 2 & 7) * 32 + row * 32 ^ (warp + 16 & 3) * 8 ^ column)] = a_tile_fetched4[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 20) * 2 >> 3) * 256 + (((warp + 20) * 2 & 7) * 32 + row * 32 ^ (warp + 20 & 3) * 8 ^ column)] = a_tile_fetched5[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 24) * 2 >> 3) * 256 + (((warp + 24) * 2 & 7) * 32 + row * 32 ^ (warp + 24 & 3) * 8 ^ column)] = a_tile_fetched6[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[2048 + ((warp + 28) * 2 >> 3) * 256 + (((warp + 28) * 2 & 7) * 32 + row * 32 ^ (warp + 28 & 3) * 8 ^ column)] = a_tile_fetched7[0];
        }
        {
          *(vector<unsigned, 4>*)&b_tile[2048 + (lane >> 3) * 256 + ((lane & 7) * 32 ^ (lane >> 1 & 3) * 8 ^ warp * 8)] = vector<unsigned, 4>{(b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3])};
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched0[0] = w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched1[0] = w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched2[0] = w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched3[0] = w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched4[0] = w[min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched5[0] = w[min(row0 + (i64)(warp + 20) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched6[0] = w[min(row0 + (i64)(warp + 24) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched7[0] = w[min(row0 + (i64)(warp + 28) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column];
        }
        int b_tile_beyond_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_s0[r] = quotient((k_step + 2) * 32 + warp * 8 + r, k_s_reciprocal);
        }
        int b_tile_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_s0[r] = (k_step + 2) * 32 + warp * 8 + r - b_tile_beyond_s0[r] * k_s;
        }
        int b_tile_beyond_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_r0[r] = quotient(b_tile_beyond_s0[r], k_r_reciprocal);
        }
        int b_tile_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_r0[r] = b_tile_beyond_s0[r] - b_tile_beyond_r0[r] * k_r;
        }
        int b_tile_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_c0[r] = b_tile_beyond_r0[r];
        }
        int b_tile_x_along0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_x_along0[r] = b_tile_c0[r] * x_c + b_tile_r0[r] * x_row + b_tile_s0[r] * dilation_w;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, 0 <= b_tile_y00[0] + b_tile_r0[r] && b_tile_y00[0] + b_tile_r0[r] < height && 0 <= b_tile_x00[0] + b_tile_s0[r] * dilation_w && b_tile_x00[0] + b_tile_s0[r] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_x_along0[r]] : 0);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[(warp / 2 * 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[(warp % 2 * 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_fp16_x2(acc0_0, a0, b0);
        }
        block_barrier();  // slot_written
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[warp * 64 + row * 32 ^ warp * 8 ^ column] = a_tile_fetched0[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 4) * 2 >> 3) * 256 + (((warp + 4) * 2 & 7) * 32 + row * 32 ^ (warp + 4 & 3) * 8 ^ column)] = a_tile_fetched1[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 8) * 2 >> 3) * 256 + (((warp + 8) * 2 & 7) * 32 + row * 32 ^ (warp + 8 & 3) * 8 ^ column)] = a_tile_fetched2[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 12) * 2 >> 3) * 256 + (((warp + 12) * 2 & 7) * 32 + row * 32 ^ (warp + 12 & 3) * 8 ^ column)] = a_tile_fetched3[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 16) * 2 >> 3) * 256 + (((warp + 16) * 2 & 7) * 32 + row * 32 ^ (warp + 16 & 3) * 8 ^ column)] = a_tile_fetched4[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 20) * 2 >> 3) * 256 + (((warp + 20) * 2 & 7) * 32 + row * 32 ^ (warp + 20 & 3) * 8 ^ column)] = a_tile_fetched5[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 24) * 2 >> 3) * 256 + (((warp + 24) * 2 & 7) * 32 + row * 32 ^ (warp + 24 & 3) * 8 ^ column)] = a_tile_fetched6[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[((warp + 28) * 2 >> 3) * 256 + (((warp + 28) * 2 & 7) * 32 + row * 32 ^ (warp + 28 & 3) * 8 ^ column)] = a_tile_fetched7[0];
        }
        {
          *(vector<unsigned, 4>*)&b_tile[(lane >> 3) * 256 + ((lane & 7) * 32 ^ (lane >> 1 & 3) * 8 ^ warp * 8)] = vector<unsigned, 4>{(b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3])};
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched0[0] = w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched1[0] = w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched2[0] = w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched3[0] = w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched4[0] = w[min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched5[0] = w[min(row0 + (i64)(warp + 20) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched6[0] = w[min(row0 + (i64)(warp + 24) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched7[0] = w[min(row0 + (i64)(warp + 28) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 1 + 2) * 32 + column];
        }
        int b_tile_beyond_s0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_s0_1[r] = quotient((k_step + 1 + 2) * 32 + warp * 8 + r, k_s_reciprocal);
        }
        int b_tile_s0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_s0_1[r] = (k_step + 1 + 2) * 32 + warp * 8 + r - b_tile_beyond_s0_1[r] * k_s;
        }
        int b_tile_beyond_r0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_r0_1[r] = quotient(b_tile_beyond_s0_1[r], k_r_reciprocal);
        }
        int b_tile_r0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_r0_1[r] = b_tile_beyond_s0_1[r] - b_tile_beyond_r0_1[r] * k_r;
        }
        int b_tile_c0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_c0_1[r] = b_tile_beyond_r0_1[r];
        }
        int b_tile_x_along0_1[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_x_along0_1[r] = b_tile_c0_1[r] * x_c + b_tile_r0_1[r] * x_row + b_tile_s0_1[r] * dilation_w;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, 0 <= b_tile_y00[0] + b_tile_r0_1[r] && b_tile_y00[0] + b_tile_r0_1[r] < height && 0 <= b_tile_x00[0] + b_tile_s0_1[r] * dilation_w && b_tile_x00[0] + b_tile_s0_1[r] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_x_along0_1[r]] : 0);
        }
        __builtin_amdgcn_sched_barrier(0);
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[2048 + (warp / 2 * 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[2048 + (warp % 2 * 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_fp16_x2(acc0_0, a0, b0);
        }
      }
      #pragma unroll 1
      for (int k_step = max(floor_divide(whole_steps - 2, 2) * 2, 0); k_step < k_steps; ++k_step) {
        block_barrier();  // slot_written
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + (warp * 64 + row * 32 ^ warp * 8 ^ column)] = a_tile_fetched0[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 4) * 2 >> 3) * 256 + (((warp + 4) * 2 & 7) * 32 + row * 32 ^ (warp + 4 & 3) * 8 ^ column)] = a_tile_fetched1[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 8) * 2 >> 3) * 256 + (((warp + 8) * 2 & 7) * 32 + row * 32 ^ (warp + 8 & 3) * 8 ^ column)] = a_tile_fetched2[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 12) * 2 >> 3) * 256 + (((warp + 12) * 2 & 7) * 32 + row * 32 ^ (warp + 12 & 3) * 8 ^ column)] = a_tile_fetched3[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 16) * 2 >> 3) * 256 + (((warp + 16) * 2 & 7) * 32 + row * 32 ^ (warp + 16 & 3) * 8 ^ column)] = a_tile_fetched4[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 20) * 2 >> 3) * 256 + (((warp + 20) * 2 & 7) * 32 + row * 32 ^ (warp + 20 & 3) * 8 ^ column)] = a_tile_fetched5[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 24) * 2 >> 3) * 256 + (((warp + 24) * 2 & 7) * 32 + row * 32 ^ (warp + 24 & 3) * 8 ^ column)] = a_tile_fetched6[0];
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile[(k_step + 1) % 2 * 2048 + ((warp + 28) * 2 >> 3) * 256 + (((warp + 28) * 2 & 7) * 32 + row * 32 ^ (warp + 28 & 3) * 8 ^ column)] = a_tile_fetched7[0];
        }
        {
          *(vector<unsigned, 4>*)&b_tile[(k_step + 1) % 2 * 2048 + (lane >> 3) * 256 + ((lane & 7) * 32 ^ (lane >> 1 & 3) * 8 ^ warp * 8)] = vector<unsigned, 4>{(b_tile_fetched[0]), (b_tile_fetched[0 + 1]), (b_tile_fetched[0 + 2]), (b_tile_fetched[0 + 3])};
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched0[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched1[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched2[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched3[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched4[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched5[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 20) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched6[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 24) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        {
          const int row = lane >> 5;
          const int column = lane & 0x1f;
          a_tile_fetched7[0] = (k_step + 2) * 32 + column < depth ? w[min(row0 + (i64)(warp + 28) * 2 + row, (i64)(m - 1)) * w_out + (i64)(k_step + 2) * 32 + column] : 0;
        }
        int b_tile_beyond_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_s0[r] = quotient((k_step + 2) * 32 + warp * 8 + r, k_s_reciprocal);
        }
        int b_tile_s0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_s0[r] = (k_step + 2) * 32 + warp * 8 + r - b_tile_beyond_s0[r] * k_s;
        }
        int b_tile_beyond_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_beyond_r0[r] = quotient(b_tile_beyond_s0[r], k_r_reciprocal);
        }
        int b_tile_r0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_r0[r] = b_tile_beyond_s0[r] - b_tile_beyond_r0[r] * k_r;
        }
        int b_tile_c0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_c0[r] = b_tile_beyond_r0[r];
        }
        int b_tile_x_along0[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_x_along0[r] = b_tile_c0[r] * x_c + b_tile_r0[r] * x_row + b_tile_s0[r] * dilation_w;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          b_tile_fetched[r / 2] = with16(b_tile_fetched[r / 2], (r & 1) * 16, (k_step + 2) * 32 + warp * 8 + r < depth && 0 <= b_tile_y00[0] + b_tile_r0[r] && b_tile_y00[0] + b_tile_r0[r] < height && 0 <= b_tile_x00[0] + b_tile_s0[r] * dilation_w && b_tile_x00[0] + b_tile_s0[r] * dilation_w < width ? x[b_tile_x_base0[0] + b_tile_x_along0[r]] : 0);
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            const int row = lane & 0x1f;
            const int column = (lane >> 5) * 8;
            a0 = *(const vector<unsigned, 4>*)&a_tile[k_step % 2 * 2048 + (warp / 2 * 4 + (row >> 3)) * 256 + ((row & 7) * 32 ^ (row >> 1 & 3) * 8 ^ k_inner + column)];
          }
          {
            const int row = (lane >> 5) * 8;
            const int column = lane & 0x1f;
            b0 = *(const vector<unsigned, 4>*)&b_tile[k_step % 2 * 2048 + (warp % 2 * 4 + (column >> 3)) * 256 + ((column & 7) * 32 ^ (column >> 1 & 3) * 8 ^ k_inner + row)];
          }
          mfma_32x32x8_fp16_x2(acc0_0, a0, b0);
        }
      }
      if (warp_row + 31 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          out[item * out_image + (warp_row + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_fp16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r & 3) + (r >> 2) * 8 + (lane >> 5) * 4;
          const int column = lane & 0x1f;
          if (warp_row + row < m && warp_column + column < n) out[item * out_image + (warp_row + row) * out_channel + warp_column + column] = part16(result[r / 2], (r & 1) * 16);
        }
        __builtin_amdgcn_sched_barrier(0);
      }
    }
  }
}
