# SPDX-License-Identifier: MIT
"""Softmax, norms and rows of unit length along the last axis: one read, one write, whatever the epilogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.errors import ShapeError
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormalizeOp, NormKind, NormOp, SoftmaxOp
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import NO_EPILOGUE, bind_epilogue, run
from tracea.ops.request import PLAIN, Asked, Request, number
from tracea.tracing import constant_while_tracing, is_traced

again: Callable[[tuple[Any, ...], tuple[Any, ...], Any], Any] | None = None
"""``again(asked, tensors, out)`` launches a call that was planned before and returns its result, or None; set once torch is served."""


@constant_while_tracing
def _ready() -> None:
    """Let `again` be set before code that is traced reads it: compiled code depends on what it was."""
    if again is None and is_traced():
        import tracea.torch.row_replay  # noqa: F401 - sets it


def softmax(
    x: Any,
    *,
    scale: float = 1.0,
    out_dtype: DType | str | None = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(exp(scale·x − max) / Σ exp(scale·x − max))`` along the last axis.

    Parameters
    ----------
    x : array
        Shape (…, n), of a floating-point type; any strides. Statistics and exponentials are fp32 (fp64 for fp64).
    scale : float
        Multiplies x first.
    out_dtype : DType or str, optional
        Type of the result; that of `x` by default.
    out : array, optional
        Where the result goes; it must not overlap `x`.
    epilogue : optional
        What happens to each value before it is stored; operands have one value per column, per row, one in all, or the shape of x.
    backend : str, optional
        A backend's name; by default the best that serves the device.
    fallback : {"torch", "error"}
        What happens to torch tensors that no variant takes.

    Returns
    -------
    array
        `out`, or a new array of the kind and on the device of `x`. A row that is all −∞ gives NaN, as in PyTorch.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.zeros((1, 4), np.float32))
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    return _softmax("softmax", x, scale, out_dtype, epilogue, Asked(out, backend, fallback))


def log_softmax(
    x: Any,
    *,
    scale: float = 1.0,
    out_dtype: DType | str | None = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(scale·x − max − log Σ exp(scale·x − max))`` along the last axis.

    Parameters, result and errors are those of `softmax`. A row that is all −∞ gives NaN, as in PyTorch.
    """
    return _softmax("log_softmax", x, scale, out_dtype, epilogue, Asked(out, backend, fallback))


