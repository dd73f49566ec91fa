# SPDX-License-Identifier: MIT
"""What every op says about itself: shapes, work, traffic, and its meaning in float64."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.spec import LARGEST_BYTES

Array: TypeAlias = npt.NDArray[np.float64]
Shape: TypeAlias = tuple[int, ...]


class Op(Data, frozen=True):
    """Base of all ops. Subclasses are frozen, validate themselves and survive a JSON round trip."""

    family: ClassVar[str] = ""
    """The kernel family: ``contraction``, ``chained`` or ``rowwise``."""
    column_axis: ClassVar[int] = -1
    """The output axis along which an epilogue's column operands lie (channels of a convolution: 1)."""

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the logical shape of each input."""
        raise TypeError(f"{type(self).__name__} does not say its input shapes")

    def output_shape(self) -> Shape:
        """Return the logical shape of the output."""
        raise TypeError(f"{type(self).__name__} does not say its output shape")

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the element type of each input."""
        raise TypeError(f"{type(self).__name__} does not say its input dtypes")

    def output_dtype(self) -> DType:
        """Return the element type of the output."""
        raise TypeError(f"{type(self).__name__} does not say its output dtype")

    def flops(self) -> int:
        """Return the floating-point operations (a multiply-add counts two), epilogue aside."""
        raise TypeError(f"{type(self).__name__} does not count its work")

    def reduction_length(self) -> int:
        """Return the length of the longest sum."""
        raise TypeError(f"{type(self).__name__} does not say its reduction length")

    def reference(self, *inputs: Array) -> Array:
        """Return the result in float64."""
        raise TypeError(f"{type(self).__name__} has no reference")

    def bytes(self) -> int:
        """Return the fewest bytes that must move: each input read once, the output written once."""
        read = sum(math.prod(s) * d.bytes for s, d in zip(self.input_shapes(), self.input_dtypes(), strict=True))
        return read + math.prod(self.output_shape()) * self.output_dtype().bytes

    def check_tensors(self) -> None:
        """Raise if an input or the output cannot be addressed in 63 bits."""
        check_addressable(type(self).__name__, *zip(self.input_shapes(), self.input_dtypes(), strict=True))
        check_addressable(type(self).__name__, (self.output_shape(), self.output_dtype()))


def default_output(dtype: DType) -> DType:
    """Return the type of a result whose operands have type `dtype`: theirs, fp32 for tf32, int32 for integers."""
    if not dtype.is_float:
        return DType.INT32
    return DType.FP32 if dtype is DType.TF32 else dtype


def check_inputs(op: Op, inputs: tuple[Array, ...]) -> None:
    """Raise unless `inputs` are as many as the op takes."""
    count = len(op.input_shapes())
    if len(inputs) != count:
        raise ShapeError(f"{type(op).__name__} takes {count} inputs, {len(inputs)} were given")


def check_extents(op: str, **extents: Any) -> None:
    """Raise unless all extents are non-negative integers."""
    for name, value in extents.items():
        if type(value) is not int or value < 0:
            raise ShapeError(f"{name} must be a non-negative integer, not {value!r}", op=op)


def check_shape(op: str, name: str, shape: Any, least_rank: int = 0) -> None:
    """Raise unless `shape` is a tuple of non-negative integers with at least `least_rank` entries."""
    if not isinstance(shape, tuple) or len(shape) < least_rank:
        raise ShapeError(f"{name} must be a tuple of at least {least_rank} extents, not {shape!r}", op=op)
    check_extents(op, **{f"{name}[{axis}]": extent for axis, extent in enumerate(shape)})


def check_addressable(op: str, *tensors: tuple[Shape, DType]) -> None:
    """Raise if a tensor of one of these shapes cannot be addressed in 63 bits."""
    for shape, dtype in tensors:
        if math.prod(shape) * dtype.bytes > LARGEST_BYTES:
            raise ShapeError("a tensor cannot be addressed in 63 bits", op=op, shape=shape, dtype=dtype.value)


def check_finite(op: str, **scalars: Any) -> None:
    """Raise unless all scalars are finite numbers."""
    for name, value in scalars.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise OptionError(f"{name} must be a finite number, not {value!r}", op=op)


def check_pair(op: str, name: str, pair: Any, least: int) -> None:
    """Raise unless `pair` is a tuple of two integers that are at least `least`."""
    if not isinstance(pair, tuple) or len(pair) != 2 or any(type(value) is not int for value in pair):
        raise OptionError(f"{name} must be a tuple of two integers, not {pair!r}", op=op)
    if min(pair) < least:
        raise OptionError(f"{name} must be at least {least}, not {pair}", op=op)


def check_dtypes(op: str, operands: Iterable[DType], *others: DType | None) -> None:
    """Raise unless all are element types and the operands are all floating-point or all integer."""
    given = tuple(operands)
    for dtype in (*given, *others):
        if dtype is not None and not isinstance(dtype, DType):
            raise DTypeError(f"{dtype!r} is not a DType", hint="Use DType.parse(name)", op=op)
    if len({dtype.is_float for dtype in given}) > 1:
        raise DTypeError(
            "the operands must be all floating-point or all integer",
            hint="Convert some of them first",
            op=op,
            dtypes=tuple(dtype.value for dtype in given),
        )


def check_accumulate(op: str, operands: Iterable[DType], accumulate: DType | None) -> None:
    """Raise if sums of products of the operands cannot be kept in `accumulate`."""
    if accumulate is None:
        return
    given = tuple(operands)
    if not given[0].is_float:
        allowed: tuple[DType, ...] = (DType.INT32,)
    else:
        allowed = tuple(
            wide
            for wide in (DType.FP16, DType.FP32, DType.FP64)
            if wide.bits >= max(dtype.bits for dtype in given) and not (wide is DType.FP16 and DType.BF16 in given)
        )
    if accumulate not in allowed:
        raise DTypeError(
            f"{accumulate.value} cannot hold the sums",
            hint="Use " + " or ".join(dtype.value for dtype in allowed),
            op=op,
            dtypes=tuple(dtype.value for dtype in given),
        )
