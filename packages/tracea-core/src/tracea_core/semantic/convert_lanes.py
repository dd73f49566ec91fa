# SPDX-License-Identifier: MIT
r"""Conversions that stay within a wave: register renaming, lane-dependent selection, and the fewest shuffles.

Let lane d want, in its register r, what source lane ``A d + B r`` holds in register ``D d + E r`` (all over GF(2)). A
shuffle lets every lane read one word that some lane publishes, so a lane that finds k of its 2^R words at home takes
part in at least 2^R − k shuffles. Words of lane d are at home where ``B r = (I + A) d``, which has 2^(R − rank B)
solutions if ``(I + A) d`` lies in the image of B, and none otherwise. Hence

    shuffles ≥ 2^R − 2^(R − rank B)  if im(I + A) ⊆ im B,      shuffles ≥ 2^R  otherwise,

and both are reached: take round ρ to bring lane d its register ``ρ + Φ d``. The source lane is ``M d + B ρ`` with
``M = A + B Φ``. In the first case Φ is chosen so that M = I: lanes exchange with lane d ⊕ Bρ, and rounds with Bρ = 0 need
no shuffle. In the second case it is chosen so that M is invertible, which is possible because [A B] has full rank: then
every round is a permutation of the lanes. What a lane publishes in round ρ is register ``s(ρ) + F lane``; so one
lane-dependent XOR of register numbers before (F) and one after (Φ) make every shuffle name fixed registers. An XOR of
register numbers by rank-k functions of the lane is k rounds of conditional swaps.

Elements narrower than 32 bits travel together where both layouts hold them in registers of one lane.
"""

from __future__ import annotations

import numpy as np

from tracea_core.data import Data
from tracea_core.semantic.distributed import Distributed
from tracea_core.semantic.gf2 import Integers, Matrix

WORD_BYTES = 4
"""What one shuffle moves between two lanes (PTX ISA, shfl.sync: 32 bits; AMD ds_bpermute_b32 likewise)."""


class Round(Data, frozen=True):
    """One word for every lane: lane d takes register `source` of lane ``lane_map · d ⊕ lane_xor`` into register `target`."""

    source: int
    target: int
    lane_xor: int


class LanePlan(Data, frozen=True):
    """A conversion without shared memory.

    Attributes
    ----------
    before, after : Matrix
        From the lane number to what register numbers are XORed with, before and after the rounds.
    lane_map : Matrix
        From the lane number to the lane within the wave that is read, up to each round's `lane_xor`.
    wave_bits : int
        Bits of the lane number that lie within a wave.
    rounds : tuple of Round
        One for each word of a lane. Register numbers are bits as in `Distributed.register`.
    word : tuple of (int, int)
        (source, target) register bits that are XORed to a round's for each element of its word; the first is (0, 0).
    """

    before: Matrix
    after: Matrix
    lane_map: Matrix
    wave_bits: int
    rounds: tuple[Round, ...]
    word: tuple[tuple[int, int], ...] = ((0, 0),)

    @property
    def stays(self) -> bool:
        """Whether lanes exchange by XOR: ``lane_map`` is the identity on a wave."""
        return self.lane_map == Matrix(self.wave_bits, _identity(self.wave_bits, len(self.lane_map.columns)))

    @property
    def shuffles(self) -> int:
        """Shuffles of one block; rounds in which every lane reads itself need none."""
        return sum(1 for step in self.rounds if step.lane_xor or not self.stays)

    @property
    def selects(self) -> int:
        """Conditional moves of one block: one per register and independent function of the lane."""
        return self.before.rank() * (1 << self.before.rows) + self.after.rank() * (1 << self.after.rows)

    @property
    def renames(self) -> bool:
        """Whether registers only get other names: nothing is executed."""
        return not self.shuffles and not self.selects

    def run(self, lanes: Integers, held: Integers, source: Distributed, target: Distributed) -> Integers:
        """Carry the plan out on the registers of one block.

        Parameters
        ----------
        lanes : array of int64, shape (lanes,)
            Lane numbers.
        held : array, shape (lanes, 2^source bits)
            What each lane holds, by the bits of the register number within the block.

        Returns
        -------
        array, shape (lanes, 2^target bits)
            What each lane holds afterwards.
        """
        every = np.arange(1 << len(source.registers))
        sent = held[lanes[:, None], every ^ self.before.apply(lanes)[:, None]]
        result = np.zeros((len(lanes), 1 << len(target.registers)), held.dtype)
        own_wave = lanes >> self.wave_bits << self.wave_bits
        for step in self.rounds:
            reads = own_wave | (self.lane_map.apply(lanes) ^ step.lane_xor)
            for from_register, to_register in self.word:
                result[:, step.target ^ to_register] = sent[reads, step.source ^ from_register]
        out = np.arange(1 << len(target.registers))
        arrived: Integers = result[lanes[:, None], out ^ self.after.apply(lanes)[:, None]]
        return arrived


