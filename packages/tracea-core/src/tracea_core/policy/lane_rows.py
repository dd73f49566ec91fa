# SPDX-License-Identifier: MIT
"""The rule for operands of 32 bits that lanes bring to a warpgroup instruction: none of them is in flight while registers change."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.policy.config import BarrierMode
from tracea_core.policy.decision import PolicyDecision, distinct
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

MOST_ROWS = 192
"""Rows of a tile that one box brings, eight elements longer than a tile and at most 256 (`tracea_core.semantic.build.lane_rows`)."""


def rows_come_by_lanes(operator: OperatorTopology, profile: CapabilityProfile) -> bool:
    """Whether the rows of A are contiguous along m where a warpgroup instruction reads shared memory along k alone."""
    plain = operator.op_type == "Gemm" and operator.dtype in (DType.TF32, DType.FP32) and profile.has("wgmma")
    return plain and operator.a_along_m and operator.b_along_k and operator.instruction.startswith("wgmma")


def lanes_bring_rows(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Keep no group in flight where lanes read rows of tf32 along m, and take tiles that one box brings.

    Before: ``128x256x32 f1``, and ``256x128x32 f1``. After: ``128x256x32``, and none of 256 rows.
    """
    if not rows_come_by_lanes(operator, profile):
        return decision
    heroes = tuple(
        hero.replace(in_flight=0)
        for hero in decision.heroes
        if hero.barrier_mode is not BarrierMode.NONE and hero.tile_m <= MOST_ROWS
    )
    if not heroes:
        return decision
    text = "lanes read rows of tf32 along m into registers, which change while no instruction reads them"
    return decision.because("lanes bring rows", text, heroes=distinct(heroes))
