# SPDX-License-Identifier: MIT
"""The schedule of row-wise ops on a CPU: a few rows at a time, all their statistics, then their values.

A worker takes consecutive rows. For each statistic it sweeps the row with one vector accumulator for each vector of the step, and
reduces across lanes once at the end; a last sweep stores the values. Only the first sweep reads memory: a row stays in the first or
second cache. A large result may pass the caches, so that memory is not read where it is overwritten. Where the value
repeats a statistic's term that is expensive (a softmax its exponential), the term is kept in the
worker's own memory instead of computed twice.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Compare, CompareFn, Expr, Select
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.register_tile import WORKER, WORKERS, vector_lanes
from tracea_core.semantic.contraction import I, J, Term
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
    minimum,
    substitute,
    symbols,
)
from tracea_core.semantic.kept_terms import kept_term
from tracea_core.semantic.kernel import (
    Actor,
    Buffer,
    Fragment,
    Launch,
    Lifetime,
    Parameter,
    Role,
    SemanticKernel,
    Space,
    Symbol,
)
from tracea_core.semantic.lanes_cpu import fma_outer
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.row_steps import STREAM_BYTES, Count, Fold, Mask, Prefetch
from tracea_core.semantic.rowwise import Rowwise, Statistic
from tracea_core.semantic.steps import Access, BufferRef, Compute, Fill, If, Let, Load, Loop, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

_LINE_BYTES = 64
_PREFETCH_LEVEL = 2
"""The second cache: the first may be full with this row and what is kept of it."""


def rows_kernel(
    form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a CPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``tile_m`` rows at a time, in steps of ``tile_n`` columns (a multiple of the vector's lanes). With ``vector_c`` above 1 the
        output passes the caches, and its rows begin at multiples of so many elements.

    Raises
    ------
    ConfigurationError
        If the accumulators do not fit the vector registers, or the output cannot pass the caches.
    """
    builder = WorkerRows(form, configuration, profile)
    body = builder.body()
    role = Role("worker", Actor.WORKER, 0, builder.lanes, tuple(builder.fragments()), tuple(body))
    return SemanticKernel(
        name=name,
        title=form.title,
        family="rowwise",
        variant=variant,
        arch=profile.arch,
        configuration=configuration,
        parameters=builder.parameters(),
        symbols=builder.symbols(),
        buffers=builder.buffers(),
        rings=(),
        roles=(role,),
        launch=Launch(blocks=WORKERS, threads=1),
    )


class RowsBuilder:
    """What the schedules of row-wise ops share: fragments, addresses, sweeps.

    Parameters
    ----------
    tile, row, column : FragmentLayout
        The lane maps of a step's elements, of one number for each of its rows, and of one for each of its columns.

    Attributes
    ----------
    step : int
        Columns from one step to the next.
    """

    def __init__(
        self,
        form: Rowwise,
        configuration: PipelineConfig,
        tile: FragmentLayout,
        row: FragmentLayout,
        column: FragmentLayout,
    ) -> None:
        self.f, self.rows, self.columns = form, configuration.tile_m, configuration.tile_n
        self.step = self.columns
        self.tile, self.row_layout, self.column_layout, self.lanes = tile, row, column, tile.lanes
        self.kept, self.value = kept_term(form)
        self.x = Fragment("elements", form.x.dtype, self.tile)
        self.term = Fragment("term", form.compute, self.tile)
        self.result = Fragment("result", form.out.dtype, self.tile)
        self.parts = [Fragment(f"{s.name}_part", form.compute, self.tile) for s in form.statistics]
        self.totals = [Fragment(f"{s.name}_total", form.compute, self.row_layout) for s in form.statistics]
        self.statistics = [Fragment(s.name, form.compute, self.row_layout) for s in form.statistics]
        self.count = Fragment("count", form.compute, self.row_layout)
        self.operands = [Fragment(f"{term.operand}_values", term.dtype, self._layout(term)) for term in form.operands]
        self.table: str | None = self.count.name

    # ---- declarations

    def fragments(self) -> list[Fragment]:
        """All registers of a worker."""
        return [
            self.x, self.term, self.result, self.count, *self.parts, *self.totals, *self.statistics, *self.operands,
        ]  # fmt: skip

    def _layout(self, term: Term) -> FragmentLayout:
        used = symbols(term.offset)
        by_row = I.name in used or any(named.name in used for named in self.f.row_names)
        if J.name in used:
            return self.tile if by_row else self.column_layout
        return self.row_layout

    # ---- the program

    def _bases(self) -> list[Node]:
        """Hoist what a row adds to each address."""
        terms = (self.f.x, self.f.out, *self.f.operands)
        return [
            Let(f"{term.operand}_base", self._place(term, Const(0)), self.table) for term in terms if self._moves(term)
        ]

    def _moves(self, term: Term) -> bool:
        """Whether a tensor is swept with both rows and columns."""
        return self._layout(term) is self.tile

    def _place(self, term: Term, column: Index) -> Index:
        return substitute(term.offset, {I.name: Sym("at_row"), J.name: column})

    def _access(self, term: Term, column: Index) -> Access:
        if not self._moves(term):
            return Access(term.operand, self._place(term, column))
        step = coefficient(term.offset, J.name)
        assert step is not None  # lowered offsets are affine in the column
        return Access(term.operand, Sym(f"{term.operand}_base") + column * step)

    def _transfer(self, term: Term) -> Transfer:
        return Transfer.VECTOR if self._lies_together(term) else Transfer.GATHER

    def _lies_together(self, term: Term) -> bool:
        return coefficient(term.offset, J.name) == Const(1)

    def _row_operands(self) -> list[Node]:
        """Load what is the same for a whole row."""
        return [
            Load(fragment.name, self._access(term, Const(0)), Transfer.BROADCAST)
            for term, fragment in zip(self.f.operands, self.operands, strict=True)
            if fragment.layout is self.row_layout
        ]

    def _sweep(self, inside: Callable[[Index, Guard], list[Node]]) -> list[Node]:
        """Visit all columns, a step at a time: whole steps without masks, the last one with them."""
        whole = Loop("step", Const(0), Sym("steps"), tuple(inside(Sym("step"), ())))
        beyond = less(self._column(Sym("steps")), self.f.n)
        rest = If((less(Sym("steps") * self.step, self.f.n),), tuple(inside(Sym("steps"), (beyond,))))
        return [whole, rest]

    def _column(self, step: Index) -> Index:
        return step * self.step + COLUMN

    def _joined(self, statistic: Statistic, term: Expr) -> Expr:
        """A term joined with the accumulator behind it.

        A maximum that a later statistic's terms are compared with may pass over NaN, which those terms bring back: one instruction
        where the maximum that propagates NaN takes six.
        """
        if statistic.fold is BinaryFn.ADD or statistic is self.f.statistics[-1]:
            return Binary(statistic.fold, Accumulator(1), term)
        return Select(Compare(CompareFn.GT, term, Accumulator(1)), term, Accumulator(1))

    def _nothing(self, statistic: Statistic) -> float:
        return 0.0 if statistic.fold.value == "add" else self.f.compute.lowest

    def _load(self, term: Term, fragment: Fragment, step: Index, guard: Guard) -> Load:
        return Load(fragment.name, self._access(term, self._column(step)), self._transfer(term), guard)


