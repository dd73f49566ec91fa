# SPDX-License-Identifier: MIT
"""Boxes of both operands that the producer asks the L2 cache for before their slots are free.

Where all tiles run at the same time, every line of both operands is read from memory by whoever wants it first, and everybody waits for
it: a ring of four slots asks for a line 1.5 µs before it is multiplied, and a memory that is busy answers no earlier. A fetch takes
no slot. Each box is fetched by one of the blocks whose tiles need it, in turn, since a copy engine takes as long for a line that it finds
in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import BoxTile
from tracea_core.semantic.build.raster import COLUMN0, ROW0
from tracea_core.semantic.index import Index, Sym, equal, less
from tracea_core.semantic.steps import Fetch, If, Node

_STEP = Sym("k_step")


def fetches_ahead(
    config: PipelineConfig, a: BoxTile, b: BoxTile, steps: tuple[Index, Index], slot: Index
) -> tuple[Node, ...]:
    """Return what a step of the producer fetches: the boxes that its slot takes in so many rounds of the ring.

    The first round fetches those of all rounds before that, too.

    Parameters
    ----------
    steps : tuple of Index
        The first step of the tile's reduction, and the one after its last.
    """
    return tuple(_rounds(config, a, b, steps, slot))


def _rounds(config: PipelineConfig, a: BoxTile, b: BoxTile, steps: tuple[Index, Index], slot: Index) -> Iterator[Node]:
    first, last = steps
    ahead = config.value("ahead")
    for round_ in range(1, ahead + 1):
        later = _STEP + round_ * config.stages
        guard = (less(later, last),) if round_ == ahead else (less(_STEP, first + config.stages), less(later, last))
        row, column = ROW0 // config.tile_m, COLUMN0 // config.tile_n
        for tile, place, turn, of in ((a, ROW0, column, "tile_columns"), (b, COLUMN0, row, "tile_rows")):
            boxes = (load.source for load in tile.loads("", slot, place, later * config.tile_k))
            yield If((*guard, equal(later % Sym(of), turn)), tuple(Fetch(box) for box in boxes))
