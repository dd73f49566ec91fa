# SPDX-License-Identifier: MIT
"""Plant every fault that rules derive in shipped kernels, and see whether certification refuses it.

    python -m benchmarks.mutants --store                                  # some of each kind in each kernel, and keep the table
    python -m benchmarks.mutants --all                                    # every one
    python -m benchmarks.mutants --sample 200 --seed 1 --kernels hopper   # so many at random
    python -m benchmarks.mutants --valid 10000                            # no faults: random valid kernels instead
    python -m benchmarks.mutants --all --seconds 300 --record > first.txt # what can be done in time, to go on from
    python -m benchmarks.mutants --all --known first.txt --record > second.txt
    python -m benchmarks.mutants --merge --known *.txt --store            # the tables of all of them

For each fault: caught by certification, equivalent (right in every run tried, at other sizes too), or missed. A fault that is caught
must also change the text of each emitter that serves the kernel ("same text" counts those that do not). Exits with 1 if anything
is missed, silent, or refused although it is valid. Which faults of a kernel are taken follows from the seed, the kind and the kernel's
name alone. The usual run is a sample, a third of all, and takes a quarter of an hour on two cores with nothing beside it, ``--all`` a whole
one; ``--jobs`` divides either, and so do runs that go on from each other (`benchmarks.mutant_records`). The table says how
many faults the rules derive ("derived") and how many of them were planted and judged ("made").
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import math
import os
import re
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from threadpoolctl import threadpool_limits
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.testing.faults import Fault, faults
from tracea_core.testing.survey import Outcome, Specimen, Verdict

from benchmarks.mutant_kernels import SPECIMENS, specimen
from benchmarks.mutant_records import Judged, Record, all_code, judging_code, read, table, told
from benchmarks.mutant_valid import valid

_SHOWN = 40
_EACH = 24
"""Faults of each kind that are planted in each kernel."""
_STORED = Path(__file__).parent / "results" / "mutants.json"
_TELL = 60.0
"""Seconds after which a run that records tells what it knows, before it ends."""
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


def spread(
    call: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], jobs: int, ends: float
) -> Iterator[tuple[int, Any]]:
    """Yield (number, result) of each call as it ends, in so many processes, until all have or the clock passes `ends`.

    What has not begun by then is left; what is under way is waited for when the program ends.
    """
    if jobs == 1:
        for number, given in enumerate(arguments):
            if time.perf_counter() > ends:
                return
            yield number, call(*given)
        return
    with ProcessPoolExecutor(jobs, initializer=threadpool_limits, initargs=(1,)) as pool:
        try:
            futures = {pool.submit(call, *given): number for number, given in enumerate(arguments)}
            left = None if math.isinf(ends) else max(ends - time.perf_counter(), 0.0)
            for future in as_completed(futures, timeout=left):
                yield futures[future], future.result()
        except TimeoutError:
            return
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def survey(chosen: list[Task], jobs: int, console: Console, ends: float = math.inf) -> Iterator[tuple[Task, Verdict]]:
    """Judge every task, with a bar while it runs, and yield those that end in time, as they do.

    Where time may end before all are judged, one kernel follows another, those with fewer faults first, for as many as can be to be whole;
    the faults of a kernel are taken in an order at random, so that those of the last one stand for all.
    """
    if not math.isinf(ends):
        mixed = [chosen[place] for place in np.random.default_rng(0).permutation(len(chosen))]
        faults = Counter(task.kernel for task in chosen)
        chosen = sorted(mixed, key=lambda task: (faults[task.kernel], task.kernel))
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("faults", total=len(chosen))
        for number, verdict in spread(run, [(task,) for task in chosen], jobs, ends):
            yield chosen[number], verdict
            progress.advance(bar)


def certified(seed: int, chunk: int, count: int) -> list[tuple[str, str, str | None]]:
    """Certify the kernels of one chunk, which follow from its seed and number; return (schedule, words, why it was refused)."""
    return list(itertools.islice(valid((seed, chunk)), count))


def check_valid(given: argparse.Namespace, record: Record, console: Console) -> None:
    """Certify so many random valid kernels, or as many as `seconds` allow, besides those that `record` knows."""
    begin = time.perf_counter()
    code = all_code(recipe.backend for recipe in SPECIMENS.values())
    if code != record.code:
        record.code, record.chunks, record.refused = code, {}, []
    firsts = range(given.after, given.after + given.valid, _CHUNK)
    chunks = [
        (given.seed, first // _CHUNK, min(_CHUNK, given.after + given.valid - first))
        for first in firsts
        if (given.seed, first // _CHUNK) not in record.chunks
    ]  # each follows from its number
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("valid kernels", total=sum(count for _, _, count in chunks))
        told_at = time.perf_counter()
        for number, found in spread(certified, chunks, given.jobs, _ends(given, begin)):
            progress.advance(bar, len(found))
            passed = Counter(schedule for schedule, _, error in found if error is None)
            record.chunks[chunks[number][:2]] = dict(passed)
            record.refused += [f"{words}: {error}" for _, words, error in found if error is not None]
            told_at = _tell(given, record, told_at)


def show_valid(given: argparse.Namespace, record: Record, console: Console, took: str) -> None:
    """Print how many random kernels were certified, and those that were not."""
    for text in record.refused[:_SHOWN]:
        console.print(f"refused: {text}", highlight=False, markup=False, soft_wrap=True)
    passed = record.passed()
    parts = ", ".join(f"{number} {schedule}" for schedule, number in sorted(passed.items()))
    every = passed.total() + len(record.refused)
    console.print(
        f"{passed.total()} of {every} random valid kernels certified ({parts}){took}; {len(record.refused)} refused"
    )


def _tell(given: argparse.Namespace, record: Record, last: float) -> float:
    """Print what is known now and then, should the run be ended from outside; return when it was last."""
    now = time.perf_counter()
    if not given.record or now < last + _TELL:
        return last
    print(record.line(), file=sys.__stdout__, flush=True)
    return now


def _ends(given: argparse.Namespace, begin: float) -> float:
    """When the clock ends a run."""
    return begin + given.seconds if given.seconds else math.inf


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
    parser.add_argument(
        "--after", type=int, default=0, help=f"of those of the seed, the ones after so many (of {_CHUNK})"
    )
    parser.add_argument("--known", type=Path, nargs="*", default=[], help="outputs of earlier runs, to go on from")
    parser.add_argument("--record", action="store_true", help="end with a line of what is known, for --known")
    parser.add_argument("--merge", action="store_true", help="judge nothing: the tables of what is known")
    parser.add_argument("--store", action="store_true", help=f"write {_STORED.name} into benchmarks/results")
    given = parser.parse_args(arguments)
    console = Console()
    record = read(given.known)
    begin = time.perf_counter()
    if not given.merge:
        with threadpool_limits(1):  # matrices of trial runs are small: threads would only wait for each other
            if given.valid:
                check_valid(given, record, console)
            elif not judge(given, record, console):
                return 2
    took = "" if given.merge else f", {time.perf_counter() - begin:.0f} s, seed {given.seed}"
    if record.kernels and not given.valid:
        console.print(table(record.by_kernel(), head="kernel"))
        console.print(table(record.counts()))
        for words in record.wrong[:_SHOWN]:
            console.print(words, highlight=False, markup=False, soft_wrap=True)
        every = sum(record.counts().values(), Counter[str]())
        part = "" if every["made"] == every["derived"] else f" of {every['derived']}, a sample (--all: every one),"
        console.print(
            f"{every['made']} faults{part} in {len(record.kernels)} kernels judged{took}; "
            f"{len(record.wrong)} missed or silent",
            highlight=False,
            soft_wrap=True,
        )
    if record.chunks:
        show_valid(given, record, console, took)
    if given.record:
        print(record.line())
    if given.store:
        _STORED.write_text(json.dumps(record.summary(), indent=1) + "\n")
    return 1 if record.wrong or record.refused else 0


def judge(given: argparse.Namespace, record: Record, console: Console) -> bool:
    """Judge the faults that are asked for and not known, and add them to `record`; False where no kernel has that name."""
    begin = time.perf_counter()
    names = []
    for name in (name for name in SPECIMENS if re.search(given.kernels, name)):
        try:
            key = _key(name)
        except (BackendUnavailableError, UnsupportedError) as error:
            console.print(f"left out: {name}: {error}", highlight=False, markup=False, soft_wrap=True)
        else:
            names.append(name)
            if name not in record.kernels or record.kernels[name].key != key:
                record.kernels[name] = Judged(key, dict(Counter(fault.kind for fault in _prepared(name)[1])))
    if not names:
        console.print(f"no kernel's name matches {given.kernels!r}; there are {', '.join(SPECIMENS)}")
        return False
    each = 0 if given.all else given.each
    chosen = sampled(names, given.sample, given.seed) if given.sample else tasks(names, each, given.seed)
    left = [task for task in chosen if task.number not in record.kernels[task.kernel].faults]
    told_at = time.perf_counter()
    for task, verdict in survey(left, given.jobs, console, _ends(given, begin)):
        record.kernels[task.kernel].note(task.number, verdict)
        told_at = _tell(given, record, told_at)
        if given.list and verdict.outcome is Outcome.EQUIVALENT:
            console.print(told(verdict), highlight=False, markup=False)
    return True


def _key(name: str) -> str:
    """What names a specimen, its definition and the code that judges it."""
    found = _prepared(name)[0]
    form = hashlib.sha256(found.form.to_json().encode()).hexdigest()[:16]
    return f"{found.kernel.digest()} {form} {judging_code(SPECIMENS[name].backend)}"


if __name__ == "__main__":
    sys.exit(main())
