# SPDX-License-Identifier: MIT
"""Steps on a thread's registers: fills, loads, stores, expressions, parts of fragments.

Each becomes an unrolled loop over register numbers in which the element's row and column are bit fields of the lane and the
register, so a person can read which thread touches what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from tracea_core.dtypes import DType
from tracea_core.emit.c import algebra, coordinates, indices
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.coordinate_uses import adds_its_column, folded
from tracea_core.emit.c.copies import copy_registers, holders
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.emit.c.expressions import ExpressionPrinter
from tracea_core.emit.c.matrix_groups import matrices_of
from tracea_core.emit.c.packed_words import read, written, written_half
from tracea_core.emit.c.tiles import BufferOffset, tile_move
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Expr, Operand
from tracea_core.ops.printing import text
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.held import held_let
from tracea_core.semantic.index import (
    COLUMN,
    ROW,
    Const,
    Guard,
    Index,
    Sym,
    Test,
    addends,
    symbols,
)
from tracea_core.semantic.kernel import Fragment, Opaque, Role
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    BufferRef,
    Compute,
    Extract,
    Fill,
    Let,
    Load,
    Store,
    Transfer,
)

_WORD = 4


@dataclass(frozen=True)
class Table:
    """An integer for each element of a fragment: an array with the fragment's registers."""

    name: str
    layout: FragmentLayout
    wide: bool = field(default=False, kw_only=True)


Lookup: TypeAlias = Callable[[str], Term | Table]
LANE = algebra.symbol("lane", 0, 1023)


