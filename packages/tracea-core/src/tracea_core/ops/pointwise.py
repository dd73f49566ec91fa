# SPDX-License-Identifier: MIT
"""The two small ops that only graphs need: one applied to each element, and a transposed view."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import Array, Op, Shape, check_dtypes, check_inputs, check_shape
from tracea_core.ops.epilogue import Epilogue, OperandAxes


class PointwiseOp(Op, frozen=True, tag=True):
    """What an epilogue does, as an op of its own: a bias, an activation, a batch norm, a residual, a gate.

    Its first input takes the accumulator's place, the others are the epilogue's operands.

    Attributes
    ----------
    shape : tuple of int
        Shape of the first input.
    epilogue : Epilogue
        What happens to each element.
    channels : bool
        Whether column operands lie along axis 1, as for images (n, c, h, w), instead of the last.
    dtype : DType
        Type of the first input, and of the operands unless `operand_dtypes` lists theirs.
    """

    family: ClassVar[str] = "rowwise"

    shape: tuple[int, ...]
    epilogue: Epilogue
    channels: bool = False
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    operand_dtypes: tuple[DType, ...] = ()

    def __post_init__(self) -> None:
        check_shape("pointwise", "shape", self.shape, 2 if self.channels else 1)
        check_dtypes("pointwise", (self.dtype,), self.out_dtype, *self.operand_dtypes)
        if self.operand_dtypes and len(self.operand_dtypes) != len(self.epilogue.operands):
            raise OptionError("give one dtype for each operand of the epilogue", op="pointwise")
        if self.epilogue.gated and (self.channels or self.shape[-1] % 2):
            raise ShapeError("a gated epilogue needs an even number of columns", op="pointwise", shape=self.shape)
        if self.channels and any(operand.axes is OperandAxes.ROW for operand in self.epilogue.operands):
            raise OptionError("images have channels, not rows", op="pointwise")
        self.check_tensors()

    @property
    def axis(self) -> int:
        """The output axis along which column operands lie."""
        return 1 if self.channels else -1

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of the first input and of the operands."""
        out = self.output_shape()
        slots = range(len(self.epilogue.operands))
        return (self.shape, *(self.epilogue.operand_shape(slot, out, self.axis) for slot in slots))

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.epilogue.output_shape(self.shape)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of the first input and of the operands."""
        return (self.dtype, *(self.operand_dtypes or (self.dtype,) * len(self.epilogue.operands)))

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or self.epilogue.stored_dtype or self.dtype

    def flops(self) -> int:
        """Return one for each distinct inner node of the expression and element of the output."""
        return self.epilogue.operations() * math.prod(self.output_shape())

    def reduction_length(self) -> int:
        """Return 1: nothing is summed."""
        return 1

    def reference(self, *inputs: Array) -> Array:
        """Return the epilogue's result in float64."""
        check_inputs(self, inputs)
        return self.epilogue.reference(np.asarray(inputs[0], np.float64), inputs[1:], self.axis)


class TransposeOp(Op, frozen=True, tag=True):
    """A view with the last two axes exchanged; it moves nothing."""

    family: ClassVar[str] = "view"

    shape: tuple[int, ...]
    dtype: DType = DType.FP32

    def __post_init__(self) -> None:
        check_shape("transpose", "shape", self.shape, 2)
        check_dtypes("transpose", (self.dtype,))
        self.check_tensors()

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shape of the input."""
        return (self.shape,)

    def output_shape(self) -> Shape:
        """Return the shape of the view."""
        return (*self.shape[:-2], self.shape[-1], self.shape[-2])

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the type of the input."""
        return (self.dtype,)

    def output_dtype(self) -> DType:
        """Return the same type."""
        return self.dtype

    def flops(self) -> int:
        """Return 0."""
        return 0

    def bytes(self) -> int:
        """Return 0."""
        return 0

    def reduction_length(self) -> int:
        """Return 1: nothing is summed."""
        return 1

    def reference(self, *inputs: Array) -> Array:
        """Return the transposed array."""
        check_inputs(self, inputs)
        return np.swapaxes(inputs[0], -1, -2)
