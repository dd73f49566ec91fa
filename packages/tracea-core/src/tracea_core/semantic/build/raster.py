# SPDX-License-Identifier: MIT
"""Persistent blocks: which output tile is whose turn, as expressions of a counter.

Every cluster of blocks starts at its own number and steps by the number of clusters, so a fixed grid serves any shape.
A cluster computes neighbouring tiles together; the order in which the grid of clusters' tiles is visited decides which
rows of A and columns of B are in the L2 cache at the same time.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.order import BANDED, DIES, Order
from tracea_core.policy.waves import clusters_at_once
from tracea_core.semantic.contraction import GROUP_STOP, ITEM, Contraction
from tracea_core.semantic.index import Const, Index, Ragged, Sym, ceil_div, minimum
from tracea_core.semantic.ragged import USED, Looked
from tracea_core.semantic.steps import Let, Loop, Node
from tracea_core.semantic.sweep import Sweep

BLOCK, BLOCKS, RANK = Sym("block"), Sym("blocks"), Sym("cluster_rank")
ROW0, COLUMN0 = Sym("row0"), Sym("column0")
ROW_RANK, COLUMN_RANK = Sym("row_rank"), Sym("column_rank")
SPLIT_RANK = Sym("split_rank")
"""Which part of the reduction a block computes, where the blocks of a cluster divide it."""
ROUNDS = Sym("rounds")
"""How many tiles a block computes, where its roles share them out."""
_AWAY = 16
"""What share of the processors may be left idle. On an H200 4096×4096×4096 in bf16, in any layout, took as long on 128 as on 132, 0.4 to
0.8 % less with a group of matrix instructions in flight, 1.0 % less with odd bands backwards; five other shapes took as long."""
ORDERS = (Order.ROW, Order.COLUMN, *BANDED)


class Raster:
    """The persistent loop over tiles of one kernel."""

    def __init__(self, contraction: Contraction | Sweep, configuration: PipelineConfig) -> None:
        self.c, self.config = contraction, configuration
        if configuration.order not in ORDERS:
            raise ConfigurationError(
                f"persistent blocks have no closed form for the order {configuration.order.value}",
                hint="Use one of " + ", ".join(order.value for order in ORDERS),
            )
        self.groups = contraction.groups if isinstance(contraction, Contraction) else None
        if self.groups is not None and (configuration.order is not Order.ROW or configuration.cluster_m > 1):
            raise ConfigurationError(
                "tiles of ragged groups run row by row, in clusters of one row of tiles",
                configuration=configuration.describe(),
            )

    @property
    def counts(self) -> tuple[Index, Index]:
        """Tiles of whole clusters along m and n; of rows that fall into groups, the most that there may be."""
        rows = self.config.tile_m * self.config.cluster_m
        columns = ceil_div(self.c.n, self.config.tile_n * self.config.cluster_n)
        return ceil_div(self.c.m, rows) + (0 if self.groups is None else self.groups), columns

    @property
    def cluster(self) -> int:
        """Blocks of a cluster: those of neighbouring tiles, times the parts of the reduction."""
        return self.config.cluster * self.config.split_k

    def blocks(self, processors: int) -> Index:
        """Return the launch's blocks: as many whole clusters as fit on the processors, none without work, and none that saves no round.

        Where the last of r rounds lacks s tiles, as that of 512 tiles on 132 processors lacks 16, s // r clusters fewer take as many
        rounds, and the tiles of each begin together. Nobody knows beforehand how many tiles ragged groups have.
        """
        rows, columns = self.counts
        tiles, most = rows * columns * self.c.items, clusters_at_once(processors, self.cluster)
        if self.groups is not None:
            return minimum(tiles, most) * self.cluster
        away = (Const(0) - tiles) % most // (tiles // most + 1)
        return minimum(tiles, most - minimum(away, most // _AWAY)) * self.cluster

    def over_tiles(self, body: tuple[Node, ...], share: tuple[Index, int] | None = None) -> tuple[Node, ...]:
        """Return the nodes that run `body` for every tile of this block, with `ROW0`, `COLUMN0` and the item bound.

        With a `share` (first, every), for the rounds first, first + every, … alone, and with `ROUNDS` bound.
        """
        rows, columns = self.counts
        cluster, split = self.cluster, self.config.split_k
        clusters = Sym("clusters")
        tiles = Sym("tile_rows") * Sym("tile_columns") * self.c.items
        start = (
            Let(
                "row_rank",
                RANK % self.config.cluster // self.config.cluster_n if split > 1 else RANK // self.config.cluster_n,
            ),
            Let("column_rank", RANK % self.config.cluster_n),
            *((Let("split_rank", RANK // self.config.cluster),) if split > 1 else ()),
            Let("tile_rows", rows if self.groups is None else self._look(Looked.TILES, Const(0))),
            Let("tile_columns", columns),
            Let("clusters", BLOCKS // cluster),
            Let("first", BLOCK // cluster),
        )
        rounds = (tiles - Sym("first") + (clusters - 1)) // clusters
        if share is None:
            return (*start, Loop("round", Const(0), rounds, (*self._place(), *body)))
        turns = Loop("round", share[0], ROUNDS, (*self._place(), *body), step=share[1])
        return (*start, Let("rounds", rounds), turns)

    def _look(self, fn: Looked, position: Index) -> Ragged:
        assert self.groups is not None
        used, none = USED[fn], Const(0)
        count, rows = self.groups if "count" in used else none, self.c.m if "rows" in used else none
        return Ragged(fn, position, count, rows, self.config.tile_m if "tile" in used else 0)

    def _in_groups(self) -> tuple[Let, ...]:
        """Decode the counter into (tile row, tile column), and the tile row into a group and a row of it."""
        tile, columns, tile_row = Sym("tile"), Sym("tile_columns"), Sym("tile_row")
        local = tile_row - Sym("group_first")
        column = tile - tile_row * columns
        return (
            Let("tile", Sym("first") + Sym("round") * Sym("clusters")),
            Let("tile_row", tile // columns),
            Let("group_place", self._look(Looked.PLACE, tile_row)),
            Let(ITEM.name, self._look(Looked.GROUP, Sym("group_place"))),
            Let("group_first", self._look(Looked.FIRST, Sym("group_place"))),
            Let("group_start", self._look(Looked.END, ITEM - 1)),
            Let(GROUP_STOP.name, self._look(Looked.END, ITEM)),
            Let("row0", Sym("group_start") + local * self.config.tile_m),
            Let("column0", (column * self.config.cluster_n + COLUMN_RANK) * self.config.tile_n),
        )

    def _place(self) -> tuple[Let, ...]:
        """Decode the counter into (item, tile row, tile column), then into the block's first row and column."""
        if self.groups is not None:
            return self._in_groups()
        tile, rows, columns = Sym("tile"), Sym("tile_rows"), Sym("tile_columns")
        lets = [Let("tile", Sym("first") + Sym("round") * Sym("clusters"))]
        if self.config.order is Order.GROUPED_DIES:
            turn, tiles = Sym("turn"), rows * columns * self.c.items
            lets = [
                Let("turn", Sym("first") + Sym("round") * Sym("clusters")),
                Let("die", turn % DIES),
                Let("tile", Sym("die") * (tiles // DIES) + minimum(Sym("die"), tiles % DIES) + turn // DIES),
            ]
        place: Index = tile
        if self.c.items != Const(1):
            lets += [Let(ITEM.name, tile // (rows * columns)), Let("place", tile % (rows * columns))]
            place = Sym("place")
        match self.config.order:
            case Order.ROW:
                row, column = place // columns, place % columns
            case Order.COLUMN:
                row, column = place % rows, place // rows
            case _:
                group = self.config.group
                lets += [
                    Let("band", place // (columns * group)),
                    Let("band_rows", minimum(rows - Sym("band") * group, group)),
                    Let("in_band", place - Sym("band") * group * columns),
                ]
                row = Sym("band") * group + Sym("in_band") % Sym("band_rows")
                column = Sym("in_band") // Sym("band_rows")
                if self.config.order is Order.SERPENTINE:
                    lets += [Let("across", column), Let("backwards", Sym("band") % 2)]
                    column = Sym("across") + Sym("backwards") * (columns - 1 - Sym("across") * 2)
        lets += [
            Let("row0", (row * self.config.cluster_m + ROW_RANK) * self.config.tile_m),
            Let("column0", (column * self.config.cluster_n + COLUMN_RANK) * self.config.tile_n),
        ]
        return tuple(lets)
