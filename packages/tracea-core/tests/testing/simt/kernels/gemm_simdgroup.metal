// SPDX-License-Identifier: MIT
// C[m, n] = A[m, k] · B[k, n] for multiples of 32: a 32 × 32 tile of four simdgroups, 16 × 16 each, k in steps of 32. The macros
// plant bugs.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

constant constexpr uint TILE = 32;
constant constexpr uint ROW = TILE + 4;

kernel void gemm(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]], device float* c [[buffer(2)]],
                 constant uint& n [[buffer(3)]], constant uint& k [[buffer(4)]], threadgroup float* tile_a [[threadgroup(0)]],
                 uint3 thread_in_group [[thread_position_in_threadgroup]], uint2 group [[threadgroup_position_in_grid]],
                 uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
    threadgroup float tile_b[TILE * ROW];
    const uint thread_number = thread_in_group.x;
    const uint first_m = simdgroup / 2 * 16, first_n = simdgroup % 2 * 16;
    simdgroup_float8x8 sums[2][2];
    for (uint i = 0; i < 4; ++i) sums[i / 2][i % 2] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (uint done = 0; done < k; done += TILE) {
        for (uint i = thread_number; i < TILE * TILE / 4; i += 128) {
            const uint row = i / 8, column = i % 8 * 4;
            *(threadgroup float4*)(tile_a + row * ROW + column) = *(device const float4*)(a + (group.y * TILE + row) * k + done + column);
            *(threadgroup float4*)(tile_b + row * ROW + column) = *(device const float4*)(b + (done + row) * n + group.x * TILE + column);
        }
#ifdef NO_BARRIER
        simdgroup_barrier(mem_flags::mem_threadgroup);
#else
        threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
        for (uint part = 0; part < TILE; part += 8) {
            simdgroup_float8x8 left[2], right[2];
            for (uint i = 0; i < 2; ++i) {
                simdgroup_load(left[i], tile_a + (first_m + 8 * i) * ROW + part, ROW);
                simdgroup_load(right[i], tile_b + part * ROW + first_n + 8 * i, ROW);
            }
            for (uint i = 0; i < 4; ++i)
#ifdef DIVERGENT
                if (lane < 16)
#endif
                simdgroup_multiply_accumulate(sums[i / 2][i % 2], left[i / 2], right[i % 2], sums[i / 2][i % 2]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 4; ++i)
        simdgroup_store(sums[i / 2][i % 2], c + (group.y * TILE + first_m + i / 2 * 8) * n + group.x * TILE + first_n + i % 2 * 8, n);
}
