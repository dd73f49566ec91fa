# SPDX-License-Identifier: MIT
"""Rows that fall into groups of different lengths: what a kernel reads of their ends, which lie in memory as data.

Ends are those of the groups in order, so group g holds the rows from the end before it to its own, both moved into 0 … rows: whatever
the memory holds, no row outside is touched. A group is cut into tiles of its own, and the tile rows of all groups are counted
through. For tile row t a kernel looks up the group that it belongs to and the first tile row of that group:

    tiles(g) = ⌈max(end(g) − end(g − 1), 0) / tile⌉        first(g) = Σ tiles(h) over h < g        first(g) ≤ t < first(g + 1)

Lists of blocks (`tracea_core.semantic.contraction.Lists`) lie in memory in the same way: the ends of the lists, then their entries.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError

GROUP_ENDS = "group_ends"
"""The name, in every kernel that has one, of the pointer to the ends of its groups, and of their values in a scope."""
ABSENT = int(np.iinfo(np.int64).min)
"""What stands behind the last end where there are fewer than in another of several memories."""
FIRST_BITS = 32
"""`Looked.PLACE` is a group times 2 to this, plus the group's first tile row."""

Integers = npt.NDArray[np.int64]
Pick: TypeAlias = Callable[[Any, Any], Any]


class Looked(enum.Enum):
    """What is looked up about the groups."""

    ENTRY = "entry"  # what a list holds at `position` behind the ends, moved into 0 … rows
    END = "end"  # where the group `position` ends; 0 for −1
    TILES = "tiles"  # tile rows of all groups
    PLACE = "place"  # the group of tile row `position`, and its first tile row, in one 64-bit integer
    GROUP = "group"  # the group in the place `position`
    FIRST = "first"  # the first tile row in the place `position`


USED = {
    Looked.ENTRY: ("position", "rows"), Looked.END: ("position", "rows"), Looked.TILES: ("count", "rows", "tile"),
    Looked.PLACE: ("position", "count", "rows", "tile"), Looked.GROUP: ("position",), Looked.FIRST: ("position",),
}  # fmt: skip
"""What each depends on; everything else of a look-up is 0."""
_SINGLE = (Looked.END, Looked.ENTRY)
"""Those that read a single place of the memory."""


def clipped(end: Any, rows: Any, larger: Pick, smaller: Pick) -> Any:
    """Return an end moved into 0 … rows, whatever the memory holds.

    Parameters
    ----------
    larger, smaller : callable
        The maximum and the minimum of two: of numbers, arrays, or terms of a solver (`tracea_core.semantic.verify.group_proofs`).
    """
    return larger(smaller(end, rows), 0)


def tiles_between(start: Any, stop: Any, tile: int, larger: Pick, divide: Pick) -> Any:
    """Return how many tiles of `tile` rows hold the rows from `start` to `stop`: none if that is before `start`."""
    return divide(larger(stop - start, 0) + (tile - 1), tile)


