# SPDX-License-Identifier: MIT
"""Iterations of loops within loops, carried out at once with copies of a worker's buffers: what one after the other does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.apart_loops import Apart, apart
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.flat_loops import Kept, Private
from tracea_core.semantic.index import COLUMN, Const, Sym, less
from tracea_core.semantic.interpret import Instance
from tracea_core.semantic.interpret_loops import LoopsInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.interpret_workers import WorkersInterpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lockstep_team import Divergence
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.steps import BufferRef, If, Load, Loop, Node, Store, Transfer
from tracea_core.semantic.verify.meaning import Instance as Defined
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.cases import dense

OWN = BufferRef("own", (Sym("x"), COLUMN))
READ, WRITTEN = Load("b", OWN, Transfer.VECTOR), Store(OWN, "b", Transfer.VECTOR)
BEFORE = Load("b", BufferRef("other", (Sym("x"), COLUMN)), Transfer.VECTOR)


@pytest.fixture(scope="module")
def tiles() -> tuple[SemanticKernel, Contraction]:
    """Tiles of pixels turned, multiplied and turned back: buffers that a block of tiles fills and the next one fills again."""
    op, last = Conv2dOp(2, 8, 9, 9, 20, 3, 3, padding=(1, 1)), (0, 2, 3, 1)
    tensors = [dense(shape, op.dtype, last) for shape in (*op.input_shapes(), op.output_shape())]
    form = of_three_taps(lower(Problem(op, tuple(tensors[:2]), tensors[2]))).contraction
    config = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True)
    return winograd_kernel(form, config, preset("avx2"), "v", "k"), form


def edited(kernel: SemanticKernel, change: Callable[[Node], tuple[Node, ...]]) -> SemanticKernel:
    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                node = node.replace(body=visit(node.body))
            elif isinstance(node, If):
                node = node.replace(then=visit(node.then), otherwise=visit(node.otherwise))
            found += change(node)
        return tuple(found)

    (role,) = kernel.roles
    return kernel.replace(roles=(role.replace(body=visit(role.body)),))


def outcome(kernel: SemanticKernel, values: dict[str, Any], memory: dict[str, np.ndarray], workers: int) -> object:
    """Everything in memory, how often it was written, and the registers of each worker; or what is refused."""
    held: list[Instance] = []

    class Watched(WorkersInterpreter):
        def _instances(self) -> list[Instance]:
            held[:] = super()._instances()
            return held

    machine = Watched(kernel, values, memory, workers)
    try:
        machine.run()
    except InterpretError as error:
        return str(error)
    everything = {
        name: (found.values.tolist(), found.written.tolist()) for name, found in sorted(machine.memory.items())
    }
    return str(everything), [str({name: part.tolist() for name, part in sorted(one.registers.items())}) for one in held]


def stores(buffer: str, change: Callable[[Store], tuple[Node, ...]]) -> Callable[[Node], tuple[Node, ...]]:
    def edit(node: Node) -> tuple[Node, ...]:
        of = isinstance(node, Store) and isinstance(node.target, BufferRef) and node.target.buffer == buffer
        return change(node) if of else (node,)  # type: ignore[arg-type]

    return edit


CHANGES: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    "nothing": lambda node: (node,),
    "only the first block's tiles are turned": stores(
        "seen_tiles", lambda node: (If((less(Sym("tile_block"), Const(1)),), (node,)),)
    ),
    "tiles are turned twice": stores("seen_tiles", lambda node: (node, node)),
    "sums are left out": stores("sums", lambda node: ()),
    "sums of the first panel alone": stores("sums", lambda node: (If((less(Sym("panel"), Const(1)),), (node,)),)),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("number", [0, 3, 7, 9])
def test_nested_loops_are_carried_out_as_one_after_the_other(
    tiles: tuple[SemanticKernel, Contraction], name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, form = tiles
    changed = edited(kernel, CHANGES[name])
    values, workers = list(samples(kernel, form, 0))[number]
    defined = Defined(form, values, number)
    offsets, _ = defined.expected()
    assert form.halo is not None
    defined.hold_image(form.halo)
    memory = {"out": np.zeros(int(offsets.max(initial=0)) + 1), **defined.memory}
    memory = {parameter.name: memory.get(parameter.name, np.zeros(0)) for parameter in kernel.parameters}
    done: list[bool] = []
    original = LoopsInterpreter._carried_out

    def watched(self: LoopsInterpreter, loop: Loop, *rest: Any) -> bool:
        done.append(original(self, loop, *rest))
        return done[-1]

    monkeypatch.setattr(LoopsInterpreter, "_carried_out", watched)
    at_once = outcome(changed, values, memory, workers)
    assert name != "nothing" or (done and all(done))
    monkeypatch.setattr(LoopsInterpreter, "_carried_out", lambda *_: False)
    assert outcome(changed, values, memory, workers) == at_once


def test_who_reads_what_it_has_not_written_gets_no_copy() -> None:
    own = frozenset({"own"})
    assert apart((BEFORE, WRITTEN, READ), own) == Apart(sums=False, private=own)
    assert apart((BEFORE, WRITTEN, READ)) is None
    assert apart((READ, WRITTEN), own) is None
    assert apart((BEFORE, If((less(Sym("x"), Const(3)),), (WRITTEN,)), READ), own) is None
    branch = If((less(Sym("x"), Const(3)),), (WRITTEN, READ))
    assert apart((BEFORE, branch), own) == Apart(sums=False, private=own)
    assert apart((BEFORE, Loop("y", Const(0), Sym("n"), (WRITTEN,)), READ), own) == Apart(sums=False, private=own)
    assert apart((BEFORE, READ)) == Apart(sums=False, private=frozenset())


def test_what_only_some_hold_is_nobodys_until_the_others_have_it() -> None:
    kept, some = Kept(), Kept()
    some.hold("x", np.arange(2.0)[:, None])
    kept.take(some, np.array([0, 2]), 3)
    with pytest.raises(Divergence):
        kept.get("x")
    assert kept.last()["x"].tolist() == [1.0]
    assert kept.of(np.array([2, 0, 0]), frozenset({"x"})).get("x").tolist() == [[1.0], [0.0], [0.0]]  # type: ignore[union-attr]
    other = Kept()
    other.hold("x", np.array([[7.0]]))
    kept.take(other, np.array([1]), 3)
    assert kept.get("x").tolist() == [[0.0], [7.0], [1.0]]  # type: ignore[union-attr]
    turns = Kept()
    turns.hold("x", np.arange(10.0, 14.0)[:, None])
    kept.take(turns, np.array([0, 0, 0, 2]), 3)  # of several turns of an iteration the last
    assert kept.get("x").tolist() == [[12.0], [7.0], [13.0]]  # type: ignore[union-attr]


def test_copies_are_poisoned_and_written_back_in_their_order() -> None:
    private, target = Private(2), Memory.poisoned("own", 3)
    copies = private.of("own", lambda _: 3).memory
    with pytest.raises(InterpretError, match="nothing was written"):
        copies.read(np.array([3]))
    copies.write(np.array([0, 1]), np.array([1.0, 2.0]))
    copies.write(np.array([4]), np.array([5.0]))
    private.leave("own", target, np.zeros(2, np.int64))
    assert target.values[:2].tolist() == [1.0, 5.0] and target.written.tolist() == [1, 2, 0]
    with pytest.raises(Divergence):
        Private(1 << 20).of("own", lambda _: 1 << 10)
