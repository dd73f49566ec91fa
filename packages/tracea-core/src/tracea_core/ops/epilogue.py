# SPDX-License-Identifier: MIT
"""The structural part of an epilogue: an expression and how each of its operands is spread over the output.

It holds no data, so two calls with different biases share one kernel; the user-level stages (`tracea_core.ops.activations`)
carry the arrays and produce this.
"""

from __future__ import annotations

import enum
import re

from tracea_core.data import Data
from tracea_core.errors import OptionError
from tracea_core.ops.expr import Accumulator, Expr, Operand, walk

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")


class OperandAxes(enum.Enum):
    """How an operand's elements meet the output's."""

    SCALAR = "scalar"  # one for all
    ROW = "row"  # one per output row m
    COLUMN = "column"  # one per output column n; for a convolution, per output channel
    FULL = "full"  # the shape of the output


class EpilogueOperand(Data, frozen=True):
    """An operand: a name for emitted source, and its axes."""

    name: str
    axes: OperandAxes

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise OptionError(
                f"{self.name!r} cannot name an epilogue operand", hint="Use letters, digits and underscores"
            )


class Epilogue(Data, frozen=True):
    """What happens to the accumulator before it is stored.

    Attributes
    ----------
    expr : Expr
        The stored value, over `Accumulator` and `Operand` nodes.
    operands : tuple of EpilogueOperand
        What ``Operand(slot)`` means, by slot.
    gated : bool
        The accumulators 0 and 1 hold the gate and the up half; the product has twice the columns of the output.
    label : str
        The stages in words, such as ``bias, gelu``.
    """

    expr: Expr = Accumulator()
    operands: tuple[EpilogueOperand, ...] = ()
    gated: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        for node in walk(self.expr):
            if isinstance(node, Operand) and not 0 <= node.slot < len(self.operands):
                raise OptionError(f"the expression uses operand {node.slot}, the epilogue has {len(self.operands)}")
            if isinstance(node, Accumulator) and not 0 <= node.index <= int(self.gated):
                raise OptionError(f"the expression uses accumulator {node.index}", gated=self.gated)

    @property
    def is_identity(self) -> bool:
        """Whether the accumulator is stored as it is."""
        return self == IDENTITY or (self.expr == Accumulator() and not self.operands)

    def describe(self) -> str:
        """Return the stages in words; empty for the identity."""
        return self.label


IDENTITY = Epilogue()
"""The epilogue that changes nothing."""
