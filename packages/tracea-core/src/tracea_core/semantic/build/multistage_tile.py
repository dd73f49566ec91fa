# SPDX-License-Identifier: MIT
"""One operand's way from global memory to an instruction's registers, in a block whose warps all do the same.

A tile of `outer` rows (columns, for B) by `tile_k` is cut into rectangles, one for each warp and pass. Which lane moves what
follows from the direction in which the operand is contiguous: lanes go along it, and each moves a run as wide as the promised
alignment allows. Shared memory keeps those elements together that one lane of the instruction reads together, under an XOR that
is solved for from all writes and reads, or with rows some elements apart; where the two directions differ, a lane exchanges
them within its own registers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator
from tracea_core.semantic.build.flattened import POSITION, flattened
from tracea_core.semantic.build.hoisted_tables import HoistedTables
from tracea_core.semantic.build.multistage_lanes import (
    Rectangle,
    lane_matrix,
    narrower,
    padded,
    power_of_two,
    projection,
    rectangle,
    run,
)
from tracea_core.semantic.contraction import Contraction, Named, Term
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    coefficient,
    divided_by,
    less,
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Compute, Let, Load, Node, Store, Transfer
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.swizzle import AccessPhase, SolvedSwizzle, solve
from tracea_core.target import AsyncCopyKind, CapabilityProfile

CHUNK = 16
"""Bytes of the widest access of one lane."""
_FEWEST_ALONG = 4
_LEAST_RUN = 4
"""Bytes of the narrowest run: languages move words, or single elements."""
_LEAST_COPY = 4
"""Bytes of the narrowest copy that passes no registers (PTX ISA, cp.async: 4, 8 or 16)."""
DEPTH = Sym("depth")
"""Length of the whole reduction, all K axes together."""


class OperandTile:
    """The tile of one operand, or of one gate's half of B; see the module's text.

    Parameters
    ----------
    name : str
        Name of the buffer; fragments and tables are named after it.
    contraction : Contraction or Sweep
        The problem, or the pass over one axis that moves an operand.
    term : Term
        The operand's addresses.
    coordinate, extent, shift : Sym, Index, Index
        Its coordinate that is not K, that coordinate's extent, and what is added to it (the second gate's columns).
    outer, tile_k, warps, slots : int
        The tile, the block's warps, and the ring's slots.
    vector : int
        Elements that the caller promises to lie together, aligned.
    fragment : FragmentLayout
        How the instruction holds the operand, rows along `coordinate`, columns along k.
    profile : CapabilityProfile
        Lanes and banks.
    pad : bool
        Whether unused elements may follow rows of the buffer in place of an XOR: addresses are then one register and constants.
    hoisted : int
        Steps whose coordinates are looked up (`tracea_core.semantic.build.hoisted_tables`).
    divided : bool
        Whether coordinates are divided for, instead of multiplied by reciprocals (`tracea_core.semantic.quotient`).
    """

    def __init__(
        self, name: str, contraction: Contraction | Sweep, term: Term, coordinate: Sym, extent: Index, shift: Index, outer: int,
        tile_k: int, warps: int, slots: int, vector: int, fragment: FragmentLayout, profile: CapabilityProfile,
        pad: bool = False, hoisted: int = 0, divided: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.c, self.coordinate, self.extent, self.shift = name, contraction, coordinate, extent, shift
        self.outer, self.tile_k, self.slots, self.profile = outer, tile_k, slots, profile
        self.dtype, self.fragment = term.dtype, fragment
        self.term, self.decoded = flattened(contraction, term)
        self.divisors = frozenset[str]() if divided else frozenset(contraction.divisors)
        plain = not (self.term.guard or self.term.hoisted or self.decoded)
        within = bool(self.decoded) and contraction.runs_along_k and _runs_along(term, contraction.k_axes[-1].name)
        self.along_k = plain and coefficient(self.term.offset, POSITION.name) == Const(1)
        along_outer = plain and coefficient(self.term.offset, coordinate.name) == Const(1)
        limit = CHUNK // self.dtype.bytes
        # A run of nested axes would end within some of them, unless the last one is a multiple of it.
        single = len(contraction.k_axes) == 1 or not self.along_k or contraction.runs_along_k
        wide = min(vector, limit) if within or (single and (self.along_k or along_outer)) else 1
        least = -(-_LEAST_RUN // self.dtype.bytes)
        wide = wide if wide >= least else 1
        self.along_k = self.along_k or (within and wide > 1)
        self.matrices = self.dtype.bytes == 2 and profile.has("ldmatrix")
        deep_run, wide_run = run(fragment, 1), run(fragment, 0)
        self.by_k = deep_run > 1 or wide_run == 1
        one_by_one = pad and plain and wide == 1
        in_order = (self.along_k if self.by_k else along_outer) or (self.matrices and along_outer) or one_by_one
        copies = slots > 1 and AsyncCopyKind.CP_ASYNC in profile.async_copies
        self.direct = copies and in_order and wide * self.dtype.bytes >= _LEAST_COPY
        if self.direct and self.matrices:
            self.by_k = self.along_k
        self.run = limit // 2 if self.matrices else deep_run if self.by_k else wide_run
        deep = 1 if self.along_k or not self.by_k else max(deep_run, limit // 2)
        cut = functools.partial(rectangle, outer, tile_k, profile.lanes, warps, wide, deep, self.along_k, least=least)
        self.layout = (self._padded(cut) if pad and not self.by_k else None) or self._swizzled(cut)
        named = symbols(self.term.offset) | {name for test in self.term.guard for name in symbols(test)}
        used = tuple(name for name, _ in self.decoded if name in named)
        single_steps = hoisted if used and self.cut.wide == 1 else 0
        self.tables = HoistedTables(
            name, self.decoded, used, POSITION, tile_k, warps, single_steps, projection(self.cut.fetched, 1), profile
        )

    # ---- shared memory

    @property
    def _pitch(self) -> int:
        """Elements of one row of the buffer: along k, or as many of the outer direction as a power of two holds."""
        return self.tile_k if self.by_k else power_of_two(self.outer)

    def _phases(self, store_width: int, read_width: int) -> tuple[AccessPhase, AccessPhase]:
        size = self.dtype.bytes
        row, column = (self._pitch * size, size) if self.by_k else (size, self._pitch * size)
        banks = {"banks": self.profile.shared_banks, "bank_bytes": self.profile.shared_bank_bytes}
        write = AccessPhase.of_lanes("write", lane_matrix(self.cut.stored, row, column), store_width * size, **banks)
        if self.matrices:
            pitch = self._pitch * size
            return write, AccessPhase("read", (pitch, 2 * pitch, 4 * pitch), CHUNK)
        return write, AccessPhase.of_lanes("read", lane_matrix(self.fragment, row, column), read_width * size, **banks)

    def _solve(self) -> tuple[SolvedSwizzle, int, int]:
        """The XOR with the fewest conflicts, and the widest accesses that it allows."""
        limit = CHUNK // self.dtype.bytes
        stored = run(self.cut.stored, 1 if self.by_k else 0)
        read, best = min(self.run, limit), None
        least = -(-_LEAST_RUN // self.dtype.bytes)
        read = read if read >= least else 1
        width = min(stored, limit) if stored >= least else 1
        while width:
            found = solve(
                self._phases(width, read), banks=self.profile.shared_banks, bank_bytes=self.profile.shared_bank_bytes
            )
            if best is None or sum(found.degrees) < sum(best[0].degrees):
                best = (found, width, read)
            if found.free or self.direct:
                break
            width = narrower(width, least)
        assert best is not None
        return best

    def _swizzled(self, cut: Callable[..., Rectangle]) -> Layout:
        """Dense rows under the XOR that is solved for; lanes along the runs load fewest lines, fewer may meet fewer conflicts."""
        row = self.profile.lanes
        while True:
            self.cut = cut(row)
            solved, self.store_width, self.read_width = self._solve()
            if solved.free or row <= _FEWEST_ALONG:
                break
            row //= 2
        if not solved.free:
            raise ConfigurationError(
                f"no layout of {self.name!r} is free of bank conflicts: {solved.argument}",
                hint="Choose another tile_k or other vector widths",
            )
        axes = (("outer", self.outer), ("k", self.tile_k))
        return Layout.xored(
            *(axes if self.by_k else axes[::-1]), xor=solved.of_elements(self.dtype.bytes), width=self._pitch
        )

    def _padded(self, cut: Callable[..., Rectangle]) -> Layout | None:
        self.read_width = min(self.run, CHUNK // self.dtype.bytes)
        found = padded(cut, self.fragment, (self.outer, self.tile_k), self.read_width, self.dtype.bytes, self.profile)
        if found is None:
            return None
        self.cut, layout, self.store_width = found
        return layout

    def buffer(self) -> Buffer:
        """Return the ring's buffer."""
        return Buffer(
            self.name, Space.SHARED, self.dtype, self.layout, Lifetime.TILE, slots=self.slots, alignment=CHUNK
        )

    def _place(self, outer: Index, k: Index, slot: Index) -> BufferRef:
        return BufferRef(self.name, (outer, k) if self.by_k else (k, outer), slot)

    # ---- what the kernel relies on

    def multiples(self) -> dict[str, int]:
        """Return what symbols must be multiples of, so that runs are aligned and are masked as a whole."""
        if self.cut.wide == 1:
            return {}
        declared = {symbol.name for symbol in self.c.symbols}
        extent = self.c.k_axes[-1].extent if self.along_k else self.extent  # the last axis runs fastest
        steps = symbols(self.term.offset)
        if self.c.runs_along_k:  # whatever coordinates are, distances between them are multiples
            declared = {symbol.name for symbol in self.c.symbols if symbol.minimum < 0} | symbols(extent)
            steps = self._used()
        return {name: self.cut.wide for name in (steps | symbols(extent)) & declared}

    def _used(self) -> frozenset[str]:
        """Every symbol that the operand's addresses and tests follow from."""
        used = symbols(self.term.offset) | {name for test in self.term.guard for name in symbols(test)}
        for named in reversed(self.term.hoisted):
            used |= symbols(named.value) if named.name in used else frozenset()
        return used

    @property
    def reciprocals(self) -> frozenset[str]:
        """Symbols that coordinates are divided by."""
        values = (*(named.value for named in self.term.hoisted), *(value for _, value in self.decoded))
        return frozenset(name for value in values for name in divided_by(value)) & self.divisors

    @property
    def alignment(self) -> int:
        """Alignment in bytes that runs need of the operand's pointer."""
        return self.cut.wide * self.dtype.bytes

    @property
    def address_registers(self) -> int:
        """Registers that compilers keep for addresses through the reduction: 64 bits a run, and every hoisted coordinate."""
        rows, depths = (projection(self.cut.fetched, axis).registers for axis in (0, 1))
        kept = {name for name in symbols(self.term.offset) | {n for t in self.term.guard for n in symbols(t)}}
        tables = rows * len(kept & {named.name for named in self.term.hoisted})
        tables += depths // (self.cut.wide if self.along_k else 1) * len(kept & {name for name, _ in self.decoded})
        runs = self.cut.fetched.registers // self.cut.wide
        return self.cut.passes * (tables + (2 * runs if not self.term.hoisted else runs))

    # ---- fragments and steps

    def fragments(self) -> list[Fragment]:
        """Return the registers that a tile passes through, and those that hoisted coordinates take."""
        found = [Fragment(f"{self.name}_map", self.dtype, self.cut.fetched)] if self.direct else []
        for number in range(0 if self.direct else self.cut.passes):
            found.append(Fragment(self._staged(number), self.dtype, self.cut.fetched))
            if self.cut.fetched != self.cut.stored:
                found.append(Fragment(f"{self._staged(number)}_turned", self.dtype, self.cut.stored))
        if self.term.hoisted:
            found.append(Fragment(f"{self.name}_rows", DType.INT32, projection(self.cut.fetched, 0)))
        if self.decoded:
            found.append(Fragment(f"{self.name}_depths", DType.INT32, projection(self.cut.fetched, 1)))
        return [*found, *self.tables.fragments()]

    def _staged(self, number: int) -> str:
        return f"{self.name}_fetched{number}" if self.cut.passes > 1 else f"{self.name}_fetched"

    def hoisted(self, outer0: Index) -> tuple[Node, ...]:
        """Return the coordinates that do not depend on k, for every pass; they are computed once for each tile."""
        return tuple(
            Let(f"{self.name}_{named.name}{number}", self._renamed(named.value, outer0, number), f"{self.name}_rows")
            for number in range(self.cut.passes)
            for named in self.term.hoisted
        )

    def fill_tables(self, steps: Index) -> tuple[Node, ...]:
        """Return the steps that fill the tables of so many steps' coordinates, if there are any."""
        return self.tables.fill([multiplied(value, self.divisors) for _, value in self.decoded], steps)

    def _renamed(self, value: Index, outer0: Index, number: int) -> Index:
        names: dict[str, Index] = {self.coordinate.name: self._outer(outer0, number)}
        names |= {named.name: Sym(f"{self.name}_{named.name}{number}") for named in self.term.hoisted}
        return multiplied(substitute(value, names), self.divisors)

    def _outer(self, outer0: Index, number: int) -> Index:
        """The coordinate of an element, moved inside where it does not exist: such rows are never stored."""
        first, wide = outer0 + self.cut.origin(number)[0], self.cut.wide
        if self.along_k or wide == 1:
            return minimum(first + ROW, self.extent - 1) + self.shift
        return minimum(first + ROW // wide * wide, self.extent - wide) + ROW % wide + self.shift

    def fetch(
        self, outer0: Index, k0: Index, edge: bool, tag: str = "", looked_up: Index | None = None
    ) -> tuple[Node, ...]:
        """Return the loads of the tile at (`outer0`, `k0`) into registers; with `edge`, what lies beyond the reduction is zero.

        `tag` keeps the names of several fetches in one body apart. The coordinates of the step `looked_up` are in the tables.
        """
        nodes: list[Node] = []
        for number, (lets, source, guard) in enumerate(self._sources(outer0, k0, edge, tag, looked_up)):
            nodes += [*lets, Load(self._staged(number), source, Transfer.GATHER, guard, width=self.cut.wide)]
        return tuple(nodes)

    def copy(
        self, outer0: Index, k0: Index, slot: Index, edge: bool, tag: str = "", looked_up: Index | None = None
    ) -> tuple[Node, ...]:
        """Return the copies of the tile at (`outer0`, `k0`) straight into a slot, zeros where `edge` and guards put them."""
        nodes: list[Node] = []
        for number, (lets, source, guard) in enumerate(self._sources(outer0, k0, edge, tag, looked_up)):
            outer, k = self.cut.origin(number)
            target = self._place(outer + ROW, k + COLUMN, slot)
            nodes += [*lets, AsyncCopy(f"{self.name}_map", source, target, guard, self.cut.wide)]
        return tuple(nodes)

    def _sources(
        self, outer0: Index, k0: Index, edge: bool, tag: str, looked_up: Index | None
    ) -> Iterator[tuple[list[Node], Access, Guard]]:
        """Yield, for each pass, the K coordinates it decodes (once for all passes at the same k), its addresses and its mask."""
        known: dict[Index, dict[str, Index]] = {}
        of_step, listed = self._of_list(k0, tag)
        for number in range(self.cut.passes):
            first = self.cut.origin(number)[1]
            position = k0 + first + COLUMN
            lets: list[Node] = [] if number else of_step
            if position not in known and looked_up is not None and self.tables.slots:
                looked, known[position] = self.tables.look_up(first, looked_up, f"{number}{tag}")
                lets = [*lets, *looked]
            elif position not in known:
                known[position] = {POSITION.name: position}
                for name, value in self.decoded:
                    table = f"{self.name}_{name}{number}{tag}"
                    plain = multiplied(substitute(value, known[position]), self.divisors)
                    lets.append(Let(table, plain, f"{self.name}_depths"))
                    known[position][name] = Sym(table)
            names = known[position] | listed | {self.coordinate.name: self._outer(outer0, number)}
            names |= {named.name: Sym(f"{self.name}_{named.name}{number}") for named in self.term.hoisted}
            beyond: Guard = (less(position, DEPTH),) if edge else ()
            guard = (*beyond, *replace_symbols(self.term.guard, names))
            yield lets, Access(self.term.operand, substitute(self.term.offset, names)), guard

    def _of_list(self, k0: Index, tag: str) -> tuple[list[Node], dict[str, Index]]:
        """What follows from the block that a step's positions lie in, and what stands for its names in an address."""
        lists = self.c.lists if isinstance(self.c, Contraction) else None
        if lists is None:
            return [], {}
        used = self._used_of(lists.names)
        names: dict[str, Index] = {self.c.k_axes[0].name: k0}
        lets: list[Node] = []
        for named in lists.names:
            if named.name in used:
                name = f"{self.name}_{named.name}{tag}"
                lets.append(Let(name, substitute(named.value, names)))
                names[named.name] = Sym(name)
        return lets, {named.name: names[named.name] for named in lists.names if named.name in used}

    def _used_of(self, names: tuple[Named, ...]) -> frozenset[str]:
        """Which names an address follows from, one after the other."""
        used = symbols(self.term.offset)
        for named in reversed(names):
            used |= symbols(named.value) if named.name in used else frozenset()
        return used

    def deposit(self, slot: Index) -> tuple[Node, ...]:
        """Return the stores of what was fetched into a slot."""
        nodes: list[Node] = []
        for number in range(self.cut.passes):
            name = self._staged(number)
            if self.cut.fetched != self.cut.stored:
                nodes.append(Compute(f"{name}_turned", Accumulator(0), self.dtype, (name,)))
                name = f"{name}_turned"
            outer, k = self.cut.origin(number)
            target = self._place(outer + ROW, k + COLUMN, slot)
            nodes.append(Store(target, name, Transfer.GATHER, width=self.store_width))
        return tuple(nodes)

    def read(self, fragment: str, outer: Index, k: Index, slot: Index, transposed: bool) -> Load:
        """Return the load of an instruction's operand at (`outer`, `k`) of a slot; `transposed` if its rows run along k."""
        along, down = (COLUMN, ROW) if transposed else (ROW, COLUMN)
        place = self._place(outer + along, k + down, slot)
        if self.matrices:
            return Load(fragment, place, Transfer.MATRIX if self.by_k else Transfer.MATRIX_TRANSPOSED)
        return Load(fragment, place, Transfer.GATHER, width=self.read_width)


def depth(contraction: Contraction) -> Index:
    """Return the length of the whole reduction."""
    total: Index = Const(1)
    for axis in contraction.k_axes:
        total = total * axis.extent
    return total


def _runs_along(term: Term, axis: str) -> bool:
    """Whether neighbours along a K axis are neighbours in memory, and masked alike."""
    return coefficient(term.offset, axis) == Const(1) and all(axis not in symbols(test) for test in term.guard)
