# SPDX-License-Identifier: MIT
"""The shortest way of an operator with an epilogue that has run before on the same weight: one check, one look-up, one foreign call.

Compiled graphs call the same few operators again and again, each with its own weight, on memory that an allocator gives out in turns.
So what is remembered is filed under the weight's address: what the tensors must be, what allocates the result, and, by the other
addresses and the stream, what queues the launch. Whatever is not found takes the ordinary way, which leaves it here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import torch
from tracea_core.errors import AlignmentError

from tracea.dispatch import BoundPlan, derived
from tracea.torch import packed
from tracea.torch.replay import PLAIN, checker

Place: TypeAlias = tuple[Any, ...]
Queued: TypeAlias = tuple[Callable[[], int], object]
_LIMIT = 4096
_SETS = 64
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_deterministic = torch._C._get_deterministic_algorithms
_guard = threading.Lock()


class Site(NamedTuple):
    """An operator on one weight.

    Attributes
    ----------
    check : callable
        Whether tensors are what they were, as in `tracea.torch.replay`.
    deterministic : bool
        What `torch.use_deterministic_algorithms` said.
    device : int
        The device's number.
    plan, allocate
        What the call consists of.
    calls : dict
        By stream and addresses of result, first input and operands: what queues the launch, and what has to live as long.
    """

    check: Callable[..., bool]
    deterministic: bool
    device: int
    plan: BoundPlan
    allocate: Callable[[], torch.Tensor]
    calls: dict[tuple[int, ...], Queued]


_sites: dict[Place, Site] = derived({})


def again(place: Place, tensors: list[torch.Tensor]) -> torch.Tensor | None:
    """Launch what was launched at this place before, into a new result; None where that is not known or not the same."""
    site = _sites.get(place)
    if site is None or packed.held or not site.check(*tensors) or site.deterministic != _deterministic():
        return None
    out = site.allocate()
    result = out.data_ptr()
    addresses = [tensor.data_ptr() for tensor in tensors]
    stream = _stream_of(site.device)  # type: ignore[misc]  # there are sites only where there are streams
    call = site.calls.get((stream, result, *addresses))
    if call is not None and not call[0]():
        return out
    plan = site.plan
    addresses.insert(len(plan.problem.inputs), result)
    ordered = tuple([addresses[place] for place in plan.order])
    assert plan.launch is not None and plan.bind is not None
    plan.launch(*ordered)
    if call is None:
        _queue(site, stream, result, tensors, ordered)
    return out


def _queue(site: Site, stream: int, result: int, tensors: list[torch.Tensor], ordered: tuple[int, ...]) -> None:
    """Keep what queues this launch again; unaligned addresses are served by another kernel, planned for less."""
    assert site.plan.bind is not None
    try:
        call = site.plan.bind(ordered, stream)
    except AlignmentError:
        return
    if call is None:
        return
    with _guard:
        if len(site.calls) >= _SETS:
            site.calls.clear()
        site.calls[(stream, result, *[tensor.data_ptr() for tensor in tensors])] = call


def keep(place: Place, tensors: list[torch.Tensor], plan: BoundPlan, allocate: Callable[[], torch.Tensor]) -> None:
    """Remember an operator that has just run, if its launches can be queued by one call and depend on nothing that is slow to ask."""
    first = tensors[0]
    if plan.bind is None or plan.launch is None or plan.converted or _stream_of is None:
        return
    if (first.is_cuda and first.dtype is torch.float32) or not all(type(tensor) in PLAIN for tensor in tensors):
        return  # in fp32 on a GPU it also depends on whether tf32 is allowed
    known = _sites.get(place)
    if known is not None and known.deterministic == _deterministic() and known.check(*tensors):
        return
    check = checker(*tensors)
    if check is None:
        return
    with _guard:
        if len(_sites) >= _LIMIT:
            _sites.clear()
        _sites[place] = Site(check, _deterministic(), first.get_device(), plan, allocate, {})
