# SPDX-License-Identifier: MIT
"""What `benchmarks.sanitize` runs under a tool: every variant at small sizes, one kernel with a planted bug, or that kernel without it.

``python -m benchmarks.sanitized variants [--cases N] [--share 1/4]`` launches the first cases of the conformance kit of every CUDA
variant, or of a share of them, and holds them to float64. ``python -m benchmarks.sanitized planted NAME`` launches one kernel that is
wrong on purpose, ``right KIND`` the kernel that such bugs are planted in, ``meeting NAME`` a program of a few lines in which the
blocks of a cluster meet (`benchmarks.cluster_meetings`), and ``move NAME`` one that moves a tile (`benchmarks.copy_engine`).

A planted bug is a change to the text of a right kernel, or to what it is told about its memory; the memory is exactly as large as its
tensors (``PYTORCH_NO_CUDA_MEMORY_CACHING=1``), so that one row too many lies outside of an allocation.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from dataclasses import dataclass, field
from typing import Any

from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.pipeline.path import Path, trace
from tracea_core.plugin.manager import plugins
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.testing.cases import gemm

from benchmarks import cluster_meetings, copy_engine
from benchmarks.cluster_meetings import MEETINGS
from benchmarks.copy_engine import MOVES

_BOXES = (256, 512, 256)
_WORDS = (250, 500, 254)
"""Sizes (m, n, k): one that the copy engine can address, one whose rows begin at any element."""


@dataclass(frozen=True)
class Plant:
    """A bug of the kind that one tool looks for.

    Attributes
    ----------
    tool : str
        The tool of compute-sanitizer.
    kernel : str
        ``boxes`` for copy engine and warpgroup instructions, ``words`` for ordinary loads, mma.sync and ordinary stores, ``cluster`` for
        blocks that add their parts of k.
    words : str
        What is wrong.
    old, new : str
        A regular expression over the text, replaced once by `new`; nothing is changed if both are empty.
    missing_rows : dict
        By operand, rows that its memory lacks.
    unwritten : tuple of str
        Operands whose last row nobody has written: one row, since the tool takes long over each report.
    mapped : bool
        Nothing is mapped where memory that lacks rows ends, so that the GPU stops who goes there.
    """

    tool: str
    kernel: str
    words: str
    old: str = ""
    new: str = ""
    missing_rows: dict[str, int] = field(default_factory=dict)
    unwritten: tuple[str, ...] = ()
    mapped: bool = False


_MEETING = r"^( *)named_barrier\(([^,]+), (\d+)\);(?=  // staging_full$)"
_BLOCK = r"^( *)__syncthreads\(\);$"
_ARRIVED = r"^( *copy_wait<\d+>\(\);\n) *__syncthreads\(\);$"
PLANTS = {
    "write-past-the-end-by-boxes": Plant("memcheck", "boxes", "the output lacks its last rows", missing_rows={"output": 128}),
    "write-past-the-end-by-words": Plant("memcheck", "words", "the output lacks its last rows", missing_rows={"output": 128}),
    "read-past-the-end-by-boxes": Plant("memcheck", "boxes", "an operand lacks its last rows", missing_rows={"input0": 128}),
    "read-past-the-end-by-words": Plant("memcheck", "words", "an operand lacks its last rows", missing_rows={"input0": 128}),
    "read-unwritten-by-boxes": Plant("initcheck", "boxes", "nobody has written the last row of an operand", unwritten=("input0",)),
    "read-unwritten-by-words": Plant("initcheck", "words", "nobody has written the last row of an operand", unwritten=("input0",)),
    "race-of-staging": Plant("racecheck", "boxes", "threads do not meet before the copy engine stores what they wrote", _MEETING, r"\1;"),
    "race-of-slots": Plant(
        "racecheck", "boxes", "matrix instructions do not wait for a slot", r"^( *)barrier_wait\(stage_full[^;]*;$", r"\1;"
    ),
    "race-of-tiles": Plant("racecheck", "words", "threads do not meet between a tile's copies and its use", _ARRIVED, r"\1"),
    "race-of-partial-sums": Plant(
        "racecheck", "cluster", "a block reads other blocks' sums before they are written", r"( )meet\(partial_written[^;]*;$", r"\1;"
    ),
    "divergent-meeting-by-boxes": Plant(
        "synccheck", "boxes", "half of a warp goes to a barrier", _MEETING, r"\1if (threadIdx.x & 1) named_barrier(\2, \3);"
    ),
    "missed-meeting-by-words": Plant(  # the warp comes to the next one, and a warp that has ended is not waited for
        "synccheck", "words", "a warp does not go to a barrier", _BLOCK, r"\1if (threadIdx.x >= 32) __syncthreads();"
    ),
}  # fmt: skip
"""By name. Whether a tool sees what the copy engine and matrix instructions do is what these are for."""
KERNELS = ("boxes", "words", "cluster")
"""The kernels that bugs are planted in: a tool that reports one of them as it is has not seen the bug."""
MEETS = dict.fromkeys(("right cluster", "family windows-5x5", "family few-windows"), "arrivals-late")
"""How the blocks of the clusters of what runs meet, by the name of the program of a few lines in which two blocks do so."""


def sizes_of(kernel: str) -> tuple[int, int, int]:
    """Return (m, n, k) of the small product that a plant's kernel computes."""
    return _WORDS if kernel == "words" else _BOXES


