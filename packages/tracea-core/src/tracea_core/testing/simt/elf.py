# SPDX-License-Identifier: MIT
"""Reads what the emulator needs from a shared library: its symbols, and the source line of each instruction.

No tool that may be missing is asked. Only what the compiler is told to write is understood: 64-bit little-endian ELF, line tables
of DWARF 4.

Source: the System V gABI, chapter 4 "Object Files"; DWARF Debugging Information Format version 4, section 6.2.
"""

from __future__ import annotations

import bisect
import itertools
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tracea_core.errors import CompileError
from tracea_core.testing.simt.inlined import Call, inlined_calls


class Place(NamedTuple):
    """A line of a source file; line 0 is unknown."""

    file: str
    line: int


NOWHERE = Place("", 0)
_NEAR = 64  # bytes of code


class SharedObject:
    """The content of a shared library.

    Parameters
    ----------
    content : bytes
        The file.

    Raises
    ------
    CompileError
        If it is not a 64-bit little-endian ELF file.
    """

    def __init__(self, content: bytes) -> None:
        self._bytes = content
        if content[:6] != b"\x7fELF\x02\x01":
            raise CompileError("the compiled kernel is no 64-bit little-endian ELF file")
        self._sections = self._read_sections()

    def _read_sections(self) -> dict[str, tuple[int, int, int]]:
        (offset,) = struct.unpack_from("<Q", self._bytes, 40)
        size, count, names = struct.unpack_from("<HHH", self._bytes, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self._bytes, offset + i * size) for i in range(count)]
        strings = headers[names][4]
        return {self._string(strings + header[0]): (header[4], header[5], header[6]) for header in headers}

    def _string(self, at: int) -> str:
        return self._bytes[at : self._bytes.index(b"\0", at)].decode()

    def section(self, name: str) -> bytes:
        """Return the bytes of a section, none if there is no such section."""
        offset, size, _ = self._sections.get(name, (0, 0, 0))
        return self._bytes[offset : offset + size]

    def symbols(self) -> Iterator[tuple[str, int]]:
        """Return the (name, address) of every symbol, local ones included, in the order of their addresses."""
        table, strings = self.section(".symtab"), self._sections[".strtab"][0]
        found = []
        for at in range(0, len(table), 24):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", table, at)
            if section:
                found.append((value, self._string(strings + name)))
        return ((name, value) for value, name in sorted(found))

    def lines(self) -> Lines:
        """Return the table of source lines."""
        calls = inlined_calls(*(self.section(f".debug_{name}") for name in ("info", "abbrev", "ranges")))
        return Lines(self.section(".debug_line"), tuple(calls))


class Lines:
    """From the address of an instruction to the line of the source it came from."""

    def __init__(self, table: bytes, calls: Sequence[Call]) -> None:
        rows: list[tuple[int, Place]] = []
        self._files: dict[int, list[str]] = {}
        at = 0
        while at < len(table):
            length = int.from_bytes(table[at : at + 4], "little")
            program = _Program(table[at + 4 : at + 4 + length])
            self._files[at] = program.files
            rows += program.rows()
            at += 4 + length
        rows.sort(key=lambda row: row[0])
        self._addresses = [address for address, _ in rows]
        self._places = [place for _, place in rows]
        self._begins, self._around = _segments(calls)

    def at(self, address: int) -> list[Place]:
        """Return the line of the instruction that covers `address`, and the lines of the calls inlined around it, outwards."""
        index = bisect.bisect_right(self._addresses, address) - 1
        while index > 0 and not self._places[index].line and self._addresses[index - 1] + _NEAR > address:
            index -= 1  # code that serves several lines at once has none of its own
        innermost = self._places[index] if index >= 0 else NOWHERE
        segment = bisect.bisect_right(self._begins, address) - 1
        around = self._around[segment] if segment >= 0 else ()
        return [innermost, *(Place(self._files[call.unit_lines][call.file], call.line) for call in around)]


def _segments(calls: Sequence[Call]) -> tuple[list[int], list[tuple[Call, ...]]]:
    """Return where the set of inlined calls around an instruction changes, in order, and each set from there on, innermost first."""
    events: list[tuple[int, int, int]] = []
    for number, call in enumerate(calls):
        for begin, end in call.ranges:
            if begin < end:
                events += [(begin, 1, number), (end, -1, number)]
    open_, begins, around = [0] * len(calls), [], []
    now: set[int] = set()
    for address, group in itertools.groupby(sorted(events), key=lambda event: event[0]):
        for _, step, number in group:
            open_[number] += step
            (now.add if open_[number] else now.discard)(number)
        begins.append(address)
        around.append(tuple(sorted((calls[number] for number in now), key=lambda call: -call.depth)))
    return begins, around


class _Program:
    """One line-number program: a header, then opcodes of a small machine that emits rows."""

    def __init__(self, unit: bytes) -> None:
        self._unit = unit
        version, header_length = struct.unpack_from("<HI", unit, 0)
        if not 2 <= version <= 4:
            raise CompileError(f"line tables of DWARF {version} are not understood", hint="Compile with -gdwarf-4")
        at = 8 if version == 4 else 7  # DWARF 4 adds the operations per instruction, 1 on CPUs
        self._minimum = unit[6]
        self._line_base = int.from_bytes(unit[at + 1 : at + 2], "little", signed=True)
        self._line_range, self._opcode_base = unit[at + 2], unit[at + 3]
        self._operands = unit[at + 4 : at + 3 + self._opcode_base]
        self._at = at + 3 + self._opcode_base
        self.files = self._read_files()
        self._at = 6 + int(header_length)

    def _text(self) -> str:
        end = self._unit.index(b"\0", self._at)
        text = self._unit[self._at : end].decode()
        self._at = end + 1
        return text

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._unit[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _signed(self) -> int:
        begin = self._at
        value = self._unsigned()
        bits = 7 * (self._at - begin)
        return value - (1 << bits) if value >> (bits - 1) else value

    def _read_files(self) -> list[str]:
        folders = [""]
        while folder := self._text():
            folders.append(folder)
        files = [""]
        while name := self._text():
            folder = folders[self._unsigned()]
            self._unsigned()
            self._unsigned()
            files.append(str(Path(folder) / name))
        return files

    def rows(self) -> Iterator[tuple[int, Place]]:
        """Run the program."""
        address, file, line = 0, 1, 1
        while self._at < len(self._unit):
            opcode = self._unit[self._at]
            self._at += 1
            if opcode >= self._opcode_base:
                step = opcode - self._opcode_base
                address += step // self._line_range * self._minimum
                line += self._line_base + step % self._line_range
                yield address, Place(self.files[file], line)
            elif opcode == 0:
                length = self._unsigned()
                end, kind = self._at + length, self._unit[self._at]
                if kind == 1:  # end of a sequence
                    yield address, NOWHERE
                    address, file, line = 0, 1, 1
                elif kind == 2:
                    address = int.from_bytes(self._unit[self._at + 1 : self._at + 9], "little")
                self._at = end
            elif opcode == 1:
                yield address, Place(self.files[file], line)
            elif opcode == 2:
                address += self._unsigned() * self._minimum
            elif opcode == 3:
                line += self._signed()
            elif opcode == 4:
                file = self._unsigned()
            elif opcode == 8:
                address += (255 - self._opcode_base) // self._line_range * self._minimum
            elif opcode == 9:
                address += int.from_bytes(self._unit[self._at : self._at + 2], "little")
                self._at += 2
            else:  # columns and marks, of no interest here
                for _ in range(self._operands[opcode - 1]):
                    self._unsigned()
