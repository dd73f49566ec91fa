# SPDX-License-Identifier: MIT
"""Strips of lines: what the policy gives a warp, by shape, alignment and the channels of a group."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import topology_of
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)
VARIANT = depthwise_variant("cuda")


def conv(alignment: int = 16, **fields: Any) -> Problem:
    sizes = {
        "n": 64,
        "c": 384,
        "h": 14,
        "w": 14,
        "k": 384,
        "r": 7,
        "s": 7,
        "padding": (3, 3),
        "groups": 384,
        "dtype": DType.FP16,
    }
    op = Conv2dOp(**(sizes | fields))
    tensors = [dense(shape, op.dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2], options=Options(alignment=alignment))


def decided(problem: Problem) -> PolicyDecision:
    return PolicyEngine(preset("h200")).decide(problem, VARIANT)


def hero(**fields: Any) -> PipelineConfig:
    """Return the first strip whose products lanes add up."""
    return next(one for one in decided(conv(**fields)).heroes if not one.halo)


def bands(**fields: Any) -> list[PipelineConfig]:
    return [one for one in decided(conv(**fields)).heroes if one.halo]


def test_a_strip_is_a_line_that_fits() -> None:
    found = hero()
    assert (found.tile_m, found.tile_n, found.warps, found.vector_a, found.vector_c) == (14, 64, 8, 2, 8)


def test_lines_are_divided_without_a_rest() -> None:
    assert 56 % hero(n=32, c=96, k=96, groups=96, h=56, w=56).tile_m == 0
    assert 112 % hero(c=32, k=32, groups=32, h=112, w=112, r=3, s=3, padding=(1, 1)).tile_m == 0


def test_few_pixels_are_divided_finely() -> None:
    assert hero(n=1).tile_m < hero().tile_m  # else most processors would have nothing to do


@pytest.mark.parametrize(
    ("fields", "widest"), [({"c": 33, "k": 33, "groups": 33}, 1), ({"alignment": 2}, 1), ({"alignment": 4}, 2)]
)
def test_runs_follow_alignment(fields: dict[str, Any], widest: int) -> None:
    for found in decided(conv(**fields)).heroes:
        assert max(found.vector_a, found.vector_c) <= widest


@pytest.mark.parametrize(
    "fields", [{}, {"n": 1}, {"n": 1, "h": 7, "w": 7}, {"r": 3, "s": 3, "stride": (2, 2)}, {"dtype": DType.FP32}]
)
def test_lanes_of_nvidia_exchange_until_they_store_16_bytes(fields: dict[str, Any]) -> None:
    problem = conv(**fields)
    for found in decided(problem).heroes:
        if found.row_block:  # each of its lanes stores what it filtered itself
            continue
        assert found.vector_c * problem.output.dtype.bytes == 16
        if found.halo:
            continue
        assert found.tile_m * found.tile_k * found.tile_n >= 32 * found.vector_c  # each lane has as many results
    for other in PolicyEngine(preset("mi300x")).decide(problem, VARIANT).heroes:
        assert other.vector_c <= max(other.tile_n // preset("mi300x").lanes, 1)


def test_whole_lines_of_tall_filters_are_loaded_ahead() -> None:
    longer = {"n": 32, "c": 96, "k": 96, "groups": 96, "h": 56, "w": 56}
    small = {"r": 3, "s": 3, "padding": (1, 1)}
    assert (hero().stages, hero(**longer).stages, hero(**small).stages) == (2, 1, 1)
    assert PolicyEngine(preset("mi300x")).decide(conv(), VARIANT).hero.stages == 1


def test_blocks_have_fewer_warps_where_lines_share_no_rows() -> None:
    small = {"n": 64, "r": 3, "s": 3, "padding": (1, 1)}
    assert (hero(**small).warps, hero(**small, stride=(2, 2)).warps) == (8, 4)


WALKED: dict[str, Any] = {"c": 144, "k": 144, "groups": 144, "r": 3, "s": 3, "padding": (1, 1), "h": 56, "w": 56}


@pytest.mark.parametrize(
    ("fields", "walks"),
    [
        ({}, True),
        ({"n": 8}, False),
        ({"stride": (2, 2)}, False),
        ({"dtype": DType.FP32}, False),
        ({"r": 5, "s": 5}, False),
    ],
)
def test_strips_walk_down_images_that_exceed_the_second_cache(fields: dict[str, Any], walks: bool) -> None:
    heroes = decided(conv(**WALKED | fields)).heroes
    found = next(one for one in heroes if not (one.halo or one.row_block))
    assert (found.unroll_k > 1) is walks
    if walks:
        assert (found.tile_m, found.tile_n, found.tile_k, found.stages, found.unroll_k) == (7, 64, 14, 2, 3)
    assert PolicyEngine(preset("mi300x")).decide(conv(**WALKED | fields), VARIANT).hero.unroll_k == 1


SMALL = {"r": 5, "s": 5, "padding": (2, 2)}


@pytest.mark.parametrize(
    ("fields", "first"),
    [({}, "16x32x16 s2 va8 vc8 halo"), ({"h": 7, "w": 7}, "16x32x8 s2 va8 vc8 halo"), (SMALL, "16x32x16 s2 va8 vc8 halo"),
     ({"h": 56, "w": 56}, "16x32x16 s1 va8 vc8 halo"), ({"n": 1}, "16x16x8 s1 w2 va8 vc8 halo")],
)  # fmt: skip
def test_large_filters_are_multiplied_by_matrix_instructions(fields: dict[str, Any], first: str) -> None:
    assert decided(conv(**fields)).hero.describe() == first


@pytest.mark.parametrize("fields", [SMALL | {"h": 7, "w": 7}, {"stride": (2, 2)}, {"r": 3, "s": 3, "padding": (1, 1)}])
def test_tuners_are_offered_bands_where_they_are_not_the_first(fields: dict[str, Any]) -> None:
    assert not decided(conv(**fields)).hero.halo and len(bands(**fields)) in (4, 8)
    assert all(one.tile_m == 16 and one.tile_n == 8 * one.warps for one in bands(**fields))


@pytest.mark.parametrize(
    "fields",
    [{"dtype": DType.FP32}, {"dilation": (2, 2), "padding": (6, 6)}, {"c": 388, "k": 388, "groups": 388}, {"stride": (4, 4)},
     {"k": 768}, {"s": 9}, {"alignment": 8}],
)  # fmt: skip
def test_what_has_no_bands(fields: dict[str, Any]) -> None:
    assert bands(**fields) == []


def test_other_devices_have_no_bands() -> None:
    assert not any(one.halo for one in PolicyEngine(preset("mi300x")).decide(conv(), VARIANT).heroes)


def test_channels_that_share_a_group_are_read_one_by_one() -> None:
    assert hero(k=768).vector_a == 1 and hero(c=768, k=768).vector_a == 1


def test_the_topology_counts_lines_and_names_the_filter() -> None:
    found = topology_of(conv(stride=(1, 2), dilation=(1, 3), padding=(3, 9)), VARIANT)
    assert found.shape == (64 * 14, 7, 384, 49)
    assert found.kind == Channelwise(7, 7, 2, 3, 1, True, True, 14)


@pytest.mark.parametrize("fields", [{}, WALKED])
def test_the_space_holds_the_heroes(fields: dict[str, Any]) -> None:
    decision = decided(conv(**fields))
    assert all(decision.space.contains(one) for one in decision.heroes) and decision.reasons


def test_the_space_holds_strips_side_by_side_and_strips_that_are_not() -> None:
    counts = decided(conv(**WALKED)).space.row_block
    assert 0 in counts and {7, 14} <= set(counts)
