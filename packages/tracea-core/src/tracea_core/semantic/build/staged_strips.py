# SPDX-License-Identifier: MIT
"""Walking strips whose rows wait in shared memory, several steps ahead, where copies put them that pass no registers.

Rows that wait in registers cost a word of every lane for each column and step, so that few steps are under way. Copied ones cost none.
Either each lane copies what it reads itself: then its own wait is enough, and warps meet nowhere. Or the lanes of a warp copy runs of
more channels (``vector_a``) than one of them filters, a fourth of the copies where that is 2 of 8: then the block meets in each step,
since what another lane copied is there only after a barrier. All warps of a block walk together whether they have a strip or not, so
that copies, waits and barriers are theirs in common; what is outside the image arrives as zeros.
"""

from __future__ import annotations

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.depthwise import FIRST_COLUMN
from tracea_core.semantic.build.filter_batches import FilterBatches
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.rolling_strips import FIRST_LINE, STEP, RollingStrips
from tracea_core.semantic.build.staged_filters import StagedFilters
from tracea_core.semantic.build.strip_columns import StripColumns, StripsSideBySide
from tracea_core.semantic.build.strip_spans import is_known
from tracea_core.semantic.depthwise import LINE, Depthwise
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, at_least, less, substitute
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, SemanticKernel, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    AsyncKind,
    Barrier,
    BufferRef,
    Commit,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Node,
    Scope,
    Transfer,
    Wait,
)
from tracea_core.target import AsyncCopyKind, CapabilityProfile

ROWS = "rows"
_CHUNK = 16
_OF_COPY = 3
"""Registers that each copy of a step takes, by what kernels for sm_90a spilled."""
_PLACE = Sym("place")


def rolling_kernel(
    form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str
) -> SemanticKernel:
    """Return the schedule of channels filtered on their own by strips of ``tile_k`` lines, ``unroll_k`` steps in a row.

    From three ``stages`` on rows wait in shared memory, else in registers.

    Raises
    ------
    ConfigurationError
        As `tracea_core.semantic.build.depthwise.depthwise_kernel`.
    """
    kind = StagedStrips if configuration.stages > 2 else RollingStrips
    return kind(form, configuration, profile).kernel(variant, name)


