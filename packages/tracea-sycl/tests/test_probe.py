# SPDX-License-Identifier: MIT
"""The SYCL probe with and without loaders, and with every kind of place where drivers are registered."""

import ctypes.util
import os
from pathlib import Path

import pytest
from tracea_core.plugin.manifest import Severity
from tracea_sycl import probe


@pytest.mark.parametrize(
    ("present", "severity", "words"),
    [
        ((), Severity.INFO, "neither libOpenCL nor libze_loader"),
        (("OpenCL",), Severity.OK, "libOpenCL.so.1 (OpenCL) installed"),
        (("OpenCL", "ze_loader"), Severity.OK, "libze_loader.so.1 (Level Zero)"),
    ],
)
def test_the_loaders(present: tuple[str, ...], severity: Severity, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"lib{name}.so.1" if name in present else None)
    finding = probe.loaders()
    assert finding.severity is severity
    assert words in finding.message


def test_registered_platforms_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pocl.icd").touch()
    (tmp_path / "intel.icd").touch()
    (tmp_path / "README").touch()
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    finding = probe.platforms()
    assert finding.severity is Severity.OK
    assert finding.message.endswith("registers intel, pocl")


def test_one_file_may_stand_for_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pocl.icd").touch()
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "pocl.icd"))
    assert probe.platforms().message.endswith("registers pocl")


def test_a_missing_folder_registers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "absent"))
    finding = probe.platforms()
    assert finding.severity is Severity.INFO
    assert "no OpenCL driver" in finding.message


def test_an_unreadable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: str) -> list[str]:
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    monkeypatch.setattr(os, "listdir", refuse)
    finding = probe.platforms()
    assert finding.severity is Severity.WARNING
    assert "Permission denied" in finding.message
