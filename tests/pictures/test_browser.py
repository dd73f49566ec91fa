# SPDX-License-Identifier: MIT
"""Pages looked at in a real browser: everything is drawn, nothing is cut off, nothing is logged, light and dark."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tracea_core.tuner.record import Record

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.explanation import Explanation, explain_op


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("chromium", Path(__file__).with_name("chromium.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["chromium"] = module
    spec.loader.exec_module(module)
    return module


chromium: Any = _load()
BROWSER = chromium.find()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine (apt-get install chromium)"),
]


Measured = Callable[[Explanation], list[Record]]
CASES: dict[str, tuple[str, list[int], dict[str, Any], str | None]] = {
    "hopper": ("matmul", [4096] * 3, {"dtype": "bf16"}, "h200"),
    "hopper, causal attention": ("attention", [1, 2, 256, 256, 64], {"dtype": "bf16", "causal": True}, "h200"),
    "amd": ("matmul", [512] * 3, {"dtype": "fp16"}, "mi300x"),
    "padded rows": ("matmul", [512] * 3, {}, "a100"),
    "cpu": ("matmul", [300, 200, 100], {"epilogue": "bias,gelu"}, None),
}
TILED = {"Order of the tiles", "Budgets", "Roofline", "Measured times by rank", "Best time for each tile"}
SHARED = {"Pipeline by role", "Bank map as the kernel lays it out", "Lane map of"}
PICTURES = {
    "hopper": {*TILED, *SHARED, "Bank map without a swizzle"},
    "hopper, causal attention": {*TILED, *SHARED, "Bank map without a swizzle"},
    "amd": {*TILED, *SHARED, "Bank map without a swizzle"},
    "padded rows": {*TILED, *SHARED},
    "cpu": {*TILED, "Pipeline by role", "Lane map of"},
}
"""What each page must hold, by the beginning of its title."""


@pytest.fixture(scope="module")
def pages(measured: Measured) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, (op, dims, words, preset) in CASES.items():
        explained = explain_op(make_problem(op, dims, Words(**words)), None if preset else "cpu", preset=preset)
        found[name] = explained.to_html(measured(explained))
    return found


@pytest.mark.parametrize(("name", "dark"), [*((name, False) for name in CASES), ("hopper", True), ("cpu", True)])
def test_every_picture_is_drawn_and_nothing_is_logged(
    name: str, dark: bool, tmp_path: Path, pages: dict[str, str]
) -> None:
    seen = chromium.open_page(BROWSER, pages[name], tmp_path, dark=dark)
    assert seen.errors == []
    titles = [picture["title"] for picture in seen.pictures]
    missing = {wanted for wanted in PICTURES[name] if not any(title.startswith(wanted) for title in titles)}
    assert not missing, titles
    for picture in seen.pictures:
        assert picture["width"] > 100 and picture["height"] > 20 and picture["shapes"] > 2, picture["title"]
        assert picture["fill"] != "rgb(0, 0, 0)", f"{picture['title']} is painted in a class that has no colour"
        assert picture["lost"] == [], picture["title"]
    assert not seen.wide
    assert (sum(map(int, seen.ink[4:-1].split(","))) > 384) is dark


def test_a_narrow_window_needs_no_sideways_scrolling(pages: dict[str, str], tmp_path: Path) -> None:
    assert not chromium.open_page(BROWSER, pages["hopper"], tmp_path, width=520).wide


def test_planted_faults_are_seen(tmp_path: Path) -> None:
    picture = '<svg viewBox="0 0 100 30"><title>t</title><text x="90" y="20">far too long to fit</text></svg>'
    page = f"<html><body>{picture}<script>missing()</script></body></html>"
    seen = chromium.open_page(BROWSER, page, tmp_path)
    assert any("missing is not defined" in line for line in seen.errors)
    assert seen.pictures[0]["lost"] == ["far too long to fit"]
