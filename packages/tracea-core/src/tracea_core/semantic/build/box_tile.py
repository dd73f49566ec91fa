# SPDX-License-Identifier: MIT
"""Operand tiles that a copy engine brings and a matrix instruction reads through a descriptor.

One tile fixes four descriptions of the same bytes: the buffer's layout, the boxes that fill it, the share of them that
each block of a cluster loads, and the descriptor of every operand within it. The swizzle is not chosen but solved for,
from what a box write and a descriptor read touch at once; that it comes out as a mode of the hardware is asserted.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.contraction import ITEM, Term
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.hardware import CHUNK, GROUP
from tracea_core.semantic.index import Const, Guard, Index, Sym, coefficient, symbols
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import AsyncLoad, Box, BufferRef, HeldOperand, Multicast, Node, SharedOperand
from tracea_core.semantic.swizzle import AccessPhase, solve
from tracea_core.target import AsyncCopyKind

ROW_BYTES = 128
"""Widest row that the hardware swizzles, and the one that keeps all banks busy."""
MAX_BOX = 256
MAX_STRIDE_BYTES = 1 << 40
MAX_COORDINATE = (1 << 31) - (1 << 12)
"""Coordinates of a box are 32-bit integers, and those of the last tile may exceed the tensor by less than 2^12."""
ATOM_BYTES = 1024
"""Alignment of a swizzled tile: the 128-byte pattern repeats every 8 rows."""


def copy_engine_fault(dtype: DType, strides: tuple[int, ...], pointer: int = 0) -> str | None:
    """Return why a copy engine (TMA) cannot address a tensor, or None if it can.

    Parameters
    ----------
    dtype : DType
        Element type.
    strides : tuple of int
        Distances in elements along every dimension except the contiguous one.
    pointer : int
        Address of the first element.

    Notes
    -----
    CUDA Driver API, ``cuTensorMapEncodeTiled``: the address is a multiple of 16, strides are multiples of 16 bytes
    below 2^40.
    """
    if pointer % CHUNK:
        return f"the data starts at address {pointer:#x}, which is no multiple of 16 bytes"
    for stride in strides:
        size = stride * dtype.bytes
        if size % CHUNK:
            return f"a stride of {stride} {dtype.value} elements is {size} bytes, no multiple of 16"
        if not 0 <= size < MAX_STRIDE_BYTES:
            return f"a stride of {size} bytes is outside 0 … 2^40"
    return None


def whole_chunks(target: Box, dtype: DType) -> dict[str, int]:
    """Return what symbols must be multiples of, so that rows into which a box is stored end with one of the engine's chunks.

    The engine fills what it loads with zeros from the first element beyond a tensor; but where a chunk of 16 bytes has an element to
    store, it writes all of the chunk (seen on an H200, where a product of one column overwrote the next seven).
    """
    return dict.fromkeys(symbols(target.extents[0]), CHUNK // dtype.bytes)


@functools.lru_cache(maxsize=64)
def row_swizzle(row_bytes: int) -> Matrix:
    """Return the solved XOR map on byte offsets for rows of `row_bytes`, written row by row, read in 16-byte columns.

    A box write and a coalesced row fill the banks with consecutive chunks; a descriptor read, ldmatrix and stmatrix
    touch the same chunk of 8 rows.

    Raises
    ------
    ConfigurationError
        If there is no such map without conflicts, or it is not one that the hardware has.
    """
    if row_bytes not in (32, 64, 128):
        raise ConfigurationError(f"rows of {row_bytes} bytes have no hardware swizzle", hint="Use 32, 64 or 128")
    write = AccessPhase("rows", (16, 32, 64), CHUNK)
    read = AccessPhase("columns", (row_bytes, 2 * row_bytes, 4 * row_bytes), CHUNK)
    bits = row_bytes.bit_length() - 1 - 4
    solved = solve((write, read), address_bits=7 + bits)
    if not solved.free or solved.parameters() != (bits, 4, 3):
        raise ConfigurationError(
            f"the hardware's swizzle of {row_bytes}-byte rows is not the solution", argument=solved.argument
        )
    return solved.xor


def swizzled_rows(row_bytes: int, element_bytes: int) -> Matrix:
    """Return `row_swizzle` on element offsets."""
    drop = element_bytes.bit_length() - 1
    xor = row_swizzle(row_bytes)
    return Matrix(xor.rows - drop, tuple(column >> drop for column in xor.columns[drop:]))


class BoxTile:
    """A tile of `outer` rows (columns, for B) by `tile_k` of one operand.

    Parameters
    ----------
    buffer, slots : str, int
        Name of the ring's buffer, and its slots.
    term : Term
        The operand.
    coordinate, extent : Index
        Its coordinate that is not K (`I` or `J`), and that coordinate's extent.
    k_name, k_extent : str, Index
        Its K axis.
    items : Index
        Extent of the batch.
    outer, tile_k : int
        The tile.
    share : Multicast
        The blocks that need the same tile.
    digit : Index
        Which of its parts this block loads.
    outside : sequence of (Sym, Index), optional
        Coordinates of matrices and their extents; those of a batch by default.
    """

    by_lanes = False
    """Whether lanes read the tile into registers, from which an instruction takes its left operand."""
    once: Guard | None = None
    """Where nobody else reads what the tile holds; see `tracea_core.semantic.steps.Box`."""

    def __init__(
        self, buffer: str, slots: int, term: Term, coordinate: Sym, extent: Index, k_name: str, k_extent: Index,
        items: Index, outer: int, tile_k: int, share: Multicast, digit: Index,
        outside: Sequence[tuple[Sym, Index]] | None = None,
    ) -> None:  # fmt: skip
        self.name, self.term, self.outer, self.tile_k = buffer, term, outer, tile_k
        self.share, self.digit, self.slots = share, digit, slots
        bytes_ = term.dtype.bytes
        along_k, along_outer = coefficient(term.offset, k_name), coefficient(term.offset, coordinate.name)
        batch: Sequence[tuple[Sym, Index]] = () if items == Const(1) else ((ITEM, items),)
        outside = batch if outside is None else outside
        along_others = [coefficient(term.offset, name.name) for name in (ITEM, *(place for place, _ in outside))]
        if along_k is None or along_outer is None or None in along_others or term.guard or term.hoisted:
            raise ConfigurationError(f"a copy engine cannot follow the addresses of {term.operand!r}: they are no box")
        if Const(1) not in (along_k, along_outer):
            raise ConfigurationError(
                f"neither rows nor columns of {term.operand!r} are contiguous, so a copy engine cannot move them",
                hint="Copy the operand first",
            )
        self.transposed = along_k != Const(1)
        self.extents: tuple[Index, ...] = (extent, k_extent) if self.transposed else (k_extent, extent)
        self.strides: tuple[Index, ...] = (Const(1), along_k if self.transposed else along_outer)
        self.others = tuple(place for place, _ in outside)
        self.extents = (*self.extents, *(extent for _, extent in outside))
        self.strides = (*self.strides, *(along for along in along_others[1:] if along is not None))
        if Const(1) in self.strides[1:]:
            raise ConfigurationError(f"a dimension of {term.operand!r} besides the contiguous one has stride 1")
        contiguous = outer if self.transposed else tile_k
        self.width = min(ROW_BYTES // bytes_, 1 << (contiguous - 1).bit_length())
        self.columns = -(-contiguous // self.width) * self.width
        self.rows = tile_k if self.transposed else outer
        self.swizzle_bytes = self.width * bytes_
        self._check(bytes_)
        axes = (
            (("k", self.rows), ("outer", self.columns))
            if self.transposed
            else (("outer", self.rows), ("k", self.columns))
        )
        self.layout = Layout.xored(*axes, xor=swizzled_rows(self.swizzle_bytes, bytes_), width=self.width)

    def _check(self, element_bytes: int) -> None:
        part = self.rows // self.share.count
        if self.rows % self.share.count or part % GROUP:
            raise ConfigurationError(
                f"{self.rows} rows of {self.term.operand!r} do not divide into {self.share.count} parts of whole 8-row groups",
                hint="Choose another tile or cluster",
            )
        if part > MAX_BOX:
            raise ConfigurationError(f"a box of {part} rows is more than the {MAX_BOX} a copy engine takes")
        if not self.transposed and self.tile_k % self.width:
            raise ConfigurationError(f"tile_k {self.tile_k} is no power of two and no multiple of {self.width}")

    def buffer(self) -> Buffer:
        """Return the ring's buffer."""
        return Buffer(
            self.name, Space.SHARED, self.term.dtype, self.layout, Lifetime.TILE, slots=self.slots, alignment=ATOM_BYTES
        )

    @property
    def bytes(self) -> int:
        """Bytes that arrive in one slot."""
        return self.rows * self.columns * self.term.dtype.bytes

    @property
    def stride_symbols(self) -> frozenset[str]:
        """Symbols that must be multiples of 16 bytes for the copy engine."""
        return frozenset(name for stride in self.strides for name in symbols(stride))

    def loads(self, ring: str, slot: Index, outer0: Index, k0: Index) -> tuple[AsyncLoad, ...]:
        """Return the boxes that this block loads, one for each `width` columns of the tile."""
        part = self.rows // self.share.count
        first_row = self.digit * part
        loads = []
        for column in range(0, self.columns, self.width):
            if self.transposed:
                origin: tuple[Index, ...] = (outer0 + column, k0 + first_row)
            else:
                origin = (k0 + column, outer0 + first_row)
            shape: tuple[int, ...] = (self.width, part)
            origin, shape = (*origin, *self.others), (*shape, *(1 for _ in self.others))
            box = Box(self.term.operand, self.extents, self.strides, origin, shape, self.swizzle_bytes, once=self.once)
            target = BufferRef(self.name, (first_row, Const(column)), slot)
            share = self.share if self.share.count > 1 else None
            loads.append(AsyncLoad(AsyncCopyKind.TMA, target, box, ring, share))
        return tuple(loads)

    def fragments(self, lanes: InstructionLanes, pieces: int) -> list[Fragment]:
        """Return the registers that hold so many pieces of rows for an instruction: none where it reads shared memory."""
        return []

    def left(
        self, slot: Index, row: Index, piece: int, k0: int
    ) -> tuple[tuple[Node, ...], SharedOperand | HeldOperand]:
        """Return what an instruction reads as its left operand, from `row` and `k0` of the tile on, and the steps that bring it there."""
        return (), self.operand(slot, row, k0)

    def operand(self, slot: Index, outer0: Index, k0: int) -> SharedOperand:
        """Return the descriptor of the matrix that begins at (`outer0`, `k0`) of the tile."""
        group = GROUP * self.swizzle_bytes
        coordinates: tuple[Index, ...] = (Const(k0), outer0) if self.transposed else (outer0, Const(k0))
        leading = self.rows * self.swizzle_bytes if self.transposed else CHUNK
        return SharedOperand(self.name, coordinates, slot, self.swizzle_bytes, leading, group, self.transposed)
