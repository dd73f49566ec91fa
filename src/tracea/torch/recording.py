# SPDX-License-Identifier: MIT
"""What stands at the dispatcher's autograd key: record a derivative if one is asked for, else go on to the kernel at once.

``torch.library.register_autograd`` does the same with twice the overhead where nothing is recorded, and not under ``torch.func``,
whose gradient levels want a function with a context of its own (`torch.autograd.Function.setup_context`). Those are met one key earlier,
where PyTorch's own functions meet them, too: a level may call further operators only before the dispatcher has entered it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from tracea_core.errors import OptionError

from tracea.torch import sharding
from tracea.torch.batching import BATCH_RULES
from tracea.torch.forward_mode import carries_tangent, forward_rule, is_forward, keep_inputs

_below = torch._C._AutoDispatchBelowAutograd
_after = torch._C._after_autograd_keyset
_any_requires_grad = torch._C._any_requires_grad
_USUAL = (torch.Tensor, torch.nn.Parameter)


class Recorded(NamedTuple):
    """An operator's backward pass: what it keeps, and what it makes of it.

    Both see the arguments as ``(*tensors, rest, *operands)``, where `rest` is what follows the list of operands in the schema.

    Attributes
    ----------
    tensors : int
        Arguments ahead of that list.
    keep : callable
        ``keep(ctx, inputs, output)``.
    through : callable
        ``through(ctx, gradient)`` returns a gradient, or None, for each of them; of several results it takes as many.
    """

    tensors: int
    keep: Callable[[Any, tuple[Any, ...], Any], None]
    through: Callable[..., tuple[Any, ...]]


class Rules(NamedTuple):
    """Kernels of an operator: for the autograd keys, which takes the dispatch key set first, and for levels of ``torch.func``."""

    autograd: Callable[..., torch.Tensor]
    transformed: Callable[..., torch.Tensor]


def rules_of(name: str, recorded: Recorded) -> Rules:
    """Return the kernels that record derivatives of operator `name`."""
    function, operator, count = _function(name, recorded), None, recorded.tensors

    def transformed(*arguments: Any) -> torch.Tensor:
        from torch._functorch.autograd_function import custom_function_call
        from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

        level = retrieve_current_functorch_interpreter()
        if level.key() == torch._C._functorch.TransformType.Functionalize:
            return _functionalized(getattr(torch.ops.tracea, name).default, level, arguments)
        operands: Sequence[torch.Tensor] = arguments[count]
        result: torch.Tensor = custom_function_call(function, *arguments[:count], arguments[count + 1 :], *operands)
        return result

    def rule(keys: Any, *arguments: Any) -> torch.Tensor:
        nonlocal operator
        if operator is None:
            operator = getattr(torch.ops.tracea, name).default
        operands: Sequence[torch.Tensor] = arguments[count]
        if type(arguments[0]) not in _USUAL:
            sharding.ready()
        if is_forward() or (torch.is_grad_enabled() and _any_requires_grad(*arguments[: count + 1])):
            value: torch.Tensor = function.apply(*arguments[:count], arguments[count + 1 :], *operands)
            return value
        with _below():
            result: torch.Tensor = operator.redispatch(keys & _after, *arguments)
        return result

    return Rules(rule, transformed)


def _functionalized(operator: Callable[..., torch.Tensor], level: Any, arguments: tuple[Any, ...]) -> torch.Tensor:
    """Call an operator at a level of ``torch.func.functionalize``: it changes nothing in place, so the next level sees the same call."""
    from torch._subclasses.functional_tensor import FunctorchFunctionalizeAPI

    functional = FunctorchFunctionalizeAPI(level)
    inside = functional.unwrap_tensors(arguments)
    with functional.redispatch_to_next():
        result = operator(*inside)
    wrapped: Any = functional.wrap_tensors(result)  # type: ignore[arg-type]
    return wrapped  # type: ignore[no-any-return]


def refusal_rule(name: str) -> Callable[..., torch.Tensor]:
    """Return the kernel of operator `name` for the autograd keys where no gradient is known: it says so, or goes on to the kernel."""
    operator = None

    def rule(keys: Any, *arguments: Any) -> torch.Tensor:
        nonlocal operator
        if operator is None:
            operator = getattr(torch.ops.tracea, name).default
        if type(arguments[0]) not in _USUAL:
            sharding.ready()
        if (torch.is_grad_enabled() and _any_requires_grad(*arguments)) or carries_tangent(arguments):
            raise OptionError(f"no gradients flow through {name}", hint="Detach its arguments", op=name)
        with _below():
            result: torch.Tensor = operator.redispatch(keys & _after, *arguments)
        return result

    return rule


def _function(name: str, recorded: Recorded) -> Any:
    """Return the `torch.autograd.Function` of operator `name`: operands last, since a context lists tensors one by one."""
    count = recorded.tensors

    def forward(*given: Any) -> torch.Tensor:
        with _below():
            operator = getattr(torch.ops.tracea, name).default
            result: torch.Tensor = operator(*given[:count], list(given[count + 1 :]), *given[count])
        return result

    def vmap(info: Any, in_dims: Sequence[Any], *given: Any) -> tuple[torch.Tensor, int]:
        rest = given[count]
        dims = [*in_dims[:count], list(in_dims[count + 1 :]), *(None for _ in rest)]
        return BATCH_RULES[name](info, dims, *given[:count], given[count + 1 :], *rest)

    def keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        recorded.keep(ctx, inputs, output)
        keep_inputs(ctx, inputs, output)

    members: dict[str, Any] = {
        "forward": forward, "setup_context": keep, "backward": recorded.through, "vmap": vmap,
        "jvp": forward_rule(recorded.keep, recorded.through),
    }  # fmt: skip
    return type(
        f"Tracea{name.capitalize()}",
        (torch.autograd.Function,),
        {key: staticmethod(value) for key, value in members.items()},
    )
