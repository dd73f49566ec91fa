# SPDX-License-Identifier: MIT
"""Mixed-radix maps: the injectivity proof against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic import radix
from tracea_core.semantic.radix import Digit


def offsets(digits):
    return [
        sum(v * d.stride for v, d in zip(values, digits, strict=True))
        for values in itertools.product(*(range(d.extent) for d in digits))
    ]


def test_offset_span_and_count():
    digits = (Digit(3, 100), Digit(4, 7), Digit(5, 1))
    assert radix.offset(np.arange(60), digits).tolist() == offsets(digits)
    assert radix.span(digits) == max(offsets(digits))
    assert radix.count(digits) == 60
    assert [int(part) for part in radix.split(np.asarray(59), (3, 4, 5))] == [2, 3, 4]


def test_the_proof_agrees_with_enumeration_and_its_witness_collides():
    rng = np.random.default_rng(11)
    seen = {True: 0, False: 0}
    for _ in range(1500):
        digits = tuple(
            Digit(int(e), int(s)) for e, s in zip(rng.integers(1, 6, 4), rng.integers(0, 60, 4), strict=True)
        )
        reached = offsets(digits)
        proof = radix.injectivity(digits)
        assert proof.holds == (len(set(reached)) == len(reached)), digits
        seen[proof.holds] += 1
        if proof.witness is not None:
            first, second = proof.witness
            assert first != second
            assert all(0 <= v < d.extent for values in proof.witness for v, d in zip(values, digits, strict=True))
            assert (
                len({sum(v * d.stride for v, d in zip(values, digits, strict=True)) for values in proof.witness}) == 1
            )
    assert min(seen.values()) > 100


def test_nested_strides_need_no_enumeration():
    huge = (Digit(1 << 20, 1 << 24), Digit(208, 1 << 16), Digit(1 << 16, 1))
    assert radix.injectivity(huge).holds
    assert "enumerated" not in radix.injectivity(huge).argument


def test_a_padding_too_small_is_caught_and_the_undecidable_says_so():
    overlapping = (Digit(6, 63), Digit(64, 1))
    proof = radix.injectivity(overlapping)
    assert not proof.holds
    assert proof.witness is not None
    with pytest.raises(ConfigurationError, match="not decided"):
        radix.injectivity((Digit(1 << 14, 3 << 14), Digit(1 << 14, (3 << 14) + 1), Digit(1 << 14, 2)))
    with pytest.raises(ConfigurationError, match="extent"):
        Digit(0, 1)
