# SPDX-License-Identifier: MIT
"""Memory while a kernel is interpreted: poisoned until it is written, bounded, and counted write by write."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.interpret_registers import Array, InterpretError


@dataclass
class Memory:
    """An object that elements are read from and written to by offset, with what was written and how often."""

    name: str
    values: Array
    written: npt.NDArray[np.int64]
    writable: bool = True
    whole: bool = False

    @classmethod
    def given(cls, name: str, values: Array, writable: bool) -> Memory:
        """Wrap an operand that already holds data."""
        one = np.ones(values.size, np.int64) if writable else np.broadcast_to(np.int64(1), values.size)
        return cls(name, values, one, writable, whole=True)

    @classmethod
    def poisoned(cls, name: str, size: int) -> Memory:
        """Return memory that holds nothing yet."""
        if size < 0:
            raise InterpretError(f"{name!r} would have {size} elements")
        return cls(name, np.full(size, np.nan), np.zeros(size, np.int64))

    def check(self, offsets: npt.NDArray[np.int64], what: str) -> None:
        """Raise unless all offsets lie inside."""
        if offsets.size and offsets.view(np.uint64).max() >= self.values.size:  # what is negative is larger than any
            bad = offsets.min() if offsets.min() < 0 else offsets.max()
            raise InterpretError(f"{what} touches element {bad} of {self.name!r}, which has {self.values.size}")

    def read(self, offsets: npt.NDArray[np.int64]) -> Array:
        """Return the elements at `offsets`."""
        self.check(offsets, "a read")
        if not self.whole and not self.written.take(offsets).all():
            raise InterpretError(f"{self.name!r} is read where nothing was written")
        return self.values.take(offsets)

    def read_span(self, places: npt.NDArray[np.int64]) -> Array:
        """Return the elements at places that are known to lie inside."""
        if not self.whole and not self.written.take(places).all():
            raise InterpretError(f"{self.name!r} is read where nothing was written")
        return self.values.take(places)

    def write(self, offsets: npt.NDArray[np.int64], values: Array, distinct: bool = False) -> None:
        """Store `values`; two elements of one store must not meet (`distinct`: it is known that they do not)."""
        if not self.write_apart(offsets, values, distinct):
            raise InterpretError(f"one store writes an element of {self.name!r} twice")

    def write_apart(self, offsets: npt.NDArray[np.int64], values: Array, distinct: bool = False) -> bool:
        """Store `values` and return True, or False, with nothing written, if two elements of the store meet."""
        self.check(offsets, "a write")
        if not self.writable:
            raise InterpretError(f"{self.name!r} is written, but it is an input")
        before = self.written.take(offsets)
        if not distinct:
            self.written[offsets] = marks = np.arange(offsets.size).reshape(offsets.shape)
            if (self.written.take(offsets) != marks).any():  # of two elements that meet, one finds the other's mark
                self.written[offsets] = before
                return False
        self.written[offsets] = before + 1
        self.values[offsets] = values
        return True


@dataclass
class Flagged(Memory):
    """Memory of which only whether an element was written is asked, not how often; what was not is never read, and arbitrary."""

    @classmethod
    def poisoned(cls, name: str, size: int) -> Memory:
        """Return memory that holds nothing yet."""
        if size < 0:
            raise InterpretError(f"{name!r} would have {size} elements")
        return cls(name, np.empty(size), np.zeros(size, np.bool_))  # counts up to one

    def write_apart(self, offsets: npt.NDArray[np.int64], values: Array, distinct: bool = False) -> bool:
        """Store `values` and return True, or False, with nothing written, if two elements of the store meet."""
        self.check(offsets, "a write")
        if not distinct:
            before = self.written.take(offsets)
            if before.any():
                self.written[offsets] = False
            known = np.count_nonzero(self.written)  # elsewhere
            self.written[offsets] = True
            if np.count_nonzero(self.written) - known != offsets.size:
                self.written[offsets] = before
                return False
        else:
            self.written[offsets] = True
        self.values[offsets] = values
        return True
