# SPDX-License-Identifier: MIT
"""From extents, a tile shape and a pattern to the table of tiles.

One path for every kind of graph: enumerate the output tiles, derive what each must sum from the pattern, drop what
computes nothing. Formulas for bands follow FlashAttention's block bounds, n_max = ⌈(m1 + offset + right) / tile⌉ and
n_min = ⌊(m0 + offset − left) / tile⌋ (Dao-AILab/flash-attention, hopper/block.h).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import ConfigurationError
from tracea_core.policy.cover import diagonal_offsets
from tracea_core.policy.pattern import Band, Blocks, Pattern, Plane
from tracea_core.policy.table import TileRole, TileTable
from tracea_core.policy.tiles import TileGraph, TilingKind

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

NONE = np.empty(0, dtype=np.int64)
MAX_TILES = 1 << 27


def extents_of(m: int, n: int, k: int, batch: int = 1) -> Ints:
    """Return the extents of `batch` equal problems."""
    if min(m, n, k, batch) < 0:
        raise ConfigurationError("extents of a problem are at least 0", m=m, n=n, k=k, batch=batch)
    return np.full((batch, 3), (m, n, k), dtype=np.int64)


def build(kind: TilingKind, extents: Ints, tile: tuple[int, int, int], pattern: Pattern) -> TileGraph:
    """Return the graph of all tiles that `pattern` wants, in row order.

    Parameters
    ----------
    extents : array of int64, shape (batches, 3)
        m, n, k of each matrix; they may differ.
    """
    if min(tile) < 1:
        raise ConfigurationError("a tile has extents of at least 1", tile=tile)
    if isinstance(pattern, Band | Blocks):
        check_extents(pattern, extents)
        if pattern.plane is Plane.MN:
            return _on_output(kind, extents, tile, pattern)
    table = grid_table(extents, tile)
    launch = np.arange(len(table), dtype=np.int64)
    graph = TileGraph(kind, tile, extents, pattern, table, launch, NONE, NONE)
    return _along_k(graph) if isinstance(pattern, Band | Blocks) else graph


def grid_table(extents: Ints, tile: tuple[int, int, int]) -> TileTable:
    """Return the table of every output tile, each summing its whole k range, in row order, batch after batch."""
    rows, columns = -(-extents[:, 0] // tile[0]), -(-extents[:, 1] // tile[1])
    counts = rows * columns
    _check_count(int(counts.sum()), tile)
    if len(extents) and (extents == extents[0]).all():
        return _uniform_table(len(extents), tuple(int(e) for e in extents[0]), tile)
    batch, within = _numbered(counts)
    row, column = np.divmod(within, np.maximum(columns, 1)[batch])
    return _table_at(extents, tile, batch, row, column)


def _check_count(total: int, tile: tuple[int, int, int]) -> None:
    if total > MAX_TILES:
        raise ConfigurationError(f"a graph holds at most 2^27 tiles, not {total}", hint="Use larger tiles", tile=tile)


def _numbered(counts: Ints) -> tuple[Ints, Ints]:
    """Return for each member of groups of so many its group, and its place within the group."""
    group = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
    return group, np.arange(group.size, dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)


def _table_at(extents: Ints, tile: tuple[int, int, int], batch: Ints, row: Ints, column: Ints) -> TileTable:
    """Return the table of the output tiles at these places, each summing its whole k range."""
    m0, n0 = row * tile[0], column * tile[1]
    if len(extents) and (extents == extents[0]).all():
        m, n, k = (np.broadcast_to(extents[0, axis], batch.shape) for axis in range(3))
    else:
        m, n, k = (extents[batch, axis] for axis in range(3))
    m1, n1 = np.minimum(m0 + tile[0], m), np.minimum(n0 + tile[1], n)
    clipped = (m1 - m0 < tile[0]) | (n1 - n0 < tile[1])
    zero = np.zeros(batch.size, dtype=np.int64)
    role = np.where(clipped, TileRole.BOUNDARY.code, TileRole.MAIN.code).astype(np.int64)
    return TileTable(batch, row, column, m0, m1, n0, n1, zero, k, zero, zero, role)


def _uniform_table(batches: int, extent: tuple[int, ...], tile: tuple[int, int, int]) -> TileTable:
    """Return `grid_table` of equal matrices; constant columns are views of one number."""
    m, n, k = extent
    rows, columns = np.arange(-(-m // tile[0]), dtype=np.int64), np.arange(-(-n // tile[1]), dtype=np.int64)
    shape = (batches, rows.size, columns.size)
    total = batches * rows.size * columns.size

    def by_row(values: Ints) -> Ints:
        return np.ascontiguousarray(np.broadcast_to(values[:, None], shape)).reshape(-1)

    def by_column(values: Ints) -> Ints:
        return np.ascontiguousarray(np.broadcast_to(values, shape)).reshape(-1)

    def constant(value: int) -> Ints:
        return np.broadcast_to(np.int64(value), (total,))

    m0, n0 = rows * tile[0], columns * tile[1]
    m1, n1 = np.minimum(m0 + tile[0], m), np.minimum(n0 + tile[1], n)
    clipped = ((m1 - m0 < tile[0])[:, None] | (n1 - n0 < tile[1])).astype(np.int64)
    batch = np.repeat(np.arange(batches, dtype=np.int64), rows.size * columns.size)
    role = np.ascontiguousarray(np.broadcast_to(clipped * TileRole.BOUNDARY.code, shape)).reshape(-1)
    return TileTable(
        batch if batches > 1 else constant(0),
        by_row(rows),
        by_column(columns),
        by_row(m0),
        by_row(m1),
        by_column(n0),
        by_column(n1),
        constant(0),
        constant(k),
        constant(0),
        constant(0),
        role,
    )


def check_extents(pattern: Band | Blocks, extents: Ints) -> None:
    """Refuse a pattern of blocks that does not span the problem."""
    if not isinstance(pattern, Blocks):
        return
    x, y = ("mnk".index(axis) for axis in pattern.plane.value)
    for axis, blocks, size in ((x, pattern.rows, pattern.block_x), (y, pattern.columns, pattern.block_y)):
        needed = -(-extents[:, axis] // size)
        if (needed != blocks).any():
            raise ConfigurationError(
                f"the pattern has {blocks} blocks of {size} along {'mnk'[axis]}, the problem needs {int(needed[0])}",
                extents=tuple(int(e) for e in extents[:, axis][:4]),
            )


def _on_output(kind: TilingKind, extents: Ints, tile: tuple[int, int, int], pattern: Band | Blocks) -> TileGraph:
    """Return the output tiles that the pattern does not leave empty; those it cuts are boundary tiles."""
    if isinstance(pattern, Band):
        table = _in_band(extents, tile, pattern)
        offset = diagonal_offsets(pattern, extents)[table.batch]
        whole = pattern.every(table.m0, table.m1, table.n0, table.n1, offset)
    else:
        table, whole = _in_blocks(extents, tile, pattern)
    table = table.with_columns(role=np.where(whole, table.role, TileRole.BOUNDARY.code))
    launch = np.arange(len(table), dtype=np.int64)
    return TileGraph(kind, tile, extents, pattern, table, launch, NONE, NONE)


def _in_band(extents: Ints, tile: tuple[int, int, int], band: Band) -> TileTable:
    """Return the table of the tiles that a band meets: in each tile row the columns of a range, so that no others are looked at."""
    rows = -(-extents[:, 0] // tile[0])
    batch, row = _numbered(rows)
    m, n = extents[batch, 0], extents[batch, 1]
    m0 = row * tile[0]
    first, last = band_range(band, m0, np.minimum(m0 + tile[0], m), n, diagonal_offsets(band, extents)[batch], tile[1])
    first, last = first // tile[1], -(-last // tile[1])
    counts = last - first
    _check_count(int(counts.sum()), tile)
    line, within = _numbered(counts)
    return _table_at(extents, tile, batch[line], row[line], first[line] + within)


def _in_blocks(extents: Ints, tile: tuple[int, int, int], pattern: Blocks) -> tuple[TileTable, Bools]:
    """Return the table of the tiles that some block meets, and which of them hold wanted elements only.

    Every matrix has the same; sums are taken along rows and columns, of which there are few, instead of for each tile.
    """
    m, n = (int(extent) for extent in extents[0, :2]) if len(extents) else (0, 0)
    m0, n0 = np.arange(0, m, tile[0], dtype=np.int64), np.arange(0, n, tile[1], dtype=np.int64)
    _check_count(len(extents) * m0.size * n0.size, tile)
    m1, n1 = np.minimum(m0 + tile[0], m), np.minimum(n0 + tile[1], n)
    count, blocks = pattern.counts(m0, m1, n0, n1)
    row, column = np.nonzero(count)
    whole = (count == blocks)[row, column]
    batch = np.repeat(np.arange(len(extents), dtype=np.int64), row.size)
    again = len(extents)
    table = _table_at(extents, tile, batch, np.tile(row, again), np.tile(column, again))
    return table, np.tile(whole, again)


def _along_k(graph: TileGraph) -> TileGraph:
    """Give every output tile the part of k that the pattern wants."""
    table, pattern = graph.table, graph.pattern
    by_row = pattern.plane is Plane.MK
    line = table.row if by_row else table.column
    x0, x1 = (table.m0, table.m1) if by_row else (table.n0, table.n1)
    if isinstance(pattern, Band):
        k0, k1 = band_range(
            pattern, x0, x1, table.k1, diagonal_offsets(pattern, graph.extents)[table.batch], graph.tile[2]
        )
        whole = pattern.every(x0, x1, k0, k1, diagonal_offsets(pattern, graph.extents)[table.batch]) | (k0 == k1)
        role = np.where(whole, table.role, TileRole.BOUNDARY.code)
        return with_table(graph, table.with_columns(k0=k0, k1=k1, role=role))
    assert isinstance(pattern, Blocks)
    return _lists(graph, pattern, line, 0 if by_row else 1)


def band_range(band: Band, x0: Ints, x1: Ints, extent: Ints, offset: Ints, step: int) -> tuple[Ints, Ints]:
    """Return the smallest range of whole blocks of `step` along y that holds all a band wants of rows x0 to x1.

    Both ends are 0 where it wants nothing.
    """
    low, high = wanted_range(band.left, band.right, x0, x1, extent, offset, np.maximum, np.minimum)
    empty = low >= high
    first, last = low // step * step, np.minimum(-(-high // step) * step, extent)
    return np.where(empty, 0, first), np.where(empty, 0, last)


def wanted_range(
    left: Any,
    right: Any,
    x0: Any,
    x1: Any,
    extent: Any,
    offset: Any,
    larger: Callable[..., Any],
    smaller: Callable[..., Any],
) -> tuple[Any, Any]:
    """Return the range [low, high) of y, within 0 to `extent`, that a band wants of rows x0 to x1 (empty: low ≥ high).

    The arguments are arrays, or terms of a solver: `tracea_core.policy.symbolic` proves this very formula for all integers.
    """
    low = x0 * 0 if left is None else larger(x0 + offset - left, 0)
    high = extent if right is None else smaller(x1 + offset + right, extent)
    return low, high


def _lists(graph: TileGraph, pattern: Blocks, line: Ints, axis: int) -> TileGraph:
    """Give every output tile the list of the k blocks in which its rows (or columns) have a wanted block."""
    table, step = graph.table, graph.tile[2]
    extent, depth = int(graph.extents[0, axis]), int(graph.extents[0, 2])
    x0 = np.arange(-(-extent // graph.tile[axis]), dtype=np.int64)[:, None] * graph.tile[axis]
    x1 = np.minimum(x0 + graph.tile[axis], extent)
    y0 = np.arange(-(-depth // step), dtype=np.int64) * step
    y1 = np.minimum(y0 + step, depth)
    zero = np.zeros((), dtype=np.int64)
    wanted = pattern.some(x0, x1, y0, y1, zero)
    whole: Bools = np.all(pattern.every(x0, x1, y0, y1, zero) | ~wanted, axis=1)
    lines, blocks = np.nonzero(wanted)
    begin = np.searchsorted(lines, np.arange(x0.size), "left")
    end = np.searchsorted(lines, np.arange(x0.size), "right")
    first, last = np.zeros(x0.size, dtype=np.int64), np.zeros(x0.size, dtype=np.int64)
    some = end > begin
    first[some] = blocks[begin[some]] * step
    last[some] = np.minimum((blocks[end[some] - 1] + 1) * step, depth)
    new = table.with_columns(
        k0=first[line],
        k1=last[line],
        list0=begin[line],
        list1=end[line],
        role=np.where(whole[line], table.role, TileRole.BOUNDARY.code),
    )
    listed = TileGraph(
        graph.kind, graph.tile, graph.extents, pattern, new, graph.launch, blocks.astype(np.int64), graph.starts
    )
    return listed


def with_table(graph: TileGraph, table: TileTable) -> TileGraph:
    """Return the graph with another table, launched in the order of that table."""
    launch = np.flatnonzero(table.active)
    return TileGraph(graph.kind, graph.tile, graph.extents, graph.pattern, table, launch, graph.k_blocks, graph.starts)
