# SPDX-License-Identifier: MIT
"""The steps that only kernels over whole rows need: reduce along the columns, leave columns out, count them, join them.

A contraction never looks across its own accumulator; a softmax does. These few steps are all that the row-wise and the chained
family add to `tracea_core.semantic.steps`.
"""

from __future__ import annotations

import msgspec

from tracea_core.data import Data
from tracea_core.ops.expr import BinaryFn
from tracea_core.semantic.index import Guard, Index

FOLDS = (BinaryFn.ADD, BinaryFn.MAXIMUM)
"""What columns can be reduced by: functions whose order of arguments means nothing."""
STREAM_BYTES = 16
"""What the address of a vector that a `Transfer.STREAM` stores is a multiple of."""


class Fold(Data, frozen=True, tag=True):
    """target[i, 0] = source[i, 0] ∘ source[i, 1] ∘ …, for ∘ one of `FOLDS`; every lane of the actor receives the result.

    Data moves between lanes, never between actors. A lane joins its own elements in so many ``chains``, which it joins last, where that
    is set: in one of them each result waits for the one before.
    """

    target: str
    source: str
    fn: BinaryFn
    chains: int | msgspec.UnsetType = msgspec.UNSET


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
