# SPDX-License-Identifier: MIT
"""Calls whose number of rows varies: one plan for each power of two of rows, whose kernel serves what lies between.

A graph with symbolic rows calls the same product with one number of rows after the other. What is planned is the product of the next
power of two; the others take its kernel (`tracea_core.pipeline.rebind`), which costs neither a search nor a compiler. Numbers that were
asked for by themselves, as the one that a graph was compiled with, keep plans of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from tracea_core.errors import TraceaError
from tracea_core.ops.epilogue import Epilogue, OperandAxes
from tracea_core.ops.problem import Problem
from tracea_core.pipeline import Plan, plan
from tracea_core.pipeline.rebind import rebound

from tracea.dispatch import derived
from tracea.torch import shapes
from tracea.torch.outline import Outline

_plans: dict[tuple[Any, ...], Plan | None] = derived({})
"""By what stands for all calls of a bucket: its plan, None where there is none."""


def top(extent: int) -> int:
    """Return the last extent of the bucket of one: the next power of two.

    Examples
    --------
    >>> [top(extent) for extent in (1, 2, 3, 4, 100, 128, 129)]
    [1, 2, 4, 4, 128, 128, 256]
    """
    return extent if extent < 1 else 1 << (extent - 1).bit_length()


def representative(name: str, tensors: Sequence[torch.Tensor], epilogue: Epilogue) -> list[Outline] | None:
    """Return tensors as a call at the top of its bucket has them, None where it cannot be said how those lie.

    What varies is what leads: images of a convolution, else every axis ahead of the reduced one. Tensors that have it must be contiguous,
    in planes or channels-last.
    """
    first, second, *operands = tensors
    convolved = name in shapes.CONVOLUTIONS
    if not convolved and second.dim() != 2:
        return None
    leading = 1 if convolved else first.dim() - 1
    kinds = [operand.axes for operand in epilogue.operands]
    if any(kind is OperandAxes.ROW for kind in kinds) or len(kinds) != len(operands):
        return None
    found = [_raised(first, leading), _outline(second)]
    for operand, kind in zip(operands, kinds, strict=True):
        full = kind is OperandAxes.FULL
        if full and operand.shape[:leading] != first.shape[:leading]:
            return None
        found.append(_raised(operand, leading) if full else _outline(operand))
    known = [outline for outline in found if outline is not None]
    return known if len(known) == len(found) else None


def plan_of(
    asked: tuple[Any, ...],
    tensors: Sequence[torch.Tensor],
    problem: Problem,
    device: str,
    state: Callable[[list[Outline]], Problem],
) -> Plan | None:
    """Return the plan of a problem by the kernel of its bucket's top, None where that has none or does not serve it.

    Parameters
    ----------
    asked : tuple
        The operator's name, its epilogue as text, its settings and the backend's name.
    state : callable
        Returns the problem of such tensors.
    """
    outlines = None if problem.is_empty else representative(asked[0], tensors, problem.epilogue)
    if outlines is None:
        return None
    key = (asked, problem.options, *outlines)
    if key not in _plans:
        try:
            _plans[key] = plan(state(outlines), device, asked[3] or None)
        except TraceaError:
            _plans[key] = None
    made = _plans[key]
    return None if made is None else rebound(made, problem)


def _outline(tensor: torch.Tensor) -> Outline:
    return Outline(tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device)


def _raised(tensor: torch.Tensor, leading: int) -> Outline | None:
    """Return a tensor with leading extents at the tops of their buckets, lying as it does; None where it is not contiguous."""
    shape = (*map(top, tensor.shape[:leading]), *tensor.shape[leading:])
    last = tensor.dim() == 4 and shapes.is_channels_last(tensor)
    if not (last or tensor.is_contiguous()):
        return None
    layout = torch.channels_last if last else torch.contiguous_format
    return Outline(shape, torch.empty(shape, device="meta", memory_format=layout).stride(), tensor.dtype, tensor.device)
