# SPDX-License-Identifier: MIT
"""Products whose tiles are fewer than the processors get narrower ones, as long as each processor has one at the most."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.engine import RULES, PolicyEngine
from tracea_core.policy.kinds import Grouped
from tracea_core.policy.one_round import narrower_tiles_of_one_round
from tracea_core.policy.topology import OperatorTopology
from tracea_core.policy.waves import tiles_of

H200 = preset("h200")
WITHOUT = PolicyEngine(H200, tuple(rule for rule in RULES if rule is not narrower_tiles_of_one_round))


def product(m: int, n: int, k: int, **fields: object) -> OperatorTopology:
    types = {"dtype": DType.BF16, "out_dtype": DType.BF16, "b_along_k": True, "op_type": "Gemm"}
    whole = {"whole_sectors": True, "whole_lines": True}
    return OperatorTopology(0, "x", m=m, n=n, k=k, **{**types, **whole, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "columns"),
    [
        ((1568, 768, 3072), 96),
        ((2048, 768, 3072), 96),
        ((1536, 1024, 4096), 96),
        ((384, 3072, 1024), 80),
        ((3136, 384, 1536), 80),
    ],
)
def test_narrower_tiles_fill_one_round(shape: tuple[int, int, int], columns: int) -> None:
    operator = product(*shape)
    decision, before = PolicyEngine(H200).decide(operator), WITHOUT.decide(operator)
    hero = decision.hero
    assert (hero.tile_m, hero.tile_n, hero.cluster, hero.split_k) == (128, columns, 1, 1)
    assert tiles_of(before.hero, operator) < tiles_of(hero, operator) <= H200.processors
    engine = PolicyEngine(H200)
    assert engine.predict(hero, operator) < 0.9 * engine.predict(before.hero, operator)
    assert any(reason.rule == "narrower tiles of one round" for reason in decision.reasons)


@pytest.mark.parametrize(
    "operator",
    [
        product(128, 8192, 8192),  # rows of one tile
        product(4096, 4096, 4096),  # several rounds
        product(1568, 768, 3072, gates=2),
        product(1568, 768, 3072, batch=2),
        product(1568, 768, 3072, op_type="Conv2d"),
        product(1568, 768, 3072, dtype=DType.INT8, out_dtype=DType.INT32),
        product(1568, 768, 3072, kind=Grouped((784, 784)), op_type="GroupedGemm"),
        product(0, 768, 3072),
    ],
)
def test_others_are_decided_as_before(operator: OperatorTopology) -> None:
    assert PolicyEngine(H200).decide(operator) == WITHOUT.decide(operator)


def test_other_devices_are_decided_as_before() -> None:
    operator, rules = product(1568, 768, 3072), WITHOUT.rules
    assert PolicyEngine(preset("a100")).decide(operator) == PolicyEngine(preset("a100"), rules).decide(operator)
