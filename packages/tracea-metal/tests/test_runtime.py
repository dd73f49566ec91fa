# SPDX-License-Identifier: MIT
"""The runtime against a stand-in for Apple's framework: order of calls, places of arguments, tensors without copies, errors."""

from __future__ import annotations

import importlib.util
import platform
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import (
    AlignmentError,
    BackendUnavailableError,
    CompileError,
    DeviceError,
    LaunchError,
)
from tracea_core.plugin.manifest import Severity
from tracea_core.runtime.interface import DeviceRuntime
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_core.testing.needs import need_emulator
from tracea_metal import framework, probe
from tracea_metal.runtime import MetalRuntime, open_runtime

_spec = importlib.util.spec_from_file_location("fake_metal", Path(__file__).with_name("fake_metal.py"))
assert _spec is not None and _spec.loader is not None
fake = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake)

TEXT = """#include <metal_stdlib>
using namespace metal;
struct Sizes { int n; long step; };
[[max_total_threads_per_threadgroup(32)]]
kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant Sizes& sizes [[buffer(2)]],
    uint i [[thread_position_in_grid]]) {
  if (int(i) < sizes.n) y[i * sizes.step] = x[i] * 2.0f;
}
"""


def source(threads: int = 32, entry: str = "scale") -> KernelSource:
    return KernelSource(
        language="metal", arch="apple7", entry=entry, text=TEXT,
        parameters=(Parameter("x", DType.FP32, Direction.READ, 16), Parameter("y", DType.FP32, Direction.WRITE, 4)),
        symbols=(Symbol("n", 0, 1000), Symbol("step", 1, 2**40)), workspaces=(),
        launch=Launch((Sym("n") + Const(31)) // 32, threads), kernel_digest="", certificate="",
    )  # fmt: skip


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Any:
    need_emulator()
    made = fake.FakeDevice()
    install(monkeypatch, made)
    return made


def install(monkeypatch: pytest.MonkeyPatch, device: Any, modern: bool = True) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("15.1", ("", "", ""), "arm64"))
    monkeypatch.setattr(probe.ctypes.util, "find_library", lambda name: f"/System/{name}")
    monkeypatch.setattr(framework, "_TRIED", {"Metal": fake.framework(device, modern)})


pytestmark = pytest.mark.toolchain


def test_a_launch_binds_buffers_then_symbols(device: Any) -> None:
    runtime = open_runtime("mps")
    assert isinstance(runtime, DeviceRuntime) and runtime.toolchain == "Metal of macOS 15.1"
    kernel = runtime.compile(source())
    assert device.options.safe, "fast mathematics would drop tests for NaN"
    x = runtime.place(np.arange(40, dtype=np.float32).view(np.uint8))
    y = runtime.place(np.full(400, np.nan, np.float32).view(np.uint8))
    kernel.prepare({"n": 37, "step": 3})(x.address, y.address + 8)
    got = y.read().view(np.float32)
    assert (got[2 : 2 + 3 * 37 : 3] == 2.0 * np.arange(37)).all()
    assert np.isnan(np.delete(got, range(2, 2 + 3 * 37, 3))).all()
    assert runtime.last == (2.0, 2.25)
    assert runtime.timer().measure(lambda: kernel.prepare({"n": 1, "step": 1})(x.address, y.address)).seconds == 0.25


@pytest.mark.parametrize("modern", [True, False])
def test_mathematics_is_exact_on_old_and_new_systems(
    modern: bool, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, device, modern)
    open_runtime("metal:0").compile(source())
    assert device.options.safe


