# SPDX-License-Identifier: MIT
"""Two-dimensional convolution (cross-correlation, as every framework defines it)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.base import (
    Array,
    Op,
    Shape,
    check_accumulate,
    check_dtypes,
    check_extents,
    check_inputs,
    check_pair,
    default_output,
)

if TYPE_CHECKING:
    from tracea_core.ops.conv_filters import Conv2dFiltersOp
    from tracea_core.ops.conv_transpose import ConvTranspose2dOp


def check_filter(op: Conv2dOp | ConvTranspose2dOp | Conv2dFiltersOp, name: str) -> None:
    """Raise unless extents, steps, groups and dtypes of a convolution, transposed or not, are what they must be."""
    check_extents(name, n=op.n, c=op.c, h=op.h, w=op.w, k=op.k, r=op.r, s=op.s)
    check_pair(name, "stride", op.stride, 1)
    check_pair(name, "padding", op.padding, 0)
    check_pair(name, "dilation", op.dilation, 1)
    if op.r < 1 or op.s < 1:
        raise ShapeError("a filter has at least one row and one column", op=name, filter=(op.r, op.s))
    if type(op.groups) is not int or op.groups < 1 or op.c % op.groups or op.k % op.groups:
        raise OptionError(f"groups={op.groups} must divide the {op.c} input and the {op.k} output channels", op=name)
    check_dtypes(name, (op.dtype,), op.out_dtype, op.accumulate)
    check_accumulate(name, (op.dtype,), op.accumulate)


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
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    dtype: DType = DType.FP32
    out_dtype: DType | None = None
    accumulate: DType | None = None

    def __post_init__(self) -> None:
        check_filter(self, "conv2d")
        p, q = self.output_size
        if p < 1 or q < 1:
            raise ShapeError(
                f"a {self.r}x{self.s} filter with dilation {self.dilation} does not fit a {self.h}x{self.w} image with "
                f"padding {self.padding}",
                hint="Enlarge the padding or the image",
                op="conv2d",
            )
        self.check_tensors()

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

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and w."""
        return (self.n, self.c, self.h, self.w), (self.k, self.c // self.groups, self.r, self.s)

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
        """Return 2·n·k·p·q·(c/groups)·r·s."""
        p, q = self.output_size
        return 2 * self.n * self.k * p * q * self.reduction_length()

    def reduction_length(self) -> int:
        """Return (c/groups)·r·s."""
        return self.c // self.groups * self.r * self.s

    def reference(self, *inputs: Array) -> Array:
        """Return the convolution in float64, one filter tap at a time."""
        check_inputs(self, inputs)
        return _windows(self, (0, 0), *inputs)


class CroppedConv2dOp(Conv2dOp, frozen=True, tag=True):
    """Some windows of a convolution: `size` of them, of which the first begins at row and column `origin` of the padded image.

    out[n, k, p, q] = Σ over (c, r, s) of x[n, c, origin + p·stride + r·dilation − padding, …]·w[k, c, r, s]. A transposed convolution
    is a few of these (`tracea_core.policy.output_phases`): its padding differs between the beginning and the end of the image. With
    several groups the filters have an axis of their own for them, shape (groups, k/groups, c/groups, r, s), so that filters whose
    input and output channels are exchanged are a view. There may be no input channels: all sums are then zero.

    Attributes
    ----------
    size : (int, int)
        Rows and columns of the output.
    origin : (int, int)
        Where the first window begins, from the corner of the padding.
    turned : bool
        Whether filters lie turned by 180°: w[k, c, R − 1 − r, S − 1 − s] stands where w[k, c, r, s] does above.
    """

    size: tuple[int, int] = (1, 1)
    origin: tuple[int, int] = (0, 0)
    turned: bool = False

    def __post_init__(self) -> None:
        check_filter(self, "conv2d")
        check_pair("conv2d", "size", self.size, 1)
        check_pair("conv2d", "origin", self.origin, 0)
        taps, padded = (self.r, self.s), (self.h + 2 * self.padding[0], self.w + 2 * self.padding[1])
        for axis, extent in enumerate(padded):
            last = self.origin[axis] + (self.size[axis] - 1) * self.stride[axis]
            if last + self.dilation[axis] * (taps[axis] - 1) >= extent:
                raise ShapeError(
                    f"{self.size} windows from {self.origin} on leave the {self.h}x{self.w} image with padding {self.padding}",
                    hint="Enlarge the padding, or ask for fewer",
                    op="conv2d",
                )
        self.check_tensors()

    @property
    def output_size(self) -> tuple[int, int]:
        """Rows and columns of the output: `size`."""
        return self.size

    def input_shapes(self) -> tuple[Shape, ...]:
        """Return the shapes of x and w."""
        image, filters = super().input_shapes()
        if self.groups == 1:
            return image, filters
        return image, (self.groups, self.k // self.groups, *filters[1:])

    def reference(self, *inputs: Array) -> Array:
        """Return the windows in float64, one filter tap at a time."""
        check_inputs(self, inputs)
        x, w = inputs
        return _windows(self, self.origin, x, w[..., ::-1, ::-1] if self.turned else w)


def _windows(op: Conv2dOp, origin: tuple[int, int], x: Array, w: Array) -> Array:
    """The windows of a convolution from `origin` on."""
    (sh, sw), (ph, pw), (dh, dw) = op.stride, op.padding, op.dilation
    p, q = op.output_size
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))[:, :, origin[0] :, origin[1] :]
    grouped = padded.reshape(op.n, op.groups, op.c // op.groups, *padded.shape[2:])
    filters = w.reshape(op.groups, op.k // op.groups, op.c // op.groups, op.r, op.s)
    out = np.zeros((op.n, op.groups, op.k // op.groups, p, q))
    for r in range(op.r):
        for s in range(op.s):
            rows = slice(r * dh, r * dh + (p - 1) * sh + 1, sh)
            columns = slice(s * dw, s * dw + (q - 1) * sw + 1, sw)
            out += np.einsum("ngcpq,gkc->ngkpq", grouped[..., rows, columns], filters[..., r, s], optimize=True)
    return out.reshape(op.output_shape())
