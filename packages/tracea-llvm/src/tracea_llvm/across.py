# SPDX-License-Identifier: MIT
"""What looks across the lanes of a vector: reductions along a row, and one number in all lanes.

A reduction joins the vectors of a row in pairs, then the halves, quarters, … of the last one with each other, so that every lane
ends up with the result and no lane is read on its own.
"""

from __future__ import annotations

from tracea_core.emit.registers import registers
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.kernel import Fragment

from tracea_llvm.builder import Builder
from tracea_llvm.convert import Converter, element
from tracea_llvm.expressions import ExpressionPrinter


class Across:
    """Prints reductions over the columns of a fragment."""

    def __init__(self, builder: Builder, converter: Converter, expressions: ExpressionPrinter) -> None:
        self.builder, self.converter, self.expressions = builder, converter, expressions
        self.lanes = converter.lanes

    def fold(self, fn: BinaryFn, source: Fragment, values: tuple[str, ...], target: Fragment) -> tuple[str, ...]:
        """Return the registers of `target`, one for each row of `source`.

        Raises
        ------
        EmitError
            If a vector of the source holds elements of several rows, or of none.
        """
        rows: dict[int, list[str]] = {}
        for register, value in zip(registers(source.layout), values, strict=True):
            if len(set(register.rows)) > 1 or len(set(register.columns)) < self.lanes:
                raise EmitError(f"the vectors of {source.name!r} are no parts of rows", role=target.name)
            rows.setdefault(register.rows[0], []).append(value)
        library = self.expressions.library(source.dtype)
        result = []
        for number, register in enumerate(registers(target.layout)):
            held = rows[register.rows[0]]
            while len(held) > 1:
                pairs = [held[i : i + 2] for i in range(0, len(held), 2)]
                held = [self._joined(library.binary(fn, *p), target, number) if len(p) == 2 else p[0] for p in pairs]
            value, distance = held[0], self.lanes // 2
            while distance:
                moved = self._moved(value, distance, source)
                value = self._joined(library.binary(fn, value, moved), target, number)
                distance //= 2
            result.append(value)
        return tuple(result)

    def _joined(self, text: str, target: Fragment, number: int) -> str:
        return self.builder.here(text, f"{target.name}_{number}" if target.layout.registers > 1 else target.name)

    def _moved(self, value: str, distance: int, fragment: Fragment) -> str:
        """Return the vector in which each lane holds what the lane `distance` away (by XOR) held."""
        kind = self.converter.vector(element(fragment.dtype))
        places = ", ".join(f"i32 {lane ^ distance}" for lane in range(self.lanes))
        text = f"shufflevector {kind} {value}, {kind} poison, <{self.lanes} x i32> <{places}>"
        return self.builder.here(text, f"{fragment.name}_moved")

    def count(self, value: str, fragment: Fragment) -> str:
        """Return the vector whose every lane is the integer `value`."""
        kind = element(fragment.dtype)
        one = self.builder.here(f"sitofp i64 {value} to {kind}", f"{fragment.name}_one")
        vector = self.converter.vector(kind)
        first = self.builder.here(f"insertelement {vector} poison, {kind} {one}, i64 0", f"{fragment.name}_lane0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.builder.here(f"shufflevector {vector} {first}, {vector} poison, {zeros}", fragment.name)
