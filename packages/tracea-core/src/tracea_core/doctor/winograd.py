# SPDX-License-Identifier: MIT
"""The kind of kernel that multiplies less for 3×3 filters (Winograd's minimal filtering), on processors, and where calls take it unasked.

Its error has a bound of its own (`tracea_core.ops.error_bounds`), so whoever holds a result to a bound has to know that it was allowed:
the problem says so. Calls that leave the choice to tracea allow it in fp32 on processors where it is expected to take less time,
`filtered_by_default`; a variable of the environment takes that back.
"""

from __future__ import annotations

import os

import msgspec

from tracea_core.data import Data
from tracea_core.doctor.option_given import RequiresOption
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp, CroppedConv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.target import CapabilityProfile

WINOGRAD = "winograd"
"""The schedule."""
_TAPS, _TILE = 3, 2
_FEWEST_TILES = 64
"""Tiles of 2×2 pixels below which turning the filters takes longer than the multiplications that it saves (Zen 4, two cores)."""
_LEAST_WORK, _LEAST_PIXELS = 1 << 15, 256
"""Products at each place of a tile, for each processor, and pixels below which calls do not take it unasked.

The first are over before anything is saved: on 2 processors (Zen 4) 64 tiles of 16 by 16 channels took 1.3 to 1.7 times as long as their
windows, of 32 by 32 channels 0.8 to 0.9 times; on 14 (Xeon with AMX) of 64 by 64 channels 0.9 to 1.2 times, of 128 by 128 channels 0.9.
The second, 4 images of 7×7 and 512 channels, took 0.7 to 1.25 times as long.
"""
SETTING = "TRACEA_ALLOW_WINOGRAD"
"""The environment's variable."""


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
        tiles = _tiles(op)
        return f"{tiles} tiles of pixels do not repay turned filters" if tiles < _FEWEST_TILES else None


def _tiles(op: Conv2dOp) -> int:
    p, q = op.output_size
    return op.n * -(-p // _TILE) * -(-q // _TILE)


ALLOWED = RequiresOption("allow_winograd")


def is_default() -> bool:
    """Whether calls that say nothing about minimal filtering may take it: unless ``TRACEA_ALLOW_WINOGRAD`` is 0."""
    return os.environ.get(SETTING, "").strip() != "0"


def filtered_by_default(problem: Problem, profile: CapabilityProfile) -> Problem:
    """Return a problem whose caller leaves the choice to tracea, on a processor, with minimal filtering allowed where it should pay.

    Parameters
    ----------
    problem : Problem
        As it is asked; what it says about minimal filtering itself stays.
    profile : CapabilityProfile
        The processor's.
    """
    op, options = problem.op, problem.options
    if options.allow_winograd is not msgspec.UNSET or not isinstance(op, Conv2dOp) or op.accumulator is not DType.FP32:
        return problem
    if (
        op.dtype is not DType.FP32
        or not is_default()
        or RequiresMinimalFiltering().reason(problem, profile)
        or problem.epilogue.gated
    ):
        return problem
    p, q = op.output_size
    if op.n * p * q < _LEAST_PIXELS or _tiles(op) * op.c * op.k < _LEAST_WORK * max(profile.processors, 1):
        return problem
    return problem.replace(options=options.replace(allow_winograd=True))
