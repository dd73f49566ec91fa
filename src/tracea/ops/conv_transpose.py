# SPDX-License-Identifier: MIT
"""Transposed convolution: the gradient of a convolution with respect to its image, as an op of its own."""

from __future__ import annotations

from typing import Any

from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, in_torch, run
from tracea.ops.conv import Pair, after_bias, images, laid_out_like, pair
from tracea.ops.request import Request


def conv_transpose2d(
    x: Any,
    w: Any,
    b: Any = None,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    output_padding: int | Pair = 0,
    groups: int = 1,
    dilation: int | Pair = 1,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(conv_transpose2d(x, w) + b)``, each product computed once and none for a zero between pixels.

    Arguments come in PyTorch's order. It runs as up to stride² convolutions, one for each phase of the output
    (`tracea_core.policy.output_phases`), without a copy.

    Parameters
    ----------
    x : array
        Shape (n, c, h, w) with any strides; the result is channels-last where x is.
    w : array
        Shape (c, k / groups, r, s), of the type of `x`.
    b : array, optional
        Shape (k,).
    stride, padding, output_padding, dilation : int or (int, int)
        For rows and columns; the output has (h − 1)·stride − 2·padding + dilation·(r − 1) + output_padding + 1 rows.
    groups : int
        Groups that channels are divided into.
    out, epilogue, backend, fallback
        As for `tracea.ops.matmul`. The epilogue's column operands have one value for each output channel.

    Returns
    -------
    array
        Shape (n, k, p, q), of the library and on the device of `x`; in its type (int32 for integers), or in the one that the
        epilogue ends in.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    if kind_of(x) is None or kind_of(w) is None:
        x, w = adopt(x, "x"), adopt(w, "w")
    name = "conv_transpose2d"
    steps, edge = pair("stride", stride, name), pair("padding", padding, name)
    settings = (steps, edge, pair("output_padding", output_padding, name), pair("dilation", dilation, name), groups)
    if fallback != "torch":
        fall_back.check_mode(fallback)
    if kind_of(x) is TORCH:
        return in_torch(name, (x, w), b, epilogue, settings, out, backend, fallback)
    bound, operands = bind_epilogue(after_bias(b, epilogue))
    return run(name, [x, w], bound, operands, out, settings, conv_transpose2d_problem, backend)


def conv_transpose2d_problem(
    stride: Pair,
    padding: Pair,
    output_padding: Pair,
    dilation: Pair,
    groups: int,
    request: Request,
) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, w = images("conv_transpose2d", "x of shape (n, c, h, w) and w of shape (c, k / groups, r, s)", request.inputs)
    n, c, h, width = x.shape
    _, wide, r, s = w.shape
    op = ConvTranspose2dOp(
        n, c, h, width, wide * groups, r, s, stride, padding, output_padding, dilation, groups, dtype=x.dtype,
        out_dtype=request.epilogue.stored_dtype,
    )  # fmt: skip
    return request.problem(op, laid_out_like(x, op.output_shape(), op.output_dtype()))
