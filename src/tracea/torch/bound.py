# SPDX-License-Identifier: MIT
"""Launches on any number of tensors, queued again by one foreign call where the same tensors come back.

`tracea.torch.replay` does so for plain products, whose two factors it knows; here are the ops with more inputs. In training most
tensors may lie elsewhere at each step, so what such tensors were launched with is also known by their shapes: then it is launched at once,
and nothing is looked up or compared twice.
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
        self._met: dict[tuple[Any, ...], None] = derived({})

    def again(self, tensors: tuple[Any, ...], asked: Any) -> replay._Bound | None:
        """Queue the launch on these tensors again; return what knows it, None where nothing was queued.

        The tensors are plain ones of a device, and nothing traces the call.
        """
        bound = self._held.get((*[tensor.data_ptr() for tensor in tensors], asked))
        if bound is None or not bound.check(*tensors) or bound.deterministic != _deterministic() or replay._functions():
            return None
        call = bound.calls.get(replay._stream_of(bound.device))  # type: ignore[misc]  # bound only where there are streams
        return None if call is None or call[0]() else bound

    def elsewhere(self, tensors: tuple[Any, ...], asked: Any) -> bool:
        """Launch what such tensors were launched with at other addresses; return False where nothing is known of such.

        The tensors are as for `again`. Whether the result overlaps an input is the caller's to know. What queues a launch by one call
        is made where addresses come back, since it takes as long as launches do.
        """
        planned = self._planned.get((asked, tensors[0].shape, tensors[1].shape))
        if planned is None or not planned.check(*tensors) or planned.deterministic != _deterministic():
            return False
        if replay._functions():
            return False
        plan, pointers = planned.plan, [tensor.data_ptr() for tensor in tensors]
        ordered, place = tuple([pointers[place] for place in plan.order]), (*pointers, asked)
        if place not in self._met:
            self._meet(place)
        elif plan.bind is not None:
            stream = replay._stream_of(planned.device)  # type: ignore[misc]  # as above
            call = replay._queued(plan, ordered, stream)
            if call is not None and not call[0]():
                self._hold(place, planned, stream, call)
                return True
        assert plan.launch is not None
        plan.launch(*ordered)
        return True

    def keep_plan(self, tensors: tuple[torch.Tensor, ...], asked: Any, plan: BoundPlan | None) -> None:
        """Remember the plan that these tensors have just been launched with, for those like them, wherever they are."""
        device = tensors[0].get_device()
        if plan is None or plan.launch is None or plan.converted or device < 0 or replay._stream_of is None:
            return
        check = replay.checker(*tensors)
        if check is None:
            return
        with replay._guard:
            if len(self._planned) >= _SETS:
                self._planned.clear()
            self._planned[asked, tensors[0].shape, tensors[1].shape] = _Planned(check, _deterministic(), device, plan)
        self._meet((*[tensor.data_ptr() for tensor in tensors], asked))

    def _meet(self, place: tuple[Any, ...]) -> None:
        """Remember addresses that a launch was made at."""
        with replay._guard:
            if len(self._met) >= _SETS:
                self._met.clear()
            self._met[place] = None

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
        self._hold((*pointers, asked), _Planned(check, _deterministic(), device, plan), stream, call)
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
                known = replay._Bound(planned.check, False, planned.deterministic, planned.device, {}, {})
                self._held[place] = known
            known.keep(stream, call)
