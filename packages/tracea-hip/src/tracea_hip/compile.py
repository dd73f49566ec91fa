# SPDX-License-Identifier: MIT
"""HIP C++ to a code object for one architecture: clang alone, no ROCm, no device; its report read, the binary cached.

A code object says what the compiler did: registers, spills, LDS and scratch stand in its notes as MessagePack. A kernel that
spills or needs scratch memory is refused, since its speed would be a surprise.
"""

from __future__ import annotations

import functools
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

OPTIONS = (
    "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-O3", "-std=c++17", "-fdeclspec",
    "-Wno-shift-op-parentheses",
)  # fmt: skip
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
    cache = BinaryCache()
    key = key_digest(arch=source.arch, toolchain=version, source=source.text_digest, flags=OPTIONS)
    known = cache.get(key)
    if known is not None:
        return known
    made = _compile(path, source)
    found = report(made)
    if found.spills or found.scratch_bytes:
        raise CompileError(
            f"{source.entry} does not fit the registers: {found.describe()}",
            hint="Choose smaller tiles",
            arch=source.arch,
        )
    cache.put(key, made)
    return made


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
    """Return what a code object's notes say of its first kernel.

    Source: LLVM, "User Guide for AMDGPU Backend", section "Code Object V3 and Above Metadata".

    Raises
    ------
    CompileError
        If it is no code object, or has no such notes.
    """
    for owner, kind, content in _notes(code):
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
    if code[:6] != b"\x7fELF\x02\x01":
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
