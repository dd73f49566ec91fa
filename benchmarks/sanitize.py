# SPDX-License-Identifier: MIT
"""``hatch run sanitize``: every CUDA variant under the tools of compute-sanitizer, and what each tool sees of planted bugs.

A tool that finds nothing has shown something only if it finds a bug of its kind; so each is first given kernels that are wrong on
purpose (`benchmarks.sanitized`), of the kind with copy engine and warpgroup instructions and of the ordinary kind. A bug that it does
not see is reported as what it is blind to. Nor has it seen one if it reports the same kernel without the bug, too. That is a miss,
unless it reports a program of a few lines that is right beyond doubt for the same reason (`benchmarks.cluster_meetings`): then it is
blind to what makes both right.
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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.cluster_meetings import MEETINGS
from benchmarks.sanitized import KERNELS, MEETS, PLANTS

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
RESULTS = Path(__file__).parent / "results"
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")
_PLACES = ("/usr/local/cuda/bin",)
_KEPT = 2000


@dataclass(frozen=True)
class Finding:
    """What one tool said of one run: `reports` counts its reports, None if it gave no summary (`said` then is the end of its output)."""

    tool: str
    run: str
    reports: int | None
    said: str = ""
    verdict: str = ""

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
    if kind == "meeting":
        return MEETINGS[name].words + (", right" if MEETINGS[name].right else ", wrong")
    return PLANTS[run].words if run in PLANTS else "nothing is wrong" if kind == "right" else ""


def judged(finding: Finding, before: Sequence[Finding]) -> Finding:
    """Return a finding with its verdict, which depends on what the same tool said before.

    ``seen`` and ``blind`` are said of bugs, ``ok`` and ``MISS`` of what is right. A right thing that is reported is a miss, but for
    a meeting of a few lines, to which the tool is blind; and for a kernel that meets so, and is reported for that.
    """
    if finding.reports is None:
        return replace(finding, verdict="MISS")
    said = {one.run: one.reports for one in before if one.tool == finding.tool}
    kind, _, name = finding.run.partition(" ")
    if finding.run in PLANTS:
        kernel_too = bool(said.get(f"right {PLANTS[finding.run].kernel}"))
        verdict = "seen" if finding.reports and not kernel_too else "blind"
    elif kind == "meeting":
        verdict = (
            ("blind" if finding.reports else "ok") if MEETINGS[name].right else "seen" if finding.reports else "blind"
        )
    elif finding.reports and kind == "right" and said.get(f"meeting {MEETS.get(name)}"):
        verdict = "blind"
    else:
        verdict = "MISS" if finding.reports else "ok"
    return replace(finding, verdict=verdict)


def summary(output: str) -> int | None:
    """Return the number of reports in what a tool printed, the sum over processes; None if it printed no summary."""
    found = _SUMMARY.findall(output)
    return sum(map(int, found)) if found else None


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
    """Run something under a tool: a planted bug by its name, ``right boxes``, ``meeting arrivals``, or ``variants 1/4``, a share."""
    if run in PLANTS:
        given = ["planted", run]
    else:
        kind, _, name = run.partition(" ")
        given = [kind, "--cases", str(cases), "--share", name] if kind == "variants" else [kind, name]
    command = [tool_path(), "--tool", tool, "--print-limit", "20", sys.executable, "-m", "benchmarks.sanitized", *given]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired as error:
        return Finding(tool, run, None, f"it took longer than {timeout:g} s: {error}")
    reports = summary(output)
    if run not in PLANTS and done.returncode:
        reports = None  # what is right gave a wrong result, or none
    kept = output[-_KEPT:] if reports is None or (reports and run not in PLANTS) else ""
    return Finding(tool, run, reports, kept)


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
    """Yield (tool, run): meetings, kernels as they are, the planted bugs of each tool, then all variants under it, in shares."""
    for tool in tools:
        if planted:
            if tool == "racecheck":
                yield from ((tool, f"meeting {name}") for name in MEETINGS)
            yield from ((tool, f"right {kernel}") for kernel in KERNELS)
            yield from ((tool, name) for name, plant in PLANTS.items() if plant.tool == tool)
        yield from ((tool, f"variants {share}/{shares}") for share in range(1, shares + 1))


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
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    tools = given.tools.split(",")
    if not set(tools) <= set(TOOLS):
        parser.error(f"tools are {', '.join(TOOLS)}")
    warm(given.shares, given.cases, given.timeout)
    with ThreadPoolExecutor(given.jobs) as pool:
        asked = [
            pool.submit(examine, tool, run, given.cases, given.timeout)
            for tool, run in runs(tools, not given.no_planted, given.shares)
        ]
        found: list[Finding] = []
        for task in asked:
            found.append(judged(task.result(), found))
            print(f"  {found[-1]}", flush=True)
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / "sanitizers.json"
    path.write_text(json.dumps([asdict(finding) for finding in found], indent=2) + "\n")
    print(f"written to {path}")
    return 0 if all(finding.good for finding in found) else 1


if __name__ == "__main__":
    sys.exit(main())
