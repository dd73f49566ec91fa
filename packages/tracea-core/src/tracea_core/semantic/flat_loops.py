# SPDX-License-Identifier: MIT
"""What iterations hold that are carried out at once, of one loop or of several within each other.

Iterations of nested loops are one list: those of the inner loop, each with the number of the outer iteration that it belongs to. Where they
branch, some of them go on alone and hand back what they hold. What only some iterations hold is kept with a mask, and whoever asks for it
is told that iterations differ; then they are carried out one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array, Environment, Instance
from tracea_core.semantic.interpret_memory import Flagged, Memory
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lockstep_team import Divergence
from tracea_core.semantic.steps import Load, Store

_MOST_PRIVATE = 1 << 22
"""Elements of iterations' own copies of a buffer at most."""


class Touched(NamedTuple):
    """What a step touched in all iterations."""

    step: Load | Store
    memory: Memory
    places: Integers


class Kept:
    """Arrays by name, along the iterations; `valid` says which iterations hold one, where not all do."""

    def __init__(self) -> None:
        self.values: dict[str, npt.NDArray[Any]] = {}
        self.valid: dict[str, npt.NDArray[np.bool_]] = {}
        self.made: set[str] = set()

    def hold(self, name: str, values: npt.NDArray[Any]) -> None:
        """Let all iterations hold something."""
        self.values[name] = values
        self.valid.pop(name, None)
        self.made.add(name)

    def get(self, name: str) -> npt.NDArray[Any] | None:
        """Return what all iterations hold; None if none holds it.

        Raises
        ------
        Divergence
            If only some do.
        """
        if name in self.valid:
            raise Divergence
        return self.values.get(name)

    def of(self, numbers: Integers, used: frozenset[str]) -> Kept:
        """Return what iterations hold of what is `used`, one for each number; none of it is made by them."""
        found = Kept()
        found.values = {name: _each(values, numbers) for name, values in self.values.items() if name in used}
        valid = {name: valid[numbers] for name, valid in self.valid.items() if name in used}
        found.valid = {name: some for name, some in valid.items() if not some.all()}
        return found

    def take(self, inner: Kept, numbers: Integers, count: int, asked: frozenset[str] | None = None) -> None:
        """Hold what others made, each for the iteration with its number of `count`; of several the last one.

        Where `asked` is given, nobody asks for anything else.
        """
        for name in inner.made if asked is None else inner.made & asked:
            values, holding = inner.values[name], inner.valid.get(name)
            values = np.broadcast_to(values, (len(numbers), *values.shape[1:]))
            if holding is not None:
                values, places = values[holding], numbers[holding]
            else:
                places = numbers
            before, valid = self.values.get(name), np.zeros(count, np.bool_)
            total = np.full((count, *values.shape[1:]), 0, values.dtype)
            if before is not None and before.shape[1:] == values.shape[1:]:
                total[:] = before
                valid = self.valid[name].copy() if name in self.valid else np.ones(count, np.bool_)
            total[places], valid[places] = values, True
            self.hold(name, total)
            if not valid.all():
                self.valid[name] = valid

    def last(self) -> dict[str, npt.NDArray[Any]]:
        """Return what the last iteration that made something made of it."""
        found = {}
        for name in self.made:
            holding = self.valid.get(name)
            if holding is None:
                found[name] = self.values[name][-1]
            elif holding.any():
                found[name] = self.values[name][np.flatnonzero(holding)[-1]]
        return found


class Copies(NamedTuple):
    """Copies of a buffer, one after the other: where each begins, and how many elements it has."""

    memory: Memory
    starts: Integers
    sizes: Integers


class Private:
    """Copies of a worker's buffers that iterations have to themselves, one each, in which nothing is written yet.

    An iteration that reads only what it has written itself finds the same in the buffer as in its copy.
    """

    def __init__(self, count: int, runs: Integers | None = None) -> None:
        self.count, self.runs = count, runs
        self.memory: dict[str, Copies] = {}

    def of(self, name: str, size: int | Integers) -> Copies:
        """Return the copies of a buffer of `size` elements, which may be another one for each run that iterations belong to.

        Raises
        ------
        Divergence
            If they are too large.
        """
        if name not in self.memory:
            each = (
                np.asarray(size)
                if self.runs is None
                else np.broadcast_to(size, self.runs.max(initial=0) + 1)[self.runs]
            )
            sizes = np.broadcast_to(each, self.count).astype(np.int64)
            if sizes.sum() > _MOST_PRIVATE or sizes.min(initial=0) < 0:
                raise Divergence
            kind = Memory if self.runs is None else Flagged
            self.memory[name] = Copies(kind.poisoned(name, int(sizes.sum())), np.cumsum(sizes) - sizes, sizes)
        return self.memory[name]

    def leave(self, name: str, target: Memory, first: Integers) -> None:
        """Write copies to where they stand for, in their order, each from the place `first` on."""
        memory, starts, _ = self.memory[name]
        places = np.flatnonzero(memory.written)
        numbers = np.searchsorted(starts, places, side="right") - 1
        there = places - starts[numbers] + first[numbers]
        target.values[there] = memory.values[places]  # of several the last one
        if target.written.dtype == np.bool_:
            target.written[there] = True
        else:
            np.add.at(target.written, there, memory.written[places])


