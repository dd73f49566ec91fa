# SPDX-License-Identifier: MIT
"""The end of a register tile: load the epilogue's operands, evaluate its expression, store.

Interior tiles take a version without masks and with whole-vector stores; tiles at the bottom or right edge take a
masked one. Which of them a tile takes is a test in the schedule, so the interior never pays for the edge.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Binary, BinaryFn, Call, Cast, Constant, Expr, Unary, UnaryFn, walk
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.prepared import PreparedValues, split
from tracea_core.semantic.build.row_sums import RowSums
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    ceil_div,
    coefficient,
    less,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Buffer, Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, BufferRef, If, Let, Load, Node, Store, Transfer

_INTEGER_UNARY = (UnaryFn.NEG, UnaryFn.ABS, UnaryFn.FLOOR, UnaryFn.RINT)


class TileEpilogue:
    """Nodes and fragments that finish one tile at (``row0``, ``column0``) held in `accumulators`.

    Parameters
    ----------
    together : int, optional
        Rows of the tiles that the sums come from, where `tile` finishes a few of them at a time; by default the tile's own.
    """

    def __init__(
        self, contraction: Contraction, tile: InstructionLanes, accumulators: list[Fragment], together: int = 0
    ) -> None:
        assert tile.a is not None and tile.b is not None
        self._together = together or tile.m
        self.c, self.tile, self.accumulators = contraction, tile, accumulators
        self.row_layout, self.column_layout = tile.a, tile.b
        self.columns_table = Fragment("column_table", DType.INT32, self.column_layout)
        self.rows_table = Fragment("row_table", DType.INT32, self.row_layout)
        self.result = Fragment("result", contraction.out.dtype, tile.c)
        divided = split(contraction)
        self.expr, self.parts = divided.expr, divided.parts
        self.sums = RowSums(contraction, contraction.sums, tile, self.result) if contraction.sums is not None else None
        self.terms = [contraction.epilogue_terms[slot] for slot in divided.slots]
        self.operands = [Fragment(term.operand, term.dtype, self._operand_layout(term)) for term in self.terms]
        self.part_values = [
            Fragment(
                f"{part.name}_value", arithmetic(self.c), self.column_layout if part.axis == J else self.row_layout
            )
            for part in self.parts
        ]
        self.prepared = self._prepared()
        names = [*contraction.out.hoisted, *(named for term in self.terms for named in term.hoisted)]
        self.hoisted = tuple(dict.fromkeys(names))

    def _prepared(self) -> PreparedValues:
        rows, columns, lanes = self._together, self.tile.n, self.tile.lanes
        padded = {
            I.name: ceil_div(self._rows_read(rows), lanes) * lanes,
            J.name: ceil_div(self.c.n, columns) * columns,
        }
        vector = fma_outer(1, 1, lanes).b
        assert vector is not None
        return PreparedValues(self.c, self.parts, padded, arithmetic(self.c), vector)

    def _rows_read(self, rows: int) -> Index:
        """Return the rows of whole tiles; the last tile of a group of rows begins anywhere."""
        return ceil_div(self.c.m, rows) * rows if self.c.groups is None else self.c.m + (rows - 1)

    @property
    def fragments(self) -> list[Fragment]:
        """The fragments that the nodes use besides the accumulators."""
        tables = {self._table(named.value).name: self._table(named.value) for named in self.hoisted}
        own = [*self.operands, *self.part_values, self.result, *tables.values(), *self.prepared.fragments()]
        return own if self.sums is None else [*own, *self.sums.fragments()]

    def buffers(self) -> list[Buffer]:
        """Return the memory that the nodes use."""
        return [*self.prepared.buffers(), *([] if self.sums is None else self.sums.buffers())]

    def over_blocks(
        self, first: Index, last: Index, inside: Callable[[Index, Index], tuple[Node, ...]]
    ) -> tuple[Node, ...]:
        """Return the nodes that pass over tiles from `first` to `last` as `inside` does, and finish blocks of them."""
        return inside(first, last) if self.sums is None else self.sums.over_blocks(first, last, inside)

    def nodes(self, held: BufferRef | None = None) -> tuple[Node, ...]:
        """Return the nodes that run once for each tile: they store its results, or leave them at `held`."""
        rows, columns = self.tile.m, self.tile.n
        full = (less(Sym("row0") + (rows - 1), self.c.row_stop), less(Sym("column0") + (columns - 1), self.c.n))
        edge = (less(Sym("row0") + ROW, self.c.row_stop), less(Sym("column0") + COLUMN, self.c.n))
        tables = tuple(
            Let(named.name, self._place(named.value), self._table(named.value).name)
            for named in self.hoisted
            if held is None or any(named in term.hoisted for term in self.terms)
        )
        return (*tables, If(full, self._finish((), held), self._finish(edge, held)))

    def _table(self, value: Index) -> Fragment:
        """The lanes that hold a hoisted coordinate: one for each row or for each column."""
        return self.rows_table if I.name in symbols(value) else self.columns_table

    def _finish(self, edge: Guard, held: BufferRef | None) -> tuple[Node, ...]:
        loads = [self._load(term, fragment, edge) for term, fragment in zip(self.terms, self.operands, strict=True)]
        for part, fragment in zip(self.parts, self.part_values, strict=True):
            loads.append(self.prepared.load(part, fragment, self._place(part.axis)))
        compute = computed(
            self.result.name,
            self.expr,
            arithmetic(self.c),
            tuple(fragment.name for fragment in self.accumulators),
            tuple(fragment.name for fragment in (*self.operands, *self.part_values)),
        )
        summed = () if self.sums is None else self.sums.nodes(bool(edge))
        if held is not None:
            return (*loads, compute, Store(held, self.result.name, Transfer.VECTOR), *summed)
        offset = self._place(self.c.out.offset)
        store = Store(Access(self.c.out.operand, offset), self.result.name, self._transfer(offset), edge)
        return (*loads, compute, store, *summed)

    def _load(self, term: Term, fragment: Fragment, edge: Guard) -> Load:
        offset = self._place(term.offset)
        rows, columns = fragment.layout.shape
        guard = tuple(test for test, used in zip(edge, (rows > 1, columns > 1), strict=False) if used)
        transfer = self._transfer(offset) if columns > 1 else Transfer.BROADCAST
        return Load(fragment.name, Access(term.operand, offset), transfer, guard)

    def _transfer(self, offset: Index) -> Transfer:
        return Transfer.VECTOR if coefficient(offset, COLUMN.name) == Const(1) else Transfer.GATHER

    def _place(self, expr: Index) -> Index:
        return substitute(expr, {I.name: Sym("row0") + ROW, J.name: Sym("column0") + COLUMN})

    def _operand_layout(self, term: Term) -> FragmentLayout:
        used = set(symbols(term.offset))
        for named in reversed(term.hoisted):
            if named.name in used:
                used |= symbols(named.value)
        if J.name in used:
            return self.tile.c if I.name in used else self.column_layout
        return self.row_layout if I.name in used else self._scalar()

    def _scalar(self) -> FragmentLayout:
        return FragmentLayout.from_bits((1, 1), lane=((0, 0),) * (self.tile.lanes.bit_length() - 1), register=())


def arithmetic(contraction: Contraction) -> DType:
    """Return the type in which the epilogue is evaluated: integers as long as all values stay integers."""
    c = contraction
    exact = c.out.dtype is c.compute and not c.epilogue_terms and is_integral(c.epilogue.expr)
    return c.compute if c.compute.is_float or exact else DType.FP32


def is_integral(expr: Expr) -> bool:
    """Whether `expr` maps integers to integers by functions that integers have."""
    for node in walk(expr):
        if isinstance(node, Constant) and not node.value.is_integer():
            return False
        if isinstance(node, Cast | Call) or (isinstance(node, Unary) and node.fn not in _INTEGER_UNARY):
            return False
        if isinstance(node, Binary) and node.fn is BinaryFn.DIV:
            return False
    return True
