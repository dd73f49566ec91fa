// SPDX-License-Identifier: MIT
// C[m, n] = A[m, k] · B[n, k]ᵀ for k in multiples of 32, m and n of 32: a 32 × 32 tile of a block of four warps, 16 × 16 each, two
// buffers filled by cp.async, read by ldmatrix through an XOR swizzle. The macros plant bugs.
typedef unsigned short fp16;

#define TILE 32
#ifdef NO_SWIZZLE
#define SWIZZLE(row, column) (column)
#else
#define SWIZZLE(row, column) ((column) ^ ((row) / 2 % 4 * 8))
#endif
#ifndef PENDING
#define PENDING 1
#endif

__device__ __forceinline__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
__device__ __forceinline__ void copy16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory"); }
__device__ __forceinline__ void load_matrices(unsigned (&words)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared_address(row)));
}
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void fetch(fp16* tile, const fp16* matrix, int first, int depth, int k, int thread) {
    const int row = thread / 4, column = thread % 4 * 8;
    copy16(&tile[row * TILE + SWIZZLE(row, column)], &matrix[(first + row) * depth + k + column]);
}

extern "C" __global__ void __launch_bounds__(128)
gemm(const fp16* __restrict__ a, const fp16* __restrict__ b, float* __restrict__ c, int n, int k) {
    extern __shared__ __align__(128) fp16 shared[];
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int first_m = blockIdx.y * TILE, first_n = blockIdx.x * TILE, warp_m = warp / 2 * 16, warp_n = warp % 2 * 16;
    float sums[2][4] = {};
    fetch(shared, a, first_m, k, 0, thread);
    fetch(shared + 2 * TILE * TILE, b, first_n, k, 0, thread);
    commit();
    for (int done = 0, buffer = 0; done < k; done += TILE, buffer ^= 1) {
        fp16* const tile_a = shared + buffer * TILE * TILE;
        fp16* const tile_b = shared + (2 + buffer) * TILE * TILE;
        if (done + TILE < k) {
            fetch(shared + (buffer ^ 1) * TILE * TILE, a, first_m, k, done + TILE, thread);
            fetch(shared + (2 + (buffer ^ 1)) * TILE * TILE, b, first_n, k, done + TILE, thread);
            commit();
            wait<PENDING>();
        } else {
            wait<0>();
        }
        __syncthreads();
        for (int part = 0; part < TILE; part += 16) {
            unsigned left[4], right[4];
            const int row = lane % 16, column = part + lane / 16 * 8;
            load_matrices(left, &tile_a[(warp_m + row) * TILE + SWIZZLE(warp_m + row, column)]);
            load_matrices(right, &tile_b[(warp_n + row) * TILE + SWIZZLE(warp_n + row, column)]);
            multiply(sums[0], left, right[0], right[2]);
            multiply(sums[1], left, right[1], right[3]);
        }
#ifndef NO_SECOND_BARRIER
        __syncthreads();
#endif
    }
    for (int part = 0; part < 2; ++part)
        for (int i = 0; i < 4; ++i)
            c[(first_m + warp_m + lane / 4 + i / 2 * 8) * n + first_n + warp_n + part * 8 + lane % 4 * 2 + i % 2] = sums[part][i];
}
