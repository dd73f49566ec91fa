# SPDX-License-Identifier: MIT
"""Matrix products on an NVIDIA GPU against what people would use instead: cuBLAS, cuBLASLt's fusions, torch.compile.

Every shape is measured in turns with its peers, and the fastest peer twice, so that each line says what noise is. A shape that tracea
refuses, or gets wrong, counts as missed and the table goes on.
"""

from __future__ import annotations

import math
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchmarks.cuda_cases import Case, Group, groups
from benchmarks.device_turns import Turns
from benchmarks.row import Row

Table: TypeAlias = Callable[[bool, random.Random], tuple[Group, ...]]
REFUSED, WRONG, SKIPPED = "refused", "wrong", "skipped"


@dataclass
class Line:
    """One shape: seconds of tracea and of the best peer, or why there are none."""

    group: str
    case: str
    flops: float
    ours: float = math.nan
    peer: float = math.nan
    peer_name: str = ""
    noise: float = math.nan
    clock: str = ""
    problem: str = ""
    kernel: str = ""

    @property
    def ratio(self) -> float:
        """The peer's time over tracea's; 0 where tracea gave no result."""
        return 0.0 if self.problem else self.peer / self.ours

    def __str__(self) -> str:
        if self.problem:
            return f"  {self.case:34s} {self.problem}"
        rates = f"{self.flops / self.ours / 1e12:7.1f} {self.flops / self.peer / 1e12:7.1f} TFLOP/s"
        return (
            f"  {self.case:34s} {self.ours * 1e6:9.2f} {self.peer * 1e6:9.2f} µs {rates} ×{self.ratio:.3f} "
            f"({self.peer_name}; itself ×{self.noise:.3f}) {self.clock} {self.kernel}"
        )


def measure(case: Case, turns: Any, options: Any) -> Line:
    """Return the line of one case; an error of tracea is its problem, an error of a peer drops that peer."""
    line = Line(case.group, case.name, case.flops)
    try:
        bench = case.make(options)
    except Exception as error:
        line.problem = f"{SKIPPED}: {_first(error)}"
        return line
    try:
        bench.ours()
        turns.synchronize()
        off = bench.error()
    except Exception as error:
        line.problem = f"{REFUSED}: {_first(error)}"
        return line
    if not off <= bench.tolerance:
        line.problem = f"{WRONG}: ‖difference‖/‖expected‖ is {off:.2e}, at most {bench.tolerance:.0e} is allowed"
        return line
    peers = _working(bench.peers, turns)
    if not peers:
        line.problem = f"{SKIPPED}: no peer works"
        return line
    line.peer_name = next(iter(peers))
    if len(peers) > 1:
        first, _ = turns.compare(peers)
        line.peer_name = min(peers, key=lambda name: first[name])
    again, clock = turns.compare(
        {"tracea": bench.ours, line.peer_name: peers[line.peer_name], "again": peers[line.peer_name]}
    )
    line.ours, line.peer = again["tracea"], again[line.peer_name]
    line.noise, line.clock = again[line.peer_name] / again["again"], str(clock)
    try:
        line.kernel = bench.describe()
    except Exception as error:
        line.kernel = f"(its kernel cannot be named: {_first(error)})"
    return line


def _working(peers: Mapping[str, Callable[[], Any]], turns: Any) -> dict[str, Callable[[], Any]]:
    found = {}
    for name, call in peers.items():
        try:
            call()
            turns.synchronize()
        except Exception as error:
            print(f"    the peer {name} fails: {_first(error)}")
            continue
        found[name] = call
    return found


