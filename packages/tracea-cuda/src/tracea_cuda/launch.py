# SPDX-License-Identifier: MIT
"""Launch plans: everything a launch passes to the driver, packed before it and found again by the addresses of its arrays.

A frame holds the arguments of one set of addresses on one stream: descriptors, pointers, symbols, the table of their places, and the
launch configuration. A frame never changes once it is made, so a repeated call is one look-up and one foreign call,
threads cannot disturb each other, and a graph may capture it.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tracea_core.emit.source import KernelSource
from tracea_core.runtime.checked import check_addresses, check_symbols, launched_blocks
from tracea_core.runtime.prepared import prepared

from tracea_cuda import driver as cuda
from tracea_cuda.driver import LaunchConfig
from tracea_cuda.tensor_map import MAP_BYTES, Encoder, tiled_map

if TYPE_CHECKING:
    from tracea_cuda.runtime import CudaKernel

FRAMES = 256
"""Sets of addresses that a launcher remembers; a frame takes about a kilobyte."""
PORTABLE_CLUSTER = 8
_ALIGNMENT = 128
_WORD = 8


class Form:
    """The layout of a launcher's frames: descriptors, then all that one `struct` packs at once.

    That is pointers, symbols, the table of the places of all arguments in the order of the source, the configuration
    (CUlaunchConfig) and its attributes (CUlaunchAttribute), two at the most.
    """

    def __init__(self, source: KernelSource, symbols: Mapping[str, int], blocks: int, *, cluster: int) -> None:
        maps, pointers = len(source.boxes), len(source.parameters)
        words = pointers + len(source.symbols)
        self.packed_at = maps * MAP_BYTES
        self._places = [i * MAP_BYTES for i in range(maps)] + [self.packed_at + i * _WORD for i in range(words)]
        values = b"".join(struct.pack("=q" if s.wide else "=i4x", symbols[s.name]) for s in source.symbols)
        self._values = values
        self.table_at = self.packed_at + words * _WORD
        self.config_at = self.table_at + len(self._places) * _WORD
        self._attributes_at = self.config_at + ctypes.sizeof(LaunchConfig)
        launch = source.launch
        self._config = (blocks, 1, 1, launch.threads, 1, 1, launch.shared_bytes)
        wanted = (cluster > 1) * ((cuda.CLUSTER_DIMENSION, cluster, 1, 1),) + launch.early * (
            (cuda.BEGINS_EARLY, 1, 0, 0),
        )
        self._attributes = (len(wanted), *sum(wanted, ()), *(0,) * 4 * (2 - len(wanted)))
        self._struct = struct.Struct(f"={pointers}Q{len(values)}s{len(self._places)}Q7I4xQQI4x" + "I4x3I52x" * 2)
        self._memory = ctypes.c_char * (self.packed_at + self._struct.size + _ALIGNMENT)

    def frame(self, stream: int, pointers: tuple[int, ...]) -> tuple[int, Any]:
        """Return the address of a new frame without descriptors, and its memory."""
        memory = self._memory()
        start = ctypes.addressof(memory)
        base = -(-start // _ALIGNMENT) * _ALIGNMENT
        self._struct.pack_into(
            memory, base - start + self.packed_at, *pointers, self._values, *[base + place for place in self._places],
            *self._config, stream, base + self._attributes_at, *self._attributes,
        )  # fmt: skip
        return base, memory


class CudaLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`.

    Raises
    ------
    LaunchError
        If a symbol is missing or outside its domain, or the launch does not fit the device.
    """

    def __init__(self, kernel: CudaKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        check_symbols(source, symbols)
        self.kernel = kernel
        self._driver, self._device = kernel.device.driver, kernel.device
        values = {name: int(value) for name, value in symbols.items()}
        self.blocks = launched_blocks(source, values)
        cluster = 1 if kernel.fixed_cluster else source.launch.cluster
        self._form = Form(source, values, self.blocks, cluster=cluster)
        encoders = {box.name: Encoder(tiled_map(box, values), self._driver) for box in source.boxes}
        order = [parameter.name for parameter in source.parameters]
        self._encoders = tuple((encoders[box.name], order.index(box.operand)) for box in source.boxes)
        self._frames: dict[tuple[int, tuple[int, ...]], tuple[int, int, Any]] = {}
        self._guard = threading.Lock()
        self._function = kernel.function
        self._launch = self._driver.library.cuLaunchKernelEx
        self._context = kernel.device.context

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Queue the kernel on `stream`, a CUstream's handle.

        Raises
        ------
        LaunchError
            If an address cannot be served, or the driver refuses.
        """
        frame = self._frames.get((stream, pointers))
        if frame is None:
            frame = self._frame(stream, pointers)
        code = self._launch(frame[0], self._function, frame[1], None)
        if code:
            self._failed(code, frame, stream)

    def bind(self, pointers: tuple[int, ...], stream: int) -> tuple[Callable[..., int], object]:
        """Return what queues exactly this again, and what has to live as long.

        What is returned gives 0, or the driver's code; an ordinary call then says what is wrong.
        """
        frame = self._frames.get((stream, pointers)) or self._frame(stream, pointers)
        return prepared(self._launch, frame[0], self._function, frame[1], None), frame

    def _failed(self, code: int, frame: tuple[int, int, Any], stream: int) -> None:
        """Launch again if this thread had no context or another, of whose default stream the driver refuses to take it; raise otherwise."""
        if code in (cuda.INVALID_CONTEXT, cuda.INVALID_HANDLE):
            with self._driver.active(self._context):
                code = self._launch(frame[0], self._function, frame[1], None)
        launch = self.kernel.source.launch
        self._driver.check(
            code, "launching the kernel", kernel=self.kernel.source.entry, device=self._device.name, blocks=self.blocks,
            threads=launch.threads, cluster=launch.cluster, shared_bytes=launch.shared_bytes, stream=hex(stream),
        )  # fmt: skip

    # ---- frames

    def _frame(self, stream: int, pointers: tuple[int, ...]) -> tuple[int, int, Any]:
        """Return a new frame (address of its configuration, of its table of arguments, its memory) and remember it."""
        check_addresses(self.kernel.source, pointers)
        frame = self._pack(stream, pointers)
        with self._guard:
            while len(self._frames) >= FRAMES:
                self._frames.pop(next(iter(self._frames)))
            self._frames[stream, pointers] = frame
        return frame

    def _pack(self, stream: int, pointers: tuple[int, ...]) -> tuple[int, int, Any]:
        with self._driver.active(self._context):
            base, memory = self._form.frame(stream, pointers)
            for place, (encode, operand) in enumerate(self._encoders):
                encode(base + place * MAP_BYTES, pointers[operand])
        return base + self._form.config_at, base + self._form.table_at, memory
