# SPDX-License-Identifier: MIT
"""SYCL C++: the text is golden, both ways to launch it say what the kernel fixes, and several kernels may stand in one file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.expr import UnaryFn
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.quotient import reciprocal
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm
from tracea_core.testing.golden import check_golden
from tracea_sycl.oneapi.dialect import SyclDialect
from tracea_sycl.oneapi.plugin import emit
from tracea_sycl.oneapi.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden"


def printed(device: str, dtype: DType, tile: tuple[int, int, int], warps: int, vector: int) -> KernelSource:
    """Return the text of a product of matrices."""
    profile = preset_target(device).profile
    variant = next(v for v in variants(profile) if dtype in v.operand_dtypes)
    config = PipelineConfig(
        tile_m=tile[0],
        tile_n=tile[1],
        tile_k=tile[2],
        stages=2,
        warps=warps,
        vector_a=vector,
        vector_b=vector,
        vector_c=1,
    )
    contraction = lower(gemm((512, 512, 512), dtype, "nt")).contraction
    kernel = build_kernel(contraction, config, profile, variant)
    return emit(kernel, certify(kernel, contraction, profile))


def test_golden_text_of_lanes() -> None:
    check_golden(GOLDEN / "gemm_fp32_pvc.cpp", printed("pvc", DType.FP32, (32, 32, 8), 4, 4).text)


def test_both_launches_say_what_the_kernel_fixes() -> None:
    source = printed("arc_a770", DType.FP32, (32, 32, 8), 2, 4)
    chunks, threads = source.launch.shared_bytes // 16, source.launch.threads
    assert f"work-groups of {threads}, {chunks} elements of local memory" in source.text
    assert "sub_group_size<8>" in source.text and "reqd_sub_group_size(8)" in source.text
    assert f"memory(sycl::range<1>({chunks}), handler)" in source.text and f"sycl::range<1>({threads})" in source.text
    assert f"namespace {source.entry}_tracea {{" in source.text


def test_a_preset_is_printed_in_the_language_that_is_asked_for() -> None:
    made = trace(gemm((64, 64, 64), DType.FP32, "nn"), backend="oneapi", preset="pvc")
    assert made.source is not None and made.source.language == "sycl" and made.target.backend == "oneapi"
    opencl = trace(gemm((64, 64, 64), DType.FP32, "nn"), preset="pvc").source
    assert opencl is not None and opencl.language == "opencl"


def test_literals_and_functions() -> None:
    words = SyclDialect()
    assert words.constant(float("-inf"), DType.FP32) == "-std::numeric_limits<float>::infinity()"
    assert words.unary(UnaryFn.ERF, DType.FP32, "x") == "sycl::erf(x)"
    assert words.round("x", DType.FP32, DType.BF16, False) == "to_bf16(x)"
    with pytest.raises(EmitError, match="fp8_e4m3"):
        words.scalar(DType.FP8_E4M3)


def test_the_host_computes_the_reciprocals_that_kernels_take() -> None:
    """The text's formula, in Python, against the one that tracea's own launches use."""
    for divisor in (1, 2, 3, 7, 224, (1 << 31) - 1):
        shift = 0
        while 1 << shift < divisor:
            shift += 1
        multiplier = ((1 << (31 + shift)) + divisor - 1) // divisor
        assert shift << 32 | multiplier - (1 << 31) == reciprocal(divisor)
