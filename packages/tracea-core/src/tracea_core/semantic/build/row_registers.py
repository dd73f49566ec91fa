# SPDX-License-Identifier: MIT
"""How many registers rows on a GPU take: what fragments hold at once, and with how many a compiler spills none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tracea_core.semantic.kernel import Fragment

if TYPE_CHECKING:
    from tracea_core.semantic.build.warp_rows import WarpRows

_WORD = 4
_CONVERTED, _SOME, _LEAST, _ONE_BY_ONE, _GRAIN = 16, 16, 40, 32, 8
"""Registers that conversions of up to 16 narrow elements take besides (of more, half as many), that any kernel takes, that one takes
besides one and a half for each element that moves by itself, and that threads get them by: kernels for sm_90a spill none with as many."""
_RUNS, _TESTS = 4, 5
"""Runs of a lane whose addresses and tests need no registers of their own, and what each of the others takes."""
_COMPILED, _QUARTERS = "sm_90a", 4
"""For which these kernels were compiled, and parts of its processors, each with registers of its own."""
_OUTSIDE_REGISTERS, _BESIDE_PARTS = 48, 14
"""Registers of a thread besides fragments: addresses, counters, masks. Of a row in parts little else is held at a time."""
_OF_PARTS, _PARTS, _OF_PART, _WARPS = 64, 4, 8, 8
"""Registers that suffice a thread with so many parts of so many 16-bit elements, where blocks have a multiple of so many warps: no softmax
or norm of 8, 16 or 32 spills for sm_90a. Softmaxes of 5, 7 or 10 do, and so do longer parts."""


def beside_fragments(rows: WarpRows) -> int:
    """Return how many registers a thread has besides fragments."""
    return _OUTSIDE_REGISTERS if rows.cut == 1 else _BESIDE_PARTS


def registers_of_fragments(rows: WarpRows, fragments: Sequence[Fragment]) -> int:
    """Return how many registers fragments hold at once: a statistic's terms and sums, or operands and results after the last one."""
    held = {f.name: -(-f.layout.registers * f.dtype.bytes // 4) for f in fragments}
    elements = sum(held.pop(one.name, 0) for one in rows.held)
    terms, results = (held.pop(one.name, 0) for one in (rows.term, rows.result))
    parts = [held.pop(one.name, 0) for one in rows.parts]
    held.pop(rows.power.name, 0)  # passes from step to step element by element, as terms do
    swept = sum(parts) if rows.running else max(parts, default=0)
    after = (
        sum(held.pop(one.name, 0) for one in rows.operands)
        + results
        + (terms if rows.keeps and rows.resident else elements)
    )
    return sum(held.values()) + max(elements + terms + swept, after)


def registers_that_suffice(rows: WarpRows) -> int:
    """Return the registers that suffice a thread; 0 if that is not known: of sm_90a it is, compilers for sm_80 take others.

    Of rows in registers whose elements move in runs most is held before the results of a norm leave, with what multiplies and is
    added to them, or between the terms of a softmax and its results. Narrow elements take some more to be converted.
    """
    if rows.profile.arch != _COMPILED or not rows.resident or rows.f.compute.bytes > _WORD:
        return 0
    if rows.cut > 1:
        known = rows.cut <= _PARTS and rows.x.layout.registers <= _OF_PART and rows.config.warps % _WARPS == 0
        return _OF_PARTS if known and rows.f.x.dtype.bytes < _WORD else 0
    if rows.width * rows.f.x.dtype.bytes <= _WORD:
        return -(-(_ONE_BY_ONE + 3 * rows.x.layout.registers // 2) // _GRAIN) * _GRAIN
    words = {f.name: -(-f.layout.registers * f.dtype.bytes // 4) for f in rows.every_fragment()}
    narrow, elements = rows.f.x.dtype.bytes < rows.f.compute.bytes, rows.x.layout.registers
    converted = _CONVERTED // (2 if elements > _SOME else 1) if narrow and not rows.keeps else 0
    others = (rows.term,) if rows.keeps else rows.operands
    held = sum(words[one.name] for one in (rows.x, rows.result, *others)) + converted
    least = max((2 if narrow else 3) * elements, _LEAST)
    own_rows = _GRAIN if rows.rows_of_block > 1 or rows.asks else 0
    tests = max(elements // rows.width - _RUNS, 0) * _TESTS
    return -(-(max(held, least) + own_rows + tests) // _GRAIN) * _GRAIN


def blocks_together(rows: WarpRows) -> int:
    """Return how many blocks shall fit a processor, so that compilers take no more registers than suffice; 1 if that is not known.

    Where nobody says so they take more: a layer norm of 8192 columns in bf16 92, with which two blocks of 256 threads fit, where 80
    do, with which three do. Registers are dealt by processors of a quarter, which share the warps evenly.
    """
    registers, profile = registers_that_suffice(rows), rows.profile
    if not registers:
        return 1
    warps = profile.registers_per_processor // (profile.lanes * registers)
    return max(warps // _QUARTERS * _QUARTERS // rows.config.warps, 1)
