# SPDX-License-Identifier: MIT
"""Repetition found again: what differs is taken out, what depends on its order stays as it is."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.index import COLUMN, ROW, Sym
from tracea_core.semantic.kernel import Actor, Fragment, Role
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.rolls import Roll, rolled
from tracea_core.semantic.steps import Access, Compute, Load, Node, SchedulingFence, Store, Transfer

PARTS = 4


@pytest.fixture(scope="module")
def role() -> Role:
    layout = instruction("mma_m16n8k16_bf16").c
    names = [*(f"acc{i}" for i in range(PARTS)), "result", "bias"]
    return Role("warp", Actor.WARP, 4, 32, tuple(Fragment(name, DType.FP32, layout) for name in names), ())


def stored(part: int, source: str = "result") -> tuple[Node, ...]:
    """Round a part of a tile and store it, with the compiler's fences that schedules put between."""
    place = (Sym("row0") + ROW) * Sym("out_row") + (8 * part + 4) + COLUMN
    result = Compute("result", Accumulator(0), DType.FP32, (f"acc{part}",))
    return result, SchedulingFence(), Store(Access("out", place), source, Transfer.GATHER)


def test_groups_that_differ_in_constants_and_fragments_are_one_roll(role: Role) -> None:
    (roll,) = rolled(tuple(node for part in range(PARTS) for node in stored(part)), role, frozenset())
    assert isinstance(roll, Roll) and roll.groups == PARTS
    assert [type(step) for step in roll.steps] == [Compute, Store]
    assert sorted(roll.fragments.values()) == [tuple(f"acc{i}" for i in range(PARTS)), ("result",) * PARTS]
    assert (4, 12, 20, 28) in roll.constants.values()  # 8·part + 4 is folded


def test_what_another_group_writes_is_not_read_together(role: Role) -> None:
    """Each load adds to what the one before it stored: together they would all read the first."""
    nodes: list[Node] = []
    for part in range(PARTS):
        nodes += [Load("bias", Access("out", ROW + part), Transfer.GATHER)]
        nodes += [Store(Access("out", ROW + part + 1), "bias", Transfer.GATHER)]
    assert not any(isinstance(node, Roll) for node in rolled(tuple(nodes), role, frozenset()))
    chain = tuple(Compute(f"acc{i + 1}", Accumulator(0), DType.FP32, (f"acc{i}",)) for i in range(PARTS - 1))
    assert rolled(chain, role, frozenset()) == chain


def test_nothing_is_lost(role: Role) -> None:
    """Fragments of another layout, and groups left alone, stay steps of their own; the last writer of a fragment comes last."""
    nodes = (*stored(0), *stored(1), *stored(2), Load("bias", Access("b", ROW), Transfer.GATHER))
    found = rolled(nodes, role, frozenset())
    assert isinstance(found[0], Roll) and found[0].groups == 3
    assert found[1:] == nodes[-1:]
