# SPDX-License-Identifier: MIT
"""Steps across a row in a worker's vectors: whole registers are joined first, then their lanes, and every lane gets the result."""

from __future__ import annotations

import numpy as np

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.dialect import Packed
from tracea_core.emit.c.registers import LANE
from tracea_core.emit.c.vectors import VectorSteps
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.index import symbols
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask


class WorkerRowSteps:
    """Prints `Fold`, `Mask` and `Count` of a worker."""

    def __init__(self, vectors: VectorSteps) -> None:
        self.v, self.dialect, self.writer, self.lanes = vectors, vectors.dialect, vectors.writer, vectors.role.lanes

    def step(self, node: Fold | Mask | Count | Join) -> None:
        """Write one step."""
        if isinstance(node, Fold):
            self._fold(node)
        elif isinstance(node, Mask):
            self._mask(node)
        elif isinstance(node, Count):
            self._count(node)
        else:
            raise EmitError("a worker joins no fragments", fragment=node.target)

    def _fold(self, node: Fold) -> None:
        source, target = self.v.packed(node.source), self.v.packed(node.target)
        if node.chains:
            raise EmitError("a worker joins its vectors in one chain", fragment=node.target)
        for register, terms in enumerate(_registers_of_rows(source, target)):
            self._fold_row(node, source, f"{target.name}[{register}]", terms)

    def _fold_row(self, node: Fold, source: Packed, target: str, terms: tuple[int, ...]) -> None:
        """Join the vectors of a row, then the lanes of the vector that is left."""
        kind, line = self.dialect.vector(source.dtype, self.lanes), self.writer.line
        with self.writer.block("", open_with="{"):
            line(f"{kind} joined = {source.name}[{terms[0]}];")
            for term in terms[1:]:
                line(f"joined = {self._joined(node, source, 'joined', f'{source.name}[{term}]')};")
            line(f"{self.dialect.scalar(source.dtype)} folded = joined[0];")
            line(self.dialect.unroll(None))
            with self.writer.block(f"for (int lane = 1; lane < {self.lanes}; ++lane)"):
                line(f"folded = {self._joined(node, source, 'folded', 'joined[lane]')};")
            line(f"{target} = folded;")

    def _joined(self, node: Fold, source: Packed, x: str, y: str) -> str:
        return f"{x} + {y}" if node.fn is BinaryFn.ADD else self.dialect.binary(node.fn, source.dtype, x, y)

    def _mask(self, node: Mask) -> None:
        packed = self.v.packed(node.fragment)
        value, lane = self.dialect.constant(node.value, packed.dtype), LANE._replace(high=self.lanes - 1)
        with self.v.each(packed.layout.registers) as register, self.v.each_lane(unrolled=False):
            test = indices.condition(node.guard, self.v.at(packed.layout, register, lane))
            if test is not None:
                self.writer.line(f"if (!({test})) {packed.name}[{register.text}][lane] = {value};")

    def _count(self, node: Count) -> None:
        packed = self.v.packed(node.fragment)
        if {"row", "column"} & symbols(node.value):
            raise EmitError("a worker counts no elements of their own", fragment=node.fragment)
        count = indices.term(node.value, self.v.single).at(algebra.ATOM)
        with self.v.each(packed.words) as register:
            self.writer.line(f"{packed.name}[{register.text}] = ({self.dialect.scalar(packed.dtype)}){count};")


def _registers_of_rows(source: Packed, target: Packed) -> list[tuple[int, ...]]:
    """Return, for each register of the target, whose lanes all hold one row's value, the registers of the source with that row."""
    rows, wanted = source.layout.elements()[0], target.layout.elements()[0]
    found = [
        tuple(r for r in range(source.layout.registers) if np.all(rows[:, r] == wanted[0, t]))
        for t in range(target.layout.registers)
    ]
    if not np.all(wanted == wanted[0]) or sum(map(len, found)) != source.layout.registers or not all(found):
        raise EmitError("the vectors of a worker do not lie along the rows that it reduces", fragment=source.name)
    return found
