# SPDX-License-Identifier: MIT
"""The loop that multiplies, in assembly that LLVM writes for x86-64 and AArch64, and what it reads and writes of the stack."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MULTIPLY = re.compile(
    r"\t(vfmadd\d+[ps][sd]|fmla(\.[24][sd])?|mla(\.4s)?|vpmulld|vpdpbusd|vdpbf16ps|vpmaddwd|tdpb\w+)\s"
)
_FRAMES = {"(%rbp": re.compile(r"\tmovq\t%rsp, %rbp"), "[x29": re.compile(r"\t(mov|add)\tx29, sp\b")}
"""Registers that hold the stack's address where a function begins by putting it there, and anything else where it does not."""
_STACK = re.compile(r"\(%rsp\b|\[sp\b")
_BOUND = re.compile(r"\tcmpq\t")
_ADDRESS = re.compile(
    r"\t(((movq|addq|imulq)\t-?\d*\(%r[sb]p\), %r\w+)|(movq\t%r\w+, -?\d*\(%r[sb]p\))"
    r"|((ldr|str)\tx\d+|(ldp|stp)\tx\d+, x\d+), \[(sp|x29)(, #-?\d+)?\])$"
)


@dataclass(frozen=True)
class MainLoop:
    """The basic block with the most multiply-adds.

    Attributes
    ----------
    lines : tuple of str
        Its instructions.
    multiplies : int
        How many of them multiply.
    stack : tuple of str
        Those that read or write the stack. The loop's bound may be compared where it lies: once a round, in no instruction's way.
    """

    lines: tuple[str, ...]
    multiplies: int
    stack: tuple[str, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """Those that move an address, or what one is made of, between a general register and its place on the stack."""
        return tuple(line for line in self.stack if _ADDRESS.match(line))

    @property
    def spills(self) -> tuple[str, ...]:
        """The others: sums, operands and products, put away or fetched again."""
        return tuple(line for line in self.stack if not _ADDRESS.match(line))


def main_loop(text: str) -> MainLoop:
    """Return the main loop of a kernel's assembly."""
    blocks = re.split(r"^(?=\.?L\w+:)", text, flags=re.MULTILINE)
    best = max(blocks, key=lambda block: len(_MULTIPLY.findall(block)))
    lines = tuple(line for line in best.splitlines() if re.match(r"\t[a-z]", line))
    frames = [name for name, begun in _FRAMES.items() if begun.search(text)]
    touched = (line for line in lines if _STACK.search(line) or any(name in line for name in frames))
    stack = tuple(line for line in touched if not _BOUND.match(line))
    return MainLoop(lines, len(_MULTIPLY.findall(best)), stack)
