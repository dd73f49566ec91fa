# SPDX-License-Identifier: MIT
"""Repetition found again: neighbouring steps that do the same to different places and fragments, as one step over an array of them.

A schedule writes out what it unrolls: a store for each part of a tile, a copy for each pass. Such groups of steps differ in constants, in
fragments and in tables; `rolled` finds them and names what differs, so that whoever carries them out can take all together. A
repetition is one only if its order cannot matter: nothing that one of them writes is read by another.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import Const, Index, IndexFn, IndexOp, Sym, Test, symbols
from tracea_core.semantic.kernel import Role
from tracea_core.semantic.rewrite import indices, map_indices, replace_symbols
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, AsyncCopy, Compute, Let, Load, Node, SchedulingFence, Store

Rollable: TypeAlias = Let | Load | Store | AsyncCopy | Compute
Kind: TypeAlias = tuple[object, ...]
_ROLLABLE = frozenset((Load, Store, AsyncCopy, Compute))
_NOTHING = (SchedulingFence, Prefetch)
_LONGEST = 8
"""Steps of the longest group that is looked for."""
_ADDED = "#"
"""What names of constants begin with."""


class Roll(NamedTuple):
    """Groups of steps alike: the `steps` of one of them with names for what differs, and what the names stand for in each group.

    `constants` are values of symbols, `tables` names of tables by symbol, `fragments` names of fragments by the name in `steps`.
    """

    steps: tuple[Rollable, ...]
    constants: dict[str, tuple[int, ...]]
    tables: dict[str, tuple[str, ...]]
    fragments: dict[str, tuple[str, ...]]
    groups: int


def rolled(nodes: tuple[Node, ...], role: Role, tables: frozenset[str]) -> tuple[Node | Roll, ...]:
    """Return `nodes` with their repetitions found again; `tables` are the names that stand for an integer of each element."""
    found: list[Node | Roll] = []
    plain = [node for node in nodes if not isinstance(node, _NOTHING)]
    kinds = [_kind(node) if _rollable(node) else None for node in plain]
    names: dict[int, frozenset[str]] = {}
    place = 0
    while place < len(plain):
        size, count = _repetition(plain, kinds, place, names)
        if count < 2:
            found.append(plain[place])
            place += 1
            continue
        groups = [tuple(plain[first : first + size]) for first in range(place, place + size * count, size)]
        found += _alike(groups, role, tables)  # type: ignore[arg-type]  # what repeats is rollable
        place += size * count
    return tuple(found)


def _rollable(node: Node) -> bool:
    return type(node) in _ROLLABLE or (type(node) is Let and node.fragment is not None)


def _kind(node: Any) -> Kind:
    """What neighbours have in common if they do the same."""
    kind = type(node)
    if kind is Compute:
        return Compute, node.expr, node.dtype, len(node.accumulators), len(node.operands)
    if kind is Let:
        return Let, node.fragment
    places = (node.source, node.target) if kind is AsyncCopy else (node.source if kind is Load else node.target,)
    names = [place.operand if type(place) is Access else place.buffer for place in places]
    return kind, getattr(node, "transfer", None), node.width, getattr(node, "fill", None), *names


def _repetition(
    nodes: Sequence[Node], every: Sequence[Kind | None], first: int, names: dict[int, frozenset[str]]
) -> tuple[int, int]:
    """The size and number of the groups alike that begin at `first`, those that cover most; (1, 1) if there are none.

    `every` has the kinds of nodes, None of those that are in no roll; `names` keeps their symbols.
    """
    kinds = list(itertools.takewhile(lambda kind: kind is not None, every[first:]))
    best = (1, 1)
    for size in range(1, min(_LONGEST, len(kinds) // 2) + 1):
        count = 1
        while kinds[count * size : (count + 1) * size] == kinds[:size]:
            count += 1
        if (
            count > 1
            and size * count > best[0] * best[1]
            and _independent(nodes[first : first + size * count], size, names)
        ):
            best = (size, count)
    return best


def _independent(nodes: Sequence[Node], size: int, names: dict[int, frozenset[str]]) -> bool:
    """Whether no group reads what another writes: fragments, tables or memory. `names` keeps the symbols of nodes."""
    read: set[str] = set()
    written: set[str] = set()
    loaded, stored = set(), set()
    node: Any
    for first in range(0, len(nodes), size):
        own: set[str] = set()
        for node in nodes[first : first + size]:
            kind = type(node)
            if kind is Compute:
                read |= {*node.accumulators, *node.operands} - own
                own.add(node.target)
            elif kind is Load:
                own.add(node.fragment)
                loaded.add(_kind(node)[-1])
            elif kind is Store:
                read |= {node.fragment} - own
                stored.add(_kind(node)[-1])
            elif kind is AsyncCopy:
                stored.add(_kind(node)[-1])
            if id(node) not in names:
                names[id(node)] = frozenset[str]().union(*map(symbols, indices(node)))
            read |= names[id(node)] - own
            if kind is Let:
                own.add(node.name)
        written |= own
    return not (read & written) and not (loaded & stored)


class _Opened:
    """One group of steps with its constants, tables and fragments taken out, in the order in which they stand."""

    def __init__(self, group: tuple[Rollable, ...], tables: frozenset[str]) -> None:
        self.constants: list[int] = []
        self.tables: dict[str, str] = {}
        self.fragments: dict[str, str] = {}
        self.known = tables
        self.steps = tuple(self._step(step) for step in group)

    def _step(self, step: Rollable) -> Rollable:
        opened: Rollable = map_indices(step, self._index, self._test)
        if isinstance(opened, Let):
            return opened.replace(name=self._table(opened.name))
        if isinstance(opened, Compute):
            operands = tuple(map(self._fragment, opened.operands))
            accumulators = tuple(map(self._fragment, opened.accumulators))
            return opened.replace(target=self._fragment(opened.target), accumulators=accumulators, operands=operands)
        return opened.replace(fragment=self._fragment(opened.fragment))

    def _index(self, expr: Index) -> Index:
        """An expression with names for its constants; every sum has one, 0 if need be, for `x` to be like `x + 4`."""
        terms: list[tuple[IndexFn, Index]] = []
        shift = self._terms(expr, 1, terms)
        self.constants.append(shift)
        total: Index = Sym(f"{_ADDED}{len(self.constants) - 1}")
        for fn, term in reversed(terms):
            total = IndexOp(fn, total, term)
        return total

    def _terms(self, expr: Index, sign: int, terms: list[tuple[IndexFn, Index]]) -> int:
        """Collect what a sum adds and takes away, but for constants, whose sum is returned."""
        if type(expr) is Const:
            return sign * expr.value
        if type(expr) is IndexOp and (expr.fn is IndexFn.ADD or expr.fn is IndexFn.SUB):
            left = self._terms(expr.left, sign, terms)
            return left + self._terms(expr.right, sign if expr.fn is IndexFn.ADD else -sign, terms)
        terms.append((IndexFn.ADD if sign > 0 else IndexFn.SUB, self._term(expr)))
        return 0

    def _term(self, expr: Index) -> Index:
        if type(expr) is Sym:
            return Sym(self._table(expr.name)) if expr.name in self.known else expr
        if type(expr) is IndexOp:
            return IndexOp(expr.fn, self._index(expr.left), self._index(expr.right))
        return expr

    def _test(self, test: Test) -> Test:
        return Test(test.fn, self._index(test.left), self._index(test.right))

    def _table(self, name: str) -> str:
        return self.tables.setdefault(name, f"@{len(self.tables)}")

    def _fragment(self, name: str) -> str:
        return self.fragments.setdefault(name, f"%{len(self.fragments)}")


def _alike(groups: list[tuple[Rollable, ...]], role: Role, tables: frozenset[str]) -> list[Node | Roll]:
    """The groups as rolls, those that differ in nothing but what is taken out together; the last group comes last."""
    layout: Callable[[str], FragmentLayout] = lambda name: role.fragment(name).layout  # noqa: E731
    found: dict[object, list[tuple[tuple[Rollable, ...], _Opened]]] = {}
    for group in groups:
        opened = _Opened(group, tables)
        key = (opened.steps, tuple(map(layout, opened.fragments)))
        entries = found.pop(key, [])
        found[key] = [*entries, (group, opened)]
    result: list[Node | Roll] = []
    for entries in found.values():
        if len(entries) == 1:
            result += entries[0][0]
            continue
        every = [opened for _, opened in entries]
        constants = {
            f"{_ADDED}{number}": values
            for number, values in enumerate(zip(*(one.constants for one in every), strict=True))
        }
        alike = {name: Const(values[0]) for name, values in constants.items() if len(set(values)) == 1}
        result.append(
            Roll(
                replace_symbols(every[0].steps, alike),
                {name: values for name, values in constants.items() if name not in alike},
                _transposed([one.tables for one in every]),
                _transposed([one.fragments for one in every]),
                len(every),
            )
        )
    return result


def _transposed(several: list[dict[str, str]]) -> dict[str, tuple[str, ...]]:
    """What each name of the first stands for in all of them."""
    return dict(zip(several[0].values(), zip(*several, strict=True), strict=True))
