# SPDX-License-Identifier: MIT
"""Loads and stores: one access for each register of a fragment, of the kind and under the mask that the step names."""

from __future__ import annotations

import numpy as np
from tracea_core.errors import EmitError
from tracea_core.semantic.index import Index, IndexFn, evaluate, symbols
from tracea_core.semantic.kernel import Fragment, Role, SemanticKernel
from tracea_core.semantic.steps import Access, BufferRef, Load, Store, Transfer

from tracea_cpu.emit.fragments import elements
from tracea_cpu.emit.indexing import IndexPrinter, Lanes, Place, Scope
from tracea_cpu.emit.text import ELEMENT, FunctionText, mangled, vector
from tracea_cpu.emit.values import literal


class MemoryPrinter:
    """Prints the memory accesses of one kernel."""

    def __init__(self, kernel: SemanticKernel, role: Role, function: FunctionText, index: IndexPrinter) -> None:
        self.kernel, self.role, self.f, self.index = kernel, role, function, index
        self.pointers: dict[str, str] = {}
        self.buffers: dict[str, str] = {}

    def load(self, step: Load, scope: Scope) -> list[str]:
        """Print a load and return the registers."""
        fragment = self.role.fragment(step.fragment)
        kind = vector(self.role.lanes, ELEMENT[fragment.dtype])
        fill = f"splat ({ELEMENT[fragment.dtype]} {literal(step.fill, fragment.dtype)})"
        registers = []
        for register in range(fragment.layout.registers):
            wish = self._wish(fragment, register)
            place = self.index.place(fragment.layout, register)
            if step.transfer is Transfer.VECTOR:
                address = self._address(step.source, fragment, place.first(), scope)
                registers.append(self._load_vector(wish, kind, address, step, fill, scope, place, fragment))
            elif step.transfer is Transfer.BROADCAST:
                registers.append(self._load_broadcast(wish, fragment, step, scope, place))
            elif step.transfer is Transfer.GATHER:
                registers.append(self._gather(wish, kind, fragment, step, fill, scope, place))
            else:
                raise EmitError(f"a CPU has no {step.transfer.value} load", fragment=step.fragment)
        return registers

    def store(self, step: Store, scope: Scope, registers: list[str]) -> None:
        """Print a store of `registers`."""
        fragment = self.role.fragment(step.fragment)
        element = ELEMENT[fragment.dtype]
        kind = vector(self.role.lanes, element)
        for register, value in enumerate(registers):
            place = self.index.place(fragment.layout, register)
            if step.transfer is Transfer.VECTOR:
                address = self._address(step.target, fragment, place.first(), scope)
                align = fragment.dtype.bytes
                if not step.guard:
                    self.f.line(f"store {kind} {value}, ptr {address}, align {align}")
                    continue
                mask = self.index.mask(step.guard, scope, place)
                call = self.f.intrinsic(
                    f"masked.store.{mangled(self.role.lanes, element)}.p0", "void",
                    (kind, value), (f"ptr align {align}", address), (vector(self.role.lanes, "i1"), mask),
                )  # fmt: skip
                self.f.line(call)
            elif step.transfer is Transfer.GATHER:
                pointers = self._pointers(step.target, fragment, place, scope)
                mask = self.index.mask(step.guard, scope, place)
                lanes = self.role.lanes
                call = self.f.intrinsic(
                    f"masked.scatter.{mangled(lanes, element)}.v{lanes}p0", "void",
                    (kind, value), (f"{vector(lanes, 'ptr')} align {fragment.dtype.bytes}", pointers),
                    (vector(lanes, "i1"), mask),
                )  # fmt: skip
                self.f.line(call)
            else:
                raise EmitError(f"a CPU has no {step.transfer.value} store", fragment=step.fragment)

    # ---- one register

    def _load_vector(
        self,
        wish: str,
        kind: str,
        address: str,
        step: Load,
        fill: str,
        scope: Scope,
        place: Place,
        fragment: Fragment,
    ) -> str:
        align = fragment.dtype.bytes
        if not step.guard:
            return self.f.let(wish, f"load {kind}, ptr {address}, align {align}")
        mask = self.index.mask(step.guard, scope, place)
        name = f"masked.load.{mangled(self.role.lanes, ELEMENT[fragment.dtype])}.p0"
        mask_kind = vector(self.role.lanes, "i1")
        return self.f.let(
            wish, self.f.intrinsic(name, kind, (f"ptr align {align}", address), (mask_kind, mask), (kind, fill))
        )

    def _load_broadcast(self, wish: str, fragment: Fragment, step: Load, scope: Scope, place: Place) -> str:
        element, lanes = ELEMENT[fragment.dtype], self.role.lanes
        kind = vector(lanes, element)
        if place.row.wide or place.column.wide:
            raise EmitError("a broadcast load addresses one element for all lanes", fragment=step.fragment)
        address = self._address(step.source, fragment, place, scope)
        if not step.guard:
            one = self.f.let(f"{wish}_one", f"load {element}, ptr {address}, align {fragment.dtype.bytes}")
        else:
            single = "true"
            for test in step.guard:
                outcome = self.index.test(test, scope, place).text
                single = outcome if single == "true" else self.f.let("both", f"and i1 {single}, {outcome}")
            mask = self.f.let("mask", f"insertelement <1 x i1> poison, i1 {single}, i64 0")
            fill = f"splat ({element} {literal(step.fill, fragment.dtype)})"
            name = f"masked.load.{mangled(1, element)}.p0"
            loaded = self.f.intrinsic(
                name, f"<1 x {element}>", (f"ptr align {fragment.dtype.bytes}", address), ("<1 x i1>", mask),
                (f"<1 x {element}>", fill),
            )  # fmt: skip
            short = self.f.let(f"{wish}_masked", loaded)
            one = self.f.let(f"{wish}_one", f"extractelement <1 x {element}> {short}, i64 0")
        first = self.f.let(f"{wish}_lane0", f"insertelement {kind} poison, {element} {one}, i64 0")
        return self.f.let(wish, f"shufflevector {kind} {first}, {kind} poison, <{lanes} x i32> zeroinitializer")

    def _gather(
        self,
        wish: str,
        kind: str,
        fragment: Fragment,
        step: Load,
        fill: str,
        scope: Scope,
        place: Place,
    ) -> str:
        lanes = self.role.lanes
        pointers = self._pointers(step.source, fragment, place, scope)
        mask = self.index.mask(step.guard, scope, place)
        name = f"masked.gather.{mangled(lanes, ELEMENT[fragment.dtype])}.v{lanes}p0"
        pointer_kind = f"{vector(lanes, 'ptr')} align {fragment.dtype.bytes}"
        return self.f.let(
            wish,
            self.f.intrinsic(name, kind, (pointer_kind, pointers), (vector(lanes, "i1"), mask), (kind, fill)),
        )

    # ---- addresses

    def _wish(self, fragment: Fragment, register: int) -> str:
        rows, columns = elements(fragment.layout)
        parts = [fragment.name]
        if fragment.layout.shape[0] > 1:
            parts.append(str(int(rows[0, register])))
        if fragment.layout.shape[1] > 1:
            parts.append(str(int(columns[0, register]) // self.role.lanes))
        return "_".join(parts)

    def _address(self, reference: Access | BufferRef | object, fragment: Fragment, place: Place, scope: Scope) -> str:
        base, offset = self._offset(reference, fragment, place, scope)
        if offset.wide:
            raise EmitError("an access of consecutive lanes needs one address", fragment=fragment.name)
        return self.f.let("at", f"getelementptr {ELEMENT[fragment.dtype]}, ptr {base}, i64 {offset.text}")

    def _pointers(self, reference: Access | BufferRef | object, fragment: Fragment, place: Place, scope: Scope) -> str:
        base, offset = self._offset(reference, fragment, place, scope)
        kind = self.index.wide
        spread = self.index.spread(offset)
        return self.f.let("at", f"getelementptr {ELEMENT[fragment.dtype]}, ptr {base}, {kind} {spread}")

    def _offset(self, reference: object, fragment: Fragment, place: Place, scope: Scope) -> tuple[str, Lanes]:
        if isinstance(reference, Access):
            return self.pointers[reference.operand], self.index.value(reference.offset, scope, place)
        assert isinstance(reference, BufferRef)
        buffer = self.kernel.buffer(reference.buffer)
        if buffer.dtype is not fragment.dtype:
            raise EmitError(f"{fragment.name!r} and the buffer {buffer.name!r} differ in type")
        coordinates = list(reference.coordinates)
        repetition = coordinates.pop(0) if buffer.extent is not None else None
        inner = self._layout_offset(buffer.name, coordinates, fragment, place.register)
        total = Lanes(str(inner))
        if repetition is not None:
            count = self.index.value(repetition, scope)
            product = self.index.combine(IndexFn.MUL, count, Lanes(str(buffer.layout.size)))
            total = self.index.combine(IndexFn.ADD, product, total)
        if reference.slot is not None:
            raise EmitError("a CPU kernel has no rings", buffer=buffer.name)
        return self.buffers[buffer.name], total

    def _layout_offset(self, name: str, coordinates: list[Index], fragment: Fragment, register: int) -> int:
        """Offset of lane 0 within the buffer's layout; the lanes after it must follow without a gap."""
        rows, columns = elements(fragment.layout)
        values = {"row": rows[:, register], "column": columns[:, register]}
        for coordinate in coordinates:
            if symbols(coordinate) - values.keys():
                raise EmitError(f"the place within {name!r} must be known when printing")
        spread = [np.broadcast_to(np.asarray(evaluate(c, values)), rows[:, register].shape) for c in coordinates]
        offsets = self.kernel.buffer(name).layout.at(*spread)
        if not np.array_equal(offsets, offsets[0] + np.arange(offsets.size)):
            raise EmitError(f"the lanes of {fragment.name!r} are not consecutive in {name!r}")
        return int(offsets[0])
