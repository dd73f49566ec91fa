// SPDX-License-Identifier: MIT
// Work that goes on while its thread goes on: copies in groups, barriers that count arrivals and bytes, the copy engine's boxes.
// Bytes that are on their way belong to nobody: reading or writing them is reported, and they hold NaN until they land.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace simt {

// ---- per-thread copies into shared memory; `source_bytes` of `bytes` are read, the rest is zero

void copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes, const void* site);
void copy_commit();
void copy_wait(unsigned pending);  // all but the newest `pending` groups have landed
void copy_wait_all();

// ---- barriers in shared memory with arrivals, bytes and phases

void mbarrier_init(void* barrier, unsigned arrivals, const void* site);
void mbarrier_invalidate(void* barrier, const void* site);
void mbarrier_init_fence();
void mbarrier_expect(void* barrier, unsigned bytes, const void* site);
void mbarrier_arrive(void* barrier, unsigned arrivals, const void* site);
// Whether the phase of this parity is complete; `wait` waits until it is.
bool mbarrier_test(void* barrier, unsigned parity, bool wait, const void* site);

// ---- boxes of tensors

// What a tensor map holds here: 128 bytes, like the driver's, but readable.
struct TensorMap {
    uint64_t magic, address;
    uint32_t rank, element_bytes, swizzle_bytes, writable;
    uint32_t extent[5], box[5];
    uint64_t stride[4];  // bytes, of dimensions 1 to 4; dimension 0 is dense
    int16_t walk, lower[2], upper[2], step[2], unused;  // of a walk over windows: columns, rows
};
static_assert(sizeof(TensorMap) == 120);

// `blocks` is a mask of ranks, 0 for this block alone.
void box_load(void* to, const void* map, void* barrier, const int* place, unsigned rank, unsigned blocks, const void* site);
// `offset` says which element of each window is loaded: columns, rows.
void windows_load(void* to, const void* map, void* barrier, const int* place, const int* offset, unsigned blocks, const void* site);
void box_store(const void* map, const void* from, const int* place, unsigned rank, const void* site);
void box_commit();
void box_wait(unsigned pending);
void proxy_fence();

// ---- matrix instructions of four warps; sums appear in the registers when their group is waited for

enum class Kind : uint8_t { f64, tf32, f16, bf16, e4m3, e5m2, s8, u8 };

constexpr int kind_bytes(Kind kind) {
    return kind == Kind::f64 ? 8 : kind == Kind::tf32 ? 4 : kind == Kind::f16 || kind == Kind::bf16 ? 2 : 1;
}

// What one lane passes. A comes from `a` (its registers) or through a descriptor; sums are fp32, or int32 for 8-bit integers.
struct WarpgroupMultiply {
    void* const* sums;
    unsigned registers, columns, depth;
    Kind kind_a, kind_b;
    uint32_t a[4];
    bool a_in_registers, accumulate, transposed_a, transposed_b;
    int scale_a, scale_b;
    uint64_t descriptor_a, descriptor_b;
};

void warpgroup_multiply(const WarpgroupMultiply& lane, const void* site);
void warpgroup_commit(const void* site);
void warpgroup_wait(unsigned pending, const void* site);

}  // namespace simt
