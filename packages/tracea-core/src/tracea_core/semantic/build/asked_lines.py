# SPDX-License-Identifier: MIT
"""Blocks that are turned in registers, and what of them is asked for some time before it is read.

A block is a vector from each of as many runs of memory as a vector has lanes: filters, planes of an image. The next block continues these
runs, or begins others, and there are more of them than a processor follows. So each block asks for the lines of one that comes later, where
a vector is a whole line; of shorter ones the same lines would be asked for again and again.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.contraction import Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, substitute
from tracea_core.semantic.row_steps import Prefetch

_LINE_BYTES = 64
_SOON_LEVEL = 2


def is_line(lanes: int, dtype: DType) -> bool:
    """Whether a vector of so many lanes is a line of memory.

    >>> is_line(16, DType.FP32), is_line(8, DType.FP32)
    (True, False)
    """
    return lanes * dtype.bytes >= _LINE_BYTES


def block_asks(term: Term, offset: Index, lanes: int) -> tuple[Prefetch, ...]:
    """Ask for the lines of a block of an operand; nothing where vectors are shorter than lines.

    Parameters
    ----------
    offset : Index
        Of the block's elements: vectors lie along ``ROW``, one for each ``COLUMN``.
    """
    if not is_line(lanes, term.dtype):
        return ()
    firsts = (substitute(offset, {ROW.name: Const(0), COLUMN.name: Const(number)}) for number in range(lanes))
    return tuple(Prefetch(term.operand, first, _SOON_LEVEL) for first in firsts)
