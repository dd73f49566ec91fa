# SPDX-License-Identifier: MIT
"""Which fragments a body sets, and which ones still matter at a point: what loops carry and branches merge."""

from __future__ import annotations

from tracea_core.semantic.row_steps import Count, Fold, Mask
from tracea_core.semantic.steps import Compute, Extract, Fill, If, Load, Loop, Mma, Node, Store, Turn


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
    asked, ended = _summary(nodes)
    return asked | (after - ended)


def _summary(nodes: tuple[Node, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Which fragments `nodes` read that they have not set themselves, and which they set whatever happens.

    A loop may have no turn at all, and its next turn asks for what the first one does.
    """
    asked, ended = frozenset[str](), frozenset[str]()
    for node in reversed(nodes):
        if isinstance(node, Loop):
            asked |= _summary(node.body)[0]
        elif isinstance(node, If):
            (first, one), (second, other) = _summary(node.then), _summary(node.otherwise)
            asked, ended = first | second | (asked - (one & other)), ended | (one & other)
        else:
            written = sets(node)
            asked, ended = (asked - written) | uses(node), ended | written
    return asked, ended


def sets(node: Node) -> frozenset[str]:
    """Return the fragments that a step sets."""
    if isinstance(node, Fill | Load | Mask | Count):
        return frozenset({node.fragment})
    if isinstance(node, Mma):
        return frozenset({node.accumulator})
    if isinstance(node, Compute | Extract | Turn | Fold):
        return frozenset({node.target})
    return frozenset()


def uses(node: Node) -> frozenset[str]:
    """Return the fragments that a step reads."""
    if isinstance(node, Store | Mask):
        return frozenset({node.fragment})
    if isinstance(node, Mma):
        return frozenset({node.accumulator, node.a, node.b})
    if isinstance(node, Compute):
        return frozenset({*node.accumulators, *node.operands})
    if isinstance(node, Extract | Turn | Fold):
        return frozenset({node.source})
    return frozenset()
