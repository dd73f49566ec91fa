# SPDX-License-Identifier: MIT
"""Matrix products: `matmul` and `linear`."""

from __future__ import annotations

from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, ShapeError, TraceaError, UnsupportedError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import PLAIN, bind_epilogue, run


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
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(alpha · a @ b + beta · c)``, for each matrix of a batch, in one kernel.

    Parameters
    ----------
    a, b : array
        Shapes (…, m, k) and (…, k, n) with leading axes that broadcast; one axis is treated as `numpy.matmul` does. Any strides;
        nothing is copied.
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
    if kind_of(a) is None or kind_of(b) is None:
        a, b = adopt(a, "a"), adopt(b, "b")
    if len(a.shape) < 2 or len(b.shape) < 2:
        return _with_vectors(
            a, b, out=out, epilogue=epilogue, alpha=alpha, beta=beta, c=c, out_dtype=out_dtype, deterministic=deterministic,
            backend=backend, fallback=fallback,
        )  # fmt: skip
    bound, operands = bind_epilogue(epilogue)
    inputs = [a, b]
    if beta != 0.0:
        inputs.append(out if c is None else c)
        if inputs[2] is None:
            raise ShapeError("beta needs c (or out, which is then updated)", op="matmul", hint="Give c=")
    dtype = out_dtype if out_dtype is None or isinstance(out_dtype, DType) else DType.parse(out_dtype)
    options = _DETERMINISTIC if deterministic else PLAIN
    is_torch = kind_of(a) is TORCH
    if fallback != "torch":
        fall_back.check_mode(fallback)
    reason: TraceaError | str = "gradients are recorded, and this op has no backward here"
    if not is_torch or not fall_back.records_gradients(*inputs, *operands):
        try:
            return run("matmul", inputs, bound, operands, out, (alpha, beta, dtype), _problem, backend, options)
        except (UnsupportedError, BackendUnavailableError) as error:
            if not is_torch or backend is not None:
                raise
            reason = error
    return fall_back.to_torch(
        "matmul", reason, fallback, lambda: _in_torch(inputs, bound, operands, alpha, beta, dtype, out)
    )


def linear(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(x @ weightᵀ + bias)``, as `torch.nn.functional.linear` lays its weights out.

    Parameters
    ----------
    x : array
        Shape (…, k).
    weight : array
        Shape (n, k).
    bias : array, optional
        Shape (n,).

    See `matmul` for the other parameters, the result and the errors.
    """
    x, weight = adopt(x, "x"), adopt(weight, "weight")
    if len(weight.shape) != 2 or len(x.shape) < 1 or x.shape[-1] != weight.shape[1]:
        raise ShapeError(
            f"linear takes x of shape (…, k) and weight of shape (n, k), not {tuple(x.shape)} and {tuple(weight.shape)}",
            hint="Is the weight transposed?",
            op="linear",
        )
    if bias is not None:
        from tracea_core.ops.activations import BiasAdd
        from tracea_core.ops.stages import as_chain

        added = BiasAdd(bias)
        epilogue = added if epilogue is None else added | as_chain(epilogue)
    return matmul(x, weight.T, out=out, epilogue=epilogue, backend=backend, fallback=fallback)


_DETERMINISTIC = Options(deterministic=True)


def _problem(
    alpha: float,
    beta: float,
    out_dtype: DType | None,
    inputs: tuple[TensorSpec, ...],
    epilogue: Epilogue,
    operands: tuple[TensorSpec, ...],
    out: TensorSpec | None,
    options: Options,
) -> Problem:
    a, b = inputs[:2]
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
        out_dtype=out_dtype or epilogue.stored_dtype, alpha=alpha, beta=beta,
    )  # fmt: skip
    shape = epilogue.output_shape(op.output_shape())
    output = out or TensorSpec.contiguous(shape, op.output_dtype())
    return Problem(op, inputs, output, epilogue, operands, options)


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


def _in_torch(
    inputs: list[Any],
    epilogue: Epilogue,
    operands: tuple[Any, ...],
    alpha: float,
    beta: float,
    dtype: DType | None,
    out: Any,
) -> Any:
    import torch

    from tracea.arrays import torch_dtype

    value = torch.matmul(inputs[0], inputs[1])
    value = value if alpha == 1.0 else value * alpha
    if beta:
        value = value + beta * inputs[2]
    value = fall_back.apply_epilogue(epilogue, value, operands)
    value = value if dtype is None else value.to(torch_dtype(dtype))
    if out is None:
        return value.to(inputs[0].dtype) if dtype is None and value.is_floating_point() else value
    return out.copy_(value)
