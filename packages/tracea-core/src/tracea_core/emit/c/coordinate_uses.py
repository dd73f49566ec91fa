# SPDX-License-Identifier: MIT
"""What addresses and tests ask of a row and a column, which decides where they are written as integers of their own."""

from __future__ import annotations

from tracea_core.semantic.index import COLUMN, ROW, Const, Index, IndexFn, IndexOp, Ragged, Test, coefficient, symbols
from tracea_core.semantic.steps import Access, BufferRef


def adds_its_column(reference: Access | BufferRef) -> bool:
    """Tell whether an address in global memory adds a column, and knows no row.

    It then adds what lanes and registers give the column each by itself: compilers see what all registers share, and a constant for
    each. The sum of a name and a pointer they compute anew for each register, in three instructions.
    """
    if not isinstance(reference, Access) or ROW.name in symbols(reference.offset):
        return False
    return coefficient(reference.offset, COLUMN.name) == Const(1)


def folded(name: str, expressions: tuple[Index | Test, ...]) -> bool:
    """Tell whether only the low bits of a row are asked for: registers whose rows have them in common are printed, and compiled, alike."""
    if name != "row":
        return False
    pending, used = list(expressions), False
    while pending:
        part = pending.pop()
        if isinstance(part, IndexOp) and part.fn is IndexFn.MOD and part.left == ROW and isinstance(part.right, Const):
            used = True
        elif part == ROW:
            return False
        elif isinstance(part, IndexOp | Test):
            pending += (part.left, part.right)
        elif isinstance(part, Ragged):
            return False
    return used
