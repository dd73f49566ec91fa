# SPDX-License-Identifier: MIT
"""A CUDA kernel with cp.async, ldmatrix and mma.sync, as inline PTX, is right; copies that nobody waited for are seen."""

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.testing.simt import SimtProgram, SimtReport

pytestmark = pytest.mark.toolchain
Load = Callable[..., SimtProgram]


def multiply(program: SimtProgram, m: int, n: int, k: int, seed: int = 0) -> tuple[SimtReport, bool]:
    random = np.random.default_rng(seed + m + n + k)
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((n, k)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    report = program.run((n // 32, m // 32), (128,), [a, b, c, n, k], shared_bytes=4 * 32 * 32 * 2, seed=seed)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    bound = (k + 1) * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64).T)
    return report, bool((np.abs(c - exact) <= bound).all())


@pytest.mark.parametrize("shape", [(32, 32, 32), (64, 32, 128), (32, 96, 64)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_kernel_is_right_and_clean(load: Load, shape: tuple[int, int, int], seed: int) -> None:
    report, right = multiply(load("gemm_mma.cu", target="a100"), *shape, seed=seed)
    report.require_clean()
    assert right
    assert report.bank_conflicts == 0
    m, n, k = shape
    assert report.counts["mma.sync"] == m * n * k // (16 * 8 * 16)


def test_a_copy_that_is_not_waited_for_is_seen(load: Load) -> None:
    report, right = multiply(load("gemm_mma.cu", "PENDING=2", target="a100"), 32, 32, 96)
    assert not right, "the bytes had not landed"
    assert report.kinds == {"race"}
    assert any("nobody has waited for" in finding.message for finding in report.findings)


def test_a_copy_into_a_buffer_that_is_still_read_is_a_race(load: Load) -> None:
    report, _ = multiply(load("gemm_mma.cu", "NO_SECOND_BARRIER", target="a100"), 32, 32, 128, seed=3)
    assert report.kinds == {"race"}


def test_rows_without_a_swizzle_meet_in_the_same_banks(load: Load) -> None:
    report, right = multiply(load("gemm_mma.cu", "NO_SWIZZLE", target="a100"), 32, 32, 64)
    assert right
    assert not report.findings
    assert {access.worst for access in report.banks if not access.write} == {4}
