# SPDX-License-Identifier: MIT
"""Text from the outside (paths, variables, messages) as text that every terminal and every JSON reader can take."""

from __future__ import annotations


def readable(text: object, longest: int = 2000) -> str:
    """Return `text` with bytes that were no text written as escapes, and cut to `longest` characters."""
    safe = str(text).encode("utf-8", "backslashreplace").decode("utf-8")
    return safe if len(safe) <= longest else safe[:longest] + "…"
