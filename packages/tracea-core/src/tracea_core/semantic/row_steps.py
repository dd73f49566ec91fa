# SPDX-License-Identifier: MIT
"""The steps that look across a fragment: reduce along its columns or its rows, leave columns out, count them, join them.

A contraction never looks across its own accumulator, unless its columns are summed; a softmax does. These few steps are all that the
row-wise and the chained family add to `tracea_core.semantic.steps`.
"""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.index import Guard, Index

FOLDS = (BinaryFn.ADD, BinaryFn.MAXIMUM)
"""What columns can be reduced by: functions whose order of arguments means nothing."""
STREAM_BYTES = 16
"""What the address of a vector that a `Transfer.STREAM` stores is a multiple of."""


class Fold(Data, frozen=True, tag=True):
    """target[i, 0] = source[i, 0] ∘ source[i, 1] ∘ …, for ∘ one of `FOLDS`; every lane of the actor receives the result.

    Data moves between lanes, never between actors.
    """

    target: str
    source: str
    fn: BinaryFn


class AddRows(Data, frozen=True, tag=True):
    """target[0, j] = source[0, j] + source[1, j] + …, of the first `rows` rows, in this order; no data moves between lanes.

    Row 0 always counts.
    """

    target: str
    source: str
    rows: Index


class Mask(Data, frozen=True, tag=True):
    """Set the elements of a fragment whose guard fails to `value`."""

    fragment: str
    guard: Guard
    value: float


class Count(Data, frozen=True, tag=True):
    """Set every register of a fragment to an integer of the schedule, rounded to the fragment's type.

    Where it names `ROW` or `COLUMN`, each element has a value of its own: a table of coordinates, say, on its way to shared memory.
    """

    fragment: str
    value: Index


class Join(Data, frozen=True, tag=True):
    """target = the `sources` side by side, in the order of their columns.

    No data moves between lanes: each lane finds what it holds of the target in its own registers. So weights that one instruction's
    accumulators hold become the operand of the next one without passing through memory.
    """

    target: str
    sources: tuple[str, ...]


class Prefetch(Data, frozen=True, tag=True):
    """Hint: the line of memory that holds one element of an operand will be read (or written) soon. Changes speed, never meaning.

    `offset` counts elements from the operand's pointer and may lie outside the operand; `level` is the cache that shall hold it.
    """

    operand: str
    offset: Index
    level: int
    write: bool = False
