# SPDX-License-Identifier: MIT
"""A product with scales along k as a contraction: two matrices, and what multiplies the sums of each group."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import GROUP, ScaledGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import SCALED_RUN, Contraction, I, J, KAxis, Scales, Term
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer
from tracea_core.semantic.lower_gemm import K


def lower_scaled(problem: Problem) -> Lowered:
    """Return the contraction form of a `ScaledGemmOp` problem.

    Raises
    ------
    UnsupportedError
        For an output whose rows are not contiguous: its tiles would be computed transposed, and scales change roles there.
    """
    op = problem.op
    assert isinstance(op, ScaledGemmOp)
    a, b, a_scale, b_scale = problem.inputs
    out, epilogue = problem.output, problem.epilogue
    if out.strides[-2] == 1 and out.strides[-1] != 1 and out.shape[-1] > 1:
        raise UnsupportedError("a product with scales along k stores by rows", op="scaled_matmul", strides=out.strides)
    table = SymbolTable()
    m, n = table.extent("m", op.m, "rows of the output"), table.extent("n", op.n, "columns of the output")
    k = table.extent("k", op.k, "length of the reduction")
    kk = Sym(K)

    def matrix(name: str, spec: TensorSpec, row: Index, column: Index) -> Term:
        down = row * table.stride(f"{name}_row", spec.strides[-2], f"{name}: next row")
        across = column * table.stride(f"{name}_column", spec.strides[-1], f"{name}: next column")
        return Term(name, spec.dtype, down + across)

    def each(coordinate: Index, count: int) -> Index:
        return coordinate if count == 1 else coordinate // count

    left, right, store = matrix("a", a, I, kk), matrix("b", b, kk, J), matrix("out", out, I, J)
    scales = Scales(
        a=matrix("a_scale", a_scale, each(I, op.shared_rows), SCALED_RUN),
        b=matrix("b_scale", b_scale, SCALED_RUN, each(J, op.shared_columns)),
        run=GROUP, rows=op.shared_rows, columns=op.shared_columns,
    )  # fmt: skip
    terms: list[Term] = []
    for slot, (stated, spec) in enumerate(zip(epilogue.operands, problem.epilogue_inputs, strict=True)):
        name = f"{stated.name}_{slot}"
        if stated.axes is OperandAxes.FULL:
            terms.append(matrix(name, spec, I, J))
            continue
        if stated.axes is OperandAxes.SCALAR:
            terms.append(Term(name, spec.dtype, Const(0)))
            continue
        step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
        along = I if stated.axes is OperandAxes.ROW else J
        terms.append(Term(name, spec.dtype, along * table.stride(f"{name}_stride", step, f"{name}: next element")))
    described = epilogue.describe()
    words = f"scaled_matmul {a.dtype.value} -> {out.dtype.value}"
    contraction = Contraction(
        title=f"{words}, epilogue {described}" if described else words,
        m=m, n=n, items=Const(1), k_axes=(KAxis(K, k),), a_step=None, item_names=(), a=left, b=right, out=store,
        gates=1, compute=op.accumulator, epilogue=epilogue, epilogue_terms=tuple(terms),
        parameters=(
            pointer("a", a.dtype, Direction.READ), pointer("b", b.dtype, Direction.READ),
            pointer("a_scale", DType.FP32, Direction.READ), pointer("b_scale", DType.FP32, Direction.READ),
            pointer("out", out.dtype, Direction.WRITE),
            *operand_pointers(epilogue, terms),
        ),
        symbols=tuple(table.symbols), scales=scales,
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return Lowered(contraction, tuple(table.values), ("input0", "input1", "input2", "input3", "output", *tail))
