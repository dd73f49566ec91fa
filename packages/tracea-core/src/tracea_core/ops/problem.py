# SPDX-License-Identifier: MIT
"""A problem: an op together with the tensors of one call, its epilogue and its options."""

from __future__ import annotations

import math
from typing import TypeAlias, Union

from tracea_core.data import Data
from tracea_core.errors import AliasError, DTypeError, ShapeError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue, OperandAxes
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.spec import TensorSpec

AnyOp: TypeAlias = Union[GemmOp, Conv2dOp]


class Options(Data, frozen=True):
    """What a caller allows.

    Attributes
    ----------
    deterministic : bool
        The same bits on every run.
    allow_fallback : bool
        A wider precision may stand in where no variant takes the dtype (visibly).
    allow_fp16 : bool
        fp16 may stand in for bf16, although its range is smaller.
    allow_tf32 : bool
        fp32 products may be rounded to tf32 first.
    """

    deterministic: bool = False
    allow_fallback: bool = True
    allow_fp16: bool = False
    allow_tf32: bool = False


class Problem(Data, frozen=True):
    """What is asked for, down to strides; two calls with equal problems share a plan.

    Raises
    ------
    ShapeError, DTypeError, AliasError
        If tensors do not fit the op, an epilogue operand does not fit the output, or the output overlaps itself.
    """

    op: AnyOp
    inputs: tuple[TensorSpec, ...]
    output: TensorSpec
    epilogue: Epilogue = IDENTITY
    epilogue_inputs: tuple[TensorSpec, ...] = ()
    options: Options = Options()

    def __post_init__(self) -> None:
        name = type(self.op).__name__
        shapes, dtypes = self.op.input_shapes(), self.op.input_dtypes()
        if len(self.inputs) != len(shapes):
            raise ShapeError(f"{name} takes {len(shapes)} inputs, {len(self.inputs)} were given")
        for index, (spec, shape, dtype) in enumerate(zip(self.inputs, shapes, dtypes, strict=True)):
            if not _broadcasts(spec.shape, shape):
                raise ShapeError(f"input {index} of {name} must have shape {shape}", shape=spec.shape)
            if spec.dtype is not dtype:
                raise DTypeError(f"input {index} of {name} must be {dtype.value}", dtype=spec.dtype.value)
        expected = self.output_shape
        if self.output.shape != expected:
            raise ShapeError(f"the output of {name} must have shape {expected}", shape=self.output.shape)
        if overlaps_itself(self.output):
            raise AliasError(
                "elements of the output share memory",
                hint="Give a contiguous out=, or a view that does not repeat elements",
                shape=self.output.shape,
                strides=self.output.strides,
            )
        self._check_epilogue(name)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of what is stored: the op's, with half the columns for a gated epilogue."""
        shape = self.op.output_shape()
        return (*shape[:-1], shape[-1] // 2) if self.epilogue.gated else shape

    def _check_epilogue(self, name: str) -> None:
        if self.epilogue.gated and self.op.output_shape()[-1] % 2:
            raise ShapeError("a gated epilogue needs an even number of columns", op=name, shape=self.op.output_shape())
        if len(self.epilogue_inputs) != len(self.epilogue.operands):
            raise ShapeError(
                f"the epilogue takes {len(self.epilogue.operands)} operands, {len(self.epilogue_inputs)} were given"
            )
        rows, columns = self.output.shape[-2], self.output.shape[-1]
        channels = self.output.shape[1] if isinstance(self.op, Conv2dOp) else columns
        wanted = {OperandAxes.ROW: rows, OperandAxes.COLUMN: channels}
        for operand, spec in zip(self.epilogue.operands, self.epilogue_inputs, strict=True):
            if operand.axes is OperandAxes.SCALAR:
                fits, shape = spec.size == 1, "a single element"
            elif operand.axes is OperandAxes.FULL:
                fits, shape = spec.shape == self.output.shape, f"the output's shape {self.output.shape}"
            else:
                extent = wanted[operand.axes]
                fits = spec.size == extent and spec.rank >= 1 and spec.shape[-1] == extent
                shape = f"{extent} elements, one per {operand.axes.value}"
            if not fits:
                raise ShapeError(f"the epilogue operand {operand.name!r} must have {shape}", op=name, shape=spec.shape)

    def flops(self) -> int:
        """Return the op's operations."""
        return self.op.flops()

    @property
    def is_empty(self) -> bool:
        """Whether the output has no element."""
        return math.prod(self.output.shape) == 0


def _broadcasts(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether `given` has the matrix axes of `wanted` and batch axes that broadcast to it."""
    if given == wanted:
        return True
    if len(given) > len(wanted) or len(given) < 2 or given[-2:] != wanted[-2:]:
        return False
    return all(g in (1, w) for g, w in zip(reversed(given[:-2]), reversed(wanted[:-2]), strict=False))


def overlaps_itself(spec: TensorSpec) -> bool:
    """Whether two elements may share memory: sorted strides must each step over all that the smaller ones reach."""
    reach = 0
    for stride, extent in sorted((abs(s), e) for s, e in zip(spec.strides, spec.shape, strict=True) if e > 1):
        if stride <= reach:
            return True
        reach += stride * (extent - 1)
    return False
