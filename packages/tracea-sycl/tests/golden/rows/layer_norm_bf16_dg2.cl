// tracea: layer norm bf16
// variant        sycl.rowwise.sub_group_fp32 for dg2
// configuration  1x128x1 s1 va8
// schedule       4cf82c7ef65a7fd4508607664ea774c60603c320cf12b205576ea66a33918274
// certificate    d859046711f259b83e0904643393ddc075ffe01207c909ec5e8104feed3a2696: structure, domains, types, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses; OpenCL C 1.2 and later.
#define INLINE __attribute__((overloadable)) static inline
#ifdef cl_intel_required_subgroup_size
#define SUB_GROUPS_OF(lanes) __attribute__((intel_reqd_sub_group_size(lanes)))
#else
#define SUB_GROUPS_OF(lanes)
#endif

typedef long i64;
typedef ushort bf16;
typedef ushort fp16;

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Runs of words, from and to either memory.
INLINE ushort load_half(const __global void* p) { return *(const __global ushort*)p; }
INLINE uint load_1(const __global void* p) { return *(const __global uint*)p; }
INLINE uint2 load_2(const __global void* p) { return *(const __global uint2*)p; }
INLINE uint4 load_4(const __global void* p) { return *(const __global uint4*)p; }
INLINE uint load_1(const __local void* p) { return *(const __local uint*)p; }
INLINE uint2 load_2(const __local void* p) { return *(const __local uint2*)p; }
INLINE uint4 load_4(const __local void* p) { return *(const __local uint4*)p; }
INLINE void store_run(__global void* p, uint x) { *(__global uint*)p = x; }
INLINE void store_run(__global void* p, uint2 x) { *(__global uint2*)p = x; }
INLINE void store_run(__global void* p, uint4 x) { *(__global uint4*)p = x; }
INLINE void store_run(__local void* p, uint x) { *(__local uint*)p = x; }
INLINE void store_run(__local void* p, uint2 x) { *(__local uint2*)p = x; }
INLINE void store_run(__local void* p, uint4 x) { *(__local uint4*)p = x; }

// Elements packed in 32-bit words, lowest bits first.
INLINE ushort part16(uint word, int bit) { return (ushort)(word >> bit); }
INLINE uchar part8(uint word, int bit) { return (uchar)(word >> bit); }
INLINE uint with16(uint word, int bit, ushort value) { return (word & ~(0xffffu << bit)) | ((uint)value << bit); }
INLINE uint with8(uint word, int bit, uchar value) { return (word & ~(0xffu << bit)) | ((uint)value << bit); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return as_float((uint)x << 16); }
INLINE float from_fp16(fp16 x) { return vload_half(0, (const __private half*)&x); }
INLINE fp16 to_fp16(float x) { fp16 stored; vstore_half_rte(x, 0, (__private half*)&stored); return stored; }
INLINE bf16 to_bf16(float x) {
  const uint bits = as_uint(x);
  return isnan(x) ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE uint pair_fp16(float low, float high) { return (uint)to_fp16(low) | (uint)to_fp16(high) << 16; }
INLINE uint pair_bf16(float low, float high) { return (uint)to_bf16(low) | (uint)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }
INLINE float minimum(float x, float y) { return x < y || isnan(x) ? x : y; }
INLINE int to_int32(float x) { return isnan(x) ? 0 : convert_int_sat_rte(x); }
INLINE char to_int8(float x) { return isnan(x) ? 0 : convert_char_sat_rte(x); }
INLINE uchar to_uint8(float x) { return isnan(x) ? 0 : convert_uchar_sat_rte(x); }

// What the lane holds whose number differs in the bit `distance`; every lane of the sub-group takes part.
#if defined(cl_khr_subgroup_shuffle)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
INLINE float of_lane(float x, uint distance) { return sub_group_shuffle_xor(x, distance); }
#elif defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
INLINE float of_lane(float x, uint distance) { return intel_sub_group_shuffle_xor(x, distance); }
#else
INLINE float of_lane(float x, uint distance) {  // NVIDIA's compiler takes the instructions of its GPUs
  uint found;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(found) : "r"(as_uint(x)), "r"(distance));
  return as_float(found);
}
#endif

