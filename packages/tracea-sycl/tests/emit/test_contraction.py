# SPDX-License-Identifier: MIT
"""OpenCL C: the text is golden, and it says what it cannot express."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.expr import UnaryFn
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm, storing
from tracea_core.testing.golden import check_golden
from tracea_sycl.emit.dialect import OpenClDialect
from tracea_sycl.emit.matrix import wrapper
from tracea_sycl.plugin import emit
from tracea_sycl.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden"
KERNELS = {
    "gemm_fp32_pvc": ("pvc", DType.FP32, (64, 64, 8, 2, 4), 4),
    "gemm_bf16_pvc": ("pvc", DType.BF16, (64, 64, 32, 2, 8), 8),
    "gemm_fp32_auxiliary_pvc": ("pvc", DType.FP32, (64, 64, 8, 2, 4), 4),
    "gemm_int8_dg2": ("arc_a770", DType.INT8, (32, 32, 64, 2, 4), 16),
}


def printed(name: str) -> KernelSource:
    device, dtype, (tile_m, tile_n, tile_k, stages, warps), vector = KERNELS[name]
    profile = preset_target(device).profile
    variant = next(v for v in variants(profile) if dtype in v.operand_dtypes)
    config = PipelineConfig(
        tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, stages=stages, warps=warps, vector_a=vector, vector_b=vector, vector_c=1,
        order=Order.GROUPED, group=4,
    )  # fmt: skip
    problem = gemm((512, 512, 512), dtype, "nt")
    contraction = lower(storing(problem) if "auxiliary" in name else problem).contraction
    kernel = build_kernel(contraction, config, profile, variant)
    return emit(kernel, certify(kernel, contraction, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cl", printed(name).text)


def test_literals_and_functions() -> None:
    words = OpenClDialect()
    assert words.constant(0.5, DType.FP32) == "0.5f" and words.constant(0.5, DType.FP64) == "0.5"
    assert words.constant(float("-inf"), DType.FP32) == "-INFINITY"
    assert words.unary(UnaryFn.ERF, DType.FP32, "x") == "erf(x)"
    assert words.round("x", DType.INT32, DType.INT8, True) == "convert_char_sat(x)"


def test_what_has_no_word_is_refused() -> None:
    with pytest.raises(EmitError, match="fp8_e4m3"):
        OpenClDialect().scalar(DType.FP8_E4M3)
    with pytest.raises(EmitError, match="mfma"):
        wrapper(instruction("mfma_32x32x8_fp16"))
