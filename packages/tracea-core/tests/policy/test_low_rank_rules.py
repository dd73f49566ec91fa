# SPDX-License-Identifier: MIT
"""Tiles of low-rank products: they hold the middle, suit the rows, can be built, and one kernel is weighed against two."""

from __future__ import annotations

import itertools

import pytest
from tracea_core.doctor.chains import chain_variants
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.low_rank_rules import (
    column_splits,
    middle_stays_in_shared_memory,
    one_kernel_pays,
    one_kernel_seconds,
    two_kernels_seconds,
)
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.semantic.build.chain_shares import low_rank_symbols
from tracea_core.semantic.build.schedules import first_buildable
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.testing.chain_cases import chain_problem

BF16, FP16, FP32 = DType.BF16, DType.FP16, DType.FP32


def asked(m: int, n: int, k: int, rank: int, dtype: DType = BF16, **places: TensorSpec) -> Problem:
    return chain_problem(LowRankOp(m, n, k, rank, dtype=dtype), **places)


def operator(problem: Problem, device: str) -> OperatorTopology:
    kinds = chain_variants("x", preset(device))
    found = next(v for v in kinds if v.schedule == "low_rank" and problem.inputs[0].dtype in v.operand_dtypes)
    return topology_of(problem, found).replace(instruction=found.instruction)


def heroes(problem: Problem, device: str = "h200") -> tuple[PipelineConfig, ...]:
    decision = PolicyDecision(operator="low rank", device=device)
    return middle_stays_in_shared_memory(decision, operator(problem, device), preset(device)).heroes


@pytest.mark.parametrize(("rank", "held"), [(1, 16), (16, 16), (17, 32), (64, 64), (128, 128)])
def test_all_columns_of_the_middle_are_held(rank: int, held: int) -> None:
    assert {hero.block_k for hero in heroes(asked(4096, 4096, 4096, rank))} == {held}


def test_rows_and_columns_that_are_few_are_not_wasted() -> None:
    first = heroes(asked(16, 24, 4096, 16))[0]
    assert (first.tile_m, first.tile_n) == (16, 32)


def test_runs_are_no_wider_than_the_strides_allow() -> None:
    odd = TensorSpec((64, 128), BF16, (130, 1))
    assert heroes(asked(64, 128, 128, 16))[0].vector_a == 8
    assert heroes(asked(64, 128, 128, 16, input0=odd))[0].vector_a == 2


@pytest.mark.parametrize("device", ["h200", "a100", "t4", "mi300x", "rx7900xtx", "rx9070", "pvc", "arc_a770", "m1"])
def test_a_kernel_can_be_built_from_every_choice(device: str) -> None:
    profile = preset(device)
    for kind in (v for v in chain_variants("x", profile) if v.schedule == "low_rank"):
        most = next(r.maximum for r in kind.requirements if getattr(r, "maximum", None) is not None)
        assert most >= 32
        for rank, width in itertools.product((16, most), (64, 65)):
            problem = asked(500, width, 64, rank, kind.operand_dtypes[0])
            lowered = lower_chained(problem)
            found = PolicyEngine(profile).decide(problem, kind).heroes
            assert first_buildable(lowered, found, profile, kind).block_k >= rank


def test_launches_share_columns_as_the_estimate_has_it() -> None:
    problem = asked(128, 4096, 512, 16)
    hero = heroes(problem)[0]
    splits = column_splits(operator(problem, "h200"), hero, preset("h200"))
    assert splits > 1
    assert low_rank_symbols(lower_chained(problem), hero, preset("h200"))["column_splits"] == splits


@pytest.mark.parametrize(
    ("device", "shape", "pays"),
    [
        ("h200", (64, 1024, 1024, 16), True),
        ("h200", (512, 4096, 4096, 16), False),
        ("h200", (64, 256, 128, 16), True),
        ("h200", (4096, 4096, 4096, 16), False),
        ("h200", (8192, 4096, 4096, 128), False),
        ("a100", (64, 256, 128, 16), True),
        ("mi300x", (64, 256, 128, 16), True),
        ("avx2", (8192, 4096, 4096, 128), True),
    ],
)
def test_one_kernel_is_weighed_against_two(device: str, shape: tuple[int, int, int, int], pays: bool) -> None:
    problem, profile = asked(*shape, dtype=FP32 if device == "avx2" else FP16), preset(device)
    if device == "avx2":
        assert one_kernel_pays(topology_of(problem), PipelineConfig(), profile)
        return
    hero, work = heroes(problem, device)[0], operator(problem, device)
    assert one_kernel_pays(work, hero, profile) is pays
    assert (one_kernel_seconds(work, hero, profile) <= 0.7 * two_kernels_seconds(work, profile)) is pays


def test_estimates_grow_with_the_work() -> None:
    found = []
    for rows in (64, 1024, 16384, 131072):
        problem = asked(rows, 4096, 4096, 16)
        hero, work = heroes(problem)[0], operator(problem, "h200")
        found.append((one_kernel_seconds(work, hero, preset("h200")), two_kernels_seconds(work, preset("h200"))))
    assert found == sorted(found)
    least = (131072 * 4096 * 2 * 2) / (preset("h200").memory_gbps * 1e9)
    assert all(seconds >= least for seconds in found[-1])
