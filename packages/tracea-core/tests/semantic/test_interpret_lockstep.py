# SPDX-License-Identifier: MIT
"""Warps in lockstep: the same results and the same faults as warps one by one, and a way out where they part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.policy.config import PipelineConfig, SwizzleMode
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import Const, Index, Sym, Test, TestFn, Value, equal
from tracea_core.semantic.interpret_block import BlockInterpreter, interpreter
from tracea_core.semantic.interpret_lockstep import LockstepInterpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lockstep_team import Divergence, Launch, Team
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Access, AsyncCopy, Barrier, If, Load, Loop, Node, Store, Wait
from tracea_core.testing.cases import gemm
from tracea_core.testing.edit import edited

Edit = Callable[[Node], tuple[Node, ...]]
SIZES = (40, 24, 80)


@pytest.fixture(scope="module")
def ampere() -> tuple[SemanticKernel, dict[str, int]]:
    config = PipelineConfig(
        tile_m=32, tile_n=32, tile_k=32, stages=3, warps=4, vector_a=8, vector_b=8, vector_c=2, swizzle=SwizzleMode.XOR4
    )
    lowered = lower(gemm(SIZES, DType.BF16, "nt"))
    kernel = multistage_kernel(lowered.contraction, config, preset("a100"), "v", "k", "mma_m16n8k16_bf16")
    return kernel, lowered.symbols


def operands() -> dict[str, np.ndarray]:
    m, n, k = SIZES
    random = np.random.default_rng(0)
    return {
        "a": random.integers(-9, 10, m * k).astype(np.float64),
        "b": random.integers(-9, 10, n * k).astype(np.float64),
        "out": np.zeros(m * n),
    }


def outcome(kind: type[BlockInterpreter], kernel: SemanticKernel, symbols: dict[str, int]) -> object:
    """The output, or "refused"."""
    try:
        return kind(kernel, symbols, operands(), 2).run()["out"].tolist()
    except InterpretError:
        return "refused"


def test_both_machines_agree_and_are_right(ampere: tuple[SemanticKernel, dict[str, int]]) -> None:
    kernel, symbols = ampere
    memory = operands()
    m, n, k = SIZES
    run = interpreter(kernel, symbols, memory, 2)
    assert type(run) is LockstepInterpreter
    expected = memory["a"].reshape(m, k) @ memory["b"].reshape(n, k).T
    assert run.run()["out"].tolist() == expected.ravel().tolist() == outcome(BlockInterpreter, kernel, symbols)
    assert run.memory["out"].written.tolist() == [1] * (m * n)


def first(kind: type, change: Callable[[Node], tuple[Node, ...]]) -> Edit:
    """Apply `change` to the first node of a kind."""
    seen: list[Node] = []

    def edit(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, kind) or seen:
            return (node,)
        seen.append(node)
        return change(node)

    return edit


PLANTED: dict[str, Callable[[], Edit]] = {
    "no barriers": lambda: lambda node: () if isinstance(node, Barrier) else (node,),
    "no waits": lambda: lambda node: () if isinstance(node, Wait) else (node,),
    "waits leave one more": lambda: (
        lambda node: (node.replace(pending=node.pending + 1),) if isinstance(node, Wait) else (node,)
    ),
    "one copy left out": lambda: first(AsyncCopy, lambda node: ()),
    "the next row": lambda: (
        lambda node: (
            (node.replace(source=node.source.replace(offset=node.source.offset + 8)),)
            if isinstance(node, AsyncCopy)
            else (node,)
        )
    ),
    "half a run": lambda: first(AsyncCopy, lambda node: (node.replace(width=6),)),  # type: ignore[attr-defined]
    "a fragment nobody loaded": lambda: (
        lambda node: () if isinstance(node, Load) and node.fragment == "a0" else (node,)
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found_as_by_warps_one_by_one(
    ampere: tuple[SemanticKernel, dict[str, int]], name: str
) -> None:
    kernel, symbols = ampere
    planted = edited(kernel, PLANTED[name]())
    right = outcome(LockstepInterpreter, kernel, symbols)
    assert outcome(LockstepInterpreter, planted, symbols) != right
    assert outcome(BlockInterpreter, planted, symbols) != right


def test_warps_that_part_run_one_by_one(ampere: tuple[SemanticKernel, dict[str, int]]) -> None:
    """A branch that only one warp takes: a barrier in it is a deadlock, a harmless step is none."""
    kernel, symbols = ampere
    warp = Sym(kernel.roles[0].name)

    def alone(step: Node) -> Edit:
        return first(Barrier, lambda node: (node, If((equal(warp, 0),), (step,))))

    barrier = next(node for node in _nodes(kernel) if isinstance(node, Barrier))
    wait = next(node for node in _nodes(kernel) if isinstance(node, Wait))
    assert outcome(LockstepInterpreter, edited(kernel, alone(wait)), symbols) == outcome(
        BlockInterpreter, kernel, symbols
    )
    assert outcome(LockstepInterpreter, edited(kernel, alone(barrier)), symbols) == "refused"


def _nodes(kernel: SemanticKernel) -> list[Node]:
    return list(walk(kernel.roles[0].body))


# ---- several launches


LAUNCHES = ((40, 24, 80), (70, 34, 16), (32, 32, 200), (2, 6, 64), (33, 64, 96))


def launches(sizes: tuple[tuple[int, int, int], ...] = LAUNCHES) -> list[Launch]:
    """Launches of a row-major product of every size, with as many blocks as tiles, fewer, or more."""
    found = []
    for number, (m, n, k) in enumerate(sizes):
        symbols = lower(gemm((m, n, k), DType.BF16, "nt")).symbols
        random = np.random.default_rng(number)
        memory = {
            "a": random.integers(-9, 10, m * k).astype(np.float64),
            "b": random.integers(-9, 10, n * k).astype(np.float64),
            "out": np.zeros(m * n),
        }
        found.append(Launch(symbols, memory, 1 + number % 3, number))
    return found


def together(kernel: SemanticKernel, given: list[Launch]) -> LockstepInterpreter:
    run = LockstepInterpreter(kernel, *given[0], more=given[1:])
    run.run()
    return run


def test_several_launches_together_do_what_each_does_alone(ampere: tuple[SemanticKernel, dict[str, int]]) -> None:
    kernel, _ = ampere
    given = launches()
    run = together(kernel, given)
    for number, launch in enumerate(given):
        alone = BlockInterpreter(kernel, *launch)
        alone.run()
        found = run.memory_after(number, "out")
        assert found.values.tolist() == alone.memory["out"].values.tolist()
        assert found.written.tolist() == alone.memory["out"].written.tolist()


def test_launches_without_a_block_leave_memory_as_it_was(ampere: tuple[SemanticKernel, dict[str, int]]) -> None:
    kernel, _ = ampere
    run = together(kernel, [launch._replace(workers=0) for launch in launches()])
    assert not run.memory["out"].written.any()


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_is_found_among_several_launches(ampere: tuple[SemanticKernel, dict[str, int]], name: str) -> None:
    kernel, _ = ampere
    planted, given = edited(kernel, PLANTED[name]()), launches()
    try:
        run = together(planted, given)
    except (InterpretError, Divergence):
        return
    right = together(kernel, given)
    outputs = [[one.memory_after(n, "out").values.tolist() for n in range(len(given))] for one in (run, right)]
    assert outputs[0] != outputs[1]


def test_no_launch_reaches_what_belongs_to_the_next(ampere: tuple[SemanticKernel, dict[str, int]]) -> None:
    """A row too far lies in a launch's own memory, if that is shared with another's, or nowhere."""
    kernel, _ = ampere
    given = launches(((40, 24, 80), (32, 32, 64), (40, 24, 80)))
    short = given[1]._replace(operands={**given[1].operands, "a": given[1].operands["a"][:-8]})
    together(kernel, given)
    with pytest.raises(InterpretError, match="beyond 'a'"):
        together(kernel, [given[0], short, given[2]])


def test_a_race_that_one_size_has_is_found_whatever_barriers_others_pass(
    ampere: tuple[SemanticKernel, dict[str, int]],
) -> None:
    """The barrier between two tiles is left out: only the launch whose one block computes several races."""
    kernel, _ = ampere
    planted = edited(kernel, lambda node: () if isinstance(node, Barrier) and node.name == "tile_done" else (node,))
    single = launches(((32, 32, 64), (32, 32, 200), (32, 32, 96)))
    together(planted, single)
    several = launches(((70, 34, 200),))[0]._replace(workers=1)
    with pytest.raises(InterpretError, match=r"without a barrier|copy is under way"):
        together(planted, [*single, several])


# ---- runs looked at by their ends


def _copies(change: Callable[[AsyncCopy], AsyncCopy]) -> Callable[[], Edit]:
    return lambda: lambda node: (change(node),) if isinstance(node, AsyncCopy) else (node,)


def _source(step: AsyncCopy, offset: Index) -> AsyncCopy:
    return step.replace(source=step.source.replace(offset=offset))


def _cut(step: AsyncCopy, by: int) -> AsyncCopy:
    """Move the end of the reduction that a copy knows, if it does."""
    if not step.guard:
        return step
    *tests, last = step.guard
    return step.replace(guard=(*tests, last.replace(right=last.right + by)))


RUNS: dict[str, Callable[[], Edit]] = {
    "nothing": _copies(lambda step: step),
    "half a run further": _copies(lambda step: _source(step, step.source.offset + 4)),
    "a run further": _copies(lambda step: _source(step, step.source.offset + 8)),
    "far away": _copies(lambda step: _source(step, step.source.offset + (1 << 20))),
    "before the start": _copies(lambda step: _source(step, step.source.offset - 16)),
    "every other element": _copies(lambda step: _source(step, step.source.offset + Sym("column"))),
    "one element all along": _copies(lambda step: _source(step, step.source.offset - Sym("column") % 2)),
    "an end within a run": _copies(lambda step: _cut(step, -4)),
    "an end one run early": _copies(lambda step: _cut(step, -8)),
    "tested for one element": _copies(lambda step: step.replace(guard=(*step.guard, equal(Sym("column") % 8, 3)))),
    "tested for all but one": _copies(
        lambda step: step.replace(guard=(*step.guard, Test(TestFn.NE, Sym("column"), Const(3))))
    ),
}


def found(kernel: SemanticKernel) -> object:
    """What every launch writes, or what is refused, in words."""
    try:
        run = together(kernel, launches())
    except (InterpretError, Divergence) as error:
        return type(error), str(error)
    outputs = (run.memory_after(number, "out") for number in range(len(LAUNCHES)))
    return [(output.values.tolist(), output.written.tolist()) for output in outputs]


@pytest.mark.parametrize("name", [*RUNS, *PLANTED])
def test_the_ends_of_runs_show_what_every_element_does(
    ampere: tuple[SemanticKernel, dict[str, int]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, _ = ampere
    planted = edited(kernel, {**RUNS, **PLANTED}[name](), or_same=name == "nothing")
    by_ends, right = found(planted), found(kernel)
    monkeypatch.setattr(LockstepInterpreter, "_of_runs", lambda *given: None)
    assert by_ends == found(planted)
    assert (by_ends == right) == (name == "nothing")


def test_copies_and_stores_are_looked_at_by_runs(
    ampere: tuple[SemanticKernel, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, _ = ampere
    taken: list[tuple[type, bool]] = []
    original = LockstepInterpreter._of_runs

    def watched(self: LockstepInterpreter, step: Node, *rest: object) -> object:
        result = original(self, step, *rest)  # type: ignore[arg-type]
        taken.append((type(step), result is not None))
        return result

    monkeypatch.setattr(LockstepInterpreter, "_of_runs", watched)
    together(kernel, launches())
    assert {(AsyncCopy, True), (Store, True)} == set(taken)


# ---- a slot for each block


def _in_tail(change: Edit) -> Callable[[], Edit]:
    """Apply `change` to the nodes of the loop over a reduction's last steps, which begins elsewhere for every size."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        inner = (node.replace(body=visit(node.body)) if isinstance(node, Loop) else node for node in nodes)
        return tuple(new for node in inner for new in change(node))

    return lambda: (
        lambda node: (
            (node.replace(body=visit(node.body)),)
            if isinstance(node, Loop) and node.var == "k_step" and not isinstance(node.start, Const)
            else (node,)
        )
    )


