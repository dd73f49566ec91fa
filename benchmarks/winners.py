# SPDX-License-Identifier: MIT
"""``python -m benchmarks.winners``: tune the products of the suite on an NVIDIA GPU, and write what won as tracea ships it.

For each problem every tile of the device's list that is expected to be near the best is built, with the orders of tiles that could suit it,
in as many processes as there are; then all are timed in turns, and the fastest of them again, longer, with the policy's own choice. One
that gained more than the noise of that comparison is a winner (`tracea_core.tuner.winners`).
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tracea_core.errors import TraceaError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import Path as Walk
from tracea_core.pipeline.path import follow, select, trace, ways_of
from tracea_core.pipeline.runtimes import compiled
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.heroes import gpu_heroes
from tracea_core.policy.order import Order
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.policy.waves import tiles_of
from tracea_core.runtime.interface import CompiledKernel
from tracea_core.target import CapabilityProfile
from tracea_core.tuner import winners
from tracea_core.tuner.winners import Winner, Winners, write_winners

from benchmarks.tuned_problems import Asked, suite

_NEAR = 1.04
"""How much longer than the best a tile may be expected to take."""
_GROUPS = (8, 16)
_FINALISTS = 5
_GAIN = 0.004
"""What a winner gains at least; the peer against itself is within this in most comparisons of some 40 rounds."""


def candidates(operator: OperatorTopology, profile: CapabilityProfile) -> tuple[PipelineConfig, ...]:
    """Return the configurations that are worth a measurement, those of the policy first."""
    engine = PolicyEngine(profile)
    chosen = engine.decide(operator).heroes
    tiles = [tile for tile in gpu_heroes(profile, operator) if engine.fits(tile, operator) is None]
    expected = {tile: engine.predict(tile, operator) for tile in (*chosen, *tiles)}
    least = min(expected.values())
    near = [tile for tile, seconds in expected.items() if seconds < _NEAR * least]
    found = list(chosen[:1])
    for tile in near:
        found += [tile.replace(order=Order.GROUPED, group=group) for group in _GROUPS]
        if tiles_of(tile, operator) <= profile.processors:
            found += [tile.replace(order=order) for order in (Order.ROW, Order.COLUMN)]
        elif tile.barrier_mode is not BarrierMode.NONE and not tile.block_k:
            banded = [tile.replace(order=Order.SERPENTINE, group=group) for group in _GROUPS]
            found += [*banded, *(config.replace(returning=1) for config in banded)]
    return tuple(dict.fromkeys(found))


def _operator(walk: Walk) -> OperatorTopology:
    variant = walk.choice.variant
    found = topology_of(walk.choice.problem, variant)
    return found.replace(instruction=variant.instruction, accumulate=variant.accumulate)


def walked(problem: Problem, device: str, configuration: PipelineConfig) -> Walk:
    """Return the path to one kernel for exactly this problem, which may be a part of a plan, its factors exchanged or not."""
    selection = select(device, None)
    _, ways = ways_of(problem, selection, several=False)
    (way,) = (way for way in ways if way.arrangement.problem == problem)
    return follow(problem, selection, way, configuration)


def _build(job: tuple[str, str, str]) -> str:
    """Put one kernel into the cache; return why it cannot be built, if so."""
    from tracea_cuda.compile import binary

    problem, configuration, device = job
    try:
        walk = walked(Problem.from_json(problem), device, PipelineConfig.from_json(configuration))
        assert walk.source is not None
        binary(walk.source)
    except TraceaError as error:
        return str(error)
    return ""


class Tuning:
    """The suite on one device."""

    def __init__(self, device: str, pattern: str, processes: int) -> None:
        self.device, self.processes = device, processes
        self.asked = [one for one in suite() if re.search(pattern, one.title)]
        self.walks = {one: trace(one.problem(), device) for one in self.asked}
        self.tried = {one: candidates(_operator(walk), walk.target.profile) for one, walk in self.walks.items()}
        self._kernels: dict[tuple[str, PipelineConfig], tuple[CompiledKernel, tuple[str, ...]]] = {}

    def build(self) -> int:
        """Compile all kernels, each once; return how many there are."""
        jobs = {
            (walk.lowered.form.digest(), config): (walk.arrangement.problem.to_json(), config.to_json(), self.device)
            for one, walk in self.walks.items()
            for config in self.tried[one]
        }
        with ProcessPoolExecutor(self.processes) as pool:
            list(pool.map(_build, jobs.values(), chunksize=4))
        return len(jobs)

    def launches(self, one: Asked, tensors: dict[str, Any]) -> dict[PipelineConfig, Callable[[], Any]]:
        """Return what launches each configuration that can be built and computes the same as the policy's first of them, which leads."""
        walk, found = self.walks[one], {}
        heroes = PolicyEngine(walk.target.profile).decide(walk.choice.problem, walk.choice.variant).heroes
        usual = next(
            config for config in (walk.configuration, *heroes) if self._launch(one, config, tensors) is not None
        )
        for config in dict.fromkeys((usual, *self.tried[one])):
            call = self._launch(one, config, tensors)
            if call is None:
                continue
            found[config] = call
            tensors["output"].fill_(float("nan") if tensors["output"].is_floating_point() else -1)
            found[config]()
            if config == usual:
                expected = tensors["output"].clone()
            elif not _close(tensors["output"], expected):
                print(f"  wrong: {config.describe()}")
                del found[config]
        return found

    def _launch(self, one: Asked, config: PipelineConfig, tensors: Mapping[str, Any]) -> Callable[[], Any] | None:
        """Return what launches a configuration, None where it cannot be built: the compiler refuses some that the policy takes."""
        walk = self.walks[one]
        place = (walk.lowered.form.digest(), config)  # sizes are the launch's, not the kernel's
        try:
            if place not in self._kernels:
                made = walked(walk.arrangement.problem, self.device, config)
                assert made.source is not None
                kernel = compiled(made.target.backend, made.target.device, made.source)
                self._kernels[place] = kernel, made.lowered.operands
            kernel, operands = self._kernels[place]
            launch = kernel.prepare(walk.lowered.symbols)
        except TraceaError:
            return None
        return _call(launch, tuple(tensors[name].data_ptr() for name in operands))

    def tensors(self, one: Asked) -> dict[str, Any]:
        """Return random operands on the device, by their names in a kernel."""
        problem = self.walks[one].arrangement.problem
        specs = {f"input{i}": spec for i, spec in enumerate(problem.inputs)} | {"output": problem.output}
        specs |= {f"epilogue{i}": spec for i, spec in enumerate(problem.epilogue_inputs)}
        return {name: one.filled(name, spec, self.device) for name, spec in specs.items()}

    def winner(self, one: Asked, turns: Any) -> Winner | None:
        """Return the winner of a problem, None where the policy's choice is as good."""
        launches = self.launches(one, self.tensors(one))
        usual = next(iter(launches))
        turns.rounds = (7, 11)
        first, _ = turns.compare({config.describe(): call for config, call in launches.items()})
        ranked = sorted(launches, key=lambda config: first[config.describe()])
        final = dict.fromkeys((*ranked[:_FINALISTS], usual))
        turns.rounds = (31, 61)
        times, clock = turns.compare({config.describe(): launches[config] for config in final})
        best = min(final, key=lambda config: times[config.describe()])
        seconds, policy = times[best.describe()], times[usual.describe()]
        print(f"{one.title:44s} {policy * 1e6:9.2f} {seconds * 1e6:9.2f} µs ×{policy / seconds:.4f} of {len(launches)} "
              f"{usual.describe()} -> {best.describe()} {clock}", flush=True)  # fmt: skip
        if policy / seconds < 1 + _GAIN:
            return None
        choice = self.walks[one].choice
        return Winner(
            title=one.title, variant=choice.variant.name, configuration=best, seconds=seconds, policy_seconds=policy,
            problem=choice.problem,
        )  # fmt: skip


