# SPDX-License-Identifier: MIT
"""The orders in which tiles run, as vectorised permutations.

Tiles that run at the same time share rows of A and columns of B through a cache, so the order decides how much is read
again; where tiles differ in work it also decides who finishes last. An order is a sort key per tile: it works for any
extents, for any subset of a grid, and the kernel that runs the tiles does not know which one was used.
"""

from __future__ import annotations

import enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError
from tracea_core.policy.hilbert import hilbert_positions

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class Order(enum.Enum):
    """An execution order over a grid of tiles.

    ``grouped`` runs bands of a few tile rows, column by column within the band (the usual raster of GPU GEMMs). ``z``
    is Morton's order, ``hilbert`` a space-filling curve whose steps go to a neighbour for any extents. ``wavefront``
    runs anti-diagonals. ``serpentine`` is ``grouped`` with every other band backwards, so that a band begins with the columns that the one
    before it has just read. ``longest_first`` sorts by work, largest first. ``grouped_dies`` cuts the grouped order into `DIES` parts that
    take turns: a device of so many dies, each with a cache of its own, deals blocks to them in turn, so each runs neighbours.
    """

    ROW = "row"
    COLUMN = "column"
    GROUPED = "grouped"
    Z = "z"
    HILBERT = "hilbert"
    LONGEST_FIRST = "longest_first"
    WAVEFRONT = "wavefront"
    GROUPED_DIES = "grouped_dies"
    SERPENTINE = "serpentine"


BANDED = (Order.GROUPED, Order.GROUPED_DIES, Order.SERPENTINE)
"""Orders of bands of `group` tile rows."""
DIES = 8
"""Dies of a device that has several (MI300X and MI355X; AMD CDNA 3 architecture whitepaper: work-groups are dealt in turn)."""


def turn_of_dies(slots: Ints, tiles: int) -> Ints:
    """Return which tile of an order each slot runs where the order is cut into `DIES` contiguous parts that take turns.

    A bijection of 0 … tiles - 1 for any number of tiles: part p has ``tiles // DIES`` of them, and one more if ``p < tiles % DIES``.
    """
    die, place = slots % DIES, slots // DIES
    found: Ints = die * (tiles // DIES) + np.minimum(die, tiles % DIES) + place
    return found


def permutation(
    order: Order, tiles_m: int, tiles_n: int, *, group: int = 8, weights: npt.ArrayLike | None = None
) -> Ints:
    """Return the tiles of a whole grid in `order`.

    Parameters
    ----------
    order : Order
        The order asked for.
    tiles_m, tiles_n : int
        Extents of the grid, any size, 0 included.
    group : int
        Tile rows per band of `BANDED` orders.
    weights : array of shape (tiles_m · tiles_n,), optional
        Work of each tile, needed by `Order.LONGEST_FIRST` (without it all tiles are taken as equal).

    Returns
    -------
    array of int64, shape (tiles_m · tiles_n,)
        Entry s is the row-major index of the tile that runs in slot s.
    """
    if tiles_m < 0 or tiles_n < 0:
        raise ConfigurationError("a grid of tiles has extents of at least 0", tiles=(tiles_m, tiles_n))
    tile = np.arange(tiles_m * tiles_n, dtype=np.int64)
    if order is Order.ROW or tile.size == 0:
        return tile
    if order is Order.COLUMN:
        return np.ascontiguousarray(tile.reshape(tiles_m, tiles_n).T).ravel()
    rows, columns = np.divmod(tile, tiles_n)
    return arrange(order, rows, columns, tiles_m=tiles_m, tiles_n=tiles_n, group=group, weights=weights)


def arrange(
    order: Order,
    rows: Ints,
    columns: Ints,
    *,
    tiles_m: int,
    tiles_n: int,
    group: int = 8,
    weights: npt.ArrayLike | None = None,
    outer: Ints | None = None,
) -> Ints:
    """Return the permutation that puts a list of tiles in `order`; equal tiles (slices of one k) keep their order.

    Parameters
    ----------
    rows, columns : array of int64
        Grid coordinates of each tile, below `tiles_m` and `tiles_n`.
    outer : array of int64, optional
        Batch of each tile: batches run one after another (longest-first order mixes them).
    """
    if order is Order.GROUPED_DIES:
        grouped = arrange(Order.GROUPED, rows, columns, tiles_m=tiles_m, tiles_n=tiles_n, group=group, outer=outer)
        return grouped[turn_of_dies(np.arange(rows.size, dtype=np.int64), rows.size)]
    if order is Order.LONGEST_FIRST:
        if weights is None:
            return np.arange(rows.size, dtype=np.int64)
        return np.argsort(-np.asarray(weights, dtype=np.float64), kind="stable").astype(np.int64, copy=False)
    key = _key(order, rows, columns, tiles_m, tiles_n, group)
    if outer is not None and outer.size and outer.max() > 0:
        return np.lexsort((key, outer)).astype(np.int64, copy=False)
    if order is Order.HILBERT:
        return _placed(key, tiles_m * tiles_n)
    return np.argsort(key, kind="stable").astype(np.int64, copy=False)


def _placed(key: Ints, places: int) -> Ints:
    """Return the stable permutation that sorts keys below `places`: where no two are equal, each is put in its place."""
    at = np.full(places, -1, dtype=np.int64)
    at[key] = np.arange(key.size, dtype=np.int64)
    found = at[at >= 0]
    return found if found.size == key.size else np.argsort(key, kind="stable").astype(np.int64, copy=False)


def _key(order: Order, rows: Ints, columns: Ints, tiles_m: int, tiles_n: int, group: int) -> Ints:
    """Return a sort key per tile; equal keys only for equal coordinates."""
    match order:
        case Order.ROW:
            return rows * tiles_n + columns
        case Order.COLUMN:
            return columns * tiles_m + rows
        case Order.GROUPED | Order.SERPENTINE:
            if group < 1:
                raise ConfigurationError("group must be at least 1", group=group)
            band, within = np.divmod(rows, group)
            if order is Order.SERPENTINE:
                columns = np.where(band % 2 == 1, tiles_n - 1 - columns, columns)
            return (band * tiles_n + columns) * group + within
        case Order.Z:
            return (_spread(rows) << np.int64(1)) | _spread(columns)
        case Order.WAVEFRONT:
            return (rows + columns) * tiles_m + rows
        case Order.HILBERT:
            position: Ints = hilbert_positions(tiles_m, tiles_n)[rows * tiles_n + columns]
            return position
        case _:
            raise ConfigurationError(f"{order.value} order has no key of coordinates", order=order.value)


def _spread(values: Ints) -> Ints:
    """Move bit i of each value to bit 2i (31 bits), by doubling the gaps: Warren, *Hacker's Delight*, 2nd ed., §7-2."""
    spread = values & np.int64(0x7FFFFFFF)
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        spread = (spread | (spread << np.int64(shift))) & np.int64(mask)
    return spread
