# SPDX-License-Identifier: MIT
"""Which loops' iterations know nothing of each other, so that no order of them can be told from another."""

from __future__ import annotations

from typing import NamedTuple

from tracea_core.semantic.held import held_let
from tracea_core.semantic.row_steps import AddRows, Count, Prefetch
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Extract,
    Fetch,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Staged,
    Store,
    Turn,
)

_IGNORED = (SchedulingFence, Prefetch, Fetch)


class Apart(NamedTuple):
    """What iterations that are carried out at once need: `sums` that they add to together, copies of `private` buffers."""

    sums: bool
    private: frozenset[str]


def apart(body: tuple[Node, ...], own: frozenset[str] = frozenset()) -> Apart | None:
    """Whether iterations of `body` neither meet in memory nor hand registers on, but for sums that only products add to.

    Where they meet in buffers of the worker's `own` alone, each may have a copy: who reads only what it has written itself does not see it.
    """
    uses = _Uses()
    known = uses.follow(body, frozenset()) is not None
    alone = uses.given.isdisjoint(uses.made) and uses.sums.isdisjoint(uses.given | uses.made)
    if not known or not alone:
        return None
    buffers = {f"buffer {name}" for name in own}
    if len(uses.stored - buffers) < 2 and uses.loaded.isdisjoint(uses.stored):
        return Apart(bool(uses.sums), frozenset())
    mine = frozenset(name for name in own if f"buffer {name}" in uses.stored)
    shared = uses.stored - {f"buffer {name}" for name in mine}
    if len(shared) < 2 and uses.loaded.isdisjoint(shared) and uses.early.isdisjoint(uses.stored):
        return Apart(bool(uses.sums), mine)
    return None


def sums_alone(body: tuple[Node, ...]) -> bool:
    """Whether `body` only loads and adds products of what it has loaded itself to sums that it does not load."""
    loaded, sums = set[str](), set[str]()
    for step in body:
        if isinstance(step, Load):
            loaded.add(step.fragment)
        elif isinstance(step, Mma):
            if not {step.a, step.b} <= loaded:
                return False
            sums.add(step.accumulator)
        elif not isinstance(step, _IGNORED) and not (isinstance(step, Let) and not held_let(step)):
            return False
    return bool(sums) and sums.isdisjoint(loaded)


class _Uses:
    """What an iteration uses: fragments that it is given, that it makes, sums, and what it loads from and stores to."""

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.made: set[str] = set()
        self.sums: set[str] = set()
        self.loaded: set[str] = set()
        self.stored: set[str] = set()
        self.early: set[str] = set()
        """What is loaded where nothing was stored to it before, unless in a branch."""

    def follow(self, body: tuple[Node, ...], made: frozenset[str]) -> frozenset[str] | None:
        """Return what is made for certain at the end of steps before which `made` was; None if a step is not carried out at once."""
        for step in body:
            if isinstance(step, _IGNORED):
                continue
            if isinstance(step, If):
                branches = [self.follow(branch, made) for branch in (step.then, step.otherwise)]
                if branches[0] is None or branches[1] is None:
                    return None
                made = branches[0] & branches[1]
            elif isinstance(step, Loop):
                inside = None if any(isinstance(node, Staged) for node in step.body) else self.follow(step.body, made)
                if inside is None:
                    return None
                made |= inside & self.stored  # as if it took a turn: who reads what is not there is told
            elif isinstance(step, Mma) and step.accumulator in made:  # a sum of the iteration's own
                self.given |= {step.a, step.b} - made
            elif isinstance(step, Let):
                if held_let(step):
                    return None
            else:
                used, target = _registers(step)
                if used is None:
                    return None
                self.given |= set(used) - made
                if isinstance(step, Load):
                    self.loaded.add(_object(step.source))
                    self.early |= {_object(step.source)} - made
                elif isinstance(step, Store):
                    self.stored.add(_object(step.target))
                    made |= {_object(step.target)}
                elif isinstance(step, Mma):
                    self.sums.add(step.accumulator)
                if target:
                    self.made.add(target)
                    made |= {target}
        return made


def _registers(step: Node) -> tuple[tuple[str, ...] | None, str]:
    """The fragments that a step uses and the one that it writes (sums apart); None for a step that is not carried out at once."""
    if isinstance(step, Load | Fill | Count):
        return (), step.fragment
    if isinstance(step, Store):
        return (step.fragment,), ""
    if isinstance(step, Mma):
        return (step.a, step.b), ""
    if isinstance(step, Turn | Extract | AddRows):
        return (step.source,), step.target
    if isinstance(step, Compute):
        return (*step.accumulators, *step.operands), step.target
    return None, ""


def _object(place: Access | BufferRef) -> str:
    """The name of what a place lies in."""
    return f"operand {place.operand}" if isinstance(place, Access) else f"buffer {place.buffer}"
