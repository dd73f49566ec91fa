// tracea: low rank product bf16
// variant        sycl.chained.low_rank_dpas_bf16 for pvc
// configuration  16x128x64 s2 va8 vb8 vc8 kb32
// schedule       859c43ef4d6ac8a4b1a2d9e1083e54853bda3b49bcdff2de82f7804950cb718c
// certificate    b44c8e6d668d4acaa995251f60c39a2d004fc9540e061adc56cbe2c1d2fd8302: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: bf16, read, aligned to 16 bytes
// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// m: rows of x; 0 to 2147479552
// n: columns of b; 0 to 2147479552 by 8
// k: columns of x; 0 to 2147479552 by 8
// keys: columns of a: the rank; 1 to 32 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 8
// b_row: b: next row; -4611686018427387904 to 4611686018427387904 by 8
// column_splits: blocks that share the columns of the output; 1 to 65536
// x_tile: shared of bf16, outer 16 = 4*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// a_tile: shared of bf16, k 64 = 16*128 + 2 bits, outer 32 = 5 bits, atom 2^7 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of bf16, k 32 = 8*512 + 2 bits, outer 128 = 7 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// middle_tile: shared of bf16, row 16 = 16*40, key 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: (m + 15) // 16 * column_splits blocks of 64 threads, clusters of 1, 29936 bytes of shared memory
__attribute__((reqd_work_group_size(64, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void low_rank_product_bf16_16x128x64_228ec76a(
    __global const bf16* restrict x,
    __global const bf16* restrict a,
    __global const bf16* restrict b,
    __global bf16* restrict out,
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
  __local uchar shared[29936] __attribute__((aligned(16)));
  __local bf16* const x_tile = (__local bf16*)(shared + 0);
  __local bf16* const a_tile = (__local bf16*)(shared + 4096);
  __local bf16* const b_tile = (__local bf16*)(shared + 12288);
  __local bf16* const middle_tile = (__local bf16*)(shared + 28672);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float8 acc0_0;  // 16x8 fp32 of the warp
    uint8 a0;  // 16x16 bf16 of the warp
    uint4 b0;  // 16x8 bf16 of the warp
    uint4 x_tile_fetched0;  // 2x64 bf16 of the warp
    uint4 x_tile_fetched1;  // 2x64 bf16 of the warp
    uint4 a_tile_fetched0;  // 32x4 bf16 of the warp
    uint4 a_tile_fetched1;  // 32x4 bf16 of the warp
    uint4 a_tile_fetched2;  // 32x4 bf16 of the warp
    uint4 a_tile_fetched3;  // 32x4 bf16 of the warp
    uint4 b1;  // 16x8 bf16 of the warp
    uint4 b2;  // 16x8 bf16 of the warp
    uint4 b3;  // 16x8 bf16 of the warp
    float8 acc0_1;  // 16x8 fp32 of the warp
    float8 acc0_2;  // 16x8 fp32 of the warp
    float8 acc0_3;  // 16x8 fp32 of the warp
    uint4 b_tile_fetched0;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched1;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched2;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched3;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched4;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched5;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched6;  // 128x1 bf16 of the warp
    uint4 b_tile_fetched7;  // 128x1 bf16 of the warp
    uint4 piece;  // 16x8 bf16 of the warp
    uint4 result;  // 16x8 bf16 of the warp
    const int row_tiles = (m + 15) / 16;
    const int column_tiles = (n + 127) / 128;
    const int tile = block / column_splits;
    const int row0 = tile % row_tiles * 16;
    const int item = tile / row_tiles;
    const int own_column_tiles = (column_tiles + column_splits - 1) / column_splits;
    const int first_column_tile = min(block % column_splits * own_column_tiles, column_tiles);
    const int stop_column_tile = min(first_column_tile + own_column_tiles, column_tiles);
    const int warp_row = row0;
    const int depth = k;
    const int k_steps = (depth + 63) / 64;
    const int whole_steps = depth / 64;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      acc0_0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched0 = load_4(&x[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * x_row + column]);
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < depth) x_tile_fetched1 = load_4(&x[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * x_row + column]);
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (warp * 4 + column < depth) a_tile_fetched0 = load_4(&a[((i64)warp * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if ((warp + 4) * 4 + column < depth) a_tile_fetched1 = load_4(&a[((i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if ((warp + 8) * 4 + column < depth) a_tile_fetched2 = load_4(&a[((i64)(warp + 8) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if ((warp + 12) * 4 + column < depth) a_tile_fetched3 = load_4(&a[((i64)(warp + 12) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // tile_done
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&x_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + row * 8 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&x_tile[((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 8 + row * 8 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3])));
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      store_run(&a_tile[warp * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      store_run(&a_tile[(warp + 4) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      store_run(&a_tile[(warp + 8) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      store_run(&a_tile[(warp + 12) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched0 = load_4(&x[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * x_row + 64 + column]);
      else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (64 + column < depth) x_tile_fetched1 = load_4(&x[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * x_row + 64 + column]);
      else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (64 + warp * 4 + column < depth) a_tile_fetched0 = load_4(&a[(64 + (i64)warp * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (64 + (warp + 4) * 4 + column < depth) a_tile_fetched1 = load_4(&a[(64 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (64 + (warp + 8) * 4 + column < depth) a_tile_fetched2 = load_4(&a[(64 + (i64)(warp + 8) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
    }
    {
      const int row = (lane & 3) * 8;
      const int column = lane >> 2;
      if (64 + (warp + 12) * 4 + column < depth) a_tile_fetched3 = load_4(&a[(64 + (i64)(warp + 12) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
    }
    #pragma unroll 1
    for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        store_run(&x_tile[(k_step + 1) % 2 * 1024 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + row * 8 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        store_run(&x_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 8 + row * 8 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + warp * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 4) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 8) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 12) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched0 = load_4(&x[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 64 + column]);
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        x_tile_fetched1 = load_4(&x[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 64 + column]);
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        a_tile_fetched0 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)warp * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        a_tile_fetched1 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        a_tile_fetched2 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 8) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        a_tile_fetched3 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 12) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&x_tile[k_step % 2 * 1024 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ k_inner + r)]); a0[r / 2] = (run.s0); a0[r / 2 + 1] = (run.s1); a0[r / 2 + 2] = (run.s2); a0[r / 2 + 3] = (run.s3); }
        }
        {
          b0 = load_4(&a_tile[k_step % 2 * 2048 + ((k_inner >> 2) + (lane >> 2)) * 128 + ((lane & 3) * 8 ^ (lane & 3) * 32 ^ warp * 8)]);
        }
        dpas_sg16_8x16x16_bf16(&acc0_0, b0, a0);
      }
    }
    #pragma unroll 1
    for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        store_run(&x_tile[(k_step + 1) % 2 * 1024 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + row * 8 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched0[0]), (x_tile_fetched0[0 + 1]), (x_tile_fetched0[0 + 2]), (x_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        store_run(&x_tile[(k_step + 1) % 2 * 1024 + ((warp + 4) * 2 >> 2) * 256 + (((warp + 4) * 2 & 3) * 8 + row * 8 ^ ((warp + 4) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((x_tile_fetched1[0]), (x_tile_fetched1[0 + 1]), (x_tile_fetched1[0 + 2]), (x_tile_fetched1[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + warp * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 4) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 8) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3])));
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        store_run(&a_tile[(k_step + 1) % 2 * 2048 + (warp + 12) * 128 + (column * 8 ^ column * 32 ^ row)], (uint4)((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched0 = load_4(&x[min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 64 + column]);
        else { x_tile_fetched0[0] = 0; x_tile_fetched0[1] = 0; x_tile_fetched0[2] = 0; x_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 8;
        if ((k_step + 2) * 64 + column < depth) x_tile_fetched1 = load_4(&x[min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * x_row + (i64)(k_step + 2) * 64 + column]);
        else { x_tile_fetched1[0] = 0; x_tile_fetched1[1] = 0; x_tile_fetched1[2] = 0; x_tile_fetched1[3] = 0; }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        if ((k_step + 2) * 64 + warp * 4 + column < depth) a_tile_fetched0 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)warp * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        if ((k_step + 2) * 64 + (warp + 4) * 4 + column < depth) a_tile_fetched1 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 4) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        if ((k_step + 2) * 64 + (warp + 8) * 4 + column < depth) a_tile_fetched2 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 8) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
        else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
      }
      {
        const int row = (lane & 3) * 8;
        const int column = lane >> 2;
        if ((k_step + 2) * 64 + (warp + 12) * 4 + column < depth) a_tile_fetched3 = load_4(&a[((i64)(k_step + 2) * 64 + (i64)(warp + 12) * 4 + column) * a_row + min((i64)(row / 8) * 8, (i64)(keys - 8))]);
        else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&x_tile[k_step % 2 * 1024 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ k_inner + r)]); a0[r / 2] = (run.s0); a0[r / 2 + 1] = (run.s1); a0[r / 2 + 2] = (run.s2); a0[r / 2 + 3] = (run.s3); }
        }
        {
          b0 = load_4(&a_tile[k_step % 2 * 2048 + ((k_inner >> 2) + (lane >> 2)) * 128 + ((lane & 3) * 8 ^ (lane & 3) * 32 ^ warp * 8)]);
        }
        dpas_sg16_8x16x16_bf16(&acc0_0, b0, a0);
      }
    }
    if (31 < keys) {
    }
    else {
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        if (!(warp * 8 + r < keys)) acc0_0[r] = 0.0f;
      }
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      piece[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
    }
    {
      store_run(&middle_tile[lane * 40 + warp * 8], (uint4)((piece[0]), (piece[0 + 1]), (piece[0 + 2]), (piece[0 + 3])));
    }
    if (first_column_tile < stop_column_tile) {
      {
        const int row = lane * 8;
        if (warp < keys) b_tile_fetched0 = load_4(&b[warp * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 4 < keys) b_tile_fetched1 = load_4(&b[(warp + 4) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 8 < keys) b_tile_fetched2 = load_4(&b[(warp + 8) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; b_tile_fetched2[2] = 0; b_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 12 < keys) b_tile_fetched3 = load_4(&b[(warp + 12) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; b_tile_fetched3[2] = 0; b_tile_fetched3[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 16 < keys) b_tile_fetched4 = load_4(&b[(warp + 16) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched4[0] = 0; b_tile_fetched4[1] = 0; b_tile_fetched4[2] = 0; b_tile_fetched4[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 20 < keys) b_tile_fetched5 = load_4(&b[(warp + 20) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched5[0] = 0; b_tile_fetched5[1] = 0; b_tile_fetched5[2] = 0; b_tile_fetched5[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 24 < keys) b_tile_fetched6 = load_4(&b[(warp + 24) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched6[0] = 0; b_tile_fetched6[1] = 0; b_tile_fetched6[2] = 0; b_tile_fetched6[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 28 < keys) b_tile_fetched7 = load_4(&b[(warp + 28) * b_row + min((i64)first_column_tile * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
        else { b_tile_fetched7[0] = 0; b_tile_fetched7[1] = 0; b_tile_fetched7[2] = 0; b_tile_fetched7[3] = 0; }
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 512 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 1024 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]), (b_tile_fetched2[0 + 2]), (b_tile_fetched2[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 1536 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]), (b_tile_fetched3[0 + 2]), (b_tile_fetched3[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 2048 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched4[0]), (b_tile_fetched4[0 + 1]), (b_tile_fetched4[0 + 2]), (b_tile_fetched4[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 2560 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched5[0]), (b_tile_fetched5[0 + 1]), (b_tile_fetched5[0 + 2]), (b_tile_fetched5[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 3072 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched6[0]), (b_tile_fetched6[0 + 1]), (b_tile_fetched6[0 + 2]), (b_tile_fetched6[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&b_tile[first_column_tile % 2 * 4096 + 3584 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched7[0]), (b_tile_fetched7[0 + 1]), (b_tile_fetched7[0 + 2]), (b_tile_fetched7[0 + 3])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // middle_written
    #pragma unroll 1
    for (int column_tile = first_column_tile; column_tile < stop_column_tile; ++column_tile) {
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = lane * 8;
          if (warp < keys) b_tile_fetched0 = load_4(&b[warp * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 4 < keys) b_tile_fetched1 = load_4(&b[(warp + 4) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 8 < keys) b_tile_fetched2 = load_4(&b[(warp + 8) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched2[0] = 0; b_tile_fetched2[1] = 0; b_tile_fetched2[2] = 0; b_tile_fetched2[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 12 < keys) b_tile_fetched3 = load_4(&b[(warp + 12) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched3[0] = 0; b_tile_fetched3[1] = 0; b_tile_fetched3[2] = 0; b_tile_fetched3[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 16 < keys) b_tile_fetched4 = load_4(&b[(warp + 16) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched4[0] = 0; b_tile_fetched4[1] = 0; b_tile_fetched4[2] = 0; b_tile_fetched4[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 20 < keys) b_tile_fetched5 = load_4(&b[(warp + 20) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched5[0] = 0; b_tile_fetched5[1] = 0; b_tile_fetched5[2] = 0; b_tile_fetched5[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 24 < keys) b_tile_fetched6 = load_4(&b[(warp + 24) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched6[0] = 0; b_tile_fetched6[1] = 0; b_tile_fetched6[2] = 0; b_tile_fetched6[3] = 0; }
        }
        {
          const int row = lane * 8;
          if (warp + 28 < keys) b_tile_fetched7 = load_4(&b[(warp + 28) * b_row + min((i64)(column_tile + 1) * 128 + (i64)(row / 8) * 8, (i64)(n - 8))]);
          else { b_tile_fetched7[0] = 0; b_tile_fetched7[1] = 0; b_tile_fetched7[2] = 0; b_tile_fetched7[3] = 0; }
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        acc0_3[r] = 0.0f;
      }
      #pragma unroll 2
      for (int k_inner = 0; k_inner < 32; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&middle_tile[lane * 40 + k_inner + r]); a0[r / 2] = (run.s0); a0[r / 2 + 1] = (run.s1); a0[r / 2 + 2] = (run.s2); a0[r / 2 + 3] = (run.s3); }
        }
        {
          b0 = load_4(&b_tile[column_tile % 2 * 4096 + ((k_inner >> 2) + (lane >> 2)) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ warp * 32)]);
        }
        {
          b1 = load_4(&b_tile[column_tile % 2 * 4096 + ((k_inner >> 2) + (lane >> 2)) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ warp * 32 + 8)]);
        }
        {
          b2 = load_4(&b_tile[column_tile % 2 * 4096 + ((k_inner >> 2) + (lane >> 2)) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ warp * 32 + 16)]);
        }
        {
          b3 = load_4(&b_tile[column_tile % 2 * 4096 + ((k_inner >> 2) + (lane >> 2)) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ warp * 32 + 24)]);
        }
        dpas_sg16_8x16x16_bf16(&acc0_0, b0, a0);
        dpas_sg16_8x16x16_bf16(&acc0_1, b1, a0);
        dpas_sg16_8x16x16_bf16(&acc0_2, b2, a0);
        dpas_sg16_8x16x16_bf16(&acc0_3, b3, a0);
      }
      const int warp_column = column_tile * 128 + warp * 32;
      if (warp_row + 15 < m && warp_column + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        {
          store_run(&out[(warp_row + lane) * out_row + warp_column], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_1[r], acc0_1[r + 1]);
        }
        {
          store_run(&out[(warp_row + lane) * out_row + warp_column + 8], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_2[r], acc0_2[r + 1]);
        }
        {
          store_run(&out[(warp_row + lane) * out_row + warp_column + 16], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_3[r], acc0_3[r + 1]);
        }
        {
          store_run(&out[(warp_row + lane) * out_row + warp_column + 24], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_0[r], acc0_0[r + 1]);
        }
        {
          if (warp_row + lane < m && warp_column < n) store_run(&out[(warp_row + lane) * out_row + warp_column], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_1[r], acc0_1[r + 1]);
        }
        {
          if (warp_row + lane < m && warp_column + 8 < n) store_run(&out[(warp_row + lane) * out_row + warp_column + 8], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_2[r], acc0_2[r + 1]);
        }
        {
          if (warp_row + lane < m && warp_column + 16 < n) store_run(&out[(warp_row + lane) * out_row + warp_column + 16], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(acc0_3[r], acc0_3[r + 1]);
        }
        {
          if (warp_row + lane < m && warp_column + 24 < n) store_run(&out[(warp_row + lane) * out_row + warp_column + 24], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      if (column_tile + 1 < stop_column_tile) {
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 512 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 1024 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched2[0]), (b_tile_fetched2[0 + 1]), (b_tile_fetched2[0 + 2]), (b_tile_fetched2[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 1536 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched3[0]), (b_tile_fetched3[0 + 1]), (b_tile_fetched3[0 + 2]), (b_tile_fetched3[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 2048 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched4[0]), (b_tile_fetched4[0 + 1]), (b_tile_fetched4[0 + 2]), (b_tile_fetched4[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 2560 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched5[0]), (b_tile_fetched5[0 + 1]), (b_tile_fetched5[0 + 2]), (b_tile_fetched5[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 3072 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched6[0]), (b_tile_fetched6[0 + 1]), (b_tile_fetched6[0 + 2]), (b_tile_fetched6[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&b_tile[(column_tile + 1) % 2 * 4096 + 3584 + (warp * 8 ^ warp * 128 ^ row)], (uint4)((b_tile_fetched7[0]), (b_tile_fetched7[0 + 1]), (b_tile_fetched7[0 + 2]), (b_tile_fetched7[0 + 3])));
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
    }
  }
}
