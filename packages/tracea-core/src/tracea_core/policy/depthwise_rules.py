# SPDX-License-Identifier: MIT
"""The rules for convolutions whose channels are filtered on their own: how many pixels and channels a warp takes.

A warp issues, for each row of the filter, a multiply-add for every pixel, tap and channel of a lane, and besides those a load for
each column that its windows reach, a test, the conversion of what it loads, and a read of each tap's weights. Longer strips read fewer
columns for each pixel; shorter ones divide a line with less left over and give more warps to hide the latency of memory. So:

    cycles of a scheduler = max(warps for each · strip, latency of the filter's rows + strip)
    strip = rows · (pixels · taps · channels + columns · (channels + 3.5) + 2 · taps + 15 + stall) + ends + share of the filters

where pixels and channels beyond the line and the last channel count as work. Instructions are those of compiled kernels for sm_90a: the
formula meets those of a row of 7×7 and strips of 7×64, 14×32, 14×64 and 7×128 within 5 %. Timed on an H200, each row of these four took
240 to 290 cycles more than its instructions.
"""

from __future__ import annotations

import math

from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_PIXELS = (16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
_CHANNELS = (4, 2, 1)
_WARPS = (8, 4)
_HEROES = 8
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
    """Give each warp a strip of pixels that reuses its window in registers, and each lane a run of channels.

    Before, h200, 14×14 pixels of 384 channels and 7×7 taps: nothing. After: ``14x64x1 s1 w8 va2 vc2`` first.
    """
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    timed = []
    for pixels in _PIXELS:
        for channels in _CHANNELS:
            columns = (pixels - 1) * kind.stride + (kind.columns - 1) * kind.dilation + 1
            words = channels * (2 * pixels + columns * (1 + operator.dtype.bytes / 4)) + pixels * channels / 2
            if words <= _ROOM or pixels == channels == 1:
                timed.append((_cycles(operator, profile, pixels, channels, columns), pixels, channels))
    timed.sort(key=lambda entry: (entry[0], -entry[1], -entry[2]))
    heroes = [_strip(operator, profile, pixels, channels, warps) for _, pixels, channels in timed for warps in _WARPS]
    first = heroes[0]
    text = f"strips of {first.tile_m} pixels and {first.tile_n} channels take the fewest cycles by estimate"
    return decision.because("strips of lines", text, heroes=tuple(dict.fromkeys(heroes))[:_HEROES])


def _cycles(operator: OperatorTopology, profile: CapabilityProfile, pixels: int, channels: int, columns: int) -> float:
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    warps = operator.batch * -(-operator.m // pixels) * -(-operator.n // (channels * profile.lanes))
    rows = kind.rows * kind.deep
    row = pixels * kind.columns * channels + columns * (channels + 3.5) + 2 * kind.columns + 15 + _STALL
    strip = rows * row + 2 * pixels * channels + _STAGE * rows * kind.columns * channels / _WARPS[0] + _ENDS
    each = math.ceil(warps / (_SCHEDULERS * profile.processors))
    return float(max(each * strip, rows * _LATENCY + strip))


def _strip(
    operator: OperatorTopology, profile: CapabilityProfile, pixels: int, channels: int, warps: int
) -> PipelineConfig:
    read, stored = operator.dtype.bytes, operator.stored.bytes
    alone = isinstance(operator.kind, Channelwise) and operator.kind.alone
    return PipelineConfig(
        tile_m=pixels, tile_n=channels * profile.lanes, tile_k=1, stages=1, warps=warps,
        vector_a=_run(channels, read, min(operator.alignment, operator.whole_runs)) if alone else 1,
        vector_c=_run(channels, stored, min(operator.stored_alignment, operator.whole_runs * stored // read)),
    )  # fmt: skip


def _run(channels: int, size: int, alignment: int) -> int:
    """Elements of an access: as many as lie together aligned, and at least four bytes of them or one."""
    width = min(channels, max(alignment // size, 1), 16 // size)
    return width if width * size >= 4 else 1


def search_strips(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """List the strips for the tuner."""
    heroes = decision.heroes
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)), tile_k=(1,), stages=(1,),
        **{field: tuple(dict.fromkeys(getattr(hero, field) for hero in heroes)) for field in ("warps", "vector_a", "vector_c")},
    )  # fmt: skip
    return decision.because("search strips", f"{space.size} kinds of strip", space=space)


DEPTHWISE_RULES = (strips_of_lines, search_strips)
"""All rules in the order in which they apply."""
