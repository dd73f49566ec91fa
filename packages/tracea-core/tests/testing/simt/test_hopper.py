# SPDX-License-Identifier: MIT
"""Boxes, barriers with phases, clusters and warpgroup instructions: a warp-specialised kernel is right, its planted bugs are found."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.testing.simt import SimtProgram, SimtReport, TensorMap
from tracea_core.testing.simt.tensor_map import encode

toolchain = pytest.mark.toolchain
Load = Callable[..., SimtProgram]
_SHARED = 2 * 3 * 8192 + 64 * 64 * 4 + 2 * 3 * 8


def bf16(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    return DType.BF16.encode(values).view(np.uint16)


class Narrower(TensorMap):
    """The tensor without its last two columns, in rows as far apart."""

    def encode(self, address: int) -> bytes:
        x = self.array
        extents = (x.shape[1] - 2, x.shape[0])
        return encode(address, x.itemsize, extents, x.strides[:1], self.box, self.swizzle_bytes, True)


def multiply(
    program: SimtProgram, m: int, n: int, k: int, seed: int = 0, stored: type[TensorMap] = TensorMap
) -> tuple[SimtReport, bool]:
    random = np.random.default_rng(seed + m + n + k)
    a, b = bf16(random.standard_normal((m, k))), bf16(random.standard_normal((n, k)))
    c = np.full((m, n), np.nan, np.float32)
    maps = [TensorMap(a, (64, 64), 128), TensorMap(b, (64, 64), 128), stored(c, (64, 64))]
    grid = (-(-n // 128) * 2, -(-m // 64))
    report = program.run(grid, (256,), [*maps, k], shared_bytes=_SHARED, seed=seed, cluster=2)
    left, right = (DType.BF16.decode(x.view(DType.BF16.storage)).astype(np.float64) for x in (a, b))
    bound = (k + 1) * 2.0**-23 * (np.abs(left) @ np.abs(right).T)
    return report, bool((np.abs(c - left @ right.T) <= bound).all())


@toolchain
@pytest.mark.parametrize("shape", [(64, 128, 64), (64, 256, 512), (40, 200, 328)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_kernel_is_right_and_clean(load: Load, shape: tuple[int, int, int], seed: int) -> None:
    report, right = multiply(load("gemm_wgmma.cu", target="h100"), *shape, seed=seed)
    report.require_clean()
    assert right


@toolchain
@pytest.mark.parametrize(
    ("bug", "kind", "said"),
    [
        ("NO_FULL_WAIT", "race", "nobody has waited for"),
        ("NO_EMPTY_WAIT", "barrier", "more arrivals"),
        ("NO_MMA_WAIT", "race", "asynchronous"),
        ("NO_PROXY_FENCE", "proxy", "no proxy fence"),
        ("NO_INIT_FENCE", "barrier", "never fenced"),
        ("LOAD_SHIFT=1", "box", "begins 2 bytes along its rows, no multiple of 16"),
        ("STORE_SHIFT=1", "box", "begins 4 bytes along its rows, no multiple of 16"),
    ],
)
def test_a_planted_bug_is_found(load: Load, bug: str, kind: str, said: str) -> None:
    report, _ = multiply(load("gemm_wgmma.cu", bug, target="h100"), 64, 128, 512, seed=1)
    assert any(finding.kind == kind and said in finding.message for finding in report.findings), str(report)


@toolchain
def test_all_of_a_chunk_is_stored_in_which_rows_end(load: Load) -> None:
    report, right = multiply(load("gemm_wgmma.cu", target="h100"), 40, 200, 328, stored=Narrower)
    said = "rows of 792 bytes end within a chunk of 16"
    assert any(finding.kind == "box" and said in finding.message for finding in report.findings), str(report)
    assert right, "the two columns that the tensor does not have were written, as a device writes them"


@pytest.mark.parametrize(
    ("shape", "box", "swizzle", "said"),
    [
        ((8, 60), (16, 8), 0, "strides"),
        ((8, 64), (4, 8), 0, "rows of a box"),
        ((8, 64), (64, 8), 64, "no wider"),
        ((8, 64), (64,), 0, "dimensions"),
    ],
)
def test_a_descriptor_that_the_driver_would_refuse_is_refused(
    shape: tuple[int, int], box: tuple[int, ...], swizzle: int, said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        TensorMap(np.zeros(shape, np.int16), box, swizzle).encode(0)
