# SPDX-License-Identifier: MIT
"""Turning square blocks in registers: lanes along one axis become lanes along the other, by two-operand shuffles.

Halves are exchanged between registers, then quarters, down to four lanes, where interleaving takes the rest; for 8 lanes of 4 bytes
these are vinsertf128/vperm2f128, vunpcklps and vunpcklpd on AVX2, and zip and trn on NEON: log2(lanes) shuffles a register.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tracea_core.emit.registers import registers
from tracea_core.errors import EmitError
from tracea_core.semantic.fragment import FragmentLayout

_INTERLEAVED_LANES = 4
_WIDE_BYTES = 8  # two lanes of eight bytes fill 128 bits, within which interleaving is one instruction

Shuffle: TypeAlias = Callable[[str, str, Sequence[int]], str]
"""Prints one shuffle of two registers, whose lanes are counted through, and returns its result."""


def turn(
    shuffle: Shuffle, held: Sequence[str], source: FragmentLayout, target: FragmentLayout, element_bytes: int
) -> tuple[str, ...]:
    """Call for the shuffles and return the registers of `target`, which holds the matrix that `held` holds as `source`.

    Raises
    ------
    EmitError
        If the fragments do not consist of square blocks.
    """
    lanes = target.lanes
    places = {(register.columns, register.rows): value for register, value in zip(registers(source), held, strict=True)}
    wanted = {(r.rows[0], r.columns[0]): number for number, r in enumerate(registers(target))}
    result = [""] * target.registers
    for row, column in sorted(wanted):
        if row % lanes:
            continue
        try:
            block = [places[(column + i,) * lanes, tuple(range(row, row + lanes))] for i in range(lanes)]
            numbers = [wanted[row + i, column] for i in range(lanes)]
        except KeyError:
            raise EmitError("a fragment is turned in square blocks of its lanes", shape=target.shape) from None
        for number, value in zip(numbers, _turn_block(shuffle, block, element_bytes), strict=True):
            result[number] = value
    if "" in result:
        raise EmitError("a fragment is turned in square blocks of its lanes", shape=target.shape)
    return tuple(result)


def _turn_block(shuffle: Shuffle, block: list[str], element_bytes: int) -> list[str]:
    lanes = len(block)
    distance = lanes // 2
    smallest = _INTERLEAVED_LANES if element_bytes < _WIDE_BYTES and lanes >= _INTERLEAVED_LANES else 1
    while distance >= smallest:
        block = _exchange(shuffle, block, distance)
        distance //= 2
    if distance >= 1:
        block = _interleave(shuffle, block)
    return block


def _exchange(shuffle: Shuffle, block: list[str], distance: int) -> list[str]:
    """Exchange the upper part of each register with the lower part of the one `distance` further on."""
    lanes = len(block)
    lower = [i if not i & distance else lanes + i - distance for i in range(lanes)]
    upper = [i + distance if not i & distance else lanes + i for i in range(lanes)]
    result = list(block)
    for i in range(lanes):
        if not i & distance:
            result[i] = shuffle(block[i], block[i + distance], lower)
            result[i + distance] = shuffle(block[i], block[i + distance], upper)
    return result


def _interleave(shuffle: Shuffle, block: list[str]) -> list[str]:
    """Turn the 4 × 4 blocks that are left: neighbours are interleaved, then pairs of lanes are joined."""
    lanes = len(block)

    def pattern(four: tuple[int, int, int, int]) -> list[int]:
        return [four[i % 4] % 4 + (lanes if four[i % 4] >= 4 else 0) + i // 4 * 4 for i in range(lanes)]

    low, high = pattern((0, 4, 1, 5)), pattern((2, 6, 3, 7))
    first, second = pattern((0, 1, 4, 5)), pattern((2, 3, 6, 7))
    result = list(block)
    for start in range(0, lanes, 4):
        a, b, c, d = block[start : start + 4]
        ab, cd = shuffle(a, b, low), shuffle(c, d, low)
        result[start] = shuffle(ab, cd, first)
        result[start + 1] = shuffle(ab, cd, second)
        ab, cd = shuffle(a, b, high), shuffle(c, d, high)
        result[start + 2] = shuffle(ab, cd, first)
        result[start + 3] = shuffle(ab, cd, second)
    return result
