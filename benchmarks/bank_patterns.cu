// SPDX-License-Identifier: MIT
// One warp reads shared memory by a pattern, over and over: ncu counts what that costs, and the clock times it. Patterns come from standard
// input, a line each: bytes of an access, then the byte offset of every lane. The GPU's name comes first, then a line of results for each:
// bytes, and cycles of one access while many are under way.
#include <cstdio>
#include <cstdlib>

constexpr int kLanes = 32, kBytes = 32768, kRepeats = 64, kUnrolled = 16;

template <int WORDS>
__device__ __forceinline__ unsigned fetch(unsigned address) {
    unsigned w[4] = {};
    if constexpr (WORDS == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w[0]) : "r"(address));
    if constexpr (WORDS == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "r"(address));
    if constexpr (WORDS == 4)
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(address));
    return w[0] ^ w[1] ^ w[2] ^ w[3];
}

template <int WORDS>
__global__ void read_shared(const int* offsets, long long* cycles, unsigned* sink) {
    __shared__ __align__(1024) unsigned memory[kBytes / 4];
    for (int i = threadIdx.x; i < kBytes / 4; i += kLanes) memory[i] = i;
    __syncwarp();
    const unsigned address = unsigned(__cvta_generic_to_shared(memory)) + offsets[threadIdx.x];
    unsigned found[kUnrolled] = {};
    const long long begin = clock64();
#pragma unroll 1
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
#pragma unroll
        for (int i = 0; i < kUnrolled; ++i) found[i] ^= fetch<WORDS>(address);
    }
    const long long end = clock64();
    unsigned sum = 0;
    for (int i = 0; i < kUnrolled; ++i) sum += found[i];
    sink[threadIdx.x] = sum;
    if (threadIdx.x == 0) *cycles = end - begin;
}

static void require(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    cudaDeviceProp device;
    require(cudaGetDeviceProperties(&device, 0));
    std::printf("device,%s\n", device.name);
    int* offsets;
    long long* cycles;
    unsigned* sink;
    require(cudaMalloc(&offsets, kLanes * sizeof(int)));
    require(cudaMalloc(&cycles, sizeof(long long)));
    require(cudaMalloc(&sink, kLanes * sizeof(unsigned)));
    int bytes, given[kLanes];
    long long taken;
    while (std::scanf("%d", &bytes) == 1) {
        for (int lane = 0; lane < kLanes; ++lane) {
            if (std::scanf("%d", given + lane) != 1 || given[lane] < 0 || given[lane] + bytes > kBytes || given[lane] % bytes) {
                std::fprintf(stderr, "a pattern is 32 aligned offsets within %d bytes\n", kBytes);
                return 2;
            }
        }
        require(cudaMemcpy(offsets, given, sizeof given, cudaMemcpyHostToDevice));
        const auto kernel = bytes == 4 ? read_shared<1> : bytes == 8 ? read_shared<2> : read_shared<4>;
        kernel<<<1, kLanes>>>(offsets, cycles, sink);
        require(cudaGetLastError());
        require(cudaDeviceSynchronize());
        require(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
        std::printf("cycles,%d,%.4f\n", bytes, double(taken) / (kRepeats * kUnrolled));
    }
    return 0;
}
