# SPDX-License-Identifier: MIT
"""What stands at the dispatcher's autograd key: record a backward pass if one is asked for, else go on to the kernel at once.

``torch.library.register_autograd`` does the same with twice the overhead where nothing is recorded, and not under ``torch.func``,
whose gradient levels want a function with a context of its own (`torch.autograd.Function.setup_context`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from tracea.torch import autograd
from tracea.torch.batching import BATCH_RULES

_below = torch._C._AutoDispatchBelowAutograd
_after = torch._C._after_autograd_keyset
_transforms = torch._C._functorch.peek_interpreter_stack
_any_requires_grad = torch._C._any_requires_grad


def autograd_rule(name: str) -> Callable[..., torch.Tensor]:
    """Return the kernel of operator `name` for the autograd keys; it takes the dispatch key set first."""
    function, operator = _function(name), None

    def rule(
        keys: Any,
        first: torch.Tensor,
        second: torch.Tensor,
        operands: Sequence[torch.Tensor],
        text: str,
        *settings: Any,
    ) -> torch.Tensor:
        nonlocal operator
        if operator is None:
            operator = getattr(torch.ops.tracea, name).default
        if _transforms() is not None:
            return _transformed(function, first, second, text, settings, *operands)
        if torch.is_grad_enabled() and _any_requires_grad(first, second, operands):
            recorded: torch.Tensor = function.apply(first, second, text, settings, *operands)
            return recorded
        with _below():
            result: torch.Tensor = operator.redispatch(keys & _after, first, second, operands, text, *settings)
        return result

    return rule


def _transformed(function: Any, *arguments: Any) -> torch.Tensor:
    """Record at the level of ``torch.func`` that the dispatcher is in.

    The dispatcher has left the layer that hands calls to such levels; the function enters further ones, so the layer comes back.
    """
    from torch._functorch.autograd_function import custom_function_call
    from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

    layer = torch._C.DispatchKey.FuncTorchDynamicLayerFrontMode, torch._C.DispatchKey.FuncTorchDynamicLayerBackMode
    include, exclude = torch._C._dispatch_tls_local_include_set(), torch._C._dispatch_tls_local_exclude_set()
    for key in layer:
        include, exclude = include.add(key), exclude.remove(key)
    with torch._C._ForceDispatchKeyGuard(include, exclude):
        interpreter = retrieve_current_functorch_interpreter()
        result: torch.Tensor = interpreter.process(custom_function_call, (function, *arguments), {})
    return result


def _function(name: str) -> Any:
    """Return the `torch.autograd.Function` of operator `name`: operands last, since a context lists tensors one by one."""

    def forward(
        first: torch.Tensor, second: torch.Tensor, text: str, settings: tuple[Any, ...], *operands: torch.Tensor
    ) -> torch.Tensor:
        with _below():
            result: torch.Tensor = getattr(torch.ops.tracea, name).default(
                first, second, list(operands), text, *settings
            )
        return result

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        autograd.setup_context(name, ctx, inputs, output)

    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        return autograd.backward(name, ctx, gradient)

    def vmap(info: Any, in_dims: Sequence[Any], *arguments: Any) -> tuple[torch.Tensor, int]:
        first, second, text, settings, *operands = arguments
        dims = [*in_dims[:2], list(in_dims[4:]), None, *(None for _ in settings)]
        return BATCH_RULES[name](info, dims, first, second, operands, text, *settings)

    members: dict[str, Any] = {"forward": forward, "setup_context": setup_context, "backward": backward, "vmap": vmap}
    return type(
        f"Tracea{name.capitalize()}",
        (torch.autograd.Function,),
        {key: staticmethod(value) for key, value in members.items()},
    )