class WorkerRows(RowsBuilder):
    """The schedule of one CPU worker."""

    def __init__(self, form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        rows, columns, lanes = configuration.tile_m, configuration.tile_n, vector_lanes(profile, form.compute)
        if columns % lanes:
            raise ConfigurationError(f"tile_n must be a multiple of the {lanes} lanes of a vector", tile_n=columns)
        vectors = columns // lanes
        if profile.vector_registers and rows * (2 * vectors + 1) > profile.vector_registers:
            raise ConfigurationError(
                f"{rows} rows of {vectors} vectors need {rows * (2 * vectors + 1)} registers, {profile.name} has "
                f"{profile.vector_registers}",
                hint="Choose fewer rows or columns",
            )
        tile = fma_outer(rows, vectors, lanes, form.compute)
        assert tile.a is not None and tile.b is not None
        super().__init__(form, configuration, tile.c, tile.a, tile.b)
        self.run = configuration.vector_c
        run_bytes = self.run * form.out.dtype.bytes
        if self.run > 1 and (
            run_bytes != STREAM_BYTES or lanes % self.run or rows > 1 or not self._lies_together(form.out)
        ):
            raise ConfigurationError(
                f"what passes the caches is one row of neighbours at a time, in runs of {STREAM_BYTES} bytes",
                vector_c=self.run,
            )

    def parameters(self) -> tuple[Parameter, ...]:
        """The form's pointers; an output that passes the caches is aligned to its runs."""
        run_bytes = self.run * self.f.out.dtype.bytes
        return tuple(
            p.replace(alignment=max(p.alignment, run_bytes)) if p.name == self.f.out.operand else p
            for p in self.f.parameters
        )

    def symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols; where the output passes the caches, its strides are multiples of the runs."""
        strides = symbols(self.f.out.offset) if self.run > 1 else set()
        return tuple(s.replace(multiple=max(s.multiple, self.run)) if s.name in strides else s for s in self.f.symbols)

    def buffers(self) -> tuple[Buffer, ...]:
        """The worker's memory for kept terms: as many steps of columns as a row has."""
        if self.kept is None:
            return ()
        row = Layout.row_major(("row", self.rows), ("column", self.columns))
        steps = ceil_div(self.f.n, self.columns)
        return (Buffer("kept", Space.PANEL, self.f.compute, row, Lifetime.TILE, extent=steps),)

    def body(self) -> list[Node]:
        """Deal groups of rows to the workers."""
        inside: list[Node] = [
            Let("row0", Sym("tile") * self.rows),
            Let("at_row", minimum(Sym("row0") + ROW, self.f.m - 1), self.count.name),
            *(Let(n.name, substitute(n.value, {I.name: Sym("at_row")}), self.count.name) for n in self.f.row_names),
            *self._bases(),
            *self._row_operands(),
            *self._ahead(),
        ]
        for number in range(len(self.f.statistics)):
            inside += self._statistic(number)
        inside += self._store()
        return [
            Let("row_tiles", ceil_div(self.f.m, self.rows)),
            Let("steps", self.f.n // self.columns),
            Count(self.count.name, self.f.n),
            Loop("tile", WORKER * Sym("row_tiles") // WORKERS, (WORKER + 1) * Sym("row_tiles") // WORKERS, tuple(inside)),
        ]  # fmt: skip

    def _ahead(self) -> list[Node]:
        """Where the next row begins, if it can be asked for while this one is worked on."""
        if not self.asks_ahead:
            return []
        rows = {"ahead": minimum(Sym("tile") + 1, self.f.m - 1), "out_ahead": Sym("tile")}
        return [
            Let(name, substitute(term.offset, {I.name: rows[name], J.name: Const(0)})) for name, term in self._asked
        ]

    @property
    def _asked(self) -> tuple[tuple[str, Term], ...]:
        """What is asked for ahead: the input, and the output unless it passes the caches."""
        return (("ahead", self.f.x), *((("out_ahead", self.f.out),) if self.run == 1 else ()))

    @property
    def asks_ahead(self) -> bool:
        """Whether the next row is fetched during a row's last sweep but one: rows one at a time, contiguous, of one stride."""
        together = self._lies_together(self.f.x) and self._lies_together(self.f.out)
        return self.rows == 1 and not self.f.row_names and together

    def _statistic(self, number: int) -> list[Node]:
        statistic, part = self.f.statistics[number], self.parts[number]
        known = tuple(fragment.name for fragment in self.statistics[:number])

        def inside(step: Index, guard: Guard) -> list[Node]:
            ahead = self._ask(step) if number == len(self.f.statistics) - 1 else []
            return [*ahead, self._load(self.f.x, self.x, step, guard), *self._add(statistic, part, known, step, guard)]

        return [
            Fill(part.name, self._nothing(statistic)),
            *self._sweep(inside),
            Fold(self.totals[number].name, part.name, statistic.fold),
            computed(
                self.statistics[number].name, statistic.finish, self.f.compute,
                (self.totals[number].name, self.count.name), known,
            ),
        ]  # fmt: skip

    def _ask(self, step: Index) -> list[Node]:
        """Ask for the lines of the next row, and of this row's output, that correspond to a step."""
        if not self.asks_ahead:
            return []
        found: list[Node] = []
        for name, term in self._asked:
            first, line = Sym(name) + step * self.columns, _LINE_BYTES // term.dtype.bytes
            write = term is self.f.out
            places = range(0, self.columns, line)
            found += [Prefetch(term.operand, first + place, _PREFETCH_LEVEL, write) for place in places]
        return found

    def _add(
        self, statistic: Statistic, part: Fragment, known: tuple[str, ...], step: Index, guard: Guard
    ) -> list[Node]:
        """Fold a step's terms into the accumulators; masked elements count as nothing."""
        keep = statistic is self.kept
        if not keep and not guard:
            joined = self._joined(statistic, statistic.term)
            return [computed(part.name, joined, self.f.compute, (self.x.name, part.name), known)]
        nodes: list[Node] = [computed(self.term.name, statistic.term, self.f.compute, (self.x.name,), known)]
        if guard:
            nodes.append(Mask(self.term.name, guard, self._nothing(statistic)))
        if keep:
            nodes.append(Store(self._kept_at(step), self.term.name, Transfer.VECTOR))
        joined = self._joined(statistic, Accumulator(0))
        return [*nodes, Compute(part.name, joined, self.f.compute, (self.term.name, part.name))]

    def _kept_at(self, step: Index) -> BufferRef:
        return BufferRef("kept", (step, ROW, COLUMN))

    def _store(self) -> list[Node]:
        """Sweep once more and store; rows beyond the last one repeat it and are not stored."""
        if self.rows == 1:
            return self._stores(())
        full = (less(Sym("row0") + (self.rows - 1), self.f.m),)
        return [If(full, tuple(self._stores(())), tuple(self._stores((less(Sym("row0") + ROW, self.f.m),))))]

    def _stores(self, edge: Guard) -> list[Node]:
        def inside(step: Index, guard: Guard) -> list[Node]:
            swept = [
                self._load(term, fragment, step, guard)
                for term, fragment in zip(self.f.operands, self.operands, strict=True)
                if fragment.layout is not self.row_layout
            ]
            given = (self.x.name,) if self.kept is None else (self.term.name,)
            source: Node = self._load(self.f.x, self.x, step, guard)
            if self.kept is not None:
                source = Load(self.term.name, self._kept_at(step), Transfer.VECTOR)
            operands = tuple(fragment.name for fragment in (*self.statistics, *self.operands))
            passes = self.run > 1 and not edge and not guard
            return [
                source,
                *swept,
                computed(self.result.name, self.value, self.f.compute, given, operands),
                Store(
                    self._access(self.f.out, self._column(step)), self.result.name,
                    Transfer.STREAM if passes else self._transfer(self.f.out), (*edge, *guard),
                ),
            ]  # fmt: skip

        return self._sweep(inside)
