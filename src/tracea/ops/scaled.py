# SPDX-License-Identifier: MIT
"""Products of quantized matrices with their scales: one for a whole matrix, one for a row or column, or one for each block.

The first two multiply finished sums, so they are the first stages of an epilogue. Scales of blocks differ along the reduction: a kernel
multiplies what each group of 128 positions adds up to. Where there is none, both matrices are scaled in fp32 and multiplied then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import DTypeError, OptionError, ShapeError, UnsupportedError
from tracea_core.ops.activations import Scale
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import GROUP, ScaledGemmOp
from tracea_core.ops.stages import StageLike, as_chain

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.dispatch import common_device
from tracea.ops.call import bind_epilogue, run
from tracea.ops.matmul import matmul, matmul_problem
from tracea.ops.request import Asked, Request
from tracea.tracing import constant_while_tracing, is_traced

NAME = "scaled_matmul"
OWN_TYPE = Options(allow_fallback=False)
again: Callable[[tuple[Any, ...], Any, Any], Any] | None = None
"""``again(inputs, out, out_dtype)`` queues a product that was launched before and returns its result, or None; set once PyTorch is used."""


@constant_while_tracing
def _ready() -> None:
    """Let `again` be set before code that is traced reads it: compiled code depends on what it was."""
    if again is None and is_traced():
        import tracea.torch.scaled  # noqa: F401 - sets it


_LINE = 16
"""Bytes that rows of a factor begin at multiples of, for a copy engine."""


def scaled_matmul(
    a: Any,
    b: Any,
    scale_a: Any,
    scale_b: Any,
    *,
    out: Any = None,
    epilogue: StageLike = None,
    out_dtype: str | DType = "bf16",
    fast_accumulation: bool = False,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue((scale_a · a) @ (scale_b · b))``, with scales whose shapes say what shares one, in one kernel.

    ========================  ======================================  ===========================================
    scales of                 shape of `scale_a`                      shape of `scale_b`
    ========================  ======================================  ===========================================
    a matrix                  (), (1,) or (1, 1)                      the same
    a row of a, column of b   (m,) or (m, 1)                          (n,) or (1, n)
    a group of k              (m, ⌈k/128⌉)                            (⌈k/128⌉, n)
    a block of 128 × 128      (⌈m/128⌉, ⌈k/128⌉)                      (⌈k/128⌉, ⌈n/128⌉)
    ========================  ======================================  ===========================================

    The first two kinds may be mixed, and so may the last two: groups of 128 in a row of activations and blocks of weights are usual.

    Parameters
    ----------
    a, b : array
        Shapes (m, k) and (k, n). Groups and blocks are for fp8, e4m3 or e5m2; matrices, rows and columns for any type. b is read along
        k, as ``w.t()`` is for weights of shape (n, k).
    scale_a, scale_b : array
        fp32, any strides; data, not part of the kernel.
    out : array, optional
        Where the result goes, shape (m, n). It must not overlap an input.
    epilogue : stage, chain of stages, function or str, optional
        What happens to each scaled sum before it is stored; gated ones pair columns, which blocks of scales do not allow.
    out_dtype : str or DType
        Type of the result.
    fast_accumulation : bool
        As for `tracea.ops.matmul`, with scales of a matrix, rows or columns. Groups and blocks are added in fp32 in any case.
    backend : str, optional
        A backend's name; by default the best one for the arrays' device.
    fallback : {"torch", "error"}
        For torch tensors on a device whose kernels scale no groups: scale both factors first and multiply in fp32, or raise. A
        processor always does so.

    Returns
    -------
    array
        Shape (m, n), of the library and on the device of `a`. No gradients flow.

    Raises
    ------
    ShapeError
        If the shapes of scales are none of those.
    DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    _ready()
    if (
        again is not None
        and epilogue is None
        and backend is None
        and not fast_accumulation
        and fallback in fall_back.MODES
    ):
        result = again((a, b, scale_a, scale_b), out, out_dtype)
        if result is not None:
            return result
    fall_back.check_mode(fallback)
    a, b = adopt(a, "a"), adopt(b, "b")
    scale_a, scale_b = adopt(scale_a, "scale_a"), adopt(scale_b, "scale_b")
    if len(a.shape) != 2 or len(b.shape) != 2 or a.shape[1] != b.shape[0]:
        raise ShapeError(
            f"{NAME} takes a of shape (m, k) and b of shape (k, n), not {tuple(a.shape)} and {tuple(b.shape)}",
            hint="Weights of shape (n, k) are given as w.t()",
            op=NAME,
        )
    check_recorded(NAME, a, b, scale_a, scale_b)
    dtype = out_dtype if isinstance(out_dtype, DType) else DType.parse(out_dtype)
    after = _finished(a, b, scale_a, scale_b)
    if after is not None:
        chain = after if epilogue is None else after | as_chain(epilogue)
        return matmul(
            a, b, out=out, epilogue=chain, out_dtype=dtype, fast_accumulation=fast_accumulation, backend=backend, fallback=fallback,
        )  # fmt: skip
    if fast_accumulation:
        raise OptionError("groups of k are added in fp32", hint="Leave fast_accumulation out", op=NAME)
    inputs, asked = (a, b, scale_a, scale_b), Asked(out, backend, fallback)
    shared_by(inputs)
    if kind_of(a) is TORCH:
        from tracea.torch.scaled import call

        return call(inputs, epilogue, dtype, asked)
    bound, operands = bind_epilogue(epilogue)
    return by_groups(inputs, bound, operands, dtype, asked)


def check_recorded(op: str, *arrays: Any) -> None:
    """Raise if a gradient would be recorded."""
    if any(kind_of(x) is TORCH and x.requires_grad for x in arrays):
        raise OptionError(f"no gradients flow through {op}", hint="Detach its arguments", op=op)


def check_types(a: Any, b: Any, scale_a: Any, scale_b: Any) -> tuple[DType, DType]:
    """Return the types of two factors of fp8, or raise if they, or their scales in fp32, are of another."""
    kinds: list[Any] = [kind_of(x) for x in (a, b, scale_a, scale_b)]
    stated = [kind.spec(x).dtype for kind, x in zip(kinds, (a, b, scale_a, scale_b), strict=True)]
    if not set(stated[:2]) <= {DType.FP8_E4M3, DType.FP8_E5M2} or set(stated[2:]) != {DType.FP32}:
        raise DTypeError(
            f"groups of k scale fp8 by fp32; these are {', '.join(held.value for held in stated)}",
            hint="Quantize both factors to fp8, and give the scales in fp32",
            op=NAME,
        )
    return stated[0], stated[1]


def _finished(a: Any, b: Any, scale_a: Any, scale_b: Any) -> Any:
    """Return the stages that scale finished sums, or None if scales differ along k."""
    m, n = a.shape[0], b.shape[1]
    stages = []
    for scale, shapes, axis in ((scale_a, ((m,), (m, 1)), "row"), (scale_b, ((n,), (1, n)), "column")):
        shape = tuple(scale.shape)
        if shape in ((), (1,), (1, 1)):
            stages.append(Scale(scale.reshape(())))
        elif shape in shapes:
            stages.append(Scale(scale.reshape(-1), axis))
        else:
            return None
    return stages[0] | stages[1]


def shared_by(inputs: tuple[Any, ...]) -> tuple[int, int]:
    """Return how many rows of a, and columns of b, share a scale of a group.

    Raises
    ------
    ShapeError
        If the shapes of scales fit no way of sharing.
    """
    a, b, scale_a, scale_b = inputs
    (m, k), n = a.shape, b.shape[1]
    groups = -(-k // GROUP)
    shapes = tuple(scale_a.shape), tuple(scale_b.shape)
    rows = next((each for each in (1, GROUP) if shapes[0] == (-(-m // each), groups)), 0)
    columns = next((each for each in (1, GROUP) if shapes[1] == (groups, -(-n // each))), 0)
    if not rows or not columns:
        blocks = -(-m // GROUP), -(-n // GROUP)
        raise ShapeError(
            f"scales of shapes {shapes[0]} and {shapes[1]} do not fit a product of {m} × {n} × {k}",
            hint=f"scale_a: one element, ({m}, 1), ({m}, {groups}) or ({blocks[0]}, {groups}); scale_b: one element, (1, {n}), "
            f"({groups}, {n}) or ({groups}, {blocks[1]}); both differ along k, or neither does",
            op=NAME,
        )
    return rows, columns


def by_groups(
    inputs: tuple[Any, ...], epilogue: Epilogue, operands: tuple[Any, ...], dtype: DType, asked: Asked
) -> Any:
    """Scale the sums of groups in a kernel, or, where none does, the factors before they are multiplied in fp32.

    Raises
    ------
    TraceaError
        As `scaled_matmul`.
    """
    kinds: list[Any] = [kind_of(x) for x in inputs]
    device = common_device(NAME, list(inputs), kinds)
    left, right = check_types(*inputs)
    if device == "cpu":
        return _widened(inputs, epilogue, operands, dtype, asked)
    try:
        if left is not right:
            raise UnsupportedError(f"no kernel scales groups of {left.value} and {right.value}", op=NAME)
        ready = (_in_lines(inputs[0], 1), _in_lines(inputs[1], 0), *inputs[2:])
        settings = (*shared_by(inputs), dtype)
        return run(NAME, ready, epilogue, operands, asked.out, settings, scaled_problem, asked.backend, OWN_TYPE)
    except UnsupportedError as error:
        if asked.backend:
            raise
        again = functools.partial(_widened, inputs, epilogue, operands, dtype, asked)
        return fall_back.to_torch(NAME, error, asked.fallback, again)


def _in_lines(x: Any, k_axis: int) -> Any:
    """Return a factor whose rows a copy engine can read along k: itself, or a copy of another layout."""
    strides = x.stride()
    if strides[k_axis] == 1 and strides[1 - k_axis] % _LINE == 0 and x.data_ptr() % _LINE == 0:
        return x
    rows, depth = x.shape[1 - k_axis], x.shape[k_axis]
    lines = x.new_empty((rows, -(-depth // _LINE) * _LINE))[:, :depth]
    copied = lines if k_axis else lines.t()
    return copied.copy_(x)


def _widened(inputs: tuple[Any, ...], epilogue: Epilogue, operands: tuple[Any, ...], dtype: DType, asked: Asked) -> Any:
    """Scale both factors in fp32, then multiply them."""
    a, b, scale_a, scale_b = (as_fp32(x) for x in inputs)
    (m, k), n = a.shape, b.shape[1]
    a = a * spread(spread(scale_a, 0, m), 1, k)
    b = b * spread(spread(scale_b, 0, k), 1, n)
    return run("matmul", [a, b], epilogue, operands, asked.out, (1.0, 0.0, dtype), matmul_problem, asked.backend)


def as_fp32(x: Any) -> Any:
    """Return the values of an array in fp32."""
    return x.float() if kind_of(x) is TORCH else np.asarray(x, np.float32)


def spread(scale: Any, axis: int, extent: int) -> Any:
    """Return scales with one for each of `extent` elements along an axis."""
    if scale.shape[axis] == extent:
        return scale
    many = scale.repeat_interleave(GROUP, axis) if kind_of(scale) is TORCH else np.repeat(scale, GROUP, axis)
    return many[(*(slice(None) for _ in range(axis)), slice(extent))]


def scaled_problem(rows: int, columns: int, out_dtype: DType, request: Request) -> Problem:
    """Return the problem of a call; see `tracea.ops.call.run` for how it is asked."""
    a, b = request.inputs[:2]
    op = ScaledGemmOp(a.shape[0], b.shape[1], a.shape[1], rows, columns, dtype=a.dtype, out_dtype=out_dtype)
    return request.problem(op)
