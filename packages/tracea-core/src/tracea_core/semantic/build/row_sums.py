# SPDX-License-Identifier: MIT
"""Sums of columns in a CPU's register tile: the rows that are stored are added up while they are in registers.

A block has so many rows that tiles divide it, and one worker computes all tiles of a block for one panel. Each tile adds up differences
from its own first row, for which it needs no other tile, and leaves its first row and the sums in a few vectors of the worker's memory.
Behind the last tile of a block they are joined: where a tile's first row is d above the block's, and T and S are the sums of its n
differences and of their squares, those from the block's first row add up to T + n·d, and their squares to S + d·(2·T + n·d). So each is
the sum of the same numbers in the same order whatever is divided at launch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.epilogue import PLANES
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Operand
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.contraction import ColumnSums, Contraction, I, J
from tracea_core.semantic.gf2 import Matrix
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
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import Axis, Digit, Layout
from tracea_core.semantic.row_steps import AddRows, Count
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Extract,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Store,
    Transfer,
)

_LEFT = "sums_of_tiles"
_ROW, _DIFFERENCES, _SQUARED, _ADDED = "sums_row", "sums_differences", "sums_squared", "sums_added"
_FIRST, _TOTAL, _SQUARES = "sums_first", "sums_total", "sums_squares"
_NEXT, _MORE, _MORE_SQUARES, _COUNT, _APART = "sums_next", "sums_more", "sums_more_squares", "sums_count", "sums_apart"
_HELD, _JOINED = (_FIRST, _TOTAL, _SQUARES), (_NEXT, _MORE, _MORE_SQUARES)
_BLOCK, _GROUP, _BEGIN, _END = Sym("sums_block"), Sym("sums_group"), Sym("sums_begin"), Sym("sums_end")
_TOGETHER = 8
"""Tiles whose sums are joined at a time at most."""
_DIFFERENCE = Binary(BinaryFn.SUB, Accumulator(0), Operand(0))
_SQUARE = Binary(BinaryFn.MUL, Accumulator(0), Accumulator(0))
_SUM = Binary(BinaryFn.ADD, Accumulator(0), Accumulator(1))
_SHIFT = Binary(BinaryFn.MUL, Operand(0), Operand(1))
"""What a tile's rows, so many, have more than its sum says, where that is of differences from its own first row."""
_MOVED = Binary(BinaryFn.ADD, Accumulator(0), _SHIFT)
_TWICE = Binary(BinaryFn.ADD, Binary(BinaryFn.ADD, Operand(2), Operand(2)), _SHIFT)
_SQUARES_MOVED = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Operand(1), _TWICE))


def tiles_of_block(sums: ColumnSums | None, rows: int) -> int:
    """Return how many tiles of so many rows a worker computes one after the other: those of a block, or 1 where nothing is summed.

    Raises
    ------
    ConfigurationError
        If tiles do not divide a block.
    """
    if sums is None:
        return 1
    if sums.along != I.name or sums.rows % rows:
        raise ConfigurationError(
            f"tiles of {rows} rows do not add up columns in blocks of {sums.rows}",
            hint="Choose rows that divide a block", along=sums.along,
        )  # fmt: skip
    return sums.rows // rows


_DIVIDING = (6, 4, 3, 2)
"""Rows of register tiles that are tried where none of the policy's divide blocks of sums."""


def dividing_blocks(form: object, candidates: Sequence[PipelineConfig]) -> Iterator[PipelineConfig]:
    """Yield configurations whose tiles divide blocks of sums, for windows and for plain panels; none where nothing is summed."""
    if not isinstance(form, Contraction) or form.sums is None:
        return
    for candidate, windows, rows in itertools.product(candidates, (True, False), _DIVIDING):
        if rows <= candidate.tile_m:
            yield candidate.replace(
                tile_m=rows, halo=windows, split_k=1, block_k=0, pack_a=False, pack_b=True, row_block=0, stages=1, in_flight=0
            )  # fmt: skip


