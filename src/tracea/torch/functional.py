# SPDX-License-Identifier: MIT
"""`tracea.ops` on torch tensors: through PyTorch's dispatcher, or past it where nothing listens there.

A call whose tensors are plain, with no gradient to record and no mode active (autocast, tracing, ``torch.func``), goes straight to
the kernel. With gradients, an epilogue is cut where its slope begins to depend on the sums: the sums are then stored once and the
rest is PyTorch's, which is cheaper than computing them again in the backward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from tracea_core.errors import OptionError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline import trace

from tracea.arrays import TORCH, torch_dtype
from tracea.dispatch import common_device, derived
from tracea.ops.call import run
from tracea.ops.request import Request
from tracea.torch import auxiliary, kernels, packed, replay, shapes, sharding
from tracea.torch.epilogues import apply_text, epilogue_of, stores_more
from tracea.torch.forward_mode import is_forward, records
from tracea.torch.tails import apply_tail, cut

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def call(
    name: str,
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[Any],
    settings: tuple[Any, ...],
    out: Any = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return one of tracea's operators on torch tensors.

    Parameters
    ----------
    name : str
        ``matmul``, ``linear`` or ``conv2d``.
    inputs : sequence of Tensor
        Both matrix operands.
    text, operands
        What happens to the sums (`tracea.torch.naming`); operands that are no tensors become some, without a copy where their library
        allows it.
    settings : tuple
        The operator's other arguments between the epilogue and the backend, in the order of its schema.
    out : Tensor, optional
        Where the result goes (gradients flow through the copy).

    Raises
    ------
    UnsupportedError
        With ``fallback="error"``, if no variant takes the problem.
    """
    tensors = [*inputs, *(_tensor(operand, inputs[0]) for operand in operands)]
    if name == "matmul":
        kind, *rest = settings
        settings = (None if kind is None else torch_dtype(kind), *rest)
    return call_named(name, tensors, text, settings, out, backend, fallback)


