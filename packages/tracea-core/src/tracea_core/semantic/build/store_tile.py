# SPDX-License-Identifier: MIT
"""The end of a warpgroup's tile: operands in, expression, and out in chunks through swizzled shared memory.

Outputs go through two staging buffers per width, one of which is filled while the copy engine still reads the other
(`tracea_core.semantic.build.engine_store`), and how many stores may still run when a buffer is filled again follows from the distance
to its last use. An output whose rows are contiguous (that of exchanged factors) is staged transposed, and matrix stores transpose it on
the way. 16-bit rows that begin anywhere are staged as well, for lanes side by side to store. Others, 32-bit ones that find no room or
whose rows are not whole chunks among them, are stored directly, four lanes covering a whole sector, or by lanes that have exchanged words
until each has 16 bytes (`lane_run`).

Where the blocks of a cluster divide the reduction, each finishes some chunks: it leaves its partial sums of the others in its own
shared memory, meets the rest of the cluster, and adds what they left for it, in the order of their ranks, so that the result is
the same in every run.
"""

from __future__ import annotations

import itertools

from tracea_core.ops.auxiliary import plain as without
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.semantic.build.approximation import approximation
from tracea_core.semantic.build.box_tile import ATOM_BYTES, swizzled_rows, whole_chunks
from tracea_core.semantic.build.chunks import Chunk, widths
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.engine_store import RUN, sent_terms, spread_name, spreads, store_box, stored_by_engine
from tracea_core.semantic.build.epilogue import arithmetic
from tracea_core.semantic.build.lane_store import run_multiples, run_of, stored_by_lanes
from tracea_core.semantic.build.partial_sums import partial_swizzle
from tracea_core.semantic.build.ragged_rows import rest_of_rows, whole_columns
from tracea_core.semantic.build.raster import COLUMN0, RANK, SPLIT_RANK
from tracea_core.semantic.build.row_places import RowPlaces
from tracea_core.semantic.build.store_layouts import accumulator, at_a_time, lane_run, operand_layout, rows, spread
from tracea_core.semantic.contraction import Contraction, J, Term
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    Test,
    TestFn,
    at_least,
    coefficient,
    equal,
    less,
    symbols,
)
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.phases import reuse_pending
from tracea_core.semantic.steps import (
    Access,
    AsyncKind,
    Barrier,
    Box,
    BufferRef,
    Compute,
    Extract,
    If,
    Load,
    Node,
    Scope,
    Store,
    Transfer,
    Turn,
    Wait,
)

STAGING = 2
"""Staging buffers per width, where they find room: one is filled while the other is read."""
ROWS = 64
_PARTIAL, _OTHER, _ROWS = "partial", "other", "rows"
NARROWEST = 16
"""Columns of a chunk of a tile whose parts of k several blocks have summed, at the least."""
SUM = Binary(BinaryFn.ADD, Accumulator(0), Accumulator(1))


