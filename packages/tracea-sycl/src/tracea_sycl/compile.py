# SPDX-License-Identifier: MIT
"""OpenCL C to a device's binary: the compiler's words where it refuses, and a cache that a new driver never hits with old code."""

from __future__ import annotations

import warnings
from typing import Any

from tracea_core.emit.source import KernelSource
from tracea_core.errors import CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

from tracea_sycl.driver import OpenClDevice, pyopencl

OPTIONS = ("-w",)
"""The text's parentheses stand only where they must, about which clang would warn a hundred times. Nothing relaxes arithmetic."""
_LOG = 4000


def toolchain(device: OpenClDevice) -> str:
    """Return platform, driver and device with their versions: what a binary depends on besides its source."""
    handle = device.handle
    return f"{device.platform.version.strip()}, {handle.driver_version.strip()}, {handle.name.strip()}"


def program(source: KernelSource, device: OpenClDevice, context: Any) -> Any:
    """Return `source` built for the device, from the binary cache where it holds it.

    Raises
    ------
    CompileError
        With the build log, if the device's compiler rejects the text.
    """
    cl, cache = pyopencl(), BinaryCache()
    key = key_digest(arch=source.arch, toolchain=toolchain(device), source=source.text_digest, flags=OPTIONS)
    known = cache.get(key)
    if known is not None:
        try:
            return cl.Program(context, [device.handle], [known]).build(options=list(OPTIONS))
        except cl.Error:
            known = None  # a driver that was changed in place refuses it; it is built anew
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a log of a build that succeeded is no news
            made = cl.Program(context, source.text).build(
                options=list(OPTIONS), devices=[device.handle], cache_dir=False
            )
    except cl.Error as error:
        raise CompileError(
            f"{device.platform.name.strip()} rejects {source.entry}:\n{str(error)[:_LOG]}", device=device.name
        ) from error
    for binary in made.get_info(cl.program_info.BINARIES):
        cache.put(key, bytes(binary))
    return made
