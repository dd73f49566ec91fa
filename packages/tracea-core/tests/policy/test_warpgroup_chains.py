# SPDX-License-Identifier: MIT
"""Tiles of attention by warpgroups: as measured, for few rows and many, and kernels can be built from every choice."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.policy.topology import topology_of
from tracea_core.policy.warpgroup_chains import warpgroups_hold_scores_and_sums
from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.testing.chain_cases import chain_problem

BF16 = DType.BF16
NAME = "wgmma_m64n128k16_bf16"


def heroes(op: AttentionOp, instruction: str = NAME, **places: TensorSpec) -> tuple[PipelineConfig, ...]:
    decision = PolicyDecision(operator="attention", device="h200")
    operator = topology_of(chain_problem(op, **places)).replace(instruction=instruction)
    return warpgroups_hold_scores_and_sums(decision, operator, preset("h200")).heroes


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (AttentionOp(8, 12, 384, 384, 64, dtype=BF16), "64x128x64 s2 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(8, 12, 768, 768, 64, dtype=BF16), "192x128x64 s3 ping-pong w16 va8 vb8 vc8"),
        (AttentionOp(4, 16, 4096, 4096, 64, dtype=BF16), "192x128x64 s3 ping-pong w16 va8 vb8 vc8"),
        (AttentionOp(8, 16, 512, 512, 128, dtype=BF16), "128x128x128 s2 producer-consumer w12 va8 vb8 vc8"),
        (AttentionOp(4, 16, 4096, 4096, 128, dtype=BF16), "128x176x128 s2 producer-consumer w12 va8 vb8 vc8"),
        (AttentionOp(4, 16, 4096, 4096, 128, causal=True, dtype=BF16), "128x128x128 s2 producer-consumer serpentine w12 va8 vb8 vc8"),
        (AttentionOp(1, 12, 384, 384, 96, dtype=BF16), "64x128x128 s2 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(8, 32, 1, 4096, 256, dtype=BF16), "64x64x256 s2 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(1, 8, 4, 8192, 128, dtype=BF16), "64x64x128 s4 producer-consumer k/8 w8 va8 vb8 vc8"),
        (AttentionOp(1, 4, 4, 16384, 128, dtype=BF16), "64x64x128 s4 producer-consumer k/16 w8 va8 vb8 vc8"),
        (AttentionOp(4, 8, 4, 1000, 128, dtype=BF16), "64x128x128 s2 producer-consumer k/2 w8 va8 vb8 vc8"),
        (AttentionOp(512, 6, 49, 49, 32, dtype=BF16), "64x64x64 s4 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(32, 12, 192, 192, 64, dtype=BF16), "64x64x64 s4 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(32, 6, 197, 197, 64, dtype=BF16), "64x128x64 s2 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(8, 16, 512, 512, 64, left=127, right=0, dtype=BF16), "64x64x64 s4 producer-consumer serpentine w8 va8 vb8 vc8"),
        (AttentionOp(8, 4, 40, 40, 64, dtype=BF16), "64x128x64 s2 producer-consumer w8 va8 vb8 vc8"),
        (AttentionOp(1, 12, 1, 300, 64, dtype=BF16), "64x128x64 s2 producer-consumer w8 va8 vb8 vc8"),
    ],
    ids=[
        "few-rows", "rounds-that-fill", "many-rows", "short", "long", "causal", "columns-between", "one-query", "divided",
        "few-heads", "halves", "small-windows", "half-beyond", "little-beyond", "window", "few-tiles", "few-keys",
    ],
)  # fmt: skip
def test_tiles_are_those_that_took_least(op: AttentionOp, wanted: str) -> None:
    assert heroes(op)[0].describe() == wanted


def test_results_leave_in_runs_that_their_rows_allow() -> None:
    op = AttentionOp(1, 2, 40, 40, 64, dtype=BF16)
    odd = TensorSpec((1, 2, 40, 64), BF16, (2 * 40 * 66, 40 * 66, 66, 1))
    assert [heroes(op, out=spec)[0].vector_c for spec in (odd, TensorSpec.contiguous((1, 2, 40, 64), BF16))] == [2, 8]


def test_other_instructions_are_left_to_other_rules() -> None:
    assert heroes(AttentionOp(1, 2, 40, 40, 64, dtype=BF16), "mma_m16n8k16_bf16") == ()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("columns", [8, 64, 72, 128, 192, 256])
def test_kernels_can_be_built_from_every_choice(columns: int, causal: bool) -> None:
    op = AttentionOp(2, 16, 4096, 4096, columns, causal=causal, dtype=BF16)
    form = lower_chained(chain_problem(op)).form
    found = heroes(op)
    assert len({hero.describe() for hero in found}) == len(found) > 1
    divided = heroes(op.replace(batch=1, heads=1, queries=16))
    assert all(hero.split_k == 1 for hero in found)
    assert {hero.split_k for hero in divided} >= {1, 4, 8}
    for hero in (*found, *divided):
        specialized_chain_kernel(form, hero, preset("h200"), "cuda.chained.x", "attention", NAME)


def test_masks_in_memory_leave_tiles_of_fewer_keys_for_the_end() -> None:
    plain = AttentionOp(4, 16, 4096, 4096, 128, dtype=BF16)
    found = heroes(plain.replace(bias=BF16))
    assert found[0].describe() == "128x128x128 s2 producer-consumer w12 va8 vb8 vc8" and found[-1].tile_n == 64
    assert "128x176x128 s2 producer-consumer w12 va8 vb8 vc8" not in {hero.describe() for hero in found}
    assert all(hero.tile_n >= 128 for hero in heroes(plain))


@pytest.mark.parametrize("kind", [BF16, DType.UINT8, DType.FP32])
@pytest.mark.parametrize("keys", [1000, 1001])
@pytest.mark.parametrize("columns", [64, 128, 256])
@pytest.mark.parametrize("window", [{}, {"causal": True}, {"left": 100, "right": 20}], ids=str)
def test_some_tile_has_registers_for_every_mask(kind: DType, keys: int, columns: int, window: dict[str, int]) -> None:
    op = AttentionOp(2, 16, 1000, keys, columns, bias=kind, dtype=BF16, **window)  # type: ignore[arg-type]
    form = lower_chained(chain_problem(op)).form
    built = []
    for hero in heroes(op):
        try:
            built.append(specialized_chain_kernel(form, hero, preset("h200"), "cuda.chained.x", "attention", NAME))
        except ConfigurationError:
            continue
    assert built
