# SPDX-License-Identifier: MIT
"""Which element's address each lane passes where 8×8 matrices move together.

Word w of the fragment is matrix w, and lane l passes the address of row l mod 8 of one of them. Four lanes hold a row, two elements each
(the interpreter checks it), so row i of matrix w begins with the element in the first register of word w of lane 4·i.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Packed

_WARP = 32


def matrices_of(packed: Packed, lane: Term, transposed: bool) -> Iterator[tuple[int, int, Term, Term]]:
    """Yield the first matrix of each group that moves together, how many it has, and the lane and register that hold the element.

    Parameters
    ----------
    lane : Term
        The lane that passes an address.
    """
    first = 0
    while first < packed.words:
        count = next(count for count in (4, 2, 1) if first + count <= packed.words)
        warp = algebra.multiply(algebra.shifted(lane, 5), algebra.number(_WARP))
        matrix = algebra.add(algebra.field(lane, 3, count.bit_length() - 1, 1), algebra.number(2 * first))
        if transposed:  # row i of a transposed matrix begins in lane i div 2, register i mod 2
            holder = algebra.add(warp, algebra.field(lane, 1, 2, 0))
            register = algebra.add(matrix, algebra.field(lane, 0, 1, 0))
        else:
            holder, register = algebra.add(warp, algebra.field(lane, 0, 3, 2)), matrix
        yield first, count, holder, register
        first += count
