# SPDX-License-Identifier: MIT
"""The probe tells what the system tells, measures if asked, and reports instead of raising, whatever is broken."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.doctor.depthwise import STRIPS
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import ProbeReport, Severity
from tracea_core.semantic import lanes
from tracea_core.target import DISTANT_CACHE, HALVED_VECTORS, CacheLevel, CapabilityProfile
from tracea_cpu import measure, probe
from tracea_cpu.variants import variants


def _only_profile(report: ProbeReport) -> CapabilityProfile:
    assert len(report.devices) == 1
    target = report.devices[0]
    assert (target.backend, target.device, target.executable) == ("cpu", "cpu", True)
    return target.profile


def test_this_processor() -> None:
    report = probe.probe()
    profile = _only_profile(report)
    assert [finding.severity for finding in report.findings] == [Severity.OK]
    assert profile.processors >= 1
    assert profile.lanes in (4, 8, 16)
    assert profile.caches
    assert profile.probed
    assert "estimates" in profile.source
    assert ProbeReport.from_json(report.to_json()) == report


def test_measured_rates() -> None:
    profile = _only_profile(probe.probe(measure=True))
    assert "measured" in profile.source
    assert profile.peak_gflops_fp32 > 1
    assert profile.memory_gbps > 0.1
    assert profile.peak(DType.FP64) == profile.peak_gflops_fp32 / 2


def test_measuring_text_does_what_it_counts() -> None:
    text = measure.fma_text(8)
    assert text.count("call <8 x float> @llvm.fma") == measure._CHAINS
    assert measure.read_text().count("= load <8 x i64>") == measure._UNROLL


FEATURES = {
    "avx512": (("avx2", "fma", "avx512f"), 16, 32, "fma_outer_6x4x16_fp32"),
    "avx2": (("avx2", "fma"), 8, 16, "fma_outer_4x3x8_fp32"),
    "neon": (("neon",), 4, 32, "fma_outer_8x3x4_fp32"),
    "sse": (("sse4.2",), 4, 16, "fma_outer_4x3x4_fp32"),
}


@pytest.mark.parametrize("name", FEATURES)
def test_register_tiles_follow_the_instruction_set(name: str) -> None:
    features, width, registers, tile = FEATURES[name]
    profile = probe.cpu_profile("X", "x", 4, features, clock_mhz=1000.0)
    assert (profile.lanes, profile.vector_registers) == (width, registers)
    assert profile.peak_gflops_fp32 == width * 16
    assert profile.matrix_instructions[0].name == tile
    for instruction in profile.matrix_instructions:
        assert lanes.instruction(instruction.name).summary() == instruction
        vectors = instruction.n // instruction.lanes
        assert instruction.m * vectors + vectors + 1 <= registers


@pytest.mark.parametrize(("cpu", "halved"), [("znver1", True), ("bdver4", True), ("znver2", False), ("haswell", False)])
def test_processors_of_128_bits_halve_vectors(cpu: str, halved: bool) -> None:
    profile = probe.cpu_profile("X", cpu, 4, FEATURES["avx2"][0], clock_mhz=1000.0)
    assert profile.has(HALVED_VECTORS) is halved
    assert profile.peak_gflops_fp32 == (64 if halved else 128)
    assert not probe.cpu_profile("X", cpu, 4, FEATURES["sse"][0]).has(HALVED_VECTORS)


@pytest.mark.parametrize(
    ("cpu", "distant"), [("emeraldrapids", True), ("skylake-avx512", True), ("znver4", False), ("tigerlake", False)]
)
def test_server_processors_with_a_mesh_have_a_distant_cache(cpu: str, distant: bool) -> None:
    assert probe.cpu_profile("X", cpu, 4, FEATURES["avx512"][0]).has(DISTANT_CACHE) is distant
    assert not probe.cpu_profile("X", cpu, 4, FEATURES["avx2"][0]).has(DISTANT_CACHE)


@pytest.mark.parametrize("name", FEATURES)
def test_variants_name_tiles_of_the_profile(name: str) -> None:
    profile = probe.cpu_profile("X", "x", 4, FEATURES[name][0])
    found = variants(profile)
    tiles = {instruction.name for instruction in profile.matrix_instructions}
    assert {variant.accumulate for variant in found} == {DType.FP32, DType.FP64, DType.INT32}
    strips = [variant for variant in found if variant.schedule == STRIPS]
    assert {variant.instruction for variant in strips} == {"multiply_add"}, "channels filtered apart have no tile"
    tiled = [variant for variant in found if variant not in strips]
    assert all(variant.instruction in tiles for variant in tiled if variant.family == "contraction")
    assert all(lanes.instruction(variant.instruction).summary() for variant in tiled), (
        "rows and chains have tiles of their own"
    )
    assert len({variant.name for variant in found}) == len(found)


def _raise(error: Exception) -> Callable[..., Any]:
    def raising(*arguments: Any) -> Any:
        raise error

    return raising


@pytest.mark.parametrize("part", ["usable_processors", "_features", "_name", "_caches", "_clock_mhz"])
@pytest.mark.parametrize("error", [OSError("denied"), ValueError("nonsense"), RecursionError("deep")])
def test_whatever_cannot_be_asked_is_reported(part: str, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, part, _raise(error))
    report = probe.probe()
    profile = _only_profile(report)
    warnings = [finding for finding in report.findings if finding.severity is Severity.WARNING]
    assert len(warnings) == 1
    assert str(error) in warnings[0].message
    assert profile.processors >= 1
    assert profile.caches


def test_rates_that_cannot_be_measured_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "measure", _raise(OSError("no memory")))
    report = probe.probe(measure=True)
    assert "estimates" in _only_profile(report).source
    assert any("no memory" in finding.message for finding in report.findings)


def test_without_llvmlite_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_llvm_cpu", _raise(BackendUnavailableError("llvmlite cannot be imported")))
    report = probe.probe()
    assert report.devices == ()
    assert report.findings[-1].severity is Severity.ERROR
    assert "pip install" in report.findings[-1].hint


def _cache(root: Path, index: int, kind: str, size: str, level: int, shared: str) -> None:
    folder = root / f"cpu0/cache/index{index}"
    folder.mkdir(parents=True)
    values = {"type": kind, "size": size, "level": level, "coherency_line_size": 64, "shared_cpu_list": shared}
    for name, value in values.items():
        (folder / name).write_text(f"{value}\n")


def test_caches_of_a_system_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _cache(tmp_path, 0, "Data", "48K", 1, "0,64")
    _cache(tmp_path, 1, "Instruction", "32K", 1, "0,64")
    _cache(tmp_path, 2, "Unified", "2M", 2, "0,64")
    _cache(tmp_path, 3, "Unified", "104857600", 3, "0-31,64-95")
    monkeypatch.setattr(probe, "_CPU_ROOT", tmp_path)
    assert probe._caches(8) == (
        CacheLevel(1, 48 << 10, 64, 2),
        CacheLevel(2, 2 << 20, 64, 2),
        CacheLevel(3, 100 << 20, 64, 8),
    )


def test_a_system_that_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_CPU_ROOT", tmp_path)
    monkeypatch.setattr(probe, "_CPUINFO", tmp_path / "cpuinfo")
    profile = _only_profile(probe.probe())
    assert profile.clock_mhz == profile.peak_gflops_fp32 == 0.0
    assert profile.caches == probe._USUAL_CACHES
    assert profile.name


def test_clock_and_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nmodel name\t: AMD EPYC 9654\ncpu MHz\t\t: 2400.5\n")
    monkeypatch.setattr(probe, "_CPUINFO", info)
    monkeypatch.setattr(probe, "_CPU_ROOT", tmp_path)
    assert (probe._name(), probe._clock_mhz()) == ("AMD EPYC 9654", 2400.5)
    frequency = tmp_path / "cpu0/cpufreq/cpuinfo_max_freq"
    frequency.parent.mkdir(parents=True)
    frequency.write_text("3700000\n")
    assert probe._clock_mhz() == 3700.0


def test_vendors() -> None:
    names = ["AMD EPYC", "Intel(R) Xeon(R)", "Apple M2", "ARM Neoverse-N1", "aarch64", "Loongson"]
    assert [probe._vendor(name) for name in names] == ["amd", "intel", "apple", "arm", "arm", "unknown"]


@pytest.mark.skipif(sys.platform == "darwin", reason="there, sysctl answers")
def test_sysctl_is_asked_on_macos_only() -> None:
    assert probe._sysctl("hw.l2cachesize") == 0
    assert probe._sysctl_text("machdep.cpu.brand_string") == ""
