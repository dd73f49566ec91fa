# SPDX-License-Identifier: MIT
"""Rewriting reaches every expression of a node and leaves everything else as it is."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.index import Const, Sym, less, symbols
from tracea_core.semantic.rewrite import indices, replace_symbols
from tracea_core.semantic.steps import Access, BufferRef, Compute, If, Load, Loop, Store, Transfer


def test_symbols_are_replaced_wherever_a_node_holds_them() -> None:
    inner = Load("a", Access("x", Sym("i") + Sym("row")), Transfer.GATHER, (less(Sym("i"), Sym("m")),))
    store = Store(BufferRef("panel", (Sym("i"), Sym("column"))), "a", Transfer.VECTOR)
    loop = Loop("k", Sym("i"), Sym("stop"), (inner, If((less(Sym("i"), 3),), (store,))))
    replaced = replace_symbols(loop, {"i": Const(5)})
    assert all("i" not in symbols(expr) for expr in indices(replaced))
    assert replaced.start == Const(5) and replaced.body[0].source.offset == Const(5) + Sym("row")
    assert "i" in set().union(*(symbols(expr) for expr in indices(loop)))  # the original is untouched


def test_nodes_without_the_symbol_are_the_same_object() -> None:
    compute = Compute("out", Accumulator(0), DType.FP32, ("acc",))
    assert replace_symbols(compute, {"i": Const(1)}) is compute
