# SPDX-License-Identifier: MIT
"""Loads and stores: one access for each register of a fragment, exactly as wide and as guarded as its step says.

An address is built from the outside in: what the innermost loop does not change is added to the pointer before the
loop, constants come last, where the machine's addressing modes take them. Lanes that gather read element by element,
which is what AVX2 machines do fastest; a lane that its guard excludes is pointed at a word that holds the fill, so it
needs no branch and touches no operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from tracea_core.dtypes import DType
from tracea_core.emit import linear
from tracea_core.emit.linear import Linear
from tracea_core.emit.offsets import buffer_offset
from tracea_core.emit.registers import Register, is_row_of_columns, registers
from tracea_core.emit.ssa import Item
from tracea_core.errors import EmitError
from tracea_core.semantic.index import COLUMN, Index, coefficient, symbols
from tracea_core.semantic.kernel import Fragment, SemanticKernel
from tracea_core.semantic.row_steps import STREAM_BYTES, Prefetch
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

from tracea_llvm.builder import Builder
from tracea_llvm.convert import element, literal, suffix
from tracea_llvm.halves import halves_are_joined, load_halves
from tracea_llvm.indices import Condition, IndexPrinter, Lookup

Places: TypeAlias = Callable[[Fragment, int], Lookup]
"""The symbols' values at one register of a fragment."""


