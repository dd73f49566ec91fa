# SPDX-License-Identifier: MIT
"""Results that the copy engine stores: a chunk goes into a staging buffer, from where a box of it leaves while the next one is computed.

Matrix stores fill the buffer with elements of 16 bits. Those of 32 bits are written by the lanes that hold them, two neighbouring columns
at a time, four rows at once; in rows that the engine swizzles two of these would meet in the same banks, so they begin with different
halves of their columns (`tracea_core.semantic.build.store_layouts.spread`).
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.build.store_layouts import SPREAD_FROM
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import Const, Index, coefficient
from tracea_core.semantic.steps import (
    AsyncKind,
    AsyncStore,
    Barrier,
    Box,
    BufferRef,
    Commit,
    Node,
    ProxyFence,
    Scope,
    Store,
    Transfer,
    Turn,
    Wait,
)
from tracea_core.target import AsyncCopyKind

RUN = 2
"""Neighbouring columns that a lane of an accumulator holds."""


def spreads(dtype: DType, width: int) -> bool:
    """Whether results of such a chunk change places among a lane's registers before they are written."""
    return dtype.bytes == 4 and width >= SPREAD_FROM


def spread_name(width: int) -> str:
    """Return the fragment that holds them then."""
    return f"spread{width}"


def sent_terms(c: Contraction, turned: bool) -> tuple[Term, ...]:
    """Return where second results go that leave as the output does: of its type, their rows as contiguous as its."""
    along = I if turned else J
    terms = [c.epilogue_terms[slot] for slot in c.epilogue.auxiliaries]
    alike = [t for t in terms if t.dtype is c.out.dtype and coefficient(t.offset, along.name) == Const(1)]
    across = (coefficient(t.offset, (J if turned else I).name) for t in alike)
    return tuple(t for t, step in zip(alike, across, strict=True) if step is not None and not t.hoisted)


def store_box(
    c: Contraction, term: Term, columns: Index, row: Index, column: Index, shape: tuple[int, int], turned: bool
) -> Box:
    """Return the box of a chunk that leaves for `term`, whose first element is (row, column); of rows, `columns` are the engine's."""
    step, item = coefficient(term.offset, (J if turned else I).name), coefficient(term.offset, ITEM.name)
    assert step is not None and item is not None
    extents: tuple[Index, ...] = (columns, c.m)
    strides: tuple[Index, ...] = (Const(1), step)
    origin: tuple[Index, ...] = (column, row)
    sizes: tuple[int, ...] = shape
    if turned:
        extents, origin, sizes = extents[::-1], origin[::-1], sizes[::-1]
    if c.items != Const(1):
        extents, strides, origin, sizes = (*extents, c.items), (*strides, item), (*origin, ITEM), (*sizes, 1)
    return Box(term.operand, extents, strides, origin, sizes, sizes[0] * term.dtype.bytes)


def stored_by_engine(
    result: str, dtype: DType, width: int, staged: BufferRef, corner: BufferRef, box: Box, pending: int, turned: bool
) -> list[Node]:
    """Return the steps that put a chunk into its staging buffer, once `pending` stores at most still read such buffers, and send it off.

    Parameters
    ----------
    staged, corner : BufferRef
        The place of an element in the buffer, and of the first one.
    turned : bool
        Whether rows of the buffer are columns of the results.
    """
    nodes: list[Node] = []
    if spreads(dtype, width):
        nodes.append(Turn(spread_name(width), result))
        result = spread_name(width)
    if dtype.bytes == 4:
        filled = Store(staged, result, Transfer.GATHER, width=RUN)
    else:
        filled = Store(staged, result, Transfer.MATRIX_TRANSPOSED if turned else Transfer.MATRIX)
    return [
        *nodes,
        Wait(AsyncKind.STORE, pending),
        Barrier(Scope.ROLE, "staging_free"),
        filled,
        ProxyFence(),
        Barrier(Scope.ROLE, "staging_full"),
        AsyncStore(AsyncCopyKind.TMA, box, corner),
        Commit(AsyncKind.STORE),
    ]
