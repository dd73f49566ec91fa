# SPDX-License-Identifier: MIT
"""Copies into panels: for processors alone, certified before anything is printed."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.pipeline.prepack import certified_copy


@pytest.mark.parametrize("device, width", [("avx2", 24), ("avx512", 64), ("neon", 12)])
def test_a_copy_is_certified_for_the_device(device: str, width: int) -> None:
    spec = TensorSpec((300, 4096), DType.FP32, (1, 300))
    columns, lowered, kernel, certificate = certified_copy(spec, preset(device))
    assert columns == width
    assert certificate.kernel == kernel.digest()
    assert lowered.symbols["m"] == 300


@pytest.mark.parametrize(
    "spec, device, reason",
    [
        (TensorSpec.contiguous((8, 8), DType.FP32), "h200", "where they lie"),
        (TensorSpec.contiguous((8, 8), DType.BF16), "avx2", "fp32 or fp64"),
        (TensorSpec.contiguous((0, 8), DType.FP32), "avx2", "at least one element"),
        (TensorSpec.contiguous((2, 8, 8), DType.FP32), "avx2", "matrices"),
    ],
)
def test_what_is_not_copied_is_said(spec: TensorSpec, device: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        certified_copy(spec, preset(device))


def test_no_other_schedule_takes_an_operand_in_panels() -> None:
    plain = TensorSpec.contiguous((64, 64), DType.FP32)
    weight = TensorSpec((64, 64), DType.FP32, (24, 1))
    problem = Problem(GemmOp(64, 64, 64), (plain, weight), plain, options=Options(panel_columns=24))
    with pytest.raises(UnsupportedError, match="lies in panels"):
        trace(problem, preset="h200")
