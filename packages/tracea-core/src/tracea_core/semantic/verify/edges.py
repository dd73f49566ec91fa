# SPDX-License-Identifier: MIT
"""Tests that cannot be wrong at any size, because they compare the very coordinate that their address is made of.

A store to i·stride + j whose guard is i < m and j < n touches the elements (i, j) of the matrix and no other, whatever m and n are and
whatever i and j are worth; a read at min(i, m − 1) stays inside and is right wherever i is. What remains to be seen is which i and j a step
has, and one size shows that. So only the tests that do not fit their address in this way need a size that cuts their range.

Addresses and coordinates are compared as polynomials over what cannot be taken apart: symbols, lets, quotients, minima.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from tracea_core.semantic.contraction import ITEM, Contraction, I, J, Term
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, TestFn, substitute, symbols, text
from tracea_core.semantic.steps import Access, AsyncCopy, Box, Load, Node, Store

Polynomial: TypeAlias = dict[tuple[str, ...], int]
Extent: TypeAlias = tuple[str, int]
"""An extent's name, and the constant that is added to it."""


def settled(node: Node, form: Contraction, lets: Mapping[str, Index]) -> bool:
    """Return whether all tests of a step against the extents of `form` fit its address, so that they hold at every size.

    Parameters
    ----------
    lets : mapping of str to Index
        What names stand for where the step is.
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
        extent = _extent(test.right, lets)
        if extent is None or extent[0] not in coordinates:
            continue
        name = coordinates[extent[0]]
        if test.fn is not TestFn.LT or extent[1] or name in tested:
            return False
        tested[name] = test.left
    clamped: dict[str, Index] = {}
    for clamp in clamps(access.offset):
        extent = _extent(clamp.right, lets)
        if extent is None or extent[1] != -1 or extent[0] not in coordinates:
            return False
        name = coordinates[extent[0]]
        if name in tested or clamped.get(name, clamp) != clamp:
            return False
        clamped[name] = clamp
    return _fits(access.offset, terms[0], tested, clamped)


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


def _fits(offset: Index, term: Term, tested: Mapping[str, Index], clamped: Mapping[str, Index]) -> bool:
    """Whether an address is that of the term at these coordinates: all of them if any is tested, else each clamped one for itself."""
    own = polynomial(offset)
    if tested:
        used = symbols(term.offset) & {I.name, J.name, *tested, *clamped}
        missing = used - tested.keys() - clamped.keys()
        return not missing and own == polynomial(substitute(term.offset, {**tested, **clamped}))
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
    if isinstance(expr, IndexOp):
        if expr.fn is IndexFn.MIN:
            yield expr
        yield from clamps(expr.left)
        yield from clamps(expr.right)


_SUMS: dict[IndexFn, Callable[[Polynomial, Polynomial], Polynomial]] = {
    IndexFn.ADD: lambda a, b: _sum(a, b, 1), IndexFn.SUB: lambda a, b: _sum(a, b, -1),
    IndexFn.MUL: lambda a, b: _product(a, b),
}  # fmt: skip


def polynomial(expr: Index) -> Polynomial:
    """Return integer factors by monomial, a sorted tuple of the texts of what cannot be taken apart; without those that are 0."""
    if isinstance(expr, Const):
        return {(): expr.value} if expr.value else {}
    combine = _SUMS.get(expr.fn) if isinstance(expr, IndexOp) else None
    if combine is not None and isinstance(expr, IndexOp):
        return combine(polynomial(expr.left), polynomial(expr.right))
    return {(text(expr),): 1}


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    total = Counter(a)
    for key, factor in b.items():
        total[key] += sign * factor
    return {key: factor for key, factor in total.items() if factor}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Counter[tuple[str, ...]] = Counter()
    for one, first in a.items():
        for other, second in b.items():
            total[tuple(sorted((*one, *other)))] += first * second
    return {key: factor for key, factor in total.items() if factor}
