# SPDX-License-Identifier: MIT
"""How weights of attention get from the lanes that hold them as accumulators to those that hold them as a left operand.

Which way is open follows from the layouts of the instruction: accumulators side by side are the operand, register for register, or the
operand is part of one; else weights pass through a tile in shared memory whose accesses meet in no bank.
"""

from __future__ import annotations

import enum

import numpy as np

from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.build.multistage_lanes import narrower, run
from tracea_core.semantic.build.multistage_tile import CHUNK
from tracea_core.semantic.index import Const, Index
from tracea_core.semantic.kernel import Buffer, Lifetime, Space
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.steps import BufferRef, Load, Store, Transfer
from tracea_core.target import CapabilityProfile

_LEAST_RUN = 4
"""Bytes of the narrowest run: languages move words, or single elements."""
_WEIGHTS = "weights_tile"


class Passage(enum.Enum):
    """How weights get from accumulators to a left operand."""

    JOIN = "join"  # accumulators side by side are the operand
    PART = "part"  # an accumulator is several operands side by side
    MEMORY = "memory"  # other lanes hold them


def passage(lanes: InstructionLanes) -> Passage:
    """Return how accumulators of an instruction become its left operand, register for register.

    >>> from tracea_core.semantic.lanes import instruction
    >>> [passage(instruction(name)).value for name in ("mma_m16n8k16_fp16", "mfma_32x32x8_fp16_turned", "mfma_32x32x8_fp16")]
    ['join', 'part', 'memory']
    """
    assert lanes.a is not None
    wide = max(lanes.k, lanes.n)
    if wide % lanes.k or wide % lanes.n:
        return Passage.MEMORY
    held = _side_by_side(lanes.c, wide // lanes.n)
    wanted = _side_by_side(lanes.a, wide // lanes.k)
    if held.shape != wanted.shape or not np.array_equal(held, wanted):
        return Passage.MEMORY
    return Passage.JOIN if lanes.k >= lanes.n else Passage.PART


def _side_by_side(layout: FragmentLayout, times: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """(row, column) by lane and register of so many fragments, one behind the other."""
    rows, columns = layout.elements()
    parts = [np.stack((rows, columns + number * layout.shape[1])) for number in range(times)]
    return np.concatenate(parts, axis=2)


class PassingWeights:
    """The tile that weights pass through, by rows or by keys, with unused elements behind each: no access meets another in a bank.

    Raises
    ------
    ConfigurationError
        If none is free of conflicts.
    """

    def __init__(
        self, lanes: InstructionLanes, rows: int, keys: int, profile: CapabilityProfile, name: str = _WEIGHTS
    ) -> None:
        assert lanes.a is not None
        self.name = name
        self.dtype, size = lanes.operand, lanes.operand.bytes
        simulator = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
        best: tuple[int, bool, int, int, int] | None = None
        for by_rows in (True, False):
            axis = 1 if by_rows else 0
            extent = keys if by_rows else rows
            widths = [_widths(layout, axis, size) for layout in (lanes.c, lanes.a)]
            for write in widths[0]:
                for read in widths[1]:
                    cost = lanes.c.registers // write * (lanes.k // lanes.n or 1) + lanes.a.registers // read
                    if best is not None and best[0] <= cost:
                        continue
                    pad = _pad(simulator, ((lanes.c, write), (lanes.a, read)), by_rows, extent, size)
                    if pad is not None:
                        best = (cost, by_rows, pad, write, read)
        if best is None:
            raise ConfigurationError("no layout of the weights is free of bank conflicts")
        _, self.by_rows, pad, self.write, self.read = best
        axes = (("row", rows), ("key", keys))
        self.layout = Layout.row_major(*(axes if self.by_rows else axes[::-1]), pad=pad)

    def buffer(self) -> Buffer:
        """Return the buffer."""
        return Buffer(self.name, Space.SHARED, self.dtype, self.layout, Lifetime.TILE, alignment=CHUNK)

    def _place(self, row: Index, key: Index) -> BufferRef:
        return BufferRef(self.name, (row, key) if self.by_rows else (key, row), Const(0))

    def store(self, fragment: str, row: Index, key: Index) -> Store:
        """Return the store of a piece."""
        return Store(self._place(row, key), fragment, Transfer.GATHER, width=self.write)

    def load(self, fragment: str, row: Index, key: Index) -> Load:
        """Return the load of an operand."""
        return Load(fragment, self._place(row, key), Transfer.GATHER, width=self.read)


def _widths(layout: FragmentLayout, axis: int, size: int) -> list[int]:
    """Elements that may move together along an axis, most first."""
    least, found = -(-_LEAST_RUN // size), list[int]()
    width = min(run(layout, axis), CHUNK // size)
    width = width if width >= least else 1
    while width:
        found.append(width)
        width = narrower(width, least)
    return found


def _pad(
    simulator: BankConflictSimulator, moves: tuple[tuple[FragmentLayout, int], ...], by_rows: bool, extent: int, size: int
) -> int | None:  # fmt: skip
    """Return the fewest unused elements behind each line with which no move meets itself in a bank, or None."""
    step = max(width for _, width in moves)
    for pad in range(0, simulator.banks * 4 // size + 1, step):
        free = True
        for layout, width in moves:
            rows, columns = layout.elements()
            at = rows * (extent + pad) + columns if by_rows else columns * (extent + pad) + rows
            aligned = (extent + pad) % width == 0
            free = free and aligned and simulator.worst(at[:, ::width].T * size, width * size) == 1
        if free:
            return pad
    return None
