# SPDX-License-Identifier: MIT
"""A driver in Python: every C function that `tracea_cuda.driver` calls, remembering what was launched with which bytes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import BoxMap, KernelSource
from tracea_core.errors import BackendUnavailableError
from tracea_core.semantic.index import Const, Sym, ceil_div
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_cuda import compile as compiler
from tracea_cuda import driver as cuda
from tracea_cuda import ptxas
from tracea_cuda.driver import Driver, LaunchAttribute, LaunchConfig
from tracea_cuda.runtime import CudaKernel, Device

CONTEXTS = {0: 0xC0, 1: 0xC1}
ATTRIBUTES = {
    cuda.MAX_THREADS_PER_BLOCK: 1024, cuda.WARP_SIZE: 32, cuda.CLOCK_RATE: 1_980_000, cuda.PROCESSORS: 132,
    cuda.COMPUTE_MODE: 0, cuda.MEMORY_CLOCK_RATE: 3_201_000, cuda.MEMORY_BUS_WIDTH: 6144, cuda.L2_BYTES: 60 << 20,
    cuda.MAJOR: 9, cuda.MINOR: 0, cuda.SHARED_PER_PROCESSOR: 228 << 10, cuda.REGISTERS_PER_PROCESSOR: 65536,
    cuda.SHARED_PER_BLOCK: 227 << 10, cuda.CLUSTER_LAUNCH: 1, cuda.TENSOR_MAPS: 1,
}  # fmt: skip


@dataclass
class Launched:
    """What one launch passed: configuration, cluster, and for each argument the first bytes behind its place."""

    function: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    stream: int
    cluster: tuple[int, ...] | None
    arguments: list[bytes]
    early: bool = False


@dataclass
class FakeLibrary:
    """Has one attribute for each function; `fail[name]` makes a function return that code."""

    count: int = 1
    version: int = 13000
    name: bytes = b"NVIDIA H200"
    attributes: dict[int, int] = field(default_factory=lambda: dict(ATTRIBUTES))
    fail: dict[str, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    required_cluster: int = 0
    current: int = 0
    calls: list[str] = field(default_factory=list)
    launched: list[Launched] = field(default_factory=list)
    encoded: list[tuple[Any, ...]] = field(default_factory=list)
    function_attributes: dict[int, int] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)
    memory: dict[int, Any] = field(default_factory=dict)
    events: dict[int, float] = field(default_factory=dict)
    clock: float = 0.0
    needs_context: bool = False
    function_context: int = 0
    capture_mode: int = 0
    captured: dict[int, int] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        function = getattr(type(self), "do_" + name)

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            code = self.fail.get(name, 0)
            return code if code else function(self, *arguments) or 0

        return call

    def do_cuInit(self, flags: int) -> None: ...

    def do_cuDriverGetVersion(self, out: Any) -> None:
        out._obj.value = self.version

    def do_cuGetErrorName(self, code: int, out: Any) -> None:
        names = {700: b"CUDA_ERROR_ILLEGAL_ADDRESS", 1: b"CUDA_ERROR_INVALID_VALUE", 201: b"CUDA_ERROR_INVALID_CONTEXT"}
        out._obj.value = names.get(code, b"CUDA_ERROR_%d" % code)

    def do_cuGetErrorString(self, code: int, out: Any) -> None:
        out._obj.value = b"the driver's words"

    def do_cuDeviceGetCount(self, out: Any) -> None:
        out._obj.value = self.count

    def do_cuDeviceGet(self, out: Any, ordinal: int) -> None:
        out._obj.value = ordinal

    def do_cuDeviceGetName(self, text: Any, size: int, device: int) -> None:
        text.value = self.name

    def do_cuDeviceGetUuid_v2(self, out: Any, device: int) -> None:
        out._obj[:] = range(16)

    def do_cuDeviceTotalMem_v2(self, out: Any, device: int) -> None:
        out._obj.value = 141 << 30

    def do_cuDeviceGetAttribute(self, out: Any, number: int, device: int) -> int:
        if number not in self.attributes:
            return 1
        out._obj.value = self.attributes[number]
        return 0

    def do_cuDevicePrimaryCtxRetain(self, out: Any, device: int) -> None:
        out._obj.value = CONTEXTS[device]

    def do_cuCtxGetCurrent(self, out: Any) -> None:
        out._obj.value = self.current

    def do_cuCtxPushCurrent_v2(self, context: int) -> None:
        self.stack.append(self.current)
        self.current = context

    def do_cuCtxPopCurrent_v2(self, out: Any) -> None:
        out._obj.value, self.current = self.current, self.stack.pop()

    def do_cuCtxSynchronize(self) -> None: ...

    def do_cuThreadExchangeStreamCaptureMode(self, mode: Any) -> None:
        mode._obj.value, self.capture_mode = self.capture_mode, mode._obj.value

    def do_cuStreamGetCaptureInfo_v3(self, stream: int, status: int, graph: int, *rest: Any) -> None:
        number = self.captured.get(stream, 0)
        ctypes.c_int.from_address(status).value = int(number > 0)
        ctypes.c_ulonglong.from_address(graph).value = number

    def do_cuModuleLoadData(self, out: Any, binary: bytes) -> None:
        assert self.current, "a module is loaded into a context"
        out._obj.value = 0x30D

    def do_cuModuleGetFunction(self, out: Any, module: Any, name: bytes) -> None:
        out._obj.value = 0xF00

    def do_cuFuncGetAttribute(self, out: Any, number: int, function: int) -> None:
        out._obj.value = self.required_cluster if number == cuda.REQUIRED_CLUSTER_WIDTH else 0

    def do_cuFuncSetAttribute(self, function: int, number: int, value: int) -> None:
        self.function_attributes[number] = value

    def do_cuLaunchKernelEx(self, config_at: int, function: int, table_at: int, extra: Any) -> int:
        if self.needs_context and not self.current:
            return cuda.INVALID_CONTEXT
        if self.current and self.function_context not in (0, self.current):
            return cuda.INVALID_HANDLE
        config = LaunchConfig.from_address(config_at)
        attributes = (LaunchAttribute * config.attribute_count).from_address(config.attributes)
        given = {attribute.id: tuple(attribute.value[:3]) for attribute in attributes}
        assert len(given) == config.attribute_count and given.keys() <= {cuda.CLUSTER_DIMENSION, cuda.BEGINS_EARLY}
        cluster = given.get(cuda.CLUSTER_DIMENSION)
        places = (ctypes.c_uint64 * len(self.sizes)).from_address(table_at)
        arguments = [ctypes.string_at(place, size) for place, size in zip(places, self.sizes, strict=True)]
        self.launched.append(
            Launched(
                function,
                tuple(config.grid),
                tuple(config.block),
                config.shared_bytes,
                config.stream or 0,
                cluster,
                arguments,
                bool(given.get(cuda.BEGINS_EARLY, (0,))[0]),
            )
        )
        return 0

    def do_cuTensorMapEncodeTiled(
        self, target: int, kind: int, rank: int, address: int, extents: int, strides: int, box: int, steps: int,
        interleave: int, swizzle: int, promotion: int, fill: int,
    ) -> None:  # fmt: skip
        assert target % 64 == 0, "a descriptor is aligned to 64 bytes"
        sizes = tuple((ctypes.c_uint64 * rank).from_address(extents))
        steps_bytes = tuple((ctypes.c_uint64 * (rank - 1)).from_address(strides)) if rank > 1 else ()
        boxes = tuple((ctypes.c_uint32 * rank).from_address(box))
        assert tuple((ctypes.c_uint32 * rank).from_address(steps)) == (1,) * rank
        assert (interleave, fill) == (0, 0)
        words = (ctypes.c_uint64 * 16).from_address(target)
        words[:] = [address, (1 << 64) - 1, *[0] * 14]
        self.encoded.append((kind, address, sizes, steps_bytes, boxes, swizzle, promotion))

    def do_cuTensorMapEncodeIm2col(
        self, target: int, kind: int, rank: int, address: int, extents: int, strides: int, lower: int, upper: int, channels: int,
        windows: int, steps: int, interleave: int, swizzle: int, promotion: int, fill: int,
    ) -> None:  # fmt: skip
        sizes = tuple((ctypes.c_uint64 * rank).from_address(extents))
        steps_bytes = tuple((ctypes.c_uint64 * (rank - 1)).from_address(strides))
        corners = tuple(tuple((ctypes.c_int * (rank - 2)).from_address(corner)) for corner in (lower, upper))
        strided = tuple((ctypes.c_uint32 * rank).from_address(steps))
        (ctypes.c_uint64 * 16).from_address(target)[:] = [address, *[0] * 15]
        self.encoded.append(
            (kind, address, sizes, steps_bytes, corners, (channels, windows), strided, swizzle, promotion)
        )

    def do_cuMemAlloc_v2(self, out: Any, size: int) -> None:
        memory = ctypes.create_string_buffer(b"\xa5" * size, size)
        self.memory[ctypes.addressof(memory)] = memory
        out._obj.value = ctypes.addressof(memory)

    def do_cuMemFree_v2(self, address: int) -> None:
        del self.memory[address]

    def do_cuMemcpyHtoD_v2(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def do_cuMemcpyDtoH_v2(self, target: int, source: int, size: int) -> None:
        ctypes.memmove(target, source, size)

    def do_cuMemsetD8Async(self, target: int, value: int, size: int, stream: int) -> None:
        ctypes.memset(target, value, size)

    def do_cuStreamIsCapturing(self, stream: int, out: Any) -> None:
        place = ctypes.c_int.from_address(out) if isinstance(out, int) else out._obj
        place.value = int(self.captured.get(stream, 0) > 0)

    def do_cuEventCreate(self, out: Any, flags: int) -> None:
        out._obj.value = 0xE00 + len(self.events)
        self.events[out._obj.value] = 0.0

    def do_cuEventRecord(self, event: int, stream: int) -> None:
        self.clock += 0.25
        self.events[event] = self.clock

    def do_cuEventSynchronize(self, event: int) -> None: ...

    def do_cuEventElapsedTime(self, out: Any, start: int, end: int) -> None:
        out._obj.value = self.events[end] - self.events[start]


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACEA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        compiler.binary_cache.cache_clear()
        yield
    compiler.binary_cache.cache_clear()


@pytest.fixture
def library() -> FakeLibrary:
    """A driver with one H200."""
    return FakeLibrary()


@pytest.fixture
def driver(library: FakeLibrary) -> Driver:
    """The same behind the package's own face."""
    return Driver(library)


