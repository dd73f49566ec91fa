# SPDX-License-Identifier: MIT
"""Conversions through shared memory: one write and one read of every element, under a swizzle that is solved for.

The buffer's offset is a linear map of the element. Its low bits are register directions, so that a lane moves up to 16
bytes at once: directions that both fragments hold in registers serve writes and reads, further ones of the target (or
of the source) serve the reads (the writes) alone. The rest of the map is whatever completes a basis; the XOR swizzle on
top of it (`tracea_core.semantic.swizzle`) is what keeps lanes in different banks. Each of the three choices of low bits
is tried, and the one with the fewest cycles is taken.

Where a tile exceeds the memory it goes in several passes. A pass takes some of the blocks, or, where even one is too
large, the elements on one side of register directions that both fragments have: every lane then writes and reads an
equal part in each pass.
"""

from __future__ import annotations

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.convert_lanes import common_directions
from tracea_core.semantic.distributed import Distributed
from tracea_core.semantic.gf2 import Integers, Matrix, as_integers, rank
from tracea_core.semantic.swizzle import AccessPhase, SolvedSwizzle, solve

VECTOR_BYTES = 16
"""The widest access of one lane."""


class SharedPlan(Data, frozen=True):
    """A conversion through a buffer.

    Attributes
    ----------
    offset : Matrix
        From an element of a block to its place: the low bits are the element offset within a pass, the rest the pass.
    offset_bits : int
        How many of them are the offset.
    swizzle : Matrix
        XOR map on element offsets.
    write_bytes, read_bytes : int
        What one lane moves at once.
    write_cycles, read_cycles : int
        Cycles of shared memory for all writes and reads of one wave and one block, conflicts included.
    conflicts : int
        How many of them are conflicts.
    chunks : int
        Passes that one block takes.
    blocks : int
        Blocks that one pass takes.
    """

    offset: Matrix
    offset_bits: int
    swizzle: Matrix
    write_bytes: int
    read_bytes: int
    write_cycles: int
    read_cycles: int
    conflicts: int
    chunks: int = 1
    blocks: int = 1

    @property
    def elements(self) -> int:
        """Elements of the buffer, all blocks of a pass."""
        return self.blocks << self.offset_bits

    def place(self, element: Integers) -> tuple[Integers, Integers]:
        """Return (pass, offset within a block's buffer) of each element."""
        position = self.offset.apply(as_integers(element))
        low = position & ((1 << self.offset_bits) - 1)
        return position >> self.offset_bits, self.swizzle.apply(low)

    def run(self, lanes: Integers, held: Integers, source: Distributed, target: Distributed) -> Integers:
        """Carry the plan out on the registers of one block; shapes as in `LanePlan.run`."""
        mine, wanted = _elements(source, lanes), _elements(target, lanes)
        result = np.zeros(wanted.shape, held.dtype)
        write_pass, write_place = self.place(mine)
        read_pass, read_place = self.place(wanted)
        for turn in range(self.chunks):
            memory = np.full(1 << self.offset_bits, -1, held.dtype)  # what an earlier pass left must not be read
            here = write_pass == turn
            memory[write_place[here]] = held[here]
            here = read_pass == turn
            result[here] = memory[read_place[here]]
        return result


def _elements(fragment: Distributed, lanes: Integers) -> Integers:
    registers = np.arange(1 << len(fragment.registers))
    lane_map = Matrix(fragment.bits, fragment.lanes)
    return lane_map.apply(lanes)[:, None] ^ fragment.register_map.apply(registers)[None, :]


