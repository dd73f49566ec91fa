// tracea: matmul fp32, epilogue bias, auxiliary, gelu
// variant        sycl.contraction.simt_fp32 for pvc
// configuration  64x64x8 s2 grouped g4 va4 vb4
// schedule       ebc19d921b997d1c7cd99c10143fef859612038dfad91e31ef17929472441f8e
// certificate    564481a0189e19dadff5ab56aabb0e57e33a7a69c3de923100a42cb61760c38f: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// auxiliary_1: fp32, write, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// auxiliary_1_row: auxiliary_1: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of fp32, k 8 = 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of fp32, k 8 = 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) blocks of 64 threads, clusters of 1, 8192 bytes of shared memory
__attribute__((reqd_work_group_size(64, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void matmul_fp32_64x64x8_eb98f953(
    __global const float* restrict a,
    __global const float* restrict b,
    __global float* restrict out,
    __global const float* restrict bias_0,
    __global float* restrict auxiliary_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row,
    i64 auxiliary_1_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[8192] __attribute__((aligned(16)));
  __local float* const a_tile = (__local float*)(shared + 0);
  __local float* const b_tile = (__local float*)(shared + 4096);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float16 acc0_0;  // 8x32 fp32 of the warp
    float16 acc1_0;  // 8x32 fp32 of the warp
    float16 acc2_0;  // 8x32 fp32 of the warp
    float16 acc3_0;  // 8x32 fp32 of the warp
    float4 a0;  // 8x1 fp32 of the warp
    float4 a1;  // 8x1 fp32 of the warp
    float4 a2;  // 8x1 fp32 of the warp
    float4 a3;  // 8x1 fp32 of the warp
    float4 b0;  // 1x32 fp32 of the warp
    float4 a_tile_fetched0;  // 8x8 fp32 of the warp
    float4 a_tile_fetched1;  // 8x8 fp32 of the warp
    float4 b_tile_fetched0;  // 8x8 fp32 of the warp
    float4 b_tile_fetched1;  // 8x8 fp32 of the warp
    float4 bias_0_held;  // 1x32 fp32 of the warp
    float16 auxiliary_1_held;  // 8x32 fp32 of the warp
    float16 result;  // 8x32 fp32 of the warp
    const int depth = k;
    const int k_steps = (depth + 7) / 8;
    const int whole_steps = depth / 8;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 4);
      const int band_rows = min(tile_rows - band * 4, 4);
      const int in_band = tile - band * 4 * tile_columns;
      const int row0 = (band * 4 + floor_modulo(in_band, band_rows)) * 64;
      const int column0 = floor_divide(in_band, band_rows) * 64;
      const int warp_row = row0 + warp / 2 * 32;
      const int warp_column = column0 + warp % 2 * 32;
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        acc3_0[r] = 0.0f;
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + column]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + column]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = load_4(&b[column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (column < depth) { const uint4 run = load_4(&b[column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // tile_done
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row] = a_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        a_tile[column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row] = a_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        b_tile[column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row] = b_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 1;
        const int column = r + (lane & 1) * 4;
        b_tile[column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row] = b_tile_fetched1[r];
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + 8 + column]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + 8 + column]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = load_4(&b[8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 1;
        const int column = (lane & 1) * 4;
        if (8 + column < depth) { const uint4 run = load_4(&b[8 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
        else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row)] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row)] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row)] = b_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row)] = b_tile_fetched1[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = load_4(&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = load_4(&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = load_4(&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          { const uint4 run = load_4(&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
        }
        #pragma unroll 8
        for (int k_inner = 0; k_inner < 8; ++k_inner) {
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + row)]); a0[0] = as_float(run.s0); a0[0 + 1] = as_float(run.s1); a0[0 + 2] = as_float(run.s2); a0[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 8 + row)]); a1[0] = as_float(run.s0); a1[0 + 1] = as_float(run.s1); a1[0 + 2] = as_float(run.s2); a1[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 16 + row)]); a2[0] = as_float(run.s0); a2[0 + 1] = as_float(run.s1); a2[0 + 2] = as_float(run.s2); a2[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 24 + row)]); a3[0] = as_float(run.s0); a3[0 + 1] = as_float(run.s1); a3[0 + 2] = as_float(run.s2); a3[0 + 3] = as_float(run.s3); }
          }
          {
            const int column = (lane & 7) * 4;
            { const uint4 run = load_4(&b_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp % 2 * 32 + column)]); b0[0] = as_float(run.s0); b0[0 + 1] = as_float(run.s1); b0[0 + 2] = as_float(run.s2); b0[0 + 3] = as_float(run.s3); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc1_0[i * 4 + j] += a1[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc2_0[i * 4 + j] += a2[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
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
          a_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row)] = a_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          a_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row)] = a_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ warp * 8 + row)] = b_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 1;
          const int column = r + (lane & 1) * 4;
          b_tile[(k_step + 1) % 2 * 512 + (column * 64 ^ (column >> 2) * 8 ^ (warp + 4) * 8 + row)] = b_tile_fetched1[r];
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]); a_tile_fetched0[0] = as_float(run.s0); a_tile_fetched0[0 + 1] = as_float(run.s1); a_tile_fetched0[0 + 2] = as_float(run.s2); a_tile_fetched0[0 + 3] = as_float(run.s3); }
          else { a_tile_fetched0[0] = 0.0f; a_tile_fetched0[1] = 0.0f; a_tile_fetched0[2] = 0.0f; a_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 8 + column]); a_tile_fetched1[0] = as_float(run.s0); a_tile_fetched1[0 + 1] = as_float(run.s1); a_tile_fetched1[0 + 2] = as_float(run.s2); a_tile_fetched1[0 + 3] = as_float(run.s3); }
          else { a_tile_fetched1[0] = 0.0f; a_tile_fetched1[1] = 0.0f; a_tile_fetched1[2] = 0.0f; a_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched0[0] = as_float(run.s0); b_tile_fetched0[0 + 1] = as_float(run.s1); b_tile_fetched0[0 + 2] = as_float(run.s2); b_tile_fetched0[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched0[0] = 0.0f; b_tile_fetched0[1] = 0.0f; b_tile_fetched0[2] = 0.0f; b_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 1;
          const int column = (lane & 1) * 4;
          if ((k_step + 2) * 8 + column < depth) { const uint4 run = load_4(&b[(i64)(k_step + 2) * 8 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]); b_tile_fetched1[0] = as_float(run.s0); b_tile_fetched1[0 + 1] = as_float(run.s1); b_tile_fetched1[0 + 2] = as_float(run.s2); b_tile_fetched1[0 + 3] = as_float(run.s3); }
          else { b_tile_fetched1[0] = 0.0f; b_tile_fetched1[1] = 0.0f; b_tile_fetched1[2] = 0.0f; b_tile_fetched1[3] = 0.0f; }
        }
        #pragma unroll 8
        for (int k_inner = 0; k_inner < 8; ++k_inner) {
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + row)]); a0[0] = as_float(run.s0); a0[0 + 1] = as_float(run.s1); a0[0 + 2] = as_float(run.s2); a0[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 8 + row)]); a1[0] = as_float(run.s0); a1[0 + 1] = as_float(run.s1); a1[0 + 2] = as_float(run.s2); a1[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 16 + row)]); a2[0] = as_float(run.s0); a2[0 + 1] = as_float(run.s1); a2[0 + 2] = as_float(run.s2); a2[0 + 3] = as_float(run.s3); }
          }
          {
            const int row = (lane >> 3) * 4;
            { const uint4 run = load_4(&a_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp / 2 * 32 + 24 + row)]); a3[0] = as_float(run.s0); a3[0 + 1] = as_float(run.s1); a3[0 + 2] = as_float(run.s2); a3[0 + 3] = as_float(run.s3); }
          }
          {
            const int column = (lane & 7) * 4;
            { const uint4 run = load_4(&b_tile[k_step % 2 * 512 + (k_inner * 64 ^ (k_inner >> 2) * 8 ^ warp % 2 * 32 + column)]); b0[0] = as_float(run.s0); b0[0 + 1] = as_float(run.s1); b0[0 + 2] = as_float(run.s2); b0[0 + 3] = as_float(run.s3); }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc0_0[i * 4 + j] += a0[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc1_0[i * 4 + j] += a1[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc2_0[i * 4 + j] += a2[i] * b0[j];
            }
          }
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
              acc3_0[i * 4 + j] += a3[i] * b0[j];
            }
          }
        }
      }
      if (warp_row + 31 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 7) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc0_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc0_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          out[(warp_row + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 7) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc1_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          auxiliary_1[(warp_row + 8 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc1_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          out[(warp_row + 8 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 7) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc2_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          auxiliary_1[(warp_row + 16 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc2_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          out[(warp_row + 16 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          bias_0_held[r] = bias_0[warp_column + r + (lane & 7) * 4];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc3_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          auxiliary_1[(warp_row + 24 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc3_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          out[(warp_row + 24 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r + (lane & 7) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 7) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc0_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) auxiliary_1[(warp_row + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc0_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + row < m && warp_column + column < n) out[(warp_row + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r + (lane & 7) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 7) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc1_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) auxiliary_1[(warp_row + 8 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc1_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 8 + row < m && warp_column + column < n) out[(warp_row + 8 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r + (lane & 7) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 7) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc2_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 16 + row < m && warp_column + column < n) auxiliary_1[(warp_row + 16 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc2_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 16 + row < m && warp_column + column < n) out[(warp_row + 16 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r + (lane & 7) * 4;
          bias_0_held[r] = warp_column + column < n ? bias_0[warp_column + r + (lane & 7) * 4] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          auxiliary_1_held[r] = (acc3_0[r] + bias_0_held[r & 3]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 24 + row < m && warp_column + column < n) auxiliary_1[(warp_row + 24 + row) * auxiliary_1_row + warp_column + column] = auxiliary_1_held[r];
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = acc3_0[r] + bias_0_held[r & 3];
          result[r] = ((0.5f * v0) * (1.0f + erf((v0 * 0.70710677f))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 2) + (lane >> 3) * 4;
          const int column = (r & 3) + (lane & 7) * 4;
          if (warp_row + 24 + row < m && warp_column + column < n) out[(warp_row + 24 + row) * out_row + warp_column + column] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
    }
  }
}
