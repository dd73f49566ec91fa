# SPDX-License-Identifier: MIT
"""Few kernels of a backend in the emulator: every kind has its turn, what is drawn is served, and faults planted in texts are found."""

from __future__ import annotations

import argparse
import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.testing.needs import need_emulator

from benchmarks import dialects, fuzz_emulated, fuzz_fused, fuzz_shares
from benchmarks.fuzz_forms import Form, form_of

KERNELS = 25


def listed(backend: str) -> list[fuzz_shares.Kind]:
    return fuzz_emulated.kinds(fuzz_emulated.manifest_of(backend))


def forms(backend: str, seeds: int = 2) -> list[Form]:
    kinds = listed(backend)
    return [form_of(seed, number, kinds) for seed in range(seeds) for number in range(KERNELS)]


def test_families_take_turns_in_their_shares() -> None:
    kinds = listed("hip")
    families = [fuzz_shares.family_of(number, kinds) for number in range(KERNELS)]
    assert Counter(families) == fuzz_shares.SHARES and sum(fuzz_shares.SHARES.values()) == KERNELS
    assert all(set(families[at : at + 5]) == set(fuzz_shares.SHARES) for at in range(0, KERNELS, 5)), "of five, too"
    alone = [kind for kind in kinds if kind[1].family == "contraction"]
    assert {fuzz_shares.family_of(number, alone) for number in range(30)} == {"contraction"}
    first = fuzz_shares.SHARES["contraction"]
    turns = [fuzz_shares.turn_of(seed, number, alone) for seed in (0, 1) for number in range(first)]
    assert turns == list(range(2 * first)), "a run of the next seed goes on"


