# SPDX-License-Identifier: MIT
"""The rule for what registers hold: a CPU's register tile, and how many steps of it stand in a row, so that no main loop touches the stack.

A sum, a row of B and a broadcast of A are what a tile must have. What is computed on the way needs more: an element that is widened is held
before and after, integers are multiplied into a register of their own, and a gated epilogue has two sums for one broadcast. Rows of A that
are read in place take an address each, and steps in a row are loaded ahead of their products by LLVM's scheduler, all of which are held. So
the limits are those that LLVM 22 was seen to keep: ``packages/tracea-cpu/tests/emit/test_shipped_tiles.py`` compiles what the policy may
start from, for every instruction set, type, layout and family.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.policy.budget import is_cpu, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_tiles import is_widened
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile

_FEW_REGISTERS, _SHORT_LANES = 16, 4
_LOW = 6
"""Rows up to which any tile is kept whose products use a broadcast more than once, and one more where they use it twice. LLVM loads the
broadcasts of all rows ahead of their products: 10×32 of AVX-512 has nine registers to spare, and puts sums on the stack."""
_FULL = (4, 3)
"""Rows and vectors of the tile that fills 16 registers, and stays there two steps at a time beside a B that is read in place."""
_TURNED_ROWS = 2
"""Rows of a tile for which blocks of B are turned and widened in 16 registers."""
_STEPS, _STRANGE_STEPS = 4, 2
"""Steps in a row where elements are widened or lie apart along k, and where both, or integers, ask for more."""


def registers_hold_the_tile(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """On a CPU, narrow tiles and shorten runs of steps that a compiler would not keep in registers.

    Before: 4 rows of bf16 on avx2, ``2x32x8 … in-place`` puts 66 vectors on the stack for 64 multiply-adds. After: ``2x32x4``.
    Before: 300 rows on neon, ``30x4x4`` has more rows than the processor has addresses. After: ``8x12x4`` and its like.
    """
    if not is_cpu(profile) or profile.has(SEPARATE_WORKERS) or not operator.work:
        return decision
    held = tuple(dict.fromkeys(_held(hero, operator, profile) for hero in decision.heroes))
    if held == decision.heroes:
        return decision
    text = "steps in a row and tiles are no more than registers hold beside their sums"
    return decision.because("registers hold the tile", text, heroes=held)


def is_held(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> bool:
    """Whether LLVM keeps a tile in registers, with as few steps in a row as `registers_hold_the_tile` leaves of them."""
    rows, vectors = config.tile_m, -(-config.tile_n // vector_lanes(profile, operator.accumulator))
    spare = profile.vector_registers - operator.gates * (rows + 1) * vectors - 1
    few, short = profile.vector_registers <= _FEW_REGISTERS, profile.lanes <= _SHORT_LANES
    in_place = not config.pack_b and not operator.panel_columns
    if in_place and not short and operator.b_along_k and operator.accumulator is not operator.dtype:
        return vectors == 1 and rows <= _TURNED_ROWS
    if not operator.accumulator.is_float:
        return _holds_integers(rows, vectors, spare, profile, in_place)
    low = vectors * operator.gates == 1 or rows <= (_LOW + 1 if vectors * operator.gates == 2 else _LOW)
    if _widens(config, operator):
        if few:
            return spare >= 3 and rows <= (4 if vectors == 1 else 3) and vectors <= 4
        if not short and in_place and operator.a_along_m and rows > (_LOW if vectors == 1 else _TURNED_ROWS):
            return False
        least = 6 if not in_place else 7 if operator.gates == 1 and not operator.a_along_m else 8
        return spare >= least and (short or low)
    if operator.gates == 2:
        fits = spare >= 3 if few else spare >= 6 and low
        return fits and (rows <= 4 or not _apart(config, operator))
    if few:
        if config.pack_a and vectors == 1:
            return rows <= 8
        asking = operator.panel_columns > 0 and config.pack_a and config.stages > 1
        least = 1 if asking else 2 if in_place and (rows, vectors) != _FULL else 0
        return spare >= least and (rows <= 7 or not (in_place and operator.a_along_m))
    if short:
        asking = operator.panel_columns > 0 and config.stages > 1
        return spare >= (5 if asking else 3) and rows <= (12 if vectors == 1 else 9)
    asking = (rows, vectors) == (_LOW, 3) and config.stages > 1
    if in_place and (asking or (rows > _LOW and operator.a_along_m)):
        return False
    return spare >= 3 and low


def _holds_integers(rows: int, vectors: int, spare: int, profile: CapabilityProfile, in_place: bool) -> bool:
    """Whether a tile of products of bytes is held, which are widened, multiplied and added one after the other."""
    if profile.vector_registers <= _FEW_REGISTERS:
        return spare >= (3 if rows <= 2 else 6)
    if profile.lanes > _SHORT_LANES:
        return spare >= 17 and rows <= (_LOW if in_place else 10)
    return spare >= 11 and rows <= 4 and vectors <= 8 if in_place else spare >= 8 and vectors <= 4


def _steps(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> int:
    """Return how many steps of a held tile stand in a row."""
    few = profile.vector_registers <= _FEW_REGISTERS
    in_place, apart = not config.pack_b and not operator.panel_columns, _apart(config, operator)
    lanes = vector_lanes(profile, operator.accumulator)
    vectors = -(-config.tile_n // lanes)
    spare = profile.vector_registers - operator.gates * (config.tile_m + 1) * vectors - 1
    bytes_of_few = few and not operator.accumulator.is_float and spare < 6
    if not in_place:
        tall = few and config.tile_m > 8
        full = few and operator.panel_columns > 0 and spare == 0 and lanes <= _SHORT_LANES
        asks = operator.panel_columns > 0 and config.stages > 1 and lanes > _SHORT_LANES and not few
        full = full or (asks and (config.tile_m < _LOW or config.block_k > 0))
        most = _STRANGE_STEPS if full or bytes_of_few else _STEPS if tall else config.tile_k
    elif not operator.accumulator.is_float:
        most = 1 if bytes_of_few else _STRANGE_STEPS if apart or profile.lanes <= _SHORT_LANES else _STEPS
    elif _widens(config, operator):
        half = (
            few and operator.dtype is DType.FP16 and spare <= 3
        )  # elements are converted by the instruction that loads them
        most = 1 if half else _STRANGE_STEPS if apart and operator.gates == 2 else _STEPS
    elif few and spare == 0 and not apart:
        most = _STRANGE_STEPS
    else:
        most = _STEPS if operator.gates == 2 or apart or spare <= 1 or config.tile_m > 6 else config.tile_k
    return min(config.tile_k, most)


def _widens(config: PipelineConfig, operator: OperatorTopology) -> bool:
    """Whether elements of A are widened as they are broadcast."""
    return is_widened(operator) and not (config.pack_a or config.halo)


def _apart(config: PipelineConfig, operator: OperatorTopology) -> bool:
    """Whether each step of the reduction takes further addresses of A: its neighbours in memory follow m."""
    return operator.a_along_m and not config.pack_a


def _held(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> PipelineConfig:
    """Return the tile, or the largest within it that registers hold, with as many steps as they hold; rows are divided evenly."""
    lanes = vector_lanes(profile, operator.accumulator)
    if config.tile_n < lanes or config.halo:  # half a vector is turned; windows are copies, read like packed rows
        return config
    if is_held(config, operator, profile):
        return config.replace(tile_k=_steps(config, operator, profile))
    least, m = operator.panel_columns or lanes, operator.evenly.m
    smaller = (
        config.replace(tile_m=-(-m // -(-m // rows)) if m else rows, tile_n=columns)
        for columns in range(config.tile_n, 0, -least)
        for rows in range(config.tile_m, 0, -1)
    )
    fitting = (tile for tile in smaller if is_held(tile, operator, profile))
    found = max(fitting, key=lambda tile: tile.tile_m * tile.tile_n, default=config)
    return found.replace(tile_k=_steps(found, operator, profile))
