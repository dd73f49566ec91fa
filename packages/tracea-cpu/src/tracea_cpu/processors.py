# SPDX-License-Identifier: MIT
"""How many processors this process may use: its affinity mask, cut to its cgroup's quota, or what the user says.

A quota does not hide processors: it stops all threads for the rest of a period once they have used it up, and everybody
then waits for whoever was stopped. So it counts as a number of processors, a fraction as one more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tracea_core.errors import OptionError

SETTING = "TRACEA_NUM_THREADS"
MOST_WORKERS = 4096
_CGROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")
_BINDERS = ("OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")


def _mask() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


_MASK_AT_IMPORT = _mask()


def available_processors(environment: Mapping[str, str] | None = None) -> tuple[int, ...]:
    """Return the processors that the calling thread may run on; 0, 1, … where the system has no affinity.

    An OpenMP runtime that is told to bind threads shrinks the mask of whoever enters its first parallel region to one
    processor. That is its choice for its own regions, so with such a setting the mask of the start counts.
    """
    settings = os.environ if environment is None else environment
    if any(settings.get(name, "").lower() not in ("", "false", "disabled", "none") for name in _BINDERS):
        return _MASK_AT_IMPORT
    return _mask()


def usable_processors() -> int:
    """Return how many processors the affinity mask and the cgroups grant, at least 1."""
    return max(1, min([len(available_processors()), *cgroup_quotas()]))


def cgroup_quotas(root: Path = _CGROUPS, membership: Path = _MEMBERSHIP) -> Iterator[int]:
    """Yield every limit on processor time that applies to this process, in whole processors, rounded up.

    Both versions are read, along the whole path from this process's group to the root. What cannot be read is no limit.
    """
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            top, limit_of = root, _quota_v2
        elif "cpu" in controllers.split(","):
            top, limit_of = root / controllers, _quota_v1
        else:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(len(parts) + 1):
            quota = limit_of(top.joinpath(*parts[:depth]))
            if quota is not None:
                yield quota


def _quota_v2(group: Path) -> int | None:
    try:
        limit, period = (group / "cpu.max").read_text().split()
        return None if limit == "max" else max(1, -(-int(limit) // int(period)))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _quota_v1(group: Path) -> int | None:
    try:
        limit = int((group / "cpu.cfs_quota_us").read_text())
        return None if limit < 0 else max(1, -(-limit // int((group / "cpu.cfs_period_us").read_text())))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def wanted_workers() -> int:
    """Return how many workers a launch should use: `TRACEA_NUM_THREADS`, or one for each usable processor.

    Raises
    ------
    OptionError
        If `TRACEA_NUM_THREADS` is not a positive integer.
    """
    text = os.environ.get(SETTING, "").strip()
    if not text:
        return usable_processors()
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if not 1 <= count <= MOST_WORKERS:
        raise OptionError(
            f"{SETTING}={text!r} is no number of threads", hint=f"Set it to 1 to {MOST_WORKERS}, or unset it"
        )
    return count
