# SPDX-License-Identifier: MIT
"""Tiles of attention: warps take rows that are there, blocks feed all processors, and kernels can be built from every choice."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.chain_rules import tiles_hold_scores_and_sums, warps_hold_scores_and_sums
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import tile_graph
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.build.warp_chain import warp_chain_kernel
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.testing.chain_cases import chain_problem

BF16 = DType.BF16


def heroes(op: AttentionOp, device: str = "h200", **places: TensorSpec) -> tuple[PipelineConfig, ...]:
    decision = PolicyDecision(operator="attention", device=device)
    return warps_hold_scores_and_sums(decision, topology_of(chain_problem(op, **places)), preset(device)).heroes


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (AttentionOp(2, 16, 4096, 4096, 64, dtype=BF16), "128x64x64 s2 va8 vb8 vc2"),
        (AttentionOp(2, 16, 4096, 4096, 128, dtype=BF16), "128x32x128 s2 va8 vb8 vc2"),
        (AttentionOp(1, 2, 4096, 4096, 128, dtype=BF16), "64x64x128 s2 va8 vb8 vc2"),
        (AttentionOp(2, 16, 4096, 4096, 192, dtype=BF16), "64x32x192 s2 va8 vb8 vc2"),
        (AttentionOp(8, 32, 40, 4096, 128, dtype=BF16), "64x64x128 s2 va8 vb8 vc2"),
        (AttentionOp(8, 32, 1, 4096, 66, 40, dtype=BF16), "16x32x80 s2 w1 va2 vb2 vc2"),
    ],
)
def test_tiles_suit_the_rows_the_columns_and_the_device(op: AttentionOp, wanted: str) -> None:
    assert heroes(op)[0].describe() == wanted


@pytest.mark.parametrize(
    ("device", "queries", "dtype", "wanted"),
    [
        ("avx512", 512, DType.FP32, ["6x32x1 kb64", "4x32x1 kb64", "1x32x1 kb64"]),
        ("avx512", 3, DType.FP32, ["3x32x1 kb64", "1x32x1 kb64"]),
        ("avx512", 512, DType.FP64, ["6x16x1 kb64", "4x16x1 kb64", "1x16x1 kb64"]),
        ("avx2", 512, DType.FP32, ["6x16x1 kb64", "4x16x1 kb64", "1x16x1 kb64"]),
        ("neon", 512, DType.FP32, ["14x8x1 kb64", "4x8x1 kb64", "1x8x1 kb64"]),
    ],
)
def test_a_cpu_points_to_the_rows_of_a_tile(device: str, queries: int, dtype: DType, wanted: list[str]) -> None:
    topology = topology_of(chain_problem(AttentionOp(1, 2, queries, 512, 64, dtype=dtype)))
    decision = PolicyDecision(operator="attention", device=device)
    found = tiles_hold_scores_and_sums(decision, topology, preset(device)).heroes
    assert [hero.describe().replace(" s1 w1", "").replace(" w1", "") for hero in found] == wanted


def test_runs_are_no_wider_than_the_strides_allow() -> None:
    odd = TensorSpec((1, 2, 40, 64), BF16, (2 * 40 * 66, 40 * 66, 66, 1))
    assert heroes(AttentionOp(1, 2, 40, 40, 64, dtype=BF16), input1=odd)[0].vector_a == 2


def test_tiles_of_a_window_are_the_blocks_of_keys_that_are_visited() -> None:
    op = AttentionOp(1, 1, 512, 512, 128, left=63, right=0, dtype=BF16)
    hero = next(hero for hero in heroes(op) if hero.tile_m == 128)
    graph = tile_graph(topology_of(chain_problem(op)), hero)
    graph.check_cover()
    blocks = [((i + 1) * 128 + 31) // 32 - max(i * 128 - 63, 0) // 32 for i in range(4)]
    assert graph.tiles == 4
    assert graph.active_share == pytest.approx(sum(blocks) * 32 * 128 / 512**2)


@pytest.mark.parametrize("device", ["a100", "rtx3070", "h200"])
@pytest.mark.parametrize("columns", [16, 64, 72, 128, 256])
def test_kernels_can_be_built_from_every_choice(device: str, columns: int) -> None:
    op = AttentionOp(2, 8, 1000, 1000, columns, causal=True, dtype=BF16)
    form = lower_chained(chain_problem(op)).form
    for hero in heroes(op, device):
        kernel = warp_chain_kernel(form, hero, preset(device), "v", "attention", "mma_m16n8k16_bf16")
        assert kernel.launch.shared_bytes <= preset(device).shared_bytes
