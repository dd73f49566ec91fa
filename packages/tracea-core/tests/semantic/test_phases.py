# SPDX-License-Identifier: MIT
"""Tests of phases."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.phases import (
    AwaitAsync,
    Mechanism,
    PhaseTransition,
    PhaseWait,
    arrivals,
    retirement,
    reuse_pending,
    sharers,
)
from tracea_core.semantic.steps import Multicast


@pytest.mark.parametrize("slots", range(1, 9))
def test_a_slot_is_awaited_by_alternating_parities(slots):
    ring = PhaseTransition(slots)
    for iteration in range(4 * slots):
        full, empty = ring.full(iteration), ring.empty(iteration)
        assert full == PhaseWait(iteration % slots, iteration // slots % 2)
        assert empty == PhaseWait(full.slot, 1 - full.parity)


def test_requirements_follow_from_distances():
    ring = PhaseTransition(3)
    assert ring.requirement(3, 0, Mechanism.COPY_GROUPS) == AwaitAsync(2)
    assert ring.requirement(1, 0, Mechanism.TRANSACTIONS) == PhaseWait(0, 0)
    with pytest.raises(ConfigurationError, match="before its load"):
        ring.requirement(1, 1, Mechanism.THREADS)
    with pytest.raises(ConfigurationError, match="overwritten"):
        ring.requirement(5, 1, Mechanism.THREADS)


def test_retirement_keeps_a_slot_for_the_producer():
    assert (retirement(PhaseTransition(4), 1).pending, retirement(PhaseTransition(4), 1).lag) == (1, 1)
    with pytest.raises(ConfigurationError):
        retirement(PhaseTransition(2), 2)


def test_sharers_and_arrivals_are_symmetric():
    for rows, columns in itertools.product((1, 2, 4), (1, 2, 4)):
        groups = (Multicast(columns, 1), Multicast(rows, columns))
        for rank in range(rows * columns):
            found = sharers(rank, groups)
            assert found[0] == rank and len(found) == len(set(found)) == rows + columns - 1
            assert all(rank in sharers(other, groups) for other in found)
    assert arrivals(2, 3).empty == 6 and arrivals(2, 3).full == 1


def test_reuse_waits_exactly_for_the_last_use_of_a_buffer():
    random = Random(0)
    for _ in range(200):
        buffers = [random.randrange(3) for _ in range(random.randrange(1, 9))]
        for position, pending in enumerate(reuse_pending(buffers)):
            history = [buffers[(position - back) % len(buffers)] for back in range(1, len(buffers) + 1)]
            assert buffers[position] not in history[:pending] and history[pending] == buffers[position]
