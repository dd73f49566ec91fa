# SPDX-License-Identifier: MIT
"""Sums of columns as a part of a contraction: its epilogue is lowered without them, and where they go is added here."""

from __future__ import annotations

from tracea_core.errors import UnsupportedError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import block_rows
from tracea_core.ops.problem import Problem
from tracea_core.policy.topology import computed_transposed
from tracea_core.semantic.build.epilogue import is_integral
from tracea_core.semantic.contraction import ColumnSums, I, J, Term
from tracea_core.semantic.index import Const, ceil_div
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
    images = isinstance(problem.op, Conv2dOp)
    across = problem.output.strides[1] != 1 if images else computed_transposed(problem)
    if c.items != Const(1) or across:
        raise UnsupportedError("rows of one matrix are summed: of pixels whose channels lie together, of one group")
    if not is_integral(c.epilogue.expr):
        raise UnsupportedError(
            "columns are summed of what is made by sums, products and comparisons",
            hint="Store the value, and sum it in a call of its own",
        )
    rows, spec = block_rows(operand), problem.epilogue_inputs[-1]
    term = Term(_NAME, spec.dtype, I // rows * c.n + J)
    form = c.replace(
        sums=ColumnSums(term, ceil_div(c.m, rows) * c.n, rows),
        parameters=(*c.parameters, pointer(_NAME, spec.dtype, Direction.WRITE)),
    )
    slot = f"epilogue{len(problem.epilogue_inputs) - 1}"
    return lowered.replace(contraction=form, operands=(*lowered.operands, slot))
