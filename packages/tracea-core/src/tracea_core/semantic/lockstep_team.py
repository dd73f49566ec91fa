# SPDX-License-Identifier: MIT
"""Who takes steps together: the warps of many blocks, of one launch or of several, as arrays along one axis.

Blocks do not see each other, so those of all sizes that a kernel is tried at can go through its steps together: what they share is the
step, what differs is along the axis. Each has memory of its own: a launch its lot of an operand's, a block its part of a buffer's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory

_APART = 256
"""Lots begin at multiples of so many elements, so that what is aligned in one is aligned in all."""


class Divergence(Exception):
    """Warps of a block take different branches."""


class Launch(NamedTuple):
    """One launch of a kernel: its symbols' values, its pointers' memory, its blocks, and a seed (see `Interpreter`)."""

    symbols: Mapping[str, Any]
    operands: Mapping[str, Array]
    workers: int = 1
    seed: int = 0


class Lots(NamedTuple):
    """Where each launch's part of an operand's memory begins, and how many elements it has."""

    starts: Integers
    sizes: Integers

    def of(self, memory: Memory, launch: int) -> Memory:
        """Return one launch's part of what holds all of them: views, not copies."""
        part = slice(int(self.starts[launch]), int(self.starts[launch] + self.sizes[launch]))
        return Memory(memory.name, memory.values[part], memory.written[part], memory.writable, memory.whole)


def joined(parts: Sequence[Memory]) -> tuple[Memory, Lots]:
    """Return one memory that holds several, and where."""
    sizes = np.array([part.values.size for part in parts], np.int64)
    starts = np.concatenate([[0], np.cumsum(-(-sizes // _APART) * _APART)])
    first, total = parts[0], int(starts[-1])
    values = np.empty(total)
    written = np.zeros(total, np.int64) if first.writable else np.broadcast_to(np.int64(1), total)
    for part, start, end in zip(parts, starts[:-1], starts[1:], strict=True):
        values[start : start + part.values.size] = part.values
        values[start + part.values.size : end] = np.nan  # which no launch reaches
        if first.writable and first.whole:
            written[start : start + part.values.size] = part.written
    return Memory(first.name, values, written, first.writable, first.whole), Lots(starts[:-1], sizes)


class Team:
    """Warps that take steps together.

    Attributes
    ----------
    warps : array of int64, shape (count, 1, 1)
        Each warp's number in its block.
    threads : array of int64, shape (count, lanes, 1)
        The numbers of their lanes in the block.
    blocks, launches : array of int64, shape (count,)
        The block, among those that go together, and the launch of each warp.
    width : int
        The warps of a block, where these are whole blocks one after the other; else 0.
    """

    def __init__(self, warps: Integers, threads: Integers, blocks: Integers, launches: Integers, width: int) -> None:
        self.warps, self.threads, self.blocks, self.launches, self.width = warps, threads, blocks, launches, width
        self.own = warps[:width]  # those of one block
        self.now: Integers | None = None  # see `LockstepRaces`, as for `earliest`
        self.earliest = self.latest = 0
        self.filled = set[
            tuple[int, int]
        ]()  # places of memories, by identity, that are known to be written in all blocks
        self._bases: dict[int, tuple[Integers, Integers]] = {}
        self._lots: dict[int, tuple[Lots, Integers, Integers]] = {}

    @classmethod
    def whole(cls, blocks: Integers, launches: Integers, instances: int, lanes: int) -> Team:
        """Return all warps of `blocks`, each of which belongs to the launch at the same place in `launches`."""
        warps = np.tile(np.arange(instances), len(blocks))[:, None, None]
        threads = np.tile(np.arange(instances * lanes).reshape(instances, lanes, 1), (len(blocks), 1, 1))
        return cls(warps, threads, np.repeat(blocks, instances), np.repeat(launches, instances), instances)

    def some(self, chosen: slice | Integers, *, whole: bool) -> Team:
        """Return the team of the warps at `chosen`, which are `whole` blocks or not."""
        parts = (self.warps[chosen], self.threads[chosen], self.blocks[chosen], self.launches[chosen])
        found = Team(*parts, self.width if whole else 0)
        found.filled |= self.filled
        return found

    def present(self, count: int) -> npt.NDArray[np.bool_]:
        """Return of each of `count` blocks whether it has a warp in the team."""
        found = np.zeros(count, np.bool_)
        found[self.blocks] = True
        return found

    def everywhere(self, places: Integers, size: int) -> Integers:
        """Return places within a block's part of a buffer, of `size` elements, as places in the memory of all blocks.

        Parameters
        ----------
        places : array of int64, shape (…, warps, lanes, registers)
            For the warps of one block, the same in all of them, or for all warps; or of shape (places,), for a block as a whole.
        """
        if size not in self._bases:
            bases = self.blocks * size
            self._bases[size] = (bases[:, None, None], bases[:: self.width or 1, None, None, None])
        of_warps, of_blocks = self._bases[size]
        count = len(of_warps)
        if places.ndim == 1:
            return places + of_blocks.reshape(-1, 1)
        if places.shape[-3] == count:
            return places if count == 1 and not of_warps[0, 0, 0] else places + of_warps
        together = places[..., None, :, :, :] + of_blocks
        return together.reshape(*places.shape[:-3], count, *places.shape[-2:])

    def lots(self, lots: Lots) -> tuple[Integers, Integers]:
        """Return where the lot of each warp's launch begins, and its size as an unsigned number, both of shape (count, 1, 1)."""
        known = self._lots.get(id(lots))
        if known is None:
            starts, sizes = (part[self.launches][:, None, None] for part in lots)
            known = self._lots[id(lots)] = (lots, starts, sizes.view(np.uint64))
        return known[1], known[2]


def same(value: Any) -> Any:
    """Return the one value that all warps have.

    Raises
    ------
    Divergence
        If they have several.
    """
    found = plain(value)
    if isinstance(found, np.ndarray):
        raise Divergence
    return found


def plain(values: Any) -> Any:
    """Return one integer where all warps have the same, else the array."""
    if not isinstance(values, np.ndarray):
        return int(values)
    return int(values.flat[0]) if (values == values.flat[0]).all() else values
