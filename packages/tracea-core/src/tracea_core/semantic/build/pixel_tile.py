# SPDX-License-Identifier: MIT
"""The operands of a convolution as a copy engine brings them: windows of images, and filters by their elements.

A step of the reduction is one element (r, s) of the filter and as many channels as a slot is deep. For it the engine walks over the
windows of the tile's pixels, across rows and images, and puts zeros where an element lies in the padding or a channel is none. The
layout in shared memory is that of any tile whose rows run along k.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import BoxTile
from tracea_core.semantic.build.gradient_tile import ElementTile, GradientTile, is_gradient, pixels_of
from tracea_core.semantic.build.lane_rows import LaneRows, reads_rows_by_lanes
from tracea_core.semantic.build.raster import COLUMN_RANK, ROW_RANK
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Const, Index, Sym, ceil_div, coefficient, divided_by, symbols
from tracea_core.semantic.lower_pixels import PITCH
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import AsyncLoad, Let, Multicast

ROW_OF_FILTER, COLUMN_OF_FILTER, CHANNEL = Sym("filter_row"), Sym("filter_column"), Sym("channel")
"""Where a step of the reduction is."""
_TAP = Sym("filter_element")


def image_fault(contraction: Contraction) -> str | None:
    """Return why the operands are no windows and filters that a copy engine brings, or None."""
    c = contraction
    if c.windows is None:
        return "it is no convolution of channels-last tensors"
    if is_gradient(c):
        return None
    if filter_strides(c) is None:
        return "the filters lie neither by channels nor by output channels"
    by_group, by_filter = (coefficient(c.b.offset, name) for name in (ITEM.name, J.name))
    if c.items != Const(1) and (by_filter is None or by_group != c.n * by_filter):
        return "the filters of a group do not follow those of the group before"
    return None


def steps_of(contraction: Contraction, tile_k: int) -> Index:
    """Return how many steps of `tile_k` the reduction takes, in a convolution those of each element of the filter on their own."""
    if contraction.windows is None:
        return ceil_div(contraction.k_axes[0].extent, tile_k)
    if is_gradient(contraction):
        return ceil_div(pixels_of(contraction), tile_k)
    rows, columns, channels = (axis.extent for axis in contraction.k_axes)
    return rows * columns * ceil_div(channels, tile_k)


def step_places(contraction: Contraction, step: Index, tile_k: int) -> tuple[Let, ...]:
    """Return the lets that decode a step of the reduction into filter row, column and first channel."""
    _, columns, channels = (axis.extent for axis in contraction.k_axes)
    chunks = Sym("channel_steps")
    return (
        Let(chunks.name, ceil_div(channels, tile_k)),
        Let(_TAP.name, step // chunks),
        Let(CHANNEL.name, (step - _TAP * chunks) * tile_k),
        Let(ROW_OF_FILTER.name, multiplied(_TAP // columns, frozenset(contraction.divisors))),
        Let(COLUMN_OF_FILTER.name, _TAP - ROW_OF_FILTER * columns),
    )


class FilterTile(BoxTile):
    """A tile of filters: output channels by the channels of one element of the filter, of which either may be contiguous."""

    def __init__(
        self, buffer: str, slots: int, c: Contraction, outer: int, tile_k: int, share: Multicast, digit: Index
    ) -> None:
        rows, columns, channels = (axis.extent for axis in c.k_axes)
        strides = filter_strides(c)
        assert strides is not None
        by_filter, by_element, by_channel, self.pitch = strides
        term = Term(c.b.operand, c.b.dtype, _TAP * by_element + J * by_filter + Sym("c") * by_channel)
        elements = rows * columns if self.pitch == columns else (rows - 1) * self.pitch + columns
        self.element = _TAP if self.pitch == columns else ROW_OF_FILTER * self.pitch + COLUMN_OF_FILTER
        self.before = _of_groups_before(c, c.n)
        filters = c.n * c.items
        outside = ((_TAP, elements),)
        super().__init__(buffer, slots, term, J, filters, "c", channels, elements, outer, tile_k, share, digit, outside)

    def loads(self, ring: str, slot: Index, outer0: Index, k0: Index) -> tuple[AsyncLoad, ...]:
        """Return the boxes that this block loads at the current element of the filter."""
        return replace_symbols(super().loads(ring, slot, self.before + outer0, k0), {_TAP.name: self.element})


class PixelTile(BoxTile):
    """A tile of windows: rows are output pixels, columns are the channels of one element of each window."""

    def __init__(
        self, buffer: str, slots: int, c: Contraction, outer: int, tile_k: int, share: Multicast, digit: Index
    ) -> None:
        if c.windows is None:
            raise ConfigurationError("a copy engine walks over windows of channels-last images only", title=c.title)
        self.c, self.windows = c, c.windows
        term = Term(c.a.operand, c.a.dtype, I * self.windows.strides[1] + Sym("c"))
        channels = c.k_axes[-1].extent
        super().__init__(buffer, slots, term, I, c.m, "c", channels, Const(1), outer, tile_k, share, digit)
        self.strides = self.windows.strides

    @property
    def reciprocals(self) -> tuple[str, ...]:
        """Symbols that pixels and steps are divided by."""
        named = (named.value for named in self.c.a.hoisted[: self.windows.named])
        used = {name for value in named for name in divided_by(value)} | symbols(self.c.k_axes[1].extent)
        return tuple(name for name in self.c.divisors if name in used)

    def first(self, row0: Index) -> tuple[Let, ...]:
        """Return the lets that decode the first pixel that this block loads of the tile whose rows begin at `row0`."""
        part = self.rows // self.share.count
        divisors = frozenset(self.c.divisors)
        lets = [Let("pixel", row0 + self.digit * part)]
        for named in self.c.a.hoisted[: self.windows.named]:
            value = replace_symbols(named.value, {I.name: Sym("pixel")})
            lets.append(Let(named.name, multiplied(value, divisors)))
        return tuple(lets)

    def loads(self, ring: str, slot: Index, outer0: Index, k0: Index) -> tuple[AsyncLoad, ...]:
        """Return the walks that this block loads at the current element of the filter."""
        found = []
        w = self.windows
        taps: dict[str, Index] = {"s": COLUMN_OF_FILTER, "r": ROW_OF_FILTER}
        offset = (replace_symbols(w.element[0], taps), replace_symbols(w.element[1], taps))
        channels = self.c.k_axes[-1].extent
        for load in super().loads(ring, slot, outer0, k0):
            first = _of_groups_before(self.c, channels) + load.source.origin[0]
            origin = (first, Sym("x0"), Sym("y0"), Sym("image"))
            pixels = Pixels(w.first, w.last, w.step, offset)
            box = load.source.replace(extents=w.extents, strides=w.strides, origin=origin, pixels=pixels)
            found.append(load.replace(source=box))
        return tuple(found)


def _of_groups_before(c: Contraction, each: Index) -> Index:
    """Return how many channels, or filters, the groups before `ITEM` have: `each` so many."""
    return Const(0) if c.items == Const(1) else ITEM * each


def filter_strides(c: Contraction) -> tuple[Index, Index, Index, Index] | None:
    """Return the distances of filters, elements and channels, and elements from row to row; None if they have no one distance."""
    rows, columns, channels = (coefficient(c.b.offset, axis.name) for axis in c.k_axes)
    by_filter = coefficient(c.b.offset, J.name)
    if by_filter is None or columns is None or channels is None:
        return None
    pitch = next((one for one in (c.k_axes[1].extent, PITCH) if rows == one * columns), None)
    return None if pitch is None else (by_filter, columns, channels, pitch)


def load_places(
    a: BoxTile, b: BoxTile, origin: tuple[Index, Index], step: Index, tile_k: int
) -> tuple[tuple[Let, ...], tuple[Let, ...], Index]:
    """Return the lets of a tile whose rows and columns begin at `origin`, those of one step, and the step's first k as loads count it."""
    k0 = step * tile_k
    if isinstance(b, ElementTile):
        return b.first(origin[1]), b.places(k0), k0
    if not isinstance(a, PixelTile):
        return (), (), k0
    return a.first(origin[0]), step_places(a.c, step, tile_k), CHANNEL


