# SPDX-License-Identifier: MIT
"""NVIDIA's driver through one seam: an object whose attributes are the driver's C functions.

Launching is a foreign call on memory that was packed before, so nothing stands between Python and the driver but ctypes, and the
names below are the whole surface that a test has to imitate. Names, numbers and layouts are those of ``cuda.h`` (CUDA 12.0 and
later); a test compares them with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Iterator
from ctypes import c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_void_p
from typing import Any

from tracea_core.errors import BackendUnavailableError, LaunchError, TraceaError

# CUdevice_attribute
MAX_THREADS_PER_BLOCK, WARP_SIZE, CLOCK_RATE, PROCESSORS, COMPUTE_MODE = 1, 10, 13, 16, 20
MEMORY_CLOCK_RATE, MEMORY_BUS_WIDTH, L2_BYTES, MAJOR, MINOR = 36, 37, 38, 75, 76
SHARED_PER_PROCESSOR, REGISTERS_PER_PROCESSOR, SHARED_PER_BLOCK, CLUSTER_LAUNCH, TENSOR_MAPS = 81, 82, 97, 120, 127
# CUfunction_attribute
LOCAL_BYTES, REGISTERS, MAX_DYNAMIC_SHARED, REQUIRED_CLUSTER_WIDTH, NON_PORTABLE_CLUSTER = 3, 4, 8, 11, 14
CLUSTER_DIMENSION, BEGINS_EARLY = 4, 6  # CUlaunchAttributeID; the latter is programmatic stream serialization

INVALID_CONTEXT, INVALID_HANDLE, NO_DEVICE = 201, 400, 100
STICKY = frozenset({214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
"""Errors of an earlier kernel after which every call of the process fails, as ``cuda.h`` says of each of them."""
_CAPTURE = frozenset(range(900, 909))
CAPTURE_ACTIVE, _CAPTURE_RELAXED = 1, 2  # CUstreamCaptureStatus, CUstreamCaptureMode
_LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = (("id", c_uint), ("padding", c_uint), ("value", c_uint * 16))


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", c_uint * 3), ("block", c_uint * 3), ("shared_bytes", c_uint), ("stream", c_void_p),
        ("attributes", c_void_p), ("attribute_count", c_uint),
    )  # fmt: skip


_POINTER = c_void_p
_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (_POINTER,),
    "cuGetErrorName": (c_int, _POINTER),
    "cuGetErrorString": (c_int, _POINTER),
    "cuDeviceGetCount": (_POINTER,),
    "cuDeviceGet": (_POINTER, c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetUuid_v2": (_POINTER, c_int),
    "cuDeviceTotalMem_v2": (_POINTER, c_int),
    "cuDeviceGetAttribute": (_POINTER, c_int, c_int),
    "cuDevicePrimaryCtxRetain": (_POINTER, c_int),
    "cuCtxGetCurrent": (_POINTER,),
    "cuCtxPushCurrent_v2": (_POINTER,),
    "cuCtxPopCurrent_v2": (_POINTER,),
    "cuCtxSynchronize": (),
    "cuModuleLoadData": (_POINTER, c_char_p),
    "cuModuleGetFunction": (_POINTER, _POINTER, c_char_p),
    "cuFuncGetAttribute": (_POINTER, c_int, _POINTER),
    "cuFuncSetAttribute": (_POINTER, c_int, c_int),
    "cuLaunchKernelEx": (_POINTER, _POINTER, _POINTER, _POINTER),
    "cuTensorMapEncodeTiled": (
        _POINTER, c_int, c_uint, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER, c_int, c_int, c_int, c_int,
    ),
    "cuTensorMapEncodeIm2col": (
        _POINTER, c_int, c_uint, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER, c_uint, c_uint, _POINTER, c_int, c_int, c_int, c_int,
    ),
    "cuMemAlloc_v2": (_POINTER, c_size_t),
    "cuMemFree_v2": (_POINTER,),
    "cuMemcpyHtoD_v2": (_POINTER, _POINTER, c_size_t),
    "cuMemcpyDtoH_v2": (_POINTER, _POINTER, c_size_t),
    "cuMemsetD8Async": (_POINTER, c_ubyte, c_size_t, _POINTER),
    "cuStreamIsCapturing": (_POINTER, _POINTER),
    "cuStreamGetCaptureInfo_v3": (_POINTER, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER),
    "cuThreadExchangeStreamCaptureMode": (_POINTER,),
    "cuEventCreate": (_POINTER, c_uint),
    "cuEventRecord": (_POINTER, _POINTER),
    "cuEventSynchronize": (_POINTER,),
    "cuEventElapsedTime": (_POINTER, _POINTER, _POINTER),
}  # fmt: skip
_LATER = frozenset({"cuStreamGetCaptureInfo_v3"})
"""Functions of CUDA 12.3, without which only capturing plans with workspaces into graphs is refused."""


class Driver:
    """The driver's functions with their errors raised.

    Parameters
    ----------
    library : object
        Has a function for each name of ``cuda.h`` used here; each returns a CUresult.

    Raises
    ------
    BackendUnavailableError
        If the library lacks a function, or the driver does not start.
    """

    def __init__(self, library: Any) -> None:
        self.library = library
        for name, types in _PROTOTYPES.items():
            try:
                function = getattr(library, name)
            except AttributeError as error:
                if name in _LATER:
                    continue
                raise BackendUnavailableError(
                    f"NVIDIA's driver has no function {name}",
                    hint="Install a driver for CUDA 12.0 or later",
                    backend="cuda",
                ) from error
            if isinstance(library, ctypes.CDLL):
                function.argtypes, function.restype = list(types), c_int
        code = library.cuInit(0)
        if code:
            raise BackendUnavailableError(
                f"NVIDIA's driver does not start: {self.describe(code)}",
                hint="Is a GPU visible (nvidia-smi, CUDA_VISIBLE_DEVICES)?",
                backend="cuda",
            )

    # ---- errors

    def describe(self, code: int) -> str:
        """Return an error's name and the driver's sentence about it."""
        parts = []
        for function in (self.library.cuGetErrorName, self.library.cuGetErrorString):
            text = c_char_p()
            if function(code, ctypes.byref(text)) == 0 and text.value:
                parts.append(text.value.decode(errors="replace"))
        return ", ".join(parts) or f"error {code}"

    def error(self, what: str, code: int, **facts: Any) -> TraceaError:
        """Return the error of a call that gave `code`; one that an earlier kernel left behind is said to be that."""
        said = self.describe(code)
        if code in STICKY:
            return LaunchError(
                f"an earlier kernel broke this process's work on the device, and every call now fails: {said}",
                hint="Start the process again; run it under compute-sanitizer to find the kernel",
                noticed=what,
                **facts,
            )
        hint = "Call once before capturing a graph, so that nothing is left to set up" if code in _CAPTURE else None
        return LaunchError(f"{what} failed: {said}", hint=hint, **facts)

    def check(self, code: int, what: str, **facts: Any) -> None:
        """Raise unless `code` is success.

        Raises
        ------
        LaunchError
            With the driver's own words.
        """
        if code:
            raise self.error(what, code, **facts)

    # ---- devices and contexts

    def asked(self, kind: Any, name: str, *arguments: Any, what: str, **facts: Any) -> Any:
        """Return what a function writes to the place that is its first argument.

        Raises
        ------
        LaunchError
            With the driver's own words.
        """
        place = kind()
        self.check(getattr(self.library, name)(ctypes.byref(place), *arguments), what, **facts)
        return place.value

    @property
    def version(self) -> tuple[int, int]:
        """The CUDA version that the driver serves, such as (13, 0)."""
        value = int(self.asked(c_int, "cuDriverGetVersion", what="asking for the driver's version"))
        return value // 1000, value % 1000 // 10

    def device_count(self) -> int:
        """Return how many devices are visible."""
        return int(self.asked(c_int, "cuDeviceGetCount", what="counting devices"))

    def device(self, ordinal: int) -> int:
        """Return the handle of a device."""
        return int(self.asked(c_int, "cuDeviceGet", ordinal, what="finding the device", device=f"cuda:{ordinal}"))

    def name(self, device: int) -> str:
        """Return a device's marketing name."""
        text = ctypes.create_string_buffer(256)
        self.check(self.library.cuDeviceGetName(text, 256, device), "asking for the device's name")
        return text.value.decode(errors="replace")

    def uuid(self, device: int) -> str:
        """Return a device's UUID as ``nvidia-smi -L`` prints it."""
        raw = (c_ubyte * 16)()
        self.check(self.library.cuDeviceGetUuid_v2(ctypes.byref(raw), device), "asking for the device's UUID")
        digits = bytes(raw).hex()
        return "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def memory_bytes(self, device: int) -> int:
        """Return the size of a device's memory."""
        return int(self.asked(c_size_t, "cuDeviceTotalMem_v2", device, what="asking for the device's memory"))

    def attribute(self, device: int, number: int) -> int:
        """Return a CUdevice_attribute."""
        what = f"asking for attribute {number} of the device"
        return int(self.asked(c_int, "cuDeviceGetAttribute", number, device, what=what))

    def primary_context(self, device: int) -> int:
        """Return a device's primary context, the one that PyTorch uses too, retained for the life of the process."""
        return self.asked(c_void_p, "cuDevicePrimaryCtxRetain", device, what="opening the device") or 0

    def current_context(self) -> int:
        """Return this thread's context, 0 if it has none."""
        return self.asked(c_void_p, "cuCtxGetCurrent", what="asking for the current context") or 0

    @contextlib.contextmanager
    def active(self, context: int) -> Iterator[None]:
        """Make `context` this thread's own for a while, unless it is already."""
        if self.current_context() == context:
            yield
            return
        self.check(self.library.cuCtxPushCurrent_v2(context), "changing to the device")
        try:
            yield
        finally:
            old = c_void_p()
            self.library.cuCtxPopCurrent_v2(ctypes.byref(old))

    @contextlib.contextmanager
    def beside_captures(self) -> Iterator[None]:
        """Let this thread allocate and wait although a stream is being captured: what it does meanwhile is not recorded."""
        mode = c_int(_CAPTURE_RELAXED)
        self.check(self.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode)), "leaving the capture's mode")
        try:
            yield
        finally:
            self.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))

    # ---- code

    def load(self, binary: bytes, entry: str) -> int:
        """Return the function `entry` of a binary, loaded into the current context for the life of the process."""
        module = self.asked(c_void_p, "cuModuleLoadData", binary, what="loading the kernel", kernel=entry)
        what = "finding the kernel in its binary"
        return self.asked(c_void_p, "cuModuleGetFunction", module, entry.encode(), what=what, kernel=entry) or 0

    def function_attribute(self, function: int, number: int) -> int:
        """Return a CUfunction_attribute."""
        what = f"asking for attribute {number} of the kernel"
        return int(self.asked(c_int, "cuFuncGetAttribute", number, function, what=what))

    def set_function_attribute(self, function: int, number: int, value: int, what: str) -> None:
        """Set a CUfunction_attribute."""
        self.check(self.library.cuFuncSetAttribute(function, number, value), what)


@functools.lru_cache(maxsize=1)
def driver() -> Driver:
    """Return the driver, opened once for the process. No context is created.

    Raises
    ------
    BackendUnavailableError
        If there is no driver, or it does not start.
    """
    problems = []
    for name in _LIBRARIES:
        try:
            return Driver(ctypes.CDLL(name))
        except OSError as error:
            problems.append(str(error))
    raise BackendUnavailableError(
        f"NVIDIA's driver cannot be loaded: {problems[0]}",
        hint="Install NVIDIA's driver; in a container, start it with access to the GPU",
        backend="cuda",
    )
