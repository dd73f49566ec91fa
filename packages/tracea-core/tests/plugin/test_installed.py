# SPDX-License-Identifier: MIT
"""What is read of installed distributions: the same plugins as `importlib.metadata` finds, from fewer files."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from tracea_core.plugin.discover import discover
from tracea_core.plugin.installed import candidates
from tracea_core.plugin.manager import PluginManager


@pytest.fixture
def path(site: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A path of search with one folder of distributions on it, and nothing else."""
    monkeypatch.setattr(sys, "path", [str(site.path)])
    return sys.path


def _foreign(folder: Path, name: str, entry_points: bytes | None = b"[console_scripts]\na = b:c\n") -> Path:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if entry_points is not None:
        (info / "entry_points.txt").write_bytes(entry_points)
    return info


def test_the_same_plugins_are_found_as_importlib_finds() -> None:
    def told(records: Any) -> list[tuple[str, ...]]:
        return [(one.name, one.distribution, one.version, one.target, one.status.value) for one in records]

    ours = discover(None)
    assert {"cpu", "cuda", "hip", "sycl", "metal"} <= {record.name for record in ours}
    assert told(ours) == told(discover(None, metadata.distributions))
    assert {record.name for record in ours if record.serves} >= {"cpu", "cuda", "hip", "sycl", "metal", "oneapi"}


def test_objects_are_made_of_those_that_name_plugins_alone(site: Any, path: list[str]) -> None:
    for index in range(40):
        _foreign(site.path, f"foreign{index}", None if index % 2 else b"[console_scripts]\na = b:c\n")
    site.install("toy")
    site.install("old", group="tracea.plugins_v0")
    assert sorted(found.metadata["Name"] for found in candidates()) == ["toy-old", "toy-toy"]


def test_a_folder_that_is_missing_and_files_that_cannot_be_read_hide_nothing(site: Any, path: list[str]) -> None:
    path[:0] = ["/nowhere/at/all", "\0", str(site.path / "file")]
    (site.path / "file").write_text("no folder")
    (_foreign(site.path, "folder", None) / "entry_points.txt").mkdir()
    (site.path / "single-1.0.egg-info").write_text("Metadata-Version: 2.1\nName: single\nVersion: 1.0\n")
    site.install("good")
    assert [record.name for record in PluginManager().records()] == ["good"]


def test_a_damaged_distribution_of_ours_is_reported(site: Any, path: list[str]) -> None:
    site.install("good")
    _foreign(site.path, "tracea_broken", b"\xff\xfe")
    good, bad = discover(None)
    assert (good.name, bad.distribution, bad.status.value) == ("good", "tracea_broken", "failed")


def test_eggs_and_archives_are_read(site: Any, path: list[str], tmp_path: Path) -> None:
    site.install("plain")
    egg = tmp_path / "other" / "some.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: some\nVersion: 1.0\n")
    (egg / "EGG-INFO" / "entry_points.txt").write_text("[tracea.plugins_v1]\negged = nothing\n")
    packed = tmp_path / "other" / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n")
        archive.writestr("zipped-1.0.dist-info/entry_points.txt", "[tracea.plugins_v1]\nzipped = nothing\n")
    path += [str(egg), str(packed)]
    assert [record.name for record in discover(None)] == ["egged", "plain", "zipped"]


def test_finders_of_others_are_asked(site: Any, path: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("toy")
    elsewhere = site.path / "elsewhere"
    _foreign(elsewhere, "hooked", b"[tracea.plugins_v1]\nhooked = nothing\n")

    class Finder:
        @staticmethod
        def find_spec(*arguments: Any) -> None: ...

        @staticmethod
        def find_distributions(context: Any) -> Iterator[metadata.Distribution]:
            yield metadata.Distribution.at(elsewhere / "hooked-1.0.dist-info")

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert [record.name for record in discover(None)] == ["hooked", "toy"]
