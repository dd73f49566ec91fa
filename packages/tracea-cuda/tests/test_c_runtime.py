# SPDX-License-Identifier: MIT
"""Exported libraries hand the driver what launches from Python do: a driver of C forwards every call to the fake one."""

from __future__ import annotations

import ctypes
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.export import ExportedLibrary, export_library
from tracea_core.export.build import compiler_for, machine
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_cuda.driver import Driver
from tracea_cuda.launch import CudaLauncher
from tracea_cuda.runtime import CudaKernel, Device

from .conftest import CONTEXTS, FakeLibrary

pytestmark = pytest.mark.toolchain
BASE = 0x7F00_0000_0000
FUNCTIONS = {  # how many arguments, and which are places to write to, of which type
    "cuInit": (1, {}), "cuDriverGetVersion": (1, {0: ctypes.c_int}), "cuGetErrorName": (2, {1: ctypes.c_char_p}),
    "cuGetErrorString": (2, {1: ctypes.c_char_p}), "cuDeviceGet": (2, {0: ctypes.c_int}),
    "cuDevicePrimaryCtxRetain": (2, {0: ctypes.c_void_p}),
    "cuCtxGetCurrent": (1, {0: ctypes.c_void_p}), "cuCtxSetCurrent": (1, {}), "cuModuleLoadData": (2, {0: ctypes.c_void_p}),
    "cuModuleGetFunction": (3, {0: ctypes.c_void_p}), "cuFuncGetAttribute": (3, {0: ctypes.c_int}), "cuFuncSetAttribute": (3, {}),
    "cuLaunchKernelEx": (4, {}), "cuTensorMapEncodeTiled": (12, {}), "cuTensorMapEncodeIm2col": (15, {}),
    "cuMemAllocAsync": (3, {0: ctypes.c_void_p}), "cuMemFreeAsync": (2, {}),
}  # fmt: skip


class Place:
    """What ctypes.byref gives the fake driver, over an address."""

    def __init__(self, kind: Any, address: int) -> None:
        self._obj = kind.from_address(address)


class Forwarded(FakeLibrary):
    """The fake driver with what only libraries call, and functions that are told apart."""

    def __init__(self, sizes: dict[str, list[int]], **given: Any) -> None:
        super().__init__(**given)
        self.entries, self.sizes_of = list(sizes), sizes
        self.lent: list[tuple[int, int]] = []
        self.freed: list[tuple[int, int]] = []

    def do_cuCtxSetCurrent(self, context: int) -> None:
        self.current = context

    def do_cuModuleGetFunction(self, out: Any, module: Any, name: Any) -> None:
        text = name if isinstance(name, bytes) else ctypes.string_at(name)
        out._obj.value = 0xF00 + self.entries.index(text.decode())

    def do_cuLaunchKernelEx(self, config: int, function: int, table: int, extra: Any) -> int:
        self.sizes = self.sizes_of[self.entries[function - 0xF00]]
        return super().do_cuLaunchKernelEx(config, function, table, extra)

    def do_cuMemAllocAsync(self, out: Any, size: int, stream: int) -> None:
        self.lent.append((size, stream))
        out._obj.value = BASE + (1 << 40)

    def do_cuMemFreeAsync(self, address: int, stream: int) -> None:
        self.freed.append((address, stream))


