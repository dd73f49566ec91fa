# SPDX-License-Identifier: MIT
"""``tracea tune``: a progress bar while it measures, a table when it has."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from tracea_core.errors import OptionError
from tracea_core.pipeline.tune import pin, tune
from tracea_core.tuner import search
from tracea_core.tuner.lock import write_lock
from tracea_core.tuner.result import TuningResult
from tracea_core.tuner.search import Budget

from tracea.cli.problems import make_problem

EFFORTS = {"none": (0, 0.0), "quick": (24, 20.0), "full": (200, 300.0)}


def run_tuning(
    op: str,
    dims: list[int],
    options: dict[str, Any],
    backend: str | None,
    effort: str,
    seconds: float | None,
    evaluations: int | None,
    force: bool,
    lock: bool,
    as_json: bool,
    console: Console,
) -> None:
    """Tune one problem and print the outcome.

    Raises
    ------
    OptionError
        If the effort is unknown or allows nothing.
    """
    if effort not in EFFORTS:
        raise OptionError(f"effort {effort!r} is unknown", hint="Use none, quick or full")
    most, limit = EFFORTS[effort]
    most, limit = evaluations or most, seconds or limit
    if not most:
        raise OptionError("effort none measures nothing", hint="`tracea explain` shows the untuned choice")
    problem = make_problem(op, dims, **options)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("measuring", total=most)

        def advance(step: search.Progress) -> None:
            best = f", best {step.best_seconds * 1e3:.3g} ms" if step.best_seconds else ""
            bar.update(
                task,
                completed=step.done,
                total=step.planned,
                description=f"{step.evaluation.configuration.describe()}{best}",
            )

        result = tune(problem, backend=backend, budget=Budget(most, limit), progress=advance, force=force)
    if lock:
        write_lock([pin(problem, result, backend=backend)], override=True)
    if as_json:
        print(result.to_json())
        return
    _table(result, console)
    if lock:
        console.print("pinned in tracea.lock")


def _table(result: TuningResult, console: Console) -> None:
    console.print(f"{result.configuration.describe()}: {result.origin.value}. {result.note}")
    if result.measurement is not None:
        console.print(
            f"measured {result.measurement.describe()}; the roofline says {result.predicted_seconds * 1e3:.3g} ms at best"
        )
    if result.search is None:
        return
    table = Table("configuration", "time", "relative")
    timed = sorted((e for e in result.search.history if e.seconds is not None), key=lambda e: e.seconds or 0.0)
    for evaluation in timed[:12]:
        assert evaluation.seconds is not None and timed[0].seconds is not None
        relative = evaluation.seconds / timed[0].seconds
        table.add_row(evaluation.configuration.describe(), f"{evaluation.seconds * 1e3:.4g} ms", f"{relative:.2f}")
    console.print(table)
    failed = len(result.search.failures)
    console.print(f"{len(result.search.history)} measured, {failed} failed")
