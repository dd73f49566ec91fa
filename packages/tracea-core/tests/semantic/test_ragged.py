# SPDX-License-Identifier: MIT
"""What is looked up about ragged groups: for any ends, each tile row of each group is found once, as going through the groups finds it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import Const, Ragged, Sym, coefficient, evaluate, substitute, symbols, text
from tracea_core.semantic.ragged import ABSENT, FIRST_BITS, GROUP_ENDS, USED, Looked


def looked(fn, position, count, rows, tile):
    whole = {"position": position, "count": count, "rows": rows, "tile": tile}
    none = {"position": Const(0), "count": Const(0), "rows": Const(0), "tile": 0}
    return Ragged(fn=fn, **none | {name: whole[name] for name in USED[fn]})


def found(fn, ends, position, rows, tile):
    return evaluate(
        looked(fn, Sym("at"), Sym("groups"), Sym("rows"), tile),
        {GROUP_ENDS: np.array(ends, np.int64), "at": position, "rows": rows, "groups": len(ends)},
    )


@given(st.lists(st.integers(-3, 40), min_size=1, max_size=6), st.integers(0, 30), st.integers(1, 8))
def test_tile_rows_are_those_of_one_group_after_another(ends, rows, tile):
    inside = [0, *(min(max(end, 0), rows) for end in ends)]
    wanted = []
    for group, (start, stop) in enumerate(itertools.pairwise(inside)):
        first = len(wanted)
        wanted += [(group, first)] * -(-max(stop - start, 0) // tile)
    assert found(Looked.TILES, ends, 0, rows, tile) == len(wanted)
    places = [found(Looked.PLACE, ends, row, rows, tile) for row in range(len(wanted))]
    assert [divmod(place, 1 << FIRST_BITS) for place in places] == wanted
    assert [
        (found(Looked.GROUP, ends, p, rows, tile), found(Looked.FIRST, ends, p, rows, tile)) for p in places
    ] == wanted
    assert [found(Looked.END, ends, group - 1, rows, tile) for group in range(len(ends) + 1)] == inside


def test_many_divisions_are_looked_up_at_once():
    ends = np.array([[2, 0], [2, 5]])
    values = {GROUP_ENDS: ends, "groups": np.array([1, 2])}
    assert evaluate(looked(Looked.TILES, Const(0), Sym("groups"), Const(9), 2), values).tolist() == [1, 3]


def test_it_is_an_expression_like_others():
    place = looked(Looked.PLACE, Sym("t") + 1, Sym("groups"), Sym("m"), 64)
    assert symbols(place) == {"t", "groups", "m"}
    assert substitute(place, {"t": Const(2)}) == place.replace(position=Const(3))
    assert coefficient(place, "t") is None
    assert coefficient(place, "n") == Const(0)
    assert text(place + 1) == "place(t + 1, groups, m, 64) + 1"
    with pytest.raises(ConfigurationError, match="no values here"):
        evaluate(place, {"t": 0, "groups": 1, "m": 4})


def test_what_a_look_up_does_not_depend_on_is_not_given():
    with pytest.raises(ConfigurationError, match="takes no tile"):
        Ragged(Looked.END, Sym("item"), Const(0), Sym("m"), 64)
    with pytest.raises(ConfigurationError, match="takes no position"):
        Ragged(Looked.TILES, Sym("item"), Sym("groups"), Sym("m"), 64)
    with pytest.raises(ConfigurationError, match="a row at the least"):
        Ragged(Looked.TILES, Const(0), Sym("groups"), Sym("m"), 0)


def test_ends_that_are_not_there_are_not_read():
    for fn, position, count in ((Looked.END, 2, 2), (Looked.END, -2, 2), (Looked.TILES, 0, 3), (Looked.PLACE, 0, 3)):
        with pytest.raises(ConfigurationError, match="none of 2"):
            evaluate(looked(fn, Const(position), Const(count), Const(9), 4), {GROUP_ENDS: np.array([1, 2])})


def test_tile_rows_that_no_group_has_are_not_looked_up():
    with pytest.raises(ConfigurationError, match="no group has"):
        found(Looked.PLACE, [3, 5], 2, 5, 4)


@given(
    st.lists(st.lists(st.integers(-3, 40), min_size=1, max_size=6), min_size=2, max_size=4),
    st.integers(0, 30),
    st.data(),
)
def test_one_entry_of_several_memories_is_the_one_that_stands_there(every, rows, data):
    """By (memory, group, 1), as warps of several launches find them, the shorter ones filled up."""
    ends = np.full((len(every), max(map(len, every)), 1), ABSENT, np.int64)
    for row, own in zip(ends, every, strict=True):
        row[: len(own), 0] = own
    at = [data.draw(st.integers(-2, len(own))) for own in every]
    inside = all(-1 <= place < len(own) for place, own in zip(at, every, strict=True))
    known = {GROUP_ENDS: ends, "at": np.array(at)[:, None, None], "rows": rows, "groups": 1}
    expr = looked(Looked.END, Sym("at"), Sym("groups"), Sym("rows"), 4)
    if not inside:
        with pytest.raises(ConfigurationError, match="none of"):
            evaluate(expr, known)
        return
    wanted = [min(max(own[place], 0), rows) if place >= 0 else 0 for place, own in zip(at, every, strict=True)]
    assert np.ravel(evaluate(expr, known)).tolist() == wanted


@given(st.lists(st.integers(-3, 40), min_size=1, max_size=6), st.integers(0, 30), st.integers(1, 8), st.integers(0, 3))
def test_several_tile_rows_at_once_are_looked_up_as_one_by_one(ends, rows, tile, filled):
    every = np.array([*ends, *(ABSENT,) * filled], np.int64)
    known = {GROUP_ENDS: every, "rows": rows, "groups": len(ends)}
    tiles = evaluate(looked(Looked.TILES, Sym("at"), Sym("groups"), Sym("rows"), tile), known | {"at": 0})
    same = evaluate(
        looked(Looked.TILES, Sym("at"), Sym("groups"), Sym("rows"), tile), known | {"groups": np.full(2, len(ends))}
    )
    assert np.array_equal(same, [tiles, tiles])
    place = looked(Looked.PLACE, Sym("at"), Sym("groups"), Sym("rows"), tile)
    one_by_one = [evaluate(place, known | {"at": at}) for at in range(tiles)]
    assert np.array_equal(evaluate(place, known | {"at": np.arange(tiles)}), one_by_one) if tiles else not one_by_one
    for at in (tiles, np.array([tiles])):
        with pytest.raises(ConfigurationError, match="no group has"):
            evaluate(place, known | {"at": at})


@given(st.data(), st.integers(1, 5), st.integers(1, 4))
def test_each_division_has_ends_of_its_own(data, groups, divisions):
    """What is looked up for many divisions at once, one position for all or one for each, is what is looked up in each."""
    numbers = st.lists(st.integers(-3, 40), min_size=divisions, max_size=divisions)
    ends = np.array([data.draw(numbers) for _ in range(groups)], np.int64)
    one = data.draw(st.integers(-1, groups - 1))
    several = np.array(data.draw(st.lists(st.integers(-1, groups - 1), min_size=divisions, max_size=divisions)))
    for at in (one, several):
        together = evaluate(looked(Looked.END, Sym("at"), Sym("g"), Const(30), 4), {GROUP_ENDS: ends, "at": at})
        each = [found(Looked.END, ends[:, i], int(np.broadcast_to(at, divisions)[i]), 30, 4) for i in range(divisions)]
        assert together.tolist() == each
    absent = np.where(np.arange(groups)[:, None] == groups - 1, ABSENT, ends)
    with pytest.raises(ConfigurationError, match="an end is read that is none of"):
        evaluate(looked(Looked.END, Const(groups - 1), Sym("g"), Const(30), 4), {GROUP_ENDS: absent})
