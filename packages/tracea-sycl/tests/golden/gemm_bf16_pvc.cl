// tracea: matmul bf16
// variant        sycl.contraction.dpas_bf16 for pvc
// configuration  64x64x32 s2 grouped w8 g4 va8 vb8
// schedule       258d7436919071d8f10c7b87781f8e77c953e7c3eb0454d9fd55d1932db440f0
// certificate    8f4db553b9f3b4c60cad808cb7ea135510ac47d857ae04e344329c5b39f4ef63: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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

// Matrix instructions of a sub-group: sums += a · b.
INLINE void dpas_sg16_8x16x16_bf16(__private float8* sums, uint4 a, uint8 b) { *sums = intel_sub_group_bf16_bf16_matrix_mad_k16(as_short8(a), as_int8(b), *sums); }

// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 2 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 8
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of bf16, k 32 = 5 bits, outer 64 = 6 bits, atom 2^11 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, outer 64 = 16*128 + 2 bits, k 32 = 5 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 63) // 64 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 16384 bytes of shared memory
__attribute__((reqd_work_group_size(128, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void matmul_bf16_64x64x32_10432c23(
    __global const bf16* restrict a,
    __global const bf16* restrict b,
    __global bf16* restrict out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[16384] __attribute__((aligned(16)));
  __local bf16* const a_tile = (__local bf16*)(shared + 0);
  __local bf16* const b_tile = (__local bf16*)(shared + 8192);
  // warp: warp x 8
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float8 acc0_0;  // 8x16 fp32 of the warp
    float8 acc1_0;  // 8x16 fp32 of the warp
    float8 acc2_0;  // 8x16 fp32 of the warp
    float8 acc3_0;  // 8x16 fp32 of the warp
    uint4 a0;  // 8x16 bf16 of the warp
    uint4 a1;  // 8x16 bf16 of the warp
    uint4 a2;  // 8x16 bf16 of the warp
    uint4 a3;  // 8x16 bf16 of the warp
    uint8 b0;  // 16x16 bf16 of the warp
    uint4 a_tile_fetched0;  // 4x32 bf16 of the warp
    uint4 a_tile_fetched1;  // 4x32 bf16 of the warp
    uint4 b_tile_fetched0;  // 4x32 bf16 of the warp
    uint4 b_tile_fetched1;  // 4x32 bf16 of the warp
    uint4 result;  // 8x16 bf16 of the warp
    const int depth = k;
    const int k_steps = (depth + 31) / 32;
    const int whole_steps = depth / 32;
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
      const int warp_row = row0 + warp / 4 * 32;
      const int warp_column = column0 + warp % 4 * 16;
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
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) b_tile_fetched0 = load_4(&b[column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < depth) b_tile_fetched1 = load_4(&b[column + min(column0 + (i64)(warp + 8) * 4 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // tile_done
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        a_tile[(column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row] = part16(a_tile_fetched0[r / 2], (r & 1) * 16);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        a_tile[(column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ (warp + 8) * 4 + row] = part16(a_tile_fetched1[r / 2], (r & 1) * 16);
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        store_run(&b_tile[warp * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        store_run(&b_tile[(warp + 8) * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + 32 + column]);
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * a_row + 32 + column]);
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) b_tile_fetched0 = load_4(&b[32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < depth) b_tile_fetched1 = load_4(&b[32 + column + min(column0 + (i64)(warp + 8) * 4 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          a_tile[(k_step + 1) % 2 * 2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row)] = part16(a_tile_fetched0[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          a_tile[(k_step + 1) % 2 * 2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ (warp + 8) * 4 + row)] = part16(a_tile_fetched1[r / 2], (r & 1) * 16);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + warp * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + (warp + 8) * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched0 = load_4(&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          b_tile_fetched1 = load_4(&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 8) * 4 + row, (i64)(n - 1)) * b_column]);
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            a0 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32)]);
          }
          {
            a1 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 8)]);
          }
          {
            a2 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 16)]);
          }
          {
            a3 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 24)]);
          }
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 4 * 4 + (lane >> 2)) * 128 + ((lane & 3) * 8 ^ (lane & 3) * 32 ^ k_inner + r)]); b0[r / 2] = (run.s0); b0[r / 2 + 1] = (run.s1); b0[r / 2 + 2] = (run.s2); b0[r / 2 + 3] = (run.s3); }
          }
          dpas_sg16_8x16x16_bf16(&acc0_0, a0, b0);
          dpas_sg16_8x16x16_bf16(&acc1_0, a1, b0);
          dpas_sg16_8x16x16_bf16(&acc2_0, a2, b0);
          dpas_sg16_8x16x16_bf16(&acc3_0, a3, b0);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          a_tile[(k_step + 1) % 2 * 2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row)] = part16(a_tile_fetched0[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          a_tile[(k_step + 1) % 2 * 2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ (warp + 8) * 4 + row)] = part16(a_tile_fetched1[r / 2], (r & 1) * 16);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + warp * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + (warp + 8) * 128 + (row * 8 ^ row * 32 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]);
          else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 8) * 4 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 32 + column]);
          else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) b_tile_fetched0 = load_4(&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)warp * 4 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((k_step + 2) * 32 + column < depth) b_tile_fetched1 = load_4(&b[(i64)(k_step + 2) * 32 + column + min(column0 + (i64)(warp + 8) * 4 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 32; k_inner += 16) {
          {
            a0 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32)]);
          }
          {
            a1 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 8)]);
          }
          {
            a2 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 16)]);
          }
          {
            a3 = load_4(&a_tile[k_step % 2 * 2048 + ((lane & 3) * 8 ^ k_inner * 64 + lane * 64 ^ (k_inner >> 3) * 8 + (lane >> 3) * 8 ^ warp / 4 * 32 + 24)]);
          }
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 4 * 4 + (lane >> 2)) * 128 + ((lane & 3) * 8 ^ (lane & 3) * 32 ^ k_inner + r)]); b0[r / 2] = (run.s0); b0[r / 2 + 1] = (run.s1); b0[r / 2 + 2] = (run.s2); b0[r / 2 + 3] = (run.s3); }
          }
          dpas_sg16_8x16x16_bf16(&acc0_0, a0, b0);
          dpas_sg16_8x16x16_bf16(&acc1_0, a1, b0);
          dpas_sg16_8x16x16_bf16(&acc2_0, a2, b0);
          dpas_sg16_8x16x16_bf16(&acc3_0, a3, b0);
        }
      }
      if (warp_row + 31 < m && warp_column + 15 < n) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 8 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc2_0[r], acc2_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 16 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc3_0[r], acc3_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 24 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + r < m && warp_column + lane < n) out[(warp_row + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc1_0[r], acc1_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 8 + r < m && warp_column + lane < n) out[(warp_row + 8 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc2_0[r], acc2_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 16 + r < m && warp_column + lane < n) out[(warp_row + 16 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc3_0[r], acc3_0[r + 1]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 24 + r < m && warp_column + lane < n) out[(warp_row + 24 + r) * out_row + warp_column + lane] = part16(result[r / 2], (r & 1) * 16);
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
    }
  }
}
