# SPDX-License-Identifier: MIT
"""HIP's runtime and run-time compiler through AMD's Python bindings, with their errors raised.

The bindings (``rocm.bindings``, distribution ``rocm-bindings-hip``) load ``libamdhip64`` and ``libhiprtc`` at the first call, and every
function returns a tuple whose first item is the status. That is the whole surface a test has to imitate. Handles and addresses are
kept as the bindings return them; addresses of memory are integers.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Iterator
from typing import Any

from tracea_core.errors import BackendUnavailableError, LaunchError, TraceaError

INSTALL = "pip install 'tracea-hip[launch]', and install ROCm's HIP runtime (libamdhip64)"
STICKY = frozenset({214, 700, 702, 710, 719})
"""Errors of an earlier kernel after which every call of the process fails, as ``hip_runtime_api.h`` says of each of them."""
_CAPTURE = frozenset(range(900, 909))


class Driver:
    """The bindings' two modules, with errors raised.

    Parameters
    ----------
    hip, hiprtc : module
        ``rocm.bindings.hip`` and ``rocm.bindings.hiprtc``.

    Raises
    ------
    BackendUnavailableError
        If the runtime's library is missing, or the driver does not start.
    """

    def __init__(self, hip: Any, hiprtc: Any) -> None:
        self.hip, self.hiprtc = hip, hiprtc
        try:
            code = int(hip.hipInit(0)[0])
        except RuntimeError as error:  # what the bindings raise for a library that does not load
            raise BackendUnavailableError(
                f"HIP's runtime cannot be loaded: {error}", hint=INSTALL, backend="hip"
            ) from error
        if code:
            raise BackendUnavailableError(
                f"HIP's runtime does not start: {self.describe(code)}",
                hint="Is a GPU visible (rocminfo, HIP_VISIBLE_DEVICES), and may this user open /dev/kfd?",
                backend="hip",
            )

    # ---- errors

    def describe(self, code: Any) -> str:
        """Return an error's name and the runtime's sentence about it."""
        try:
            known = self.hip.hipError_t(int(code))
            name, (_, said) = known.name, self.hip.hipGetErrorString(known)
        except ValueError:
            return f"error {int(code)}"
        return f"{name}, {said.decode(errors='replace')}" if said else str(name)

    def error(self, what: str, code: Any, **facts: Any) -> TraceaError:
        """Return the error of a call that gave `code`; one that an earlier kernel left behind is said to be that."""
        said = self.describe(code)
        if int(code) in STICKY:
            return LaunchError(
                f"an earlier kernel broke this process's work on the device, and every call now fails: {said}",
                hint="Start the process again; AMD_LOG_LEVEL=3 and HIP_LAUNCH_BLOCKING=1 find the kernel",
                noticed=what,
                **facts,
            )
        hint = (
            "Call once before capturing a graph, so that nothing is left to set up" if int(code) in _CAPTURE else None
        )
        return LaunchError(f"{what} failed: {said}", hint=hint, **facts)

    def call(self, name: str, *arguments: Any, what: str, **facts: Any) -> Any:
        """Call a function of the runtime and return what it gives besides the status: nothing, one value or several.

        Raises
        ------
        LaunchError
            With the runtime's own words.
        """
        code, *given = getattr(self.hip, name)(*arguments)
        if int(code):
            raise self.error(what, code, **facts)
        return given[0] if len(given) == 1 else tuple(given)

    # ---- devices

    @property
    def version(self) -> str:
        """HIP's version, such as 7.1.52802."""
        value = int(self.call("hipRuntimeGetVersion", what="asking for HIP's version"))
        return f"{value // 10_000_000}.{value // 100_000 % 100}.{value % 100_000}"

    def device_count(self) -> int:
        """Return how many devices are visible."""
        code, count = self.hip.hipGetDeviceCount()
        if int(code) == int(self.hip.hipError_t.hipErrorNoDevice):
            return 0
        if int(code):
            raise self.error("counting devices", code)
        return int(count)

    def properties(self, ordinal: int) -> Any:
        """Return the properties of a device (hipDeviceProp_t)."""
        return self.call("hipGetDeviceProperties", ordinal, what="asking for the device's properties")

    @contextlib.contextmanager
    def active(self, ordinal: int) -> Iterator[None]:
        """Make a device this thread's own for a while, unless it is already."""
        before = int(self.call("hipGetDevice", what="asking for the current device"))
        if before == ordinal:
            yield
            return
        self.call("hipSetDevice", ordinal, what="changing to the device")
        try:
            yield
        finally:
            self.hip.hipSetDevice(before)

    # ---- code

    def load(self, binary: bytes, entry: str) -> tuple[Any, Any]:
        """Return a code object, loaded into the current device for as long as it is kept, and its function `entry`."""
        module = self.call("hipModuleLoadData", binary, what="loading the kernel", kernel=entry)
        name = entry.encode()
        function = self.call("hipModuleGetFunction", module, name, what="finding the kernel in its code", kernel=entry)
        return module, function


@functools.lru_cache(maxsize=1)
def driver() -> Driver:
    """Return the runtime, opened once for the process.

    Raises
    ------
    BackendUnavailableError
        If the bindings or the runtime are missing, or the driver does not start.
    """
    try:
        hip, hiprtc = (importlib.import_module(f"rocm.bindings.{name}") for name in ("hip", "hiprtc"))
    except ImportError as error:
        raise BackendUnavailableError(
            f"AMD's Python bindings cannot be imported: {error}", hint=INSTALL, backend="hip"
        ) from error
    return Driver(hip, hiprtc)
