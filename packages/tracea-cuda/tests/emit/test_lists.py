# SPDX-License-Identifier: MIT
"""Products with few blocks: the text is golden, and what it does in the emulator agrees with float64, whatever lists say."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.sparse import BlockSparseGemmOp, SparseOperand
from tracea_core.policy.config import PipelineConfig, SwizzleMode
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

GOLDEN = Path(__file__).parents[1] / "golden" / "lists"
TILE = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=32, stages=3, warps=4, swizzle=SwizzleMode.XOR4, order=Order.ROW,
    vector_a=8, vector_b=8, vector_c=8, unroll_k=2,
)  # fmt: skip
CASES = {
    "mma_bf16_a": ("mma_bf16", TILE, SparseOperand.A),
    "mma_bf16_b": ("mma_bf16", TILE, SparseOperand.B),
    "simt_fp32_b": (
        "simt_fp32", TILE.replace(tile_k=16, stages=2, vector_a=4, vector_b=4, vector_c=4, swizzle=SwizzleMode.NONE), SparseOperand.B
    ),
}  # fmt: skip


def problem(name: str, blocks: int, extent: int, grid: tuple[int, int], block: tuple[int, int]) -> Problem:
    dtype = DType.FP32 if "fp32" in name else DType.BF16
    op = BlockSparseGemmOp(extent, *grid, blocks, *block, CASES[name][2], dtype)
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    inputs = tuple(dense(*pair) for pair in pairs)
    return Problem(op, inputs, dense(op.output_shape(), dtype), options=Options(allow_fallback=False))


@functools.cache
def printed(name: str) -> KernelSource:
    kind, configuration, _ = CASES[name]
    profile = preset("h200")
    variant = next(v for v in variants(profile) if v.name == f"cuda.contraction.{kind}")
    form = lower(problem(name, 9, 256, (6, 6), (64, 64))).contraction
    kernel = build_kernel(form, configuration, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_golden(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cu", printed(name).text)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", CASES)
def test_the_assembler_takes_it(name: str) -> None:
    try:
        compiler.compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert compiler.binary(printed(name))


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
@pytest.mark.parametrize("name", CASES)
def test_lists_agree_with_float64_and_nothing_races(name: str) -> None:
    kind, configuration, sparse = CASES[name]
    first = problem(name, 9, 256, (6, 6), (64, 64))
    served = Served(tracea_register_backend(), "h200", first, configuration, f"cuda.contraction.{kind}")
    other = (72, 64)[:: 1 if sparse is SparseOperand.A else -1]  # lines of another width
    for seed, (blocks, extent, grid, block) in enumerate(
        [(7, 72, (3, 4), other), (0, 40, (2, 2), (64, 64)), (12, 136, (4, 3), (64, 64))]
    ):
        assert served.run(problem(name, blocks, extent, grid, block), seed).bank_conflicts == 0


def test_another_depth_of_blocks_is_another_kernel() -> None:
    one, other = (lower(problem("mma_bf16_a", 3, 64, (4, 4), (64, depth))).contraction for depth in (32, 64))
    assert one != other and one.title != other.title
    assert (
        np.unique([lower(problem("mma_bf16_a", 3, 64, (4, n), (64, 32))).contraction.digest() for n in (2, 9)]).size
        == 1
    )
