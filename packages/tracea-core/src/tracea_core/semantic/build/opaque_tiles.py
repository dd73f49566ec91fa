# SPDX-License-Identifier: MIT
"""The uniform schedule with an instruction of whose registers only whole matrices are known (SYCL's joint matrices).

Tiles lie in shared memory in plain rows some bytes apart, since a matrix is loaded from even rows and from nothing else; A by rows, B as it
lies in global memory, by rows or by columns. Sums leave the registers the same way: each row of instruction tiles is stored to a
buffer of the warp's own, and comes back in registers whose elements are known, in which the epilogue works as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.build.multistage import MultistageBuilder, multistage_fault
from tracea_core.semantic.build.multistage_lanes import WARP, Rectangle, run
from tracea_core.semantic.build.multistage_store import WARP_COLUMN, WARP_ROW, WarpEpilogue
from tracea_core.semantic.build.multistage_tile import CHUNK, OperandTile
from tracea_core.semantic.contraction import Contraction, J, Term
from tracea_core.semantic.index import COLUMN, ROW, Const, Index, Sym, coefficient, less
from tracea_core.semantic.kernel import Buffer, Fragment, Lifetime, Opaque, SemanticKernel, Space, Use
from tracea_core.semantic.lanes import InstructionLanes, instruction
from tracea_core.semantic.lanes_base import bits, log2
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import Barrier, BufferRef, If, Load, Node, Scope, Store, Transfer
from tracea_core.target import CapabilityProfile

_SUMS = "sums"
_BY_K = FragmentLayout.from_bits((8, 2), lane=bits("row", 1, 3), register=bits("column", 1, 1))
_BY_OUTER = FragmentLayout.from_bits((2, 8), lane=bits("column", 1, 3), register=bits("row", 1, 1))
"""Stand for the instruction's map where a tile's lanes are divided: what lies together in shared memory."""


class OpaqueTile(OperandTile):
    """An operand's tile in plain rows, read as whole matrices; see the module's text."""

    def _swizzled(self, cut: Callable[..., Rectangle]) -> Layout:
        simulator = BankConflictSimulator(self.profile.shared_banks, self.profile.shared_bank_bytes)
        size, lanes = self.dtype.bytes, self.profile.lanes
        axes = (("outer", self.outer), ("k", self.tile_k))
        self.read_width = 1
        while lanes:
            self.cut = cut(lanes)
            stored = run(self.cut.stored, 1 if self.by_k else 0)
            self.store_width = min(stored, CHUNK // size) if stored * size >= 4 else 1
            for pad in range(0, self.profile.shared_banks * self.profile.shared_bank_bytes // size, CHUNK // size):
                layout = Layout.row_major(*(axes if self.by_k else axes[::-1]), pad=pad)
                outer, k = self.cut.stored.elements()
                places = layout.at(*((outer, k) if self.by_k else (k, outer)))[:, :: self.store_width]
                if simulator.worst(places.T * size, self.store_width * size) == 1:
                    return layout
            lanes //= 2
        raise ConfigurationError(
            f"no distance of rows of {self.name!r} is free of bank conflicts", hint="Choose another tile"
        )

    def read(self, fragment: str, outer: Index, k: Index, slot: Index, transposed: bool) -> Load:
        """Return the load of a whole matrix; see `OperandTile.read`."""
        along, down = (COLUMN, ROW) if transposed else (ROW, COLUMN)
        return Load(fragment, self._place(outer + along, k + down, slot), Transfer.TILE)


class OpaqueEpilogue(WarpEpilogue):
    """The epilogue of sums that are first stored to shared memory, a row of instruction tiles at a time."""

    def __init__(
        self, contraction: Contraction, lanes: InstructionLanes, accumulators: list[list[list[Fragment]]], vector: int,
        warps: int,
    ) -> None:  # fmt: skip
        plain = FragmentLayout.from_bits(
            (lanes.m, lanes.n), lane=bits("column", 1, log2(lanes.n)), register=bits("row", 1, log2(lanes.m))
        )
        super().__init__(contraction, lanes.replace(c=plain), accumulators, vector)
        self.warps, self.gates = warps, len(accumulators[0][0])
        self.compute = lanes.accumulator

    @property
    def buffer(self) -> Buffer:
        """A row of instruction tiles for each warp, those of all gates side by side."""
        columns = len(self.accumulators[0]) * self.gates * self.lanes.n
        layout = Layout.row_major(("warp", self.warps), ("row", self.lanes.m), ("column", columns))
        return Buffer(_SUMS, Space.SHARED, self.compute, layout, Lifetime.TILE, alignment=CHUNK)

    def fragments(self) -> list[Fragment]:
        """Return the fragments besides the accumulators."""
        return [
            *super().fragments(),
            *(Fragment(self._part(gate), self.compute, self.lanes.c) for gate in range(self.gates)),
        ]

    def _part(self, gate: int) -> str:
        return f"sum_{gate}" if self.gates > 1 else "sum"

    def _staged(self, column: int, gate: int) -> BufferRef:
        place = (column * self.gates + gate) * self.lanes.n
        return BufferRef(_SUMS, (WARP, ROW, Const(place) + COLUMN))

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes that run once for each tile: all warps meet before and after each row of theirs is read."""
        rows, columns = len(self.accumulators) * self.lanes.m, len(self.accumulators[0]) * self.lanes.n
        inside = (less(WARP_ROW + (rows - 1), self.c.row_stop), less(WARP_COLUMN + (columns - 1), self.c.n))
        nodes: list[Node] = []
        for i, row in enumerate(self.accumulators):
            if i:
                nodes.append(Barrier(Scope.BLOCK, "sums_read"))
            for j, parts in enumerate(row):
                nodes += [Store(self._staged(j, g), part.name, Transfer.TILE) for g, part in enumerate(parts)]
            nodes.append(Barrier(Scope.BLOCK, "sums_written"))
            nodes.append(If(inside, self._row(i, edge=False), self._row(i, edge=True)))
        return tuple(nodes)

    def _row(self, i: int, edge: bool) -> tuple[Node, ...]:
        nodes: list[Node] = []
        parts = [Fragment(self._part(gate), self.compute, self.lanes.c) for gate in range(self.gates)]
        for j in range(len(self.accumulators[i])):
            nodes += [Load(part.name, self._staged(j, g), Transfer.GATHER) for g, part in enumerate(parts)]
            nodes += self._one(i, j, parts, edge)
        return tuple(nodes)


