// tracea: attention windowed fp32
// variant        sycl.chained.simt_fp32 for pvc
// configuration  32x64x64 s2 w8 va4 vb4 vc8
// schedule       b6f38ac6f13d25159b61be1c620c8767626d11c5c6587132160508237398eb9e
// certificate    c4de83ff48b9f4170bcd93b9de91643ecc158a559aea9395f5014a31640d23df: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// q: fp32, read, aligned to 16 bytes
// k_matrix: fp32, read, aligned to 16 bytes
// v: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 4 to 64 by 4
// k: columns of q and k; 0 to 64 by 4
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 4
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 4
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 4
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 4
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// window_left: keys before the diagonal that are seen; 0 to 2147479552
// window_right: keys behind the diagonal that are seen; 0 to 2147479552
// q_tile: shared of fp32, k 64 = 2*1024 + 5 bits, outer 32 = 5 bits, atom 2^10 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp32, k 64 = 4*1024 + 4 bits, outer 64 = 6 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp32, k 64 = 64*64, outer 64 = 4*16 + 4 bits, atom 2^4, 2 slots, kept for a tile, aligned to 16 bytes
// weights_tile: shared of fp32, row 32 = 32*68, key 64 = 64*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * items blocks of 128 threads, clusters of 1, 82416 bytes of shared memory
__attribute__((reqd_work_group_size(128, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void attention_windowed_fp32_32x64x64_dbb5346a(
    __global const float* restrict q,
    __global const float* restrict k_matrix,
    __global const float* restrict v,
    __global float* restrict out,
    int items,
    int m,
    int n,
    int k,
    int keys,
    int heads,
    int group,
    i64 q_batch,
    i64 q_head,
    i64 q_row,
    i64 k_matrix_batch,
    i64 k_matrix_head,
    i64 k_matrix_row,
    i64 v_batch,
    i64 v_head,
    i64 v_row,
    i64 out_batch,
    i64 out_head,
    i64 out_row,
    int window_left,
    int window_right) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[82416] __attribute__((aligned(16)));
  __local float* const q_tile = (__local float*)(shared + 0);
  __local float* const k_tile = (__local float*)(shared + 8192);
  __local float* const v_tile = (__local float*)(shared + 40960);
  __local float* const weights_tile = (__local float*)(shared + 73728);
  // warp: warp x 8
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float4 q_tile_fetched0;  // 2x32 fp32 of the warp
    float4 k_tile_fetched0;  // 4x16 fp32 of the warp
    float4 k_tile_fetched1;  // 4x16 fp32 of the warp
    float4 k_tile_fetched2;  // 4x16 fp32 of the warp
    float4 k_tile_fetched3;  // 4x16 fp32 of the warp
    float4 k_tile_fetched4;  // 4x16 fp32 of the warp
    float4 k_tile_fetched5;  // 4x16 fp32 of the warp
    float4 k_tile_fetched6;  // 4x16 fp32 of the warp
    float4 k_tile_fetched7;  // 4x16 fp32 of the warp
    float4 v_tile_fetched0;  // 64x1 fp32 of the warp
    float4 v_tile_fetched1;  // 64x1 fp32 of the warp
    float4 v_tile_fetched2;  // 64x1 fp32 of the warp
    float4 v_tile_fetched3;  // 64x1 fp32 of the warp
    float4 v_tile_fetched4;  // 64x1 fp32 of the warp
    float4 v_tile_fetched5;  // 64x1 fp32 of the warp
    float4 v_tile_fetched6;  // 64x1 fp32 of the warp
    float4 v_tile_fetched7;  // 64x1 fp32 of the warp
    float8 sum0_0;  // 4x32 fp32 of the warp
    float8 sum0_1;  // 4x32 fp32 of the warp
    float8 score0_0;  // 4x32 fp32 of the warp
    float8 score0_1;  // 4x32 fp32 of the warp
    float2 q0;  // 4x1 fp32 of the warp
    float2 weights0;  // 4x1 fp32 of the warp
    float8 total0;  // 4x32 fp32 of the warp
    float2 top0;  // 4x1 fp32 of the warp
    float2 shift0;  // 4x1 fp32 of the warp
    float8 part;  // 4x32 fp32 of the warp
    float2 found;  // 4x1 fp32 of the warp
    float2 correction;  // 4x1 fp32 of the warp
    float4 right_operand;  // 1x32 fp32 of the warp
    float8 piece0;  // 4x32 fp32 of the warp
    float8 result;  // 4x32 fp32 of the warp
    const int row_tiles = (m + 31) / 32;
    const int row0 = (row_tiles - 1 - block % row_tiles) * 32;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 4;
    const int diagonal = keys - m;
    const int first_block = min(max(row0 + diagonal - window_left, 0) / 64, (keys + 63) / 64);
    const int stop_block = (max(min(min(row0 + 32, m) + diagonal + window_right, keys), 0) + 63) / 64;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      top0[r] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (column < k) { const uint4 run = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_float(run.s0); q_tile_fetched0[0 + 1] = as_float(run.s1); q_tile_fetched0[0 + 2] = as_float(run.s2); q_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ warp * 2 + row] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (column < k) { const uint4 run = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * q_row + column]); q_tile_fetched0[0] = as_float(run.s0); q_tile_fetched0[0 + 1] = as_float(run.s1); q_tile_fetched0[0 + 2] = as_float(run.s2); q_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ (warp + 8) * 2 + row] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (32 + column < k) { const uint4 run = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + 32 + column]); q_tile_fetched0[0] = as_float(run.s0); q_tile_fetched0[0 + 1] = as_float(run.s1); q_tile_fetched0[0 + 2] = as_float(run.s2); q_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 4;
      q_tile[1024 + (column * 32 ^ (column >> 2) * 2 ^ warp * 2 + row)] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 4;
      if (32 + column < k) { const uint4 run = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * q_row + 32 + column]); q_tile_fetched0[0] = as_float(run.s0); q_tile_fetched0[0 + 1] = as_float(run.s1); q_tile_fetched0[0 + 2] = as_float(run.s2); q_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 3;
      const int column = r + (lane & 7) * 4;
      q_tile[1024 + (column * 32 ^ (column >> 2) * 2 ^ (warp + 8) * 2 + row)] = q_tile_fetched0[r];
    }
    if (first_block < stop_block) {
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched0[0] = as_float(run.s0); k_tile_fetched0[0 + 1] = as_float(run.s1); k_tile_fetched0[0 + 2] = as_float(run.s2); k_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched1[0] = as_float(run.s0); k_tile_fetched1[0 + 1] = as_float(run.s1); k_tile_fetched1[0 + 2] = as_float(run.s2); k_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (16 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 16 + column]); k_tile_fetched2[0] = as_float(run.s0); k_tile_fetched2[0 + 1] = as_float(run.s1); k_tile_fetched2[0 + 2] = as_float(run.s2); k_tile_fetched2[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (16 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 16 + column]); k_tile_fetched3[0] = as_float(run.s0); k_tile_fetched3[0 + 1] = as_float(run.s1); k_tile_fetched3[0 + 2] = as_float(run.s2); k_tile_fetched3[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (32 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]); k_tile_fetched4[0] = as_float(run.s0); k_tile_fetched4[0 + 1] = as_float(run.s1); k_tile_fetched4[0 + 2] = as_float(run.s2); k_tile_fetched4[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched4[0] = 0.0f; k_tile_fetched4[1] = 0.0f; k_tile_fetched4[2] = 0.0f; k_tile_fetched4[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (32 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]); k_tile_fetched5[0] = as_float(run.s0); k_tile_fetched5[0 + 1] = as_float(run.s1); k_tile_fetched5[0 + 2] = as_float(run.s2); k_tile_fetched5[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched5[0] = 0.0f; k_tile_fetched5[1] = 0.0f; k_tile_fetched5[2] = 0.0f; k_tile_fetched5[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (48 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 48 + column]); k_tile_fetched6[0] = as_float(run.s0); k_tile_fetched6[0 + 1] = as_float(run.s1); k_tile_fetched6[0 + 2] = as_float(run.s2); k_tile_fetched6[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched6[0] = 0.0f; k_tile_fetched6[1] = 0.0f; k_tile_fetched6[2] = 0.0f; k_tile_fetched6[3] = 0.0f; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 4;
        if (48 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)first_block * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 48 + column]); k_tile_fetched7[0] = as_float(run.s0); k_tile_fetched7[0 + 1] = as_float(run.s1); k_tile_fetched7[0 + 2] = as_float(run.s2); k_tile_fetched7[0 + 3] = as_float(run.s3); }
        else { k_tile_fetched7[0] = 0.0f; k_tile_fetched7[1] = 0.0f; k_tile_fetched7[2] = 0.0f; k_tile_fetched7[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched0[0] = as_float(run.s0); v_tile_fetched0[0 + 1] = as_float(run.s1); v_tile_fetched0[0 + 2] = as_float(run.s2); v_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 8 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 8) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched1[0] = as_float(run.s0); v_tile_fetched1[0 + 1] = as_float(run.s1); v_tile_fetched1[0 + 2] = as_float(run.s2); v_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 16 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 16) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched2[0] = as_float(run.s0); v_tile_fetched2[0 + 1] = as_float(run.s1); v_tile_fetched2[0 + 2] = as_float(run.s2); v_tile_fetched2[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 24 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 24) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched3[0] = as_float(run.s0); v_tile_fetched3[0 + 1] = as_float(run.s1); v_tile_fetched3[0 + 2] = as_float(run.s2); v_tile_fetched3[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 32 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 32) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched4[0] = as_float(run.s0); v_tile_fetched4[0 + 1] = as_float(run.s1); v_tile_fetched4[0 + 2] = as_float(run.s2); v_tile_fetched4[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched4[0] = 0.0f; v_tile_fetched4[1] = 0.0f; v_tile_fetched4[2] = 0.0f; v_tile_fetched4[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 40 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 40) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched5[0] = as_float(run.s0); v_tile_fetched5[0 + 1] = as_float(run.s1); v_tile_fetched5[0 + 2] = as_float(run.s2); v_tile_fetched5[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched5[0] = 0.0f; v_tile_fetched5[1] = 0.0f; v_tile_fetched5[2] = 0.0f; v_tile_fetched5[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 48 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 48) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched6[0] = as_float(run.s0); v_tile_fetched6[0 + 1] = as_float(run.s1); v_tile_fetched6[0 + 2] = as_float(run.s2); v_tile_fetched6[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched6[0] = 0.0f; v_tile_fetched6[1] = 0.0f; v_tile_fetched6[2] = 0.0f; v_tile_fetched6[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (first_block * 64 + warp + 56 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)first_block * 64 + warp + 56) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched7[0] = as_float(run.s0); v_tile_fetched7[0 + 1] = as_float(run.s1); v_tile_fetched7[0 + 2] = as_float(run.s2); v_tile_fetched7[0 + 3] = as_float(run.s3); }
        else { v_tile_fetched7[0] = 0.0f; v_tile_fetched7[1] = 0.0f; v_tile_fetched7[2] = 0.0f; v_tile_fetched7[3] = 0.0f; }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 1024 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched2[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 1024 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched3[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched4[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched5[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 3072 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched6[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 4;
        k_tile[first_block % 2 * 4096 + 3072 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched7[r];
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + warp * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched0[0]), as_uint(v_tile_fetched0[0 + 1]), as_uint(v_tile_fetched0[0 + 2]), as_uint(v_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 8) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched1[0]), as_uint(v_tile_fetched1[0 + 1]), as_uint(v_tile_fetched1[0 + 2]), as_uint(v_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 16) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched2[0]), as_uint(v_tile_fetched2[0 + 1]), as_uint(v_tile_fetched2[0 + 2]), as_uint(v_tile_fetched2[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 24) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched3[0]), as_uint(v_tile_fetched3[0 + 1]), as_uint(v_tile_fetched3[0 + 2]), as_uint(v_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 32) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched4[0]), as_uint(v_tile_fetched4[0 + 1]), as_uint(v_tile_fetched4[0 + 2]), as_uint(v_tile_fetched4[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 40) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched5[0]), as_uint(v_tile_fetched5[0 + 1]), as_uint(v_tile_fetched5[0 + 2]), as_uint(v_tile_fetched5[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 48) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched6[0]), as_uint(v_tile_fetched6[0 + 1]), as_uint(v_tile_fetched6[0 + 2]), as_uint(v_tile_fetched6[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&v_tile[first_block % 2 * 4096 + (warp + 56) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched7[0]), as_uint(v_tile_fetched7[0 + 1]), as_uint(v_tile_fetched7[0 + 2]), as_uint(v_tile_fetched7[0 + 3])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // first_written
    #pragma unroll 1
    for (int key_block = first_block; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched0[0] = as_float(run.s0); k_tile_fetched0[0 + 1] = as_float(run.s1); k_tile_fetched0[0 + 2] = as_float(run.s2); k_tile_fetched0[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]); k_tile_fetched1[0] = as_float(run.s0); k_tile_fetched1[0 + 1] = as_float(run.s1); k_tile_fetched1[0 + 2] = as_float(run.s2); k_tile_fetched1[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (16 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 16 + column]); k_tile_fetched2[0] = as_float(run.s0); k_tile_fetched2[0 + 1] = as_float(run.s1); k_tile_fetched2[0 + 2] = as_float(run.s2); k_tile_fetched2[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (16 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 16 + column]); k_tile_fetched3[0] = as_float(run.s0); k_tile_fetched3[0 + 1] = as_float(run.s1); k_tile_fetched3[0 + 2] = as_float(run.s2); k_tile_fetched3[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (32 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]); k_tile_fetched4[0] = as_float(run.s0); k_tile_fetched4[0 + 1] = as_float(run.s1); k_tile_fetched4[0 + 2] = as_float(run.s2); k_tile_fetched4[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched4[0] = 0.0f; k_tile_fetched4[1] = 0.0f; k_tile_fetched4[2] = 0.0f; k_tile_fetched4[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (32 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]); k_tile_fetched5[0] = as_float(run.s0); k_tile_fetched5[0 + 1] = as_float(run.s1); k_tile_fetched5[0 + 2] = as_float(run.s2); k_tile_fetched5[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched5[0] = 0.0f; k_tile_fetched5[1] = 0.0f; k_tile_fetched5[2] = 0.0f; k_tile_fetched5[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (48 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 48 + column]); k_tile_fetched6[0] = as_float(run.s0); k_tile_fetched6[0 + 1] = as_float(run.s1); k_tile_fetched6[0 + 2] = as_float(run.s2); k_tile_fetched6[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched6[0] = 0.0f; k_tile_fetched6[1] = 0.0f; k_tile_fetched6[2] = 0.0f; k_tile_fetched6[3] = 0.0f; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 4;
          if (48 + column < k) { const uint4 run = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 48 + column]); k_tile_fetched7[0] = as_float(run.s0); k_tile_fetched7[0 + 1] = as_float(run.s1); k_tile_fetched7[0 + 2] = as_float(run.s2); k_tile_fetched7[0 + 3] = as_float(run.s3); }
          else { k_tile_fetched7[0] = 0.0f; k_tile_fetched7[1] = 0.0f; k_tile_fetched7[2] = 0.0f; k_tile_fetched7[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched0[0] = as_float(run.s0); v_tile_fetched0[0 + 1] = as_float(run.s1); v_tile_fetched0[0 + 2] = as_float(run.s2); v_tile_fetched0[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 8 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 8) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched1[0] = as_float(run.s0); v_tile_fetched1[0 + 1] = as_float(run.s1); v_tile_fetched1[0 + 2] = as_float(run.s2); v_tile_fetched1[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 16 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 16) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched2[0] = as_float(run.s0); v_tile_fetched2[0 + 1] = as_float(run.s1); v_tile_fetched2[0 + 2] = as_float(run.s2); v_tile_fetched2[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 24 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 24) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched3[0] = as_float(run.s0); v_tile_fetched3[0 + 1] = as_float(run.s1); v_tile_fetched3[0 + 2] = as_float(run.s2); v_tile_fetched3[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 32 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 32) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched4[0] = as_float(run.s0); v_tile_fetched4[0 + 1] = as_float(run.s1); v_tile_fetched4[0 + 2] = as_float(run.s2); v_tile_fetched4[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched4[0] = 0.0f; v_tile_fetched4[1] = 0.0f; v_tile_fetched4[2] = 0.0f; v_tile_fetched4[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 40 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 40) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched5[0] = as_float(run.s0); v_tile_fetched5[0 + 1] = as_float(run.s1); v_tile_fetched5[0 + 2] = as_float(run.s2); v_tile_fetched5[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched5[0] = 0.0f; v_tile_fetched5[1] = 0.0f; v_tile_fetched5[2] = 0.0f; v_tile_fetched5[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 48 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 48) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched6[0] = as_float(run.s0); v_tile_fetched6[0 + 1] = as_float(run.s1); v_tile_fetched6[0 + 2] = as_float(run.s2); v_tile_fetched6[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched6[0] = 0.0f; v_tile_fetched6[1] = 0.0f; v_tile_fetched6[2] = 0.0f; v_tile_fetched6[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if ((key_block + 1) * 64 + warp + 56 < keys) { const uint4 run = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + warp + 56) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]); v_tile_fetched7[0] = as_float(run.s0); v_tile_fetched7[0 + 1] = as_float(run.s1); v_tile_fetched7[0 + 2] = as_float(run.s2); v_tile_fetched7[0 + 3] = as_float(run.s3); }
          else { v_tile_fetched7[0] = 0.0f; v_tile_fetched7[1] = 0.0f; v_tile_fetched7[2] = 0.0f; v_tile_fetched7[3] = 0.0f; }
        }
      }
      const int key0 = key_block * 64;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const uint2 run = load_2(&q_tile[(k_inner >> 5) * 1024 + ((k_inner & 0x1f) * 32 ^ (k_inner >> 2 & 7) * 2 ^ warp * 4 + row)]); q0[0] = as_float(run.s0); q0[0 + 1] = as_float(run.s1); }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 4) * 1024 + ((k_inner & 15) * 64 ^ k_inner & 12 ^ column)]); right_operand[0] = as_float(run.s0); right_operand[0 + 1] = as_float(run.s1); right_operand[0 + 2] = as_float(run.s2); right_operand[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score0_0[i * 4 + j] += q0[i] * right_operand[j];
          }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 4) * 1024 + ((k_inner & 15) * 64 ^ k_inner & 12 ^ 32 + column)]); right_operand[0] = as_float(run.s0); right_operand[0 + 1] = as_float(run.s1); right_operand[0 + 2] = as_float(run.s2); right_operand[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score0_1[i * 4 + j] += q0[i] * right_operand[j];
          }
        }
      }
      if (key0 + 63 < keys && key0 + 63 < warp_row + diagonal + window_right + 1 && warp_row + 3 + diagonal - window_left <= key0) {
      }
      else {
        int keys_stop0[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          keys_stop0[r] = min(keys, warp_row + r + (lane >> 3) * 2 + diagonal + window_right + 1) - key0;
        }
        int keys_start0[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          keys_start0[r] = warp_row + r + (lane >> 3) * 2 + diagonal - window_left - key0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!((r & 3) + (lane & 7) * 4 < keys_stop0[r >> 2] && keys_start0[r >> 2] <= (r & 3) + (lane & 7) * 4)) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(32 + (r & 3) + (lane & 7) * 4 < keys_stop0[r >> 2] && keys_start0[r >> 2] <= 32 + (r & 3) + (lane & 7) * 4)) score0_1[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(score0_0[r], score0_1[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, of_lane(folded, 4));
        folded = maximum(folded, of_lane(folded, 2));
        folded = maximum(folded, of_lane(folded, 1));
        found[0] = folded;
      }
      {
        float folded = part[4];
        folded = maximum(folded, part[5]);
        folded = maximum(folded, part[6]);
        folded = maximum(folded, part[7]);
        folded = maximum(folded, of_lane(folded, 4));
        folded = maximum(folded, of_lane(folded, 2));
        folded = maximum(folded, of_lane(folded, 1));
        found[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        found[r] = maximum(found[r], top0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float v0 = found[r];
        shift0[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.15811388f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = exp(((top0[r] * 0.15811388f) - shift0[r]));
      }
      top0[0] = found[0];
      top0[1] = found[1];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        piece0[r] = exp(((score0_0[r] * 0.15811388f) - shift0[r >> 2]));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r >> 2) + (lane >> 3) * 2;
        const int column = (r & 3) + (lane & 7) * 4;
        store_run(&weights_tile[(warp * 4 + row) * 68 + column], (uint4)(as_uint(piece0[r]), as_uint(piece0[r + 1]), as_uint(piece0[r + 2]), as_uint(piece0[r + 3])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        piece0[r] = exp(((score0_1[r] * 0.15811388f) - shift0[r >> 2]));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r >> 2) + (lane >> 3) * 2;
        const int column = (r & 3) + (lane & 7) * 4;
        store_run(&weights_tile[(warp * 4 + row) * 68 + 32 + column], (uint4)(as_uint(piece0[r]), as_uint(piece0[r + 1]), as_uint(piece0[r + 2]), as_uint(piece0[r + 3])));
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // weights_written
      #pragma unroll 4
      for (int key_inner = 0; key_inner < 64; ++key_inner) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r + (lane >> 3) * 2;
          weights0[r] = weights_tile[(warp * 4 + row) * 68 + key_inner];
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = load_4(&v_tile[key_block % 2 * 4096 + key_inner * 64 + (column >> 4) * 16 + (column & 15)]); right_operand[0] = as_float(run.s0); right_operand[0 + 1] = as_float(run.s1); right_operand[0 + 2] = as_float(run.s2); right_operand[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_0[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = load_4(&v_tile[key_block % 2 * 4096 + key_inner * 64 + (2 + (column >> 4)) * 16 + (column & 15)]); right_operand[0] = as_float(run.s0); right_operand[0 + 1] = as_float(run.s1); right_operand[0 + 2] = as_float(run.s2); right_operand[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_1[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
      }
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 1024 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched2[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 1024 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched3[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched4[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched5[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 3072 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched6[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 3072 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched7[r];
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + warp * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched0[0]), as_uint(v_tile_fetched0[0 + 1]), as_uint(v_tile_fetched0[0 + 2]), as_uint(v_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 8) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched1[0]), as_uint(v_tile_fetched1[0 + 1]), as_uint(v_tile_fetched1[0 + 2]), as_uint(v_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 16) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched2[0]), as_uint(v_tile_fetched2[0 + 1]), as_uint(v_tile_fetched2[0 + 2]), as_uint(v_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 24) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched3[0]), as_uint(v_tile_fetched3[0 + 1]), as_uint(v_tile_fetched3[0 + 2]), as_uint(v_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 32) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched4[0]), as_uint(v_tile_fetched4[0 + 1]), as_uint(v_tile_fetched4[0 + 2]), as_uint(v_tile_fetched4[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 40) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched5[0]), as_uint(v_tile_fetched5[0 + 1]), as_uint(v_tile_fetched5[0 + 2]), as_uint(v_tile_fetched5[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 48) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched6[0]), as_uint(v_tile_fetched6[0 + 1]), as_uint(v_tile_fetched6[0 + 2]), as_uint(v_tile_fetched6[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp + 56) * 64 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(v_tile_fetched7[0]), as_uint(v_tile_fetched7[0 + 1]), as_uint(v_tile_fetched7[0 + 2]), as_uint(v_tile_fetched7[0 + 3])));
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + of_lane(folded, 4);
      folded = folded + of_lane(folded, 2);
      folded = folded + of_lane(folded, 1);
      found[0] = folded;
    }
    {
      float folded = total0[4];
      folded = folded + total0[5];
      folded = folded + total0[6];
      folded = folded + total0[7];
      folded = folded + of_lane(folded, 4);
      folded = folded + of_lane(folded, 2);
      folded = folded + of_lane(folded, 1);
      found[1] = folded;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = found[r];
      correction[r] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      result[r] = (sum0_0[r] * correction[r >> 2]);
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      if (warp_row + row < m && column < n) store_run(&out[out_at + out_row * (warp_row + row) + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      result[r] = (sum0_1[r] * correction[r >> 2]);
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      if (warp_row + row < m && 32 + column < n) store_run(&out[out_at + out_row * (warp_row + row) + 32 + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
    }
  }
}
