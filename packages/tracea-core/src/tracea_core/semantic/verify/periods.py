# SPDX-License-Identifier: MIT
"""After how many values of a symbol a place repeats, so that a few of them stand for all."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, symbols


def period(coordinates: Iterable[Index], name: str) -> int:
    """Return after how many values of a symbol all coordinates repeat, 0 if they do not, or if there are none.

    >>> step = Sym("step")
    >>> period((step % 4, step // 2 % 6), "step"), period((step % 4 + step,), "step")
    (12, 0)
    """
    found = [_repeats(index, name) for index in coordinates]
    return math.lcm(*found) if found else 0


def _repeats(index: Index, name: str) -> int:
    """The same for one expression, which may use the symbol in remainders of its quotients by numbers only."""
    if name not in symbols(index):
        return 1
    if not isinstance(index, IndexOp):
        return 0
    if index.fn is IndexFn.MOD and isinstance(index.right, Const):
        inner, values = index.left, index.right.value
        while isinstance(inner, IndexOp) and inner.fn is IndexFn.FLOORDIV and isinstance(inner.right, Const):
            values *= inner.right.value
            inner = inner.left
        return values if inner == Sym(name) else 0
    if index.fn in (IndexFn.ADD, IndexFn.SUB, IndexFn.MUL):
        return math.lcm(_repeats(index.left, name), _repeats(index.right, name))
    return 0
