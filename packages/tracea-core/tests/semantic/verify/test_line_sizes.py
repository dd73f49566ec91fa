# SPDX-License-Identifier: MIT
"""Sizes for channels on their own reach every edge of a strip, and images end before, at and after the last window."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.line_sizes import line_sizes
from tracea_core.testing.cases import dense

LAST = (0, 2, 3, 1)
VARIANT = depthwise_variant("cuda")
STRIP = PipelineConfig(tile_m=5, tile_n=64, tile_k=1, stages=1, warps=4, vector_a=2, vector_c=2)


def kernel(stride: int = 1) -> tuple[SemanticKernel, object]:
    op = Conv2dOp(2, 72, 9, 40, 72, 3, 3, (stride, stride), (1, 1), groups=72, dtype=DType.FP16)
    tensors = [dense(shape, op.dtype, LAST) for shape in (*op.input_shapes(), op.output_shape())]
    form = lower_any(Problem(op, tuple(tensors[:2]), tensors[2]), VARIANT).form
    return build_kernel(form, STRIP, preset("h200"), VARIANT), form


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("stride", [1, 2])
def test_edges_of_strips_channels_and_images(elsewhere: bool, stride: int) -> None:
    built, form = kernel(stride)
    found = list(line_sizes(built, form, np.random.default_rng(5), elsewhere))  # type: ignore[arg-type]
    for values in found:
        assert all(symbol.admits(values[symbol.name]) for symbol in built.symbols)
        assert values["items"] % values["lines"] == 0
        assert values["x_row"] >= values["n"] if values["width"] > 1 else True
    over = {values["m"] % 5 for values in found}
    assert {0, 1, 4} <= over or elsewhere
    ends = {values["width"] - ((values["m"] - 1) * stride + 1) for values in found if values["m"] > 2}
    assert (len(ends) > 1 and min(ends) < 0) or elsewhere
    assert max(values["n"] for values in found) <= 72  # neighbouring pixels are so far apart
    assert any(values["n"] > 64 for values in found) and any(values["n"] < 64 for values in found)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stride", [1, 2])
def test_whole_strips_and_channels_meet_a_line_that_ends_early(stride: int, seed: int) -> None:
    """Whatever is drawn: a fill of what lies beyond then counts in the last window, whichever of its columns it is loaded for."""
    built, form = kernel(stride)
    values = list(line_sizes(built, form, np.random.default_rng(seed)))[9]  # type: ignore[arg-type]
    assert values["m"] % STRIP.tile_m == 0
    assert values["n"] >= STRIP.tile_n
    last = (values["m"] - 1) * stride - 1 + 2
    assert values["width"] == last - 2 < last - 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stride", [1, 2])
def test_the_last_whole_strip_reaches_one_pixel_beyond_a_line(stride: int, seed: int) -> None:
    """Whatever is drawn: a strip is then read without tests where it is one pixel too far right, if what asks about that is off by one."""
    built, form = kernel(stride)
    values = list(line_sizes(built, form, np.random.default_rng(seed)))[11]  # type: ignore[arg-type]
    assert values["m"] % STRIP.tile_m == 0 and values["m"] > STRIP.tile_m
    assert values["n"] >= STRIP.tile_n
    assert values["width"] == (values["m"] - 1) * stride - 1 + 2
