# SPDX-License-Identifier: MIT
"""Networks compiled by tracea against eager PyTorch and Inductor: one table, filled by as many runs as it takes.

Every case is a process of its own (`benchmarks.torch_case`). Some are compiled at once, with ``--jobs``, and timed one after the other
when all are compiled; what is stored is written after each. Without more than a time limit, a run takes up the cases that were never
measured, then those measured longest ago. What compiling takes is measured alone, with empty caches, and so is a second process.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.row import Row

CONVOLUTIONAL = ("ResNet-50", "ConvNeXt-T", "SDXL block")
NAMES = (*CONVOLUTIONAL, "ViT-B/16", "BERT-base", "GPT-2", "Llama layer")
"""Networks of `benchmarks.torch_models`."""
MODES = (("inference", 1), ("inference", 32), ("training", 16))
COMPILED = ("BERT-base", "ResNet-50")
"""Networks whose compilation is timed, at batch 32."""
PROGRAM = (sys.executable, "-m", "benchmarks.torch_case")
"""What runs a case."""
LEAST = 0.97
"""What no network may fall below; the bars of a kind's mean are in `means`."""
_RATIO = ": Inductor's time over tracea's"
_DEVIATION = ": deviation over what its type allows"
"""Of outputs and, in training, of gradients: the worst tensor's (`benchmarks.torch_agreement.deviations`)."""
_RESERVE = 4.0
"""Seconds that are left for timing each case when a run's time is nearly over."""
_ORDERS = (("inductor", "tracea", "second"), ("tracea", "second", "inductor"), ("inductor", "tracea", "second"))
"""Sides in the order in which they compile, turn by turn; a second process of tracea's follows its first."""
_AGAIN = 1.2
"""How many times what a turn took has to be left for another one."""
Tell = Callable[[str, list[Row], dict[str, Any]], None]


@dataclass(frozen=True)
class Case:
    """What one process measures: `title` is its name in the table."""

    title: str
    arguments: tuple[str, ...]
    alone: bool = False


def cases(device: str) -> list[Case]:
    """Return everything that belongs in the table of a device (``cpu``, ``cuda:0``)."""
    made = [
        Case(f"{name}, {mode}, batch {batch}", ("model", name, mode, str(batch), device))
        for name in NAMES
        for mode, batch in MODES
    ]
    if device == "cpu":  # where 16 and 32 in fp64 take minutes
        made += [Case(f"{name}, all that kernels take", ("agreement", name, "", "2", device)) for name in NAMES]
    else:
        kinds = [(mode, mode, batch) for mode, batch in reversed(MODES)]  # gradients say most
        kinds.insert(2, ("inference in fp16", "inference float16", 32))
        made += [
            Case(f"{name}, {word}, batch {batch}, all that kernels take", ("agreement", name, how, str(batch), device))
            for word, how, batch in kinds
            for name in NAMES
        ]
    made.append(Case("overhead of an operator in a compiled graph", ("overhead", "", "", "0", device), alone=True))
    made += [Case(f"{name}, compilation", ("compilation", name, "", "32", device), alone=True) for name in COMPILED]
    return made


def library_cases(device: str) -> list[Case]:
    """Return the networks of installed libraries (`benchmarks.torch_library`), those that were never measured in order of their names."""
    from benchmarks.torch_library import LIBRARY, MISSING, MODES

    for package in MISSING:
        print(f"  {package} is not installed: its networks are left out", flush=True)
    return [
        Case(f"{name}, {mode}, batch {batch}", ("library", name, mode, str(batch), device))
        for mode, batch in MODES
        for name in sorted(LIBRARY)
        if device != "cpu" or "autocast" not in name  # networks of fp32 are those of `cases` there
    ]


