# SPDX-License-Identifier: MIT
"""What is known of how a step's elements lie is what their places are, and nothing is claimed of what is not so plain."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, evaluate, minimum
from tracea_core.semantic.interpret_moves import _far_apart
from tracea_core.semantic.spread_places import Elements, Spread, spread
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

X, STRIDE = Sym("x"), Sym("stride")
SHAPE = (3, 8)


def elements(rows: int = SHAPE[0], columns: int = SHAPE[1], lanes: int = 4) -> Elements:
    """A tile whose lanes go along its columns."""
    lane, register = np.arange(lanes)[:, None], np.arange(rows * columns // lanes)[None, :]
    across = columns // lanes
    return Elements(register // across + 0 * lane, register % across * lanes + lane)


def strides(name: str) -> list[tuple[int, int | None]] | None:
    """A buffer of matrices of 4 by 8, any number of them, and one with no one stride."""
    return [(32, None), (8, 4), (1, 8)] if name == "plain" else None


def known(place: Access | BufferRef, transfer: Transfer = Transfer.GATHER, width: int = 1) -> Spread | None:
    return spread(Load("a", place, transfer, width=width), elements(), strides)


@pytest.mark.parametrize(
    "offset", [X, X + COLUMN, X * 5 + ROW * 16 + COLUMN, ROW * STRIDE + COLUMN + X, COLUMN * STRIDE - ROW * 2, X - COLUMN]
)  # fmt: skip
def test_places_are_the_first_one_and_what_is_known(offset: Index) -> None:
    found = known(Access("a", offset))
    assert found is not None
    values = {"x": 7, "stride": 11}
    tile = found.elements
    places = evaluate(offset, {**values, "row": tile.rows, "column": tile.columns})
    first = evaluate(offset, {**values, "row": 0, "column": 0})
    row, column = evaluate(found.row, values), evaluate(found.column, values)
    expected = np.broadcast_to(places, tile.rows.shape)
    assert np.array_equal(first + tile.rows * row + tile.columns * column, expected)
    assert (found.reach is None) is ("stride" in str(offset))
    if found.reach is not None:
        assert np.array_equal(first + found.reach.offsets, expected)
        assert (found.reach.low, found.reach.high) == (expected.min() - first, expected.max() - first)
        assert found.reach.apart is (len({*expected.ravel().tolist()}) == expected.size)


def test_coordinates_of_a_buffer_say_how_far_they_reach() -> None:
    found = known(BufferRef("plain", (X, ROW, COLUMN)), Transfer.VECTOR)
    assert found is not None and found.reach is not None
    assert [(axis.stride, axis.extent, axis.low, axis.high) for axis in found.axes] == [
        (32, None, 0, 0), (8, 4, 0, 2), (1, 8, 0, 7),
    ]  # fmt: skip
    assert (found.reach.low, found.reach.high, found.reach.apart) == (0, 23, True)


@pytest.mark.parametrize(
    ("place", "transfer"),
    [
        (Access("a", minimum(COLUMN, X)), Transfer.GATHER),
        (Access("a", ROW * COLUMN), Transfer.GATHER),
        (Access("a", COLUMN // 2), Transfer.GATHER),
        (Access("a", COLUMN * 2), Transfer.VECTOR),  # lanes do not follow each other
        (Access("a", ROW + X), Transfer.VECTOR),
        (Access("a", COLUMN * STRIDE), Transfer.VECTOR),
        (Access("a", COLUMN), Transfer.BROADCAST),
        (Access("a", COLUMN * STRIDE), Transfer.BROADCAST),
        (Access("a", COLUMN), Transfer.STREAM),  # which asks where vectors begin
        (BufferRef("other", (X, ROW, COLUMN)), Transfer.GATHER),
        (BufferRef("plain", (X, ROW * STRIDE, COLUMN)), Transfer.GATHER),
        (BufferRef("plain", (X, ROW)), Transfer.GATHER),
        (BufferRef("plain", (X, ROW, COLUMN), slot=ROW), Transfer.GATHER),
        (BufferRef("plain", (X, ROW, COLUMN), rank=Const(0)), Transfer.GATHER),
    ],
)
def test_nothing_is_claimed_of_what_is_not_so_plain(place: Access | BufferRef, transfer: Transfer) -> None:
    assert known(place, transfer) is None


def test_runs_of_lanes_are_not_so_plain() -> None:
    assert known(Access("a", COLUMN), width=2) is None


@pytest.mark.parametrize(
    ("offset", "transfer"),
    [
        (COLUMN, Transfer.VECTOR),
        (ROW * STRIDE + COLUMN, Transfer.VECTOR),
        (X, Transfer.BROADCAST),
        (ROW * STRIDE, Transfer.BROADCAST),
        (ROW * 4, Transfer.BROADCAST),
    ],
)
def test_lanes_that_follow_each_other_or_meet_are_known(offset: Index, transfer: Transfer) -> None:
    assert known(Access("a", offset), transfer) is not None


@pytest.mark.parametrize("transposed", [False, True])
def test_lanes_may_go_along_rows(transposed: bool) -> None:
    tile = elements()
    turned = Elements(tile.columns, tile.rows)
    offset = COLUMN * STRIDE + ROW if transposed else COLUMN + ROW * STRIDE
    found = spread(Store(Access("a", offset), "a", Transfer.VECTOR), turned, strides)
    assert (found is not None) is transposed


def test_iterations_are_apart_where_each_begins_behind_the_one_before() -> None:
    found = known(BufferRef("plain", (X, ROW, COLUMN)))
    assert found is not None and found.reach is not None
    size = found.reach.high - found.reach.low + 1
    assert _far_apart(np.array([2 * size, 0, size]).reshape(-1, 1, 1), found)
    assert not _far_apart(np.array([2 * size, 0, size - 1]).reshape(-1, 1, 1), found)
    doubled = known(Access("a", X + ROW))
    assert doubled is not None and not _far_apart(np.array([0, 100]).reshape(-1, 1, 1), doubled)  # columns meet
    unknown = known(Access("a", X + ROW * STRIDE + COLUMN))
    assert unknown is not None and not _far_apart(np.array([0, 100]).reshape(-1, 1, 1), unknown)
