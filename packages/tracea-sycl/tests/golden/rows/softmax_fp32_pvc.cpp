// tracea: softmax fp32
// variant        oneapi.rowwise.sub_group_fp32 for pvc
// configuration  1x512x1 s1 va4 kb512
// schedule       b89c0d7358df510ff6542953e9184a6f38ebf271d1c4e433ea7e3ec7a5fa3430
// certificate    c88c46e332113b135cf7866d63d18f206bd6827ca1eae225a6ea9fee4361fa9f: structure, domains, types, lanes, banks, budgets, meaning

#include <cstdint>
#include <limits>
#include <vector>

#include <sycl/sycl.hpp>

namespace softmax_fp32_1x512x1_69c46208_tracea {

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

// x: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 4 to 512 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// launch: (m + 3) // 4 blocks of 64 threads, clusters of 1, 0 bytes of shared memory
INLINE void work_item(
    const float* __restrict x,
    float* __restrict out,
    int m,
    int n,
    i64 x_row,
    i64 out_row,
    const sycl::nd_item<1>& sycl_item) {
  const int thread = sycl_item.get_local_id(0);
  const int block = sycl_item.get_group(0), blocks = sycl_item.get_group_range(0);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float elements[32];  // 1x512 fp32 of the warp
    float term[32];  // 1x512 fp32 of the warp
    float result[32];  // 1x512 fp32 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float top_total[1];  // 1x1 fp32 of the warp
    float share_total[1];  // 1x1 fp32 of the warp
    float top[1];  // 1x1 fp32 of the warp
    float share[1];  // 1x1 fp32 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 512;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      if (n < 512) {
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int column = (r >> 2) * 64 + (r & 3) + lane * 4;
          if (column < n) { const Run4 run = *(const Run4*)&x[x_base + (r >> 2) * 64 + (r & 3) + lane * 4]; elements[r] = float_of(run[0]); elements[r + 1] = float_of(run[1]); elements[r + 2] = float_of(run[2]); elements[r + 3] = float_of(run[3]); }
          else { elements[r] = 0.0f; elements[r + 1] = 0.0f; elements[r + 2] = 0.0f; elements[r + 3] = 0.0f; }
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        term[8] = elements[8];
        term[9] = elements[9];
        term[10] = elements[10];
        term[11] = elements[11];
        term[12] = elements[12];
        term[13] = elements[13];
        term[14] = elements[14];
        term[15] = elements[15];
        term[16] = elements[16];
        term[17] = elements[17];
        term[18] = elements[18];
        term[19] = elements[19];
        term[20] = elements[20];
        term[21] = elements[21];
        term[22] = elements[22];
        term[23] = elements[23];
        term[24] = elements[24];
        term[25] = elements[25];
        term[26] = elements[26];
        term[27] = elements[27];
        term[28] = elements[28];
        term[29] = elements[29];
        term[30] = elements[30];
        term[31] = elements[31];
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          if (!(((r >> 2) * 16 + lane) * 4 < n)) term[r] = -3.4028235e+38f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 32; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 8));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 4));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 2));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = sycl::exp((elements[r] - top[0]));
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          if (!(((r >> 2) * 16 + lane) * 4 < n)) term[r] = 0.0f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 32; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 8);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 4);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 2);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int column = (r >> 2) * 64 + (r & 3) + lane * 4;
          if (column < n) *(Run4*)&out[out_base + (r >> 2) * 64 + (r & 3) + lane * 4] = Run4{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          { const Run4 run = *(const Run4*)&x[x_base + (r >> 2) * 64 + (r & 3) + lane * 4]; elements[r] = float_of(run[0]); elements[r + 1] = float_of(run[1]); elements[r + 2] = float_of(run[2]); elements[r + 3] = float_of(run[3]); }
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        term[8] = elements[8];
        term[9] = elements[9];
        term[10] = elements[10];
        term[11] = elements[11];
        term[12] = elements[12];
        term[13] = elements[13];
        term[14] = elements[14];
        term[15] = elements[15];
        term[16] = elements[16];
        term[17] = elements[17];
        term[18] = elements[18];
        term[19] = elements[19];
        term[20] = elements[20];
        term[21] = elements[21];
        term[22] = elements[22];
        term[23] = elements[23];
        term[24] = elements[24];
        term[25] = elements[25];
        term[26] = elements[26];
        term[27] = elements[27];
        term[28] = elements[28];
        term[29] = elements[29];
        term[30] = elements[30];
        term[31] = elements[31];
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 32; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 8));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 4));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 2));
          folded = maximum(folded, sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = sycl::exp((elements[r] - top[0]));
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 32; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 8);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 4);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 2);
          folded = folded + sycl::permute_group_by_xor(sycl_item.get_sub_group(), folded, 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          *(Run4*)&out[out_base + (r >> 2) * 64 + (r & 3) + lane * 4] = Run4{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
      }
    }
  }
}

// For the run-time compiler and for kernel bundles: work-groups of 64.
#ifdef SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<16>))
void softmax_fp32_1x512x1_69c46208(const float* x, float* out, int m, int n, i64 x_row, i64 out_row) {
  work_item(x, out, m, n, x_row, out_row, sycl::ext::oneapi::this_work_item::get_nd_item<1>());
}
#endif

// Puts the kernel on a queue, after `after`, and copies nothing: pointers are USM, aligned as said above.
inline sycl::event launch(
    sycl::queue& queue,
    const float* x,
    float* out,
    int m,
    int n,
    i64 x_row,
    i64 out_row,
    const std::vector<sycl::event>& after = {}) {
  const i64 blocks = (m + 3) / 4;
  return queue.submit([&](sycl::handler& handler) {
    handler.depends_on(after);
    handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks * 64), sycl::range<1>(64)),
                         [=](sycl::nd_item<1> sycl_item) [[sycl::reqd_sub_group_size(16)]] {
      work_item(x, out, m, n, x_row, out_row, sycl_item);
    });
  });
}

}  // namespace softmax_fp32_1x512x1_69c46208_tracea
