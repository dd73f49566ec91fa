# SPDX-License-Identifier: MIT
"""What a page is made of: sections with a title, a sentence that says how to read the picture, and a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracea.pictures.svg import Drawing, escape


@dataclass(frozen=True)
class Section:
    """One card of the page; `lead` and `body` are HTML."""

    key: str
    title: str
    lead: str
    body: str

    def render(self) -> str:
        """Return the section as HTML."""
        return f'<section id="{self.key}"><h2>{escape(self.title)}</h2><p class="lead">{self.lead}</p>{self.body}</section>'


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, chosen: int | None = None) -> str:
    """Return an HTML table; columns whose heads end in ``|`` hold figures and are set to the right."""
    numeric = [title.endswith("|") for title in head]
    marks = ["" if not n else ' class="n"' for n in numeric]
    heads = "".join(f"<th{mark}>{escape(title.rstrip('|'))}</th>" for title, mark in zip(head, marks, strict=True))
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(f"<td{mark}>{escape(value)}</td>" for value, mark in zip(row, marks, strict=True))
        lines.append(f"<tr{' class=chosen' if index == chosen else ''}>{cells}</tr>")
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def row(*drawings: Drawing) -> str:
    """Return drawings side by side, one below the other where there is no room."""
    return f'<div class="row">{"".join(f"<div>{drawing.render()}</div>" for drawing in drawings)}</div>'


def folded(title: str, text: str) -> str:
    """Return preformatted text that opens on a click."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def counted(number: int, word: str) -> str:
    """Return a number of things.

    >>> counted(1, "stage"), counted(4, "stage")
    ('1 stage', '4 stages')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"


def seconds(value: float) -> str:
    """Return a time with a unit that suits it.

    >>> seconds(0.0125), seconds(3.2e-6)
    ('12.5 ms', '3.2 µs')
    """
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def rate(gflops: float) -> str:
    """Return GFLOP/s, or TFLOP/s and PFLOP/s where the figure would have more than three digits."""
    for scale, unit in ((1e6, "PFLOP/s"), (1e3, "TFLOP/s")):
        if gflops >= scale:
            return f"{gflops / scale:.3g} {unit}"
    return f"{gflops:.3g} GFLOP/s"


def size(count: float) -> str:
    """Return bytes with a unit that suits them.

    >>> size(232448), size(512)
    ('227 KiB', '512 B')
    """
    for scale, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:.4g} B"
