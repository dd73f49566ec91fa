# SPDX-License-Identifier: MIT
"""Index expressions: printing, folding, slopes and evaluation agree with Python's own arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import (
    Const,
    Index,
    IndexFn,
    IndexOp,
    Sym,
    at_least,
    binary,
    ceil_div,
    coefficient,
    equal,
    evaluate,
    holds,
    less,
    maximum,
    minimum,
    substitute,
    symbols,
    text,
)

NAMES = ("m", "n", "k")
leaves = st.one_of(st.integers(0, 9).map(Const), st.sampled_from(NAMES).map(Sym))


def combine(children: st.SearchStrategy[Index]) -> st.SearchStrategy[Index]:
    plain = st.tuples(
        st.sampled_from([IndexFn.ADD, IndexFn.SUB, IndexFn.MUL, IndexFn.MIN, IndexFn.MAX]), children, children
    )
    divided = st.tuples(st.sampled_from([IndexFn.FLOORDIV, IndexFn.MOD]), children, st.integers(1, 9).map(Const))
    return st.one_of(plain, divided).map(lambda parts: binary(*parts))


expressions = st.recursive(leaves, combine, max_leaves=12)
values = st.fixed_dictionaries({name: st.integers(0, 50) for name in NAMES})


def python(expr: Index, names: dict[str, int]) -> int:
    return int(eval(text(expr), {"min": min, "max": max}, dict(names)))


@given(expressions, values)
def test_printed_text_means_the_expression(expr: Index, names: dict[str, int]) -> None:
    assert evaluate(expr, names) == python(expr, names)


@given(expressions)
def test_json_round_trip(expr: Index) -> None:
    assert type(expr).from_json(expr.to_json()) == expr


@given(expressions, values)
def test_arrays_evaluate_like_integers(expr: Index, names: dict[str, int]) -> None:
    arrays = {name: np.array([value, value]) for name, value in names.items()}
    assert np.all(np.asarray(evaluate(expr, arrays)) == evaluate(expr, names))


@given(expressions, values)
def test_substituting_values_evaluates(expr: Index, names: dict[str, int]) -> None:
    replaced = substitute(expr, {name: Const(value) for name, value in names.items()})
    assert replaced == Const(int(evaluate(expr, names)))


@given(expressions, values)
def test_a_coefficient_is_the_slope(expr: Index, names: dict[str, int]) -> None:
    slope = coefficient(expr, "k")
    if slope is not None:
        later = names | {"k": names["k"] + 1}
        assert evaluate(expr, later) - evaluate(expr, names) == evaluate(slope, names)


def test_a_coefficient_of_something_not_affine_is_refused() -> None:
    row = Sym("row")
    assert coefficient(minimum(row, 3), "row") is None
    assert coefficient(row * row, "row") is None
    assert coefficient(row // 2, "row") is None
    assert coefficient(row * Sym("stride") + 4, "row") == Sym("stride")


def test_constants_fold_and_neutral_elements_vanish() -> None:
    m = Sym("m")
    assert m + 0 == m and 0 + m == m and m * 1 == m and m // 1 == m
    assert m * 0 == Const(0) and m % 1 == Const(0) and Const(7) // 2 == Const(3)
    assert text(m - (Sym("n") - 3)) == "m - (n - 3)"
    assert text((m + 1) * 2) == "(m + 1) * 2"


def test_ceil_div_and_tests() -> None:
    assert [evaluate(ceil_div(Sym("m"), 4), {"m": m}) for m in (0, 1, 4, 5)] == [0, 1, 1, 2]
    guard = (less(Sym("m"), 4), at_least(Sym("m"), 1), equal(Sym("n"), 2))
    assert holds(guard, {"m": 3, "n": 2})
    assert (
        not holds(guard, {"m": 4, "n": 2}) and not holds(guard, {"m": 0, "n": 2}) and not holds(guard, {"m": 3, "n": 1})
    )
    assert symbols(guard[0]) == {"m"}
    assert evaluate(maximum(Sym("m"), 3), {"m": 2}) == 3


def test_unknown_symbols_and_bad_divisors_are_named() -> None:
    with pytest.raises(ConfigurationError, match="'n' has no value"):
        evaluate(Sym("n"), {"m": 1})
    with pytest.raises(ConfigurationError, match="division by 0"):
        evaluate(IndexOp(IndexFn.FLOORDIV, Sym("m"), Sym("n")), {"m": 1, "n": 0})
