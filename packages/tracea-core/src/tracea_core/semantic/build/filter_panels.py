# SPDX-License-Identifier: MIT
"""Filters as panels for a sweep by windows, which goes along rows, columns and then channels of a filter.

Filters that are runs of memory in this order are packed like the matrix that they are. Those that are runs in another order, as planar
ones with their channels outermost, are read along their runs as well: square blocks are turned in registers, and each element's
coordinates are divided out of its place in the run, by way of reciprocals, to find its row in the panel. Gathering them would fetch a
line of memory for every element. Blocks ask for what lies some lines further along each filter.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.asked_lines import block_asks
from tracea_core.semantic.build.register_tile import RegisterTile, at
from tracea_core.semantic.contraction import Contraction, J, KAxis
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, divided_by, substitute
from tracea_core.semantic.quotient import multiplied
from tracea_core.semantic.steps import Node
from tracea_core.target import CapabilityProfile

SWEPT = ("r", "s", "c")
"""Axes of the reduction in the order in which windows are swept, and the rows of a panel follow one another."""
_PLACE = "filter_at"
_BLOCKS_AHEAD = 8
"""Blocks between asking for one and reading it. One core of Zen 4, as 8 images need them: filters of 3×3, 512 by 512 channels, were packed
in 0.47 of the time, 256 by 256 in 0.4 to 0.8, 1×1 of 1024 to 512 in 0.6 to 0.74, of 2048 to 512 and of 512 to 2048 in 0.68. 4 blocks took
up to 1.15 times as long with 3×3 filters, 16 up to 1.1 with 1×1."""


class FilterPanels(RegisterTile):
    """What packs filters.

    Parameters
    ----------
    contraction : Contraction
        As it was lowered: its rows are the filters.
    swapped : Contraction
        The same with pixels as rows, whose reduction axes are those of `SWEPT`.
    """

    def __init__(
        self, contraction: Contraction, swapped: Contraction, configuration: PipelineConfig, profile: CapabilityProfile
    ) -> None:
        self._axes = {axis.name: axis for axis in contraction.k_axes}
        self._stored = tuple(self._axes)
        if contraction.a_step == Const(1):
            swapped = _as_runs(swapped)
        super().__init__(swapped, configuration, profile)
        at = self._row(Sym(_PLACE)) if self.turns else Const(0)
        self.divisors = frozenset(divided_by(at))

    def load_turned(self, first_column: Index, k: Index, gate: int) -> tuple[Node, ...]:
        """Load and turn a block of filters, and ask for what lies `_BLOCKS_AHEAD` further along them."""
        places = {J.name: first_column + COLUMN, _PLACE: k + ROW + _BLOCKS_AHEAD * self.lanes}
        asks = block_asks(self.c.b, at(self.c.b, places).offset, self.lanes)
        return (*asks, *super().load_turned(first_column, k, gate))

    def row_in_panel(self, k: Index) -> Index:
        """Return the row of the panel that holds the element at `k` of a filter's run."""
        return multiplied(self._row(k), self.divisors)

    def _row(self, k: Index) -> Index:
        if self._stored == SWEPT:
            return k
        places: dict[str, Index] = {}
        for name in reversed(self._stored[1:]):
            extent = self._axes[name].extent
            places[name], k = k % extent, k // extent
        places[self._stored[0]] = k
        row: Index = Const(0)
        for name in SWEPT:
            row = row * self._axes[name].extent + places[name]
        return row


def _as_runs(swapped: Contraction) -> Contraction:
    """Return `swapped` with a single reduction axis, along which each filter is one run of memory."""
    total: Index = Const(1)
    for axis in swapped.k_axes:
        total = total * axis.extent
    first = substitute(swapped.b.offset, dict.fromkeys(SWEPT, Const(0)))
    return swapped.replace(k_axes=(KAxis(_PLACE, total),), b=swapped.b.replace(offset=first + Sym(_PLACE)), halo=None)
