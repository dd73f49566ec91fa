# SPDX-License-Identifier: MIT
"""Whether a measurement was added since, told without opening the store.

The database itself tells little: its journal changes when somebody opens it, and its file only long after a record was added. So who adds
one also writes a file beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

from tracea_core.storage import cache_root, write_atomic

_numbers = itertools.count(1)
_added = 0


def store_path() -> Path:
    """Return where this user's measurements are."""
    return cache_root() / "measurements.sqlite"


def added(path: Path, *, on_disk: bool) -> None:
    """Note that a record was added to the store at `path`: on disk, or in this process's memory alone."""
    global _added
    _added = next(_numbers)
    if on_disk:
        with contextlib.suppress(OSError):  # then others find what they knew until the file can be written
            write_atomic(_mark(path), b"")


def written(path: Path) -> str:
    """Return what changes with every addition to the store at `path`: by anybody on disk, by this process in memory."""
    return f"{_changed(path, 'st_ino')} {_changed(_mark(path), 'st_mtime_ns')} {_added}"


def _changed(path: Path, field: str) -> int:
    try:
        return int(getattr(os.stat(path), field))
    except OSError:
        return 0


def _mark(path: Path) -> Path:
    """The file that is written beside a database with every addition."""
    return path.with_name(f"{path.name}-added")
