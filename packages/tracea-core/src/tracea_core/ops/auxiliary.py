# SPDX-License-Identifier: MIT
"""Second results: what an epilogue stores on its way to the output, such as the value ahead of an activation, which training needs.

Where they go is an operand of the epilogue that is written instead of read. So an op that can read a residual can store a second
result: both lie at the same places, and a schedule moves them with the same lanes (`tracea_core.semantic.build.auxiliary`).
"""

from __future__ import annotations

from collections.abc import Collection

from tracea_core.errors import OptionError
from tracea_core.ops.expr import Auxiliary, Expr, Operand, linearize, rewrite


def auxiliaries(expr: Expr) -> dict[int, Expr]:
    """Return what `expr` stores besides its value: expressions by the slot of the operand that they are stored to, ascending.

    Raises
    ------
    OptionError
        If two values go to one place, or what is stored is read as well.

    Examples
    --------
    >>> from tracea_core.ops.expr import Accumulator, Unary, UnaryFn
    >>> auxiliaries(Unary(UnaryFn.EXP, Auxiliary(Accumulator(), Operand(0))))
    {0: Accumulator(index=0)}
    """
    found: dict[int, Expr] = {}
    for node, _ in linearize(expr):
        if isinstance(node, Auxiliary):
            value = plain(node.x)
            if found.setdefault(node.place.slot, value) != value:
                raise OptionError(f"two values would be stored to operand {node.place.slot}")
    values = (plain(expr), *found.values()) if found else ()
    read = {node.slot for value in values for node, _ in linearize(value) if isinstance(node, Operand)}
    for slot in sorted(read & found.keys()):
        raise OptionError(f"operand {slot} is stored to, so it cannot be read", hint="Give it an array of its own")
    return dict(sorted(found.items()))


def plain(expr: Expr, slots: Collection[int] | None = None) -> Expr:
    """Return `expr` without its second results, or those that are stored to `slots`: the same value, and nothing else is stored."""

    def left_out(node: Expr) -> bool:
        return isinstance(node, Auxiliary) and (slots is None or node.place.slot in slots)

    if not any(left_out(node) for node, _ in linearize(expr)):
        return expr
    done: dict[int, Expr] = {}

    def whole(node: Expr) -> Expr | None:
        if not isinstance(node, Auxiliary) or not left_out(node):
            return None
        if id(node) not in done:
            done[id(node)] = plain(node.x, slots)
        return done[id(node)]

    return rewrite(expr, lambda leaf: leaf, whole)
