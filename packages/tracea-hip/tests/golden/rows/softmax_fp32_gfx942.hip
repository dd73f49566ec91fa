// tracea: softmax fp32
// variant        hip.rowwise.wave_fp32 for gfx942
// configuration  1x512x1 s1 va4 kb512
// schedule       afc6d735c17cd2d43c2447eb23b1989da8a693987fc9a53d3864d34227aaa85d
// certificate    56e9998ef65562be4f6f38db3799baf055fe56c63c8b07d78320f8491235cb89: structure, domains, types, lanes, banks, budgets, meaning

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

// Functions that the compiler has no instructions for. Minimax polynomials in single precision:
// tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above; erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above.
INLINE float exp_of(float x) { return __builtin_expf(x); }
INLINE float tanh_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x);
  const float p = (((-0.006104948011f * s + 0.02100364122f) * s - 0.05385249747f) * s + 0.1333278226f) * s - 0.333333291f;
  const float far = 1.0f - 2.0f / (exp_of(2.0f * (magnitude > 9.1f ? 9.1f : magnitude)) + 1.0f);
  return x != x ? x : __builtin_copysignf(magnitude < 0.625f ? magnitude + magnitude * s * p : far, x);
}
INLINE float erf_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return x != x ? x : __builtin_copysignf(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - exp_of(l), x);
}

// What the lane numbered `lane` of this wave holds; every lane of the wave takes part.
INLINE float of_lane(float x, int lane) { return float_of((unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits_of(x))); }

// x: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 4 to 512 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// launch: (m + 3) // 4 blocks of 256 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256) softmax_fp32_1x512x1_69c46208(
    const float* __restrict__ x,
    float* __restrict__ out,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 256;
  // warp: warp x 4
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 8> elements;  // 1x512 fp32 of the warp
    vector<float, 8> term;  // 1x512 fp32 of the warp
    vector<float, 8> result;  // 1x512 fp32 of the warp
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
        for (int r = 0; r < 8; r += 4) {
          const int column = (r >> 2) * 256 + (r & 3) + lane * 4;
          if (column < n) { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (r >> 2) * 256 + (r & 3) + lane * 4]; elements[r] = float_of(run[0]); elements[r + 1] = float_of(run[1]); elements[r + 2] = float_of(run[2]); elements[r + 3] = float_of(run[3]); }
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
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(((r >> 2) * 64 + lane) * 4 < n)) term[r] = -3.4028235e+38f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, of_lane(folded, lane ^ 32));
          folded = maximum(folded, of_lane(folded, lane ^ 16));
          folded = maximum(folded, of_lane(folded, lane ^ 8));
          folded = maximum(folded, of_lane(folded, lane ^ 4));
          folded = maximum(folded, of_lane(folded, lane ^ 2));
          folded = maximum(folded, of_lane(folded, lane ^ 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = exp_of((elements[r] - top[0]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(((r >> 2) * 64 + lane) * 4 < n)) term[r] = 0.0f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + of_lane(folded, lane ^ 32);
          folded = folded + of_lane(folded, lane ^ 16);
          folded = folded + of_lane(folded, lane ^ 8);
          folded = folded + of_lane(folded, lane ^ 4);
          folded = folded + of_lane(folded, lane ^ 2);
          folded = folded + of_lane(folded, lane ^ 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r >> 2) * 256 + (r & 3) + lane * 4;
          if (column < n) *(vector<unsigned, 4>*)&out[out_base + (r >> 2) * 256 + (r & 3) + lane * 4] = vector<unsigned, 4>{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          { const vector<unsigned, 4> run = *(const vector<unsigned, 4>*)&x[x_base + (r >> 2) * 256 + (r & 3) + lane * 4]; elements[r] = float_of(run[0]); elements[r + 1] = float_of(run[1]); elements[r + 2] = float_of(run[2]); elements[r + 3] = float_of(run[3]); }
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, of_lane(folded, lane ^ 32));
          folded = maximum(folded, of_lane(folded, lane ^ 16));
          folded = maximum(folded, of_lane(folded, lane ^ 8));
          folded = maximum(folded, of_lane(folded, lane ^ 4));
          folded = maximum(folded, of_lane(folded, lane ^ 2));
          folded = maximum(folded, of_lane(folded, lane ^ 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = exp_of((elements[r] - top[0]));
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = folded + term[r];
            folded1 = folded1 + term[r + 1];
          }
          folded = folded + folded1;
          folded = folded + of_lane(folded, lane ^ 32);
          folded = folded + of_lane(folded, lane ^ 16);
          folded = folded + of_lane(folded, lane ^ 8);
          folded = folded + of_lane(folded, lane ^ 4);
          folded = folded + of_lane(folded, lane ^ 2);
          folded = folded + of_lane(folded, lane ^ 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          *(vector<unsigned, 4>*)&out[out_base + (r >> 2) * 256 + (r & 3) + lane * 4] = vector<unsigned, 4>{bits_of(result[r]), bits_of(result[r + 1]), bits_of(result[r + 2]), bits_of(result[r + 3])};
        }
      }
    }
  }
}
