# SPDX-License-Identifier: MIT
"""Launch plans: everything a launch passes to the driver, packed before it and found again by the addresses of its arrays.

A frame holds the arguments of one set of addresses on one stream: descriptors, pointers, symbols, workspaces, the table of their
places, and the launch configuration. A frame never changes once it is made, so a repeated call is one look-up and one foreign call,
threads cannot disturb each other, and a graph may capture it.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tracea_core.emit.source import KernelSource
from tracea_core.errors import LaunchError
from tracea_core.semantic.index import evaluate

from tracea_cuda import driver as cuda
from tracea_cuda.driver import LaunchAttribute, LaunchConfig
from tracea_cuda.tensor_map import MAP_BYTES, Encoder, tiled_map

if TYPE_CHECKING:
    from tracea_cuda.runtime import CudaKernel

FRAMES = 256
"""Sets of addresses that a launcher remembers; a frame takes about a kilobyte."""
PORTABLE_CLUSTER = 8
_ALIGNMENT = 128
_WORD = 8
BLOCKS = "blocks"


class Arguments:
    """Where each argument of a kernel lies in a frame: descriptors, pointers, symbols, workspaces, as the source declares them."""

    def __init__(self, source: KernelSource, symbols: Mapping[str, int]) -> None:
        self.maps = len(source.boxes)
        self.pointers = len(source.parameters)
        self.workspaces = len(source.workspaces)
        first = self.maps * MAP_BYTES
        self.pointers_at = first
        self.symbols_at = first + self.pointers * _WORD
        self.workspaces_at = self.symbols_at + len(source.symbols) * _WORD
        self.table_at = self.workspaces_at + self.workspaces * _WORD
        words = self.pointers + len(source.symbols) + self.workspaces
        self.places = [i * MAP_BYTES for i in range(self.maps)] + [first + i * _WORD for i in range(words)]
        self.config_at = self.table_at + len(self.places) * _WORD
        self.attributes_at = self.config_at + ctypes.sizeof(LaunchConfig)
        self.size = self.attributes_at + ctypes.sizeof(LaunchAttribute)
        self.symbols = b"".join(
            struct.pack("=q" if symbol.wide else "=i4x", symbols[symbol.name]) for symbol in source.symbols
        )


class CudaLauncher:
    """One kernel with every symbol bound; see `tracea_core.runtime.interface.Launcher`.

    Raises
    ------
    LaunchError
        If a symbol is missing or outside its domain, or the launch does not fit the device.
    """

    def __init__(self, kernel: CudaKernel, symbols: Mapping[str, int]) -> None:
        source = kernel.source
        _check_symbols(source, symbols)
        self.kernel = kernel
        self._driver, self._device = kernel.device.driver, kernel.device
        values = {name: int(value) for name, value in symbols.items()}
        self.blocks = int(evaluate(source.launch.blocks, values))
        self._check_launch()
        self._arguments = Arguments(source, values)
        encoders = {box.name: Encoder(tiled_map(box, values), self._driver) for box in source.boxes}
        order = [parameter.name for parameter in source.parameters]
        self._encoders = tuple((encoders[box.name], order.index(box.operand)) for box in source.boxes)
        values[BLOCKS] = self.blocks
        self._workspace_bytes = tuple(
            int(evaluate(workspace.bytes, values)) * (self.blocks if workspace.per_worker else 1)
            for workspace in source.workspaces
        )
        self._workspaces: dict[int, tuple[int, ...]] = {}
        self._frames: dict[tuple[int, tuple[int, ...]], tuple[int, int, Any]] = {}
        self._guard = threading.Lock()
        self._function = kernel.function
        self._launch = self._driver.library.cuLaunchKernelEx
        self._context = kernel.device.context
        self._several = kernel.device.several

    def _check_launch(self) -> None:
        launch, limits, entry = self.kernel.source.launch, self._device.limits, self.kernel.source.entry
        if not 1 <= self.blocks < 1 << 31:
            raise LaunchError(f"a launch has 1 to 2^31 - 1 blocks, not {self.blocks}", kernel=entry)
        if self.blocks % launch.cluster:
            raise LaunchError(f"{self.blocks} blocks are not whole clusters of {launch.cluster}", kernel=entry)
        if not 1 <= launch.threads <= limits.threads:
            raise LaunchError(f"blocks have 1 to {limits.threads} threads, not {launch.threads}", kernel=entry)
        if launch.shared_bytes > limits.shared_bytes:
            raise LaunchError(
                f"a block wants {launch.shared_bytes} bytes of shared memory; the device gives {limits.shared_bytes}",
                hint="Choose fewer stages or smaller tiles",
                kernel=entry,
            )
        if launch.cluster > 1 and not limits.clusters:
            raise LaunchError("the device has no clusters of blocks", kernel=entry)

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
        if self._several:
            with self._driver.active(self._context):
                code = self._launch(frame[0], self._function, frame[1], None)
        else:
            code = self._launch(frame[0], self._function, frame[1], None)
        if code:
            self._failed(code, frame, stream)

    def _failed(self, code: int, frame: tuple[int, int, Any], stream: int) -> None:
        """Launch again if this thread had no context yet; raise otherwise."""
        if code == cuda.INVALID_CONTEXT:
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
        source = self.kernel.source
        if len(pointers) != len(source.parameters):
            names = ", ".join(parameter.name for parameter in source.parameters)
            raise LaunchError(f"the kernel takes one address each of {names}, not {pointers}", kernel=source.entry)
        for parameter, pointer in zip(source.parameters, pointers, strict=True):
            if pointer % parameter.alignment:
                raise LaunchError(
                    f"{parameter.name} starts at {pointer:#x}, and this kernel relies on {parameter.alignment}-byte alignment",
                    hint="Copy the array, or view it from an aligned element", kernel=source.entry,
                )  # fmt: skip
        frame = self._pack(stream, pointers)
        with self._guard:
            while len(self._frames) >= FRAMES:
                self._frames.pop(next(iter(self._frames)))
            self._frames[stream, pointers] = frame
        return frame

    def _pack(self, stream: int, pointers: tuple[int, ...]) -> tuple[int, int, Any]:
        form = self._arguments
        memory = ctypes.create_string_buffer(form.size + _ALIGNMENT)
        base = -(-ctypes.addressof(memory) // _ALIGNMENT) * _ALIGNMENT
        start = base - ctypes.addressof(memory)
        with self._driver.active(self._context):
            for place, (encode, operand) in enumerate(self._encoders):
                encode(base + place * MAP_BYTES, pointers[operand])
            spaces = self._workspace(stream)
        struct.pack_into(f"={form.pointers}Q", memory, start + form.pointers_at, *pointers)
        ctypes.memmove(base + form.symbols_at, form.symbols, len(form.symbols))
        struct.pack_into(f"={form.workspaces}Q", memory, start + form.workspaces_at, *spaces)
        table = [base + place for place in form.places]
        struct.pack_into(f"={len(table)}Q", memory, start + form.table_at, *table)
        self._configure(base, stream)
        return base + form.config_at, base + form.table_at, memory

    def _configure(self, base: int, stream: int) -> None:
        launch = self.kernel.source.launch
        config = LaunchConfig.from_address(base + self._arguments.config_at)
        config.grid[:] = (self.blocks, 1, 1)
        config.block[:] = (launch.threads, 1, 1)
        config.shared_bytes, config.stream = launch.shared_bytes, stream
        if launch.cluster > 1 and not self.kernel.fixed_cluster:
            attribute = LaunchAttribute.from_address(base + self._arguments.attributes_at)
            attribute.id = cuda.CLUSTER_DIMENSION
            attribute.value[:3] = (launch.cluster, 1, 1)
            config.attributes, config.attribute_count = ctypes.addressof(attribute), 1

    def _workspace(self, stream: int) -> tuple[int, ...]:
        """Return the workspaces of a stream: zeroed when made, and its own, since launches on one stream follow each other."""
        if not self._workspace_bytes:
            return ()
        with self._guard:
            if stream not in self._workspaces:
                self._workspaces[stream] = tuple(
                    self._device.allocate(max(size, 1), zero=True) for size in self._workspace_bytes
                )
            return self._workspaces[stream]


def _check_symbols(source: KernelSource, symbols: Mapping[str, int]) -> None:
    missing = [symbol.name for symbol in source.symbols if symbol.name not in symbols]
    if missing:
        raise LaunchError(f"no value was given for {', '.join(missing)}", kernel=source.entry)
    for symbol in source.symbols:
        if not symbol.admits(symbols[symbol.name]):
            raise LaunchError(
                f"{symbol.name}={symbols[symbol.name]} lies outside the kernel's domain, {symbol.minimum} to {symbol.maximum} "
                f"by {symbol.multiple}",
                kernel=source.entry,
            )
