# SPDX-License-Identifier: MIT
"""Tile graphs, one constructor per way of cutting a problem, and a builder for patterns made by hand.

Every constructor takes extents in elements and ``tile = (tile_m, tile_n, tile_k)`` and returns a `TileGraph` whose
tiles cover exactly what is wanted; `TileGraph.check_cover` proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.policy.build import NONE, build, extents_of, grid_table, with_table
from tracea_core.policy.edges import EdgeKind, ReuseHints
from tracea_core.policy.pattern import Band, Blocks, Full, Given, Pattern, Plane
from tracea_core.policy.table import COLUMNS, ROLES, TileMetadata, TileRole, TileTable
from tracea_core.policy.tiles import TileGraph, TilingKind

__all__ = [
    "COLUMNS",
    "ROLES",
    "EdgeKind",
    "ReuseHints",
    "TTGBuilder",
    "TileGraph",
    "TileMetadata",
    "TileRole",
    "TileTable",
    "TilingKind",
    "block_sparse",
    "causal",
    "dense",
    "grouped",
    "low_rank",
    "split_k",
    "stream_k",
    "windowed",
]

Tile = tuple[int, int, int]


def dense(m: int, n: int, k: int, tile: Tile, batch: int = 1) -> TileGraph:
    """Return all output tiles, each summing all of k."""
    return build(TilingKind.DENSE, extents_of(m, n, k, batch), tile, Full())


def grouped(extents: Sequence[tuple[int, int, int]] | npt.NDArray[np.int64], tile: Tile) -> TileGraph:
    """Return the tiles of several problems of different extents (ragged batches, mixtures of experts).

    Parameters
    ----------
    extents : sequence of (m, n, k)
        One entry per group; groups may be empty.
    """
    return build(TilingKind.GROUPED, np.array(extents, dtype=np.int64).reshape(-1, 3), tile, Full())


def split_k(m: int, n: int, k: int, tile: Tile, parts: int, batch: int = 1) -> TileGraph:
    """Return every output tile cut into up to `parts` slices of k, whole blocks of tile_k each, as even as they can be.

    The slices of a tile follow each other in the launch order; the last one adds up. With fewer than `parts` blocks
    there is one slice per block.
    """
    if parts < 1:
        raise ConfigurationError("k is split into at least one part", parts=parts)
    whole = dense(m, n, k, tile, batch)
    blocks = -(-k // tile[2])
    parts = max(min(parts, blocks), 1)
    cuts = np.minimum(np.arange(parts + 1, dtype=np.int64) * blocks // parts * tile[2], k)
    table = whole.table.take(np.repeat(np.arange(whole.tiles, dtype=np.int64), parts))
    sliced = table.with_columns(k0=np.tile(cuts[:-1], whole.tiles), k1=np.tile(cuts[1:], whole.tiles))
    return with_table(replace(whole, kind=TilingKind.SPLIT_K), sliced)


def stream_k(m: int, n: int, k: int, tile: Tile, processors: int, batch: int = 1) -> TileGraph:
    """Return the work cut into one contiguous range of k blocks per processor, regardless of tile borders.

    All tiles' blocks are laid in one line and dealt evenly, so that no processor has more than one block more than
    another (M. Osama et al., *Stream-K*, PPoPP 2023). A range that crosses a tile border becomes several slots of its
    processor; `TileGraph.starts` says which.
    """
    if processors < 1:
        raise ConfigurationError("stream-K needs at least one processor", processors=processors)
    whole = dense(m, n, k, tile, batch)
    blocks = -(-k // tile[2])
    if blocks == 0 or whole.tiles == 0:
        starts = np.arange(processors + 1, dtype=np.int64) * whole.tiles // processors
        return replace(whole, kind=TilingKind.STREAM_K, starts=starts)
    total = whole.tiles * blocks
    ranges = np.arange(processors + 1, dtype=np.int64) * total // processors
    within = np.unique(ranges[ranges % blocks != 0])  # few; the rest are tile borders, and both are sorted already
    cuts = np.sort(np.concatenate((np.arange(whole.tiles + 1, dtype=np.int64) * blocks, within)), kind="stable")
    owner, first = np.divmod(cuts[:-1], blocks)
    table = whole.table.take(owner).with_columns(
        k0=first * tile[2], k1=np.minimum((cuts[1:] - owner * blocks) * tile[2], k)
    )
    return replace(with_table(whole, table), kind=TilingKind.STREAM_K, starts=np.searchsorted(cuts, ranges))


def windowed(
    m: int,
    n: int,
    k: int,
    tile: Tile,
    left: int | None,
    right: int | None,
    *,
    offset: int | None = None,
    plane: Plane = Plane.MK,
    batch: int = 1,
) -> TileGraph:
    """Return the tiles of a sliding window: row i sees columns i + offset − left to i + offset + right of `plane`.

    Parameters
    ----------
    left, right : int or None
        None leaves that side open.
    offset : int or None
        None aligns the window with the end of both sequences, 0 with their start.
    plane : Plane
        `Plane.MK` for the second product of attention (m queries, n head size, k keys: each tile sums a range of keys),
        `Plane.MN` for the first (n keys: tiles outside the window do not exist).
    """
    return build(TilingKind.WINDOWED, extents_of(m, n, k, batch), tile, Band(left, right, offset, plane))


def causal(
    m: int, n: int, k: int, tile: Tile, *, offset: int | None = None, plane: Plane = Plane.MK, batch: int = 1
) -> TileGraph:
    """Return the tiles at and below the diagonal: `windowed` without a left end and with right = 0."""
    return build(TilingKind.CAUSAL, extents_of(m, n, k, batch), tile, Band(None, 0, offset, plane))


def block_sparse(m: int, n: int, k: int, tile: Tile, pattern: Blocks, batch: int = 1) -> TileGraph:
    """Return the tiles of a block-sparse problem.

    A pattern in `Plane.MK` (sparse A) or `Plane.NK` (sparse B, as the rows of weights of shape (n, k)) gives each
    output tile a list of k blocks; one in `Plane.MN` (masked output) drops output tiles. Blocks need not match tiles:
    tiles that a block border crosses are boundary tiles.
    """
    return build(TilingKind.BLOCK_SPARSE, extents_of(m, n, k, batch), tile, pattern)


def low_rank(m: int, n: int, k: int, rank: int, tile: Tile, batch: int = 1) -> TileGraph:
    """Return the tiles of (x·A)·B with A of shape (k, rank) and B of shape (rank, n).

    Batch entry 2i is x·A of matrix i, entry 2i + 1 the product with B. Data edges lead from a tile row of the first to
    the same tile row of the second.
    """
    if rank < 1:
        raise ConfigurationError("the rank of a low-rank product is at least 1", rank=rank)
    pair = np.array([[m, rank, k], [m, n, rank]], dtype=np.int64)
    return build(TilingKind.LOW_RANK, np.tile(pair, (batch, 1)), tile, Full())


class TTGBuilder:
    """Collects tiles of an m × n output by hand.

    Parameters
    ----------
    m, n : int
        Extents of the output.
    k : int, optional
        Extent of the reduction; by default the largest ``k_end`` that was added.
    tile_m, tile_n, tile_k : int
        Tile extents.
    batch : int
        Number of matrices.

    Examples
    --------
    >>> builder = TTGBuilder(4096, 4096)
    >>> graph = builder.add_tile(TileMetadata(region_m=0, region_n=0, k_start=0, k_end=512)).build_sparse()
    >>> graph.slots
    1
    >>> builder.build_dense().slots
    1024
    """

    def __init__(
        self,
        m: int,
        n: int,
        k: int | None = None,
        *,
        tile_m: int = 128,
        tile_n: int = 128,
        tile_k: int = 32,
        batch: int = 1,
    ) -> None:
        self._m, self._n, self._k, self._batch = m, n, k, batch
        self._tile = (tile_m, tile_n, tile_k)
        self._tiles: list[TileMetadata] = []
        extents_of(m, n, k or 0, batch)
        if min(self._tile) < 1:
            raise ConfigurationError("a tile has extents of at least 1", tile=self._tile)

    def add_tile(self, tile: TileMetadata) -> TTGBuilder:
        """Add one tile (several slices of k of one region are several tiles) and return the builder.

        Raises
        ------
        ConfigurationError
            If it is no tile, or lies outside of the grid or of k.
        """
        if not isinstance(tile, TileMetadata):
            raise ConfigurationError(f"a tile is a TileMetadata, not {tile!r}")
        rows, columns = -(-self._m // self._tile[0]), -(-self._n // self._tile[1])
        if tile.region_m >= rows or tile.region_n >= columns or tile.batch >= self._batch:
            raise ConfigurationError(
                f"the grid has {rows}×{columns} tiles and {self._batch} matrices; this one lies outside", tile=tile
            )
        if self._k is not None and tile.k_end > self._k:
            raise ConfigurationError(f"k ends at {self._k}", tile=tile)
        self._tiles.append(tile)
        return self

    def build_dense(self) -> TileGraph:
        """Return the whole grid: regions that were added keep their tiles, all others sum all of k in one tile.

        Raises
        ------
        CertificationError
            If the added tiles of a region overlap or leave part of k out.
        """
        extents = self._extents()
        whole = grid_table(extents, self._tile)
        added = self._table(extents)
        columns = max(-(-self._n // self._tile[1]), 1)
        grid = max(-(-self._m // self._tile[0]), 1) * columns

        def region(table: TileTable) -> npt.NDArray[np.int64]:
            return table.batch * grid + table.row * columns + table.column

        rest = whole.take(~np.isin(region(whole), region(added)))
        added = added.take(np.lexsort((added.k0, region(added))))
        places = np.searchsorted(region(rest), region(added))  # the grid is in the order of its regions already
        merged = TileTable.from_columns(
            [np.insert(mine, places, theirs) for mine, theirs in zip(rest.columns(), added.columns(), strict=True)]
        )
        kind = TilingKind.CUSTOM if self._tiles else TilingKind.DENSE
        if _sums_whole_lines(added, region(added), int(extents[0, 2])):  # the rest of the grid covers itself
            return TileGraph(kind, self._tile, extents, Full(), merged, np.flatnonzero(merged.active), NONE, NONE)
        return self._graph(kind, extents, merged, Full())

    def build_sparse(self, pattern: Pattern | None = None) -> TileGraph:
        """Return a graph of the added tiles only.

        Parameters
        ----------
        pattern : Pattern, optional
            What the tiles should cover; by default they define what is wanted, and only must not overlap.

        Raises
        ------
        CertificationError
            If tiles overlap, or do not cover `pattern`.
        """
        extents = self._extents()
        return self._graph(TilingKind.CUSTOM, extents, self._table(extents), pattern or Given())

    def _extents(self) -> npt.NDArray[np.int64]:
        k = self._k
        if k is None:
            if not self._tiles:
                raise ConfigurationError("the extent of k is unknown", hint="Pass k to TTGBuilder, or add a tile")
            k = max(tile.k_end for tile in self._tiles)
        return extents_of(self._m, self._n, k, self._batch)

    def _table(self, extents: npt.NDArray[np.int64]) -> TileTable:
        """Return the table of the added tiles in the order in which they came."""
        rows = [(t.batch, t.region_m, t.region_n, t.k_start, t.k_end, t.role.code) for t in self._tiles]
        batch, row, column, k0, k1, role = np.array(rows, dtype=np.int64).reshape(-1, 6).T.copy()
        m0, n0 = row * self._tile[0], column * self._tile[1]
        m1, n1 = np.minimum(m0 + self._tile[0], self._m), np.minimum(n0 + self._tile[1], self._n)
        clipped = (m1 - m0 < self._tile[0]) | (n1 - n0 < self._tile[1])
        role = np.where(clipped & (role == TileRole.MAIN.code), TileRole.BOUNDARY.code, role)
        return TileTable.from_columns((batch, row, column, m0, m1, n0, n1, k0, k1, 0 * k0, 0 * k0, role))

    def _graph(self, kind: TilingKind, extents: npt.NDArray[np.int64], table: TileTable, pattern: Pattern) -> TileGraph:
        graph = TileGraph(kind, self._tile, extents, pattern, table, np.flatnonzero(table.active), NONE, NONE)
        try:
            graph.check_cover()
        except CertificationError as error:
            raise CertificationError(error.message, hint="Correct the tiles passed to add_tile") from None
        return graph


def _sums_whole_lines(table: TileTable, region: npt.NDArray[np.int64], k: int) -> bool:
    """Whether the tiles of each region, which follow each other, sum all of k, each position once."""
    first = np.append(True, region[1:] != region[:-1])[: region.size]
    last = np.append(region[1:] != region[:-1], True)[-region.size :] if region.size else first
    begins = np.where(first, 0, np.roll(table.k1, 1))
    launched = bool(table.active.all())
    return k > 0 and launched and bool((table.k0 == begins).all() and (table.k1 == np.where(last, k, table.k1)).all())
