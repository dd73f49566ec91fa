# SPDX-License-Identifier: MIT
"""Minimal filtering without having been asked: fp32 layers that repay it, unless the caller or the environment says no."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.doctor.winograd import SETTING, filtered_by_default
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec

AVX512 = preset("avx512").replace(processors=2)


def problem(options: Options | None = None, **changed) -> Problem:
    op = Conv2dOp(**{"n": 8, "c": 64, "h": 28, "w": 28, "k": 64, "r": 3, "s": 3, "padding": (1, 1), **changed})
    shapes, dtypes = (*op.input_shapes(), op.output_shape()), (*op.input_dtypes(), op.output_dtype())
    x, w, out = (TensorSpec.contiguous(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
    return Problem(op, (x, w), out, options=options or Options())


def test_a_layer_that_repays_it_is_allowed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    asked = problem(Options(deterministic=True))
    assert filtered_by_default(asked, AVX512).options == Options(deterministic=True, allow_winograd=True)


@pytest.mark.parametrize(
    "changed",
    [
        {"stride": (2, 2)},
        {"dilation": (2, 2), "padding": (2, 2)},
        {"groups": 2},
        {"r": 1, "s": 1},
        {"padding": (0, 0)},
        {"dtype": DType.BF16},
        {"dtype": DType.FP64},
        {"accumulate": DType.FP64},
        {"n": 1, "h": 14, "w": 14},
        {"n": 1, "h": 16, "w": 16, "c": 16, "k": 16},
        {"n": 4, "h": 7, "w": 7, "c": 512, "k": 512},
        {"c": 8},
    ],
)
def test_other_problems_stay_as_they_are(changed: dict) -> None:
    assert filtered_by_default(problem(**changed), AVX512) == problem(**changed)


@pytest.mark.parametrize(("processors", "allowed"), [(1, True), (2, True), (14, False)])
def test_more_processors_ask_for_more_work(processors: int, allowed: bool) -> None:
    small = problem(n=1, h=16, w=16)
    assert (filtered_by_default(small, AVX512.replace(processors=processors)) != small) is allowed


@pytest.mark.parametrize("said", [True, False])
def test_what_the_caller_says_stays(said: bool) -> None:
    asked = problem(Options(allow_winograd=said))
    assert filtered_by_default(asked, AVX512) is asked


@pytest.mark.parametrize(("value", "allowed"), [("0", False), (" 0 ", False), ("1", True), ("", True)])
def test_the_environment_refuses_it(monkeypatch: pytest.MonkeyPatch, value: str, allowed: bool) -> None:
    monkeypatch.setenv(SETTING, value)
    assert (filtered_by_default(problem(), AVX512) != problem()) is allowed
