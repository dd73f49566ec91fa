# SPDX-License-Identifier: MIT
"""Pipelines: arrival counts follow from who takes part, announced bytes from the boxes, and the automaton is searched.

Counts and bytes are derived again here, from the steps that cause them, and compared with what the kernel declares;
then every reachable state of the ring is visited (`tracea_core.semantic.explore`).
"""

from __future__ import annotations

import math

from tracea_core.errors import CertificationError
from tracea_core.semantic.explore import explore
from tracea_core.semantic.index import Sym
from tracea_core.semantic.kernel import Ring, Role, SemanticKernel, walk
from tracea_core.semantic.order_steps import Await, Signal
from tracea_core.semantic.phases import arrivals, sharers
from tracea_core.semantic.ring_events import Kind, Scenario, ring_events, takes_turns
from tracea_core.semantic.steps import (
    Acquire,
    Advance,
    AsyncLoad,
    AsyncMma,
    BufferRef,
    Expect,
    Load,
    Release,
    SharedOperand,
    Side,
)
from tracea_core.semantic.verify.certificate import Proof


def check_pipeline(kernel: SemanticKernel) -> tuple[Proof, ...]:
    """Prove that every ring is filled and emptied in turn, without overwriting, early reads or deadlock.

    Raises
    ------
    CertificationError
        If a count does not follow from the roles, or the search finds a failure; the message holds its trace.
    """
    proofs = []
    for ring in kernel.rings:
        roles = {role.name: role for role in kernel.roles}
        for name in (ring.producer, *ring.consumers):
            if name not in roles:
                raise CertificationError(f"the ring {ring.name!r} has no role {name!r}")
        _check_sides(ring, roles)
        for name in ring.consumers:
            _check_turns(roles[name])
        _check_counts(kernel, ring, roles)
        _check_slots(kernel, ring)
        found = explore(kernel, ring.name)
        if found.failure:
            raise CertificationError(f"the ring {ring.name!r} fails: {found.failure}", states=found.states)
        proofs.append(
            Proof(
                "pipeline",
                f"the ring {ring.name!r} of {ring.slots} slots has no overwrite, early read, wrong phase or deadlock",
                f"{found.states} states over {found.scenarios} trip counts, {len(found.actors)} actors; arrivals "
                f"{ring.full_arrivals} full, {ring.empty_arrivals} empty; {ring.transaction_bytes} bytes a slot",
            )
        )
    return tuple(proofs)


def _check_sides(ring: Ring, roles: dict[str, Role]) -> None:
    """The producer fills and the consumers release, never the other way round; everyone moves on."""
    for role in roles.values():
        steps = [node for node in walk(role.body) if getattr(node, "ring", None) == ring.name]
        fills = any(isinstance(step, Expect | AsyncLoad) for step in steps)
        frees = any(isinstance(step, Release) for step in steps)
        waits = {step.side for step in steps if isinstance(step, Acquire)}
        if fills and (role.name != ring.producer or waits != {Side.EMPTY}):
            raise CertificationError(f"{role.name!r} fills {ring.name!r} without waiting for empty slots alone")
        if frees and (role.name not in ring.consumers or waits != {Side.FULL}):
            raise CertificationError(f"{role.name!r} releases {ring.name!r} without waiting for full slots alone")
        if fills and not role.elected:
            raise CertificationError(
                f"{role.name!r} fills {ring.name!r} with all its threads, each of which would arrive"
            )
        if steps and not any(isinstance(step, Advance) for step in steps):
            raise CertificationError(f"{role.name!r} never moves on in {ring.name!r}")


