# SPDX-License-Identifier: MIT
"""What is looked up about ragged groups, as C: their ends are read where they lie, so another division needs no other kernel.

Groups are few (as many as a mixture has experts), and their ends lie together, so a loop over them that stops at the tile row's group
costs less than the tables that would spare it.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.writer import SourceWriter
from tracea_core.semantic.index import Index, Ragged
from tracea_core.semantic.ragged import FIRST_BITS, GROUP_ENDS, Looked

_FARTHEST = (1 << 31) - 1


def print_lookup(name: str, found: Ragged, index: Callable[[Index], Term], writer: SourceWriter) -> Term:
    """Write what gives `name` the value of `found`, and return the named value."""
    position, groups, rows = index(found.position), index(found.count), index(found.rows)
    match found.fn:
        case Looked.END:
            end = f"min(max({GROUP_ENDS}[{position.text}], 0), {rows.text})"
            if not position.natural:
                end = f"{position.at(algebra.ADD)} < 0 ? 0 : {end}"
            writer.line(f"const int {name} = {end};")
            return algebra.symbol(name, 0, rows.high)
        case Looked.GROUP:
            writer.line(f"const int {name} = (int)({position.at(algebra.SHIFT)} >> {FIRST_BITS});")
            return algebra.symbol(name, 0, _FARTHEST)
        case Looked.FIRST:
            writer.line(f"const int {name} = (int){position.at(algebra.ATOM)};")
            return algebra.symbol(name, 0, _FARTHEST)
        case Looked.TILES:
            _over_groups(f"int {name} = 0;", (f"{name} += tiles;",), found.tile, groups, rows, writer)
            return algebra.symbol(name, 0, _FARTHEST)
    step = (
        f"{name} = (i64)group << {FIRST_BITS} | first;",
        f"if ({position.at(algebra.ADD)} < first + tiles) break;",
        "first += tiles;",
    )
    writer.line(f"i64 {name} = 0;")
    with writer.block("", open_with="{"):
        _over_groups("int first = 0;", step, found.tile, groups, rows, writer)
    return algebra.symbol(name, 0, wide=True)


def _over_groups(before: str, step: tuple[str, ...], tile: int, groups: Term, rows: Term, writer: SourceWriter) -> None:
    """Write a loop that does `step` with the number of ``tiles`` of each ``group``."""
    writer.line(before)
    with writer.block(f"for (int group = 0, start = 0; group < {groups.text}; ++group)"):
        writer.line(f"const int stop = min(max({GROUP_ENDS}[group], 0), {rows.text});")
        writer.line(f"const int tiles = (max(stop - start, 0) + {tile - 1}) / {tile};")
        writer.line("start = stop;")
        for line in step:
            writer.line(line)
