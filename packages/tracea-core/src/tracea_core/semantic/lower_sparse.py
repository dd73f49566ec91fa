# SPDX-License-Identifier: MIT
"""A product with a matrix of few blocks as a contraction: an item for each line of blocks, whose reduction goes over the line's list.

A line is a block row of the left matrix, or a block column of the right one: an item has its rows, or its columns, and all of the others.
"""

from __future__ import annotations

from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import EpilogueOperand, OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.ops.sparse import BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.contraction import ITEM, LIST_BEGIN, LIST_DEPTH, Contraction, I, J, KAxis, Lists, Named, Term
from tracea_core.semantic.index import Const, Index, Ragged, Sym, maximum, minimum
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, SymbolTable, operand_pointers, pointer
from tracea_core.semantic.lower_gemm import K
from tracea_core.semantic.ragged import GROUP_ENDS, Looked


def lower_sparse(problem: Problem) -> Lowered:
    """Return the contraction form of a `BlockSparseGemmOp` problem.

    Raises
    ------
    UnsupportedError
        If the epilogue is gated: its two halves would be lines apart.
    """
    op, epilogue, out = problem.op, problem.epilogue, problem.output
    assert isinstance(op, BlockSparseGemmOp)
    if epilogue.gated:
        raise UnsupportedError("a product of few blocks takes no gated epilogue", hint="Apply the gate afterwards")
    table, k = SymbolTable(), Sym(K)
    m = table.extent(
        "m", op.width if op.of_a else op.extent, "rows of a line of blocks" if op.of_a else "rows of the output"
    )
    n = table.extent(
        "n", op.extent if op.of_a else op.width, "columns of the output" if op.of_a else "columns of a line of blocks"
    )
    items = table.extent("items", op.lines, "lines of blocks")
    blocks = table.extent("stored", op.blocks, "stored blocks")
    steps = table.extent("places", op.steps, "blocks along the reduction, stored or not", 1)
    first, stop, entry = Sym("list_first"), Sym("list_stop"), Sym("list_entry")
    stored, along, begin = Sym("list_block"), Sym("list_place"), LIST_BEGIN

    def looked(fn: Looked, position: Index, most: Index) -> Ragged:
        return Ragged(fn, position, Const(0), most, 0)

    item_names = (
        Named(first.name, looked(Looked.END, ITEM - 1, blocks)),
        Named(stop.name, looked(Looked.END, ITEM, blocks)),
        Named(LIST_DEPTH.name, maximum(stop - first, 0) * op.depth),
    )
    names = (  # a step beyond the last looks the last entry up, or, where there is none, an end
        Named(begin.name, k // op.depth * op.depth),
        Named(entry.name, minimum(first + k // op.depth, blocks - 1)),
        Named(stored.name, looked(Looked.ENTRY, items + entry, blocks - 1)),
        Named(along.name, looked(Looked.ENTRY, items + blocks + entry, steps - 1)),
    )

    def matrix(name: str, strides: tuple[int, ...], row: Index, column: Index) -> Index:
        down = table.stride(f"{name}_row", strides[0], f"{name}: next row")
        return row * down + column * table.stride(f"{name}_column", strides[1], f"{name}: next column")

    def stored_in(name: str, spec: TensorSpec) -> Index:
        """Where the block of a position begins in the sparse matrix."""
        return stored * table.stride(f"{name}_block", spec.strides[0], f"{name}: next block")

    (a, b), within, whole = problem.inputs[:2], k - begin, along * op.depth + k - begin
    row: Index = ITEM * m + I if op.of_a else I
    column: Index = J if op.of_a else ITEM * n + J
    if op.of_a:
        left = stored_in("a", a) + matrix("a", a.strides[1:], I, within)
        right = matrix("b", b.strides, whole, J)
    else:
        left = matrix("a", a.strides, I, whole)
        right = stored_in("b", b) + matrix("b", b.strides[1:], within, J)
    store = Term("out", out.dtype, matrix("out", out.strides, row, column))

    def operand(slot: int, stated: EpilogueOperand, spec: TensorSpec) -> Term:
        name = f"{stated.name}_{slot}"
        if stated.axes is OperandAxes.FULL:
            return Term(name, spec.dtype, matrix(name, spec.strides, row, column))
        if stated.axes is OperandAxes.SCALAR:
            return Term(name, spec.dtype, Const(0))
        step = spec.strides[-1] if spec.shape and spec.shape[-1] != 1 else 0
        one = row if stated.axes is OperandAxes.ROW else column
        return Term(name, spec.dtype, one * table.stride(f"{name}_stride", step, f"{name}: next element"))

    pairs = zip(epilogue.operands, problem.epilogue_inputs, strict=True)
    terms = tuple(operand(slot, one, spec) for slot, (one, spec) in enumerate(pairs))
    described = epilogue.describe()
    title = f"block_sparse_matmul {op.dtype.value}" + (f" -> {out.dtype.value}" if out.dtype is not op.dtype else "")
    contraction = Contraction(
        title=f"{title}, blocks of {op.depth} along k" + (f", epilogue {described}" if described else ""),
        m=m, n=n, items=items, k_axes=(KAxis(K, LIST_DEPTH),), a_step=None, item_names=item_names, a=Term("a", a.dtype, left),
        b=Term("b", b.dtype, right), out=store,
        gates=1, compute=op.accumulator, epilogue=epilogue, epilogue_terms=terms,
        parameters=(
            pointer("a", a.dtype, Direction.READ), pointer("b", b.dtype, Direction.READ),
            pointer(GROUP_ENDS, problem.inputs[2].dtype, Direction.READ), pointer("out", out.dtype, Direction.WRITE),
            *operand_pointers(epilogue, terms),
        ),
        symbols=tuple(table.symbols), lists=Lists(op.depth, names),
    )  # fmt: skip
    tail = tuple(f"epilogue{slot}" for slot in range(len(terms)))
    return Lowered(contraction, tuple(table.values), ("input0", "input1", "input2", "output", *tail))
