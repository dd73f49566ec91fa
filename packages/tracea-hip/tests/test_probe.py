# SPDX-License-Identifier: MIT
"""The HIP probe on machines with and without a runtime, a driver, and the right to use it."""

import ctypes.util
import os
from pathlib import Path

import pytest
from tracea_core.plugin.manifest import Severity
from tracea_hip import probe


@pytest.mark.parametrize(("library", "severity"), [("libamdhip64.so.7", Severity.OK), (None, Severity.INFO)])
def test_the_runtime(library: str | None, severity: Severity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: library)
    finding = probe.runtime_library()
    assert finding.severity is severity
    assert (library or "not on the loader's path") in finding.message


def test_a_missing_device_file(tmp_path: Path) -> None:
    finding = probe.device_file(str(tmp_path / "kfd"))
    assert finding.severity is Severity.INFO
    assert "does not exist" in finding.message


@pytest.mark.parametrize(("allowed", "severity"), [(True, Severity.OK), (False, Severity.WARNING)])
def test_a_device_file(allowed: bool, severity: Severity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "kfd"
    device.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: allowed)
    finding = probe.device_file(str(device))
    assert finding.severity is severity
    assert ("groups render and video" in finding.hint) is not allowed
