// tracea: attention causal masked by bf16 bf16
// variant        cuda.chained.wgmma_bf16 for sm_90a
// configuration  64x64x64 s4 producer-consumer serpentine k/2 w8 va8 vb8 vc8
// schedule       6b68720c2d39f02cb3006351f3b5d3aff4229e09a2960374129d463607e12b28
// certificate    453288657f10becd3f691f24010e4d91c0ade09ea62bf545dd5f4dae00e43a17: structure, domains, types, layouts, lanes, addressing, banks, budgets, pipeline, pipeline, pipeline, meaning

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
INLINE void box_load(unsigned target, const BoxMap* map, unsigned barrier, i64 policy, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%4, %5, %6, %7}], [%2], %3;"
      ::"r"(target), "l"(map), "r"(barrier), "l"(policy), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
INLINE void wgmma_m64n64k16_bf16(float (&c)[32], unsigned long long a, unsigned long long b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
      : "l"(a), "l"(b), "r"(accumulate));
}
template <int count> INLINE void settle(unsigned (&registers)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(registers[i])::"memory");
}
INLINE void wgmma_ra_m64n64k16_bf16_tb(float (&c)[32], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned long long b, int accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, %36, p, 1, 1, 1;\n}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(accumulate));
}
#endif

// q: bf16, read, aligned to 16 bytes
// k_matrix: bf16, read, aligned to 16 bytes
// v: bf16, read, aligned to 16 bytes
// score_bias: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 4 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 0 to 64 by 2
// k: columns of q and k; 0 to 64
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; 0 to 549755813880 by 8
// q_head: q: next head; 0 to 549755813880 by 8
// q_row: q: next row; 0 to 549755813880 by 8
// k_matrix_batch: k_matrix: next batch; 0 to 549755813880 by 8
// k_matrix_head: k_matrix: next head; 0 to 549755813880 by 8
// k_matrix_row: k_matrix: next row; 0 to 549755813880 by 8
// v_batch: v: next batch; 0 to 549755813880 by 8
// v_head: v: next head; 0 to 549755813880 by 8
// v_row: v: next row; 0 to 549755813880 by 8
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 2
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 2
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 2
// score_bias_batch: score_bias: next batch; -4611686018427387904 to 4611686018427387904
// score_bias_head: score_bias: next head; -4611686018427387904 to 4611686018427387904
// score_bias_row: score_bias: next row; -4611686018427387904 to 4611686018427387904
// window_right: keys behind the diagonal that are seen; 0 to 2147479552
// q_tile: shared of bf16, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 1024 bytes
// k_tile: shared of bf16, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 4 slots, kept for a tile, aligned to 1024 bytes
// v_tile: shared of bf16, k 64 = 8*512 + 3 bits, outer 64 = 6 bits, atom 2^9 with XOR, 4 slots, kept for a tile, aligned to 1024 bytes
// part_sums: shared of fp32, piece 4 = 4*1024, consumer 1 = 1*1024, part 2 = 2*512, row 64 = 16*32 + 2 bits, column 8 = 3 bits, atom 2^5, kept for a tile, aligned to 1024 bytes
// part_maxima: shared of fp32, consumer 1 = 1*256, row 64 = 64*4, copy 4 = 4*1, kept for a tile, aligned to 64 bytes
// part_totals: shared of fp32, consumer 1 = 1*256, row 64 = 64*4, copy 4 = 4*1, kept for a tile, aligned to 64 bytes
// query_stage: a ring of 2 slots of q_tile, producer to consumer, 8192 bytes a slot
// key_stage: a ring of 4 slots of k_tile, producer to consumer, 8192 bytes a slot
// value_stage: a ring of 4 slots of v_tile, producer to consumer, 8192 bytes a slot
// launch: min((m + 63) // 64 * items, 132) * 2 blocks of 256 threads, clusters of 2, 101552 bytes of shared memory
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 2) attention_causal_masked_by_b_64x64x64_830e3d6b(
    const __grid_constant__ BoxMap q_boxes,
    const __grid_constant__ BoxMap k_matrix_boxes,
    const __grid_constant__ BoxMap v_boxes,
    const bf16* __restrict__ q,
    const bf16* __restrict__ k_matrix,
    const bf16* __restrict__ v,
    const bf16* __restrict__ score_bias,
    bf16* __restrict__ out,
    int items,
    int m,
    int n,
    int k,
    int keys,
    int heads,
    int group,
    i64 q_batch,
    i64 q_head,
    i64 q_row,
    i64 k_matrix_batch,
    i64 k_matrix_head,
    i64 k_matrix_row,
    i64 v_batch,
    i64 v_head,
    i64 v_row,
    i64 out_batch,
    i64 out_head,
    i64 out_row,
    i64 score_bias_batch,
    i64 score_bias_head,
    i64 score_bias_row,
    int window_right) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  const int cluster_rank = block % 2;
  extern __shared__ unsigned char shared_memory[];
  const unsigned shared = (shared_address(shared_memory) + 1023) & ~1023u;
  const unsigned q_tile = shared + 0, k_tile = shared + 16384, v_tile = shared + 49152, part_sums = shared + 81920, part_maxima = shared + 98304, part_totals = shared + 99328;
  const unsigned query_stage_full = shared + 100352, query_stage_empty = shared + 100368;
  const unsigned key_stage_full = shared + 100384, key_stage_empty = shared + 100416;
  const unsigned value_stage_full = shared + 100448, value_stage_empty = shared + 100480;
  const unsigned parts_written = shared + 100512;
  const unsigned parts_read = shared + 100520;
  if (thread == 0) {
    prefetch_map(&q_boxes);
    prefetch_map(&k_matrix_boxes);
    prefetch_map(&v_boxes);
    for (int slot = 0; slot < 2; ++slot) {
      barrier_init(query_stage_full + 8 * slot, 1);
      barrier_init(query_stage_empty + 8 * slot, 1);
    }
    for (int slot = 0; slot < 4; ++slot) {
      barrier_init(key_stage_full + 8 * slot, 1);
      barrier_init(key_stage_empty + 8 * slot, 1);
    }
    for (int slot = 0; slot < 4; ++slot) {
      barrier_init(value_stage_full + 8 * slot, 1);
      barrier_init(value_stage_empty + 8 * slot, 1);
    }
    barrier_init(parts_written, 2);
    barrier_init(parts_read, 2);
    barrier_init_fence();
  }
  cluster_sync();
  // producer: warpgroup x 1
  if (thread < 128) {
    lower_registers<40>();
    const int lane = thread;
    if (lane == 0) {
      int query_stage_slot = 0, query_stage_phase = 0;
      int key_stage_slot = 0, key_stage_phase = 0;
      int value_stage_slot = 0, value_stage_phase = 0;
      const int row_tiles = (m + 63) / 64;
      #pragma unroll 1
      for (int round = 0; round < floor_divide(row_tiles * items + blocks / 2 - 1, blocks / 2); ++round) {
        const int tile = round * (blocks / 2) + block / 2 + round % 2 * (blocks / 2 - 1 - block / 2 * 2);
        if (tile < row_tiles * items) {
          const int row0 = (row_tiles - 1 - floor_modulo(tile, row_tiles)) * 64;
          const int item = floor_divide(tile, row_tiles);
          const int head = floor_modulo(item, heads);
          const int sequence = floor_divide(item, heads);
          const int kv_head = head / group;
          const int diagonal = keys - m;
          // seen_first = 0
          const int seen_stop = (max(min(min(row0 + 64, m) + diagonal + window_right, keys), 0) + 63) / 64;
          const int blocks_each = (max(seen_stop, 0) + 1) / 2;
          const int first_block = min(cluster_rank * blocks_each, seen_stop);
          const int stop_block = min(first_block + blocks_each, seen_stop);
          barrier_wait(query_stage_empty + 8 * query_stage_slot, query_stage_phase ^ 1);
          barrier_expect(query_stage_full + 8 * query_stage_slot, 8192);
          box_load(q_tile + 2 * (query_stage_slot * 4096), &q_boxes, query_stage_full + 8 * query_stage_slot, keep, 0, row0, head, sequence);
          if (++query_stage_slot == 2) {
            query_stage_slot = 0;
            query_stage_phase ^= 1;
          }
          #pragma unroll 1
          for (int key_block = first_block; key_block < stop_block; ++key_block) {
            barrier_wait(key_stage_empty + 8 * key_stage_slot, key_stage_phase ^ 1);
            barrier_expect(key_stage_full + 8 * key_stage_slot, 8192);
            box_load(k_tile + 2 * (key_stage_slot * 4096), &k_matrix_boxes, key_stage_full + 8 * key_stage_slot, keep, 0, key_block * 64, kv_head, sequence);
            if (++key_stage_slot == 4) {
              key_stage_slot = 0;
              key_stage_phase ^= 1;
            }
            barrier_wait(value_stage_empty + 8 * value_stage_slot, value_stage_phase ^ 1);
            barrier_expect(value_stage_full + 8 * value_stage_slot, 8192);
            box_load(v_tile + 2 * (value_stage_slot * 4096), &v_boxes, value_stage_full + 8 * value_stage_slot, keep, 0, key_block * 64, kv_head, sequence);
            if (++value_stage_slot == 4) {
              value_stage_slot = 0;
              value_stage_phase ^= 1;
            }
          }
        }
      }
    }
  }
  // consumer: warpgroup x 1
  else {
    raise_registers<216>();
    int parts_written_phase = 0;
    int parts_read_phase = 0;
    const int lane = (thread - 128);
    int query_stage_slot = 0, query_stage_phase = 0;
    int key_stage_slot = 0, key_stage_phase = 0;
    int value_stage_slot = 0, value_stage_phase = 0;
    float score[32];  // 64x64 fp32 of the warpgroup
    float sum[32];  // 64x64 fp32 of the warpgroup
    unsigned weights[16];  // 64x64 bf16 of the warpgroup
    float total0[4];  // 64x8 fp32 of the warpgroup
    float part[4];  // 64x8 fp32 of the warpgroup
    float top[2];  // 64x1 fp32 of the warpgroup
    float shift[2];  // 64x1 fp32 of the warpgroup
    float found[2];  // 64x1 fp32 of the warpgroup
    float correction[2];  // 64x1 fp32 of the warpgroup
    float score0[4];  // 64x8 fp32 of the warpgroup
    float score1[4];  // 64x8 fp32 of the warpgroup
    float score2[4];  // 64x8 fp32 of the warpgroup
    float score3[4];  // 64x8 fp32 of the warpgroup
    float score4[4];  // 64x8 fp32 of the warpgroup
    float score5[4];  // 64x8 fp32 of the warpgroup
    float score6[4];  // 64x8 fp32 of the warpgroup
    float score7[4];  // 64x8 fp32 of the warpgroup
    unsigned score_bias_held[16];  // 64x64 bf16 of the warpgroup
    float sum0_0[4];  // 64x8 fp32 of the warpgroup
    float sum0_1[4];  // 64x8 fp32 of the warpgroup
    float sum0_2[4];  // 64x8 fp32 of the warpgroup
    float sum0_3[4];  // 64x8 fp32 of the warpgroup
    float piece[4];  // 64x8 fp32 of the warpgroup
    float gathered[8];  // 64x16 fp32 of the warpgroup
    float highest[2];  // 64x1 fp32 of the warpgroup
    float copies[2];  // 64x4 fp32 of the warpgroup
    float part_sum0[4];  // 64x8 fp32 of the warpgroup
    float part_weight0[2];  // 64x1 fp32 of the warpgroup
    float part_total0[2];  // 64x1 fp32 of the warpgroup
    float part_sum1[4];  // 64x8 fp32 of the warpgroup
    float part_weight1[2];  // 64x1 fp32 of the warpgroup
    float part_total1[2];  // 64x1 fp32 of the warpgroup
    unsigned result[2];  // 64x8 bf16 of the warpgroup
    const int row_tiles = (m + 63) / 64;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(row_tiles * items + blocks / 2 - 1, blocks / 2); ++round) {
      const int tile = round * (blocks / 2) + block / 2 + round % 2 * (blocks / 2 - 1 - block / 2 * 2);
      if (tile < row_tiles * items) {
        const int row0 = (row_tiles - 1 - floor_modulo(tile, row_tiles)) * 64;
        const int item = floor_divide(tile, row_tiles);
        const int head = floor_modulo(item, heads);
        const int sequence = floor_divide(item, heads);
        const int kv_head = head / group;
        const int diagonal = keys - m;
        // seen_first = 0
        const int seen_stop = (max(min(min(row0 + 64, m) + diagonal + window_right, keys), 0) + 63) / 64;
        const int blocks_each = (max(seen_stop, 0) + 1) / 2;
        const int first_block = min(cluster_rank * blocks_each, seen_stop);
        const int stop_block = min(first_block + blocks_each, seen_stop);
        const int warp_row = row0;
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          sum[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          total0[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          top[r] = -3.4028235e+38f;
        }
        i64 bias_at0[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          bias_at0[r] = sequence * score_bias_batch + head * score_bias_head + min(warp_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16, m - 1) * score_bias_row;
        }
        barrier_wait(query_stage_full + 8 * query_stage_slot, query_stage_phase);
        if (first_block < stop_block) {
          barrier_wait(key_stage_full + 8 * key_stage_slot, key_stage_phase);
          settle(score); mma_fence();
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096)), false);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 16)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 16)), true);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 32)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 32)), true);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 48)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 48)), true);
          mma_commit();
          if (first_block * 64 + 63 < keys) {
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              score_bias_held[r / 2] = with16(score_bias_held[r / 2], (r & 1) * 16, (score_bias + bias_at0[r >> 1 & 1])[(i64)first_block * 64 + (r >> 2) * 8 + (r & 1) + (lane & 3) * 2]);
            }
          }
          else {
            const int last_run = keys - 1 - first_block * 64;
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
              score_bias_held[r / 2] = with16(score_bias_held[r / 2], (r & 1) * 16, (score_bias + bias_at0[r >> 1 & 1])[(i64)first_block * 64 + min(column, last_run)]);
            }
            asm volatile("" ::: "memory");
          }
          mma_wait<0>();
          settle(score); mma_fence();
          if (lane == 0) barrier_arrive(key_stage_empty + 8 * key_stage_slot);
          if (++key_stage_slot == 4) {
            key_stage_slot = 0;
            key_stage_phase ^= 1;
          }
          const int key0 = first_block * 64;
          #pragma unroll
          for (int r = 0; r < 32; ++r) {
            score[r] = ((score[r] * 0.125f) + from_bf16(part16(score_bias_held[r / 2], (r & 1) * 16)));
          }
          if (key0 + 63 < keys && key0 + 63 < warp_row + diagonal + window_right + 1) {
          }
          else {
            int keys_stop0[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
              keys_stop0[r] = min(keys, warp_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16 + diagonal + window_right + 1) - key0;
            }
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              if (!((r >> 2) * 8 + (r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1 & 1])) score[r] = -3.4028235e+38f;
            }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score0[r] = score[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score1[r] = score[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score2[r] = score[r + 8];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score3[r] = score[r + 12];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score4[r] = score[r + 16];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score5[r] = score[r + 20];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score6[r] = score[r + 24];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score7[r] = score[r + 28];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = maximum(maximum(maximum(score0[r], score1[r]), maximum(score2[r], score3[r])), maximum(maximum(score4[r], score5[r]), maximum(score6[r], score7[r])));
          }
          {
            float folded = part[0];
            #pragma unroll
            for (int r = 1; r < 2; ++r) {
              folded = maximum(folded, part[r]);
            }
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
            found[0] = folded;
          }
          {
            float folded = part[2];
            folded = maximum(folded, part[3]);
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
            found[1] = folded;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            found[r] = maximum(found[r], -3.4028235e+38f);
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const float v0 = found[r];
            shift[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 1.442695f));
          }
          top[0] = found[0];
          top[1] = found[1];
          #pragma unroll
          for (int r = 0; r < 32; ++r) {
            score[r] = fast_exp2(((score[r] * 1.442695f) - shift[r >> 1 & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score0[r] = score[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score1[r] = score[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score2[r] = score[r + 8];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score3[r] = score[r + 12];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score4[r] = score[r + 16];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score5[r] = score[r + 20];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score6[r] = score[r + 24];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score7[r] = score[r + 28];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = (((score0[r] + score1[r]) + (score2[r] + score3[r])) + ((score4[r] + score5[r]) + (score6[r] + score7[r])));
          }
          settle(score); mma_fence();
          barrier_wait(value_stage_full + 8 * value_stage_slot, value_stage_phase);
          #pragma unroll
          for (int r = 0; r < 32; r += 2) {
            weights[r / 2] = pair_bf16(score[r], score[r + 1]);
          }
        }
        #pragma unroll 1
        for (int key_block = first_block + 1; key_block < stop_block; ++key_block) {
          barrier_wait(key_stage_full + 8 * key_stage_slot, key_stage_phase);
          settle(score); mma_fence();
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096)), false);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 16)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 16)), true);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 32)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 32)), true);
          wgmma_m64n64k16_bf16(score, matrix<16, 1024, 1>(q_tile + 2 * (query_stage_slot * 4096 + 48)), matrix<16, 1024, 1>(k_tile + 2 * (key_stage_slot * 4096 + 48)), true);
          mma_commit();
          settle(weights); mma_fence();
          settle(sum); mma_fence();
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[0], weights[1], weights[2], weights[3], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[4], weights[5], weights[6], weights[7], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 1024)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[8], weights[9], weights[10], weights[11], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 2048)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[12], weights[13], weights[14], weights[15], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 3072)), true);
          mma_commit();
          if (++value_stage_slot == 4) {
            value_stage_slot = 0;
            value_stage_phase ^= 1;
          }
          if (key_block * 64 + 63 < keys) {
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              score_bias_held[r / 2] = with16(score_bias_held[r / 2], (r & 1) * 16, (score_bias + bias_at0[r >> 1 & 1])[(i64)key_block * 64 + (r >> 2) * 8 + (r & 1) + (lane & 3) * 2]);
            }
          }
          else {
            const int last_run = keys - 1 - key_block * 64;
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
              score_bias_held[r / 2] = with16(score_bias_held[r / 2], (r & 1) * 16, (score_bias + bias_at0[r >> 1 & 1])[(i64)key_block * 64 + min(column, last_run)]);
            }
            asm volatile("" ::: "memory");
          }
          mma_wait<1>();
          settle(score); mma_fence();
          if (lane == 0) barrier_arrive(key_stage_empty + 8 * key_stage_slot);
          if (++key_stage_slot == 4) {
            key_stage_slot = 0;
            key_stage_phase ^= 1;
          }
          const int key0 = key_block * 64;
          #pragma unroll
          for (int r = 0; r < 32; ++r) {
            score[r] = ((score[r] * 0.125f) + from_bf16(part16(score_bias_held[r / 2], (r & 1) * 16)));
          }
          if (key0 + 63 < keys && key0 + 63 < warp_row + diagonal + window_right + 1) {
          }
          else {
            int keys_stop0[2];
            #pragma unroll
            for (int r = 0; r < 2; ++r) {
              keys_stop0[r] = min(keys, warp_row + r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16 + diagonal + window_right + 1) - key0;
            }
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
              if (!((r >> 2) * 8 + (r & 1) + (lane & 3) * 2 < keys_stop0[r >> 1 & 1])) score[r] = -3.4028235e+38f;
            }
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score0[r] = score[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score1[r] = score[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score2[r] = score[r + 8];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score3[r] = score[r + 12];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score4[r] = score[r + 16];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score5[r] = score[r + 20];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score6[r] = score[r + 24];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score7[r] = score[r + 28];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            part[r] = maximum(maximum(maximum(score0[r], score1[r]), maximum(score2[r], score3[r])), maximum(maximum(score4[r], score5[r]), maximum(score6[r], score7[r])));
          }
          {
            float folded = part[0];
            #pragma unroll
            for (int r = 1; r < 2; ++r) {
              folded = maximum(folded, part[r]);
            }
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
            found[0] = folded;
          }
          {
            float folded = part[2];
            folded = maximum(folded, part[3]);
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
            folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
            found[1] = folded;
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            found[r] = maximum(found[r], top[r]);
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            const float v0 = found[r];
            shift[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 1.442695f));
          }
          #pragma unroll
          for (int r = 0; r < 2; ++r) {
            correction[r] = fast_exp2(((top[r] * 1.442695f) - shift[r]));
          }
          top[0] = found[0];
          top[1] = found[1];
          #pragma unroll
          for (int r = 0; r < 32; ++r) {
            score[r] = fast_exp2(((score[r] * 1.442695f) - shift[r >> 1 & 1]));
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score0[r] = score[r];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score1[r] = score[r + 4];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score2[r] = score[r + 8];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score3[r] = score[r + 12];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score4[r] = score[r + 16];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score5[r] = score[r + 20];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score6[r] = score[r + 24];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            score7[r] = score[r + 28];
          }
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            total0[r] = ((total0[r] * correction[r >> 1]) + (((score0[r] + score1[r]) + (score2[r] + score3[r])) + ((score4[r] + score5[r]) + (score6[r] + score7[r]))));
          }
          settle(score); mma_fence();
          barrier_wait(value_stage_full + 8 * value_stage_slot, value_stage_phase);
          mma_wait<0>();
          settle(sum); mma_fence();
          if (lane == 0) barrier_arrive(value_stage_empty + 8 * (value_stage_slot >= 1 ? value_stage_slot - 1 : value_stage_slot + 3));
          #pragma unroll
          for (int r = 0; r < 32; r += 2) {
            weights[r / 2] = pair_bf16(score[r], score[r + 1]);
          }
          #pragma unroll
          for (int r = 0; r < 32; ++r) {
            sum[r] = (sum[r] * correction[r >> 1 & 1]);
          }
        }
        if (lane == 0) barrier_arrive(query_stage_empty + 8 * query_stage_slot);
        if (++query_stage_slot == 2) {
          query_stage_slot = 0;
          query_stage_phase ^= 1;
        }
        if (first_block < stop_block) {
          settle(weights); mma_fence();
          settle(sum); mma_fence();
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[0], weights[1], weights[2], weights[3], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[4], weights[5], weights[6], weights[7], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 1024)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[8], weights[9], weights[10], weights[11], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 2048)), true);
          wgmma_ra_m64n64k16_bf16_tb(sum, weights[12], weights[13], weights[14], weights[15], matrix<8192, 1024, 1>(v_tile + 2 * (value_stage_slot * 4096 + 3072)), true);
          mma_commit();
          if (++value_stage_slot == 4) {
            value_stage_slot = 0;
            value_stage_phase ^= 1;
          }
          mma_wait<0>();
          settle(sum); mma_fence();
          if (lane == 0) barrier_arrive(value_stage_empty + 8 * (value_stage_slot >= 1 ? value_stage_slot - 1 : value_stage_slot + 3));
        }
        {
          float folded = total0[0];
          #pragma unroll
          for (int r = 1; r < 2; ++r) {
            folded = folded + total0[r];
          }
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          found[0] = folded;
        }
        {
          float folded = total0[2];
          folded = folded + total0[3];
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          found[1] = folded;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          copies[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          copies[r] = (copies[r] + top[r]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = lane & 3;
          if (warp_row + row < m) at<float>(part_maxima + 4 * (row * 4 + column)) = copies[r];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          copies[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          copies[r] = (copies[r] + found[r]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = lane & 3;
          if (warp_row + row < m) at<float>(part_totals + 4 * (row * 4 + column)) = copies[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(0, part_sums + 4 * (cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(0, part_sums + 4 * (1024 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 8];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(0, part_sums + 4 * (2048 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 12];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(0, part_sums + 4 * (3072 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 16];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(1, part_sums + 4 * (cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 20];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(1, part_sums + 4 * (1024 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 24];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(1, part_sums + 4 * (2048 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          piece[r] = sum[r + 28];
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) *(uint2*)&in_block<float>(1, part_sums + 4 * (3072 + cluster_rank * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ column))) = make_uint2(__float_as_uint(piece[r]), __float_as_uint(piece[r + 1]));
        }
        named_barrier(1, 128); meet(parts_written, 2, lane, parts_written_phase);
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          part_weight0[r] = warp_row + row < m ? in_block<float>(0, part_maxima + 4 * (row * 4)) : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          part_total0[r] = warp_row + row < m ? in_block<float>(0, part_totals + 4 * (row * 4)) : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          part_weight1[r] = warp_row + row < m ? in_block<float>(1, part_maxima + 4 * (row * 4)) : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          part_total1[r] = warp_row + row < m ? in_block<float>(1, part_totals + 4 * (row * 4)) : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          highest[r] = maximum(part_weight0[r], part_weight1[r]);
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const float v0 = highest[r];
          highest[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 1.442695f));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          part_weight0[r] = fast_exp2(((part_weight0[r] * 1.442695f) - highest[r]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          part_weight1[r] = fast_exp2(((part_weight1[r] * 1.442695f) - highest[r]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          found[r] = ((part_total0[r] * part_weight0[r]) + (part_total1[r] * part_weight1[r]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) { const uint2 run = *(const uint2*)&at<float>(part_sums + 4 * ((r >> 2) * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ (r & 1) + (lane & 3) * 2))); gathered[r] = __uint_as_float(run.x); gathered[r + 1] = __uint_as_float(run.y); }
          else { gathered[r] = 0.0f; gathered[r + 1] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum0[r] = gathered[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum1[r] = gathered[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sum0_0[r] = ((part_sum0[r] * part_weight0[r >> 1]) + (part_sum1[r] * part_weight1[r >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) { const uint2 run = *(const uint2*)&at<float>(part_sums + 4 * (1024 + (r >> 2) * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ (r & 1) + (lane & 3) * 2))); gathered[r] = __uint_as_float(run.x); gathered[r + 1] = __uint_as_float(run.y); }
          else { gathered[r] = 0.0f; gathered[r + 1] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum0[r] = gathered[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum1[r] = gathered[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sum0_1[r] = ((part_sum0[r] * part_weight0[r >> 1]) + (part_sum1[r] * part_weight1[r >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) { const uint2 run = *(const uint2*)&at<float>(part_sums + 4 * (2048 + (r >> 2) * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ (r & 1) + (lane & 3) * 2))); gathered[r] = __uint_as_float(run.x); gathered[r + 1] = __uint_as_float(run.y); }
          else { gathered[r] = 0.0f; gathered[r + 1] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum0[r] = gathered[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum1[r] = gathered[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sum0_2[r] = ((part_sum0[r] * part_weight0[r >> 1]) + (part_sum1[r] * part_weight1[r >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          const int row = (r >> 1 & 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r >> 2) * 8 + (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m) { const uint2 run = *(const uint2*)&at<float>(part_sums + 4 * (3072 + (r >> 2) * 512 + (row >> 2) * 32 + ((row & 3) * 8 ^ (r & 1) + (lane & 3) * 2))); gathered[r] = __uint_as_float(run.x); gathered[r + 1] = __uint_as_float(run.y); }
          else { gathered[r] = 0.0f; gathered[r + 1] = 0.0f; }
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum0[r] = gathered[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          part_sum1[r] = gathered[r + 4];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          sum0_3[r] = ((part_sum0[r] * part_weight0[r >> 1]) + (part_sum1[r] * part_weight1[r >> 1]));
        }
        named_barrier(2, 128); meet(parts_read, 2, lane, parts_read_phase);
        const i64 out_at = sequence * out_batch + head * out_head;
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const float v0 = found[r];
          correction[r] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((sum0_0[r] * correction[r >> 1]), (sum0_0[r + 1] * correction[r + 1 >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && cluster_rank * 32 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + (i64)cluster_rank * 32 + column] = (result[r / 2]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((sum0_1[r] * correction[r >> 1]), (sum0_1[r + 1] * correction[r + 1 >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && cluster_rank * 32 + 8 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + (i64)cluster_rank * 32 + 8 + column] = (result[r / 2]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((sum0_2[r] * correction[r >> 1]), (sum0_2[r + 1] * correction[r + 1 >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && cluster_rank * 32 + 16 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + (i64)cluster_rank * 32 + 16 + column] = (result[r / 2]);
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          result[r / 2] = pair_bf16((sum0_3[r] * correction[r >> 1]), (sum0_3[r + 1] * correction[r + 1 >> 1]));
        }
        #pragma unroll
        for (int r = 0; r < 4; r += 2) {
          const int row = (r >> 1) * 8 + (lane >> 2 & 7) + (lane >> 5) * 16;
          const int column = (r & 1) + (lane & 3) * 2;
          if (warp_row + row < m && cluster_rank * 32 + 24 + column < n) *(unsigned*)&out[out_at + out_row * (warp_row + row) + (i64)cluster_rank * 32 + 24 + column] = (result[r / 2]);
        }
      }
    }
  }
  cluster_sync();
}
