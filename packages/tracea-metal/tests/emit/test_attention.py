# SPDX-License-Identifier: MIT
"""Attention in Metal, by simdgroup matrices: golden text, and the emulator agrees with float64."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
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
from tracea_metal.plugin import emit, tracea_register_backend
from tracea_metal.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "attention"
KERNELS = {
    "causal_fp16.metal": (
        "m1",
        "simdgroup_fp16",
        AttentionOp(2, 16, 4096, 4096, 128, kv_heads=4, causal=True, dtype=DType.FP16),
    ),
    "window_bf16.metal": (
        "m3max",
        "simdgroup_bf16",
        AttentionOp(1, 2, 300, 500, 40, left=100, right=0, dtype=DType.BF16),
    ),
    "biased_fp16.metal": ("m1", "simdgroup_fp16", AttentionOp(2, 16, 512, 512, 64, bias=DType.FP16, dtype=DType.FP16)),
    "masked_fp16.metal": ("m1", "simdgroup_fp16", AttentionOp(2, 16, 512, 512, 64, bias=DType.UINT8, dtype=DType.FP16)),
    "full_fp32.metal": ("m1", "simdgroup_fp32", AttentionOp(2, 16, 4096, 4096, 64, dtype=DType.FP32)),
}
"""Device, kind of kernel, and op by the name of the golden file."""


def source(name: str) -> KernelSource:
    """Return what the policy's first configuration that can be built prints."""
    device, kind, op = KERNELS[name]
    profile, problem = preset(device), chain_problem(op)
    variant = next(v for v in variants(profile) if v.name == f"metal.chained.{kind}")
    lowered = lower_chained(problem)
    config = first_buildable(lowered, PolicyEngine(profile).decide(problem, variant).heroes, profile, variant)
    kernel = build_kernel(lowered.form, config, profile, variant)
    return emit(kernel, certify(kernel, lowered.form, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / name, source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, set(KERNELS)) == []


CASES = {
    "m1": (
        "simdgroup_fp16/chain-fp16-causal",
        "simdgroup_fp32/chain-fp32-window",
        "simdgroup_fp16/chain-fp16-biased",
        "simdgroup_fp16/chain-mask-of-keys",
    ),
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
