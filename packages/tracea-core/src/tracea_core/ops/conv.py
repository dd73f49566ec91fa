# SPDX-License-Identifier: MIT
"""Two-dimensional convolution (cross-correlation, as every framework defines it)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import Array, Op, check_addressable, check_extents, check_pair


class Conv2dOp(Op, frozen=True, tag=True):
    """out[n, k, p, q] = Σ over (c, r, s) of x[n, c, p·stride + r·dilation − padding, …]·w[k, c, r, s].

    Logical shapes are NCHW whatever the strides: channels-last tensors are the same op with other strides.

    Attributes
    ----------
    n, c, h, w : int
        Images, input channels, rows and columns.
    k, r, s : int
        Output channels, rows and columns of the filter.
    stride, padding, dilation : (int, int)
        For rows and columns.
    groups : int
        Groups that channels are divided into; ``groups = c`` is a depthwise convolution.
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
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_extents("conv2d", n=self.n, c=self.c, h=self.h, w=self.w, k=self.k, r=self.r, s=self.s)
        check_pair("conv2d", "stride", self.stride, 1)
        check_pair("conv2d", "padding", self.padding, 0)
        check_pair("conv2d", "dilation", self.dilation, 1)
        if self.r < 1 or self.s < 1:
            raise ShapeError("a filter has at least one row and one column", op="conv2d", filter=(self.r, self.s))
        if self.groups < 1 or self.c % self.groups or self.k % self.groups:
            raise OptionError(
                f"groups={self.groups} must divide the {self.c} input and the {self.k} output channels", op="conv2d"
            )
        p, q = self.output_size
        if p < 1 or q < 1:
            raise ShapeError(
                f"a {self.r}x{self.s} filter with dilation {self.dilation} does not fit a {self.h}x{self.w} image with "
                f"padding {self.padding}",
                hint="Enlarge the padding or the image",
                op="conv2d",
            )
        check_addressable("conv2d", *zip(self.input_shapes(), self.input_dtypes(), strict=True))
        check_addressable("conv2d", (self.output_shape(), self.output_dtype()))

    @property
    def output_size(self) -> tuple[int, int]:
        """Rows and columns of the output, ⌊(h + 2·padding − dilation·(r − 1) − 1) / stride⌋ + 1."""
        (sh, sw), (ph, pw), (dh, dw) = self.stride, self.padding, self.dilation
        return (
            (self.h + 2 * ph - dh * (self.r - 1) - 1) // sh + 1,
            (self.w + 2 * pw - dw * (self.s - 1) - 1) // sw + 1,
        )

    @property
    def accumulator(self) -> DType:
        """Type of the sums."""
        return self.accumulate or self.dtype.accumulator

    def input_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of x and w."""
        return (self.n, self.c, self.h, self.w), (self.k, self.c // self.groups, self.r, self.s)

    def output_shape(self) -> tuple[int, ...]:
        """Return the shape of the output."""
        return (self.n, self.k, *self.output_size)

    def input_dtypes(self) -> tuple[DType, ...]:
        """Return the types of x and w."""
        return self.dtype, self.dtype

    def output_dtype(self) -> DType:
        """Return the type of the output."""
        return self.out_dtype or (self.dtype if self.dtype.is_float else DType.INT32)

    def flops(self) -> int:
        """Return 2·n·k·p·q·(c/groups)·r·s."""
        p, q = self.output_size
        return 2 * self.n * self.k * p * q * self.reduction_length()

    def reduction_length(self) -> int:
        """Return (c/groups)·r·s."""
        return self.c // self.groups * self.r * self.s

    def reference(self, *inputs: Array) -> Array:
        """Return the convolution in float64, one filter tap at a time."""
        x, w = inputs[:2]
        (sh, sw), (ph, pw), (dh, dw) = self.stride, self.padding, self.dilation
        p, q = self.output_size
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        grouped = padded.reshape(self.n, self.groups, self.c // self.groups, *padded.shape[2:])
        filters = w.reshape(self.groups, self.k // self.groups, self.c // self.groups, self.r, self.s)
        out = np.zeros((self.n, self.groups, self.k // self.groups, p, q))
        for r in range(self.r):
            for s in range(self.s):
                rows = slice(r * dh, r * dh + (p - 1) * sh + 1, sh)
                columns = slice(s * dw, s * dw + (q - 1) * sw + 1, sw)
                out += np.einsum("ngcpq,gkc->ngkpq", grouped[..., rows, columns], filters[..., r, s], optimize=True)
        return out.reshape(self.output_shape())
