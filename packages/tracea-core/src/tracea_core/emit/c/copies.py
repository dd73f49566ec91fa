# SPDX-License-Identifier: MIT
"""Registers copied into another order, multiplied by the lanes themselves, and which fragments hold registers at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tracea_core.emit.c import algebra, coordinates
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect, Packed
from tracea_core.emit.writer import SourceWriter
from tracea_core.semantic.kernel import Role, walk
from tracea_core.semantic.steps import AsyncCopy, Let, Node

OUTER = ("simt_", "fma_outer_")
"""How the names of instructions begin that are no instructions, but loops of multiplications and additions."""


def copy_registers(
    target: Packed, source: Packed, read: Callable[[Packed, Term], str], dialect: Dialect, writer: SourceWriter
) -> None:
    """Write the elements of `source` into `target`, which the same lanes hold in another order of registers.

    `read` returns the text of one register's stored value.
    """
    found = coordinates.partners(target.layout, source.layout)
    size = target.per_word
    for word in range(target.words):
        wanted = found[word * size : (word + 1) * size]
        whole = all(register == wanted[0] + place for place, register in enumerate(wanted))
        if source.per_word == size and whole and wanted[0] % size == 0:
            value = f"{source.name}[{wanted[0] // size}]"
        elif source.per_word == size == 2 and (halves := dialect.halves(source.name, wanted[0], wanted[1])) is not None:
            value = halves
        else:
            bits = 32 // size
            parts = [read(source, algebra.number(register)) for register in wanted]
            value = " | ".join(f"(unsigned){part} << {bits * i}" if i else part for i, part in enumerate(parts))
        writer.line(f"{target.name}[{word}] = {value};")


def outer_product(c: Packed, a: Packed, b: Packed, dialect: Dialect, writer: SourceWriter) -> None:
    """Write the product of every register of `a` with every register of `b`, added to those of `c`, which b's number fastest."""
    rows, columns = a.layout.registers, b.layout.registers
    writer.line(dialect.unroll(None))
    with writer.block(f"for (int i = 0; i < {rows}; ++i)"):
        writer.line(dialect.unroll(None))
        with writer.block(f"for (int j = 0; j < {columns}; ++j)"):
            writer.line(f"{c.name}[i * {columns} + j] += {a.name}[i] * {b.name}[j];")


def holders(role: Role) -> frozenset[str]:
    """Return the fragments of which a step uses the registers; the others are lane maps alone."""
    return frozenset(name for node in walk(role.body) for name in _held(node))


def _held(node: Node) -> Iterator[str]:
    if isinstance(node, AsyncCopy | Let):
        return
    for field in ("fragment", "accumulator", "a", "b", "target", "source"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value
    for field in ("accumulators", "operands", "sources"):
        yield from getattr(node, field, ())
