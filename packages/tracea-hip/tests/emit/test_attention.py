# SPDX-License-Identifier: MIT
"""Attention in HIP, by MFMA and by WMMA: golden text, compiled without a spill, and the emulator agrees with float64."""

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
from tracea_hip.plugin import emit, tracea_register_backend
from tracea_hip.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "attention"
KERNELS = {
    "full_fp16_gfx942.hip": ("mi300x", "mfma_fp16", AttentionOp(2, 16, 4096, 4096, 64, dtype=DType.FP16)),
    "causal_bf16_gfx90a.hip": (
        "mi210",
        "mfma_bf16",
        AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=DType.BF16),
    ),
    "causal_fp16_gfx1100.hip": (
        "rx7900xtx",
        "wmma_fp16",
        AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=DType.FP16),
    ),
    "window_bf16_gfx1201.hip": (
        "rx9070",
        "wmma_bf16",
        AttentionOp(1, 2, 300, 500, 40, left=100, right=0, dtype=DType.BF16),
    ),
    "biased_fp16_gfx942.hip": (
        "mi300x",
        "mfma_fp16",
        AttentionOp(2, 16, 512, 512, 64, bias=DType.FP16, dtype=DType.FP16),
    ),
    "masked_bf16_gfx942.hip": (
        "mi300x",
        "mfma_bf16",
        AttentionOp(2, 16, 512, 512, 64, bias=DType.UINT8, dtype=DType.BF16),
    ),
    "full_fp32_gfx942.hip": ("mi300x", "simt_fp32", AttentionOp(2, 16, 4096, 4096, 64, dtype=DType.FP32)),
}
"""Device, kind of kernel, and op by the name of the golden file."""


def source(name: str) -> KernelSource:
    """Return what the policy's first configuration that can be built prints."""
    device, kind, op = KERNELS[name]
    profile, problem = preset(device), chain_problem(op)
    variant = next(v for v in variants(profile) if v.name == f"hip.chained.{kind}")
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
    from tracea_hip.compile import binary

    try:
        assert binary(source(name))
    except BackendUnavailableError as error:
        pytest.skip(str(error))


CASES = {
    "mi300x": (
        "mfma_bf16/chain-bf16-window",
        "mfma_bf16/chain-columns-apart",
        "mfma_bf16/chain-residual-relu",
        "mfma_bf16/chain-bf16-biased",
        "mfma_bf16/chain-mask-of-keys",
        "simt_fp32/chain-fp32-hidden",
        "simt_fp32/chain-fp32-shared_heads",
    ),
    "rx9070": ("wmma_fp16/chain-fp16-causal",),
    "rx7900xtx": ("wmma_bf16/chain-bf16-shared_heads", "wmma_bf16/chain-bf16-no_key_seen"),
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
