# SPDX-License-Identifier: MIT
"""Tests that cannot be wrong at any size, because they compare the very coordinate that their address is made of.

A store to i·stride + j whose guard is i < m and j < n touches the elements (i, j) of the matrix and no other, whatever m and n are and
whatever i and j are worth; a read at min(i, m − 1) stays inside and is right wherever i is. What remains to be seen is which i and j a step
has, and one size shows that. So only the tests that do not fit their address in this way need a size that cuts their range.

Of vectors of w elements, of which the matrix has whole ones, the last begins at n − w: a read at min(j, n − w), and at what follows it,
stays inside, and is right where j lies before n, since j is a multiple of w too (every run looks whether vectors are aligned).

Addresses and coordinates are compared as polynomials over what cannot be taken apart: symbols, lets, quotients, minima.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    IndexFn,
    IndexOp,
    Ragged,
    Sym,
    TestFn,
    substitute,
    symbols,
    text,
)
from tracea_core.semantic.ragged import Looked
from tracea_core.semantic.steps import Access, AsyncCopy, Box, Load, Node, Store

Polynomial: TypeAlias = dict[tuple[str, ...], int]
Extent: TypeAlias = tuple[str, int]
"""An extent's name, and the constant that is added to it."""


def settled(
    node: Node,
    form: Contraction,
    lets: Mapping[str, Index],
    multiples: Mapping[str, int] | None = None,
    whole: frozenset[str] = frozenset(),
) -> bool:
    """Return whether all tests of a step against the extents of `form` fit its address, so that they hold at every size.

    Parameters
    ----------
    lets : mapping of str to Index
        What names stand for where the step is.
    multiples : mapping of str to int or None
        What extents are multiples of, by their names: 1 where nothing is said.
    whole : frozenset of str
        The extents that the step is known to lie within, by a test around it.
    """
    access = _global(node)
    if access is None or form.gates > 1:
        return False
    terms = [term for term in (form.out, *form.factors, *form.epilogue_terms) if term.operand == access.operand]
    if len(terms) != 1:
        return False
    coordinates = _coordinates(form)
    tested: dict[str, Index] = {}
    for test in getattr(node, "guard", ()):
        extent = (form.m.name, 0) if _ends_group(test.right, form, lets) else _extent(test.right, lets)  # type: ignore[union-attr]
        if extent is None or extent[0] not in coordinates:
            continue
        name = coordinates[extent[0]]
        if test.fn is not TestFn.LT or extent[1] or name in tested:
            return False
        tested[name] = test.left
    clamped: dict[str, Index] = {}
    width = getattr(node, "width", 1)
    vectors = {name: width for name, multiple in (multiples or {}).items() if multiple % width == 0}  # hold whole ones
    for clamp in clamps(access.offset):
        extent = _extent(clamp.right, lets)
        if extent is None or extent[1] not in (-1, -vectors.get(extent[0], 1)) or extent[0] not in coordinates:
            return False
        name = coordinates[extent[0]]
        if name in tested or clamped.get(name, clamp) != clamp:
            return False
        clamped[name] = clamp
    inside = frozenset(coordinates[name] for name in whole & coordinates.keys())
    return _fits(access.offset, terms[0], tested, clamped, width, inside)


def box_settled(box: Box, form: Contraction, lets: Mapping[str, Index]) -> bool:
    """Return whether a box's address and bounds fit the operand: each dimension is a coordinate of `form`, bounded by its extent."""
    terms = [term for term in (form.out, *form.factors) if term.operand == box.operand]
    if len(terms) != 1 or form.gates > 1 or box.pixels is not None or terms[0].hoisted:
        return False
    coordinates = _coordinates(form)
    given: dict[str, Index] = {}
    address: Polynomial = {}
    for extent, stride in zip(box.extents, box.strides, strict=True):
        bound = _extent(extent, lets)
        name = coordinates.get(bound[0]) if bound is not None and not bound[1] else None
        if name is None or name in given:
            return False
        given[name] = Sym(f"{name} along the box")  # wherever the box lies
        address = _sum(address, _product(polynomial(given[name]), polynomial(stride)), 1)
    used = symbols(terms[0].offset) & {ITEM.name, I.name, J.name, *(axis.name for axis in form.k_axes)}
    return used == given.keys() and address == polynomial(substitute(terms[0].offset, given))


def _fits(
    offset: Index,
    term: Term,
    tested: Mapping[str, Index],
    clamped: Mapping[str, Index],
    width: int,
    inside: frozenset[str],
) -> bool:
    """Whether an address is that of the term at these coordinates: each of them if any is tested, else each clamped one for itself."""
    own = polynomial(offset)
    if tested:
        known = {**tested, **clamped}
        missing = symbols(term.offset) & {I.name, J.name} - known.keys()
        if missing:
            return missing <= inside and _fits_apart(own, term, known, missing)
        vectors = [
            {},
            *({name: clamp + along % width} for name, clamp in clamped.items() for along in (ROW, COLUMN) if width > 1),
        ]
        return any(own == polynomial(substitute(term.offset, {**known, **vector})) for vector in vectors)
    meant = polynomial(term.offset)
    for name, clamp in clamped.items():
        atom = text(clamp)
        with_it = {key: factor for key, factor in own.items() if any(atom in part for part in key)}
        wanted = {
            tuple(sorted(atom if part == name else part for part in key)): factor
            for key, factor in meant.items()
            if name in key
        }
        if with_it != wanted or any(part != name and _names(part, name) for key in meant for part in key):
            return False
    return bool(clamped)


