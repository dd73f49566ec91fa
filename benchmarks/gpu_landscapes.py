# SPDX-License-Identifier: MIT
"""``python -m benchmarks.gpu_landscapes``: record tuning landscapes of an NVIDIA GPU with warpgroup instructions.

For each problem, so many configurations are drawn from all that a wide space holds and that fit the device, without regard to how good the
policy thinks they are; some are drawn from what the policy would search, and its heroes are added. Each is built and certified, and its
result is compared with the one that PyTorch computes before anything is timed. Then all are timed in rounds, every second one backwards,
the L2 cache emptied before each call; those near the best are timed again for longer, since the best of a thousand medians of a few calls
is partly luck.

``--build`` only compiles, into the cache, so that other processors may do it while the device is busy with something else.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import hashlib
import multiprocessing
import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import TraceaError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import Path as Walk
from tracea_core.pipeline.path import follow, trace, ways_of
from tracea_core.pipeline.runtimes import compiled
from tracea_core.plugin.select import resolve
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.storage import cache_root, read_private, write_atomic
from tracea_core.target import CapabilityProfile

from benchmarks.landscape_problems import PROBLEMS
from benchmarks.landscapes import FOLDER, landscape_of, slug
from tracea.arrays import torch_dtype


@dataclass(frozen=True)
class Asked:
    """A problem on a device with what is to be measured."""

    name: str
    walk: Walk
    configurations: tuple[PipelineConfig, ...]

    @property
    def profile(self) -> CapabilityProfile:
        """The device."""
        return self.walk.target.profile


def asked(name: str, device: str) -> Asked:
    """Draw the configurations of a problem: the same ones whenever and wherever it is asked, in a random order, heroes first."""
    make, axes = PROBLEMS[name]
    walk = _traced(make(), device)
    choice, profile = walk.choice, walk.target.profile
    operator = _operator(walk)
    decision = PolicyEngine(profile).decide(choice.problem, choice.variant)

    def legal(configurations: Iterable[PipelineConfig]) -> list[PipelineConfig]:
        return [c for c in dict.fromkeys(configurations) if budget_reason(c, profile, operator) is None]

    every = legal(axes.configurations(operator.dtype, decision.heroes[0]))
    draw = random.Random(
        f"{walk.lowered.form.digest()} {replace(axes, pruned=0)}"
    )  # the same for all that share kernels
    found = draw.sample(every, min(axes.drawn, len(every)))
    draw = random.Random(name)
    liked = [c for c in legal(decision.space.configurations()) if c not in set(found)]
    found += draw.sample(liked, min(axes.pruned, len(liked)))
    draw.shuffle(found)
    return Asked(name, walk, tuple(dict.fromkeys((*decision.heroes, *found))))


def _operator(walk: Walk) -> OperatorTopology:
    variant = walk.choice.variant
    found = topology_of(walk.choice.problem, variant)
    return found.replace(instruction=variant.instruction, accumulate=variant.accumulate)


def _traced(problem: Problem, device: str) -> Walk:
    preset = device.removeprefix("preset:") if device.startswith("preset:") else None
    return trace(problem, None if preset else device, None, preset, several=False)


# ---- building


def _place(digest: str, configuration: PipelineConfig) -> Path:
    named = hashlib.sha256(f"{digest} {configuration.to_json()}".encode()).hexdigest()[:32]
    return cache_root() / "landscapes" / named


class Built(Data, frozen=True):
    """What became of a configuration: its source and what its pointers are, or why it was refused."""

    source: KernelSource | None = None
    operands: tuple[str, ...] = ()
    refused: str = ""


def _build(job: tuple[str, str, str, str]) -> str:
    """Compile one kernel and leave its source where `_found` finds it; return why it cannot be built, if so."""
    from tracea_cuda.compile import binary

    problem, configuration, device, digest = job
    place = _place(digest, PipelineConfig.from_json(configuration))
    if _found(place) is not None:
        return ""
    try:
        selection, asked_for = _selection(device), Problem.from_json(problem)
        _, ways = ways_of(asked_for, selection, several=False)
        (way,) = (way for way in ways if way.arrangement.problem == asked_for)
        walk = follow(asked_for, selection, way, PipelineConfig.from_json(configuration))
        assert walk.source is not None
        binary(walk.source)
        made = Built(walk.source, walk.lowered.operands)
    except TraceaError as error:
        made = Built(refused=str(error))
    body = made.to_json().encode()
    write_atomic(place, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    return made.refused


def _found(place: Path) -> Built | None:
    """Return what was built; None if nothing was, or what lies there is not what was written."""
    if not place.exists():
        return None
    digest, _, body = read_private(place).partition(b"\n")
    return Built.from_json(body) if digest == hashlib.sha256(body).hexdigest().encode() else None


@functools.lru_cache(maxsize=1)
def _selection(device: str) -> Any:
    preset = device.removeprefix("preset:") if device.startswith("preset:") else None
    return resolve(None if preset else device, None, preset)


def build(wanted: Iterable[Asked], device: str, processes: int, until: float) -> None:
    """Compile the kernels of all that are wanted, one problem after another, until the clock says `until`."""
    begin = time.perf_counter()
    (cache_root() / "landscapes").mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        for one in wanted:
            digest, problem = one.walk.lowered.form.digest(), one.walk.arrangement.problem.to_json()
            missing = [c for c in one.configurations if _found(_place(digest, c)) is None]
            refused = 0
            for start in range(0, len(missing), 20 * processes):
                if time.perf_counter() > until:
                    pool.shutdown(wait=False, cancel_futures=True)
                    return
                jobs = [(problem, c.to_json(), device, digest) for c in missing[start : start + 20 * processes]]
                refused += sum(bool(why) for why in pool.map(_build, jobs, chunksize=4))
            print(f"{one.name}: {len(missing)} of {len(one.configurations)} built, {refused} refused, "
                  f"at {time.perf_counter() - begin:.0f} s", flush=True)  # fmt: skip


# ---- measuring


def record(one: Asked, device: str, turns: Any, rounds: tuple[int, int], folder: Path) -> str:
    """Time what was built of a problem, write its landscape, and return a line about it."""
    begin = time.perf_counter()
    calls, failed = _calls(one, device)
    first, _ = _medians(turns, calls, rounds[0])
    least = min(first.values())
    near = {c: calls[c] for c, seconds in first.items() if seconds < 1.08 * least}
    again, clock = _medians(turns, near, rounds[1])
    found: dict[PipelineConfig, float | None] = {**first, **again, **dict.fromkeys(failed)}
    ordered = {c: found[c] for c in one.configurations if c in found}
    best = min(again, key=lambda c: again[c])
    good = sum(seconds <= 1.03 * again[best] for seconds in again.values())
    measured = (
        f"{datetime.datetime.now(datetime.UTC).date().isoformat()}, {one.profile.name}, driver {_driver()}, {_versions()}, "
        f"{clock}, medians of {rounds[0]} calls in turns, of {rounds[1]} within 8 % of the best, L2 cache emptied before each"
    )
    name = f"{slug(one.profile.name)}-{one.name}"
    choice = one.walk.choice
    landscape = landscape_of(name, choice.problem, one.profile, ordered, choice.variant, measured)
    (folder / f"{name}.json").write_text(landscape.to_json() + "\n")
    return (f"{one.name}: {len(first)} timed, {len(failed)} failed, {good} within 3 % of {again[best] * 1e6:.2f} µs, the best "
            f"{best.describe()}, the policy's {again.get(one.walk.configuration, first.get(one.walk.configuration, 0)) * 1e6:.2f} µs, "
            f"{clock}, {time.perf_counter() - begin:.1f} s")  # fmt: skip


def _calls(one: Asked, device: str) -> tuple[dict[PipelineConfig, Callable[[], Any]], list[PipelineConfig]]:
    """Return what launches each configuration that was built and computes what PyTorch does, and those that failed."""
    tensors, expected = _tensors(one, device)
    calls: dict[PipelineConfig, Callable[[], Any]] = {}
    scale, failed = float(expected.norm()), []
    digest, target = one.walk.lowered.form.digest(), one.walk.target
    for configuration in one.configurations:
        made = _found(_place(digest, configuration))
        if made is None:
            continue
        if made.source is None:
            failed.append(configuration)
            continue
        source, operands = made.source, made.operands
        try:
            launch = compiled(target.backend, target.device, source).prepare(one.walk.lowered.symbols)
            pointers = tuple(tensors[name].data_ptr() for name in operands)
            tensors["output"].fill_(float("nan"))
            launch(*pointers)
            off = float((tensors["output"].float() - expected).norm())
        except TraceaError as error:
            print(f"  {configuration.describe()}: {error}"[:200], flush=True)
            failed.append(configuration)
            continue
        if off <= 1e-2 * scale:
            calls[configuration] = functools.partial(launch, *pointers)
        else:
            print(f"  wrong: {configuration.describe()} {off / scale}", flush=True)
            failed.append(configuration)
    return calls, failed


def _tensors(one: Asked, device: str) -> tuple[dict[str, Any], Any]:
    """Return random operands by their names in a kernel, and what is expected of them."""
    import torch

    problem = one.walk.arrangement.problem
    made = []
    for spec in (*problem.inputs, problem.output):
        plain = torch.bfloat16 if spec.dtype.bytes == 1 else torch_dtype(spec.dtype)
        strided = torch.empty_strided(spec.shape, spec.strides, dtype=plain, device=device).normal_()
        made.append(strided.to(torch_dtype(spec.dtype)))
    x, y, out = made
    torch.backends.cuda.matmul.allow_tf32 = False
    if isinstance(problem.op, Conv2dOp):
        expected = torch.nn.functional.conv2d(x, y, None, problem.op.stride, problem.op.padding).float()
    else:
        expected = x.float() @ y.float()
    return {"input0": x, "input1": y, "output": out}, expected


def _medians(
    turns: Any, calls: dict[PipelineConfig, Callable[[], Any]], rounds: int
) -> tuple[dict[PipelineConfig, float], Any]:
    """Return the median seconds of each call over so many rounds, every second one backwards, and the clock under that load."""
    event, samples = turns.torch.cuda.Event, {c: [] for c in calls}  # type: ignore[var-annotated]
    names = list(calls)
    pairs = [(event(enable_timing=True), event(enable_timing=True)) for _ in names]
    for turn in range(rounds):
        for i in range(len(names)) if turn % 2 == 0 else reversed(range(len(names))):
            for _ in range(2):  # long enough for the host to queue what follows
                turns._flush.fill_(turn)
            pairs[i][0].record()
            calls[names[i]]()
            pairs[i][1].record()
        clock = turns._management()
        turns.synchronize()
        for name, (start, end) in zip(names, pairs, strict=True):
            samples[name].append(start.elapsed_time(end) * 1e-3)
    return {name: statistics.median(taken) for name, taken in samples.items()}, clock


def _driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return (
            subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.split("\n")[0].strip()
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _versions() -> str:
    """NVRTC, and the commit that was measured where git knows it."""
    from tracea_cuda.compile import compiler

    told = os.environ.get("TRACEA_COMMIT", "")
    return compiler() + (f", tracea at {told}" if told else "")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0", help="preset:NAME only builds")
    parser.add_argument("--only", default="", help="a pattern for names")
    parser.add_argument("--build", action="store_true", help="compile and stop")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further problem after so many")
    parser.add_argument("--rounds", type=int, nargs=2, default=(9, 41))
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    begin = time.perf_counter()
    wanted = [asked(name, given.device) for name in PROBLEMS if re.search(given.only, name)]
    kernels = {(one.walk.lowered.form.digest(), c) for one in wanted for c in one.configurations}
    print(f"{len(kernels)} kernels for {len(wanted)} problems", flush=True)
    if given.build or given.device.startswith("preset:"):
        build(wanted, given.device, given.jobs, begin + given.seconds)
        return 0
    from benchmarks.device_turns import Turns

    turns = Turns(given.device)
    given.out.mkdir(parents=True, exist_ok=True)
    for one in wanted:
        if time.perf_counter() - begin > given.seconds:
            break
        build([one], given.device, given.jobs, begin + given.seconds)
        print(record(one, given.device, turns, tuple(given.rounds), given.out), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
