# SPDX-License-Identifier: MIT
"""The rules for walks over windows: steps that few channels fill, one tile as wide as all filters, and shares of long reductions.

A copy engine brings the channels of one element of a filter at a time, so 72 channels in steps of 64 multiply zeros almost half of the
time, and 131 filters in tiles of 128 columns take two tiles.
"""

from __future__ import annotations

import itertools

from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.few_columns import narrowest_width
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

_SWIZZLES = {128: SwizzleMode.B128, 64: SwizzleMode.B64, 32: SwizzleMode.B32}
_WIDEST_ROW = 128
_SMALL = ((64, 32), (64, 64), (64, 128), (128, 64))
_PARTS = (1, 2, 4, 8)
"""Blocks of a cluster."""
_EVEN_ROWS, _EVEN_COLUMNS = (128, 96), (64, 160)
"""Tiles for windows that fill whole ones, in steps of 128 bytes, and for filters that do, which no blocks share. On an H200 3×3 layers of a
diffusion model in fp16, two images: 16² of 1280 channels to 1280 took 39.6 µs in the first (two parts) and 42.9 in 64×128 in steps of
256 bytes, 16² of 2560 69.7 and 77.0, 8² of 1280 20.7 and 27.6, 8² of 2560 32.3 and 42.0; 32² of 640 channels to 640 28.9 in the second and
32.4 in 128×112, 32² of 1280 51.2 and 58.1. In two parts the second took 42.8 at 16² of 1280, and 79.8 of 2560.
Of equals 128×64 took 86 µs for 2048 windows of 11520 elements by 427 filters in tf32, 64×128 took 136."""
_FEWEST_STEPS = 2
_TALL = 64
"""Filters up to which tiles of 256 windows read them half as often as those of 128."""
_PER_STEP = 8
"""What a step costs besides its products, in channels."""
_WIDEST = 256
_GRADIENT_TILES = (
    (64, 64), (64, 128), (64, 192), (64, 256), (128, 64), (128, 128), (128, 192), (128, 256), (192, 128), (256, 128),
)  # fmt: skip
_SHARED_COLUMNS = 16
"""Columns of which two blocks of a cluster each load whole groups of eight."""


