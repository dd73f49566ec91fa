# SPDX-License-Identifier: MIT
"""Sweeps that pause to ask for lines, executed: right at every edge, to the same bits, and the loop between pauses asks for nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.assembled import main_loop
from tracea_core.testing.cases import gemm
from tracea_cpu.compile import assembly

LINUX = "x86_64-unknown-linux-gnu"
ASKING = PipelineConfig(tile_m=3, tile_n=16, tile_k=4, stages=2, warps=1, in_flight=1)
SHAPES = [(1, 1, 1), (2, 17, 3), (7, 50, 0), (0, 5, 3), (11, 71, 33), (3, 16, 64), (64, 33, 13)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("batch", [1, 3])
def test_results_are_right(
    shape: tuple[int, int, int], batch: int, random: Any, poisoned: Callable[..., Any], check: Callable[..., float]
) -> None:
    m, n, k = shape
    op = GemmOp(m, n, k, batch=(batch,))
    given = [poisoned(one, DType.FP32, gap=3) for one in ((batch, m, k), (batch, k, n))]
    for tensor in given:
        tensor.fill(random.standard_normal(tensor.spec.shape))
    results = []
    for configuration in (ASKING, ASKING.replace(in_flight=0)):
        out = poisoned((batch, m, n), DType.FP32, gap=2)
        check(op, given, out, configuration, workers=2, splits=2)
        results.append(out.values)
    assert np.array_equal(*results), "pauses change no order of additions"


@pytest.mark.parametrize("rows, vectors, preset_name, cpu", [
    (3, 7, "avx512", "znver4"), (6, 4, "avx512", "znver4"), (4, 5, "avx512", "skylake-avx512"), (4, 3, "avx2", "haswell"),
])  # fmt: skip
def test_the_loop_between_pauses_asks_for_nothing_and_stays_in_registers(
    rows: int, vectors: int, preset_name: str, cpu: str, built: Callable[..., Any]
) -> None:
    profile = preset(preset_name)
    problem: Problem = gemm((64, 3136, 64), DType.FP32, batch=(8,))
    tile = ASKING.replace(tile_m=rows, tile_n=vectors * profile.lanes)
    text = assembly(built(problem, tile, profile).source.text, LINUX, cpu)
    loop = main_loop(text)
    assert "prefetch" in text and not [line for line in loop.lines if "prefetch" in line]
    assert loop.multiplies == rows * vectors * tile.tile_k
    assert not loop.stack
