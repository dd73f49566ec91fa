# SPDX-License-Identifier: MIT
"""Tables that are filled over several runs: every figure keeps when it was measured and at which commit, and a new one takes its place.

A run that is killed has lost the case in hand and nothing before it.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.row import Row

UNKNOWN = "unknown"
"""The commit of a measurement that was taken where there is no repository."""


def commit_here() -> str:
    """Return the commit of the sources, ``…+`` where files have changed since, or `UNKNOWN`."""
    root = Path(__file__).parent
    said = []
    for words in (("rev-parse", "--short=10", "HEAD"), ("status", "--porcelain", "--untracked-files=no", "..")):
        try:
            found = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return UNKNOWN
        said.append(found.stdout.strip())
    return said[0] + ("+" if said[1] else "")


def read(path: Path) -> dict[str, Any]:
    """Return a stored table, empty if there is none; figures of which no commit is known are left out."""
    if not path.exists():
        return {"rows": [], "lines": []}
    stored: dict[str, Any] = json.loads(path.read_text())
    for part in ("rows", "lines"):
        stored[part] = [line for line in stored.get(part, []) if "commit" in line]
    return stored


def stamped(commit: str) -> dict[str, str]:
    """Return what a figure that has just been measured is marked with."""
    return {"measured": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "commit": commit}


def merge(
    path: Path,
    head: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    gone: Collection[str] = (),
) -> dict[str, Any]:
    """Put marked rows and lines into the table at `path`, where those of the same names stood, and return it.

    Parameters
    ----------
    head : mapping
        What is true of all figures: the device and the like. It replaces what the table said.
    rows, lines : sequence of mapping
        Each with a name, unique within its sequence, and the marks of `stamped`.
    gone : collection of str
        Names of rows that are there no longer.
    """
    stored = read(path)
    made: dict[str, Any] = {**head}
    for part, new in (("rows", rows), ("lines", lines)):
        known = {line["name"]: dict(line) for line in stored[part] if part != "rows" or line["name"] not in gone}
        for line in new:
            kept = known.get(line["name"])
            if kept is None or kept["measured"] <= line["measured"]:
                known[line["name"]] = dict(line)
        made[part] = [known[name] for name in sorted(known)]
    write(path, made)
    return made


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write a table in one piece: a run that is killed leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_suffix(".part")
    waiting.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    waiting.replace(path)


def as_stored(row: Row, mark: Mapping[str, str]) -> dict[str, Any]:
    """Return a row as tables hold it."""
    return {**asdict(row), "met": row.met, **mark}