def steps_follow_channels(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Let steps of windows be as deep as channels fill, and a tile as wide as the filters are many.

    Before: 67 channels in rows of 72, 131 filters, ``128x160x64``: 128 products for 72. After: ``128x136x32`` too: 96 products.
    """
    engines = tuple(hero for hero in decision.heroes if hero.barrier_mode is not BarrierMode.NONE)
    if operator.columns_image:
        return _tiles_of_gradients(decision, operator, profile)
    if not operator.innermost or not engines:
        return decision
    width = narrowest_width(operator)
    found = list(decision.heroes)
    wide = next((hero for hero in engines if hero.tile_n >= width), None)
    shared = -(-width // _SHARED_COLUMNS) * _SHARED_COLUMNS
    for columns in dict.fromkeys((width, shared)):
        if wide is not None and _WIDEST // 4 < columns < wide.tile_n:
            one = wide.replace(tile_n=columns, cluster_m=wide.cluster_m if columns == shared else 1)
            found += _deepest(one, operator, profile)
    depth = wanted_depth(operator)
    if width <= _TALL:
        tall = engines[0].replace(
            tile_m=256, tile_n=width, tile_k=_WIDEST_ROW // operator.dtype.bytes, warps=12, cluster_m=1, cluster_n=1,
            swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER,
        )  # fmt: skip
        found += _deepest(tall, operator, profile)
    found += [_shallow(hero, depth, operator) for hero in found if hero.tile_k > depth]
    heroes = tuple(dict.fromkeys(found))
    if heroes == decision.heroes:
        return decision
    text = f"{operator.innermost} channels fill steps of {depth} best, and {operator.n} filters a tile of {width}"
    return decision.because("steps follow channels", text, heroes=heroes)


def parts_of_windows_fill_idle_processors(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Let the blocks of a cluster share the reduction of a few windows, in few deep steps.

    Before: 196 windows of 2304 elements by 256 filters, ``64x32x64``: 32 tiles of 36 steps for 132 processors. After: ``64x64x128 k/4``
    too, 64 blocks of five steps.
    """
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if not operator.innermost or base is None or operator.gates > 1:
        return decision
    row = _WIDEST_ROW // operator.dtype.bytes
    depths = [depth for depth in (row, 2 * row) if operator.innermost % depth == 0]
    found: list[PipelineConfig] = []
    even = operator.m % _EVEN_ROWS[0] == 0
    small = _SMALL[::-1] if even else _SMALL  # among equals the tallest first, if it is full
    offered = list(itertools.product(small, depths, _PARTS))
    if even:
        offered += [(_EVEN_ROWS, row, parts) for parts in _PARTS if row in depths]
    if operator.n % _EVEN_COLUMNS[1] == 0 and row in depths:
        offered.append((_EVEN_COLUMNS, row, 1))
    for (rows, columns), depth, parts in offered:
        tile = base.replace(
            tile_m=rows, tile_n=columns, tile_k=depth, warps=4 + rows // 16, cluster_m=1, cluster_n=1, split_k=parts,
            swizzle=SwizzleMode.B128, in_flight=0 if base.block_k else 1,
        )  # fmt: skip
        enough = operator.padded_depth(depth) / depth >= _FEWEST_STEPS * parts
        if tiles_of(tile, operator) > profile.processors or not enough:
            continue
        found += _deepest(tile, operator, profile)
    if not found:
        return decision
    text = f"{operator.m} windows and {operator.n} filters make few tiles, whose reductions the blocks of a cluster can share"
    heroes = tuple(dict.fromkeys((*decision.heroes, *found)))
    return decision.because("parts of windows fill idle processors", text, heroes=heroes)


def _tiles_of_gradients(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Offer tiles of filters by whole runs of channels, which a copy engine brings for one element of a filter at a time.

    Before: 128 filters of 1152 elements, ``128x144x64``, of which a run of 64 channels is cut. After: ``128x192x64`` and others too.
    """
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if not operator.columns_image or base is None:
        return decision
    found: list[PipelineConfig] = []
    for rows, columns in _GRADIENT_TILES:
        if rows // 2 < operator.m:
            warps = {64: 8, 192: 16}.get(rows, 12)
            one = base.replace(tile_m=rows, tile_n=columns, warps=warps, cluster_m=1, cluster_n=1, in_flight=1)
            found += _deepest(one, operator, profile)
    heroes = tuple(dict.fromkeys((*decision.heroes, *found)))
    text = f"{operator.n} elements of filters are loaded in runs of channels, {operator.m} filters beside them"
    return decision.because("tiles of gradients", text, heroes=heroes)


def _deepest(tile: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> list[PipelineConfig]:
    """The tile with as many slots as fit, if any do."""
    slots = (tile.replace(stages=stages) for stages in range(MAX_STAGES, 1, -1))
    return list(itertools.islice((one for one in slots if budget_reason(one, profile, operator) is None), 1))


def wanted_depth(operator: OperatorTopology) -> int:
    """Return how deep steps are that multiply few zeros, and are few: rows of 128, 64 or 32 bytes."""
    depths = [row // operator.dtype.bytes for row in _SWIZZLES]
    return min(depths, key=lambda depth: -(-operator.innermost // depth) * (depth + _PER_STEP))


def _shallow(hero: PipelineConfig, depth: int, operator: OperatorTopology) -> PipelineConfig:
    """The same tile in shallower steps, with as many bytes under way."""
    stages = min(hero.stages * (hero.tile_k // depth), MAX_STAGES)
    return hero.replace(tile_k=depth, stages=stages, swizzle=_SWIZZLES[depth * operator.dtype.bytes])