class StagedStrips(RollingStrips):
    """The walk with ``stages - 1`` steps under way in shared memory."""

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel, where shared memory holds the rows of all its warps."""
        found = super().kernel(variant, name)
        if found.launch.shared_bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"rows and filters need {found.launch.shared_bytes} bytes of shared memory, {self.profile.name} has "
                f"{self.profile.shared_bytes}",
                hint="Choose fewer stages, warps or pixels", configuration=self.config.describe(),
            )  # fmt: skip
        return found

    def _columns(self) -> StripColumns:
        """Strips side by side in the lanes of a block where the configuration asks for several."""
        return (
            StripsSideBySide(self.f, self.config, self.profile.shared_banks)
            if self.config.row_block
            else super()._columns()
        )

    def _filters(self) -> type[StagedFilters]:
        return FilterBatches if self.config.row_block else StagedFilters

    @property
    def _most_stages(self) -> int:
        direct = AsyncCopyKind.CP_ASYNC in self.profile.async_copies
        wide = self.config.vector_a * self.f.image.dtype.bytes >= 4
        return 8 if direct and wide and self.f.deep == 1 else 2

    @property
    def _read(self) -> int:
        """Channels that a lane reads at a time."""
        return min(self.config.vector_a, self.run)

    @property
    def _shared(self) -> bool:
        """Whether lanes copy for each other."""
        return self.config.vector_a > self.run

    def _side_by_side(self) -> bool:
        columns = self.columns
        assert isinstance(columns, StripsSideBySide)
        fits = 0 < columns.strips * columns.tile <= self.config.warps * self.config.tile_n
        return fits and not is_known(self.f, self.pixels) and not self._shared

    def _fits(self, width: int) -> bool:
        """Whether lanes that each copy so many channels fill whole columns."""
        lanes = self.config.tile_n // width
        return width * self.f.image.dtype.bytes <= _CHUNK and lanes <= self.profile.lanes

    def _copied(self, count: int) -> FragmentLayout:
        """Which lane copies what of so many columns; neighbours copy neighbouring runs of channels."""
        if not self._shared:
            return self.one.repeat(rows=count)
        width, lanes = self.config.vector_a, self.profile.lanes
        across = self.config.tile_n // width
        columns = lanes // across
        lane_bits = tuple((0, width << bit) for bit in range(across.bit_length() - 1))
        lane_bits += tuple((1 << bit, 0) for bit in range(columns.bit_length() - 1))
        run_bits = tuple((0, 1 << bit) for bit in range(width.bit_length() - 1))
        one = FragmentLayout.from_bits((columns, self.config.tile_n), lane_bits, run_bits)
        return one.repeat(rows=-(-count // columns))

    def _fragments(self) -> tuple[Fragment, ...]:
        found, dtype = super()._fragments(), self.f.image.dtype
        maps = (Fragment(_map(number), dtype, self._copied(one.count)) for number, one in enumerate(self.pieces))
        return (*found, *maps)

    @property
    def _live(self) -> frozenset[str]:
        """What was copied is widened as it is read."""
        return super()._live - {self._fetched(number) for number in range(len(self.pieces))}

    @property
    def spare(self) -> int:
        """Registers besides those that are held throughout a row: copies have an address and a test each."""
        copies = sum(self._copied(piece.count).registers // self.config.vector_a for piece in self.pieces)
        return super().spare + _OF_COPY * copies * self.f.stride[0]

    @property
    def _on_the_way(self) -> int:
        """No more of them: what is copied ahead takes no registers, and what copies are reckoned at is more than enough."""
        return 0

    def _buffers(self) -> tuple[Buffer, ...]:
        places = self.config.warps * self.f.stride[0] * self._width
        layout = Layout.row_major(("column", places), ("channel", self.config.tile_n))
        rows = Buffer(
            ROWS, Space.SHARED, self.f.image.dtype, layout, Lifetime.TILE, slots=self.config.stages, alignment=_CHUNK
        )
        return (*super()._buffers(), rows)

    @property
    def _width(self) -> int:
        """Columns that a warp's copies of a row fill."""
        return sum(self._copied(piece.count).shape[0] for piece in self.pieces)

    def _place(self, row: int, number: int, slot: Index) -> BufferRef:
        """Where a row of a step waits, from the first column of a piece on; neighbouring warps' strips follow one another."""
        before = row * self._width + sum(self._copied(piece.count).shape[0] for piece in self.pieces[:number])
        return BufferRef(ROWS, (WARP * (self.f.stride[0] * self._width) + (ROW + before), COLUMN), slot)

    def _copy(self, step: Index, slot: Index) -> tuple[Node, ...]:
        """Ask for the rows that a step begins with."""
        f, nodes = self.f, []
        for row in range(f.stride[0]):
            line = (FIRST_LINE + step) * f.stride[0] + (row - f.padding[0])
            for number, piece in enumerate(self.pieces):
                along = self.columns.further(COLUMN) * f.stride[1]
                offset, tests = f.image.pixel(line, FIRST_COLUMN + along + (ROW * f.stride[1] + piece.first))
                source = Access("x", substitute(offset, self.columns.places(COLUMN)))
                reached = (less(ROW, piece.count),) if self._copied(piece.count).shape[0] > piece.count else ()
                there = (*self._has_strip, *reached, *tests, *self.columns.there(COLUMN))
                target = self._place(row, number, slot)
                nodes.append(AsyncCopy(_map(number), source, target, there, self.config.vector_a))
        return tuple(nodes)

    @property
    def _has_strip(self) -> Guard:
        """Whether there is a strip for a warp, where others of its block may have one and it has none."""
        return (less(_PLACE, Sym("places")),) if self.columns.takers > 1 else ()

    def _taken(self) -> tuple[Node, ...]:
        f, held, stages = self.f, self._counts[1], self.config.stages
        newest = (held - 1) * f.stride[0]
        begin: list[Node] = [Fill(name) for names in self.sums for name in names]
        for ahead in range(stages - 1):
            begin += [*self._copy(Const(ahead), Const(ahead)), Commit(AsyncKind.COPY)]
        further = STEP + (stages - 1)
        more = If((less(further, self._steps),), self._copy(further, further % stages))
        meet = (Barrier(Scope.BLOCK, "copied"),) if self._shared else ()
        step: list[Node] = [Wait(AsyncKind.COPY, stages - 2), *meet, more, Commit(AsyncKind.COPY)]
        step.append(Let(LINE.name, FIRST_LINE + STEP - (held - 1)))
        for row in range(f.stride[0]):
            for number in range(len(self.pieces)):
                place = self._place(row, number, STEP % stages)
                step.append(Load(self._fetched(number), place, Transfer.GATHER, width=self._read))
            step += self._widen()
            for number, totals in enumerate(self.sums):
                tap = newest + row - number * f.stride[0]
                if tap < f.taps[0]:
                    step += self._products(Const(tap), totals)
        firsts = [first for first, _ in self.spans]
        oldest = (tuple(zip(self.sums[0], firsts, strict=True)),)
        there = (*self._has_strip, at_least(STEP, held - 1), less(LINE, f.lines))
        step.append(If(there, self.ends.nodes(oldest, True, self.alone)))
        step += self._move_up()
        walk = Loop(STEP.name, Const(0), self._steps, tuple(step), unroll=self.config.unroll_k)
        free = (Barrier(Scope.BLOCK, "walked"),) if self._shared else ()
        return (*begin, walk, Wait(AsyncKind.COPY, 0), *free)


def _map(number: int) -> str:
    return f"copied{number}"
