# SPDX-License-Identifier: MIT
"""The schedule of row-wise ops on a GPU: a warp takes a row, or some short ones, lanes reduce among themselves, blocks share nothing.

Where a row fits the warp's registers it is read once, and everything happens there: without any test where it fills them, masked at its
end where it is shorter; at once, or a part at a time, so that terms, sums and results take the registers of one part. Where many tests
would be needed each part of each warp asks for itself, so only the last one of a row is masked. Longer rows are
swept once for each statistic and once to store, in steps of a few runs for each lane; only the first sweep comes from memory that is far
away, if the rows that are under way fit a cache. So a softmax takes its sum along with its maximum (`tracea_core.semantic.running_sums`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.build.row_lanes import chains_of, layouts_of_rows
from tracea_core.semantic.build.row_registers import beside_fragments, blocks_together, registers_of_fragments
from tracea_core.semantic.build.rows import RowsBuilder
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
    substitute_test,
    symbols,
)
from tracea_core.semantic.kernel import Actor, Buffer, Fragment, Launch, Parameter, Role, SemanticKernel, Symbol, walk
from tracea_core.semantic.row_steps import Count, Fold, Mask
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.running_sums import running_sum
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import Compute, Fill, If, Let, Load, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

WARP, BLOCK = Sym("warp"), Sym("block")
_RUN_BYTES, _WORD = 16, 4
_LARGEST = (1 << 31) - 1
_RUNNING = 2
"""Statistics of a sum that goes along with a maximum."""
OfPart: TypeAlias = Callable[[int, Guard], list[Node]]
"""The steps of a part of a row, by its number and what masks its elements."""
Tell: TypeAlias = Callable[[int, OfPart], list[Node]]
"""The same, by a way to find out whether anything does."""


def warp_rows_kernel(
    form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of `form` on a GPU.

    Parameters
    ----------
    configuration : PipelineConfig
        ``warps`` rows for each block, in steps of ``tile_n`` columns, ``vector_a`` of them together in a lane. With ``block_k`` equal
        to ``tile_n`` a row stays in registers, and must not be longer; lanes then work on one of ``unroll_k`` parts of it at a time, or
        ``tile_m`` rows share a warp.

    Raises
    ------
    ConfigurationError
        If lanes do not divide the step, or a part, registers do not suffice, or elements that should move together do not lie together.
    """
    return kernel_of(WarpRows(form, configuration, profile), profile, variant, name)


