// tracea: conv2d fp16, depthwise, epilogue bias, relu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  2x128x5 s4 w2 va4 vc4 u3 rb3
// schedule       60d9d5755b98c57b2e04fe678b1a990be628e602ef7371aa3c522369a8bb0e4b
// certificate    3915edb6371a574e0aabb0114f5f3a7716c9041c59c64bcb295a938be7fde848: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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

// x: fp16, read, aligned to 8 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 8 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 72 by 4
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 4
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 4
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// filters: shared of fp32, tap 16 = 16*292, channel 288 = 288*1, kept for a tile, aligned to 16 bytes
// rows: shared of fp16, column 8 = 8*128, channel 128 = 128*1, 4 slots, kept for a tile, aligned to 16 bytes
// launch: (items // lines * ((lines + 4) // 5) * ((m + 5) // 6) + max((items // lines * ((lines + 4) // 5) * ((m + 5) // 6) + max(1056 // max((n + 71) // 72, 1), 1) - 1) // max(1056 // max((n + 71) // 72, 1), 1), 1) - 1) // max((items // lines * ((lines + 4) // 5) * ((m + 5) // 6) + max(1056 // max((n + 71) // 72, 1), 1) - 1) // max(1056 // max((n + 71) // 72, 1), 1), 1) * ((n + 71) // 72) blocks of 64 threads, clusters of 1, 26864 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64, 8) conv2d_fp16_2x128x5_1db22144(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
    const float* __restrict__ bias_0,
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
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const filters = (float*)(shared + 0);
  fp16* const rows = (fp16*)(shared + 18672);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total0_0[8];  // 2x128 fp32 of the warp
    float total1_0[8];  // 2x128 fp32 of the warp
    float total2_0[8];  // 2x128 fp32 of the warp
    float part[8];  // 2x128 fp32 of the warp
    float bias_0_held[4];  // 1x128 fp32 of the warp
    unsigned result[4];  // 2x128 fp16 of the warp
    float staged[9];  // 72x4 fp32 of the warp
    fp16 staged_raw[9];  // 72x4 fp16 of the warp
    float window0[16];  // 4x128 fp32 of the warp
    unsigned window0_raw[8];  // 4x128 fp16 of the warp
    float element0[4];  // 1x128 fp32 of the warp
    float element1[4];  // 1x128 fp32 of the warp
    float element2[4];  // 1x128 fp32 of the warp
    float element3[4];  // 1x128 fp32 of the warp
    float element4[4];  // 1x128 fp32 of the warp
    float element5[4];  // 1x128 fp32 of the warp
    float element6[4];  // 1x128 fp32 of the warp
    float element7[4];  // 1x128 fp32 of the warp
    float element8[4];  // 1x128 fp32 of the warp
    const int warp_column = warp * 128;
    const int strips = (m + 5) / 6;
    const int places = items / lines * ((lines + 4) / 5) * strips;
    // column0 = 0
    const int blocks_each = blocks;
    const int first_place = block;
    #pragma unroll 1
    for (int stage = 0; stage < 2; ++stage) {
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        const int row = r * 8 + (lane & 7);
        const int column = lane >> 3;
        staged_raw[r] = stage * 8 + (lane & 7) < 9 && (r * 2 + warp) * 4 + column < n ? w[(((i64)r * 2 + warp) * 4 + column) * w_out + (i64)stage * 8 + (lane & 7)] : 0;
      }
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        staged[r] = from_fp16(staged_raw[r]);
      }
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        const int row = r * 8 + (lane & 7);
        const int column = lane >> 3;
        filters[(stage * 8 + (lane & 7)) * 292 + (r * 2 + warp) * 4 + column] = staged[r];
      }
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        const int row = r * 8 + (lane & 7);
        const int column = lane >> 3;
        filters[(stage * 8 + (lane & 7)) * 292 + (r * 2 + warp) * 4 + column + 72] = staged[r];
      }
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        const int row = r * 8 + (lane & 7);
        const int column = lane >> 3;
        filters[(stage * 8 + (lane & 7)) * 292 + (r * 2 + warp) * 4 + column + 144] = staged[r];
      }
      #pragma unroll
      for (int r = 0; r < 9; ++r) {
        const int row = r * 8 + (lane & 7);
        const int column = lane >> 3;
        filters[(stage * 8 + (lane & 7)) * 292 + (r * 2 + warp) * 4 + column + 216] = staged[r];
      }
    }
    __syncthreads();
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[(warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element0[0] = __uint_as_float(run.x); element0[0 + 1] = __uint_as_float(run.y); element0[0 + 2] = __uint_as_float(run.z); element0[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[292 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element1[0] = __uint_as_float(run.x); element1[0 + 1] = __uint_as_float(run.y); element1[0 + 2] = __uint_as_float(run.z); element1[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[584 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element2[0] = __uint_as_float(run.x); element2[0 + 1] = __uint_as_float(run.y); element2[0 + 2] = __uint_as_float(run.z); element2[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[876 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element3[0] = __uint_as_float(run.x); element3[0 + 1] = __uint_as_float(run.y); element3[0 + 2] = __uint_as_float(run.z); element3[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[1168 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element4[0] = __uint_as_float(run.x); element4[0 + 1] = __uint_as_float(run.y); element4[0 + 2] = __uint_as_float(run.z); element4[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[1460 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element5[0] = __uint_as_float(run.x); element5[0 + 1] = __uint_as_float(run.y); element5[0 + 2] = __uint_as_float(run.z); element5[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[1752 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element6[0] = __uint_as_float(run.x); element6[0 + 1] = __uint_as_float(run.y); element6[0 + 2] = __uint_as_float(run.z); element6[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[2044 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element7[0] = __uint_as_float(run.x); element7[0 + 1] = __uint_as_float(run.y); element7[0 + 2] = __uint_as_float(run.z); element7[0 + 3] = __uint_as_float(run.w); }
    }
    {
      const int column = lane * 4;
      { const uint4 run = *(const uint4*)&filters[2336 + (warp * 128 + column) / 72 * 72 + (warp * 128 + column) % 72]; element8[0] = __uint_as_float(run.x); element8[0 + 1] = __uint_as_float(run.y); element8[0 + 2] = __uint_as_float(run.z); element8[0 + 3] = __uint_as_float(run.w); }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int column = r + lane * 4;
      bias_0_held[r] = warp_column + column < 216 && (warp_column + column) % 72 < n ? bias_0[(warp_column + column) % 72] : 0.0f;
    }
    #pragma unroll 1
    for (int round = 0; round < floor_divide(places - first_place + blocks_each - 1, blocks_each); ++round) {
      const int place = first_place + round * blocks_each;
      const int first_line = place % ((lines + 4) / 5) * 5;
      const int rest = place / ((lines + 4) / 5);
      const int pixel0 = rest % strips * 6;
      const int image = rest / strips;
      const int first_column = pixel0 - 1;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total1_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total2_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        copy_async8(&rows[(warp * 4 + (r >> 2)) * 128 + (r & 3) + lane * 4], &x[image * x_image + (warp_column + (r & 3) + lane * 4) % 72 + (first_line - 1) * x_row + (first_column + (i64)((warp_column + (r & 3) + lane * 4) / 72) * 2 + (r >> 2)) * 72], 0 <= first_line - 1 && first_line - 1 < height && 0 <= first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) && first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) < width && warp_column + (r & 3) + lane * 4 < 216 && (warp_column + (r & 3) + lane * 4) % 72 < n);
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        copy_async8(&rows[1024 + (warp * 4 + (r >> 2)) * 128 + (r & 3) + lane * 4], &x[image * x_image + (warp_column + (r & 3) + lane * 4) % 72 + (first_line + 1 - 1) * x_row + (first_column + (i64)((warp_column + (r & 3) + lane * 4) / 72) * 2 + (r >> 2)) * 72], first_line + 1 - 1 < height && 0 <= first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) && first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) < width && warp_column + (r & 3) + lane * 4 < 216 && (warp_column + (r & 3) + lane * 4) % 72 < n);
      }
      copy_commit();
      #pragma unroll
      for (int r = 0; r < 16; r += 4) {
        copy_async8(&rows[2048 + (warp * 4 + (r >> 2)) * 128 + (r & 3) + lane * 4], &x[image * x_image + (warp_column + (r & 3) + lane * 4) % 72 + (first_line + 2 - 1) * x_row + (first_column + (i64)((warp_column + (r & 3) + lane * 4) / 72) * 2 + (r >> 2)) * 72], first_line + 2 - 1 < height && 0 <= first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) && first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) < width && warp_column + (r & 3) + lane * 4 < 216 && (warp_column + (r & 3) + lane * 4) % 72 < n);
      }
      copy_commit();
      #pragma unroll 3
      for (int step = 0; step < 7; ++step) {
        copy_wait<2>();
        if (step + 3 < 7) {
          #pragma unroll
          for (int r = 0; r < 16; r += 4) {
            copy_async8(&rows[(step + 3) % 4 * 1024 + (warp * 4 + (r >> 2)) * 128 + (r & 3) + lane * 4], &x[image * x_image + (warp_column + (r & 3) + lane * 4) % 72 + (first_line + step + 3 - 1) * x_row + (first_column + (i64)((warp_column + (r & 3) + lane * 4) / 72) * 2 + (r >> 2)) * 72], first_line + step + 3 - 1 < height && 0 <= first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) && first_column + (warp_column + (r & 3) + lane * 4) / 72 * 2 + (r >> 2) < width && warp_column + (r & 3) + lane * 4 < 216 && (warp_column + (r & 3) + lane * 4) % 72 < n);
          }
        }
        copy_commit();
        const int line = first_line + step - 2;
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int row = r >> 2;
          const int column = (r & 3) + lane * 4;
          { const uint2 run = *(const uint2*)&rows[step % 4 * 1024 + (warp * 4 + row) * 128 + column]; window0_raw[r / 2] = (run.x); window0_raw[r / 2 + 1] = (run.y); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          window0[r] = from_fp16(part16(window0_raw[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total0_0[r] = (total0_0[r] + (part[r] * element6[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total0_0[r] = (total0_0[r] + (part[r] * element7[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total0_0[r] = (total0_0[r] + (part[r] * element8[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total1_0[r] = (total1_0[r] + (part[r] * element3[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total1_0[r] = (total1_0[r] + (part[r] * element4[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total1_0[r] = (total1_0[r] + (part[r] * element5[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total2_0[r] = (total2_0[r] + (part[r] * element0[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total2_0[r] = (total2_0[r] + (part[r] * element1[r & 3]));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          part[r] = window0[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total2_0[r] = (total2_0[r] + (part[r] * element2[r & 3]));
        }
        if (2 <= step && line < lines) {
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            result[r / 2] = pair_fp16(maximum((total0_0[r] + bias_0_held[r & 3]), 0.0f), maximum((total0_0[r + 1] + bias_0_held[r + 1 & 3]), 0.0f));
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 4) {
            const int row = r >> 2;
            const int column = (r & 3) + lane * 4;
            if (pixel0 + (warp_column + column) / 72 * 2 + row < m && warp_column + column < 216 && (warp_column + column) % 72 < n) *(uint2*)&out[image * out_image + line * out_line + (pixel0 + (i64)((warp_column + column) / 72) * 2 + row) * 72 + (warp_column + column) % 72] = make_uint2((result[r / 2]), (result[r / 2 + 1]));
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
        total1_0[0] = total2_0[0];
        total1_0[1] = total2_0[1];
        total1_0[2] = total2_0[2];
        total1_0[3] = total2_0[3];
        total1_0[4] = total2_0[4];
        total1_0[5] = total2_0[5];
        total1_0[6] = total2_0[6];
        total1_0[7] = total2_0[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          total2_0[r] = 0.0f;
        }
      }
      copy_wait<0>();
    }
  }
}
