# SPDX-License-Identifier: MIT
"""Opening devices and loading kernels on an imitated driver, and the names and numbers that a real one is called by."""

import ctypes
import re
from pathlib import Path
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, DeviceError, LaunchError
from tracea_core.runtime.interface import CompiledKernel, Launcher, Runtime
from tracea_cuda import compile as compiler
from tracea_cuda import driver as cuda
from tracea_cuda import runtime
from tracea_cuda.driver import Driver, LaunchAttribute, LaunchConfig
from tracea_cuda.runtime import CudaKernel, Device


@pytest.fixture
def opened(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> runtime.CudaRuntime:
    monkeypatch.setattr(cuda, "driver", lambda: driver)
    return runtime.open_runtime("cuda")


def test_it_is_what_core_expects(opened: runtime.CudaRuntime, kernel: CudaKernel) -> None:
    assert isinstance(opened, Runtime)
    assert isinstance(kernel, CompiledKernel)
    assert isinstance(kernel.prepare({"m": 1, "c_row": 8}), Launcher)
    assert opened.device == "cuda:0"
    assert re.fullmatch(r"nvrtc [\d.]+, driver 13\.0", opened.toolchain)


def test_a_source_is_compiled_and_loaded(
    opened: runtime.CudaRuntime, source: KernelSource, library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "binary", lambda given: b"\x7fELF" if given is source else b"")
    kernel = opened.compile(source)
    assert kernel.source is source
    assert library.function_attributes == {cuda.MAX_DYNAMIC_SHARED: 200_000}
    assert library.current == 0


def test_large_clusters_are_asked_for(source: KernelSource, device: Device, library: Any) -> None:
    CudaKernel(source.replace(launch=source.launch.replace(cluster=16)), device, b"\x7fELF")
    assert library.function_attributes[cuda.NON_PORTABLE_CLUSTER] == 1


@pytest.mark.parametrize(("name", "words"), [("cuda:3", "no device cuda:3"), ("hip:0", "no device of CUDA's")])
def test_devices_that_are_not_there(name: str, words: str, driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "driver", lambda: driver)
    with pytest.raises(DeviceError, match=words):
        runtime.open_runtime(name)


def test_a_driver_that_does_not_start_is_unavailable(library: Any) -> None:
    library.fail["cuInit"] = cuda.NO_DEVICE
    with pytest.raises(BackendUnavailableError, match=r"does not start.*nvidia-smi"):
        Driver(library)


def test_a_driver_that_is_too_old_is_unavailable() -> None:
    with pytest.raises(BackendUnavailableError, match="has no function cuInit"):
        Driver(object())


def test_a_missing_driver_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_LIBRARIES", ("libtracea-no-such-driver.so",))
    cuda.driver.cache_clear()
    try:
        with pytest.raises(BackendUnavailableError, match="cannot be loaded"):
            cuda.driver()
    finally:
        cuda.driver.cache_clear()


def test_a_binary_for_another_device_is_refused(source: KernelSource, device: Device, library: Any) -> None:
    library.fail["cuModuleLoadData"] = 209
    with pytest.raises(LaunchError, match=r"loading the kernel failed.*kernel=scale"):
        CudaKernel(source, device, b"\x7fELF")


def test_a_failed_kernel_is_reported_when_the_device_is_waited_for(device: Device, library: Any) -> None:
    library.fail["cuCtxSynchronize"] = 719
    with pytest.raises(LaunchError, match="an earlier kernel broke"):
        device.synchronize()


# ---- the driver's own header


@pytest.fixture(scope="module")
def header(nvcc: str) -> str:
    """cuda.h of the toolkit."""
    path = Path(nvcc).resolve().parents[1] / "include/cuda.h"
    if not path.exists():
        path = Path("/usr/local/cuda/include/cuda.h")
    if not path.exists():
        pytest.skip("the CUDA toolkit's headers are not installed")
    return path.read_text()


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK", cuda.MAX_THREADS_PER_BLOCK),
        ("CU_DEVICE_ATTRIBUTE_WARP_SIZE", cuda.WARP_SIZE),
        ("CU_DEVICE_ATTRIBUTE_CLOCK_RATE", cuda.CLOCK_RATE),
        ("CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT", cuda.PROCESSORS),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", cuda.COMPUTE_MODE),
        ("CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE", cuda.MEMORY_CLOCK_RATE),
        ("CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH", cuda.MEMORY_BUS_WIDTH),
        ("CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE", cuda.L2_BYTES),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", cuda.MAJOR),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR", cuda.MINOR),
        ("CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", cuda.SHARED_PER_PROCESSOR),
        ("CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR", cuda.REGISTERS_PER_PROCESSOR),
        ("CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", cuda.SHARED_PER_BLOCK),
        ("CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH", cuda.CLUSTER_LAUNCH),
        ("CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED", cuda.TENSOR_MAPS),
        ("CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES", cuda.LOCAL_BYTES),
        ("CU_FUNC_ATTRIBUTE_NUM_REGS", cuda.REGISTERS),
        ("CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", cuda.MAX_DYNAMIC_SHARED),
        ("CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH", cuda.REQUIRED_CLUSTER_WIDTH),
        ("CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", cuda.NON_PORTABLE_CLUSTER),
        ("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", cuda.CLUSTER_DIMENSION),
        ("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION", cuda.BEGINS_EARLY),
        ("CUDA_ERROR_INVALID_CONTEXT", cuda.INVALID_CONTEXT),
        ("CUDA_ERROR_NO_DEVICE", cuda.NO_DEVICE),
    ],
)
def test_numbers_are_the_headers(name: str, number: int, header: str) -> None:
    found = re.search(rf"\b{name}\s*=\s*(\d+)", header)
    assert found is not None and int(found[1]) == number


def test_functions_are_the_headers_and_its_latest_versions(header: str) -> None:
    latest = dict(re.findall(r"#define (cu\w+)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+?)\)?$", header, re.MULTILINE))
    assert latest["cuMemAlloc"] == "cuMemAlloc_v2"
    for name in cuda._PROTOTYPES:
        base = re.sub(r"_v\d$", "", name)
        assert re.search(rf"CUDAAPI {base}\(", header), name
        if base != "cuEventElapsedTime":  # its second version is CUDA 12.8's, and differs in what it refuses
            assert latest.get(base, base) == name


def test_errors_that_stick_are_those_the_header_says_so_of(header: str) -> None:
    said = re.findall(r"/\*\*((?:(?!\*/).)*?)\*/\s*CUDA_ERROR_\w+\s*=\s*(\d+)", header, re.DOTALL)
    sticky = {int(number) for words, number in said if "must be terminated" in words.replace("\n     *", "")}
    assert sticky - {700, 719} < cuda.STICKY and {700, 719} <= sticky
    assert sticky <= cuda.STICKY


def test_structures_are_laid_out_as_c_does() -> None:
    assert (ctypes.sizeof(LaunchConfig), ctypes.sizeof(LaunchAttribute)) == (56, 72)
    places = [getattr(LaunchConfig, name).offset for name, _ in LaunchConfig._fields_]
    assert places == [0, 12, 24, 32, 40, 48]
    assert (LaunchAttribute.id.offset, LaunchAttribute.value.offset) == (0, 8)
