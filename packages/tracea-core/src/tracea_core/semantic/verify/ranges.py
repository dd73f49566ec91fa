# SPDX-License-Identifier: MIT
"""Ranges that a kernel's tests guard: of every test against an extent, which elements it is about.

A test ``x < n`` guards a step whose elements have x from a low to a high value, counted from the first tile and iteration. So has a box
along a dimension of that extent, and the minimum of a coordinate and the last one that exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    IndexFn,
    IndexOp,
    Sym,
    TestFn,
    Value,
    evaluate,
    substitute,
    symbols,
)
from tracea_core.semantic.interpret_registers import elements
from tracea_core.semantic.interpret_tables import Tables, tables
from tracea_core.semantic.kernel import Role, SemanticKernel, one_group
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import (
    AccumulatorFence,
    AsyncCopy,
    AsyncLoad,
    AsyncStore,
    Box,
    Commit,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    SchedulingFence,
    Staged,
    Store,
    Turn,
    Wait,
)
from tracea_core.semantic.verify.edges import box_settled, extents_of, settled

_LARGE = 1 << 20
"""An extent beyond every range; a multiple of every period, so that what follows from it is simple."""
_FAR = 1 << 10
"""Iterations that begin beyond so many follow from the extent; the first one stands for them."""

Range = tuple[int, int]


def ranges(kernel: SemanticKernel, name: str, form: Contraction | None = None, ones: Sequence[str] = ()) -> set[Range]:
    """Return the ranges of what is tested against the extent called `name`, counted from the first tile and iteration.

    A test counts if its right side is the extent, up to a constant; a box if it lies along a dimension of that extent. With `form`
    those are left out that fit the addresses of what the kernel computes, and so hold at every size. Symbols in `ones` are 1.
    """
    found: set[Range] = set()
    for role in kernel.roles:
        known: dict[str, Value] = {symbol.name: _LARGE for symbol in kernel.symbols}
        known |= one_group(kernel, 2 * _LARGE)
        known |= dict.fromkeys(ones, 1)
        known |= {"block": 0, "blocks": kernel.launch.cluster, "cluster_rank": 0, "worker": 0, "workers": 1}
        known |= {f"{ring.name}_slot": 0 for ring in kernel.rings}
        known[role.name] = np.arange(max(role.instances, 1))[:, None, None]
        found.update(_walk(role, role.body, _Scope(role, name, known, {}, tables(kernel), form)))
    return found


_IN_REGISTERS = frozenset((AccumulatorFence, Commit, Fill, Mma, SchedulingFence, Turn, Wait))
"""Steps that test nothing and name no place."""
_MOVES = frozenset((Load, Store, AsyncCopy))


class _Scope(NamedTuple):
    """A role, the extent in question, what symbols are worth at the first tile, what lets stand for, and extents tested around."""

    role: Role
    extent: str
    known: dict[str, Value]
    lets: dict[str, Index]
    tables: Tables
    form: Contraction | None = None
    whole: frozenset[str] = frozenset()

    def fits(self, node: Node | Box) -> bool:
        """Whether the tests of a step, or a box's bounds, fit its address, found once for all extents."""
        form = self.form
        if form is None:
            return False

        def compute() -> tuple[Node | Box, bool]:
            if isinstance(node, Box):
                return node, box_settled(node, form, self.lets)
            multiples = {symbol.name: symbol.multiple for symbol in self.tables.kernel.symbols}
            return node, settled(node, form, self.lets, multiples, self.whole)

        return self.tables.once(("fits", id(node)), compute)[1]

    def tests(self, node: Any) -> list[tuple[Index, Index, TestFn]]:
        """What a step's guard asks, and what its addresses take the minimum of, found once for all extents."""

        def compute() -> tuple[Node, list[tuple[Index, Index, TestFn]]]:
            asked = [(t.left, t.right, t.fn) for t in getattr(node, "guard", ()) if t.fn in (TestFn.LT, TestFn.LE)]
            return node, [*asked, *((left, right, TestFn.LE) for left, right in _clamps(node))]

        return self.tables.once(("tests", id(node)), compute)[1]

    def inside(self) -> _Scope:
        """The same, to be changed."""
        return self._replace(known=dict(self.known), lets=dict(self.lets))

    def where(self, guard: Guard) -> _Scope:
        """The same where a guard holds."""
        return self._replace(whole=self.whole | extents_of(guard, self.lets))

    def _plain(self, expr: Index) -> tuple[Index, Index, frozenset[str]]:
        """An expression, the same with what its lets stand for, and the symbols in that."""
        plain = substitute(expr, self.lets)
        return expr, plain, symbols(plain)

    def value(self, expr: Index, **places: Value) -> Value | None:
        """What an expression is worth; None if it depends on what has no simple value here."""
        try:
            return evaluate(expr, {**self.known, **places})
        except ConfigurationError:
            return None

    def beyond(self, right: Index) -> int | None:
        """The constant c if `right` is the extent plus c, else None."""
        if type(right) is Const:
            return None
        if type(right) is Sym and right.name not in self.lets:
            return 0 if right.name == self.extent else None
        plain, names = self.tables.once(("plain", id(self.role), id(right)), lambda: self._plain(right))[1:]
        if self.extent not in names:
            return None
        first, second = (self.value(plain, **{self.extent: _LARGE + more}) for more in (0, 1))
        if not isinstance(first, int) or not isinstance(second, int) or second - first != 1:
            return None
        return first - _LARGE


