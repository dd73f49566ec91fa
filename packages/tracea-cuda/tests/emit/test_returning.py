# SPDX-License-Identifier: MIT
"""Reductions backwards in odd rounds, executed in the emulator: more tiles than processors, steps whole and not, agree with float64."""

from __future__ import annotations

from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.testing.cases import gemm
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


@pytest.mark.parametrize(
    ("layout", "fields"),
    [
        ("nt", {"order": Order.SERPENTINE, "group": 2}),
        ("tn", {"cluster_m": 2}),
        ("nt", {"warps": 12, "barrier_mode": BarrierMode.PING_PONG}),
    ],
)
def test_products_agree_with_float64_and_nothing_races(layout: str, fields: dict[str, Any]) -> None:
    configuration = PipelineConfig(**{
        "tile_m": 64, "tile_n": 64, "tile_k": 64, "stages": 3, "warps": 8, "swizzle": SwizzleMode.B128, "in_flight": 1,
        "barrier_mode": BarrierMode.PRODUCER_CONSUMER, "vector_a": 8, "vector_b": 8, "vector_c": 8, "returning": 1, **fields,
    })  # fmt: skip
    served = Served(
        tracea_register_backend(),
        "h200",
        gemm((512, 512, 512), DType.BF16, layout),
        configuration,
        "cuda.contraction.wgmma_bf16",
    )
    for m, n, k in ((64 * 18, 64 * 9 - 24, 200), (64 * 34, 64 * 8, 64), (8, 8, 136)):
        assert served.run(gemm((m, n, k), DType.BF16, layout)).bank_conflicts == 0
