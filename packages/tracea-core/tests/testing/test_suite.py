# SPDX-License-Identifier: MIT
"""The suite's command line: which checks a run consists of, what is recorded of each, and when it fails."""

from __future__ import annotations

import functools
import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.testing import null, subject, suite
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.null import null_backend
from tracea_core.testing.record import Outcome, Record, sources_of
from tracea_core.testing.subject import Unserved

EVERY = [("", check.name) for check in collect(null_backend())]


class Plugins:
    def __init__(self, manifest: BackendManifest) -> None:
        self.held = manifest

    def manifest(self, name: str) -> BackendManifest:
        if name != self.held.name:
            raise BackendUnavailableError(f"no plugin is called {name!r}")
        return self.held


_run = functools.partial(suite.run, listed=[("", "manifest"), ("", "probe")], jobs=1, tell=print, until=0.0)


def in_this_process(monkeypatch: pytest.MonkeyPatch, manifest: BackendManifest) -> None:
    """Let the command find one backend, and run checks here: what is planted is not installed."""

    def run(backend: str, listed: Any, jobs: int, tell: Any, record: Any, until: float) -> list[suite.Outcome]:
        found = suite._in_worker(backend, listed, record, until)
        for one in found:
            tell(one)
        return found

    monkeypatch.setattr(suite, "plugins", lambda: Plugins(manifest))
    monkeypatch.setattr(suite, "run", run)
    suite._checks.cache_clear()


def test_parts_are_one_whole() -> None:
    parts = [suite.chosen(null_backend(), None, "", (number, 3)) for number in (1, 2, 3)]
    assert sorted(one for part in parts for one in part) == sorted(EVERY) and min(map(len, parts)) >= len(EVERY) // 3
    assert suite.chosen(null_backend(), None, "empty_k$", (1, 1)) == [
        one for one in EVERY if one[1].endswith("empty_k")
    ]


def test_checks_of_a_variant_stay_together() -> None:
    listed = [("", "manifest"), *(("m1", f"metal:0/{variant}/{i}") for i in range(70) for variant in ("a", "b"))]
    found = suite.groups(listed)
    assert sorted(one for group in found for one in group) == sorted(listed)
    assert sorted(map(len, found)) == [1, 10, 10, 60, 60]
    assert all(len({name.split("/")[1:2] == ["a"] for _, name in group}) == 1 for group in found)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "-1/2"])
def test_parts_that_are_none(text: str) -> None:
    with pytest.raises(SystemExit):
        suite.main(["null", "--part", text])


def test_outcomes() -> None:
    def raising(error: BaseException) -> Check:
        def run() -> None:
            raise error

        return Check("planted", run)

    for check, state, told in (
        (Check("planted", lambda: None), "passed", ""),
        (raising(Unserved("no such type")), "unserved", "no such type"),
        (raising(ConformanceError("a broken promise")), "failed", "a broken promise"),
        (raising(ZeroDivisionError("of its own")), "failed", "ZeroDivisionError: of its own"),
    ):
        found = suite.attempt(check, "m1")
        assert (found.device, found.check, found.state, found.reason) == ("m1", "planted", state, told)


