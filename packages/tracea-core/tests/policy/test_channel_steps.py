# SPDX-License-Identifier: MIT
"""Tiles for walks over few windows of long reductions, which come out even."""

from __future__ import annotations

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.plugin.manager import plugins
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.testing.cases import dense

TARGET = preset_target("h200")
LAST = (0, 2, 3, 1)


def decided(images: int, channels: int, size: int, filters: int, dtype: DType = DType.FP16) -> PolicyDecision:
    op = Conv2dOp(images, channels, size, size, filters, 3, 3, padding=(1, 1), dtype=dtype)
    inputs = tuple(dense(shape, dtype, LAST) for shape in op.input_shapes())
    options = Options(allow_tf32=True, allow_fallback=False)
    problem = Problem(op, inputs, dense(op.output_shape(), dtype, LAST), options=options)
    choice = choose(problem, TARGET, plugins().manifest("cuda").variants(TARGET.profile))
    return PolicyEngine(TARGET.profile).decide(choice.problem, choice.variant)


@pytest.mark.parametrize(
    ("sizes", "dtype", "tile"),
    [
        ((2, 1280, 16, 1280), DType.FP16, (128, 96, 64)),
        ((2, 2560, 8, 1280), DType.FP16, (128, 96, 64)),
        ((2, 1280, 16, 1280), DType.FP32, (128, 96, 32)),
        ((2, 640, 32, 640), DType.FP16, (64, 160, 64)),
        ((64, 64, 56, 64), DType.FP16, (256, 64, 64)),
        ((8, 512, 14, 512), DType.FP16, (64, 128, 128)),
    ],
)
def test_tiles_follow_windows_and_filters(
    sizes: tuple[int, int, int, int], dtype: DType, tile: tuple[int, int, int]
) -> None:
    hero = decided(*sizes, dtype).hero
    assert (hero.tile_m, hero.tile_n, hero.tile_k) == tile


def test_a_tile_of_many_filters_is_shared_by_no_blocks() -> None:
    wide = [hero for hero in decided(2, 1280, 16, 1280).heroes if (hero.tile_m, hero.tile_n) == (64, 160)]
    assert all(hero.split_k == 1 for hero in wide)
    assert decided(2, 1280, 16, 1280).hero.split_k == 2