class StoreTile:
    """Nodes, fragments and buffers that finish the tile of one consumer, whose first row is ``first_row``."""

    def __init__(
        self,
        contraction: Contraction,
        tile_n: int,
        atoms: int,
        consumers: int,
        accumulators: list[list[Fragment]],
        engine: bool,
        split: int = 1,
        blocks: int = 1,
        vector: int = 1,
        spare: int = 0,
        room: int = 1 << 30,
    ) -> None:
        self.c, self.consumers, self.accumulators, self.engine = contraction, consumers, accumulators, engine
        self.split, self.blocks, self.atoms = split, blocks, atoms
        # Two neighbouring columns of a lane move together where every row of the tensor keeps pairs aligned; not where columns
        # are what used to be rows, of which there may be any number.
        by_rows = coefficient(contraction.out.offset, J.name) == Const(1)
        self.ragged = contraction.ragged and engine and by_rows
        self.pairs = 2 if vector >= 2 and by_rows and not self.ragged else 1
        self.turned = engine and not by_rows
        self.places = RowPlaces((*contraction.epilogue_terms, contraction.out), contraction.divisors)
        used: dict[int, int] = {}
        leaving: list[Chunk] = []
        plain = contraction.out.dtype.bytes == 2 and by_rows and split == 1 and contraction.groups is None
        plain = plain and min(self._widths(tile_n)) >= NARROWEST
        self.run = run_of(contraction, vector) if by_rows else 1
        self.sent: tuple[Term, ...] = ()
        self.by_lanes = not engine and plain and self._staging_bytes(tile_n, 1) <= room
        if split == 1 and contraction.groups is None and (engine or (self.by_lanes and self.run == 1)):
            self.sent = sent_terms(contraction, self.turned)
        self.read = tuple(term for term in contraction.epilogue_terms if term not in self.sent)
        self.staging = STAGING if self._staging_bytes(tile_n, STAGING) <= room else 1
        for atom in range(atoms):
            column = 0
            for width in self._widths(tile_n):
                for _ in range(len(self.sent) + 1):  # second results first
                    leaving.append(Chunk(atom, column, width, used.get(width, 0) % self.staging))
                    used[width] = used.get(width, 0) + 1
                column += width
        chunks = self.chunks = tuple(leaving[len(self.sent) :: len(self.sent) + 1])
        # A block stores only its own chunks of a divided tile, so what may still run then depends on its rank: nothing does.
        pending = reuse_pending([(chunk.width, chunk.buffer) for chunk in leaving])
        self.leaving = list(zip(leaving, pending if split == 1 else (0,) * len(leaving), strict=True))
        self.sizes = tuple(dict.fromkeys(chunk.width for chunk in chunks))
        self.exchanged = lane_run(contraction, vector, self.sizes) if self.pairs > 1 and not engine else 0
        self.ahead = self._ahead(spare - self.places.registers * atoms) if split == 1 else 0

    def _widths(self, tile_n: int) -> tuple[int, ...]:
        """The chunks of a row of the tile; a divided tile has as many for every block, as wide as they come."""
        narrow = self.engine or len(self.places.terms) > 1  # addresses of what is read beside results take registers
        plain = widths(tile_n, self.c.out.dtype.bytes if narrow else 2)
        if self.split == 1:
            return plain
        share = tile_n // self.split
        width = min(share & -share, plain[0]) if share >= NARROWEST else NARROWEST
        return (width,) * (tile_n // width)

    def _staging_bytes(self, tile_n: int, buffers: int) -> int:
        """Shared memory of staging buffers, so many of each width or as many as are useful."""
        every = self._widths(tile_n) * self.atoms * (len(self.sent) + 1)
        columns = sum(width * min(buffers, every.count(width)) for width in set(every))
        return columns * self.consumers * ROWS * self.c.out.dtype.bytes

    # ---- declarations

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides the accumulators."""
        found = self.places.fragments()
        for width in self.sizes:
            layout = accumulator(width)
            found += [Fragment(self._part(width, gate), self.c.compute, layout) for gate in range(self.c.gates)]
            if self.exchanged:
                layout = self._lies(self.c.out, width)
                found += [Fragment(f"{part.name}_run", part.dtype, layout) for part in found[-self.c.gates :]]
            found.append(Fragment(f"result{width}", self.c.out.dtype, layout))
            if self.engine and spreads(self.c.out.dtype, width):
                found.append(Fragment(spread_name(width), self.c.out.dtype, spread(width)))
            if self.by_lanes:
                found.append(Fragment(f"{_ROWS}{width}", self.c.out.dtype, rows(width, self.run)))
            if self.split > 1:
                found.append(Fragment(f"{_OTHER}{width}", self.c.compute, accumulator(width)))
            found += [Fragment(f"{term.operand}_{width}", term.dtype, layout) for term in self.sent]
            for term, turn in itertools.product(self.read, range(self.ahead + 1)):
                found.append(Fragment(self._operand(term, width, turn), term.dtype, self._lies(term, width)))
        return found

    def _operand(self, term: Term, width: int, number: int) -> str:
        """The fragment of an operand for a chunk; loads that run ahead take turns."""
        name = f"{term.operand}_{width}"
        return f"{name}_{number % (self.ahead + 1)}" if self.ahead else name

    def buffers(self) -> list[Buffer]:
        """Return the staging buffers, and the partial sums that wait for other blocks."""
        return [*self._staging(), *self._partial()]

    @property
    def meetings(self) -> tuple[str, ...]:
        """The barriers at which the blocks of a cluster meet."""
        return ("partial_written", "partial_read") if self.split > 1 else ()

    def _partial(self) -> list[Buffer]:
        if self.split == 1:
            return []
        width = self.chunks[0].width
        xor = partial_swizzle(width)
        layout = Layout.xored(
            ("chunk", len(self.chunks)), ("consumer", self.consumers), ("row", ROWS), ("column", width), xor=xor
        )
        return [Buffer(_PARTIAL, Space.SHARED, self.c.compute, layout, Lifetime.TILE, alignment=ATOM_BYTES)]

    def _staging(self) -> list[Buffer]:
        if not self.engine and not self.by_lanes:
            return []
        bytes_ = self.c.out.dtype.bytes
        counts = {width: sum(chunk.width == width for chunk, _ in self.leaving) for width in self.sizes}
        return [
            Buffer(
                f"staging{width}", Space.SHARED, self.c.out.dtype,
                Layout.xored(
                    ("buffer", min(self.staging, counts[width])), ("consumer", self.consumers),
                    *((("column", width), ("row", ROWS)) if self.turned else (("row", ROWS), ("column", width))),
                    xor=swizzled_rows((ROWS if self.turned else width) * bytes_, bytes_),
                ),
                Lifetime.TILE, alignment=ATOM_BYTES,
            )
            for width in self.sizes
        ]  # fmt: skip

    @property
    def stride_symbols(self) -> frozenset[str]:
        """Symbols that must be multiples of 16 bytes for the copy engine."""
        boxes = [self._box(self.chunks[0], term) for term in (self.c.out, *self.sent)] if self.engine else []
        return frozenset(name for box in boxes for stride in box.strides for name in symbols(stride))

    # ---- nodes

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that run once for each tile."""
        if self.split > 1:
            return (*self._rows(), *self._divided())
        if self.places.terms:
            return (*(() if self.ahead else self._rows()), *self._all(self.engine))
        if not self.engine or self.c.groups is None:
            return self._all(self.engine)
        whole = at_least(self.c.row_stop, Sym("first_row") + self.atoms * ROWS)
        return (If((whole,), self._all(True), self._all(False)),)

    def _all(self, engine: bool) -> tuple[Node, ...]:
        """All chunks, by the engine or by guarded stores: a box cannot end where the rows of a group do."""
        nodes: list[Node] = []
        for number, chunk in enumerate(self.chunks):
            nodes += self._loads(number + self.ahead)
            nodes += [*self._parts(chunk), *self._evaluate(number, chunk, engine)]
        return tuple(nodes)

    def prefetch(self) -> tuple[Node, ...]:
        """Return the loads of operands that run before the reduction, so that their latency hides behind it."""
        loads = tuple(node for number in range(self.ahead) for node in self._loads(number))
        return (*self._rows(), *loads) if self.ahead else ()

    def _rows(self) -> tuple[Node, ...]:
        """Where the rows of each piece lie, for terms that are decoded."""
        return self.places.lets([Sym("first_row") + atom * ROWS + ROW for atom in range(self.atoms)])

    def _loads(self, number: int) -> list[Node]:
        if number >= len(self.chunks):
            return []
        chunk = self.chunks[number]
        return [self._load(term, chunk, self._operand(term, chunk.width, number)) for term in self.read]

    def _ahead(self, spare: int) -> int:
        """How many chunks' operands fit into `spare` registers of a thread while the reduction runs."""
        widest = max(chunk.width for chunk in self.chunks)
        each = 0
        for term in self.read:
            if self._run(term) * term.dtype.bytes < 4 and self._lies(term, widest).registers > 1:
                return 0  # elements that are loaded one by one are packed at once, which waits for them
            each += -(-self._lies(term, widest).registers * term.dtype.bytes // 4)
        return min(spare // each - 1, len(self.chunks)) if each and spare >= 2 * each else 0

    def _divided(self) -> tuple[Node, ...]:
        """Leave what other blocks finish, meet, finish the own chunks, and meet again before anything is overwritten."""
        leave: list[Node] = []
        finish: list[Node] = []
        for number, chunk in enumerate(self.chunks):
            owner = number % self.split
            part = self._part(chunk.width, 0)
            place = (Const(number), Sym("consumer"), ROW, COLUMN)
            leave.append(
                If((Test(TestFn.NE, SPLIT_RANK, Const(owner)),),
                   (*self._parts(chunk), Store(BufferRef(_PARTIAL, place), part, Transfer.GATHER, width=RUN)))
            )  # fmt: skip
            own: list[Node] = [*self._parts(chunk)]
            other = f"{_OTHER}{chunk.width}"
            for distance in range(1, self.split):
                rank = RANK + ((owner + distance) % self.split - owner) * self.blocks
                own.append(Load(other, BufferRef(_PARTIAL, place, rank=rank), Transfer.GATHER, width=RUN))
                own.append(Compute(part, SUM, self.c.compute, (part, other)))
            finish.append(
                If(
                    (equal(SPLIT_RANK, owner),),
                    (*own, *self._loads(number), *self._evaluate(number, chunk, self.engine)),
                )
            )
        written, read = (Barrier(Scope.CLUSTER, name) for name in self.meetings)
        return (*leave, written, *finish, read)

    def finish(self) -> tuple[Node, ...]:
        """Return what remains after the last tile: staging buffers live until they have been read."""
        return (Wait(AsyncKind.STORE, 0),) if self.engine else ()

    def _parts(self, chunk: Chunk) -> list[Node]:
        """Take the chunk's columns out of the accumulators."""
        return [
            Extract(
                self._part(chunk.width, gate), self.accumulators[chunk.atom][gate].name, Const(0), Const(chunk.column)
            )
            for gate in range(self.c.gates)
        ]

    def _evaluate(self, number: int, chunk: Chunk, engine: bool) -> list[Node]:
        width = chunk.width
        nodes: list[Node] = []
        parts = [self._part(width, gate) for gate in range(self.c.gates)]
        if self.exchanged:
            nodes += [Turn(f"{part}_run", part) for part in parts]
            parts = [f"{part}_run" for part in parts]
        terms, expr = self.c.epilogue_terms, self.c.epilogue.expr
        operands = tuple(self._operand(t, width, number) if t in self.read else "" for t in terms)
        leaving = self.leaving[number * (len(self.sent) + 1) :]
        for term, (second, pending) in zip(self.sent, leaving, strict=False):
            value, name = self.c.epilogue.auxiliaries[terms.index(term)], f"{term.operand}_{width}"
            nodes.append(computed(name, value, arithmetic(self.c), tuple(parts), operands))
            nodes += self._leave(second, pending, term, name, engine)
        expr = without(expr, tuple(map(terms.index, self.sent)))
        approximate = approximation(expr, self.c.out.dtype)
        nodes.append(computed(f"result{width}", expr, arithmetic(self.c), tuple(parts), operands, approximate))
        return [*nodes, *self._leave(chunk, leaving[len(self.sent)][1], self.c.out, f"result{width}", engine)]

    def _leave(self, chunk: Chunk, pending: int, term: Term, fragment: str, engine: bool) -> list[Node]:
        if not engine:
            return self._store(chunk, term, fragment)
        name, place = f"staging{chunk.width}", (Const(chunk.buffer), Sym("consumer"))
        staged = BufferRef(name, (*place, *((COLUMN, ROW) if self.turned else (ROW, COLUMN))))
        corner, box = BufferRef(name, (*place, Const(0), Const(0))), self._box(chunk, term)
        sent = stored_by_engine(fragment, term.dtype, chunk.width, staged, corner, box, pending, self.turned)
        if not self.ragged:
            return sent
        columns, target = (COLUMN0 + chunk.column, self._coordinates(chunk)[1]), self._target(chunk, term)
        return [*sent, *rest_of_rows(self.c, fragment, columns, self._edge(chunk), target, chunk.width)]

    def _box(self, chunk: Chunk, term: Term) -> Box:
        columns = whole_columns(self.c) if self.ragged else self.c.n
        row, column = Sym("first_row") + chunk.atom * ROWS, COLUMN0 + chunk.column
        return store_box(self.c, term, columns, row, column, (chunk.width, ROWS), self.turned)

    def _store(self, chunk: Chunk, term: Term, fragment: str) -> list[Node]:
        target, held, edge = self._target(chunk, term), f"{_ROWS}{chunk.width}", self._edge(chunk)
        if term in self.places.terms:
            plain, guarded = (Store(target, fragment, Transfer.GATHER, guard, self._run(term)) for guard in ((), edge))
            return [If(self._whole(chunk), (plain,), (guarded,))]
        if not self.by_lanes:
            return [Store(target, fragment, Transfer.GATHER, edge, self._run(term))]
        staged = BufferRef(f"staging{chunk.width}", (Const(chunk.buffer), Sym("consumer"), ROW, COLUMN))
        return stored_by_lanes(staged, fragment, held, target, edge, chunk.width, self.run)

    def _target(self, chunk: Chunk, term: Term) -> Access:
        return Access(term.operand, self._place(term, chunk))

    def _load(self, term: Term, chunk: Chunk, fragment: str) -> Load:
        layout = self._lies(term, chunk.width)
        rows, columns = layout.shape
        guard = tuple(test for test, used in zip(self._edge(chunk), (rows > 1, columns > 1), strict=True) if used)
        transfer = Transfer.GATHER if rows > 1 or columns > 1 else Transfer.BROADCAST
        source = Access(term.operand, self._place(term, chunk))
        return Load(fragment, source, transfer, guard, width=self._run(term))

    def _run(self, term: Term) -> int:
        return at_a_time(term, self.pairs, self.exchanged)

    def _lies(self, term: Term, width: int) -> FragmentLayout:
        return operand_layout(term, width, self.exchanged)

    @property
    def multiples(self) -> dict[str, int]:
        """What symbols must be multiples of, so that pairs are aligned and are masked together."""
        # Lanes mask what they store and load themselves; what the copy engine stores ends with a chunk.
        masked = not (self.engine or self.by_lanes) or self.c.groups is not None or bool(self.read)
        names = symbols(self.c.n) if self.pairs > 1 and masked else frozenset[str]()
        found = dict.fromkeys(names, self.exchanged or self.pairs)
        for term in (*self.read, *(() if self.engine or self.by_lanes else (self.c.out,))):
            for name in symbols(term.offset) if self._run(term) > 1 else ():
                found[name] = max(found.get(name, 1), self._run(term))
        pairs = {symbol.name: found[symbol.name] for symbol in self.c.symbols if symbol.name in found}
        boxed = self.engine and not self.ragged
        chunks = whole_chunks(self._box(self.chunks[0], self.c.out), self.c.out.dtype) if boxed else {}
        return pairs | run_multiples(self.c, self.run) | chunks

    def alignment(self, operand: str) -> int:
        """Alignment in bytes that the accesses need of an operand's pointer."""
        terms = (*self.read, self.c.out)
        found = max((self._run(term) * term.dtype.bytes for term in terms if term.operand == operand), default=1)
        return max(found, self.run * self.c.out.dtype.bytes) if operand == self.c.out.operand else found

    def _edge(self, chunk: Chunk) -> Guard:
        row, column = self._coordinates(chunk)
        return (less(row, self.c.row_stop), less(column, self.c.n))

    def _whole(self, chunk: Chunk) -> Guard:
        """Whether a chunk has all of its rows and columns, so that nothing is asked of its elements."""
        last = Sym("first_row") + (chunk.atom * ROWS + ROWS - 1), COLUMN0 + (chunk.column + chunk.width - 1)
        return (less(last[0], self.c.row_stop), less(last[1], self.c.n))

    def _coordinates(self, chunk: Chunk) -> tuple[Index, Index]:
        return Sym("first_row") + chunk.atom * ROWS + ROW, COLUMN0 + chunk.column + COLUMN

    def _place(self, term: Term, chunk: Chunk) -> Index:
        return self.places.place(term, chunk.atom, *self._coordinates(chunk))

    def _part(self, width: int, gate: int) -> str:
        name = f"part{width}" if width > NARROWEST else f"rest{width}"  # part16 is an idiom of emitted text
        return f"{name}_{gate}" if self.c.gates > 1 else name
