# SPDX-License-Identifier: MIT
"""A step in registers that lists what its expression uses, and nothing besides.

An expression comes from whoever wrote the op: a statistic need not depend on those before it, an epilogue not on each of its
operands. A fragment that a step lists and does not use could be any other, and no text would tell.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Expr, Operand, named, rewrite
from tracea_core.semantic.steps import Compute

MULTIPLY_ADD = Binary(BinaryFn.ADD, Accumulator(0), Binary(BinaryFn.MUL, Accumulator(1), Operand(0)))
"""A sum, and the product of a second fragment and an operand added to it."""


def computed(
    target: str,
    expr: Expr,
    dtype: DType,
    accumulators: tuple[str, ...],
    operands: tuple[str, ...] = (),
    approximate: bool | Expr = False,
) -> Compute:
    """Return the step that evaluates `expr`, its fragments those of `accumulators` and `operands` that `expr` names, in their order.

    >>> computed("y", Accumulator(1), DType.FP32, ("a", "b"), ("bias",))
    Compute(target='y', expr=Accumulator(index=0), dtype=<DType.FP32: 'fp32'>, accumulators=('b',), operands=(), approximate=False)
    """
    indices, slots = named(expr)
    whole = len(indices) == len(accumulators) and len(slots) == len(operands)

    def leaf(node: Expr) -> Expr:
        if isinstance(node, Accumulator):
            return Accumulator(indices.index(node.index))
        return Operand(slots.index(node.slot)) if isinstance(node, Operand) else node

    def anew(given: Expr) -> Expr:
        return given if whole else rewrite(given, leaf)

    return Compute(
        target,
        anew(expr),
        dtype,
        tuple(accumulators[index] for index in indices),
        tuple(operands[slot] for slot in slots),
        approximate if isinstance(approximate, bool) else anew(approximate),
    )
