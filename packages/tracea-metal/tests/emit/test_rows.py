# SPDX-License-Identifier: MIT
"""Row-wise kernels in the Metal Shading Language: golden text, address spaces, and float64 in the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.simt.metal import check_address_spaces
from tracea_core.testing.simt.runtime import emulated
from tracea_metal.plugin import emit, tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden" / "rows"
KERNELS = {
    "softmax_fp32_swept": (SoftmaxOp((64, 512)), 128, 1, False),
    "layer_norm_fp16_held": (NormOp((64, 512), NormKind.LAYER, bias=True, dtype=DType.FP16), 512, 8, True),
}


def source(name: str) -> KernelSource:
    op, columns, width, held = KERNELS[name]
    profile = preset("m1")
    config = PipelineConfig(
        tile_m=1, tile_n=columns, tile_k=1, stages=1, warps=4, vector_a=width, block_k=columns if held else 0
    )
    variant = next(v for v in tracea_register_backend().variants(profile) if v.schedule == "warp_rows")
    form = lower_rowwise(row_problem(op)).form
    kernel = build_kernel(form, config, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.metal", source(name).text)


@pytest.mark.parametrize(
    "op", [NormOp((8, 1500), NormKind.LAYER, bias=True), SoftmaxOp((8, 4096)), NormOp((8, 1024), NormKind.RMS)]
)
def test_the_policy_has_a_step_that_fits_the_registers(op: NormOp | SoftmaxOp) -> None:
    profile, problem = preset("m1"), row_problem(op)
    variant = next(v for v in tracea_register_backend().variants(profile) if v.schedule == "warp_rows")
    lowered = lower_rowwise(problem)
    heroes = PolicyEngine(profile).decide(problem, variant).heroes
    config = first_buildable(lowered, heroes, profile, variant)
    assert config.vector_a == 4, "runs of 16 bytes"


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.metal" for name in KERNELS}) == []


@pytest.mark.toolchain
@pytest.mark.parametrize("name", KERNELS)
def test_pointers_keep_to_their_address_space(name: str) -> None:
    need_emulator()
    check_address_spaces((GOLDEN / f"{name}.metal").read_text("utf-8"))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case", ["softmax-fp32-9x33", "softmax-fp32-1x1500", "rows-layer_norm-residual-relu", "layer_norm-fp16-7x3"]
)
def test_the_emulator_agrees(case: str) -> None:
    need_emulator()
    checks = [
        c for c in collect(emulated(tracea_register_backend(), "m1")) if c.name.endswith(f"simdgroup_fp32/{case}")
    ]
    assert len(checks) == 1
    checks[0]()
