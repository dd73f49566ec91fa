# SPDX-License-Identifier: MIT
"""Divisions of rows that proofs run, and what a grouped product is by definition."""

from __future__ import annotations

import numpy as np
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.verify.groups import divisions, drawn, group_of_rows, memory_of, product


def test_rows_know_their_group():
    found = group_of_rows({GROUP_ENDS: np.array([-1, 2, 2, 3])}, 5)
    assert found.tolist() == [1, 1, 3, -1, -1]
    assert group_of_rows({"m": 5}, 5) is None
    assert memory_of({"m": 5}) == {}


def test_drawn_divisions_have_a_group_of_the_length_asked_for():
    random = np.random.default_rng(3)
    for _ in range(50):
        rows, ends = drawn(70, 64, random)
        lengths = np.diff(np.minimum(ends, rows), prepend=0)
        assert lengths.min() >= 0
        assert rows >= 70
        assert any(70 <= length <= 73 for length in lengths)


def test_divisions_meet_every_edge_of_a_tile():
    lengths = {length % 64 for division in divisions(64) for length in division}
    assert {0, 1, 63} <= lengths
    assert any(len(division) > 32 for division in divisions(64))


def test_each_row_is_multiplied_with_the_weights_of_its_group():
    random = np.random.default_rng(1)
    a, b = random.integers(-5, 5, (1, 4, 1, 3)).astype(float), random.integers(-5, 5, (2, 1, 2, 3)).astype(float)
    found = product(a, b, np.array([0, 1, 1, -1]))
    expected = [a[0, 0, 0] @ b[0, 0].T, a[0, 1, 0] @ b[1, 0].T, a[0, 2, 0] @ b[1, 0].T, np.zeros(2)]
    assert np.array_equal(found[0], expected)


def test_where_there_are_no_rows_no_group_has_any() -> None:
    """A kernel that looks a row up although there is none then reads memory that is empty."""
    for seed in range(20):
        rows, ends = drawn(0, 16, np.random.default_rng(seed))
        assert rows == 0 and ends.size and not ends.any()
