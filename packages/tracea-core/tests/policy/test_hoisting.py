# SPDX-License-Identifier: MIT
"""When coordinates of a gathered reduction are looked up: below a device's threshold, first where that was measured to pay."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.offered import variants_of
from tracea_core.plugin.select import resolve
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.hoisting import hoisted_steps, table_bytes
from tracea_core.policy.topology import OperatorTopology
from tracea_core.semantic.build.schedules import first_buildable
from tracea_core.semantic.forms import lower_any
from tracea_core.testing.cases import dense

H200 = preset("h200")


def decided(device: str = "h200", **fields: Any) -> PolicyDecision:
    sizes: dict[str, Any] = {"n": 2, "c": 67, "h": 20, "w": 20, "k": 40, "r": 3, "s": 3, "dtype": DType.FP16}
    op = Conv2dOp(**(sizes | fields))
    order = (0, 2, 3, 1)
    problem = Problem(
        op, tuple(dense(s, op.dtype, order) for s in op.input_shapes()), dense(op.output_shape(), op.dtype, order)
    )
    selection = resolve(None, None, device)
    choice = choose(problem, selection.target, variants_of(selection))
    return PolicyEngine(choice.target.profile).decide(choice.problem, choice.variant)


def gathered(k: int) -> OperatorTopology:
    return OperatorTopology(0, "conv", "Conv2d", 256, 64, k, reduction_axes=3, dtype=DType.FP16)


def test_long_gathers_look_coordinates_up_first() -> None:
    found = decided()
    assert found.hero.value("hoisted") == -(-603 // found.hero.tile_k)
    assert found.heroes[1] == found.hero.replace(hoisted=0), "and compute them where tables do not fit the kernel"
    assert set(found.space.hoisted) == {hero.value("hoisted") for hero in found.heroes} and 0 in found.space.hoisted
    assert all(found.space.contains(hero) for hero in found.heroes)


@pytest.mark.parametrize("device", ["h200", "a100", "mi300x", "m1"])
def test_divisions_are_the_tuners_to_try(device: str) -> None:
    found = decided(device)
    assert found.space.divided == (0, 1) and [hero.value("divided") for hero in found.heroes].index(1) > 0
    assert all(found.space.contains(hero) for hero in found.heroes)


def test_short_gathers_compute_them_first() -> None:
    found = decided(c=3)
    assert found.hero.value("hoisted") == 0 and any(hero.value("hoisted") == 1 for hero in found.heroes)


def test_other_devices_leave_it_to_the_tuner() -> None:
    found = decided("mi300x")
    assert found.hero.value("hoisted") == 0 and len(found.space.hoisted) > 1


@pytest.mark.parametrize("fields", [{"c": 64}, {"c": 64, "groups": 2}])
def test_what_moves_in_runs_or_walks_has_no_tables(fields: dict[str, Any]) -> None:
    assert {hero.value("hoisted") for hero in decided(**fields).heroes} == {0}


def test_a_table_above_the_threshold_is_not_offered() -> None:
    tile = PipelineConfig(tile_m=64, tile_n=64, tile_k=32)
    room = table_bytes(H200) // 12
    assert hoisted_steps(tile, gathered(room // 32 * 32), H200) == room // 32
    assert hoisted_steps(tile, gathered(room // 32 * 32 + 1), H200) == 0
    full = tile.replace(tile_m=256, tile_n=256, stages=7)
    assert hoisted_steps(full, gathered(1024), H200) == 0, "what the tiles leave is less"
    assert hoisted_steps(tile, gathered(0), H200) == 0


def test_what_is_offered_can_be_built() -> None:
    found = decided()
    selection = resolve(None, None, "h200")
    op = Conv2dOp(2, 67, 20, 20, 40, 3, 3, dtype=DType.FP16)
    specs = [dense(shape, DType.FP16, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape())]
    choice = choose(Problem(op, tuple(specs[:2]), specs[2]), selection.target, variants_of(selection))
    lowered = lower_any(choice.problem, choice.variant)
    built = first_buildable(lowered, found.heroes, H200, choice.variant)
    assert built.value("hoisted") == -(-603 // built.tile_k)
    divided = tuple(hero for hero in found.heroes if hero.value("divided"))
    assert first_buildable(lowered, divided, H200, choice.variant) in divided
