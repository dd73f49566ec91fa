# SPDX-License-Identifier: MIT
"""How the elements of a step lie to its first one, where their places are sums of a row's part, a column's part and what both share.

Most steps of workers are so plain. What is the same in all their iterations, how lanes follow each other, whether an element comes twice
and how far the last one is, is then looked at once, and of each iteration the place of its first element alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, coefficient, symbols
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

Strides: TypeAlias = Callable[[str], Sequence[tuple[int, int | None]] | None]
_PLAIN = (Transfer.VECTOR, Transfer.BROADCAST, Transfer.GATHER)
_NONE, _EACH = Const(0), Const(1)


class Reach(NamedTuple):
    """How far elements are from the first one, by (lane, register), if one more row and one more column are worth so much.

    Attributes
    ----------
    low, high : int
        The least of these, and the largest.
    apart : bool
        Whether no two elements are in one place.
    follow, meet : bool
        Whether lanes of every register follow each other, or are all in one place.
    """

    offsets: Integers
    low: int
    high: int
    apart: bool
    follow: bool
    meet: bool


class Axis(NamedTuple):
    """A coordinate of a buffer: what one more of it adds to the place, how many there are, and how far elements are from the first one.

    How many repetitions of a buffer there are is decided by launches, and None here.
    """

    stride: int
    extent: int | None
    low: int
    high: int


class Elements:
    """The rows and columns of a fragment's elements by (lane, register), and what was found out about places that go along them."""

    def __init__(self, rows: Integers, columns: Integers) -> None:
        self.rows, self.columns = rows, columns
        self.tall, self.wide = int(rows.max()), int(columns.max())
        self._known: dict[tuple[int, int], Reach] = {}

    def reach(self, row: int, column: int) -> Reach:
        """Return how far elements are from the first one if one more row and one more column are worth so much."""
        found = self._known.get((row, column))
        if found is None:
            offsets = self.rows * row + self.columns * column
            ordered, lanes = np.sort(offsets, axis=None), offsets - offsets[:1]
            follow, meet = bool((lanes == np.arange(len(lanes))[:, None]).all()), not lanes.any()
            apart = bool((ordered[1:] > ordered[:-1]).all())
            found = Reach(offsets, int(ordered[0]), int(ordered[-1]), apart, follow, meet)
            self._known[row, column] = found
        return found

    def moved(self, transfer: Transfer, row: Index, column: Index) -> bool:
        """Whether the lanes of every register address memory as `transfer` says, whatever symbols are worth."""
        if transfer is Transfer.GATHER:
            return True
        if isinstance(row, Const) and isinstance(column, Const):
            known = self.reach(row.value, column.value)
            return known.follow if transfer is Transfer.VECTOR else known.meet
        by_row, by_column = self.reach(1, 0), self.reach(0, 1)
        if transfer is Transfer.BROADCAST:
            return all(worth == _NONE or along.meet for worth, along in ((row, by_row), (column, by_column)))
        along_columns = by_row.meet and by_column.follow and column == _EACH
        return along_columns or (by_column.meet and by_row.follow and row == _EACH)


class Spread(NamedTuple):
    """How the elements of a step lie to its first one: rows and columns times what one more `row` and `column` are worth.

    Attributes
    ----------
    reach : Reach, optional
        How far each element is from the first one, where that is no matter of symbols.
    axes : tuple of Axis
        The coordinates of a place in a buffer.
    """

    elements: Elements
    row: Index
    column: Index
    reach: Reach | None
    axes: tuple[Axis, ...]


def spread(step: Load | Store, elements: Elements, strides: Strides) -> Spread | None:
    """Return how a step's elements lie to each other; None where it is not so plain.

    Parameters
    ----------
    strides : callable
        The stride and the extent of each coordinate of a buffer, by its name; None where an axis has no one stride.
    """
    place = step.source if isinstance(step, Load) else step.target
    if step.width != 1 or step.transfer not in _PLAIN:
        return None
    axes: tuple[Axis, ...] = ()
    if isinstance(place, Access):
        row, column = _worth(place.offset, elements)
    else:
        found = _in_buffer(place, elements, strides)
        if found is None:
            return None
        axes, row, column = found
    if row is None or column is None or not elements.moved(step.transfer, row, column):
        return None
    reach = elements.reach(row.value, column.value) if isinstance(row, Const) and isinstance(column, Const) else None
    return Spread(elements, row, column, reach, axes)


def _worth(part: Index, elements: Elements) -> tuple[Index | None, Index | None]:
    """What one more row and one more column add to an expression; None where that depends on which."""
    named, found = symbols(part), list[Index | None]()
    for name, last in ((ROW.name, elements.tall), (COLUMN.name, elements.wide)):
        worth = coefficient(part, name) if last and name in named else _NONE  # there may be but the first one
        known = worth is not None and (isinstance(worth, Const) or symbols(worth).isdisjoint((ROW.name, COLUMN.name)))
        found.append(worth if known else None)
    return found[0], found[1]


def _in_buffer(place: BufferRef, elements: Elements, strides: Strides) -> tuple[tuple[Axis, ...], Index, Index] | None:
    """The coordinates of a place in a buffer, and what one more row and column are worth, where that is no matter of symbols."""
    known = strides(place.buffer)
    if known is None or place.rank is not None or len(known) != len(place.coordinates):
        return None
    if place.slot is not None and not symbols(place.slot).isdisjoint((ROW.name, COLUMN.name)):
        return None
    axes, row, column = list[Axis](), 0, 0
    for part, (stride, extent) in zip(place.coordinates, known, strict=True):
        tall, wide = _worth(part, elements)
        if not isinstance(tall, Const) or not isinstance(wide, Const):
            return None
        along = elements.reach(tall.value, wide.value)
        axes.append(Axis(stride, extent, along.low, along.high))
        row, column = row + tall.value * stride, column + wide.value * stride
    return tuple(axes), Const(row), Const(column)
