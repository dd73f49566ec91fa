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
