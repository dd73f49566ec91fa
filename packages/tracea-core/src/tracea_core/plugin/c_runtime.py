# SPDX-License-Identifier: MIT
"""How a backend's kernels run in a library of C: what it adds to `BackendManifest` if its kernels can be exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tracea_core.emit.source import KernelSource


@dataclass(frozen=True)
class CKernel:
    """One kernel with every symbol bound, as a library holds it.

    Attributes
    ----------
    text : str
        Definitions of C, at whose end a constant of the name that was asked for has the type that the runtime's header calls for.
    code : bytes
        Machine code.
    suffix : str
        Of a file with that code: ``.o``, which is linked, or another where the code stands in `text`, such as ``.cubin``.
    """

    text: str
    code: bytes
    suffix: str


@dataclass(frozen=True)
class CRuntime:
    """What launches a backend's kernels in a library of C, on devices of one profile.

    Attributes
    ----------
    header : str
        The file that is included after ``tracea_library.h``; it defines ``tracea_backend``.
    files : mapping of str to str
        Headers by name, with their text.
    suffix : str
        Of a kernel's source: ``.ll``, ``.cu``.
    define : callable
        ``define(prefix) -> str``: C that stands ahead of the header; functions that a library links begin with `prefix`.
    objects : callable
        ``objects(prefix) -> mapping of str to bytes``: machine code that the header calls, by the names of object files.
    kernel : callable
        ``kernel(prefix, name, source, symbols) -> CKernel``.
    machine : str
        The processor family of the program that calls it: ``x86_64``, ``aarch64``.
    flags, libraries : tuple of str
        For the compiler, and for the linker.
    """

    header: str
    files: Mapping[str, str]
    suffix: str
    define: Callable[[str], str]
    objects: Callable[[str], Mapping[str, bytes]]
    kernel: Callable[[str, str, KernelSource, Mapping[str, int]], CKernel]
    machine: str
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
