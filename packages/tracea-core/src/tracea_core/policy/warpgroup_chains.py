# SPDX-License-Identifier: MIT
"""The rule for attention by warpgroups: how many rows a block takes, how many keys at a time, and who has which keys.

Where there are fewer tiles of rows than processors, as when tokens are decoded, the blocks of a cluster divide the keys of a tile
(`tracea_core.semantic.build.chain_parts`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.kinds import Causal, LowRank, Windowed
from tracea_core.policy.order import Order
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import clusters_at_once
from tracea_core.target import CapabilityProfile

OF_WARPGROUPS = "wgmma_"
"""How the names begin of instructions that read keys and values where a copy engine has brought them."""
_WHOLE_ROW = 64
"""Columns of 16 bits that a copy engine brings in one swizzled row."""
_ROWS_OF_WARPGROUP = 64
_CHUNK = 16
"""Bytes of the widest store of a lane."""


class _Shape(NamedTuple):
    """A tile of rows and keys for so many columns at most, blocks of it on a processor, and its times in microseconds.

    The times, for each block of keys and for each tile besides, are of an H200 at 1.98 GHz, where they rank 27 problems of 128 to 4096
    queries and keys as measured, but for differences of 2 %. What is `dense` pays only where every row sees every key: at the edge of what
    rows see it wastes most, and a mask in memory finds no registers beside it. Shapes for `parts` of the keys are of the same device, one
    to 64 tiles of 300 to 131,072 keys. 64 keys at a time pay where the last 128
    would be half beyond the end (6144 heads of 49 positions and 32 columns 41.6 µs and 59.5 by 128, under a mask in memory 56.5 and 83.0;
    384 of 64 columns and 160, 192 and 320 positions 22.7, 22.8 and 42.1, and 25.4, 25.5 and 44.3), not for 197 positions (18.8 and 18.2).
    Few tiles gain less (8×4 heads of 40 positions 5.9 and 6.3): what is for `many` is left to those that fill a device, so that short
    sequences of any length share a kernel.
    """

    columns: int
    rows: int
    keys: int
    blocks: int
    each: float
    besides: float
    stages: int = 2
    dense: bool = False
    many: bool = False
    parts: tuple[int, ...] = (1,)


_SHAPES = (
    _Shape(64, 64, 128, 2, 1.15, 0.9), _Shape(64, 128, 128, 1, 1.12, 1.8), _Shape(64, 192, 128, 1, 1.43, 2.6, 3),
    _Shape(128, 64, 128, 1, 1.05, 3.0), _Shape(128, 128, 128, 1, 1.60, 3.2), _Shape(128, 128, 176, 1, 2.08, 3.8, dense=True),
    _Shape(256, 64, 64, 1, 1.05, 3.0), _Shape(256, 128, 64, 1, 1.60, 3.2),
    _Shape(64, 64, 64, 2, 0.65, 0.8, 4, many=True), _Shape(64, 64, 64, 2, 0.48, 0.9, 4, parts=(2, 3, 4, 5, 6, 7, 8, 16)),
    _Shape(128, 64, 128, 1, 1.05, 3.0, parts=(2,)), _Shape(128, 64, 64, 1, 0.62, 3.0, 4, parts=(3, 4, 5, 6, 7, 8, 16)),
    _Shape(256, 64, 48, 1, 0.80, 3.0, parts=(2, 3, 4, 5, 6, 7, 8, 16)),
)  # fmt: skip
_BESIDE_MASKS = (
    _Shape(64, 128, 64, 1, 0.8, 1.8, 3),
    _Shape(128, 128, 64, 1, 1.0, 3.2, 3),
    _Shape(256, 64, 32, 1, 0.8, 3.0, 3),
)
"""Fewer keys at a time, the last resort where a mask in memory, above all of single elements or with a window, finds no registers."""
_MEETING, _PART = 2.5, 0.35
"""Microseconds in which the blocks of a cluster meet and add up what they have, and for each of them."""
_CROWD = 200
"""Blocks that fetch keys at once and each then take twice as long as one alone."""
_OFFERED = 8
"""Configurations with divided keys that are offered at most, of the least time."""


def warpgroups_hold_scores_and_sums(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Where a copy engine feeds warpgroups, give each consumer 64 rows, and blocks the shape that takes the least time.

    Rounds of tiles that see different numbers of keys go back and forth, so that each block has as many in all.

    Before, h200: nothing. After, 64 × 4096 queries of 64 columns: ``192x128x64 s3 … ping-pong``; 96 × 384: ``64x128x64 …``; causal, of 128
    columns: ``128x128x128 … serpentine``; 8 × 4 queries that see 8192 keys: ``64x64x128 s4 k/8 …``.
    """
    if not operator.instruction.startswith(OF_WARPGROUPS) or isinstance(operator.kind, LowRank):
        return decision
    columns = max(-(-max(operator.first_depth, operator.n, 1) // _WHOLE_ROW) * _WHOLE_ROW, _WHOLE_ROW)
    limit = next((shape.columns for shape in _SHAPES if columns <= shape.columns), _SHAPES[-1].columns)
    masked = isinstance(operator.kind, Causal | Windowed)
    edges, few = masked or operator.masked, operator.batch * -(-operator.m // _ROWS_OF_WARPGROUP) < profile.processors
    fitting = [shape for shape in _SHAPES if shape.columns == limit]
    shapes = [shape for shape in fitting if not ((edges and shape.dense) or (few and shape.many))]
    choices = sorted(
        (_time(shape, parts, operator, profile), parts, shape) for shape in shapes for parts in shape.parts
    )
    whole = [(parts, shape) for _, parts, shape in choices if parts == 1]
    least = next(time for time, parts, _ in choices if parts == 1)
    divided = [
        (parts, shape) for time, parts, shape in choices if parts > 1 and time < least and parts <= profile.max_cluster
    ]
    fewer = [(1, shape) for shape in _BESIDE_MASKS if operator.masked and shape.columns == limit]
    chosen = [*divided[:_OFFERED], *whole, *fewer]
    size = operator.stored.bytes
    aligned = next(
        (n for n in (_CHUNK // size, 2) if operator.stored_alignment >= n * size and operator.n % n == 0 and n * size <= _CHUNK), 1
    )  # fmt: skip
    heroes = tuple(
        PipelineConfig(
            tile_m=shape.rows, tile_n=shape.keys, tile_k=columns, stages=shape.stages, split_k=parts,
            warps=4 * (shape.rows // _ROWS_OF_WARPGROUP + 1), order=Order.SERPENTINE if masked else Order.ROW,
            barrier_mode=BarrierMode.PING_PONG if shape.rows > 2 * _ROWS_OF_WARPGROUP else BarrierMode.PRODUCER_CONSUMER,
            vector_a=8, vector_b=8, vector_c=aligned,
        )
        for parts, shape in chosen
    )  # fmt: skip
    first = heroes[0]
    text = f"{first.tile_m} rows in {first.warps // 4 - 1} warpgroups, {first.tile_n} keys of up to {columns} columns"
    text += f", the keys in {first.split_k} parts" if first.split_k > 1 else ""
    space = PrunedSpace(
        tiles=tuple((hero.tile_m, hero.tile_n) for hero in heroes), tile_k=(columns,), stages=(2, 3),
        warps=tuple(dict.fromkeys(hero.warps for hero in heroes)), split_k=tuple(dict.fromkeys(hero.split_k for hero in heroes)),
    )  # fmt: skip
    return decision.because("warpgroups hold scores and sums", text, heroes=heroes, space=space)


def _time(shape: _Shape, parts: int, operator: OperatorTopology, profile: CapabilityProfile) -> float:
    """Microseconds, about: rounds of tiles, whose last one counts whole where all tiles are alike."""
    tiles = operator.batch * -(-operator.m // shape.rows)
    at_once = clusters_at_once(profile.processors * shape.blocks, parts)
    rounds = tiles / at_once
    masked = isinstance(operator.kind, Causal | Windowed)
    if not masked or rounds < 1 or parts > 1:
        rounds = float(-(-tiles // at_once))
    seen, meeting = _blocks_seen(shape, operator), 0.0
    if parts > 1:
        seen, meeting = float(math.ceil(seen / parts)), _MEETING + parts * _PART
    if operator.m <= shape.rows:  # nobody else has fetched the same keys
        seen *= 1 + min(tiles, at_once) * parts / _CROWD
    return rounds * (seen * shape.each + shape.besides + meeting)


def _blocks_seen(shape: _Shape, operator: OperatorTopology) -> float:
    """Blocks of keys that a tile of rows sees, on average."""
    kind, keys = operator.kind, operator.k
    seen = float(keys)
    if isinstance(kind, Causal):
        seen = min(max(keys - operator.m / 2 + shape.rows / 2, 0.0), keys)
    elif isinstance(kind, Windowed) and kind.left is not None and kind.right is not None:
        seen = min(float(kind.left + kind.right + shape.rows), keys)
    return seen / shape.keys + 0.5 if seen < keys else float(-(-keys // shape.keys))
