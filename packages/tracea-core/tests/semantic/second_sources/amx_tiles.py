# SPDX-License-Identifier: MIT
"""Write down what LLVM takes the tiles of AMX to hold: a second source for our own maps.

    python amx_tiles.py > amx_tiles.json      # with llvmlite on an x86-64 that need not have AMX

LLVM can lower the instructions on tiles to loops over 32-bit words (X86LowerAMXIntrinsics, `--enable-x86-scalar-amx`). Here these loops
run: a tile of A with a single one and a tile of B with a number in every place show which two places meet, and in which sum. A place is
an element of a word, a word of a row, a row. No instruction names its k: an element of A is called by where it stands in its row.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

INSTRUCTIONS = {
    "amx_1x1_bf16": "tdpbf16ps",
    "amx_1x1_int8": "tdpbssd",
    "amx_1x1_uint8": "tdpbuud",
    "amx_1x1_int8xuint8": "tdpbsud",
    "amx_1x1_uint8xint8": "tdpbusd",
}
ROWS, WORDS = 16, 16
Tile = np.ndarray


def program(instruction: str) -> str:
    """A function that loads three tiles of 16 rows of 64 bytes, multiplies, and stores the sums."""
    product = f"@llvm.x86.{instruction}.internal"
    load = "call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr"
    return f"""target triple = "x86_64-unknown-linux-gnu"
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
declare x86_amx {product}(i16, i16, i16, x86_amx, x86_amx, x86_amx)
define void @{instruction}(ptr %pa, ptr %pb, ptr %pc) noinline optnone {{
  %a = {load} %pa, i64 64)
  %b = {load} %pb, i64 64)
  %c = {load} %pc, i64 64)
  %d = call x86_amx {product}(i16 16, i16 64, i16 64, x86_amx %c, x86_amx %a, x86_amx %b)
  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %pc, i64 64, x86_amx %d)
  ret void
}}
"""


class Tiles:
    """One instruction as LLVM's loops."""

    def __init__(self, instruction: str) -> None:
        module = llvm.parse_assembly(program(instruction))
        machine = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(opt=0, jit=True)
        assert "%tmm" not in machine.emit_assembly(module)  # loops, no tiles
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
        self.call: Callable[..., None] = kind(self.engine.get_function_address(instruction))
        self.floats = instruction == "tdpbf16ps"
        self.group = 2 if self.floats else 4

    def sums(self, a: Tile, b: Tile) -> Tile:
        """Rows of 16 sums of two tiles, given as rows of words of elements."""
        words = [np.ascontiguousarray(self.stored(tile)) for tile in (a, b)]
        c = np.zeros((ROWS, WORDS), np.float32 if self.floats else np.int32)
        self.call(words[0].ctypes.data, words[1].ctypes.data, c.ctypes.data)
        return c

    def stored(self, tile: Tile) -> Tile:
        """The bytes of elements: bf16 is the upper half of fp32."""
        if not self.floats:
            return tile.astype(np.uint8)
        return (tile.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)

    def meets(self, row: int, word: int, element: int) -> tuple[int, np.ndarray]:
        """The row of sums to which a place of A adds, and for each of its columns the place of B that is multiplied."""
        found = np.zeros((WORDS, 3), np.int64)
        a = np.zeros((ROWS, WORDS, self.group))
        a[row, word, element] = 1
        places = np.indices((ROWS, WORDS, self.group))
        for axis in range(3):
            sums = self.sums(a, places[axis] + 1).astype(np.int64)
            (into,) = set(np.nonzero(sums)[0].tolist())
            found[:, axis] = sums[into] - 1
        return into, found

    def signed(self) -> list[bool]:
        """Whether all bits of a byte of A, and of B, are -1."""
        one, ones = np.ones((ROWS, WORDS, self.group)), np.full((ROWS, WORDS, self.group), 255)
        return [bool(self.sums(*pair)[0, 0] < 0) for pair in ((ones, one), (one, ones))]

    def layouts(self) -> dict[str, Any]:
        """The images of bits, which are all there is to the maps: every place is compared with them."""
        bits = {"element": self.group.bit_length() - 1, "word": 4, "row": 4}
        a, b = {}, {}
        for row in range(ROWS):
            for word in range(WORDS):
                for element in range(self.group):
                    into, met = self.meets(row, word, element)
                    k = word * self.group + element
                    a[element, word, row] = (into, k)
                    for column, (its_row, its_word, its_element) in enumerate(met.tolist()):
                        assert b.setdefault((its_element, its_word, its_row), (k, column)) == (k, column)
        c = {(0, word, row): (row, word) for row in range(ROWS) for word in range(WORDS)}
        return {"a": images(a, bits), "b": images(b, bits), "c": images(c, {**bits, "element": 0})}


def images(held: dict[tuple[int, int, int], tuple[int, int]], bits: dict[str, int]) -> dict[str, list[list[int]]]:
    """The images of the bits of a map that is linear: registers are elements of words, then rows; lanes are words."""
    found = {
        name: [list(held[tuple(1 << bit if axis == place else 0 for axis in range(3))]) for bit in range(count)]  # type: ignore[index]
        for place, (name, count) in enumerate(bits.items())
    }
    for place, image in held.items():
        sums = [0, 0]
        for (_, its), number in zip(found.items(), place, strict=True):
            for bit, (row, column) in enumerate(its):
                if number >> bit & 1:
                    sums = [sums[0] ^ row, sums[1] ^ column]
        assert tuple(sums) == image
    return {"register": found["element"] + found["row"], "lane": found["word"]}


def main() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.set_option("tiles", "--enable-x86-scalar-amx=true")
    told = {}
    for name, instruction in INSTRUCTIONS.items():
        tiles = Tiles(instruction)
        told[name] = {"instruction": instruction, **tiles.layouts()} | (
            {} if tiles.floats else {"signed": tiles.signed()}
        )
    version = ".".join(map(str, llvm.llvm_version_info))
    lines = [f" {json.dumps(name)}: {json.dumps(one)}" for name, one in told.items()]
    text = ",\n".join(lines)
    print(f'{{"source": "LLVM {version}, X86LowerAMXIntrinsics, executed",\n"instructions": {{\n{text}\n}}}}')


if __name__ == "__main__":
    main()
