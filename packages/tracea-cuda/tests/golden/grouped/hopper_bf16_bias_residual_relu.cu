// tracea: grouped_matmul bf16, epilogue bias, residual, relu
// variant        cuda.contraction.wgmma_bf16 for sm_90a
// configuration  128x64x64 s2 c1x2 b128 producer-consumer w12 va8 vb8 vc8 f1
// schedule       f6eb22785d69e0c67009af88efa67701a2ceb19e2f77b55babef6bcfe8ed68e8
// certificate    0c8fd590bf4539f4b612329ec99a1d1c341bd6bb19f7c6afa48f7d67a8dfc991: structure, domains, types, layouts, lanes, addressing, banks, budgets, cover, pipeline, meaning

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
INLINE void wgmma_m64n64k16_bf16(float (&c)[32], unsigned long long a, unsigned long long b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
      : "l"(a), "l"(b), "r"(accumulate));
}
#endif

// a: bf16, read, aligned to 16 bytes
// b: bf16, read, aligned to 16 bytes
// group_ends: int32, read, aligned to 4 bytes
// out: bf16, write, aligned to 16 bytes
// bias_0: bf16, read, aligned to 4 bytes
// residual_1: bf16, read, aligned to 4 bytes
// m: rows of all groups; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 8
// k: length of the reduction; 1 to 2147479552
// groups: groups that rows fall into; 1 to 2147479552
// a_row: a: next row; 0 to 549755813880 by 8
// b_group: b: next group; 0 to 549755813880 by 8
// b_column: b: next column; 0 to 549755813880 by 8
// out_row: out: next row; 0 to 549755813880 by 8
// bias_0_group: bias_0: next group; -4611686018427387904 to 4611686018427387904 by 2
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904 by 2
// a_tile: shared of bf16, outer 128 = 16*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 1024 bytes
// b_tile: shared of bf16, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 1024 bytes
// staging64: shared of bf16, buffer 1 = 1*8192, consumer 2 = 2*4096, row 64 = 8*512 + 3 bits, column 64 = 6 bits, atom 2^9 with XOR, kept for a tile, aligned to 1024 bytes
// stage: a ring of 2 slots of a_tile, b_tile, producer to consumer, 24576 bytes a slot
// launch: min(((m + 127) // 128 + groups) * ((n + 127) // 128), 66) * 2 blocks of 384 threads, clusters of 2, 66592 bytes of shared memory
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) grouped_matmul_bf16_128x64x64_80a1fa6a(
    const __grid_constant__ BoxMap a_boxes,
    const __grid_constant__ BoxMap b_boxes,
    const __grid_constant__ BoxMap out_boxes,
    const bf16* __restrict__ a,
    const bf16* __restrict__ b,
    const int* __restrict__ group_ends,
    bf16* __restrict__ out,
    const bf16* __restrict__ bias_0,
    const bf16* __restrict__ residual_1,
    int m,
    int n,
    int k,
    int groups,
    i64 a_row,
    i64 b_group,
    i64 b_column,
    i64 out_row,
    i64 bias_0_group,
    i64 residual_1_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  const int cluster_rank = block % 2;
  extern __shared__ unsigned char shared_memory[];
  const unsigned shared = (shared_address(shared_memory) + 1023) & ~1023u;
  const unsigned a_tile = shared + 0, b_tile = shared + 32768, staging64 = shared + 49152;
  const unsigned stage_full = shared + 65536, stage_empty = shared + 65552;
  if (thread == 0) {
    prefetch_map(&a_boxes);
    prefetch_map(&b_boxes);
    prefetch_map(&out_boxes);
    for (int slot = 0; slot < 2; ++slot) {
      barrier_init(stage_full + 8 * slot, 1);
      barrier_init(stage_empty + 8 * slot, 4);
    }
    barrier_init_fence();
  }
  cluster_sync();
  // producer: warpgroup x 1
  if (thread < 128) {
    lower_registers<40>();
    const int lane = thread;
    if (lane == 0) {
      int stage_slot = 0, stage_phase = 0;
      // row_rank = cluster_rank // 2
      const int column_rank = cluster_rank;
      int tile_rows = 0;
      for (int group = 0, start = 0; group < groups; ++group) {
        const int stop = min(max(group_ends[group], 0), m);
        const int tiles = (max(stop - start, 0) + 127) / 128;
        tile_rows += tiles;
        start = stop;
      }
      const int tile_columns = (n + 127) / 128;
      const int clusters = blocks / 2;
      const int first = block / 2;
      int group_place_group = 0, group_place_start = 0, group_place_first = 0;
      #pragma unroll 1
      for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
        const int tile = first + round * clusters;
        const int tile_row = tile / tile_columns;
        for (; group_place_group < groups; ++group_place_group) {
          const int stop = min(max(group_ends[group_place_group], 0), m);
          const int tiles = (max(stop - group_place_start, 0) + 127) / 128;
          if (tile_row < group_place_first + tiles) break;
          group_place_first += tiles;
          group_place_start = stop;
        }
        const i64 group_place = (i64)group_place_group << 32 | group_place_first;
        const int item = (int)(group_place >> 32);
        const int group_first = (int)group_place;
        const int group_start = item - 1 < 0 ? 0 : min(max(group_ends[item - 1], 0), m);
        const int group_stop = min(max(group_ends[item], 0), m);
        const int row0 = group_start + (tile_row - group_first) * 128;
        const int column0 = ((tile - tile_row * tile_columns) * 2 + column_rank) * 64;
        #pragma unroll 1
        for (int k_step = 0; k_step < (k + 63) / 64; ++k_step) {
          barrier_wait(stage_empty + 8 * stage_slot, stage_phase ^ 1);
          barrier_expect(stage_full + 8 * stage_slot, 24576);
          box_load_shared(a_tile + 2 * (stage_slot * 8192 + column_rank * 4096), &a_boxes, stage_full + 8 * stage_slot, 0x3, keep, k_step * 64, row0 + column_rank * 64);
          box_load(b_tile + 2 * (stage_slot * 4096), &b_boxes, stage_full + 8 * stage_slot, keep, k_step * 64, column0, item);
          if (++stage_slot == 2) {
            stage_slot = 0;
            stage_phase ^= 1;
          }
        }
      }
      #pragma unroll 1
      for (int drained = 0; drained < 2; ++drained) {
        barrier_wait(stage_empty + 8 * stage_slot, stage_phase ^ 1);
        if (++stage_slot == 2) {
          stage_slot = 0;
          stage_phase ^= 1;
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
    float acc[32];  // 64x64 fp32 of the warpgroup
    float part64[32];  // 64x64 fp32 of the warpgroup
    unsigned result64[16];  // 64x64 bf16 of the warpgroup
    unsigned bias_0_64_0[8];  // 1x64 bf16 of the warpgroup
    unsigned residual_1_64_0[16];  // 64x64 bf16 of the warpgroup
    // row_rank = cluster_rank // 2
    const int column_rank = cluster_rank;
    int tile_rows = 0;
    for (int group = 0, start = 0; group < groups; ++group) {
      const int stop = min(max(group_ends[group], 0), m);
      const int tiles = (max(stop - start, 0) + 127) / 128;
      tile_rows += tiles;
      start = stop;
    }
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks / 2;
    const int first = block / 2;
    int group_place_group = 0, group_place_start = 0, group_place_first = 0;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int tile_row = tile / tile_columns;
      for (; group_place_group < groups; ++group_place_group) {
        const int stop = min(max(group_ends[group_place_group], 0), m);
        const int tiles = (max(stop - group_place_start, 0) + 127) / 128;
        if (tile_row < group_place_first + tiles) break;
        group_place_first += tiles;
        group_place_start = stop;
      }
      const i64 group_place = (i64)group_place_group << 32 | group_place_first;
      const int item = (int)(group_place >> 32);
      const int group_first = (int)group_place;
      const int group_start = item - 1 < 0 ? 0 : min(max(group_ends[item - 1], 0), m);
      const int group_stop = min(max(group_ends[item], 0), m);
      const int row0 = group_start + (tile_row - group_first) * 128;
      const int column0 = ((tile - tile_row * tile_columns) * 2 + column_rank) * 64;
      const int first_row = row0 + consumer * 64;
      #pragma unroll
      for (int r = 0; r < 16; r += 2) {
        const int column = (r >> 1) * 8 + (r & 1) + (lane & 3) * 2;
        if (column0 + column < n) bias_0_64_0[r / 2] = (*(const unsigned*)&bias_0[item * bias_0_group + column0 + (r >> 1) * 8 + (r & 1) + (lane & 3) * 2]);
        else { bias_0_64_0[r / 2] = 0; }
      }
      #pragma unroll
      for (int r = 0; r < 32; r += 2) {
        const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
        const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
        if (first_row + row < group_stop && column0 + column < n) residual_1_64_0[r / 2] = (*(const unsigned*)&residual_1[(first_row + row) * residual_1_row + column0 + column]);
        else { residual_1_64_0[r / 2] = 0; }
      }
      {
        barrier_wait(stage_full + 8 * stage_slot, stage_phase);
        settle(acc); mma_fence();
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096)), false);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 16)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 16)), true);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 32)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 32)), true);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 48)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 48)), true);
        mma_commit();
        if (++stage_slot == 2) {
          stage_slot = 0;
          stage_phase ^= 1;
        }
      }
      #pragma unroll 1
      for (int k_step = 1; k_step < (k + 63) / 64; ++k_step) {
        barrier_wait(stage_full + 8 * stage_slot, stage_phase);
        settle(acc); mma_fence();
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096)), true);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 16)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 16)), true);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 32)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 32)), true);
        wgmma_m64n64k16_bf16(acc, matrix<16, 1024, 1>(a_tile + 2 * (stage_slot * 8192 + consumer * 4096 + 48)), matrix<16, 1024, 1>(b_tile + 2 * (stage_slot * 4096 + 48)), true);
        mma_commit();
        mma_wait<1>();
        if (lane < 2) barrier_arrive_at(stage_empty + 8 * (stage_slot >= 1 ? stage_slot - 1 : stage_slot + 1), lane);
        if (++stage_slot == 2) {
          stage_slot = 0;
          stage_phase ^= 1;
        }
      }
      if (max(1, (k + 63) / 64) - 1 < (k + 63) / 64) {
        mma_wait<0>();
        if (lane < 2) barrier_arrive_at(stage_empty + 8 * (stage_slot >= 1 ? stage_slot - 1 : stage_slot + 1), lane);
      }
      mma_wait<0>();
      settle(acc); mma_fence();
      if (first_row + 64 <= group_stop) {
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          part64[r] = acc[r];
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result64[r / 2] = pair_bf16(maximum(((part64[r] + from_bf16(part16(bias_0_64_0[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_64_0[r / 2], (r & 1) * 16))), 0.0f), maximum(((part64[r + 1] + from_bf16(part16(bias_0_64_0[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_64_0[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        if (lane == 0) store_wait<0>();
        named_barrier(1 + consumer, 128);  // staging_free
        {
          const int row = (lane >> 3 & 3 & 1) * 8 + (lane & 7) + (lane >> 5) * 16;
          const int column = ((lane >> 3 & 3) * 2 >> 2) * 8;
          store_matrices(staging64 + 2 * (consumer * 4096 + (row >> 3) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ column)), result64[0], result64[1], result64[2], result64[3]);
        }
        {
          const int row = (lane >> 3 & 3 & 1) * 8 + (lane & 7) + (lane >> 5) * 16;
          const int column = (((lane >> 3 & 3) * 2 >> 2) + 2) * 8;
          store_matrices(staging64 + 2 * (consumer * 4096 + (row >> 3) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ column)), result64[4], result64[5], result64[6], result64[7]);
        }
        {
          const int row = (lane >> 3 & 3 & 1) * 8 + (lane & 7) + (lane >> 5) * 16;
          const int column = (((lane >> 3 & 3) * 2 >> 2) + 4) * 8;
          store_matrices(staging64 + 2 * (consumer * 4096 + (row >> 3) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ column)), result64[8], result64[9], result64[10], result64[11]);
        }
        {
          const int row = (lane >> 3 & 3 & 1) * 8 + (lane & 7) + (lane >> 5) * 16;
          const int column = (((lane >> 3 & 3) * 2 >> 2) + 6) * 8;
          store_matrices(staging64 + 2 * (consumer * 4096 + (row >> 3) * 512 + ((row & 7) * 8 ^ (row & 7) * 64 ^ column)), result64[12], result64[13], result64[14], result64[15]);
        }
        proxy_fence();
        named_barrier(3 + consumer, 128);  // staging_full
        if (lane == 0) box_store(&out_boxes, staging64 + 2 * (consumer * 4096), column0, first_row);
        if (lane == 0) store_commit();
      }
      else {
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          part64[r] = acc[r];
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result64[r / 2] = pair_bf16(maximum(((part64[r] + from_bf16(part16(bias_0_64_0[r >> 2], (r & 1) * 16))) + from_bf16(part16(residual_1_64_0[r / 2], (r & 1) * 16))), 0.0f), maximum(((part64[r + 1] + from_bf16(part16(bias_0_64_0[r + 1 >> 2], (r + 1 & 1) * 16))) + from_bf16(part16(residual_1_64_0[(r + 1) / 2], (r + 1 & 1) * 16))), 0.0f));
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (first_row + row < group_stop && column0 + column < n) *(unsigned*)&out[(first_row + row) * out_row + column0 + column] = (result64[r / 2]);
        }
      }
    }
    if (lane == 0) store_wait<0>();
  }
  cluster_sync();
}
