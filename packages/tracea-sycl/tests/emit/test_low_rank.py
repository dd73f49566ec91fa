# SPDX-License-Identifier: MIT
"""Low-rank products in OpenCL C, by XMX and by lanes: golden text, no scratch memory, and the emulator agrees with float64."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.activations import Gelu
from tracea_core.ops.low_rank import LowRankOp
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

GOLDEN = Path(__file__).parents[1] / "golden" / "low_rank"
GELU = Gelu().epilogue
KERNELS = {
    "bf16_pvc.cl": ("pvc", "dpas_bf16", LowRankOp(512, 4096, 4096, 32, dtype=DType.BF16)),
    "gelu_fp32_dg2.cl": ("arc_a770", "simt_fp32", LowRankOp(300, 500, 200, 24, (), GELU, dtype=DType.FP32)),
}
"""Device, kind of kernel, and op by the name of the golden file."""


def source(name: str) -> KernelSource:
    """Return what the policy's first configuration that can be built prints."""
    device, kind, op = KERNELS[name]
    profile, problem = preset(device), chain_problem(op)
    variant = next(v for v in variants(profile) if v.name == f"sycl.chained.low_rank_{kind}")
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
def test_sums_stay_in_registers(name: str) -> None:
    """The compiler refuses a kernel that spills."""
    from tracea_sycl.offline import binary

    try:
        assert binary(source(name))
    except BackendUnavailableError as error:
        pytest.skip(str(error))


CASES = {
    "pvc": (
        "low_rank_dpas_bf16/chain-bf16-low_rank",
        "low_rank_dpas_bf16/chain-low_rank-columns-apart",
        "low_rank_dpas_bf16/chain-low_rank-batch-residual",
        "low_rank_simt_fp32/chain-fp32-low_rank",
    ),
    "arc_a770": ("low_rank_dpas_fp16/chain-fp16-low_rank",),
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
