// tracea: conv2d bf16, depthwise, epilogue bias, gelu
// variant        cuda.contraction.depthwise for sm_90a
// configuration  16x16x8 s2 w2 va8 vc8 halo
// schedule       84282bfc6fd70e30f283bdd1b063796cacd4c428093212120268473c78a12cba
// certificate    c6d210ea882011373080b9aca2896f6e829f8b4d4266c5146d77f83dcda18603: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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
INLINE void mma_m16n8k16_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((a[2])), "r"((a[3])), "r"((b[0])), "r"((b[1])));
}
INLINE void mma_m16n8k8_bf16(float (&c)[4], const unsigned (&a)[2], const unsigned (&b)[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"((a[0])), "r"((a[1])), "r"((b[0])));
}
#endif

// x: bf16, read, aligned to 16 bytes
// w: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 16 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: pixels of an output line; 1 to 2147479552
// n: output channels; 0 to 40 by 8
// lines: lines of an output image; 1 to 2147479552
// items: lines of all output images; 0 to 2147479552
// x_image: x: next image; -4611686018427387904 to 4611686018427387904 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// out_image: out: next image; -4611686018427387904 to 4611686018427387904 by 8
// out_line: out: next line; -4611686018427387904 to 4611686018427387904 by 8
// w_out: w: next filter; -4611686018427387904 to 4611686018427387904
// bands: shared of bf16, warp 2 = 2*640, tap 5 = 5*128, run 2 = 2*64, place 8 = 8*8, channel 4 = 4*2, element 2 = 2*1, kept for a tile, aligned to 16 bytes
// rows: shared of bf16, chunk 2 = 2*7840, turn 2 = 2*3920, row 10 = 10*392, column 48 = 48*8, channel 8 = 8*1, 2 slots, kept for a tile, aligned to 16 bytes
// launch: ((lines + 7) // 8 * ((m + 15) // 16) * items // lines + max(((lines + 7) // 8 * ((m + 15) // 16) * items // lines + max(396 // max((n + 15) // 16, 1), 1) - 1) // max(396 // max((n + 15) // 16, 1), 1), 1) - 1) // max(((lines + 7) // 8 * ((m + 15) // 16) * items // lines + max(396 // max((n + 15) // 16, 1), 1) - 1) // max(396 // max((n + 15) // 16, 1), 1), 1) * ((n + 15) // 16) blocks of 64 threads, clusters of 1, 65248 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64, 3) conv2d_bf16_16x16x8_9d4117d0(
    const bf16* __restrict__ x,
    const bf16* __restrict__ w,
    bf16* __restrict__ out,
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
  bf16* const bands = (bf16*)(shared + 0);
  bf16* const rows = (bf16*)(shared + 2560);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 2
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
    unsigned read16[16];  // 16x64 bf16 of the warp
    unsigned filters16[16];  // 16x64 bf16 of the warp
    unsigned band16[4];  // 16x16 bf16 of the warp
    unsigned columns16[2];  // 16x8 bf16 of the warp
    unsigned read8[8];  // 8x64 bf16 of the warp
    unsigned filters8[8];  // 16x32 bf16 of the warp
    unsigned band8[2];  // 16x8 bf16 of the warp
    unsigned columns8[1];  // 8x8 bf16 of the warp
    unsigned sorted_of16_0[16];  // 16x64 bf16 of the warp
    unsigned sorted_of8_0[8];  // 8x64 bf16 of the warp
    float joined[32];  // 16x64 fp32 of the warp
    unsigned result[16];  // 16x64 bf16 of the warp
    float bias_0_held[16];  // 1x64 fp32 of the warp
    unsigned stored[4];  // 16x16 bf16 of the warp
    unsigned staged[1];  // 8x8 bf16 of the warp
    const int strips = (m + 15) / 16;
    const int places = (lines + 7) / 8 * ((m + 15) / 16) * items / lines;
    const int tile_columns = (n + 15) / 16;
    const int blocks_each = max(blocks / max(tile_columns, 1), 1);
    const int columns_apart = blocks / blocks_each;
    const int column = block / blocks_each;
    const int first_place = block % blocks_each;
    #pragma unroll 1
    for (int turn = 0; turn < floor_divide(tile_columns - column + columns_apart - 1, columns_apart); ++turn) {
      const int column0 = (column + turn * columns_apart) * 16;
      if (first_place < places) {
        const int first_line_copied = first_place % ((lines + 7) / 8) * 8;
        const int rest_copied = first_place / ((lines + 7) / 8);
        const int pixel0_copied = rest_copied % strips * 16;
        const int image_copied = rest_copied / strips;
        #pragma unroll 2
        for (int pass = 0; pass < 10; ++pass) {
          #pragma unroll
          for (int r = 0; r < 24; r += 8) {
            copy_async16(&rows[(lane & 1) * 7840 + warp * 3920 + pass * 392 + ((r >> 3) * 16 + (lane >> 1)) * 8 + (r & 7)], &x[image_copied * x_image + column0 + (r & 7) + (lane & 1) * 8 + ((i64)first_line_copied * 2 + (i64)pass * 2 + warp - 2) * x_row + ((i64)pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1)) * 40], 0 <= first_line_copied * 2 + pass * 2 + warp - 2 && first_line_copied * 2 + pass * 2 + warp - 2 < height && 0 <= pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1) && pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1) < width && column0 + (r & 7) + (lane & 1) * 8 < n);
          }
        }
      }
      copy_commit();
      #pragma unroll 5
      for (int staged_tap = 0; staged_tap < 5; ++staged_tap) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          staged[r / 2] = with16(staged[r / 2], r * 16, row < 5 && column0 + warp * 8 + column < n ? w[(column0 + (i64)warp * 8 + column) * w_out + (i64)staged_tap * 5 + row] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          bands[warp * 640 + staged_tap * 128 + r * 64 + row * 8 + (lane >> 3) * 2] = part16(staged[r / 2], r * 16);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = lane & 7;
          const int column = r * 4 + (lane >> 3);
          bands[warp * 640 + staged_tap * 128 + r * 64 + (row + 7) % 8 * 8 + (lane >> 3) * 2 + 1] = part16(staged[r / 2], r * 16);
        }
      }
      #pragma unroll 1
      for (int round = 0; round < floor_divide(places - first_place + blocks_each - 1, blocks_each); ++round) {
        const int place = first_place + round * blocks_each;
        if (place + blocks_each < places) {
          const int first_line_copied = (place + blocks_each) % ((lines + 7) / 8) * 8;
          const int rest_copied = (place + blocks_each) / ((lines + 7) / 8);
          const int pixel0_copied = rest_copied % strips * 16;
          const int image_copied = rest_copied / strips;
          #pragma unroll 2
          for (int pass = 0; pass < 10; ++pass) {
            #pragma unroll
            for (int r = 0; r < 24; r += 8) {
              copy_async16(&rows[(round + 1) % 2 * 15672 + (lane & 1) * 7840 + warp * 3920 + pass * 392 + ((r >> 3) * 16 + (lane >> 1)) * 8 + (r & 7)], &x[image_copied * x_image + column0 + (r & 7) + (lane & 1) * 8 + ((i64)first_line_copied * 2 + (i64)pass * 2 + warp - 2) * x_row + ((i64)pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1)) * 40], 0 <= first_line_copied * 2 + pass * 2 + warp - 2 && first_line_copied * 2 + pass * 2 + warp - 2 < height && 0 <= pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1) && pixel0_copied * 2 - 2 + (r >> 3) * 16 + (lane >> 1) < width && column0 + (r & 7) + (lane & 1) * 8 < n);
            }
          }
        }
        copy_commit();
        copy_wait<1>();
        __syncthreads();
        const int first_line = place % ((lines + 7) / 8) * 8;
        const int rest = place / ((lines + 7) / 8);
        const int pixel0 = rest % strips * 16;
        const int image = rest / strips;
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
        #pragma unroll 1
        for (int tap = 0; tap < 5; ++tap) {
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int row = (r >> 3 & 1) + (r >> 4) * 8 + (lane & 3) * 2;
            const int column = (r & 7) * 8 + (lane >> 2);
            { const uint4 run = *(const uint4*)&rows[round % 2 * 15672 + warp * 7840 + tap % 2 * 3920 + ((lane >> 2) + tap / 2) * 392 + row * 8 + (r & 7)]; read16[r / 2] = (run.x); read16[r / 2 + 1] = (run.y); read16[r / 2 + 2] = (run.z); read16[r / 2 + 3] = (run.w); }
          }
          sorted_of16_0[0] = __byte_perm(read16[0], read16[4], 0x5410);
          sorted_of16_0[1] = __byte_perm(read16[8], read16[12], 0x5410);
          sorted_of16_0[2] = __byte_perm(read16[0], read16[4], 0x7632);
          sorted_of16_0[3] = __byte_perm(read16[8], read16[12], 0x7632);
          sorted_of16_0[4] = __byte_perm(read16[1], read16[5], 0x5410);
          sorted_of16_0[5] = __byte_perm(read16[9], read16[13], 0x5410);
          sorted_of16_0[6] = __byte_perm(read16[1], read16[5], 0x7632);
          sorted_of16_0[7] = __byte_perm(read16[9], read16[13], 0x7632);
          sorted_of16_0[8] = __byte_perm(read16[2], read16[6], 0x5410);
          sorted_of16_0[9] = __byte_perm(read16[10], read16[14], 0x5410);
          sorted_of16_0[10] = __byte_perm(read16[2], read16[6], 0x7632);
          sorted_of16_0[11] = __byte_perm(read16[10], read16[14], 0x7632);
          sorted_of16_0[12] = __byte_perm(read16[3], read16[7], 0x5410);
          sorted_of16_0[13] = __byte_perm(read16[11], read16[15], 0x5410);
          sorted_of16_0[14] = __byte_perm(read16[3], read16[7], 0x7632);
          sorted_of16_0[15] = __byte_perm(read16[11], read16[15], 0x7632);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r];
          }
          mma_m16n8k16_bf16(total0_0, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 2];
          }
          mma_m16n8k16_bf16(total0_1, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 4];
          }
          mma_m16n8k16_bf16(total0_2, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 6];
          }
          mma_m16n8k16_bf16(total0_3, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + 64 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 8];
          }
          mma_m16n8k16_bf16(total0_4, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 10];
          }
          mma_m16n8k16_bf16(total0_5, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 12];
          }
          mma_m16n8k16_bf16(total0_6, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 14];
          }
          mma_m16n8k16_bf16(total0_7, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int row = (r >> 3 & 1) + (r >> 4) * 8 + (lane & 3) * 2;
            const int column = (r & 7) * 8 + (lane >> 2);
            { const uint4 run = *(const uint4*)&rows[round % 2 * 15672 + warp * 7840 + tap % 2 * 3920 + ((lane >> 2) + tap / 2) * 392 + (row + 16) * 8 + (r & 7)]; read16[r / 2] = (run.x); read16[r / 2 + 1] = (run.y); read16[r / 2 + 2] = (run.z); read16[r / 2 + 3] = (run.w); }
          }
          sorted_of16_0[0] = __byte_perm(read16[0], read16[4], 0x5410);
          sorted_of16_0[1] = __byte_perm(read16[8], read16[12], 0x5410);
          sorted_of16_0[2] = __byte_perm(read16[0], read16[4], 0x7632);
          sorted_of16_0[3] = __byte_perm(read16[8], read16[12], 0x7632);
          sorted_of16_0[4] = __byte_perm(read16[1], read16[5], 0x5410);
          sorted_of16_0[5] = __byte_perm(read16[9], read16[13], 0x5410);
          sorted_of16_0[6] = __byte_perm(read16[1], read16[5], 0x7632);
          sorted_of16_0[7] = __byte_perm(read16[9], read16[13], 0x7632);
          sorted_of16_0[8] = __byte_perm(read16[2], read16[6], 0x5410);
          sorted_of16_0[9] = __byte_perm(read16[10], read16[14], 0x5410);
          sorted_of16_0[10] = __byte_perm(read16[2], read16[6], 0x7632);
          sorted_of16_0[11] = __byte_perm(read16[10], read16[14], 0x7632);
          sorted_of16_0[12] = __byte_perm(read16[3], read16[7], 0x5410);
          sorted_of16_0[13] = __byte_perm(read16[11], read16[15], 0x5410);
          sorted_of16_0[14] = __byte_perm(read16[3], read16[7], 0x7632);
          sorted_of16_0[15] = __byte_perm(read16[11], read16[15], 0x7632);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r];
          }
          mma_m16n8k16_bf16(total0_0, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 2];
          }
          mma_m16n8k16_bf16(total0_1, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 4];
          }
          mma_m16n8k16_bf16(total0_2, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 6];
          }
          mma_m16n8k16_bf16(total0_3, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 32; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 16 + (r >> 4) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + 64 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters16[r / 2] = (run.x); filters16[r / 2 + 1] = (run.y); filters16[r / 2 + 2] = (run.z); filters16[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 8];
          }
          mma_m16n8k16_bf16(total0_4, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 10];
          }
          mma_m16n8k16_bf16(total0_5, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 12];
          }
          mma_m16n8k16_bf16(total0_6, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            band16[r] = filters16[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 8; r += 2) {
            if (!(-1 <= ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 && ((r >> 2) * 4 + (lane & 3)) * 2 - ((r >> 1 & 1) * 8 + (lane >> 2)) * 2 + 16 < 5)) band16[r / 2] = 0u;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            columns16[r] = sorted_of16_0[r + 14];
          }
          mma_m16n8k16_bf16(total0_7, band16, columns16);
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            const int row = (r >> 3) + (lane & 3) * 2;
            const int column = (r & 7) * 8 + (lane >> 2);
            { const uint4 run = *(const uint4*)&rows[round % 2 * 15672 + warp * 7840 + tap % 2 * 3920 + ((lane >> 2) + tap / 2) * 392 + (row + 32) * 8 + (r & 7)]; read8[r / 2] = (run.x); read8[r / 2 + 1] = (run.y); read8[r / 2 + 2] = (run.z); read8[r / 2 + 3] = (run.w); }
          }
          sorted_of8_0[0] = __byte_perm(read8[0], read8[4], 0x5410);
          sorted_of8_0[1] = __byte_perm(read8[0], read8[4], 0x7632);
          sorted_of8_0[2] = __byte_perm(read8[1], read8[5], 0x5410);
          sorted_of8_0[3] = __byte_perm(read8[1], read8[5], 0x7632);
          sorted_of8_0[4] = __byte_perm(read8[2], read8[6], 0x5410);
          sorted_of8_0[5] = __byte_perm(read8[2], read8[6], 0x7632);
          sorted_of8_0[6] = __byte_perm(read8[3], read8[7], 0x5410);
          sorted_of8_0[7] = __byte_perm(read8[3], read8[7], 0x7632);
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters8[r / 2] = (run.x); filters8[r / 2 + 1] = (run.y); filters8[r / 2 + 2] = (run.z); filters8[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[0];
          }
          mma_m16n8k8_bf16(total0_0, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[1];
          }
          mma_m16n8k8_bf16(total0_1, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[2];
          }
          mma_m16n8k8_bf16(total0_2, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[3];
          }
          mma_m16n8k8_bf16(total0_3, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 16; r += 8) {
            const int column = (r & 1) + (r >> 1 & 3) * 8 + (lane & 3) * 2;
            { const uint4 run = *(const uint4*)&bands[warp * 640 + tap * 128 + 64 + ((lane & 3) * 2 + (lane >> 2) * 6) % 8 * 8 + (r >> 1 & 3) * 2 + (r & 1)]; filters8[r / 2] = (run.x); filters8[r / 2 + 1] = (run.y); filters8[r / 2 + 2] = (run.z); filters8[r / 2 + 3] = (run.w); }
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[4];
          }
          mma_m16n8k8_bf16(total0_4, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 1];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[5];
          }
          mma_m16n8k8_bf16(total0_5, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 2];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[6];
          }
          mma_m16n8k8_bf16(total0_6, band8, columns8);
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            band8[r] = filters8[r * 4 + 3];
          }
          #pragma unroll
          for (int r = 0; r < 4; r += 2) {
            if (!((lane & 3) * 2 - ((r >> 1) * 8 + (lane >> 2)) * 2 + 32 < 5)) band8[r / 2] = 0u;
          }
          {
            columns8[0] = sorted_of8_0[7];
          }
          mma_m16n8k8_bf16(total0_7, band8, columns8);
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
        // nearly 0.5 * (joined + bias_0_held) * (1 + erf((joined + bias_0_held) * 0.70710678118654757))
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          float low;
          {
            const float v0 = joined[(r & 7) * 4 + (r >> 3)] + bias_0_held[r & 15];
            const float v1 = minimum(fabsf(v0), 5.75f);
            low = (maximum(v0, 0.0f) - (v1 * fast_exp2(((((((((((((0.000031873376f * v1) + -0.0007499225f) * v1) + 0.007991372f) * v1) + -0.05323726f) * v1) + -0.45892552f) * v1) + -1.1511453f) * v1) + -0.99999917f))));
          }
          float high;
          {
            const float v0 = joined[(r + 1 & 7) * 4 + (r + 1 >> 3)] + bias_0_held[r + 1 & 15];
            const float v1 = minimum(fabsf(v0), 5.75f);
            high = (maximum(v0, 0.0f) - (v1 * fast_exp2(((((((((((((0.000031873376f * v1) + -0.0007499225f) * v1) + 0.007991372f) * v1) + -0.05323726f) * v1) + -0.45892552f) * v1) + -1.1511453f) * v1) + -0.99999917f))));
          }
          result[r / 2] = pair_bf16(low, high);
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 4) * 8 + (lane >> 2);
          const int column = (r & 7) * 8 + (r >> 3 & 1) + (lane & 3) * 2;
          *(uint4*)&rows[round % 2 * 15672 + warp * 7840 + ((r >> 3 & 1) + (lane & 3) * 2) * 392 + row * 8 + (r & 7)] = make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3]));
        }
        __syncthreads();
        #pragma unroll 4
        for (int ended_pass = 0; ended_pass < 4; ++ended_pass) {
          {
            const int row = lane >> 1;
            const int column = (lane & 1) * 8;
            { const uint4 run = *(const uint4*)&rows[round % 2 * 15672 + column / 8 * 7840 + (ended_pass * 2 + warp) * 392 + row * 8]; stored[0] = (run.x); stored[0 + 1] = (run.y); stored[0 + 2] = (run.z); stored[0 + 3] = (run.w); }
          }
          {
            const int row = lane >> 1;
            const int column = (lane & 1) * 8;
            if (pixel0 + row < m && first_line + ended_pass * 2 + warp < lines && column0 + column < n) *(uint4*)&out[image * out_image + (first_line + (i64)ended_pass * 2 + warp) * out_line + (i64)(pixel0 + row) * 40 + column0 + column] = make_uint4((stored[0]), (stored[0 + 1]), (stored[0 + 2]), (stored[0 + 3]));
          }
        }
        __syncthreads();
      }
      __syncthreads();
    }
    copy_wait<0>();
  }
}
