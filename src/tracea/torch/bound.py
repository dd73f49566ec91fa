# SPDX-License-Identifier: MIT
"""Launches on any number of tensors, queued again by one foreign call where the same tensors come back.

`tracea.torch.replay` does so for plain products, whose two factors it knows; here are the ops with more inputs. In training most
tensors lie elsewhere at each step, so what such tensors were launched with is also known by their shapes: then a launch is packed for
their addresses, and nothing is looked up or compared twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tracea.dispatch import BoundPlan, derived
from tracea.torch import replay

_SETS = 4096
_deterministic = torch._C._get_deterministic_algorithms


class _Planned(NamedTuple):
    """What tensors of some shapes were launched with: PyTorch's check that they are alike, as in `replay._Bound`, and the plan."""

    check: Callable[..., bool]
    deterministic: bool
    device: int
    plan: BoundPlan


class BoundCalls:
    """Launches of one op, by the addresses of its tensors and whatever else was asked, and plans by their shapes."""

    def __init__(self) -> None:
        self._held: dict[tuple[Any, ...], replay._Bound] = derived({})
        self._planned: dict[tuple[Any, ...], _Planned] = derived({})

    def again(self, tensors: tuple[Any, ...], asked: Any) -> bool:
        """Queue the launch on these tensors again; return False where nothing was queued.

        The tensors are plain ones of a device, and nothing traces the call.
        """
        bound = self._held.get((*[tensor.data_ptr() for tensor in tensors], asked))
        if bound is None or not bound.check(*tensors) or bound.deterministic != _deterministic() or replay._functions():
            return False
        call = bound.calls.get(replay._stream_of(bound.device))  # type: ignore[misc]  # bound only where there are streams
        return call is not None and not call[0]()

    def elsewhere(self, tensors: tuple[Any, ...], asked: Any) -> bool:
        """Queue the launch that such tensors had at other addresses; return False where nothing was queued.

        The tensors are as for `again`. Whether the result overlaps an input is the caller's to know.
        """
        planned = self._planned.get((asked, tensors[0].shape, tensors[1].shape))
        if planned is None or not planned.check(*tensors) or planned.deterministic != _deterministic():
            return False
        if replay._functions():
            return False
        stream, plan = replay._stream_of(planned.device), planned.plan  # type: ignore[misc]  # as above
        pointers = tuple([tensor.data_ptr() for tensor in tensors])
        call = replay._queued(plan, tuple([pointers[place] for place in plan.order]), stream)
        if call is None or call[0]():
            return False
        self._hold((*pointers, asked), planned, stream, call)
        return True

    def keep(self, tensors: tuple[torch.Tensor, ...], asked: Any, plan: BoundPlan | None) -> bool:
        """Remember what queues the launch of `plan` on these tensors on the current stream; return whether anything does.

        The tensors stand in the order of the plan's: inputs, output.
        """
        device = tensors[0].get_device()
        if (
            plan is None
            or plan.launch is None
            or plan.bind is None
            or plan.converted
            or device < 0
            or replay._stream_of is None
        ):
            return False
        check, stream = replay.checker(*tensors), replay._stream_of(device)
        pointers = tuple(tensor.data_ptr() for tensor in tensors)
        call = None if check is None else replay._queued(plan, tuple(pointers[place] for place in plan.order), stream)
        if check is None or call is None:
            return False
        planned = _Planned(check, _deterministic(), device, plan)
        with replay._guard:
            if len(self._planned) >= _SETS:
                self._planned.clear()
            self._planned[asked, tensors[0].shape, tensors[1].shape] = planned
        self._hold((*pointers, asked), planned, stream, call)
        return True

    def _hold(
        self, place: tuple[Any, ...], planned: _Planned, stream: int, call: tuple[Callable[[], int], object]
    ) -> None:
        """Remember what queues a launch at these addresses on this stream."""
        with replay._guard:
            known = self._held.get(place)
            if known is None or known.check is not planned.check or known.deterministic != planned.deterministic:
                if len(self._held) >= _SETS:
                    self._held.clear()
                known = replay._Bound(planned.check, False, planned.deterministic, planned.device, {})
                self._held[place] = known
            if len(known.calls) >= replay._STREAMS:
                known.calls.clear()
            known.calls[stream] = call