def test_a_backend_that_conforms(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_this_process(monkeypatch, null_backend())
    only = "^manifest$|contraction.fp32/(gemm-fp32-1x1x1|batch|batch/divided)$|epilogue-gated$"
    assert suite.main(["null", "--only", only, "--json", str(tmp_path / "null.json")]) == 0
    said = capsys.readouterr().out
    stored = json.loads((tmp_path / "null.json").read_text())
    states = [one["state"] for one in stored]
    assert f"here: {states.count('passed')} passed, 0 failed, {states.count('unserved')} unserved" in said
    assert {one["check"] for one in stored} == {name for _, name in suite.chosen(null_backend(), None, only, (1, 1))}


def test_a_backend_that_breaks_a_promise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def emit(kernel: Any, certificate: Any) -> KernelSource:
        return null.emit(kernel, certificate).replace(entry="of_no_text")

    in_this_process(monkeypatch, null_backend(emitters={"contraction": emit}))
    assert suite.main(["null", "--only", "fp32/gemm-fp32-1x1x1$|^manifest$"]) == 1
    said = capsys.readouterr().out
    assert "1 passed, 1 failed, 0 unserved" in said and "entry point stands in the text" in said


def test_a_run_that_shows_nothing_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    in_this_process(monkeypatch, null_backend())
    assert suite.main(["null", "--only", "of no check"]) == 1
    assert suite.main(["another"]) == 2


def test_a_run_that_was_cut_says_so_and_is_continued(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_this_process(monkeypatch, null_backend())
    command = ["null", "--only", "^manifest$|^probe$", "--record", str(tmp_path / "null.jsonl")]
    assert suite.main([*command, "--seconds", "-1"]) == 1
    assert "0 checks of null in 0 s, 2 left" in capsys.readouterr().out
    assert suite.main(command) == 0
    record = Record(tmp_path / "null.jsonl", sources_of(null_backend()))
    assert sorted(record.passed()) == [("", "manifest"), ("", "probe")]
    assert [one.check for one in _run("null", record=record)] == ["manifest", "probe"], "from the record, in no process"


def test_a_record_holds_what_passed_of_its_own_sources(tmp_path: Path) -> None:
    mine, other = (Record(tmp_path / "checks", sources) for sources in ("mine", "other"))
    for number, state in enumerate(("passed", "failed", "unserved")):
        mine.add(Outcome("m1", str(number), state, "", 0.0))
    other.add(Outcome("m1", "3", "passed", "", 0.0))
    with (tmp_path / "checks").open("a") as file:
        file.write('{"sources": "mine", "device": "m1", "che')  # a process that was ended while it wrote
    assert list(mine.passed()) == [("m1", "0")] and list(other.passed()) == [("m1", "3")]
    assert not Record(tmp_path / "none", "mine").passed()


def test_sources_are_told_apart_by_name_and_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sources_of(null_backend())
    assert sources_of(null_backend()) == first != sources_of(null_backend(name="another"))
    package = tmp_path / "record_of_a_package"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text("def probe(): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    held = null_backend(probe=importlib.import_module(package.name).probe)
    before = sources_of(held)
    (package / "__pycache__" / "x.pyc").write_text("made by an interpreter")
    assert sources_of(held) == before
    (package / "device.h").write_text("int x;\n")
    assert sources_of(held) != before
    printed = null_backend(libraries=(package.name,))
    after = sources_of(printed)
    (package / "device.h").write_text("int y;\n")
    assert sources_of(printed) != after
    assert sources_of(null_backend()) == first


def test_every_check_runs_in_a_process_of_the_pool() -> None:
    """The reference backend is not installed: what a worker process says of it is the error of its plugin's absence."""
    with pytest.raises(BackendUnavailableError, match="no plugin is called 'null'"):
        suite.run("null", EVERY[:1], 1, lambda one: None)


def test_published_devices() -> None:
    assert subject.published("metal") == ["m1", "m2", "m3max"] and subject.published("null") == []


def test_devices_of_a_backend_without_any_are_its_siblings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two backends of one distribution print for the same devices, which bear the name of one of them."""
    records = [SimpleNamespace(name=name, distribution="both") for name in ("second", "metal")]
    others = [SimpleNamespace(name="hip", distribution="another")]
    monkeypatch.setattr(subject, "plugins", lambda: SimpleNamespace(records=lambda: [*records, *others]))
    assert subject.published("second") == ["m1", "m2", "m3max"] and subject.published("unknown") == []
    held = null_backend(name="second", probe=lambda: ProbeReport((), ()))
    assert [(target.backend, target.device) for target in subject.targets(held)] == [
        ("second", "preset:m1"),
        ("second", "preset:m2"),
    ], "where none can be launched on, texts for these are looked at"
    records.pop()
    assert subject.published("second") == [] and subject.targets(held) == ()
