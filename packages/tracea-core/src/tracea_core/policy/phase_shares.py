# SPDX-License-Identifier: MIT
"""Parts of a problem that run at the same time, each on some of a device's processors.

Persistent blocks take whole processors. Of parts that follow each other each fills all processors, empties them, and pays for both ends;
of parts that lie beside each other all begin at once and end at once, if processors are dealt as work is. So each part is planned for a
device of as many processors as it gets, with its share of the memory's bandwidth, and launches no more blocks than those take.

An H200 has 132. Before: the phases of a 3×3 filter at stride 2, of 1, 2, 2 and 4 taps, one after the other on 132. After: 59, 29, 29, 15.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.ops.problem import Problem
from tracea_core.target import Target


def share_out(processors: int, work: Sequence[int]) -> tuple[int, ...]:
    """Return how many processors each part gets, at least one and all together: by its work, what is left over to the largest remainders.

    >>> share_out(132, (4, 2, 2, 1))
    (59, 29, 29, 15)
    """
    if len(work) > processors:
        raise ValueError(f"{processors} processors are too few for {len(work)} parts")
    spare, total = processors - len(work), max(sum(work), 1)
    found = [1 + spare * one // total for one in work]
    behind = sorted(range(len(work)), key=lambda part: (-(spare * work[part] % total), part))
    for part in behind[: processors - sum(found)]:
        found[part] += 1
    return tuple(found)


def planned_for(problem: Problem, target: Target) -> Target:
    """Return the target that a problem is planned for: where it is a part that gets some of the processors, a device of so many."""
    count, profile = problem.options.processors, target.profile
    if not isinstance(count, int) or not 0 < count < profile.processors:
        return target
    bandwidth = profile.memory_gbps
    if bandwidth is not None:
        bandwidth = bandwidth * count / profile.processors
    return target.replace(profile=profile.replace(processors=count, memory_gbps=bandwidth))
