# SPDX-License-Identifier: MIT
"""Ops that treat each row on its own: softmax, the two norms, and rows of unit length. One read, one write, reductions in registers."""

from __future__ import annotations

import enum
import math
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError
from tracea_core.ops.base import Array, Op, Shape, check_dtypes, check_finite, check_inputs, check_shape


class SoftmaxOp(Op, frozen=True, tag=True):
    """out = exp(x − max) / Σ exp(x − max) along the last axis, or its logarithm.

    Attributes
    ----------
    shape : tuple of int
        Shape of input and output; the last axis is normalized.
    log : bool
        Return x − max − log Σ exp(x − max) instead.
    scale : float
        Multiplies x first.
    """

    family: ClassVar[str] = "rowwise"

    shape: tuple[int, ...]
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    log: bool = False
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_shape("softmax", "shape", self.shape, 1)
        check_finite("softmax", scale=self.scale)
        check_float("softmax", self.dtype, self.out_dtype)
        self.check_tensors()

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shape of x."""
        return (self.shape,)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.shape

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the type of x."""
        return (self.dtype,)

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or self.dtype

    def flops(self) -> int:
        """Return five for each element: maximum, subtraction, exponential, sum, division."""
        return 5 * math.prod(self.shape)

    def reduction_length(self) -> int:
        """Return the length of a row."""
        return self.shape[-1]

    def reference(self, *inputs: Array) -> Array:
        """Return the softmax in float64; a row of −∞ gives NaN, as in PyTorch."""
        check_inputs(self, inputs)
        x = self.scale * np.asarray(inputs[0], np.float64)
        if not x.size:
            return np.zeros(self.shape)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            shifted = x - x.max(axis=-1, keepdims=True)
            total = np.exp(shifted).sum(axis=-1, keepdims=True)
            return np.asarray(shifted - np.log(total) if self.log else np.exp(shifted) / total)


class NormKind(enum.Enum):
    """What a norm divides by."""

    RMS = "rms"  # the root mean square
    LAYER = "layer"  # the standard deviation, after subtracting the mean


class NormOp(Op, frozen=True, tag=True):
    """out = (x − mean) / √(variance + eps)·weight + bias along the last axis; RMS norm leaves the mean in.

    Attributes
    ----------
    shape : tuple of int
        Shape of input and output; the last axis is normalized.
    kind : NormKind
        RMS or layer norm.
    eps : float
        Added to the mean square; positive.
    weight, bias : bool
        Whether there are inputs of one value per column that scale and shift.
    """

    family: ClassVar[str] = "rowwise"

    shape: tuple[int, ...]
    kind: NormKind = NormKind.RMS
    eps: float = 1e-5
    weight: bool = True
    bias: bool = False
    dtype: DType = DType.FP32
    out_dtype: DType | None = None

    def __post_init__(self) -> None:
        name = f"{self.kind.value}_norm" if isinstance(self.kind, NormKind) else "norm"
        if not isinstance(self.kind, NormKind):
            raise OptionError(f"{self.kind!r} is not a NormKind", op=name)
        check_shape(name, "shape", self.shape, 1)
        check_finite(name, eps=self.eps)
        if self.eps <= 0:
            raise OptionError(f"eps must be positive, not {self.eps}", hint="1e-5 is customary", op=name)
        check_float(name, self.dtype, self.out_dtype)
        self.check_tensors()

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and, where they exist, weight and bias."""
        return (self.shape, *((self.shape[-1],),) * (self.weight + self.bias))

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.shape

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of the inputs."""
        return (self.dtype,) * len(self.input_shapes())

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or self.dtype

    def flops(self) -> int:
        """Return the arithmetic of each element: square, sum, scale; subtract mean and its sum; weight; bias."""
        each = 3 + (2 if self.kind is NormKind.LAYER else 0) + self.weight + self.bias
        return each * math.prod(self.shape)

    def reduction_length(self) -> int:
        """Return the length of a row."""
        return self.shape[-1]

    def reference(self, *inputs: Array) -> Array:
        """Return the normalized rows in float64."""
        check_inputs(self, inputs)
        x = np.asarray(inputs[0], np.float64)
        if not x.size:
            return np.zeros(self.shape)
        if self.kind is NormKind.LAYER:
            x = x - x.mean(axis=-1, keepdims=True)
        result = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.eps)
        rest = list(inputs[1:])
        if self.weight:
            result = result * rest.pop(0)
        if self.bias:
            result = result + rest.pop(0)
        return np.asarray(result)


class NormalizeOp(Op, frozen=True, tag=True):
    """out = x / max(√Σ x², eps) along the last axis: rows of length 1, as cosine similarities are made of.

    Attributes
    ----------
    shape : tuple of int
        Shape of input and output; the last axis is normalized.
    eps : float
        The least that a row is divided by; positive.
    """

    family: ClassVar[str] = "rowwise"

    shape: tuple[int, ...]
    eps: float = 1e-12
    dtype: DType = DType.FP32
    out_dtype: DType | None = None

    def __post_init__(self) -> None:
        check_shape("normalize", "shape", self.shape, 1)
        check_finite("normalize", eps=self.eps)
        if self.eps <= 0:
            raise OptionError(f"eps must be positive, not {self.eps}", hint="1e-12 is customary", op="normalize")
        check_float("normalize", self.dtype, self.out_dtype)
        self.check_tensors()

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shape of x."""
        return (self.shape,)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return self.shape

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the type of x."""
        return (self.dtype,)

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or self.dtype

    def flops(self) -> int:
        """Return three for each element: square, sum, scale."""
        return 3 * math.prod(self.shape)

    def reduction_length(self) -> int:
        """Return the length of a row."""
        return self.shape[-1]

    def reference(self, *inputs: Array) -> Array:
        """Return the rows in float64; a row of zeros stays zero."""
        check_inputs(self, inputs)
        x = np.asarray(inputs[0], np.float64)
        return np.asarray(x / np.maximum(np.sqrt((x * x).sum(axis=-1, keepdims=True)), self.eps))


def check_float(op: str, dtype: DType, *others: DType | None) -> None:
    """Raise unless `dtype` is a floating-point type."""
    check_dtypes(op, (dtype,), *others)
    if not dtype.is_float:
        raise DTypeError("a floating-point type is needed", hint="Convert the input first", op=op, dtype=dtype.value)
