# SPDX-License-Identifier: MIT
"""CUDA C++ to machine code for one architecture: NVRTC through cuda-core; the log gated, the binary cached.

Only machine code (cubin) is made, so what the log describes is what runs, and no device or driver is needed. A binary in the
cache passed the gates when it was made: the key holds everything that decides its bytes.
"""

from __future__ import annotations

import functools
import io
import logging
import os
import re
from importlib import metadata
from typing import Any

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

from tracea_cuda import ptxas
from tracea_cuda.ptxas import PtxasReport

_log = logging.getLogger("tracea.cuda")
STANDARD = "c++17"
OPTIONS = (f"std={STANDARD}", "ptxas=-v", "cubin", "gates=1")
"""What decides a binary besides its source, target and compiler; ``gates`` numbers the rules of `tracea_cuda.ptxas`."""

COMPILERS = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")
"""Distributions that hold NVRTC, for CUDA 13 and for CUDA 12."""

_ARCH = re.compile(r"sm_\d+[af]?")
_LINE = re.compile(r"\((\d+)\): error: ?(.*)|:(\d+):\d+: error: ?(.*)")
_MAGIC = b"\x7fELF"


class Compiled(Data, frozen=True):
    """A cubin and what the assembler reported about it."""

    binary: bytes
    report: PtxasReport
    log: str


@functools.lru_cache(maxsize=1)
def compiler() -> str:
    """Return the name and version of NVRTC, as far as installed packages tell; asking the library would load it."""
    for name in COMPILERS:
        try:
            return f"nvrtc {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return "nvrtc {}.{}".format(*nvrtc_version())


def nvrtc_version() -> tuple[int, int]:
    """Return the version of the NVRTC library that would be loaded.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    try:
        from cuda.bindings import nvrtc

        code, major, minor = nvrtc.nvrtcVersion()
    except Exception as error:  # whatever a missing or damaged library raises
        raise _no_compiler(error) from error
    if int(code):
        raise _no_compiler(code)
    return int(major), int(minor)


def _no_compiler(cause: object) -> BackendUnavailableError:
    return BackendUnavailableError(f"NVRTC cannot be used: {cause}", hint='pip install "tracea[cuda]"', backend="cuda")


def compile_nvrtc(text: str, arch: str, entry: str) -> Compiled:
    """Return `text` compiled in this process.

    Raises
    ------
    CompileError
        If NVRTC rejects the text, or the gates the result.
    BackendUnavailableError
        If cuda-core or NVRTC is missing.
    """
    _check_arch(arch)
    Program, ProgramOptions = _cuda_core()
    log = io.StringIO()
    try:
        # NVRTC's own cache answers without the assembler's log, which the gates read; finished binaries are cached here.
        options = ProgramOptions(name=f"{entry}.cu", arch=arch, std=STANDARD, ptxas_options="-v", no_cache=True)
        code = Program(text, "c++", options).compile("cubin", logs=log).code
    except (ImportError, FileNotFoundError) as error:
        raise _no_compiler(error) from error
    except Exception as error:  # cuda-core raises its own classes, with NVRTC's log in the message
        if type(error).__name__ == "DynamicLibNotFoundError":
            raise _no_compiler(error) from error
        raise rejection(text, f"{log.getvalue()}\n{error}", arch, entry) from error
    return Compiled(bytes(code), ptxas.parse(log.getvalue(), entry), log.getvalue())


def _cuda_core() -> tuple[Any, Any]:
    try:
        from cuda.core import Program, ProgramOptions
    except ImportError as error:
        raise BackendUnavailableError(
            f"cuda-core cannot be imported: {error}", hint='pip install "tracea[cuda]"', backend="cuda"
        ) from error
    return Program, ProgramOptions


def _check_arch(arch: str) -> None:
    if not _ARCH.fullmatch(arch):
        raise CompileError(f"{arch!r} is no architecture of NVIDIA's", hint="They are like sm_90a")


def rejection(text: str, log: str, arch: str, entry: str) -> CompileError:
    """Return the error for text that a compiler rejects: what it says of the first line it complains about, and that line."""
    found = _LINE.search(log)
    number = int(found.group(1) or found.group(3)) if found else 0
    said = (found.group(2) or found.group(4)) if found else log.strip()[-2000:]
    lines = text.splitlines()
    return CompileError(
        f"the compiler rejects the emitted text: {said.strip()}",
        hint="This is a defect of the emitter; please report the text",
        kernel=entry,
        arch=arch,
        line=number or None,
        text=repr(lines[number - 1].strip()) if 1 <= number <= len(lines) else None,
    )


@functools.lru_cache(maxsize=1)
def binary_cache() -> BinaryCache:
    """Return the cache of binaries."""
    return BinaryCache()


def binary_key(source: KernelSource) -> str:
    """Return the cache key of the binary that `source` compiles to."""
    return key_digest(
        arch=source.arch, toolchain=compiler(), source=source.text_digest, flags=(*OPTIONS, source.entry), abi="cubin"
    )


def binary(source: KernelSource) -> bytes:
    """Return the machine code of `source`, from the cache where it holds it.

    Raises
    ------
    CompileError
        If the compiler rejects the text, or the assembler's log shows spills, a dropped register budget or serialized matrix
        instructions.
    BackendUnavailableError
        If there is no compiler.
    """
    if source.language != "cuda":
        raise CompileError(f"the source is {source.language}, not CUDA C++", kernel=source.entry)
    key = binary_key(source)
    content = binary_cache().get(key)
    if content is not None and content.startswith(_MAGIC):
        return content
    made = compile_nvrtc(source.text, source.arch, source.entry)
    _log.info("%s for %s: %s", source.entry, source.arch, made.report.describe())
    made.report.require()
    binary_cache().put(key, made.binary)
    return made.binary


def _after_fork() -> None:
    """Forget the cache, whose lock another thread of the parent may have held."""
    binary_cache.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
