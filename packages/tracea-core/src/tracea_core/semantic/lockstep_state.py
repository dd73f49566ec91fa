# SPDX-License-Identifier: MIT
"""What all warps of a team hold together, for `tracea_core.semantic.interpret_lockstep`: registers, sums, and copies under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.lockstep_elements import Table

Chosen: TypeAlias = slice | Integers
"""Which warps of a team: views are made of those that follow each other."""
_MOST_WAITING = 1 << 20
"""Elements of factors that wait to be multiplied: few enough for their arrays to stay in caches."""


def span(chosen: Integers) -> Chosen:
    """Return ascending numbers as a slice, if they follow each other."""
    first, last = (int(chosen[0]), int(chosen[-1])) if chosen.size else (0, -1)
    return slice(first, last + 1) if last - first + 1 == chosen.size else chosen


class Flying(NamedTuple):
    """A copy under way: where it lands, what, by (copy, warp, lane, register), and each warp's threads and block.

    `pending` says of every block of the run whether its part is still under way; `slots` are those of the buffer that it lands in.
    """

    memory: Memory
    places: Integers
    values: Array
    threads: Integers
    blocks: Integers
    pending: npt.NDArray[np.bool_]
    slots: Sequence[int]

    def of(self, blocks: npt.NDArray[np.bool_]) -> Flying:
        """Return what is pending in some blocks."""
        return self._replace(pending=self.pending & blocks)

    def landing(self) -> tuple[Integers, Array, Integers, Integers]:
        """Return places, values, threads and blocks of the warps whose part is pending."""
        mine = span(np.flatnonzero(self.pending[self.blocks]))
        return self.places[:, mine], self.values[:, mine], self.threads[mine], self.blocks[mine]


@dataclass
class BlockState:
    """What all warps of a team hold together.

    Sums are fragments held as matrices, which products add to; registers are made of them when they are asked for, as of what is `loaded`,
    parts of factors. `grids` are
    large matrices whose parts are the sums of several fragments; `adding` has the factors of products that wait to be added to them,
    since sums of integers are exact in any order. `later` is what some of the warps hold since, in their order, and `within` the state of
    the larger team that these warps are some of.
    """

    count: int
    registers: dict[str, Array] = field(default_factory=dict)
    sums: dict[str, tuple[FragmentLayout, Array]] = field(default_factory=dict)
    loaded: dict[str, tuple[FragmentLayout, Array]] = field(default_factory=dict)
    grids: dict[tuple[str, ...], tuple[Array, dict[str, Array]]] = field(default_factory=dict)
    matrices: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    opened: list[Flying] = field(default_factory=list)
    groups: list[list[Flying]] = field(default_factory=list)
    adding: dict[tuple[str, ...], list[tuple[Array, Array]]] = field(default_factory=dict)
    waiting: int = 0
    later: dict[str, list[tuple[Chosen, Array]]] = field(default_factory=dict)
    within: tuple[BlockState, Chosen] | None = None

    def hold(self, name: str, registers: Array) -> None:
        """Let a fragment hold something else."""
        if name in self.sums:
            self.add_up()
        self.registers[name] = registers
        self.sums.pop(name, None)
        self.loaded.pop(name, None)
        self.later.pop(name, None)

    def hold_part(self, name: str, layout: FragmentLayout, matrix: Array) -> None:
        """Let a fragment hold what a matrix says, which stays as it is."""
        if name in self.sums:
            self.add_up()
        self.loaded[name] = (layout, matrix)
        self.registers.pop(name, None)
        self.sums.pop(name, None)
        self.later.pop(name, None)

    def holds(self, name: str) -> bool:
        """Whether a fragment holds anything."""
        own = name in self.registers or name in self.sums or name in self.loaded or name in self.later
        return own or (self.within is not None and self.within[0].holds(name))

    def grid(self, names: tuple[str, ...]) -> Array | None:
        """Return the large matrix that these fragments are parts of, if they still are."""
        known = self.grids.get(names)
        if known is None or not self.later.keys().isdisjoint(names):
            return None
        if any(self.sums.get(name, (None, None))[1] is not part for name, part in known[1].items()):
            return None
        return known[0]

    def add(self, names: tuple[str, ...], tall: Array, wide: Array) -> None:
        """Add the product of two matrices to the large one that these fragments are parts of, at once or later."""
        waiting = self.adding.setdefault(names, [])
        waiting.append((tall, wide))
        self.waiting += tall.size + wide.size
        if self.waiting >= _MOST_WAITING:
            self.add_up()

    def add_up(self) -> None:
        """Add what waits: products that follow each other as one of longer factors."""
        waiting, self.adding, self.waiting = self.adding, {}, 0
        for names, products in waiting.items():
            lefts, rights = zip(*products, strict=True)
            total = self.grids[names][0]
            tall = lefts[0] if len(lefts) == 1 else np.concatenate(lefts, axis=2)
            wide = rights[0] if len(rights) == 1 else np.concatenate(rights, axis=1)
            np.add(total, tall @ wide, out=total)  # the parts are views of it
            for name in names:
                self.registers.pop(name, None)

    def keep_grid(self, names: tuple[str, ...], layout: FragmentLayout, matrix: Array, shape: tuple[int, int]) -> None:
        """Let fragments be the parts of a large matrix, row by row, each of `shape`."""
        across = matrix.shape[2] // shape[1]
        tiles = matrix.reshape(len(matrix), -1, shape[0], across, shape[1])
        parts = {name: tiles[:, i // across, :, i % across] for i, name in enumerate(names)}
        self.grids[names] = (matrix, parts)
        for name, part in parts.items():
            self.sums[name] = (layout, part)
            self.registers.pop(name, None)
            self.loaded.pop(name, None)

    def some(self, chosen: Chosen) -> BlockState:
        """Return what some of the warps hold."""
        self.add_up()
        count = chosen.stop - chosen.start if isinstance(chosen, slice) else chosen.size
        inner, done = BlockState(count, within=(self, chosen)), set[str](self.later)
        for names in self.grids:
            matrix = self.grid(names)
            if matrix is not None:
                layout, first = self.sums[names[0]]
                inner.keep_grid(names, layout, matrix[chosen], first.shape[1:])
                done.update(names)
        inner.registers |= {name: values[chosen] for name, values in self.registers.items() if name not in done}
        inner.loaded = {
            name: (layout, part[chosen]) for name, (layout, part) in self.loaded.items() if name not in done
        }
        inner.sums |= {name: (layout, part[chosen]) for name, (layout, part) in self.sums.items() if name not in done}
        return inner

    def take_grids(self, inner: BlockState, chosen: Chosen) -> set[str]:
        """Let large matrices be what the warps at `chosen` made of them apart; return the names of their parts."""
        inner.add_up()
        done = set[str]()
        for names in inner.grids:
            theirs, mine = inner.grid(names), self.grid(names)
            if theirs is not None and mine is not None:
                if not np.may_share_memory(mine, theirs):  # as views of warps that follow each other do
                    mine[chosen] = theirs  # the parts are views of it
                done.update(names)
        for name in done:
            self.registers.pop(name, None)
        return done
