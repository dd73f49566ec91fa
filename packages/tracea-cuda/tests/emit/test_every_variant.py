# SPDX-License-Identifier: MIT
"""Every kind of kernel has a golden text; those that no other file prints are here, as the policy chooses them, and kept by NVRTC."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.activations import Scale
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import NormKind, NormOp
from tracea_core.pipeline.path import trace
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.row_cases import row_problem
from tracea_cuda.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden"
OWN = GOLDEN / "variants"
PRESETS = ("h200", "a100", "t4")
SINGLE = gemm((512, 512, 512), DType.FP32).replace(options=Options(allow_tf32=True))


def _scaled() -> Problem:
    """Return a product of bytes that a scale for each row and one for each column turn into bf16."""
    whole = gemm((512, 512, 512), DType.INT8, "nt")
    epilogue, arrays = (Scale(np.ones(512, np.float32), "row") | Scale(np.ones(512, np.float32), "column")).bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    op = whole.op.replace(out_dtype=DType.BF16)
    return Problem(op, whole.inputs, dense((512, 512), DType.BF16), epilogue, extra)


SCALED = _scaled()
KERNELS: dict[str, tuple[str, str, Problem]] = {
    "fp16_sm75": ("t4", "contraction.mma_k8_fp16", gemm((512, 512, 512), DType.FP16)),
    "int8_sm75": ("t4", "contraction.mma_k16_int8", gemm((512, 512, 512), DType.INT8, "nt")),
    "int8_sm80": ("a100", "contraction.mma_product_int8", SCALED),
    "int8_rows_sm80": ("a100", "contraction.mma_product_int8", gemm((512, 512, 512), DType.INT8)),
    "tf32_sm80": ("a100", "contraction.mma_tf32", SINGLE),
    "attention_fp16_sm75": (
        "t4",
        "chained.mma_k8_fp16",
        chain_problem(AttentionOp(2, 8, 512, 512, 64, dtype=DType.FP16)),
    ),
    "attention_fp32": ("h200", "chained.simt_fp32", chain_problem(AttentionOp(2, 8, 512, 512, 64, dtype=DType.FP32))),
    "low_rank_fp16": (
        "h200",
        "chained.low_rank_mma_fp16",
        chain_problem(LowRankOp(512, 1024, 1024, 16, dtype=DType.FP16)),
    ),
    "layer_norm_fp64": (
        "h200",
        "rowwise.warp_fp64",
        row_problem(NormOp((64, 256), NormKind.LAYER, bias=True, dtype=DType.FP64)),
    ),
}
"""Preset, kind of kernel and problem by the name of the golden file."""


@functools.cache
def source(name: str) -> KernelSource:
    device, kind, problem = KERNELS[name]
    path = trace(problem, preset=device, backend="cuda")
    assert path.source is not None and path.choice.variant.name == f"cuda.{kind}"
    return path.source


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(OWN / f"{name}.cu", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(OWN, {f"{name}.cu" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_keeps_the_schedule(name: str, kept: Callable[..., None]) -> None:
    kept(source(name))


@pytest.mark.parametrize("device", PRESETS)
def test_every_kind_of_kernel_has_a_golden_text(device: str) -> None:
    heads = (re.search(r"^// variant +(\S+) for", path.read_text(), re.MULTILINE) for path in GOLDEN.rglob("*.cu"))
    printed = {head[1] for head in heads if head}
    assert [variant.name for variant in variants(preset(device)) if variant.name not in printed] == []
