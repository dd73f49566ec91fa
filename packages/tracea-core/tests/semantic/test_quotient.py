# SPDX-License-Identifier: MIT
"""Division by a reciprocal is division, over all of the 32-bit range: for Python's integers, for arrays, and where it is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import Const, IndexFn, IndexOp, Sym, evaluate, symbols, text
from tracea_core.semantic.quotient import divisor_of, multiplied, reciprocal, reciprocal_symbols, reciprocals

LAST = (1 << 31) - 1
EDGES = sorted({value for bit in range(31) for value in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)} | {LAST - 1, LAST})
QUOTIENT = IndexOp(IndexFn.QUOTIENT, Sym("n"), Sym("r"))


def quotient(dividend: int, divisor: int) -> int:
    return int(evaluate(QUOTIENT, {"n": dividend, "r": reciprocal(divisor)}))


@settings(max_examples=400, deadline=None)
@given(st.integers(0, LAST), st.integers(1, LAST))
def test_quotients_are_those_of_integers(dividend: int, divisor: int) -> None:
    near = dividend // divisor * divisor
    for value in (dividend, near, near - 1, near + divisor - 1, near + divisor):
        if 0 <= value <= LAST:
            assert quotient(value, divisor) == value // divisor


def test_quotients_at_every_edge() -> None:
    divisors = [edge for edge in EDGES if edge >= 1]
    dividends = np.array(EDGES, np.int64)
    for divisor in divisors:
        around = np.array([m * divisor + d for m in (1, 2, LAST // divisor) for d in (-1, 0, 1)])
        values = np.concatenate([dividends, around[(around >= 0) & (around <= LAST)]])
        found = evaluate(QUOTIENT, {"n": values, "r": reciprocal(divisor)})
        assert np.array_equal(found, values // divisor), divisor


@given(st.integers(1, LAST))
def test_reciprocals_fit_their_words(divisor: int) -> None:
    low, high = reciprocal(divisor) & 0xFFFFFFFF, reciprocal(divisor) >> 32
    assert low < 1 << 31 and high <= 31
    (symbol,) = reciprocal_symbols(["width"])
    assert symbol.admits(reciprocal(divisor)) and divisor_of(symbol.name) == "width"


@pytest.mark.parametrize("divisor", [0, -1, 1 << 31])
def test_other_divisors_have_none(divisor: int) -> None:
    with pytest.raises(ConfigurationError, match="no reciprocal"):
        reciprocal(divisor)
    assert reciprocals({"d": divisor}, ["d", "unknown"]) == {}


@pytest.mark.parametrize("dividend", [-1, 1 << 31])
def test_other_dividends_are_refused(dividend: int) -> None:
    with pytest.raises(ConfigurationError, match="lies in 0"):
        quotient(dividend, 3)


def test_a_wrong_reciprocal_shows() -> None:
    last = LAST // 7 * 7
    assert evaluate(QUOTIENT, {"n": last, "r": reciprocal(7) - 1}) != last // 7


@given(st.integers(0, LAST), st.integers(1, 1 << 15), st.integers(1, 1 << 15))
def test_rewritten_expressions_keep_their_values(i: int, width: int, height: int) -> None:
    line = Sym("i") // Sym("width")
    for expr in (line % Sym("height"), Sym("i") % Sym("width") + line // Sym("height") * 3, Sym("i") // 5):
        values = {"i": i, "width": width, "height": height}
        changed = multiplied(expr, frozenset({"width", "height"}))
        known = values | reciprocals(values, ["width", "height"])
        assert evaluate(changed, known) == evaluate(expr, values)
    assert "width_reciprocal" in symbols(multiplied(line, frozenset({"width"})))
    assert text(multiplied(line, frozenset({"width"}))) == "quotient(i, width_reciprocal)"
    assert multiplied(line, frozenset()) == line
    assert multiplied(Const(7), frozenset({"width"})) == Const(7)
