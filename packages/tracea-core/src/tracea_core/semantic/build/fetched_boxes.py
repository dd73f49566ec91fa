# SPDX-License-Identifier: MIT
"""Boxes of an epilogue's whole-tile operands that the producer asks the L2 cache for while the reduction runs.

Consumers read a residual in the order of their accumulators, a few bytes of many rows at a time, when all processors finish their
tiles at once: from memory that takes longer than the loads themselves. A copy engine fetches the same rows whole, with one instruction
a tile, long before.
"""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_BOX
from tracea_core.semantic.build.raster import COLUMN0, ROW0
from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import Const, Index, coefficient, symbols
from tracea_core.semantic.steps import Box


def fetched_boxes(contraction: Contraction, configuration: PipelineConfig) -> tuple[Box, ...]:
    """Return one box for each operand of the epilogue that has a value for each element of the tile, rows of whole chunks."""
    c, config = contraction, configuration
    if config.split_k > 1 or c.groups is not None or config.vector_c * c.out.dtype.bytes < CHUNK:
        return ()
    read = (term for slot, term in enumerate(c.epilogue_terms) if slot not in c.epilogue.auxiliaries)
    found = (_box(c, term, config) for term in read)
    return tuple(box for box in found if box is not None)


def _box(c: Contraction, term: Term, config: PipelineConfig) -> Box | None:
    row, column, item = (coefficient(term.offset, name) for name in (I.name, J.name, ITEM.name))
    if not {I.name, J.name} <= symbols(term.offset) or column != Const(1) or row in (None, Const(1)) or item is None:
        return None
    if config.tile_n * term.dtype.bytes % CHUNK or max(config.tile_m, config.tile_n) > MAX_BOX:
        return None
    assert row is not None
    extents: tuple[Index, ...] = (c.n, c.m)
    strides: tuple[Index, ...] = (Const(1), row)
    origin: tuple[Index, ...] = (COLUMN0, ROW0)
    shape: tuple[int, ...] = (config.tile_n, config.tile_m)
    if c.items != Const(1):
        extents, strides, origin, shape = (*extents, c.items), (*strides, item), (*origin, ITEM), (*shape, 1)
    return Box(term.operand, extents, strides, origin, shape)


def stride_bytes(contraction: Contraction, boxes: tuple[Box, ...]) -> dict[str, int]:
    """Return the symbols that boxes step by, each with the bytes of an element."""
    sizes = {term.operand: term.dtype.bytes for term in contraction.epilogue_terms}
    return {name: sizes[box.operand] for box in boxes for stride in box.strides for name in symbols(stride)}