@pytest.fixture(scope="module")
def driver_library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A driver whose functions call pointers that stand beside them."""
    try:
        compiler = compiler_for(machine())
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    folder = tmp_path_factory.mktemp("driver")
    lines = []
    for name, (count, _) in FUNCTIONS.items():
        taken = ", ".join(f"long a{place}" for place in range(count))
        given = ", ".join(f"a{place}" for place in range(count))
        lines.append(f"int (*fake_{name})({taken});\nint {name}({taken}) {{ return fake_{name}({given}); }}")
    (folder / "driver.c").write_text("\n".join(lines))
    target = folder / "libdriver.so"
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(folder / "driver.c")], check=True)
    return ctypes.CDLL(str(target))


def forward(library: Any, fake: Forwarded) -> list[Any]:
    """Let the library's functions call the fake driver; return what has to live as long."""
    kept = []
    for name, (count, places) in FUNCTIONS.items():

        def call(*words: int, name: str = name, places: Any = places) -> int:
            given = [Place(places[at], word or 0) if at in places else (word or 0) for at, word in enumerate(words)]
            return int(getattr(fake, name)(*given))

        kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * count)
        kept.append(kind(call))
        ctypes.c_void_p.in_dll(library, f"fake_{name}").value = ctypes.cast(kept[-1], ctypes.c_void_p).value
    return kept


def last(shape: tuple[int, int, int, int], dtype: DType) -> TensorSpec:
    """A channels-last tensor of shape (n, c, h, w)."""
    n, c, h, w = shape
    return TensorSpec((n, c, h, w), dtype, (h * w * c, 1, w * c, c))


def product(m: int, n: int, k: int, epilogue: str = "") -> Problem:
    dtype = DType.BF16
    tail = parse_epilogue(epilogue)
    shapes = [TensorSpec.contiguous((n,), DType.FP32)] if tail.operands else []
    inputs = TensorSpec.contiguous((m, k), dtype), TensorSpec.contiguous((k, n), dtype)
    return Problem(GemmOp(m, n, k, dtype=dtype), inputs, TensorSpec.contiguous((m, n), dtype), tail, tuple(shapes))


def convolution(stride: int, kind: Any = Conv2dOp) -> Problem:
    dtype = DType.FP16
    op = kind(2, 64, 14, 14, 64, 3, 3, (stride, stride), (1, 1), dtype=dtype)
    return Problem(op, tuple(last(shape, dtype) for shape in op.input_shapes()), last(op.output_shape(), dtype))


def attention() -> Problem:
    op = AttentionOp(1, 2, 130, 200, 64, causal=True, dtype=DType.BF16)
    specs = tuple(TensorSpec.contiguous(shape, DType.BF16) for shape in op.input_shapes())
    return Problem(op, specs, TensorSpec.contiguous(op.output_shape(), DType.BF16))


STATED = {
    "product": product(256, 512, 256, "bias,gelu"), "odd": product(333, 777, 129), "divided": product(64, 64, 16384),
    "windows": convolution(1), "strided": convolution(2), "phases": convolution(2, ConvTranspose2dOp), "seen": attention(),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, driver_library: Any) -> ExportedLibrary:
    folder: Path = tmp_path_factory.mktemp("exported") / "made"
    stated = [(name, name, problem) for name, problem in STATED.items()]
    with pytest.MonkeyPatch.context() as patch:
        driver = f'-DTRACEA_CUDA_LIBRARY="{driver_library._name}"'
        patch.setenv("CC", shlex.join((*compiler_for(machine()), "-Werror", driver)))
        return export_library(folder, stated, "gpu", preset="h200", built=True)


@pytest.fixture(scope="module")
def loaded(made: ExportedLibrary) -> Any:
    library = ctypes.CDLL(str(made.library))
    library.gpu_last_error.restype = ctypes.c_char_p
    return library


@pytest.fixture
def fake(made: ExportedLibrary, driver_library: Any) -> Iterator[Forwarded]:
    sizes = {}
    for call in made.calls:
        for step in call.known.steps:
            source = step.source
            words = [8 if symbol.wide else 4 for symbol in source.symbols]
            sizes[source.entry] = [*[128] * len(source.boxes), *[8] * len(source.parameters), *words]
    found = Forwarded(sizes)
    kept = forward(driver_library, found)
    yield found
    assert len(kept) == len(FUNCTIONS)


def addresses(call: Any) -> list[int]:
    return [BASE + place * (1 << 30) for place in range(len(call.tensors))]


