# SPDX-License-Identifier: MIT
"""Strips of depthwise convolutions that walk down an image: how many pixels and lines a warp takes.

Where images go to memory and back, a step of a walk takes as long as the row that it loaded a step before needs to come, and blocks that
do not fit beside the others wait for them. So

    cycles = rounds of blocks · (steps · max(latency, instructions of a scheduler's warps) + beginning)

On an H200 64×144×56² by 3×3 took 54.4 µs so, and 63.1 with strips that do not walk (copy 32.6, cuDNN 53.6); 64×32×112² took 46.6 and 65.4
(copy 30.5, cuDNN 43.2). Images side by side cost more than they save where tiles are three quarters full (60.3 µs of 144 channels).
Images that stay in the second cache gain little: 64×384×14² took 14.4 µs either way.
"""

from __future__ import annotations

import math

from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_PIXELS = (8, 7, 6, 5)
_LINES = (14, 10, 7)
_CHANNELS, _WARPS, _STORED = 2, 4, 8
_COPIED = 4
"""Stages of walks whose rows wait in shared memory: tuners time them, untuned calls begin with rows in registers."""
_ELEMENTS = 9
"""Of a filter, so that those of two channels stay in registers."""
_LATENCY, _BEGIN = 2000, 1500
"""Cycles until a row comes while all load, and to begin a walk."""
_FIXED, _SCHEDULERS = 90, 4
_HELD, _SPARE = 9, 60
"""Registers of a lane for each of its pixels, and besides."""


def rolling_strips(operator: OperatorTopology, profile: CapabilityProfile) -> tuple[PipelineConfig, ...]:
    """Return the best walks for images of 16-bit elements that exceed the second cache; nothing where walking does not pay."""
    kind = operator.kind
    assert isinstance(kind, Channelwise)
    size, channels = operator.dtype.bytes, profile.lanes * _CHANNELS
    cache = next((one.bytes for one in profile.caches if one.level == 2), 0)
    plain = kind.alone and kind.dense and kind.stride == kind.dilation == 1 and kind.rows * kind.columns <= _ELEMENTS
    aligned = min(operator.alignment, operator.whole_runs, operator.stored_alignment) >= _STORED * size
    moved = 2 * operator.batch * operator.m * operator.n * size
    if not (
        profile.vendor == "nvidia"
        and plain
        and kind.rows > 1
        and size == operator.stored.bytes == 2
        and aligned
        and moved > cache > 0
    ):
        return ()
    images = operator.batch // kind.lines
    follow = 2 * operator.n <= channels
    columns = math.ceil(operator.n * (images if follow else 1) / channels)
    timed = []
    for pixels in _PIXELS:
        for lines in _LINES:
            if lines > kind.lines or pixels > operator.m:
                continue
            room = profile.registers_per_processor // ((_HELD * pixels + _SPARE) * _WARPS * profile.lanes)
            strips = math.ceil(kind.lines / lines) * math.ceil(operator.m / pixels) * (1 if follow else images)
            rounds = math.ceil(strips / _WARPS) * columns / (profile.processors * max(room, 1))
            rounds = (rounds + math.ceil(rounds)) / 2  # blocks do not end together
            step = (kind.rows * kind.columns * pixels * _CHANNELS + _FIXED) * max(room, 1) * _WARPS / _SCHEDULERS
            cycles = rounds * ((lines + kind.rows - 1) * max(_LATENCY, step) + _BEGIN)
            timed.append((cycles, -pixels, -lines))
    walks = tuple(
        PipelineConfig(
            tile_m=-pixels, tile_n=channels, tile_k=-lines, stages=2, warps=_WARPS, vector_a=_CHANNELS, vector_c=_STORED,
            unroll_k=kind.rows,
        )
        for _, pixels, lines in sorted(timed)[:2]
    )  # fmt: skip
    copied = (one.replace(stages=_COPIED, vector_a=_STORED) for one in walks)
    return (*walks, *copied)
