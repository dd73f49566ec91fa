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
    rows = source.layout.shape[0]
    terms = [coordinates.partners(target.layout, source.layout, row, 0) for row in range(rows)]
    tests = [indices.condition((less(Const(row), node.rows),), registers.single) for row in range(rows)]
    for register, term in enumerate(terms[0]):
        line(f"{target.name}[{register}] = {source.name}[{term}];")
    step = terms[1][0] - terms[0][0] if rows > 1 else 0
    alike = all(terms[row] == tuple(term + row * step for term in terms[0]) for row in range(rows))
    if rows > 2 and alike and not any(tests):
        line(registers.dialect.unroll(None))
        with registers.writer.block(f"for (int r = 1; r < {rows}; ++r)"):
            for register, term in enumerate(terms[0]):
                place = f"r * {step}" if step > 1 else "r"
                line(f"{target.name}[{register}] += {source.name}[{f'{place} + {term}' if term else place}];")
        return
    for row in range(1, rows):
        for register, term in enumerate(terms[row]):
            added = f"{target.name}[{register}] += {source.name}[{term}];"
            line(added if tests[row] is None else f"if ({tests[row]}) {added}")