def look(fn: Looked, ends: Integers, position: Integers, count: Integers, rows: Integers, tile: int) -> Integers:
    """Return what is looked up; all arrays broadcast, behind the first axis of `ends`, which counts groups.

    Parameters
    ----------
    ends : array of int64, shape (groups, …)
        The ends as they lie in memory; entries from `count` on are none, and those that are `ABSENT` are not there.
    rows : array of int64
        Rows that exist.
    tile : int
        Rows of a tile.

    Raises
    ------
    ConfigurationError
        If there is no such group or tile row.

    Examples
    --------
    >>> ends = np.array([3, 3, 10])
    >>> int(look(Looked.TILES, ends, np.array(0), np.array(3), np.array(10), 4))
    3
    >>> divmod(int(look(Looked.PLACE, ends, np.array(2), np.array(3), np.array(10), 4)), 1 << FIRST_BITS)
    (2, 1)
    """
    if fn is Looked.GROUP:
        return np.asarray(position >> FIRST_BITS)
    if fn is Looked.FIRST:
        return np.asarray(position & ((1 << FIRST_BITS) - 1))
    if ends.ndim == 1 and not (np.ndim(position) or np.ndim(count) or np.ndim(rows)):
        return np.asarray(_plain(fn, ends.tolist(), int(position), int(count), int(rows), tile))
    if fn in _SINGLE:
        return _single(fn, ends, position, rows)
    known = (ends != ABSENT).sum(axis=0)
    if np.any(count > known) or np.any(position < 0):
        raise ConfigurationError(f"an end is read that is none of {np.max(known)}", fn=fn.value)
    shape = np.broadcast_shapes(ends.shape[1:], np.shape(position), np.shape(count), np.shape(rows))
    position, count, rows = (np.broadcast_to(value, shape) for value in (position, count, rows))
    ends = np.broadcast_to(ends.reshape(ends.shape + (1,) * (len(shape) - ends.ndim + 1)), (ends.shape[0], *shape))
    inside = clipped(ends, rows, np.maximum, np.minimum)
    groups = np.arange(ends.shape[0]).reshape((-1,) + (1,) * len(shape))
    starts = np.concatenate([np.zeros((1, *shape), np.int64), inside[:-1]])
    tiles = np.where(groups < count, tiles_between(starts, inside, tile, np.maximum, np.floor_divide), 0)
    if fn is Looked.TILES:
        return np.asarray(tiles.sum(axis=0))
    behind = np.cumsum(tiles, axis=0)
    if np.any(position >= behind[-1]):
        raise ConfigurationError("a tile row is looked up that no group has")
    group = np.minimum((behind <= position).sum(axis=0), count)
    first = np.concatenate([np.zeros((1, *shape), np.int64), behind])
    return np.asarray((group << FIRST_BITS) + np.take_along_axis(first, group[None], axis=0)[0])


def _plain(fn: Looked, ends: list[int], position: int, count: int, rows: int, tile: int) -> int:
    """What is looked up where everything is a number."""
    known = sum(end != ABSENT for end in ends)
    single = fn in _SINGLE
    least = -1 if fn is Looked.END else 0
    if (position >= known if single else count > known) or position < least:
        raise ConfigurationError(f"an end is read that is none of {known}", fn=fn.value)
    if single:
        return 0 if position < 0 else int(clipped(ends[position], rows, max, min))
    start, behind = 0, [0]
    for group, end in enumerate(ends):
        stop = clipped(end, rows, max, min)
        behind.append(behind[-1] + (tiles_between(start, stop, tile, max, operator.floordiv) if group < count else 0))
        start = stop
    if fn is Looked.TILES:
        return behind[-1]
    if position >= behind[-1]:
        raise ConfigurationError("a tile row is looked up that no group has")
    group = min(sum(last <= position for last in behind[1:]), count)
    return (group << FIRST_BITS) + behind[group]


def _single(fn: Looked, ends: Integers, position: Integers, rows: Integers) -> Integers:
    """One entry of the memory, moved into 0 … rows; 0 for the end before the first. Nothing else of the memory is looked at."""
    before = position < 0
    last = np.minimum(position, len(ends) - 1)
    if len(ends) and ends.ndim == 1:
        found = ends.take(np.maximum(last, 0))
    elif len(ends) and np.ndim(position) < ends.ndim:  # each has ends of its own
        own = np.arange(ends[0].size).reshape(ends.shape[1:])
        found = ends.reshape(len(ends), -1)[np.maximum(last, 0), own]
    else:
        shape = np.broadcast_shapes(ends.shape[1:], np.shape(position))
        several = np.broadcast_to(ends.reshape(ends.shape + (1,) * (len(shape) - ends.ndim + 1)), (len(ends), *shape))
        places = np.broadcast_to(np.maximum(last, 0), shape)
        found = np.take_along_axis(several, places[None], axis=0)[0] if len(ends) else np.full(shape, ABSENT)
    least = -1 if fn is Looked.END else 0
    if np.any(
        (position < least) | (position > last) | ((found == ABSENT) & ~before)
    ):  # what is absent stands behind all others
        known = (ends != ABSENT).sum(axis=0)
        raise ConfigurationError(f"an end is read that is none of {np.max(known, initial=0)}", fn=fn.value)
    return np.asarray(np.where(before, 0, clipped(found, rows, np.maximum, np.minimum)))
