# SPDX-License-Identifier: MIT
"""Decisions for devices that are not there: sensible, within budgets, explained, and the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.doctor.presets import preset, preset_names
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.policy.budget import budget_reason, is_cpu
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PolicyDecision, PrunedSpace
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
    Windowed,
)
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.order import Order
from tracea_core.policy.rules import RULES
from tracea_core.policy.waves import tiles_of
from tracea_core.target import CapabilityProfile

DENSE = Dense()


def gemm(m: int, n: int, k: int, dtype: DType = DType.BF16, kind: AnyTopology = DENSE, **more: int) -> OperatorTopology:
    """Return an operator under test."""
    return OperatorTopology(1, "work", "Gemm", m, n, k, kind, dtype=dtype, **more)


def decide(device: str, operator: OperatorTopology) -> PolicyDecision:
    """Decide for a preset."""
    return PolicyEngine(preset(device)).decide(operator)


def shape(config: PipelineConfig) -> tuple[int, int, int]:
    """Return the tile."""
    return config.tile_m, config.tile_n, config.tile_k


@pytest.mark.parametrize("device", preset_names())
@given(
    st.integers(0, 5000),
    st.integers(0, 5000),
    st.integers(0, 9000),
    st.sampled_from([DType.FP32, DType.BF16, DType.FP16, DType.FP64, DType.INT8]),
    st.sampled_from([1, 2]),
    st.sampled_from([Dense(), Causal(), Windowed(100, 0), LowRank(16), BlockSparse(64, 64, 0.1)]),
    st.sampled_from([1, 2, 4, 8, 16]),
)
@settings(max_examples=6, deadline=None)
def test_every_decision_fits_its_device(
    device: str, m: int, n: int, k: int, dtype: DType, gates: int, kind: AnyTopology, alignment: int
) -> None:
    """Heroes are within budgets and inside the space; the decision is reproducible and survives JSON."""
    profile = preset(device)
    operator = gemm(m, n, k, dtype, kind, gates=gates, alignment=alignment)
    decision = PolicyEngine(profile).decide(operator)
    assert decision.heroes
    assert len(set(decision.heroes)) == len(decision.heroes)
    for hero in decision.heroes:
        assert budget_reason(hero, profile, operator) is None
        assert decision.space.contains(hero)
    assert decision.split_k == decision.hero.split_k
    assert decision.reasons
    assert PolicyEngine(profile).decide(operator) == decision
    assert PolicyDecision.from_json(decision.to_json()) == decision


@pytest.mark.parametrize(
    ("device", "dtype", "gates", "expected"),
    [
        ("avx512", DType.FP32, 1, (6, 64)),
        ("avx512", DType.FP64, 1, (6, 32)),
        ("avx512", DType.FP32, 2, (5, 32)),
        ("avx2", DType.FP32, 1, (4, 24)),
        ("avx2", DType.FP64, 1, (4, 12)),
        ("neon", DType.FP32, 1, (8, 12)),
    ],
)
def test_cpu_register_tiles(device: str, dtype: DType, gates: int, expected: tuple[int, int]) -> None:
    """Large problems get the tile that fills the registers without a spill."""
    hero = decide(device, gemm(4096, 4096, 4096, dtype, gates=gates)).hero
    assert (hero.tile_m, hero.tile_n) == expected
    assert (hero.stages, hero.warps, hero.split_k) == (1, 1, 1)


def test_hopper() -> None:
    """The measured best for large problems; twice the depth for fp8, half for tf32."""
    decision = decide("h200", gemm(4096, 4096, 4096))
    hero = decision.hero
    assert shape(hero) == (128, 256, 64)
    assert (hero.stages, hero.warps, hero.cluster_m, hero.cluster_n, hero.group) == (4, 12, 1, 1, 8)
    assert (hero.swizzle, hero.barrier_mode) == (SwizzleMode.B128, BarrierMode.PRODUCER_CONSUMER)
    assert decision.order is Order.GROUPED
    assert decide("h100", gemm(4096, 4096, 4096)).hero == hero
    assert decide("h200", gemm(8192, 8192, 8192)).hero.barrier_mode is BarrierMode.PING_PONG
    accurate = gemm(4096, 4096, 4096, DType.FP8_E4M3)
    assert shape(decide("h200", accurate).hero) == (128, 128, 128) and decide("h200", accurate).hero.block_k == 128
    assert shape(decide("h200", accurate.replace(fast_accumulation=True)).hero) == (128, 256, 128)
    assert decide("h200", gemm(4096, 4096, 4096, DType.TF32)).hero.tile_k == 32


def test_other_gpus() -> None:
    """Each vendor's documented tile."""
    ampere = decide("a100", gemm(8192, 8192, 8192)).hero
    assert (shape(ampere), ampere.stages) == ((128, 128, 32), 4)
    cdna = decide("mi300x", gemm(4864, 4096, 8192)).hero  # 19·16 tiles for 304 units
    assert (shape(cdna), cdna.warps) == ((256, 256, 32), 8)
    assert decide("mi355x", gemm(8192, 8192, 8192)).hero.stages == 2
    assert {hero.order for hero in decide("mi355x", gemm(2048, 2048, 8192)).heroes} == {Order.GROUPED_DIES}
    assert decide("mi300x", gemm(16, 4096, 8192)).order is Order.ROW
    assert decide("mi210", gemm(8192, 8192, 8192)).order is Order.GROUPED
    assert shape(decide("pvc", gemm(8192, 8192, 8192)).hero) == (256, 256, 32)
    assert decide("m1", gemm(4096, 4096, 4096, DType.FP16)).hero.tile_m <= 64
    assert decide("t4", gemm(4096, 4096, 4096, DType.FP16)).hero.stages == 2


