# SPDX-License-Identifier: MIT
"""The arguments of kernels whose warps take strips: how far pointers are aligned, and what sizes and distances are multiples of."""

from __future__ import annotations

from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import MAX_COORDINATE
from tracea_core.semantic.contraction import I, J, Term
from tracea_core.semantic.depthwise import LINE, Depthwise
from tracea_core.semantic.hardware import CHUNK
from tracea_core.semantic.index import Const, coefficient, symbols
from tracea_core.semantic.kernel import Parameter, Symbol


def operand_run(form: Depthwise, configuration: PipelineConfig, term: Term) -> int:
    """Return how many channels of what an epilogue reads for each pixel move at a time: as many as are stored, where they lie together."""
    together = not form.planes and I.name in symbols(term.offset) and coefficient(term.offset, J.name) == Const(1)
    return min(configuration.vector_c, CHUNK // term.dtype.bytes) if together else 1


def parameters(form: Depthwise, configuration: PipelineConfig) -> tuple[Parameter, ...]:
    """Return the form's pointers, aligned to the runs that follow them."""
    needed = {"x": configuration.vector_a, form.out.operand: configuration.vector_c}
    needed |= {term.operand: operand_run(form, configuration, term) for term in form.epilogue_terms}
    return tuple(p.replace(alignment=p.dtype.bytes * needed.get(p.name, 1)) for p in form.parameters)


def sizes(form: Depthwise, configuration: PipelineConfig) -> tuple[Symbol, ...]:
    """Return the form's symbols: multiples of the runs that follow them, sizes within 32 bits, and of planes distances of lines."""
    image = form.image
    read_along, stored_along = (image.width, form.m) if form.planes else (form.n, form.n)
    read = symbols(image.origin) | symbols(image.by_row) | symbols(image.by_column) | symbols(read_along)
    multiples = dict.fromkeys(read, configuration.vector_a)
    for symbol in symbols(form.out.offset) | symbols(stored_along):
        multiples[symbol] = max(multiples.get(symbol, 1), configuration.vector_c)
    for term in form.epilogue_terms:
        run = operand_run(form, configuration, term)
        multiples |= {symbol: max(multiples.get(symbol, 1), run) for symbol in symbols(term.offset)}
    near = _near(form) if form.planes else frozenset[str]()
    found = []
    for s in form.symbols:
        multiple = max(s.multiple, multiples.get(s.name, 1))
        least = max(s.minimum, -MAX_COORDINATE) if s.name in near else s.minimum
        most = min(s.maximum, MAX_COORDINATE) if s.minimum >= 0 or s.name in near else s.maximum
        found.append(s.replace(minimum=least, maximum=most, multiple=multiple))
    return tuple(found)


def _near(form: Depthwise) -> frozenset[str]:
    """Distances of neighbouring lines, which lanes multiply for every line that they load or store: within 32 bits in planes."""
    lines = (coefficient(term.offset, LINE.name) for term in (form.out, *form.epilogue_terms))
    return symbols(form.image.by_row).union(*(symbols(by_line) for by_line in lines if by_line is not None))
