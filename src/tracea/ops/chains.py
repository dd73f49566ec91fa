# SPDX-License-Identifier: MIT
"""Attention, and products with a weight of low rank: two contractions whose middle never leaves the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import UNSET
from tracea_core.errors import DeviceError, DTypeError, OptionError, ShapeError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.stages import StageLike

from tracea import fallback as fall_back
from tracea.arrays import TORCH, adopt, kind_of
from tracea.ops.call import bind_epilogue, run
from tracea.ops.request import Asked, Request, number


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    causal: bool = False,
    left: int | None = None,
    right: int | None = None,
    scale: float | None = None,
    lengths: Any = None,
    mask: Any = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(softmax(scale·q·kᵀ + mask)·v)`` for every head, in one kernel.

    Parameters
    ----------
    q : array
        Shape (batch, heads, queries, head_dim), or without the batch; of a floating-point type, as are k and v.
    k, v : array
        Shapes (batch, kv_heads, keys, head_dim) and (batch, kv_heads, keys, value_dim); `kv_heads` divides `heads`, each key head
        serving ``heads / kv_heads`` consecutive query heads.
    causal : bool
        Whether keys after the query are hidden. Query i is aligned with key ``i + keys − queries``.
    left, right : int, optional
        A sliding window: so many keys before and after the query are seen. Blocks of keys outside it are not visited.
    scale : float, optional
        1/√head_dim by default.
    lengths : sequence of int, optional
        Valid keys of each sequence, read on the host; those behind them are not looked at. One launch for each sequence, of one
        kernel; the epilogue then takes no arrays.
    mask : array, optional
        A mask in memory, of a shape that broadcasts to (batch, heads, queries, keys), without the batch where the others have none:
        booleans that say which keys are seen, or floating-point numbers, no wider than sums are, that are added to the scaled scores
        (a bias of positions; −∞ hides a key). It is read as it lies, an axis along which it is broadcast takes no memory, and `causal`,
        `left` and `right` hide further keys. Not together with `lengths`.
    out, epilogue, backend, fallback
        As for `tracea.ops.softmax`.

    Returns
    -------
    array
        Shape (batch, heads, queries, value_dim), or without the batch; of the library, type and device of `q`. A query that sees no key
        gives 0.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.

    Examples
    --------
    >>> import numpy as np
    >>> q = np.zeros((1, 1, 2, 4), np.float32)
    >>> attention(q, q, np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4), causal=True)[0, 0]
    array([[0., 1., 2., 3.],
           [2., 3., 4., 5.]], dtype=float32)
    """
    arrays = [_array(array, name) for array, name in ((q, "q"), (k, "k"), (v, "v"))]
    rank = len(arrays[0].shape)
    if rank not in (3, 4) or any(len(array.shape) != rank for array in arrays):
        raise ShapeError(
            "attention takes q, k and v with axes (batch, heads, positions, columns), all with or all without the batch",
            op="attention", shapes=tuple(tuple(array.shape) for array in arrays),
        )  # fmt: skip
    if rank == 3:
        result = attention(
            *(array[None] for array in arrays), lengths=lengths, causal=causal, left=left, right=right, scale=scale, mask=mask,
            out=None if out is None else out[None], epilogue=epilogue, backend=backend, fallback=fallback,
        )  # fmt: skip
        return result[0] if out is None else out
    if lengths is not None:
        if mask is not None:
            raise OptionError(
                "attention takes lengths or a mask, not both", op="attention", hint="Hide keys by the mask"
            )
        options = {
            "causal": causal,
            "left": left,
            "right": right,
            "scale": scale,
            "epilogue": epilogue,
            "backend": backend,
        }
        return _of_lengths(arrays[0], arrays[1], arrays[2], lengths, out, {**options, "fallback": fallback})
    settings = (causal, left, right, None if scale is None else number("attention", "scale", scale))
    if mask is None:
        return _call("attention", tuple(arrays), settings, epilogue, Asked(out, backend, fallback))
    mask = _array(mask, "mask")
    of_torch = kind_of(arrays[0]) is TORCH and kind_of(mask) is TORCH
    given = mask if of_torch else on_scores(mask, arrays[0], arrays[1])  # PyTorch's operator is given the tensor itself
    return _call("masked_attention", (*arrays, given), settings, epilogue, Asked(out, backend, fallback))


_BIASES = ("float64", "float32", "float16", "bfloat16")


def on_scores(mask: Any, q: Any, k: Any) -> Any:
    """Return a mask with the axes (batch, heads, queries, keys) of scores, booleans as the bytes that they are.

    Raises
    ------
    ShapeError, DTypeError, DeviceError
        If it does not broadcast, consists of integers, or belongs to another library than the queries.
    """
    shape, of_torch = (*q.shape[:3], k.shape[2]), kind_of(q) is TORCH
    if of_torch is not (kind_of(mask) is TORCH):
        raise DeviceError(
            "the mask and the queries belong to different libraries", op="attention", hint="Convert one of them"
        )
    kind = str(mask.dtype).removeprefix("torch.")
    if kind != "bool" and kind not in _BIASES:
        raise DTypeError(
            "a mask consists of booleans or of floating-point numbers", op="attention", dtype=kind,
            hint="Compare integers with 0 where they say which keys are seen",
        )  # fmt: skip
    if len(mask.shape) > 4 or any(
        own not in (1, whole) for own, whole in zip(reversed(mask.shape), reversed(shape), strict=False)
    ):
        raise ShapeError(
            "the mask does not broadcast to (batch, heads, queries, keys)",
            op="attention",
            mask=tuple(mask.shape),
            scores=shape,
        )
    if of_torch:
        import torch

        return (mask.view(torch.uint8) if kind == "bool" else mask).expand(shape)
    return np.broadcast_to(mask.view(np.uint8) if kind == "bool" else mask, shape)


