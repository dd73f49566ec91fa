# SPDX-License-Identifier: MIT
"""An operand's addresses over one place in the reduction, whatever axes it has: which coordinates follow from the place, and how.

Where the axes lie at a constant step nothing has to follow. Else the place is divided by the extents of the inner axes, and what depends
on these coordinates alone is named once, for all rows that a lane reads at the same place.
"""

from __future__ import annotations

import functools
from operator import add

from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import Const, Index, Sym, addends, substitute, symbols
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.sweep import Sweep

POSITION = Sym("k_position")
"""The place in the reduction."""


def flattened(contraction: Contraction | Sweep, term: Term) -> tuple[Term, tuple[tuple[str, Index], ...]]:
    """Return `term` over one K position, and how K axes that it still names follow from the position."""
    axes = contraction.k_axes
    if len(axes) == 1:
        return replace_symbols(term, {axes[0].name: POSITION}), ()
    assert isinstance(contraction, Contraction)  # a pass has one axis
    names = [axis.name for axis in axes]
    if contraction.a_step is not None and term == contraction.a:
        base = substitute(term.offset, dict.fromkeys(names, Const(0)))
        return term.replace(offset=base + POSITION * contraction.a_step), ()
    if contraction.b_step is not None and term == contraction.b:
        base = substitute(term.offset, dict.fromkeys(names, Const(0)))
        return term.replace(offset=base + POSITION * contraction.b_step), ()
    return _decoded(contraction, term)


def _decoded(contraction: Contraction, term: Term) -> tuple[Term, tuple[tuple[str, Index], ...]]:
    """Return `term` with what depends on K axes alone under one name, and those names in the order in which each needs the last.

    What is left of the position after each axis is divided out is named as well, so that it is computed once.
    """
    found: list[tuple[str, Index]] = []
    rest: Index = POSITION
    axes = contraction.k_axes
    for place, axis in reversed(list(enumerate(axes))):
        if not place:
            found.append((axis.name, rest))
            break
        found.append((f"beyond_{axis.name}", rest // axis.extent))
        found.append((axis.name, rest - Sym(f"beyond_{axis.name}") * axis.extent))
        rest = Sym(f"beyond_{axis.name}")
    names = {axis.name for axis in axes}
    along = [part for part in addends(term.offset) if symbols(part) & names]
    if term.hoisted and all(coordinate not in symbols(part) for part in along for coordinate in _outside(term)):
        found.append((f"{term.operand}_along", functools.reduce(add, along)))
        rest_of = [part for part in addends(term.offset) if part not in along]
        term = term.replace(offset=functools.reduce(add, [*rest_of, Sym(f"{term.operand}_along")]))
    used = set(symbols(term.offset)) | {name for test in term.guard for name in symbols(test)}
    for name, value in reversed(found):
        used |= symbols(value) if name in used else set()
    return term, tuple((name, value) for name, value in found if name in used)


def _outside(term: Term) -> tuple[str, ...]:
    """Names of what an address holds besides distances and K coordinates."""
    return (I.name, J.name, ITEM.name, *(named.name for named in term.hoisted))
