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
