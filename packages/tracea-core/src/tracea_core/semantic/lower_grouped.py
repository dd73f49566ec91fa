# SPDX-License-Identifier: MIT
"""A grouped product as a contraction: rows of one matrix, each of whose groups has a matrix of its own on the other side."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.epilogue import EpilogueOperand, OperandAxes
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import GROUP, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, SCALED_RUN, Contraction, I, J, KAxis, Scales, Term
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer
from tracea_core.semantic.lower_gemm import K
from tracea_core.semantic.ragged import GROUP_ENDS


def lower_grouped(problem: Problem) -> Lowered:
    """Return the contraction form of a `GroupedGemmOp` problem: the batch coordinate of the weights is the group of the row."""
    op = problem.op
    assert isinstance(op, GroupedGemmOp)
    x, w, ends, *scaling = problem.inputs
    out, epilogue = problem.output, problem.epilogue
    table = SymbolTable()
    m, n = table.extent("m", op.m, "rows of all groups"), table.extent("n", out.shape[-1], "columns of the output")
    k = table.extent("k", op.k, "length of the reduction")
    groups = table.extent("groups", op.groups, "groups that rows fall into", 1)
    kk = Sym(K)

    def matrix(name: str, spec: TensorSpec, row: Index, column: Index) -> Index:
        down = table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        return row * down + column * table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")

    left = Term("a", x.dtype, matrix("a", x, I, kk))
    by_group = ITEM * table.stride("b_group", w.strides[0], "b: next group")
    right = Term("b", w.dtype, by_group + matrix("b", w, kk, J))
    store = Term("out", out.dtype, matrix("out", out, I, J))
    scales: Scales | None = None
    if isinstance(op, ScaledGroupedGemmOp):
        each, column = op.shared_columns, J if op.shared_columns == 1 else J // op.shared_columns
        of_group = ITEM * table.stride("b_scale_group", scaling[1].strides[0], "b_scale: next group")
        scales = Scales(
            a=Term("a_scale", DType.FP32, matrix("a_scale", scaling[0], I, SCALED_RUN)),
            b=Term("b_scale", DType.FP32, of_group + matrix("b_scale", scaling[1], SCALED_RUN, column)),
            run=GROUP, rows=1, columns=each,
        )  # fmt: skip

    def operand(slot: int, stated: EpilogueOperand, spec: TensorSpec) -> Term:
        name = f"{stated.name}_{slot}"
        if stated.axes is OperandAxes.FULL:
            return Term(name, spec.dtype, matrix(name, spec, I, J))
        if stated.axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
        along = (I if stated.axes is OperandAxes.ROW else J) * table.stride(
            f"{name}_stride", step, f"{name}: next element"
        )
        if problem.by_group(slot):
            along = ITEM * table.stride(f"{name}_group", spec.strides[0], f"{name}: next group") + along
        return Term(name, spec.dtype, along)

    stated = zip(epilogue.operands, problem.epilogue_inputs, strict=True)
    terms = tuple(operand(slot, one, spec) for slot, (one, spec) in enumerate(stated))
    described = epilogue.describe()
    title = f"{'grouped' if scales is None else 'scaled_grouped'}_matmul {x.dtype.value}" + (
        f" -> {out.dtype.value}" if out.dtype is not x.dtype else ""
    )
    contraction = Contraction(
        title=f"{title}, epilogue {described}" if described else title,
        m=m, n=n, items=Const(1), k_axes=(KAxis(K, k),), a_step=None, item_names=(), a=left, b=right, out=store,
        gates=2 if epilogue.gated else 1, compute=op.accumulator, epilogue=epilogue, epilogue_terms=terms,
        parameters=(
            pointer("a", x.dtype, Direction.READ), pointer("b", w.dtype, Direction.READ),
            pointer(GROUP_ENDS, ends.dtype, Direction.READ),
            *(pointer(term.operand, term.dtype, Direction.READ) for term in (() if scales is None else (scales.a, scales.b))),
            pointer("out", out.dtype, Direction.WRITE),
            *operand_pointers(epilogue, terms),
        ),
        symbols=tuple(table.symbols), groups=groups, scales=scales,
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return Lowered(
        contraction, tuple(table.values), (*(f"input{i}" for i in range(len(problem.inputs))), "output", *tail)
    )
