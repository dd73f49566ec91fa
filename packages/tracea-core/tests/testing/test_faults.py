# SPDX-License-Identifier: MIT
"""Planted faults are many, different, of every kind, and excluded by nothing but the data itself."""

from __future__ import annotations

from collections import Counter

import pytest
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.testing.faults import faults
from tracea_core.testing.kit import collect
from tracea_core.testing.null import null_backend


@pytest.fixture(scope="module")
def kernel() -> SemanticKernel:
    (check,) = [c for c in collect(null_backend()) if c.name == "null:0/null.contraction.fp32/epilogue-chain"]
    subject, case = check.run.args  # type: ignore[attr-defined]
    found: SemanticKernel = subject.walk(case).kernel
    return found


def test_every_fault_is_another_kernel(kernel: SemanticKernel) -> None:
    found = list(faults(kernel))
    digests = {fault.kernel.digest() for fault in found}
    assert len(found) > 200 and len(digests) == len(found) and kernel.digest() not in digests


def test_every_kind_is_planted(kernel: SemanticKernel) -> None:
    kinds = Counter(fault.kind for fault in faults(kernel))
    wanted = {"drop", "duplicate", "swap", "bound", "address", "guard", "epilogue", "register", "operand", "lane map", "transfer",
              "type", "layout", "parameter", "symbol", "role", "launch", "fill"}  # fmt: skip
    assert wanted <= kinds.keys()
    assert all(kinds[kind] >= 2 for kind in ("drop", "swap", "bound", "address", "guard"))


def test_words_say_where_and_what(kernel: SemanticKernel) -> None:
    words = {fault.words for fault in faults(kernel)}
    for part in (
        "left out",
        "twice",
        " after ",
        "stop + 1",
        "factors exchanged",
        "first only",
        "without 0",
        "transposed",
    ):
        assert any(part in text for text in words), part
