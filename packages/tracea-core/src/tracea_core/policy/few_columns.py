# SPDX-License-Identifier: MIT
"""The rule for products of few columns: tiles as wide as the columns are, so that processors do nothing but stream the rows.

A warpgroup instruction multiplies 64 rows by any multiple of 8 columns. A product of few rows has its factors exchanged first
(`tracea_core.policy.arrange`), so it comes here as one of few columns: the weights' columns are its rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tracea_core.dtypes import DType
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.streaming import FEW, streams
from tracea_core.policy.tiles import TilingKind
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

_SHAPES = ((64, 8), (128, 12))
"""Rows, and warps of the groups that load and that multiply 64 rows each: more rows read the columns less often, and leave fewer tiles."""
_TALL, _SHORT = (256, 12), 256
"""Rows and warps of tiles of which there are many and each is at its end soon, and bytes of such reductions: fewer ends take less time."""
_ROUNDS = 2
"""Tall tiles for each processor at least."""
_CLUSTERS = (1, 2, 4)
"""Blocks that share what they load of the columns; of more, uneven groups of processors leave some idle."""
_DEPTHS = (4, 2, 1)
"""Multiples of the heroes' tile_k, 512, 256 and 128 bytes of each row at a time: what is longest in memory comes first (H200, 1 to 128 rows
of 8192×8192: 1 to 3 %)."""
_FEWEST = 3
"""Slots below which most of the ring is being read while the rest is filled."""
_PARTS = (1, 2, 4)
"""Blocks of a cluster that divide the reduction where tiles leave processors idle."""
_BOX = 64
_CHUNK, _NARROWEST_BOX = 16, 32
"""Bytes that rows of results begin at multiples of, where a copy engine takes them, and of the narrowest rows that it swizzles."""
_TURNS = 4
"""Tiles of 128 rows for each processor from which consumers take turns where a tile is one step: its end is all that it takes."""


def few_columns_stream_the_rows(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On sm_90a, give a product of few columns tiles that are no wider than they are, in rings as deep as shared memory allows.

    Before: 8192×16×8192 with ``64x32``, eight slots of 12 KiB. After: ``64x16x256 s5 …``, five slots of 40 KiB, first.

    Where a step holds the whole reduction the end of a tile, with loads of its own for batch norm, takes longer than its rows, and the next
    one's hides it if two consumers take turns: tuning chose that for 200704×64×64, 18.4 µs on an H200 and 18.7 with bias and ReLU (cuDNN
    20.5 and 26.2). Taller tiles have fewer ends: 401408×24×64 took 25.0 µs in tiles of 256 rows and 24.6 in turns, 100352×24×72 15.6 and
    19.6 in tiles of 128, 401408×8×16 18.4 and 25.4 in turns (in steps that its reduction fills,
    `tracea_core.policy.short_reductions`).
    """
    few = 0 < operator.n <= FEW and streams(operator) and operator.gates == 1
    if not few or decision.tiling is not TilingKind.DENSE or not profile.has("wgmma"):
        return decision
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if base is None:
        return decision
    new = (*_in_turns(base, operator, profile), *_tall(base, operator, profile), *_narrow(base, operator, profile))
    if not new:
        return decision
    text = f"all {operator.n} columns fit a tile of {new[0].tile_n}, and {new[0].stages} slots of it"
    heroes = tuple(dict.fromkeys((*new, *decision.heroes)))
    return decision.because("few columns stream the rows", text, heroes=heroes)


def narrowest_width(operator: OperatorTopology) -> int:
    """Return the narrowest instruction that takes all columns: a multiple of 8, of 16 for wide integers, of a box along n.

    Of results of 16 bits, whose rows a copy engine takes, it is one of the narrowest box that is swizzled.
    """
    step = 8 if operator.b_along_k else _BOX
    if operator.dtype is DType.INT8 and operator.n > 32:
        step = max(step, 16)
    by_rows = not operator.stored_along_m and operator.stored_alignment >= _CHUNK
    if by_rows and operator.stored.bytes == 2:
        step = max(step, _NARROWEST_BOX // operator.stored.bytes)
    return -(-operator.n // step) * step


def _in_turns(base: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> Iterator[PipelineConfig]:
    """The tile of two consumers that take turns, with the most slots that fit, where tiles are short and many."""
    rows, warps = _SHAPES[-1]
    tile = base.replace(
        tile_m=rows, tile_n=narrowest_width(operator), warps=warps, cluster_m=1, cluster_n=1, split_k=1, in_flight=1,
        barrier_mode=BarrierMode.PING_PONG,
    )  # fmt: skip
    short = operator.k <= tile.tile_k and operator.dtype.bytes == 2
    if short and tile.tile_n <= FEW and tiles_of(tile, operator) >= _TURNS * profile.processors:
        yield from _with_most_slots(tile, operator, profile)


def _tall(base: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> Iterator[PipelineConfig]:
    """The tile of 256 rows, with the most slots that fit, where reductions are short and rows many."""
    rows, warps = _TALL
    tile = base.replace(
        tile_m=rows, tile_n=narrowest_width(operator), warps=warps, cluster_m=1, cluster_n=1, split_k=1, in_flight=1
    )
    short = operator.dtype.bytes == 2 and 2 * operator.k <= _SHORT
    if short and tile.tile_n <= FEW and tiles_of(tile, operator) >= _ROUNDS * profile.processors:
        yield from _with_most_slots(tile, operator, profile)


def _with_most_slots(
    tile: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile
) -> Iterator[PipelineConfig]:
    """The tile with as many slots as fit, if enough do."""
    slots = (tile.replace(stages=stages) for stages in range(MAX_STAGES, _FEWEST - 1, -1))
    yield from itertools.islice((one for one in slots if budget_reason(one, profile, operator) is None), 1)


def _narrow(base: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> Iterator[PipelineConfig]:
    """The tiles, each with the most slots that fit."""
    width = narrowest_width(operator)
    plain = base.replace(cluster_m=1, cluster_n=1, split_k=1, in_flight=0 if base.block_k else 1)  # slots are many
    depths = _DEPTHS[-1:] if base.block_k else _DEPTHS  # sums that are put aside are so after every tile_k
    shared = [(cluster, 1) for cluster in _CLUSTERS] + [(1, parts) for parts in _PARTS[1:]]
    for (rows, warps), (cluster, parts), depth in itertools.product(_SHAPES, shared, depths):
        # Each block loads whole groups of 8 columns, and adds the sums of whole groups of 16.
        share = 16 * parts if parts > 1 else 8 * cluster
        wide = -(-width // share) * share
        deep = plain.replace(
            tile_m=rows, tile_n=wide, warps=warps, tile_k=depth * base.tile_k, cluster_m=cluster, split_k=parts
        )
        if (
            depth > 1 and deep.tile_k > operator.k
        ):  # zeros, which take their time (200704×64×64: 43 µs in steps of 256, 21 in steps of 64)
            continue
        if parts > 1 and (tiles_of(deep, operator) > profile.processors or operator.k < parts * _FEWEST * deep.tile_k):
            continue
        if wide <= FEW:
            yield from _with_most_slots(deep, operator, profile)
