# SPDX-License-Identifier: MIT
"""The end of a warp's rows in a chain of contractions: the sums over their totals, the epilogue, and the store."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Compare,
    CompareFn,
    Constant,
    Expr,
    Operand,
    Select,
    rewrite,
)
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.multistage_lanes import projection, run, scalar
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.contraction import I, J, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, coefficient, less, substitute, symbols
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Fold
from tracea_core.semantic.steps import Access, Compute, Let, Load, Node, Store, Transfer, Turn

_CHUNK = 16
"""Bytes of the widest store of a lane."""
_LEAST_RUN = 4
"""Bytes of the narrowest run: languages move words, or single elements."""


class ChainEnd:
    """Nodes and fragments that finish the rows of a warp.

    Parameters
    ----------
    parts, columns : sequence of int
        Numbers of the instruction tiles down and along.
    vector : int
        Elements that the caller promises to lie together, aligned, in the output.
    runs : FragmentLayout, optional
        How lanes hold a result when it is stored: in chunks of neighbouring columns, for which they exchange elements.
    column : Index, optional
        The first column that is finished, if it is not 0.
    folded : bool
        Whether ``found`` holds the totals of rows already.
    """

    def __init__(
        self, form: Chained, lanes: InstructionLanes, parts: Sequence[int], columns: Sequence[int], vector: int,
        runs: FragmentLayout | None = None, column: Index | None = None, folded: bool = False,
    ) -> None:  # fmt: skip
        self.f, self.lanes, self.parts, self.columns = form, lanes, parts, columns
        self.column, self.folded = Const(0) if column is None else column, folded
        together = coefficient(form.out.offset, J.name) == Const(1)
        size = form.out.dtype.bytes
        self.runs, held = runs, lanes.c if runs is None else runs
        wide = min(run(held, 1), vector, _CHUNK // size)  # neighbouring columns that a lane holds
        self.width = wide if together and wide * size >= _LEAST_RUN else 1
        self.base = substitute(form.out.offset, {I.name: Const(0), J.name: Const(0)})

    def multiples(self) -> dict[str, int]:
        """Return what symbols must be multiples of, so that runs are aligned and are masked as a whole."""
        return dict.fromkeys(symbols(self.f.out.offset) | symbols(self.f.n), self.width)

    @property
    def alignment(self) -> int:
        """Alignment in bytes that runs need of the output's pointer."""
        return self.width * self.f.out.dtype.bytes

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides those of the loop."""
        found = [Fragment(_held(term), term.dtype, self._layout(term)) for term in self.f.operands]
        found.append(Fragment("result", self.f.out.dtype, self.lanes.c))
        return found if self.runs is None else [*found, Fragment("result_runs", self.f.out.dtype, self.runs)]

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that run once, after the last block of keys."""
        found, nothing = Accumulator(0), Constant(0.0)
        share = Select(Compare(CompareFn.EQ, found, nothing), nothing, Binary(BinaryFn.DIV, Constant(1.0), found))
        nodes: list[Node] = [Let("out_at", self.base)]
        for i in self.parts:
            if not self.folded:
                nodes.append(Fold("found", f"total{i}", BinaryFn.ADD))
            nodes.append(Compute("correction", share, self.f.compute, ("found",)))
            for j in self.columns:
                nodes += self._one(i, j)
        return tuple(nodes)

    def _one(self, i: int, j: int) -> list[Node]:
        row, column = Sym("warp_row") + i * self.lanes.m + ROW, self.column + (j * self.lanes.n + COLUMN)
        places: dict[str, Index] = {I.name: row, J.name: column}
        guard: Guard = (less(row, self.f.m), less(column, self.f.n))
        nodes: list[Node] = []
        for term in self.f.operands:
            tall, wide = self._layout(term).shape
            kept = tuple(test for test, used in zip(guard, (tall > 1, wide > 1), strict=True) if used)
            source = Access(term.operand, substitute(term.offset, places))
            nodes.append(Load(_held(term), source, Transfer.GATHER, kept))
        value = replaced(self.f.value, Binary(BinaryFn.MUL, Accumulator(0), Operand(len(self.f.operands))))
        given = (*(_held(term) for term in self.f.operands), "correction")
        nodes.append(computed("result", value, self.f.compute, (f"sum{i}_{j}",), given))
        offset = Sym("out_at") + sum(
            (step * place for place, step in ((row, self._step(I)), (column, self._step(J)))), Const(0)
        )
        stored = "result" if self.runs is None else "result_runs"
        if self.runs is not None:
            nodes.append(Turn(stored, "result"))
        nodes.append(Store(Access(self.f.out.operand, offset), stored, Transfer.GATHER, guard, self.width))
        return nodes

    def _step(self, coordinate: Sym) -> Index:
        step = coefficient(self.f.out.offset, coordinate.name)
        assert step is not None  # strides are what the lowering makes offsets of
        return step

    def _layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        if I.name in used and J.name in used:
            return self.lanes.c
        if J.name in used:
            return projection(self.lanes.c, 1)
        return projection(self.lanes.c, 0) if I.name in used else scalar(self.lanes.lanes)


def replaced(expr: Expr, value: Expr) -> Expr:
    """Return `expr` with `value` for its accumulator."""
    return rewrite(expr, lambda leaf: value if isinstance(leaf, Accumulator) else leaf)


def _held(term: Term) -> str:
    """The registers that hold an operand; languages know its pointer by the operand's own name."""
    return f"{term.operand}_held"
