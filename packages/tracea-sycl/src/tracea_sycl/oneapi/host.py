# SPDX-License-Identifier: MIT
"""Intel's SYCL runtime, called from Python through a small library that the host's C++ compiler makes against the installed headers.

SYCL is a C++ library without an interface of C, and its binary interface changes with every major version; a library that is compiled
where it runs cannot disagree with it. It is kept in the cache of binaries, under the version of the runtime and of the compiler.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import importlib.resources
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

DISTRIBUTION = "intel-sycl-rt"
WAY_ON = "Install intel-sycl-rt, and for processors intel-opencl-rt; see the page of the oneAPI backend"
_FLAGS = ("-std=c++17", "-O1", "-w", "-shared", "-fPIC")
_COMPILERS = ("g++", "clang++", "c++")
_ROOM = 1 << 16
_SECONDS = 600


class Toolkit(NamedTuple):
    """Where the SYCL runtime lies, which it is, and what compiles the host's part."""

    version: str
    include: Path
    libraries: Path
    compiler: str


def find_toolkit() -> Toolkit:
    """Return the SYCL runtime of this Python, or the one of the oneAPI environment that ``CMPLR_ROOT`` names.

    Raises
    ------
    BackendUnavailableError
        Saying which part is missing.
    """
    version, root = _distribution()
    if root is None:
        raise BackendUnavailableError("Intel's SYCL runtime is not installed", hint=WAY_ON, backend="oneapi")
    include, libraries = root / "include", root / "lib"
    parts = {
        "headers": include / "sycl" / "sycl.hpp",
        "library": libraries / "libsycl.so",
        "run-time compiler": libraries / "libsycl-jit.so",
    }
    for what, part in parts.items():
        if not part.exists():
            raise BackendUnavailableError(
                f"the SYCL runtime {version} has no {what}: {part}", hint=WAY_ON, backend="oneapi"
            )
    compiler = next(
        (found for name in (os.environ.get("CXX", ""), *_COMPILERS) if name and (found := shutil.which(name))), None
    )
    if compiler is None:
        raise BackendUnavailableError(
            "no C++ compiler is there for the host's part of SYCL",
            hint="Install g++ or clang++, or name one in CXX",
            backend="oneapi",
        )
    return Toolkit(version, include, libraries, compiler)


def _distribution() -> tuple[str, Path | None]:
    """Version and root of the runtime, whose root holds ``include`` and ``lib``."""
    try:
        found = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        named = os.environ.get("CMPLR_ROOT", "")
        return (Path(named).name, Path(named)) if named else ("", None)
    place = next((file for file in found.files or () if file.name == "libsycl.so"), None)
    return found.version, None if place is None else Path(str(found.locate_file(place))).resolve().parent.parent


@functools.lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """Return the library that speaks SYCL, compiled on first use.

    Raises
    ------
    BackendUnavailableError
        If a part of the runtime is missing, or its libraries cannot be loaded.
    CompileError
        If the host's compiler rejects its headers.
    """
    kit = find_toolkit()
    content = _compiled(kit)
    with tempfile.TemporaryDirectory(prefix="tracea-oneapi-") as folder:
        path = Path(folder) / "host.so"
        path.write_bytes(content)
        try:
            found = ctypes.CDLL(str(path))
        except OSError as error:
            raise BackendUnavailableError(
                f"the SYCL runtime cannot be loaded: {error}", hint=WAY_ON, backend="oneapi"
            ) from error
    for name in ("open", "build", "allocate"):
        getattr(found, f"tracea_{name}").restype = ctypes.c_void_p
    for name in ("close", "drop", "free"):
        getattr(found, f"tracea_{name}").restype = None
    return found


def _compiled(kit: Toolkit) -> bytes:
    text = importlib.resources.files("tracea_sycl").joinpath("device", "host.cpp").read_text("utf-8")
    said = subprocess.run([kit.compiler, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    cache, key = BinaryCache(), key_digest(
        arch="host", toolchain=f"{said.splitlines()[0] if said else kit.compiler}, SYCL {kit.version} in {kit.libraries}",
        source=text, flags=_FLAGS,
    )  # fmt: skip
    known = cache.get(key)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="tracea-oneapi-") as scratch:
        folder = Path(scratch)
        (folder / "host.cpp").write_text(text, "utf-8")
        place = str(kit.libraries)
        command = [
            kit.compiler, *_FLAGS, f"-I{kit.include}", str(folder / "host.cpp"), "-o", str(folder / "host.so"), f"-L{place}",
            "-lsycl", f"-Wl,-rpath,{place}", f"-Wl,-rpath-link,{place}",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if done.returncode:
            raise CompileError(f"{kit.compiler} rejects the headers of SYCL {kit.version}:\n{done.stderr[:4000]}")
        made = (folder / "host.so").read_bytes()
    cache.put(key, made)
    return made


class Said:
    """Room for what a function has to say."""

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(_ROOM)
        self.arguments = (self._buffer, ctypes.c_size_t(_ROOM))

    @property
    def text(self) -> str:
        """What it said."""
        return self._buffer.value.decode("utf-8", errors="replace").strip()
