# SPDX-License-Identifier: MIT
"""Attention in a graph: which calls of ``scaled_dot_product_attention`` are one of tracea's, its kernel, and what a trial compares.

Only where no gradient is recorded: PyTorch's backward pass is one kernel that stores no scores, tracea's is made of products
(`tracea.torch.chains`). Nothing rides along, since what follows is a view and another product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.problem import Problem

from tracea.arrays import TORCH
from tracea.dispatch import BoundPlan
from tracea.ops.chains import PROBLEMS
from tracea.ops.request import Request
from tracea.torch import chains, kernels

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Outline

NAME = "attention"


def why_not(
    tensors: Sequence[torch.Tensor], mask: Any, dropout: Any, causal: Any, scale: Any, same: Callable[[Any, Any], bool]
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
    if mask is not None:
        return "its mask lies in memory, and kernels make theirs of the positions"
    if dropout != 0.0 or not isinstance(causal, bool) or not (scale is None or isinstance(scale, int | float)):
        return "it drops scores out, or is causal or scaled by what is not known yet"
    if any(tensor.dim() != 4 for tensor in tensors):
        return "its operands do not have the four axes of batches, heads, positions and columns"
    if not all(same(q.shape[0], other.shape[0]) for other in (k, v)) or not same(k.shape[1], v.shape[1]):
        return "its operands are broadcast"
    if causal and not same(q.shape[2], k.shape[2]):
        return "queries are fewer than keys: PyTorch counts a causal mask's positions from the first one, tracea to the last"
    return None


def problem(tensors: Sequence[Outline], settings: tuple[Any, ...]) -> Problem:
    """Return the problem that the operator will state on such tensors, its result where it will lie."""
    specs = tuple(TORCH.spec(tensor) for tensor in tensors)
    return PROBLEMS[NAME](*settings, Request(specs, IDENTITY, (), TORCH.spec(result_of(*tensors))))


def entry(tensors: Sequence[Outline], settings: tuple[Any, ...]) -> kernels.Entry:
    """Return what a call becomes: a plan, or the reason for which the operator leaves it to PyTorch."""
    device = TORCH.device(tensors[0])

    def call(given: list[torch.Tensor]) -> torch.Tensor:
        return run(given, settings)

    try:
        stated = problem(tensors, settings)
        if tensors[0].device.type != "cpu":
            chains.leave(NAME, tensors, settings)  # type: ignore[arg-type]  # they answer what is asked of them
        return kernels.Entry(call, None, BoundPlan(stated, None, device, lambda: None))
    except kernels.NO_KERNEL as error:
        return kernels.Entry(call, error)


def run(tensors: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    """Return attention as compiled graphs call it."""
    result: torch.Tensor = torch.ops.tracea._attention.default(*tensors, [], "", *settings, "")
    return result


def in_torch(tensors: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    """Return what it replaces."""
    q, k, v = tensors
    causal, _, _, scale = settings
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(q, k, v, is_causal=causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1])


def result_of(q: Any, k: Any, v: Any) -> Outline:
    """Return the operator's result without memory."""
    from tracea.torch.compiler.sketch import Outline

    layout = chains.attention_layout((q, k, v), IDENTITY)
    return Outline(tuple(layout.shape), kernels.steps_of(layout), layout.dtype, q.device)
