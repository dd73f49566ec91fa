# SPDX-License-Identifier: MIT
"""The copy of a convolution's images with their padding, channels together: a line at a time, zeros around what an image holds.

Where windows are single pixels there is no padding, and those pixels alone are copied.

How a line is copied follows from how it lies. Pixels next to each other are one run, moved by whole vectors whatever pixels they hold.
Planar images are turned in registers, a square block of pixels and channels at a time. Where a vector is a line of memory, images with
padding are copied so many pixels at a time through all of their channels, what is left of them as a block with masks, so that the copy is
written as it lies, and blocks ask for what lies further along a plane; single pixels go plane by plane, and ask for those of the next
channels. Others are copied pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.build.asked_lines import block_asks, is_line
from tracea_core.semantic.build.register_tile import WORKER, WORKERS
from tracea_core.semantic.contraction import HALO_CHANNEL, HALO_COLUMN, HALO_ROW, ITEM, Halo
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    coefficient,
    equal,
    less,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Store,
    Transfer,
    Turn,
)

_RUN_UNROLL = 4
_BLOCKS_AHEAD = 2
"""Blocks of pixels between asking for one and reading it. One core of Zen 4, 8 images, copied so and plane by plane: of 56×56 pixels and
128 channels in 0.8 of the time, of 28×28 and 256 in 0.75 to 0.9, of 28×28 and 128 in 0.6 to 0.85, of 14×14 in 0.8 to 0.85; 3 blocks took
up to 1.25 times as long, 1 up to 1.3. Single pixels took longer through all channels: of 14×14 and 1024 channels 1.07 times."""
_WHOLE_CHANNELS = Sym("whole_channels")
_PAD, _WIDTH, _CHANNELS, _CHUNK, _PIXEL = (
    Sym("pad_columns"),
    Sym("columns"),
    Sym("channels"),
    Sym("chunk"),
    Sym("pixel"),
)


class PaddedImages:
    """The nodes that fill the buffer ``images``, shared among the workers line by line.

    Parameters
    ----------
    halo : Halo
        The images, and the extents with their padding.
    items : Index
        How many there are.
    compute : DType
        Type of the copy's elements.
    lanes : int
        Elements of a vector.
    """

    def __init__(self, halo: Halo, items: Index, compute: DType, lanes: int) -> None:
        self.halo, self.items, self.compute, self.lanes = halo, items, compute, lanes
        self.line = halo.width * halo.channels
        self.image = halo.height * self.line
        wide, square = fma_outer(1, 1, lanes, compute).b, fma_outer(lanes, 1, lanes, compute).c
        assert wide is not None
        self.copied, self.block = Fragment("copied", compute, wide), Fragment("block", compute, square)
        self.turned = Fragment("block_turned", compute, square.transposed())
        apart = coefficient(halo.source.offset, HALO_CHANNEL.name)
        self.together = apart == Const(1)
        self.planar = not self.together and coefficient(halo.source.offset, HALO_COLUMN.name) == Const(1) and lanes > 1
        self.through = self.planar and is_line(lanes, compute) and halo.width != halo.image[1]

    def buffer(self) -> Buffer:
        """Return the workspace that holds the copy."""
        element = Layout.row_major(("element", 1))
        return Buffer("images", Space.WORKSPACE, self.compute, element, Lifetime.CALL, extent=self.items * self.image)

    def fragments(self) -> list[Fragment]:
        """Return the fragments that `nodes` use."""
        used = [self.copied, self.block, self.turned] if self.planar else [self.copied]
        if self.halo.source.dtype is self.compute:
            return used
        loaded = [fragment for fragment in used if fragment is not self.block]
        return [*used, *(Fragment(f"{f.name}_raw", self.halo.source.dtype, f.layout) for f in loaded)]

    def nodes(self) -> tuple[Node, ...]:
        """Copy this worker's lines of all images."""
        line, image = Sym("line"), self.halo.image[1]
        inside = tuple(test for test in self.halo.source.guard if HALO_COLUMN.name not in symbols(test))
        first, last = _PAD * _CHANNELS, (_PAD + _WIDTH) * _CHANNELS
        copied = self._interior()
        if inside:
            copied = (*self._clear("left_at", Const(0), first), *copied, *self._clear("right_at", last, self.line))
            copied = (If(inside, copied, self._clear("empty_at", Const(0), self.line)),)
        return (
            Let("lines", self.items * self.halo.height),
            Let(_CHANNELS.name, self.halo.channels),
            Let(_WHOLE_CHANNELS.name, _CHANNELS // self.lanes * self.lanes),
            Let(_WIDTH.name, image),
            Let(_PAD.name, (self.halo.width - image) // 2),
            Loop("line", WORKER * Sym("lines") // WORKERS, (WORKER + 1) * Sym("lines") // WORKERS, (
                Let(ITEM.name, line // self.halo.height),
                Let(HALO_ROW.name, line % self.halo.height),
                *copied,
            )),
        )  # fmt: skip

    def _interior(self) -> tuple[Node, ...]:
        if self.through:
            return self._turn_lines()
        if self.planar:
            whole = _WIDTH // self.lanes * self.lanes
            return (*self._chunks(self._turn_pixels), self._pixels(_PAD + whole))
        if not self.together:
            return (self._pixels(_PAD),)
        apart = coefficient(self.halo.source.offset, HALO_COLUMN.name)
        assert apart is not None
        return (If((equal(apart, _CHANNELS),), self._run(), (self._pixels(_PAD),)),)

    # ---- vectors along a line

    def _along(
        self, at: str, first: Index, stop: Index, body: Callable[[Guard], tuple[Node, ...]], unroll: int = 1
    ) -> tuple[Node, ...]:
        """Visit `first` to `stop` by whole vectors, and what is left by one with a mask."""
        whole = Sym(f"{at}_whole")
        return (
            Let(whole.name, first + (stop - first) // self.lanes * self.lanes),
            *self._visit(at, (first, whole, stop), body, unroll),
        )

    def _visit(
        self, at: str, span: tuple[Index, Index, Index], body: Callable[[Guard], tuple[Node, ...]], unroll: int = 1
    ) -> tuple[Node, ...]:
        """Visit the first to the second place of `span` by whole vectors, and by one with a mask what is left up to the third."""
        first, whole, stop = span
        return (
            Loop(at, first, whole, body(()), step=self.lanes, unroll=unroll),
            If((less(whole, stop),), (Let(at, whole), *body((less(Sym(at) + COLUMN, stop),)))),
        )

    def _clear(self, at: str, first: Index, stop: Index) -> tuple[Node, ...]:
        def store(guard: Guard) -> tuple[Node, ...]:
            return (self._store(Sym(at) + COLUMN, stop, guard),)

        return (Fill(self.copied.name), *self._along(at, first, stop, store))

    def _run(self) -> tuple[Node, ...]:
        """Copy all pixels of a line, which lie next to each other."""
        at, first = Sym("run_at"), _PAD * _CHANNELS
        stop = first + _WIDTH * _CHANNELS
        begin = substitute(self.halo.source.offset, {HALO_COLUMN.name: _PAD})
        offset = substitute(begin, {HALO_CHANNEL.name: at + COLUMN - first})

        def move(guard: Guard) -> tuple[Node, ...]:
            return (*self._load(self.copied, offset, Transfer.VECTOR, guard), self._store(at + COLUMN, stop, guard))

        return self._along(at.name, first, stop, move, _RUN_UNROLL)

    # ---- pixels and channels

    def _chunks(self, body: Callable[[Guard], tuple[Node, ...]]) -> tuple[Node, ...]:
        return self._visit(_CHUNK.name, (Const(0), _WHOLE_CHANNELS, _CHANNELS), body)

    def _pixels(self, first: Index) -> Node:
        """Copy the pixels from column `first` on, one by one."""
        offset = substitute(self.halo.source.offset, {HALO_CHANNEL.name: _CHUNK + COLUMN})
        transfer = Transfer.VECTOR if self.together else Transfer.GATHER

        def copy(guard: Guard) -> tuple[Node, ...]:
            return (*self._load(self.copied, offset, transfer, guard), self._store_channels(HALO_COLUMN, guard))

        return Loop(HALO_COLUMN.name, first, _PAD + _WIDTH, self._chunks(copy))

    def _turn_lines(self) -> tuple[Node, ...]:
        """Copy as many pixels at a time through all whole chunks of channels, and what is left of them; then the last channels."""
        whole, stop = Sym("whole_pixels"), (less(_CHUNK + COLUMN, _CHANNELS),)
        exists = (less(_PIXEL + ROW, _WIDTH),)

        def along(blocks: tuple[Node, ...], rest: tuple[Node, ...]) -> tuple[Node, ...]:
            return (
                Loop(_PIXEL.name, Const(0), whole, blocks, step=self.lanes),
                If((less(whole, _WIDTH),), (Let(_PIXEL.name, whole), *rest)),
            )

        def through(block: tuple[Node, ...]) -> tuple[Node, ...]:
            return (Loop(_CHUNK.name, Const(0), _WHOLE_CHANNELS, block, step=self.lanes),)

        last = along(self._turn_block(stop), self._turn_block(stop, exists))
        return (
            Let(whole.name, _WIDTH // self.lanes * self.lanes),
            *along(through(self._turn_block(())), through(self._turn_block((), exists))),
            If((less(_WHOLE_CHANNELS, _CHANNELS),), (Let(_CHUNK.name, _WHOLE_CHANNELS), *last)),
        )

    def _turn_pixels(self, guard: Guard) -> tuple[Node, ...]:
        """Copy a chunk of channels, as many pixels at a time."""
        whole = _WIDTH // self.lanes * self.lanes
        return (Loop(_PIXEL.name, Const(0), whole, self._turn_block(guard), step=self.lanes),)

    def _turn_block(self, guard: Guard, exists: Guard = ()) -> tuple[Node, ...]:
        """Copy a block; channels beyond the last one repeat it and are not stored, nor are pixels for which `exists` does not hold."""
        channel, column = _CHUNK + COLUMN, _PAD + _PIXEL + ROW
        loaded = minimum(channel, _CHANNELS - 1) if guard else channel
        offset = substitute(self.halo.source.offset, {HALO_COLUMN.name: column, HALO_CHANNEL.name: loaded})
        asks: tuple[Node, ...] = ()
        if not guard:
            ahead = {_PIXEL: _BLOCKS_AHEAD} if self.through else {_CHUNK: 1}
            further = {place.name: place + blocks * self.lanes for place, blocks in ahead.items()}
            asks = block_asks(self.halo.source, substitute(offset, further), self.lanes)
        kept = _PAD + minimum(_PIXEL + ROW, _WIDTH - 1) if exists else column
        return (
            *asks,
            *self._load(self.turned, offset, Transfer.VECTOR, exists),
            Turn(self.block.name, self.turned.name),
            self._store_channels(kept, guard, self.block, exists),
        )

    # ---- one vector or block

    def _load(self, target: Fragment, offset: Index, transfer: Transfer, guard: Guard) -> tuple[Node, ...]:
        source = self.halo.source
        raw = target.name if source.dtype is self.compute else f"{target.name}_raw"
        load = Load(raw, Access(source.operand, offset), transfer, guard)
        return (load,) if raw == target.name else (load, Compute(target.name, Accumulator(0), self.compute, (raw,)))

    def _store_channels(self, column: Index, guard: Guard, held: Fragment | None = None, exists: Guard = ()) -> Store:
        channel = minimum(_CHUNK + COLUMN, _CHANNELS - 1) if guard else _CHUNK + COLUMN
        place = Sym("line") * self.line + column * _CHANNELS + channel
        return Store(
            BufferRef("images", (place, Const(0))), (held or self.copied).name, Transfer.VECTOR, (*guard, *exists)
        )

    def _store(self, element: Index, stop: Index, guard: Guard) -> Store:
        """Store a vector at an element of the line; one with a mask ends before `stop`."""
        place = Sym("line") * self.line + (minimum(element, stop - 1) if guard else element)
        return Store(BufferRef("images", (place, Const(0))), self.copied.name, Transfer.VECTOR, guard)
