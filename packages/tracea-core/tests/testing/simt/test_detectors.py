# SPDX-License-Identifier: MIT
"""Each detector sees its planted bug, in a kernel of a few lines, and nothing where the bug is repaired."""

import functools

import numpy as np
import pytest
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram, SimtReport

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def run(
    body: str, *, language: str = "cuda", target: str = "h100", threads: int = 64, blocks: int = 1, values: int = 256, seed: int = 0,
    cluster: int = 1, shared_bytes: int = 0, step_limit: int = 100_000,
) -> tuple[SimtReport, np.ndarray]:  # fmt: skip
    """Run a body on one array `x` of int with thread number `t`."""
    text = f'extern "C" __global__ void f(int* x) {{\n const int t = threadIdx.x;\n{body}\n}}'
    x = np.arange(values, dtype=np.int32)
    program = SimtProgram(text, language=language, target=target)
    report = program.run(
        (blocks,), (threads,), [x], seed=seed, cluster=cluster, shared_bytes=shared_bytes, step_limit=step_limit
    )
    return report, x


CASES: dict[str, tuple[str, str, str]] = {
    "race between neighbours": (
        "race",
        "__shared__ int s[64]; s[t] = t; x[t] = s[63 - t];",
        "__shared__ int s[64]; s[t] = t; __syncthreads(); x[t] = s[63 - t];",
    ),
    "write after read": (
        "race",
        "__shared__ int s[64]; s[t] = t; __syncthreads(); x[t] = s[t ^ 1]; s[t] = 0;",
        "__shared__ int s[64]; s[t] = t; __syncthreads(); x[t] = s[t ^ 1]; __syncthreads(); s[t] = 0;",
    ),
    "neighbouring bytes are no race": (
        "race",
        "__shared__ int s[16]; ((char*)s)[t / 2] = 1;",
        "__shared__ int s[16]; ((char*)s)[t] = 1;",
    ),
    "a barrier of half the block orders half": (
        "race",
        '__shared__ int s[64]; s[t] = t; asm volatile("bar.sync %0, 32;" ::"r"(1 + t / 32)); x[t] = s[63 - t];',
        '__shared__ int s[64]; s[t] = t; asm volatile("bar.sync 1, 64;"); x[t] = s[63 - t];',
    ),
    "an arrival does not order what follows it": (
        "race",
        '__shared__ int s[64]; if (t < 32) { asm volatile("bar.arrive 1, 64;"); s[t] = t; }'
        ' else { asm volatile("bar.sync 1, 64;"); x[t] = s[t - 32]; }',
        '__shared__ int s[64]; if (t < 32) { s[t] = t; asm volatile("bar.arrive 1, 64;"); }'
        ' else { asm volatile("bar.sync 1, 64;"); x[t] = s[t - 32]; }',
    ),
    "a shuffle orders nothing, a warp barrier does": (
        "race",
        "__shared__ int s[64]; s[t] = t; __shfl_xor_sync(~0u, t, 1); x[t] = s[t ^ 1];",
        "__shared__ int s[64]; s[t] = t; __syncwarp(); x[t] = s[t ^ 1];",
    ),
    "atomics do not race with each other": (
        "race",
        "__shared__ int s; if (!t) s = 0; __syncthreads(); s = s + 1;",
        "__shared__ int s; if (!t) s = 0; __syncthreads(); atomicAdd(&s, 1);",
    ),
    "beyond an array": ("out-of-bounds", "x[t + 193] = 0;", "x[t + 192] = 0;"),
    "before an array": ("out-of-bounds", "x[t - 1] = 0;", "x[t] = 0;"),
    "far beyond every array": ("out-of-bounds", "x[(long)t << 40] = 0;", "x[t] = 0;"),
    "beyond shared memory": (
        "out-of-bounds",
        "__shared__ int s[64]; s[t + 16] = 0;",
        "__shared__ int s[80]; s[t + 16] = 0;",
    ),
    "shared memory nobody has written": (
        "uninitialised",
        "__shared__ int s[64]; if (t) s[t] = 0; __syncthreads(); x[t] = s[t];",
        "__shared__ int s[64]; s[t] = 0; __syncthreads(); x[t] = s[t];",
    ),
    "half a vector": (
        "uninitialised",
        "__shared__ int4 s[64]; ((int2*)s)[2 * t] = int2{1, 2}; x[t] = s[t].w;",
        "__shared__ int4 s[64]; ((int2*)s)[2 * t] = int2{1, 2}; ((int2*)s)[2 * t + 1] = int2{1, 2}; x[t] = s[t].w;",
    ),
    "a barrier that half the threads reach": ("deadlock", "if (t < 32) __syncthreads();", "__syncthreads();"),
    "a barrier that half a warp reaches": ("divergence", "if (t % 32 < 16) __syncthreads();", "__syncthreads();"),
    "a shuffle that half a warp reaches": (
        "divergence",
        "if (t % 32 < 16) x[t] = __shfl_xor_sync(0xffffffffu, t, 1);",
        "if (t % 32 < 16) x[t] = __shfl_xor_sync(0xffffu, t, 1);",
    ),
    "two barriers that wait for each other": (
        "deadlock",
        'if (t < 32) { asm volatile("bar.sync 1, 64;"); asm volatile("bar.sync 2, 64;"); }'
        ' else { asm volatile("bar.sync 2, 64;"); asm volatile("bar.sync 1, 64;"); }',
        'asm volatile("bar.sync 1, 64;"); asm volatile("bar.sync 2, 64;");',
    ),
    "another number of threads": (
        "barrier",
        'asm volatile("bar.sync 1, %0;" ::"r"(t < 32 ? 64 : 32));',
        'asm volatile("bar.sync 1, %0;" ::"r"(64));',
    ),
    "a loop without an end": (
        "endless",
        "while (*(volatile int*)x == 0) {}",
        "while (*(volatile int*)x != 0) {}",
    ),
    "polling what nobody writes": (
        "deadlock",
        "if (t == 0) while (atomicAdd(x, 0) == 0) {}",
        "if (t == 1) atomicExch(x, 1); if (t == 0) while (atomicAdd(x, 0) == 0) {}",
    ),
    "a wide access at a narrow address": (
        "misaligned",
        "*(int4*)&x[t + 1] = int4{};",
        "*(int4*)&x[t / 2 * 4] = int4{};",
    ),
    "a barrier in shared memory that nobody has initialised": (
        "barrier",
        "__shared__ long b; unsigned a = __cvta_generic_to_shared(&b);"
        ' asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a));',
        "__shared__ long b; unsigned a = __cvta_generic_to_shared(&b);"
        ' if (!t) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(a)); __syncthreads();'
        ' asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a));',
    ),
    "a barrier whose initialisation nobody has seen": (
        "barrier",
        "__shared__ long b; unsigned a = __cvta_generic_to_shared(&b);"
        ' if (!t) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(a));'
        ' asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a));',
        "__shared__ long b; unsigned a = __cvta_generic_to_shared(&b);"
        ' if (!t) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(a)); __syncthreads();'
        ' asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a));',
    ),
}


