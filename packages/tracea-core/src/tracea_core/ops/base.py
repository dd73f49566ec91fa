# SPDX-License-Identifier: MIT
"""What every op says about itself: shapes, work, traffic, and its meaning in float64."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.spec import LARGEST_BYTES

Array = npt.NDArray[np.float64]


class Op(Data, frozen=True):
    """Base of all ops. Subclasses are frozen, validate themselves and survive a JSON round trip."""

    family: ClassVar[str] = ""

    def input_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the logical shape of each input."""
        raise TypeError(f"{type(self).__name__} does not say its input shapes")

    def output_shape(self) -> tuple[int, ...]:
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


def check_extents(op: str, **extents: int) -> None:
    """Raise unless all extents are non-negative integers."""
    for name, value in extents.items():
        if not isinstance(value, int) or value < 0:
            raise ShapeError(f"{name} must be a non-negative integer, not {value}", op=op)


def check_addressable(op: str, *tensors: tuple[tuple[int, ...], DType]) -> None:
    """Raise if a tensor of one of these shapes cannot be addressed in 63 bits."""
    for shape, dtype in tensors:
        if math.prod(shape) * dtype.bytes > LARGEST_BYTES:
            raise ShapeError("a tensor cannot be addressed in 63 bits", op=op, shape=shape, dtype=dtype.value)


def check_finite(op: str, **scalars: Any) -> None:
    """Raise unless all scalars are finite."""
    for name, value in scalars.items():
        if not math.isfinite(value):
            raise OptionError(f"{name} must be finite, not {value}", op=op)


def check_pair(op: str, name: str, pair: tuple[int, int], least: int) -> None:
    """Raise unless both entries are at least `least`."""
    if min(pair) < least:
        raise OptionError(f"{name} must be at least {least}, not {pair}", op=op)
