# SPDX-License-Identifier: MIT
"""The rules for instructions of CPUs that add products of several k in a lane: which tile of sums."""

from __future__ import annotations

from tracea_core.policy.budget import sums_of_groups, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.order import Order
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_TILES = ((2, 2), (1, 3), (3, 1), (1, 1))
"""Rows × columns of AMX's tiles of sums, 16 × 16 each; 2×2 loads a tile of A or B for each product, the others more."""
_FEW_REGISTERS: tuple[tuple[int, int], ...] = ((4, 2), (3, 2), (2, 3))
_MANY_REGISTERS: tuple[tuple[int, int], ...] = ((6, 4), (6, 3), (4, 5))
"""Rows × vectors, as for fused multiply-adds (`tracea_core.policy.cpu_tiles`); unrolled, LLVM 22 keeps a counter on the stack."""
_ENOUGH = 32
_SIDE = 16


def sums_fill_the_registers(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Take as many sums as registers hold, and no more rows and columns than there are.

    Before: nothing. After, VDPBF16PS: ``6x64x1 s1 …``; AMX: ``32x32x2 s1 …``, and for 16 rows ``16x48x2 s1 …``.
    """
    if sums_of_groups(operator.instruction) == "tiles":
        rows, columns = (-(-max(extent, 1) // _SIDE) for extent in (operator.m, operator.n))
        shapes = [(m, n) for m, n in _TILES if m <= rows and n <= columns]
        heroes = [_hero(m * _SIDE, n * _SIDE, 2) for m, n in shapes]
        text = f"{heroes[0].tile_m}×{heroes[0].tile_n} sums fill the tiles of the matrix unit"
    else:
        lanes = vector_lanes(profile, operator.accumulator)
        known = _MANY_REGISTERS if profile.vector_registers >= _ENOUGH else _FEW_REGISTERS
        if known is _FEW_REGISTERS and "uint8" in operator.instruction:
            known = known[1:]  # the mask that widens unsigned bytes takes a register
        widest = -(-max(operator.n, 1) // lanes)
        heroes = [_hero(min(m, max(operator.m, 1)), min(n, widest) * lanes, 1) for m, n in known]
        text = f"{heroes[0].tile_m}×{heroes[0].tile_n} sums fill {profile.vector_registers} registers"
    heroes = list(dict.fromkeys(heroes))
    space = PrunedSpace(
        tiles=tuple((hero.tile_m, hero.tile_n) for hero in heroes),
        tile_k=(1, 2, 4), stages=(1,), warps=(1,), order=(Order.COLUMN,),
    )  # fmt: skip
    return decision.because("sums fill the registers", text, heroes=tuple(heroes), space=space, order=Order.COLUMN)


def _hero(rows: int, columns: int, unroll: int) -> PipelineConfig:
    return PipelineConfig(tile_m=rows, tile_n=columns, tile_k=unroll, stages=1, warps=1, order=Order.COLUMN)


DOT_RULES = (sums_fill_the_registers,)
"""The rules of products by groups of k."""
DOTS = "dots"
"""The schedule that they are for."""
