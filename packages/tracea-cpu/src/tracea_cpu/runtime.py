# SPDX-License-Identifier: MIT
"""The CPU runtime: compile once, prepare once for each plan, launch in about a microsecond.

A launch writes the pointers into an argument block (8-byte words: pointers, symbols, barrier, workspaces) and makes
one foreign call. Blocks and workspaces are kept and reused; each is used by one call at a time, so concurrent callers
of one launcher do not meet.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import struct
from collections.abc import Mapping
from typing import Any

from tracea_core.emit.source import KernelSource
from tracea_core.errors import LaunchError
from tracea_core.runtime.checked import check_addresses, check_symbols
from tracea_core.semantic.index import evaluate
from tracea_llvm.barrier import BARRIER_BYTES, LINE

from tracea_cpu import compile as compiler
from tracea_cpu.amx import TILE_INSTRUCTION, tiles_are_granted
from tracea_cpu.deal import DEALT, Deal
from tracea_cpu.shared import Shared, shared_pool

_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
BARRIER_CALL = "call void @tracea_barrier"  # whoever waits there waits for all, so all have to run at once
_HUGE_PAGE, _LARGE = 2 << 20, 4 << 20
"""Bytes of a huge page, and those from which a piece of memory lies in such pages where the system has them: copies of images, panels and
turned filters are read and written at places far apart. 8 images of 512 channels of 7×7, minimal filtering, took 0.96 of the time, 1×1
filters 0.96 and 0.97, other convolutions 0.97 to 1.01 (two cores of Zen 4)."""
WORKERS = "workers"
"""The symbol by which a plan asks for fewer workers than the pool has."""


class Arena:
    """Memory that kernels borrow for one call; freed when it has been replaced by a larger piece."""

    def __init__(self) -> None:
        self._free: list[tuple[int, int, Any]] = []

    def take(self, size: int) -> tuple[int, int, Any]:
        """Return (address aligned to 64 bytes, size, owner) of at least `size` bytes."""
        try:
            piece = self._free.pop()
            if piece[1] >= size:
                return piece
        except IndexError:
            pass  # nothing to reuse
        try:
            if size >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
                return _in_huge_pages(size)
            memory = (ctypes.c_char * (size + LINE))()
        except (MemoryError, OSError, OverflowError) as error:
            raise LaunchError(f"{size} bytes of workspace cannot be allocated", hint="Split the problem") from error
        return -(-ctypes.addressof(memory) // LINE) * LINE, size, memory

    def give(self, piece: tuple[int, int, Any]) -> None:
        """Return a piece taken before."""
        self._free.append(piece)


def _in_huge_pages(size: int) -> tuple[int, int, Any]:
    """Return memory of the process's own, as `Arena.take` does, for which the system is asked for huge pages."""
    mapped = mmap.mmap(-1, size + 2 * _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # of a system without them
        mapped.madvise(mmap.MADV_HUGEPAGE)
    first = ctypes.c_char.from_buffer(mapped)  # keeps the mapping
    return -(-ctypes.addressof(first) // _HUGE_PAGE) * _HUGE_PAGE, size, first


class CpuLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`."""

    def __init__(self, kernel: CpuKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self._relies_on_alignment = any(p.alignment > p.dtype.bytes for p in source.parameters)
        pool = shared_pool()
        self.kernel = kernel  # owns the machine code
        self._kernel, self._address = kernel.function, kernel.address
        self.workers = min(int(symbols.get(WORKERS, pool.size)), pool.size)
        self.workers = pool.size if self.workers > 1 else 1
        self._arena = kernel.arena
        self._symbols = tuple(int(symbols[symbol.name]) for symbol in source.symbols)
        shares = int(symbols.get(DEALT, 0)) if self.workers > 1 and BARRIER_CALL not in source.text else 0
        self._shares = shares if shares > self.workers else 0
        sizes, self._owned = [], []
        values = {name: int(value) for name, value in symbols.items()}
        for workspace in source.workspaces:
            parts = {**values, WORKERS: self._shares or self.workers}
            size = -(-int(evaluate(workspace.bytes, parts)) // LINE) * LINE
            sizes.append(size * (self.workers if workspace.per_worker else 1))
            self._owned.append(size if workspace.per_worker else 0)
        self._offsets = tuple(BARRIER_BYTES + sum(sizes[:index]) for index in range(len(sizes)))
        self._bytes = BARRIER_BYTES + sum(sizes)
        pointers = len(source.parameters)
        self._pointers = struct.Struct(f"{pointers}q")
        self._tail = struct.Struct(f"{1 + len(sizes)}q")
        self._tail_at = 8 * (pointers + len(self._symbols))
        self._blocks: list[list[Any]] = []

    def _new_block(self) -> list[Any]:
        """A block with the symbols in place: memory, its address, the workspace address written last, and how its shares are dealt."""
        words = self._tail_at // 8 + 1 + len(self._offsets)
        block = (ctypes.c_int64 * words)()
        struct.pack_into(f"{len(self._symbols)}q", block, self._pointers.size, *self._symbols)
        address = ctypes.addressof(block)
        deal = Deal(self._address, address, self._shares, words, self._owned) if self._shares else None
        return [block, address, 0, deal]

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel; it is done when this returns. `stream` is accepted for symmetry with devices and ignored."""
        if self._relies_on_alignment:
            check_addresses(self.kernel.source, pointers)
        try:
            entry = self._blocks.pop()
        except IndexError:
            entry = self._new_block()
        piece = self._arena.take(self._bytes)
        try:
            block, address, base, deal = entry
            if base != piece[0]:
                entry[2] = base = piece[0]
                self._tail.pack_into(block, self._tail_at, base, *[base + offset for offset in self._offsets])
            try:
                self._pointers.pack_into(block, 0, *pointers)
            except struct.error as error:
                raise self._refusal(pointers) from error
            if self.workers == 1:
                self._kernel(address, 0, 1)
            elif deal is not None:
                (Shared.pool or shared_pool()).run(deal.function, deal.code, deal.begin(), self.workers)
            else:
                (Shared.pool or shared_pool()).run(self._kernel, self._address, address, self.workers)
        finally:
            self._arena.give(piece)
            self._blocks.append(entry)

    def _refusal(self, pointers: tuple[int, ...]) -> LaunchError:
        source = self.kernel.source
        names = ", ".join(parameter.name for parameter in source.parameters)
        return LaunchError(f"the kernel takes one address each of {names}, not {pointers}", kernel=source.entry)


class CpuKernel:
    """Machine code of one source, loaded; see `tracea_core.runtime.interface.CompiledKernel`."""

    def __init__(self, source: KernelSource, arena: Arena) -> None:
        self.source = source
        self.arena = arena
        if TILE_INSTRUCTION in source.text and not tiles_are_granted():
            raise LaunchError(
                "the system does not let this process use the tiles of AMX",
                hint="Take another variant",
                kernel=source.entry,
            )
        self._code = compiler.load(source.text, source.text_digest)
        self.address = self._code.address(source.entry)
        self.function = _KERNEL(self.address)

    def prepare(self, symbols: Mapping[str, int]) -> CpuLauncher:
        """Bind the symbols; ``workers: 1`` among them keeps the launch on the caller's thread.

        Raises
        ------
        LaunchError
            If a symbol is missing or outside its domain.
        """
        return CpuLauncher(self, symbols)


class CpuRuntime:
    """The processor as a device; see `tracea_core.runtime.interface.Runtime`."""

    device = "cpu"
    memory = "host"

    def __init__(self) -> None:
        self._arena = Arena()

    @property
    def toolchain(self) -> str:
        """LLVM and its version."""
        return compiler.toolchain()

    def compile(self, source: KernelSource) -> CpuKernel:
        """Return `source` compiled, from the object cache where it holds it.

        Raises
        ------
        CompileError
            If LLVM rejects the text.
        """
        return CpuKernel(source, self._arena)


def open_runtime(device: str) -> CpuRuntime:
    """Return the runtime of the device ``cpu``."""
    return CpuRuntime()
