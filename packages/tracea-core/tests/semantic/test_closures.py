# SPDX-License-Identifier: MIT
"""A closure's value is the expression's, for integers and arrays, and what has no value is said in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.closures import Closures
from tracea_core.semantic.index import Const, Guard, Index, IndexFn, IndexOp, Sym, Test, TestFn, evaluate, holds
from tracea_core.semantic.quotient import reciprocal

NAMES = ("m", "n", "k")
leaves = st.one_of(st.integers(-9, 9).map(Const), st.sampled_from(NAMES).map(Sym))
plain = st.sampled_from([fn for fn in IndexFn if fn not in (IndexFn.FLOORDIV, IndexFn.MOD, IndexFn.QUOTIENT)])
divided = st.sampled_from([IndexFn.FLOORDIV, IndexFn.MOD])


def operations(children: st.SearchStrategy[Index]) -> st.SearchStrategy[Index]:
    divisors = st.one_of(st.integers(1, 9).map(Const), st.sampled_from(NAMES).map(Sym))
    parts = st.one_of(st.tuples(plain, children, children), st.tuples(divided, children, divisors))
    return parts.map(lambda part: IndexOp(*part))


expressions = st.recursive(leaves, operations, max_leaves=8)
tests = st.tuples(st.sampled_from(TestFn), expressions, expressions).map(lambda part: Test(*part))
values = st.integers(-20, 20)


def outcome(call: Callable[..., Any], *given: object) -> Any:
    try:
        return call(*given)
    except ConfigurationError as error:
        return str(error)


@given(expressions, st.lists(tests, max_size=3).map(tuple), values, values, st.lists(values, min_size=1, max_size=5))
def test_values_and_errors_are_those_of_evaluate(expr: Index, guard: Guard, m: int, n: int, k: list[int]) -> None:
    found = Closures()
    for scope in ({"m": m, "n": n, "k": k[0]}, {"m": m, "n": np.array(n), "k": np.array(k)}, {"m": m, "n": n}):
        for _ in range(2):
            assert np.array_equal(outcome(found.value, expr, scope), outcome(evaluate, expr, scope))
            assert np.array_equal(outcome(found.holds, guard, scope), outcome(holds, guard, scope))


def test_reciprocals_multiply_as_a_kernel_does() -> None:
    expr = IndexOp(IndexFn.QUOTIENT, Sym("x"), Sym("r"))
    scope = {"x": np.arange(1000), "r": reciprocal(7)}
    assert np.array_equal(Closures().value(expr, scope), np.arange(1000) // 7)


def test_what_has_no_value_is_named() -> None:
    with pytest.raises(ConfigurationError, match="'m' has no value"):
        Closures().value(Sym("m") + 1, {"n": 1})
