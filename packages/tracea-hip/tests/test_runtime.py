# SPDX-License-Identifier: MIT
"""The runtime against a stand-in for AMD's bindings: what is compiled and loaded, how arguments lie, which errors come back."""

from __future__ import annotations

import importlib.util
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import AlignmentError, BackendUnavailableError, CompileError, DeviceError, LaunchError
from tracea_core.plugin.manifest import Severity
from tracea_core.runtime.interface import DeviceRuntime
from tracea_core.semantic.index import Sym, ceil_div
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_hip import driver as hip
from tracea_hip import probe
from tracea_hip.driver import Driver
from tracea_hip.runtime import Device, HipRuntime, open_runtime

_spec = importlib.util.spec_from_file_location("fake_hip", Path(__file__).with_name("fake_hip.py"))
assert _spec is not None and _spec.loader is not None
fake = importlib.util.module_from_spec(_spec)
sys.modules["fake_hip"] = fake
_spec.loader.exec_module(fake)


def source(**changes: Any) -> KernelSource:
    """A kernel ``scale(a, c, m, c_row)``."""
    made = KernelSource(
        language="hip", arch="gfx942", entry="scale", text="__global__ void scale() {}",
        parameters=(Parameter("a", DType.BF16, Direction.READ, 16), Parameter("c", DType.BF16, Direction.WRITE, 2)),
        symbols=(Symbol("m", 0, 1 << 30), Symbol("c_row", 0, 1 << 40, 8)), workspaces=(),
        launch=Launch(ceil_div(Sym("m"), 128), 256, 1, 32768), kernel_digest="0" * 64, certificate="0" * 64,
    )  # fmt: skip
    return made.replace(**changes)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))


@pytest.fixture
def library() -> Any:
    return fake.FakeHip(sizes=[8, 8, 4, 8])


@pytest.fixture
def hiprtc() -> Any:
    return fake.FakeHiprtc(code=fake.note())


@pytest.fixture
def runtime(library: Any, hiprtc: Any) -> HipRuntime:
    return HipRuntime(Device(Driver(library, hiprtc), 0))


def test_it_is_a_runtime_of_a_device(runtime: HipRuntime) -> None:
    assert isinstance(runtime, DeviceRuntime)
    assert (runtime.device, runtime.toolchain) == ("cuda:0", "hiprtc 9.0, HIP 7.1.52802")


def test_a_launch(runtime: HipRuntime, library: Any, hiprtc: Any) -> None:
    launch = runtime.compile(source()).prepare({"m": 300, "c_row": 1 << 33})
    launch(0x1000, 0x2002, stream=77)
    launch(0x1000, 0x2002)
    first, second = library.launched
    assert (first.grid, first.block, first.shared_bytes, first.stream) == ((3, 1, 1), (256, 1, 1), 0, 77)
    assert second.stream is None
    assert first.arguments == [
        struct.pack("<Q", 0x1000),
        struct.pack("<Q", 0x2002),
        struct.pack("<i", 300),
        struct.pack("<q", 1 << 33),
    ]
    assert second.arguments == first.arguments
    assert library.loaded == [hiprtc.code]
    text, options = hiprtc.compiled[0]
    assert text == source().text.encode() and b"--offload-arch=gfx942" in options
    assert hiprtc.destroyed == 1


def test_a_binary_is_compiled_once(runtime: HipRuntime, hiprtc: Any) -> None:
    runtime.compile(source())
    runtime.compile(source())
    assert len(hiprtc.compiled) == 1


