# SPDX-License-Identifier: MIT
"""Metal's text as C++: variables in threadgroup memory, and kernel arguments by their attributes.

A kernel's arguments are found by attribute, not by position, so a function is appended that takes the buffers in the order of
their numbers and hands the kernel everything else.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tracea_core.errors import CompileError
from tracea_core.testing.simt.toolchain import check_syntax

ENTRY = "simt_metal_entry"

_VARIABLE = re.compile(
    r"\bthreadgroup\s+((?:alignas\s*\([^)]*\)\s*)?[\w:]+(?:\s*<[^;<>()]*>)?\s+\w+\s*(?:\[[^;\]]*\]\s*)*;)"
)
_ATTRIBUTE = re.compile(r"\[\[\s*(\w+)\s*(?:\(\s*(\w+)\s*\))?\s*\]\]")
_STRICT = Path(__file__).parent / "spaces"
_SPACES = re.compile(r"\b(device|constant|thread|threadgroup)\b")


def translate(text: str, entry: str) -> str:
    """Return the text as C++, with `ENTRY` at its end.

    Raises
    ------
    CompileError
        If the kernel or one of its arguments is not understood.
    """
    found = re.search(rf"\bkernel\s+void\s+{re.escape(entry)}\s*\(", text)
    if found is None:
        raise CompileError(f"the text has no kernel called {entry}")
    parameters = [_parameter(part) for part in _split(text, found.end())]
    buffers = sorted((number, declared) for kind, number, declared, _ in parameters if kind == "buffer")
    if [number for number, _ in buffers] != list(range(len(buffers))):
        raise CompileError("buffers are numbered from 0 without gaps", numbers=[number for number, _ in buffers])
    passed = ", ".join(expression for _, _, _, expression in parameters)
    declared = ", ".join(declared for _, declared in buffers)
    tail = f"\nvoid {ENTRY}({declared}) {{ {entry}({passed}); }}\n"
    return _VARIABLE.sub(r"SIMT_THREADGROUP \1", _ATTRIBUTE.sub("", text)) + tail


def check_address_spaces(text: str) -> None:
    """Compile a text's syntax with real address spaces, and with the library's own overloads; nothing is run.

    In the emulator all memory is alike; here a pointer must name the space of what it points to.

    Raises
    ------
    CompileError
        With the compiler's messages.
    BackendUnavailableError
        If this machine has no clang.
    """
    for head in re.finditer(r"\bkernel\s+void\s+\w+\s*\(", text):
        for parameter in _split(text, head.end()):
            declared = _ATTRIBUTE.sub("", parameter)
            if re.search(r"[*&]", declared) and not _SPACES.search(declared):
                raise CompileError("a pointer argument names no address space", argument=" ".join(declared.split()))
    plain = _VARIABLE.sub(r"SIMT_THREADGROUP \1", _ATTRIBUTE.sub("", text))
    with tempfile.TemporaryDirectory(prefix="tracea-simt-") as folder:
        path = Path(folder) / "kernel.cpp"
        path.write_text(plain)
        check_syntax(path, (f"-I{_STRICT}", "-std=c++17", "-w"))


def _split(text: str, begin: int) -> list[str]:
    """Return the parameters of the list that begins at `begin`."""
    parts, depth, at = [], 0, begin
    while depth >= 0 and at < len(text):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(text[at], 0)
        if (text[at] == "," and depth == 0) or depth < 0:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [part for part in parts if part.strip()]


def _parameter(text: str) -> tuple[str, int, str, str]:
    """Return (kind, number, declaration, expression) of one parameter."""
    attribute = _ATTRIBUTE.search(text)
    declared = " ".join(_ATTRIBUTE.sub("", text).split())
    name = re.search(r"(\w+)$", declared)
    if attribute is None or name is None:
        raise CompileError("a kernel argument needs an attribute", argument=declared)
    kind, given = attribute[1], attribute[2]
    if kind == "buffer":
        return kind, int(given), declared, name[1]
    if kind == "threadgroup":
        if int(given):
            raise CompileError("only one argument in threadgroup memory is supported", argument=declared)
        kind_of = _SPACES.sub("", declared[: name.start()]).strip()
        return kind, 0, declared, f"static_cast<{kind_of}>(simt::dynamic_shared())"
    return kind, 0, declared, f"simt::metal_{kind}()"
