# SPDX-License-Identifier: MIT
"""Finds a clang, and compiles kernels and the emulator with it for this host.

Kernels need clang: their vector types, address checks called out of line and thread-local variables resolved at run time are its
own. Where the system has none, the one that the wheel ``ziglang`` brings serves as well. What was compiled is kept in the
cache of binaries, under a digest of everything that went in.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tracea_core.data import Data
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

HERE = Path(__file__).parent
INCLUDE = HERE / "include"
_RUNTIME = HERE / "runtime"
OWN_FILES = "/tracea-simt"
"""Where debugging information says that the emulator's own files lie."""
_OLDEST = 16
_NAMES = ("clang++", *(f"clang++-{version}" for version in range(30, _OLDEST - 1, -1)))

_COMMON = ("-std=c++20", "-fPIC", "-fno-exceptions", "-fno-rtti", "-gline-tables-only", "-gdwarf-4", f"-I{INCLUDE}",
    f"-fdebug-prefix-map={HERE}={OWN_FILES}",
)  # fmt: skip
_RUNTIME_FLAGS = (*_COMMON, "-O2", "-fvisibility=hidden")
_KERNEL_FLAGS = (
    *_COMMON,
    "-O1",
    "-w",
    "-fdeclspec",
    "-fno-builtin",  # else loops over registers become calls of memcpy, whose width says nothing
    "-fno-optimize-sibling-calls",  # a jump to a twin would hide the line it was called from
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-strict-aliasing",  # device compilers are asked to read anything as anything
    "-femulated-tls",
    "-ftrivial-auto-var-init=pattern",  # a register that was never written is NaN
    "-fsanitize=kernel-address",
    *(f"-mllvm={option}" for option in (
        "-asan-instrumentation-with-call-threshold=0", "-asan-kernel-mem-intrinsic-prefix=1", "-asan-stack=0",
        "-asan-globals=0", "-asan-opt=0", "-disable-tail-duplicate", "-disable-early-taildup",
        "-disable-vector-combine",  # else lanes of a vector that is loaded are loads of their own
    )),
)  # fmt: skip


class Compiler(Data, frozen=True):
    """A clang: the words that start it, and what it says its version is."""

    command: tuple[str, ...]
    version: str


def _version(command: Sequence[str]) -> str | None:
    try:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"clang version (\d+)[.\d]*", said)
    return said.strip() if match and int(match.group(1)) >= _OLDEST else None


@functools.cache
def find_compiler() -> Compiler:
    """Return the first clang of version 16 or newer: on the path, or from the wheel ``ziglang``.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    commands: list[tuple[str, ...]] = [(found,) for name in _NAMES if (found := shutil.which(name))]
    if importlib.util.find_spec("ziglang"):
        commands.append((sys.executable, "-m", "ziglang", "c++"))
    for command in commands:
        version = _version(command)
        if version is not None:
            return Compiler(command, version)
    raise BackendUnavailableError(
        f"the emulator needs clang++ {_OLDEST} or newer", hint="Install clang, or `pip install ziglang`"
    )


def digest_of(folders: Sequence[Path]) -> str:
    """Return a digest of the names and contents of all files below `folders`."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _run(arguments: Sequence[str], what: str, folder: Path) -> None:
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        errors = "\n".join(line for line in done.stderr.splitlines() if line)[:4000]
        raise CompileError(f"the host's compiler rejects {what}:\n{errors}", compiler=arguments[0])


def _compile(compiler: Compiler, flags: Sequence[str], source: Path, output: Path, what: str) -> None:
    _run([*compiler.command, *flags, "-c", str(source), "-o", str(output)], what, output.parent)


def check_syntax(source: Path, flags: Sequence[str]) -> None:
    """Look through a C++ file; what it compiles to lies beside it, since a ziglang from 0.17 on fails where nothing is to be written.

    Raises
    ------
    CompileError
        If the compiler rejects it.
    BackendUnavailableError
        If no compiler is found.
    """
    _compile(find_compiler(), flags, source, source.with_suffix(".o"), "the syntax")


def _cached(key: str, cache: BinaryCache, output: Path) -> bool:
    content = cache.get(key)
    if content is None:
        return False
    output.write_bytes(content)
    return True


def runtime_objects(compiler: Compiler, folder: Path, cache: BinaryCache) -> list[Path]:
    """Return the emulator's own object files, compiled into `folder` or taken from the cache."""
    objects = []
    headers = digest_of([INCLUDE / "simt", _RUNTIME])
    for source in sorted(_RUNTIME.glob("*.cpp")):
        if source.name == "kernel.cpp":
            continue
        output = folder / f"{source.stem}.o"
        key = key_digest(
            arch="simt", toolchain=compiler.version, source=f"{source.name} {headers}", flags=_RUNTIME_FLAGS[:-1]
        )
        if not _cached(key, cache, output):
            _compile(compiler, _RUNTIME_FLAGS, source, output, f"the emulator's {source.name}")
            cache.put(key, output.read_bytes())
        objects.append(output)
    return objects


def build(text: str, *, name: str, shim: str, entry: str, defines: Sequence[str], twins: Sequence[Path]) -> bytes:
    """Return the shared library of a kernel.

    Parameters
    ----------
    text : str
        The kernel, as its own compiler would read it.
    name : str
        File name that findings show.
    shim : str
        Header that declares the language's words.
    entry : str
        The kernel function.
    defines : sequence of str
        Macros, as ``NAME`` or ``NAME=value``.
    twins : sequence of Path
        Folders of headers that take the place of the kernel's own, searched first.

    Raises
    ------
    CompileError
        If the host's compiler rejects the text, with its messages.
    BackendUnavailableError
        If no compiler is found.
    """
    compiler, cache = find_compiler(), BinaryCache()
    flags = [*(f"-I{folder}" for folder in twins), *_KERNEL_FLAGS, *(f"-D{define}" for define in defines)]
    flags += [f"-DSIMT_SHIM=<{shim}>", f"-DSIMT_ENTRY={entry}"]
    made_of = hashlib.sha256(f"{name}\n{text}\n{digest_of([INCLUDE, _RUNTIME, *twins])}".encode()).hexdigest()
    key = key_digest(arch="simt", toolchain=compiler.version, source=made_of, flags=flags)
    library = cache.get(key)
    if library is not None:
        return library
    with tempfile.TemporaryDirectory(prefix="tracea-simt-") as scratch:
        folder = Path(scratch)
        (folder / name).write_text(text)
        located = [*flags, f'-DSIMT_SOURCE="{folder / name}"']
        _compile(compiler, located, _RUNTIME / "kernel.cpp", folder / "kernel.o", f"{entry} of {name}")
        objects = [str(path) for path in runtime_objects(compiler, folder, cache)]
        shared = folder / "kernel.so"
        _run(
            [*compiler.command, "-shared", str(folder / "kernel.o"), *objects, "-o", str(shared)],
            f"{entry} at link time",
            folder,
        )
        library = shared.read_bytes()
    cache.put(key, library)
    return library
