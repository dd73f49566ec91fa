# SPDX-License-Identifier: MIT
"""Strips that lie side by side: where they are the first choice, how many a block takes, and of how many lines."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.doctor.depthwise import depthwise_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.testing.cases import dense

VARIANT = depthwise_variant("cuda")


def conv(n: int = 32, c: int = 144, size: int = 56, taps: int = 3, stride: int = 1, **fields: Any) -> Problem:
    alignment = fields.pop("alignment", 16)
    op = Conv2dOp(n=n, c=c, h=size, w=size, k=fields.pop("k", c), r=taps, s=taps, stride=(stride, fields.pop("across", stride)),
                  padding=(taps // 2, taps // 2), groups=c, **{"dtype": DType.BF16} | fields)  # fmt: skip
    image, filters, out = (dense(shape, op.dtype, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape()))
    return Problem(op, (image, filters), out, options=Options(alignment=alignment))


def heroes(problem: Problem, device: str = "h200") -> tuple[PipelineConfig, ...]:
    return PolicyEngine(preset(device)).decide(problem, VARIANT).heroes


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({}, "4x128x14 s5 w8 va4 vc4 u3 rb7"),
        ({"c": 16, "size": 112}, "4x128x14 s5 va4 vc4 u3 rb32"),
        ({"c": 256}, "4x128x28 s5 va4 vc4 u3 rb2"),
        ({"c": 192, "size": 28}, "4x128x7 s5 w6 va4 vc4 u3 rb4"),
        ({"n": 4}, "4x128x4 s5 w8 va4 vc4 u3 rb7"),
        ({"n": 128}, "4x128x28 s5 w8 va4 vc4 u3 rb7"),
        ({"stride": 2}, "2x128x7 s3 w8 va4 vc4 u3 rb7"),
        ({"c": 72, "stride": 2, "taps": 5}, "2x128x7 s3 w8 va4 vc4 u5 rb14"),
    ],
)
def test_the_first_choice_of_long_lines(fields: dict[str, Any], first: str) -> None:
    problem = conv(**fields)
    found = heroes(problem)
    assert found[0].describe() == first
    build_kernel(lower_any(problem, VARIANT).form, found[0], preset("h200"), VARIANT)  # and it can be built


@pytest.mark.parametrize(
    "fields", [{"n": 1}, {"size": 14}, {"size": 28, "stride": 2}, {"size": 14, "c": 1024}, {"size": 28, "n": 4}]
)
def test_short_lines_and_few_of_them_are_filtered_by_strips_that_stay(fields: dict[str, Any]) -> None:
    found = heroes(conv(**fields))
    assert found[0].row_block == 0
    assert any(one.row_block for one in found)  # tuners try both


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": DType.FP32},
        {"taps": 5},
        {"taps": 7, "stride": 2},
        {"stride": 3},
        {"across": 2},
        {"dilation": (2, 2)},
        {"k": 288},
        {"c": 142},
        {"alignment": 4},
    ],
)
def test_what_is_not_filtered_side_by_side(fields: dict[str, Any]) -> None:
    assert not any(one.row_block for one in heroes(conv(**fields)))


@pytest.mark.parametrize("device", ["mi300x", "t4"])
def test_devices_whose_copies_pass_registers_have_none(device: str) -> None:
    assert not any(one.row_block for one in heroes(conv(), device))


def test_a_block_has_few_idle_lanes() -> None:
    for channels in range(8, 520, 8):
        found = next(one for one in heroes(conv(c=channels)) if one.row_block)
        lanes = found.warps * 32
        parts = -(-channels // (lanes // found.row_block * 4))
        assert channels / 4 * found.row_block / parts >= 0.74 * lanes
