# SPDX-License-Identifier: MIT
"""The arguments of kernels whose warps take strips: how far pointers are aligned, and what sizes and distances are multiples of."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.index import symbols
from tracea_core.semantic.kernel import Parameter, Symbol


def parameters(form: Depthwise, configuration: PipelineConfig) -> tuple[Parameter, ...]:
    """Return the form's pointers, aligned to the runs that follow them."""
    needed = {"x": configuration.vector_a, form.out.operand: configuration.vector_c}
    return tuple(p.replace(alignment=p.dtype.bytes * needed.get(p.name, 1)) for p in form.parameters)


def sizes(form: Depthwise, configuration: PipelineConfig) -> tuple[Symbol, ...]:
    """Return the form's symbols: multiples of the runs that follow them, sizes within 32 bits."""
    image = form.image
    read = symbols(image.origin) | symbols(image.by_row) | symbols(image.by_column) | symbols(form.n)
    multiples = dict.fromkeys(read, configuration.vector_a)
    for symbol in symbols(form.out.offset) | symbols(form.n):
        multiples[symbol] = max(multiples.get(symbol, 1), configuration.vector_c)
    return tuple(
        s.replace(
            maximum=min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 else s.maximum,
            multiple=max(s.multiple, multiples.get(s.name, 1)),
        )
        for s in form.symbols
    )
