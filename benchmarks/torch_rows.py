# SPDX-License-Identifier: MIT
"""Networks compiled by tracea against eager PyTorch and Inductor, in turns, on one device in one process.

Outputs are compared with eager ones before anything is timed; gradients too, for training steps. What compiling takes is measured with
the time that deciding gets by default, with the caches as they are. What the network takes is measured after a second compilation that
may decide about everything and finds most of it in the caches, as a second process does.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.row import Row

_ROUNDS = 15
_BURST_SECONDS = 0.05
_DECIDING = 120.0
"""Seconds that deciding about a graph gets before networks are timed."""


def rows(given: argparse.Namespace) -> tuple[list[Row], list[dict[str, Any]]]:
    """Return the rows that the command line asks for, and every time behind them."""
    import torch

    from benchmarks.torch_models import NETWORKS

    device = torch.device(given.device if torch.cuda.is_available() else "cpu")
    found, lines, start = [], list[dict[str, Any]](), time.monotonic()
    if re.search(given.only, "overhead"):
        found.append(overhead(device))
        print(f"  {found[-1]}", flush=True)
    cases = [("inference", 1), ("inference", 32), ("training", 16)] if device.type == "cuda" else [("inference", 1)]
    for name, network in NETWORKS.items():
        for mode, batch in cases[:1] if given.quick else cases:
            title = f"{name}, {mode}, batch {batch}"
            if not re.search(given.only, title):
                continue
            if time.monotonic() - start > given.seconds:
                print(f"  skip {title}: out of time", flush=True)
                continue
            line = measure(network, mode, batch, device)
            lines.append({"name": title, **line})
            for row in _rows_of(title, line, network.convolutional, device):
                found.append(row)
                print(f"  {row}", flush=True)
            said = {key: value for key, value in line.items() if key != "regions"}
            print("       " + ", ".join(f"{key} {value}" for key, value in said.items()), flush=True)
            for region, count in line["regions"].items():
                print(f"       {count} × {region}", flush=True)
    return found, lines


def _rows_of(title: str, line: dict[str, Any], convolutional: bool, device: Any) -> list[Row]:
    ratio, eager = line["inductor_ms"] / line["tracea_ms"], line["eager_ms"] / line["tracea_ms"]
    bar = 1.10 if convolutional else 0.97 if device.type == "cpu" else 1.03
    if title.split(", ")[1] == "training":
        bar = 0.97
    compilation = line["tracea_compile_s"] / line["inductor_compile_s"]
    made = [
        Row(f"{title}: Inductor's time over tracea's", "×", ratio, 1.0, bar, at_most=False),
        Row(f"{title}: compilation over Inductor's", "×", compilation, 1.0, 1.2, at_most=True),
    ]
    if device.type == "cpu":
        made.append(Row(f"{title}: eager time over tracea's", "×", eager, 1.0, 1.15, at_most=False))
    return made


def measure(network: Any, mode: str, batch: int, device: Any) -> dict[str, Any]:
    """Return times in milliseconds of one network by each side, after its outputs (and gradients) were compared.

    Raises
    ------
    ValueError
        If tracea's disagree with eager ones.
    """
    import torch
    import torch._inductor.compile_fx  # whoever compiles first would pay for it

    import tracea.torch as tt

    torch.manual_seed(0)
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    model = network.make().to(device, dtype).train(mode == "training")
    inputs = [x.to(device, dtype) for x in network.inputs(batch)]
    line: dict[str, Any] = {}
    calls: dict[str, Callable[[], Any]] = {}
    results = {}
    patient: dict[str, Any] = {"tracea.seconds": _DECIDING}
    sides = (("eager", None), ("inductor", None), ("tracea", None), ("tracea", patient))
    for name, options in sides:
        torch._dynamo.reset()
        tt.reset_stats()
        own = copy.deepcopy(model)
        run = own if name == "eager" else torch.compile(own, backend=name, options=options)
        calls[name] = _step(run, own, inputs, mode)
        begin = time.perf_counter()
        with _reports() as reports:
            results[name] = calls[name]()
        _wait(device)
        if name != "eager" and options is None:
            line[f"{name}_compile_s"] = round(time.perf_counter() - begin, 2)
        if name == "tracea":
            line["taken at once" if options is None else "taken"] = tt.stats().taken
            line["left"], line["regions"] = tt.stats().left, _regions(reports)
    line["error"] = round(_check(results["tracea"], results["eager"], results["inductor"]), 4)
    for name, seconds in in_turns(calls, device).items():
        line[f"{name}_ms"] = round(seconds * 1e3, 4)
    return line


@contextlib.contextmanager
def _reports() -> Iterator[list[Any]]:
    """Give what the backend says about each graph that is compiled inside."""
    from tracea.torch.compiler import backend as module

    backend: Any = module
    said: list[Any] = []
    count = backend.count

    def both(report: Any) -> None:
        said.append(report)
        count(report)

    backend.count = both
    try:
        yield said
    finally:
        backend.count = count


def _regions(reports: list[Any]) -> dict[str, int]:
    """Return what became of each kind of product, and how many there are of it."""
    found: Counter[str] = Counter()
    for region in (region for report in reports for region in report.regions):
        sizes = " · ".join("×".join(map(str, shape)) for shape in region.shapes)
        word = "taken" if region.taken else "left"
        found[
            f"{word} {region.op} {sizes} [{region.epilogue}] {region.variant} {region.configuration}: {region.reason}"
        ] += 1
    return dict(found)


def _step(run: Any, own: Any, inputs: list[Any], mode: str) -> Callable[[], Any]:
    import torch

    def inference() -> Any:
        with torch.no_grad():
            return [run(*inputs)]

    def training() -> Any:
        own.zero_grad(set_to_none=True)
        output = run(*inputs)
        output.float().square().mean().backward()
        return [output.detach(), *(p.grad for p in own.parameters() if p.grad is not None)]

    return training if mode == "training" else inference


def _check(got: list[Any], eager: list[Any], other: list[Any]) -> float:
    """Return tracea's largest deviation from eager results relative to their size; at most a few times Inductor's own, or 5 %."""
    worst = 0.0
    for mine, expected, theirs in zip(got, eager, other, strict=True):
        size = float(expected.float().norm()) + 1e-12
        error = float((mine.float() - expected.float()).norm()) / size
        allowed = max(0.05, 4 * float((theirs.float() - expected.float()).norm()) / size)
        if not error <= allowed:
            raise ValueError(f"a result is off by {error:.3g} of its norm; allowed is {allowed:.3g}")
        worst = max(worst, error)
    return worst


def in_turns(calls: dict[str, Callable[[], Any]], device: Any) -> dict[str, float]:
    """Return the median seconds of a call of each, measured in turns."""
    single = {}
    for name, call in calls.items():
        for _ in range(3):
            call()
        single[name] = _timed(call, device, 1)
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(_ROUNDS):
        for name in list(calls) if turn % 2 == 0 else reversed(list(calls)):
            count = max(1, min(50, int(_BURST_SECONDS / max(single[name], 1e-6))))
            samples[name].append(_timed(calls[name], device, count))
    return {name: statistics.median(values) for name, values in samples.items()}


def _timed(call: Callable[[], Any], device: Any, count: int) -> float:
    _wait(device)
    begin = time.perf_counter()
    for _ in range(count):
        call()
    _wait(device)
    return (time.perf_counter() - begin) / count


def _wait(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def overhead(device: Any) -> Row:
    """Host microseconds of one operator in a compiled graph, by the difference of chains of 60 and 10; the peer is ``F.linear`` + ReLU."""
    import torch

    import tracea.torch  # noqa: F401 - registers the operators

    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    a, b = torch.randn(64, 64, device=device, dtype=dtype) * 0.05, torch.randn(64, device=device, dtype=dtype)

    def chain(count: int, ours: bool) -> Callable[[Any], Any]:
        def fused(x: Any) -> Any:
            for _ in range(count):
                x = torch.ops.tracea.linear.default(x, a, [b], "bias,relu", "")
            return x

        def separate(x: Any) -> Any:
            for _ in range(count):
                x = torch.relu(torch.nn.functional.linear(x, a, b))
            return x

        return fused if ours else separate

    def host(call: Callable[[], Any]) -> float:
        for _ in range(20):
            call()
        best = float("inf")
        for _ in range(30):
            _wait(device)
            begin = time.perf_counter()
            for _ in range(5):
                call()
            best = min(best, (time.perf_counter() - begin) / 5)
        return best

    found = {}
    with torch.no_grad():
        for ours in (True, False):
            times = []
            for count in (10, 60):
                torch._dynamo.reset()
                compiled = torch.compile(chain(count, ours), backend="tracea", options={"tracea.policy": "never"})
                times.append(host(lambda: compiled(a)))  # noqa: B023 - called at once
            found[ours] = (times[1] - times[0]) / 50 * 1e6
    return Row("overhead of an operator in a compiled graph", "µs", found[True], found[False], 8.0, at_most=True)
