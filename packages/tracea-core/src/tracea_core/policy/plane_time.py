# SPDX-License-Identifier: MIT
"""What strips of planes take (`tracea_core.semantic.build.plane_strips`).

All lines of the image that a strip sees are loaded at once, so more lines are more bytes on their way and fewer of them read twice; fewer
lines leave room for more warps, and give small problems enough of them. So:

    cycles of a scheduler = strips of a warp · (warps at once · strip + latency)
    strip = (loads + stores) · 4 + products · 7 + 100

with a load for each two rows of 16 pieces by two columns, and a store for each two of eight pieces. By hand, on an H200, 7 and 14 lines
took 37.1 and 35.0 µs with 3×3 filters on 64×32×112², 44.2 and 42.9 on 64×144×56², 19.9 and 18.5 on 64×192×28², 13.0 and 13.6 on 64×384×14²;
with 7×7 filters 36.7 and 35.7 on 64×96×56².

Where lanes multiply, in fp32, a strip takes as long as the first cache for its columns and pixels, or as products, of which a lane issues
one a cycle. Pieces of 4 pixels and 7 lines took 58.1 µs with 3×3 filters on 64×32×112² (H200; a copy 53.7), 64.8 on 64×144×56² (59.6),
with four lines 70.1; pieces of two pixels and 14 lines 19.6 on 64×384×14², with seven lines 47.9 at stride 2 on 64×144×56².
"""

from __future__ import annotations

from tracea_core.doctor.plane_windows import PIECE, columns_in_eights, lane_registers, plane_registers, reach, residues
from tracea_core.dtypes import DType
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_SCHEDULERS = 4
_ACCESS, _PRODUCT, _STRIP = 4, 7, 100
"""Cycles of a scheduler for an access with its address and test, for a product by an instruction of depth 16 (four share a processor, on
which one takes 1.78), and for a strip beside those."""
_LATENCY = 800
"""Cycles until a strip's first loads arrive."""
_MEMORY_SHARE = 0.7
"""Of the memory's rate: 43 µs by hand for 116 MB on an H200."""


def needed_registers(kind: Channelwise, config: PipelineConfig, *, lanes: bool) -> int:
    """Return the registers of a thread whose warp filters planes by matrix instructions, or by its lanes."""
    lines = config.tile_k if lanes else config.tile_k // 2
    sums = min(-(-reach(kind.rows, kind.spread) // kind.down), lines)
    if lanes:
        columns = _lane_columns(kind, config)
        return lane_registers(_rows(kind, lines), columns, sums, config.tile_m, kind.rows * kind.columns)
    return plane_registers(_rows(kind, lines), sums, kind.rows, _deep(kind, config.vector_a))


def plane_cycles(operator: OperatorTopology, profile: CapabilityProfile, config: PipelineConfig) -> float:
    """Return what a scheduler takes for all strips that are its own."""
    kind, lanes = operator.kind, by_lanes(operator)
    assert isinstance(kind, Channelwise)
    lines, run = config.tile_k if lanes else config.tile_k // 2, config.vector_a
    across = profile.lanes if lanes else PIECE
    pieces = operator.batch // kind.lines * -(-kind.lines // config.tile_k) * -(-operator.m // config.tile_m)
    warps = operator.n * -(-pieces // across)
    each = -(-warps // (_SCHEDULERS * profile.processors))
    held = needed_registers(kind, config, lanes=lanes) * profile.lanes * _SCHEDULERS
    together = min(each, max(profile.registers_per_processor // held, 1))
    if lanes:
        # of a processor a cycle moves 128 bytes: a column of all lanes
        moved = _rows(kind, lines) * _lane_columns(kind, config) + lines * config.tile_m
        strip: float = max(_SCHEDULERS * moved, lines * config.tile_m * kind.rows * kind.columns) + _STRIP
    else:
        access = _rows(kind, lines) * 4 * _deep(kind, run) // run + lines * 4 // config.vector_c
        strip = _ACCESS * access + _PRODUCT * lines * kind.rows * _deep(kind, run) / 2 + _STRIP
    return float(-(-each // max(together, 1)) * (together * strip + _LATENCY))


def by_lanes(operator: OperatorTopology) -> bool:
    """Return whether lanes multiply planes of such elements, instead of matrix instructions."""
    return operator.dtype is DType.FP32


def _lane_columns(kind: Channelwise, config: PipelineConfig) -> int:
    """Columns of a row that a lane loads, wherever padding lets them begin."""
    shifts = [tap * kind.dilation + config.vector_a - 1 for tap in range(kind.columns)]
    return sum(residues(shifts, kind.stride, config.tile_m, config.vector_a).values())


def plane_seconds(config: PipelineConfig, profile: CapabilityProfile, operator: OperatorTopology) -> float:
    """Return the seconds that strips take, or memory: images and results once."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    results = operator.batch * operator.m * operator.n
    moved = results * (operator.stored.bytes + kind.down * kind.stride * operator.dtype.bytes)
    clock, bandwidth = (profile.clock_mhz or 1000.0) * 1e6, (profile.memory_gbps or 100.0) * 1e9
    return max(plane_cycles(operator, profile, config) / clock, moved / (_MEMORY_SHARE * bandwidth))


def _rows(kind: Channelwise, lines: int) -> int:
    """Lines of the image that half a strip sees."""
    return (lines - 1) * kind.down + reach(kind.rows, kind.spread)


def _deep(kind: Channelwise, run: int) -> int:
    """Columns that are multiplied, in eights, wherever padding lets them begin; a short line is multiplied whole."""
    return 1 if kind.short else columns_in_eights(reach(kind.columns, kind.dilation), kind.stride, run)
