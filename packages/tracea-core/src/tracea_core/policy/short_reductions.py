# SPDX-License-Identifier: MIT
"""The rule for products whose reduction is shorter than a step: steps that it fills, in tiles of many rows.

The expanding 1×1 layers of mobile networks reduce 16 to 32 channels. A step of 128 bytes would bring as many zeros again, or three times as
many, and multiply them; what such a product takes is the end of its tiles, which wait less for each other where they are tall.
"""

from __future__ import annotations

from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import MAX_STAGES, BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.few_columns import narrowest_width
from tracea_core.policy.tiles import TilingKind
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

_SWIZZLES = {32: SwizzleMode.B32, 64: SwizzleMode.B64}
"""Bytes of a row of a step, and the pattern that spans them."""
_WIDEST = 160
"""Columns of which a warpgroup holds the sums of 128 rows."""
_TALL, _SLOTS = 256, 4


def steps_follow_short_reductions(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On sm_90a, let the step of a reduction of up to 64 bytes be no longer, and put a tile of 256 rows first where there are enough.

    Before: 802816×96×16 with ``128x96x64``, 89 µs on an H200 in fp16. After: ``256x96x16``, 60 (cuBLAS 59, a copy 47); 200704×144×24 by
    ``256x144x32`` 31 instead of 40 (30). In bf16, with a bias and ReLU, 401408×24×16 by ``256x32x16`` 23.4 instead of 36.7, 401408×16×32
    by ``256x16x32`` 18.9 and 24.1, 100352×72×24 by ``256x80x32`` 15.9 and 24.4.
    """
    bytes_ = operator.k * operator.dtype.bytes
    row = next((row for row in _SWIZZLES if bytes_ <= row), None)
    engines = [hero for hero in decision.heroes if hero.barrier_mode is not BarrierMode.NONE and not hero.block_k]
    plain = operator.op_type == "Gemm" and operator.gates == 1 and decision.tiling is TilingKind.DENSE
    if row is None or not operator.k or not engines or not plain or not (operator.b_along_k and not operator.a_along_m):
        return decision
    width, depth = narrowest_width(operator), row // operator.dtype.bytes
    shape = {"tile_k": depth, "swizzle": _SWIZZLES[row], "split_k": 1}
    tall = engines[0].replace(
        tile_m=_TALL, tile_n=width, stages=_SLOTS, warps=12, cluster_m=1, cluster_n=1,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, **shape,
    )  # fmt: skip
    fits = width <= _WIDEST and budget_reason(tall, profile, operator) is None
    first = (tall,) if fits and tiles_of(tall, operator) >= 2 * profile.processors else ()
    shallow = tuple(_shallow(hero, **shape) if hero.tile_k > depth else hero for hero in engines)
    rest = tuple(hero for hero in decision.heroes if hero not in engines)
    text = f"the reduction of {operator.k} fills a step of {depth}"
    return decision.because(
        "steps follow short reductions", text, heroes=tuple(dict.fromkeys((*first, *shallow, *rest)))
    )


def _shallow(hero: PipelineConfig, **shape: object) -> PipelineConfig:
    return hero.replace(stages=min(2 * hero.stages, MAX_STAGES), **shape)
