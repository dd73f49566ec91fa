# SPDX-License-Identifier: MIT
"""The documentation is true: its Python runs as it stands, and its links lead somewhere."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "packages/*/*.md", "examples/**/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def dead_links(text: str, folder: Path) -> list[str]:
    """The relative links of a page that lead nowhere."""
    return [link for link in _LINK.findall(text) if not (folder / link).exists()]


@pytest.mark.parametrize("page", [page for page in PAGES if _PYTHON.search(page.read_text())], ids=name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    script = "\n".join(_PYTHON.findall(page.read_text()))
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=1100)
    assert result.returncode == 0, f"{name(page)}:\n{result.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if _SESSION.search(page.read_text())], ids=name)
def test_the_sessions_of_a_page_give_what_they_show(page: Path) -> None:
    session = "\n".join(_SESSION.findall(page.read_text()))
    test = doctest.DocTestParser().get_doctest(session, {}, name(page), str(page), 0)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert test.examples and not told, "".join(told)


def test_a_wrong_session_is_seen() -> None:
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert "Expected" in "".join(told)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert dead_links(page.read_text(), page.parent) == []


def test_a_dead_link_is_seen() -> None:
    assert dead_links("see [this](docs/nothing.md#part) and [that](https://example.org)", ROOT) == ["docs/nothing.md"]
