# SPDX-License-Identifier: MIT
"""Softmax, norms and rows of unit length as statistics and values, with the addresses of their tensors.

Leading axes that one stride describes for every tensor are merged, so a batch of matrices is one list of rows wherever that is true.
"""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand, Unary, UnaryFn, rewrite
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import I, J, Named, Term
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Axis, SymbolTable, merge_axes, pointer
from tracea_core.semantic.rowwise import Rowwise, Statistic

_ANY_STRIDE = 16
_X, _COUNT = Accumulator(0), Accumulator(1)


class LoweredRows(Data, frozen=True):
    """A row-wise form and the values its symbols take for one problem; `operands` is as in `tracea_core.semantic.lower.Lowered`."""

    form: Rowwise
    values: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]

    @property
    def symbols(self) -> dict[str, int]:
        """The values by name."""
        return dict(self.values)


def lower_rowwise(problem: Problem) -> LoweredRows:
    """Return the row-wise form of a `SoftmaxOp`, `NormOp` or `NormalizeOp` problem.

    Raises
    ------
    UnsupportedError
        If the op is of another family.
    """
    statistics, value = _meaning(problem)
    problem = problem.replace(
        inputs=(problem.inputs[0].settled(), *problem.inputs[1:]),
        output=problem.output.settled(),
        epilogue_inputs=tuple(
            spec.settled() if operand.axes is OperandAxes.FULL else spec
            for operand, spec in zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)
        ),
    )
    weights = problem.inputs[1:]
    named = [*zip(_weight_names(problem), weights, (OperandAxes.COLUMN,) * len(weights), strict=True)]
    named += [
        (f"{operand.name}_{slot}", spec, operand.axes)
        for slot, (operand, spec) in enumerate(zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True))
    ]
    places = _Places(problem, named)
    x, out = (places.matrix(name, spec) for name, spec in (("x", problem.inputs[0]), ("out", problem.output)))
    terms = tuple(places.operand(*entry) for entry in named)
    epilogue = _after(problem.epilogue.expr, value, len(statistics) + len(weights))
    form = Rowwise(
        title=_title(problem),
        m=places.m, n=places.n, row_names=places.names,
        x=x, out=out, statistics=statistics, value=epilogue, operands=terms,
        compute=problem.inputs[0].dtype.accumulator,
        parameters=(
            pointer("x", x.dtype, Direction.READ),
            pointer("out", out.dtype, Direction.WRITE),
            *(pointer(term.operand, term.dtype, Direction.READ) for term in terms),
        ),
        symbols=tuple(places.table.symbols),
    )  # fmt: skip
    given = [f"input{1 + i}" for i in range(len(weights))] + [
        f"epilogue{i}" for i in range(len(problem.epilogue_inputs))
    ]
    return LoweredRows(form, tuple(places.table.values), ("input0", "output", *given))


class _Places:
    """Addresses of all tensors over `I` and `J`: leading axes are decoded from the row where they cannot be merged."""

    def __init__(self, problem: Problem, named: list[tuple[str, TensorSpec, OperandAxes]]) -> None:
        output = problem.output
        leading = output.shape[:-1]
        self.table = SymbolTable()
        self.m = self.table.extent("m", math.prod(leading), "rows, all leading axes together")
        self.n = self.table.extent("n", output.shape[-1], "columns: the length of a row", 1)
        strides = {"x": problem.inputs[0].strides[:-1], "out": output.strides[:-1]}
        for name, spec, axes in named:
            if axes is OperandAxes.FULL:
                strides[name] = spec.strides[:-1]
            elif axes is OperandAxes.ROW:
                strides[name] = (*(0,) * (len(leading) - 1), _step(spec))[: len(leading)]
        axes_of = [Axis(extent, tuple(s[i] for s in strides.values())) for i, extent in enumerate(leading)]
        single = Axis(math.prod(leading), (_ANY_STRIDE,) * len(strides))  # a single row lies at 0 whatever the stride
        self.axes = merge_axes(axes_of) or (single,)
        self.tensors = list(strides)
        self.names: tuple[Named, ...] = ()
        self.coordinates: list[Index] = []
        rest: Index = I
        for position in range(len(self.axes) - 1, -1, -1):
            if position == 0:
                self.coordinates.insert(0, rest)
                break
            extent = self.table.extent(
                f"axis{position}", self.axes[position].extent, f"extent of leading axis {position}", 1
            )
            self.names = (*self.names, Named(f"row_axis{position}", rest % extent))
            self.coordinates.insert(0, Sym(f"row_axis{position}"))
            rest = rest // extent

    def row(self, name: str) -> Index:
        """The part of a tensor's offset that its row decides."""
        total: Index = Const(0)
        for position, axis in enumerate(self.axes):
            stride = axis.strides[self.tensors.index(name)]
            label = f"{name}_row" if len(self.axes) == 1 else f"{name}_axis{position}"
            total = total + self.coordinates[position] * self.table.stride(label, stride, f"{name}: next row")
        return total

    def matrix(self, name: str, spec: TensorSpec) -> Term:
        """A tensor with the shape of the output."""
        column = self.table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")
        return Term(name, spec.dtype, self.row(name) + J * column)

    def operand(self, name: str, spec: TensorSpec, axes: OperandAxes) -> Term:
        """A weight or an epilogue's operand."""
        if axes is OperandAxes.FULL:
            return self.matrix(name, spec)
        if axes is OperandAxes.ROW:
            return Term(name, spec.dtype, self.row(name))
        if axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        return Term(name, spec.dtype, J * self.table.stride(f"{name}_column", _step(spec), f"{name}: next element"))


