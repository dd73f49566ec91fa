# SPDX-License-Identifier: MIT
"""Exact cover: every wanted product A[m, k]·B[k, n] is summed exactly once.

The proof has four parts, each an array operation over all tiles:

1. *Place.* A tile with coordinates (row, column) lies at row·tile_m, column·tile_n, is clipped at the edge of the
   output, and no coordinate lies outside the grid. So two tiles either have the same output region or disjoint ones.
2. *No overlap.* The k ranges of one region, sorted, do not overlap.
3. *No gap.* What is left between them, before the first and after the last, holds nothing that the pattern wants.
4. *Purpose.* The k blocks at both ends of a range hold something wanted (as do all blocks of a list), main tiles want
   all they cover, and the launch map holds each tile that is not skipped once.

1 to 3 make the cover exact, 4 makes it tight: a window one block too wide is found as well as one too narrow. The
builder derives ranges from formulas; here the pattern is asked about boxes, so a wrong formula does not confirm itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.policy.pattern import Band, Given, Pattern, Plane
from tracea_core.policy.table import TileRole, TileTable

if TYPE_CHECKING:
    from tracea_core.policy.tiles import TileGraph

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class CoverFault(Data, frozen=True):
    """One way in which tiles fail to cover their problem.

    Attributes
    ----------
    kind : str
        ``place``, ``overlap``, ``gap``, ``useless``, ``role``, ``launch`` or ``order``.
    message : str
        The first case, with its rows, columns and k range.
    tiles : tuple of int
        Tiles involved in the first case (none if a tile is missing).
    count : int
        How many such cases there are.
    """

    kind: str
    message: str
    tiles: tuple[int, ...]
    count: int

    def describe(self) -> str:
        """Return the message with the number of further cases."""
        return self.message + (f" (and {self.count - 1} more)" if self.count > 1 else "")


def cover_faults(graph: TileGraph) -> tuple[CoverFault, ...]:
    """Return the faults of a graph, the first of each kind with a count; no fault is a proof."""
    faults = _launch_faults(graph)
    place = _place_faults(graph)
    if place:
        return (*place, *faults)  # regions mean nothing while tiles are out of place
    tiles, low, high = _ranges(graph)
    faults += _range_faults(graph, tiles, low, high)
    faults += _purpose_faults(graph, tiles, low, high)
    return faults


def _grid(graph: TileGraph) -> tuple[Ints, Ints]:
    """Tile rows and tile columns of each matrix of the batch."""
    return -(-graph.extents[:, 0] // graph.tile[0]), -(-graph.extents[:, 1] // graph.tile[1])


def _first(kind: str, wrong: Bools, table: TileTable, text: str) -> tuple[CoverFault, ...]:
    """Return a fault for the first wrong tile, if any; `text` may use ``{tile}`` and ``{where}``."""
    where = np.flatnonzero(wrong)
    if where.size == 0:
        return ()
    tile = int(where[0])
    message = text.format(tile=tile, where=_where(table, tile))
    return (CoverFault(kind, message, (tile,), int(where.size)),)


def _where(table: TileTable, tile: int, low: int | None = None, high: int | None = None) -> str:
    """Name the region of a tile."""
    k0, k1 = (int(table.k0[tile]), int(table.k1[tile])) if low is None else (low, high)
    batch = f" of batch {table.batch[tile]}" if int(table.batch.max(initial=0)) else ""
    return (
        f"rows {table.m0[tile]}..{table.m1[tile]}, columns {table.n0[tile]}..{table.n1[tile]}, k {k0}..{k1}{batch} "
        f"(tile row {table.row[tile]}, tile column {table.column[tile]})"
    )


def _launch_faults(graph: TileGraph) -> tuple[CoverFault, ...]:
    """Check that the launch map is a permutation of the tiles that are not skipped."""
    launch, table = graph.launch, graph.table
    outside = (launch < 0) | (launch >= len(table))
    if outside.any():
        slot = int(np.flatnonzero(outside)[0])
        message = f"slot {slot} launches tile {launch[slot]} of a table of {len(table)}"
        return (CoverFault("launch", message, (), int(outside.sum())),)
    times = np.bincount(launch, minlength=len(table))
    return (
        *_first("launch", (times == 0) & table.active, table, "tile {tile} is never launched: {where}"),
        *_first("launch", (times > 1) & table.active, table, "tile {tile} is launched more than once: {where}"),
        *_first("launch", (times > 0) & ~table.active, table, "tile {tile} is marked skip, yet launched: {where}"),
    )


def _place_faults(graph: TileGraph) -> tuple[CoverFault, ...]:
    """Check that tiles lie on the grid of their matrix, inside its extents."""
    table = graph.table
    outside = (table.batch < 0) | (table.batch >= len(graph.extents))
    if outside.any():
        return _first("place", outside, table, "tile {tile} belongs to a matrix that does not exist: {where}")
    rows, columns = _grid(graph)
    m, n, k = (graph.extents[table.batch, axis] for axis in range(3))
    off_grid = (table.row < 0) | (table.row >= rows[table.batch])
    off_grid |= (table.column < 0) | (table.column >= columns[table.batch])
    m0, n0 = table.row * graph.tile[0], table.column * graph.tile[1]
    moved = (table.m0 != m0) | (table.m1 != np.minimum(m0 + graph.tile[0], m))
    moved |= (table.n0 != n0) | (table.n1 != np.minimum(n0 + graph.tile[1], n))
    outside_k = (table.k0 < 0) | (table.k0 > table.k1) | (table.k1 > k)
    bad_list = (table.list0 < 0) | (table.list0 > table.list1) | (table.list1 > graph.k_blocks.size)
    return (
        *_first("place", off_grid, table, "tile {tile} lies outside the grid of output tiles: {where}"),
        *_first("place", moved & ~off_grid, table, "tile {tile} does not lie where its grid position says: {where}"),
        *_first("place", outside_k, table, "tile {tile} has a k range outside the reduction: {where}"),
        *_first("place", bad_list, table, "tile {tile} names k blocks that are not in the list: {where}"),
    )


def _ranges(graph: TileGraph) -> tuple[Ints, Ints, Ints]:
    """Return all (tile, low, high) k ranges of launched tiles; a list gives one range per block."""
    table = graph.table
    active = np.flatnonzero(table.active)
    listed = active[table.list1[active] > table.list0[active]]
    if listed.size == 0:
        return active, table.k0[active], table.k1[active]
    whole = active[table.list1[active] == table.list0[active]]
    counts = table.list1[listed] - table.list0[listed]
    entry = np.arange(int(counts.sum())) + np.repeat(table.list0[listed] - (np.cumsum(counts) - counts), counts)
    tiles = np.repeat(listed, counts)
    low = graph.k_blocks[entry] * graph.tile[2]
    high = np.minimum(low + graph.tile[2], graph.extents[table.batch[tiles], 2])
    return (
        np.concatenate((whole, tiles)),
        np.concatenate((table.k0[whole], low)),
        np.concatenate((table.k1[whole], high)),
    )


def _boxes(graph: TileGraph, tiles: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the boxes of k ranges of tiles in the plane of the pattern, and the offset of its diagonal."""
    table, plane = graph.table, graph.pattern.plane
    x0, x1 = (table.n0, table.n1) if plane is Plane.NK else (table.m0, table.m1)
    y0, y1 = (table.n0[tiles], table.n1[tiles]) if plane is Plane.MN else (low, high)
    return x0[tiles], x1[tiles], y0, y1, diagonal_offsets(graph.pattern, graph.extents)[table.batch[tiles]]


