// tracea: matmul fp32, epilogue bias, gelu_tanh
// variant        sycl.contraction.vectors_fp32 for opencl
// configuration  4x24x4 s1 w1
// schedule       3d5d937f5f506d9d4289f8fd1910ba0eb72c6a7bf08c703767ba2d7c99ceea39
// certificate    113ac1f4df06d498620d8bcc96ee1cd14862073453f49836d6556824ad8b2541: structure, domains, types, layouts, lanes, registers, meaning

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

// a: fp32, read, aligned to 4 bytes
// b: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 4611686018427387904
// n: columns of the output; 0 to 4611686018427387904
// k: length of the reduction; 0 to 4611686018427387904
// a_row: a: next row; -4611686018427387904 to 4611686018427387904
// b_row: b: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
// panel: panel of fp32, column 24 = 3*8 + 3 bits, atom 2^3, k times, kept for a tile_column, aligned to 64 bytes
// launch: workers blocks of 1 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(1, 1, 1)))
__attribute__((vec_type_hint(float8)))
__kernel void matmul_fp32_4x24x4_78491fea(
    __global const float* restrict a,
    __global const float* restrict b,
    __global float* restrict out,
    __global const float* restrict bias_0,
    i64 m,
    i64 n,
    i64 k,
    i64 a_row,
    i64 b_row,
    i64 out_row,
    i64 row_splits,
    __global float* restrict panel_of_all) {
  const int block = get_group_id(0), blocks = get_num_groups(0);
  const i64 worker = block, workers = blocks;
  __global float* const panel_own = panel_of_all + worker * ((k * 96 + 63) / 64 * 16);
  float8 acc[12];  // 4x24 fp32 of the worker
  float8 b_held[3];  // 1x24 fp32 of the worker
  float8 a_held[4];  // 4x1 fp32 of the worker
  float8 bias_0_held[3];  // 1x24 fp32 of the worker
  float8 result[12];  // 4x24 fp32 of the worker
  float8 packed[3];  // 1x24 fp32 of the worker
  const i64 panels = (n + 23) / 24;
  const i64 row_tiles = (m + 3) / 4;
  const i64 units = row_splits * panels;
  #pragma unroll 1
  for (i64 unit = worker * units / workers; unit < (worker + 1) * units / workers; ++unit) {
    const i64 column0 = unit % panels * 24;
    const i64 split = unit / panels % row_splits;
    const i64 item = unit / (panels * row_splits);
    if (column0 + 23 < n) {
      #pragma unroll 1
      for (i64 kk = 0; kk < k; ++kk) {
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          const int column = reg * 8;
          packed[reg] = vload8(0, &b[kk * b_row + column0 + column]);
        }
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          const int column = reg * 8;
          vstore8(packed[reg], 0, &panel_own[kk * 24 + (column >> 3) * 8]);
        }
      }
    }
    else {
      #pragma unroll 1
      for (i64 kk = 0; kk < k; ++kk) {
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          for (int lane = 0; lane < 8; ++lane) {
            const int column = reg * 8 + lane;
            packed[reg][lane] = column0 + column < n ? b[kk * b_row + column0 + column] : 0.0f;
          }
        }
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          const int column = reg * 8;
          vstore8(packed[reg], 0, &panel_own[kk * 24 + (column >> 3) * 8]);
        }
      }
    }
    #pragma unroll 1
    for (i64 tile = split * row_tiles / row_splits; tile < (split + 1) * row_tiles / row_splits; ++tile) {
      const i64 row0 = tile * 4;
      i64 a_base[4];
      #pragma unroll
      for (int reg = 0; reg < 4; ++reg) {
        a_base[reg] = min(row0 + reg, m - 1) * a_row;
      }
      #pragma unroll
      for (int reg = 0; reg < 12; ++reg) {
        acc[reg] = 0.0f;
      }
      #pragma unroll 4
      for (i64 kk = 0; kk < k; ++kk) {
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          const int column = reg * 8;
          b_held[reg] = vload8(0, &panel_own[kk * 24 + (column >> 3) * 8]);
        }
        #pragma unroll
        for (int reg = 0; reg < 4; ++reg) {
          a_held[reg] = a[a_base[reg] + kk];
        }
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int j = 0; j < 3; ++j) {
            acc[i * 3 + j] += a_held[i] * b_held[j];
          }
        }
        // hint: what follows stays behind
      }
      if (row0 + 3 < m && column0 + 23 < n) {
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          const int column = reg * 8;
          bias_0_held[reg] = vload8(0, &bias_0[column0 + column]);
        }
        #pragma unroll
        for (int reg = 0; reg < 12; ++reg) {
          const float8 v0 = acc[reg] + bias_0_held[reg % 3];
          result[reg] = ((0.5f * v0) * (1.0f + tanh((0.7978846f * (v0 + (0.044715f * ((v0 * v0) * v0)))))));
        }
        #pragma unroll
        for (int reg = 0; reg < 12; ++reg) {
          const int row = reg / 3;
          const int column = reg % 3 * 8;
          vstore8(result[reg], 0, &out[(row0 + row) * out_row + column0 + column]);
        }
      }
      else {
        #pragma unroll
        for (int reg = 0; reg < 3; ++reg) {
          for (int lane = 0; lane < 8; ++lane) {
            const int column = reg * 8 + lane;
            bias_0_held[reg][lane] = column0 + column < n ? bias_0[column0 + column] : 0.0f;
          }
        }
        #pragma unroll
        for (int reg = 0; reg < 12; ++reg) {
          const float8 v0 = acc[reg] + bias_0_held[reg % 3];
          result[reg] = ((0.5f * v0) * (1.0f + tanh((0.7978846f * (v0 + (0.044715f * ((v0 * v0) * v0)))))));
        }
        #pragma unroll
        for (int reg = 0; reg < 12; ++reg) {
          for (int lane = 0; lane < 8; ++lane) {
            const int row = reg / 3;
            const int column = reg % 3 * 8 + lane;
            if (row0 + row < m && column0 + column < n) out[(row0 + row) * out_row + column0 + column] = result[reg][lane];
          }
        }
      }
    }
  }
}
