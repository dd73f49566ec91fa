# SPDX-License-Identifier: MIT
"""Strides under which images that a reduction adds up lie apart, so that none follows the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import Const, Value, evaluate, symbols


def outermost(form: Contraction, values: Mapping[str, int]) -> dict[str, int]:
    """Return strides of images (`images_summed`) beyond what one of them reaches.

    An image that is no longer part of the sum is then no part of memory either, behind those of the last item. Else it lies there in
    most runs, and counts for nothing, since what it is multiplied by is zero.
    """
    first = dict.fromkeys((ITEM.name, I.name, J.name, form.k_axes[0].name), 0)
    last = {axis.name: max(int(evaluate(axis.extent, values)) - 1, 0) for axis in form.k_axes[1:]}
    rows, columns = (np.arange(max(int(evaluate(extent, values)), 1)) for extent in (form.m, form.n))
    multiples = {symbol.name: symbol.multiple for symbol in form.symbols}
    found: dict[str, int] = {}
    for name, term in images_summed(form).items():
        reach = np.max(_offset(form, term, {**values, **first, **last, I.name: rows[:, None], J.name: columns}))
        found[name] = -(-max(int(reach) + 1, 1) // multiples[name]) * multiples[name]
    return found


def images_summed(form: Contraction) -> dict[str, Term]:
    """Return the operands whose items go on along the outermost axis of the reduction, by the stride that both have.

    Gradients of filters add images up, in as many parts as there are items.
    """
    if isinstance(form.items, Const):
        return {}
    strided = {symbol.name: 0 for symbol in form.symbols if symbol.minimum < 0}
    start = {symbol.name: max(symbol.minimum, 1) for symbol in form.symbols} | strided
    start |= dict.fromkeys((ITEM.name, I.name, J.name, *(axis.name for axis in form.k_axes)), 0)
    found: dict[str, Term] = {}
    for term in form.factors:
        for name in sorted(symbols(term.offset) & strided.keys()):
            steps = [{ITEM.name: 1}, {form.k_axes[0].name: 1}]
            if all(_offset(form, term, start | step | {name: 1}) > _offset(form, term, start | step) for step in steps):
                found[name] = term
    return found


def _offset(form: Contraction, term: Term, places: Mapping[str, Value]) -> Any:
    """Where an element of an operand lies."""
    known = dict(places)
    for named in (*form.item_names, *term.hoisted):
        known[named.name] = evaluate(named.value, known)
    return evaluate(term.offset, known)
