# SPDX-License-Identifier: MIT
"""The bank simulator against known patterns, and the rank formula against the simulator."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator, Conflicts, conflict_free_rank, rank_degree
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.lanes import matrix_move
from tracea_core.semantic.layout import Layout


def linear_accesses(count):
    """Random linear lane maps whose addresses are aligned to the access."""
    rng = np.random.default_rng(2024)
    for case in range(count):
        width, banks = (4, 8, 16)[case % 3], (32, 64)[case // 3 % 2]
        lane_bits = 5 + (banks == 64)
        chunk = width.bit_length() - 1
        high = int(rng.integers(chunk + 1, 15))
        columns = tuple(int(x) << chunk for x in rng.integers(0, 1 << (high - chunk), lane_bits))
        yield Matrix(high, columns), banks, width


def test_the_rank_formula_agrees_with_the_simulator_on_10_000_linear_layouts():
    seen = set()
    for lanes, banks, width in linear_accesses(10_000):
        found = BankConflictSimulator(banks).access(lanes.apply(np.arange(1 << len(lanes.columns))), width)
        degree = rank_degree(lanes, banks=banks, width=width)
        assert set(found.degrees) == {degree}, (lanes, banks, width)
        assert conflict_free_rank(lanes, banks=banks, width=width) == found.free
        seen.add(degree)
    assert {1, 2, 4, 8} <= seen


def test_a_base_address_changes_nothing():
    for lanes, banks, width in linear_accesses(300):
        simulator = BankConflictSimulator(banks)
        addresses = lanes.apply(np.arange(1 << len(lanes.columns)))
        assert simulator.access(addresses + 5 * simulator.period, width) == simulator.access(addresses, width)
        assert simulator.access(addresses ^ (3 * width), width) == simulator.access(addresses, width)


@pytest.mark.parametrize(
    ("addresses", "width", "degrees"),
    [
        ([4 * lane for lane in range(32)], 4, (1,)),
        ([0] * 32, 4, (1,)),  # one word, broadcast
        ([8 * lane for lane in range(32)], 4, (2,)),
        ([128 * lane for lane in range(32)], 4, (32,)),
        ([132 * lane for lane in range(32)], 4, (1,)),  # padded by a word
        ([12 * lane for lane in range(32)], 4, (1,)),  # an odd stride in words
        ([8 * lane for lane in range(32)], 8, (1, 1)),
        ([16 * lane for lane in range(32)], 16, (1, 1, 1, 1)),
        ([144 * lane for lane in range(32)], 16, (1, 1, 1, 1)),  # rows of 128 bytes padded by 16
        ([2 * lane for lane in range(32)], 2, (1,)),  # two lanes share a word
        ([12 * lane for lane in range(32)], 12, (1, 1, 1, 1)),
    ],
)
def test_known_patterns(addresses, width, degrees):
    found = BankConflictSimulator().access(addresses, width)
    assert found == Conflicts(degrees)
    assert found.conflicts == sum(degrees) - len(degrees)
    assert found.worst == max(degrees)


def test_64_banks_serve_16_bytes_of_64_lanes_in_4_phases():
    simulator = BankConflictSimulator(banks=64)
    assert simulator.access(np.arange(64) * 16, 16).degrees == (1, 1, 1, 1)
    assert simulator.access(np.arange(64) * 256, 16).degrees == (16, 16, 16, 16)


def test_inactive_lanes_and_own_phases():
    simulator = BankConflictSimulator()
    lone = [128 * lane if lane == 3 else -1 for lane in range(32)]
    assert simulator.access(lone, 4).free
    assert simulator.access([-1] * 32, 4).cycles == 1
    interleaved = [tuple(range(first, 32, 4)) for first in range(4)]
    addresses = [16 * (lane // 4) + 128 * (lane % 4) for lane in range(32)]
    assert not simulator.access(addresses, 16).free
    assert simulator.access(addresses, 16, phases=interleaved).free


def test_matrix_loads_conflict_on_plain_rows_and_not_on_swizzled_ones():
    simulator = BankConflictSimulator()
    row, _ = matrix_move(4).address.elements()
    plain = Layout.row_major(("row", 32), ("column", 64))
    swizzled = Layout.swizzled(("row", 32), ("column", 64), bits=3, base=3, shift=3)
    for column in range(0, 64, 8):
        assert simulator.access(2 * plain.offset(row=row, column=column), 16).degrees == (8,) * 4
        assert simulator.access(2 * swizzled.offset(row=row, column=column), 16).free


def test_bad_accesses_and_a_planted_wrong_phase_size_are_caught():
    simulator = BankConflictSimulator()
    with pytest.raises(ConfigurationError, match="not aligned"):
        simulator.access([2], 4)
    with pytest.raises(ConfigurationError, match="at once"):
        simulator.access([0], 256)
    with pytest.raises(ConfigurationError, match="powers of two"):
        BankConflictSimulator(banks=48)
    with pytest.raises(ConfigurationError, match="not aligned"):
        rank_degree(Matrix(4, (2,)), width=4)
    with pytest.raises(ConfigurationError, match="powers of two"):
        rank_degree(Matrix(4, (4,)), width=12)
    whole_warp = [tuple(range(32))]  # 16 bytes of 32 lanes do not fit the banks in one phase
    assert not simulator.access(np.arange(32) * 16, 16, phases=whole_warp).free


def test_many_accesses_at_once_are_as_each_alone():
    random = np.random.default_rng(3)
    for width in (4, 8, 16):
        simulator = BankConflictSimulator()
        accesses = random.integers(0, 256, (40, 32)) * width
        accesses[::5, :7] = -1
        worst = simulator.worst(accesses, width)
        assert worst == max(simulator.access(lanes, width).worst for lanes in accesses) > 1
        assert simulator.worst(np.arange(32)[None, :] * width, width) == 1
    with pytest.raises(ConfigurationError, match="not aligned"):
        BankConflictSimulator().worst(np.array([[0, 6]]), 4)


LANES = np.arange(32)


@pytest.mark.parametrize(
    ("places", "width", "cycles"),
    [
        (0 * LANES, 8, 1), (0 * LANES, 16, 2), (LANES // 2, 16, 2), (LANES % 2, 8, 1), (LANES % 4, 8, 2), (LANES % 4, 16, 4),
        (LANES, 8, 2), (LANES, 4, 1), (LANES // 16 * 16, 8, 2), (LANES % 2 * 8, 16, 4), (LANES // 2 * 16, 8, 16),
    ],
)  # fmt: skip
def test_lanes_that_share_with_their_neighbours_are_served_in_half_as_many_phases(
    places: np.ndarray, width: int, cycles: int
) -> None:
    """As counters of a GPU have it; places in units of the access."""
    simulator = BankConflictSimulator()
    assert simulator.wavefronts(places * width, width) == cycles <= simulator.access(places * width, width).cycles
