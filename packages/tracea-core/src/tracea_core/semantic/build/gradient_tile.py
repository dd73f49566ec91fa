# SPDX-License-Identifier: MIT
"""The operands of a gradient of filters as a copy engine brings them: gradients of pixels, and what windows hold at elements of a filter.

A step of the reduction is some pixels, which a walk follows across rows and images. Of each it loads, for one element (r, s) of the
filter, as many channels as a swizzled row holds; a tile has several such columns, each of an element and channels of its own, decoded
once for each tile. Both operands are contiguous along the output, not along the reduction. Behind the last pixel of a part the
gradients are zeros, whatever the windows there hold.
"""

from __future__ import annotations

from tracea_core.semantic.build.box_tile import ROW_BYTES, BoxTile
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Const, Index, Sym, coefficient
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import AsyncLoad, Let, Multicast

PIXEL = Sym("pixel")
_CHANNELS, _COLUMNS = Sym("filter_c"), Sym("filter_s")
"""Extents of a filter, as `tracea_core.semantic.lower_filters` calls them."""


def is_gradient(c: Contraction) -> bool:
    """Whether the steps of the reduction, not the rows, are windows of images."""
    return c.windows is not None and not c.windows.named


def gradient_fault(c: Contraction, tile_n: int) -> str | None:
    """Return why tiles of so many columns are not made of whole runs of channels, or None."""
    width = ROW_BYTES // c.b.dtype.bytes
    if is_gradient(c) and tile_n % width:
        return f"tile_n {tile_n} is no multiple of the {width} channels of a filter's element that are loaded at once"
    return None


def pixels_of(c: Contraction) -> Index:
    """Return the pixels of a part."""
    images, rows, columns = (axis.extent for axis in c.k_axes)
    return images * rows * columns


class GradientTile(BoxTile):
    """A tile of the gradient: rows are pixels, columns are output channels."""

    def __init__(
        self, buffer: str, slots: int, c: Contraction, outer: int, tile_k: int, share: Multicast, digit: Index
    ) -> None:
        by_pixel, by_part = coefficient(c.a.offset, c.k_axes[-1].name), coefficient(c.a.offset, ITEM.name)
        assert by_pixel is not None and by_part is not None
        term = Term(c.a.operand, c.a.dtype, ITEM * by_part + PIXEL * by_pixel + I)
        super().__init__(buffer, slots, term, I, c.m, PIXEL.name, pixels_of(c), c.items, outer, tile_k, share, digit)


class ElementTile(BoxTile):
    """A tile of windows: rows are pixels, columns are elements of the filter and channels of each."""

    def __init__(
        self, buffer: str, slots: int, c: Contraction, outer: int, tile_k: int, share: Multicast, digit: Index
    ) -> None:
        assert c.windows is not None
        self.c, self.windows = c, c.windows
        term = Term(c.b.operand, c.b.dtype, J + PIXEL * self.windows.strides[1])
        super().__init__(buffer, slots, term, J, c.n, PIXEL.name, pixels_of(c), Const(1), outer, tile_k, share, digit)
        self.strides = self.windows.strides
        self.divisors = frozenset(c.divisors)

    @property
    def reciprocals(self) -> tuple[str, ...]:
        """Symbols that columns and pixels are divided by."""
        return self.c.divisors

    @property
    def multiples(self) -> dict[str, int]:
        """What channels are a multiple of: those that are loaded at once."""
        return {_CHANNELS.name: self.width}

    def first(self, column0: Index) -> tuple[Let, ...]:
        """Return the lets that decode the columns of a tile that begins at `column0` into elements of the filter and channels."""
        lets: list[Let] = []
        for column in range(0, self.columns, self.width):
            element, row = Sym(f"element{column}"), Sym(f"filter_row{column}")
            lets.append(Let(element.name, self._divided((column0 + column) // _CHANNELS)))
            lets.append(Let(f"channel{column}", column0 + column - element * _CHANNELS))
            lets.append(Let(row.name, self._divided(element // _COLUMNS)))
            lets.append(Let(f"filter_column{column}", element - row * _COLUMNS))
        return tuple(lets)

    def places(self, k0: Index) -> tuple[Let, ...]:
        """Return the lets that decode the first pixel that this block loads of the step that begins with pixel `k0` of the part."""
        _, rows, columns = (axis.extent for axis in self.c.k_axes)
        w, line, image = self.windows, Sym("line"), Sym("image")
        part = ITEM * pixels_of(self.c) if self.c.items != Const(1) else Const(0)
        return (
            Let(PIXEL.name, part + k0 + self.digit * (self.rows // self.share.count)),
            Let(line.name, self._divided(PIXEL // columns)),
            Let(image.name, self._divided(line // rows)),
            Let("y0", (line - image * rows) * w.step[1] + w.first[1]),
            Let("x0", (PIXEL - line * columns) * w.step[0] + w.first[0]),
        )

    def loads(self, ring: str, slot: Index, outer0: Index, k0: Index) -> tuple[AsyncLoad, ...]:
        """Return the walks that this block loads, one for each run of channels."""
        w, found = self.windows, []
        for number, load in enumerate(super().loads(ring, slot, outer0, k0)):
            column = number * self.width
            taps: dict[str, Index] = {"r": Sym(f"filter_row{column}"), "s": Sym(f"filter_column{column}")}
            right, down = (replace_symbols(part, taps) for part in w.element)
            pixels = Pixels(w.first, w.last, w.step, (right, down))
            origin = (Sym(f"channel{column}"), Sym("x0"), Sym("y0"), Sym("image"))
            box = load.source.replace(extents=w.extents, strides=w.strides, origin=origin, pixels=pixels)
            found.append(load.replace(source=box))
        return tuple(found)

    def _divided(self, value: Index) -> Index:
        return multiplied(value, self.divisors)
