# SPDX-License-Identifier: MIT
"""Results whose rows begin at multiples of 16 bytes and end within 16: a copy engine stores whole chunks, lanes what is left of a row.

The engine writes all of a chunk that has an element to store, so it is told that rows end with their last whole chunk. The rest, up to
seven elements a row, lies in one chunk of the last tile across; whether a chunk is that one is asked where it is stored.
"""

from __future__ import annotations

from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import Guard, Index, at_least, less
from tracea_core.semantic.steps import Access, If, Node, Store, Transfer


def whole_columns(c: Contraction) -> Index:
    """Return where the whole chunks of a row end."""
    each = CHUNK // c.out.dtype.bytes
    return c.n // each * each


def rest_of_rows(
    c: Contraction, result: str, columns: tuple[Index, Index], edge: Guard, target: Access, width: int
) -> tuple[Node, ...]:
    """Return the steps that store what is left of the rows of a chunk of `width` columns, where they end in it.

    Parameters
    ----------
    result : str
        The fragment that holds the chunk.
    columns : (Index, Index)
        Its first column, and that of each element.
    edge : Guard
        What elements of it lie inside the output.
    target : Access
        Where they go.
    """
    whole, (first, column) = whole_columns(c), columns
    rest = Store(target, result, Transfer.GATHER, (*edge, at_least(column, whole)))
    return (If((at_least(whole, first), less(whole, first + width)), (rest,)),)
