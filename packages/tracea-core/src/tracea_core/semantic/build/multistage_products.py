# SPDX-License-Identifier: MIT
"""The products of one slot of the ring: parts of both operands are read for each k of the instruction, and all pairs multiplied.

With two sets of registers the parts of the next k are read while those of this one are multiplied, across the end of a step too:
the last products of a step run after the barrier that makes the next slot readable, and cover the reads of its first k.

An instruction of tf32 multiplies fp32 as two parts each: x = high + low, high the nearest tf32 and low the nearest to what is left.
Three products are added, the small ones first; low times low, below 2^-22 of the product, is left out (Ootomo and Yokota, *Recovering
single precision accuracy from Tensor Cores*, arXiv 2203.03341, without their scaling).
"""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.multistage_tile import OperandTile
from tracea_core.semantic.index import Const, Index, Sym
from tracea_core.semantic.kernel import Fragment
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.lanes_simt import parse
from tracea_core.semantic.steps import Compute, Load, Loop, Mma, Node

_INNER = Sym("k_inner")
_SETS = 2
_HIGH, _LOW = "_high", "_low"
_PRODUCTS = ((_LOW, _HIGH), (_HIGH, _LOW), (_HIGH, _HIGH))
"""Parts of a and of b that are multiplied, those first that are added to the smaller sum."""
_LEFT = Binary(BinaryFn.SUB, Accumulator(0), Accumulator(1))


def in_parts(stored: DType, lanes: InstructionLanes) -> bool:
    """Whether operands stored in a type are multiplied as a high and a low part each."""
    return stored is DType.FP32 and lanes.operand is DType.TF32


class Products:
    """Fragments and steps of a warp that multiplies its part of a slot.

    Parameters
    ----------
    configuration : PipelineConfig
        From ``unroll_k`` 2 on, lanes that multiply themselves read ahead.
    lanes : InstructionLanes
        The instruction.
    grid : tuple of int
        Warps along the rows and the columns of the tile.
    a, b : OperandTile, sequence of OperandTile
        The operands; one of B for each gate.
    """

    def __init__(
        self,
        configuration: PipelineConfig,
        lanes: InstructionLanes,
        grid: tuple[int, int],
        a: OperandTile,
        b: Sequence[OperandTile],
    ) -> None:
        self.lanes, self.a, self.b, self.depth = lanes, a, b, configuration.tile_k
        warp_m, warp_n = configuration.tile_m // grid[0], configuration.tile_n // grid[1]
        self.row, self.column = WARP // grid[1] * warp_m, WARP % grid[1] * warp_n
        rows, columns = range(warp_m // lanes.m), range(warp_n // lanes.n)
        several = parse(lanes.name) is not None and min(configuration.unroll_k, configuration.stages) > 1
        self.ahead = several and self.depth % (_SETS * lanes.k) == 0
        tags, stored = [f"_{number}" for number in range(_SETS)] if self.ahead else [""], a.dtype
        self.split = in_parts(stored, lanes)
        self.a_parts = [[Fragment(f"a{i}{tag}", stored, lanes.a) for i in rows] for tag in tags if lanes.a]
        self.b_parts = [
            [[Fragment(self._gated(f"b{j}", gate) + tag, stored, lanes.b) for gate in range(len(b))] for j in columns]
            for tag in tags
            if lanes.b
        ]
        self.sums = [
            [
                [Fragment(self._gated(f"acc{i}_{j}", gate), lanes.accumulator, lanes.c) for gate in range(len(b))]
                for j in columns
            ]
            for i in rows
        ]

    def _gated(self, name: str, gate: int) -> str:
        return name if len(self.b) == 1 else f"{name}_{gate}"

    def parts(self) -> list[Fragment]:
        """Return the registers of the operands, and of their parts."""
        found = [part for parts in self.a_parts for part in parts]
        found += [part for columns in self.b_parts for parts in columns for part in parts]
        if not self.split:
            return found
        halves = [Fragment(part.name + tag, self.lanes.operand, part.layout) for part in found for tag in (_HIGH, _LOW)]
        return [*found, *halves]

    def all_sums(self) -> list[Fragment]:
        """Return the accumulators."""
        return [part for row in self.sums for parts in row for part in parts]

    def first(self, slot: Index) -> tuple[Node, ...]:
        """Return the reads that have to stand before the first step of a reduction."""
        return self._read(0, Const(0), slot) if self.ahead else ()

    def step_ahead(
        self, slot: Index, following: Index, passed: tuple[Node, ...], reveal: tuple[Node, ...]
    ) -> tuple[Node, ...]:
        """Return the products of `slot`, and the first reads of the slot `following`, which `passed` writes and `reveal` makes visible."""
        k, last = self.lanes.k, self.depth - self.lanes.k
        nodes: list[Node] = []
        if last > k:
            pair = (
                *self._read(1, _INNER + k, slot), *self._multiply(0),
                *self._read(0, _INNER + 2 * k, slot), *self._multiply(1),
            )  # fmt: skip
            nodes.append(Loop(_INNER.name, Const(0), Const(last - k), pair, step=2 * k, unroll=(last - k) // (2 * k)))
        nodes += [*passed, *self._read(1, Const(last), slot), *self._multiply(0), *reveal]
        return (*nodes, *self._read(0, Const(0), following), *self._multiply(1))

    def step(self, slot: Index) -> tuple[Node, ...]:
        """Return the products of `slot`: each part read once for every k of the instruction, and all pairs multiplied."""
        k: Index = Const(0) if self.depth == self.lanes.k else _INNER
        nodes = (*self._read(0, k, slot), *self._multiply(0))
        if isinstance(k, Const):
            return nodes
        count = self.depth // self.lanes.k
        return (Loop(_INNER.name, Const(0), Const(self.depth), nodes, step=self.lanes.k, unroll=count),)

    def _read(self, number: int, k: Index, slot: Index) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for i, part in enumerate(self.a_parts[number]):
            nodes.append(self.a.read(part.name, self.row + i * self.lanes.m, k, slot, transposed=False))
        for j, parts in enumerate(self.b_parts[number]):
            for tile, part in zip(self.b, parts, strict=True):
                nodes.append(tile.read(part.name, self.column + j * self.lanes.n, k, slot, transposed=True))
        for load in list(nodes) if self.split else ():
            assert isinstance(load, Load)
            high, low = load.fragment + _HIGH, load.fragment + _LOW
            nodes.append(Compute(high, Accumulator(0), DType.FP32, (load.fragment,)))
            nodes.append(Compute(low, _LEFT, DType.FP32, (load.fragment, high)))
        return tuple(nodes)

    def _multiply(self, number: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for i, row_sums in enumerate(self.sums):
            for j, sums in enumerate(row_sums):
                for part, total in zip(self.b_parts[number][j], sums, strict=True):
                    a = self.a_parts[number][i].name
                    pairs = ((a + x, part.name + y) for x, y in _PRODUCTS) if self.split else ((a, part.name),)
                    nodes += [Mma(self.lanes.name, total.name, x, y) for x, y in pairs]
        return tuple(nodes)
