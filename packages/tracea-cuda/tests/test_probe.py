# SPDX-License-Identifier: MIT
"""The CUDA probe on machines with and without a driver, a compiler, or two of them."""

import ctypes.util
from importlib import metadata

import pytest
from tracea_core.plugin.manifest import Severity
from tracea_cuda import probe


@pytest.mark.parametrize(("library", "severity"), [("libcuda.so.1", Severity.OK), (None, Severity.INFO)])
def test_the_driver(library: str | None, severity: Severity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: library)
    finding = probe.driver()
    assert finding.severity is severity
    assert (library or "not on the loader's path") in finding.message
    assert bool(finding.hint) == (library is None)


@pytest.mark.parametrize(
    ("installed", "severity", "words"),
    [
        ({}, Severity.INFO, "no NVRTC wheel"),
        ({"nvidia-cuda-nvrtc": "13.0.88"}, Severity.OK, "nvidia-cuda-nvrtc 13.0.88"),
        ({"nvidia-cuda-nvrtc-cu12": "12.9.86"}, Severity.OK, "nvidia-cuda-nvrtc-cu12 12.9.86"),
        ({"nvidia-cuda-nvrtc": "13.0.88", "nvidia-cuda-nvrtc-cu12": "12.9.86"}, Severity.WARNING, "exclude each other"),
    ],
)
def test_the_compiler(
    installed: dict[str, str], severity: Severity, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(metadata, "version", version)
    finding = probe.compiler()
    assert finding.severity is severity
    assert words in finding.message
