# SPDX-License-Identifier: MIT
"""Coordinates that follow from a place in the reduction, in tables in shared memory: what a block computes once, every step looks up.

A gathered operand divides each place of its reduction into a channel and a row and column of the filter: two quotients and an offset for
every element that a lane loads, in every step of every tile. The first `steps` steps have theirs in tables, which the warps of a block
fill together before its first tile. Later steps compute them again, so a kernel serves reductions of any length.

A table has a slot for each step, so that lanes reach places that are known when the kernel is built.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.build.multistage_lanes import WARP, run
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, substitute
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Space
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.row_steps import Count
from tracea_core.semantic.steps import BufferRef, Let, Load, Loop, Node, Store, Transfer
from tracea_core.target import CapabilityProfile

_NUMBER = Sym("table_round")
_ENTRY = 4
"""Bytes of a coordinate."""
_VECTORS = (4, 2)
"""Coordinates that one access may read."""


class HoistedTables:
    """The tables of one operand.

    Parameters
    ----------
    name : str
        What they are named after.
    decoded : tuple of (str, Index)
        Coordinates by name, in the order in which each needs those before it, as expressions of `position`.
    used : tuple of str
        Those that addresses and masks name.
    position : Sym
        The place in the reduction.
    tile_k, warps, steps : int
        Places of a step, warps of the block, and steps that are looked up.
    layout : FragmentLayout
        Which lane needs the coordinates of which places.
    """

    def __init__(
        self, name: str, decoded: tuple[tuple[str, Index], ...], used: tuple[str, ...], position: Sym, tile_k: int,
        warps: int, steps: int, layout: FragmentLayout, profile: CapabilityProfile,
    ) -> None:  # fmt: skip
        self.name, self.decoded, self.used, self.position, self.tile_k = name, decoded, used, position, tile_k
        self.warps, self.layout, self.lanes = warps, layout, profile.lanes
        self.rows = max(profile.lanes // tile_k, 1)
        each = warps * self.rows
        self.slots = -(-steps // each) * each if self.fits(layout, tile_k, profile) else 0
        self.width = next((width for width in _VECTORS if self._is_free(layout, width, profile)), 1)

    @classmethod
    def fits(cls, layout: FragmentLayout, tile_k: int, profile: CapabilityProfile) -> bool:
        """Whether lanes can fill and read a table without meeting in a bank."""
        return (profile.lanes % tile_k == 0 or tile_k % profile.lanes == 0) and cls._is_free(layout, 1, profile)

    @staticmethod
    def _is_free(layout: FragmentLayout, width: int, profile: CapabilityProfile) -> bool:
        if run(layout, 1) % width:
            return False
        _, columns = layout.elements()
        simulator = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
        return simulator.worst(columns[:, ::width].T * _ENTRY, width * _ENTRY) == 1

    # ---- what the kernel declares

    def buffers(self) -> tuple[Buffer, ...]:
        """Return the tables, one for each coordinate."""
        layout = Layout.row_major(("k", self.tile_k))
        return tuple(
            Buffer(self._table(name), Space.SHARED, DType.INT32, layout, Lifetime.CALL, slots=self.slots, alignment=16)
            for name in self.used if self.slots
        )  # fmt: skip

    def fragments(self) -> list[Fragment]:
        """Return the registers through which coordinates go to the tables and come back."""
        if not self.slots:
            return []
        columns = [(0, 1 << bit) for bit in range(self.tile_k.bit_length() - 1)]
        rows = [(1 << bit, 0) for bit in range(self.rows.bit_length() - 1)]
        bits = self.lanes.bit_length() - 1
        steps = (*columns, *rows)
        made = FragmentLayout.from_bits((self.rows, self.tile_k), tuple(steps[:bits]), tuple(steps[bits:]))
        return [Fragment(self._made, DType.INT32, made), Fragment(self._held, DType.INT32, self.layout)]

    @property
    def _made(self) -> str:
        return f"{self.name}_made"

    @property
    def _held(self) -> str:
        return f"{self.name}_held"

    def _table(self, name: str) -> str:
        return f"{self.name}_{name}_table"

    # ---- steps

    def fill(self, divided: list[Index], steps: Index) -> tuple[Node, ...]:
        """Return the loop in which warps fill the tables of as many steps as there are.

        Parameters
        ----------
        divided : list of Index
            The coordinates as they are computed, by way of reciprocals.
        steps : Index
            Steps of the reduction that are looked up.
        """
        if not self.slots:
            return ()
        slot = (_NUMBER * self.warps + WARP) * self.rows + ROW
        names: dict[str, Index] = {self.position.name: slot * self.tile_k + COLUMN}
        body: list[Node] = []
        for (name, _), value in zip(self.decoded, divided, strict=True):
            own = f"{self.name}_{name}_entry"
            body.append(Let(own, substitute(value, names), self._made))
            names[name] = Sym(own)
        for name in self.used:
            body.append(Count(self._made, names[name]))
            body.append(Store(BufferRef(self._table(name), (COLUMN,), slot), self._made, Transfer.GATHER))
        each = self.warps * self.rows
        return (Loop(_NUMBER.name, Const(0), (steps + (each - 1)) // each, tuple(body)),)

    def look_up(self, first: Index, step: Index, tag: str) -> tuple[list[Node], dict[str, Index]]:
        """Return the steps that read the coordinates of places from `first` on in a step, and what these are called then."""
        nodes: list[Node] = []
        names: dict[str, Index] = {}
        for name in self.used:
            place = BufferRef(self._table(name), (first + COLUMN,), step)
            nodes.append(Load(self._held, place, Transfer.GATHER, width=self.width))
            nodes.append(Let(f"{self.name}_{name}{tag}", Sym(self._held), self._held))
            names[name] = Sym(f"{self.name}_{name}{tag}")
        return nodes, names
