# SPDX-License-Identifier: MIT
"""The few places where a kernel's text is no C++ even with the right headers, rewritten without moving a line."""

from __future__ import annotations

import re

from tracea_core.errors import OptionError
from tracea_core.testing.simt import metal, opencl, ptx, sycl

LANGUAGES = ("hip", "cuda", "metal", "opencl", "sycl")

_NAME = re.compile(r"[A-Za-z_]\w*(<[\w\s,:]*>)?")
_DYNAMIC = re.compile(
    r"extern\s+__shared__\s+((?:(?:__align__|alignas)\s*\(\s*\w+\s*\)\s*|__attribute__\s*\(\([^()]*(?:\([^()]*\))?\)\)\s*)*)"
    r"([\w:][\w:\s]*?)\s+(\w+)\s*\[\s*\]\s*;"
)
_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_GLOBAL = re.compile(rf"__global__(?:\s+(?:void|static|inline|__\w+__(?:\s*{_PARENTHESES})?))+\s+(?!__)(\w+)\s*\(")
_KERNELS = {
    "metal": re.compile(r"\bkernel\s+void\s+(\w+)\s*\("),
    "sycl": re.compile(r"\bvoid\s+(\w+)\s*\([^()]*\bsycl::local_accessor\b[^()]*\)"),
    "opencl": re.compile(r"\b(?:__)?kernel\s+void\s+(\w+)\s*\("),
}


def prepare(text: str, language: str, entry: str) -> tuple[str, str]:
    """Return the text as C++ and its kernel: inline PTX as calls of twins, unsized shared arrays bound to memory, arguments found.

    Raises
    ------
    CompileError
        If inline PTX or a Metal kernel's argument is not understood.
    """
    if language == "metal":
        return metal.translate(text, entry), metal.ENTRY
    if language == "sycl":
        return sycl.translate(text, entry)
    if language == "opencl":
        return opencl.translate(text), entry
    if language == "cuda":
        text = ptx.translate(text)
    return _DYNAMIC.sub(r"\2 (&\3)[] = *static_cast<\2 (*)[]>(simt::dynamic_shared());", text), entry


def find_entry(text: str, language: str, entry: str | None) -> str:
    """Return `entry`, or the name of the one kernel in the text.

    Raises
    ------
    OptionError
        If the name is no name, or the text has no kernel or several.
    """
    if entry is not None:
        if not _NAME.fullmatch(entry):
            raise OptionError(f"{entry!r} is not the name of a kernel")
        return entry
    names: list[str] = sorted(set(_KERNELS.get(language, _GLOBAL).findall(text)))
    if len(names) != 1:
        raise OptionError("the text does not hold exactly one kernel", hint="Name one as `entry`", kernels=names)
    return names[0]


def file_stem(entry: str) -> str:
    """Return a file name for a kernel, without the template arguments."""
    return entry.split("<")[0]
