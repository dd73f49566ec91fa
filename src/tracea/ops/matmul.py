# SPDX-License-Identifier: MIT
"""Matrix products: `matmul` and `linear`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, ShapeError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops import call as calls
from tracea.ops.call import bind_epilogue, in_torch, run
from tracea.ops.prepacked import Prepacked, matching
from tracea.ops.replay import keep, replay
from tracea.ops.request import PLAIN, Request

_SHORT_FLOATS = {DType.FP8_E4M3, DType.FP8_E5M2}
_USUAL = (1.0, 0.0, False, False, None)
"""Scales, determinism, parts of tf32 and backend of a call that names none: one comparison, since the host's time counts."""
_MODES, _NUMPY = fall_back.MODES, np.ndarray
_Call = TypeVar("_Call", bound=Callable[..., Any])


def _again_if_bare(full: _Call) -> _Call:
    """Return `full` for calls without settings too, but the shortest way: Python looks each default of a keyword up, at every call."""

    @functools.wraps(full)
    def matmul(a: Any, b: Any, *, out: Any = None, **settings: Any) -> Any:
        if settings:
            return full(a, b, out=out, **settings)
        calls.ready()
        again = calls.again
        result = replay(a, b, out) if again is None or type(a) is _NUMPY else again(a, b, out)
        return _planned(a, b, out) if result is None else result

    return cast(_Call, matmul)


