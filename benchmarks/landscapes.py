# SPDX-License-Identifier: MIT
"""Recorded tuning landscapes: the time of every configuration of a space, so that searches can be compared by replay.

    python -m benchmarks.landscapes matmul_fp32

measures every configuration of a wide space on this machine for all problems of one family and writes one file per
problem under ``benchmarks/landscapes``. A configuration is built, certified and compiled once and timed on each of the
family's shapes. The fastest of a few short samples is kept: other work on the machine can only add to a time, and what a
search is compared with must not depend on when somebody else compiled something.
"""

from __future__ import annotations

import argparse
import enum
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from tracea_core.data import Data
from tracea_core.doctor.choose import choose
from tracea_core.doctor.variants import Variant
from tracea_core.errors import TraceaError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.measure_task import Bench
from tracea_core.pipeline.offered import variants_of
from tracea_core.pipeline.plan import plan
from tracea_core.plugin.select import resolve
from tracea_core.policy.budget import budget_reason, vector_lanes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.target import CapabilityProfile
from tracea_core.tuner.measure import Timer
from tracea_core.tuner.space import SearchSpace

FOLDER = Path(__file__).parent / "landscapes"
FAMILIES: dict[str, tuple[tuple[str, list[int], dict[str, str | int]], ...]] = {
    "matmul_fp32": (
        ("matmul", [384, 384, 384], {}),
        ("matmul", [1, 2048, 1024], {}),
        ("matmul", [33, 700, 500], {}),
        ("matmul", [1000, 24, 300], {}),
        ("matmul", [64, 64, 8192], {}),
        ("matmul", [7, 1000, 400], {}),
    ),
    "matmul_fp64": (("matmul", [200, 200, 200], {"dtype": "fp64"}), ("matmul", [50, 30, 2000], {"dtype": "fp64"})),
    "matmul_int8": (("matmul", [256, 256, 256], {"dtype": "int8"}), ("matmul", [19, 333, 640], {"dtype": "int8"})),
    "linear_bf16": (("linear", [128, 256, 512], {"dtype": "bf16"}), ("linear", [12, 500, 300], {"dtype": "bf16"})),
}
"""Problems as the command line words them; those of one family share their kernels."""


class Landscape(Data, frozen=True, kw_only=True, omit_defaults=True):
    """The seconds of every configuration of a space, as they were measured once.

    Attributes
    ----------
    name : str
        Also the file's name.
    problem : Problem
        What was computed.
    profile : CapabilityProfile
        The device it was measured on.
    fields : tuple of str
        Fields of a configuration that vary; the others have the values of `base`.
    base : PipelineConfig
        See `fields`.
    rows : tuple of (values, seconds)
        One row per configuration, an enum by its value; None for one that could not be built or was wrong.
    variant : Variant, optional
        The kind of kernel, where a device has several.
    measured : str
        When, on what and how.
    """

    name: str
    problem: Problem
    profile: CapabilityProfile
    fields: tuple[str, ...]
    base: PipelineConfig
    rows: tuple[tuple[tuple[int | str, ...], float | None], ...]
    variant: Variant | None = None
    measured: str = ""

    def times(self) -> dict[PipelineConfig, float | None]:
        """Return the seconds of each configuration."""
        kinds = [type(self.base.value(field)) for field in self.fields]
        return {
            self.base.replace(**{f: kind(v) for f, kind, v in zip(self.fields, kinds, values, strict=True)}): time
            for values, time in self.rows
        }

    @property
    def operator(self) -> OperatorTopology:
        """The problem as the policy sees it."""
        found = topology_of(self.problem, self.variant)
        if self.variant is None:
            return found
        return found.replace(instruction=self.variant.instruction, accumulate=self.variant.accumulate)


@functools.lru_cache(maxsize=2)
def expected(landscape: Landscape) -> dict[PipelineConfig, float]:
    """Return the seconds that the model expects of each configuration."""
    operator = landscape.operator
    return {c: predict_seconds(c, landscape.profile, operator) for c in landscape.times()}


