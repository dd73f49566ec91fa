// tracea: conv2d fp16, depthwise
// variant        sycl.contraction.depthwise for pvc
// configuration  4x32x1 s1 va2 vc2
// schedule       305f2868734ac2e2bfc3497f24ddc1cecb2217ca50d71cbd8510c7fe193811de
// certificate    84fdd804d2c304b7c726839280a0b0e6fc432dcd1e8dbf8c5f0f55fd35025227: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: fp16, read, aligned to 4 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 36 by 2
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 2
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 2
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 2
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 2
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 16 = 16*34, channel 32 = 32*1, kept for a tile, aligned to 16 bytes
// launch: ((items * ((m + 3) // 4) + 3) // 4 + max(((items * ((m + 3) // 4) + 3) // 4 + max(2368 // max((n + 31) // 32, 1), 1) - 1) // max(2368 // max((n + 31) // 32, 1), 1), 1) - 1) // max(((items * ((m + 3) // 4) + 3) // 4 + max(2368 // max((n + 31) // 32, 1), 1) - 1) // max(2368 // max((n + 31) // 32, 1), 1), 1) * ((n + 31) // 32) blocks of 64 threads, clusters of 1, 2168 bytes of shared memory
__attribute__((reqd_work_group_size(64, 1, 1)))
SUB_GROUPS_OF(16)
__kernel void conv2d_fp16_4x32x1_6b734629(
    __global const fp16* restrict x,
    __global const fp16* restrict w,
    __global fp16* restrict out,
    int m,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_row,
    int height,
    int width,
    i64 out_image,
    i64 out_line,
    i64 w_out) {
  const int thread = get_local_id(0);
  const int block = get_group_id(0), blocks = get_num_groups(0);
  __local uchar shared[2168] __attribute__((aligned(16)));
  __local float* const filters = (__local float*)(shared + 0);
  // warp: warp x 4
  {
    const int lane = thread % 16;
    const int warp = thread / 16;
    float8 total;  // 4x32 fp32 of the warp
    float8 part;  // 4x32 fp32 of the warp
    float2 weight;  // 1x32 fp32 of the warp
    uint4 result;  // 4x32 fp16 of the warp
    float staged[1];  // 8x2 fp32 of the warp
    fp16 staged_raw[1];  // 8x2 fp16 of the warp
    float window0[10];  // 5x32 fp32 of the warp
    unsigned window0_raw[5];  // 5x32 fp16 of the warp
    float8 window1;  // 4x32 fp32 of the warp
    uint4 window1_raw;  // 4x32 fp16 of the warp
    const int strips = (m + 3) / 4;
    const int places = items * strips;
    const int tile_columns = (n + 31) / 32;
    const int blocks_each = max(blocks / max(tile_columns, 1), 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 4;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 32;
      #pragma unroll 8
      for (int stage = 0; stage < 8; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged_raw[0] = stage / 4 * 8 + row < 9 && column0 + (stage * 4 % 16 + warp) * 2 + column < n ? w[(column0 + ((i64)stage * 4 % 16 + warp) * 2 + column) * w_out + (i64)stage / 4 * 8 + row] : 0;
        }
        {
          staged[0] = from_fp16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 4 * 8 + row) * 34 + (stage * 4 % 16 + warp) * 2 + column] = staged[0];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // staged
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 4 - 1, blocks_each * 4); ++round) {
        const int place = first_place + round * (blocks_each * 4) + warp;
        const int line = place % lines;
        const int rest = place / lines;
        const int pixel0 = rest % strips * 4;
        const int image = rest / strips;
        const int first_column = pixel0 * 2 - 1;
        if (place < places) {
          if (pixel0 + 3 < m && column0 + 31 < n && 0 <= first_column && first_column + 8 < width) {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
              total[r] = 0.0f;
            }
            #pragma unroll 1
            for (int tap_row = 0; tap_row < 3; ++tap_row) {
              if (0 <= line - 1 + tap_row && line - 1 + tap_row < height) {
                #pragma unroll
                for (int r = 0; r < 10; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  window0_raw[r / 2] = (load_1(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2) * 36]));
                }
                #pragma unroll
                for (int r = 0; r < 8; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  window1_raw[r / 2] = (load_1(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2 + 1) * 36]));
                }
                #pragma unroll
                for (int r = 0; r < 10; ++r) {
                  window0[r] = from_fp16(part16(window0_raw[r / 2], (r & 1) * 16));
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  window1[r] = from_fp16(part16(window1_raw[r / 2], (r & 1) * 16));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[tap_row * 102 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[(tap_row * 3 + 2) * 34 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r + 2];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[(tap_row * 3 + 1) * 34 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window1[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
              }
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              result[r / 2] = pair_fp16(total[r], total[r + 1]);
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              const int row = r >> 1;
              const int column = (r & 1) + lane * 2;
              store_run(&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column], (result[r / 2]));
            }
          }
          else {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
              total[r] = 0.0f;
            }
            #pragma unroll 1
            for (int tap_row = 0; tap_row < 3; ++tap_row) {
              if (0 <= line - 1 + tap_row && line - 1 + tap_row < height) {
                #pragma unroll
                for (int r = 0; r < 10; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (0 <= first_column + row * 2 && first_column + row * 2 < width && column0 + column < n) window0_raw[r / 2] = (load_1(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2) * 36]));
                  else { window0_raw[r / 2] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 8; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (first_column + row * 2 + 1 < width && column0 + column < n) window1_raw[r / 2] = (load_1(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2 + 1) * 36]));
                  else { window1_raw[r / 2] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 10; ++r) {
                  window0[r] = from_fp16(part16(window0_raw[r / 2], (r & 1) * 16));
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  window1[r] = from_fp16(part16(window1_raw[r / 2], (r & 1) * 16));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[tap_row * 102 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[(tap_row * 3 + 2) * 34 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window0[r + 2];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
                {
                  const int column = lane * 2;
                  { const uint2 run = load_2(&filters[(tap_row * 3 + 1) * 34 + column]); weight[0] = as_float(run.s0); weight[0 + 1] = as_float(run.s1); }
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  part[r] = window1[r];
                }
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                  total[r] = (total[r] + (part[r] * weight[r & 1]));
                }
              }
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              result[r / 2] = pair_fp16(total[r], total[r + 1]);
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              const int row = r >> 1;
              const int column = (r & 1) + lane * 2;
              if (pixel0 + row < m && column0 + column < n) store_run(&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column], (result[r / 2]));
            }
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);  // used
    }
  }
}
