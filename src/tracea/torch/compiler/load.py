# SPDX-License-Identifier: MIT
"""How busy this process's processors were with the work of others, so that what was measured meanwhile need not be believed for long.

Libraries whose threads wait for one another by spinning lose much more to a neighbour than others do: PyTorch's convolutions took forty
times as long beside one busy process, kernels of tracea eight times.
"""

from __future__ import annotations

import os
from time import monotonic

_STAT = "/proc/stat"
_WORKING = (0, 1, 2, 5, 6, 7)
"""Columns of a processor's line of that file: everything but idling, waiting for disks, and guests (who are counted as users)."""


class Load:
    """What others have used since this was made.

    >>> Load().of_others() >= 0
    True
    """

    def __init__(self) -> None:
        self._begin = monotonic(), _busy(), _own()

    def of_others(self) -> float:
        """Return how many processors other processes have kept busy in the mean; 0.0 where the system does not say."""
        begin, busy, own = self._begin
        seconds = monotonic() - begin
        now = _busy()
        if busy is None or now is None or seconds <= 0:
            return 0.0
        return max(0.0, (now - busy - (_own() - own)) / seconds)


def processors() -> tuple[int, ...]:
    """Return the numbers of the processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _busy() -> float | None:
    """Return the seconds that this process's processors have worked, None where the system does not say."""
    names = {f"cpu{number}" for number in processors()}
    try:
        with open(_STAT) as file:
            lines = [line.split() for line in file if line.startswith("cpu")]
        ours = [columns for columns in lines if columns[0] in names]
        worked = sum(int(columns[1 + place]) for columns in ours for place in _WORKING)
        return worked / os.sysconf("SC_CLK_TCK") if ours else None
    except (OSError, ValueError, IndexError):
        return None


def _own() -> float:
    """Return the seconds that the threads of this process have worked."""
    times = os.times()
    return times.user + times.system
