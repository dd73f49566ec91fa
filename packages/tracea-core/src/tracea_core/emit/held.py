# SPDX-License-Identifier: MIT
"""How a processor's role holds its fragments: in vectors, in 32-bit words that hold a group of neighbours each, or in tiles.

Which fragments these are follows from the steps: operands of instructions that multiply groups or tiles, and what is only moved in runs.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.semantic.kernel import Role, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.liveness import sets, uses
from tracea_core.semantic.steps import Compute, Fill, Load, Mma, Store

TILE_ROWS = 16
"""Rows of a tile register."""


def words_of(role: Role) -> dict[str, int]:
    """Return the fragments of a role that are held in words, and how many elements a word holds.

    Raises
    ------
    EmitError
        If one of them is used in arithmetic, which sees elements.
    """
    found: dict[str, int] = {}
    widths: dict[str, set[int]] = {}
    for node in walk(role.body):
        if isinstance(node, Mma):
            lanes = instruction(node.instruction)
            if lanes.k > 1 and not lanes.tiles:
                found |= {node.a: lanes.k, node.b: lanes.k}
        elif isinstance(node, Load | Store):
            widths.setdefault(node.fragment, set()).add(node.width)
        else:
            for name in sets(node) | uses(node):
                widths.setdefault(name, set()).add(1)
    tiles = tiles_of(role)
    found |= {name: min(w) for name, w in widths.items() if len(w) == 1 and min(w) > 1 and name not in tiles}
    for node in walk(role.body):
        strange = () if isinstance(node, Load | Store | Fill | Mma) else (sets(node) | uses(node)) & {*found, *tiles}
        if strange:
            raise EmitError(f"{', '.join(sorted(strange))} is held in groups, which no arithmetic sees", role=role.name)
    return found


def tiles_of(role: Role) -> dict[str, tuple[int, ...]]:
    """Return the tile registers of the fragments that AMX multiplies: those of C, then A, then B.

    Raises
    ------
    EmitError
        If a kernel has products of several shapes.
    """
    found: dict[str, tuple[int, ...]] = {}
    for node in walk(role.body):
        if isinstance(node, Mma) and instruction(node.instruction).tiles:
            lanes = instruction(node.instruction)
            rows, columns = lanes.m // TILE_ROWS, lanes.n // TILE_ROWS
            first, names = 0, {}
            for name, count in ((node.accumulator, rows * columns), (node.a, rows), (node.b, columns)):
                names[name] = tuple(range(first, first + count))
                first += count
            if found and found != names:
                raise EmitError("the tiles of one kernel have one shape", role=role.name)
            found = names
    return found


def multiplies_bf16(role: Role) -> bool:
    """Whether a role multiplies bf16 as it is: then the processor also has the instruction that rounds to it."""
    products = (instruction(node.instruction) for node in walk(role.body) if isinstance(node, Mma))
    return any(lanes.operand is DType.BF16 for lanes in products)


_PLUS_128 = Binary(BinaryFn.ADD, Accumulator(0), Constant(128.0))


def raises_bytes(step: Compute, role: Role) -> bool:
    """Whether a step makes unsigned bytes of signed ones by adding 128, as an instruction wants them that has only such operands."""
    if step.expr != _PLUS_128 or step.dtype.is_float:
        return False
    source, target = role.fragment(step.accumulators[0]), role.fragment(step.target)
    return (source.dtype, target.dtype) == (DType.INT8, DType.UINT8) and source.layout == target.layout
