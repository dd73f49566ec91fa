# SPDX-License-Identifier: MIT
"""Plant a fault by hand: a kernel with some of its nodes exchanged, left out or added to.

>>> broken = edited(kernel, lambda node: None if isinstance(node, Barrier) else node)  # doctest: +SKIP

Checkers are tested so: what `edited` returns does something else, and has to be refused. `tracea_core.testing.faults` plants every fault
of its kinds, `tracea_core.testing.mutate` changes that an emitter has to print.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, Union

from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Node

Edit: TypeAlias = Callable[[Node], Union[Node, Sequence[Node], None]]
"""What a node becomes: itself, another one, several in a row, or nothing (None, or none in a row)."""
_BODIES = ("body", "then", "otherwise")


def edited(kernel: SemanticKernel, edit: Edit, *, role: str | None = None, or_same: bool = False) -> SemanticKernel:
    """Return the kernel with every node put through `edit`, those of loops and branches before the loop or branch itself.

    Parameters
    ----------
    kernel : SemanticKernel
        Any kernel; it is left as it is.
    edit : callable
        Is given each node once.
    role : str, optional
        Edit the body of this role alone.
    or_same : bool
        The edit may be none: what is planted in some of a test's cases is nothing.

    Raises
    ------
    ValueError
        If nothing changed: a test of a fault that was never planted proves nothing.
    """

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            inner = {name: visit(getattr(node, name)) for name in _BODIES if hasattr(node, name)}
            made = edit(node.replace(**inner) if inner else node)
            found += () if made is None else made if isinstance(made, tuple | list) else (made,)
        return tuple(found)

    roles = (one.replace(body=visit(one.body)) if role in (None, one.name) else one for one in kernel.roles)
    changed = kernel.replace(roles=tuple(roles))
    if changed == kernel and not or_same:
        raise ValueError("the fault was not planted: no node changed")
    return changed
