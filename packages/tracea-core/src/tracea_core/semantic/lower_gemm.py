# SPDX-License-Identifier: MIT
"""GEMM, batched or not, as a contraction: dense strides, batch axes merged, the output's rows or columns made contiguous."""

from __future__ import annotations

import math

from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.topology import computed_transposed
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, KAxis, Named, Term
from tracea_core.semantic.index import Const, Index, Sym, substitute
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Axis, Lowered, SymbolTable, broadcast_strides, merge_axes, pointer
from tracea_core.semantic.panels import panel_offset

K = "kk"


def lower_gemm(problem: Problem) -> Lowered:
    """Return the contraction form of a normalized `GemmOp` problem (no alpha, no beta)."""
    op = problem.op
    assert isinstance(op, GemmOp)
    a, b = problem.inputs[:2]
    out = problem.output
    epilogue, epilogue_inputs = problem.epilogue, problem.epilogue_inputs
    leading = out.shape[:-2]
    m, n, k = a.shape[-2], out.shape[-1], a.shape[-1]
    full = [
        spec for operand, spec in zip(epilogue.operands, epilogue_inputs, strict=True)
        if operand.axes is OperandAxes.FULL
    ]  # fmt: skip
    tensors = [a, b, out, *full]
    batch = [broadcast_strides(spec, leading, 2) for spec in tensors]
    axes = merge_axes([Axis(e, tuple(s[i] for s in batch)) for i, e in enumerate(leading)])
    rows_used = any(operand.axes is OperandAxes.ROW for operand in epilogue.operands)
    if len(axes) == 1 and not rows_used and _folds(axes[0], m, tensors):
        m, axes = m * axes[0].extent, ()
    transposed = computed_transposed(problem)
    table = SymbolTable()
    m_index, n_index = table.extent("m", m, "rows of the output"), table.extent("n", n, "columns of the output")
    k_index = table.extent("k", k, "length of the reduction")
    items: Index = Const(1)
    coordinates: list[Index] = []
    names: list[Named] = []
    if axes:
        items = table.extent("items", math.prod(axis.extent for axis in axes), "matrices in the batch")
        rest: Index = ITEM
        for position in range(len(axes) - 1, -1, -1):
            if position == 0:
                coordinates.insert(0, rest)
                break
            extent = table.extent(f"batch{position}", axes[position].extent, f"extent of batch axis {position}", 1)
            names.append(Named(f"item{position}", rest % extent))
            coordinates.insert(0, Sym(f"item{position}"))
            rest = rest // extent

    def batch_offset(name: str, tensor: int) -> Index:
        total: Index = Const(0)
        for position, axis in enumerate(axes):
            stride = table.stride(
                f"{name}_batch{position}", axis.strides[tensor], f"{name}: next along batch axis {position}"
            )
            total = total + coordinates[position] * stride
        return total

    def matrix(name: str, spec: TensorSpec, tensor: int, row: Index, column: Index) -> Index:
        down = table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        across = table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")
        return batch_offset(name, tensor) + row * down + column * across

    kk = Sym(K)
    types = [
        DType.TF32 if dtype is DType.TF32 else spec.dtype
        for dtype, spec in zip(op.input_dtypes(), (a, b), strict=False)
    ]
    left = Term("a", types[0], matrix("a", a, 0, I, kk))
    if problem.options.panel_columns:
        if axes or epilogue.gated:
            raise UnsupportedError("an operand in panels is one matrix, and its epilogue is not gated", op="matmul")
        right = Term("b", types[1], panel_offset(k_index, problem.options.panel_columns, kk, J))
    else:
        right = Term("b", types[1], matrix("b", b, 1, kk, J))
    store = Term("out", out.dtype, matrix("out", out, 2, I, J))
    terms: list[Term] = []
    position = 3
    for slot, (operand, spec) in enumerate(zip(epilogue.operands, epilogue_inputs, strict=True)):
        name = f"{operand.name}_{slot}"
        if operand.axes is OperandAxes.FULL:
            offset = matrix(name, spec, position, I, J)
            position += 1
        elif operand.axes is OperandAxes.SCALAR:
            offset = Const(0)
        else:
            along = I if operand.axes is OperandAxes.ROW else J
            step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
            offset = along * table.stride(f"{name}_stride", step, f"{name}: next element")
        terms.append(Term(name, spec.dtype, offset))
    if transposed:
        swap: dict[str, Index] = {I.name: J, J.name: I}
        left, right, store = _swapped(right, swap), _swapped(left, swap), _swapped(store, swap)
        terms = [_swapped(term, swap) for term in terms]
        m_index, n_index = n_index, m_index
    contraction = Contraction(
        title=_title(problem, transposed),
        m=m_index, n=n_index, items=items,
        k_axes=(KAxis(K, k_index),),
        a_step=None,
        item_names=tuple(names),
        a=left, b=right, out=store,
        gates=2 if epilogue.gated else 1,
        compute=op.accumulator,
        epilogue=epilogue,
        epilogue_terms=tuple(terms),
        parameters=(
            pointer("a", types[0], Direction.READ),
            pointer("b", types[1], Direction.READ),
            pointer("out", out.dtype, Direction.WRITE),
            *(pointer(term.operand, term.dtype, Direction.READ) for term in terms),
        ),
        symbols=tuple(table.symbols),
        fast_accumulation=problem.options.fast_accumulation and op.dtype in (DType.FP8_E4M3, DType.FP8_E5M2),
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return Lowered(contraction, tuple(table.values), ("input0", "input1", "output", *tail))


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
