# SPDX-License-Identifier: MIT
"""What is tried where a compiler does not keep a schedule."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options
from tracea_core.pipeline import trace
from tracea_core.pipeline.configure import Origin, replacements
from tracea_core.policy.config import BarrierMode
from tracea_core.semantic.build.schedules import first_buildable
from tracea_core.testing.cases import dense, gemm

pytest.importorskip("tracea_cuda")


def test_tiles_of_half_as_many_columns_are_the_last_resort() -> None:
    """Six configurations with 128 sums beside a bias, batch norm and GELU spilled 4 or 8 bytes each."""
    vectors = (dense((896,), DType.BF16),) * 5
    problem = gemm((6272, 896, 224), DType.BF16, "nt").replace(
        epilogue=parse_epilogue("bias,batch_norm:1e-05,gelu"),
        epilogue_inputs=vectors,
        options=Options(allow_fallback=False),
    )
    path = trace(problem, None, "cuda", preset="h200")
    tried = replacements(path.configured)
    heroes = path.configured.decision.heroes
    assert len(set(tried)) == len(tried) and path.configuration not in tried
    assert set(heroes) - {path.configuration} == set(tried[: len(heroes) - 1])
    narrow = [one for one in tried if one not in heroes]
    assert narrow and all(one.replace(tile_n=2 * one.tile_n) in heroes for one in narrow)
    sharing = [1 if one.barrier_mode is BarrierMode.PING_PONG else one.warps // 4 - 1 for one in narrow]
    assert min(one.tile_m * one.tile_n // (128 * parts) for one, parts in zip(narrow, sharing, strict=True)) <= 64
    assert first_buildable(path.lowered, narrow, path.target.profile, path.choice.variant) in narrow


def test_what_somebody_chose_is_not_replaced() -> None:
    configured = trace(gemm((300, 300, 300), DType.BF16), None, "cuda", preset="h200").configured
    assert replacements(configured)
    for origin in (Origin.GIVEN, Origin.LOCKED, Origin.MEASURED):
        assert replacements(configured.replace(origin=origin)) == ()
