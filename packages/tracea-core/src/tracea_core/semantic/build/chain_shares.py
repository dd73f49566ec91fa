# SPDX-License-Identifier: MIT
"""How a launch of a chain is divided: on a CPU each item's rows, so that workers end together; a low-rank product's columns on a GPU."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.low_rank_rules import sharers
from tracea_core.semantic.build.chain import SPLITS
from tracea_core.semantic.build.low_rank import COLUMN_SPLITS
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.lower_chained import LoweredChain
from tracea_core.target import CapabilityProfile

_ALONE_BELOW = 1 << 17
"""Multiply-adds under which waking other workers costs more than they save."""
_PARTS_PER_WORKER = 4
"""Parts of unequal length, as under a causal mask, even out over so many for each worker."""
_LEAST_TILES = 8
"""Tiles of rows that make up for packing the keys again."""


def chain_symbols(lowered: LoweredChain, configuration: PipelineConfig, profile: CapabilityProfile) -> dict[str, int]:
    """Return every symbol's value for one launch, and the number of workers."""
    values, form = lowered.symbols, lowered.form
    items, m, n, k, keys = (int(evaluate(e, values)) for e in (form.items, form.m, form.n, form.k, form.keys))
    workers = 1 if items * m * keys * (k + n) <= _ALONE_BELOW else profile.processors
    wanted = -(-workers * _PARTS_PER_WORKER // max(items, 1)) if workers > 1 else 1
    tiles = -(-m // configuration.tile_m)
    splits = max(1, min(wanted, tiles // _LEAST_TILES))
    if items * splits < workers:
        splits = max(1, min(tiles, -(-workers // max(items, 1))))
    return {**values, "workers": workers, SPLITS: splits}


def low_rank_symbols(
    lowered: LoweredChain, configuration: PipelineConfig, profile: CapabilityProfile
) -> dict[str, int]:
    """Return every symbol's value for one launch: as many blocks share the columns of rows as processors would else be idle."""
    values, form = lowered.symbols, lowered.form
    items, m, n = (int(evaluate(extent, values)) for extent in (form.items, form.m, form.n))
    blocks = items * -(-m // configuration.tile_m)
    return {**values, COLUMN_SPLITS: sharers(blocks, -(-n // configuration.tile_n), profile.processors)}
