# SPDX-License-Identifier: MIT
"""An exported folder to a shared library, by the C compiler of the machine: ``$CC``, cc, gcc, clang, or the wheel ``ziglang``."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tracea_core.errors import BackendUnavailableError, CompileError

_NAMES = ("cc", "gcc", "clang")
_SECONDS = 600.0
WARNINGS = ("-Wall", "-Wextra")
FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden")


def machine() -> str:
    """Return this machine's processor family, as LLVM names it."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def compiler_for(family: str) -> tuple[str, ...]:
    """Return the words that start a C compiler for a processor family, such as ``x86_64``.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    return _compiler_for(family, os.environ.get("CC", ""))


@functools.lru_cache(maxsize=8)
def _compiler_for(family: str, said: str) -> tuple[str, ...]:
    own = machine() == family
    if own and said:
        return tuple(shlex.split(said))
    if own:
        for name in _NAMES:
            found = shutil.which(name)
            if found:
                return (found,)
    if importlib.util.find_spec("ziglang"):
        return (sys.executable, "-m", "ziglang", "cc", "-target", f"{family}-linux-gnu")
    raise BackendUnavailableError(
        f"there is no C compiler for {family}",
        hint="Install one, `pip install ziglang`, or build the folder with CMake on the machine",
    )


def build(folder: Path, name: str, family: str, flags: Sequence[str], libraries: Sequence[str]) -> Path:
    """Compile and link ``src/NAME.c`` and the objects in ``kernels`` to ``lib/libNAME.so``, and return that.

    Raises
    ------
    BackendUnavailableError
        If there is no compiler.
    CompileError
        If it refuses.
    """
    target = folder / "lib" / f"lib{name}.so"
    target.parent.mkdir(exist_ok=True)
    objects = sorted(str(path.relative_to(folder)) for path in (folder / "kernels").glob("*.o"))
    command = [
        *compiler_for(family), *FLAGS, *WARNINGS, *flags, "-Iinclude", "-Isrc", "-shared", "-o", str(target.relative_to(folder)),
        f"src/{name}.c", *objects, *libraries, f"-Wl,-soname,lib{name}.so", "-Wl,-z,noexecstack",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompileError(f"the C compiler cannot be run: {error}", compiler=command[0]) from error
    if done.returncode or not target.exists():
        said = "\n".join(line for line in done.stderr.splitlines() if line)[:4000]
        raise CompileError(f"the C compiler refuses the library:\n{said}", compiler=command[0])
    return target