def _call(launch: Callable[..., None], pointers: tuple[int, ...]) -> Callable[[], Any]:
    return lambda: launch(*pointers)


def _close(found: Any, expected: Any) -> bool:
    return bool((found.float() - expected.float()).norm() <= 1e-2 * expected.float().norm())


def main(arguments: list[str] | None = None) -> int:
    """Tune, print a line for each problem and write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.winners", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", default="", help="a pattern for titles")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out", type=Path, default=winners.FOLDER)
    given = parser.parse_args(arguments)
    begin = time.perf_counter()
    winners.FOLDER = Path(os.devnull)  # the policy's choice is its own, not what is shipped already
    tuning = Tuning(given.device, given.only, given.jobs)
    print(f"{tuning.build()} kernels in {time.perf_counter() - begin:.0f} s", flush=True)
    from benchmarks.device_turns import Turns

    turns, found = Turns(given.device, seconds=2.0), []
    for one in tuning.asked:
        if time.perf_counter() - begin < given.seconds and (winner := tuning.winner(one, turns)) is not None:
            found.append(winner)
    profile = next(iter(tuning.walks.values())).target.profile
    when = datetime.datetime.now(datetime.UTC).date().isoformat()
    content = Winners(
        arch=profile.arch, name=profile.name, measured=f"{when}, medians in turns, L2 cache emptied before each call",
        winners=tuple(found),
    )  # fmt: skip
    given.out.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", profile.name.lower().removeprefix("nvidia ")).strip("-")
    write_winners(given.out / f"{profile.arch}-{slug}.json", content)
    print(f"{len(found)} winners of {len(tuning.asked)} in {time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
