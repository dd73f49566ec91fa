# SPDX-License-Identifier: MIT
"""Rows that each lane adds up in its own registers, those of a thread as those of a worker's vectors."""

from __future__ import annotations

from tracea_core.emit.c import coordinates, indices
from tracea_core.emit.c.registers import RegisterSteps
from tracea_core.errors import EmitError
from tracea_core.semantic.index import Const, less
from tracea_core.semantic.row_steps import AddRows


def add_rows(registers: RegisterSteps, node: AddRows) -> None:
    """Write the sum row by row, each row that may be left out behind a test.

    Raises
    ------
    EmitError
        If registers hold several elements each, or lanes other columns than those that they add up.
    """
    source, target, line = registers.packed(node.source), registers.packed(node.target), registers.writer.line
    if source.per_word > 1 or target.per_word > 1:
        raise EmitError("lanes add whole registers", fragment=node.target)
    for row in range(source.layout.shape[0]):
        test = indices.condition((less(Const(row), node.rows),), registers.single) if row else None
        for register, term in enumerate(coordinates.partners(target.layout, source.layout, row, 0)):
            added = f"{target.name}[{register}] {'+=' if row else '='} {source.name}[{term}];"
            line(added if test is None else f"if ({test}) {added}")
