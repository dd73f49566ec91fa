# SPDX-License-Identifier: MIT
"""Planar results of a sweep by windows: a tile's rows are pixels, and pixels of one channel lie next to each other in memory.

Stored from the registers of a tile, whose lanes are channels, every element would be a store of its own, and each of them would wait
for a line of memory. So the results of as many tiles as make whole vectors of pixels wait in the worker's own memory, are turned, a
square block at a time, and stored as runs of pixels. Meanwhile each tile asks for its part of the lines that will be written: before its
sweep, or where windows are single pixels at pauses of it, those of a channel at a time, since all at once are more than a core waits
for. A block that reaches into further images, or beyond the last row or channel, is stored with masks, once for each image.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tracea_core.semantic.build.register_tile import RegisterTile, vectors
from tracea_core.semantic.contraction import J
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    ceil_div,
    coefficient,
    less,
    minimum,
    substitute,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, BufferRef, If, Let, Load, Loop, Node, Store, Transfer, Turn

IMAGE, PIXEL = Sym("pixel_image"), Sym("pixel")
"""The image that a row belongs to, and which of its output pixels it is."""
_LINE_BYTES = 64
_SOON_LEVEL = 2
_BUFFER = "finished"
_FIRST, _LAST, _STOP = Sym("finished_first"), Sym("finished_last"), Sym("finished_stop")
"""The tiles whose results are stored together, and the row after the last one."""
_ASKED = Sym("asked")
_ROW, _SIDE, _RUN = Sym("finished_row"), Sym("side"), Sym("run_pixel")
"""The first row of a block, which vector of channels it has, and its first row's pixel, counted from an image's first one."""


class FinishedPlanes:
    """What passes results on to planes.

    Parameters
    ----------
    tile : RegisterTile
        Its rows are the pixels of all images, its columns channels.
    pixels : Index
        Of an image.
    divisors : frozenset of str
        What rows are divided by.
    in_sweep : bool
        Whether tiles ask for lines at pauses of their sweep.
    """

    def __init__(self, tile: RegisterTile, pixels: Index, divisors: frozenset[str], in_sweep: bool = False) -> None:
        self.in_sweep = in_sweep
        self.t, self.out, self.lanes, self.pixels, self.divisors = tile, tile.c.out, tile.lanes, pixels, divisors
        self.together = math.lcm(tile.rows, tile.lanes) // tile.rows
        square = fma_outer(self.lanes, 1, self.lanes, tile.c.compute).c
        self.turned = Fragment("channels_held", self.out.dtype, square.transposed())
        self.block = Fragment("pixels_held", self.out.dtype, square)

    def buffer(self) -> Buffer:
        """Return the worker's memory for the results of the tiles that are stored together."""
        row = vectors(self.t.config.tile_n, self.lanes)
        rows = Const(self.together * self.t.rows)
        return Buffer(_BUFFER, Space.PANEL, self.out.dtype, row, Lifetime.TILE, extent=rows)

    def fragments(self) -> list[Fragment]:
        """Return the fragments that `nodes` use."""
        return [self.turned, self.block]

    def nodes(self, first: Index, last: Index, finish: Callable[[BufferRef], tuple[Node, ...]]) -> tuple[Node, ...]:
        """Sweep the tiles from `first` to `last` and store them.

        Parameters
        ----------
        finish : callable
            Returns the nodes that finish the tile ``place`` and leave its results where it is told.
        """
        batch = Sym("batch")
        held = BufferRef(_BUFFER, ((Sym("place") - _FIRST) * self.t.rows + ROW, COLUMN))
        inside: tuple[Node, ...] = (
            Let(_FIRST.name, first + batch * self.together),
            Let(_LAST.name, minimum(_FIRST + self.together, last)),
            *(Let(self._soon(line).name, self._line(line)) for line in self._lines()),
            Loop("place", _FIRST, _LAST, finish(held) if self.in_sweep else (self._ask(), *finish(held))),
            Let(_STOP.name, minimum(_LAST * self.t.rows, self.t.c.m)),
            Loop(_ROW.name, _FIRST * self.t.rows, _STOP, self._store(), step=self.lanes),
        )
        return (Loop(batch.name, Const(0), ceil_div(last - first, self.together), inside),)

    # ---- asking for lines

    def _lines(self) -> range:
        """The rows of a batch at which lines of memory begin, if planes begin with a line."""
        return range(0, self.together * self.t.rows, _LINE_BYTES // self.out.dtype.bytes)

    @staticmethod
    def _soon(line: int) -> Sym:
        return Sym(f"soon{line}")

    def _line(self, line: int) -> Index:
        """Where a row of the batch lies in the first channel's plane."""
        row = _FIRST * self.t.rows + line
        image, pixel = (multiplied(place, self.divisors) for place in (row // self.pixels, row % self.pixels))
        return substitute(self.out.offset, {IMAGE.name: image, PIXEL.name: pixel, J.name: Const(0)})

    def _ask(self) -> Loop:
        """Ask for the lines of a tile's share of the panel's channels."""
        return Loop(_ASKED.name, Const(0), Const(self.channels), self.asks(_ASKED))

    @property
    def channels(self) -> int:
        """A tile's share of the panel's channels."""
        return -(-self.t.config.tile_n // self.together)

    def asks(self, number: Index) -> tuple[Prefetch, ...]:
        """Ask for the lines of one channel of a tile's share."""
        apart = coefficient(self.out.offset, J.name)
        assert apart is not None
        channel = Sym("column0") + (Sym("place") - _FIRST) * self.channels + number
        return tuple(
            Prefetch(self.out.operand, self._soon(line) + channel * apart, _SOON_LEVEL, write=True)
            for line in self._lines()
        )

    # ---- storing

    def _store(self) -> tuple[Node, ...]:
        """Store a block of rows for all channels of the panel."""
        rows = self.lanes - 1
        first, last = (
            multiplied(row // self.pixels, self.divisors)
            for row in (_ROW, minimum(_ROW + self.lanes, _STOP) - 1)
        )  # fmt: skip
        whole: Guard = (
            less(_ROW + rows, _STOP),
            less(Sym("first_pixel") + rows, self.pixels),
            less(Sym("column0") + (self.t.config.tile_n - 1), self.t.c.n),
        )
        masked: Guard = (
            less(_ROW + COLUMN, _STOP),
            less(Const(-1), _RUN + COLUMN),
            less(_RUN + COLUMN, self.pixels),
            less(self._channel(), self.t.c.n),
        )
        place = BufferRef(_BUFFER, (_ROW - _FIRST * self.t.rows + COLUMN, _SIDE * self.lanes + ROW))
        load = Load(self.turned.name, place, Transfer.VECTOR)
        turn = Turn(self.block.name, self.turned.name)
        one = (Let(IMAGE.name, Sym("first_image")), Let(_RUN.name, Sym("first_pixel")))
        each = Loop(IMAGE.name, Sym("first_image"), Sym("last_image") + 1, (
            Let(_RUN.name, _ROW - IMAGE * self.pixels), self._planes(masked),
        ))  # fmt: skip
        return (
            Let("first_image", first),
            Let("last_image", last),
            Let("first_pixel", _ROW - Sym("first_image") * self.pixels),
            If(
                whole,
                (*one, self._sides((load, turn, self._planes(())))),
                (self._sides((load.replace(guard=masked[:1]), turn, each)),),
            ),
        )

    def _sides(self, body: tuple[Node, ...]) -> Loop:
        return Loop(_SIDE.name, Const(0), Const(self.t.vectors), body)

    def _channel(self) -> Index:
        return Sym("column0") + _SIDE * self.lanes + ROW

    def _planes(self, guard: Guard) -> Store:
        offset = substitute(self.out.offset, {J.name: self._channel(), PIXEL.name: _RUN + COLUMN})
        return Store(Access(self.out.operand, offset), self.block.name, Transfer.VECTOR, guard)
