# SPDX-License-Identifier: MIT
"""Registers of a fragment as matrices, and the checks of what one access may move.

The interpreter holds a fragment as an array of (lane, register); these functions turn it into the matrix it means and back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.errors import CertificationError
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.kernel import Actor, Fragment, Role
from tracea_core.semantic.row_steps import STREAM_BYTES
from tracea_core.semantic.steps import Load, Store, Transfer

Array: TypeAlias = npt.NDArray[np.float64]


class InterpretError(CertificationError):
    """A semantic kernel did something that no correct one does; `facts` name the role and the step."""


def astray(places: npt.NDArray[np.int64], width: int) -> npt.NDArray[np.bool_]:
    """Return of each place whether it is no multiple of `width`."""
    rest: npt.NDArray[np.int64] = places & (width - 1) if not width & (width - 1) else places % width
    return np.not_equal(rest, 0)


def check_runs(
    width: int, offsets: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_], what: str, aligned: bool = True
) -> None:
    """Check that each lane's registers move in runs of `width`: consecutive, masked together and, for a device, aligned."""
    if width == 1:
        return
    if offsets.shape[-1] % width:
        raise InterpretError(f"{what} moves {offsets.shape[-1]} registers in runs of {width}")
    runs = offsets.reshape(*offsets.shape[:-1], -1, width)
    first = runs[..., :1]
    if mask.all():
        begins, apart = astray(first, width), runs != first + np.arange(width)
    else:
        masks = mask.reshape(runs.shape)
        if np.any(masks != masks[..., :1]):
            raise InterpretError(f"{what} masks a part of a run of {width}")
        begins, apart = astray(first, width) & masks[..., :1], (runs != first + np.arange(width)) & masks
    if (aligned and begins.any()) or apart.any():
        raise InterpretError(f"{what} moves runs of {width} that are not consecutive and aligned")


def check_moved(
    step: Load | Store,
    fragment: Fragment,
    offsets: npt.NDArray[np.int64],
    mask: npt.NDArray[np.bool_],
    role: Role | None = None,
) -> npt.NDArray[np.int64]:
    """Check the runs of a step, and that every vector that it stores past the caches begins where it must.

    Returns the places as they would be if lanes moved single elements: a worker's vector may be made of runs, one for each lane,
    wherever they begin.
    """
    what = f"the {'load' if isinstance(step, Load) else 'store'} of {step.fragment!r}"
    worker = role is not None and role.actor is Actor.WORKER
    check_runs(step.width, offsets, mask, what, aligned=not worker)
    if step.transfer is Transfer.STREAM and np.any(offsets[..., :1, :] * fragment.dtype.bytes % STREAM_BYTES):
        raise InterpretError(f"{what} past the caches begins at no multiple of {STREAM_BYTES} bytes")
    if not worker or step.width == 1 or step.transfer is not Transfer.VECTOR:
        return offsets
    return offsets - (step.width - 1) * np.arange(offsets.shape[-2])[:, None]


@functools.lru_cache(maxsize=256)
def elements(layout: FragmentLayout) -> tuple[Integers, Integers, bool]:
    """Return rows and columns by (lane, register), and whether several lanes hold one element."""
    rows, columns = layout.elements()
    return rows, columns, layout.replication > 1


@functools.lru_cache(maxsize=256)
def _flat(layout: FragmentLayout) -> tuple[Integers, Integers | None]:
    """Return each register's place in the row-major matrix and, where every element has one register, its inverse."""
    rows, columns, _ = elements(layout)
    flat: Integers = rows * layout.shape[1] + columns
    return flat, np.argsort(flat, axis=None) if layout.is_partition() else None


@functools.lru_cache(maxsize=256)
def alike(layout: FragmentLayout) -> bool:
    """Whether all lanes hold the same elements."""
    rows, columns, _ = elements(layout)
    return bool((rows == rows[:1]).all() and (columns == columns[:1]).all())


