# SPDX-License-Identifier: MIT
"""Filters as panels for a sweep by windows, which goes along rows, columns and then channels of a filter.

Filters that are runs of memory in this order are packed like the matrix that they are. Those that are runs in another order, as planar
ones with their channels outermost, are read along their runs as well: square blocks are turned in registers, and each element's
coordinates are divided out of its place in the run, by way of reciprocals, to find its row in the panel. Gathering them would fetch a
line of memory for every element.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.register_tile import RegisterTile
from tracea_core.semantic.contraction import Contraction, KAxis
from tracea_core.semantic.index import Const, Index, Sym, divided_by, substitute
from tracea_core.semantic.quotient import multiplied
from tracea_core.target import CapabilityProfile

SWEPT = ("r", "s", "c")
"""Axes of the reduction in the order in which windows are swept, and the rows of a panel follow one another."""
_PLACE = "filter_at"


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
