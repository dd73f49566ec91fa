// tracea: layer norm bf16
// variant        hip.rowwise.wave_fp32 for gfx1100
// configuration  1x512x1 s1 va8
// schedule       f6c1c694df8ac3f31df9452e3ccd77ef4df3f5717df5e5dca562daa4361329fb
// certificate    577f861210287020f87b4ff267646e21e10694d4ba7a93fd84279924e886dc44: structure, domains, types, lanes, banks, budgets, meaning

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

// What the lane numbered `lane` of this wave holds; every lane of the wave takes part.
INLINE float of_lane(float x, int lane) { return float_of((unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits_of(x))); }

// x: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// weight: bf16, read, aligned to 16 bytes
// bias: bf16, read, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 2147483647 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) layer_norm_bf16_1x512x1_0ba286a8(
    const bf16* __restrict__ x,
    bf16* __restrict__ out,
    const bf16* __restrict__ weight,
    const bf16* __restrict__ bias,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 128;
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 32);
    vector<unsigned, 8> elements;  // 1x512 bf16 of the warp
    vector<float, 16> term;  // 1x512 fp32 of the warp
    vector<unsigned, 8> result;  // 1x512 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    vector<float, 16> mean_part;  // 1x512 fp32 of the warp
    vector<float, 16> scale_part;  // 1x512 fp32 of the warp
    float mean_total[1];  // 1x1 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float mean[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    vector<unsigned, 8> weight_values;  // 1x512 bf16 of the warp
    vector<unsigned, 8> bias_values;  // 1x512 bf16 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 512;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        mean_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements[r / 2], (r & 1) * 16)));
        }
      }
      if (steps * 512 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_bf16(part16(elements[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(steps * 512 + ((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          mean_part[r] = (mean_part[r] + term[r]);
        }
      }
      {
        float folded = mean_part[0];
        float folded1 = mean_part[1];
        #pragma unroll
        for (int r = 2; r < 16; r += 2) {
          folded = folded + mean_part[r];
          folded1 = folded1 + mean_part[r + 1];
        }
        folded = folded + folded1;
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        mean_total[0] = folded;
      }
      {
        mean[0] = (mean_total[0] / count[0]);
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        scale_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
      }
      if (steps * 512 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(steps * 512 + ((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
      }
      {
        float folded = scale_part[0];
        float folded1 = scale_part[1];
        #pragma unroll
        for (int r = 2; r < 16; r += 2) {
          folded = folded + scale_part[r];
          folded1 = folded1 + scale_part[r + 1];
        }
        folded = folded + folded1;
        folded = folded + of_lane(folded, lane ^ 16);
        folded = folded + of_lane(folded, lane ^ 8);
        folded = folded + of_lane(folded, lane ^ 4);
        folded = folded + of_lane(folded, lane ^ 2);
        folded = folded + of_lane(folded, lane ^ 1);
        scale_total[0] = folded;
      }
      {
        scale[0] = (1.0f / __builtin_sqrtf(((scale_total[0] / count[0]) + 0.00001f)));
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&weight[(i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; weight_values[r / 2] = (run[0]); weight_values[r / 2 + 1] = (run[1]); weight_values[r / 2 + 2] = (run[2]); weight_values[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&bias[(i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; bias_values[r / 2] = (run[0]); bias_values[r / 2 + 1] = (run[1]); bias_values[r / 2 + 2] = (run[2]); bias_values[r / 2 + 3] = (run[3]); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          *(vector<unsigned, 4>*)&out[out_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8] = vector<unsigned, 4>{(result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])};
        }
      }
      if (steps * 512 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run[0]); elements[r / 2 + 1] = (run[1]); elements[r / 2 + 2] = (run[2]); elements[r / 2 + 3] = (run[3]); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&weight[(i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; weight_values[r / 2] = (run[0]); weight_values[r / 2 + 1] = (run[1]); weight_values[r / 2 + 2] = (run[2]); weight_values[r / 2 + 3] = (run[3]); }
          else { weight_values[r / 2] = 0; weight_values[r / 2 + 1] = 0; weight_values[r / 2 + 2] = 0; weight_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&bias[(i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; bias_values[r / 2] = (run[0]); bias_values[r / 2 + 1] = (run[1]); bias_values[r / 2 + 2] = (run[2]); bias_values[r / 2 + 3] = (run[3]); }
          else { bias_values[r / 2] = 0; bias_values[r / 2 + 1] = 0; bias_values[r / 2 + 2] = 0; bias_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) *(vector<unsigned, 4>*)&out[out_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8] = vector<unsigned, 4>{(result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])};
        }
      }
    }
  }
}
