// tracea: attention causal bf16
// variant        sycl.chained.dpas_bf16 for pvc
// configuration  128x16x128 s2 w8 va8 vb8 vc8
// schedule       ceb40d1a0845db20fffcdc0826ebc213dfb75f60a9c999f050ea1907439f8864
// certificate    10228e5a2d74f6ef6172ed1def21c58b38f30d0f56342766ad32593f8a21f613: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// q: bf16, read, aligned to 16 bytes
// k_matrix: bf16, read, aligned to 16 bytes
// v: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 128 by 8
// k: columns of q and k; 0 to 128 by 8
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 8
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 8
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 8
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 8
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 8
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 8
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// window_right: keys behind the diagonal that are seen; 0 to 2147479552
// q_tile: shared of bf16, outer 128 = 32*512 + 2 bits, k 128 = 7 bits, atom 2^9 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of bf16, k 128 = 4*512 + 5 bits, outer 16 = 4 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of bf16, k 16 = 4*512 + 2 bits, outer 128 = 7 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * items blocks of 128 threads, clusters of 1, 49152 bytes of shared memory
__attribute__((reqd_work_group_size(128, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void attention_causal_bf16_128x16x128_24c256f8(
    __global const bf16* restrict q,
    __global const bf16* restrict k_matrix,
    __global const bf16* restrict v,
    __global bf16* restrict out,
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
    int window_right) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[49152] __attribute__((aligned(16)));
  __local bf16* const q_tile = (__local bf16*)(shared + 0);
  __local bf16* const k_tile = (__local bf16*)(shared + 32768);
  __local bf16* const v_tile = (__local bf16*)(shared + 40960);
  // warp: warp x 8
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    uint4 q_tile_fetched0;  // 1x128 bf16 of the warp
    uint4 k_tile_fetched0;  // 4x32 bf16 of the warp
    uint4 k_tile_fetched1;  // 4x32 bf16 of the warp
    uint4 v_tile_fetched0;  // 128x1 bf16 of the warp
    uint4 v_tile_fetched1;  // 128x1 bf16 of the warp
    float8 sum0_0;  // 16x8 fp32 of the warp
    float8 sum0_1;  // 16x8 fp32 of the warp
    float8 sum0_2;  // 16x8 fp32 of the warp
    float8 sum0_3;  // 16x8 fp32 of the warp
    float8 sum0_4;  // 16x8 fp32 of the warp
    float8 sum0_5;  // 16x8 fp32 of the warp
    float8 sum0_6;  // 16x8 fp32 of the warp
    float8 sum0_7;  // 16x8 fp32 of the warp
    float8 sum0_8;  // 16x8 fp32 of the warp
    float8 sum0_9;  // 16x8 fp32 of the warp
    float8 sum0_10;  // 16x8 fp32 of the warp
    float8 sum0_11;  // 16x8 fp32 of the warp
    float8 sum0_12;  // 16x8 fp32 of the warp
    float8 sum0_13;  // 16x8 fp32 of the warp
    float8 sum0_14;  // 16x8 fp32 of the warp
    float8 sum0_15;  // 16x8 fp32 of the warp
    float8 score0_0;  // 16x8 fp32 of the warp
    float8 score0_1;  // 16x8 fp32 of the warp
    uint8 q0;  // 16x16 bf16 of the warp
    uint8 weights0;  // 16x16 bf16 of the warp
    float8 total0;  // 16x8 fp32 of the warp
    float top0[1];  // 16x1 fp32 of the warp
    float shift0[1];  // 16x1 fp32 of the warp
    float8 part;  // 16x8 fp32 of the warp
    float found[1];  // 16x1 fp32 of the warp
    float correction[1];  // 16x1 fp32 of the warp
    uint4 right_operand;  // 16x8 bf16 of the warp
    uint4 piece0;  // 16x8 bf16 of the warp
    uint4 piece1;  // 16x8 bf16 of the warp
    uint4 result;  // 16x8 bf16 of the warp
    const int row_tiles = (m + 127) / 128;
    const int row0 = (row_tiles - 1 - block % row_tiles) * 128;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 16;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (max(min(min(row0 + 128, m) + diagonal + window_right, keys), 0) + 15) / 16;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_2[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_3[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_4[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_5[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_6[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_7[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_8[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_9[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_10[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_11[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_12[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_13[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_14[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_15[r] = 0.0f;
    }
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[(warp >> 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 8, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 16, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 4) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 24, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 6) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 32, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 8) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 40, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 10) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 48, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 12) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 56, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 14) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 64, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 16) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 72, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 18) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 80, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 20) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 88, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 22) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 96, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 24) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 104, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 26) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 112, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 28) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 120, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 30) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (warp / 4 * 32 + column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp % 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + (i64)(warp / 4) * 32 + column]);
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if ((warp / 4 + 2) * 32 + column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp % 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + (i64)(warp / 4 + 2) * 32 + column]);
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp < keys) v_tile_fetched0 = load_4(&v[sequence * v_batch + kv_head * v_head + warp * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
        else { v_tile_fetched0[0] = 0; v_tile_fetched0[1] = 0; v_tile_fetched0[2] = 0; v_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane * 8;
        if (warp + 8 < keys) v_tile_fetched1 = load_4(&v[sequence * v_batch + kv_head * v_head + (warp + 8) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
        else { v_tile_fetched1[0] = 0; v_tile_fetched1[1] = 0; v_tile_fetched1[2] = 0; v_tile_fetched1[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        k_tile[warp / 4 * 512 + (column * 16 ^ (column >> 1 & 1) * 8 ^ (column >> 3 & 1) * 16 ^ (column >> 4) * 8 ^ warp % 4 * 4 + row)] = part16(k_tile_fetched0[r / 2], (r & 1) * 16);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        k_tile[(warp / 4 + 2) * 512 + (column * 16 ^ (column >> 1 & 1) * 8 ^ (column >> 3 & 1) * 16 ^ (column >> 4) * 8 ^ warp % 4 * 4 + row)] = part16(k_tile_fetched1[r / 2], (r & 1) * 16);
      }
      {
        const int row = lane * 8;
        store_run(&v_tile[(warp >> 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ row)], (uint4)((v_tile_fetched0[0]), (v_tile_fetched0[0 + 1]), (v_tile_fetched0[0 + 2]), (v_tile_fetched0[0 + 3])));
      }
      {
        const int row = lane * 8;
        store_run(&v_tile[((warp >> 2) + 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ row)], (uint4)((v_tile_fetched1[0]), (v_tile_fetched1[0 + 1]), (v_tile_fetched1[0 + 2]), (v_tile_fetched1[0 + 3])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if (warp / 4 * 32 + column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 16 + (i64)(warp % 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + (i64)(warp / 4) * 32 + column]);
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if ((warp / 4 + 2) * 32 + column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 16 + (i64)(warp % 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + (i64)(warp / 4 + 2) * 32 + column]);
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane * 8;
          if ((key_block + 1) * 16 + warp < keys) v_tile_fetched0 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 16 + warp) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
          else { v_tile_fetched0[0] = 0; v_tile_fetched0[1] = 0; v_tile_fetched0[2] = 0; v_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane * 8;
          if ((key_block + 1) * 16 + warp + 8 < keys) v_tile_fetched1 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 16 + warp + 8) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
          else { v_tile_fetched1[0] = 0; v_tile_fetched1[1] = 0; v_tile_fetched1[2] = 0; v_tile_fetched1[3] = 0; }
        }
      }
      const int key0 = key_block * 16;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 128; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&q_tile[(warp * 4 + (lane >> 2)) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ k_inner + r)]); q0[r / 2] = (run.s0); q0[r / 2 + 1] = (run.s1); q0[r / 2 + 2] = (run.s2); q0[r / 2 + 3] = (run.s3); }
        }
        {
          right_operand = load_4(&k_tile[key_block % 2 * 2048 + (k_inner >> 5) * 512 + ((k_inner & 0x1f) * 16 + lane * 16 ^ (lane >> 1 & 1) * 8 ^ (lane >> 3) * 16 ^ (k_inner >> 4 & 1) * 8)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_0, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 2048 + (k_inner >> 5) * 512 + ((k_inner & 0x1f) * 16 + lane * 16 ^ (lane >> 1 & 1) * 8 ^ (lane >> 3) * 16 ^ (k_inner >> 4 & 1) * 8 ^ 8)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_1, right_operand, q0);
      }
      if (key0 + 15 < keys && key0 + 15 < warp_row + diagonal + window_right + 1) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = min(keys, warp_row + lane + diagonal + window_right + 1) - key0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(r < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(8 + r < keys_stop0[0])) score0_1[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(score0_0[r], score0_1[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 8; ++r) {
          folded = maximum(folded, part[r]);
        }
        found[0] = folded;
      }
      {
        found[0] = maximum(found[0], top0[0]);
      }
      {
        const float v0 = found[0];
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.088388346f));
      }
      {
        correction[0] = exp(((top0[0] * 0.088388346f) - shift0[0]));
      }
      top0[0] = found[0];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_2[r] = (sum0_2[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_3[r] = (sum0_3[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_4[r] = (sum0_4[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_5[r] = (sum0_5[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_6[r] = (sum0_6[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_7[r] = (sum0_7[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_8[r] = (sum0_8[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_9[r] = (sum0_9[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_10[r] = (sum0_10[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_11[r] = (sum0_11[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_12[r] = (sum0_12[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_13[r] = (sum0_13[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_14[r] = (sum0_14[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_15[r] = (sum0_15[r] * correction[0]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp(((score0_0[r] * 0.088388346f) - shift0[0])), exp(((score0_0[r + 1] * 0.088388346f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_bf16(exp(((score0_1[r] * 0.088388346f) - shift0[0])), exp(((score0_1[r + 1] * 0.088388346f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece1[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      weights0[2] = piece0[2];
      weights0[3] = piece0[3];
      weights0[4] = piece1[0];
      weights0[5] = piece1[1];
      weights0[6] = piece1[2];
      weights0[7] = piece1[3];
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_0, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 8)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_1, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 16)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_2, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 24)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_3, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 32)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_4, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 40)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_5, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 48)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_6, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 56)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_7, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 64)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_8, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 72)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_9, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 80)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_10, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 88)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_11, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 96)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_12, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 104)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_13, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 112)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_14, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 2048 + (lane >> 2) * 512 + ((lane & 3) * 8 ^ (lane & 3) * 128 ^ 120)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_15, right_operand, weights0);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          k_tile[(key_block + 1) % 2 * 2048 + warp / 4 * 512 + (column * 16 ^ (column >> 1 & 1) * 8 ^ (column >> 3 & 1) * 16 ^ (column >> 4) * 8 ^ warp % 4 * 4 + row)] = part16(k_tile_fetched0[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          k_tile[(key_block + 1) % 2 * 2048 + (warp / 4 + 2) * 512 + (column * 16 ^ (column >> 1 & 1) * 8 ^ (column >> 3 & 1) * 16 ^ (column >> 4) * 8 ^ warp % 4 * 4 + row)] = part16(k_tile_fetched1[r / 2], (r & 1) * 16);
        }
        {
          const int row = lane * 8;
          store_run(&v_tile[(key_block + 1) % 2 * 2048 + (warp >> 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ row)], (uint4)((v_tile_fetched0[0]), (v_tile_fetched0[0 + 1]), (v_tile_fetched0[0 + 2]), (v_tile_fetched0[0 + 3])));
        }
        {
          const int row = lane * 8;
          store_run(&v_tile[(key_block + 1) % 2 * 2048 + ((warp >> 2) + 2) * 512 + ((warp & 3) * 8 ^ (warp & 3) * 128 ^ row)], (uint4)((v_tile_fetched1[0]), (v_tile_fetched1[0 + 1]), (v_tile_fetched1[0 + 2]), (v_tile_fetched1[0 + 3])));
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // slot_written
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 8; ++r) {
        folded = folded + total0[r];
      }
      found[0] = folded;
    }
    {
      const float v0 = found[0];
      correction[0] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_0[r] * correction[0]), (sum0_0[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m) store_run(&out[out_at + out_row * (warp_row + lane)], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_1[r] * correction[0]), (sum0_1[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 8 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 8], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_2[r] * correction[0]), (sum0_2[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 16 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 16], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_3[r] * correction[0]), (sum0_3[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 24 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 24], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_4[r] * correction[0]), (sum0_4[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 32 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 32], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_5[r] * correction[0]), (sum0_5[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 40 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 40], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_6[r] * correction[0]), (sum0_6[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 48 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 48], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_7[r] * correction[0]), (sum0_7[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 56 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 56], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_8[r] * correction[0]), (sum0_8[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 64 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 64], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_9[r] * correction[0]), (sum0_9[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 72 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 72], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_10[r] * correction[0]), (sum0_10[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 80 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 80], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_11[r] * correction[0]), (sum0_11[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 88 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 88], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_12[r] * correction[0]), (sum0_12[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 96 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 96], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_13[r] * correction[0]), (sum0_13[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 104 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 104], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_14[r] * correction[0]), (sum0_14[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 112 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 112], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_bf16((sum0_15[r] * correction[0]), (sum0_15[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 120 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 120], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
  }
}
