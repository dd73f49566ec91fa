# SPDX-License-Identifier: MIT
"""Moves of whole matrices that the language holds itself: where they begin in shared memory, and how far their rows are apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.errors import EmitError
from tracea_core.semantic.kernel import Buffer
from tracea_core.semantic.opaque import tile_place
from tracea_core.semantic.steps import Access, BufferRef, Load, SharedOperand, Store, Transfer


class BufferOffset(Protocol):
    """Place of an element in a buffer."""

    def __call__(
        self, reference: BufferRef | SharedOperand, coordinates: tuple[Term, ...], slot: Term | None
    ) -> tuple[Buffer, Term]:
        """Return the buffer and the offset in elements."""


def tile_move(
    node: Load | Store,
    packed: Packed,
    reference: Access | BufferRef,
    dialect: Dialect,
    single: Callable[[str], Term],
    place: BufferOffset,
) -> str:
    """Return the statement that loads or stores an opaque matrix; `single` looks up symbols that have one value.

    Raises
    ------
    EmitError
        If the step is no such move, or the matrix does not lie as it is declared.
    """
    opaque = packed.opaque
    plain = node.transfer is Transfer.TILE and not node.guard and node.width == 1
    if opaque is None or not plain or not isinstance(reference, BufferRef) or reference.rank is not None:
        raise EmitError(
            "matrices of the language's own are moved whole, from and to shared memory", fragment=packed.name
        )

    def first(name: str) -> Term:
        return algebra.ZERO if name in ("row", "column") else single(name)

    slot = None if reference.slot is None else indices.term(reference.slot, first)
    buffer, offset = place(reference, tuple(indices.term(c, first) for c in reference.coordinates), slot)
    found = tile_place(buffer, reference, packed.layout.shape)
    if found.by_rows != opaque.by_rows or buffer.dtype is not packed.dtype:
        raise EmitError("a matrix does not lie as it is declared", fragment=packed.name, buffer=buffer.name)
    move = dialect.tile_load if isinstance(node, Load) else dialect.tile_store
    return move(packed, dialect.element(buffer, offset), found.stride)
