# SPDX-License-Identifier: MIT
"""Filters of strips side by side: several elements on the way at a time, and rows of channels repeated until banks follow on.

Each load of a filter's element waits for memory; where one is asked for after the other has come, a block begins that much later. So a
lane asks for a few runs of elements before it stores the first. Where a strip's channels end within a warp, its next lanes read the first
channels again, and these have to lie in the banks that follow: the channels are there as often as it takes.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.staged_filters import TAPS, StagedFilters
from tracea_core.semantic.build.strip_columns import StripColumns
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import COLUMN, ROW, Const, Sym
from tracea_core.semantic.steps import Loop, Node
from tracea_core.target import CapabilityProfile

_HELD = 8
"""Elements that a lane asks for at a time, at most."""


class FilterBatches(StagedFilters):
    """The filters of a tile whose strips lie side by side."""

    def __init__(
        self, form: Depthwise, configuration: PipelineConfig, profile: CapabilityProfile, columns: StripColumns
    ) -> None:
        super().__init__(form, configuration, profile, columns)
        # of a run of elements a warp brings so many runs of channels; what is too much of them goes where nobody reads
        self.each = -(-self.groups // configuration.warps)
        self.runs = -(-self.elements // TAPS)
        most = min(max(_HELD // max(self.each, 1), 1), self.runs)
        self.together = next(count for count in range(most, 0, -1) if self.runs % count == 0)
        self.held = self.each * self.together

    def stage(self) -> Node:
        """Copy the filters of the tile's channels into shared memory, as often as they are needed there."""
        number = ROW // TAPS
        run = number // self.each
        if self.together < self.runs:
            run = Sym("stage") * self.together + run
        group = number % self.each * self.config.warps + WARP
        channel = group * self.across + COLUMN
        copies = (channel + copy * self.columns.filters if copy else channel for copy in range(self.columns.copies))
        nodes = self._brought(run * TAPS + ROW % TAPS, channel, copies)
        return Loop("stage", Const(0), Const(self.runs // self.together), nodes)
