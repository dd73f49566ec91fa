# SPDX-License-Identifier: MIT
"""Software pipelining as a transformation: a loop with `Staged` steps becomes prologue, steady loop and drain.

Before: ``for i: load(i + 2); mma(i)`` written as a loop whose load is staged with offset 2.
After: loads of iterations 0 and 1, a loop that loads i + 2 and multiplies i without a test, and the last two
multiplications.

A staged step with offset d runs at loop position i for iteration i + d, if that iteration exists. With d_min ≤ 0 ≤
d_max over all steps, positions run from start − d_max to stop − 1 − d_min; only positions in [start − d_min, stop −
d_max) need no test. In the drain fewer groups are running and positions no longer advance, so waits and releases that
count back from the youngest iteration count less far. Emitters and interpreter see the result, so neither decides what is peeled.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import Index, Sym, less, maximum
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Advance, Commit, If, Loop, Node, Release, Staged, Wait

_NEVER = 1 << 20


def offsets(loop: Loop) -> tuple[int, int]:
    """Return the smallest and largest offset of the loop's steps (0 where none is staged)."""
    staged = [node.offset for node in loop.body if isinstance(node, Staged)]
    return min([0, *staged]), max([0, *staged])


def expand(loop: Loop) -> tuple[Node, ...]:
    """Return plain nodes (no `Staged`) that do the same as `loop`.

    Raises
    ------
    ConfigurationError
        If a staged step stands in a loop whose step is not 1.
    """
    low, high = offsets(loop)
    if low == 0 == high and not any(isinstance(node, Staged) for node in loop.body):
        return (loop,)
    if loop.step != 1:
        raise ConfigurationError("staged steps need a loop with step 1", loop=loop.var)
    first, last = loop.start - low, loop.stop - high
    prologue = [node for position in range(-high, -low) for node in _prologue(loop, position)]
    prologue = _joined(prologue)
    steady = Loop(loop.var, first, last, _steady(loop), unroll=loop.unroll)
    drain_from = maximum(first, last)
    drain = [
        node
        for position in range(high - low)
        for node in _shortened(loop, high, position, _drain(loop, drain_from + position, high - position))
    ]
    return (*prologue, steady, *_joined(drain))


def _steady(loop: Loop) -> tuple[Node, ...]:
    body: list[Node] = []
    for node in loop.body:
        if isinstance(node, Staged):
            body.extend(replace_symbols(node.body, {loop.var: Sym(loop.var) + node.offset}))
        else:
            body.append(node)
    return tuple(body)


def _parts(loop: Loop) -> Iterator[tuple[int, tuple[Node, ...]]]:
    """Yield the steps of a loop's body with their offsets."""
    for node in loop.body:
        yield (node.offset, node.body) if isinstance(node, Staged) else (0, (node,))


def _prologue(loop: Loop, position: int) -> list[Node]:
    """The steps of a position before the steady loop, counted from the start: those of iterations that may exist."""
    return [
        _guarded(loop, loop.start + position + offset, steps)
        for offset, steps in _parts(loop)
        if position + offset >= 0
    ]


def _drain(loop: Loop, position: Index, reach: int) -> list[Node]:
    """The steps of a position behind the steady loop: those with an offset below `reach`, since others would lie beyond the end.

    None of them lies before the start: the steady loop begins where every offset has reached it.
    """
    return [_guarded(loop, position + offset, steps) for offset, steps in _parts(loop) if offset < reach]


def _guarded(loop: Loop, iteration: Index, steps: tuple[Node, ...]) -> Node:
    return If((less(iteration, loop.stop),), replace_symbols(steps, {loop.var: iteration}))


def _joined(nodes: list[Node]) -> list[Node]:
    """The same nodes with neighbours under one condition in one branch: a condition of integers that no step changes."""
    joined: list[Node] = []
    for node in nodes:
        last = joined[-1] if joined else None
        if isinstance(node, If) and isinstance(last, If) and node.guard == last.guard:
            joined[-1] = last.replace(then=(*last.then, *node.then))
        else:
            joined.append(node)
    return joined


def _shortened(loop: Loop, high: int, position: int, nodes: list[Node]) -> list[Node]:
    """The nodes of the drain's given position, counting back from what had been started by the end of the loop.

    A step with offset d last ran ``high − d`` positions into the drain. From there on each position finds one running
    group fewer (its `Wait` leaves one fewer), and a ring position that has stopped one further ahead than it was.
    """

    def shorten(node: Node) -> Node:
        if isinstance(node, Wait):
            missing = position + 1 - (high - _offset_of(loop, Commit(node.kind), high))
            return node.replace(pending=max(0, node.pending - max(0, missing)))
        if isinstance(node, Release):
            missing = position - (high - _offset_of(loop, Advance(node.ring), high))
            return node.replace(lag=max(0, node.lag - max(0, missing)))
        if isinstance(node, If):
            return node.replace(
                then=tuple(shorten(n) for n in node.then), otherwise=tuple(shorten(n) for n in node.otherwise)
            )
        return node

    return [shorten(node) for node in nodes]


def _offset_of(loop: Loop, wanted: Node, high: int) -> int:
    """The offset at which the loop runs `wanted`; one that never stops within the drain if it does not run it."""
    for node in loop.body:
        if node == wanted:
            return 0
        if isinstance(node, Staged) and wanted in node.body:
            return node.offset
    return high - _NEVER
