# SPDX-License-Identifier: MIT
"""The Metal probe on Macs of both kinds and on everything else."""

import ctypes.util
import platform

import pytest
from tracea_core.plugin.manifest import Severity
from tracea_metal import probe


@pytest.mark.parametrize(
    ("name", "machine", "severity", "words"),
    [
        ("Linux", "x86_64", Severity.INFO, "macOS only"),
        ("", "", Severity.INFO, "an unknown system"),
        ("Darwin", "x86_64", Severity.INFO, "x86_64"),
        ("Darwin", "arm64", Severity.OK, "macOS 15.1"),
    ],
)
def test_the_system(name: str, machine: str, severity: Severity, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: name)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "mac_ver", lambda: ("15.1", ("", "", ""), machine))
    finding = probe.system()
    assert finding.severity is severity
    assert words in finding.message


@pytest.mark.parametrize("library", ["/System/Library/Frameworks/Metal.framework/Metal", None])
def test_the_framework(library: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: library)
    finding = probe.framework()
    assert finding.severity is (Severity.OK if library else Severity.INFO)
    assert (library or "not found") in finding.message
