// tracea: attention masked by uint8 bf16
// variant        sycl.chained.dpas_bf16 for pvc
// configuration  256x64x64 s2 w16 va8 vb8 vc8
// schedule       86476d7845e91582630551ce91cea21b786ac9b141c4710e2a3ccd1043e453df
// certificate    b250020f857d94021bf73581dca8442bbf54669c8e9558865c447c4c15c4e1c2: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
// score_bias: uint8, read, aligned to 2 bytes
// out: bf16, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 64 by 8
// k: columns of q and k; 0 to 64 by 8
// keys: keys; 0 to 2147479552 by 2
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
// score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904 by 2
// q_tile: shared of bf16, outer 256 = 64*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of bf16, k 64 = 2*2048 + 5 bits, outer 64 = 6 bits, atom 2^11 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of bf16, k 64 = 16*256 + 2 bits, outer 64 = 6 bits, atom 2^8 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 255) // 256 * items blocks of 256 threads, clusters of 1, 65536 bytes of shared memory
__attribute__((reqd_work_group_size(256, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void attention_masked_by_uint8_bf_256x64x64_85b0ee79(
    __global const bf16* restrict q,
    __global const bf16* restrict k_matrix,
    __global const bf16* restrict v,
    __global const uchar* restrict score_bias,
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
    i64 score_bias_batch,
    i64 score_bias_head,
    i64 score_bias_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[65536] __attribute__((aligned(16)));
  __local bf16* const q_tile = (__local bf16*)(shared + 0);
  __local bf16* const k_tile = (__local bf16*)(shared + 32768);
  __local bf16* const v_tile = (__local bf16*)(shared + 49152);
  // warp: warp x 16
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    uint4 q_tile_fetched0;  // 2x64 bf16 of the warp
    uint4 k_tile_fetched0;  // 4x32 bf16 of the warp
    uint4 k_tile_fetched1;  // 4x32 bf16 of the warp
    uint4 v_tile_fetched0;  // 64x2 bf16 of the warp
    uint4 v_tile_fetched1;  // 64x2 bf16 of the warp
    float8 sum0_0;  // 16x8 fp32 of the warp
    float8 sum0_1;  // 16x8 fp32 of the warp
    float8 sum0_2;  // 16x8 fp32 of the warp
    float8 sum0_3;  // 16x8 fp32 of the warp
    float8 sum0_4;  // 16x8 fp32 of the warp
    float8 sum0_5;  // 16x8 fp32 of the warp
    float8 sum0_6;  // 16x8 fp32 of the warp
    float8 sum0_7;  // 16x8 fp32 of the warp
    float8 score0_0;  // 16x8 fp32 of the warp
    float8 score0_1;  // 16x8 fp32 of the warp
    float8 score0_2;  // 16x8 fp32 of the warp
    float8 score0_3;  // 16x8 fp32 of the warp
    float8 score0_4;  // 16x8 fp32 of the warp
    float8 score0_5;  // 16x8 fp32 of the warp
    float8 score0_6;  // 16x8 fp32 of the warp
    float8 score0_7;  // 16x8 fp32 of the warp
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
    uint2 score_bias_held;  // 16x8 uint8 of the warp
    uint4 result;  // 16x8 bf16 of the warp
    const int row_tiles = (m + 255) / 256;
    const int row0 = block % row_tiles * 256;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 16;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 63) / 64;
    i64 bias_at0[1];
    {
      bias_at0[0] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + lane, m - 1) * score_bias_row;
    }
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
    {
      top0[0] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + row * 8 ^ (warp * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 16) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 16) * 2 >> 2) * 256 + (((warp + 16) * 2 & 3) * 8 + row * 8 ^ ((warp + 16) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 32) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 32) * 2 >> 2) * 256 + (((warp + 32) * 2 & 3) * 8 + row * 8 ^ ((warp + 32) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 48) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 48) * 2 >> 2) * 256 + (((warp + 48) * 2 & 3) * 8 + row * 8 ^ ((warp + 48) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 64) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 64) * 2 >> 2) * 256 + (((warp + 64) * 2 & 3) * 8 + row * 8 ^ ((warp + 64) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 80) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 80) * 2 >> 2) * 256 + (((warp + 80) * 2 & 3) * 8 + row * 8 ^ ((warp + 80) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 96) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 96) * 2 >> 2) * 256 + (((warp + 96) * 2 & 3) * 8 + row * 8 ^ ((warp + 96) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 112) * 2 + row, (i64)(m - 1)) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int row = lane >> 3;
      const int column = (lane & 7) * 8;
      store_run(&q_tile[((warp + 112) * 2 >> 2) * 256 + (((warp + 112) * 2 & 3) * 8 + row * 8 ^ ((warp + 112) * 2 & 3) * 64 + row * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]);
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 8;
        if (32 + column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]);
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if (warp * 2 + column < keys) v_tile_fetched0 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
        else { v_tile_fetched0[0] = 0; v_tile_fetched0[1] = 0; v_tile_fetched0[2] = 0; v_tile_fetched0[3] = 0; }
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        if ((warp + 16) * 2 + column < keys) v_tile_fetched1 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 16) * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
        else { v_tile_fetched1[0] = 0; v_tile_fetched1[1] = 0; v_tile_fetched1[2] = 0; v_tile_fetched1[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        k_tile[(column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row] = part16(k_tile_fetched0[r / 2], (r & 1) * 16);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = lane >> 2;
        const int column = r + (lane & 3) * 8;
        k_tile[2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row)] = part16(k_tile_fetched1[r / 2], (r & 1) * 16);
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        store_run(&v_tile[(warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + column * 8 ^ (warp * 2 & 3) * 64 + column * 64 ^ row)], (uint4)((v_tile_fetched0[0]), (v_tile_fetched0[0 + 1]), (v_tile_fetched0[0 + 2]), (v_tile_fetched0[0 + 3])));
      }
      {
        const int row = (lane & 7) * 8;
        const int column = lane >> 3;
        store_run(&v_tile[((warp + 16) * 2 >> 2) * 256 + (((warp + 16) * 2 & 3) * 8 + column * 8 ^ ((warp + 16) * 2 & 3) * 64 + column * 64 ^ row)], (uint4)((v_tile_fetched1[0]), (v_tile_fetched1[0 + 1]), (v_tile_fetched1[0 + 2]), (v_tile_fetched1[0 + 3])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if (column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]);
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 8;
          if (32 + column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]);
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if ((key_block + 1) * 64 + warp * 2 + column < keys) v_tile_fetched0 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)warp * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
          else { v_tile_fetched0[0] = 0; v_tile_fetched0[1] = 0; v_tile_fetched0[2] = 0; v_tile_fetched0[3] = 0; }
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          if ((key_block + 1) * 64 + (warp + 16) * 2 + column < keys) v_tile_fetched1 = load_4(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 16) * 2 + column) * v_row + min((i64)(row / 8) * 8, (i64)(n - 8))]);
          else { v_tile_fetched1[0] = 0; v_tile_fetched1[1] = 0; v_tile_fetched1[2] = 0; v_tile_fetched1[3] = 0; }
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
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_3[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_4[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_5[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_6[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_7[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&q_tile[(warp * 4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ k_inner + r)]); q0[r / 2] = (run.s0); q0[r / 2 + 1] = (run.s1); q0[r / 2 + 2] = (run.s2); q0[r / 2 + 3] = (run.s3); }
        }
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_0, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 8)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_1, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 16)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_2, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 24)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_3, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 32)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_4, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 40)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_5, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 48)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_6, right_operand, q0);
        {
          right_operand = load_4(&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((lane & 3) * 8 ^ (k_inner & 0x1f) * 64 + lane * 64 ^ (k_inner & 0x18) + (lane >> 3) * 8 ^ 56)]);
        }
        dpas_sg16_8x16x16_bf16(&score0_7, right_operand, q0);
      }
      if (key0 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - key0;
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_0[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_0[r]);
      }
      if (key0 + 8 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 8 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 8);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 8 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_1[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_1[r]);
      }
      if (key0 + 16 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 16 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 16);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 16 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_2[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_2[r]);
      }
      if (key0 + 24 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 24 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 24);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 24 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_3[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_3[r]);
      }
      if (key0 + 32 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 32 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 32);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 32 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_4[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_4[r]);
      }
      if (key0 + 40 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 40 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 40);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 40 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_5[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_5[r]);
      }
      if (key0 + 48 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 48 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 48);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 48 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_6[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_6[r]);
      }
      if (key0 + 56 + 7 < keys) {
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 56 + r]));
        }
      }
      else {
        const int last_run = keys - 2 - (key0 + 56);
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          score_bias_held[r / 4] = with16(score_bias_held[r / 4], (r & 3) * 8, load_half(&(score_bias + bias_at0[0])[key0 + 56 + min((i64)(r / 2) * 2, (i64)last_run) + r % 2]));
        }
        mem_fence(CLK_LOCAL_MEM_FENCE);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_7[r] = (((float)(uchar)part8(score_bias_held[r / 4], (r & 3) * 8) == 0.0f) ? -3.4028235e+38f : score0_7[r]);
      }
      if (key0 + 63 < keys) {
      }
      else {
        int keys_stop0[1];
        {
          keys_stop0[0] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(r < keys_stop0[0])) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(8 + r < keys_stop0[0])) score0_1[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(16 + r < keys_stop0[0])) score0_2[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(24 + r < keys_stop0[0])) score0_3[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(32 + r < keys_stop0[0])) score0_4[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(40 + r < keys_stop0[0])) score0_5[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(48 + r < keys_stop0[0])) score0_6[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(56 + r < keys_stop0[0])) score0_7[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(maximum(maximum(maximum(maximum(maximum(maximum(score0_0[r], score0_1[r]), score0_2[r]), score0_3[r]), score0_4[r]), score0_5[r]), score0_6[r]), score0_7[r]);
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
        shift0[0] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      {
        correction[0] = exp(((top0[0] * 0.125f) - shift0[0]));
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
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp(((score0_0[r] * 0.125f) - shift0[0])), exp(((score0_0[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_bf16(exp(((score0_1[r] * 0.125f) - shift0[0])), exp(((score0_1[r + 1] * 0.125f) - shift0[0])));
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
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_0, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 8)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_1, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 16)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_2, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 24)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_3, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 32)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_4, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 40)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_5, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 48)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_6, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (lane >> 2) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 56)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_7, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp(((score0_2[r] * 0.125f) - shift0[0])), exp(((score0_2[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_bf16(exp(((score0_3[r] * 0.125f) - shift0[0])), exp(((score0_3[r + 1] * 0.125f) - shift0[0])));
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
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_0, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 8)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_1, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 16)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_2, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 24)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_3, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 32)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_4, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 40)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_5, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 48)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_6, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (4 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 56)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_7, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp(((score0_4[r] * 0.125f) - shift0[0])), exp(((score0_4[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_bf16(exp(((score0_5[r] * 0.125f) - shift0[0])), exp(((score0_5[r + 1] * 0.125f) - shift0[0])));
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
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_0, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 8)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_1, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 16)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_2, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 24)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_3, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 32)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_4, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 40)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_5, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 48)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_6, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (8 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 56)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_7, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_bf16(exp(((score0_6[r] * 0.125f) - shift0[0])), exp(((score0_6[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_bf16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_bf16(exp(((score0_7[r] * 0.125f) - shift0[0])), exp(((score0_7[r + 1] * 0.125f) - shift0[0])));
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
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_0, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 8)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_1, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 16)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_2, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 24)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_3, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 32)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_4, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 40)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_5, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 48)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_6, right_operand, weights0);
      {
        right_operand = load_4(&v_tile[key_block % 2 * 4096 + (12 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ 56)]);
      }
      dpas_sg16_8x16x16_bf16(&sum0_7, right_operand, weights0);
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          k_tile[(key_block + 1) % 2 * 4096 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row)] = part16(k_tile_fetched0[r / 2], (r & 1) * 16);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int row = lane >> 2;
          const int column = r + (lane & 3) * 8;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + ((column & 3) * 8 ^ column * 64 ^ (column >> 3) * 8 ^ warp * 4 + row)] = part16(k_tile_fetched1[r / 2], (r & 1) * 16);
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + (warp * 2 >> 2) * 256 + ((warp * 2 & 3) * 8 + column * 8 ^ (warp * 2 & 3) * 64 + column * 64 ^ row)], (uint4)((v_tile_fetched0[0]), (v_tile_fetched0[0 + 1]), (v_tile_fetched0[0 + 2]), (v_tile_fetched0[0 + 3])));
        }
        {
          const int row = (lane & 7) * 8;
          const int column = lane >> 3;
          store_run(&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 16) * 2 >> 2) * 256 + (((warp + 16) * 2 & 3) * 8 + column * 8 ^ ((warp + 16) * 2 & 3) * 64 + column * 64 ^ row)], (uint4)((v_tile_fetched1[0]), (v_tile_fetched1[0 + 1]), (v_tile_fetched1[0 + 2]), (v_tile_fetched1[0 + 3])));
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
  }
}
