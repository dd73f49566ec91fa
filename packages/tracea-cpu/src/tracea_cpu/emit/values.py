# SPDX-License-Identifier: MIT
"""Values in registers: constants, conversions between element types, and expressions over whole vectors."""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Cast,
    Compare,
    Constant,
    Expr,
    Operand,
    Select,
    Unary,
)

from tracea_cpu.emit.text import ELEMENT, FunctionText, mangled, vector
from tracea_cpu.math import MathLibrary, constant

_INTEGER = {BinaryFn.ADD: "add", BinaryFn.SUB: "sub", BinaryFn.MUL: "mul"}
_RANGE = {DType.INT8: (-128, 127), DType.UINT8: (0, 255)}


def literal(value: float, dtype: DType) -> str:
    """Return a constant of the stored type.

    Raises
    ------
    EmitError
        If an integer type is to hold a fraction.
    """
    element = ELEMENT[dtype]
    if not dtype.is_float:
        if value != int(value):
            raise EmitError(f"{value} is no {dtype.value}")
        return str(int(value))
    if dtype is DType.BF16:
        return str(int(dtype.encode(value)))
    if dtype is DType.FP16:
        return f"0xH{int(dtype.encode(value).view('uint16')):04X}"
    return constant(value, element)


class ValuePrinter:
    """Prints arithmetic on vectors of `lanes` elements."""

    def __init__(self, function: FunctionText, lanes: int) -> None:
        self.f, self.lanes = function, lanes
        self._libraries: dict[str, MathLibrary] = {}

    def library(self, dtype: DType) -> MathLibrary:
        """Return the elementary functions for vectors of fp32 or fp64."""
        element = ELEMENT[dtype]
        if element not in self._libraries:
            self._libraries[element] = MathLibrary(self.lanes, element)
        return self._libraries[element]

    def libraries(self) -> list[MathLibrary]:
        """Return the libraries in use."""
        return list(self._libraries.values())

    def splat(self, value: float, dtype: DType) -> str:
        """Return a constant vector operand."""
        return f"splat ({ELEMENT[dtype]} {literal(value, dtype)})"

    # ---- conversions

    def convert(self, value: str, source: DType, target: DType) -> str:
        """Return `value` converted; narrowing rounds to nearest even, integers saturate.

        Raises
        ------
        EmitError
            If no conversion between the two is known.
        """
        if source is target or {source, target} == {DType.FP32, DType.TF32}:
            return value
        if source in (DType.FP32, DType.TF32):
            return self._from_float(value, target)
        wide = self._to_float(value, source) if target is not DType.INT32 or source.is_float else None
        if target in (DType.FP32, DType.TF32) and wide is not None:
            return wide
        if target is DType.INT32 and wide is None:
            return self._extend(value, source)
        if source is DType.INT32 and target in _RANGE:
            return self._narrow(value, target)
        if wide is not None and source is not DType.FP64 and target is not DType.FP64:
            return self._from_float(wide, target)
        if target is DType.FP64 and wide is not None:
            return self._cast("fpext", wide, "float", "double")
        if source is DType.FP64:
            return self._from_float(self._cast("fptrunc", value, "double", "float"), target)
        raise EmitError(f"no conversion from {source.value} to {target.value} is known")

    def _cast(self, instruction: str, value: str, source: str, target: str) -> str:
        text = f"{instruction} {vector(self.lanes, source)} {value} to {vector(self.lanes, target)}"
        return self.f.let("converted", text)

    def _extend(self, value: str, source: DType) -> str:
        return (
            value
            if source is DType.INT32
            else self._cast("zext" if source is DType.UINT8 else "sext", value, "i8", "i32")
        )

    def _to_float(self, value: str, source: DType) -> str:
        if source is DType.FP64:
            return self._cast("fptrunc", value, "double", "float")
        if source is DType.FP16:
            return self._cast("fpext", value, "half", "float")
        if source is DType.BF16:
            bits = self._cast("zext", value, "i16", "i32")
            high = self.f.let("bits", f"shl {vector(self.lanes, 'i32')} {bits}, splat (i32 16)")
            return self._cast("bitcast", high, "i32", "float")
        return self._cast("sitofp", self._extend(value, source), "i32", "float")

    def _from_float(self, value: str, target: DType) -> str:
        if target in (DType.FP32, DType.TF32):
            return value
        if target is DType.FP64:
            return self._cast("fpext", value, "float", "double")
        if target is DType.FP16:
            return self._cast("fptrunc", value, "float", "half")
        if target is DType.BF16:
            return self._to_bf16(value)
        floats, integers = vector(self.lanes, "float"), vector(self.lanes, ELEMENT[target])
        rounded = self.f.let(
            "rounded", self.f.intrinsic(f"rint.{mangled(self.lanes, 'float')}", floats, (floats, value))
        )
        name = "fptoui" if target is DType.UINT8 else "fptosi"
        suffix = f"{mangled(self.lanes, ELEMENT[target])}.{mangled(self.lanes, 'float')}"
        return self.f.let("converted", self.f.intrinsic(f"{name}.sat.{suffix}", integers, (floats, rounded)))

    def _to_bf16(self, value: str) -> str:
        """Round to nearest even on the bits: add half a unit of the 16th bit, less one unit where that bit is 0; NaN stays NaN."""
        kind = vector(self.lanes, "i32")
        bits = self._cast("bitcast", value, "float", "i32")
        high = self.f.let("bits", f"lshr {kind} {bits}, splat (i32 16)")
        odd = self.f.let("odd", f"and {kind} {high}, splat (i32 1)")
        half = self.f.let("half", f"add {kind} {odd}, splat (i32 32767)")
        moved = self.f.let("moved", f"add {kind} {bits}, {half}")
        rounded = self.f.let("rounded", f"lshr {kind} {moved}, splat (i32 16)")
        nan = self.f.let("is_nan", f"fcmp uno {vector(self.lanes, 'float')} {value}, {value}")
        kept = self.f.let(
            "kept", f"select {vector(self.lanes, 'i1')} {nan}, {kind} splat (i32 32704), {kind} {rounded}"
        )
        return self._cast("trunc", kept, "i32", "i16")

    def _narrow(self, value: str, target: DType) -> str:
        kind, (low, high) = vector(self.lanes, "i32"), _RANGE[target]
        for name, bound in (("smin", high), ("smax", low)):
            call = self.f.intrinsic(
                f"{name}.{mangled(self.lanes, 'i32')}", kind, (kind, value), (kind, f"splat (i32 {bound})")
            )
            value = self.f.let("bounded", call)
        return self._cast("trunc", value, "i32", "i8")

    # ---- expressions

    def expression(self, expr: Expr, dtype: DType, leaf: Callable[[Expr], str]) -> str:
        """Return `expr` evaluated in `dtype`; `leaf` gives the operands of accumulators and operands, in `dtype` already.

        Raises
        ------
        EmitError
            If an integer expression uses a function that only floating point has.
        """
        done: dict[Expr, str] = {}

        def visit(node: Expr) -> str:
            if node not in done:
                done[node] = self._node(node, dtype, leaf, visit)
            return done[node]

        return visit(expr)

    def _node(self, node: Expr, dtype: DType, leaf: Callable[[Expr], str], visit: Callable[[Expr], str]) -> str:
        if isinstance(node, Accumulator | Operand):
            return leaf(node)
        if isinstance(node, Constant):
            return self.splat(node.value, dtype)
        if not dtype.is_float:
            if isinstance(node, Binary) and node.fn in _INTEGER:
                kind = vector(self.lanes, ELEMENT[dtype])
                return self.f.let(node.fn.value, f"{_INTEGER[node.fn]} {kind} {visit(node.x)}, {visit(node.y)}")
            raise EmitError(f"{type(node).__name__} has no integer form", dtype=dtype.value)
        library = self.library(dtype)
        if isinstance(node, Unary):
            return self.f.let(node.fn.value, library.unary(node.fn, visit(node.x)))
        if isinstance(node, Binary):
            return self.f.let(node.fn.value, library.binary(node.fn, visit(node.x), visit(node.y)))
        if isinstance(node, Compare):
            return self._as_number(
                self.f.let(node.fn.value, library.compare(node.fn, visit(node.x), visit(node.y))), dtype
            )
        if isinstance(node, Select):
            return self._select(node, dtype, visit)
        assert isinstance(node, Cast)
        if not node.dtype.is_float and not node.saturate:
            raise EmitError("integer casts saturate on a CPU", dtype=node.dtype.value)
        return self.convert(self.convert(visit(node.x), dtype, node.dtype), node.dtype, dtype)

    def _select(self, node: Select, dtype: DType, visit: Callable[[Expr], str]) -> str:
        kind, library = vector(self.lanes, ELEMENT[dtype]), self.library(dtype)
        if isinstance(node.condition, Compare):
            compare = node.condition
            condition = self.f.let(compare.fn.value, library.compare(compare.fn, visit(compare.x), visit(compare.y)))
        else:
            condition = self.f.let("chosen", f"fcmp une {kind} {visit(node.condition)}, {self.splat(0.0, dtype)}")
        choice = f"select {vector(self.lanes, 'i1')} {condition}, {kind} {visit(node.x)}, {kind} {visit(node.y)}"
        return self.f.let("selected", choice)

    def _as_number(self, condition: str, dtype: DType) -> str:
        kind = vector(self.lanes, ELEMENT[dtype])
        one, zero = self.splat(1.0, dtype), self.splat(0.0, dtype)
        return self.f.let("number", f"select {vector(self.lanes, 'i1')} {condition}, {kind} {one}, {kind} {zero}")
