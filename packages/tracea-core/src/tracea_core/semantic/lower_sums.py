# SPDX-License-Identifier: MIT
"""Sums of columns as a part of a contraction: its epilogue is lowered without them, and where they go is added here."""

from __future__ import annotations

from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import block_rows
from tracea_core.ops.problem import Problem
from tracea_core.semantic.build.epilogue import is_integral
from tracea_core.semantic.contraction import ITEM, ColumnSums, I, J, Term
from tracea_core.semantic.index import Const, Index, ceil_div
from tracea_core.semantic.kernel import Direction
from tracea_core.semantic.lower import Lowered, pointer

_NAME = "sums"


def without_sums(problem: Problem) -> Problem:
    """Return the problem that stores the same values and no sums of them."""
    if problem.epilogue.sums is None:
        return problem
    return problem.replace(epilogue=problem.epilogue.without_sums(), epilogue_inputs=problem.epilogue_inputs[:-1])


def with_sums(lowered: Lowered, problem: Problem) -> Lowered:
    """Return the form of a normalized problem, of which `lowered` is that without its sums.

    Raises
    ------
    UnsupportedError
        If rows of the product are no rows of the sums, or the epilogue is more than sums, products and comparisons.
    """
    operand, c = problem.epilogue.sums, lowered.contraction
    if operand is None:
        return lowered
    convolution = isinstance(problem.op, Conv2dOp)
    if convolution and c.item_names:
        raise UnsupportedError("sums of columns are of convolutions of one group", op="conv2d")
    pixels = convolution and c.windows is None
    if not pixels and c.items != Const(1):
        raise UnsupportedError("sums of columns are of one matrix, or of convolutions of one group")
    if not is_integral(c.epilogue.expr):
        raise UnsupportedError(
            "columns are summed of what is made by sums, products and comparisons",
            hint="Store the value, and sum it in a call of its own",
        )
    rows, spec = block_rows(operand), problem.epilogue_inputs[-1]
    along = J if pixels or _stands(lowered, problem) else I
    across, columns, extent = (I, c.m, c.n) if along == J else (J, c.n, c.m)
    place: Index = ITEM * c.n + J if pixels else along
    every = c.items * c.n if pixels else extent
    term = Term(_NAME, spec.dtype, place // rows * columns + across)
    sums = ColumnSums(term, ceil_div(every, rows) * columns, along.name, rows)
    form = c.replace(
        sums=sums,
        parameters=(*c.parameters, pointer(_NAME, spec.dtype, Direction.WRITE)),
    )
    slot = f"epilogue{len(problem.epilogue_inputs) - 1}"
    return lowered.replace(contraction=form, operands=(*lowered.operands, slot))


def _stands(lowered: Lowered, problem: Problem) -> bool:
    """Whether a product is computed transposed, so that its rows are columns of the problem."""
    from tracea_core.policy.topology import computed_transposed

    return not isinstance(problem.op, Conv2dOp) and computed_transposed(problem)