def _walk(role: Role, nodes: tuple[Node, ...], outer: _Scope) -> Iterator[Range]:
    scope = outer.inside()
    node: Any
    for node in nodes:
        kind = type(node)
        if kind is Let:
            value = scope.value(node.value) if node.fragment is None else None
            if value is not None:
                scope.known[node.name] = value
                scope.lets[node.name] = substitute(node.value, scope.lets)
            continue
        if kind in _IN_REGISTERS:
            continue
        yield from _tests(role, node, scope)
        if kind is Loop:
            start = scope.value(node.start)
            scope.known[node.var] = start if isinstance(start, int) and start < _FAR else 0
            yield from _walk(role, node.body, scope)
        elif kind is Staged:
            yield from _walk(role, node.body, scope)
        elif kind is If:
            yield from _walk(role, node.then, scope.where(node.guard))
            yield from _walk(role, node.otherwise, scope)


def _tests(role: Role, node: Any, scope: _Scope) -> Iterator[Range]:
    kind = type(node)
    box = node.source if kind is AsyncLoad else node.target if kind is AsyncStore else None
    if box is not None:
        if scope.fits(box) or box.pixels is not None:
            return  # windows beyond the last one are zeros, and where the images end is not an extent of the form
        for origin, extent, count in zip(box.origin, box.extents, box.shape, strict=True):
            shift, start = scope.beyond(extent), scope.value(origin)
            if shift is not None and start is not None:
                low = int(np.min(start)) - shift
                yield low, low + count - 1
        return
    tests = scope.tests(node)
    if not tests or (kind in _MOVES and scope.fits(node)):
        return
    places: dict[str, Value] = {}
    for smaller, larger, fn in tests:
        shift = scope.beyond(larger)
        if shift is None:
            continue
        fragment = getattr(node, "fragment", None)
        if isinstance(fragment, str) and fragment and not places:
            places[ROW.name], places[COLUMN.name], _ = elements(role.fragment(fragment).layout)
        left = scope.value(smaller, **places)
        if left is not None:
            less = shift + (fn is TestFn.LE)
            yield int(np.min(left)) - less, int(np.max(left)) - less


def _clamps(node: Node) -> Iterator[tuple[Index, Index]]:
    """What a step's addresses, or a loop's bounds, take the minimum of: a coordinate and the last one that exists."""
    own = (node.start, node.stop) if isinstance(node, Loop) else () if isinstance(node, If | Staged) else node
    pending: list[Any] = [index for index in indices(own) if type(index) is IndexOp]
    while pending:
        index = pending.pop()
        left, right = index.left, index.right
        if index.fn is IndexFn.MIN:
            yield left, right
            yield right, left
        if type(left) is IndexOp:
            pending.append(left)
        if type(right) is IndexOp:
            pending.append(right)
