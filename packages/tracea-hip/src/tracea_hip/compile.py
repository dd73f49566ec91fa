# SPDX-License-Identifier: MIT
"""HIP C++ to a code object for one architecture: by clang alone, without ROCm or a device, or by HIPRTC where kernels are launched.

A code object says what the compiler did: registers, spills, LDS and scratch stand in its notes as MessagePack. A kernel that
spills or needs scratch memory is refused, since its speed would be a surprise. Binaries are cached.
"""

from __future__ import annotations

import functools
import logging
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, ScheduleError
from tracea_core.runtime.cache import BinaryCache, key_digest

from tracea_hip.driver import Driver

_log = logging.getLogger("tracea.hip")
OPTIONS = (
    "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-O3", "-std=c++17", "-fdeclspec",
    "-Wno-shift-op-parentheses",
)  # fmt: skip
RUNTIME_OPTIONS = ("-O3", "-std=c++17", "-Wno-shift-op-parentheses")
"""Options of HIPRTC, which brings the language's headers itself."""
ELF = b"\x7fELF\x02\x01"
_OLDEST = 17
_NAMES = ("amdclang++", "clang++", *(f"clang++-{version}" for version in range(30, _OLDEST - 1, -1)))
_NEWER = {"gfx950": 20}
"""The first clang that knows an architecture, where `_OLDEST` does not."""
_NOTE_OWNER, _NOTE_METADATA = b"AMDGPU\0", 32


class CodeReport(Data, frozen=True):
    """What a code object says of its kernel: registers of a lane, those spilled, bytes of LDS and of scratch.

    Scalar registers spill into lanes of vector registers, which costs moves but no memory.
    """

    vector_registers: int
    accumulation_registers: int
    scalar_registers: int
    spills: int
    scalar_spills: int
    shared_bytes: int
    scratch_bytes: int

    def describe(self) -> str:
        """Return one line for people."""
        spilled = f"{self.spills} and {self.scalar_spills} of them spilled"
        return (
            f"{self.vector_registers} vector registers ({self.accumulation_registers} for accumulation) and "
            f"{self.scalar_registers} scalar ones, {spilled}; {self.shared_bytes} bytes of LDS, {self.scratch_bytes} of scratch"
        )


@functools.cache
def find_compiler(arch: str) -> tuple[str, str]:
    """Return the path and version of the newest suitable clang.

    Raises
    ------
    BackendUnavailableError
        If there is none that knows `arch`.
    """
    needed = _NEWER.get(arch, _OLDEST)
    for name in _NAMES:
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        match = re.search(r"clang version (\d+)\S*", said)
        if match and int(match.group(1)) >= needed:
            return path, match.group(0)
    raise BackendUnavailableError(
        f"no clang of version {needed} or newer is on the path",
        hint="Install clang and lld, or ROCm",
        backend="hip",
        arch=arch,
    )


def binary(source: KernelSource) -> bytes:
    """Return the code object (``.hsaco``) of `source`.

    Raises
    ------
    BackendUnavailableError
        If no compiler is found.
    CompileError
        If the text does not compile, or the kernel spills registers.
    """
    path, version = find_compiler(source.arch)
    return _checked(source, version, OPTIONS, lambda: _compile(path, source))


def runtime_compiler(driver: Driver, arch: str) -> str:
    """Return the name and version of what compiles for launches: HIPRTC, or clang where that is missing.

    Raises
    ------
    BackendUnavailableError
        If both are missing.
    """
    try:
        code, major, minor = driver.hiprtc.hiprtcVersion()
    except RuntimeError as error:  # what the bindings raise for a library that does not load
        _log.info("HIPRTC cannot be loaded (%s); clang compiles instead", error)
        return find_compiler(arch)[1]
    return f"hiprtc {major}.{minor}" if not int(code) else find_compiler(arch)[1]


def runtime_binary(source: KernelSource, driver: Driver) -> bytes:
    """Return the code object of `source` for a launch in this process, by HIPRTC, or by clang where that is missing.

    Raises
    ------
    BackendUnavailableError
        If both are missing.
    CompileError
        If the text does not compile, or the kernel spills registers.
    """
    version = runtime_compiler(driver, source.arch)
    if not version.startswith("hiprtc"):
        return binary(source)
    return _checked(source, version, RUNTIME_OPTIONS, lambda: _compile_hiprtc(source, driver.hiprtc))


