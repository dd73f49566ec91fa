# SPDX-License-Identifier: MIT
"""What kinds of kernel demand of a convolution: a copy engine that walks over windows, and channels that are filtered on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.doctor.plane_windows import (
    MOST_REGISTERS,
    columns_in_eights,
    lane_registers,
    plane_registers,
    reach,
    residues,
)
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.pixels import (
    filters_are_columns,
    filters_are_rows,
    filters_are_walked,
    rows_are_pixels,
    stored_in_planes,
)
from tracea_core.ops.spec import TensorSpec
from tracea_core.target import CapabilityProfile

if TYPE_CHECKING:
    from tracea_core.ops.problem import Problem

_WIDEST_STEP, _FARTHEST_CORNER, _FARTHEST_ELEMENT = 8, 127, 255
"""Of a walk over windows in two dimensions (CUDA Driver API, cuTensorMapEncodeIm2col: element strides, corners and offsets)."""

_CHUNK = 16
_ROW_BYTES = 128
"""Of the channels that a walk loads at once."""
_MORE = 4
"""Elements of a filter behind the last one that a tile of 256 columns reaches at the most."""
_DEEPEST = 4
"""Input channels of a group: matrix instructions take 16 at a time, of which fewer would be a quarter."""
_WIDEST = 16
"""Columns of a filter: each is printed by itself."""
_FEWEST_PIXELS = 2
"""Of a lane's piece."""
_PADDED = 8
"""Elements that a row of filters in shared memory is padded by, at the most."""


class RequiresImageWalk(Data, frozen=True, tag=True):
    """A channels-last convolution whose windows a copy engine walks over (cuTensorMapEncodeIm2col): small distances, whole chunks."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "a channels-last convolution whose windows a copy engine walks over"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        if isinstance(op, Conv2dFiltersOp):
            return _gradient_reason(problem, op) or _far(op.convolution, _MORE)
        if not isinstance(op, Conv2dOp):
            return f"{type(op).__name__} has no windows"
        if not op.c:
            return "it has no channels"
        w = problem.inputs[1]
        if op.groups != 1 and (reason := _grouped_reason(op, w)) is not None:
            return reason
        stored = rows_are_pixels(problem, problem.output.dtype.bytes == 2) or stored_in_planes(problem)
        if not stored or not (filters_are_rows(w) or (w.dtype.bytes == 2 and filters_are_columns(w))):
            return "images, filters or results are not channels-last"
        if op.r == op.s == 1 and filters_are_rows(w) and op.c * w.dtype.bytes % _CHUNK:
            return (
                f"the only element of a filter has {op.c} channels, no multiple of {_CHUNK} bytes"  # which is its step
            )
        return _far(op)


def _grouped_reason(op: Conv2dOp, w: TensorSpec) -> str | None:
    """Why the groups of a convolution are not walked over one by one, or None."""
    channels, filters = op.c // op.groups, op.k // op.groups
    whole = _CHUNK // w.dtype.bytes
    if w.rank != 4 or not filters_are_rows(w):
        return f"the filters of {op.groups} groups do not follow each other, channels together"
    if channels % whole or filters % whole:
        return f"groups of {channels} channels and {filters} filters are no multiples of {whole}"
    return None


def _gradient_reason(problem: Problem, op: Conv2dFiltersOp) -> str | None:
    """Why the sums of a gradient of filters are not over windows that an engine walks over, or None."""
    run = _ROW_BYTES // op.dtype.bytes
    if not filters_are_walked(problem):
        return "images, gradients or filters are not channels-last, or channels are divided into groups"
    if op.dtype.bytes != 2:
        return f"matrix instructions read {op.dtype.value} along the reduction only, which is over pixels"
    return f"{op.c} channels are no multiple of {run}" if op.c % run or not op.c else None


def _far(op: Conv2dOp, more: int = 0) -> str | None:
    """Why distances are more than an engine takes, or None; with `more` elements of a filter than it has."""
    reach = [spread * (size - 1 + more) for spread, size in zip(op.dilation, (op.r, op.s), strict=True)]
    beyond = [_beyond(op, axis) for axis in (0, 1)]
    if max(op.stride) > _WIDEST_STEP or max(reach) > _FARTHEST_ELEMENT or max(op.padding) > _FARTHEST_CORNER:
        return f"stride {op.stride}, padding {op.padding} or reach {tuple(reach)} is more than a copy engine takes"
    if min(beyond) - _WIDEST_STEP < -_FARTHEST_CORNER:
        return f"windows end {-min(beyond)} elements before the image does, more than a copy engine takes"
    return None


def _beyond(op: Conv2dOp, axis: int) -> int:
    """How far behind the image's last row or column the last window begins."""
    first = (op.origin[axis] if isinstance(op, CroppedConv2dOp) else 0) - op.padding[axis]
    return first + (op.output_size[axis] - 1) * op.stride[axis] - ((op.h, op.w)[axis] - 1)


class RequiresOwnFilters(Data, frozen=True, tag=True):
    """A channels-last convolution with at most four input channels in a group, whose filters fit shared memory."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"a channels-last convolution with up to {_DEEPEST} input channels in a group of several"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        reason = _channels_apart(problem)
        if reason is not None or not isinstance(op, Conv2dOp):
            return reason
        deep = op.c // op.groups
        if not 1 <= deep <= _DEEPEST:
            return f"{op.groups} groups have {deep} input channels each"
        rows = -(-op.r * op.s * deep // 8) * 8
        needed = rows * (profile.lanes + _PADDED) * 4
        if op.s > _WIDEST or needed > profile.shared_bytes:
            return f"filters of {op.r}x{op.s} take {needed} bytes of {profile.shared_bytes}"
        return None


class RequiresOwnPlanes(Data, frozen=True, tag=True):
    """A convolution of planes in which a filter sees one channel, which fits registers with all that a line sees.

    As bands of matrix instructions, or, `by_lanes`, element by element.
    """

    by_lanes: bool = False

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "a convolution of planes with filters for each channel that registers hold"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        reason = _filters_together(problem)
        if reason is not None or not isinstance(op, Conv2dOp):
            return reason
        if op.groups != op.c:
            return f"{op.groups} groups have {op.c // op.groups} input channels each"
        full = [spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape]
        if any(spec.settled().strides[3] != 1 for spec in (problem.inputs[0], problem.output, *full)):
            return "pixels of a line do not lie next to each other"
        seen = [reach(taps, apart) for taps, apart in zip((op.r, op.s), op.dilation, strict=True)]
        needed = plane_registers(seen[0], 1, op.r, columns_in_eights(seen[1], op.stride[1], 2))
        if self.by_lanes:
            shifts = [tap * op.dilation[1] for tap in range(op.s)]
            columns = sum(residues(shifts, op.stride[1], _FEWEST_PIXELS, 1).values())
            needed = lane_registers(seen[0], columns, 1, _FEWEST_PIXELS, op.r * op.s)
        if needed > MOST_REGISTERS:
            return f"filters of {op.r}x{op.s} that see {seen[0]}x{seen[1]} take {needed} registers of {MOST_REGISTERS}"
        return None


class RequiresFilterForEach(Data, frozen=True, tag=True):
    """A channels-last convolution in which each channel has one filter of its own."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "a channels-last convolution with one filter for each channel"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        reason = _channels_apart(problem)
        if reason is not None or not isinstance(op, Conv2dOp):
            return reason
        if not op.groups == op.c == op.k:
            return f"{op.groups} groups have {op.c // op.groups} input channels and {op.k // op.groups} filters each"
        return f"filters have {op.s} columns, beyond {_WIDEST}" if op.s > _WIDEST else None


def _filters_together(problem: Problem) -> str | None:
    """Why a problem is no plain convolution in several groups, or None."""
    op = problem.op
    if not isinstance(op, Conv2dOp):
        return f"{type(op).__name__} has no filters"
    if isinstance(op, CroppedConv2dOp):
        return "windows begin within the padding, or end before it does"
    if op.groups == 1:
        return f"1 groups have {op.c} input channels each"
    if problem.epilogue.gated:
        return "cannot fuse a gated epilogue"
    return None


def _channels_apart(problem: Problem) -> str | None:
    """Why a problem is no channels-last convolution in several groups, or None."""
    op, reason = problem.op, _filters_together(problem)
    if reason is not None or not isinstance(op, Conv2dOp):
        return reason
    images = (problem.inputs[0], problem.output)
    if any(spec.settled().strides[1] != 1 for spec in images):
        return "images or results are not channels-last"
    full = [spec for spec in problem.epilogue_inputs if spec.shape == problem.output.shape]
    if any(spec.settled().strides[1] != 1 for spec in full):
        return "an operand of the epilogue is not channels-last"
    if problem.output.shape[3] > 1 and problem.output.strides[3] < op.k:
        return "pixels of the result do not follow one another"
    return None
