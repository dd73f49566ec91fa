# SPDX-License-Identifier: MIT
"""Tiles and steps that registers hold: what is narrowed, what is left alone, and that a search starts from nothing else."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.named import parse_epilogue
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.held_tiles import is_held, registers_hold_the_tile
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.testing.cases import gemm

TILE = PipelineConfig(tile_k=4, stages=1, warps=1)


def heroes(device: str, m: int, dtype: DType = DType.FP32, layout: str = "nn", n: int = 256) -> list[PipelineConfig]:
    """What the policy starts from for m × n × 256."""
    return list(PolicyEngine(preset(device)).decide(gemm((m, n, 256), dtype, layout)).heroes)


def operator(m: int, dtype: DType, layout: str = "nn", gates: int = 1) -> OperatorTopology:
    tail = {"epilogue": parse_epilogue("swiglu")} if gates == 2 else {}
    return topology_of(gemm((m, 256 * gates, 256), dtype, layout, **tail))  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("dtype", [DType.BF16, DType.FP16, DType.INT8])
@pytest.mark.parametrize("layout", ["nn", "tn"])
@pytest.mark.parametrize("m", [1, 2, 4, 7, 8])
def test_few_rows_of_widened_types_take_four_steps_in_a_row_at_most(
    device: str, dtype: DType, layout: str, m: int
) -> None:
    for hero in heroes(device, m, dtype, layout):
        assert hero.pack_b or hero.tile_k <= 4, hero.describe()


@pytest.mark.parametrize("m", [64, 300, 1024])
def test_rows_are_no_more_than_a_processor_has_addresses(m: int) -> None:
    for hero in heroes("neon", m):
        assert hero.tile_m <= 12, hero.describe()


@pytest.mark.parametrize("device, rows, columns", [("avx2", 4, 24), ("avx512", 6, 64), ("neon", 8, 12)])
def test_the_known_tiles_of_large_products_are_left_alone(device: str, rows: int, columns: int) -> None:
    found = PolicyEngine(preset(device)).decide(gemm((1024, 1020, 1024), DType.FP32)).heroes
    assert (rows, columns) in [(hero.tile_m, hero.tile_n) for hero in found]


def test_a_tile_that_does_not_fit_becomes_the_largest_within_it_and_rows_are_divided_evenly() -> None:
    profile, wanted = preset("avx512"), operator(1024, DType.FP32)
    decision = PolicyEngine(profile).decide(wanted)
    large = TILE.replace(tile_m=14, tile_n=32)
    assert not is_held(large, wanted, profile)
    (changed,) = registers_hold_the_tile(decision.replace(heroes=(large,)), wanted, profile).heroes
    assert (changed.tile_m, changed.tile_n) == (7, 32) and is_held(changed, wanted, profile)
    few = operator(9, DType.FP32)
    (changed,) = registers_hold_the_tile(decision.replace(heroes=(large.replace(tile_m=9),)), few, profile).heroes
    assert changed.tile_m == 5, "two tiles of five rows, not one of seven and one of two"


@pytest.mark.parametrize("device", ["h200", "m2", "arc_a770"])
def test_other_devices_are_left_alone(device: str) -> None:
    wanted = operator(64, DType.FP16)
    decision = PolicyEngine(preset(device)).decide(wanted)
    assert "registers hold the tile" not in [reason.rule for reason in decision.reasons]


@pytest.mark.parametrize("device", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("dtype", [DType.FP32, DType.FP64, DType.BF16, DType.INT8])
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_a_search_starts_from_held_tiles(device: str, dtype: DType, layout: str) -> None:
    profile = preset(device)
    for m in (1, 3, 8, 12, 64, 200, 1024):
        wanted = operator(m, dtype, layout)
        for hero in PolicyEngine(profile).decide(wanted).heroes:
            assert hero.tile_n < profile.lanes or is_held(hero, wanted, profile), hero.describe()


def test_one_row_in_place_takes_as_many_vectors_as_there_are_registers_for_sums_and_more_rows_leave_two() -> None:
    profile, streamed = preset("avx2"), TILE.replace(pack_b=False, block_k=8)
    assert is_held(streamed.replace(tile_m=1, tile_n=56), operator(1, DType.FP32), profile)
    assert not is_held(streamed.replace(tile_m=1, tile_n=64), operator(1, DType.FP32), profile)
    assert not is_held(streamed.replace(tile_m=6, tile_n=16), operator(6, DType.FP32), profile)
    assert heroes("avx2", 1, n=2048)[0].tile_n == 56
