# SPDX-License-Identifier: MIT
"""Launches on any number of tensors, queued again by one foreign call where the same tensors come back.

`tracea.torch.replay` does so for plain products, whose two factors it knows; here are the ops with more inputs.
"""

from __future__ import annotations

from typing import Any

import torch

from tracea.dispatch import BoundPlan, derived
from tracea.torch import replay

_SETS = 4096
_deterministic = torch._C._get_deterministic_algorithms


class BoundCalls:
    """Launches of one op, by the addresses of its tensors and whatever else was asked."""

    def __init__(self) -> None:
        self._held: dict[tuple[Any, ...], replay._Bound] = derived({})

    def again(self, tensors: tuple[Any, ...], asked: Any) -> bool:
        """Queue the launch on these tensors again; return False where nothing was queued.

        The tensors are plain ones of a device, and nothing traces the call.
        """
        bound = self._held.get((*[tensor.data_ptr() for tensor in tensors], asked))
        if bound is None or not bound.check(*tensors) or bound.deterministic != _deterministic() or replay._functions():
            return False
        call = bound.calls.get(replay._stream_of(bound.device))  # type: ignore[misc]  # bound only where there are streams
        return call is not None and not call[0]()

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
        with replay._guard:
            place = (*pointers, asked)
            known = self._held.get(place)
            now = _deterministic()
            if known is None or (known.device, known.deterministic) != (device, now) or not known.check(*tensors):
                if len(self._held) >= _SETS:
                    self._held.clear()
                known = self._held[place] = replay._Bound(check, False, now, device, {})
            if len(known.calls) >= replay._STREAMS:
                known.calls.clear()
            known.calls[stream] = call
        return True
