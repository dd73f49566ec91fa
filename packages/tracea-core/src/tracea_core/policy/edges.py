# SPDX-License-Identifier: MIT
"""What connects the tiles of a graph: who waits for whose result, who shares operands, whose k range goes on where.

Edges are pairs (source, destination) of tile indices, derived from the table by sorting; nothing stores them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.policy.table import TileTable

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class EdgeKind(enum.Enum):
    """Why two tiles are connected."""

    DATA = "data"  # the destination reads what the source wrote (partial sums, the first factor of a low-rank product)
    ROW = "row"  # the next tile of the same tile row: both read the same rows of A
    COLUMN = "column"  # the next tile of the same tile column: both read the same columns of B
    K_PIPELINE = "k_pipeline"  # same output tile, k range continues


@dataclass(frozen=True, eq=False)
class ReuseHints:
    """How far a launch order lets operands be shared.

    Attributes
    ----------
    shares_a, shares_b : array of bool, shape (slots,)
        Whether the tile in this slot reads the same rows of A (columns of B) as the one before it.
    panels_a, panels_b : int
        Panels of A and B that are read if `concurrent` tiles at a time share what they read and nothing survives
        longer.
    """

    shares_a: Bools
    shares_b: Bools
    panels_a: int
    panels_b: int


def _sorted(table: TileTable, *names: str) -> Ints:
    """Return active tiles sorted by the named columns, first name first."""
    tiles = np.flatnonzero(table.active)
    keys = [getattr(table, name)[tiles] for name in reversed(names)]
    return tiles[np.lexsort(keys)]


def _successive(table: TileTable, order: Ints, *names: str) -> Ints:
    """Return the pairs of neighbours in `order` that agree in the named columns."""
    one, other = order[:-1], order[1:]
    agree = np.ones(one.size, dtype=np.bool_)
    for name in names:
        column = getattr(table, name)
        agree &= column[one] == column[other]
    return np.stack((one[agree], other[agree]), axis=1)


def row_edges(table: TileTable) -> Ints:
    """Connect each tile with the next one of its tile row that starts at the same k."""
    return _successive(table, _sorted(table, "batch", "row", "k0", "column"), "batch", "row", "k0")


def column_edges(table: TileTable) -> Ints:
    """Connect each tile with the next one of its tile column that starts at the same k."""
    return _successive(table, _sorted(table, "batch", "column", "k0", "row"), "batch", "column", "k0")


def k_edges(table: TileTable) -> Ints:
    """Connect successive slices of the k range of one output tile."""
    return _successive(table, _sorted(table, "batch", "row", "column", "k0"), "batch", "row", "column")


def reduction_edges(table: TileTable, owner_first: bool) -> Ints:
    """Connect the slices of an output tile with the one that adds them up: its first or its last along k."""
    order = _sorted(table, "batch", "row", "column", "k0")
    if order.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = ~table.same_output(order[:-1], order[1:])
    group = np.cumsum(new) - 1
    firsts = np.flatnonzero(new)
    owners = firsts if owner_first else np.append(firsts[1:], order.size) - 1
    owner = order[owners[group]]
    contributes = order != owner
    return np.stack((order[contributes], owner[contributes]), axis=1)


def chain_edges(table: TileTable) -> Ints:
    """Connect, in a low-rank graph, the tiles of x·A in a tile row with those of the second product in that row.

    Batch 2i holds x·A of matrix i, batch 2i + 1 the product with B that reads it.
    """
    active = table.active
    first = np.flatnonzero(active & (table.batch % 2 == 0))
    second = np.flatnonzero(active & (table.batch % 2 == 1))
    if first.size == 0 or second.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    rows = int(table.row.max()) + 1

    def key(tiles: Ints) -> Ints:
        return (table.batch[tiles] // 2) * rows + table.row[tiles]

    first = first[np.argsort(key(first), kind="stable")]
    keys = key(first)
    low, high = np.searchsorted(keys, key(second), "left"), np.searchsorted(keys, key(second), "right")
    counts = high - low
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack((first[np.repeat(low, counts) + within], np.repeat(second, counts)), axis=1)


def reuse_hints(table: TileTable, launch: Ints, concurrent: int) -> ReuseHints:
    """Return what successive slots share, and how many operand panels `concurrent` tiles at a time read."""
    shares_a, shares_b = np.zeros(launch.size, dtype=np.bool_), np.zeros(launch.size, dtype=np.bool_)
    one, other = launch[:-1], launch[1:]
    near = (table.batch[one] == table.batch[other]) & (table.k0[one] < table.k1[other])
    near &= table.k0[other] < table.k1[one]
    shares_a[1:] = near & (table.row[one] == table.row[other])
    shares_b[1:] = near & (table.column[one] == table.column[other])

    def panels(index: Ints) -> int:
        key = np.stack((np.arange(launch.size) // concurrent, table.batch[launch], index[launch], table.k0[launch]))
        ordered = key[:, np.lexsort(key[::-1])]
        return int((ordered[:, 1:] != ordered[:, :-1]).any(axis=0).sum()) + 1 if launch.size else 0

    return ReuseHints(shares_a, shares_b, panels(table.row), panels(table.column))
