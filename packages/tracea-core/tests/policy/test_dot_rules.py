# SPDX-License-Identifier: MIT
"""Tiles of sums for instructions that add products of several k."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.dot_rules import sums_fill_the_registers
from tracea_core.policy.topology import OperatorTopology

VECTORS, TILES = "fma_outer_6x4x16_bf16", "amx_2x2_bf16"


def _decide(instruction: str, m: int, n: int) -> tuple[PolicyDecision, OperatorTopology]:
    operator = OperatorTopology(0, "product", "Gemm", m, n, 512, dtype=DType.BF16, instruction=instruction)
    return sums_fill_the_registers(
        PolicyDecision(operator="product", device="cpu"), operator, preset("avx512")
    ), operator


@pytest.mark.parametrize(
    "instruction, m, n, first",
    [(VECTORS, 512, 512, (6, 64)), (VECTORS, 5, 20, (5, 32)), (TILES, 512, 512, (32, 32)), (TILES, 16, 512, (16, 48)),
     (TILES, 512, 10, (48, 16)), (TILES, 3, 3, (16, 16))],
)  # fmt: skip
def test_tiles_are_no_larger_than_the_output(instruction: str, m: int, n: int, first: tuple[int, int]) -> None:
    decision, operator = _decide(instruction, m, n)
    assert (decision.hero.tile_m, decision.hero.tile_n) == first
    assert all(budget_reason(hero, preset("avx512"), operator) is None for hero in decision.heroes)


@pytest.mark.parametrize(
    "changes", [{"tile_m": 48}, {"tile_m": 40}, {"split_k": 2}, {"block_k": 64}, {"pack_b": False}]
)
def test_what_no_kernel_can_be_built_from_is_beyond_the_budget(changes: dict[str, object]) -> None:
    decision, operator = _decide(TILES, 512, 512)
    assert budget_reason(decision.hero.replace(**changes), preset("avx512"), operator) is not None
