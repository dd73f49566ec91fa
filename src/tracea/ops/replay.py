# SPDX-License-Identifier: MIT
"""The shortest way of a NumPy product that was planned before: ``matmul(a, b)``, with or without ``out``, nothing else asked for.

A product of 64 × 64 matrices takes 8 µs, as long as preparing for epilogues, options and other libraries would. Everything a plan
depends on is still compared, and every check of a call is still made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from tracea_core.errors import AliasError

from tracea.arrays import NUMPY
from tracea.dispatch import BoundPlan, derived, find
from tracea.ops.call import NO_EPILOGUE
from tracea.ops.prepacked import Prepacked
from tracea.ops.request import PLAIN

_LIMIT = 4096
_SETS = 1024
_pointer = NUMPY.pointer


class _Known(NamedTuple):
    """A plan, its launch, its pointers' order where that is not a, b, out, and addresses that were found not to overlap."""

    plan: BoundPlan
    launch: Callable[..., None]
    order: tuple[int, ...] | None
    apart: set[tuple[int, int, int]]


_known: dict[tuple[Any, ...], _Known] = derived({})
_guard = threading.Lock()


def replay(a: Any, b: Any, out: Any) -> Any:
    """Launch the plan of this product again if it has one; return the result, or None if nothing was launched.

    Parameters
    ----------
    a, b : array
        Any arrays; `b` may be a `Prepacked` weight.
    out : array or None
        Where the result goes.

    Raises
    ------
    AliasError
        If `out` is read-only or shares memory with an input.
    """
    if type(a) is not np.ndarray:
        return None
    if type(b) is np.ndarray:
        kind = b.dtype
    elif type(b) is Prepacked:
        b, kind = b.matrix, b.kind
    else:
        return None
    if out is None:
        known = _known.get((a.shape, a.strides, a.dtype, b.shape, b.strides, kind))
        if known is None:
            return None
        out = known.plan.allocate()
        pointers = (_pointer(a), _pointer(b), _pointer(out))
    else:
        if type(out) is not np.ndarray:
            return None
        known = _known.get((a.shape, a.strides, a.dtype, b.shape, b.strides, kind, out.shape, out.strides, out.dtype))
        if known is None:
            return None
        if not out.flags.writeable:
            raise AliasError("out is read-only", hint="Give a writable array", op="matmul", shape=out.shape)
        pointers = (_pointer(a), _pointer(b), _pointer(out))
        if pointers not in known.apart:
            known.plan.check_overlap(list(pointers), 2)
            if len(known.apart) >= _SETS:
                known.apart.clear()
            known.apart.add(pointers)
    if known.order is None:
        known.launch(*pointers)
    else:
        known.launch(*[pointers[place] for place in known.order])
    return out


def keep(a: Any, b: Any, out: Any, settings: tuple[Any, ...]) -> None:
    """Remember the plan of a product that has just been launched with no epilogue and no options but a weight's panels.

    Parameters
    ----------
    a, b : array
        As the caller gave them; `b` may be a `Prepacked` weight for ``matmul``.
    out : array or None
        As the caller gave it.
    settings : tuple
        The settings under which the plan is filed.
    """
    panels = b if type(b) is Prepacked else None
    matrix = b if panels is None else panels.matrix
    arrays = (a, matrix) if out is None else (a, matrix, out)
    if any(type(array) is not np.ndarray for array in arrays):
        return
    keys = [NUMPY.key(array) for array in arrays]
    options = PLAIN if panels is None else panels.options
    plan = find(("matmul", settings, NO_EPILOGUE[0], out is None, None, options, *keys))
    if plan is None or plan.launch is None or plan.converted:
        return
    with _guard:
        if len(_known) >= _LIMIT:
            _known.clear()
        order = None if plan.order == (0, 1, 2) else plan.order
        if panels is not None:
            keys[1] = (matrix.shape, matrix.strides, panels.kind)
        _known[tuple(part for key in keys for part in key)] = _Known(plan, plan.launch, order, set())
