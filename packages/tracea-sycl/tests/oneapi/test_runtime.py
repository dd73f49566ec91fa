# SPDX-License-Identifier: MIT
"""Kernels built by Intel's run-time compiler and run on a processor, where both are installed, and what is missing said elsewhere."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, LaunchError
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.plugin.manifest import Severity
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel, launch_symbols
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import gemm
from tracea_sycl.oneapi import driver, host, probe
from tracea_sycl.oneapi.plugin import emit
from tracea_sycl.oneapi.runtime import SyclRuntime, open_runtime
from tracea_sycl.oneapi.variants import variants

_SPIRV_HEADER = 5
_COOPERATIVE = {4457, 4458, 4459}
"""OpCooperativeMatrixLoadKHR, StoreKHR, MulAddKHR (SPIR-V specification, SPV_KHR_cooperative_matrix)."""
TWICE = """#include <sycl/sycl.hpp>
extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
void twice(const float* x, float* y, int n) {
  const int i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
  if (i < n) y[i] = 2 * x[i];
}
"""


def source(text: str = TWICE, threads: int = 16) -> KernelSource:
    pointers = (Parameter("x", DType.FP32, Direction.READ, 4), Parameter("y", DType.FP32, Direction.WRITE, 4))
    return KernelSource(
        language="sycl", arch="sycl", entry="twice", text=text, parameters=pointers, symbols=(Symbol("n", 0, 1000),),
        workspaces=(), launch=Launch(Const(4), threads), kernel_digest="", certificate="",
    )  # fmt: skip


@pytest.fixture(scope="module")
def runtime() -> SyclRuntime:
    try:
        return open_runtime("oneapi:0")
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.toolchain
def test_memory_of_either_kind(runtime: SyclRuntime) -> None:
    launch = runtime.compile(source()).prepare({"n": 50})
    x = runtime.place(np.arange(50, dtype=np.float32).view(np.uint8))
    y = runtime.place(np.full(64, -1, np.float32).view(np.uint8))
    launch(x.address, y.address)
    found = y.read().view(np.float32)
    assert (found[:50] == 2 * np.arange(50)).all() and (found[50:] == -1).all()
    if runtime.memory == "host":
        here, there = np.arange(50, dtype=np.float32), np.full(64, -1, np.float32)
        launch(here.ctypes.data, there.ctypes.data)
        assert (there == found).all()


@pytest.mark.toolchain
def test_refusals(runtime: SyclRuntime) -> None:
    with pytest.raises(CompileError, match="no_such_function"):
        runtime.compile(source(TWICE.replace("2 * x[i]", "no_such_function(x)")))
    with pytest.raises(LaunchError, match="threads"):
        runtime.compile(source(threads=1 << 20))
    with pytest.raises(BackendUnavailableError, match="oneapi:99"):
        open_runtime("oneapi:99")


@pytest.mark.toolchain
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 4), (37, 29, 52)])
def test_a_product_on_the_processor(m: int, n: int, k: int, runtime: SyclRuntime) -> None:
    """Ragged sizes against float64, everything beside the output left alone."""
    profile = driver.profile(runtime.opened)
    variant = next(v for v in variants(profile) if DType.FP32 in v.operand_dtypes and v.schedule == "multistage")
    config = PipelineConfig(tile_m=16, tile_n=32, tile_k=8, stages=2, warps=1, vector_a=4, vector_b=4, vector_c=1)
    problem = gemm((m, n, k), DType.FP32, "nt")
    lowered = lower(problem)
    kernel = build_kernel(lowered.contraction, config, profile, variant)
    made = emit(kernel, certify(kernel, lowered.contraction, profile))
    generator = np.random.default_rng(m)
    a, b = (generator.standard_normal((size, k)).astype(np.float32) for size in (m, n))
    out = np.full((m + 1, n), np.nan, np.float32)
    placed = [runtime.place(array.view(np.uint8).ravel()) for array in (a, b, out)]
    symbols = launch_symbols(lowered, config, profile, variant.schedule)
    runtime.compile(made).prepare(symbols)(*(memory.address for memory in placed))
    found = placed[2].read().view(np.float32).reshape(m + 1, n)
    assert np.isnan(found[m]).all()
    assert agrees(found[:m], reference(problem, (a, b.T)), tolerance(problem, (a, b.T))).all()


@pytest.mark.toolchain
def test_joint_matrices_become_instructions_of_the_device(runtime: SyclRuntime, tmp_path: Path) -> None:
    """Intel's own compiler takes the text; what it makes loads, multiplies and stores cooperative matrices (SPV_KHR_cooperative_matrix)."""
    profile = preset_target("pvc").profile
    variant = next(v for v in variants(profile) if DType.BF16 in v.operand_dtypes)
    config = PipelineConfig(tile_m=16, tile_n=16, tile_k=16, stages=2, warps=1, vector_a=8, vector_b=8)
    form = lower(gemm((64, 64, 64), DType.BF16, "nn")).contraction
    kernel = build_kernel(form, config, profile, variant)
    made = emit(kernel, certify(kernel, form, profile))
    (tmp_path / "kernel.json").write_text(made.to_json(), "utf-8")
    script = (
        "from pathlib import Path; from tracea_core.emit.source import KernelSource; from tracea_sycl.oneapi import runtime; "
        f"runtime.open_runtime({runtime.device!r}).compile(KernelSource.from_json(Path('kernel.json').read_text()))"
    )
    command, dumped = [sys.executable, "-c", script], {**os.environ, "SYCL_DUMP_IMAGES": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=dumped, capture_output=True, text=True, timeout=300, check=False)
    images = list(tmp_path.glob("*.spv"))
    assert images, done.stderr[-2000:]
    words = np.frombuffer(images[0].read_bytes(), np.uint32)
    found: set[int] = set()
    at = _SPIRV_HEADER
    while at < len(words):
        found.add(int(words[at]) & 0xFFFF)
        at += int(words[at]) >> 16
    assert found >= _COOPERATIVE


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    def said() -> str:
        finding = probe.probe().findings[0]
        assert finding.severity is Severity.INFO and finding.hint and not probe.probe().devices
        return finding.message

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    monkeypatch.delenv("CMPLR_ROOT", raising=False)
    assert "not installed" in said()
    monkeypatch.setenv("CMPLR_ROOT", str(tmp_path))
    assert "has no headers" in said()
    (tmp_path / "include" / "sycl").mkdir(parents=True)
    (tmp_path / "include" / "sycl" / "sycl.hpp").touch()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libsycl.so").touch()
    assert "has no run-time compiler" in said()
    (tmp_path / "lib" / "libsycl-jit.so").touch()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "no C++ compiler" in said()


