# SPDX-License-Identifier: MIT
"""Pages looked at in a real browser: everything is drawn, nothing is cut off, nothing is logged, light and dark."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.explanation import explain_op


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


@pytest.fixture(scope="module")
def hopper() -> str:
    return explain_op(make_problem("matmul", [4096] * 3, Words(dtype="bf16")), preset="h200").to_html([])


@pytest.fixture(scope="module")
def cpu() -> str:
    return explain_op(make_problem("matmul", [300, 200, 100], Words(epilogue="bias,gelu")), device="cpu").to_html([])


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["hopper", "cpu"])
def test_every_picture_is_drawn_and_nothing_is_logged(
    name: str, dark: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    seen = chromium.open_page(BROWSER, request.getfixturevalue(name), tmp_path, dark=dark)
    assert seen.errors == []
    titles = [picture["title"] for picture in seen.pictures]
    assert {"Order of the tiles", "Pipeline by role", "Budgets", "Roofline"} <= set(titles)
    for picture in seen.pictures:
        assert picture["width"] > 100 and picture["height"] > 20 and picture["shapes"] > 2, picture["title"]
        assert picture["fill"] != "rgb(0, 0, 0)", f"{picture['title']} is painted in a class that has no colour"
        assert picture["lost"] == [], picture["title"]
    assert not seen.wide
    assert (sum(map(int, seen.ink[4:-1].split(","))) > 384) is dark


def test_a_narrow_window_needs_no_sideways_scrolling(hopper: str, tmp_path: Path) -> None:
    assert not chromium.open_page(BROWSER, hopper, tmp_path, width=520).wide


def test_planted_faults_are_seen(tmp_path: Path) -> None:
    picture = '<svg viewBox="0 0 100 30"><title>t</title><text x="90" y="20">far too long to fit</text></svg>'
    page = f"<html><body>{picture}<script>missing()</script></body></html>"
    seen = chromium.open_page(BROWSER, page, tmp_path)
    assert any("missing is not defined" in line for line in seen.errors)
    assert seen.pictures[0]["lost"] == ["far too long to fit"]
