// tracea: matmul fp32, computed transposed, epilogue bias, relu
// variant        cuda.contraction.wgmma_tf32 for sm_90a
// configuration  128x128x32 s4 b128 producer-consumer grouped w12 va4 vb4 vc8
// schedule       f0b88c2b28fd2e9d529329d4a29942189c7600395ed385475f9d0bc3720a9946
// certificate    7fabe2dc60e7ff04cfbc3c2a036f12abe2af59c3b7338ee8dd71f70529eeed4e: structure, domains, types, layouts, lanes, addressing, banks, budgets, cover, pipeline, meaning

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
INLINE void wgmma_ra_m64n128k8_tf32(float (&c)[64], float a0, float a1, float a2, float a3, unsigned long long b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, {%64, %65, %66, %67}, %68, p, 1, 1;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)), "r"(__float_as_uint(a3)), "l"(b), "r"(accumulate));
}
#endif

// a: tf32, read, aligned to 16 bytes
// b: tf32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// k: length of the reduction; 0 to 2147479552
// a_row: a: next row; 0 to 274877906940 by 4
// b_row: b: next row; 0 to 274877906940 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// a_tile: shared of tf32, k 32 = 32*136, outer 136 = 136*1, 4 slots, kept for a tile, aligned to 1024 bytes
// b_tile: shared of tf32, outer 128 = 16*256 + 3 bits, k 32 = 5 bits, atom 2^8 with XOR, 4 slots, kept for a tile, aligned to 1024 bytes
// stage: a ring of 4 slots of a_tile, b_tile, producer to consumer, 33792 bytes a slot
// launch: min((n + 127) // 128 * ((m + 127) // 128), 132 - min((0 - (n + 127) // 128 * ((m + 127) // 128)) % 132 // ((n + 127) // 128 * ((m + 127) // 128) // 132 + 1), 8)) blocks of 384 threads, clusters of 1, 136256 bytes of shared memory
extern "C" __global__ void __launch_bounds__(384, 1) matmul_fp32_128x128x32_d9477fb8(
    const __grid_constant__ BoxMap b_boxes,
    const __grid_constant__ BoxMap a_boxes,
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  const int cluster_rank = 0;
  extern __shared__ unsigned char shared_memory[];
  const unsigned shared = (shared_address(shared_memory) + 1023) & ~1023u;
  const unsigned a_tile = shared + 0, b_tile = shared + 69632;
  const unsigned stage_full = shared + 135168, stage_empty = shared + 135200;
  if (thread == 0) {
    prefetch_map(&b_boxes);
    prefetch_map(&a_boxes);
    for (int slot = 0; slot < 4; ++slot) {
      barrier_init(stage_full + 8 * slot, 1);
      barrier_init(stage_empty + 8 * slot, 8);
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
      const int tile_rows = (n + 127) / 128;
      const int tile_columns = (m + 127) / 128;
      const int clusters = blocks;
      const int first = block;
      #pragma unroll 1
      for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
        const int tile = first + round * clusters;
        const int band = tile / (tile_columns * 8);
        const int band_rows = min(tile_rows - band * 8, 8);
        const int in_band = tile - band * 8 * tile_columns;
        const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 128;
        const int column0 = floor_divide(in_band, band_rows) * 128;
        #pragma unroll 1
        for (int k_step = 0; k_step < (k + 31) / 32; ++k_step) {
          barrier_wait(stage_empty + 8 * stage_slot, stage_phase ^ 1);
          barrier_expect(stage_full + 8 * stage_slot, 33792);
          box_load(a_tile + 4 * (stage_slot * 4352), &b_boxes, stage_full + 8 * stage_slot, m <= 512 && m <= k / 16 ? leave_first : keep, row0, k_step * 32);
          box_load(b_tile + 4 * (stage_slot * 4096), &a_boxes, stage_full + 8 * stage_slot, n <= 512 && n <= k / 16 ? leave_first : keep, k_step * 32, column0);
          if (++stage_slot == 4) {
            stage_slot = 0;
            stage_phase ^= 1;
          }
        }
      }
    }
  }
  // consumer: warpgroup x 2
  else {
    raise_registers<232>();
    const int lane = (thread - 128) % 128;
    const int consumer = __shfl_sync(0xffffffffu, (thread - 128) / 128, 0);
    int stage_slot = 0, stage_phase = 0;
    float acc[64];  // 64x128 fp32 of the warpgroup
    float part64[32];  // 64x64 fp32 of the warpgroup
    float result64[32];  // 64x64 fp32 of the warpgroup
    float bias_0_64_0[2];  // 64x1 fp32 of the warpgroup
    float bias_0_64_1[2];  // 64x1 fp32 of the warpgroup
    float a0_0[4];  // 64x8 tf32 of the warpgroup
    float a0_8[4];  // 64x8 tf32 of the warpgroup
    float a0_16[4];  // 64x8 tf32 of the warpgroup
    float a0_24[4];  // 64x8 tf32 of the warpgroup
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (n + 127) / 128;
    const int tile_columns = (m + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int band = tile / (tile_columns * 8);
      const int band_rows = min(tile_rows - band * 8, 8);
      const int in_band = tile - band * 8 * tile_columns;
      const int row0 = (band * 8 + floor_modulo(in_band, band_rows)) * 128;
      const int column0 = floor_divide(in_band, band_rows) * 128;
      const int first_row = row0 + consumer * 64;
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        bias_0_64_0[r] = first_row + row < n ? bias_0[first_row + row] : 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        bias_0_64_1[r] = first_row + row < n ? bias_0[first_row + row] : 0.0f;
      }
      if ((k + 31) / 32 <= 0) {
        #pragma unroll
        for (int r = 0; r < 64; ++r) {
          acc[r] = 0.0f;
        }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < (k + 31) / 32; ++k_step) {
        barrier_wait(stage_full + 8 * stage_slot, stage_phase);
        settle(acc); mma_fence();
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 1) * 4 + (lane & 3);
          a0_0[r] = at<float>(a_tile + 4 * (stage_slot * 4352 + column * 136 + row + consumer * 64));
        }
        settle(a0_0); mma_fence();
        wgmma_ra_m64n128k8_tf32(acc, a0_0[0], a0_0[1], a0_0[2], a0_0[3], matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 4096)), 0 < k_step);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 1) * 4 + (lane & 3);
          a0_8[r] = at<float>(a_tile + 4 * (stage_slot * 4352 + (column + 8) * 136 + row + consumer * 64));
        }
        settle(a0_8); mma_fence();
        wgmma_ra_m64n128k8_tf32(acc, a0_8[0], a0_8[1], a0_8[2], a0_8[3], matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 4096 + 8)), true);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 1) * 4 + (lane & 3);
          a0_16[r] = at<float>(a_tile + 4 * (stage_slot * 4352 + (column + 16) * 136 + row + consumer * 64));
        }
        settle(a0_16); mma_fence();
        wgmma_ra_m64n128k8_tf32(acc, a0_16[0], a0_16[1], a0_16[2], a0_16[3], matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 4096 + 16)), true);
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = (r & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 1) * 4 + (lane & 3);
          a0_24[r] = at<float>(a_tile + 4 * (stage_slot * 4352 + (column + 24) * 136 + row + consumer * 64));
        }
        settle(a0_24); mma_fence();
        wgmma_ra_m64n128k8_tf32(acc, a0_24[0], a0_24[1], a0_24[2], a0_24[3], matrix<16, 1024, 1>(b_tile + 4 * (stage_slot * 4096 + 24)), true);
        mma_commit();
        mma_wait<0>();
        __syncwarp(); if (lane % 32 == 0) barrier_arrive(stage_empty + 8 * stage_slot);
        if (++stage_slot == 4) {
          stage_slot = 0;
          stage_phase ^= 1;
        }
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        part64[r] = acc[r];
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        result64[r] = maximum((part64[r] + bias_0_64_0[r >> 1 & 1]), 0.0f);
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
        if (first_row + row < n && column0 + column < m) out[(column0 + column) * out_row + first_row + row] = result64[r];
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        part64[r] = acc[r + 32];
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        result64[r] = maximum((part64[r] + bias_0_64_1[r >> 1 & 1]), 0.0f);
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
        if (first_row + row < n && column0 + 64 + column < m) out[(column0 + 64 + column) * out_row + first_row + row] = result64[r];
      }
    }
  }
}