def opaque_kernel(
    contraction: Contraction, configuration: PipelineConfig, profile: CapabilityProfile, variant: str, name: str,
    instruction_name: str,
) -> SemanticKernel:  # fmt: skip
    """Return the uniform schedule of `contraction` with an opaque instruction; see `multistage_kernel`.

    Raises
    ------
    ConfigurationError
        With the reason of `multistage_fault`, or if registers or shared memory do not suffice.
    """
    fault = multistage_fault(contraction, configuration, profile, instruction_name)
    if fault:
        raise ConfigurationError(f"the uniform schedule does not fit: {fault}", configuration=configuration.describe())
    return OpaqueBuilder(contraction, configuration, profile, instruction(instruction_name)).kernel(variant, name)


class OpaqueBuilder(MultistageBuilder):
    """The uniform schedule's builder, with tiles in plain rows and sums by way of shared memory."""

    epilogue: OpaqueEpilogue

    def _tile(
        self, name: str, term: Term, coordinate: Sym, extent: Index, shift: Index, outer: int, vector: int, fragment: FragmentLayout
    ) -> OperandTile:  # fmt: skip
        """A by rows, B as it lies."""
        config = self.config
        as_it_lies = coordinate == J and coefficient(term.offset, J.name) == Const(1)
        return OpaqueTile(
            name, self.c, term, coordinate, extent, shift, outer, config.tile_k, config.warps, config.stages, vector,
            _BY_OUTER if as_it_lies else _BY_K, self.profile, hoisted=config.value("hoisted"), divided=bool(config.value("divided")),
        )  # fmt: skip

    def _epilogue(self) -> OpaqueEpilogue:
        return OpaqueEpilogue(self.c, self.lanes, self.sums, self.config.vector_c, self.config.warps)

    def kernel(self, variant: str, name: str) -> SemanticKernel:
        """Return the kernel with the buffer of sums."""
        made = super().kernel(variant, name)
        buffers = (*made.buffers, self.epilogue.buffer)
        plan = shared_plan(buffers, ())
        if plan.bytes > self.profile.shared_bytes:
            raise ConfigurationError(
                f"the tiles and sums need {plan.bytes} bytes of shared memory, {self.profile.name} has {self.profile.shared_bytes}",
                hint="Choose fewer stages or smaller tiles", configuration=self.config.describe(),
            )  # fmt: skip
        return made.replace(buffers=buffers, launch=made.launch.replace(shared_bytes=plan.bytes))

    def _fragments(self) -> tuple[Fragment, ...]:
        """Those of the uniform schedule, the instruction's own as what nobody knows the order of."""
        held = {part.name: Opaque(Use.SUM, True) for part in self.products.all_sums()}
        held |= {part.name: Opaque(Use.A, self.a.by_k) for parts in self.products.a_parts for part in parts}
        for columns in self.products.b_parts:
            for gates in columns:
                for tile, part in zip(self.b, gates, strict=True):
                    held[part.name] = Opaque(Use.B, not tile.by_k)
        return tuple(
            fragment.replace(opaque=held[fragment.name]) if fragment.name in held else fragment
            for fragment in super()._fragments()
        )
