# SPDX-License-Identifier: MIT
"""The main loop of a compiled kernel, read from its disassembly: how dense matrix instructions stand, and what they cost in LDS traffic.

Of all loops (a branch backwards to a line that no other loop's branch lies between), the main one holds most matrix instructions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tracea_core.data import Data
from tracea_core.errors import BackendUnavailableError, CompileError

from tracea_hip.compile import ELF

_LINE = re.compile(r"^\s+(\S+)\s.*?//\s*([0-9A-Fa-f]+):(.*)")
_MATRIX = re.compile(r"v_(s?mfmac?|wmma|swmmac)_")
_SHARED = re.compile(r"ds_(?:read|load)(2?)(?:st64)?_(?:tr\w*_)?[bu](\d+)")
_TARGET = re.compile(r"<[^>]*\+0x([0-9A-Fa-f]+)>")
_OBJDUMPS = (*(f"llvm-objdump-{version}" for version in range(30, 16, -1)), "llvm-objdump")


class MainLoop(Data, frozen=True):
    """What one trip through the loop executes: all instructions, matrix instructions, bytes that a lane reads from LDS."""

    instructions: int
    matrix_instructions: int
    shared_bytes_of_lane: int
    waits: int

    @property
    def density(self) -> float:
        """Matrix instructions for each instruction of the loop."""
        return self.matrix_instructions / self.instructions

    @property
    def shared_bytes(self) -> float:
        """Bytes that a lane reads from LDS for each matrix instruction."""
        return self.shared_bytes_of_lane / self.matrix_instructions

    def describe(self) -> str:
        """Return one line for people."""
        return (
            f"{self.matrix_instructions} matrix instructions of {self.instructions} ({self.density:.3f}), {self.shared_bytes:.1f} "
            f"bytes of LDS a lane for each, {self.waits} waits"
        )


def disassemble(code: bytes) -> str:
    """Return llvm-objdump's text of a code object.

    Raises
    ------
    BackendUnavailableError
        If there is no llvm-objdump.
    """
    program = next(filter(None, map(shutil.which, _OBJDUMPS)), None)
    if program is None:
        raise BackendUnavailableError("no llvm-objdump is on the path", hint="Install LLVM's tools", backend="hip")
    with tempfile.TemporaryDirectory(prefix="tracea-hip-") as scratch:
        path = Path(scratch) / "kernel.hsaco"
        path.write_bytes(code[max(code.find(ELF), 0) :])
        done = subprocess.run([program, "-d", str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(f"llvm-objdump does not read the code object: {done.stderr[:500]}")
    return done.stdout


def main_loop(text: str) -> MainLoop:
    """Return the innermost loop with most matrix instructions.

    Raises
    ------
    CompileError
        If no loop holds any.
    """
    listed = [found.groups() for line in text.splitlines() if (found := _LINE.match(line))]
    places = [int(place, 16) for _, place, _ in listed]
    at = {place: number for number, place in enumerate(places)}
    loops: list[tuple[int, int]] = []
    for number, (name, _, rest) in enumerate(listed):
        if name.startswith(("s_cbranch", "s_branch")) and (target := _TARGET.search(rest)):
            begin = at.get(places[0] + int(target[1], 16), number + 1)
            if begin <= number:
                loops.append((begin, number + 1))
    innermost = [loop for loop in loops if not any(o != loop and loop[0] <= o[0] and o[1] <= loop[1] for o in loops)]
    counted = [_count([name for name, _, _ in listed[slice(*loop)]]) for loop in innermost]
    best = max(counted, key=lambda loop: loop.matrix_instructions, default=None)
    if best is None or not best.matrix_instructions:
        raise CompileError("no loop of the kernel holds matrix instructions")
    return best


def _count(names: list[str]) -> MainLoop:
    reads = [found for name in names if (found := _SHARED.match(name))]
    return MainLoop(
        len(names),
        sum(bool(_MATRIX.match(name)) for name in names),
        sum(int(found[2]) // 8 * (2 if found[1] else 1) for found in reads),
        sum(name.startswith("s_wait") for name in names),
    )
