# SPDX-License-Identifier: MIT
"""Filters of a block's channels in shared memory: a row for each element, its channels side by side, widened once.

In memory a filter's elements follow one another, in shared memory its channels do. So that neither side is reached far apart, neighbouring
lanes take neighbouring elements of a few channels, and rows begin in different banks.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracea_core.ops.expr import Accumulator
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.strip_columns import StripColumns
from tracea_core.semantic.contraction import J
from tracea_core.semantic.depthwise import C, Depthwise, R, S
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, less, substitute
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.steps import Access, BufferRef, Compute, Load, Loop, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

FILTERS = "filters"
TAPS = 8
"""Neighbouring elements of a filter that the lanes of a warp stage together; the other lanes take further channels."""
_CHUNK = 16
STAGED, STAGED_RAW = "staged", "staged_raw"


class StagedFilters:
    """The filters of a tile's channels, and how all warps of a block bring them.

    Attributes
    ----------
    held : int
        Runs of elements that a lane holds at a time.
    """

    def __init__(
        self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, columns: StripColumns
    ) -> None:
        self.f, self.config, self.profile, self.columns = form, configuration, profile, columns
        self.across = profile.lanes // TAPS
        self.groups = columns.tile // self.across
        self.held = 1
        self.padding = max(profile.shared_banks // TAPS, 1)

    @property
    def before(self) -> int:
        """Places ahead of the first element, and behind the last, which a line's window does not reach where another's does."""
        return (self.config.tile_k - 1) * self.f.stride[0] * self.f.taps[1]

    @property
    def elements(self) -> int:
        """Elements of a filter."""
        return self.f.taps[0] * self.f.taps[1] * self.f.deep

    def buffer(self) -> Buffer:
        """A row of channels for each element; rows lie apart so that neighbouring elements begin in other banks."""
        rows = -(-self.elements // TAPS) * TAPS
        channels = self.columns.copies * self.columns.filters
        pad = (self.padding - channels) % (2 * self.padding)
        layout = Layout.row_major(("tap", rows + 2 * self.before), ("channel", channels), pad=pad)
        return Buffer(FILTERS, Space.SHARED, self.f.compute, layout, Lifetime.TILE, alignment=_CHUNK)

    def fragments(self) -> list[Fragment]:
        """What the lanes hold on the way."""
        lane_bits, tap_bits = self.profile.lanes.bit_length() - 1, TAPS.bit_length() - 1
        lanes = tuple((1 << b, 0) for b in range(tap_bits)) + tuple((0, 1 << b) for b in range(lane_bits - tap_bits))
        layout = FragmentLayout.from_bits((TAPS, self.across), lanes, ()).repeat(rows=self.held)
        found = [Fragment(STAGED, self.f.compute, layout)]
        return found if self.f.b.dtype is self.f.compute else [*found, Fragment(STAGED_RAW, self.f.b.dtype, layout)]

    def stage(self) -> Node:
        """Copy the filters of the tile's channels into shared memory, an element's channels side by side."""
        unit = Sym("stage") * self.config.warps + WARP
        tap, channel = unit // self.groups * TAPS + ROW, unit % self.groups * self.across + COLUMN
        nodes = self._brought(tap, channel, (channel,))
        count = -(-self.elements // TAPS) * self.groups // self.config.warps
        return Loop("stage", Const(0), Const(count), nodes, unroll=min(count, 16))

    def _brought(self, tap: Index, channel: Index, places: Iterable[Index]) -> tuple[Node, ...]:
        """Load what lanes hold of elements and channels of the tile, and store it to each of some columns."""
        f, element = self.f, tap // self.f.deep
        found = {
            R.name: element // f.taps[1], S.name: element % f.taps[1], C.name: tap % f.deep, "tap": tap,
            J.name: self.columns.filter(channel),
        }  # fmt: skip
        offset = substitute(_flat(f) or f.b.offset, found)
        raw = STAGED if f.b.dtype is f.compute else STAGED_RAW
        guard = (less(tap, self.elements), less(found[J.name], f.n))
        nodes: list[Node] = [Load(raw, Access(f.b.operand, offset), Transfer.GATHER, guard)]
        if raw is not STAGED:
            nodes.append(Compute(STAGED, Accumulator(0), f.compute, (raw,)))
        row = tap + self.before if self.before else tap
        return (*nodes, *(Store(BufferRef(FILTERS, (row, place)), STAGED, Transfer.GATHER) for place in places))


def _flat(form: Depthwise) -> Index | None:
    """Return the offset of a filter's element by its number ``tap``, where all elements lie at one distance; else None."""
    flat = substitute(form.b.offset, {R.name: Const(0), S.name: Sym("tap")})
    down = substitute(form.b.offset, {R.name: Const(1), S.name: Const(0)})
    return flat if form.deep == 1 and down == substitute(flat, {"tap": Const(form.taps[1])}) else None
