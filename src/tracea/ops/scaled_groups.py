# SPDX-License-Identifier: MIT
"""Products of ragged groups of quantized rows, each group with a quantized weight of its own, and scales of groups of 128 along k."""

from __future__ import annotations

import functools
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError, UnsupportedError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.scaled import GROUP, ScaledGroupedGemmOp
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.dispatch import common_device
from tracea.ops.call import bind_epilogue, run
from tracea.ops.grouped import compute, host_ends
from tracea.ops.request import Asked, Request
from tracea.ops.scaled import OWN_TYPE, as_fp32, check_recorded, check_types, spread

NAME = "scaled_grouped_matmul"


def scaled_grouped_matmul(
    x: Any,
    weights: Any,
    scale_x: Any,
    scale_w: Any,
    offsets: Any = None,
    *,
    sizes: Any = None,
    out: Any = None,
    epilogue: StageLike = None,
    out_dtype: str | DType = "bf16",
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue((scale_x · x)[rows of g] @ (scale_w · weights)[g])`` for every group g of consecutive rows, in one kernel.

    Parameters
    ----------
    x : array of fp8
        Shape (m, k), its rows sorted by group.
    weights : array of fp8
        Shape (groups, k, n); those stored as (groups, n, k), which kernels want, are given as ``weights.transpose(1, 2)``.
    scale_x : array of fp32
        Shape (m, ⌈k/128⌉): one for every 128 positions of a row.
    scale_w : array of fp32
        Shape (groups, ⌈k/128⌉, ⌈n/128⌉), one for every block of a weight, or (groups, ⌈k/128⌉, n), one for 128 positions of a column.
    offsets, sizes : array of integers
        Where the rows of each group end, or how many each has, as `tracea.ops.grouped_matmul` takes them.
    out : array, optional
        Where the result goes, shape (m, n); it must not overlap an input.
    epilogue : stage, chain of stages, function or str, optional
        What happens to each scaled sum before it is stored; it is not gated.
    out_dtype, backend, fallback
        As for `tracea.ops.scaled_matmul`.

    Returns
    -------
    array
        Shape (m, n), of the library and on the device of `x`. Rows behind the last offset are not written. No gradients flow.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    fall_back.check_mode(fallback)
    x, weights = adopt(x, "x"), adopt(weights, "weights")
    scales = adopt(scale_x, "scale_x"), adopt(scale_w, "scale_w")
    if len(x.shape) != 2 or len(weights.shape) != 3 or x.shape[1] != weights.shape[1]:
        raise ShapeError(
            f"{NAME} takes x of shape (m, k) and weights of shape (groups, k, n), not {tuple(x.shape)} and {tuple(weights.shape)}",
            hint="Weights stored as (groups, n, k) are given as weights.transpose(1, 2)",
            op=NAME,
        )
    if (offsets is None) == (sizes is None):
        raise OptionError("give offsets or sizes, one of them", op=NAME)
    check_recorded(NAME, x, weights, *scales)
    dtype = out_dtype if isinstance(out_dtype, DType) else DType.parse(out_dtype)
    if kind_of(x) is TORCH:
        from tracea.torch.grouped import ends_of

        ends = ends_of(x, offsets, sizes, weights.shape[0])
    else:
        ends = host_ends(offsets, sizes, weights.shape[0], x.shape[0])
    inputs, asked = (x, weights, ends, *scales), Asked(out, backend, fallback)
    _shared_columns(inputs)
    if kind_of(x) is TORCH:
        from tracea.torch.scaled import call_grouped

        return call_grouped(inputs, epilogue, dtype, asked)
    bound, operands = bind_epilogue(epilogue)
    return by_groups(inputs, bound, operands, dtype, asked)


def by_groups(
    inputs: tuple[Any, ...], epilogue: Epilogue, operands: tuple[Any, ...], dtype: DType, asked: Asked
) -> Any:
    """Scale the sums of groups of k in a kernel, or, where none does, the factors before they are multiplied in fp32.

    Parameters
    ----------
    inputs : tuple of arrays
        Rows, weights, where groups end, and the scales of both.

    Raises
    ------
    TraceaError
        As `scaled_grouped_matmul`.
    """
    x, weights, _, *scales = inputs
    kinds: list[Any] = [kind_of(one) for one in inputs]
    device = common_device(NAME, list(inputs), kinds)
    check_types(x, weights, *scales)
    if device == "cpu":
        return _widened(inputs, epilogue, operands, dtype, asked)
    try:
        if x.dtype != weights.dtype:
            raise UnsupportedError("no kernel multiplies groups of both types of fp8", op=NAME)
        settings = (_shared_columns(inputs), dtype)
        return run(
            NAME, inputs, epilogue, operands, asked.out, settings, scaled_grouped_problem, asked.backend, OWN_TYPE
        )
    except UnsupportedError as error:
        if asked.backend:
            raise
        again = functools.partial(_widened, inputs, epilogue, operands, dtype, asked)
        return fall_back.to_torch(NAME, error, asked.fallback, again)


def _shared_columns(inputs: tuple[Any, ...]) -> int:
    """Return how many columns of a weight share a scale of 128 positions of k."""
    x, weights, _, scale_x, scale_w = inputs
    (m, k), (groups, _, n) = x.shape, weights.shape
    runs = -(-k // GROUP)
    given = tuple(scale_x.shape), tuple(scale_w.shape)
    for columns in (1, GROUP):
        if given == ((m, runs), (groups, runs, -(-n // columns))):
            return columns
    raise ShapeError(
        f"scales of shapes {given[0]} and {given[1]} do not fit rows of {tuple(x.shape)} and weights of {tuple(weights.shape)}",
        hint=f"scale_x: ({m}, {runs}); scale_w: ({groups}, {runs}, {-(-n // GROUP)}) or ({groups}, {runs}, {n})",
        op=NAME,
    )


def _widened(inputs: tuple[Any, ...], epilogue: Epilogue, operands: tuple[Any, ...], dtype: DType, asked: Asked) -> Any:
    """Scale both factors in fp32, then multiply group by group."""
    x, weights, ends, scale_x, scale_w = inputs
    left, right, of_x, of_w = (as_fp32(one) for one in (x, weights, scale_x, scale_w))
    left = left * spread(of_x, 1, x.shape[1])
    right = right * spread(spread(of_w, 1, weights.shape[1]), 2, weights.shape[2])
    return compute((left, right, ends), epilogue, operands, dtype, asked)


def scaled_grouped_problem(columns: int, out_dtype: DType, request: Request) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, w = request.inputs[:2]
    op = ScaledGroupedGemmOp(
        x.shape[0], w.shape[0], w.shape[2], x.shape[1], dtype=x.dtype, out_dtype=out_dtype, shared_columns=columns
    )
    return request.problem(op)
