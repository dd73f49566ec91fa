# SPDX-License-Identifier: MIT
"""Filters of 3×3 weights turned for minimal filtering: G·g·Gᵀ, 16 factors of 9 weights, panel by panel of the register tile."""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr
from tracea_core.semantic.build.asked_lines import block_asks
from tracea_core.semantic.build.register_tile import RegisterTile, at, vectors
from tracea_core.semantic.contraction import Contraction, J
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, coefficient, less, minimum, substitute
from tracea_core.semantic.kernel import Buffer, Lifetime, Space
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, BufferRef, Compute, If, Let, Load, Loop, Node, Store, Transfer, Turn

TAPS, TILE = 3, 2
"""Rows and columns of the filter, and of the pixels that are computed together."""
SEEN = TILE + TAPS - 1
PLACES = SEEN * SEEN
VECTOR = Sym("vector")
"""Which group of vectors of a panel, those that are turned together."""
_MOST_BESIDE = 4
"""Vectors of filters that are turned together, or tiles of sums: more steps at once, in as much time."""
_TAPS, _FILTERS = "taps", "filters"
_SIDE = Sym("side")


class TurnedFilters:
    """The nodes that turn filters, and where they lie then.

    Parameters
    ----------
    contraction : Contraction
        As it was lowered: its rows are the filters.
    tile : RegisterTile
        The same with pixels as rows.
    channels : Index
        Of a filter.
    """

    def __init__(self, contraction: Contraction, tile: RegisterTile, channels: Index) -> None:
        self.f, self.c, self.t, self.channels = contraction, tile.c, tile, channels
        self.lanes, self.compute = tile.lanes, tile.c.compute
        self.beside = tile.vectors if tile.vectors <= _MOST_BESIDE else 1
        self.across = self.beside * self.lanes

    def layout(self) -> FragmentLayout:
        """Return how registers hold the filters that are turned together, one number of each."""
        found = fma_outer(1, self.beside, self.lanes, self.compute).b
        assert found is not None
        return found

    def buffers(self) -> list[Buffer]:
        """Return a worker's block of filters before they are turned, and all filters turned."""
        panel, taps = vectors(self.t.config.tile_n, self.lanes), Const(TAPS * TAPS * self.lanes)
        rows = self.t.panels() * (self.channels + 1) * PLACES
        across = vectors(self.across, self.lanes)
        return [
            Buffer(_TAPS, Space.PANEL, self.compute, across, Lifetime.TILE_COLUMN, extent=taps),
            Buffer(_FILTERS, Space.WORKSPACE, self.compute, panel, Lifetime.CALL, extent=rows),
        ]

    def row(self, panel: Index, place: Index, channel: Index) -> BufferRef:
        """Return where a channel's row of a panel of filters lies.

        Places are a row more apart than they have, or those of a channel would all fall into one set of a cache.
        """
        return self._row(panel, place, channel, COLUMN)

    def _row(self, panel: Index, place: Index, channel: Index, column: Index) -> BufferRef:
        return BufferRef(_FILTERS, ((panel * PLACES + place) * (self.channels + 1) + channel, column))

    def nodes(self) -> tuple[Node, ...]:
        """Turn what a vector of channels has of a panel of filters: G·g·Gᵀ.

        Filters whose elements are runs of memory are read along them, and blocks of them turned in registers; others, and what is left of
        the channels, element by element.
        """
        panel, first, channel = Sym("filter_panel"), Sym("first_channel"), Sym("filter_channel")
        stop = minimum(first + self.lanes, self.channels)
        gathered = Loop(channel.name, first, stop, (*self._gather(panel, channel), *self._turn_filter(panel, channel)))
        nodes: tuple[Node, ...] = (gathered,)
        blocks, row = self._blocks(panel, first)
        if blocks:
            taps = [
                Load(name, BufferRef(_TAPS, (row(tap, channel - first), COLUMN)), Transfer.VECTOR)
                for tap, name in _taps()
            ]
            turned = Loop(channel.name, first, stop, (*taps, *self._turn_filter(panel, channel)))
            nodes = (If((less(first + (self.lanes - 1), self.channels),), (*blocks, turned), nodes),)
        chunks = Sym("chunks")
        return (
            Let(panel.name, Sym("filter") // chunks),
            Let(first.name, Sym("filter") % chunks * self.lanes),
            Loop(VECTOR.name, Const(0), Const(self.t.vectors // self.beside), nodes),
        )

    def _blocks(self, panel: Index, first: Sym) -> tuple[list[Node], Callable[[int, Index], Index]]:
        """Copy the elements of a vector of filters, for a vector of channels, into ``taps``; and in which row of it an element lies.

        Filters beyond the last repeat it; what is multiplied by them is never stored. Each block asks for that of the next channels.
        """
        filters = minimum(self.first(panel) + _SIDE * self.lanes + COLUMN, self.c.n - 1)
        axes = tuple(axis.name for axis in self.f.k_axes)
        if self.lanes > 1 and coefficient(self.c.b.offset, "c") == Const(1):
            sources = [self._tap(filters, first + ROW, r, s) for r in range(TAPS) for s in range(TAPS)]
            row: Callable[[int, Index], Index] = lambda tap, channel: channel + tap * self.lanes  # noqa: E731
        elif self.lanes > 1 and self.f.a_step == Const(1) and axes == ("c", "r", "s"):
            run = self._tap(filters, first, 0, 0)
            sources = [run.replace(offset=run.offset + (ROW + block * self.lanes)) for block in range(TAPS * TAPS)]
            row = lambda tap, channel: channel * (TAPS * TAPS) + tap  # noqa: E731
        else:
            return [], lambda tap, channel: channel
        nodes: list[Node] = []
        for block, source in enumerate(sources):
            further = substitute(source.offset, {first.name: first + self.lanes})
            nodes += [
                *block_asks(self.c.b, further, self.lanes),
                Load(self.t.turned.name, source, Transfer.VECTOR),
                Turn(self.t.square.name, self.t.turned.name),
                Store(
                    BufferRef(_TAPS, (ROW + block * self.lanes, _SIDE * self.lanes + COLUMN)),
                    self.t.square.name,
                    Transfer.VECTOR,
                ),
            ]
        return [Loop(_SIDE.name, Const(0), Const(self.beside), tuple(nodes))], row

    def first(self, panel: Index) -> Index:
        """Return the first filter of those of a panel that are turned together."""
        return panel * self.t.config.tile_n + VECTOR * self.across

    def _tap(self, filters: Index, channel: Index, r: int, s: int) -> Access:
        tap = at(self.c.b, {J.name: filters, "r": Const(r), "s": Const(s), "c": channel})
        return Access(tap.operand, tap.offset)

    def _gather(self, panel: Index, channel: Index) -> list[Node]:
        """Load the elements of a vector of filters for one channel; filters beyond the last are zero."""
        filters = self.first(panel) + COLUMN
        return [
            Load(name, self._tap(filters, channel, *divmod(tap, TAPS)), Transfer.GATHER, (less(filters, self.c.n),))
            for tap, name in _taps()
        ]

    def _turn_filter(self, panel: Index, channel: Index) -> list[Node]:
        """Turn the elements that registers hold, and store what each place multiplies by."""
        nodes: list[Node] = []
        for s in range(TAPS):
            nodes += self._filtered(
                [register("p", r, s) for r in range(TAPS)], [register("q", r, s) for r in range(SEEN)]
            )
        for r in range(SEEN):
            nodes += self._filtered(
                [register("q", r, s) for s in range(TAPS)], [register("p", r, s) for s in range(SEEN)]
            )
        for place, name in enumerate(registers("p")):
            target = self._row(panel, Const(place), channel, VECTOR * self.across + COLUMN)
            nodes.append(Store(target, name, Transfer.VECTOR))
        return nodes

    def _filtered(self, taps: list[str], out: list[str]) -> list[Node]:
        """Three taps along one axis as four factors; the outer ones are taps as they are."""
        first, middle, last = taps
        half = Constant(0.5)
        return [
            Compute("tap_sum", add(Accumulator(0), Accumulator(1)), self.compute, (first, last)),
            Compute(out[3], Accumulator(0), self.compute, (last,)),
            Compute(out[0], Accumulator(0), self.compute, (first,)),
            Compute(out[2], _times(subtract(Accumulator(0), Accumulator(1)), half), self.compute, ("tap_sum", middle)),
            Compute(out[1], _times(add(Accumulator(0), Accumulator(1)), half), self.compute, ("tap_sum", middle)),
        ]


def register(letter: str, row: int, column: int) -> str:
    """Return what the fragment is called that holds the number at a row and column of what is turned."""
    return f"{letter}{row}{column}"


def registers(letter: str) -> list[str]:
    """Return the names of all of them, row by row."""
    return [register(letter, row, column) for row in range(SEEN) for column in range(SEEN)]


def _taps() -> list[tuple[int, str]]:
    """The elements of a filter in order, and the registers that hold them."""
    return [(r * TAPS + s, register("p", r, s)) for r in range(TAPS) for s in range(TAPS)]


def add(x: Expr, y: Expr) -> Binary:
    """Return x + y."""
    return Binary(BinaryFn.ADD, x, y)


def subtract(x: Expr, y: Expr) -> Binary:
    """Return x - y."""
    return Binary(BinaryFn.SUB, x, y)


def _times(x: Expr, y: Expr) -> Binary:
    return Binary(BinaryFn.MUL, x, y)
