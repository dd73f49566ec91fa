# SPDX-License-Identifier: MIT
"""Run the conformance kit of an installed backend in full, in several processes, and record what came of every check.

    python -m tracea_core.testing hip
    python -m tracea_core.testing hip --emulated --jobs 2 --json hip.json
    python -m tracea_core.testing oneapi --emulated pvc arc_a770 --only 'epilogue|conv'

The first line examines the backend on what this machine has: its device, or texts for published devices. With ``--emulated``
kernels run in the emulator as the devices named, by default all that `published` returns: each kind of kernel as the first
device that has it, and again as one that has it by another instruction. ``--part 2/4`` takes every fourth check from the second on, so that
four runs are one whole. With ``--record FILE`` every outcome is written as it comes, and the same command goes on where a run was cut.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tracea_core.doctor.choose import choose
from tracea_core.errors import TraceaError, UnsupportedError
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.executions import Executions
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.record import FAILED, PASSED, UNSERVED, Chosen, Outcome, Record, sources_of
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Subject, Unserved, published, subjects

HERE = ""
"""Where checks run that are not emulated."""
_SAID, _GROUP = 2000, 60


def once_each(manifest: BackendManifest, devices: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each device that has a kind of kernel, or one by another instruction, that none before has, with the kinds examined before."""
    seen = set[tuple[str, str]]()
    for device in devices:
        found = {
            (one.variant.name, one.variant.instruction)
            for one in subjects(emulated(manifest, device))
            if takes_any(one)
        }
        if not found <= seen:
            yield device, frozenset(name for name, _ in found & seen)
        seen |= found


def takes_any(subject: Subject) -> bool:
    """Whether a variant takes any case on its target."""
    for case in subject.cases():
        try:
            choose(case.problem, subject.target, (subject.variant,))
        except UnsupportedError:
            continue
        return True
    return False


def without(checks: Sequence[Check], seen: frozenset[str] | set[str]) -> list[Check]:
    """Return the checks that are not about the variants in `seen`."""
    return [check for check in checks if not seen & set(check.name.split("/"))]


def chosen(manifest: BackendManifest, devices: Sequence[str] | None, only: str, part: tuple[int, int]) -> list[Chosen]:
    """Return which checks a run consists of; `devices` is None for what this machine has."""
    listed: list[Chosen] = []
    if devices is None:
        listed = [(HERE, check.name) for check in collect(manifest)]
    else:
        for device, seen in once_each(manifest, devices):
            listed += [(device, check.name) for check in without(collect(emulated(manifest, device)), seen)]
    number, parts = part
    return [(device, name) for device, name in listed if re.search(only, name)][number - 1 :: parts]


def attempt(check: Check, device: str = HERE) -> Outcome:
    """Run a check and say what came of it; whatever it raises is a failure."""
    begin = time.perf_counter()
    try:
        check()
        state, reason = PASSED, ""
    except Unserved as error:
        state, reason = UNSERVED, str(error)
    except ConformanceError as error:
        state, reason = FAILED, str(error)
    except Exception as error:
        state, reason = FAILED, f"{type(error).__name__}: {error}"
    return Outcome(device, check.name, state, reason[:_SAID], round(time.perf_counter() - begin, 2))


@functools.cache
def _checks(backend: str, device: str, executions: Executions | None = None) -> dict[str, Check]:
    manifest = plugins().manifest(backend)
    where = emulated(manifest, device, executions=executions) if device else manifest
    return {check.name: check for check in collect(where)}


def _in_worker(backend: str, group: Sequence[Chosen], record: Record | None, until: float) -> list[Outcome]:
    found = []
    executions = None if record is None else Executions(record.path)
    for device, name in group:
        if time.time() < until:
            found.append(attempt(_checks(backend, device, executions)[name], device))
            if record is not None:
                record.add(found[-1])
    return found


def groups(listed: Sequence[Chosen]) -> list[list[Chosen]]:
    """Return the checks of each variant together, which share its kernels, in parts of at most `_GROUP`."""
    found: dict[tuple[str, str], list[Chosen]] = {}
    for device, name in listed:
        found.setdefault((device, name.split("/")[1] if name.count("/") > 1 else ""), []).append((device, name))
    return [one[at : at + _GROUP] for one in found.values() for at in range(0, len(one), _GROUP)]


def run(
    backend: str,
    listed: Sequence[Chosen],
    jobs: int,
    tell: Callable[[Outcome], None],
    record: Record | None = None,
    until: float = math.inf,
) -> list[Outcome]:
    """Run checks of an installed backend in `jobs` processes; return their outcomes in the order of `listed`.

    Parameters
    ----------
    tell : callable
        Is given each outcome, some time after it came.
    record : Record, optional
        Is written at once. What it says has passed is not run again, nor is a launch in the emulator that ended well.
    until : float
        A time of `time.time`, after which no check is begun; those left have no outcome.
    """
    found = {} if record is None else record.passed()
    left = groups([one for one in listed if one not in found])
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_in_worker, backend, group, record, until) for group in left]):
            for one in done.result():
                found[one.device, one.check] = one
                tell(one)
    return [found[one] for one in listed if one in found]


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each device, and the commonest reasons of checks that do not apply."""
    lines = []
    for device in dict.fromkeys(one.device for one in outcomes):
        states = Counter(one.state for one in outcomes if one.device == device)
        where = f"in the emulator as {device}" if device else "here"
        lines.append(f"{where}: {states[PASSED]} passed, {states[FAILED]} failed, {states[UNSERVED]} unserved")
    reasons = Counter(one.reason.splitlines()[0] for one in outcomes if one.state == UNSERVED)
    return lines + [f"  unserved {count}: {reason}" for reason, count in reasons.most_common(8)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if a check failed or none passed."""
    parser = argparse.ArgumentParser(
        prog="python -m tracea_core.testing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("backend", help="the name of an installed backend")
    parser.add_argument("--emulated", nargs="*", metavar="PRESET", help="run kernels in the emulator as these devices")
    parser.add_argument("--only", default="", help="a pattern that names of checks contain")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="I/N", help="every N-th check, from the I-th on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; all processors by default")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write outcomes there as they come, and go on from it"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no check after this long")
    parser.add_argument("--json", type=Path, help="write what came of every check there")
    given = parser.parse_args(arguments)
    try:
        manifest = plugins().manifest(given.backend)
        devices = given.emulated if given.emulated is None else given.emulated or published(given.backend)
        listed = chosen(manifest, devices, given.only, given.part)
    except TraceaError as error:
        print(error, file=sys.stderr)
        return 2
    begin = time.perf_counter()
    record = None if given.record is None else Record(given.record, sources_of(manifest))
    outcomes = run(given.backend, listed, given.jobs, _tell, record, time.time() + given.seconds)
    print("\n".join(summary(outcomes)))
    for one in sorted(outcomes, key=lambda one: -one.seconds)[:3]:
        print(f"  {one.seconds:.0f} s: {one.check}")
    left = f", {len(listed) - len(outcomes)} left" if len(outcomes) < len(listed) else ""
    print(f"{len(outcomes)} checks of {given.backend} in {time.perf_counter() - begin:.0f} s{left}")
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1) + "\n")
    passed, failed = (any(one.state == state for one in outcomes) for state in (PASSED, FAILED))
    return 1 if failed or left or not passed else 0


def _tell(one: Outcome) -> None:
    if one.state == FAILED:
        print(f"failed {one.device} {one.check}: {one.reason}", flush=True)


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not like 2/4")
    return int(number), int(parts)