@pytest.fixture
def device(driver: Driver) -> Device:
    """Its first device."""
    return Device(driver, 0)


def make_source(**changes: Any) -> KernelSource:
    """A kernel ``scale(a_boxes, a, c, m, c_row)``: one descriptor, two pointers, a narrow and a wide symbol."""
    boxes = (BoxMap("a_boxes", "a", DType.BF16, (Const(64), Sym("m")), (Const(1), Const(64)), (64, 128), 128),)
    source = KernelSource(
        language="cuda",
        arch="sm_90a",
        entry="scale",
        text='extern "C" __global__ void scale() {}',
        parameters=(Parameter("a", DType.BF16, Direction.READ, 16), Parameter("c", DType.BF16, Direction.WRITE, 2)),
        symbols=(Symbol("m", 0, 1 << 20), Symbol("c_row", 0, 1 << 40, 8)),
        workspaces=(),
        launch=Launch(ceil_div(Sym("m"), 128) * 2, 384, 2, 200_000),
        kernel_digest="0" * 64,
        certificate="0" * 64,
        boxes=boxes,
    )
    return source.replace(**changes)


SIZES = [128, 8, 8, 4, 8]
"""Bytes of the arguments of `make_source`."""


@pytest.fixture
def source() -> KernelSource:
    """The kernel of `make_source`."""
    return make_source()