def layer_norm(
    x: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    eps: float = 1e-5,
    out_dtype: DType | str | None = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue((x − mean) / √(variance + eps) · weight + bias)`` with the statistics of the last axis.

    Parameters
    ----------
    x : array
        Shape (…, n), of a floating-point type; any strides. Mean and variance take a pass each and are fp32 (fp64 for fp64).
    weight, bias : array, optional
        Shape (n,), of the type of `x`.
    eps : float
        Added to the variance; positive.
    out_dtype, out, epilogue, backend, fallback
        As for `softmax`.

    Returns
    -------
    array
        Shape of `x`, of its library and on its device.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> layer_norm(np.array([[1.0, 3.0]]), eps=1e-12)
    array([[-1.,  1.]])
    """
    return _norm(NormKind.LAYER, (x, weight, bias), eps, out_dtype, epilogue, Asked(out, backend, fallback))


def rms_norm(
    x: Any,
    weight: Any = None,
    *,
    eps: float = 1e-5,
    out_dtype: DType | str | None = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(x / √(mean of x² + eps) · weight)`` along the last axis.

    Parameters, result and errors are those of `layer_norm`.
    """
    return _norm(NormKind.RMS, (x, weight, None), eps, out_dtype, epilogue, Asked(out, backend, fallback))


def normalize(
    x: Any,
    *,
    eps: float = 1e-12,
    out_dtype: DType | str | None = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(x / max(√Σ x², eps))`` along the last axis: rows of length 1.

    Parameters
    ----------
    x : array
        Shape (…, n), of a floating-point type; any strides. Squares are added in fp32 (fp64 for fp64), where they may overflow.
    eps : float
        The least that a row is divided by; positive.
    out_dtype, out, epilogue, backend, fallback
        As for `softmax`.

    Returns
    -------
    array
        Shape of `x`, of its library and on its device.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    as_given = ("normalize", eps, out_dtype, backend, fallback)
    result = _repeated(as_given, (x,), eps, epilogue, out)
    if result is not None:
        return result
    settings = (number("normalize", "eps", eps), _dtype(out_dtype))
    asked = Asked(out, backend, fallback)
    return _call("normalize", (_array("normalize", x, "x"),), settings, epilogue, asked, as_given)


def _softmax(name: str, x: Any, scale: float, out_dtype: Any, epilogue: StageLike, asked: Asked) -> Any:
    as_given = (name, scale, out_dtype, asked.backend, asked.fallback)
    result = _repeated(as_given, (x,), scale, epilogue, asked.out)
    if result is not None:
        return result
    settings = (name == "log_softmax", number(name, "scale", scale), _dtype(out_dtype))
    return _call(name, (_array(name, x, "x"),), settings, epilogue, asked, as_given)


def _norm(
    kind: NormKind, given: tuple[Any, Any, Any], eps: float, out_dtype: Any, epilogue: StageLike, asked: Asked
) -> Any:
    there = tuple([array for array in given if array is not None])
    as_given = (kind, eps, out_dtype, asked.backend, asked.fallback, given[1] is None, given[2] is None)
    result = _repeated(as_given, there, eps, epilogue, asked.out)
    if result is not None:
        return result
    name = f"{kind.value}_norm"
    x, weight, bias = (
        None if array is None and what != "x" else _array(name, array, what)
        for what, array in zip(("x", "weight", "bias"), given, strict=True)
    )
    inputs = tuple(array for array in (x, weight, bias) if array is not None)
    settings = (kind.value, number(name, "eps", eps), weight is not None, bias is not None, _dtype(out_dtype))
    return _call(name, inputs, settings, epilogue, asked, as_given)


def _repeated(as_given: tuple[Any, ...], tensors: tuple[Any, ...], value: Any, epilogue: StageLike, out: Any) -> Any:
    """Return the result of a call that was planned before, the shortest way; None where there is no such way."""
    _ready()
    if again is None or epilogue is not None or type(value) is not float or as_given[4] not in fall_back.MODES:
        return None
    return again(as_given, tensors, out)


def _array(name: str, array: Any, what: str) -> Any:
    array = array if kind_of(array) is not None else adopt(array, what)
    if not len(array.shape):
        raise ShapeError(f"{what} needs at least one axis, the one that is normalized", op=name)
    return array


def _dtype(given: DType | str | None) -> DType | None:
    return given if given is None or isinstance(given, DType) else DType.parse(given)


def _call(
    name: str,
    inputs: tuple[Any, ...],
    settings: tuple[Any, ...],
    epilogue: StageLike,
    asked: Asked,
    as_given: tuple[Any, ...],
) -> Any:
    fall_back.check_mode(asked.fallback)
    if kind_of(inputs[0]) is TORCH:
        from tracea.torch.naming import text_and_arrays
        from tracea.torch.replay import _is_traced
        from tracea.torch.rows import call

        result = call(name, inputs, *text_and_arrays(epilogue), settings, asked)
        if epilogue is None and not _is_traced():
            from tracea.torch.row_replay import keep

            key = (name, settings, NO_EPILOGUE[0], asked.out is None, asked.backend, PLAIN)
            keep(as_given, inputs, asked.out, key)
        return result
    bound, operands = bind_epilogue(epilogue)
    return run(name, inputs, bound, operands, asked.out, settings, PROBLEMS[name], asked.backend)


def softmax_problem(log: bool, scale: float, out_dtype: DType | None, request: Request) -> Problem:
    """Return the problem of a softmax; see `tracea.ops.call.run` for how it is asked."""
    (x,) = request.inputs
    op = SoftmaxOp(x.shape, x.dtype, out_dtype or request.epilogue.stored_dtype, log, scale)
    return request.problem(op)


def norm_problem(kind: str, eps: float, weight: bool, bias: bool, out_dtype: DType | None, request: Request) -> Problem:
    """Return the problem of a norm; see `tracea.ops.call.run` for how it is asked."""
    x = request.inputs[0]
    op = NormOp(x.shape, NormKind(kind), eps, weight, bias, x.dtype, out_dtype or request.epilogue.stored_dtype)
    return request.problem(op)


def normalize_problem(eps: float, out_dtype: DType | None, request: Request) -> Problem:
    """Return the problem of rows of unit length; see `tracea.ops.call.run` for how it is asked."""
    (x,) = request.inputs
    op = NormalizeOp(x.shape, eps, x.dtype, out_dtype or request.epilogue.stored_dtype)
    return request.problem(op)


PROBLEMS: dict[str, Callable[..., Problem]] = {
    "softmax": softmax_problem, "log_softmax": softmax_problem, "layer_norm": norm_problem, "rms_norm": norm_problem,
    "normalize": normalize_problem,
}  # fmt: skip
"""How each op states its problem."""
