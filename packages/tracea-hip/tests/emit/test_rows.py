# SPDX-License-Identifier: MIT
"""Row-wise kernels in HIP, for waves of 64 and of 32 lanes: the text is golden, and the emulator agrees with float64."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.golden import check_golden, unused
from tracea_core.testing.kit import collect
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.simt.runtime import emulated
from tracea_hip.plugin import emit, tracea_register_backend
from tracea_hip.variants import variants

GOLDEN = Path(__file__).parents[1] / "golden" / "rows"
KERNELS = {
    "softmax_fp32_gfx942": ("mi300x", SoftmaxOp((64, 512)), 512, 4, True),
    "layer_norm_bf16_gfx1100": (
        "rx7900xtx",
        NormOp((64, 512), NormKind.LAYER, bias=True, dtype=DType.BF16),
        512,
        8,
        False,
    ),
}


def source(name: str) -> KernelSource:
    device, op, columns, width, held = KERNELS[name]
    profile = preset(device)
    config = PipelineConfig(
        tile_m=1, tile_n=columns, tile_k=1, stages=1, warps=4, vector_a=width, block_k=columns if held else 0
    )
    variant = next(v for v in variants(profile) if v.schedule == "warp_rows")
    form = lower_rowwise(row_problem(op)).form
    kernel = build_kernel(form, config, profile, variant)
    return emit(kernel, certify(kernel, form, profile))


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str) -> None:
    check_golden(GOLDEN / f"{name}.hip", source(name).text)


def test_every_golden_file_is_compared() -> None:
    assert unused(GOLDEN, {f"{name}.hip" for name in KERNELS}) == []


@pytest.mark.parametrize("name", KERNELS)
def test_the_compiler_takes_it(name: str) -> None:
    from tracea_hip.compile import binary

    try:
        assert binary(source(name))
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case", ["softmax-fp32-9x33", "softmax-fp32-1x1500", "rows-layer_norm-residual-relu", "layer_norm-bf16-7x3"]
)
def test_the_emulator_agrees(case: str) -> None:
    need_emulator()
    checks = [c for c in collect(emulated(tracea_register_backend(), "mi300x")) if c.name.endswith(f"wave_fp32/{case}")]
    assert len(checks) == 1
    checks[0]()
