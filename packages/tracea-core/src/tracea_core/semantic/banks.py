# SPDX-License-Identifier: MIT
"""Shared-memory bank conflicts, counted by simulation and by a rank formula that must agree.

Shared memory has `banks` banks of `bank_bytes`; byte address x lies in word ``x // bank_bytes``, and word w in bank
``w % banks``. One access of all lanes is served in phases of as many lanes as fill the banks once (32 lanes of 4
bytes, 16 of 8, 8 of 16 on NVIDIA). Within a phase each bank serves one word per cycle; lanes that want the same word
share it. So a phase takes as many cycles as the busiest bank has distinct words: its degree, 1 without conflict.

Where the map from lane bits to address bits is linear over GF(2), every touched bank has equally many words: the words
touched are 2^rank(word rows), the banks 2^rank(bank rows), so the degree is 2 to the difference of the ranks.

>>> columns_of_a_row_major_tile = Matrix(12, tuple(1 << (7 + i) for i in range(5)))  # 32 lanes, 128 bytes apart
>>> rank_degree(columns_of_a_row_major_tile, width=4)
32
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.gf2 import Matrix, as_integers


class Conflicts(Data, frozen=True):
    """What one access costs.

    Attributes
    ----------
    degrees : tuple of int
        Cycles of each phase; 1 is conflict-free.
    """

    degrees: tuple[int, ...]

    @property
    def phases(self) -> int:
        """Cycles that the access would take without conflicts."""
        return len(self.degrees)

    @property
    def cycles(self) -> int:
        """Cycles that it takes."""
        return sum(self.degrees)

    @property
    def conflicts(self) -> int:
        """Extra cycles, as profilers count bank conflicts."""
        return self.cycles - self.phases

    @property
    def worst(self) -> int:
        """Cycles of the worst phase."""
        return max(self.degrees, default=0)

    @property
    def free(self) -> bool:
        """Whether no phase has a conflict."""
        return self.conflicts == 0


class BankConflictSimulator(Data, frozen=True):
    """Counts the conflicts of accesses to shared memory with `banks` banks of `bank_bytes` bytes.

    The phases are what vendors and measurements report: NVIDIA serves 16-byte accesses by quarter warps and 8-byte
    ones by half warps (CUDA C++ Programming Guide, section "Shared Memory"); AMD's gfx950 serves 16 bytes of 64 lanes
    in 4 phases.

    >>> rows_of_128_bytes = [128 * lane for lane in range(32)]
    >>> BankConflictSimulator().access(rows_of_128_bytes, width=16).degrees
    (8, 8, 8, 8)
    """

    banks: int = 32
    bank_bytes: int = 4

    def __post_init__(self) -> None:
        for value in (self.banks, self.bank_bytes):
            if value < 1 or value & (value - 1):
                raise ConfigurationError(
                    "bank counts and widths are powers of two", banks=self.banks, bank_bytes=self.bank_bytes
                )

    @property
    def period(self) -> int:
        """Bytes after which the banks repeat."""
        return self.banks * self.bank_bytes

    def lanes_per_phase(self, width: int) -> int:
        """Return how many lanes of `width` bytes one phase serves: the power of two that fits the banks once."""
        if width < 1 or width > self.period:
            raise ConfigurationError(f"a lane cannot access {width} bytes at once", period=self.period)
        return 1 << ((self.period // max(width, self.bank_bytes)).bit_length() - 1)

    def access(self, addresses: npt.ArrayLike, width: int, phases: Sequence[Sequence[int]] | None = None) -> Conflicts:
        """Return the conflicts of one access of `width` bytes per lane.

        Parameters
        ----------
        addresses : array of int
            Byte address of each lane, in lane order; a negative address marks an inactive lane.
        width : int
            Bytes per lane, 1 to the bank period; 3 words (12 bytes) are allowed.
        phases : sequence of sequences of int, optional
            The lanes of each phase, where the hardware does not take them in order.

        Raises
        ------
        ConfigurationError
            If an address is not aligned to the access (to a word for 12 bytes).
        """
        given = as_integers(addresses).ravel()
        alignment = width & -width
        misaligned = given[(given >= 0) & (given % alignment != 0)]
        if misaligned.size:
            raise ConfigurationError(
                f"address {int(misaligned[0])} is not aligned to a {width}-byte access", alignment=alignment
            )
        if phases is None:
            step = self.lanes_per_phase(width)
            phases = [range(first, min(first + step, given.size)) for first in range(0, given.size, step)]
        if all(len(lanes) == len(phases[0]) for lanes in phases):
            return Conflicts(tuple(self._degrees(given[np.array(phases, np.int64).reshape(len(phases), -1)], width)))
        return Conflicts(
            tuple(degree for lanes in phases for degree in self._degrees(given[list(lanes)][None, :], width))
        )

    def wavefronts(self, addresses: npt.ArrayLike, width: int) -> int:
        """Return the cycles of one access as NVIDIA's hardware serves it, all lanes active.

        Of 8- and 16-byte accesses, two phases are served as one if every lane shares its words with the lane beside it, or every lane
        with the one two further: then both together touch no more words than one. Measured, not documented: ``benchmarks.bank_patterns``.

        >>> BankConflictSimulator().wavefronts([0] * 32, width=8), BankConflictSimulator().access([0] * 32, width=8).cycles
        (1, 2)
        """
        given = as_integers(addresses).ravel()
        step, lanes = self.lanes_per_phase(width), np.arange(given.size)
        shared = (
            step < given.size and given.size % 4 == 0 and any((given == given[lanes ^ far]).all() for far in (1, 2))
        )
        step = 2 * step if shared else step
        return self.access(
            given, width, [lanes[first : first + step].tolist() for first in range(0, given.size, step)]
        ).cycles

    def worst(self, addresses: npt.NDArray[np.int64], width: int) -> int:
        """Return the cycles of the worst phase of many accesses, a row of `addresses` for each (see `access`).

        Raises
        ------
        ConfigurationError
            If an address is not aligned to the access.
        """
        alignment = width & -width
        wrong = addresses[(addresses >= 0) & (addresses % alignment != 0)]
        if wrong.size:
            raise ConfigurationError(
                f"address {int(wrong[0])} is not aligned to a {width}-byte access", alignment=alignment
            )
        step = min(self.lanes_per_phase(width), addresses.shape[1])
        if addresses.shape[1] % step:
            return max(self.access(lanes, width).worst for lanes in addresses)
        return max(self._degrees(addresses.reshape(-1, step), width), default=1)

    def _degrees(self, phases: npt.NDArray[np.int64], width: int) -> list[int]:
        """The cycles of each phase: the most distinct words that one bank holds of those it touches."""
        count, lanes = phases.shape
        if not count or not lanes:
            return [1] * count
        words = phases[:, :, None] // self.bank_bytes + np.arange(max(width // self.bank_bytes, 1))
        words[phases < 0] = -1
        words = np.sort(words.reshape(count, -1), axis=1)
        fresh = words >= 0
        fresh[:, 1:] &= words[:, 1:] != words[:, :-1]
        row, place = np.nonzero(fresh)
        used = np.bincount(row * self.banks + words[row, place] % self.banks, minlength=count * self.banks)
        degrees: list[int] = np.maximum(used.reshape(count, self.banks).max(axis=1), 1).tolist()
        return degrees


def _rows(lanes: Matrix, banks: int, bank_bytes: int, width: int) -> tuple[Matrix, Matrix]:
    """Return the (word rows, bank rows) of the lane bits that vary within a phase."""
    if any(value < 1 or value & (value - 1) for value in (banks, bank_bytes, width)):
        raise ConfigurationError(
            "the rank formula needs powers of two", banks=banks, bank_bytes=bank_bytes, width=width
        )
    low, top, chunk = (value.bit_length() - 1 for value in (bank_bytes, banks * bank_bytes, width))
    if any(column & ((1 << chunk) - 1) for column in lanes.columns):
        raise ConfigurationError(f"the lanes' addresses are not aligned to a {width}-byte access")
    varying = min(len(lanes.columns), top - max(chunk, low))
    phase = lanes.select_columns(range(varying))
    words = phase.select_rows(range(min(low, lanes.rows), lanes.rows))
    return words, words.select_rows(range(min(top - low, words.rows)))


def rank_degree(lanes: Matrix, *, banks: int = 32, bank_bytes: int = 4, width: int) -> int:
    """Return the degree of every phase of an access whose byte addresses are a linear map of the lane number.

    Parameters
    ----------
    lanes : Matrix
        From lane bits to byte-address bits. Anything constant (a base address, the phase) only permutes banks by XOR,
        or is a multiple of the bank period, and does not matter.
    banks, bank_bytes, width : int
        Powers of two; `width` is the bytes that each lane accesses.

    Notes
    -----
    degree = 2^(rank(word rows) - rank(bank rows)) over the low lane bits, those that vary within one phase. Source:
    the rank condition of Linear Layouts (arXiv 2505.23819), with lanes that share a word allowed.
    """
    words, in_bank = _rows(lanes, banks, bank_bytes, width)
    return 1 << (words.rank() - in_bank.rank())


def conflict_free_rank(lanes: Matrix, *, banks: int = 32, bank_bytes: int = 4, width: int) -> bool:
    """Return whether such an access has no conflict: the bank rows alone tell all words of a phase apart."""
    return rank_degree(lanes, banks=banks, bank_bytes=bank_bytes, width=width) == 1
