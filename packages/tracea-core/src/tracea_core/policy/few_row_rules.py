# SPDX-License-Identifier: MIT
"""The rules for products of a few rows by lanes (`tracea_core.semantic.build.few_rows`): which columns a block takes, how deep steps are.

Every lane has a sum for each row and column of its own, so more columns reuse what is loaded of the rows, and fewer leave room for more
warps. Figures are those of an H200, in fp32, by weights that lie along the reduction where nothing else is said.
"""

from __future__ import annotations

from typing import NamedTuple

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace, distinct
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile

_RUN_BYTES, _LINE_BYTES = 16, 128
"""Of what a lane moves together, and of a row of weights along the columns that lanes read together, where there are many."""
_FEW, _SOME, _MANY = 2, 4, 8
"""Rows up to which what is loaded of them hardly counts, up to which a lane has registers for two steps of four columns in any block, and
up to which for two of two."""
_NARROW, _WIDE = 11, 22
"""Columns for each processor from which on blocks of several rows take eight, and sixteen: 8×4096×4096 took 30.9 µs with sixteen and 33.4
with eight, 8×2304×768 10.2 and 9.1."""
_SHORT, _SHORTER, _SHORTEST = 64, 16, 4
"""Runs of a reduction that one warp takes alone, in halves and quarters of its lanes and less: 1×100000×64 took 12.9 µs by four groups of
lanes and one warp, 16.4 by four warps."""
_DEEP = 256
"""The same from which on groups lie along the reduction in halves of a warp, where columns are few: 8×2048×2048 took 12.7 µs so and 13.6
in quarters, 8×3072×768 9.9 and 9.6."""
_LONG_STEPS, _MOST_WARPS = 32, 16
"""Steps of the reduction from which on columns fewer than processors have blocks of their own, and warps that share those at most:
1×10×25088 took 8.0 µs so, and 11.9 by eight warps with two columns each."""
_WAVES = 8
"""Blocks of a processor from which on fewer warps share a reduction: 8×32000×4096 took 158.8 µs by two, and 166.2 by eight."""
_GROUPS, _COLUMNS, _WARPS, _UNROLL = (1, 2, 4, 8), (4, 2, 1), (4, 8, 2, 1, 16), (2, 1, 4)
_OUTSIDE_REGISTERS = 32
"""Of a thread besides what is added up, loaded and addressed."""


class _Shape(NamedTuple):
    """Groups of lanes that take columns of their own, columns of a lane, steps in a row, and warps."""

    groups: int
    columns: int
    unroll: int
    warps: int


