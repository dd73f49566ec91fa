// tracea: conv2d tf32, rows are pixels, epilogue bias, residual, relu
// variant        cuda.contraction.wgmma_windows_tf32 for sm_90a
// configuration  64x32x32 s3 b128 producer-consumer w8 va4 vb4 vc4 f1
// schedule       8a89103fdee9d38067afd38a888a883e76562ac9bd102ede33b6dbcbe9f630f8
// certificate    f52d951829ebd5643ef5ab8d36c52ff6ae8bf72edcf34db825c4d4c53861e5c6: structure, domains, types, layouts, lanes, addressing, banks, budgets, cover, pipeline, meaning

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
// Hopper: barriers with phases, box copies, warpgroup matrix instructions, clusters. PTX ISA 8.0 and later.
struct alignas(64) BoxMap { unsigned char bytes[128]; };

INLINE unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

template <class T> INLINE T& at(unsigned address) { return *(T*)__cvta_shared_to_generic(address); }
template <class T> INLINE const T& in_block(int rank, unsigned address) {
  const void* remote;
  asm("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(__cvta_shared_to_generic(address)), "r"(rank));
  return *(const T*)remote;
}

// mbarriers. A wait returns once the barrier has completed the phase of that parity.
INLINE void barrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
INLINE void barrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
INLINE void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
INLINE void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra over;\nbra again;\nover:\n}"
      ::"r"(barrier), "r"(parity) : "memory");
}
INLINE void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// No .release.cluster: the arriving thread has only read the slot, through matrix instructions it has waited for, and a release
// at cluster scope is a membar.
INLINE void barrier_arrive_at(unsigned barrier, unsigned rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [remote];\n}"
      ::"r"(barrier), "r"(rank) : "memory");
}
// All instances of a role in all blocks of a cluster meet: what they wrote to shared memory before is visible after. The threads
// of an instance have met before; one of them arrives for all at every block.
INLINE void meet(unsigned barrier, int blocks, int lane, int& phase) {
  if (lane < blocks) {
    asm volatile(
        "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}"
        ::"r"(barrier), "r"(lane) : "memory");
  }
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\nbra again;\nover:\n}"
      ::"r"(barrier), "r"(phase) : "memory");
  phase ^= 1;
}
INLINE void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
INLINE void named_barrier(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
template <int registers> INLINE void raise_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers)); }
template <int registers> INLINE void lower_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers)); }

// Box copies.
INLINE void prefetch_map(const BoxMap* map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }
// What the L2 cache does with the lines, as createpolicy.fractional encodes it (NVIDIA/cutlass, include/cute/arch/copy_sm90_desc.hpp).
constexpr i64 keep = 0x1000000000000000, leave_first = 0x12f0000000000000;
INLINE void box_load(unsigned target, const BoxMap* map, unsigned barrier, i64 policy, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%4, %5}], [%2], %3;"
      ::"r"(target), "l"(map), "r"(barrier), "l"(policy), "r"(x), "r"(y) : "memory");
}
INLINE void box_load(unsigned target, const BoxMap* map, unsigned barrier, i64 policy, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%4, %5, %6}], [%2], %3;"
      ::"r"(target), "l"(map), "r"(barrier), "l"(policy), "r"(x), "r"(y), "r"(z) : "memory");
}
INLINE void box_load_shared(unsigned target, const BoxMap* map, unsigned barrier, unsigned short blocks, i64 policy, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
      " [%0], [%1, {%5, %6}], [%2], %3, %4;"
      ::"r"(target), "l"(map), "r"(barrier), "h"(blocks), "l"(policy), "r"(x), "r"(y) : "memory");
}
INLINE void box_load_shared(unsigned target, const BoxMap* map, unsigned barrier, unsigned short blocks, i64 policy, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
      " [%0], [%1, {%5, %6, %7}], [%2], %3, %4;"
      ::"r"(target), "l"(map), "r"(barrier), "h"(blocks), "l"(policy), "r"(x), "r"(y), "r"(z) : "memory");
}
INLINE void box_store(const BoxMap* map, unsigned source, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(source), "r"(x), "r"(y) : "memory");
}
INLINE void box_store(const BoxMap* map, unsigned source, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map), "r"(source), "r"(x), "r"(y), "r"(z) : "memory");
}
INLINE void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until the stores have read their source; when the kernel ends they have written it, too.
template <int pending> INLINE void store_wait() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory"); }
INLINE void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Warpgroup matrix instructions. A descriptor addresses 8-row groups: start, bytes between column and row groups (all divided by
// 16), and the swizzle (1: 128 bytes, 2: 64, 3: 32).
template <int leading, int stride, int swizzle> INLINE unsigned long long matrix(unsigned address) {
  return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 |
         (unsigned long long)(stride >> 4) << 32 | (unsigned long long)swizzle << 62;
}
INLINE void mma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
INLINE void mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending> INLINE void mma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory"); }
// The compiler keeps no copy of these registers across this point.
template <int count> INLINE void settle(float (&registers)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(registers[i])::"memory");
}
template <int count> INLINE void settle(int (&registers)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(registers[i])::"memory");
}

