# SPDX-License-Identifier: MIT
"""Bank conflicts as an NVIDIA GPU has them, beside those that the simulator counts.

    python -m benchmarks.bank_patterns                      # on a machine with a GPU, nvcc and ncu
    python -m benchmarks.bank_patterns --compile            # only whether nvcc takes the program
    python -m benchmarks.bank_patterns --list               # the patterns, and what the simulator counts

Fifty patterns of one warp's accesses to shared memory, of 4, 8 and 16 bytes a lane: strided, padded, swizzled, broadcast and random. Each
is read many times by a kernel of its own; ncu counts the wavefronts that an access takes, and its bank conflicts, and the clock times it.
`BankConflictSimulator` must count the same wavefronts for every pattern, and what takes more of them must not be faster. Writes
``benchmarks/results/bank-patterns-DEVICE.json`` and exits with 1 where the two disagree.

Counters (Nsight Compute, Kernel Profiling Guide): ``l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld`` and
``l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld``, divided by ``smsp__inst_executed_op_shared_ld``.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tracea_core.errors import BackendUnavailableError, CompileError, DeviceError, MalformedDataError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.gf2 import Matrix

SOURCE = Path(__file__).with_suffix(".cu")
RESULTS = Path(__file__).parent / "results"
COUNT = 50
LANES = 32
BYTES = 32768
"""Shared memory that a pattern may touch, as the program has it."""
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
INSTRUCTIONS = "smsp__inst_executed_op_shared_ld.sum"
METRICS = (WAVEFRONTS, CONFLICTS, INSTRUCTIONS)
_CLOSE = 0.02
"""Wavefronts of an access that counters may be off by: a few that belong to the launch, over a thousand accesses."""
_SLOWER = 0.9
"""What takes more wavefronts takes at least so much of the time of what takes fewer: clocks have noise."""


@dataclass(frozen=True)
class Pattern:
    """Byte offsets of a warp's lanes, each of which accesses `width` bytes."""

    name: str
    width: int
    offsets: tuple[int, ...]

    @property
    def line(self) -> str:
        """What the program reads."""
        return " ".join(map(str, (self.width, *self.offsets)))

    def wavefronts(self) -> int:
        """Return the cycles that the simulator counts for one access."""
        return BankConflictSimulator().wavefronts(self.offsets, self.width)


@dataclass(frozen=True)
class Found:
    """One pattern as it was simulated, counted and timed: wavefronts, conflicts and cycles of one access."""

    name: str
    width: int
    simulated: int
    wavefronts: float
    conflicts: float
    cycles: float

    @property
    def agrees(self) -> bool:
        """Whether the profiler counts as the simulator does."""
        return abs(self.wavefronts - self.simulated) <= _CLOSE * max(self.simulated, 1)