def _step(spec: TensorSpec) -> int:
    """The distance between neighbours of a vector; 0 where it has one element."""
    return spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0


def _weight_names(problem: Problem) -> list[str]:
    op = problem.op
    return [name for name, held in (("weight", op.weight), ("bias", op.bias)) if held] if isinstance(op, NormOp) else []


def _meaning(problem: Problem) -> tuple[tuple[Statistic, ...], Expr]:
    """Return the statistics of the op and its value."""
    op = problem.op
    if isinstance(op, SoftmaxOp):
        return _softmax(op)
    if isinstance(op, NormOp):
        return _norm(op)
    if isinstance(op, NormalizeOp):
        return _unit_length(op)
    raise UnsupportedError(f"{type(op).__name__} is no row-wise op", hint="Use PyTorch for it, or another op")


def _softmax(op: SoftmaxOp) -> tuple[tuple[Statistic, ...], Expr]:
    """The maximum keeps every exponential at most 1; a softmax multiplies by 1/sum, its logarithm subtracts log(sum)."""
    scaled: Expr = _X if op.scale == 1.0 else Binary(BinaryFn.MUL, _X, Constant(op.scale))
    shifted = Binary(BinaryFn.SUB, scaled, Operand(0))
    power = Unary(UnaryFn.EXP, shifted)
    top = Statistic("top", BinaryFn.MAXIMUM, scaled, _X)
    if op.log:
        return (top, Statistic("log_sum", BinaryFn.ADD, power, Unary(UnaryFn.LOG, _X))), Binary(
            BinaryFn.SUB, shifted, Operand(1)
        )
    share = Statistic("share", BinaryFn.ADD, power, Unary(UnaryFn.RECIPROCAL, _X))
    return (top, share), Binary(BinaryFn.MUL, power, Operand(1))


def _norm(op: NormOp) -> tuple[tuple[Statistic, ...], Expr]:
    """Two passes over the row, mean first: the sum of squares of differences loses nothing to cancellation."""
    mean = Statistic("mean", BinaryFn.ADD, _X, Binary(BinaryFn.DIV, _X, _COUNT))
    layer = op.kind is NormKind.LAYER
    centred: Expr = Binary(BinaryFn.SUB, _X, Operand(0)) if layer else _X
    variance = Binary(BinaryFn.ADD, Binary(BinaryFn.DIV, _X, _COUNT), Constant(op.eps))
    scale = Statistic("scale", BinaryFn.ADD, Binary(BinaryFn.MUL, centred, centred), Unary(UnaryFn.RSQRT, variance))
    statistics = (mean, scale) if layer else (scale,)
    value: Expr = Binary(BinaryFn.MUL, centred, Operand(len(statistics) - 1))
    if op.weight:
        value = Binary(BinaryFn.MUL, value, Operand(len(statistics)))
    if op.bias:
        value = Binary(BinaryFn.ADD, value, Operand(len(statistics) + op.weight))
    return statistics, value


def _unit_length(op: NormalizeOp) -> tuple[tuple[Statistic, ...], Expr]:
    """The sum of squares; its root, or eps where that is larger, divides every element."""
    length = Binary(BinaryFn.MAXIMUM, Unary(UnaryFn.SQRT, _X), Constant(op.eps))
    factor = Statistic("factor", BinaryFn.ADD, Binary(BinaryFn.MUL, _X, _X), Unary(UnaryFn.RECIPROCAL, length))
    return (factor,), Binary(BinaryFn.MUL, _X, Operand(0))


def _after(epilogue: Expr, value: Expr, operands: int) -> Expr:
    """Return an epilogue's expression on top of `value`, its operands behind those before it."""

    def leaf(node: Expr) -> Expr:
        if isinstance(node, Operand):
            return Operand(node.slot + operands)
        return value if isinstance(node, Accumulator) else node

    return rewrite(epilogue, leaf)


def _title(problem: Problem) -> str:
    op, dtype, out = problem.op, problem.inputs[0].dtype, problem.output.dtype
    if isinstance(op, SoftmaxOp):
        words = "log softmax" if op.log else "softmax"
    elif isinstance(op, NormalizeOp):
        words = "normalize"
    else:
        assert isinstance(op, NormOp)
        words = f"{op.kind.value} norm"
    words += f" {dtype.value}" + (f" -> {out.value}" if out is not dtype else "")
    described = problem.epilogue.describe()
    return f"{words}, epilogue {described}" if described else words
