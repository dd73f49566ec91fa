# SPDX-License-Identifier: MIT
"""Many callers of whole ops at once get exact results, and a wrong one would be seen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks import stress

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forking beside threads is the point


def test_a_short_run_is_exact() -> None:
    tally = stress.stress(2.0, stress.works(np.random.default_rng(3), 6))
    assert tally.good, (tally.wrong, tally.errors, tally.calls)


def test_a_wrong_result_is_seen() -> None:
    (work,) = stress.works(np.random.default_rng(3), 1)
    expected = work.expected.copy()
    expected[-1, -1] += 1
    tally = stress.stress(0.05, [dataclasses.replace(work, expected=expected)], disturb=False)
    assert tally.wrong and not tally.good


def test_works_are_of_every_type() -> None:
    kinds = {work.a.dtype.name for work in stress.works(np.random.default_rng(3))}
    assert kinds == {"int8", "uint8", "float32", "float64"}
