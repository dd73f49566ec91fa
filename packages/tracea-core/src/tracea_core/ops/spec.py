# SPDX-License-Identifier: MIT
"""A tensor without its data: what a problem knows of each operand (`tracea_core.ops.problem.Problem`)."""

from __future__ import annotations

import math

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, ShapeError

LARGEST_BYTES = 2**63 - 1
_SETTLED = 16


class TensorSpec(Data, frozen=True):
    """Shape, element type and strides in elements of a tensor, without its data."""

    shape: tuple[int, ...]
    dtype: DType
    strides: tuple[int, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.dtype, DType):
            raise DTypeError(f"{self.dtype!r} is not a DType", hint="Use DType.parse(name)")
        if len(self.shape) != len(self.strides):
            raise ShapeError("a tensor has one stride for each axis", shape=self.shape, strides=self.strides)
        if any(extent < 0 for extent in self.shape):
            raise ShapeError("a tensor's extents are not negative", shape=self.shape)
        reach = sum(
            (extent - 1) * abs(stride) for extent, stride in zip(self.shape, self.strides, strict=True) if extent
        )
        if 0 not in self.shape and (reach + 1) * self.dtype.bytes > LARGEST_BYTES:
            raise ShapeError("a tensor cannot be addressed in 63 bits", shape=self.shape, dtype=self.dtype.value)

    @classmethod
    def contiguous(cls, shape: tuple[int, ...], dtype: DType) -> TensorSpec:
        """Return the row-major tensor of `shape`."""
        strides = []
        step = 1
        for extent in reversed(shape):
            strides.append(step)
            step *= max(extent, 1)
        return cls(tuple(shape), dtype, tuple(reversed(strides)))

    def settled(self) -> TensorSpec:
        """Return the tensor with strides of its own for axes of one element, whose strides address nothing.

        They become 1 where no longer axis is contiguous, else a multiple of 16 beyond all elements: kernels that want aligned rows,
        or a single contiguous axis, then find them.

        >>> TensorSpec((1, 777), DType.BF16, (777, 1)).settled().strides
        (784, 1)
        >>> TensorSpec((777, 1), DType.BF16, (1, 1)).settled().strides
        (1, 784)
        """
        if 1 not in self.shape or 0 in self.shape:
            return self
        span = 1 + sum((extent - 1) * abs(stride) for extent, stride in zip(self.shape, self.strides, strict=True))
        beyond = -(-span // _SETTLED) * _SETTLED
        contiguous = any(extent > 1 and stride == 1 for extent, stride in zip(self.shape, self.strides, strict=True))
        strides = []
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent == 1:
                stride = beyond if contiguous else 1
                contiguous = True
            strides.append(stride)
        return TensorSpec(self.shape, self.dtype, tuple(reversed(strides)))

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.bytes

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        if 0 in self.shape:
            return True
        step = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent > 1 and stride != step:
                return False
            step *= extent
        return True
