# SPDX-License-Identifier: MIT
"""How a launch of the CPU's strips is divided: lines or channels among the workers, and how many lines pass at a time."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.worker_strips import CHANNEL_SPLITS, LINES_EACH
from tracea_core.semantic.depthwise import LoweredDepthwise
from tracea_core.semantic.index import evaluate
from tracea_core.target import CapabilityProfile

_ALONE_BELOW = 1 << 17
"""Multiply-adds under which waking other workers costs more than they save: 2 µs at 60 G multiply-adds a second."""
_COPY = 2
"""Multiply-adds of a vector in whose time an element of a filter is copied, for each of its channels."""
_WORTH = 0.95
"""Part of the time from which on channels are cut: each worker then reads pieces of a pixel's channels."""
_DEFAULT_CACHE = 32 << 10


def strip_symbols(
    lowered: LoweredDepthwise, configuration: PipelineConfig, profile: CapabilityProfile
) -> dict[str, int]:
    """Return every symbol's value for one launch.

    Workers that share the channels copy each filter once, those that share the lines each copy all of them; so the channels are shared
    where there are few lines. Lines pass together as long as the rows that they read fit half of the first cache.
    """
    values, form = lowered.symbols, lowered.form
    pixels, lines, channels = (int(evaluate(extent, values)) for extent in (form.m, form.items, form.n))
    taps = form.taps[0] * form.taps[1]
    columns = -(-channels // configuration.tile_n)
    workers = 1 if pixels * lines * channels * taps <= _ALONE_BELOW else profile.processors
    values["workers"] = workers
    copied = _COPY * profile.lanes

    def cost(splits: int) -> float:
        rows = max(workers // splits, 1)
        return -(-columns // splits) * (-(-lines // rows) * pixels + copied)

    splits = 1
    for count in range(2, workers + 1):
        if workers % count == 0 and cost(count) < _WORTH * cost(splits):
            splits = count
    first = next((cache.bytes for cache in profile.caches if cache.level == 1), _DEFAULT_CACHE)
    row = pixels * form.stride[1] * configuration.tile_n * form.image.dtype.bytes
    reach = (form.taps[0] - 1) * form.dilation[0]
    together = (first // 2 // max(row, 1) - reach) // form.stride[0]
    return values | {ROW_SPLITS: max(workers // splits, 1), CHANNEL_SPLITS: splits, LINES_EACH: max(together, 1)}
