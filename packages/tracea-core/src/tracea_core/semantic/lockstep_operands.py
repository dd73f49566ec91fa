# SPDX-License-Identifier: MIT
"""Factors of large products, read from shared memory where they lie in one array operation.

Loads put elements into registers, instructions take matrices from them, and products of many instructions are one product of matrices.
Where all blocks load from the same places of their own, it is known beforehand which place each element of such a matrix comes from,
so that it is read as it is multiplied. Lanes that hold the same element must load it from one place; where they do not, or where places
differ from block to block, registers are read, and their values compared. Registers themselves are made of the matrix if anybody asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.lockstep_places import Slots
from tracea_core.semantic.lockstep_races import LockstepRaces
from tracea_core.semantic.lockstep_state import BlockState, span
from tracea_core.semantic.steps import Load


class Reading(NamedTuple):
    """Loads from shared memory, alike: where each of the fragments comes from, by (fragment, warp, lane, register).

    Places are those within a block's part of the buffer, of one block's warps or of all (`Team.everywhere`).
    """

    step: Load
    fragments: tuple[str, ...]
    memory: Memory
    places: Integers


Loaded = tuple[Reading, int]
"""One of the fragments of loads."""


@dataclass(frozen=True)
class Part:
    """What a fragment holds, as matrices, one for each warp."""

    layout: FragmentLayout
    matrix: Array


Factor: TypeAlias = Array | Part | Loaded
"""A factor of a product: a fragment's registers or matrices, or which of its fragments a load finds that waits as well."""


class Operand(NamedTuple):
    """A factor of a large product: its fragments, turn by turn, and where in a block's memory its elements lie.

    `places` is by (warp, row, column), as the large matrix is multiplied; a right factor's turns lie along its rows.
    """

    layout: FragmentLayout
    parts: tuple[tuple[Loaded, ...], ...]
    memory: Memory
    places: Integers
    right: bool


class LockstepOperands(LockstepRaces):
    """Factors read from shared memory."""

    def _factor(self, block: BlockState, name: str) -> Array | Part:
        layout = self._fragment(name).layout
        matrix = self._part_of(block, name, layout)
        return self._content(block, name) if matrix is None else Part(layout, matrix)

    def _matrices_of(self, factors: Sequence[Factor], layout: FragmentLayout, found: Mapping[int, Array]) -> Array:
        """What factors are under `layout`, one upon the other; `found` is what loads found, by their identities."""
        parts = [
            factor.matrix
            for factor in factors
            if isinstance(factor, Part) and (factor.layout is layout or factor.layout == layout)
        ]
        if len(parts) == len(factors):
            return joined(parts)
        return self._matrix_of(layout, joined([self._registers_found(factor, found) for factor in factors]))

    def _registers_found(self, factor: Factor, found: Mapping[int, Array]) -> Array:
        if isinstance(factor, Part):
            return self._registers_of(factor.layout, factor.matrix)
        return found[id(factor[0])][factor[1]] if isinstance(factor, tuple) else factor

    def _operand(self, parts: Sequence[Sequence[object]], layout: FragmentLayout, *, right: bool) -> Operand | None:
        """Return the factor whose fragments are `parts`, by turn and then along its other side; None where registers are to be read."""
        loaded = tuple(tuple(part for part in turn if isinstance(part, tuple)) for turn in parts)
        if not self.team.width or any(len(some) != len(turn) for some, turn in zip(loaded, parts, strict=True)):
            return None
        readings = {id(reading): reading for turn in loaded for reading, _ in turn}.values()
        memories = {id(reading.memory): reading.memory for reading in readings}
        if len(memories) != 1 or not all(self._of_each_block(reading.places) for reading in readings):
            return None
        key = ("operand", id(layout), right, *((id(one.places), number) for turn in loaded for one, number in turn))

        def compute() -> tuple[object, Integers | None]:
            return (layout, *readings), self._places_of_operand(loaded, layout, right=right)

        places = self.tables.once((*key, len(loaded)), compute)[1]
        (memory,) = memories.values()
        return None if places is None else Operand(layout, loaded, memory, places, right)

    def _of_each_block(self, places: Integers) -> bool:
        """Whether these are kept places of one block's warps, the same in all blocks."""
        return self.tables.keeps(places) and places.ndim == 4 and places.shape[1] == self.team.width

    def _places_of_operand(
        self, parts: Sequence[Sequence[Loaded]], layout: FragmentLayout, *, right: bool
    ) -> Integers | None:
        held, (height, width) = self._held(layout), layout.shape
        chosen = held.first if held.inverse is None else held.inverse
        if chosen is None or any(one.places.shape[2:] != held.shape for turn in parts for one, _ in turn):
            return None  # an element that no register holds, or what is refused elsewhere
        found = np.stack([np.stack([one.places[number] for one, number in turn]) for turn in parts])
        deep, count, warps = found.shape[:3]
        matrices = found.reshape(deep, count, warps, -1).take(chosen, axis=-1)
        if held.inverse is None and (matrices.take(held.flat, axis=-1) != found).any():
            return None
        tiles = matrices.reshape(deep, count, warps, height, width)
        if right:
            return np.ascontiguousarray(tiles.transpose(2, 0, 3, 1, 4)).reshape(warps, deep * height, count * width)
        return np.ascontiguousarray(tiles.transpose(2, 1, 3, 0, 4)).reshape(warps, count * height, deep * width)

    def _read_operand(self, one: Operand) -> Array:
        """Return the factor of all warps."""
        memory, each = one.memory, one.memory.values.size // self.blocks
        flat, rows = one.places.reshape(-1), span(self.team.blocks[:: self.team.width])
        if isinstance(rows, slice) and not isinstance(memory, Slots):
            values = memory.values.reshape(self.blocks, each)[rows].take(flat, axis=1)
        else:
            values = memory.values.take(self._everywhere(memory, flat))
        return values.reshape(len(self.warps), *one.places.shape[1:])


def parts_of(one: Operand, whole: Array) -> Iterator[tuple[tuple[int, int], Array]]:
    """Yield what each fragment of a factor holds, as a matrix, by its reading's identity and its number."""
    deep, count, (height, width) = len(one.parts), len(one.parts[0]), one.layout.shape
    along, across = (deep, count) if one.right else (count, deep)
    tiles = whole.reshape(len(whole), along, height, across, width)
    for turn, parts in enumerate(one.parts):
        for place, (reading, number) in enumerate(parts):
            yield (id(reading), number), tiles[:, turn, :, place] if one.right else tiles[:, place, :, turn]


def joined(parts: list[Array]) -> Array:
    """The registers or matrices of several fragments, one upon the other, each of all warps."""
    if len(parts) == 1:
        return parts[0]
    if any(part.shape != parts[0].shape for part in parts):
        raise InterpretError("fragments of one instruction hold different numbers of registers")
    return np.concatenate(parts)
