# SPDX-License-Identifier: MIT
"""What a kernel reads in place of what is not there: the last element of a matrix, or zeros beyond the edge of an image.

A row, column or step beyond a matrix is read as the last one, at min(x, n - 1). At min(x, n) it is read where the next matrix lies, or
nothing; what it is multiplied by may hide that in every run. A copy engine is told the images themselves, before any window of them:
where they end and how far apart they lie is the definition's, whatever the windows of some run touch.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.errors import CertificationError
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import Index, Sym, symbols, text
from tracea_core.semantic.kernel import Role, SemanticKernel, walk
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import Access, AsyncCopy, AsyncLoad, Let, Load
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.edges import clamps, polynomial

_READS = frozenset((Load, AsyncCopy, AsyncLoad, Let))


def check_reads(kernel: SemanticKernel, form: Form) -> tuple[Proof, ...]:
    """Refuse a read that may take an extent itself for the last element before it, and a walk over other images than the definition's.

    That is a part of "domains", which `tracea_core.semantic.verify.structure` states, so there is no proof of its own.

    Raises
    ------
    CertificationError
        Naming the operand.
    """
    extents = set(_extents(form))
    windows = form.windows if isinstance(form, Contraction) else None
    for role in kernel.roles:
        tables = _read_through(role)
        for node in walk(role.body):
            if type(node) not in _READS:
                continue
            if isinstance(node, Load | AsyncCopy) and isinstance(node.source, Access):
                _check_clamps(node.source.offset, extents, f"a read of {node.source.operand!r}")
            if isinstance(node, Let) and node.name in tables:
                _check_clamps(node.value, extents, f"{node.name!r}, where elements of {node.fragment!r} are read,")
            if isinstance(node, AsyncLoad) and node.source.pixels is not None:
                box, pixels = node.source, node.source.pixels
                walked = box.operand, box.extents, box.strides, pixels.first, pixels.last, pixels.step
                w = windows
                if w is None or walked != (w.operand, w.extents, w.strides, w.first, w.last, w.step):
                    raise CertificationError(
                        f"a walk over {box.operand!r} is not one over the images of the definition"
                    )
    return ()


def _read_through(role: Role) -> set[str]:
    """The tables that places which are read are made of, by way of other tables or not."""
    nodes = list(walk(role.body))
    used: set[str] = set()
    for node in nodes:
        if isinstance(node, Load | AsyncCopy):
            for index in indices(node.source):
                used |= symbols(index)
    tables = [node for node in nodes if isinstance(node, Let) and node.fragment is not None]
    for table in reversed(tables):
        if table.name in used:
            used |= symbols(table.value)
    return used & {table.name for table in tables}


def _check_clamps(place: Index, extents: set[str], what: str) -> None:
    for clamp in clamps(place):
        for side in (clamp.left, clamp.right):
            found = polynomial(side)
            shift = found.pop((), 0)
            of_extents = len(found) == 1 and all(
                extents.issuperset(key) and factor == 1 for key, factor in found.items()
            )
            if of_extents and shift >= 0:
                raise CertificationError(f"{what} may be at {text(side)}, which lies behind the last element")


def _extents(form: Form) -> Iterator[str]:
    """The names of what a form's rows, columns and steps end at."""
    axes: list[Index] = [axis.extent for axis in getattr(form, "k_axes", ())]
    axes += [getattr(form, name) for name in ("items", "m", "n", "k", "keys") if hasattr(form, name)]
    yield from (axis.name for axis in axes if isinstance(axis, Sym))
