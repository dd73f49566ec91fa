# SPDX-License-Identifier: MIT
"""The rule for products whose tiles are fewer than the processors: narrower ones, as long as all of them run at once.

The time of one round is that of one tile, and a narrower tile takes shorter steps. The device's own list leaves out those of 80 and 96
columns, which divide no power of two; where 128×128 leaves processors idle they fill them (`tracea_core.policy.warpgroup_time` decides).
"""

from __future__ import annotations

from tracea_core.policy.config import BarrierMode
from tracea_core.policy.decision import PolicyDecision, distinct
from tracea_core.policy.tiles import TilingKind
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

_ROWS, _WARPS, _SLOTS = 128, 12, 7
_COLUMNS = (96, 80)
_LONG = 2048
"""Steps of k behind which tiles of 80 columns, more of which read more, no longer took less than those of 96. On an H200 1568×768×3072 took
18.7 µs with 96, 20.2 with 80; 1568×768×768 9.9 and 9.3, 3136×384×1536 13.3 and 12.3."""


def narrower_tiles_of_one_round(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On sm_90a, try tiles of 80 and 96 columns where each processor has one at the most.

    Before: 1568×768×3072 with ``128x128``, 78 tiles for 132 processors, 21.8 µs on an H200. After: ``128x96``, 104 tiles, 18.7
    (cuBLAS 17.4, each from memory). 2048×768×3072: 21.6 and 18.8 (19.6); 1536×1024×4096: 26.3 and 22.5 (23.0).
    """
    plain = operator.op_type == "Gemm" and operator.gates == operator.batch == 1 and operator.dtype.bytes == 2
    if not plain or decision.tiling is not TilingKind.DENSE or not profile.has("wgmma"):
        return decision
    base = next((hero for hero in decision.heroes if hero.barrier_mode is BarrierMode.PRODUCER_CONSUMER), None)
    if base is None or operator.m <= _ROWS or not operator.work:  # rows of one tile are streamed past
        return decision
    tile = base.replace(tile_m=_ROWS, stages=_SLOTS, warps=_WARPS, split_k=1, cluster_m=1, cluster_n=1, in_flight=1)
    narrower = (tile.replace(tile_n=columns) for columns in _COLUMNS)
    found = tuple(one for one in narrower if tiles_of(one, operator) <= profile.processors)
    found = found[:1] if operator.k > _LONG else found
    if not found:
        return decision
    words = " or ".join(f"{tiles_of(one, operator)} tiles of {one.tile_n} columns" for one in found)
    text = f"{words} run at once on {profile.processors} processors"
    return decision.because("narrower tiles of one round", text, heroes=distinct((*decision.heroes, *found)))
