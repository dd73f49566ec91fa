# SPDX-License-Identifier: MIT
"""Whether an epilogue's value stands a device's fast functions: no later step may magnify their relative error.

Fast functions are exact to 2^-16 of their value (`tracea_core.semantic.steps.Compute`). Products, quotients, maxima and sums of what
cannot be negative keep a relative error as it is; a difference, a function of the inexact value or a jump may make it arbitrarily
large, so such an expression is evaluated exactly.
"""

from __future__ import annotations

from tracea_core.ops.expr import Binary, BinaryFn, Cast, Compare, Constant, Expr, Select, Unary, UnaryFn, children

_FAST = (UnaryFn.EXP, UnaryFn.RECIPROCAL, UnaryFn.SQRT)
_KEEPS = (UnaryFn.NEG, UnaryFn.ABS, UnaryFn.RECIPROCAL, UnaryFn.SQRT, UnaryFn.RSQRT)


def stands_approximation(expr: Expr) -> bool:
    """Return whether `expr` has fast functions and none of their errors grows on its way to the value.

    >>> from tracea_core.ops.expr import Accumulator
    >>> x = Accumulator()
    >>> shifted = Binary(BinaryFn.ADD, Constant(1.0), Unary(UnaryFn.EXP, Unary(UnaryFn.NEG, x)))
    >>> stands_approximation(Binary(BinaryFn.DIV, x, shifted)), stands_approximation(Binary(BinaryFn.SUB, x, shifted))
    (True, False)
    """
    return _inexact(expr) and _keeps(expr)


def _inexact(node: Expr) -> bool:
    """Whether a fast function stands at or below a node."""
    fast = (isinstance(node, Unary) and node.fn in _FAST) or (isinstance(node, Binary) and node.fn is BinaryFn.DIV)
    return fast or any(map(_inexact, children(node)))


def _keeps(node: Expr) -> bool:
    if not all(map(_keeps, children(node))):
        return False
    if not any(map(_inexact, children(node))):
        return True
    if isinstance(node, Unary):
        return node.fn in _KEEPS
    if isinstance(node, Binary):
        sums = node.fn in (BinaryFn.ADD, BinaryFn.SUB)
        return not sums or (node.fn is BinaryFn.ADD and _not_negative(node.x) and _not_negative(node.y))
    if isinstance(node, Select):
        return not _inexact(node.condition)
    return not isinstance(node, Compare | Cast)


def _not_negative(node: Expr) -> bool:
    """Whether a node's value cannot be negative, as far as its form tells."""
    if isinstance(node, Constant):
        return node.value >= 0
    if isinstance(node, Unary):
        return node.fn in (UnaryFn.EXP, UnaryFn.ABS, UnaryFn.SQRT)
    if isinstance(node, Binary) and node.fn is BinaryFn.MUL and node.x == node.y:
        return True
    same = (BinaryFn.ADD, BinaryFn.MUL, BinaryFn.DIV, BinaryFn.MAXIMUM, BinaryFn.MINIMUM)
    return isinstance(node, Binary) and node.fn in same and _not_negative(node.x) and _not_negative(node.y)