def lanes_go_along_the_reduction(
    decision: PolicyDecision, operator: OperatorTopology, profile: CapabilityProfile
) -> PolicyDecision:
    """Give each block columns of the weights, and its lanes runs along the reduction.

    Before, h200, 1×4096×4096 in fp32: nothing. After: ``1x4x128 s1 va4 vb4 u2`` first.
    """
    run = max(min(operator.alignment, operator.whole_runs, _RUN_BYTES) // operator.dtype.bytes, 1)
    rows = 1 << (max(operator.m, 1) - 1).bit_length()
    along_k = operator.b_along_k
    first = (_along_reduction if along_k else _along_columns)(operator, profile, rows, run)
    first = first._replace(groups=min(first.groups, profile.lanes // first.columns))
    columns = _COLUMNS if along_k else (run, 2 * run)
    every = [
        _Shape(groups, wide, unroll, warps)
        for groups in _GROUPS
        for wide in columns
        for warps in _WARPS
        for unroll in _UNROLL
    ]
    shapes = (first, *(shape for shape in every if shape.groups * shape.columns <= profile.lanes))
    heroes: tuple[PipelineConfig, ...] = ()
    while not heroes and rows:
        found = (_configuration(shape, rows, run, profile) for shape in shapes)
        heroes = distinct(
            tuple(hero for hero in found if needed_registers(hero, profile) <= registers_of_thread(hero, profile))
        )
        rows //= 2
    rows = heroes[0].tile_m if heroes else 1
    text = f"{rows} rows pass by each run of weights while it is in registers"
    fields = ("tile_k", "stages", "warps", "vector_a", "vector_b", "unroll_k")
    space = PrunedSpace(
        tiles=tuple(dict.fromkeys((hero.tile_m, hero.tile_n) for hero in heroes)),
        **{field: tuple(dict.fromkeys(getattr(hero, field) for hero in heroes)) for field in fields},
    )
    return decision.because("lanes go along the reduction", text, heroes=heroes, space=space)


def needed_registers(config: PipelineConfig, profile: CapabilityProfile) -> int:
    """Return the registers of a thread: a sum for each row and column of a lane, what is loaded in a row, and addresses of 64 bits."""
    run = config.vector_a
    columns = config.tile_n * (config.tile_k // run) // profile.lanes
    loaded = config.unroll_k * run * (columns + config.tile_m)
    return config.tile_m * columns + loaded + 2 * (columns + config.tile_m) + _OUTSIDE_REGISTERS


def registers_of_thread(config: PipelineConfig, profile: CapabilityProfile) -> int:
    """Return the registers that a thread may have where a block has a processor to itself."""
    return min(profile.registers_per_processor // (config.warps * profile.lanes), profile.max_registers_per_thread)


def _configuration(shape: _Shape, rows: int, run: int, profile: CapabilityProfile) -> PipelineConfig:
    return PipelineConfig(
        tile_m=rows, tile_n=shape.groups * shape.columns, tile_k=profile.lanes // shape.groups * run, stages=1, warps=shape.warps,
        vector_a=run, vector_b=run, unroll_k=shape.unroll,
    )  # fmt: skip


def _along_reduction(operator: OperatorTopology, profile: CapabilityProfile, rows: int, run: int) -> _Shape:
    """Return what suits weights along the reduction."""
    processors, columns, runs = profile.processors, operator.n * operator.batch, operator.k // run
    again = 1 if run * operator.dtype.bytes == _RUN_BYTES else 2  # more steps in a row of narrow loads
    if columns <= processors:
        steps = runs // profile.lanes
        alone, unroll = steps >= _LONG_STEPS or rows > _MANY, 4 if steps >= _LONG_STEPS and rows <= _MANY else 2
        most = _MOST_WARPS if rows <= _SOME else _MOST_WARPS // 2
        return _Shape(1, 1 if alone else 2, unroll, max(min(_floor(steps // unroll), most), 4))
    if runs <= _SHORT:
        groups = 2 if runs > _SHORTER else 4 if runs > _SHORTEST else 8
        return _Shape(groups, 4, 2 if rows <= _SOME and runs > profile.lanes // groups else 1, 1)
    if rows <= _FEW:
        waves = columns // 4 >= _WAVES * processors
        shared = columns < _WAVES * processors and runs >= _MOST_WARPS * profile.lanes
        most = min(_floor(runs // (2 * profile.lanes)), 4) if waves else 8 if shared else 4
        return _Shape(1, 4, 2 * again, most)
    if columns >= _WIDE * processors:
        waves = columns // 16 >= _WAVES * processors
        if rows <= _SOME:
            return _Shape(4, 4, 2 * again, 4 if waves else 8)
        if rows <= _MANY:
            return _Shape(4, 4, 2, 2) if waves else _Shape(4, 4, again, 8)
        return _Shape(4, 4, again, 2 if waves else 4)
    unroll = again if rows > _SOME else 2 * again
    if columns >= _NARROW * processors:
        if runs >= _DEEP:
            return _Shape(2, 4, unroll, 4)
        return _Shape(4, 2, again if rows > _MANY else 2 * again, 4)
    return _Shape(1, 4 if rows > _SOME else 2, unroll, 4)


def _along_columns(operator: OperatorTopology, profile: CapabilityProfile, rows: int, run: int) -> _Shape:
    """Return what suits weights along the columns: lanes side by side read lines of rows, or the two sectors of a few columns."""
    processors, columns = profile.processors, operator.n * operator.batch
    lines = min(_LINE_BYTES // (run * operator.dtype.bytes), profile.lanes)
    if run * operator.dtype.bytes < _RUN_BYTES:
        if columns < _WIDE * processors:
            return _Shape(8, run, 8 // run, 8)
        return _Shape(profile.lanes // 2, 2, 4, 8 if rows <= _FEW else 4)
    many = columns // (lines * run) >= _WAVES // 2 * processors
    if columns >= _WIDE * processors and many:
        if rows > _MANY:
            return _Shape(lines, run, 1, 2)
        return _Shape(lines, run, 1 if rows == 1 else 2, 4)
    if rows <= _SOME:
        return _Shape(2, run, 2, 8) if columns < _WIDE * processors else _Shape(lines, run, 2, _MOST_WARPS)
    if columns < _NARROW * processors:
        return _Shape(1, run, 1, 4)
    if rows > _MANY:
        return _Shape(lines, run, 1, 8)
    return _Shape(2, run, 1, 4) if columns < _WIDE * processors else _Shape(4, run, 1, 8)


def _floor(value: int) -> int:
    """The largest power of two that is no larger, at least 1."""
    return 1 << max(value.bit_length() - 1, 0)


def few_row_seconds(config: PipelineConfig, profile: CapabilityProfile, topology: OperatorTopology) -> float:
    """Return the time that its bytes take on their way from memory."""
    return topology.traffic / ((profile.memory_gbps or 100.0) * 1e9)


FEW_ROW_RULES = (lanes_go_along_the_reduction,)
"""All rules in the order in which they apply."""
