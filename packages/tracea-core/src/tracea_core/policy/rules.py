# SPDX-License-Identifier: MIT
"""The rules of the policy, one small pure function each, applied in the order of `RULES`.

A rule reads the operator and the device profile and returns the decision, changed and with its reason, or as it was.
Rules first collect what is worth trying, then adapt it to the operator, then drop what does not fit and put the rest in
order. Each docstring shows one case before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tracea_core.policy.accesses import accesses_follow_alignment
from tracea_core.policy.budget import budget_reason, is_cpu
from tracea_core.policy.channel_steps import parts_of_windows_fill_idle_processors, steps_follow_channels
from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.cpu_blocks import operands_meet_the_caches
from tracea_core.policy.cpu_tiles import cpu_heroes
from tracea_core.policy.decision import PolicyDecision, PrunedSpace, distinct
from tracea_core.policy.few_columns import few_columns_stream_the_rows
from tracea_core.policy.few_tiles import BLOCKS as FOUR
from tracea_core.policy.few_tiles import four_blocks_share_straddling_rows
from tracea_core.policy.held_tiles import registers_hold_the_tile
from tracea_core.policy.heroes import gpu_heroes
from tracea_core.policy.hoisting import coordinates_are_looked_up
from tracea_core.policy.kinds import BlockSparse, Causal, Grouped, LowRank, Windowed
from tracea_core.policy.lane_rows import lanes_bring_rows, rows_come_by_lanes
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.one_round import narrower_tiles_of_one_round
from tracea_core.policy.order import BANDED, DIES, Order
from tracea_core.policy.plane_rules import planes_are_asked_for
from tracea_core.policy.register_rules import (
    REGISTER_TILES,
    narrow_register_tiles,
    register_tiles,
    tile_that_the_model_likes,
)
from tracea_core.policy.scale_rules import scales_come_with_their_tiles
from tracea_core.policy.short_reductions import steps_follow_short_reductions
from tracea_core.policy.tiles import TilingKind
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile

Rule: TypeAlias = Callable[[PolicyDecision, OperatorTopology, CapabilityProfile], PolicyDecision]

_CLUSTER_PARTS = 4
HEROES, _ROOMY = 8, 3
"""How many heroes a decision keeps, and how many of them at least leave registers to any epilogue, which the policy does not see."""


def tiling_follows_topology(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Take the tiling from the kind of topology: only wanted tiles exist.

    Before: ``Causal()`` of 4096×128×4096, tiling dense. After: tiling causal, half of the k blocks.
    """
    kind = operator.kind
    match kind:
        case LowRank(r=rank):
            dense = operator.batch * operator.m * operator.n * operator.k
            text = f"two products through rank {rank}: {operator.work / max(dense, 1):.1%} of the dense work"
            return decision.because("tiling follows topology", text, tiling=TilingKind.LOW_RANK)
        case BlockSparse(block_m=rows, block_k=columns, density=density):
            text = f"only blocks of {rows}×{columns} that are present are dispatched: {density:.1%} of the dense work"
            return decision.because("tiling follows topology", text, tiling=TilingKind.BLOCK_SPARSE)
        case Windowed():
            text = f"blocks outside the window do not exist: {operator.share:.1%} of the dense work"
            return decision.because("tiling follows topology", text, tiling=TilingKind.WINDOWED)
        case Causal():
            text = f"blocks above the diagonal do not exist: {operator.share:.1%} of the dense work"
            return decision.because("tiling follows topology", text, tiling=TilingKind.CAUSAL)
        case Grouped(rows=rows_of):
            text = f"one launch covers {len(rows_of)} groups of {min(rows_of)} to {max(rows_of)} rows"
            return decision.because("tiling follows topology", text, tiling=TilingKind.GROUPED)
        case _:
            return decision


