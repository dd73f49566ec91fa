// SPDX-License-Identifier: MIT
// C[m, n] = A[m, k] · B[n, k]ᵀ in bf16 on sm_90a: clusters of two blocks along n share A, each block has a producer warp (warps 4 to 7
// of which only the first thread works) and a warpgroup that multiplies 64 × 64 × 64 tiles from a ring of boxes. C is stored through
// shared memory by the copy engine. The macros plant bugs.
struct alignas(64) BoxMap { unsigned char bytes[128]; };

#define TILE 64
#define STAGES 3
#define BOX_BYTES (TILE * 64 * 2)
#ifndef LOAD_SHIFT
#define LOAD_SHIFT 0
#endif
#ifndef STORE_SHIFT
#define STORE_SHIFT 0
#endif

#define INLINE __device__ __forceinline__

INLINE void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
INLINE void barrier_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
INLINE void barrier_wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra over;\nbra again;\nover:\n}"
                 ::"r"(barrier), "r"(parity) : "memory");
}
INLINE void barrier_arrive_at(unsigned barrier, unsigned rank) {
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [remote];\n}"
                 ::"r"(barrier), "r"(rank) : "memory");
}
INLINE void cluster_sync() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
INLINE void box_load(unsigned to, const BoxMap* map, unsigned barrier, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y) : "memory");
}
INLINE void box_load_shared(unsigned to, const BoxMap* map, unsigned barrier, unsigned short blocks, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;"
                 ::"r"(to), "l"(map), "r"(barrier), "h"(blocks), "r"(x), "r"(y) : "memory");
}
INLINE unsigned long long descriptor(unsigned address) {
    return (unsigned long long)((address & 0x3ffff) >> 4) | 1ull << 16 | (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}
INLINE void multiply(float (&c)[32], unsigned long long a, unsigned long long b, int accumulate) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]),
                   "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]),
                   "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
                   "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
                 : "l"(a), "l"(b), "r"(accumulate));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1)
gemm(const __grid_constant__ BoxMap map_a, const __grid_constant__ BoxMap map_b, const __grid_constant__ BoxMap map_c, int k) {
    extern __shared__ __align__(1024) unsigned char shared_memory[];
    const unsigned shared = (unsigned)__cvta_generic_to_shared(shared_memory);
    const unsigned tile_a = shared, tile_b = shared + STAGES * BOX_BYTES, tile_c = shared + 2 * STAGES * BOX_BYTES;
    const unsigned full = tile_c + TILE * TILE * 4, empty = full + 8 * STAGES;
    const int thread = threadIdx.x, rank = blockIdx.x % 2, first_m = blockIdx.y * TILE, first_n = blockIdx.x * TILE;
    if (thread == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 2);
        }
#ifndef NO_INIT_FENCE
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    cluster_sync();
    const int steps = (k + 63) / 64;
    if (thread >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (thread == 128)
            for (int step = 0; step < steps; ++step) {
                const int stage = step % STAGES, phase = step / STAGES % 2;
#ifndef NO_EMPTY_WAIT
                barrier_wait(empty + 8 * stage, phase ^ 1);
#endif
                barrier_expect(full + 8 * stage, 2 * BOX_BYTES);
                if (rank == 0) box_load_shared(tile_a + stage * BOX_BYTES, &map_a, full + 8 * stage, 3, step * 64, first_m);
                box_load(tile_b + stage * BOX_BYTES, &map_b, full + 8 * stage, step * 64 + LOAD_SHIFT, first_n);
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float sums[32] = {};
        for (int step = 0; step < steps; ++step) {
            const int stage = step % STAGES, phase = step / STAGES % 2;
#ifndef NO_FULL_WAIT
            barrier_wait(full + 8 * stage, phase);
#endif
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int part = 0; part < 4; ++part)
                multiply(sums, descriptor(tile_a + stage * BOX_BYTES + 32 * part), descriptor(tile_b + stage * BOX_BYTES + 32 * part), step || part);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef NO_MMA_WAIT
            asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(0) : "memory");
#endif
            if (thread < 2) barrier_arrive_at(empty + 8 * stage, thread);
        }
#ifdef NO_MMA_WAIT
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(0) : "memory");
#endif
        float* const staged = (float*)(shared_memory + 2 * STAGES * BOX_BYTES);
        for (int i = 0; i < 32; ++i)
            staged[(thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8) * TILE + i / 4 * 8 + thread % 4 * 2 + i % 2] = sums[i];
#ifndef NO_PROXY_FENCE
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(128) : "memory");
        if (thread == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                         ::"l"(&map_c), "r"(tile_c), "r"(first_n + STORE_SHIFT), "r"(first_m) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
    }
    cluster_sync();
}