@pytest.mark.parametrize("backend", dialects.EMULATED)
def test_few_kernels_reach_every_kind_of_a_backend(backend: str) -> None:
    kinds = listed(backend)
    names, rounds = {variant.name for _, variant in kinds}, fuzz_shares.rounds(kinds)
    for first in (0, 7):
        met = Counter(
            fuzz_shares.kind_of(seed, number, kinds)[1].name
            for seed in range(first, first + rounds)
            for number in range(KERNELS)
        )
        assert set(met) == names
    of_families = Counter(variant.family for variant in {one.name: one for _, one in kinds}.values())
    assert rounds == (1 if all(count <= fuzz_shares.SHARES[family] for family, count in of_families.items()) else 2)
    again = [fuzz_shares.kind_of(0, number, kinds) for number in range(KERNELS)]
    rows = [kind for kind in again if kind[1].family == "rowwise"]
    archs = {target.profile.arch for target, variant in kinds if variant.family == "rowwise"}
    each = len({variant.name for _, variant in rows})
    assert len({target.profile.arch for target, _ in rows}) == min(len(archs), -(-len(rows) // each)), "of others, too"


@pytest.mark.parametrize("backend", dialects.EMULATED)
def test_forms_are_of_ops_that_their_kinds_of_kernel_take(backend: str) -> None:
    for form in forms(backend):
        problem = form.draw(np.random.default_rng(0))
        assert fuzz_shares.takes(form.variant, type(problem.op)), (form.variant.name, form.words)
        assert problem.inputs[0].dtype in form.variant.operand_dtypes


def test_a_convolution_is_drawn_only_where_a_kind_of_kernel_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted: every kind is said to take every op. The forms that were drawn before then come again."""
    monkeypatch.setattr("benchmarks.fuzz_forms.takes", lambda variant, op: True)
    wrong = [
        form.words
        for form in forms("cuda", seeds=6)
        if not fuzz_shares.takes(form.variant, type(form.draw(np.random.default_rng(0)).op))
    ]
    assert wrong and all(words.startswith("conv") for words in wrong)


def drawn(backend: str, family: str, seeds: int = 3, count: int = 40) -> list[tuple[Form, Problem]]:
    kinds = listed(backend)
    numbers = [number for number in range(KERNELS) if fuzz_shares.family_of(number, kinds) == family]
    made = [form_of(seed, number, kinds) for seed in range(seeds) for number in numbers]
    return [(form, form.draw(np.random.default_rng(problem))) for form in made for problem in range(count)]


def test_chains_have_every_mask_and_activation_and_lengths_of_their_own() -> None:
    problems = drawn("metal", "chained")
    attention = [(form, problem.op) for form, problem in problems if isinstance(problem.op, AttentionOp)]
    products = [(form, problem) for form, problem in problems if isinstance(problem.op, LowRankOp)]
    for mask in fuzz_fused.MASKS:
        asked = ("causal" in mask, "window" in mask)
        found = [(form, op) for form, op in attention if (op.causal, op.left is not None) == asked]
        assert all(f" {mask}, " in form.words for form, _ in found)
        assert len({(op.queries, op.keys) for _, op in found}) > 20, mask
        assert any(op.groups_of_keys < op.heads for _, op in found) and any(op.queries == 1 for _, op in found)
        assert any(op.queries > op.keys for _, op in found), "rows that see no key under a mask"
    assert any(problem.inputs[1].strides[1] > problem.op.keys * problem.inputs[1].strides[2]
               for form, problem in problems if isinstance(problem.op, AttentionOp) and "plain" in form.words)  # fmt: skip
    assert len({problem.op.middle.describe() for _, problem in products}) == 4
    assert any(problem.op.batch for _, problem in products) and any(problem.epilogue_inputs for _, problem in products)
    assert max(problem.op.flops() for _, problem in problems) <= fuzz_fused._MOST


def test_rows_are_of_every_op_and_lie_in_every_way() -> None:
    problems = drawn("cuda", "rowwise", seeds=8)
    assert {form.words.partition(" ")[0] for form, _ in problems} == set(fuzz_fused.ROWS)
    ranks = {len(problem.output.shape) for _, problem in problems}
    assert {1, 2} <= ranks and max(ranks) >= 3
    assert any(problem.inputs[0].strides[0] == 0 for _, problem in problems)
    assert any(problem.inputs[0].strides[-1] == 2 for _, problem in problems)
    assert {problem.inputs[0].dtype for _, problem in problems} >= {
        dtype for _, variant in listed("cuda") if variant.family == "rowwise" for dtype in variant.operand_dtypes[:1]
    }
    assert max(problem.output.shape[-1] for _, problem in problems) > 1000


# ---- faults planted in texts

FAULTS = {
    "a chain without a barrier": (
        "chained",
        "threadgroup_barrier(mem_flags::mem_threadgroup);  // slot_written",
        "",
        "race",
    ),
    "a chain that sees a key too many": ("chained", "= keys - key0;", "= keys - key0 + 1;", "wrong"),
    "a row whose halves are not added": (
        "rowwise",
        "folded = folded + simd_shuffle_xor(folded, ushort(16));",
        "",
        "wrong",
    ),
    "a row that is read beyond its end": ("rowwise", "lane < n ? x[", "lane <= n + 2 ? x[", "out-of-bounds"),
}


@pytest.mark.toolchain
@pytest.mark.parametrize("planted", FAULTS)
def test_a_fault_planted_in_a_family_is_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And problems through the same kernel agree without it."""
    need_emulator()
    family, there, instead, kind = FAULTS[planted]
    right = fuzz_emulated.manifest_of("metal")
    changed: list[bool] = []

    def emit(kernel: Any, certificate: Any) -> Any:
        source = right.emitters[family](kernel, certificate)
        changed.append(there in source.text)
        return source.replace(text=source.text.replace(there, instead))

    wrong = dataclasses.replace(right, emitters={**right.emitters, family: emit})
    kinds = listed("metal")
    number = next(number for number in range(KERNELS) if fuzz_shares.family_of(number, kinds) == family)
    given = argparse.Namespace(backend="metal", count=KERNELS * 4, kernels=KERNELS, seed=0, only=None, seconds=200.0)
    tally, kernels = fuzz_emulated.run(given, [number])
    assert (tally.agreed, tally.families, kernels, tally.clean) == (4, Counter({family: 4}), 1, True)
    monkeypatch.setattr(fuzz_emulated, "manifest_of", lambda backend: wrong)
    tally, kernels = fuzz_emulated.run(given, [number])
    assert all(changed) and kernels == 1 and tally.kinds[kind] and tally.failures and not tally.clean, tally
