# SPDX-License-Identifier: MIT
"""The CUDA probe on machines with and without a driver, a compiler, or two of them, and on an imitated H200."""

import ctypes.util
from importlib import metadata
from typing import Any

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import Severity
from tracea_cuda import driver as cuda
from tracea_cuda import probe
from tracea_cuda.driver import Driver


@pytest.mark.parametrize(("library", "severity"), [("libcuda.so.1", Severity.OK), (None, Severity.INFO)])
def test_the_driver(library: str | None, severity: Severity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: library)
    finding = probe.installed_driver()
    assert finding.severity is severity
    assert (library or "not on the loader's path") in finding.message
    assert bool(finding.hint) == (library is None)


@pytest.mark.parametrize(
    ("installed", "severity", "words"),
    [
        ({}, Severity.INFO, "no NVRTC wheel"),
        (
            {"nvidia-cuda-nvrtc": "13.0.88", "cuda-core": "1.2.2"},
            Severity.OK,
            "nvidia-cuda-nvrtc 13.0.88 through cuda-core 1.2.2",
        ),
        ({"nvidia-cuda-nvrtc-cu12": "12.9.86"}, Severity.WARNING, "not cuda-core"),
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
    (finding,) = probe.compiler()
    assert finding.severity is severity
    assert words in finding.message


def test_without_a_driver_there_are_findings_and_no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Driver:
        raise BackendUnavailableError("NVIDIA's driver cannot be loaded: no such file", hint="Install it")

    monkeypatch.setattr(cuda, "driver", missing)
    report = probe.probe()
    assert report.devices == ()
    assert report.findings[0].subject == "cuda driver"
    assert all(finding.hint for finding in report.findings if finding.severity is not Severity.OK)


def test_a_driver_that_raises_anything_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Driver:
        raise ValueError("unexpected")

    monkeypatch.setattr(cuda, "driver", broken)
    report = probe.probe()
    assert "unexpected" in report.findings[0].message


def test_an_h200(driver: Driver) -> None:
    report = probe.devices(driver)
    (target,) = report.devices
    assert (target.backend, target.device) == ("cuda", "cuda:0")
    profile, like = target.profile, preset("h200")
    assert (profile.name, profile.arch, profile.processors, profile.probed) == ("NVIDIA H200", "sm_90a", 132, True)
    assert profile.shared_bytes == 227 << 10
    assert profile.caches[-1].bytes == 60 << 20
    assert profile.max_cluster == 16
    assert profile.matrix_instructions == like.matrix_instructions
    assert profile.peak_gflops == like.peak_gflops
    assert profile.clock_mhz == 1980
    assert 4800 < profile.memory_gbps < 5000 and not profile.memory_guessed
    text = " ".join(finding.message for finding in report.findings)
    assert "132 multiprocessors" in text
    assert "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f" in text


def test_what_the_driver_no_longer_tells_is_taken_from_the_published_device(driver: Driver, library: Any) -> None:
    for number in (cuda.CLOCK_RATE, cuda.MEMORY_CLOCK_RATE, cuda.MEMORY_BUS_WIDTH):
        del library.attributes[number]
    (target,) = probe.devices(driver).devices
    assert (target.profile.clock_mhz, target.profile.memory_gbps) == (1980, 4800)
    assert not target.profile.memory_guessed  # it is the published device itself


def test_the_memory_of_a_device_that_no_document_lists_is_guessed(driver: Driver, library: Any) -> None:
    known = probe.profile_of(driver, 0, "NVIDIA H300", (9, 0))
    assert not known.memory_guessed  # the driver tells its clock and width
    for number in (cuda.MEMORY_CLOCK_RATE, cuda.MEMORY_BUS_WIDTH):
        del library.attributes[number]
    assert probe.profile_of(driver, 0, "NVIDIA H300", (9, 0)).memory_guessed


@pytest.mark.parametrize(
    ("name", "capability", "like", "arch"),
    [
        ("NVIDIA H100 80GB HBM3", (9, 0), "NVIDIA H100 SXM5 80GB", "sm_90a"),
        ("NVIDIA A100-SXM4-80GB", (8, 0), "NVIDIA A100 SXM4 80GB", "sm_80"),
        ("NVIDIA GeForce RTX 3060", (8, 6), "NVIDIA GeForce RTX 3070", "sm_86"),
        ("NVIDIA Jetson Orin", (8, 7), "NVIDIA GeForce RTX 3070", "sm_87"),
        ("Tesla T4", (7, 5), "NVIDIA T4", "sm_75"),
        ("NVIDIA GeForce RTX 5090", (12, 0), "NVIDIA B200 SXM 180GB", "sm_120a"),
    ],
)
def test_other_devices_take_rates_from_the_nearest_published_one(
    name: str, capability: tuple[int, int], like: str, arch: str
) -> None:
    assert probe.arch_of(capability) == arch
    assert probe.published(name, arch, capability).name == like


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({cuda.MAJOR: 7, cuda.MINOR: 0}, "older than 7.5"),
        ({cuda.COMPUTE_MODE: 2}, "prohibits work"),
    ],
)
def test_devices_that_cannot_be_used_are_findings(
    attributes: dict[int, int], words: str, driver: Driver, library: Any
) -> None:
    library.attributes.update(attributes)
    report = probe.devices(driver)
    assert report.devices == ()
    assert any(words in finding.message and finding.hint for finding in report.findings)


def test_a_device_that_fails_leaves_the_others(driver: Driver, library: Any) -> None:
    library.fail["cuDeviceGetName"] = 999
    report = probe.devices(driver)
    assert report.devices == ()
    assert any("cuda:0 cannot be examined" in finding.message for finding in report.findings)
    library.fail = {"cuDeviceGetCount": 3}
    assert probe.devices(driver).devices == ()
