// tracea: matmul int8 -> int32
// variant        sycl.contraction.dpas_int8 for dg2
// configuration  32x32x64 s2 grouped g4 va16 vb16
// schedule       80d51c12fa618be5dc9e5d676d6e7d907c8628c206ee9dcc320f82e73145c2a9
// certificate    cccfc0fb316b7abdd3c5e089c7f3903472c3f6be8e56f09879b29ed52a37c7fb: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void dpas_sg8_8x8x32_int8(__private int8* sums, uint8 a, uint8 b) { *sums = intel_sub_group_i8_i8_matrix_mad_k32(as_int8(a), as_int8(b), *sums); }

// a: int8, read, aligned to 16 bytes
// b: int8, read, aligned to 16 bytes
// out: int32, write, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552 by 16
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 16
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 16
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of int8, outer 32 = 32*64, k 64 = 6 bits, atom 2^6, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of int8, outer 32 = 8*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * ((n + 31) // 32) blocks of 32 threads, clusters of 1, 8192 bytes of shared memory
__attribute__((reqd_work_group_size(32, 1, 1)))
SUB_GROUPS_OF(8)
__kernel void matmul_int8_int32_32x32x64_197351c6(
    __global const char* restrict a,
    __global const char* restrict b,
    __global int* restrict out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[8192] __attribute__((aligned(16)));
  __local char* const a_tile = (__local char*)(shared + 0);
  __local char* const b_tile = (__local char*)(shared + 4096);
  // warp: warp x 4
  {
    const int lane = thread % 8;
    const int warp = thread / 8;
    int8 acc0_0;  // 8x8 int32 of the warp
    int8 acc0_1;  // 8x8 int32 of the warp
    int8 acc1_0;  // 8x8 int32 of the warp
    int8 acc1_1;  // 8x8 int32 of the warp
    uint8 a0;  // 8x32 int8 of the warp
    uint8 a1;  // 8x32 int8 of the warp
    uint8 b0;  // 32x8 int8 of the warp
    uint8 b1;  // 32x8 int8 of the warp
    uint4 a_tile_fetched0;  // 2x64 int8 of the warp
    uint4 a_tile_fetched1;  // 2x64 int8 of the warp
    uint4 a_tile_fetched2;  // 2x64 int8 of the warp
    uint4 a_tile_fetched3;  // 2x64 int8 of the warp
    uint4 b_tile_fetched0;  // 2x64 int8 of the warp
    uint4 b_tile_fetched1;  // 2x64 int8 of the warp
    uint4 b_tile_fetched2;  // 2x64 int8 of the warp
    uint4 b_tile_fetched3;  // 2x64 int8 of the warp
    int8 result;  // 8x8 int32 of the warp
    const int depth = k;
    const int k_steps = (depth + 63) / 64;
    const int whole_steps = depth / 64;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 31) / 32;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 4);
      const int band_rows = min(tile_rows - band * 4, 4);
      const int in_band = tile - band * 4 * tile_columns;
      const int row0 = (band * 4 + floor_modulo(in_band, band_rows)) * 32;
      const int column0 = floor_divide(in_band, band_rows) * 32;
      const int warp_row = row0 + warp / 2 * 16;
      const int warp_column = column0 + warp % 2 * 16;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc1_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc1_1[r] = 0;
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) a_tile_fetched2 = load_4(&a[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) a_tile_fetched3 = load_4(&a[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * a_row + column]);
        else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) b_tile_fetched0 = load_4(&b[column + min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) b_tile_fetched1 = load_4(&b[column + min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) b_tile_fetched2 = load_4(&b[column + min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; b_tile_fetched2[2] = 0; b_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) b_tile_fetched3 = load_4(&b[column + min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; b_tile_fetched3[2] = 0; b_tile_fetched3[3] = 0; }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // tile_done
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&a_tile[(warp * 2 + row) * 64 + column], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&a_tile[((warp + 4) * 2 + row) * 64 + column], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&a_tile[((warp + 8) * 2 + row) * 64 + column], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&a_tile[((warp + 12) * 2 + row) * 64 + column], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&b_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 16 + row * 16 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&b_tile[((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 16 + row * 16 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&b_tile[((warp + 8) * 2 >> 2) * 256 + (((warp + 8) * 2 & 3) * 16 + row * 16 ^ ((warp + 8) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]), (b_tile_fetched2[0 + 2]), (b_tile_fetched2[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        store_run(&b_tile[((warp + 12) * 2 >> 2) * 256 + (((warp + 12) * 2 & 3) * 16 + row * 16 ^ ((warp + 12) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]), (b_tile_fetched3[0 + 2]), (b_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * a_row + 64 + column]);
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * a_row + 64 + column]);
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) a_tile_fetched2 = load_4(&a[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * a_row + 64 + column]);
        else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) a_tile_fetched3 = load_4(&a[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * a_row + 64 + column]);
        else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) b_tile_fetched0 = load_4(&b[64 + column + min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) b_tile_fetched1 = load_4(&b[64 + column + min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) b_tile_fetched2 = load_4(&b[64 + column + min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; b_tile_fetched2[2] = 0; b_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) b_tile_fetched3 = load_4(&b[64 + column + min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * b_column]);
        else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; b_tile_fetched3[2] = 0; b_tile_fetched3[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp * 2 + row) * 64 + column], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 4) * 2 + row) * 64 + column], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 8) * 2 + row) * 64 + column], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 12) * 2 + row) * 64 + column], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 16 + row * 16 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 16 + row * 16 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 8) * 2 >> 2) * 256 + (((warp + 8) * 2 & 3) * 16 + row * 16 ^ ((warp + 8) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]), (b_tile_fetched2[0 + 2]), (b_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 12) * 2 >> 2) * 256 + (((warp + 12) * 2 & 3) * 16 + row * 16 ^ ((warp + 12) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]), (b_tile_fetched3[0 + 2]), (b_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          a_tile_fetched2 = load_4(&a[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          a_tile_fetched3 = load_4(&a[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          b_tile_fetched0 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * b_column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          b_tile_fetched1 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * b_column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          b_tile_fetched2 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * b_column]);
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          b_tile_fetched3 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * b_column]);
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 64; k_inner += 32) {
          #pragma unroll
          for (int r = 0; r < 32; r += 4) {
            const int row = r >> 2;
            const int column = (r & 3) + lane * 4;
            a0[r / 4] = (load_1(&a_tile[k_step % 2 * 2048 + (warp / 2 * 16 + row) * 64 + k_inner + column]));
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 4) {
            const int row = r >> 2;
            const int column = (r & 3) + lane * 4;
            a1[r / 4] = (load_1(&a_tile[k_step % 2 * 2048 + (warp / 2 * 16 + 8 + row) * 64 + k_inner + column]));
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 16) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 2 * 4 + (lane >> 2)) * 256 + ((lane & 3) * 16 ^ (lane & 3) * 64 ^ k_inner + r)]); b0[r / 4] = (run.s0); b0[r / 4 + 1] = (run.s1); b0[r / 4 + 2] = (run.s2); b0[r / 4 + 3] = (run.s3); }
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 16) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 2 * 4 + 2 + (lane >> 2)) * 256 + ((lane & 3) * 16 ^ (lane & 3) * 64 ^ k_inner + r)]); b1[r / 4] = (run.s0); b1[r / 4 + 1] = (run.s1); b1[r / 4 + 2] = (run.s2); b1[r / 4 + 3] = (run.s3); }
          }
          dpas_sg8_8x8x32_int8(&acc0_0, a0, b0);
          dpas_sg8_8x8x32_int8(&acc0_1, a0, b1);
          dpas_sg8_8x8x32_int8(&acc1_0, a1, b0);
          dpas_sg8_8x8x32_int8(&acc1_1, a1, b1);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp * 2 + row) * 64 + column], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 4) * 2 + row) * 64 + column], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 8) * 2 + row) * 64 + column], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&a_tile[(k_step + 1) % 2 * 2048 + ((warp + 12) * 2 + row) * 64 + column], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 16 + row * 16 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 16 + row * 16 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 8) * 2 >> 2) * 256 + (((warp + 8) * 2 & 3) * 16 + row * 16 ^ ((warp + 8) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]), (b_tile_fetched2[0 + 2]), (b_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          store_run(&b_tile[(k_step + 1) % 2 * 2048 + ((warp + 12) * 2 >> 2) * 256 + (((warp + 12) * 2 & 3) * 16 + row * 16 ^ ((warp + 12) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]), (b_tile_fetched3[0 + 2]), (b_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) a_tile_fetched0 = load_4(&a[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
          else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) a_tile_fetched1 = load_4(&a[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
          else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) a_tile_fetched2 = load_4(&a[min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
          else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) a_tile_fetched3 = load_4(&a[min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]);
          else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) b_tile_fetched0 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)warp * 2 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) b_tile_fetched1 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 4) * 2 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) b_tile_fetched2 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 8) * 2 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; b_tile_fetched2[2] = 0; b_tile_fetched2[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) b_tile_fetched3 = load_4(&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 12) * 2 + row, (i64)(n - 1)) * b_column]);
          else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; b_tile_fetched3[2] = 0; b_tile_fetched3[3] = 0; }
        }
        #pragma unroll 2
        for (int k_inner = 0; k_inner < 64; k_inner += 32) {
          #pragma unroll
          for (int r = 0; r < 32; r += 4) {
            const int row = r >> 2;
            const int column = (r & 3) + lane * 4;
            a0[r / 4] = (load_1(&a_tile[k_step % 2 * 2048 + (warp / 2 * 16 + row) * 64 + k_inner + column]));
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 4) {
            const int row = r >> 2;
            const int column = (r & 3) + lane * 4;
            a1[r / 4] = (load_1(&a_tile[k_step % 2 * 2048 + (warp / 2 * 16 + 8 + row) * 64 + k_inner + column]));
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 16) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 2 * 4 + (lane >> 2)) * 256 + ((lane & 3) * 16 ^ (lane & 3) * 64 ^ k_inner + r)]); b0[r / 4] = (run.s0); b0[r / 4 + 1] = (run.s1); b0[r / 4 + 2] = (run.s2); b0[r / 4 + 3] = (run.s3); }
          }
          #pragma unroll
          for (int r = 0; r < 32; r += 16) {
            { const uint4 run = load_4(&b_tile[k_step % 2 * 2048 + (warp % 2 * 4 + 2 + (lane >> 2)) * 256 + ((lane & 3) * 16 ^ (lane & 3) * 64 ^ k_inner + r)]); b1[r / 4] = (run.s0); b1[r / 4 + 1] = (run.s1); b1[r / 4 + 2] = (run.s2); b1[r / 4 + 3] = (run.s3); }
          }
          dpas_sg8_8x8x32_int8(&acc0_0, a0, b0);
          dpas_sg8_8x8x32_int8(&acc0_1, a0, b1);
          dpas_sg8_8x8x32_int8(&acc1_0, a1, b0);
          dpas_sg8_8x8x32_int8(&acc1_1, a1, b1);
        }
      }
      if (warp_row + 15 < m && warp_column + 15 < n) {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        result[2] = acc0_0[2];
        result[3] = acc0_0[3];
        result[4] = acc0_0[4];
        result[5] = acc0_0[5];
        result[6] = acc0_0[6];
        result[7] = acc0_0[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + r) * out_row + warp_column + lane] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        result[2] = acc0_1[2];
        result[3] = acc0_1[3];
        result[4] = acc0_1[4];
        result[5] = acc0_1[5];
        result[6] = acc0_1[6];
        result[7] = acc0_1[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + r) * out_row + warp_column + 8 + lane] = result[r];
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
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 8 + r) * out_row + warp_column + lane] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        result[2] = acc1_1[2];
        result[3] = acc1_1[3];
        result[4] = acc1_1[4];
        result[5] = acc1_1[5];
        result[6] = acc1_1[6];
        result[7] = acc1_1[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[(warp_row + 8 + r) * out_row + warp_column + 8 + lane] = result[r];
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
        for (int r = 0; r < 8; ++r) {
          if (warp_row + r < m && warp_column + lane < n) out[(warp_row + r) * out_row + warp_column + lane] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        result[2] = acc0_1[2];
        result[3] = acc0_1[3];
        result[4] = acc0_1[4];
        result[5] = acc0_1[5];
        result[6] = acc0_1[6];
        result[7] = acc0_1[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + r < m && warp_column + 8 + lane < n) out[(warp_row + r) * out_row + warp_column + 8 + lane] = result[r];
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
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 8 + r < m && warp_column + lane < n) out[(warp_row + 8 + r) * out_row + warp_column + lane] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        result[2] = acc1_1[2];
        result[3] = acc1_1[3];
        result[4] = acc1_1[4];
        result[5] = acc1_1[5];
        result[6] = acc1_1[6];
        result[7] = acc1_1[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (warp_row + 8 + r < m && warp_column + 8 + lane < n) out[(warp_row + 8 + r) * out_row + warp_column + 8 + lane] = result[r];
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
    }
  }
}
