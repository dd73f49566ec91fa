// tracea: layer norm fp16
// variant        metal.rowwise.simdgroup_fp32 for apple7
// configuration  1x512x1 s1 va8 kb512
// schedule       0e881dcbca959383cb306124f9c3d964110636e4f7bcfa2f60d12ca8fafcc571
// certificate    4ac5945db89aabbd1d9f970691a1ee1c3ffec127350467aed4fe2badc15409ff: structure, domains, types, lanes, banks, budgets, meaning

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

// x: fp16, read, aligned to 16 bytes
// out: fp16, write, aligned to 16 bytes
// weight: fp16, read, aligned to 16 bytes
// bias: fp16, read, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 512 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
struct Sizes {
  int m;
  int n;
  i64 x_row;
  i64 out_row;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void layer_norm_fp16_1x512x1_ad369a2b(
    device const fp16* x [[buffer(0)]],
    device fp16* out [[buffer(1)]],
    device const fp16* weight [[buffer(2)]],
    device const fp16* bias [[buffer(3)]],
    constant Sizes& sizes [[buffer(4)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int m = sizes.m;
  const int n = sizes.n;
  const i64 x_row = sizes.x_row;
  const i64 out_row = sizes.out_row;
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    unsigned elements[8];  // 1x512 fp16 of the warp
    float term[16];  // 1x512 fp32 of the warp
    unsigned result[8];  // 1x512 fp16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float mean_total[1];  // 1x1 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float mean[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    unsigned weight_values[8];  // 1x512 fp16 of the warp
    unsigned bias_values[8];  // 1x512 fp16 of the warp
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
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (column < n) { const uint4 run = *reinterpret_cast<device const uint4*>(&x[x_base + (r >> 3) * 256 + (r & 7) + lane * 8]); elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_fp16(part16(elements[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + simd_shuffle_xor(folded, ushort(16));
          folded = folded + simd_shuffle_xor(folded, ushort(8));
          folded = folded + simd_shuffle_xor(folded, ushort(4));
          folded = folded + simd_shuffle_xor(folded, ushort(2));
          folded = folded + simd_shuffle_xor(folded, ushort(1));
          mean_total[0] = folded;
        }
        {
          mean[0] = (mean_total[0] / count[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_fp16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + simd_shuffle_xor(folded, ushort(16));
          folded = folded + simd_shuffle_xor(folded, ushort(8));
          folded = folded + simd_shuffle_xor(folded, ushort(4));
          folded = folded + simd_shuffle_xor(folded, ushort(2));
          folded = folded + simd_shuffle_xor(folded, ushort(1));
          scale_total[0] = folded;
        }
        {
          scale[0] = precise::rsqrt(((scale_total[0] / count[0]) + 0.00001f));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (column < n) { const uint4 run = *reinterpret_cast<device const uint4*>(&weight[(r >> 3) * 256 + (r & 7) + lane * 8]); weight_values[r / 2] = (run[0]); weight_values[r / 2 + 1] = (run[1]); weight_values[r / 2 + 2] = (run[2]); weight_values[r / 2 + 3] = (run[3]); }
          else { weight_values[r / 2] = 0; weight_values[r / 2 + 1] = 0; weight_values[r / 2 + 2] = 0; weight_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (column < n) { const uint4 run = *reinterpret_cast<device const uint4*>(&bias[(r >> 3) * 256 + (r & 7) + lane * 8]); bias_values[r / 2] = (run[0]); bias_values[r / 2 + 1] = (run[1]); bias_values[r / 2 + 2] = (run[2]); bias_values[r / 2 + 3] = (run[3]); }
          else { bias_values[r / 2] = 0; bias_values[r / 2 + 1] = 0; bias_values[r / 2 + 2] = 0; bias_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_fp16(((((from_fp16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_fp16(part16(weight_values[r / 2], (r & 1) * 16))) + from_fp16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_fp16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_fp16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_fp16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (column < n) *reinterpret_cast<device uint4*>(&out[out_base + (r >> 3) * 256 + (r & 7) + lane * 8]) = uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3]));
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&x[x_base + (r >> 3) * 256 + (r & 7) + lane * 8]); elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_fp16(part16(elements[r / 2], (r & 1) * 16));
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + simd_shuffle_xor(folded, ushort(16));
          folded = folded + simd_shuffle_xor(folded, ushort(8));
          folded = folded + simd_shuffle_xor(folded, ushort(4));
          folded = folded + simd_shuffle_xor(folded, ushort(2));
          folded = folded + simd_shuffle_xor(folded, ushort(1));
          mean_total[0] = folded;
        }
        {
          mean[0] = (mean_total[0] / count[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_fp16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + simd_shuffle_xor(folded, ushort(16));
          folded = folded + simd_shuffle_xor(folded, ushort(8));
          folded = folded + simd_shuffle_xor(folded, ushort(4));
          folded = folded + simd_shuffle_xor(folded, ushort(2));
          folded = folded + simd_shuffle_xor(folded, ushort(1));
          scale_total[0] = folded;
        }
        {
          scale[0] = precise::rsqrt(((scale_total[0] / count[0]) + 0.00001f));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&weight[(r >> 3) * 256 + (r & 7) + lane * 8]); weight_values[r / 2] = (run[0]); weight_values[r / 2 + 1] = (run[1]); weight_values[r / 2 + 2] = (run[2]); weight_values[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *reinterpret_cast<device const uint4*>(&bias[(r >> 3) * 256 + (r & 7) + lane * 8]); bias_values[r / 2] = (run[0]); bias_values[r / 2 + 1] = (run[1]); bias_values[r / 2 + 2] = (run[2]); bias_values[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_fp16(((((from_fp16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_fp16(part16(weight_values[r / 2], (r & 1) * 16))) + from_fp16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_fp16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_fp16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_fp16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          *reinterpret_cast<device uint4*>(&out[out_base + (r >> 3) * 256 + (r & 7) + lane * 8]) = uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3]));
        }
      }
    }
  }
}
