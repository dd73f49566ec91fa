# SPDX-License-Identifier: MIT
"""Backward passes of attention and of low-rank products, from their inputs alone: what stood between the products is computed again.

With weights p = softmax(s) of scores s = scale·q·kᵀ and G the gradient of the output:

    dv = pᵀ·G,   dp = G·vᵀ,   ds = p·(dp − Σⱼ p·dp)·scale,   dq = ds·k,   dk = dsᵀ·q

(Dao et al., arXiv:2205.14135, appendix B.2). The products are tracea's, sums in fp32 at least; what lies between is PyTorch's, so that
second derivatives and compilation come with it. Scores exist for a limited number of queries at a time, so memory grows with the
sequence and not with its square; the heads of a group are rows of one product with their shared keys.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from tracea_core.errors import OptionError

from tracea.torch import epilogues
from tracea.torch.autograd import product
from tracea.torch.recording import Recorded
from tracea.torch.slopes import slopes_of

_SCORES = 1 << 26
"""Scores that exist at a time: 256 MiB in fp32."""


def _keep(name: str, ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    count = RECORDED[name].tensors
    *tensors, (epilogue, *settings) = inputs[: count + 1]
    if epilogue or len(inputs) > count + 1:
        raise OptionError(
            "the operator records no gradient through an epilogue", hint="Call tracea.ops, which splits it off", op=name
        )
    ctx.settings, ctx.asked = settings, tuple(ctx.needs_input_grad)
    ctx.save_for_backward(*tensors)


def _through_attention(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    q, k, v, *masks = ctx.saved_tensors
    causal, left, right, scale, _ = ctx.settings
    limits = (left, 0 if causal else right)
    factor = q.shape[3] ** -0.5 if scale is None else scale
    queries = q.shape[2]
    step = queries
    if all(isinstance(extent, int) for extent in (*q.shape, *k.shape)):
        step = max(1, min(queries, _SCORES // max(1, q.shape[0] * q.shape[1] * k.shape[2])))
    bias = [_added(mask, q) for mask in masks]
    parts, by_bias, by_k, by_v = (
        [],
        list[torch.Tensor](),
        torch.zeros_like(k, dtype=_wide(k)),
        torch.zeros_like(v, dtype=_wide(v)),
    )
    for start in range(0, queries, step) if step is not queries else (0,):
        rows = slice(start, start + step)
        seen = _seen(q, k.shape[2], start, min(start + step, queries), limits)
        added = bias[0].expand(*q.shape[:3], k.shape[2])[:, :, rows] if bias else None
        part, more_k, more_v, by_scores = _share(q[:, :, rows], k, v, gradient[:, :, rows], seen, factor, added)
        parts.append(part)
        if bias and ctx.asked[3]:
            by_bias.append(_reduced(by_scores, masks[0]))
        by_k, by_v = by_k + more_k, by_v + more_v
    by_q = torch.cat(parts, 2) if len(parts) > 1 else parts[0]
    gradients = by_q.to(q.dtype), by_k.to(k.dtype), by_v.to(v.dtype)
    if not masks:
        return (*gradients, None)
    if not by_bias:
        return (*gradients, None, None)
    by_rows = masks[0].dim() > 1 and masks[0].shape[-2] > 1
    by_mask = torch.cat(by_bias, -2) if by_rows else torch.stack(by_bias).sum(0)
    return (*gradients, by_mask.to(masks[0].dtype), None)


def _added(mask: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return what a mask adds to scores, in the type of sums."""
    wide = _wide(q)
    if mask.dtype.is_floating_point:
        return mask.to(wide)
    return torch.zeros_like(mask, dtype=wide).masked_fill(mask == 0, float("-inf"))


