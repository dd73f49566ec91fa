# SPDX-License-Identifier: MIT
"""``tracea tune``: a progress bar while it measures, a table when it has."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from tracea_core.errors import OptionError
from tracea_core.pipeline.tune import pin, tune, tuned_problems
from tracea_core.tuner import search
from tracea_core.tuner.lock import LOCK_NAME, write_lock
from tracea_core.tuner.result import TuningResult
from tracea_core.tuner.search import Budget, Evaluation

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.ops.filtering import by_default

EFFORTS: dict[str, tuple[int, float] | None] = {"none": None, "quick": (24, 20.0), "full": (200, 300.0)}
"""Most evaluations and seconds; None measures nothing."""


def run_tuning(
    op: str,
    dims: list[int],
    words: Words,
    backend: str | None,
    effort: str,
    seconds: float | None,
    evaluations: int | None,
    force: bool,
    lock: bool,
    scheduler: str | None,
    as_json: bool,
    console: Console,
) -> None:
    """Tune one problem and print the outcome; the convolutions of a transposed one share the seconds.

    Raises
    ------
    OptionError
        If the effort is unknown or the budget allows nothing.
    """
    if effort not in EFFORTS:
        raise OptionError(f"effort {effort!r} is unknown", hint="Use none, quick or full")
    usual = EFFORTS[effort]
    measured = usual is not None or evaluations is not None or seconds is not None
    most, limit = usual or EFFORTS["quick"] or (1, 1.0)
    problems = tuned_problems(by_default(make_problem(op, dims, words), backend=backend), backend=backend)
    budget = Budget(
        most if evaluations is None else evaluations, (limit if seconds is None else seconds) / len(problems)
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("measuring", visible=measured)

        def advance(step: search.Progress) -> None:
            best = f", best {step.best_seconds * 1e3:.3g} ms" if step.best_seconds else ""
            bar.update(
                task,
                completed=step.done,
                total=step.planned,
                description=f"{step.evaluation.configuration.describe()}{best}",
            )

        results = []
        for problem in problems:
            bar.reset(task, total=budget.max_evaluations)
            found = tune(
                problem,
                backend=backend,
                budget=budget,
                progress=advance,
                force=force,
                measured=measured,
                scheduler=scheduler,
            )
            results.append(found)
    if lock:
        pins = [pin(*each, backend=backend) for each in zip(problems, results, strict=True)]
        try:
            write_lock(list(dict.fromkeys(pins)), override=True)
        except OSError as error:
            raise OptionError(
                f"{LOCK_NAME} cannot be written here: {error.strerror}",
                hint="Repeat the command in a folder that you may write to; what was measured is kept",
            ) from error
    for number, result in enumerate(results, 1):
        if as_json:
            print(result.to_json())
            continue
        if len(results) > 1:
            console.rule(f"convolution {number} of the {len(results)} that make this one", align="left")
        _table(result, console)
    if lock and not as_json:
        console.print("pinned in tracea.lock")


def _table(result: TuningResult, console: Console) -> None:
    console.print(f"[bold]{result.configuration.describe()}[/bold]: {result.origin.value}. {result.note}")
    if result.measurement is not None:
        console.print(f"measured {result.measurement.describe()}")
    console.print(f"the model predicts {result.predicted_seconds * 1e3:.3g} ms")
    if result.search is None:
        return
    history = result.search.history
    hero = next((e for e in history if e.origin == "seed" and e.seconds is not None), None)
    table = Table("configuration", "time", "against the hero", "proposed as", "")
    for evaluation in sorted((e for e in history if e.seconds is not None), key=lambda e: e.seconds or 0.0)[:12]:
        marks = [word for word, given in (("hero", hero), ("chosen", result)) if _same(evaluation, given)]
        table.add_row(
            evaluation.configuration.describe(),
            f"{(evaluation.seconds or 0.0) * 1e3:.4g} ms",
            f"{(hero.seconds or 0.0) / (evaluation.seconds or 1.0):.2f}×" if hero is not None else "",
            evaluation.origin,
            ", ".join(marks),
            style="bold" if marks else None,
        )
    console.print(table)
    failures = result.search.failures
    console.print(
        f"{len(history)} tried, {len(failures)} failed; the fastest were measured again in turns before one was chosen"
    )
    for failure in failures[:3]:
        console.print(f"  {failure.configuration.describe()}: {failure.error}", style="red", markup=False)


def _same(evaluation: Evaluation, other: Evaluation | TuningResult | None) -> bool:
    return other is not None and evaluation.configuration == other.configuration
