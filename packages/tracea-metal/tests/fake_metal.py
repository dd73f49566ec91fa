# SPDX-License-Identifier: MIT
"""A stand-in for pyobjc's binding of Metal: every call by its exact name, in the order that Apple documents, with errors on request.

A dispatched kernel runs in the emulator on the bytes of its buffers, so what the runtime binds where is what is computed.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
from tracea_core.doctor.presets import preset
from tracea_core.testing.simt import SimtProgram

ERROR_STATUS, DONE_STATUS = 5, 4


class NSError:
    def __init__(self, text: str) -> None:
        self.text = text

    def localizedDescription(self) -> str:
        return self.text


class Buffer:
    """An MTLBuffer; addresses of the GPU are none of the processor's."""

    next_address = 0x11_0000_0000

    def __init__(self, size: int) -> None:
        self.memory = bytearray(size)
        self.address = Buffer.next_address
        Buffer.next_address += -(-size // 16384) * 16384

    def length(self) -> int:
        return len(self.memory)

    def gpuAddress(self) -> int:
        return self.address

    def contents(self) -> Any:
        return SimpleNamespace(as_buffer=lambda count: memoryview(self.memory)[:count])


class Encoder:
    def __init__(self, commands: Commands) -> None:
        self.commands, self.pipeline, self.bound, self.bytes, self.ended = commands, None, {}, {}, False

    def setComputePipelineState_(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def setBuffer_offset_atIndex_(self, buffer: Buffer, offset: int, index: int) -> None:
        assert isinstance(buffer, Buffer) and 0 <= offset <= buffer.length()
        self.bound[index] = (buffer, offset)

    def setBytes_length_atIndex_(self, content: bytes, length: int, index: int) -> None:
        assert isinstance(content, bytes) and length == len(content) <= 4096, "larger ones need a buffer"
        self.bytes[index] = content

    def dispatchThreadgroups_threadsPerThreadgroup_(self, groups: Any, threads: Any) -> None:
        assert self.pipeline is not None
        self.commands.dispatched = (self, groups, threads)

    def endEncoding(self) -> None:
        self.ended = True


class Commands:
    """An MTLCommandBuffer: nothing runs before it is committed, and nobody knows the result before it was waited for."""

    def __init__(self, device: FakeDevice) -> None:
        self.device, self.dispatched, self.committed, self.waited = device, None, False, False

    def computeCommandEncoder(self) -> Encoder:
        return Encoder(self)

    def commit(self) -> None:
        assert self.dispatched and self.dispatched[0].ended, "encoding ends before the commit"
        self.committed = True

    def waitUntilCompleted(self) -> None:
        assert self.committed
        encoder, groups, threads = self.dispatched
        self.waited = True
        if self.device.fails is None:
            encoder.pipeline.run(encoder, groups, threads)
        self.device.launches += 1

    def status(self) -> int:
        assert self.waited
        return ERROR_STATUS if self.device.fails else DONE_STATUS

    def error(self) -> Any:
        return NSError(self.device.fails) if self.device.fails else None

    def GPUStartTime(self) -> float:
        return 2.0

    def GPUEndTime(self) -> float:
        return 2.25


class Pipeline:
    def __init__(self, device: FakeDevice, text: str, entry: str) -> None:
        self.device = device
        self.program = SimtProgram(text, language="metal", target=preset(device.preset), entry=entry)

    def maxTotalThreadsPerThreadgroup(self) -> int:
        return self.device.most_threads

    def staticThreadgroupMemoryLength(self) -> int:
        return self.program.static_shared_bytes

    def run(self, encoder: Encoder, groups: Any, threads: Any) -> None:
        pieces = {index: np.frombuffer(b.memory, np.uint8)[offset:] for index, (b, offset) in encoder.bound.items()}
        copies = {index: piece.copy() for index, piece in pieces.items()}
        arguments = [copies.get(i, encoder.bytes.get(i)) for i in range(len(copies) + len(encoder.bytes))]
        self.program.run(tuple(groups), tuple(threads), arguments).require_clean()
        for index, piece in pieces.items():
            changed = copies[index] != piece
            piece[changed] = copies[index][changed]


class FakeDevice:
    def __init__(self, name: str = "m1", families: tuple[str, ...] = ("MTLGPUFamilyApple7",)) -> None:
        self.preset, self.families = name, families
        self.fails: str | None = None
        self.rejects: str | None = None
        self.most_threads, self.launches, self.memory_left = 1024, 0, True
        self.options: Any = None

    def name(self) -> str:
        return "Apple M1"

    def supportsFamily_(self, family: str) -> bool:
        return family in self.families

    def maxThreadgroupMemoryLength(self) -> int:
        return 32768

    def recommendedMaxWorkingSetSize(self) -> int:
        return 11 << 30

    def newCommandQueue(self) -> Any:
        return SimpleNamespace(commandBuffer=lambda: Commands(self))

    def newBufferWithLength_options_(self, size: int, options: int) -> Buffer | None:
        assert options == 0
        return Buffer(size) if self.memory_left else None

    def newLibraryWithSource_options_error_(self, text: str, options: Any, error: None) -> tuple[Any, Any]:
        assert error is None, "pyobjc wants None where Objective-C takes the place for an error"
        self.options = options
        if self.rejects:
            return None, NSError(self.rejects)
        library = SimpleNamespace(newFunctionWithName_=lambda name: (text, name) if f"void {name}(" in text else None)
        return library, None

    def newComputePipelineStateWithFunction_error_(self, function: Any, error: None) -> tuple[Any, Any]:
        assert error is None
        return Pipeline(self, *function), None


class Options:
    def __init__(self, modern: bool) -> None:
        self.modern, self.safe = modern, False

    def respondsToSelector_(self, name: str) -> bool:
        return self.modern and name == "setMathMode:"

    def setMathMode_(self, mode: str) -> None:
        assert self.modern
        self.safe = mode == "safe"

    def setFastMathEnabled_(self, fast: bool) -> None:
        assert not self.modern
        self.safe = not fast


def framework(device: FakeDevice | None, modern: bool = True) -> Any:
    """Return what ``import Metal`` would."""
    made = SimpleNamespace(init=lambda: Options(modern))
    return SimpleNamespace(
        MTLCreateSystemDefaultDevice=lambda: device,
        MTLCompileOptions=SimpleNamespace(alloc=lambda: made),
        MTLMathModeSafe="safe",
        MTLResourceStorageModeShared=0,
        MTLSizeMake=lambda x, y, z: (x, y, z),
        MTLGPUFamilyApple7="MTLGPUFamilyApple7",
        MTLGPUFamilyApple8="MTLGPUFamilyApple8",
        MTLGPUFamilyApple9="MTLGPUFamilyApple9",
    )


def objc(objects: dict[int, Buffer]) -> Any:
    """Return what ``import objc`` would, knowing some objects by their addresses."""

    def objc_object(*, c_void_p: ctypes.c_void_p) -> Buffer:
        assert c_void_p.value is not None
        return objects[c_void_p.value]

    return SimpleNamespace(objc_object=objc_object)
