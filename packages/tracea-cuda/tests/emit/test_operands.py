# SPDX-License-Identifier: MIT
"""Operands of one and four bytes through warpgroup instructions, executed in the emulator and compared with float64."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda.plugin import tracea_register_backend

pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]


def problem(operand: DType, out: DType, m: int, n: int, k: int) -> Problem:
    stored = DType.FP32 if operand is DType.TF32 else operand
    options = Options(allow_fallback=False, allow_tf32=True, fast_accumulation=operand is DType.FP8_E5M2)
    op = GemmOp(m, n, k, dtype=operand, out_dtype=out)
    return Problem(op, (dense((m, k), stored), dense((k, n), stored, (1, 0))), dense((m, n), out), options=options)


@pytest.mark.parametrize(
    ("operand", "out"),
    [
        (DType.INT8, DType.INT32),
        (DType.FP8_E4M3, DType.BF16),
        (DType.FP8_E5M2, DType.FP8_E4M3),
        (DType.TF32, DType.FP32),
    ],
)
def test_products_agree_with_float64_and_nothing_races(operand: DType, out: DType) -> None:
    vector, aside = 16 // operand.bytes, operand is DType.FP8_E4M3
    configuration = PipelineConfig(
        tile_m=64, tile_n=64, tile_k=8 * vector, stages=2, warps=8, swizzle=SwizzleMode.B128,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=vector, vector_b=vector, vector_c=8,
        in_flight=0 if aside else 1, block_k=8 * vector if aside else 0,
    )  # fmt: skip
    given = problem(operand, out, 80, 96, 272)
    served = Served(tracea_register_backend(), "h200", given, configuration, f"cuda.contraction.wgmma_{operand.value}")
    assert served.run(given).bank_conflicts == 0


@pytest.mark.parametrize("items", [0, 3])
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_rows_of_tf32_that_lanes_read_agree_with_float64_and_meet_in_no_bank(layout: str, items: int) -> None:
    configuration = PipelineConfig(
        tile_m=128, tile_n=40, tile_k=32, stages=2, warps=12, swizzle=SwizzleMode.B128,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=4, vector_b=4, vector_c=4,
    )  # fmt: skip
    options = Options(allow_fallback=False, allow_tf32=True, exchanged=layout == "nn")
    extra = (dense((100,), DType.FP32),)
    given = gemm(
        (196, 100, 76), DType.FP32, layout, epilogue=parse_epilogue("bias,relu"), extra=extra,
        batch=(items,) if items else (),
    )  # fmt: skip
    op = GemmOp(196, 100, 76, batch=given.op.batch, dtype=DType.TF32, out_dtype=DType.FP32)
    given = given.replace(op=op, options=options)
    served = Served(tracea_register_backend(), "h200", given, configuration, "cuda.contraction.wgmma_tf32")
    assert served.run(given).bank_conflicts == 0


@pytest.mark.parametrize(
    ("layout", "fields"),
    [
        ("nt", {"tile_m": 128, "tile_n": 64, "warps": 4}),
        ("tn", {"tile_m": 64, "tile_n": 128, "warps": 4, "stages": 3}),
    ],
)
def test_lanes_that_read_ahead_meet_in_no_bank(layout: str, fields: dict[str, int]) -> None:
    defaults = {"tile_k": 8, "stages": 2, "warps": 8, "vector_a": 4, "vector_b": 4, "vector_c": 4, "unroll_k": 2}
    given = gemm((136, 132, 44), DType.FP32, layout)
    served = Served(
        tracea_register_backend(), "h200", given, PipelineConfig(**{**defaults, **fields}), "cuda.contraction.simt_fp32"
    )
    assert served.run(given).bank_conflicts == 0


@pytest.mark.parametrize("layout", ["nt", "tn"])
def test_two_parts_of_tf32_agree_as_closely_as_fp32(layout: str) -> None:
    given = gemm((72, 68, 44), DType.FP32, layout).replace(options=Options(tf32x3=True))
    configuration = PipelineConfig(
        tile_m=64, tile_n=64, tile_k=16, stages=3, warps=4, vector_a=4, vector_b=4, vector_c=4
    )
    served = Served(tracea_register_backend(), "h200", given, configuration, "cuda.contraction.mma_tf32x3")
    assert served.run(given).bank_conflicts == 0
