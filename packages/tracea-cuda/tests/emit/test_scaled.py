# SPDX-License-Identifier: MIT
"""Products with scales along k: the text is golden, the assembler keeps its schedule, and in the emulator it agrees with float64."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.activations import BiasAdd, SiLU
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.golden import check_golden
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt.served import Served
from tracea_cuda import compile as compiler
from tracea_cuda.plugin import emit, tracea_register_backend
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "scaled"
SHARED = PipelineConfig(
    tile_m=128, tile_n=128, tile_k=128, stages=3, warps=12, swizzle=SwizzleMode.B128, order=Order.ROW, block_k=128, in_flight=0,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=16, vector_b=16, vector_c=8,
)  # fmt: skip
SMALL = SHARED.replace(tile_m=64, tile_n=64, stages=2, warps=8)
CASES = {
    "hopper_e4m3_groups_blocks": (SHARED, (1, 128), False),
    "hopper_e4m3_groups_bias_silu": (SMALL, (1, 1), True),
    "hopper_e4m3_boxes": (SHARED.replace(scale_boxes=1), (1, 128), False),
}

RAGGED = "hopper_e4m3_ragged"


def problem(m: int, n: int, k: int, shared: tuple[int, int], *, fused: bool, dtype: DType = DType.FP8_E4M3) -> Problem:
    op = ScaledGemmOp(m, n, k, *shared, dtype=dtype)
    a, b, *scales = op.input_shapes()
    inputs = (
        dense(a, dtype),
        dense(b, dtype, (1, 0)),
        dense(scales[0], DType.FP32, (1, 0)),
        dense(scales[1], DType.FP32),
    )
    tail = (BiasAdd(np.ones(n)) | SiLU()).bind()[0] if fused else IDENTITY
    extra = (dense((n,), DType.BF16),) if fused else ()
    return Problem(op, inputs, dense((m, n), DType.BF16), tail, extra, Options(allow_fallback=False))


def ragged(m: int, groups: int, n: int, k: int) -> Problem:
    op = ScaledGroupedGemmOp(m, groups, n, k, dtype=DType.FP8_E4M3)
    x, w, ends, *scales = op.input_shapes()
    inputs = (
        dense(x, DType.FP8_E4M3), dense(w, DType.FP8_E4M3, (0, 2, 1)), dense(ends, DType.INT32), dense(scales[0], DType.FP32),
        dense(scales[1], DType.FP32, (0, 2, 1)),
    )  # fmt: skip
    return Problem(op, inputs, dense((m, n), DType.BF16), options=Options(allow_fallback=False))


@functools.cache
def printed(name: str) -> KernelSource:
    configuration, shared, fused = CASES.get(name, (SMALL, (1, 128), False))
    profile = preset("h200")
    variant = next(v for v in variants(profile) if v.name == "cuda.contraction.wgmma_fp8_e4m3")
    stated = ragged(512, 4, 512, 256) if name == RAGGED else problem(512, 512, 256, shared, fused=fused)
    form = lower(stated).contraction
    kernel = build_kernel(form, configuration, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", [*CASES, RAGGED])
def test_the_text_is_golden(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed(name).text)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", [*CASES, RAGGED])
def test_the_assembler_keeps_the_schedule(name: str) -> None:
    try:
        compiler.compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert compiler.binary(printed(name))


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
@pytest.mark.parametrize(
    ("shared", "dtype", "shape", "configuration"),
    [
        ((1, 128), DType.FP8_E4M3, (72, 136, 144), SMALL),
        ((128, 1), DType.FP8_E5M2, (136, 72, 144), SMALL),
        ((1, 128), DType.FP8_E4M3, (72, 504, 560), SMALL.replace(scale_boxes=1)),
        ((1, 1), DType.FP8_E5M2, (136, 72, 144), SMALL.replace(scale_boxes=1)),
    ],
)
def test_scaled_sums_agree_with_float64_and_nothing_races(
    shared: tuple[int, int], dtype: DType, shape: tuple[int, int, int], configuration: PipelineConfig
) -> None:
    first = problem(*shape, shared, fused=False, dtype=dtype)
    served = Served(tracea_register_backend(), "h200", first, configuration, f"cuda.contraction.wgmma_{dtype.value}")
    assert served.run(first).bank_conflicts == 0


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
def test_scaled_ragged_groups_agree_with_float64() -> None:
    first = ragged(70, 2, 72, 144)
    served = Served(tracea_register_backend(), "h200", first, SMALL, "cuda.contraction.wgmma_fp8_e4m3")
    assert served.run(first).bank_conflicts == 0


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
def test_boxes_of_ragged_groups_begin_at_any_row() -> None:
    op = ScaledGroupedGemmOp(72, 3, 72, 512, dtype=DType.FP8_E4M3)
    x, w, ends, *scales = op.input_shapes()
    inputs = (
        dense(x, op.dtype), dense(w, op.dtype, (0, 2, 1)), dense(ends, DType.INT32), dense(scales[0], DType.FP32, (1, 0)),
        dense(scales[1], DType.FP32, (0, 2, 1)),
    )  # fmt: skip
    first = Problem(op, inputs, dense((72, 72), DType.BF16), options=Options(allow_fallback=False))
    boxed = SMALL.replace(scale_boxes=1)
    served = Served(tracea_register_backend(), "h200", first, boxed, "cuda.contraction.wgmma_fp8_e4m3")
    assert served.run(first).bank_conflicts == 0
