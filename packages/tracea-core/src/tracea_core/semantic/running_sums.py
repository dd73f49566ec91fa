# SPDX-License-Identifier: MIT
"""Which sum of a row-wise op can be taken along with the maximum before it, so that a long row is read once for both.

The terms of a softmax's sum are exponentials of what lies below the row's maximum. While the maximum is not known, the one so far stands
for it: whenever it rises, what was summed is rescaled (Milakov and Gimelshein, arXiv 1805.02867).
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    walk,
)
from tracea_core.semantic.rowwise import Rowwise


class RunningSum(Data, frozen=True):
    r"""How a sum is kept in terms of the maximum so far.

    Of a further term *t*, the maximum so far *m* and the sum *s* so far, one exponential $e = \exp(-|t - m|)$ makes the next sum: it is
    $s e + 1$ where *t* is above *m*, and $s + e$ elsewhere.

    Attributes
    ----------
    level : Expr
        What the maximum is taken of: over the element, ``Accumulator(0)``.
    power : Expr
        *e* of a level, ``Accumulator(0)``, and the maximum before it, ``Accumulator(1)``.
    joined : Expr
        The next sum: over *e*, ``Accumulator(0)``, the level, ``Accumulator(1)``, the sum and the maximum before it.
    settled : Expr
        The sum in terms of the row's maximum, ``Operand(0)``: over the sum, ``Accumulator(0)``, and the maximum that it was kept with.
    """

    level: Expr
    power: Expr
    joined: Expr
    settled: Expr


def running_sum(form: Rowwise) -> RunningSum | None:
    """Return how the form's second statistic is kept along with its first one; None unless they are such a sum and its maximum.

    Before, a softmax: the maximum of x, then the sum of ``exp(x − top)``. After: both in one sweep, and ``sum · exp(m − top)`` behind it.
    """
    if len(form.statistics) < 2:
        return None
    first, second = form.statistics[:2]
    distance = Unary(UnaryFn.EXP, Binary(BinaryFn.SUB, first.term, Operand(0)))
    plain = not any(isinstance(node, Operand) for node in walk(first.term))
    if first.fold is not BinaryFn.MAXIMUM or first.finish != Accumulator(0) or not plain:
        return None
    if second.fold is not BinaryFn.ADD or second.term != distance:
        return None
    power, level, total, top = (Accumulator(place) for place in range(4))
    raised = Binary(BinaryFn.ADD, Binary(BinaryFn.MUL, total, power), Constant(1.0))
    below = Unary(UnaryFn.EXP, Binary(BinaryFn.SUB, Accumulator(1), Operand(0)))
    return RunningSum(
        first.term,
        Unary(
            UnaryFn.EXP, Unary(UnaryFn.NEG, Unary(UnaryFn.ABS, Binary(BinaryFn.SUB, Accumulator(0), Accumulator(1))))
        ),
        Select(Compare(CompareFn.GT, level, top), raised, Binary(BinaryFn.ADD, total, power)),
        Binary(BinaryFn.MUL, Accumulator(0), below),
    )
