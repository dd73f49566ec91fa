# SPDX-License-Identifier: MIT
"""Blocks of results dealt to the lanes of a warp: every element once, runs of four, refusals."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import fitting_instruction
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lanes_simt import smaller_blocks


@pytest.mark.parametrize(
    "name",
    ["simt_4x8_8x8_fp32", "simt_8x8_8x8_fp32", "simt_4x8_4x4_fp64", "simt_2x16_2x8_fp32", "simt_4x8_8x8_fp32_paired"],
)
def test_maps_are_whole(name: str) -> None:
    lanes = instruction(name)
    assert lanes.name == name and lanes.faults() == () and lanes.k == 1
    assert lanes.c.is_partition()


def test_neighbouring_lanes_hold_neighbouring_runs() -> None:
    b = instruction("simt_4x8_8x8_fp32").b
    assert b is not None
    assert [int(b.element(lane, 0)[1]) for lane in range(9)] == [0, 4, 8, 12, 16, 20, 24, 28, 0]
    assert [int(b.element(0, register)[1]) for register in range(8)] == [0, 1, 2, 3, 32, 33, 34, 35]


def test_paired_lanes_read_runs_together() -> None:
    lanes = instruction("simt_4x8_8x8_fp32_paired")
    assert lanes.a is not None and lanes.b is not None
    assert [int(lanes.a.element(lane, 0)[0]) for lane in (0, 1, 2, 3, 16, 17)] == [0, 4, 0, 4, 8, 12]
    assert [int(lanes.b.element(lane, 0)[1]) for lane in range(5)] == [0, 0, 4, 4, 8]
    assert smaller_blocks(lanes.name)[0] == "simt_4x8_4x8_fp32_paired"


@pytest.mark.parametrize("name", ["simt_3x8_8x8_fp32", "simt_4x8_8x8_bf16", "simt_4x8_6x8_fp32"])
def test_refusals(name: str) -> None:
    with pytest.raises(ConfigurationError, match="powers of two"):
        instruction(name)


def test_fewer_results_fit_smaller_tiles() -> None:
    assert smaller_blocks("simt_4x8_8x8_fp32") == ("simt_4x8_4x8_fp32", "simt_4x8_4x4_fp32")
    assert smaller_blocks("simt_8x8_4x4_fp32") == smaller_blocks("mma_m16n8k16_bf16") == ()
    config = PipelineConfig(tile_m=16, tile_n=64, tile_k=16, stages=2, warps=1)
    assert fitting_instruction(config, preset("rx7900xtx"), "simt_4x8_8x8_fp32").name == "simt_4x8_4x8_fp32"
