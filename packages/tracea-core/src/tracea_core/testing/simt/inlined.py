# SPDX-License-Identifier: MIT
"""Which calls were inlined around an instruction: from a line of a helper out to the line of the kernel that used it.

Source: DWARF Debugging Information Format version 4, sections 2.17 (address ranges), 3.3.8 (inlined subroutines), 7.5 (entries, forms).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from tracea_core.errors import CompileError

_INLINED, _UNIT = 0x1D, 0x11
_LOW, _HIGH, _RANGES, _STATEMENTS, _CALL_FILE, _CALL_LINE = 0x11, 0x12, 0x55, 0x10, 0x58, 0x59
_FIXED = {
    0x01: 8,
    0x05: 2,
    0x06: 4,
    0x07: 8,
    0x0B: 1,
    0x0C: 1,
    0x0E: 4,
    0x10: 4,
    0x11: 1,
    0x12: 2,
    0x13: 4,
    0x14: 8,
    0x17: 4,
    0x20: 8,
}
_LEB = (0x0D, 0x0F, 0x15)
_BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4}
_PRESENT, _STRING, _EXPRESSION = 0x19, 0x08, 0x18
_ADDRESS_FORM = 0x01


class Call(NamedTuple):
    """An inlined call: the address ranges of its body, where it was called (file number of the unit's line table, line), its depth."""

    ranges: tuple[tuple[int, int], ...]
    unit_lines: int
    file: int
    line: int
    depth: int


class _Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def fixed(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def skip(self, size: int) -> None:
        self.at += size

    def leb(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value


_Abbreviation = tuple[int, bool, tuple[tuple[int, int], ...]]


def _abbreviations(data: bytes, at: int) -> dict[int, _Abbreviation]:
    reader, found = _Reader(data, at), {}
    while code := reader.leb():
        tag, children = reader.leb(), bool(reader.fixed(1))
        attributes = []
        while (pair := (reader.leb(), reader.leb())) != (0, 0):
            attributes.append(pair)
        found[code] = (tag, children, tuple(attributes))
    return found


def _value(reader: _Reader, form: int) -> int:
    if form in _FIXED:
        return reader.fixed(_FIXED[form])
    if form in _LEB:
        return reader.leb()
    if form in _BLOCKS:
        reader.skip(reader.fixed(_BLOCKS[form]))
        return 0
    if form == _EXPRESSION:
        reader.skip(reader.leb())
        return 0
    if form == _PRESENT:
        return 1
    if form == _STRING:
        reader.at = reader.data.index(b"\0", reader.at) + 1
        return 0
    raise CompileError(f"debugging information has a form {form:#x} that DWARF 4 does not know")


def inlined_calls(info: bytes, abbreviations: bytes, ranges: bytes) -> Iterator[Call]:
    """Yield every inlined call of the sections ``.debug_info``, ``.debug_abbrev`` and ``.debug_ranges``.

    Raises
    ------
    CompileError
        If the information is not DWARF 4.
    """
    at = 0
    while at < len(info):
        length, version, table, _ = struct.unpack_from("<IHIB", info, at)
        if version != 4:
            raise CompileError(
                f"debugging information of DWARF {version} is not understood", hint="Compile with -gdwarf-4"
            )
        yield from _unit(info[: at + 4 + length], at + 11, _abbreviations(abbreviations, table), ranges)
        at += 4 + length


def _unit(info: bytes, at: int, table: dict[int, _Abbreviation], ranges: bytes) -> Iterator[Call]:
    reader, depth, unit_lines, base = _Reader(info, at), 0, 0, 0
    while reader.at < len(info):
        code = reader.leb()
        if not code:
            depth -= 1
            continue
        tag, children, attributes = table[code]
        values = {name: (_value(reader, form), form) for name, form in attributes}
        low = values.get(_LOW, (0, 0))[0]
        if tag == _UNIT:
            unit_lines, base = values.get(_STATEMENTS, (0, 0))[0], low
        if tag == _INLINED:
            yield Call(
                _covered(values, ranges, base), unit_lines, values.get(_CALL_FILE, (0, 0))[0], values.get(_CALL_LINE, (0, 0))[0], depth
            )  # fmt: skip
        depth += children


def _covered(values: dict[int, tuple[int, int]], ranges: bytes, base: int) -> tuple[tuple[int, int], ...]:
    if _RANGES in values:
        return tuple(_listed(ranges, values[_RANGES][0], base))
    low = values.get(_LOW, (0, 0))[0]
    high, form = values.get(_HIGH, (0, 0))
    return ((low, high if form == _ADDRESS_FORM else low + high),)


def _listed(ranges: bytes, at: int, base: int) -> Iterator[tuple[int, int]]:
    while True:
        begin, end = struct.unpack_from("<QQ", ranges, at)
        at += 16
        if (begin, end) == (0, 0):
            return
        if begin == (1 << 64) - 1:
            base = end
        else:
            yield base + begin, base + end
