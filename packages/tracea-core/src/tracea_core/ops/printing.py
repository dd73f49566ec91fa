# SPDX-License-Identifier: MIT
"""Expressions as a person would write them, for explanations and error messages: ``max(acc + bias, 0)``."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.ops.expr import (
    Accumulator,
    Auxiliary,
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
)

# How tightly an operator binds; a part that binds less tightly is put in parentheses.
_COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(5)

_INFIX = {
    BinaryFn.ADD: ("+", _SUM),
    BinaryFn.SUB: ("-", _SUM),
    BinaryFn.MUL: ("*", _PRODUCT),
    BinaryFn.DIV: ("/", _PRODUCT),
}
_CALLS = {BinaryFn.MAXIMUM: "max", BinaryFn.MINIMUM: "min"}
_SYMBOLS = {
    CompareFn.LT: "<",
    CompareFn.LE: "<=",
    CompareFn.GT: ">",
    CompareFn.GE: ">=",
    CompareFn.EQ: "==",
    CompareFn.NE: "!=",
}


def text(expr: Expr, operands: Sequence[str] = (), accumulators: Sequence[str] = ("acc", "acc1")) -> str:
    """Return `expr` in infix notation with as few parentheses as possible.

    Parameters
    ----------
    expr : Expr
        The expression.
    operands : sequence of str
        Names of the operands by slot; those without one are called ``operand0``, ``operand1``, …
    accumulators : sequence of str
        Names of the accumulators; those without one are called ``acc2``, ``acc3``, …

    Examples
    --------
    >>> text(Binary(BinaryFn.MAXIMUM, Binary(BinaryFn.ADD, Accumulator(), Operand(0)), Constant(0.0)), ["bias"])
    'max(acc + bias, 0)'
    """
    return _print(expr, operands, accumulators)[0]


def _print(expr: Expr, operands: Sequence[str], accumulators: Sequence[str]) -> tuple[str, int]:
    """Return the text and how tightly its outermost operator binds."""

    def inner(part: Expr, least: int = _COMPARE) -> str:
        words, binding = _print(part, operands, accumulators)
        return words if binding >= least else f"({words})"

    if isinstance(expr, Accumulator):
        return accumulators[expr.index] if expr.index < len(accumulators) else f"acc{expr.index}", _ATOM
    if isinstance(expr, Operand):
        return operands[expr.slot] if expr.slot < len(operands) else f"operand{expr.slot}", _ATOM
    if isinstance(expr, Constant):
        return f"{expr.value:.17g}" if float(f"{expr.value:g}") != expr.value else f"{expr.value:g}", (
            _ATOM if expr.value >= 0 else _SIGN
        )
    if isinstance(expr, Unary):
        if expr.fn is UnaryFn.NEG:
            return f"-{inner(expr.x, _ATOM)}", _SIGN
        return f"{expr.fn.value}({inner(expr.x)})", _ATOM
    if isinstance(expr, Binary):
        if expr.fn in _CALLS:
            return f"{_CALLS[expr.fn]}({inner(expr.x)}, {inner(expr.y)})", _ATOM
        symbol, binding = _INFIX[expr.fn]
        # The right side of every operator needs more: neither - nor / nor rounded + and * may be regrouped.
        return f"{inner(expr.x, binding)} {symbol} {inner(expr.y, binding + 1)}", binding
    if isinstance(expr, Compare):
        return f"{inner(expr.x, _SUM)} {_SYMBOLS[expr.fn]} {inner(expr.y, _SUM)}", _COMPARE
    if isinstance(expr, Select):
        return f"where({inner(expr.condition)}, {inner(expr.x)}, {inner(expr.y)})", _ATOM
    if isinstance(expr, Call):
        return f"{expr.name}({', '.join(map(inner, expr.arguments))})", _ATOM
    if isinstance(expr, Auxiliary):
        return f"({inner(expr.place)} := {inner(expr.x)})", _ATOM
    assert isinstance(expr, Cast)
    name = expr.dtype.value if expr.saturate else f"{expr.dtype.value}_unsaturated"
    return f"{name}({inner(expr.x)})", _ATOM
