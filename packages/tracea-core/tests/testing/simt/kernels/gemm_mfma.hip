// SPDX-License-Identifier: MIT
// C[m, n] = A[m, k] · B[n, k]ᵀ for any m, n and k: a 64 × 64 tile of a block of four waves, 32 × 32 each, k in steps of 16, two
// buffers in local memory. The macros plant bugs.
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

#define TILE 64
#define STEP 16
#ifdef NO_PADDING
#define ROW STEP
#else
#define ROW (STEP + 4)
#endif
#ifdef SMALL_BUFFER
#define ROWS (TILE - 1)
#else
#define ROWS TILE
#endif

__device__ __forceinline__ half4 load4(const _Float16* matrix, int rows, int depth, int row, int k) {
    half4 values = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
#ifdef NO_MASK
        values[i] = matrix[row * depth + k + i];
#else
        if (row < rows && k + i < depth) values[i] = matrix[row * depth + k + i];
#endif
    }
    return values;
}

extern "C" __global__ void __launch_bounds__(256)
gemm(const _Float16* __restrict__ a, const _Float16* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) _Float16 tile_a[2][TILE * ROW];
    __shared__ __align__(16) _Float16 tile_b[2][ROWS * ROW];
    const int thread = threadIdx.x, lane = thread % 64, wave = thread / 64;
    const int row = thread / 4, column = thread % 4 * 4;
    const int first_m = blockIdx.y * TILE, first_n = blockIdx.x * TILE;
    const int wave_m = wave / 2 * 32, wave_n = wave % 2 * 32;
    float16 sum = {};
    half4 next_a = load4(a, m, k, first_m + row, column), next_b = load4(b, n, k, first_n + row, column);
    int buffer = 0;
    for (int done = 0; done < k; done += STEP, buffer ^= 1) {
#ifdef FORGET_STORE
        if (row != 17)
#endif
        *(half4*)&tile_a[buffer][row * ROW + column] = next_a;
        *(half4*)&tile_b[buffer][row * ROW + column] = next_b;
#ifdef DIVERGENT_BARRIER
        volatile int passed;
        if (wave) {
            __syncthreads();
            passed = 1;
        } else {
            passed = 2;
            __syncthreads();
        }
#elif defined(HALF_A_WAVE_WAITS)
        if (lane < 32) __syncthreads();
#elif !defined(NO_BARRIER)
        __syncthreads();
#endif
        if (done + STEP < k) {
            next_a = load4(a, m, k, first_m + row, done + STEP + column);
            next_b = load4(b, n, k, first_n + row, done + STEP + column);
        }
        for (int part = 0; part < STEP; part += 8) {
            const int at = part + lane / 32 * 4;
            const half4 left = *(const half4*)&tile_a[buffer][(wave_m + lane % 32) * ROW + at];
            const half4 right = *(const half4*)&tile_b[buffer][(wave_n + lane % 32) * ROW + at];
#ifdef DIVERGENT_MFMA
            if (lane < 48)
#endif
            sum = __builtin_amdgcn_mfma_f32_32x32x8f16(left, right, sum, 0, 0, 0);
        }
#ifdef ONE_BUFFER
        buffer = 1;
#endif
    }
    for (int i = 0; i < 16; ++i) {
        const int to_m = first_m + wave_m + i / 4 * 8 + lane / 32 * 4 + i % 4, to_n = first_n + wave_n + lane % 32;
        if (to_m < m && to_n < n) c[to_m * n + to_n] = sum[i];
    }
}
