# SPDX-License-Identifier: MIT
"""A launch has a process to itself: a kernel that crashes is reported, and neither launches nor programs leave anything behind."""

import gc
import sys
from pathlib import Path

import numpy as np
import pytest
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]

TEXT = """
__device__ __attribute__((noinline)) int deeper(volatile int* above, int depth) {
    volatile int mine[64];
    mine[depth % 64] = above[0];
    return depth ? deeper(mine, depth - 1) + mine[1] : 0;
}

extern "C" __global__ void act(int* x, int what) {
    const int i = threadIdx.x;
    volatile int start[1] = {what};
    if (what == 1) __builtin_trap();
    if (what == 2) x[i] = deeper(start, 1 << 20);
    volatile int again = what == 3;
    while (again) {
    }
    x[i] = what;
}
"""


@pytest.mark.parametrize(("what", "said"), [(1, "signal"), (2, "stack overflowed")])
def test_a_crash_is_a_finding_and_the_next_launch_runs(what: int, said: str) -> None:
    program = SimtProgram(TEXT, language="cuda", target="h100")
    x = np.zeros(32, np.int32)
    (finding,) = program.run((1,), (32,), [x, what]).findings
    assert finding.kind == "crash" and said in finding.message
    assert finding.site.line, "the line that crashed is known"
    program.run((1,), (32,), [x, 7]).require_clean()
    assert (x == 7).all()


def test_a_launch_without_end_is_ended_and_the_next_one_runs() -> None:
    program = SimtProgram(TEXT, language="cuda", target="h100")
    x = np.zeros(32, np.int32)
    (finding,) = program.run((1,), (32,), [x, 3], second_limit=1).findings
    assert finding.kind == "crash" and "longer than 1 s" in finding.message
    program.run((1,), (32,), [x, 7], second_limit=60).require_clean()
    assert (x == 7).all()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_neither_launches_nor_programs_leave_mappings_behind() -> None:
    def mappings() -> int:
        gc.collect()
        return len(Path("/proc/self/maps").read_text().splitlines())

    def use() -> None:
        program = SimtProgram(TEXT, language="cuda", target="h100")
        program.run((1,), (1024,), [np.zeros(1024, np.int32), 7]).require_clean()

    use()
    before = mappings()
    for _ in range(8):
        use()
    # Each program maps four parts of its library, and the stacks of one launch are two thousand; the allocator maps now and then.
    assert mappings() < before + 32, "neither goes away"
