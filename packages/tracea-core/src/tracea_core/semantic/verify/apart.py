# SPDX-License-Identifier: MIT
"""Strides that decide what a run sees.

Images that a reduction adds up lie apart, so that none follows the last; strides on which a schedule branches take the values that it asks
about, so that each branch is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import Const, Index, TestFn, Value, evaluate, substitute, symbols
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.steps import If, Let


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
    if isinstance(form.items, Const) or form.lists is not None:
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


def branches(kernel: SemanticKernel) -> dict[str, tuple[Index, Index]]:
    """Return the strides that branches ask about, and the two sides of the question: one drawn at random hardly ever makes them equal.

    A copy of an image moves a line at once where pixels follow each other, for instance.
    """
    strides = {symbol.name for symbol in kernel.symbols if symbol.minimum < 0}
    known = {symbol.name for symbol in kernel.symbols}
    found: dict[str, tuple[Index, Index]] = {}
    for role in kernel.roles:
        lets: dict[str, Index] = {}
        for node in walk(role.body):
            if isinstance(node, Let) and node.fragment is None:
                lets[node.name] = substitute(node.value, lets)
            for test in node.guard if isinstance(node, If) else ():
                sides = substitute(test.left, lets), substitute(test.right, lets)
                used = symbols(sides[0]) | symbols(sides[1])
                chosen = sorted(used & strides)
                if test.fn in (TestFn.EQ, TestFn.NE) and used <= known and len(chosen) == 1:
                    found.setdefault(chosen[0], sides)
    return found


def answered(asked: Mapping[str, tuple[Index, Index]], values: Mapping[str, int], off: int) -> dict[str, int]:
    """Return values of strides that make both sides equal, or so much more than that (less where it is negative)."""
    found: dict[str, int] = {}
    for name, (left, right) in asked.items():
        at_zero, at_one = (
            int(evaluate(left, {**values, name: value})) - int(evaluate(right, {**values, name: value}))
            for value in (0, 1)
        )
        if abs(at_one - at_zero) == 1:
            equal = -at_zero * (at_one - at_zero)
            found[name] = equal + off if equal + off >= 0 else equal - off
    return found
