# SPDX-License-Identifier: MIT
"""Whether groups of a convolution are multiplied together: few channels of each would fill little of a matrix instruction.

A warpgroup instruction takes 16 channels at a time and a copy engine rows of 32 to 128 bytes, where a group may have four or eight
channels. So the filters of some neighbouring groups are copied into those of one, with zeros for the channels of the others: of 32 groups
of eight channels eight become one, a convolution in four groups of 64. It multiplies eight times as much, and reads each pixel in whole
lines. A zero times an infinity or NaN is NaN: what is not finite reaches the results of the groups that are multiplied with its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.pixels import filters_are_rows
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.arrange_images import ROOM
from tracea_core.policy.arrangement import CHUNK, Arrangement, Packing

_WIDEST = 128
"""Channels of merged groups: of more, too many are multiplied with zeros."""


def merged_groups(problem: Problem) -> Iterator[Arrangement]:
    """Yield the ways to multiply neighbouring groups of a convolution together, those of the fewest first."""
    op = problem.op
    assert isinstance(op, Conv2dOp)
    w, run = problem.inputs[1], CHUNK // problem.inputs[1].dtype.bytes
    lanes = op.dtype.bytes > 2 and op.dtype is not DType.TF32 and not problem.options.allow_tf32
    if isinstance(op, CroppedConv2dOp) or op.groups == 1 or lanes or problem.is_empty or not _follow(w):
        return
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
        if packing.bytes > ROOM:
            continue
        filters = TensorSpec((op.k, depth, op.r, op.s), w.dtype, (op.r * op.s * depth, 1, op.s * depth, depth))
        inner = problem.replace(
            op=op.replace(groups=op.groups // merged),
            inputs=(problem.inputs[0], filters, *problem.inputs[2:]),
            options=problem.options.replace(placed=(1,)),
        )
        yield Arrangement(problem=inner, packed=(packing,))


def _follow(filters: TensorSpec) -> bool:
    """Whether filters lie one after the other, channels of an element together."""
    if filters.rank != 4:
        return False
    plain = filters.settled()
    return filters_are_rows(plain) and plain.strides[0] == plain.size // plain.shape[0]
