# SPDX-License-Identifier: MIT
"""Launch plans: everything a launch passes to the driver, packed before it and found again by the addresses of its arrays.

A frame holds the arguments of one set of addresses on one stream: descriptors, pointers, symbols, workspaces, the table of their
places, and the launch configuration. A frame never changes once it is made, so a repeated call is one look-up and one foreign call,
threads cannot disturb each other, and a graph may capture it.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tracea_core.emit.source import KernelSource
from tracea_core.errors import AlignmentError, LaunchError
from tracea_core.semantic.index import evaluate

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
BLOCKS = "blocks"


class Form:
    """The layout of a launcher's frames: descriptors, then all that one `struct` packs at once.

    That is pointers, symbols, workspaces, the table of the places of all arguments in the order of the source, the configuration
    (CUlaunchConfig) and its one attribute (CUlaunchAttribute).
    """

    def __init__(self, source: KernelSource, symbols: Mapping[str, int], blocks: int, *, cluster: int) -> None:
        maps, pointers, spaces = len(source.boxes), len(source.parameters), len(source.workspaces)
        words = pointers + len(source.symbols) + spaces
        self.packed_at = maps * MAP_BYTES
        self._places = [i * MAP_BYTES for i in range(maps)] + [self.packed_at + i * _WORD for i in range(words)]
        values = b"".join(struct.pack("=q" if s.wide else "=i4x", symbols[s.name]) for s in source.symbols)
        self._values = values
        self.table_at = self.packed_at + words * _WORD
        self.config_at = self.table_at + len(self._places) * _WORD
        self._attributes_at = self.config_at + ctypes.sizeof(LaunchConfig)
        launch = source.launch
        self._config = (blocks, 1, 1, launch.threads, 1, 1, launch.shared_bytes)
        self._attribute = (int(cluster > 1), cuda.CLUSTER_DIMENSION, cluster, 1, 1)
        self._struct = struct.Struct(f"={pointers}Q{len(values)}s{spaces}Q{len(self._places)}Q7I4xQQI4xI4x3I52x")
        self._memory = ctypes.c_char * (self.packed_at + self._struct.size + _ALIGNMENT)

    def frame(self, stream: int, pointers: tuple[int, ...], workspaces: tuple[int, ...]) -> tuple[int, Any]:
        """Return the address of a new frame without descriptors, and its memory."""
        memory = self._memory()
        start = ctypes.addressof(memory)
        base = -(-start // _ALIGNMENT) * _ALIGNMENT
        self._struct.pack_into(
            memory, base - start + self.packed_at, *pointers, self._values, *workspaces, *[base + place for place in self._places],
            *self._config, stream, base + self._attributes_at, *self._attribute,
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
        _check_symbols(source, symbols)
        self.kernel = kernel
        self._driver, self._device = kernel.device.driver, kernel.device
        values = {name: int(value) for name, value in symbols.items()}
        self.blocks = int(evaluate(source.launch.blocks, values))
        self._check_launch()
        cluster = 1 if kernel.fixed_cluster else source.launch.cluster
        self._form = Form(source, values, self.blocks, cluster=cluster)
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

    def bind(self, pointers: tuple[int, ...], stream: int) -> tuple[Callable[[], int], object] | None:
        """Return what queues exactly this again, and what has to live as long; None where a context has to be changed first.

        What is returned gives 0, or the driver's code; an ordinary call then says what is wrong.
        """
        if self._several:
            return None
        frame = self._frames.get((stream, pointers)) or self._frame(stream, pointers)
        return functools.partial(self._launch, frame[0], self._function, frame[1], None), frame

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
                raise AlignmentError(
                    f"{parameter.name} starts at {pointer:#x}, and this kernel relies on {parameter.alignment}-byte alignment",
                    alignment=math.gcd(16, *pointers),
                    hint="Copy the array, or view it from an aligned element", kernel=source.entry,
                )  # fmt: skip
        frame = self._pack(stream, pointers)
        with self._guard:
            while len(self._frames) >= FRAMES:
                self._frames.pop(next(iter(self._frames)))
            self._frames[stream, pointers] = frame
        return frame

    def _pack(self, stream: int, pointers: tuple[int, ...]) -> tuple[int, int, Any]:
        with self._driver.active(self._context):
            base, memory = self._form.frame(stream, pointers, self._workspace(stream))
            for place, (encode, operand) in enumerate(self._encoders):
                encode(base + place * MAP_BYTES, pointers[operand])
        return base + self._form.config_at, base + self._form.table_at, memory

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
