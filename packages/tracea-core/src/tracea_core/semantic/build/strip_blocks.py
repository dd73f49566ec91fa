# SPDX-License-Identifier: MIT
"""How a GPU's strips are dealt to blocks: as many as run at once, each of which takes as many strips as the others."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.strip_columns import COLUMN0, StripColumns
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, maximum
from tracea_core.semantic.steps import Barrier, Let, Loop, Node, Scope
from tracea_core.target import CapabilityProfile


def blocks(
    configuration: PipelineConfig, profile: CapabilityProfile, rows: Index, columns: Index, registers: int
) -> Index:
    """Return the number of blocks that take so many rounds of strips of each column of tiles, with so many registers a thread."""
    at_once = maximum(Const(profile.processors * together(configuration, profile, registers)) // maximum(columns, 1), 1)
    return ceil_div(rows, maximum(ceil_div(rows, at_once), 1)) * columns


def together(configuration: PipelineConfig, profile: CapabilityProfile, registers: int) -> int:
    """Return how many blocks of so many registers a thread share a processor."""
    return max(profile.registers_per_processor // (registers * configuration.warps * profile.lanes), 1)


def dealt(
    columns: StripColumns,
    counts: tuple[Index, Index],
    staged: tuple[Node, ...],
    strip: tuple[Node, ...],
    *,
    meet: bool = True,
) -> tuple[Node, ...]:
    """Return the body of blocks that stage what a column of tiles needs, and take each strip of it whose turn it is.

    Blocks are dealt to columns of tiles, so many to each, and take its strips in turns. Where there are fewer blocks than columns, a block
    takes several columns one after the other; one that is left over has nothing to do.

    Parameters
    ----------
    counts : (Index, Index)
        Strips of a line, and of all lines and images, of a column of tiles.
    staged, strip : tuple of Node
        What a block does first for a column of tiles, and what it does with its ``place``.
    meet : bool
        Whether warps share what is staged, so that nobody replaces it while others use it.
    """
    block, tiles, each, further = Sym("block"), Sym("tile_columns"), Sym("blocks_each"), Sym("columns_apart")
    apart = each * columns.takers
    turn = Sym("first_place") + Sym("round") * apart
    rounds = (Sym("places") - Sym("first_place") + (apart - 1)) // apart
    place = Let("place", turn + WARP if columns.takers > 1 else turn)
    column = (*staged, Loop("round", Const(0), rounds, (place, *strip)))
    begin = (*columns.begin(), Let("strips", counts[0]), Let("places", counts[1]))
    if columns.all:
        own = (Let(COLUMN0.name, Const(0)), Let(each.name, Sym("blocks")), Let("first_place", block * columns.takers))
        return (*begin, *own, *column)
    first = Let(COLUMN0.name, (Sym("column") + Sym("turn") * further) * columns.tile)
    return (
        *begin,
        Let("tile_columns", ceil_div(columns.count, columns.tile)),
        Let("blocks_each", maximum(Sym("blocks") // maximum(tiles, 1), 1)),
        Let(further.name, Sym("blocks") // each),
        Let("column", block // each),
        Let("first_place", block % each * columns.takers),
        Loop(
            "turn", Const(0), (tiles - Sym("column") + (further - 1)) // further,
            (first, *column, *((Barrier(Scope.BLOCK, "used"),) if meet else ())),
        ),
    )  # fmt: skip
