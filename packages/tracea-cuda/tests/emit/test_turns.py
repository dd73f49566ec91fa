# SPDX-License-Identifier: MIT
"""Consumers that take turns, executed in the emulator: any number of tiles, steps and blocks agrees with float64, and nothing races."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.testing.cases import dense
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def problem(m: int, n: int, k: int) -> Problem:
    op = GemmOp(m, n, k, dtype=DType.BF16, out_dtype=DType.BF16)
    inputs = (dense((m, k), DType.BF16), dense((k, n), DType.BF16, (1, 0)))
    return Problem(op, inputs, dense((m, n), DType.BF16), options=Options(allow_fallback=False))


@pytest.mark.parametrize(
    ("cluster", "stages", "in_flight", "tile_m"), [((1, 1), 3, 1, 64), ((2, 1), 2, 1, 128), ((1, 1), 2, 0, 64)]
)
def test_products_agree_with_float64_and_nothing_races(
    cluster: tuple[int, int], stages: int, in_flight: int, tile_m: int
) -> None:
    configuration = PipelineConfig(
        tile_m=tile_m, tile_n=32, tile_k=64, stages=stages, warps=12, swizzle=SwizzleMode.B128, in_flight=in_flight,
        barrier_mode=BarrierMode.PING_PONG, vector_a=8, vector_b=8, vector_c=8, cluster_m=cluster[0], cluster_n=cluster[1],
    )  # fmt: skip
    served = Served(
        tracea_register_backend(), "h200", problem(512, 512, 512), configuration, "cuda.contraction.wgmma_bf16"
    )
    for m, n, k in ((1, 8, 8), (200, 40, 264), (3, 160, 64), (130, 72, 200)):
        assert served.run(problem(m, n, k)).bank_conflicts == 0
