# SPDX-License-Identifier: MIT
"""The topology of a convolution whose channels are filtered on their own."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.doctor.plane_windows import PIECE
from tracea_core.ops.conv import Conv2dOp


class Channelwise(Data, frozen=True, tag=True):
    """Channels filtered on their own: m pixels of each of `batch` lines by n channels, k elements of a filter.

    The filter has `rows` and `columns`; `stride` and `dilation` are those of columns; a group has `deep` input channels. `alone` says that
    each channel is a group, `dense` that rows have neither stride nor dilation. An output image has `lines`,
    whose windows are `down` rows apart; rows that a window sees are `spread` apart. In `planes` pixels of a line lie next to each other;
    `short` lines are pieces of eight at most.
    """

    rows: int
    columns: int
    stride: int
    dilation: int
    deep: int
    alone: bool
    dense: bool
    lines: int
    down: int = 1
    spread: int = 1
    planes: bool = False
    short: bool = False


def channelwise(op: Conv2dOp, *, planes: bool = False) -> Channelwise:
    """Return the topology of a convolution, channels-last or of planes."""
    alone, dense = op.c == op.k == op.groups, op.stride[0] == op.dilation[0] == 1
    (down, across), (spread, apart) = op.stride, op.dilation
    short = planes and max(op.w, op.output_size[1]) <= PIECE
    return Channelwise(
        op.r, op.s, across, apart, op.c // op.groups, alone, dense, op.output_size[0], down, spread, planes, short
    )


def lines(op: Conv2dOp) -> tuple[int, int, int, int]:
    """Return the lines of all output images, and pixels, channels and the products of each sum."""
    height, width = op.output_size
    return op.n * height, width, op.k, op.reduction_length()
