# SPDX-License-Identifier: MIT
"""Sums keep their meaning through every operation on them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tracea_core.emit import linear
from tracea_core.emit.linear import Atom, Linear

ATOMS = [Atom("%a", 0, False, True), Atom("%b", 1), Atom("%v", 1, True)]
VALUES = {"%a": (5, 5, 5, 5), "%b": (-3, -3, -3, -3), "%v": (1, 0, 7, 2)}

constants = st.one_of(st.integers(-50, 50), st.tuples(*[st.integers(-50, 50)] * 4).map(linear.uniform))
sums = st.builds(
    lambda constant, factors: Linear(constant, tuple((a, f) for a, f in zip(ATOMS, factors, strict=True) if f)),
    constants,
    st.tuples(*[st.integers(-4, 4)] * 3),
)


def meaning(value: Linear) -> tuple[int, ...]:
    """The integers that four lanes hold."""
    constant = value.constant if isinstance(value.constant, tuple) else (value.constant,) * 4
    return tuple(constant[lane] + sum(f * VALUES[a.name][lane] for a, f in value.terms) for lane in range(4))


@given(sums, sums, st.integers(-7, 7))
def test_arithmetic_means_what_it_says(x: Linear, y: Linear, factor: int) -> None:
    assert meaning(linear.add(x, y)) == tuple(a + b for a, b in zip(meaning(x), meaning(y), strict=True))
    assert meaning(linear.subtract(x, y)) == tuple(a - b for a, b in zip(meaning(x), meaning(y), strict=True))
    assert meaning(linear.scale(x, factor)) == tuple(a * factor for a in meaning(x))


@given(sums)
def test_facts_are_true(x: Linear) -> None:
    shared, own = x.split()
    assert meaning(linear.add(shared, own)) == meaning(x)
    assert not shared.has_lanes
    assert x.has_lanes or own == Linear(0)
    if x.non_negative:
        assert min(meaning(x)) >= 0
    if x.divisor:
        assert all(value % x.divisor == 0 for value in meaning(x))
    else:
        assert meaning(x) == (0, 0, 0, 0)


@given(sums)
def test_what_cancels_vanishes(x: Linear) -> None:
    assert linear.subtract(x, x) == Linear(0)
    assert linear.scale(x, 0).is_constant
