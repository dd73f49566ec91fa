# SPDX-License-Identifier: MIT
"""Channels filtered on their own by matrix instructions (`tracea_core.semantic.build.banded_strips`): which strips are worth a try."""

from __future__ import annotations

from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile

_PIXELS, _LINES, _RUN = 16, 8, 8
"""Pixels and lines that an instruction multiplies, and channels of a warp."""
_MOST_APART = 3
"""Columns that neighbouring pixels are apart at most."""
_WARPS = (4, 8)


def banded_strips(operator: OperatorTopology, profile: CapabilityProfile) -> tuple[PipelineConfig, ...]:
    """Return strips of bands for 16-bit images whose pixels are whole runs of eight channels; nothing for others, or other devices."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    size = operator.dtype.bytes
    aligned = min(operator.alignment, operator.whole_runs, operator.stored_alignment) >= _RUN * size
    able = profile.vendor == "nvidia" and AsyncCopyKind.CP_ASYNC in profile.async_copies
    plain = kind.alone and kind.dilation == 1 and kind.stride <= _MOST_APART
    if not (able and plain and aligned and size == operator.stored.bytes == 2):
        return ()
    # strips of 16 lines read fewer rows twice, where images have as many
    heights = (2 * _LINES, _LINES) if kind.lines > _LINES else (_LINES,)
    return tuple(
        PipelineConfig(
            tile_m=_PIXELS, tile_n=_RUN * warps, tile_k=lines, stages=1, warps=warps, vector_a=_RUN, vector_c=_RUN, halo=True
        )
        for lines in heights
        for warps in _WARPS
    )  # fmt: skip
