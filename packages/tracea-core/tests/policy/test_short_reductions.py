# SPDX-License-Identifier: MIT
"""Products whose reduction is shorter than a step: steps that it fills, tall tiles where there are many, and others left alone."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import BarrierMode, SwizzleMode
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.short_reductions import steps_follow_short_reductions
from tracea_core.policy.topology import OperatorTopology

H200 = preset("h200")


def product(m: int, n: int, k: int, dtype: DType = DType.FP16, **fields: object) -> OperatorTopology:
    """Return a product whose operands lie along k."""
    found = OperatorTopology(0, "matmul", "Gemm", m, n, k, dtype=dtype, b_along_k=True)
    return found.replace(instruction=f"wgmma_m64n256k{32 // dtype.bytes}_{dtype.value}", **fields)


@pytest.mark.parametrize(
    ("m", "n", "k", "tile"),
    [
        (802816, 96, 16, (256, 96, 16)),
        (200704, 144, 24, (256, 144, 32)),
        (100352, 64, 16, (256, 64, 16)),
        (401408, 24, 16, (256, 32, 16)),  # columns of the narrowest box that is stored
        (401408, 8, 16, (256, 16, 16)),
        (401408, 16, 32, (256, 16, 32)),
        (100352, 72, 24, (256, 80, 32)),
        (200704, 128, 32, (256, 128, 32)),
        (4096, 4096, 16, (128, 192, 16)),  # too wide for 256 rows
        (3136, 96, 16, (64, 96, 16)),  # few tiles
    ],
)
def test_steps_are_as_long_as_the_reduction(m: int, n: int, k: int, tile: tuple[int, int, int]) -> None:
    """As an H200 was found to be the fastest of up to 120 tiles, or faster than by whole steps (docs/cuda.md)."""
    decision = PolicyEngine(H200).decide(product(m, n, k))
    hero = decision.hero
    assert (hero.tile_m, hero.tile_n, hero.tile_k) == tile
    assert hero.swizzle is {16: SwizzleMode.B32, 32: SwizzleMode.B64}[hero.tile_k]
    assert any(reason.rule == "steps follow short reductions" for reason in decision.reasons)
    for one in decision.heroes:
        assert one.barrier_mode is BarrierMode.NONE or one.tile_k == tile[2]


@pytest.mark.parametrize(
    "operator",
    [
        product(802816, 96, 40),  # more than half a step
        product(802816, 96, 16, gates=2),
        product(802816, 96, 16, b_along_k=False),
        product(802816, 96, 16, a_along_m=True),
        product(802816, 96, 0),
    ],
)
def test_others_keep_whole_steps(operator: OperatorTopology) -> None:
    decision = PolicyEngine(H200).decide(operator)
    assert steps_follow_short_reductions(decision, operator, H200) == decision
