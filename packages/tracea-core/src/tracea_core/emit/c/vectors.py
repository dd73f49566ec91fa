# SPDX-License-Identifier: MIT
"""Steps of a CPU's worker: a fragment is an array of the language's vectors, one a register, and a lane is an element of each.

Where the lanes of a register reach memory side by side, or all compute the same function in fp32, the text moves and computes whole
vectors. Elsewhere (edges, gathers, conversions) it counts the lanes. Indices are 64 bits wide, as on every CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tracea_core.dtypes import DType
from tracea_core.emit.c import algebra, coordinates, indices
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.copies import holders
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.emit.c.expressions import ExpressionPrinter
from tracea_core.emit.c.packed_words import read
from tracea_core.emit.c.registers import LANE, Lookup, RegisterSteps, Table
from tracea_core.emit.c.tiles import BufferOffset
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Binary, Constant, Expr, Operand, Unary, walk
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.kernel import Fragment, Role
from tracea_core.semantic.row_steps import Prefetch
from tracea_core.semantic.steps import Access, BufferRef, Compute, Fill, Let, Load, Store, Transfer, Turn

_SIDE_BY_SIDE = (Transfer.VECTOR, Transfer.STREAM)
_WHOLE = (Accumulator, Operand, Constant, Unary, Binary)
"""What an expression may consist of whose text is the same for vectors: comparisons of vectors are no conditions."""


@dataclass(frozen=True)
class LaneTable(Table):
    """A table whose integers differ between lanes: `lanes` of them for each register."""

    lanes: int = 1


class VectorSteps(RegisterSteps):
    """Prints the steps of a worker that move or compute registers.

    Fragments whose name is among `taken`, those of arguments and buffers, are called something else.
    """

    def __init__(
        self, role: Role, dialect: Dialect, writer: SourceWriter, lookup: Lookup, place: BufferOffset,
        taken: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        super().__init__(role, dialect, writer, lookup, place)
        self.taken = taken

    # ---- fragments

    @property
    def _lanes(self) -> int:
        return self.role.lanes

    def _declared(self, fragment: Fragment) -> Packed:
        name = f"{fragment.name}_held" if fragment.name in self.taken else fragment.name
        return Packed(name, fragment.dtype, fragment.layout, 1)

    @contextmanager
    def each(self, count: int, step: int = 1) -> Iterator[Term]:
        """Write a loop over registers and yield the register's number; axes of reductions are called ``r``, so this is not."""
        if count == 1:
            with self.writer.block("", open_with="{"):
                yield algebra.ZERO
            return
        self.writer.line(self.dialect.unroll(None))
        with self.writer.block(f"for (int reg = 0; reg < {count}; ++reg)"):
            yield algebra.symbol("reg", 0, count - 1)

    def declare(self) -> None:
        """Write the declarations of the role's fragments."""
        held = holders(self.role)
        for fragment in self.role.fragments:
            if fragment.name not in held:
                continue  # a lane map alone
            rows, columns = fragment.layout.shape
            kind = self.dialect.vector(fragment.dtype, self._lanes)
            words = f"{rows}x{columns} {fragment.dtype.value} of the {self.role.actor.value}"
            self.writer.line(f"{kind} {self._declared(fragment).name}[{fragment.layout.registers}];  // {words}")

    def _partner(self, layout: FragmentLayout, other: FragmentLayout, register: Term, what: str) -> Term:
        """Return the register of a row's or a column's value; tiles of a CPU have any number of either."""
        found = coordinates.partners(layout, other)
        number = coordinates.register_map(found, register)
        for extent in range(2, len(found)):
            if number is None and all(place == r // extent for r, place in enumerate(found)):
                number = algebra.divide(register, algebra.number(extent))
            if number is None and all(place == r % extent for r, place in enumerate(found)):
                number = algebra.modulo(register, algebra.number(extent))
        if number is None:
            raise EmitError(f"the registers of {what!r} do not follow those that use them")
        return number

    @contextmanager
    def each_lane(self, unrolled: bool) -> Iterator[None]:
        """Write a loop over the lanes."""
        if unrolled:
            self.writer.line(self.dialect.unroll(None))
        with self.writer.block(f"for (int lane = 0; lane < {self._lanes}; ++lane)"):
            yield

    def at(self, layout: FragmentLayout, register: Term, lane: Term = LANE) -> Callable[[str], Term]:
        """Return the look-up of symbols at a register and a lane."""
        plain = super().at(layout, register, lane)

        def lookup(name: str) -> Term:
            found = None if name in ("row", "column") else self.lookup(name)
            if not isinstance(found, LaneTable):
                return plain(name)
            number = self._partner(layout, found.layout, register, found.name)
            if found.lanes > 1:
                number = algebra.add(algebra.multiply(number, algebra.number(found.lanes)), lane)
            return algebra.symbol(f"{found.name}[{number.text}]", wide=True)

        return lookup

    def table(self, let: Let) -> Table:
        """Write a table with a value for each element of a fragment, or for each register where its lanes share one."""
        assert let.fragment is not None
        layout = self.role.fragment(let.fragment).layout
        rows, columns = layout.elements()
        lanes = layout.lanes if (rows != rows[:1]).any() or (columns != columns[:1]).any() else 1
        self.writer.line(f"i64 {let.name}[{layout.registers * lanes}];")
        with self.each(layout.registers) as register:
            place = register
            if lanes > 1:
                place = algebra.add(algebra.multiply(register, algebra.number(lanes)), LANE)
                with self.each_lane(unrolled=False):
                    value = indices.term(let.value, self.at(layout, register))
                    self.writer.line(f"{let.name}[{place.text}] = {value.text};")
            else:
                value = indices.term(let.value, self.at(layout, register, algebra.ZERO))
                self.writer.line(f"{let.name}[{place.text}] = {value.text};")
        return LaneTable(let.name, layout, lanes)

    # ---- steps

    def _fill(self, node: Fill) -> None:
        packed = self.packed(node.fragment)
        with self.each(packed.words) as register:
            self.writer.line(f"{packed.name}[{register.text}] = {self._stored(node.value, packed.dtype)};")

    def turn(self, node: Turn) -> None:
        """Write a fragment's elements into the lanes of another one."""
        target, source = self.packed(node.target), self.packed(node.source)
        rows, columns = source.layout.elements()
        place = {(int(rows[lane, r]), int(columns[lane, r])): (r, lane) for lane, r in _places(source.layout)}
        rows, columns = target.layout.elements()
        kind = self.dialect.vector(target.dtype, self._lanes)
        for r in range(target.layout.registers):
            found = [place[int(rows[lane, r]), int(columns[lane, r])] for lane in range(self._lanes)]
            parts = [self.dialect.vector_part(f"{source.name}[{number}]", lane) for number, lane in found]
            self.writer.line(f"{target.name}[{r}] = {self.dialect.vector_of(kind, parts)};")

    def prefetch(self, node: Prefetch) -> None:
        """Write the request for a line of memory."""
        offset = indices.address(node.offset, self.single)
        self.writer.line(self.dialect.prefetch(f"{node.operand}[{offset.text}]", node.level, node.write))

    def _compute(self, node: Compute) -> None:
        if node.approximate:
            raise EmitError("a CPU kernel's functions are exact", fragment=node.target)
        target = self.packed(node.target)
        names = (*node.accumulators, *node.operands)
        types = {target.dtype, node.dtype, *(self.packed(name).dtype for name in names)}
        whole = types == {DType.FP32} and all(isinstance(part, _WHOLE) for part in walk(node.expr))
        whole = whole or (node.expr == Accumulator(0) and len(types) == 1)
        with self.each(target.layout.registers) as register:
            if whole:
                self._value(node, target, register, "", self.dialect.vector(node.dtype, self._lanes))
            else:
                with self.each_lane(unrolled=True):
                    self._value(node, target, register, "[lane]", "")

    def _value(self, node: Compute, target: Packed, register: Term, lane: str, kind: str) -> None:
        sources: dict[Expr, Packed] = {
            **{Accumulator(i): self.packed(name) for i, name in enumerate(node.accumulators)},
            **{Operand(i): self.packed(name) for i, name in enumerate(node.operands)},
        }

        def leaf(expr: Expr) -> str:
            packed = sources[expr]
            partner = self._partner(target.layout, packed.layout, register, packed.name)
            return self.dialect.cast(f"{read(packed, partner)}{lane}", packed.dtype, node.dtype)

        printer = ExpressionPrinter(self.dialect, node.dtype, leaf, kind=kind)
        if lane or node.expr != Accumulator(0):
            value = printer.print(node.expr, self.writer)
            value = self.dialect.round(value, node.dtype, target.dtype, not target.dtype.is_float)
        else:  # a vector of any type, as it is
            packed = sources[node.expr]
            value = read(packed, self._partner(target.layout, packed.layout, register, packed.name))
        self.writer.line(f"{target.name}[{register.text}]{lane} = {value};")

    # ---- memory

    def _move(self, node: Load | Store, packed: Packed, reference: Access | BufferRef) -> None:
        if node.width != 1:
            raise EmitError("the registers of a worker move one at a time", fragment=packed.name)
        broadcast = node.transfer is Transfer.BROADCAST
        if broadcast and isinstance(node, Store):
            raise EmitError("lanes do not store one element together", fragment=packed.name)
        whole = broadcast or (node.transfer in _SIDE_BY_SIDE and not node.guard)
        with self.each(packed.layout.registers) as register:
            if whole:
                self._move_whole(node, packed, register)
            else:
                with self.each_lane(unrolled=not node.guard):
                    self._move_lane(node, packed, register)

    def _move_whole(self, node: Load | Store, packed: Packed, register: Term) -> None:
        """Move a vector, or one element to all lanes."""
        reference = node.source if isinstance(node, Load) else node.target
        lookup = self._named(packed.layout, register, algebra.ZERO, reference, node.guard)
        address, vector = self._address(reference, lookup, packed.dtype), f"{packed.name}[{register.text}]"
        if isinstance(node, Store):
            self.writer.line(self.dialect.vector_store(self._lanes, vector, address))
        elif node.transfer is Transfer.BROADCAST:
            test = indices.condition(node.guard, lookup)
            value = f"{test} ? {address} : {self._stored(node.fill, packed.dtype)}" if test else address
            self.writer.line(f"{vector} = {value};")
        else:
            self.writer.line(f"{vector} = {self.dialect.vector_load(self._lanes, address)};")

    def _move_lane(self, node: Load | Store, packed: Packed, register: Term) -> None:
        reference = node.source if isinstance(node, Load) else node.target
        lane = LANE._replace(high=self._lanes - 1)
        lookup = self._named(packed.layout, register, lane, reference, node.guard)
        address, test = self._address(reference, lookup, packed.dtype), indices.condition(node.guard, lookup)
        element = f"{packed.name}[{register.text}][lane]"
        if isinstance(node, Store):
            self.writer.line(f"{f'if ({test}) ' if test else ''}{address} = {element};")
            return
        fill = self._stored(node.fill, packed.dtype)
        value = f"{test} ? {address} : {fill}" if test else address
        self.writer.line(f"{element} = {fill if test == 'false' else value};")


def _places(layout: FragmentLayout) -> Iterator[tuple[int, int]]:
    """Yield (lane, register) of every place of a fragment."""
    return ((lane, register) for register in range(layout.registers) for lane in range(layout.lanes))
