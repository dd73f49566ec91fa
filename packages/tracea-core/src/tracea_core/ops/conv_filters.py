# SPDX-License-Identifier: MIT
"""The gradient of a convolution with respect to its filters, as an op: products of images and gradients, summed over pixels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import Array, Op, Shape, check_extents, check_inputs, default_output
from tracea_core.ops.conv import Conv2dOp, check_filter


class Conv2dFiltersOp(Op, frozen=True, tag=True):
    """out[k, c, r, s] = Σ over (n, p, q) of g[n, k, p, q]·x[n, c, p·stride + r·dilation − padding, …].

    Logical shapes are NCHW: x (n, c, h, w), g (n, k, p, q) as `Conv2dOp` states them, out (k, c/groups, r, s). The reduction is over all
    output pixels of all images, so there may be few sums of many products: `parts` divides the images, and the output then has a first
    axis with one partial sum for each part.

    Attributes
    ----------
    n, c, h, w : int
        Images, input channels, rows and columns.
    k, r, s : int
        Output channels, rows and columns of the filter.
    stride, padding, dilation : (int, int)
        Of the convolution, for rows and columns.
    groups : int
        Groups that channels are divided into.
    parts : int
        Into how many the images are divided; a divisor of n.
    """

    family: ClassVar[str] = "contraction"

    n: int
    c: int
    h: int
    w: int
    k: int
    r: int
    s: int
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    parts: int = 1
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        name = "conv2d_filters"
        check_filter(self, name)
        check_extents(name, parts=self.parts)
        if min(self.convolution.output_size) < 1:
            raise ShapeError("the convolution has no output", op=name)
        if self.parts < 1 or self.n % self.parts:
            raise OptionError(f"parts={self.parts} must divide the {self.n} images", op=name)
        self.check_tensors()

    @property
    def convolution(self) -> Conv2dOp:
        """The convolution whose filters these are."""
        return Conv2dOp(
            self.n, self.c, self.h, self.w, self.k, self.r, self.s, self.stride, self.padding, self.dilation, self.groups,
            self.dtype, self.out_dtype, self.accumulate,
        )  # fmt: skip

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and g."""
        return (self.n, self.c, self.h, self.w), self.convolution.output_shape()

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        shape = (self.k, self.c // self.groups, self.r, self.s)
        return shape if self.parts == 1 else (self.parts, *shape)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x and g."""
        return self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return the operations of the convolution itself: each of its products occurs once."""
        return self.convolution.flops()

    def reduction_length(self) -> int:
        """Return the pixels of a part's images."""
        p, q = self.convolution.output_size
        return self.n // self.parts * p * q

    def reference(self, *inputs: Array) -> Array:
        """Return the gradient in float64, one filter tap at a time."""
        check_inputs(self, inputs)
        x, g = inputs
        (sh, sw), (ph, pw), (dh, dw) = self.stride, self.padding, self.dilation
        p, q = self.convolution.output_size
        each, deep, wide = self.n // self.parts, self.c // self.groups, self.k // self.groups
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        images = padded.reshape(self.parts, each, self.groups, deep, *padded.shape[2:])
        slopes = g.reshape(self.parts, each, self.groups, wide, p, q)
        out = np.zeros((self.parts, self.groups, wide, deep, self.r, self.s))
        for r in range(self.r):
            for s in range(self.s):
                rows = slice(r * dh, r * dh + (p - 1) * sh + 1, sh)
                columns = slice(s * dw, s * dw + (q - 1) * sw + 1, sw)
                window = images[..., rows, columns]
                out[..., r, s] = np.einsum("angkpq,angcpq->agkc", slopes, window, optimize=True)
        return out.reshape(self.output_shape())
