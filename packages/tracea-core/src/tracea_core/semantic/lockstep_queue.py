# SPDX-License-Identifier: MIT
"""Steps of one kind that follow each other, carried out together: a tile's loads, its products, its copies, its stores.

What a step concerns is settled where it stands: its places, its mask, the registers it stores. Then it waits for others of its kind and
is carried out with them, as one array operation, before anything happens that could tell the difference. Stores to
global memory wait longest, since nothing but a load of the same operand sees them. Reads among themselves are in no order; places
that two copies or two stores share are refused in either order; sums of integers are exact, whichever way they are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.gf2 import Integers
from tracea_core.semantic.interpret import Array
from tracea_core.semantic.interpret_memory import Memory
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.lockstep_elements import Elements
from tracea_core.semantic.lockstep_grains import taken, together
from tracea_core.semantic.lockstep_operands import Factor, LockstepOperands, Operand, Reading, joined, parts_of
from tracea_core.semantic.lockstep_runs import Reached
from tracea_core.semantic.lockstep_state import BlockState, Flying
from tracea_core.semantic.lockstep_team import Launch
from tracea_core.semantic.steps import Access, AsyncCopy, Load, Mma, Store, Transfer

_MOST_STORED = 1 << 17
"""Elements of stores that wait for each other at most: few enough for their arrays to stay in caches."""
_MOST_READ = 64
"""Loads from shared memory that wait for each other at most, for the same reason."""
Mask = npt.NDArray[np.bool_]


class Layer(NamedTuple):
    """Products that wait, none of which adds to what another does, and what each of their factors is.

    That is a fragment's registers or matrices, or which of its fragments a load finds that waits as well: fragments may hold something
    else meanwhile.
    """

    steps: list[Mma]
    factors: dict[str, Factor]

    @property
    def loaded(self) -> bool:
        """Whether all factors are found by loads that wait."""
        return all(isinstance(factor, tuple) for factor in self.factors.values())


class Copying(NamedTuple):
    """Copies into shared memory, alike, by (copy, warp, lane, register), and what they read."""

    step: AsyncCopy
    memory: Memory
    places: Integers
    source: Reached


class Storing(NamedTuple):
    """Stores to global memory, alike, by (store, warp, lane, register); `checked` if how they address it is."""

    step: Store
    memory: Memory
    offsets: Integers
    mask: Mask | None
    values: Array
    checked: bool


_Products: TypeAlias = tuple[list[Layer], Operand | None, Operand | None]
"""Layers alike, and their left and right factors where these are read as they are multiplied."""


class LockstepQueue(LockstepOperands):
    """What waits to be carried out."""

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
        self.readings: list[Reading] = []
        self.loading: dict[str, tuple[Reading, int]] = {}
        self.layers: list[Layer] = []
        self.adding: set[str] = set()
        self.fresh = True
        self.copyings: list[Copying] = []
        self.storings: list[Storing] = []

    def _settle(self, block: BlockState, *, copies: bool = True) -> None:
        """Carry out what waits (but for stores to global memory): loads, then products, which may use them, then copies."""
        if self.readings or self.layers:
            waiting, self.readings, self.loading = self.readings, [], {}
            layers, self.layers, self.adding, self.fresh = self.layers, [], set(), True
            products = []
            while layers:
                alike = self._alike(layers)
                products.append((layers[:alike], *self._operands_of(layers[:alike])))
                del layers[:alike]
            found, wholes = self._read_together(waiting, products, block)
            for some, left, right in products:
                self._multiply_together(some, found, wholes.get(id(left)), wholes.get(id(right)), block)
        if copies and self.copyings:
            started, self.copyings = self.copyings, []
            self._copy_together(started, block)

    def _settle_all(self, block: BlockState) -> None:
        self._settle(block)
        self._settle_stores()

    def _read_later(self, one: Reading, block: BlockState) -> None:
        """Queue a load: after copies, which it must not meet, and after products that add to what it loads."""
        if self.copyings or not self.adding.isdisjoint(one.fragments) or len(self.readings) >= _MOST_READ:
            self._settle(block)
        self.readings.append(one)
        self.loading.update((name, (one, number)) for number, name in enumerate(one.fragments))
        self.fresh = True

    def _multiply_later(self, step: Mma, block: BlockState) -> None:
        """Queue a product, of what its factors hold now."""
        if self.fresh or any(step.accumulator == other.accumulator for other in self.layers[-1].steps):
            self.layers.append(Layer([], {}))
            self.fresh = False
        layer = self.layers[-1]
        for name in (step.a, step.b):
            if name in self.adding:
                self._settle(block, copies=False)
                self._multiply_later(step, block)
                return
            if name not in layer.factors:
                layer.factors[name] = self.loading.get(name) or self._factor(block, name)
        layer.steps.append(step)
        self.adding.add(step.accumulator)

    def _holds_anew(self, block: BlockState, *names: str) -> None:
        """Let fragments be read, or hold something else, after what waits and concerns them: what factors are is known."""
        if not (self.adding.isdisjoint(names) and self.loading.keys().isdisjoint(names)):
            self._settle(block, copies=False)
        self.fresh = True  # a factor of that name is another one from now on

    def _copy_later(self, one: Copying, block: BlockState) -> None:
        """Queue a copy: after loads, which read what was there."""
        self._settle(block, copies=False)
        self.copyings.append(one)

    def _store_later(self, one: Storing) -> None:
        self.storings.append(one)
        if sum(other.offsets.size for other in self.storings) >= _MOST_STORED:
            self._settle_stores()

    # ---- loads

    def _read_together(
        self, waiting: list[Reading], products: list[_Products], block: BlockState
    ) -> tuple[dict[int, Array], dict[int, Array]]:
        """Loads from shared memory, those alike as one; return what each found, and each factor of `products`, by identities.

        Of loads that factors alone are made of no registers are read.
        """
        alike: dict[tuple[object, ...], list[Reading]] = {}
        for one in waiting:
            step = one.step
            alike.setdefault((id(one.memory), step.transfer, step.width, one.places.shape[1:]), []).append(one)
        operands = [operand for _, *both in products for operand in both if operand is not None]
        wholes = {id(operand): self._read_operand(operand) for operand in operands}
        parts = {
            part: (operand.layout, matrix)
            for operand in operands
            for part, matrix in parts_of(operand, wholes[id(operand)])
        }
        asked = {id(one) for layers, left, right in products for one in _registers_asked(layers, left, right)}
        found: dict[int, Array] = {}
        for group in alike.values():
            self._look_alike(group)
            read = [
                one
                for one in group
                if id(one) in asked or any((id(one), number) not in parts for number in range(len(one.fragments)))
            ]
            values, first = self._take_alike(read) if read else np.zeros(0), 0
            for one in read:
                found[id(one)] = values[first : first + len(one.places)]
                first += len(one.places)
        for one in waiting:  # in order, since the last load of a fragment is what it holds
            for number, fragment in enumerate(one.fragments):
                if id(one) in found:
                    block.hold(fragment, found[id(one)][number])
                else:
                    block.hold_part(fragment, *parts[id(one), number])
        return found, wholes

    def _look_alike(self, group: list[Reading]) -> None:
        """Check and note loads from one memory."""
        memory, places, step = group[0].memory, self._stacked([one.places for one in group]), group[0].step
        self._check_access(step, memory, places, None, f"what {step.fragment!r} moves")
        if step.transfer in (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED, Transfer.TILE):
            self._saw_together(memory, places)
        else:
            self._saw(memory, places)

    def _take_alike(self, group: list[Reading]) -> Array:
        """What loads from one memory find, one upon the other, which stamps know to be written."""
        memory, places, step = group[0].memory, self._stacked([one.places for one in group]), group[0].step
        width = together(step, self.grains[memory.name])
        runs = self._everywhere(memory, self._runs_of(places, width), width)
        return taken(memory.values, runs, width)

    def _stacked(self, parts: list[Integers]) -> Integers:
        """The arrays one upon the other; kept if all of them are."""
        if len(parts) == 1:
            return parts[0]
        if not all(self.tables.keeps(part) for part in parts):
            return np.concatenate(parts)
        return self.tables.once(("stacked", *map(id, parts)), lambda: np.concatenate(parts))

    def _alone(self, places: Integers) -> Integers:
        """An array of one step's places as one of several steps'; kept if it is."""
        if not self.tables.keeps(places):
            return places[None]
        return self.tables.once(("alone", id(places)), lambda: places[None])

    def _loaded(
        self, step: Load, source: Access, layout: FragmentLayout, places: Elements, shape: tuple[int, ...],
        fragments: tuple[str, ...], block: BlockState,
    ) -> Reached:  # fmt: skip
        """What a load into these fragments reaches in global memory, checked, after all that it must follow."""
        if not (self.adding.isdisjoint(fragments) and self.loading.keys().isdisjoint(fragments)):
            self._settle(block, copies=False)
        what = f"what {step.fragment!r} moves"
        found = self._global(step, source, layout, places, shape, what)
        if not found.checked:
            self._check_access(step, found.memory, found.offsets, found.mask, what)
        if any(one.memory is found.memory for one in self.storings):
            self._settle_stores()
        return found

    # ---- products

    def _grid_of(self, layer: Layer) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The left and right factors of a layer and where each pair is added (see `_grid`)."""
        return self.tables.once(
            ("grid", *map(id, layer.steps)), lambda: _grid(layer.steps)
        )  # the kernel keeps its steps

    def _alike(self, layers: list[Layer]) -> int:
        """How many layers from the first on add as many products of one instruction to the same sums: they are one of longer factors.

        Those whose factors are all loaded now are kept apart from others, to be read as they are multiplied.
        """
        lefts, _, held = self._grid_of(layers[0])
        count = 1
        while held and count < len(layers):
            others = self._grid_of(layers[count])
            same = others[2] == held and len(others[0]) == len(lefts)
            if not same or layers[count].steps[0].instruction != layers[0].steps[0].instruction:
                break
            if layers[count].loaded != layers[0].loaded:
                break
            count += 1
        return count

    def _operands_of(self, layers: list[Layer]) -> tuple[Operand | None, Operand | None]:
        """The factors of layers alike that can be read as they are multiplied, left and right."""
        lanes = instruction(layers[0].steps[0].instruction)
        if not self._grid_of(layers[0])[2] or lanes.a is None or lanes.b is None:
            return None, None
        names = [(layer, *self._grid_of(layer)) for layer in layers]
        return (
            self._operand(
                [[layer.factors[name] for name in some] for layer, some, _, _ in names], lanes.a, right=False
            ),
            self._operand([[layer.factors[name] for name in some] for layer, _, some, _ in names], lanes.b, right=True),
        )

    def _multiply_together(
        self, layers: list[Layer], found: dict[int, Array], tall: Array | None, wide: Array | None, block: BlockState
    ) -> None:
        """Products of layers alike; where every left factor meets every right one, as a product of two large matrices.

        These are `tall` and `wide`, if they were read as they are multiplied.
        """
        lefts, rights, held = self._grid_of(layers[0])
        if not held:
            for step in layers[0].steps:
                lanes = instruction(step.instruction)
                assert lanes.a is not None and lanes.b is not None
                factors = layers[0].factors
                a = self._matrices_of([factors[step.a]], lanes.a, found)
                b = self._matrices_of([factors[step.b]], lanes.b, found)
                c = self._matrix_of(lanes.c, self._content(block, step.accumulator))
                block.hold(step.accumulator, self._registers_of(lanes.c, c + a @ b))
            return
        lanes = instruction(layers[0].steps[0].instruction)
        assert lanes.a is not None and lanes.b is not None
        names = [(layer, *self._grid_of(layer)) for layer in layers]
        count, deep, (m, n), k = len(self.warps), len(layers), lanes.c.shape, lanes.a.shape[1]
        if tall is None:
            a = self._matrices_of([layer.factors[name] for layer, some, _, _ in names for name in some], lanes.a, found)
            tall = a.reshape(deep, len(lefts), count, m, k).transpose(2, 1, 3, 0, 4).reshape(count, -1, deep * k)
        if wide is None:
            b = self._matrices_of([layer.factors[name] for layer, _, some, _ in names for name in some], lanes.b, found)
            wide = b.reshape(deep, len(rights), count, k, n).transpose(2, 0, 3, 1, 4).reshape(count, deep * k, -1)
        if block.grid(held) is None:
            c = self._matrix_of(lanes.c, joined([self._content(block, name) for name in held]))
            grid = c.reshape(len(lefts), len(rights), count, m, n).transpose(2, 0, 3, 1, 4)
            total = np.array(grid, order="C").reshape(count, len(lefts) * m, len(rights) * n)  # added to where it is
            block.keep_grid(held, lanes.c, total, (m, n))
        block.add(held, tall, wide)

    # ---- copies

    def _copy_together(self, started: list[Copying], block: BlockState) -> None:
        alike: dict[tuple[object, ...], list[Copying]] = {}
        for one in started:
            memory, _, mask, checked, *kind = one.source
            key = (id(one.memory), memory.name, one.step.width, one.places.shape[1:], mask is None, checked, *kind)
            alike.setdefault(key, []).append(one)
        for group in alike.values():
            first = group[0]
            places = self._stacked([one.places for one in group])
            slots, what = self._slots_of(first.memory, places), f"the copy into {first.step.target.buffer!r}"
            places = self._wrote(first.step, first.memory, places, None, what)
            masks = [one.source.mask for one in group if one.source.mask is not None]
            source = first.source._replace(
                offsets=np.concatenate([one.source.offsets for one in group]),
                mask=np.concatenate(masks) if masks else None,
            )
            if not source.checked:
                self._check_access(first.step, source.memory, source.offsets, source.mask, what)
            values = source.read(0.0)
            flying = Flying(
                first.memory, places, values, self.threads, self.team.blocks, self.team.present(self.blocks), slots
            )
            block.opened.append(flying)

    # ---- stores to global memory

    def _settle_stores(self) -> None:
        """Write what waits to be stored, steps alike together where their elements do not meet."""
        waiting, self.storings = self.storings, []
        alike: dict[tuple[object, ...], list[Storing]] = {}
        for one in waiting:
            key = (one.memory.name, one.step.transfer, one.step.width, one.offsets.shape[1:], one.checked)
            alike.setdefault(key, []).append(one)
        for group in alike.values():
            self._store_together(group)

    def _store_together(self, group: list[Storing]) -> None:
        first = group[0]
        offsets = np.concatenate([one.offsets for one in group])
        values = np.concatenate([one.values for one in group])
        mask = None
        if any(one.mask is not None for one in group):
            masks = (np.ones(one.offsets.shape, np.bool_) if one.mask is None else one.mask for one in group)
            mask = np.concatenate(list(masks))
        if not first.checked:
            self._check_access(first.step, first.memory, offsets, mask, f"what is stored to {first.memory.name!r}")
        if mask is not None:
            offsets, values = offsets[mask], values[mask]
        if first.memory.write_apart(offsets, values):
            return
        for one in group:  # stores that meet: each counts
            for number, (place, value) in enumerate(zip(one.offsets, one.values, strict=True)):
                chosen = slice(None) if one.mask is None else one.mask[number]
                first.memory.write(place[chosen], value[chosen])


def _registers_asked(layers: list[Layer], left: Operand | None, right: Operand | None) -> Iterator[Reading]:
    """Yield the loads whose registers products take: of factors that are not read as they are multiplied."""
    for layer in layers:
        for step in layer.steps:
            for name, operand in ((step.a, left), (step.b, right)):
                known = layer.factors[name]
                if operand is None and isinstance(known, tuple):
                    yield known[0]


def _grid(several: list[Mma]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The left and right factors of products and where each pair is added, row by row; empty unless every pair is, once."""
    lefts, rights = (tuple(dict.fromkeys(getattr(step, name) for step in several)) for name in ("a", "b"))
    sums = {(step.a, step.b): step.accumulator for step in several}
    names = tuple(sums.get((left, right), "") for left in lefts for right in rights)
    alike = {step.instruction for step in several} == {several[0].instruction}
    whole = alike and len(sums) == len(several) == len(names) == len(set(names)) and "" not in names
    return (lefts, rights, names) if whole and set(names).isdisjoint({*lefts, *rights}) else ((), (), ())
