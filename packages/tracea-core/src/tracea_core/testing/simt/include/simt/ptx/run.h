// SPDX-License-Identifier: MIT
// Finds the twin of a PTX instruction by its full name. To add one, add a branch to `run` and a function to the header it belongs to.
#pragma once
#include <simt/ptx/arithmetic.h>
#include <simt/ptx/asynchronous.h>
#include <simt/ptx/matrix.h>
#include <simt/ptx/memory.h>
#include <simt/ptx/operands.h>
#include <simt/ptx/warpgroup.h>

namespace simt::ptx {

template <Name op>
constexpr bool no_twin = false;

template <Name op, class... O>
__attribute__((always_inline)) inline void run(O&&... o) {
    if constexpr (op.is("mma.sync")) mma<op>(o...);
    else if constexpr (op.is("ldmatrix")) ldmatrix<op>(o...);
    else if constexpr (op.is("stmatrix")) stmatrix<op>(o...);
    else if constexpr (op.is("wgmma")) wgmma<op>(o...);
    else if constexpr (op.is("cp.async.bulk")) bulk<op>(o...);
    else if constexpr (op.is("cp.async.mbarrier")) static_assert(no_twin<op>, "no twin of this PTX instruction");
    else if constexpr (op.is("cp.async")) copy_async<op>(o...);
    else if constexpr (op.is("mbarrier")) mbarrier<op>(o...);
    else if constexpr (op.is("barrier.cluster")) cluster_barrier<op>();
    else if constexpr (op.is("bar") || op.is("barrier")) block_barrier<op>(o...);
    else if constexpr (op.is("fence") || op.is("membar")) fence<op>();
    else if constexpr (op.is("mapa")) mapa<op>(o...);
    else if constexpr (op.is("ld")) load<op>(o...);
    else if constexpr (op.is("st")) store<op>(o...);
    else if constexpr (op.is("red") || op.is("atom")) atomic<op>(o...);
    else if constexpr (op.is("elect")) elect(o...);
    else if constexpr (op.is("setmaxnreg")) count(op.has("inc") ? "setmaxnreg.inc" : "setmaxnreg.dec");
    else if constexpr (op.is("prefetch") || op.is("prefetchu") || op.is("griddepcontrol") || op.is("nanosleep")) hint<op>();
    else if constexpr (op.is("cvt") || op.is("max") || op.is("min") || op.is("mov") || op.is("setp") || op.is("ex2") || op.is("lg2")
                       || op.is("rcp") || op.is("rsqrt") || op.is("sqrt") || op.is("tanh") || op.is("fma") || op.is("add")
                       || op.is("sub") || op.is("mul") || op.is("selp") || op.is("cvta"))
        arithmetic<op>(o...);
    else static_assert(no_twin<op>, "no twin of this PTX instruction");
}

}  // namespace simt::ptx
