# SPDX-License-Identifier: MIT
"""Channels filtered on their own by matrix instructions (`tracea_core.semantic.build.banded_strips`): where, and in which strips.

An instruction multiplies a row of a filter with eight lines in the time in which lanes would multiply a few of its elements, so bands
are worth it where filters are large: on an H200 7×7 took 0.70 to 0.85 of the time of lanes on images of 7² to 56², 5×5 0.71 and 0.82 on
14² but 1.14 on 7² and 1.4 on 28², where a line is not there whole, and 3×3 more than twice as long where images are large. At a stride of
two, where a band has as many zeros again, 5×5 took 0.85 on 14² and 1.17 on 28².
"""

from __future__ import annotations

from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import AsyncCopyKind, CapabilityProfile

_PIXELS, _LINES, _RUN = 16, 8, 8
"""Pixels and lines that an instruction multiplies, and channels of a warp."""
_MOST_APART = 3
"""Columns that neighbouring pixels are apart at most."""
_WIDEST = 7
"""Elements of a row of the filter at most."""
_LARGE, _MIDDLE = 49, 25
"""Elements of filters that are filtered so on all images, and where lines are there whole, more of them than an instruction multiplies."""
_WARPS = (4, 2)


def banded_strips(operator: OperatorTopology, profile: CapabilityProfile) -> tuple[PipelineConfig, ...]:
    """Return strips of bands for 16-bit images whose pixels are whole runs of eight channels; nothing for others, or other devices."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    size = operator.dtype.bytes
    aligned = min(operator.alignment, operator.whole_runs, operator.stored_alignment) >= _RUN * size
    able = profile.vendor == "nvidia" and AsyncCopyKind.CP_ASYNC in profile.async_copies
    plain = kind.alone and kind.dilation == 1 and kind.stride <= _MOST_APART and kind.columns <= _WIDEST
    if not (able and plain and aligned and size == operator.stored.bytes == 2):
        return ()
    # strips of 16 lines read fewer rows twice, where images have as many
    heights = (2 * _LINES, _LINES) if kind.lines > _LINES else (_LINES,)
    # short lines are there whole, so that the next strip's fit beside them
    stages = (2, 1) if operator.m <= _PIXELS else (1, 2)
    found = [
        PipelineConfig(
            tile_m=_PIXELS, tile_n=_RUN * warps, tile_k=lines, stages=slots, warps=warps, vector_a=_RUN, vector_c=_RUN, halo=True
        )
        for lines in heights
        for slots in stages
        for warps in _WARPS
    ]  # fmt: skip
    return tuple(
        sorted(found, key=lambda strip: _idle(_blocks(strip, operator, kind), strip.stages, profile.processors))
    )


def leads(operator: OperatorTopology) -> bool:
    """Return whether an untuned call begins with bands."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    elements = kind.rows * kind.columns
    whole = kind.lines > _LINES and operator.m <= _PIXELS
    return kind.stride == 1 and (elements >= _LARGE or (elements >= _MIDDLE and whole))


def _idle(blocks: int, stages: int, processors: int) -> tuple[int, int]:
    """Where large strips would leave processors idle small ones come first, beside each of which no next one is copied."""
    return (processors - blocks, stages) if blocks < processors else (0, 0)


def _blocks(strip: PipelineConfig, operator: OperatorTopology, kind: Channelwise) -> int:
    heights = -(-kind.lines // strip.tile_k)
    images = operator.batch // kind.lines
    return images * heights * -(-operator.m // strip.tile_m) * -(-operator.n // strip.tile_n)
