# SPDX-License-Identifier: MIT
"""Convolutions."""

from __future__ import annotations

from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike, as_chain

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, in_torch, in_torch_by_name, run

Pair = tuple[int, int]


def conv2d(
    x: Any,
    w: Any,
    b: Any = None,
    stride: int | Pair = 1,
    padding: int | Pair | str = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(conv2d(x, w) + b)`` in one kernel, without an im2col buffer.

    Parameters
    ----------
    x : array
        Shape (n, c, h, w) with any strides; a channels-last tensor is taken as it is, and the result is channels-last too.
    w : array
        Shape (k, c / groups, r, s).
    b : array, optional
        Shape (k,).
    stride, padding, dilation : int or (int, int)
        For rows and columns. ``padding`` may be ``"valid"`` or, with stride 1, ``"same"`` where both sides get equally much.
    groups : int
        Groups that channels are divided into.

    See `tracea.ops.matmul` for the other parameters, the result and the errors. An epilogue's column operands have one value for each
    output channel.
    """
    if kind_of(x) is None or kind_of(w) is None:
        x, w = adopt(x, "x"), adopt(w, "w")
    steps, spread = _pair("stride", stride), _pair("dilation", dilation)
    edge = _padding(padding, tuple(w.shape[2:]), steps, spread)
    if fallback != "torch":
        fall_back.check_mode(fallback)
    settings = (steps, edge, spread, groups)
    in_tensors = kind_of(x) is TORCH and (b is None or kind_of(b) is TORCH)
    if in_tensors and (epilogue is None or isinstance(epilogue, str)):
        return in_torch_by_name("conv2d", (x, w), b, epilogue, settings, out, backend, fallback)
    if b is not None:
        from tracea_core.ops.activations import BiasAdd

        epilogue = BiasAdd(b) if epilogue is None else BiasAdd(b) | as_chain(epilogue)
    bound, operands = bind_epilogue(epilogue)
    if kind_of(x) is TORCH:
        return in_torch("conv2d", (x, w), bound, operands, settings, out, backend, fallback)
    return run("conv2d", [x, w], bound, operands, out, settings, conv2d_problem, backend)


def conv2d_problem(
    stride: Pair,
    padding: Pair,
    dilation: Pair,
    groups: int,
    inputs: tuple[TensorSpec, ...],
    epilogue: Epilogue,
    operands: tuple[TensorSpec, ...],
    out: TensorSpec | None,
    options: Options,
) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, w = inputs
    if x.rank != 4 or w.rank != 4:
        raise ShapeError(
            "conv2d takes x of shape (n, c, h, w) and w of shape (k, c / groups, r, s)",
            op="conv2d",
            shapes=(x.shape, w.shape),
        )
    n, c, h, width = x.shape
    k, _, r, s = w.shape
    op = Conv2dOp(
        n, c, h, width, k, r, s, stride, padding, dilation, groups, dtype=x.dtype, out_dtype=epilogue.stored_dtype
    )
    output = out or _output(op, x, op.output_dtype())
    return Problem(op, inputs, output, epilogue, operands, options)


def _output(op: Conv2dOp, x: TensorSpec, dtype: DType) -> TensorSpec:
    """The result in the order of x: channels-last where x's channels are contiguous and it has more than one."""
    n, k, p, q = op.output_shape()
    if x.strides[1] == 1 and x.shape[1] > 1 and x.strides[3] >= x.shape[1]:
        return TensorSpec((n, k, p, q), dtype, (p * q * k, 1, q * k, k))
    return TensorSpec.contiguous((n, k, p, q), dtype)


def _pair(name: str, value: Any) -> Pair:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or not all(isinstance(part, int) for part in pair):
        raise OptionError(f"{name} must be an integer or a pair of integers, not {value!r}", op="conv2d")
    return pair[0], pair[1]


def _padding(value: Any, filters: tuple[int, ...], stride: Pair, dilation: Pair) -> Pair:
    if value == "valid":
        return 0, 0
    if value == "same":
        reach = [d * (size - 1) for d, size in zip(dilation, filters, strict=True)]
        if stride != (1, 1) or any(total % 2 for total in reach):
            raise OptionError(
                "padding='same' needs stride 1 and equal padding on both sides", op="conv2d", hint="Pad the image first"
            )
        return reach[0] // 2, reach[1] // 2
    if isinstance(value, str):
        raise OptionError(f"padding={value!r} is unknown", op="conv2d", hint="Use integers, 'valid' or 'same'")
    return _pair("padding", value)
