# SPDX-License-Identifier: MIT
"""``hatch run sanitize``: every CUDA variant under the tools of compute-sanitizer, and what each tool sees of planted bugs.

A tool that finds nothing has shown something only if it finds a bug of its kind; so each is first given kernels that are wrong on
purpose (`benchmarks.sanitized`), of the kind with copy engine and warpgroup instructions and of the ordinary kind. A bug that it does
not see is reported as what it is blind to. Nor has it seen one if it reports the same kernel without the bug, too. That is a miss,
unless it reports a program of a few lines that is right beyond doubt for the same reason (`benchmarks.cluster_meetings`,
`benchmarks.copy_engine`): then it is blind to what makes both right.

Convolutions (`benchmarks.sanitized_convolutions`) are first launched under no tool: one that cannot be built, or is wrong, is a miss, and
no tool is asked about it. They are launched again there with operands that end where the GPU's mapping ends: the GPU stops what goes past
it, by whichever instruction. What is found is stored at once, so that ``--only`` and an end from outside lose nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks import sanitized, sanitized_convolutions
from benchmarks.cluster_meetings import MEETINGS
from benchmarks.copy_engine import MOVES
from benchmarks.sanitized import KERNELS, MEETS
from benchmarks.sanitized_convolutions import FAMILIES, PAST_THE_END

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
RESULTS = Path(__file__).parent / "results"
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)(?![^\n]*not printed)")
_UNWRITTEN = re.compile(
    r"Uninitialized __global__ memory read of size (\d+)[^\n]*\n=+ +at (\w+)[^\n]*\n=+ +by [^\n]*\n=+ +Address (0x[0-9a-f]+)"
)
_BY_ENGINE = re.compile(r"^the copy engine writes (0x[0-9a-f]+), (\d+) bytes, for (\w+)$", re.MULTILINE)
_PLACES = ("/usr/local/cuda/bin",)
_KEPT = 2000
PLANTS = sanitized.PLANTS | sanitized_convolutions.PLANTS
"""All planted bugs."""
_WITHOUT = "none"
"""The tool of what ran under none."""
_PATIENCE = 30.0
"""Seconds for a planted bug in a convolution, which may hang."""
_GRACE = 15.0
"""Seconds for a tool after what it runs has ended itself: what a tool leaves behind when it is killed would keep the GPU."""
_FULL = ("--print-limit", "1000000", "--show-backtrace", "no")
"""So that initcheck tells of each read where it was."""
_EXCUSE = "box-then-words"
"""The program of a few lines whose second launch reads what the copy engine stored."""


@dataclass(frozen=True)
class Finding:
    """What one tool said of one run: `reports` counts its reports, None if it gave no summary (`said` then is the end of its output).

    `by_engine` of them are of reads of a workspace that the copy engine wrote.
    """

    tool: str
    run: str
    reports: int | None
    said: str = ""
    verdict: str = ""
    by_engine: int = 0

    @property
    def good(self) -> bool:
        """Whether it says nothing against a right kernel. A bug that is not seen is a fact, not a failure."""
        return self.verdict not in ("", "MISS")

    def __str__(self) -> str:
        if self.reports is None:
            return f"MISS {self.tool} {self.run}: no summary\n{self.said}"
        words = f": {described(self.run)}" if described(self.run) else ""
        return f"{self.verdict:5s} {self.tool} {self.run}{words} ({self.reports} reports)"


def described(run: str) -> str:
    """Return what is right or wrong with what ran, in words."""
    kind, _, name = run.partition(" ")
    if kind in ("meeting", "move"):
        program = MEETINGS[name] if kind == "meeting" else MOVES[name]
        return program.words + (", right" if program.right else ", wrong")
    return PLANTS[run].words if run in PLANTS else "nothing is wrong" if kind in ("right", "family") else ""


def judged(finding: Finding, before: Sequence[Finding]) -> Finding:
    """Return a finding with its verdict, which depends on what the same tool said before.

    ``seen`` and ``blind`` are said of bugs, ``ok`` and ``MISS`` of what is right. A right thing that is reported is a miss, but for
    a program of a few lines, to which the tool is blind; for what meets as one that is reported does; and for a convolution
    all of whose reports are of reads of what the copy engine wrote, where the program of a few lines that reads so is reported.
    """
    if finding.reports is None:
        return replace(finding, verdict="MISS")
    said = {one.run: one.reports for one in before if one.tool == finding.tool}
    kind, _, name = finding.run.partition(" ")
    if finding.run in PLANTS:
        kernel_too = any(said.get(f"{kind} {PLANTS[finding.run].kernel}") for kind in ("right", "family"))
        verdict = "seen" if finding.reports and not kernel_too else "blind"
    elif kind in ("meeting", "move"):
        right = (MEETINGS[name] if kind == "meeting" else MOVES[name]).right
        verdict = ("blind" if finding.reports else "ok") if right else "seen" if finding.reports else "blind"
    else:
        by_engine = kind == "family" and finding.reports == finding.by_engine and said.get(f"move {_EXCUSE}")
        excused = by_engine or said.get(f"meeting {MEETS.get(finding.run)}")
        verdict = "ok" if not finding.reports else "blind" if excused else "MISS"
    return replace(finding, verdict=verdict)


def summary(output: str) -> int | None:
    """Return the number of reports in what a tool printed, printed or not, the sum over processes; None if it printed no summary."""
    found = _SUMMARY.findall(output)
    return sum(map(int, found)) if found else None


def reads_by_engine(output: str) -> int:
    """Return how many reports are of reads of a workspace that the copy engine wrote, by the kernel that it was written for."""
    written = [(int(start, 16), int(size), entry) for start, size, entry in _BY_ENGINE.findall(output)]
    return sum(
        any(reader == entry and start <= int(at, 16) <= start + count - int(size) for start, count, entry in written)
        for size, reader, at in _UNWRITTEN.findall(output)
    )


def tool_path() -> str:
    """Return where compute-sanitizer is.

    Raises
    ------
    FileNotFoundError
        If it is not installed.
    """
    path = os.pathsep.join([os.environ.get("PATH", ""), *_PLACES])
    found = shutil.which("compute-sanitizer", path=path)
    if found is None:
        raise FileNotFoundError("compute-sanitizer is not installed; it is part of the CUDA toolkit")
    return found


def examine(tool: str, run: str, cases: int, timeout: float) -> Finding:
    """Run something under a tool: a planted bug by its name, ``right boxes``, ``family windows``, or ``variants 1/4``, a share."""
    kind, _, name = run.partition(" ")
    given = ["planted", run] if run in PLANTS else [kind, name]
    if kind == "variants":
        given = [kind, "--cases", str(cases), "--share", name]
    of_convolutions = kind == "family" or run in sanitized_convolutions.PLANTS
    module = sanitized_convolutions.__name__ if of_convolutions else sanitized.__name__
    every = tool == "initcheck" and kind == "family"
    if kind == "family":
        given += ["--unwritten"] * (tool == "initcheck") + ["--to-the-end"] * (tool == _WITHOUT)
    if run in sanitized_convolutions.PLANTS:
        timeout = min(timeout, _PATIENCE)
    limits = _FULL if every else ("--print-limit", "20")
    under = () if tool == _WITHOUT else (tool_path(), "--tool", tool, *limits)
    command = [*under, sys.executable, "-m", module, "--seconds", f"{timeout:.0f}", *given]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout + _GRACE)
    except subprocess.TimeoutExpired as error:
        return Finding(tool, run, None, f"it took longer than {timeout:g} s: {error}")
    code, output = done.returncode, done.stdout + done.stderr
    reports = summary(output) if under else 0
    if not under and code == PAST_THE_END:
        reports = 1
    elif code and not (run in PLANTS or (kind == "move" and not MOVES[name].right)):
        reports = None  # what is right gave a wrong result, or none
    kept = output[-_KEPT:] if reports is None or (reports and run not in PLANTS) else ""
    return Finding(tool, run, reports, kept, by_engine=reads_by_engine(output) if every else 0)


def warm(shares: int, cases: int, timeout: float) -> None:
    """Compile what will run, all shares at once and under no tool: the tools then find it in the cache."""
    command = [sys.executable, "-m", "benchmarks.sanitized", "variants", "--cases", str(cases)]
    started = [subprocess.Popen([*command, "--share", f"{share}/{shares}"]) for share in range(1, shares + 1)]
    until = time.monotonic() + timeout
    try:
        for process in started:
            process.wait(max(until - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        print("  compiling took too long; the tools will wait for the rest", flush=True)
    finally:
        for process in started:
            process.kill()


def runs(tools: Sequence[str], planted: bool, shares: int) -> Iterator[tuple[str, str]]:
    """Yield (tool, run): programs of a few lines, kernels as they are, planted bugs, then families and all variants, in shares."""
    for tool in tools:
        if planted:
            if tool == "racecheck":
                yield from ((tool, f"meeting {name}") for name in MEETINGS)
            yield from ((tool, f"move {name}") for name, move in MOVES.items() if tool in move.tools)
            yield from ((tool, f"right {kernel}") for kernel in KERNELS)
            yield from ((tool, name) for name, plant in PLANTS.items() if plant.tool == tool)
        yield from ((tool, f"family {name}") for name in FAMILIES)
        yield from ((tool, f"variants {share}/{shares}") for share in range(1, shares + 1))


def store(path: Path, asked: Sequence[tuple[str, str]], found: Mapping[tuple[str, str], Finding]) -> list[Finding]:
    """Write what has been found so far of what is asked, judged in the order in which it is asked; return it."""
    known: list[Finding] = []
    for one in asked:
        if one in found:
            known.append(judged(found[one], known))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(finding) for finding in known], indent=2) + "\n")
    return known


def main(arguments: list[str] | None = None) -> int:
    """Print and store what was found; return 1 if a tool objects to a right kernel."""
    parser = argparse.ArgumentParser(prog="hatch run sanitize", description=__doc__.partition("\n")[0])
    parser.add_argument("--tools", default=",".join(TOOLS), help="some of " + ", ".join(TOOLS))
    parser.add_argument("--cases", type=int, default=2, help="cases of the conformance kit for each variant")
    parser.add_argument("--jobs", type=int, default=4, help="processes at a time")
    parser.add_argument("--shares", type=int, default=4, help="processes that share the variants under one tool")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for each process")
    parser.add_argument(
        "--no-planted",
        action="store_true",
        help="without the kernels that are wrong on purpose, and what they are compared with",
    )
    parser.add_argument(
        "--only", default="", help="a pattern for what runs, such as 'family (walk|strips)'; of a tool, too"
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    tools = given.tools.split(",")
    if not set(tools) <= set(TOOLS):
        parser.error(f"tools are {', '.join(TOOLS)}")
    asked = [one for one in runs(tools, not given.no_planted, given.shares) if re.search(given.only, " ".join(one))]
    if any(run.startswith("variants") for _, run in asked):
        warm(given.shares, given.cases, given.timeout)
    bare = dict.fromkeys((_WITHOUT, run) for _, run in asked if run.startswith("family"))
    path, found = given.results / "sanitizers.json", dict[tuple[str, str], Finding]()
    with ThreadPoolExecutor(given.jobs) as pool:
        for some in (bare, asked):
            tasks = [
                pool.submit(examine, *one, given.cases, given.timeout)
                for one in some
                if (without := found.get((_WITHOUT, one[1]))) is None or without.reports is not None
            ]
            for task in as_completed(tasks):
                one = task.result()
                found[one.tool, one.run] = one
                known = store(path, [*bare, *asked], found)
                print(f"  {next(each for each in known if (each.tool, each.run) == (one.tool, one.run))}", flush=True)
    print(f"written to {path}")
    return 0 if all(finding.good for finding in store(path, [*bare, *asked], found)) else 1


if __name__ == "__main__":
    sys.exit(main())
