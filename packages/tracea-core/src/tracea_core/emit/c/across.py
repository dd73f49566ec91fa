# SPDX-License-Identifier: MIT
"""Steps that look across a row: a thread joins its own registers, then lanes exchange partial results in halves, quarters, and so on.

Every lane ends up with the result, as `Fold` says; the exchanges are a dialect's word. `tracea_core.emit.c.exchange` prints those in
which every lane gets other elements.
"""

from __future__ import annotations

import math

import numpy as np

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.registers import LANE, RegisterSteps, Table
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.index import Guard, holds, symbols
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask


class RowSteps:
    """Prints `Fold`, `Mask`, `Count` and `Join` of one role."""

    def __init__(self, registers: RegisterSteps) -> None:
        self.r, self.dialect, self.writer, self.role = registers, registers.dialect, registers.writer, registers.role

    def step(self, node: Fold | Mask | Count | Join) -> None:
        """Write one step."""
        if isinstance(node, Fold):
            self._fold(node)
        elif isinstance(node, Mask):
            self._mask(node)
        elif isinstance(node, Join):
            self._join(node)
        else:
            self._count(node)

    def _fold(self, node: Fold) -> None:
        source, target = self.r.packed(node.source), self.r.packed(node.target)
        if source.per_word > 1 or target.per_word > 1:
            raise EmitError("lanes reduce whole registers", fragment=node.target, role=self.role.name)
        rows, distances = _rows_of(source.layout, target.layout), _distances(source.layout)
        for register, terms in enumerate(rows):
            self._fold_row(node, f"{target.name}[{register}]", source.name, terms, distances)

    def _fold_row(self, node: Fold, target: str, source: str, terms: tuple[int, ...], distances: list[int]) -> None:
        """Join the registers that hold one row's elements, then what other lanes hold of the row."""
        dtype, line = self.role.fragment(node.source).dtype, self.writer.line
        with self.writer.block("", open_with="{"):
            names = ["folded", *(f"folded{number}" for number in range(1, node.chains or 1))]
            for name, term in zip(names, terms, strict=False):
                line(f"{self.dialect.scalar(dtype)} {name} = {source}[{term}];")
            first, rest = len(names), len(terms) % len(names)
            if terms == tuple(range(len(terms))) and len(terms) > first and not rest:
                line(self.dialect.unroll(None))
                with self.writer.block(
                    f"for (int r = {first}; r < {len(terms)}; {'++r' if first == 1 else f'r += {first}'})"
                ):
                    for place, name in enumerate(names):
                        own = f"{source}[r + {place}]" if place else f"{source}[r]"
                        line(f"{name} = {self._joined(node, name, own)};")
            else:
                for place, term in enumerate(terms[first:]):
                    name = names[place % first]
                    line(f"{name} = {self._joined(node, name, f'{source}[{term}]')};")
            while len(names) > 1:
                half = -(-len(names) // 2)
                for name, other in zip(names, names[half:], strict=False):
                    line(f"{name} = {self._joined(node, name, other)};")
                names = names[:half]
            for distance in distances:
                line(f"folded = {self._joined(node, 'folded', self.dialect.from_lane('folded', distance, dtype))};")
            line(f"{target} = folded;")

    def _join(self, node: Join) -> None:
        """Copy words; a word of the target is a whole word of one source."""
        target = self.r.packed(node.target)
        first, words = 0, {}
        for name in node.sources:
            source = self.r.packed(name)
            if source.per_word != target.per_word:
                raise EmitError("fragments that are joined are packed alike", fragment=name, role=self.role.name)
            for register, place in _places_in(target.layout, source.layout, first).items():
                words[register] = (source, place)
            first += source.layout.shape[1]
        for word in range(target.words):
            size = target.per_word
            found = [words.get(word * size + i) for i in range(size)]  # None: lanes differ in where it comes from
            source, place = found[0] or (target, 1)
            if place % size or any(found[i] != (source, place + i) for i in range(size)):
                raise EmitError("a joined fragment takes whole words", fragment=node.target, role=self.role.name)
            self.writer.line(f"{target.name}[{word}] = {source.name}[{place // size}];")

    def _joined(self, node: Fold, x: str, y: str) -> str:
        dtype = self.role.fragment(node.source).dtype
        return f"{x} + {y}" if node.fn is BinaryFn.ADD else self.dialect.binary(node.fn, dtype, x, y)

    def _mask(self, node: Mask) -> None:
        packed = self.r.packed(node.fragment)
        size = packed.per_word
        if size > 1 and (node.value or not _alike(node.guard, packed.layout, size)):
            raise EmitError(
                "words of packed fragments are masked whole, by zeros", fragment=node.fragment, role=self.role.name
            )
        value = "0u" if size > 1 else self.dialect.constant(node.value, packed.dtype)
        with self.r.each(packed.layout.registers, size) as register:
            test = indices.condition(node.guard, self.r.at(packed.layout, register, LANE))
            if test is not None:
                word = algebra.divide(register, algebra.number(size)) if size > 1 else register
                self.writer.line(f"if (!({test})) {packed.name}[{word.text}] = {value};")

    def _count(self, node: Count) -> None:
        packed = self.r.packed(node.fragment)
        if packed.per_word > 1:
            raise EmitError("a packed fragment holds no counts", fragment=node.fragment, role=self.role.name)
        own = any(name in ("row", "column") or isinstance(self.r.lookup(name), Table) for name in symbols(node.value))
        with self.r.each(packed.words) as word:
            count = indices.term(node.value, self.r.at(packed.layout, word) if own else self.r.single)
            self.writer.line(
                f"{packed.name}[{word.text}] = ({self.dialect.scalar(packed.dtype)}){count.at(algebra.ATOM)};"
            )


def _alike(guard: Guard, layout: FragmentLayout, size: int) -> bool:
    """Tell whether a guard that names rows and columns alone admits whole words of `size` elements or none of their elements."""
    if not frozenset[str]().union(*map(symbols, guard)) <= {"row", "column"}:
        return False
    rows, columns = layout.elements()
    admitted = np.broadcast_to(holds(guard, {"row": rows, "column": columns}), rows.shape).reshape(-1, size)
    return bool((admitted == admitted[:, :1]).all())


def _rows_of(source: FragmentLayout, target: FragmentLayout) -> list[tuple[int, ...]]:
    """Return, for each register of a column, the registers of `source` that hold elements of its row, in every lane alike."""
    rows, wanted = source.elements()[0], target.elements()[0]
    found = [
        tuple(r for r in range(source.registers) if np.array_equal(rows[:, r], wanted[:, t]))
        for t in range(target.registers)
    ]
    if sum(map(len, found)) != source.registers or not all(found):
        raise EmitError("lanes hold other rows than those that they reduce", layout=source)
    return found


def _distances(layout: FragmentLayout) -> list[int]:
    """Return the lane bits along which lanes hold other elements of one row, the highest first."""
    rows, columns = layout.elements()
    bits = [1 << bit for bit in reversed(range((layout.lanes - 1).bit_length()))]
    along = [bit for bit in bits if np.array_equal(rows[bit], rows[0])]
    twice = [bit for bit in along if np.array_equal(columns[bit], columns[0])]
    lanes, across, same = np.arange(layout.lanes), sum(along), sum(twice)
    apart = layout.registers * (layout.lanes >> len(twice))
    if (
        not np.array_equal(rows, rows[lanes & ~across])
        or not np.array_equal(columns, columns[lanes & ~same])
        or apart != math.prod(layout.shape)
    ):
        raise EmitError("no exchange of halves, quarters and so on reduces such rows", layout=layout)
    return [bit for bit in along if bit not in twice]


def _places_in(target: FragmentLayout, source: FragmentLayout, first: int) -> dict[int, int]:
    """Return which register of `target` is which register of `source`, where it lies `first` columns to the right."""
    rows, columns = target.elements()
    own = {
        (tuple(source.elements()[0][:, r]), tuple(source.elements()[1][:, r] + first)): r
        for r in range(source.registers)
    }
    keys = ((r, (tuple(rows[:, r]), tuple(columns[:, r]))) for r in range(target.registers))
    return {r: own[key] for r, key in keys if key in own}
