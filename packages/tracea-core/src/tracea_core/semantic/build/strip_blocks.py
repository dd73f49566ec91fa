# SPDX-License-Identifier: MIT
"""How many blocks take a GPU's strips: as many as run at once, dealt so that each takes as many strips as the others."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.index import Const, Index, ceil_div, maximum
from tracea_core.target import CapabilityProfile


def blocks(
    configuration: PipelineConfig, profile: CapabilityProfile, strips: Index, channels: Index, registers: int
) -> Index:
    """Return the number of blocks whose warps take so many strips of each column of channels, with so many registers a thread."""
    columns, rows = ceil_div(channels, configuration.tile_n), ceil_div(strips, configuration.warps)
    at_once = maximum(Const(profile.processors * together(configuration, profile, registers)) // maximum(columns, 1), 1)
    return ceil_div(rows, maximum(ceil_div(rows, at_once), 1)) * columns


def together(configuration: PipelineConfig, profile: CapabilityProfile, registers: int) -> int:
    """Return how many blocks of so many registers a thread share a processor."""
    return max(profile.registers_per_processor // (registers * configuration.warps * profile.lanes), 1)
