# SPDX-License-Identifier: MIT
"""Planar results of minimal filtering: tiles of 2×2 pixels next to each other are runs of two lines of each channel's plane.

A tile's results are vectors of channels, of which every element would be a store of its own. So the tiles of a block are finished line by
line, as many at a time as have a vector of pixels in each of their two lines. Their results wait in the worker's own memory, are turned, a
square block at a time, and stored as runs of pixels; what is left of a line, and a panel's last channels, with masks. Meanwhile each tile
asks for its part of the lines of memory that will be written.
"""

from __future__ import annotations

from tracea_core.semantic.build.finished_planes import IMAGE, PIXEL
from tracea_core.semantic.build.register_tile import RegisterTile, vectors
from tracea_core.semantic.build.turned_filters import TILE
from tracea_core.semantic.contraction import J
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    ceil_div,
    less,
    maximum,
    minimum,
    substitute,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, BufferRef, If, Let, Load, Loop, Node, Store, Transfer, Turn

TILE_IMAGE, TILE_ROW, TILE_COLUMN = Sym("tile_image"), Sym("tile_row"), Sym("tile_column")
"""The image that a tile belongs to, and the pixel at which it begins."""
TILES_ACROSS, TILE_LINES = Sym("tiles_across"), Sym("tile_lines")
"""Tiles of an image next to each other, and lines of them."""
_BUFFER = "finished"
_SOON_LEVEL = 2
_LINE, _FIRST, _LAST = Sym("tile_line"), Sym("finished_first"), Sym("finished_last")
"""Which line of tiles it is, of all images, and those tiles of it that are stored together."""
_BEGIN, _END, _STOP = Sym("finished_column"), Sym("finished_end"), Sym("column_stop")
"""The column of an image at which they begin, at which they end, and at which those of a line that exist do."""
_LOWER, _SIDE, _ASKED = Sym("lower"), Sym("side"), Sym("asked")
"""Which of a tile's two lines of pixels it is, which vector of channels, and a channel whose lines of memory are asked for."""


class FinishedTiles:
    """What passes results on to planes.

    Parameters
    ----------
    tile : RegisterTile
        Its columns are channels.
    width, pixels : Index
        Of an image: the columns of a line, and all pixels.
    """

    def __init__(self, tile: RegisterTile, width: Index, pixels: Index) -> None:
        self.t, self.out, self.lanes, self.width, self.pixels = tile, tile.c.out, tile.lanes, width, pixels
        self.together = tile.lanes // TILE
        square = fma_outer(self.lanes, 1, self.lanes, tile.c.compute).c
        self.turned = Fragment("channels_held", self.out.dtype, square.transposed())
        self.block = Fragment("pixels_held", self.out.dtype, square)

    def buffer(self) -> Buffer:
        """Return the worker's memory for the results of the tiles that are stored together: one line of pixels, then the next one."""
        row = vectors(self.t.config.tile_n, self.lanes)
        return Buffer(_BUFFER, Space.PANEL, self.out.dtype, row, Lifetime.TILE, extent=Const(TILE * self.lanes))

    def fragments(self) -> list[Fragment]:
        """Return the fragments that `nodes` use."""
        return [self.turned, self.block]

    def held(self, line: int, pixel: int, channel: Index) -> BufferRef:
        """Return where a pixel of the tile ``tile`` waits, from a channel of the panel on."""
        row = (Sym("tile") - _FIRST) * TILE + (line * self.lanes + pixel)
        return BufferRef(_BUFFER, (row, channel + COLUMN))

    def nodes(self, first: Index, last: Index, finish: tuple[Node, ...]) -> tuple[Node, ...]:
        """Finish the tiles from `first` to `last` for the panel ``panel``, and store them.

        Parameters
        ----------
        finish : tuple of Node
            Finish the tile ``tile``, which begins at the pixel that `TILE_ROW` and `TILE_COLUMN` are, and leave its results where
            `held` says.
        """
        batch, line0 = Sym("batch"), _LINE * TILES_ACROSS
        begin, stop = Sym("line_first"), Sym("line_last")
        inside: tuple[Node, ...] = (
            Let(_FIRST.name, begin + batch * self.together),
            Let(_LAST.name, minimum(_FIRST + self.together, stop)),
            Let(_BEGIN.name, (_FIRST - line0) * TILE),
            Let(_END.name, minimum((_LAST - line0) * TILE, self.width)),
            Loop("tile", _FIRST, _LAST, (
                Let(TILE_COLUMN.name, (Sym("tile") - line0) * TILE), self._ask(), *finish,
            )),
            Loop(_LOWER.name, Const(0), Const(TILE), self._store()),
        )  # fmt: skip
        return (
            Let("panel_column", Sym("panel") * self.t.config.tile_n),
            Let("panel_vectors", minimum(ceil_div(self.t.c.n - Sym("panel_column"), self.lanes), Const(self.t.vectors))),
            Loop(_LINE.name, first // TILES_ACROSS, ceil_div(last, TILES_ACROSS), (
                Let(begin.name, maximum(line0, first)),
                Let(stop.name, minimum(line0 + TILES_ACROSS, last)),
                Let(TILE_IMAGE.name, _LINE // TILE_LINES),
                Let(TILE_ROW.name, _LINE % TILE_LINES * TILE),
                Loop(batch.name, Const(0), ceil_div(stop - begin, self.together), inside),
            )),
        )  # fmt: skip

    def _line(self, line: Index | int) -> Index:
        """The first pixel of one of a tile's two lines."""
        return (TILE_ROW + line) * self.width

    def _ask(self) -> Loop:
        """Ask for a tile's share of the lines of memory: those of the first and the last pixel of each line, for some channels."""
        share = -(-self.t.config.tile_n // self.together)
        channel = Sym("panel_column") + (Sym("tile") - _FIRST) * share + _ASKED
        asks = tuple(
            Prefetch(self.out.operand, self._place(channel, self._line(line) + pixel), _SOON_LEVEL, write=True)
            for line in range(TILE)
            for pixel in (_BEGIN, _END - 1)
        )
        return Loop(_ASKED.name, Const(0), Const(share), asks)

    def _store(self) -> tuple[Node, ...]:
        """Store one of the two lines of pixels for all channels of the panel."""
        line = self._line(_LOWER)
        channel = Sym("panel_column") + _SIDE * self.lanes + ROW
        whole: Guard = (
            less(_BEGIN + (self.lanes - 1), _STOP),
            less(Sym("panel_column") + (self.t.config.tile_n - 1), self.t.c.n),
        )
        masked: Guard = (less(_BEGIN + COLUMN, _STOP), less(channel, self.t.c.n))
        place = BufferRef(_BUFFER, (_LOWER * self.lanes + COLUMN, _SIDE * self.lanes + ROW))
        target = Access(self.out.operand, self._place(channel, line + _BEGIN + COLUMN))

        def block(guard: Guard) -> tuple[Node, ...]:
            return (
                Load(self.turned.name, place, Transfer.VECTOR, guard[:1]),
                Turn(self.block.name, self.turned.name),
                Store(target, self.block.name, Transfer.VECTOR, guard),
            )

        sides = (Loop(_SIDE.name, Const(0), Sym("panel_vectors"), block(guard)) for guard in ((), masked))
        return (
            Let(_STOP.name, minimum(_END, self.pixels - line)),
            If((less(_BEGIN, _STOP),), (If(whole, (next(sides),), (next(sides),)),)),
        )

    def _place(self, channel: Index, pixel: Index) -> Index:
        return substitute(self.out.offset, {J.name: channel, PIXEL.name: pixel, IMAGE.name: TILE_IMAGE})
