// tracea: conv2d fp16, depthwise
// variant        metal.contraction.depthwise for apple7
// configuration  4x64x1 s1 va2 vc2
// schedule       3e58b2e598347d1c49e96d2431d2225d3693c9304727aba156088b672df4a6ca
// certificate    ec837bd1bfcfb422a90fb19dc47855cf26dc324529e1ecea91ad276b73b8a2e7: structure, domains, types, layouts, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses.
#include <metal_stdlib>
using namespace metal;

typedef long i64;
typedef ushort bf16;
typedef ushort fp16;
typedef char int8;
typedef uchar uint8;

inline int floor_divide(int a, int b) { return a / b - int(a % b < 0); }
inline i64 floor_divide(i64 a, i64 b) { return a / b - i64(a % b < 0); }
inline int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
inline i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
inline ushort part16(uint word, int bit) { return ushort(word >> bit); }
inline uchar part8(uint word, int bit) { return uchar(word >> bit); }
inline uint with16(uint word, int bit, ushort value) { return (word & ~(0xffffu << bit)) | (uint(value) << bit); }
inline uint with8(uint word, int bit, uchar value) { return (word & ~(0xffu << bit)) | (uint(value) << bit); }

// Conversions round to nearest even. bf16 is converted by its bits, so that it is there before Metal 3.1.
inline float from_bf16(bf16 x) { return as_type<float>(uint(x) << 16); }
inline float from_fp16(fp16 x) { return float(as_type<half>(x)); }
inline fp16 to_fp16(float x) { return as_type<ushort>(half(x)); }
inline bf16 to_bf16(float x) {
  const uint bits = as_type<uint>(x);
  return (bits & 0x7fffffffu) > 0x7f800000u ? bf16(0x7fff) : bf16((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline uint pair_fp16(float low, float high) { return uint(to_fp16(low)) | uint(to_fp16(high)) << 16; }
inline uint pair_bf16(float low, float high) { return uint(to_bf16(low)) | uint(to_bf16(high)) << 16; }
inline float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }
inline float minimum(float x, float y) { return x < y || isnan(x) ? x : y; }
inline int to_int32(float x) { return isnan(x) ? 0 : int(minimum(maximum(rint(x), -2147483648.0f), 2147483520.0f)); }
inline int8 to_int8(float x) { return int8(min(max(to_int32(x), -128), 127)); }
inline uint8 to_uint8(float x) { return uint8(min(max(to_int32(x), 0), 255)); }

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
// filters: shared of fp32, tap 16 = 16*68, channel 64 = 64*1, kept for a tile, aligned to 16 bytes
// launch: ((items * ((m + 3) // 4) + 3) // 4 + max(((items * ((m + 3) // 4) + 3) // 4 + max(56 // max((n + 63) // 64, 1), 1) - 1) // max(56 // max((n + 63) // 64, 1), 1), 1) - 1) // max(((items * ((m + 3) // 4) + 3) // 4 + max(56 // max((n + 63) // 64, 1), 1) - 1) // max(56 // max((n + 63) // 64, 1), 1), 1) * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 4336 bytes of shared memory
struct Sizes {
  int m;
  int n;
  int lines;
  int items;
  i64 x_image;
  i64 x_row;
  int height;
  int width;
  i64 out_image;
  i64 out_line;
  i64 w_out;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void conv2d_fp16_4x64x1_6b734629(
    device const fp16* x [[buffer(0)]],
    device const fp16* w [[buffer(1)]],
    device fp16* out [[buffer(2)]],
    constant Sizes& sizes [[buffer(3)]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint block_index [[threadgroup_position_in_grid]],
    uint block_count [[threadgroups_per_grid]]) {
  const int thread_number = int(thread_index), block = int(block_index), blocks = int(block_count);
  const int m = sizes.m;
  const int n = sizes.n;
  const int lines = sizes.lines;
  const int items = sizes.items;
  const i64 x_image = sizes.x_image;
  const i64 x_row = sizes.x_row;
  const int height = sizes.height;
  const int width = sizes.width;
  const i64 out_image = sizes.out_image;
  const i64 out_line = sizes.out_line;
  const i64 w_out = sizes.w_out;
  threadgroup uint4 shared[271];
  threadgroup float* const filters = reinterpret_cast<threadgroup float*>(shared + 0);
  // warp: warp x 4
  {
    const int lane = thread_number % 32;
    const int warp = thread_number / 32;
    float total[8];  // 4x64 fp32 of the warp
    float part[8];  // 4x64 fp32 of the warp
    float weight[2];  // 1x64 fp32 of the warp
    unsigned result[4];  // 4x64 fp16 of the warp
    float staged[1];  // 8x4 fp32 of the warp
    fp16 staged_raw[1];  // 8x4 fp16 of the warp
    float window0[10];  // 5x64 fp32 of the warp
    unsigned window0_raw[5];  // 5x64 fp16 of the warp
    float window1[8];  // 4x64 fp32 of the warp
    unsigned window1_raw[4];  // 4x64 fp16 of the warp
    const int strips = (m + 3) / 4;
    const int places = items * strips;
    const int tile_columns = (n + 63) / 64;
    const int blocks_each = max(blocks, 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 4;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 64;
      #pragma unroll 8
      for (int stage = 0; stage < 8; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged_raw[0] = stage / 4 * 8 + row < 9 && column0 + (stage * 4 % 16 + warp) * 4 + column < n ? w[(column0 + ((i64)stage * 4 % 16 + warp) * 4 + column) * w_out + (i64)stage / 4 * 8 + row] : 0;
        }
        {
          staged[0] = from_fp16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 4 * 8 + row) * 68 + (stage * 4 % 16 + warp) * 4 + column] = staged[0];
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // staged
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 4 - 1, blocks_each * 4); ++round) {
        const int place = first_place + round * (blocks_each * 4) + warp;
        const int line = place % lines;
        const int rest = place / lines;
        const int pixel0 = rest % strips * 4;
        const int image = rest / strips;
        const int first_column = pixel0 * 2 - 1;
        if (place < places) {
          {
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
                  if (0 <= first_column + row * 2 && first_column + row * 2 < width && column0 + column < n) window0_raw[r / 2] = (*reinterpret_cast<device const uint*>(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2) * 36]));
                  else { window0_raw[r / 2] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 8; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (first_column + row * 2 + 1 < width && column0 + column < n) window1_raw[r / 2] = (*reinterpret_cast<device const uint*>(&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2 + 1) * 36]));
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
                  { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&filters[tap_row * 204 + column]); weight[0] = as_type<float>(run[0]); weight[0 + 1] = as_type<float>(run[1]); }
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
                  { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&filters[(tap_row * 3 + 2) * 68 + column]); weight[0] = as_type<float>(run[0]); weight[0 + 1] = as_type<float>(run[1]); }
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
                  { const uint2 run = *reinterpret_cast<threadgroup const uint2*>(&filters[(tap_row * 3 + 1) * 68 + column]); weight[0] = as_type<float>(run[0]); weight[0 + 1] = as_type<float>(run[1]); }
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
              if (pixel0 + row < m && column0 + column < n) *reinterpret_cast<device uint*>(&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column]) = (result[r / 2]);
            }
          }
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);  // used
    }
  }
}
