// tracea: attention fp16
// variant        sycl.chained.dpas_fp16 for dg2
// configuration  128x32x64 s2 w16 va8 vb8 vc8
// schedule       d25fe8f265745f2a2f31282ff071973d9e1546291a042cef23bdfc2adfd3220b
// certificate    8a898e346f63c9aa9ad13e31442b63c7f0462a2a4705b3e7ab3c00e7986bc346: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
INLINE void dpas_sg8_8x8x16_fp16(__private float8* sums, uint8 a, uint8 b) { *sums = intel_sub_group_f16_f16_matrix_mad_k16(as_int8(a), as_int8(b), *sums); }

// q: fp16, read, aligned to 16 bytes
// k_matrix: fp16, read, aligned to 16 bytes
// v: fp16, read, aligned to 8 bytes
// out: fp16, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 8 to 64 by 8
// k: columns of q and k; 0 to 64 by 8
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 8
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 8
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 8
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 8
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 8
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// q_tile: shared of fp16, outer 128 = 32*256 + 2 bits, k 64 = 6 bits, atom 2^8 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp16, outer 32 = 32*64, k 64 = 2*32 + 5 bits, atom 2^5, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp16, outer 64 = 2*1024 + 5 bits, k 32 = 5 bits, atom 2^10 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * items blocks of 128 threads, clusters of 1, 32768 bytes of shared memory
__attribute__((reqd_work_group_size(128, 1, 1)))
SUB_GROUPS_OF(8)
__kernel void attention_fp16_128x32x64_87ecca14(
    __global const fp16* restrict q,
    __global const fp16* restrict k_matrix,
    __global const fp16* restrict v,
    __global fp16* restrict out,
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
    i64 out_row) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[32768] __attribute__((aligned(16)));
  __local fp16* const q_tile = (__local fp16*)(shared + 0);
  __local fp16* const k_tile = (__local fp16*)(shared + 16384);
  __local fp16* const v_tile = (__local fp16*)(shared + 24576);
  // warp: warp x 16
  {
    const int lane = thread % 8;
    const int warp = thread / 8;
    uint4 q_tile_fetched0;  // 1x64 fp16 of the warp
    uint4 k_tile_fetched0;  // 1x64 fp16 of the warp
    uint4 k_tile_fetched1;  // 1x64 fp16 of the warp
    uint8 v_tile_fetched;  // 32x4 fp16 of the warp
    uint8 v_tile_fetched_turned;  // 32x4 fp16 of the warp
    float8 sum0_0;  // 8x8 fp32 of the warp
    float8 sum0_1;  // 8x8 fp32 of the warp
    float8 sum0_2;  // 8x8 fp32 of the warp
    float8 sum0_3;  // 8x8 fp32 of the warp
    float8 sum0_4;  // 8x8 fp32 of the warp
    float8 sum0_5;  // 8x8 fp32 of the warp
    float8 sum0_6;  // 8x8 fp32 of the warp
    float8 sum0_7;  // 8x8 fp32 of the warp
    float8 score0_0;  // 8x8 fp32 of the warp
    float8 score0_1;  // 8x8 fp32 of the warp
    float8 score0_2;  // 8x8 fp32 of the warp
    float8 score0_3;  // 8x8 fp32 of the warp
    uint8 q0;  // 8x16 fp16 of the warp
    uint8 weights0;  // 8x16 fp16 of the warp
    float8 total0;  // 8x8 fp32 of the warp
    float top0[1];  // 8x1 fp32 of the warp
    float shift0[1];  // 8x1 fp32 of the warp
    float8 part;  // 8x8 fp32 of the warp
    float found[1];  // 8x1 fp32 of the warp
    float correction[1];  // 8x1 fp32 of the warp
    uint8 right_operand;  // 16x8 fp16 of the warp
    uint4 piece0;  // 8x8 fp16 of the warp
    uint4 piece1;  // 8x8 fp16 of the warp
    uint4 result;  // 8x8 fp16 of the warp
    const int row_tiles = (m + 127) / 128;
    const int row0 = block % row_tiles * 128;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 8;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 31) / 32;
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
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[(warp >> 2) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 16, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 4) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 32, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 8) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 48, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 12) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 64, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 16) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 80, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 20) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 96, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 24) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    {
      const int column = lane * 8;
      if (column < k) q_tile_fetched0 = load_4(&q[sequence * q_batch + head * q_head + min(row0 + warp + 112, m - 1) * q_row + column]);
      else { q_tile_fetched0[0] = 0; q_tile_fetched0[1] = 0; q_tile_fetched0[2] = 0; q_tile_fetched0[3] = 0; }
    }
    {
      const int column = lane * 8;
      store_run(&q_tile[((warp >> 2) + 28) * 256 + ((warp & 3) * 8 ^ (warp & 3) * 64 ^ column)], (uint4)((q_tile_fetched0[0]), (q_tile_fetched0[0 + 1]), (q_tile_fetched0[0 + 2]), (q_tile_fetched0[0 + 3])));
    }
    if (0 < stop_block) {
      {
        const int column = lane * 8;
        if (column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min(warp, keys - 1) * k_matrix_row + column]);
        else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
      }
      {
        const int column = lane * 8;
        if (column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min(warp + 16, keys - 1) * k_matrix_row + column]);
        else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r & 3) + lane * 4;
        const int column = r >> 2;
        if (warp / 2 * 4 + column < keys) { const uint2 run = load_2(&v[sequence * v_batch + kv_head * v_head + ((i64)(warp / 2) * 4 + column) * v_row + min((i64)(warp % 2) * 32 + (i64)lane * 4, (i64)(n - 4)) + (r & 3)]); v_tile_fetched[r / 2] = (run.s0); v_tile_fetched[r / 2 + 1] = (run.s1); }
        else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; }
      }
      {
        const int column = lane * 8;
        store_run(&k_tile[warp * 64 + (column >> 5) * 32 + (column & 0x1f)], (uint4)((k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3])));
      }
      {
        const int column = lane * 8;
        store_run(&k_tile[(warp + 16) * 64 + (column >> 5) * 32 + (column & 0x1f)], (uint4)((k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3])));
      }
      v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[2], 0) << 16;
      v_tile_fetched_turned[1] = part16(v_tile_fetched[4], 0) | (unsigned)part16(v_tile_fetched[6], 0) << 16;
      v_tile_fetched_turned[2] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[2], 16) << 16;
      v_tile_fetched_turned[3] = part16(v_tile_fetched[4], 16) | (unsigned)part16(v_tile_fetched[6], 16) << 16;
      v_tile_fetched_turned[4] = part16(v_tile_fetched[1], 0) | (unsigned)part16(v_tile_fetched[3], 0) << 16;
      v_tile_fetched_turned[5] = part16(v_tile_fetched[5], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
      v_tile_fetched_turned[6] = part16(v_tile_fetched[1], 16) | (unsigned)part16(v_tile_fetched[3], 16) << 16;
      v_tile_fetched_turned[7] = part16(v_tile_fetched[5], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const int row = (r >> 2) + lane * 4;
        const int column = r & 3;
        store_run(&v_tile[warp % 2 * 1024 + (row * 32 ^ (row >> 2) * 4 ^ warp / 2 * 4 + column)], (uint2)((v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1])));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // first_written
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int column = lane * 8;
          if (column < k) k_tile_fetched0 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + warp, (i64)(keys - 1)) * k_matrix_row + column]);
          else { k_tile_fetched0[0] = 0; k_tile_fetched0[1] = 0; k_tile_fetched0[2] = 0; k_tile_fetched0[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (column < k) k_tile_fetched1 = load_4(&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 32 + warp + 16, (i64)(keys - 1)) * k_matrix_row + column]);
          else { k_tile_fetched1[0] = 0; k_tile_fetched1[1] = 0; k_tile_fetched1[2] = 0; k_tile_fetched1[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          if ((key_block + 1) * 32 + warp / 2 * 4 + column < keys) { const uint2 run = load_2(&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 32 + (i64)(warp / 2) * 4 + column) * v_row + min((i64)(warp % 2) * 32 + (i64)lane * 4, (i64)(n - 4)) + (r & 3)]); v_tile_fetched[r / 2] = (run.s0); v_tile_fetched[r / 2 + 1] = (run.s1); }
          else { v_tile_fetched[r / 2] = 0; v_tile_fetched[r / 2 + 1] = 0; }
        }
      }
      const int key0 = key_block * 32;
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
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; k_inner += 16) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = load_4(&q_tile[(warp * 2 + (lane >> 2)) * 256 + ((lane & 3) * 8 ^ (lane & 3) * 64 ^ k_inner + r)]); q0[r / 2] = (run.s0); q0[r / 2 + 1] = (run.s1); q0[r / 2 + 2] = (run.s2); q0[r / 2 + 3] = (run.s3); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          right_operand[r / 2] = (load_1(&k_tile[key_block % 2 * 2048 + column * 64 + (k_inner >> 5) * 32 + (k_inner & 0x1f) + row]));
        }
        dpas_sg8_8x8x16_fp16(&score0_0, right_operand, q0);
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          right_operand[r / 2] = (load_1(&k_tile[key_block % 2 * 2048 + (8 + column) * 64 + (k_inner >> 5) * 32 + (k_inner & 0x1f) + row]));
        }
        dpas_sg8_8x8x16_fp16(&score0_1, right_operand, q0);
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          right_operand[r / 2] = (load_1(&k_tile[key_block % 2 * 2048 + (16 + column) * 64 + (k_inner >> 5) * 32 + (k_inner & 0x1f) + row]));
        }
        dpas_sg8_8x8x16_fp16(&score0_2, right_operand, q0);
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          const int row = (r & 1) + lane * 2;
          const int column = r >> 1;
          right_operand[r / 2] = (load_1(&k_tile[key_block % 2 * 2048 + (24 + column) * 64 + (k_inner >> 5) * 32 + (k_inner & 0x1f) + row]));
        }
        dpas_sg8_8x8x16_fp16(&score0_3, right_operand, q0);
      }
      if (key0 + 31 < keys) {
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
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(maximum(maximum(score0_0[r], score0_1[r]), score0_2[r]), score0_3[r]);
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
        piece0[r / 2] = pair_fp16(exp(((score0_0[r] * 0.125f) - shift0[0])), exp(((score0_0[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_fp16(exp(((score0_1[r] * 0.125f) - shift0[0])), exp(((score0_1[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece1[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      weights0[2] = piece0[2];
      weights0[3] = piece0[3];
      weights0[4] = piece1[0];
      weights0[5] = piece1[1];
      weights0[6] = piece1[2];
      weights0[7] = piece1[3];
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_0, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 8 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ 16 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_2, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 24 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_3, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_4, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 8 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_5, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ 16 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_6, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 24 + (column >> 2) * 4 ^ row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_7, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece0[r / 2] = pair_fp16(exp(((score0_2[r] * 0.125f) - shift0[0])), exp(((score0_2[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece0[r / 2], (r & 1) * 16)));
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 2) {
        piece1[r / 2] = pair_fp16(exp(((score0_3[r] * 0.125f) - shift0[0])), exp(((score0_3[r + 1] * 0.125f) - shift0[0])));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + from_fp16(part16(piece1[r / 2], (r & 1) * 16)));
      }
      weights0[0] = piece0[0];
      weights0[1] = piece0[1];
      weights0[2] = piece0[2];
      weights0[3] = piece0[3];
      weights0[4] = piece1[0];
      weights0[5] = piece1[1];
      weights0[6] = piece1[2];
      weights0[7] = piece1[3];
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (column * 32 ^ (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_0, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (256 + column * 32 ^ 8 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_1, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (512 + column * 32 ^ 16 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_2, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + (768 + column * 32 ^ 24 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_3, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (column * 32 ^ (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_4, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (256 + column * 32 ^ 8 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_5, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (512 + column * 32 ^ 16 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_6, right_operand, weights0);
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int row = (r & 1) + lane * 2;
        const int column = r >> 1;
        right_operand[r / 2] = (load_1(&v_tile[key_block % 2 * 2048 + 1024 + (768 + column * 32 ^ 24 + (column >> 2) * 4 ^ 16 + row)]));
      }
      dpas_sg8_8x8x16_fp16(&sum0_7, right_operand, weights0);
      if (key_block + 1 < stop_block) {
        {
          const int column = lane * 8;
          store_run(&k_tile[(key_block + 1) % 2 * 2048 + warp * 64 + (column >> 5) * 32 + (column & 0x1f)], (uint4)((k_tile_fetched0[0]), (k_tile_fetched0[0 + 1]), (k_tile_fetched0[0 + 2]), (k_tile_fetched0[0 + 3])));
        }
        {
          const int column = lane * 8;
          store_run(&k_tile[(key_block + 1) % 2 * 2048 + (warp + 16) * 64 + (column >> 5) * 32 + (column & 0x1f)], (uint4)((k_tile_fetched1[0]), (k_tile_fetched1[0 + 1]), (k_tile_fetched1[0 + 2]), (k_tile_fetched1[0 + 3])));
        }
        v_tile_fetched_turned[0] = part16(v_tile_fetched[0], 0) | (unsigned)part16(v_tile_fetched[2], 0) << 16;
        v_tile_fetched_turned[1] = part16(v_tile_fetched[4], 0) | (unsigned)part16(v_tile_fetched[6], 0) << 16;
        v_tile_fetched_turned[2] = part16(v_tile_fetched[0], 16) | (unsigned)part16(v_tile_fetched[2], 16) << 16;
        v_tile_fetched_turned[3] = part16(v_tile_fetched[4], 16) | (unsigned)part16(v_tile_fetched[6], 16) << 16;
        v_tile_fetched_turned[4] = part16(v_tile_fetched[1], 0) | (unsigned)part16(v_tile_fetched[3], 0) << 16;
        v_tile_fetched_turned[5] = part16(v_tile_fetched[5], 0) | (unsigned)part16(v_tile_fetched[7], 0) << 16;
        v_tile_fetched_turned[6] = part16(v_tile_fetched[1], 16) | (unsigned)part16(v_tile_fetched[3], 16) << 16;
        v_tile_fetched_turned[7] = part16(v_tile_fetched[5], 16) | (unsigned)part16(v_tile_fetched[7], 16) << 16;
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = (r >> 2) + lane * 4;
          const int column = r & 3;
          store_run(&v_tile[(key_block + 1) % 2 * 2048 + warp % 2 * 1024 + (row * 32 ^ (row >> 2) * 4 ^ warp / 2 * 4 + column)], (uint2)((v_tile_fetched_turned[r / 2]), (v_tile_fetched_turned[r / 2 + 1])));
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
      result[r / 2] = pair_fp16((sum0_0[r] * correction[0]), (sum0_0[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m) store_run(&out[out_at + out_row * (warp_row + lane)], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_1[r] * correction[0]), (sum0_1[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 8 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 8], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_2[r] * correction[0]), (sum0_2[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 16 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 16], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_3[r] * correction[0]), (sum0_3[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 24 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 24], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_4[r] * correction[0]), (sum0_4[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 32 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 32], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_5[r] * correction[0]), (sum0_5[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 40 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 40], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_6[r] * correction[0]), (sum0_6[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 48 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 48], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 2) {
      result[r / 2] = pair_fp16((sum0_7[r] * correction[0]), (sum0_7[r + 1] * correction[0]));
    }
    {
      if (warp_row + lane < m && 56 < n) store_run(&out[out_at + out_row * (warp_row + lane) + 56], (uint4)((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
    }
  }
}
