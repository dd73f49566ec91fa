# SPDX-License-Identifier: MIT
"""A stand-in for AMD's bindings: the functions that `tracea_hip` calls, on memory of the host, remembering every launch.

Like the bindings, each returns a tuple whose first item is the status; pointers may be integers, buffers or None.
"""

from __future__ import annotations

import ctypes
import enum
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


class hipError_t(enum.IntEnum):
    hipSuccess = 0
    hipErrorInvalidValue = 1
    hipErrorOutOfMemory = 2
    hipErrorNoDevice = 100
    hipErrorIllegalAddress = 700
    hipErrorStreamCaptureUnsupported = 900


@dataclass
class Launched:
    """What one launch passed: grid, block, stream, device, and the first bytes behind the place of each argument."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    stream: int | None
    device: int
    arguments: list[bytes]


def properties(**changes: Any) -> SimpleNamespace:
    """An MI300X as HIP describes it."""
    facts: dict[str, Any] = {
        "name": b"AMD Instinct MI300X", "gcnArchName": b"gfx942:sramecc+:xnack-", "multiProcessorCount": 304, "warpSize": 64,
        "maxThreadsPerBlock": 1024, "sharedMemPerBlock": 65536, "l2CacheSize": 4 << 20, "totalGlobalMem": 206_000_000_000,
        "clockRate": 2_100_000,
    }  # fmt: skip
    return SimpleNamespace(**{**facts, **changes})


@dataclass
class FakeHip:
    """``rocm.bindings.hip``; `fail[name]` makes a function return that status."""

    devices: list[SimpleNamespace] = field(default_factory=lambda: [properties()])
    fail: dict[str, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    launched: list[Launched] = field(default_factory=list)
    memory: dict[int, Any] = field(default_factory=dict)
    loaded: list[bytes] = field(default_factory=list)
    capturing: dict[int | None, int] = field(default_factory=dict)
    events: list[float] = field(default_factory=list)
    clock: float = 0.0
    current: int = 0
    hipError_t = hipError_t

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("hip"):
            raise AttributeError(name)
        function = getattr(type(self), "do_" + name)

        def call(*arguments: Any) -> tuple[Any, ...]:
            self.calls.append(name)
            if self.fail.get(name):
                return (hipError_t(self.fail[name]), *(None,) * 2)
            given = function(self, *arguments)
            return (hipError_t.hipSuccess, *(given if isinstance(given, tuple) else () if given is None else (given,)))

        return call

    def do_hipInit(self, flags: int) -> None: ...

    def do_hipGetErrorString(self, code: hipError_t) -> bytes:
        return b"the runtime's words"

    def do_hipRuntimeGetVersion(self) -> int:
        return 70_152_802

    def do_hipGetDeviceCount(self) -> int:
        return len(self.devices)

    def do_hipGetDeviceProperties(self, ordinal: int) -> SimpleNamespace:
        return self.devices[ordinal]

    def do_hipGetDevice(self) -> int:
        return self.current

    def do_hipSetDevice(self, ordinal: int) -> None:
        self.current = ordinal

    def do_hipDeviceSynchronize(self) -> None: ...

    def do_hipModuleLoadData(self, binary: bytes) -> str:
        self.loaded.append(binary)
        return "module"

    def do_hipModuleGetFunction(self, module: str, name: bytes) -> str:
        assert module == "module"
        return f"function {name.decode()}"

    def do_hipModuleLaunchKernel(self, function: str, *rest: Any) -> None:
        grid, block, (shared, stream, table, extra) = rest[:3], rest[3:6], rest[6:]
        assert extra is None
        places = (ctypes.c_uint64 * len(self.sizes)).from_address(table)
        arguments = [ctypes.string_at(place, size) for place, size in zip(places, self.sizes, strict=True)]
        self.launched.append(Launched(grid, block, shared, stream, self.current, arguments))

    def do_hipMalloc(self, size: int) -> int:
        memory = ctypes.create_string_buffer(b"\xa5" * size, size)
        self.memory[ctypes.addressof(memory)] = memory
        return ctypes.addressof(memory)

    def do_hipFree(self, address: int) -> None:
        del self.memory[address]

    def do_hipMemcpyHtoD(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def do_hipMemcpyDtoH(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def do_hipMemsetAsync(self, target: int, value: int, size: int, stream: None) -> None:
        ctypes.memset(target, value, size)

    def do_hipEventCreate(self) -> int:
        self.events.append(0.0)
        return len(self.events) - 1

    def do_hipEventRecord(self, event: int, stream: None) -> None:
        self.clock += 250.0
        self.events[event] = self.clock

    def do_hipEventSynchronize(self, event: int) -> None: ...

    def do_hipEventElapsedTime(self, start: int, end: int) -> float:
        return self.events[end] - self.events[start]

    def do_hipStreamGetCaptureInfo(self, stream: int | None) -> tuple[int, int]:
        number = self.capturing.get(stream)
        return (0, 0) if number is None else (1, number)


@dataclass
class Program:
    """A handle; destroying takes its address, as the bindings do."""

    text: bytes

    def createRef(self) -> tuple[Program]:
        return (self,)


@dataclass
class FakeHiprtc:
    """``rocm.bindings.hiprtc``; `log` makes a compilation fail, `missing` the library."""

    code: bytes = b""
    log: bytes = b""
    missing: bool = False
    compiled: list[tuple[bytes, tuple[bytes, ...]]] = field(default_factory=list)
    destroyed: int = 0

    def hiprtcVersion(self) -> tuple[hipError_t, int, int]:
        if self.missing:
            raise RuntimeError("failed to dlopen libhiprtc.so")
        return hipError_t.hipSuccess, 9, 0

    def hiprtcCreateProgram(self, text: bytes, name: bytes, count: int, headers: None, names: None) -> tuple[Any, ...]:
        return hipError_t.hipSuccess, Program(text)

    def hiprtcCompileProgram(self, program: Program, count: int, options: list[bytes]) -> tuple[hipError_t]:
        assert count == len(options)
        self.compiled.append((program.text, tuple(options)))
        return (hipError_t.hipErrorInvalidValue if self.log else hipError_t.hipSuccess,)

    def hiprtcGetProgramLogSize(self, program: Program) -> tuple[hipError_t, int]:
        return hipError_t.hipSuccess, len(self.log) + 1

    def hiprtcGetProgramLog(self, program: Program, log: bytearray) -> tuple[hipError_t]:
        log[:-1] = self.log
        return (hipError_t.hipSuccess,)

    def hiprtcGetCodeSize(self, program: Program) -> tuple[hipError_t, int]:
        return hipError_t.hipSuccess, len(self.code)

    def hiprtcGetCode(self, program: Program, code: bytearray) -> tuple[hipError_t]:
        code[:] = self.code
        return (hipError_t.hipSuccess,)

    def hiprtcDestroyProgram(self, reference: tuple[Program]) -> tuple[hipError_t]:
        assert isinstance(reference[0], Program)
        self.destroyed += 1
        return (hipError_t.hipSuccess,)


def note(**changes: int) -> bytes:
    """A code object of nothing but the note that says what the compiler did."""
    import struct

    import msgspec

    facts = {
        ".vgpr_count": 64, ".agpr_count": 0, ".sgpr_count": 32, ".vgpr_spill_count": 0, ".sgpr_spill_count": 0,
        ".group_segment_fixed_size": 0, ".private_segment_fixed_size": 0,
    }  # fmt: skip
    words = {f".{name}": value for name, value in changes.items()}
    content = msgspec.msgpack.encode({"amdhsa.kernels": [{**facts, **words}]})
    owner = b"AMDGPU\0\0"
    notes = struct.pack("<III", 7, len(content), 32) + owner + content + b"\0" * (-len(content) % 4)
    head = bytearray(64)
    head[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<Q", head, 0x28, 64)
    struct.pack_into("<HH", head, 0x3A, 64, 1)
    section = bytearray(64)
    struct.pack_into("<I", section, 4, 7)
    struct.pack_into("<QQ", section, 0x18, 128, len(notes))
    return bytes(head + section) + notes
