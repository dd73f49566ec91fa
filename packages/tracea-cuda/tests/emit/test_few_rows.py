# SPDX-License-Identifier: MIT
"""Products of few rows with their factors exchanged, executed in the emulator and compared with float64."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.activations import BiasAdd, ReLU, Residual, Scale
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.testing.cases import dense
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

BF16 = DType.BF16


pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def problem(m: int, n: int, k: int, *, fused: bool) -> Problem:
    """Return a product with the weights stored by columns; its tail reads vectors along rows and columns, and a matrix."""
    op, options = GemmOp(m, n, k, dtype=BF16), Options(exchanged=True, allow_fallback=False)
    inputs, out = (dense((m, k), BF16, gap=-k % 8), dense((k, n), BF16, (1, 0), -k % 8)), dense((m, n), BF16)
    if not fused:
        return Problem(op, inputs, out, options=options)
    bias, scale = np.ones(n, np.float32), np.ones(m, np.float32)
    tail, arrays = (BiasAdd(bias) | Scale(scale, "row") | Residual(np.ones((m, n), np.float32)) | ReLU()).bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    return Problem(op, inputs, out, tail, extra, options)


def configuration(width: int, **fields: int) -> PipelineConfig:
    base = PipelineConfig(
        tile_m=64, tile_n=width, tile_k=128, stages=2, warps=8, swizzle=SwizzleMode.B128,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=8, vector_b=8, vector_c=8, in_flight=1,
    )  # fmt: skip
    return base.replace(**fields)


@pytest.mark.parametrize(("width", "cluster", "fused"), [(8, 1, False), (32, 2, True)])
def test_any_few_rows_go_through_one_kernel(width: int, cluster: int, fused: bool) -> None:
    first = problem(16, 136, 264, fused=fused)
    served = Served(
        tracea_register_backend(), "h200", first, configuration(width, cluster_m=cluster), "cuda.contraction.wgmma_bf16"
    )
    assert "stmatrix.sync.aligned.m8n8" in served.source.text and ".trans.shared.b16" in served.source.text
    for m, n, k in [(2 if fused else 1, 136, 264), (3, 8, 72), (17, 200, 520), (65, 72, 8)]:
        assert served.run(problem(m, n, k, fused=fused), seed=m).bank_conflicts == 0


def test_a_store_that_does_not_transpose_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea_cuda.emit.hopper import HopperDialect

    right = HopperDialect.matrix_store
    monkeypatch.setattr(HopperDialect, "matrix_store", lambda self, *given: right(self, *given[:-1], False))
    few = problem(16, 136, 264, fused=False)
    served = Served(tracea_register_backend(), "h200", few, configuration(16), "cuda.contraction.wgmma_bf16")
    with pytest.raises(ConformanceError):
        served.run(few)
