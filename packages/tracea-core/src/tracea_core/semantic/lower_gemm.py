# SPDX-License-Identifier: MIT
"""GEMM, batched or not, as a contraction: dense strides, batch axes merged, the output's rows or columns made contiguous."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_transposed
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, KAxis, Named, Term
from tracea_core.semantic.index import Const, Index, Sym, substitute
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import (
    Axis,
    Lowered,
    SymbolTable,
    broadcast_strides,
    merge_axes,
    operand_pointers,
    pointer,
)
from tracea_core.semantic.panels import panel_offset

K = "kk"


class _Places:
    """Where elements of the operands lie: matrices with strides, one after the other along what is left of the batch axes."""

    def __init__(self, axes: Sequence[Axis], table: SymbolTable) -> None:
        self.axes, self.table = axes, table
        self.items: Index = Const(1)
        self.names: list[Named] = []
        self.coordinates: list[Index] = []
        if axes:
            self.items = table.extent("items", math.prod(axis.extent for axis in axes), "matrices in the batch")
        rest: Index = ITEM
        for position in range(len(axes) - 1, 0, -1):
            extent = table.extent(f"batch{position}", axes[position].extent, f"extent of batch axis {position}", 1)
            self.names.append(Named(f"item{position}", rest % extent))
            self.coordinates.insert(0, Sym(f"item{position}"))
            rest = rest // extent
        if axes:
            self.coordinates.insert(0, rest)

    def matrix(self, name: str, spec: TensorSpec, tensor: int, row: Index, column: Index) -> Index:
        """Return the offset of an element of the tensor that comes as number `tensor` in the axes."""
        down = self.table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        across = self.table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")
        total: Index = Const(0)
        for position, (axis, coordinate) in enumerate(zip(self.axes, self.coordinates, strict=True)):
            words = f"{name}: next along batch axis {position}"
            total = total + coordinate * self.table.stride(f"{name}_batch{position}", axis.strides[tensor], words)
        return total + row * down + column * across

    def epilogue(self, problem: Problem) -> list[Term]:
        """Return the operands of the epilogue; those of the output's shape follow a, b and the output in the axes."""
        terms: list[Term] = []
        tensor = 3
        for slot, (operand, spec) in enumerate(zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)):
            name = f"{operand.name}_{slot}"
            if operand.axes is OperandAxes.FULL:
                offset = self.matrix(name, spec, tensor, I, J)
                tensor += 1
            elif operand.axes is OperandAxes.SCALAR:
                offset = Const(0)
            else:
                along = I if operand.axes is OperandAxes.ROW else J
                step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
                offset = along * self.table.stride(f"{name}_stride", step, f"{name}: next element")
            terms.append(Term(name, spec.dtype, offset))
        return terms


def lower_gemm(problem: Problem) -> Lowered:
    """Return the contraction form of a normalized `GemmOp` problem (no alpha, no beta)."""
    op = problem.op
    assert isinstance(op, GemmOp)
    a, b = problem.inputs[:2]
    out, epilogue = problem.output, problem.epilogue
    m, axes = _rows_and_axes(problem)
    table = SymbolTable()
    m_index = table.extent("m", m, "rows of the output")
    n_index = table.extent("n", out.shape[-1], "columns of the output")
    k_index = table.extent("k", a.shape[-1], "length of the reduction")
    places = _Places(axes, table)
    kk = Sym(K)
    types = [
        DType.TF32 if dtype is DType.TF32 else spec.dtype
        for dtype, spec in zip(op.input_dtypes(), (a, b), strict=False)
    ]
    left = Term("a", types[0], places.matrix("a", a, 0, I, kk))
    if problem.options.panel_columns:
        if axes or epilogue.gated:
            raise UnsupportedError("an operand in panels is one matrix, and its epilogue is not gated", op="matmul")
        right = Term("b", types[1], panel_offset(k_index, problem.options.panel_columns, kk, J))
    else:
        right = Term("b", types[1], places.matrix("b", b, 1, kk, J))
    store = Term("out", out.dtype, places.matrix("out", out, 2, I, J))
    terms = places.epilogue(problem)
    transposed = computed_transposed(problem)
    if transposed:
        swap: dict[str, Index] = {I.name: J, J.name: I}
        left, right, store = _swapped(right, swap), _swapped(left, swap), _swapped(store, swap)
        terms = [_swapped(term, swap) for term in terms]
        m_index, n_index = n_index, m_index
    contraction = Contraction(
        title=_title(problem, transposed),
        m=m_index, n=n_index, items=places.items,
        k_axes=(KAxis(K, k_index),),
        a_step=None,
        item_names=tuple(places.names),
        a=left, b=right, out=store,
        gates=2 if epilogue.gated else 1,
        compute=op.accumulator,
        epilogue=epilogue,
        epilogue_terms=tuple(terms),
        parameters=(
            pointer("a", types[0], Direction.READ),
            pointer("b", types[1], Direction.READ),
            pointer("out", out.dtype, Direction.WRITE),
            *operand_pointers(epilogue, terms),
        ),
        symbols=tuple(table.symbols),
        fast_accumulation=problem.options.fast_accumulation and op.dtype in (DType.FP8_E4M3, DType.FP8_E5M2),
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return Lowered(contraction, tuple(table.values), ("input0", "input1", "output", *tail))


def _rows_and_axes(problem: Problem) -> tuple[int, Sequence[Axis]]:
    """The rows of the output, and the batch axes that are left when those that continue rows or each other are merged."""
    a, b = problem.inputs[:2]
    out, operands = problem.output, problem.epilogue.operands
    full = [
        spec for operand, spec in zip(operands, problem.epilogue_inputs, strict=True)
        if operand.axes is OperandAxes.FULL
    ]  # fmt: skip
    tensors, leading, rows = [a, b, out, *full], out.shape[:-2], a.shape[-2]
    batch = [broadcast_strides(spec, leading, 2) for spec in tensors]
    axes = merge_axes([Axis(e, tuple(s[i] for s in batch)) for i, e in enumerate(leading)])
    rows_used = any(operand.axes is OperandAxes.ROW for operand in operands)
    if len(axes) == 1 and not rows_used and _folds(axes[0], rows, tensors):
        return rows * axes[0].extent, ()
    return rows, axes


def _folds(axis: Axis, m: int, tensors: list[TensorSpec]) -> bool:
    """Whether the batch axis simply continues the rows of every tensor, and b is shared."""
    return axis.strides[1] == 0 and all(
        stride == m * spec.strides[-2]
        for index, (stride, spec) in enumerate(zip(axis.strides, tensors, strict=True))
        if index != 1
    )


def _swapped(term: Term, swap: dict[str, Index]) -> Term:
    return term.replace(offset=substitute(term.offset, swap))


def _title(problem: Problem, transposed: bool) -> str:
    a, b, out = problem.inputs[0].dtype, problem.inputs[1].dtype, problem.output.dtype
    words = f"matmul {a.value}" + (f" x {b.value}" if b is not a else "") + (f" -> {out.value}" if out is not a else "")
    if transposed:
        words += ", computed transposed"
    described = problem.epilogue.describe()
    return f"{words}, epilogue {described}" if described else words
