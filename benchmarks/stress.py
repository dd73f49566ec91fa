# SPDX-License-Identifier: MIT
"""Eight callers of whole ops at once, while processors are taken away and given back and children are forked.

    python -m benchmarks.stress --seconds 120

Operands are small integers, so every product is exact in every type, and each result is compared to the last bit. Outputs begin as
poison, some launches cut their reduction or pack their operands, and callers share plans, workspaces and the pool. Exits with 1 if a
result was wrong, a caller ended early or a child failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tracea import ops

CALLERS = 8
_SHAPES = ((97, 101, 103), (33, 1, 4000), (8, 24, 3000), (200, 170, 90), (3, 64, 512))
_TYPES = ("int8", "uint8", "float32", "float64")
_SECONDS_BETWEEN_CHANGES = 0.02
_CHANGES_PER_CHILD = 25


@dataclass(frozen=True)
class Work:
    """One product and what it must give."""

    a: Any
    b: Any
    expected: Any

    def is_right(self) -> bool:
        """Compute it into poison and compare."""
        out = np.full(self.expected.shape, -7777777, self.expected.dtype)
        ops.matmul(self.a, self.b, out=out)
        return bool((out == self.expected).all())


@dataclass
class Tally:
    """What a run has seen."""

    calls: list[int] = field(default_factory=lambda: [0] * CALLERS)
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    changes: int = 0
    children: int = 0

    @property
    def good(self) -> bool:
        """Whether nothing went wrong and every caller called."""
        return not self.wrong and not self.errors and min(self.calls) > 0


def works(random: np.random.Generator, count: int | None = None) -> list[Work]:
    """Return products of every type and order of operands, the first `count` of them."""
    return [work for work, _ in zip(_works(random), range(count or 1 << 20), strict=False)]


def _works(random: np.random.Generator) -> Iterator[Work]:
    for place, (m, n, k) in enumerate(_SHAPES):
        for kind in _TYPES:
            shapes = ((k, m) if place % 2 else (m, k), (k, n) if place % 3 else (n, k))
            a, b = (random.integers(0 if kind == "uint8" else -9, 10, shape).astype(kind) for shape in shapes)
            a, b = a.T if place % 2 else a, b if place % 3 else b.T
            expected = a.astype(np.int64) @ b.astype(np.int64)
            yield Work(a, b, expected.astype(np.int32 if kind.endswith("int8") else kind))


def stress(seconds: float, given: list[Work], disturb: bool = True) -> Tally:
    """Run for `seconds` and return what was seen.

    Parameters
    ----------
    disturb : bool
        Change the caller's affinity and fork children meanwhile, where the system can.
    """
    tally, end = Tally(), time.monotonic() + seconds
    for work in given:
        work.is_right()  # planned before the clock of any caller matters

    def call(number: int) -> None:
        try:
            while time.monotonic() < end or not tally.calls[number]:
                work = given[(number * 3 + tally.calls[number]) % len(given)]
                tally.calls[number] += 1
                if not work.is_right():
                    tally.wrong.append(f"{work.a.shape} @ {work.b.shape}, {work.a.dtype}")
        except Exception as error:
            tally.errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=call, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    if disturb and hasattr(os, "sched_setaffinity") and hasattr(os, "fork"):
        _disturb(tally, end, given[0].is_right)
    for thread in threads:
        thread.join()
    return tally


def _disturb(tally: Tally, end: float, check: Callable[[], bool]) -> None:
    context, mask = multiprocessing.get_context("fork"), os.sched_getaffinity(0)
    try:
        while time.monotonic() < end:
            tally.changes += 1
            os.sched_setaffinity(0, {min(mask)} if tally.changes % 3 == 0 else mask)
            if tally.changes % _CHANGES_PER_CHILD == 1:
                child = context.Process(target=_child, args=(check,))
                child.start()
                child.join(60)
                tally.children += 1
                if child.exitcode != 0:
                    tally.errors.append(f"a forked child ended with {child.exitcode}")
            time.sleep(_SECONDS_BETWEEN_CHANGES)
    finally:
        os.sched_setaffinity(0, mask)


def _child(check: Callable[[], bool]) -> None:
    """Launch in a child, which has none of its parent's workers; end without what the parent registered for its own end."""
    os._exit(0 if check() else 3)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    tally = stress(given.seconds, works(np.random.default_rng(given.seed)))
    for line in (*tally.errors, *tally.wrong[:20]):
        print(line)
    print(
        f"{sum(tally.calls)} calls of {CALLERS} callers, {len(tally.wrong)} wrong, {len(tally.errors)} errors, "
        f"{tally.changes} changes of the affinity, {tally.children} children"
    )
    return 0 if tally.good else 1


if __name__ == "__main__":
    raise SystemExit(main())
