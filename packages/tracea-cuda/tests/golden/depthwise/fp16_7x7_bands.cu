// tracea: conv2d fp16, depthwise, epilogue bias, residual, relu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  16x32x16 s1 va8 vc8 halo
// schedule       1dba61709254353380cec85d2b2a5c74769c14381f32f67a86ce44aa91e5c664
// certificate    c0262489556347b8f60325c5324769a729ec3d4122cbf174f5b7e782a0b075b7: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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
INLINE void mma_m16n8k16_fp16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
#endif

// x: fp16, read, aligned to 16 bytes
// w: fp16, read, aligned to 2 bytes
// out: fp16, write, aligned to 16 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp16, read, aligned to 16 bytes
// n: output channels; 0 to 40 by 8
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// height: rows of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 8
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 8
// residual_1_image: residual_1: next image; -4611686018427387904 to 4611686018427387904 by 8
// residual_1_line: residual_1: next line; -4611686018427387904 to 4611686018427387904 by 8
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// bands: shared of fp16, warp 4 = 4*896, tap 7 = 7*128, run 2 = 2*64, place 8 = 8*8, channel 4 = 4*2, element 2 = 2*1, kept for a tile, aligned to 16 bytes
// rows: shared of fp16, chunk 4 = 4*3280, turn 2 = 2*1632, row 12 = 12*136, column 16 = 16*8, channel 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: ((lines + 15) // 16 * items // lines + max(((lines + 15) // 16 * items // lines + max(264 // max((n + 31) // 32, 1), 1) - 1) // max(264 // max((n + 31) // 32, 1), 1), 1) - 1) // max(((lines + 15) // 16 * items // lines + max(264 // max((n + 31) // 32, 1), 1) - 1) // max(264 // max((n + 31) // 32, 1), 1), 1) * ((n + 31) // 32) blocks of 128 threads, clusters of 1, 33360 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 2) conv2d_fp16_16x32x16_6a4cc446(
    const fp16* __restrict__ x,
    const fp16* __restrict__ w,
    fp16* __restrict__ out,
    const float* __restrict__ bias_0,
    const fp16* __restrict__ residual_1,
    int n,
    int lines,
    int items,
    i64 x_image,
    i64 x_row,
    int height,
    i64 out_image,
    i64 out_line,
    i64 residual_1_image,
    i64 residual_1_line,
    i64 w_out) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  fp16* const bands = (fp16*)(shared + 0);
  fp16* const rows = (fp16*)(shared + 7168);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float total0_0[4];  // 16x8 fp32 of the warp
    float total0_1[4];  // 16x8 fp32 of the warp
    float total0_2[4];  // 16x8 fp32 of the warp
    float total0_3[4];  // 16x8 fp32 of the warp
    float total0_4[4];  // 16x8 fp32 of the warp
    float total0_5[4];  // 16x8 fp32 of the warp
    float total0_6[4];  // 16x8 fp32 of the warp
    float total0_7[4];  // 16x8 fp32 of the warp
    float total1_0[4];  // 16x8 fp32 of the warp
    float total1_1[4];  // 16x8 fp32 of the warp
    float total1_2[4];  // 16x8 fp32 of the warp
    float total1_3[4];  // 16x8 fp32 of the warp
    float total1_4[4];  // 16x8 fp32 of the warp
    float total1_5[4];  // 16x8 fp32 of the warp
    float total1_6[4];  // 16x8 fp32 of the warp
    float total1_7[4];  // 16x8 fp32 of the warp
    unsigned read16[16];  // 16x64 fp16 of the warp
    unsigned filters16[16];  // 16x64 fp16 of the warp
    unsigned band16[4];  // 16x16 fp16 of the warp
    unsigned columns16[2];  // 16x8 fp16 of the warp
    unsigned sorted0_0[16];  // 16x64 fp16 of the warp
    unsigned sorted0_1[16];  // 16x64 fp16 of the warp
    float joined[32];  // 16x64 fp32 of the warp
    unsigned result[16];  // 16x64 fp16 of the warp
    float bias_0_held[16];  // 1x64 fp32 of the warp
    unsigned residual_1_held[16];  // 16x64 fp16 of the warp
    unsigned stored[8];  // 16x32 fp16 of the warp
    unsigned staged[1];  // 8x8 fp16 of the warp
    // strips = 1
    const int places = (lines + 15) / 16 * items / lines;
    const int tile_columns = (n + 31) / 32;
    const int blocks_each = max(blocks / max(tile_columns, 1), 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 32;
      if (first_place < places) {
        const int first_line_copied = first_place % ((lines + 15) / 16) * 16;
        const int rest_copied = first_place / ((lines + 15) / 16);
        // pixel0_copied = rest_copied % strips * 16
        const int image_copied = rest_copied;
        #pragma unroll 6
        for (int pass = 0; pass < 6; ++pass) {
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            copy_async16(&rows[(lane & 3) * 3280 + warp % 2 * 1632 + (pass * 2 + warp / 2) * 136 + ((r >> 3) * 8 + (lane >> 2)) * 8 + (r & 7)], &x[image_copied * x_image + column0 + (r & 7) + (lane & 3) * 8 + (first_line_copied + (i64)pass * 4 + warp - 3) * x_row + (i64)((r >> 3) * 8 + (lane >> 2)) * 40], 0 <= first_line_copied + pass * 4 + warp - 3 && first_line_copied + pass * 4 + warp - 3 < height && (r >> 3) * 8 + (lane >> 2) < 14 && column0 + (r & 7) + (lane & 3) * 8 < n);
          }
        }
      }
      copy_commit();
      #pragma unroll 7
      for (int staged_tap = 0; staged_tap < 7; ++staged_tap) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          staged[r / 2] = with16(staged[r / 2], r * 16, row < 7 && column0 + warp * 8 + column < n ? w[(column0 + (i64)warp * 8 + column) * w_out + (i64)staged_tap * 7 + row] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          bands[warp * 896 + staged_tap * 128 + r * 64 + row * 8 + (lane >> 3) * 2] = part16(staged[r / 2], r * 16);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          bands[warp * 896 + staged_tap * 128 + r * 64 + (row + 7) % 8 * 8 + (lane >> 3) * 2 + 1] = part16(staged[r / 2], r * 16);
        }
      }
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each - 1, blocks_each); ++round) {
        const int place = first_place + round * blocks_each;
        copy_wait<0>();
        __syncthreads();
        const int first_line = place % ((lines + 15) / 16) * 16;
        const int rest = place / ((lines + 15) / 16);
        // pixel0 = rest % strips * 16
        const int image = rest;
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_0[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_1[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_2[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_3[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_4[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_5[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_6[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0_7[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_0[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_1[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_2[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_3[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_4[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_5[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_6[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total1_7[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 3 & 1) + (r >> 4) * 8 + (lane & 3) * 2;
          const int column = (r & 7) * 8 + (lane >> 2);
          { const uint4 run = *(const uint4*)&rows[warp * 3280 + (lane >> 2) * 136 + row * 8 + (r & 7)]; read16[r / 2] = (run.x); read16[r / 2 + 1] = (run.y); read16[r / 2 + 2] = (run.z); read16[r / 2 + 3] = (run.w); }
        }
        sorted0_0[0] = __byte_perm(read16[0], read16[4], 0x5410);
        sorted0_0[1] = __byte_perm(read16[8], read16[12], 0x5410);
        sorted0_0[2] = __byte_perm(read16[0], read16[4], 0x7632);
        sorted0_0[3] = __byte_perm(read16[8], read16[12], 0x7632);
        sorted0_0[4] = __byte_perm(read16[1], read16[5], 0x5410);
        sorted0_0[5] = __byte_perm(read16[9], read16[13], 0x5410);
        sorted0_0[6] = __byte_perm(read16[1], read16[5], 0x7632);
        sorted0_0[7] = __byte_perm(read16[9], read16[13], 0x7632);
        sorted0_0[8] = __byte_perm(read16[2], read16[6], 0x5410);
        sorted0_0[9] = __byte_perm(read16[10], read16[14], 0x5410);
        sorted0_0[10] = __byte_perm(read16[2], read16[6], 0x7632);
        sorted0_0[11] = __byte_perm(read16[10], read16[14], 0x7632);
        sorted0_0[12] = __byte_perm(read16[3], read16[7], 0x5410);
        sorted0_0[13] = __byte_perm(read16[11], read16[15], 0x5410);
        sorted0_0[14] = __byte_perm(read16[3], read16[7], 0x7632);
        sorted0_0[15] = __byte_perm(read16[11], read16[15], 0x7632);
        #pragma unroll 2
        for (int tap = 0; tap < 7; ++tap) {
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int row = (r >> 3 & 1) + (r >> 4) * 8 + (lane & 3) * 2;
            const int column = (r & 7) * 8 + (lane >> 2);
            { const uint4 run = *(const uint4*)&rows[warp * 3280 + (tap + 1) % 2 * 1632 + ((lane >> 2) + (tap + 1) / 2) * 136 + row * 8 + (r & 7)]; read16[r / 2] = (run.x); read16[r / 2 + 1] = (run.y); read16[r / 2 + 2] = (run.z); read16[r / 2 + 3] = (run.w); }
          }
          sorted0_1[0] = __byte_perm(read16[0], read16[4], 0x5410);
          sorted0_1[1] = __byte_perm(read16[8], read16[12], 0x5410);
          sorted0_1[2] = __byte_perm(read16[0], read16[4], 0x7632);
          sorted0_1[3] = __byte_perm(read16[8], read16[12], 0x7632);
          sorted0_1[4] = __byte_perm(read16[1], read16[5], 0x5410);
          sorted0_1[5] = __byte_perm(read16[9], read16[13], 0x5410);
          sorted0_1[6] = __byte_perm(read16[1], read16[5], 0x7632);
          sorted0_1[7] = __byte_perm(read16[9], read16[13], 0x7632);
          sorted0_1[8] = __byte_perm(read16[2], read16[6], 0x5410);
          sorted0_1[9] = __byte_perm(read16[10], read16[14], 0x5410);
          sorted0_1[10] = __byte_perm(read16[2], read16[6], 0x7632);
          sorted0_1[11] = __byte_perm(read16[10], read16[14], 0x7632);
          sorted0_1[12] = __byte_perm(read16[3], read16[7], 0x5410);
          sorted0_1[13] = __byte_perm(read16[11], read16[15], 0x5410);
          sorted0_1[14] = __byte_perm(read16[3], read16[7], 0x7632);
          sorted0_1[15] = __byte_perm(read16[11], read16[15], 0x7632);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 896 + tap * 128 + ((lane & 3) * 2 + (lane >> 2) * 7 + 3) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r];
          }
          mma_m16n8k16_fp16(total0_0, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r];
          }
          mma_m16n8k16_fp16(total1_0, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 2];
          }
          mma_m16n8k16_fp16(total0_1, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 2];
          }
          mma_m16n8k16_fp16(total1_1, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 4];
          }
          mma_m16n8k16_fp16(total0_2, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 4];
          }
          mma_m16n8k16_fp16(total1_2, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 6];
          }
          mma_m16n8k16_fp16(total0_3, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 6];
          }
          mma_m16n8k16_fp16(total1_3, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 896 + tap * 128 + 64 + ((lane & 3) * 2 + (lane >> 2) * 7 + 3) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 8];
          }
          mma_m16n8k16_fp16(total0_4, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 8];
          }
          mma_m16n8k16_fp16(total1_4, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 10];
          }
          mma_m16n8k16_fp16(total0_5, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 10];
          }
          mma_m16n8k16_fp16(total1_5, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 12];
          }
          mma_m16n8k16_fp16(total0_6, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 12];
          }
          mma_m16n8k16_fp16(total1_6, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) + 3 < 7)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_0[r + 14];
          }
          mma_m16n8k16_fp16(total0_7, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted0_1[r + 14];
          }
          mma_m16n8k16_fp16(total1_7, band16, columns16);
          sorted0_0[0] = sorted0_1[0];
          sorted0_0[1] = sorted0_1[1];
          sorted0_0[2] = sorted0_1[2];
          sorted0_0[3] = sorted0_1[3];
          sorted0_0[4] = sorted0_1[4];
          sorted0_0[5] = sorted0_1[5];
          sorted0_0[6] = sorted0_1[6];
          sorted0_0[7] = sorted0_1[7];
          sorted0_0[8] = sorted0_1[8];
          sorted0_0[9] = sorted0_1[9];
          sorted0_0[10] = sorted0_1[10];
          sorted0_0[11] = sorted0_1[11];
          sorted0_0[12] = sorted0_1[12];
          sorted0_0[13] = sorted0_1[13];
          sorted0_0[14] = sorted0_1[14];
          sorted0_0[15] = sorted0_1[15];
        }
        __syncthreads();
        joined[0] = total0_0[0];
        joined[1] = total0_0[1];
        joined[2] = total0_0[2];
        joined[3] = total0_0[3];
        joined[4] = total0_1[0];
        joined[5] = total0_1[1];
        joined[6] = total0_1[2];
        joined[7] = total0_1[3];
        joined[8] = total0_2[0];
        joined[9] = total0_2[1];
        joined[10] = total0_2[2];
        joined[11] = total0_2[3];
        joined[12] = total0_3[0];
        joined[13] = total0_3[1];
        joined[14] = total0_3[2];
        joined[15] = total0_3[3];
        joined[16] = total0_4[0];
        joined[17] = total0_4[1];
        joined[18] = total0_4[2];
        joined[19] = total0_4[3];
        joined[20] = total0_5[0];
        joined[21] = total0_5[1];
        joined[22] = total0_5[2];
        joined[23] = total0_5[3];
        joined[24] = total0_6[0];
        joined[25] = total0_6[1];
        joined[26] = total0_6[2];
        joined[27] = total0_6[3];
        joined[28] = total0_7[0];
        joined[29] = total0_7[1];
        joined[30] = total0_7[2];
        joined[31] = total0_7[3];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = (r & 7) * 8 + (r >> 3) + (lane & 3) * 2;
          bias_0_held[r] = column0 + warp * 8 + (r & 7) < n ? bias_0[column0 + (i64)warp * 8 + (r & 7)] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 4) * 8 + (lane >> 2);
          const int column = (r & 7) * 8 + (r >> 3 & 1) + (lane & 3) * 2;
          if (row < 14 && first_line + ((r >> 3 & 1) + (lane & 3) * 2) * 2 < lines && column0 + warp * 8 + (r & 7) < n) { const uint4 run = *(const uint4*)&residual_1[image * residual_1_image + (first_line + (i64)((r >> 3 & 1) + (lane & 3) * 2) * 2) * residual_1_line + (i64)row * 40 + column0 + (i64)warp * 8 + (r & 7)]; residual_1_held[r / 2] = (run.x); residual_1_held[r / 2 + 1] = (run.y); residual_1_held[r / 2 + 2] = (run.z); residual_1_held[r / 2 + 3] = (run.w); }
          else { residual_1_held[r / 2] = 0; residual_1_held[r / 2 + 1] = 0; residual_1_held[r / 2 + 2] = 0; residual_1_held[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result[r / 2] = pair_fp16(maximum(((joined[(r & 7) * 4 + (r >> 3)] + bias_0_held[r & 15]) + from_fp16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((joined[(r + 1 & 7) * 4 + (r + 1 >> 3)] + bias_0_held[r + 1 & 15]) + from_fp16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 4) * 8 + (lane >> 2);
          const int column = (r & 7) * 8 + (r >> 3 & 1) + (lane & 3) * 2;
          *(uint4*)&rows[warp * 3280 + ((r >> 3 & 1) + (lane & 3) * 2) * 136 + row * 8 + (r & 7)] = make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3]));
        }
        joined[0] = total1_0[0];
        joined[1] = total1_0[1];
        joined[2] = total1_0[2];
        joined[3] = total1_0[3];
        joined[4] = total1_1[0];
        joined[5] = total1_1[1];
        joined[6] = total1_1[2];
        joined[7] = total1_1[3];
        joined[8] = total1_2[0];
        joined[9] = total1_2[1];
        joined[10] = total1_2[2];
        joined[11] = total1_2[3];
        joined[12] = total1_3[0];
        joined[13] = total1_3[1];
        joined[14] = total1_3[2];
        joined[15] = total1_3[3];
        joined[16] = total1_4[0];
        joined[17] = total1_4[1];
        joined[18] = total1_4[2];
        joined[19] = total1_4[3];
        joined[20] = total1_5[0];
        joined[21] = total1_5[1];
        joined[22] = total1_5[2];
        joined[23] = total1_5[3];
        joined[24] = total1_6[0];
        joined[25] = total1_6[1];
        joined[26] = total1_6[2];
        joined[27] = total1_6[3];
        joined[28] = total1_7[0];
        joined[29] = total1_7[1];
        joined[30] = total1_7[2];
        joined[31] = total1_7[3];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = (r & 7) * 8 + (r >> 3) + (lane & 3) * 2;
          bias_0_held[r] = column0 + warp * 8 + (r & 7) < n ? bias_0[column0 + (i64)warp * 8 + (r & 7)] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 4) * 8 + (lane >> 2);
          const int column = (r & 7) * 8 + (r >> 3 & 1) + (lane & 3) * 2;
          if (row < 14 && first_line + ((r >> 3 & 1) + (lane & 3) * 2) * 2 + 1 < lines && column0 + warp * 8 + (r & 7) < n) { const uint4 run = *(const uint4*)&residual_1[image * residual_1_image + (first_line + (i64)((r >> 3 & 1) + (lane & 3) * 2) * 2 + 1) * residual_1_line + (i64)row * 40 + column0 + (i64)warp * 8 + (r & 7)]; residual_1_held[r / 2] = (run.x); residual_1_held[r / 2 + 1] = (run.y); residual_1_held[r / 2 + 2] = (run.z); residual_1_held[r / 2 + 3] = (run.w); }
          else { residual_1_held[r / 2] = 0; residual_1_held[r / 2 + 1] = 0; residual_1_held[r / 2 + 2] = 0; residual_1_held[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result[r / 2] = pair_fp16(maximum(((joined[(r & 7) * 4 + (r >> 3)] + bias_0_held[r & 15]) + from_fp16(part16(residual_1_held[r / 2], (r & 1) * 16))), 0.0f), maximum(((joined[(r + 1 & 7) * 4 + (r + 1 >> 3)] + bias_0_held[r + 1 & 15]) + from_fp16(part16(residual_1_held[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 4) * 8 + (lane >> 2);
          const int column = (r & 7) * 8 + (r >> 3 & 1) + (lane & 3) * 2;
          *(uint4*)&rows[warp * 3280 + 1632 + ((r >> 3 & 1) + (lane & 3) * 2) * 136 + row * 8 + (r & 7)] = make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3]));
        }
        __syncthreads();
        #pragma unroll 4
        for (int ended_pass = 0; ended_pass < 4; ++ended_pass) {
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            const int row = (r >> 3) * 8 + (lane >> 2);
            const int column = (r & 7) + (lane & 3) * 8;
            { const uint4 run = *(const uint4*)&rows[(lane & 3) * 3280 + warp % 2 * 1632 + (ended_pass * 2 + warp / 2) * 136 + row * 8 + (r & 7)]; stored[r / 2] = (run.x); stored[r / 2 + 1] = (run.y); stored[r / 2 + 2] = (run.z); stored[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            const int row = (r >> 3) * 8 + (lane >> 2);
            const int column = (r & 7) + (lane & 3) * 8;
            if (row < 14 && first_line + ended_pass * 4 + warp < lines && column0 + column < n) *(uint4*)&out[image * out_image + (first_line + (i64)ended_pass * 4 + warp) * out_line + (i64)row * 40 + column0 + column] = make_uint4((stored[r / 2]), (stored[r / 2 + 1]), (stored[r / 2 + 2]), (stored[r / 2 + 3]));
          }
        }
        if (place + blocks_each < places) {
          const int first_line_copied = (place + blocks_each) % ((lines + 15) / 16) * 16;
          const int rest_copied = (place + blocks_each) / ((lines + 15) / 16);
          // pixel0_copied = rest_copied % strips * 16
          const int image_copied = rest_copied;
          #pragma unroll 6
          for (int pass = 0; pass < 6; ++pass) {
            #pragma unroll
            for (int r = 0; r < 16; r += 8) {
              copy_async16(&rows[(lane & 3) * 3280 + warp % 2 * 1632 + (pass * 2 + warp / 2) * 136 + ((r >> 3) * 8 + (lane >> 2)) * 8 + (r & 7)], &x[image_copied * x_image + column0 + (r & 7) + (lane & 3) * 8 + (first_line_copied + (i64)pass * 4 + warp - 3) * x_row + (i64)((r >> 3) * 8 + (lane >> 2)) * 40], 0 <= first_line_copied + pass * 4 + warp - 3 && first_line_copied + pass * 4 + warp - 3 < height && (r >> 3) * 8 + (lane >> 2) < 14 && column0 + (r & 7) + (lane & 3) * 8 < n);
            }
          }
        }
        copy_commit();
      }
      __syncthreads();
    }
    copy_wait<0>();
  }
}
