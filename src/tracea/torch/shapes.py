# SPDX-License-Identifier: MIT
"""What each operator returns without computing it: shape, type and strides, for concrete and symbolic extents alike.

The fakes of PyTorch's tracers and the kernels both ask here, so that a compiled graph and a launch agree on every stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.epilogue import Epilogue

from tracea.arrays import torch_dtype
from tracea.torch.epilogues import epilogue_of

LAID_OUT = ("cuda",)
"""Kinds of devices whose convolutions are given channels-last tensors: matrix units want channels side by side."""


CONVOLUTIONS = ("conv2d", "conv_transpose2d")
"""Operators on images: what an epilogue has one value of for each column, it has for each channel, axis 1."""


def column_axis(name: str) -> int:
    """Return the axis of an operator's result along which an epilogue's columns lie."""
    return 1 if name in CONVOLUTIONS else -1


class Layout(NamedTuple):
    """An output before it exists; extents and strides may be symbolic. `strides` is None where it is contiguous."""

    shape: tuple[Any, ...]
    dtype: torch.dtype
    strides: tuple[Any, ...] | None = None

    def empty(self, like: torch.Tensor) -> torch.Tensor:
        """Return such a tensor on the device of `like`."""
        if self.strides is None:
            return torch.empty(self.shape, dtype=self.dtype, device=like.device)
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=like.device)


def matmul_layout(a: torch.Tensor, b: torch.Tensor, epilogue: Epilogue, out_dtype: torch.dtype | None) -> Layout:
    """Return the layout of a product of matrices, batches broadcast.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    if a.dim() < 2 or b.dim() < 2:
        raise ShapeError("the operator takes matrices", op="matmul", hint="tracea.ops.matmul takes vectors, too")
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"the inner extents differ: a is {tuple(a.shape)}, b is {tuple(b.shape)}",
            hint="Columns of a must equal rows of b; transpose one of them?",
            op="matmul",
        )
    leads = tuple(a.shape[:-2]), tuple(b.shape[:-2])
    known = all(type(extent) is int for lead in leads for extent in lead)
    try:  # PyTorch's own loads SymPy, which takes seconds
        batch: Any = np.broadcast_shapes(*leads) if known else torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
    except (RuntimeError, ValueError):
        raise ShapeError(
            f"the batches of {tuple(a.shape)} and {tuple(b.shape)} do not broadcast", op="matmul"
        ) from None
    return Layout((*batch, a.shape[-2], _columns(b.shape[-1], epilogue)), result_dtype(a, epilogue, out_dtype))