// x: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// weight: bf16, read, aligned to 16 bytes
// bias: bf16, read, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 2147483647 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// launch: (m + 3) // 4 blocks of 32 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(32, 1, 1)))
SUB_GROUPS_OF(8)
__kernel void layer_norm_bf16_1x128x1_0ba286a8(
    __global const bf16* restrict x,
    __global bf16* restrict out,
    __global const bf16* restrict weight,
    __global const bf16* restrict bias,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  // warp: warp x 4
  {
    const int lane = thread % 8;
    const int warp = thread / 8;
    uint8 elements;  // 1x128 bf16 of the warp
    float16 term;  // 1x128 fp32 of the warp
    uint8 result;  // 1x128 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float16 mean_part;  // 1x128 fp32 of the warp
    float16 scale_part;  // 1x128 fp32 of the warp
    float mean_total[1];  // 1x1 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float mean[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    uint8 weight_values;  // 1x128 bf16 of the warp
    uint8 bias_values;  // 1x128 bf16 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 128;
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
          { const uint4 run = load_4(&x[x_base + (i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements[r / 2], (r & 1) * 16)));
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) { const uint4 run = load_4(&x[x_base + (i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_bf16(part16(elements[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(steps * 128 + ((r >> 3) * 8 + lane) * 8 < n)) term[r] = 0.0f;
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
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
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
          { const uint4 run = load_4(&x[x_base + (i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) { const uint4 run = load_4(&x[x_base + (i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(steps * 128 + ((r >> 3) * 8 + lane) * 8 < n)) term[r] = 0.0f;
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
        folded = folded + of_lane(folded, 4);
        folded = folded + of_lane(folded, 2);
        folded = folded + of_lane(folded, 1);
        scale_total[0] = folded;
      }
      {
        scale[0] = (1.0f / sqrt(((scale_total[0] / count[0]) + 0.00001f)));
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&x[x_base + (i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&weight[(i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); weight_values[r / 2] = (run.s0); weight_values[r / 2 + 1] = (run.s1); weight_values[r / 2 + 2] = (run.s2); weight_values[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&bias[(i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); bias_values[r / 2] = (run.s0); bias_values[r / 2 + 1] = (run.s1); bias_values[r / 2 + 2] = (run.s2); bias_values[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          store_run(&out[out_base + (i64)step * 128 + (r >> 3) * 64 + (r & 7) + lane * 8], (uint4)((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) { const uint4 run = load_4(&x[x_base + (i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); elements[r / 2] = (run.s0); elements[r / 2 + 1] = (run.s1); elements[r / 2 + 2] = (run.s2); elements[r / 2 + 3] = (run.s3); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) { const uint4 run = load_4(&weight[(i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); weight_values[r / 2] = (run.s0); weight_values[r / 2 + 1] = (run.s1); weight_values[r / 2 + 2] = (run.s2); weight_values[r / 2 + 3] = (run.s3); }
          else { weight_values[r / 2] = 0; weight_values[r / 2 + 1] = 0; weight_values[r / 2 + 2] = 0; weight_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) { const uint4 run = load_4(&bias[(i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8]); bias_values[r / 2] = (run.s0); bias_values[r / 2 + 1] = (run.s1); bias_values[r / 2 + 2] = (run.s2); bias_values[r / 2 + 3] = (run.s3); }
          else { bias_values[r / 2] = 0; bias_values[r / 2 + 1] = 0; bias_values[r / 2 + 2] = 0; bias_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 64 + (r & 7) + lane * 8;
          if (steps * 128 + column < n) store_run(&out[out_base + (i64)steps * 128 + (r >> 3) * 64 + (r & 7) + lane * 8], (uint4)((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
    }
  }
}
