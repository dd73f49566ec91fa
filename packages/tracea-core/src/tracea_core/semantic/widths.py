# SPDX-License-Identifier: MIT
"""No 32-bit integer of a launch overflows: intervals of every index expression, for the sizes at hand.

Languages of GPUs compute indices in 32 bits wherever no symbol in them is wide (`tracea_core.emit.c.algebra`); only products within
the offset of an access are 64 bits wide. A symbol's own domain fits; what is computed from several of them may not, and a compiler
says nothing. So each launch is walked once with its sizes: symbols are their values, loop variables and blocks intervals. An interval
beyond 32 bits is refused when planning. Intervals are never too small; where one is larger than what is reached, a launch within a
small factor of the limit is refused as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tracea_core.errors import LaunchError
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import Const, Guard, Index, IndexFn, IndexOp, Ragged, Sym, Test, evaluate, text
from tracea_core.semantic.kernel import Actor, Role, SemanticKernel
from tracea_core.semantic.ragged import FIRST_BITS, Looked
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.row_steps import Count
from tracea_core.semantic.steps import Access, BufferRef, If, Let, Load, Loop, Node, Staged, Store

LOWEST, LARGEST = -(1 << 31), (1 << 31) - 1
_STAGED = 8
"""How many iterations before or after its own a staged step may work on: a ring has no more slots."""
_WIDEST = 1 << 16
"""Rows or columns that a fragment has at the most."""


class Range(NamedTuple):
    """Bounds of an integer, and whether it is kept in 64 bits."""

    low: int
    high: int
    wide: bool = False


class _OverflowError(Exception):
    """An expression that leaves 32 bits."""


def width_fault(kernel: SemanticKernel, symbols: Mapping[str, int]) -> str | None:
    """Return which 32-bit integer of a launch could overflow, or None.

    Parameters
    ----------
    symbols : mapping of str to int
        The value of every symbol of the kernel.
    """
    if any(role.actor is Actor.WORKER for role in kernel.roles):
        return None  # a CPU's kernels count in 64 bits
    try:
        scope = {symbol.name: _symbol(symbol.name, symbols, symbol.wide) for symbol in kernel.symbols}
        scope["blocks"] = scope["block"] = _blocks(kernel, symbols)
        scope["block"] = Range(0, max(scope["blocks"].high - 1, 0))
        scope["cluster_rank"] = Range(0, kernel.launch.cluster - 1)
        for ring in kernel.rings:
            scope[f"{ring.name}_slot"] = Range(0, ring.slots - 1)
        for role in kernel.roles:
            _Walk(kernel, role).body(role.body, {**scope, role.name: Range(0, role.instances - 1)})
    except _OverflowError as found:
        return str(found)
    return None


def require_widths(kernel: SemanticKernel, symbols: Mapping[str, int]) -> None:
    """Raise if a 32-bit integer of a launch could overflow.

    Raises
    ------
    LaunchError
        With the expression and the value that it could reach.
    """
    fault = width_fault(kernel, symbols)
    if fault:
        raise LaunchError(
            f"the problem is too large for the 32-bit indices of this kernel: {fault}",
            hint="Divide it, along its batch or its rows, into several calls",
            kernel=kernel.name,
        )


def _symbol(name: str, symbols: Mapping[str, int], wide: bool) -> Range:
    value = int(symbols[name])
    return _fitting(Range(value, value, wide), Sym(name))


def _blocks(kernel: SemanticKernel, symbols: Mapping[str, int]) -> Range:
    count = int(evaluate(kernel.launch.blocks, dict(symbols)))
    return _fitting(Range(count, count), kernel.launch.blocks)


def _fitting(found: Range, expr: Index) -> Range:
    if not found.wide and not LOWEST <= found.low <= found.high <= LARGEST:
        reached = found.high if found.high > LARGEST else found.low
        raise _OverflowError(f"{text(expr)} could reach {reached}")
    return found


class _Walk:
    """Follows one role through its body."""

    def __init__(self, kernel: SemanticKernel, role: Role) -> None:
        self.role = role
        self.held: dict[str, Range] = {}
        config = kernel.configuration
        self.grid = {
            "row0": ("tile_rows", config.tile_m * config.cluster_m),
            "column0": ("tile_columns", config.tile_n * config.cluster_n),
        }

    def body(self, nodes: tuple[Node, ...], scope: dict[str, Range]) -> None:
        """Look at every expression of a body."""
        scope = dict(scope)
        for node in nodes:
            if isinstance(node, Let):
                scope[node.name] = self._let(node, scope)
            elif isinstance(node, Loop):
                self._loop(node, scope)
            elif isinstance(node, If):
                self._guard(node.guard, scope)
                self.body(node.then, scope)
                self.body(node.otherwise, scope)
            elif isinstance(node, Staged):
                self.body(node.body, scope)
            else:
                self._step(node, scope)

    def _let(self, let: Let, scope: dict[str, Range]) -> Range:
        tiles, size = self.grid.get(let.name, ("", 0))
        if (
            tiles in scope
        ):  # a tile lies in the grid, and so do the numbers it is decoded from: the cover proof enumerates them
            return _fitting(Range(0, scope[tiles].high * size), Sym(let.name))
        if let.fragment is None:
            return _value(let.value, scope)
        if held_let(let):
            return self.held.get(let.fragment, Range(0, 0))
        found = _value(let.value, {**scope, **self._places(let.fragment)})
        # tables are as wide as they say, whatever they are computed from
        return _fitting(found._replace(wide=let.wide is True), let.value)

    def _loop(self, loop: Loop, scope: dict[str, Range]) -> None:
        start, stop = _value(loop.start, scope), _value(loop.stop, scope)
        reach = _STAGED * loop.step if any(isinstance(node, Staged) for node in loop.body) else 0
        last = max(stop.high - 1, start.low)
        variable = Range(start.low - reach, last + reach, start.wide or stop.wide)
        _fitting(
            variable._replace(high=max(last, stop.high) + loop.step), Sym(loop.var)
        )  # the value that ends the loop
        self.body(loop.body, {**scope, loop.var: variable})

    def _guard(self, guard: Guard, scope: dict[str, Range]) -> None:
        for test in guard:
            _value(test.left, scope)
            _value(test.right, scope)

    def _places(self, fragment: str) -> dict[str, Range]:
        rows, columns = self.role.fragment(fragment).layout.shape
        return {"row": Range(0, rows - 1), "column": Range(0, columns - 1)}

    def _step(self, node: Node, scope: dict[str, Range]) -> None:
        name = getattr(node, "fragment", None)
        places = (
            self._places(name) if isinstance(name, str) else {"row": Range(0, _WIDEST), "column": Range(0, _WIDEST)}
        )
        inner = {**scope, **places}
        self._numbers(node, inner)
        for field in node.__struct_fields__:
            value = getattr(node, field)
            if isinstance(value, Access):
                _value(value.offset, inner, address=True)
                continue
            for expr in indices(value):
                for side in (expr.left, expr.right) if isinstance(expr, Test) else (expr,):
                    _value(side, inner)

    def _numbers(self, node: Node, scope: dict[str, Range]) -> None:
        """Note what fragments of integers, and buffers that they are stored in, may hold."""
        if isinstance(node, Count):
            self.held[node.fragment] = _value(node.value, scope)._replace(wide=False)
            _fitting(self.held[node.fragment], node.value)
        elif isinstance(node, Store) and isinstance(node.target, BufferRef) and node.fragment in self.held:
            new, old = self.held[node.fragment], self.held.get(node.target.buffer, self.held[node.fragment])
            self.held[node.target.buffer] = Range(min(old.low, new.low), max(old.high, new.high))
        elif isinstance(node, Load) and isinstance(node.source, BufferRef) and node.source.buffer in self.held:
            self.held[node.fragment] = self.held[node.source.buffer]


def _value(expr: Index, scope: Mapping[str, Range], address: bool = False) -> Range:
    """Return the bounds of an expression, each part of which fits its width; products of an address are 64 bits wide."""
    if isinstance(expr, Const):
        return Range(expr.value, expr.value, not LOWEST <= expr.value <= LARGEST)
    if isinstance(expr, Sym):
        return scope[expr.name]
    if isinstance(expr, Ragged):
        return _looked_up(expr, scope)
    a, b = _value(expr.left, scope, address), _value(expr.right, scope, address)
    wide = ((a.wide or b.wide) and expr.fn is not IndexFn.QUOTIENT) or (address and expr.fn is IndexFn.MUL)
    return _fitting(Range(*_bounds(expr.fn, a, b), wide), expr)


def _looked_up(expr: Ragged, scope: Mapping[str, Range]) -> Range:
    """Return the bounds of what is looked up about ragged groups, which neither their ends nor a place decoded from them exceed."""
    place, rows, groups = (_value(part, scope).high for part in (expr.position, expr.rows, expr.count))
    if expr.fn is Looked.GROUP:
        return _fitting(Range(0, place >> FIRST_BITS), expr)
    if expr.fn is Looked.FIRST:
        return Range(0, LARGEST)
    if expr.fn in (Looked.END, Looked.ENTRY):
        return Range(0, max(rows, 0))
    tiles = -(-rows // expr.tile) + groups
    if expr.fn is Looked.PLACE:
        return Range(0, (groups << FIRST_BITS) + tiles, True)
    return _fitting(Range(0, tiles), expr)


def _bounds(fn: IndexFn, a: Range, b: Range) -> tuple[int, int]:
    match fn:
        case IndexFn.ADD:
            return a.low + b.low, a.high + b.high
        case IndexFn.SUB:
            return a.low - b.high, a.high - b.low
        case IndexFn.MIN:
            return min(a.low, b.low), min(a.high, b.high)
        case IndexFn.MAX:
            return max(a.low, b.low), max(a.high, b.high)
        case IndexFn.MUL:
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return min(corners), max(corners)
        case IndexFn.FLOORDIV:
            corners = [x // y for x in (a.low, a.high) for y in (max(b.low, 1), max(b.high, 1))]
            return min(corners), max(corners)
        case IndexFn.QUOTIENT:  # the reciprocal is a value of the launch, never a range
            low, high = (int(evaluate(IndexOp(fn, Const(max(end, 0)), Const(b.low)), {})) for end in (a.low, a.high))
            return low, high
        case IndexFn.MOD:
            most = max(b.high - 1, 0)
            return 0, min(a.high, most) if a.low >= 0 else most