def linear_layout(x: torch.Tensor, weight: torch.Tensor, epilogue: Epilogue) -> Layout:
    """Return the layout of x @ weightᵀ.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    if weight.dim() != 2 or x.dim() < 2 or x.shape[-1] != weight.shape[1]:
        raise ShapeError(
            f"linear takes x of shape (…, k) and weight of shape (n, k), not {tuple(x.shape)} and {tuple(weight.shape)}",
            hint="Is the weight transposed?",
            op="linear",
        )
    return Layout((*x.shape[:-1], _columns(weight.shape[0], epilogue)), result_dtype(x, epilogue, None))


def conv2d_layout(
    x: torch.Tensor,
    weight: torch.Tensor,
    epilogue: Epilogue,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Layout:
    """Return the layout of a convolution: channels-last where x is.

    Raises
    ------
    ShapeError, OptionError
        If the shapes do not fit.
    """
    if x.dim() != 4 or weight.dim() != 4 or x.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise ShapeError(
            f"conv2d takes x of shape (n, c, h, w) and w of shape (k, c / groups, r, s), not {tuple(x.shape)} and "
            f"{tuple(weight.shape)} with groups={groups}",
            op="conv2d",
        )
    if epilogue.gated:
        raise OptionError("a gated epilogue pairs columns of a matrix product", op="conv2d")
    k = weight.shape[0]
    p, q = (
        (x.shape[2 + i] + 2 * padding[i] - dilation[i] * (weight.shape[2 + i] - 1) - 1) // stride[i] + 1 for i in (0, 1)
    )
    shape = (x.shape[0], k, p, q)
    dtype = result_dtype(x, epilogue, None)
    return Layout(shape, dtype, (p * q * k, 1, q * k, k)) if is_channels_last(x) else Layout(shape, dtype)


def conv_transpose2d_layout(
    x: torch.Tensor,
    weight: torch.Tensor,
    epilogue: Epilogue,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Layout:
    """Return the layout of a transposed convolution: channels-last where x is.

    Raises
    ------
    ShapeError, OptionError
        If the shapes do not fit.
    """
    if x.dim() != 4 or weight.dim() != 4 or x.shape[1] != weight.shape[0] or weight.shape[0] % groups:
        raise ShapeError(
            f"conv_transpose2d takes x of shape (n, c, h, w) and w of shape (c, k / groups, r, s), not {tuple(x.shape)} and "
            f"{tuple(weight.shape)} with groups={groups}",
            op="conv_transpose2d",
        )
    if epilogue.gated:
        raise OptionError("a gated epilogue pairs columns of a matrix product", op="conv_transpose2d")
    k = weight.shape[1] * groups
    p, q = (
        (x.shape[2 + i] - 1) * stride[i]
        - 2 * padding[i]
        + dilation[i] * (weight.shape[2 + i] - 1)
        + output_padding[i]
        + 1
        for i in (0, 1)
    )
    shape = (x.shape[0], k, p, q)
    dtype = result_dtype(x, epilogue, None)
    return Layout(shape, dtype, (p * q * k, 1, q * k, k)) if is_channels_last(x) else Layout(shape, dtype)


def is_channels_last(x: torch.Tensor) -> bool:
    """Whether an image's channels lie next to each other, as `tracea.ops.conv2d` sees it."""
    steps = x.stride()
    return bool(steps[1] == 1 and x.shape[1] > 1 and steps[3] >= x.shape[1])


def result_dtype(first: torch.Tensor, epilogue: Epilogue, asked: torch.dtype | None) -> torch.dtype:
    """Return the type of the result: asked for, quantized to, or the first input's (int32 for integers).

    Raises
    ------
    DTypeError
        If sums of such elements are not known.
    """
    if asked is not None:
        return asked
    if epilogue.stored_dtype is not None:
        stored: torch.dtype = torch_dtype(epilogue.stored_dtype)
        return stored
    if first.dtype.is_floating_point:
        return first.dtype
    if first.dtype in (torch.int8, torch.uint8):
        return torch.int32
    raise DTypeError(f"{first.dtype} cannot be multiplied", hint="Use a floating-point type, int8 or uint8")


def _columns(columns: Any, epilogue: Epilogue) -> Any:
    if not epilogue.gated:
        return columns
    if columns % 2:
        raise ShapeError("a gated epilogue needs an even number of columns", columns=columns)
    return columns // 2


def fake_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    operands: Sequence[torch.Tensor],
    epilogue: str,
    out_dtype: torch.dtype | None,
    deterministic: bool,
    fast_accumulation: bool,
    backend: str,
) -> torch.Tensor:
    """Return an empty result of ``tracea::matmul``."""
    return matmul_layout(a, b, epilogue_of(epilogue), out_dtype).empty(a)


def fake_linear(
    x: torch.Tensor, weight: torch.Tensor, operands: Sequence[torch.Tensor], epilogue: str, backend: str
) -> torch.Tensor:
    """Return an empty result of ``tracea::linear``."""
    return linear_layout(x, weight, epilogue_of(epilogue)).empty(x)


def fake_conv2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Sequence[torch.Tensor],
    epilogue: str,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    backend: str,
) -> torch.Tensor:
    """Return an empty result of ``tracea::conv2d``."""
    return conv2d_layout(x, weight, epilogue_of(epilogue), stride, padding, dilation, groups).empty(x)


def fake_conv_transpose2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Sequence[torch.Tensor],
    epilogue: str,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    backend: str,
) -> torch.Tensor:
    """Return an empty result of ``tracea::conv_transpose2d``."""
    settings = (stride, padding, output_padding, dilation, groups)
    return conv_transpose2d_layout(x, weight, epilogue_of(epilogue), *settings).empty(x)
