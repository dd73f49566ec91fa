# SPDX-License-Identifier: MIT
"""The rules for convolutions whose channels are filtered on their own on a CPU: how many pixels of a line a strip has.

Registers hold the sums of a strip, the columns that its windows reach in one row of the filter, and a vector of weights. A row costs a
multiply-add for each pixel and tap, and a load for each column and for each tap's weights; loads and multiply-adds begin in the same
cycles, and a sum waits for the one before it, so few pixels leave the multiplier idle:

    row = max(pixels · taps, latency · taps, (columns + taps) · loads)

Pixels beyond the end of a line count as work.
"""

from __future__ import annotations

from tracea_core.policy.budget import vector_lanes
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_tiles import is_widened
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_MOST = 16
"""Pixels of a strip."""
_HEROES = 6
_WIDENING = 3
"""Registers that LLVM 22 takes to widen pixels of strips."""
_LATENCY = 4
"""Cycles of a multiply-add, in each of which one begins (Zen 4, vectors of 64 bytes)."""
_ENDS = 12
"""Cycles that a row takes besides, for its test and its addresses."""
_ASKED_FROM, _DEFAULT_CACHE = 4, 32 << 20
"""Images and results beyond this part of the last cache are asked for ahead; what that cache is taken to hold if nothing is known of it."""


def strips_fill_registers(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Take the strips whose lines cost the fewest cycles by estimate, one vector of channels wide.

    Lines that come from memory or the last cache are asked for a block of lines ahead (two stages): on Zen 4 3×3 filters of 8 images of
    56×56×144 took 0.70 of the time with stride 2, and 0.88 with stride 1 and 64 channels. What fits the second cache is not asked for:
    8 images of 14×14×384 took 1.2 times as long.

    Before, avx512, 56×56 pixels, 7×7 taps: nothing. After: ``8x16x1`` first.
    """
    kind, lanes = operator.kind, vector_lanes(profile, operator.accumulator)
    assert isinstance(kind, Channelwise)
    timed, widening = [], _WIDENING if is_widened(operator) else 0
    for pixels in range(1, min(_MOST, operator.m) + 1):
        columns = len(
            {tap * kind.dilation + pixel * kind.stride for tap in range(kind.columns) for pixel in range(pixels)}
        )
        if pixels > 1 and pixels + columns + 1 > profile.vector_registers - widening:
            continue
        products = max(pixels, _LATENCY) * kind.columns
        row = max(products, columns + kind.columns) + _ENDS
        timed.append((-(-operator.m // pixels) * row, columns, pixels))
    last = max((cache.bytes for cache in profile.caches), default=_DEFAULT_CACHE)
    stored = operator.batch * operator.m * operator.n
    moved = stored * (kind.stride**2 * operator.dtype.bytes + operator.stored.bytes)
    stages = 2 if moved > last // _ASKED_FROM else 1
    heroes = tuple(_strip(pixels, lanes, stages) for _, _, pixels in sorted(timed))[:_HEROES]
    first = heroes[0]
    text = f"strips of {first.tile_m} pixels take the fewest cycles of a line of {operator.m} by estimate"
    return decision.because("strips fill registers", text, heroes=heroes)


def _strip(pixels: int, lanes: int, stages: int) -> PipelineConfig:
    return PipelineConfig(tile_m=pixels, tile_n=lanes, tile_k=1, stages=stages, warps=1)


def search_strips(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """List the strips for the tuner."""
    tiles = tuple((hero.tile_m, hero.tile_n) for hero in decision.heroes)
    space = PrunedSpace(tiles=tiles, tile_k=(1,), stages=(1, 2), warps=(1,))
    return decision.because("search strips", f"{space.size} kinds of strip", space=space)


STRIP_RULES = (strips_fill_registers, search_strips)
"""All rules in the order in which they apply."""
