# SPDX-License-Identifier: MIT
"""One network by eager PyTorch, Inductor and tracea, in a process of its own: compiled, then timed in turns when told to.

    python -m benchmarks.torch_case model BERT-base inference 32 cuda:0

Lines of JSON on standard output say ``{"ready": …}`` once everything is compiled and compared, and ``{"line": …}`` with the times, which
are taken after a line arrives on standard input. So several networks are compiled at once, and timed one by one.

    python -m benchmarks.torch_case compilation BERT-base tracea 32 cuda:0

compiles it with one backend and says how long that took, and what tracea's cache held afterwards that it did not hold before.

    python -m benchmarks.torch_case agreement ResNet-50 "" 2 cpu

runs it with every region that a kernel takes in tracea's, forwards and backwards, and says how far results are off; in place of ``""``
may stand ``inference`` or ``training``, with a type of PyTorch's behind it (``"inference float16"``). In place of ``model`` may stand
``library``, for networks of `benchmarks.torch_library`.
"""

from __future__ import annotations

import contextlib
import copy
import fcntl
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.torch_agreement import MODES, agreement, bounds, deviations, first, made, step_of
from benchmarks.torch_overhead import overhead, wait

_ROUNDS = (3, 120)
_TURNS_SECONDS = {"inference": 10.0, "training": 18.0}
"""By mode: hosts queue a training step by ten times as many calls, and are late more often."""
_BURST_SECONDS = 0.05
_LONG = 1.0
"""Seconds of a call that need no others ahead of it, beside the one whose results were compared."""
_SELDOM = 6
"""A side that is compared with nothing is timed in every such turn only."""
DECIDING = 120.0
"""Seconds that deciding about a graph gets before networks are timed as from a second process on."""
COMPARED = ("inductor", "tracea")
"""Sides whose ratio is stored."""
_FEW = 2
"""Of a batch, what is evaluated in float64 on a CPU, where that takes minutes for 32 images."""
_UNSETTLED = ("used up", "next process", "is being made")


def main(arguments: list[str]) -> int:
    """Run one case; return the exit code."""
    import torch

    kind, name, how, batch, place = arguments
    device = torch.device(place)
    if kind == "compilation":
        print(json.dumps({"line": compilation(name, how, int(batch), device)}), flush=True)
        return 0
    if kind == "overhead":
        measured = overhead(device)
        print(json.dumps({"ready": {}}), flush=True)
        sys.stdin.readline()
        print(json.dumps({"line": measured()}), flush=True)
        return 0
    networks = _networks(kind)
    if kind == "agreement":
        mode, _, kind = how.partition(" ")
        dtype = getattr(torch, kind) if kind else None
        line = agreement(networks[name], int(batch), device, (mode,) if mode else MODES, dtype)
        print(json.dumps({"ready": {}}), flush=True)
        sys.stdin.readline()
        print(json.dumps({"line": line}), flush=True)
        return 0
    line, calls = compiled(networks[name], how, int(batch), device, settled=kind == "settled")
    print(json.dumps({"ready": line}), flush=True)
    sys.stdin.readline()
    line |= figures(in_turns(calls, device, _TURNS_SECONDS[how]))
    print(json.dumps({"line": line}), flush=True)
    return 0


def _networks(kind: str) -> dict[str, Any]:
    """Return the networks that a case is one of."""
    if kind == "library":
        from benchmarks.torch_library import LIBRARY

        return LIBRARY
    from benchmarks.torch_models import NETWORKS

    return NETWORKS


def compiled(
    network: Any, mode: str, batch: int, device: Any, settled: bool = False
) -> tuple[dict[str, Any], dict[str, Callable[[], Any]]]:
    """Return a network by every side, once its outputs (and gradients) have been compared, and what tracea made of it.

    Parameters
    ----------
    settled : bool
        Leave ``first`` out, and decide about everything before anything is compiled, as an earlier process would have.

    Returns
    -------
    (dict, dict)
        Facts, and what runs the network by ``eager``, ``inductor``, ``first`` (tracea, with the time that deciding gets by default, the
        caches as they are) and ``tracea`` (with time for everything, as a second process has it; the same where nothing was left open).
        The facts hold the seconds that each took to compile and run once, and how far results are off (`deviations`).
    """
    import torch
    import torch._inductor.compile_fx  # whoever compiles first would pay for it

    import tracea.torch as tt

    model, inputs = made(network, mode, batch, device)
    if settled:
        _settle(copy.deepcopy(model), inputs, mode)
    line: dict[str, Any] = {}
    calls: dict[str, Callable[[], Any]] = {}
    results: dict[str, Any] = {}
    taken: dict[str, float] = {}
    for name, backend in (("eager", None), ("first", "tracea"), ("inductor", "inductor"), ("tracea", "tracea")):
        if name == "first" and settled:
            continue
        if name == "tracea" and not settled and not any(word in r for r in line["regions"] for word in _UNSETTLED):
            calls[name], results[name], line["taken"] = calls["first"], results["first"], line["taken at once"]
            continue
        torch._dynamo.reset()
        tt.reset_stats()
        own = copy.deepcopy(model)
        options: dict[str, Any] | None = {"tracea.seconds": DECIDING} if name == "tracea" else None
        run = own if backend is None else torch.compile(own, backend=backend, options=options)
        calls[name] = step_of(run, own, inputs, mode)
        begin = time.perf_counter()
        with _reports() as reports, _measuring_alone():
            results[name] = calls[name]()
        wait(device)
        taken[name] = round(time.perf_counter() - begin, 1)
        if backend == "tracea":
            line["taken" if name == "tracea" else "taken at once"] = tt.stats().taken
            line["left"], line["regions"] = tt.stats().left, _regions(reports)
    line["compiled_s"] = taken
    few = batch if device.type != "cpu" else min(batch, _FEW)
    if (
        few == batch or mode != "training"
    ):  # else what a norm of the batch has made depends on all of it: `agreement` says
        compared = {side: first(results[side], batch, few) for side in results}
        line |= deviations(compared, *bounds(model, [x[:few] for x in inputs], mode))
    return line, {**calls, **{f"{side} again": calls[side] for side in COMPARED}}


