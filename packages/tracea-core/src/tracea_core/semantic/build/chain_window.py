# SPDX-License-Identifier: MIT
"""Which blocks of keys some row of a tile sees, and which scores of a block are hidden: alike for every schedule of attention on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Expr, Select
from tracea_core.semantic.chained import Chained
from tracea_core.semantic.index import COLUMN, ROW, Const, Guard, Index, Sym, at_least, ceil_div, less, maximum, minimum
from tracea_core.semantic.row_steps import Mask
from tracea_core.semantic.steps import If, Let, Node

ROW0, FIRST, STOP, DIAGONAL, KEY0 = (
    Sym("row0"), Sym("first_block"), Sym("stop_block"), Sym("diagonal"), Sym("key0"),
)  # fmt: skip
"""First row of the tile, blocks of keys from the first to the one behind the last, ``keys - m``, first key of the block at hand."""


def visited(form: Chained, rows: int, keys: int) -> tuple[Let, Let]:
    """From the first block of `keys` that some of `rows` from `ROW0` on sees to the one behind the last."""
    blocks = ceil_div(form.keys, keys)
    first: Index = Const(0)
    stop: Index = blocks
    if form.window.left is not None:
        first = minimum(maximum(ROW0 + DIAGONAL - form.window.left, 0) // keys, blocks)
    if form.window.right is not None:
        after = minimum(ROW0 + rows, form.m) + DIAGONAL + form.window.right
        stop = ceil_div(maximum(minimum(after, form.keys), 0), keys)
    return (Let(FIRST.name, first), Let(STOP.name, stop))


def hidden(
    form: Chained, own_row: Index, own_rows: int, keys: int, parts: Sequence[tuple[Index, Sequence[tuple[str, int]]]],
    row_fragment: str,
) -> Node:  # fmt: skip
    """Scores that a row does not see are the lowest number, unless an actor's rows see the whole block.

    Where a row's keys begin and end in the block is worked out once for each row, so that few registers hold it.

    Parameters
    ----------
    own_row, own_rows : Index, int
        The actor's first row, and how many it has.
    parts : sequence of (Index, sequence of (str, int))
        Of each part of those rows its first row, and the fragments of its scores with their first columns.
    row_fragment : str
        The fragment whose elements are a part's rows.
    """
    last, right, left = KEY0 + (keys - 1), form.window.right, form.window.left
    inside: Guard = (less(last, form.keys),)
    if right is not None:
        inside = (*inside, less(last, own_row + DIAGONAL + right + 1))
    if left is not None:
        inside = (*inside, at_least(KEY0, own_row + (own_rows - 1) + DIAGONAL - left))
    nodes: list[Node] = []
    for i, (first_row, scores) in enumerate(parts):
        key = first_row + ROW + DIAGONAL
        stop, start = Sym(f"keys_stop{i}"), Sym(f"keys_start{i}")
        end = form.keys if right is None else minimum(form.keys, key + right + 1)
        nodes.append(Let(stop.name, end - KEY0, row_fragment))
        if left is not None:
            nodes.append(Let(start.name, key - left - KEY0, row_fragment))
        for name, first in scores:
            column = first + COLUMN
            seen: Guard = (less(column, stop),) if left is None else (less(column, stop), at_least(column, start))
            nodes.append(Mask(name, seen, form.compute.lowest))
    return If(inside, (), tuple(nodes))


def kept(between: Expr) -> tuple[Expr, Expr]:
    """Return what happens to a score before maxima are taken, and what does as well behind: a positive multiple."""
    if rises(between):
        return Accumulator(), between
    if isinstance(between, Select) and isinstance(between.x, Constant) and rises(between.y):
        return between.replace(y=Accumulator()), between.y
    return between, Accumulator()


def rises(between: Expr) -> bool:
    """Whether what stands between is a positive multiple, so that the maximum may be taken before it."""
    product = isinstance(between, Binary) and between.fn is BinaryFn.MUL and between.x == Accumulator()
    return between == Accumulator() or (
        product and isinstance(between.y, Constant) and between.y.value > 0  # type: ignore[union-attr]
    )
