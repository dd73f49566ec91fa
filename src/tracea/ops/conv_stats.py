# SPDX-License-Identifier: MIT
"""Convolutions with the mean and the variance of each channel of their result, which a batch norm in training asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from tracea_core.ops.column_sums import counts, joined, sums_dtype
from tracea_core.ops.epilogue import shape_of_sums
from tracea_core.ops.named import column_sums
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, run
from tracea.ops.conv import Pair, _padding, after_bias, conv2d_problem, pair
from tracea.ops.request import PLAIN, Request

_BLOCK = 168
"""Pixels of a block of sums, as for torch tensors (`tracea.torch.statistics`)."""
_COLUMN_AXIS = 1


def conv2d_stats(
    x: Any,
    w: Any,
    b: Any = None,
    stride: int | Pair = 1,
    padding: int | Pair | str = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    *,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> tuple[Any, Any, Any]:
    """Return ``y = epilogue(conv2d(x, w) + b)`` with the mean and the variance of each of its channels.

    On a processor the kernel that computes y sums blocks of its pixels while they are in registers: differences from a block's first pixel
    and their squares, so that a mean far from zero costs no digits. y is not read again for them. Gradients flow through all three.

    Parameters
    ----------
    x, w, b, stride, padding, dilation, groups
        As for `tracea.ops.conv2d`.
    epilogue : optional
        As for `tracea.ops.matmul`. One that is more than sums, products and comparisons is a case of `fallback`.
    backend : str, optional
        As for `tracea.ops.matmul`.
    fallback : str
        Where no kernel sums columns (on GPUs, for several groups), torch tensors are convolved and read once more; ``"error"`` raises
        instead, as NumPy arrays do in any case.

    Returns
    -------
    y : array
        As `tracea.ops.conv2d` returns it.
    mean, variance : array
        Shape (k,), in fp32 (fp64 if y is): over all images and pixels of y as it is stored; the variance is divided by their number.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    if kind_of(x) is None or kind_of(w) is None:
        x, w = adopt(x, "x"), adopt(w, "w")
    steps, spread = pair("stride", stride, "conv2d_stats"), pair("dilation", dilation, "conv2d_stats")
    edge = _padding(padding, tuple(w.shape[2:]), steps, spread)
    fall_back.check_mode(fallback)
    settings = (steps, edge, spread, groups)
    if kind_of(x) is TORCH:
        from tracea.torch import statistics
        from tracea.torch.naming import after_bias as named

        text, given = named(b, epilogue)
        return statistics.call((x, w), text, given, settings, backend or "", fallback)
    bound, operands = bind_epilogue(after_bias(b, epilogue))
    specs = tuple(kind_of(each).spec(each) for each in (x, w))  # type: ignore[union-attr]
    output = conv2d_problem(*settings, Request(specs)).output
    shape = shape_of_sums(output.shape, _COLUMN_AXIS, _BLOCK)
    sums = np.empty(shape, sums_dtype(output.dtype).storage)
    y = run(
        "conv2d",
        [x, w],
        bound.then(column_sums(_BLOCK)),
        (*operands, sums),
        None,
        settings,
        conv2d_problem,
        backend,
        PLAIN,
    )
    every = output.size // max(output.shape[_COLUMN_AXIS], 1)
    if not every:
        nothing = np.full(output.shape[_COLUMN_AXIS], np.nan, sums.dtype)
        return y, nothing, nothing.copy()
    mean, variance = joined(sums, counts(every, _BLOCK))
    return y, mean.astype(sums.dtype), variance.astype(sums.dtype)
