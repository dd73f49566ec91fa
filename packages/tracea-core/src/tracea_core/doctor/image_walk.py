# SPDX-License-Identifier: MIT
"""What a copy engine that walks over the windows of images demands of a convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.pixels import filters_are_rows, rows_are_pixels
from tracea_core.target import CapabilityProfile

if TYPE_CHECKING:
    from tracea_core.ops.problem import Problem

_WIDEST_STEP, _FARTHEST_CORNER, _FARTHEST_ELEMENT = 8, 127, 255
"""Of a walk over windows in two dimensions (CUDA Driver API, cuTensorMapEncodeIm2col: element strides, corners and offsets)."""


class RequiresImageWalk(Data, frozen=True, tag=True):
    """A convolution whose windows a copy engine walks over (cuTensorMapEncodeIm2col): channels-last, one group, small distances."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "a convolution of one group, channels-last, whose windows a copy engine walks over"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        if not isinstance(op, Conv2dOp):
            return f"{type(op).__name__} has no windows"
        if not rows_are_pixels(problem) or not filters_are_rows(problem.inputs[1]):
            return "images, filters or results are not channels-last"
        if op.groups != 1:
            return f"channels are divided into {op.groups} groups"
        reach = [spread * (size - 1) for spread, size in zip(op.dilation, (op.r, op.s), strict=True)]
        beyond = [pad - far for pad, far in zip(op.padding, reach, strict=True)]
        if max(op.stride) > _WIDEST_STEP or max(reach) > _FARTHEST_ELEMENT or max(op.padding) > _FARTHEST_CORNER:
            return f"stride {op.stride}, padding {op.padding} or reach {tuple(reach)} is more than a copy engine takes"
        if min(beyond) - _WIDEST_STEP < -_FARTHEST_CORNER:
            return f"windows end {-min(beyond)} elements before the image does, more than a copy engine takes"
        return None
