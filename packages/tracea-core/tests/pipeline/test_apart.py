# SPDX-License-Identifier: MIT
"""Chains that a library's own kernels compute faster are left to it, and no others."""

from __future__ import annotations

import pytest
from tracea_core.doctor.chains import chain_variants
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.pipeline.apart import better_apart
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem


def reason(device: str, op: AttentionOp | LowRankOp) -> str | None:
    target = preset_target(device)
    return better_apart(chain_problem(op), target, chain_variants(target.backend, target.profile))


@pytest.mark.parametrize("device", ["h200", "a100", "mi300x"])
def test_short_low_rank_products_are_one_kernel_and_long_ones_two(device: str) -> None:
    assert reason(device, LowRankOp(64, 256, 128, 16, dtype=DType.FP16)) is None
    assert "two products" in (reason(device, LowRankOp(8192, 4096, 4096, 128, dtype=DType.FP16)) or "")


@pytest.mark.parametrize(("device", "apart"), [("h200", True), ("a100", True), ("t4", False), ("mi300x", False)])
def test_attention_by_lanes_is_left_to_libraries_that_have_it(device: str, apart: bool) -> None:
    op = AttentionOp(1, 2, 64, 64, 64, dtype=DType.FP32)
    assert (reason(device, op) is not None) is apart


def test_what_nothing_takes_is_reported_elsewhere() -> None:
    assert reason("h200", LowRankOp(64, 256, 128, 4000, dtype=DType.FP16)) is None
    target = preset_target("h200")
    rows = row_problem(SoftmaxOp((3, 4), dtype=DType.FP32))
    assert better_apart(rows, target, chain_variants("cuda", target.profile)) is None