def _check_counts(kernel: SemanticKernel, ring: Ring, roles: dict[str, Role]) -> None:
    blocks = len(sharers(0, ring.multicast))
    readers = sum(_readers(kernel, ring, roles[name]) * _arrivals_of(ring, roles[name]) for name in ring.consumers)
    derived = arrivals(readers, blocks, roles[ring.producer].instances)
    if (ring.full_arrivals, ring.empty_arrivals) != (derived.full, derived.empty):
        raise CertificationError(
            f"the ring {ring.name!r} expects {ring.full_arrivals} and {ring.empty_arrivals} arrivals, its roles make "
            f"{derived.full} and {derived.empty}"
        )
    loads = [n for n in walk(roles[ring.producer].body) if isinstance(n, AsyncLoad) and n.ring == ring.name]
    received = 0
    for load in loads:
        if load.target.buffer not in ring.buffers:
            raise CertificationError(
                f"a load into {load.target.buffer!r} counts for {ring.name!r}, which does not guard it"
            )
        if load.multicast is not None and load.multicast not in ring.multicast:
            raise CertificationError(f"a load into {ring.name!r} reaches blocks that do not release to this one")
        size = kernel.buffer(load.target.buffer).dtype.bytes
        received += math.prod(load.source.shape) * size * (load.multicast.count if load.multicast else 1)
    announced = [n.bytes for n in walk(roles[ring.producer].body) if isinstance(n, Expect) and n.ring == ring.name]
    if announced != [received] or ring.transaction_bytes != received:
        raise CertificationError(
            f"a slot of {ring.name!r} receives {received} bytes, {announced} are announced",
            declared=ring.transaction_bytes,
        )
    slots = {kernel.buffer(name).slots for name in ring.buffers}
    if slots != {ring.slots}:
        raise CertificationError(f"the buffers of {ring.name!r} have {sorted(slots)} slots, the ring {ring.slots}")


def _readers(kernel: SemanticKernel, ring: Ring, role: Role) -> int:
    """How many instances of a consumer release each slot: all, or where they take turns, as many as do so in a run."""
    if not takes_turns(kernel, ring.name, role.name):
        return role.instances
    played = Scenario(2 * role.instances, 1)
    events = [event for n in range(role.instances) for event in ring_events(kernel, ring.name, role.name, n, 0, played)]
    released = sum(event.kind is Kind.ARRIVE and not event.token for event in events)
    readers, rest = divmod(released, played.tiles * played.steps)
    if rest:
        raise CertificationError(f"{role.name!r} releases some slots of {ring.name!r} more often than others")
    return readers


def _arrivals_of(ring: Ring, role: Role) -> int:
    """How many arrivals an instance makes when it gives a slot back, the same each time."""
    releases = [node for node in walk(role.body) if isinstance(node, Release) and node.ring == ring.name]
    found = {release.arrivals(role.lanes) for release in releases}
    if len(found) > 1:
        raise CertificationError(f"{role.name!r} releases slots of {ring.name!r} by warps and for all of them")
    return found.pop() if found else 1


def _check_turns(role: Role) -> None:
    """Whoever waits for a turn and whoever passes it make up the threads of its barrier."""
    for step in walk(role.body):
        if not isinstance(step, Await | Signal):
            continue
        if role.elected or step.threads != 2 * role.lanes:
            raise CertificationError(
                f"the {step.token} of {role.name!r} wants {step.threads} threads, one instance that waits and one that "
                f"signals have {2 * role.lanes}"
            )


def _check_slots(kernel: SemanticKernel, ring: Ring) -> None:
    """Loads and descriptors use the slot of their role's own position, which is what the search assumes of them."""
    own = Sym(f"{ring.name}_slot")
    for role in kernel.roles:
        for node in walk(role.body):
            references: tuple[BufferRef | SharedOperand, ...] = ()
            if isinstance(node, AsyncLoad) and node.ring == ring.name:
                references = (node.target,)
            elif isinstance(node, AsyncMma):
                references = node.shared
            elif isinstance(node, Load) and isinstance(node.source, BufferRef):
                references = (node.source,)
            for reference in references:
                if reference.buffer in ring.buffers and reference.slot != own:
                    raise CertificationError(
                        f"a step of {role.name!r} reaches another slot of {ring.name!r} than its own",
                        slot=reference.slot,
                    )
