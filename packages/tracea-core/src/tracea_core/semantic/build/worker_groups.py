# SPDX-License-Identifier: MIT
"""Rows that fall into groups, as the workers of a CPU go over them.

Each group is an item with a matrix of its own on the other side, and as many rows as its ends say (`tracea_core.semantic.ragged`): looked
up once for each unit of work, so one kernel serves every division. Tiles begin with the group's first row; those of its last tile that
belong to the next group are multiplied and never stored. Contractions without groups pass through unchanged.
"""

from __future__ import annotations

from tracea_core.semantic.contraction import GROUP_STOP, ITEM, Contraction
from tracea_core.semantic.index import Const, Index, Ragged, Sym, ceil_div, less, maximum
from tracea_core.semantic.ragged import Looked
from tracea_core.semantic.steps import If, Let, Node

_START = Sym("group_start")


def items_of(c: Contraction) -> Index:
    """Return how many matrices there are on the other side: as many as groups, where rows fall into groups."""
    return c.items if c.groups is None else c.groups


def row_tiles(c: Contraction, rows: int) -> tuple[tuple[Let, ...], tuple[Let, ...]]:
    """Return what names ``row_tiles``, the tiles of `rows` that an item has: ahead of all units, and for each of them.

    With groups it is named for each, and so are the first row of the unit's group and the first behind it.
    """
    if c.groups is None:
        return (Let("row_tiles", ceil_div(c.m, rows)),), ()
    none = Const(0)
    return (), (
        Let(_START.name, Ragged(Looked.END, ITEM - 1, none, c.m, 0)),
        Let(GROUP_STOP.name, Ragged(Looked.END, ITEM, none, c.m, 0)),
        Let("row_tiles", ceil_div(maximum(GROUP_STOP - _START, 0), rows)),
    )


def row_of(c: Contraction, row: Index) -> Index:
    """Return the row of A and of the output that is an item's own number `row`."""
    return row if c.groups is None else _START + row


def unless_empty(c: Contraction, first: Index, last: Index, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return `nodes`, of a unit with the tiles from `first` to `last`: for groups without rows nothing is packed."""
    return nodes if c.groups is None else (If((less(first, last),), nodes),)
