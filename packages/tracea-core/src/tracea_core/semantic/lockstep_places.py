# SPDX-License-Identifier: MIT
"""Places that all warps of a team address together, for `tracea_core.semantic.interpret_lockstep`.

They are by (warp, lane, register), as registers are; addresses are evaluated for all warps at once, and looked up where they depend on few
values. Lanes are checked to address memory as each access says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Guard, IndexOp, Value, symbols
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError, astray
from tracea_core.semantic.kernel import SemanticKernel, Space
from tracea_core.semantic.lockstep_elements import Elements, Table
from tracea_core.semantic.lockstep_fragments import LockstepFragments
from tracea_core.semantic.lockstep_grains import widest
from tracea_core.semantic.lockstep_team import Divergence, Launch, Team
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Load, Node, Store, Transfer

_SMALL = 64
"""Values of a symbol, one for each warp, by which addresses are still looked up."""

_UNCOUNTED = np.zeros(0, np.int64)
"""How often elements of shared memory were written: nobody asks, since stamps say when (`tracea_core.semantic.lockstep_races`)."""


@dataclass
class Slots(Memory):
    """The memory of a buffer of all blocks where each reaches a slot of its own: places are those within the first slot.

    Each block's slot begins at its number in `begins`.
    """

    begins: Integers = field(default_factory=lambda: np.zeros(0, np.int64))


class LockstepPlaces(LockstepFragments):
    """What all warps of a team address."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
        more: Sequence[Launch] = (),
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed, more)
        self.written_slots: dict[tuple[str, bytes], Slots] = {}
        self.spots: dict[tuple[object, ...], tuple[Memory, Integers]] = {}

    def _named(self, part: Node | BufferRef) -> frozenset[str]:
        """The symbols that a step or a place names, but its elements' own coordinates."""

        def compute() -> tuple[object, frozenset[str]]:
            names = frozenset(name for index in indices(part) for name in symbols(index))
            return part, names - {ROW.name, COLUMN.name}

        return self.tables.once(("named", id(part)), compute)[1]

    def _known(self, part: Node, scope: Environment) -> Environment:
        """The values of what a step names: a scope holds many more, which would be copied for every step."""
        return {name: scope[name] for name in self._named(part) if name in scope}

    def _elements(
        self, step: Node, layout: FragmentLayout, tables: Mapping[str, Table], scope: Environment
    ) -> Elements:
        """Values for an access: its elements' coordinates, and the tables it names, for each element."""
        held, (height, width) = self._held(layout), layout.shape
        found: dict[str, Table] = {}
        for name in self._named(step) & tables.keys() - scope.keys():
            tall, wide = tables[name].values.shape[-2:]
            if (tall == 1 or height <= tall) and (wide == 1 or width <= wide):
                found[name] = tables[name]
        return Elements(self._known(step, scope), held.rows, held.columns, found, id(layout))

    def _within(
        self, place: BufferRef, places: Elements, layout: FragmentLayout, shape: tuple[int, ...]
    ) -> tuple[Memory, Integers]:
        """Places within a block's part of a buffer: where all blocks have the same, those of one block, looked up; else of all warps."""
        key = self._told_by(place, places, layout, shape)
        found = self.spots.get(key) if key is not None else None
        if found is None:
            found = self._sought(place, places, layout, shape)
            if key is not None and not isinstance(found[0], Slots):
                self.spots[key] = found
        return found

    def _told_by(
        self, place: BufferRef, places: Elements, layout: FragmentLayout, shape: tuple[int, ...]
    ) -> tuple[object, ...] | None:
        """What places within a block's part of a buffer follow from, if it is a warp's number and integers that all blocks have."""
        if not self.team.width:
            return None
        slot = None if place.slot is None else self.tables.value(place.slot, places)
        if isinstance(slot, np.ndarray):
            return None
        coordinates = self._coordinates(place)
        key: list[object] = [id(coordinates), id(layout), self.team.width, shape[:-3], slot]
        for name in self._named(coordinates):
            value = places.get(name)
            if type(value) is int:
                key.append(value)
            elif isinstance(value, np.ndarray) and name[0] == "#":  # what the groups of a roll differ in
                key.append(value.tobytes())
            elif value is self.warps:
                key.append(None)
            else:
                return None
        return tuple(key)

    def _sought(
        self, place: BufferRef, places: Elements, layout: FragmentLayout, shape: tuple[int, ...]
    ) -> tuple[Memory, Integers]:
        """Places within a block's part of a buffer, computed or looked up by their values."""
        memory = self._shared_memory(place)
        coordinates = self._coordinates(place)
        values = {name: places[name] for name in self._named(coordinates) if name in places or name in places.tables}
        constants = {name: value for name, value in values.items() if name[0] == "#"}  # of the groups of a roll
        own = self._of_one_block({name: value for name, value in values.items() if name[0] != "#"})
        slot = 0 if place.slot is None else self.tables.value(place.slot, places)
        size = self.tables.sizes[place.buffer]
        slots = self._slots_of_blocks(slot, size, place.buffer) if own is not None else None
        if own is None or (slots is None and isinstance(slot, np.ndarray) and slot.shape[1:] != (1, 1, 1)):
            return memory, self._inside_buffer(place, places, shape, memory)
        every = own | constants
        *content, which = [
            value.tobytes() if isinstance(value, np.ndarray) else value for value in (*every.values(), slot)
        ]
        mine = (*shape[:-3], self.team.width, *shape[-2:])
        key = ("within", id(coordinates), self._same(layout), mine, *content)

        def first_slot() -> Integers:
            scope = {**every, ROW.name: places[ROW.name], COLUMN.name: places[COLUMN.name]}
            return self._buffer_offsets(coordinates, scope, mine)

        def of_slot() -> Integers:
            offsets = self.tables.once(key, first_slot)
            return self._bounded(offsets + slot * size, memory)

        if slots is None:
            return memory, self.tables.once((*key, which), of_slot)
        offsets = self.tables.once(key, first_slot)
        for end in (slots.min(), slots.max()):
            self._bounded(offsets + end * size, memory)
        begins = slots * size
        name = (memory.name, begins.tobytes())
        return self.written_slots.setdefault(
            name, Slots(memory.name, memory.values, memory.written, begins=begins)
        ), offsets

    def _slots_of_blocks(self, slot: Value, size: int, buffer: str) -> Integers | None:
        """The slot that each block reaches, where they reach several; None where they do not, or runs lie otherwise in each."""
        if not isinstance(slot, np.ndarray) or slot.shape != self.warps.shape:
            return None
        if size % self.tables.once(("widest",), lambda: widest(self.role))[buffer]:
            return None
        grid = slot.reshape(-1, self.team.width)
        return grid[:, 0] if (grid == grid[:, :1]).all() else None

    def _coordinates(self, place: BufferRef) -> BufferRef:
        """The place in the first slot, one object for all that are alike."""

        def compute() -> tuple[BufferRef, BufferRef]:
            first = place.replace(slot=None)
            return place, self.tables.once(("coordinates", first), lambda: first)

        return self.tables.once(("coordinates of", id(place)), compute)[1]

    def _same(self, layout: FragmentLayout) -> int:
        """The number of a layout among all that differ."""

        def compute() -> tuple[FragmentLayout, list[FragmentLayout]]:
            return layout, self.tables.once(("layout", layout), lambda: [layout])

        return id(self.tables.once(("layout of", id(layout)), compute)[1])

    def _of_one_block(self, values: Environment) -> Environment | None:
        """The values that symbols have in one block, where they have the same in all; None where they have not, or too many."""
        width, found = self.team.width, dict(values)
        if not width:
            return None
        for name, value in values.items():
            if value is self.warps:
                found[name] = self.team.own
            elif isinstance(value, np.ndarray):
                if value.shape != self.warps.shape or width > _SMALL:
                    return None
                grid = value.reshape(-1, width)
                if (grid != grid[0]).any():
                    return None
                found[name] = value[:width]
        return found

    def _inside_buffer(self, place: BufferRef, places: Environment, shape: tuple[int, ...], memory: Memory) -> Integers:
        return self._bounded(self._buffer_offsets(place, places, shape), memory)

    def _bounded(self, offsets: Integers, memory: Memory) -> Integers:
        size = memory.values.size // self.blocks
        if offsets.size and offsets.view(np.uint64).max() >= size:  # what is negative is larger than any
            raise InterpretError(f"a step touches an element beyond the {size} of {memory.name!r}")
        return offsets

    def _everywhere(self, memory: Memory, places: Integers, width: int = 1, team: Team | None = None) -> Integers:
        """Places, or runs of `width`, within a block's part of a buffer as those in the memory of all blocks, for all warps.

        These are those of the team, or of another.
        """
        found = (team or self.team).everywhere(places, memory.values.size // self.blocks // width)
        if not isinstance(memory, Slots):
            return found
        begins = memory.begins // width  # runs lie within a slot
        if places.ndim == 1:
            return found + begins[:, None]
        return found + np.repeat(begins, (team or self.team).width)[:, None, None]

    def _in_lot(self, place: Access, offsets: Integers, mask: npt.NDArray[np.bool_] | None, what: str) -> Integers:
        """Offsets in a launch's operand as offsets in the memory of all launches; `mask` admits those that are touched."""
        lots = self.lots.get(place.operand)
        if lots is None:
            return offsets
        starts, sizes = self.team.lots(lots)
        beyond = offsets.view(np.uint64) >= sizes
        if mask is not None:
            beyond = beyond & mask  # which groups of a roll may have apart, where places are the same
        if beyond.any():
            raise InterpretError(f"{what} touches an element beyond {place.operand!r}")
        fresh = type(place.offset) is IndexOp and offsets.flags.owndata  # made for this access, and no one else's
        each = offsets.ndim > 2 and offsets.shape[-3] == len(starts)  # not where all launches have the same offsets
        return np.add(offsets, starts, out=offsets) if fresh and each else offsets + starts

    def _shared_memory(self, place: BufferRef) -> Memory:
        if place.rank is not None:
            raise InterpretError(f"{place.buffer!r} of another block is reached without a cluster", role=self.role.name)
        buffer = self.tables.buffer(place.buffer)
        if buffer.space is not Space.SHARED:
            raise Divergence  # a buffer of each warp's own
        key = f"{buffer.name} of all blocks"
        if key not in self.memory:
            size = self.tables.sizes[buffer.name] * buffer.slots * self.blocks
            self.memory[key] = Memory(
                key, np.empty(size), _UNCOUNTED
            )  # what is not written yet has no stamp, and is never read
        return self.memory[key]

    def _admitted(self, guard: Guard, places: Environment, shape: tuple[int, ...]) -> npt.NDArray[np.bool_] | None:
        """Which elements a guard lets pass; None for all."""
        if not guard:
            return None
        mask = np.asarray(self.tables.holds(guard, places), np.bool_)
        return None if mask.all() else mask if mask.shape == shape else np.broadcast_to(mask, shape)

    def _check_access(
        self,
        step: Load | Store | AsyncCopy,
        memory: Memory,
        offsets: Integers,
        mask: npt.NDArray[np.bool_] | None,
        what: str,
    ) -> None:
        """Check that lanes and runs address memory as the step says, once for places that are looked up."""
        transfer = Transfer.GATHER if isinstance(step, AsyncCopy) else step.transfer
        if mask is None and self.tables.keeps(offsets):
            key = ("checked", id(offsets), transfer, step.width)
            self.tables.once(key, lambda: self._check_moves(transfer, step.width, offsets, None, what))
            return
        self._check_moves(transfer, step.width, offsets, mask, what)

    def _check_moves(
        self, transfer: Transfer, width: int, offsets: Integers, mask: npt.NDArray[np.bool_] | None, what: str
    ) -> bool:
        every = np.ones(offsets.shape, np.bool_) if mask is None else mask
        if transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED):
            flat = offsets.reshape(-1, offsets.shape[-1])
            self._transfer(transfer, flat, every.reshape(flat.shape), what)
        elif transfer not in (Transfer.GATHER, Transfer.TILE):
            along = self.tables.lanes(offsets.shape[-2]) if transfer in (Transfer.VECTOR, Transfer.STREAM) else 0
            if ((offsets != offsets[..., :1, :] + along) & every).any():
                raise InterpretError(f"{what} is no {transfer.value} access: lanes do not address memory that way")
        if width > 1:
            _check_runs(width, offsets, mask, what)
        return True


def _check_runs(width: int, offsets: Integers, mask: npt.NDArray[np.bool_] | None, what: str) -> None:
    """Check that registers move in runs of `width`: consecutive, aligned, masked together (see `check_runs`)."""
    if offsets.shape[-1] % width:
        raise InterpretError(f"{what} moves {offsets.shape[-1]} registers in runs of {width}")
    runs = offsets.reshape(-1, width)
    if mask is not None:
        masks = mask.reshape(runs.shape)
        if (masks != masks[:, :1]).any():
            raise InterpretError(f"{what} masks a part of a run of {width}")
        runs = runs[masks[:, 0]]
    if (runs != runs[:, :1] + np.arange(width)).any() or astray(runs[:, 0], width).any():
        raise InterpretError(f"{what} moves runs of {width} that are not consecutive and aligned")
