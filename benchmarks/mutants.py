# SPDX-License-Identifier: MIT
"""Plant every fault that rules derive in shipped kernels, and see whether certification refuses it.

    python -m benchmarks.mutants                                          # some of each kind in each kernel
    python -m benchmarks.mutants --all                                    # every one
    python -m benchmarks.mutants --sample 200 --seed 1 --kernels hopper   # so many at random
    python -m benchmarks.mutants --valid 10000                            # no faults: random valid kernels instead

For each fault: caught by certification, equivalent (right in every run tried, at other sizes too), or missed. A fault that is caught
must also change the text of each emitter that serves the kernel ("same text" counts those that do not). Exits with 1 if anything
is missed, silent, or refused although it is valid. Which faults of a kernel are taken follows from the seed, the kind and the kernel's
name alone. The usual run takes most of an hour on two cores, ``--all`` most of a day; ``--jobs`` divides either.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import re
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.testing.faults import Fault, faults
from tracea_core.testing.survey import Outcome, Specimen, Verdict

from benchmarks.mutant_kernels import SPECIMENS, specimen, valid

_SHOWN = 40
_EACH = 8
"""Faults of each kind that are planted in each kernel."""
_CHUNK = 20
"""Random valid kernels that one task certifies."""


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


def tasks(names: list[str], each: int, seed: int) -> list[Task]:
    """Return so many faults of each kind of each named kernel, or with 0 every fault."""
    found: list[Task] = []
    for name in names:
        kinds: dict[str, list[int]] = defaultdict(list)
        for number, fault in enumerate(_prepared(name)[1]):
            kinds[fault.kind].append(number)
        for kind, numbers in sorted(kinds.items()):
            random = np.random.default_rng([seed, zlib.crc32(f"{name} {kind}".encode())])
            chosen = random.permutation(numbers)[: each or None]
            found += [Task(name, int(number)) for number in sorted(chosen)]
    return found


def sampled(names: list[str], sample: int, seed: int) -> list[Task]:
    """Return so many faults at random, about equally many of each kernel."""
    random = np.random.default_rng(seed)
    found: list[Task] = []
    for place, name in enumerate(names):
        count = len(_prepared(name)[1])
        share = sample // len(names) + (place < sample % len(names))
        numbers = random.permutation(count)[: min(share, count)]
        found += [Task(name, int(number)) for number in sorted(numbers)]
    return found


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """A ``map`` over so many processes, which leave what has not begun when the block is left; the plain one for one."""
    if jobs == 1:
        yield map
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield pool.map
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def survey(chosen: list[Task], jobs: int, console: Console) -> Iterator[Verdict]:
    """Judge every task, with a bar while it runs."""
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("faults", total=len(chosen))
        with workers(jobs) as each:
            for verdict in each(run, chosen):
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


def certified(seed: int, chunk: int, count: int) -> list[tuple[str, str, str | None]]:
    """Certify the kernels of one chunk, which follow from its seed and number; return (schedule, words, why it was refused)."""
    return list(itertools.islice(valid((seed, chunk)), count))


def check_valid(given: argparse.Namespace, console: Console) -> int:
    """Certify so many random valid kernels, or as many as `seconds` allow; return how many were refused."""
    refused: list[str] = []
    passed: Counter[str] = Counter()
    begin = time.perf_counter()
    counts = [min(_CHUNK, given.valid - first) for first in range(0, given.valid, _CHUNK)]
    with Progress(console=console, transient=True) as progress, workers(given.jobs) as each:
        bar = progress.add_task("valid kernels", total=given.valid)
        for found in each(certified, itertools.repeat(given.seed), range(len(counts)), counts):
            progress.advance(bar, len(found))
            for schedule, words, error in found:
                if error is None:
                    passed[schedule] += 1
                else:
                    refused.append(f"{words}: {error}")
            if given.seconds and time.perf_counter() - begin > given.seconds:
                break
    for text in refused[:_SHOWN]:
        console.print(f"refused: {text}", highlight=False, markup=False, soft_wrap=True)
    parts = ", ".join(f"{number} {schedule}" for schedule, number in sorted(passed.items()))
    took = f"{time.perf_counter() - begin:.0f} s, seed {given.seed}"
    every = passed.total() + len(refused)
    console.print(
        f"{passed.total()} of {every} random valid kernels certified ({parts}), {took}; {len(refused)} refused"
    )
    return len(refused)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--each", type=int, default=_EACH, help="so many faults of each kind in each kernel (default: %(default)s)"
    )
    parser.add_argument("--all", action="store_true", help="every fault")
    parser.add_argument("--sample", type=int, default=0, help="so many faults at random, spread over the kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernels", default="", help="only kernels whose name matches this pattern")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8), help="processes")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long (0: when all are done)")
    parser.add_argument("--list", action="store_true", help="print every fault that is not caught, and why")
    parser.add_argument("--valid", type=int, default=0, help="certify so many random valid kernels instead")
    given = parser.parse_args(arguments)
    console = Console()
    begin = time.perf_counter()
    if given.valid:
        return 1 if check_valid(given, console) else 0
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
    each = 0 if given.all else given.each
    chosen = sampled(names, given.sample, given.seed) if given.sample else tasks(names, each, given.seed)
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
