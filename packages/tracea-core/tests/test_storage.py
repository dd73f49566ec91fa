# SPDX-License-Identifier: MIT
"""Which directories and files are trusted, and that writing is all or nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tracea_core import storage

needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners and modes")


def test_the_environment_chooses_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path / "chosen"))
    assert storage.cache_root() == tmp_path / "chosen"
    monkeypatch.delenv("TRACEA_CACHE_DIR")
    assert storage.cache_root().name == "tracea"


@needs_modes
def test_directories_are_created_private_at_every_level(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        storage.private_directory(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


@needs_modes
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_directory_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(mode)
    with pytest.raises(storage.UntrustedError, match="chmod go-w"):
        storage.private_directory(place)


@needs_modes
def test_a_foreign_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(storage.UntrustedError, match="belongs to user"):
        storage.private_directory(tmp_path)


def test_a_file_in_place_of_the_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        storage.private_directory(tmp_path / "file")


@needs_modes
def test_symbolic_links_are_not_read(tmp_path: Path) -> None:
    storage.write_atomic(tmp_path / "real", b"content")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert storage.read_private(tmp_path / "real") == b"content"
    with pytest.raises(OSError):
        storage.read_private(tmp_path / "link")
    with pytest.raises(storage.UntrustedError):
        storage.check_file(tmp_path / "link")


@needs_modes
def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(storage.UntrustedError, match="not a regular file"):
        storage.read_private(tmp_path / "pipe")


def test_a_failed_write_leaves_the_old_content_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.write_atomic(tmp_path / "x", b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        storage.write_atomic(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_warning_is_said_once_per_place_and_kind(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    assert storage.warn_once(tmp_path, "kind", "first")
    assert not storage.warn_once(tmp_path, "kind", "second")
    assert storage.warn_once(tmp_path, "other", "third")
    assert [record.message for record in caplog.records] == ["first", "third"]
