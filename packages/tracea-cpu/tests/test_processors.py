# SPDX-License-Identifier: MIT
"""Masks, quotas of both kinds of cgroup and the user's setting are counted as they stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tracea_core.errors import OptionError
from tracea_cpu import processors


def _tree(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def _quotas(tmp_path: Path, membership: str, files: dict[str, str]) -> list[int]:
    _tree(tmp_path / "cgroup", files)
    (tmp_path / "self").write_text(membership)
    return list(processors.cgroup_quotas(tmp_path / "cgroup", tmp_path / "self"))


def test_version_2_counts_every_group_on_the_path(tmp_path: Path) -> None:
    files = {"cpu.max": "max 100000\n", "a/cpu.max": "250000 100000\n", "a/b/cpu.max": "400000 100000\n"}
    assert _quotas(tmp_path, "0::/a/b\n", files) == [3, 4]


def test_version_1_counts_the_cpu_controller(tmp_path: Path) -> None:
    files = {
        "cpu,cpuacct/job/cpu.cfs_quota_us": "150000",
        "cpu,cpuacct/job/cpu.cfs_period_us": "100000",
        "cpu,cpuacct/cpu.cfs_quota_us": "-1",
        "memory/job/cpu.cfs_quota_us": "1",
    }
    assert _quotas(tmp_path, "3:memory:/job\n2:cpu,cpuacct:/job\n", files) == [2]


@pytest.mark.parametrize("content", ["", "nonsense", "1 2 3", "10 0", "x 100000"])
def test_unreadable_quotas_are_no_limit(tmp_path: Path, content: str) -> None:
    assert _quotas(tmp_path, "0::/\nnonsense\n::\n", {"cpu.max": content}) == []


def test_a_quota_below_one_processor_is_one(tmp_path: Path) -> None:
    assert _quotas(tmp_path, "0::/\n", {"cpu.max": "1000 100000"}) == [1]


def test_no_cgroups_at_all(tmp_path: Path) -> None:
    assert list(processors.cgroup_quotas(tmp_path, tmp_path / "missing")) == []


def test_the_smallest_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "available_processors", lambda: tuple(range(8)))
    for quotas, expected in (((), 8), ((3, 20), 3), ((1,), 1)):
        monkeypatch.setattr(processors, "cgroup_quotas", lambda quotas=quotas: iter(quotas))
        assert processors.usable_processors() == expected


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_the_mask_is_read_anew_unless_openmp_binds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"):
        monkeypatch.delenv(name, raising=False)
    before = os.sched_getaffinity(0)
    one = min(before)
    try:
        os.sched_setaffinity(0, {one})
        assert processors.available_processors() == (one,)
        assert processors.available_processors({"OMP_PROC_BIND": "false"}) == (one,)
        assert processors.available_processors({"OMP_PROC_BIND": "close"}) == processors._MASK_AT_IMPORT
    finally:
        os.sched_setaffinity(0, before)


def test_systems_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors.available_processors({}) == (0,)


@pytest.mark.parametrize("text, count", [("3", 3), (" 1 ", 1), ("4096", 4096)])
def test_the_setting_counts(text: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processors.SETTING, text)
    assert processors.wanted_workers() == count


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "4097", "9" * 5000, "²"])
def test_a_bad_setting_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processors.SETTING, text)
    with pytest.raises(OptionError, match="TRACEA_NUM_THREADS"):
        processors.wanted_workers()


def test_an_empty_setting_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processors.SETTING, "")
    assert processors.wanted_workers() == processors.usable_processors()
