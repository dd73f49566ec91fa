# SPDX-License-Identifier: MIT
"""The rule for products of planes on a CPU: each image of a 1×1 convolution, filters by pixels, or other matrices of long rows."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, distinct
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile

_WIDE_LANES = 8
_ROWS, _VECTORS = 3, 7
"""The tile that takes the longest runs of each plane. One core of Zen 4, 8 images of 56×56 and 28×28 pixels, every sweep asking: beside
6×64 it took 0.88 of the time with 64 to 64 channels, 0.91 with 64 to 256, 0.94 with 128 to 512, 0.95 with 512 to 256, 0.96 with 512 to
128, and 0.98 and 1.0 with 256 to 64 and to 128."""
_EMPTY = 1.03
"""Times the work of the tile that fits best that such a tile may take."""


def planes_are_asked_for(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """With vectors of 512 bits, let sweeps over planes ask for the lines that are next, and take the longest runs of each plane.

    Before: 64 filters of 64 channels, 56×56 pixels: ``8x48x4``. After: ``3x112x4 s2 … f1``, 0.81 of the time (Zen 4; the same tile without
    asking 0.90). Others took 0.87 to 0.97.
    """
    lanes = vector_lanes(profile, operator.accumulator)
    plain = operator.accumulator is operator.dtype and operator.gates == 1 and not operator.panel_columns
    long = operator.op_type == "Gemm" and operator.batch > 1 and operator.n >= _VECTORS * lanes
    wide = is_cpu(profile) and profile.lanes > _WIDE_LANES and not profile.has(SEPARATE_WORKERS)
    if not (wide and plain and long) or operator.b_along_k or not all(map(_sweeps, decision.heroes)):
        return decision
    heroes = tuple(hero.replace(stages=2, in_flight=1) for hero in decision.heroes)
    long_runs = heroes[0].replace(tile_m=_ROWS, tile_n=_VECTORS * lanes)
    if _work(long_runs, operator) <= _EMPTY * min(_work(hero, operator) for hero in heroes):
        heroes = (long_runs, *heroes)
    text = "a row of a plane is a few lines, the next one far away: sweeps ask for those of the result and of the next panel"
    return decision.because("planes are asked for", text, heroes=distinct(heroes))


def _sweeps(hero: PipelineConfig) -> bool:
    """Whether a tile sweeps panels that are packed whole."""
    return hero.pack_b and not (hero.block_k or hero.pack_a or hero.halo) and hero.split_k == 1


def _work(hero: PipelineConfig, operator: OperatorTopology) -> int:
    """Sums that the tiles of one matrix have, those beyond its edges included."""
    down, across = -(-operator.m // hero.tile_m), -(-operator.n // hero.tile_n)
    return down * hero.tile_m * across * hero.tile_n
