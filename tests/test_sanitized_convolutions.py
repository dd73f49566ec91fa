# SPDX-License-Identifier: MIT
"""Convolutions for sanitizers: every family is the kind that its name says, and every planted bug has its place in a kernel."""

from __future__ import annotations

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.semantic.build.rolling_strips import rolls
from tracea_cuda.compile import binary

from benchmarks.sanitized import planted
from benchmarks.sanitized_convolutions import FAMILIES, PLANTS, path_of

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
