# SPDX-License-Identifier: MIT
"""Swizzles solved for: from what a buffer's writers and readers touch at once, the XOR map without bank conflicts.

Split the byte offset into low bits (within the widest access, never moved), middle bits (the banks above it) and upper
bits (above the bank period). A swizzle ``offset ^= N * upper`` with N into the middle bits is a bijection whatever N
is. An access phase is the span V of the offset steps of its lane bits; two lanes collide when a vector v of V, not
zero as a word, has bank 0. Low bits stay, so only the v without low bits matter: v collides when ``middle(v) = N *
upper(v)``. The collisions of a phase are a subspace, and its degree is their number plus one. So the solver looks for
the matrix N with the fewest colliding vectors, column by column, and may stop early by the rank argument: more
independent words than middle bits allow cannot be told apart.

The search is complete, so "none without conflicts exists" is a proof. Hardware modes are what it finds: for rows of
128, 64 and 32 bytes read in 16-byte columns it returns ``Swizzle<3, 4, 3>``, ``<2, 4, 3>`` and ``<1, 4, 3>`` on bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.gf2 import Integers, Matrix, as_integers, span

_NODE_LIMIT = 200_000


class AccessPhase(Data, frozen=True):
    """What the lanes of one phase touch together.

    Attributes
    ----------
    name : str
        Who accesses, such as ``"TMA write"``.
    steps : tuple of int
        Byte-offset step (XOR) of each lane bit that varies within the phase, in the plain, unswizzled buffer.
    width : int
        Bytes per lane, a power of two.
    """

    name: str
    steps: tuple[int, ...]
    width: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.width & (self.width - 1):
            raise ConfigurationError(f"the access {self.name!r} has a width of {self.width} bytes, not a power of two")
        if any(step < 0 or step % self.width for step in self.steps):
            raise ConfigurationError(
                f"the access {self.name!r} has steps that are not multiples of its width",
                steps=self.steps,
                width=self.width,
            )

    @classmethod
    def of_lanes(cls, name: str, lanes: Matrix, width: int, *, banks: int = 32, bank_bytes: int = 4) -> AccessPhase:
        """Return the phase of an access whose byte offset is a linear map of the lane number (its low lane bits)."""
        per_phase = BankConflictSimulator(banks, bank_bytes).lanes_per_phase(width)
        return cls(name, lanes.columns[: per_phase.bit_length() - 1], width)


class SolvedSwizzle(Data, frozen=True):
    """A swizzle and what is proved of it.

    Attributes
    ----------
    xor : Matrix
        The map on byte offsets.
    base : int
        Low bits that it never moves: 2^base bytes stay contiguous.
    degrees : tuple of int
        Cycles per phase of each access, 1 without conflict.
    proved : bool
        Whether no XOR map of this form has fewer collisions.
    argument : str
        Why.
    """

    xor: Matrix
    base: int
    degrees: tuple[int, ...]
    proved: bool
    argument: str

    @property
    def free(self) -> bool:
        """Whether no access has a conflict."""
        return all(degree == 1 for degree in self.degrees)

    @property
    def is_identity(self) -> bool:
        """Whether the buffer needs no swizzle."""
        return self.xor.is_identity

    def parameters(self) -> tuple[int, int, int] | None:
        """Return (bits, base, shift) in byte bits if this is `Matrix.xor_shift`, the hardware's form."""
        width = len(self.xor.columns)
        if self.xor.is_identity:
            return (0, self.base, 0)
        for bits in range(1, width):
            for base in range(width):
                for shift in range(bits, width - base - bits + 1):
                    if self.xor == Matrix.xor_shift(width, bits=bits, base=base, shift=shift):
                        return (bits, base, shift)
        return None

    def of_elements(self, element_bytes: int) -> Matrix:
        """Return the map on element offsets, for `tracea_core.semantic.layout.Layout.xored`.

        Raises
        ------
        ConfigurationError
            If the map moves bytes within an element.
        """
        drop = element_bytes.bit_length() - 1
        if element_bytes < 1 or element_bytes & (element_bytes - 1) or drop > self.base:
            raise ConfigurationError(
                f"this swizzle does not keep elements of {element_bytes} bytes whole", base=self.base
            )
        return Matrix(self.xor.rows - drop, tuple(column >> drop for column in self.xor.columns[drop:]))


def solve(
    accesses: Sequence[AccessPhase], *, address_bits: int | None = None, banks: int = 32, bank_bytes: int = 4
) -> SolvedSwizzle:
    """Return the XOR map with the fewest colliding words over all accesses; without any if one exists.

    Among equals the one that XORs the i-th upper bit into the i-th middle bit wins, which is the hardware's form.

    Parameters
    ----------
    accesses : sequence of AccessPhase
        Writers and readers.
    address_bits : int, optional
        Bits of the buffer's byte offset; by default as many as the accesses reach.
    banks, bank_bytes : int
        Bank structure.

    Raises
    ------
    ConfigurationError
        If an access is wider than the banks, or the buffer has fewer bits than the accesses touch.
    """
    top = (BankConflictSimulator(banks, bank_bytes).period).bit_length() - 1
    reach = max((step.bit_length() for access in accesses for step in access.steps), default=0)
    size = max(reach, top) if address_bits is None else address_bits
    base = max((access.width.bit_length() - 1 for access in accesses), default=top)
    base = max(base, bank_bytes.bit_length() - 1)
    if base > top:
        raise ConfigurationError(f"an access of {1 << base} bytes is wider than all banks together", banks=banks)
    if reach > size:
        raise ConfigurationError(f"the accesses reach {reach} address bits, the buffer has {size}")
    search = _Search(accesses, base, top, size, bank_bytes.bit_length() - 1)
    search.run()
    columns = [1 << i for i in range(size)]
    for i, value in enumerate(search.best):
        columns[top + i] |= value << base
    degrees = tuple(1 + count for count in search.collisions(search.best))
    return SolvedSwizzle(Matrix(size, tuple(columns)), base, degrees, search.proved, search.argument(accesses, degrees))


