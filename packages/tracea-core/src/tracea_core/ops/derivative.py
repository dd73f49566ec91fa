# SPDX-License-Identifier: MIT
"""The derivative of an expression as another expression, so that a backward pass fuses its epilogue as the forward pass does.

Forward mode over the straight-line program: each node's derivative follows from those of its arguments by the chain rule, and what is
shared stays shared. Where a function bends, one side is taken: of ``maximum`` and ``minimum`` the second argument's at a tie, so that
the derivative of ``max(x, 0)`` at 0 is 0, as in PyTorch; that of ``abs`` at 0 is 0.
"""

from __future__ import annotations

import math

from tracea_core.errors import OptionError
from tracea_core.ops.auxiliary import plain
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Call,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
    UnaryFn,
    check_size,
    linearize,
)

_ZERO, _ONE = Constant(0.0), Constant(1.0)


def derivative(expr: Expr, variable: Accumulator | Operand = Accumulator()) -> Expr:  # noqa: B008  # frozen
    """Return ∂expr/∂variable, over the same accumulators and operands.

    Parameters
    ----------
    expr : Expr
        The expression.
    variable : Accumulator or Operand
        What to differentiate by.

    Raises
    ------
    OptionError
        If `expr` casts something that depends on `variable` to an integer type, which has no useful derivative, calls a Python
        function on it (`Call`), or the result is too large. A cast to a floating-point type counts as the identity where it does not
        saturate.

    Examples
    --------
    >>> from tracea_core.ops.printing import text
    >>> text(derivative(Binary(BinaryFn.MUL, Accumulator(), Accumulator())))
    'acc + acc'
    """
    slopes: list[Expr] = []
    program = linearize(plain(expr))
    for node, places in program:
        parts = [program[place][0] for place in places]
        slopes.append(_slope(node, parts, [slopes[place] for place in places], variable))
    check_size(slopes[-1])
    return slopes[-1]


def _slope(node: Expr, parts: list[Expr], slopes: list[Expr], variable: Accumulator | Operand) -> Expr:
    """Return the derivative of one node from those of its arguments."""
    if not parts:
        return _ONE if node == variable else _ZERO
    if isinstance(node, Compare) or all(slope == _ZERO for slope in slopes):
        return _ZERO
    if isinstance(node, Select):
        return _select(parts[0], slopes[1], slopes[2])
    if isinstance(node, Cast):
        return _cast_slope(node, slopes[0])
    if isinstance(node, Call):
        raise OptionError(
            f"the Python function {node.name} has no derivative, since it is compiled as it stands",
            hint="Write it with where(condition, x, y), maximum and minimum, which are traced",
        )
    if isinstance(node, Unary):
        return _multiply(slopes[0], _unary_slope(node))
    assert isinstance(node, Binary)
    return _binary_slope(node, *slopes)


def _unary_slope(node: Unary) -> Expr:
    """Return f'(x) for the node f(x)."""
    x = node.x
    if node.fn is UnaryFn.NEG:
        return Constant(-1.0)
    if node.fn is UnaryFn.ABS:
        below = _select(Compare(CompareFn.LT, x, _ZERO), Constant(-1.0), _ZERO)
        return _select(Compare(CompareFn.GT, x, _ZERO), _ONE, below)
    if node.fn is UnaryFn.EXP:
        return node
    if node.fn is UnaryFn.LOG:
        return Unary(UnaryFn.RECIPROCAL, x)
    if node.fn is UnaryFn.SQRT:
        return _multiply(Constant(0.5), Unary(UnaryFn.RECIPROCAL, node))
    if node.fn is UnaryFn.RSQRT:  # −½·x^(−3/2)
        return _multiply(Constant(-0.5), _multiply(node, _multiply(node, node)))
    if node.fn is UnaryFn.RECIPROCAL:
        return _negate(_multiply(node, node))
    if node.fn is UnaryFn.TANH:
        return Binary(BinaryFn.SUB, _ONE, _multiply(node, node))
    if node.fn is UnaryFn.ERF:  # (2/√π)·exp(−x²)
        return _multiply(Constant(2 / math.sqrt(math.pi)), Unary(UnaryFn.EXP, _negate(_multiply(x, x))))
    return _ZERO  # floor and rint are constant between their steps


def _binary_slope(node: Binary, dx: Expr, dy: Expr) -> Expr:
    if node.fn is BinaryFn.ADD:
        return _add(dx, dy)
    if node.fn is BinaryFn.SUB:
        return _add(dx, _negate(dy))
    if node.fn is BinaryFn.MUL:
        return _add(_multiply(dx, node.y), _multiply(dy, node.x))
    if node.fn is BinaryFn.DIV:  # (dx − (x/y)·dy)/y
        top = _add(dx, _negate(_multiply(dy, node)))
        return Binary(BinaryFn.DIV, top, node.y)
    first = CompareFn.GT if node.fn is BinaryFn.MAXIMUM else CompareFn.LT
    return _select(Compare(first, node.x, node.y), dx, dy)


def _cast_slope(node: Cast, dx: Expr) -> Expr:
    if not node.dtype.is_float:
        raise OptionError(
            f"a cast to {node.dtype.value} has no derivative",
            hint="Differentiate the epilogue before it is quantized",
        )
    if not node.saturate:
        return dx
    inside = Compare(CompareFn.LE, Unary(UnaryFn.ABS, node.x), Constant(node.dtype.largest))
    return _select(inside, dx, _ZERO)


def _add(x: Expr, y: Expr) -> Expr:
    if x == _ZERO:
        return y
    if y == _ZERO:
        return x
    if isinstance(y, Unary) and y.fn is UnaryFn.NEG:
        return Binary(BinaryFn.SUB, x, y.x)
    return Binary(BinaryFn.ADD, x, y)


def _multiply(x: Expr, y: Expr) -> Expr:
    for one, other in ((x, y), (y, x)):
        if one == _ZERO:
            return _ZERO
        if one == _ONE:
            return other
        if one == Constant(-1.0):
            return _negate(other)
    if isinstance(x, Constant) and isinstance(y, Constant) and math.isfinite(x.value * y.value):
        return Constant(x.value * y.value)
    return Binary(BinaryFn.MUL, x, y)


def _negate(x: Expr) -> Expr:
    if isinstance(x, Constant):
        return Constant(-x.value) if x.value else _ZERO
    if isinstance(x, Unary) and x.fn is UnaryFn.NEG:
        return x.x
    return Unary(UnaryFn.NEG, x)


def _select(condition: Expr, x: Expr, y: Expr) -> Expr:
    return x if x == y else Select(condition, x, y)