class Iterations:
    """What iterations hold: values of symbols along their axis, fragments and tables so far, sums, and what they touched.

    Attributes
    ----------
    private : dict
        Copies of the worker's buffers by name, and which of them is each iteration's own.
    storing : list
        Stores to memory that others see, which wait until nothing can be refused any more.
    runs, workers : array, optional
        Where several launches are carried out at once: which one each iteration belongs to, and which of all their workers.
    """

    def __init__(self, instance: Instance, scope: Environment, count: int) -> None:
        self.instance, self.scope, self.count = instance, scope, count
        self.fragments, self.tables = Kept(), Kept()
        self.table_of: dict[str, Fragment] = {}
        self.sums: dict[str, tuple[FragmentLayout, Array]] = {}
        self.touched: list[Touched] = []
        self.storing: list[tuple[Memory, Integers, Array]] = []
        self.private: dict[str, tuple[Private, Integers]] = {}
        self.runs: Integers | None = None
        self.workers: Integers | None = None

    def of(self, numbers: Integers, used: frozenset[str]) -> Iterations:
        """Return one iteration for each number, which goes on where that one is; of what it holds, what is `used` from there on."""
        scope = {
            name: _each(value, numbers) if isinstance(value, np.ndarray) and value.ndim == 3 else value
            for name, value in self.scope.items()
            if name in used
        }
        found = Iterations(self.instance, scope, len(numbers))
        found.fragments, found.tables = self.fragments.of(numbers, used), self.tables.of(numbers, used)
        found.table_of, found.touched, found.storing = dict(self.table_of), self.touched, self.storing
        found.private = {name: (copies, rows[numbers]) for name, (copies, rows) in self.private.items()}
        if self.runs is not None and self.workers is not None:
            found.runs, found.workers = self.runs[numbers], self.workers[numbers]
        return found

    def part(self, names: frozenset[str]) -> Private:
        """Give each iteration copies of its own of some buffers."""
        found = Private(self.count, self.runs)
        self.private |= dict.fromkeys(names, (found, np.arange(self.count)))
        return found

    def times(
        self, name: str, start: Integers, turns: Integers, step: int, used: frozenset[str]
    ) -> tuple[Iterations, Integers]:
        """Return each iteration as often as it has `turns`, `name` going from `start` on, and which one each belongs to."""
        numbers = np.repeat(np.arange(self.count), turns)
        within = np.arange(len(numbers)) - np.repeat(np.cumsum(turns) - turns, turns)
        found = self.of(numbers, used)
        found.scope[name] = (start[numbers] + within * step)[:, None, None]
        return found, numbers

    def take(self, inner: Iterations, numbers: Integers, asked: frozenset[str] | None = None) -> None:
        """Hold what others made of it, each for the iteration with its number; of fragments what is `asked` for, or all."""
        self.fragments.take(inner.fragments, numbers, self.count, asked)
        self.tables.take(inner.tables, numbers, self.count)
        self.table_of |= inner.table_of

    def stores(self) -> Iterator[tuple[Memory, Integers, Array]]:
        """Yield each memory that something waits to be stored to, the places, and the values."""
        for memory in {id(one[0]): one[0] for one in self.storing}.values():
            mine = [one for one in self.storing if one[0] is memory]
            places, values = (np.concatenate([one[part].ravel() for one in mine]) for part in (1, 2))
            yield memory, places, values

    def each(self, value: Any) -> Integers:
        """Return an integer for each iteration."""
        return np.array(np.broadcast_to(np.asarray(value, np.int64), (self.count, 1, 1))[:, 0, 0])

    def branch(self, holds: Any) -> npt.NDArray[np.bool_]:
        """Return which iterations pass a test."""
        return np.array(np.broadcast_to(np.asarray(holds, np.bool_), (self.count, 1, 1))[:, 0, 0])


def _each(values: npt.NDArray[Any], numbers: Integers) -> npt.NDArray[Any]:
    return values if len(values) == 1 else values[numbers]
