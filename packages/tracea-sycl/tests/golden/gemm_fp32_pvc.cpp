// tracea: matmul fp32
// variant        oneapi.contraction.simt_fp32 for pvc
// configuration  32x32x8 s2 va4 vb4
// schedule       c69476c67c1b7788ecbd681b4356e831293514475300883843adf15f6e0ee1f0
// certificate    90c41f0d4b43cf55b6e20bdaae4adc96217e57675c6549efa6060d03436ff0e4: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

#include <cstdint>
#include <limits>
#include <vector>

#include <sycl/sycl.hpp>

namespace matmul_fp32_32x32x8_87b78f6b_tracea {

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

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp32, k 8 = 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 8 = 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 31) // 32) blocks of 64 threads, clusters of 1, 4096 bytes of shared memory
INLINE void work_item(
    const float* __restrict a,
    const float* __restrict b,
    float* __restrict out,
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
  float* const a_tile = (float*)(shared + 0);
  float* const b_tile = (float*)(shared + 2048);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float acc0_0[16];  // 8x32 fp32 of the warp
    float a0[4];  // 8x1 fp32 of the warp
    float b0[4];  // 1x32 fp32 of the warp
    float a_tile_fetched[4];  // 8x8 fp32 of the warp
    float b_tile_fetched[4];  // 8x8 fp32 of the warp
    float result[16];  // 8x32 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
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
      const int warp_row = row0 + warp * 8;
      const int warp_column = column0;
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched[0] = float_of(run[0]); a_tile_fetched[0 + 1] = float_of(run[1]); a_tile_fetched[0 + 2] = float_of(run[2]); a_tile_fetched[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched[0] = 0.0f; a_tile_fetched[1] = 0.0f; a_tile_fetched[2] = 0.0f; a_tile_fetched[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const Run4 run = *(const Run4*)&b[column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = float_of(run[0]); b_tile_fetched[0 + 1] = float_of(run[1]); b_tile_fetched[0 + 2] = float_of(run[2]); b_tile_fetched[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      sycl::group_barrier(sycl_item.get_group());  // tile_done
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row] = a_tile_fetched[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        b_tile[column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row] = b_tile_fetched[r];
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + 8 + column]; a_tile_fetched[0] = float_of(run[0]); a_tile_fetched[0 + 1] = float_of(run[1]); a_tile_fetched[0 + 2] = float_of(run[2]); a_tile_fetched[0 + 3] = float_of(run[3]); }
        else { a_tile_fetched[0] = 0.0f; a_tile_fetched[1] = 0.0f; a_tile_fetched[2] = 0.0f; a_tile_fetched[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const Run4 run = *(const Run4*)&b[8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = float_of(run[0]); b_tile_fetched[0 + 1] = float_of(run[1]); b_tile_fetched[0 + 2] = float_of(run[2]); b_tile_fetched[0 + 3] = float_of(run[3]); }
        else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        sycl::group_barrier(sycl_item.get_group());  // slot_written
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row)] = a_tile_fetched[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row)] = b_tile_fetched[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched[0] = float_of(run[0]); a_tile_fetched[0 + 1] = float_of(run[1]); a_tile_fetched[0 + 2] = float_of(run[2]); a_tile_fetched[0 + 3] = float_of(run[3]); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = float_of(run[0]); b_tile_fetched[0 + 1] = float_of(run[1]); b_tile_fetched[0 + 2] = float_of(run[2]); b_tile_fetched[0 + 3] = float_of(run[3]); }
        }
        #pragma unroll 8
        for (int k_inner = 0; k_inner < 8; ++k_inner) {
          {
            const int row = (lane >> 3) * 4;
            { const Run4 run = *(const Run4*)&a_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 8 ^ warp * 8 + row)]; a0[0] = float_of(run[0]); a0[0 + 1] = float_of(run[1]); a0[0 + 2] = float_of(run[2]); a0[0 + 3] = float_of(run[3]); }
          }
          {
            const int column = (lane & 7) * 4;
            { const Run4 run = *(const Run4*)&b_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 8 ^ column)]; b0[0] = float_of(run[0]); b0[0 + 1] = float_of(run[1]); b0[0 + 2] = float_of(run[2]); b0[0 + 3] = float_of(run[3]); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0[i] * b0[j];
            }
          }
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        sycl::group_barrier(sycl_item.get_group());  // slot_written
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row)] = a_tile_fetched[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 8 ^ warp * 8 + row)] = b_tile_fetched[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const Run4 run = *(const Run4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]; a_tile_fetched[0] = float_of(run[0]); a_tile_fetched[0 + 1] = float_of(run[1]); a_tile_fetched[0 + 2] = float_of(run[2]); a_tile_fetched[0 + 3] = float_of(run[3]); }
          else { a_tile_fetched[0] = 0.0f; a_tile_fetched[1] = 0.0f; a_tile_fetched[2] = 0.0f; a_tile_fetched[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const Run4 run = *(const Run4*)&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched[0] = float_of(run[0]); b_tile_fetched[0 + 1] = float_of(run[1]); b_tile_fetched[0 + 2] = float_of(run[2]); b_tile_fetched[0 + 3] = float_of(run[3]); }
          else { b_tile_fetched[0] = 0.0f; b_tile_fetched[1] = 0.0f; b_tile_fetched[2] = 0.0f; b_tile_fetched[3] = 0.0f; }
        }
        #pragma unroll 8
        for (int k_inner = 0; k_inner < 8; ++k_inner) {
          {
            const int row = (lane >> 3) * 4;
            { const Run4 run = *(const Run4*)&a_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 8 ^ warp * 8 + row)]; a0[0] = float_of(run[0]); a0[0 + 1] = float_of(run[1]); a0[0 + 2] = float_of(run[2]); a0[0 + 3] = float_of(run[3]); }
          }
          {
            const int column = (lane & 7) * 4;
            { const Run4 run = *(const Run4*)&b_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 8 ^ column)]; b0[0] = float_of(run[0]); b0[0 + 1] = float_of(run[1]); b0[0 + 2] = float_of(run[2]); b0[0 + 3] = float_of(run[3]); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0[i] * b0[j];
            }
          }
        }
      }
      if (warp_row + 7 < m && warp_column + 31 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        result[8] = acc0_0[8];
        result[9] = acc0_0[9];
        result[10] = acc0_0[10];
        result[11] = acc0_0[11];
        result[12] = acc0_0[12];
        result[13] = acc0_0[13];
        result[14] = acc0_0[14];
        result[15] = acc0_0[15];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          out[(warp_row + row) * out_row + warp_column + column] = result[r];
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        result[8] = acc0_0[8];
        result[9] = acc0_0[9];
        result[10] = acc0_0[10];
        result[11] = acc0_0[11];
        result[12] = acc0_0[12];
        result[13] = acc0_0[13];
        result[14] = acc0_0[14];
        result[15] = acc0_0[15];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_row + warp_column + column] = result[r];
        }
        sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_item);
      }
    }
  }
}

// For the run-time compiler and for kernel bundles: work-groups of 64, 256 elements of local memory.
#ifdef SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<16>))
void matmul_fp32_32x32x8_87b78f6b(const float* a, const float* b, float* out, int m, int n, int k, i64 a_row, i64 b_column, i64 out_row, sycl::local_accessor<Run4, 1> memory) {
  work_item(a, b, out, m, n, k, a_row, b_column, out_row, sycl::ext::oneapi::this_work_item::get_nd_item<1>(), (unsigned char*)&memory[0]);
}
#endif

// Puts the kernel on a queue, after `after`, and copies nothing: pointers are USM, aligned as said above.
inline sycl::event launch(
    sycl::queue& queue,
    const float* a,
    const float* b,
    float* out,
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
    sycl::local_accessor<Run4, 1> memory(sycl::range<1>(256), handler);
    handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks * 64), sycl::range<1>(64)),
                         [=](sycl::nd_item<1> sycl_item) [[sycl::reqd_sub_group_size(16)]] {
      work_item(a, b, out, m, n, k, a_row, b_column, out_row, sycl_item, (unsigned char*)&memory[0]);
    });
  });
}

}  // namespace matmul_fp32_32x32x8_87b78f6b_tracea
