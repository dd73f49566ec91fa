# SPDX-License-Identifier: MIT
"""Which fragments a body sets, and which ones still matter at a point: what loops carry, branches merge, and iterations hand on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tracea_core.semantic.held import held_let
from tracea_core.semantic.row_steps import AddRows, Count, Fold, Mask, Prefetch
from tracea_core.semantic.steps import (
    Barrier,
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
    Store,
    Turn,
)

Names: TypeAlias = frozenset[str]
_NOTHING: Names = frozenset()
_MOVES = (Load, Fill, Store, Mma, Turn, Extract, Compute, Mask, Count, Fold, AddRows)
_NEITHER = (SchedulingFence, Prefetch, Fetch, Barrier)


def assigned(nodes: tuple[Node, ...]) -> frozenset[str]:
    """Return the fragments that `nodes` set."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, Loop):
            names |= assigned(node.body)
        elif isinstance(node, If):
            names |= assigned(node.then) | assigned(node.otherwise)
        else:
            names |= sets(node)
    return frozenset(names)


def live_before(nodes: tuple[Node, ...], after: frozenset[str]) -> frozenset[str]:
    """Return the fragments whose value before `nodes` matters, if those in `after` matter afterwards."""
    asked, ended = _summary(nodes, _effect)
    return asked | (after - ended)


class Live:
    """What is asked for after each loop and branch of a body, the loop's next turn included.

    Iterations that are carried out at once hand on what they hold, and most of it nobody asks for any more. A step that writes a fragment
    ends what it held before; a step whose effect is not known here is taken to use everything.

    Parameters
    ----------
    body : tuple of Node
        All steps of a role, behind which nobody asks for anything.
    every : frozenset of str
        Names of all its fragments.
    """

    def __init__(self, body: tuple[Node, ...], every: Names) -> None:
        self.every = every
        self._after: dict[int, Names] = {}
        self._known: dict[int, tuple[tuple[Node, ...], tuple[Names, Names]]] = {}
        self._body = body  # whose nodes are kept, so that their identities stay their own
        self._note(body, _NOTHING)

    def after(self, node: Loop | If) -> Names:
        """Return what may be asked for once a turn of a loop, or a branch, has ended."""
        return self._after.get(id(node), self.every)

    def before(self, nodes: tuple[Node, ...]) -> Names:
        """Return what steps ask for that they have not written themselves."""
        return self._summary(nodes)[0]

    def _summary(self, nodes: tuple[Node, ...]) -> tuple[Names, Names]:
        """As `_summary`, of the same nodes once: loops ask for what is in them on every level."""
        found = self._known.get(id(nodes))
        if found is None:
            found = self._known[id(nodes)] = (nodes, _summary(nodes, self._effect, self._summary))
        return found[1]

    def _note(self, nodes: tuple[Node, ...], live: Names) -> Names:
        """Note what is asked for after each loop and branch, `live` being asked for behind them all; return what is before them."""
        for node in reversed(nodes):
            if isinstance(node, Loop):
                live |= self.before(node.body)  # what a turn asks for, the next one does as well
                self._after[id(node)] = self._after.get(id(node), _NOTHING) | live
                self._note(node.body, live)
            elif isinstance(node, If):
                self._after[id(node)] = self._after.get(id(node), _NOTHING) | live
                live = self._note(node.then, live) | self._note(node.otherwise, live)
            else:
                used, written = self._effect(node)
                live = (live - written) | used
        return live

    def _effect(self, node: Node) -> tuple[Names, Names]:
        if isinstance(node, _MOVES):
            return _effect(node)
        if isinstance(node, _NEITHER) or (isinstance(node, Let) and not held_let(node)):
            return _NOTHING, _NOTHING
        return self.every, _NOTHING


def _effect(node: Node) -> tuple[Names, Names]:
    """What a step reads, and what it sets."""
    return uses(node), sets(node)


def _summary(
    nodes: tuple[Node, ...],
    effect: Callable[[Node], tuple[Names, Names]],
    inner: Callable[[tuple[Node, ...]], tuple[Names, Names]] | None = None,
) -> tuple[Names, Names]:
    """Which fragments `nodes` read that they have not set themselves, and which they set whatever happens.

    A loop may have no turn at all, and its next turn asks for what the first one does. `inner` says the same of the bodies within.
    """
    of = inner or (lambda body: _summary(body, effect))
    asked, ended = set[str](), set[str]()
    for node in reversed(nodes):
        if isinstance(node, Loop):
            asked |= of(node.body)[0]
        elif isinstance(node, If):
            (first, one), (second, other) = of(node.then), of(node.otherwise)
            asked -= one & other
            asked |= first | second
            ended |= one & other
        else:
            read, written = effect(node)
            asked -= written
            asked |= read
            ended |= written
    return frozenset(asked), frozenset(ended)


def sets(node: Node) -> Names:
    """Return the fragments that a step sets."""
    if isinstance(node, Fill | Load | Mask | Count):
        return frozenset({node.fragment})
    if isinstance(node, Mma):
        return frozenset({node.accumulator})
    if isinstance(node, Compute | Extract | Turn | Fold | AddRows):
        return frozenset({node.target})
    return _NOTHING


def uses(node: Node) -> Names:
    """Return the fragments that a step reads."""
    if isinstance(node, Store | Mask):
        return frozenset({node.fragment})
    if isinstance(node, Mma):
        return frozenset({node.accumulator, node.a, node.b})
    if isinstance(node, Compute):
        return frozenset({*node.accumulators, *node.operands})
    if isinstance(node, Extract | Turn | Fold | AddRows):
        return frozenset({node.source})
    return _NOTHING