@_again_if_bare
def matmul(
    a: Any,
    b: Any,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    c: Any = None,
    out_dtype: str | DType | None = None,
    deterministic: bool = False,
    fast_accumulation: bool = False,
    tf32x3: bool = False,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(alpha · a @ b + beta · c)``, for each matrix of a batch, in one kernel.

    Parameters
    ----------
    a, b : array
        Shapes (…, m, k) and (…, k, n) with leading axes that broadcast; one axis is treated as `numpy.matmul` does. Any strides;
        nothing is copied. `b` may be a `tracea.ops.prepacked` weight.
    out : array, optional
        Where the result goes. It must not overlap `a` or `b`.
    epilogue : stage, chain of stages, function or str, optional
        What happens to each sum before it is stored: ``BiasAdd(b) | Gelu()``, ``lambda x: …``, ``"relu"``.
    alpha, beta : float
        Finite scales. With ``beta ≠ 0``, `c` (by default `out`) has the result's shape.
    out_dtype : str or DType, optional
        Type of the result; by default that of `a`, int32 for integers.
    deterministic : bool
        Ask for the same bits on every run.
    fast_accumulation : bool
        Sums of fp8 products may stay in the about 14 bits of a matrix unit, where it has no more; else every 128 of them are added to a
        sum in fp32, which is what other devices do in any case. For other types it means nothing, and is refused.
    tf32x3 : bool
        fp32 products may be made of three products of tf32 by a matrix unit, where there is one: what they leave out is below 3 · 2⁻²²
        of each product, and an infinite factor gives NaN. For other types it is refused, and no gradients flow through it.
    backend : str, optional
        A backend's name; by default the best one for the arrays' device.
    fallback : {"torch", "error"}
        For torch tensors that no kernel takes: let PyTorch compute it and log why once, or raise.

    Returns
    -------
    array
        Of the library and on the device of `a`.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    usual = epilogue is None and (alpha, beta, deterministic, tf32x3, backend) == _USUAL and fallback in _MODES
    if usual:
        calls.ready()
        again, bare = calls.again, out_dtype is None and not fast_accumulation
        if again is None or type(a) is _NUMPY:
            result = replay(a, b, out) if bare else None
        else:
            result = again(a, b, out) if bare else again(a, b, out, out_dtype, fast_accumulation)
        if result is not None:
            return result
        usual = bare
    return _planned(
        a, b, out, epilogue, alpha, beta, c, out_dtype, deterministic, fast_accumulation, tf32x3, backend, fallback, usual,
    )  # fmt: skip


def _planned(
    a: Any, b: Any, out: Any = None, epilogue: StageLike = None, alpha: float = 1.0, beta: float = 0.0, c: Any = None,
    out_dtype: str | DType | None = None, deterministic: bool = False, fast_accumulation: bool = False, tf32x3: bool = False,
    backend: str | None = None, fallback: str = "torch", usual: bool = True,
) -> Any:  # fmt: skip
    """Compute a product that no launch was kept of; a `usual` one's is kept."""
    if tf32x3:
        _check_parts(a, b)
    if type(b) is Prepacked:
        matching(b, "matmul")
        _refuse_fast(fast_accumulation)
        result = _with_panels(a, b, out, epilogue, (alpha, beta, c, out_dtype), deterministic, backend)
        if usual:
            keep(a, b, out, (alpha, beta, None))
        return result
    if kind_of(a) is None or kind_of(b) is None:
        a, b = adopt(a, "a"), adopt(b, "b")
    if len(a.shape) < 2 or len(b.shape) < 2:
        return _with_vectors(
            a, b, out=out, epilogue=epilogue, alpha=alpha, beta=beta, c=c, out_dtype=out_dtype, deterministic=deterministic,
            fast_accumulation=fast_accumulation, tf32x3=tf32x3, backend=backend, fallback=fallback,
        )  # fmt: skip
    in_kernels = kind_of(a) is TORCH and not tf32x3
    dtype = out_dtype if out_dtype is None or isinstance(out_dtype, DType) else DType.parse(out_dtype)
    added = out if c is None else c
    if beta != 0.0 and added is None:
        raise ShapeError("beta needs c (or out, which is then updated)", op="matmul", hint="Give c=")
    if fallback != "torch":
        fall_back.check_mode(fallback)
    if in_kernels:
        asked = (dtype, deterministic, fast_accumulation)
        if alpha == 1.0 and beta == 0.0:
            return in_torch("matmul", (a, b), None, epilogue, asked, out, backend, fallback)
        return _scaled_in_torch((a, b), added, epilogue, (alpha, beta), asked, out, backend, fallback)
    bound, operands = bind_epilogue(epilogue)
    inputs = [a, b] if beta == 0.0 else [a, b, added]
    asked_for = deterministic or fast_accumulation or tf32x3
    options = _options(deterministic, fast_accumulation, tf32x3) if asked_for else PLAIN
    scales = (alpha, beta, dtype)
    result = run("matmul", inputs, bound, operands, out, scales, matmul_problem, backend, options)
    if usual:
        keep(a, b, out, scales)
    return result


def linear(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    fast_accumulation: bool = False,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(x @ weightᵀ + bias)``, as `torch.nn.functional.linear` lays its weights out.

    Parameters
    ----------
    x : array
        Shape (…, k).
    weight : array or Prepacked
        Shape (n, k), of the type of `x`; one that is used again and again is worth `tracea.ops.prepacked`.
    bias : array, optional
        Shape (n,).
    out, epilogue, fast_accumulation, backend, fallback
        As for `matmul`.

    Returns
    -------
    array
        Shape (…, n), of the library and on the device of `x`; in its type (int32 for integers), or in the one that the
        epilogue ends in.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    panels = type(weight) is Prepacked
    if kind_of(x) is None or (not panels and kind_of(weight) is None):
        x, weight = adopt(x, "x"), weight if panels else adopt(weight, "weight")
    if len(weight.shape) != 2 or len(x.shape) < 1 or x.shape[-1] != weight.shape[1]:
        raise ShapeError(
            f"linear takes x of shape (…, k) and weight of shape (n, k), not {tuple(x.shape)} and {tuple(weight.shape)}",
            hint="Is the weight transposed?",
            op="linear",
        )
    if fallback != "torch":
        fall_back.check_mode(fallback)
    in_rows = kind_of(x) is TORCH and kind_of(weight) is TORCH and len(x.shape) > 1 and not fast_accumulation
    if in_rows:
        return in_torch("linear", (x, weight), bias, epilogue, (), out, backend, fallback)
    if bias is not None:
        from tracea_core.ops.activations import BiasAdd
        from tracea_core.ops.stages import as_chain

        added = BiasAdd(bias)
        epilogue = added if epilogue is None else added | as_chain(epilogue)
    if panels:
        _refuse_fast(fast_accumulation)
        return _with_panels(x, matching(weight, "linear"), out, epilogue, (1.0, 0.0, None, None), False, backend)
    return matmul(
        x, weight.T, out=out, epilogue=epilogue, fast_accumulation=fast_accumulation, backend=backend, fallback=fallback
    )


def _refuse_fast(fast_accumulation: bool) -> None:
    if fast_accumulation:
        raise OptionError(
            "fast_accumulation means nothing for a prepacked weight: CPUs add in fp32", hint="Leave it out"
        )


def _check_parts(a: Any, b: Any) -> None:
    if type(b) is Prepacked:
        raise OptionError("tf32x3 means nothing for a prepacked weight: CPUs multiply fp32", hint="Leave it out")
    if any(kind_of(x) is TORCH and x.requires_grad for x in (a, b)):
        raise OptionError("no gradients flow through tf32x3", hint="Pass a.detach(), b.detach(), or leave it out")


def _with_panels(
    a: Any,
    b: Prepacked,
    out: Any,
    epilogue: StageLike,
    scales: tuple[Any, ...],
    deterministic: bool,
    backend: str | None,
) -> Any:
    """Return a product whose weight was packed before; there is no array that PyTorch could take instead."""
    if kind_of(a) is None:
        a = adopt(a, "a")
    if len(a.shape) < 2:
        wide = None if out is None else out[None, :]
        result = _with_panels(a[None, :], b, wide, epilogue, scales, deterministic, backend)
        return result[0, :] if out is None else out
    alpha, beta, c, out_dtype = scales
    bound, operands = bind_epilogue(epilogue)
    dtype = out_dtype if out_dtype is None or isinstance(out_dtype, DType) else DType.parse(out_dtype)
    added = out if c is None else c
    if beta != 0.0 and added is None:
        raise ShapeError("beta needs c (or out, which is then updated)", op="matmul", hint="Give c=")
    inputs = [a, b.matrix] if beta == 0.0 else [a, b.matrix, added]
    options = b.options.replace(deterministic=True) if deterministic else b.options
    return run("matmul", inputs, bound, operands, out, (alpha, beta, dtype), matmul_problem, backend, options)


@functools.cache
def _options(deterministic: bool, fast_accumulation: bool, tf32x3: bool) -> Options:
    return Options(deterministic=deterministic, fast_accumulation=fast_accumulation, tf32x3=tf32x3)


def _scaled_in_torch(
    inputs: tuple[Any, ...],
    c: Any,
    epilogue: StageLike,
    scales: tuple[float, float],
    settings: tuple[Any, ...],
    out: Any,
    backend: str | None,
    fallback: str,
) -> Any:
    """Compute a product of torch tensors with alpha and beta as the first stages of its epilogue."""
    from tracea.torch.functional import call
    from tracea.torch.naming import scaled, text_and_arrays

    text, operands = text_and_arrays(epilogue)
    terms = operands if scales[1] == 0.0 else (c, *operands)
    return call("matmul", inputs, scaled(text, *scales), terms, settings, out, backend, fallback)


def matmul_problem(alpha: float, beta: float, out_dtype: DType | None, request: Request) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    a, b = request.inputs[:2]
    if request.options.fast_accumulation and not {a.dtype, b.dtype} <= _SHORT_FLOATS:
        raise OptionError(
            f"fast_accumulation is about sums of fp8; a is {a.dtype.value}, b is {b.dtype.value}",
            hint="Leave it out: sums of other types keep all their bits at full speed",
            op="matmul",
        )
    if request.options.tf32x3 and {a.dtype, b.dtype} != {DType.FP32}:
        raise OptionError(
            f"tf32x3 is about products of fp32; a is {a.dtype.value}, b is {b.dtype.value}",
            hint="Leave it out",
            op="matmul",
        )
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"the inner extents differ: a is {a.shape}, b is {b.shape}",
            hint="Columns of a must equal rows of b; transpose one of them?",
            op="matmul",
            dtypes=(a.dtype.value, b.dtype.value),
        )
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ShapeError(f"the batches of {a.shape} and {b.shape} do not broadcast", op="matmul") from None
    op = GemmOp(
        a.shape[-2], b.shape[-1], a.shape[-1], batch=tuple(batch), dtype=a.dtype, b_dtype=None if b.dtype is a.dtype else b.dtype,
        out_dtype=out_dtype or request.epilogue.stored_dtype, alpha=alpha, beta=beta,
    )  # fmt: skip
    return request.problem(op)


def _with_vectors(a: Any, b: Any, **settings: Any) -> Any:
    """Matrix products with one-dimensional arguments: add the missing axis, and take it away again."""
    if not len(a.shape) or not len(b.shape):
        raise ShapeError(
            "matmul takes arrays of at least one axis", op="matmul", shapes=(tuple(a.shape), tuple(b.shape))
        )
    row, column = len(a.shape) == 1, len(b.shape) == 1
    out = settings.pop("out")
    wide = None
    if out is not None:
        wide = out
        if column:
            wide = wide[..., None]
        if row:
            wide = wide[..., None, :]
    result = matmul(a[None, :] if row else a, b[:, None] if column else b, out=wide, **settings)
    if out is not None:
        return out
    if column:
        result = result[..., 0]
    return result[..., 0, :] if row and not column else result[..., 0] if row else result
