# SPDX-License-Identifier: MIT
"""Channels filtered on their own, in Metal: golden text, and the result in the emulator at the edges of lines and channels."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.channels import channels_problem, check_channels
from tracea_core.testing.golden import check_golden
from tracea_metal.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden"
STRIP = PipelineConfig(tile_m=4, tile_n=64, tile_k=1, stages=1, warps=4, vector_a=2, vector_c=2)


def test_golden_text() -> None:
    path = trace(channels_problem(2, 9, 37), preset="m1", configuration=STRIP)
    assert path.choice.variant.name == "metal.contraction.depthwise" and path.source is not None
    check_golden(GOLDEN / "depthwise_fp16.metal", path.source.text)


@pytest.mark.toolchain
def test_the_emulator_agrees() -> None:
    try:
        check_channels(tracea_register_backend(), "m1", STRIP)
    except BackendUnavailableError as error:
        pytest.skip(str(error))
