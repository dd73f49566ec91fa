# SPDX-License-Identifier: MIT
"""Elements in a thread's registers: each in one of its own, or several packed in a 32-bit word, lowest bits first."""

from __future__ import annotations

from tracea_core.emit.c import algebra
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Packed


def read(packed: Packed, register: Term) -> str:
    """Return the stored value in a register."""
    if packed.per_word == 1:
        return f"{packed.name}[{register.text}]"
    word, position, bits = _place(packed, register)
    return f"part{bits}({packed.name}[{word}], {position})"


def written(packed: Packed, register: Term, value: str) -> str:
    """Return the statement that puts a stored value into a register."""
    if packed.per_word == 1:
        return f"{packed.name}[{register.text}] = {value};"
    word, position, bits = _place(packed, register)
    return f"{packed.name}[{word}] = with{bits}({packed.name}[{word}], {position}, {value});"


def written_half(packed: Packed, register: Term, value: str) -> str:
    """Return the statement that puts 16 bits, two bytes side by side, into registers from `register` on."""
    if packed.per_word == 1:  # bytes that fill no word are held one by one
        second = algebra.add(register, algebra.number(1)).text
        name = packed.name
        return f"{{ const int pair = {value}; {name}[{register.text}] = pair & 0xff; {name}[{second}] = pair >> 8; }}"
    word, position, _ = _place(packed, register)
    return f"{packed.name}[{word}] = with16({packed.name}[{word}], {position}, {value});"


def _place(packed: Packed, register: Term) -> tuple[str, str, int]:
    """The word of a packed element, its first bit there, and how many it has."""
    bits = 32 // packed.per_word
    word = algebra.divide(register, algebra.number(packed.per_word))
    position = algebra.field(register, 0, packed.per_word.bit_length() - 1, bits.bit_length() - 1)
    return word.text, position.text, bits