def _identity(wave_bits: int, columns: int) -> tuple[int, ...]:
    return tuple(1 << i if i < wave_bits else 0 for i in range(columns))


def common_directions(source: Distributed, target: Distributed) -> tuple[tuple[int, int], ...]:
    """Return independent (source, target) register directions that move by the same elements: what a lane keeps together."""
    ours = len(source.registers)
    joint = source.register_map.beside(target.register_map)
    found: list[tuple[int, int]] = []
    images: list[int] = []
    for vector in joint.kernel():
        pair = (vector & ((1 << ours) - 1), vector >> ours)
        image = target.register_map.apply(pair[1])
        if image and Matrix(target.bits, (*images, image)).is_injective():
            found.append(pair)
            images.append(image)
    return tuple(found)


def lane_plan(source: Distributed, target: Distributed, wave: int, element_bytes: int) -> LanePlan | None:
    """Return the conversion with the fewest shuffles, None if elements have to leave their wave (or are published twice).

    Both fragments have the same lanes and blocks.
    """
    wave_bits = min(wave.bit_length() - 1, len(source.lanes))
    words = common_directions(source, target)[: max(WORD_BYTES // element_bytes, 1).bit_length() - 1]
    basis = _complete([pair[1] for pair in words], len(target.registers))
    moves = _Moves(source, target, wave_bits)
    register_moves = [(pair[0], 0) for pair in words]
    for direction in basis[len(words) :]:
        move = moves.solve(target.register_map.apply(direction), None)
        if move is None:
            return None
        register_moves.append(move)
    lane_moves = [moves.solve(image, j) for j, image in enumerate(target.lanes)]
    if any(move is None for move in lane_moves):
        return None
    placed = [move for move in lane_moves if move is not None]
    return _arrange(
        e=Matrix(len(source.registers), tuple(move[0] for move in register_moves)),
        b=Matrix(wave_bits, tuple(move[1] for move in register_moves)),
        d=Matrix(len(source.registers), tuple(move[0] for move in placed)),
        a=Matrix(wave_bits, tuple(move[1] for move in placed)),
        basis=Matrix(len(target.registers), tuple(basis)),
        words=len(words),
    )


def _complete(vectors: list[int], bits: int) -> list[int]:
    """Extend independent vectors by unit vectors to a basis."""
    basis = list(vectors)
    for i in range(bits):
        if Matrix(bits, (*basis, 1 << i)).is_injective():
            basis.append(1 << i)
    return basis


class _Moves:
    """Finds where an element is in the source: in the same lane if it is there, else elsewhere in the wave."""

    def __init__(self, source: Distributed, target: Distributed, wave_bits: int) -> None:
        self.source, self.wave_bits = source, wave_bits
        self.registers = source.register_map
        self.reachable = self.registers.beside(Matrix(source.bits, source.lanes[:wave_bits]))

    def solve(self, image: int, lane: int | None) -> tuple[int, int] | None:
        """Return (register bits, lane bits within the wave) of the element that a register or lane bit moves by `image`."""
        own = 0 if lane is None else self.source.lanes[lane]
        found = self.registers.solve(image ^ own)
        if found is not None:
            inside = lane is not None and lane < self.wave_bits
            return found, 1 << lane if inside and lane is not None else 0
        beyond = own if lane is not None and lane >= self.wave_bits else 0
        other = self.reachable.solve(image ^ beyond)
        if other is None:
            return None
        bits = len(self.source.registers)
        return other & ((1 << bits) - 1), other >> bits


def _arrange(e: Matrix, b: Matrix, d: Matrix, a: Matrix, basis: Matrix, words: int) -> LanePlan | None:
    """Choose Φ and spell the rounds out; see the module's text."""
    wave_bits, lanes = a.rows, len(a.columns)
    free = len(e.columns) - words
    outer = Matrix(wave_bits, b.columns[words:])
    phi = _phi(a, outer, Matrix(d.rows, d.columns), Matrix(e.rows, e.columns[words:]))
    if phi is None:
        return None
    lifted = Matrix(len(e.columns), tuple(column << words for column in phi.columns))
    m = _add(a, b @ lifted)
    g = _add(d, e @ lifted)
    inner = m.select_columns(range(wave_bits))
    f_wave = _through(inner, g.select_columns(range(wave_bits)))
    if f_wave is None:
        return None
    beyond = tuple(f_wave.apply(m.columns[j]) ^ g.columns[j] for j in range(wave_bits, lanes))
    rounds = []
    for number in range(1 << free):
        place = number << words
        lane_xor = b.apply(place)
        rounds.append(Round(e.apply(place) ^ f_wave.apply(lane_xor), basis.apply(place), lane_xor))
    pairs = zip(_subsets(e.columns[:words]), _subsets(basis.columns[:words]), strict=True)
    before = Matrix(e.rows, f_wave.columns + beyond)
    return LanePlan(before, basis @ lifted, m, wave_bits, tuple(rounds), tuple(pairs))


def _subsets(vectors: tuple[int, ...]) -> tuple[int, ...]:
    """Return the XOR of every subset, subset number i taking the vectors of the bits set in i."""
    every = Matrix(max((v.bit_length() for v in vectors), default=0), vectors)
    return tuple(every.apply(i) for i in range(1 << len(vectors)))


def _add(first: Matrix, second: Matrix) -> Matrix:
    return Matrix(first.rows, tuple(x ^ y for x, y in zip(first.columns, second.columns, strict=True)))


def _phi(a: Matrix, b: Matrix, d: Matrix, e: Matrix) -> Matrix | None:
    """Return Φ with ``A + B Φ`` the identity if there is one, else one that makes it as good as invertible, else None."""
    wave_bits, lanes = a.rows, len(a.columns)
    wanted = _identity(wave_bits, lanes)
    found = [b.solve(column ^ unit) for column, unit in zip(a.columns, wanted, strict=True)]
    exact = [solution for solution in found if solution is not None]
    if len(exact) == lanes:
        return Matrix(len(b.columns), tuple(exact))
    inner = a.select_columns(range(wave_bits))
    kernel = list(inner.kernel())
    basis = _complete(kernel, wave_bits)
    image = [inner.apply(vector) for vector in basis[len(kernel) :]]
    chosen = []
    for vector in kernel:
        if d.select_columns(range(wave_bits)).apply(vector) == 0:
            chosen.append(0)  # lanes that want the same word may read the same lane
            continue
        best = next(
            (1 << i for i, column in enumerate(b.columns) if Matrix(wave_bits, (*image, column)).is_injective()), None
        )
        if best is None:
            return None
        chosen.append(best)
        image.append(b.apply(best))
    on_basis = Matrix(len(b.columns), (*chosen, *((0,) * (wave_bits - len(kernel)))))
    within = on_basis @ Matrix(wave_bits, tuple(basis)).inverse()
    return Matrix(len(b.columns), (*within.columns, *((0,) * (lanes - wave_bits))))


def _through(m: Matrix, g: Matrix) -> Matrix | None:
    """Return F with ``F M = G``, None if there is none (two lanes want different registers of one lane at once)."""
    for vector in m.kernel():
        if g.apply(vector):
            return None
    images: list[int] = []
    values: list[int] = []
    for column, value in zip(m.columns, g.columns, strict=True):
        if Matrix(m.rows, (*images, column)).is_injective():
            images.append(column)
            values.append(value)
    basis = _complete(images, m.rows)
    padded = Matrix(g.rows, (*values, *((0,) * (len(basis) - len(values)))))
    return padded @ Matrix(m.rows, tuple(basis)).inverse()