def test_a_failing_runtime_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    kit = host.Toolkit("1.0", Path("include"), Path("lib/libsycl.so"), "g++")
    monkeypatch.setattr(probe, "find_toolkit", lambda: kit)
    for error, words in (
        (BackendUnavailableError("no list", hint="ask"), "no list"),
        (OSError("gone"), "OSError: gone"),
    ):
        monkeypatch.setattr(driver, "devices", lambda error=error: (_ for _ in ()).throw(error))
        assert probe.probe().findings[-1].severity is Severity.WARNING and words in probe.probe().findings[-1].message
    monkeypatch.setattr(driver, "devices", lambda: ())
    assert "no device" in probe.probe().findings[-1].message


def test_a_device_is_read_and_described() -> None:
    line = "CPU\tIntel\tOpenCL\t1.2\t1\t1\t1\t1\t4 8 16\t2\t0\t262144\t8192\t1024"
    device = driver._read(3, line)
    assert (device.label, device.is_processor, device.sub_groups) == ("oneapi:3", True, (4, 8, 16))
    found = driver.profile(device)
    assert (found.lanes, found.backend, found.clock_mhz, found.max_threads_per_block) == (16, "oneapi", 2000.0, 1024)
    assert driver.profile(device._replace(sub_groups=(8, 64))).lanes == 8
