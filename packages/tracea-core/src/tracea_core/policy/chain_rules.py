# SPDX-License-Identifier: MIT
"""The rules for chained contractions: which rows and how many keys at a time."""

from __future__ import annotations

from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_TILES_PER_BLOCK = 2
_INSTRUCTION = 16
"""Rows, columns and keys that an instruction of a warp takes at a time."""
_FEWEST_ROWS = 64
"""Rows of a block below which copies are no longer shared by four warps."""


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


def warps_hold_scores_and_sums(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a GPU, give each warp 32 rows, so that what it reads of keys and values serves twice, and as many keys as registers leave.

    Scores and sums of a thread take rows · (keys + columns) / 32 registers of 255. Where there are fewer rows, or fewer tiles than
    processors, warps take 16 rows, and there are fewer of them.

    Before, h200: nothing. After, 4096 queries of 64 columns: ``128x64x64 … va8 vb8 vc2``; of 128: ``128x32x128``.
    """
    if is_cpu(profile):
        return decision
    columns = max(-(-max(operator.first_depth, operator.n, 1) // _INSTRUCTION) * _INSTRUCTION, _INSTRUCTION)
    run = max(min(operator.alignment, operator.whole_runs) // operator.dtype.bytes, 1)
    stored = 2 if operator.stored_alignment >= 2 * operator.stored.bytes and operator.n % 2 == 0 else 1
    shapes = [(128, keys, 4) for limit, keys in ((64, 64), (128, 32)) if columns <= limit][:1]
    shapes += [(64, 64 if columns <= 128 else 32, 4), (32, 32, 2), (16, 32, 1)]

    def wasteful(shape: tuple[int, int, int]) -> tuple[bool, bool]:
        """Whether half of the rows or more are beyond the last, and whether processors are idle that smaller tiles would feed."""
        rows = shape[0]
        few = operator.batch * -(-operator.m // rows) < profile.processors
        return rows > _INSTRUCTION and rows >= 2 * operator.m, rows > _FEWEST_ROWS and few

    heroes = tuple(
        PipelineConfig(tile_m=rows, tile_n=keys, tile_k=columns, stages=2, warps=warps, vector_a=run, vector_b=run, vector_c=stored)
        for rows, keys, warps in sorted(shapes, key=wasteful)
    )  # fmt: skip
    text = f"{heroes[0].tile_m} rows in {heroes[0].warps} warps, {heroes[0].tile_n} keys of up to {columns} columns at a time"
    space = PrunedSpace(
        tiles=tuple((hero.tile_m, hero.tile_n) for hero in heroes), tile_k=(columns,), stages=(2, 3),
        warps=tuple(dict.fromkeys(hero.warps for hero in heroes)),
    )  # fmt: skip
    return decision.because("warps hold scores and sums", text, heroes=heroes, space=space)


CHAIN_RULES = (tiles_hold_scores_and_sums, warps_hold_scores_and_sums)
"""All rules in the order in which they apply."""