def shared_plan(
    source: Distributed,
    target: Distributed,
    *,
    wave: int,
    element_bytes: int,
    limit: int,
    banks: int = 32,
    bank_bytes: int = 4,
) -> SharedPlan:
    """Return the plan with the fewest passes, and among those with the fewest cycles.

    Parameters
    ----------
    limit : int
        Bytes of shared memory at hand.

    Raises
    ------
    ConfigurationError
        If not even the smallest pass fits.
    """
    search = _Search(source, target, wave, element_bytes, BankConflictSimulator(banks, bank_bytes))
    size = element_bytes << source.bits
    halvings = 0
    while size >> halvings > limit:
        halvings += 1
    common = [target.register_map.apply(pair[1]) for pair in common_directions(source, target)]
    if halvings > len(common):
        raise ConfigurationError(
            f"a conversion of blocks of {size} bytes needs {size >> len(common)} bytes of shared memory at a time",
            hint="Give it more shared memory, or convert smaller fragments",
            limit=limit,
        )
    best = min(
        (search.plan(low, common, halvings) for low in search.low_bits(common, halvings)),
        key=lambda plan: (plan.write_cycles + plan.read_cycles) * plan.chunks,
    )
    fit = 1 if halvings else min(len(target.starts), max(1, limit // size))
    return best.replace(blocks=fit)


class _Search:
    def __init__(
        self, source: Distributed, target: Distributed, wave: int, element_bytes: int, banks: BankConflictSimulator
    ) -> None:
        self.source, self.target, self.element_bytes, self.banks = source, target, element_bytes, banks
        self.wave_bits = min(wave.bit_length() - 1, len(source.lanes))
        self.bits = source.bits
        self.most = max(VECTOR_BYTES // element_bytes, 1).bit_length() - 1

    def low_bits(self, common: list[int], halvings: int) -> list[list[int]]:
        """Directions to start the buffer's offset with: the common ones, then none, the target's, or the source's."""
        shared = common[: min(self.most, len(common) - halvings)]
        found = [shared]
        for fragment in (self.target, self.source):
            longer = list(shared)
            for bit in fragment.registers:
                kept_apart = common[len(shared) :] if halvings else []
                if (
                    len(longer) < self.most
                    and rank((*longer, *kept_apart, bit.image)) == len(longer) + len(kept_apart) + 1
                ):
                    longer.append(bit.image)
            found.append(longer)
        return found

    def plan(self, low: list[int], common: list[int], halvings: int) -> SharedPlan:
        """Return the plan whose offsets start with `low` and whose passes are told apart by the last common directions."""
        apart = [image for image in reversed(common) if rank((*low, image)) > len(low)][:halvings]
        basis = list(low)
        for image in (*self.target.lanes, *self.source.lanes, *(1 << i for i in range(self.bits))):
            if rank((*basis, *apart, image)) == len(basis) + len(apart) + 1:
                basis.append(image)
        offset = Matrix(self.bits, (*basis, *apart)).inverse()
        offset_bits = self.bits - len(apart)
        write, read = (self._width(fragment, offset, len(low)) for fragment in (self.source, self.target))
        swizzle = self._swizzle(offset, offset_bits, write, read)
        xor = swizzle.of_elements(self.element_bytes)
        counts = [
            self._cycles(fragment, offset, offset_bits, xor, width)
            for fragment, width in ((self.source, write), (self.target, read))
        ]
        return SharedPlan(
            offset, offset_bits, xor, self.element_bytes << write, self.element_bytes << read, counts[0][0], counts[1][0],
            counts[0][1] + counts[1][1], 1 << len(apart),
        )  # fmt: skip

    def _width(self, fragment: Distributed, offset: Matrix, most: int) -> int:
        """How many low offset bits one access of `fragment` may span: its registers hold them, and nothing else moves them."""
        held = fragment.register_map.columns
        for width in range(most, 0, -1):
            low = [offset.apply(image) for image in (*fragment.lanes, *held)]
            units = [1 << i for i in range(width)]
            together = all(rank((*map(offset.apply, held), unit)) == rank(map(offset.apply, held)) for unit in units)
            lanes_aligned = not any(image & ((1 << width) - 1) for image in low[: len(fragment.lanes)])
            if together and lanes_aligned:
                return width
        return 0

    def _swizzle(self, offset: Matrix, offset_bits: int, write: int, read: int) -> SolvedSwizzle:
        accesses = []
        for name, fragment, width in (("write", self.source, write), ("read", self.target, read)):
            size = self.element_bytes << width
            lanes = fragment.lanes[: self.wave_bits]
            steps = [(offset.apply(image) & ((1 << offset_bits) - 1)) * self.element_bytes for image in lanes]
            top = (offset_bits + self.element_bytes.bit_length()) or 1
            accesses.append(
                AccessPhase.of_lanes(
                    name, Matrix(top, tuple(steps)), size, banks=self.banks.banks, bank_bytes=self.banks.bank_bytes
                )
            )
        period = self.banks.period.bit_length() - 1
        size_bits = max(offset_bits + self.element_bytes.bit_length() - 1, period)
        return solve(accesses, address_bits=size_bits, banks=self.banks.banks, bank_bytes=self.banks.bank_bytes)

    def _cycles(
        self, fragment: Distributed, offset: Matrix, offset_bits: int, xor: Matrix, width: int
    ) -> tuple[int, int]:
        """Cycles and conflicts of all accesses of one wave in one pass. They are alike: registers only XOR a constant."""
        lanes = np.arange(1 << self.wave_bits)
        element = Matrix(self.bits, fragment.lanes).apply(lanes)
        low = offset.apply(element) & ((1 << offset_bits) - 1)
        found = self.banks.access(xor.apply(low) * self.element_bytes, self.element_bytes << width)
        images = [offset.apply(bit.image) & ((1 << offset_bits) - 1) for bit in fragment.registers]
        accesses = 1 << max(rank(images) - width, 0)
        return found.cycles * accesses, found.conflicts * accesses