class Memory:
    """Prints the accesses of one kernel.

    Parameters
    ----------
    places : callable
        ``places(fragment, register)`` looks symbols up, `ROW`, `COLUMN` and tables included.
    scalars : callable
        Looks up symbols that have one value.

    Attributes
    ----------
    walked : dict
        Of counters of loops that begin at 0: how many positions there are at most, where those are few.
    constants : list
        Lines that define what loads read besides.
    """

    def __init__(
        self, kernel: SemanticKernel, builder: Builder, index: IndexPrinter, places: Places, scalars: Lookup
    ) -> None:
        self.kernel, self.builder, self.index, self.places, self.scalars = kernel, builder, index, places, scalars
        self.lanes = index.lanes
        self.pointers: dict[str, str] = {}
        self.fills: dict[str, str] = {}
        self.prologue: list[Item] = []
        self.walked: dict[str, int] = {}
        self.constants: list[str] = []

    # ---- steps

    def load(self, step: Load, fragment: Fragment, *, turned: bool = False) -> tuple[str, ...]:
        """Print a load and return the registers.

        Parameters
        ----------
        turned : bool
            Whether square blocks of them are turned next, and nothing else is made of them (`tracea_llvm.halves`).
        """
        halves = turned and halves_are_joined(self.lanes, fragment.dtype)
        one = {
            Transfer.VECTOR: self._load_halves if halves else self._load_vector,
            Transfer.BROADCAST: self._load_broadcast,
            Transfer.GATHER: self._load_gather,
        }.get(step.transfer)
        if one is None or step.width != 1:
            runs = f" in runs of {step.width}" if step.width != 1 else ""
            raise EmitError(f"LLVM IR has no {step.transfer.value} load{runs}", fragment=step.fragment)
        self._check(step.source, fragment)
        return tuple(one(step, fragment, number, r) for number, r in enumerate(registers(fragment.layout)))

    def store(self, step: Store, fragment: Fragment, values: tuple[str, ...]) -> None:
        """Print a store of the registers `values`."""
        one = {
            Transfer.VECTOR: self._store_vector,
            Transfer.BROADCAST: self._store_broadcast,
            Transfer.GATHER: self._store_scatter,
            Transfer.STREAM: self._store_stream,
        }.get(step.transfer)
        if one is None or step.width != 1:
            runs = f" in runs of {step.width}" if step.width != 1 else ""
            raise EmitError(f"LLVM IR has no {step.transfer.value} store{runs}", fragment=step.fragment)
        self._check(step.target, fragment)
        for number, (register, value) in enumerate(zip(registers(fragment.layout), values, strict=True)):
            condition = self.index.condition(step.guard, self.places(fragment, number))
            if not condition.never:
                one(step, fragment, number, register, value, condition)

    def _check(self, reference: Access | BufferRef, fragment: Fragment) -> None:
        if isinstance(reference, Access):
            stored = self.kernel.parameter(reference.operand).dtype
        else:
            stored = self.kernel.buffer(reference.buffer).dtype
        if stored is not fragment.dtype:
            raise EmitError(
                f"the fragment {fragment.name!r} moves {fragment.dtype.value} where {stored.value} is stored"
            )

    # ---- loads of one register

    def _load_vector(self, step: Load, fragment: Fragment, number: int, register: Register) -> str:
        kind, name = self._vector(fragment), _name(fragment, register)
        condition = self.index.condition(step.guard, self.places(fragment, number))
        fill = self._fill(step, fragment)
        if condition.never:
            return fill
        pointer, align = self._pointer(step.source, fragment, register, self.first(step.source, fragment, number))
        if condition.always:
            return self.builder.value(f"load {kind}, ptr {pointer}, align {align}", name)
        call = self.builder.intrinsic(
            kind, f"llvm.masked.load.{self._suffix(fragment)}.p0",
            ("ptr", pointer), ("i32", str(align)), (self._masks, self.index.mask(condition)), (kind, fill),
        )  # fmt: skip
        return self.builder.value(call, name)

    def _load_halves(self, step: Load, fragment: Fragment, number: int, register: Register) -> str:
        if not self.index.condition(step.guard, self.places(fragment, number)).always:
            return self._load_vector(step, fragment, number, register)
        kind, name = self._vector(fragment), _name(fragment, register)
        pointer, align = self._pointer(step.source, fragment, register, self.first(step.source, fragment, number))
        return load_halves(self.builder, kind, pointer, align, name)

    def _load_broadcast(self, step: Load, fragment: Fragment, number: int, register: Register) -> str:
        if self.index.condition(step.guard, self.places(fragment, number)).never:
            return self._fill(step, fragment)
        return self.spread(
            self.guarded_element(step, fragment, number), element(fragment.dtype), _name(fragment, register)
        )

    def guarded_element(self, step: Load, fragment: Fragment, number: int) -> str:
        """Print the load of the one element that all lanes of a register receive, or of the fill where the guard fails."""
        condition = self.index.condition(step.guard, self.places(fragment, number))
        if condition.mask is not None:
            raise EmitError("a broadcast load has one guard for all lanes", fragment=fragment.name)
        name, kind = _name(fragment, registers(fragment.layout)[number]), element(fragment.dtype)
        pointer, align = self._chosen_before(step, fragment, number, condition), fragment.dtype.bytes
        if pointer is None:
            pointer, align = self.place(step.source, fragment, number)
            if condition.scalar is not None:
                safe = self._safe(step, fragment.dtype)
                pointer = self.builder.here(f"select i1 {condition.scalar}, ptr {pointer}, ptr {safe}", "safe_at")
                align = fragment.dtype.bytes
        return self.builder.value(f"load {kind}, ptr {pointer}, align {align}", f"{name}_one")

    def _chosen_before(self, step: Load, fragment: Fragment, number: int, condition: Condition) -> str | None:
        """Return an address that was chosen ahead of a loop, which goes along it or along as many zeros; None where that cannot be.

        The test must be known there, and the loop go from element to element, no more of them than `walked` says.
        """
        known = None if condition.scalar is None else self.builder.depth_of(condition.scalar)
        offset, kind = self.first(step.source, fragment, number), element(fragment.dtype)
        inner = [term for term in offset.terms if known is not None and self.builder.place(term[0].depth) > known]
        if known is None or len(inner) != 1 or inner[0][1] != 1 or inner[0][0].name not in self.walked:
            return None
        if not isinstance(step.source, Access) or self._fill(step, fragment) != "zeroinitializer":
            return None
        outer = Linear(0, tuple(term for term in offset.terms if term not in inner))
        base = self._advance(self.pointers[step.source.operand], 0, kind, outer, f"{step.source.operand}_at")
        zeros = self._zeros(fragment.dtype, self.walked[inner[0][0].name])
        text = f"select i1 {condition.scalar}, ptr {base[0]}, ptr {zeros}"
        chosen, depth = self.builder.pure(text, "chosen_at", max(base[1], known))
        return self._advance(chosen, depth, kind, Linear(offset.constant, tuple(inner)), "one_at")[0]

    def _load_gather(self, step: Load, fragment: Fragment, number: int, register: Register) -> str:
        condition = self.index.condition(step.guard, self.places(fragment, number))
        name, kind, vector = _name(fragment, register), element(fragment.dtype), self._vector(fragment)
        if condition.never:
            return self._fill(step, fragment)
        pointers = self._lane_pointers(step.source, fragment, number, register, condition, step)
        value = "poison"
        for lane, pointer in enumerate(pointers):
            one = self.builder.value(f"load {kind}, ptr {pointer}, align {fragment.dtype.bytes}", f"{name}_one")
            value = self.builder.value(f"insertelement {vector} {value}, {kind} {one}, i64 {lane}", name)
        return value

    def spread(self, scalar: str, kind: str, name: str) -> str:
        """Print a vector whose lanes all hold `scalar`."""
        vector = f"<{self.lanes} x {kind}>"
        first = self.builder.value(f"insertelement {vector} poison, {kind} {scalar}, i64 0", f"{name}_lane0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.builder.value(f"shufflevector {vector} {first}, {vector} poison, {zeros}", name)

    # ---- stores of one register

    def _store_vector(
        self, step: Store, fragment: Fragment, number: int, register: Register, value: str, condition: Condition
    ) -> None:
        kind = self._vector(fragment)
        pointer, align = self._pointer(step.target, fragment, register, self.first(step.target, fragment, number))
        if condition.always:
            self.builder.line(f"store {kind} {value}, ptr {pointer}, align {align}")
            return
        call = self.builder.intrinsic(
            "void", f"llvm.masked.store.{self._suffix(fragment)}.p0",
            (kind, value), ("ptr", pointer), ("i32", str(align)), (self._masks, self.index.mask(condition)),
        )  # fmt: skip
        self.builder.line(call)

    def _store_stream(
        self, step: Store, fragment: Fragment, number: int, register: Register, value: str, condition: Condition
    ) -> None:
        if not condition.always:
            raise EmitError("only whole vectors pass the caches", fragment=fragment.name)
        pointer, _ = self._pointer(step.target, fragment, register, self.first(step.target, fragment, number))
        self.builder.stream(f"store {self._vector(fragment)} {value}, ptr {pointer}, align {STREAM_BYTES}")

    def _store_broadcast(
        self, step: Store, fragment: Fragment, number: int, register: Register, value: str, condition: Condition
    ) -> None:
        """Store the element that all lanes hold: lane 0 alone writes it."""
        kind = self._vector(fragment)
        pointer, align = self._pointer(step.target, fragment, register, self.first(step.target, fragment, number))
        if condition.always:
            one = self.builder.value(f"extractelement {kind} {value}, i64 0", "one")
            self.builder.line(f"store {element(fragment.dtype)} {one}, ptr {pointer}, align {align}")
            return
        lane0 = "<" + ", ".join(f"i1 {int(lane == 0)}" for lane in range(self.lanes)) + ">"
        mask = self.builder.here(f"and {self._masks} {self.index.mask(condition)}, {lane0}", "mask")
        call = self.builder.intrinsic(
            "void", f"llvm.masked.store.{self._suffix(fragment)}.p0",
            (kind, value), ("ptr", pointer), ("i32", str(align)), (self._masks, mask),
        )  # fmt: skip
        self.builder.line(call)

    def _store_scatter(
        self, step: Store, fragment: Fragment, number: int, register: Register, value: str, condition: Condition
    ) -> None:
        kind, lanes = self._vector(fragment), f"<{self.lanes} x ptr>"
        if condition.always:
            pointers = self._lane_pointers(step.target, fragment, number, register, condition, None)
            for lane, pointer in enumerate(pointers):
                one = self.builder.value(f"extractelement {kind} {value}, i64 {lane}", "one")
                self.builder.line(f"store {element(fragment.dtype)} {one}, ptr {pointer}, align {fragment.dtype.bytes}")
            return
        pointers_of = self._pointer_vector(step.target, fragment, number, register)
        call = self.builder.intrinsic(
            "void", f"llvm.masked.scatter.{self._suffix(fragment)}.v{self.lanes}p0",
            (kind, value), (lanes, pointers_of), ("i32", str(fragment.dtype.bytes)),
            (self._masks, self.index.mask(condition)),
        )  # fmt: skip
        self.builder.line(call)

    # ---- addresses

    def _offset(self, reference: Access | BufferRef) -> Index:
        if isinstance(reference, Access):
            return reference.offset
        return buffer_offset(self.kernel.buffer(reference.buffer), reference)

    def first(self, reference: Access | BufferRef, fragment: Fragment, number: int) -> Linear:
        """The offset of lane 0."""
        lookup = self.places(fragment, number)
        return self.index.evaluate(self._offset(reference), lambda name: self.index.lane(lookup(name), 0))

    def place(self, reference: Access | BufferRef, fragment: Fragment, number: int) -> tuple[str, int]:
        """Return the address of lane 0 of a register, and the alignment in bytes that is known of it."""
        register = registers(fragment.layout)[number]
        return self._pointer(reference, fragment, register, self.first(reference, fragment, number))

    def lanes_at(self, step: Load, fragment: Fragment, number: int) -> list[str]:
        """Return the address of each lane of a register."""
        condition = self.index.condition((), self.places(fragment, number))
        return self._lane_pointers(step.source, fragment, number, registers(fragment.layout)[number], condition, step)

    def _pointer(
        self, reference: Access | BufferRef, fragment: Fragment, register: Register, offset: Linear
    ) -> tuple[str, int]:
        """Return base plus offset, and the alignment in bytes that is known of it."""
        if isinstance(reference, Access):
            known, base = self.kernel.parameter(reference.operand).alignment, reference.operand
        else:
            known, base = self.kernel.buffer(reference.buffer).alignment, reference.buffer
        align = math.gcd(known, offset.divisor * fragment.dtype.bytes)
        hint = f"{base}_at_{register.suffix}" if register.suffix else f"{base}_at"
        return self._advance(self.pointers[base], 0, element(fragment.dtype), offset, hint)[0], align

    def _advance(self, pointer: str, depth: int, kind: str, offset: Linear, hint: str) -> tuple[str, int]:
        """Add the terms of each region in one step, outermost first, then the constant."""
        assert isinstance(offset.constant, int)
        layers: dict[int, list[tuple[linear.Atom, int]]] = {}
        for term in offset.terms:
            layers.setdefault(self.builder.place(term[0].depth), []).append(term)
        for layer in sorted(layers):
            step, at = self.index.scalar(Linear(0, tuple(layers[layer])))
            pointer, depth = self.builder.pure(f"getelementptr {kind}, ptr {pointer}, i64 {step}", hint, max(at, depth))
        if offset.constant:
            pointer, depth = self.builder.pure(
                f"getelementptr {kind}, ptr {pointer}, i64 {offset.constant}", hint, depth
            )
        return pointer, depth

    def _lane_pointers(
        self,
        reference: Access | BufferRef,
        fragment: Fragment,
        number: int,
        register: Register,
        condition: Condition,
        filled: Load | None,
    ) -> list[str]:
        """Return a pointer for each lane; lanes that `condition` excludes point at the fill of the load `filled`."""
        kind = element(fragment.dtype)
        if condition.always:
            step = self._lane_step(reference, fragment, number, register)
            if step is not None:
                pointer, _ = self._pointer(reference, fragment, register, self.first(reference, fragment, number))
                pointers = [pointer]
                for _ in range(self.lanes - 1):
                    pointers.append(self._advance(pointers[-1], self.builder.depth, kind, step, "lane_at")[0])
                return pointers
            offset = self.index.evaluate(self._offset(reference), self.places(fragment, number))
            shared, own = offset.split()
            pointer, _ = self._pointer(reference, fragment, register, shared)
            if not own.has_lanes:
                return [pointer] * self.lanes
            text, depth = self.index.vector_value(own)
            elements = [
                self.builder.pure(f"extractelement {self.index.vector} {text}, i64 {lane}", "element", depth)[0]
                for lane in range(self.lanes)
            ]
            return [self.builder.here(f"getelementptr {kind}, ptr {pointer}, i64 {e}", "lane_at") for e in elements]
        assert filled is not None
        lanes = f"<{self.lanes} x ptr>"
        given = self._pointer_vector(reference, fragment, number, register)
        safe, _ = self.index.splat(self._safe(filled, fragment.dtype), "ptr", 0)
        mask = self.index.mask(condition)
        chosen = self.builder.here(f"select {self._masks} {mask}, {lanes} {given}, {lanes} {safe}", "safe_at")
        return [
            self.builder.here(f"extractelement {lanes} {chosen}, i64 {lane}", "lane_at") for lane in range(self.lanes)
        ]

    def _pointer_vector(
        self, reference: Access | BufferRef, fragment: Fragment, number: int, register: Register
    ) -> str:
        """Return the pointers of all lanes as a vector."""
        offset = self.index.evaluate(self._offset(reference), self.places(fragment, number))
        shared, own = offset.split()
        pointer, _ = self._pointer(reference, fragment, register, shared)
        text, _ = self.index.vector_value(own)
        return self.builder.here(
            f"getelementptr {element(fragment.dtype)}, ptr {pointer}, {self.index.vector} {text}", "lanes_at"
        )

    def _lane_step(
        self, reference: Access | BufferRef, fragment: Fragment, number: int, register: Register
    ) -> Linear | None:
        """The distance between neighbouring lanes, where it is the same for all and no table takes part."""
        if not is_row_of_columns(register):
            return None
        offset, lookup = self._offset(reference), self.places(fragment, number)
        step = coefficient(offset, COLUMN.name)
        tables = [name for name in symbols(offset) - {COLUMN.name} if lookup(name).has_lanes]
        if step is None or tables:
            return None
        value = self.index.evaluate(step, lookup)
        return None if value.has_lanes else value

    def prefetch(self, step: Prefetch) -> None:
        """Ask for a line of memory that will be used (LLVM counts localities down from 3, the first cache)."""
        offset = self.index.evaluate(step.offset, self.scalars)
        pointer, _ = self._advance(
            self.pointers[step.operand],
            0,
            element(self.kernel.parameter(step.operand).dtype),
            offset,
            f"{step.operand}_soon",
        )
        self.builder.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        locality = max(4 - step.level, 1)
        self.builder.line(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 {int(step.write)}, i32 {locality}, i32 1)")

    # ---- constants

    def _safe(self, step: Load, dtype: DType) -> str:
        """Return the address of a word that holds the load's fill: printed once, at the function's entry."""
        kind, value = element(dtype), literal(step.fill, dtype)
        key = f"{kind} {value}"
        if key not in self.fills:
            name = f"%{self.builder.fresh(f'fill_{dtype.value}')}"
            self.fills[key] = name
            self.prologue += [f"{name} = alloca {kind}", f"store {kind} {value}, ptr {name}"]
        return self.fills[key]

    def _zeros(self, dtype: DType, count: int) -> str:
        """Return the address of so many zeros; it is loaded, since code may lie further from constants than it can reach in itself."""
        kind = f"[{count} x {element(dtype)}]"
        if kind not in self.fills:
            name = self.fills[kind] = f"%{self.builder.fresh(f'zeros_{dtype.value}')}"
            held = f"@zeros_{dtype.value}_{count}"
            self.constants += [
                f"{held} = internal constant {kind} zeroinitializer",
                f"{held}_at = internal global ptr {held}",
            ]
            self.prologue.append(f"{name} = load ptr, ptr {held}_at, align 8")
        return self.fills[kind]

    def _fill(self, step: Load, fragment: Fragment) -> str:
        return splat(step.fill, fragment.dtype)

    @property
    def _masks(self) -> str:
        return f"<{self.lanes} x i1>"

    def _vector(self, fragment: Fragment) -> str:
        return f"<{self.lanes} x {element(fragment.dtype)}>"

    def _suffix(self, fragment: Fragment) -> str:
        return suffix(self.lanes, element(fragment.dtype))


def splat(value: float, dtype: DType) -> str:
    """Return the constant vector of `value` without its type."""
    if value == 0.0 and math.copysign(1.0, value) > 0.0:
        return "zeroinitializer"
    return f"splat ({element(dtype)} {literal(value, dtype)})"


def _name(fragment: Fragment, register: Register) -> str:
    return f"{fragment.name}_{register.suffix}" if register.suffix else fragment.name
