# SPDX-License-Identifier: MIT
"""Products that store what their activation is applied to, for the backward pass: one kernel where there would be two.

Before, with gradients: a kernel for ``bias``, whose result is stored, and PyTorch's ``gelu``, which reads it. After: one kernel for
``bias,auxiliary,gelu``, which stores both. Where something listens (compilation, ``torch.func``, modes) everything stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from tracea.torch import autograd, kernels
from tracea.torch.epilogues import epilogue_of
from tracea.torch.tails import FUNCTIONS


def _silu(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    if not torch.is_grad_enabled():
        return torch.ops.aten.silu_backward(gradient, x)  # type: ignore[no-any-return]
    share = torch.sigmoid(x)  # PyTorch's own step has no second derivative
    return gradient * share * (1 + x * (1 - share))


def _mish(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    if not torch.is_grad_enabled():
        return torch.ops.aten.mish_backward(gradient, x)  # type: ignore[no-any-return]
    bounded = torch.tanh(F.softplus(x))
    return gradient * (bounded + x * torch.sigmoid(x) * (1 - bounded * bounded))


SLOPES: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "gelu": lambda gradient, x: torch.ops.aten.gelu_backward(gradient, x),
    "gelu_tanh": lambda gradient, x: torch.ops.aten.gelu_backward(gradient, x, approximate="tanh"),
    "silu": _silu,
    "mish": _mish,
}
"""Gradients by what an activation is applied to, as PyTorch computes them."""
DEVICES = ("cuda",)
"""Where one kernel is faster than two."""


def takes(name: str, tail: str, settings: tuple[Any, ...], tensors: Sequence[torch.Tensor]) -> bool:
    """Return whether a product whose epilogue ends in `tail` is worth one kernel: its type stays, and nothing else listens."""
    asked = name in ("linear", "conv2d") or (name == "matmul" and settings[0] is None)
    return asked and tail in SLOPES and tensors[0].device.type in DEVICES and tensors[0].dtype.is_floating_point


def stored(
    name: str, tensors: Sequence[torch.Tensor], head: str, tail: str, settings: tuple[Any, ...], backend: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the result of ``head,tail`` and what `tail` is applied to; gradients flow through both.

    Parameters
    ----------
    tensors : sequence of Tensor
        Both inputs, then the operands of `head`, which is an epilogue whose backward pass needs no sums.
    tail : str
        One of `SLOPES`.
    """
    result, ahead = _Twice.apply(name, head, tail, settings, backend, *tensors)  # type: ignore[no-untyped-call]
    return result, ahead


class _Twice(torch.autograd.Function):
    """The second result is an output, too, so that second derivatives find their way through it."""

    @staticmethod
    def forward(
        ctx: Any, name: str, head: str, tail: str, settings: tuple[Any, ...], backend: str, *given: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        tensors = list(given)
        kept = epilogue_of(head)
        layout = kernels.layout_of(name, tensors, kept, settings)
        ahead = kernels.allocator(layout, tensors[0].device)()
        text = ",".join(part for part in (head, "auxiliary", tail) if part)
        try:
            result = kernels.run(name, [*tensors, ahead], text, settings, backend)
        except kernels.NO_KERNEL:
            if backend:
                raise
            ahead = kernels.run(name, tensors, head, settings, backend)
            result = FUNCTIONS[tail](ahead)
        ctx.name, ctx.tail = name, tail
        ctx.set_materialize_grads(False)
        asked = ctx.needs_input_grad[5:]
        ctx.needs = (*asked[:2], False, *asked[2:])
        inputs = (*tensors[:2], (head, *settings, backend), *tensors[2:])
        ctx.save_for_backward(*autograd.kept(name, ctx, ctx.needs, inputs, ahead), ahead)
        return result, ahead

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor | None, second: torch.Tensor | None) -> tuple[Any, ...]:
        *saved, ahead = ctx.saved_tensors
        total = None if gradient is None else SLOPES[ctx.tail](gradient.contiguous(), ahead)
        if second is not None:
            total = second if total is None else total + second
        none = (None,) * 5
        if total is None:
            return (*none, *(None for _ in ctx.needs[:2]), *(None for _ in ctx.needs[3:]))
        first, other, _, *operands = autograd.through(ctx.name, ctx, saved, total)
        return (*none, first, other, *operands)
