# SPDX-License-Identifier: MIT
"""A tile that one launch stores and another reads, word by word or by the copy engine, in programs of a few lines: right, or wrong.

A tool that reports a right one does not see what the copy engine moves, and what it reports of kernels that read what the engine wrote
shows nothing. Nor does it see what the engine does wrong, if it is silent on a wrong one and reports the same fault of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.emit.source import BoxMap, KernelSource
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Direction, Launch, Parameter

SOURCE = Path(__file__).with_suffix(".cu")
ROWS, WORDS = 8, 32
"""Of the tile: a thread for each word."""
NOTHING, BY_WORDS, BY_BOX = 0, 1, 2
_SHARED_BYTES = 3072
_PRELUDE_ENDS = "\n#endif\n"


@dataclass(frozen=True)
class Move:
    """How a tile is stored and read, and how many rows of it: those of its memory, those stored and those read.

    With `mapped`, nothing is mapped where the memory ends: what is beyond it does not exist for the GPU either.
    """

    words: str
    stored: int
    read: int
    stored_rows: int = ROWS
    read_rows: int = ROWS
    rows: int = ROWS
    mapped: bool = False

    @property
    def inside(self) -> bool:
        """Whether nothing beyond the memory is touched."""
        return max(self.stored_rows, self.read_rows) <= self.rows

    @property
    def right(self) -> bool:
        """Whether all that is read was stored, in memory that is there."""
        return self.inside and self.stored != NOTHING and self.read_rows <= self.stored_rows

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of compute-sanitizer that are asked about it: all that look at global memory, or the one for its fault."""
        return ("memcheck", "initcheck") if self.right else ("initcheck",) if self.inside else ("memcheck",)


_HALF = ROWS // 2
MOVES = {
    "words-then-words": Move("words are stored and read", BY_WORDS, BY_WORDS),
    "box-then-words": Move("words are read that the copy engine stored", BY_BOX, BY_WORDS),
    "words-then-box": Move("the copy engine loads words that were stored", BY_WORDS, BY_BOX),
    "nothing-then-words": Move("words are read that nobody stored", NOTHING, BY_WORDS),
    "nothing-then-box": Move("the copy engine loads words that nobody stored", NOTHING, BY_BOX),
    "half-a-box-then-words": Move("words are read of which the copy engine stored half", BY_BOX, BY_WORDS, _HALF),
    "words-past-the-end": Move("words are stored past the end", BY_WORDS, BY_WORDS, ROWS, _HALF, _HALF),
    "box-past-the-end": Move("the copy engine stores past the end", BY_BOX, BY_WORDS, ROWS, _HALF, _HALF),
    "read-words-past-the-end": Move("words are read past the end", BY_WORDS, BY_WORDS, _HALF, ROWS, _HALF),
    "read-box-past-the-end": Move("the copy engine loads from past the end", BY_WORDS, BY_BOX, _HALF, ROWS, _HALF),
    "box-past-the-mapping": Move("the copy engine stores where nothing is mapped", BY_BOX, BY_WORDS, ROWS, _HALF, _HALF, mapped=True),
    "read-box-past-the-mapping": Move("the copy engine loads where nothing is mapped", BY_WORDS, BY_BOX, _HALF, ROWS, _HALF, mapped=True),
}  # fmt: skip
"""By name."""


def sources_of(move: Move, like: KernelSource) -> tuple[KernelSource, KernelSource]:
    """Return the program that stores and the one that reads, whose functions are those of a printed kernel."""
    prelude, end, _ = like.text.rpartition(_PRELUDE_ENDS)
    said = {"STORED": move.stored, "READ": move.read, "STORED_ROWS": move.stored_rows, "READ_ROWS": move.read_rows}
    text = "\n".join((prelude + end, *(f"#define {name} {value}" for name, value in said.items()), SOURCE.read_text()))
    stores, reads = (
        KernelSource(
            language=like.language, arch=like.arch, entry=entry, symbols=(), workspaces=(), text=text,
            parameters=(Parameter("tile", DType.INT32, of_tile, 16), Parameter("out", DType.INT32, Direction.WRITE, 16)),
            kernel_digest="", certificate="", launch=Launch(Const(1), ROWS * WORDS, 1, _SHARED_BYTES),
            boxes=(
                BoxMap("tile_boxes", "tile", DType.INT32, (Const(WORDS), Const(rows)), (Const(1), Const(WORDS)), (WORDS, ROWS), 0),
            ),
        )
        for entry, of_tile, rows in (("stores", Direction.WRITE, move.stored_rows), ("reads", Direction.READ, move.read_rows))
    )  # fmt: skip
    return stores, reads


def expected() -> tuple[int, ...]:
    """Return what a right program reads."""
    return tuple(1000 + thread for thread in range(ROWS * WORDS))


def run(name: str, like: KernelSource, ordinal: int = 0) -> None:
    """Launch both programs.

    Raises
    ------
    AssertionError
        If a right one read anything else.
    LaunchError
        If the GPU stopped a wrong one.
    """
    from tracea_cuda import driver as cuda
    from tracea_cuda.runtime import CudaRuntime, Device

    from benchmarks.ending_memory import EndingDevice

    move, device = MOVES[name], Device(cuda.driver(), ordinal)
    lends: Any = EndingDevice(device.driver, ordinal) if move.mapped else device
    opened, before = CudaRuntime(device), np.full(ROWS * WORDS, -1, np.int32)
    with device.driver.active(device.context):
        tile, out = lends.allocate(move.rows * WORDS * 4), opened.place(before.view(np.uint8))
        for source in sources_of(move, like):
            opened.compile(source).prepare({})(tile, out.address)
            device.synchronize()
        agrees = tuple(out.read().view(np.int32).tolist()) == expected()
    assert agrees or not move.right, f"{name}: {move.words}: something else was read"
