// tracea: softmax fp32
// variant        sycl.rowwise.sub_group_fp32 for pvc
// configuration  1x512x1 s1 va4 kb512
// schedule       5022c58276f696c98f425a1135c944ffc00a4df30392de4c725645edecaf459d
// certificate    4c3d01af781c4433dcd82457fdd97c88b114e6c3a216ec73c3d6564d199036fd: structure, domains, types, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 4 to 512 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// launch: (m + 3) // 4 blocks of 64 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(64, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void softmax_fp32_1x512x1_69c46208(
    __global const float* restrict x,
    __global float* restrict out,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
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
          if (column < n) { const uint4 run = load_4(&x[x_base + (r >> 2) * 64 + (r & 3) + lane * 4]); elements[r] = as_float(run.s0); elements[r + 1] = as_float(run.s1); elements[r + 2] = as_float(run.s2); elements[r + 3] = as_float(run.s3); }
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
          folded = maximum(folded, of_lane(folded, 8));
          folded = maximum(folded, of_lane(folded, 4));
          folded = maximum(folded, of_lane(folded, 2));
          folded = maximum(folded, of_lane(folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = exp((elements[r] - top[0]));
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
          folded = folded + of_lane(folded, 8);
          folded = folded + of_lane(folded, 4);
          folded = folded + of_lane(folded, 2);
          folded = folded + of_lane(folded, 1);
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
          if (column < n) store_run(&out[out_base + (r >> 2) * 64 + (r & 3) + lane * 4], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          { const uint4 run = load_4(&x[x_base + (r >> 2) * 64 + (r & 3) + lane * 4]); elements[r] = as_float(run.s0); elements[r + 1] = as_float(run.s1); elements[r + 2] = as_float(run.s2); elements[r + 3] = as_float(run.s3); }
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
          folded = maximum(folded, of_lane(folded, 8));
          folded = maximum(folded, of_lane(folded, 4));
          folded = maximum(folded, of_lane(folded, 2));
          folded = maximum(folded, of_lane(folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = exp((elements[r] - top[0]));
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
          folded = folded + of_lane(folded, 8);
          folded = folded + of_lane(folded, 4);
          folded = folded + of_lane(folded, 2);
          folded = folded + of_lane(folded, 1);
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
          store_run(&out[out_base + (r >> 2) * 64 + (r & 3) + lane * 4], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
      }
    }
  }
}
