# SPDX-License-Identifier: MIT
"""What a decision is about: extents, types, the share of a mask, and the tiles of each topology, from problems or by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.product_rows import computed_transposed
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import (
    AnyTopology,
    BlockSparse,
    Causal,
    Dense,
    Grouped,
    LowRank,
    OperatorTopology,
    PolicyEngine,
    TilingKind,
    TopologyKind,
    Windowed,
    tile_graph,
    topology_of,
)
from tracea_core.policy.pattern import Blocks
from tracea_core.testing.cases import dense

DENSE = Dense()


def gemm(m: int, n: int, k: int, dtype: DType = DType.BF16, kind: AnyTopology = DENSE, **more: int) -> OperatorTopology:
    """Return an operator under test."""
    return OperatorTopology(1, "work", "Gemm", m, n, k, kind, dtype=dtype, **more)


def decide(device: str, operator: OperatorTopology) -> PolicyDecision:
    """Decide for a preset."""
    return PolicyEngine(preset(device)).decide(operator)


def test_documented_topology() -> None:
    """The operator of the usage guide."""
    operator = OperatorTopology(
        op_id=101, name="low_rank_mlp", op_type="Gemm", m=4096, n=4096, k=512, kind=TopologyKind.LowRank(r=32)
    )
    decision = decide("rtx3070", operator)
    assert decision.tiling is TilingKind.LOW_RANK
    assert operator.work == 4096 * 32 * (512 + 4096)
    assert "rank 32: 7.0% of the dense work" in decision.describe()
    assert OperatorTopology.from_json(operator.to_json()) == operator


def spec(*extents: int, dtype: DType = DType.FP32) -> TensorSpec:
    """Return a contiguous tensor."""
    return TensorSpec.contiguous(extents, dtype)


def test_topology_of_problems() -> None:
    """Extents, types and alignment come from the tensors."""
    plain = topology_of(Problem(GemmOp(6, 10, 8), (spec(6, 8), spec(8, 10)), spec(6, 10)))
    assert (plain.shape, plain.dtype, plain.alignment) == ((1, 6, 10, 8), DType.FP32, 8)
    shared = topology_of(Problem(GemmOp(6, 8, 8, batch=(3,)), (spec(3, 6, 8), spec(8, 8)), spec(3, 6, 8)))
    assert shared.shape == (1, 18, 8, 8)
    own = topology_of(Problem(GemmOp(6, 8, 8, batch=(3,)), (spec(3, 6, 8), spec(3, 8, 8)), spec(3, 6, 8)))
    assert own.shape == (3, 6, 8, 8)
    turned = topology_of(Problem(GemmOp(6, 10, 8), (spec(6, 8), spec(8, 10)), TensorSpec((6, 10), DType.FP32, (1, 6))))
    assert turned.shape == (1, 10, 6, 8)
    conv = Conv2dOp(2, 4, 9, 9, 8, 3, 3, padding=(1, 1), groups=2)
    image = topology_of(Problem(conv, (spec(2, 4, 9, 9), spec(8, 2, 3, 3)), spec(2, 8, 9, 9)))
    assert (image.shape, image.reduction_axes) == ((4, 4, 81, 18), 3)
    decision = PolicyEngine(preset("avx512")).decide(
        Problem(conv, (spec(2, 4, 9, 9), spec(8, 2, 3, 3)), spec(2, 8, 9, 9))
    )
    assert decision.operator == "conv2d 4 × 4×81×18 fp32"


@given(st.integers(1, 300), st.integers(1, 300), st.one_of(st.none(), st.integers(0, 50)), st.integers(0, 50))
def test_share_of_a_band(m: int, k: int, left: int | None, right: int) -> None:
    """The share counts elements."""
    distance = np.arange(k) - np.arange(m)[:, None] - (k - m)
    wanted = (distance <= right) & (distance >= -(m + k if left is None else left))
    assert gemm(m, 8, k, kind=Windowed(left, right)).share == pytest.approx(wanted.mean())


@pytest.mark.parametrize("batch", [(), (3,), (2, 5)])
@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
def test_a_product_that_is_computed_as_its_transpose_turns_matrices_not_their_batch(
    batch: tuple[int, ...], order: str
) -> None:
    """What lies along m and k follows from the last two strides, however many matrices there are."""
    m, n, k = 48, 40, 56
    axes = tuple(range(len(batch)))
    by_rows, by_columns = (*axes, len(batch), len(batch) + 1), (*axes, len(batch) + 1, len(batch))
    a, b = (
        dense((*batch, *shape), DType.FP32, by_columns if letter == "t" else by_rows)
        for letter, shape in zip(order, ((m, k), (k, n)), strict=True)
    )
    problem = Problem(GemmOp(m, n, k, batch=batch), (a, b), dense((*batch, m, n), DType.FP32, by_columns))
    turned = topology_of(problem)
    assert computed_transposed(problem) and (turned.m, turned.n, turned.k) == (n, m, k)
    assert turned.a_along_m == (order[1] == "n") and turned.b_along_k == (order[0] == "n")
    assert not turned.stored_along_m


@pytest.mark.parametrize("kind", [Dense(), Causal(), Windowed(30, 4), LowRank(9), Grouped((100, 0, 33))])
@pytest.mark.parametrize("device", ["avx512", "h200"])
def test_graphs_of_decisions_cover(kind: AnyTopology, device: str) -> None:
    """The graph of the first hero computes everything once, in the decided order."""
    engine = PolicyEngine(preset(device))
    for hero in engine.decide(gemm(133, 77, 300, kind=kind)).heroes:
        graph = engine.graph(gemm(133, 77, 300, kind=kind), hero)
        graph.check_cover()
        assert graph.tile[:2] == (hero.tile_m, hero.tile_n)
    sliced = tile_graph(gemm(100, 100, 1000), PipelineConfig(split_k=3), whole_k=True)
    sliced.check_cover()
    assert sliced.slots == 3


def test_graph_of_a_block_sparse_operator_needs_its_blocks() -> None:
    """A density is not a pattern."""
    engine = PolicyEngine(preset("h200"))
    operator = gemm(256, 256, 256, kind=BlockSparse(64, 64, 0.5))
    blocks = Blocks.from_mask(np.eye(4, dtype=np.bool_), 64, 64)
    graph = engine.graph(operator, blocks=blocks)
    graph.check_cover()
    with pytest.raises(ConfigurationError, match="needs its blocks of 64×64"):
        engine.graph(operator)


def test_bad_operators_are_refused() -> None:
    """Negative extents, ranks of 0, groups that do not add up."""
    for make in (
        lambda: gemm(-1, 1, 1),
        lambda: gemm(1, 1, 1, gates=3),
        lambda: gemm(1, 1, 1, alignment=3),
        lambda: gemm(5, 1, 1, kind=Grouped((2, 2))),
        lambda: Grouped(()),
        lambda: LowRank(0),
        lambda: Windowed(-1, 0),
        lambda: BlockSparse(0, 1, 0.5),
        lambda: BlockSparse(8, 8, 1.5),
    ):
        with pytest.raises(ConfigurationError):
            make()