@pytest.fixture
def kernel(source: KernelSource, device: Device, library: FakeLibrary) -> CudaKernel:
    """That kernel, loaded."""
    library.sizes = SIZES
    return CudaKernel(source, device, b"\x7fELF")


@pytest.fixture(scope="session")
def nvcc() -> str:
    """The path of nvcc; its absence skips the test."""
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    places = [str(Path(home) / "bin") for home in homes if home] + ["/usr/local/cuda/bin"]
    found = shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(places))
    return found or pytest.skip("nvcc is not installed")


@pytest.fixture
def compile_nvcc(nvcc: str, tmp_path: Path) -> Any:
    """What compiles as `tracea_cuda.compile.compile_nvrtc` does, with the other compiler."""

    def compile_text(text: str, arch: str, entry: str) -> compiler.Compiled:
        source, target = tmp_path / "kernel.cu", tmp_path / "kernel.cubin"
        source.write_text(text, "utf-8")
        # The long form: -arch=sm_90a lets newer compilers add a pass for plain sm_90, which knows no wgmma.
        command = [nvcc, "-cubin", "-gencode", f"arch={arch.replace('sm', 'compute')},code={arch}",
                   f"-std={compiler.STANDARD}", "-Xptxas", "-v", "-o", str(target), str(source)]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if ran.returncode:
            raise compiler.rejection(text, ran.stderr, arch, entry)
        return compiler.Compiled(target.read_bytes(), ptxas.parse(ran.stderr, entry), ran.stderr)

    return compile_text


@pytest.fixture(scope="session")
def kept() -> Callable[..., None]:
    """Return a test that NVRTC keeps the schedule of a source: ``kept(source, registers=255)`` finds neither spills nor other faults."""

    def keeps(source: KernelSource, registers: int = 255, arch: str | None = None) -> None:
        try:
            compiled = compiler.compile_nvrtc(source.text, arch or source.arch, source.entry)
        except BackendUnavailableError as error:
            pytest.skip(str(error))
        assert compiled.report.faults == ()
        assert compiled.report.registers <= registers

    return keeps
