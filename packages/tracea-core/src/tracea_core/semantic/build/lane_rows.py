# SPDX-License-Identifier: MIT
"""Rows of A that lanes read: operands of 32 bits that are contiguous along m, which a matrix instruction takes from registers alone.

A warpgroup instruction reads tf32 from shared memory along k. Its left operand may come from registers instead, which hold it in any
order that memory has. A box brings `tile_k` rows of k, each `PADDING` elements longer than the tile's rows of m, so that rows begin eight
banks apart: the four elements of k and eight of m that the lanes of a warp read together lie in 32 banks.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.build.box_tile import MAX_BOX, BoxTile
from tracea_core.semantic.contraction import Contraction, I
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, coefficient
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import AccumulatorFence, BufferRef, HeldOperand, Load, Node, Transfer

PADDING = 8
"""Elements of 4 bytes by which a row is longer than a tile, itself a multiple of 64 of them: as many banks as lanes read along m."""
_ROWS = 64
MOST_ROWS = (MAX_BOX - PADDING) // _ROWS * _ROWS
"""Rows of a tile that one box holds."""


def reads_rows_by_lanes(c: Contraction) -> bool:
    """Whether A is contiguous along m and B along k, in a plain product of tf32."""
    k = c.k_axes[-1].name
    plain = c.windows is None and c.groups is None and c.scales is None and len(c.k_axes) == 1
    tf32 = c.a.dtype is c.b.dtype is DType.TF32
    along = coefficient(c.a.offset, I.name) == Const(1) != coefficient(c.a.offset, k)
    return plain and tf32 and along and coefficient(c.b.offset, k) == Const(1)


class LaneRows(BoxTile):
    """A tile of A whose rows lanes read into the fragments of an instruction; built with the arguments of a `BoxTile`."""

    by_lanes = True

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.width = self.columns = self.outer + PADDING
        self.swizzle_bytes = 0
        self.layout = Layout.row_major(("k", self.rows), ("outer", self.columns))

    def fragments(self, lanes: InstructionLanes, pieces: int) -> list[Fragment]:
        """Return the registers that a step of `tile_k` takes, for each piece of rows and each instruction."""
        assert lanes.a is not None
        steps = range(0, self.tile_k, lanes.k)
        return [Fragment(_name(piece, k0), self.term.dtype, lanes.a) for piece in range(pieces) for k0 in steps]

    def left(self, slot: Index, row: Index, piece: int, k0: int) -> tuple[tuple[Node, ...], HeldOperand]:
        """Return the registers that hold elements of k from `k0` on for rows from `row` of the tile on, and what brings them there."""
        source, name = BufferRef(self.name, (COLUMN + k0, ROW + row), slot), _name(piece, k0)
        return (Load(name, source, Transfer.GATHER), AccumulatorFence(name)), HeldOperand(name)


def _name(piece: int, k0: int) -> str:
    return f"a{piece}_{k0}"
