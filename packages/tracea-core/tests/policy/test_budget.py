# SPDX-License-Identifier: MIT
"""How many blocks of a processor the model of times counts on."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.budget import blocks_at_once, shared_bytes
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import topology_of
from tracea_core.testing.cases import gemm


@pytest.mark.parametrize(
    ("device", "tile", "warps", "expected"),
    [
        ("mi300x", (256, 256, 32), 8, 1),  # its shared memory has room for one
        ("mi355x", (256, 256, 32), 8, 1),  # it has room for two, but registers for one: 168 of 256 a lane
        ("mi355x", (128, 128, 32), 4, 2),
        ("mi300x", (32, 64, 64), 4, 2),
        ("m1", (64, 64, 16), 4, 2),  # of whose registers nothing is known
    ],
)
def test_blocks_at_once_are_limited_by_shared_memory_and_registers(
    device: str, tile: tuple[int, int, int], warps: int, expected: int
) -> None:
    profile = preset(device)
    topology = topology_of(gemm((4096, 4096, 4096), DType.FP16, "nt"))
    m, n, k = tile
    config = PipelineConfig(tile_m=m, tile_n=n, tile_k=k, stages=2, warps=warps)
    assert blocks_at_once(config, profile, topology) == expected
    assert shared_bytes(config, profile, topology) <= profile.shared_bytes
