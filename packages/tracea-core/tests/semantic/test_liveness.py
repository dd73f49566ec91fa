# SPDX-License-Identifier: MIT
"""Which fragments matter where: the cases that decide what loops carry and branches merge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.liveness import Live, assigned, live_before, sets, uses
from tracea_core.semantic.steps import Access, Barrier, Compute, Fill, If, Load, Loop, Mma, Node, Scope, Store, Transfer

Effect: TypeAlias = tuple[frozenset[str], frozenset[str]]

MMA = Mma("fma_outer_1x1x4_fp32", "acc", "a", "b")
LOADS = tuple(Load(name, Access("x", Const(0)), Transfer.VECTOR) for name in ("a", "b"))
STORE = Store(Access("y", Const(0)), "acc", Transfer.VECTOR)
NOTHING: frozenset[str] = frozenset()


def test_a_micro_kernel_carries_only_its_accumulator() -> None:
    loop = Loop("k", Const(0), Sym("n"), (*LOADS, MMA))
    assert assigned((loop,)) == {"a", "b", "acc"}
    assert live_before((loop, STORE), NOTHING) == {"acc"}
    assert live_before((Fill("acc"), loop, STORE), NOTHING) == NOTHING
    assert live_before(loop.body, frozenset({"acc"})) == {"acc"}


def test_a_loop_may_run_zero_times() -> None:
    loop = Loop("k", Const(0), Sym("n"), (Fill("acc"),))
    assert live_before((loop, STORE), NOTHING) == {"acc"}


def test_what_one_round_leaves_for_the_next_is_live() -> None:
    use = Compute("acc", Accumulator(), DType.FP32, ("a",))
    loop = Loop("k", Const(0), Sym("n"), (use, LOADS[0]))
    assert live_before((loop,), NOTHING) == {"a"}


def test_a_branch_kills_only_what_both_sides_set() -> None:
    guard = (less(Sym("n"), 3),)
    assert live_before((If(guard, (Fill("acc"),)), STORE), NOTHING) == {"acc"}
    assert live_before((If(guard, (Fill("acc"),), (Fill("acc", 1.0),)), STORE), NOTHING) == NOTHING


def one_after_the_other(
    nodes: tuple[Node, ...], live: frozenset[str], known: Callable[[Node], Effect]
) -> frozenset[str]:
    """Liveness by its equations, loops repeated until nothing is added."""
    for node in reversed(nodes):
        if isinstance(node, Loop):
            while (more := live | one_after_the_other(node.body, live, known)) != live:
                live = more
        elif isinstance(node, If):
            live = one_after_the_other(node.then, live, known) | one_after_the_other(node.otherwise, live, known)
        else:
            read, written = known(node)
            live = (live - written) | read
    return live


def drawn(random: np.random.Generator, depth: int = 3) -> tuple[Node, ...]:
    """Steps on a few fragments, in loops and branches."""
    found: list[Node] = []
    for _ in range(random.integers(0, 4)):
        a, b, c = (str(name) for name in random.choice(list("abcd"), 3))
        steps = (Fill(a), STORE.replace(fragment=b), MMA.replace(accumulator=a, a=b, b=c), LOADS[0].replace(fragment=c),
                 Compute(a, Accumulator(), DType.FP32, (b,)), Barrier(Scope.BLOCK, "here"))  # fmt: skip
        kind = int(random.integers(0, 8 if depth else 6))
        loop = Loop("k", Const(0), Sym("n"), drawn(random, depth - 1)) if kind == 6 else None
        found.append(steps[kind] if kind < 6 else loop or If((), drawn(random, depth - 1), drawn(random, depth - 1)))
    return tuple(found)


def test_one_walk_finds_what_the_equations_say() -> None:
    random, every = np.random.default_rng(0), frozenset("abcd")
    carried = 0
    for _ in range(300):
        nodes, after = drawn(random), frozenset(str(name) for name in random.choice(list("abcd"), 2))
        assert live_before(nodes, after) == one_after_the_other(nodes, after, lambda node: (uses(node), sets(node)))
        live = Live(nodes, every)
        assert live.before(nodes) == one_after_the_other(nodes, NOTHING, lambda node: (uses(node), sets(node)))
        for place, node in enumerate(nodes):
            if isinstance(node, Loop):
                behind = live.before(nodes[place + 1 :])
                assert live.after(node) == behind | live.before(node.body)
                carried += live.after(node) != behind
    assert carried