def heroes_of_the_device(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Start from what is known to be good on this kind of device.

    Before: no configuration. After, avx512 and fp32: ``6x64x4 s1 …`` and ``8x48x4 s1 …``; sm_90a and bf16:
    ``128x256x64 s4 c2x1 b128 …``.
    """
    heroes = (cpu_heroes if is_cpu(profile) else gpu_heroes)(profile, operator)
    text = f"{len(heroes)} configurations known from {profile.arch} with {operator.dtype.value} operands"
    return decision.because("heroes of the device", text, heroes=heroes)


def attention_tiles(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """For masked reductions on sm_90a, use the tiles of FlashAttention-3: all of n in a block, keys along k.

    Before: ``128x256x64 …``. After, n = 128 and causal: ``128x128x128 s2 …`` (Dao-AILab/flash-attention,
    hopper/tile_size.h).
    """
    if not isinstance(operator.kind, Windowed | Causal) or not profile.has("wgmma") or operator.n > 128:
        return decision
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if base is None:
        return decision
    width = max(-(-operator.n // 8) * 8, 8)
    tiles = ((192, 128, 16), (128, 128, 12), (64, 128, 8)) if width <= 64 else ((128, 128, 12), (64, 128, 8))
    new = tuple(
        base.replace(tile_m=m, tile_n=width, tile_k=keys, stages=2, warps=warps, cluster_m=1, cluster_n=1, in_flight=1)
        for m, keys, warps in tiles
    )
    text = f"a block holds {new[0].tile_m} queries and all {operator.n} columns, {new[0].tile_k} keys at a time"
    return decision.because("attention tiles", text, heroes=new)


def gated_tiles_are_half_as_wide(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a GPU, halve the columns for a gated epilogue: it keeps two accumulators per stored element.

    Before: ``128x256x64`` with gates = 2 needs 256 registers a thread for accumulators. After: ``128x128x64``.
    """
    if operator.gates == 1 or is_cpu(profile):
        return decision
    halved = tuple(hero.replace(tile_n=-(-hero.tile_n // 16) * 8) for hero in decision.heroes)
    text = "two accumulators per stored element leave room for half the columns"
    return decision.because("gated tiles are half as wide", text, heroes=distinct(halved))


def no_cluster_for_one_wave(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Do not share loads between blocks where all tiles run at once: clusters then only wait for each other.

    Before: 512×512 with ``128x256 c2x1``, 8 tiles on 132 processors. After: c1x1 (DeepGEMM, heuristics/sm90.hpp). Rows that
    start within a sector are worth sharing all the same.
    """
    if is_cpu(profile) or not operator.whole_sectors or all(hero.cluster == 1 for hero in decision.heroes):
        return decision
    changed = tuple(
        hero.replace(cluster_m=1, cluster_n=1) if tiles_of(hero, operator) <= profile.processors else hero
        for hero in decision.heroes
    )
    if changed == decision.heroes:
        return decision
    text = f"one wave of tiles on {profile.processors} processors gains nothing from shared loads"
    return decision.because("no cluster for one wave", text, heroes=distinct(changed))


def groups_share_columns(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Let blocks that share loads lie side by side where rows fall into ragged groups: the rows below may be another group's.

    Before: ``128x256 c2x1``. After: ``128x256 c1x2``.
    """
    if not isinstance(operator.kind, Grouped) or is_cpu(profile):
        return decision
    heroes = tuple(hero.replace(cluster_m=1, cluster_n=hero.cluster) for hero in decision.heroes)
    if not operator.b_along_k:  # weights along n arrive in boxes of 64 columns; 160 cost as much as 192 (H200)
        heroes = tuple(hero for hero in heroes if hero.tile_n % 64 == 0) or heroes
    if heroes == decision.heroes:
        return decision
    text = "blocks of a cluster multiply the same rows, since those below may belong to another group"
    return decision.because("groups share columns", text, heroes=distinct(heroes))


def split_k_fills_idle_processors(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Cut a long reduction where tiles are fewer than processors.

    Before: 128×128×65536 on 132 processors: one tile of 128×128, 131 idle. After: split_k = 64 among the heroes.
    Before: 4096³: 512 tiles. After: unchanged.
    """
    if operator.gates > 1 or operator.reduction_axes > 1 or decision.tiling is not TilingKind.DENSE:
        return decision
    if profile.has(SEPARATE_WORKERS):
        return decision
    shortest = 256 if is_cpu(profile) else 4  # elements, or steps of tile_k, that a slice must at least have
    new: list[PipelineConfig] = []
    for hero in decision.heroes:
        idle = profile.processors // max(tiles_of(hero, operator), 1)
        room = operator.k // (shortest if is_cpu(profile) else shortest * hero.tile_k)
        parts = min(idle, room)
        if parts > 1 and hero.barrier_mode is not BarrierMode.NONE:
            # Blocks of one cluster, which keep their parts in shared memory; eight were slower than four, small tiles than large.
            if hero.barrier_mode is BarrierMode.PING_PONG or min(hero.tile_m, hero.tile_n) < 128:
                continue
            parts = 1 << (min(parts, _CLUSTER_PARTS).bit_length() - 1)
            new.append(hero.replace(split_k=parts, cluster_m=1, cluster_n=1, stages=min(hero.stages, 4)))
        elif parts > 1 and is_cpu(profile):  # uniform blocks of a GPU divide nothing: plans of several kernels do
            new += [hero.replace(split_k=p) for p in dict.fromkeys((parts, 1 << (parts.bit_length() - 1)))]
    if not new:
        return decision
    text = (
        f"{min(tiles_of(hero, operator) for hero in decision.heroes)} tiles at the least for {profile.processors} "
        f"processors and k = {operator.k}: parts of the reduction can fill the rest"
    )
    return decision.because("split-k fills idle processors", text, heroes=distinct((*decision.heroes, *new)))


def only_what_fits(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
    """Drop configurations beyond the device's budgets.

    Before: gfx942 with ``256x256x64 s2`` (128 KiB of shared memory). After: ``256x256x64 s1`` and smaller (64 KiB).
    """
    reasons = {hero: budget_reason(hero, profile, operator) for hero in decision.heroes}
    kept = tuple(hero for hero, reason in reasons.items() if reason is None)
    if len(kept) == len(decision.heroes) or not kept:
        return decision
    first = next(f"{hero.describe()}: {reason}" for hero, reason in reasons.items() if reason is not None)
    text = f"{len(reasons) - len(kept)} configurations dropped, such as {first}"
    return decision.because("only what fits", text, heroes=kept)


def fewest_wasted_waves(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Put configurations in order of predicted time, which counts whole waves of whole tiles.

    Before: m = 256, n = 11264 on 132 processors, 128×256 first (88 tiles, 44 processors idle). After: 128×176 first
    (128 tiles). Predictions within 3 % count as equal, and the device's own order stands, but for warp-specialized kernels, whose
    predictions are good to 1 %.
    """
    if not operator.work or len(decision.heroes) < 2:
        return decision.replace(heroes=decision.heroes[:HEROES])
    seconds = [predict_seconds(hero, profile, operator) for hero in decision.heroes]
    fitted = all(hero.barrier_mode is not BarrierMode.NONE for hero in decision.heroes)
    band = 0.001 if fitted else 0.03
    bands = [round((time / min(seconds) - 1.0) / band) for time in seconds]
    ranked = sorted(range(len(seconds)), key=lambda index: bands[index])
    roomy = [index for index in ranked if _leaves_room(decision.heroes[index])]
    first = [index for index in ranked if index not in roomy[:_ROOMY]][: HEROES - len(roomy[:_ROOMY])]
    ranked = sorted((*first, *roomy[:_ROOMY]), key=ranked.index)
    heroes = tuple(decision.heroes[index] for index in ranked)
    if ranked[0] == 0:
        return decision.replace(heroes=heroes, split_k=heroes[0].split_k)
    text = (
        f"{heroes[0].describe()} makes {tiles_of(heroes[0], operator)} tiles for {profile.processors} processors, "
        f"{decision.heroes[0].describe()} {tiles_of(decision.heroes[0], operator)}: "
        f"predicted {seconds[0] / seconds[ranked[0]]:.2f}× faster"
    )
    return decision.because("fewest wasted waves", text, heroes=heroes, split_k=heroes[0].split_k)


def _leaves_room(config: PipelineConfig) -> bool:
    """Whether lanes that multiply by warpgroups keep at most 128 sums, so that any epilogue finds registers beside them."""
    sharing = 1 if config.barrier_mode is BarrierMode.PING_PONG else max(config.warps // 4 - 1, 1)
    return config.barrier_mode is BarrierMode.NONE or config.tile_m * config.tile_n <= 128 * 128 * sharing


def order_by_reuse_or_length(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Run uneven tiles longest first; else group tile rows so that the cache serves what runs at the same time.

    Before: causal, row order: the longest rows come last and one processor works alone at the end. After: longest
    first. Before: 8192³ on a GPU, row order: a wave reads one row of A and all of B. After: bands of 8 tile rows.
    """
    if decision.tiling is TilingKind.GROUPED:
        text = "tiles of a row share its weights, and groups follow one another"
        order, group = Order.ROW, decision.group
    elif operator.listed and not is_cpu(profile):
        text = "lists of blocks are data, so nobody knows the longest; tiles of a line share its blocks"
        order, group = Order.ROW, decision.group
    elif decision.tiling in (TilingKind.CAUSAL, TilingKind.WINDOWED, TilingKind.BLOCK_SPARSE) and not operator.listed:
        text = "tiles differ in length; the longest start first, so that all processors end together"
        order, group = Order.LONGEST_FIRST, decision.group
    elif is_cpu(profile):
        text = "a worker packs a panel of B once and passes all rows under it"
        order, group = Order.COLUMN, decision.group
    else:
        hero, dies = decision.hero, profile.has(f"xcd{DIES}")
        rows = -(-operator.m // hero.tile_m)
        at_once = tiles_of(hero, operator) <= profile.processors and not dies
        # On an H200 664×3816×3456 took 42 µs row by row and 32 in bands of rows, 632×3880×5792 51 and 45; 8864×264×7184 69 and 75.
        fours = hero.barrier_mode is not BarrierMode.NONE and hero.cluster == FOUR
        if rows <= 1 or (at_once and (operator.n <= operator.m or fours)):
            text, order, group = "all tiles run at once, and neighbours share rows of A", Order.ROW, decision.group
        else:
            group = _whole_bands(hero.group, rows)
            text, order = f"bands of {group} tile rows share panels of B in the cache", Order.GROUPED
            if dies:
                text, order = f"{text} of each of {DIES} dies, which take turns", Order.GROUPED_DIES
    banded = order in BANDED
    heroes = tuple(hero.replace(order=order, group=group if banded else hero.group) for hero in decision.heroes)
    return decision.because("order by reuse or length", text, order=order, group=group, heroes=distinct(heroes))


def _whole_bands(group: int, rows: int) -> int:
    """Return how many tile rows a band has, so that none of few bands is a row alone, which shares no panel of B with others.

    On an H200 bands of 9 took 0.92 to 0.98 of the time of bands of 8 where there were 9, 17, 25 or 33 rows, and as long with two rows over.

    >>> _whole_bands(8, 25), _whole_bands(8, 26), _whole_bands(8, 5), _whole_bands(8, 65)
    (9, 8, 5, 8)
    """
    alone = rows % group == 1 and 1 <= rows // group <= group // 2
    return group + 1 if alone else min(group, rows)


def search_around_the_heroes(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """List for the tuner the values that heroes have and those next to them, nothing else.

    Before: every field of a configuration is free. After, avx512: the dozen register tiles that the model likes best, a few
    depths of unrolling and splits of k; sm_90a: tiles, stages and rasters near the heroes, roles and swizzles that its
    instructions need.
    """
    heroes = decision.heroes
    changes: dict[str, tuple[object, ...]] = {
        field: tuple(dict.fromkeys(hero.value(field) for hero in heroes)) for field in PipelineConfig.__struct_fields__
    }
    if is_cpu(profile):
        liked = register_tiles(operator, profile)[:REGISTER_TILES]
        changes["tiles"] = tuple(dict.fromkeys((*liked, *((hero.tile_m, hero.tile_n) for hero in heroes))))
        changes["tile_m"] = changes["tile_n"] = ()
        changes["tile_k"] = (2, 4, 6, 8)
        if (
            operator.gates == 1
            and operator.reduction_axes == 1
            and not profile.has(SEPARATE_WORKERS)
            and not isinstance(operator.kind, Grouped)
        ):
            splits = {1, 2, 4, *(hero.split_k for hero in heroes)}
            changes["split_k"] = tuple(sorted(parts for parts in splits if parts == 1 or operator.k >= 64 * parts))
    else:
        depths = {depth for hero in heroes for depth in (hero.stages - 1, hero.stages, hero.stages + 1)}
        changes["stages"] = tuple(sorted(depth for depth in depths if 1 <= depth <= MAX_STAGES))
        if decision.order in BANDED:
            changes["group"] = tuple(sorted({decision.group, 4, 8, 16}))
        if any(hero.barrier_mode is not BarrierMode.NONE for hero in heroes):
            changes["in_flight"] = (0,) if rows_come_by_lanes(operator, profile) else (0, 1)
        rings = [hero for hero in heroes if hero.barrier_mode is not BarrierMode.NONE and not hero.block_k]
        if any(tiles_of(hero, operator) > profile.processors for hero in rings):
            changes["returning"] = (0, 1)
        if all(hero.swizzle is SwizzleMode.XOR4 for hero in heroes):
            changes["swizzle"] = (SwizzleMode.XOR4, SwizzleMode.XOR8)
    space = PrunedSpace().replace(**changes)
    return decision.because(
        "search around the heroes", f"{space.size} combinations of values that heroes have or that lie next to them",
        space=space,
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    tiling_follows_topology,
    heroes_of_the_device,
    attention_tiles,
    gated_tiles_are_half_as_wide,
    narrow_register_tiles,
    tile_that_the_model_likes,
    no_cluster_for_one_wave,
    groups_share_columns,
    four_blocks_share_straddling_rows,
    narrower_tiles_of_one_round,
    few_columns_stream_the_rows,
    steps_follow_short_reductions,
    steps_follow_channels,
    accesses_follow_alignment,
    scales_come_with_their_tiles,
    split_k_fills_idle_processors,
    lanes_bring_rows,
    parts_of_windows_fill_idle_processors,
    operands_meet_the_caches,
    registers_hold_the_tile,
    only_what_fits,
    fewest_wasted_waves,
    planes_are_asked_for,
    order_by_reuse_or_length,
    coordinates_are_looked_up,
    search_around_the_heroes,
)
"""All rules in the order in which they apply."""
