# SPDX-License-Identifier: MIT
"""A tiled HIP kernel with MFMA and two buffers is right, and each bug planted in it is found where it stands."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.testing.simt import SimtProgram, SimtReport

pytestmark = pytest.mark.toolchain
Load = Callable[..., SimtProgram]
Floats = npt.NDArray[np.float32]


def multiply(program: SimtProgram, m: int, n: int, k: int, seed: int = 0) -> tuple[SimtReport, bool]:
    """Run the GEMM on random numbers; return the report and whether every element is within its rounding bound."""
    random = np.random.default_rng(seed + m + n + k)
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((n, k)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    report = program.run((-(-n // 64), -(-m // 64)), (256,), [a, b, c, m, n, k], seed=seed)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    bound = (k + 1) * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64).T)
    return report, bool((np.abs(c - exact) <= bound).all())


@pytest.mark.parametrize("shape", [(64, 64, 16), (64, 64, 64), (1, 1, 1), (70, 131, 33), (129, 65, 47)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_kernel_is_right_and_clean(load: Load, shape: tuple[int, int, int], seed: int) -> None:
    report, right = multiply(load("gemm_mfma.hip", target="gfx942"), *shape, seed=seed)
    report.require_clean()
    assert right
    blocks = -(-shape[0] // 64) * -(-shape[1] // 64)
    assert report.counts["mfma_f32_32x32x8f16"] == blocks * 4 * 2 * -(-shape[2] // 16)


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize(
    ("bug", "kind", "said"),
    [
        ("NO_BARRIER", "race", "nothing that orders"),
        ("NO_MASK", "out-of-bounds", "of argument"),
        ("SMALL_BUFFER", "out-of-bounds", "shared memory"),
        ("FORGET_STORE", "uninitialised", "nobody has written"),
        ("DIVERGENT_BARRIER", "divergence", "different calls of __syncthreads"),
        ("HALF_A_WAVE_WAITS", "divergence", "of its warp waits for mfma"),
        ("DIVERGENT_MFMA", "divergence", "of its warp"),
    ],
)
def test_a_planted_bug_is_found(load: Load, bug: str, kind: str, said: str, seed: int) -> None:
    report, _ = multiply(load("gemm_mfma.hip", bug, target="gfx942"), 70, 131, 33, seed=seed)
    found = [finding for finding in report.findings if finding.kind == kind]
    assert any(said in finding.message for finding in found), str(report)
    assert all(finding.site.file == "gemm.hip" and finding.site.line for finding in found)


def test_a_buffer_that_is_written_while_it_is_read_is_a_race(load: Load) -> None:
    report, _ = multiply(load("gemm_mfma.hip", "ONE_BUFFER", target="gfx942"), 64, 64, 64)
    assert report.kinds == {"race"}


def test_padding_removes_the_bank_conflicts_that_dense_rows_have(load: Load) -> None:
    padded, _ = multiply(load("gemm_mfma.hip", target="gfx942"), 64, 64, 32)
    dense, right = multiply(load("gemm_mfma.hip", "NO_PADDING", target="gfx942"), 64, 64, 32)
    assert right
    assert not dense.findings
    assert dense.bank_conflicts > padded.bank_conflicts
    assert max(access.worst for access in dense.banks) == 4, "16 rows of 32 bytes lie in 4 groups of banks"
