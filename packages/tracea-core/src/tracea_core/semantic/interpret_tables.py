# SPDX-License-Identifier: MIT
"""Addresses that repeat: where references to shared memory lie, computed once per place instead of once per step.

What a box, a descriptor or a store of registers touches in shared memory depends on the reference and on the values of
the few symbols in it (the ring's slot, the role's number, a rank), never on the tile or on the iteration. All runs of
one kernel share the table; what is looked up is what would have been computed, for the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.semantic.closures import Closures
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.hardware import box_addresses, operand_addresses
from tracea_core.semantic.index import COLUMN, ROW, Index, Value, symbols
from tracea_core.semantic.interpret_registers import InterpretError, check_moved
from tracea_core.semantic.kernel import Buffer, Fragment, Role, SemanticKernel, Space
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.peel import expand
from tracea_core.semantic.steps import Box, BufferRef, Load, Loop, Node, SharedOperand, Store

Scope = Mapping[str, Value]
_T = TypeVar("_T")


class Tables(Closures):
    """Everything about one kernel that all its steps and runs look up again and again."""

    def __init__(self, kernel: SemanticKernel) -> None:
        super().__init__()
        self.kernel = kernel
        self.buffers = {buffer.name: buffer for buffer in kernel.buffers}
        self.sizes = {buffer.name: buffer.layout.size for buffer in kernel.buffers}
        self._kept: set[int] = set()
        self._known: dict[tuple[object, ...], object] = {}
        self._names: dict[Data, tuple[str, ...]] = {}
        self._plain: dict[int, tuple[Loop, tuple[Node, ...]]] = {}

    def buffer(self, name: str) -> Buffer:
        """Return the buffer called `name`."""
        return self.buffers[name]

    def plain(self, loop: Loop) -> tuple[Node, ...]:
        """Return `expand(loop)`; the loop is kept, so that its identity stays its own."""
        known = self._plain.get(id(loop))
        if known is None:
            known = self._plain[id(loop)] = (loop, expand(loop))
        return known[1]

    # ---- fragments and buffers

    def elements(self, layout: FragmentLayout) -> tuple[Integers, Integers]:
        """Return rows and columns by (lane, register)."""
        rows, columns, _ = self.once(("elements", id(layout)), lambda: (*layout.elements(), layout))
        return rows, columns  # kept with the layout, whose identity stays its own

    def lanes(self, count: int) -> Integers:
        """Return the numbers of `count` lanes as a column."""
        return self.once(("lanes", count), lambda: np.arange(count)[:, None])

    def moved(
        self, step: Load | Store, fragment: Fragment, places: Integers, mask: npt.NDArray[np.bool_], role: Role
    ) -> Integers:
        """Return ``check_moved(…)``; what is kept here and moves whole is looked at once."""
        if not self.keeps(places) or mask is not self.every(places.shape):
            return check_moved(step, fragment, places, mask, role)
        key = ("moved", id(places), type(step), step.width, step.transfer, fragment.dtype, role.actor)
        return self.once(key, lambda: check_moved(step, fragment, places, mask, role))

    def every(self, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """Return a mask that lets everything pass."""
        return self.once(("every", shape), lambda: np.ones(shape, np.bool_))

    def admitted(self, mask: Any, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """Return a mask of `shape`, whatever it broadcasts from."""
        whole: npt.NDArray[np.bool_] = np.logical_and(mask, self.every(shape))  # faster than a view of a small array
        return whole

    def spread(self, value: Any, shape: tuple[int, ...]) -> Integers:
        """Return integers of `shape`, whatever they broadcast from."""
        array = np.asarray(value, np.int64)
        return array if array.shape == shape else array + self.once(("zeros", shape), lambda: np.zeros(shape, np.int64))

    def strides(self, buffer: Buffer) -> tuple[int, ...] | None:
        """Return what one more of each coordinate adds to a place in a buffer; None where an axis has no one stride."""
        return self.once(("strides", buffer.name), lambda: (_strides(buffer.layout),))[0]

    def at(self, buffer: Buffer, coordinates: list[Integers]) -> Integers:
        """Return ``buffer.layout.at(*coordinates)``, without bits where every axis has one stride.

        Raises
        ------
        ConfigurationError
            If a coordinate leaves its axis.
        """
        layout = buffer.layout
        strides, extents = self.strides(buffer), layout.shape
        if strides is None or any(
            value.size and value.view(np.uint64).max() >= extent
            for value, extent in zip(coordinates, extents, strict=True)
        ):
            return layout.at(*coordinates)  # which says what leaves its axis
        total = np.zeros((), np.int64)
        for value, stride in zip(coordinates, strides, strict=True):
            total = total + value * stride
        return total

    def start(self, reference: BufferRef | SharedOperand, scope: Scope) -> int:
        """Return the byte address of a reference's first element within its buffer.

        Raises
        ------
        InterpretError
            If the slot is none of the buffer's.
        """
        return self.once(("start", *self._place(reference, scope)), lambda: self._start(reference, scope))

    def box(self, box: Box, reference: BufferRef, scope: Scope) -> Integers:
        """Return where a copy engine puts (or takes) a box at `reference`, in elements, fastest dimension last."""
        size = self.buffers[reference.buffer].dtype.bytes
        return self.once(
            ("box", box.shape, box.swizzle_bytes, *self._place(reference, scope)),
            lambda: box_addresses(box.shape, box.swizzle_bytes, size, self.start(reference, scope)) // size,
        )

    def matrix(self, operand: SharedOperand, outer: int, k: int, scope: Scope) -> Integers:
        """Return where an instruction finds its `outer` by `k` operand, in elements."""
        size = self.buffers[operand.buffer].dtype.bytes
        return self.once(
            ("matrix", outer, k, *self._place(operand, scope)),
            lambda: operand_addresses(operand, outer, k, size, self.start(operand, scope)) // size,
        )

    def place(self, reference: BufferRef, fragment: Fragment, places: Scope) -> tuple[object, ...] | None:
        """Return a key for where a fragment's elements lie, or None where it is not worth one: beyond shared memory."""
        if self.buffers[reference.buffer].space is not Space.SHARED:
            return None
        name, *values = self._place(reference, places)
        if any(isinstance(value, np.ndarray) for value in values):
            return None
        return ("fragment", id(fragment.layout), name, *values)  # the kernel keeps its fragments

    def once(self, key: tuple[object, ...], compute: Callable[[], _T]) -> _T:
        """Return what `compute` gave when it was first called for `key`."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = compute()
            self._kept.add(id(found))
        return found  # type: ignore[return-value]  # keys begin with the kind of value they name

    def keeps(self, places: Integers) -> bool:
        """Whether this very array is kept here."""
        return id(places) in self._kept

    def recall(self, places: Integers, holds: Callable[[Integers], bool]) -> bool:
        """Return ``holds(places)``, computed once for each array (which is kept, so that its identity stays its own)."""
        return self.once(("holds", holds, id(places)), lambda: (places, holds(places)))[1]

    def _place(self, reference: BufferRef | SharedOperand, scope: Scope) -> tuple[object, ...]:
        names = self._names.get(reference)
        if names is None:
            parts: tuple[Index, ...] = reference.coordinates
            if reference.slot is not None:
                parts = (*parts, reference.slot)
            used = frozenset[str]().union(*(symbols(part) for part in parts))
            names = tuple(sorted(used - {ROW.name, COLUMN.name}))
            self._names[reference] = names
        return (reference, *(scope.get(name) for name in names))

    def _start(self, reference: BufferRef | SharedOperand, scope: Scope) -> int:
        buffer = self.buffers[reference.buffer]
        coordinates = [int(self.value(c, scope)) for c in reference.coordinates]
        slot = 0 if reference.slot is None else int(self.value(reference.slot, scope))
        if not 0 <= slot < buffer.slots:
            raise InterpretError(f"{buffer.name!r} has {buffer.slots} slots, slot {slot} is used")
        return (slot * self.sizes[buffer.name] + buffer.layout.place(*coordinates)) * buffer.dtype.bytes


def _strides(layout: Layout) -> tuple[int, ...] | None:
    """What a step along each axis adds to the offset; None where some axis has no one stride."""
    if not layout.atom.is_identity:
        return None
    found: list[int] = []
    inner = sum(axis.bits for axis in layout.axes)
    for axis in layout.axes:
        inner -= axis.bits
        digits = [digit for digit in reversed(axis.digits) if digit.extent > 1]
        stride = 1 << inner if axis.bits else digits[0].stride if digits else 0
        reached = stride << axis.bits
        for digit in digits:
            if digit.stride != reached:
                return None
            reached *= digit.extent
        found.append(stride)
    return tuple(found)


def tables(kernel: SemanticKernel) -> Tables:
    """Return the tables of `kernel`, shared by all its runs (of this very object: to hash a kernel costs more than a step)."""
    known = _LATEST.get(id(kernel))
    if known is None:
        while len(_LATEST) >= _MOST:
            _LATEST.pop(next(iter(_LATEST)), None)
        known = _LATEST[id(kernel)] = Tables(kernel)
    return known


_MOST = 8
_LATEST: dict[int, Tables] = {}
"""The tables of the kernels asked for last, by identity; tables keep their kernel, so it stays its own."""
