# SPDX-License-Identifier: MIT
"""What is known of one matrix instruction: its shape, its types, and which lane holds which element of each operand.

The families below (`lanes_nvidia`, `lanes_amd`, `lanes_cpu`, `lanes_other`) build such values from vendors' documents;
people ask `tracea_core.semantic.lanes` for them by name.
"""

from __future__ import annotations

import re

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.target import MatrixInstruction

TURNED = "_turned"
"""How the names of instructions end that are read as those of the transposed matrices."""

Bits = tuple[tuple[int, int], ...]

DTYPE_PATTERN = "|".join(sorted((re.escape(d.value) for d in DType), key=len, reverse=True))


class InstructionLanes(Data, frozen=True, kw_only=True):
    """The lane maps of ``C[m, n] += A[m, k] * B[k, n]`` as one instruction (or one CPU register tile) executes it.

    Attributes
    ----------
    name : str
        The name under which `tracea_core.semantic.lanes.instruction` returns it.
    m, n, k : int
        Shape in elements.
    operand, accumulator : DType
        Type of A and B, and of C.
    lanes : int
        Threads that execute it together; SIMD lanes on a CPU.
    a, b : FragmentLayout or None
        Layouts of the (m, k) and (k, n) operands, None where the operand is read from shared memory.
    c : FragmentLayout
        Layout of the (m, n) accumulator.
    a_from_shared, b_from_shared : bool
        Whether the operand is read from shared memory through a descriptor.
    source : str
        The document the maps were taken from.
    operand_b : DType, optional
        Type of B where it is not A's.
    tiles : int
        How many registers of a matrix unit of their own the fragments fill together; 0 where they are vector registers.
    opaque : bool
        Whether the maps are made up, since the language says of none which lane holds what.
    turns : str
        The instruction that this one is, read as C' = B'·A' of the transposed matrices; empty where it is read as it stands.
    """

    name: str
    m: int
    n: int
    k: int
    operand: DType
    accumulator: DType
    lanes: int
    a: FragmentLayout | None
    b: FragmentLayout | None
    c: FragmentLayout
    a_from_shared: bool = False
    b_from_shared: bool = False
    source: str
    operand_b: DType | None = None
    tiles: int = 0
    opaque: bool = False
    turns: str = ""

    @property
    def b_type(self) -> DType:
        """Type of B."""
        return self.operand_b or self.operand

    def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the maps: wrong shape, lanes that differ, elements missing or held twice in C."""
        found = []
        operands = (
            ("a", self.a, self.a_from_shared, (self.m, self.k)),
            ("b", self.b, self.b_from_shared, (self.k, self.n)),
            ("c", self.c, False, (self.m, self.n)),
        )
        for name, layout, from_shared, shape in operands:
            if layout is None:
                if not from_shared:
                    found.append(f"operand {name} is neither in registers nor in shared memory")
                continue
            if from_shared:
                found.append(f"operand {name} is both in registers and in shared memory")
            if layout.shape != shape:
                found.append(f"operand {name} has shape {layout.shape}, the instruction wants {shape}")
            if layout.lanes != self.lanes:
                found.append(f"operand {name} is spread over {layout.lanes} lanes, the instruction has {self.lanes}")
            if not layout.covers():
                found.append(f"operand {name} leaves elements unheld")
            elif name == "c" and layout.replication != 1:
                found.append(f"an accumulator element is held {layout.replication} times")
        return tuple(found)

    def turned(self) -> InstructionLanes:
        """Return the same instruction as it multiplies the transposed matrices: (A·B)' = B'·A', in the same lanes and registers.

        Where a lane holds a column of C, as on AMD's and Intel's units, it holds a row of the transposed one.
        """
        assert self.a is not None and self.b is not None and not self.turns
        return self.replace(
            name=self.name + TURNED, m=self.n, n=self.m, operand=self.b_type, operand_b=self.operand_b and self.operand,
            a=self.b.transposed(), b=self.a.transposed(), c=self.c.transposed(), turns=self.name,
        )  # fmt: skip

    def summary(self) -> MatrixInstruction:
        """Return the entry that a capability profile lists for it."""
        return MatrixInstruction(self.name, self.m, self.n, self.k, self.operand, self.accumulator, self.lanes)


def bits(axis: str, start: int, count: int) -> Bits:
    """Return the (row, column) steps of `count` bits along ``"row"`` or ``"column"``, doubling from `start`."""
    steps = [start << i for i in range(count)]
    return tuple((step, 0) if axis == "row" else (0, step) for step in steps)


def log2(value: int) -> int:
    """Return the exponent of a power of two."""
    return value.bit_length() - 1
