# SPDX-License-Identifier: MIT
"""``hatch run sanitize``: every CUDA variant under the tools of compute-sanitizer, and what each tool sees of planted bugs.

A tool that finds nothing has shown something only if it finds a bug of its kind; so each is first given kernels that are wrong on
purpose (`benchmarks.sanitized`), of the kind with copy engine and warpgroup instructions and of the ordinary kind. A bug that it does
not see is reported as what it is blind to.
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
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.sanitized import PLANTS

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
    planted: bool
    reports: int | None
    said: str = ""

    @property
    def good(self) -> bool:
        """Whether a right kernel gave no report. A planted bug that is not seen is a fact, not a failure."""
        return self.planted or self.reports == 0

    def __str__(self) -> str:
        if self.reports is None:
            return f"MISS {self.tool} {self.run}: no summary\n{self.said}"
        if self.planted:
            return f"{'seen ' if self.reports else 'blind'} {self.tool} {self.run}: {PLANTS[self.run].words} ({self.reports} reports)"
        return f"{'ok   ' if self.good else 'MISS '} {self.tool} {self.run}: {self.reports} reports"


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
    """Run something under a tool: the name of a planted bug, or a share of the variants, such as ``variants 1/4``."""
    planted = run in PLANTS
    given = ["planted", run] if planted else ["variants", "--cases", str(cases), "--share", run.split()[1]]
    command = [tool_path(), "--tool", tool, "--print-limit", "20", sys.executable, "-m", "benchmarks.sanitized", *given]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired as error:
        return Finding(tool, run, planted, None, f"it took longer than {timeout:g} s: {error}")
    reports = summary(output)
    if not planted and done.returncode and reports == 0:
        reports = None  # the run itself failed: nothing was examined
    kept = output[-_KEPT:] if reports is None or (reports and not planted) else ""
    return Finding(tool, run, planted, reports, kept)


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
    """Yield (tool, run): the planted bugs of each tool, then all variants under it, in shares."""
    for tool in tools:
        if planted:
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
    parser.add_argument("--no-planted", action="store_true", help="without the kernels that are wrong on purpose")
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
        found = []
        for task in asked:
            found.append(task.result())
            print(f"  {found[-1]}", flush=True)
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / "sanitizers.json"
    path.write_text(json.dumps([asdict(finding) for finding in found], indent=2) + "\n")
    print(f"written to {path}")
    return 0 if all(finding.good and finding.reports is not None for finding in found) else 1


if __name__ == "__main__":
    sys.exit(main())