def measure(given: argparse.Namespace, device: str, known: Sequence[dict[str, Any]], tell: Tell) -> list[Row]:
    """Measure what the command line asks for and what there is time for; return the rows.

    Parameters
    ----------
    given : Namespace
        ``only``, a pattern of titles; ``settled``, ``seconds`` and ``jobs``.
    known : sequence of dict
        Lines of the table so far.
    tell : callable
        ``tell(title, rows, line)`` is called after each case.
    """
    end, found = time.monotonic() + given.seconds, list[Row]()
    ages = {line["name"]: line["measured"] for line in known}
    every = library_cases(device) if given.table == "torch-library" else cases(device)
    wanted = [case for case in every if re.search(given.only, case.title)]
    if given.settled:
        wanted = [
            replace(c, arguments=("settled", *c.arguments[1:])) if c.arguments[0] == "model" else c for c in wanted
        ]
    if given.quick:
        wanted = [case for case in wanted if "inference, batch 1" in f"{case.title}." and "batch 16" not in case.title]
    wanted.sort(key=lambda case: ages.get(case.title, ""))

    def keep(case: Case, line: dict[str, Any]) -> None:
        rows = rows_of(case, line, device)
        found.extend(rows)
        tell(case.title, rows, line)

    for wave in _waves(wanted, given.jobs):
        left = end - time.monotonic()
        if left < _RESERVE * (1 + len(wave)):
            print(f"  skip {', '.join(case.title for case in wave)}: out of time", flush=True)
            continue
        if wave[0].arguments[0] == "compilation":
            _compile(wave[0], end, keep)
        else:
            _together(wave, end, keep)
    return found


def _waves(wanted: Sequence[Case], jobs: int) -> Iterator[list[Case]]:
    """Divide cases into those that are compiled at once, in order; what must be alone is."""
    together = list[Case]()
    for case in wanted:
        if case.alone:
            yield [case]
            continue
        together.append(case)
        if len(together) == max(1, jobs):
            yield together
            together = []
    if together:
        yield together


@dataclass
class _Running:
    """A process and what it has said."""

    case: Case
    process: subprocess.Popen[str]
    ready: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    line: dict[str, Any] | None = None

    def listen(self) -> None:
        """Read until the process ends."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            said = _parsed(text)
            self.line = said.get("line", self.line)
            if "ready" in said or "line" in said:
                self.ready.set()
        self.done.set()  # ahead of what is waited for, or whoever waits takes an end for a beginning
        self.ready.set()

    def wait_for_line(self, end: float) -> None:
        """Wait until the result is there, the process is gone, or it is too late."""
        while self.line is None and not self.done.is_set() and time.monotonic() < end:
            time.sleep(0.02)


def _parsed(text: str) -> dict[str, Any]:
    """Return what a case says, or nothing if a library speaks."""
    with contextlib.suppress(ValueError):
        said = json.loads(text)
        if isinstance(said, dict):
            return said
    return {}


def _start(case: Case, environment: dict[str, str] | None = None) -> _Running:
    process = subprocess.Popen(
        [*PROGRAM, *case.arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        cwd=Path(__file__).parent.parent,
    )
    running = _Running(case, process)
    threading.Thread(target=running.listen, daemon=True).start()
    return running


def _together(wave: Sequence[Case], end: float, keep: Callable[[Case, dict[str, Any]], None]) -> None:
    """Compile all cases of a wave at once, then let each take its times alone."""
    started = [_start(case) for case in wave]
    try:
        latest = end - _RESERVE * len(started)
        for one in started:
            one.ready.wait(max(0.0, latest - time.monotonic()))
        for one in sorted(started, key=lambda one: not one.ready.is_set()):
            if not one.ready.is_set() or one.done.is_set():
                said = "failed" if one.done.is_set() else "was not compiled in time"
                print(f"  skip {one.case.title}: {said}", flush=True)
                continue
            assert one.process.stdin is not None
            one.process.stdin.write("go\n")
            one.process.stdin.flush()
            one.wait_for_line(end)
            if one.line is None:
                print(f"  skip {one.case.title}: was not timed", flush=True)
            else:
                keep(one.case, one.line)
    finally:
        for one in started:
            one.process.kill()


def _compile(case: Case, end: float, keep: Callable[[Case, dict[str, Any]], None]) -> None:
    """Compile a network with empty caches by Inductor and by tracea, then by tracea again, each in a process of its own.

    What follows is a second turn in the other order where there is time for one: disks are cold in the first, and whatever else the host
    does only ever adds, so each side's least time counts. The most files that a second process added in any turn do.
    """
    line: dict[str, Any] = {"turns": 0}
    for order in _ORDERS:
        begin = time.monotonic()
        found = _compile_once(case, order, end)
        if found is None:
            break
        line["turns"] += 1
        for key, value in found.items():
            best = max if key == "second_added" else min
            line[key] = best(value, line[key]) if key in line else value
        if end - time.monotonic() < _AGAIN * (time.monotonic() - begin):
            break
    if line["turns"]:
        keep(case, line)


def _compile_once(case: Case, order: Sequence[str], end: float) -> dict[str, Any] | None:
    """Return the seconds of each side and the entries that it added to tracea's cache, None where one failed or was out of time."""
    line: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for side in order:
            backend = "inductor" if side == "inductor" else "tracea"
            own = Path(scratch) / backend
            places = {"TRACEA_CACHE_DIR": str(own / "tracea"), "TORCHINDUCTOR_CACHE_DIR": str(own / "inductor")}
            kind, name, _, *rest = case.arguments
            one = _start(Case(case.title, (kind, name, backend, *rest)), places)
            one.wait_for_line(end)
            if one.line is not None:
                one.done.wait(max(0.0, min(5.0, end - time.monotonic())))  # what is written behind the caller's back
            one.process.kill()
            if one.line is None:
                print(f"  skip {case.title}: {side} failed or was out of time", flush=True)
                return None
            line[f"{side}_s"], line[f"{side}_added"] = one.line["seconds"], one.line["added"]
    return line


