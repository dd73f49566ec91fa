# SPDX-License-Identifier: MIT
"""PyTorch's one call for attention while gradients are recorded: what it is given, and what it is compared with.

Its backward pass is one kernel that stores no scores. So it takes the place of what a graph spells out, and of calls for which PyTorch has
no kernel as they stand: then it computes products in single precision whatever its operands are, forwards and backwards. Its kernels want
as many heads of keys as of queries, or to be told that some are shared, and the last axis of each operand contiguous, which a bias that
was looked up head by head and turned is not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import torch

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Sketch

Computation = Callable[..., torch.Tensor]


class Shaped(Protocol):
    """What a tensor's place in memory is asked of."""

    @property
    def shape(self) -> Sequence[Any]:
        """Its extents."""

    def stride(self) -> Sequence[Any]:
        """Return how far neighbours along each axis are apart, in elements."""


def has_no_kernel(tensors: Sequence[Shaped], shared: bool) -> bool:
    """Whether PyTorch computes a call in steps for a reason that `arranged` removes.

    Parameters
    ----------
    tensors : sequence
        Queries, keys, values, and the mask if there is one.
    shared : bool
        Whether the call says that heads of queries share heads of keys.
    """
    heads = [tensor.shape[1] for tensor in tensors[:2]]
    known = all(type(count) is int for count in heads)  # a question about a symbol would become a guard
    apart = not shared and known and heads[1] == 1 < heads[0]
    return apart or any(type(step) is int and step != 1 for step in (tensor.stride()[-1] for tensor in tensors))


def arranged(
    do: Callable[..., Any], given: Sequence[Any], like: Sequence[Shaped], device: torch.device
) -> tuple[list[Any], dict[str, Any]]:
    """Return operands, and options, of a call that PyTorch has a kernel for.

    Parameters
    ----------
    do : callable
        ``do(operand, name, *arguments)`` calls a tensor's method, or puts such a call into a graph.
    given, like : sequence
        Queries, keys, values, and the mask if there is one; and their shapes and strides.
    device : torch.device
        Where they are.
    """
    operands = list(given)
    shared = like[0].shape[1] != like[1].shape[1]
    options: dict[str, Any] = {}
    if shared and len(operands) == 3 and device.type == "cuda":
        options["enable_gqa"] = True
    for place, tensor in enumerate(like):
        if type(tensor.stride()[-1]) is int and tensor.stride()[-1] != 1:
            operands[place] = do(operands[place], "contiguous")
        if shared and not options and place in (1, 2):
            operands[place] = do(operands[place], "repeat_interleave", like[0].shape[1] // tensor.shape[1], 1)
    if len(operands) > 3:
        options["attn_mask"] = operands.pop()
    return operands, options


def ways(sketch: Sketch) -> dict[str, Computation]:
    """Return attention of queries, keys, values and perhaps a mask as the graph has it, and by one call."""
    causal, _, _, scale = sketch.settings
    attend: Computation = functools.partial(
        torch.nn.functional.scaled_dot_product_attention, dropout_p=sketch.dropout, is_causal=causal, scale=scale
    )

    def in_steps(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *masks: torch.Tensor) -> torch.Tensor:
        scores = q @ k.transpose(-2, -1)
        if masks and sketch.recorded[3]:  # else Inductor adds it in the pass of the softmax
            scores = scores + masks[0]
        weights = torch.softmax(scores, -1)
        return (torch.nn.functional.dropout(weights, sketch.dropout) if sketch.dropout else weights) @ v

    def as_given(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *masks: torch.Tensor) -> torch.Tensor:
        shared = k.shape[1] not in (1, q.shape[1])
        return attend(q, k, v, attn_mask=masks[0] if masks else None, enable_gqa=shared)

    def one_call(*given: torch.Tensor) -> torch.Tensor:
        operands, more = arranged(_method, given, given, sketch.device)
        return attend(*operands, **more)

    return {"unfused": in_steps if sketch.spelled_out else as_given, "one call": one_call}


def _method(tensor: torch.Tensor, name: str, *arguments: Any) -> Any:
    return getattr(tensor, name)(*arguments)
