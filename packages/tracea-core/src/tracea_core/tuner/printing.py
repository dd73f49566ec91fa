# SPDX-License-Identifier: MIT
"""What a search is doing, line by line on standard error, for whoever sets ``TRACEA_PRINT_AUTOTUNING``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tracea_core.environment import is_on
from tracea_core.tuner.result import TuningResult
from tracea_core.tuner.search import Progress

PRINT = "TRACEA_PRINT_AUTOTUNING"
"""Each candidate with its time, and what was chosen and why, are printed."""
FORCE = "TRACEA_FORCE_AUTOTUNE"
"""Every search measures again, whatever is stored; pins of a lock file hold."""


def printed(progress: Callable[[Progress], None] | None, title: str) -> Callable[[Progress], None] | None:
    """Return what a search reports to: `progress`, and the lines of this module if they are asked for."""
    if not is_on(PRINT):
        return progress

    def report(done: Progress) -> None:
        tried = done.evaluation
        time = f"{tried.seconds * 1e6:.2f} us" if tried.seconds is not None else f"failed: {tried.error}"
        best = f", best {done.best_seconds * 1e6:.2f} us" if done.best_seconds is not None else ""
        _line(title, f"{done.done} of {done.planned}: {tried.configuration.describe()} ({tried.origin}): {time}{best}")
        if progress is not None:
            progress(done)

    return report


def print_result(result: TuningResult, title: str) -> None:
    """Print what was chosen, if it is asked for."""
    if is_on(PRINT):
        _line(title, f"{result.configuration.describe()}: {result.origin.value}; {result.note}")


def _line(title: str, text: str) -> None:
    print(f"tracea tuning: {title}: {text}", file=sys.stderr, flush=True)
