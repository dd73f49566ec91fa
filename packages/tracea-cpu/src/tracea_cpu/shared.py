# SPDX-License-Identifier: MIT
"""The pool that a process's launches share: threads of its own, or beside PyTorch a team of PyTorch's.

What it is made for (the affinity mask, `TRACEA_NUM_THREADS`, PyTorch and its number of threads) is looked at whenever a plan is made;
launches take the pool as it is. After a fork the child makes one of its own at its first launch.
"""

from __future__ import annotations

import os
import sys
import threading

from tracea_cpu import compile as compiler
from tracea_cpu.pool import Pool, PortablePool, WorkerPool
from tracea_cpu.pool_text import has_futex
from tracea_cpu.processors import SETTING, available_processors, wanted_workers
from tracea_cpu.team import Team, runtime_for


class Shared:
    """The process's pool (None until it is needed, and after a fork) and what it was made for."""

    lock = threading.Lock()
    pool: WorkerPool | None = None
    made_for: tuple[object, ...] = ()


def shared_pool() -> WorkerPool:
    """Return the process's pool, made anew if the affinity mask, `TRACEA_NUM_THREADS` or PyTorch's threads have changed.

    Raises
    ------
    OptionError
        If `TRACEA_NUM_THREADS` is not a positive integer.
    """
    runtime = runtime_for(wanted_workers()) if "torch" in sys.modules else None
    state = (available_processors(), os.environ.get(SETTING), runtime)
    with Shared.lock:
        if Shared.pool is None or Shared.made_for != state:
            count = wanted_workers()
            if Shared.pool is not None:
                Shared.pool.retire()
            kind = Pool if has_futex(compiler.host_triple()) else PortablePool
            Shared.pool = kind(count) if runtime is None else Team(count, runtime)
            Shared.made_for = state
        return Shared.pool


def _after_fork() -> None:
    Shared.lock = threading.Lock()
    Shared.pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
