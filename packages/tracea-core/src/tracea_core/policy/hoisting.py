# SPDX-License-Identifier: MIT
"""The rule for gathered reductions: how their coordinates come about, in tables in shared memory while these are small, computed beyond.

A gather divides each place of its reduction by the extents of a filter. A block that looks the results up divides once instead of in every
step of every tile, for twelve bytes of shared memory a place. Above a share of what a block may have, tables would leave too few slots
for the tiles themselves (96 of 227 KiB on sm_90, in the kernels that this library began with), and coordinates are computed again.

Divisions are multiplications by reciprocals that the host computed. A device's own division is the alternative that a tuner may try.
"""

from __future__ import annotations

from tracea_core.policy.budget import budget_reason, is_cpu, shared_bytes
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_SHARE = (27, 64)
"""Of a block's shared memory."""
_PLACE_BYTES = 12
"""Of a place: a row and a column of the filter, and a distance in memory."""
_ENOUGH_STEPS = 16
"""From which a block gains more than filling its tables costs, on NVIDIA's GPUs: an H200 took 493 µs for 531 over 19 steps and 100 for 121
over 37, but 328 for 302 over 5 (fp16, 67, 131 and 3 channels). Elsewhere nobody has measured it, and the tuner may."""
_WIDEST_RUN = 1
"""Elements of an access: of more, a lane computes coordinates for all of them together."""


def table_bytes(profile: CapabilityProfile) -> int:
    """Return the bytes of shared memory that tables of coordinates may take on a device.

    >>> from tracea_core.doctor.presets import preset
    >>> table_bytes(preset("h200")) >> 10
    95
    """
    part, whole = _SHARE
    return profile.shared_bytes * part // whole


def hoisted_steps(config: PipelineConfig, operator: OperatorTopology, profile: CapabilityProfile) -> int:
    """Return how many steps of a gathered reduction are looked up: all, or none where their tables would be above the threshold."""
    steps = -(-operator.k // config.tile_k)
    bytes_ = steps * config.tile_k * _PLACE_BYTES
    room = min(table_bytes(profile), profile.shared_bytes - shared_bytes(config, profile, operator))
    return steps if 0 < bytes_ <= room else 0


def coordinates_are_looked_up(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Offer tables of coordinates to schedules that gather the images of a convolution element by element; prefer them in long reductions.

    Before: 67 channels of a 3×3 filter, ``64x64x32``. After: ``64x64x32 t19`` before it, 603 places in 7 KiB of tables. Last of all,
    ``64x64x32 t19 d1``: the same with divisions in place of reciprocals, for the tuner.
    """
    gathers = operator.reduction_axes > 1 and not (operator.innermost or operator.columns_image)
    if is_cpu(profile) or not gathers or not profile.shared_bytes:
        return decision
    found: list[PipelineConfig] = []
    for hero in decision.heroes:
        narrow = min(hero.vector_a, hero.vector_b) == _WIDEST_RUN and hero.barrier_mode is BarrierMode.NONE
        steps = hoisted_steps(hero, operator, profile) if narrow else 0
        one = hero.replace(hoisted=steps)
        if one == hero or budget_reason(one, profile, operator) is not None:
            found.append(hero)
        else:
            found += [one, hero] if steps >= _ENOUGH_STEPS and profile.vendor == "nvidia" else [hero, one]
    gathering = next((hero for hero in found if hero.barrier_mode is BarrierMode.NONE), None)
    if gathering is not None:
        found.append(gathering.replace(divided=1))
    if found == list(decision.heroes):
        return decision
    text = f"coordinates of {operator.k} places take {operator.k * _PLACE_BYTES} of {table_bytes(profile)} bytes for tables"
    heroes = tuple(dict.fromkeys(found))
    return decision.because("coordinates are looked up", text, heroes=heroes)
