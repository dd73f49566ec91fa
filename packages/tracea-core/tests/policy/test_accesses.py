# SPDX-License-Identifier: MIT
"""How wide accesses are where addresses are less aligned than kernels like them, also those of what the epilogue reads."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.accesses import accesses_follow_alignment
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.runs import aligned_pairs
from tracea_core.policy.topology import topology_of
from tracea_core.testing.cases import dense

H200 = preset("h200")
LANES = PipelineConfig(
    tile_m=64, tile_n=64, tile_k=32, stages=4, warps=4, swizzle=SwizzleMode.XOR4, vector_a=8, vector_b=8, vector_c=8
)
ENGINE = LANES.replace(tile_k=64, warps=8, swizzle=SwizzleMode.B128, barrier_mode=BarrierMode.PRODUCER_CONSUMER)


def product(alignment: int, added: DType, out: DType = DType.FP16, placed: tuple[int, ...] = (0, 1)) -> Problem:
    """Return a product with a bias of some type, whose factors have been copied to aligned addresses."""
    op = GemmOp(256, 128, 64, dtype=DType.FP16, out_dtype=out)
    inputs = (dense((256, 64), DType.FP16), dense((64, 128), DType.FP16))
    options = Options(alignment=alignment, placed=placed)
    return Problem(op, inputs, dense((256, 128), out), parse_epilogue("bias"), (dense((128,), added),), options)


def stored(problem: Problem, hero: PipelineConfig) -> int:
    """Return how many elements of the output a tile of the list is left to store at a time."""
    operator = topology_of(problem)
    (kept,) = accesses_follow_alignment(
        PolicyEngine(H200).decide(operator).replace(heroes=(hero,)), operator, H200
    ).heroes
    return kept.vector_c


@pytest.mark.parametrize(
    ("alignment", "added", "by_engine", "by_lanes"),
    [
        (16, DType.FP32, 8, 8), (8, DType.FP32, 4, 4), (4, DType.FP32, 1, 2), (4, DType.FP16, 2, 2), (2, DType.FP32, 1, 1),
        (8, DType.FP64, 1, 4),
    ],
)  # fmt: skip
def test_consumers_store_pairs_only_where_what_is_added_to_them_lies_in_pairs(
    alignment: int, added: DType, by_engine: int, by_lanes: int
) -> None:
    """A vector of fp32 at a multiple of 4 bytes is no sequence of aligned pairs, though two fp16 at such an address are one."""
    problem = product(alignment, added)
    assert (stored(problem, ENGINE), stored(problem, LANES)) == (by_engine, by_lanes)


def test_pairs_need_aligned_addresses_and_rows() -> None:
    assert aligned_pairs(product(8, DType.FP32)) and not aligned_pairs(product(4, DType.FP32))
    odd = product(16, DType.FP32).replace(
        epilogue=parse_epilogue("residual"), epilogue_inputs=(TensorSpec((256, 128), DType.FP32, (129, 1)),)
    )
    assert not aligned_pairs(odd)
