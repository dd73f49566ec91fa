# SPDX-License-Identifier: MIT
"""Planted bugs and meetings of clusters in the emulator, which a sanitizer's silence or report is held against.

What is planted is a bug, and is one of its kind; the kernels without it and the programs that are right have none.
"""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.pipeline.path import Path, trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.testing.cases import gemm
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.simt.toolchain import find_compiler

from benchmarks import cluster_meetings
from benchmarks.cluster_meetings import MEETINGS, THREADS, source_of
from benchmarks.sanitized import KERNELS, PLANTS, Plant, path_of, planted, sizes_of


def _found() -> bool:
    try:
        return bool(find_compiler())
    except BackendUnavailableError:
        return False


pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not _found(), reason="no clang++ 16 or newer")]

ONE = np.array([0x80, 0x3F], np.uint8)
"""1 in bf16."""
# Not among them: memory that is smaller than a descriptor says, which the emulator's copy engine believes, and memory that nobody wrote.
SEEN = {
    "write-past-the-end-by-words": "out-of-bounds", "read-past-the-end-by-words": "out-of-bounds",
    "race-of-staging": "race", "race-of-slots": "race", "race-of-tiles": "race", "race-of-partial-sums": "race",
    "divergent-meeting-by-boxes": "race", "missed-meeting-by-words": "divergence",
}  # fmt: skip


def launched(plant: Plant) -> float:
    """Run a kernel with its bug on ones; return the least sum."""
    return sums(path_of(plant.kernel, preset="h200"), sizes_of(plant.kernel), plant)


def sums(path: Path, sizes: tuple[int, int, int], plant: Plant) -> float:
    """Run the kernel of a path on ones."""
    device, (m, n, k) = SimtRuntime(preset("h200"), "cuda:0"), sizes
    assert path.source is not None
    extents = {"input0": (m, k), "input1": (n, k), "output": (m, n)}
    memory = {
        operand: device.place(np.tile(ONE, (rows - plant.missing_rows.get(operand, 0)) * columns))
        for operand, (rows, columns) in extents.items()
    }
    symbols = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
    launch = device.compile(planted(path.source, plant)).prepare(symbols)
    launch(*(memory[operand].address for operand in path.lowered.operands))
    bits = memory["output"].read().view(np.uint16).astype(np.uint32) << 16
    return float(bits.view(np.float32).min())


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_that_bugs_are_planted_in_have_none(kernel: str) -> None:
    assert launched(Plant("", kernel, "nothing is wrong")) == sizes_of(kernel)[2]


@pytest.mark.parametrize("name", SEEN)
def test_planted_bugs_are_bugs(name: str) -> None:
    with pytest.raises(ConformanceError, match=rf"(?m)^{SEEN[name]} at"):
        launched(PLANTS[name])


def test_a_meeting_that_nobody_needs_is_no_bug() -> None:
    first = Plant("racecheck", "words", "nothing was there before the first tile", r"^( *)__syncthreads\(\);$", r"\1;")
    assert launched(first) == sizes_of("words")[2], "one tile a block: such a plant would tell nothing of a tool"


@pytest.mark.parametrize("returning", [0, 1])
def test_clusters_that_divide_k_need_both_of_their_meetings(returning: int) -> None:
    sizes = _, _, k = 640, 1344, 192  # 70 tiles: some of 66 clusters have two
    divided = PipelineConfig(
        tile_m=128, tile_n=96, tile_k=64, stages=4, warps=12, swizzle=SwizzleMode.B128, order=Order.ROW, split_k=2,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=8, vector_b=8, vector_c=8, returning=returning,
    )  # fmt: skip
    path = trace(gemm(sizes, DType.BF16, "nt"), None, "cuda", preset="h200", several=False, configuration=divided)
    assert sums(path, sizes, Plant("", "", "nothing is wrong")) == k, "as racecheck has reported it"
    for meeting in ("written", "read"):
        early = Plant(
            "", "", "parts of the next tile replace those of the last", rf"( )meet\(partial_{meeting}[^;]*;$", r"\1;"
        )
        with pytest.raises(ConformanceError, match=r"(?m)^race at"):
            sums(path, sizes, early)


@pytest.mark.parametrize("name", MEETINGS)
def test_meetings_are_right_where_they_are_said_to_be(name: str) -> None:
    like, device = path_of("cluster", preset="h200").source, SimtRuntime(preset("h200"), "cuda:0")
    assert like is not None
    out = device.place(np.full(2 * THREADS * 4, 0xFF, np.uint8))
    launch = device.compile(source_of(MEETINGS[name], like)).prepare({})
    if not MEETINGS[name].right:
        with pytest.raises(ConformanceError, match=r"(?m)^race at"):
            launch(out.address)
        return
    launch(out.address)
    assert tuple(out.read().view(np.int32).tolist()) == cluster_meetings.expected()
