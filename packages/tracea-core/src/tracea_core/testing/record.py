# SPDX-License-Identifier: MIT
"""What came of checks, on disk: a line for each, written as it ends, so that a run which was cut is continued by the next.

A line names the sources that it is about, core's and the backend's. What was checked of other sources is not taken for these.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tracea_core.plugin.manifest import BackendManifest
from tracea_core.testing.executions import append

PASSED, FAILED, UNSERVED = "passed", "failed", "unserved"
Chosen: TypeAlias = tuple[str, str]
"""Where a check runs (a preset, or nothing for here), and its name."""


@dataclass(frozen=True)
class Outcome:
    """What came of a check: ``passed``, ``failed``, or ``unserved`` where a variant does not take the case; and why, in words."""

    device: str
    check: str
    state: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class Record:
    """A file of outcomes, which several processes may write to at once.

    Parameters
    ----------
    path : Path
        The file; it need not exist.
    sources : str
        Digest of what is checked; see `sources_of`.
    """

    path: Path
    sources: str

    def add(self, outcome: Outcome) -> None:
        """Append an outcome, in one write."""
        append(self.path, {"sources": self.sources, **asdict(outcome)})

    def passed(self) -> dict[Chosen, Outcome]:
        """Return the checks of these sources that passed; any other is worth running again, be it with other tools at hand."""
        found: dict[Chosen, Outcome] = {}
        for line in self._lines():
            if line.pop("sources", None) == self.sources and line.get("state") == PASSED:
                one = Outcome(**line)
                found[one.device, one.check] = one
        return found

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.path.exists():
            return
        for text in self.path.read_text("utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue  # the process was ended while it wrote
            if isinstance(line, dict):
                yield line


def sources_of(manifest: BackendManifest) -> str:
    """Return a digest of a backend's name, and of core's, its own and its libraries' files: the same wherever they are installed."""
    digest = hashlib.sha256(f"{manifest.name}\n".encode())  # one package may hold two backends
    for name in sorted({"tracea_core", manifest.probe.__module__.partition(".")[0], *manifest.libraries}):
        for place, path in _files(name):
            content = path.read_bytes()
            digest.update(f"{name} {place} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _files(package: str) -> list[tuple[str, Path]]:
    module = sys.modules[package]
    roots = [Path(root) for root in getattr(module, "__path__", ())]
    listed = [
        (path.relative_to(root).as_posix(), path)
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    alone = getattr(module, "__file__", None)
    return sorted(listed) if roots or alone is None else [(Path(alone).name, Path(alone))]
