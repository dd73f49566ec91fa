# SPDX-License-Identifier: MIT
"""Kernels on this machine's OpenCL processor, where it has one, against float64, and what a refused text says."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, LaunchError
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_sycl import driver
from tracea_sycl.runtime import OpenClRuntime, open_runtime

DOUBLE = "__kernel void twice(__global const float* x, __global float* y, int n) { int i = get_global_id(0); if (i < n) y[i] = 2 * x[i]; }"


def source(text: str, threads: int = 16) -> KernelSource:
    pointers = (Parameter("x", DType.FP32, Direction.READ, 4), Parameter("y", DType.FP32, Direction.WRITE, 4))
    return KernelSource(
        language="opencl", arch="opencl", entry="twice", text=text, parameters=pointers, symbols=(Symbol("n", 0, 1000),),
        workspaces=(), launch=Launch(Const(4), threads), kernel_digest="", certificate="",
    )  # fmt: skip


@pytest.fixture(scope="module")
def runtime() -> OpenClRuntime:
    try:
        return open_runtime("cpu")
    except BackendUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.toolchain
def test_host_memory_is_used_without_a_copy(runtime: OpenClRuntime) -> None:
    x, y = np.arange(50, dtype=np.float32), np.full(64, -1, np.float32)
    for _ in range(2):  # the second is built from the cached binary
        launch = runtime.compile(source(DOUBLE)).prepare({"n": 50})
        launch(x.ctypes.data, y.ctypes.data)
    assert (y[:50] == 2 * x).all() and (y[50:] == -1).all()


@pytest.mark.toolchain
def test_placed_memory(runtime: OpenClRuntime) -> None:
    x = runtime.place(np.arange(50, dtype=np.float32).view(np.uint8))
    y = runtime.place(np.zeros(200, np.uint8))
    runtime.compile(source(DOUBLE)).prepare({"n": 50})(x.address, y.address)
    assert (y.read().view(np.float32) == 2 * np.arange(50)).all()


@pytest.mark.toolchain
def test_refusals(runtime: OpenClRuntime) -> None:
    with pytest.raises(CompileError, match="no_such_function"):
        runtime.compile(source(DOUBLE.replace("get_global_id(0)", "no_such_function(1, 2)")))
    with pytest.raises(LaunchError, match="threads"):
        runtime.compile(source(DOUBLE, threads=1 << 20))
    kernel = runtime.compile(source(DOUBLE))
    with pytest.raises(LaunchError, match="no value was given for n"):
        kernel.prepare({})
    with pytest.raises(LaunchError, match="one address each of x, y"):
        kernel.prepare({"n": 1})(0)


@pytest.mark.skipif(importlib.util.find_spec("pyopencl") is not None, reason="pyopencl is installed")
def test_without_pyopencl() -> None:
    driver.devices.cache_clear()
    with pytest.raises(BackendUnavailableError, match="Install pyopencl"):
        open_runtime("cpu")
