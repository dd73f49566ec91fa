# SPDX-License-Identifier: MIT
"""The page of figures says what the stored tables say."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

import pytest

from benchmarks.torch_rows import NAMES

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


TABLES = [
    ("cuda-gemm", "Matrix products"), ("cuda-conv", "Convolutions"), ("cuda-attention", "Attention"),
    ("cuda-row-wise", "Softmaxes and norms"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "heading"), TABLES)
def test_figures_are_those_of_the_stored_table(table: str, heading: str) -> None:
    section = (ROOT / "docs" / "figures.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    shown = _ROW.findall(section)
    assert shown == stored(table)


def networks(first: str) -> list[list[str]]:
    """Cells of the table about networks whose first one says this, the header's and each line's."""
    section = (ROOT / "docs" / "figures.md").read_text().split("## Networks\n")[1].split("\n## ")[0]
    table = next(part for part in section.split("\n\n") if part.startswith(f"| {first} |"))
    header, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return [header, *lines]


def test_networks_are_those_of_the_stored_table() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "torch-nvidia-h200.json").read_text())["rows"]
    named = re.compile(r"(.*), (inference|training), batch (\d+): Inductor's time over tracea's")
    found = {match.groups(): row["value"] for row in rows if (match := named.fullmatch(row["name"]))}
    header, *lines = networks("network")
    modes = [tuple(re.fullmatch(r"(\w+), batch (\d+)", cell).groups()) for cell in header[1:]]  # type: ignore[union-attr]
    shown = {(line[0], *mode): cell for line in lines for mode, cell in zip(modes, line[1:], strict=True)}
    assert shown == {key: f"{value:.2f}" for key, value in found.items()}


def kind_of(network: str) -> str:
    """The row of the table of other networks that a network belongs to."""
    first = network.split()[0]
    own = first if first in ("torchvision", "timm", "transformers") else "others"
    return {"autocast": "under autocast", "fp32": "in full precision"}.get(network.split(", ")[-1], own)


def test_other_networks_are_those_of_the_stored_table() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "torch-library-nvidia-h200.json").read_text())["rows"]
    named = re.compile(r"(.*), (inference|training), batch 8: Inductor's time over tracea's")
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if match := named.fullmatch(row["name"]):
            found.setdefault((kind_of(match[1]), match[2]), []).append(row["value"])
    section = (ROOT / "docs" / "figures.md").read_text().split("## Other networks\n")[1].split("\n## ")[0]
    lines = re.findall(
        r"^\| ([a-z ]+) \| (\w+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", section, re.MULTILINE
    )
    assert {line[:2]: line[2:] for line in lines} == {
        key: (str(len(v)), *(f"{figure:.2f}" for figure in (statistics.geometric_mean(v), min(v), max(v))))
        for key, v in found.items()
    }
    assert all(row["met"] for row in rows if "deviation" in row["name"])


_DEVIATIONS = {
    "fp32, Zen 4": ("torch-amd-epyc-znver4", "all that kernels take"),
    "bf16, batch 1": ("torch-nvidia-h200", "inference, batch 1, all that kernels take"),
    "bf16, batch 32": ("torch-nvidia-h200", "inference, batch 32, all that kernels take"),
    "bf16, training": ("torch-nvidia-h200", "training, batch 16, all that kernels take"),
    "fp16, batch 32": ("torch-nvidia-h200", "inference in fp16, batch 32, all that kernels take"),
}
"""Columns of the table of deviations: the stored table of each, and how its rows are named."""


def test_deviations_of_networks_are_those_of_the_stored_tables() -> None:
    header, *lines = networks("deviation")
    stored = {
        file: {
            row["name"]: row
            for row in json.loads((ROOT / "benchmarks" / "results" / f"{file}.json").read_text())["rows"]
        }
        for file, _ in _DEVIATIONS.values()
    }
    assert header[1:] == list(_DEVIATIONS) and {name for name, *_ in lines} == set(NAMES)
    for name, *cells in lines:
        for cell, (file, how) in zip(cells, _DEVIATIONS.values(), strict=True):
            row = stored[file].get(f"{name}, {how}: deviation over what its type allows")
            assert cell == ("" if row is None else f"{row['value']:.2f}") and (row is None or row["met"])


def test_the_comparison_of_searches_is_the_stored_one() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "search-compare.json").read_text())["summary"]
    assert {row["seeds"] for row in rows} == {20}
    found = {(row["search"], row["setting"]): row for row in rows}
    page = (ROOT / "docs" / "tuning.md").read_text()
    for search in {row["search"] for row in rows}:
        means = [found[search, setting]["mean of medians"] for setting in ("whole space", "pruned", "pruned, seeded")]
        last = found[search, "pruned, seeded"]
        worst = "over 120" if last["worst"] > 120 else last["worst"]
        shown = " | ".join([*map(str, means), str(worst), f"{100 * last['within 40']:.0f} %"])
        assert f"{search} | {shown} |".lower() in page.lower()