def test_frames_are_forgotten_in_order(runtime: HipRuntime, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracea_hip.runtime.FRAMES", 2)
    launch = runtime.compile(source()).prepare({"m": 1, "c_row": 8})
    for address in (16, 32, 48, 16):
        launch(address, 2)
    assert [struct.unpack("<Q", made.arguments[0])[0] for made in library.launched] == [16, 32, 48, 16]


@pytest.mark.parametrize(
    ("symbols", "words"),
    [
        ({"m": 1}, "c_row"),
        ({"m": 1, "c_row": 3}, "c_row=3"),
        ({"m": 0, "c_row": 8}, "1 to"),
        ({"m": 1 << 30, "c_row": 8}, None),
    ],
)
def test_symbols(symbols: dict[str, int], words: str | None, runtime: HipRuntime) -> None:
    kernel = runtime.compile(source())
    if words is None:
        assert kernel.prepare(symbols).blocks == 1 << 23
        return
    with pytest.raises(LaunchError, match=words):
        kernel.prepare(symbols)


def test_more_threads_than_a_launch_has(runtime: HipRuntime) -> None:
    many = source(launch=Launch(Sym("m"), 256))
    with pytest.raises(LaunchError, match="blocks"):
        runtime.compile(many).prepare({"m": 1 << 24, "c_row": 8})


def test_addresses(runtime: HipRuntime) -> None:
    launch = runtime.compile(source()).prepare({"m": 1, "c_row": 8})
    with pytest.raises(LaunchError, match="one address each of a, c"):
        launch(16)
    with pytest.raises(AlignmentError, match="a starts at 0x18"):
        launch(0x18, 2)


def test_what_the_runtime_refuses(runtime: HipRuntime, library: Any) -> None:
    launch = runtime.compile(source()).prepare({"m": 1, "c_row": 8})
    library.fail["hipModuleLaunchKernel"] = 1
    with pytest.raises(LaunchError, match=r"launching the kernel failed: hipErrorInvalidValue, the runtime's words"):
        launch(16, 2)
    library.fail["hipModuleLaunchKernel"] = 900
    with pytest.raises(LaunchError, match="before capturing"):
        launch(16, 2)
    library.fail = {"hipDeviceSynchronize": 700}
    with pytest.raises(LaunchError, match="an earlier kernel broke"):
        runtime.place(np.zeros(4, np.uint8)).read()


def test_several_devices(library: Any, hiprtc: Any) -> None:
    library.devices.append(fake.properties())
    runtime = HipRuntime(Device(Driver(library, hiprtc), 1))
    runtime.compile(source()).prepare({"m": 1, "c_row": 8})(16, 2)
    assert (library.launched[0].device, library.current) == (1, 0)
    with pytest.raises(DeviceError, match="cuda:2"):
        Device(Driver(library, hiprtc), 2)


def test_what_does_not_fit_the_device(runtime: HipRuntime) -> None:
    with pytest.raises(LaunchError, match="gfx90a"):
        runtime.compile(source(arch="gfx90a"))
    with pytest.raises(LaunchError, match="bytes of shared memory"):
        runtime.compile(source(launch=Launch(Sym("m"), 256, 1, 70000)))


def test_compiler_errors(runtime: HipRuntime, hiprtc: Any) -> None:
    hiprtc.log = b"scale.hip:1: no such thing"
    with pytest.raises(CompileError, match="no such thing"):
        runtime.compile(source())
    hiprtc.log, hiprtc.code = b"", fake.note(vgpr_spill_count=3)
    with pytest.raises(CompileError, match="3 and 0 of them spilled"):
        runtime.compile(source())
    assert hiprtc.destroyed == 2


def test_without_hiprtc_clang_compiles(runtime: HipRuntime, hiprtc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hiprtc.missing = True
    monkeypatch.setattr("tracea_hip.compile.find_compiler", lambda arch: ("clang", "clang version 19"))
    monkeypatch.setattr("tracea_hip.compile._compile", lambda path, source: b"bundle" + fake.note())
    assert runtime.toolchain.startswith("clang version 19")
    runtime.compile(source())
    assert not hiprtc.compiled


def test_memory_and_time(runtime: HipRuntime, library: Any) -> None:
    content = np.arange(100, dtype=np.uint8)
    memory = runtime.place(content)
    assert np.array_equal(memory.read(), content)
    memory.write(content[::-1])
    assert np.array_equal(memory.read(), content[::-1])
    del memory
    assert not library.memory
    timer = runtime.timer()
    assert timer.timer is not None and timer.flush is not None
    timer.flush()
    assert timer.timer(lambda: None, 3) == 0.25


def test_workspaces_by_stream_and_graph(runtime: HipRuntime, library: Any) -> None:
    with runtime.scratch.lock:
        first = runtime.scratch.borrow(100, 5)
        assert runtime.scratch.borrow(50, 5) == first
        library.capturing[5] = 3
        assert runtime.scratch.borrow(50, 5) != first


# ---- what is missing


@pytest.fixture
def forgotten() -> Iterator[None]:
    hip.driver.cache_clear()
    yield
    hip.driver.cache_clear()


def test_missing_bindings(forgotten: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rocm.bindings", None)
    with pytest.raises(BackendUnavailableError, match="bindings cannot be imported"):
        open_runtime("cuda:0")


def test_missing_runtime_and_driver(library: Any, hiprtc: Any) -> None:
    library.fail["hipInit"] = 100
    with pytest.raises(BackendUnavailableError, match="hipErrorNoDevice"):
        Driver(library, hiprtc)

    def fails(flags: int) -> Any:
        raise RuntimeError("failed to dlopen libamdhip64.so")

    library.hipInit = fails
    with pytest.raises(BackendUnavailableError, match=r"failed to dlopen libamdhip64\.so"):
        Driver(library, hiprtc)


def test_foreign_devices_are_refused() -> None:
    with pytest.raises(DeviceError, match="mps"):
        open_runtime("mps:0")


def test_the_probe_lists_devices(library: Any, hiprtc: Any) -> None:
    library.devices += [
        fake.properties(name=b"Radeon", gcnArchName=b"gfx1101", multiProcessorCount=30, sharedMemPerBlock=65536),
        fake.properties(gcnArchName=b"gfx803"),
    ]
    report = probe.devices(Driver(library, hiprtc))
    assert [(target.device, target.profile.arch) for target in report.devices] == [
        ("cuda:0", "gfx942"),
        ("cuda:1", "gfx1101"),
    ]
    first = report.devices[0].profile
    assert first.probed and first.memory_bytes == 206_000_000_000 and first.name == "AMD Instinct MI300X"
    told = [finding for finding in report.findings if finding.severity is Severity.WARNING]
    assert len(told) == 1 and "gfx803" in told[0].message


def test_the_probe_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    ok = probe.Finding(Severity.OK, "x", "there")
    monkeypatch.setattr(probe, "device_file", lambda: ok)
    monkeypatch.setattr(probe, "bindings", lambda: ok)

    def fails() -> Any:
        raise OSError("broken")

    monkeypatch.setattr(hip, "driver", fails)
    assert any("OSError: broken" in finding.message for finding in probe.probe().findings)
