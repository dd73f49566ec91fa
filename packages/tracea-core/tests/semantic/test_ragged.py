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
from tracea_core.semantic.ragged import FIRST_BITS, GROUP_ENDS, Looked


def found(fn, ends, position, rows, tile):
    given = Ragged(fn, Sym("at"), Const(len(ends)), Sym("rows"), tile)
    return evaluate(given, {GROUP_ENDS: np.array(ends, np.int64), "at": position, "rows": rows})


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
    assert [found(Looked.ROW, ends, group, rows, tile) for group in range(len(ends) + 1)] == inside


def test_many_divisions_are_looked_up_at_once():
    ends = np.array([[2, 0], [2, 5]])
    looked = Ragged(Looked.TILES, Const(0), Sym("groups"), Const(9), 2)
    values = {GROUP_ENDS: ends, "groups": np.array([1, 2])}
    assert evaluate(looked, values).tolist() == [1, 3]


def test_it_is_an_expression_like_others():
    looked = Ragged(Looked.ROW, Sym("item") + 1, Sym("groups"), Sym("m"), 64)
    assert symbols(looked) == {"item", "groups", "m"}
    assert substitute(looked, {"item": Const(2)}) == looked.replace(position=Const(3))
    assert coefficient(looked, "item") is None
    assert coefficient(looked, "n") == Const(0)
    assert text(looked + 1) == "row(item + 1 of groups groups of m rows, 64 a tile) + 1"
    with pytest.raises(ConfigurationError, match="no values here"):
        evaluate(looked, {"item": 0, "groups": 1, "m": 4})


def test_ends_that_are_not_there_are_not_read():
    for fn, position, count in ((Looked.ROW, 3, 2), (Looked.ROW, -1, 2), (Looked.TILES, 0, 3), (Looked.PLACE, 0, 3)):
        with pytest.raises(ConfigurationError, match="none of 2"):
            evaluate(Ragged(fn, Const(position), Const(count), Const(9), 4), {GROUP_ENDS: np.array([1, 2])})
