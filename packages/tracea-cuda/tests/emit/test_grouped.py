# SPDX-License-Identifier: MIT
"""Grouped products: the text is golden, the assembler keeps its schedule, and what it does in the emulator agrees with float64."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.activations import ReLU, Residual
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.stages import join
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

GOLDEN = Path(__file__).parents[1] / "golden" / "grouped"
BF16 = DType.BF16
PRODUCER = PipelineConfig(
    tile_m=128, tile_n=64, tile_k=64, stages=2, warps=12, swizzle=SwizzleMode.B128, in_flight=1, order=Order.ROW, cluster_n=2,
    barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=8, vector_b=8, vector_c=8,
)  # fmt: skip
TURNS = PRODUCER.replace(tile_m=64, cluster_n=1, barrier_mode=BarrierMode.PING_PONG)
UNIFORM = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=32, stages=3, warps=4, swizzle=SwizzleMode.XOR4, order=Order.ROW,
    vector_a=8, vector_b=8, vector_c=8, unroll_k=2,
)  # fmt: skip
CASES = {
    "hopper_bf16_bias_residual_relu": ("wgmma", PRODUCER, True),
    "hopper_bf16_turns": ("wgmma", TURNS, False),
    "mma_bf16_bias_residual_relu": ("mma", UNIFORM, True),
}


def problem(m: int, groups: int, n: int, k: int, *, fused: bool) -> Problem:
    op = GroupedGemmOp(m, groups, n, k, dtype=BF16)
    inputs = (dense((m, k), BF16), dense((groups, k, n), BF16, (0, 2, 1)), dense((groups,), DType.INT32))
    tail, extra = IDENTITY, ()
    if fused:
        tail = join(bias(), (Residual(np.ones((m, n))) | ReLU()).bind()[0])
        extra = (dense((groups, n), BF16), dense((m, n), BF16))
    return Problem(op, inputs, dense((m, n), BF16), tail, extra, Options(allow_fallback=False))


@functools.cache
def printed(name: str) -> KernelSource:
    kind, configuration, fused = CASES[name]
    profile = preset("h200")
    variant = next(v for v in variants(profile) if v.name == f"cuda.contraction.{kind}_bf16")
    form = lower(problem(512, 4, 512, 256, fused=fused)).contraction
    kernel = build_kernel(form, configuration, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_golden(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed(name).text)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", CASES)
def test_the_assembler_keeps_the_schedule(name: str) -> None:
    try:
        compiler.compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert compiler.binary(printed(name))


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
@pytest.mark.parametrize("name", CASES)
def test_ragged_groups_agree_with_float64_and_nothing_races(name: str) -> None:
    kind, configuration, fused = CASES[name]
    first = problem(512, 4, 512, 256, fused=fused)
    served = Served(tracea_register_backend(), "h200", first, configuration, f"cuda.contraction.{kind}_bf16")
    for m, groups, n, k in ((200, 4, 72, 72), (77, 9, 40, 8)):
        assert served.run(problem(m, groups, n, k, fused=fused)).bank_conflicts == 0
