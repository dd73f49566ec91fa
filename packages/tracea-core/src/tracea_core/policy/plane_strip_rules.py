# SPDX-License-Identifier: MIT
"""The rules for planes that are filtered each on its own (`tracea_core.semantic.build.plane_strips`): how many lines a warp takes."""

from __future__ import annotations

import math

from tracea_core.doctor.plane_windows import MOST_REGISTERS, PIECE
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
from tracea_core.policy.plane_time import by_lanes, needed_registers, plane_cycles
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_LINES = (14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
"""Of each half of a strip."""
_CHUNK = 16
"""Bytes of the widest access of one lane."""
_HEROES = 6
"""Heights of strips that are tried."""
_WARPS = (4, 2, 8)
_SHORT_LINES = (4, 2)
"""Lines of a strip where a line is one piece, by matrix instructions and by lanes: 3×3 filters on 64×960×7² took 18.3 µs so on an H200,
25.2 with eight, and in fp32 17.6, 19.5 with four."""
_PAIR = 2
_FULLER = 0.05
"""How much more of a device smaller blocks have to fill to come first: 3×3 filters on 64×144×56² took 44.2 µs with 1008 blocks of two
warps, of 1056 that an H200 has room for, and 47.2 with 432 of 528 blocks of four."""
_SCHEDULED_BLOCKS = 4
"""Blocks of four warps of a processor."""


def strips_of_planes(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Give each warp pieces of lines of one plane.

    Before, h200, 64 images of 144 planes of 56×56 and 3×3 filters: nothing. After: ``8x1x28 s1 va2 vc2`` first.
    """
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    lanes = by_lanes(operator)
    ways = _by_lanes(operator, kind) if lanes else (_by_bands(operator),)
    fitting = ([s for s in way if needed_registers(kind, s, lanes=lanes) <= MOST_REGISTERS] for way in ways)
    strips: list[PipelineConfig] = next(filter(None, fitting), [])
    low = _SHORT_LINES[lanes]
    strips.sort(key=lambda strip: (kind.short and strip.tile_k != low, plane_cycles(operator, profile, strip)))
    heroes = tuple(
        strip.replace(warps=warps) for strip in strips[:_HEROES] for warps in _warps(operator, kind, profile, strip)
    )
    text = "pieces of lines are operands as they lie, and so many lines take the fewest cycles by estimate"
    return decision.because("strips of planes", text, heroes=heroes)


def _by_bands(operator: OperatorTopology) -> list[PipelineConfig]:
    """Strips of two halves, for matrix instructions."""
    read, stored = _runs(operator, 2)
    return [
        PipelineConfig(tile_m=PIECE, tile_n=1, tile_k=2 * lines, stages=1, warps=1, vector_a=read, vector_c=stored)
        for lines in _LINES
    ]


def _by_lanes(operator: OperatorTopology, kind: Channelwise) -> tuple[list[PipelineConfig], ...]:
    """Strips whose lanes have pieces of their own, the best pieces first that registers may hold.

    They are a whole run of 16 bytes, or two pixels where columns are loaded by less.
    """
    wide = _CHUNK // operator.dtype.bytes
    read, stored = _runs(operator, wide)
    ways = [(wide, wide)] if read == wide and kind.stride == 1 else []
    ways += [(_PAIR, _PAIR)] if read >= _PAIR and kind.stride == 1 else []
    return tuple(
        [
            PipelineConfig(
                tile_m=pixels, tile_n=1, tile_k=lines, stages=1, warps=1, vector_a=run, vector_c=min(stored, pixels)
            )
            for lines in _LINES
        ]
        for pixels, run in (*ways, (_PAIR, 1))
    )


def _runs(operator: OperatorTopology, most: int) -> tuple[int, int]:
    """Return how many columns of a row are loaded, and how many pixels of a line stored, by one access: powers of two."""
    read, stored = operator.dtype.bytes, operator.stored.bytes
    loads = min(min(operator.alignment, operator.whole_runs) // read, most)
    stores = min(operator.stored_alignment // stored, math.gcd(operator.m, most))
    return max(loads, 1), max(stores, 1)


def _warps(
    operator: OperatorTopology, kind: Channelwise, profile: CapabilityProfile, strip: PipelineConfig
) -> tuple[int, ...]:
    """Return the warps of a block, best first: four, or two where more of them have work, or a channel has a single block of four."""
    held = needed_registers(kind, strip, lanes=by_lanes(operator)) * profile.lanes
    shares = []
    for warps in _WARPS[:2]:
        at_once = max(profile.registers_per_processor // (held * warps), 1) * profile.processors
        shares.append(min(at_once // max(operator.n, 1) * operator.n / at_once, 1.0) if operator.n <= at_once else 0.0)
    few = shares[1] > shares[0] + _FULLER or 2 * operator.n > profile.processors * _SCHEDULED_BLOCKS
    return (_WARPS[1], _WARPS[0], *_WARPS[2:]) if few else _WARPS


def search_plane_strips(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """List the strips for the tuner."""
    heroes, fields = decision.heroes, ("tile_k", "stages", "warps", "vector_a", "vector_c")
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)),
        **{field: tuple(dict.fromkeys(getattr(hero, field) for hero in heroes)) for field in fields},
    )
    return decision.because("search strips of planes", f"{space.size} kinds of strip", space=space)


PLANE_STRIP_RULES = (strips_of_planes, search_plane_strips)
"""All rules in the order in which they apply."""
