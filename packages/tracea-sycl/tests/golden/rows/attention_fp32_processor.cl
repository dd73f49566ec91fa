// tracea: attention causal fp32
// variant        sycl.chained.vectors_fp32 for opencl
// configuration  2x16x1 s1 w1 kb32
// schedule       0e721eceea1efcbd3c8a7fb712a8552617ffc8243517f6257021b0cc8355f734
// certificate    0f8065e753507560a98c8f341e98acbe6779f21ca309948c5ca9e60c61032b07: structure, domains, types, layouts, lanes, registers, meaning

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

// q: fp32, read, aligned to 4 bytes
// k_matrix: fp32, read, aligned to 4 bytes
// v: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 4611686018427387904
// m: queries; 0 to 4611686018427387904
// n: columns of v; 0 to 4611686018427387904
// k: columns of q and k; 0 to 4611686018427387904
// keys: keys; 0 to 4611686018427387904
// heads: query heads of a sequence; 1 to 4611686018427387904
// group: query heads that share keys; 1 to 4611686018427387904
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904
// q_head: q: next head; -4611686018427387904 to 4611686018427387904
// q_row: q: next row; -4611686018427387904 to 4611686018427387904
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904
// v_head: v: next head; -4611686018427387904 to 4611686018427387904
// v_row: v: next row; -4611686018427387904 to 4611686018427387904
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904
// out_head: out: next head; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// window_right: keys behind the diagonal that are seen; 0 to 4611686018427387904
// row_splits: parts that each item's rows are cut into; 1 to 4611686018427387904
// packed: panel of fp32, column 16 = 2*8 + 3 bits, atom 2^3, (keys + 15) // 16 * k times, kept for a tile_column, aligned to 64 bytes
// scores: panel of fp32, row 2 = 2*32, column 32 = 32*1, kept for a tile, aligned to 64 bytes
// sums: panel of fp32, row 2 = 2*16, column 16 = 16*1, (n + 15) // 16 times, kept for a tile, aligned to 64 bytes
// launch: workers blocks of 1 threads, clusters of 1, 0 bytes of shared memory
__attribute__((reqd_work_group_size(1, 1, 1)))
__attribute__((vec_type_hint(float8)))
__kernel void attention_causal_fp32_2x16x1_1a580447(
    __global const float* restrict q,
    __global const float* restrict k_matrix,
    __global const float* restrict v,
    __global float* restrict out,
    i64 items,
    i64 m,
    i64 n,
    i64 k,
    i64 keys,
    i64 heads,
    i64 group,
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
    i64 window_right,
    i64 row_splits,
    __global float* restrict packed_of_all,
    __global float* restrict scores_of_all,
    __global float* restrict sums_of_all) {
  const int block = get_group_id(0), blocks = get_num_groups(0);
  const i64 worker = block, workers = blocks;
  __global float* const packed_own = packed_of_all + worker * (((keys + 15) / 16 * k * 64 + 63) / 64 * 16);
  __global float* const scores_own = scores_of_all + worker * 64;
  __global float* const sums_own = sums_of_all + worker * (((n + 15) / 16 * 128 + 63) / 64 * 16);
  float8 tile[4];  // 2x16 fp32 of the worker
  float8 part[4];  // 2x16 fp32 of the worker
  float8 vector[2];  // 1x16 fp32 of the worker
  float8 one[2];  // 2x1 fp32 of the worker
  float8 top[2];  // 2x1 fp32 of the worker
  float8 total[2];  // 2x1 fp32 of the worker
  float8 block_top[2];  // 2x1 fp32 of the worker
  float8 block_total[2];  // 2x1 fp32 of the worker
  float8 correction[2];  // 2x1 fp32 of the worker
  float8 result[4];  // 2x16 fp32 of the worker
  const i64 row_tiles = (m + 1) / 2;
  const i64 blocks_of_keys = (keys + 31) / 32;
  const i64 units = items * row_splits;
  #pragma unroll 1
  for (i64 round = 0; round < floor_divide(units - worker + workers - 1, workers); ++round) {
    const i64 unit = round * workers + worker;
    const i64 split = unit % row_splits;
    const i64 item = unit / row_splits;
    const i64 head = item % heads;
    const i64 sequence = item / heads;
    const i64 kv_head = head / group;
    const i64 first_tile = split * row_tiles / row_splits;
    const i64 last_tile = (split + 1) * row_tiles / row_splits;
    // first_packed = 0
    const i64 last_packed = (max(min(min(last_tile * 2, m) + keys - m + window_right, keys), (i64)0) + 31) / 32;
    #pragma unroll 1
    for (i64 panel = 0; panel < min(last_packed * 2, (keys + 15) / 16); ++panel) {
      if (panel * 16 + 15 < keys) {
        #pragma unroll 1
        for (i64 depth = 0; depth < k; ++depth) {
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            #pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
              const int column = reg * 8 + lane;
              vector[reg][lane] = k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + (panel * 16 + column) * k_matrix_row + depth];
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            const int column = reg * 8;
            vstore8(vector[reg], 0, &packed_own[(panel * k + depth) * 16 + (column >> 3) * 8]);
          }
        }
      }
      else {
        #pragma unroll 1
        for (i64 depth = 0; depth < k; ++depth) {
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            for (int lane = 0; lane < 8; ++lane) {
              const int column = reg * 8 + lane;
              vector[reg][lane] = panel * 16 + column < keys ? k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + (panel * 16 + column) * k_matrix_row + depth] : 0.0f;
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 2; ++reg) {
            const int column = reg * 8;
            vstore8(vector[reg], 0, &packed_own[(panel * k + depth) * 16 + (column >> 3) * 8]);
          }
        }
      }
    }
    #pragma unroll 1
    for (i64 tile_number = first_tile; tile_number < last_tile; ++tile_number) {
      const i64 row0 = tile_number * 2;
      i64 at_row[2];
      #pragma unroll
      for (int reg = 0; reg < 2; ++reg) {
        at_row[reg] = min(row0 + reg, m - 1);
      }
      i64 left_base[2];
      #pragma unroll
      for (int reg = 0; reg < 2; ++reg) {
        left_base[reg] = sequence * q_batch + head * q_head + at_row[reg] * q_row;
      }
      #pragma unroll
      for (int reg = 0; reg < 2; ++reg) {
        top[reg] = -3.4028235e+38f;
      }
      #pragma unroll
      for (int reg = 0; reg < 2; ++reg) {
        total[reg] = 0.0f;
      }
      #pragma unroll 1
      for (i64 panel_of_sums = 0; panel_of_sums < (n + 15) / 16; ++panel_of_sums) {
        #pragma unroll
        for (int reg = 0; reg < 4; ++reg) {
          tile[reg] = 0.0f;
        }
        #pragma unroll
        for (int reg = 0; reg < 4; ++reg) {
          const int row = reg / 2;
          const int column = reg % 2 * 8;
          vstore8(tile[reg], 0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
        }
      }
      // first_block = 0
      const i64 stop_block = (max(min(min(row0 + 2, m) + keys - m + window_right, keys), (i64)0) + 31) / 32;
      #pragma unroll 1
      for (i64 block_number = 0; block_number < stop_block; ++block_number) {
        const i64 key0 = block_number * 32;
        const i64 key_count = min(keys - key0, (i64)32);
        #pragma unroll
        for (int reg = 0; reg < 4; ++reg) {
          part[reg] = -3.4028235e+38f;
        }
        #pragma unroll 1
        for (i64 chunk = 0; chunk < floor_divide(key_count + 15, (i64)16); ++chunk) {
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            tile[reg] = 0.0f;
          }
          #pragma unroll 2
          for (i64 depth = 0; depth < k; ++depth) {
            #pragma unroll
            for (int reg = 0; reg < 2; ++reg) {
              const int column = reg * 8;
              vector[reg] = vload8(0, &packed_own[((block_number * 2 + chunk) * k + depth) * 16 + (column >> 3) * 8]);
            }
            #pragma unroll
            for (int reg = 0; reg < 2; ++reg) {
              one[reg] = q[left_base[reg] + depth];
            }
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
              #pragma unroll
              for (int j = 0; j < 2; ++j) {
                tile[i * 2 + j] += one[i] * vector[j];
              }
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            tile[reg] = (tile[reg] * 0.25f);
          }
          if (key0 + 31 < keys && key0 + 31 < row0 + keys - m + window_right + 1) {
          }
          else {
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              for (int lane = 0; lane < 8; ++lane) {
                if (!(key0 + chunk * 16 + reg % 2 * 8 + lane < keys && key0 + chunk * 16 + reg % 2 * 8 + lane < at_row[reg >> 1] + keys - m + window_right + 1)) tile[reg][lane] = -3.4028235e+38f;
              }
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            part[reg] = maximum(part[reg], tile[reg]);
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            const int row = reg / 2;
            const int column = reg % 2 * 8;
            vstore8(tile[reg], 0, &scores_own[row * 32 + chunk * 16 + column]);
          }
        }
        {
          float8 joined = part[0];
          joined = maximum(joined, part[1]);
          float folded = joined[0];
          #pragma unroll
          for (int lane = 1; lane < 8; ++lane) {
            folded = maximum(folded, joined[lane]);
          }
          block_top[0] = folded;
        }
        {
          float8 joined = part[2];
          joined = maximum(joined, part[3]);
          float folded = joined[0];
          #pragma unroll
          for (int lane = 1; lane < 8; ++lane) {
            folded = maximum(folded, joined[lane]);
          }
          block_top[1] = folded;
        }
        #pragma unroll
        for (int reg = 0; reg < 2; ++reg) {
          block_top[reg] = maximum(top[reg], block_top[reg]);
        }
        #pragma unroll
        for (int reg = 0; reg < 2; ++reg) {
          correction[reg] = exp((top[reg] - block_top[reg]));
        }
        #pragma unroll
        for (int reg = 0; reg < 2; ++reg) {
          top[reg] = block_top[reg];
        }
        #pragma unroll
        for (int reg = 0; reg < 4; ++reg) {
          part[reg] = 0.0f;
        }
        #pragma unroll 1
        for (i64 chunk = 0; chunk < floor_divide(key_count + 15, (i64)16); ++chunk) {
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            const int row = reg / 2;
            const int column = reg % 2 * 8;
            tile[reg] = vload8(0, &scores_own[row * 32 + chunk * 16 + column]);
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            tile[reg] = exp((tile[reg] - top[reg >> 1]));
          }
          if (key0 + 31 < keys && key0 + 31 < row0 + keys - m + window_right + 1) {
          }
          else {
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              for (int lane = 0; lane < 8; ++lane) {
                if (!(key0 + chunk * 16 + reg % 2 * 8 + lane < keys && key0 + chunk * 16 + reg % 2 * 8 + lane < at_row[reg >> 1] + keys - m + window_right + 1)) tile[reg][lane] = 0.0f;
              }
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            part[reg] = (part[reg] + tile[reg]);
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            const int row = reg / 2;
            const int column = reg % 2 * 8;
            vstore8(tile[reg], 0, &scores_own[row * 32 + chunk * 16 + column]);
          }
        }
        {
          float8 joined = part[0];
          joined = joined + part[1];
          float folded = joined[0];
          #pragma unroll
          for (int lane = 1; lane < 8; ++lane) {
            folded = folded + joined[lane];
          }
          block_total[0] = folded;
        }
        {
          float8 joined = part[2];
          joined = joined + part[3];
          float folded = joined[0];
          #pragma unroll
          for (int lane = 1; lane < 8; ++lane) {
            folded = folded + joined[lane];
          }
          block_total[1] = folded;
        }
        #pragma unroll
        for (int reg = 0; reg < 2; ++reg) {
          total[reg] = ((total[reg] * correction[reg]) + block_total[reg]);
        }
        #pragma unroll 1
        for (i64 panel_of_sums = 0; panel_of_sums < (n + 15) / 16; ++panel_of_sums) {
          if (panel_of_sums * 16 + 15 < n) {
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              const int row = reg / 2;
              const int column = reg % 2 * 8;
              tile[reg] = vload8(0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
            }
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              tile[reg] = (tile[reg] * correction[reg >> 1]);
            }
            #pragma unroll 2
            for (i64 key_in_block = 0; key_in_block < key_count; ++key_in_block) {
              #pragma unroll
              for (int reg = 0; reg < 2; ++reg) {
                const int column = reg * 8;
                vector[reg] = vload8(0, &v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 16 + column]);
              }
              #pragma unroll
              for (int reg = 0; reg < 2; ++reg) {
                one[reg] = scores_own[reg * 32 + key_in_block];
              }
              #pragma unroll
              for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                  tile[i * 2 + j] += one[i] * vector[j];
                }
              }
            }
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              const int row = reg / 2;
              const int column = reg % 2 * 8;
              vstore8(tile[reg], 0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
            }
          }
          else {
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              const int row = reg / 2;
              const int column = reg % 2 * 8;
              tile[reg] = vload8(0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
            }
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              tile[reg] = (tile[reg] * correction[reg >> 1]);
            }
            #pragma unroll 2
            for (i64 key_in_block = 0; key_in_block < key_count; ++key_in_block) {
              #pragma unroll
              for (int reg = 0; reg < 2; ++reg) {
                for (int lane = 0; lane < 8; ++lane) {
                  const int column = reg * 8 + lane;
                  vector[reg][lane] = panel_of_sums * 16 + column < n ? v[sequence * v_batch + kv_head * v_head + (key0 + key_in_block) * v_row + panel_of_sums * 16 + column] : 0.0f;
                }
              }
              #pragma unroll
              for (int reg = 0; reg < 2; ++reg) {
                one[reg] = scores_own[reg * 32 + key_in_block];
              }
              #pragma unroll
              for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                  tile[i * 2 + j] += one[i] * vector[j];
                }
              }
            }
            #pragma unroll
            for (int reg = 0; reg < 4; ++reg) {
              const int row = reg / 2;
              const int column = reg % 2 * 8;
              vstore8(tile[reg], 0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
            }
          }
        }
      }
      #pragma unroll 1
      for (i64 panel_of_sums = 0; panel_of_sums < (n + 15) / 16; ++panel_of_sums) {
        if (panel_of_sums * 16 + 15 < n) {
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            const int row = reg / 2;
            const int column = reg % 2 * 8;
            tile[reg] = vload8(0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            #pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
              const float v0 = total[reg >> 1][lane];
              result[reg][lane] = ((v0 == 0.0f) ? 0.0f : (tile[reg][lane] / v0));
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            for (int lane = 0; lane < 8; ++lane) {
              const int row = reg / 2;
              const int column = reg % 2 * 8 + lane;
              if (row0 + row < m) out[sequence * out_batch + head * out_head + at_row[reg >> 1] * out_row + panel_of_sums * 16 + column] = result[reg][lane];
            }
          }
        }
        else {
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            const int row = reg / 2;
            const int column = reg % 2 * 8;
            tile[reg] = vload8(0, &sums_own[panel_of_sums * 32 + row * 16 + column]);
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            #pragma unroll
            for (int lane = 0; lane < 8; ++lane) {
              const float v0 = total[reg >> 1][lane];
              result[reg][lane] = ((v0 == 0.0f) ? 0.0f : (tile[reg][lane] / v0));
            }
          }
          #pragma unroll
          for (int reg = 0; reg < 4; ++reg) {
            for (int lane = 0; lane < 8; ++lane) {
              const int row = reg / 2;
              const int column = reg % 2 * 8 + lane;
              if (row0 + row < m && panel_of_sums * 16 + column < n) out[sequence * out_batch + head * out_head + at_row[reg >> 1] * out_row + panel_of_sums * 16 + column] = result[reg][lane];
            }
          }
        }
      }
    }
  }
}
