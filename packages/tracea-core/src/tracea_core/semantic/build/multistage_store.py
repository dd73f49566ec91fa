# SPDX-License-Identifier: MIT
"""The end of a warp's tile, straight from its accumulators: operands in, expression, and out with a mask at the edges.

Each instruction tile is stored as its lanes hold it, in runs as wide as both the accumulator's registers and the promised
alignment allow. A tile that lies inside the output takes a version without masks.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.epilogue import is_integral
from tracea_core.semantic.build.multistage_lanes import projection, run, scalar
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, coefficient, less, substitute, symbols
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.steps import Access, If, Let, Load, Node, SchedulingFence, Store, Transfer

CHUNK = 16
WARP_ROW, WARP_COLUMN = Sym("warp_row"), Sym("warp_column")


class WarpEpilogue:
    """Nodes and fragments that finish the tile of a warp at (`WARP_ROW`, `WARP_COLUMN`).

    Parameters
    ----------
    accumulators : list
        Fragments by row of instruction tiles, column of them, and gate.
    vector : int
        Elements that the caller promises to lie together, aligned, in the output.
    """

    def __init__(
        self, contraction: Contraction, lanes: InstructionLanes, accumulators: list[list[list[Fragment]]], vector: int
    ) -> None:
        self.c, self.lanes, self.accumulators = contraction, lanes, accumulators
        out = contraction.out
        along = next((axis for axis, name in enumerate((I, J)) if coefficient(out.offset, name.name) == Const(1)), None)
        plain = along is not None and not out.hoisted
        limit = min(vector, CHUNK // out.dtype.bytes)
        width = min(run(lanes.c, along), limit) if plain and along is not None else 1
        self.width = width if width * out.dtype.bytes >= 4 else 1  # no language stores less than a word as a run
        self.extent = contraction.m if along == 0 else contraction.n
        names = [*out.hoisted, *(named for term in contraction.epilogue_terms for named in term.hoisted)]
        self.hoisted = tuple(dict.fromkeys(names))

    def multiples(self) -> dict[str, int]:
        """Return what symbols must be multiples of, so that runs are aligned and are masked as a whole."""
        if self.width == 1:
            return {}
        declared = {symbol.name for symbol in self.c.symbols}
        return {name: self.width for name in (symbols(self.c.out.offset) | symbols(self.extent)) & declared}

    @property
    def alignment(self) -> int:
        """Alignment in bytes that runs need of the output's pointer."""
        return self.width * self.c.out.dtype.bytes

    @property
    def address_registers(self) -> int:
        """Registers that compilers keep for the addresses of operands of the output's shape: 64 bits an element."""
        whole = [term for term in self.c.epilogue_terms if self._layout(term) == self.lanes.c]
        return 2 * self.lanes.c.registers * len(whole)

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides the accumulators."""
        found = [Fragment(_held(term), term.dtype, self._layout(term)) for term in self.c.epilogue_terms]
        found.append(Fragment("result", self.c.out.dtype, self.lanes.c))
        if self.hoisted:
            found.append(Fragment("column_table", DType.INT32, projection(self.lanes.c, 1)))
        return found

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that run once for each tile."""
        rows, columns = len(self.accumulators) * self.lanes.m, len(self.accumulators[0]) * self.lanes.n
        inside = (less(WARP_ROW + (rows - 1), self.c.row_stop), less(WARP_COLUMN + (columns - 1), self.c.n))
        return (If(inside, self._all(edge=False), self._all(edge=True)),)

    def _all(self, edge: bool) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for i, row in enumerate(self.accumulators):
            for j, parts in enumerate(row):
                nodes += self._one(i, j, parts, edge)
        return tuple(nodes)

    def _one(self, i: int, j: int, parts: list[Fragment], edge: bool) -> list[Node]:
        row, column = WARP_ROW + i * self.lanes.m + ROW, WARP_COLUMN + j * self.lanes.n + COLUMN
        places: dict[str, Index] = {I.name: row, J.name: column}
        nodes: list[Node] = []
        for named in self.hoisted:
            table = f"{named.name}_{i}_{j}"
            nodes.append(Let(table, substitute(named.value, places), "column_table"))
            places[named.name] = Sym(table)
        guard: Guard = (less(row, self.c.row_stop), less(column, self.c.n)) if edge else ()
        for term in self.c.epilogue_terms:
            tall, wide = self._layout(term).shape
            kept = tuple(test for test, used in zip(guard, (tall > 1, wide > 1), strict=False) if used)
            source = Access(term.operand, substitute(term.offset, places))
            nodes.append(Load(_held(term), source, Transfer.GATHER, kept))
        nodes.append(
            computed(
                "result", self.c.epilogue.expr, self._arithmetic(), tuple(part.name for part in parts),
                tuple(_held(term) for term in self.c.epilogue_terms),
            )
        )  # fmt: skip
        target = Access(self.c.out.operand, substitute(self.c.out.offset, places))
        nodes.append(Store(target, "result", Transfer.GATHER, guard, width=self.width))
        nodes.append(SchedulingFence())  # else operands of all tiles are loaded at once, and registers run out
        return nodes

    def _arithmetic(self) -> DType:
        """The type in which the expression is evaluated: integers as long as all values stay integers."""
        c = self.c
        exact = c.out.dtype is c.compute and not c.epilogue_terms and is_integral(c.epilogue.expr)
        return c.compute if c.compute.is_float or exact else DType.FP32

    def _layout(self, term: Term) -> FragmentLayout:
        used = set(symbols(term.offset))
        for named in reversed(term.hoisted):
            if named.name in used:
                used |= symbols(named.value)
        if I.name in used and J.name in used:
            return self.lanes.c
        if J.name in used:
            return projection(self.lanes.c, 1)
        return projection(self.lanes.c, 0) if I.name in used else scalar(self.lanes.lanes)


def _held(term: Term) -> str:
    """The registers that hold an operand; languages know its pointer by the operand's own name."""
    return f"{term.operand}_held"
