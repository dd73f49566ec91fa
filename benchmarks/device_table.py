# SPDX-License-Identifier: MIT
"""Tables of a GPU that are filled by groups: a group that was measured whole takes its own place, and keeps its day and commit.

Time on a GPU is short: one run measures what has changed, or what there is time for, and the other groups stay as they were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import table


def put(
    path: Path, head: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Put groups into the table at `path`, each where it stood, and return the table.

    Parameters
    ----------
    head : mapping
        What is true of all figures: the device and the like. It replaces what the table said.
    rows, lines : sequence of mapping
        All of their groups: each names its ``group``, when it was ``measured``, and the ``commit``. A group of which the table holds a
        later measurement stays as it is.
    """
    stored = table.read(path)
    later = {one["group"]: one["measured"] for one in stored["rows"]}
    made: dict[str, Any] = {**head}
    for part, new in (("rows", rows), ("lines", lines)):
        groups: dict[str, list[dict[str, Any]]] = {}
        for one in stored[part]:
            groups.setdefault(one["group"], []).append(one)
        fresh = [dict(one) for one in new if later.get(one["group"], "") <= one["measured"]]
        groups |= {
            group: [] for group in dict.fromkeys(one["group"] for one in fresh)
        }  # keeps the places of known ones
        for one in fresh:
            groups[one["group"]].append(one)
        made[part] = [one for group in groups.values() for one in group]
    table.write(path, made)
    return made
