# SPDX-License-Identifier: MIT
"""Apple's Metal framework through pyobjc: imported when a device is opened, its refusals turned into tracea's errors.

Source of every call: Apple, "Metal" (MTLDevice, MTLLibrary, MTLComputePipelineState, MTLCommandQueue, MTLComputeCommandEncoder,
MTLBuffer), in the names that pyobjc-framework-Metal gives them: one underscore for each colon, and a pair with the error where
Objective-C takes a pointer to one.
"""

from __future__ import annotations

import ctypes
import importlib
import platform
from collections.abc import Sequence
from typing import Any

from tracea_core.errors import BackendUnavailableError, CompileError, LaunchError

INSTALL = 'pip install "tracea[metal]"'
_FAILED = 5  # MTLCommandBufferStatusError
_TRIED: dict[str, Any] = {}


def metal() -> Any:
    """Return the module ``Metal``.

    Raises
    ------
    BackendUnavailableError
        If this is no Mac, or pyobjc's binding is not installed.
    """
    return _module("Metal")


def _module(name: str) -> Any:
    if name not in _TRIED:
        if platform.system() != "Darwin":
            raise BackendUnavailableError("Metal exists on macOS only", hint="Calls run on the CPU", backend="metal")
        try:
            _TRIED[name] = importlib.import_module(name)
        except ImportError as error:
            raise BackendUnavailableError(
                f"pyobjc's binding of Metal cannot be imported: {error}", hint=INSTALL, backend="metal"
            ) from error
    return _TRIED[name]


def words(error: Any) -> str:
    """Return what an NSError says."""
    return "no reason was given" if error is None else str(error.localizedDescription())


class Device:
    """A Metal device with one command queue."""

    def __init__(self) -> None:
        self.api = metal()
        self.handle = self.api.MTLCreateSystemDefaultDevice()
        if self.handle is None:
            raise BackendUnavailableError(
                "macOS shows no Metal device", hint="Processes without a login session may see none", backend="metal"
            )
        self.queue = self.handle.newCommandQueue()
        if self.queue is None:
            raise BackendUnavailableError("the Metal device gives no command queue", backend="metal")

    @property
    def threadgroup_bytes(self) -> int:
        """Largest threadgroup memory of one threadgroup."""
        return int(self.handle.maxThreadgroupMemoryLength())

    def pipeline(self, text: str, entry: str) -> Any:
        """Return the compute pipeline of one kernel of a text, compiled without fast mathematics: NaN is NaN.

        Raises
        ------
        CompileError
            If the text is rejected, or holds no such kernel.
        """
        options = self.api.MTLCompileOptions.alloc().init()
        if options.respondsToSelector_("setMathMode:"):
            options.setMathMode_(self.api.MTLMathModeSafe)  # macOS 15; the other is deprecated there
        else:
            options.setFastMathEnabled_(False)
        library, error = self.handle.newLibraryWithSource_options_error_(text, options, None)
        if library is None:
            raise CompileError(f"Metal rejects {entry}: {words(error)}", kernel=entry)
        function = library.newFunctionWithName_(entry)
        if function is None:
            raise CompileError(f"the compiled library has no kernel called {entry}", kernel=entry)
        pipeline, error = self.handle.newComputePipelineStateWithFunction_error_(function, None)
        if pipeline is None:
            raise CompileError(f"no pipeline can be made of {entry}: {words(error)}", kernel=entry)
        return pipeline

    def buffer(self, size: int) -> Any:
        """Return a new buffer that the processor and the GPU share.

        Raises
        ------
        LaunchError
            If there is not enough memory.
        """
        made = self.handle.newBufferWithLength_options_(max(size, 1), self.api.MTLResourceStorageModeShared)
        if made is None:
            raise LaunchError(f"the Metal device has no {size} bytes left", hint="Free memory, or use smaller arrays")
        return made

    def buffer_of(self, handle: int) -> Any:
        """Return the buffer whose Objective-C object lies at an address."""
        return _module("objc").objc_object(c_void_p=ctypes.c_void_p(handle))

    def run(
        self, pipeline: Any, buffers: Sequence[tuple[Any, int]], symbols: bytes, groups: int, threads: int, entry: str
    ) -> tuple[float, float]:
        """Run a kernel on (buffer, offset in bytes) pairs and a structure of symbols, and wait for it.

        Returns
        -------
        tuple of float
            When the GPU began and ended, in seconds of its clock.

        Raises
        ------
        LaunchError
            If the GPU reports an error.
        """
        commands = self.queue.commandBuffer()
        encoder = commands.computeCommandEncoder()
        encoder.setComputePipelineState_(pipeline)
        for index, (buffer, offset) in enumerate(buffers):
            encoder.setBuffer_offset_atIndex_(buffer, offset, index)
        if symbols:
            encoder.setBytes_length_atIndex_(symbols, len(symbols), len(buffers))
        size = self.api.MTLSizeMake
        encoder.dispatchThreadgroups_threadsPerThreadgroup_(size(groups, 1, 1), size(threads, 1, 1))
        encoder.endEncoding()
        commands.commit()
        commands.waitUntilCompleted()
        if int(commands.status()) == _FAILED:
            raise LaunchError(f"the GPU failed to run {entry}: {words(commands.error())}", kernel=entry)
        return float(commands.GPUStartTime()), float(commands.GPUEndTime())