def gather(layout: FragmentLayout, registers: Array) -> Array:
    """Return the matrix that registers hold under `layout`; lanes that share an element must agree on it."""
    rows, columns, shared = elements(layout)
    if registers.shape != rows.shape:
        raise InterpretError(f"a fragment of {registers.shape} lanes and registers where {rows.shape} are needed")
    inverse = _flat(layout)[1]
    if inverse is not None:
        return registers.ravel().take(inverse).reshape(layout.shape)
    matrix = np.full(layout.shape, np.nan)
    matrix[rows, columns] = registers
    if shared and not np.array_equal(matrix[rows, columns], registers, equal_nan=True):
        raise InterpretError("lanes that should hold the same element hold different ones")
    return matrix


def scatter(layout: FragmentLayout, matrix: Array) -> Array:
    """Return the registers that hold `matrix` under `layout`, as an array of (lane, register)."""
    if matrix.shape != layout.shape:
        raise InterpretError(f"a matrix of {matrix.shape} in a fragment of {layout.shape}")
    return matrix.ravel().take(_flat(layout)[0])


def gather_each(layout: FragmentLayout, registers: Array) -> Array:
    """As `gather`, of registers by (repetition, lane, register): a matrix for each repetition."""
    rows, columns, shared = elements(layout)
    if registers.shape[1:] != rows.shape:
        raise InterpretError(f"a fragment of {registers.shape[1:]} lanes and registers where {rows.shape} are needed")
    count, inverse = len(registers), _flat(layout)[1]
    if not any(registers.strides):  # one number everywhere
        return (
            np.broadcast_to(registers[:1, :1, :1], (count, *layout.shape))
            if registers.size
            else np.empty((count, *layout.shape))
        )
    if inverse is not None:
        return registers.reshape(count, -1).take(inverse, axis=1).reshape(count, *layout.shape)
    if registers.strides[1] == 0 and alike(layout):  # all lanes hold the same, of which one is looked at
        matrices = np.full((count, *layout.shape), np.nan)
        matrices[:, rows[0], columns[0]] = registers[:, 0]
        if shared and not np.array_equal(matrices[:, rows[0], columns[0]], registers[:, 0], equal_nan=True):
            raise InterpretError("lanes that should hold the same element hold different ones")
        return matrices
    matrices = np.full((count, *layout.shape), np.nan)
    matrices[:, rows, columns] = registers
    if shared and not np.array_equal(matrices[:, rows, columns], registers, equal_nan=True):
        raise InterpretError("lanes that should hold the same element hold different ones")
    return matrices


def scatter_each(layout: FragmentLayout, matrices: Array) -> Array:
    """As `scatter`, of a matrix for each repetition."""
    if matrices.shape[1:] != layout.shape:
        raise InterpretError(f"a matrix of {matrices.shape[1:]} in a fragment of {layout.shape}")
    return matrices.reshape(len(matrices), -1).take(_flat(layout)[0], axis=1)


def fold(fn: BinaryFn, matrix: Array, shape: tuple[int, int]) -> Array:
    """Return the columns of a matrix (or of a stack of them) reduced to one by `fn`.

    Raises
    ------
    InterpretError
        If `shape`, where the result goes, is no column of as many rows.
    """
    if shape != (matrix.shape[-2], 1):
        raise InterpretError(f"the columns of a fragment of {matrix.shape} are reduced into one of {shape}")
    with np.errstate(all="ignore"):
        return np.asarray(_FOLDS[fn](matrix, axis=-1, keepdims=True))


def add_rows(matrix: Array, rows: int) -> Array:
    """Return the sum of the first `rows` rows of a matrix, as one row.

    Raises
    ------
    InterpretError
        If it has no so many rows, or none is asked for.
    """
    if not 1 <= rows <= len(matrix):
        raise InterpretError(f"of {len(matrix)} rows {rows} are added")
    return np.asarray(matrix[:rows].sum(axis=0, keepdims=True))


def join(parts: list[Array], shape: tuple[int, int]) -> Array:
    """Return matrices (or stacks of them) side by side.

    Raises
    ------
    InterpretError
        If they do not make up a matrix of `shape`.
    """
    if {part.shape[-2] for part in parts} != {shape[0]} or sum(part.shape[-1] for part in parts) != shape[1]:
        raise InterpretError(f"matrices of {[part.shape[-2:] for part in parts]} do not make up one of {shape}")
    return np.concatenate(parts, axis=-1)


_FOLDS: dict[BinaryFn, Callable[..., Array]] = {BinaryFn.ADD: np.sum, BinaryFn.MAXIMUM: np.max}
