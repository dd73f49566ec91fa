# SPDX-License-Identifier: MIT
"""Strips that walk down an image: each row of it is loaded once, and gives every line whose windows reach it its products.

A lane holds the sums of as many lines as windows reach one row, the oldest first. A step of the walk loads as many rows as the filter
strides, finishes the oldest line, and every other line's sums take the place of the line above it: since the loop is printed several
steps at a time, that moves nothing. The elements of small filters stay in registers for all strips of a block.
"""

from __future__ import annotations

from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.depthwise import Strips
from tracea_core.semantic.build.strip_blocks import together
from tracea_core.semantic.build.strip_columns import StripColumns
from tracea_core.semantic.contraction import I
from tracea_core.semantic.depthwise import LINE
from tracea_core.semantic.index import Const, Guard, Index, Sym, at_least, ceil_div, coefficient, less
from tracea_core.semantic.kernel import Fragment, SemanticKernel
from tracea_core.semantic.steps import Compute, Fill, If, Let, Loop, Node

HELD = 36
"""Elements of filters that a lane holds at most: nine of four channels."""
_FEW_ADDRESSES = 4
"""Channels that move at a time from which on addresses of what an epilogue reads take no more registers than those of results."""
_ASKED_FOR = 8
"""Elements of a filter that a lane asks for before it needs them: without registers for them 7×7 filters spilled on sm_90a."""
FIRST_LINE, STEP = Sym("first_line"), Sym("step")


def rolls(configuration: PipelineConfig) -> bool:
    """Whether strips walk down with rolling sums: where the configuration prints several steps of the walk in a row."""
    return configuration.unroll_k > 1


class RollingStrips(Strips):
    """The schedule with sums that take each other's place."""

    line, walks = FIRST_LINE.name, True

    @property
    def spare(self) -> int:
        """Registers besides those that are held throughout a row: so many that kernels for sm_90a spill none."""
        own = any(self.ends.moved(term) < _FEW_ADDRESSES for term in self.ends.of_pixels)
        return 36 + 8 * own + self._on_the_way

    @property
    def _on_the_way(self) -> int:
        """Registers of the elements of a filter that do not stay: several come from shared memory at a time."""
        return 0 if self._elements else _ASKED_FOR * self.run

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel; the compiler keeps to the registers for which blocks were dealt, else the last of them wait for the others."""
        found = super().kernel(variant, name)
        return found.replace(launch=found.launch.replace(together=together(self.config, self.profile, self._needed)))

    @property
    def _counts(self) -> tuple[int, int]:
        return 1, -(-self.f.taps[0] // self.f.stride[0])

    @property
    def _blocks(self) -> Index:
        """Where images follow one another columns are many: then each block takes its warps' strips once."""
        if not self.columns.apart:
            return super()._blocks
        return ceil_div(self._groups[1] * self._strips, self.config.warps) * ceil_div(
            self.columns.count, self.columns.tile
        )

    def _columns(self) -> StripColumns:
        """Images side by side where channels, as far apart as pixels, fill at most half of a tile."""
        apart = coefficient(self.f.out.offset, I.name)
        few = isinstance(apart, Const) and 2 * apart.value <= self.config.tile_n
        return StripColumns(self.f, self.config, apart.value if isinstance(apart, Const) and few else 0)

    @property
    def _elements(self) -> int:
        """Elements of a filter that stay in registers: all or none."""
        count = self.f.taps[0] * self.f.taps[1]
        return count if count * self.run <= HELD else 0

    def _fragments(self) -> tuple[Fragment, ...]:
        found = super()._fragments()
        return (*found, *(Fragment(_element(number), self.f.compute, self.one) for number in range(self._elements)))

    @property
    def _live(self) -> frozenset[str]:
        return super()._live | self.ends.held_ahead | {_element(number) for number in range(self._elements)}

    def _hold(self) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for number in range(self._elements):
            super()._weight(nodes, Const(number), _element(number))
        return (*nodes, *self.ends.constants())

    def _weight(self, nodes: list[Node], element: Index, name: str = "") -> str:
        if not self._elements:
            return super()._weight(nodes, element)
        assert isinstance(element, Const)
        return _element(element.value)

    def _strip(self, edge: bool) -> tuple[Node, ...]:
        """Walk over the rows that the strip's lines reach, a step for each line and those that the first one needs before."""
        f, stride, held = self.f, self.f.stride[0], self._counts[1]
        newest = (held - 1) * stride  # the row of the finished line's window that a step begins with
        begin: list[Node] = [Fill(name) for names in self.sums for name in names]
        step: list[Node] = [Let(LINE.name, FIRST_LINE + STEP - (held - 1))]
        if self.config.stages > 1:
            begin += [Fill(self._fetched(number)) for number in range(len(self.pieces))]
            first = Let(LINE.name, FIRST_LINE - (held - 1))
            begin.append(If((), (first, If(self._exists(Const(newest)), self._fetch(Const(newest), edge)))))
        for row in range(newest, newest + stride):
            step += self._row(row, edge, last=row == newest + stride - 1)
        firsts = [first for first, _ in self.spans]
        oldest = (tuple(zip(self.sums[0], firsts, strict=True)),)
        there = (at_least(STEP, held - 1), less(LINE, f.lines))
        step.append(If(there, self.ends.nodes(oldest, edge, self.alone)))
        step += self._move_up()
        return (*begin, Loop(STEP.name, Const(0), self._steps, tuple(step), unroll=self.config.unroll_k))

    def _move_up(self) -> list[Node]:
        """Every line's sums take the place of the line above it."""
        nodes: list[Node] = []
        for above, below in zip(self.sums[:-1], self.sums[1:], strict=True):
            moved = zip(above, below, strict=True)
            nodes += [Compute(to, Accumulator(0), self.f.compute, (name,)) for to, name in moved]
        return [*nodes, *(Fill(name) for name in self.sums[-1])]

    @property
    def _steps(self) -> Index:
        return Const(self.lines + self._counts[1] - 1)

    def _row(self, row: int, edge: bool, last: bool) -> list[Node]:
        """Load a row, or with two stages the one after it, and give each line that reaches it its products."""
        f, stride = self.f, self.f.stride[0]
        products: list[Node] = []
        for number, totals in enumerate(self.sums):
            tap = row - number * stride
            if tap < f.taps[0]:
                products += self._products(Const(tap), totals)
        if self.config.stages == 1:
            loaded = (*self._fetch(Const(row), edge), *self._widen())
            return [If(self._exists(Const(row)), (*loaded, *products))]
        more: Guard = (less(STEP, self.lines + self._counts[1] - 2),) if last else ()
        ahead = If((*more, *self._exists(Const(row + 1))), self._fetch(Const(row + 1), edge))
        return [*self._widen(), ahead, If(self._exists(Const(row)), tuple(products))]


def _element(number: int) -> str:
    return f"element{number}"
