# SPDX-License-Identifier: MIT
"""A sweep over a panel that asks for memory on its way: for the lines of its results, and for the part of B that the next panel copies.

Planes of pixels are such a B: a row of a panel is some lines of one plane, and the next row lies a whole plane further, where no processor
foresees it; so do the rows of the result. Asked for all at once such lines would be more than a core waits for at a time. So the sweep
pauses as often as a tile has rows, to ask for the lines of one row of the result, and between these as often as rows of the next panel fall
to each row of the output, to ask for one of them; what lies between two pauses is the same loop as without. The next panel is that of the
next unit of work: behind the last panel of a matrix comes the first one of the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.build.register_tile import RegisterTile, at
from tracea_core.semantic.contraction import ITEM, I, J, KAxis
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, maximum, minimum, substitute
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Let, Loop, Node

_LINE_BYTES = 64
_NOW_LEVEL, _SOON_LEVEL = 1, 2
_LEAST_ROUNDS = 2
"""Rounds of a sweep between two pauses, as far as they go round."""
PAUSE, PART = Sym("pause"), Sym("pause_part")
"""Which row of a tile a pause of its sweep is for, and which of those for this row it is."""
_ROW, _ASKED, _EACH, _PARTS = Sym("asked_row"), Sym("asked"), Sym("asked_each"), Sym("pause_parts")
"""The row of the output that a pause belongs to, what counts rows, how many rows of the next panel a pause asks for, and how many pauses a
row has."""
_COLUMN, _ITEM = Sym("next_column"), Sym("next_item")
"""Where the panel of the next unit of work begins, and in which matrix."""


def pausing(
    axis: KAxis,
    step: tuple[Node, ...],
    unroll: int,
    pauses: int,
    asks: tuple[Node, ...],
    parts: tuple[Index, tuple[Node, ...]] | None = None,
) -> tuple[Node, ...]:
    """Return the loop of `step` along an axis, in as many parts as there are `pauses`, before each of which stands `asks`.

    Parts are whole rounds of `unroll` steps; what is left of the axis follows them.

    Parameters
    ----------
    parts : optional
        How often each part is divided once more, and what stands before each of these.
    """
    rounds, each, count = Sym("k_rounds"), Sym("rounds_each"), parts[0] if parts else Const(1)
    number = PAUSE * count + PART if parts else PAUSE
    first, last = (minimum(part * each, rounds) * unroll for part in (number, number + 1))
    inside: tuple[Node, ...] = (Loop(axis.name, first, last, step, unroll=unroll),)
    if parts:
        inside = (Loop(PART.name, Const(0), count, (*parts[1], *inside)),)
    return (
        Let(rounds.name, axis.extent // unroll),
        Let(each.name, ceil_div(rounds, count * pauses)),
        Loop(PAUSE.name, Const(0), Const(pauses), (*asks, *inside)),
        Loop(axis.name, rounds * unroll, axis.extent, step),
    )


def result_asks(tile: RegisterTile) -> Loop:
    """Ask for the lines of a tile's results, a row at a time, wherever in a line rows begin."""
    wide = tile.config.tile_n
    firsts = (*range(0, wide, _LINE_BYTES // tile.c.out.dtype.bytes), wide - 1)
    row = Let(_ROW.name, minimum(Sym("row0") + _ASKED, tile.c.m - 1))
    return Loop(_ASKED.name, Const(0), Const(tile.rows), (row, *_results(tile, firsts)))


def _results(tile: RegisterTile, columns: Iterable[int]) -> tuple[Prefetch, ...]:
    """Ask for the lines of one row of a tile's results in which these columns of it lie."""
    places = (at(tile.c.out, {I.name: _ROW, J.name: Sym("column0") + column}) for column in columns)
    return tuple(Prefetch(place.operand, place.offset, _NOW_LEVEL, write=True) for place in places)


class AskingSweep:
    """The nodes of one register tile's sweep.

    Raises
    ------
    ConfigurationError
        If B is no dense matrix, or the rows of the output do not lie at an address each.
    """

    def __init__(self, tile: RegisterTile) -> None:
        self.t, self.c = tile, tile.c
        self._line = _LINE_BYTES // tile.c.out.dtype.bytes
        strange = (self.c.b.guard, self.c.b.hoisted, self.c.out.hoisted, self.c.groups, len(self.c.k_axes) > 1)
        if any(strange) or self.c.gates > 1 or tile.config.split_k > 1:
            raise ConfigurationError(
                "only sweeps of whole dense panels ask for lines", configuration=tile.config.describe()
            )

    def next_unit(self, panels: Index, splits: Index) -> tuple[Let, ...]:
        """Name where the panel of the next unit of work lies, and how it is divided among the pauses of this one's sweeps."""
        unit, k, rows = Sym("unit") + 1, self.c.k_axes[0].extent, maximum(self.c.m, 1)
        most = maximum(k // (self.t.config.tile_k * self.t.rows * _LEAST_ROUNDS), 1)
        return (
            Let(_COLUMN.name, unit % panels * self.t.config.tile_n),
            Let(_ITEM.name, unit // (panels * splits)),
            Let(_PARTS.name, maximum(minimum(ceil_div(k, rows), most), 1)),
            Let(_EACH.name, ceil_div(k, rows * _PARTS)),
        )

    def accumulate(self, k_count: Index, k0: Index) -> tuple[Node, ...]:
        """Clear the accumulators and sweep the reduction, which begins at `k0`, in parts."""
        k, unroll, rows = self.c.k_axes[0].name, self.t.config.tile_k, self.t.rows
        hoisted, offset = self.t.a_in_place(Sym(k), k0)
        step: tuple[Node, ...] = (*self.t.load_panels(Sym(k)), *self.t.load_a(offset), *self.t.multiply())
        asks: tuple[Node, ...] = (
            Let(_ROW.name, minimum(Sym("row0") + PAUSE, self.c.m - 1)),
            *_results(self.t, range(0, self.t.config.tile_n, self._line)),
        )
        parts = pausing(KAxis(k, k_count), step, unroll, rows, asks, (_PARTS, self._next_panel(k_count)))
        return (*hoisted, *self.t.clear(), *parts)

    def _next_panel(self, k_count: Index) -> tuple[Node, ...]:
        """Ask for this part's share of the next panel: all rows of the output together ask for all of it."""
        line = _LINE_BYTES // self.c.b.dtype.bytes
        number = (_ROW * _PARTS + PART) * _EACH
        places = (
            at(self.c.b, {self.c.k_axes[0].name: _ASKED, J.name: _COLUMN + first})
            for first in range(0, self.t.config.tile_n, line)
        )
        asks = tuple(Prefetch(place.operand, self._of_next(place.offset), _SOON_LEVEL) for place in places)
        return (Loop(_ASKED.name, number, minimum(number + _EACH, k_count), asks),)

    def _of_next(self, offset: Index) -> Index:
        """Return an offset in the matrix of the next unit of work."""
        for named in reversed(self.c.item_names):
            offset = substitute(offset, {named.name: named.value})
        return substitute(offset, {ITEM.name: _ITEM})