class RowSums:
    """Nodes, fragments and memory that sum the columns of tiles at (``row0``, ``column0``) and of the blocks that these make up."""

    def __init__(self, contraction: Contraction, sums: ColumnSums, tile: InstructionLanes, result: Fragment) -> None:
        self.tiles = tiles_of_block(sums, tile.m)
        if tile.n % tile.lanes:
            raise ConfigurationError("columns are summed by whole vectors")
        self.c, self.sums, self.tile, self.result = contraction, sums, tile, result
        self.dtype = sums.term.dtype
        self.layout = fma_outer(1, tile.n // tile.lanes, tile.lanes, DType.FP32).c

    def fragments(self) -> list[Fragment]:
        """Return the fragments that the nodes use besides the result."""
        held = [Fragment(name, self.dtype, self.layout) for name in _HELD]
        apart = [Fragment(name, self.dtype, self.tile.c) for name in (_DIFFERENCES, _SQUARED)]
        found = [Fragment(_ROW, self.result.dtype, self.layout), *held, *apart]
        if self.tiles > 1:
            group = fma_outer(self._group(), self.tile.n // self.tile.lanes, self.tile.lanes, DType.FP32).c
            found += [Fragment(name, self.dtype, group) for name in (*_JOINED, _COUNT, _APART)]
            found += [Fragment(_ADDED, self.dtype, self.layout)]
        return found

    def buffers(self) -> list[Buffer]:
        """Return the memory of a worker in which sums of tiles wait for their block's last one; a block of one tile needs none."""
        if self.tiles == 1:
            return []
        bits = self.tile.lanes.bit_length() - 1
        row = Layout(
            (Axis("column", (Digit(self.tile.n // self.tile.lanes, self.tile.lanes),), bits),), Matrix.identity(bits)
        )
        return [Buffer(_LEFT, Space.PANEL, self.dtype, row, Lifetime.TILE_COLUMN, extent=Const(PLANES * self.tiles))]

    def nodes(self, edge: bool) -> tuple[Node, ...]:
        """Return the nodes behind which the rows of the result are summed; at an edge, those of its rows that exist."""
        rows = minimum(self.c.m - Sym("row0"), self.tile.m) if edge else Const(self.tile.m)
        summed: tuple[Node, ...] = (
            *self._first_row(),
            Compute(_FIRST, Accumulator(0), self.dtype, (_ROW,)),
            Compute(_DIFFERENCES, _DIFFERENCE, self.dtype, (self.result.name,), (_FIRST,)),
            AddRows(_TOTAL, _DIFFERENCES, rows),
            Compute(_SQUARED, _SQUARE, self.dtype, (_DIFFERENCES,)),
            AddRows(_SQUARES, _SQUARED, rows),
        )
        if self.tiles == 1:
            return (*summed, *self._stores(Sym("row0"), edge))
        place = Sym("row0") % self.sums.rows // self.tile.m
        left = (Store(self._left(place, plane), name, Transfer.VECTOR) for plane, name in enumerate(_HELD))
        return (*summed, *left)

    def over_blocks(
        self, first: Index, last: Index, inside: Callable[[Index, Index], tuple[Node, ...]]
    ) -> tuple[Node, ...]:
        """Return the nodes that pass over the tiles from `first` to `last`, where blocks begin, and store the sums of each block.

        Parameters
        ----------
        inside : callable
            Returns the nodes that pass over the tiles from one to another.
        """
        if self.tiles == 1:
            return inside(first, last)
        row, group = _BEGIN * self.tile.m, self._group()
        tile = _GROUP * group + ROW
        there: Guard = (less(tile, _END - _BEGIN),)
        joined = Loop(_GROUP.name, Const(0), ceil_div(_END - _BEGIN, group), (
            *(Load(name, self._left(tile, plane), Transfer.VECTOR, there) for plane, name in enumerate(_JOINED)),
            Count(_COUNT, maximum(minimum(self.c.m - (_BEGIN + tile) * self.tile.m, self.tile.m), 0)),
            Compute(_APART, _DIFFERENCE, self.dtype, (_NEXT,), (_FIRST,)),
            Compute(_NEXT, _MOVED, self.dtype, (_MORE,), (_COUNT, _APART)),
            AddRows(_ADDED, _NEXT, Const(group)),
            Compute(_TOTAL, _SUM, self.dtype, (_TOTAL, _ADDED)),
            Compute(_NEXT, _SQUARES_MOVED, self.dtype, (_MORE_SQUARES,), (_COUNT, _APART, _MORE)),
            AddRows(_ADDED, _NEXT, Const(group)),
            Compute(_SQUARES, _SUM, self.dtype, (_SQUARES, _ADDED)),
        ))  # fmt: skip
        whole = (less(Sym("column0") + (self.tile.n - 1), self.c.n),)
        return (
            Loop(_BLOCK.name, first // self.tiles, ceil_div(last, self.tiles), (
                Let(_BEGIN.name, _BLOCK * self.tiles),
                Let(_END.name, minimum(_BEGIN + self.tiles, last)),
                *inside(_BEGIN, _END),
                Load(_FIRST, self._left(Const(0), 0), Transfer.VECTOR),
                Fill(_TOTAL),
                Fill(_SQUARES),
                joined,
                If(whole, self._stores(row, edge=False), self._stores(row, edge=True)),
            )),
        )  # fmt: skip

    def _group(self) -> int:
        """How many tiles are joined at a time: so many as divide a block and find room in registers."""
        return max(count for count in range(1, _TOGETHER + 1) if self.tiles % count == 0)

    def _first_row(self) -> tuple[Node, ...]:
        if self.tile.m == 1:
            return (Compute(_ROW, Accumulator(0), self.result.dtype, (self.result.name,)),)
        return (Extract(_ROW, self.result.name, Const(0), Const(0)),)

    def _left(self, tile: Index, plane: int) -> BufferRef:
        """Where a number of the tile with this place in its block waits."""
        return BufferRef(_LEFT, (tile * PLANES + plane, COLUMN))

    def _stores(self, row: Index, edge: bool) -> tuple[Node, ...]:
        """Store the sums of the block with this row."""
        beyond: Guard = (less(Sym("column0") + COLUMN, self.c.n),) if edge else ()
        places = {I.name: row, J.name: Sym("column0") + COLUMN}
        offset = substitute(self.sums.term.offset, places)
        return tuple(
            Store(Access(self.sums.term.operand, offset + self.sums.plane * plane), name, Transfer.VECTOR, beyond)
            for plane, name in enumerate(_HELD)
        )


def first_of_share(number: Index, shares: Index, tiles: Index, together: int) -> Index:
    """Return the first of so many tiles that a share of them has, where `together` neighbours stay in one share."""
    if together == 1:
        return number * tiles // shares
    return minimum(number * ceil_div(tiles, together) // shares * together, tiles)


def rows_of_pixels(sums: ColumnSums | None, pixels: Index, channels: Index) -> ColumnSums | None:
    """Return sums over the pixels of all images where those are rows of one product instead of columns of one for each image."""
    if sums is None:
        return None
    term = sums.term.replace(offset=I // sums.rows * channels + J)
    return sums.replace(term=term, plane=ceil_div(pixels, sums.rows) * channels, along=I.name)
