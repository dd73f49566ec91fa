# SPDX-License-Identifier: MIT
"""Epilogue expressions as C: subexpressions that occur twice are named, everything else nests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from tracea_core.dtypes import DType
from tracea_core.emit.c.dialect import Dialect
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
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
    children,
)

_OPERATORS = {BinaryFn.ADD: "+", BinaryFn.SUB: "-", BinaryFn.MUL: "*", BinaryFn.DIV: "/"}
_COMPARE = {
    CompareFn.LT: "<", CompareFn.LE: "<=", CompareFn.GT: ">", CompareFn.GE: ">=", CompareFn.EQ: "==", CompareFn.NE: "!=",
}  # fmt: skip


class ExpressionPrinter:
    """Prints one expression over values of `dtype`.

    Parameters
    ----------
    leaf : callable
        From an `Accumulator` or `Operand` to the C text of its value, converted to `dtype`.
    approximate : bool
        Whether the device's fast functions are exact enough.
    kind : str
        Type of what is named on the way, where the values are vectors of `dtype`.
    """

    def __init__(
        self, dialect: Dialect, dtype: DType, leaf: Callable[[Expr], str], approximate: bool = False, kind: str = ""
    ) -> None:
        self.dialect, self.dtype, self.leaf, self.approximate, self.kind = dialect, dtype, leaf, approximate, kind

    def print(self, expr: Expr, writer: SourceWriter) -> str:
        """Write what must be named first and return the text of the value."""
        uses: Counter[Expr] = Counter()

        def count(node: Expr) -> None:
            uses[node] += 1
            if uses[node] == 1:
                for child in children(node):
                    count(child)

        count(expr)
        named: dict[Expr, str] = {}
        return self._value(expr, uses, named, writer)

    def _value(self, node: Expr, uses: Counter[Expr], named: dict[Expr, str], writer: SourceWriter) -> str:
        if node in named:
            return named[node]
        text = self._text(node, uses, named, writer)
        if uses[node] > 1 and not isinstance(node, Constant):
            name = f"v{len(named)}"
            kind = "bool" if isinstance(node, Compare) else self.kind or self.dialect.scalar(self.dtype)
            writer.line(f"const {kind} {name} = {_outer(text)};")
            named[node] = name
            return name
        return text

    def _text(self, node: Expr, uses: Counter[Expr], named: dict[Expr, str], writer: SourceWriter) -> str:
        if isinstance(node, Accumulator | Operand):
            return self.leaf(node)
        if isinstance(node, Constant):
            return self.dialect.constant(node.value, self.dtype)
        fast = self.dialect.power_of_two if self.approximate and self.dtype is DType.FP32 else ""
        if fast and isinstance(node, Unary) and (exponent := _power_of_two(node)) is not None:
            return f"{fast}({self._value(exponent, uses, named, writer)})"
        parts = [self._value(child, uses, named, writer) for child in children(node)]
        if isinstance(node, Unary):
            return (
                f"(-{parts[0]})"
                if node.fn is UnaryFn.NEG
                else self.dialect.unary(node.fn, self.dtype, parts[0], self.approximate)
            )
        if isinstance(node, Binary):
            if node.fn is BinaryFn.DIV and self.approximate:
                return self.dialect.quotient(self.dtype, parts[0], parts[1])
            if node.fn in _OPERATORS:
                return f"({parts[0]} {_OPERATORS[node.fn]} {parts[1]})"
            return self.dialect.binary(node.fn, self.dtype, parts[0], parts[1])
        if isinstance(node, Compare):
            return f"({parts[0]} {_COMPARE[node.fn]} {parts[1]})"
        if isinstance(node, Select):
            test = parts[0] if isinstance(node.condition, Compare) else f"({parts[0]} != 0)"
            return f"({test} ? {parts[1]} : {parts[2]})"
        if isinstance(node, Call):
            raise EmitError(
                f"the Python function {node.name} is compiled by numba, which kernels for a CPU link and others cannot",
                hint="Write it with where(condition, x, y), maximum and minimum, which every backend prints, or compute on the CPU",
            )
        assert isinstance(node, Cast)
        return self.dialect.cast(
            self.dialect.round(parts[0], self.dtype, node.dtype, node.saturate), node.dtype, self.dtype
        )


def _power_of_two(node: Unary) -> Expr | None:
    """What e^(ln 2 · x) raises 2 to."""
    product = node.x if node.fn is UnaryFn.EXP else None
    if isinstance(product, Binary) and product.fn is BinaryFn.MUL and product.x == Constant(math.log(2.0)):
        return product.y
    return None


def _outer(text: str) -> str:
    """Return `text` without parentheses around the whole of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]