def run(library: Any, call: Any, pointers: list[int], stream: int) -> int:
    return int(
        getattr(library, f"gpu_{call.name}")(
            *(ctypes.c_void_p(pointer) for pointer in pointers), ctypes.c_void_p(stream)
        )
    )


@pytest.mark.parametrize("name", STATED)
def test_the_driver_is_told_what_python_tells_it(
    made: ExportedLibrary, loaded: Any, fake: Forwarded, name: str
) -> None:
    call = next(one for one in made.calls if one.name == name)
    pointers, stream = addresses(call), 0x57
    assert run(loaded, call, pointers, stream) == 0, loaded.gpu_last_error()
    other = Forwarded(fake.sizes_of, current=fake.current)
    device = Device(Driver(other), 0)
    other.current = CONTEXTS[0]
    space, places = BASE + (1 << 40), list(pointers)
    for size in call.known.spaces.values():
        places.append(space)
        space += -(-size // 256) * 256
    for step in call.steps:
        launcher = CudaLauncher(CudaKernel(step.known.source, device, b"\x7fELF"), step.known.symbols)
        launcher(
            *(places[place] + shift for place, shift in zip(step.operands, step.shifts, strict=True)), stream=stream
        )
    assert fake.launched == other.launched and len(fake.launched) == len(call.steps)
    assert fake.encoded == other.encoded
    assert (
        [stream for _, stream in fake.lent]
        == [stream for _, stream in fake.freed]
        == [stream] * bool(call.known.spaces)
    )


def test_the_cases_reach_what_they_are_for(made: ExportedLibrary) -> None:
    found = {call.name: call for call in made.calls}
    assert found["divided"].known.spaces and any(any(step.shifts) for step in found["phases"].steps)
    boxes = {name: [box for step in call.known.steps for box in step.source.boxes] for name, call in found.items()}
    assert any(box.pixels is not None for box in boxes["strided"]) and not boxes["odd"]
    assert any(step.source.launch.early for call in made.calls for step in call.known.steps)


def test_kernels_are_loaded_once_in_each_context(made: ExportedLibrary, loaded: Any, fake: Forwarded) -> None:
    call = made.calls[0]
    for context in (0xA0, 0xA1, 0xA0, 0xA1):
        fake.current = context
        assert run(loaded, call, addresses(call), 0) == 0
    assert fake.calls.count("cuModuleLoadData") == 2 and fake.calls.count("cuLaunchKernelEx") == 4


def test_the_drivers_refusals_become_statuses(made: ExportedLibrary, loaded: Any, fake: Forwarded) -> None:
    call = made.calls[0]
    fake.fail["cuLaunchKernelEx"] = 700
    assert run(loaded, call, addresses(call), 0) == 3
    said = loaded.gpu_last_error().decode()
    assert "launching the kernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (700), the driver's words" in said
    fake.fail.clear()
    fake.fail["cuTensorMapEncodeTiled"] = 1
    assert run(loaded, call, addresses(call), 0) == 3 and b"describing a tensor" in loaded.gpu_last_error()
    fake.fail.clear()
    divided = next(one for one in made.calls if one.name == "divided")
    fake.fail["cuMemAllocAsync"] = 2
    assert run(loaded, divided, addresses(divided), 0) == 3 and b"allocating a workspace" in loaded.gpu_last_error()
    fake.fail.clear()
    fake.fail["cuLaunchKernelEx"] = 1
    assert run(loaded, divided, addresses(divided), 0) == 3
    assert len(fake.freed) == 1  # what was lent is given back


def test_addresses_that_the_copy_engine_does_not_take_are_refused(
    made: ExportedLibrary, loaded: Any, fake: Forwarded
) -> None:
    call = made.calls[0]
    pointers = addresses(call)
    assert run(loaded, call, [pointers[0] + 2, *pointers[1:]], 0) == 1
    assert b"multiple of 16 bytes" in loaded.gpu_last_error() and not fake.launched
    assert run(loaded, call, [0, *pointers[1:]], 0) == 1 and b"null pointer" in loaded.gpu_last_error()
