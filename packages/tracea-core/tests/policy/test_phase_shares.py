# SPDX-License-Identifier: MIT
"""Processors that parts of a problem get, and the device that each part is planned for."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.pipeline import trace
from tracea_core.policy.phase_shares import planned_for, share_out
from tracea_core.semantic.index import evaluate
from tracea_core.target import Target
from tracea_core.testing.cases import dense, gemm


def test_shares_are_all_processors_and_follow_the_work() -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        work = [int(one) for one in random.integers(0, 1000, int(random.integers(1, 17)))]
        processors = int(random.integers(len(work), 200))
        found = share_out(processors, work)
        assert sum(found) == processors and min(found) >= 1
        assert all(found[i] >= found[j] for i in range(len(work)) for j in range(len(work)) if work[i] > work[j])
        exact = [1 + (processors - len(work)) * one / max(sum(work), 1) for one in work]
        assert not sum(work) or all(abs(one - wanted) < 1 for one, wanted in zip(found, exact, strict=True))


def test_parts_need_a_processor_each() -> None:
    with pytest.raises(ValueError, match="too few"):
        share_out(2, (1, 1, 1))


def test_a_part_is_planned_for_its_processors_and_their_share_of_the_bandwidth() -> None:
    whole = Target("cuda", "preset:h200", preset("h200"))
    part = planned_for(gemm((64, 64, 64), DType.FP32).replace(options=Options(processors=33)), whole).profile
    assert part.processors == 33 and part.memory_gbps == pytest.approx((whole.profile.memory_gbps or 0) / 4)
    assert planned_for(gemm((64, 64, 64), DType.FP32), whole) is whole
    assert planned_for(gemm((64, 64, 64), DType.FP32).replace(options=Options(processors=132)), whole) is whole


def test_blocks_of_all_phases_find_a_processor_at_the_same_time() -> None:
    op = ConvTranspose2dOp(64, 128, 28, 28, 128, 3, 3, (2, 2), (1, 1), (1, 1), dtype=DType.FP16)
    x, w, out = (dense(shape, DType.FP16, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape()))
    path = trace(Problem(op, (x, w), out), preset="h200", backend="cuda")
    blocks = [evaluate(one.kernel.launch.blocks, dict(one.lowered.symbols)) for _, one in path.phases]
    assert len(blocks) == 4 and sum(blocks) == 132 and blocks == sorted(blocks, reverse=True)
