# SPDX-License-Identifier: MIT
"""The rules for convolutions whose channels are filtered on their own: how many pixels and channels a warp takes.

A warp issues, for each row of the filter, a multiply-add for every pixel, tap and channel of a lane, and besides those a load for
each column that its windows reach, a test, the conversion of what it loads, and a read of each tap's weights. Longer strips read fewer
columns for each pixel; shorter ones divide a line with less left over and give more warps to hide the latency of memory. So:

    cycles of a scheduler = max(warps for each · strip, latency of the image's rows + strip)
    strip = lines · rows · (pixels · taps · channels + 2 · taps)
          + (rows + (lines − 1) · stride) · (columns · (channels + 3.5) + 15 + lines · stall) + ends + share of the filters

where pixels and channels beyond the line and the last channel count as work. Instructions are those of compiled kernels for sm_90a: the
formula meets those of a row of 7×7 and strips of 7×64, 14×32, 14×64 and 7×128 within 5 %. Timed on an H200, each row of these four took
240 to 290 cycles more than its instructions; a strip of two lines saves loads and waits twice as long for each row.

NVIDIA's lanes exchange results until each stores 16 bytes: strips have at least the pixels that this takes, or the lines.
"""

from __future__ import annotations

import math

from tracea_core.policy.banded_rules import banded_strips, leads
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.rolling_rules import rolling_strips
from tracea_core.policy.side_rules import strips_side_by_side
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_PIXELS = (16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
_CHANNELS = (4, 2, 1)
_WARPS = (8, 4)
_LINES = 4
_CHUNK = 16
"""Bytes of the widest access of one lane."""
_WORD = 4
_TALL = 5
"""Rows of a filter from which on whole lines are loaded a row ahead: 64×14²×384 and 32×7²×768 by 7×7 took 22.9 and 11.9 µs on an H200 so,
and 24.5 and 12.4."""
_HEROES = 8
"""Strips whose products lanes add up."""
_ROOM = 160
"""Registers of fragments: beyond them too few warps run at once to hide the latency of memory."""
_SCHEDULERS = 4
"""Warps of a processor that issue at once."""
_LATENCY, _ENDS = 500, 250
"""Cycles until the loads of a filter row arrive from the second cache, and to begin and end a strip."""
_STALL = 250
"""Cycles that a row of the filter takes beside its instructions, however many they are."""
_STAGE = 10
"""Instructions to bring an element of a filter into shared memory."""


def strips_of_lines(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """Give each warp a strip of pixels: of a run of channels a lane, or of bands for matrix instructions.

    Before, h200, 14×14 pixels of 384 channels and 7×7 taps: nothing. After: ``16x32x16 s2 va8 vc8 halo`` first, and of lanes
    ``14x64x1 s2 w8 va2 vc8``.
    """
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    timed = []
    for pixels in _PIXELS:
        for channels in _CHANNELS:
            columns = (pixels - 1) * kind.stride + (kind.columns - 1) * kind.dilation + 1
            words = channels * (2 * pixels + columns * (1 + operator.dtype.bytes / 4)) + pixels * channels / 2
            stored = _stored(operator, profile, channels)
            lines = -(-stored // (channels * pixels))
            if (words <= _ROOM or pixels == channels == 1) and (lines == 1 or (lines <= _LINES and kind.alone)):
                cycles = _cycles(operator, profile, pixels, channels, lines, columns)
                cycles += _exchange(pixels * channels * lines, channels, stored, operator.stored.bytes)
                timed.append((cycles, pixels, channels, 1 << (lines - 1).bit_length(), stored))
    # Warps of a block take neighbouring lines: more of them share rows of the image, where windows overlap by more than one.
    blocks = _WARPS if kind.rows - kind.stride > 1 else _WARPS[::-1]
    timed.sort(key=lambda entry: (entry[0], -entry[1], -entry[2]))
    heroes = [
        _strip(operator, profile, pixels, channels, lines, stored, warps)
        for _, pixels, channels, lines, stored in timed
        for warps in blocks
    ]
    sides, lead = strips_side_by_side(operator, profile)
    others = [*dict.fromkeys((*rolling_strips(operator, profile), *heroes))][: _HEROES - len(sides)]
    heroes = [*sides, *others] if lead else [*others, *sides]
    bands = banded_strips(operator, profile)
    first = heroes[0]
    text = f"strips of {first.tile_m} pixels and {first.tile_n} channels take the fewest cycles by estimate"
    if lead:
        text = f"{first.row_block} strips of {first.tile_m} pixels walk down {first.tile_k} lines side by side"
    if bands and leads(operator):
        text = f"filters of {kind.rows}×{kind.columns} are multiplied by matrix instructions, rows of them as bands"
        return decision.because("strips of lines", text, heroes=(*bands, *heroes))
    return decision.because("strips of lines", text, heroes=(*heroes, *bands))


def _cycles(
    operator: OperatorTopology, profile: CapabilityProfile, pixels: int, channels: int, lines: int, columns: int
) -> float:
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    warps = -(-operator.batch // lines) * -(-operator.m // pixels) * -(-operator.n // (channels * profile.lanes))
    rows = kind.rows * kind.deep
    products = pixels * kind.columns * channels + 2 * kind.columns
    seen = (rows + (lines - 1) * kind.stride) * (columns * (channels + 3.5) + 15 + lines * _STALL)
    share = _STAGE * rows * kind.columns * channels / _WARPS[0]
    strip = lines * (rows * products + 2 * pixels * channels) + seen + share + _ENDS
    each = math.ceil(warps / (_SCHEDULERS * profile.processors))
    return float(max(each * strip, rows * _LATENCY + strip))


def _exchange(results: int, channels: int, stored: int, size: int) -> float:
    """Cycles in which lanes exchange what they hold, `channels` together, until each has `stored`: words of sums or of results."""
    rounds = math.log2(max(stored // channels, 1))
    return results * rounds * (3.0 if channels * size < _WORD else 3.0 * size / _WORD)


def _strip(
    operator: OperatorTopology,
    profile: CapabilityProfile,
    pixels: int,
    channels: int,
    lines: int,
    stored: int,
    warps: int,
) -> PipelineConfig:
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    ahead = (
        profile.vendor == "nvidia" and kind.alone and kind.stride == 1 and kind.rows >= _TALL and operator.m <= pixels
    )
    return PipelineConfig(
        tile_m=pixels, tile_n=channels * profile.lanes, tile_k=lines, stages=2 if ahead else 1, warps=warps,
        vector_a=_run(channels, operator.dtype.bytes, min(operator.alignment, operator.whole_runs)) if kind.alone else 1,
        vector_c=stored,
    )  # fmt: skip


def _stored(operator: OperatorTopology, profile: CapabilityProfile, channels: int) -> int:
    """Channels that a lane stores at a time: what lies together aligned, and where lanes do not exchange what it has itself."""
    read, stored = operator.dtype.bytes, operator.stored.bytes
    most = max(channels, _CHUNK // stored) if profile.vendor == "nvidia" else channels
    return _run(most, stored, min(operator.stored_alignment, operator.whole_runs * stored // read))


def _run(channels: int, size: int, alignment: int) -> int:
    """Elements of an access: as many as lie together aligned, and at least four bytes of them or one."""
    width = min(channels, max(alignment // size, 1), _CHUNK // size)
    return width if width * size >= 4 else 1


def search_strips(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """List the strips for the tuner."""
    heroes = decision.heroes
    fields = ("tile_k", "stages", "warps", "vector_a", "vector_c", "unroll_k", "row_block", "halo")
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)),
        **{field: tuple(dict.fromkeys(getattr(hero, field) for hero in heroes)) for field in fields},
    )
    return decision.because("search strips", f"{space.size} kinds of strip", space=space)


DEPTHWISE_RULES = (strips_of_lines, search_strips)
"""All rules in the order in which they apply."""
