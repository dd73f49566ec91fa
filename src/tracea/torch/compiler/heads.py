# SPDX-License-Identifier: MIT
"""Attention in a graph: which calls of ``scaled_dot_product_attention`` are one of tracea's, and what a trial compares.

Kernels only where no gradient is recorded: PyTorch's backward pass is one kernel that stores no scores, tracea's is made of products
(`tracea.torch.chains`). Where one is, `tracea.torch.compiler.one_call` sees to it that PyTorch has a kernel. Nothing rides along, since
what follows is a view and another product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.problem import Problem

from tracea.arrays import TORCH
from tracea.ops.chains import PROBLEMS
from tracea.ops.request import Request
from tracea.torch import chains, kernels
from tracea.torch.compiler.whole import WHOLE, Whole

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Sketch
    from tracea.torch.outline import Outline

NAME, MASKED = "attention", "masked_attention"


def why_not(
    tensors: Sequence[torch.Tensor],
    mask: torch.Tensor | None,
    dropout: Any,
    causal: Any,
    scale: Any,
    same: Callable[[Any, Any], bool],
) -> str | None:
    """Return why a call cannot be stated to tracea, None if it can.

    Parameters
    ----------
    tensors : sequence of Tensor
        Queries, keys, values and the result, as they were traced.
    same : callable
        Whether two extents are equal, without asking symbols.
    """
    q, k, v = tensors[:3]
    if dropout != 0.0 or not isinstance(causal, bool) or not (scale is None or isinstance(scale, int | float)):
        return "it drops scores out, or is causal or scaled by what is not known yet"
    if any(tensor.dim() != 4 for tensor in tensors):
        return "its operands do not have the four axes of batches, heads, positions and columns"
    if not all(same(q.shape[0], other.shape[0]) for other in (k, v)) or not same(k.shape[1], v.shape[1]):
        return "its operands are broadcast"
    if mask is not None:
        extents = zip(reversed(mask.shape), (k.shape[2], q.shape[2], q.shape[1], q.shape[0]), strict=False)
        if mask.dim() > 4 or not all(same(own, 1) or same(own, whole) for own, whole in extents):
            return "its mask does not broadcast to its scores"
        if mask.dtype is not torch.bool and mask.dtype is not q.dtype:
            return "its mask consists of other numbers than its queries"
    if causal and not same(q.shape[2], k.shape[2]):
        return "queries are fewer than keys: PyTorch counts a causal mask's positions from the first one, tracea to the last"
    return None


def is_share(dropout: Any) -> bool:
    """Whether this much may be dropped of what is not everything."""
    return isinstance(dropout, int | float) and 0.0 <= dropout < 1.0


def _strides(sketch: Sketch) -> tuple[int, ...]:
    return kernels.steps_of(chains.attention_layout(sketch.tensors, IDENTITY))  # type: ignore[arg-type]


def _problem(sketch: Sketch) -> Problem:
    """Return the problem that the operator will state, its result where it will lie."""
    layout = chains.attention_layout(sketch.tensors, IDENTITY)  # type: ignore[arg-type]  # they answer what is asked of them
    result = sketch.tensors[0]._replace(shape=tuple(layout.shape), steps=_strides(sketch), dtype=layout.dtype)
    specs = tuple(TORCH.spec(tensor) for tensor in _stated(sketch))
    return PROBLEMS[sketch.op](*sketch.settings, Request(specs, IDENTITY, (), TORCH.spec(result)))


def _stated(sketch: Sketch) -> tuple[Outline, ...]:
    """Return the tensors as the operator states them: a mask with the axes of scores, of numbers."""
    q, k, v, *masks = sketch.tensors
    return (q, k, v, *(_on_scores(mask, q, k) for mask in masks))


def _on_scores(mask: Outline, q: Outline, k: Outline) -> Outline:
    """Return a mask as `tracea.ops.chains.on_scores` does."""
    numbers = torch.empty_strided(mask.shape, mask.steps, device="meta")
    spread = numbers.expand(*q.shape[:3], k.shape[2])
    return mask._replace(
        shape=tuple(spread.shape), steps=spread.stride(), dtype=torch.uint8 if mask.dtype is torch.bool else mask.dtype
    )


def _refuse(sketch: Sketch) -> None:
    if sketch.device.type != "cpu":
        chains.leave(sketch.op, _stated(sketch), sketch.settings)  # type: ignore[arg-type]


def _call(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    operator = getattr(torch.ops.tracea, f"_{sketch.op}").default
    result: torch.Tensor = operator(*tensors, [], "", *sketch.settings, "")
    return result


def _in_torch(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    q, k, v, *masks = tensors
    causal, _, _, scale = sketch.settings
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(
        q,
        k,
        v,
        attn_mask=masks[0] if masks else None,
        is_causal=causal,
        scale=scale,
        enable_gqa=q.shape[1] != k.shape[1],
    )


def _in_steps(sketch: Sketch, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Two products and a softmax, with which Inductor fuses all that else happens to scores."""
    q, k, v = tensors[:3]
    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v


def may_lie(sketch: Sketch) -> tuple[tuple[int, ...], ...]:
    """Return the strides that the result of PyTorch's call may have: heads one behind the other, or within positions."""
    _, count, positions, _ = sketch.tensors[0].shape
    columns = sketch.tensors[2].shape[3]
    step = count * positions * columns
    return (step, positions * columns, columns, 1), (step, columns, count * columns, 1)


def _work(sketch: Sketch) -> int:
    (batch, heads, queries, depth), keys, values = (tensor.shape for tensor in sketch.tensors[:3])
    return batch * heads * queries * keys[2] * (depth + values[3])


WHOLE[NAME] = WHOLE[MASKED] = Whole(_problem, _call, _in_torch, _strides, _work, _refuse, _in_steps)
