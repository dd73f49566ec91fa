# SPDX-License-Identifier: MIT
"""What devices refuse of copies, barriers, descriptors and warpgroups, planted one by one: each is told in the emulator's own words."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram, SimtReport, TensorMap

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]

PREAMBLE = """
struct alignas(64) BoxMap { unsigned char bytes[128]; };
#define INLINE __device__ __forceinline__
INLINE void init(unsigned at, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
}
INLINE void load(unsigned to, const void* map, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(to), "l"(map), "r"(barrier), "r"(0), "r"(0) : "memory");
}
INLINE void load_windows(unsigned to, const void* map, unsigned barrier, unsigned short right) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};"
                 ::"r"(to), "l"(map), "r"(barrier), "r"(0), "r"(0), "r"(0), "r"(0), "h"(right), "h"((unsigned short)0) : "memory");
}
INLINE void store(const void* map, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                 ::"l"(map), "r"(from), "r"(0), "r"(0) : "memory");
}
INLINE void multiply(unsigned long long a, unsigned long long b) {
    float c[4] = {};
    asm volatile("{\\n.reg .pred p;\\nsetp.ne.b32 p, %6, 0;\\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\\n}"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b), "r"(0));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
"""

CASES: dict[str, tuple[str, str, str]] = {
    "a copy from an unaligned address": (
        "misaligned",
        "between unaligned addresses",
        'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s + 4 * t), "l"((char*)x + 2));',
    ),
    "a copy to nowhere": (
        "out-of-bounds",
        "outside its block's shared memory",
        'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s + (1 << 20)), "l"(x));',
    ),
    "the seventeenth barrier": ("barrier", "numbers 0 to 15", 'asm volatile("bar.sync 16, 128;");'),
    "half a warp at a barrier": ("barrier", "whole warps", 'asm volatile("bar.sync 1, 16;");'),
    "a mask without the lane": ("divergence", "whose mask leaves it out", "x[t] = __shfl_xor_sync(0xfffffffeu, t, 1);"),
    "two shuffles at once": (
        "divergence",
        "elsewhere or with another mask",
        "if (t % 32 < 16) x[t] = __shfl_xor_sync(~0u, t, 1); else x[t + 1] = __shfl_xor_sync(~0u, t, 2);",
    ),
    "a barrier at an odd word": ("barrier", "at a multiple of 8", "if (!t) init(s + 4, 1);"),
    "a barrier for nobody": ("barrier", "of no arrivals", "if (!t) init(s, 0);"),
    "a barrier seen too early": (
        "barrier",
        "not ordered before",
        'if (!t) init(s, 1); else if (t == 127) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(s));',
    ),
    "a barrier taken away": (
        "barrier",
        "its barrier is gone",
        'if (!t) { init(s, 1); load(s + 1024, map, s); asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(s)); }',
    ),
    "a box at no barrier": ("barrier", "announces itself at no barrier", "if (!t) load(s + 1024, map, s);"),
    "a box of no map": ("box", "no tensor map", "if (!t) { init(s, 1); load(s + 1024, x, s); }"),
    "a walk without windows": (
        "box",
        "do not agree on a walk",
        "if (!t) { init(s, 1); load_windows(s + 1024, map, s, 0); }",
    ),
    "an element far to the right": (
        "box",
        "outside 0 to 255",
        "if (!t) { init(s, 1); load_windows(s + 1024, map, s, 256); }",
    ),
    "a box with another rank": (
        "box",
        "another rank",
        'if (!t) { init(s, 1); asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes '
        '[%0], [%1, {%3, %3, %3}], [%2];" ::"r"(s + 1024), "l"(map), "r"(s), "r"(0) : "memory"); }',
    ),
    "a box beyond shared memory": (
        "out-of-bounds",
        "does not fit into shared memory",
        "if (!t) { init(s, 1); load(s + 4096 - 128, map, s); }",
    ),
    "a box at an odd chunk": (
        "misaligned",
        "a box lies at offset",
        "if (!t) { init(s, 1); load(s + 1024 + 16, map, s); }",
    ),
    "a box for a third block": (
        "box",
        "a block that the cluster does not have",
        'if (!t) { init(s, 1); asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes'
        ".multicast::cluster "
        '[%0], [%1, {%4, %4}], [%2], %3;" ::"r"(s + 1024), "l"(map), "r"(s), "h"((unsigned short)4), "r"(0) : "memory"); }',
    ),
    "a box into what is only read": (
        "read-only",
        "stored to an array that is read-only",
        "if (!t) store(map, s + 1024);",
    ),
    "a warpgroup in two places": (
        "divergence",
        "others of its warpgroup wait",
        'if (t < 64) asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");'
        ' else asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");',
    ),
    "descriptors of one's own": ("divergence", "pass different descriptors", "multiply(t / 64 << 4, 0);"),
    "a descriptor beyond shared memory": (
        "out-of-bounds",
        "leads outside shared memory",
        "multiply(1ull << 13, 1ull << 13);",
    ),
}


@functools.cache
def program() -> SimtProgram:
    """Return all cases as branches of one kernel, which compiles once."""
    bodies = [body for _, _, body in CASES.values()]
    functions = "\n".join(
        f"__device__ __noinline__ void case_{number}(int* x, const BoxMap* map, unsigned s, int t) {{ {body} }}"
        for number, body in enumerate(bodies)
    )
    calls = "\n".join(
        f"    if (which == {number}) case_{number}(x, &map, s, threadIdx.x);" for number in range(len(bodies))
    )
    text = (
        f'{PREAMBLE}\n{functions}\nextern "C" __global__ void f(int* x, const __grid_constant__ BoxMap map, int which) {{\n'
        "    extern __shared__ __align__(1024) unsigned char memory[];\n"
        f"    const unsigned s = (unsigned)__cvta_generic_to_shared(memory);\n{calls}\n}}"
    )
    return SimtProgram(text, language="cuda", target="h100")


def said(report: SimtReport, kind: str, words: str) -> bool:
    """Whether the report has a finding of the kind, in these words."""
    return any(finding.kind == kind and words in finding.message for finding in report.findings)


@pytest.mark.parametrize("name", CASES)
def test_what_a_device_refuses_is_told(name: str) -> None:
    kind, words, _ = CASES[name]
    boxed = np.zeros((16, 32), np.int32)
    boxed.flags.writeable = False
    arguments = [np.zeros(512, np.int32), TensorMap(boxed, (32, 8)), list(CASES).index(name)]
    report = program().run((2,), (128,), arguments, shared_bytes=4096, cluster=2)
    assert said(report, kind, words), str(report)


def test_work_items_that_wait_in_two_barriers_never_meet() -> None:
    text = (
        "__kernel void f(__global int* x) {"
        " if (get_local_id(0) < 32) { barrier(1); x[0] = 1; } else { x[1] = 2; barrier(2); x[2] = 3; } }"
    )
    report = SimtProgram(text, language="opencl", target="pvc").run((1,), (64,), [np.zeros(4, np.int32)])
    assert said(report, "divergence", "wait in different calls of barrier"), str(report)


def test_a_matrix_function_for_other_sub_groups_is_refused() -> None:
    text = (
        "__kernel void f(__global float8* x) { int8 a = 0, b = 0; float8 c = 0.0f;"
        " x[get_local_id(0)] = intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, c); }"
    )
    report = SimtProgram(text, language="opencl", target="pvc").run((1,), (16,), [np.zeros((16, 8), np.float32)])
    assert said(report, "lanes", "does not fit the sub-group"), str(report)


def test_integers_that_saturate_are_refused() -> None:
    text = (
        "typedef int v4 __attribute__((ext_vector_type(4))); typedef int v8 __attribute__((ext_vector_type(8)));"
        'extern "C" __global__ void f(v8* x) { v4 a = 0; v8 c = 0;'
        " x[threadIdx.x] = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, a, c, true); }"
    )
    report = SimtProgram(text, language="hip", target="rx7900xtx").run((1,), (32,), [np.zeros((32, 8), np.int32)])
    assert said(report, "unsupported", "no twin"), str(report)
