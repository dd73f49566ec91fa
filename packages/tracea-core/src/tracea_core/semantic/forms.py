# SPDX-License-Identifier: MIT
"""What a kernel can be built from and certified against: the form of its family, and the way from a problem to it."""

from __future__ import annotations

from typing import TypeAlias

from tracea_core.doctor.depthwise import OF_PLANES, STRIPS, filters_channels
from tracea_core.doctor.variants import Variant
from tracea_core.doctor.winograd import WINOGRAD
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormalizeOp, NormOp, SoftmaxOp
from tracea_core.policy.topology import takes_pixels
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.depthwise import Depthwise, LoweredDepthwise
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.lower_chained import LoweredChain, lower_chained
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.lower_depthwise import STRIPPED, lower_depthwise
from tracea_core.semantic.lower_rowwise import LoweredRows, lower_rowwise
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.sweep import LoweredSweep, Sweep

Form: TypeAlias = Contraction | Depthwise | Rowwise | Chained | Sweep
"""The mathematics of a kernel, with the addresses of its tensors."""
AnyLowered: TypeAlias = Lowered | LoweredDepthwise | LoweredRows | LoweredChain | LoweredSweep
"""A form and the values its symbols take for one problem."""


def lower_any(problem: Problem, variant: Variant | None = None) -> AnyLowered:
    """Return the form of `problem`, whatever family its op is of, as the schedule of `variant` takes it.

    Raises
    ------
    UnsupportedError
        If no lowering knows the op.
    """
    if isinstance(problem.op, SoftmaxOp | NormOp | NormalizeOp):
        return lower_rowwise(problem)
    if isinstance(problem.op, AttentionOp | LowRankOp):
        return lower_chained(problem)
    if variant is not None and filters_channels(variant):
        if variant.schedule in OF_PLANES:
            return lower_depthwise(problem, planes=True)
        return lower_depthwise(problem, STRIPPED) if variant.schedule == STRIPS else lower_depthwise(problem)
    walked = variant is not None and variant.schedule == "warp_specialized"
    lowered = lower(problem, pixels=takes_pixels(variant), walked=walked)
    return of_three_taps(lowered) if variant is not None and variant.schedule == WINOGRAD else lowered
