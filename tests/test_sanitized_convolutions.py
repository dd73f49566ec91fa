# SPDX-License-Identifier: MIT
"""Convolutions for sanitizers: every family is the kind that its name says, and every planted bug has its place in a kernel."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import BackendUnavailableError
from tracea_core.pipeline.passes import contraction_operands, scratch
from tracea_core.pipeline.path import trace
from tracea_core.semantic.build.rolling_strips import rolls
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.simt.toolchain import find_compiler
from tracea_cuda.compile import binary

from benchmarks.sanitized import planted
from benchmarks.sanitized_convolutions import FAMILIES, PLANTS, path_of, written_by_engine

KINDS = {
    "windows": "wgmma_windows_fp16", "windows-tf32": "wgmma_windows_tf32", "windows-int8": "wgmma_windows_int8",
    "pointwise": "wgmma_fp16", "first-layer": "mma_fp16", "gathered-planes": "mma_bf16", "multiply-add": "simt_fp32",
    "groups-of-two": "depthwise", "strips": "depthwise", "walk-of-images": "depthwise", "side-by-side": "depthwise",
    "transposed": "wgmma_windows_fp16", "filters-strided": "wgmma_windows_bf16", "filters-of-planes": "mma_fp16",
}  # fmt: skip
"""Variants of a GPU with copy engine and warpgroup instructions."""


@pytest.mark.parametrize("family", KINDS)
def test_families_are_what_they_are_called(family: str) -> None:
    path = path_of(FAMILIES[family], preset="h200")
    assert path.choice.variant.name == f"cuda.contraction.{KINDS[family]}"
    assert rolls(path.configuration) == family.startswith(("walk", "side")) or "depthwise" not in KINDS[family]
    assert bool(path.configuration.row_block) == family.startswith("side")


@pytest.mark.parametrize("bug", PLANTS)
def test_planted_bugs_have_their_place(bug: str) -> None:
    plant = PLANTS[bug]
    path = path_of(FAMILIES[plant.kernel], preset="h200")
    assert path.source is not None and not path.before and not path.after
    assert (planted(path.source, plant).text != path.source.text) == bool(plant.old)
    assert set(plant.missing_rows) | set(plant.unwritten) <= set(path.lowered.operands)
    assert plant.old or plant.missing_rows or plant.unwritten, "something is wrong with it"


@pytest.mark.toolchain
def test_planted_bugs_compile() -> None:
    for plant in PLANTS.values():
        source = path_of(FAMILIES[plant.kernel], preset="h200").source
        assert source is not None
        try:
            assert binary(planted(source, plant))
        except BackendUnavailableError as error:
            pytest.skip(str(error))


@pytest.mark.parametrize(
    ("family", "reader"), [("planes", "transpose_fp16"), ("planes-tf32", "transpose_fp32"), ("windows-ragged", "")]
)
def test_workspaces_that_the_copy_engine_writes(family: str, reader: str) -> None:
    path = trace(FAMILIES[family].problem(), None, "cuda", preset="h200")
    assert path.source is not None and path.arrangement.kernels > 1
    main = SimpleNamespace(source=path.source, operands=contraction_operands(path.arrangement, path.lowered.operands))
    before, after = (
        [SimpleNamespace(source=one.source, operands=one.lowered.operands) for one in some]
        for some in (path.before, path.after)
    )
    spaces = {space.name: space.bytes for space in scratch(path.arrangement)}
    made: Any = SimpleNamespace(known=SimpleNamespace(steps=(*before, main, *after), spaces=spaces))
    found = list(written_by_engine(made))
    assert len(found) == bool(reader), "operands that were copied were copied by ordinary stores"
    for at, size, entry in found:
        last = path.after[0].source
        assert last is not None and entry.startswith(reader) and entry == last.entry
        assert size == spaces["stored"] and at % 256 == 0 and at >= sum(spaces.values()) - size


def _emulates() -> bool:
    try:
        return bool(find_compiler())
    except BackendUnavailableError:
        return False


def launched(bug: str | None) -> None:
    """Run in the emulator what bugs are planted in, with one of them."""
    path = path_of(FAMILIES["walk-in-shared-memory"], preset="h200")
    assert path.source is not None
    problem, device = path.arrangement.problem, SimtRuntime(preset("h200"), "cuda:0")
    specs = {f"input{i}": spec for i, spec in enumerate(problem.inputs)} | {"output": problem.output}
    memory = {
        name: device.place(spec.dtype.encode(np.ones(math.prod(spec.shape))).view(np.uint8))
        for name, spec in specs.items()
    }
    symbols = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
    source = path.source if bug is None else planted(path.source, PLANTS[bug])
    device.compile(source).prepare(symbols)(*(memory[operand].address for operand in path.lowered.operands))


@pytest.mark.toolchain
@pytest.mark.skipif(not _emulates(), reason="no clang++ 16 or newer")
def test_meetings_that_threads_miss_are_bugs_that_end() -> None:
    launched(None)
    with pytest.raises(ConformanceError, match=r"(?m)^divergence at"):
        launched("divergent-meeting-of-strips")
    with pytest.raises(ConformanceError, match=r"(?m)^uninitialised at"):  # read before the warp that is ahead has met
        launched("missed-meeting-of-strips")