def test_tiles_of_fp32_follow_the_layouts() -> None:
    """What passes registers on both sides leaves fewer for results."""
    large = gemm(4096, 4096, 4096, DType.FP32)
    assert shape(decide("h200", large).hero) == (256, 128, 8)
    assert shape(decide("h200", large.replace(b_along_k=True)).hero) == (128, 128, 16)
    assert shape(decide("h200", large.replace(b_along_k=True, a_along_m=True)).hero) == (256, 128, 8)
    assert shape(decide("rx7900xtx", large).hero) == (128, 128, 8)


def test_wave_quantization_prefers_odd_widths() -> None:
    """256 × 11264 on 132 processors: 128 tiles of 128×176, where 128×256 makes 88."""
    operator = gemm(256, 11264, 2048).replace(b_along_k=True)
    decision = decide("h200", operator)
    assert decision.hero.tile_n == 176
    assert tiles_of(decision.hero, operator) == 128
    assert any(reason.rule == "fewest wasted waves" for reason in decision.reasons)


def test_split_k_only_where_processors_idle() -> None:
    """A long reduction with one tile is cut, a large square one is not, a convolution's and a gated one's never."""
    assert decide("h200", gemm(128, 128, 65536)).split_k == 4
    assert decide("h200", gemm(4096, 4096, 4096)).split_k == 1
    assert decide("avx512", gemm(6, 64, 100_000, DType.FP32)).split_k > 1
    assert decide("avx512", gemm(6, 64, 100, DType.FP32)).split_k == 1
    for more in ({"gates": 2}, {"reduction_axes": 3}):
        assert decide("h200", gemm(128, 128, 65536, **more)).split_k == 1


def test_narrow_problems_get_narrow_register_tiles() -> None:
    """One row: one row of six vectors. One vector of columns: one vector of many rows, but of 6 where they share a cache's sets."""
    row = decide("avx512", gemm(1, 4096, 4096, DType.FP32)).hero
    assert (row.tile_m, row.tile_n) == (1, 96)
    for k, rows in ((4095, 12), (4096, 6)):
        column = decide("avx512", gemm(4096, 16, k, DType.FP32)).hero
        assert (column.tile_m, column.tile_n) == (rows, 16)
    strided = decide("avx2", gemm(2048, 49, 1024, DType.FP32, batch=8))
    assert all(hero.tile_m <= 6 for hero in strided.heroes)


def test_wide_panels_that_outgrow_the_first_cache_wait_for_the_second() -> None:
    """2×40 takes twice as many bytes of B at each step as 4×24 does."""
    wide, tall = (PipelineConfig(tile_m=m, tile_n=n, tile_k=4, stages=1, warps=1) for m, n in ((2, 40), (4, 24)))

    def slower(k: int) -> float:
        seconds = [predict_seconds(tile, preset("avx2"), gemm(1024, 240, k, DType.FP32)) for tile in (wide, tall)]
        return seconds[0] / seconds[1]

    assert slower(1000) > 1.1 > slower(128)


