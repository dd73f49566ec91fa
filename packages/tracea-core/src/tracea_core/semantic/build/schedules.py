# SPDX-License-Identifier: MIT
"""The schedules by name, and the launch symbols that each of them leaves open.

A variant names one of these. Launch symbols are integers that change how work is divided but not what is computed, so they are
chosen for each shape at launch and do not make another kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from tracea_core.doctor.variants import Variant
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.build.register_tile import ROW_SPLITS
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered
from tracea_core.target import CapabilityProfile

Builder: TypeAlias = Callable[[Contraction, PipelineConfig, CapabilityProfile, Variant, str], SemanticKernel]


def _panel(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    return panel_kernel(c, config, profile, variant.name, name)


def _specialized(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    return specialized_kernel(c, config, profile, variant.name, name)


def _multistage(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    return multistage_kernel(c, config, profile, variant.name, name, variant.instruction)


BUILDERS: dict[str, Builder] = {"panel": _panel, "warp_specialized": _specialized, "multistage": _multistage}
"""Schedules by the name that variants use."""

_ALONE_BELOW = 1 << 18
"""Multiply-adds under which waking other workers costs more than they save: 2 µs at 100 G multiply-adds a second."""
_PACK_ROWS = 8
"""Copying one row of a panel costs about as much as this many rows of multiply-adds (measured on AVX2, 24 columns)."""
_MOST_SPLITS = 64


def build_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: Variant
) -> SemanticKernel:
    """Return the semantic kernel of `variant`'s schedule.

    Raises
    ------
    ConfigurationError
        If no schedule has that name, or the configuration does not fit the problem or the device.
    """
    builder = BUILDERS.get(variant.schedule)
    if builder is None:
        raise ConfigurationError(
            f"no schedule is called {variant.schedule!r}", hint="Known: " + ", ".join(BUILDERS), variant=variant.name
        )
    return builder(contraction, configuration, profile, variant, kernel_name(contraction, configuration))


def kernel_name(contraction: Contraction, configuration: PipelineConfig) -> str:
    """Return an identifier that says what the kernel is: op, types, tile, and a digest of the rest."""
    words = re.sub(r"[^a-z0-9]+", "_", contraction.title.split(",")[0].lower()).strip("_")
    tile = f"{configuration.tile_m}x{configuration.tile_n}x{configuration.tile_k}"
    return f"{words[:28]}_{tile}_{contraction.digest()[:8]}"


def launch_symbols(
    lowered: Lowered, configuration: PipelineConfig, profile: CapabilityProfile, schedule: str
) -> dict[str, int]:
    """Return every symbol's value for one launch of a kernel built by `schedule`.

    For the panel schedule this decides into how many parts the rows are cut. More parts balance the workers and keep the rows of A
    in the cache, but each part packs its panels again.
    """
    values = lowered.symbols
    if schedule != "panel":
        return values
    c = lowered.contraction
    m, n, items = (int(evaluate(extent, values)) for extent in (c.m, c.n, c.items))
    k = 1
    for axis in c.k_axes:
        k *= int(evaluate(axis.extent, values))
    alone = m * n * k * items * c.gates <= _ALONE_BELOW
    workers = 1 if alone else profile.processors
    values["workers"] = workers
    row_tiles, panels = -(-m // configuration.tile_m), -(-n // configuration.tile_n)
    last_level = max((cache.bytes // cache.shared_by for cache in profile.caches), default=1 << 20)
    kept = max(1, -(-(m * k * c.a.dtype.bytes) // max(last_level, 1)))
    best, best_cost = 1, float("inf")
    for splits in range(1, max(1, min(_MOST_SPLITS, row_tiles)) + 1):
        units = items * panels * splits
        rows = -(-row_tiles // splits) * configuration.tile_m
        cost = (
            -(-units // workers) * (rows + _PACK_ROWS) * (1.0 if splits >= min(kept, row_tiles, _MOST_SPLITS) else 1.25)
        )
        if cost < best_cost * 0.999:
            best, best_cost = splits, cost
    values[ROW_SPLITS] = best
    return values
