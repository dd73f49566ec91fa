// tracea: conv2d fp16, depthwise
// variant        hip.contraction.depthwise for gfx942
// configuration  4x128x1 s1 va2 vc2
// schedule       c390a8f9f6c5f596302ff4be509edbae5697c043a87c72b070d65f4324a035c0
// certificate    1ce8e1afa36fd329f58fc9ae9b778de98fb2a8c910090404e4825689182fc46e: structure, domains, types, layouts, lanes, banks, budgets, meaning

// Types, conversions and arithmetic that every kernel uses; nothing of ROCm is needed to compile them.
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(threads, threads)))
#endif
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define INLINE static __device__ inline __attribute__((always_inline))

typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;
template <class T, int count> using vector = T __attribute__((ext_vector_type(count)));

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
INLINE float float_of(unsigned x) { return __builtin_bit_cast(float, x); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)__builtin_bit_cast(_Float16, x); }
INLINE fp16 to_fp16(float x) { return __builtin_bit_cast(fp16, (_Float16)x); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
INLINE int larger(int x, int y) { return x > y ? x : y; }
INLINE i64 larger(i64 x, i64 y) { return x > y ? x : y; }
INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE i64 smaller(i64 x, i64 y) { return x < y ? x : y; }
#define min smaller
#define max larger
INLINE int to_int32(float x) { return x != x ? 0 : (int)minimum(maximum(__builtin_rintf(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)smaller(larger(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)smaller(larger(to_int32(x), 0), 255); }

// Waves meet here; what they stored to shared memory before is visible after. Loads from global memory stay under way.
INLINE void block_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

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
// filters: shared of fp32, tap 16 = 16*132, channel 128 = 128*1, kept for a tile, aligned to 16 bytes
// launch: ((items * ((m + 3) // 4) + 3) // 4 + max(((items * ((m + 3) // 4) + 3) // 4 + max(2736 // max((n + 127) // 128, 1), 1) - 1) // max(2736 // max((n + 127) // 128, 1), 1), 1) - 1) // max(((items * ((m + 3) // 4) + 3) // 4 + max(2736 // max((n + 127) // 128, 1), 1) - 1) // max(2736 // max((n + 127) // 128, 1), 1), 1) * ((n + 127) // 128) blocks of 256 threads, clusters of 1, 8432 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256) conv2d_fp16_4x128x1_6b734629(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
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
  const int thread = __builtin_amdgcn_workitem_id_x();
  const int block = __builtin_amdgcn_workgroup_id_x(), blocks = __builtin_amdgcn_grid_size_x() / 256;
  __shared__ __attribute__((aligned(16))) unsigned char shared[8432];
  float* const filters = (float*)(shared + 0);
  // warp: warp x 4
  {
    const int lane = thread % 64;
    const int warp = __builtin_amdgcn_readfirstlane(thread / 64);
    vector<float, 8> total;  // 4x128 fp32 of the warp
    vector<float, 8> part;  // 4x128 fp32 of the warp
    vector<float, 2> weight;  // 1x128 fp32 of the warp
    vector<unsigned, 4> result;  // 4x128 fp16 of the warp
    float staged[1];  // 8x8 fp32 of the warp
    fp16 staged_raw[1];  // 8x8 fp16 of the warp
    vector<float, 10> window0;  // 5x128 fp32 of the warp
    vector<unsigned, 5> window0_raw;  // 5x128 fp16 of the warp
    vector<float, 8> window1;  // 4x128 fp32 of the warp
    vector<unsigned, 4> window1_raw;  // 4x128 fp16 of the warp
    const int strips = (m + 3) / 4;
    const int places = items * strips;
    const int tile_columns = (n + 127) / 128;
    const int blocks_each = max(blocks, 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each * 4;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 128;
      #pragma unroll 8
      for (int stage = 0; stage < 8; ++stage) {
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          staged_raw[0] = stage / 4 * 8 + row < 9 && column0 + (stage * 4 % 16 + warp) * 8 + column < n ? w[(column0 + ((i64)stage * 4 % 16 + warp) * 8 + column) * w_out + (i64)stage / 4 * 8 + row] : 0;
        }
        {
          staged[0] = from_fp16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 4 * 8 + row) * 132 + (stage * 4 % 16 + warp) * 8 + column] = staged[0];
        }
      }
      block_barrier();  // staged
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
                  if (0 <= first_column + row * 2 && first_column + row * 2 < width && column0 + column < n) window0_raw[r / 2] = (*(const unsigned*)&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2) * 36]);
                  else { window0_raw[r / 2] = 0; }
                }
                #pragma unroll
                for (int r = 0; r < 8; r += 2) {
                  const int row = r >> 1;
                  const int column = (r & 1) + lane * 2;
                  if (first_column + row * 2 + 1 < width && column0 + column < n) window1_raw[r / 2] = (*(const unsigned*)&x[image * x_image + column0 + column + (line - 1 + tap_row) * x_row + (first_column + (i64)row * 2 + 1) * 36]);
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
                  { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&filters[tap_row * 396 + column]; weight[0] = float_of(run[0]); weight[0 + 1] = float_of(run[1]); }
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
                  { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&filters[(tap_row * 3 + 2) * 132 + column]; weight[0] = float_of(run[0]); weight[0 + 1] = float_of(run[1]); }
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
                  { const vector<unsigned, 2> run = *(const vector<unsigned, 2>*)&filters[(tap_row * 3 + 1) * 132 + column]; weight[0] = float_of(run[0]); weight[0 + 1] = float_of(run[1]); }
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
              if (pixel0 + row < m && column0 + column < n) *(unsigned*)&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 36 + column0 + column] = (result[r / 2]);
            }
          }
        }
      }
      block_barrier();  // used
    }
  }
}