def test_small_problems_need_no_cluster() -> None:
    """One wave: no multicast; neighbours share rows of the larger operand."""
    decision = decide("h200", gemm(512, 512, 4096))
    assert all(hero.cluster == 1 for hero in decision.heroes)
    assert decision.order is Order.ROW
    assert decide("h200", gemm(664, 3816, 3456)).order is Order.GROUPED


def test_unaligned_rows_get_narrow_accesses_and_no_copy_engine() -> None:
    """Odd row lengths cannot be copied as boxes."""
    hero = decide("h200", gemm(4097, 4095, 4093, alignment=2)).hero
    assert (hero.vector_a, hero.vector_c) == (1, 1)
    assert hero.barrier_mode is BarrierMode.NONE


def test_uneven_tiles_run_longest_first() -> None:
    """Windows, causal masks and sparse operands order by length, and take their tiling from the topology."""
    cases = [
        (Causal(), TilingKind.CAUSAL),
        (Windowed(256, 0), TilingKind.WINDOWED),
        (BlockSparse(64, 64, 0.1), TilingKind.BLOCK_SPARSE),
    ]
    for kind, tiling in cases:
        decision = decide("h200", gemm(4000, 128, 4000, kind=kind))
        assert (decision.tiling, decision.order) == (tiling, Order.LONGEST_FIRST)
        assert decision.reasons[0].rule == "tiling follows topology"
    attention = decide("h200", gemm(4096, 128, 4096, kind=Causal(), batch=64)).hero
    assert shape(attention) == (128, 128, 128)


def test_groups_follow_one_another_and_share_no_rows() -> None:
    """The rows below a tile may be another group's, so blocks of a cluster lie side by side, and tiles go row by row."""
    decision = decide("h200", gemm(4000, 4096, 4000, kind=Grouped((1000, 3000))))
    assert (decision.tiling, decision.order) == (TilingKind.GROUPED, Order.ROW)
    assert {hero.cluster_m for hero in decision.heroes} == {1}
    assert any(hero.cluster_n == 2 for hero in decision.heroes)
    with_rest = decide("h200", gemm(4096, 4096, 4096, kind=Grouped((64,) * 64)))
    assert tiles_of(with_rest.hero, gemm(4096, 4096, 4096, kind=Grouped((64,) * 64))) >= 64


def test_a_variant_chooses_the_instruction() -> None:
    """With a warp-level variant, heroes on Hopper are warp-level ones."""
    variant = Variant(
        name="cuda.contraction.mma",
        backend="cuda",
        family="contraction",
        schedule="uniform",
        instruction="mma_m16n8k16_bf16",
        operand_dtypes=(DType.BF16, DType.BF16),
        accumulate=DType.FP32,
        priority=10,
    )
    hero = PolicyEngine(preset("h200")).decide(gemm(4096, 4096, 4096), variant).hero
    assert hero.barrier_mode is BarrierMode.NONE
    assert hero.swizzle is SwizzleMode.XOR4


def test_budgets_name_what_is_exceeded() -> None:
    """Each limit has its own reason."""
    h200, cpu = preset("h200").replace(max_cluster=8), preset("avx512")
    hero = decide("h200", gemm(4096, 4096, 4096)).hero
    operator = gemm(4096, 4096, 4096)
    reasons = {
        "shared memory exceed": hero.replace(stages=5),
        "registers per thread": hero.replace(tile_n=512, stages=1, in_flight=0),
        "cluster of 16": hero.replace(cluster_m=8),
        "no multiple of 64 rows": hero.replace(tile_m=64),
        "whole warpgroups": hero.replace(warps=11),
        "no multiple of 8": hero.replace(tile_n=252),
        "no multiple of 32 bytes": hero.replace(tile_k=8),
        "exceeds k": hero.replace(split_k=4096, tile_m=128),
    }
    for text, config in reasons.items():
        small = operator.replace(k=4000) if text == "exceeds k" else operator
        if text == "cluster of 16":
            config = config.replace(cluster_n=2)
        assert text in (budget_reason(config, h200, small) or "")
    fp32 = gemm(64, 64, 64, DType.FP32)
    assert "vectors" in (budget_reason(PipelineConfig(tile_m=8, tile_n=64, stages=1, warps=1), cpu, fp32) or "")
    assert "lanes" in (budget_reason(PipelineConfig(tile_m=6, tile_n=60, stages=1, warps=1), cpu, fp32) or "")
    assert "no shared memory" in (budget_reason(PipelineConfig(tile_m=6, tile_n=64), cpu, fp32) or "")
    assert "threads exceed" in (budget_reason(PipelineConfig(warps=32), preset("mi300x"), operator) or "")
    assert "reduction axis" in (budget_reason(hero.replace(split_k=2), h200, operator.replace(gates=2)) or "")
    assert PolicyEngine(h200).fits(hero, operator) is None