def call_named(
    name: str,
    tensors: list[torch.Tensor],
    text: str,
    settings: tuple[Any, ...],
    out: Any = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return the same for an epilogue as text; a tracer sees nothing but tensors, strings and numbers on the way.

    Parameters
    ----------
    tensors : list of Tensor
        Both matrix operands, then the epilogue's.
    """
    used = backend or ""
    recorded = records(tensors)
    plain = not recorded and _plain(tensors)
    if fallback == "error":
        _require(name, tensors, text, settings, used)
    if not plain and not (recorded and _plain(tensors)) and stores_more(text):
        raise OptionError(
            "a second result is written past what compiles, traces or maps this call",
            hint="Call it outside, or take the value ahead of the activation from a call of its own",
            op=name,
        )
    if out is not None and plain and type(out) in _PLAIN:
        return _into(name, tensors, text, settings, out, used)
    if plain:
        value = kernels.run(name, tensors, text, settings, used)
    elif recorded:
        value = _recorded(name, tensors, text, settings, used)
    else:
        value = _dispatched(name, tensors, text, settings, used)
    return value if out is None else out.copy_(value)


def _into(
    name: str,
    tensors: list[torch.Tensor],
    text: str,
    settings: tuple[Any, ...],
    out: torch.Tensor,
    backend: str,
) -> Any:
    """Write the result where the caller wants it; a kernel stores it there directly."""
    problem_of, given, options = kernels.statement(name, tensors, settings)
    inputs = [tensors[0], tensors[1].t() if name == "linear" else tensors[1]]
    panels = packed.panels_of(name, tensors[1]) if packed.held and name not in shapes.CONVOLUTIONS else None
    if panels is not None:
        options = options.replace(panel_columns=panels.options.panel_columns)
        try:
            operands = tuple(tensors[2:])
            inputs = [tensors[0], panels.matrix]
            return run(name, inputs, epilogue_of(text), operands, out, given, problem_of, backend or None, options)
        except kernels.NO_KERNEL:
            return out.copy_(kernels.run(name, tensors, text, settings, backend))
    try:
        epilogue = epilogue_of(text)
        result = run(name, inputs, epilogue, tuple(tensors[2:]), out, given, problem_of, backend or None, options)
        if name == "matmul" and not text and not backend and not settings[1]:
            key = (name, given, epilogue, False, None, options)
            replay.keep(tensors[0], tensors[1], out, key, settings[0], settings[2])
        return result
    except kernels.NO_KERNEL:
        if backend:
            raise
        return out.copy_(kernels.run(name, tensors, text, settings, backend))


def _dispatched(
    name: str, tensors: list[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str
) -> torch.Tensor:
    operator = getattr(torch.ops.tracea, name).default
    check_devices(name, tensors)
    result: torch.Tensor = operator(tensors[0], tensors[1], tensors[2:], text, *settings, backend)
    return result


def _recorded(
    name: str, tensors: list[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str
) -> torch.Tensor:
    """Return the result with as much of the epilogue in the kernel as costs the backward pass nothing."""
    head, tail, count = cut(text)
    if not tail:
        return _dispatched(name, tensors, text, settings, backend)
    if _plain(tensors) and auxiliary.takes(name, tail, settings, tensors):
        return auxiliary.stored(name, tensors, head, tail, settings, backend)[0]
    sums = _dispatched(name, tensors[: 2 + count], head, settings, backend)
    column_axis = shapes.column_axis(name)
    if name == "matmul" and settings[0] is not None:
        return apply_text(tail, sums, tensors[2 + count :], column_axis)
    return apply_tail(tail, sums, tensors[2 + count :], column_axis)


def _require(name: str, tensors: list[torch.Tensor], text: str, settings: tuple[Any, ...], backend: str) -> None:
    """Raise unless a kernel takes these tensors; fake ones have none to ask."""
    if torch.compiler.is_compiling() or not all(type(tensor) in _PLAIN for tensor in tensors):
        return
    reason = kernels.find(name, tensors, text, settings, backend).reason
    if reason is not None:
        raise reason


def _plain(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether nothing in the dispatcher but autograd, backwards, would act on a call with these tensors."""
    if torch.compiler.is_compiling():
        return False
    if not all(type(tensor) in _PLAIN for tensor in tensors):
        sharding.ready()  # in inference mode nothing else asks for it
        return False
    if _modes() or _peek() is not None or _functions() or _autocast() or is_forward():
        return False
    if any(tensor.layout is not _strided or tensor.is_nested for tensor in tensors):
        return False
    return not any(tensor.is_neg() or tensor.is_conj() or tensor.is_meta for tensor in tensors)


def require(
    name: str,
    problem_of: Callable[..., Problem],
    inputs: Sequence[torch.Tensor],
    settings: tuple[Any, ...],
    backend: str | None,
) -> None:
    """Raise unless a kernel takes these inputs without an epilogue; fake ones, and those that are traced, have none to ask.

    Raises
    ------
    UnsupportedError
        With the reason.
    """
    if torch.compiler.is_compiling() or not all(type(tensor) in _PLAIN for tensor in inputs):
        return
    device = common_device(name, list(inputs), [TORCH] * len(inputs))
    specs = tuple(TORCH.spec(tensor) for tensor in inputs)
    place = (name, specs, settings, device, backend)
    if place not in _taken:
        trace(problem_of(*settings, Request(specs)), device, backend)
        _taken[place] = True


_taken: dict[tuple[Any, ...], bool] = derived({})
_strided = torch.strided
_modes = torch._C._len_torch_dispatch_stack
_functions = torch._C._len_torch_function_stack
_peek = torch._C._functorch.peek_interpreter_stack
_autocast = torch._C._is_any_autocast_enabled


def check_devices(name: str, tensors: Sequence[torch.Tensor]) -> None:
    """Raise unless all tensors are on one device."""
    if len({tensor.device for tensor in tensors}) > 1:
        common_device(name, list(tensors), [TORCH] * len(tensors))


def _tensor(operand: Any, like: torch.Tensor) -> torch.Tensor:
    """Return an epilogue operand as a tensor on the device of the inputs, sharing its memory where that is possible."""
    if isinstance(operand, torch.Tensor):
        return operand
    if hasattr(operand, "__dlpack__") and not hasattr(operand, "__array_interface__"):
        shared: torch.Tensor = torch.utils.dlpack.from_dlpack(operand)
        return shared
    return torch.as_tensor(operand, device=like.device)