def used_reciprocals(a: BoxTile, b: BoxTile) -> tuple[str, ...]:
    """Return the symbols that coordinates of the operands are divided by."""
    return a.reciprocals if isinstance(a, PixelTile) else b.reciprocals if isinstance(b, ElementTile) else ()


def operand_tiles(
    c: Contraction, config: PipelineConfig, rows: Multicast, columns: Multicast
) -> tuple[BoxTile, list[BoxTile]]:
    """Return the tiles of both operands, of B one for each gate: boxes of matrices, or windows and filters.

    Parameters
    ----------
    rows, columns : Multicast
        The blocks of a cluster that need the same rows of A, and the same columns of B.
    """
    if is_gradient(c):
        slopes = GradientTile("a_tile", config.stages, c, config.tile_m, config.tile_k, rows, COLUMN_RANK)
        return slopes, [ElementTile("b_tile", config.stages, c, config.tile_n, config.tile_k, columns, ROW_RANK)]
    if c.windows is not None:
        a = PixelTile("a_tile", config.stages, c, config.tile_m, config.tile_k, rows, COLUMN_RANK)
        return a, [FilterTile("b_tile", config.stages, c, config.tile_n, config.tile_k, columns, ROW_RANK)]
    k = c.k_axes[0]
    boxes = (LaneRows if reads_rows_by_lanes(c) else BoxTile)(
        "a_tile", config.stages, c.a, I, c.m, k.name, k.extent, c.items, config.tile_m, config.tile_k, rows, COLUMN_RANK
    )
    return boxes, [
        BoxTile(
            f"b_tile{gate}" if c.gates > 1 else "b_tile", config.stages, c.b, J, c.n * c.gates, k.name, k.extent,
            c.items if c.groups is None else c.groups, config.tile_n, config.tile_k, columns, ROW_RANK,
        )
        for gate in range(c.gates)
    ]  # fmt: skip
