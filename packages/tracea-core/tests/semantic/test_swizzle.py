# SPDX-License-Identifier: MIT
"""Solved swizzles: hardware modes as special cases, optimality against brute force, and paddings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator, rank_degree
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.swizzle import AccessPhase, LaneAccess, solve, solve_padding


def tile_accesses(row_bytes):
    """Rows written and 16-byte columns read, as a TMA write and a matrix load do."""
    return (
        AccessPhase("row write", (16, 32, 64), 16),
        AccessPhase("column read", (row_bytes, 2 * row_bytes, 4 * row_bytes), 16),
    )


@pytest.mark.parametrize(("row_bytes", "bits"), [(128, 3), (64, 2), (32, 1)])
def test_hardware_modes_are_what_the_solver_finds(row_bytes, bits):
    found = solve(tile_accesses(row_bytes))
    assert found.parameters() == (bits, 4, 3)
    assert found.xor == Matrix.xor_shift(found.xor.rows, bits=bits, base=4, shift=3)
    assert found.free
    assert found.proved
    assert found.xor.is_bijective()


def test_a_buffer_without_conflicts_stays_plain():
    found = solve([AccessPhase("row", (16, 32, 64), 16)])
    assert found.is_identity
    assert found.parameters() == (0, 4, 0)
    assert solve([]).free


def test_the_solution_works_in_a_layout_and_in_the_simulator():
    found = solve(tile_accesses(128), address_bits=14)
    layout = Layout.xored(("row", 128), ("column", 64), xor=found.of_elements(2))
    assert layout.is_dense()
    assert layout.contiguous("column") == 8
    simulator = BankConflictSimulator()
    lane = np.arange(32)
    for column in range(0, 64, 8):
        assert simulator.access(2 * layout.offset(row=lane, column=column), 16).free
    for row in range(0, 128, 4):
        addresses = 2 * layout.offset(row=row + lane // 8, column=lane % 8 * 8)
        assert simulator.access(addresses, 16).free
    with pytest.raises(ConfigurationError, match="whole"):
        found.of_elements(32)


def test_64_banks_get_a_wider_swizzle():
    accesses = (
        AccessPhase("row write", (16, 32, 64, 128), 16),
        AccessPhase("column read", (256, 512, 1024, 2048), 16),
    )
    assert solve(accesses, banks=64).parameters() == (4, 4, 4)
    assert not solve(accesses[1:], banks=32).free


def test_too_many_words_for_the_banks_are_refused_by_rank():
    found = solve([AccessPhase("two columns", (128, 256, 512, 1024), 16)])
    assert found.degrees == (2,)
    assert found.proved
    assert "by rank: two columns: 16 chunks over 8 places" in found.argument


def test_three_accesses_that_cannot_all_be_served_are_refuted_by_search():
    accesses = [AccessPhase(name, (step,), 16) for name, step in (("a", 32), ("b", 64), ("both", 96))]
    found = solve(accesses, banks=8)
    assert sorted(found.degrees) == [1, 1, 2]
    assert found.proved
    assert "refuted" in found.argument


def swizzled_degrees(xor, accesses, banks):
    return [rank_degree(xor @ Matrix(xor.rows, access.steps), banks=banks, width=access.width) for access in accesses]


def test_no_map_of_the_form_beats_the_solver_and_its_degrees_are_the_rank_formula():
    rng = np.random.default_rng(5)
    solved = improved = 0
    for _ in range(60):
        size, banks, base = 8, 16, 4
        middle, upper = 2, 2
        accesses = []
        for number in range(3):
            width = int(rng.choice([4, 8, 16]))
            lanes = (banks * 4 // width).bit_length() - 1
            steps = tuple(int(x) * width for x in rng.integers(1, (1 << size) // width, lanes))
            accesses.append(AccessPhase(str(number), steps, width))
        accesses.append(AccessPhase("wide", (16, 64), 16))
        found = solve(accesses, banks=banks, address_bits=size)
        assert list(found.degrees) == swizzled_degrees(found.xor, accesses, banks)
        assert found.xor.is_bijective()
        best = None
        for columns in itertools.product(range(1 << middle), repeat=upper):
            xor = Matrix(
                size, (*(1 << i for i in range(6)), *(1 << (6 + i) | c << base for i, c in enumerate(columns)))
            )
            cost = sum(swizzled_degrees(xor, accesses, banks))
            best = cost if best is None else min(best, cost)
        assert found.proved
        assert sum(found.degrees) == best
        solved += found.free
        improved += not found.is_identity
    assert improved > 10


def test_a_planted_wrong_swizzle_conflicts():
    accesses = tile_accesses(128)
    shifted = Matrix.xor_shift(10, bits=3, base=4, shift=4)  # one row bit too far
    assert swizzled_degrees(shifted, accesses, 32) == [1, 2]
    narrow = Matrix.xor_shift(10, bits=2, base=4, shift=3)
    assert swizzled_degrees(narrow, accesses, 32) == [1, 2]


def test_phases_follow_from_lane_maps():
    lanes = Matrix(12, (128, 256, 512, 1024, 2048))
    assert AccessPhase.of_lanes("read", lanes, 16).steps == (128, 256, 512)
    assert AccessPhase.of_lanes("read", lanes, 4).steps == (128, 256, 512, 1024, 2048)
    assert AccessPhase.of_lanes("read", lanes, 16, banks=64).steps == (128, 256, 512, 1024)


def test_padding_for_rows_that_are_no_power_of_two():
    lane = range(32)
    column = LaneAccess("column", tuple(lane), (0,) * 32, 4)
    row = LaneAccess("row", (0,) * 32, tuple(lane), 4)
    assert solve_padding(64, 4, [row, column]).elements == 1
    assert solve_padding(33, 4, [row, column]).elements == 0
    halves = LaneAccess("16 bytes of 16-bit elements", tuple(lane), (0,) * 32, 16)
    found = solve_padding(192, 2, [halves])
    assert (found.elements, found.free) == (8, True)
    limited = solve_padding(192, 2, [halves], largest=0)
    assert not limited.free
    assert limited.conflicts == (28,)
    with pytest.raises(ConfigurationError, match="no padding"):
        solve_padding(3, 2, [halves], largest=1)


def test_bad_questions_are_refused():
    with pytest.raises(ConfigurationError, match="power of two"):
        AccessPhase("odd", (), 12)
    with pytest.raises(ConfigurationError, match="multiples"):
        AccessPhase("misaligned", (8,), 16)
    with pytest.raises(ConfigurationError, match="wider than all banks"):
        solve([AccessPhase("wide", (), 64)], banks=8)
    with pytest.raises(ConfigurationError, match="address bits"):
        solve([AccessPhase("far", (1 << 12,), 16)], address_bits=10)
    found = solve(tile_accesses(128))
    assert found.from_json(found.to_json()) == found


def test_a_search_cut_short_claims_no_proof(monkeypatch):
    accesses = [AccessPhase(name, (step,), 16) for name, step in (("a", 32), ("b", 64), ("both", 96))]
    monkeypatch.setattr("tracea_core.semantic.swizzle._NODE_LIMIT", 1)
    found = solve(accesses, banks=8)
    assert not found.proved
    assert not found.free
    assert "not excluded" in found.argument
    assert found.xor.is_bijective()
