# SPDX-License-Identifier: MIT
"""Ragged groups are covered exactly for all ends; look-ups that round, clip or count otherwise have counterexamples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.errors import CertificationError
from tracea_core.semantic.ragged import clipped, tiles_between
from tracea_core.semantic.verify.group_proofs import prove_groups

pytest.importorskip("z3", reason="the optional extra 'proofs' is not installed")


def test_all_ends_are_covered_exactly() -> None:
    proofs = prove_groups((1, 64, 192))
    assert len(proofs) == 21 and {proof.sides for proof in proofs} == {"tiles of 1", "tiles of 64", "tiles of 192"}


def rounded_down(start: Any, stop: Any, tile: int, larger: Any, divide: Any) -> Any:
    return divide(larger(stop - start, 0), tile)


def one_more(start: Any, stop: Any, tile: int, larger: Any, divide: Any) -> Any:
    return divide(larger(stop - start, 0), tile) + 1


def falling(start: Any, stop: Any, tile: int, larger: Any, divide: Any) -> Any:
    return divide(stop - start + (tile - 1), tile)


@pytest.mark.parametrize(
    ("count", "said"),
    [(rounded_down, "every row of a group"), (one_more, "without rows"), (falling, "never fall")],
)
def test_other_counts_are_refuted(count: Callable[..., Any], said: str) -> None:
    with pytest.raises(CertificationError, match=f"not for all integers: .*{said}"):
        prove_groups((64,), count=count)


@pytest.mark.parametrize(
    "clip",
    [
        lambda end, rows, larger, smaller: larger(end, 0),
        lambda end, rows, larger, smaller: smaller(end, rows),
        lambda end, rows, larger, smaller: larger(smaller(end, rows + 1), 0),
        lambda end, rows, larger, smaller: larger(smaller(end, rows), -1),
    ],
)
def test_ends_that_leave_the_rows_are_refuted(clip: Callable[..., Any]) -> None:
    with pytest.raises(CertificationError, match="they exist"):
        prove_groups((64,), clip=clip)


def test_what_is_proved_is_what_look_ups_compute() -> None:
    assert [int(clipped(end, 10, max, min)) for end in (-3, 0, 7, 10, 12)] == [0, 0, 7, 10, 10]
    assert [tiles_between(3, stop, 4, max, lambda a, b: a // b) for stop in (0, 3, 4, 7, 8)] == [0, 0, 1, 1, 2]
