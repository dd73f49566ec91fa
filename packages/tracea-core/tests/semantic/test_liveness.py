# SPDX-License-Identifier: MIT
"""Which fragments matter where: the cases that decide what loops carry and branches merge."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.liveness import assigned, live_before
from tracea_core.semantic.steps import Access, Compute, Fill, If, Load, Loop, Mma, Store, Transfer

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
