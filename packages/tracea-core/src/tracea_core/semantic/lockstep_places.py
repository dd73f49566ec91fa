# SPDX-License-Identifier: MIT
"""Registers and places of all warps of a block together, for `tracea_core.semantic.interpret_lockstep`.

Registers are arrays of (warp, lane, register); addresses are evaluated for all of them at once, and looked up where they depend on
few values. Lanes are checked to address memory as each access says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.index import COLUMN, ROW, Guard, Value, symbols
from tracea_core.semantic.interpret import Array, Environment
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Fragment, SemanticKernel, Space
from tracea_core.semantic.rewrite import indices
from tracea_core.semantic.steps import Access, AsyncCopy, BufferRef, Load, Node, Store, Transfer

_SMALL = 64
"""Values of a symbol, one for each warp, by which addresses are still looked up."""


class Divergence(Exception):
    """Warps of a block take different branches."""


class Held(NamedTuple):
    """A fragment's elements by (lane, register), their places in the row-major matrix, and the inverse where there is one."""

    rows: Integers
    columns: Integers
    flat: Integers
    inverse: Integers | None
    shape: tuple[int, int]


class Flying(NamedTuple):
    """A copy under way: where it lands, what, and by whom."""

    memory: Memory
    places: Integers
    values: Array
    threads: Integers


@dataclass
class BlockState:
    """What all warps of one block hold together.

    Sums are fragments held as matrices, which products add to; registers are made of them when they are asked for. `grids` are
    large matrices whose parts are the sums of several fragments.
    """

    number: int
    registers: dict[str, Array] = field(default_factory=dict)
    sums: dict[str, tuple[FragmentLayout, Array]] = field(default_factory=dict)
    grids: dict[tuple[str, ...], tuple[Array, dict[str, Array]]] = field(default_factory=dict)
    matrices: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    tables: dict[str, tuple[Integers, dict[int, Integers]]] = field(default_factory=dict)
    opened: list[Flying] = field(default_factory=list)
    groups: list[list[Flying]] = field(default_factory=list)

    def hold(self, name: str, registers: Array) -> None:
        """Let a fragment hold something else."""
        self.registers[name] = registers
        self.sums.pop(name, None)


