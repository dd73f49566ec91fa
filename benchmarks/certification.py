# SPDX-License-Identifier: MIT
"""What a certificate costs: the time from a semantic kernel to all its proofs, cold, for the kernels of each preset and family.

    python -m benchmarks.rows certification --only '^(h200|a100)'

Each kernel is proved in a child of a process in which everything is imported and nothing has been proved; the figure is the processor time
of that one call (the least of two, of six where that is near the bar), so that a busy machine counts for little. A row is the largest of
a device; the table holds all, filled by several runs. What a known plan costs follows (`benchmarks.known_plans`).
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tracea_core.doctor.presets import preset_names
from tracea_core.errors import BackendUnavailableError, ConfigurationError, UnsupportedError
from tracea_core.semantic.verify.certify import certify

from benchmarks import known_plans
from benchmarks.certificate_kernels import PROBLEMS, hero
from benchmarks.row import Row

MOST = 200.0
"""Milliseconds that a certificate may cost."""
_TURNS = 2
_MORE, _NEAR = 6, 0.9
"""As many turns where the least of two is more than so much of the bar: caches and memory that others use only add to a figure."""
_MOST_TURNS = 24
"""At most so many where the least is above the bar itself."""


def milliseconds(device: str, problem: str) -> float | None:
    """Return the processor time of one certification in this process; None if nothing of the kind ships for the device."""
    try:
        kernel, lowered, profile = hero(device, problem)
    except (UnsupportedError, BackendUnavailableError, ConfigurationError):
        return None
    kernel.digest()
    begin = time.process_time()
    certify(kernel, lowered.form, profile)
    return (time.process_time() - begin) * 1e3


def rows(given: argparse.Namespace, tell: Callable[[Row, dict[str, Any]], None]) -> list[Row]:
    """Measure what ``--only`` leaves, print each row and hand it to `tell` with all of its figures, and return all."""
    for module in ("interpret_lockstep", "interpret_workers"):  # which are imported when a kernel needs them
        importlib.import_module(f"tracea_core.semantic.{module}")
    np.random.default_rng()  # so is NumPy's generator
    hero("a100", "product")
    gc.collect()
    gc.freeze()  # what is shared with children is not looked at in them
    found = []
    for row, line in _every(given.only, time.monotonic() + given.seconds):
        print(f"  {row}", flush=True)
        tell(row, line)
        found.append(row)
    return found


def _every(only: str, until: float) -> Iterator[tuple[Row, dict[str, Any]]]:
    for device in preset_names():
        name = f"{device}, the largest certificate"
        if not re.search(only, name) or time.monotonic() > until:
            continue
        costs = {problem: min(taken) for problem in PROBLEMS if (taken := _taken(device, problem))}
        line = {"name": device, "kernels": {problem: round(cost, 1) for problem, cost in costs.items()}}
        yield Row(name, "ms", max(costs.values()), None, MOST, at_most=True), line
    if any(re.search(only, name) for name in known_plans.NAMES.values()):
        yield from ((row, {}) for row in known_plans.rows())


def _taken(device: str, problem: str) -> list[float]:
    found: list[float] = []
    while len(found) < _turns(min(found, default=0.0)):
        taken = _in_a_child(device, problem)
        if taken is None:
            break
        found.append(taken)
    return found


def _turns(least: float) -> int:
    """How many turns a figure is taken in whose least so far is this one."""
    return _MOST_TURNS if least > MOST else _MORE if least > _NEAR * MOST else _TURNS


def _in_a_child(device: str, problem: str) -> float | None:
    """The same in a child of this process.

    Raises
    ------
    RuntimeError
        If it ends without an answer.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.write(writing, json.dumps(milliseconds(device, problem)).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError(f"the certificate of {device}'s {problem} ended without an answer")
    taken: float | None = json.loads(answer)
    return taken
