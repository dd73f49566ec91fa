# SPDX-License-Identifier: MIT
"""Expressions on vectors: each node of `tracea_core.ops.expr` as the operation that has exactly its meaning.

Floating point goes through `tracea_llvm.math`. Integers have sums, products, extremes and comparisons only; schedules
evaluate everything else in floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tracea_core.dtypes import DType
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
)

from tracea_llvm.access import splat
from tracea_llvm.builder import Builder
from tracea_llvm.convert import Converter, element, suffix
from tracea_llvm.math import MathLibrary

_INTEGER = {BinaryFn.ADD: "add", BinaryFn.SUB: "sub", BinaryFn.MUL: "mul"}
_EXTREME = {BinaryFn.MAXIMUM: "smax", BinaryFn.MINIMUM: "smin"}
_PREDICATE = {
    CompareFn.LT: "slt", CompareFn.LE: "sle", CompareFn.GT: "sgt", CompareFn.GE: "sge", CompareFn.EQ: "eq",
    CompareFn.NE: "ne",
}  # fmt: skip


class Calls(Protocol):
    """What knows the Python functions that a kernel calls, and keeps note of what is called."""

    def call(self, name: str, digest: str, lanes: int, element: str, values: Sequence[str]) -> str:
        """Return the right-hand side that applies a function to vectors of `lanes` elements."""
        ...


class ExpressionPrinter:
    """Prints expressions on vectors of `lanes` elements.

    With `in_place`, functions are printed where they are used instead of called: in sweeps over a row, where calls would keep the
    functions of neighbouring vectors from overlapping.
    """

    def __init__(self, builder: Builder, converter: Converter, calls: Calls, *, in_place: bool = False) -> None:
        self.builder, self.converter, self.lanes, self.in_place = builder, converter, converter.lanes, in_place
        self.libraries: dict[str, MathLibrary] = {}
        self.calls = calls

    def print(self, expr: Expr, dtype: DType, leaf: Callable[[Expr], str], hint: str, *, is_sum: bool = False) -> str:
        """Return the value of `expr` in `dtype`.

        Parameters
        ----------
        leaf : callable
            The value, in `dtype`, of an `Accumulator` or `Operand`.
        hint : str
            What intermediate values are named after.
        is_sum : bool
            Whether it goes on with a sum: what it adds a product to is rounded once, as an `Mma` rounds.
        """
        evaluation = _Evaluation(self, dtype, leaf, hint)
        return evaluation.sum_of_product(expr) if is_sum else evaluation.value(expr)

    def library(self, dtype: DType) -> MathLibrary:
        """Return the functions on vectors of `dtype`."""
        kind = element(dtype)
        if kind not in self.libraries:
            self.libraries[kind] = MathLibrary(self.lanes, kind)
        return self.libraries[kind]


class _Evaluation:
    def __init__(self, printer: ExpressionPrinter, dtype: DType, leaf: Callable[[Expr], str], hint: str) -> None:
        self.p, self.dtype, self.leaf, self.hint = printer, dtype, leaf, hint
        self.kind = f"<{printer.lanes} x {element(dtype)}>"
        self.masks = f"<{printer.lanes} x i1>"
        self.known: dict[int, str] = {}

    def value(self, node: Expr) -> str:
        if id(node) not in self.known:
            self.known[id(node)] = self._value(node)
        return self.known[id(node)]

    def sum_of_product(self, node: Expr) -> str:
        """Return the value of x·y + z from one instruction, that of anything else step by step."""
        if not (self.dtype.is_float and isinstance(node, Binary) and node.fn is BinaryFn.ADD):
            return self.value(node)
        product, other = (node.x, node.y) if _is_product(node.x) else (node.y, node.x)
        if not (isinstance(product, Binary) and _is_product(product)):
            return self.value(node)
        name = f"llvm.fma.{suffix(self.p.lanes, element(self.dtype))}"
        values = tuple((self.kind, self.value(part)) for part in (product.x, product.y, other))
        return self._let(self.p.builder.intrinsic(self.kind, name, *values), "sum")

    def _let(self, text: str, name: str) -> str:
        return self.p.builder.here(text, f"{self.hint}_{name}")

    def _value(self, node: Expr) -> str:
        if isinstance(node, Accumulator | Operand):
            return self.leaf(node)
        if isinstance(node, Constant):
            return splat(node.value, self.dtype)
        if isinstance(node, Unary):
            return self._unary(node.fn, self.value(node.x))
        if isinstance(node, Binary):
            return self._binary(node.fn, self.value(node.x), self.value(node.y))
        if isinstance(node, Compare):
            condition = self._condition(node)
            one, zero = splat(1.0, self.dtype), splat(0.0, self.dtype)
            return self._let(f"select {self.masks} {condition}, {self.kind} {one}, {self.kind} {zero}", "truth")
        if isinstance(node, Select):
            condition, x, y = self._condition(node.condition), self.value(node.x), self.value(node.y)
            return self._let(f"select {self.masks} {condition}, {self.kind} {x}, {self.kind} {y}", "chosen")
        if isinstance(node, Call):
            return self._call(node)
        assert isinstance(node, Cast)
        return self._cast(node)

    def _call(self, node: Call) -> str:
        if not self.dtype.is_float:
            raise EmitError(f"{node.name} has no meaning on {self.dtype.value}", hint="Evaluate it in floating point")
        values = [self.value(argument) for argument in node.arguments]
        text = self.p.calls.call(node.name, node.code, self.p.lanes, element(self.dtype), values)
        return self._let(text, node.name)

    def _unary(self, fn: UnaryFn, x: str) -> str:
        if self.dtype.is_float:
            library = self.p.library(self.dtype)
            if self.p.in_place:
                printed = library.in_place(fn, x, lambda text: self._let(text, fn.value))
                if printed is not None:
                    return printed
            return self._let(library.unary(fn, x), fn.value)
        if fn is UnaryFn.NEG:
            return self._let(f"sub {self.kind} zeroinitializer, {x}", fn.value)
        if fn is UnaryFn.ABS:
            name = f"llvm.abs.{suffix(self.p.lanes, element(self.dtype))}"
            return self._let(self.p.builder.intrinsic(self.kind, name, (self.kind, x), ("i1", "false")), fn.value)
        if fn in (UnaryFn.FLOOR, UnaryFn.RINT):
            return x
        raise EmitError(f"{fn.value} has no meaning on {self.dtype.value}", hint="Evaluate it in floating point")

    def _binary(self, fn: BinaryFn, x: str, y: str) -> str:
        if self.dtype.is_float:
            return self._let(self.p.library(self.dtype).binary(fn, x, y), fn.value)
        if fn in _INTEGER:
            return self._let(f"{_INTEGER[fn]} {self.kind} {x}, {y}", fn.value)
        if fn in _EXTREME:
            name = f"llvm.{_EXTREME[fn]}.{suffix(self.p.lanes, element(self.dtype))}"
            return self._let(self.p.builder.intrinsic(self.kind, name, (self.kind, x), (self.kind, y)), fn.value)
        raise EmitError(f"{fn.value} has no meaning on {self.dtype.value}", hint="Evaluate it in floating point")

    def _condition(self, node: Expr) -> str:
        if isinstance(node, Compare):
            x, y = self.value(node.x), self.value(node.y)
            if self.dtype.is_float:
                return self._let(self.p.library(self.dtype).compare(node.fn, x, y), node.fn.value)
            return self._let(f"icmp {_PREDICATE[node.fn]} {self.kind} {x}, {y}", node.fn.value)
        compare = "fcmp une" if self.dtype.is_float else "icmp ne"
        return self._let(f"{compare} {self.kind} {self.value(node)}, zeroinitializer", "holds")

    def _cast(self, node: Cast) -> str:
        """Round to another type and come back; saturation clamps first, and lets NaN pass."""
        value, target, converter = self.value(node.x), node.dtype, self.p.converter
        if node.saturate and target.is_float and target is not self.dtype and target is not DType.FP64:
            low, high = splat(-target.largest, self.dtype), splat(target.largest, self.dtype)
            value = self._binary(BinaryFn.MAXIMUM, self._binary(BinaryFn.MINIMUM, value, high), low)
        if not target.is_float and not node.saturate:
            raise EmitError("conversions to integers saturate in LLVM IR", dtype=target.value)
        stored = converter.convert(value, self.dtype, target, f"{self.hint}_{target.value}")
        return converter.convert(stored, target, self.dtype, f"{self.hint}_rounded")


def _is_product(node: Expr) -> bool:
    return isinstance(node, Binary) and node.fn is BinaryFn.MUL
