// tracea: low rank product fp32
// variant        sycl.chained.low_rank_simt_fp32 for dg2
// configuration  32x32x8 s2 va4 vb4 vc4 kb32
// schedule       29c0da4235c08257a8f2977faa2c14a3e7fcd8215428d9fc7d38463b012466b6
// certificate    95b4bf4cfc9b64b89284ecd4c23d3c6253621866373016d0cece4d72f9a39c5d: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 16 bytes
// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 4
// k: columns of x; 0 to 2147479552 by 4
// keys: columns of a: the rank; 1 to 32 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 4
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of fp32, k 8 = 3 bits, outer 32 = 5 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of fp32, k 8 = 8*32, outer 32 = 32*1, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 32 = 32*32, outer 32 = 2*16 + 4 bits, atom 2^4, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of fp32, row 32 = 32*32, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * column_splits blocks of 32 threads, clusters of 1, 16384 bytes of shared memory
__attribute__((reqd_work_group_size(32, 1, 1)))
SUB_GROUPS_OF(8)
__kernel void low_rank_product_fp32_32x32x8_ab40b943(
    __global const float* restrict x,
    __global const float* restrict a,
    __global const float* restrict b,
    __global float* restrict out,
    int m,
    int n,
    int k,
    int keys,
    i64 x_row,
    i64 out_row,
    i64 a_row,
    i64 b_row,
    int column_splits) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[16384] __attribute__((aligned(16)));
  __local float* const x_tile = (__local float*)(shared + 0);
  __local float* const a_tile = (__local float*)(shared + 2048);
  __local float* const b_tile = (__local float*)(shared + 4096);
  __local float* const middle_tile = (__local float*)(shared + 12288);
  // warp: warp x 4
  {
    const int lane = thread % 8;
    const int warp = thread / 8;
    float8 acc0_0;  // 2x32 fp32 of the warp
    float8 acc1_0;  // 2x32 fp32 of the warp
    float8 acc2_0;  // 2x32 fp32 of the warp
    float8 acc3_0;  // 2x32 fp32 of the warp
    float2 a0;  // 2x1 fp32 of the warp
    float2 a1;  // 2x1 fp32 of the warp
    float2 a2;  // 2x1 fp32 of the warp
    float2 a3;  // 2x1 fp32 of the warp
    float4 b0;  // 1x32 fp32 of the warp
    float4 x_tile_fetched0;  // 4x8 fp32 of the warp
    float4 x_tile_fetched1;  // 4x8 fp32 of the warp
    float4 a_tile_fetched0;  // 32x1 fp32 of the warp
    float4 a_tile_fetched1;  // 32x1 fp32 of the warp
    float4 b_tile_fetched0;  // 32x1 fp32 of the warp
    float4 b_tile_fetched1;  // 32x1 fp32 of the warp
    float4 b_tile_fetched2;  // 32x1 fp32 of the warp
    float4 b_tile_fetched3;  // 32x1 fp32 of the warp
    float4 b_tile_fetched4;  // 32x1 fp32 of the warp
    float4 b_tile_fetched5;  // 32x1 fp32 of the warp
    float4 b_tile_fetched6;  // 32x1 fp32 of the warp
    float4 b_tile_fetched7;  // 32x1 fp32 of the warp
    float8 piece;  // 2x32 fp32 of the warp
    float8 result;  // 2x32 fp32 of the warp
    const int row_tiles = (m + 31) / 32;
    const int column_tiles = (n + 31) / 32;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 32;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0 + warp * 8;
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc1_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc2_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc3_0[r] = 0.0f;
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * x_row + column]); x_tile_fetched0[0] = as_float(run.s0); x_tile_fetched0[0 + 1] = as_float(run.s1); x_tile_fetched0[0 + 2] = as_float(run.s2); x_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * x_row + column]); x_tile_fetched1[0] = as_float(run.s0); x_tile_fetched1[0 + 1] = as_float(run.s1); x_tile_fetched1[0 + 2] = as_float(run.s2); x_tile_fetched1[0 + 3] = as_float(run.s3); }
      else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = lane * 4;
      if (warp < depth) { const uint4 run = load_4(&a[warp * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane * 4;
      if (warp + 4 < depth) { const uint4 run = load_4(&a[(warp + 4) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
      else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // tile_done
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 1;
      const int column = r + (lane & 1) * 4;
      x_tile[column * 32 ^ (column >> 2) * 4 ^ warp * 4 + row] = x_tile_fetched0[r];
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 1;
      const int column = r + (lane & 1) * 4;
      x_tile[column * 32 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row] = x_tile_fetched1[r];
    }
    {
      const int row = lane * 4;
      store_run(&a_tile[warp * 32 + row], (uint4)(as_uint(a_tile_fetched0[0]), as_uint(a_tile_fetched0[0 + 1]), as_uint(a_tile_fetched0[0 + 2]), as_uint(a_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane * 4;
      store_run(&a_tile[(warp + 4) * 32 + row], (uint4)(as_uint(a_tile_fetched1[0]), as_uint(a_tile_fetched1[0 + 1]), as_uint(a_tile_fetched1[0 + 2]), as_uint(a_tile_fetched1[0 + 3])));
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (8 + column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * x_row + 8 + column]); x_tile_fetched0[0] = as_float(run.s0); x_tile_fetched0[0 + 1] = as_float(run.s1); x_tile_fetched0[0 + 2] = as_float(run.s2); x_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane >> 1;
      const int column = (lane & 1) * 4;
      if (8 + column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * x_row + 8 + column]); x_tile_fetched1[0] = as_float(run.s0); x_tile_fetched1[0 + 1] = as_float(run.s1); x_tile_fetched1[0 + 2] = as_float(run.s2); x_tile_fetched1[0 + 3] = as_float(run.s3); }
      else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
    }
    {
      const int row = lane * 4;
      if (8 + warp < depth) { const uint4 run = load_4(&a[(8 + warp) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
      else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
    }
    {
      const int row = lane * 4;
      if (8 + warp + 4 < depth) { const uint4 run = load_4(&a[(8 + warp + 4) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
      else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 4 ^ warp * 4 + row)] = x_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row)] = x_tile_fetched1[r];
      }
      {
        const int row = lane * 4;
        store_run(&a_tile[(k_step + 1) % 2 * 256 + warp * 32 + row], (uint4)(as_uint(a_tile_fetched0[0]), as_uint(a_tile_fetched0[0 + 1]), as_uint(a_tile_fetched0[0 + 2]), as_uint(a_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&a_tile[(k_step + 1) % 2 * 256 + (warp + 4) * 32 + row], (uint4)(as_uint(a_tile_fetched1[0]), as_uint(a_tile_fetched1[0 + 1]), as_uint(a_tile_fetched1[0 + 2]), as_uint(a_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        { const uint4 run = load_4(&x[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 8 + column]); x_tile_fetched0[0] = as_float(run.s0); x_tile_fetched0[0 + 1] = as_float(run.s1); x_tile_fetched0[0 + 2] = as_float(run.s2); x_tile_fetched0[0 + 3] = as_float(run.s3); }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        { const uint4 run = load_4(&x[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 8 + column]); x_tile_fetched1[0] = as_float(run.s0); x_tile_fetched1[0 + 1] = as_float(run.s1); x_tile_fetched1[0 + 2] = as_float(run.s2); x_tile_fetched1[0 + 3] = as_float(run.s3); }
      }
      {
        const int row = lane * 4;
        { const uint4 run = load_4(&a[((i64)(k_step + 2) * 8 + warp) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
      }
      {
        const int row = lane * 4;
        { const uint4 run = load_4(&a[((i64)(k_step + 2) * 8 + warp + 4) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 8; ++k_inner) {
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8)]); a0[0] = as_float(run.s0); a0[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 2)]); a1[0] = as_float(run.s0); a1[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 4)]); a2[0] = as_float(run.s0); a2[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 6)]); a3[0] = as_float(run.s0); a3[0 + 1] = as_float(run.s1); }
        }
        {
          const int column = lane * 4;
          { const uint4 run = load_4(&a_tile[k_step % 2 * 256 + k_inner * 32 + column]); b0[0] = as_float(run.s0); b0[0 + 1] = as_float(run.s1); b0[0 + 2] = as_float(run.s2); b0[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc1_0[i * 4 + j] += a1[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc2_0[i * 4 + j] += a2[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc3_0[i * 4 + j] += a3[i] * b0[j];
          }
        }
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 4 ^ warp * 4 + row)] = x_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        x_tile[(k_step + 1) % 2 * 256 + (column * 32 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row)] = x_tile_fetched1[r];
      }
      {
        const int row = lane * 4;
        store_run(&a_tile[(k_step + 1) % 2 * 256 + warp * 32 + row], (uint4)(as_uint(a_tile_fetched0[0]), as_uint(a_tile_fetched0[0 + 1]), as_uint(a_tile_fetched0[0 + 2]), as_uint(a_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&a_tile[(k_step + 1) % 2 * 256 + (warp + 4) * 32 + row], (uint4)(as_uint(a_tile_fetched1[0]), as_uint(a_tile_fetched1[0 + 1]), as_uint(a_tile_fetched1[0 + 2]), as_uint(a_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 8 + column]); x_tile_fetched0[0] = as_float(run.s0); x_tile_fetched0[0 + 1] = as_float(run.s1); x_tile_fetched0[0 + 2] = as_float(run.s2); x_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { x_tile_fetched0[0] = 0.0f; x_tile_fetched0[1] = 0.0f; x_tile_fetched0[2] = 0.0f; x_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&x[min(row0 + (i64)(warp + 4) * 4 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 8 + column]); x_tile_fetched1[0] = as_float(run.s0); x_tile_fetched1[0 + 1] = as_float(run.s1); x_tile_fetched1[0 + 2] = as_float(run.s2); x_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { x_tile_fetched1[0] = 0.0f; x_tile_fetched1[1] = 0.0f; x_tile_fetched1[2] = 0.0f; x_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if ((k_step + 2) * 8 + warp < depth) { const uint4 run = load_4(&a[((i64)(k_step + 2) * 8 + warp) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if ((k_step + 2) * 8 + warp + 4 < depth) { const uint4 run = load_4(&a[((i64)(k_step + 2) * 8 + warp + 4) * a_row + min((i64)(row / 4) * 4, (i64)(keys - 4))]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 8; ++k_inner) {
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8)]); a0[0] = as_float(run.s0); a0[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 2)]); a1[0] = as_float(run.s0); a1[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 4)]); a2[0] = as_float(run.s0); a2[0 + 1] = as_float(run.s1); }
        }
        {
          { const uint2 run = load_2(&x_tile[k_step % 2 * 256 + (k_inner * 32 ^ (k_inner >> 2) * 4 ^ warp * 8 + 6)]); a3[0] = as_float(run.s0); a3[0 + 1] = as_float(run.s1); }
        }
        {
          const int column = lane * 4;
          { const uint4 run = load_4(&a_tile[k_step % 2 * 256 + k_inner * 32 + column]); b0[0] = as_float(run.s0); b0[0 + 1] = as_float(run.s1); b0[0 + 2] = as_float(run.s2); b0[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc1_0[i * 4 + j] += a1[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc2_0[i * 4 + j] += a2[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc3_0[i * 4 + j] += a3[i] * b0[j];
          }
        }
      }
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const float v0 = acc0_0[r];
      acc0_0[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const float v0 = acc1_0[r];
      acc1_0[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const float v0 = acc2_0[r];
      acc2_0[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      const float v0 = acc3_0[r];
      acc3_0[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + lane * 4 < keys)) acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + lane * 4 < keys)) acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + lane * 4 < keys)) acc2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!((r & 3) + lane * 4 < keys)) acc3_0[r] = 0.0f;
      }
    }
    piece[0] = acc0_0[0];
    piece[1] = acc0_0[1];
    piece[2] = acc0_0[2];
    piece[3] = acc0_0[3];
    piece[4] = acc0_0[4];
    piece[5] = acc0_0[5];
    piece[6] = acc0_0[6];
    piece[7] = acc0_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = r >> 2;
      const int column = (r & 3) + lane * 4;
      store_run(&middle_tile[(warp * 8 + row) * 32 + column], (uint4)(as_uint(piece[r]), as_uint(piece[r + 1]), as_uint(piece[r + 2]), as_uint(piece[r + 3])));
    }
    piece[0] = acc1_0[0];
    piece[1] = acc1_0[1];
    piece[2] = acc1_0[2];
    piece[3] = acc1_0[3];
    piece[4] = acc1_0[4];
    piece[5] = acc1_0[5];
    piece[6] = acc1_0[6];
    piece[7] = acc1_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = r >> 2;
      const int column = (r & 3) + lane * 4;
      store_run(&middle_tile[(warp * 8 + 2 + row) * 32 + column], (uint4)(as_uint(piece[r]), as_uint(piece[r + 1]), as_uint(piece[r + 2]), as_uint(piece[r + 3])));
    }
    piece[0] = acc2_0[0];
    piece[1] = acc2_0[1];
    piece[2] = acc2_0[2];
    piece[3] = acc2_0[3];
    piece[4] = acc2_0[4];
    piece[5] = acc2_0[5];
    piece[6] = acc2_0[6];
    piece[7] = acc2_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = r >> 2;
      const int column = (r & 3) + lane * 4;
      store_run(&middle_tile[(warp * 8 + 4 + row) * 32 + column], (uint4)(as_uint(piece[r]), as_uint(piece[r + 1]), as_uint(piece[r + 2]), as_uint(piece[r + 3])));
    }
    piece[0] = acc3_0[0];
    piece[1] = acc3_0[1];
    piece[2] = acc3_0[2];
    piece[3] = acc3_0[3];
    piece[4] = acc3_0[4];
    piece[5] = acc3_0[5];
    piece[6] = acc3_0[6];
    piece[7] = acc3_0[7];
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = r >> 2;
      const int column = (r & 3) + lane * 4;
      store_run(&middle_tile[(warp * 8 + 6 + row) * 32 + column], (uint4)(as_uint(piece[r]), as_uint(piece[r + 1]), as_uint(piece[r + 2]), as_uint(piece[r + 3])));
    }
    if (first_column_tile < stop_column_tile) {
      {
        const int row = lane * 4;
        if (warp < keys) { const uint4 run = load_4(&b[warp * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 4 < keys) { const uint4 run = load_4(&b[(warp + 4) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 8 < keys) { const uint4 run = load_4(&b[(warp + 8) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched2[0] = as_float(run.s0); b_tile_fetched2[0 + 1] = as_float(run.s1); b_tile_fetched2[0 + 2] = as_float(run.s2); b_tile_fetched2[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched2[0] = 0.0f; b_tile_fetched2[1] = 0.0f; b_tile_fetched2[2] = 0.0f; b_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 12 < keys) { const uint4 run = load_4(&b[(warp + 12) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched3[0] = as_float(run.s0); b_tile_fetched3[0 + 1] = as_float(run.s1); b_tile_fetched3[0 + 2] = as_float(run.s2); b_tile_fetched3[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched3[0] = 0.0f; b_tile_fetched3[1] = 0.0f; b_tile_fetched3[2] = 0.0f; b_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 16 < keys) { const uint4 run = load_4(&b[(warp + 16) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched4[0] = as_float(run.s0); b_tile_fetched4[0 + 1] = as_float(run.s1); b_tile_fetched4[0 + 2] = as_float(run.s2); b_tile_fetched4[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched4[0] = 0.0f; b_tile_fetched4[1] = 0.0f; b_tile_fetched4[2] = 0.0f; b_tile_fetched4[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 20 < keys) { const uint4 run = load_4(&b[(warp + 20) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched5[0] = as_float(run.s0); b_tile_fetched5[0 + 1] = as_float(run.s1); b_tile_fetched5[0 + 2] = as_float(run.s2); b_tile_fetched5[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched5[0] = 0.0f; b_tile_fetched5[1] = 0.0f; b_tile_fetched5[2] = 0.0f; b_tile_fetched5[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 24 < keys) { const uint4 run = load_4(&b[(warp + 24) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched6[0] = as_float(run.s0); b_tile_fetched6[0 + 1] = as_float(run.s1); b_tile_fetched6[0 + 2] = as_float(run.s2); b_tile_fetched6[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched6[0] = 0.0f; b_tile_fetched6[1] = 0.0f; b_tile_fetched6[2] = 0.0f; b_tile_fetched6[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        if (warp + 28 < keys) { const uint4 run = load_4(&b[(warp + 28) * b_row + min((i64)first_column_tile * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched7[0] = as_float(run.s0); b_tile_fetched7[0 + 1] = as_float(run.s1); b_tile_fetched7[0 + 2] = as_float(run.s2); b_tile_fetched7[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched7[0] = 0.0f; b_tile_fetched7[1] = 0.0f; b_tile_fetched7[2] = 0.0f; b_tile_fetched7[3] = 0.0f; }
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + warp * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched0[0]), as_uint(b_tile_fetched0[0 + 1]), as_uint(b_tile_fetched0[0 + 2]), as_uint(b_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 4) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched1[0]), as_uint(b_tile_fetched1[0 + 1]), as_uint(b_tile_fetched1[0 + 2]), as_uint(b_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 8) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched2[0]), as_uint(b_tile_fetched2[0 + 1]), as_uint(b_tile_fetched2[0 + 2]), as_uint(b_tile_fetched2[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 12) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched3[0]), as_uint(b_tile_fetched3[0 + 1]), as_uint(b_tile_fetched3[0 + 2]), as_uint(b_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 16) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched4[0]), as_uint(b_tile_fetched4[0 + 1]), as_uint(b_tile_fetched4[0 + 2]), as_uint(b_tile_fetched4[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 20) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched5[0]), as_uint(b_tile_fetched5[0 + 1]), as_uint(b_tile_fetched5[0 + 2]), as_uint(b_tile_fetched5[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 24) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched6[0]), as_uint(b_tile_fetched6[0 + 1]), as_uint(b_tile_fetched6[0 + 2]), as_uint(b_tile_fetched6[0 + 3])));
      }
      {
        const int row = lane * 4;
        store_run(&b_tile[first_column_tile % 2 * 1024 + (warp + 28) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched7[0]), as_uint(b_tile_fetched7[0 + 1]), as_uint(b_tile_fetched7[0 + 2]), as_uint(b_tile_fetched7[0 + 3])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = lane * 4;
          if (warp < keys) { const uint4 run = load_4(&b[warp * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 4 < keys) { const uint4 run = load_4(&b[(warp + 4) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 8 < keys) { const uint4 run = load_4(&b[(warp + 8) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched2[0] = as_float(run.s0); b_tile_fetched2[0 + 1] = as_float(run.s1); b_tile_fetched2[0 + 2] = as_float(run.s2); b_tile_fetched2[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched2[0] = 0.0f; b_tile_fetched2[1] = 0.0f; b_tile_fetched2[2] = 0.0f; b_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 12 < keys) { const uint4 run = load_4(&b[(warp + 12) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched3[0] = as_float(run.s0); b_tile_fetched3[0 + 1] = as_float(run.s1); b_tile_fetched3[0 + 2] = as_float(run.s2); b_tile_fetched3[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched3[0] = 0.0f; b_tile_fetched3[1] = 0.0f; b_tile_fetched3[2] = 0.0f; b_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 16 < keys) { const uint4 run = load_4(&b[(warp + 16) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched4[0] = as_float(run.s0); b_tile_fetched4[0 + 1] = as_float(run.s1); b_tile_fetched4[0 + 2] = as_float(run.s2); b_tile_fetched4[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched4[0] = 0.0f; b_tile_fetched4[1] = 0.0f; b_tile_fetched4[2] = 0.0f; b_tile_fetched4[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 20 < keys) { const uint4 run = load_4(&b[(warp + 20) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched5[0] = as_float(run.s0); b_tile_fetched5[0 + 1] = as_float(run.s1); b_tile_fetched5[0 + 2] = as_float(run.s2); b_tile_fetched5[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched5[0] = 0.0f; b_tile_fetched5[1] = 0.0f; b_tile_fetched5[2] = 0.0f; b_tile_fetched5[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 24 < keys) { const uint4 run = load_4(&b[(warp + 24) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched6[0] = as_float(run.s0); b_tile_fetched6[0 + 1] = as_float(run.s1); b_tile_fetched6[0 + 2] = as_float(run.s2); b_tile_fetched6[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched6[0] = 0.0f; b_tile_fetched6[1] = 0.0f; b_tile_fetched6[2] = 0.0f; b_tile_fetched6[3] = 0.0f; }
        }
        {
          const int row = lane * 4;
          if (warp + 28 < keys) { const uint4 run = load_4(&b[(warp + 28) * b_row + min((i64)(column_tile + 1) * 32 + (i64)(row / 4) * 4, (i64)(n - 4))]); b_tile_fetched7[0] = as_float(run.s0); b_tile_fetched7[0 + 1] = as_float(run.s1); b_tile_fetched7[0 + 2] = as_float(run.s2); b_tile_fetched7[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched7[0] = 0.0f; b_tile_fetched7[1] = 0.0f; b_tile_fetched7[2] = 0.0f; b_tile_fetched7[3] = 0.0f; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc3_0[r] = 0.0f;
      }
      #pragma unroll 8
      for (int k_inner = 0; k_inner < 32; ++k_inner) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          a0[r] = middle_tile[(warp * 8 + r) * 32 + k_inner];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          a1[r] = middle_tile[(warp * 8 + 2 + r) * 32 + k_inner];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          a2[r] = middle_tile[(warp * 8 + 4 + r) * 32 + k_inner];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          a3[r] = middle_tile[(warp * 8 + 6 + r) * 32 + k_inner];
        }
        {
          const int column = lane * 4;
          { const uint4 run = load_4(&b_tile[column_tile % 2 * 1024 + k_inner * 32 + (column >> 4) * 16 + (column & 15)]); b0[0] = as_float(run.s0); b0[0 + 1] = as_float(run.s1); b0[0 + 2] = as_float(run.s2); b0[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc0_0[i * 4 + j] += a0[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc1_0[i * 4 + j] += a1[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc2_0[i * 4 + j] += a2[i] * b0[j];
          }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            acc3_0[i * 4 + j] += a3[i] * b0[j];
          }
        }
      }
      const int warp_column = column_tile * 32;
      if (warp_row + 7 < m && warp_column + 31 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          store_run(&out[(warp_row + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        result[4] = acc1_0[4];
        result[5] = acc1_0[5];
        result[6] = acc1_0[6];
        result[7] = acc1_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          store_run(&out[(warp_row + 2 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc2_0[0];
        result[1] = acc2_0[1];
        result[2] = acc2_0[2];
        result[3] = acc2_0[3];
        result[4] = acc2_0[4];
        result[5] = acc2_0[5];
        result[6] = acc2_0[6];
        result[7] = acc2_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          store_run(&out[(warp_row + 4 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc3_0[0];
        result[1] = acc3_0[1];
        result[2] = acc3_0[2];
        result[3] = acc3_0[3];
        result[4] = acc3_0[4];
        result[5] = acc3_0[5];
        result[6] = acc3_0[6];
        result[7] = acc3_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          store_run(&out[(warp_row + 6 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + row < m && warp_column + column < n) store_run(&out[(warp_row + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        result[2] = acc1_0[2];
        result[3] = acc1_0[3];
        result[4] = acc1_0[4];
        result[5] = acc1_0[5];
        result[6] = acc1_0[6];
        result[7] = acc1_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + 2 + row < m && warp_column + column < n) store_run(&out[(warp_row + 2 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc2_0[0];
        result[1] = acc2_0[1];
        result[2] = acc2_0[2];
        result[3] = acc2_0[3];
        result[4] = acc2_0[4];
        result[5] = acc2_0[5];
        result[6] = acc2_0[6];
        result[7] = acc2_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + 4 + row < m && warp_column + column < n) store_run(&out[(warp_row + 4 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc3_0[0];
        result[1] = acc3_0[1];
        result[2] = acc3_0[2];
        result[3] = acc3_0[3];
        result[4] = acc3_0[4];
        result[5] = acc3_0[5];
        result[6] = acc3_0[6];
        result[7] = acc3_0[7];
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          if (warp_row + 6 + row < m && warp_column + column < n) store_run(&out[(warp_row + 6 + row) * out_row + warp_column + column], (uint4)(as_uint(result[r]), as_uint(result[r + 1]), as_uint(result[r + 2]), as_uint(result[r + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + warp * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched0[0]), as_uint(b_tile_fetched0[0 + 1]), as_uint(b_tile_fetched0[0 + 2]), as_uint(b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 4) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched1[0]), as_uint(b_tile_fetched1[0 + 1]), as_uint(b_tile_fetched1[0 + 2]), as_uint(b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 8) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched2[0]), as_uint(b_tile_fetched2[0 + 1]), as_uint(b_tile_fetched2[0 + 2]), as_uint(b_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 12) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched3[0]), as_uint(b_tile_fetched3[0 + 1]), as_uint(b_tile_fetched3[0 + 2]), as_uint(b_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 16) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched4[0]), as_uint(b_tile_fetched4[0 + 1]), as_uint(b_tile_fetched4[0 + 2]), as_uint(b_tile_fetched4[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 20) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched5[0]), as_uint(b_tile_fetched5[0 + 1]), as_uint(b_tile_fetched5[0 + 2]), as_uint(b_tile_fetched5[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 24) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched6[0]), as_uint(b_tile_fetched6[0 + 1]), as_uint(b_tile_fetched6[0 + 2]), as_uint(b_tile_fetched6[0 + 3])));
        }
        {
          const int row = lane * 4;
          store_run(&b_tile[(column_tile + 1) % 2 * 1024 + (warp + 28) * 32 + (row >> 4) * 16 + (row & 15)], (uint4)(as_uint(b_tile_fetched7[0]), as_uint(b_tile_fetched7[0 + 1]), as_uint(b_tile_fetched7[0 + 2]), as_uint(b_tile_fetched7[0 + 3])));
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
    }
  }
}
