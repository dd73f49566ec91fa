# SPDX-License-Identifier: MIT
"""Integer terms of C mean what they were built from, whatever folds, and their bounds hold."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term

NAMES = {"x": (0, 40), "y": (-9, 9), "z": (1, 7)}


def grow(source: random.Random, depth: int) -> tuple[Term, object]:
    """Return a random term and a function that computes it."""
    if depth == 0 or source.random() < 0.15:
        if source.random() < 0.4:
            number = source.randint(-6, 40)
            return algebra.number(number), lambda names: number
        name = source.choice(sorted(NAMES))
        return algebra.symbol(name, *NAMES[name]), lambda names: names[name]
    (a, f), (b, g) = grow(source, depth - 1), grow(source, depth - 1)
    kind = source.randrange(8)
    positive = source.randint(1, 9)
    shift, width, target = source.randint(0, 3), source.randint(1, 3), source.randint(0, 3)
    if kind == 0:
        return algebra.add(a, b), lambda n: f(n) + g(n)
    if kind == 1:
        return algebra.subtract(a, b), lambda n: f(n) - g(n)
    if kind == 2:
        return algebra.multiply(a, b), lambda n: f(n) * g(n)
    if kind == 3:
        return algebra.divide(a, algebra.number(positive)), lambda n: f(n) // positive
    if kind == 4:
        return algebra.modulo(a, algebra.number(positive)), lambda n: f(n) % positive
    if kind == 5:
        return algebra.smaller(a, b), lambda n: min(f(n), g(n))
    if kind == 6 and a.natural:
        bits = (1 << width) - 1
        return algebra.field(a, shift, width, target), lambda n: ((f(n) >> shift) & bits) << target
    if kind == 7 and a.natural and b.natural:
        return algebra.exclusive_or(a, b), lambda n: f(n) ^ g(n)
    return algebra.larger(a, b), lambda n: max(f(n), g(n))


@pytest.mark.parametrize("seed", range(300))
def test_random_terms_mean_what_they_were_built_from(seed: int, compute: Callable[..., int]) -> None:
    source = random.Random(seed)
    term, meant = grow(source, 4)
    for _ in range(6):
        names = {name: source.randint(*bounds) for name, bounds in NAMES.items()}
        expected = meant(names)  # type: ignore[operator]
        assert compute(term.text, names) == expected, term.text
        assert term.low <= expected <= term.high, term
        assert expected % term.multiple == 0 if term.multiple else expected == 0, term


def test_divisions_of_what_may_be_negative_round_down_by_name() -> None:
    y = algebra.symbol("y", -9, 9)
    assert algebra.divide(y, algebra.number(4)).text == "floor_divide(y, 4)"
    assert algebra.modulo(y, algebra.number(4)).text == "floor_modulo(y, 4)"
    assert algebra.divide(algebra.symbol("x", 0, 40), algebra.number(4)).text == "x / 4"


def test_wide_and_narrow_arguments_become_one_type() -> None:
    wide = algebra.symbol("stride", 0, 1 << 40, wide=True)
    found = algebra.smaller(wide, algebra.symbol("x", 0, 40))
    assert (found.text, found.wide) == ("min(stride, (i64)x)", True)


@pytest.mark.parametrize("seed", range(100))
def test_fields_of_sums_are_those_of_the_addends(seed: int, compute: Callable[..., int]) -> None:
    source = random.Random(seed)
    total, names = algebra.number(source.choice((0, 32, 96))), {}
    for name in "abc":
        width, place = source.randint(1, 4), source.randint(0, 8)
        names[name] = source.randrange(1 << width)
        part = algebra.multiply(algebra.symbol(name, 0, (1 << width) - 1), algebra.number(1 << place))
        total = algebra.add(total, part)
    meant = compute(total.text, names)
    bits, source_bit, width = source.randint(0, 6), source.randint(0, 6), source.randint(1, 5)
    for term, expected in (
        (algebra.shifted(total, bits), meant >> bits),
        (algebra.field(total, source_bit, width, 2), (meant >> source_bit & (1 << width) - 1) << 2),
        (algebra.divide(total, algebra.number(1 << bits)), meant >> bits),
        (algebra.modulo(total, algebra.number(1 << bits)), meant % (1 << bits)),
    ):
        assert compute(term.text, names) == expected, term.text
        assert term.low <= expected <= term.high


def test_sums_whose_digits_do_not_meet_are_taken_apart() -> None:
    warp, row = algebra.symbol("warp", 0, 3), algebra.symbol("row", 0, 31)
    place = algebra.add(algebra.add(algebra.multiply(warp, algebra.number(64)), algebra.number(32)), row)
    assert algebra.shifted(place, 4).text == "warp * 4 + 2 + (row >> 4)"
    assert algebra.field(place, 0, 4, 0).text == "row & 15"
    assert algebra.field(place.named("place"), 0, 4, 0).text == "place & 15"
    step = algebra.symbol("step", 0, 100)._replace(multiple=2)
    assert algebra.modulo(algebra.add(step, algebra.number(1)), algebra.number(2)).text == "1"
    meeting = algebra.add(algebra.multiply(warp, algebra.number(16)), row)
    assert algebra.shifted(meeting, 4).text == "warp * 16 + row >> 4"


@pytest.mark.parametrize(
    ("by", "quotient", "rest"),
    [
        (2, "(r & 3) / 2 + lane * 2", "(r & 3) % 2"),
        (4, "lane", "r & 3"),
        (8, "lane / 2", "(r & 3) + lane * 4 % 8"),
        (3, "column / 3", "column % 3"),
    ],
)
def test_a_name_for_a_sum_is_divided_as_its_addends_are(
    by: int, quotient: str, rest: str, compute: Callable[..., int]
) -> None:
    """Neighbours of a lane then share a quotient, which compilers do not find out of a name for the sum."""
    register, lane = algebra.symbol("r", 0, 15), algebra.symbol("lane", 0, 31)
    place = algebra.add(algebra.field(register, 0, 2, 0), algebra.multiply(lane, algebra.number(4)))
    column = place.named("column", divided=True)
    divided, left = algebra.divide(column, algebra.number(by)), algebra.modulo(column, algebra.number(by))
    assert (
        column.text == "column" and algebra.divide(place.named("column"), algebra.number(by)).text == f"column / {by}"
    )
    for names in ({"r": r, "lane": n, "column": r % 4 + 4 * n} for r in range(16) for n in range(32)):
        assert compute(divided.text, names) == names["column"] // by
        assert compute(left.text, names) == names["column"] % by
    assert "column" not in divided.text or by == 3
    assert (divided.text, left.text) == (quotient, rest)
