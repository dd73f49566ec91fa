# SPDX-License-Identifier: MIT
"""OpenCL C in the emulator: address spaces, vectors and work-groups of a small kernel, and the bugs planted in it."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram
from tracea_core.testing.simt.opencl import translate

TEXT = """
#define INLINE __attribute__((overloadable)) static inline
INLINE uint4 load_4(const __global void* p) { return *(const __global uint4*)p; }
INLINE uint4 load_4(const __local void* p) { return *(const __local uint4*)p; }
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void turn(__global const uint* restrict x, __global uint* restrict y, int n) {
  const int thread = get_local_id(0), first = get_group_id(0) * 256;
  __local uchar shared[1024] __attribute__((aligned(16)));
  __local uint* const tile = (__local uint*)(shared + 0);
  if (first + thread * 4 < n) {
    const uint4 run = load_4(&x[first + thread * 4]);
    *(__local uint4*)&tile[252 - thread * 4] = (uint4)(run.s3, run.s2, run.s1, run.s0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint4 run = load_4(&tile[thread * 4]);
  for (int i = 0; i < 4; ++i) y[first + thread * 4 + i] = run[i];
}
"""


toolchain = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def turn(text: str, n: int = 512) -> tuple[frozenset[str], bool]:
    """Return what the emulator finds, and whether each run of 256 is turned round."""
    x, y = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32)
    report = SimtProgram(text, language="opencl", target="pvc").run((n // 256,), (64,), [x, y, n])
    return report.kinds, bool((y.reshape(-1, 256) == x.reshape(-1, 256)[:, ::-1]).all())


class TestOpenCl:
    pytestmark = toolchain

    def test_a_kernel_is_right_and_clean(self) -> None:
        assert turn(TEXT) == (set(), True)

    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            ("  barrier(CLK_LOCAL_MEM_FENCE);\n", "", "race"),
            ("barrier(", "mem_fence(", "race"),
            ("shared[1024]", "shared[512]", "out-of-bounds"),
            ("< n)", "< n - 4)", "uninitialised"),
            ("  barrier", "  if (thread < 3) barrier", "divergence"),
        ],
    )
    def test_a_planted_bug_is_found(self, old: str, new: str, kind: str) -> None:
        assert old in TEXT
        assert kind in turn(TEXT.replace(old, new))[0]


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
def test_elements_of_a_literal_are_converted() -> None:
    """To the vector's type, as a single number would be: negative ones wrap, fractions go."""
    text = """__kernel void pairs(__global uint* restrict y, int first) {
  const int i = get_global_id(0);
  const uint2 pair = (uint2)(first - i, first + i);
  const float2 halves = (float2)(i, 0.5f);
  y[2 * i] = pair.s0 + (uint)halves.s0;
  y[2 * i + 1] = pair.s1;
}
"""
    y = np.zeros(128, np.uint32)
    report = SimtProgram(text, language="opencl", target="pvc").run((1,), (64,), [y, -5])
    lanes = np.arange(64)
    assert not report.findings
    np.testing.assert_array_equal(
        y.reshape(64, 2), np.stack([0 * lanes - 5, lanes - 5], 1).astype(np.int32).view(np.uint32)
    )


def test_lines_stay_where_they_are() -> None:
    found = translate(TEXT)
    assert found.count("\n") == TEXT.count("\n")
    assert found.count("load_4(const") == 1, "overloads that differ in the address space alone"
    assert "SIMT_LOCAL uchar shared[1024]" in found
    assert "simt_vector<uint4>(run.s3" in found
