# SPDX-License-Identifier: MIT
"""Attention in OpenCL C, by XMX and by lanes: golden text, compiled without scratch memory, and the emulator agrees with float64."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.attention import AttentionOp
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.runtime import emulated
from tracea_sycl.plugin import emit, tracea_register_backend
from tracea_sycl.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "attention"
KERNELS = {
    "causal_bf16_pvc.cl": (
        "pvc",
        "dpas_bf16",
        AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=DType.BF16),
    ),
    "full_fp16_dg2.cl": ("arc_a770", "dpas_fp16", AttentionOp(2, 16, 4096, 4096, 64, dtype=DType.FP16)),
    "biased_bf16_pvc.cl": ("pvc", "dpas_bf16", AttentionOp(2, 16, 512, 512, 64, bias=DType.BF16, dtype=DType.BF16)),
    "masked_bf16_pvc.cl": ("pvc", "dpas_bf16", AttentionOp(2, 16, 512, 512, 64, bias=DType.UINT8, dtype=DType.BF16)),
    "window_fp32_pvc.cl": ("pvc", "simt_fp32", AttentionOp(1, 2, 300, 500, 40, left=100, right=0, dtype=DType.FP32)),
}
"""Device, kind of kernel, and op by the name of the golden file."""


def source(name: str) -> KernelSource:
    """Return what the policy's first configuration that can be built prints."""
    device, kind, op = KERNELS[name]
    profile, problem = preset(device), chain_problem(op)
    variant = next(v for v in variants(profile) if v.name == f"sycl.chained.{kind}")
    lowered = lower_chained(problem)
    config = first_buildable(lowered, PolicyEngine(profile).decide(problem, variant).heroes, profile, variant)
    kernel = build_kernel(lowered.form, config, profile, variant)
    return emit(kernel, certify(kernel, lowered.form, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / name, source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, set(KERNELS)) == []


@pytest.mark.parametrize("name", KERNELS)
def test_scores_and_sums_stay_in_registers(name: str) -> None:
    """The compiler refuses a kernel that spills."""
    from tracea_sycl.offline import binary

    try:
        assert binary(source(name))
    except BackendUnavailableError as error:
        pytest.skip(str(error))


CASES = {
    "pvc": (
        "dpas_bf16/chain-bf16-window",
        "simt_fp32/chain-fp32-shared_heads",
        "dpas_bf16/chain-bf16-biased",
        "simt_fp32/chain-mask-of-keys",
    ),
    "arc_a770": ("dpas_fp16/chain-fp16-causal",),
}
"""By device: kinds of kernel, and cases of the conformance kit."""
CHECKS = [
    pytest.param(check, id=f"{device}/{check.name}")
    for device, names in CASES.items()
    for check in collect(emulated(tracea_register_backend(), device))
    if check.name.endswith(tuple(f".chained.{name}" for name in names))
]


def test_the_cases_are_there() -> None:
    assert len(CHECKS) == sum(map(len, CASES.values()))


@pytest.mark.toolchain
@pytest.mark.parametrize("check", CHECKS)
def test_the_emulator_agrees(check: Check) -> None:
    need_emulator()
    check()
