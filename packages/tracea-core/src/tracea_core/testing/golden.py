# SPDX-License-Identifier: MIT
"""Golden files: emitted text under version control, so that a change of an emitter shows as a change of text.

A test calls `check_golden(path, text)`. With ``TRACEA_UPDATE_GOLDEN=1`` in the environment it writes the file instead, and the
difference is for the reviewer to read.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from tracea_core.testing.errors import ConformanceError

VARIABLE = "TRACEA_UPDATE_GOLDEN"
"""Set to 1, golden files are written instead of compared."""
_SHOWN = 60


def check_golden(path: Path, text: str) -> None:
    """Raise unless the file at `path` holds exactly `text`; under `VARIABLE` write it.

    Raises
    ------
    ConformanceError
        With a unified difference, and how to accept the new text.
    """
    if os.environ.get(VARIABLE, "") not in ("", "0"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return
    accept = f"If the change is meant, run the test with {VARIABLE}=1 and look at the difference"
    if not path.exists():
        raise ConformanceError(f"the golden file {path} does not exist", hint=accept)
    held = path.read_bytes().decode(errors="replace")
    if held != text:
        raise ConformanceError(f"the text differs from {path.name}\n{difference(held, text)}\n", hint=accept)


def difference(held: str, text: str) -> str:
    """Return a unified difference of two texts, cut where it grows long."""
    lines = list(difflib.unified_diff(held.splitlines(), text.splitlines(), "golden", "emitted", lineterm=""))
    if not lines:
        return "they differ in line ends only"
    rest = len(lines) - _SHOWN
    return "\n".join(lines[:_SHOWN] + ([f"… and {rest} more lines"] if rest > 0 else []))


def unused(directory: Path, used: set[str]) -> list[str]:
    """Return the golden files below `directory` that no test compares any more, by name."""
    return sorted(path.name for path in directory.iterdir() if path.is_file() and path.name not in used)
