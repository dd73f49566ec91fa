# SPDX-License-Identifier: MIT
"""Expressions: their meaning against NumPy, their JSON, and that sharing is kept."""

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import (
    MAX_DEPTH,
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
    check_size,
    children,
    linearize,
    rewrite,
    walk,
)

leaves = (
    st.just(Accumulator())
    | st.builds(Operand, st.integers(0, 1))
    | st.builds(Constant, st.floats(-1e3, 1e3, allow_nan=False))
)


def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return (
        st.builds(Unary, st.sampled_from(UnaryFn), inner)
        | st.builds(Binary, st.sampled_from(BinaryFn), inner, inner)
        | st.builds(Compare, st.sampled_from(CompareFn), inner, inner)
        | st.builds(Select, inner, inner, inner)
        | st.builds(Cast, st.sampled_from(DType), inner, st.booleans())
    )


expressions: st.SearchStrategy[Expr] = st.recursive(leaves, grow, max_leaves=12)
values = st.lists(st.floats(-50, 50), min_size=3, max_size=3)

NUMPY: dict[Any, Any] = {
    UnaryFn.NEG: lambda x: -x,
    UnaryFn.ABS: np.abs,
    UnaryFn.EXP: np.exp,
    UnaryFn.LOG: np.log,
    UnaryFn.SQRT: np.sqrt,
    UnaryFn.RSQRT: lambda x: 1 / np.sqrt(x),
    UnaryFn.RECIPROCAL: lambda x: 1 / x,
    UnaryFn.TANH: np.tanh,
    UnaryFn.ERF: np.vectorize(math.erf, otypes=[np.float64]),
    UnaryFn.FLOOR: np.floor,
    UnaryFn.RINT: np.rint,
    BinaryFn.ADD: lambda x, y: x + y,
    BinaryFn.SUB: lambda x, y: x - y,
    BinaryFn.MUL: lambda x, y: x * y,
    BinaryFn.DIV: lambda x, y: x / y,
    BinaryFn.MAXIMUM: np.maximum,
    BinaryFn.MINIMUM: np.minimum,
    CompareFn.LT: lambda x, y: x < y,
    CompareFn.LE: lambda x, y: x <= y,
    CompareFn.GT: lambda x, y: x > y,
    CompareFn.GE: lambda x, y: x >= y,
    CompareFn.EQ: lambda x, y: x == y,
    CompareFn.NE: lambda x, y: x != y,
}


@given(st.sampled_from(list(NUMPY)), values, values)
def test_each_function_is_numpys(fn: Any, x: list[float], y: list[float]) -> None:
    a, b = np.array(x), np.array(y)
    left, right = Accumulator(), Operand(0)
    with np.errstate(all="ignore"):
        if isinstance(fn, UnaryFn):
            node, expected = Unary(fn, left), NUMPY[fn](a)
        elif isinstance(fn, BinaryFn):
            node, expected = Binary(fn, left, right), NUMPY[fn](a, b)
        else:
            node, expected = Compare(fn, left, right), NUMPY[fn](a, b).astype(float)
    assert np.allclose(evaluate(node, [a], [b]), expected, rtol=0, atol=1e-15, equal_nan=True)


@given(expressions)
def test_json_round_trip(expr: Expr) -> None:
    text = msgspec.json.encode(expr)
    again = msgspec.json.decode(text, type=Expr)  # type: ignore[arg-type]
    assert again == expr
    assert msgspec.json.encode(again) == text
    assert hash(again) == hash(expr)


@settings(max_examples=60)
@given(expressions, values, values)
def test_the_straight_line_program_is_the_tree(expr: Expr, x: list[float], y: list[float]) -> None:
    def tree(node: Expr) -> np.ndarray:
        parts = [tree(child) for child in children(node)]
        if isinstance(node, Select):
            return np.where(parts[0] != 0, parts[1], parts[2])
        if isinstance(node, Cast):
            low, high = (node.dtype.lowest, node.dtype.largest) if node.saturate else (-np.inf, np.inf)
            return node.dtype.decode(node.dtype.encode(np.clip(parts[0], low, high)))
        if isinstance(node, Unary | Binary | Compare):
            return np.asarray(NUMPY[node.fn](*parts), np.float64)
        return evaluate(node, [x], [y, y])

    with np.errstate(all="ignore"):
        expected = tree(expr)
    actual = evaluate(expr, [x], [y, y])
    # erf differs by its bound, which a rounding step after it can turn into a whole step.
    if not any(isinstance(node, Unary) and node.fn is UnaryFn.ERF for node in walk(expr)):
        assert np.array_equal(actual, expected, equal_nan=True)
    program = linearize(expr)
    assert program[-1][0] == expr
    assert all(place < index for index, (_, places) in enumerate(program) for place in places)


def test_constants_are_finite_and_equal_ones_have_one_text() -> None:
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(OptionError, match="finite"):
            Constant(value)
    assert Constant(2).to_json() == Constant(2.0).to_json()


def test_shared_parts_are_numbered_once_and_signed_zeros_stay_apart() -> None:
    x: Expr = Accumulator()
    for _ in range(40):
        x = Binary(BinaryFn.MUL, x, x)
    assert len(linearize(x)) == 41
    zeros = Binary(BinaryFn.DIV, Constant(1.0), Binary(BinaryFn.ADD, Constant(-0.0), Constant(-0.0)))
    assert evaluate(zeros, []) == -np.inf


def test_large_expressions_are_refused() -> None:
    wide: Expr = Accumulator()
    for _ in range(13):
        wide = Binary(BinaryFn.MUL, wide, wide)
    with pytest.raises(OptionError, match="nodes"):
        check_size(wide)
    deep: Expr = Accumulator()
    for _ in range(MAX_DEPTH):
        deep = Unary(UnaryFn.NEG, deep)
    with pytest.raises(OptionError, match="deep"):
        check_size(deep)
    check_size(deep.x)  # type: ignore[union-attr]


def test_rewriting_replaces_leaves_and_keeps_sharing() -> None:
    shared = Unary(UnaryFn.EXP, Accumulator())
    expr = Binary(BinaryFn.ADD, shared, shared)
    result = rewrite(expr, lambda leaf: Unary(UnaryFn.NEG, leaf))
    assert isinstance(result, Binary)
    assert result.x is result.y
    assert np.allclose(evaluate(result, [2.0]), 2 * np.exp(-2.0))
