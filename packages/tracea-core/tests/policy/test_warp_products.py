# SPDX-License-Identifier: MIT
"""What products of single warps are expected to take on a device whose warpgroups multiply the same types faster."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.heroes import gpu_heroes
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import OperatorTopology


def seconds(device: str, shape: tuple[int, int, int], tile: tuple[int, int]) -> float:
    """The estimate of mma.sync for bf16."""
    profile = preset(device)
    operator = OperatorTopology(0, "product", "Gemm", *shape, dtype=DType.BF16, b_along_k=True)
    operator = operator.replace(instruction="mma_m16n8k16_bf16")
    (config, *_) = (hero for hero in gpu_heroes(profile, operator) if (hero.tile_m, hero.tile_n) == tile)
    return predict_seconds(config, profile, operator)


@pytest.mark.parametrize(
    ("shape", "tile", "measured"),
    [
        ((4096, 4096, 4096), (128, 128), 370.1e-6),
        ((4096, 4096, 4096), (64, 128), 431.7e-6),
        ((4096, 4096, 4096), (64, 64), 512.0e-6),
        ((2048, 2048, 2048), (128, 128), 55.6e-6),
        ((8192, 8192, 4096), (128, 128), 1449.7e-6),
        ((8192, 8192, 4096), (64, 64), 2014.0e-6),
    ],
)
def test_they_are_not_taken_for_those_of_warpgroups(
    shape: tuple[int, int, int], tile: tuple[int, int], measured: float
) -> None:
    """Measured on an H200, whose peak is that of wgmma."""
    assert 0.8 < seconds("h200", shape, tile) / measured < 1.25


def test_a_device_without_warpgroups_keeps_its_peak() -> None:
    peak = preset("a100").peak(DType.BF16)
    assert peak and seconds("a100", (4096,) * 3, (128, 128)) < 1.5 * 2 * 4096**3 / (peak * 1e9)