APART = ("beyond shared memory",)
"""What depends on where the kernel's shared memory ends; all the others are branches of one kernel, which compiles once."""
TOGETHER = [body for name, (_, *both) in CASES.items() if name not in APART for body in both]
FIRST_LINE = 1


@functools.cache
def all_cases() -> SimtProgram:
    functions = "\n".join(
        f"__device__ __noinline__ void case_{number}(int* x, int t) {{ {body} }}"
        for number, body in enumerate(TOGETHER)
    )
    calls = " ".join(f"if (which == {number}) case_{number}(x, threadIdx.x);" for number in range(len(TOGETHER)))
    text = f'{functions}\nextern "C" __global__ void f(int* x, int which) {{ {calls} }}'
    return SimtProgram(text, language="cuda", target="h100")


def run_case(name: str, body: str, seed: int) -> tuple[SimtReport, int]:
    """Run one body; return the report and the line it stands in."""
    if name in APART:
        return run(body, seed=seed)[0], 3
    which = TOGETHER.index(body)
    x = np.arange(256, dtype=np.int32)
    return all_cases().run((1,), (64,), [x, which], seed=seed, step_limit=100_000), FIRST_LINE + which


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [0, 3])
def test_the_bug_is_seen_and_its_repair_is_not(name: str, seed: int) -> None:
    kind, bug, repaired = CASES[name]
    report, line = run_case(name, bug, seed)
    assert kind in report.kinds, str(report)
    found = next(finding for finding in report.findings if finding.kind == kind)
    assert found.site.file == "f.cuda" and line in (found.site.line, *found.site.called_from)
    with pytest.raises(ConformanceError, match=kind):
        report.require_clean()
    report, _ = run_case(name, repaired, seed)
    report.require_clean()


