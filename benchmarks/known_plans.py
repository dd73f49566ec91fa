# SPDX-License-Identifier: MIT
"""What a known plan costs: the first of a process, another one from disk, and one that the process has had before.

    python -m benchmarks.rows certification --only known

Plans of products on this machine's processors are made and stored by one process. Others, in which tracea is imported and nothing
planned, find them again; each figure is the smallest of a few processes. Besides the rows, what else the first plan of a process waits for
is printed: plugins are found and imported, the device is looked at and opened, and machine code is loaded.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tracea_core.dtypes import DType
from tracea_core.ops.problem import Problem
from tracea_core.testing.cases import gemm

from benchmarks.row import Row

MOST = 1.0
"""Milliseconds that a known plan may cost."""
NAMES = {
    "certificate": "known certificate, the first of a process",
    "another": "known plan from disk",
    "again": "known plan from memory",
}
_PROCESSES = 5
_DEVICE = "cpu"


def problems() -> tuple[Problem, Problem]:
    """Return two problems that one kernel serves."""
    first, second = (gemm((256, 256, k), DType.FP32, "nn") for k in (256, 320))
    return first, second


def rows() -> Iterator[Row]:
    """Measure in fresh processes; yield a row for each cost, after printing what the first plan waits for besides."""
    with tempfile.TemporaryDirectory() as cache:
        _apart("store", cache)
        found = [_apart("measure", cache) for _ in range(_PROCESSES)]
    least = {name: min(one[name] for one in found) for name in found[0]}
    parts = ", ".join(f"{name} {least[name]:.2f}" for name in least if name not in NAMES)
    print(f"  besides, once in a process, ms: {parts}", flush=True)
    for name, words in NAMES.items():
        yield Row(words, "ms", least[name], None, MOST, at_most=True)


def measured() -> dict[str, float]:
    """Return milliseconds of each part of a first plan, and of plans that follow, in this process.

    Raises
    ------
    RuntimeError
        If the plan is not known.
    """
    plans = importlib.import_module("tracea_core.pipeline.plan")
    known = importlib.import_module("tracea_core.pipeline.known")
    path = importlib.import_module("tracea_core.pipeline.path")
    opened = importlib.import_module("tracea_core.pipeline.runtimes")
    first, second = problems()
    times = [time.perf_counter()]

    def passed() -> float:
        times.append(time.perf_counter())
        return (times[-1] - times[-2]) * 1e3

    found = {}
    selection = path.select(_DEVICE, None)
    found["device"] = passed()
    opened.runtime(selection.target.backend, selection.target.device)
    found["runtime"] = passed()
    key = known.plan_key(first, selection, None)
    recalled = None if key is None else known.recall(key, path.certificate_cache())
    found["certificate"] = passed()
    if recalled is None:
        raise RuntimeError("the plan is not known: a file of tracea was written since")
    plans.plan(first, _DEVICE)
    found["machine code"] = passed()
    plans.plan(second, _DEVICE)
    found["another"] = passed()
    plans.plan(second, _DEVICE)
    found["again"] = passed()
    return found


def _apart(what: str, cache: str) -> dict[str, float]:
    environment = {**os.environ, "TRACEA_CACHE_DIR": cache}
    command = [sys.executable, "-m", "benchmarks.known_plans", what]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return {name: float(value) for name, value in json.loads(result.stdout.splitlines()[-1]).items()}


if __name__ == "__main__":
    if sys.argv[1] == "store":
        for problem in problems():
            importlib.import_module("tracea_core.pipeline.plan").plan(problem, _DEVICE)
        print("{}")
    else:
        print(json.dumps(measured()))
