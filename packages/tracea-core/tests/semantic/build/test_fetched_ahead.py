# SPDX-License-Identifier: MIT
"""Fetching ahead: each box once, by one of the blocks that need it, beyond the ring, and never a part of what a kernel means."""

from __future__ import annotations

from collections import Counter

import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.specialized_limits import specialized_fault
from tracea_core.semantic.index import evaluate, holds
from tracea_core.semantic.kernel import walk
from tracea_core.semantic.steps import Fetch, If
from tracea_core.semantic.verify.certify import certify

ROWS, COLUMNS, STEPS, STAGES = 3, 5, 23, 4


def guarded(kernel):
    """Every condition of the producer that holds fetches, and those."""
    (producer,) = (role for role in kernel.roles if role.name == "producer")
    return [
        (node.guard, node.then)
        for node in walk(producer.body)
        if isinstance(node, If) and isinstance(node.then[0], Fetch)
    ]


def values(configuration, row, column, step):
    return {
        "k": STEPS * configuration.tile_k, "k_step": step, "tile_rows": ROWS, "tile_columns": COLUMNS,
        "row0": row * configuration.tile_m, "column0": column * configuration.tile_n, "row_rank": 0, "column_rank": 0,
    }  # fmt: skip


@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_each_box_beyond_the_ring_is_fetched_once(hopper, ahead):
    """A whole grid of tiles, each block of its own, all steps of each."""
    configuration = hopper.configuration(stages=STAGES, ahead=ahead)
    found = guarded(hopper.kernel(configuration))
    fetched: Counter[tuple[str, int, int]] = Counter()
    for row in range(ROWS):
        for column in range(COLUMNS):
            for step in range(STEPS):
                known = values(configuration, row, column, step)
                for guard, nodes in found:
                    for node in nodes if holds(guard, known) else ():
                        place = [evaluate(coordinate, known) for coordinate in node.source.origin]
                        later = place[0] // configuration.tile_k
                        assert step + STAGES <= later < STEPS, "a slot that is free takes the box itself"
                        fetched[node.source.operand, later, place[1]] += 1
    tiles = {
        "a": {row * configuration.tile_m for row in range(ROWS)},
        "b": {c * configuration.tile_n for c in range(COLUMNS)},
    }
    wanted = {
        (name, step, start) for name, starts in tiles.items() for start in starts for step in range(STAGES, STEPS)
    }
    assert set(fetched) == wanted and set(fetched.values()) == {1}


def test_a_hint_means_nothing(hopper, edit):
    kernel, contraction = hopper.kernel(hopper.configuration(ahead=2)), hopper.contraction()
    without = edit(kernel, "producer", lambda n: () if isinstance(n, If) and isinstance(n.then[0], Fetch) else n)
    assert guarded(kernel) and not guarded(without)
    proved = [certify(one, contraction, hopper.profile).proofs for one in (kernel, without)]
    assert [proof.property for proof in proved[0]] == [proof.property for proof in proved[1]]


def test_nothing_ahead_is_the_default_and_leaves_no_trace(hopper):
    plain = hopper.configuration()
    assert plain.replace(ahead=0) == plain and '"ahead"' not in plain.to_json()
    assert not guarded(hopper.kernel(plain))
    assert PipelineConfig.from_json(plain.replace(ahead=3).to_json()).value("ahead") == 3
    assert "p3" in plain.replace(ahead=3).describe().split()


def test_blocks_that_share_loads_do_not_fetch(hopper):
    configuration = hopper.configuration(128, 64, (2, 1), ahead=1)
    assert "for themselves" in (specialized_fault(hopper.contraction(), configuration, hopper.profile) or "")
    with pytest.raises(ConfigurationError, match="for themselves"):
        hopper.kernel(configuration)
