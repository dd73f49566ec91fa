# SPDX-License-Identifier: MIT
"""Mutants differ from their kernel, from each other, and hold every kind of change."""

from __future__ import annotations

import re
from collections import Counter

from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.testing import mutate
from tracea_core.testing.kit import collect
from tracea_core.testing.mutate import mutants
from tracea_core.testing.null import null_backend


def kernel(case: str) -> SemanticKernel:
    name = f"null:0/null.contraction.fp32/{case}"
    (check,) = [check for check in collect(null_backend()) if check.name == name]
    subject, found = check.run.args  # type: ignore[attr-defined]
    walked: SemanticKernel = subject.walk(found).kernel
    return walked


def test_every_mutant_is_another_kernel() -> None:
    original = kernel("epilogue-chain")
    found = mutants(original, 10**6)
    digests = {mutant.digest() for _, mutant in found}
    assert original.digest() not in digests
    assert len(digests) >= 0.95 * len(found)  # two ways to the same change are rare
    told = " | ".join(words for words, _ in found)
    for word in ("left out", "factors exchanged", "instead of a vector", "start + 1", "unroll + 1", "guard without 0",
                 "source.offset + 1", "target.coordinates[0] + 1", "value + 1", "expr + 1", "extent one larger"):  # fmt: skip
        assert word in told, word


def test_of_changes_alike_few_are_left_and_of_every_kind_one() -> None:
    original = kernel("epilogue-chain")
    every, found = list(mutate._mutants(original)), mutants(original, 10**6)
    left = Counter(re.sub(r"\d+", "#", words) for words, _ in found)
    assert set(left) == {re.sub(r"\d+", "#", words) for words, _ in every}
    assert set(left.values()) <= {1, 2, 3} and max(left.values()) == 3 and len(found) < len(every)
    assert {words for words, _ in found} <= {words for words, _ in every}


def test_hints_are_left_alone_and_a_limit_spreads_over_the_kernel() -> None:
    original = kernel("gemm-fp32-13x29x17")
    every, few = mutants(original, 10**6), mutants(original, 20)
    assert not any("SchedulingFence" in words for words, _ in every)
    assert 10 <= len(few) <= 20 and few[-1] in every[-len(every) // 10 :]