def _fits_apart(own: Polynomial, term: Term, known: Mapping[str, Index], missing: frozenset[str]) -> bool:
    """Whether the coordinates that are `known` are those of the address, and the rest of it has nothing of their strides.

    Then the rest is what `missing` coordinates add, whatever they are: a row is tested, and its columns are known to exist.
    """
    meant = polynomial(term.offset)
    if any(part != name and _names(part, name) for key in meant for part in key for name in missing):
        return False
    strides = [[part for part in key if part != name] for key in meant for name in known if name in key]
    if not all(strides):
        return False  # next to each other, so that nothing tells them apart
    at_zero = polynomial(substitute(term.offset, {**known, **dict.fromkeys(missing, Const(0))}))
    rest = _sum(own, at_zero, -1)
    apart = {part for stride in strides for part in stride}
    return not any(part in apart or any(_names(part, name) for name in apart) for key in rest for part in key)


def _names(part: str, name: str) -> bool:
    """Whether an atom that is no symbol mentions a coordinate."""
    return name in part.replace("(", " ").replace(")", " ").replace(",", " ").split()


def _coordinates(form: Contraction) -> dict[str, str]:
    """The coordinate that each extent bounds, by the extent's name."""
    pairs = [(form.m, I.name), (form.n, J.name)]
    pairs += [(axis.extent, axis.name) for axis in form.k_axes] if len(form.k_axes) == 1 else []
    return {extent.name: name for extent, name in pairs if isinstance(extent, Sym)}


def _global(node: Node) -> Access | None:
    """The one place in global memory that a step touches."""
    if not isinstance(node, Load | Store | AsyncCopy):
        return None
    ends = [end for end in (getattr(node, "source", None), getattr(node, "target", None)) if isinstance(end, Access)]
    return ends[0] if len(ends) == 1 else None


def _ends_group(bound: Index, form: Contraction, lets: Mapping[str, Index]) -> bool:
    """Whether a bound is where the rows of the step's own group end."""
    found = lets.get(bound.name) if isinstance(bound, Sym) else None
    if (
        form.groups is None
        or not isinstance(form.m, Sym)
        or not isinstance(found, Ragged)
        or found.fn is not Looked.END
    ):
        return False
    return found.position == lets.get(ITEM.name) and found.rows == form.m


def extents_of(guard: Guard, lets: Mapping[str, Index]) -> frozenset[str]:
    """Return the extents that a guard compares with."""
    found = (_extent(test.right, lets) for test in guard)
    return frozenset(extent[0] for extent in found if extent is not None)


def _extent(bound: Index, lets: Mapping[str, Index]) -> Extent | None:
    """A bound as a symbol plus a constant; None if it is something else."""
    found = polynomial(substitute(bound, lets))
    shift = found.pop((), 0)
    if len(found) != 1:
        return None
    ((key, factor),) = found.items()
    return (key[0], shift) if len(key) == 1 and factor == 1 else None


def clamps(expr: Index) -> Iterator[IndexOp]:
    """Yield the minima in an expression, outermost first."""
    pending: list[Index] = [expr]
    while pending:
        part = pending.pop()
        if type(part) is IndexOp:
            if part.fn is IndexFn.MIN:
                yield part
            pending += (part.right, part.left)


_SUMS: dict[IndexFn, Callable[[Polynomial, Polynomial], Polynomial]] = {
    IndexFn.ADD: lambda a, b: _sum(a, b, 1), IndexFn.SUB: lambda a, b: _sum(a, b, -1),
    IndexFn.MUL: lambda a, b: _product(a, b),
}  # fmt: skip


def polynomial(expr: Index) -> Polynomial:
    """Return integer factors by monomial, a sorted tuple of the texts of what cannot be taken apart; without those that are 0."""
    return dict(_polynomial(expr))


@functools.lru_cache(maxsize=1 << 12)
def _polynomial(expr: Index) -> Polynomial:
    if type(expr) is Const:
        return {(): expr.value} if expr.value else {}
    combine = _SUMS.get(expr.fn) if type(expr) is IndexOp else None
    if combine is not None and type(expr) is IndexOp:
        return combine(_polynomial(expr.left), _polynomial(expr.right))
    return {(text(expr),): 1}


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    total = dict(a)
    for key, factor in b.items():
        total[key] = total.get(key, 0) + sign * factor
    return {key: factor for key, factor in total.items() if factor}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Counter[tuple[str, ...]] = Counter()
    for one, first in a.items():
        for other, second in b.items():
            total[tuple(sorted((*one, *other)))] += first * second
    return {key: factor for key, factor in total.items() if factor}
