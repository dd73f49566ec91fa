// SPDX-License-Identifier: MIT
// wgmma: its operands, handed to the emulator.
// wgmma.mma_async.sync.aligned.<shape>.<D>.<A>.<B> {d}, a or {a}, b, scale-d[, scale-a, scale-b[, trans-a], trans-b]
#pragma once
#include <simt/ptx/matrix.h>

namespace simt::ptx {

SIMT_TWIN void group_multiply(const WarpgroupMultiply* lane) { warpgroup_multiply(*lane, SIMT_SITE); }
SIMT_TWIN void group_commit() { warpgroup_commit(SIMT_SITE); }
SIMT_TWIN void group_wait(unsigned pending) { warpgroup_wait(pending, SIMT_SITE); }

template <Name op, class D, class A, class B, class P, class... Rest>
__attribute__((always_inline)) inline void multiply_group(D d, A a, B b, P accumulate, Rest... rest) {
    constexpr unsigned last = op.parts() - 1;
    constexpr Kind kind_a = kind_at<op>(last - 1), kind_b = kind_at<op>(last);
    static_assert(op.part_is(last - 2, "f32") || op.part_is(last - 2, "s32"), "no twin of fp16 accumulators");
    static_assert(extent<op>('m') == 64 && extent<op>('k') * kind_bytes(kind_a) == 32, "no such shape");
    constexpr bool a_in_registers = requires { a.values; };
    const int given[] = {int(rest)..., 0, 0, 0, 0};
    constexpr size_t count = sizeof(d.places) / sizeof(d.places[0]);
    static_assert(count == extent<op>('n') / 2, "the accumulator has another size");
    void* places[count];
    for (size_t i = 0; i < count; ++i) places[i] = d.places[i];
    WarpgroupMultiply lane{};
    lane.sums = places;
    lane.registers = unsigned(count);
    lane.columns = unsigned(extent<op>('n'));
    lane.depth = unsigned(extent<op>('k'));
    lane.kind_a = kind_a;
    lane.kind_b = kind_b;
    lane.accumulate = accumulate;
    lane.scale_a = sizeof...(Rest) ? given[0] : 1;
    lane.scale_b = sizeof...(Rest) ? given[1] : 1;
    lane.a_in_registers = a_in_registers;
    lane.descriptor_b = uint64_t(b);
    if constexpr (a_in_registers) {
        for (int i = 0; i < 4; ++i) lane.a[i] = a.values[i];
        lane.transposed_b = given[2];
    } else {
        lane.descriptor_a = uint64_t(a);
        lane.transposed_a = given[2];
        lane.transposed_b = given[3];
    }
    group_multiply(&lane);
}

template <Name op, class... O>
__attribute__((always_inline)) inline void wgmma(O&&... o) {
    if constexpr (op.is("wgmma.fence")) count("wgmma.fence");
    else if constexpr (op.is("wgmma.commit_group")) group_commit();
    else if constexpr (op.is("wgmma.wait_group")) group_wait(unsigned(o)...);
    else multiply_group<op>(o...);
}

}  // namespace simt::ptx
