# SPDX-License-Identifier: MIT
"""A writer of source text that owns indentation and braces, so that emitters only say what the text says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class SourceWriter:
    """Collect lines of source text.

    Parameters
    ----------
    indent : str
        One level of indentation.
    comment : str
        What opens a comment line in the language (``//``, ``;``).

    Examples
    --------
    >>> writer = SourceWriter()
    >>> with writer.block("for (int i = 0; i < n; ++i)"):
    ...     writer.line("sum += x[i];")
    >>> print(writer.text(), end="")
    for (int i = 0; i < n; ++i) {
      sum += x[i];
    }
    """

    def __init__(self, indent: str = "  ", comment: str = "//") -> None:
        self._indent = indent
        self._comment = comment
        self._level = 0
        self._lines: list[str] = []

    def line(self, text: str = "") -> None:
        """Append one line at the current indentation; several lines where `text` holds line breaks."""
        for part in text.split("\n"):
            self._lines.append(self._indent * self._level + part if part else "")

    def margin(self, text: str) -> None:
        """Append one line without indentation, as labels are written."""
        self._lines.append(text)

    def comment(self, text: str) -> None:
        """Append `text` as comment lines."""
        for part in text.split("\n"):
            self.line(f"{self._comment} {part}".rstrip())

    def mark(self) -> int:
        """Return the place of the next line, for `insert`."""
        return len(self._lines)

    def insert(self, mark: int, lines: list[str]) -> None:
        """Put lines, indented as now, where `mark` was taken: for text that depends on what follows it (loop-carried values)."""
        self._lines[mark:mark] = [self._indent * self._level + line for line in lines]

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent what is written inside by one more level."""
        self._level += 1
        try:
            yield
        finally:
            self._level -= 1

    @contextmanager
    def block(self, head: str, open_with: str = " {", close_with: str = "}") -> Iterator[None]:
        """Write `head` and an opening brace, indent the inside, and close it."""
        self.line(head + open_with)
        with self.indented():
            yield
        self.line(close_with)

    def text(self) -> str:
        """Return everything written, ending in a line break."""
        return "\n".join(self._lines) + "\n"