class RegisterSteps:
    """Prints the steps of one role that move or compute registers."""

    def __init__(self, role: Role, dialect: Dialect, writer: SourceWriter, lookup: Lookup, place: BufferOffset) -> None:
        self.role, self.dialect, self.writer, self.lookup, self.place = role, dialect, writer, lookup, place

    # ---- fragments

    def packed(self, name: str) -> Packed:
        """Return a fragment as it is declared."""
        return self._declared(self.role.fragment(name))

    def _declared(self, fragment: Fragment) -> Packed:
        per_word = _WORD // fragment.dtype.bytes if fragment.dtype.bytes < _WORD else 1
        if fragment.layout.registers % per_word:
            per_word = 1
        opaque = fragment.opaque if isinstance(fragment.opaque, Opaque) else None
        return Packed(fragment.name, fragment.dtype, fragment.layout, per_word, opaque)

    def declare(self) -> None:
        """Write the declarations of the role's fragments."""
        held = holders(self.role)
        for fragment in self.role.fragments:
            if fragment.name not in held:
                continue  # a lane map alone
            packed = self._declared(fragment)
            rows, columns = fragment.layout.shape
            kind = "unsigned" if packed.per_word > 1 else self.dialect.scalar(fragment.dtype)
            words = f"{rows}x{columns} {fragment.dtype.value} of the {self.role.actor.value}"
            self.writer.line(f"{self.dialect.registers(packed, kind)};  // {words}")

    @contextmanager
    def each(self, count: int, step: int = 1) -> Iterator[Term]:
        """Write a loop over registers `step` at a time and yield the register's number."""
        if count == step:
            with self.writer.block("", open_with="{"):
                yield algebra.ZERO
            return
        self.writer.line(self.dialect.unroll(None))
        advance = "++r" if step == 1 else f"r += {step}"
        with self.writer.block(f"for (int r = 0; r < {count}; {advance})"):
            yield algebra.symbol("r", 0, count - step)

    def at(self, layout: FragmentLayout, register: Term, lane: Term = LANE) -> Callable[[str], Term]:
        """Return the look-up of symbols at a register; rows and columns are printed where they are used."""
        row, column = coordinates.element(layout, lane, register)

        def lookup(name: str) -> Term:
            if name in ("row", "column"):
                return row if name == "row" else column
            found = self.lookup(name)
            if isinstance(found, Term):
                return found
            number = self._partner(layout, found.layout, register, found.name)
            return algebra.symbol(f"{found.name}[{number.text}]", wide=found.wide)

        return lookup

    def _partner(self, layout: FragmentLayout, other: FragmentLayout, register: Term, what: str) -> Term:
        number = coordinates.register_map(coordinates.partners(layout, other), register)
        if number is None:
            raise EmitError(f"the registers of {what!r} do not follow those that use them")
        return number

    def table(self, let: Let) -> Table:
        """Write a table with a value for each element of a fragment."""
        assert let.fragment is not None
        layout = self.role.fragment(let.fragment).layout
        self.writer.line(f"{'i64' if let.wide is True else 'int'} {let.name}[{layout.registers}];")
        if held_let(let):
            packed = self.packed(let.fragment)
            with self.each(layout.registers) as register:
                self.writer.line(f"{let.name}[{register.text}] = {read(packed, register)};")
            return Table(let.name, layout)
        with self.each(layout.registers) as register:
            value = indices.term(let.value, self.at(layout, register))
            self.writer.line(f"{let.name}[{register.text}] = {value.text};")
        return Table(let.name, layout, wide=let.wide is True)

    # ---- steps

    def step(self, node: Fill | Load | Store | Compute | Extract | AsyncCopy) -> None:
        """Write one step."""
        match node:
            case Fill():
                self._fill(node)
            case Load():
                self._move(node, self.packed(node.fragment), node.source)
            case Store():
                self._move(node, self.packed(node.fragment), node.target)
            case Compute():
                self._compute(node)
            case Extract():
                self._extract(node)
            case AsyncCopy():
                with self.each(self.role.fragment(node.fragment).layout.registers, node.width) as register:
                    self._async_copy(node, register)

    def _fill(self, node: Fill) -> None:
        packed = self.packed(node.fragment)
        dtype = packed.dtype
        if packed.opaque is not None:
            return self.writer.line(self.dialect.tile_fill(packed, self.dialect.constant(node.value, dtype)))
        if packed.per_word > 1 and node.value:
            raise EmitError("a packed fragment is only filled with zeros", fragment=node.fragment)
        if dtype.is_float:
            value = "0" if packed.per_word > 1 else self.dialect.constant(node.value, dtype)
        elif node.value == int(node.value):
            value = str(int(node.value))
        else:
            raise EmitError("integers are filled with an integer", fragment=node.fragment, value=node.value)
        with self.each(packed.words) as word:
            self.writer.line(f"{packed.name}[{word.text}] = {value};")

    def _extract(self, node: Extract) -> None:
        target, source = self.packed(node.target), self.packed(node.source)
        row, column = (indices.term(index, self.single) for index in (node.row, node.column))
        if row.constant is None or column.constant is None:
            raise EmitError("a part of a fragment begins at a place known when printing", fragment=node.source)
        if target.dtype is not source.dtype:
            raise EmitError("a part of a fragment has its type", fragment=node.target)
        (rows, columns), (tall, wide) = target.layout.shape, source.layout.shape
        taken = node.columns(column.constant, columns)
        if not (0 <= row.constant <= tall - rows and column.constant >= 0 and taken.stop <= wide):
            raise EmitError("a part of a fragment lies within it", fragment=node.source)
        found = coordinates.partners(target.layout, source.layout, row.constant, column.constant, node.apart)
        per_word = target.per_word
        whole = found[::per_word]
        if source.per_word != per_word or any(
            found[i] != whole[i // per_word] + i % per_word or whole[i // per_word] % per_word
            for i in range(len(found))
        ):
            raise EmitError("a part of a fragment takes whole words", fragment=node.target)
        words = tuple(register // per_word for register in whole)
        if coordinates.register_map(words, algebra.symbol("r")) is None:
            for place, word in enumerate(words):
                self.writer.line(f"{target.name}[{place}] = {source.name}[{word}];")
            return
        with self.each(len(words)) as register:
            word_term = coordinates.register_map(words, register)
            assert word_term is not None
            self.writer.line(f"{target.name}[{register.text}] = {source.name}[{word_term.text}];")

    def single(self, name: str) -> Term:
        """Return what a symbol with one value stands for here."""
        found = self.lookup(name)
        if isinstance(found, Table):
            raise EmitError(f"{name!r} has no single value here")
        return found

    def _compute(self, node: Compute) -> None:
        target = self.packed(node.target)
        if node.expr == Accumulator(0) and self.packed(node.accumulators[0]).dtype is target.dtype is node.dtype:
            copy_registers(target, self.packed(node.accumulators[0]), read, self.dialect, self.writer)
            return
        sources: dict[Expr, Packed] = {
            **{Accumulator(i): self.packed(name) for i, name in enumerate(node.accumulators)},
            **{Operand(i): self.packed(name) for i, name in enumerate(node.operands)},
        }

        def value(register: Term, writer: SourceWriter) -> str:
            def leaf(expr: Expr) -> str:
                packed = sources[expr]
                partner = self._partner(target.layout, packed.layout, register, packed.name)
                return self.dialect.cast(read(packed, partner), packed.dtype, node.dtype)

            form = node.expr if isinstance(node.approximate, bool) else node.approximate
            return ExpressionPrinter(self.dialect, node.dtype, leaf, bool(node.approximate)).print(form, writer)

        if not isinstance(node.approximate, bool):
            self.writer.line(f"// nearly {text(node.expr, node.operands, node.accumulators)}")
        pairs = target.per_word == 2 and self.dialect.round_pair("", "", node.dtype, target.dtype) is not None
        with self.each(target.layout.registers, 2 if pairs else 1) as register:
            if pairs:
                low, high = self._both(node.dtype, value, register)
                word = algebra.divide(register, algebra.number(2))
                self.writer.line(
                    f"{target.name}[{word.text}] = {self.dialect.round_pair(low, high, node.dtype, target.dtype)};"
                )
            else:
                saturate = not target.dtype.is_float
                rounded = self.dialect.round(value(register, self.writer), node.dtype, target.dtype, saturate)
                self.writer.line(written(target, register, rounded))

    def _both(self, dtype: DType, value: Callable[[Term, SourceWriter], str], register: Term) -> tuple[str, str]:
        """Return the values of two neighbouring registers, named where they take more than one line."""
        found = []
        for name, offset in (("low", 0), ("high", 1)):
            before = SourceWriter()
            text = value(algebra.add(register, algebra.number(offset)), before)
            if before.mark():
                self.writer.line(f"{self.dialect.scalar(dtype)} {name};")
                with self.writer.block("", open_with="{"):
                    self.writer.line(before.text().rstrip("\n"))
                    self.writer.line(f"{name} = {text};")
                text = name
            found.append(text)
        return found[0], found[1]

    # ---- memory

    def _move(self, node: Load | Store, packed: Packed, reference: Access | BufferRef) -> None:
        if node.transfer is Transfer.TILE or packed.opaque is not None:
            self.writer.line(tile_move(node, packed, reference, self.dialect, self.single, self.place))
            return
        if node.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED):
            if not isinstance(reference, BufferRef):
                raise EmitError("matrices are moved between registers and shared memory", fragment=node.fragment)
            self._matrices(node, packed, reference)
            return
        apart = adds_its_column(reference)
        with self.each(packed.layout.registers, node.width) as register:
            named = self._named(packed.layout, register, LANE, None if apart else reference, node.guard)
            address = self._address(reference, self.at(packed.layout, register) if apart else named, packed.dtype)
            test = indices.condition(node.guard, named)
            if node.width == 1:
                self._move_one(node, packed, register, address, test)
            else:
                self._move_run(node, packed, register, address, test)

    def _async_copy(self, node: AsyncCopy, register: Term) -> None:
        packed = self.packed(node.fragment)
        lookup = self.at(packed.layout, register)
        target, source = (self._address(place, lookup, packed.dtype) for place in (node.target, node.source))
        test = indices.condition(node.guard, lookup) or "true"
        self.writer.line(self.dialect.async_copy(node.width * packed.dtype.bytes, target, source, test))

    def _named(
        self, layout: FragmentLayout, register: Term, lane: Term, reference: Access | BufferRef | None, guard: Guard
    ) -> Callable[[str], Term]:
        """Write the row and column of a register as integers, where they are used and more than a name."""
        places: tuple[Index, ...] = ()
        if reference is not None:
            places = (reference.offset,) if isinstance(reference, Access) else reference.coordinates
        expressions: tuple[Index | Test, ...] = (*places, *guard)
        used = frozenset[str]().union(*(symbols(expression) for expression in expressions))
        lookup = self.at(layout, register, lane)
        named = {}
        for name in ("row", "column"):
            value = lookup(name)
            if name in used and value.constant is None and value.level < algebra.ATOM and not folded(name, expressions):
                self.writer.line(f"const int {name} = {value.text};")
                named[name] = value.named(name, divided=True)
        return lambda name: named[name] if name in named else lookup(name)

    def _from_corner(self, offset: Index) -> tuple[str | None, Index]:
        """Divide an offset into a place that a wide table holds, and what is added: the sum of the former and the pointer is kept then."""
        parts = addends(offset)
        first = parts[0]
        found = self.lookup(first.name) if isinstance(first, Sym) and first not in (ROW, COLUMN) else None
        if not (isinstance(found, Table) and found.wide and isinstance(first, Sym)):
            return None, offset
        return first.name, sum(parts[1:], Const(0))

    def _address(self, reference: Access | BufferRef, lookup: Callable[[str], Term], dtype: DType) -> str:
        if isinstance(reference, Access):
            corner, rest = self._from_corner(reference.offset)
            if corner is not None:
                return self.dialect.address_from(reference, lookup(corner), indices.address(rest, lookup))
            return self.dialect.global_address(reference, indices.address(reference.offset, lookup))
        slot = None if reference.slot is None else indices.term(reference.slot, lookup)
        buffer, place = self.place(reference, tuple(indices.term(c, lookup) for c in reference.coordinates), slot)
        if buffer.dtype is not dtype:
            raise EmitError(f"{buffer.name!r} holds {buffer.dtype.value}, the fragment {dtype.value}")
        rank = None if reference.rank is None else indices.term(reference.rank, lookup)
        return self.dialect.element(buffer, place, rank)

    def _move_one(self, node: Load | Store, packed: Packed, register: Term, address: str, test: str | None) -> None:
        if isinstance(node, Store):
            guard = f"if ({test}) " if test else ""
            self.writer.line(f"{guard}{address} = {read(packed, register)};")
            return
        value = address
        if test:
            fill = self._stored(node.fill, packed.dtype)
            value = f"{test} ? {address} : {fill}" if test != "false" else fill
        self.writer.line(written(packed, register, value))

    def _stored(self, value: float, dtype: DType) -> str:
        """Return a constant in the stored form of `dtype`."""
        if dtype in (DType.FP32, DType.FP64):
            return self.dialect.constant(value, dtype)
        return str(int(dtype.encode(value)))

    def _move_run(self, node: Load | Store, packed: Packed, register: Term, address: str, test: str | None) -> None:
        if node.width * packed.dtype.bytes == _WORD // 2 and isinstance(node, Load) and not test:
            self.writer.line(written_half(packed, register, self.dialect.half_at(address)))
            return
        words = node.width * packed.dtype.bytes // _WORD
        if packed.dtype.bytes > _WORD or words not in (1, 2, 4) or words * packed.per_word != node.width:
            raise EmitError(
                f"a run of {node.width} {packed.dtype.value} is no access of 4, 8 or 16 bytes", fragment=packed.name
            )
        word = algebra.divide(register, algebra.number(packed.per_word))
        if isinstance(node, Store):
            statement = self.dialect.store_run(packed, word, words, address)
            self.writer.line(f"if ({test}) {statement}" if test else statement)
            return
        statement = self.dialect.load_run(packed, word, words, address)
        if not test:
            self.writer.line(statement)
            return
        fill = "0" if packed.per_word > 1 else self._stored(node.fill, packed.dtype)
        if packed.per_word > 1 and node.fill:
            raise EmitError("packed elements beyond an edge are zeros", fragment=packed.name)
        fills = " ".join(f"{packed.name}[{algebra.add(word, algebra.number(i)).text}] = {fill};" for i in range(words))
        self.writer.line(f"if ({test}) {statement}")
        self.writer.line(f"else {{ {fills} }}")

    def _matrices(self, node: Load | Store, packed: Packed, reference: BufferRef) -> None:
        """Move 8×8 matrices."""
        if node.guard or node.width != 1 or packed.per_word != 2:
            raise EmitError("matrices of 16-bit elements are moved whole", fragment=packed.name)
        lane, transposed = LANE._replace(high=packed.layout.lanes - 1), node.transfer is Transfer.MATRIX_TRANSPOSED
        for first, count, holder, register in matrices_of(packed, lane, transposed):
            with self.writer.block("", open_with="{"):
                lookup = self._named(packed.layout, register, holder, reference, ())
                slot = None if reference.slot is None else indices.term(reference.slot, lookup)
                buffer, offset = self.place(
                    reference, tuple(indices.term(c, lookup) for c in reference.coordinates), slot
                )
                move = self.dialect.matrix_store if isinstance(node, Store) else self.dialect.matrix_load
                self.writer.line(move(packed, first, count, buffer, offset, transposed))
