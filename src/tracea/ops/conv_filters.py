# SPDX-License-Identifier: MIT
"""The gradient of a convolution's filters as an op: a product over pixels, without a buffer of columns."""

from __future__ import annotations

from typing import Any

from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, run
from tracea.ops.conv import Pair, images, laid_out_like, pair
from tracea.ops.request import Asked, Request


def conv2d_filters(
    x: Any,
    gradient: Any,
    size: int | Pair,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    *,
    parts: int = 1,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return the gradient with respect to the filters w of ``conv2d(x, w)``, whose result has this `gradient`.

    Parameters
    ----------
    x : array
        The images, shape (n, c, h, w) with any strides.
    gradient : array
        Shape (n, k, p, q), in the type of x.
    size : int or (int, int)
        Rows and columns r, s of the filters.
    stride, padding, dilation, groups
        Those of the convolution.
    parts : int
        Into how many the images are divided, a divisor of n: more kernels' worth of work where there are few filters.
    epilogue : optional
        Applied to the sums: scalars, and tensors of the result's shape (a gradient to add to). See `tracea.ops.matmul`, also for `out`,
        `backend`, `fallback` and errors.

    Returns
    -------
    array
        Shape (k, c / groups, r, s), channels-last where x is; with several parts the sums of each, shape (parts, k, c / groups, r, s).

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    if kind_of(x) is None or kind_of(gradient) is None:
        x, gradient = adopt(x, "x"), adopt(gradient, "gradient")
    name = "conv2d_filters"
    given = dict(size=size, stride=stride, padding=padding, dilation=dilation)
    settings = (*(pair(word, value, name) for word, value in given.items()), groups, parts)
    if fallback != "torch":
        fall_back.check_mode(fallback)
    if kind_of(x) is TORCH:
        from tracea.torch.filter_gradients import call

        return call((x, gradient), epilogue, settings, Asked(out, backend, fallback))
    bound, operands = bind_epilogue(epilogue)
    return run(name, [x, gradient], bound, operands, out, settings, conv2d_filters_problem, backend)


def conv2d_filters_problem(
    size: Pair,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
    parts: int,
    request: Request,
) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, gradient = images(
        "conv2d_filters", "images of shape (n, c, h, w) and a gradient of shape (n, k, p, q)", request.inputs
    )
    n, c, h, w = x.shape
    op = Conv2dFiltersOp(
        n, c, h, w, gradient.shape[1], *size, stride, padding, dilation, groups, parts, dtype=x.dtype,
        out_dtype=request.epilogue.stored_dtype,
    )  # fmt: skip
    return request.problem(op, _output(op, x))


def _output(op: Conv2dFiltersOp, x: TensorSpec) -> TensorSpec:
    """The result in the order of x."""
    shape = op.output_shape()
    one = laid_out_like(x, shape[-4:], op.output_dtype())
    if op.parts == 1:
        return one
    return TensorSpec(shape, one.dtype, (one.size, *one.strides))
