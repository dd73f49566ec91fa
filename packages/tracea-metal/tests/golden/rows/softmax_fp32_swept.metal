// tracea: softmax fp32
// variant        metal.rowwise.simdgroup_fp32 for apple7
// configuration  1x128x1 s1
// schedule       6ddf371b581805bf9b0726e30b3b7a897e14dd14ef5429ac78b2561bab0bf163
// certificate    6a762cedfe1328c0deb6fac0455d179a5efe8d436d6ed82686faa166b1ae9576: structure, domains, types, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 1 to 2147483647
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
struct Sizes {
  int m;
  int n;
  i64 x_row;
  i64 out_row;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void softmax_fp32_1x128x1_69c46208(
    device const float* x [[buffer(0)]],
    device float* out [[buffer(1)]],
    constant Sizes& sizes [[buffer(2)]],
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
    float elements[4];  // 1x128 fp32 of the warp
    float term[4];  // 1x128 fp32 of the warp
    float power[4];  // 1x128 fp32 of the warp
    float result[4];  // 1x128 fp32 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float top_part[4];  // 1x128 fp32 of the warp
    float share_part[4];  // 1x128 fp32 of the warp
    float top_total[1];  // 1x1 fp32 of the warp
    float share_total[1];  // 1x1 fp32 of the warp
    float top[1];  // 1x1 fp32 of the warp
    float share[1];  // 1x1 fp32 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 128;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        top_part[r] = -3.4028235e+38f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        share_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          elements[r] = x[x_base + (i64)step * 128 + r * 32 + lane];
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          power[r] = precise::exp((-fabs((term[r] - top_part[r]))));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const float v0 = share_part[r];
          const float v1 = power[r];
          share_part[r] = ((term[r] > top_part[r]) ? ((v0 * v1) + 1.0f) : (v0 + v1));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          top_part[r] = maximum(top_part[r], term[r]);
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          elements[r] = steps * 128 + column < n ? x[x_base + (i64)steps * 128 + r * 32 + lane] : 0.0f;
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(steps * 128 + r * 32 + lane < n)) term[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          power[r] = precise::exp((-fabs((term[r] - top_part[r]))));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(steps * 128 + r * 32 + lane < n)) power[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const float v0 = share_part[r];
          const float v1 = power[r];
          share_part[r] = ((term[r] > top_part[r]) ? ((v0 * v1) + 1.0f) : (v0 + v1));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          top_part[r] = maximum(top_part[r], term[r]);
        }
      }
      {
        float folded = top_part[0];
        float folded1 = top_part[1];
        #pragma unroll
        for (int r = 2; r < 4; r += 2) {
          folded = maximum(folded, top_part[r]);
          folded1 = maximum(folded1, top_part[r + 1]);
        }
        folded = maximum(folded, folded1);
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(16)));
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(8)));
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(4)));
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(2)));
        folded = maximum(folded, simd_shuffle_xor(folded, ushort(1)));
        top_total[0] = folded;
      }
      top[0] = top_total[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        share_part[r] = (share_part[r] * precise::exp((top_part[r] - top[0])));
      }
      {
        float folded = share_part[0];
        float folded1 = share_part[1];
        #pragma unroll
        for (int r = 2; r < 4; r += 2) {
          folded = folded + share_part[r];
          folded1 = folded1 + share_part[r + 1];
        }
        folded = folded + folded1;
        folded = folded + simd_shuffle_xor(folded, ushort(16));
        folded = folded + simd_shuffle_xor(folded, ushort(8));
        folded = folded + simd_shuffle_xor(folded, ushort(4));
        folded = folded + simd_shuffle_xor(folded, ushort(2));
        folded = folded + simd_shuffle_xor(folded, ushort(1));
        share_total[0] = folded;
      }
      {
        share[0] = (1.0f / share_total[0]);
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          elements[r] = x[x_base + (i64)step * 128 + r * 32 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          result[r] = (precise::exp((elements[r] - top[0])) * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          out[out_base + (i64)step * 128 + r * 32 + lane] = result[r];
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          elements[r] = steps * 128 + column < n ? x[x_base + (i64)steps * 128 + r * 32 + lane] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          result[r] = (precise::exp((elements[r] - top[0])) * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          if (steps * 128 + column < n) out[out_base + (i64)steps * 128 + r * 32 + lane] = result[r];
        }
      }
    }
  }
}
