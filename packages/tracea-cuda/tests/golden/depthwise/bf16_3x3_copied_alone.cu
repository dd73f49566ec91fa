// tracea: conv2d bf16, depthwise, epilogue bias, gelu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  4x64x3 s3 va2 vc8 u3
// schedule       eb4932e56d457c3ea76d437d1e834de1699a17bdb52c43984b9e1b31940238ed
// certificate    6032cdaa335bdfb76f746ee8bb4afdcdd812a3209b0ce23148479aa5d70a6360: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

#ifndef TRACEA_DEVICE_TWINS
// Types, conversions and arithmetic that every kernel uses.
typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;

#define INLINE __device__ __forceinline__

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// The special function unit: relative error below 2^-16 for exp of arguments that fp32 can hold, 2^-22 for the others; exponentials
// and reciprocals below 2^-126 are 0, which saves six instructions that would rescale them.
INLINE float fast_exp2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_exp(float x) { return fast_exp2(x * 1.4426950408889634f); }
INLINE float fast_reciprocal(float x) { float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_sqrt(float x) { float y; asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return __uint_as_float((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }
INLINE fp16 to_fp16(float x) { fp16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE int to_int32(float x) { int y; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(y) : "f"(x)); return y; }
INLINE int8 to_int8(float x) { const int y = to_int32(x); return (int8)(y < -128 ? -128 : y > 127 ? 127 : y); }
INLINE uint8 to_uint8(float x) { const int y = to_int32(x); return (uint8)(y < 0 ? 0 : y > 255 ? 255 : y); }

#if __CUDA_ARCH__ >= 800
INLINE bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE unsigned pair_bf16(float low, float high) { unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE unsigned pair_fp16(float low, float high) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE float maximum(float x, float y) { float z; asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
INLINE float minimum(float x, float y) { float z; asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
#else
INLINE bf16 to_bf16(float x) {
  const unsigned bits = __float_as_uint(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
#endif
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
// Copies that pass no registers (sm_80), and 8x8 matrices that a warp moves together (sm_75).
INLINE unsigned shared_place(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

// Where `inside` fails, zeros arrive and nothing is read.
INLINE void copy_async16(void* target, const void* source, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 16 : 0) : "memory");
}
INLINE void copy_async8(void* target, const void* source, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 8 : 0) : "memory");
}
INLINE void copy_async4(void* target, const void* source, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_place(target)), "l"(source), "r"(inside ? 4 : 0) : "memory");
}
INLINE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending> INLINE void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory"); }

INLINE void matrices1(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices2(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices4(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices1_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices2_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(shared_place(row)) : "memory");
}
INLINE void matrices4_transposed(unsigned* to, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(shared_place(row)) : "memory");
}
#endif

// x: bf16, read, aligned to 4 bytes
// w: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 16 bytes
// bias_0: fp32, read, aligned to 4 bytes
// n: output channels; 0 to 40 by 8
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 2
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 2
// height: rows of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 8
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 8
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 16 = 16*68, channel 64 = 64*1, kept for a tile, aligned to 16 bytes
// rows: shared of bf16, column 72 = 72*64, channel 64 = 64*1, 3 slots, kept for a tile, aligned to 16 bytes
// launch: ((items // lines * ((lines + 2) // 3) * 3 + 3) // 4 + max(((items // lines * ((lines + 2) // 3) * 3 + 3) // 4 + max(396 // max((n + 63) // 64, 1), 1) - 1) // max(396 // max((n + 63) // 64, 1), 1), 1) - 1) // max(((items // lines * ((lines + 2) // 3) * 3 + 3) // 4 + max(396 // max((n + 63) // 64, 1), 1) - 1) // max(396 // max((n + 63) // 64, 1), 1), 1) * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 31984 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 3) conv2d_bf16_4x64x3_badbd72c(
    const bf16* __restrict__ x,
    const bf16* __restrict__ w,
    bf16* __restrict__ out,
    const float* __restrict__ bias_0,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_row,
    int height,
    i64 out_image,
    i64 out_line,
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const filters = (float*)(shared + 0);
  bf16* const rows = (bf16*)(shared + 4336);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total0_0[8];  // 4x64 fp32 of the warp
    float total1_0[8];  // 4x64 fp32 of the warp
    float part[8];  // 4x64 fp32 of the warp
    float bias_0_held[2];  // 1x64 fp32 of the warp
    unsigned result[4];  // 4x64 bf16 of the warp
    float together[8];  // 4x64 fp32 of the warp
    unsigned turned[4];  // 4x64 bf16 of the warp
    float staged[1];  // 8x4 fp32 of the warp
    bf16 staged_raw[1];  // 8x4 bf16 of the warp
    float window0[10];  // 5x64 fp32 of the warp
    unsigned window0_raw[5];  // 5x64 bf16 of the warp
    float window1[8];  // 4x64 fp32 of the warp
    unsigned window1_raw[4];  // 4x64 bf16 of the warp
    float element0[2];  // 1x64 fp32 of the warp
    float element1[2];  // 1x64 fp32 of the warp
    float element2[2];  // 1x64 fp32 of the warp
    float element3[2];  // 1x64 fp32 of the warp
    float element4[2];  // 1x64 fp32 of the warp
    float element5[2];  // 1x64 fp32 of the warp
    float element6[2];  // 1x64 fp32 of the warp
    float element7[2];  // 1x64 fp32 of the warp
    float element8[2];  // 1x64 fp32 of the warp
    // strips = 3
    const int places = items / lines * ((lines + 2) / 3) * 3;
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
          staged[0] = from_bf16(staged_raw[0]);
        }
        {
          const int row = lane & 7;
          const int column = lane >> 3;
          filters[(stage / 4 * 8 + row) * 68 + (stage * 4 % 16 + warp) * 4 + column] = staged[0];
        }
      }
      __syncthreads();
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[column]; element0[0] = __uint_as_float(run.x); element0[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[68 + column]; element1[0] = __uint_as_float(run.x); element1[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[136 + column]; element2[0] = __uint_as_float(run.x); element2[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[204 + column]; element3[0] = __uint_as_float(run.x); element3[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[272 + column]; element4[0] = __uint_as_float(run.x); element4[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[340 + column]; element5[0] = __uint_as_float(run.x); element5[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[408 + column]; element6[0] = __uint_as_float(run.x); element6[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[476 + column]; element7[0] = __uint_as_float(run.x); element7[0 + 1] = __uint_as_float(run.y); }
      }
      {
        const int column = lane * 2;
        { const uint2 run = *(const uint2*)&filters[544 + column]; element8[0] = __uint_as_float(run.x); element8[0 + 1] = __uint_as_float(run.y); }
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int column = r + lane * 2;
        bias_0_held[r] = column0 + column < n ? bias_0[column0 + r + lane * 2] : 0.0f;
      }
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each * 4 - 1, blocks_each * 4); ++round) {
        const int place = first_place + round * (blocks_each * 4) + warp;
        const int first_line = place % ((lines + 2) / 3) * 3;
        const int rest = place / ((lines + 2) / 3);
        const int pixel0 = rest % 3 * 4;
        const int image = rest / 3;
        const int first_column = pixel0 * 2 - 1;
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total0_0[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total1_0[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 10; r += 2) {
          copy_async4(&rows[(warp * 18 + (r >> 1)) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)first_line * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && 0 <= first_line * 2 - 1 && first_line * 2 - 1 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          copy_async4(&rows[(warp * 18 + (r >> 1) + 5) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)first_line * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && 0 <= first_line * 2 - 1 && first_line * 2 - 1 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 10; r += 2) {
          copy_async4(&rows[(warp * 18 + (r >> 1) + 9) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)first_line * 2 * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && first_line * 2 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          copy_async4(&rows[(warp * 18 + (r >> 1) + 14) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)first_line * 2 * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && first_line * 2 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        copy_commit();
        #pragma unroll
        for (int r = 0; r < 10; r += 2) {
          copy_async4(&rows[4608 + (warp * 18 + (r >> 1)) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)(first_line + 1) * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && (first_line + 1) * 2 - 1 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          copy_async4(&rows[4608 + (warp * 18 + (r >> 1) + 5) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)(first_line + 1) * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && (first_line + 1) * 2 - 1 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 10; r += 2) {
          copy_async4(&rows[4608 + (warp * 18 + (r >> 1) + 9) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)(first_line + 1) * 2 * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && (first_line + 1) * 2 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          copy_async4(&rows[4608 + (warp * 18 + (r >> 1) + 14) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)(first_line + 1) * 2 * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && (first_line + 1) * 2 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
        }
        copy_commit();
        #pragma unroll 3
        for (int step = 0; step < 4; ++step) {
          copy_wait<1>();
          if (step + 2 < 4) {
            #pragma unroll
            for (int r = 0; r < 10; r += 2) {
              copy_async4(&rows[(step + 2) % 3 * 4608 + (warp * 18 + (r >> 1)) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)(first_line + step + 2) * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && (first_line + step + 2) * 2 - 1 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              copy_async4(&rows[(step + 2) % 3 * 4608 + (warp * 18 + (r >> 1) + 5) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + ((i64)(first_line + step + 2) * 2 - 1) * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && (first_line + step + 2) * 2 - 1 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
            }
            #pragma unroll
            for (int r = 0; r < 10; r += 2) {
              copy_async4(&rows[(step + 2) % 3 * 4608 + (warp * 18 + (r >> 1) + 9) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)(first_line + step + 2) * 2 * x_row + (first_column + (i64)(r >> 1) * 2) * 40], place < places && (first_line + step + 2) * 2 < height && 0 <= first_column + (r >> 1) * 2 && first_column + (r >> 1) * 2 < 21 && column0 + (r & 1) + lane * 2 < n);
            }
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              copy_async4(&rows[(step + 2) % 3 * 4608 + (warp * 18 + (r >> 1) + 14) * 64 + (r & 1) + lane * 2], &x[image * x_image + column0 + (r & 1) + lane * 2 + (i64)(first_line + step + 2) * 2 * x_row + (first_column + (i64)(r >> 1) * 2 + 1) * 40], place < places && (first_line + step + 2) * 2 < height && first_column + (r >> 1) * 2 + 1 < 21 && column0 + (r & 1) + lane * 2 < n);
            }
          }
          copy_commit();
          const int line = first_line + step - 1;
          #pragma unroll
          for (int r = 0; r < 10; r += 2) {
            const int row = r >> 1;
            const int column = (r & 1) + lane * 2;
            window0_raw[r / 2] = (*(const unsigned*)&rows[step % 3 * 4608 + (warp * 18 + row) * 64 + column]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            const int row = r >> 1;
            const int column = (r & 1) + lane * 2;
            window1_raw[r / 2] = (*(const unsigned*)&rows[step % 3 * 4608 + (warp * 18 + row + 5) * 64 + column]);
          }
          #pragma unroll
          for (int r = 0; r < 10; ++r) {
            window0[r] = from_bf16(part16(window0_raw[r / 2], (r & 1) * 16));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            window1[r] = from_bf16(part16(window1_raw[r / 2], (r & 1) * 16));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total0_0[r] = (total0_0[r] + (part[r] * element6[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total0_0[r] = (total0_0[r] + (part[r] * element8[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window1[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total0_0[r] = (total0_0[r] + (part[r] * element7[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element0[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element2[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window1[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element1[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 10; r += 2) {
            const int row = r >> 1;
            const int column = (r & 1) + lane * 2;
            window0_raw[r / 2] = (*(const unsigned*)&rows[step % 3 * 4608 + (warp * 18 + row + 9) * 64 + column]);
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            const int row = r >> 1;
            const int column = (r & 1) + lane * 2;
            window1_raw[r / 2] = (*(const unsigned*)&rows[step % 3 * 4608 + (warp * 18 + row + 14) * 64 + column]);
          }
          #pragma unroll
          for (int r = 0; r < 10; ++r) {
            window0[r] = from_bf16(part16(window0_raw[r / 2], (r & 1) * 16));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            window1[r] = from_bf16(part16(window1_raw[r / 2], (r & 1) * 16));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element3[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window0[r + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element5[r & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            part[r] = window1[r];
          }
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = (total1_0[r] + (part[r] * element4[r & 1]));
          }
          if (place < places && 1 <= step && line < lines) {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
              together[r] = total0_0[r];
            }
            // nearly 0.5 * (together + bias_0_held) * (1 + erf((together + bias_0_held) * 0.70710678118654757))
            #pragma unroll
            for (int r = 0; r < 8; r += 2) {
              float low;
              {
                const float v0 = together[r] + bias_0_held[r & 1];
                const float v1 = minimum(fabsf(v0), 5.75f);
                low = (maximum(v0, 0.0f) - (v1 * fast_exp2(((((((((((((0.000031873376f * v1) + -0.0007499225f) * v1) + 0.007991372f) * v1) + -0.05323726f) * v1) + -0.45892552f) * v1) + -1.1511453f) * v1) + -0.99999917f))));
              }
              float high;
              {
                const float v0 = together[r + 1] + bias_0_held[r + 1 & 1];
                const float v1 = minimum(fabsf(v0), 5.75f);
                high = (maximum(v0, 0.0f) - (v1 * fast_exp2(((((((((((((0.000031873376f * v1) + -0.0007499225f) * v1) + 0.007991372f) * v1) + -0.05323726f) * v1) + -0.45892552f) * v1) + -1.1511453f) * v1) + -0.99999917f))));
              }
              result[r / 2] = pair_bf16(low, high);
            }
            {
              unsigned sent0[4];
              #pragma unroll
              for (int r = 0; r < 4; ++r) {
                sent0[r] = lane & 1 ? result[r ^ 2] : result[r];
              }
              unsigned sent1[4];
              #pragma unroll
              for (int r = 0; r < 4; ++r) {
                sent1[r] = lane & 2 ? sent0[r ^ 1] : sent0[r];
              }
              unsigned arrived[4];
              arrived[0] = sent1[0];
              arrived[1] = __shfl_xor_sync(0xffffffffu, sent1[2], 1);
              arrived[2] = __shfl_xor_sync(0xffffffffu, sent1[1], 2);
              arrived[3] = __shfl_xor_sync(0xffffffffu, sent1[3], 3);
              unsigned sorted0[4];
              #pragma unroll
              for (int r = 0; r < 4; ++r) {
                sorted0[r] = lane & 1 ? arrived[r ^ 1] : arrived[r];
              }
              #pragma unroll
              for (int r = 0; r < 4; ++r) {
                turned[r] = lane & 2 ? sorted0[r ^ 2] : sorted0[r];
              }
            }
            {
              const int row = (lane & 1) * 2 + (lane >> 1 & 1);
              const int column = (lane >> 2) * 8;
              if (pixel0 + row < 11 && column0 + column < n) *(uint4*)&out[image * out_image + line * out_line + (i64)(pixel0 + row) * 40 + column0 + column] = make_uint4((turned[0]), (turned[0 + 1]), (turned[0 + 2]), (turned[0 + 3]));
            }
          }
          total0_0[0] = total1_0[0];
          total0_0[1] = total1_0[1];
          total0_0[2] = total1_0[2];
          total0_0[3] = total1_0[3];
          total0_0[4] = total1_0[4];
          total0_0[5] = total1_0[5];
          total0_0[6] = total1_0[6];
          total0_0[7] = total1_0[7];
          #pragma unroll
          for (int r = 0; r < 8; ++r) {
            total1_0[r] = 0.0f;
          }
        }
        copy_wait<0>();
      }
      __syncthreads();
    }
  }
}
