# SPDX-License-Identifier: MIT
"""Products of planes: which of them ask for lines, which take long runs, and which are left as they are."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.pointwise import as_product
from tracea_core.policy.topology import topology_of
from tracea_core.testing.cases import dense, gemm


def layer(n: int, c: int, size: int, k: int, device: str = "avx512", dtype: DType = DType.FP32) -> Problem:
    """A 1×1 convolution of planar images as the product that it is."""
    op = Conv2dOp(n, c, size, size, k, 1, 1, dtype=dtype)
    x, w, out = (dense(shape, dtype) for shape in (*op.input_shapes(), op.output_shape()))
    return as_product(Problem(op, (x, w), out), preset(device))


def heroes(problem: Problem, device: str = "avx512") -> tuple[PipelineConfig, ...]:
    return PolicyEngine(preset(device)).decide(problem).heroes


@pytest.mark.parametrize("c, size, k", [(64, 56, 64), (64, 56, 256), (256, 56, 64), (128, 28, 512), (512, 28, 128)])
def test_planes_ask_for_lines_and_take_long_runs(c: int, size: int, k: int) -> None:
    found = heroes(layer(8, c, size, k))
    assert (found[0].tile_m, found[0].tile_n) == (3, 112)
    assert all((hero.stages, hero.in_flight) == (2, 1) for hero in found)


def test_long_runs_that_reach_far_beyond_the_planes_are_not_taken_first() -> None:
    found = heroes(gemm((64, 130, 64), DType.FP32, batch=(8,)))
    assert found[0].in_flight == 1 and found[0].tile_n != 112, "two runs of 112 for 130 columns"


@pytest.mark.parametrize(
    "problem, device",
    [
        (layer(8, 64, 56, 64, "avx2"), "avx2"),
        (gemm((64, 3136, 64), DType.FP32), "avx512"),
        (gemm((64, 64, 64), DType.FP32, batch=(8,)), "avx512"),
        (gemm((64, 3136, 64), DType.FP32, "nt", batch=(8,)), "avx512"),
        (gemm((64, 3136, 64), DType.BF16, batch=(8,)), "avx512"),
        (gemm((2, 3136, 64), DType.FP32, batch=(8,)), "avx512"),
    ],
    ids=["short vectors", "one matrix", "short rows", "rows along k", "widened", "few rows"],
)
def test_others_are_left_as_they_are(problem: Problem, device: str) -> None:
    assert not [hero for hero in heroes(problem, device) if hero.in_flight]


@pytest.mark.parametrize("fields", [{"block_k": 64}, {"pack_a": True}, {"pack_b": False}, {"split_k": 2}])
def test_only_sweeps_over_whole_panels_may_ask(fields: dict[str, int]) -> None:
    problem, profile = layer(8, 64, 56, 64), preset("avx512")
    asking = heroes(problem)[0]
    assert budget_reason(asking, profile, topology_of(problem)) is None
    reason = budget_reason(asking.replace(**fields), profile, topology_of(problem))
    assert reason is not None and "asks for lines" in reason
