# SPDX-License-Identifier: MIT
"""How a launch by minimal filtering is divided: tiles of pixels or panels of filters for each worker, and how many tiles at a time."""

from __future__ import annotations

import itertools

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.blocked import COLUMN_SPLITS
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.turned_filters import PLACES, TILE
from tracea_core.semantic.build.winograd import TILES_EACH, least_tiles
from tracea_core.semantic.index import evaluate, symbols
from tracea_core.semantic.lower import Lowered
from tracea_core.semantic.quotient import reciprocals
from tracea_core.target import CapabilityProfile

_MOST_TILES = 96
"""Tiles at a time: 98 took as long as 49 at 28² and 56², and 0.97 of it at 14²."""
_TURN = 400
"""Cycles in which a vector of channels of a tile is read, turned and written to 16 places, which workers that share the tiles do once each:
8 images of 128 channels of 28×28 pixels took 4.5 ms with tiles shared out, 5.7 with panels; of 256 of 14×14 5.1 and 4.8."""
_OWN_BYTES, _OTHERS_BYTES = 8, 1
"""Bytes of turned filters that are read in a cycle: a worker's own, and those that another one has just written. 8 images of 512
channels of 7×7 pixels took 9.2 ms where both workers read all filters, 6.3 where each reads those that it has turned."""
_DEFAULT_CACHE = 1 << 20


def winograd_symbols(lowered: Lowered, configuration: PipelineConfig, profile: CapabilityProfile) -> dict[str, int]:
    """Return every symbol's value for one launch: the division that takes the busiest worker the fewest cycles by estimate."""
    values, c = lowered.symbols, lowered.contraction
    channels = values["k_c"]
    pixels, filters, images = (int(evaluate(extent, values)) for extent in (c.n, c.m, c.items))
    width = max(values["out_width"], 1)
    lines = -(-pixels // width)
    tiles = images * -(-lines // TILE) * -(-width // TILE)
    panels, workers = -(-filters // configuration.tile_n), profile.processors
    second = next((cache.bytes // cache.shared_by for cache in profile.caches if cache.level == 2), _DEFAULT_CACHE)
    tile_bytes = PLACES * max(channels, 1) * c.compute.bytes
    fewest = least_tiles(configuration.tile_m)
    most = max(min(2 * second // tile_bytes, _MOST_TILES), fewest)

    def cost(rows: int, parts: int) -> float:
        own, read = -(-tiles // rows), -(-panels // parts) * configuration.tile_n * tile_bytes
        multiplied = own * -(-panels // parts) * configuration.tile_n * channels * PLACES / profile.lanes
        others = read * (1 - 1 / rows)
        passed = read * -(-own // most) - others
        return multiplied + own * channels * _TURN / profile.lanes + others / _OTHERS_BYTES + passed / _OWN_BYTES

    pairs = [(r, q) for r, q in itertools.product(range(1, workers + 1), repeat=2) if r * q == workers]
    rows, parts = min(pairs, key=lambda pair: cost(*pair))
    high = configuration.tile_m  # whole register tiles, so that none but the last of all has empty rows
    own, held = -(-max(-(-tiles // rows), 1) // high), -(-most // high)
    each = max(-(-own // -(-own // held)) * high, fewest)
    values |= {ROW_SPLITS: rows, COLUMN_SPLITS: parts, TILES_EACH: each, "workers": workers}
    return values | reciprocals(values, symbols(c.n) | {"out_width"})
