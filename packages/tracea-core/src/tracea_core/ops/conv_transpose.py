# SPDX-License-Identifier: MIT
"""Two-dimensional transposed convolution: the gradient of a convolution with respect to its image, as an op."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import Array, Op, Shape, check_inputs, check_pair, default_output
from tracea_core.ops.conv import check_filter


class ConvTranspose2dOp(Op, frozen=True, tag=True):
    """out[n, k, y·stride + r·dilation − padding, …] += x[n, c, y, x]·w[c, k, r, s].

    Logical shapes are NCHW: x (n, c, h, w), w (c, k/groups, r, s) as in PyTorch, out (n, k, p, q).

    Attributes
    ----------
    n, c, h, w : int
        Images, input channels, rows and columns.
    k, r, s : int
        Output channels, rows and columns of the filter.
    stride, padding, output_padding, dilation : (int, int)
        For rows and columns; `output_padding` adds rows and columns at the end and is smaller than stride or dilation.
    groups : int
        Groups that channels are divided into.
    """

    family: ClassVar[str] = "contraction"
    column_axis: ClassVar[int] = 1

    n: int
    c: int
    h: int
    w: int
    k: int
    r: int
    s: int
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    output_padding: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        name = "conv_transpose2d"
        check_filter(self, name)
        check_pair(name, "output_padding", self.output_padding, 0)
        for extra, stride, dilation in zip(self.output_padding, self.stride, self.dilation, strict=True):
            if extra >= max(stride, dilation):
                raise OptionError(
                    f"output_padding {self.output_padding} must be smaller than stride {self.stride} or dilation "
                    f"{self.dilation}",
                    op=name,
                )
        if self.h < 1 or self.w < 1 or min(self.output_size) < 1:
            raise ShapeError(
                f"a {self.h}x{self.w} image with padding {self.padding} leaves no output",
                hint="Reduce the padding or enlarge the image",
                op=name,
            )
        self.check_tensors()

    @property
    def output_size(self) -> tuple[int, int]:
        """Rows and columns of the output, (h − 1)·stride − 2·padding + dilation·(r − 1) + output_padding + 1."""
        sizes = [
            (extent - 1) * self.stride[axis]
            - 2 * self.padding[axis]
            + self.dilation[axis] * (taps - 1)
            + self.output_padding[axis]
            + 1
            for axis, (extent, taps) in enumerate(((self.h, self.r), (self.w, self.s)))
        ]
        return sizes[0], sizes[1]

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and w."""
        return (self.n, self.c, self.h, self.w), (self.c, self.k // self.groups, self.r, self.s)

    def output_shape(self) -> Shape:
        """Return the shape of the output."""
        return (self.n, self.k, *self.output_size)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x and w."""
        return self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or default_output(self.dtype)

    def flops(self) -> int:
        """Return 2·n·c·h·w·(k/groups)·r·s: every input meets every tap."""
        return 2 * self.n * self.c * self.h * self.w * (self.k // self.groups) * self.r * self.s

    def reduction_length(self) -> int:
        """Return the most products that meet in one output: the taps that agree with it modulo the stride."""
        length = self.c // self.groups
        for taps, stride, dilation in zip((self.r, self.s), self.stride, self.dilation, strict=True):
            length *= -(-taps // (stride // math.gcd(stride, dilation)))
        return length

    def reference(self, *inputs: Array) -> Array:
        """Return the transposed convolution in float64, one filter tap at a time."""
        check_inputs(self, inputs)
        x, w = inputs
        (sh, sw), (ph, pw), (dh, dw) = self.stride, self.padding, self.dilation
        p, q = self.output_size
        grouped = x.reshape(self.n, self.groups, self.c // self.groups, self.h, self.w)
        filters = w.reshape(self.groups, self.c // self.groups, self.k // self.groups, self.r, self.s)
        rows, columns = max(p + 2 * ph, 0), max(q + 2 * pw, 0)
        out = np.zeros((self.n, self.groups, self.k // self.groups, rows, columns))
        for r in range(self.r):
            for s in range(self.s):
                down = slice(r * dh, r * dh + (self.h - 1) * sh + 1, sh)
                across = slice(s * dw, s * dw + (self.w - 1) * sw + 1, sw)
                out[..., down, across] += np.einsum("ngchw,gck->ngkhw", grouped, filters[..., r, s], optimize=True)
        return out[..., ph : ph + p, pw : pw + q].reshape(self.output_shape())
