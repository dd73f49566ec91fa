# SPDX-License-Identifier: MIT
"""SYCL C++: the text is golden, both ways to launch it say what the kernel fixes, and several kernels may stand in one file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.expr import UnaryFn
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.kernel import Opaque, SemanticKernel, Use
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower import lower
from tracea_core.semantic.quotient import reciprocal
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm
from tracea_core.testing.golden import check_golden
from tracea_sycl.oneapi import matrix
from tracea_sycl.oneapi.dialect import SyclDialect
from tracea_sycl.oneapi.plugin import emit
from tracea_sycl.oneapi.variants import variants
from tracea_sycl.plugin import emit as emit_opencl

GOLDEN = Path(__file__).parents[1] / "golden"


def printed_kernel(
    device: str, dtype: DType, tile: tuple[int, int, int], warps: int, vector: int
) -> tuple[SemanticKernel, Certificate]:
    """Return a product of matrices and its certificate."""
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
    return kernel, certify(kernel, contraction, profile)


def printed(device: str, dtype: DType, tile: tuple[int, int, int], warps: int, vector: int) -> KernelSource:
    """Return the text of a product of matrices."""
    return emit(*printed_kernel(device, dtype, tile, warps, vector))


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


MATRICES = {
    "joint_bf16_pvc": ("pvc", DType.BF16, (32, 32, 32), 4, 8),
    "joint_int8_dg2": ("arc_a770", DType.INT8, (16, 16, 64), 2, 16),
}


@pytest.mark.parametrize("name", MATRICES)
def test_golden_text_of_joint_matrices(name: str) -> None:
    check_golden(GOLDEN / f"{name}.cpp", printed(*MATRICES[name]).text)


def test_every_opaque_step_is_printed_once() -> None:
    source = printed(*MATRICES["joint_bf16_pvc"])
    counts = {word: source.text.count(f"joint_matrix_{word}(") for word in ("fill", "load", "mad", "store")}
    # 2x1 sums of a warp; a step of 32 is two products deep, printed as one loop, in the main loop and in the last steps.
    assert counts == {"fill": 2, "load": 2 * 3, "mad": 2 * 2, "store": 2}


def test_matrices_that_are_no_joint_matrices_are_refused() -> None:
    layout = instruction("joint_sg16_8x16x16_bf16").c
    with pytest.raises(EmitError, match="fp64"):
        matrix.element(Packed("x", DType.FP64, layout, 1, Opaque(Use.SUM, True)))
    known = Packed("x", DType.FP32, layout, 1)
    with pytest.raises(EmitError, match="dpas_sg16"):
        SyclDialect().mma(instruction("dpas_sg16_8x16x16_bf16"), known, known, known)
    kernel = printed_kernel(*MATRICES["joint_bf16_pvc"])
    with pytest.raises(EmitError, match="opaque matrices"):
        emit_opencl(*kernel)
