# SPDX-License-Identifier: MIT
"""What a report tells of sound environments, what it leaves as it was, and whom it examines."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from tracea_core.diagnose import diagnose
from tracea_core.runtime.cache import BinaryCache


def test_examination_in_children_leaves_this_process_alone(site: Any) -> None:
    module = site.install("good")
    report = diagnose(limit_s=300.0, manager=site.manager(), packages=())
    assert report.plugins[0].status == "loaded" and module not in sys.modules


def test_tracebacks_reach_the_text(site: Any) -> None:
    site.install("bad", "def deep():\n    raise ValueError('from the depths')\ndeep()")
    text = diagnose(limit_s=300.0, manager=site.manager(), packages=()).describe()
    assert "traceback of bad (toy-bad)" in text and "in deep" in text and "from the depths" in text


def test_a_sound_cache_is_counted(site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "cache"
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(directory))
    BinaryCache(directory / "binaries").put("a" * 64, b"kernel")
    store = directory / "measurements.sqlite"
    connection = sqlite3.connect(store)
    connection.execute("CREATE TABLE measurements (digest TEXT)")
    connection.execute("INSERT INTO measurements VALUES ('x')")
    connection.commit()
    connection.close()
    store.chmod(0o600)
    before = sorted(path.name for path in directory.rglob("*"))
    report = diagnose(limit_s=300.0, manager=site.manager(), packages=())
    assert (report.cache.entries, report.cache.damaged, report.cache.measurements) == (1, 0, 1)
    assert report.cache.usable and report.cache.free_bytes > 0
    assert sorted(path.name for path in directory.rglob("*")) == before


def test_a_missing_cache_is_not_created(site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "later" / "cache"))
    report = diagnose(limit_s=300.0, manager=site.manager(), packages=())
    assert report.cache.usable and not report.cache.exists and not (tmp_path / "later").exists()


def test_device_narrows_the_backends(site: Any) -> None:
    site.install("one")
    site.install("two")
    report = diagnose(limit_s=300.0, manager=site.manager(), packages=(), device="two")
    assert [target.device for target in report.devices] == ["two:0"]


def test_an_interrupt_is_the_users(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tracea_core.diagnose.examine.examine_cache", interrupt)
    with pytest.raises(KeyboardInterrupt):
        diagnose(limit_s=300.0, manager=site.manager(), packages=())
