# SPDX-License-Identifier: MIT
"""Products of few tiles whose rows straddle sectors get clusters of four, others none."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.few_tiles import BLOCKS
from tracea_core.policy.kinds import Grouped
from tracea_core.policy.order import Order
from tracea_core.policy.topology import OperatorTopology

H200 = preset("h200")


def product(m: int, n: int, k: int, **fields: object) -> OperatorTopology:
    odd = {"whole_sectors": k % 16 == 0, "whole_lines": k % 64 == 0}
    types = {"dtype": DType.BF16, "out_dtype": DType.BF16, "b_along_k": True, "op_type": "Gemm"}
    return OperatorTopology(0, "x", m=m, n=n, k=k, **{**types, **odd, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "tile"),
    [
        ((560, 1440, 6536), (128, 64, 1, 4)),  # 31.0 µs, 39.8 before
        ((544, 1296, 8856), (128, 64, 1, 4)),  # 43.6 and 44.4
        ((520, 1536, 1544), (128, 64, 1, 4)),  # 14.0 and 15.6
        ((1160, 1400, 3000), (128, 128, 2, 2)),  # 24.9 and 28.7
        ((1408, 1280, 11000), (128, 128, 2, 2)),  # 68.4 and 82.1
        ((2304, 624, 5320), (128, 128, 2, 2)),  # 37.8 and 38.5
        ((5072, 384, 8504), (128, 128, 4, 1)),  # 65.8 and 71.8
        ((5096, 336, 1672), (128, 128, 4, 1)),  # 19.5 and 20.9
    ],
)
def test_four_blocks_share_rows_that_straddle_sectors(shape, tile):
    decision = PolicyEngine(H200).decide(product(*shape))
    hero = decision.hero
    assert (hero.tile_m, hero.tile_n, hero.cluster_m, hero.cluster_n) == tile
    assert hero.order is Order.ROW, "as it was measured, also where there are more columns than rows"
    assert any(reason.rule == "four blocks share straddling rows" for reason in decision.reasons)


@pytest.mark.parametrize(
    "operator",
    [
        product(560, 1440, 6528),  # whole sectors
        product(384, 2304, 4104),  # many more columns than rows
        product(896, 888, 888),  # half of the processors idle
        product(4104, 4104, 4104),  # several rounds
        product(1160, 1400, 3000, gates=2),
        product(1160, 1400, 3000, op_type="Conv2d"),
        product(1160, 1400, 3000, dtype=DType.INT8, out_dtype=DType.INT32),
        product(1160, 1400, 3000, kind=Grouped((580, 580)), op_type="GroupedGemm"),
        product(0, 1400, 3000),
    ],
)
def test_others_have_no_clusters_of_four(operator):
    assert all(hero.cluster < BLOCKS for hero in PolicyEngine(H200).decide(operator).heroes)


def test_other_devices_have_no_such_clusters():
    decision = PolicyEngine(preset("a100")).decide(product(1160, 1400, 3000))
    assert all(hero.cluster == 1 for hero in decision.heroes)
