# SPDX-License-Identifier: MIT
"""Convolutions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tracea_core.doctor.winograd import is_default
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike, as_chain

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, in_torch, run
from tracea.ops.filtering import options_of, windows_alone
from tracea.ops.request import PLAIN, Request

Pair = tuple[int, int]
_OPTIONS = {said: options_of(said, PLAIN) for said in (None, False, True)}


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
    allow_winograd: bool | None = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(conv2d(x, w) + b)`` in one kernel, without an im2col buffer.

    Parameters
    ----------
    x : array
        Shape (n, c, h, w) with any strides; a channels-last tensor is taken as it is, and the result is channels-last too.
    w : array
        Shape (k, c / groups, r, s), of the type of `x`.
    b : array, optional
        Shape (k,).
    stride, padding, dilation : int or (int, int)
        For rows and columns. ``padding`` may be ``"valid"`` or, with stride 1, ``"same"`` where both sides get equally much.
    groups : int
        Groups that channels are divided into.
    allow_winograd : bool, optional
        3×3 filters with stride 1 may be multiplied by way of sums of pixels and of weights (Winograd's minimal filtering) on a processor.
        Errors are bounded (`tracea_core.ops.error_bounds`), but not by the products of a window: small results among large pixels lose
        digits, and an infinite pixel makes NaN of the results that see it. By default the engine takes it for fp32 where it expects it to
        be faster, unless ``TRACEA_ALLOW_WINOGRAD`` is 0 in the environment. ``False`` refuses it, and breaks a compiled graph there.
        ``True`` also allows it for small layers, and then no gradients flow through the call.
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
    steps, spread = pair("stride", stride), pair("dilation", dilation)
    edge = _padding(padding, tuple(w.shape[2:]), steps, spread)
    if fallback != "torch":
        fall_back.check_mode(fallback)
    settings = (steps, edge, spread, groups)
    if kind_of(x) is TORCH and not allow_winograd:
        if allow_winograd is None or not is_default():
            return in_torch("conv2d", (x, w), b, epilogue, settings, out, backend, fallback)
        with windows_alone_eagerly():
            return in_torch("conv2d", (x, w), b, epilogue, settings, out, backend, fallback)
    if allow_winograd and any(kind_of(given) is TORCH and given.requires_grad for given in (x, w)):
        raise OptionError(
            "no gradients flow through allow_winograd", hint="Pass x.detach(), w.detach(), or leave it out"
        )
    bound, operands = bind_epilogue(after_bias(b, epilogue))
    return run("conv2d", [x, w], bound, operands, out, settings, conv2d_problem, backend, _OPTIONS[allow_winograd])


def conv2d_problem(stride: Pair, padding: Pair, dilation: Pair, groups: int, request: Request) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    x, w = images("conv2d", "x of shape (n, c, h, w) and w of shape (k, c / groups, r, s)", request.inputs)
    n, c, h, width = x.shape
    k, _, r, s = w.shape
    op = Conv2dOp(
        n, c, h, width, k, r, s, stride, padding, dilation, groups, dtype=x.dtype, out_dtype=request.epilogue.stored_dtype
    )  # fmt: skip
    return request.problem(op, laid_out_like(x, op.output_shape(), op.output_dtype()))


def windows_alone_eagerly() -> AbstractContextManager[None]:
    """Return what refuses minimal filtering for torch tensors.

    Raises
    ------
    OptionError
        While PyTorch compiles: operators of a graph have no argument for it.
    """
    import torch

    if torch.compiler.is_compiling():
        raise OptionError(
            "operators of a compiled graph cannot refuse minimal filtering",
            hint="Set TRACEA_ALLOW_WINOGRAD=0 for the process",
            op="conv2d",
        )
    return windows_alone()


def after_bias(b: Any, epilogue: StageLike) -> StageLike:
    """Return an epilogue that adds one value for each output channel first, if there are such."""
    if b is None:
        return epilogue
    from tracea_core.ops.activations import BiasAdd

    return BiasAdd(b) if epilogue is None else BiasAdd(b) | as_chain(epilogue)


def images(op: str, takes: str, inputs: tuple[TensorSpec, ...]) -> tuple[TensorSpec, TensorSpec]:
    """Return both inputs of a convolution, forwards or backwards.

    Raises
    ------
    ShapeError
        If one has not four axes: with what the op takes.
    """
    first, second = inputs
    if first.rank != 4 or second.rank != 4:
        raise ShapeError(f"{op} takes {takes}", op=op, shapes=(first.shape, second.shape))
    return first, second


def laid_out_like(x: TensorSpec, shape: tuple[int, ...], dtype: DType) -> TensorSpec:
    """Return a result in the order of the image x: channels-last where its channels are contiguous and it has more than one."""
    n, k, p, q = shape
    if x.strides[1] == 1 and x.shape[1] > 1 and x.strides[3] >= x.shape[1]:
        return TensorSpec((n, k, p, q), dtype, (p * q * k, 1, q * k, k))
    return TensorSpec.contiguous((n, k, p, q), dtype)


def pair(name: str, value: Any, op: str = "conv2d") -> Pair:
    """Return an integer or a pair of integers as a pair.

    Raises
    ------
    OptionError
        If it is neither.
    """
    parts = (value, value) if isinstance(value, int) else tuple(value)
    if len(parts) != 2 or not all(isinstance(part, int) for part in parts):
        raise OptionError(f"{name} must be an integer or a pair of integers, not {value!r}", op=op)
    return parts[0], parts[1]


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
    return pair("padding", value)
