# SPDX-License-Identifier: MIT
"""Attention and low-rank products on torch tensors: tracea's kernel, or PyTorch's computation where a gradient is recorded.

There is no backward kernel yet, so a call whose gradient is recorded is PyTorch's as a whole, and the log says so once; calls that are
being traced are PyTorch's too, which its compiler then takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.errors import TraceaError
from tracea_core.ops.epilogue import Epilogue

from tracea import fallback as fall_back
from tracea.arrays import torch_dtype
from tracea.ops.call import run
from tracea.torch.epilogues import apply
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.kernels import NO_KERNEL

_NO_GRADIENT = "gradients of it are PyTorch's, there is no backward kernel"
_TRACED = "the call is traced, and PyTorch's compiler takes it"


def call(
    name: str,
    inputs: Sequence[torch.Tensor],
    epilogue: Epilogue,
    operands: Sequence[Any],
    settings: tuple[Any, ...],
    out: Any = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return ``attention`` or ``low_rank_mlp`` of torch tensors; see `tracea.ops.attention` and `tracea.ops.low_rank_mlp`."""
    after = tuple(_tensor(operand, inputs[0]) for operand in operands)
    tensors = [*inputs, *after]
    check_devices(name, tensors)

    def otherwise() -> Any:
        value = apply(epilogue, _in_torch(name, inputs, settings), after, -1)
        kind = epilogue.stored_dtype
        value = value.to(inputs[0].dtype if kind is None else torch_dtype(kind))
        return value if out is None else out.copy_(value)

    reason: TraceaError | str
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        reason = _NO_GRADIENT
    elif not _plain(tensors if out is None else [*tensors, out]):
        reason = _TRACED
    else:
        from tracea.ops.chains import PROBLEMS

        try:
            return run(name, inputs, epilogue, after, out, settings, PROBLEMS[name], backend)
        except NO_KERNEL as error:
            if backend:
                raise
            reason = error
    return fall_back.to_torch(name, reason, fallback, otherwise)


def _in_torch(name: str, inputs: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    """PyTorch's computation of the same, before the epilogue."""
    if name == "attention":
        q, k, v = inputs
        return _attention(q, k, v, *settings)
    x, a, b = inputs
    (middle,) = settings
    return apply(middle, x @ a, (), -1) @ b


def _attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    left: int | None,
    right: int | None,
    scale: float | None,
) -> torch.Tensor:
    queries, keys = q.shape[2], k.shape[2]
    attend = torch.nn.functional.scaled_dot_product_attention
    grouped = k.shape[1] != q.shape[1]
    if not causal and left is None and right is None:
        return attend(q, k, v, scale=scale, enable_gqa=grouped)
    distance = torch.arange(keys, device=q.device) - (torch.arange(queries, device=q.device)[:, None] + keys - queries)
    seen = torch.ones_like(distance, dtype=torch.bool)
    for side, limit in (("left", left), ("right", 0 if causal else right)):
        if limit is not None:
            seen = seen & (distance >= -limit if side == "left" else distance <= limit)
    value = attend(q, k, v, attn_mask=seen, scale=scale, enable_gqa=grouped)
    return torch.where(seen.any(-1)[:, None], value, 0.0)
