# SPDX-License-Identifier: MIT
"""Conversion between two distributed layouts: the cheapest way to give every lane the elements that it needs next.

A fragment leaves one instruction in the registers that the instruction likes and enters another in registers that that
one likes: the probabilities of attention leave the first product as an accumulator and enter the second as an operand.
What lies between is planned here, from nothing to a pass through shared memory:

- the registers only get other names: nothing is executed;
- registers are exchanged within a lane, depending on the lane: selects;
- words move between lanes of a wave: the fewest shuffles (`tracea_core.semantic.convert_lanes` proves that);
- elements leave their wave, or that many shuffles cost more than memory does: one pass through shared memory under a
  solved swizzle (`tracea_core.semantic.convert_shared`), more where the memory is small.

>>> from tracea_core.semantic.lanes import instruction
>>> accumulator = instruction("mma_m16n8k16_bf16").c.repeat(columns=2)
>>> operand = instruction("mma_m16n8k16_bf16").a
>>> print(convert(accumulator, operand, element_bytes=2))
16x16 over 32 lanes: registers renamed, nothing executed
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.convert_lanes import LanePlan, lane_plan
from tracea_core.semantic.convert_shared import SharedPlan, shared_plan
from tracea_core.semantic.distributed import Distributed, common_block, distribute
from tracea_core.semantic.fragment import FragmentLayout

SELECT_CYCLES = 0.5
BARRIER_CYCLES = 32.0
"""Two barriers of a pass, in cycles of shared memory: the latency of a write and a read that nothing hides."""


class Cost(Data, frozen=True, kw_only=True):
    """What a conversion costs one wave.

    Attributes
    ----------
    selects, shuffles : int
        Conditional moves, and words exchanged between lanes.
    passes : int
        Times that the fragment goes through shared memory, each with two barriers.
    shared_cycles : int
        Cycles of shared memory for writes and reads, conflicts included.
    conflicts : int
        Those that are conflicts.
    shared_bytes : int
        Memory that one pass takes.
    """

    selects: int = 0
    shuffles: int = 0
    passes: int = 0
    shared_cycles: int = 0
    conflicts: int = 0
    shared_bytes: int = 0

    @property
    def cycles(self) -> float:
        """One figure to compare plans by, in cycles of shared memory.

        A shuffle takes as long as a conflict-free access of 4 bytes a lane, a select half as long (CUDA C++ Programming
        Guide, "Arithmetic Instructions": 32 shuffles and 64 selects per clock and multiprocessor).
        """
        return self.shuffles + SELECT_CYCLES * self.selects + self.shared_cycles + BARRIER_CYCLES * self.passes


class Conversion(Data, frozen=True):
    """A planned conversion.

    Attributes
    ----------
    source, target : FragmentLayout
        What there is and what is wanted.
    blocks : tuple of (int, int)
        First register of each block in the source and in the target; all blocks are converted alike.
    source_block, target_block : Distributed
        One block of each.
    plan : LanePlan or SharedPlan
        How.
    cost : Cost
        Of the whole fragment.
    """

    source: FragmentLayout
    target: FragmentLayout
    blocks: tuple[tuple[int, int], ...]
    source_block: Distributed
    target_block: Distributed
    lane_plan: LanePlan | None
    shared_plan: SharedPlan | None
    cost: Cost

    @property
    def kind(self) -> str:
        """``rename``, ``select``, ``shuffle`` or ``shared``."""
        if self.shared_plan is not None:
            return "shared"
        return "shuffle" if self.cost.shuffles else "select" if self.cost.selects else "rename"

    def run(self, held: npt.ArrayLike) -> npt.NDArray[Any]:
        """Carry the conversion out, step by step as it is planned: what proves it.

        Parameters
        ----------
        held : array, shape (lanes, source registers)
            What each register of each lane holds.

        Returns
        -------
        array, shape (lanes, target registers)
            What it holds afterwards.
        """
        given = np.asarray(held)
        if given.shape != (self.source.lanes, self.source.registers):
            raise ConfigurationError(
                "a fragment has one value for each register of each lane", shape=given.shape,
                wanted=(self.source.lanes, self.source.registers),
            )  # fmt: skip
        lanes = np.arange(self.source.lanes)
        result = np.zeros((self.target.lanes, self.target.registers), given.dtype)
        taken = [self.source_block.register(i) for i in range(1 << len(self.source_block.registers))]
        given_to = [self.target_block.register(i) for i in range(1 << len(self.target_block.registers))]
        plan = self.shared_plan or self.lane_plan
        assert plan is not None
        for first, start in self.blocks:
            block = given[:, [first + register for register in taken]]
            done = plan.run(lanes, block, self.source_block, self.target_block)
            result[:, [start + register for register in given_to]] = done
        return result

    def __str__(self) -> str:
        """One line: what is converted, how, and at what cost."""
        rows, columns = self.source.shape
        head = f"{rows}x{columns} over {self.source.lanes} lanes: "
        cost = self.cost
        if self.kind == "rename":
            return head + "registers renamed, nothing executed"
        words = [f"{cost.selects} selects"] if cost.selects else []
        words += [f"{cost.shuffles} shuffles"] if cost.shuffles else []
        if self.shared_plan is not None:
            plan = self.shared_plan
            words.append(
                f"{cost.passes} pass(es) through {cost.shared_bytes} bytes of shared memory, written {plan.write_bytes} "
                f"and read {plan.read_bytes} bytes at a time in {cost.shared_cycles} cycles, {cost.conflicts} of them conflicts"
            )
        return head + ", ".join(words)


def convert(
    source: FragmentLayout,
    target: FragmentLayout,
    *,
    element_bytes: int = 4,
    wave: int = 32,
    shared_bytes: int = 48 * 1024,
    banks: int = 32,
    bank_bytes: int = 4,
) -> Conversion:
    """Plan the conversion of a fragment from one layout to another.

    Parameters
    ----------
    source, target : FragmentLayout
        Layouts of one shape over the same number of lanes; every element of the target must be held by the source.
    element_bytes : int
        1, 2, 4 or 8.
    wave : int
        Lanes that can exchange words by shuffles: 32, or 64 on AMD's CDNA.
    shared_bytes : int
        Shared memory at hand; 0 forbids it.
    banks, bank_bytes : int
        Its bank structure.

    Raises
    ------
    ConfigurationError
        If shapes or lanes differ, an element is held nowhere, or memory would be needed that is not there.
    """
    if source.shape != target.shape or source.lanes != target.lanes:
        raise ConfigurationError(
            "a conversion keeps the shape and the lanes of a fragment",
            source=(source.shape, source.lanes), target=(target.shape, target.lanes),
        )  # fmt: skip
    if element_bytes not in (1, 2, 4, 8):
        raise ConfigurationError(f"elements of {element_bytes} bytes are not converted", hint="Use 1, 2, 4 or 8")
    if not source.covers():
        raise ConfigurationError("the source leaves elements unheld", shape=source.shape)
    if source.lanes & (source.lanes - 1) or wave & (wave - 1):
        raise ConfigurationError("conversions need powers of two of lanes", lanes=source.lanes, wave=wave)
    block = common_block(source, target)
    ours, theirs = distribute(source, block), distribute(target, block)
    places = {(row, column): register for row, column, register in reversed(ours.starts)}
    blocks = tuple((places[row, column], register) for row, column, register in theirs.starts)
    within = lane_plan(ours, theirs, wave, element_bytes)
    found: list[Conversion] = []
    if within is not None:
        cost = Cost(selects=within.selects * len(blocks), shuffles=_words(within, element_bytes) * len(blocks))
        found.append(Conversion(source, target, blocks, ours, theirs, within, None, cost))
        if within.renames or not shared_bytes:
            return found[0]
    elif not shared_bytes:
        raise ConfigurationError("elements leave their wave, and there is no shared memory to take them")
    through = _through_memory(ours, theirs, wave, element_bytes, shared_bytes, (banks, bank_bytes), within is None)
    if through is not None:
        passes = through.chunks * -(-len(blocks) // through.blocks)
        cycles = (through.write_cycles + through.read_cycles) * through.chunks * len(blocks)
        cost = Cost(
            passes=passes, shared_cycles=cycles, conflicts=through.conflicts * through.chunks * len(blocks),
            shared_bytes=through.elements * element_bytes,
        )  # fmt: skip
        found.append(Conversion(source, target, blocks, ours, theirs, None, through, cost))
    return min(found, key=lambda conversion: conversion.cost.cycles)


def _words(plan: LanePlan, element_bytes: int) -> int:
    """Shuffles of one block: an element of 8 bytes takes two."""
    return plan.shuffles * max(1, element_bytes // 4)


def _through_memory(
    ours: Distributed,
    theirs: Distributed,
    wave: int,
    element_bytes: int,
    limit: int,
    structure: tuple[int, int],
    needed: bool,
) -> SharedPlan | None:
    try:
        return shared_plan(
            ours,
            theirs,
            wave=wave,
            element_bytes=element_bytes,
            limit=limit,
            banks=structure[0],
            bank_bytes=structure[1],
        )
    except ConfigurationError:
        if needed:
            raise
        return None  # there is a way without memory
