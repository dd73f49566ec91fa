# SPDX-License-Identifier: MIT
"""Forward-mode differentiation: the tangent of an operator's result, from its backward pass.

A backward pass is linear in the gradient u that it is given: u ↦ Jᵀu. Its own backward pass, of tangents t, is t ↦ Jt, whatever u is. As
every backward pass here is made of differentiable operators, each operator has a forward mode with no formula of its own, and the second
derivatives that `torch.func.hessian` asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad

Keep = Callable[[Any, tuple[Any, ...], Any], None]
_unpacked: Callable[[torch.Tensor], Any] = forward_ad.unpack_dual
_level: Callable[[], Any] = torch._C._functorch.peek_interpreter_stack
Through = Callable[..., tuple[Any, ...]]


def is_forward() -> bool:
    """Whether tensors may carry tangents now, of which neither their types nor their dispatch keys tell."""
    return forward_ad._current_level >= 0


def records(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether a derivative may be asked of what is computed from these tensors, backwards or forwards."""
    return is_forward() or (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors))


def carries_tangent(arguments: Sequence[Any]) -> bool:
    """Whether a tensor among these arguments, or in a list among them, carries a tangent."""
    if not is_forward():
        return False
    return any(
        carries_tangent(given)
        if isinstance(given, list | tuple)
        else isinstance(given, torch.Tensor) and _unpacked(given).tangent is not None
        for given in arguments
    )


def keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Keep what a forward mode needs, where one may be going on; `inputs` are those of a function's ``setup_context``.

    Compiled code enters levels of ``torch.func`` without a word to `torch.autograd.forward_ad`.
    """
    if not is_forward() and _level() is None:
        return
    ctx.given = tuple(None if isinstance(given, torch.Tensor) else given for given in inputs)
    results = output if isinstance(output, tuple) else (output,)
    ctx.save_for_forward(*(given if isinstance(given, torch.Tensor) else None for given in inputs), *results)


def forward_rule(keep: Keep, through: Through) -> Callable[..., Any]:
    """Return the ``jvp`` of a function with this ``setup_context`` and ``backward``, whose context `keep_inputs` has seen."""

    def rule(ctx: Any, *tangents: Any) -> Any:
        saved = [_primal(tensor) for tensor in ctx.saved_tensors]
        count = len(ctx.given)
        results: Any = tuple(saved[count:])
        del saved[count:]
        output = results if len(results) > 1 else results[0]
        inputs = tuple(other if tensor is None else tensor for tensor, other in zip(saved, ctx.given, strict=True))
        moving = tuple(isinstance(tangent, torch.Tensor) for tangent in tangents)
        found: list[int] = []

        def backward(*asked: torch.Tensor) -> tuple[torch.Tensor, ...]:
            frame = _Frame(moving)
            keep(frame, inputs, output)
            gradients = through(frame, *asked)
            found[:] = [place for place, each in enumerate(gradients) if each is not None and moving[place]]
            return tuple(gradients[place] for place in found)

        # PyTorch forbids it inside of a function's jvp, and levels further out would lose a term.
        with forward_ad._set_fwd_grad_enabled(True):
            _, push, *_ = torch.func.vjp(backward, *(torch.zeros_like(result) for result in results))
            moved = push(tuple(tangents[place] for place in found))
        return moved if len(results) > 1 else moved[0]

    return rule


def _primal(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Return a saved tensor without the tangent that it still carries, or its backward pass would have one, and so on without end.

    A level of ``torch.func`` wraps tensors; what lies inside keeps the tangents of levels further out.
    """
    if tensor is None:
        return None
    level = _level()
    if level is None:
        return _unpacked(tensor).primal  # type: ignore[no-any-return]
    return torch._C._functorch._unwrap_for_grad(tensor, level.level())


class _Frame:
    """What stands for a function's context: it keeps tensors as they are."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors
