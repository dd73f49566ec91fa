# SPDX-License-Identifier: MIT
"""Whether groups of a convolution are multiplied together: few channels of each would fill little of a matrix instruction.

A warpgroup instruction takes 16 channels at a time and a copy engine rows of 32 to 128 bytes, where a group may have four or eight
channels. So the filters of some neighbouring groups are copied into those of one, with zeros for the channels of the others: of 32 groups
of eight channels eight become one, a convolution in four groups of 64. It multiplies eight times as much, and reads each pixel in whole
lines. A zero times an infinity or NaN is NaN: what is not finite reaches the results of the groups that are multiplied with its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.doctor.image_walk import RequiresOwnFilters
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.pixels import filters_are_rows
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_images import ROOM, images_of_groups, with_filters
from tracea_core.policy.arrangement import CHUNK, Arrangement, Packing
from tracea_core.target import CapabilityProfile

_OF_LANES = (DType.FP32, DType.BF16, DType.FP16)
"""Types of channels that lanes filter on their own."""
_WIDEST = 128
"""Channels of merged groups: of more, too many are multiplied with zeros."""


def merged_groups(problem: Problem, profile: CapabilityProfile) -> Iterator[Arrangement]:
    """Yield the ways to multiply neighbouring groups of a convolution together, those of the fewest first.

    Images that are not channels-last are copied so first, and results copied from where they are stored. Channels of which each has
    filters of its own are left to lanes, which read them at memory's speed: an H200 took 74 µs for 384 of 64×14² by 7×7 together, and 15.
    """
    op = problem.op
    assert isinstance(op, Conv2dOp)
    w, run = problem.inputs[1], CHUNK // problem.inputs[1].dtype.bytes
    lanes = op.dtype.bytes > 2 and op.dtype is not DType.TF32 and not problem.options.allow_tf32
    if isinstance(op, CroppedConv2dOp) or op.groups == 1 or lanes or problem.is_empty or not _follow(w):
        return
    way = images_of_groups(problem)
    way = Arrangement(problem=problem) if way is None else way
    if op.groups == op.c and op.dtype in _OF_LANES and RequiresOwnFilters().reason(way.problem, profile) is None:
        return
    room = ROOM - sum(one.bytes for one in way.packed) - way.stored_bytes
    channels, each = w.shape[1], op.k // op.groups * op.r * op.s
    for merged in range(2, op.groups + 1):
        depth = merged * channels
        if depth > _WIDEST:
            return
        if op.groups % merged or depth % run:
            continue
        copied = TensorSpec.contiguous((op.groups, each, depth), w.dtype)
        reason = f"{channels} channels of a group are few, and {merged} groups have {depth}"
        packing = Packing(operand=1, copied=copied, along=-1, depth=depth, reason=reason, merged=merged)
        if packing.bytes > room:
            continue
        filters = TensorSpec((op.k, depth, op.r, op.s), w.dtype, (op.r * op.s * depth, 1, op.s * depth, depth))
        yield with_filters(way, op.replace(groups=op.groups // merged), packing, filters)


def _follow(filters: TensorSpec) -> bool:
    """Whether filters lie one after the other, the channels of an element together or its elements of a channel."""
    if filters.rank != 4:
        return False
    plain = filters.settled()
    one_by_one = plain.strides[0] == plain.size // plain.shape[0]
    return one_by_one and (filters_are_rows(plain) or plain.is_contiguous)
