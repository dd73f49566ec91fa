# SPDX-License-Identifier: MIT
"""Row-wise kernels and attention in OpenCL C and SYCL C++: golden text, and results against float64 where they run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import SEPARATE_WORKERS, CapabilityProfile
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.simt.runtime import emulated
from tracea_core.testing.subject import Unserved
from tracea_sycl.oneapi.plugin import tracea_register_backend as register_oneapi
from tracea_sycl.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "rows"
PROCESSOR = preset("avx2").replace(backend="sycl", arch="opencl", features=(SEPARATE_WORKERS,))
HELD = PipelineConfig(tile_m=1, tile_n=512, tile_k=1, stages=1, warps=4, vector_a=4, block_k=512)
SWEPT = PipelineConfig(tile_m=1, tile_n=128, tile_k=1, stages=1, warps=4, vector_a=8)
WORKER = PipelineConfig(tile_m=1, tile_n=32, tile_k=1, stages=1, warps=1)
PASSING = PipelineConfig(tile_m=2, tile_n=16, tile_k=1, stages=1, warps=1, block_k=32)
SOFTMAX = row_problem(SoftmaxOp((64, 512)))
NORM = row_problem(NormOp((64, 512), NormKind.LAYER, bias=True, dtype=DType.BF16))
CAUSAL = chain_problem(AttentionOp(1, 4, 40, 70, 16, kv_heads=2, causal=True))
KERNELS: dict[str, tuple[BackendManifest, CapabilityProfile, Problem, PipelineConfig]] = {
    "softmax_fp32_pvc.cl": (tracea_register_backend(), preset("pvc"), SOFTMAX, HELD),
    "layer_norm_bf16_dg2.cl": (tracea_register_backend(), preset("arc_a770"), NORM, SWEPT),
    "softmax_fp32_pvc.cpp": (register_oneapi(), preset("pvc"), SOFTMAX, HELD),
    "softmax_fp32_processor.cl": (tracea_register_backend(), PROCESSOR, SOFTMAX, WORKER),
    "attention_fp32_processor.cl": (tracea_register_backend(), PROCESSOR, CAUSAL, PASSING),
}


def printed(
    manifest: BackendManifest, profile: CapabilityProfile, problem: Problem, config: PipelineConfig
) -> KernelSource:
    variant = next(v for v in manifest.variants(profile) if v.family == problem.op.family)
    form = lower_any(problem, variant).form
    kernel = build_kernel(form, config, profile, variant)
    source: KernelSource = manifest.emitters[problem.op.family](kernel, certify(kernel, form, profile))
    return source


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / name, printed(*KERNELS[name]).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, set(KERNELS)) == []


@pytest.mark.parametrize("name", ["softmax_fp32_pvc.cl", "layer_norm_bf16_dg2.cl"])
def test_the_compiler_takes_it(name: str) -> None:
    from tracea_sycl.offline import binary

    try:
        assert binary(printed(*KERNELS[name]))
    except BackendUnavailableError as error:
        pytest.skip(str(error))


_EMULATED = [
    pytest.param(check, id=f"{manifest.name}/{check.name}")
    for manifest, device in ((tracea_register_backend(), "arc_a770"), (register_oneapi(), "pvc"))
    for check in collect(emulated(manifest, device))
    if check.name.endswith(("softmax-fp32-9x33", "rows-layer_norm-residual-relu", "layer_norm-bf16-7x3"))
]
_EXECUTED = [
    pytest.param(check, id=check.name)
    for check in collect(tracea_register_backend())
    if "vectors_fp32" in check.name
    and check.name.endswith(("softmax-fp32-9x33", "layer_norm-bf16-7x3", "normalize-fp32-2x70", "chain-fp32-shared_heads",
                             "chain-fp16-causal", "chain-fp32-low_rank_gelu", "chain-columns-apart"))
]  # fmt: skip


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _EMULATED)
def test_the_emulator_agrees(check: Check) -> None:
    need_emulator()
    check()


@pytest.mark.toolchain
@pytest.mark.parametrize("check", _EXECUTED)
def test_processors_agree(check: Check) -> None:
    try:
        check()
    except Unserved as reason:
        pytest.skip(str(reason))


def test_the_checks_are_there() -> None:
    assert len(_EMULATED) == 8  # log-softmax ends like softmax
