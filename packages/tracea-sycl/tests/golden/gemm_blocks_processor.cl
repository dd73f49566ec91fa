// tracea: matmul fp32
// variant        sycl.contraction.vectors_fp32 for opencl
// configuration  6x16x4 s1 w1 kb64 rows-packed
// schedule       bfa3b347b1c1c3b6ec967bdbedebd1db8371755f2e341c1a43b348992356d16f
// certificate    be256474aedab8b2b8df3166f6100c16a4e876777f4397f7049e133ba98eac37: structure, domains, types, layouts, lanes, registers, meaning

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

// Functions of vectors, which the language has for scalars alone.
#define OF_VECTORS(type) \
  INLINE type maximum(type x, type y) { return select(y, x, (x > y) | isnan(x)); } \
  INLINE type minimum(type x, type y) { return select(y, x, (x < y) | isnan(x)); }
OF_VECTORS(float4)
OF_VECTORS(float8)
OF_VECTORS(float16)

// a: fp32, read, aligned to 4 bytes
// b: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// m: rows of the output; 0 to 4611686018427387904
// n: columns of the output; 0 to 4611686018427387904
// k: length of the reduction; 0 to 4611686018427387904
// a_column: a: next column; -4611686018427387904 to 4611686018427387904
// b_column: b: next column; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
// column_splits: parts that each item's columns are cut into; 1 to 4611686018427387904
// row_blocks: blocks that the rows of a part are cut into; 1 to 4611686018427387904
// k_blocks: blocks that the reduction is cut into; 1 to 4611686018427387904
// panel: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, ((n + 15) // 16 + column_splits - 1) // column_splits * (((k + 7) // 8 + k_blocks - 1) // k_blocks * 8) times, kept for a tile_column, aligned to 64 bytes
// rows: panel of fp32, column 24 = 24*1, ((((m + 5) // 6 + 3) // 4 + row_splits - 1) // row_splits + row_blocks - 1) // row_blocks * (((k + 7) // 8 + k_blocks - 1) // k_blocks * 8) times, kept for a tile, aligned to 64 bytes
// sums: panel of fp32, row 6 = 6*16, column 16 = 16*1, (((m + 5) // 6 + 3) // 4 + row_splits - 1) // row_splits * 4 * (((n + 15) // 16 + column_splits - 1) // column_splits) times, kept for a tile_column, aligned to 64 bytes
// launch: workers blocks of 1 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(1, 1, 1)))
__attribute__((vec_type_hint(float8)))
__kernel void matmul_fp32_6x16x4_197630d4(
    __global const float* restrict a,
    __global const float* restrict b,
    __global float* restrict out,
    i64 m,
    i64 n,
    i64 k,
    i64 a_column,
    i64 b_column,
    i64 out_row,
    i64 row_splits,
    i64 column_splits,
    i64 row_blocks,
    i64 k_blocks,
    __global float* restrict panel_of_all,
    __global float* restrict rows_of_all,
    __global float* restrict sums_of_all) {
  const int block = get_group_id(0), blocks = get_num_groups(0);
  const i64 worker = block, workers = blocks;
  __global float* const panel_own = panel_of_all + worker * ((((n + 15) / 16 + column_splits - 1) / column_splits * (((k + 7) / 8 + k_blocks - 1) / k_blocks * 8) * 64 + 63) / 64 * 16);
  __global float* const rows_own = rows_of_all + worker * ((((((m + 5) / 6 + 3) / 4 + row_splits - 1) / row_splits + row_blocks - 1) / row_blocks * (((k + 7) / 8 + k_blocks - 1) / k_blocks * 8) * 96 + 63) / 64 * 16);
  __global float* const sums_own = sums_of_all + worker * (((((m + 5) / 6 + 3) / 4 + row_splits - 1) / row_splits * 4 * (((n + 15) / 16 + column_splits - 1) / column_splits) * 384 + 63) / 64 * 16);
  float8 acc[12];  // 6x16 fp32 of the worker
  float8 b_held[2];  // 1x16 fp32 of the worker
  float8 a_held[6];  // 6x1 fp32 of the worker
  float8 result[12];  // 6x16 fp32 of the worker
  float8 packed[2];  // 1x16 fp32 of the worker
  float8 square[8];  // 8x8 fp32 of the worker
  float8 turned[8];  // 8x8 fp32 of the worker
  float8 packed_rows[3];  // 1x24 fp32 of the worker
  const i64 panels = (n + 15) / 16;
  const i64 row_tiles = (m + 5) / 6;
  const i64 row_groups = ((m + 5) / 6 + 3) / 4;
  const i64 k_groups = (k + 7) / 8;
  const i64 k_rows = ((k + 7) / 8 + k_blocks - 1) / k_blocks * 8;
  const i64 units = row_splits * column_splits;
  #pragma unroll 1
  for (i64 unit = worker * units / workers; unit < (worker + 1) * units / workers; ++unit) {
    const i64 part = unit % column_splits;
    const i64 split = unit / column_splits % row_splits;
    const i64 item = unit / (column_splits * row_splits);
    const i64 first_panel = part * panels / column_splits;
    const i64 last_panel = (part + 1) * panels / column_splits;
    const i64 first_group = split * row_groups / row_splits;
    const i64 last_group = (split + 1) * row_groups / row_splits;
    #pragma unroll 1
    for (i64 k_block = 0; k_block < k_blocks; ++k_block) {
      const i64 k0 = k_block * k_groups / k_blocks * 8;
      const i64 k_count = min((k_block + 1) * k_groups / k_blocks * 8, k) - k0;
      #pragma unroll 1
      for (i64 panel = first_panel; panel < last_panel; ++panel) {
        const i64 column0 = panel * 16;
        #pragma unroll 1
        for (int vector = 0; vector < 2; ++vector) {
          #pragma unroll 1
          for (i64 kk = 0; kk < floor_divide(k_count, (i64)8) * 8; kk += 8) {
            #pragma unroll
            for (int reg = 0; reg < 8; ++reg) {
              turned[reg] = vload8(0, &b[k0 + kk + min(column0 + (i64)vector * 8 + reg, n - 1) * b_column]);
            }
            square[0] = (float8)(turned[0].s0, turned[1].s0, turned[2].s0, turned[3].s0, turned[4].s0, turned[5].s0, turned[6].s0, turned[7].s0);
            square[1] = (float8)(turned[0].s1, turned[1].s1, turned[2].s1, turned[3].s1, turned[4].s1, turned[5].s1, turned[6].s1, turned[7].s1);
            square[2] = (float8)(turned[0].s2, turned[1].s2, turned[2].s2, turned[3].s2, turned[4].s2, turned[5].s2, turned[6].s2, turned[7].s2);
            square[3] = (float8)(turned[0].s3, turned[1].s3, turned[2].s3, turned[3].s3, turned[4].s3, turned[5].s3, turned[6].s3, turned[7].s3);
            square[4] = (float8)(turned[0].s4, turned[1].s4, turned[2].s4, turned[3].s4, turned[4].s4, turned[5].s4, turned[6].s4, turned[7].s4);
            square[5] = (float8)(turned[0].s5, turned[1].s5, turned[2].s5, turned[3].s5, turned[4].s5, turned[5].s5, turned[6].s5, turned[7].s5);
            square[6] = (float8)(turned[0].s6, turned[1].s6, turned[2].s6, turned[3].s6, turned[4].s6, turned[5].s6, turned[6].s6, turned[7].s6);
            square[7] = (float8)(turned[0].s7, turned[1].s7, turned[2].s7, turned[3].s7, turned[4].s7, turned[5].s7, turned[6].s7, turned[7].s7);
            #pragma unroll
            for (int reg = 0; reg < 8; ++reg) {
              vstore8(square[reg], 0, &panel_own[((panel - first_panel) * k_rows + kk + reg) * 16 + vector * 8]);
            }
          }
        }
        #pragma unroll 1
        for (i64 kk = floor_divide(k_count, (i64)8) * 8; kk < k_count; ++kk) {
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            #pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
              const int column = reg * 8 + lane;
              packed[reg][lane] = b[k0 + kk + min(column0 + column, n - 1) * b_column];
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            const int column = reg * 8;
            vstore8(packed[reg], 0, &panel_own[((panel - first_panel) * k_rows + kk) * 16 + (column >> 3) * 8]);
          }
        }
      }
      #pragma unroll 1
      for (i64 row_part = 0; row_part < row_blocks; ++row_part) {
        const i64 block_first = first_group + floor_divide(row_part * (last_group - first_group), row_blocks);
        const i64 block_last = first_group + floor_divide((row_part + 1) * (last_group - first_group), row_blocks);
        #pragma unroll 1
        for (i64 group = block_first; group < block_last; ++group) {
          if (group * 24 + 23 < m) {
            #pragma unroll 1
            for (i64 kk = 0; kk < k_count; ++kk) {
              #pragma unroll
              for (int reg = 0; reg < 3; ++reg) {
                const int column = reg * 8;
                packed_rows[reg] = vload8(0, &a[group * 24 + column + (k0 + kk) * a_column]);
              }
              #pragma unroll
              for (int reg = 0; reg < 3; ++reg) {
                const int column = reg * 8;
                vstore8(packed_rows[reg], 0, &rows_own[((group - block_first) * k_rows + kk) * 24 + column]);
              }
            }
          }
          else {
            #pragma unroll 1
            for (i64 kk = 0; kk < k_count; ++kk) {
              #pragma unroll
              for (int reg = 0; reg < 3; ++reg) {
                for (int lane = 0; lane < 8; ++lane) {
                  const int column = reg * 8 + lane;
                  packed_rows[reg][lane] = group * 24 + column < m ? a[group * 24 + column + (k0 + kk) * a_column] : 0.0f;
                }
              }
              #pragma unroll
              for (int reg = 0; reg < 3; ++reg) {
                const int column = reg * 8;
                vstore8(packed_rows[reg], 0, &rows_own[((group - block_first) * k_rows + kk) * 24 + column]);
              }
            }
          }
        }
        #pragma unroll 1
        for (i64 panel = first_panel; panel < last_panel; ++panel) {
          const i64 column0 = panel * 16;
          #pragma unroll 1
          for (i64 tile = block_first * 4; tile < min(block_last * 4, row_tiles); ++tile) {
            const i64 row0 = tile * 6;
            const i64 rows_first = (floor_divide(tile, (i64)4) - block_first) * k_rows;
            const i64 rows_column = floor_modulo(tile, (i64)4) * 6;
            if (k_block == 0) {
              #pragma unroll
              for (int reg = 0; reg < 12; ++reg) {
                acc[reg] = 0.0f;
              }
            }
            else {
              #pragma unroll
              for (int reg = 0; reg < 12; ++reg) {
                const int row = reg / 2;
                const int column = reg % 2 * 8;
                acc[reg] = vload8(0, &sums_own[((panel - first_panel) * ((last_group - first_group) * 4) + tile - first_group * 4) * 96 + row * 16 + column]);
              }
            }
            #pragma unroll 4
            for (i64 kk = 0; kk < k_count; ++kk) {
              #pragma unroll
              for (int reg = 0; reg < 2; ++reg) {
                const int column = reg * 8;
                b_held[reg] = vload8(0, &panel_own[((panel - first_panel) * k_rows + kk) * 16 + (column >> 3) * 8]);
              }
              #pragma unroll
              for (int reg = 0; reg < 6; ++reg) {
                a_held[reg] = rows_own[(rows_first + kk) * 24 + rows_column + reg];
              }
              #pragma unroll
              for (int i = 0; i < 6; ++i) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                  acc[i * 2 + j] += a_held[i] * b_held[j];
                }
              }
              // hint: what follows stays behind
            }
            if (k_block + 1 == k_blocks) {
              if (row0 + 5 < m && column0 + 15 < n) {
                #pragma unroll
                for (int reg = 0; reg < 12; ++reg) {
                  result[reg] = acc[reg];
                }
                #pragma unroll
                for (int reg = 0; reg < 12; ++reg) {
                  const int row = reg / 2;
                  const int column = reg % 2 * 8;
                  vstore8(result[reg], 0, &out[(row0 + row) * out_row + column0 + column]);
                }
              }
              else {
                #pragma unroll
                for (int reg = 0; reg < 12; ++reg) {
                  result[reg] = acc[reg];
                }
                #pragma unroll
                for (int reg = 0; reg < 12; ++reg) {
                  for (int lane = 0; lane < 8; ++lane) {
                    const int row = reg / 2;
                    const int column = reg % 2 * 8 + lane;
                    if (row0 + row < m && column0 + column < n) out[(row0 + row) * out_row + column0 + column] = result[reg][lane];
                  }
                }
              }
            }
            else {
              #pragma unroll
              for (int reg = 0; reg < 12; ++reg) {
                const int row = reg / 2;
                const int column = reg % 2 * 8;
                vstore8(acc[reg], 0, &sums_own[((panel - first_panel) * ((last_group - first_group) * 4) + tile - first_group * 4) * 96 + row * 16 + column]);
              }
            }
          }
        }
      }
    }
  }
}
