# SPDX-License-Identifier: MIT
"""The rules for chained contractions: which register tile, and how many keys at a time."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_TILES_PER_BLOCK = 2


def tiles_hold_scores_and_sums(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, take two vectors of keys (and of values) for as many rows as the registers hold, and two such tiles of keys at a time.

    Before, avx2: nothing. After: ``6x16x1 kb32``, and fewer rows where there are fewer.
    """
    if not is_cpu(profile):
        return decision
    lanes, registers = vector_lanes(profile, operator.accumulator), profile.vector_registers
    most = max((registers - 1) // 2 - 1, 1)
    shapes = [(min(rows, max(operator.m, 1)), 2 * lanes) for rows in (most, 4, 1)]
    heroes = tuple(
        PipelineConfig(tile_m=rows, tile_n=columns, tile_k=1, stages=1, warps=1, block_k=_TILES_PER_BLOCK * columns)
        for rows, columns in dict.fromkeys(shapes)
    )
    text = f"{heroes[0].tile_m}×{heroes[0].tile_n} sums fill {registers} registers; {heroes[0].block_k} keys at a time"
    space = PrunedSpace(
        tiles=tuple((hero.tile_m, hero.tile_n) for hero in heroes), tile_k=(1,), stages=(1,), warps=(1,),
        block_k=tuple(sorted({2 * lanes * count for count in (1, 2, 4, 8)})),
    )  # fmt: skip
    return decision.because("tiles hold scores and sums", text, heroes=heroes, space=space)


CHAIN_RULES = (tiles_hold_scores_and_sums,)
"""All rules in the order in which they apply."""
