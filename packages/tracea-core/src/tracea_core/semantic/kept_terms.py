# SPDX-License-Identifier: MIT
"""Which term of a row-wise op is worth keeping: what is expensive to compute and stands in a statistic and in the value alike."""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator, Binary, Call, Cast, Compare, Expr, Select, Unary, UnaryFn, rewrite, walk
from tracea_core.semantic.rowwise import Rowwise, Statistic

_COSTLY = (UnaryFn.EXP, UnaryFn.LOG, UnaryFn.TANH, UnaryFn.ERF)


def kept_term(form: Rowwise) -> tuple[Statistic | None, Expr]:
    """Return the statistic whose term is worth keeping, and the value in terms of it; none, and the value as it is.

    Before, a softmax: ``exp(x − top) · share``. After: the terms of the second statistic are kept, the value is ``kept · share``.
    """
    for statistic in reversed(form.statistics):
        if not any(isinstance(node, Unary) and node.fn in _COSTLY for node in walk(statistic.term)):
            continue
        value = _replaced(form.value, statistic.term)
        if not any(isinstance(node, Accumulator) and node.index == 0 for node in walk(value)):
            return statistic, rewrite(value, lambda leaf: Accumulator(0) if isinstance(leaf, Accumulator) else leaf)
    return None, form.value


def _replaced(expr: Expr, term: Expr) -> Expr:
    """Return `expr` with every occurrence of `term` replaced by ``Accumulator(1)``."""
    if expr == term:
        return Accumulator(1)
    if isinstance(expr, Unary):
        return Unary(expr.fn, _replaced(expr.x, term))
    if isinstance(expr, Cast):
        return Cast(expr.dtype, _replaced(expr.x, term), expr.saturate)
    if isinstance(expr, Binary):
        return Binary(expr.fn, _replaced(expr.x, term), _replaced(expr.y, term))
    if isinstance(expr, Compare):
        return Compare(expr.fn, _replaced(expr.x, term), _replaced(expr.y, term))
    if isinstance(expr, Select):
        parts = (_replaced(part, term) for part in (expr.condition, expr.x, expr.y))
        return Select(*parts)
    if isinstance(expr, Call):
        return Call(expr.name, expr.code, tuple(_replaced(part, term) for part in expr.arguments))
    return expr
