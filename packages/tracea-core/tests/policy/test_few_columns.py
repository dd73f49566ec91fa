# SPDX-License-Identifier: MIT
"""Products of few columns: which tiles they get, and what their time is estimated from."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.few_columns import few_columns_stream_the_rows, narrowest_width
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.streaming import streams
from tracea_core.policy.topology import OperatorTopology
from tracea_core.testing.cases import dense

H200 = preset("h200")


def product(m: int, n: int, k: int, dtype: DType = DType.BF16, **fields: object) -> OperatorTopology:
    """Return a product whose operands lie along k."""
    found = OperatorTopology(0, "matmul", "Gemm", m, n, k, dtype=dtype, b_along_k=True)
    return found.replace(instruction=f"wgmma_m64n256k{32 // dtype.bytes}_{dtype.value}", **fields)


def tile(m: int, n: int, **fields: object) -> PipelineConfig:
    base = PipelineConfig(
        tile_m=m, tile_n=n, tile_k=64, stages=8, warps=8, swizzle=SwizzleMode.B128,
        barrier_mode=BarrierMode.PRODUCER_CONSUMER, vector_a=8, vector_b=8, vector_c=8, in_flight=1,
    )  # fmt: skip
    return base.replace(**fields)


@pytest.mark.parametrize(("n", "width"), [(1, 8), (8, 8), (9, 16), (17, 24), (33, 40), (65, 72), (128, 128)])
def test_tiles_are_as_wide_as_the_columns(n: int, width: int) -> None:
    exchanged = product(8192, n, 8192, stored_along_m=True)
    hero = PolicyEngine(H200).decide(exchanged).hero
    assert (hero.tile_m, hero.tile_n) == (64, width)
    assert 0 <= width - narrowest_width(exchanged) <= 8 * (hero.cluster - 1)


def test_widths_follow_what_instructions_and_boxes_take() -> None:
    rows = product(8192, 24, 8192)  # results of 16 bits leave in boxes of 32 bytes and more
    assert [narrowest_width(rows.replace(n=n)) for n in (8, 24, 72)] == [16, 32, 80]
    by_lanes, wide = rows.replace(stored_alignment=8), rows.replace(out_dtype=DType.FP32)
    assert (
        narrowest_width(by_lanes) == narrowest_width(wide) == narrowest_width(rows.replace(stored_along_m=True)) == 24
    )
    assert narrowest_width(product(8192, 33, 8192, DType.INT8)) == 48
    assert narrowest_width(product(8192, 9, 8192).replace(b_along_k=False)) == 64


@pytest.mark.parametrize(
    ("dtype", "fields"),
    [(DType.FP16, {}), (DType.INT8, {"accumulate": DType.INT32}), (DType.TF32, {}), (DType.FP8_E4M3, {})],
)
def test_other_operands_get_them_too(dtype: DType, fields: dict[str, object]) -> None:
    decision = PolicyEngine(H200).decide(product(8192, 16, 8192, dtype, **fields))
    assert (decision.hero.tile_m, decision.hero.tile_n) == (64, 16)
    put_aside = dtype is DType.FP8_E4M3
    assert decision.hero.block_k == (decision.hero.tile_k if put_aside else 0)
    assert any(reason.rule == "few columns stream the rows" for reason in decision.reasons)


@pytest.mark.parametrize(
    ("m", "n", "k", "in_turns"),
    [
        (200704, 64, 64, True),  # as tuning chose: 17.2 µs on an H200, 17.4 to 17.9 in tiles of 256 rows
        (100352, 96, 40, True),
        (25088, 64, 64, False),  # few tiles
        (200704, 64, 256, False),  # several steps
        (200704, 64, 128, False),
    ],
)
def test_consumers_take_turns_where_tiles_are_one_step(m: int, n: int, k: int, in_turns: bool) -> None:
    heroes = PolicyEngine(H200).decide(product(m, n, k)).heroes
    found = [hero for hero in heroes if hero.barrier_mode is BarrierMode.PING_PONG and hero.tile_n == n]
    assert bool(found) == in_turns
    for one in found:
        assert (one.tile_m, one.tile_k, one.warps) == (128, 64, 12)


@pytest.mark.parametrize(
    ("m", "n", "k", "tall"),
    [
        (401408, 24, 64, True),
        (100352, 24, 72, True),
        (100352, 96, 40, True),
        (25088, 48, 240, False),  # a long reduction
        (25088, 24, 72, False),  # few tiles
    ],
)
def test_tiles_are_tall_where_they_are_many_and_short(m: int, n: int, k: int, tall: bool) -> None:
    hero = PolicyEngine(H200).decide(product(m, n, k)).hero
    assert (hero.tile_m == 256) == tall
    if tall:
        assert (hero.tile_n, hero.tile_k, hero.warps) == (-(-n // 16) * 16, 64, 12)


def test_blocks_of_a_cluster_wait_for_each_other() -> None:
    """Measured on an H200: 128 columns took 45.7, 47.4 and 67.2 µs with clusters of one, two and four blocks."""
    assert PolicyEngine(H200).decide(product(8192, 128, 8192)).hero.cluster == 1
    alone, pairs, fours = (
        predict_seconds(tile(64, 128, cluster_m=blocks), H200, product(8192, 128, 8192)) for blocks in (1, 2, 4)
    )
    assert alone < pairs < fours, "128 blocks in clusters of four do not run at once"


@pytest.mark.parametrize(
    ("operator", "device"),
    [
        (product(4096, 4096, 4096), "h200"),
        (product(8192, 256, 8192), "h200"),
        (product(100, 64, 8192), "h200"),
        (product(8192, 16, 8192, gates=2), "h200"),
        (product(8192, 16, 8192), "a100"),
    ],
)
def test_everything_else_keeps_its_tiles(operator: OperatorTopology, device: str) -> None:
    heroes = (tile(128, 256),)
    decision = PolicyDecision(operator="x", device=device).replace(heroes=heroes)
    assert few_columns_stream_the_rows(decision, operator, preset(device)) == decision


def test_operators_that_stream() -> None:
    assert streams(product(1, 8192, 8192)) and streams(product(8192, 128, 64))
    assert not any(streams(product(*shape)) for shape in [(0, 8192, 64), (129, 8192, 64), (100, 399, 64)])


@pytest.mark.parametrize(
    ("shape", "configuration", "measured"),
    [
        ((8192, 1, 8192), tile(64, 8, tile_k=128), 39.1e-6),
        ((8192, 16, 8192), tile(64, 16, tile_k=128), 40.3e-6),
        ((8192, 64, 8192), tile(64, 64, tile_k=128, stages=6), 41.2e-6),
        ((8192, 64, 8192), tile(64, 64, tile_k=128, stages=6, cluster_m=2), 41.7e-6),
        ((8192, 128, 8192), tile(64, 128), 43.2e-6),
        ((8192, 128, 8192), tile(64, 128, cluster_m=2), 44.3e-6),
        ((4096, 128, 16384), tile(64, 128, stages=7, split_k=2), 47.2e-6),
        ((4096, 64, 16384), tile(64, 64, tile_k=256, stages=3, split_k=2), 42.5e-6),
        ((2048, 128, 8192), tile(64, 128, stages=7, split_k=2), 23.9e-6),
    ],
)
def test_estimates_are_near_what_an_h200_took(
    shape: tuple[int, int, int], configuration: PipelineConfig, measured: float
) -> None:
    """bf16, factors exchanged, the L2 cache full of written lines."""
    estimate = predict_seconds(configuration, H200, product(*shape))
    assert abs(estimate / measured - 1) < 0.1


def test_blocks_divide_the_reduction_where_tiles_leave_processors_idle() -> None:
    """Measured on an H200: 47.2 µs in two parts, 53.6 whole; 8192 columns are as many tiles as there are processors, and stay whole."""
    hero = PolicyEngine(H200).decide(product(4096, 128, 16384)).hero
    assert (hero.tile_m, hero.tile_n, hero.split_k, hero.stages) == (64, 128, 2, 7)
    assert PolicyEngine(H200).decide(product(8192, 128, 8192)).hero.split_k == 1


def test_a_ring_with_more_under_way_is_faster() -> None:
    """Measured: six slots of 128 positions of k took 42.7 µs, eight of 64 took 49.8, where 64 blocks have to read all."""
    few = product(4096, 64, 16384)
    deep, shallow = (predict_seconds(tile(64, 64, tile_k=k, stages=s), H200, few) for k, s in ((128, 6), (64, 8)))
    assert 1.08 < shallow / deep < 1.25


def test_every_limit_counts() -> None:
    few = product(8192, 64, 8192)
    alone, again = tile(64, 64), tile(64, 8)
    assert predict_seconds(again, H200, few) > predict_seconds(alone, H200, few), "the cache"
    assert predict_seconds(tile(64, 128), H200, few) > predict_seconds(alone, H200, few), "rows beyond the edge"
    assert predict_seconds(tile(256, 64), H200, few) > predict_seconds(alone, H200, few), "processors without a tile"
    slow = H200.replace(memory_gbps=H200.memory_gbps / 4)
    assert predict_seconds(alone, slow, few) > 2 * predict_seconds(alone, H200, few), "memory"
    assert predict_seconds(tile(64, 64, split_k=2), H200, few) > predict_seconds(alone, H200, few), "merging"


@pytest.mark.parametrize("name", ["few columns", "windows", "filters"])
def test_deep_rings_keep_a_group_in_flight(name: str) -> None:
    """Whatever tile they are derived from: 49 pixels by 512 filters of 2048 channels took 9.4 µs so on an H200, 10.3 without."""
    last = (0, 2, 3, 1)
    op: Conv2dOp | Conv2dFiltersOp = Conv2dOp(1, 2048, 7, 7, 512, 1, 1, dtype=DType.FP16)
    if name == "windows":
        op = Conv2dOp(1, 512, 7, 7, 512, 3, 3, padding=(1, 1), dtype=DType.FP16)
    if name == "filters":
        op = Conv2dFiltersOp(64, 256, 14, 14, 1024, 1, 1, (2, 2), dtype=DType.FP16)
    order = [dense(shape, DType.FP16, last) for shape in (*op.input_shapes(), op.output_shape())]
    found = trace(Problem(op, tuple(order[:2]), order[2]), preset="h200").configuration
    assert (found.in_flight, found.barrier_mode is BarrierMode.NONE) == (1, False)