def figures(samples: dict[str, list[float]]) -> dict[str, float]:
    """Return the milliseconds of each side, what is compared over one another, and what either differs by from itself.

    Each of those is timed twice in a turn. A host that is busy with something else is so for several turns: one turn's ratio knows nothing
    of it, and the median of all is steadier than the ratio of two medians (a network that both sides ran by the same code: within 0.4 % in
    four trials, where those were 0.2 to 5 % apart).
    """
    found: dict[str, float] = {}
    sums: dict[str, list[float]] = {}
    for side, values in samples.items():
        if side in COMPARED:
            again = samples[f"{side} again"]
            sums[side] = [a + b for a, b in zip(values, again, strict=True)]
            found[f"{side}_ms"] = round(statistics.median([*values, *again]) * 1e3, 4)
            found[f"{side}_noise"] = round(_middle(values, again), 3)
        elif side.removesuffix(" again") not in COMPARED:
            found[f"{side}_ms"] = round(statistics.median(values) * 1e3, 4)
    found["ratio"] = round(_middle(sums["inductor"], sums["tracea"]), 4)
    return found


def _middle(above: list[float], below: list[float]) -> float:
    """Return the median of quotients, turn by turn."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def _settle(model: Any, inputs: list[Any], mode: str) -> None:
    """Make and time the kernels that a network may want, and keep what was found in the cache."""
    import torch

    from tracea.torch.compiler import backend

    def decide(module: Any, _: Any) -> Any:
        backend.take(copy.deepcopy(module), "measured", DECIDING)
        return module.forward

    with torch.set_grad_enabled(mode == "training"), _measuring_alone():
        torch.compile(model, backend=decide)(*inputs)
    torch._dynamo.reset()


def compilation(name: str, backend: str, batch: int, device: Any) -> dict[str, Any]:
    """Return the seconds that compiling a network takes, and how many entries that adds to tracea's cache.

    PyTorch, the device and the network are ready before the clock starts; eager PyTorch has run it once.
    """
    import torch
    import torch._inductor.compile_fx
    from tracea_core.runtime.cache import BinaryCache

    import tracea.torch.compiler.backend  # noqa: F401 - what people import before they compile
    from benchmarks.torch_models import NETWORKS

    model, inputs = made(NETWORKS[name], "inference", batch, device)
    held = Path(BinaryCache().directory)
    before = _files(held)
    with torch.no_grad():
        model(*inputs)
        wait(device)
        begin = time.perf_counter()
        torch.compile(model, backend=backend)(*inputs)
        wait(device)
    seconds = time.perf_counter() - begin
    return {"seconds": round(seconds, 2), "added": len(_files(held) - before)}


def _files(directory: Path) -> set[Path]:
    return {path for path in directory.rglob("*") if path.is_file() and not path.name.endswith(".lock")}


@contextlib.contextmanager
def _measuring_alone() -> Iterator[None]:
    """Let trials of kernels wait for those of other processes on this machine, since several networks may be compiled at once."""
    from tracea.torch.compiler import trial

    module: Any = trial
    inner = module._measure

    def alone(sketch: Any) -> Any:
        with open(Path(tempfile.gettempdir()) / "tracea-rows.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return inner(sketch)

    module._measure = alone
    try:
        yield
    finally:
        module._measure = inner


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


def in_turns(calls: dict[str, Callable[[], Any]], device: Any, limit: float) -> dict[str, list[float]]:
    """Return the seconds of a call of each, measured in turns for about as long as `limit`, in seconds."""
    single: dict[str, float] = {}
    for name, call in calls.items():
        same = single.get(name.removesuffix(" again"))
        single[name] = _single(call, device) if same is None else same
    counts = {name: max(1, min(50, int(_BURST_SECONDS / seconds))) for name, seconds in single.items()}
    often = [name for name in calls if name.removesuffix(" again") in COMPARED]
    turn = sum(counts[name] * seconds / (1 if name in often else _SELDOM) for name, seconds in single.items())
    samples: dict[str, list[float]] = {name: [] for name in calls}
    order = random.Random(0)  # whoever follows the same one each time finds a device that is as warm each time
    for number in range(max(_ROUNDS[0], min(_ROUNDS[1], int(limit / turn)))):
        now = often if number % _SELDOM else list(calls)
        for name in order.sample(now, len(now)):
            samples[name].append(_timed(calls[name], device, counts[name]))
    return samples


def _single(call: Callable[[], Any], device: Any) -> float:
    """Return about how long one call takes, after others unless it is long."""
    seconds = _timed(call, device, 1)
    for _ in range(2 if seconds < _LONG else 0):
        seconds = _timed(call, device, 1)
    return max(seconds, 1e-6)


def _timed(call: Callable[[], Any], device: Any, count: int) -> float:
    wait(device)
    begin = time.perf_counter()
    for _ in range(count):
        call()
    wait(device)
    return (time.perf_counter() - begin) / count


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
