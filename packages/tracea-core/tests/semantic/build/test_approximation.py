# SPDX-License-Identifier: MIT
"""Fast functions serve where nothing magnifies their error, and nowhere else; other forms of GELU are near enough to it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.evaluate import apply, evaluate, leaf_value
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand, Unary, UnaryFn, linearize
from tracea_core.ops.functions import erf
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.trace import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.approximation import approximation, fast_form, stands_approximation
from tracea_core.semantic.steps import Compute, Node
from tracea_core.testing.edit import edited
from tracea_core.testing.strips import PLANES, built, own_filters, pieces, strip

X = Accumulator()
EXP = Unary(UnaryFn.EXP, X)


@pytest.mark.parametrize("epilogue", ["silu", "sigmoid", "bias,silu", "swiglu", "bias,gelu", "gelu_tanh"])
def test_sigmoids_stand_it(epilogue: str) -> None:
    assert stands_approximation(parse_epilogue(epilogue).expr)


@pytest.mark.parametrize("epilogue", ["relu", "gelu,residual", "silu,gelu", "silu,residual"])
def test_what_has_none_or_adds_to_one_is_exact(epilogue: str) -> None:
    assert not stands_approximation(parse_epilogue(epilogue).expr)


@pytest.mark.parametrize(
    "expr",
    [
        Binary(BinaryFn.SUB, EXP, Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, X))),  # sinh: cancels near 0
        Binary(BinaryFn.ADD, EXP, Constant(-1.0)),
        Binary(BinaryFn.ADD, EXP, Operand(0)),
        Unary(UnaryFn.EXP, EXP),
        Unary(UnaryFn.LOG, EXP),
        Unary(UnaryFn.RINT, EXP),
    ],
)
def test_what_would_magnify_the_error_is_exact(expr: Expr) -> None:
    assert not stands_approximation(expr)


def in_single(expr: Expr, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Evaluate `expr` of one accumulator with every step rounded to fp32; results below 2^-126 are flushed as fast functions do."""
    values: list[npt.NDArray[np.float32]] = []
    with np.errstate(all="ignore"):
        for node, places in linearize(expr):
            exact = (
                apply(node, [values[place].astype(np.float64) for place in places])
                if places
                else leaf_value(node, [x.astype(np.float64)], ())
            )
            rounded = np.asarray(exact, np.float32)
            values.append(np.where(np.abs(rounded) < DType.FP32.smallest_normal, np.float32(0), rounded))
    return np.asarray(values[-1], np.float64)


def inputs() -> npt.NDArray[np.float32]:
    """Every finite bf16 and fp16, and a million of fp32 from -10 to 10."""
    codes = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        halves = codes.view(np.float16).astype(np.float32)
    short = np.concatenate(((codes.astype(np.uint32) << 16).view(np.float32), halves))
    return np.concatenate((short[np.isfinite(short)], np.linspace(-10, 10, 1 << 20, dtype=np.float32)))


GELUS = {
    "as the stage has it": parse_epilogue("gelu").expr,
    "other order": trace(lambda x: (1 + erf(x / math.sqrt(2))) * (x * 0.5)).epilogue.expr,
}


@pytest.mark.parametrize("name", GELUS)
def test_gelu_is_near_on_every_short_input(name: str) -> None:
    x = inputs()
    form = approximation(GELUS[name], DType.BF16)
    assert not isinstance(form, bool)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        tail = np.array([0.5 * math.erfc(value) for value in np.abs(wide) * math.sqrt(0.5)])
        exact = np.maximum(wide, 0) - np.abs(wide) * tail
        error = np.abs(in_single(form, x) - exact)
    rounding = 2.0**-23 * np.abs(exact) + DType.FP32.smallest_normal
    assert np.all(error <= 2.0**-21 * np.minimum(np.abs(wide), 5.75) + rounding)
    assert np.all(error[wide >= -2.5] <= 2.0**-17 * np.abs(exact[wide >= -2.5]) + rounding[wide >= -2.5])
    assert np.all(error[wide >= -5.75] <= 2.0**-11 * np.abs(exact[wide >= -5.75]) + rounding[wide >= -5.75])
    assert np.all(error[wide < -5.75] <= 3e-8)


def test_gelu_by_tanh_is_near_on_every_short_input() -> None:
    x = inputs()
    expr = parse_epilogue("gelu_tanh").expr
    form = approximation(expr, DType.FP16)
    assert not isinstance(form, bool)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        scaled = -2 * math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
        exact = wide / (1 + np.exp(scaled))
        error = np.abs(in_single(form, x) - exact)
    assert np.all(error <= (2.0**-16 + 2.0**-22 * np.minimum(np.abs(scaled), 90)) * np.abs(exact) + 1e-36)


def test_infinity_and_nan_pass() -> None:
    x = np.array([np.inf, np.nan], np.float32)
    form = approximation(GELUS["as the stage has it"], DType.BF16)
    assert not isinstance(form, bool)
    assert np.array_equal(in_single(form, x), [np.inf, np.nan], equal_nan=True)


def test_factors_around_stay() -> None:
    scaled = Binary(BinaryFn.MUL, Operand(0), Binary(BinaryFn.MUL, Constant(3.0), GELUS["as the stage has it"]))
    x = np.linspace(-3, 3, 50)
    form = fast_form(scaled)
    assert form != scaled
    assert np.allclose(evaluate(form, [x], [7.0]), evaluate(scaled, [x], [7.0]), rtol=1e-4)


@pytest.mark.parametrize(
    "expr",
    [
        Binary(BinaryFn.MUL, X, Binary(BinaryFn.ADD, Constant(1.0), Unary(UnaryFn.ERF, X))),  # no normal distribution
        Binary(BinaryFn.ADD, Constant(1.0), Unary(UnaryFn.TANH, X)),
        Unary(UnaryFn.ERF, X),
    ],
)
def test_what_is_no_gelu_stays(expr: Expr) -> None:
    assert fast_form(expr) == expr


def test_a_wide_result_is_exact() -> None:
    assert approximation(GELUS["as the stage has it"], DType.FP32) is False


@pytest.mark.parametrize(
    ("problem", "configuration"),
    [
        (own_filters("gelu", dtype=DType.BF16), strip(4, 32, 4)),
        (
            own_filters("gelu", c=16, k=16, groups=16, dtype=DType.BF16),
            strip(16, 16, 2, 8, 8).replace(tile_k=8, halo=True),
        ),
        (own_filters("gelu", order=PLANES, dtype=DType.BF16), pieces(2)),
    ],
)
def test_strips_take_the_form_that_does_not_cancel(problem: Problem, configuration: PipelineConfig) -> None:
    """Written as 1 + erf it takes 50 instructions an element instead of 10."""
    taken: list[object] = []

    def look(node: Node) -> Node:
        if isinstance(node, Compute) and node.target == "result":
            taken.append(node.approximate)
        return node

    edited(built(problem, configuration), look, or_same=True)
    assert set(taken) == {fast_form(problem.epilogue.expr)}
