# SPDX-License-Identifier: MIT
"""The rules for chained contractions: which rows and how many keys at a time."""

from __future__ import annotations

import itertools

from tracea_core.doctor.chains import chain_fits, chain_shape
from tracea_core.policy.budget import SHORT_LANES, budget_reason, is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.kinds import LowRank
from tracea_core.policy.low_rank_rules import middle_stays_in_shared_memory
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.warpgroup_chains import OF_WARPGROUPS, warpgroups_hold_scores_and_sums
from tracea_core.target import CapabilityProfile

_ADDRESSED = 6
"""Rows that an x86 points to while it multiplies: it reads them where they lie, and has no register for the address of each of 14."""
_KEYS = 64
"""Keys that are taken at a time at least: sums are scaled once for all of them."""
_INSTRUCTION = 16
"""Rows, columns and keys that an instruction of a warp takes at a time."""
_ASYNCHRONOUS = "mma_m16n8k16_"
"""How the names begin of instructions whose tiles come by copies that pass no registers."""
_THREADS = (128, 256, 64, 32, 16, 8)
"""Threads of a block, in the order in which they are tried."""
_HEROES = 12
"""Configurations that are offered, and the smallest."""
_ROWS_OF_WARP = 32
_FEWEST_ROWS = 64
"""Rows of a block below which copies are no longer shared by four warps."""


def tiles_hold_scores_and_sums(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, take two vectors of keys (and of values) for as many rows as registers hold and point to, and 64 keys at a time.

    On two cores of a Zen 4 with AVX-512, fp32, six rows took attention 0.41 to 0.75 of the time of 14 (48 heads of 197 positions, 12 of
    384, 12 causal ones of 512, 16 of 1024 and 128 columns, 1536 of 49), and low-rank products a third (ranks of 64 and 128). With AVX2,
    which has registers for six, 64 keys took 0.77 to 0.93 of the time of 32.

    Before, avx2: nothing. After: ``6x16x1 kb64``, and fewer rows where there are fewer.
    """
    if not is_cpu(profile):
        return decision
    lanes, registers = vector_lanes(profile, operator.accumulator), profile.vector_registers
    most = max((registers - 1) // 2 - 1, 1)
    if profile.lanes > SHORT_LANES:
        most = min(most, _ADDRESSED)
    shapes = [(min(rows, max(operator.m, 1)), 2 * lanes) for rows in (most, 4, 1)]
    heroes = tuple(
        PipelineConfig(tile_m=rows, tile_n=columns, tile_k=1, stages=1, warps=1, block_k=max(2 * columns, _KEYS))
        for rows, columns in dict.fromkeys(shapes)
    )
    text = f"{heroes[0].tile_m}×{heroes[0].tile_n} sums in registers; {heroes[0].block_k} keys at a time"
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
    if (
        is_cpu(profile)
        or not (operator.instruction or _ASYNCHRONOUS).startswith(_ASYNCHRONOUS)
        or _is_low_rank(operator)
    ):
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


def tiles_pass_through_registers(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a GPU whose instruction reads what lanes load themselves, take as many rows, then keys, as registers and memory hold.

    With two slots a block of keys is fetched while the one before is worked on.

    Before, mi300x: nothing. After, 4096 queries of 64 columns: ``128x64x64 s2``.
    """
    shape = chain_shape(operator.instruction, profile)
    elsewhere = operator.instruction.startswith((_ASYNCHRONOUS, OF_WARPGROUPS))
    if is_cpu(profile) or shape is None or elsewhere or _is_low_rank(operator):
        return decision
    m, n, k = shape
    unit = max(n, k)
    columns = 1 << (max(operator.first_depth, operator.n, unit) - 1).bit_length()
    run = max(min(operator.alignment, operator.whole_runs) // operator.dtype.bytes, 1)
    stored = next(
        s
        for s in (8, 4, 2, 1)
        if operator.n % s == 0 and operator.stored_alignment >= min(s * operator.stored.bytes, 16)
    )
    counts = tuple(dict.fromkeys(max(threads // profile.lanes, 1) for threads in _THREADS))
    heroes = []
    for own, keys, warps, stages in itertools.product(
        dict.fromkeys((max(_ROWS_OF_WARP // m, 1) * m, m)), dict.fromkeys((2 * max(unit, 32), max(unit, 32), unit)), counts, (2, 1)
    ):  # fmt: skip
        if chain_fits(shape, (own, keys, columns), warps, stages, operator.dtype, profile):
            heroes.append(PipelineConfig(
                tile_m=own * warps, tile_n=keys, tile_k=columns, stages=stages, warps=warps,
                vector_a=run, vector_b=run, vector_c=stored,
            ))  # fmt: skip

    heroes = [hero for hero in heroes if budget_reason(hero, profile, operator) is None]

    def wasteful(hero: PipelineConfig) -> tuple[bool, bool, int]:
        few = operator.batch * -(-operator.m // hero.tile_m) < profile.processors
        most = hero.tile_m > m and hero.tile_m >= 2 * operator.m
        return most, hero.tile_m > _FEWEST_ROWS and few, -hero.stages

    heroes = sorted(heroes, key=wasteful)[:_HEROES] + heroes[-1:]
    if not heroes:
        return decision
    text = f"{heroes[0].tile_m} rows in {heroes[0].warps} warps, {heroes[0].tile_n} keys of up to {columns} columns at a time"
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)), tile_k=(columns,), stages=(2, 1),
        warps=tuple(dict.fromkeys(hero.warps for hero in heroes)),
    )  # fmt: skip
    return decision.because("tiles pass through registers", text, heroes=tuple(dict.fromkeys(heroes)), space=space)


def _is_low_rank(operator: OperatorTopology) -> bool:
    return isinstance(operator.kind, LowRank)


CHAIN_RULES = (
    tiles_hold_scores_and_sums,
    warps_hold_scores_and_sums,
    warpgroups_hold_scores_and_sums,
    tiles_pass_through_registers,
    middle_stays_in_shared_memory,
)
"""All rules in the order in which they apply."""
