# SPDX-License-Identifier: MIT
"""Rules for the register tiles of a CPU: what a core keeps in vector registers while it multiplies."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, distinct
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

REGISTER_TILES = 12
"""How many register tiles of a CPU a search tries: on landscapes of 12 problems recorded on AVX2 the best was always among them."""


def narrow_register_tiles(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, give few rows wider tiles and few columns narrower, taller ones.

    Before: m = 1, n = 4096 with 6×64 tiles: five of six rows are thrown away. After: 1×128 first.
    Before: n = 16 with 6×64: three of four vectors are. After: 12×16 and 8×16.
    """
    operator = operator.evenly
    if not is_cpu(profile) or operator.m == 0 or operator.n == 0:
        return decision
    lanes, gates = vector_lanes(profile, operator.accumulator), operator.gates
    room = profile.vector_registers - 1
    shapes: list[tuple[int, int]] = []
    tallest = max((hero.tile_m for hero in decision.heroes), default=1)
    if operator.m < tallest:
        widest = min(room // (gates * (operator.m + 1)), 8, -(-operator.n // lanes))
        shapes.append((operator.m, max(widest, 1)))
    narrowest = -(-operator.n // lanes)
    if narrowest < min((hero.tile_n for hero in decision.heroes), default=0) // lanes:
        for vectors in range(narrowest, 0, -1):
            highest = min(room // (gates * vectors) - 1, 12)
            shapes += [(rows, vectors) for rows in (highest, 8, 6) if 1 <= rows <= highest]
    shapes = [(min(rows, operator.m), vectors) for rows, vectors in shapes]
    new = tuple(
        PipelineConfig(tile_m=rows, tile_n=vectors * lanes, tile_k=4, stages=1, warps=1)
        for rows, vectors in dict.fromkeys(shapes)
    )
    if not new:
        return decision
    text = f"{operator.m}×{operator.n} outputs fill {', '.join(f'{c.tile_m}×{c.tile_n}' for c in new)} better"
    return decision.because("narrow register tiles", text, heroes=distinct((*new, *decision.heroes)))


def tile_that_the_model_likes(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, add the register tile that the model expects to be fastest for this operator.

    Before: bf16 on avx2, 4×24, 6×16 and 2×40: up to six rows are widened at each step of k. After: 2×32 too.
    """
    if not is_cpu(profile) or not operator.work:
        return decision
    m, n = register_tiles(operator, profile)[0]
    heroes = distinct((*decision.heroes, PipelineConfig(tile_m=m, tile_n=n, tile_k=4, stages=1, warps=1)))
    if heroes == decision.heroes:
        return decision
    return decision.because("tile that the model likes", f"{m}×{n} is expected to be fastest", heroes=heroes)


def register_tiles(operator: OperatorTopology, profile: CapabilityProfile) -> tuple[tuple[int, int], ...]:
    """Return every (rows, columns) that fits the vector registers of a CPU, the fastest by the model first.

    >>> from tracea_core.doctor.presets import preset
    >>> register_tiles(OperatorTopology(0, "product", "Gemm", 1024, 1024, 1024), preset("avx2"))[:2]
    ((6, 16), (5, 16))
    """
    lanes, room = vector_lanes(profile, operator.accumulator), profile.vector_registers - 1
    tiles = [
        PipelineConfig(tile_m=rows, tile_n=vectors * lanes, tile_k=4, stages=1, warps=1)
        for vectors in range(1, room)
        for rows in range(1, room // (operator.gates * vectors))
        if operator.gates * (rows + 1) * vectors <= room
    ]
    tiles.sort(key=lambda tile: predict_seconds(tile, profile, operator))
    return tuple((tile.tile_m, tile.tile_n) for tile in tiles)