def _slot(kind: type[Load] | type[AsyncCopy], by: int) -> Callable[[], Edit]:
    end = "source" if kind is Load else "target"

    def change(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, kind):
            return (node,)
        place = getattr(node, end)
        return (node.replace(**{end: place.replace(slot=(place.slot + by) % 3)}),)

    return _in_tail(change)


TAILS: dict[str, Callable[[], Edit]] = {
    "nothing": _in_tail(lambda node: (node,)),
    "no barriers": _in_tail(PLANTED["no barriers"]()),
    "waits leave one more": _in_tail(PLANTED["waits leave one more"]()),
    "loads of the next slot": _slot(Load, 1),
    "loads of the last slot": _slot(Load, 2),
    "copies into the slot that is read": _slot(AsyncCopy, 1),
    "a slot that is not there": lambda: _in_tail(
        lambda node: (
            (node.replace(source=node.source.replace(slot=node.source.slot + 3)),)
            if isinstance(node, Load)
            else (node,)
        )
    )(),
}


@pytest.mark.parametrize("name", [*TAILS, *PLANTED])
def test_blocks_at_several_slots_do_what_each_place_of_its_own_shows(
    ampere: tuple[SemanticKernel, dict[str, int]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, _ = ampere
    planted = edited(kernel, {**PLANTED, **TAILS}[name](), or_same=name == "nothing")
    by_slots, right = found(planted), found(kernel)
    monkeypatch.setattr(LockstepInterpreter, "_slots_of_blocks", lambda *given: None)
    by_places = found(planted)
    assert (by_slots == right) == (by_places == right) == (name == "nothing")
    assert isinstance(by_slots, list) == isinstance(by_places, list)


def test_loops_that_begin_apart_are_carried_out_together(
    ampere: tuple[SemanticKernel, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, _ = ampere
    begun: list[int | None] = []
    original = LockstepInterpreter._slots_of_blocks

    def watched(self: LockstepInterpreter, slot: Value, size: int, buffer: str) -> Integers | None:
        result = original(self, slot, size, buffer)
        begun.append(None if result is None else len(set(result.tolist())))
        return result

    monkeypatch.setattr(LockstepInterpreter, "_slots_of_blocks", watched)
    run = together(kernel, launches(((32, 32, 64), (32, 32, 96), (32, 32, 128), (32, 32, 160))))
    assert max(filter(None, begun)) == 3  # blocks that begin at 0, 1, 2 and 3, in a ring of 3 slots
    assert run.written_slots
    assert all(slots.begins.size > 1 for slots in run.written_slots.values())


def test_slots_in_which_runs_lie_otherwise_are_looked_at_place_by_place(
    ampere: tuple[SemanticKernel, dict[str, int]],
) -> None:
    kernel, _ = ampere
    run = together(kernel, launches(((32, 32, 64), (32, 32, 96))))
    run.gather(Team.whole(np.arange(2), np.arange(2), 4, 32))
    slot = np.repeat([0, 1], 4)[:, None, None]
    assert run._slots_of_blocks(slot, 1024, "a_tile").tolist() == [0, 1]
    assert run._slots_of_blocks(slot, 1028, "a_tile") is None  # the second slot begins within a run of 8
    assert run._slots_of_blocks(np.arange(8)[:, None, None], 1024, "a_tile") is None  # warps of a block that differ


def test_places_that_groups_share_are_looked_at_under_the_test_of_each(
    ampere: tuple[SemanticKernel, dict[str, int]],
) -> None:
    """Steps of a roll may go to the same places under tests of their own: what no group's test admits may lie beyond."""
    kernel, _ = ampere
    run = together(kernel, launches())
    run.join(np.arange(2))
    (place, *_) = (
        node.target for node in _nodes(kernel) if isinstance(node, Store) and isinstance(node.target, Access)
    )
    inside, beyond = (np.full((len(run.warps), 1, 1), at, np.int64) for at in (0, 1 << 40))
    masks = np.array([False, True])[:, None, None, None] & np.ones_like(inside, np.bool_)
    starts, _ = run.team.lots(run.lots[place.operand])
    assert np.array_equal(run._in_lot(place, inside, masks, "a store"), starts)
    run._in_lot(place, beyond, masks & False, "a store")
    with pytest.raises(InterpretError, match="beyond"):
        run._in_lot(place, beyond, masks, "a store")
