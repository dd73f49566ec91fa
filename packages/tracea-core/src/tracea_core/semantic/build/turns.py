# SPDX-License-Identifier: MIT
"""Consumers that take turns (ping-pong): each computes tiles of its own, and one's epilogue hides behind the other's products.

Tiles go round: instance c of n computes the rounds c, c + n, … and skips the ring slots of the rounds between. Its
main loop starts when the one before it has issued its last matrix instructions, which lets the matrix unit run on without
a gap, and keeps the ring's parities unambiguous: whoever waits for a slot is less than 2N slots behind whoever fills it. The turn
is passed once for each round but the last, so that nobody is left waiting and no arrival is left over, whatever the number of
tiles.
"""

from __future__ import annotations

from tracea_core.semantic.build.raster import ROUNDS
from tracea_core.semantic.index import Const, Index, Sym, less
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.peel import expand
from tracea_core.semantic.steps import If, Loop, Node

TURN = "turn"
INSTANCES = 2
"""Consumers that take turns: with two, one multiplies while the other stores."""


def with_turns(
    role: str, lanes: int, ring: str, steps: Index, before: tuple[Node, ...], sweep: Loop, after: tuple[Node, ...]
) -> tuple[Node, ...]:
    """Return the nodes of one round of a consumer that takes turns.

    Parameters
    ----------
    steps : Index
        Slots that a round uses.
    before : tuple of Node
        What needs neither turn nor slots, such as loads for the epilogue.
    sweep : Loop
        The reduction. The turn is passed behind its last issue, before what is peeled off its end waits for results.
    after : tuple of Node
        The epilogue.
    """
    nodes = expand(sweep)
    end = next(place for place, node in enumerate(nodes) if isinstance(node, Loop)) + 1
    take = If((less(Const(0), Sym("round")),), (Await(TURN, INSTANCES * lanes),))
    given = Signal(TURN, (Sym(role) + 1) % INSTANCES, INSTANCES * lanes)
    give = If((less(Sym("round") + 1, ROUNDS),), (given,))
    over = Skip(ring, steps * (INSTANCES - 1))
    return (*before, take, *nodes[:end], give, *nodes[end:], over, *after)


def first_skip(role: str, ring: str, steps: Index) -> Skip:
    """Return the step with which an instance passes the slots of the rounds before its first."""
    return Skip(ring, Sym(role) * steps)
