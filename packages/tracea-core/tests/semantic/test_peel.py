# SPDX-License-Identifier: MIT
"""Peeling must visit the same (step, iteration) pairs as the definition, each once, at every trip count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.index import Const, Sym, evaluate, holds
from tracea_core.semantic.peel import expand, offsets
from tracea_core.semantic.steps import Fill, If, Let, Loop, Node, Staged


def marked(name: str) -> tuple[Node, ...]:
    """A step that can be recognised: it names the iteration it works on."""
    return (Let(name, Sym("i")), Fill(name))


def run(nodes: tuple[Node, ...], scope: dict[str, int]) -> list[tuple[str, int]]:
    seen: list[tuple[str, int]] = []
    for node in nodes:
        if isinstance(node, Loop):
            for i in range(int(evaluate(node.start, scope)), int(evaluate(node.stop, scope)), node.step):
                seen += run(node.body, {**scope, node.var: i})
        elif isinstance(node, If):
            seen += run(node.then if holds(node.guard, scope) else node.otherwise, scope)
        elif isinstance(node, Let):
            seen.append((node.name, int(evaluate(node.value, scope))))
    return seen


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 9))
def test_every_step_runs_once_for_every_iteration(shifts: list[int], start: int, trips: int) -> None:
    body = tuple(Staged(shift, marked(f"s{index}")) for index, shift in enumerate(shifts))
    loop = Loop("i", Const(start), Sym("stop"), body)
    seen = run(expand(loop), {"stop": start + trips})
    expected = {(f"s{index}", i) for index in range(len(shifts)) for i in range(start, start + trips)}
    assert len(seen) == len(set(seen)) and set(seen) == expected


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=4), st.integers(0, 9))
def test_a_step_runs_as_far_ahead_as_its_offset_says(shifts: list[int], trips: int) -> None:
    body = tuple(Staged(shift, marked(f"s{index}")) for index, shift in enumerate(shifts))
    seen = run(expand(Loop("i", Const(0), Sym("stop"), body)), {"stop": trips})
    place = {event: position for position, event in enumerate(seen)}
    for first in range(len(shifts)):
        for second in range(len(shifts)):
            for i in range(trips):
                j = i + shifts[second] - shifts[first]  # what `second` works on when `first` works on i
                if first < second and 0 <= j < trips:
                    assert place[f"s{first}", i] < place[f"s{second}", j]


def test_the_steady_loop_tests_nothing() -> None:
    loop = Loop("i", Const(0), Sym("stop"), (Staged(2, marked("load")), *marked("use")))
    assert offsets(loop) == (0, 2)
    steady = [node for node in expand(loop) if isinstance(node, Loop)]
    assert len(steady) == 1 and not any(isinstance(node, If) for node in steady[0].body)


def test_a_loop_without_staged_steps_stays_as_it_is() -> None:
    loop = Loop("i", Const(0), Sym("stop"), marked("use"), unroll=4)
    assert expand(loop) == (loop,)


def test_staged_steps_need_unit_steps() -> None:
    with pytest.raises(ConfigurationError, match="step 1"):
        expand(Loop("i", Const(0), Sym("stop"), (Staged(1, marked("load")),), step=2))