def problem_of(kernel: str) -> Any:
    """Return that product."""
    return gemm(sizes_of(kernel), DType.BF16, "nt")


def path_of(kernel: str, device: str | None = None, preset: str | None = None) -> Path:
    """Return the path of the kernel that a plant changes: one kernel, of the kind that the plant's bug needs."""
    problem = problem_of(kernel)
    path = trace(problem, device, "cuda", preset=preset, several=False)
    if kernel != "cluster":
        return path
    divided: PipelineConfig = path.configuration.replace(
        tile_m=64, tile_n=128, stages=4, warps=8, split_k=2, cluster_m=1, cluster_n=1
    )
    return trace(problem, device, "cuda", preset=preset, several=False, configuration=divided)


def planted(source: KernelSource, plant: Plant) -> KernelSource:
    """Return the kernel with the bug in its text.

    Raises
    ------
    LookupError
        If the text has no place for it.
    """
    if not plant.old:
        return source
    head, brace, body = source.text.partition(f" {source.entry}(")
    changed, count = re.subn(plant.old, plant.new, body, count=1, flags=re.MULTILINE)
    if not count:
        raise LookupError(f"the kernel {source.entry} has nothing like {plant.old!r}")
    return source.replace(text=head + brace + changed)


def run_planted(plant: Plant, device: str = "cuda:0") -> Any:
    """Launch one kernel with its bug; return the result, whatever it is."""
    import torch
    from tracea_core.pipeline.runtimes import runtime

    path = path_of(plant.kernel, device)
    assert path.source is not None
    m, n, k = sizes_of(plant.kernel)
    rows = {"input0": (m, k), "input1": (n, k), "output": (m, n)}
    tensors = {}
    for operand, (extent, columns) in rows.items():
        shape = extent - plant.missing_rows.get(operand, 0), columns
        tensor = torch.empty(shape, dtype=torch.bfloat16, device=device)
        tensors[operand] = tensor
        (tensor[:-1] if operand in plant.unwritten else tensor).fill_(1)
    torch.cuda.synchronize()
    symbols = launch_symbols(path.lowered, path.configuration, path.target.profile, path.choice.variant.schedule)
    launcher = runtime("cuda", device).compile(planted(path.source, plant)).prepare(symbols)
    launcher(*(tensors[operand].data_ptr() for operand in path.lowered.operands))
    torch.cuda.synchronize()
    return tensors["output"]


def run_right(kernel: str, device: str = "cuda:0") -> None:
    """Launch the kernel that bugs are planted in, on ones.

    Raises
    ------
    AssertionError
        If a result is not the number of products that it adds.
    """
    found = run_planted(Plant("", kernel, "nothing is wrong"), device)
    k = sizes_of(kernel)[2]
    assert bool((found == k).all()), f"{kernel}: a sum of {k} ones is something else"


def run_meeting(name: str, device: str = "cuda:0") -> None:
    """Launch a program of a few lines in which two blocks meet."""
    like = path_of("cluster", device).source
    assert like is not None
    cluster_meetings.run(name, like, device)


def run_move(name: str, device: str = "cuda:0") -> None:
    """Launch a program of a few lines that stores a tile, and one that reads it."""
    like = path_of("boxes", device).source
    assert like is not None
    copy_engine.run(name, like)


def run_variants(most: int, share: tuple[int, int] = (1, 1)) -> int:
    """Launch the first cases of every variant of a share, such as (1, 4), the first of four; return how many ran.

    Raises
    ------
    ConformanceError
        If one is wrong.
    """
    from tracea_core.testing.execute import check_run
    from tracea_core.testing.subject import subjects

    count = 0
    first, shares = share
    for subject in list(subjects(plugins().manifest("cuda")))[first - 1 :: shares]:
        for place, walked in enumerate(subject.served()):
            if place >= most:
                break
            check_run(subject, walked)
            count += 1
        print(f"{subject.name}: done, {count} launches so far", file=sys.stderr)
    return count


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; the tool around it says what it found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sanitized", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    variants = commands.add_parser("variants")
    variants.add_argument("--cases", type=int, default=2)
    variants.add_argument("--share", default="1/1", help="such as 1/4: the first of four shares of the variants")
    commands.add_parser("planted").add_argument("name", choices=sorted(PLANTS))
    commands.add_parser("right").add_argument("name", choices=KERNELS)
    commands.add_parser("meeting").add_argument("name", choices=sorted(MEETINGS))
    commands.add_parser("move").add_argument("name", choices=sorted(MOVES))
    parser.add_argument("--seconds", type=int, default=0, help="after so many this process ends, whatever it waits for")
    asked = parser.parse_args(arguments)
    signal.alarm(asked.seconds)
    if asked.command == "planted":
        run_planted(PLANTS[asked.name])
    elif asked.command == "right":
        run_right(asked.name)
    elif asked.command == "meeting":
        run_meeting(asked.name)
    elif asked.command == "move":
        run_move(asked.name)
    else:
        first, _, shares = asked.share.partition("/")
        print(f"{run_variants(asked.cases, (int(first), int(shares)))} launches agree with float64")
    return 0


if __name__ == "__main__":
    sys.exit(main())