def diagonal_offsets(pattern: Pattern, extents: Ints) -> Ints:
    """Return the offset of the pattern's diagonal for each matrix of the batch (0 for patterns without one)."""
    if not isinstance(pattern, Band):
        return np.zeros(len(extents), dtype=np.int64)
    if pattern.offset is not None:
        return np.full(len(extents), pattern.offset, dtype=np.int64)
    x, y = ("mnk".index(axis) for axis in pattern.plane.value)
    offsets: Ints = extents[:, y] - extents[:, x]
    return offsets


def _range_faults(graph: TileGraph, tiles: Ints, low: Ints, high: Ints) -> tuple[CoverFault, ...]:
    """Check that ranges of one region neither overlap nor leave out what is wanted, and that no region is missing."""
    table = graph.table
    rows, columns = _grid(graph)
    base = np.concatenate(([0], np.cumsum(rows * columns)))
    region = base[table.batch[tiles]] + table.row[tiles] * columns[table.batch[tiles]] + table.column[tiles]
    faults: tuple[CoverFault, ...] = ()
    if not isinstance(graph.pattern, Given):
        faults += _missing_regions(graph, region, base, columns)

    order = np.lexsort((high, low, region))
    tiles, low, high, region = tiles[order], low[order], high[order], region[order]
    new = np.ones(tiles.size, dtype=np.bool_)
    new[1:] = region[1:] != region[:-1]
    # The running maximum of `high` within each region: regions ascend, so an offset per region keeps them apart.
    apart = region * (int(high.max(initial=0)) + 1)
    covered = np.maximum.accumulate(high + apart) - apart if high.size else high
    reached = np.where(new, 0, np.concatenate(([0], covered[:-1])))
    overlap = np.flatnonzero(~new & (low < reached) & (high > low))
    if overlap.size:
        at = int(overlap[0])
        one, other = int(tiles[at - 1]), int(tiles[at])
        end = min(int(reached[at]), int(high[at]))
        message = f"{_where(table, one, int(low[at]), end)} is summed twice, by tiles {one} and {other}"
        faults += (CoverFault("overlap", message, (one, other), int(overlap.size)),)

    last = np.ones(tiles.size, dtype=np.bool_)
    last[:-1] = new[1:]
    end = graph.extents[table.batch[tiles], 2]
    gap_tiles = np.concatenate((tiles, tiles[last]))
    gap_low = np.concatenate((reached, covered[last]))
    gap_high = np.concatenate((low, end[last]))
    open_ = gap_low < gap_high
    gap_tiles, gap_low, gap_high = gap_tiles[open_], gap_low[open_], gap_high[open_]
    wanted = np.flatnonzero(graph.pattern.some(*_boxes(graph, gap_tiles, gap_low, gap_high)))
    if wanted.size:
        at = int(wanted[0])
        where = _where(table, int(gap_tiles[at]), int(gap_low[at]), int(gap_high[at]))
        faults += (CoverFault("gap", f"no tile sums {where}", (int(gap_tiles[at]),), int(wanted.size)),)
    return faults


