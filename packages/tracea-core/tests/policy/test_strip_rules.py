# SPDX-License-Identifier: MIT
"""Strips of a CPU: how many pixels the policy takes, and when it asks for lines ahead."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.depthwise import strips_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)
VARIANT = strips_variant("avx512", DType.FP32, (DType.FP32,))


def decided(name: str = "avx512", **fields: Any) -> PolicyDecision:
    sizes = {"n": 8, "c": 96, "h": 56, "w": 56, "k": 96, "r": 7, "s": 7, "padding": (3, 3), "groups": 96}
    op = Conv2dOp(**(sizes | fields))
    tensors = [dense(shape, op.dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    return PolicyEngine(preset(name)).decide(Problem(op, tuple(tensors[:2]), tensors[2]), VARIANT)


@pytest.mark.parametrize(("size", "pixels"), [(56, 8), (28, 7), (14, 7), (7, 7)])
def test_lines_are_divided_without_a_rest(size: int, pixels: int) -> None:
    found = decided(h=size, w=size).hero
    assert (found.tile_m, found.tile_n) == (pixels, 16)


def test_short_filters_take_long_strips() -> None:
    assert decided(r=3, s=3, padding=(1, 1)).hero.tile_m == 14


def test_what_memory_holds_is_asked_for() -> None:
    assert decided(n=32).hero.stages == 2 and decided(n=1, h=14, w=14).hero.stages == 1


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize("stride", [1, 2])
def test_every_hero_can_be_built(name: str, stride: int) -> None:
    decision = decided(name, stride=(stride, stride))
    op = Conv2dOp(8, 96, 56, 56, 96, 7, 7, (stride, stride), (3, 3), groups=96)
    tensors = [dense(shape, op.dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    form = lower_any(Problem(op, tuple(tensors[:2]), tensors[2]), VARIANT).form
    assert decision.reasons
    for hero in decision.heroes:
        assert decision.space.contains(hero)
        assert build_kernel(form, hero, preset(name), VARIANT).configuration == hero
