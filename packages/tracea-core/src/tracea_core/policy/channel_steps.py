# SPDX-License-Identifier: MIT
"""The rule for walks over windows: steps that few channels fill, and one tile as wide as all filters.

A copy engine brings the channels of one element of a filter at a time, so 72 channels in steps of 64 multiply zeros almost half of the
time, and 131 filters in tiles of 128 columns take two tiles.
"""

from __future__ import annotations

from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.few_columns import narrowest_width
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_SWIZZLES = {128: SwizzleMode.B128, 64: SwizzleMode.B64, 32: SwizzleMode.B32}
_PER_STEP = 8
"""What a step costs besides its products, in channels."""
_WIDEST = 256
_SHARED_COLUMNS = 16
"""Columns of which two blocks of a cluster each load whole groups of eight."""


def steps_follow_channels(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Let steps of windows be as deep as channels fill, and a tile as wide as the filters are many.

    Before: 67 channels in rows of 72, 131 filters, ``128x160x64``: 128 products for 72. After: ``128x136x32`` too: 96 products.
    """
    engines = tuple(hero for hero in decision.heroes if hero.barrier_mode is not BarrierMode.NONE)
    if not operator.innermost or not engines:
        return decision
    width = narrowest_width(operator)
    found = list(decision.heroes)
    wide = next((hero for hero in engines if hero.tile_n >= width), None)
    if wide is not None and width < wide.tile_n and width > _WIDEST // 4:
        found.append(wide.replace(tile_n=width, cluster_m=wide.cluster_m if width % _SHARED_COLUMNS == 0 else 1))
    depth = wanted_depth(operator)
    found += [_shallow(hero, depth, operator) for hero in found if hero.tile_k > depth]
    heroes = tuple(dict.fromkeys(found))
    if heroes == decision.heroes:
        return decision
    text = f"{operator.innermost} channels fill steps of {depth} best, and {operator.n} filters a tile of {width}"
    return decision.because("steps follow channels", text, heroes=heroes)


def wanted_depth(operator: OperatorTopology) -> int:
    """Return how deep steps are that multiply few zeros, and are few: rows of 128, 64 or 32 bytes."""
    depths = [row // operator.dtype.bytes for row in _SWIZZLES]
    return min(depths, key=lambda depth: -(-operator.innermost // depth) * (depth + _PER_STEP))


def _shallow(hero: PipelineConfig, depth: int, operator: OperatorTopology) -> PipelineConfig:
    """The same tile in shallower steps, with as many bytes under way."""
    stages = min(hero.stages * (hero.tile_k // depth), MAX_STAGES)
    return hero.replace(tile_k=depth, stages=stages, swizzle=_SWIZZLES[depth * operator.dtype.bytes])
