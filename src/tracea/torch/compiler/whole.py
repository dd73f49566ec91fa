# SPDX-License-Identifier: MIT
"""Operators of graphs that are no products of two matrices: how each is stated, called, and computed by PyTorch.

They are decided like products: a kernel, then a trial. What calls them is the dispatcher, not `tracea.torch.placed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from tracea_core.ops.problem import Problem

from tracea.arrays import TORCH
from tracea.dispatch import BoundPlan
from tracea.torch import kernels

if TYPE_CHECKING:
    from tracea.torch.compiler.sketch import Sketch

Computation = Callable[["Sketch", Sequence[torch.Tensor]], torch.Tensor]


class Whole(NamedTuple):
    """One operator.

    Attributes
    ----------
    problem : callable
        What it states on the tensors of a sketch.
    call, in_torch : callable
        What a compiled graph calls, and what that replaces, on tensors.
    strides : callable
        Those of its result.
    work : callable
        How much there is to do, in multiplications.
    refuse : callable
        Raises what the operator itself would leave to PyTorch.
    in_steps : callable, optional
        The steps that a graph may spell it out as, as PyTorch computes them.
    """

    problem: Callable[[Sketch], Problem]
    call: Computation
    in_torch: Computation
    strides: Callable[[Sketch], tuple[int, ...]]
    work: Callable[[Sketch], int]
    refuse: Callable[[Sketch], None] = lambda sketch: None
    in_steps: Computation | None = None


WHOLE: dict[str, Whole] = {}
"""By the operator's name."""


def entry(sketch: Sketch) -> kernels.Entry:
    """Return what a call becomes: a plan, or the reason for which PyTorch computes it."""
    whole = WHOLE[sketch.op]

    def call(tensors: list[torch.Tensor]) -> torch.Tensor:
        return whole.call(sketch, tensors)

    try:
        whole.refuse(sketch)
        plan = BoundPlan(whole.problem(sketch), None, TORCH.device(sketch.tensors[0]), lambda: None)
        return kernels.Entry(call, None, plan)
    except kernels.NO_KERNEL as error:
        return kernels.Entry(call, error)
