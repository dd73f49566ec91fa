# SPDX-License-Identifier: MIT
"""Products of a few rows by lanes, in HIP: golden text, and the result in the emulator at every edge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.pipeline.path import trace
from tracea_core.testing.few_rows import LAYOUTS, check_few_rows, few_rows, shares
from tracea_core.testing.golden import check_golden, unused
from tracea_hip.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "few_rows"
DEVICE, LANES = "mi300x", 64


def source(layout: str) -> KernelSource:
    path = trace(few_rows(3, 68, 196, layout), preset=DEVICE, backend="hip", configuration=shares(layout, LANES))
    assert path.choice.variant.name == "hip.contraction.few_rows_fp32" and path.source is not None
    return path.source


@pytest.mark.parametrize("layout", LAYOUTS)
def test_golden_text(layout: str) -> None:
    check_golden(GOLDEN / f"fp32_{layout}.hip", source(layout).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"fp32_{layout}.hip" for layout in LAYOUTS}) == []


@pytest.mark.toolchain
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_emulator_agrees(layout: str) -> None:
    try:
        check_few_rows(tracea_register_backend(), DEVICE, layout, LANES)
    except BackendUnavailableError as error:
        pytest.skip(str(error))
