# SPDX-License-Identifier: MIT
"""Attention and low-rank products as chains of two contractions, with the addresses of their tensors."""

from __future__ import annotations

import math

import msgspec

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Compare, CompareFn, Constant, Expr, Operand, Select
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.chained import DEPTH, KEY, Chained, Window
from tracea_core.semantic.contraction import ITEM, I, J, Named, Term
from tracea_core.semantic.index import Const, Index, Sym, symbols
from tracea_core.semantic.kernel import Direction, Parameter
from tracea_core.semantic.lower import Axis, SymbolTable, merge_axes, pointer

_HEAD, _SEQUENCE, _KV_HEAD = Sym("head"), Sym("sequence"), Sym("kv_head")
_BIAS = "score_bias"
"""What is added to scores. Where all rows, heads or sequences have the same, distances of 0 are fixed in the form."""


class LoweredChain(Data, frozen=True):
    """A chain and the values its symbols take for one problem; `operands` is as in `tracea_core.semantic.lower.Lowered`."""

    form: Chained
    values: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]

    @property
    def symbols(self) -> dict[str, int]:
        """The values by name."""
        return dict(self.values)


def lower_chained(problem: Problem) -> LoweredChain:
    """Return the chain of an `AttentionOp` or `LowRankOp` problem.

    Raises
    ------
    UnsupportedError
        If the op is of another family, the lengths of sequences are data, the epilogue is gated, or a batch has strides that no
        single one describes.
    """
    if problem.epilogue.gated:
        raise UnsupportedError("a chain of contractions has no gated epilogue", hint="Apply the gate afterwards")
    if isinstance(problem.op, AttentionOp):
        return _attention(problem, problem.op)
    if isinstance(problem.op, LowRankOp):
        return _low_rank(problem, problem.op)
    raise UnsupportedError(f"{type(problem.op).__name__} is no chain of contractions")


