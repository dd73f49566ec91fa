# SPDX-License-Identifier: MIT
"""Products of sm_80 and sm_75, as the policy prints them, executed in the emulator: right at any sizes, no race, no bank conflict."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.activations import BiasAdd, ReLU
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.testing.cases import dense
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.served import Served
from tracea_core.testing.simt.toolchain import find_compiler
from tracea_cuda.plugin import tracea_register_backend


def _found() -> bool:
    try:
        return bool(find_compiler())
    except BackendUnavailableError:
        return False


pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not _found(), reason="no clang++ 16 or newer")]

KERNELS = {
    "sm_80 bf16": ("a100", "cuda.contraction.mma_bf16", DType.BF16, "nt", {}),
    "sm_80 fp16": ("a100", "cuda.contraction.mma_fp16", DType.FP16, "tn", {}),
    "sm_80 tf32x3": ("a100", "cuda.contraction.mma_tf32x3", DType.FP32, "nn", {"tf32x3": True}),
    "sm_80 fp32": ("a100", "cuda.contraction.simt_fp32", DType.FP32, "nn", {}),
    "sm_80 tf32": ("a100", "cuda.contraction.mma_tf32", DType.TF32, "nt", {"allow_tf32": True}),
    "sm_80 tf32, rows": ("a100", "cuda.contraction.mma_tf32", DType.TF32, "nn", {"allow_tf32": True}),
    "sm_80 tf32, columns": ("a100", "cuda.contraction.mma_tf32", DType.TF32, "tn", {"allow_tf32": True}),
    "sm_80 tf32, turned": ("a100", "cuda.contraction.mma_tf32", DType.TF32, "tt", {"allow_tf32": True}),
    "sm_80 int8": ("a100", "cuda.contraction.mma_product_int8", DType.INT8, "nt", {}),
    "sm_80 int8, rows": ("a100", "cuda.contraction.mma_product_int8", DType.INT8, "nn", {}),
    "sm_80 int8, columns": ("a100", "cuda.contraction.mma_product_int8", DType.INT8, "tn", {}),
    "sm_80 int8, turned": ("a100", "cuda.contraction.mma_product_int8", DType.INT8, "tt", {}),
    "sm_75 int8": ("t4", "cuda.contraction.mma_k16_int8", DType.INT8, "nt", {}),
    "sm_75 int8, rows": ("t4", "cuda.contraction.mma_k16_int8", DType.INT8, "nn", {}),
    "sm_75 int8, columns": ("t4", "cuda.contraction.mma_k16_int8", DType.INT8, "tn", {}),
    "sm_75 int8, turned": ("t4", "cuda.contraction.mma_k16_int8", DType.INT8, "tt", {}),
    "sm_75 fp16": ("t4", "cuda.contraction.mma_k8_fp16", DType.FP16, "nn", {}),
    "sm_75 fp16, turned": ("t4", "cuda.contraction.mma_k8_fp16", DType.FP16, "nt", {}),
    "sm_75 fp32": ("t4", "cuda.contraction.simt_fp32", DType.FP32, "nt", {}),
}


def problem(m: int, n: int, k: int, name: str) -> Problem:
    """Return a product with rows of 16 bytes, whose floating-point sums get a bias and pass a ReLU."""
    _, _, dtype, layout, options = KERNELS[name]
    wide, stored = 16 // dtype.bytes, DType.FP32 if dtype is DType.TF32 else dtype
    order = {"n": None, "t": (1, 0)}
    inputs = (
        dense((m, k), stored, order[layout[0]], -(m if layout[0] == "t" else k) % wide),
        dense((k, n), stored, order[layout[1]], -(k if layout[1] == "t" else n) % wide),
    )
    op = GemmOp(m, n, k, dtype=dtype, out_dtype=DType.FP32 if dtype is DType.TF32 else None)
    out = dense((m, n), op.output_dtype())
    if not dtype.is_float:
        return Problem(op, inputs, out, options=Options(allow_fallback=False))
    tail, arrays = (BiasAdd(np.ones(n, np.float32)) | ReLU()).bind()
    extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
    return Problem(op, inputs, out, tail, extra, Options(allow_fallback=False, **options))


@functools.cache
def served(name: str, extent: int = 1032) -> Served:
    """Return the kernel that the policy chooses for a large product; of odd extents it copies element by element."""
    device, variant, *_ = KERNELS[name]
    return Served(tracea_register_backend(), device, problem(extent, extent, extent, name), None, variant)


@pytest.mark.parametrize("name", KERNELS)
def test_products_agree_without_a_race_or_a_conflict(name: str) -> None:
    kernel = served(name)
    for m, n, k in [(8, 16, 48), (40, 72, 136), (136, 264, 40)]:
        report = kernel.run(problem(m, n, k, name), seed=m)
        report.require_clean()
        assert report.bank_conflicts == 0


@pytest.mark.parametrize("name", ["sm_80 bf16", "sm_75 fp16"])
def test_odd_products_agree_without_a_race(name: str) -> None:
    kernel = served(name, 1031)
    for m, n, k in [(3, 9, 33), (33, 70, 129)]:
        kernel.run(problem(m, n, k, name), seed=m).require_clean()


def test_each_device_copies_and_multiplies_by_what_it_has() -> None:
    def kernel(name: str) -> str:
        text = served(name).source.text
        return text[text.index("__global__") :]  # behind the functions that every kernel may call

    newer, older = kernel("sm_80 bf16"), kernel("sm_75 fp16")
    assert "copy_async16(" in newer and "matrices4(" in newer and "mma_m16n8k16_bf16(" in newer
    assert "copy_async" not in older and "matrices2(" in older and "mma_m16n8k8_fp16(" in older


def test_a_race_of_the_oldest_device_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = served("sm_75 fp16")
    walked = kernel._walked
    planted = walked.source.replace(text=walked.source.text.replace("__syncthreads();", ";"))
    monkeypatch.setattr(kernel, "_walked", dataclasses.replace(walked, source=planted))
    with pytest.raises(ConformanceError, match="race"):
        kernel.run(problem(40, 72, 136, "sm_75 fp16"))
