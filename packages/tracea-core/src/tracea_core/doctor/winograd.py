# SPDX-License-Identifier: MIT
"""The kind of kernel that multiplies less for 3×3 filters (Winograd's minimal filtering), on processors, where its caller allows it."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.doctor.option_given import RequiresOption
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.target import CapabilityProfile

WINOGRAD = "winograd"
"""The schedule."""
_TAPS, _TILE = 3, 2
_FEWEST_TILES = 64
"""Tiles of 2×2 pixels below which turning the filters takes longer than the multiplications that it saves (Zen 4, two cores)."""


class RequiresMinimalFiltering(Data, frozen=True, tag=True):
    """A 3×3 convolution with stride 1 and padding, of channels enough for vectors, and pixels enough to repay turned filters."""

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return (
            "a 3x3 convolution of one group with padding, without stride or dilation, of a vector of channels at least"
        )

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        op = problem.op
        if not isinstance(op, Conv2dOp) or isinstance(op, CroppedConv2dOp):
            return f"{type(op).__name__} has no windows of whole images"
        if (op.r, op.s, op.stride, op.dilation, op.groups) != (_TAPS, _TAPS, (1, 1), (1, 1), 1):
            return f"filters are {op.r}x{op.s}, stride {op.stride}, dilation {op.dilation}, groups {op.groups}"
        if op.padding == (0, 0):
            return "images have no padding"
        if min(op.c, op.k) < profile.lanes:
            return f"{op.c} and {op.k} channels are less than a vector of {profile.lanes}"
        p, q = op.output_size
        tiles = op.n * -(-p // _TILE) * -(-q // _TILE)
        return f"{tiles} tiles of pixels do not repay turned filters" if tiles < _FEWEST_TILES else None


ALLOWED = RequiresOption("allow_winograd")
