# SPDX-License-Identifier: MIT
"""Programs that move a tile, in the emulator, and memory that ends where a mapping does: right where they are said to be, and wrong."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.simt.toolchain import find_compiler
from tracea_cuda.compile import binary
from tracea_cuda.tensor_map import tiled_map

from benchmarks.copy_engine import BY_BOX, MOVES, ROWS, WORDS, Move, expected, sources_of
from benchmarks.ending_memory import (
    ON_DEVICE,
    PINNED,
    READ_AND_WRITE,
    SMALLEST_PAGES,
    Access,
    EndingDevice,
    Properties,
)
from benchmarks.sanitized import path_of

PAGE = 1 << 21


def _emulates() -> bool:
    try:
        return bool(find_compiler())
    except BackendUnavailableError:
        return False


emulated = pytest.mark.skipif(not _emulates(), reason="no clang++ 16 or newer")
BY_ENGINE_OUTSIDE = [name for name, move in MOVES.items() if not move.inside and BY_BOX in (move.stored, move.read)]
"""The emulator's copy engine believes a descriptor."""


def moved(move: Move) -> tuple[int, ...]:
    """Run both programs in the emulator; return what was read. Memory holds -1 before."""
    like, device = path_of("boxes", preset="h200").source, SimtRuntime(preset("h200"), "cuda:0")
    assert like is not None
    tile, out = (device.place(np.full(rows * WORDS * 4, 0xFF, np.uint8)) for rows in (move.rows, ROWS))
    for source in sources_of(move, like):
        device.compile(source).prepare({})(tile.address, out.address)
    return tuple(out.read().view(np.int32).tolist())


@emulated
@pytest.mark.toolchain
@pytest.mark.parametrize("name", [name for name in MOVES if name not in BY_ENGINE_OUTSIDE])
def test_moves_are_right_where_they_are_said_to_be(name: str) -> None:
    move = MOVES[name]
    if not move.inside:
        with pytest.raises(ConformanceError, match=r"(?m)^out-of-bounds at"):
            moved(move)
        return
    found = moved(move)
    assert (found == expected()) == move.right
    assert move.right or -1 in found, "what nobody stored was read"


@pytest.mark.parametrize("name", BY_ENGINE_OUTSIDE)
def test_descriptors_of_wrong_moves_reach_past_the_memory(name: str) -> None:
    like, move = path_of("boxes", preset="h200").source, MOVES[name]
    assert like is not None and not move.right
    reach = [tiled_map(source.boxes[0], {}).span_bytes for source in sources_of(move, like)]
    assert reach[0 if move.stored == BY_BOX else 1] > move.rows * WORDS * 4


def test_each_fault_of_the_engine_has_a_twin_of_words() -> None:
    wrong = {name: move for name, move in MOVES.items() if not move.right}
    for name in ("box-past-the-end", "read-box-past-the-end", "nothing-then-box"):
        twin = wrong[name.replace("box", "words")]
        assert twin.tools == wrong[name].tools and BY_BOX not in (twin.stored, twin.read)
        assert (twin.rows, twin.stored_rows, twin.read_rows) == (
            wrong[name].rows, wrong[name].stored_rows, wrong[name].read_rows,
        )  # fmt: skip
    assert {move.tools for move in MOVES.values() if move.right} == {("memcheck", "initcheck")}


@pytest.mark.toolchain
def test_moves_compile() -> None:
    like = path_of("boxes", preset="h200").source
    assert like is not None
    try:
        binaries = {binary(source) for move in MOVES.values() for source in sources_of(move, like)}
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert len(binaries) >= len({(move.stored, move.read) for move in MOVES.values()})


class Mapper:
    """Stands in for the driver: remembers what is reserved and mapped."""

    def __init__(self) -> None:
        self.reserved = self.mapped = self.allowed = (0, 0)
        for name in ("GetAllocationGranularity", "AddressReserve", "Create", "Map", "SetAccess"):
            setattr(self, f"cuMem{name}", functools.partial(getattr(self, name)))

    def GetAllocationGranularity(self, target: object, properties: object, option: int) -> None:
        ctypes.cast(target, ctypes.POINTER(ctypes.c_size_t))[0] = PAGE  # type: ignore[arg-type]

    def AddressReserve(self, target: object, size: int, alignment: int, at: int, flags: int) -> None:
        self.reserved = (5 * PAGE, 5 * PAGE + size)
        ctypes.cast(target, ctypes.POINTER(ctypes.c_uint64))[0] = 5 * PAGE  # type: ignore[arg-type]

    def Create(self, target: object, size: int, properties: object, flags: int) -> None:
        ctypes.cast(target, ctypes.POINTER(ctypes.c_uint64))[0] = size  # type: ignore[arg-type]

    def Map(self, at: int, size: int, offset: int, handle: int, flags: int) -> None:
        assert handle == size and offset == 0, "all of what was created"
        self.mapped = (at, at + size)

    def SetAccess(self, at: int, size: int, access: object, count: int) -> None:
        self.allowed = (at, at + size)


@pytest.mark.parametrize("size", [512, 39936, PAGE, PAGE + 16, 1000])
def test_memory_ends_where_its_mapping_does(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        library = Mapper()

    def opened(self: EndingDevice, driver: Driver, ordinal: int) -> None:
        self.driver, self.ordinal = driver, ordinal  # type: ignore[assignment]

    monkeypatch.setattr("tracea_cuda.runtime.Device.__init__", opened)
    monkeypatch.setattr(
        EndingDevice, "call", lambda self, name, *given, what: getattr(self.driver.library, name)(*given)
    )
    library = Driver.library = Mapper()
    address = EndingDevice(Driver(), 0).allocate(size)  # type: ignore[arg-type]
    assert library.mapped == library.allowed and library.mapped[0] == library.reserved[0] and address % 16 == 0
    assert 0 <= library.mapped[1] - (address + size) < 16 and address >= library.mapped[0]
    assert library.reserved[1] - library.mapped[1] == PAGE, "what follows is reserved, and empty"


def test_numbers_and_sizes_are_the_headers() -> None:
    path = Path("/usr/local/cuda/include/cuda.h")
    if not path.exists():
        pytest.skip("the CUDA toolkit's headers are not installed")
    header = path.read_text()
    assert (ctypes.sizeof(Properties), ctypes.sizeof(Access)) == (32, 12), "as a compiler lays them out"
    for name, number in (
        ("CU_MEM_ALLOCATION_TYPE_PINNED", PINNED), ("CU_MEM_LOCATION_TYPE_DEVICE", ON_DEVICE),
        ("CU_MEM_ACCESS_FLAGS_PROT_READWRITE", READ_AND_WRITE), ("CU_MEM_ALLOC_GRANULARITY_MINIMUM", SMALLEST_PAGES),
    ):  # fmt: skip
        found = re.search(rf"\b{name}\s*=\s*(\w+)", header)
        assert found is not None and int(found[1], 0) == number