def _attention(problem: Problem, op: AttentionOp) -> LoweredChain:
    if op.lengths:
        raise UnsupportedError(
            "no schedule reads the lengths of sequences from memory",
            hint="Attend to each length on its own",
            op="attention",
        )
    table = SymbolTable()
    items = table.extent("items", op.batch * op.heads, "query heads of all sequences")
    m, n = table.extent("m", op.queries, "queries"), table.extent("n", op.values_extent, "columns of v")
    k, keys = table.extent("k", op.head_dim, "columns of q and k"), table.extent("keys", op.keys, "keys")
    heads = table.extent("heads", max(op.heads, 1), "query heads of a sequence", 1)
    group = table.extent("group", max(op.heads // max(op.groups_of_keys, 1), 1), "query heads that share keys", 1)
    names = (
        Named(_HEAD.name, ITEM % heads), Named(_SEQUENCE.name, ITEM // heads), Named(_KV_HEAD.name, _HEAD // group),
    )  # fmt: skip

    def tensor(name: str, spec: TensorSpec, head: Index, row: Index, column: Index) -> Term:
        steps = [table.stride(f"{name}_{axis}", stride, f"{name}: next {axis}") if stride or name != _BIAS else Const(0)
                 for axis, stride in zip(("batch", "head", "row", "column"), spec.strides, strict=True)]  # fmt: skip
        parts = (_SEQUENCE, head, row, column)
        offset: Index = Const(0)
        for part, step in zip(parts, steps, strict=True):
            offset = offset + part * step
        return Term(name, spec.dtype, offset)

    q, keys_, v = (spec.settled() for spec in problem.inputs[:3])
    left = tensor("q", q, _HEAD, I, DEPTH)
    middle = tensor("k_matrix", keys_, _KV_HEAD, KEY, DEPTH)
    right = tensor("v", v, _KV_HEAD, KEY, J)
    out = tensor("out", problem.output.settled(), _HEAD, I, J)
    between: Expr = Binary(BinaryFn.MUL, Accumulator(), Constant(op.factor))
    bias: Term | msgspec.UnsetType = msgspec.UNSET
    if op.bias is not msgspec.UNSET:
        bias = tensor(_BIAS, problem.inputs[3].settled(), _HEAD, I, KEY)
        hidden = Compare(CompareFn.EQ, Operand(0), Constant(0.0))
        hides = op.bias is DType.UINT8
        between = (
            Select(hidden, Constant(op.accumulator.lowest), between)
            if hides
            else Binary(BinaryFn.ADD, between, Operand(0))
        )
    right_side = 0 if op.causal else op.right
    window = Window(
        None if op.left is None else table.extent("window_left", op.left, "keys before the diagonal that are seen"),
        None
        if right_side is None
        else table.extent("window_right", right_side, "keys behind the diagonal that are seen"),
    )
    terms = tuple(
        tensor(name, spec.settled(), _HEAD, I, J) if axes is OperandAxes.FULL else _vector(table, name, spec, axes)
        for name, spec, axes in _operands(problem)
    )
    words = "attention" + (" causal" if op.causal else "") + (" windowed" if op.left is not None or op.right else "")
    words += "" if op.bias is msgspec.UNSET else f" masked by {op.bias.value}"
    form = Chained(
        title=_title(problem, words), items=items, m=m, n=n, k=k, keys=keys, item_names=names,
        left=left, middle=middle, right=right, out=out, softmax=True,
        between=between, window=window, value=problem.epilogue.expr, operands=terms, compute=op.accumulator,
        parameters=_parameters((left, middle, right) if bias is msgspec.UNSET else (left, middle, right, bias), out, terms),
        symbols=tuple(table.symbols), bias=bias,
    )  # fmt: skip
    return _lowered(_promised(problem, form) if form.added else form, table, len(terms))


def _promised(problem: Problem, form: Chained) -> Chained:
    """Return the form with what is known of pairs of its bias's elements: whether they lie together, aligned, and are masked as one."""
    spec, (bias,) = problem.inputs[3].settled(), form.added
    steps = spec.strides[:-1]
    if (
        spec.strides[-1] != 1
        or any(step % 2 for step in (*steps, spec.shape[-1]))
        or problem.options.aligned(3) < 2 * spec.dtype.bytes
    ):
        return form
    names = symbols(bias.offset) | symbols(form.keys)
    return form.replace(
        symbols=tuple(
            one.replace(multiple=2) if one.name in names and (one.minimum < 0 or one.name == "keys") else one
            for one in form.symbols
        ),
        parameters=tuple(
            one.replace(alignment=2 * one.dtype.bytes) if one.name == bias.operand else one for one in form.parameters
        ),
    )


def _low_rank(problem: Problem, op: LowRankOp) -> LoweredChain:
    x, a, b = (spec.settled() for spec in problem.inputs)
    out = problem.output.settled()
    extras = [
        (name, spec.settled() if axes is OperandAxes.FULL else spec, axes) for name, spec, axes in _operands(problem)
    ]
    swept = [x, out, *(spec for _, spec, axes in extras if axes is OperandAxes.FULL)]
    axes = merge_axes([Axis(e, tuple(s.strides[i] for s in swept)) for i, e in enumerate(op.batch)])
    if len(axes) > 1:
        raise UnsupportedError("a batch of low-rank products has strides that no single one describes", hint="Copy x")
    rows, by_row = op.m, any(axes_ is OperandAxes.ROW for _, _, axes_ in extras)
    if (
        axes
        and not by_row
        and all(s == op.m * spec.strides[-2] for s, spec in zip(axes[0].strides, swept, strict=True))
    ):
        rows, axes = op.m * axes[0].extent, ()
    table = SymbolTable()
    items: Index = table.extent("items", axes[0].extent, "matrices in the batch") if axes else Const(1)
    m, n = table.extent("m", rows, "rows of x"), table.extent("n", op.n, "columns of b")
    k, rank = table.extent("k", op.k, "columns of x"), table.extent("keys", op.rank, "columns of a: the rank")

    def matrix(name: str, spec: TensorSpec, row: Index, column: Index, place: int | None = None) -> Term:
        offset = row * table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        offset = offset + column * table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")
        if axes and place is not None:
            offset = offset + ITEM * table.stride(f"{name}_batch", axes[0].strides[place], f"{name}: next matrix")
        return Term(name, spec.dtype, offset)

    left, target = matrix("x", x, I, DEPTH, 0), matrix("out", out, I, J, 1)
    middle, right = matrix("a", a, DEPTH, KEY), matrix("b", b, KEY, J)
    terms, place = [], 2
    for name, spec, kind in extras:
        if kind is OperandAxes.FULL:
            terms.append(matrix(name, spec, I, J, place))
            place += 1
        else:
            terms.append(_vector(table, name, spec, kind))
    form = Chained(
        title=_title(problem, "low rank product"), items=items, m=m, n=n, k=k, keys=rank, item_names=(),
        left=left, middle=middle, right=right, out=target, softmax=False, between=op.middle.expr, window=Window(),
        value=problem.epilogue.expr, operands=tuple(terms), compute=op.accumulator,
        parameters=_parameters((left, middle, right), target, tuple(terms)), symbols=tuple(table.symbols),
    )  # fmt: skip
    return _lowered(form, table, len(terms))


def _operands(problem: Problem) -> list[tuple[str, TensorSpec, OperandAxes]]:
    pairs = zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)
    return [(f"{operand.name}_{slot}", spec, operand.axes) for slot, (operand, spec) in enumerate(pairs)]


def _vector(table: SymbolTable, name: str, spec: TensorSpec, axes: OperandAxes) -> Term:
    if axes is OperandAxes.SCALAR:
        return Term(name, spec.dtype, Const(0))
    step = spec.strides[-1] if spec.shape and math.prod(spec.shape) != 1 else 0
    along = I if axes is OperandAxes.ROW else J
    return Term(name, spec.dtype, along * table.stride(f"{name}_step", step, f"{name}: next element"))


def _parameters(inputs: tuple[Term, ...], out: Term, terms: tuple[Term, ...]) -> tuple[Parameter, ...]:
    read = [pointer(term.operand, term.dtype, Direction.READ) for term in inputs]
    rest = [pointer(term.operand, term.dtype, Direction.READ) for term in terms]
    return (*read, pointer(out.operand, out.dtype, Direction.WRITE), *rest)


def _lowered(form: Chained, table: SymbolTable, operands: int) -> LoweredChain:
    given = tuple(f"epilogue{slot}" for slot in range(operands))
    inputs = tuple(f"input{place}" for place in range(3 + len(form.added)))
    return LoweredChain(form, tuple(table.values), (*inputs, "output", *given))


def _title(problem: Problem, words: str) -> str:
    dtype, out = problem.inputs[0].dtype, problem.output.dtype
    words += f" {dtype.value}" + (f" -> {out.value}" if out is not dtype else "")
    described = problem.epilogue.describe()
    return f"{words}, epilogue {described}" if described else words