def read(folder: Path = FOLDER) -> tuple[Landscape, ...]:
    """Return every landscape in `folder`, by name.

    Raises
    ------
    MalformedDataError
        If a file is no landscape.
    """
    return tuple(Landscape.from_json(path.read_bytes()) for path in sorted(folder.glob("*.json")))


def wide_space(problem: Problem, profile: CapabilityProfile) -> tuple[PipelineConfig, ...]:
    """Return what could be tried on a CPU if no policy said where to look: every register tile, unrolling and split that fits."""
    operator = topology_of(problem)
    lanes = vector_lanes(profile, operator.accumulator)
    space = (
        SearchSpace(base=PipelineConfig(stages=1, warps=1))
        .tile_m(range(1, profile.vector_registers - 1))
        .tile_n(range(lanes, 8 * lanes, lanes))
        .tile_k((1, 2, 3, 4, 6, 8, 12, 16))
        .split_k((1, 2, 4))
    )
    return space.candidates(lambda configuration: budget_reason(configuration, profile, operator))


def record(family: str, seconds: float = 0.04) -> Iterator[str]:
    """Measure the landscapes of a family, yielding a line of progress per configuration; files are written at the end."""
    from tracea.cli.problems import make_problem

    problems = [make_problem(op, dims, **options) for op, dims, options in FAMILIES[family]]  # type: ignore[arg-type]
    selection = resolve("cpu", None)
    profile = selection.target.profile
    choices = [choose(problem, selection.target, variants_of(selection)) for problem in problems]
    benches = [Bench(choice.problem) for choice in choices]
    spaces = [dict.fromkeys(wide_space(choice.problem, profile)) for choice in choices]
    every = tuple(dict.fromkeys(configuration for space in spaces for configuration in space))
    timer = Timer(seconds=seconds, warmup_seconds=0.004, min_samples=5, max_samples=60)
    times: list[dict[PipelineConfig, float | None]] = [{} for _ in problems]
    for number, configuration in enumerate(every, 1):
        for bench, space, found in zip(benches, spaces, times, strict=True):
            if configuration in space:
                found[configuration] = _seconds(bench, configuration, timer)
        yield f"{number} of {len(every)}: {configuration.describe()}"
    FOLDER.mkdir(exist_ok=True)
    for (op, dims, _), choice, found in zip(FAMILIES[family], choices, times, strict=True):
        name = f"{slug(profile.name)}-{op}-{'x'.join(map(str, dims))}-{choice.problem.inputs[0].dtype.value}"
        landscape = landscape_of(name, choice.problem, profile, found)
        (FOLDER / f"{name}.json").write_text(landscape.to_json() + "\n")
        yield f"wrote {name}"


def _seconds(bench: Bench, configuration: PipelineConfig, timer: Timer) -> float | None:
    try:
        made = plan(bench.problem, "cpu", None, configuration)
        bench.check(made)
    except TraceaError:
        return None
    return timer.measure(functools.partial(made.launch, *bench.pointers(made))).minimum


def landscape_of(
    name: str,
    problem: Problem,
    profile: CapabilityProfile,
    found: dict[PipelineConfig, float | None],
    variant: Variant | None = None,
    measured: str = "",
) -> Landscape:
    """Return what was found as a landscape, times with four digits."""
    base = next(iter(found))
    fields = tuple(field for field in PipelineConfig.__struct_fields__ if len({c.value(field) for c in found}) > 1)
    rows = tuple(
        (tuple(_plain(c.value(field)) for field in fields), None if time is None else float(f"{time:.4g}"))
        for c, time in found.items()
    )
    return Landscape(
        name=name, problem=problem, profile=profile, fields=fields, base=base, rows=rows, variant=variant, measured=measured
    )  # fmt: skip


def _plain(value: object) -> int | str:
    return str(value.value) if isinstance(value, enum.Enum) else int(value)  # type: ignore[call-overload]


def slug(text: str) -> str:
    """Return text as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES), nargs="+")
    parser.add_argument("--seconds", type=float, default=0.04, help="spent on timing one configuration on one shape")
    given = parser.parse_args(arguments)
    for family in given.family:
        for line in record(family, given.seconds):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
