# SPDX-License-Identifier: MIT
"""A tile of whole rows on its way from global memory to an instruction's registers, by copies that pass no registers.

Rows lie as in memory; columns beyond the operand's are zero, so an extent that fills no tile adds nothing to a product, and rows beyond
its last one are the last again: nobody stores what they give, or they have no weight. Which lane copies what follows from the runs that
the caller promises; the XOR under which neither the copies nor the reads of 8×8 matrices meet in a bank is solved for.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.build.multistage_lanes import lane_matrix, power_of_two, rectangle
from tracea_core.semantic.contraction import Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, coefficient, less, minimum, substitute, symbols
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Let, Load, Loop, Node, Transfer
from tracea_core.semantic.swizzle import AccessPhase, SolvedSwizzle, solve
from tracea_core.target import CapabilityProfile

CHUNK = 16
"""Bytes of the widest copy of one lane, and of a row of an 8×8 matrix of 16-bit elements."""
_LEAST_COPY = 4
"""Bytes of the narrowest copy that passes no registers (PTX ISA, cp.async: 4, 8 or 16)."""
_FEWEST_ALONG = 4
_UNROLL = 2
"""Copies in a row: all of them would keep more addresses in registers than sums leave."""


class CopiedTile:
    """The tile of one operand; see the module's text.

    Parameters
    ----------
    name : str
        Name of the buffer; the map of its lanes is named after it.
    term : Term
        The operand's addresses, affine in both coordinates.
    down, along : (Sym, Index)
        The coordinate that counts rows, with its extent, and the one along which elements lie together.
    shape : (int, int)
        Rows and columns of the tile.
    vector : int
        Elements that the caller promises to lie together, aligned.
    slots, warps : int
        Slots of its ring, and warps that copy it.
    profile : CapabilityProfile
        Lanes and banks.

    Raises
    ------
    ConfigurationError
        If elements do not lie together, or no layout is free of bank conflicts.
    """

    def __init__(
        self, name: str, term: Term, down: tuple[Sym, Index], along: tuple[Sym, Index], shape: tuple[int, int], vector: int,
        slots: int, warps: int, profile: CapabilityProfile,
    ) -> None:  # fmt: skip
        self.name, self.term, self.shape, self.slots, self.profile = name, term, shape, slots, profile
        self.row_extent, self.column_extent = down[1], along[1]
        self.base = substitute(term.offset, {down[0].name: Const(0), along[0].name: Const(0)})
        step = coefficient(term.offset, down[0].name)
        wide, least = min(vector, CHUNK // term.dtype.bytes), _LEAST_COPY // term.dtype.bytes
        if step is None or coefficient(term.offset, along[0].name) != Const(1) or wide < least:
            raise ConfigurationError(
                f"rows of {term.operand!r} do not lie together in runs of at least {_LEAST_COPY} bytes",
                hint="Give it columns that lie together and even strides",
            )
        self.step, row = step, profile.lanes
        while True:  # lanes along the rows copy fewest lines of memory; fewer of them may meet fewer conflicts
            self.cut = rectangle(*shape, profile.lanes, warps, wide, 1, True, row, least)
            self.solved = self._solve()
            if self.solved.free or row <= _FEWEST_ALONG:
                break
            row //= 2
        if not self.solved.free:
            raise ConfigurationError(f"no layout of {name!r} is free of bank conflicts: {self.solved.argument}")

    @property
    def _pitch(self) -> int:
        """Elements of a row of a block of columns: a power of two."""
        return power_of_two(self.shape[1])

    def _solve(self) -> SolvedSwizzle:
        size, banks = self.term.dtype.bytes, self.profile.shared_banks
        pitch = self._pitch * size
        write = AccessPhase.of_lanes(
            "write", lane_matrix(self.cut.stored, pitch, size), self.cut.wide * size, banks=banks,
            bank_bytes=self.profile.shared_bank_bytes,
        )  # fmt: skip
        read = AccessPhase("read", (pitch, 2 * pitch, 4 * pitch), CHUNK)
        return solve((write, read), banks=banks, bank_bytes=self.profile.shared_bank_bytes)

    # ---- what the kernel declares and relies on

    def buffer(self) -> Buffer:
        """Return the buffer, with all slots of its ring."""
        rows, columns = self.shape
        xor = self.solved.of_elements(self.term.dtype.bytes)
        layout = Layout.xored(("row", rows), ("column", columns), xor=xor, width=self._pitch)
        return Buffer(
            self.name, Space.SHARED, self.term.dtype, layout, Lifetime.TILE, slots=self.slots, alignment=CHUNK
        )

    def map(self) -> Fragment:
        """Return the map of which lane copies what; it takes no registers."""
        return Fragment(f"{self.name}_map", self.term.dtype, self.cut.fetched)

    @property
    def alignment(self) -> int:
        """Alignment in bytes that copies need of the operand's pointer."""
        return self.cut.wide * self.term.dtype.bytes

    def multiples(self) -> dict[str, int]:
        """Return what symbols must be multiples of, so that runs are aligned and end where the operand does."""
        return dict.fromkeys(symbols(self.term.offset) | symbols(self.column_extent), self.cut.wide)

    # ---- steps

    def hoisted(self) -> Let:
        """Return the place of the first element of the item, named once for all copies."""
        return Let(f"{self.name}_at", self.base)

    def copy(self, row0: Index, slot: Index | None) -> tuple[Node, ...]:
        """Return the copies of the rows from `row0` on."""
        number = Sym("copy")
        row, column = (first + place for first, place in zip(self.cut.origin(number), (ROW, COLUMN), strict=True))
        source = Access(
            self.term.operand, Sym(f"{self.name}_at") + minimum(row0 + row, self.row_extent - 1) * self.step + column
        )
        guard = (less(column, self.column_extent),)
        target = BufferRef(self.name, (row, column), slot)
        move = AsyncCopy(f"{self.name}_map", source, target, guard, self.cut.wide)
        return (Loop(number.name, Const(0), Const(self.cut.passes), (move,), unroll=min(self.cut.passes, _UNROLL)),)

    def read(self, fragment: str, row: Index, column: Index, slot: Index | None, transfer: Transfer) -> Load:
        """Return the load of 8×8 matrices at (`row`, `column`), which may name the fragment's own coordinates."""
        return Load(fragment, BufferRef(self.name, (row, column), slot), transfer)
