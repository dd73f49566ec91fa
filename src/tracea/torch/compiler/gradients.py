# SPDX-License-Identifier: MIT
"""What a region's backward pass costs a processor: the gradients of its product, by the operator of tracea and by PyTorch.

In a training step they take about twice the time of the product, and whoever computes the product computes them, so a trial that sees the
product alone may take a region that makes the step slower. What lies between is left out: the slopes of an epilogue and the sums of a
bias's gradient are steps that Inductor joins on either side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Sketch


def product_of_ours(sketch: Sketch, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return a region's product by the operator that a graph would call, which records its gradients."""
    settings = [list(s) if isinstance(s, tuple) else s for s in sketch.settings]
    result: torch.Tensor = getattr(torch.ops.tracea, sketch.op).default(first, second, [], "", *settings, "")
    return result


def product_in_torch(
    sketch: Sketch,
    first: torch.Tensor,
    second: torch.Tensor,
    bias: torch.Tensor | None = None,
    moves_filters: bool = False,
) -> torch.Tensor:
    """Return a region's product by PyTorch, with a bias if there is one.

    With `moves_filters`, filters are laid out channels-last in each call.
    """
    if sketch.op == "conv2d":
        filters = second.contiguous(memory_format=torch.channels_last) if moves_filters else second
        return torch.nn.functional.conv2d(first, filters, bias, *sketch.settings)
    if sketch.op == "conv_transpose2d":
        stride, padding, extra, dilation, groups = sketch.settings
        return torch.nn.functional.conv_transpose2d(first, second, bias, stride, padding, extra, groups, dilation)
    if sketch.op == "linear":
        return torch.nn.functional.linear(first, second, bias)
    if bias is not None and first.dim() == 2:
        return torch.addmm(bias, first, second)
    return torch.matmul(first, second)


def with_gradients(
    computation: Callable[..., torch.Tensor], inputs: Sequence[torch.Tensor], asked: Sequence[bool]
) -> Callable[[], Any]:
    """Return what computes something of `inputs` and then the gradients of those that are `asked` for, both in each call."""
    given = [tensor.detach().requires_grad_(wanted) for tensor, wanted in zip(inputs, asked, strict=True)]
    wanted = [tensor for tensor in given if tensor.requires_grad]
    gradient = torch.randn_like(computation(*inputs))

    def call() -> Any:
        with torch.enable_grad():
            return torch.autograd.grad(computation(*given), wanted, gradient)

    return call


def gradients_of(
    product: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    inputs: Sequence[torch.Tensor],
    asked: Sequence[bool],
) -> Callable[[], Any]:
    """Return what computes the gradients of a product of `inputs` for those that are `asked` for, again in each call."""
    with torch.enable_grad():
        given = [tensor.detach().requires_grad_(wanted) for tensor, wanted in zip(inputs, asked, strict=True)]
        result = product(*given)
    gradient = torch.randn_like(result)
    wanted = [tensor for tensor in given if tensor.requires_grad]
    return lambda: torch.autograd.grad(result, wanted, gradient, retain_graph=True)
