# SPDX-License-Identifier: MIT
"""Ring proofs: shipped rings hold, planted faults give a trace that a person can read."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel
from tracea_core.semantic.explore import explore, once_a_tile, scenarios
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.ring_events import Kind, Scenario, ring_events
from tracea_core.semantic.ring_model import RingModel
from tracea_core.semantic.steps import Acquire, AsyncKind, Expect, Release, Side, Staged, Wait
from tracea_core.testing.chain_cases import chain_problem


@pytest.mark.parametrize("slots", range(1, 9))
def test_rings_of_every_depth_are_safe(hopper, slots):
    found = explore(hopper.kernel(hopper.configuration(64, 32, stages=slots, in_flight=min(1, slots - 1))), "stage")
    assert found.failure is None and found.states > 50 * slots and found.scenarios >= 2 * slots + 2


@pytest.mark.parametrize(("consumers", "cluster"), [(2, (1, 1)), (3, (1, 1)), (2, (2, 1)), (2, (2, 2)), (1, (1, 4))])
def test_consumers_and_clusters_are_safe(hopper, consumers, cluster):
    found = explore(hopper.kernel(hopper.configuration(64 * consumers, 64, cluster, stages=2)), "stage")
    assert found.failure is None and len(found.actors) > 1 + consumers


def test_events_follow_the_schedule(hopper):
    kernel = hopper.kernel(hopper.configuration(stages=2))
    events = ring_events(kernel, "stage", "consumer", 0, 0, Scenario(1, 3))
    reads = [event.slot for event in events if event.kind is Kind.READ]
    releases = [event.slot for event in events if event.kind is Kind.ARRIVE]
    parities = [event.parity for event in events if event.kind is Kind.WAIT]
    assert reads == releases == [0, 1, 0] and parities == [0, 0, 1]
    first_release = next(i for i, event in enumerate(events) if event.kind is Kind.ARRIVE)
    assert sum(event.kind is Kind.READ for event in events[:first_release]) == 2  # one group stays in flight


PLANTED = {
    "no wait for full": ("consumer", lambda n: [] if isinstance(n, Acquire) else n, "before it is full"),
    "no wait for empty": ("producer", lambda n: [] if isinstance(n, Acquire) else n, "overwritten"),
    "wrong lag": ("consumer", lambda n: n.replace(lag=0) if isinstance(n, Release) else n, "overwritten|deadlock"),
    "lag too long": ("consumer", lambda n: n.replace(lag=2) if isinstance(n, Release) else n, "deadlock|overwritten|phase"),
    "release too early": (
        "consumer",
        lambda n: n.replace(body=tuple(reversed(n.body))) if isinstance(n, Staged) else n,
        "overwritten",
    ),
    "no wait for instructions": (
        "consumer",
        lambda n: n.replace(pending=5) if isinstance(n, Wait) and n.kind is AsyncKind.MMA else n,
        "overwritten|may still read",
    ),
    "no release": ("consumer", lambda n: [] if isinstance(n, Release) else n, "deadlock"),
    "swapped sides": (
        "producer",
        lambda n: n.replace(side=Side.FULL) if isinstance(n, Acquire) else n,
        "deadlock",
    ),
    "too many bytes": ("producer", lambda n: n.replace(bytes=n.bytes + 128) if isinstance(n, Expect) else n, "deadlock"),
    "too few bytes": ("producer", lambda n: n.replace(bytes=n.bytes - 8192) if isinstance(n, Expect) else n, "before it is full"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs_are_found_with_a_trace(hopper, edit, name):
    role, change, message = PLANTED[name]
    broken = edit(hopper.kernel(), role, change)
    try:
        failure = explore(broken, "stage").failure
    except CertificationError as error:
        failure = str(error)
    assert failure is not None
    assert re.search(message, failure.splitlines()[0]), failure


@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_empty_count_is_found(hopper, change):
    kernel = hopper.kernel()
    ring = kernel.rings[0].replace(empty_arrivals=kernel.rings[0].empty_arrivals + change)
    failure = explore(kernel.replace(rings=(ring,)), "stage").failure
    assert failure is not None and ("deadlock" in failure or "overwritten" in failure or "phase" in failure)
    assert "producer of block 0: waits for slot 0 empty" in failure


@pytest.mark.parametrize(
    ("consumers", "cluster", "slots"), [(1, (1, 1), 2), (2, (1, 1), 3), (3, (1, 1), 1), (2, (2, 1), 2), (1, (2, 2), 2)]
)
def test_the_reduction_by_symmetry_visits_every_orbit(hopper, consumers, cluster, slots):
    in_flight = min(1, slots - 1)
    kernel = hopper.kernel(hopper.configuration(64 * consumers, 64, cluster, stages=slots, in_flight=in_flight))
    orbits, states = explore(kernel, "stage"), explore(kernel, "stage", reduced=False)
    symmetries = math.factorial(consumers) * (1 if cluster == (1, 1) else 2)
    assert orbits.failure is states.failure is None
    assert orbits.states <= states.states <= symmetries * orbits.states
    assert (orbits.states < states.states) == (symmetries > 1)


@pytest.mark.parametrize("name", PLANTED)
def test_the_reduction_by_symmetry_loses_no_bug(hopper, edit, name):
    role, change, _ = PLANTED[name]
    for cluster in ((1, 1), (2, 1)):
        broken = edit(hopper.kernel(hopper.configuration(cluster=cluster, stages=2)), role, change)
        outcomes = []
        for reduced in (True, False):
            try:
                failure = explore(broken, "stage", reduced=reduced).failure
            except CertificationError as error:
                failure = str(error)
            outcomes.append(None if failure is None else re.sub(r"[\d\[\]]+", "", failure.splitlines()[0]))
        assert outcomes[0] == outcomes[1]


def test_actors_that_differ_are_no_twins(hopper):
    kernel = hopper.kernel(hopper.configuration(128, 64, (2, 1), stages=2))
    model = RingModel(kernel, "stage", 1, scenarios(2))
    assert model.twins() == [[2, 3]]
    model.actors[3] = dataclasses.replace(model.actors[3], arrived=model.actors[3].arrived + 1)
    assert model.twins() == []
    pair = RingModel(kernel, "stage", 2, scenarios(2))
    assert pair.mirror() == [3, 4, 5, 0, 1, 2]
    pair.actors[5] = dataclasses.replace(pair.actors[5], waits=pair.actors[5].waits * 2)
    assert pair.mirror() is None


def attention(stages=2):
    problem = chain_problem(AttentionOp(1, 2, 100, 200, 64, dtype=DType.BF16))
    config = PipelineConfig(
        tile_m=128, tile_n=32, tile_k=64, stages=stages, warps=12, barrier_mode=BarrierMode.PING_PONG, vector_a=8, vector_b=8,
    )  # fmt: skip
    name = "wgmma_m64n128k16_bf16"
    return specialized_chain_kernel(lower_chained(problem).form, config, preset("h200"), "cuda.chained.x", "a", name)


def test_a_ring_of_which_a_tile_takes_one_slot_is_searched_over_tiles():
    assert {s.tiles for s in once_a_tile(2)} == {0, 1, 2, 3, 4, 5}
    kernel = attention()
    queries, keys = (explore(kernel, ring) for ring in ("query_stage", "key_stage"))
    assert queries.failure is None and keys.failure is None
    assert queries.scenarios == len(once_a_tile(2)) and keys.scenarios == len(scenarios(2, turns=True))


def test_keys_are_the_steps_of_attention():
    events = ring_events(attention(), "key_stage", "producer", 0, 0, Scenario(2, 3))
    assert sum(event.kind is Kind.LOAD for event in events) == 2 * 3


def test_a_slot_that_comes_back_after_several_tiles_is_looked_at(edit):
    # The first two tiles have slots of their own; the third overwrites one.
    changed = edit(attention(), "producer", lambda n: [] if isinstance(n, Acquire) and n.ring == "query_stage" else n)
    found = explore(changed, "query_stage")
    assert found.failure is not None and "overwritten" in found.failure
