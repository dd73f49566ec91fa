# SPDX-License-Identifier: MIT
"""Intervals hold the exact value and what lower precision computes, for any expression; a shrunk one is caught."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.ops.evaluate import apply, evaluate, leaf_value, round_to
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    linearize,
)
from tracea_core.ops.interval import Interval, evaluate_intervals, hull
from tracea_core.ops.named import parse_epilogue
from tracea_core.semantic.build.approximation import fast_form

leaves = st.just(Accumulator()) | st.just(Operand(0)) | st.builds(Constant, st.floats(-20, 20))
expressions: st.SearchStrategy[Expr] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Unary, st.sampled_from(UnaryFn), inner)
        | st.builds(Binary, st.sampled_from(BinaryFn), inner, inner)
        | st.builds(Select, st.builds(Compare, st.sampled_from(CompareFn), inner, inner), inner, inner)
        | st.builds(Cast, st.sampled_from([DType.INT8, DType.FP16, DType.BF16]), inner)
    ),
    max_leaves=10,
)
numbers = st.floats(-30, 30, width=32)


def computed(expr: Expr, accumulator: np.ndarray, operand: np.ndarray, dtype: DType) -> np.ndarray:
    """What a kernel gets that rounds every node correctly to `dtype`."""
    values: list[np.ndarray] = []
    with np.errstate(all="ignore"):
        for node, places in linearize(expr):
            parts = [values[place] for place in places]
            value = apply(node, parts) if places else leaf_value(node, [accumulator], [operand])
            values.append(round_to(np.asarray(value, np.float64), dtype, saturate=False))
    return values[-1]


def holds(interval: Interval, value: np.ndarray) -> bool:
    low, high = interval
    anything = np.isneginf(low) & np.isposinf(high)
    return bool(((low <= value) & (value <= high) | anything | (np.isnan(low) & np.isnan(value))).all())


@settings(max_examples=300)
@given(expressions, numbers, numbers, st.floats(-1, 1), st.sampled_from([DType.FP32, DType.FP16]))
def test_exact_and_computed_values_are_inside(expr: Expr, x: float, y: float, share: float, dtype: DType) -> None:
    exact, operand = np.array(x), np.array(y)
    error = abs(x) * dtype.eps * 10
    accumulator = np.array(x + share * error)
    interval = evaluate_intervals(expr, [Interval(exact - error, exact + error)], [operand], dtype)
    assert holds(interval, evaluate(expr, [exact], [operand]))
    assert holds(interval, computed(expr, accumulator, operand, dtype))


def test_it_is_not_much_wider_than_needed() -> None:
    x = np.linspace(-5, 5, 1001)
    half = Unary(UnaryFn.TANH, Binary(BinaryFn.MUL, Accumulator(), Constant(0.5)))
    low, high = evaluate_intervals(half, [Interval(x, x)], (), DType.FP32)
    assert ((high - low) <= 40 * DType.FP32.eps).all()
    assert ((high - low) > 0).sum() >= 1000  # tanh(0) is exact


def test_both_sides_of_a_step_are_held() -> None:
    near, far = np.array(1.0), np.array(3.0)
    step = Select(Compare(CompareFn.GT, Accumulator(), Constant(1.0)), Constant(10.0), Constant(-10.0))
    straddling = evaluate_intervals(step, [Interval(near - 0.1, near + 0.1)], (), DType.FP32)
    assert (straddling.low, straddling.high) == (-10.0, 10.0)
    beyond = evaluate_intervals(step, [Interval(far - 0.1, far + 0.1)], (), DType.FP32)
    assert (beyond.low, beyond.high) == (10.0, 10.0)
    pole = evaluate_intervals(Unary(UnaryFn.RECIPROCAL, Accumulator()), [Interval(-near, near)], (), DType.FP32)
    assert (pole.low, pole.high) == (-np.inf, np.inf)


def test_overflow_of_the_computing_type_is_held() -> None:
    x = np.array(-100.0)
    sigmoid = Unary(
        UnaryFn.RECIPROCAL,
        Binary(BinaryFn.ADD, Constant(1.0), Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, Accumulator()))),
    )
    interval = evaluate_intervals(sigmoid, [Interval(x, x)], (), DType.FP32)
    assert holds(interval, np.array(0.0))
    assert holds(interval, evaluate(sigmoid, [x]))
    assert interval.high < 2 * DType.FP32.smallest_normal


def test_a_hull_with_some_nan_is_endless() -> None:
    low, high = hull(np.array([1.0, np.nan, np.nan]), np.array([2.0, 3.0, np.nan]))
    assert (low[0], high[0]) == (1.0, 2.0)
    assert (low[1], high[1]) == (-np.inf, np.inf)
    assert np.isnan(low[2])


def test_a_gelu_in_the_form_of_fast_functions_is_held_where_16_bits_are_stored() -> None:
    """Φ in erf's place is off by a share of 1 that erf itself is not: near 0.7 by more than sixteen roundoffs of erf."""
    expr = parse_epilogue("gelu").expr
    x = np.linspace(-8.0, 8.0, 400_001)
    form = evaluate(fast_form(expr), (x,), ())

    def held(stored: DType | None) -> np.ndarray:
        low, high = evaluate_intervals(expr, [Interval(x, x)], (), DType.FP32, stored)
        return (low <= form) & (form <= high)

    # beyond, results are below 3e-8·8 and are stored as such by either form
    inside = np.abs(x) < 5.0
    assert held(DType.FP16)[inside].all() and held(DType.BF16)[inside].all()
    assert not held(DType.FP32)[inside].all() and not held(None)[inside].all()
