# SPDX-License-Identifier: MIT
"""What is looked up about ragged groups, as C: their ends are read where they lie, so another division needs no other kernel.

Groups are few (as many as a mixture has experts), and their ends lie together. A block goes through them once: each look-up begins at the
group that the last one stopped at, since a block's tile rows never fall (the proof of the cover says so).
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.writer import SourceWriter
from tracea_core.semantic.index import Index, Ragged
from tracea_core.semantic.ragged import FIRST_BITS, GROUP_ENDS, Looked
from tracea_core.semantic.steps import Let, Loop

_FARTHEST = (1 << 31) - 1


def print_lookup(name: str, found: Ragged, index: Callable[[Index], Term], writer: SourceWriter) -> Term:
    """Write what gives `name` the value of `found`, and return the named value."""
    position, groups, rows = index(found.position), index(found.count), index(found.rows)
    match found.fn:
        case Looked.END | Looked.ENTRY:
            end = f"min(max({GROUP_ENDS}[{position.text}], 0), {rows.text})"
            if found.fn is Looked.END and not position.natural:
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
            writer.line(f"int {name} = 0;")
            with writer.block(f"for (int group = 0, start = 0; group < {groups.text}; ++group)"):
                _one_group("group", "start", found.tile, rows, writer)
                writer.line(f"{name} += tiles;")
                writer.line("start = stop;")
            return algebra.symbol(name, 0, _FARTHEST)
    group, start, first = _cursor(name)
    with writer.block(f"for (; {group} < {groups.text}; ++{group})"):
        _one_group(group, start, found.tile, rows, writer)
        writer.line(f"if ({position.at(algebra.ADD)} < {first} + tiles) break;")
        writer.line(f"{first} += tiles;")
        writer.line(f"{start} = stop;")
    writer.line(f"const i64 {name} = (i64){group} << {FIRST_BITS} | {first};")
    return algebra.symbol(name, 0, wide=True)


def print_cursors(loop: Loop, writer: SourceWriter) -> None:
    """Write, before a loop, where the looks-up of places in its body go on: tile rows never fall from one round to the next."""
    for let in loop.body:
        if isinstance(let, Let) and isinstance(let.value, Ragged) and let.value.fn is Looked.PLACE:
            writer.line(f"int {', '.join(f'{name} = 0' for name in _cursor(let.name))};")


def _cursor(name: str) -> tuple[str, str, str]:
    """The group of the last place, its first row and its first tile row."""
    return f"{name}_group", f"{name}_start", f"{name}_first"


def _one_group(group: str, start: str, tile: int, rows: Term, writer: SourceWriter) -> None:
    """Write where a group that begins at `start` stops, and how many ``tiles`` it has."""
    writer.line(f"const int stop = min(max({GROUP_ENDS}[{group}], 0), {rows.text});")
    writer.line(f"const int tiles = (max(stop - {start}, 0) + {tile - 1}) / {tile};")
