# SPDX-License-Identifier: MIT
"""Periods of places: what is said to repeat does so for all values, and what need not is told apart."""

from __future__ import annotations

import pytest
from tracea_core.semantic.index import Const, Index, Sym, evaluate
from tracea_core.semantic.verify.periods import period

STEP, OTHER = Sym("step"), Sym("other")


@pytest.mark.parametrize(
    ("index", "values"),
    [
        (STEP % 4, 4),
        (STEP // 128 % 4, 512),
        (OTHER + STEP % 32 * 2, 32),
        (STEP % 4 + STEP // 2 % 3, 12),
        (OTHER, 1),
        (Const(5), 1),
    ],
)
def test_places_repeat_as_told(index: Index, values: int) -> None:
    assert period((index,), "step") == values
    for step in range(3 * values):
        here, later = (evaluate(index, {"step": at, "other": 7}) for at in (step, step + values))
        assert here == later


@pytest.mark.parametrize("index", [STEP, STEP // 4, STEP % OTHER, STEP % 4 + STEP, (STEP + 1) % 4, STEP // OTHER % 4])
def test_what_need_not_repeat_has_no_period(index: Index) -> None:
    assert period((STEP % 4, index), "step") == 0


def test_nothing_has_no_period() -> None:
    assert period((), "step") == 0