def kernel_of(builder: WarpRows, profile: CapabilityProfile, variant: str, name: str) -> SemanticKernel:
    """Return the kernel of a schedule.

    Raises
    ------
    ConfigurationError
        If registers do not suffice.
    """
    form, configuration, body = builder.f, builder.config, builder.body()
    fragments = used(builder.every_fragment(), body)
    threads = configuration.warps * profile.lanes
    budget = min(profile.registers_per_processor // threads, profile.max_registers_per_thread)
    needed = registers_of_fragments(builder, fragments) + beside_fragments(builder)
    if needed > budget:
        raise ConfigurationError(
            f"fragments and addresses need {needed} registers of a thread's {budget}", hint="Sweep in smaller steps",
            configuration=configuration.describe(),
        )  # fmt: skip
    role = Role(WARP.name, Actor.WARP, configuration.warps, profile.lanes, fragments, body, budget)
    return SemanticKernel(
        name=name, title=form.title, family="rowwise", variant=variant, arch=profile.arch, configuration=configuration,
        parameters=builder.parameters(), symbols=builder.symbols(), buffers=builder.buffers(), rings=(), roles=(role,),
        launch=Launch(ceil_div(form.m, builder.rows_of_block), threads, shared_bytes=shared_plan(builder.buffers(), ()).bytes,
                      together=builder.together()),
    )  # fmt: skip


class WarpRows(RowsBuilder):
    """The schedule of one warp; `tracea_core.semantic.build.block_rows` replaces what a block does together.

    Attributes
    ----------
    rows_of_block : int
        Rows that a block takes.
    longest : int
        Columns of the longest row that stays in registers.
    """

    def __init__(self, form: Rowwise, configuration: PipelineConfig, profile: CapabilityProfile) -> None:
        width, several = configuration.vector_a, configuration.tile_m
        self.resident = configuration.block_k == configuration.tile_n
        self.cut = configuration.unroll_k
        lanes, uneven = divmod(profile.lanes, several)
        pieces, rest = divmod(configuration.tile_n, max(lanes, 1) * width * self.cut)
        if rest or not pieces or uneven or not lanes:
            raise ConfigurationError(
                f"the {lanes} lanes of a row take steps of a multiple of {lanes * width * self.cut} columns",
                tile=configuration.describe(),
            )
        alone = self.cut == 1 and self.resident and not configuration.row_block
        if not (self.resident or self.cut == 1) or not (several == 1 or alone):
            raise ConfigurationError(
                "only a row that stays in registers is cut into parts, or shares a warp with others",
                hint="unroll_k=1, tile_m=1",
                configuration=configuration.describe(),
            )
        tile, row, column = layouts_of_rows(several, lanes, width)
        super().__init__(form, configuration, tile.repeat(columns=pieces), row, column.repeat(columns=pieces))
        self.table = self.count.name if several > 1 else None
        self.config, self.width, self.profile = configuration, width, profile
        self.step //= self.cut
        self.held = [self.x.replace(name=f"elements{part}") for part in range(self.cut)] if self.cut > 1 else [self.x]
        self.rows_of_block, self.longest = configuration.warps * several, configuration.tile_n
        swept = [term for term in (form.x, form.out, *form.operands) if J.name in symbols(term.offset)]
        if width > 1 and any(coefficient(term.offset, J.name) != Const(1) for term in swept):
            raise ConfigurationError(
                "columns that do not lie together move one by one", configuration=configuration.describe()
            )
        self.swept = swept
        self.running = None if self.resident else running_sum(form)
        self.power = Fragment("power", form.compute, self.tile)

    @property
    def most_columns(self) -> int:
        """Columns of the longest row that the kernel takes."""
        return self.longest if self.resident else _LARGEST

    @property
    def asks(self) -> bool:
        """Whether parts of a row ask whether they are whole: elements that move one by one, or with operands in runs below 16 bytes."""
        of_columns = any(term in self.swept for term in self.f.operands)
        short = of_columns and self.width * self.f.x.dtype.bytes < _RUN_BYTES
        return self.rows == 1 and (self.width == 1 or short)

    @property
    def keeps(self) -> bool:
        """Whether the value is computed from the terms of the last statistic."""
        return self.kept is not None and self.kept is self.f.statistics[-1]

    # ---- declarations

    def every_fragment(self) -> list[Fragment]:
        """All registers that some program of this schedule uses."""
        return [
            *self.held, self.term, self.power, self.result, self.count, *self.parts, *self.totals, *self.statistics, *self.operands,
        ]  # fmt: skip

    def buffers(self) -> tuple[Buffer, ...]:
        """What the warps of a block share: nothing."""
        return ()

    def together(self) -> int:
        """Blocks that shall fit a processor."""
        return blocks_together(self)

    def _run(self, term: Term) -> int:
        """Elements of a tensor that move together."""
        run = min(self.width, _RUN_BYTES // term.dtype.bytes)
        return run if term in self.swept and run * term.dtype.bytes >= _WORD else 1

    def parameters(self) -> tuple[Parameter, ...]:
        """The form's pointers, aligned to the runs that start at them."""
        runs = {term.operand: self._run(term) * term.dtype.bytes for term in (self.f.x, self.f.out, *self.f.operands)}
        return tuple(p.replace(alignment=max(p.alignment, runs[p.name])) for p in self.f.parameters)

    def symbols(self) -> tuple[Symbol, ...]:
        """The form's symbols: strides of rows are multiples of runs, and rows in registers are no longer than those."""
        strides = {name for term in self.swept for name in symbols(term.offset)}
        found = []
        for symbol in self.f.symbols:
            is_length = isinstance(self.f.n, Sym) and symbol.name == self.f.n.name
            if symbol.name in strides or is_length:
                symbol = symbol.replace(multiple=max(symbol.multiple, self.width))
            if symbol.minimum >= 0:
                symbol = symbol.replace(maximum=min(symbol.maximum, self.most_columns if is_length else _LARGEST))
            if is_length:
                symbol = symbol.replace(minimum=max(symbol.minimum, self.width))
            found.append(symbol)
        return tuple(found)

    # ---- the program

    def body(self) -> tuple[Node, ...]:
        """One row for each warp, or some neighbouring ones; warps beyond the last row have nothing to do."""
        first = BLOCK * self.config.warps + WARP
        if self.rows == 1:
            begin: tuple[Node, ...] = (Let("at_row", first), Let("steps", self.f.n // self.columns))
            return (*begin, If((less(Sym("at_row"), self.f.m),), self._row()))
        clamped = Let("at_row", minimum(Sym("row0") + ROW, self.f.m - 1), self.table)
        return (Let("row0", first * self.rows), If((less(Sym("row0"), self.f.m),), (clamped, *self._row())))

    def _row(self) -> tuple[Node, ...]:
        return (
            *(Let(n.name, substitute(n.value, {I.name: Sym("at_row")}), self.table) for n in self.f.row_names),
            *self._bases(),
            *self._row_operands(),
            Count(self.count.name, self.f.n),
            *(self._in_registers() if self.resident else self._swept()),
        )

    def _transfer(self, term: Term) -> Transfer:
        return Transfer.GATHER

    def _load(self, term: Term, fragment: Fragment, step: Index, guard: Guard) -> Load:
        return super()._load(term, fragment, step, guard).replace(width=self._run(term))

    def _finish(self, number: int) -> list[Node]:
        """From the fold of a statistic's terms to the statistic."""
        known = tuple(fragment.name for fragment in self.statistics[:number])
        statistic = self.f.statistics[number]
        given = (self.totals[number].name, self.count.name)
        return [computed(self.statistics[number].name, statistic.finish, self.f.compute, given, known)]

    def _own_operands(self, step: Index, guard: Guard) -> list[Node]:
        """Load what each column of a step has of its own, such as weights."""
        return [
            self._load(term, fragment, step, guard)
            for term, fragment in zip(self.f.operands, self.operands, strict=True)
            if fragment.layout is not self.row_layout
        ]

    def _value(self, step: Index, guard: Guard, given: str, value: Data) -> list[Node]:
        """Compute and store a step."""
        operands = tuple(fragment.name for fragment in (*self.statistics, *self.operands))
        target = self._access(self.f.out, self._column(step))
        own = (less(Sym("row0") + ROW, self.f.m),) if self.rows > 1 else ()
        return [
            computed(self.result.name, value, self.f.compute, (given,), operands),  # type: ignore[arg-type]  # an expression
            Store(target, self.result.name, Transfer.GATHER, (*own, *guard), self._run(self.f.out)),
        ]

    def _in_registers(self) -> list[Node]:
        """The whole row: one test tells the longest ones, whose elements need none, or each part asks for itself."""
        if self.asks:
            return self._held_row(self._asking)
        shorter, longest = (tuple(self._held_row(tell)) for tell in (self._masked, self._whole))
        return [If((less(self.f.n, self.longest),), shorter, longest)]

    def _held_row(self, tell: Tell) -> list[Node]:
        """A row at once, or a part at a time, so that terms, sums and results take the registers of one part."""
        nodes = [node for part in range(self.cut) for node in tell(part, self._elements)]
        for number in range(len(self.f.statistics)):
            nodes += [*self._of_row(number, tell), *self._exchange(number), *self._finish(number)]
        return [*nodes, *(node for part in range(self.cut) for node in tell(part, self._values))]

    def _whole(self, part: int, inside: OfPart) -> list[Node]:
        return inside(part, ())

    def _masked(self, part: int, inside: OfPart) -> list[Node]:
        return inside(part, (less(self._column(Const(part)), self.f.n),))

    def _asking(self, part: int, inside: OfPart) -> list[Node]:
        """What is done with a part, by whether its warp has all of it."""
        end = substitute(self._column(Const(part)), {COLUMN.name: Const(self.columns // self.cut)})
        both = tuple(self._masked(part, inside)), tuple(self._whole(part, inside))
        return [If((less(self.f.n, end),), *both)]

    def _elements(self, part: int, end: Guard) -> list[Node]:
        return [self._load(self.f.x, self.held[part], Const(part), end)]

    def _of_row(self, number: int, tell: Tell) -> list[Node]:
        """From the elements of a row to the total of a warp."""
        statistic = self.f.statistics[number]
        if self.cut > 1:
            added = [
                node
                for part, held in enumerate(self.held)
                for node in tell(part, lambda _, end, held=held: self._add(number, end, held.name))  # type: ignore[misc]
            ]
            return [
                Fill(self.parts[number].name, self._nothing(statistic)),
                *added,
                self._fold(number, self.parts[number].name),
            ]
        known = tuple(fragment.name for fragment in self.statistics[:number])

        def terms(_: int, end: Guard) -> list[Node]:
            mask = Mask(self.term.name, self._of_runs(end), self._nothing(statistic))
            term = computed(self.term.name, statistic.term, self.f.compute, (self.x.name,), known)
            return [term, *((mask,) if end else ())]

        return [*tell(0, terms), self._fold(number, self.term.name)]

    def _values(self, part: int, end: Guard) -> list[Node]:
        held = self.held[part].name
        given, value = (self.term.name, self.value) if self.keeps and self.cut == 1 else (held, self.f.value)
        return [*self._own_operands(Const(part), end), *self._value(Const(part), end, given, value)]

    def _of_runs(self, guard: Guard) -> Guard:
        """The same of the run that an element is part of: rows are whole runs, so one test serves all of its elements."""
        if self.width == 1:
            return guard
        return tuple(substitute_test(test, {COLUMN.name: COLUMN // self.width * self.width}) for test in guard)

    def _fold(self, number: int, terms: str) -> Fold:
        """From a statistic's terms, as lanes hold them, to the total of a warp."""
        return Fold(self.totals[number].name, terms, self.f.statistics[number].fold, chains_of(self.tile.registers))

    def _exchange(self, number: int) -> list[Node]:
        """From the total of a warp to that of its row: it is."""
        return []

    def _swept(self) -> list[Node]:
        nodes: list[Node] = self._together() if self.running else []
        for number, statistic in enumerate(self.f.statistics):
            if self.running and number < _RUNNING:
                continue
            part = self.parts[number]

            def inside(step: Index, guard: Guard, number: int = number) -> list[Node]:
                return [*self._swept_elements(number, step, guard), *self._add(number, guard, self.x.name)]

            nodes += [
                Fill(part.name, self._nothing(statistic)), *self._sweep(inside),
                self._fold(number, part.name), *self._exchange(number), *self._finish(number),
            ]  # fmt: skip

        def store(step: Index, guard: Guard) -> list[Node]:
            value = self._value(step, guard, self.x.name, self.f.value)
            last = len(self.f.statistics)
            return [*self._swept_elements(last, step, guard), *self._own_operands(step, guard), *value]

        return [*nodes, *self._sweep(store)]

    def _swept_elements(self, sweep: int, step: Index, guard: Guard) -> list[Node]:
        """The elements of a step in a sweep, by the sweep's number."""
        return [self._load(self.f.x, self.x, step, guard)]

    def _together(self) -> list[Node]:
        """One sweep for a maximum and the sum that goes along with it, each lane's in terms of what it has seen itself."""
        running, compute = self.running, self.f.compute
        assert running is not None
        top, total, term, power = (one.name for one in (*self.parts[:_RUNNING], self.term, self.power))

        def inside(step: Index, guard: Guard) -> list[Node]:
            return [
                self._load(self.f.x, self.x, step, guard),
                computed(term, running.level, compute, (self.x.name,)),
                *((Mask(term, self._of_runs(guard), compute.lowest),) if guard else ()),
                Compute(power, running.power, compute, (term, top)),
                *((Mask(power, self._of_runs(guard), 0.0),) if guard else ()),
                Compute(total, running.joined, compute, (power, term, total, top)),
                Compute(top, Binary(BinaryFn.MAXIMUM, Accumulator(1), Accumulator(0)), compute, (term, top)),
            ]

        return [
            Fill(top, compute.lowest), Fill(total), *self._sweep(inside),
            self._fold(0, top), *self._exchange(0), *self._finish(0),
            Compute(total, running.settled, compute, (total, top), (self.statistics[0].name,)),
            self._fold(1, total), *self._exchange(1), *self._finish(1),
        ]  # fmt: skip

    def _add(self, number: int, guard: Guard, elements: str) -> list[Node]:
        statistic, part = self.f.statistics[number], self.parts[number].name
        known = tuple(fragment.name for fragment in self.statistics[:number])
        if not guard:
            joined = Binary(statistic.fold, Accumulator(1), statistic.term)
            return [computed(part, joined, self.f.compute, (elements, part), known)]
        return [
            computed(self.term.name, statistic.term, self.f.compute, (elements,), known),
            Mask(self.term.name, self._of_runs(guard), self._nothing(statistic)),
            Compute(
                part, Binary(statistic.fold, Accumulator(1), Accumulator(0)), self.f.compute, (self.term.name, part)
            ),
        ]


def used(fragments: list[Fragment], body: tuple[Node, ...]) -> tuple[Fragment, ...]:
    """Return the fragments that some step of `body` names."""
    names: set[str] = set()
    for node in walk(body):
        for field in node.__struct_fields__:
            value = getattr(node, field)
            names |= (
                {value}
                if isinstance(value, str)
                else {v for v in value if isinstance(v, str)}
                if isinstance(value, tuple)
                else set()
            )
    return tuple(fragment for fragment in fragments if fragment.name in names)