class _Search:
    """Branch and bound over the columns of N, one per upper bit; colliding vectors count once they are decided."""

    def __init__(self, accesses: Sequence[AccessPhase], base: int, top: int, size: int, word: int) -> None:
        self.middle = top - base
        self.upper = size - top
        self.vectors: list[list[tuple[int, int]]] = []  # per access: (middle, upper) of every vector that could collide
        self.bounds: list[int] = []
        for access in accesses:
            words = span((step >> word) << word for step in access.steps)
            unmoved = [v for v in words if v and not v & ((1 << base) - 1)]
            self.vectors.append([((v & ((1 << top) - 1)) >> base, v >> top) for v in unmoved])
            self.bounds.append(max((len(unmoved) + 1 >> self.middle) - 1, 0))
        self.bound = sum(self.bounds)
        self.decided: list[list[tuple[int, int]]] = [[] for _ in range(self.upper)]
        for vectors in self.vectors:
            for middle, upper in vectors:
                if upper:
                    self.decided[upper.bit_length() - 1].append((middle, upper ^ (1 << upper.bit_length() - 1)))
        self.best: tuple[int, ...] = (0,) * self.upper
        self.cost = sum(self.collisions(self.best))
        self.nodes = 0
        self.proved = False

    def collisions(self, columns: Sequence[int]) -> list[int]:
        """Return the number of colliding vectors of each access."""
        matrix = Matrix(self.middle, tuple(columns))
        return [sum(1 for middle, upper in vectors if matrix.apply(upper) == middle) for vectors in self.vectors]

    def run(self) -> None:
        """Search until the bound is met, everything is tried, or the node limit is reached."""
        if self.cost > self.bound:
            self._extend((), 0)
        self.proved = self.cost <= self.bound or self.nodes < _NODE_LIMIT

    def _extend(self, columns: tuple[int, ...], cost: int) -> None:
        self.nodes += 1
        if cost >= self.cost or self.cost <= self.bound or self.nodes >= _NODE_LIMIT:
            return
        position = len(columns)
        if position == self.upper:
            self.best, self.cost = columns, cost
            return
        matrix = Matrix(self.middle, columns)
        penalties = [0] * (1 << self.middle)
        for middle, rest in self.decided[position]:
            penalties[middle ^ matrix.apply(rest)] += 1
        earlier = sum(1 for vectors in self.decided[:position] if vectors)
        natural = 1 << earlier % self.middle if self.middle else 0
        order = sorted(range(1 << self.middle), key=lambda value: (penalties[value], value != natural, value))
        for value in order if self.decided[position] else (0,):
            self._extend((*columns, value), cost + penalties[value])

    def argument(self, accesses: Sequence[AccessPhase], degrees: Sequence[int]) -> str:
        """Return why the result is what it is."""
        if all(degree == 1 for degree in degrees):
            return "every access phase has full rank on the banks"
        crowded = [
            f"{access.name}: {len(vectors) + 1} chunks over {1 << self.middle} places"
            for access, vectors, bound in zip(accesses, self.vectors, self.bounds, strict=True)
            if bound
        ]
        if self.cost <= self.bound:
            return "no XOR map can do better by rank: " + ", ".join(crowded)
        if self.proved:
            return f"every XOR map into {self.middle} bank bits was refuted ({self.nodes} partial maps)"
        return f"the best of {self.nodes} partial maps; a better one is not excluded"


class LaneAccess(Data, frozen=True):
    """One access to a row-major tile by coordinates: lane i touches `width` bytes at (rows[i], columns[i])."""

    name: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    width: int


class Padding(Data, frozen=True):
    """Unused elements after each row, and the extra cycles of each access under them."""

    elements: int
    conflicts: tuple[int, ...]

    @property
    def free(self) -> bool:
        """Whether no access has a conflict."""
        return not any(self.conflicts)


def solve_padding(
    columns: int,
    element_bytes: int,
    accesses: Sequence[LaneAccess],
    *,
    banks: int = 32,
    bank_bytes: int = 4,
    largest: int | None = None,
) -> Padding:
    """Return the smallest row padding with the fewest conflicts, for tiles whose rows are no power of two.

    Every padding up to one bank period is simulated (the banks repeat after it), in steps that keep the widest access
    aligned.

    Parameters
    ----------
    columns : int
        Elements per row.
    element_bytes : int
        Bytes per element.
    accesses : sequence of LaneAccess
        Writers and readers.
    largest : int, optional
        Most elements to add; one bank period by default.

    Raises
    ------
    ConfigurationError
        If the unpadded rows already misalign an access and no padding up to the limit aligns them.
    """
    simulator = BankConflictSimulator(banks, bank_bytes)
    limit = simulator.period // element_bytes if largest is None else largest
    widest = max((access.width for access in accesses), default=element_bytes)
    best: Padding | None = None
    for pad in range(limit + 1):
        stride = (columns + pad) * element_bytes
        if stride % widest:
            continue
        found = tuple(
            simulator.access(_addresses(access, stride, element_bytes), access.width).conflicts for access in accesses
        )
        if best is None or sum(found) < sum(best.conflicts):
            best = Padding(pad, found)
    if best is None:
        raise ConfigurationError(f"no padding up to {limit} elements aligns rows of {columns} to {widest} bytes")
    return best


def _addresses(access: LaneAccess, stride: int, element_bytes: int) -> Integers:
    rows, columns = np.asarray(access.rows), np.asarray(access.columns)
    return as_integers(rows * stride + columns * element_bytes)
