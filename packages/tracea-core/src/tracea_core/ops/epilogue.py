# SPDX-License-Identifier: MIT
"""The structural part of an epilogue: an expression and how each of its operands is spread over the output.

It holds no data, so two calls with different biases share one kernel; the user-level stages (`tracea_core.ops.activations`)
carry the arrays and produce this.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.auxiliary import auxiliaries
from tracea_core.ops.evaluate import Array, evaluate
from tracea_core.ops.expr import Accumulator, Cast, Expr, Operand, check_size, linearize, rewrite

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")


class OperandAxes(enum.Enum):
    """How an operand's elements meet the output's."""

    SCALAR = "scalar"  # one for all
    ROW = "row"  # one per output row m
    COLUMN = "column"  # one per output column n; for a convolution, per output channel
    FULL = "full"  # the shape of the output
    SUMS = "sums"  # written: three for each block of rows and each column (`tracea_core.ops.column_sums`)

    @property
    def has_columns(self) -> bool:
        """Whether its values differ between the columns of one row."""
        return self in (OperandAxes.COLUMN, OperandAxes.FULL)


class EpilogueOperand(Data, frozen=True):
    """An operand: a name for emitted source, and its axes; where they are `OperandAxes.SUMS`, how many rows a block has."""

    name: str
    axes: OperandAxes
    rows: int | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise OptionError(
                f"{self.name!r} cannot name an epilogue operand", hint="Use letters, digits and underscores"
            )
        block = self.rows if isinstance(self.rows, int) else 0
        if (self.axes is OperandAxes.SUMS) != (block > 1) or block < 0:
            raise OptionError(
                "sums are of blocks of two rows or more, and nothing else has blocks", operand=self.name, rows=block
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
        check_size(self.expr)
        for node, _ in linearize(self.expr):
            if isinstance(node, Operand) and not 0 <= node.slot < len(self.operands):
                raise OptionError(f"the expression uses operand {node.slot}, the epilogue has {len(self.operands)}")
            if isinstance(node, Accumulator) and not 0 <= node.index <= int(self.gated):
                raise OptionError(f"the expression uses accumulator {node.index}", gated=self.gated)
        self._check_sums()
        for slot in self.auxiliaries:
            if self.operands[slot].axes is not OperandAxes.FULL:
                raise OptionError(
                    f"a second result has the output's shape; {self.operands[slot].name!r} has one element per "
                    f"{self.operands[slot].axes.value}",
                    hint="Give an array of the output's shape",
                )

    def _check_sums(self) -> None:
        """Sums are of what is stored, so nothing follows them, and nothing reads them."""
        found = [slot for slot, operand in enumerate(self.operands) if operand.axes is OperandAxes.SUMS]
        if not found:
            return
        read = any(isinstance(node, Operand) and node.slot in found for node, _ in linearize(self.expr))
        if found != [len(self.operands) - 1] or read or self.gated:
            raise OptionError(
                "sums of columns are the last stage of an epilogue without a gate", hint="Put them last, and once"
            )

    @property
    def sums(self) -> EpilogueOperand | None:
        """The operand that sums over the rows of the result are stored to, the last one, or None."""
        last = self.operands[-1] if self.operands else None
        return last if last is not None and last.axes is OperandAxes.SUMS else None

    @property
    def written(self) -> tuple[int, ...]:
        """The slots of all operands that are stored to: second results, then sums."""
        return (*self.auxiliaries, *(() if self.sums is None else (len(self.operands) - 1,)))

    def without_sums(self) -> Epilogue:
        """Return the epilogue that stores the same values and no sums of them."""
        return self if self.sums is None else self.replace(operands=self.operands[:-1])

    @property
    def is_identity(self) -> bool:
        """Whether the accumulator is stored as it is."""
        alone = isinstance(self.expr, Accumulator) and self.expr.index == 0
        return alone and not self.operands and not self.gated

    @property
    def auxiliaries(self) -> dict[int, Expr]:
        """What is stored besides the output: expressions by the slot of the operand that they are stored to."""
        return auxiliaries(self.expr)

    @property
    def stored_dtype(self) -> DType | None:
        """The type that a final cast gives the result, or None where the output's type is free."""
        return self.expr.dtype if isinstance(self.expr, Cast) else None

    def operations(self) -> int:
        """Return the number of distinct operations per element."""
        return sum(bool(arguments) for _, arguments in linearize(self.expr))

    def output_shape(self, product: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape that is stored when the product has shape `product`: half the columns if gated."""
        return (*product[:-1], product[-1] // 2) if self.gated else product

    def operand_shape(self, slot: int, output: tuple[int, ...], column_axis: int = -1) -> tuple[int, ...]:
        """Return the shape of the operand in `slot` for an output of shape `output`."""
        axes = self.operands[slot].axes
        if axes is OperandAxes.FULL:
            return output
        if axes is OperandAxes.SUMS:
            return shape_of_sums(output, column_axis, block_rows(self.operands[slot]))
        if axes is OperandAxes.SCALAR:
            return ()
        if axes is OperandAxes.COLUMN:
            return (output[column_axis],)
        return (output[-2],) if len(output) > 1 else (1,)

    def reference(self, product: Array, operands: Sequence[npt.ArrayLike] = (), column_axis: int = -1) -> Array:
        """Return what is stored, in float64.

        Parameters
        ----------
        product : float64 array
            The accumulators; with a gate, the gate half of the columns and then the up half.
        operands : sequence of array_like
            One for each slot, shaped as `operand_shape` says (leading axes of extent 1 are allowed).
        column_axis : int
            The axis of the output that column operands lie along.
        """
        shape = self.output_shape(product.shape)
        accumulators = [product]
        if self.gated:
            accumulators = [product[..., : shape[-1]], product[..., shape[-1] :]]
        values = self.spread(operands, shape, column_axis)
        return np.broadcast_to(evaluate(self.expr, accumulators, values), shape)

    def spread(self, operands: Sequence[npt.ArrayLike], output: tuple[int, ...], column_axis: int = -1) -> list[Array]:
        """Return the operands in float64 with axes added, so that they broadcast to an output of shape `output`."""
        result: list[npt.NDArray[np.float64]] = []
        for slot, (operand, values) in enumerate(zip(self.operands, operands, strict=True)):
            if operand.axes is OperandAxes.SUMS:  # written, not read
                result.append(np.zeros(()))
                continue
            value = np.asarray(values, np.float64).reshape(self.operand_shape(slot, output, column_axis))
            if operand.axes is OperandAxes.ROW:
                value = value[:, np.newaxis]
            elif operand.axes is OperandAxes.COLUMN:
                value = value.reshape(-1, *(1,) * (len(output) - 1 - column_axis % len(output)))
            result.append(value)
        return result

    def describe(self) -> str:
        """Return the stages in words; empty for the identity."""
        return self.label

    def then(self, after: Epilogue) -> Epilogue:
        """Return the epilogue that does this one and then `after`; its operands follow this one's (see `pre_gate_slots`).

        Before: ``acc + operand 0`` then ``acc · operand 0``. After: ``(acc + operand 0) · operand 1``.

        Ahead of a gate this epilogue happens to both halves, so operands that vary along columns are needed twice: their values for
        the gate half keep their slots, those for the up half follow them.

        Raises
        ------
        OptionError
            If both are gated, or the result is too large.
        """
        if self.sums is not None and not after.is_identity:
            raise OptionError("sums are of what is stored, so no stage follows them", hint="Put them last")
        label = ", ".join(part for part in (self.label, after.label) if part)
        if not after.gated:
            moved = _shift(after.expr, len(self.operands), {0: self.expr})
            return Epilogue(moved, (*self.operands, *after.operands), self.gated, label)
        if self.gated:
            raise OptionError("an epilogue can be gated once", hint="Chain one SwiGLU or GeGLU only", epilogue=label)
        twice = self.pre_gate_slots()
        count = len(self.operands)
        up_slots = {slot: count + place for place, slot in enumerate(twice)}
        up = rewrite(
            self.expr,
            lambda leaf: (
                Operand(up_slots.get(leaf.slot, leaf.slot))
                if isinstance(leaf, Operand)
                else Accumulator(1)
                if isinstance(leaf, Accumulator)
                else leaf
            ),
        )
        doubled = tuple(
            EpilogueOperand(f"{self.operands[slot].name[:28]}_up", self.operands[slot].axes) for slot in twice
        )
        moved = _shift(after.expr, count + len(twice), {0: self.expr, 1: up})
        return Epilogue(moved, (*self.operands, *doubled, *after.operands), True, label)

    def pre_gate_slots(self) -> tuple[int, ...]:
        """Return the slots whose operands are split in two halves of columns when a gate follows."""
        return tuple(slot for slot, operand in enumerate(self.operands) if operand.axes.has_columns)


def _shift(expr: Expr, slots: int, accumulators: dict[int, Expr]) -> Expr:
    """Return `expr` with its operand slots moved up and its accumulators replaced."""

    def leaf(node: Expr) -> Expr:
        if isinstance(node, Operand):
            return Operand(node.slot + slots)
        if isinstance(node, Accumulator):
            return accumulators.get(node.index, node)
        return node

    return rewrite(expr, leaf)


def block_rows(operand: EpilogueOperand) -> int:
    """Return how many rows a block of sums has."""
    assert isinstance(operand.rows, int)
    return operand.rows


PLANES = 3
"""What is stored for each block and column: its first value, and sums of differences from that and of their squares."""


def shape_of_sums(output: tuple[int, ...], column_axis: int, rows: int) -> tuple[int, int, int]:
    """Return the shape of sums over blocks of `rows` rows of an output: (`PLANES`, blocks, columns).

    Rows of a convolution are its pixels, those of all images one after the other.

    >>> shape_of_sums((2, 8, 5, 7), 1, 32)
    (3, 3, 8)
    """
    columns = output[column_axis]
    every = math.prod(extent for axis, extent in enumerate(output) if axis != column_axis % len(output))
    return PLANES, -(-every // rows), columns


IDENTITY = Epilogue()
"""The epilogue that changes nothing."""