// 8x8 matrices of 16-bit elements, moved by a warp.
INLINE void store_matrices(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
INLINE void store_matrices(unsigned address, unsigned a, unsigned b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}
INLINE void store_matrices(unsigned address, unsigned a) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(a) : "memory");
}
// Walks over the windows of images (im2col): c, x, y and n are where the first one begins, right and down which element of each is loaded.
INLINE void windows_load(unsigned target, const BoxMap* map, unsigned barrier, int c, int x, int y, int n, int right, int down) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};"
      ::"r"(target), "l"(map), "r"(barrier), "r"(c), "r"(x), "r"(y), "r"(n), "h"((unsigned short)right), "h"((unsigned short)down) : "memory");
}
INLINE void windows_load_shared(
    unsigned target, const BoxMap* map, unsigned barrier, unsigned short blocks, int c, int x, int y, int n, int right, int down) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5, %6, %7}], [%2], {%8, %9}, %3;"
      ::"r"(target), "l"(map), "r"(barrier), "h"(blocks), "r"(c), "r"(x), "r"(y), "r"(n), "h"((unsigned short)right), "h"((unsigned short)down)
      : "memory");
}
INLINE void wgmma_m64n32k8_tf32(float (&c)[16], unsigned long long a, unsigned long long b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
      : "l"(a), "l"(b), "r"(accumulate));
}
#endif

// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.
INLINE int quotient(int a, i64 reciprocal) { return (int)(((unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a) >> (int)(reciprocal >> 32)); }

// x: tf32, read, aligned to 16 bytes
// w: tf32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// out_width_reciprocal: multiplies instead of dividing by out_width; 0 to 9223372036854775807
// out_height_reciprocal: multiplies instead of dividing by out_height; 0 to 9223372036854775807
// k_s_reciprocal: multiplies instead of dividing by k_s; 0 to 9223372036854775807
// m: output pixels of all images; 0 to 2147479552
// n: output channels of a group; 0 to 2147479552
// k_r: reduction axis r; 0 to 2147479552
// k_s: reduction axis s; 1 to 2147479552
// k_c: reduction axis c; 4 to 2147479552 by 4
// out_height: rows of the output image; 1 to 2147479552
// out_width: columns of the output image; 1 to 2147479552
// x_image: x: next image; 0 to 274877906940 by 4
// x_row: x: next row; 0 to 274877906940 by 4
// x_column: x: next column; 0 to 274877906940 by 4
// pad_h: rows of zeros above and below; 0 to 2147479552
// pad_w: columns of zeros at both sides; 0 to 2147479552
// height: rows of the image; 0 to 2147479552
// width: columns of the image; 0 to 2147479552
// w_out: w: next output channel; 0 to 274877906940 by 4
// out_image: out: next image; -4611686018427387904 to 4611686018427387904
// out_channel: out: next channel; -4611686018427387904 to 4611686018427387904
// residual_1_image: residual_1: next image; -4611686018427387904 to 4611686018427387904
// residual_1_channel: residual_1: next channel; -4611686018427387904 to 4611686018427387904
// a_tile: shared of tf32, outer 64 = 8*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 3 slots, kept for a tile, aligned to 1024 bytes
// b_tile: shared of tf32, outer 32 = 4*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 3 slots, kept for a tile, aligned to 1024 bytes
// stage: a ring of 3 slots of a_tile, b_tile, producer to consumer, 12288 bytes a slot
// launch: min((m + 63) // 64 * ((n + 31) // 32), 132 - min((0 - (m + 63) // 64 * ((n + 31) // 32)) % 132 // ((m + 63) // 64 * ((n + 31) // 32) // 132 + 1), 8)) blocks of 256 threads, clusters of 1, 37936 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) conv2d_tf32_64x32x32_173875d3(
    const __grid_constant__ BoxMap x_boxes,
    const __grid_constant__ BoxMap w_boxes,
    const float* __restrict__ x,
    const float* __restrict__ w,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
    const float* __restrict__ residual_1,
    i64 out_width_reciprocal,
    i64 out_height_reciprocal,
    i64 k_s_reciprocal,
    int m,
    int n,
    int k_r,
    int k_s,
    int k_c,
    int out_height,
    int out_width,
    i64 x_image,
    i64 x_row,
    i64 x_column,
    int pad_h,
    int pad_w,
    int height,
    int width,
    i64 w_out,
    i64 out_image,
    i64 out_channel,
    i64 residual_1_image,
    i64 residual_1_channel) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  const int cluster_rank = 0;
  extern __shared__ unsigned char shared_memory[];
  const unsigned shared = (shared_address(shared_memory) + 1023) & ~1023u;
  const unsigned a_tile = shared + 0, b_tile = shared + 24576;
  const unsigned stage_full = shared + 36864, stage_empty = shared + 36888;
  if (thread == 0) {
    prefetch_map(&x_boxes);
    prefetch_map(&w_boxes);
    for (int slot = 0; slot < 3; ++slot) {
      barrier_init(stage_full + 8 * slot, 1);
      barrier_init(stage_empty + 8 * slot, 1);
    }
    barrier_init_fence();
  }
  __syncthreads();
  // producer: warpgroup x 1
  if (thread < 128) {
    lower_registers<40>();
    const int lane = thread;
    if (lane == 0) {
      int stage_slot = 0, stage_phase = 0;
      // row_rank = cluster_rank
      // column_rank = 0
      const int tile_rows = (m + 63) / 64;
      const int tile_columns = (n + 31) / 32;
      const int clusters = blocks;
      const int first = block;
      #pragma unroll 1
      for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
        const int tile = first + round * clusters;
        const int row0 = tile / tile_columns * 64;
        const int column0 = tile % tile_columns * 32;
        const int pixel = row0;
        const int line = quotient(pixel, out_width_reciprocal);
        const int image = quotient(line, out_height_reciprocal);
        const int y0 = line - image * out_height - pad_h;
        const int x0 = pixel - line * out_width - pad_w;
        #pragma unroll 1
        for (int k_step = 0; k_step < k_r * k_s * ((k_c + 31) / 32); ++k_step) {
          const int channel_steps = (k_c + 31) / 32;
          const int filter_element = k_step / channel_steps;
          const int channel = (k_step - filter_element * channel_steps) * 32;
          const int filter_row = quotient(filter_element, k_s_reciprocal);
          const int filter_column = filter_element - filter_row * k_s;
          barrier_wait(stage_empty + 8 * stage_slot, stage_phase ^ 1);
          barrier_expect(stage_full + 8 * stage_slot, 12288);
          windows_load(a_tile + 4 * (stage_slot * 2048), &x_boxes, stage_full + 8 * stage_slot, channel, x0, y0, image, filter_column, filter_row);
          box_load(b_tile + 4 * (stage_slot * 1024), &w_boxes, stage_full + 8 * stage_slot, keep, channel, column0, filter_element);
          if (++stage_slot == 3) {
            stage_slot = 0;
            stage_phase ^= 1;
          }
        }
      }
    }
  }
  // consumer: warpgroup x 1
  else {
    lower_registers<240>();
    const int lane = (thread - 128);
    int stage_slot = 0, stage_phase = 0;
    float acc[16];  // 64x32 fp32 of the warpgroup
    float part32[16];  // 64x32 fp32 of the warpgroup
    float result32[16];  // 64x32 fp32 of the warpgroup
    float bias_0_32_0[8];  // 1x32 fp32 of the warpgroup
    float residual_1_32_0[16];  // 64x32 fp32 of the warpgroup
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 63) / 64;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 64;
      const int column0 = tile % tile_columns * 32;
      const int first_row = row0;
      i64 residual_1_row0[2];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        residual_1_row0[r] = quotient(quotient(first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16, out_width_reciprocal), out_height_reciprocal) * residual_1_image + first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16 - quotient(quotient(first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16, out_width_reciprocal), out_height_reciprocal) * (out_height * out_width);
      }
      i64 out_row0[2];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        out_row0[r] = quotient(quotient(first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16, out_width_reciprocal), out_height_reciprocal) * out_image + first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16 - quotient(quotient(first_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16, out_width_reciprocal), out_height_reciprocal) * (out_height * out_width);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int column = (r >> 1) * 8 + (r & 1) + (lane & 3) * 2;
        bias_0_32_0[r] = column0 + column < n ? bias_0[column0 + (r >> 1) * 8 + (r & 1) + (lane & 3) * 2] : 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
        residual_1_32_0[r] = first_row + row < m && column0 + column < n ? (residual_1 + residual_1_row0[r >> 1 & 1])[(column0 + column) * residual_1_channel] : 0.0f;
      }
      if (k_r * k_s * ((k_c + 31) / 32) <= 0) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          acc[r] = 0.0f;
        }
      }
      if (0 < k_r * k_s * ((k_c + 31) / 32)) {
        barrier_wait(stage_full + 8 * stage_slot, stage_phase);
        settle(acc); mma_fence();
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024)), false);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 8)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 8)), true);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 16)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 16)), true);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 24)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 24)), true);
        mma_commit();
        if (++stage_slot == 3) {
          stage_slot = 0;
          stage_phase ^= 1;
        }
      }
      #pragma unroll 1
      for (int k_step = 1; k_step < k_r * k_s * ((k_c + 31) / 32); ++k_step) {
        barrier_wait(stage_full + 8 * stage_slot, stage_phase);
        settle(acc); mma_fence();
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024)), true);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 8)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 8)), true);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 16)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 16)), true);
        wgmma_m64n32k8_tf32(acc, matrix<16, 1024, 1>(a_tile + 4 * (stage_slot * 2048 + 24)), matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 1024 + 24)), true);
        mma_commit();
        mma_wait<1>();
        if (lane == 0) barrier_arrive(stage_empty + 8 * (stage_slot >= 1 ? stage_slot - 1 : stage_slot + 2));
        if (++stage_slot == 3) {
          stage_slot = 0;
          stage_phase ^= 1;
        }
      }
      if (max(1, k_r * k_s * ((k_c + 31) / 32)) - 1 < k_r * k_s * ((k_c + 31) / 32)) {
        mma_wait<0>();
        if (lane == 0) barrier_arrive(stage_empty + 8 * (stage_slot >= 1 ? stage_slot - 1 : stage_slot + 2));
      }
      mma_wait<0>();
      settle(acc); mma_fence();
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        part32[r] = acc[r];
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        result32[r] = maximum(((part32[r] + bias_0_32_0[(r & 1) + (r >> 2) * 2]) + residual_1_32_0[r]), 0.0f);
      }
      if (first_row + 63 < m && column0 + 31 < n) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          (out + out_row0[r >> 1 & 1])[(column0 + column) * out_channel] = result32[r];
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (first_row + row < m && column0 + column < n) (out + out_row0[r >> 1 & 1])[(column0 + column) * out_channel] = result32[r];
        }
      }
    }
  }
}
