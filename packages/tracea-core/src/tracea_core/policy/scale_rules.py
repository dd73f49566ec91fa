# SPDX-License-Identifier: MIT
"""The rule for scales along k: a copy engine brings them with the tiles of their step, where they lie so.

Lanes that load the scales of rows wait for the cache longer than a step takes: 4096×4096×14336 in fp8 took an H200 451 µs in tiles of
128×128, 379 where the scales came as boxes (cuBLASLt 373), and 361 if nothing loaded scales. Of scales that lie along k a box of a step
holds those of three more, and many short rows: 435 µs by lanes, 440 as boxes.
"""

from __future__ import annotations

from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile


def scales_come_with_their_tiles(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Let a copy engine bring the scales of a step, where a tile's columns share one or have one each.

    Before: fp8 with scales of 128 positions of rows, which lie next to each other, ``128x128x128 s6 …``. After: ``128x128x128 s6 … sb1``.
    """
    block = operator.boxed_scales
    if not block:
        return decision

    def boxed(hero: PipelineConfig) -> PipelineConfig:
        if hero.barrier_mode is BarrierMode.NONE or (block > 1 and block % hero.tile_n):
            return hero
        found = (hero.replace(scale_boxes=1, stages=stages) for stages in range(hero.stages, 1, -1))
        return next((config for config in found if budget_reason(config, profile, operator) is None), hero)

    heroes = tuple(dict.fromkeys(map(boxed, decision.heroes)))
    text = "scales of rows lie next to each other, so those of a step come into the slot of its tiles"
    return decision.because("scales come with their tiles", text, heroes=heroes)
