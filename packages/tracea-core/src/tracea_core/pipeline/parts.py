# SPDX-License-Identifier: MIT
"""Problems that are run as several, each on a part of its tensors, or on copies that lie otherwise.

A transposed convolution is one convolution for each phase of its output (`tracea_core.policy.output_phases`); images whose copies have no
room are copied some at a time (`tracea_core.policy.image_parts`). The phases of planes would each be a gather: where estimates say that
it pays, images and filters are copied into channels-last pixels once, phases go over those, and their results are copied from a workspace.
"""

from __future__ import annotations

from typing import NamedTuple

from tracea_core.errors import ConfigurationError, UnsupportedError
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.offered import has_scratch, variants_of
from tracea_core.pipeline.passes import Pass
from tracea_core.plugin.select import Selection
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrange_images import ROOM, channels_last, room_of
from tracea_core.policy.arrange_time import COPY_SHARE, LAUNCH_SECONDS, timed
from tracea_core.policy.arrangement import CHUNK, Arrangement
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.image_parts import ways_to_divide
from tracea_core.policy.output_phases import Phase, phases_on
from tracea_core.policy.restated import restated

_ALONE = 2.0
"""Launches' worth of time from one kernel to the next, where neither begins before the other has ended."""


class Around(NamedTuple):
    """Kernels before and after all of a problem's phases, which read and write copies."""

    arrangement: Arrangement
    before: tuple[Pass, ...]
    after: tuple[Pass, ...]


def parts_of(problem: Problem, selection: Selection, *, several: bool = True) -> tuple[Phase, ...]:
    """Return the contractions that a problem is run as, each on a part of its tensors; none where it is a single one.

    Parameters
    ----------
    several : bool
        Whether a contraction may be more than one kernel. A transposed convolution is several whatever it says.
    """
    profile = selection.target.profile
    if restated(problem, profile) != problem:
        return ()
    ways = tuple(ways_to_divide(problem, profile)) if several else ()
    variants = variants_of(selection) if ways else ()
    ways = ways if variants and has_scratch(selection.target) else ()
    if isinstance(problem.op, ConvTranspose2dOp):
        copied = bool(ways) and around_of(ways[0][0].problem, selection) is not None
        return ways[0] if copied else phases_on(problem, profile)
    if not ways:
        return ()
    taken = [_seconds(phases, selection) for phases in ways]
    least = min(taken)
    phases = ways[taken.index(least)]
    part = arranged(phases[0].problem, selection.target, variants)[0].arrangement
    try:
        whole = timed(arranged(problem, selection.target, variants, several=False)[0], problem)
    except UnsupportedError:
        whole = None
    slower = whole is not None and whole.arrangement.seconds <= least
    return () if slower or part.kernels == 1 else phases


def around_of(problem: Problem, selection: Selection, *, several: bool = True) -> Arrangement | None:
    """Return what a transposed convolution of planes is copied from and into, None where its phases run on its tensors.

    Parameters
    ----------
    several : bool
        Whether a contraction may be more than one kernel.
    """
    profile = selection.target.profile
    op = problem.op
    if not isinstance(op, ConvTranspose2dOp) or not several or is_cpu(profile) or restated(problem, profile) != problem:
        return None
    if op.k * problem.output.dtype.bytes < CHUNK:
        return None  # pixels that are no access: 64×128×16² to three channels took 108 µs so on an H200, 84 by a gather where it lies
    found = channels_last(problem)
    if found is None or room_of(found) > ROOM or not has_scratch(selection.target):
        return None
    there, here = (_seconds(phases_on(one, profile), selection) for one in (found.problem, problem))
    moved = 2 * sum(one.copied.bytes for one in found.packed) + (2 * problem.output.bytes if found.stored else 0)
    there += moved / (COPY_SHARE * (profile.memory_gbps or 100.0) * 1e9) + (found.kernels - 1) * _ALONE * LAUNCH_SECONDS
    return found if there < here else None


def _seconds(phases: tuple[Phase, ...], selection: Selection) -> float:
    """The estimate of all phases, one after the other; infinite where one has none."""
    variants, known = variants_of(selection), dict[Problem, float]()
    for problem in {phase.problem for phase in phases}:
        try:
            one = timed(arranged(problem, selection.target, variants)[0], problem)
        except (UnsupportedError, ConfigurationError):
            one = None
        known[problem] = float("inf") if one is None else one.arrangement.seconds
    return sum(known[phase.problem] for phase in phases)
