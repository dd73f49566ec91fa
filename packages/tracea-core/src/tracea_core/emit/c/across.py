# SPDX-License-Identifier: MIT
"""Steps that look across a row: a thread joins its own registers, then lanes exchange partial results in halves, quarters, and so on.

Every lane ends up with the result, as `Fold` says; the exchanges are a dialect's word.
"""

from __future__ import annotations

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.registers import LANE, RegisterSteps
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.row_steps import Count, Fold, Mask


class RowSteps:
    """Prints `Fold`, `Mask` and `Count` of one role."""

    def __init__(self, registers: RegisterSteps) -> None:
        self.r, self.dialect, self.writer, self.role = registers, registers.dialect, registers.writer, registers.role

    def step(self, node: Fold | Mask | Count) -> None:
        """Write one step."""
        if isinstance(node, Fold):
            self._fold(node)
        elif isinstance(node, Mask):
            self._mask(node)
        else:
            self._count(node)

    def _fold(self, node: Fold) -> None:
        source, target = self.r.packed(node.source), self.r.packed(node.target)
        if target.layout.shape != (1, 1) or source.layout.shape[0] != 1 or source.per_word > 1 or target.per_word > 1:
            raise EmitError("lanes reduce one row of whole registers", fragment=node.target, role=self.role.name)
        if source.layout.replication != 1:
            raise EmitError(f"lanes hold elements of {node.source!r} twice", role=self.role.name)
        dtype, line = source.dtype, self.writer.line
        with self.writer.block("", open_with="{"):
            line(f"{self.dialect.scalar(dtype)} folded = {source.name}[0];")
            if source.layout.registers > 1:
                line(self.dialect.unroll(None))
                with self.writer.block(f"for (int r = 1; r < {source.layout.registers}; ++r)"):
                    line(f"folded = {self._joined(node, 'folded', f'{source.name}[r]')};")
            distance = self.role.lanes // 2
            while distance:
                line(f"folded = {self._joined(node, 'folded', self.dialect.from_lane('folded', distance, dtype))};")
                distance //= 2
            line(f"{target.name}[0] = folded;")

    def _joined(self, node: Fold, x: str, y: str) -> str:
        dtype = self.role.fragment(node.source).dtype
        return f"{x} + {y}" if node.fn is BinaryFn.ADD else self.dialect.binary(node.fn, dtype, x, y)

    def _mask(self, node: Mask) -> None:
        packed = self.r.packed(node.fragment)
        if packed.per_word > 1:
            raise EmitError("a packed fragment is not masked", fragment=node.fragment, role=self.role.name)
        value = self.dialect.constant(node.value, packed.dtype)
        with self.r.each(packed.layout.registers) as register:
            test = indices.condition(node.guard, self.r.at(packed.layout, register, LANE))
            if test is not None:
                self.writer.line(f"if (!({test})) {packed.name}[{register.text}] = {value};")

    def _count(self, node: Count) -> None:
        packed = self.r.packed(node.fragment)
        count = indices.term(node.value, self.r.single)
        if packed.per_word > 1:
            raise EmitError("a packed fragment holds no counts", fragment=node.fragment, role=self.role.name)
        with self.r.each(packed.words) as word:
            self.writer.line(
                f"{packed.name}[{word.text}] = ({self.dialect.scalar(packed.dtype)}){count.at(algebra.ATOM)};"
            )
