# SPDX-License-Identifier: MIT
"""Steps in words: every kind of step that workers have says what it does, with its places and its guard."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.semantic import words
from tracea_core.semantic.index import Const, Sym, less
from tracea_core.semantic.steps import (
    Access,
    BufferRef,
    Compute,
    Extract,
    Fill,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Store,
    Transfer,
    Turn,
)

ROW, N = Sym("row"), Sym("n")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Fill("acc", 0.0), "acc = 0"),
        (Load("a", Access("x", ROW * 4), Transfer.VECTOR), "a = x[row * 4], vector"),
        (
            Load("a", Access("x", ROW), Transfer.VECTOR, guard=(less(ROW, N),), fill=2.0),
            "a = x[row], vector where row < n, else 2",
        ),
        (
            Store(BufferRef("panel", (ROW, Const(3)), slot=Sym("turn")), "a", Transfer.VECTOR),
            "panel[turn; row, 3] = a, vector",
        ),
        (Mma("fma_outer_1x1x4_fp32", "acc", "a", "b"), "acc += a * b, fma_outer_1x1x4_fp32"),
        (
            Compute("y", Binary(BinaryFn.ADD, Accumulator(), Constant(1.0)), DType.FP32, accumulators=("acc",)),
            "y = acc + 1, in fp32",
        ),
        (Extract("part", "whole", ROW, Const(2)), "part = the part of whole at (row, 2)"),
        (Turn("turned", "a"), "turned = a, lanes along the other axis"),
        (SchedulingFence(), "no memory access moves across this point"),
    ],
)
def test_steps(step: Node, said: str) -> None:
    assert words.step(step) == said


def test_loops_and_guards() -> None:
    assert words.loop(Loop("k", Const(0), N, ())) == "for k from 0 to n"
    assert words.loop(Loop("k", Const(0), N, (), step=8, unroll=2)) == "for k from 0 to n by 8, 2 at a time"
    assert words.guard((less(ROW, N), less(Const(0), ROW))) == "row < n and 0 < row"