def test_a_write_to_a_read_only_array_is_seen_and_does_not_reach_the_caller() -> None:
    x = np.zeros(64, np.int32)
    x.flags.writeable = False
    report = SimtProgram(
        'extern "C" __global__ void f(int* x) { x[threadIdx.x] = 1; }', language="hip", target="gfx942"
    ).run((1,), (64,), [x])
    assert report.kinds == {"read-only"}
    assert not x.any()


def test_a_register_that_was_never_written_is_nan() -> None:
    text = 'extern "C" __global__ void f(float* x) { float v[2]; if (x[0] > 0) v[1] = 1; x[threadIdx.x] = v[1]; }'
    x = np.zeros(64, np.float32)
    SimtProgram(text, language="hip", target="gfx942").run((1,), (64,), [x]).require_clean()
    assert np.isnan(x).all()


BANKS = """extern "C" __global__ void f(int stride, int which) {
    extern __shared__ int4 s[];
    const int t = threadIdx.x;
    if (which == 4) ((int*)s)[t * stride] = 1;
    if (which == 8) ((int2*)s)[t * stride] = int2{};
    if (which == 16) s[t * stride] = int4{};
}"""


@pytest.mark.parametrize(
    ("language", "target", "lanes", "banks"),
    [("cuda", "h100", 32, 32), ("hip", "gfx950", 64, 64), ("hip", "gfx942", 64, 32)],
)
def test_conflicts_are_those_of_the_bank_model(language: str, target: str, lanes: int, banks: int) -> None:
    program = SimtProgram(BANKS, language=language, target=target)
    for width in (4, 8, 16):
        for stride in (1, 2, 3, 8, 32, 33):
            report = program.run((1,), (lanes,), [stride, width], shared_bytes=min(lanes * stride * width, 65536))
            addresses = [lane * stride * width for lane in range(lanes) if (lane * stride + 1) * width <= 65536]
            model = BankConflictSimulator(banks, 4).access(addresses, width)
            (seen,) = report.banks
            assert (seen.width, seen.write, seen.accesses) == (width, True, 1)
            assert (seen.phases, seen.cycles, seen.worst) == (model.phases, model.cycles, model.worst)


def test_blocks_of_a_cluster_reach_each_other() -> None:
    body = """
 __shared__ int s[64];
 unsigned rank, place = (unsigned)__cvta_generic_to_shared(&s[t]), there; int other;
 asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
 s[t] = 100 * rank + t;
 asm volatile("barrier.cluster.arrive.release.aligned;\\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
 asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(rank ^ 1));
 asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(there));
 x[64 * blockIdx.x + t] = other;
"""
    report, x = run(body, blocks=4, cluster=2, seed=2)
    report.require_clean()
    expected = [100 * (1 - block % 2) + t for block in range(4) for t in range(64)]
    assert x.tolist() == expected
    report, _ = run(body.replace("barrier.cluster.wait.acquire.aligned;", ""), blocks=4, cluster=2, seed=2)
    assert report.kinds & {"race", "uninitialised"}


def test_shuffles_and_votes() -> None:
    calls = {
        "__shfl_sync(~0u, t, 3)": [t // 32 * 32 + 3 for t in range(64)],
        "__shfl_up_sync(~0u, t, 2)": [t - 2 if t % 32 >= 2 else t for t in range(64)],
        "__shfl_down_sync(~0u, t, 2, 8)": [t + 2 if t % 8 < 6 else t for t in range(64)],
        "__shfl_xor_sync(~0u, t, 5)": [t ^ 5 for t in range(64)],
        "__popc(__ballot_sync(~0u, t % 3 == 0))": [],
    }
    report, x = run("\n".join(f"x[{64 * i} + t] = {call};" for i, call in enumerate(calls)), values=64 * len(calls))
    report.require_clean()
    ballot = [sum(lane % 3 == 0 for lane in range(first, first + 32)) for first in (0, 32) for _ in range(32)]
    assert x.reshape(-1, 64).tolist() == [*list(calls.values())[:-1], ballot]


def test_every_order_of_threads_runs_the_same_kernel_right_and_is_repeatable() -> None:
    body = "__shared__ int n; if (!t) n = 0; __syncthreads(); x[t] = atomicAdd(&n, 1);"
    orders = [run(body, seed=seed)[1][:64].tolist() for seed in (0, 1, 2, 2)]
    assert orders[1] != orders[2] == orders[3]
    assert all(sorted(order) == list(range(64)) for order in orders)
