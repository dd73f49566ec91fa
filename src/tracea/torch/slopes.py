# SPDX-License-Identifier: MIT
"""What the backward pass of an epilogue needs, decided once for each epilogue: slopes, and what they are functions of.

A slope that does not depend on the sum (bias, residual, scale) costs nothing to keep. Where the last stage's slope is a function of
its result (ReLU, sigmoid, tanh), the result is kept, which exists anyway. Otherwise the sums are computed again, together with the
product by the slope in one kernel if possible. Where one activation ends an epilogue on a GPU, `tracea.torch.auxiliary` keeps them instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from tracea_core.data import Data
from tracea_core.errors import OptionError
from tracea_core.ops import functions as fn
from tracea_core.ops.derivative import derivative
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Operand, linearize
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.proxy import Scope, Value

from tracea.torch.epilogues import epilogue_of


class Slopes(Data, frozen=True):
    """Derivatives of an epilogue.

    Attributes
    ----------
    outer : Expr or None
        A factor of all slopes as a function of the *result* (its accumulator 0), where the last stage allows it.
    sums : tuple of Expr
        By the accumulators: one, or gate and up.
    operands : tuple of Expr
        By each operand.
    """

    outer: Expr | None
    sums: tuple[Expr, ...]
    operands: tuple[Expr, ...]

    def needs_sums(self, slots: tuple[int, ...]) -> bool:
        """Whether the slopes by the accumulators and by the operands in `slots` are functions of the sums."""
        return any(uses_sums(slope) for slope in (*self.sums, *(self.operands[slot] for slot in slots)))

    def used_operands(self, slots: tuple[int, ...]) -> frozenset[int]:
        """Return the operands whose values those slopes are functions of."""
        read = (*self.sums, *(self.operands[slot] for slot in slots))
        return frozenset(node.slot for slope in read for node, _ in linearize(slope) if isinstance(node, Operand))


# The slope of a stage as a function of its result y. At a bend it agrees with PyTorch: 0 for ReLU at 0 and for clamps at the bounds.
_BY_RESULT: dict[str, Callable[[Value], Value]] = {
    "relu": lambda y: fn.where(y > 0, 1.0, 0.0),
    "relu6": lambda y: fn.where(y > 0, fn.where(y < 6.0, 1.0, 0.0), 0.0),
    "sigmoid": lambda y: y * (1.0 - y),
    "tanh": lambda y: 1.0 - y * y,
    "leaky_relu": lambda y: fn.where(y > 0, 1.0, 0.01),
    "elu": lambda y: fn.where(y > 0, 1.0, y + 1.0),
    "hardsigmoid": lambda y: fn.where(y > 0, fn.where(y < 1.0, 1.0 / 6.0, 0.0), 0.0),
}


@functools.lru_cache(maxsize=1024)
def slopes_of(text: str) -> Slopes:
    """Return the slopes of the epilogue that `text` stands for.

    Raises
    ------
    OptionError
        If it quantizes, so that no gradient passes.
    """
    epilogue = epilogue_of(text)
    if not text.startswith("{") and not epilogue.gated:
        *before, last = text.split(",")
        if last in _BY_RESULT:
            inner = _slopes(parse_epilogue(",".join(before)), None)
            if not any(uses_sums(slope) for slope in inner.sums):
                return Slopes(_traced(_BY_RESULT[last]), inner.sums, inner.operands)
    return _slopes(epilogue, None)


def _slopes(epilogue: Epilogue, outer: Expr | None) -> Slopes:
    sums = tuple(derivative(epilogue.expr, Accumulator(index)) for index in range(1 + epilogue.gated))
    by_operand = tuple(derivative(epilogue.expr, Operand(slot)) for slot in range(len(epilogue.operands)))
    return Slopes(outer, sums, by_operand)


def uses_sums(expr: Expr) -> bool:
    """Whether an expression is a function of an accumulator."""
    return any(isinstance(node, Accumulator) for node, _ in linearize(expr))


@functools.lru_cache(maxsize=1024)
def fused_slope(text: str) -> Epilogue | None:
    """Return the epilogue acc ↦ gradient · slope(acc), its last operand the gradient; None if it is too large or gated.

    Before: the sums are computed again and stored, read, and multiplied. After: one kernel gives the gradient of the sums.
    """
    epilogue = epilogue_of(text)
    if epilogue.gated:
        return None
    place = len(epilogue.operands)
    try:
        expr = Binary(BinaryFn.MUL, Operand(place), slopes_of(text).sums[0])
        return Epilogue(expr, (*epilogue.operands, EpilogueOperand("gradient", OperandAxes.FULL)), label="slope")
    except OptionError:
        return None


def is_one(expr: Expr) -> bool:
    """Whether an expression is the constant 1."""
    return expr == Constant(1.0)


def is_zero(expr: Expr) -> bool:
    """Whether an expression is the constant 0."""
    return expr == Constant(0.0)


def _traced(function: Callable[[Value], Value]) -> Expr:
    return function(Scope().value(Accumulator())).expr
