# SPDX-License-Identifier: MIT
"""The shortest way of a product that was planned before: ``matmul(a, b, out=out)`` on plain tensors, nothing else asked for.

Such calls fill the loops in which the host's time counts. Everything a plan depends on is still compared; what is skipped is only the
preparation for epilogues, options and modes that the call does not have.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import torch

from tracea.arrays import TORCH
from tracea.dispatch import BoundPlan, derived, find
from tracea.ops import call as calls

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_LIMIT = 4096
_SETS = 1024
_modes = torch._C._len_torch_dispatch_stack
_functions = torch._C._len_torch_function_stack
_peek = torch._C._functorch.peek_interpreter_stack
_autocast = torch._C._is_any_autocast_enabled
_deterministic = torch._C._get_deterministic_algorithms
_is_compiling = torch.compiler.is_compiling
_records = torch.is_grad_enabled


class _Known(NamedTuple):
    """A plan, and the sets of addresses that were found not to overlap."""

    plan: BoundPlan
    in_order: bool
    apart: set[tuple[int, int, int]]


_known: dict[tuple[Any, ...], _Known] = derived({})
_guard = threading.Lock()


def replay(a: Any, b: Any, out: Any) -> bool:
    """Launch the plan of this product again if it has one; return whether it was launched.

    Raises
    ------
    AliasError
        If `out` shares memory with an input.
    """
    if _is_compiling() or type(a) not in _PLAIN or type(b) not in _PLAIN or type(out) not in _PLAIN:
        return False
    known = _known.get(
        (
            a.shape, a.stride(), a.dtype, a.get_device(), b.shape, b.stride(), b.dtype, b.get_device(), out.shape, out.stride(),
            out.dtype, out.get_device(), _deterministic(),
        )
    )  # fmt: skip
    if known is None or _modes() or _peek() is not None or _functions() or _autocast():
        return False
    if (
        a.is_neg()
        or b.is_neg()
        or out.is_neg()
        or (_records() and (a.requires_grad or b.requires_grad or out.requires_grad))
    ):
        return False
    plan, in_order, apart = known
    pointers = (a.data_ptr(), b.data_ptr(), out.data_ptr())
    if pointers not in apart:
        plan.check_overlap(list(pointers), 2)
        if len(apart) >= _SETS:
            apart.clear()
        apart.add(pointers)
    assert plan.launch is not None
    if in_order:
        plan.launch(*pointers)
    else:
        plan.launch(*[pointers[place] for place in plan.order])
    return True


def keep(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, key: tuple[Any, ...]) -> None:
    """Remember the plan of a product that has just been launched.

    Parameters
    ----------
    key : tuple
        What the plan is filed under before the keys of the three arrays.
    """
    if a.is_cuda and a.dtype is torch.float32:
        return  # it also depends on whether tf32 is allowed, which is slow to ask
    plan = find((*key, *[TORCH.key(tensor) for tensor in (a, b, out)]))
    if plan is None or plan.launch is None or plan.converted:
        return
    place = (
        a.shape, a.stride(), a.dtype, a.get_device(), b.shape, b.stride(), b.dtype, b.get_device(), out.shape, out.stride(),
        out.dtype, out.get_device(), _deterministic(),
    )  # fmt: skip
    with _guard:
        if len(_known) >= _LIMIT:
            _known.clear()
        _known[place] = _Known(plan, plan.order == (0, 1, 2), set())


calls.again = replay
