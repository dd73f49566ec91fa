# SPDX-License-Identifier: MIT
"""Launches that are carried out together leave what each leaves alone, and what is wrong in one of them is refused."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, TraceaError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.expr import BinaryFn
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.chain import chain_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.build.winograd import winograd_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.forms import Form
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import COLUMN, Const, Sym, less
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.interpret_launches import LaunchesInterpreter, launched_together
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.liveness import Live
from tracea_core.semantic.lockstep_team import Divergence, Launch
from tracea_core.semantic.lower import lower
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.lower_conv import of_three_taps
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask
from tracea_core.semantic.steps import Access, Barrier, Fill, If, Load, Loop, Mma, Node, Store, Transfer
from tracea_core.semantic.verify import runs
from tracea_core.semantic.verify.certify import prove_meaning
from tracea_core.semantic.verify.meaning import Instance
from tracea_core.semantic.verify.runs import few_at_first, launched
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.edit import edited
from tracea_core.testing.faults import faults
from tracea_core.testing.row_cases import row_problem

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


def chain() -> tuple[SemanticKernel, Form]:
    """Attention: maxima and sums across columns that go on from block to block, and columns that are left out."""
    form = lower_chained(chain_problem(AttentionOp(1, 2, 9, 20, 8, left=5, right=2))).form
    config = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, block_k=16)
    return chain_kernel(form, config, preset("avx2"), "v", "chain"), form


def rows() -> tuple[SemanticKernel, Form]:
    """A layer norm, which divides by how many columns there are."""
    form = lower_rowwise(row_problem(NormOp((5, 37), NormKind.LAYER, bias=True))).form
    config = PipelineConfig(tile_m=2, tile_n=16, tile_k=1, stages=1, warps=1)
    return rows_kernel(form, config, preset("avx2"), "v", "rows"), form


def half_of(layout: FragmentLayout) -> FragmentLayout:
    """Half of the columns of a tile whose vectors lie side by side."""
    tall, wide = layout.repeats
    shape = (layout.shape[0], layout.shape[1] // 2)
    return layout.replace(shape=shape, repeats=(tall, wide.replace(extent=wide.extent // 2)))


def joined() -> tuple[SemanticKernel, Form]:
    """The same, which loads its rows as two halves."""
    kernel, form = rows()
    (role,) = kernel.roles
    load = next(node for node in walk(role.body) if isinstance(node, Load) and isinstance(node.source, Access))
    whole = role.fragment(load.fragment)
    half = whole.replace(layout=half_of(whole.layout))
    names = ("half0", "half1")

    def halves(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Load) or node.fragment != load.fragment or not isinstance(node.source, Access):
            return (node,)
        shifts = ({COLUMN.name: COLUMN + number * half.layout.shape[1]} for number in range(2))
        loads = (replace_symbols(node, shift).replace(fragment=name) for name, shift in zip(names, shifts, strict=True))
        return (*loads, Join(node.fragment, names))

    changed = edited(kernel, halves)
    (role,) = changed.roles
    fragments = (*role.fragments, *(half.replace(name=name) for name in names))
    return changed.replace(roles=(role.replace(fragments=fragments),)), form


ACROSS: dict[str, tuple[Callable[[], tuple[SemanticKernel, Form]], Callable[[Node], tuple[Node, ...]]]] = {
    "attention": (chain, lambda node: (node,)),
    "norm": (rows, lambda node: (node,)),
    "halves": (joined, lambda node: (node,)),
    "attention, no mask": (chain, lambda node: () if isinstance(node, Mask) else (node,)),
    "attention, no maximum": (
        chain, lambda node: () if isinstance(node, Fold) and node.fn is BinaryFn.MAXIMUM else (node,),
    ),
    "attention, maxima for sums": (
        chain, lambda node: (node.replace(fn=BinaryFn.MAXIMUM),) if isinstance(node, Fold) else (node,),
    ),
    "norm, one column more": (
        rows, lambda node: (node.replace(value=node.value + 1),) if isinstance(node, Count) else (node,),
    ),
    "halves exchanged": (
        joined, lambda node: (node.replace(sources=node.sources[::-1]),) if isinstance(node, Join) else (node,),
    ),
    "halves, one twice": (
        joined, lambda node: (node.replace(sources=node.sources[:1] * 2),) if isinstance(node, Join) else (node,),
    ),
    "halves, one missing": (
        joined, lambda node: (node.replace(sources=node.sources[:1]),) if isinstance(node, Join) else (node,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACROSS)
def test_steps_that_look_across_columns_are_carried_out_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, change = ACROSS[name]
    kernel, form = made()
    changed = edited(kernel, change, or_same="," not in name and "exchanged" not in name)
    counts: list[int] = []
    original = LaunchesInterpreter.together

    def watched(self: LaunchesInterpreter) -> None:
        original(self)
        counts.append(int(self.run_of[-1]) + 1)

    def outcome() -> str:
        try:
            return prove_meaning(changed, form)[0].evidence
        except CertificationError:
            return "refused"

    monkeypatch.setattr(LaunchesInterpreter, "together", watched)
    together = outcome()
    assert together != "refused" if changed == kernel else together == "refused"
    assert changed != kernel or (len(counts) == 1 and counts[0] >= 12)  # all of them at once
    monkeypatch.setattr(runs, "launched_together", lambda _: False)
    assert outcome() == together


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


def test_vectors_of_a_panel_whose_columns_lie_in_another_order_are_refused() -> None:
    """The first one and the last still lie where they would: what is between them counts, too."""
    kernel, form = images(minimal=False)
    planted = [fault.kernel for fault in faults(kernel) if re.fullmatch(r"\w+: bits \d and \d exchanged", fault.words)]
    assert planted
    for wrong in planted:
        with pytest.raises(CertificationError, match="no vector access"):
            prove_meaning(wrong, form)