def _checked(source: KernelSource, version: str, options: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    """Return what the cache holds, or what `make` returns if it neither spills nor needs scratch memory."""
    cache = BinaryCache()
    key = key_digest(arch=source.arch, toolchain=version, source=source.text_digest, flags=options)
    known = cache.get(key)
    if known is not None:
        return known
    made = make()
    found = report(made)
    if found.spills or found.scratch_bytes:
        raise ScheduleError(
            f"{source.entry} does not fit the registers: {found.describe()}",
            hint="Choose smaller tiles",
            arch=source.arch,
        )
    _log.info("%s for %s: %s", source.entry, source.arch, found.describe())
    cache.put(key, made)
    return made


def _compile_hiprtc(source: KernelSource, hiprtc: Any) -> bytes:
    def call(name: str, *arguments: Any) -> Any:
        code, *given = getattr(hiprtc, name)(*arguments)
        if int(code):
            raise CompileError(f"{name} failed: {code.name}", kernel=source.entry, arch=source.arch)
        return given[0] if given else None

    program = call("hiprtcCreateProgram", source.text.encode(), f"{source.entry}.hip".encode(), 0, None, None)
    try:
        options = [option.encode() for option in (*RUNTIME_OPTIONS, f"--offload-arch={source.arch}")]
        if int(hiprtc.hiprtcCompileProgram(program, len(options), options)[0]):
            log = bytearray(int(call("hiprtcGetProgramLogSize", program)))
            call("hiprtcGetProgramLog", program, log)
            said = log.rstrip(b"\0").decode(errors="replace")
            raise CompileError(f"HIPRTC rejects {source.entry}:\n{said[:4000]}", arch=source.arch)
        code = bytearray(int(call("hiprtcGetCodeSize", program)))
        call("hiprtcGetCode", program, code)
        return bytes(code)
    finally:
        hiprtc.hiprtcDestroyProgram(program.createRef())  # the only function that wants the handle's address


def _compile(path: str, source: KernelSource) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tracea-hip-") as scratch:
        text, out = Path(scratch) / f"{source.entry}.hip", Path(scratch) / f"{source.entry}.hsaco"
        text.write_text(source.text, "utf-8")
        command = [path, *OPTIONS, f"--offload-arch={source.arch}", str(text), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not out.exists():
            raise CompileError(f"clang rejects {source.entry}:\n{done.stderr[:4000]}", arch=source.arch, compiler=path)
        return out.read_bytes()


def report(code: bytes) -> CodeReport:
    """Return what a code object's notes say of its first kernel; the object may lie in a bundle.

    Source: LLVM, "User Guide for AMDGPU Backend", section "Code Object V3 and Above Metadata".

    Raises
    ------
    CompileError
        If it is no code object, or has no such notes.
    """
    for owner, kind, content in _notes(code[max(code.find(ELF), 0) :]):
        if owner == _NOTE_OWNER and kind == _NOTE_METADATA:
            kernel: dict[str, Any] = msgspec.msgpack.decode(content)["amdhsa.kernels"][0]
            return CodeReport(
                kernel[".vgpr_count"], kernel.get(".agpr_count", 0), kernel[".sgpr_count"],
                kernel.get(".vgpr_spill_count", 0), kernel.get(".sgpr_spill_count", 0),
                kernel[".group_segment_fixed_size"], kernel[".private_segment_fixed_size"],
            )  # fmt: skip
    raise CompileError("the code object has no metadata")


def _notes(code: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield (owner, type, content) of every ELF note."""
    if code[:6] != ELF:
        raise CompileError("what the compiler wrote is no 64-bit ELF file")
    (headers,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    for number in range(count):
        at = headers + number * size
        (kind,) = struct.unpack_from("<I", code, at + 4)
        offset, length = struct.unpack_from("<QQ", code, at + 0x18)
        if kind != 7:
            continue
        place, end = offset, offset + length
        while place + 12 <= end:
            owner, content, note = struct.unpack_from("<III", code, place)
            first = place + 12
            second = first + -(-owner // 4) * 4
            yield code[first : first + owner], note, code[second : second + content]
            place = second + -(-content // 4) * 4