def _missing_regions(graph: TileGraph, region: Ints, base: Ints, columns: Ints) -> tuple[CoverFault, ...]:
    """Check that every region with a wanted output has a tile; all have, unless the pattern lies on the output."""
    present = np.zeros(int(base[-1]), dtype=np.bool_)
    present[region] = True
    missing = np.flatnonzero(~present)
    if missing.size == 0:
        return ()
    batch = np.searchsorted(base, missing, "right") - 1
    row, column = np.divmod(missing - base[batch], columns[batch])
    m0, n0 = row * graph.tile[0], column * graph.tile[1]
    m1 = np.minimum(m0 + graph.tile[0], graph.extents[batch, 0])
    n1 = np.minimum(n0 + graph.tile[1], graph.extents[batch, 1])
    if graph.pattern.plane is Plane.MN:
        wanted = np.flatnonzero(
            graph.pattern.some(m0, m1, n0, n1, diagonal_offsets(graph.pattern, graph.extents)[batch])
        )
    else:
        wanted = np.arange(missing.size)
    if wanted.size == 0:
        return ()
    at = int(wanted[0])
    of = f" of batch {batch[at]}" if len(graph.extents) > 1 else ""
    message = (
        f"no tile computes rows {m0[at]}..{m1[at]}, columns {n0[at]}..{n1[at]}{of} "
        f"(tile row {row[at]}, tile column {column[at]})"
    )
    return (CoverFault("gap", message, (), int(wanted.size)),)


def _purpose_faults(graph: TileGraph, tiles: Ints, low: Ints, high: Ints) -> tuple[CoverFault, ...]:
    """Check that ranges begin and end with wanted k blocks, and that main tiles want all they cover."""
    table, step = graph.table, graph.tile[2]
    main = table.role == TileRole.MAIN.code
    clipped = (table.m1 - table.m0 < graph.tile[0]) | (table.n1 - table.n0 < graph.tile[1])
    partly = np.zeros(len(table), dtype=np.bool_)
    held = high > low
    tiles, low, high = tiles[held], low[held], high[held]
    partly[tiles[~graph.pattern.every(*_boxes(graph, tiles, low, high))]] = True
    faults = _first("role", main & (clipped | partly), table, "tile {tile} needs masks, yet is called main: {where}")
    if isinstance(graph.pattern, Given):
        return faults
    head = graph.pattern.some(*_boxes(graph, tiles, low, np.minimum((low // step + 1) * step, high)))
    tail = graph.pattern.some(*_boxes(graph, tiles, np.maximum((high - 1) // step * step, low), high))
    useless = np.zeros(len(table), dtype=np.bool_)
    useless[tiles[~(head & tail)]] = True
    return faults + _first("useless", useless, table, "tile {tile} sums a k block that nothing wants: {where}")
