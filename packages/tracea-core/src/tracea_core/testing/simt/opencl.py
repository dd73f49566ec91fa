# SPDX-License-Identifier: MIT
"""OpenCL C's text as C++: variables in local memory, literals of vectors, and overloads that differ in the address space alone."""

from __future__ import annotations

import re

_VARIABLE = re.compile(r"\b__local\s+(\w+)\s+(\w+)\s*\[")
_LITERAL = re.compile(r"\(((?:u?(?:char|short|int|long)|float)(?:2|4|8|16))\)\s*\(")
_OVERLOAD = re.compile(r"^INLINE .*\}$", re.MULTILINE)


def translate(text: str) -> str:
    """Return the text as C++, line by line; address spaces become nothing, so one of several equal functions stays."""
    seen: set[str] = set()

    def first(match: re.Match[str]) -> str:
        plain = re.sub(r"\b__(global|local|private)\b", "", match[0])
        if plain in seen:
            return ""
        seen.add(plain)
        return match[0]

    text = _OVERLOAD.sub(first, text)
    return _LITERAL.sub(r"simt_vector<\1>(", _VARIABLE.sub(r"SIMT_LOCAL \1 \2[", text))
