# SPDX-License-Identifier: MIT
"""No printed address says less than its coordinate: a place in a buffer that lies beyond its axis has no text.

An axis made of bits gives an address as many as it has, so that a coordinate beyond it would be printed modulo the axis: a text
that looks right and moves another element. Certification runs a kernel and sees it; whoever prints asks here once more, since a text
can be checked by nobody. Coordinates are bounded by interval arithmetic, one interval for each element of a fragment, instance of a
role, and first and last round of a loop: what lies beyond its axis in all of an interval is refused, where no test excludes the element.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import Const, Guard, Index, IndexFn, Ragged, Sym, Test, TestFn, text
from tracea_core.semantic.kernel import Role, SemanticKernel
from tracea_core.semantic.steps import BufferRef, If, Let, Loop, Node, SharedOperand, Staged

Values: TypeAlias = npt.NDArray[np.float64]
Interval: TypeAlias = tuple[Values, Values]
"""The least and the largest value, infinite where nothing is known."""
_Tests: TypeAlias = tuple[tuple[Guard, bool], ...]
"""Conjunctions, and whether each holds or fails."""
_AXES = 8
"""Of arrays: two for the elements of a fragment, one for the instances of a role, and the loops around."""


def require_axes(kernel: SemanticKernel) -> None:
    """Raise where a step reaches beyond an axis of a buffer.

    Raises
    ------
    CertificationError
        If a coordinate lies beyond its axis, with the buffer, the axis and a value that the coordinate takes.
    """
    for role in kernel.roles:
        _Reach(kernel, role).nodes(role.body, (), 3)


class _Reach:
    """What the coordinates of one role's steps may be."""

    def __init__(self, kernel: SemanticKernel, role: Role) -> None:
        self.kernel, self.role = kernel, role
        self.layouts = {fragment.name: fragment.layout for fragment in role.fragments}
        self.scope: dict[str, Interval] = {s.name: _between(s.minimum, s.maximum) for s in kernel.symbols}
        self.scope |= {name: _between(0, np.inf) for name in ("block", "blocks")}
        self.scope["cluster_rank"] = _between(0, kernel.launch.cluster - 1)
        # As many workers as a launch has: their number is not the kernel's.
        self.scope[role.name] = _along(np.arange(role.instances), 2) if role.instances else _between(0, np.inf)

    def nodes(self, nodes: tuple[Node, ...], tests: _Tests, depth: int) -> None:
        """Look at every step of a body, below `depth` array axes that are taken."""
        before = self.scope
        self.scope = dict(before)
        for node in nodes:
            if isinstance(node, Let):
                self._let(node)
            elif isinstance(node, Loop):
                self._loop(node, tests, depth)
            elif isinstance(node, Staged):
                self.nodes(node.body, tests, depth)
            elif isinstance(node, If):
                self.nodes(node.then, (*tests, (node.guard, True)), depth)
                self.nodes(node.otherwise, (*tests, (node.guard, False)), depth)
            else:
                for place in _places(node):
                    self._place(node, place, (*tests, (getattr(node, "guard", ()), True)))
        self.scope = before

    def _let(self, let: Let) -> None:
        known = let.fragment is None and not isinstance(let.value, Ragged)
        self.scope[let.name] = bounds(let.value, self.scope) if known else _between(-np.inf, np.inf)

    def _loop(self, loop: Loop, tests: _Tests, depth: int) -> None:
        start, stop = bounds(loop.start, self.scope), bounds(loop.stop, self.scope)
        exact = [low.item() for low, high in (start, stop) if low.size == 1 and low.item() == high.item()]
        if len(exact) == 2 and depth < _AXES:
            rounds = np.arange(exact[0], exact[1], loop.step)
            if not rounds.size:
                return
            values = _along(rounds[[0, -1]] if rounds.size > 1 else rounds, depth)
        else:
            values = (start[0], np.maximum(start[0], stop[1] - 1))
        before = self.scope
        self.scope = {**before, loop.var: values}
        self.nodes(loop.body, tests, depth + 1)
        self.scope = before

    def _place(self, node: Node, place: BufferRef | SharedOperand, tests: _Tests) -> None:
        buffer = self.kernel.buffer(place.buffer)
        axes = [(axis.name, float(axis.extent)) for axis in buffer.layout.axes]
        if buffer.extent is not None:
            axes.insert(0, ("repetition", float(bounds(buffer.extent, self.scope)[1].max())))
        if len(axes) != len(place.coordinates):
            raise CertificationError("a place has a coordinate for each axis of its buffer", buffer=buffer.name)
        layout = self.layouts.get(getattr(node, "fragment", None) or "")
        scope = self.scope if layout is None else {**self.scope, **_elements(layout)}
        for (name, extent), coordinate in zip(axes, place.coordinates, strict=True):
            if isinstance(coordinate, Sym) and coordinate.name not in scope:
                continue
            low, high = bounds(coordinate, scope)
            beyond = (low >= extent) | (high < 0)
            if not beyond.any() or not (beyond & self._possible(tests, scope)).any():
                continue
            worst = low[low >= extent].max() if (low >= extent).any() else high.min()
            raise CertificationError(
                f"coordinate {text(coordinate)!r} of {buffer.name!r} leaves axis {name!r} of {extent:.0f}: it reaches {worst:.0f}",
                hint="An address would say its low bits alone: keep coordinates within the buffer's layout",
                step=type(node).__name__,
                role=self.role.name,
            )

    def _possible(self, tests: _Tests, scope: Mapping[str, Interval]) -> npt.NDArray[np.bool_]:
        """Where no test is known to exclude an element."""
        found = np.ones((1,) * _AXES, np.bool_)
        for guard, wanted in tests:
            outcomes = [_outcome(test, scope) for test in guard]
            if wanted:
                for _, never in outcomes:
                    found = found & ~never
            else:
                found = found & ~functools.reduce(np.logical_and, (always for always, _ in outcomes), found | True)
        return found


