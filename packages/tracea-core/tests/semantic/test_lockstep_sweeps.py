# SPDX-License-Identifier: MIT
"""Loops over a reduction with all turns at once: what turns one after the other find and refuse, in fewer steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.attention import AttentionOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.staged_chain import staged_chain_kernel
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.interpret_lockstep import LockstepInterpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lockstep_sweeps import LockstepSweeps, _body
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.steps import (
    Access,
    Barrier,
    BufferRef,
    Fill,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Scope,
    Store,
    Transfer,
)
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited

Edit = Callable[[Node], tuple[Node, ...]]


@pytest.fixture(scope="module")
def attention() -> tuple[SemanticKernel, Chained]:
    """Attention in single precision, whose lanes multiply by themselves: a step of k is a turn of a loop."""
    op = AttentionOp(1, 2, 40, 70, 32, causal=True, dtype=DType.FP32)
    form = lower_chained(chain_problem(op)).form
    config = PipelineConfig(
        tile_m=16, tile_n=32, tile_k=32, stages=2, warps=2, vector_a=4, vector_b=4, vector_c=4
    )  # fmt: skip
    return staged_chain_kernel(form, config, preset("t4"), "x.chained.x", "attention", "simt_4x8_2x4_fp32"), form


def sweeps(node: Node) -> bool:
    return isinstance(node, Loop) and _body(node) is not None


def of_sweeps(change: Callable[[Node], tuple[Node, ...]]) -> Edit:
    """Change the steps of every loop that is carried out at once."""

    def edit(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop) and sweeps(node):
            return (node.replace(body=tuple(new for step in node.body for new in change(step))),)
        return (node,)

    return edit


def moved(by: int, axis: int) -> Edit:
    def change(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Load) and isinstance(node.source, BufferRef):
            places = list(node.source.coordinates)
            places[axis] = places[axis] + by
            return (node.replace(source=node.source.replace(coordinates=tuple(places))),)
        return (node,)

    return of_sweeps(change)


def other_slot(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.slot not in (None, Const(0)):
        return (node.replace(source=node.source.replace(slot=(node.source.slot + 1) % 2)),)
    return (node,)


def one_turn_less(node: Node) -> tuple[Node, ...]:
    return (node.replace(stop=node.stop - 1),) if isinstance(node, Loop) and sweeps(node) else (node,)


PLANTED: dict[str, Edit] = {
    "nothing": lambda node: (node,),
    "the next k": moved(1, 0),
    "the k before": moved(-1, 0),
    "the next column": moved(1, 1),
    "the other slot": of_sweeps(other_slot),
    "one turn less": one_turn_less,
    "products twice": of_sweeps(lambda node: (node, node) if isinstance(node, Mma) else (node,)),
    "factors exchanged": of_sweeps(
        lambda node: (node.replace(a=node.b, b=node.a),) if isinstance(node, Mma) else (node,)
    ),
    "loads in runs of three": of_sweeps(lambda node: (node.replace(width=3),) if isinstance(node, Load) else (node,)),
    "no barriers": lambda node: () if isinstance(node, Barrier) else (node,),
    "sums not cleared": lambda node: () if isinstance(node, Fill) and node.fragment.startswith("score") else (node,),
}  # fmt: skip


def outcome(kernel: SemanticKernel, form: Chained) -> str:
    """What is proved, or refused."""
    try:
        return prove_meaning(kernel, form)[0].evidence
    except CertificationError as error:
        return f"refused: {error.message}".split(" [")[
            0
        ]  # how far an access reaches beyond a buffer is of one turn or of several


@pytest.mark.parametrize("name", PLANTED)
def test_turns_at_once_find_what_turns_find(
    attention: tuple[SemanticKernel, Chained], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = attention
    changed = edited(kernel, PLANTED[name], or_same=name == "nothing")
    assert (changed == kernel) is (name == "nothing")
    at_once = outcome(changed, form)
    monkeypatch.setattr(LockstepSweeps, "_swept", lambda *_: False)
    assert outcome(changed, form) == at_once
    assert at_once.startswith("refused") is (name != "nothing")


def test_loops_over_a_reduction_are_carried_out_at_once(
    attention: tuple[SemanticKernel, Chained], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = attention
    steps: list[Node] = []
    original = LockstepInterpreter._multiply

    def counted(self: LockstepInterpreter, step: Mma, *rest: object) -> None:
        steps.append(step)
        original(self, step, *rest)  # type: ignore[arg-type]

    monkeypatch.setitem(_actions(), Mma, counted)
    prove_meaning(kernel, form)
    assert steps == []  # tiles' reductions are whole
    monkeypatch.setattr(LockstepSweeps, "_swept", lambda *_: False)
    prove_meaning(kernel, form)
    assert len(steps) > 100


def _actions() -> dict[type, object]:
    from tracea_core.semantic import interpret_lockstep

    return interpret_lockstep._ACTIONS  # type: ignore[return-value]


LOAD = Load("a", BufferRef("tile", (Sym("x"), Sym("column"))), Transfer.GATHER)
OTHER = LOAD.replace(fragment="b")
ADD = Mma("m", "sum", "a", "b")


@pytest.mark.parametrize(
    ("body", "swept"),
    [
        ((LOAD, OTHER, ADD), True),
        ((LOAD, OTHER, ADD, OTHER, ADD.replace(accumulator="more")), True),
        ((LOAD, ADD), False),  # b is what somebody left
        ((ADD, LOAD, OTHER), False),  # what the turn before loaded
        ((LOAD, OTHER), False),
        ((LOAD, OTHER, ADD, LOAD.replace(fragment="sum")), False),
        ((LOAD, OTHER, ADD.replace(accumulator="a")), False),
        ((LOAD, OTHER.replace(guard=(less(Sym("x"), 3),)), ADD), False),
        ((LOAD, OTHER.replace(source=Access("p", Sym("x"))), ADD), False),
        ((LOAD, OTHER, ADD, Store(LOAD.source, "sum", Transfer.GATHER)), False),
        ((Let("y", Sym("x") + 1), LOAD, OTHER, ADD), False),
        ((LOAD, OTHER, Barrier(Scope.BLOCK, "b"), ADD), False),
    ],
)  # fmt: skip
def test_only_loops_that_load_and_multiply_are(body: tuple[Node, ...], swept: bool) -> None:
    found = _body(Loop("x", Const(0), Const(8), body))
    assert (found is not None) is swept
    if found is not None:
        assert [(product.a, product.b) for product in found.products] == [(0, 1), (0, 2)][: len(found.products)]
