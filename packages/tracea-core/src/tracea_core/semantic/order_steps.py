# SPDX-License-Identifier: MIT
"""Steps of roles whose instances take turns: whose turn it is, and which slots of a ring belong to the others.

Two consumers that each work on a tile of their own share one ring and one matrix unit. Each skips the slots that the
other one reads, and a barrier of its own for each instance passes the turn from one to the next.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.semantic.index import Index


class Skip(Data, frozen=True, tag=True):
    """Move the role's position in `ring` on by `count` (at least 0), over slots that other instances read."""

    ring: str
    count: Index


class Await(Data, frozen=True, tag=True):
    """Arrive at this instance's barrier `token` with all threads and wait until `threads` have arrived.

    Every instance of a role has a barrier of each name. One wait is over when those who wait and those who signal
    (`Signal`) make up `threads` arrivals; memory accesses before the arrivals are visible after it.
    """

    token: str
    threads: int


class Signal(Data, frozen=True, tag=True):
    """Arrive at the barrier `token` of the role's instance number `target` with all threads, without waiting."""

    token: str
    target: Index
    threads: int
