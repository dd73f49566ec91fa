# SPDX-License-Identifier: MIT
"""What the policy chooses without measuring against what tuning finds in ten seconds, on this machine's CPU.

    python -m benchmarks.tuned --only 'conv' --seconds 80

tunes each problem of the CPU's suite as ``tracea tune`` does, from an empty store and an empty cache of kernels, and then times the untuned
choice and the tuned one in turns. It writes ``benchmarks/results/tuned-DEVICE.json`` after each problem and goes on where an earlier run
ended; ``--again`` measures what is stored as well. Run it alone on the machine.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import math
import os
import re
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tracea_core.ops.problem import Problem

from tracea.cli.problems import make_problem
from tracea.cli.words import Words

RESULTS = Path(__file__).parent / "results"
SECONDS = 10.0
WITHIN = 1.10
_FINALS_SECONDS = 3.0
"""Of a tuning's time, for the finalists' comparison in turns and for the process that measures to start."""
_TIMED_SECONDS = 0.8
_ROWS = (1, 16)


def _suite() -> dict[str, tuple[str, list[int], Words]]:
    """The problems, by name, as the command line words them."""
    from benchmarks.cpu_rows import _LAYERS, _SQUARES

    found: dict[str, tuple[str, list[int], Words]] = {}
    for m, n, k in _SQUARES:
        found[f"matmul {m}×{n}×{k}"] = ("matmul", [m, n, k], Words())
    for rows in _ROWS:
        found[f"matmul {rows}×4096×4096, n contiguous"] = ("matmul", [rows, 4096, 4096], Words())
        found[f"linear {rows}×4096×4096, k contiguous"] = ("linear", [rows, 4096, 4096], Words())
    for rows in (128,):
        found[f"linear {rows}×3072×768, bias, GELU"] = ("linear", [rows, 3072, 768], Words(epilogue="bias,gelu"))
    for dtype, size in (("bf16", 256), ("bf16", 1024), ("int8", 1024)):
        found[f"matmul {size}³ {dtype}"] = ("matmul", [size] * 3, Words(dtype=dtype))
    for layer in _LAYERS:
        n, c, size, k, r = layer.n, layer.c, layer.size, layer.k, layer.filter
        words = Words(stride=layer.stride, padding=r // 2, layout="nhwc", epilogue="bias,relu")
        found[f"conv2d {layer.name}, channels-last, bias, ReLU"] = ("conv2d", [n, c, size, size, k, r, r], words)
    return found


@dataclass(frozen=True)
class Line:
    """One problem: both configurations and their times, and the seconds and evaluations of the search."""

    name: str
    untuned: str
    untuned_seconds: float
    tuned: str
    tuned_seconds: float
    seconds: float
    evaluations: int
    measured: str
    commit: str

    @property
    def ratio(self) -> float:
        """How many times as long the untuned choice takes."""
        return self.untuned_seconds / self.tuned_seconds


def measure(name: str, problem: Problem, commit: str, seconds: float = SECONDS) -> Line:
    """Tune one problem within so many seconds, then time both choices in turns."""
    from tracea_core.pipeline.measure_task import Bench
    from tracea_core.pipeline.path import trace
    from tracea_core.pipeline.plan import plan
    from tracea_core.pipeline.tune import tune
    from tracea_core.tuner.measure import Timer
    from tracea_core.tuner.search import Budget

    path = trace(problem, "cpu")
    begin = time.perf_counter()
    result = tune(problem, "cpu", budget=Budget(1000, seconds - _FINALS_SECONDS), force=True)
    took = time.perf_counter() - begin
    bench = Bench(path.choice.problem)
    calls = []
    for configuration in (path.configuration, result.configuration):
        made = plan(bench.problem, "cpu", None, configuration)
        bench.check(made)
        calls.append(functools.partial(made.launch, *bench.pointers(made)))
    untuned, tuned = Timer(seconds=_TIMED_SECONDS, min_samples=9, sample_seconds=2e-3).compare(calls)
    return Line(
        name, path.configuration.describe(), untuned.seconds, result.configuration.describe(), tuned.seconds, round(took, 2),
        len(result.search.history) if result.search else 0, datetime.datetime.now(datetime.UTC).date().isoformat(), commit,
    )  # fmt: skip


def show(lines: list[Line]) -> str:
    """Return the table as text, those that gain most first, and its summary."""
    text = [
        f"{'ok  ' if line.ratio <= WITHIN and line.seconds <= SECONDS else 'MISS'} ×{line.ratio:.3f} {line.name}: "
        f"{line.untuned_seconds * 1e6:.1f} µs {line.untuned}, {line.tuned_seconds * 1e6:.1f} µs {line.tuned}, "
        f"{line.evaluations} evaluations in {line.seconds:.1f} s"
        for line in sorted(lines, key=lambda line: -line.ratio)
    ]
    mean = math.exp(sum(math.log(line.ratio) for line in lines) / len(lines))
    inside = sum(line.ratio <= WITHIN for line in lines)
    text.append(f"untuned ×{mean:.3f} of tuned in the geometric mean; {inside} of {len(lines)} within {WITHIN - 1:.0%}")
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a pattern for names")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no further problem after so many")
    parser.add_argument("--budget", type=float, default=SECONDS, help="of one search, in seconds")
    parser.add_argument("--again", action="store_true", help="measure what is stored as well")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    from benchmarks import table
    from benchmarks.landscapes import slug

    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRACEA_CACHE_DIR"] = cache
        from tracea_core.plugin.select import resolve

        profile = resolve("cpu").target.profile
        path = given.results / f"tuned-{slug(profile.name)}.json"
        lines = {line.name: line for line in _stored(path)}
        begin = time.perf_counter()
        for name, words in _suite().items():
            if not re.search(given.only, name) or (name in lines and not given.again):
                continue
            if time.perf_counter() - begin > given.seconds:
                break
            lines[name] = measure(name, make_problem(*words), table.commit_here(), given.budget)
            print(f"{name}: ×{lines[name].ratio:.3f}", flush=True)
            _store(path, profile.name, list(lines.values()))
    print(show(list(lines.values())))
    return 0 if all(line.ratio <= WITHIN for line in lines.values()) else 1


def _stored(path: Path) -> list[Line]:
    return [Line(**line) for line in json.loads(path.read_text())["lines"]] if path.exists() else []


def _store(path: Path, device: str, lines: list[Line]) -> None:
    content: dict[str, Any] = {"table": "tuned", "device": device, "budget_seconds": SECONDS, "within": WITHIN}
    path.write_text(json.dumps(content | {"lines": [asdict(line) for line in lines]}, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
