# SPDX-License-Identifier: MIT
"""A sweep over a panel that asks for memory on its way: for the lines of its results, and for the part of B that the next panel copies.

Planes of pixels are such a B: a row of a panel is some lines of one plane, and the next row lies a whole plane further, where no processor
foresees it; so do the rows of the result. Asked for all at once such lines would be more than a core waits for at a time. So the sweep
pauses as often as a tile has rows. At each pause it asks for the lines of one row of the result, and for as many rows of the next panel as
fall to each row of the output; what lies between two pauses is the same loop as without.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.build.register_tile import RegisterTile, at
from tracea_core.semantic.contraction import I, J, KAxis
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, minimum
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Let, Loop, Node

_LINE_BYTES = 64
_NOW_LEVEL, _SOON_LEVEL = 1, 2
PAUSE, _ROW, _ASKED = Sym("pause"), Sym("asked_row"), Sym("asked")
"""Which pause of a tile's sweep it is, the row of the output that it belongs to, and a row of the next panel."""


def pausing(axis: KAxis, step: tuple[Node, ...], unroll: int, pauses: int, asks: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the loop of `step` along an axis, in as many parts as there are `pauses`, before each of which stands `asks`.

    Parts are whole rounds of `unroll` steps; what is left of the axis follows them.
    """
    rounds = Sym("k_rounds")
    first, last = (part * rounds // pauses * unroll for part in (PAUSE, PAUSE + 1))
    part = Loop(axis.name, first, last, step, unroll=unroll)
    return (
        Let(rounds.name, axis.extent // unroll),
        Loop(PAUSE.name, Const(0), Const(pauses), (*asks, part)),
        Loop(axis.name, rounds * unroll, axis.extent, step),
    )


class AskingSweep:
    """The nodes of one register tile's sweep.

    Raises
    ------
    ConfigurationError
        If B is no dense matrix, or the rows of the output do not lie at an address each.
    """

    def __init__(self, tile: RegisterTile) -> None:
        self.t, self.c = tile, tile.c
        strange = (self.c.b.guard, self.c.b.hoisted, self.c.out.hoisted, self.c.groups, len(self.c.k_axes) > 1)
        if any(strange) or self.c.gates > 1 or tile.config.split_k > 1:
            raise ConfigurationError(
                "only sweeps of whole dense panels ask for lines", configuration=tile.config.describe()
            )

    def accumulate(self, k_count: Index, k0: Index) -> tuple[Node, ...]:
        """Clear the accumulators and sweep the reduction, which begins at `k0`, in as many parts as the tile has rows."""
        k = self.c.k_axes[0].name
        hoisted, offset = self.t.a_in_place(Sym(k), k0)
        step: tuple[Node, ...] = (*self.t.load_panels(Sym(k)), *self.t.load_a(offset), *self.t.multiply())
        asks = (
            Let(_ROW.name, minimum(Sym("row0") + PAUSE, self.c.m - 1)),
            *self._results(),
            *self._next_panel(k_count),
        )
        parts = pausing(KAxis(k, k_count), step, self.t.config.tile_k, self.t.rows, asks)
        return (*hoisted, *self.t.clear(), *parts)

    def _results(self) -> tuple[Node, ...]:
        """Ask for the lines of one row of the tile's results."""
        line = _LINE_BYTES // self.c.out.dtype.bytes
        places = (
            at(self.c.out, {I.name: _ROW, J.name: Sym("column0") + first})
            for first in range(0, self.t.config.tile_n, line)
        )
        return tuple(Prefetch(place.operand, place.offset, _NOW_LEVEL, write=True) for place in places)

    def _next_panel(self, k_count: Index) -> tuple[Node, ...]:
        """Ask for this row's share of the next panel: all rows of the output together ask for all of it."""
        line = _LINE_BYTES // self.c.b.dtype.bytes
        each = Sym("asked_each")
        places = (
            at(self.c.b, {self.c.k_axes[0].name: _ASKED, J.name: Sym("column0") + (self.t.config.tile_n + first)})
            for first in range(0, self.t.config.tile_n, line)
        )
        asks = tuple(Prefetch(place.operand, place.offset, _SOON_LEVEL) for place in places)
        return (
            Let(each.name, ceil_div(k_count, self.c.m)),
            Loop(_ASKED.name, _ROW * each, minimum((_ROW + 1) * each, k_count), asks),
        )