def bounds(expr: Index, scope: Mapping[str, Interval]) -> Interval:
    """Return the interval of an expression; what is not in `scope` may be anything.

    >>> low, high = bounds(Sym("a") % 8 + 4, {"a": _between(3, 5)})
    >>> low.item(), high.item()
    (7.0, 9.0)
    """
    if isinstance(expr, Const):
        return _between(expr.value, expr.value)
    if isinstance(expr, Sym):
        return scope.get(expr.name) or _between(-np.inf, np.inf)
    if isinstance(expr, Ragged):
        return _between(-np.inf, np.inf)
    (a, b), (c, d) = bounds(expr.left, scope), bounds(expr.right, scope)
    match expr.fn:
        case IndexFn.ADD:
            return a + c, b + d
        case IndexFn.SUB:
            return a - d, b - c
        case IndexFn.MIN:
            return np.minimum(a, c), np.minimum(b, d)
        case IndexFn.MAX:
            return np.maximum(a, c), np.maximum(b, d)
        case IndexFn.MUL:
            return _extremes(*(_product(x, y) for x in (a, b) for y in (c, d)))
        case IndexFn.FLOORDIV:
            c, d = np.maximum(c, 1), np.maximum(d, 1)
            return _extremes(*(np.floor(_ratio(x, y)) for x in (a, b) for y in (c, d)))
        case IndexFn.MOD:
            return _remainder(a, b, np.maximum(c, 1), np.maximum(d, 1))
        case IndexFn.QUOTIENT:
            return np.zeros_like(a), np.maximum(b, 0)


def _between(low: float, high: float) -> Interval:
    return np.full((1,) * _AXES, low, np.float64), np.full((1,) * _AXES, high, np.float64)


def _along(values: npt.NDArray[np.generic], axis: int) -> Interval:
    """Exact values along one axis of their own."""
    shape = [1] * _AXES
    shape[-1 - axis] = -1
    spread = values.astype(np.float64).reshape(shape)
    return spread, spread


@functools.lru_cache(maxsize=256)
def _elements(layout: FragmentLayout) -> dict[str, Interval]:
    rows, columns = layout.elements()
    return {
        name: _along(np.flatnonzero(np.bincount(values.ravel())), axis)
        for name, values, axis in (("row", rows, 1), ("column", columns, 0))
    }


def _extremes(*values: Values) -> Interval:
    return functools.reduce(np.minimum, values), functools.reduce(np.maximum, values)


def _product(x: Values, y: Values) -> Values:
    with np.errstate(invalid="ignore"):
        found = x * y
    return np.where(np.isnan(found), 0.0, found)  # nothing of anything is nothing


def _ratio(x: Values, y: Values) -> Values:
    with np.errstate(invalid="ignore"):
        found = x / y
    return np.where(np.isnan(found), 0.0, found)


def _remainder(low: Values, high: Values, least: Values, largest: Values) -> Interval:
    """Of dividends within one multiple of a divisor that is known the remainders themselves, else all that are smaller than it."""
    with np.errstate(invalid="ignore"):
        same = (least == largest) & (np.floor(low / least) == np.floor(high / least)) & np.isfinite(low)
        return np.where(same, np.mod(low, least), 0.0), np.where(same, np.mod(high, least), largest - 1)


def _outcome(test: Test, scope: Mapping[str, Interval]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Where a test surely holds, and where it surely fails."""
    (a, b), (c, d) = bounds(test.left, scope), bounds(test.right, scope)
    match test.fn:
        case TestFn.LT:
            return b < c, a >= d
        case TestFn.LE:
            return b <= c, a > d
    same, apart = (a == b) & (c == d) & (a == c), (b < c) | (a > d)
    return (same, apart) if test.fn is TestFn.EQ else (apart, same)


def _places(node: Node) -> Iterator[BufferRef | SharedOperand]:
    for field in ("source", "target", "a", "b"):
        value = getattr(node, field, None)
        if isinstance(value, BufferRef | SharedOperand):
            yield value