def _reduced(by_scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return a gradient of some queries' scores, summed where the mask is broadcast: all its rows are those queries, or one is shared."""
    shape = list(mask.shape)
    if len(shape) > 1 and shape[-2] > 1:
        shape[-2] = by_scores.shape[-2]
    return by_scores.sum_to_size(shape)


def _share(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, gradient: torch.Tensor, seen: torch.Tensor | None, factor: float,
    bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """Return what some queries contribute: their own gradients, their part of the keys' and values', and the gradient of their scores."""
    batch, groups, wide = k.shape[0], k.shape[1], _wide(q)
    of_group, given = (t.reshape(batch, groups, -1, t.shape[3]) for t in (q, gradient.to(v.dtype)))
    scores = product(of_group, k.transpose(2, 3), wide) * factor
    if seen is not None:
        seen = seen.repeat(q.shape[1] // groups, 1)
    if bias is not None:
        scores = scores + bias.reshape(scores.shape)
        visible = scores > torch.finfo(wide).min
        seen = visible if seen is None else seen & visible
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
        scores = torch.where(seen.any(-1, keepdim=True), scores, 0.0)
    weights = torch.softmax(scores, -1)
    if seen is not None:
        weights = torch.where(seen, weights, 0.0)
    by_v = product(weights.to(v.dtype).transpose(2, 3), given, wide)
    by_weights = product(given, v.transpose(2, 3), wide)
    inner = (weights * by_weights).sum(-1, keepdim=True)
    by_biased = weights * (by_weights - inner)
    by_scores = (by_biased * factor).to(q.dtype)
    by_k = product(by_scores.transpose(2, 3), of_group, wide)
    by_biased = by_biased.reshape(*q.shape[:3], k.shape[2])
    return product(by_scores, k, wide).reshape(q.shape), by_k, by_v, by_biased


def _seen(
    q: torch.Tensor, keys: Any, start: Any, stop: Any, limits: tuple[int | None, int | None]
) -> torch.Tensor | None:
    """Return which keys the queries from `start` to `stop` see, None if all."""
    if limits == (None, None):
        return None
    places = torch.arange(keys, device=q.device)
    distance = places - (torch.arange(start, stop, device=q.device)[:, None] + (keys - q.shape[2]))
    left, right = limits
    seen = torch.ones_like(distance, dtype=torch.bool)
    if left is not None:
        seen = seen & (distance >= -left)
    return seen if right is None else seen & (distance <= right)


def _through_low_rank(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    x, a, b = ctx.saved_tensors
    middle = ctx.settings[0]
    gradient, wide = gradient.to(x.dtype), _wide(x)
    sums = product(x, a, wide)
    between = epilogues.apply(epilogues.epilogue_of(middle), sums, (), -1)
    slopes = slopes_of(middle)
    slope = epilogues.evaluate(slopes.sums[0], [sums], [])
    if slopes.outer is not None:
        slope = slope * epilogues.evaluate(slopes.outer, [between], [])
    by_sums = (product(gradient, b.t(), wide) * slope).to(x.dtype)
    by_a = by_b = None
    if ctx.asked[1]:
        by_a = product(_rows(x).t(), _rows(by_sums)).to(a.dtype)
    if ctx.asked[2]:
        by_b = product(_rows(between.to(x.dtype)).t(), _rows(gradient)).to(b.dtype)
    return product(by_sums, a.t()) if ctx.asked[0] else None, by_a, by_b, None


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.reshape(-1, tensor.shape[-1])


def _wide(tensor: torch.Tensor) -> torch.dtype:
    """Return the type of sums: fp32 for narrower ones."""
    return torch.float32 if tensor.dtype in (torch.float16, torch.bfloat16) else tensor.dtype


RECORDED = {
    "attention": Recorded(3, functools.partial(_keep, "attention"), _through_attention),
    "masked_attention": Recorded(4, functools.partial(_keep, "masked_attention"), _through_attention),
    "low_rank_mlp": Recorded(3, functools.partial(_keep, "low_rank_mlp"), _through_low_rank),
}
"""By operator."""
