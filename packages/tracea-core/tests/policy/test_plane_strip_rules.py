# SPDX-License-Identifier: MIT
"""Strips of planes: what the policy gives a warp, by shape, alignment and registers, and what it expects them to take."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tracea_core.doctor.depthwise import lane_planes_variant, planes_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.plane_time import needed_registers, plane_seconds
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.testing.cases import dense

VARIANT = planes_variant("cuda", DType.FP16)
H200 = preset("h200")


def conv(alignment: int = 16, apart: int = 0, **fields: Any) -> Problem:
    """Return a convolution of planes, rows of whose results end with `apart` unused elements."""
    sizes: dict[str, Any] = {
        "n": 64, "c": 144, "h": 56, "w": 56, "r": 3, "s": 3, "padding": (1, 1), "dtype": DType.FP16,
    }  # fmt: skip
    sizes |= fields
    op = Conv2dOp(**({"k": sizes["c"], "groups": sizes["c"]} | sizes))
    inputs = tuple(dense(shape, op.dtype) for shape in op.input_shapes())
    out = dense((*op.output_shape()[:3], op.output_shape()[3] + apart), op.dtype)
    return Problem(op, inputs, out.replace(shape=op.output_shape()), options=Options(alignment=alignment))


def decided(**fields: Any) -> PolicyDecision:
    return PolicyEngine(H200).decide(conv(**fields), VARIANT)


def operator(**fields: Any) -> tuple[OperatorTopology, Channelwise]:
    found = topology_of(conv(**fields), VARIANT)
    assert isinstance(found.kind, Channelwise)
    return found, found.kind


FIRST = [
    ({}, PipelineConfig(tile_m=8, tile_n=1, tile_k=28, stages=1, warps=2, vector_a=2, vector_c=2)),
    ({"c": 32, "h": 112, "w": 112}, PipelineConfig(tile_m=8, tile_n=1, tile_k=28, stages=1, vector_a=2, vector_c=2)),
    (
        {"c": 384, "h": 14, "w": 14},
        PipelineConfig(tile_m=8, tile_n=1, tile_k=14, stages=1, warps=2, vector_a=2, vector_c=2),
    ),
    ({"c": 960, "h": 7, "w": 7}, PipelineConfig(tile_m=8, tile_n=1, tile_k=4, stages=1, warps=2)),
]


@pytest.mark.parametrize(("fields", "first"), FIRST)
def test_the_fewest_cycles_come_first(fields: dict[str, Any], first: PipelineConfig) -> None:
    assert decided(**fields).hero == first


@pytest.mark.parametrize(
    ("fields", "runs"),
    [
        ({}, (2, 2)),
        ({"w": 55}, (1, 1)),
        ({"alignment": 2}, (1, 1)),
        ({"apart": 1}, (2, 1)),
        ({"w": 57, "s": 4}, (1, 2)),
        ({"h": 1, "w": 56, "n": 1, "r": 1, "padding": (0, 1)}, (2, 2)),
    ],
)
def test_columns_go_in_pairs_where_rows_of_pairs_lie_aligned(fields: dict[str, Any], runs: tuple[int, int]) -> None:
    assert {(hero.vector_a, hero.vector_c) for hero in decided(**fields).heroes} == {runs}


@pytest.mark.parametrize(
    "fields", [{}, {"stride": (2, 2)}, {"r": 7, "s": 7, "padding": (3, 3)}, {"r": 11, "s": 11, "stride": (2, 2)}]
)
def test_three_warps_of_a_scheduler_fit(fields: dict[str, Any]) -> None:
    _, kind = operator(**fields)
    heroes = decided(**fields).heroes
    assert heroes
    assert all(needed_registers(kind, hero, lanes=False) <= 168 for hero in heroes)


def test_few_images_get_low_strips() -> None:
    """With 28 lines each, 144 planes would be 288 warps of an H200's 528 schedulers and more."""
    assert decided(n=1).hero.tile_k < decided().hero.tile_k


def test_the_space_holds_the_heroes() -> None:
    decision = decided()
    assert all(decision.space.contains(one) for one in decision.heroes) and decision.reasons


def test_the_topology_says_how_lines_lie() -> None:
    found, kind = operator(stride=(2, 3), w=21)
    assert found.shape == (64 * 28, 7, 144, 9)
    assert kind == Channelwise(3, 3, 3, 1, 1, True, False, 28, 2, 1, True, False)
    assert operator(w=8)[1].short and not operator(w=9)[1].short


def test_memory_or_cycles_are_what_is_expected() -> None:
    large, _ = operator()
    moved = 2 * 64 * 144 * 56 * 56 * 2
    assert plane_seconds(decided().hero, H200, large) == pytest.approx(moved / (0.7 * H200.memory_gbps * 1e9))
    few, _ = operator(n=1, c=8)
    assert plane_seconds(decided(n=1, c=8).hero, H200, few) > 2 * 8 * 56 * 56 * 2 / (0.7 * H200.memory_gbps * 1e9)


def kinds() -> list[dict[str, Any]]:
    """Filters of many sizes, each at some stride and dilation, on lines of runs and on odd ones."""
    draw = random.Random(7)
    return [
        {
            "r": draw.randint(1, 13), "s": draw.randint(1, 13), "stride": (draw.randint(1, 3), draw.randint(1, 3)),
            "dilation": (draw.choice((1, 1, 2, 6)), draw.choice((1, 1, 2, 6))), "padding": (1, 2), "n": draw.choice((1, 16)),
            "h": 80, "w": draw.choice((80, 82, 83)), "c": 4, "dtype": draw.choice((DType.FP16, DType.FP32)),
        }
        for _ in range(120)
    ]  # fmt: skip


def test_what_is_taken_has_strips_that_can_be_built() -> None:
    taken = 0
    for fields in kinds():
        problem = conv(**fields)
        variant = VARIANT if fields["dtype"] is DType.FP16 else lane_planes_variant("cuda")
        if variant.unmet(problem, H200) is not None:
            continue
        taken += 1
        heroes = PolicyEngine(H200).decide(problem, variant).heroes
        build_kernel(lower_any(problem, variant).form, heroes[0], H200, variant)
    assert taken > 50


def test_lanes_take_whole_runs_where_registers_hold_them() -> None:
    def first(**fields: Any) -> tuple[int, int, int]:
        hero = PolicyEngine(H200).decide(conv(dtype=DType.FP32, **fields), lane_planes_variant("cuda")).hero
        return hero.tile_m, hero.tile_k, hero.vector_a

    assert first() == (4, 7, 4)
    assert first(h=14, w=14, c=384) == (2, 14, 2)
    assert first(h=7, w=7, c=960) == (2, 2, 1)
    assert first(r=7, s=7, padding=(3, 3))[::2] == (2, 2), "rows of 16 columns would leave no registers"
    assert first(stride=(2, 2))[::2] == (2, 1)
