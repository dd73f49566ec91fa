# SPDX-License-Identifier: MIT
"""Strips of depthwise convolutions that lie side by side and walk down an image together: how many a block takes, and of how many lines.

Lanes of a block go on with the next strip where channels end, so that few are idle, and each copies what it reads into shared memory
some rows ahead. On an H200 a block then takes as long as its bytes need at 38 GB/s a processor, one that is alone on a processor up to
1.4 times as long, whatever the layer (12 of 3×3 and 5×5, 32 images of 16-bit elements, 28 to 112 pixels a line). So

    time of a processor = blocks that it has · (lines + steps until the first has its sums + 1)

is least where processors have as many blocks as others and blocks as many lines as that leaves them. µs of strips that stay, in the tile
that was the first choice, and of these: 16 channels of 112² 38.3 and 14.0, 32 of 112² 35.8 and 22.6, 144 of 56² 38.2 and 25.1, 72 of 56²
22.0 and 16.0, 96 of 56² 24.3 and 19.4, 192 of 28² 14.6 and 13.2; at stride 2, 96 of 112² 42.0 and 39.0, 144 of 56² 24.0 and 20.1, 72 of
56² by 5×5 23.7 and 15.1. Shorter lines are filtered as fast or faster by strips that stay (384 of 14² 9.6 and 11.0, 576 of 14² 10.8 and
11.8, 192 of 28² at stride 2 9.3 and 10.1), and so are 5×5 at stride 1 (120 of 28² 14.5 and 17.7).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile

_RUN = 4
"""Channels of a lane."""
_WARPS = (4, 5, 6, 7, 8)
_MOST_STRIPS = 64
_LINES, _FEWEST_LINES = (7, 14, 28), 4
"""Lines of a strip, and how many where those would leave processors idle (4 images of 144 of 56² took 8.6 µs so and 10.9 by strips that
stay; 8 of them 12.3, and 10.7 by seven lines)."""
_SMALL, _MIDDLE = 9, 25
"""Elements of filters that are filtered so at stride 1, and at stride 2."""
_SHORTEST = 24
"""Pixels of a line from which on these strips are the first choice."""
_PART = 0.1
"""Of the time that a block takes longer for each part that channels are cut into."""
_ALONE = 1.4
"""Of the time of a block that has its processor for itself, so many blocks side by side take one."""
_BUSY = 0.8
"""Blocks of a processor, on average, from which on these strips are the first choice."""
_OFFERED = 2


class _Strip(NamedTuple):
    """Pixels of a strip, and rows of the image that are under way with the one that is read.

    At stride 1 strips of four pixels took 0.92 to 0.99 of the time of two, at stride 2 two pixels 0.83 to 0.97 of four.
    """

    pixels: int
    stages: int


_BY_STRIDE = {1: _Strip(4, 5), 2: _Strip(2, 3)}


def strips_side_by_side(
    operator: OperatorTopology, profile: CapabilityProfile
) -> tuple[tuple[PipelineConfig, ...], bool]:
    """Return strips of 16-bit images that lie side by side, and whether an untuned call begins with them; none where none can be built."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    size, elements = operator.dtype.bytes, kind.rows * kind.columns
    able = profile.vendor == "nvidia" and AsyncCopyKind.CP_ASYNC in profile.async_copies
    plain = kind.alone and kind.dilation == kind.spread == 1 and kind.stride == kind.down and kind.rows > 1
    aligned = min(operator.alignment, operator.whole_runs, operator.stored_alignment) >= _RUN * size
    strip = _BY_STRIDE.get(kind.stride)
    small = elements <= (_SMALL if kind.stride == 1 else _MIDDLE)
    if (
        strip is None
        or not operator.work
        or not (able and plain and aligned and small and size == operator.stored.bytes == 2)
    ):
        return (), False
    found, each = [], 0.0
    for warps, strips, tiles in _blocks(strip, operator, kind, profile)[:_OFFERED]:
        columns = math.ceil(operator.m / (strips * strip.pixels)) * tiles * (operator.batch // kind.lines)
        lines, blocks = _lines(columns / profile.processors, kind)
        each = each or blocks
        found.append(
            PipelineConfig(
                tile_m=strip.pixels, tile_n=profile.lanes * _RUN, tile_k=lines, stages=strip.stages, warps=warps, vector_a=_RUN,
                vector_c=_RUN, unroll_k=kind.rows, row_block=strips,
            )
        )  # fmt: skip
    return tuple(found), operator.m >= _SHORTEST and each >= _BUSY


def _lines(columns: float, kind: Channelwise) -> tuple[int, float]:
    """Return the lines of a strip that take the least time, and blocks of a processor then, of so many columns of blocks a processor."""
    ahead = math.ceil((kind.rows - 1) / kind.stride) + 1
    counts = {min(lines, kind.lines): columns * math.ceil(kind.lines / min(lines, kind.lines)) for lines in _LINES}
    if max(counts.values()) < _BUSY:
        fewest = min(_FEWEST_LINES, kind.lines)
        return fewest, columns * math.ceil(kind.lines / fewest)

    def time(lines: int) -> float:
        blocks = counts[lines]
        return max((blocks + math.ceil(blocks)) / 2, _ALONE) * (lines + ahead)

    lines = min(counts, key=time)
    return lines, counts[lines]


def _blocks(
    strip: _Strip, operator: OperatorTopology, kind: Channelwise, profile: CapabilityProfile
) -> list[tuple[int, int, int]]:
    """Return warps and strips of blocks, and the parts that channels are cut into, of the fewest idle lanes and columns read twice."""
    timed = []
    for warps in _WARPS:
        room = warps * profile.lanes * _RUN
        for strips in range(2, min(_MOST_STRIPS, room // _RUN) + 1):
            tiles = math.ceil(operator.n / (room // strips // _RUN * _RUN))
            reach = strips * strip.pixels
            taken = math.ceil(operator.m / reach) * reach * tiles * room / (strips * operator.m * operator.n)
            read = 2 + (kind.rows - 1) / reach
            timed.append((taken * read * (1 + _PART * (tiles - 1)), -warps, strips, tiles))
    return [(-warps, strips, tiles) for _, warps, strips, tiles in sorted(timed)]
