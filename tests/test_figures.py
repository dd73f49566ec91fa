# SPDX-License-Identifier: MIT
"""The page of figures says what the stored tables say."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"^\| [^|]+ \| [^|]+ \| (\d+) \| (\d+\.\d\d) \| (\d+\.\d\d) \|$", re.MULTILINE)


def stored(table: str) -> list[tuple[str, str, str]]:
    """Shapes, mean and least of each group of a table, as the page writes them."""
    lines = json.loads((ROOT / "benchmarks" / "results" / f"{table}-nvidia-h200.json").read_text())["lines"]
    groups: dict[str, list[float]] = {}
    for line in lines:
        assert not line["problem"], line
        groups.setdefault(line["group"], []).append(line["ratio"])
    return [(str(len(v)), f"{statistics.geometric_mean(v):.2f}", f"{min(v):.2f}") for v in groups.values()]


@pytest.mark.parametrize(("table", "heading"), [("cuda-gemm", "Matrix products"), ("cuda-conv", "Convolutions")])
def test_figures_are_those_of_the_stored_table(table: str, heading: str) -> None:
    section = (ROOT / "docs" / "figures.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    shown = _ROW.findall(section)
    assert shown == stored(table)