def rows_of(case: Case, line: dict[str, Any], device: str) -> list[Row]:
    """Return the rows of what one case measured."""
    title, kind = case.title, case.arguments[0]
    if kind == "overhead":
        return [Row(title, "µs", line["tracea_us"], line["inductor_us"], 8.0, at_most=True)]
    if kind == "compilation":
        ratio = line["tracea_s"] / line["inductor_s"]
        added = Row(f"{title}: files that a second process adds", "", line["second_added"], None, 0, at_most=True)
        return [Row(f"{title}: seconds over Inductor's", "×", ratio, 1.0, 1.2, at_most=True), added]
    if kind == "agreement":
        return [Row(f"{title}{_DEVIATION}", "×", line["beyond"], None, 1.0, at_most=True)]
    name, mode = case.arguments[1:3]
    on_cpu = device == "cpu"
    bar = 1.10 if on_cpu and name in CONVOLUTIONAL else LEAST
    ratio = line.get("ratio") or line["inductor_ms"] / line["tracea_ms"]  # of lines before there was one
    made = [Row(f"{title}{_RATIO}", "×", ratio, 1.0, bar, at_most=False)]
    if kind == "library":  # gradients of a random network may jump: what either side is off by stands in its line
        bound = Row(f"{title}{_DEVIATION}", "×", line["beyond"], None, 1.0, at_most=True) if "beyond" in line else None
        return [*made, bound] if bound and mode == "inference" else made
    if "beyond" in line:
        made.append(Row(f"{title}{_DEVIATION}", "×", line["beyond"], None, 1.0, at_most=True))
    if on_cpu and (mode == "inference" or name in CONVOLUTIONAL):
        eager = line["eager_ms"] / line["tracea_ms"]
        made.append(Row(f"{title}: eager time over tracea's", "×", eager, 1.0, 1.15, at_most=False))
    return made


def means(stored: Sequence[dict[str, Any]], device: str) -> list[Row]:
    """Return what networks of a kind gain on a GPU in the mean, from the stored rows; nothing of which no network was measured."""
    made = list[Row]()
    kinds = (
        ("transformers", [n for n in NAMES if n not in CONVOLUTIONAL], 1.03),
        ("convolutional networks", CONVOLUTIONAL, 1.10),
    )
    for kind, names, bar in kinds if device != "cpu" else ():
        pattern = re.compile(rf"({'|'.join(map(re.escape, names))}), inference, batch \d+{re.escape(_RATIO)}")
        values = [row["value"] for row in stored if pattern.fullmatch(row["name"])]
        if values:
            mean = statistics.geometric_mean(values)
            made.append(Row(f"{kind}, inference, mean of {len(values)}{_RATIO}", "×", mean, 1.0, bar, at_most=False))
    return made
