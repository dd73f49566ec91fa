// tracea: softmax fp32
// variant        sycl.rowwise.vectors_fp32 for opencl
// configuration  1x32x1 s1 w1
// schedule       76ce5d365828742a1c59cdfe5a93a74915e3f9435e5fd5d377762b2a768c2f93
// certificate    c59ba8ae9e00b29aeac1cd56374d7641b5175f721aa6267d75a55a7eca8abb1c: structure, domains, types, layouts, lanes, registers, meaning

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

// Functions of vectors, which the language has for scalars alone.
#define OF_VECTORS(type) \
  INLINE type maximum(type x, type y) { return select(y, x, (x > y) | isnan(x)); } \
  INLINE type minimum(type x, type y) { return select(y, x, (x < y) | isnan(x)); }
OF_VECTORS(float4)
OF_VECTORS(float8)
OF_VECTORS(float16)

// x: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// m: rows, all leading axes together; 0 to 4611686018427387904
// n: columns: the length of a row; 1 to 4611686018427387904
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// kept: panel of fp32, row 1 = 1*32, column 32 = 32*1, (n + 31) // 32 times, kept for a tile, aligned to 64 bytes
// launch: workers blocks of 1 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(1, 1, 1)))
__attribute__((vec_type_hint(float8)))
__kernel void softmax_fp32_1x32x1_69c46208(
    __global const float* restrict x,
    __global float* restrict out,
    i64 m,
    i64 n,
    i64 x_row,
    i64 out_row,
    __global float* restrict kept_of_all) {
  const int block = get_group_id(0), blocks = get_num_groups(0);
  const i64 worker = block, workers = blocks;
  __global float* const kept_own = kept_of_all + worker * (((n + 31) / 32 * 128 + 63) / 64 * 16);
  float8 elements[4];  // 1x32 fp32 of the worker
  float8 term[4];  // 1x32 fp32 of the worker
  float8 result[4];  // 1x32 fp32 of the worker
  float8 count[1];  // 1x1 fp32 of the worker
  float8 top_part[4];  // 1x32 fp32 of the worker
  float8 share_part[4];  // 1x32 fp32 of the worker
  float8 top_total[1];  // 1x1 fp32 of the worker
  float8 share_total[1];  // 1x1 fp32 of the worker
  float8 top[1];  // 1x1 fp32 of the worker
  float8 share[1];  // 1x1 fp32 of the worker
  const i64 row_tiles = m;
  const i64 steps = n / 32;
  {
    count[0] = (float)n;
  }
  #pragma unroll 1
  for (i64 tile = worker * row_tiles / workers; tile < (worker + 1) * row_tiles / workers; ++tile) {
    const i64 row0 = tile;
    i64 at_row[1];
    {
      at_row[0] = min(row0, m - 1);
    }
    i64 x_base[1];
    {
      x_base[0] = at_row[0] * x_row;
    }
    i64 out_base[1];
    {
      out_base[0] = at_row[0] * out_row;
    }
    const i64 ahead = min(tile + 1, m - 1) * x_row;
    const i64 out_ahead = tile * out_row;
    #pragma unroll
    for (int reg = 0; reg < 4; ++reg) {
      top_part[reg] = -3.4028235e+38f;
    }
    #pragma unroll 1
    for (i64 step = 0; step < steps; ++step) {
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        elements[reg] = vload8(0, &x[x_base[0] + step * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        #pragma unroll
        for (int lane = 0; lane < 8; ++lane) {
          const float v0 = elements[reg][lane];
          const float v1 = top_part[reg][lane];
          top_part[reg][lane] = ((v0 > v1) ? v0 : v1);
        }
      }
    }
    if (steps * 32 < n) {
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        for (int lane = 0; lane < 8; ++lane) {
          const int column = reg * 8 + lane;
          elements[reg][lane] = steps * 32 + column < n ? x[x_base[0] + steps * 32 + column] : 0.0f;
        }
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        term[reg] = elements[reg];
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        for (int lane = 0; lane < 8; ++lane) {
          if (!(steps * 32 + reg * 8 + lane < n)) term[reg][lane] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        #pragma unroll
        for (int lane = 0; lane < 8; ++lane) {
          const float v0 = term[reg][lane];
          const float v1 = top_part[reg][lane];
          top_part[reg][lane] = ((v0 > v1) ? v0 : v1);
        }
      }
    }
    {
      float8 joined = top_part[0];
      joined = maximum(joined, top_part[1]);
      joined = maximum(joined, top_part[2]);
      joined = maximum(joined, top_part[3]);
      float folded = joined[0];
      #pragma unroll
      for (int lane = 1; lane < 8; ++lane) {
        folded = maximum(folded, joined[lane]);
      }
      top_total[0] = folded;
    }
    {
      top[0] = top_total[0];
    }
    #pragma unroll
    for (int reg = 0; reg < 4; ++reg) {
      share_part[reg] = 0.0f;
    }
    #pragma unroll 1
    for (i64 step = 0; step < steps; ++step) {
      prefetch(&x[ahead + step * 32], 1);  // into cache 2
      prefetch(&x[ahead + step * 32 + 16], 1);  // into cache 2
      prefetch(&out[out_ahead + step * 32], 1);  // into cache 2, to write
      prefetch(&out[out_ahead + step * 32 + 16], 1);  // into cache 2, to write
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        elements[reg] = vload8(0, &x[x_base[0] + step * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        term[reg] = exp((elements[reg] - top[0]));
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        vstore8(term[reg], 0, &kept_own[step * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        share_part[reg] = (share_part[reg] + term[reg]);
      }
    }
    if (steps * 32 < n) {
      prefetch(&x[ahead + steps * 32], 1);  // into cache 2
      prefetch(&x[ahead + steps * 32 + 16], 1);  // into cache 2
      prefetch(&out[out_ahead + steps * 32], 1);  // into cache 2, to write
      prefetch(&out[out_ahead + steps * 32 + 16], 1);  // into cache 2, to write
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        for (int lane = 0; lane < 8; ++lane) {
          const int column = reg * 8 + lane;
          elements[reg][lane] = steps * 32 + column < n ? x[x_base[0] + steps * 32 + column] : 0.0f;
        }
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        term[reg] = exp((elements[reg] - top[0]));
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        for (int lane = 0; lane < 8; ++lane) {
          if (!(steps * 32 + reg * 8 + lane < n)) term[reg][lane] = 0.0f;
        }
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        vstore8(term[reg], 0, &kept_own[steps * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        share_part[reg] = (share_part[reg] + term[reg]);
      }
    }
    {
      float8 joined = share_part[0];
      joined = joined + share_part[1];
      joined = joined + share_part[2];
      joined = joined + share_part[3];
      float folded = joined[0];
      #pragma unroll
      for (int lane = 1; lane < 8; ++lane) {
        folded = folded + joined[lane];
      }
      share_total[0] = folded;
    }
    {
      share[0] = (1.0f / share_total[0]);
    }
    #pragma unroll 1
    for (i64 step = 0; step < steps; ++step) {
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        term[reg] = vload8(0, &kept_own[step * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        result[reg] = (term[reg] * share[0]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        vstore8(result[reg], 0, &out[out_base[0] + step * 32 + column]);
      }
    }
    if (steps * 32 < n) {
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        const int column = reg * 8;
        term[reg] = vload8(0, &kept_own[steps * 32 + column]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        result[reg] = (term[reg] * share[0]);
      }
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        for (int lane = 0; lane < 8; ++lane) {
          const int column = reg * 8 + lane;
          if (steps * 32 + column < n) out[out_base[0] + steps * 32 + column] = result[reg][lane];
        }
      }
    }
  }
}
