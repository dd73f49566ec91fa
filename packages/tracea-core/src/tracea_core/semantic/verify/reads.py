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
from tracea_core.semantic.index import Index, Sym
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.steps import Access, AsyncCopy, AsyncLoad, Load
from tracea_core.semantic.verify.certificate import Proof
from tracea_core.semantic.verify.edges import clamps, extent_of


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
        for node in walk(role.body):
            if isinstance(node, Load | AsyncCopy) and isinstance(node.source, Access):
                _check_clamps(node.source, extents)
            if isinstance(node, AsyncLoad) and node.source.pixels is not None:
                box, pixels = node.source, node.source.pixels
                walked = box.operand, box.extents, box.strides, pixels.first, pixels.last, pixels.step
                w = windows
                if w is None or walked != (w.operand, w.extents, w.strides, w.first, w.last, w.step):
                    raise CertificationError(
                        f"a walk over {box.operand!r} is not one over the images of the definition"
                    )
    return ()


def _check_clamps(place: Access, extents: set[str]) -> None:
    for clamp in clamps(place.offset):
        for side in (clamp.left, clamp.right):
            found = extent_of(side, {})
            if found is not None and found[0] in extents and found[1] >= 0:
                raise CertificationError(
                    f"a read of {place.operand!r} may be at {found[0]} + {found[1]}, which lies behind the last element"
                )


def _extents(form: Form) -> Iterator[str]:
    """The names of what a form's rows, columns and steps end at."""
    axes: list[Index] = [axis.extent for axis in getattr(form, "k_axes", ())]
    axes += [getattr(form, name) for name in ("m", "n", "k", "keys") if hasattr(form, name)]
    yield from (axis.name for axis in axes if isinstance(axis, Sym))