def _of_lengths(q: Any, k: Any, v: Any, lengths: Any, out: Any, options: dict[str, Any]) -> Any:
    """Attend to each sequence with the keys that it has."""
    counts = [int(count) for count in lengths]
    if len(counts) != q.shape[0] or not all(0 <= count <= k.shape[2] for count in counts):
        raise ShapeError(
            f"lengths has one number of keys, up to {k.shape[2]}, for each of {q.shape[0]} sequences", op="attention",
            lengths=tuple(counts),
        )  # fmt: skip
    if not isinstance(options["epilogue"], str | None) and bind_epilogue(options["epilogue"])[1]:
        raise OptionError(
            "an epilogue with arrays cannot be combined with lengths", op="attention", hint="Apply it afterwards"
        )
    parts = [
        attention(q[i : i + 1], k[i : i + 1, :, :count], v[i : i + 1, :, :count], out=None if out is None else out[i : i + 1], **options)
        for i, count in enumerate(counts)
    ]  # fmt: skip
    if out is not None:
        return out
    if kind_of(q) is TORCH:
        import torch

        return torch.cat(parts)
    return np.concatenate(parts)


def low_rank_mlp(
    x: Any,
    a: Any,
    b: Any,
    *,
    activation: StageLike = None,
    out: Any = None,
    epilogue: StageLike = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``epilogue(activation(x @ a) @ b)`` in one kernel; the middle, of as many columns as the rank, is never stored.

    Parameters
    ----------
    x : array
        Shape (…, m, k).
    a, b : array
        Shapes (k, rank) and (rank, n), of the type of `x`.
    activation : optional
        What happens to ``x @ a``: names, a stage or a function of one element, without arrays.
    out, epilogue, backend, fallback
        As for `tracea.ops.softmax`.

    Returns
    -------
    array
        Shape (…, m, n), of the library, type and device of `x`.

    Raises
    ------
    ShapeError, DTypeError, DeviceError, OptionError, AliasError, UnsupportedError
        Before anything is launched or written.
    """
    arrays = tuple(_array(array, name) for array, name in ((x, "x"), (a, "a"), (b, "b")))
    if len(arrays[0].shape) < 2 or len(arrays[1].shape) != 2 or len(arrays[2].shape) != 2:
        raise ShapeError(
            "low_rank_mlp takes x of shape (…, m, k), a of shape (k, rank) and b of shape (rank, n)", op="low_rank_mlp",
            shapes=tuple(tuple(array.shape) for array in arrays),
        )  # fmt: skip
    return _call("low_rank_mlp", arrays, (activation,), epilogue, Asked(out, backend, fallback))


def _array(array: Any, name: str) -> Any:
    return array if kind_of(array) is not None else adopt(array, name)


def _call(name: str, inputs: tuple[Any, ...], settings: tuple[Any, ...], epilogue: StageLike, asked: Asked) -> Any:
    fall_back.check_mode(asked.fallback)
    if kind_of(inputs[0]) is TORCH:
        from tracea.torch.chains import call
        from tracea.torch.naming import text_and_arrays

        if name == "low_rank_mlp":
            settings = (text_and_arrays(settings[0])[0],)
        return call(name, inputs, *text_and_arrays(epilogue), settings, asked)
    if name == "low_rank_mlp":
        settings = (bind_epilogue(settings[0])[0],)
    bound, operands = bind_epilogue(epilogue)
    return run(name, inputs, bound, operands, asked.out, settings, PROBLEMS[name], asked.backend)


def attention_problem(
    causal: bool,
    left: int | None,
    right: int | None,
    scale: float | None,
    request: Request,
) -> Problem:
    """Return the problem of an attention; see `tracea.ops.call.run` for how it is asked."""
    q, k, v, *bias = request.inputs
    batch, heads, queries, depth = q.shape
    op = AttentionOp(
        batch, heads, queries, k.shape[2], depth, v.shape[3], k.shape[1], causal, left, right, scale, dtype=q.dtype,
        out_dtype=request.epilogue.stored_dtype, bias=bias[0].dtype if bias else UNSET,
    )  # fmt: skip
    return request.problem(op)


def low_rank_problem(middle: Epilogue, request: Request) -> Problem:
    """Return the problem of a low-rank product; see `tracea.ops.call.run` for how it is asked."""
    x, a, b = request.inputs
    op = LowRankOp(
        x.shape[-2],
        b.shape[1],
        x.shape[-1],
        a.shape[1],
        x.shape[:-2],
        middle,
        dtype=x.dtype,
        out_dtype=request.epilogue.stored_dtype,
    )
    return request.problem(op)


PROBLEMS: dict[str, Callable[..., Problem]] = {
    "attention": attention_problem, "masked_attention": attention_problem, "low_rank_mlp": low_rank_problem,
}  # fmt: skip
"""How each op states its problem."""
