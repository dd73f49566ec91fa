# SPDX-License-Identifier: MIT
"""The asynchronous interpreter: late effects, races and deadlocks are seen."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tracea_core.semantic.async_state import PhaseBarrier
from tracea_core.semantic.index import Sym
from tracea_core.semantic.interpret import InterpretError
from tracea_core.semantic.interpret_async import AsyncInterpreter
from tracea_core.semantic.interpret_block import BlockInterpreter, interpreter
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    AsyncKind,
    AsyncLoad,
    AsyncMma,
    AsyncStore,
    Barrier,
    Expect,
    Loop,
    ProxyFence,
    Release,
    Wait,
)

SEEDS = range(12)
CONSUMER, PRODUCER = "consumer", "producer"


def drop(kind, /, **fields):
    return lambda node: [] if isinstance(node, kind) and all(getattr(node, k) == v for k, v in fields.items()) else node


def change(kind, update, /, **fields):
    def apply(node):
        match = isinstance(node, kind) and all(getattr(node, k) == v for k, v in fields.items())
        return update(node) if match else node

    return apply


def next_slot(node):
    return node.replace(target=node.target.replace(slot=(Sym("stage_slot") + 1) % 3))


def later_k(node):
    first, *rest = node.source.origin
    return node.replace(source=node.source.replace(origin=(first + 64, *rest)))


def one_further_in_a_row(box):
    first, *rest = box.origin
    return box.replace(origin=(first + 1, *rest))


PLANTED = {
    "no wait for full": (CONSUMER, drop(Acquire), "has not arrived|nothing was written"),
    "no wait for empty": (PRODUCER, drop(Acquire), "may still read|has not arrived|arrivals in a phase"),
    "release too early": (CONSUMER, change(Release, lambda n: n.replace(lag=0)), "while .* may still read"),
    "no release": (CONSUMER, drop(Release), "deadlock: .*producer.* at 'stage' slot 0 empty.* parity 0"),
    "no proxy fence": (CONSUMER, drop(ProxyFence), "without a proxy fence"),
    "no barrier after the fence": (CONSUMER, drop(Barrier, name="staging_full"), "without a barrier"),
    "no barrier before staging": (CONSUMER, drop(Barrier, name="staging_free"), "may still read"),
    "no wait for stores": (
        CONSUMER,
        change(Wait, lambda n: n.replace(pending=9), kind=AsyncKind.STORE),
        "may still read|may still run",
    ),
    "no accumulator fence": (CONSUMER, drop(AccumulatorFence), "without a fence"),
    "no wait for instructions": (CONSUMER, drop(Wait, kind=AsyncKind.MMA), "while .* may still"),
    "a mask on sums in flight": (
        CONSUMER,
        change(AsyncMma, lambda n: [n, Mask(n.accumulator, (), 0.0)]),
        "is written while .* may still update it",
    ),
    "too many bytes": (PRODUCER, change(Expect, lambda n: n.replace(bytes=n.bytes + 16)), "deadlock"),
    "load into the next slot": (
        PRODUCER,
        change(AsyncLoad, next_slot),
        "has not arrived|nothing was written|may still read|wrong result",
    ),
    "read the next slot": (
        CONSUMER,
        change(AsyncMma, lambda n: n.replace(a=n.a.replace(slot=(Sym("stage_slot") + 1) % 3))),
        "has not arrived|nothing was written|may still read|wrong result",
    ),
    "a load that begins within 16 bytes": (
        PRODUCER,
        change(AsyncLoad, lambda n: n.replace(source=one_further_in_a_row(n.source))),
        "begins .* bytes along its rows, no multiple of 16",
    ),
    "a store that begins within 16 bytes": (
        CONSUMER,
        change(AsyncStore, lambda n: n.replace(target=one_further_in_a_row(n.target))),
        "begins .* bytes along its rows, no multiple of 16",
    ),
    "K range shifted": (PRODUCER, change(AsyncLoad, later_k), "wrong result"),
    "half of the swizzle": (
        CONSUMER,
        change(AsyncMma, lambda n: n.replace(a=n.a.replace(swizzle_bytes=64))),
        "wrong result|outside|touches",
    ),
    "stride of the descriptor": (
        CONSUMER,
        change(AsyncMma, lambda n: n.replace(b=n.b.replace(stride_bytes=512))),
        "wrong result",
    ),
    "no swizzle of the box": (
        PRODUCER,
        change(AsyncLoad, lambda n: n.replace(source=n.source.replace(swizzle_bytes=0))),
        "wrong result",
    ),
    "store without its swizzle": (
        CONSUMER,
        change(AsyncStore, lambda n: n.replace(target=n.target.replace(swizzle_bytes=0))),
        "wrong result",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_bugs_are_found_by_running(hopper, edit, name):
    role, apply, message = PLANTED[name]
    kernel = edit(hopper.kernel(), role, apply)
    reasons = []
    for seed in SEEDS:
        try:
            found, expected = hopper.run(kernel, 200, 104, 300, blocks=2, seed=seed)
        except InterpretError as error:
            reasons.append(str(error))
        except AssertionError:
            reasons.append("wrong result: not every element is written once")
        else:
            reasons.append("right" if np.array_equal(found, expected) else "wrong result")
        if re.search(message, reasons[-1]):
            return
    pytest.fail(f"no interleaving shows it: {reasons}")


def test_a_block_that_leaves_early_is_found(hopper, edit):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 1)))
    without_drain = edit(kernel, PRODUCER, drop(Loop, var="drained"))
    reasons = []
    for seed in range(40):
        try:
            hopper.run(without_drain, 1, 8, 64, blocks=2, seed=seed)
        except InterpretError as error:
            reasons.append(str(error))
    assert any("already ended" in reason for reason in reasons)


def test_results_do_not_depend_on_the_interleaving(hopper):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 1), stages=2))
    for seed in SEEDS[:6]:
        found, expected = hopper.run(kernel, 140, 72, 330, blocks=4, seed=seed)
        assert np.array_equal(found, expected)


def test_phase_barrier_counts_arrivals_and_bytes():
    barrier = PhaseBarrier("b", 2)
    assert barrier.passed(1) and not barrier.passed(0) and barrier.idle()
    barrier.receive(64)  # bytes may come before they are announced
    barrier.arrive(128)
    barrier.arrive()
    assert not barrier.passed(0)
    with pytest.raises(InterpretError, match="more than 2 arrivals"):
        barrier.arrive()
    barrier.receive(64)
    assert barrier.passed(0) and not barrier.passed(1) and barrier.idle()


def test_clusters_are_whole_and_kernels_find_their_interpreter(hopper):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 1)))
    operands = {name: np.zeros(8) for name in ("a", "b", "out")}
    with pytest.raises(InterpretError, match="whole clusters"):
        AsyncInterpreter(kernel, {}, operands, 3)
    assert isinstance(interpreter(kernel, {}, operands, 2), AsyncInterpreter)
    plain = kernel.replace(rings=())
    assert type(interpreter(plain, {}, operands, 2)) is BlockInterpreter
