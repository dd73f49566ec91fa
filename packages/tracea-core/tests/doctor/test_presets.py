# SPDX-License-Identifier: MIT
"""Presets are consistent with themselves, with the lane maps, and with figures everyone can look up."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import GPUInfo, preset, preset_names, preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError
from tracea_core.semantic.lanes import instruction
from tracea_core.target import AsyncCopyKind, CapabilityProfile


@pytest.mark.parametrize("name", preset_names())
def test_preset_is_whole_and_survives_json(name: str) -> None:
    profile = preset(name)
    assert profile == CapabilityProfile.from_json(profile.to_json())
    assert profile.source and not profile.probed
    assert profile.memory_gbps > 0 and profile.clock_mhz > 0 and profile.peak(DType.FP32) > 0
    assert all(profile.peak(dtype) > 0 for dtype in profile.native_dtypes)
    is_cpu = profile.backend == "cpu"
    assert bool(profile.vector_registers) == is_cpu
    assert bool(profile.shared_bytes and profile.registers_per_processor) != is_cpu
    assert profile.caches == tuple(sorted(profile.caches, key=lambda cache: cache.level))


@pytest.mark.parametrize("name", preset_names())
def test_listed_instructions_are_the_ones_the_lane_maps_describe(name: str) -> None:
    profile = preset(name)
    assert profile.matrix_instructions
    for listed in profile.matrix_instructions:
        assert instruction(listed.name).summary() == listed
        assert listed.operand in profile.native_dtypes or listed.operand is DType.UINT8


@pytest.mark.parametrize("name", preset_names())
def test_published_vector_rate_fits_the_clock(name: str) -> None:
    """Marketing rates are units x lanes x 2 x clock; a typo in any of the three shows."""
    lanes_per_processor = {
        "t4": 64, "rtx3070": 128, "rtx4090": 128, "a100": 64, "h100": 128, "h200": 128, "b200": 128, "mi210": 64,
        "mi250x": 64, "mi300x": 128, "mi355x": 128, "rx7900xtx": 128, "rx9070": 128, "pvc": 128, "arc_a770": 128,
        "m1": 128, "m2": 128, "m3max": 128, "avx2": 16, "avx512": 16, "neon": 8,
    }[name]  # fmt: skip
    profile = preset(name)
    derived = profile.processors * lanes_per_processor * 2 * profile.clock_mhz / 1000
    assert profile.peak_gflops_fp32 == pytest.approx(derived, rel=0.02)


def test_h200_figures() -> None:
    h200 = GPUInfo.h200()
    assert (h200.processors, h200.shared_bytes, h200.registers_per_processor) == (132, 232_448, 65_536)
    assert (h200.clock_mhz, h200.memory_gbps, h200.arch) == (1980, 4800, "sm_90a")
    assert h200.peak(DType.BF16) == pytest.approx(989_400)
    assert AsyncCopyKind.TMA in h200.async_copies and h200.has("wgmma") and h200.has("setmaxnreg")


@pytest.mark.parametrize("spelling", ["h200", "H200", "preset:h200", " H200 "])
def test_spellings(spelling: str) -> None:
    assert preset(spelling) == GPUInfo.h200()
    assert preset_target(spelling).device == "preset:h200"
    assert not preset_target(spelling).executable


def test_alias_gives_the_canonical_device() -> None:
    assert preset_target("gfx942").device == "preset:mi300x"
    assert preset("RTX 3070") == GPUInfo.rtx3070()


def test_unknown_preset_says_what_exists() -> None:
    with pytest.raises(DeviceError, match=r"h20O.*Did you mean 'h200'.*mi300x"):
        preset("h20O")
