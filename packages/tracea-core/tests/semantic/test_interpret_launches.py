# SPDX-License-Identifier: MIT
"""Launches that are carried out together leave what each leaves alone, and what is wrong in one of them is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, TraceaError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_launches import LaunchesInterpreter, launched_together
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.liveness import Live
from tracea_core.semantic.lockstep_team import Divergence, Launch
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.steps import Access, Barrier, Fill, If, Load, Loop, Mma, Node, Store, Transfer
from tracea_core.semantic.verify import runs
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.semantic.verify.meaning import Instance
from tracea_core.semantic.verify.runs import few_at_first, launched
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.edit import edited

Given = tuple[SemanticKernel, Contraction]


def product() -> Given:
    form = lower(gemm((5, 29, 12), DType.FP32)).contraction
    return panel_kernel(form, PipelineConfig(tile_m=2, tile_n=8, tile_k=2, split_k=3), preset("avx2"), "v", "k"), form


def images(minimal: bool) -> Given:
    op, last = Conv2dOp(2, 8, 9, 9, 20, 3, 3, padding=(1, 1)), (0, 2, 3, 1)
    tensors = [dense(shape, op.dtype, last) for shape in (*op.input_shapes(), op.output_shape())]
    lowered = lower(Problem(op, tuple(tensors[:2]), tensors[2]))
    config = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True)
    if not minimal:
        return panel_kernel(lowered.contraction, config, preset("avx2"), "v", "k"), lowered.contraction
    form = of_three_taps(lowered).contraction
    return winograd_kernel(form, config, preset("avx2"), "v", "k"), form


KERNELS: dict[str, Callable[[], Given]] = {
    "product in parts": product, "images": lambda: images(False), "minimal filtering": lambda: images(True),
}  # fmt: skip


@pytest.fixture(scope="module", params=KERNELS)
def given(request: pytest.FixtureRequest) -> Given:
    return KERNELS[request.param]()


def launches(kernel: SemanticKernel, form: Contraction) -> list[Launch]:
    found = []
    for number, (values, workers) in enumerate(samples(kernel, form, 0, False)):
        defined = Instance(form, values, number)
        offsets, _ = defined.expected()
        if form.halo is not None:
            defined.hold_image(form.halo)
        found.append(launched(kernel, "out", values, defined.memory, offsets, workers, number))
    return found


def test_each_launch_leaves_what_it_leaves_alone(given: Given) -> None:
    kernel, form = given
    every = launches(kernel, form)
    assert launched_together(kernel) and {launch.workers for launch in every} >= {1, 2, 3}
    together = LaunchesInterpreter(kernel, every)
    together.together()
    for number, launch in enumerate(every):
        alone = interpreter(kernel, *launch)
        alone.run()
        for name in (parameter.name for parameter in kernel.parameters):
            left, expected = together.memory_after(number, name), alone.memory[name]
            assert np.array_equal(left.values, expected.values, equal_nan=True)
            assert np.array_equal(left.written, expected.written)


def test_an_operand_of_one_launch_ends_where_it_does(given: Given) -> None:
    """Behind it lies that of the next launch."""
    kernel, form = given
    every = launches(kernel, form)
    for operand in (parameter.name for parameter in kernel.parameters):
        number = next(n for n in range(3, len(every) - 1) if every[n].operands[operand].size > 1)
        short = {**every[number].operands, operand: every[number].operands[operand][:-1]}
        changed = [*every[:number], every[number]._replace(operands=short), *every[number + 1 :]]
        with pytest.raises(TraceaError, match="beyond"):
            LaunchesInterpreter(kernel, changed).together()


FAULTS: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    "nothing": lambda node: (node,),
    "no barrier": lambda node: () if isinstance(node, Barrier) else (node,),
    "sums not cleared": lambda node: () if isinstance(node, Fill) and node.fragment == "acc" else (node,),
    "products once more": lambda node: (node, node) if isinstance(node, Mma) else (node,),
    "first stores left out": lambda node: () if isinstance(node, Store) and not node.guard else (node,),
    "results stored twice": lambda node: (
        (node, node) if isinstance(node, Store) and isinstance(node.target, Access) else (node,)
    ),
    "one turn more": lambda node: (
        (node.replace(stop=node.stop + node.step),) if isinstance(node, Loop) and node.var in ("c", "k") else (node,)
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_refused_alone_is_refused_together(given: Given, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever launch shows it, and in pieces, too."""
    kernel, form = given
    changed = edited(kernel, FAULTS[name], or_same=True)
    if name != "nothing" and changed == kernel:
        pytest.skip("the kernel has no such step")

    def outcome() -> str:
        try:
            return prove_meaning(changed, form)[0].evidence
        except CertificationError as error:
            return f"refused: {error}"

    together = outcome()
    with few_at_first(5):
        pieces = outcome()
    monkeypatch.setattr(runs, "launched_together", lambda _: False)
    alone = outcome()
    assert all(one.startswith("refused") is (name != "nothing") for one in (together, pieces, alone))
    assert name != "nothing" or together == pieces == alone


def test_workers_of_a_launch_that_meet_are_found_at_the_barrier() -> None:
    kernel, form = product()
    every = launches(kernel, form)
    unordered = edited(kernel, FAULTS["no barrier"])
    with pytest.raises((Divergence, TraceaError)):
        LaunchesInterpreter(unordered, every).together()
    one = [launch._replace(workers=1) for launch in every]  # a worker meets nobody
    LaunchesInterpreter(unordered, one).together()


def test_kernels_that_cannot_be_launched_together_are_told_apart() -> None:
    kernel, _ = product()

    def read_back(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Store) and isinstance(node.target, Access):
            return (node, Load(node.fragment, node.target, Transfer.GATHER, node.guard))
        return (node,)

    assert launched_together(kernel)
    assert not launched_together(edited(kernel, read_back))

    def within(node: Node) -> tuple[Node, ...]:
        return (If((less(Const(0), Sym("workers")),), (node,), ()),) if isinstance(node, Barrier) else (node,)

    assert not launched_together(edited(kernel, within))


def test_what_is_asked_for_after_a_loop() -> None:
    def load(name: str) -> Load:
        return Load(name, Access("a", Sym("x")), Transfer.GATHER)

    def store(name: str) -> Store:
        return Store(Access("out", Sym("x")), name, Transfer.GATHER)

    first = Loop("x", Const(0), Const(2), (load("a"), store("a"), Fill("b", 0.0)))
    carried = Loop("x", Const(0), Const(2), (store("c"), load("c"), Mma("i", "s", "a", "d")))
    last = If((less(Const(0), Sym("x")),), (load("a"), store("a")), (store("b"),))
    body = (load("d"), first, Fill("s", 0.0), load("a"), carried, store("s"), last)
    live = Live(body, frozenset("abcds"))
    assert live.after(first) == {"b", "c", "d"}  # c is asked for where nobody has written it
    assert live.after(carried) == {"a", "b", "c", "d", "s"} and live.after(last) == frozenset()
    assert live.before(first.body) == frozenset() and live.before(carried.body) == {"a", "c", "d", "s"}


def test_the_launch_that_a_refusal_concerned_is_known() -> None:
    kernel, form = product()
    every = launches(kernel, form)
    number = next(n for n in range(3, len(every)) if every[n].operands["a"].size > 1)
    short = {**every[number].operands, "a": every[number].operands["a"][:-1]}
    every[number] = every[number]._replace(operands=short)
    run = LaunchesInterpreter(kernel, every)
    with pytest.raises(TraceaError):
        run.together()
    assert run.suspect == number
