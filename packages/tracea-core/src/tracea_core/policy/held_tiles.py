# SPDX-License-Identifier: MIT
"""The rule for what registers hold: a CPU's register tile, and how many steps of it stand in a row, so that no main loop touches the stack.

A sum, a row of B and a broadcast of A are what a tile must have. What is computed on the way needs more: an element that is widened is held
before and after, integers are multiplied into a register of their own, and a gated epilogue has two sums for one broadcast. Rows of A that
are read in place take an address each, and steps in a row are loaded ahead of their products by LLVM's scheduler, all of which are held. So
the limits are those that LLVM 22 was seen to keep: ``packages/tracea-cpu/tests/emit/test_shipped_tiles.py`` compiles what the policy may
start from, for every instruction set, type, layout and family.
"""

from __future__ import annotations

from dataclasses import dataclass

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
PASSING = (8, 3)
"""Rows and vectors of the tile that passes over a large B of its sums' type in place, and asks for its next rows: loads do not go ahead of
what asks."""
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


@dataclass(frozen=True)
class _Tile:
    """What registers are asked for by a tile: sums, a row of B and a broadcast of A; `spare` is what they leave of the vectors."""

    rows: int
    vectors: int
    gates: int
    spare: int
    few: bool
    short: bool
    in_place: bool  # B is read where it lies
    panels: bool  # B was packed before
    apart: bool  # each step takes further addresses of A, whose neighbours in memory follow m
    asks: bool

    @property
    def low(self) -> bool:
        """Whether rows are few enough for their broadcasts to be loaded ahead."""
        uses = self.vectors * self.gates
        return uses == 1 or self.rows <= (_LOW + 1 if uses == 2 else _LOW)


def _tile(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> _Tile:
    vectors, panels = -(-config.tile_n // vector_lanes(profile, operator.accumulator)), operator.panel_columns > 0
    return _Tile(
        config.tile_m, vectors, operator.gates,
        profile.vector_registers - operator.gates * (config.tile_m + 1) * vectors - 1,
        profile.vector_registers <= _FEW_REGISTERS, profile.lanes <= _SHORT_LANES, not (config.pack_b or panels), panels,
        operator.a_along_m and not config.pack_a, config.stages > 1,
    )  # fmt: skip


def is_held(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> bool:
    """Whether LLVM keeps a tile in registers, with as few steps in a row as `registers_hold_the_tile` leaves of them."""
    tile = _tile(config, operator, profile)
    if tile.in_place and not tile.short and operator.b_along_k and operator.accumulator is not operator.dtype:
        return tile.vectors == 1 and tile.rows <= _TURNED_ROWS  # blocks are widened and turned
    if not operator.accumulator.is_float:
        return _holds_integers(tile)
    if _widens(config, operator):
        return _holds_widened(tile, operator.a_along_m)
    if tile.gates == 2:
        fits = tile.spare >= 3 if tile.few else tile.spare >= 6 and tile.low
        return fits and (tile.rows <= 4 or not tile.apart)
    return _holds_plain(tile, operator.a_along_m, config.pack_a)


def _holds_plain(tile: _Tile, along_m: bool, pack_a: bool) -> bool:
    """Whether a tile is held whose elements are of the type of their sums."""
    if tile.few:
        if pack_a and tile.vectors == 1:
            return tile.rows <= 8
        full = (tile.rows, tile.vectors) == _FULL
        beside = tile.in_place and not full and tile.rows > 1  # one row uses each vector of B once, as it is loaded
        least = 1 if tile.panels and pack_a and tile.asks else 2 if beside else 0
        return tile.spare >= least and (tile.rows <= 7 or not (tile.in_place and along_m))
    if tile.short:
        return tile.spare >= (5 if tile.panels and tile.asks else 3) and tile.rows <= (12 if tile.vectors == 1 else 9)
    asking = tile.asks and (tile.rows, tile.vectors) == (_LOW, 3)
    if tile.in_place and (asking or (along_m and tile.rows > _LOW)):
        return False
    passing = tile.in_place and tile.asks and not along_m and (tile.rows, tile.vectors) == PASSING
    return tile.spare >= 3 and (tile.low or passing)


def _holds_widened(tile: _Tile, along_m: bool) -> bool:
    """Whether a tile is held whose elements of A are widened as they are broadcast."""
    if tile.few:
        return tile.spare >= 3 and tile.rows <= (4 if tile.vectors == 1 else 3) and tile.vectors <= 4
    if not tile.short and tile.in_place and along_m and tile.rows > (_LOW if tile.vectors == 1 else _TURNED_ROWS):
        return False
    least = 6 if not tile.in_place else 8 if tile.gates == 2 or along_m else 7
    return tile.spare >= least and (tile.short or tile.low)


def _holds_integers(tile: _Tile) -> bool:
    """Whether a tile of products of bytes is held, which are widened, multiplied and added one after the other."""
    if tile.few:
        return tile.spare >= (3 if tile.rows <= 2 else 6)
    if not tile.short:
        return tile.spare >= 17 and tile.rows <= (_LOW if tile.in_place else 10)
    if tile.in_place:
        return tile.spare >= 11 and tile.rows <= 4 and tile.vectors <= 8
    return tile.spare >= 8 and tile.vectors <= 4


def _steps(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> int:
    """Return how many steps of a held tile stand in a row."""
    tile, lanes = _tile(config, operator, profile), vector_lanes(profile, operator.accumulator)
    full_of_bytes = tile.few and not operator.accumulator.is_float and tile.spare < 6
    most = config.tile_k
    if not tile.in_place:
        if tile.panels and tile.few:
            full = tile.spare == 0 and lanes <= _SHORT_LANES
        else:
            full = tile.panels and tile.asks and lanes > _SHORT_LANES and (tile.rows < _LOW or config.block_k > 0)
        if full or full_of_bytes:
            most = _STRANGE_STEPS
        elif tile.few and tile.rows > 8:
            most = _STEPS
    elif full_of_bytes:
        most = 1
    elif not operator.accumulator.is_float:
        most = _STRANGE_STEPS if tile.apart or tile.short else _STEPS
    elif _widens(config, operator):
        loads_convert = tile.few and operator.dtype is DType.FP16 and tile.spare <= 3
        most = 1 if loads_convert else _STRANGE_STEPS if tile.apart and tile.gates == 2 else _STEPS
    elif tile.few and tile.spare == 0 and not tile.apart:
        most = _STRANGE_STEPS
    elif tile.gates == 2 or tile.apart or tile.spare <= 1 or tile.rows > 6:
        most = _STEPS
    return min(config.tile_k, most)


def _widens(config: PipelineConfig, operator: OperatorTopology) -> bool:
    """Whether elements of A are widened as they are broadcast."""
    return is_widened(operator) and not (config.pack_a or config.halo)


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