def test_tensors_of_pytorch_are_bound_as_they_are(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = open_runtime("mps:0")
    waited: list[int] = []
    monkeypatch.setitem(
        sys.modules, "torch", SimpleNamespace(mps=SimpleNamespace(synchronize=lambda: waited.append(1)))
    )
    storage = fake.Buffer(4 * 64)
    framework._TRIED["objc"] = fake.objc({0x6000_1234: storage})
    np.frombuffer(storage.memory, np.float32)[:] = np.arange(64)
    x, y = runtime.adopt(0x6000_1234, 16), runtime.adopt(0x6000_1234, 4 * 40)
    assert y - x == 4 * 36, "places of one storage are as far apart as they are"
    runtime.compile(source()).prepare({"n": 5, "step": 1})(x, y)
    assert np.frombuffer(storage.memory, np.float32)[40:45].tolist() == [8, 10, 12, 14, 16]
    assert waited == [1], "what PyTorch has queued comes first"


def test_addresses_are_used_again(device: Any) -> None:
    runtime = open_runtime("mps")
    first = fake.Buffer(1024)
    address = runtime.buffers.know(first, foreign=True)
    second = fake.Buffer(64)
    second.address = address + 512
    runtime.buffers.know(second, foreign=True)
    assert runtime.buffers.find(address + 520)[:2] == (second, 8)
    with pytest.raises(LaunchError, match="no Metal buffer"):
        runtime.buffers.find(address)
    placed = runtime.place(np.zeros(16, np.uint8))
    gone = placed.address
    del placed
    with pytest.raises(LaunchError, match="no Metal buffer"):
        runtime.buffers.find(gone)


def test_refusals_are_errors_with_their_cause(device: Any) -> None:
    runtime = open_runtime("mps")
    kernel = runtime.compile(source())
    x = runtime.place(np.zeros(256, np.uint8))
    with pytest.raises(LaunchError, match="no value was given for step"):
        kernel.prepare({"n": 1})
    with pytest.raises(LaunchError, match="lies outside"):
        kernel.prepare({"n": 5000, "step": 1})
    with pytest.raises(LaunchError, match="1 to 2"):
        kernel.prepare({"n": 0, "step": 1})
    launcher = kernel.prepare({"n": 1, "step": 1})
    with pytest.raises(LaunchError, match="one address each of x, y"):
        launcher(x.address)
    with pytest.raises(AlignmentError, match="16-byte") as refused:
        launcher(x.address + 8, x.address)
    assert refused.value.alignment == 8
    device.fails = "Insufficient Memory"
    with pytest.raises(LaunchError, match="failed to run scale: Insufficient Memory"):
        launcher(x.address, x.address)
    device.memory_left = False
    with pytest.raises(LaunchError, match="no 5 bytes left"):
        runtime.place(np.zeros(5, np.uint8))


def test_what_the_compiler_says_is_told(device: Any) -> None:
    runtime = open_runtime("mps")
    device.most_threads = 16
    with pytest.raises(CompileError, match="has 16 threads, not 32"):
        runtime.compile(source())
    with pytest.raises(CompileError, match="no kernel called other"):
        runtime.compile(source(entry="other"))
    device.rejects = "program_source:3: unknown type name"
    with pytest.raises(CompileError, match="unknown type name"):
        runtime.compile(source())


def test_other_machines_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framework, "_TRIED", {})
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    with pytest.raises(BackendUnavailableError, match="macOS only"):
        open_runtime("mps")
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(BackendUnavailableError, match="pyobjc"):
        open_runtime("mps")
    with pytest.raises(DeviceError, match="cuda:0"):
        open_runtime("cuda:0")
    install(monkeypatch, None)
    with pytest.raises(BackendUnavailableError, match="no Metal device"):
        open_runtime("mps")


@pytest.mark.parametrize(
    ("families", "arch"),
    [(("MTLGPUFamilyApple7",), "apple7"), (("MTLGPUFamilyApple7", "MTLGPUFamilyApple9"), "apple9")],
)
def test_the_probe_reports_the_gpu(families: tuple[str, ...], arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, fake.FakeDevice(families=families))
    (target,) = probe.probe().devices
    assert (target.device, target.profile.arch, target.profile.probed) == ("mps:0", arch, True)
    assert target.profile.memory_bytes == 11 << 30


def test_the_probe_says_why_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, fake.FakeDevice(families=()))
    assert "no simdgroup matrices" in probe.probe().findings[-1].message
    install(monkeypatch, None)
    assert "no Metal device" in probe.probe().findings[-1].message
    monkeypatch.setattr(framework, "_TRIED", {})
    last = probe.probe().findings[-1]
    assert last.severity is Severity.WARNING and last.hint == framework.INSTALL
    broken = SimpleNamespace(MTLCreateSystemDefaultDevice=lambda: 1 / 0)
    monkeypatch.setattr(framework, "_TRIED", {"Metal": broken})
    assert "ZeroDivisionError" in probe.probe().findings[-1].message


def test_the_runtime_needs_nothing_to_be_imported() -> None:
    assert MetalRuntime.device == "mps:0" and preset("m1").backend == "metal"
    assert "Metal" not in sys.modules and "objc" not in sys.modules
