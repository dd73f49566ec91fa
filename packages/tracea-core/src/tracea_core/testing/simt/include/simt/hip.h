// SPDX-License-Identifier: MIT
// HIP's words: what hip_runtime.h declares, and the compiler's builtins for AMD GPUs.
#pragma once
#include <simt/gpu.h>
#include <simt/hip_matrix.h>
#include <simt/hip_memory.h>

#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_DYNAMIC_SHARED(type, name) type* name = static_cast<type*>(simt::dynamic_shared());

#define warpSize (int(simt::warp_lanes()))

template <class T>
SIMT_TWIN T __shfl(T value, int source, int width = warpSize) {
    return simt::shuffle(value, simt::from_index(source, width), simt::kAllLanes, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_up(T value, unsigned delta, int width = warpSize) {
    return simt::shuffle(value, simt::from_up(delta, width), simt::kAllLanes, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_down(T value, unsigned delta, int width = warpSize) {
    return simt::shuffle(value, simt::from_down(delta, width), simt::kAllLanes, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_xor(T value, int bits, int width = warpSize) {
    return simt::shuffle(value, simt::from_xor(bits, width), simt::kAllLanes, SIMT_SITE);
}
SIMT_TWIN uint64_t __ballot(int value) { return simt::ballot(value != 0, simt::kAllLanes, SIMT_SITE); }
SIMT_TWIN int __any(int value) { return simt::ballot(value != 0, simt::kAllLanes, SIMT_SITE) != 0; }
SIMT_TWIN int __all(int value) { return simt::ballot(value == 0, simt::kAllLanes, SIMT_SITE) == 0; }

// ---- who am I

#define __builtin_amdgcn_workitem_id_x() (simt::thread_index().x)
#define __builtin_amdgcn_workitem_id_y() (simt::thread_index().y)
#define __builtin_amdgcn_workitem_id_z() (simt::thread_index().z)
#define __builtin_amdgcn_workgroup_id_x() (simt::block_index().x)
#define __builtin_amdgcn_workgroup_id_y() (simt::block_index().y)
#define __builtin_amdgcn_workgroup_id_z() (simt::block_index().z)
#define __builtin_amdgcn_workgroup_size_x() (simt::block_shape().x)
#define __builtin_amdgcn_workgroup_size_y() (simt::block_shape().y)
#define __builtin_amdgcn_workgroup_size_z() (simt::block_shape().z)
#define __builtin_amdgcn_grid_size_x() (simt::grid_shape().x * simt::block_shape().x)
#define __builtin_amdgcn_wavefrontsize() (simt::warp_lanes())

static inline unsigned simt_count_below(unsigned mask, unsigned base, unsigned first) {
    const unsigned lane = simt::lane();
    const unsigned below = lane <= first ? 0 : lane - first >= 32 ? ~0u : (1u << (lane - first)) - 1;
    return base + unsigned(__builtin_popcount(mask & below));
}
#define __builtin_amdgcn_mbcnt_lo(mask, base) simt_count_below(mask, base, 0)
#define __builtin_amdgcn_mbcnt_hi(mask, base) simt_count_below(mask, base, 32)

// ---- barriers, hints and waits
// A wave's s_barrier may stand anywhere: waves of other roles may wait in other calls of it. Waits for outstanding loads are the
// compiler's business, so that they order nothing between threads.

SIMT_TWIN void __builtin_amdgcn_s_barrier() { simt::barrier("s_barrier", SIMT_SITE, false); }
SIMT_TWIN void __builtin_amdgcn_wave_barrier() {
    simt::collective("wave_barrier", nullptr, nullptr, simt::kAllLanes, SIMT_SITE, true);
}
static inline void __syncwarp(unsigned long long = ~0ull) { __builtin_amdgcn_wave_barrier(); }
#define __builtin_amdgcn_fence(...) ((void)0)
#define __builtin_amdgcn_s_waitcnt(counters) simt::count("s_waitcnt")
#define __builtin_amdgcn_s_setprio(priority) simt::count("s_setprio")
#define __builtin_amdgcn_sched_barrier(mask) ((void)0)
#define __builtin_amdgcn_sched_group_barrier(mask, size, group) ((void)0)
#define __builtin_amdgcn_iglp_opt(strategy) ((void)0)
#define __builtin_amdgcn_s_sleep(cycles) simt::relax()

// ---- lanes

SIMT_TWIN int __builtin_amdgcn_ds_bpermute(int byte_address, int value) {
    return simt::shuffle(value, (byte_address >> 2) & int(simt::warp_lanes() - 1), simt::kAllLanes, SIMT_SITE);
}

namespace simt {
inline void first_lane(void* const* given, unsigned lanes) {
    unsigned first = 0;
    while (!given[first]) ++first;
    const int value = static_cast<Shuffle<int>*>(given[first])->value;
    for (unsigned i = 0; i < lanes; ++i)
        if (given[i]) static_cast<Shuffle<int>*>(given[i])->result = value;
}
}  // namespace simt

SIMT_TWIN int __builtin_amdgcn_readfirstlane(int value) {
    simt::Shuffle<int> mine{value, value, 0};
    simt::collective("readfirstlane", simt::first_lane, &mine, simt::kAllLanes, SIMT_SITE);
    return mine.result;
}
SIMT_TWIN int __builtin_amdgcn_readlane(int value, int source) { return simt::shuffle(value, source, simt::kAllLanes, SIMT_SITE); }

// ---- mathematics

#define __builtin_amdgcn_exp2f(x) exp2f(x)
#define __builtin_amdgcn_logf(x) log2f(x)
#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
#define __builtin_amdgcn_rsqf(x) (1.0f / sqrtf(x))
#define __builtin_amdgcn_sqrtf(x) sqrtf(x)
static inline float __builtin_amdgcn_fmed3f(float a, float b, float c) { return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c)); }
