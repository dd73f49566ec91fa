# SPDX-License-Identifier: MIT
"""Plant every fault that rules derive in shipped kernels, and see whether certification refuses it.

    python -m benchmarks.mutants --sample 200 --seed 1 --kernels hopper
    python -m benchmarks.mutants --valid 10000

For each fault: caught by certification, equivalent (right in every run tried, at other sizes too), or missed. A fault that is caught
must also change the text of each emitter that serves the kernel ("same text" counts those that do not). Exits with 1 if anything
is missed, silent, or refused although it is valid. The full run takes hours of one core; ``--jobs`` divides it.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.testing.faults import Fault, faults
from tracea_core.testing.survey import Outcome, Specimen, Verdict

from benchmarks.mutant_kernels import SPECIMENS, specimen, valid

_SHOWN = 40


@dataclass(frozen=True)
class Task:
    """One fault of one kernel, by number, so that a worker derives it itself."""

    kernel: str
    number: int


@functools.lru_cache(maxsize=len(SPECIMENS))
def _prepared(name: str) -> tuple[Specimen, tuple[Fault, ...]]:
    found = specimen(name)
    return found, tuple(faults(found.kernel))


def run(task: Task) -> Verdict:
    """Return what becomes of one fault."""
    found, planted = _prepared(task.kernel)
    return found.judge(planted[task.number])


def tasks(names: list[str], sample: int, seed: int) -> list[Task]:
    """Return every fault of the named kernels, or so many of them at random, about equally many of each kernel."""
    random = np.random.default_rng(seed)
    found: list[Task] = []
    for place, name in enumerate(names):
        count = len(_prepared(name)[1])
        share = sample // len(names) + (place < sample % len(names)) if sample else count
        numbers = random.permutation(count)[: min(share, count)]
        found += [Task(name, int(number)) for number in sorted(numbers)]
    return found


def survey(chosen: list[Task], jobs: int, console: Console) -> Iterator[Verdict]:
    """Judge every task, with a bar while it runs."""
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("faults", total=len(chosen))
        if jobs == 1:
            for task in chosen:
                yield run(task)
                progress.advance(bar)
            return
        with ProcessPoolExecutor(jobs) as pool:
            for verdict in pool.map(run, chosen, chunksize=8):
                yield verdict
                progress.advance(bar)


def table(verdicts: list[Verdict]) -> Table:
    """Return the table by kind."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        for kind in (verdict.kind, "all"):
            counts[kind][verdict.outcome.value] += 1
            counts[kind]["same text"] += bool(verdict.silent)
            counts[kind]["made"] += 1
    columns = ("made", "caught", "equivalent", "missed", "same text")
    found = Table("kind", *columns, title="Planted faults")
    for column in found.columns[1:]:
        column.justify = "right"
    for kind in [*sorted(counts.keys() - {"all"}), "all"]:
        if kind == "all":
            found.add_section()
        found.add_row(kind, *(str(counts[kind][column]) for column in columns))
    return found


def check_valid(count: int, seed: int, seconds: float, console: Console) -> int:
    """Certify `count` random valid kernels, or as many as `seconds` allow; return how many were refused."""
    refused: list[str] = []
    certified: Counter[str] = Counter()
    begin = time.perf_counter()
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("valid kernels", total=count)
        for schedule, words, error in itertools.islice(valid(seed), count):
            progress.advance(bar)
            if error is None:
                certified[schedule] += 1
            else:
                refused.append(f"{words}: {error}")
            if seconds and time.perf_counter() - begin > seconds:
                break
    for text in refused[:_SHOWN]:
        console.print(f"refused: {text}", highlight=False, markup=False, soft_wrap=True)
    parts = ", ".join(f"{number} {schedule}" for schedule, number in sorted(certified.items()))
    console.print(f"{certified.total()} of {certified.total() + len(refused)} random valid kernels certified ({parts})")
    return len(refused)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sample", type=int, default=0, help="so many faults at random, spread over the kernels (0: all)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", default="", help="only kernels whose name matches this pattern")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long (0: when all are done)")
    parser.add_argument("--list", action="store_true", help="print every fault that is not caught, and why")
    parser.add_argument("--valid", type=int, default=0, help="certify so many random valid kernels instead")
    given = parser.parse_args(arguments)
    console = Console()
    begin = time.perf_counter()
    if given.valid:
        return 1 if check_valid(given.valid, given.seed, given.seconds, console) else 0
    names = []
    for name in (name for name in SPECIMENS if re.search(given.kernels, name)):
        try:
            _prepared(name)
        except (BackendUnavailableError, UnsupportedError) as error:
            console.print(f"left out: {name}: {error}", highlight=False, markup=False, soft_wrap=True)
        else:
            names.append(name)
    if not names:
        console.print(f"no kernel's name matches {given.kernels!r}; there are {', '.join(SPECIMENS)}")
        return 2
    chosen = tasks(names, given.sample, given.seed)
    verdicts: list[Verdict] = []
    for verdict in survey(chosen, given.jobs, console):
        verdicts.append(verdict)
        if given.seconds and time.perf_counter() - begin > given.seconds:
            break
    console.print(table(verdicts))
    wrong = [verdict for verdict in verdicts if verdict.outcome is Outcome.MISSED or verdict.silent]
    shown = [v for v in verdicts if v.outcome is not Outcome.CAUGHT or v.silent] if given.list else wrong[:_SHOWN]
    for verdict in shown:
        silent = f" (same text: {', '.join(verdict.silent)})" if verdict.silent else ""
        console.print(
            f"{verdict.outcome.value}{silent}: {verdict.kind}: {verdict.words}: {verdict.reason}",
            highlight=False,
            markup=False,
        )
    took = f"{time.perf_counter() - begin:.0f} s, seed {given.seed}"
    console.print(
        f"{len(verdicts)} of {len(chosen)} faults in {len(names)} kernels, {took}; {len(wrong)} missed or silent"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