def test_a_device_on_which_nothing_fits_is_an_error() -> None:
    """The message says what was exceeded and what to do."""
    tiny = preset("h200").replace(shared_bytes=64)
    with pytest.raises(ConfigurationError, match=r"no known configuration fits.*shared memory"):
        PolicyEngine(tiny).decide(gemm(64, 64, 64))


@given(st.sampled_from(["avx512", "h200", "mi300x"]), st.integers(1, 4000), st.integers(1, 4000), st.integers(1, 4000))
@settings(max_examples=40, deadline=None)
def test_predictions_respect_the_roofline(device: str, m: int, n: int, k: int) -> None:
    """No prediction beats the peak rate or the memory's bandwidth by more than the overlap's allowance."""
    profile: CapabilityProfile = preset(device)
    operator = gemm(m, n, k, DType.FP32)
    peak = 0.5e9 * profile.peak(DType.FP32)
    for hero in PolicyEngine(profile).decide(operator).heroes:
        seconds = PolicyEngine(profile).predict(hero, operator)
        assert seconds >= 0.9 * operator.traffic / (profile.memory_gbps * 1e9)
        if not is_cpu(profile):
            assert seconds >= 0.9 * operator.work / peak
    assert predict_seconds(PipelineConfig(), profile, gemm(0, n, k)) == 0.0


def test_reductions_are_taken_backwards_by_tuners_where_blocks_have_rounds_and_a_producer() -> None:
    """One round has no other to return from, and sums that are put aside may be scaled in the order of their steps."""
    assert decide("h200", gemm(4096, 4096, 4096)).space.returning == (0, 1)
    assert decide("h200", gemm(512, 512, 1024)).space.returning == (0,)
    assert decide("h200", gemm(4096, 4096, 4096, DType.FP8_E4M3)).space.returning == (0,)
    assert decide("a100", gemm(4096, 4096, 4096)).space.returning == (0,)
    assert not any(hero.value("returning") for hero in decide("h200", gemm(4096, 4096, 4096)).heroes)


def test_spaces() -> None:
    """A space enumerates valid combinations, knows its members, and widens."""
    space = PrunedSpace(tile_m=(64, 128), stages=(2, 3), in_flight=(0, 2), barrier_mode=(BarrierMode.NONE,))
    found = list(space.configurations())
    assert space.size == 8
    assert len(found) == len(set(found)) == 6  # in_flight = 2 contradicts 2 stages
    assert all(space.contains(config) for config in found)
    assert not space.contains(PipelineConfig(tile_m=32))
    wider = space.including(PipelineConfig(tile_m=32, swizzle=SwizzleMode.B128))
    assert wider.tile_m == (32, 64, 128)
    assert wider.contains(PipelineConfig(tile_m=32, swizzle=SwizzleMode.B128))
    assert list(PrunedSpace().configurations()) == [PipelineConfig()]


def test_rules_are_documented_with_before_and_after() -> None:
    """Each rule shows what it does to one case."""
    for rule in RULES:
        assert rule.__doc__ is not None
        assert "Before:" in rule.__doc__
        assert "After" in rule.__doc__


def test_rules_can_be_replaced() -> None:
    """An engine applies the rules it is given, in their order."""

    def only(decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile) -> PolicyDecision:
        return decision.because("mine", "because I say so", heroes=(PipelineConfig(tile_m=64, tile_n=64),))

    decision = PolicyEngine(preset("a100"), rules=(only,)).decide(gemm(64, 64, 64))
    assert [reason.rule for reason in decision.reasons] == ["mine"]


def test_blocks_of_one_wave_share_loads_only_where_rows_straddle_sectors() -> None:
    """An H200 took 34.9 µs for 1432×1576×3528 with clusters of two, 42.5 without."""
    straddling, whole = (
        gemm(1432, 1576, 3528, out_dtype=DType.BF16, b_along_k=True, whole_sectors=sectors) for sectors in (False, True)
    )
    assert decide("h200", straddling).hero.cluster == 2
    assert decide("h200", whole).hero.cluster == 1
