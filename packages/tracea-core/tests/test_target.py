# SPDX-License-Identifier: MIT
"""Profiles and targets as data."""

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.target import AsyncCopyKind, CacheLevel, CapabilityProfile, MatrixInstruction, Target


def profile(**changes):
    fields = {
        "name": "some gpu",
        "vendor": "nvidia",
        "arch": "sm_90a",
        "backend": "cuda",
        "processors": 132,
        "lanes": 32,
    }
    return CapabilityProfile(**(fields | changes))


def test_round_trip_with_everything_set():
    full = profile(
        caches=(CacheLevel(2, 50 << 20, 128, 132),),
        matrix_instructions=(MatrixInstruction("wgmma_m64n64k16_bf16", 64, 64, 16, DType.BF16, DType.FP32, 128),),
        async_copies=(AsyncCopyKind.TMA, AsyncCopyKind.CP_ASYNC),
        peak_gflops=(("bf16", 989000.0),),
        features=("setmaxnreg",),
    )
    target = Target("cuda", "cuda:0", full)
    assert Target.from_json(target.to_json()) == target


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("GPU some", True),
        ("NVIDIA Some-GPU 80GB", True),
        ("NVIDIA Some", True),
        ("some other", False),
        ("gpu something", False),
    ],
)
def test_a_device_is_called_like_a_profile_by_all_of_its_words(name, called):
    assert profile().is_called(name) is called
    assert profile(name="NVIDIA some gpu").is_called(name) is called


@pytest.mark.parametrize("field", ["processors", "lanes", "max_threads_per_block", "max_cluster"])
def test_counts_are_positive(field):
    with pytest.raises(ConfigurationError, match=field):
        profile(**{field: 0})


def test_peaks_and_features():
    device = profile(peak_gflops_fp32=67000.0, peak_gflops=(("bf16", 989000.0),), features=("setmaxnreg",))
    assert [device.peak(d) for d in (DType.FP32, DType.BF16, DType.FP16)] == [67000.0, 989000.0, 0.0]
    assert device.has("setmaxnreg")
    assert not device.has("avx2")


def test_presets_are_not_executable():
    assert Target("cuda", "cuda:0", profile()).executable
    assert not Target("cuda", "preset:h200", profile()).executable