def _first(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


def run(turns: Any, options: Any, table: Table | None = None) -> Iterator[tuple[Group, list[Line]]]:
    """Yield each group with its lines, printing every line as soon as it is measured.

    Parameters
    ----------
    table : callable, optional
        Returns the groups, from ``quick`` and a source of random numbers; by default those of matrix products.
    options : namespace
        ``quick`` (a subset), ``only`` (a pattern for group or case names), ``seconds`` (of the whole run; what is left over is
        skipped), ``compile`` (measure torch.compile too), ``seed`` (of the shapes drawn at random).
    """
    begin = time.perf_counter()
    for group in (table or groups)(options.quick, random.Random(options.seed)):
        cases = [case for case in group.cases if re.search(options.only, f"{group.name} {case.name}")]
        if not cases:
            continue
        print(f"{group.name}, bar {group.bar:g} ({group.least:g})")
        lines = []
        for case in cases:
            if time.perf_counter() - begin > options.seconds:
                line = Line(case.group, case.name, case.flops, problem=f"{SKIPPED}: the time is up")
            else:
                line = measure(case, turns, options)
            print(line, flush=True)
            lines.append(line)
        yield group, lines


def verdict(group: Group, lines: list[Line]) -> tuple[float, float]:
    """Return the geometric mean and the least of the ratios of what was not skipped (0 if any was refused or wrong)."""
    ratios = [line.ratio for line in lines if not line.problem.startswith(SKIPPED)]
    if not ratios:
        return math.nan, math.nan
    least = min(ratios)
    return (statistics.geometric_mean(ratios) if least > 0 else 0.0), least


def host_times(turns: Any) -> dict[str, float]:
    """Return the host's microseconds per call: the same buffers, 64 sets in turn, an allocated result, and torch.mm's."""
    import torch

    from tracea import ops

    size, sets = 128, 64
    kind = {"dtype": torch.bfloat16, "device": turns.device}
    a, b = torch.randn(size, size, **kind), torch.randn(size, size, **kind)
    buffers = [tuple(torch.empty_like(a).normal_() for _ in range(3)) for _ in range(sets)]
    place = 0

    def rotate(call: Callable[..., Any]) -> Callable[[], Any]:
        def turn() -> Any:
            nonlocal place
            place = (place + 1) % sets
            x, y, out = buffers[place]
            return call(x, y, out=out)

        return turn

    out = torch.empty_like(a)
    ops.matmul(a, b, out=out, fallback="error")
    calls: dict[str, Callable[[], Any]] = {
        "same buffers": lambda: ops.matmul(a, b, out=out),
        "64 rotating sets": rotate(ops.matmul),
        "allocated result": lambda: ops.matmul(a, b),
        "torch.mm, same buffers": lambda: torch.mm(a, b, out=out),
        "torch.mm, 64 rotating sets": rotate(torch.mm),
        "torch.mm, allocated result": lambda: torch.mm(a, b),
    }
    for call in calls.values():
        for _ in range(2 * sets):
            call()
    turns.synchronize()
    times: dict[str, float] = turns.host(calls)
    return times


def as_json(lines: list[Line]) -> list[dict[str, Any]]:
    """Return lines as JSON has them (no NaN)."""
    shown = [{**vars(line), "ratio": line.ratio} for line in lines]
    return [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in line.items()}
        for line in shown
    ]


@dataclass(frozen=True)
class Measured:
    """One group of a table: its rows, its lines as JSON, and whether all of its shapes were asked for and reached."""

    group: str
    rows: list[Row]
    lines: list[dict[str, Any]]
    whole: bool


def measured(options: Any, table: Table | None = None) -> Iterator[Measured]:
    """Measure a table on ``options.device`` and yield its groups as they are done."""
    turns = Turns(options.device)
    if table is None and re.search(options.only, "host") and (made := _host_rows(turns)):
        yield Measured("host", made, [], whole=True)
    for group, lines in run(turns, options, table):
        mean, least = verdict(group, lines)
        if math.isnan(mean):
            continue
        given = sum(not line.problem for line in lines)
        name = f"{group.name}, {given} of {len(lines)} shapes"
        rows = [Row(f"{name}, geometric mean", "×", mean, 1.0, group.bar, at_most=False)]
        if group.least:
            rows.append(Row(f"{name}, least", "×", least, 1.0, group.least, at_most=False))
        skipped = any(line.problem.startswith(SKIPPED) for line in lines)
        yield Measured(group.name, rows, as_json(lines), len(lines) == len(group.cases) and not skipped)


def _host_rows(turns: Any) -> list[Row]:
    try:
        times = host_times(turns)
    except Exception as error:
        print(f"host times: {REFUSED}: {_first(error)}")
        return []
    bars = {"same buffers": 5.0, "64 rotating sets": 8.0, "allocated result": 8.0}
    return [
        Row(f"host time of a call, {name}", "µs", times[name], times[f"torch.mm, {name}"], bar, at_most=True)
        for name, bar in bars.items()
    ]
