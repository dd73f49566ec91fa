# SPDX-License-Identifier: MIT
"""The end of a warp's tile, straight from its accumulators: operands in, expression, and out with a mask at the edges.

Where a tile has all of its columns (or, in results that lie along rows, all of its rows) lanes exchange what they hold until each has 16
bytes that lie together, and move those at once, as far as the promised alignment allows; operands of the result's shape come the same way.
Tiles at the edge are stored as the accumulators lie, element by element or in the pairs that registers and extents have. Which of both is
asked at each tile of a warp. Rows beyond the last one are masked in either case.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.epilogue import is_integral
from tracea_core.semantic.build.multistage_lanes import projection, run, scalar, side_by_side, with_runs
from tracea_core.semantic.contraction import Contraction, I, J, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, coefficient, less, substitute, symbols
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout
from tracea_core.semantic.row_steps import Join
from tracea_core.semantic.steps import Access, If, Let, Load, Node, SchedulingFence, Store, Transfer, Turn

CHUNK = 16
_WORD = 4
"""Bytes of what one exchange moves."""
WARP_ROW, WARP_COLUMN = Sym("warp_row"), Sym("warp_column")


class WarpEpilogue:
    """Nodes and fragments that finish the tile of a warp at (`WARP_ROW`, `WARP_COLUMN`).

    Parameters
    ----------
    accumulators : list
        Fragments by row of instruction tiles, column of them, and gate.
    vector : int
        Elements that the caller promises to lie together, aligned, in the output and in operands of its shape.
    exchanged : bool
        Whether lanes exchange what they hold, so that each moves 16 bytes at once.
    """

    def __init__(
        self, contraction: Contraction, lanes: InstructionLanes, accumulators: list[list[list[Fragment]]], vector: int,
        exchanged: bool = False,
    ) -> None:  # fmt: skip
        self.c, self.lanes, self.accumulators = contraction, lanes, accumulators
        out = contraction.out
        along = next((axis for axis, name in enumerate((I, J)) if coefficient(out.offset, name.name) == Const(1)), None)
        plain = along is not None and not out.hoisted
        limit = min(vector, CHUNK // out.dtype.bytes)
        width = min(run(lanes.c, along), limit) if plain and along is not None else 1
        self.width = width if width * out.dtype.bytes >= _WORD else 1  # no language stores less than a word as a run
        self.extent = contraction.m if along == 0 else contraction.n
        names = [*out.hoisted, *(named for term in contraction.epilogue_terms for named in term.hoisted)]
        self.hoisted = tuple(dict.fromkeys(names))
        self.along, self.wide, self.tiles = along, limit, 1
        self.runs: FragmentLayout | None = None
        free = along is not None and (I, J)[along].name not in _followed(out)
        if exchanged and free and limit > self.width and limit * out.dtype.bytes >= _WORD:
            self._exchange(0 if along is None else along)

    def _exchange(self, along: int) -> None:
        """Find how many instruction tiles side by side give every lane a run of its own."""
        while len(self.accumulators[0]) % self.tiles == 0:
            self.held = side_by_side(self.lanes.c, self.tiles)
            self.runs = with_runs(self.held, along, self.wide)
            if self.runs is not None:
                break
            self.tiles *= 2
        # Words are what lanes exchange: results whose pairs lie in one, else the sums that they are computed from.
        self.afterwards = self._in_words(self.c.out.dtype)

    def _in_words(self, dtype: DType) -> bool:
        return self.along is not None and run(self.held, self.along) * dtype.bytes >= _WORD

    def multiples(self) -> dict[str, int]:
        """Return what symbols must be multiples of, so that runs are aligned and are masked as a whole."""
        declared = {symbol.name for symbol in self.c.symbols}
        found: dict[str, int] = {}
        if self.width > 1:
            found |= dict.fromkeys((symbols(self.c.out.offset) | symbols(self.extent)) & declared, self.width)
        if self.runs is not None:
            for term in (self.c.out, *self.c.epilogue_terms):
                for name in symbols(term.offset) & declared if self._run(term) > 1 else ():
                    found[name] = max(found.get(name, 1), self._run(term))
        return found

    def alignments(self) -> dict[str, int]:
        """Return the alignment in bytes that runs need of each operand's pointer."""
        terms = () if self.runs is None else self.c.epilogue_terms
        found = {term.operand: self._run(term) * term.dtype.bytes for term in terms}
        out = self.c.out
        return found | {out.operand: (self.width if self.runs is None else self.wide) * out.dtype.bytes}

    @property
    def address_registers(self) -> int:
        """Registers that compilers keep for the addresses of operands of the output's shape: 64 bits an element."""
        whole = [term for term in self.c.epilogue_terms if self._layout(term, self.lanes.c) == self.lanes.c]
        return 2 * self.lanes.c.registers * len(whole)

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides the accumulators."""
        found = [Fragment(_held(term), term.dtype, self._layout(term, self.lanes.c)) for term in self.c.epilogue_terms]
        found.append(Fragment("result", self.c.out.dtype, self.lanes.c))
        if self.hoisted:
            found.append(Fragment("column_table", DType.INT32, projection(self.lanes.c, 1)))
        return [*found, *self._wide_fragments()]

    def _wide_fragments(self) -> list[Fragment]:
        """Those of tiles side by side: sums and what is computed of them, and what moves to and from memory in runs."""
        if self.runs is None:
            return []
        layout, compute = self.held if self.afterwards else self.runs, self.lanes.accumulator
        found: list[Fragment] = []
        for gate in range(len(self.accumulators[0][0])):
            found += [Fragment(f"sums{gate}", compute, self.held)] if self.tiles > 1 else []
            found += [] if self.afterwards else [Fragment(f"sums{gate}_run", compute, self.runs)]
        for term in self.c.epilogue_terms:
            found.append(Fragment(f"{_held(term)}_wide", term.dtype, self._layout(term, layout)))
            if self.afterwards and self._run(term) > 1:
                found.append(Fragment(f"{_held(term)}_run", term.dtype, self.runs))
        found.append(Fragment("result_wide", self.c.out.dtype, layout))
        found += [Fragment("result_run", self.c.out.dtype, self.runs)] if self.afterwards else []
        return [*found, *([Fragment("column_table_wide", DType.INT32, projection(layout, 1))] if self.hoisted else [])]

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that run once for each tile."""
        rows, columns = len(self.accumulators) * self.lanes.m, len(self.accumulators[0]) * self.lanes.n
        inside = (less(WARP_ROW + (rows - 1), self.c.row_stop), less(WARP_COLUMN + (columns - 1), self.c.n))
        if self.runs is None:
            return (If(inside, self._all(edge=False), self._all(edge=True)),)
        return (If(inside[self.along :][:1], self._in_runs(), self._all(edge=True)),)

    def _all(self, edge: bool) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for i, row in enumerate(self.accumulators):
            for j, parts in enumerate(row):
                nodes += self._one(i, j, parts, edge)
        return tuple(nodes)

    def _one(self, i: int, j: int, parts: list[Fragment], edge: bool) -> list[Node]:
        places, nodes = self._places(i, j, "")
        guard: Guard = (less(places[I.name], self.c.row_stop), less(places[J.name], self.c.n)) if edge else ()
        for term in self.c.epilogue_terms:
            source = Access(term.operand, substitute(term.offset, places))
            nodes.append(Load(_held(term), source, Transfer.GATHER, _kept(guard, self._layout(term, self.lanes.c))))
        nodes.append(self._computed("result", tuple(part.name for part in parts), ""))
        target = Access(self.c.out.operand, substitute(self.c.out.offset, places))
        nodes.append(Store(target, "result", Transfer.GATHER, guard, width=self.width))
        nodes.append(SchedulingFence())  # else operands of all tiles are loaded at once, and registers run out
        return nodes

    def _in_runs(self) -> tuple[Node, ...]:
        """The tiles of a warp, so many side by side at once that each lane moves a run."""
        nodes: list[Node] = []
        for i, row in enumerate(self.accumulators):
            for j in range(0, len(row), self.tiles):
                nodes += self._together(i, j)
        return tuple(nodes)

    def _together(self, i: int, j: int) -> list[Node]:
        assert self.runs is not None
        places, nodes = self._places(i, j, "_wide")
        across = I if self.along == 1 else J
        guard: Guard = (less(places[across.name], self.c.row_stop if across is I else self.c.n),)
        sums: list[str] = []
        for gate, part in enumerate(self.accumulators[i][j]):
            name = part.name
            if self.tiles > 1:
                name = f"sums{gate}"
                nodes.append(Join(name, tuple(parts[gate].name for parts in self.accumulators[i][j : j + self.tiles])))
            if not self.afterwards:
                nodes.append(Turn(f"sums{gate}_run", name))
                name = f"sums{gate}_run"
            sums.append(name)
        layout = self.held if self.afterwards else self.runs
        for term in self.c.epilogue_terms:
            source, width = Access(term.operand, substitute(term.offset, places)), self._run(term)
            kept = _across(guard, self._layout(term, layout), across)
            into = f"{_held(term)}_{'run' if width > 1 and self.afterwards else 'wide'}"
            nodes.append(Load(into, source, Transfer.GATHER, kept, width=width))
            if into.endswith("_run"):
                nodes.append(Turn(f"{_held(term)}_wide", into))
        nodes.append(self._computed("result_wide", tuple(sums), "_wide"))
        if self.afterwards:
            nodes.append(Turn("result_run", "result_wide"))
        target = Access(self.c.out.operand, substitute(self.c.out.offset, places))
        stored = "result_run" if self.afterwards else "result_wide"
        return [*nodes, Store(target, stored, Transfer.GATHER, guard, width=self.wide), SchedulingFence()]

    def _places(self, i: int, j: int, tag: str) -> tuple[dict[str, Index], list[Node]]:
        """Where the elements of an instruction tile (or of those that begin with it) lie, and the names that say so."""
        row, column = WARP_ROW + i * self.lanes.m + ROW, WARP_COLUMN + j * self.lanes.n + COLUMN
        places: dict[str, Index] = {I.name: row, J.name: column}
        nodes: list[Node] = []
        for named in self.hoisted:
            table = f"{named.name}_{i}_{j}{tag}"
            nodes.append(Let(table, substitute(named.value, places), f"column_table{tag}"))
            places[named.name] = Sym(table)
        return places, nodes

    def _computed(self, result: str, sums: tuple[str, ...], tag: str) -> Node:
        operands = tuple(_held(term) + tag for term in self.c.epilogue_terms)
        return computed(result, self.c.epilogue.expr, self._arithmetic(), sums, operands)

    def _arithmetic(self) -> DType:
        """The type in which the expression is evaluated: integers as long as all values stay integers."""
        c = self.c
        exact = c.out.dtype is c.compute and not c.epilogue_terms and is_integral(c.epilogue.expr)
        return c.compute if c.compute.is_float or exact else DType.FP32

    def _run(self, term: Term) -> int:
        """How many neighbours of the output or of an operand one access of a lane moves, where lanes move runs."""
        if term is self.c.out:
            return self.wide
        name = (I, J)[self.along].name if self.along is not None else ""
        plain = not term.hoisted and coefficient(term.offset, name) == Const(1)
        if (
            not plain
            or self._layout(term, self.lanes.c) != self.lanes.c
            or (self.afterwards and not self._in_words(term.dtype))
        ):
            return 1
        found = min(self.wide, self.wide * self.c.out.dtype.bytes // term.dtype.bytes)
        return found if found * term.dtype.bytes >= _WORD else 1

    def _layout(self, term: Term, whole: FragmentLayout) -> FragmentLayout:
        """Which lanes hold an operand of a tile whose elements lie as `whole` says."""
        used = set(symbols(term.offset))
        for named in reversed(term.hoisted):
            if named.name in used:
                used |= symbols(named.value)
        if I.name in used and J.name in used:
            return whole
        if J.name in used:
            return projection(whole, 1)
        return projection(whole, 0) if I.name in used else scalar(self.lanes.lanes)


def _followed(term: Term) -> frozenset[str]:
    """What decoded coordinates of an operand follow from."""
    found = frozenset[str]().union(*(symbols(named.value) for named in term.hoisted))
    return found - {named.name for named in term.hoisted}


def _kept(guard: Guard, layout: FragmentLayout) -> Guard:
    """The tests of row and column that an operand needs."""
    tall, wide = layout.shape
    return tuple(test for test, used in zip(guard, (tall > 1, wide > 1), strict=False) if used)


def _across(guard: Guard, layout: FragmentLayout, axis: Sym) -> Guard:
    """The test of the coordinate that runs do not follow, for an operand that has it."""
    return guard if layout.shape[0 if axis is I else 1] > 1 else ()


def _held(term: Term) -> str:
    """The registers that hold an operand; languages know its pointer by the operand's own name."""
    return f"{term.operand}_held"
