# SPDX-License-Identifier: MIT
"""Which fragments' contents somebody may still ask for: liveness, read off the steps backwards.

Iterations that are carried out at once hand on what they hold, and most of it nobody asks for any more. A step that writes a fragment
ends what it held before; a step whose effect is not known here is taken to use everything.
"""

from __future__ import annotations

from tracea_core.semantic.held import held_let
from tracea_core.semantic.row_steps import Prefetch
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

_NOTHING = frozenset[str]()
_NEITHER = (SchedulingFence, Prefetch, Fetch, Barrier)


class Live:
    """What is asked for after each loop and branch of a body, the loop's next turn included.

    Parameters
    ----------
    body : tuple of Node
        All steps of a role, behind which nobody asks for anything.
    every : frozenset of str
        Names of all its fragments.
    """

    def __init__(self, body: tuple[Node, ...], every: frozenset[str]) -> None:
        self.every = every
        self._after: dict[int, frozenset[str]] = {}
        self._asked: dict[int, frozenset[str]] = {}
        self._body = body  # whose nodes are kept, so that their identities stay their own
        self._before(body, _NOTHING, note=True)

    def after(self, node: Loop | If) -> frozenset[str]:
        """Return what may be asked for once a turn of a loop, or a branch, has ended."""
        return self._after.get(id(node), self.every)

    def before(self, nodes: tuple[Node, ...]) -> frozenset[str]:
        """Return what steps ask for that they have not written themselves."""
        return self._before(nodes, _NOTHING, note=False)

    def _before(self, nodes: tuple[Node, ...], live: frozenset[str], note: bool) -> frozenset[str]:
        for node in reversed(nodes):
            if isinstance(node, Loop):
                if id(node) not in self._asked:
                    self._asked[id(node)] = self._before(node.body, _NOTHING, note=False)
                live |= self._asked[id(node)]  # what a turn asks for, the next one does as well
                if note:
                    self._after[id(node)] = self._after.get(id(node), _NOTHING) | live
                    self._before(node.body, live, note=True)
            elif isinstance(node, If):
                if note:
                    self._after[id(node)] = self._after.get(id(node), _NOTHING) | live
                live = self._before(node.then, live, note) | self._before(node.otherwise, live, note)
            else:
                used, written = self._step(node)
                live = (live - written) | used
        return live

    def _step(self, node: Node) -> tuple[frozenset[str], frozenset[str]]:
        """What a step uses, and what it writes as a whole."""
        if isinstance(node, Load | Fill):
            return _NOTHING, frozenset((node.fragment,))
        if isinstance(node, Store):
            return frozenset((node.fragment,)), _NOTHING
        if isinstance(node, Mma):
            return frozenset((node.a, node.b, node.accumulator)), _NOTHING
        if isinstance(node, Turn | Extract):
            return frozenset((node.source,)), frozenset((node.target,))
        if isinstance(node, Compute):
            return frozenset((*node.accumulators, *node.operands)), frozenset((node.target,))
        if isinstance(node, _NEITHER) or (isinstance(node, Let) and not held_let(node)):
            return _NOTHING, _NOTHING
        return self.every, _NOTHING
