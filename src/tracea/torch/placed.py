# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.into``: a product of a compiled graph, written where the graph's compiler has planned its memory.

Inductor allocates results ahead of the calls and gives memory that nobody reads any more to the next one, so a chain of products runs in
two buffers and most calls allocate nothing. Their addresses are then the same each time, and one look-up by them all finds what queues
the launch.
"""

from __future__ import annotations

from typing import Any

import torch

from tracea.torch import kernels, packed
from tracea.torch.bound import BoundCalls

_calls = BoundCalls()


def into(*given: Any, out: torch.Tensor) -> None:
    """Compute a product into `out`.

    Parameters
    ----------
    *given
        Both matrix operands, the epilogue's, and what is asked of them: the operator's name, its epilogue as text, its settings (hashable),
        the backend's name and whether extents may differ at the next call.
    out : Tensor
        Memory for the result, in the layout that the operator's fake promises.
    """
    first, second, *operands, asked = given
    tensors = (first, second, out, *operands)
    place = (asked, first.shape) if asked[4] else asked  # memory comes back for other shapes
    if not packed.held and (_calls.again(tensors, place) or _calls.elsewhere(tensors, place)):
        return
    name, text, settings, backend, _ = asked
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
    entry = kernels.find(name, inputs, text, settings, backend)
    _fill(entry, inputs, out)
    if first.is_cuda and first.dtype is torch.float32:
        return  # it also depends on whether tf32 is allowed, which is slow to ask
    if entry.strides == out.stride():
        _calls.keep_plan(tensors, place, entry.plan)


def _fill(entry: kernels.Entry, inputs: list[torch.Tensor], out: torch.Tensor) -> None:
    """Let an entry write into `out`, by a copy where it lies otherwise, or where PyTorch computes."""
    if entry.fill is not None and entry.strides == out.stride():
        entry.fill(inputs, out)
    else:
        out.copy_(entry.call(inputs))


setattr(torch.ops.tracea, into.__name__, into)