def patterns(seed: int = 0) -> tuple[Pattern, ...]:
    """Return the fifty patterns; those at random follow from the seed."""
    every = {(p.width, p.offsets): p for width in (4, 8, 16) for p in reversed(tuple(_regular(width)))}
    found = list(reversed(every.values()))  # of two that are alike, the first
    random = np.random.default_rng(seed)
    for number in range(COUNT - len(found)):
        width = (4, 8, 16)[number % 3]
        span = int(random.choice([256, 1024, 4096, BYTES]))
        offsets = random.integers(0, span // width, LANES) * width
        found.append(Pattern(f"random in {span} bytes ({number})", width, tuple(map(int, offsets))))
    return tuple(found)


def _regular(width: int) -> Iterator[Pattern]:
    lanes = np.arange(LANES)

    def made(name: str, offsets: object) -> Pattern:
        return Pattern(f"{name}, {width} bytes", width, tuple(int(x) for x in np.asarray(offsets)))

    for stride in (1, 2, 3, 4, 8, 16, 32, 33):
        yield made(f"stride {stride}", lanes * stride * width)
    yield made("broadcast", lanes * 0)
    yield made("pairs share", lanes // 2 * width)
    yield made("rows of 128 bytes padded by one access", lanes * (128 + width))
    swizzle = Matrix.xor_shift(14, bits=3, base=4, shift=3)
    yield made("swizzled rows of 128 bytes", [swizzle.apply(128 * lane) for lane in range(LANES)])
    yield made("rows of 64 bytes", lanes * 64)
    yield made("reversed", (LANES - 1 - lanes) * width)


def command(tool: str, purpose: str) -> str:
    """Return the path of a tool.

    Raises
    ------
    BackendUnavailableError
        If it is not installed.
    """
    path = shutil.which(tool)
    if path is None:
        raise BackendUnavailableError(f"{tool} is not on the path", hint=f"Install the CUDA toolkit: it {purpose}")
    return path


def build(folder: Path, architecture: str) -> Path:
    """Compile the program into `folder`; return its path.

    Raises
    ------
    BackendUnavailableError
        If there is no nvcc.
    CompileError
        With what it said.
    """
    program = folder / "bank_patterns"
    nvcc = command("nvcc", "compiles the program")
    arguments = [nvcc, "-std=c++17", "-O3", f"-arch={architecture}", "-o", str(program), str(SOURCE)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode:
        raise CompileError(f"nvcc refuses {SOURCE.name}", detail=result.stderr[-2000:])
    return program


def counted(text: str) -> list[dict[str, float]]:
    """Return the metrics of each launch, in order, of what ``ncu --csv`` prints.

    Raises
    ------
    MalformedDataError
        If there is no table, or a launch lacks a metric.
    """
    lines = text.splitlines()
    head = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if head is None:
        raise MalformedDataError("ncu printed no table", detail=text[-500:])
    launches: dict[int, dict[str, float]] = defaultdict(dict)
    for row in csv.DictReader(io.StringIO("\n".join(line for line in lines[head:] if line.startswith('"')))):
        launches[int(row["ID"])][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    found = [launches[number] for number in sorted(launches)]
    for number, metrics in enumerate(found):
        missing = [name for name in METRICS if name not in metrics]
        if missing or not metrics[INSTRUCTIONS]:
            raise MalformedDataError(f"launch {number} lacks {', '.join(missing) or 'accesses'}", known=sorted(metrics))
    return found


def timed(text: str) -> list[float]:
    """Return the cycles of one access of each pattern, in order, of what the program prints."""
    return [float(line.split(",")[2]) for line in text.splitlines() if line.startswith("cycles,")]


def device(text: str) -> str:
    """Return the name of the GPU, of what the program prints.

    Raises
    ------
    MalformedDataError
        If it prints none.
    """
    for line in text.splitlines():
        if line.startswith("device,"):
            return line.removeprefix("device,").strip()
    raise MalformedDataError("the program names no GPU", detail=text[-500:])


def compare(given: Sequence[Pattern], metrics: Sequence[dict[str, float]], cycles: Sequence[float]) -> list[Found]:
    """Return each pattern as it was simulated, counted and timed.

    Raises
    ------
    MalformedDataError
        If there are not as many launches or times as patterns.
    """
    if not len(given) == len(metrics) == len(cycles):
        raise MalformedDataError(
            "each pattern is launched once", patterns=len(given), launches=len(metrics), times=len(cycles)
        )
    return [
        Found(
            pattern.name,
            pattern.width,
            pattern.wavefronts(),
            one[WAVEFRONTS] / one[INSTRUCTIONS],
            one[CONFLICTS] / one[INSTRUCTIONS],
            time,
        )
        for pattern, one, time in zip(given, metrics, cycles, strict=True)
    ]


def disorder(found: Sequence[Found]) -> list[tuple[Found, Found]]:
    """Return the pairs of one width of which the one that the simulator calls slower was clearly faster."""
    return [
        (one, other)
        for one in found
        for other in found
        if one.width == other.width and one.simulated > other.simulated and one.cycles < _SLOWER * other.cycles
    ]


def measure(given: Sequence[Pattern], architecture: str, say: Callable[[str], None] = print) -> tuple[str, list[Found]]:
    """Time the patterns by the clock, then count them under ncu; return the GPU's name and what was found.

    Raises
    ------
    DeviceError
        If the program or the profiler fails, as on a machine that does not let users read counters.
    """
    lines = "\n".join(pattern.line for pattern in given) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        program = str(build(Path(folder), architecture))
        output = _run([program], lines)
        cycles = timed(output)
        say(f"{len(cycles)} patterns timed, in {min(cycles):.2f} to {max(cycles):.2f} cycles an access")
        ncu = [
            command("ncu", "counts bank conflicts"),
            "--csv",
            "--clock-control",
            "none",
        ]  # clocks are the machine's own
        metrics = counted(_run([*ncu, "--metrics", ",".join(METRICS), program], lines))
        return device(output), compare(given, metrics, cycles)


def _run(arguments: list[str], lines: str) -> str:
    result = subprocess.run(arguments, input=lines, capture_output=True, text=True, check=False)
    if result.returncode:
        said = (result.stdout + result.stderr)[-1000:]
        raise DeviceError(
            f"{Path(arguments[0]).name} fails", detail=said, hint="ncu needs permission to read performance counters"
        )
    return result.stdout


def stored(folder: Path, name: str, found: Sequence[Found]) -> Path:
    """Write what was found on the GPU of that name into a file named after it; return its path."""
    path = folder / f"bank-patterns-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.json"
    path.write_text(json.dumps({"device": name, "patterns": [asdict(one) for one in found]}, indent=1) + "\n")
    return path


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the patterns at random")
    parser.add_argument(
        "--architecture", default="native", help="what nvcc compiles for, as sm_90 (default: this machine's)"
    )
    parser.add_argument("--list", action="store_true", help="print the patterns and what the simulator counts")
    parser.add_argument("--compile", action="store_true", help="only compile the program")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    chosen = patterns(given.seed)
    if given.list:
        for pattern in chosen:
            print(f"{pattern.wavefronts():3}  {pattern.name}")
        return 0
    if given.compile:
        with tempfile.TemporaryDirectory() as folder:
            build(Path(folder), given.architecture)
        print("compiled")
        return 0
    name, found = measure(chosen, given.architecture)
    wrong = [one for one in found if not one.agrees]
    for one in found:
        mark = "" if one.agrees else "   differs"
        print(f"{one.simulated:3} {one.wavefronts:7.2f} {one.conflicts:7.2f} {one.cycles:8.2f}  {one.name}{mark}")
    swapped = disorder(found)
    for slow, fast in swapped:
        print(f"{slow.name} was faster than {fast.name}")
    stored(given.results, name, found)
    print(f"{len(found) - len(wrong)} of {len(found)} patterns are counted alike, {len(swapped)} pairs out of order")
    return 1 if wrong or swapped else 0


if __name__ == "__main__":
    sys.exit(main())
