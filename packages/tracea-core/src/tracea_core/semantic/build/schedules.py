# SPDX-License-Identifier: MIT
"""The schedules by name, and the launch symbols that each of them leaves open.

A variant names one of these. Launch symbols are integers that change how work is divided but not what is computed, so they are
chosen for each shape at launch and do not make another kernel.

What builds a schedule is imported when a kernel of it is asked for: a process that finds all its plans known builds none.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tracea_core.doctor.depthwise import DEPTHWISE, PLANE_LANES, PLANES, STRIPS
from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.low_rank import SCHEDULE as LOW_RANK
from tracea_core.doctor.variants import Variant
from tracea_core.doctor.winograd import WINOGRAD
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.auxiliary import store_auxiliaries
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.depthwise import Depthwise, LoweredDepthwise
from tracea_core.semantic.forms import AnyLowered, Form
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lower import Lowered
from tracea_core.semantic.lower_chained import LoweredChain
from tracea_core.semantic.lower_rowwise import LoweredRows
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.target import CapabilityProfile

Builder: TypeAlias = Callable[[Contraction, PipelineConfig, CapabilityProfile, Variant, str], SemanticKernel]
ChainBuilder: TypeAlias = Callable[[Chained, PipelineConfig, CapabilityProfile, Variant, str], SemanticKernel]
RowBuilder: TypeAlias = Callable[[Rowwise, PipelineConfig, CapabilityProfile, Variant, str], SemanticKernel]
StripBuilder: TypeAlias = Callable[[Depthwise, PipelineConfig, CapabilityProfile, Variant, str], SemanticKernel]


def _panel(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.panel import panel_kernel

    return panel_kernel(c, config, profile, variant.name, name)


def _winograd(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.winograd import winograd_kernel

    return winograd_kernel(c, config, profile, variant.name, name)


def _specialized(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.specialized import specialized_kernel

    return specialized_kernel(c, config, profile, variant.name, name)


def _multistage(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.multistage import multistage_kernel
    from tracea_core.semantic.build.opaque_tiles import opaque_kernel

    build = opaque_kernel if instruction(variant.instruction).opaque else multistage_kernel
    return build(c, config, profile, variant.name, name, variant.instruction)


def _few_rows(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.few_rows import few_rows_kernel

    return few_rows_kernel(c, config, profile, variant.name, name)


def _rows(
    form: Rowwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.rows import rows_kernel

    return rows_kernel(form, config, profile, variant.name, name)


def _warp_rows(
    form: Rowwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    if config.row_block:
        from tracea_core.semantic.build.block_rows import block_rows_kernel
        from tracea_core.semantic.build.waiting_rows import waiting_rows_kernel

        if config.block_k > config.tile_n:
            return waiting_rows_kernel(form, config, profile, variant.name, name)
        return block_rows_kernel(form, config, profile, variant.name, name)
    from tracea_core.semantic.build.warp_rows import warp_rows_kernel

    return warp_rows_kernel(form, config, profile, variant.name, name)


def _chain(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.chain import chain_kernel

    return chain_kernel(form, config, profile, variant.name, name)


def _warp_chain(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.warp_chain import warp_chain_kernel

    return warp_chain_kernel(form, config, profile, variant.name, name, variant.instruction)


def _specialized_chain(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.specialized_chain import specialized_chain_kernel

    return specialized_chain_kernel(form, config, profile, variant.name, name, variant.instruction)


def _staged_chain(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.staged_chain import staged_chain_kernel

    return staged_chain_kernel(form, config, profile, variant.name, name, variant.instruction)


def _dots(
    c: Contraction, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.dots import dots_kernel

    return dots_kernel(c, config, profile, variant.name, name, variant.instruction)


def _low_rank(
    form: Chained, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.low_rank import low_rank_kernel

    return low_rank_kernel(form, config, profile, variant.name, name, variant.instruction)


def _depthwise(
    form: Depthwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.depthwise import depthwise_kernel
    from tracea_core.semantic.build.rolling_strips import rolls
    from tracea_core.semantic.build.staged_strips import rolling_kernel

    if config.halo:
        from tracea_core.semantic.build.banded_strips import banded_kernel

        return banded_kernel(form, config, profile, variant.name, name)
    build = rolling_kernel if rolls(config) else depthwise_kernel
    return build(form, config, profile, variant.name, name)


def _planes(
    form: Depthwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.plane_bands import banded_planes_kernel

    return banded_planes_kernel(form, config, profile, variant.name, name)


def _plane_lanes(
    form: Depthwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.plane_lanes import lane_planes_kernel

    return lane_planes_kernel(form, config, profile, variant.name, name)


def _strips(
    form: Depthwise, config: PipelineConfig, profile: CapabilityProfile, variant: Variant, name: str
) -> SemanticKernel:
    from tracea_core.semantic.build.worker_strips import strips_kernel

    return strips_kernel(form, config, profile, variant.name, name)


GATHERS = "multistage"
"""The schedule that reads images element by element, and may look their coordinates up."""
RINGS = "warp_specialized"
"""The schedule of producers and consumers."""
_KNOWN_TO_ONE = (
    ("hoisted", GATHERS, "looks no coordinates up"),
    ("divided", GATHERS, "divides for no coordinates"),
    ("returning", RINGS, "takes no reduction backwards"),
    ("scale_boxes", RINGS, "brings no scales as boxes"),
)
"""Fields of configurations that one schedule alone knows, and what the others say of them."""
LISTED = (GATHERS, "panel")
"""The schedules whose reductions may go over lists of blocks."""
CHAIN_BUILDERS: dict[str, ChainBuilder] = {
    "chain": _chain, "warp_chain": _warp_chain, "staged_chain": _staged_chain, "specialized_chain": _specialized_chain,
    LOW_RANK: _low_rank,
}  # fmt: skip
"""Schedules of chained contractions by the name that variants use."""
ROW_BUILDERS: dict[str, RowBuilder] = {"rows": _rows, "warp_rows": _warp_rows}
"""Schedules of row-wise ops by the name that variants use."""
STRIP_BUILDERS: dict[str, StripBuilder] = {
    DEPTHWISE: _depthwise, PLANES: _planes, PLANE_LANES: _plane_lanes, STRIPS: _strips,
}  # fmt: skip
"""Schedules of depthwise convolutions by the name that variants use."""
BUILDERS: dict[str, Builder] = {
    "panel": _panel, "dots": _dots, "warp_specialized": _specialized, "multistage": _multistage, WINOGRAD: _winograd,
    FEW_ROWS: _few_rows,
}  # fmt: skip
"""Schedules by the name that variants use."""
SCHEDULES = {
    "contraction": (*BUILDERS, *STRIP_BUILDERS),
    "rowwise": tuple(ROW_BUILDERS),
    "chained": tuple(CHAIN_BUILDERS),
}
"""Names of schedules by family."""


def build_kernel(
    form: Form, configuration: PipelineConfig, profile: CapabilityProfile, variant: Variant
) -> SemanticKernel:
    """Return the semantic kernel of `variant`'s schedule.

    Raises
    ------
    ConfigurationError
        If no schedule has that name, or the configuration does not fit the problem or the device.
    """
    return store_auxiliaries(_built(form, configuration, profile, variant))


def _built(form: Form, configuration: PipelineConfig, profile: CapabilityProfile, variant: Variant) -> SemanticKernel:
    """Return the kernel as it reads every operand of its epilogue, even those that second results are stored to."""
    name = kernel_name(form, configuration)
    for field, schedule, does in _KNOWN_TO_ONE:
        if configuration.value(field) and variant.schedule != schedule:
            raise ConfigurationError(
                f"the schedule {variant.schedule} {does}", hint=f"Leave {field} out", variant=variant.name
            )
    if isinstance(form, Contraction) and form.lists is not None and variant.schedule not in LISTED:
        raise ConfigurationError(f"the schedule {variant.schedule} goes over no lists of blocks", variant=variant.name)
    if isinstance(form, Rowwise) and variant.schedule in ROW_BUILDERS:
        return ROW_BUILDERS[variant.schedule](form, configuration, profile, variant, name)
    if isinstance(form, Depthwise) and variant.schedule in STRIP_BUILDERS:
        return STRIP_BUILDERS[variant.schedule](form, configuration, profile, variant, name)
    if isinstance(form, Contraction) and variant.schedule in BUILDERS:
        return BUILDERS[variant.schedule](form, configuration, profile, variant, name)
    if isinstance(form, Chained) and variant.schedule in CHAIN_BUILDERS:
        return CHAIN_BUILDERS[variant.schedule](form, configuration, profile, variant, name)
    known = ROW_BUILDERS if isinstance(form, Rowwise) else CHAIN_BUILDERS if isinstance(form, Chained) else BUILDERS
    raise ConfigurationError(
        f"no schedule is called {variant.schedule!r}", hint="Known: " + ", ".join(known), variant=variant.name
    )


def first_buildable(
    lowered: AnyLowered, candidates: Sequence[PipelineConfig], profile: CapabilityProfile, variant: Variant
) -> PipelineConfig:
    """Return the first of `candidates` from which `variant`'s schedule can build a kernel that the problem's sizes suit.

    Where none suits them, accesses are narrowed, those of the output first: an extent can be odd though all strides are even. Where that
    does not help either, tiles are shared by more warps: elements that move one by one take registers for their addresses.

    Raises
    ------
    ConfigurationError
        With the reason against the first, if none can be built.
    """
    refused: ConfigurationError | None = None
    values = lowered.symbols
    narrower = (
        narrow for output in (True, False) for width in _NARROWER for narrow in _narrowed(candidates, width, output)
    )
    every = (*candidates, *narrower)
    for candidate in itertools.chain(every, _shared_by_more(every, profile)):
        try:
            kernel = build_kernel(lowered.form, candidate, profile, variant)
            for symbol in kernel.symbols:
                if not symbol.admits(values.get(symbol.name, symbol.minimum)):
                    raise ConfigurationError(
                        f"{symbol.name} = {values[symbol.name]} lies outside what the kernel serves",
                        multiple=symbol.multiple,
                    )
        except ConfigurationError as error:
            refused = refused or error
        else:
            return candidate
    raise refused or ConfigurationError("there is no configuration to build from", variant=variant.name)


_SHARED, _MOST_WARPS = (2, 4), 32
"""Times as many warps as a tile is shared by where registers of fewer do not hold it."""


def _shared_by_more(candidates: Sequence[PipelineConfig], profile: CapabilityProfile) -> Iterator[PipelineConfig]:
    """Yield candidates of more warps that take one step of k at a time, so that a thread holds fewer addresses."""
    for times in _SHARED:
        for candidate in candidates:
            warps = candidate.warps * times
            if profile.lanes > 1 and warps <= _MOST_WARPS and warps * profile.lanes <= profile.max_threads_per_block:
                yield candidate.replace(warps=warps, unroll_k=1)


_NARROWER = (4, 2, 1)
"""Elements that accesses are narrowed to."""


def _narrowed(candidates: Sequence[PipelineConfig], width: int, output: bool) -> list[PipelineConfig]:
    """Candidates with accesses of so many elements at most, those of the output alone or all."""
    fields = ("vector_c",) if output else ("vector_a", "vector_b", "vector_c")
    found = [config.replace(**{field: min(getattr(config, field), width) for field in fields}) for config in candidates]
    return [narrow for narrow in dict.fromkeys(found) if narrow not in candidates]


def kernel_name(form: Form, configuration: PipelineConfig) -> str:
    """Return an identifier that says what the kernel is: op, types, tile, and a digest of the rest."""
    words = re.sub(r"[^a-z0-9]+", "_", form.title.split(",")[0].lower()).strip("_")
    tile = f"{configuration.tile_m}x{configuration.tile_n}x{configuration.tile_k}"
    return f"{words[:28]}_{tile}_{form.digest()[:8]}"


def launch_symbols(
    lowered: AnyLowered, configuration: PipelineConfig, profile: CapabilityProfile, schedule: str
) -> dict[str, int]:
    """Return every symbol's value for one launch of a kernel built by `schedule`.

    For the panel schedule this decides how rows, columns and the reduction are cut (`tracea_core.semantic.build.shares`).
    """
    if isinstance(lowered, Lowered) and schedule == "panel":
        from tracea_core.semantic.build.shares import panel_symbols

        return panel_symbols(lowered, configuration, profile)
    if isinstance(lowered, Lowered) and schedule == WINOGRAD:
        from tracea_core.semantic.build.winograd_shares import winograd_symbols

        return winograd_symbols(lowered, configuration, profile)
    if isinstance(lowered, Lowered) and schedule == "dots":
        from tracea_core.semantic.build.shares import dots_symbols

        return dots_symbols(lowered, configuration, profile)
    if isinstance(lowered, LoweredDepthwise) and schedule == STRIPS:
        from tracea_core.semantic.build.strip_shares import strip_symbols

        return strip_symbols(lowered, configuration, profile)
    if isinstance(lowered, LoweredChain) and schedule == "chain":
        from tracea_core.semantic.build.chain_shares import chain_symbols

        return chain_symbols(lowered, configuration, profile)
    if isinstance(lowered, LoweredChain) and schedule == LOW_RANK:
        from tracea_core.semantic.build.chain_shares import low_rank_symbols

        return low_rank_symbols(lowered, configuration, profile)
    if isinstance(lowered, LoweredRows) and schedule == "rows":
        from tracea_core.semantic.build.row_shares import row_symbols

        return row_symbols(lowered, profile)
    return lowered.symbols
