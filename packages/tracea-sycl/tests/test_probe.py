# SPDX-License-Identifier: MIT
"""The SYCL probe with and without loaders, and with every kind of place where drivers are registered."""

import ctypes.util
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import Severity
from tracea_core.target import SEPARATE_WORKERS
from tracea_sycl import driver, probe
from tracea_sycl.variants import variants


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


@pytest.mark.parametrize(
    ("error", "severity", "words"),
    [
        (
            BackendUnavailableError("pyopencl cannot be imported", hint="Install it"),
            Severity.INFO,
            "cannot be imported",
        ),
        (OSError("the driver is broken"), Severity.WARNING, "OSError: the driver is broken"),
    ],
)
def test_what_keeps_devices_away_is_reported(
    error: Exception, severity: Severity, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> tuple[driver.OpenClDevice, ...]:
        raise error

    monkeypatch.setattr(driver, "devices", fail)
    report = probe.probe()
    assert not report.devices
    assert report.findings[-1].severity is severity
    assert words in report.findings[-1].message and report.findings[-1].hint


def test_a_processor_stands_for_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "devices", lambda: (device(0, "NVIDIA CUDA", 4, 1), device(1, "PoCL", 2, 11)))
    report = probe.probe()
    assert [target.device for target in report.devices] == ["cpu", "sycl:0", "sycl:1"]
    assert [target.profile.lanes for target in report.devices] == [8, 32, 8]
    assert [target.profile.shared_banks for target in report.devices] == [0, 32, 0]
    assert [target.profile.vector_registers for target in report.devices] == [16, 0, 16]
    assert all(target.profile.probed for target in report.devices)


def test_intel_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "devices", lambda: (device(0, "PoCL", 2, 11), device(1, "Intel(R) OpenCL", 2, 15)))
    assert driver.find("cpu").number == 1
    with pytest.raises(BackendUnavailableError, match="sycl:0, sycl:1"):
        driver.find("sycl:2")


@pytest.mark.parametrize(
    ("native", "lanes", "registers", "tile"), [(16, 16, 32, "6x4x16"), (8, 8, 16, "4x3x8"), (1, 4, 16, "4x3x4")]
)
def test_a_processor_is_described_by_its_vectors(native: int, lanes: int, registers: int, tile: str) -> None:
    found = device(0, "PoCL", 2, 11, native)
    profile = driver.profile(found)
    assert (profile.lanes, profile.vector_registers) == (lanes, registers) and profile.has(SEPARATE_WORKERS)
    variant, *others = variants(profile)
    assert [other.family for other in others] == ["rowwise", "chained"]
    assert variant.schedule == "panel" and variant.instruction == f"fma_outer_{tile}_fp32"


def device(number: int, platform: str, kind: int, svm: int, native: int = 8) -> driver.OpenClDevice:
    handle = SimpleNamespace(
        name="a device", vendor="a vendor", driver_version="1", type=kind, svm_capabilities=svm, max_compute_units=4,
        max_clock_frequency=2000, local_mem_size=65536, max_work_group_size=1024, global_mem_size=1 << 30,
        native_vector_width_float=native,
    )  # fmt: skip
    return driver.OpenClDevice(number, SimpleNamespace(name=platform), handle)
