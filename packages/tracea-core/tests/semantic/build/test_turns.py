# SPDX-License-Identifier: MIT
"""Consumers that take turns: exact for any number of tiles and steps, refused with reasons, and every planted bug is found."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.policy.config import BarrierMode
from tracea_core.semantic.build.specialized import register_split, specialized_fault
from tracea_core.semantic.explore import explore, scenarios
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.interpret import InterpretError
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.ring_events import Kind, Scenario, ring_events
from tracea_core.semantic.ring_model import RingModel
from tracea_core.semantic.steps import If, Loop
from tracea_core.semantic.timeline import SpanKind, pace_of, timeline
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.cover import check_cover
from tracea_core.semantic.verify.pipeline import check_pipeline

CONSUMER = "consumer"


def taking_turns(hopper, tile_m=64, tile_n=64, cluster=(1, 1), **fields):
    """A configuration with small tiles, one for each of two consumers."""
    chosen = {"barrier_mode": BarrierMode.PING_PONG, "warps": 12, **fields}
    return hopper.configuration(tile_m, tile_n, cluster, **chosen)


@pytest.mark.parametrize(
    ("stages", "in_flight", "cluster"),
    [(1, 0, (1, 1)), (2, 1, (1, 2)), (3, 1, (2, 1)), (4, 1, (1, 1)), (5, 1, (2, 2)), (8, 0, (1, 1))],
)
def test_any_number_of_tiles_and_steps_is_exact(hopper, stages, in_flight, cluster):
    kernel = hopper.kernel(taking_turns(hopper, stages=stages, in_flight=in_flight, cluster=cluster))
    for seed, (m, n, k) in enumerate([(130, 72, 200), (1, 8, 1), (260, 152, 64), (65, 8, 2), (330, 200, 130)]):
        for blocks in (kernel.launch.cluster, 2 * kernel.launch.cluster):
            found, expected = hopper.run(kernel, m, n, k, blocks=blocks, seed=seed)
            assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("tile_m", "tile_n", "epilogue"),
    [(64, 256, True), (64, 208, True), (128, 128, True), (128, 192, False), (192, 128, False), (128, 208, False)],
)
def test_tiles_of_one_consumer_are_exact(hopper, tile_m, tile_n, epilogue):
    kernel = hopper.kernel(taking_turns(hopper, tile_m, tile_n, stages=3), epilogue=epilogue, aligned_out=False)
    found, expected = hopper.run(kernel, 2 * tile_m + 3, tile_n + 8, 90, blocks=1, epilogue=epilogue, aligned_out=False)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("slots", range(1, 7))
def test_rings_of_every_depth_are_safe(hopper, slots):
    kernel = hopper.kernel(taking_turns(hopper, stages=slots, in_flight=min(1, slots - 1)))
    found = explore(kernel, "stage")
    assert found.failure is None and found.states > 200 * slots and len(found.actors) == 4


@pytest.mark.parametrize(("cluster", "slots"), [((2, 1), 4), ((1, 2), 3), ((2, 2), 2)])
def test_clusters_are_searched_with_both_consumers_of_two_blocks(hopper, cluster, slots):
    found = explore(hopper.kernel(taking_turns(hopper, stages=slots, cluster=cluster)), "stage")
    assert found.failure is None and len(found.actors) == 4 + 8


def test_the_reduction_by_symmetry_visits_every_orbit(hopper):
    kernel = hopper.kernel(taking_turns(hopper, stages=2, cluster=(2, 1)))
    model = RingModel(kernel, "stage", 2, scenarios(2))
    assert model.mirror() == [4, 5, 6, 7, 0, 1, 2, 3] and model.twins() == []
    orbits, states = explore(kernel, "stage"), explore(kernel, "stage", reduced=False)
    assert orbits.failure is states.failure is None
    assert orbits.states < states.states <= 2 * orbits.states


def test_consumers_share_out_rounds_and_slots(hopper):
    kernel = hopper.kernel(taking_turns(hopper, stages=2))
    for number in (0, 1):
        events = ring_events(kernel, "stage", CONSUMER, number, 0, Scenario(3, 3))
        reads = [event.slot for event in events if event.kind is Kind.READ]
        assert reads == ([0, 1, 0, 0, 1, 0], [1, 0, 1])[number]
        turns = [str(event) for event in events if event.token]
        assert sum("waits for the turn" in turn for turn in turns) == 1
        assert sum(f"arrives at the turn of instance {1 - number}" in turn for turn in turns) == 1
    assert kernel.rings[0].empty_arrivals == 1, "one consumer reads a slot"


def test_both_consumers_keep_the_matrix_unit_busy(hopper):
    """One's epilogue hides behind the other's products: turns leave shorter gaps than consumers that store together."""
    pace = pace_of(hopper.profile, DType.BF16)
    shared = hopper.kernel(hopper.configuration(128, 256, (2, 1), stages=4), epilogue=True)
    turns = hopper.kernel(taking_turns(hopper, 128, 128, (2, 1), stages=5), epilogue=True)
    busy = []
    for kernel, tiles in ((shared, 4), (turns, 8)):
        played = timeline(kernel, pace, tiles=tiles, steps=8)
        assert played.complete
        busy.append(played.lane("matrix unit").busy(SpanKind.MULTIPLY) / played.clocks)
    assert busy[1] > busy[0] + 0.02


def test_a_whole_kernel_is_certified(hopper):
    kernel = hopper.kernel(taking_turns(hopper, 64, 128, (2, 1), stages=3))
    proofs = {proof.property: proof for proof in certify(kernel, hopper.contraction(), hopper.profile).proofs}
    assert "12 actors; arrivals 1 full, 2 empty" in proofs["pipeline"].evidence


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"warps": 8}, "1 consumers do not take turns, 2 do"),
        ({"tile_m": 192, "warps": 16}, "3 consumers do not take turns"),
        ({"split_k": 2}, "do not divide k"),
        ({"tile_m": 96}, "does not give 1 warpgroups whole 64-row pieces"),
        ({"tile_m": 128, "tile_n": 224}, "need 248 registers of a consumer's 240"),
    ],
)
def test_what_does_not_fit_is_refused(hopper, fields, reason):
    configuration = taking_turns(hopper, **fields)
    assert reason in specialized_fault(hopper.contraction(), configuration, hopper.profile)
    with pytest.raises(ConfigurationError, match="does not fit"):
        hopper.kernel(configuration)


def test_many_accumulators_leave_no_room_for_an_epilogue(hopper):
    with pytest.raises(ConfigurationError, match="192 accumulators leave"):
        hopper.kernel(taking_turns(hopper, 128, 192), epilogue=True)


def test_the_producer_gives_up_registers_for_many_accumulators(hopper):
    assert [register_split(2, hopper.profile, held) for held in (0, 128, 192)] == [(40, 232), (40, 232), (24, 240)]


def where(kind, update):
    return lambda node: update(node) if isinstance(node, kind) else node


def without_guard(kind):
    """Take a step out of its condition."""
    return lambda node: node.then if isinstance(node, If) and any(isinstance(n, kind) for n in node.then) else node


def bare(node):
    """Neither wait for a turn nor pass it."""
    return [] if isinstance(node, Await | Signal) else node


def rounds(**changes):
    return where(Loop, lambda n: n.replace(**changes) if n.var == "round" else n)


PLANTED = {
    "no order at all": (bare, "another phase|overwritten|deadlock|before it is full"),
    "nobody waits for a turn": (where(Await, lambda n: []), "another phase|overwritten|deadlock|nobody waits"),
    "nobody passes the turn": (where(Signal, lambda n: []), "deadlock"),
    "the turn stays": (where(Signal, lambda n: n.replace(target=Sym(CONSUMER))), "deadlock|another phase|nobody takes"),
    "the last round passes the turn, too": (without_guard(Signal), "nobody takes"),
    "the first round waits for its turn, too": (without_guard(Await), "deadlock"),
    "a barrier of too many threads": (where(Await, lambda n: n.replace(threads=384)), "deadlock"),
    "a barrier of one instance": (where(Await, lambda n: n.replace(threads=128)), "another phase|deadlock"),
    "no slots are skipped": (where(Skip, lambda n: []), "another phase|overwritten|deadlock|before it is full"),
    "one slot too many": (
        where(Skip, lambda n: n.replace(count=n.count + 1)), "another phase|overwritten|deadlock|before it is full"
    ),
    "one slot too many at the start": (
        where(Skip, lambda n: n.replace(count=n.count + 1) if CONSUMER in str(n.count) else n),
        "another phase|overwritten|deadlock|before it is full",
    ),
    "both take the same tiles": (rounds(start=Const(0)), "overwritten|deadlock|another phase|before it is full"),
    "both take every tile": (rounds(start=Const(0), step=1), "overwritten|deadlock|another phase|before it is full"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs_are_found_in_the_automaton(hopper, edit, name):
    change, message = PLANTED[name]
    for cluster in ((1, 1), (2, 1)):
        broken = edit(hopper.kernel(taking_turns(hopper, stages=2, cluster=cluster)), CONSUMER, change)
        try:
            failure = explore(broken, "stage").failure
        except CertificationError as error:
            failure = str(error)
        assert failure is not None and re.search(message, failure.splitlines()[0]), failure


@pytest.mark.parametrize("name", [name for name in PLANTED if name != "no order at all"])
def test_planted_bugs_are_found_by_running(hopper, edit, name):
    """Whatever the interleaving, or in some of a few."""
    broken = edit(hopper.kernel(taking_turns(hopper, stages=2)), CONSUMER, PLANTED[name][0])
    outcomes = []
    for seed in range(10):
        try:
            found, expected = hopper.run(broken, 330, 60, 330, blocks=2, seed=seed)
        except InterpretError:
            return
        except AssertionError:
            return  # an element was not written, or twice
        outcomes.append(np.array_equal(found, expected))
        if not outcomes[-1]:
            return
    pytest.fail("no interleaving shows it")


def test_running_without_any_order_goes_wrong_in_some_interleaving(hopper, edit):
    broken = edit(hopper.kernel(taking_turns(hopper, stages=2)), CONSUMER, bare)
    reasons = set()
    for seed in range(10):
        try:
            found, expected = hopper.run(broken, 330, 60, 330, blocks=1, seed=seed)
            reasons.add("" if np.array_equal(found, expected) else "wrong")
        except InterpretError as error:
            reasons.add(str(error))
    assert reasons - {""}


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"start": Const(0)}, "never computed"), ({"start": Sym(CONSUMER), "step": 1}, "computed twice"), ({"step": 3}, "never computed")],
)  # fmt: skip
def test_tiles_that_are_shared_out_wrongly_are_found(hopper, edit, changes, message):
    broken = edit(hopper.kernel(taking_turns(hopper)), CONSUMER, rounds(**changes))
    with pytest.raises(CertificationError, match=message):
        check_cover(broken)


def test_wrong_counts_are_refused_before_the_search(hopper, edit):
    kernel = hopper.kernel(taking_turns(hopper))
    ring = kernel.rings[0].replace(empty_arrivals=2)
    with pytest.raises(CertificationError, match="expects 1 and 2 arrivals, its roles make 1 and 1"):
        check_pipeline(kernel.replace(rings=(ring,)))
    for threads in (128, 384):
        broken = edit(kernel, CONSUMER, where(Signal, lambda n, t=threads: n.replace(threads=t)))
        with pytest.raises(CertificationError, match=f"wants {threads} threads"):
            check_pipeline(broken)


def test_positions_do_not_move_back(hopper, edit):
    broken = edit(hopper.kernel(taking_turns(hopper)), CONSUMER, where(Skip, lambda n: n.replace(count=Const(-1))))
    with pytest.raises(CertificationError, match="moves back"):
        explore(broken, "stage")
    with pytest.raises(InterpretError, match="moves back"):
        hopper.run(broken, 64, 64, 64)
