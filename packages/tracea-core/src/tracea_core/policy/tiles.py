# SPDX-License-Identifier: MIT
"""The topological tile graph: which tiles exist, what each computes, and in which slot each is launched.

Two levels, as a GPU reads them: the launch map takes a slot (a block index, or a position in a persistent loop) to a
tile, and the table takes a tile to its region. Orders permute the map and leave the table alone; sparsity shortens
both. Edges and reuse hints follow from the table and are computed when asked for.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import CertificationError, ConfigurationError, MalformedDataError
from tracea_core.policy import edges
from tracea_core.policy.cover import CoverFault, cover_faults
from tracea_core.policy.edges import EdgeKind, ReuseHints
from tracea_core.policy.order import Order, arrange
from tracea_core.policy.pattern import Pattern
from tracea_core.policy.persistent import PersistentSchedule, persistent_schedule
from tracea_core.policy.table import ROLES, TileTable

Ints: TypeAlias = npt.NDArray[np.int64]


class TilingKind(enum.Enum):
    """How a problem is cut."""

    DENSE = "dense"
    SPLIT_K = "split_k"
    STREAM_K = "stream_k"
    WINDOWED = "windowed"
    CAUSAL = "causal"
    BLOCK_SPARSE = "block_sparse"
    LOW_RANK = "low_rank"
    GROUPED = "grouped"
    CUSTOM = "custom"


class _Stored(Data, frozen=True):
    """The JSON form of a graph."""

    kind: TilingKind
    tile: tuple[int, int, int]
    extents: tuple[tuple[int, int, int], ...]
    pattern: Pattern
    columns: tuple[tuple[int, ...], ...]
    launch: tuple[int, ...]
    k_blocks: tuple[int, ...]
    starts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TileGraph:
    """Tiles, their launch order, and what they must cover. Arrays are read-only.

    Attributes
    ----------
    kind : TilingKind
        How the problem was cut.
    tile : tuple of int
        Nominal tile_m, tile_n, tile_k in elements.
    extents : array of int64, shape (batches, 3)
        m, n, k of each matrix of the batch (of each group, if ragged). A low-rank graph has two entries per matrix: the
        product x·A, then the product with B.
    pattern : Pattern
        The products that are wanted.
    table : TileTable
        What each tile computes.
    launch : array of int64, shape (slots,)
        Tile that runs in each slot.
    k_blocks : array of int64
        Blocks of tile_k along k: a tile with ``list0 < list1`` sums those in ``k_blocks[list0:list1]``, and its k0, k1
        span them; one with ``list0 == list1`` sums the whole range.
    starts : array of int64, shape (processors + 1,) or (0,)
        Stream-K: processor p runs the slots from ``starts[p]`` to ``starts[p + 1]``.
    """

    kind: TilingKind
    tile: tuple[int, int, int]
    extents: Ints
    pattern: Pattern
    table: TileTable
    launch: Ints
    k_blocks: Ints
    starts: Ints

    def __post_init__(self) -> None:
        if min(self.tile) < 1:
            raise ConfigurationError("a tile has extents of at least 1", tile=self.tile)
        if self.extents.ndim != 2 or self.extents.shape[1:] != (3,) or (self.extents < 0).any():
            raise ConfigurationError("extents hold m, n, k ≥ 0 for each matrix", shape=self.extents.shape)
        for array in (self.extents, self.launch, self.k_blocks, self.starts):
            array.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TileGraph):
            return NotImplemented
        return (self.kind, self.tile, self.pattern) == (other.kind, other.tile, other.pattern) and all(
            np.array_equal(a, b) for a, b in zip(self._arrays(), other._arrays(), strict=True)
        )

    def __hash__(self) -> int:
        return hash(self.digest())

    def _arrays(self) -> tuple[Ints, ...]:
        return (self.extents, self.launch, self.k_blocks, self.starts, *self.table.columns())

    def digest(self) -> str:
        """Return a SHA-256 of everything in the graph, as 64 hexadecimal digits."""
        state = hashlib.sha256(repr((self.kind.value, self.tile, self.pattern)).encode())
        for array in self._arrays():
            state.update(str(array.shape).encode())
            state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()

    @property
    def tiles(self) -> int:
        """Number of tiles in the table."""
        return len(self.table)

    @property
    def slots(self) -> int:
        """Number of launched tiles."""
        return self.launch.size

    @property
    def weights(self) -> Ints:
        """Multiply-adds of each tile of the table."""
        table = self.table
        listed = np.minimum((table.list1 - table.list0) * self.tile[2], table.k1 - table.k0)
        depth = np.where(table.list1 > table.list0, listed, table.k1 - table.k0)
        work: Ints = (table.m1 - table.m0) * (table.n1 - table.n0) * depth
        return work

    @property
    def active_share(self) -> float:
        """Launched multiply-adds over those of the dense problem."""
        dense = float(self.extents.astype(np.float64).prod(axis=1).sum())
        return float(self.weights[self.launch].sum()) / dense if dense else 0.0

    def edges(self, kind: EdgeKind) -> Ints:
        """Return the edges of one kind, shape (edges, 2): source and destination tile."""
        match kind:
            case EdgeKind.ROW:
                return edges.row_edges(self.table)
            case EdgeKind.COLUMN:
                return edges.column_edges(self.table)
            case EdgeKind.K_PIPELINE:
                return edges.k_edges(self.table)
            case EdgeKind.DATA:
                # Stream-K: the slice with k = 0 is the last thing its processor does and the others come first on
                # theirs, so the owner hardly waits. Else slices are launched along k, and the last one waits for none.
                partial = edges.reduction_edges(self.table, owner_first=self.kind is TilingKind.STREAM_K)
                if self.kind is not TilingKind.LOW_RANK:
                    return partial
                return np.concatenate((partial, edges.chain_edges(self.table)))

    def reuse(self, concurrent: int = 1) -> ReuseHints:
        """Return which slots share operands with the one before, and how much `concurrent` tiles at a time read."""
        if concurrent < 1:
            raise ConfigurationError("at least one tile runs at a time", concurrent=concurrent)
        return edges.reuse_hints(self.table, self.launch, concurrent)

    def ordered(self, order: Order, group: int = 8) -> TileGraph:
        """Return the same tiles launched in another order.

        Batches run one after another, except in longest-first order.

        Raises
        ------
        ConfigurationError
            If the graph's order is part of its meaning (stream-K), or the order would launch a consumer before its
            producer (low-rank, longest first).
        """
        if self.kind is TilingKind.STREAM_K:
            raise ConfigurationError("a stream-K graph is launched in its own order", order=order.value)
        if self.kind is TilingKind.LOW_RANK and order is Order.LONGEST_FIRST:
            raise ConfigurationError("a low-rank graph runs x·A before the product with B", order=order.value)
        active = np.flatnonzero(self.table.active)
        rows, columns = self.table.row[active], self.table.column[active]
        permuted = arrange(
            order,
            rows,
            columns,
            tiles_m=int(rows.max(initial=-1)) + 1,
            tiles_n=int(columns.max(initial=-1)) + 1,
            group=group,
            weights=self.weights[active] if order is Order.LONGEST_FIRST else None,
            outer=self.table.batch[active],
        )
        return replace(self, launch=active[permuted])

    def schedule(self, processors: int) -> PersistentSchedule:
        """Return a balanced assignment of the launch slots to `processors` that stay for the whole call."""
        work = self.weights[self.launch].astype(np.float64)
        if self.kind is TilingKind.STREAM_K and self.starts.size == processors + 1:
            loads = np.add.reduceat(np.append(work, 0.0), self.starts[:-1]) * (np.diff(self.starts) > 0)
            bound = float(work.sum()) / processors
            guarantee = float(loads.max(initial=0.0)) / bound if bound else 1.0
            return PersistentSchedule(np.arange(self.slots, dtype=np.int64), self.starts, loads, bound, guarantee)
        return persistent_schedule(work, processors)

    def cover_errors(self) -> tuple[CoverFault, ...]:
        """Return what is wrong: gaps, overlaps, tiles out of place or without purpose, bad launch slots.

        An empty result proves that every wanted product is summed exactly once (see `tracea_core.policy.cover`).
        """
        faults = cover_faults(self)
        if self.kind is not TilingKind.STREAM_K and not faults:
            slot = np.full(self.tiles, -1, dtype=np.int64)
            slot[self.launch] = np.arange(self.slots)
            pairs = self.edges(EdgeKind.DATA)
            late = np.flatnonzero(slot[pairs[:, 0]] > slot[pairs[:, 1]])
            if late.size:
                source, destination = (int(tile) for tile in pairs[late[0]])
                faults += (
                    CoverFault(
                        "order",
                        f"tile {destination} waits for tile {source}, which is launched after it",
                        (source, destination),
                        int(late.size),
                    ),
                )
        return faults

    def check_cover(self) -> None:
        """Prove that every wanted product is summed exactly once.

        Raises
        ------
        CertificationError
            If it is not; the message names the first gap or overlap of each kind.
        """
        faults = self.cover_errors()
        if faults:
            text = "; ".join(fault.describe() for fault in faults)
            raise CertificationError(f"the tiles do not cover the problem exactly once: {text}", property="exact cover")

    def describe(self) -> str:
        """Return a few lines: extents, tiles by role, share of the dense work, reuse."""
        m, n, k = (int(extent) for extent in self.extents.max(axis=0, initial=0))
        batches = f"{len(self.extents)} × " if len(self.extents) > 1 else ""
        shape = "×".join(map(str, self.tile))
        counts = np.bincount(self.table.role, minlength=len(ROLES))
        roles = ", ".join(f"{count} {role.value}" for role, count in zip(ROLES, counts, strict=True) if count)
        hints = self.reuse()
        lines = [
            f"{self.kind.value} graph of {batches}{m}×{n}×{k} in tiles of {shape}: "
            f"{self.tiles} tiles ({roles or 'none'})",
            f"  wanted: {self.pattern.describe()}; launched: {self.slots} tiles, "
            f"{self.active_share:.1%} of the dense work",
            f"  successive tiles share A in {int(hints.shares_a.sum())} and B in {int(hints.shares_b.sum())} "
            f"of {max(self.slots - 1, 0)} steps",
        ]
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the graph as JSON (meant for graphs that people look at; a million tiles make 60 MB)."""
        stored = _Stored(
            self.kind,
            self.tile,
            tuple((m, n, k) for m, n, k in self.extents.tolist()),
            self.pattern,
            tuple(tuple(column.tolist()) for column in self.table.columns()),
            tuple(self.launch.tolist()),
            tuple(self.k_blocks.tolist()),
            tuple(self.starts.tolist()),
        )
        return msgspec.json.encode(stored, order="deterministic").decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> TileGraph:
        """Return the graph that `to_json` wrote.

        Raises
        ------
        MalformedDataError
            If the text is not the JSON of a graph.
        """
        stored = _Stored.from_json(text)
        try:
            return cls._restore(stored)
        except (ConfigurationError, OverflowError) as error:
            raise MalformedDataError(f"this is not the JSON of a TileGraph: {error}") from error

    @classmethod
    def _restore(cls, stored: _Stored) -> TileGraph:
        return cls(
            stored.kind,
            stored.tile,
            np.array(stored.extents, dtype=np.int64).reshape(-1, 3),
            stored.pattern,
            TileTable.from_columns(stored.columns),
            np.array(stored.launch, dtype=np.int64),
            np.array(stored.k_blocks, dtype=np.int64),
            np.array(stored.starts, dtype=np.int64),
        )
