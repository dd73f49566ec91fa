// tracea: matmul bf16
// variant        oneapi.contraction.joint_bf16 for pvc
// configuration  32x32x32 s2 va8 vb8
// schedule       2cbf46260ac2a991f9789afa0cad88367ab909303f1299f6554ead6c5db816a9
// certificate    b5623c521292acd6da21a09a6041e840bab821129be2915b81261eb054f60b11: structure, domains, types, layouts, lanes, opaque, banks, budgets, cover, meaning

#include <cstdint>
#include <limits>
#include <vector>

#include <sycl/sycl.hpp>

namespace matmul_bf16_32x32x32_10432c23_tracea {

// Types, conversions and arithmetic that every kernel uses; SYCL 2020.
#define INLINE inline __attribute__((always_inline))

using i64 = long long;
using bf16 = unsigned short;  // as bits, like all that is stored in 16
using fp16 = unsigned short;
using int8 = signed char;
using uint8 = unsigned char;
using Run2 = sycl::vec<unsigned, 2>;
using Run4 = sycl::vec<unsigned, 4>;

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE int max(int x, int y) { return x > y ? x : y; }
INLINE i64 max(i64 x, i64 y) { return x > y ? x : y; }
INLINE int min(int x, int y) { return x < y ? x : y; }
INLINE i64 min(i64 x, i64 y) { return x < y ? x : y; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return sycl::bit_cast<unsigned>(x); }
INLINE float float_of(unsigned x) { return sycl::bit_cast<float>(x); }

// Bits tell what is no number, whatever a compiler assumes of arithmetic. Conversions round to nearest even.
INLINE bool no_number(float x) { return (bits_of(x) & 0x7fffffffu) > 0x7f800000u; }
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)sycl::bit_cast<sycl::half>(x); }
INLINE fp16 to_fp16(float x) { return sycl::bit_cast<fp16>(sycl::half(x)); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return no_number(x) ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || no_number(x) ? x : y; }
INLINE float minimum(float x, float y) { return x < y || no_number(x) ? x : y; }
INLINE int to_int32(float x) { return no_number(x) ? 0 : (int)minimum(maximum(sycl::rint(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)min(max(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)min(max(to_int32(x), 0), 255); }

// Joint matrices: sums += a · b.
// Whole matrices of a sub-group: which work-item holds which element is the device's own business.
namespace matrix = sycl::ext::oneapi::experimental::matrix;
template <class T>
INLINE auto local_tile(void* first) {
  return sycl::address_space_cast<sycl::access::address_space::local_space, sycl::access::decorated::no>((T*)first);
}

// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 2 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 8
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of bf16, outer 32 = 32*32, k 32 = 32*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, outer 32 = 32*32, k 32 = 32*1, 2 slots, kept for a tile, aligned to 16 bytes
// sums: shared of fp32, warp 4 = 4*128, row 8 = 8*16, column 16 = 16*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 31) // 32) blocks of 64 threads, clusters of 1, 10240 bytes of shared memory
INLINE void work_item(
    const bf16* __restrict a,
    const bf16* __restrict b,
    bf16* __restrict out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row,
    const sycl::nd_item<1>& sycl_item,
    unsigned char* shared) {
  const int thread = sycl_item.get_local_id(0);
  const int block = sycl_item.get_group(0), blocks = sycl_item.get_group_range(0);
  const sycl::sub_group sycl_group = sycl_item.get_sub_group();
  bf16* const a_tile = (bf16*)(shared + 0);
  bf16* const b_tile = (bf16*)(shared + 4096);
  float* const sums = (float*)(shared + 8192);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    matrix::joint_matrix<sycl::sub_group, float, matrix::use::accumulator, 8, 16> acc0_0;  // 8x16 fp32 of the warp
    matrix::joint_matrix<sycl::sub_group, float, matrix::use::accumulator, 8, 16> acc1_0;  // 8x16 fp32 of the warp
    matrix::joint_matrix<sycl::sub_group, sycl::ext::oneapi::bfloat16, matrix::use::a, 8, 16, matrix::layout::row_major> a0;  // 8x16 bf16 of the warp
    matrix::joint_matrix<sycl::sub_group, sycl::ext::oneapi::bfloat16, matrix::use::a, 8, 16, matrix::layout::row_major> a1;  // 8x16 bf16 of the warp
    matrix::joint_matrix<sycl::sub_group, sycl::ext::oneapi::bfloat16, matrix::use::b, 16, 16, matrix::layout::col_major> b0;  // 16x16 bf16 of the warp
    unsigned a_tile_fetched0[4];  // 4x32 bf16 of the warp
    unsigned a_tile_fetched1[4];  // 4x32 bf16 of the warp
    unsigned b_tile_fetched0[4];  // 4x32 bf16 of the warp
    unsigned b_tile_fetched1[4];  // 4x32 bf16 of the warp
    unsigned result[4];  // 8x16 bf16 of the warp
    float sum[8];  // 8x16 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 31) / 32;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 32;
      const int column0 = tile % tile_columns * 32;
      const int warp_row = row0 + warp / 2 * 16;
      const int warp_column = column0 + warp % 2 * 16;
      matrix::joint_matrix_fill(sycl_group, acc0_0, 0.0f);
      matrix::joint_matrix_fill(sycl_group, acc1_0, 0.0f);
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched0[0] = (run[0]); a_tile_fetched0[0 + 1] = (run[1]); a_tile_fetched0[0 + 2] = (run[2]); a_tile_fetched0[0 + 3] = (run[3]); }
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched1[0] = (run[0]); a_tile_fetched1[0 + 1] = (run[1]); a_tile_fetched1[0 + 2] = (run[2]); a_tile_fetched1[0 + 3] = (run[3]); }
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) { const Run4 run = *(const Run4*)&b[column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) { const Run4 run = *(const Run4*)&b[column + min(column0 + (i64)(warp + 4) * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      sycl::group_barrier(sycl_item.get_group());  // tile_done
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(Run4*)&a_tile[(warp * 4 + row) * 32 + column] = Run4{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(Run4*)&a_tile[((warp + 4) * 4 + row) * 32 + column] = Run4{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(Run4*)&b_tile[(warp * 4 + row) * 32 + column] = Run4{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        *(Run4*)&b_tile[((warp + 4) * 4 + row) * 32 + column] = Run4{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + 32 + column]; a_tile_fetched0[0] = (run[0]); a_tile_fetched0[0 + 1] = (run[1]); a_tile_fetched0[0 + 2] = (run[2]); a_tile_fetched0[0 + 3] = (run[3]); }
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * a_row + 32 + column]; a_tile_fetched1[0] = (run[0]); a_tile_fetched1[0 + 1] = (run[1]); a_tile_fetched1[0 + 2] = (run[2]); a_tile_fetched1[0 + 3] = (run[3]); }
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) { const Run4 run = *(const Run4*)&b[32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) { const Run4 run = *(const Run4*)&b[32 + column + min(column0 + (i64)(warp + 4) * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        sycl::group_barrier(sycl_item.get_group());  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&a_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + row) * 32 + column] = Run4{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + row) * 32 + column] = Run4{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&b_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + row) * 32 + column] = Run4{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&b_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + row) * 32 + column] = Run4{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]; a_tile_fetched0[0] = (run[0]); a_tile_fetched0[0 + 1] = (run[1]); a_tile_fetched0[0 + 2] = (run[2]); a_tile_fetched0[0 + 3] = (run[3]); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          { const Run4 run = *(const Run4*)&a[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]; a_tile_fetched1[0] = (run[0]); a_tile_fetched1[0 + 1] = (run[1]); a_tile_fetched1[0 + 2] = (run[2]); a_tile_fetched1[0 + 3] = (run[3]); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 4) * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          matrix::joint_matrix_load(sycl_group, a0, local_tile<sycl::ext::oneapi::bfloat16>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + k_inner]), 32);
          matrix::joint_matrix_load(sycl_group, a1, local_tile<sycl::ext::oneapi::bfloat16>(&a_tile[k_step % 2 * 1024 + (warp / 2 * 16 + 8) * 32 + k_inner]), 32);
          matrix::joint_matrix_load(sycl_group, b0, local_tile<sycl::ext::oneapi::bfloat16>(&b_tile[k_step % 2 * 1024 + warp % 2 * 512 + k_inner]), 32);
          matrix::joint_matrix_mad(sycl_group, acc0_0, a0, b0, acc0_0);
          matrix::joint_matrix_mad(sycl_group, acc1_0, a1, b0, acc1_0);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        sycl::group_barrier(sycl_item.get_group());  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&a_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + row) * 32 + column] = Run4{(a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&a_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + row) * 32 + column] = Run4{(a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&b_tile[(k_step + 1) % 2 * 1024 + (warp * 4 + row) * 32 + column] = Run4{(b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          *(Run4*)&b_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 4 + row) * 32 + column] = Run4{(b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])};
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]; a_tile_fetched0[0] = (run[0]); a_tile_fetched0[0 + 1] = (run[1]); a_tile_fetched0[0 + 2] = (run[2]); a_tile_fetched0[0 + 3] = (run[3]); }
          else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]; a_tile_fetched1[0] = (run[0]); a_tile_fetched1[0 + 1] = (run[1]); a_tile_fetched1[0 + 2] = (run[2]); a_tile_fetched1[0 + 3] = (run[3]); }
          else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run[0]); b_tile_fetched0[0 + 1] = (run[1]); b_tile_fetched0[0 + 2] = (run[2]); b_tile_fetched0[0 + 3] = (run[3]); }
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 4) * 4 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run[0]); b_tile_fetched1[0 + 1] = (run[1]); b_tile_fetched1[0 + 2] = (run[2]); b_tile_fetched1[0 + 3] = (run[3]); }
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          matrix::joint_matrix_load(sycl_group, a0, local_tile<sycl::ext::oneapi::bfloat16>(&a_tile[k_step % 2 * 1024 + warp / 2 * 512 + k_inner]), 32);
          matrix::joint_matrix_load(sycl_group, a1, local_tile<sycl::ext::oneapi::bfloat16>(&a_tile[k_step % 2 * 1024 + (warp / 2 * 16 + 8) * 32 + k_inner]), 32);
          matrix::joint_matrix_load(sycl_group, b0, local_tile<sycl::ext::oneapi::bfloat16>(&b_tile[k_step % 2 * 1024 + warp % 2 * 512 + k_inner]), 32);
          matrix::joint_matrix_mad(sycl_group, acc0_0, a0, b0, acc0_0);
          matrix::joint_matrix_mad(sycl_group, acc1_0, a1, b0, acc1_0);
        }
      }
      matrix::joint_matrix_store(sycl_group, acc0_0, local_tile<float>(&sums[warp * 128]), 16, matrix::layout::row_major);
      sycl::group_barrier(sycl_item.get_group());  // sums_written
      if (warp_row + 15 < m && warp_column + 15 < n) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          sum[r] = sums[warp * 128 + r * 16 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(sum[r], sum[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          sum[r] = sums[warp * 128 + r * 16 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(sum[r], sum[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + r < m && warp_column + lane < n) out[(warp_row + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
      sycl::group_barrier(sycl_item.get_group());  // sums_read
      matrix::joint_matrix_store(sycl_group, acc1_0, local_tile<float>(&sums[warp * 128]), 16, matrix::layout::row_major);
      sycl::group_barrier(sycl_item.get_group());  // sums_written
      if (warp_row + 15 < m && warp_column + 15 < n) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          sum[r] = sums[warp * 128 + r * 16 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(sum[r], sum[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 8 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          sum[r] = sums[warp * 128 + r * 16 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(sum[r], sum[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 8 + r < m && warp_column + lane < n) out[(warp_row + 8 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
    }
  }
}

// For the run-time compiler and for kernel bundles: work-groups of 64, 640 elements of local memory.
#ifdef SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<16>))
void matmul_bf16_32x32x32_10432c23(const bf16* a, const bf16* b, bf16* out, int m, int n, int k, i64 a_row, i64 b_column, i64 out_row, sycl::local_accessor<Run4, 1> memory) {
  work_item(a, b, out, m, n, k, a_row, b_column, out_row, sycl::ext::oneapi::this_work_item::get_nd_item<1>(), (unsigned char*)&memory[0]);
}
#endif

// Puts the kernel on a queue, after `after`, and copies nothing: pointers are USM, aligned as said above.
inline sycl::event launch(
    sycl::queue& queue,
    const sycl::ext::oneapi::bfloat16* a,
    const sycl::ext::oneapi::bfloat16* b,
    sycl::ext::oneapi::bfloat16* out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row,
    const std::vector<sycl::event>& after = {}) {
  const i64 blocks = (m + 31) / 32 * ((n + 31) / 32);
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(after);
    sycl::local_accessor<Run4, 1> memory(sycl::range<1>(640), handler);
    handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks * 64), sycl::range<1>(64)),
                         [=](sycl::nd_item<1> sycl_item) [[sycl::reqd_sub_group_size(16)]] {
      work_item((const bf16*)a, (const bf16*)b, (bf16*)out, m, n, k, a_row, b_column, out_row, sycl_item, (unsigned char*)&memory[0]);
    });
  });
}

}  // namespace matmul_bf16_32x32x32_10432c23_tracea
