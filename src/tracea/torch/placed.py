# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.into``: a product of a compiled graph, written where the graph's compiler has planned its memory.

Inductor allocates results ahead of the calls and gives memory that nobody reads any more to the next one, so a chain of products runs in
two buffers and most calls allocate nothing. Their addresses are then the same each time, and one look-up by them all finds what queues
the launch.

Most calls do with less. A call of a graph whose extents are numbers has one layout of each tensor for ever, which its compiler has checked
where they come into the graph, so a call names its *site*: a number made of all that. What was queued at a site on some weight is queued
again if addresses, stream and PyTorch's wish for the same bits are what they were then. A few sets of addresses are remembered: who keeps a
graph's result while the graph runs again has it written to other places in turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from tracea.dispatch import derived
from tracea.torch import kernels, packed, replay
from tracea.torch.bound import BoundCalls

_Site: TypeAlias = tuple[int, bool, Callable[..., int], object]
_SITES, _SETS = 4096, 4
_calls = BoundCalls()
_sites: dict[tuple[int, int], tuple[int, tuple[_Site, ...]]] = derived({})
"""By a site's number and its weight's address: the device, and for each set of addresses the stream, what PyTorch said of determinism, what
queues the launch for such arguments where they were, and what has to live as long."""
_deterministic = torch._C._get_deterministic_algorithms


def into(*given: Any, out: torch.Tensor) -> None:
    """Compute a product into `out`.

    Parameters
    ----------
    *given
        Both matrix operands, the epilogue's, and what is asked of them: the operator's name, its epilogue as text, its settings (hashable),
        the backend's name, and the site: a number that no call with other layouts, types or wishes has; 0 where extents may differ at
        the next call.
    out : Tensor
        Memory for the result, in the layout that the operator's fake promises.
    """
    known = _sites.get((given[-1][4], given[1].data_ptr()))
    if known is not None and not packed.held:
        stream, deterministic, arguments = replay._stream_of(known[0]), _deterministic(), (*given, out)  # type: ignore[misc]  # as in replay
        for at, asked, queue, _ in known[1]:
            if at == stream and asked == deterministic and not queue(*arguments):
                return
    _looked_up(given, out)


def _looked_up(given: tuple[Any, ...], out: torch.Tensor) -> None:
    """Compute what no site queued."""
    first, second, *operands, asked = given
    tensors = (first, second, out, *operands)
    name, text, settings, backend, site = asked
    place = asked[:4] if site else (asked[:4], first.shape)  # memory comes back for other shapes
    if not packed.held:
        bound = _calls.again(tensors, place)
        if bound is not None:
            if site:
                _stay(bound, given, out)
            return
        if _calls.elsewhere(tensors, place):
            return
    inputs = [first, second, *operands]
    if packed.held and name in kernels.PACKED:
        panels = packed.panels_of(name, second)
        if panels is not None:
            inputs[1] = panels.matrix
            entry = kernels.find(name, inputs, text, settings, backend, panels.options)
            if entry.reason is None:
                _fill(entry, inputs, out)
                return
            inputs[1] = second
    entry = kernels.find(name, inputs, text, settings, backend, varies=not site)
    _fill(entry, inputs, out)
    if first.is_cuda and first.dtype is torch.float32:
        return  # it also depends on whether tf32 is allowed, which is slow to ask
    if entry.strides == out.stride():
        _calls.keep_plan(tensors, place, entry.plan)


def _stay(bound: replay._Bound, given: tuple[Any, ...], out: torch.Tensor) -> None:
    """Let a site queue what has just been queued."""
    stream = replay._stream_of(bound.device)  # type: ignore[misc]  # as in replay
    call = bound.calls.get(stream)
    if call is None:
        return
    queue, held = bound.there.get(stream) or bound.known_at(stream, call, (*given, out))
    place = given[-1][4], given[1].data_ptr()
    with replay._guard:
        if len(_sites) >= _SITES:
            _sites.clear()
        _, known = _sites.get(place, (0, ()))
        if not any(site[2] is queue for site in known):
            _sites[place] = bound.device, ((stream, bound.deterministic, queue, held), *known[: _SETS - 1])


def _fill(entry: kernels.Entry, inputs: list[torch.Tensor], out: torch.Tensor) -> None:
    """Let an entry write into `out`, by a copy where it lies otherwise, or where PyTorch computes."""
    if entry.fill is not None and entry.strides == out.stride():
        entry.fill(inputs, out)
    else:
        out.copy_(entry.call(inputs))


setattr(torch.ops.tracea, into.__name__, into)
