# SPDX-License-Identifier: MIT
"""SYCL's text as it stands: a kernel is the free function of its name, and local memory, its last argument, is the emulator's own."""

from __future__ import annotations

import re

from tracea_core.errors import CompileError

ENTRY = "simt_sycl_entry"
_NAMESPACE = re.compile(r"^namespace (\w+) \{", re.MULTILINE)
_MEMORY = re.compile(r",?\s*sycl::local_accessor<[^<>]*>\s+\w+\s*$")


def translate(text: str, entry: str) -> tuple[str, str]:
    """Return the text with `ENTRY` at its end, which takes pointers and integers alone, and how that is called from outside.

    Raises
    ------
    CompileError
        If the text has no free function of that name.
    """
    found = re.search(rf"\bvoid\s+{re.escape(entry)}\s*\(([^()]*)\)\s*\{{", text)
    if found is None:
        raise CompileError(f"the text has no free function called {entry}")
    spaces = [match[1] for match in _NAMESPACE.finditer(text, 0, found.start())]
    declared = _MEMORY.sub("", found[1])
    names = [name for part in declared.split(",") if (name := part.split()[-1].lstrip("*&") if part.strip() else "")]
    names += ["{}"] if declared != found[1] else []
    function = f'extern "C" __attribute__((noinline)) void {ENTRY}({declared}) {{ {entry}({", ".join(names)}); }}'
    if not spaces:
        return f"{text}\n{function}\n", ENTRY
    return f"{text}\nnamespace {spaces[-1]} {{ {function} }}\n", f"{spaces[-1]}::{ENTRY}"
