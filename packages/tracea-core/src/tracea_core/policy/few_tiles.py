# SPDX-License-Identifier: MIT
"""The rule for products of few tiles whose rows straddle sectors: four blocks that share what they load.

Where rows start within a sector of 32 bytes, what a block fetches from the L2 cache is the limit, not what arrives
(`tracea_core.policy.warpgroup_time`), and four blocks that share rows and columns fetch half of what two do. Clusters of four leave
processors idle, so they are tried only where all of them run at once and leave few others. On an H200 eight such products, 27 to 30
clusters each, took 0.78 to 0.98 of what they had taken, 0.90 in the geometric mean. With many more columns than rows they may take
longer: 384×2304×4104 took 37.7 µs with 128×64 in fours, 29.4 without.
"""

from __future__ import annotations

from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision, distinct
from tracea_core.policy.tiles import TilingKind
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import clusters_at_once, tiles_of
from tracea_core.target import CapabilityProfile

BLOCKS = 4
_ROWS, _WARPS, _WIDEST, _IDLE = 128, 12, 3, 6
_SHARED = ((128, 2, 2), (128, 4, 1), (64, 1, 4))
"""Columns of a tile, and blocks down and across; the last for products that are wider than tall."""


def four_blocks_share_straddling_rows(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On sm_90a, try tiles in clusters of four where rows straddle sectors and all clusters run at once.

    Before: 1408×1280×11000 with ``128x112 c1x2``, 82.1 µs on an H200. After: ``128x128 c2x2``, 68.4 (cuBLAS 83.3).
    Before: 560×1440×6536 with ``128x128 k/2``, 39.8 µs. After: ``128x64 c1x4``, 31.0 (cuBLAS 28.8).
    """
    plain = operator.op_type == "Gemm" and operator.gates == 1 and operator.dtype.bytes == 2
    if not plain or operator.whole_sectors or decision.tiling is not TilingKind.DENSE or not profile.has("wgmma"):
        return decision
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if base is None or not operator.work or operator.n > _WIDEST * operator.m:
        return decision
    shared = _SHARED if operator.n > operator.m else _SHARED[:2]
    new = [_deepest(base, *tile, operator, profile) for tile in shared if _fill(*tile, operator, profile)]
    found = tuple(config for config in new if config is not None)
    if not found:
        return decision
    text = f"all clusters of {' or '.join(f'{c.cluster_m}×{c.cluster_n}' for c in found)} blocks run at once, and share what they fetch"
    heroes = distinct((*decision.heroes, *found))
    return decision.because("four blocks share straddling rows", text, heroes=heroes)


def _fill(columns: int, down: int, across: int, operator: OperatorTopology, profile: CapabilityProfile) -> bool:
    """Whether all clusters run at once, and at most one place in six is left."""
    together = PipelineConfig(tile_m=_ROWS * down, tile_n=columns * across)
    places = clusters_at_once(profile.processors, BLOCKS)
    return places - places // _IDLE <= tiles_of(together, operator) <= places


def _deepest(
    base: PipelineConfig, columns: int, down: int, across: int, operator: OperatorTopology, profile: CapabilityProfile
) -> PipelineConfig | None:
    """The tile with the most slots that fit."""
    tile = base.replace(
        tile_m=_ROWS, tile_n=columns, warps=_WARPS, split_k=1, cluster_m=down, cluster_n=across, in_flight=1
    )
    slots = (tile.replace(stages=stages) for stages in range(MAX_STAGES, 0, -1))
    return next((config for config in slots if budget_reason(config, profile, operator) is None), None)
