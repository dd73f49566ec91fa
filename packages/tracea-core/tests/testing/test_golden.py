# SPDX-License-Identifier: MIT
"""Golden files: equal text passes, other text is shown, and updating is asked for by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.golden import VARIABLE, check_golden, difference, unused


def test_a_difference_is_shown_with_the_way_to_accept_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    path = tmp_path / "kernel.ll"
    with pytest.raises(ConformanceError, match=r"kernel\.ll does not exist.*TRACEA_UPDATE_GOLDEN=1"):
        check_golden(path, "one\n")
    path.write_text("one\ntwo\n")
    check_golden(path, "one\ntwo\n")
    with pytest.raises(ConformanceError, match=r"differs from kernel\.ll(.|\n)*-two\n\+three"):
        check_golden(path, "one\nthree\n")
    with pytest.raises(ConformanceError, match="line ends only"):
        check_golden(path, "one\ntwo")
    assert path.read_text() == "one\ntwo\n"


def test_updating_writes_the_text_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "kernel.ll"
    monkeypatch.setenv(VARIABLE, "1")
    check_golden(path, "one\r\ntwo")
    assert path.read_bytes() == b"one\r\ntwo"
    monkeypatch.setenv(VARIABLE, "0")
    with pytest.raises(ConformanceError):
        check_golden(path, "other")


def test_long_differences_are_cut() -> None:
    shown = difference("\n".join(map(str, range(500))), "\n".join(map(str, range(500, 1000))))
    assert len(shown.splitlines()) == 61 and shown.endswith("more lines")


def test_files_that_nothing_compares_are_found(tmp_path: Path) -> None:
    (tmp_path / "kept.ll").touch()
    (tmp_path / "left.ll").touch()
    assert unused(tmp_path, {"kept.ll"}) == ["left.ll"]