class LockstepPlaces(BlockInterpreter):
    """What all warps of a block hold and address."""

    def __init__(
        self,
        kernel: SemanticKernel,
        symbols: Mapping[str, int],
        operands: Mapping[str, Array],
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, symbols, operands, workers, seed)
        self._again = (symbols, operands, seed)
        (self.role,) = kernel.roles
        self.fragments = {fragment.name: fragment for fragment in self.role.fragments}
        self.warps = np.arange(self.role.instances)[:, None, None]
        self.threads = np.arange(self.role.instances * self.role.lanes).reshape(-1, self.role.lanes, 1)

    # ---- fragments

    def _fragment(self, name: str) -> Fragment:
        return self.fragments.get(name) or self.role.fragment(name)  # which says what is wrong

    def _held(self, layout: FragmentLayout) -> Held:
        def compute() -> tuple[FragmentLayout, Held]:
            rows, columns = layout.elements()
            flat = rows * layout.shape[1] + columns
            inverse = np.argsort(flat, axis=None) if layout.is_partition() else None
            return layout, Held(rows, columns, flat, inverse, rows.shape)

        return self.tables.once(("held", id(layout)), compute)[1]  # kept with its layout, whose identity stays its own

    def _matrix_of(self, layout: FragmentLayout, registers: Array) -> Array:
        """The matrices that registers hold under `layout`, one for each warp."""
        held = self._held(layout)
        if registers.shape[1:] != held.shape:
            raise InterpretError(
                f"a fragment of {registers.shape[1:]} lanes and registers where {held.shape} are needed"
            )
        count = registers.shape[0]
        if held.inverse is not None:
            return registers.reshape(count, -1).take(held.inverse, axis=1).reshape(count, *layout.shape)
        matrix = np.full((count, layout.shape[0] * layout.shape[1]), np.nan)
        matrix[:, held.flat] = registers
        if not np.array_equal(matrix[:, held.flat], registers, equal_nan=True):
            raise InterpretError("lanes that should hold the same element hold different ones")
        return matrix.reshape(count, *layout.shape)

    def _registers_of(self, layout: FragmentLayout, matrix: Array) -> Array:
        if matrix.shape[1:] != layout.shape:
            raise InterpretError(f"a matrix of {matrix.shape[1:]} in a fragment of {layout.shape}")
        return matrix.reshape(matrix.shape[0], -1).take(self._held(layout).flat, axis=1)

    def _content(self, block: BlockState, name: str) -> Array:
        if name not in block.registers:
            if name not in block.sums:
                raise InterpretError(f"the fragment {name!r} is used before it holds anything", role=self.role.name)
            block.registers[name] = self._registers_of(*block.sums[name])
        return block.registers[name]

    def _meant(self, block: BlockState, name: str) -> Array:
        if name in block.sums and block.sums[name][0] == self._fragment(name).layout:
            return block.sums[name][1]
        registers = self._content(block, name)
        known = block.matrices.get(name)
        if known is None or known[0] is not registers:
            known = (registers, self._matrix_of(self._fragment(name).layout, registers))
            block.matrices[name] = known
        return known[1]

    # ---- places

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
        self, step: Node, held: Held, layout: FragmentLayout, block: BlockState, scope: Environment
    ) -> Environment:
        """Values for an access: its elements' coordinates, and the tables it names, for each element."""
        places = self._known(step, scope)
        places["row"], places["column"] = held.rows, held.columns
        height, width = layout.shape
        for name in self._named(step) & block.tables.keys() - scope.keys():
            table, picked = block.tables[name]
            tall, wide = table.shape[-2] > 1, table.shape[-1] > 1
            if (tall and height > table.shape[-2]) or (wide and width > table.shape[-1]):
                continue
            if id(layout) not in picked:
                picked[id(layout)] = table[
                    ..., held.rows * tall, held.columns * wide
                ]  # arrays both, for the form of `held`
            places[name] = picked[id(layout)]
        return places

    def _where(
        self,
        place: Access | BufferRef,
        places: Environment,
        block: BlockState,
        layout: FragmentLayout,
        shape: tuple[int, ...],
    ) -> tuple[Memory, Integers]:
        if isinstance(place, Access):
            return self.memory[place.operand], _spread(self.tables.value(place.offset, places), shape)
        memory = self._shared_memory(place, block.number)
        values = [places.get(name) for name in self._named(place)]
        key = [v.tobytes() if isinstance(v, np.ndarray) and v.size <= _SMALL else v for v in values]
        if any(isinstance(value, np.ndarray) for value in key):
            return memory, self._inside_buffer(place, places, shape, memory)
        whole = ("together", id(layout), id(place), shape, *key)  # both are kept, so their identities stay theirs
        return memory, self.tables.once(whole, lambda: self._inside_buffer(place, places, shape, memory))

    def _inside_buffer(self, place: BufferRef, places: Environment, shape: tuple[int, ...], memory: Memory) -> Integers:
        offsets = self._buffer_offsets(place, places, shape)
        memory.check(offsets, "a step")
        return offsets

    def _shared_memory(self, place: BufferRef, block: int) -> Memory:
        if place.rank is not None:
            raise InterpretError(f"{place.buffer!r} of another block is reached without a cluster", role=self.role.name)
        if self.tables.buffer(place.buffer).space is not Space.SHARED:
            raise Divergence  # a buffer of each warp's own
        return self._block_memory(place.buffer, block)

    def _admitted(self, guard: Guard, places: Environment, shape: tuple[int, ...]) -> npt.NDArray[np.bool_] | None:
        """Which elements a guard lets pass; None for all."""
        if not guard:
            return None
        mask = np.asarray(self.tables.holds(guard, places), np.bool_)
        return None if mask.all() else np.broadcast_to(mask, shape)

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
        elif transfer is not Transfer.GATHER:
            for warp, mine in zip(
                offsets.reshape(-1, *offsets.shape[-2:]), every.reshape(-1, *offsets.shape[-2:]), strict=True
            ):
                self._transfer(transfer, warp, mine, what)
        if width > 1:
            _check_runs(width, offsets, mask, what)
        return True


def _spread(value: Value, shape: tuple[int, ...]) -> Integers:
    array = np.asarray(value, np.int64)
    return array if array.shape == shape else np.broadcast_to(array, shape)


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
    if (runs != runs[:, :1] + np.arange(width)).any() or (runs[:, 0] % width).any():
        raise InterpretError(f"{what} moves runs of {width} that are not consecutive and aligned")
