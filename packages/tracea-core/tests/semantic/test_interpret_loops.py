# SPDX-License-Identifier: MIT
"""Loops carried out at once: the same memory, the same registers and the same refusals as one iteration after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.depthwise import strips_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.flat_loops import Iterations
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.index import COLUMN, ROW, Const, Sym, equal, less
from tracea_core.semantic.interpret import Instance, Interpreter
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_loops import LoopsInterpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Access, BufferRef, Extract, Fill, If, Let, Load, Loop, Mma, Node, Store, Transfer
from tracea_core.semantic.verify import runs
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.edit import edited

SIZES = (9, 30, 21)
PLACE = Access("a", Sym("x") * 4 + COLUMN)
LOAD = Load("a", PLACE, Transfer.GATHER)
STORE = Store(Access("out", Sym("x") * 4 + ROW), "a", Transfer.GATHER)


@pytest.fixture(scope="module")
def kernel() -> SemanticKernel:
    config = PipelineConfig(tile_m=4, tile_n=24, tile_k=4)
    return panel_kernel(lower(gemm(SIZES, DType.FP32)).contraction, config, preset("avx2"), "v", "k")


def operands() -> dict[str, np.ndarray]:
    m, n, k = SIZES
    random = np.random.default_rng(0)
    return {
        "a": random.integers(-9, 10, m * k).astype(np.float64),
        "b": random.integers(-9, 10, n * k).astype(np.float64),
        "out": np.zeros(m * n),
    }


def symbols() -> dict[str, int]:
    return {**lower(gemm(SIZES, DType.FP32)).symbols, "row_splits": 2, "column_splits": 1, "row_blocks": 2}


def outcome(kind: type[Interpreter], kernel: SemanticKernel) -> object:
    """Everything in memory, how often the output was written, and the registers of each worker; or what is refused, in words."""
    held: list[Instance] = []

    class Watched(kind):  # type: ignore[misc, valid-type]
        def _instances(self) -> list[Instance]:
            held[:] = super()._instances()
            return held

    machine = Watched(kernel, symbols(), operands(), 2)
    try:
        machine.run()
    except InterpretError as error:
        return str(error)
    memory = {name: (found.values.tolist(), found.written.tolist()) for name, found in machine.memory.items()}
    return str(memory), [{name: part.tolist() for name, part in one.registers.items()} for one in held]


def shifted(kind: type, by: int) -> Callable[[Node], tuple[Node, ...]]:
    """Move where steps of a kind load from in memory."""

    def change(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Load) and isinstance(node.source, kind):
            if isinstance(node.source, Access):
                return (node.replace(source=Access(node.source.operand, node.source.offset + by)),)
            first, *rest = node.source.coordinates
            return (node.replace(source=node.source.replace(coordinates=(first + by, *rest))),)
        return (node,)

    return change


def folded(node: Node) -> tuple[Node, ...]:
    """Let two rows of a panel be stored over each other."""
    if isinstance(node, Store) and isinstance(node.target, BufferRef):
        first, *rest = node.target.coordinates
        return (node.replace(target=node.target.replace(coordinates=(first - first % 2, *rest))),)
    return (node,)


CHANGED: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    "nothing": lambda node: (node,),
    "the next element": shifted(Access, 1),
    "far away": shifted(Access, 1 << 20),
    "before the start": shifted(Access, -3),
    "the next row of the panel": shifted(BufferRef, 1),
    "rows of the panel over each other": folded,
    "products twice": lambda node: (node, node) if isinstance(node, Mma) else (node,),
    "no loads": lambda node: () if isinstance(node, Load) else (node,),
    "no stores to panels": lambda node: () if isinstance(node, Store) and isinstance(node.target, BufferRef) else (node,),
    "stores twice": lambda node: (node, node) if isinstance(node, Store) else (node,),
    "no fills": lambda node: () if isinstance(node, Fill) else (node,),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_both_machines_find_the_same(kernel: SemanticKernel, name: str) -> None:
    changed = edited(kernel, CHANGED[name], or_same=name == "nothing")
    assert outcome(LoopsInterpreter, changed) == outcome(Interpreter, changed)


def test_kernels_of_workers_are_run_so_and_in_fewer_steps(
    kernel: SemanticKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Node] = []
    original = Interpreter._step

    def counted(self: Interpreter, step: Node, *rest: object) -> object:
        steps.append(step)
        return original(self, step, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Interpreter, "_step", counted)
    machine = interpreter(kernel, symbols(), operands(), 2)
    assert type(machine) is LoopsInterpreter
    m, n, k = SIZES
    memory = operands()
    expected = memory["a"].reshape(m, k) @ memory["b"].reshape(k, n)
    assert machine.run()["out"].tolist() == expected.ravel().tolist()
    few, steps = len(steps), []
    Interpreter(kernel, symbols(), operands(), 2).run()
    assert few * 4 < len(steps)


def _apart(machine: LoopsInterpreter, *body: Node) -> bool:
    return machine._apart(Loop("x", Const(0), Const(8), body))


def test_iterations_that_hand_something_on_stay_in_order(kernel: SemanticKernel) -> None:
    machine = LoopsInterpreter(kernel, symbols(), operands(), 1)
    add = Mma("m", "sum", "a", "b")
    chosen = If((equal(Sym("n"), 3),), (LOAD,))
    assert _apart(machine, LOAD, STORE)
    assert _apart(machine, Let("y", Sym("x") + 1), LOAD, add)
    assert _apart(machine, If((equal(Sym("n"), 3),), (LOAD, STORE), (Fill("a", 0.0), STORE)))
    assert _apart(machine, Loop("y", Const(0), Const(3), (LOAD, STORE)))
    assert _apart(machine, LOAD, Extract("part", "a", Sym("y"), Const(0)), Store(STORE.target, "part", Transfer.GATHER))
    assert not _apart(machine, Extract("part", "a", Const(0), Const(0)), LOAD)
    assert not _apart(machine, STORE, LOAD)  # what the last iteration loaded
    assert not _apart(machine, chosen, STORE)  # or this one, perhaps
    assert not _apart(machine, Loop("y", Const(0), Sym("n"), (LOAD,)), STORE)
    assert not _apart(machine, LOAD, add, Store(STORE.target, "sum", Transfer.GATHER))
    assert _apart(machine, LOAD, Fill("sum", 0.0), add, Store(STORE.target, "sum", Transfer.GATHER))  # a sum of its own
    assert _apart(machine, Let("t", ROW + Sym("x"), "a"), LOAD, STORE)
    assert not _apart(machine, LOAD, add, Fill("sum", 0.0))
    assert not _apart(machine, LOAD, Let("t", Sym("a"), "a"))  # what is held
    assert not _apart(machine, Load("a", STORE.target, Transfer.GATHER), Store(STORE.target, "a", Transfer.GATHER))
    assert not _apart(machine, LOAD, STORE, Store(PLACE, "a", Transfer.GATHER))


def test_iterations_that_part_are_taken_one_by_one(kernel: SemanticKernel) -> None:
    """A branch that only some iterations take, and a loop that some repeat more often."""

    def parted(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop) and any(isinstance(step, Mma) for step in node.body):
            return (node.replace(body=(If((less(Sym(node.var), 5),), node.body, node.body),)),)
        return (node,)

    def repeated(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Loop) and any(isinstance(step, Mma) for step in node.body):
            return (node.replace(body=(*node.body, Loop("again", Const(0), Sym(node.var) % 2, node.body))),)
        return (node,)

    for change in (parted, repeated):
        changed = edited(kernel, change)
        assert outcome(LoopsInterpreter, changed) == outcome(Interpreter, changed)
    assert outcome(LoopsInterpreter, edited(kernel, parted)) == outcome(Interpreter, kernel)


@pytest.mark.parametrize(("outer", "inner"), [(3, 7), (7, 3)])
def test_the_inner_one_of_two_nested_loops_over_a_sum_is_carried_out_at_once(
    kernel: SemanticKernel, outer: int, inner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nest(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Loop) or not any(isinstance(step, Mma) for step in node.body):
            return (node,)
        body = replace_symbols(node.body, {node.var: Sym("whole") * inner + Sym("part")})
        return (Loop("whole", Const(0), Const(outer), (Loop("part", Const(0), Const(inner), body),)),)

    assert outer * inner == SIZES[2]
    nested = edited(kernel, nest)
    counts: dict[str, set[int]] = {}
    original = LoopsInterpreter._add_turns

    def watched(self: LoopsInterpreter, loop: Loop, start: np.ndarray, turns: np.ndarray, *rest: object) -> None:
        counts.setdefault(loop.var, set()).update(turns.tolist())
        original(self, loop, start, turns, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(LoopsInterpreter, "_add_turns", watched)
    assert outcome(LoopsInterpreter, nested) == outcome(Interpreter, nested)
    assert counts == {"part": {inner}}


@pytest.fixture(scope="module")
def strips() -> tuple[SemanticKernel, Any]:
    """Strips of a line of 19 pixels, three at a time: parts of a window are multiplied tap by tap."""
    op = Conv2dOp(2, 20, 5, 19, 20, 3, 3, padding=(1, 1), groups=20)
    tensors = [dense(shape, op.dtype, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape())]
    chosen = strips_variant("avx2", DType.FP32, (DType.FP32,))
    form = lower_any(Problem(op, tuple(tensors[:2]), tensors[2]), chosen).form
    config = PipelineConfig(tile_m=3, tile_n=8, tile_k=1, stages=1, warps=1)
    return build_kernel(form, config, preset("avx2"), chosen), form


def parts(change: Callable[[Extract], Extract]) -> Callable[[Node], tuple[Node, ...]]:
    return lambda node: (change(node),) if isinstance(node, Extract) else (node,)


STRIPS: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    "nothing": lambda node: (node,),
    "the next pixel": parts(lambda step: step.replace(row=step.row + 1)),
    "the pixel before": parts(lambda step: step.replace(row=step.row - 1)),
    "a later row": parts(lambda step: step.replace(row=step.row + 9)),
    "what was there": lambda node: () if isinstance(node, Extract) else (node,),
    "the next element": shifted(Access, 1),
    "sums not cleared": lambda node: () if isinstance(node, Fill) else (node,),
}


@pytest.mark.parametrize("name", STRIPS)
def test_strips_are_carried_out_at_once_and_refused_alike(
    strips: tuple[SemanticKernel, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = strips
    changed = edited(kernel, STRIPS[name], or_same=name == "nothing")
    assert (changed == kernel) is (name == "nothing")
    loops: set[str] = set()
    original = LoopsInterpreter._carried_out

    def watched(self: LoopsInterpreter, loop: Loop, *rest: Any) -> bool:
        done = original(self, loop, *rest)
        loops.update({loop.var} if done else ())
        return done

    def outcome_of() -> str:
        try:
            return prove_meaning(changed, form)[0].evidence
        except CertificationError as error:
            return f"refused: {error}"

    monkeypatch.setattr(LoopsInterpreter, "_carried_out", watched)
    together = outcome_of()
    monkeypatch.setattr(runs, "launched_together", lambda _: False)
    at_once = outcome_of()
    assert at_once == together or (at_once.startswith("refused") and together.startswith("refused"))
    assert at_once.startswith("refused") is (name != "nothing") and (name != "nothing" or "unit" in loops)
    monkeypatch.setattr(LoopsInterpreter, "_carried_out", lambda *_: False)
    assert outcome_of() == at_once


@pytest.fixture(scope="module")
def copied() -> tuple[SemanticKernel, Contraction]:
    """Images copied with their padding, line by line: lines of padding alone take another branch."""
    op, last = Conv2dOp(2, 5, 6, 7, 20, 3, 3, padding=(1, 2)), (0, 2, 3, 1)
    tensors = [dense(shape, op.dtype, last) for shape in (*op.input_shapes(), op.output_shape())]
    form = lower(Problem(op, tuple(tensors[:2]), tensors[2])).contraction
    config = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True)
    return panel_kernel(form, config, preset("avx2"), "v", "k"), form


def guards_by(change: Callable[[If], If]) -> Callable[[Node], tuple[Node, ...]]:
    def edit(node: Node) -> tuple[Node, ...]:
        return (change(node),) if isinstance(node, If) and "halo_row" in str(node.guard) else (node,)

    return edit


LINES: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    "nothing": lambda node: (node,),
    "lines of padding are copied": guards_by(lambda node: node.replace(guard=node.guard[:1])),
    "branches exchanged": guards_by(lambda node: node.replace(then=node.otherwise, otherwise=node.then)),
    "lines of padding are left": guards_by(lambda node: node.replace(otherwise=())),
    "the next element": shifted(Access, 1),
    "no fills": lambda node: () if isinstance(node, Fill) and node.fragment == "copied" else (node,),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_that_branch_are_carried_out_with_those_that_branch_alike(
    copied: tuple[SemanticKernel, Contraction], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = copied
    changed = edited(kernel, LINES[name], or_same=name == "nothing")
    assert (changed == kernel) is (name == "nothing")
    parts: set[bool] = set()
    original = Iterations.branch

    def watched(self: Iterations, holds: Any) -> Any:
        taken = original(self, holds)
        parts.add(bool(taken.any() and not taken.all()))
        return taken

    def outcome_of() -> str:
        try:
            return prove_meaning(changed, form)[0].evidence
        except CertificationError as error:
            return f"refused: {error}"

    monkeypatch.setattr(Iterations, "branch", watched)
    at_once = outcome_of()
    assert at_once.startswith("refused") is (name != "nothing") and (name != "nothing" or True in parts)
    monkeypatch.setattr(LoopsInterpreter, "_carried_out", lambda *_: False)
    assert outcome_of() == at_once


def test_registers_are_those_of_the_last_iteration_that_wrote_them(kernel: SemanticKernel) -> None:
    """Of ten lines, those of two branches, of which one ends before the other, and a sum that only one of them adds to."""
    made, other = Fill("a", 1.0), Fill("b", 2.0)

    def parted(first: Node, second: Node) -> Callable[[Node], tuple[Node, ...]]:
        def change(node: Node) -> tuple[Node, ...]:
            if isinstance(node, Loop) and any(isinstance(step, Mma) for step in node.body):
                choice = If((less(Sym("turn") % 4, 2),), (first,), (second,))
                return (Loop("turn", Const(0), Const(10), (choice,)), node)
            return (node,)

        return change

    product = next(step for step in walk(kernel.roles[0].body) if isinstance(step, Mma))
    for steps in ((made, other), (other, made), (made, Fill("a", 3.0)), (made, product)):
        changed = edited(kernel, parted(*steps))
        assert outcome(LoopsInterpreter, changed) == outcome(Interpreter, changed)
